/*
 * A dual-path stack of a whole block: the block-wide stack of thread block compaction (Fung and Aamodt, HPCA 2011)
 * whose entries hold two paths, as those of dual-path execution do (Rhu and Erez, HPCA 2013).
 *
 * An entry {path L, path R, rpc} has two paths that end where they come to `rpc`; a path without threads is not
 * valid. A path that has started has `warps` on their way. Warps that come to a branch leave their threads at its
 * targets; when the last one has, the path settles: it waits at the branch's post-dominator, the parent of the
 * entries that its sides get, two to an entry; or its sides take its place and its sibling's, if that is not valid,
 * where the branch meets at the entry's rpc. One entry runs, the uppermost that has a path which can.
 *
 * Warps of a path come to one branch. Where a straight instruction parted threads they may come to several: then the
 * path gives way to one for each, which end where it does.
 *
 * Threads that a block barrier holds may be barred: in no warp, and their path does not start. While no path can run,
 * the threads that are free of one that waits for others run ahead in an entry of their own, since those at the
 * barrier may wait for them.
 *
 * Points and `back` are as in div/parts/stack.h. Here are masks and counts; nothing of strands or time.
 */
#ifndef HEDDLE_DIV_PARTS_DUAL_BLOCK_H
#define HEDDLE_DIV_PARTS_DUAL_BLOCK_H

#include "base/vec.h"
#include "div/parts/block_mask.h"
#include "div/parts/block_rules.h"
#include "div/parts/dual_stack.h"

struct dual_block_path {
    struct point at;               /* where it goes on; while it runs: where it was started. {PC_NONE, d}: see `back` */
    int32_t back;                  /* of one at {PC_NONE, d}: where threads returned to, at depth d - 1; or PC_NONE */
    int32_t warps;                 /* on their route, or being made; 0: it has not started, or waits for others */
    uint64_t arrived, arrival_sum; /* the user's: warps that came to a branch or the end, and their cycles */
    struct block_mask mask;        /* empty: not valid */
};

struct dual_block_entry {
    struct dual_block_path path[DUAL_SIDES];
    struct point rpc;
    struct dual_place parent; /* the path that waits at `rpc` for these */
};

/* Where threads of a path that runs went from a branch. */
struct dual_block_target {
    struct dual_place from;
    const struct branch *branch; /* NULL: a straight instruction */
    int32_t depth;
    int32_t rank; /* those with lower ones run first */
    struct point to;
    bool ends; /* it is where the path ends: the threads have left, and only the way counts */
    struct block_mask mask;
};

/* What a path becomes; see dual_block_settle(). */
struct dual_block_side {
    struct dual_block_path path;
    struct dual_place place;
    const struct branch *branch; /* it waits for the threads of this one; NULL: for none */
    int32_t depth;
};

struct dual_block {
    struct vec_of(struct dual_block_entry) entries;  /* bottom first; those no longer valid may be among them */
    struct vec_of(struct dual_block_target) targets; /* by path in order of rank */
    struct vec_of(struct dual_block_side) sides;
    int32_t first_row;
    int rows;
    int static_warps;         /* at launch */
    struct block_mask barred; /* threads at a block barrier, in no warp */
};

/* An instruction that a warp is at. */
struct dual_block_site {
    const struct program *program;
    int32_t pc, depth;
};

void dual_block_start(struct dual_block *s, struct block_rules *rules, int32_t pc, const struct block_mask *mask);
void dual_block_free(struct dual_block *s);

/* Threads of a path go to `to` together. True: the path ends there, and they leave it. */
bool dual_block_leaves(struct dual_block *s, struct block_rules *rules, struct dual_place path, struct point to,
                       const struct threads *t);
/* A warp of the path came to a branch, and its threads went to these places. */
void dual_block_branch(struct dual_block *s, struct block_rules *rules, struct dual_place path,
                       const struct dual_block_site *at, const struct outcome *outcomes, int count);
/* Threads of a warp wait at a block barrier, from which they go on to the next PC; and are let go. */
void dual_block_bar(struct dual_block *s, struct block_rules *rules, struct dual_place path,
                    const struct dual_block_site *at, const struct threads *t);
void dual_block_unbar(struct dual_block *s, const struct threads *t);
/* The last warp of the path is gone. */
void dual_block_settle(struct dual_block *s, struct block_rules *rules, struct dual_place path);
/* The entry that is to run: its paths that have not started are to be, if dual_block_can_start(). -1: none, all
 * threads are barred or have ended. */
int32_t dual_block_next(struct dual_block *s, struct block_rules *rules);
bool dual_block_can_start(const struct dual_block *s, struct dual_place path);
void dual_block_exit(struct dual_block *s, const struct threads *ended);

static inline struct dual_block_path *dual_block_path_at(const struct dual_block *s, struct dual_place at)
{
    return &s->entries.data[at.entry].path[at.side];
}

/* Where a thread goes on that is in no warp; PC_NONE: nowhere, or only a return will tell. */
int32_t dual_block_where(const struct dual_block *s, int32_t row, int lane);
/* Paths are disjoint but for parents, which hold what their children have. */
bool dual_block_is_sound(const struct dual_block *s);
/* A line an entry, bottom first: "  C 10.01 x1 B 01.10 x1 D" has left path, right path and rpc, with the warps of
 * each; a path that is not valid is "- -". Masks as block_mask_print() has them. */
void dual_block_print(const struct dual_block *s, const struct program *program, int width, struct text *out);

#endif
