/* The schedulers: one line each, with the name of the `const struct sched_ops` (sched_NAME) and the name that a
 * user writes. The only list of schedulers: sched/table.c finds them by it, the knob sm.scheduler takes its choices
 * from it. */
#ifndef HEDDLE_SCHED_TABLE_H
#define HEDDLE_SCHED_TABLE_H

#define SCHED_TABLE(X)                \
    X(lrr, "lrr")                     \
    X(gto, "gto")                     \
    X(two_level, "two-level")         \
    X(oldest, "oldest")               \
    X(age, "age")                     \
    X(rrb, "rrb")                     \
    X(srr, "srr")                     \
    X(fifo, "fifo")                   \
    X(pc, "pc")                       \
    X(pdom_priority, "pdom-priority") \
    X(majority, "majority")           \
    X(max_heap, "max-heap")           \
    X(bgto, "bgto")                   \
    X(lgto, "lgto")

#endif
