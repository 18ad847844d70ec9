/*
 * A dual-path stack of a whole block: the block-wide stack of thread block compaction (Fung and Aamodt, HPCA 2011)
 * whose entries hold two paths, as those of dual-path execution do (Rhu and Erez, HPCA 2013).
 *
 * An entry {left path, right path, rpc} has two paths that end at `rpc`; a path without threads is not valid. A path
 * that has started has `warps` warps running. A warp that reaches a branch leaves its threads at the branch's targets.
 * When the last warp has, the path settles: it waits at the branch's reconvergence point, as the parent of the entries
 * that its sides get, two sides per entry. If that point is the entry's own rpc, no path has to wait: the sides take
 * the slot of the path and, if the sibling is not valid, the sibling's slot. The uppermost entry with a path that can
 * run is the one that runs.
 *
 * All warps of a path reach the same branch. If a straight-line instruction split threads, warps may reach several; the
 * path is then replaced by one path per branch, all with the same rpc.
 *
 * Threads that wait at a block barrier may be *barred*: they are in no warp, and their path does not start. While no
 * path can run, threads that are not barred run ahead in a new entry, since the barrier may need them.
 *
 * Points and `back` are those of div/parts/stack.h. This file knows masks and counts, and nothing of strands or time.
 */
#ifndef HEDDLE_DIV_PARTS_DUAL_BLOCK_H
#define HEDDLE_DIV_PARTS_DUAL_BLOCK_H

#include "base/vec.h"
#include "div/parts/block_mask.h"
#include "div/parts/block_rules.h"
#include "div/parts/dual_stack.h"
#include "div/parts/stack_time.h"

struct dual_block_path {
    struct point at; /* where the path continues; while it runs: where it started. {PC_NONE, d}: end of a function */
    int32_t back;    /* with `at` = {PC_NONE, d}: the PC at depth d - 1 that threads returned to; PC_NONE: none has */
    int32_t warps;   /* warps running or being made; 0: the path has not started, or waits */
    uint64_t arrived, arrival_sum; /* for the user: warps that have arrived, and the sum of their cycles */
    struct block_mask mask;        /* empty: not valid */
};

struct dual_block_entry {
    struct dual_block_path path[DUAL_SIDES];
    struct point rpc;
    struct dual_place parent; /* the path that waits at `rpc` for the paths of this entry */
};

/* Threads of a running path that took the same target of a branch. */
struct dual_block_target {
    struct dual_place from;
    const struct branch *branch; /* NULL: a straight-line instruction */
    int32_t depth;
    int32_t rank; /* targets with a lower rank run first */
    struct point to;
    bool ends; /* `to` is the rpc of the path: the threads have left it, and the target only counts as a side */
    struct block_mask mask;
};

/* A path that a settling path becomes: dual_block_settle(). */
struct dual_block_side {
    struct dual_block_path path;
    struct dual_place place;
    const struct branch *branch; /* the new path waits for the sides of this branch; NULL: the new path does not wait */
    int32_t depth;
};

struct dual_block {
    struct vec_of(struct dual_block_entry) entries;  /* bottom first; entries without valid paths may be among them */
    struct vec_of(struct dual_block_target) targets; /* in order of rank */
    struct vec_of(struct dual_block_side) sides;
    int32_t first_row;
    int rows;
    int static_warps;         /* at launch */
    struct block_mask barred; /* threads at a block barrier, in no warp */
    struct stack_usage usage; /* kept here; the mechanism takes the time of it */
};

/* An instruction that a warp is at. */
struct dual_block_site {
    const struct program *program;
    int32_t pc, depth;
};

void dual_block_start(struct dual_block *s, struct block_rules *rules, int32_t pc, const struct block_mask *mask);
void dual_block_free(struct dual_block *s);

/* Threads of a path go to `to`, which is the rpc of the path: they leave it. */
void dual_block_leave(struct dual_block *s, struct block_rules *rules, struct dual_place path, struct point to,
                      const struct threads *t);
/* Whether `to` is the rpc of the path. */
static inline bool dual_block_ends_at(const struct dual_block *s, struct dual_place path, struct point to)
{
    return point_has_reached(to, s->entries.data[path.entry].rpc);
}
/* Threads of a path go to `to` together. True: the path ends there, so they leave it. */
static inline bool dual_block_leaves(struct dual_block *s, struct block_rules *rules, struct dual_place path,
                                     struct point to, const struct threads *t)
{
    if (!dual_block_ends_at(s, path, to))
        return false;
    dual_block_leave(s, rules, path, to, t);
    return true;
}
/* A warp of the path reached a branch; its threads went to these outcomes. */
void dual_block_branch(struct dual_block *s, struct block_rules *rules, struct dual_place path,
                       const struct dual_block_site *at, const struct outcome *outcomes, int count);
/* dual_block_branch() for a direct branch of a warp, as `part` of div/contract/div.h tells it. */
void dual_block_part(struct dual_block *s, struct block_rules *rules, struct dual_place path,
                     const struct dual_block_site *at, const struct strand *warp, int32_t target, uint32_t taken);
/* Threads of a warp wait at a block barrier and will continue at the next PC; threads are released. */
void dual_block_bar(struct dual_block *s, struct block_rules *rules, struct dual_place path,
                    const struct dual_block_site *at, const struct threads *t);
void dual_block_unbar(struct dual_block *s, const struct threads *t);
/* The last warp has left the path: replaces the path by what its threads do next. */
void dual_block_settle(struct dual_block *s, struct block_rules *rules, struct dual_place path);
/* The entry that runs next. Its paths that have not started are to be started if dual_block_can_start(). -1: no entry,
 * since all threads are barred or have exited. */
int32_t dual_block_next(struct dual_block *s, struct block_rules *rules);
bool dual_block_can_start(const struct dual_block *s, struct dual_place path);
void dual_block_exit(struct dual_block *s, const struct threads *ended);

static inline struct dual_block_path *dual_block_path_at(const struct dual_block *s, struct dual_place at)
{
    return &s->entries.data[at.entry].path[at.side];
}

/* The PC at which a thread that is in no warp will continue; PC_NONE: unknown, for example before a return. */
int32_t dual_block_where(const struct dual_block *s, int32_t row, int lane);
/* Whether paths are disjoint, except that a parent holds the threads of its children. */
bool dual_block_is_sound(const struct dual_block *s);
/* Prints one line per entry, bottom first: "  C 10.01 x1 B 01.10 x1 D" is left path, right path and rpc, with the
 * number of running warps of each. A path that is not valid is "- -". Masks are printed as block_mask_print() does. */
void dual_block_print(const struct dual_block *s, const struct program *program, int width, struct text *out);

#endif
