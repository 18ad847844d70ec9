/*
 * tstbc-auto: two-stage thread block compaction whose n and T_WCT are chosen at run time, per branch, by what they gain
 * and cost. The conclusion of Zhang, He, Shen, Jiang and Li, 2016, asks for the choice at run time, their section 2 for
 * weighing gain (PG) against cost (PO).
 *
 * Gain and cost are in cycles of the SM. A warp that compaction saves would have issued its instructions; each of these
 * issue slots is worth more the scarcer slots are. A warp that is kept from running is missing among the N warps that
 * hide latency; that costs one N-th of the time it loses, as far as there is latency left to hide. With i the recent
 * share of cycles in which no warp was ready, and p issue slots per cycle:
 *
 *   gain (PG)   saved warps x instructions that each saved warp is good for x (1 - i) / p
 *   cost (PO)   cycles that warps lose x max(i, 1/4) / N
 *
 * The least price, 1/4, is for what a delay costs later: a warp that is behind runs alone at the end.
 *
 * Warps lose cycles in two places. In a meeting the lost cycles are known. In a frame all members wait for the slowest
 * path: the loss is the time that members spend there, less the time that warps by themselves take from the branch to
 * its post-dominator. Before any warp has been in a frame of the branch, a frame is assumed to take twice as long as a
 * warp by itself. The instructions that a saved warp is good for are those that warps by themselves issue on one side;
 * once there were frames, what the frames issued less than their members would have by themselves, per saved warp.
 *
 * A branch starts with no warp waiting. Its meetings are examined nevertheless. When every warp could have come through
 * once, and the gain would exceed the cost of a frame, a few meetings are a trial, at which all warps wait. When the
 * members of the trial's frames have come through, settings are compared by what TSTBC would have saved, and how long
 * it would have made warps wait, with n = 2, 4 or all. Warps wait with the best setting from then on. If none is worth
 * it, no warp waits until the next trial, after a pause that grows each time. One meeting in every `look` goes without
 * waiting, to keep what is known of warps by themselves fresh.
 *
 * T_WCT is found when a meeting closes: warps are compacted if as many are saved as pay for a frame. A meeting closes,
 * whichever warps may still come, when waiting has cost as much as the branch's meetings gain.
 *
 * Departures from TSTBC: released warps are not waited for by the second path of the others. Scattered accesses cost
 * what members lose by them, and no more.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "div/parts/branch_profit.h"
#include "div/parts/cost.h"
#include "div/parts/frame.h"

#include <stdlib.h>

struct auto_knobs {
    uint32_t size, ways, window, trial, pause, look;
    bool patient, drain, compaction;
    struct stack_time_knobs stack;
};

#define KNOB(field) .name = #field, .offset = offsetof(struct auto_knobs, field)

static const struct knob knobs[] = {
    {KNOB(size), .unit = "entries",
     .meaning = "Entries of the table of branches; 0: one for every branch of the program.", .kind = KNOB_COUNT,
     .fallback = 32, .low = 0, .high = 4096},
    {KNOB(ways), .unit = "entries", .meaning = "Entries per set of the table of branches.", .kind = KNOB_COUNT,
     .fallback = 4, .low = 1, .high = 4096},
    {KNOB(window), .unit = "cycles", .meaning = "Length of the window in which idle cycles are counted, in cycles.",
     .kind = KNOB_COUNT, .fallback = 512, .low = 1, .high = 1e6},
    {KNOB(trial), .unit = "meetings", .meaning = "Length of a trial, in meetings.", .kind = KNOB_COUNT, .fallback = 4,
     .low = 1, .high = 15},
    {KNOB(pause), .unit = "meetings",
     .meaning = "Pause before a branch's first trial, in meetings; each later pause is four times "
                "as long as the pause before it.",
     .kind = KNOB_COUNT, .fallback = 8, .low = 1, .high = 1e6},
    {KNOB(look), .unit = "meetings",
     .meaning = "Interval, in meetings of a branch, at which one meeting goes without waiting.", .kind = KNOB_COUNT,
     .fallback = 16, .low = 2, .high = 1e6},
    {KNOB(patient), .unit = "",
     .meaning = "Whether trials of a branch wait until every warp could have come through the "
                "branch once.",
     .kind = KNOB_BOOL, .fallback = 1},
    FRAME_COMPACTION_KNOB(struct auto_knobs),
    {KNOB(drain), .unit = "", .meaning = "Whether a warp dissolves only when all its instructions are done.",
     .kind = KNOB_BOOL, .fallback = 1},
    STACK_TIME_KNOBS(struct auto_knobs, stack),
};
static const struct knob_table knob_table = {"tstbc-auto", knobs, sizeof knobs / sizeof *knobs};

static const struct stat_counter counters[] = {
    FRAME_COUNTERS,
    {FRAME_COUNTER(stages_all), .unit = "meetings",
     .meaning = "Meetings whose first n warps would pack, so that all warps were waited for."},
    {FRAME_COUNTER(stages_released), .unit = "meetings",
     .meaning = "Meetings whose first n warps went on as they were."},
    {FRAME_COUNTER(picked_none), .unit = "meetings", .meaning = "Meetings at which no warp was to wait."},
    {FRAME_COUNTER(picked_two), .unit = "meetings", .meaning = "Meetings with n = 2."},
    {FRAME_COUNTER(picked_four), .unit = "meetings", .meaning = "Meetings with n = 4."},
    {FRAME_COUNTER(picked_all), .unit = "meetings", .meaning = "Meetings at which all warps were to wait."},
    {FRAME_COUNTER(deadlines), .unit = "meetings",
     .meaning = "Meetings that closed because waiting for more warps would have cost more than the expected gain."},
    {FRAME_COUNTER(inadequate), .unit = "meetings",
     .meaning = "Meetings whose warps waited and would pack, but would save too few warps to pay for a frame."},
    {FRAME_COUNTER(slots_saved), .unit = "slots",
     .meaning = "Issues that frames saved: fewer than their members would have made by themselves (0 if more)."},
    {FRAME_COUNTER(delay_cycles), .unit = "cycles",
     .meaning = "Cycles that warps waited in meetings, and that members took longer than by themselves (0 if less)."},
    {FRAME_COUNTER(table_hits), .unit = "meetings", .meaning = "Meetings at a branch that the table held."},
    {FRAME_COUNTER(table_misses), .unit = "meetings", .meaning = "Meetings at a branch that the table did not hold."},
    {FRAME_COUNTER(table_evictions), .unit = "entries", .meaning = "Branches evicted from the table."},
};
static const struct stat_owner stats = {"tstbc-auto", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct frame_counters)};

enum {
    ALL = 1 << 20,         /* an n that no block reaches: all warps wait for each other */
    PAUSE_GROWS = 4,       /* factor by which the pause before a trial grows */
    MOST_PAUSE = 1 << 20,  /* longest pause, in meetings */
    LONGEST_WAIT = 100000, /* longest time until a deadline, in cycles */
};

