/*
 * Accesses to the memory system and their replies.
 *
 * Where the machine issues several strands in one cycle, the accesses of those strands go to memory as one access and
 * coalesce together; otherwise every strand's access goes alone. See flights.h for what is kept until memory answers.
 * Accesses to shared memory never come here: issue.c answers them.
 */
#include "sm/access.h"

#include "base/diag.h"
#include "mem/ideal.h"
#include "sm/internal.h"

#include <string.h>

static enum mem_kind kind_of(const struct step_access *a)
{
    switch (a->kind) {
    case STEP_CONSTANT:
        return MEM_CONSTANT;
    case STEP_TEXTURE:
        return MEM_TEXTURE;
    default:
        return a->is_atomic ? MEM_ATOMIC : a->is_store ? MEM_STORE : MEM_LOAD;
    }
}

/* ---- to memory ---- */

static void open_group(struct access_group *g, const struct sm *sm, const struct step_access *a, bool bypasses,
                       bool wants_reply)
{
    g->is_open = true;
    g->first = g->last = -1;
    g->access.kind = kind_of(a);
    g->access.sm = sm->index;
    g->access.ticket = 0;
    g->access.wants_reply = wants_reply;
    /* Gangs that share an access do not wait for each other's lines. An instruction that also accesses shared memory
     * waits for all its data. */
    g->access.wants_parts =
        wants_reply && (sm->shortcuts.tells_parts || sm->traits.has_gangs) && sm->step.access_count == 1;
    g->access.bypasses_l1 = bypasses;
    g->access.count = 0;
    g->access.bytes = a->bytes;
}

static bool fits(const struct access_group *g, const struct sm *sm, const struct step_access *a, bool bypasses,
                 bool wants_reply)
{
    return sm->traits.merges_accesses && sm->step.access_count == 1 && g->access.kind == kind_of(a) &&
           g->access.bytes == a->bytes && g->access.bypasses_l1 == bypasses && g->access.wants_reply == wants_reply &&
           g->access.count + a->count <= MEM_MAX_LANES;
}

/* Adds the flights of the strand's threads, which wait for the reply. */
static void add_flights(struct sm *sm, struct access_group *g, const struct strand *s, const struct plan *p)
{
    int lane = g->access.count;
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        int32_t at = flights_take(&sm->flights);
        struct sm_flight *f = flights_at(&sm->flights, at);
        *f = (struct sm_flight){.load = {.plan = p,
                                         .row = part.row,
                                         .mask = part.mask,
                                         .side = (uint8_t)scoreboard_side(&sm->scoreboard, s)},
                                .active = sm->step.part_active[i],
                                .first_lane = lane,
                                .strand = s->id,
                                .generation = s->generation,
                                .next = -1};
        lane += bits_count(f->active);
        if (g->last < 0)
            g->first = at;
        else
            flights_at(&sm->flights, g->last)->next = at;
        g->last = at;
        scoreboard_begin_load(&sm->scoreboard, &f->load);
        if (sm->scoreboard.warp_cells)
            readiness_delay_siblings(sm, part.row, scoreboard_warps(&sm->scoreboard, part.mask), s->id);
        residents_of_row(&sm->residents, part.row)->loads++;
    }
    sm->strands.state[s->id].pending.loads++;
}

bool access_join(struct sm *sm, struct strand *s, const struct plan *p, const struct step_access *a, bool wants_reply)
{
    struct access_group *g = &sm->flights.group;
    if (!g->is_open)
        open_group(g, sm, a, p->bypasses_l1, wants_reply);
    else if (!fits(g, sm, a, p->bypasses_l1, wants_reply))
        return false;
    if (wants_reply)
        add_flights(sm, g, s, p);
    memcpy(g->access.address + g->access.count, a->address, sizeof a->address[0] * (size_t)a->count);
    g->access.count += a->count;
    sm->stats.memory_instructions++;
    if (sm->static_lines)
        static_lines_access(sm, s, a);
    g->pc = s->pc;
    return true;
}

static void count_transactions(struct sm *sm, const struct access_group *g, int transactions)
{
    sm->stats.transactions += (uint64_t)transactions;
    sm->sites[g->pc].transactions += (uint64_t)transactions;
}

static void send_to_ideal_memory(struct sm *sm, const struct access_group *g)
{
    struct ideal_answer answer =
        ideal_memory_access(sm->ideal_memory, sm->now, &g->access, sm->plans->at[g->pc].is_awaited);
    count_transactions(sm, g, answer.transactions);
    limits_look_up(&sm->limits, answer.lookup_time, sm->now);
    if (!g->access.wants_reply)
        return;
    sm->flights.pending++;
    wheel_add(&sm->wheel, answer.ready, EVENT_REPLY, g->first, 0);
}

void access_send(struct sm *sm)
{
    struct access_group *g = &sm->flights.group;
    int transactions = 0;
    if (!g->is_open)
        return;
    g->is_open = false;
    if (sm->traits.least_time) {
        send_to_ideal_memory(sm, g);
        return;
    }
    if (g->access.wants_reply) {
        g->access.ticket = (uint32_t)g->first;
        sm->flights.pending++;
    }
    if (!mem_issue(sm->mem, sm->now, &g->access, &transactions))
        panic("the memory system refuses an access that it said it would take");
    count_transactions(sm, g, transactions);
}

