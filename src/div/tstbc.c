/*
 * tstbc: thread block compaction with synchronisation in two stages (Zhang, He, Shen, Jiang and Li, 2016, section 3).
 *
 * Nothing is predicted; the masks of the warps that have come to a branch decide. The first n warps of a block that
 * diverge there wait for each other. If on the first path they could be compacted into fewer than n warps, they wait
 * for all other warps, and the block is compacted if that saves enough. Otherwise these n warps go on as they are; the
 * others wait for each other, and are compacted among themselves if that saves a warp. Each later path is judged when
 * it is about to run, over all warps that diverged.
 *
 * The threshold T_WCT says how much is enough. The algorithm as printed compacts if fewer than T_WCT warps are left;
 * the text on Figure 14 fits a block that loses at least T_WCT warps. The knob `sense` selects either. If fewer than n
 * warps diverge, one saved warp is enough.
 *
 * The released warps stay members of the frame, so that later paths find all warps there, unless the branch has one
 * path only or the knob `second_path` is `late`.
 *
 * The paper's stack counts up to 15 arrived warps (4 bits) and has 32 entries. By default neither is limited here. With
 * the knob `counted`, a meeting closes when as many warps have arrived as the count can hold, and later warps meet
 * anew; `stack_entries` limits the stack (div/parts/stack_time.h).
 */
#include "div/parts/cost.h"
#include "div/parts/frame.h"

#include "base/arena.h"

#include <stdlib.h>

enum tstbc_sense { SENSE_LANEMAX, SENSE_SAVED };
enum tstbc_second { SECOND_MEMBERS, SECOND_LATE };

struct tstbc_knobs {
    uint32_t n, threshold, late_threshold, sense, second_path, counted;
    bool filter, drain, compaction;
    struct stack_time_knobs stack;
};

static const char *const sense_names[] = {"lanemax", "saved", NULL};
static const char *const second_names[] = {"members", "late", NULL};

#define KNOB(field) .name = #field, .offset = offsetof(struct tstbc_knobs, field)

static const struct knob knobs[] = {
    {KNOB(n), .unit = "warps", .meaning = "Warps that wait for each other in the first stage.", .kind = KNOB_COUNT,
     .fallback = 3, .low = 1, .high = 64},
    {KNOB(threshold), .unit = "warps",
     .meaning = "T_WCT, in warps: those that compaction may leave, or must save, as tstbc.sense says.",
     .kind = KNOB_COUNT, .fallback = 2, .low = 0, .high = 64},
    {KNOB(late_threshold), .unit = "warps",
     .meaning = "T_WCT for the late warps of the second stage; 0: one saved warp is enough.", .kind = KNOB_COUNT,
     .fallback = 0, .low = 0, .high = 64},
    {KNOB(sense), .unit = "",
     .meaning =
         "When to compact: if fewer than T_WCT warps are left (lanemax), or if at least T_WCT are saved (saved).",
     .kind = KNOB_CHOICE, .fallback = SENSE_LANEMAX, .high = SENSE_SAVED, .choices = sense_names},
    {KNOB(second_path), .unit = "",
     .meaning = "Warps that wait for the later paths: all that diverged (members), or only those "
                "that came late (late).",
     .kind = KNOB_CHOICE, .fallback = SECOND_MEMBERS, .high = SECOND_LATE, .choices = second_names},
    {KNOB(filter), .unit = "", .meaning = "Whether warps that do not diverge go on at once.", .kind = KNOB_BOOL,
     .fallback = 1},
    FRAME_COMPACTION_KNOB(struct tstbc_knobs),
    {KNOB(drain), .unit = "", .meaning = "Whether a warp dissolves only when all its instructions are done.",
     .kind = KNOB_BOOL, .fallback = 1},
    {KNOB(counted), .unit = "warps",
     .meaning =
         "Warps that the count of arrived warps can hold; a meeting closes with the last of them. 0: any number.",
     .kind = KNOB_COUNT, .high = 64},
    STACK_TIME_KNOBS(struct tstbc_knobs, stack),
};
static const struct knob_table knob_table = {"tstbc", knobs, sizeof knobs / sizeof *knobs};

static const struct stat_counter counters[] = {
    FRAME_COUNTERS,
    {FRAME_COUNTER(stages_all), .unit = "meetings",
     .meaning = "Meetings whose first n warps would pack, so that all warps were waited for."},
    {FRAME_COUNTER(stages_released), .unit = "meetings",
     .meaning = "Meetings whose first n warps went on as they were."},
};
static const struct stat_owner stats = {"tstbc", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct frame_counters)};

static const struct tstbc_knobs *knobs_of(const struct frames *d)
{
    return d->of_policy;
}

/* Whether compaction of `before` warps into `after` saves enough. */
static bool is_below(const struct tstbc_knobs *k, uint32_t threshold, int before, int after)
{
    if (k->sense == SENSE_SAVED)
        return before - after >= (int)threshold && after < before;
    return after < (int)threshold && after < before;
}

