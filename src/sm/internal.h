/* What the files of a multiprocessor share. */
#ifndef HEDDLE_SM_INTERNAL_H
#define HEDDLE_SM_INTERNAL_H

#include "base/bits.h"
#include "base/inline.h"
#include "sm/plan.h"
#include "sm/sm.h"
#include "sm/wheel.h"

#define SM_NEVER UINT64_MAX

enum { SM_MAX_PORTS = 4, SM_NO_COPY = 255, SM_MAX_LOOSE = 4, SM_MAX_POOLS = 65, SM_MAX_IDLE_TICKS = 1 << 16 };
enum { SM_OWN_WRITES = 2 };

/* Of one register of a row, in the exact scoreboard: the lanes whose write is under way. */
struct cell {
    uint64_t due;   /* when the writes of `lanes` are done; those of `loads` are done when memory has answered */
    uint32_t lanes; /* of instructions with a fixed latency */
    uint32_t loads;
};

/* Writes of a register that end at another time than its cell's. */
struct late_write {
    uint64_t due;
    uint32_t lanes;
    int16_t plane;
    int32_t next; /* of the same row, or of the free ones; -1 ends */
};

/* A register that a strand writes, for all its threads. */
struct own_write {
    uint64_t due;
    int16_t plane;
};

/* Of one register of a static warp, and one side of it, in the papers' scoreboards. */
struct warp_cell {
    uint64_t due;
    uint32_t phase; /* of the warp, when its write began; if that is over, the other side waits for it too */
    uint16_t loads;
};

/* Lanes of one row that an access of the memory system brings data for; the first of an access is its ticket. */
struct flight {
    int32_t row, pc;
    uint32_t mask;      /* threads of the strand there */
    uint32_t active;    /* those among them that access */
    int32_t first_lane; /* of `active`, as the memory system counts the access's lanes */
    int32_t strand;
    uint32_t generation;
    uint32_t arrived; /* those whose data is there */
    uint32_t pending; /* those of `mask` whose registers the scoreboard still has as loads */
    int32_t next;     /* of the same access, or of the free ones; -1 ends */
    uint8_t side;
};

/* What the pipeline knows of a strand beside what the strand itself says. */
struct strand_state {
    uint64_t wake_at;      /* the wake event that counts; 0: none */
    uint64_t done_at;      /* when its instructions of fixed latency are done */
    uint64_t others_until; /* when all writes of fixed latency are done that rows know of for its threads */
    struct own_write own[SM_OWN_WRITES]; /* the last ones that it began itself */
    uint8_t own_oldest;
    bool others_load;           /* memory may owe its threads what others loaded */
    uint64_t slices;            /* home slots of the slices that it lies on, where gangs are */
    int32_t loads;              /* accesses of it that are not answered */
    bool in_use, ready, listed; /* listed: to be evaluated when the cycle's issue is done */
    bool resolves;              /* a control instruction is under way */
    bool drains;                /* the mechanism waits until its instructions are done */
    uint8_t class;              /* while ready */
    uint8_t pool;               /* while ready */
    uint8_t port;
    bool fetching;
    uint8_t buffered; /* instructions from `buffer_pc` on that are decoded */
    uint8_t arriving; /* that will be */
    int32_t buffer_pc;
    int32_t route_pc,
        route_depth; /* where all its threads go when its instruction is done, if that is no control instruction */
    uint64_t unused[3];
};
_Static_assert(sizeof(struct strand_state) == 128, "to index them is a shift");

/* Where a control instruction sent a strand's threads, kept until it resolves. Few strands have one under way, so these
 * are apart from the states. */
struct pending_branch {
    int count, capacity;
    struct outcome *outcome;
    struct threads ended;
};

struct resident {
    struct block *block;
    bool in_use;
    int threads; /* whose end has not come */
    int32_t first_row;
    uint64_t age;
    uint64_t busy_until; /* its rows are not given to another block before their writes are done ... */
    int loads;           /* ... and memory has answered */
};

/* The strands that have threads of a row. */
struct row_strands {
    int count;
    int16_t id[ROW_LANES];
};

/* Accesses of one cycle's issue group that go to the memory system as one. */
struct access_group {
    bool is_open;
    struct mem_access access;
    int32_t first, last; /* flights */
    int32_t pc;          /* of the strand that joined last */
};

/* What few machines or mechanisms have. Functions that take traits are compiled for plain machines and for all others. */
struct traits {
    bool every_commit; /* the mechanism hears of every instruction */
    bool mixes_blocks; /* strands have threads of several blocks */
    bool ideal;        /* lanes are the only limit */
    bool is_sliced;    /* strands share the lanes */
    bool has_gangs;    /* slices issue by themselves */
    bool merges_accesses;
    bool fetches; /* through caches */
    bool is_traced;
    bool heeds_idle; /* the mechanism hears of cycles without issue */
    bool syncs;      /* convergence-barrier operations issue */
    bool sets_cost;  /* the mechanism says how long an instruction takes the lanes */
};

