/* Figures derived from counters, and the names that users know them by from other tools. */
#include "gpu/gpu.h"

static double get(const struct stat_result *r, const char *path)
{
    bool found;
    return (double)stat_get(r, path, &found);
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static double cycles(const struct stat_result *r)
{
    return get(r, "sm.cycles");
}

static double thread_ipc(const struct stat_result *r)
{
    return ratio(get(r, "sm.thread_instructions"), get(r, "sm.cycles"));
}

static double warp_ipc(const struct stat_result *r)
{
    return ratio(get(r, "sm.warp_instructions"), get(r, "sm.cycles"));
}

static double simd_efficiency(const struct stat_result *r)
{
    return ratio(get(r, "sm.thread_instructions"), get(r, "sm.issue_slots"));
}

static double threads_per_issue(const struct stat_result *r)
{
    return ratio(get(r, "sm.thread_instructions"), get(r, "sm.warp_instructions"));
}

static double transactions_per_access(const struct stat_result *r)
{
    return ratio(get(r, "sm.transactions"), get(r, "sm.memory_instructions"));
}

static double passes_per_access(const struct stat_result *r)
{
    return ratio(get(r, "sm.shared_passes"), get(r, "sm.shared_instructions"));
}

static double divergence(const struct stat_result *r)
{
    return ratio(get(r, "sm.divergent_branches"), get(r, "sm.branches"));
}

const struct stat_formula gpu_formulas[] = {
    {"thread_ipc", "thread instructions per cycle", "of the whole machine", thread_ipc},
    {"warp_ipc", "warp instructions per cycle", "of the whole machine", warp_ipc},
    {"simd_efficiency", "", "active threads of an issue over the warp width", simd_efficiency},
    {"divergence", "", "branches that diverged, of those that could", divergence},
    {"transactions_per_access", "lines", "of a warp instruction to the memory system",
     transactions_per_access},
    {"passes_per_shared_access", "passes", "of a warp instruction to shared memory", passes_per_access},
    {"gpu_tot_sim_cycle", "cycles", "GPGPU-Sim's name for cycles", cycles},
    {"gpu_ipc", "thread instructions per cycle", "GPGPU-Sim's name for thread_ipc", thread_ipc},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", "threads",
     "Nsight Compute's name for threads of an issue", threads_per_issue},
};

const int gpu_formula_count = sizeof gpu_formulas / sizeof *gpu_formulas;
