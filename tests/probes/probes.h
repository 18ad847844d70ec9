/*
 * Probes: three small mechanisms that prove the mechanism contract (div/contract/div.h) from outside.
 *
 * Each takes a family of the literature by its essence alone, and uses calls that the others do not:
 * regrouping at commit, slices that run side by side, barriers among threads with PCs of their own. They are
 * correct, not fast, and no part of the library.
 */
#ifndef HEDDLE_TESTS_PROBES_H
#define HEDDLE_TESTS_PROBES_H

#include "div/contract/div.h"

extern const struct div_ops probe_regroup, probe_gangs, probe_barriers;
extern const struct div_ops probe_split; /* the example of docs/adding-a-mechanism.md */

/* By name, or NULL. */
const struct div_ops *probe_find(const char *name);

#endif
