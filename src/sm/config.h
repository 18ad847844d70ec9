/*
 * What a machine description says of one multiprocessor: sizes, policies, and what each cost class takes.
 *
 * The time of an instruction:
 *   - Passes. A strand of W slots goes through a datapath of `simd_width` lanes in sm_passes() passes. Operands that
 *     lie in one register bank, where banks conflict, add passes: as many as the fullest bank has operands beyond the
 *     first.
 *   - Interval. The instruction holds one copy of its unit for `interval` cycles per pass. Then the copy takes another
 *     instruction. Strands on disjoint slices that issue in one cycle share a copy. Where a mechanism has slices issue
 *     on their own, each slice has a share of its own in every unit except the load/store and texture units.
 *   - Latency. An instruction that needs the result may issue `latency` cycles after the issue, and one cycle later for
 *     each pass beyond the first. A branch resolves when its result would be written. The latency of a warp-level
 *     operation that waits counts from the last arrival.
 *   - Scalar units. With `scalar`, an instruction that is proved to read the same values in all threads of its strand
 *     takes one pass through a scalar unit, for one cycle, instead of the unit of its class (gpu/scalar.h).
 *   - Memory. An access that brings a result is answered by mem/, and the latency of its class (LOAD, ATOMIC, TEX) does
 *     not count. A store or fence counts as in flight for its latency, a barrier for its latency and passes.
 *   - Shared memory. The multiprocessor answers after `shared_latency_cycles`, and one cycle later for each further
 *     pass over the banks.
 */
#ifndef HEDDLE_SM_CONFIG_H
#define HEDDLE_SM_CONFIG_H

#include "base/knob.h"
#include "ptx/ops.h"

#include <stdbool.h>
#include <stdint.h>

enum sm_unit { SM_ALU, SM_SFU, SM_FP64, SM_LSU, SM_TEX, SM_BRANCH, SM_FMA, SM_TENSOR, SM_SCALAR, SM_UNIT_COUNT };

/* How the pipeline knows the register writes that an instruction must wait for. */
enum sm_scoreboard {
    SM_SCOREBOARD_EXACT, /* pending registers are known per thread */
    SM_SCOREBOARD_WARP,  /* known per static warp: a register pending in one lane blocks the whole warp */
    SM_SCOREBOARD_DUAL,  /* known per static warp and side of a dual path, with shadow bits */
    SM_SCOREBOARD_SINGLE /* no registers are tracked: a strand has one instruction in flight */
};

/* What issues while the transactions of an access are at a memory port, one lookup per cycle, or wait there. */
enum sm_memory_stage {
    SM_MEMORY_ASIDE, /* every instruction that needs neither the port nor the unit */
    SM_MEMORY_INLINE /* nothing: memory is a stage of the one pipeline */
};

/* Where threads that diverge at a branch reconverge. */
enum sm_reconvergence {
    SM_MEET_PAST_ENDS,      /* at the first point that all threads reach which do not end; at the latest before a
                               block barrier */
    SM_MEET_POST_DOMINATORS /* at the immediate post-dominator, in all cases */
};

/* Whether scalar units execute the instructions that flow/scalar.h finds, once for all threads of a strand. */
enum sm_scalar {
    SM_SCALAR_NONE,   /* there are none */
    SM_SCALAR_USED,   /* they do */
    SM_SCALAR_CHECKED /* they do, and heddle stops if the threads of such a strand read different values */
};

/* Instructions of an ISA-controlled call-return stack that mechanisms with one stack per warp issue; in the order of
 * enum div_stack_syncs. */
enum sm_stack_syncs { SM_STACK_NO_SYNCS, SM_STACK_SYNCS, SM_STACK_PUSHES };

/* What a load of a kernel parameter from a fixed address is. Its class stays LOAD for counters. */
enum sm_parameters {
    SM_PARAMETERS_LOADED,    /* an access to the constant cache */
    SM_PARAMETERS_AS_OPERAND /* an integer instruction: machine code reads the constant bank as an operand */
};

/* Whether every instruction is at hand, or comes through instruction caches (fetch.h). */
enum sm_fetch { SM_FETCH_IDEAL, SM_FETCH_CACHE };
/* Which strand with an empty instruction buffer fetches next: the one that has been waiting longest, or loose
 * round-robin: the first one behind the strand that fetched last, in order of lineage. */
