/*
 * The cycle of a multiprocessor: what is due, then issue, port by port, then who can issue next.
 *
 * Every cycle of every run comes by here, so the path is compiled twice: for machines and mechanisms that have none of
 * struct traits, and for all others.
 */
#include "sm/sm.h"

#include "base/diag.h"
#include "sm/internal.h"

#include <string.h>

enum { IDLE_NOTHING, IDLE_MEMORY, IDLE_STALL };

static const char *const idle_reasons[] = {"nothing ready", "memory", "busy"};

static inline void charge(struct sm *sm, uint64_t cycles, int kind)
{
    sm->stats.resident_thread_cycles += cycles * sm->resident_threads;
    *(kind == IDLE_MEMORY  ? &sm->stats.idle_memory_cycles
      : kind == IDLE_STALL ? &sm->stats.stall_cycles
                           : &sm->stats.idle_cycles) += cycles;
}

void sm_settle(struct sm *sm, uint64_t now)
{
    if (now <= sm->settled)
        return;
    charge(sm, now - sm->settled, sm->idle_kind);
    if (sm->resident_count)
        trace_stall(sm->trace, sm->settled, now, sm->index, idle_reasons[sm->idle_kind]);
    sm->stats.cycles += now - sm->settled;
    sm->settled = now;
}

/* What the mechanism holds, for the trace, wherever it may have changed; the trace keeps what did. */
static void note_state(struct sm *sm)
{
    if (!sm->ops->dump || !trace_wants(sm->trace, sm->now, sm->index))
        return;
    struct text state = {0};
    sm->ops->dump(sm->div, &state);
    trace_state(sm->trace, sm->now, sm->index, -1, state.data ? state.data : "");
    text_free(&state);
}

static void take_event(struct sm *sm, const struct event *e)
{
    struct strand *s;
    switch (e->kind) {
    case EVENT_TICK:
        if (sm->tick_cycle <= sm->now) {
            sm->tick_cycle = SM_NEVER;
            sm->idle_ticks++;
            sm->ops->tick(sm->div);
            sm_called(sm);
        }
        return;
    case EVENT_ROOM:
        return;
    case EVENT_FETCHED:
        fetch_done(sm, e->index, e->generation);
        return;
    default:
        s = strand_if_current(sm, e->index, e->generation);
        if (!s)
            return;
    }
    if (e->kind == EVENT_RESOLVE)
        issue_resolve(sm, s);
    else if (sm->states[s->id].drains)
        strand_drain(sm, s);
    else
        issue_complete(sm, s);
}

/* The strand may have been given another one since, or be another. */
static ALWAYS_INLINE void take_wake(struct sm *sm, const struct event *e)
{
    if (sm->states[e->index].wake_at == e->cycle && strand_if_current(sm, e->index, e->generation))
        strand_wake(sm, &sm->strands[e->index]);
}

static bool ports_take(struct sm *sm, uint32_t ports)
{
    for (; ports; ports &= ports - 1)
        if (!mem_can_take(sm->mem, sm->index, (enum mem_kind)bits_lowest(ports), sm->now))
            return false;
    return true;
}

/* Bits of the classes that have ready strands, and whose unit or memory port cannot take an instruction now. */
static ALWAYS_INLINE uint32_t blocked_classes(struct sm *sm, const struct traits t)
{
    uint32_t blocked = 0;
    for (uint32_t left = sm->ready_classes; left; left &= left - 1) {
        int c = bits_lowest(left);
        bool busy = !t.ideal && sm->unit_next[sm->plans->class[c].unit] > sm->now;
        if (busy || (sm->class_ports[c] && !ports_take(sm, sm->class_ports[c])))
            blocked |= 1u << c;
    }
    return blocked;
}

/* Home slots of the slices that the strand takes. */
static uint64_t slices_of(const struct sm *sm, const struct strand *s)
{
    uint32_t lanes = sm->slice_lanes;
    if (sm->traits.has_gangs)
        return sm->states[s->id].slices;
    uint64_t slice = (UINT64_C(1) << lanes) - 1, taken = 0;
    for (uint32_t at = 0; at < sm->config->warp_width; at += lanes)
        if (s->slots >> at & slice)
            taken |= slice << at;
    return taken;
}

