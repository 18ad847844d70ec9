/*
 * Figures derived from counters, and the names that users know from other tools where heddle counts the same.
 *
 * A figure whose denominator is zero, or whose counter nobody keeps, has no value.
 */
#include "report/formulas.h"

#include <math.h>
#include <stdio.h>

static double get(const struct stat_result *r, const char *path)
{
    bool found;
    double value = (double)stat_get(r, path, &found);
    return found ? value : NAN;
}

static double either(const struct stat_result *r, const char *path, const char *other)
{
    double value = get(r, path);
    return isnan(value) ? get(r, other) : value;
}

static double ratio(double over, double under)
{
    return under > 0 ? over / under : NAN;
}

#define VALUE(id, expression)                     \
    static double id(const struct stat_result *r) \
    {                                             \
        return expression;                        \
    }
#define COUNTER(id, path)             VALUE(id, get(r, path))
#define RATIO(id, scale, over, under) VALUE(id, (scale)*ratio(get(r, over), get(r, under)))

COUNTER(cycles, "sm.cycles")
COUNTER(warp_instructions, "sm.warp_instructions")
COUNTER(thread_instructions, "sm.thread_instructions")
VALUE(microseconds, ratio(get(r, "sm.cycles"), get(r, "peak.core_mhz")))
RATIO(thread_ipc, 1, "sm.thread_instructions", "sm.cycles")
RATIO(warp_ipc, 1, "sm.warp_instructions", "sm.cycles")
RATIO(fetches_per_cycle, 1, "sm.fetches", "sm.cycles")
RATIO(simd_efficiency, 1, "sm.thread_instructions", "sm.issue_slots")
RATIO(threads_per_issue, 1, "sm.thread_instructions", "sm.warp_instructions")
VALUE(lost_cycles, ratio(get(r, "sm.issue_slots") - get(r, "sm.thread_instructions"), get(r, "peak.warp_width")))
RATIO(divergence, 1, "sm.divergent_branches", "sm.branches")
RATIO(occupancy, 1, "sm.resident_thread_cycles", "peak.thread_cycles")
RATIO(occupancy_percent, 100, "sm.resident_thread_cycles", "peak.thread_cycles")
RATIO(transactions_per_access, 1, "sm.transactions", "sm.memory_instructions")
RATIO(passes_per_access, 1, "sm.shared_passes", "sm.shared_instructions")
/* A counter of the mechanism that ran, if it counts paths. */
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
RATIO(memory_latency, 1, "l1d.latency_cycles", "l1d.replies")

/* What warps that met did, against what would have been right: of capri, tstbc and tstbc-auto. */
VALUE(meetings_right, get(r, "*.stall_stall") + get(r, "*.bypass_bypass"))
VALUE(meetings_wrong, get(r, "*.stall_bypass") + get(r, "*.bypass_stall"))
VALUE(meetings, meetings_right(r) + meetings_wrong(r))
VALUE(all_meetings, meetings(r) + get(r, "*.uniform_meetings"))
VALUE(compaction_accuracy, ratio(meetings_right(r), meetings(r)))
VALUE(compaction_accuracy_all, ratio(meetings_right(r) + get(r, "*.uniform_meetings"), all_meetings(r)))
VALUE(bypass_accuracy,
      ratio(get(r, "*.bypass_bypass") + get(r, "*.stall_bypass") + get(r, "*.uniform_meetings"), all_meetings(r)))
/* Those mechanisms call it one thing, tbc another. */
VALUE(useful, either(r, "*.useful_compactions", "*.useful"))
VALUE(useless, either(r, "*.useless_compactions", "*.useless"))
VALUE(useful_compactions, ratio(useful(r), useful(r) + useless(r)))
VALUE(sync_wait,
      ratio(either(r, "*.wait_cycles", "*.sync_wait") * get(r, "peak.warp_width"), get(r, "sm.resident_thread_cycles")))
VALUE(extra_transactions, ratio(get(r, "sm.transactions"), get(r, "sm.home_transactions")) - 1)
RATIO(pcs_in_use, 1, "*.pcs", "*.commits")

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
COUNTER(dram_bytes, "dram.bytes")

