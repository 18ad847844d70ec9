/* Easy strands (easy.h): their list, and the issue of simple instructions of bundles. */
#include "sm/bundles/easy.h"

#include "exec/step_lanes.h"
#include "sm/bundles/ready.h"
#include "sm/ready_set.h"

/* ---- issue of one strand ---- */

static ALWAYS_INLINE void count_at_site(struct site *site, uint64_t threads)
{
    const uint64_t issues = site->issues + threads, all = site->threads + threads;
    site->issues = issues;
    site->threads = all;
}

/* The strand has issued at cycle `now` and is at its next PC, where nothing but registers can keep it from issuing at
 * cycle `from` or later. It need not be evaluated at the end of the cycle. `has_easy`, here and below:
 * bundles.has_easy, or true where that is known. */
static ALWAYS_INLINE void go_on(struct sm *sm, struct strand *s, struct strand_state *state, const struct plan *next,
                                uint64_t from, uint64_t now, const bool has_easy)
{
    struct bundles *b = &sm->map.bundles;
    uint64_t when = scoreboard_row_clears(&sm->scoreboard, &state->pending, s, next, now);
    /* One branch on all of it, which the host can predict: rows mostly keep nothing that the instruction waits for. */
    const bool may_differ = (s->size > 1) & (when > from) & ((state->pending.rows_keep & next->checks) != 0);
    if (may_differ && bundles_separate(sm, s))
        when = scoreboard_row_clears(&sm->scoreboard, &state->pending, s, next, now);
    when = sm_later(when, from);
    const bool is_easy = next->is_lanes & has_easy;
    if (!is_easy && when == now + 1) { /* in this order: nearly all are easy */
        b->again[b->again_count++] = (int16_t)s->id;
    } else if (when != SM_NEVER && state->wake_at != when) {
        state->wake_at = when;
        if (!bundles_list_wake(sm, is_easy ? b->easy_first : b->wake_first, s->id, when))
            wheel_add(&sm->wheel, when, EVENT_WAKE, s->id, s->generation);
    }
}

/* What simple.c does for a lane handler's instruction, but no unit is held. */
static ALWAYS_INLINE void issue_lanes(struct sm *sm, struct strand *s, struct strand_state *state, const struct plan *p,
                                      uint64_t now, const bool has_easy)
{
    const uint64_t due = now + p->due_cycles;
    const int32_t pc = s->pc;
    count_at_site(&sm->sites[pc], (uint64_t)s->size);
    scoreboard_begin(&sm->scoreboard, &state->pending, s, p, due, now);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    s->pc = pc + 1;
    backlog_add(sm, s, state);
    if (!has_easy && sm->shortcuts.awaits_code)
        readiness_evaluate(sm, s);
    else
        go_on(sm, s, state, p + 1, now + 1, now, has_easy);
}

/* What simple.c does for a direct branch, but no unit is held, and no thread diverges from itself. The branch resolves
 * by itself: the strand goes to its next PC at once, and waits there until the branch is done. */
static void issue_branch(struct sm *sm, struct strand *s, struct strand_state *state, const struct plan *p)
{
    struct site *site = &sm->sites[s->pc];
    const struct part part = s->threads.part[0];
    const uint64_t due = sm->now + p->due_cycles;
    const int32_t next = s->pc + 1, target = p->bound->target;
    backlog_empty(sm, s, state); /* the guard may be in it */
    const uint32_t going = target == next ? part.mask : step_guarded(&sm->step, s, 0);
    if (target != next)
        site->taken += (uint64_t)bits_count(going);
    sm->stats.branches += p->is_branch ? (uint64_t)s->size : 0;
    count_at_site(site, (uint64_t)s->size);
    state->pending.done_at = sm_later(state->pending.done_at, due);
    s->not_before = sm_later(s->not_before, due);
    const uint64_t from = sm_later(s->not_before, sm->now + 1);
    if (going && going != part.mask) {
        struct strand *rest = bundles_split(sm, s, going);
        rest->pc = next;
        go_on(sm, rest, &sm->strands.state[rest->id], &sm->plans->at[next], from, sm->now, sm->map.bundles.has_easy);
    }
    s->pc = going ? target : next;
    go_on(sm, s, state, &sm->plans->at[s->pc], from, sm->now, sm->map.bundles.has_easy);
}

