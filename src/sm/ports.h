/*
 * What the issue ports of a multiprocessor issue in one cycle: which strands the scheduler may pick, how many of them a
 * port issues, and what their issue keeps from others in the same cycle.
 *
 * Every cycle of every run comes through here. The functions take the traits of the machine by value, and are inlined
 * where cycle.c is compiled for these traits.
 */
#ifndef HEDDLE_SM_PORTS_H
#define HEDDLE_SM_PORTS_H

#include "base/diag.h"
#include "sm/internal.h"
#include "sm/simple.h"

/* What one port, or all ports, issued in one cycle. */
struct issued {
    int threads;
    bool synced;      /* a convergence-barrier operation issued */
    uint32_t blocked; /* with traits.has_lanes: classes (bits) whose unit or memory port the issues have taken */
};

static inline bool ports_take(struct sm *sm, uint32_t ports)
{
    for (; ports; ports &= ports - 1)
        if (!mem_can_take(sm->mem, sm->index, (enum mem_kind)bits_lowest(ports), sm->now))
            return false;
    return true;
}

/* Where strands share the lanes of a port: bits of the classes with ready strands whose unit takes no instruction now.
 * There is no branch on what is busy, since the host could not predict it. */
static ALWAYS_INLINE uint32_t busy_units(const struct sm *sm)
{
    uint32_t busy = 0;
    for (uint32_t left = sm->ready.classes; left; left &= left - 1) {
        const int c = bits_lowest(left);
        busy |= (uint32_t)(sm->units.next[sm->units.of_class[c]] > sm->now) << c;
    }
    return busy;
}

/* Bits of the classes whose unit or memory port cannot take an instruction now, of those that have ready strands; units
 * that one strand alone holds count from the cycle behind the strand's issue on. */
static ALWAYS_INLINE uint32_t blocked_classes(struct sm *sm, const struct sm_traits t)
{
    const bool is_shared = t.is_sliced || t.has_lanes;
    if (t.least_time)
        return 0;
    uint32_t blocked = t.ideal ? 0 : is_shared ? busy_units(sm) : units_busy_classes(&sm->units, sm->now);
    for (uint32_t left = sm->ready.classes & sm->plans->port_classes & ~blocked; left; left &= left - 1)
        if (!ports_take(sm, sm->plans->class[bits_lowest(left)].ports))
            blocked |= left & -left;
    return blocked;
}

/* Home slots that the strand takes from the other strands of its issue group. */
static ALWAYS_INLINE uint64_t slots_taken(const struct sm *sm, const struct strand *s, const struct sm_traits t)
{
    if (t.ideal)
        return 0;
    if (!t.is_sliced)
        return UINT64_MAX;
    if (t.pairs)
        return s->slots;
    return t.has_gangs ? sm->strands.state[s->id].slices : units_slices_of(&sm->units, s->slots);
}

enum pick_result { PICK_NONE, PICK_ISSUED, PICK_FAULT };

/* A scheduler must give a port strands of the port. */
static ALWAYS_INLINE void check_port(const struct sm *sm, const struct strand *s, int port)
{
#ifdef HEDDLE_CHECKS
    if (sm->strands.state[s->id].port != port)
        panic("%s gives port %d a strand of port %d", sm->policy->name, port, sm->strands.state[s->id].port);
#else
    (void)sm, (void)s, (void)port;
#endif
}

/* Issues a strand's instruction that is not simple, or on a machine where no instruction is. PICK_NONE: the strand's
 * access cannot join the cycle's access. */
static ALWAYS_INLINE enum pick_result issue_other(struct sm *sm, struct strand *s, const struct plan *p,
                                                  struct sched_ask *ask, struct issued *issued,
                                                  const struct sm_traits t)
{
    int size = s->size, lineage = s->lineage, row = s->threads.part[0].row;
    uint64_t taken = slots_taken(sm, s, t);
    enum issue_result result = issue_strand(sm, s, ask->port);
    if (result == ISSUE_FAULT)
        return PICK_FAULT;
    if (result == ISSUE_REFUSED) {
        const struct plan_class *class = &sm->plans->class[p->class];
        ask->blocked |= sm->plans->classes_of_unit[class->unit] &
                        sm->plans->classes_of_port[class->kind == PLAN_NO_PORT ? MEM_KINDS : class->kind];
        return PICK_NONE;
    }
    if (t.syncs && result == ISSUE_SYNCED)
        issued->synced = true;
    else
        issued->threads += size;
    uint32_t blocked = 0;
    if (!t.ideal && !t.is_sliced && sm->units.next[p->unit] > sm->now)
        blocked = sm->plans->classes_of_unit[p->unit];
    if (!t.merges_accesses && sm->flights.open_groups) {
        access_send(sm);
        if (!t.is_plain || ask->port + 1 < (int)sm->config->schedulers) /* else nobody is asked any more */
            blocked |= blocked_classes(sm, t);
    }
    ask->blocked |= blocked;
    if (t.has_lanes)
        issued->blocked |= blocked;
    if (t.ideal || t.is_sliced || t.has_lanes)
        ask->free_slots &= ~taken;
    if (t.pairs)
        pair_note(&sm->pair, &sm->wants, lineage, row, size);
    return PICK_ISSUED;
}

