/*
 * The energy of a launch: events that were counted, times published energies per event (energy.def).
 *
 * The figures compare runs with each other, part by part; they are no watts. Left out: leakage and clocks, the data
 * side of the memory system, and wires between the parts. The front end has no energy on a machine whose fetch is
 * ideal.
 */
#ifndef HEDDLE_REPORT_ENERGY_H
#define HEDDLE_REPORT_ENERGY_H

#include "flow/program.h"
#include "gpu/gpu.h"

/* In picojoules; energy_counters in energy.c says what each field is. */
struct energy {
    uint64_t l0, l1, l2, decode, slices, picks; /* the front end */
    uint64_t registers, lanes;                  /* the back end */
};

extern const struct stat_owner energy_owner;

struct energy energy_of(const struct machine *m, const struct program *p, const struct gpu_result *result);

/* The rows of energy.def; the last has no name. */
struct energy_figure {
    const char *name;
    double picojoules;
    const char *meaning, *source;
};
extern const struct energy_figure energy_figures[];

#endif
