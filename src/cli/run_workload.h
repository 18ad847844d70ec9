/* Between the files of `heddle run`: runs of workloads. */
#ifndef HEDDLE_CLI_RUN_WORKLOAD_H
#define HEDDLE_CLI_RUN_WORKLOAD_H

#include "study/workload.h"

#include <stdbool.h>

struct workload_request {
    const struct workload *workload;
    const char *size; /* test, small or paper; NULL: small */
    char **words;     /* options of the run, for every launch */
    int word_count;
    bool wants_figures; /* print figures of all launches together, at the end */
};

/* Runs the program of the workload, and returns an exit status. */
int run_workload(const struct workload_request *r);

#endif
