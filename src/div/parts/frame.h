/*
 * Compaction frames: thread block compaction for some warps of a block, while the other warps run on. The base of CAPRI
 * (Rhu and Erez, ISCA 2012) and of two-stage synchronisation TBC.
 *
 * Every warp, static or made by the compactor, has its own reconvergence stack (div/parts/stack.h) and is a strand
 * while it runs. Warps that run side by side are in one frame: the static warps of a block in the block's root frame,
 * other warps in the frame that made them. Warps of one frame that reach the same branch may meet:
 *
 *   meeting   The first warp of a frame that reaches a branch opens a meeting. Warps that diverge at the branch wait in
 *             the meeting, if the policy wants that, until no other warp can arrive: every other warp of the frame has
 *             arrived, has exited, has passed the branch's reconvergence point, cannot reach the branch before that
 *             point, or waits at a block barrier, in another meeting, or in a frame. Warps that do not diverge run on
 *             and count as arrived.
 *   frame     The warps that met then become members of a frame. Members wait, in no strand, at the frame's RPC, which
 *             is the branch's reconvergence point. The frame's paths run one after the other, each in compacted warps
 *             or in the members' own grouping; a warp of the frame ends at the RPC. After the last path the members run
 *             on.
 *
 * A warp need not become a member if the branch's reconvergence point is the RPC of the warp's own frame and the warp
 * has nothing else to do before it. Such a warp dissolves, and its threads run on in the frame it was in. So loops do
 * not nest frames.
 *
 * The policy decides who waits and which paths are compacted: CAPRI asks a history table, TSTBC looks at the masks.
 *
 * Block barriers count threads, since a warp may mix threads of several static warps. Threads that wait on a stack or
 * in a frame for threads at a barrier would keep the barrier shut for ever. When no warp of a block can run, such
 * threads are forced on: a pending path starts beside the one that waits, or a warp is split (frame_unblock.c).
 *
 * Masks of a warp are by home slot, so that any warp fits the stack's 64 bits.
 *
 * Time: the compactor makes one warp per cycle, the first at once. A warp dissolves when its instructions are done.
 * Stacks take time as div/parts/stack_time.h says. A frame has one stack entry per path that has not ended; a warp's
 * stack has these entries of all frames around it, and its own. Not modelled: limits on the number of frames, and the
 * time that joining a meeting takes.
 */
#ifndef HEDDLE_DIV_PARTS_FRAME_H
#define HEDDLE_DIV_PARTS_FRAME_H

#include "div/contract/div.h"
#include "div/parts/compact.h"
#include "div/parts/stack.h"
#include "div/parts/warp_buffer.h"

struct frame;
struct frames;
struct meeting;

enum warp_state {
    WARP_RUNS,   /* the warp is a strand */
    WARP_DUE,    /* the compactor will make the warp in a later cycle */
    WARP_MEETS,  /* the strand is parked in a meeting */
    WARP_DRAINS, /* the warp dissolves when its instructions are done */
    WARP_LOOSE,  /* the threads wait at a barrier, each by itself */
    WARP_MEMBER  /* the warp waits for a frame */
};

/* A visit: a warp that is in no compaction frame diverged at a branch and has not reconverged yet. Visits are measured
 * only for a policy that has `visits` and `visited`. */
struct frame_visit {
    int32_t site;    /* index of the branch */
    int32_t height;  /* the visit ends when the warp's stack has this many entries */
    uint64_t since;  /* cycle of the branch */
    uint64_t issued; /* instructions that the warp had issued when it came to the branch */
    uint32_t sides;  /* sides that the warp ran; of a loop, over all iterations */
};

/* A warp of a frame: static, or made by the compactor. What every branch reads or writes stands first, in one cache
 * line of the host. */
