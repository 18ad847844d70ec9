/*
 * Strands of a multiprocessor, and the interface through which mechanisms make and change them.
 *
 * The map from threads to strands is kept here: a thread is in at most one strand, and one that is in none belongs to
 * the mechanism.
 */
#include "sm/internal.h"

#include "base/bits.h"
#include "base/diag.h"

#include <string.h>

static struct sm *sm_of(struct div_host *host)
{
    return (struct sm *)host;
}

void strand_wake_at(struct sm *sm, struct strand *s, uint64_t cycle)
{
    s->not_before = cycle;
    if (cycle > sm->now)
        event_push(&sm->events, cycle, EVENT_WAKE, s->id, s->generation);
    strand_evaluate(sm, s);
}

void strand_evaluate(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->states[s->id];
    bool ready = state->in_use && !s->held && !s->parked && !state->resolving && s->not_before <= sm->now &&
                 s->threads.count && scoreboard_allows(sm, s);
    /* Ready strands are also kept by the unit they need, so that a busy one rules them all out at once. */
    uint64_t bit = 1ull << (s->id % 64);
    if (state->ready)
        sm->needs[state->unit][s->id / 64] &= ~bit;
    if (ready) {
        state->unit = (uint8_t)sm->config->cost[sm->host.program->insns[s->pc].class].unit;
        sm->needs[state->unit][s->id / 64] |= bit;
    }
    if (ready == state->ready)
        return;
    state->ready = ready;
    sm->ready_count += ready ? 1 : -1;
    if (ready)
        sm->policy->ready(sm->sched, s);
    else
        sm->policy->unready(sm->sched, s);
}

static void unmap_threads(struct sm *sm, const struct strand *s)
{
    for (int i = 0; i < s->threads.count; i++) {
        int32_t *of = sm->strand_of + (size_t)s->threads.part[i].row * ROW_LANES;
        for (uint32_t left = s->threads.part[i].mask; left; left &= left - 1)
            if (of[bits_lowest(left)] == s->id)
                of[bits_lowest(left)] = -1;
    }
}

static void map_threads(struct sm *sm, const struct strand *s)
{
    for (int i = 0; i < s->threads.count; i++) {
        int32_t *of = sm->strand_of + (size_t)s->threads.part[i].row * ROW_LANES;
        for (uint32_t left = s->threads.part[i].mask; left; left &= left - 1)
            of[bits_lowest(left)] = s->id;
    }
}

static void describe(struct sm *sm, struct strand *s)
{
    if (!s->threads.count)
        return;
    s->block = sm->row_resident[s->threads.part[0].row];
    s->block_age = sm->residents[s->block].age;
}

static struct strand *host_create(struct div_host *host, int32_t pc, int32_t depth, const struct threads *threads,
                                  int32_t lineage)
{
    struct sm *sm = sm_of(host);
    int32_t id = sm->free_count ? sm->free_strands[--sm->free_count] : sm->strand_top++;
    if (id >= sm->strand_capacity)
        panic("the mechanism %s makes more strands than there are threads", sm->ops->name);
    struct strand *s = &sm->strands[id];
    uint32_t generation = s->generation + 1;
    memset(s, 0, sizeof *s);
    s->id = id;
    s->generation = generation;
    s->pc = pc;
    s->depth = depth;
    s->threads = *threads;
    s->lineage = lineage;
    s->birth = sm->births++;
    struct strand_state *state = &sm->states[id];
    state->in_use = true;
    state->ready = state->resolving = false;
    state->in_flight = 0;
    sm->live_strands++;
    map_threads(sm, s);
    describe(sm, s);
    strand_wake_at(sm, s, sm->now + 1);
    return s;
}

static void become_unready(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->states[s->id];
    if (!state->ready)
        return;
    state->ready = false;
    sm->ready_count--;
    sm->needs[state->unit][s->id / 64] &= ~(1ull << (s->id % 64));
    sm->policy->unready(sm->sched, s);
}

