/* What the files of compaction frames share: frame.c, frame_warp.c, frame_meeting.c, frame_report.c. */
#ifndef HEDDLE_DIV_PARTS_FRAME_INTERNAL_H
#define HEDDLE_DIV_PARTS_FRAME_INTERNAL_H

#include "div/parts/frame.h"

/* Threads that leave a frame by a return may go to several callers. Stacks inside see one place. */
enum { SOMEWHERE_BACK = 0 };

static inline bool frame_is_root(const struct frame *f)
{
    return !f->parent;
}

/* ---- warps ---- */

uint64_t warp_slots(struct frames *d, const struct threads *t); /* of threads that are all the warp's */
uint64_t warp_slots_among(struct frames *d, const struct warp *w, const struct threads *t); /* of those that are */
void warp_threads(struct frames *d, const struct warp *w, uint64_t slots, struct threads *out);
struct warp *warp_create(struct frames *d, struct frame *f, const struct threads *t, int32_t lineage);
void warp_destroy(struct frames *d, struct warp *w); /* it leaves its frame and its strand, if it has one, is retired */
/* The warp runs what is on top of its stack; or, if it is through, is destroyed: false. */
bool warp_follow(struct frames *d, struct warp *w);
/* Threads of these slots become a warp of their own, in the same frame. It has no strand yet. */
struct warp *warp_split(struct frames *d, struct warp *w, uint64_t slots);
/* It is about to issue the instruction at `next`, and has gone straight on since it was last asked. */
void warp_count_issues(struct warp *w, int32_t next);
bool warp_can_run(const struct warp *w);
void warp_leave_strand(struct frames *d, struct warp *w);

/* ---- frames ---- */

struct frame *frame_open(struct frames *d, struct frame *parent, struct point rpc);
void frame_changed(struct frames *d, struct frame *f);
/* Threads that a group, one warp's, brings to a path. */
void frame_add_pending(struct frame *f, int32_t path, int32_t group, const struct threads *t);
void frame_start_path(struct frames *d, struct frame *f, int32_t path, struct point to, bool compact);
/* Closes meetings that nobody else will come to, and lets frames that are through with a path go on. */
void frame_settle(struct frames *d);
void frame_leave(struct frames *d, const struct frame *f, int member); /* tells the policy that a member will go */
/* A member goes on behind the frame. */
void frame_resume(struct frames *d, struct frame *f, const struct member *m);
/* Starts the next pending path; false: there is none. */
bool frame_next_path(struct frames *d, struct frame *f);

/* ---- meetings ---- */

/* The warp came to a branch and leaves for `paths`. */
void meeting_join(struct frames *d, struct warp *w, int32_t site, struct path *paths, int count);
/* The warp is where it was not before, or can no longer run: meetings that wait for it look again. */
void meeting_note(struct frames *d, struct warp *w, int32_t old_depth);
void meeting_forget(struct frame *f, const struct warp *w); /* its index will be another's */
bool meeting_settle(struct frames *d, struct frame *f);     /* closes one, if any can be closed */
void meeting_close_due(struct frames *d);                   /* those whose deadline has come */
void meeting_drained(struct frames *d, struct meeting *m);  /* another of its warps */

#endif
