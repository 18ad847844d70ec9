/* What users see of reconvergence stacks: the names of path orders, and counters of a structure that starts with a `struct
 * stack_counters`. */
#ifndef HEDDLE_DIV_PARTS_STACK_WORDS_H
#define HEDDLE_DIV_PARTS_STACK_WORDS_H

#include "div/parts/stack.h"
#include "stat/stat.h"

extern const char *const pdom_order_names[]; /* by enum stack_order; ends with NULL */

#define STACK_COUNTER(type, part, field) .name = #field, .offset = offsetof(type, part field)
/* `part` is the member of `type` that has these counters, with its dot, or nothing. */
#define STACK_COUNTERS(type, part)                                                                      \
    {STACK_COUNTER(type, part, divergent_branches), .unit = "branches",                                 \
     .meaning = "control instructions that split a warp"},                                              \
        {STACK_COUNTER(type, part, reused_slots), .unit = "branches",                                   \
         .meaning = "of these, those that end where their entry does"},                                 \
        {STACK_COUNTER(type, part, pushes), .unit = "entries", .meaning = "entries added to stacks"},   \
        {STACK_COUNTER(type, part, pops), .unit = "entries", .meaning = "entries taken from stacks"},   \
        {STACK_COUNTER(type, part, reconvergences), .unit = "paths",                                    \
         .meaning = "paths that came to their reconvergence point"},                                    \
    {                                                                                                   \
        STACK_COUNTER(type, part, max_depth), .unit = "entries", .meaning = "most entries a stack had", \
                                              .combine = STAT_MAX                                       \
    }

#define PDOM_COUNTER(field) STACK_COUNTER(struct stack_counters, , field)
#define PDOM_COUNTERS       STACK_COUNTERS(struct stack_counters, )

#endif
