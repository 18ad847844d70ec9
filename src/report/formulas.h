/*
 * Formulas: figures derived from the counters of a launch, with a name, a unit and a meaning each.
 *
 * Beside the counters a formula may read the owner "peak": the most that the machine could have done in the cycles of
 * the launch.
 */
#ifndef HEDDLE_REPORT_FORMULAS_H
#define HEDDLE_REPORT_FORMULAS_H

#include "gpu/machine.h"
#include "stat/stat.h"

/* The most that the machine could have done; peak_counters in formulas.c says what each field is. */
struct gpu_peak {
    uint64_t sm_cycles, thread_cycles, bus_cycles, warp_width, core_mhz;
};

extern const struct stat_owner gpu_peak_owner;
struct gpu_peak gpu_peak_of(const struct machine *m, uint64_t cycles);

/* heddle's own figures. The last GPU_MECHANISM_FORMULAS of them say how well a mechanism does. */
enum { GPU_MECHANISM_FORMULAS = 7 };
extern const struct stat_formula gpu_formulas[];
extern const int gpu_formula_count;

/* Figures under the names that GPGPU-Sim and Nsight Compute give them: other_tools.c. */
extern const struct stat_formula gpu_names_gpgpusim[], gpu_names_nsight[];
extern const int gpu_names_gpgpusim_count, gpu_names_nsight_count;

#endif
