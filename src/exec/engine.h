/*
 * The engine: the state of one launch while its instructions are executed, shared by the functional engine
 * (functional.h) and the timed machine (step.h).
 *
 * The files around it (access.h, atomic.h, barrier.h, call.h, ...) each execute one kind of instruction for the threads
 * `mask` of the row at work, at once and completely. They know neither time nor who runs next. A function that can
 * fault returns false after it has filled the fault in `engine->result`.
 */
#ifndef HEDDLE_EXEC_ENGINE_H
#define HEDDLE_EXEC_ENGINE_H

#include "device/launch.h"
#include "exec/block.h"
#include "exec/bound.h"

struct copy_listener;
struct gathering;
struct posted;
struct repeated;
struct site;
struct taping;
struct waste;

/* A stretch of guest memory with its host address, so that accesses to it need no lookup. */
struct segment {
    uint64_t base, bytes; /* guest address of the first byte; length */
    uint8_t *host;
    bool is_constant; /* kernels may not write it */
};

/* Who is told that threads may go on. Each multiprocessor's step (step.h) is a listener; the functional engine has
 * none. */
struct engine_listener {
    /* Threads of a row may go on at (pc, depth): they executed an instruction, or a barrier or rendezvous released
     * them. */
    void (*resume)(void *context, struct row *row, int32_t pc, int32_t depth, uint32_t mask);
    void *context;
};

enum { ENGINE_TEXTURES = 32 };

struct engine {
    const struct launch *launch;
    const struct code *code;
    const struct program *program;
    struct memory *memory;
    struct launch_result *result;
    const struct taping *taping;          /* records or replays what threads decide; NULL: neither */
    struct site *sites;                   /* [PC]: counters of the functional engine; NULL: it does not count */
    struct waste *waste;                  /* counted together with sites; NULL: it does not count */
    const struct access_sink *accesses;   /* hears of accesses to global memory; NULL: nobody does */
    struct race *race;                    /* the race check; NULL: races are not looked for */
    struct writers *writers;              /* who wrote what; NULL: not looked at. Only the functional engine looks */
    struct posted *posted;                /* where writes to global memory wait (posted.h); NULL: they do not wait */
    uint64_t writers_at;                  /* value of `now` from which on a store is looked at; UINT64_MAX: never */
    struct segment *last;                 /* by PC: the allocation that the instruction accessed last */
    struct segment constants, parameters; /* addressed from 0 */
    uint64_t parameter_base;              /* generic address of the parameter block */
    uint64_t workspace;                   /* generic address of a cooperative launch's workspace; else 0 */
    uint32_t local_bytes;                 /* local memory per thread */
    uint64_t now;                         /* warp instructions so far, or, on the timed machine, the cycle */
    uint64_t elapsed;    /* warp instructions of blocks before `now` began to count (ahead.h); else 0 */
    uint32_t clock_step; /* how far %clock goes while `now` goes one further */
    uint64_t limit;      /* warp instructions of the whole launch after which it faults */
    uint64_t writes;     /* stores so far, plus atomics that changed memory: while this stands still, so does memory */
    struct fault *assertion; /* functional engine: the first assertion that failed; NULL: none did. Owned */
    bool has_to_wait;        /* the last wait for an mbarrier found a phase that is not complete */
    uint32_t failed;         /* functional engine: threads that the last instruction ended by a failed assertion */
    const struct texture *recent_texture[ENGINE_TEXTURES]; /* by hash of the handle: the texture looked up last */
    const struct engine_listener *listener;                /* NULL: released threads become cohorts of their row */
    const struct copy_listener *copies;                    /* hears of asynchronous copies; NULL: nobody does */
    /* The row at work, and its block. */
    struct block *block;
    struct row *row;
    /* Functional engine: values of `now`. */
    uint64_t row_began, row_end; /* when the turn of the row at work began, and when it ends */
    uint64_t run_began;          /* when the cohort that runs began */
    uint64_t next_row_until;     /* up to which the block's next row may begin a turn of full length */
    struct repeated *repeated;   /* stretches that the row executes again and again; NULL: none yet. Owned */
    struct gathering *gathering; /* what strands of many rows are gathered into (gather.h); NULL: nothing yet. Owned */
    /* Scratch operands of two planes each: sources that must be prepared, and destinations before they are blended. */
    _Alignas(64) uint8_t source_scratch[BOUND_MAX_OPERANDS][4 * PLANE_BYTES];
    _Alignas(64) uint8_t dest_scratch[BOUND_MAX_OPERANDS][4 * PLANE_BYTES];
};

/* Threads of a row may go on at (pc, depth). */
static inline void engine_resume(struct engine *e, struct row *row, int32_t pc, int32_t depth, uint32_t mask)
{
    if (e->listener)
        e->listener->resume(e->listener->context, row, pc, depth, mask);
    else
        row_add_cohort(row, pc, depth, mask);
}

/* Validates the launch and places its parameters in device memory. NULL after a fault, which is in the result. */
struct engine *engine_open(const struct launch *launch, const struct code *code, struct launch_result *result);
void engine_close(struct engine *e);
/* A second engine for the same launch, on the same memory, with state of its own: another host thread may execute
 * instructions with it at the same time, as long as writes to global memory wait. Its faults go to `result`. */
struct engine *engine_fork(const struct engine *e, struct launch_result *result);
void engine_close_fork(struct engine *e);

#endif