struct sm {
    struct div_host host;   /* first: mechanisms hold a pointer to it */
    struct div_wants wants; /* what the mechanism's `create` asked for */
    const struct sm_config *config;
    const struct plans *plans;
    const struct div_ops *ops;
    struct div *div;
    const struct sched_ops *policy;
    struct sched *sched;
    struct engine *engine;
    struct mem *mem;
    struct step step;
    int index;
    bool tells_parts; /* the mechanism hears of loads that are partly back */
    struct traits traits;
    bool plain_cycle, plain_issue; /* it has none of those that the cycle, or the issue, asks for */
    bool commits_issue;            /* none of those that the issue asks for, but that it hears of every instruction */
    bool stays_ready;              /* a strand that issues is ready until it was evaluated again */
    bool
        exact_scoreboard; /* exact, and none of the following; one instruction of a thread does not wait for the last */
    bool by_warp, by_side, single; /* the scoreboard */
    uint64_t now;
    uint64_t open;      /* a strand that is evaluated now can issue in this cycle at the earliest */
    uint64_t next;      /* cycle at which it wants to be called, but for memory's */
    uint32_t waits_for; /* bits of enum mem_kind: ready strands wait for these ports */
    uint64_t settled;   /* cycles up to here are charged */
    int idle_kind;      /* class of the cycles since */
    bool issuing;       /* strands to be evaluated are listed */
    bool is_stopped;    /* in the middle of a cycle: see sm_cycle() */
    bool was_idle;
    bool was_called;                    /* the mechanism, in this cycle */
    bool has_synced;                    /* a barrier operation issued in this cycle */
    int idle_ticks;                     /* in a row, with nothing issued and nothing else under way */
    struct strand *executing;           /* a barrier's or rendezvous' instruction is at work for it */
    struct threads passed;              /* its threads that went through at once */
    struct outcome loose[SM_MAX_LOOSE]; /* threads of the mechanism's that it let go */
    int loose_count;
    uint64_t tick_cycle; /* that the mechanism asked for; SM_NEVER: none */

    int resident_capacity, resident_count, rows_per_block;
    uint64_t resident_threads; /* of the blocks there, as rows hold them */
    uint64_t last_end;         /* cycle at which a block ended last */
    struct resident *residents;
    struct row **rows;
    struct block **row_blocks;
    int32_t *row_resident;
    struct row_strands *row_strands;

    struct strand *strands;
    struct strand_state *states;
    struct pending_branch *pending_branches; /* [strand] */
    struct outcome route; /* what the mechanism is told of an instruction that is done, and sends all threads on */
    int strand_capacity, strand_top, live_strands, ready_count;
    int32_t *free_strands;
    int free_count;
    int32_t *listed;
    int listed_count;
    uint64_t births;
    uint64_t first_cycle_of_new; /* before which new strands may not issue, while a block is launched */

    uint8_t *marks; /* by PC: the mechanism wants arrive */
    int plane_count;
    uint64_t *row_until; /* [row]: when all writes of fixed latency are done that are noted with it */
    struct cell *cells;  /* [row][plane]; NULL if the mechanism lets threads have one instruction in flight only */
    int32_t *late_of_row;
    struct vec_of(struct late_write) late;
    int32_t free_late;
    struct warp_cell *warp_cells; /* [static warp][side][plane] */
    uint32_t *warp_phases;        /* [static warp]: how often its paths parted or ended, with the dual scoreboard */
    unsigned cell_lanes;          /* of a warp, or of a slice that has a scoreboard of its own */
    int warps_per_row;

    struct vec_of(struct flight) flights;
    int32_t free_flight;
    int memory_pending; /* accesses not answered */
    struct access_group group;

    struct wheel wheel;
    uint64_t *unit_free[SM_UNIT_COUNT];  /* by copy: cycle from which it takes another instruction */
    uint64_t unit_next[SM_UNIT_COUNT];   /* the first of them */
    uint64_t *slice_free[SM_UNIT_COUNT]; /* [copy][slice], of units that slices have a share of; NULL: shared by all */
    uint64_t slice_last[SM_UNIT_COUNT];  /* the last of them */
    uint64_t busy_slots[SCHED_MAX_CLASSES]; /* by class: home slots of slices whose share is busy, for a port's pick */
    uint8_t
        group_copy[SM_UNIT_COUNT]; /* that a port's issue group took in this cycle; SM_NO_COPY: none, or no slices */
    uint64_t ideal_free;           /* cycle from which the lanes take another group */
    int class_ready[SCHED_MAX_CLASSES], port_ready[SM_MAX_PORTS]; /* ready strands */
    int pool_ready[SM_MAX_PORTS][SM_MAX_POOLS];
    uint32_t ready_classes; /* bits */
    uint32_t
        class_ports[SCHED_MAX_CLASSES]; /* memory ports that hold up an instruction of the class, as bits of kinds */
    uint32_t passes;                    /* of a whole strand through the lanes */
    uint64_t all_slots;
    uint32_t slice_lanes, slices; /* lanes of a slice, how many there are; one: no slices */
    struct fetch *fetch;
    struct static_lines *static_lines; /* NULL: threads of a static warp stay together, or there are no warps */