/* Issues a strand's instruction that is simple, on a machine where strands share the lanes of a port. */
static ALWAYS_INLINE void issue_simply(struct sm *sm, struct strand *s, const struct plan *p, struct sched_ask *ask,
                                       struct issued *issued, const struct sm_traits t)
{
    const int size = s->size, lineage = s->lineage, row = s->threads.part[0].row;
    const uint64_t taken = slots_taken(sm, s, t);
    const uint64_t unit_free = simple_issue(sm, s, p, ask->port, t);
    issued->threads += size;
    if (!t.is_sliced && unit_free > sm->now) {
        ask->blocked |= sm->plans->classes_of_unit[p->unit];
        issued->blocked |= sm->plans->classes_of_unit[p->unit];
    }
    ask->free_slots &= ~taken;
    if (t.pairs)
        pair_note(&sm->pair, &sm->wants, lineage, row, size);
}

/* The strand that issues next. Pools of slices and lanes have no strand that does not fit but by its class. */
static ALWAYS_INLINE struct strand *next_strand(struct sm *sm, struct sched_ask *ask, const struct sm_traits t)
{
    if (t.pairs)
        return sm->pair.has_first ? pair_find(sm, ask) : ready_set_pick(sm, ask->port, ask->blocked, t);
    if (t.is_swift && t.has_pools && (t.has_lanes || ask->pool))
        return order_pick_in_pool(sm->ready.greed, ask->port * sm->ready.order->pools + ask->pool, ask->blocked);
    return sm->policy->pick(sm->sched, ask);
}

/* Issues one strand that fits `ask`, and whose accesses can join the cycle's access. */
static ALWAYS_INLINE enum pick_result issue_one(struct sm *sm, struct sched_ask *ask, struct issued *issued,
                                                const struct sm_traits t)
{
    struct strand *s;
    while ((s = next_strand(sm, ask, t))) {
        check_port(sm, s, ask->port);
        const struct plan *p = t.syncs ? sm_plan_of(sm, s) : &sm->plans->at[s->pc];
        if (p->is_simple && (t.is_swift || sm->shortcuts.issues_simple)) {
            issue_simply(sm, s, p, ask, issued, t);
            return PICK_ISSUED;
        }
        enum pick_result result = issue_other(sm, s, p, ask, issued, t);
        if (result != PICK_NONE)
            return result;
    }
    return PICK_NONE;
}

/* What the scheduler is asked for a port, where a strand takes all lanes of its port. */
static ALWAYS_INLINE struct sched_ask *ask_whole(struct sm *sm, int port, uint32_t blocked)
{
    struct sched_ask *ask = &sm->cycle.ask;
    ask->port = port;
    ask->blocked = blocked;
    ask->now = sm->now;
    return ask;
}

/* The uncommon case of issue_on_port(): the strand's instruction is not simple. Not inline: see events_take(). Adds to
 * `blocked`, in the request, the classes that the issue keeps from issue in this cycle. */
static __attribute__((noinline)) enum pick_result issue_other_plainly(struct sm *sm, struct strand *s,
                                                                      const struct plan *p, struct sched_ask *ask)
{
    struct issued issued = {0};
    return issue_other(sm, s, p, ask, &issued, (struct sm_traits){.is_plain = true});
}

/* Issues one strand of the port, if one is ready whose class is not blocked, and whose access can join the cycle's
 * access. Adds to `blocked` the classes that the issue keeps from issue in this cycle. A strand takes all lanes of its
 * port. The request is written for those alone that need it in memory. */