static bool stalls(struct frames *d, struct meeting *m)
{
    (void)d;
    (void)m;
    return true;
}

/* The warps that wait go on without compaction of the first path. If the branch has a second path, they become members
 * of a frame, so that the second path finds all warps there. */
static void let_go(struct frames *d, struct meeting *m, enum path_rule later)
{
    if (knobs_of(d)->second_path == SECOND_MEMBERS && m->paths.count > 1 && m->arrivals.count > 1)
        meeting_run(d, m, false, later);
    else
        meeting_release(d, m);
}

/* The first stage: the first n warps have come. */
static void end_first_stage(struct frames *d, struct meeting *m)
{
    int n = (int)knobs_of(d)->n;
    if (m->stage != STAGE_FIRST || m->arrivals.count < n)
        return;
    if (!meeting_collides(m, n)) {
        m->stage = STAGE_ALL;
        d->counters.stages_all++;
        return;
    }
    m->stage = STAGE_LATE;
    d->counters.stages_released++;
    let_go(d, m, PATH_BY_THRESHOLD);
}

static void came(struct frames *d, struct meeting *m)
{
    int counted = (int)knobs_of(d)->counted;
    end_first_stage(d, m);
    if (counted && m->arrivals.count >= counted)
        meeting_close(d, m);
}

/* Whether the first path is compacted, from `before` warps into `after`. */
static bool judge(const struct tstbc_knobs *k, enum meeting_stage stage, int before, int after)
{
    switch (stage) {
    case STAGE_FIRST: /* fewer than n warps diverged */
        return after < before;
    case STAGE_ALL:
        return is_below(k, k->threshold, before, after);
    case STAGE_LATE:
        return k->late_threshold ? is_below(k, k->late_threshold, before, after) : after < before;
    }
    return false;
}

static bool compacts(struct frames *d, const struct frame_path *path, int after)
{
    const struct tstbc_knobs *k = knobs_of(d);
    return path->rule == PATH_IF_FEWER ? after < path->before : is_below(k, k->threshold, path->before, after);
}

/* Whether any path is compacted: the first (`first_path`), or a later one under the rule `later`. */
static bool any_compacted(struct frames *d, const struct meeting *m, int first, bool first_path, enum path_rule later)
{
    for (int i = 1; i < m->paths.count && !first_path; i++) {
        struct frame_path path = {.rule = later};
        int after = meeting_lanemax(m, i, first, &path.before);
        first_path = path.before > 1 && compacts(d, &path, after);
    }
    return first_path;
}

static void closed(struct frames *d, struct meeting *m)
{
    const struct tstbc_knobs *k = knobs_of(d);
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

static void destroy(struct frames *d)
{
    free(d->of_policy);
}

static const struct frame_policy policy = {
    .stalls = stalls, .came = came, .closed = closed, .compacts = compacts, .destroy = destroy};

static struct div *tstbc_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)wants;
    const struct tstbc_knobs *k = knob_values;
    struct frames *d = frame_create(host, &policy, k->filter, k->drain, k->stack);
    d->is_off = !k->compaction;
    struct tstbc_knobs *own = xcalloc(1, sizeof *own);
    *own = *k;
    d->of_policy = own;
    return (struct div *)d;
}

/* Zhang et al., 2016, section 4.2.5: the compactor is tbc's, and the logic that judges it is capri's without the table.
 * The stacks have 4 bits more per entry, which is 16 bytes per stack of 32 and 128 bytes for 8 blocks. */
static void tstbc_cost(struct cost *c)
{
    enum { COUNT_BITS = 4 };
    const struct tstbc_knobs *chosen = c->knobs;
    uint32_t entries = cost_entries(c, chosen->stack.entries);
    cost_block_stacks(c, entries, COUNT_BITS, "B x D counts of 4 bits (wcnt)", COST_TSTBC ", section 4.2.5");
    cost_adequacy(c);
    cost_compactor(c);
    cost_front_end(c);
    cost_figure(c, "wcnt, per stack", COUNT_BITS * entries / 8.0, "bytes", "D x 4 bits",
                COST_TSTBC ", section 4.2.5: 16");
    cost_figure(c, "wcnt, per multiprocessor", COUNT_BITS * entries * c->machine->blocks / 8.0, "bytes",
                "B x D x 4 bits", COST_TSTBC ", section 4.2.5: 128");
}

const struct div_ops div_tstbc = {
    .name = "tstbc",
    .summary = "Thread block compaction in two stages: the first n warps, then all or the rest.",
    .paper = "Zhang, He, Shen, Jiang and Li, two-stage synchronisation, 2016",
    .knobs = &knob_table,
    .stats = &stats,
    .compaction_knob = "compaction",
    .create = tstbc_create,
    .cost = tstbc_cost,
    FRAME_CALLS,
};