struct frame_warp {
    struct stack stack;
    struct strand *strand; /* with WARP_RUNS, WARP_MEETS and WARP_DRAINS; else NULL */
    struct frame *frame;   /* the frame that the warp runs in */
    uint64_t running;      /* with a strand: home slots of its threads, and perhaps of threads that have exited since */
    uint64_t issued;       /* issued instructions, up to the PC `counted`; only if the policy wants visits */
    int32_t counted;       /* likewise: a PC; since then the warp has advanced in a straight line */
    int32_t place;         /* position in `frame->warps` */
    int32_t witnessed;     /* meetings whose witness the warp is */
    enum warp_state state;
    struct vec_of(struct frame_visit) visits; /* open visits, outer ones first; only if the policy wants visits */
    struct meeting *meeting; /* with WARP_DRAINS: the meeting that waits for the warp; NULL: the warp dissolves */
    int32_t index;           /* position in `frames.warps` */
    bool mixed;              /* made by the compactor */
    struct threads threads;  /* all threads that the warp was made from */
    struct stack_usage usage;
    uint64_t part_slots[]; /* home slots of each part; none if `frames.plain` */
};
_Static_assert(offsetof(struct frame_warp, visits) == 64, "the second cache line begins here");

struct frame_warps vec_of(struct frame_warp *);

/* A warp that waits for a frame, which runs the warp's threads meanwhile. */
struct frame_member {
    struct frame_warp *warp;
    int32_t back;   /* if the frame's RPC is the end of a function: the PC that the warp's threads returned to */
    bool emptied;   /* all threads that the warp brought to the branch have exited, and its stack has moved on */
    uint64_t since; /* cycle in which the policy decided that the warp waits for the frame */
};

/* Threads of one row that one warp brought to a path that has not run yet. */
struct frame_pending {
    int32_t path;  /* `id` of the frame's path */
    int32_t group; /* number of the warp, in the order in which warps came to the frame */
    int32_t row;
    uint32_t mask; /* lanes of the row */
};

/* Whether a later path of a frame is compacted. */
enum path_rule { PATH_ALWAYS, PATH_BY_THRESHOLD, PATH_IF_FEWER };

/* A path of a frame that has not run yet. */
struct frame_path {
    struct point to;     /* where the path starts */
    int32_t id;          /* number of the path within the frame */
    int32_t site;        /* index of the branch */
    int before;          /* warps that brought threads to the path */
    enum path_rule rule; /* whether the path is compacted */
};

/* What every branch reads or writes stands first, in one cache line of the host. */
struct frame {
    struct frame *parent;                     /* NULL: the root frame of a block */
    struct frame_warps warps;                 /* the warps of the frame, running or waiting */
    struct vec_of(struct meeting *) meetings; /* open meetings of the frame's warps, oldest first */
    uint64_t rpcs;                            /* point_bit() of the reconvergence points of these meetings */
    uint64_t issued; /* instructions of the frame's warps and of frames inside it, if the policy wants visits */
    int searching;   /* open meetings that have no witness */
    bool changed;    /* the frame is in `frames.changed` */
    bool feeding;    /* the meeting for which the frame was made may still add members */
    struct warp_buffer *buffer; /* of the block: `own_buffer` of its root frame */
    int children;               /* number of frames whose parent this is */
    struct point rpc;           /* where the frame's warps end; of a root frame: the exit of the program */
    int32_t block;              /* the resident block; the block's rows are first_row to first_row + rows - 1 */
    int32_t first_row, rows;
    int level; /* 0: a root */
    struct vec_of(struct frame_member) members;
    struct vec_of(struct frame_path) paths; /* paths that have not run; the last runs next */
    struct vec_of(struct frame_pending) pending;
    int32_t groups;    /* groups that came so far */
    int32_t next_path; /* id of the next path that is added */
    int32_t site;      /* index of the branch at which the frame's members met */
    int saved;         /* warps that compaction saved on the frame's paths */
    struct warp_buffer own_buffer;
};
_Static_assert(offsetof(struct frame, buffer) == 64, "the second cache line begins here");

/* The threads that a warp in a meeting brings to one path. */
struct meeting_side {
    int32_t arrival; /* index of the warp's arrival in the meeting */
    int32_t path;    /* index into the meeting's paths; -1: the threads are at the reconvergence point already */
    struct point to; /* where the threads go */
    uint64_t mask;   /* home slots of the threads */
};

/* A warp that came to a meeting and counts for its compaction. The warp waits, or has run on. */
struct meeting_arrival {
    struct frame_warp *warp;
    uint64_t since;             /* cycle in which the warp arrived */
    uint64_t since_sum;         /* sum of the cycles in which this warp and those before it arrived */
    int first_side, side_count; /* the warp's entries in the meeting's `sides` */
};

