/*
 * Compaction frames: thread block compaction for some warps of a block, while the others go on by themselves.
 *
 * Every warp, static or made by the compactor, has a reconvergence stack of its own (div/parts/stack.h) and is a
 * strand while it runs. Warps that run side by side are in one frame: the static warps of a block in its
 * root, others in the frame that made them. Where they come to the same branch they may meet:
 *
 *   a meeting    is opened by the first warp of a frame that comes to a branch. Warps that part ways there
 * wait in it, if the policy wants that, until nobody else will come: every other warp of the frame has come,
 * has ended, has passed the post-dominator, cannot reach the branch without passing it, or waits at a block
 *                barrier, in another meeting or in a frame. Warps that do not part go straight on and count
 * as come a frame      then takes the warps that met. They are its members and wait, in no strand, at its
 * RPC, which is the branch's post-dominator. Its paths run one after the other, each as compacted warps or as
 * the members were grouped; a warp of it ends at the RPC. Behind the last path the members go on
 *
 * A warp that met at a branch whose post-dominator is its own frame's RPC, with nothing left to do before
 * that, need not wait: it dissolves, and what it would have done goes on in the frame it was in. So loops do
 * not nest frames.
 *
 * The policy says who waits and which paths are compacted: CAPRI asks a history table, TSTBC looks at the
 * masks.
 *
 * Block barriers count threads, since a warp may mix static warps. Threads that wait on a stack or in a frame
 * behind others that stand at a barrier would keep it shut for ever. When no warp of a block can run, they
 * are let go: a pending path starts beside the one that waits, or a warp is split.
 *
 * Masks of a warp are by home slot, so that a warp of any threads fits the stack's 64 bits.
 *
 * Time: the compactor gives a warp a cycle, the first at once. A warp is dissolved when its instructions are
 * done. Not modelled: frames and stacks of limited capacity, and the time that joining a meeting takes.
 */
#ifndef HEDDLE_DIV_PARTS_FRAME_H
#define HEDDLE_DIV_PARTS_FRAME_H

#include "div/contract/div.h"
#include "div/parts/compact.h"
#include "div/parts/stack.h"

struct frame;
struct frames;
struct meeting;

enum warp_state {
    WARP_RUNS,   /* is a strand */
    WARP_DUE,    /* the compactor is about to give it */
    WARP_MEETS,  /* its strand is parked in a meeting */
    WARP_DRAINS, /* is to be dissolved when its instructions are done */
    WARP_LOOSE,  /* its threads are at a barrier, one by one */
    WARP_MEMBER  /* waits for a frame */
};

/* A warp parted by itself at a branch, and has not come to the post-dominator with all its threads. */
struct visit {
    int32_t site;   /* index of the branch */
    int32_t height; /* entries of the warp's stack when it has */
    uint64_t since, issued;
    uint32_t sides; /* that it ran; of a loop, over all rounds */
};

struct warp {
    struct stack stack;
    struct strand *strand; /* WARP_RUNS, WARP_MEETS, WARP_DRAINS */
    struct frame *frame;   /* that it runs in */
    enum warp_state state;
    bool mixed;              /* the compactor made it */
    struct meeting *meeting; /* WARP_DRAINS: whose frame waits for it; NULL: it is at its frame's RPC */
    int32_t index;           /* in the multiprocessor's list of warps */
    int32_t place;           /* in its frame's list */
    int32_t lineage;
    struct threads threads;                /* all that it was made of */
    uint64_t part_slots[STRAND_MAX_PARTS]; /* home slots of each part */
    /* If the policy wants visits: */
    uint64_t issued;                    /* instructions, up to `counted` */
    int32_t counted;                    /* PC; from there it has gone straight on */
    struct vec_of(struct visit) visits; /* open ones; those within others come later */
};

struct warps vec_of(struct warp *);

