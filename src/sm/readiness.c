/* Readiness (readiness.h): which strands can issue now, and when the others are looked at again. Only this file tells
 * the scheduler that a strand is ready or not. */
#include "sm/readiness.h"

#include "base/arena.h"
#include "mem/ideal.h"
#include "sm/bundles/easy.h"
#include "sm/bundles/ready.h"
#include "sm/internal.h"
#include "sm/ready_set.h"

#include <stdlib.h>

void readiness_open(struct readiness *r, int strands, struct storage *storage)
{
    r->listed = storage_reserve(storage, sizeof *r->listed * (size_t)strands);
    r->apart = storage_reserve(storage, sizeof *r->apart * (size_t)strands);
    r->ids = storage_calloc(storage, (size_t)strands / 64 + 1, sizeof *r->ids);
}

void readiness_open_lanes(struct readiness *r, struct storage *storage)
{
    r->by_pool_class = storage_calloc(storage, READINESS_MAX_PORTS, sizeof *r->by_pool_class);
}

/* ---- the ready strands ---- */

void ready_set_list(struct sm *sm, const struct strand *s, struct strand_state *state)
{
    if (sm->map.bundles.rows)
        bundles_list(&sm->map.bundles, state->port, state->class, s->threads.part[0]);
    else
        ready_set_note(&sm->ready, s, state, sm->traits);
}

void ready_set_unlist(struct sm *sm, const struct strand *s, const struct strand_state *state)
{
    if (sm->map.bundles.rows)
        bundles_unlist(&sm->map.bundles, state->port, state->class, s->threads.part[0]);
    else
        ready_set_forget(&sm->ready, s, state, sm->traits);
}

int readiness_count(const struct readiness *r)
{
    int count = 0;
    for (int port = 0; port < READINESS_MAX_PORTS; port++)
        for (int class = 0; class < SCHED_MAX_CLASSES; class ++)
            count += r->by_class[port][class];
    return count;
}

/* readiness_clear() of a strand that is ready, on a multiprocessor without shortcuts.evaluates_swiftly. */
static __attribute__((noinline)) void clear_slowly(struct sm *sm, struct strand *s)
{
    ready_set_remove(sm, s, &sm->strands.state[s->id]);
}

void readiness_clear(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->strands.state[s->id];
    if (!state->ready)
        return;
    if (sm->shortcuts.evaluates_swiftly)
        ready_set_remove_as(sm, s, state, (struct sm_traits){.is_swift = true});
    else
        clear_slowly(sm, s);
}

/* Adds a strand that may be ready already, for another class. */
static ALWAYS_INLINE void add_ready(struct sm *sm, struct strand *s, struct strand_state *state, int class)
{
    if (state->ready && state->class == class)
        return;
    if (state->ready)
        ready_set_remove(sm, s, state);
    ready_set_add(sm, s, state, class);
}

/* ---- evaluation ---- */

/* Whether what the strand issues next comes through the instruction caches. */
static ALWAYS_INLINE bool is_fetched(const struct sm *sm, const struct strand *s)
{
    return sm->traits.fetches && (!s->syncs || sm->shortcuts.fetches_syncs);
}

/* Makes the strand ready, unless its next instruction has still to be fetched. */
static ALWAYS_INLINE void finish_evaluation(struct sm *sm, struct strand *s, struct strand_state *state)
{
    if (is_fetched(sm, s) && !fetch_has(sm, s))
        readiness_clear(sm, s);
    else
        add_ready(sm, s, state, sm_plan_of(sm, s)->class);
}

/* registers_clear() where the scoreboard is not the plain one. */
static __attribute__((noinline)) uint64_t other_registers_clear(struct sm *sm, const struct strand *s)
{
    return scoreboard_other_clears(&sm->scoreboard, &sm->strands.state[s->id].pending, s, &sm->plans->at[s->pc],
                                   sm->now);
}

/* The cycle from which the next instruction of a strand, or of some of its threads, finds its registers written;
 * SM_NEVER: memory must answer first. */
static ALWAYS_INLINE uint64_t registers_clear(struct sm *sm, const struct strand *s)
{
    struct scoreboard *b = &sm->scoreboard;
    if (b->has_warps_alone && s->threads.count == 1 && scoreboard_is_one_warp(b, s->threads.part[0].mask))
        return scoreboard_warp_clears(b, s->threads.part[0], &sm->plans->at[s->pc]);
    if (!b->is_plain)
        return b->is_off ? 0 : other_registers_clear(sm, s);
    return scoreboard_clears_of_some(b, &sm->strands.state[s->id].pending, s, &sm->plans->at[s->pc], sm->now);
}

