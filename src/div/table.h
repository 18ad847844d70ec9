/* The table of divergence mechanisms: the one place that names them all. */
#ifndef HEDDLE_DIV_TABLE_H
#define HEDDLE_DIV_TABLE_H

#include "div/contract/div.h"

/* The mechanism of this name; NULL: there is none. */
const struct div_ops *div_find(const char *name);
/* All mechanisms, ended by NULL. */
const struct div_ops *const *div_all(void);
/* The scheduler with which the mechanism's paper evaluates it; "": the paper names none, or the mechanism is a baseline
 * that papers evaluate with different ones, so the machine's is meant. docs/sources/schedulers.md has the places. */
const char *div_paper_scheduler(const struct div_ops *mechanism);

#endif