static void host_assign(struct div_host *host, struct strand *s, int32_t pc, int32_t depth,
                        const struct threads *threads)
{
    struct sm *sm = sm_of(host);
    become_unready(sm, s);
    struct threads copy = *threads; /* it may be the strand's own */
    unmap_threads(sm, s);
    s->threads = copy;
    s->pc = pc;
    s->depth = depth;
    map_threads(sm, s);
    describe(sm, s);
    strand_evaluate(sm, s);
}

static void host_retire(struct div_host *host, struct strand *s)
{
    struct sm *sm = sm_of(host);
    struct strand_state *state = &sm->states[s->id];
    become_unready(sm, s);
    sm->policy->removed(sm->sched, s);
    unmap_threads(sm, s);
    s->threads.count = 0;
    s->generation++;
    state->in_use = state->ready = state->resolving = false;
    sm->live_strands--;
    sm->free_strands[sm->free_count++] = s->id;
}

static void host_park(struct div_host *host, struct strand *s)
{
    s->parked = true;
    strand_evaluate(sm_of(host), s);
}

static void host_unpark(struct div_host *host, struct strand *s)
{
    s->parked = false;
    strand_evaluate(sm_of(host), s);
}

static void host_block_rows(struct div_host *host, int32_t block, int32_t *first, int32_t *count)
{
    struct sm *sm = sm_of(host);
    *first = sm->residents[block].first_row;
    *count = sm->rows_per_block;
}

static int32_t host_row_block(struct div_host *host, int32_t row)
{
    return sm_of(host)->row_resident[row];
}

static uint32_t host_row_live(struct div_host *host, int32_t row)
{
    const struct row *r = sm_of(host)->rows[row];
    return r ? r->live : 0;
}

/* Lanes of a row in the order of home slots: warps narrower than a row lie side by side in it, and wider ones take
 * several rows. */
static uint64_t host_slots(struct div_host *host, int32_t row, uint32_t lanes)
{
    unsigned width = (unsigned)host->width;
    uint64_t slots = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned thread = (unsigned)row * ROW_LANES + (unsigned)bits_lowest(left);
        unsigned turn = sm_of(host)->config->lane_swizzle ? thread / width : 0;
        slots |= UINT64_C(1) << (thread + turn) % width;
    }
    return slots;
}

/* The exact scoreboard sees through any grouping of threads, so nothing is to be copied between sides. */
static void host_fork(struct div_host *host, int32_t row)
{
    (void)host;
    (void)row;
}

void strands_init(struct sm *sm)
{
    sm->host.sm = sm;
    sm->host.width = (int)sm->config->warp_width;
    sm->host.create = host_create;
    sm->host.assign = host_assign;
    sm->host.retire = host_retire;
    sm->host.park = host_park;
    sm->host.unpark = host_unpark;
    sm->host.block_rows = host_block_rows;
    sm->host.row_block = host_row_block;
    sm->host.row_live = host_row_live;
    sm->host.slots = host_slots;
    sm->host.fork = host_fork;
    sm->host.join = host_fork;
}

void strand_let_go(struct sm *sm, struct strand *s, int32_t pc, int32_t depth)
{
    s->held = false;
    s->pc = pc;
    s->depth = depth;
    if (sm->marks[pc] && sm->ops->arrive)
        sm->ops->arrive(sm->div, s);
    if (sm->states[s->id].in_use)
        strand_wake_at(sm, s, sm->now + sm->config->barrier_latency_cycles);
}

/* A barrier or rendezvous let threads go. Those in strands count down what their strand waits for. */
void strands_released(void *context, int32_t row, int32_t pc, int32_t depth, uint32_t mask)
{
    struct sm *sm = context;
    struct threads loose = {0};
    while (mask) {
        int lane = bits_lowest(mask);
        int32_t id = sm->strand_of[(size_t)row * ROW_LANES + (unsigned)lane];
        if (id < 0) {
            threads_add(&loose, row, 1u << lane);
            mask &= mask - 1;
            continue;
        }
        struct strand *s = &sm->strands[id];
        uint32_t own = threads_of_row(&s->threads, row) & mask;
        mask &= ~own;
        s->waiting -= bits_count(own);
        if (s->held && s->waiting == 0)
            strand_let_go(sm, s, pc, depth);
    }
    if (loose.count && sm->ops->released)
        sm->ops->released(sm->div, pc, depth, &loose);
}
