/*
 * Metrics of runs, by the names that claims and figures of papers use: one row of the table each, and every counter by
 * its path.
 *
 * A metric names the counters that it needs. If a run did not write one of them (another version of heddle may count
 * otherwise), the metric has no value, rather than a zero that looks like a measurement.
 */
#include "study/verdict.h"

#include "div/table.h"
#include "div/vws/vws.h"
#include "study/counter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { METRIC_MAX_COUNTERS = 3 };

static double ratio(double over, double under)
{
    return under > 0 ? over / under : NAN;
}

/* The inverse of time, so that the ratio of a to b is the speedup of a over b. */
static double speed(const struct measurement *s)
{
    return ratio(1e9, measurement_sum(s, "cycles"));
}

static double efficiency(const struct measurement *s)
{
    return 100 * measurement_efficiency(s);
}

/* Stall cycles of the memory pipes: data, shared, constant and texture (report/stalls.h). */
static double memory_stalls(const struct measurement *s)
{
    return measurement_sum(s, "derived.memory_stalls");
}

static double waiting_share(const struct measurement *s)
{
    return 100 * ratio(measurement_sum(s, "sm.W0_Mem"), measurement_sum(s, "peak.sm_cycles"));
}

/* Entries of the deepest stack, of the mechanism that ran; NAN: it has no stack. */
static double depth(const struct measurement *s)
{
    double most = NAN;
    for (const struct div_ops *const *m = div_all(); *m; m++) {
        char path[64];
        snprintf(path, sizeof path, "%s.max_depth", (*m)->name);
        if (measurement_has(s, path))
            most = fmax(most, measurement_max(s, path));
    }
    return most;
}

/* Paths of a warp that could issue, over all rounds in which each path issues once (AvgPath of Rhu and Erez, HPCA 2013,
 * section 6.1, whose example counts rounds). pdom has one path by construction; NAN: the mechanism counts no paths. */
static double average_path(const struct measurement *s)
{
    for (const struct div_ops *const *m = div_all(); *m; m++) {
        char issues[64], rounds[64];
        snprintf(issues, sizeof issues, "%s.issues", (*m)->name);
        snprintf(rounds, sizeof rounds, "%s.rounds", (*m)->name);
        if (measurement_has(s, rounds))
            return ratio(measurement_sum(s, issues), measurement_sum(s, rounds));
    }
    return measurement_has(s, "pdom.max_depth") ? 1 : NAN;
}

/* Cycles of multiprocessors in which no warp was ready, whether memory was waited for or not. */
static double idle_cycles(const struct measurement *s)
{
    return measurement_sum(s, "sm.W0_Mem") + measurement_sum(s, "sm.W0_Idle");
}

static double l1_misses(const struct measurement *s)
{
    return measurement_sum(s, "l1d.misses");
}

static double l2_misses(const struct measurement *s)
{
    return measurement_sum(s, "l2.misses");
}

/* Decisions to compact warps (stall) or not (bypass), by what would have been right: actual, then ideal, as Zhang et
 * al. draw them (2016, Figs 7 and 8). capri, tstbc and tstbc-auto decide at a meeting of warps, bcc and scc at every
 * branch of a warp. Not to compact where no warp diverges is right. */
struct decisions {
    double stall_stall, bypass_bypass, stall_bypass, bypass_stall;
    double all;
};

static double of_mechanism(const struct measurement *s, const char *mechanism, const char *counter)
{
    char path[64];
    snprintf(path, sizeof path, "%s.%s", mechanism, counter);
    return measurement_sum(s, path); /* 0 if the mechanism cannot decide so */
}

/* The mechanism of the run that counts what the metric needs; NULL: it does not. */
static const char *mechanism_with(const struct measurement *s, const char *counter)
{
    for (const struct div_ops *const *m = div_all(); *m; m++) {
        char path[64];
        snprintf(path, sizeof path, "%s.%s", (*m)->name, counter);
        if (measurement_has(s, path))
            return (*m)->name;
    }
    return NULL;
}

