/*
 * The built-in workloads: programs on the driver API that are built beside heddle, one for each folder of workloads/.
 */
#ifndef HEDDLE_STUDY_WORKLOAD_H
#define HEDDLE_STUDY_WORKLOAD_H

struct workload {
    const char *name;
    const char *label; /* what papers call it */
    const char *title;
};

/* All of them; the last has no name. */
extern const struct workload workload_table[];

const struct workload *workload_find(const char *name); /* by name or label; NULL */
/* The path of its program, owned by the caller; NULL and an error text if it is not there. It is looked for in the
 * folder that HEDDLE_WORKLOADS names, then in workloads/ beside heddle itself. */
char *workload_program(const struct workload *workload, char **error);

#endif
