/* Bundles of threads that issue together on ideal lanes (bundles.h): how they are split, joined and woken up. What they
 * issue in a cycle is in turn.c. */
#include "sm/bundles/ready.h"

#include "base/arena.h"
#include "sm/bundles/easy.h"
#include "sm/internal.h"
#include "sm/ready_set.h"

#include <stdlib.h>
#include <string.h>

/* The scheduler of a multiprocessor that picks threads by itself. */
static struct sched *open_nothing(const struct sched_setup *setup)
{
    (void)setup;
    return NULL;
}
static void close_nothing(struct sched *sched)
{
    (void)sched;
}
static void ignore_strand(struct sched *sched, struct strand *s)
{
    (void)sched, (void)s;
}
static void ignore_ready(struct sched *sched, struct strand *s, int class)
{
    (void)sched, (void)s, (void)class;
}
static void ignore_issue(struct sched *sched, int port, struct strand *s, uint64_t now)
{
    (void)sched, (void)port, (void)s, (void)now;
}
static const struct sched_ops no_scheduler = {
    .name = "bundles",
    .in_place = true,
    .create = open_nothing,
    .destroy = close_nothing,
    .added = ignore_strand,
    .removed = ignore_strand,
    .ready = ignore_ready,
    .unready = ignore_strand,
    .issued = ignore_issue,
};

void bundles_open(struct sm *sm)
{
    struct bundles *b = &sm->map.bundles;
    const struct sm_traits *t = &sm->traits;
    const struct sched_ops *policy = sm->policy;
    for (int i = 0; i < READINESS_MAX_PORTS; i++)
        sm->map.bundles.last[i].row = -1;
    if (policy->without_greed)
        policy = sched_find(policy->without_greed);
    bool is_watched = t->is_traced || t->is_taped || sm->engine->race;
    bool is_exact = sm->config->scoreboard != SM_SCOREBOARD_SINGLE;
    /* The threads of a strand have different home slots only where a warp is as wide as a row. */
    if (!t->ideal || t->least_time || t->has_async || is_watched || !is_exact || !policy->by_age ||
        sm->config->warp_width < ROW_LANES || ROW_LANES % sm->config->schedulers)
        return;
    const size_t strands = (size_t)sm->strands.capacity;
    const size_t rows = (size_t)residents_row_count(&sm->residents);
    b->row_count = (int)rows;
    b->rows = xcalloc(rows, sizeof *b->rows);
    for (uint32_t i = 0; i < sm->config->schedulers; i++) {
        b->ready[i] = xcalloc(rows, sizeof *b->ready[i]);
        b->of_class[i] = xcalloc(rows * SCHED_MAX_CLASSES, sizeof *b->of_class[i]);
        b->ready_rows[i] = xcalloc(rows / 64 + 1, sizeof *b->ready_rows[i]);
    }
    b->places = xcalloc((size_t)sm->residents.capacity, sizeof *b->places);
    b->order = xcalloc(rows, sizeof *b->order);
    b->again = xcalloc(strands, sizeof *b->again);
    b->easy = xcalloc(strands, sizeof *b->easy);
    b->wake_next = xcalloc(strands, sizeof *b->wake_next);
    for (size_t i = 0; i < strands; i++)
        b->wake_next[i] = BUNDLES_UNLISTED;
    for (int i = 0; i < WHEEL_CYCLES; i++)
        b->wake_first[i] = b->easy_first[i] = BUNDLES_END;
    b->is_greedy = policy != sm->policy;
    sm->policy = &no_scheduler;
    sm->host.facts.bundles = true;
}

void bundles_close(struct sm *sm)
{
    struct bundles *b = &sm->map.bundles;
    for (int i = 0; i < READINESS_MAX_PORTS; i++) {
        free(b->ready[i]);
        free(b->of_class[i]);
        free(b->ready_rows[i]);
    }
    free(b->rows);
    free(b->places);
    free(b->order);
    free(b->again);
    free(b->easy);
    free(b->wake_next);
}

