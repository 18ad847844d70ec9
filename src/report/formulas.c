/*
 * Figures derived from counters. A figure whose denominator is zero, or whose counter no part of this machine keeps,
 * has no value (NAN).
 */
#include "report/formulas.h"

#include "report/formula_terms.h"
#include "report/stalls.h"

#include <stdio.h>

VALUE(microseconds, ratio(get(r, "sm.cycles"), get(r, "peak.core_mhz")))
RATIO(thread_ipc, 1, "sm.thread_instructions", "sm.cycles")
RATIO(warp_ipc, 1, "sm.warp_instructions", "sm.cycles")
RATIO(fetches_per_cycle, 1, "sm.fetches", "sm.cycles")
RATIO(simd_efficiency, 1, "sm.thread_instructions", "sm.issue_slots")
RATIO(threads_per_issue, 1, "sm.thread_instructions", "sm.warp_instructions")
VALUE(lost_issues, ratio(get(r, "sm.issue_slots") - get(r, "sm.thread_instructions"), get(r, "peak.warp_width")))
RATIO(scalar_share, 1, "sm.scalar_instructions", "sm.warp_instructions")
RATIO(divergence, 1, "sm.divergent_branches", "sm.branches")
RATIO(occupancy, 1, "sm.resident_thread_cycles", "peak.thread_cycles")
RATIO(transactions_per_access, 1, "sm.transactions", "sm.memory_instructions")
RATIO(passes_per_access, 1, "sm.shared_passes", "sm.shared_instructions")
/* The first of two counters that is kept. */
static double either(const struct stat_result *r, const char *path, const char *other)
{
    double value = get(r, path);
    return isnan(value) ? get(r, other) : value;
}

/* A counter of the mechanism that ran; NAN if that mechanism does not count paths. */
static double get_paths(const struct stat_result *r, const char *counter)
{
    for (int i = 0; i < r->count; i++) {
        char all[64], path[64];
        snprintf(all, sizeof all, "%s.path_issues", r->parts[i].owner->name);
        snprintf(path, sizeof path, "%s.%s", r->parts[i].owner->name, counter);
        if (!isnan(get(r, all)))
            return get(r, path);
    }
    return NAN;
}

VALUE(avg_path_rounds, ratio(get_paths(r, "issues"), get_paths(r, "rounds")))
VALUE(avg_path_issues, ratio(get_paths(r, "path_issues"), get_paths(r, "issues")))
VALUE(data_stalls, stalls_of_pipe(r, STALL_DATA))
VALUE(shared_stalls, stalls_of_pipe(r, STALL_SHARED))
VALUE(constant_stalls, stalls_of_pipe(r, STALL_CONSTANT))
VALUE(texture_stalls, stalls_of_pipe(r, STALL_TEXTURE))
VALUE(memory_stalls, data_stalls(r) + shared_stalls(r) + constant_stalls(r) + texture_stalls(r))
RATIO(memory_latency, 1, "l1d.latency_cycles", "l1d.replies")

/* A counter that not every mechanism needs: 0 if nobody keeps it. */
static double get_any(const struct stat_result *r, const char *path)
{
    double value = get(r, path);
    return isnan(value) ? 0 : value;
}

/* What was decided (stall or bypass), and what would have been right: at a meeting of warps under capri, tstbc and
 * tstbc-auto, at a branch of a warp under bcc and scc. bcc and scc decide to compact at branches without divergence,
 * too, so they have no uniform meetings; and they never fail to compact. */
VALUE(meetings_right, get(r, "*.stall_stall") + get(r, "*.bypass_bypass"))
VALUE(meetings_wrong, get(r, "*.stall_bypass") + get_any(r, "*.bypass_stall"))
VALUE(uniform_meetings, get_any(r, "*.uniform_meetings"))
VALUE(meetings, meetings_right(r) + meetings_wrong(r))
VALUE(all_meetings, meetings(r) + uniform_meetings(r))
VALUE(compaction_accuracy, ratio(meetings_right(r), meetings(r)))
VALUE(compaction_accuracy_all, ratio(meetings_right(r) + uniform_meetings(r), all_meetings(r)))
VALUE(bypass_accuracy,
      ratio(get(r, "*.bypass_bypass") + get(r, "*.stall_bypass") + uniform_meetings(r), all_meetings(r)))
/* The counters are useful_compactions under capri, tstbc and tstbc-auto, and useful under tbc. */
VALUE(useful, either(r, "*.useful_compactions", "*.useful"))
VALUE(useless, either(r, "*.useless_compactions", "*.useless"))
VALUE(useful_compactions, ratio(useful(r), useful(r) + useless(r)))
VALUE(sync_wait,
      ratio(either(r, "*.wait_cycles", "*.sync_wait") * get(r, "peak.warp_width"), get(r, "sm.resident_thread_cycles")))