static bool find_decisions(const struct measurement *s, struct decisions *d)
{
    const char *name = mechanism_with(s, "stall_stall");
    if (!name)
        return false;
    d->stall_stall = of_mechanism(s, name, "stall_stall");
    d->bypass_bypass = of_mechanism(s, name, "bypass_bypass") + of_mechanism(s, name, "uniform_meetings");
    d->stall_bypass = of_mechanism(s, name, "stall_bypass");
    d->bypass_stall = of_mechanism(s, name, "bypass_stall");
    d->all = d->stall_stall + d->bypass_bypass + d->stall_bypass + d->bypass_stall;
    return true;
}

/* A program whose warps never meet, because its blocks have one warp or its branches are all uniform, has no decision
 * that could be wrong. */
static double share_of_decisions(double part, double all)
{
    return all > 0 ? 100 * part / all : 100;
}

static double accuracy(const struct measurement *s)
{
    struct decisions d;
    return find_decisions(s, &d) ? share_of_decisions(d.stall_stall + d.bypass_bypass, d.all) : NAN;
}

/* The accuracy less that of a mechanism which never compacts, such as pdom. */
static double accuracy_above_bypass(const struct measurement *s)
{
    struct decisions d;
    return find_decisions(s, &d) ? accuracy(s) - share_of_decisions(d.bypass_bypass + d.stall_bypass, d.all) : NAN;
}

static double bypass_share(const struct measurement *s)
{
    struct decisions d;
    return find_decisions(s, &d) ? share_of_decisions(d.bypass_bypass + d.bypass_stall, d.all) : NAN;
}

/* The four kinds of decisions as parts of all; a program without any bypasses rightly. */
static double stall_stall_share(const struct measurement *s)
{
    struct decisions d;
    return !find_decisions(s, &d) ? NAN : d.all > 0 ? 100 * d.stall_stall / d.all : 0;
}

static double bypass_bypass_share(const struct measurement *s)
{
    struct decisions d;
    return !find_decisions(s, &d) ? NAN : d.all > 0 ? 100 * d.bypass_bypass / d.all : 100;
}

static double stall_bypass_share(const struct measurement *s)
{
    struct decisions d;
    return !find_decisions(s, &d) ? NAN : d.all > 0 ? 100 * d.stall_bypass / d.all : 0;
}

static double bypass_stall_share(const struct measurement *s)
{
    struct decisions d;
    return !find_decisions(s, &d) ? NAN : d.all > 0 ? 100 * d.bypass_stall / d.all : 0;
}

/* Of the decisions where compaction saves nothing, those not to compact. */
static double bypass_accuracy(const struct measurement *s)
{
    struct decisions d;
    return find_decisions(s, &d) ? share_of_decisions(d.bypass_bypass, d.bypass_bypass + d.stall_bypass) : NAN;
}

static double needless_compactions(const struct measurement *s)
{
    struct decisions d;
    return find_decisions(s, &d) ? d.stall_bypass : NAN;
}

/* No value if nothing was compacted. */
static double needless_share(const struct measurement *s)
{
    struct decisions d;
    return find_decisions(s, &d) ? 100 * ratio(d.stall_bypass, d.stall_stall + d.stall_bypass) : NAN;
}

/* Cycles that a warp waits for others in a meeting; no value if no warp waited. */
static double meeting_wait(const struct measurement *s)
{
    const char *name = mechanism_with(s, "wait_cycles");
    return name ? ratio(of_mechanism(s, name, "wait_cycles"), of_mechanism(s, name, "waits")) : NAN;
}

/* A program without a branch has none that diverges, and one without loads no misses. */
static double divergence(const struct measurement *s)
{
    double branches = measurement_sum(s, "sm.branches");
    return branches > 0 ? 100 * measurement_sum(s, "sm.divergent_branches") / branches : 0;
}

static double l1d_miss_rate(const struct measurement *s)
{
    double accesses = measurement_sum(s, "l1d.accesses");
    return accesses > 0 ? 100 * measurement_sum(s, "l1d.misses") / accesses : 0;
}