/* Issues a strand that fits, and that goes with what the cycle's group sends to memory. Threads issued; 0: there is none;
 * -1: a fault. */
static ALWAYS_INLINE int issue_one(struct sm *sm, struct sched_ask *ask, const struct traits t)
{
    struct strand *s;
    while ((s = sm->policy->pick(sm->sched, ask))) {
#ifdef HEDDLE_CHECKS
        if (sm->states[s->id].port != ask->port)
            panic("%s gives port %d a strand of port %d", sm->policy->name, ask->port, sm->states[s->id].port);
#endif
        int size = t.syncs && s->syncs ? 0 : s->size;
        const struct plan *p = t.syncs ? sm_plan_of(sm, s) : &sm->plans->at[s->pc];
        uint64_t taken = t.ideal ? 0 : t.is_sliced ? slices_of(sm, s) : UINT64_MAX;
        enum issue_result result = issue_strand(sm, s, ask->port);
        if (result == ISSUE_FAULT)
            return -1;
        if (result == ISSUE_REFUSED) {
            ask->blocked |= 1u << p->class;
            continue;
        }
        if (!t.ideal && !t.is_sliced && sm->unit_next[p->unit] > sm->now)
            ask->blocked |= sm->plans->classes_of_unit[p->unit];
        if (!t.merges_accesses && sm->group.is_open) {
            access_send(sm);
            ask->blocked |= blocked_classes(sm, t);
        }
        ask->free_slots &= ~taken;
        return size;
    }
    return 0;
}

/* Home slots of slices whose share of all copies of the unit is busy. */
static uint64_t busy_shares(const struct sm *sm, int unit)
{
    uint64_t slots = 0;
    for (uint32_t i = 0; i < sm->slices; i++) {
        uint32_t copy = 0;
        while (copy < sm->config->unit_count[unit] && sm->slice_free[unit][copy * sm->slices + i] > sm->now)
            copy++;
        if (copy == sm->config->unit_count[unit])
            slots |= (uint64_t)bits_below(sm->slice_lanes) << i * sm->slice_lanes;
    }
    return slots;
}

/* Says in `ask` which slices' shares of units are busy. */
static void find_busy_shares(struct sm *sm, struct sched_ask *ask)
{
    bool is_busy = false;
    for (int u = 0; u < SM_UNIT_COUNT; u++) {
        uint64_t slots = sm->slice_free[u] && sm->slice_last[u] > sm->now ? busy_shares(sm, u) : 0;
        is_busy |= slots != 0;
        for (uint32_t left = sm->slice_free[u] ? sm->plans->classes_of_unit[u] : 0; left; left &= left - 1)
            sm->busy_slots[bits_lowest(left)] = slots;
    }
    ask->busy_slots = is_busy ? sm->busy_slots : NULL;
}

/* As many gangs as may, then a strand on each slice that they left; the first slice is another one in each cycle. Threads
 * issued, -1 after a fault. */
static int issue_gangs(struct sm *sm, struct sched_ask *ask)
{
    int threads = 0, issued = 1;
    ask->pool = 0;
    find_busy_shares(sm, ask);
    for (int gangs = 0; gangs < sm->wants.gangs && issued > 0 && sm->pool_ready[ask->port][0]; gangs++) {
        issued = issue_one(sm, ask, sm->traits);
        threads += issued;
    }
    for (uint32_t i = 0; i < sm->slices && issued >= 0; i++) {
        uint32_t slice = (uint32_t)(sm->now + i) % sm->slices;
        ask->pool = 1 + (int)slice;
        if (!(ask->free_slots >> slice * sm->slice_lanes & 1) || !sm->pool_ready[ask->port][ask->pool])
            continue;
        issued = issue_one(sm, ask, sm->traits);
        threads += issued;
    }
    return issued < 0 ? -1 : threads;
}