VALUE(extra_transactions, ratio(get(r, "sm.transactions"), get(r, "sm.home_transactions")) - 1)
RATIO(pcs_in_use, 1, "*.pcs", "*.commits")

/* 0 on a machine whose fetch is ideal: it has no value there. */
static double front_end_pj(const struct stat_result *r)
{
    double sum = get(r, "energy.l0") + get(r, "energy.l1") + get(r, "energy.l2") + get(r, "energy.decode") +
                 get(r, "energy.slices") + get(r, "energy.picks");
    return sum > 0 ? sum : NAN;
}

VALUE(front_end_energy, ratio(front_end_pj(r), get(r, "sm.thread_instructions")))
VALUE(front_end_share, ratio(front_end_pj(r), front_end_pj(r) + get(r, "energy.registers") + get(r, "energy.lanes")))

static double issued_cycles(const struct stat_result *r)
{
    static const char *const classes[] = {"sm.W1_4",   "sm.W5_8",   "sm.W9_12",  "sm.W13_16",
                                          "sm.W17_20", "sm.W21_24", "sm.W25_28", "sm.W29_32"};
    double sum = 0;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        sum += get(r, classes[i]);
    return sum;
}

VALUE(issue_utilisation, ratio(issued_cycles(r), get(r, "peak.sm_cycles")))

