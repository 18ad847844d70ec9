/*
 * The built-in workloads: programs on the CUDA driver API, one for each folder of workloads/, which make their input,
 * run their kernels, and verify the result. heddle runs them as processes; they know nothing of it but its libcuda.
 */
#ifndef HEDDLE_STUDY_WORKLOAD_H
#define HEDDLE_STUDY_WORKLOAD_H

struct workload {
    const char *name;
    const char *label; /* the name that papers use; NULL: no paper has the program */
    const char *title; /* what the program computes, in a phrase */
    const char *suite; /* the collection of benchmarks that it is from; NULL: none, or none is known */
    /* The set that each paper puts the program in (workloads.def says which there are); NULL: the paper has it not. */
    const char *tbc, *dpe, *tstbc, *sr, *vws;
    /* The program relies on warps in lock-step (docs/lockstep.md), and this workload is the same without that reliance.
     * NULL: the program does not rely on lock-step. */
    const char *synced;
    const char *number; /* of a generated kernel, all of which are run by one program, apps; NULL: it is not one */
};

/* The last one of each has no name. Generated kernels stand in for the applications of a survey: docs/workloads.md. */
extern const struct workload workload_table[], workload_generated[];

/* The workload of this name or label, in capitals or not; NULL: there is none. */
const struct workload *workload_find(const char *name);
/* The path of the workload's program, owned by the caller; NULL and an error text if there is none. The folder that
 * HEDDLE_WORKLOADS names is looked at, or else those of study/installed.h. */
char *workload_program(const struct workload *workload, char **error);

#endif