/* ---- from memory ---- */

/* Evaluates the strands that may have waited for data of these lanes. Where a thread has one instruction in flight,
 * only the strand that loaded can wait, and its caller completes that strand. */
static void wake_row(struct sm *sm, int32_t row, uint32_t lanes)
{
    const struct row_strands *of = &sm->map.rows[row];
    if (sm->traits.every_commit)
        return;
    for (int i = of->count - 1; i >= 0; i--) {
        struct strand *s = &sm->strands.at[of->id[i]];
        if (!sm->strands.state[s->id].ready && (sm->scoreboard.by_warp || threads_of_row(&s->threads, row) & lanes))
            readiness_evaluate(sm, s);
    }
}

/* Tells a mechanism that wants to hear it that data is back for these lanes. */
static void tell_loaded(struct sm *sm, int32_t row, uint32_t lanes)
{
    if (!sm->wants.hears_loads || !lanes)
        return;
    sm->ops->loaded(sm->div, row, lanes);
    sm_called(sm);
}

/* All data of the access is back. */
static void finish_access(struct sm *sm, int32_t at)
{
    while (at >= 0) {
        scoreboard_end_load(&sm->scoreboard, &flights_at(&sm->flights, at)->load, UINT32_MAX);
        struct sm_flight f = *flights_at(&sm->flights, at);
        residents_of_row(&sm->residents, f.load.row)->loads--;
        flights_put_back(&sm->flights, at);
        at = f.next;
        struct strand *s = strand_table_current(&sm->strands, f.strand, f.generation);
        const struct sm_flight *next = at < 0 ? NULL : flights_at(&sm->flights, at);
        bool is_last_of_strand = !next || next->strand != f.strand || next->generation != f.generation;
        if (s && is_last_of_strand) {
            sm->strands.state[s->id].pending.loads--;
            if (sm->traits.every_commit)
                issue_complete(sm, s);
            else if (sm->strands.state[s->id].drains)
                host_check_drain(sm, s);
            else
                readiness_evaluate(sm, s);
        }
        wake_row(sm, f.load.row, f.load.mask);
        tell_loaded(sm, f.load.row, f.load.mask);
    }
    sm->flights.pending--;
}

/* The lanes of the flight's row that a set of the access's lanes stands for. */
static uint32_t lanes_of(const struct sm_flight *f, uint64_t access_lanes)
{
    uint32_t lanes = 0;
    uint64_t bits = access_lanes >> f->first_lane;
    for (uint32_t left = f->active; left; left &= left - 1, bits >>= 1)
        if (bits & 1)
            lanes |= left & -left;
    return lanes;
}

/* The data of some lanes of the access is back. A mechanism that asked for it hears of each strand of which some
 * threads have their data and others still wait. */
static void take_part(struct sm *sm, int32_t first, uint64_t access_lanes)
{
    for (int32_t at = first; at >= 0;) {
        struct threads hit, miss;
        hit.count = miss.count = 0;
        const int32_t strand = flights_at(&sm->flights, at)->strand;
        struct strand *s = strand_table_current(&sm->strands, strand, flights_at(&sm->flights, at)->generation);
        while (at >= 0 && flights_at(&sm->flights, at)->strand == strand) {
            struct sm_flight *f = flights_at(&sm->flights, at);
            const int32_t row = f->load.row;
            uint32_t got = lanes_of(f, access_lanes);
            f->arrived |= got;
            uint32_t missing = f->active & ~f->arrived;
            /* Lanes that did not access wait for nothing more once the data of all others is back. */
            uint32_t cleared = missing ? got : f->load.mask;
            scoreboard_end_load(&sm->scoreboard, &f->load, cleared);
            uint32_t own = s ? threads_of_row(&s->threads, row) : 0;
            if (got & own)
                threads_add(&hit, row, got & own);
            if (missing & own)
                threads_add(&miss, row, missing & own);
            wake_row(sm, row, cleared);
            at = f->next;
            tell_loaded(sm, row, cleared);
        }
        if (s && sm->shortcuts.tells_parts && hit.count && miss.count && !s->busy) {
            sm->ops->memory(sm->div, s, &hit, &miss);
            sm_called(sm);
        }
    }
}

void access_take_ideal_reply(struct sm *sm, int32_t ticket)
{
    finish_access(sm, ticket);
}

void access_take_replies(struct sm *sm)
{
    struct mem_reply reply;
    while (mem_take_reply(sm->mem, sm->index, sm->now, &reply)) {
        if (reply.ticket >= FETCH_TICKET)
            fetch_reply(sm, reply.ticket);
        else if (reply.is_last)
            finish_access(sm, (int32_t)reply.ticket);
        else
            take_part(sm, (int32_t)reply.ticket, reply.lanes);
    }
}