static const double LEAST_IDLE = 0.25; /* least price of a delay */

/* TSTBC's n under each setting. */
static const int n_of[BRANCH_PROFIT_SETTINGS] = {2, 4, ALL};

/* The policy's state. */
struct tuner {
    struct branch_profit profit; /* what is known of each branch */
    struct auto_knobs knobs;
    double slots_per_cycle;      /* issue slots per cycle: p */
    double idle;                 /* recent share of cycles in which no warp was ready: i */
    uint64_t since, idle_cycles; /* start of the window, and the frames' count of idle cycles then */
};

/* What a saved issue slot and a cycle of a warp's delay are worth now, in cycles of the SM. */
struct prices {
    double slot, delay;
};

static struct prices prices_of(const struct frames *d, const struct tuner *t)
{
    double idle = t->idle > LEAST_IDLE ? t->idle : LEAST_IDLE;
    return (struct prices){(1 - t->idle) / t->slots_per_cycle, idle / (d->residents ? d->residents : 1)};
}

/* At the end of a window: updates the recent share of idle cycles. */
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

/* Gain, in cycles of the SM, of saving this many warps. */
static double gain_of(const struct account *a, struct prices p, double saved)
{
    return saved * faded_mean(a->yield.count ? &a->yield : &a->side) * p.slot;
}

/* Cost of a frame. Before any frame of the branch ended, its extra time is assumed to be the time of a warp by
 * itself. */
static double frame_cost(const struct account *a, struct prices p, double members)
{
    double extra = a->extra.count ? faded_mean(&a->extra) : faded_mean(&a->alone);
    return extra > 0 ? members * extra * p.delay : 0;
}

/* Cycles that the arrivals from `first` on, before `end`, have waited by cycle `until`; summed over warps. */
static double wait_of(const struct meeting *m, int first, int end, uint64_t until)
{
    if (first >= end)
        return 0;
    const struct meeting_arrival *a = &m->arrivals.data[first], *last = &m->arrivals.data[end - 1];
    return (double)((uint64_t)(end - first) * until - (last->since_sum - a->since_sum + a->since));
}

static void add_effects(struct effects *e, int saved, int members, double waited)
{
    faded_add(&e->saved, saved, 1);
    faded_add(&e->members, saved ? members : 0, 1);
    faded_add(&e->waited, (int64_t)waited, 1);
}

/* Notes what TSTBC would have saved and made wait with this n, now that all warps have come. `saved`: warps saved if
 * none of them is released. */
