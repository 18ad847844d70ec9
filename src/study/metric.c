/* Metrics of runs, by name. See verdict.h. */
#include "study/verdict.h"

#include <math.h>
#include <string.h>

static double ratio(double over, double under)
{
    return under > 0 ? over / under : NAN;
}

/* Times are inverse to speed: so that "a by b" is a's speedup over b. */
static double speed(const struct measurement *s)
{
    return ratio(1e9, measurement_sum(s, "cycles"));
}

static double efficiency(const struct measurement *s)
{
    return 100 * measurement_efficiency(s);
}

/* Cycles in which the port of loads and stores was held up behind the pipeline. */
static double memory_stalls(const struct measurement *s)
{
    return measurement_sum(s, "l1d.mshr_stall_cycles") + measurement_sum(s, "l1d.merge_stall_cycles") +
           measurement_sum(s, "l1d.miss_queue_stall_cycles") + measurement_sum(s, "l1d.write_queue_stall_cycles") +
           measurement_sum(s, "l1d.busy_cycles");
}

static double waiting_share(const struct measurement *s)
{
    return 100 * ratio(measurement_sum(s, "sm.W0_Mem"), measurement_sum(s, "peak.sm_cycles"));
}

/* Whichever mechanism it was. */
static double depth(const struct measurement *s)
{
    static const char *const paths[] = {"pdom.max_depth", "pdom-lcp.max_depth", "tbc.max_depth", "tbc-lcp.max_depth"};
    double most = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        most = fmax(most, measurement_max(s, paths[i]));
    return most;
}

static const struct {
    const char *name;
    double (*value)(const struct measurement *s);
} metrics[] = {
    {"speedup", speed},
    {"efficiency", efficiency},
    {"traffic", measurement_traffic},
    {"memory-stalls", memory_stalls},
    {"waiting-share", waiting_share},
    {"depth", depth},
};

bool evidence_is_right(const struct evidence *e, int program, int run)
{
    const struct trial *t = &e->trials[program * e->paper->run_count + run];
    return t->words.count && t->status == 0 && t->measurement.launches;
}

double metric_of(const struct evidence *e, const char *metric, int program, int run)
{
    if (!evidence_is_right(e, program, run))
        return NAN;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (!strcmp(metrics[i].name, metric))
            return metrics[i].value(&e->trials[program * e->paper->run_count + run].measurement);
    return NAN;
}
