/*
 * The block-wide reconvergence stack of Thread Block Compaction (Fung and Aamodt, HPCA 2011, section 3).
 *
 * All warps of a block share one stack. The top entry runs: `warps` (the paper's WCnt) of its warps are still running,
 * independently of each other. A warp that reaches a branch, or the entry's reconvergence point, leaves the entry. The
 * first warp at a branch pushes one entry per target above the top, and every warp sets the bits of its threads in
 * those entries. When the last warp has left, the new entries become valid: the old top waits at the branch's
 * reconvergence point, or gives up its slot if that is also its own, and the uppermost entry is the new top.
 *
 * All warps of an entry reach the same branch, because the branches that they skip on the way are uniform for the
 * block. If such a promise (`.uni`) is broken, or a straight-line instruction split threads, warps reach several
 * branches. Each branch then has entries of its own, and the threads reconverge at the reconvergence point of the old
 * top.
 *
 * Threads that wait at a block barrier may be *barred*: they are in no warp, and their entry does not run them. While
 * the uppermost entry is barred, threads of a lower entry run ahead in a new entry on top, since the barrier may need
 * them. They reconverge with the others, if at all, at the reconvergence point of that entry.
 *
 * Points, `back`, `lpc` and `lpos` are those of div/parts/stack.h. This file knows masks and counts, and nothing of
 * strands or time.
 */
#ifndef HEDDLE_DIV_PARTS_BLOCK_STACK_H
#define HEDDLE_DIV_PARTS_BLOCK_STACK_H

#include "base/vec.h"
#include "div/parts/block_mask.h"
#include "div/parts/block_rules.h"
#include "div/parts/point.h"
#include "div/parts/stack_time.h"

/* One path of the block. */
struct block_entry {
    struct point at;  /* where the entry continues; for the top: where it started. {PC_NONE, d}: end of a function */
    struct point rpc; /* the entry's reconvergence point, where it ends */
    struct point lpc; /* the entry's likely-convergence point; {PC_NONE, 0}: none */
    int32_t lpos;     /* index of the entry that waits at `lpc` */
    int32_t back;     /* with `at` = {PC_NONE, d}: the PC at depth d - 1 that threads returned to; PC_NONE: none has */
    int32_t site;     /* for an entry above the top: index of the site whose target it is; -1: none */
    int32_t warps;    /* for the top: warps still running, or being made by the compactor */
    bool likely;      /* the entry waits at a likely-convergence point and has not run yet */
    struct block_mask mask; /* the entry's threads */
};

/* A branch that warps of the top have reached. */
struct block_site {
    const struct branch *branch; /* NULL: a straight-line instruction */
    int32_t depth;
    uint64_t route;         /* identifies the path to the branch: warps with different routes are kept apart */
    struct point rpc;       /* where the branch's threads reconverge */
    int32_t waits;          /* index of the entry that waits at `rpc`; -1: none, since `rpc` is also the top's rpc */
    int32_t back;           /* if `rpc` is the end of a function: the PC that threads returned to; PC_NONE: none has */
    int paths;              /* 1 if threads are at `rpc` already, plus 2 for each target that threads went to */
    struct block_mask mask; /* threads that have arrived, except those at the top's rpc */
};

struct block_stack {
    struct vec_of(struct block_entry) entries; /* bottom first */
    struct vec_of(struct block_site) sites;    /* branches that warps of the top have reached */
    int top;                                   /* index of the entry that runs */
    int32_t first_row;                         /* the block's first row on the multiprocessor */
    int rows;                                  /* number of rows */
    int static_warps;                          /* number of static warps at launch, for printing */
    struct block_mask barred;                  /* threads at a block barrier, in no warp */
    struct stack_usage usage;                  /* kept here; the mechanism takes the time of it */
};

/* The branch that a warp is at, and its route to the branch. */
struct block_arrival {
    const struct program *program;
    int32_t pc, depth;
    int32_t likely; /* likely-convergence point, or PC_NONE */
    uint64_t route;
};

void block_stack_start(struct block_stack *s, struct block_rules *rules, int32_t pc, const struct block_mask *mask,
                       int warps);
void block_stack_free(struct block_stack *s);

/* A warp of the top reached a branch: sets the bits of its threads in the entries of the targets. */
void block_stack_branch(struct block_stack *s, struct block_rules *rules, const struct block_arrival *at,
                        const struct outcome *outcomes, int count);
/* block_stack_branch() for a direct branch of a warp, as `part` of div/contract/div.h tells it. */
void block_stack_part(struct block_stack *s, struct block_rules *rules, const struct block_arrival *at,
                      const struct strand *warp, int32_t target, uint32_t taken);
/* Threads of a warp of the top wait at a block barrier and will continue at the next PC; threads are released. */
void block_stack_bar(struct block_stack *s, struct block_rules *rules, const struct block_arrival *at,
                     const struct threads *t);
void block_stack_unbar(struct block_stack *s, const struct threads *t);

enum block_next { BLOCK_RUNS, BLOCK_WAITS, BLOCK_ENDED };

/* All warps have left the top: the entry that runs next becomes the top. BLOCK_WAITS: all threads are barred; call
 * block_stack_next() when some are released. */
enum block_next block_stack_settle(struct block_stack *s, struct block_rules *rules);
enum block_next block_stack_next(struct block_stack *s, struct block_rules *rules);
void block_stack_exit(struct block_stack *s, const struct threads *ended);

/* The entry that runs; NULL: all threads have exited. */
static inline struct block_entry *block_stack_top(const struct block_stack *s)
{
    return s->entries.count ? &s->entries.data[s->top] : NULL;
}

/* Threads at the reconvergence point of the top, or at its likely-convergence point, leave the top. */
void block_stack_leave(struct block_stack *s, struct block_rules *rules, struct point to, const struct threads *t);
/* Whether `to` is the top's reconvergence or likely-convergence point. */
static inline bool block_stack_ends_at(const struct block_stack *s, struct point to)
{
    const struct block_entry *top = block_stack_top(s);
    const bool is_likely = !point_is_end(top->lpc) && point_is_same(to, top->lpc);
    return is_likely || point_has_reached(to, top->rpc);
}
/* Threads of the top go to `to` together. True: the top ends there, so they leave it for the entry that waits there. */
static inline bool block_stack_leaves(struct block_stack *s, struct block_rules *rules, struct point to,
                                      const struct threads *t)
{
    if (!block_stack_ends_at(s, to))
        return false;
    block_stack_leave(s, rules, to, t);
    return true;
}

/* The PC at which a thread that is in no warp will continue; PC_NONE: unknown, for example before a return. */
int32_t block_stack_where(const struct block_stack *s, int32_t row, int lane);
/* Whether the top holds all these threads and none of them has reached a branch. */
bool block_stack_is_whole(const struct block_stack *s, const struct block_mask *live);
/* Panics unless masks of valid entries are nested or disjoint and every live thread of the top either is in a warp or
 * has reached a branch. There are `warps` warps, with the threads of `running`; with `waits` there may be none. The
 * stack may still list threads that have exited (exit is reported later), but never misses a live one. */
void block_stack_check(const struct block_stack *s, const struct block_mask *live, const struct block_mask *running,
                       int warps, bool waits);
/* Prints one line per entry, bottom first: "  C 10.01.01.00 D x1" continues at C with these threads until D, with one
 * warp running. Masks are printed as block_mask_print() does; points, likely-convergence points and stars as
 * stack_print() does. A target that is still being filled ends with a plus. */
void block_stack_print(const struct block_stack *s, const struct program *program, int width, struct text *out);

#endif
