/*
 * The engine's working state during one launch, shared by the files that execute instructions.
 *
 * Each of them does one kind of instruction for the threads `mask` of one row, at once and completely, and knows
 * nothing of time or of who runs next. A function that can fault returns false after filling `engine->result`'s
 * fault.
 */
#ifndef HEDDLE_EXEC_ENGINE_H
#define HEDDLE_EXEC_ENGINE_H

#include "device/launch.h"
#include "exec/block.h"
#include "exec/bound.h"
#include "exec/race.h"

/* A stretch of memory that accesses can be served from without a lookup. */
struct segment {
    uint64_t base, bytes;
    uint8_t *host;
    bool is_constant;
};

struct engine {
    const struct launch *launch;
    const struct code *code;
    const struct program *program;
    struct memory *memory;
    struct launch_result *result;
    struct race *race;                    /* looks for races; NULL: nobody does */
    struct segment *last;                 /* by PC: the allocation the instruction touched last */
    struct segment constants, parameters; /* addressed from 0 */
    uint64_t parameter_base;              /* generic address of the parameter block */
    uint32_t local_bytes;                 /* of a thread */
    uint64_t now;                         /* warp instructions so far; what %clock shows */
    uint64_t limit;
    uint64_t writes;     /* stores, and atomics that changed what was there; while it stands still, so does memory */
    bool has_locks;      /* a row could not come together before one of its threads was let run ahead */
    bool holds_barriers; /* more of those who come together are yet to arrive: nothing opens until they have */
    /* Who hears that threads may go on at a PC: NULL for the functional engine, which keeps cohorts in the row. */
    void (*resume)(void *context, struct row *row, int32_t pc, int32_t depth, uint32_t mask);
    void *resume_context;
    /* The row at work. */
    struct block *block;
    struct row *row;
    const uint64_t *noted; /* addresses of its lanes in the load or store at work, if they are known already; or NULL */
    /* Scratch planes: prepared sources, and destinations to be blended. Two planes each. */
    _Alignas(64) uint8_t source_scratch[BOUND_MAX_OPERANDS][2 * PLANE_BYTES];
    _Alignas(64) uint8_t dest_scratch[BOUND_MAX_OPERANDS][2 * PLANE_BYTES];
};

/* Threads of a row may go on at a PC. */
static inline void engine_resume(struct engine *e, struct row *row, int32_t pc, int32_t depth, uint32_t mask)
{
    if (e->resume)
        e->resume(e->resume_context, row, pc, depth, mask);
    else
        row_add_cohort(row, pc, depth, mask);
}

/* engine.c: the working state of a launch. NULL after a fault, which is in the result. */
struct engine *engine_open(const struct launch *launch, const struct code *code, struct launch_result *result);
void engine_close(struct engine *e);

/* cohort.c: instructions that neither branch nor wait. */
static inline bool engine_is_straight(const struct bound *in)
{
    return in->kind < BOUND_YIELD;
}
bool engine_straight(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask);
/* A lane handler with operands of any shape; straight.h has the common one. */
void engine_lanes(struct engine *e, const struct bound *in, uint32_t mask);

/* operand.c */
/* Pointer to the lanes of source i, prepared if need be. */
const void *engine_source(struct engine *e, const struct bound *in, int i);
/* Writes lanes into destination i for the threads of the mask; nothing if it is sunk. */
void engine_write(struct engine *e, const struct bound *in, int i, const void *lanes, uint32_t mask);

/* engine_fault.c */
/* Fills the fault for the first thread of the mask; returns false. */
bool engine_fault(struct engine *e, const struct bound *in, uint32_t mask, enum fault_kind kind, const char *format,
                  ...) __attribute__((format(printf, 5, 6)));
bool engine_fault_address(struct engine *e, const struct bound *in, int lane, enum fault_kind kind, enum space space,
                          uint64_t address, bool is_write);

bool engine_fault_deadlock(struct engine *e); /* every thread of the block at work waits */
bool engine_fault_limit(struct engine *e);    /* the limit is reached in the row at work */

/* cohort.c */
enum run_end { RUN_FAULT, RUN_BLOCKED, RUN_QUANTUM };
enum run_end cohort_run_row(struct engine *e, struct row *row, uint64_t quantum);
/* The row's cohort that should run next, or -1: deepest and lowest first, or the one that waited longest. */
int cohort_pick(const struct row *row, bool by_turn);

