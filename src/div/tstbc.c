/*
 * tstbc, tstbc-auto: thread block compaction with synchronisation in two stages (Zhang, He, Shen, Jiang and
 * Li, 2016, section 3).
 *
 * Nothing is predicted: the masks of warps that have come to a branch are looked at. The first n of a block
 * that part ways there wait for each other. If on the first path they would pack into fewer than n warps, all
 * others are waited for, and the block is compacted if that pays enough. If not, these n go on as they are;
 * the others are waited for, and compacted among themselves if that saves a warp. Each later path is judged
 * when it is about to run, over all that parted.
 *
 * What pays enough is the threshold T_WCT. The algorithm as printed compacts if the result has fewer than T
 * warps; the text on its Figure 14 fits a block that loses at least T warps. The knob `sense` has both. If
 * fewer than n warps part, any saved warp is enough.
 *
 * The released warps stay members of the frame, so that the later paths find all warps there, unless the
 * branch has one path only, or the knob `second_path` says `late`.
 *
 * tstbc-auto chooses n, T and the sense at run time, which the paper's conclusion asks for. A multiprocessor
 * tries each of a few settings for a while, not waiting at all among them, and keeps the one under which most
 * threads passed control instructions a cycle, until it tries again.
 *
 * Departure: the paper's stack counts up to 15 warps and has 32 entries; here neither has a limit.
 */
#include "div/frame.h"

#include "base/arena.h"

#include <stdlib.h>

enum tstbc_sense { SENSE_LANEMAX, SENSE_SAVED };
enum tstbc_second { SECOND_MEMBERS, SECOND_LATE };

struct tstbc_knobs {
    uint32_t n, threshold, late_threshold, sense, second_path;
    bool filter, drain;
};

static const char *const sense_names[] = {"lanemax", "saved", NULL};
static const char *const second_names[] = {"members", "late", NULL};

#define KNOB(field) .name = #field, .offset = offsetof(struct tstbc_knobs, field)

static const struct knob knobs[] = {
    {KNOB(n), .unit = "warps", .meaning = "that wait for each other in the first stage", .kind = KNOB_COUNT,
     .fallback = 3, .low = 1, .high = 64},
    {KNOB(threshold), .unit = "warps", .meaning = "T_WCT: what compaction must gain (see sense)",
     .kind = KNOB_COUNT, .fallback = 2, .low = 0, .high = 64},
    {KNOB(late_threshold), .unit = "warps",
     .meaning = "the same for the late warps of the second stage; 0: any saved warp is enough",
     .kind = KNOB_COUNT, .fallback = 0, .low = 0, .high = 64},
    {KNOB(sense), .unit = "",
     .meaning = "lanemax: compact if fewer than T warps are left; saved: if at least T go",
     .kind = KNOB_CHOICE, .fallback = SENSE_LANEMAX, .high = SENSE_SAVED, .choices = sense_names},
    {KNOB(second_path), .unit = "",
     .meaning = "who is there for the later paths: all that parted, or only those that came late",
     .kind = KNOB_CHOICE, .fallback = SECOND_MEMBERS, .high = SECOND_LATE, .choices = second_names},
    {KNOB(filter), .unit = "", .meaning = "warps that do not part ways go on at once", .kind = KNOB_BOOL,
     .fallback = 1},
    {KNOB(drain), .unit = "", .meaning = "a warp is dissolved only when its instructions are done",
     .kind = KNOB_BOOL, .fallback = 1},
};
static const struct knob_table knob_table = {"tstbc", knobs, sizeof knobs / sizeof *knobs};

static const struct stat_counter counters[] = {
    FRAME_COUNTERS,
    {FRAME_COUNTER(stages_all), .unit = "meetings",
     .meaning = "whose first warps would pack, so that all were waited for"},
    {FRAME_COUNTER(stages_released), .unit = "meetings", .meaning = "whose first warps went on as they were"},
};
static const struct stat_owner stats = {"tstbc", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct frame_counters)};

enum { MOST_SETTINGS = 3 };

static const double MARGIN = 1.1;