static ALWAYS_INLINE enum pick_result issue_on_port(struct sm *sm, int port, uint32_t *blocked, struct issued *issued,
                                                    const struct sm_traits t)
{
    struct strand *s;
    while ((s = ready_set_pick(sm, port, *blocked, t))) {
        check_port(sm, s, port);
        const struct plan *p = t.syncs ? sm_plan_of(sm, s) : &sm->plans->at[s->pc];
        const int threads = s->size; /* the strand may be gone behind its issue */
        if (p->is_simple && (t.is_swift || sm->shortcuts.issues_simple)) {
            issued->threads += threads;
            if (simple_issue(sm, s, p, port, t) > sm->now)
                *blocked |= sm->plans->classes_of_unit[p->unit];
            return PICK_ISSUED;
        }
        struct sched_ask *ask = ask_whole(sm, port, *blocked);
        enum pick_result result =
            t.is_plain ? issue_other_plainly(sm, s, p, ask) : issue_other(sm, s, p, ask, issued, t);
        *blocked = ask->blocked;
        if (t.is_plain && result == PICK_ISSUED)
            issued->threads += threads;
        if (result != PICK_NONE)
            return result;
    }
    return PICK_NONE;
}

/* Which of `count` slices or lanes goes first in the cycle. The host's division takes long; mostly there is a power of
 * two of them. */
static ALWAYS_INLINE uint32_t first_in_turn(uint64_t now, uint32_t count)
{
    return (uint32_t)(count & (count - 1) ? now % count : now & (count - 1));
}

/* The lowest `count` bits, from bit `first` on; the last of them is followed by bit 0. */
static ALWAYS_INLINE uint64_t rotated(uint64_t bits, uint32_t first, uint32_t count)
{
    const uint64_t behind = first ? bits << (count - first) : 0;
    return (bits >> first | behind) & UINT64_MAX >> (64 - count);
}

/* Issues as many gangs as may issue in one cycle, then one strand on each slice that the gangs left. The slice that
 * goes first changes from cycle to cycle. False after a fault. */
static ALWAYS_INLINE bool issue_gangs(struct sm *sm, struct sched_ask *ask, struct issued *issued,
                                      const struct sm_traits t)
{
    const uint32_t slices = sm->units.slices, first = first_in_turn(sm->now, slices);
    enum pick_result result = PICK_ISSUED;
    if (sm->ready.by_pool[ask->port][0]) {
        ask->pool = 0;
        ask->busy_slots = units_find_busy_slots(&sm->units, sm->plans->classes_of_unit, sm->now);
        for (int i = 0; i < sm->wants.gangs && result == PICK_ISSUED && sm->ready.by_pool[ask->port][0]; i++)
            result = issue_one(sm, ask, issued, t);
        ask->busy_slots = NULL;
    }
    for (uint64_t left = rotated(sm->ready.pools[ask->port], first, slices); left && result != PICK_FAULT;
         left &= left - 1) {
        const uint32_t i = first + (uint32_t)__builtin_ctzll(left), slice = i < slices ? i : i - slices;
        if (!(ask->free_slots >> slice * sm->units.slice_lanes & 1 && sm->ready.pools[ask->port] >> slice & 1))
            continue;
        const uint32_t blocked = ask->blocked | ~sm->ready.at_port[ask->port];
        const uint32_t busy = units_busy_on_slice(&sm->units, slice, ~blocked, sm->now);
        ask->pool = 1 + (int)slice;
        ask->blocked |= busy;
        result = issue_one(sm, ask, issued, t);
        ask->blocked &= ~busy; /* an access that is refused blocks classes of its own unit, which is not busy */
    }
    return result != PICK_FAULT;
}

/* One bit per lane of the port that can issue and has a ready strand whose class is not blocked and whose unit the lane
 * can use, from lane `first` on; the last lane is followed by lane 0. */
static inline uint64_t ready_lanes(struct sm *sm, int port, uint32_t first, uint32_t blocked)
{
    const uint64_t free = ~warp_lanes_held(&sm->lanes, port, sm->now);
    uint64_t ready = 0;
    for (uint32_t left = sm->ready.at_port[port] & ~blocked; left; left &= left - 1) {
        const int class = bits_lowest(left);
        ready |= warp_lanes_take(&sm->lanes, sm->units.of_class[class], port, sm->ready.class_pools[port][class] & free,
                                 sm->now);
    }
    return rotated(ready, first, sm->lanes.per_port);
}

/* Bits of the classes with ready strands of the port whose unit the lane cannot use now. */
static inline uint32_t busy_on_lane(const struct sm *sm, int port, uint32_t lane)
{
    uint32_t busy = 0;
    for (uint32_t left = sm->ready.at_port[port]; left; left &= left - 1)
        if (warp_lanes_is_busy(&sm->lanes, sm->units.of_class[bits_lowest(left)], port, lane, sm->now))
            busy |= left & -left;
    return busy;
}

/* Issues one strand on each lane that is free. The lane that goes first changes from cycle to cycle. False after a
 * fault. */
