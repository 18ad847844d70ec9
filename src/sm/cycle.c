/*
 * The cycle of a multiprocessor: events that are due, replies of memory, fetch, issue port by port, then readiness.
 *
 * Every cycle of every run comes through here, so the cycle is compiled several times: for the most frequent machines
 * and mechanisms (sm_shortcuts.is_swift), with and without calls in idle cycles, with commits of every instruction, and
 * with gangs, pairs or lanes; for those without any of struct sm_traits; for those with gangs, pairs, lanes or ideal
 * lanes; for those whose strands take all lanes of their port; and for all others.
 */
#include "sm/cycle.h"

#include "base/diag.h"
#include "sm/bundles/easy.h"
#include "sm/events.h"
#include "sm/lone.h"
#include "sm/ports.h"

static const char *const idle_reasons[] = {"nothing ready", "memory", "busy"};

/* ---- charging cycles ---- */

void sm_settle(struct sm *sm, uint64_t now)
{
    struct cycle_state *c = &sm->cycle;
    if (now <= c->settled)
        return;
    cycle_charge_idle(sm, now - c->settled, c->idle_kind);
    if (sm->residents.count)
        trace_stall(sm->trace, c->settled, now, sm->index, idle_reasons[c->idle_kind]);
    c->settled = now;
}

void cycle_charge_residents(struct sm *sm)
{
    struct cycle_state *c = &sm->cycle;
    uint64_t cycles = c->settled - c->counted;
    sm->stats.cycles += cycles;
    sm->stats.resident_thread_cycles += cycles * sm->residents.threads;
    c->counted = c->settled;
}

/* Whether a strand is ready, whether or not its unit and memory port take its instruction. */
static ALWAYS_INLINE bool has_ready(const struct sm *sm, const struct sm_traits t)
{
    return sm->ready.classes || (t.ideal && sm->map.bundles.easy_count);
}

static ALWAYS_INLINE void charge_cycle(struct sm *sm, struct issued issued, bool had_ready)
{
    if (issued.threads > 0) {
        cycle_charge_issue(sm, issued.threads, 1);
    } else if (issued.synced) {
        sm->stats.sync_cycles++;
    } else {
        enum cycle_idle kind = cycle_idle_kind(sm, had_ready);
        cycle_charge_idle(sm, 1, kind);
        if (sm->residents.count)
            trace_stall(sm->trace, sm->now, sm->now + 1, sm->index, idle_reasons[kind]);
    }
    sm->cycle.settled = sm->now + 1;
}

/* Writes the mechanism's state to the trace, at the points of a cycle where it may have changed; the trace drops a
 * state that is equal to the last one. Printing a state takes longer than simulating a cycle, so a state that cannot
 * have changed is not printed; builds with HEDDLE_CHECKS print it all the same, and panic if it did change. */
static void trace_mechanism(struct sm *sm)
{
    bool must_be_old = !sm->cycle.has_new_state;
#ifndef HEDDLE_CHECKS
    if (must_be_old)
        return;
#endif
    if (!sm->ops->dump || !trace_wants(sm->trace, sm->now, sm->index))
        return;
    struct text state = {0};
    sm->ops->dump(sm->div, &state);
    bool is_new = trace_state(sm->trace, sm->now, sm->index, -1, state.data ? state.data : "");
    if (is_new && must_be_old)
        panic("%s changed its state without a call, in cycle %llu of multiprocessor %d", sm->ops->name,
              (unsigned long long)sm->now, sm->index);
    text_free(&state);
    sm->cycle.has_new_state = false;
}

