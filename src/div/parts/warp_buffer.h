/*
 * The warp buffer: which slot of it, and so which scheduler, a warp gets that a compactor made.
 *
 * The warps of a block, or of a large warp, have one slot each. A strand's lineage is its slot's number, and a
 * multiprocessor with several schedulers gives slot n to scheduler n modulo their number, as GPGPU-Sim does with warps.
 * A warp that dissolves frees its slot; a new warp takes the slot that has been free for longest. The free slots are a
 * queue, as in the warp pool of dynamic warp formation (GPGPU-Sim 2.1.1b, dwf.cc), whose place the warp buffer of
 * thread block compaction takes (Fung and Aamodt, HPCA 2011, section 3.2). Were the first free slot taken instead, the
 * single warps that compaction leaves would all come to one scheduler.
 *
 * One active mask never makes more warps than there are slots. Two paths that run side by side may: then slots are
 * shared, in turn.
 */
#ifndef HEDDLE_DIV_PARTS_WARP_BUFFER_H
#define HEDDLE_DIV_PARTS_WARP_BUFFER_H

#include "base/vec.h"

struct warp_buffer {
    int32_t first;                /* number of the first slot */
    int head, free;               /* of `queue`: position of the first free slot, and how many are free */
    int shared;                   /* the slot that was shared last */
    struct vec_of(int32_t) queue; /* ring of free slots, counted from `first` */
    struct vec_of(int32_t) users; /* by slot: warps that have it */
};

/* All slots become free: `count` of them, at least 1, from number `first` on. */
static inline void warp_buffer_open(struct warp_buffer *s, int32_t first, int count)
{
    s->first = first;
    s->head = s->shared = 0;
    s->free = count;
    s->queue.count = s->users.count = 0;
    vec_extend(&s->users, count);
    for (int i = 0; i < count; i++)
        vec_push(&s->queue, i);
}

static inline void warp_buffer_close(struct warp_buffer *s)
{
    vec_free(&s->queue);
    vec_free(&s->users);
}

/* A place of a ring. A place behind the last one, by less than a round, is counted from the first again, without a
 * division, which would take the host long. */
static inline int warp_buffer_wrap(int place, int count)
{
    return place < count ? place : place - count;
}

/* The slot of a new warp, as a lineage. */
static inline int32_t warp_buffer_take(struct warp_buffer *s)
{
    int32_t slot;
    if (s->free) {
        slot = s->queue.data[s->head];
        s->head = warp_buffer_wrap(s->head + 1, s->queue.count);
        s->free--;
    } else {
        slot = s->shared = warp_buffer_wrap(s->shared + 1, s->users.count);
    }
    s->users.data[slot]++;
    return s->first + slot;
}

/* A warp with this lineage has dissolved. */
static inline void warp_buffer_give(struct warp_buffer *s, int32_t lineage)
{
    int32_t slot = lineage - s->first;
    if (--s->users.data[slot])
        return;
    s->queue.data[warp_buffer_wrap(s->head + s->free, s->queue.count)] = slot;
    s->free++;
}

#endif