struct member {
    struct warp *warp;
    int32_t back;   /* if the RPC is a function's end: where its threads returned to */
    bool emptied;   /* all threads of the entry that came to the branch ended; its stack has gone on */
    uint64_t since; /* when it was decided that it waits for the frame */
};

/* Threads of a pending path that one member brought. */
struct pending {
    int32_t path, group, row;
    uint32_t mask;
};

enum path_rule { PATH_ALWAYS, PATH_BY_THRESHOLD, PATH_IF_FEWER }; /* whether a later path is compacted */

struct frame_path {
    struct point to;
    int32_t id;
    int32_t site; /* index of the branch */
    int before;   /* warps that brought threads */
    enum path_rule rule;
};

struct frame {
    struct frame *parent; /* NULL: a block's root */
    int32_t block, first_row, rows;
    struct point rpc;
    struct warps warps; /* that run in it, and those of them that wait */
    int children;       /* frames whose parent it is */
    int level;
    bool feeding; /* the meeting that it is for goes on */
    bool changed; /* is in the list of frames to look at */
    struct vec_of(struct member) members;
    struct vec_of(struct frame_path) paths; /* pending; the last is the next */
    struct vec_of(struct pending) pending;
    struct vec_of(int32_t) lineages; /* by group */
    struct vec_of(struct meeting *) meetings;
    int32_t next_path;
    int32_t site;    /* index of the branch that its members met at */
    uint64_t issued; /* instructions of its warps and those of frames within, if the policy wants visits */
    int saved;       /* warps that its compacted paths had less */
};

/* What a warp that met brings to a path. */
struct side {
    int32_t arrival, path; /* path -1: it is at the post-dominator already */
    struct point to;
    uint64_t mask;
};

struct arrival {
    struct warp *warp; /* waits, or has gone on */
    uint64_t since;
    int first_side, side_count;
};

enum meeting_stage { STAGE_FIRST, STAGE_ALL, STAGE_LATE }; /* TSTBC's; others stay in the first */

struct meeting {
    struct frame *frame;  /* whose warps meet */
    struct frame *opened; /* made for those that met, or NULL */
    int32_t pc, depth;
    int32_t site; /* index of the branch */
    struct point rpc;
    bool decided, stalls; /* whether warps that part wait here */
    bool closing;         /* nobody else will come */
    bool listed;          /* its paths are in the frame's list */
    int draining;         /* warps that it waits for so that they can be compacted */
    enum path_rule later; /* of the paths behind the first, when they are */
    uint64_t run_at;      /* when that was decided */
    uint64_t deadline;    /* cycle at which it closes whoever may still come; 0: none */
    int n;                /* TSTBC's, that it was opened under */
    enum meeting_stage stage;
    uint64_t serial, opened_at;
    struct warp *witness;         /* somebody it waits for; NULL: to be looked for */
    struct vec_of(uint64_t) came; /* by index of warp */
    struct vec_of(struct arrival) arrivals;
    int next;                          /* first arrival that still waits */
    struct vec_of(struct point) paths; /* that do not lead to the post-dominator at once; the first runs first */
    struct vec_of(struct side) sides;
    int32_t first_path; /* id in the frame of the first */
};

struct frame_counters {
    uint64_t stall_stall, bypass_bypass, stall_bypass, bypass_stall, uniform_meetings;
    uint64_t useful_compactions, useless_compactions, warps_saved;
    uint64_t waits, wait_cycles;
    uint64_t frames, nested_frames, reused_frames, max_level, max_depth;
    uint64_t forced_paths, forced_splits;
    uint64_t table_hits, table_misses, table_evictions;
    uint64_t stages_released, stages_all;
    uint64_t picked_none, picked_two, picked_four, picked_all, inadequate;
    uint64_t slots_saved, delay_cycles, deadlines;
};