enum sm_fetch_order { SM_FETCH_FIFO, SM_FETCH_LRR };
/* Whether registers are allocated, in whole units, to each warp or to a whole block. */
enum sm_register_scope { SM_REGISTERS_BY_WARP, SM_REGISTERS_BY_BLOCK };

struct sm_cost {
    uint32_t unit;            /* enum sm_unit */
    uint32_t latency_cycles;  /* issue to the issue of a dependent instruction */
    uint32_t interval_cycles; /* time for which a pass holds its unit */
};

/* Bulk copies; see sm/async/copies.h. */
struct sm_bulk {
    uint32_t latency_cycles;       /* issue to the first access to memory */
    uint32_t store_latency_cycles; /* of a store or reduction: besides the time that its bytes take */
    uint32_t store_bytes;          /* bytes per cycle that stores write to global memory */
    uint32_t peer_latency_cycles;  /* of a copy within shared memory: besides the time that its bytes take */
    uint32_t peer_bytes;           /* bytes per cycle of such copies */
};

struct sm_config {
    /* shape */
    uint32_t warp_width; /* W: threads of a static warp; a power of two */
    uint32_t simd_width; /* p: lanes of the datapath; a power of two, at most W */

    /* what the resident blocks share */
    uint32_t max_threads, max_blocks; /* most that can be resident */
    uint32_t registers;               /* 32-bit registers of the register file */
    uint32_t register_unit;           /* registers are allocated in multiples of this */
    uint32_t register_scope;          /* enum sm_register_scope */
    uint32_t shared_bytes;            /* shared memory */
    uint32_t shared_unit_bytes;       /* shared memory is allocated in multiples of this */

    /* instruction supply; the L1 instruction cache itself is in mem/ */
    uint32_t fetch;             /* enum sm_fetch */
    uint32_t instruction_bytes; /* size of a PTX instruction in the caches */
    uint32_t fetch_order;       /* enum sm_fetch_order */
    uint32_t fetch_ports;       /* fetches per cycle from the L1 instruction cache */
    uint32_t l0_bytes;          /* size of the L0 of each lane slice; 0: no L0 */
    uint32_t l0_slice_lanes;    /* lanes that share an L0 */
    uint32_t ibuffer_entries;   /* decoded instructions that a strand's buffer holds */
    uint32_t decode_width;      /* instructions decoded per cycle */

    /* issue */
    uint32_t schedulers;      /* issue ports; a strand's port is its lineage modulo this */
    uint32_t scheduler;       /* index into sm_scheduler_names */
    uint32_t scheduler_group; /* warps of a fetch group of the two-level scheduler */
    uint32_t slice_lanes;   /* lanes of a slice; strands on disjoint slices issue in one cycle. W or more: no slices */
    uint32_t scoreboard;    /* enum sm_scoreboard */
    uint32_t memory_stage;  /* enum sm_memory_stage */
    uint32_t reconvergence; /* enum sm_reconvergence */
    uint32_t stack_syncs;   /* enum sm_stack_syncs */
    uint32_t parameters;    /* enum sm_parameters */
    bool lane_swizzle;      /* home slot = (thread + warp) mod W instead of thread mod W */
    bool bank_conflicts;    /* operands in one register bank are read one after the other */
    uint32_t register_banks;

    /* execution */
    uint32_t unit_count[SM_UNIT_COUNT]; /* copies of each unit */
    struct sm_cost cost[CLASS_COUNT];   /* [enum op_class] */
    uint32_t scalar;                    /* enum sm_scalar */
    uint32_t scalar_latency_cycles;     /* of a scalar instruction; its interval is one cycle */
    uint32_t shared_latency_cycles;     /* shared-memory access without bank conflicts */
    struct sm_bulk bulk;
    uint32_t wgmma_latency_cycles;      /* wgmma: cycles until it is done, besides those of its tensor core */
    uint32_t barrier_latency_cycles;    /* block barrier: last arrival to release; the knob is release_latency */
    uint32_t rendezvous_latency_cycles; /* warp-level operation that waits: last arrival to release */
    uint32_t launch_latency_cycles;     /* start of a block on the multiprocessor to its first fetch */
};

extern const struct knob_table sm_knobs;
extern const char *const sm_scheduler_names[]; /* names that sched_find() knows; ends with NULL */

/* Checks what the range of a single knob cannot say. False with an error text, which the caller frees. */
bool sm_config_check(const struct sm_config *config, char **error);

/* Passes of a whole strand through the datapath. */
static inline uint32_t sm_passes(const struct sm_config *config)
{
    return config->warp_width / config->simd_width;
}

#endif