void bundles_start_block(struct sm *sm, int place)
{
    struct bundles *b = &sm->map.bundles;
    const struct resident *at = sm->residents.at;
    int count = 0;
    for (int i = 0; i < b->place_count; i++)
        if (b->places[i] != place)
            b->places[count++] = b->places[i];
    b->place_count = count + 1;
    for (; count > 0 && at[b->places[count - 1]].age > at[place].age; count--)
        b->places[count] = b->places[count - 1];
    b->places[count] = place;
    for (int i = 0; i < sm->residents.rows_per_block; i++) {
        const int32_t row = at[place].first_row + i;
        const uint64_t rows_before = at[place].age * (uint64_t)sm->residents.rows_per_block + (uint64_t)i;
        b->order[row] = (rows_before * ROW_LANES + 1) * BUNDLES_ORDER + (uint64_t)row;
    }
}

/* ---- wake-ups ---- */

bool bundles_wake_later(struct sm *sm, const struct strand *s, uint64_t cycle)
{
    return sm->map.bundles.rows && bundles_list_wake(sm, sm->map.bundles.wake_first, s->id, cycle);
}

/* Makes a strand ready whose registers are written. */
static ALWAYS_INLINE void make_ready(struct sm *sm, struct strand *s, struct strand_state *state)
{
    const struct plan *p = &sm->plans->at[s->pc];
    if (s->held | s->parked | s->busy | state->ready)
        return;
    if (bundles_is_easy(sm, p))
        bundles_add_easy(sm, s, state, p);
    else
        bundles_add_ready(sm, s, state, p->class);
}

void bundles_make_ready(struct sm *sm, struct strand *s, struct strand_state *state)
{
    make_ready(sm, s, state);
}

/* Lists the easy strands that asked for a wake-up at the cycle. What the loop reads is in local variables: stores to
 * strands could change the fields of bundles for all that the compiler knows. */
static ALWAYS_INLINE void wake_easy(struct sm *sm, uint64_t cycle)
{
    struct bundles *b = &sm->map.bundles;
    struct strand *const strands = sm->strands.at;
    struct strand_state *const states = sm->strands.state;
    int16_t *const first = &b->easy_first[cycle % WHEEL_CYCLES], *const next = b->wake_next, *easy = b->easy;
    const uint64_t *const order = b->order;
    const bool is_crowded = sm->now < b->crowded_until;
    int id = *first;
    easy += b->easy_count;
    *first = BUNDLES_END;
    while (id != BUNDLES_END) {
        struct strand_state *state = &states[id];
        const int own = id;
        id = next[own];
        next[own] = BUNDLES_UNLISTED;
        if (state->wake_at != cycle || !state->in_use || state->ready) /* it was evaluated since */
            continue;
        const struct strand *s = &strands[own];
        const int port = state->port;
        if (is_crowded) {
            bundles_add_ready(sm, s, state, sm->plans->at[s->pc].class);
            continue;
        }
        state->ready = true;
        *easy++ = (int16_t)own;
        b->easy_threads[port] += s->size;
        b->newest[port] = sm_later(b->newest[port], bundles_newest_of(order, s->threads.part[0], b->last[port]));
    }
    b->easy_count = (int)(easy - b->easy);
}

void bundles_wake_all(struct sm *sm, uint64_t cycle)
{
    struct bundles *b = &sm->map.bundles;
    int16_t *first = &b->wake_first[cycle % WHEEL_CYCLES];
    int id = *first;
    *first = BUNDLES_END;
    wake_easy(sm, cycle);
    while (id != BUNDLES_END) {
        struct strand_state *state = &sm->strands.state[id];
        const int next = b->wake_next[id];
        b->wake_next[id] = BUNDLES_UNLISTED;
        if (state->wake_at == cycle && state->in_use) { /* else it is gone, or has asked for another wake-up since */
            state->wake_at = 0;
            make_ready(sm, &sm->strands.at[id], state);
        }
        id = next;
    }
}

