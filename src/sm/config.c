/* The knobs of a multiprocessor. The defaults describe no real machine; the machines of gpus/ set their own values. */
#include "sm/config.h"

#include "base/bits.h"
#include "base/diag.h"
#include "sched/table.h"

#define SCHEDULER_NAME(ops, name) name,
const char *const sm_scheduler_names[] = {SCHED_TABLE(SCHEDULER_NAME) NULL};
static const char *const unit_names[] = {"alu", "sfu", "fp64", "lsu", "tex", "branch", "fma", "tensor", NULL};
enum { CLASS_UNITS = SM_SCALAR - 1 }; /* the last unit that a class can name */
static const char *const scalar_names[] = {"no", "yes", "check", NULL};
static const char *const scoreboard_names[] = {"exact", "warp", "dual", "single", NULL};
static const char *const memory_stage_names[] = {"aside", "inline", NULL};
static const char *const reconvergence_names[] = {"past-ends", "post-dominators", NULL};
static const char *const stack_sync_names[] = {"none", "sync", "push-sync", NULL};
static const char *const parameter_names[] = {"load", "operand", NULL};
static const char *const fetch_names[] = {"ideal", "icache", NULL};
static const char *const fetch_order_names[] = {"fifo", "lrr", NULL};
static const char *const register_scope_names[] = {"warp", "block", NULL};

enum { SCHEDULER_CHOICES = sizeof sm_scheduler_names / sizeof sm_scheduler_names[0] - 1 };

#define FIELD(name) offsetof(struct sm_config, name)
#define COUNT(name, field, measure, fallback, low, high, meaning)                   \
    {                                                                               \
        name, measure, meaning, KNOB_COUNT, FIELD(field), fallback, low, high, NULL \
    }
#define CHOICE(name, field, fallback, last, choices, meaning)                    \
    {                                                                            \
        name, "", meaning, KNOB_CHOICE, FIELD(field), fallback, 0, last, choices \
    }
#define SWITCH(name, field, meaning)                              \
    {                                                             \
        name, "", meaning, KNOB_BOOL, FIELD(field), 0, 0, 1, NULL \
    }
#define UNIT(name, id) COUNT(name "_units", unit_count[SM_##id], "units", 1, 1, 16, "Copies of the " name " unit.")

