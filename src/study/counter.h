/* Counters by their paths, as metrics of papers: "sm.W1_4", "l1d.misses", "tbc.max_depth". */
#ifndef HEDDLE_STUDY_COUNTER_H
#define HEDDLE_STUDY_COUNTER_H

#include "study/measurement.h"

/* Whether docs/statistics.md has the path: a counter, a derived figure in cycles ("derived.data_stalls"), or, with *
 * for the owner ("*.stall_stall"), a counter of at least one mechanism. Other derived figures are ratios, whose sum
 * over launches means nothing. */
bool counter_exists(const char *path);

/* The sum over launches; NAN if the run did not count it. With * it is that of the mechanism that ran. */
double counter_value(const struct measurement *m, const char *path);

#endif