#define LEVEL_ROWS(id, what)                                                                                         \
    {#id "_hit_rate", "", "lines found in the " what ", of those looked up; merges are misses", id##_hit_rate},      \
        {#id "_hits_pki", "lines", "found, per 1000 thread instructions", id##_hits_pki},                            \
        {#id "_mpki", "lines", "not found, merges among them, per 1000 thread instructions", id##_mpki},             \
    {                                                                                                                \
#id "_merges_pki", "lines", "not found but already asked for, per 1000 thread instructions", id##_merges_pki \
    }

const struct stat_formula gpu_formulas[] = {
    {"microseconds", "us", "cycles at the core clock", microseconds},
    {"thread_ipc", "per cycle", "thread instructions of the whole machine", thread_ipc},
    {"warp_ipc", "per cycle", "warp instructions of the whole machine", warp_ipc},
    {"fetches_per_cycle", "per cycle", "instruction fetches of the whole machine", fetches_per_cycle},
    {"simd_efficiency", "", "active threads of an issue over the warp width", simd_efficiency},
    {"threads_per_issue", "threads", "active threads of an issue", threads_per_issue},
    {"lost_cycles", "issues", "lanes that issues left empty, over the warp width", lost_cycles},
    {"avg_path_rounds", "paths", "of a warp that could issue, if they took turns: issues over rounds of them",
     avg_path_rounds},
    {"avg_path_issues", "paths", "of a warp that could issue, over its issues", avg_path_issues},
    {"divergence", "", "branches that diverged, of those that could", divergence},
    {"issue_utilisation", "", "cycles of multiprocessors in which something issued", issue_utilisation},
    {"occupancy", "", "resident threads over the most that the machine holds", occupancy},
    {"transactions_per_access", "lines", "of a warp instruction to the memory system", transactions_per_access},
    {"passes_per_shared_access", "passes", "of a warp instruction to shared memory", passes_per_access},
    {"memory_latency", "cycles", "from issue to the last lane's data, of loads and atomics, on average",
     memory_latency},
    LEVEL_ROWS(l1d, "L1 data cache"),
    LEVEL_ROWS(constant, "constant cache"),
    LEVEL_ROWS(texture, "texture cache"),
    LEVEL_ROWS(instruction, "instruction cache"),
    LEVEL_ROWS(l2, "L2"),
    {"dram_row_hit_rate", "", "requests that found their row open", dram_row_hit_rate},
    {"dram_utilisation", "", "cycles of channels that moved data", dram_utilisation},
    {"dram_bytes_per_cycle", "bytes", "read and written in a core cycle", dram_bytes_per_cycle},
    {"dram_bytes_pki", "bytes", "read and written per 1000 thread instructions", dram_bytes_pki},
    {"compaction_accuracy", "", "meetings at which a warp parted that were compacted if and only if it saves a warp",
     compaction_accuracy},
    {"compaction_accuracy_all", "", "the same of all meetings, since it is right not to compact where no warp parts",
     compaction_accuracy_all},
    {"bypass_accuracy", "", "compaction_accuracy_all of a mechanism that never compacts, such as pdom",
     bypass_accuracy},
    {"useful_compactions", "", "compactions that made fewer warps, of all", useful_compactions},
    {"sync_wait", "", "warp cycles spent waiting for the block's other warps, of those of resident blocks", sync_wait},
    {"extra_transactions", "", "lines that accesses touched beyond those of static warps, over these",
     extra_transactions},
    {"pcs_in_use", "PCs", "that threads of a multiprocessor stood at, on average over commits: starvation spreads them",
     pcs_in_use},
};

const int gpu_formula_count = sizeof gpu_formulas / sizeof *gpu_formulas;

/* GPGPU-Sim's L1 looks up loads and stores alike, and its misses do not hold merges ("pending hits"). */
VALUE(sim_l1_accesses, get(r, "l1d.accesses") + get(r, "l1d.stores"))
VALUE(sim_l1_misses, get(r, "l1d.misses") - get(r, "l1d.merges") + get(r, "l1d.stores") - get(r, "l1d.store_hits"))
VALUE(sim_l1_miss_rate, ratio(sim_l1_misses(r), sim_l1_accesses(r)))
COUNTER(sim_l1_pending, "l1d.merges")
COUNTER(sim_l2_accesses, "l2.accesses")
VALUE(sim_l2_misses, get(r, "l2.misses") - get(r, "l2.merges"))
VALUE(sim_l2_miss_rate, ratio(sim_l2_misses(r), sim_l2_accesses(r)))
COUNTER(sim_l2_pending, "l2.merges")
COUNTER(blocks, "sm.blocks")
VALUE(sim_reads, get(r, "l1d.misses") - get(r, "l1d.merges") + get(r, "l1d.bypasses"))
COUNTER(sim_writes, "l1d.stores")

const struct stat_formula gpu_names_gpgpusim[] = {
    {"gpu_sim_cycle", "cycles", "sm.cycles", cycles},
    {"gpu_sim_insn", "thread instructions", "sm.thread_instructions", thread_instructions},
    {"gpu_ipc", "per cycle", "sm.thread_instructions / sm.cycles", thread_ipc},
    {"gpu_tot_sim_cycle", "cycles", "sm.cycles: a launch stands for itself", cycles},
    {"gpu_tot_sim_insn", "thread instructions", "sm.thread_instructions: a launch stands for itself",
     thread_instructions},
    {"gpu_tot_ipc", "per cycle", "gpu_tot_sim_insn / gpu_tot_sim_cycle", thread_ipc},
    {"gpu_tot_issued_cta", "blocks", "sm.blocks", blocks},
    {"gpu_occupancy", "%", "100 * sm.resident_thread_cycles / peak.thread_cycles", occupancy_percent},
    {"L1D_total_cache_accesses", "lines", "l1d.accesses + l1d.stores", sim_l1_accesses},
    {"L1D_total_cache_misses", "lines", "l1d.misses - l1d.merges + l1d.stores - l1d.store_hits", sim_l1_misses},
    {"L1D_total_cache_miss_rate", "", "L1D_total_cache_misses / L1D_total_cache_accesses", sim_l1_miss_rate},
    {"L1D_total_cache_pending_hits", "lines", "l1d.merges", sim_l1_pending},
    {"L2_total_cache_accesses", "lines", "l2.accesses", sim_l2_accesses},
    {"L2_total_cache_misses", "lines", "l2.misses - l2.merges", sim_l2_misses},
    {"L2_total_cache_miss_rate", "", "L2_total_cache_misses / L2_total_cache_accesses", sim_l2_miss_rate},
    {"L2_total_cache_pending_hits", "lines", "l2.merges", sim_l2_pending},
    {"gpgpu_n_mem_read_global", "lines",
     "l1d.misses - l1d.merges + l1d.bypasses: reads sent to the L2, local memory's among them", sim_reads},
    {"gpgpu_n_mem_write_global", "lines", "l1d.stores: writes sent to the L2, local memory's among them", sim_writes},
};

const int gpu_names_gpgpusim_count = sizeof gpu_names_gpgpusim / sizeof *gpu_names_gpgpusim;

VALUE(nsight_l1_hits, 100 * ratio(get(r, "l1d.hits"), get(r, "l1d.accesses")))
VALUE(nsight_l2_hits, 100 * ratio(get(r, "l2.hits"), get(r, "l2.accesses")))
VALUE(nsight_dram, 100 * dram_utilisation(r))
COUNTER(passes, "sm.shared_passes")

const struct stat_formula gpu_names_nsight[] = {
    {"sm__cycles_elapsed.max", "cycles", "sm.cycles", cycles},
    {"smsp__inst_executed.sum", "inst", "sm.warp_instructions", warp_instructions},
    {"smsp__thread_inst_executed.sum", "inst", "sm.thread_instructions", thread_instructions},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", "threads", "sm.thread_instructions / sm.warp_instructions",
     threads_per_issue},
    {"sm__warps_active.avg.pct_of_peak_sustained_elapsed", "%",
     "100 * sm.resident_thread_cycles / peak.thread_cycles: threads of blocks that have not ended", occupancy_percent},
    {"l1tex__t_sector_hit_rate.pct", "%", "100 * l1d.hits / l1d.accesses: of lines, not sectors", nsight_l1_hits},
    {"lts__t_sector_hit_rate.pct", "%", "100 * l2.hits / l2.accesses: of lines, not sectors", nsight_l2_hits},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "passes", "sm.shared_passes", passes},
    {"dram__bytes.sum", "bytes", "dram.bytes", dram_bytes},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", "100 * dram.bus_cycles / peak.bus_cycles", nsight_dram},
};

const int gpu_names_nsight_count = sizeof gpu_names_nsight / sizeof *gpu_names_nsight;

static const struct stat_counter peak_counters[] = {
    {"sm_cycles", "cycles", "of all multiprocessors", offsetof(struct gpu_peak, sm_cycles), STAT_SUM},
    {"thread_cycles", "threads x cycles", "sm.resident_thread_cycles of a full machine",
     offsetof(struct gpu_peak, thread_cycles), STAT_SUM},
    {"bus_cycles", "memory cycles", "of all channels", offsetof(struct gpu_peak, bus_cycles), STAT_SUM},
    {"warp_width", "threads", "of a static warp", offsetof(struct gpu_peak, warp_width), STAT_MAX},
    {"core_mhz", "MHz", "the clock that cycles are counted in", offsetof(struct gpu_peak, core_mhz), STAT_MAX},
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
