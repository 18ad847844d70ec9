/*
 * Threads of a warp that wait at a block barrier or rendezvous in no strand, while other paths of their warp run.
 *
 * A mechanism that keeps a reconvergence stack, or a table like it, may bring a warp's threads to a barrier in parts:
 * where one side of a branch can end, the branch's post-dominator may lie behind the barrier. A barrier counts threads,
 * so the parts that are not there yet must be able to come. The rule for all such mechanisms:
 *
 *   come     a path that is not the whole warp leaves the stack at a barrier, as if its threads had ended; what waited
 *            for it at a reconvergence point goes on. A path that is the whole warp stays, and its strand is held.
 *   return   threads that the barrier lets go enter the stack again as a path of their own, which ends with its threads.
 *            In the kernel's own code they are one path, however they came: every live thread of the warp was there, so
 *            the barrier is where the warp meets. In a function, threads that came apart may have been called from
 *            different places; they stay apart.
 *   unite    the path whose arrival opened the barrier never left. It takes in the others just behind the barrier.
 *
 * The same at a rendezvous, though a warp narrower than a row may wait for other warps alone: those may in turn wait for
 * threads that this path would keep from running.
 */
#ifndef HEDDLE_DIV_PARTS_HELD_H
#define HEDDLE_DIV_PARTS_HELD_H

#include "base/vec.h"
#include "div/parts/point.h"
#include "div/parts/static_warp.h"

struct held {
    uint64_t all;
    struct vec_of(uint64_t) groups; /* by arrival: threads of one path */
};

static inline void held_free(struct held *h)
{
    vec_free(&h->groups);
}

static inline void held_add(struct held *h, uint64_t mask)
{
    h->all |= mask;
    vec_push(&h->groups, mask);
}

/* Takes the next threads that go on together out of `*released`, which go on at call depth `depth`. 0: none are left. */
static inline uint64_t held_next(struct held *h, uint64_t *released, int32_t depth)
{
    uint64_t together = depth ? 0 : *released & h->all;
    int kept = 0;
    for (int i = 0; i < h->groups.count; i++) {
        uint64_t own = h->groups.data[i] & *released;
        if (depth && !together)
            together = own;
        uint64_t left = h->groups.data[i] & ~together;
        if (left)
            h->groups.data[kept++] = left;
    }
    h->groups.count = kept;
    h->all &= ~together;
    *released &= ~together;
    return together;
}

/* Whether a warp's path must leave the stack, where it is at a block barrier or rendezvous: others of the warp's live threads
 * are elsewhere, or have passed, and may be waited for. */
static inline bool held_leaves(struct div_host *host, const struct static_warp *w, const struct strand *s)
{
    uint64_t own = static_warp_mask(w, &s->threads), live = static_warp_live(host, w);
    return s->waiting != s->size || live & ~own;
}

/* Whether a strand at a rendezvous waits for a thread that may not come while the strand is there: one that is in no strand,
 * or in one that the mechanism keeps from issuing. */
static inline bool held_is_stranded(struct div_host *host, const struct strand *s)
{
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        uint32_t away = host->calls.row_live(host, part.row) & ~host->calls.row_running(host, part.row);
        if (away && host->calls.waits_for(host, part.row, part.mask, away))
            return true;
    }
    return false;
}

/* Whether it is one that held_is_stranded() may be asked of. */
static inline bool held_is_at_rendezvous(const struct program *p, const struct strand *s)
{
    return s->held && p->insns[s->pc].class == CLASS_WARP;
}

/* Threads of a strand at a barrier or rendezvous that have passed it. */
static inline struct threads held_passed(struct div_host *host, const struct strand *s)
{
    struct threads passed;
    passed.count = 0;
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        uint32_t mask = part.mask & ~host->calls.row_waiting(host, part.row);
        if (mask)
            threads_add(&passed, part.row, mask);
    }
    return passed;
}

/* A line for the threads that are held, thread 0 first, if there are any. */
static inline void held_print(const struct held *h, int width, struct text *out)
{
    if (!h->all)
        return;
    text_printf(out, "  at a barrier ");
    static_warp_print(h->all, width, out);
    text_printf(out, "\n");
}

/* Marks the PCs behind barriers, at which paths unite. */
static inline void held_mark(const struct program *p, uint8_t *marks)
{
    for (int32_t pc = 0; pc + 1 < p->insn_count; pc++)
        if (p->insns[pc].class == CLASS_BARRIER || p->insns[pc].class == CLASS_WARP)
            marks[pc + 1] = 1;
}

/* Whether a strand that comes to `at` may have opened a barrier for others of its warp. */
static inline bool held_is_behind(const struct program *p, struct point at)
{
    return at.depth == 0 && at.pc > 0 &&
           (p->insns[at.pc - 1].class == CLASS_BARRIER || p->insns[at.pc - 1].class == CLASS_WARP);
}

#endif