/* Whether a ready strand's unit and memory port can take an instruction: then it is worth asking for one. */
static bool any_fits(const struct sm *sm, const struct sched_ask *ask)
{
    return sm->ready_classes & ~ask->blocked;
}

/* Issues what a port can; returns threads issued, -1 after a fault. */
static ALWAYS_INLINE int issue_port(struct sm *sm, struct sched_ask *ask, const struct traits t)
{
    int threads = 0, most = t.ideal ? (int)sm->config->warp_width : INT32_MAX;
    ask->free_slots = t.ideal ? UINT64_MAX : sm->all_slots;
    if (t.has_gangs)
        return issue_gangs(sm, ask);
    if (!t.ideal && !t.is_sliced) /* one strand takes all lanes */
        return sm->port_ready[ask->port] && any_fits(sm, ask) ? issue_one(sm, ask, t) : 0;
    while (sm->port_ready[ask->port] && threads < most && ask->free_slots && any_fits(sm, ask)) {
        uint64_t syncs = sm->stats.syncs;
        int issued = issue_one(sm, ask, t);
        if (issued < 0)
            return -1;
        if (!issued && sm->stats.syncs == syncs)
            return threads;
        threads += issued;
    }
    return threads;
}

/* The next port's group takes units of its own. */
static void end_group(struct sm *sm, struct sched_ask *ask)
{
    memset(sm->group_copy, SM_NO_COPY, sizeof sm->group_copy);
    for (int u = 0; u < SM_UNIT_COUNT; u++)
        if (sm->unit_next[u] > sm->now)
            ask->blocked |= sm->plans->classes_of_unit[u];
}

static ALWAYS_INLINE int issue_cycle(struct sm *sm, const struct traits t)
{
    struct sched_ask ask = {.blocked = blocked_classes(sm, t), .now = sm->now};
    int total = 0, ports = (int)sm->config->schedulers;
    sm->issuing = true;
    for (ask.port = 0; ask.port < ports; ask.port++) {
        int threads = issue_port(sm, &ask, t);
        if (threads < 0)
            return -1;
        sm->stats.issue_slots += threads > 0 ? sm->config->warp_width : 0;
        total += threads;
        if (t.is_sliced)
            end_group(sm, &ask);
    }
    if (t.merges_accesses)
        access_send(sm);
    if (t.ideal && total)
        sm->ideal_free = sm->now + sm->passes;
    return total;
}

/* The cycle at which it can do anything again, but for memory's events; what waits for memory ports is noted. */
static ALWAYS_INLINE uint64_t find_next(struct sm *sm, const struct traits t)
{
    uint64_t next = wheel_next(&sm->wheel);
    sm->waits_for = 0;
    for (uint32_t left = sm->ready_classes; left; left &= left - 1) {
        int c = bits_lowest(left);
        uint64_t unit = t.ideal ? sm->ideal_free : sm->unit_next[sm->plans->class[c].unit];
        uint32_t held = 0;
        for (uint32_t ports = sm->class_ports[c]; ports; ports &= ports - 1) {
            enum mem_kind kind = (enum mem_kind)bits_lowest(ports);
            if (mem_kind_free(sm->mem, sm->index, kind, sm->now + 1) > sm->now + 1)
                held |= 1u << kind;
        }
        sm->waits_for |= held;
        if (!held)
            next = sm_earlier(next, sm_later(unit, sm->now + 1));
    }
    return next;
}

static ALWAYS_INLINE void count_cycle(struct sm *sm, int threads)
{
    if (threads > 0) {
        int class = (threads - 1) / 4;
        sm->stats.issued_cycles[class < SM_WIDTH_CLASSES ? class : SM_WIDTH_CLASSES - 1]++;
        sm->stats.resident_thread_cycles += sm->resident_threads;
    } else if (sm->has_synced) {
        sm->stats.sync_cycles++;
        sm->stats.resident_thread_cycles += sm->resident_threads;
    } else {
        charge(sm, 1, sm->idle_kind);
        if (sm->resident_count)
            trace_stall(sm->trace, sm->now, sm->now + 1, sm->index, idle_reasons[sm->idle_kind]);
    }
    sm->settled = sm->now + 1;
    sm->stats.cycles++;
}

