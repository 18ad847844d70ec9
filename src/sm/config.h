/*
 * What a machine description says of one multiprocessor: sizes, policies, and what each cost class takes.
 *
 * Time of an instruction. A strand of W slots goes through a datapath of `simd_width` lanes in `sm_passes`
 * passes. It holds one of its unit's `count` copies for `interval` cycles a pass, and another instruction of
 * the unit may start behind it after that. An instruction that needs its result may issue `latency` cycles
 * after it did, and one cycle later for each pass beyond the first. Branches resolve after the same time.
 * Accesses that bring a result are answered by mem/, from the issue on, and the latency of LOAD, ATOMIC and
 * TEX does not count then; it is how long a store or a fence counts as in flight. Shared memory is answered
 * by the multiprocessor itself: `shared_latency_cycles`, and one cycle more for each further pass over the
 * banks. Where register banks conflict, an instruction holds its unit and is done as many passes later as the
 * operands of one bank exceed one. Strands on disjoint slices that issue in one cycle share a unit; slices that
 * a mechanism issues by themselves have a share each of all units but those of memory. The result
 * of a warp-level operation that waits is due as long after the last arrival. A barrier's latency and passes
 * count as in flight.
 */
#ifndef HEDDLE_SM_CONFIG_H
#define HEDDLE_SM_CONFIG_H

#include "base/knob.h"
#include "ptx/ops.h"

#include <stdbool.h>
#include <stdint.h>

enum sm_unit { SM_ALU, SM_SFU, SM_FP64, SM_LSU, SM_TEX, SM_BRANCH, SM_UNIT_COUNT };

/* What keeps an instruction from overtaking the writes it depends on. */
enum sm_scoreboard {
    SM_SCOREBOARD_EXACT, /* pending registers by thread */
    SM_SCOREBOARD_WARP,  /* by static warp: a register pending in one lane blocks all */
    SM_SCOREBOARD_DUAL,  /* by static warp and side of a dual path, with shadow bits */
    SM_SCOREBOARD_SINGLE /* none: a strand has one instruction in flight */
};

/* What issues while the transactions of an access are looked up, one a cycle, or wait for something. */
enum sm_memory_stage {
    SM_MEMORY_ASIDE, /* all that needs neither the port nor the unit */
    SM_MEMORY_INLINE /* nothing: it is a stage of the one pipeline */
};

/* Where threads that part at a branch meet again. */
enum sm_reconvergence {
    SM_MEET_PAST_ENDS,      /* as soon as those that live on can, and before block barriers */
    SM_MEET_POST_DOMINATORS /* at the immediate post-dominator, in all cases */
};

enum sm_fetch { SM_FETCH_IDEAL, SM_FETCH_CACHE };
enum sm_register_scope { SM_REGISTERS_BY_WARP, SM_REGISTERS_BY_BLOCK };

struct sm_cost {
    uint32_t unit; /* enum sm_unit */
    uint32_t latency_cycles, interval_cycles;
};

struct sm_config {
    /* shape */
    uint32_t warp_width; /* W; a power of two */
    uint32_t simd_width; /* p; a power of two, at most W */

    /* what is shared by the resident blocks */
    uint32_t max_threads, max_blocks;
    uint32_t registers;      /* 32-bit */
    uint32_t register_unit;  /* registers are given out in multiples of it ... */
    uint32_t register_scope; /* enum sm_register_scope: ... to a warp, or to a whole block */
    uint32_t shared_bytes;
    uint32_t shared_unit_bytes;

    /* instruction supply; the instruction cache itself is mem/'s */
    uint32_t fetch;             /* enum sm_fetch */
    uint32_t instruction_bytes; /* of one PTX instruction, for the caches */
    uint32_t fetch_ports;       /* fetches a cycle */
    uint32_t l0_bytes;          /* of each lane slice; 0: no L0 */
    uint32_t l0_slice_lanes;
    uint32_t ibuffer_entries; /* of a strand */
    uint32_t decode_width;    /* instructions a cycle into the buffers */

    /* issue */
    uint32_t schedulers;      /* strand lineage modulo this is its port */
    uint32_t scheduler;       /* index into sm_scheduler_names */
    uint32_t scheduler_group; /* warps of a fetch group of a scheduler of two levels */
    uint32_t slice_lanes;   /* strands on disjoint slices of so many lanes issue in one cycle; W or more: one a port */
    uint32_t scoreboard;    /* enum sm_scoreboard */
    uint32_t memory_stage;  /* enum sm_memory_stage */
    uint32_t reconvergence; /* enum sm_reconvergence */
    bool lane_swizzle;      /* home slot = (thread + warp) mod W instead of thread mod W */
    bool bank_conflicts;    /* operands of one register-file bank are read one after the other */
    uint32_t register_banks;

    /* execution */
    uint32_t unit_count[SM_UNIT_COUNT]; /* copies of each unit */
    struct sm_cost cost[CLASS_COUNT];
    uint32_t shared_latency_cycles;
    uint32_t barrier_latency_cycles; /* last arrival to release; the knob is release_latency */
    uint32_t launch_latency_cycles;  /* block given to the multiprocessor to its first fetch */
};

extern const struct knob_table sm_knobs;
extern const char *const sm_scheduler_names[]; /* as sched_find() knows them; ends with NULL */

/* What no single knob's range can say. False and an error text (freed by the caller). */
bool sm_config_check(const struct sm_config *config, char **error);

static inline uint32_t sm_passes(const struct sm_config *config)
{
    return config->warp_width / config->simd_width;
}

#endif