/* Who waits, and what is compacted. */
struct frame_policy {
    /* The first warp that parts ways came: will those that part wait for each other? */
    bool (*stalls)(struct frames *d, struct meeting *m);
    /* Another one waits. May be NULL. */
    void (*came)(struct frames *d, struct meeting *m);
    /* Nobody else will come. Decides on all arrivals that still wait. */
    void (*closed)(struct frames *d, struct meeting *m);
    /* Whether a later path of a frame, now that all its members are there, is to be compacted; `after`: into
     * how many warps. */
    bool (*compacts)(struct frames *d, const struct frame_path *path, int after);
    /* A warp parted by itself; it came through, or ended before. NULL, both: visits are not noted. */
    void (*visits)(struct frames *d, int32_t site);
    void (*visited)(struct frames *d, const struct visit *v, uint64_t issues, bool through);
    /* Of a frame: warps become its members; one leaves; all paths have been run. May be NULL. */
    void (*entered)(struct frames *d, const struct frame *f, int members);
    void (*left)(struct frames *d, const struct frame *f, const struct member *m);
    void (*ran)(struct frames *d, const struct frame *f);
    void (*check)(struct frames *d);                        /* may be NULL */
    void (*dump)(const struct frames *d, struct text *out); /* may be NULL */
    void (*destroy)(struct frames *d);
};

struct frames {
    struct div_host *host;
    const struct frame_policy *policy;
    void *of_policy;
    struct stack_rules rules;
    struct frame_counters counters;
    bool filter; /* warps that do not part ways do not wait */
    bool drain;  /* a warp is compacted, and a compacted one dissolves, only when its instructions are done */
    bool waited; /* warps have stood at a barrier: only then can a block be stuck */
    bool plain;  /* home slots of a row are its lanes */
    struct warps warps, free_warps; /* by index: NULL where there is none */
    struct warps of_strand;         /* by strand id */
    struct vec_of(struct frame *) frames, free_frames, changed;
    struct vec_of(struct meeting *) free_meetings;
    struct vec_of(struct due {
        uint64_t cycle;
        struct warp *warp;
    }) due;                          /* in order of cycle */
    struct vec_of(uint64_t *) reach; /* by branch: bits of blocks from which it is reached before its post-dominator */
    struct vec_of(struct threads) packed; /* what the compactor gives; scratch */
    uint64_t serial;
    uint64_t deadline;    /* the first of all meetings, or an earlier cycle; 0: none */
    uint64_t called_at;   /* cycle of the last call */
    uint64_t idle_cycles; /* in which nothing was ready, if the policy wants visits: see frame_report.c */
    uint64_t idle_since, idle_until, idle_next; /* the present span: its start, counted up to, looked at again */
    int residents, most_residents;              /* warps in root frames; at a time so far */
    uint64_t parted_at; /* cycle at which a warp last came to a meeting that it may have to wait in, or was split */
};

static inline struct frames *frames_of(struct div *div)
{
    return (struct frames *)div;
}

/* ---- for policies ---- */

struct frames *frame_create(struct div_host *host, const struct frame_policy *policy, bool filter, bool drain);
/* Into how many warps the arrivals from `first` on pack on a path; and how many of them bring threads to it.
 */
int meeting_lanemax(const struct meeting *m, int path, int first, int *before);
/* The same of the arrivals from `first` on, before `end`. */
int meeting_lanemax_among(const struct meeting *m, int path, int first, int end, int *before);
/* Those that wait will not wait beyond this cycle, which is to come. */
void meeting_set_deadline(struct frames *d, struct meeting *m, uint64_t cycle);
/* Whether the compactor would save a warp on any path. */
bool meeting_is_adequate(const struct meeting *m);
/* Those that still wait go on by themselves, as under pdom. */
void meeting_release(struct frames *d, struct meeting *m);
/* Those that still wait become members of the meeting's frame, and its first path runs; if compacted, when
 * all of them have drained. Compaction is for `closed` alone. */
void meeting_run(struct frames *d, struct meeting *m, bool compact, enum path_rule later);
void meeting_count(struct frames *d, bool stalled, bool adequate);