#define LEVEL(id)                                                     \
    RATIO(id##_hit_rate, 1, #id ".hits", #id ".accesses")             \
    RATIO(id##_hits_pki, 1000, #id ".hits", "sm.thread_instructions") \
    RATIO(id##_mpki, 1000, #id ".misses", "sm.thread_instructions")   \
    RATIO(id##_merges_pki, 1000, #id ".merges", "sm.thread_instructions")

LEVEL(l1d)
LEVEL(constant)
LEVEL(texture)
LEVEL(instruction)
LEVEL(l2)

VALUE(dram_row_hit_rate, ratio(get(r, "dram.row_hits"), get(r, "dram.row_hits") + get(r, "dram.row_misses")))
RATIO(dram_utilisation, 1, "dram.bus_cycles", "peak.bus_cycles")
RATIO(dram_bytes_per_cycle, 1, "dram.bytes", "sm.cycles")
RATIO(dram_bytes_pki, 1000, "dram.bytes", "sm.thread_instructions")

/* clang-format off */
#define LEVEL_ROWS(id, what) \
    {#id "_hit_rate", "", "Share of lines looked up in the " what " that were found there. Merges are misses.", \
     id##_hit_rate}, \
    {#id "_hits_pki", "lines", "Lines found in the " what ", per 1000 thread instructions.", id##_hits_pki}, \
    {#id "_mpki", "lines", "Lines missing in the " what ", merges included, per 1000 thread instructions.", \
     id##_mpki}, \
    {#id "_merges_pki", "lines", \
     "Misses in the " what " whose line was requested already, per 1000 thread instructions.", id##_merges_pki}
/* clang-format on */

const struct stat_formula gpu_formulas[] = {
    {"microseconds", "us", "Simulated time: cycles at the core clock.", microseconds},
    {"thread_ipc", "per cycle", "Thread instructions per cycle of the whole machine.", thread_ipc},
    {"warp_ipc", "per cycle", "Warp instructions per cycle of the whole machine.", warp_ipc},
    {"fetches_per_cycle", "per cycle", "Instruction fetches per cycle of the whole machine.", fetches_per_cycle},
    {"simd_efficiency", "", "Active threads per issue, over the warp width.", simd_efficiency},
    {"threads_per_issue", "threads", "Active threads per issue.", threads_per_issue},
    {"lost_issues", "issues", "Lanes that issues left empty, over the warp width.", lost_issues},
    {"avg_path_rounds", "paths", "Paths of a warp that could issue, if they take turns: issues over rounds of turns.",
     avg_path_rounds},
    {"avg_path_issues", "paths", "Paths of a warp that could issue, averaged over the warp's issues.", avg_path_issues},
    {"scalar_share", "", "Share of warp instructions that scalar units executed.", scalar_share},
    {"divergence", "", "Share of branches that diverged, among those that could.", divergence},
    {"issue_utilisation", "", "Share of the multiprocessors' cycles in which an instruction issued.",
     issue_utilisation},
    {"front_end_energy", "pJ",
     "Energy of fetch, decode and scheduling per thread instruction, of published energies per event; compare it with "
     "that of other runs.",
     front_end_energy},
    {"front_end_share", "", "Share of the front end in the energy of front end, registers and lanes.", front_end_share},
    {"occupancy", "", "Resident threads over the most that the machine can hold.", occupancy},
    {"transactions_per_access", "lines", "Lines that one warp instruction to the memory system touches.",
     transactions_per_access},
    {"passes_per_shared_access", "passes",
     "Passes that one warp instruction to shared memory takes; bank conflicts add passes.", passes_per_access},
    {"memory_latency", "cycles", "Cycles from the issue of a load or atomic to the data of its last lane, on average.",
     memory_latency},
    {"memory_stalls", "cycles", "Stall cycles of all four pipes of the memory stage: the four figures that follow.",
     memory_stalls},
    {"data_stalls", "cycles",
     "Cycles in which an access to global or local memory kept the data cache's port from its next access, by all "
     "causes: further lines of one bank, miss registers, their targets, queues to the crossbar.",
     data_stalls},
    {"shared_stalls", "cycles", "Cycles in which an access kept the banks of shared memory from their next access.",
     shared_stalls},
    {"constant_stalls", "cycles",
     "Cycles in which an access kept the constant cache's port from its next access, by all causes.", constant_stalls},
    {"texture_stalls", "cycles",
     "Cycles in which an access kept the texture cache's port from its next access, by all causes.", texture_stalls},
    LEVEL_ROWS(l1d, "L1 data cache"),
    LEVEL_ROWS(constant, "constant cache"),
    LEVEL_ROWS(texture, "texture cache"),
    LEVEL_ROWS(instruction, "instruction cache"),
    LEVEL_ROWS(l2, "L2"),
    {"dram_row_hit_rate", "", "Share of DRAM requests that found their row open.", dram_row_hit_rate},
    {"dram_utilisation", "", "Share of the DRAM channels' cycles in which data moved.", dram_utilisation},
    {"dram_bytes_per_cycle", "bytes", "DRAM bytes read and written per core cycle.", dram_bytes_per_cycle},
    {"dram_bytes_pki", "bytes", "DRAM bytes read and written per 1000 thread instructions.", dram_bytes_pki},
    {"compaction_accuracy", "",
     "Share of meetings with a divergent warp that were compacted if and only if compaction saves a warp; under bcc "
     "and "
     "scc, share of all branches whose compaction saves passes.",
     compaction_accuracy},
    {"compaction_accuracy_all", "",
     "Like compaction_accuracy, over all meetings: not to compact is right where no warp diverges.",
     compaction_accuracy_all},
    {"bypass_accuracy", "", "What compaction_accuracy_all would be for a mechanism that never compacts, such as pdom.",
     bypass_accuracy},
    {"useful_compactions", "", "Share of compactions that made fewer warps.", useful_compactions},
    {"sync_wait", "", "Share of the resident warps' cycles spent waiting for other warps of the block.", sync_wait},
    {"extra_transactions", "",
     "Lines that accesses touched beyond those that static warps would touch, over the latter.", extra_transactions},
    {"pcs_in_use", "PCs",
     "Different PCs at which a multiprocessor's threads stand, averaged over commits; starvation spreads threads.",
     pcs_in_use},
};

const int gpu_formula_count = sizeof gpu_formulas / sizeof *gpu_formulas;

static const struct stat_counter peak_counters[] = {
    {"sm_cycles", "cycles", "Cycles of the launch times multiprocessors.", offsetof(struct gpu_peak, sm_cycles),
     STAT_SUM},
    {"thread_cycles", "threads times cycles", "What sm.resident_thread_cycles would be with every thread slot taken.",
     offsetof(struct gpu_peak, thread_cycles), STAT_SUM},
    {"bus_cycles", "memory cycles", "Memory cycles of the launch times DRAM channels.",
     offsetof(struct gpu_peak, bus_cycles), STAT_SUM},
    {"warp_width", "threads", "Threads of a static warp.", offsetof(struct gpu_peak, warp_width), STAT_MAX},
    {"core_mhz", "MHz", "The core clock, in which cycles are counted.", offsetof(struct gpu_peak, core_mhz), STAT_MAX},
};

const struct stat_owner gpu_peak_owner = {"peak", peak_counters, sizeof peak_counters / sizeof *peak_counters,
                                          sizeof(struct gpu_peak)};

struct gpu_peak gpu_peak_of(const struct machine *m, uint64_t cycles_run)
{
    const struct mem_config *mem = &m->mem;
    return (struct gpu_peak){.sm_cycles = m->gpu.sm_count * cycles_run,
                             .thread_cycles = (uint64_t)m->gpu.sm_count * m->sm.max_threads * cycles_run,
                             .bus_cycles = mem->channels * (cycles_run * mem->memory_mhz / mem->core_mhz),
                             .warp_width = m->sm.warp_width,
                             .core_mhz = mem->core_mhz};
}