/* Has readiness_tell_parts() look at a gang that waits for memory. */
static void note_apart(struct sm *sm, const struct strand *s)
{
    struct strand_state *state = &sm->strands.state[s->id];
    if (s->slices < 2 || state->listed_apart)
        return;
    state->listed_apart = true;
    sm->ready.apart[sm->ready.apart_count++] = s->id;
}

/* With ideal lanes: the cycle at which the instruction at the PC is there. The bound knows no layout of code in which
 * other mechanisms have sync instructions. */
static uint64_t code_arrives(const struct sm *sm, int32_t pc)
{
    uint64_t address = fetch_address(sm, pc);
    return sm->traits.least_time && sm->config->stack_syncs
               ? ideal_memory_fetch_loose(sm->ideal_memory, sm->now, sm->index, address, sm->config->instruction_bytes)
               : ideal_memory_fetch(sm->ideal_memory, sm->now, sm->index, address);
}

/* The cycle at which the strand finds what it waits for besides its registers, which are written at cycle `when`. What
 * the strand waits for may depend on its registers: it is looked up when they are written. A strand may become an easy
 * one, which is ready. */
static __attribute__((noinline)) uint64_t more_clears(struct sm *sm, struct strand *s, uint64_t when)
{
    struct strand_state *state = &sm->strands.state[s->id];
    const struct plan *p = &sm->plans->at[s->pc];
    if (sm->map.bundles.rows && !state->ready) {
        if (s->size > 1 && bundles_separate(sm, s))
            when = sm_later(s->not_before, registers_clear(sm, s));
        /* A strand that enters the set of ready threads while others issue may issue in this cycle, too. */
        if (when <= sm->ready.open && !sm->ready.is_issuing && bundles_is_easy(sm, p)) {
            bundles_add_easy(sm, s, state, p);
            state->class = p->class;
        }
    } else if (sm->map.bundles.rows) {
        state->class = p->class; /* easy strands do not keep it */
    }
    if (sm->shortcuts.awaits_code)
        when = sm_later(when, code_arrives(sm, s->pc));
    return sm->traits.has_async && !s->syncs && when <= sm->ready.open ? sm_later(when, async_clears(sm, s)) : when;
}

/* Makes the strand ready, or asks for a wake-up at the cycle at which its registers are written. The next instruction
 * is fetched whether or not its registers are written: fetch fills empty instruction buffers, and issue waits. While it
 * is fetched, registers are not looked up, since the strand is evaluated again when the instruction is there; except
 * for gangs whose members may be ready at different times. A strand that may not issue yet, because it is new or held,
 * wakes up in the first cycle in which it may, to ask for its instruction. */
static __attribute__((noinline)) void evaluate_slowly(struct sm *sm, struct strand *s)
{
    if (readiness_is_kept(s)) {
        readiness_clear(sm, s);
        return;
    }
    bool has_code = true;
    if (is_fetched(sm, s) && s->not_before <= sm->ready.open)
        has_code = fetch_has(sm, s);
    if (!has_code && !(sm->shortcuts.tells_ready && s->slices > 1)) {
        readiness_clear(sm, s);
        return;
    }
    uint64_t when = s->syncs ? s->not_before : sm_later(s->not_before, registers_clear(sm, s));
    if (sm->shortcuts.awaits_more)
        when = more_clears(sm, s, when);
    if (when <= sm->ready.open && has_code) {
        add_ready(sm, s, &sm->strands.state[s->id], sm_plan_of(sm, s)->class);
        return;
    }
    readiness_clear(sm, s);
    if (when <= sm->ready.open)
        return;
    uint64_t wake = sm->traits.fetches && s->not_before > sm->ready.open ? s->not_before : when;
    if (wake != SM_NEVER)
        readiness_wake_later(sm, s, &sm->strands.state[s->id], wake);
    if (when == SM_NEVER && sm->shortcuts.tells_ready)
        note_apart(sm, s);
}

/* Makes the strand ready, or asks for a wake-up at the cycle at which its registers are written, on a multiprocessor
 * with shortcuts.evaluates_swiftly. */
static ALWAYS_INLINE void evaluate_swiftly(struct sm *sm, struct strand *s, struct strand_state *state)
{
    const struct sm_traits t = {.is_swift = true};
    const struct plan *p = &sm->plans->at[s->pc];
    uint64_t when = readiness_is_kept(s) ? SM_NEVER : s->not_before;
    if (!sm->scoreboard.is_off && when != SM_NEVER)
        when = sm_later(when, scoreboard_clears(&sm->scoreboard, &state->pending, s, p, sm->now));
    if (when <= sm->ready.open) {
        if (!state->ready)
            ready_set_add_as(sm, s, state, p->class, t);
        else if (state->class != p->class)
            ready_set_change(sm, s, state, p->class, t);
        return;
    }
    if (state->ready)
        ready_set_remove_as(sm, s, state, t);
    if (when != SM_NEVER)
        readiness_wake_later_as(sm, s, state, when, t);
}