/* ---- the contract's calls, the same for all policies ---- */

void frame_destroy(struct div *div);
void *frame_counters_of(struct div *div);
void frame_prepare(struct div *div, uint8_t *marks);
void frame_launch(struct div *div, int32_t block);
void frame_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count);
void frame_arrive(struct div *div, struct strand *s);
void frame_exit(struct div *div, struct strand *s, const struct threads *ended);
void frame_barrier(struct div *div, struct strand *s, int32_t block, int id);
void frame_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads);
void frame_idle(struct div *div);
void frame_drained(struct div *div, struct strand *s);
void frame_tick(struct div *div);
void frame_check(struct div *div);
bool frame_comes(struct div *div, int32_t row, int lane, uint64_t since);
void frame_why(struct div *div, const struct strand *s, struct text *out);
int32_t frame_where(struct div *div, int32_t row, int lane);
void frame_dump(struct div *div, struct text *out);

/* Of a struct div_ops. */
#define FRAME_CALLS                                                                                            \
    .destroy = frame_destroy, .counters = frame_counters_of, .prepare = frame_prepare, .launch = frame_launch, \
    .branch = frame_branch, .arrive = frame_arrive, .exit = frame_exit, .barrier = frame_barrier,              \
    .released = frame_released, .idle = frame_idle, .drained = frame_drained, .tick = frame_tick,              \
    .check = frame_check, .comes = frame_comes, .why = frame_why, .where = frame_where, .dump = frame_dump

/* What all of them count. */
#define FRAME_COUNTER(field) .name = #field, .offset = offsetof(struct frame_counters, field)
#define FRAME_COUNTERS                                                                                                 \
    {FRAME_COUNTER(stall_stall), .unit = "meetings",                                                                   \
     .meaning = "warps that parted were compacted, and it saved some"},                                                \
        {FRAME_COUNTER(bypass_bypass), .unit = "meetings", .meaning = "they were not, and it would not have"},         \
        {FRAME_COUNTER(stall_bypass), .unit = "meetings", .meaning = "they were, in vain"},                            \
        {FRAME_COUNTER(bypass_stall), .unit = "meetings",                                                              \
         .meaning = "they were not, though it would have saved some"},                                                 \
        {FRAME_COUNTER(uniform_meetings), .unit = "meetings",                                                          \
         .meaning = "at which no warp parted ways; not in the four above"},                                            \
        {FRAME_COUNTER(useful_compactions), .unit = "paths", .meaning = "compacted into fewer warps"},                 \
        {FRAME_COUNTER(useless_compactions), .unit = "paths", .meaning = "compacted into as many warps"},              \
        {FRAME_COUNTER(warps_saved), .unit = "warps", .meaning = "that compacted paths had less"},                     \
        {FRAME_COUNTER(waits), .unit = "warps", .meaning = "that waited in a meeting"},                                \
        {FRAME_COUNTER(wait_cycles), .unit = "cycles", .meaning = "that they waited, each for itself"},                \
        {FRAME_COUNTER(frames), .unit = "frames", .meaning = "compaction frames opened"},                              \
        {FRAME_COUNTER(nested_frames), .unit = "frames", .meaning = "of these, those within another"},                 \
        {FRAME_COUNTER(reused_frames), .unit = "meetings",                                                             \
         .meaning = "whose warps went on in the frame they were in"},                                                  \
        {FRAME_COUNTER(forced_paths), .unit = "paths",                                                                 \
         .meaning = "started before the one before had ended, because no warp of the block could run"},                \
        {FRAME_COUNTER(forced_splits), .unit = "warps", .meaning = "parted for the same reason"},                      \
        {FRAME_COUNTER(max_level), .unit = "frames", .meaning = "most frames within each other", .combine = STAT_MAX}, \
    {                                                                                                                  \
        FRAME_COUNTER(max_depth), .unit = "entries", .meaning = "most entries a warp's stack had", .combine = STAT_MAX \
    }

#endif
