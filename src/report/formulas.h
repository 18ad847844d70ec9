/*
 * Figures derived from counters, and the names that users know from other tools.
 *
 * Beside the counters themselves they read what the machine could have done at most in the same cycles: the owner
 * "peak".
 */
#ifndef HEDDLE_REPORT_FORMULAS_H
#define HEDDLE_REPORT_FORMULAS_H

#include "gpu/machine.h"
#include "stat/stat.h"

struct gpu_peak {
    uint64_t sm_cycles, thread_cycles, bus_cycles, warp_width, core_mhz;
};

extern const struct stat_owner gpu_peak_owner;
struct gpu_peak gpu_peak_of(const struct machine *m, uint64_t cycles);

enum { GPU_MECHANISM_FORMULAS = 7 }; /* the last of gpu_formulas: they say how well a mechanism does */

extern const struct stat_formula gpu_formulas[], gpu_names_gpgpusim[], gpu_names_nsight[];
extern const int gpu_formula_count, gpu_names_gpgpusim_count, gpu_names_nsight_count;

#endif
