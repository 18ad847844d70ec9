/*
 * tstbc-auto: two-stage thread block compaction whose n and T are chosen at run time, branch by branch, by
 * what they gain and cost. The conclusion of Zhang, He, Shen, Jiang and Li, 2016, asks for the one, its
 * section 2 for the other.
 *
 * Both are in cycles of the multiprocessor. A warp that compaction saves would have issued its instructions:
 * slots, which are worth as much as they are scarce. A warp that is kept from running is missing among the N
 * that hide latency: an N-th of the time that it loses, as far as there is latency left to hide. With i the
 * share of cycles in which nothing was ready, of late, and p issue slots a cycle
 *
 *   gain (PG)   saved warps x instructions that each of them is good for x (1 - i) / p
 *   cost (PO)   cycles that warps lose x max(i, 1/4) / N
 *
 * The least price of a delay is for what it costs later: a warp that is behind is alone at the end.
 *
 * Cycles are lost in two places. In a meeting, where they are known. And in a frame, where all that met wait
 * for the slowest path: what members took there, less what warps that go by themselves take from the branch
 * to its post-dominator; as long as nobody has been in one, it is taken to be twice as long. The instructions
 * that a saved warp is good for are those that warps by themselves issue on a side; or, once there were
 * frames, what those issued less than their members would have.
 *
 * A branch starts with nobody waiting. Its meetings are looked at all the same, and when every warp could
 * have come through once, and gain would exceed the cost of a frame, a few meetings are a trial, at which all
 * wait. When the members of those have come through, settings are compared: what TSTBC would have saved and
 * made wait with n = 2, 4 or all. Warps wait with the best from then on, or, if none is worth it, nobody
 * does, until a trial after a pause that grows each time. One meeting of `look` goes without waiting, to keep
 * what is known of warps by themselves fresh.
 *
 * T is found when a meeting closes: warps are compacted if as many are saved as pay for a frame. And a
 * meeting closes, whoever may still come, when waiting has cost as much as the branch's meetings gain.
 *
 * Departures: released warps are not waited for by the others' second path. Scattered accesses cost what
 * members lose by them, and no more.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "div/parts/branch_profit.h"
#include "div/parts/frame.h"

#include <stdlib.h>

struct auto_knobs {
    uint32_t size, ways, window, trial, pause, look;
    bool patient, drain;
};

#define KNOB(field) .name = #field, .offset = offsetof(struct auto_knobs, field)

static const struct knob knobs[] = {
    {KNOB(size), .unit = "entries", .meaning = "branches that the table holds; 0: all of them", .kind = KNOB_COUNT,
     .fallback = 32, .low = 0, .high = 4096},
    {KNOB(ways), .unit = "entries", .meaning = "of a set of the table", .kind = KNOB_COUNT, .fallback = 4, .low = 1,
     .high = 4096},
    {KNOB(window), .unit = "cycles", .meaning = "over which idle cycles are counted", .kind = KNOB_COUNT,
     .fallback = 512, .low = 1, .high = 1e6},
    {KNOB(trial), .unit = "meetings", .meaning = "of a trial", .kind = KNOB_COUNT, .fallback = 4, .low = 1, .high = 15},
    {KNOB(pause), .unit = "meetings", .meaning = "before a branch's first trial; four times as many before the next",
     .kind = KNOB_COUNT, .fallback = 8, .low = 1, .high = 1e6},
    {KNOB(look), .unit = "meetings", .meaning = "of a branch at which warps wait, of which one goes without",
     .kind = KNOB_COUNT, .fallback = 16, .low = 2, .high = 1e6},
    {KNOB(patient), .unit = "", .meaning = "no trial before every warp could have come through the branch once",
     .kind = KNOB_BOOL, .fallback = 1},
    {KNOB(drain), .unit = "", .meaning = "a warp is dissolved only when its instructions are done", .kind = KNOB_BOOL,
     .fallback = 1},
};
static const struct knob_table knob_table = {"tstbc-auto", knobs, sizeof knobs / sizeof *knobs};

static const struct stat_counter counters[] = {
    FRAME_COUNTERS,
    {FRAME_COUNTER(stages_all), .unit = "meetings",
     .meaning = "whose first warps would pack, so that all were waited for"},
    {FRAME_COUNTER(stages_released), .unit = "meetings", .meaning = "whose first warps went on as they were"},
    {FRAME_COUNTER(picked_none), .unit = "meetings", .meaning = "at which nobody was to wait"},
    {FRAME_COUNTER(picked_two), .unit = "meetings", .meaning = "with n = 2"},
    {FRAME_COUNTER(picked_four), .unit = "meetings", .meaning = "with n = 4"},
    {FRAME_COUNTER(picked_all), .unit = "meetings", .meaning = "at which all were to wait"},
    {FRAME_COUNTER(deadlines), .unit = "meetings",
     .meaning = "that closed since waiting for more would have cost more than hoped for"},
    {FRAME_COUNTER(inadequate), .unit = "meetings",
     .meaning = "whose warps waited and would pack, but too few would be saved to pay for a frame"},
    {FRAME_COUNTER(slots_saved), .unit = "slots",
     .meaning = "gain: instructions that frames issued less than their members by themselves (0 if more)"},
    {FRAME_COUNTER(delay_cycles), .unit = "cycles",
     .meaning = "cost: that warps waited in meetings, and that members took longer than by themselves (0 if less)"},
    {FRAME_COUNTER(table_hits), .unit = "meetings", .meaning = "at a branch that the table held"},
    {FRAME_COUNTER(table_misses), .unit = "meetings", .meaning = "at a branch that the table did not hold"},
    {FRAME_COUNTER(table_evictions), .unit = "entries", .meaning = "branches that the table lost to others"},
};
static const struct stat_owner stats = {"tstbc-auto", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct frame_counters)};

enum { ALL = 1 << 20, PAUSE_GROWS = 4, MOST_PAUSE = 1 << 20, LONGEST_WAIT = 100000 };

static const double LEAST_IDLE = 0.25;

static const int n_of[LEDGER_SETTINGS] = {2, 4, ALL};

struct tuner {
    struct branch_profit ledger;
    struct auto_knobs knobs;
    double slots_a_cycle;        /* p */
    double idle;                 /* i */
    uint64_t since, idle_cycles; /* of the window */
};

