/*
 * Slice warps: narrow warps, each with a reconvergence stack of its own and bound to a slice of the lanes.
 *
 * A static warp of W threads is cut into slice warps of `width` consecutive threads, at most a row. What runs of one is
 * its stack's top; who runs it, alone or with others of its static warp, is said by the mechanism above
 * (div/vws/vws.h).
 */
#ifndef HEDDLE_DIV_PARTS_SLICE_H
#define HEDDLE_DIV_PARTS_SLICE_H

#include "div/parts/held.h"

struct slice {
    struct stack stack;    /* masks count from its first thread */
    struct strand *strand; /* that runs its top; NULL: all its threads ended, or all are held */
    struct held held;      /* threads at barriers that left the stack */
    int32_t row;
    int shift;    /* lane of its first thread */
    int32_t warp; /* its static warp, as the mechanism counts them */
};

struct slices {
    struct div_host *host;
    struct stack_rules rules;
    int width;
    struct vec_of(struct slice) all; /* by first thread / width */
};

void slices_free(struct slices *s);

/* A slice warp for the live threads from `thread` on; false: there are none. */
bool slice_start(struct slices *s, int32_t thread, int32_t warp);
static inline struct slice *slice_of_thread(struct slices *s, int32_t thread)
{
    return &s->all.data[thread / s->width];
}

/* Its threads among these, as its stack counts them. */
static inline uint32_t slice_mask(const struct slices *s, const struct slice *slice, const struct threads *t)
{
    return threads_of_row(t, slice->row) >> slice->shift & bits_below((unsigned)s->width);
}

/* Adds the threads of its top. */
static inline void slice_add_top(const struct slice *slice, struct threads *t)
{
    threads_add(t, slice->row, (uint32_t)slice->stack.data[slice->stack.count - 1].mask << slice->shift);
}

/* Where its top is; of one that went on in a straight line since, only its strand knows. */
static inline struct point slice_at(const struct slice *slice)
{
    return slice->stack.data[slice->stack.count - 1].at;
}
static inline void slice_put(struct slice *slice, struct point at)
{
    slice->stack.data[slice->stack.count - 1].at = at;
}

/* Its threads among the outcomes of the instruction at `pc` leave for there. */
void slice_branch(struct slices *s, struct slice *slice, struct point from, const struct outcome *outcomes, int count);

/* Its top is at a block barrier or rendezvous: whether it must leave the stack, so that other threads of
 * the slice warp can come; and it does. */
bool slice_must_leave(const struct slices *s, const struct slice *slice);
void slice_leave(struct slices *s, struct slice *slice);
/* Threads that left go on at a point, if any of these are. False: there are none. */
bool slice_return(struct slices *s, struct slice *slice, struct point at, uint32_t mask);

/* Panics unless its stack is in order, holds all its live threads, and its strand runs the top. */
void slice_check(const struct slices *s, const struct slice *slice);

#endif