struct tuner {
    struct tstbc_knobs setting[MOST_SETTINGS];
    int count, current;
    uint64_t trial_cycles, keep_cycles;
    bool keeps;                      /* the best of those tried */
    uint64_t since, until, progress; /* of the current setting */
    double rate[MOST_SETTINGS];      /* threads a cycle, when it was tried last */
};

/* The setting that meetings are opened under now. */
static const struct tstbc_knobs *knobs_of(const struct div *d)
{
    const struct tuner *t = d->of_policy;
    return &t->setting[t->current];
}

static const struct tstbc_knobs *knobs_of_meeting(const struct div *d, const struct meeting *m)
{
    const struct tuner *t = d->of_policy;
    return &t->setting[m->setting];
}

static void begin(struct div *d, struct tuner *t, int setting, uint64_t cycles)
{
    t->current = setting;
    t->since = d->host->now;
    t->until = t->since + cycles;
    t->progress = d->progress;
}

/* The first, unless another is clearly better: rates are of different stretches of the program. */
static int best_of(const struct tuner *t)
{
    int best = 0;
    for (int i = 1; i < t->count; i++)
        if (t->rate[i] > t->rate[best] * (best ? 1 : MARGIN))
            best = i;
    return best;
}

static void tune(struct div *d, struct tuner *t)
{
    if (t->count == 1 || d->host->now < t->until)
        return;
    if (t->keeps) {
        t->keeps = false;
        begin(d, t, 0, t->trial_cycles);
        return;
    }
    if (t->until)
        t->rate[t->current] = (double)(d->progress - t->progress) / (double)(d->host->now - t->since + 1);
    if (t->until && t->current == t->count - 1) {
        t->keeps = true;
        begin(d, t, best_of(t), t->keep_cycles);
    } else {
        begin(d, t, t->until ? t->current + 1 : 0, t->trial_cycles);
    }
}

static bool is_below(const struct tstbc_knobs *k, uint32_t threshold, int before, int after)
{
    if (k->sense == SENSE_SAVED)
        return before - after >= (int)threshold && after < before;
    return after < (int)threshold && after < before;
}

static bool stalls(struct div *d, struct meeting *m)
{
    struct tuner *t = d->of_policy;
    tune(d, t);
    m->setting = t->current;
    return knobs_of(d)->n != 0;
}

/* They go on as they are. Where there is a second path they wait for it, since all are to be there then. */
static void let_go(struct div *d, struct meeting *m, enum path_rule later)
{
    if (knobs_of_meeting(d, m)->second_path == SECOND_MEMBERS && m->paths.count > 1 && m->arrivals.count > 1)
        meeting_run(d, m, false, later);
    else
        meeting_release(d, m);
}

static void came(struct div *d, struct meeting *m)
{
    int n = (int)knobs_of_meeting(d, m)->n;
    if (m->stage != STAGE_FIRST || m->arrivals.count < n)
        return;
    if (meeting_lanemax(m, 0, 0, NULL) < n) {
        m->stage = STAGE_ALL;
        d->counters.stages_all++;
        return;
    }
    m->stage = STAGE_LATE;
    d->counters.stages_released++;
    let_go(d, m, PATH_BY_THRESHOLD);
}

static bool judge(const struct tstbc_knobs *k, enum meeting_stage stage, int before, int after)
{
    switch (stage) {
    case STAGE_FIRST: /* fewer than n parted */
        return after < before;
    case STAGE_ALL:
        return is_below(k, k->threshold, before, after);
    case STAGE_LATE:
        return k->late_threshold ? is_below(k, k->late_threshold, before, after) : after < before;
    }
    return false;
}

static bool compacts(struct div *d, const struct frame_path *path, int after)
{
    const struct tstbc_knobs *k = knobs_of(d);
    return path->rule == PATH_IF_FEWER ? after < path->before
                                       : is_below(k, k->threshold, path->before, after);
}

/* Whether any path will have been compacted. */
static bool any_compacted(struct div *d, const struct meeting *m, int first, bool first_path,
                          enum path_rule later)
{
    for (int i = 1; i < m->paths.count && !first_path; i++) {
        struct frame_path path = {.rule = later};
        int after = meeting_lanemax(m, i, first, &path.before);
        first_path = path.before > 1 && compacts(d, &path, after);
    }
    return first_path;
}