static const struct knob knobs[] = {
    COUNT("warp_width", warp_width, "threads", 32, 4, 64, "Threads of a static warp, W."),
    COUNT("simd_width", simd_width, "lanes", 32, 1, 64,
          "Lanes of the datapath, p; a warp goes through the datapath in W/p passes."),

    COUNT("max_threads", max_threads, "threads", 1536, 32, 4096, "Threads that can be resident at a time."),
    COUNT("max_blocks", max_blocks, "blocks", 8, 1, 64, "Thread blocks that can be resident at a time."),
    COUNT("registers", registers, "registers", 32768, 256, 1 << 20, "Size of the register file, in 32-bit registers."),
    COUNT("register_unit", register_unit, "registers", 64, 1, 4096,
          "Granularity of register allocation, in 32-bit registers."),
    CHOICE("register_scope", register_scope, SM_REGISTERS_BY_WARP, SM_REGISTERS_BY_BLOCK, register_scope_names,
           "Whether registers are allocated to each warp (warp), or to the block as a whole "
           "(block)."),
    COUNT("shared_bytes", shared_bytes, "bytes", 48 << 10, 0, 1 << 20, "Size of the shared memory, in bytes."),
    COUNT("shared_unit", shared_unit_bytes, "bytes", 128, 1, 4096,
          "Granularity of shared-memory allocation, in bytes."),

    CHOICE("fetch", fetch, SM_FETCH_IDEAL, SM_FETCH_CACHE, fetch_names,
           "Whether every instruction is at hand (ideal), or comes through an instruction "
           "cache (icache)."),
    COUNT("instruction_bytes", instruction_bytes, "bytes", 8, 4, 16,
          "Size of an instruction in the instruction caches, in bytes."),
    CHOICE("fetch_order", fetch_order, SM_FETCH_FIFO, SM_FETCH_LRR, fetch_order_names,
           "Which strand with an empty instruction buffer fetches next: the one that has waited longest (fifo), or the "
           "next one by lineage behind the strand that fetched last (lrr)."),
    COUNT("fetch_ports", fetch_ports, "fetches", 1, 1, 16, "Fetches per cycle from the L1 instruction cache."),
    COUNT("l0_bytes", l0_bytes, "bytes", 0, 0, 64 << 10,
          "Size of the L0 instruction cache of each lane slice, in bytes; 0: no L0."),
    COUNT("l0_slice", l0_slice_lanes, "lanes", 32, 1, 64, "Lanes that share an L0 instruction cache."),
    COUNT("ibuffer", ibuffer_entries, "entries", 2, 1, 64,
          "Capacity of a strand's instruction buffer, in decoded instructions."),
    COUNT("decode_width", decode_width, "instructions", 1, 1, 16, "Instructions decoded per cycle."),

    COUNT("schedulers", schedulers, "schedulers", 1, 1, 4,
          "Issue ports, each with a scheduler; a strand's lineage (its static warp) selects its port."),
    CHOICE("scheduler", scheduler, 0, SCHEDULER_CHOICES - 1, sm_scheduler_names,
           "Policy that picks the next strand from the ready ones."),
    COUNT("scheduler_group", scheduler_group, "warps", 8, 1, 64,
          "Size of a fetch group of the two-level scheduler, in warps."),
    COUNT("slice_lanes", slice_lanes, "lanes", 64, 1, 64,
          "Lanes of a slice; strands on disjoint slices issue in one cycle. W or more: one strand per port and cycle."),
    CHOICE("scoreboard", scoreboard, SM_SCOREBOARD_EXACT, SM_SCOREBOARD_SINGLE, scoreboard_names,
           "How pending writes are tracked: per thread (exact), per static warp (warp), per "
           "static warp and side of a dual path (dual), or by one instruction in flight per "
           "strand (single)."),
    CHOICE(
        "memory_stage", memory_stage, SM_MEMORY_ASIDE, SM_MEMORY_INLINE, memory_stage_names,
        "Whether other instructions issue while an access is at a memory port (aside), or none does, because memory is "
        "a stage of the one pipeline (inline)."),
    CHOICE("reconvergence", reconvergence, SM_MEET_PAST_ENDS, SM_MEET_POST_DOMINATORS, reconvergence_names,
           "Where threads that diverge reconverge: past-ends does not wait for threads that end, and lets the others "
           "reconverge before a barrier; post-dominators is the papers' baseline."),
    CHOICE("stack_syncs", stack_syncs, SM_STACK_NO_SYNCS, SM_STACK_PUSHES, stack_sync_names,
           "Which instructions manage the reconvergence stacks of pdom, bcc, scc, ws and vws: none; a sync instruction "
           "at each reconvergence point (sync); or also a push ahead of the branches (push-sync)."),
    CHOICE("parameters", parameters, SM_PARAMETERS_LOADED, SM_PARAMETERS_AS_OPERAND, parameter_names,
           "Whether a load of a kernel parameter from a fixed address goes to the constant cache (load), or takes what "
           "an integer instruction takes, as an operand that is read from the constant bank does (operand)."),
    SWITCH("lane_swizzle", lane_swizzle,
           "Whether a thread's home slot is (thread + warp) mod W instead of thread mod W."),
    SWITCH("bank_conflicts", bank_conflicts, "Whether operands in one register bank are read one after the other."),
    COUNT("register_banks", register_banks, "banks", 16, 1, 64, "Number of banks of the register file."),

    UNIT("alu", ALU),
    UNIT("sfu", SFU),
    UNIT("fp64", FP64),
    UNIT("lsu", LSU),
    UNIT("tex", TEX),
    UNIT("branch", BRANCH),
    UNIT("fma", FMA),
    UNIT("tensor", TENSOR),
    CHOICE("scalar", scalar, SM_SCALAR_NONE, SM_SCALAR_CHECKED, scalar_names,
           "Whether scalar units execute integer instructions that are the same for all threads of the warp, under "
           "mechanisms that keep the threads of a warp in one iteration (no, yes); check stops heddle if the threads "
           "read different values."),
    UNIT("scalar", SCALAR),
    COUNT("scalar_latency", scalar_latency_cycles, "cycles", 4, 1, 10000,
          "Latency of an instruction that a scalar unit executes, in cycles."),

#define COST_ROWS(class, name, words, latency_words, home, latency, interval)                      \
    CHOICE(name "_unit", cost[CLASS_##class].unit, SM_##home, CLASS_UNITS, unit_names,             \
           "Unit that executes " words "."),                                                       \
        COUNT(name "_latency", cost[CLASS_##class].latency_cycles, "cycles", latency, 1, 10000,    \
              "Latency of " latency_words ", in cycles."),                                         \
        COUNT(name "_interval", cost[CLASS_##class].interval_cycles, "cycles", interval, 1, 10000, \
              "Time for which one pass of " words " holds its unit, in cycles."),
#define COST(class, name, words, home, latency, interval) COST_ROWS(class, name, words, words, home, latency, interval)
#define ACCESS                                            COST_ROWS
#include "sm/class.def"

    COUNT("shared_latency", shared_latency_cycles, "cycles", 20, 1, 10000,
          "Latency of a shared-memory access without bank conflicts, in cycles."),
    COUNT("wgmma_latency", wgmma_latency_cycles, "cycles", 40, 0, 10000,
          "Latency of a wgmma, besides the time for which it takes a tensor core, in cycles."),
    COUNT("bulk_latency", bulk.latency_cycles, "cycles", 0, 0, 100000,
          "Time from the issue of a bulk copy, or of a copy of a tensor, to its first access to memory, in cycles."),
    COUNT("bulk_store_latency", bulk.store_latency_cycles, "cycles", 80, 0, 100000,
          "Latency of a bulk copy to global memory, besides the time that its bytes take, in cycles."),
    COUNT("bulk_store_bytes", bulk.store_bytes, "bytes", 32, 1, 1024,
          "Bytes per cycle that bulk copies write to global memory."),
    COUNT("bulk_peer_latency", bulk.peer_latency_cycles, "cycles", 120, 0, 100000,
          "Latency of a bulk copy within shared memory, besides the time that its bytes take, in cycles."),
    COUNT("bulk_peer_bytes", bulk.peer_bytes, "bytes", 21, 1, 1024,
          "Bytes per cycle of bulk copies within shared memory."),
    COUNT("release_latency", barrier_latency_cycles, "cycles", 1, 0, 10000,
          "Time from the last arrival at a block barrier to the release of its threads, in cycles."),
    COUNT("rendezvous_latency", rendezvous_latency_cycles, "cycles", 1, 0, 10000,
          "Time from the last arrival at a warp-level operation that waits to the release of its threads, in cycles."),
    COUNT("launch_latency", launch_latency_cycles, "cycles", 0, 0, 100000,
          "Time from the start of a block on the multiprocessor to its first instruction fetch, in cycles."),
};

const struct knob_table sm_knobs = {"sm", knobs, sizeof knobs / sizeof knobs[0]};

bool sm_config_check(const struct sm_config *c, char **error)
{
    if (!bits_is_power_of_two(c->warp_width))
        return diag_fail(error, "sm.warp_width = %u is not a power of two", c->warp_width);
    if (!bits_is_power_of_two(c->simd_width))
        return diag_fail(error, "sm.simd_width = %u is not a power of two", c->simd_width);
    if (c->simd_width > c->warp_width)
        return diag_fail(error, "sm.simd_width = %u is more than sm.warp_width = %u", c->simd_width, c->warp_width);
    if (c->max_threads % 32 || c->max_threads % c->warp_width)
        return diag_fail(error, "sm.max_threads = %u is not a multiple of 32 and of sm.warp_width = %u", c->max_threads,
                         c->warp_width);
    if (!bits_is_power_of_two(c->register_banks))
        return diag_fail(error, "sm.register_banks = %u is not a power of two", c->register_banks);
    if (!bits_is_power_of_two(c->instruction_bytes)) /* so that no instruction lies in two lines */
        return diag_fail(error, "sm.instruction_bytes = %u is not a power of two", c->instruction_bytes);
    if (!bits_is_power_of_two(c->slice_lanes))
        return diag_fail(error, "sm.slice_lanes = %u is not a power of two", c->slice_lanes);
    if (c->l0_bytes && c->warp_width % c->l0_slice_lanes)
        return diag_fail(error, "sm.l0_slice = %u does not divide sm.warp_width = %u", c->l0_slice_lanes,
                         c->warp_width);
    return true;
}