static double fetch_rate(const struct measurement *s)
{
    return ratio(measurement_sum(s, "sm.fetches"), measurement_sum(s, "sm.cycles"));
}

/* Instructions per cycle that issues any. */
static double issues(const struct measurement *s)
{
    double width = measurement_max(s, "peak.warp_width");
    return ratio(measurement_sum(s, "sm.warp_instructions") * width, measurement_sum(s, "sm.issue_slots"));
}

/* Picojoules of fetch, decode and scheduling per thread instruction: report/energy.h. */
static double front_end_energy(const struct measurement *s)
{
    static const char *const parts[] = {"energy.l0",     "energy.l1",     "energy.l2",
                                        "energy.decode", "energy.slices", "energy.picks"};
    double sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        sum += measurement_sum(s, parts[i]);
    return sum > 0 ? ratio(sum, measurement_sum(s, "sm.thread_instructions")) : NAN;
}

/* Lines per 1000 thread instructions that loads look up in the L1 data cache, find there, miss, or miss while the line
 * is on its way; a miss of the last kind is none of the third. */
static double pki(const struct measurement *s, double lines)
{
    return 1000 * ratio(lines, measurement_sum(s, "sm.thread_instructions"));
}

static double l1_accesses_pki(const struct measurement *s)
{
    return pki(s, measurement_sum(s, "l1d.accesses"));
}

static double l1_hits_pki(const struct measurement *s)
{
    return pki(s, measurement_sum(s, "l1d.hits"));
}

static double l1_misses_pki(const struct measurement *s)
{
    return pki(s, measurement_sum(s, "l1d.misses") - measurement_sum(s, "l1d.merges"));
}

static double l1_merges_pki(const struct measurement *s)
{
    return pki(s, measurement_sum(s, "l1d.merges"));
}

/* The size of gangs in which most slice warps run that have left their original gang; NAN: no gang has split. */
static double split_size(const struct measurement *s)
{
    double most = 0, size = NAN;
    for (int i = 1; i < VWS_SIZES; i++) {
        char path[16];
        snprintf(path, sizeof path, "vws.in_%d", i);
        if (measurement_sum(s, path) > most) {
            most = measurement_sum(s, path);
            size = i;
        }
    }
    return size;
}

/* Predicted reconvergence points that the launches honoured. */
static double predictions(const struct measurement *s)
{
    return measurement_sum(s, "volta.predictions");
}

/* Warp instructions, operations on convergence barriers among them. */
static double instructions(const struct measurement *s)
{
    double sum = measurement_sum(s, "warp_instructions");
    static const char *const operations[] = {"volta.joins", "volta.waits", "volta.cancels", "volta.yields"};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        sum += measurement_sum(s, operations[i]);
    return sum;
}

