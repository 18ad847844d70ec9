/*
 * Slice warps: narrow warps, each with a reconvergence stack of its own and bound to a slice of the lanes.
 *
 * A static warp of W threads is cut into slice warps of `width` consecutive threads, at most a row. A slice warp runs
 * the top of its stack. Whether it runs alone or in a gang with other slice warps is decided by the mechanism
 * (div/vws/vws.h).
 */
#ifndef HEDDLE_DIV_PARTS_SLICE_H
#define HEDDLE_DIV_PARTS_SLICE_H

#include "div/parts/held.h"

struct slice {
    struct stack stack;    /* bit 0 of a mask is the slice warp's first thread */
    struct strand *strand; /* the strand that runs the top; NULL: all threads have exited or are held */
    struct held held;      /* threads that wait at barriers outside the stack */
    int32_t row;           /* row of the slice warp's threads */
    int shift;             /* lane of the first thread */
    int32_t warp;          /* number of the static warp, as the mechanism counts */
};

struct slices {
    struct div_host *host;
    struct stack_rules rules;
    int width;
    struct vec_of(struct slice) all; /* by first thread / width */
};

void slices_free(struct slices *s);

/* Makes the slice warp of the live threads from `thread` on. False: there are none. */
bool slice_start(struct slices *s, int32_t thread, int32_t warp);
static inline struct slice *slice_of_thread(struct slices *s, int32_t thread)
{
    return &s->all.data[thread / s->width];
}

/* The threads of the slice warp among `t`, as a mask of its stack. */
static inline uint32_t slice_mask(const struct slices *s, const struct slice *slice, const struct threads *t)
{
    return threads_of_row(t, slice->row) >> slice->shift & bits_below((unsigned)s->width);
}

/* Adds the threads of the top of the slice warp's stack to `t`. */
static inline void slice_add_top(const struct slice *slice, struct threads *t)
{
    threads_add(t, slice->row, (uint32_t)slice->stack.data[slice->stack.count - 1].mask << slice->shift);
}

/* Where the top of the slice warp's stack is. After straight-line advance only the strand has the current PC. */
static inline struct point slice_at(const struct slice *slice)
{
    return slice->stack.data[slice->stack.count - 1].at;
}
static inline void slice_put(struct slice *slice, struct point at)
{
    slice->stack.data[slice->stack.count - 1].at = at;
}

/* Applies the outcomes of the instruction at `from` to the threads of the slice warp. */
void slice_branch(struct slices *s, struct slice *slice, struct point from, const struct outcome *outcomes, int count);

/* The top of the stack is at a block barrier or rendezvous: whether it must leave the stack (div/parts/held.h), and the
 * leaving itself. */
bool slice_must_leave(const struct slices *s, const struct slice *slice);
void slice_leave(struct slices *s, struct slice *slice);
/* Threads of `mask` that had left the stack at a barrier return to it, at `at`. False: none of them had left. */
bool slice_return(struct slices *s, struct slice *slice, struct point at, uint32_t mask);

/* Panics unless the stack is sound, holds all live threads, and the strand runs its top. */
void slice_check(const struct slices *s, const struct slice *slice);

#endif