/* What a saved slot and a cycle of a warp's delay are worth now, in cycles of the multiprocessor. */
struct prices {
    double slot, delay;
};

static struct prices prices_of(const struct frames *d, const struct tuner *t)
{
    double idle = t->idle > LEAST_IDLE ? t->idle : LEAST_IDLE;
    return (struct prices){(1 - t->idle) / t->slots_a_cycle, idle / (d->residents ? d->residents : 1)};
}

static void measure_load(const struct frames *d, struct tuner *t)
{
    uint64_t cycles = d->host->now - t->since;
    if (cycles < t->knobs.window)
        return;
    double idle = (double)(d->idle_cycles - t->idle_cycles) / (double)cycles;
    t->idle = t->since ? (t->idle + idle) / 2 : idle;
    t->since = d->host->now;
    t->idle_cycles = d->idle_cycles;
}

/* ---- what a meeting is worth ---- */

/* Warps that arrivals from `first` on save if all paths are compacted. */
static int saved_from(const struct meeting *m, int first)
{
    int saved = 0;
    for (int i = 0; i < m->paths.count; i++) {
        int before, after = meeting_lanemax(m, i, first, &before);
        saved += before - after;
    }
    return saved;
}

static double gain_of(const struct account *a, struct prices p, double saved)
{
    return saved * faded_mean(a->yield.count ? &a->yield : &a->side) * p.slot;
}

/* What is not known yet is taken to be the time that a warp takes by itself. */
static double frame_cost(const struct account *a, struct prices p, double members)
{
    double extra = a->extra.count ? faded_mean(&a->extra) : faded_mean(&a->alone);
    return extra > 0 ? members * extra * p.delay : 0;
}

/* Cycles that arrivals wait, from `first` on and before `end`, until `until`. */
static double wait_of(const struct meeting *m, int first, int end, uint64_t until)
{
    double cycles = 0;
    for (int i = first; i < end; i++)
        cycles += (double)(until - m->arrivals.data[i].since);
    return cycles;
}