static ALWAYS_INLINE void evaluate(struct sm *sm, struct strand *s)
{
    if (sm->shortcuts.evaluates_swiftly)
        evaluate_swiftly(sm, s, &sm->strands.state[s->id]);
    else
        evaluate_slowly(sm, s);
}

/* The cycle has come that the strand's last evaluation named. With the exact scoreboard that is the cycle at which the
 * strand's registers are written, and no other strand writes the lanes of this strand. With a scoreboard by warp
 * another strand may have begun a new write to the registers, so they are looked up again; and so are those of strands
 * that wake up for another reason: to ask for an instruction, or because the first members of a gang are ready. Strands
 * that may wait for asynchronous work look for it now that their registers are written. */
void readiness_wake(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->strands.state[s->id];
    state->wake_at = 0;
    if (sm->scoreboard.by_warp || sm->traits.fetches || sm->shortcuts.tells_ready || sm->traits.has_async)
        evaluate(sm, s);
    else if (sm->map.bundles.rows)
        bundles_make_ready(sm, s, state);
    else if (!readiness_is_kept(s))
        finish_evaluation(sm, s, state);
}

/* `t`: see ready_set.h. */
static ALWAYS_INLINE void wake_all(struct sm *sm, uint64_t ids, uint64_t cycle, const struct sm_traits t)
{
    for (; ids; ids &= ids - 1) {
        const int id = __builtin_ctzll(ids);
        struct strand *s = &sm->strands.at[id];
        struct strand_state *state = &sm->strands.state[id];
        if (!state->in_use || state->wake_at != cycle) /* the strand is gone, or has asked for another wake-up since */
            continue;
        state->wake_at = 0;
        if (!readiness_is_kept(s) && !state->ready)
            ready_set_add_as(sm, s, state, (t.is_swift ? &sm->plans->at[s->pc] : sm_plan_of(sm, s))->class, t);
    }
}

void readiness_wake_all(struct sm *sm, uint64_t ids, uint64_t cycle)
{
    if (sm->shortcuts.is_swift && !sm->shortcuts.lists_ready)
        wake_all(sm, ids, cycle, (struct sm_traits){.is_swift = true});
    else if (sm->shortcuts.is_swift)
        wake_all(sm, ids, cycle, sm_traits_as_swift(sm->traits));
    else
        wake_all(sm, ids, cycle, (struct sm_traits){0});
}

static __attribute__((noinline)) void evaluate_apart(struct sm *sm, struct strand *s)
{
    evaluate(sm, s);
}

/* Strands that are only listed, or that have no registers to wait for and were not ready, need no stack frame. */
void readiness_evaluate_at_once(struct sm *sm, struct strand *s)
{
    const struct sm_traits t = {.is_swift = true};
    struct strand_state *state = &sm->strands.state[s->id];
    const bool waits_for_time_alone = sm->scoreboard.is_off && sm->shortcuts.evaluates_swiftly;
    if (!waits_for_time_alone || state->ready || readiness_is_kept(s))
        evaluate_apart(sm, s);
    else if (s->not_before <= sm->ready.open)
        ready_set_add_as(sm, s, state, sm->plans->at[s->pc].class, t);
    else if (state->wake_at != s->not_before && wheel_add_wake(&sm->wheel, s->not_before, s->id))
        state->wake_at = s->not_before;
    else
        evaluate_apart(sm, s);
}

void readiness_evaluate(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->strands.state[s->id];
    if (!sm->ready.is_issuing) {
        if (state->in_use)
            readiness_evaluate_at_once(sm, s);
    } else if (!state->listed) {
        state->listed = true;
        sm->ready.listed[sm->ready.listed_count++] = s->id;
    }
}

void readiness_evaluate_listed(struct sm *sm)
{
    for (int i = 0; i < sm->ready.listed_count; i++) {
        int32_t id = sm->ready.listed[i];
        sm->strands.state[id].listed = false;
        if (sm->strands.state[id].in_use)
            evaluate(sm, &sm->strands.at[id]);
    }
    sm->ready.listed_count = 0;
}

/* ---- gangs whose members are not ready together ---- */

