/* Between the files of `heddle run`: runs of workloads. */
#ifndef HEDDLE_CLI_RUN_WORKLOAD_H
#define HEDDLE_CLI_RUN_WORKLOAD_H

#include "study/workload.h"

#include <stdbool.h>

struct gpu_run;

struct workload_request {
    const struct workload *workload;
    const char *size; /* test, small or paper; NULL: small */
    const char *ptx;  /* nvcc or plain; NULL: nvcc */
    bool wants_hints; /* the kernels with hints */
    char **words;     /* options of the run, for every launch */
    int word_count;
    const char *record_path;   /* value of --record; NULL: not given */
    const struct gpu_run *gpu; /* the machine and the mechanism; NULL: none */
    bool wants_figures;        /* print figures of all launches together, at the end */
    bool wants_check;          /* what --check finds makes the exit status 3 */
};

/* Runs the program of the workload, and returns an exit status. */
int run_workload(const struct workload_request *r);

#endif
