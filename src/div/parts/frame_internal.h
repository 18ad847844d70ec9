/* What the files of compaction frames share: frame.c, frame_warp.c, frame_meeting.c, frame_lanes.c,
 * frame_unblock.c, frame_report.c. */
#ifndef HEDDLE_DIV_PARTS_FRAME_INTERNAL_H
#define HEDDLE_DIV_PARTS_FRAME_INTERNAL_H

#include "div/parts/frame.h"

/* Threads that leave a frame by a return may go to several callers. The stacks inside the frame see this one PC
 * instead. */
enum { SOMEWHERE_BACK = 0 };

static inline bool frame_is_root(const struct frame *f)
{
    return !f->parent;
}

/* ---- warps ---- */

/* Home slots of threads that are all of one warp. */
static inline uint64_t warp_slots(struct frames *d, const struct threads *t)
{
    uint64_t slots = 0;
    for (int i = 0; d->plain && i < t->count; i++)
        slots |= t->part[i].mask;
    for (int i = 0; !d->plain && i < t->count; i++)
        slots |= d->host->calls.slots(d->host, t->part[i].row, t->part[i].mask);
    return slots;
}
/* Home slots of those threads of `t` that belong to the warp. */
uint64_t warp_slots_among(struct frames *d, const struct frame_warp *w, const struct threads *t);
/* The warp's threads with these home slots. */
void warp_threads(struct frames *d, const struct frame_warp *w, uint64_t slots, struct threads *out);
/* Makes a warp in the frame. Its stack is empty, and it has no strand yet. */
struct frame_warp *warp_create(struct frames *d, struct frame *f, const struct threads *t);
void warp_destroy(struct frames *d, struct frame_warp *w); /* the warp leaves its frame, and its strand is retired */
/* The warp runs the top of its stack. False: the stack is finished, and the warp is destroyed. */
bool warp_follow(struct frames *d, struct frame_warp *w);
/* The warp's threads leave an instruction for these paths, and its own stack handles divergence. `branch`: the
 * instruction's branch, or NULL. False: the stack is finished, and the warp is destroyed. */
bool warp_branch(struct frames *d, struct frame_warp *w, const struct branch *branch, int32_t depth, struct path *paths,
                 int count);
void warp_hold(struct frames *d, struct frame_warp *w, uint64_t wait); /* keeps the warp's strand for `wait` cycles */
/* The threads of these slots become a new warp in the same frame, without a strand yet. */
struct frame_warp *warp_split(struct frames *d, struct frame_warp *w, uint64_t slots);
/* The warp has issued every instruction before `next` since the last call, in a straight line. */
static inline void warp_count_issues(struct frame_warp *w, int32_t next)
{
    const uint64_t issues = (uint64_t)(next - w->counted);
    w->issued += issues;
    w->frame->issued += issues;
    w->counted = next;
}
void warp_leave_strand(struct frames *d, struct frame_warp *w); /* retires the warp's strand, if it has one */

/* ---- frames ---- */

struct frame *frame_open(struct frames *d, struct frame *parent, struct point rpc);
void frame_changed(struct frames *d, struct frame *f); /* frame_settle() will look at the frame again */
/* Adds the threads that a group (one arriving warp) brings to a path. */
void frame_add_pending(struct frame *f, int32_t path, int32_t group, const struct threads *t);
void frame_start_path(struct frames *d, struct frame *f, int32_t path, struct point to, bool compact);
/* Closes meetings that no other warp can reach, and starts the next path of frames whose path has ended. */
void frame_settle(struct frames *d);
void frame_leave(struct frames *d, const struct frame *f, int member); /* tells the policy that a member leaves */
/* A member runs on behind the frame, after `wait` cycles at least. */
void frame_resume(struct frames *d, struct frame *f, const struct frame_member *m, uint64_t wait);
/* Starts the next pending path; false: there is none. */
bool frame_next_path(struct frames *d, struct frame *f);

/* ---- meetings ---- */

/* The warp reached a branch and leaves for `paths`. */
void meeting_join(struct frames *d, struct frame_warp *w, int32_t site, struct path *paths, int count);
/* The warp has moved, or can no longer run: meetings that wait for it look again. */
void meeting_note_move(struct frames *d, struct frame_warp *w, int32_t old_depth); /* if there are such meetings */
static inline void meeting_note(struct frames *d, struct frame_warp *w, int32_t old_depth)
{
    const struct strand *s = w->strand;
    if (w->witnessed || (s && (s->depth < old_depth || w->frame->rpcs & point_bit(s->pc))))
        meeting_note_move(d, w, old_depth);
}
/* The warp leaves the frame, and `last`, the last of the frame's warps, gets its place. */
void meeting_forget(struct frame *f, const struct frame_warp *w, const struct frame_warp *last);
bool meeting_settle(struct frames *d, struct frame *f);    /* closes one meeting; false: none can be closed */
void meeting_close_due(struct frames *d);                  /* closes the meetings whose deadline has come */
void meeting_drained(struct frames *d, struct meeting *m); /* the instructions of another of its warps are done */

/* The warp runs or will start; it waits for nothing. */
static inline bool warp_can_run(const struct frame_warp *w)
{
    return w->state == WARP_DUE || (w->state == WARP_RUNS && w->strand && !w->strand->held);
}

#endif
