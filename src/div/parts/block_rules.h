/*
 * What the block-wide reconvergence stacks have in common, the single-path one (div/parts/block_stack.h) and the
 * dual-path one (div/parts/dual_block.h): which side of a branch runs first, their counters, and the texts that users
 * see.
 */
#ifndef HEDDLE_DIV_PARTS_BLOCK_RULES_H
#define HEDDLE_DIV_PARTS_BLOCK_RULES_H

#include "base/knob.h"
#include "div/parts/point.h"
#include "exec/strand.h"
#include "flow/program.h"
#include "stat/stat.h"

/* Counts of events; the rows at the end of this file describe each. */
struct block_counters {
    uint64_t divergent_branches, reused_slots, pushes, pops, reconvergences, max_depth, ran_ahead;
    uint64_t lcp_pushed, lcp_merged, lcp_unused;
};

/* What all stacks of one multiprocessor share. */
struct block_rules {
    bool not_taken_first; /* which side of a branch runs first */
    struct block_counters counters;
};

/* Whether threads can diverge at the instruction. At an exit, or a return at depth 0, they cannot. */
bool block_rules_may_diverge(const struct insn *in, int32_t depth);
/* Which branches warps pass without waiting for each other. */
enum block_uniform { UNIFORM_PROVED, UNIFORM_MARKED };
/* Whether the strand's warp waits for others at the instruction of the program at which the strand is. With
 * `trusts_marks`, a branch that the text marks with .uni needs no proof that it is uniform. */
bool block_rules_waits(const struct program *p, const struct strand *s, enum block_uniform uniform, bool trusts_marks);
/* Whether all outcomes are at the same point. */
bool block_rules_have_one_place(const struct outcome *o, int count);
/* The same for a direct branch, as `part` of div/contract/div.h tells it; `to` is then that point. */
static inline bool block_rules_go_one_way(const struct strand *s, int32_t target, uint32_t taken, struct point *to)
{
    *to = (struct point){taken ? target : s->pc + 1, s->depth};
    return !taken || taken == s->lanes;
}
/* Threads reached `goal` and stand at `from`. If `goal` is the end of a function, `*back`, which belongs to the entry
 * that waits there, becomes the PC that they returned to. */
void block_rules_note_back(int32_t *back, struct point from, struct point goal);

/* ---- what users see ---- */

extern const char *const block_order_names[];   /* which side runs first; indexed by `not_taken_first` */
extern const char *const block_uniform_names[]; /* by enum block_uniform */

/* The knob `uniform` of a structure with a field of this name. `proved`: what the knob's value `proved` means. */
#define BLOCK_UNIFORM_KNOB(type, proved, marked)                                                                     \
    {                                                                                                                \
        .name = "uniform", .unit = "", .offset = offsetof(type, uniform),                                            \
        .meaning =                                                                                                   \
            "Branches that warps pass without waiting for each other: " proved " (proved), or " marked " (marked).", \
        .kind = KNOB_CHOICE, .fallback = UNIFORM_PROVED, .high = UNIFORM_MARKED, .choices = block_uniform_names      \
    }

/* The knob `order` of a structure with a field of this name. */
#define BLOCK_ORDER_KNOB(type)                                                                                        \
    {                                                                                                                 \
        .name = "order", .unit = "", .offset = offsetof(type, order), .meaning = "Side of a branch that runs first.", \
        .kind = KNOB_CHOICE, .high = 1, .choices = block_order_names                                                  \
    }

/* Rows of a statistics table over a structure with the member `struct block_counters stack`. */
#define BLOCK_COUNTER(type, field, measure, text)                                               \
    {                                                                                           \
        .name = #field, .offset = offsetof(type, stack.field), .unit = measure, .meaning = text \
    }
#define BLOCK_BRANCH_COUNTERS(type)                                                                              \
    BLOCK_COUNTER(type, divergent_branches, "branches", "Branches at which the threads of one stack diverged."), \
        BLOCK_COUNTER(                                                                                           \
            type, reused_slots, "branches",                                                                      \
            "Divergent branches whose reconvergence point is that of the entry itself, so that the entry is reused.")
#define BLOCK_STACK_COUNTERS(type)                                                                               \
    BLOCK_COUNTER(type, ran_ahead, "entries",                                                                    \
                  "Entries pushed so that threads can run on to a barrier at which others wait."),               \
        BLOCK_COUNTER(type, pushes, "entries", "Entries pushed onto stacks."),                                   \
        BLOCK_COUNTER(type, pops, "entries", "Entries popped from stacks."),                                     \
        BLOCK_COUNTER(type, reconvergences, "paths", "Warps and paths that reached their reconvergence point."), \
    {                                                                                                            \
        .name = "max_depth", .offset = offsetof(type, stack.max_depth), .unit = "entries",                       \
        .meaning = "Most entries that a stack had.", .combine = STAT_MAX                                         \
    }

#endif