static void judge_setting(const struct frames *d, const struct meeting *m, int n, int saved, struct effects *e)
{
    int count = m->arrivals.count, first = 0;
    double waited = 0;
    if (n <= count && meeting_collides(m, n)) {
        first = n;
        waited = wait_of(m, 0, n, m->arrivals.data[n - 1].since);
        saved = meeting_saved(m, n);
    }
    waited += wait_of(m, first, count, d->host->now);
    add_effects(e, saved, count - first, waited);
}

/* Notes in the branch's account what the closed meeting says about waiting. `saved`: warps saved if all are
 * compacted. */
static void judge_meeting(struct frames *d, struct tuner *t, const struct meeting *m, int saved)
{
    struct account *a = branch_profit_find(&t->profit, m->site);
    if (!a)
        return;
    if (!m->stalls)
        add_effects(&a->hope, saved, m->arrivals.count, 0);
    for (int i = 0; i < BRANCH_PROFIT_SETTINGS && m->stalls; i++)
        judge_setting(d, m, n_of[i], saved, &a->setting[i]);
}

/* Cycles of the SM that a meeting gains. */
static double worth_of(const struct account *a, struct prices p, const struct effects *e)
{
    return gain_of(a, p, faded_mean(&e->saved)) - frame_cost(a, p, faded_mean(&e->members)) -
           faded_mean(&e->waited) * p.delay;
}

/* ---- the policy ---- */

/* The setting that gains most; -1: none gains anything. */
static int best_setting(const struct account *a, struct prices p)
{
    int best = -1;
    double most = 0;
    for (int i = 0; i < BRANCH_PROFIT_SETTINGS; i++) {
        double worth = worth_of(a, p, &a->setting[i]);
        if (worth > most) {
            most = worth;
            best = i;
        }
    }
    return best;
}

/* The account enters a state. A trial forgets earlier results; a return to ACCOUNT_ALONE lengthens the pause. */
static void enter(struct account *a, enum account_state state)
{
    a->state = state;
    a->meetings = 0;
    for (int i = 0; i < BRANCH_PROFIT_SETTINGS && state == ACCOUNT_TRIAL; i++)
        a->setting[i] = (struct effects){0};
    if (state == ACCOUNT_ALONE)
        a->pause = a->pause < MOST_PAUSE ? a->pause * PAUSE_GROWS : MOST_PAUSE;
}

/* Whether what is known of warps by themselves is representative. With `patient`, every warp must have had the time to
 * pass the branch: the warps that pass first are the fast ones. */
static bool is_known(const struct frames *d, const struct tuner *t, const struct account *a)
{
    if (!t->knobs.patient)
        return a->done > 0;
    return a->done >= (uint32_t)d->most_residents && a->done >= a->open;
}

/* Moves the account to the state that its meetings so far call for. `best`: best_setting(), where the state asks for
 * it. */
static void change_state(const struct frames *d, const struct tuner *t, struct account *a, struct prices p, int best)
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
            enter(a, best < 0 ? ACCOUNT_ALONE : ACCOUNT_WAITS);
        return;
    case ACCOUNT_WAITS:
        if (best < 0)
            enter(a, ACCOUNT_ALONE);
        return;
    }
}

/* The setting of a branch's next meeting; -1: no warp waits. */
static int pick(const struct frames *d, const struct tuner *t, struct account *a)
{
    struct prices p = prices_of(d, t);
    if (!a->pause)
        a->pause = t->knobs.pause;
    const bool asks = a->state == ACCOUNT_VERDICT || a->state == ACCOUNT_WAITS;
    const int best = asks ? best_setting(a, p) : -1;
    change_state(d, t, a, p, best);
    a->meetings++;
    if (a->state == ACCOUNT_TRIAL)
        return BRANCH_PROFIT_SETTINGS - 1;
    return a->state == ACCOUNT_WAITS && a->meetings % t->knobs.look ? best : -1;
}

static bool stalls(struct frames *d, struct meeting *m)
{
    struct tuner *t = d->of_policy;
    struct frame_counters *c = &d->counters;
    uint64_t *const picked[] = {&c->picked_two, &c->picked_four, &c->picked_all};
    measure_load(d, t);
    int setting = pick(d, t, branch_profit_open(&t->profit, m->site));
    c->table_hits = t->profit.hits;
    c->table_misses = t->profit.misses;
    c->table_evictions = t->profit.evictions;
    *(setting < 0 ? &c->picked_none : picked[setting]) += 1;
    m->n = setting < 0 ? 0 : n_of[setting];
    return setting >= 0;
}