static void add_effects(struct effects *e, int saved, int members, double waited)
{
    faded_add(&e->saved, saved, 1);
    faded_add(&e->members, saved ? members : 0, 1);
    faded_add(&e->waited, (int64_t)waited, 1);
}

/* Of waiting with n, now that all have come: what TSTBC would have done. */
static void judge_setting(const struct frames *d, const struct meeting *m, int n, struct effects *e)
{
    int count = m->arrivals.count, first = 0;
    double waited = 0;
    if (n <= count && meeting_lanemax_among(m, 0, 0, n, NULL) >= n) {
        first = n;
        waited = wait_of(m, 0, n, m->arrivals.data[n - 1].since);
    }
    waited += wait_of(m, first, count, d->host->now);
    add_effects(e, saved_from(m, first), count - first, waited);
}

static void judge_meeting(struct frames *d, struct tuner *t, const struct meeting *m)
{
    struct account *a = branch_profit_find(&t->ledger, m->site);
    if (!a)
        return;
    if (!m->stalls)
        add_effects(&a->hope, saved_from(m, 0), m->arrivals.count, 0);
    for (int i = 0; i < LEDGER_SETTINGS && m->stalls; i++)
        judge_setting(d, m, n_of[i], &a->setting[i]);
}

/* Cycles of the multiprocessor that a meeting gains. */
static double worth_of(const struct account *a, struct prices p, const struct effects *e)
{
    return gain_of(a, p, faded_mean(&e->saved)) - frame_cost(a, p, faded_mean(&e->members)) -
           faded_mean(&e->waited) * p.delay;
}

/* ---- the policy ---- */

static int best_setting(const struct account *a, struct prices p)
{
    int best = -1;
    double most = 0;
    for (int i = 0; i < LEDGER_SETTINGS; i++) {
        double worth = worth_of(a, p, &a->setting[i]);
        if (worth > most) {
            most = worth;
            best = i;
        }
    }
    return best;
}

static void enter(struct account *a, enum account_state state)
{
    a->state = state;
    a->meetings = 0;
    for (int i = 0; i < LEDGER_SETTINGS && state == ACCOUNT_TRIAL; i++)
        a->setting[i] = (struct effects){0};
    if (state == ACCOUNT_ALONE)
        a->pause = a->pause < MOST_PAUSE ? a->pause * PAUSE_GROWS : MOST_PAUSE;
}

/* What has happened to every warp once will happen again. And those that came through first are the fast
 * ones. */
static bool is_known(const struct frames *d, const struct tuner *t, const struct account *a)
{
    if (!t->knobs.patient)
        return a->done > 0;
    return a->done >= (uint32_t)d->most_residents && a->done >= a->open;
}

static void change_state(const struct frames *d, const struct tuner *t, struct account *a, struct prices p)
{
    switch (a->state) {
    case ACCOUNT_ALONE:
        if (a->meetings >= a->pause && is_known(d, t, a) && worth_of(a, p, &a->hope) > 0)
            enter(a, ACCOUNT_TRIAL);
        return;
    case ACCOUNT_TRIAL:
        if (a->meetings >= t->knobs.trial)
            enter(a, ACCOUNT_VERDICT);
        return;
    case ACCOUNT_VERDICT:
        if (!a->members && a->setting[0].saved.count >= t->knobs.trial)
            enter(a, best_setting(a, p) < 0 ? ACCOUNT_ALONE : ACCOUNT_WAITS);
        return;
    case ACCOUNT_WAITS:
        if (best_setting(a, p) < 0)
            enter(a, ACCOUNT_ALONE);
        return;
    }
}

/* The setting of a branch's next meeting; -1: nobody waits. */
static int pick(const struct frames *d, const struct tuner *t, struct account *a)
{
    struct prices p = prices_of(d, t);
    if (!a->pause)
        a->pause = t->knobs.pause;
    change_state(d, t, a, p);
    a->meetings++;
    if (a->state == ACCOUNT_TRIAL)
        return LEDGER_SETTINGS - 1;
    return a->state == ACCOUNT_WAITS && a->meetings % t->knobs.look ? best_setting(a, p) : -1;
}

