/* The hardware cost of a mechanism on a machine, added up and set against the baseline pdom. */
#ifndef HEDDLE_DIV_COST_H
#define HEDDLE_DIV_COST_H

#include "div/contract/cost.h"
#include "div/contract/div.h"

struct cost_sum {
    struct cost cost;
    double bits;     /* all storage terms */
    double baseline; /* those of pdom on this machine, with pdom's default knobs */
};

/* `knobs`: values of the mechanism's knobs; NULL if it has none. False: the mechanism does not say what it costs. */
bool cost_sum(const struct div_ops *mechanism, const struct cost_machine *machine, const void *knobs,
              struct cost_sum *out);

#endif
