/*
 * The way to the memory system and back.
 *
 * Accesses of the strands that issue in one cycle go as one, where the machine issues several at a time: they coalesce
 * together. What waits for an answer is a list of flights, one for each row with threads in it; the first one's number
 * is the access's ticket.
 */
#include "sm/scoreboard.h"

#include "base/arena.h"
#include "base/diag.h"

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

static int32_t take_flight(struct sm *sm)
{
    if (sm->free_flight < 0) {
        vec_push(&sm->flights, (struct flight){.next = -1});
        sm->free_flight = sm->flights.count - 1;
    }
    int32_t f = sm->free_flight;
    sm->free_flight = sm->flights.data[f].next;
    return f;
}

static void open_group(struct access_group *g, const struct sm *sm, const struct step_access *a, bool bypasses,
                       bool wants_reply)
{
    g->is_open = true;
    g->first = g->last = -1;
    g->access.kind = kind_of(a);
    g->access.sm = sm->index;
    g->access.ticket = 0;
    g->access.wants_reply = wants_reply;
    /* Strands that share an access do not wait for each other's lines. */
    g->access.wants_parts = wants_reply && (sm->tells_parts || sm->traits.has_gangs) && sm->step.access_count == 1;
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

/* The strand's threads wait for the answer. */
static void take_off(struct sm *sm, struct access_group *g, const struct strand *s)
{
    int lane = g->access.count;
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        int32_t at = take_flight(sm);
        struct flight *f = &sm->flights.data[at];
        *f = (struct flight){.row = part.row,
                             .pc = s->pc,
                             .mask = part.mask,
                             .active = sm->step.part_active[i],
                             .first_lane = lane,
                             .strand = s->id,
                             .generation = s->generation,
                             .next = -1,
                             .side = sm->by_side ? s->side & 1 : 0};
        lane += bits_count(f->active);
        if (g->last < 0)
            g->first = at;
        else
            sm->flights.data[g->last].next = at;
        g->last = at;
        scoreboard_begin_load(sm, f);
        sm->residents[sm->row_resident[part.row]].loads++;
    }
    sm->states[s->id].loads++;
}

bool access_join(struct sm *sm, struct strand *s, const struct plan *p, const struct step_access *a, bool wants_reply)
{
    struct access_group *g = &sm->group;
    if (!g->is_open)
        open_group(g, sm, a, p->bypasses_l1, wants_reply);
    else if (!fits(g, sm, a, p->bypasses_l1, wants_reply))
        return false;
    if (wants_reply)
        take_off(sm, g, s);
    memcpy(g->access.address + g->access.count, a->address, sizeof a->address[0] * (size_t)a->count);
    g->access.count += a->count;
    sm->stats.memory_instructions++;
    if (sm->static_lines)
        static_lines_access(sm, s, a);
    g->pc = s->pc;
    return true;
}

void access_send(struct sm *sm)
{
    struct access_group *g = &sm->group;
    int transactions = 0;
    if (!g->is_open)
        return;
    g->is_open = false;
    if (g->access.wants_reply) {
        g->access.ticket = (uint32_t)g->first;
        sm->memory_pending++;
    }
    if (!mem_issue(sm->mem, sm->now, &g->access, &transactions))
        panic("the memory system refuses an access that it said it would take");
    sm->stats.transactions += (uint64_t)transactions;
    sm->sites[g->pc].transactions += (uint64_t)transactions;
}

/* ---- back ---- */

/* Strands with threads of these lanes may have waited for them; not where threads have one instruction in flight: then those
 * threads are the strand that loaded. */
static void wake_row(struct sm *sm, int32_t row, uint32_t lanes)
{
    const struct row_strands *of = &sm->row_strands[row];
    if (sm->traits.every_commit)
        return;
    for (int i = of->count - 1; i >= 0; i--) {
        struct strand *s = &sm->strands[of->id[i]];
        if (!sm->states[s->id].ready && (sm->by_warp || threads_of_row(&s->threads, row) & lanes))
            strand_evaluate(sm, s);
    }
}

static void finish_access(struct sm *sm, int32_t at)
{
    while (at >= 0) {
        scoreboard_end_load(sm, &sm->flights.data[at], UINT32_MAX);
        struct flight f = sm->flights.data[at];
        sm->residents[sm->row_resident[f.row]].loads--;
        sm->flights.data[at].next = sm->free_flight;
        sm->free_flight = at;
        at = f.next;
        struct strand *s = strand_if_current(sm, f.strand, f.generation);
        bool is_last_of_strand =
            at < 0 || sm->flights.data[at].strand != f.strand || sm->flights.data[at].generation != f.generation;
        if (s && is_last_of_strand) {
            sm->states[s->id].loads--;
            if (sm->traits.every_commit)
                issue_complete(sm, s);
            else if (sm->states[s->id].drains)
                strand_drain(sm, s);
            else
                strand_evaluate(sm, s);
        }
        wake_row(sm, f.row, f.mask);
    }
    sm->memory_pending--; /* last: until here the scoreboard has loads of it */
}

/* The lanes of a flight that bits of the access's lanes stand for. */
static uint32_t lanes_of(const struct flight *f, uint64_t access_lanes)
{
    uint32_t lanes = 0;
    uint64_t bits = access_lanes >> f->first_lane;
    for (uint32_t left = f->active; left; left &= left - 1, bits >>= 1)
        if (bits & 1)
            lanes |= left & -left;
    return lanes;
}

/* Some of the data is there. A mechanism that asked for it hears of each strand whose threads part by it. */
static void take_part(struct sm *sm, int32_t first, uint64_t access_lanes)
{
    for (int32_t at = first; at >= 0;) {
        struct threads hit, miss;
        hit.count = miss.count = 0;
        struct strand *s = strand_if_current(sm, sm->flights.data[at].strand, sm->flights.data[at].generation);
        int32_t strand = sm->flights.data[at].strand;
        for (; at >= 0 && sm->flights.data[at].strand == strand; at = sm->flights.data[at].next) {
            struct flight *f = &sm->flights.data[at];
            uint32_t got = lanes_of(f, access_lanes);
            f->arrived |= got;
            /* lanes that did not access have nothing more to wait for when the others' data is there */
            scoreboard_end_load(sm, f, f->active & ~f->arrived ? got : f->mask);
            uint32_t own = s ? threads_of_row(&s->threads, f->row) : 0;
            if (got & own)
                threads_add(&hit, f->row, got & own);
            if (f->active & ~f->arrived & own)
                threads_add(&miss, f->row, f->active & ~f->arrived & own);
            wake_row(sm, f->row, f->active & ~f->arrived ? got : f->mask);
        }
        if (s && sm->tells_parts && hit.count && miss.count && !s->busy) {
            sm->ops->memory(sm->div, s, &hit, &miss);
            sm_called(sm);
        }
    }
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