    struct sm_site *sites; /* by PC */
    struct trace *trace;
    struct sm_stats stats;
};

static inline uint64_t sm_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t sm_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What issuing the strand's next instruction, or barrier operation, takes. */
static inline const struct plan *sm_plan_of(const struct sm *sm, const struct strand *s)
{
    return &sm->plans->at[s->syncs ? sm->plans->sync : s->pc];
}

/* After each call of the mechanism. In builds that check themselves: nothing is lost, in the pipeline and in it. */
void strands_check(const struct sm *sm);
static inline void sm_called(struct sm *sm)
{
    sm->was_called = true;
#ifdef HEDDLE_CHECKS
    strands_check(sm);
#endif
}

/* strands.c: the div_host interface, the thread map, readiness */
void strands_init(struct sm *sm);
void strands_deliver_loose(struct sm *sm); /* after a step: to the mechanism, all of one place together */
void strands_released(void *context, int32_t row, int32_t pc, int32_t depth, uint32_t mask);
/* Computes whether the strand can issue, or when, and tells the scheduler if that changed. */
void strand_evaluate(struct sm *sm, struct strand *s);
/* The same of one that has just issued, where its port issues no other in the cycle: it need not be listed. */
void strand_evaluate_at_once(struct sm *sm, struct strand *s);
void strand_wake(struct sm *sm, struct strand *s); /* at the cycle that its evaluation said */
void strand_unready(struct sm *sm, struct strand *s);
void strand_drain(struct sm *sm,
                  struct strand *s); /* tells the mechanism if it drains and all its instructions are done */
void strand_lose(struct sm *sm, struct strand *s, int32_t row, uint32_t mask); /* threads that ended */
void strands_evaluate_listed(struct sm *sm);                                   /* after the cycle's issue */
int32_t strand_of_thread(const struct sm *sm, int32_t row, int lane);          /* id, or -1 */
static inline struct strand *strand_if_current(struct sm *sm, int32_t id, uint32_t generation)
{
    return sm->states[id].in_use && sm->strands[id].generation == generation ? &sm->strands[id] : NULL;
}

/* access.c: the way to the memory system and back */
/* The strand's accesses, noted in sm->step, join the cycle's group. False: they do not fit into it. */
bool access_join(struct sm *sm, struct strand *s, const struct plan *p, const struct step_access *a, bool wants_reply);
void access_send(struct sm *sm); /* the cycle's group, if there is one */
void access_take_replies(struct sm *sm);

/* fetch.c: instruction supply through caches; only where the machine has it */
struct fetch *fetch_create(struct sm *sm);
void fetch_destroy(struct fetch *f);
bool fetch_has(struct sm *sm, struct strand *s); /* its next instruction; if not, it is asked for */
void fetch_used(struct sm *sm, struct strand *s);
void fetch_done(struct sm *sm, int32_t strand, uint32_t generation);
void fetch_reply(struct sm *sm, uint32_t ticket);
void fetch_cycle(struct sm *sm);
uint64_t fetch_next(const struct sm *sm); /* cycle at which it wants a turn */
bool fetch_waits(const struct sm *sm);    /* ... or it does when the L1 takes a miss, or a line comes */
enum { FETCH_TICKET = 1 << 30 };          /* tickets from here on are fetches */

/* static_lines.c: transactions of static warps; only where threads of one may be in several strands */
struct static_lines *static_lines_create(const struct sm *sm, const struct mem_config *memory);
void static_lines_destroy(struct static_lines *h);
void static_lines_launch(struct sm *sm, int32_t first_row, int rows);         /* a block begins */
void static_lines_jump(struct sm *sm, int32_t from, const struct outcome *o); /* threads leave a control instruction */
void static_lines_access(struct sm *sm, const struct strand *s, const struct step_access *a);

/* issue.c */
enum issue_result { ISSUE_DONE, ISSUE_REFUSED, ISSUE_FAULT };
enum issue_result issue_strand(struct sm *sm, struct strand *s, int port);
void issue_resolve(struct sm *sm, struct strand *s);  /* its control instruction is done */
void issue_complete(struct sm *sm, struct strand *s); /* its straight instruction is done; only with every_commit */
/* A barrier or rendezvous let all its threads go. */
void issue_pass(struct sm *sm, struct strand *s, int32_t pc, int32_t depth);

#endif