static const struct metric {
    const char *name;
    enum metric_unit unit;
    double (*value)(const struct measurement *s);
    const char *counters[METRIC_MAX_COUNTERS]; /* paths in the JSON of a launch; NULL behind the last */
} metrics[] = {
    {"speedup", METRIC_NUMBER, speed, {"cycles"}},
    {"efficiency", METRIC_SHARE, efficiency, {"sm.thread_instructions", "sm.issue_slots"}},
    {"traffic", METRIC_NUMBER, measurement_traffic, {"crossbar.request_bytes", "crossbar.reply_bytes"}},
    {"memory-stalls", METRIC_NUMBER, memory_stalls, {"derived.memory_stalls"}},
    {"waiting-share", METRIC_SHARE, waiting_share, {"sm.W0_Mem", "peak.sm_cycles"}},
    {"depth", METRIC_NUMBER, depth, {NULL}},
    {"avg-path", METRIC_NUMBER, average_path, {NULL}},
    {"idle-cycles", METRIC_NUMBER, idle_cycles, {"sm.W0_Mem", "sm.W0_Idle"}},
    {"l1-misses", METRIC_NUMBER, l1_misses, {"l1d.misses"}},
    {"l2-misses", METRIC_NUMBER, l2_misses, {"l2.misses"}},
    {"divergence", METRIC_SHARE, divergence, {"sm.branches", "sm.divergent_branches"}},
    {"l1d-miss-rate", METRIC_SHARE, l1d_miss_rate, {"l1d.accesses", "l1d.misses"}},
    {"accuracy", METRIC_SHARE, accuracy, {NULL}},
    {"accuracy-above-bypass", METRIC_SHARE, accuracy_above_bypass, {NULL}},
    {"bypass-share", METRIC_SHARE, bypass_share, {NULL}},
    {"stall-stall-share", METRIC_SHARE, stall_stall_share, {NULL}},
    {"bypass-bypass-share", METRIC_SHARE, bypass_bypass_share, {NULL}},
    {"stall-bypass-share", METRIC_SHARE, stall_bypass_share, {NULL}},
    {"bypass-stall-share", METRIC_SHARE, bypass_stall_share, {NULL}},
    {"bypass-accuracy", METRIC_SHARE, bypass_accuracy, {NULL}},
    {"needless-compactions", METRIC_NUMBER, needless_compactions, {NULL}},
    {"needless-share", METRIC_SHARE, needless_share, {NULL}},
    {"meeting-wait", METRIC_NUMBER, meeting_wait, {NULL}},
    {"fetch-rate", METRIC_NUMBER, fetch_rate, {"sm.fetches", "sm.cycles"}},
    {"issues", METRIC_NUMBER, issues, {"sm.warp_instructions", "sm.issue_slots", "peak.warp_width"}},
    {"front-end-energy", METRIC_NUMBER, front_end_energy, {"energy.decode", "sm.thread_instructions"}},
    {"l1-accesses-pki", METRIC_NUMBER, l1_accesses_pki, {"l1d.accesses", "sm.thread_instructions"}},
    {"l1-hits-pki", METRIC_NUMBER, l1_hits_pki, {"l1d.hits", "sm.thread_instructions"}},
    {"l1-misses-pki", METRIC_NUMBER, l1_misses_pki, {"l1d.misses", "l1d.merges", "sm.thread_instructions"}},
    {"l1-merges-pki", METRIC_NUMBER, l1_merges_pki, {"l1d.merges", "sm.thread_instructions"}},
    {"split-size", METRIC_NUMBER, split_size, {"vws.in_1"}},
    {"predictions", METRIC_NUMBER, predictions, {"volta.predictions"}},
    {"instructions", METRIC_NUMBER, instructions, {"warp_instructions"}},
};

enum { METRIC_COUNT = sizeof metrics / sizeof *metrics };

static const struct metric *find_metric(const char *name)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        if (!strcmp(metrics[i].name, name))
            return &metrics[i];
    return NULL;
}

bool metric_check(const char *name, struct text *why)
{
    if (find_metric(name) || counter_exists(name))
        return true;
    text_printf(why, "there is no metric '%s'; there are", name);
    for (int i = 0; i < METRIC_COUNT; i++)
        text_printf(why, " %s,", metrics[i].name);
    text_printf(why, " the counters of heddle list stats, and verdict for the rule 'is'");
    return false;
}

enum metric_unit metric_unit(const char *name)
{
    const struct metric *m = find_metric(name);
    return m ? m->unit : METRIC_NUMBER;
}

bool evidence_is_right(const struct evidence *e, int program, int run)
{
    const struct trial *t = &e->trials[program * e->paper->run_count + run];
    return t->words.count && t->status == 0 && t->measurement.launches;
}

double metric_of(const struct evidence *e, const char *name, int program, int run)
{
    const struct metric *m = find_metric(name);
    const struct measurement *s = &e->trials[program * e->paper->run_count + run].measurement;
    if (!evidence_is_right(e, program, run))
        return NAN;
    if (!m)
        return counter_value(s, name);
    for (int i = 0; i < METRIC_MAX_COUNTERS && m->counters[i]; i++)
        if (!measurement_has(s, m->counters[i]))
            return NAN;
    return m->value(s);
}
