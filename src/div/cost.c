/* Adding up the terms of a mechanism's cost. See cost.h. */
#include "div/cost.h"

#include "div/parts/cost.h"

static double storage(const struct cost *c)
{
    double bits = 0;
    for (int i = 0; i < c->count; i++)
        if (c->terms[i].kind == COST_STORAGE)
            bits += c->terms[i].count * c->terms[i].each;
    return bits;
}

bool cost_sum(const struct div_ops *mechanism, const struct cost_machine *machine, const void *knobs,
              struct cost_sum *out)
{
    struct cost baseline = {.machine = machine};
    *out = (struct cost_sum){.cost = {.machine = machine, .knobs = knobs}};
    if (!mechanism->cost)
        return false;
    mechanism->cost(&out->cost);
    out->bits = storage(&out->cost);
    cost_baseline(&baseline, 0);
    out->baseline = storage(&baseline);
    return true;
}
