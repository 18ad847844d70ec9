/*
 * A sample: what one run of a program measured, over all its launches, from the lines of JSON that it wrote.
 *
 * Every number of a line is kept by its path ("sm.cycles", "tbc.max_depth"), as the sum over launches and as the
 * largest of them; figures over whole runs are ratios of sums. Branches are kept one by one, across launches. Of launches
 * whose memory was compared with the functional result (--verify), the worst is kept, and the first of these.
 */
#ifndef HEDDLE_STUDY_MEASUREMENT_H
#define HEDDLE_STUDY_MEASUREMENT_H

#include "report/verification.h"

#include <stdbool.h>
#include <stdint.h>

struct measurement_value;

/* A branch of a kernel, and the issues' worth of empty lanes that are put down to it. */
struct measurement_branch {
    char *kernel, *where;
    uint64_t pc;
    double lost_issues;
};

struct measurement {
    int launches, faults;             /* faults: launches that were ended */
    int compared;                     /* launches whose memory was compared with the functional result; of these ... */
    int unordered, racing, wrong;     /* ... that differ: as they may, with a race, and without a reason */
    struct verification *memory;      /* of the first launch of the worst of these kinds; NULL: none differs */
    struct measurement_value *values; /* by path */
    struct measurement_branch *branches;
    int branch_count, branch_capacity;
};

/* Adds a launch's line. False and an error text. */
bool measurement_add_line(struct measurement *s, const char *line, char **error);
/* Adds all lines of a file. */
bool measurement_add_file(struct measurement *s, const char *path, char **error);
void measurement_free(struct measurement *s);

/* Over the launches; 0 if no line has the path. */
double measurement_sum(const struct measurement *s, const char *path);
double measurement_max(const struct measurement *s, const char *path);

/* Of whole runs: threads of an issue over its lanes, NAN if nothing issued; and bytes through the crossbar, both ways. */
double measurement_efficiency(const struct measurement *s);
double measurement_traffic(const struct measurement *s);

/* The branch that loses most; NULL if none loses anything. */
const struct measurement_branch *measurement_worst_branch(const struct measurement *s);

#endif