/* Warps wait until waiting has cost as much as the meeting is expected to gain. */
static void set_deadline(struct frames *d, struct meeting *m)
{
    const struct tuner *t = d->of_policy;
    const struct account *a = branch_profit_find(&t->profit, m->site);
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
    if (!meeting_collides(m, m->n)) {
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
    int saved = meeting_saved(m, 0);
    bool adequate = saved > 0;
    judge_meeting(d, t, m, saved);
    if (!m->stalls) {
        meeting_count(d, false, adequate);
        return;
    }
    const struct account *a = branch_profit_find(&t->profit, m->site);
    struct prices p = prices_of(d, t);
    int members = m->arrivals.count - m->next;
    saved = m->next ? meeting_saved(m, m->next) : saved;
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
    struct account *a = branch_profit_find(&t->profit, site);
    if (a)
        a->open++;
}

static void visited(struct frames *d, const struct frame_visit *v, uint64_t issues, bool through)
{
    struct tuner *t = d->of_policy;
    struct account *a = branch_profit_find(&t->profit, v->site);
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
    struct account *a = branch_profit_find(&t->profit, f->site);
    if (a)
        a->members += (uint32_t)members;
}

static void left(struct frames *d, const struct frame *f, const struct frame_member *m)
{
    struct tuner *t = d->of_policy;
    struct account *a = branch_profit_find(&t->profit, f->site);
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
    struct account *a = branch_profit_find(&t->profit, f->site);
    if (!a || f->saved <= 0 || !f->members.count)
        return;
    int64_t less = (int64_t)(f->members.count * faded_mean(&a->visit)) - (int64_t)f->issued;
    faded_add(&a->yield, less, (uint32_t)f->saved);
    d->counters.slots_saved += (uint64_t)(less > 0 ? less : 0);
}

/* Counts the warps between the branch and its post-dominator by themselves (`open`), and the members of its frames. */
static void count_in_flight(const struct frames *d, int32_t branch, uint32_t *open, uint32_t *members)
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
    branch_profit_check(&t->profit);
    for (unsigned i = 0; i < t->profit.sets * t->profit.ways; i++) {
        const struct account *a = &t->profit.accounts[i];
        uint32_t open, members;
        if (!a->valid)
            continue;
        count_in_flight(d, a->branch, &open, &members);
        if (a->open > open || a->members > members)
            panic("the account of branch %d has %u visits and %u members, of %u and %u", (int)a->branch, a->open,
                  a->members, open, members);
    }
}

static void dump(const struct frames *d, struct text *out)
{
    static const char *const states[] = {"nobody waits", "trial", "nobody waits before the verdict", "n = "};
    const struct tuner *t = d->of_policy;
    for (unsigned i = 0; i < t->profit.sets * t->profit.ways; i++) {
        const struct account *a = &t->profit.accounts[i];
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
    branch_profit_free(&t->profit);
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
    struct frames *d = frame_create(host, &policy, true, k->drain, k->stack);
    d->is_off = !k->compaction;
    struct tuner *t = xcalloc(1, sizeof *t);
    branch_profit_init(&t->profit, k->size, k->ways, (unsigned)host->facts.program->branch_count);
    t->knobs = *k;
    t->slots_per_cycle = (double)(host->facts.schedulers * host->facts.simd_width) / host->facts.width;
    t->idle = 1;
    d->of_policy = t;
    return (struct div *)d;
}

/* tstbc's, and a table of accounts: 17 fading sums of 32 bits with their counts of up to 32 terms, six counters of 16
 * bits, and the state. With size 0 the table has no size to count. */
static void auto_cost(struct cost *c)
{
    enum { SUMS = 5 + 3 * (1 + BRANCH_PROFIT_SETTINGS), SUM_BITS = 32 + 6, COUNTERS = 6, COUNTER_BITS = 16, STATE = 2 };
    const struct auto_knobs *chosen = c->knobs;
    uint32_t ways = chosen->ways < chosen->size ? chosen->ways : chosen->size,
             sets = chosen->size ? chosen->size / ways : 1;
    cost_block_stacks(c, cost_entries(c, chosen->stack.entries), 4, "B x D counts of 4 bits (wcnt)",
                      COST_TSTBC ", section 4.2.5");
    if (chosen->size)
        cost_storage(c, "branch accounts", chosen->size,
                     1 + COST_PC_BITS - cost_bits(sets) + SUMS * SUM_BITS + COUNTERS * COUNTER_BITS + STATE,
                     "tstbc-auto.size entries of valid + tag + 17 sums of 38 bits + 6 counters of 16 + state 2",
                     COST_COUNTED);
    cost_adequacy(c);
    cost_compactor(c);
    cost_front_end(c);
}

const struct div_ops div_tstbc_auto = {
    .name = "tstbc-auto",
    .summary = "Variant of tstbc that chooses n and T_WCT per branch, by what they gain and cost.",
    .paper = "beyond Zhang et al., 2016, whose conclusion asks for it",
    .knobs = &knob_table,
    .stats = &stats,
    .compaction_knob = "compaction",
    .create = auto_create,
    .cost = auto_cost,
    FRAME_CALLS,
};