static void closed(struct div *d, struct meeting *m)
{
    const struct tstbc_knobs *k = knobs_of_meeting(d, m);
    if (!m->stalls) {
        meeting_count(d, false, meeting_is_adequate(m));
        return;
    }
    enum path_rule later = m->stage == STAGE_FIRST ? PATH_IF_FEWER : PATH_BY_THRESHOLD;
    int before, after = meeting_lanemax(m, 0, m->next, &before);
    bool compact = judge(k, m->stage, before, after), members = k->second_path == SECOND_MEMBERS;
    bool keeps = members ? m->arrivals.count > 1 : compact;
    meeting_count(d, compact || (keeps && any_compacted(d, m, members ? 0 : m->next, compact, later)),
                  meeting_is_adequate(m));
    if (compact)
        meeting_run(d, m, true, later);
    else
        let_go(d, m, later);
}

static void destroy(struct div *d)
{
    free(d->of_policy);
}

static const struct frame_policy policy = {
    .stalls = stalls, .came = came, .closed = closed, .compacts = compacts, .destroy = destroy};

static struct div *tstbc_create(struct div_host *host, const void *knob_values)
{
    const struct tstbc_knobs *k = knob_values;
    struct div *d = frame_create(host, &policy, k->filter, k->drain);
    struct tuner *t = xcalloc(1, sizeof *t);
    t->setting[0] = *k;
    t->count = 1;
    d->of_policy = t;
    return d;
}

const struct div_ops div_tstbc = {
    .name = "tstbc",
    .summary = "thread block compaction in two stages: the first n warps, then all or the rest",
    .paper = "Zhang, He, Shen, Jiang and Li, two-stage synchronisation, 2016",
    .knobs = &knob_table,
    .stats = &stats,
    .create = tstbc_create,
    FRAME_CALLS,
};

/* ---- tstbc-auto ---- */

struct auto_knobs {
    uint32_t trial, keep;
    bool drain;
};

#define AUTO_KNOB(field) .name = #field, .offset = offsetof(struct auto_knobs, field)

static const struct knob auto_knobs[] = {
    {AUTO_KNOB(trial), .unit = "cycles", .meaning = "that a setting is tried for", .kind = KNOB_COUNT,
     .fallback = 1000, .low = 1, .high = 1e9},
    {AUTO_KNOB(keep), .unit = "cycles", .meaning = "that the best one is kept for", .kind = KNOB_COUNT,
     .fallback = 50000, .low = 1, .high = 1e9},
    {AUTO_KNOB(drain), .unit = "", .meaning = "a warp is dissolved only when its instructions are done",
     .kind = KNOB_BOOL, .fallback = 1},
};
static const struct knob_table auto_knob_table = {"tstbc-auto", auto_knobs,
                                                  sizeof auto_knobs / sizeof *auto_knobs};
static const struct stat_owner auto_stats = {"tstbc-auto", counters, sizeof counters / sizeof *counters,
                                             sizeof(struct frame_counters)};

static struct div *auto_create(struct div_host *host, const void *knob_values)
{
    static const struct tstbc_knobs settings[MOST_SETTINGS] = {
        {.n = 64, .threshold = 1, .sense = SENSE_SAVED},  /* all wait */
        {.n = 3, .threshold = 2, .sense = SENSE_LANEMAX}, /* as tuned in the paper */
        {.n = 0},                                         /* nobody waits */
    };
    const struct auto_knobs *k = knob_values;
    struct div *d = frame_create(host, &policy, true, k->drain);
    struct tuner *t = xcalloc(1, sizeof *t);
    t->count = MOST_SETTINGS;
    t->trial_cycles = k->trial;
    t->keep_cycles = k->keep;
    for (int i = 0; i < MOST_SETTINGS; i++)
        t->setting[i] = settings[i];
    d->of_policy = t;
    return d;
}

const struct div_ops div_tstbc_auto = {
    .name = "tstbc-auto",
    .summary = "tstbc that tries several settings and keeps the one under which most threads move on",
    .paper = "beyond Zhang et al., 2016, whose conclusion asks for it",
    .knobs = &auto_knob_table,
    .stats = &auto_stats,
    .create = auto_create,
    FRAME_CALLS,
};