/* Stages of two-stage synchronisation (TSTBC). Meetings of other policies stay in the first stage. */
enum meeting_stage {
    STAGE_FIRST, /* the first n warps are awaited */
    STAGE_ALL,   /* all warps that may arrive are awaited */
    STAGE_LATE   /* the first n warps have run on; warps that come later wait for each other */
};

/* What is looked at when a warp of the frame moves stands first, in one cache line of the host. */
struct meeting {
    struct frame_warp *witness;   /* a warp that may still arrive; NULL: to be searched for */
    struct vec_of(uint64_t) came; /* bits by place in the frame: warps that have arrived */
    struct point rpc;             /* the branch's reconvergence point */
    int32_t site;                 /* index of the branch */
    int32_t depth, pc;            /* of the branch */
    bool decided, stalls;         /* whether the policy has decided, and whether divergent warps wait */
    bool closing;                 /* no other warp can arrive */
    bool listed;                  /* the meeting's paths are in the `paths` of the frame */
    struct frame *frame;          /* the frame whose warps meet */
    uint64_t deadline;            /* cycle in which the meeting closes in any case; 0: none */
    struct vec_of(struct meeting_arrival) arrivals;
    struct vec_of(struct meeting_side) sides;
    struct vec_of(struct point) paths; /* targets that are not the reconvergence point; the first runs first */
    int next;                          /* the first arrival that still waits */
    int n;                             /* TSTBC's parameter n when the meeting was opened */
    enum meeting_stage stage;
    int draining;         /* warps that the meeting waits for: they are compacted when their instructions are done */
    int32_t first_path;   /* id of the first path in the frame */
    enum path_rule later; /* the rule for the paths after the first */
    struct frame *opened; /* the frame made for the warps that met; NULL: none yet */
    uint64_t run_at;      /* cycle in which the policy last called meeting_run() */
    uint64_t serial;      /* number of the meeting, in the order of opening */
    uint64_t opened_at;   /* cycle in which the meeting was opened */
};
_Static_assert(offsetof(struct meeting, arrivals) == 64, "the second cache line begins here");

/* Counters of all policies: those of FRAME_COUNTERS below, and those that CAPRI and TSTBC describe in their own
 * files. */
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
    struct stack_time_counters time;
};

/* A policy: which warps wait, and which paths are compacted. */
struct frame_policy {
    /* The first divergent warp has arrived: whether divergent warps wait for each other. */
    bool (*stalls)(struct frames *d, struct meeting *m);
    /* Another warp waits. May be NULL. */
    void (*came)(struct frames *d, struct meeting *m);
    /* No other warp can arrive. Decides about all arrivals that still wait. */
    void (*closed)(struct frames *d, struct meeting *m);
    /* Whether a later path of a frame is compacted, now that all members are known. `after`: the number of compacted
     * warps. */
    bool (*compacts)(struct frames *d, const struct frame_path *path, int after);
    /* `visits`: a warp outside a frame diverged at the branch `site`. `visited`: such a visit has ended, by
     * reconvergence (`through`) or because the warp ended; the warp issued `issues` instructions during the visit. Both
     * NULL: visits are not measured. */
    void (*visits)(struct frames *d, int32_t site);
    void (*visited)(struct frames *d, const struct frame_visit *v, uint64_t issues, bool through);
    /* `entered`: warps became members of the frame. `left`: a member leaves the frame. `ran`: all paths of the frame
     * have run. Each may be NULL. */
    void (*entered)(struct frames *d, const struct frame *f, int members);
    void (*left)(struct frames *d, const struct frame *f, const struct frame_member *m);
    void (*ran)(struct frames *d, const struct frame *f);
    void (*check)(struct frames *d);                        /* may be NULL */
    void (*dump)(const struct frames *d, struct text *out); /* may be NULL */
    void (*destroy)(struct frames *d);
};

