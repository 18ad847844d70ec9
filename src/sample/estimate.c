/* Estimates and their intervals: see estimate.h. */
#include "sample/estimate.h"

const double sample_allowance = 0.01;
const double sample_target = 0.05;

double sample_relative_half(const struct sample_estimate *e)
{
    return e->cycles > 0 ? e->half_cycles / e->cycles : 0;
}

double sample_timed_share(const struct sample_estimate *e)
{
    return e->work > 0 ? e->timed_work / e->work : 1;
}

double sample_student(int degrees)
{
    /* Quantiles at 97.5 %, to the third digit behind the point. */
    static const double quantiles[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                       2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
    enum { LISTED = sizeof quantiles / sizeof *quantiles };
    if (degrees < 1)
        degrees = 1;
    return degrees <= LISTED ? quantiles[degrees - 1] : 1.960 + 2.5 / degrees;
}
