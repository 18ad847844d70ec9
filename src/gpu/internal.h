/*
 * A launch on a machine while it runs: what gpu.c, dispatch, windows, counters and launch_fault share.
 *
 * gpu.c sets the launch up and takes it down. windows.c moves time. dispatch.h gives blocks to multiprocessors (SMs).
 * counters.c adds counters up. launch_fault.c ends a launch that cannot go on.
 */
#ifndef HEDDLE_GPU_INTERNAL_H
#define HEDDLE_GPU_INTERNAL_H

#include "exec/engine.h"
#include "gpu/gpu.h"
#include "gpu/livelock.h"
#include "gpu/prepared.h"
#include "mem/clock.h"
#include "sm/sm.h"

/* The window at work. */
struct gpu_window {
    uint64_t first, last;   /* core cycles */
    uint64_t lead;          /* core cycle up to which SMs may run with all they do (lead.h); at least `last` */
    uint64_t ahead;         /* core cycle up to which SMs that are alone may run; at least `last` */
    int *turns, turn_count; /* numbers of the SMs that may have something to do in it */
    /* [sm] 0, or 1 more than the number of the hand in which the SM stopped before something that others could see */
    int *stopped_in;
    struct hand_turn *own_turns; /* [sm_count] room for turns in the window's second part */
};

/* How far SMs may run past the window (lead.h). */
struct gpu_lead {
    bool may;              /* they may */
    bool reads_shared;     /* some reads may see what another SM writes: they wait for the window of their cycle */
    uint64_t cycles;       /* SMs run to the next multiple of so many core cycles */
    uint64_t *unpublished; /* [sm] cycle of the SM's first write that others do not see yet; UINT64_MAX: none */
    struct fault **fault;  /* [sm] a fault that the SM made past the window; NULL: none */
};

/* Host threads of the launch. */
struct gpu_hands {
    struct crew *crew; /* NULL: the caller alone */
    struct hand *at;   /* [count] what each of them has (hands.h) */
    int count;
    int at_work;       /* so many of them, the first ones, run the SMs of the window */
    struct pace *pace; /* whether they are faster together (pace.h) */
};

struct gpu {
    const struct gpu_run *run;  /* what the caller asked for; only read */
    struct engine *engine;      /* executes the instructions' effects; knows no time */
    struct mem *mem;            /* the memory system of the whole machine */
    struct ideal_memory *ideal; /* for mechanisms with DIV_IDEAL_LANES; else NULL */
    struct divider by_quantum;  /* divides by the length of a window, in core cycles */
    struct prepared *prepared;  /* what all SMs share of the code; NULL: the launch was refused */
    struct storage *storage;    /* what the SMs are kept in: the run's, or `own_storage` */
    struct storage own_storage; /* of a launch after which nothing is kept */
    struct sm **sms;            /* [sm_count] the SMs that get blocks: no more SMs than blocks */
    int sm_count;
    uint64_t idle_sm_count; /* SMs of the machine that get no block */
    uint64_t *due;          /* [sm] next core cycle at which the SM can do anything, as far as the SM knows */
    /* [sm] all ones: no wake-up from the memory side can change the SM before `due`; else 0. */
    uint64_t *ignores_memory;
    struct gpu_window window;
    struct gpu_lead lead;
    struct gpu_hands hands;
    uint64_t next_block, block_count;   /* the next block to give to an SM, and the blocks of the launch */
    int cluster_size;                   /* blocks that are given to SMs in one cycle */
    bool spreads;                       /* no SM has room for a whole cluster: each goes to several */
    bool is_one_round;                  /* all blocks were given to SMs at the start */
    uint64_t wave_blocks;               /* blocks that the SMs hold at once */
    uint64_t ask_at;                    /* the block at which the skipper is asked next; UINT64_MAX: never */
    bool is_halted;                     /* blocks without time made a fault */
    struct functional_stretch *stretch; /* executes blocks without time; NULL before the first */
    struct gpu_result *result;
    double dispatcher_free; /* core cycle from which on the dispatcher can start another block; with block_interval */
    uint64_t start;         /* core cycle before the launch's first; memory's time goes on from launch to launch */
    uint64_t now;           /* all core cycles up to this one are done */
    uint64_t end;           /* last core cycle of the launch */
    void *memory_before[MEM_OWNERS]; /* copies of the memory system's counters when the launch began */
    uint64_t interval_at;            /* core cycle at which the next interval is to be reported */
    uint64_t report_ms;              /* host time of the next report of progress, in milliseconds */
    const struct site *sites;        /* [PC] counters of the launch */
    int32_t site_count;
    struct deadlock_scene scene; /* what deadlock and livelock reports look at */
    struct livelock livelock;
};

/* The last cycle of the window that holds the cycle. */
static inline uint64_t gpu_window_end(const struct gpu *g, uint64_t cycle)
{
    return (divide(g->by_quantum, cycle) + 1) * g->by_quantum.by - 1;
}

/* windows.c: runs all blocks. False after a fault, which is then in the result. */
bool windows_run(struct gpu *g, struct gpu_result *result);
/* windows.c: finds the launch's last cycle, and lets memory finish what is in flight if the launch finished. */
void windows_end_launch(struct gpu *g, struct gpu_result *result, bool finished);
/* windows.c: lets memory finish everything in flight, and drops the replies. */
void windows_drain_memory(struct gpu *g);

/* counters.c: keeps the memory system's counters as they are before the launch. */
void counters_note_memory(struct gpu *g);
/* counters.c: fills in the statistics of a launch that has ended. */
void counters_gather(struct gpu *g, struct gpu_result *result);
/* counters.c: calls the watcher with the counters so far, and sets the next interval. */
void counters_report_interval(struct gpu *g);
/* counters.c: calls the watcher if 50 ms of host time have passed. False: the watcher wants the launch to stop. */
bool counters_report_progress(struct gpu *g);
uint64_t counters_warp_instructions(const struct gpu *g); /* issued so far in this launch */
uint64_t counters_blocks_done(const struct gpu *g);
void counters_free(void *counters[MEM_OWNERS]);

/* launch_fault.c: end the launch with a fault of the whole machine and a report of where its threads are; all give
 * false. */
bool launch_fault_deadlock(struct gpu *g, struct gpu_result *result);
bool launch_fault_livelock(struct gpu *g, struct gpu_result *result);
bool launch_fault_limit(struct gpu *g, struct gpu_result *result);   /* the limit of warp instructions is reached */
bool launch_fault_stopped(struct gpu *g, struct gpu_result *result); /* the watcher stopped the launch */

#endif