/* Only then is the memory system asked for them: one that runs ahead must not make it come along. */
static bool waits_for_replies(const struct sm *sm)
{
    return sm->memory_pending || sm->traits.fetches;
}

static ALWAYS_INLINE enum sm_progress cycle(struct sm *sm, uint64_t now, bool alone, const struct traits t)
{
    if (now > sm->settled)
        sm_settle(sm, now);
    sm->now = sm->host.now = sm->open = now;
    sm->was_called &= sm->is_stopped;
    sm->is_stopped = false;
    while (wheel_next(&sm->wheel) <= now) {
        struct event e = *wheel_take(&sm->wheel);
        if (e.kind == EVENT_WAKE)
            take_wake(sm, &e);
        else
            take_event(sm, &e);
    }
    if ((t.fetches || sm->memory_pending) && mem_next_reply(sm->mem, sm->index) <= now)
        access_take_replies(sm);
    if (t.fetches)
        fetch_cycle(sm);
    if (t.is_traced)
        note_state(sm);
    if (alone && sm->ready_classes & sm->plans->port_classes) {
        sm->is_stopped = true; /* it goes on from here */
        return SM_STOPPED;
    }
    bool had_ready = sm->ready_count > 0;
    sm->open = now + 1;
    sm->has_synced = false;
    int threads = had_ready && (!t.ideal || sm->ideal_free <= now) ? issue_cycle(sm, t) : 0;
    if (threads < 0)
        return SM_FAULT;
    sm->idle_kind = had_ready ? IDLE_STALL : sm->memory_pending ? IDLE_MEMORY : IDLE_NOTHING;
    count_cycle(sm, threads);
    bool issued = threads > 0 || sm->has_synced;
    sm->issuing = false;
    if (sm->listed_count)
        strands_evaluate_listed(sm);
    if (t.heeds_idle && !issued && (!sm->was_idle || sm->was_called)) {
        sm->ops->idle(sm->div);
        sm_called(sm);
    }
    sm->was_idle = !issued;
    if (issued || sm->memory_pending)
        sm->idle_ticks = 0;
    if (t.is_traced)
        note_state(sm);
    sm->next = find_next(sm, t);
    if (t.heeds_idle && issued) /* the first idle cycle is to be seen */
        sm->next = now + 1;
    sm->idle_kind = sm->ready_count ? IDLE_STALL : sm->memory_pending ? IDLE_MEMORY : IDLE_NOTHING;
    return SM_DONE;
}

enum sm_progress sm_cycle(struct sm *sm, uint64_t now, bool alone)
{
    return sm->plain_cycle ? cycle(sm, now, alone, (struct traits){0}) : cycle(sm, now, alone, sm->traits);
}

bool sm_is_stopped(const struct sm *sm)
{
    return sm->is_stopped;
}

bool sm_is_alone(const struct sm *sm)
{
    return !sm->memory_pending && !sm->traits.fetches && !(sm->ready_classes & sm->plans->port_classes);
}

bool sm_heeds_memory(const struct sm *sm)
{
    return sm->waits_for || sm->traits.fetches || sm->memory_pending;
}

uint64_t sm_next(struct sm *sm, uint64_t until)
{
    if (sm->is_stopped)
        return sm->now;
    if (sm->idle_ticks > SM_MAX_IDLE_TICKS) /* a mechanism that waits for itself is no progress */
        return SM_NEVER;
    uint64_t next = sm->traits.fetches ? sm_earlier(sm->next, fetch_next(sm)) : sm->next;
    if (next <= sm->now + 1)
        return sm->now + 1;
    if (!sm_heeds_memory(sm))
        return next;
    uint32_t kinds = sm->waits_for | (sm->traits.fetches && fetch_waits(sm) ? 1u << MEM_INSTRUCTION : 0);
    uint64_t wakeup =
        mem_next_wakeup(sm->mem, sm->index, waits_for_replies(sm), kinds, sm->now, sm_earlier(until, next));
    return sm_earlier(next, wakeup);
}