/* Issues what all ports can issue. False after a fault. */
static ALWAYS_INLINE bool issue_cycle(struct sm *sm, struct issued *total, const struct sm_traits t)
{
    sm->ready.is_issuing = true;
    if (!t.ideal && !t.is_sliced && !t.has_lanes)
        return issue_whole(sm, total, t);
    struct sched_ask ask = {.blocked = blocked_classes(sm, t), .now = sm->now};
    int ports = (int)sm->config->schedulers;
    if (t.ideal && sm->host.facts.bundles)
        bundles_issue_easy(sm);
    for (ask.port = 0; ask.port < ports; ask.port++) {
        struct issued issued = {0};
        if (!issue_port(sm, &ask, &issued, t))
            return false;
        if (t.has_lanes) {
            sm->stats.issue_slots += sm->lanes.offered;
            sm->lanes.offered = 0;
        } else {
            sm->stats.issue_slots += issued.threads > 0 ? lanes_offered(sm, issued.threads) : 0;
        }
        total->threads += issued.threads;
        total->synced |= issued.synced;
        if (t.is_sliced)
            end_group(sm, &ask);
        if (t.pairs && sm->flights.open_groups) { /* each port's pair makes an access of its own */
            access_send(sm);
            ask.blocked |= blocked_classes(sm, t);
        }
    }
    if (t.merges_accesses)
        access_send(sm);
    if (t.ideal && !t.least_time && total->threads)
        units_hold_ideal(&sm->units, sm->now);
    return true;
}

/* ---- the cycle ---- */

/* Those of the memory ports that take no access in the next cycle. */
static uint32_t ports_held(struct sm *sm, uint32_t ports)
{
    uint32_t held = 0;
    for (; ports; ports &= ports - 1)
        if (mem_kind_free(sm->mem, sm->index, (enum mem_kind)bits_lowest(ports), sm->now + 1) > sm->now + 1)
            held |= ports & -ports;
    return held;
}

/* The next cycle at which something can happen, wake-ups from memory apart. Notes the memory ports that ready strands
 * wait for. */
static ALWAYS_INLINE uint64_t find_next(struct sm *sm, const struct sm_traits t)
{
    uint64_t next = wheel_next(&sm->wheel);
    const uint32_t with_ports = t.least_time ? 0 : sm->plans->port_classes;
    sm->cycle.waits_for = 0;
    if (!t.ideal && !t.is_sliced && !t.has_lanes) { /* mostly there is something to do in the next cycle */
        uint32_t free = sm->ready.classes & ~with_ports;
        if (next <= sm->now + 1 || (free && free & ~units_busy_classes(&sm->units, sm->now + 1)))
            return sm->now + 1;
    }
    if (t.ideal && sm->map.bundles.easy_count)
        next = sm_earlier(next, sm_later(sm->units.ideal_free, sm->now + 1));
    for (uint32_t left = sm->ready.classes; left; left &= left - 1) {
        int c = bits_lowest(left);
        uint64_t unit = t.ideal ? sm->units.ideal_free : sm->units.next[sm->units.of_class[c]];
        uint32_t held = left & -left & with_ports ? ports_held(sm, sm->plans->class[c].ports) : 0;
        sm->cycle.waits_for |= held;
        if (!held)
            next = sm_earlier(next, sm_later(unit, sm->now + 1));
    }
    if (t.spills && spill_waits(&sm->spill)) {
        if (mem_kind_free(sm->mem, sm->index, MEM_STORE, sm->now + 1) > sm->now + 1)
            sm->cycle.waits_for |= 1u << MEM_STORE;
        else
            next = sm->now + 1;
    }
    if (t.has_async && copies_wait(&sm->copies)) {
        uint64_t ready = sm_later(copies_ready_at(&sm->copies), sm->now + 1);
        if (mem_kind_free(sm->mem, sm->index, MEM_LOAD, ready) > ready)
            sm->cycle.waits_for |= 1u << MEM_LOAD;
        else
            next = sm_earlier(next, ready);
    }
    return next;
}

/* Notes the next cycle at which something can happen. A mechanism that heeds idle cycles must see the cycle behind one
 * that has issued: then the search is left out, unless it may find memory ports that ready strands wait for. */
static ALWAYS_INLINE void note_next(struct sm *sm, bool has_issued, const struct sm_traits t)
{
    struct cycle_state *c = &sm->cycle;
    if (t.heeds_idle && has_issued && !t.spills && !t.has_async && !(sm->ready.classes & sm->plans->port_classes))
        c->waits_for = 0;
    else
        c->next = find_next(sm, t);
    if (t.heeds_idle && has_issued)
        c->next = sm->now + 1;
}

