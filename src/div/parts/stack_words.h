/* What users see of reconvergence stacks: the names of path orders, and rows of a statistics table for `struct
 * stack_counters`. */
#ifndef HEDDLE_DIV_PARTS_STACK_WORDS_H
#define HEDDLE_DIV_PARTS_STACK_WORDS_H

#include "div/parts/stack.h"
#include "div/parts/stack_traffic.h"
#include "stat/stat.h"

extern const char *const pdom_order_names[]; /* by enum stack_order; ends with NULL */

#define STACK_COUNTER(type, part, field) .name = #field, .offset = offsetof(type, part field)
/* Rows for a table over `type`. `part` is the member of `type` that holds the counters, with its dot; or nothing. */
#define STACK_COUNTERS(type, part)                                                                                    \
    {STACK_COUNTER(type, part, divergent_branches), .unit = "branches",                                               \
     .meaning = "Control instructions that split a warp."},                                                           \
        {STACK_COUNTER(type, part, reused_slots), .unit = "branches",                                                 \
         .meaning = "Divergent branches whose reconvergence point is that of the entry itself, so that the entry is " \
                    "reused."},                                                                                       \
        {STACK_COUNTER(type, part, pushes), .unit = "entries", .meaning = "Entries pushed onto stacks."},             \
        {STACK_COUNTER(type, part, pops), .unit = "entries", .meaning = "Entries popped from stacks."},               \
        {STACK_COUNTER(type, part, reconvergences), .unit = "paths",                                                  \
         .meaning = "Paths that reached their reconvergence point."},                                                 \
    {                                                                                                                 \
        STACK_COUNTER(type, part, max_depth), .unit = "entries", .meaning = "Most entries that a stack had.",         \
                                              .combine = STAT_MAX                                                     \
    }

#define PDOM_COUNTER(field) STACK_COUNTER(struct stack_counters, , field)
#define PDOM_COUNTERS       STACK_COUNTERS(struct stack_counters, )
#define PDOM_TIME_COUNTERS \
    STACK_TIME_COUNTERS(struct stack_counters, time), STACK_TRAFFIC_COUNTERS(struct stack_counters, time)

#endif