/* readiness_evaluate() where there are easy strands, outside of issue, of a strand that is not ready. */
static void evaluate(struct sm *sm, struct strand *s, struct strand_state *state)
{
    const struct plan *p = &sm->plans->at[s->pc];
    if (s->held | s->parked | s->busy)
        return;
    uint64_t when = scoreboard_row_clears(&sm->scoreboard, &state->pending, s, p, sm->now);
    if (s->size > 1 && bundles_separate(sm, s))
        when = scoreboard_row_clears(&sm->scoreboard, &state->pending, s, p, sm->now);
    when = sm_later(when, s->not_before);
    if (when <= sm->ready.open)
        make_ready(sm, s, state);
    else if (when != SM_NEVER)
        readiness_wake_later(sm, s, state, when);
}

void bundles_wake_lanes(struct sm *sm, int32_t row, uint32_t lanes)
{
    lanes &= sm->map.rows[row].in_strands;
    while (lanes) {
        struct strand *s = &sm->strands.at[sm->map.bundles.rows[row].id[bits_lowest(lanes)]];
        struct strand_state *state = &sm->strands.state[s->id];
        lanes &= ~s->threads.part[0].mask;
        if (state->ready || state->wake_at > sm->now) /* a strand that asked for a wake-up waits for no load */
            continue;
        /* The strand may be split: each lane is looked at once all the same. */
        if (sm->map.bundles.has_easy)
            evaluate(sm, s, state);
        else
            readiness_evaluate(sm, s);
    }
}

void bundles_end_cycle(struct sm *sm)
{
    struct bundles *b = &sm->map.bundles;
    for (int i = 0; i < b->again_count; i++)
        make_ready(sm, &sm->strands.at[b->again[i]], &sm->strands.state[b->again[i]]);
    b->again_count = 0;
}

/* ---- splitting and joining ---- */

void bundles_enter(struct sm *sm, int32_t row, uint32_t lanes, int32_t id)
{
    for (uint32_t left = lanes; left; left &= left - 1)
        sm->map.bundles.rows[row].id[bits_lowest(left)] = (int16_t)id;
}

struct strand *bundles_split(struct sm *sm, struct strand *s, uint32_t lanes)
{
    backlog_empty(sm, s, &sm->strands.state[s->id]);
    struct strand *rest = host_make_strand(sm, s->pc, s->depth, s->lineage);
    rest->not_before = s->not_before; /* threads that leave a bundle issue as if they had been alone */
    thread_map_divide(sm, s, lanes, rest);
    return rest;
}

void bundles_split_ready(struct sm *sm, struct strand *s, uint32_t lanes)
{
    const struct strand_state *state = &sm->strands.state[s->id];
    struct strand_state *rest = &sm->strands.state[bundles_split(sm, s, lanes)->id];
    rest->ready = true;
    rest->class = state->class;
    sm->ready.by_class[state->port][state->class]++;
}

void bundles_join(struct sm *sm, struct strand *s, struct strand *from)
{
    struct strand_state *state = &sm->strands.state[from->id];
    backlog_empty(sm, s, &sm->strands.state[s->id]);
    backlog_empty(sm, from, state);
    if (state->ready)
        sm->ready.by_class[state->port][state->class]--;
    state->ready = false;
    thread_map_unite(sm, s, from);
    strand_table_put_back(&sm->strands, from->id);
}

bool bundles_separate(struct sm *sm, struct strand *s)
{
    struct scoreboard_strand *pending = &sm->strands.state[s->id].pending;
    if (s->size == 1 || !scoreboard_asks_rows(&sm->scoreboard, pending, s, &sm->plans->at[s->pc], sm->now))
        return false;
    uint32_t alike = scoreboard_alike(&sm->scoreboard, s->threads.part[0], &sm->plans->at[s->pc], sm->now);
    if (alike == s->threads.part[0].mask)
        return false;
    readiness_evaluate(sm, bundles_split(sm, s, alike));
    return true;
}

unsigned bundles_pass_banks(struct sm *sm, const struct strand *s, const struct step_access *shared)
{
    const uint64_t count = (uint64_t)shared->count;
    unsigned passes = mem_shared_passes_of(sm->mem, 1, shared->address, shared->bytes, shared->is_atomic);
    sm->stats.shared_instructions += count;
    sm->stats.shared_passes += count * passes;
    sm->stats.shared_stall_cycles += count * (passes - 1);
    sm->sites[s->pc].transactions += count * passes;
    return passes;
}
