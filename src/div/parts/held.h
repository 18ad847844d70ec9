/*
 * Threads of a warp that wait at a block barrier or at a rendezvous (the meeting of a warp-level `.sync` operation) in
 * no strand, while other paths of the warp run.
 *
 * A mechanism that keeps a reconvergence stack, or a similar table, may bring the threads of a warp to a barrier path
 * by path: if one side of a branch can exit, the branch's post-dominator may lie behind the barrier. A barrier counts
 * threads, so the paths that have not arrived yet must be able to run. The rule for all such mechanisms:
 *
 *   arrive   A path that is not the whole warp leaves the stack at a barrier, as if its threads had exited; the entry
 *            that waited for the path at a reconvergence point then runs. A path that is the whole warp stays in the
 *            stack, and its strand is held.
 *   return   Threads that the barrier releases enter the stack again as a path without a reconvergence point. At call
 *            depth 0 they are one path, however they arrived: every live thread of the warp was at the barrier, so the
 *            warp reconverges there. In a function, threads of different paths may have different callers, so each path
 *            returns by itself.
 *   unite    The path whose arrival opened the barrier never left the stack. It absorbs the others just behind the
 *            barrier.
 *
 * The rule holds at a rendezvous too. There a warp narrower than a row may wait only for threads of other warps; but
 * those may in turn wait for threads that this path would keep from running.
 */
#ifndef HEDDLE_DIV_PARTS_HELD_H
#define HEDDLE_DIV_PARTS_HELD_H

#include "base/vec.h"
#include "div/parts/point.h"
#include "div/parts/static_warp.h"

struct held {
    uint64_t all;                   /* all threads of the warp that are held */
    struct vec_of(uint64_t) groups; /* in order of arrival: the threads of each path */
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

/* Removes from `*released` the next threads that return as one path, at call depth `depth`. 0: none are left. */
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

/* Whether a path at a block barrier or rendezvous must leave the stack: other live threads of the warp are elsewhere or
 * have passed, and the barrier may need them. */
static inline bool held_leaves(struct div_host *host, const struct static_warp *w, const struct strand *s)
{
    uint64_t own = static_warp_mask(w, &s->threads), live = static_warp_live(host, w);
    return s->waiting != s->size || live & ~own;
}

/* Whether a strand at a rendezvous waits for a thread that cannot run: a thread in no strand, or in a parked one. */
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

/* Whether the strand is held at a rendezvous, so that held_is_stranded() applies. */
static inline bool held_is_at_rendezvous(const struct program *p, const struct strand *s)
{
    return s->held && class_is_warp_level(p->insns[s->pc].class);
}

/* The threads of a strand at a barrier or rendezvous that have passed already. */
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

/* Prints one line with the held threads, thread 0 first; nothing if there are none. */
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
        if (p->insns[pc].class == CLASS_BARRIER || class_is_warp_level(p->insns[pc].class))
            marks[pc + 1] = 1;
}

/* Whether `at` is just behind a barrier, so that a strand there may have opened it for other paths of the warp. */
static inline bool held_is_behind(const struct program *p, struct point at)
{
    return at.depth == 0 && at.pc > 0 &&
           (p->insns[at.pc - 1].class == CLASS_BARRIER || class_is_warp_level(p->insns[at.pc - 1].class));
}

#endif
