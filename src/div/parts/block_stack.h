/*
 * The block-wide reconvergence stack of Thread Block Compaction (Fung and Aamodt, HPCA 2011, section 3).
 *
 * All warps of a block share one. The entry `top` runs: `warps` (the paper's WCnt) of its warps are still on their route,
 * each by itself. A warp that comes to a branch or to the entry's reconvergence point leaves it; the first at a branch
 * puts an entry for each target above `top`, and each sets its threads' bits there. When the last warp has left, those
 * entries go live: the old top waits at the branch's post-dominator, or gives its place up if it ends there itself, and
 * the uppermost entry is the new top.
 *
 * Warps of an entry come to one branch, since all that is skipped on the way there goes the same way for all. Where that
 * was promised and does not hold, or a straight instruction parted threads, warps come to several; each then has entries
 * of its own, and threads meet again where the old top ends.
 *
 * Threads that a block barrier holds may be barred: in no warp, and their entry does not run them. While the uppermost
 * entry is barred the threads of a lower one that wait for it run ahead, in an entry of their own on top: those at the
 * barrier may wait for them. They meet again, if at all, where that entry ends.
 *
 * Points, `back`, `lpc` and `lpos` are as in div/parts/stack.h. Here are masks and counts; nothing of strands or time.
 */
#ifndef HEDDLE_DIV_PARTS_BLOCK_STACK_H
#define HEDDLE_DIV_PARTS_BLOCK_STACK_H

#include "base/vec.h"
#include "div/parts/block_mask.h"
#include "div/parts/block_rules.h"
#include "div/parts/point.h"

struct block_entry {
    struct point at;  /* where it goes on; of the top: where it was started */
    struct point rpc; /* where it ends */
    struct point lpc; /* {PC_NONE, 0}: none */
    int32_t lpos;     /* index of the entry for `lpc` */
    int32_t back;     /* of an entry at {PC_NONE, d}: where threads returned to, at depth d - 1; or PC_NONE */
    int32_t site;     /* above the top: index of the site whose target it is, or -1 */
    int32_t warps;    /* of the top: still on their route, or being made */
    bool likely;      /* made for a likely-convergence point, and has not run yet */
    struct block_mask mask;
};

/* A branch that warps of the top came to. */
struct block_site {
    const struct branch *branch; /* NULL: a straight instruction */
    int32_t depth;
    uint64_t route;   /* warps that took other ways to it are kept apart */
    struct point rpc; /* where its threads meet */
    int32_t waits;    /* index of the entry that waits there; -1: none, it is where the top ends */
    int32_t back;     /* as an entry's */
    int ways;         /* 1 if threads are at its meeting place already, and 2 for each target that threads went to */
    struct block_mask mask;
};

struct block_stack {
    struct vec_of(struct block_entry) entries; /* bottom first */
    struct vec_of(struct block_site) sites;
    int top;
    int32_t first_row;
    int rows;
    int static_warps;         /* at launch */
    struct block_mask barred; /* threads at a block barrier, in no warp */
};

/* Which branch a warp is at, and how it came there. */
struct block_arrival {
    const struct program *program;
    int32_t pc, depth;
    int32_t likely; /* likely-convergence point, or PC_NONE */
    uint64_t route;
};

void block_stack_start(struct block_stack *s, struct block_rules *rules, int32_t pc, const struct block_mask *mask,
                       int warps);
void block_stack_free(struct block_stack *s);

/* A warp of the top came to a branch; its threads set their bits. */
void block_stack_branch(struct block_stack *s, struct block_rules *rules, const struct block_arrival *at,
                        const struct outcome *outcomes, int count);
/* Threads of a warp of the top wait at a block barrier, from which they go on to the next PC; and are let go. */
void block_stack_bar(struct block_stack *s, struct block_rules *rules, const struct block_arrival *at,
                     const struct threads *t);
void block_stack_unbar(struct block_stack *s, const struct threads *t);

enum block_next { BLOCK_RUNS, BLOCK_WAITS, BLOCK_ENDED };

/* All warps of the top left it: what is to run next becomes the top. BLOCK_WAITS: all threads are barred, and
 * block_stack_next() is to be asked when some are not. */
enum block_next block_stack_settle(struct block_stack *s, struct block_rules *rules);
enum block_next block_stack_next(struct block_stack *s, struct block_rules *rules);
void block_stack_exit(struct block_stack *s, const struct threads *ended);

static inline struct block_entry *block_stack_top(const struct block_stack *s)
{
    return s->entries.count ? &s->entries.data[s->top] : NULL;
}

/* Threads of the top that are where it ends, or at its likely point, leave it. */
void block_stack_leave(struct block_stack *s, struct block_rules *rules, struct point to, const struct threads *t);
/* Threads of the top go to `to` together. True: they leave it there, for the entry below that waits at its reconvergence
 * point or for the one of its likely point. */
static inline bool block_stack_leaves(struct block_stack *s, struct block_rules *rules, struct point to,
                                      const struct threads *t)
{
    const struct block_entry *top = block_stack_top(s);
    bool is_likely = !point_is_end(top->lpc) && point_is_same(to, top->lpc);
    if (!is_likely && !point_has_reached(to, top->rpc))
        return false;
    block_stack_leave(s, rules, to, t);
    return true;
}

/* Where a thread goes on that is in no warp; PC_NONE: nowhere, or only a return will tell. */
int32_t block_stack_where(const struct block_stack *s, int32_t row, int lane);
/* All these threads are in the top, and none has come to a branch: its warps may all come to one place. */
bool block_stack_is_whole(const struct block_stack *s, const struct block_mask *live);
/* Panics unless masks of live entries are nested or disjoint, targets lie in the top, and every live thread of the top is
 * either in a warp, of which there are `warps` with the threads of `running`, or has come to a branch; `waits`: there may be
 * no warps. Of threads that ended the stack may not have been told yet: it may hold more than live, never less. */
void block_stack_check(const struct block_stack *s, const struct block_mask *live, const struct block_mask *running,
                       int warps, bool waits);
/* A line an entry, bottom first: "  C 10.01.01.00 D x1" goes on at C with these threads until D, with one warp on its way.
 * Masks as block_mask_print() has them. Points, likely points and stars as stack_print() has them; a target
 * that is still being filled ends with a plus. */
void block_stack_print(const struct block_stack *s, const struct program *program, int width, struct text *out);

#endif