static ALWAYS_INLINE bool issue_lanes(struct sm *sm, struct sched_ask *ask, struct issued *issued,
                                      const struct sm_traits t)
{
    const uint32_t lanes = sm->lanes.per_port, first = first_in_turn(sm->now, lanes);
    const uint32_t blocked = ask->blocked;
    issued->blocked = 0;
    for (uint64_t left = ready_lanes(sm, ask->port, first, blocked); left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left), lane = first + i < lanes ? first + i : first + i - lanes;
        if (!(sm->ready.pools[ask->port] >> lane & 1)) /* another lane's issue may delay strands of this one */
            continue;
        ask->blocked = blocked | issued->blocked | busy_on_lane(sm, ask->port, lane);
        if (!(sm->ready.at_port[ask->port] & ~ask->blocked))
            continue;
        ask->pool = 1 + (int)lane;
        ask->free_slots = UINT64_MAX;
        if (issue_one(sm, ask, issued, t) == PICK_FAULT)
            return false;
    }
    ask->blocked = blocked | issued->blocked;
    return true;
}

/* Whether there is a ready strand whose unit and memory port can take its instruction. */
static inline bool any_fits(const struct sm *sm, const struct sched_ask *ask)
{
    return sm->ready.classes & ~ask->blocked;
}

/* Issues the strand that the scheduler picks, and a second one on lanes that it leaves free. */
static ALWAYS_INLINE enum pick_result issue_pair(struct sm *sm, struct sched_ask *ask, struct issued *issued,
                                                 const struct sm_traits t)
{
    const uint32_t *ready = &sm->ready.at_port[ask->port];
    sm->pair.has_first = false;
    if (!*ready || !any_fits(sm, ask))
        return PICK_NONE;
    enum pick_result result = issue_one(sm, ask, issued, t);
    if (result == PICK_ISSUED && *ready && ask->free_slots && any_fits(sm, ask))
        result = issue_one(sm, ask, issued, t);
    return result;
}

/* Issues what one port can issue. False after a fault. */
static ALWAYS_INLINE bool issue_port(struct sm *sm, struct sched_ask *ask, struct issued *issued,
                                     const struct sm_traits t)
{
    const int most = t.ideal && !t.least_time ? (int)sm->config->warp_width : INT32_MAX;
    const uint32_t *ready = &sm->ready.at_port[ask->port];
    ask->free_slots = t.ideal ? UINT64_MAX : sm->units.all_slots;
    if (t.ideal && sm->host.facts.bundles)
        return bundles_issue(sm, ask, &issued->threads);
    if (t.has_lanes)
        return issue_lanes(sm, ask, issued, t);
    if (t.has_gangs)
        return issue_gangs(sm, ask, issued, t);
    enum pick_result result = PICK_ISSUED;
    if (t.pairs)
        return issue_pair(sm, ask, issued, t) != PICK_FAULT;
    while (result == PICK_ISSUED && *ready && issued->threads < most && ask->free_slots && any_fits(sm, ask))
        result = issue_one(sm, ask, issued, t);
    return result != PICK_FAULT;
}

/* Ends the issue group of one port: the next port's group takes copies of units, and makes accesses, of its
 * own. */
static inline void end_group(struct sm *sm, struct sched_ask *ask)
{
    units_end_group(&sm->units);
    shared_group_end(&sm->shared);
    if (ask->port + 1 < (int)sm->config->schedulers) /* else nobody is asked any more */
        ask->blocked |= busy_units(sm);
}

/* The lanes of the port's issue, in whole warps. */
static inline uint64_t lanes_offered(const struct sm *sm, int threads)
{
    const uint32_t width = sm->config->warp_width, count = (uint32_t)threads;
    return count <= width ? width : (count + width - 1) / width * width;
}

/* Issues what all ports can issue, where one strand takes all lanes of its port. False after a fault. */
static ALWAYS_INLINE bool issue_whole(struct sm *sm, struct issued *total, const struct sm_traits t)
{
    const int ports = (int)sm->config->schedulers;
    int ports_issued = 0;
    uint32_t blocked = blocked_classes(sm, t);
    for (int port = 0; port < ports; port++) {
        const int before = total->threads;
        if (!(sm->ready.at_port[port] & ~blocked))
            continue;
        if (UNLIKELY(issue_on_port(sm, port, &blocked, total, t) == PICK_FAULT))
            return false;
        ports_issued += total->threads > before;
    }
    sm->stats.issue_slots += (uint64_t)ports_issued * sm->config->warp_width;
    return true;
}

#endif