static bool stalls(struct frames *d, struct meeting *m)
{
    struct tuner *t = d->of_policy;
    struct frame_counters *c = &d->counters;
    uint64_t *const picked[] = {&c->picked_two, &c->picked_four, &c->picked_all};
    measure_load(d, t);
    int setting = pick(d, t, branch_profit_open(&t->ledger, m->site));
    c->table_hits = t->ledger.hits;
    c->table_misses = t->ledger.misses;
    c->table_evictions = t->ledger.evictions;
    *(setting < 0 ? &c->picked_none : picked[setting]) += 1;
    m->n = setting < 0 ? 0 : n_of[setting];
    return setting >= 0;
}

/* They wait until that has cost as much as they hope to gain. */
static void set_deadline(struct frames *d, struct meeting *m)
{
    const struct tuner *t = d->of_policy;
    const struct account *a = branch_profit_find(&t->ledger, m->site);
    int waiting = m->arrivals.count - m->next;
    if (!a || !waiting)
        return;
    struct prices p = prices_of(d, t);
    double waited = wait_of(m, m->next, m->arrivals.count, d->host->now);
    double cycles = (worth_of(a, p, &a->hope) / p.delay - waited) / waiting;
    cycles = cycles < 0 ? 0 : cycles < LONGEST_WAIT ? cycles : LONGEST_WAIT;
    meeting_set_deadline(d, m, d->host->now + 1 + (uint64_t)cycles);
}

static void came(struct frames *d, struct meeting *m)
{
    set_deadline(d, m);
    if (m->stage != STAGE_FIRST || m->arrivals.count < m->n)
        return;
    if (meeting_lanemax(m, 0, 0, NULL) < m->n) {
        m->stage = STAGE_ALL;
        d->counters.stages_all++;
        return;
    }
    m->stage = STAGE_LATE;
    d->counters.stages_released++;
    d->counters.delay_cycles += (uint64_t)wait_of(m, m->next, m->arrivals.count, d->host->now);
    meeting_release(d, m);
}

static void closed(struct frames *d, struct meeting *m)
{
    struct tuner *t = d->of_policy;
    bool adequate = meeting_is_adequate(m);
    judge_meeting(d, t, m);
    if (!m->stalls) {
        meeting_count(d, false, adequate);
        return;
    }
    const struct account *a = branch_profit_find(&t->ledger, m->site);
    struct prices p = prices_of(d, t);
    int saved = saved_from(m, m->next), members = m->arrivals.count - m->next;
    bool pays = a && saved && gain_of(a, p, saved) > frame_cost(a, p, members);
    d->counters.delay_cycles += (uint64_t)wait_of(m, m->next, m->arrivals.count, d->host->now);
    meeting_count(d, pays, adequate);
    if (!pays) {
        d->counters.inadequate += saved > 0;
        meeting_release(d, m);
        return;
    }
    int before, after = meeting_lanemax(m, 0, m->next, &before);
    meeting_run(d, m, after < before, PATH_IF_FEWER);
}

static bool compacts(struct frames *d, const struct frame_path *path, int after)
{
    (void)d;
    return after < path->before;
}

static void visits(struct frames *d, int32_t site)
{
    struct tuner *t = d->of_policy;
    struct account *a = branch_profit_find(&t->ledger, site);
    if (a)
        a->open++;
}

static void visited(struct frames *d, const struct visit *v, uint64_t issues, bool through)
{
    struct tuner *t = d->of_policy;
    struct account *a = branch_profit_find(&t->ledger, v->site);
    if (!a)
        return;
    a->open -= a->open > 0;
    if (!through)
        return;
    a->done += a->done < UINT32_MAX;
    faded_add(&a->alone, (int64_t)(d->host->now - v->since), 1);
    faded_add(&a->visit, (int64_t)issues, 1);
    faded_add(&a->side, (int64_t)issues, v->sides);
}

static void entered(struct frames *d, const struct frame *f, int members)
{
    struct tuner *t = d->of_policy;
    struct account *a = branch_profit_find(&t->ledger, f->site);
    if (a)
        a->members += (uint32_t)members;
}

static void left(struct frames *d, const struct frame *f, const struct member *m)
{
    struct tuner *t = d->of_policy;
    struct account *a = branch_profit_find(&t->ledger, f->site);
    if (!a)
        return;
    a->members -= a->members > 0;
    int64_t extra = (int64_t)((double)(d->host->now - m->since) - faded_mean(&a->alone));
    faded_add(&a->extra, extra, 1);
    d->counters.delay_cycles += (uint64_t)(extra > 0 ? extra : 0);
}