/* The strand's threads on one slice. */
static void threads_on_slice(struct sm *sm, const struct strand *s, uint32_t slice, struct threads *out)
{
    uint64_t slots = units_slice_slots(&sm->units, slice);
    out->count = 0;
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        uint32_t mask = 0;
        for (uint32_t left = part.mask; left; left &= left - 1)
            if (thread_map_slots(sm, part.row, left & -left) & slots)
                mask |= left & -left;
        if (mask)
            threads_append(out, part.row, mask);
    }
}

/* Tells the mechanism which slices of the gang have the registers of its next instruction, and which wait for memory.
 * If no slice has them yet, because the others wait for results of fixed latency, the gang is looked at again when they
 * come: the mechanism hears of it in the cycle in which the results are written, whatever else had the gang evaluated
 * before. */
static void tell_parts(struct sm *sm, struct strand *s)
{
    struct threads hit, miss;
    uint64_t first = SM_NEVER;
    hit.count = miss.count = 0;
    struct strand part = *s;
    for (uint32_t slice = 0; slice < sm->units.slices; slice++) {
        threads_on_slice(sm, s, slice, &part.threads);
        if (!part.threads.count)
            continue;
        uint64_t when = registers_clear(sm, &part);
        first = sm_earlier(first, when);
        for (int i = 0; i < part.threads.count; i++)
            threads_add(when == SM_NEVER ? &miss : &hit, part.threads.part[i].row, part.threads.part[i].mask);
    }
    if (!hit.count || !miss.count)
        return;
    if (first > sm->now) { /* but a wake-up to ask for the instruction may come before */
        uint64_t asked = sm->strands.state[s->id].wake_at;
        readiness_wake_later(sm, s, &sm->strands.state[s->id], asked > sm->now ? sm_earlier(asked, first) : first);
        return;
    }
    sm->ops->memory(sm->div, s, &hit, &miss);
    sm_called(sm);
}

void readiness_tell_parts(struct sm *sm)
{
    for (int i = 0; i < sm->ready.apart_count; i++) {
        int32_t id = sm->ready.apart[i];
        struct strand *s = &sm->strands.at[id];
        sm->strands.state[id].listed_apart = false;
        if (sm->strands.state[id].in_use && !readiness_is_kept(s) && !s->syncs && !sm->strands.state[id].ready)
            tell_parts(sm, s);
    }
    sm->ready.apart_count = 0;
}

/* ---- registers ---- */

/* More writes may be pending for the strand than at its last evaluation. A strand that was ready and is no longer is
 * taken from the ready ones at once, so that it does not issue in this cycle. */
static void reconsider(struct sm *sm, struct strand *s)
{
    if (sm->strands.state[s->id].ready && !s->syncs && registers_clear(sm, s) > sm->ready.open)
        readiness_clear(sm, s);
    readiness_evaluate(sm, s);
}

void readiness_delay_siblings(struct sm *sm, struct part own, uint32_t warps, int32_t writer)
{
    const struct row_strands *of = &sm->map.rows[own.row];
    uint32_t lanes = scoreboard_lanes(&sm->scoreboard, warps);
    if ((of->in_strands & lanes) == own.mask) /* mostly no other strand has threads of the warps */
        return;
    for (uint32_t left = of->lowest; left; left &= left - 1) {
        const int i = bits_lowest(left);
        if (of->lanes[i] & lanes && of->id[i] != writer && sm->strands.state[of->id[i]].ready)
            reconsider(sm, &sm->strands.at[of->id[i]]);
    }
}

void readiness_begin_writes(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due)
{
    struct scoreboard *b = &sm->scoreboard;
    if (b->cells)
        scoreboard_other_begin(b, &sm->strands.state[s->id].pending, s, p, due, sm->now);
    for (int i = 0; b->warp_cells && i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        uint32_t warps = scoreboard_warps(b, part.mask);
        scoreboard_begin_warps(b, part.row, warps, scoreboard_side(b, s), p, due);
        readiness_delay_siblings(sm, part, warps, s->id);
    }
}

void readiness_begin_phase(struct sm *sm, int32_t row, uint32_t lanes)
{
    const struct row_strands *of = &sm->map.rows[row];
    if (!scoreboard_begin_phase(&sm->scoreboard, row, lanes))
        return;
    lanes = scoreboard_lanes(&sm->scoreboard, scoreboard_warps(&sm->scoreboard, lanes));
    for (uint32_t left = of->lowest; left; left &= left - 1)
        if (of->lanes[bits_lowest(left)] & lanes)
            reconsider(sm, &sm->strands.at[of->id[bits_lowest(left)]]);
}