static ALWAYS_INLINE void issue(struct sm *sm, struct strand *s, struct strand_state *state, const struct plan *p,
                                uint64_t now, const bool has_easy)
{
    if (p->is_control)
        issue_branch(sm, s, state, p);
    else
        issue_lanes(sm, s, state, p, now, has_easy);
}

void bundles_issue_simple(struct sm *sm, struct strand *s, const struct plan *p)
{
    sm->stats.warp_instructions += (uint64_t)s->size;
    sm->stats.thread_instructions += (uint64_t)s->size;
    issue(sm, s, &sm->strands.state[s->id], p, sm->now, sm->map.bundles.has_easy);
}

void bundles_advance(struct sm *sm, struct strand *s)
{
    const uint64_t now = sm->now;
    s->pc++;
    go_on(sm, s, &sm->strands.state[s->id], &sm->plans->at[s->pc], sm_later(s->not_before, now + 1), now, true);
}

/* ---- the list ---- */

/* Joins easy strands of one row that are at one branch. Other easy strands that are at one point come to one branch, or
 * to one access, in the same cycle. */
static void join_mates(struct sm *sm)
{
    struct bundles *b = &sm->map.bundles;
    int count = 0;
    b->has_mates = false;
    b->easy_round++;
    for (int i = 0; i < b->easy_count; i++) {
        struct strand *s = &sm->strands.at[b->easy[i]];
        struct strand *mate = sm->plans->at[s->pc].is_control ? bundles_find_mate(sm, s) : NULL;
        if (mate) {
            sm->strands.state[s->id].ready = false; /* it leaves the list */
            bundles_join(sm, mate, s);
        } else {
            b->easy[count++] = b->easy[i];
        }
    }
    b->easy_count = count;
}

/* Ready threads of the port that are not in easy strands. */
static int other_ready_threads(const struct sm *sm, int port)
{
    const struct bundles *b = &sm->map.bundles;
    const int32_t end = residents_row_count(&sm->residents);
    int count = 0;
    if (!sm->ready.at_port[port])
        return 0;
    for (int32_t row = bundles_next_row(b, port, 0, end); row < end; row = bundles_next_row(b, port, row + 1, end))
        count += bits_count(b->ready[port][row]);
    return count;
}

/* The easy strands of these ports become ready as any strand. */
static void make_ordinary(struct sm *sm, uint32_t ports)
{
    enum { CROWDED_CYCLES = 8 };
    struct bundles *b = &sm->map.bundles;
    int count = 0;
    b->crowded_until = sm->now + CROWDED_CYCLES;
    for (int i = 0; i < b->easy_count; i++) {
        const int16_t id = b->easy[i];
        struct strand_state *state = &sm->strands.state[id];
        if (ports >> state->port & 1)
            bundles_add_ready(sm, &sm->strands.at[id], state, sm->plans->at[sm->strands.at[id].pc].class);
        else
            b->easy[count++] = id;
    }
    b->easy_count = count;
    for (; ports; ports &= ports - 1) {
        b->easy_threads[bits_lowest(ports)] = 0;
        b->newest[bits_lowest(ports)] = 0;
    }
}

/* Issues all easy strands. Gives the number of their threads. */
static ALWAYS_INLINE uint64_t issue_all(struct sm *sm)
{
    struct bundles *b = &sm->map.bundles;
    uint64_t issued = 0;
    if (b->has_mates)
        join_mates(sm);
    struct strand *const strands = sm->strands.at;
    struct strand_state *const states = sm->strands.state;
    const struct plan *const plans = sm->plans->at;
    const int16_t *const easy = b->easy;
    const uint64_t now = sm->now;
    const int count = b->easy_count;
    b->easy_count = 0;
    b->easy_round++;
    for (int i = 0; i < count; i++) {
        struct strand *s = &strands[easy[i]];
        struct strand_state *state = &states[easy[i]];
        state->ready = false;
        issued += (uint64_t)s->size;
        issue(sm, s, state, &plans[s->pc], now, true);
    }
    sm->stats.warp_instructions += issued;
    sm->stats.thread_instructions += issued;
    return issued;
}

void bundles_issue_easy(struct sm *sm)
{
    struct bundles *b = &sm->map.bundles;
    uint32_t full = 0;
    for (int port = 0; port < (int)sm->config->schedulers; port++) {
        const int threads = b->easy_threads[port];
        if (threads && threads + other_ready_threads(sm, port) > (int)sm->config->warp_width)
            full |= 1u << port;
    }
    if (full)
        make_ordinary(sm, full);
    if (b->easy_count)
        issue_all(sm);
}