/* The state of a mechanism with compaction frames, for one multiprocessor. */
struct frames {
    struct div_host *host;
    const struct frame_policy *policy;
    void *of_policy; /* the policy's own state; only the policy looks inside */
    struct stack_rules rules;
    struct stack_time_knobs time;
    uint64_t timed;   /* entries pushed and popped, of all stacks, up to which the time is taken */
    uint64_t not_now; /* a strand cannot issue before this cycle, whatever its stack does */
    struct frame_counters counters;
    bool filter;     /* warps that do not diverge do not wait */
    bool is_off;     /* compaction is switched off: warps never wait, and every warp runs as under pdom */
    bool drain;      /* a warp is compacted, and a compacted warp dissolves, only when its instructions are done */
    bool waited;     /* warps have waited at a barrier: only then can a block be stuck */
    bool plain;      /* the home slot of a thread is its lane */
    bool takes_time; /* stacks take time, or have a limited capacity */
    struct frame_warps warps, free_warps; /* by index; NULL: no warp has this index */
    struct frame_warps of_strand;         /* by strand id */
    struct vec_of(struct frame *) frames, free_frames, changed;
    struct vec_of(struct meeting *) free_meetings;
    struct vec_of(struct frame_due {
        uint64_t cycle;
        struct frame_warp *warp;
    }) due; /* in order of cycle */
    /* By branch: one bit per PC, set if a warp at the PC may arrive at the branch (frame_meeting.c). NULL: not needed
     * yet. */
    struct vec_of(uint64_t *) reach;
    struct vec_of(struct threads) packed; /* scratch: the warps that the compactor makes */
    uint64_t serial;                      /* number of meetings opened so far */
    uint64_t deadline;                    /* no later than the first deadline of all meetings; 0: none */
    uint64_t called_at;                   /* cycle of the last call */
    uint64_t idle_cycles; /* cycles without a ready strand, if the policy wants visits: frame_unblock.c */
    /* Cycles of the current idle span: its start, up to where it is counted, and when it is looked at again. */
    uint64_t idle_since, idle_until, idle_next;
    uint64_t idle_hold;            /* cycles for which one or two instructions occupy the lanes */
    int residents, most_residents; /* warps in root frames now, and the most so far */
    uint64_t diverged_at;          /* cycle in which a warp last arrived at a meeting, or was forced to split */
};

static inline struct frames *frames_of(struct div *div)
{
    return (struct frames *)div;
}

/* The knob `compaction` of a structure with a field of this name: what Fung and Aamodt describe for thread block
 * compaction (HPCA 2011, section 3.2), so that code that relies on static warps can run. */
#define FRAME_COMPACTION_KNOB(type)                                                                         \
    {                                                                                                       \
        .name = "compaction", .unit = "", .offset = offsetof(type, compaction),                             \
        .meaning = "Whether warps are compacted where it pays (yes), or all run on their own stacks (no).", \
        .kind = KNOB_BOOL, .fallback = 1, .high = 1                                                         \
    }

/* ---- for policies ---- */

struct frames *frame_create(struct div_host *host, const struct frame_policy *policy, bool filter, bool drain,
                            struct stack_time_knobs time);
/* A bit for a PC, of which several PCs share one: a set of PCs that may hold more than were put in. */
static inline uint64_t point_bit(int32_t pc)
{
    return UINT64_C(1) << ((uint32_t)pc & 63);
}

/* The number of compacted warps for the threads that arrivals from `first` on bring to a path. `*before`: the number of
 * these arrivals that bring threads. */
int meeting_lanemax(const struct meeting *m, int path, int first, int *before);
/* Whether the first n arrivals all bring a thread with the same home slot to the first path, so that they fit in no
 * fewer warps. */
bool meeting_collides(const struct meeting *m, int n);
/* Warps saved if all paths of the arrivals from `first` on are compacted. */
int meeting_saved(const struct meeting *m, int first);
/* The meeting closes, although other warps may still arrive. Only for calls from `came`, as the last thing it does. */
void meeting_close(struct frames *d, struct meeting *m);
/* The meeting closes in this cycle, which is in the future, at the latest. */
void meeting_set_deadline(struct frames *d, struct meeting *m, uint64_t cycle);
/* Whether the compactor would save a warp on any path. */
bool meeting_is_adequate(const struct meeting *m);
/* The warps that still wait run on with their own stacks, as under pdom. */
void meeting_release(struct frames *d, struct meeting *m);
/* The warps that still wait become members of the meeting's frame, and its first path runs; with `compact`, after the
 * instructions of all of them are done. `compact` is only for calls from `closed`. */