/* control.c */
/* Executes an instruction after which the cohort has to be found anew, for its threads `mask`. False: a fault. */
bool control_execute(struct engine *e, const struct bound *in, struct cohort here, uint32_t mask);

/* access.c */
bool access_load(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask);
bool access_store(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask);
bool access_read_generic(struct engine *e, int lane, uint64_t address, void *into, uint32_t bytes);
/* Where a lane's local byte stands; words of the lanes are interleaved. */
static inline uint8_t *access_local(const struct row *row, int lane, uint64_t offset)
{
    return row->local + (offset >> 2) * PLANE_BYTES + (unsigned)lane * 4u + (offset & 3);
}
/* The bytes behind one lane's address, for reading or writing; NULL after a fault. Not for local memory. */
void *access_resolve(struct engine *e, const struct bound *in, int32_t pc, int lane, uint64_t address, bool is_write);
/* The lanes' addresses, in the instruction's space. */
void access_addresses(struct engine *e, const struct bound *in, uint64_t address[ROW_LANES]);

/* atomic.c */
bool atomic_execute(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask);

/* address.c: cvta, isspacep */
void address_execute(struct engine *e, const struct bound *in, uint32_t mask);

/* texture.c */
bool texture_execute(struct engine *e, const struct bound *in, uint32_t mask);
/* Where the texels of the threads' fetches are, and of how many bytes; the lanes that have one, since a texel outside
 * reads as 0 without an access. */
uint32_t texture_addresses(struct engine *e, const struct bound *in, uint32_t mask, uint64_t address[ROW_LANES],
                           uint32_t *bytes);

/* call.c */
/* The function among the call's candidates that a pointer's value names, or -1. */
int32_t call_find(const struct engine *e, const struct bound *in, uint64_t value);
bool call_enter(struct engine *e, const struct bound *in, int32_t callee, int32_t depth, uint32_t mask);
/* Copies results back and restores registers; the return PCs go to `pc`. */
void call_leave(struct engine *e, int32_t depth, uint32_t mask, int32_t pc[ROW_LANES]);

/* builtin.c: vprintf, __assertfail, malloc, free */
bool builtin_execute(struct engine *e, const struct bound *in, uint32_t mask);

/* warp.c: what a warp-level operation gives the threads `mask`, whose inputs were collected from one or several
 * instructions of one kind. */
struct warp_inputs {
    uint64_t value[ROW_LANES];
    uint32_t b[ROW_LANES], c[ROW_LANES];
    uint32_t predicate; /* lanes whose predicate is true */
};
struct warp_outputs {
    uint32_t value[ROW_LANES];
    uint32_t predicate; /* lanes */
};
void warp_collect(struct engine *e, const struct bound *in, uint32_t mask, struct warp_inputs *inputs);
void warp_compute(const struct insn *insn, uint32_t mask, const struct warp_inputs *inputs,
                  struct warp_outputs *outputs);
void warp_deliver(struct engine *e, const struct bound *in, uint32_t mask, const struct warp_outputs *outputs);
/* All three for threads that are together. */
void warp_execute(struct engine *e, const struct bound *in, uint32_t mask);
/* The member mask that each lane names, of an operation that waits. */
void warp_members(struct engine *e, const struct bound *in, uint32_t members[ROW_LANES]);

/* rendezvous.c and barrier.c: waiting. They add cohorts to rows when threads may go on. */
bool rendezvous_arrive(struct engine *e, const struct bound *in, struct cohort here);
void rendezvous_recheck(struct engine *e, struct row *row); /* after threads of the row ended */
/* Do threads of `lanes`, which are at a rendezvous, wait for a thread of `goal`? Either they name it, or a thread that they
 * name is at another rendezvous and waits for one of `goal` in turn. */
bool rendezvous_waits_for(struct engine *e, struct row *row, uint32_t lanes, uint32_t goal);
bool barrier_arrive(struct engine *e, const struct bound *in, struct cohort here);
void barrier_recheck(struct engine *e); /* after threads of the block ended, or all who come together have arrived */

#endif
