/* What users see of reconvergence stacks: the names of path orders, and counters of a structure that starts with a `struct
 * stack_counters`. */
#ifndef HEDDLE_DIV_STACK_WORDS_H
#define HEDDLE_DIV_STACK_WORDS_H

#include "div/stack.h"
#include "stat/stat.h"

extern const char *const pdom_order_names[]; /* by enum stack_order; ends with NULL */

#define PDOM_COUNTER(field) .name = #field, .offset = offsetof(struct stack_counters, field)
#define PDOM_COUNTERS                                                                                        \
    {PDOM_COUNTER(divergent_branches),                                                                       \
     .unit = "branches",                                                                                     \
     .meaning = "control instructions that split a warp"},                                                   \
        {PDOM_COUNTER(reused_slots),                                                                         \
         .unit = "branches",                                                                                 \
         .meaning = "of these, those that end where the top entry does"},                                    \
        {PDOM_COUNTER(pushes), .unit = "entries", .meaning = "entries added to stacks"},                     \
        {PDOM_COUNTER(pops), .unit = "entries", .meaning = "entries taken from stacks"},                     \
        {PDOM_COUNTER(reconvergences),                                                                       \
         .unit = "paths",                                                                                    \
         .meaning = "paths that came to their reconvergence point"},                                         \
    {                                                                                                        \
        PDOM_COUNTER(max_depth), .unit = "entries", .meaning = "most entries a stack had",                   \
        .combine = STAT_MAX                                                                                  \
    }

#endif
