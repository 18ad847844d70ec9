/*
 * What block-wide reconvergence stacks have in common, single (div/parts/block_stack.h) and dual
 * (div/parts/dual_block.h): which side of a branch goes first, what they count, and how users see that.
 */
#ifndef HEDDLE_DIV_PARTS_BLOCK_RULES_H
#define HEDDLE_DIV_PARTS_BLOCK_RULES_H

#include "base/knob.h"
#include "div/parts/point.h"
#include "exec/strand.h"
#include "flow/program.h"
#include "stat/stat.h"

struct block_counters {
    uint64_t divergent_branches, reused_slots, pushes, pops, reconvergences, max_depth, ran_ahead;
    uint64_t lcp_pushed, lcp_merged, lcp_unused;
};

/* What the stacks of one multiprocessor share. */
struct block_rules {
    bool not_taken_first;
    struct block_counters counters;
};

/* It is a branch, and not one of ends alone. */
bool block_rules_may_part(const struct insn *in, int32_t depth);
bool block_rules_have_one_place(const struct outcome *o, int count);
/* Threads came to `goal` at `from`. If that is a function's end, `back` of who waits there learns where they returned to. */
void block_rules_note_back(int32_t *back, struct point from, struct point goal);

/* ---- what users see ---- */

extern const char *const block_order_names[]; /* the first side's; the number is `not_taken_first` */

/* The knob `order` of a structure that has such a field. */
#define BLOCK_ORDER_KNOB(type)                                                                                       \
    {                                                                                                                \
        .name = "order", .unit = "", .offset = offsetof(type, order), .meaning = "side of a branch that goes first", \
        .kind = KNOB_CHOICE, .high = 1, .choices = block_order_names                                                 \
    }

/* Of a structure that has `struct block_counters stack`: what branches do, and what the stacks do. */
#define BLOCK_COUNTER(type, field, measure, text)                                               \
    {                                                                                           \
        .name = #field, .offset = offsetof(type, stack.field), .unit = measure, .meaning = text \
    }
#define BLOCK_BRANCH_COUNTERS(type)                                                                          \
    BLOCK_COUNTER(type, divergent_branches, "branches", "branches at which threads under one stack parted"), \
        BLOCK_COUNTER(type, reused_slots, "branches", "branches that end where the entry they stand in does")
#define BLOCK_STACK_COUNTERS(type)                                                                              \
    BLOCK_COUNTER(type, ran_ahead, "entries", "entries made for threads that others wait for at a barrier"),    \
        BLOCK_COUNTER(type, pushes, "entries", "entries added to stacks"),                                      \
        BLOCK_COUNTER(type, pops, "entries", "entries taken from stacks"),                                      \
        BLOCK_COUNTER(type, reconvergences, "paths", "warps and paths that came to their reconvergence point"), \
    {                                                                                                           \
        .name = "max_depth", .offset = offsetof(type, stack.max_depth), .unit = "entries",                      \
        .meaning = "most entries a stack had", .combine = STAT_MAX                                              \
    }

#endif