static void ran(struct frames *d, const struct frame *f)
{
    struct tuner *t = d->of_policy;
    struct account *a = branch_profit_find(&t->ledger, f->site);
    if (!a || f->saved <= 0 || !f->members.count)
        return;
    int64_t less = (int64_t)(f->members.count * faded_mean(&a->visit)) - (int64_t)f->issued;
    faded_add(&a->yield, less, (uint32_t)f->saved);
    d->counters.slots_saved += (uint64_t)(less > 0 ? less : 0);
}

/* Warps on visits, and members of frames, that the account of a branch may know of. */
static void count_underway(const struct frames *d, int32_t branch, uint32_t *open, uint32_t *members)
{
    *open = *members = 0;
    for (int i = 0; i < d->warps.count; i++)
        for (int k = 0; d->warps.data[i] && k < d->warps.data[i]->visits.count; k++)
            *open += d->warps.data[i]->visits.data[k].site == branch;
    for (int i = 0; i < d->frames.count; i++)
        if (d->frames.data[i]->parent && d->frames.data[i]->site == branch)
            *members += (uint32_t)d->frames.data[i]->members.count;
}

static void check(struct frames *d)
{
    const struct tuner *t = d->of_policy;
    branch_profit_check(&t->ledger);
    for (unsigned i = 0; i < t->ledger.sets * t->ledger.ways; i++) {
        const struct account *a = &t->ledger.accounts[i];
        uint32_t open, members;
        if (!a->valid)
            continue;
        count_underway(d, a->branch, &open, &members);
        if (a->open > open || a->members > members)
            panic("the account of branch %d has %u visits and %u members, of %u and %u", (int)a->branch, a->open,
                  a->members, open, members);
    }
}

static void dump(const struct frames *d, struct text *out)
{
    static const char *const states[] = {"nobody waits", "trial", "nobody waits before the verdict", "n = "};
    const struct tuner *t = d->of_policy;
    for (unsigned i = 0; i < t->ledger.sets * t->ledger.ways; i++) {
        const struct account *a = &t->ledger.accounts[i];
        if (!a->valid)
            continue;
        int best = best_setting(a, prices_of(d, t));
        text_printf(out, "branch at %d: %s", (int)d->host->facts.program->branches[a->branch].pc, states[a->state]);
        if (a->state == ACCOUNT_WAITS && best >= 0 && n_of[best] < ALL)
            text_printf(out, "%d", n_of[best]);
        else if (a->state == ACCOUNT_WAITS)
            text_printf(out, "%s", best < 0 ? "none" : "all");
        text_printf(out, "\n");
    }
}

static void destroy(struct frames *d)
{
    struct tuner *t = d->of_policy;
    branch_profit_free(&t->ledger);
    free(t);
}

static const struct frame_policy policy = {.stalls = stalls,
                                           .came = came,
                                           .closed = closed,
                                           .compacts = compacts,
                                           .visited = visited,
                                           .visits = visits,
                                           .entered = entered,
                                           .left = left,
                                           .ran = ran,
                                           .check = check,
                                           .dump = dump,
                                           .destroy = destroy};

static struct div *auto_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)wants;
    const struct auto_knobs *k = knob_values;
    struct frames *d = frame_create(host, &policy, true, k->drain);
    struct tuner *t = xcalloc(1, sizeof *t);
    branch_profit_init(&t->ledger, k->size, k->ways, (unsigned)host->facts.program->branch_count);
    t->knobs = *k;
    t->slots_a_cycle = (double)(host->facts.schedulers * host->facts.simd_width) / host->facts.width;
    t->idle = 1;
    d->of_policy = t;
    return (struct div *)d;
}

const struct div_ops div_tstbc_auto = {
    .name = "tstbc-auto",
    .summary = "tstbc that chooses n and T branch by branch, by what they gain and cost",
    .paper = "beyond Zhang et al., 2016, whose conclusion asks for it",
    .knobs = &knob_table,
    .stats = &stats,
    .create = auto_create,
    FRAME_CALLS,
};