/* Takes what is due at cycle `now`, and sends to memory what waits for a port. */
static ALWAYS_INLINE void take_due(struct sm *sm, uint64_t now, enum sm_turn turn, const struct sm_traits t)
{
    while (wheel_next(&sm->wheel) <= now) {
        const uint64_t cycle = wheel_next(&sm->wheel);
        if (wheel_has_wakes(&sm->wheel)) {
            uint64_t ids = wheel_take_wakes(&sm->wheel);
            if (t.ideal && sm->host.facts.bundles)
                bundles_wake_all(sm, cycle);
            else
                readiness_wake_all(sm, ids, cycle);
        } else {
            events_take(sm);
        }
    }
    if ((t.fetches || sm->flights.pending) && sm_earlier(sm->cycle.memory->next, sm->cycle.memory->reply) <= now)
        access_take_replies(sm);
    if (t.fetches)
        fetch_cycle(sm);
    if (t.is_traced)
        trace_mechanism(sm);
    if (t.spills && turn != SM_TURN_AHEAD)
        spill_cycle(sm);
    if (t.has_async && turn != SM_TURN_AHEAD)
        copies_cycle(sm);
}

/* Bits of the classes that may not issue in the turn; where atomics are deferred, of those for which must_stop()
 * decides. */
static uint32_t classes_outside(const struct sm *sm, const struct sm_run_limits *limits)
{
    const struct plans *plans = sm->plans;
    const bool may_be_late = limits->defers && plans->result_classes;
    switch (limits->turn) {
    case SM_TURN_OWN:
        return 0;
    case SM_TURN_AHEAD:
        return plans->ordered_classes | plans->port_classes;
    case SM_TURN_LEAD:
        return plans->ordered_classes | plans->shared_classes;
    default:
        return plans->ordered_classes | (may_be_late ? plans->shared_classes : 0);
    }
}

/* Where atomics with a result are deferred: whether strands that are ready may do what has to wait for other
 * multiprocessors. These are reads of what others write, if such an atomic could issue in this window: it would have
 * waited, and the reads behind it too. */
static __attribute__((noinline)) bool must_stop(struct sm *sm, const struct sm_run_limits *limits)
{
    const struct plans *plans = sm->plans;
    const uint64_t quantum = mem_quantum(sm->mem);
    const uint32_t deferred = limits->results_stop ? 0 : plans->result_classes;
    if (sm->ready.classes & deferred && !sm_is_late(sm))
        sm->step.posted.late_before = (sm->now / quantum + 1) * quantum;
    const bool reads_wait = limits->turn == SM_TURN_LEAD || sm_is_late(sm);
    const uint32_t waiting = plans->ordered_classes | (reads_wait ? plans->shared_classes : 0);
    return sm->ready.classes & waiting & ~deferred;
}

/* Whether the turn does not allow what strands that are ready may do. `outside`: see classes_outside(). */
static ALWAYS_INLINE bool exceeds_turn(struct sm *sm, const struct sm_run_limits *limits, uint32_t outside,
                                       const struct sm_traits t)
{
    const bool is_ahead = limits->turn == SM_TURN_AHEAD;
    if (UNLIKELY(sm->ready.classes & outside))
        return is_ahead || !limits->defers || must_stop(sm, limits);
    return is_ahead && ((t.spills && spill_waits(&sm->spill)) || (t.has_async && copies_wait(&sm->copies)));
}

