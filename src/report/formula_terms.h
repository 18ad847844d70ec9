/*
 * Terms that formulas are written in: counters by path, ratios, and macros that turn an expression over them into a
 * function. For the files that hold tables of formulas; nothing else includes this.
 */
#ifndef HEDDLE_REPORT_FORMULA_TERMS_H
#define HEDDLE_REPORT_FORMULA_TERMS_H

#include "stat/stat.h"

#include <math.h>
#include <stdbool.h>

/* The counter at "owner.name"; NAN if nobody keeps it in this run. */
static inline double get(const struct stat_result *r, const char *path)
{
    bool found;
    double value = (double)stat_get(r, path, &found);
    return found ? value : NAN;
}

/* NAN if there is nothing to divide by. */
static inline double ratio(double over, double under)
{
    return under > 0 ? over / under : NAN;
}

#define VALUE(id, expression)                     \
    static double id(const struct stat_result *r) \
    {                                             \
        return expression;                        \
    }
#define COUNTER(id, path)             VALUE(id, get(r, path))
#define RATIO(id, scale, over, under) VALUE(id, (scale)*ratio(get(r, over), get(r, under)))

#endif
