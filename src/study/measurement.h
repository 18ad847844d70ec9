/*
 * Measurements: what one run of a program counted, over all its launches, from the lines of JSON that the run wrote.
 *
 * Every number of a line is kept by its path ("sm.cycles", "tbc.max_depth"), as the sum over launches and as the
 * largest of any launch; figures of whole runs are ratios of sums. Intervals (--interval) are numbered over all
 * launches, so that each of their numbers has a path of its own: "intervals.0.cycles". Branches are kept one by one,
 * across launches. Of the launches whose memory was compared with the functional result (--verify), the one with the
 * worst verdict is kept, the first of equals.
 */
#ifndef HEDDLE_STUDY_MEASUREMENT_H
#define HEDDLE_STUDY_MEASUREMENT_H

#include "report/verification.h"
#include "store/result.h"

#include <stdbool.h>
#include <stdint.h>

struct measurement_value;

/* A branch of a kernel, and what it is charged with. */
struct measurement_branch {
    char *kernel, *where; /* where: source line; NULL if the run did not say. Both owned */
    uint64_t pc;
    double executed, diverged; /* warp instructions: all of them, and those after which threads went both ways */
    double threads, taken;     /* thread instructions: all of them, and those that took the branch */
    double lost_lanes;         /* empty lanes that the branch is charged with */
    double lost_issues;        /* the same, divided by the warp width */
};

struct measurement {
    int launches;
    int intervals;                    /* of all launches, in runs with --interval */
    int faults;                       /* launches that a fault ended */
    int compared;                     /* launches whose memory was compared with the functional result */
    int unordered;                    /* compared launches that differ lawfully: by the order of atomics and the like */
    int racing;                       /* compared launches that differ and whose threads race */
    int wrong;                        /* compared launches that differ, and nothing explains it */
    struct verification *memory;      /* of the first launch with the worst verdict; NULL: no launch differs */
    char *scheduler;                  /* of the machine of the first launch; NULL: the run did not say. Owned */
    struct measurement_value *values; /* numbers, by path */
    struct measurement_branch *branches;
    int branch_count, branch_capacity;
};

/* Adds one launch: a line of JSON. A line with the total of a program adds nothing. False and an error text. */
bool measurement_add_line(struct measurement *s, const char *line, char **error);
/* Adds all launches of a file. */
bool measurement_add_file(struct measurement *s, const char *path, char **error);
void measurement_free(struct measurement *s);

/* Adds what was measured to a result (store/result.h) that has no figures yet, and takes it from a result into a
 * measurement that is zero. False and an error text if the result's `memory` cannot be read. */
void measurement_save(const struct measurement *s, struct result *result);
bool measurement_load(struct measurement *s, const struct result *result, char **error);

/* Whether any launch has a number of this path. */
bool measurement_has(const struct measurement *s, const char *path);
/* The sum over launches, and the largest of any launch; 0 if no launch has the path. */
double measurement_sum(const struct measurement *s, const char *path);
double measurement_max(const struct measurement *s, const char *path);

/* SIMD efficiency of all launches together: threads that issued over lanes of their issues; NAN if nothing issued. */
double measurement_efficiency(const struct measurement *s);
/* Bytes through the crossbar, requests and replies. */
double measurement_traffic(const struct measurement *s);

/* The branch with the most issues lost; NULL if no branch lost any. */
const struct measurement_branch *measurement_worst_branch(const struct measurement *s);

#endif