/* One cycle. `outside`: see classes_outside(). */
static ALWAYS_INLINE enum sm_progress cycle(struct sm *sm, uint64_t now, const struct sm_run_limits *limits,
                                            uint32_t outside, const struct sm_traits t)
{
    struct cycle_state *c = &sm->cycle;
    const enum sm_turn turn = limits->turn;
    if (now > c->settled) {
        sm_settle(sm, now);
        wheel_pass(&sm->wheel, now);
    }
    sm->now = sm->host.now = sm->ready.open = now;
    if (t.heeds_idle)
        c->was_called &= c->is_stopped;
    if (!UNLIKELY(c->has_taken))
        take_due(sm, now, turn, t);
    c->is_stopped = c->has_taken = false;
    if (UNLIKELY(exceeds_turn(sm, limits, outside, t))) {
        c->is_stopped = true; /* the next call, for the same cycle, goes on from here */
        c->has_taken = turn != SM_TURN_AHEAD;
        return SM_STOPPED;
    }
    bool had_ready = has_ready(sm, t);
    struct issued issued = {0};
    sm->ready.open = now + 1;
    if (had_ready && (!t.ideal || sm->units.ideal_free <= now) && !issue_cycle(sm, &issued, t))
        return SM_FAULT;
    charge_cycle(sm, issued, had_ready);
    bool has_issued = issued.threads > 0 || (t.syncs && issued.synced);
    sm->ready.is_issuing = false;
    if (UNLIKELY(sm->ready.listed_count))
        readiness_evaluate_listed(sm);
    if (t.ideal && sm->map.bundles.again_count)
        bundles_end_cycle(sm);
    if (t.has_gangs && sm->ready.apart_count)
        readiness_tell_parts(sm);
    if (t.heeds_idle && !has_issued && (!c->was_idle || c->was_called)) {
        sm->ops->idle(sm->div);
        sm_called(sm);
    }
    if (t.heeds_idle && sm->ops->resume && has_issued && c->was_idle)
        sm->ops->resume(sm->div);
    c->was_idle = !has_issued;
    if (has_issued || sm->flights.pending)
        c->idle_ticks = 0;
    if (t.is_traced) {
        trace_mechanism(sm);
        if (sm->trace)
            trace_misses(sm->trace, now, sm->index, mem_misses(sm->mem, sm->index));
    }
    note_next(sm, has_issued, t);
    c->idle_kind = cycle_idle_kind(sm, has_ready(sm, t));
    return SM_DONE;
}

/* Makes `next` the first cycle at which something can happen, wake-ups from memory included. False if that is behind
 * `until`. */
static __attribute__((noinline)) bool find_wakeup(struct sm *sm, uint64_t until)
{
    struct cycle_state *c = &sm->cycle;
    const uint64_t last = sm_earlier(c->next, until);
    uint64_t next = c->next;
    if (c->waits_for || sm_earlier(c->memory->next, c->memory->reply) <= last)
        next = sm_earlier(next, mem_next_wakeup(sm->mem, sm->index, sm->flights.pending, c->waits_for, sm->now, last));
    if (next > until)
        return false;
    c->next = next;
    return true;
}

/* Whether the multiprocessor may go on to the next cycle in which something can happen: within the limits, and only if
 * nothing outside can make that cycle an earlier one. `least`: resident blocks below which there may be room for
 * another that is wanted. */
static ALWAYS_INLINE bool goes_on(struct sm *sm, const struct sm_run_limits *limits, int least,
                                  const struct sm_traits t)
{
    struct cycle_state *c = &sm->cycle;
    const uint64_t until = sm_earlier(limits->until, c->memory->reach);
    if (UNLIKELY(t.fetches || c->idle_ticks > CYCLE_MOST_IDLE_TICKS || sm->residents.count < least))
        return false;
    if (c->next > sm->now + 1 && cycle_heeds_memory(sm) && !(t.ideal && bundles_is_quiet(sm, c->next)))
        return limits->turn != SM_TURN_AHEAD && until > sm->now && find_wakeup(sm, until);
    if (c->next > until)
        return false;
    if (limits->turn != SM_TURN_AHEAD)
        return true;
    /* A multiprocessor that was alone has sent nothing to memory since. */
    return t.spills || t.ideal || t.has_async ? sm_is_alone(sm) : !(sm->ready.classes & sm->plans->port_classes);
}

/* Runs cycles from `now` on in which one strand alone issues. False: cycle `now` is of another kind. */
static ALWAYS_INLINE bool lone_cycles(struct sm *sm, uint64_t now, const struct sm_run_limits *limits, int least,
                                      const struct sm_traits t)
{
    struct cycle_state *c = &sm->cycle;
    struct strand *s = lone_find(sm, now);
    if (!s)
        return false;
    /* Where goes_on() may say no behind this cycle, it is asked. */
    const bool is_last = sm->residents.count < least || (limits->turn == SM_TURN_AHEAD && sm->flights.pending);
    lone_run(sm, s, now, is_last ? now : sm_earlier(limits->until, c->memory->reach));
    c->next = find_next(sm, t);
    c->idle_kind = cycle_idle_kind(sm, has_ready(sm, t));
    return true;
}