/* ---- cycles of easy strands alone ---- */

/* Takes the wake-ups that are due at cycle `now`. False: something else is due, or a strand became ready that is not
 * easy. */
static ALWAYS_INLINE bool take_wakes(struct sm *sm, uint64_t now)
{
    while (wheel_next(&sm->wheel) <= now) {
        const uint64_t cycle = wheel_next(&sm->wheel);
        if (!wheel_has_only_wakes(&sm->wheel))
            return false;
        wheel_take_wakes(&sm->wheel);
        bundles_wake_all(sm, cycle);
    }
    return !sm->ready.classes;
}

/* Whether all easy threads find lanes. */
static ALWAYS_INLINE bool has_lanes(const struct sm *sm)
{
    const int *threads = sm->map.bundles.easy_threads, width = (int)sm->config->warp_width;
    return threads[0] <= width && threads[1] <= width && threads[2] <= width && threads[3] <= width;
}
_Static_assert(READINESS_MAX_PORTS == 4, "all ports are compared");

/* Issues all easy strands in a cycle that issues nothing else, and charges the cycle. */
static ALWAYS_INLINE void issue_cycle(struct sm *sm, uint64_t now)
{
    struct bundles *b = &sm->map.bundles;
    uint64_t slots = 0;
    for (int port = 0; port < (int)sm->config->schedulers; port++) {
        if (!b->easy_threads[port])
            continue;
        bundles_end_turn(b, port);
        slots += sm->config->warp_width;
    }
    sm->ready.is_issuing = true;
    const uint64_t issued = issue_all(sm), class = (issued - 1) / 4;
    sm->ready.is_issuing = false;
    sm->stats.issue_slots += slots;
    sm->stats.issued_cycles[class < SM_WIDTH_CLASSES ? class : SM_WIDTH_CLASSES - 1]++;
    units_hold_ideal(&sm->units, now);
    sm->cycle.settled = now + 1;
    if (sm->ready.listed_count)
        readiness_evaluate_listed(sm);
    if (b->again_count)
        bundles_end_cycle(sm);
}

/* The next cycle at which something can happen, wake-ups from memory apart. */
static ALWAYS_INLINE uint64_t find_next(struct sm *sm, uint64_t now)
{
    struct cycle_state *c = &sm->cycle;
    const bool is_ready = sm->map.bundles.easy_count || sm->ready.classes;
    const uint64_t next = wheel_next(&sm->wheel), lanes_free = sm_later(sm->units.ideal_free, now + 1);
    c->waits_for = 0;
    c->idle_kind = cycle_idle_kind(sm, is_ready);
    if (next > now + 1 || lanes_free != now + 2 || !wheel_has_only_wakes(&sm->wheel) ||
        (sm->flights.pending && !bundles_is_quiet(sm, lanes_free)))
        return is_ready ? sm_earlier(next, lanes_free) : next;
    /* Bundles become ready in a cycle in which none can issue. */
    c->idle_kind = IDLE_STALL;
    return lanes_free;
}

/* There is no look at limits->takes_blocks: room for a block is made by the end of another or by an event, which are
 * not in these cycles. */
bool bundles_run(struct sm *sm, uint64_t *at, const struct sm_run_limits *limits)
{
    struct cycle_state *c = &sm->cycle;
    const uint64_t until = sm_earlier(limits->until, c->memory->reach);
    const bool is_ahead = limits->turn == SM_TURN_AHEAD;
    const uint32_t stops = is_ahead ? sm->plans->port_classes : 0; /* see sm_is_alone() */
    const struct bundles *b = &sm->map.bundles;
    for (;;) {
        const uint64_t now = *at;
        if (c->is_stopped || sm->ready.classes || (sm->flights.pending && !bundles_is_quiet(sm, now + 1)) ||
            !take_wakes(sm, now) || !b->easy_count || sm->units.ideal_free > now || !has_lanes(sm))
            return true;
        if (now > c->settled)
            cycle_charge_idle(sm, now - c->settled, c->idle_kind);
        sm->now = sm->host.now = now;
        sm->ready.open = now + 1;
        issue_cycle(sm, now);
        c->was_idle = false;
        c->idle_ticks = 0;
        c->next = *at = find_next(sm, now);
        if (c->next > until || sm->ready.classes & stops || (is_ahead && sm->flights.pending) ||
            (c->next > now + 1 && sm->flights.pending && !bundles_is_quiet(sm, c->next)))
            return false;
    }
}