void meeting_run(struct frames *d, struct meeting *m, bool compact, enum path_rule later);
/* Counts the decision of a meeting, and whether compaction would have saved a warp. */
void meeting_count(struct frames *d, bool stalled, bool adequate);

/* ---- the calls of the contract, for all policies ---- */

void frame_destroy(struct div *div);
void *frame_counters_of(struct div *div);
void frame_prepare(struct div *div, uint8_t *marks);
void frame_launch(struct div *div, int32_t block);
void frame_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count);
void frame_part(struct div *div, struct strand *s, int32_t target, uint32_t taken);
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

/* For a struct div_ops. */
#define FRAME_CALLS                                                                                                   \
    .destroy = frame_destroy, .counters = frame_counters_of, .prepare = frame_prepare, .launch = frame_launch,        \
    .branch = frame_branch, .part = frame_part, .arrive = frame_arrive, .exit = frame_exit, .barrier = frame_barrier, \
    .released = frame_released, .idle = frame_idle, .drained = frame_drained, .tick = frame_tick,                     \
    .check = frame_check, .comes = frame_comes, .why = frame_why, .where = frame_where, .dump = frame_dump

/* Statistics of all policies. */
#define FRAME_COUNTER(field) .name = #field, .offset = offsetof(struct frame_counters, field)
#define FRAME_COUNTERS                                                                                                 \
    {FRAME_COUNTER(stall_stall), .unit = "meetings",                                                                   \
     .meaning = "Meetings whose divergent warps were compacted, which saved warps."},                                  \
        {FRAME_COUNTER(bypass_bypass), .unit = "meetings",                                                             \
         .meaning = "Meetings that were not compacted, and compaction would have saved no warp."},                     \
        {FRAME_COUNTER(stall_bypass), .unit = "meetings",                                                              \
         .meaning = "Meetings that were compacted, which saved no warp."},                                             \
        {FRAME_COUNTER(bypass_stall), .unit = "meetings",                                                              \
         .meaning = "Meetings that were not compacted, although compaction would have saved warps."},                  \
        {FRAME_COUNTER(uniform_meetings), .unit = "meetings",                                                          \
         .meaning = "Meetings at which no warp diverged; not in the four counters above."},                            \
        {FRAME_COUNTER(useful_compactions), .unit = "paths", .meaning = "Paths compacted into fewer warps."},          \
        {FRAME_COUNTER(useless_compactions), .unit = "paths",                                                          \
         .meaning = "Paths compacted into as many warps as before."},                                                  \
        {FRAME_COUNTER(warps_saved), .unit = "warps", .meaning = "Warps saved on compacted paths."},                   \
        {FRAME_COUNTER(waits), .unit = "warps", .meaning = "Warps that waited in a meeting."},                         \
        {FRAME_COUNTER(wait_cycles), .unit = "cycles",                                                                 \
         .meaning = "Cycles that warps waited in meetings, summed over warps."},                                       \
        {FRAME_COUNTER(frames), .unit = "frames", .meaning = "Compaction frames opened."},                             \
        {FRAME_COUNTER(nested_frames), .unit = "frames", .meaning = "Compaction frames opened inside another frame."}, \
        {FRAME_COUNTER(reused_frames), .unit = "meetings",                                                             \
         .meaning = "Meetings whose warps ran on in the frame they were in."},                                         \
        {FRAME_COUNTER(forced_paths), .unit = "paths",                                                                 \
         .meaning = "Paths started before the previous one had ended, because no warp of the block could run."},       \
        {FRAME_COUNTER(forced_splits), .unit = "warps",                                                                \
         .meaning = "Warps split because no warp of the block could run."},                                            \
        STACK_TIME_COUNTERS(struct frame_counters, time),                                                              \
        {FRAME_COUNTER(max_level), .unit = "frames", .meaning = "Most nested frames.", .combine = STAT_MAX},           \
    {                                                                                                                  \
        FRAME_COUNTER(max_depth), .unit = "entries", .meaning = "Most entries that a warp's stack had.",               \
                                  .combine = STAT_MAX                                                                  \
    }

#endif