static ALWAYS_INLINE enum sm_progress cycles(struct sm *sm, uint64_t now, const struct sm_run_limits *limits,
                                             const struct sm_traits t)
{
    const uint32_t outside = classes_outside(sm, limits);
    const int least = limits->takes_blocks ? sm->residents.capacity : 1;
    const bool has_lone = t.is_plain && t.is_swift && !t.heeds_idle && !t.every_commit && sm->shortcuts.has_lone;
    for (;; now = sm_later(sm->cycle.next, now + 1)) {
        if (t.ideal && sm->map.bundles.has_easy && !bundles_run(sm, &now, limits))
            return SM_DONE;
        enum sm_progress progress = SM_DONE;
        if (!has_lone || !lone_cycles(sm, now, limits, least, t))
            progress = cycle(sm, now, limits, outside, t);
        if (progress != SM_DONE || !goes_on(sm, limits, least, t))
            return progress;
    }
}

/* Functions of their own, so that each has registers and a frame of its own. */
#define CYCLES(name, its_traits)                                                               \
    static __attribute__((noinline)) enum sm_progress name(struct sm *sm, uint64_t now,        \
                                                           const struct sm_run_limits *limits) \
    {                                                                                          \
        return cycles(sm, now, limits, its_traits);                                            \
    }

CYCLES(swift_cycles, ((struct sm_traits){.is_plain = true, .is_swift = true}))
CYCLES(swift_idle_cycles, ((struct sm_traits){.is_plain = true, .is_swift = true, .heeds_idle = true}))
CYCLES(swift_commit_cycles, ((struct sm_traits){.is_plain = true, .is_swift = true, .every_commit = true}))
CYCLES(swift_gang_cycles, sm_traits_as_swift(sm_traits_of_gangs(&sm->traits)))
CYCLES(swift_pair_cycles, sm_traits_as_swift(sm_traits_of_pairs(&sm->traits)))
CYCLES(swift_lane_cycles, sm_traits_as_swift(sm_traits_of_lanes(&sm->traits)))
CYCLES(plain_cycles, (struct sm_traits){.is_plain = true})
CYCLES(gang_cycles, sm_traits_of_gangs(&sm->traits))
CYCLES(pair_cycles, sm_traits_of_pairs(&sm->traits))
CYCLES(lane_cycles, sm_traits_of_lanes(&sm->traits))
CYCLES(ideal_cycles, sm_traits_of_ideal())
CYCLES(whole_cycles, sm_traits_of_whole(&sm->traits))

enum sm_progress sm_run(struct sm *sm, uint64_t now, const struct sm_run_limits *limits)
{
    if (sm->shortcuts.is_swift)
        return sm->traits.every_commit     ? swift_commit_cycles(sm, now, limits)
               : sm->shortcuts.plain_cycle ? swift_cycles(sm, now, limits)
               : sm->shortcuts.gangs_only  ? swift_gang_cycles(sm, now, limits)
               : sm->shortcuts.pairs_only  ? swift_pair_cycles(sm, now, limits)
               : sm->shortcuts.lanes_only  ? swift_lane_cycles(sm, now, limits)
                                           : swift_idle_cycles(sm, now, limits);
    return sm->shortcuts.plain_cycle  ? plain_cycles(sm, now, limits)
           : sm->shortcuts.gangs_only ? gang_cycles(sm, now, limits)
           : sm->shortcuts.pairs_only ? pair_cycles(sm, now, limits)
           : sm->shortcuts.lanes_only ? lane_cycles(sm, now, limits)
           : sm->shortcuts.ideal_only ? ideal_cycles(sm, now, limits)
           : sm->shortcuts.whole_only ? whole_cycles(sm, now, limits)
                                      : cycles(sm, now, limits, sm->traits);
}
