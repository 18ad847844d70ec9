/*
 * Accesses to the memory system and their replies.
 *
 * Where lane slices issue strands side by side, all accesses of a cycle are one access (Rogers et al., ISCA 2015,
 * section 4.1): lanes that load coalesce with each other, whatever their sizes, and so do lanes that store and lanes
 * with atomics; textures and constants go through their own ports. Under ideal lanes the accesses of a cycle coalesce,
 * too, but only with others of one kind and size: a strand with another access waits for the next cycle. Otherwise
 * every strand's access goes alone. See flights.h for what is kept until memory answers. Accesses to shared memory
 * never come here: issue.c answers them.
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

/* Gangs that share an access do not wait for each other's lines. An instruction that also accesses shared memory waits
 * for all its data, and so does a load of matrices, whose pieces are not those of single threads. */
static bool wants_parts(const struct sm *sm, const struct step_access *a, bool wants_reply)
{
    return wants_reply && !a->has_pieces && (sm->shortcuts.tells_parts || sm->traits.has_gangs) &&
           sm->step.access_count == 1;
}

static void open_group(struct access_group *g, const struct sm *sm, const struct step_access *a, bool bypasses,
                       bool wants_reply)
{
    g->first = g->last = -1;
    g->access.kind = kind_of(a);
    g->access.sm = sm->index;
    g->access.ticket = 0;
    g->access.wants_reply = wants_reply;
    g->access.wants_parts = wants_parts(sm, a, wants_reply);
    g->access.bypasses_l1 = bypasses;
    g->access.count = 0;
    g->access.bytes = a->bytes;
    g->access.has_sizes = false;
}

static bool fits(const struct access_group *g, const struct sm *sm, const struct step_access *a, bool bypasses,
                 bool wants_reply)
{
    bool is_alike =
        g->access.kind == kind_of(a) && g->access.bypasses_l1 == bypasses && g->access.wants_reply == wants_reply;
    if (sm->traits.is_sliced)
        return is_alike && g->access.wants_parts == wants_parts(sm, a, wants_reply);
    return is_alike && sm->traits.merges_accesses && sm->step.access_count == 1 && g->access.bytes == a->bytes;
}

/* The group that the access joins, which may be a new one. NULL: this cycle can take no such access. */
static struct access_group *find_group(struct sm *sm, const struct step_access *a, bool bypasses, bool wants_reply)
{
    struct flights *f = &sm->flights;
    if (f->open_lanes + a->count > MEM_MAX_LANES)
        return NULL;
    for (int i = 0; i < f->open_groups; i++)
        if (fits(&f->group[i], sm, a, bypasses, wants_reply))
            return &f->group[i];
    if (f->open_groups && (!sm->traits.is_sliced || f->open_groups == MEM_MAX_PARTS))
        return NULL;
    struct access_group *g = &f->group[f->open_groups++];
    open_group(g, sm, a, bypasses, wants_reply);
    return g;
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
            readiness_delay_siblings(sm, part, scoreboard_warps(&sm->scoreboard, part.mask), s->id);
        residents_of_row(&sm->residents, part.row)->loads++;
    }
    sm->strands.state[s->id].pending.loads++;
}

/* The lanes that join access other numbers of bytes than those before: each lane's number is kept. */
static void keep_sizes(struct mem_access *access, const struct step_access *a)
{
    if (!access->has_sizes)
        memset(access->size, access->bytes, (size_t)access->count);
    memset(access->size + access->count, a->bytes, (size_t)a->count);
    access->has_sizes = true;
    access->bytes = a->bytes > access->bytes ? a->bytes : access->bytes;
}

bool access_join(struct sm *sm, struct strand *s, const struct plan *p, const struct step_access *a, bool wants_reply)
{
    struct access_group *g = find_group(sm, a, p->bypasses_l1, wants_reply);
    if (!g)
        return false;
    if (wants_reply)
        add_flights(sm, g, s, p);
    if (g->access.bytes != a->bytes || g->access.has_sizes)
        keep_sizes(&g->access, a);
    if (a->count == 1)
        g->access.address[g->access.count] = a->address[0];
    else
        memcpy(g->access.address + g->access.count, a->address, sizeof a->address[0] * (size_t)a->count);
    g->access.count += a->count;
    sm->flights.open_lanes += a->count;
    sm->stats.memory_instructions += sm->traits.ideal ? (uint64_t)s->size : 1; /* see bundles.h */
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

/* Sends the groups that go through one port with the first of `left`, as one access. `left`: groups not sent yet, as
 * bits. Gives those that are left then. */
static unsigned send_together(struct sm *sm, unsigned left)
{
    const struct access_group *first = &sm->flights.group[bits_lowest(left)];
    const struct access_group *group[MEM_MAX_PARTS] = {first};
    const struct mem_access *access[MEM_MAX_PARTS] = {&first->access};
    int transactions[MEM_MAX_PARTS], count = 1;
    left &= left - 1;
    for (unsigned rest = left; rest; rest &= rest - 1) {
        const struct access_group *g = &sm->flights.group[bits_lowest(rest)];
        if (!mem_share_port(g->access.kind, first->access.kind))
            continue;
        group[count] = g;
        access[count++] = &g->access;
        left &= ~(rest & -rest);
    }
    if (!mem_issue_together(sm->mem, sm->now, access, count, transactions))
        panic("the memory system refuses an access that it said it would take");
    for (int i = 0; i < count; i++)
        count_transactions(sm, group[i], transactions[i]);
    return left;
}

void access_send(struct sm *sm)
{
    struct flights *f = &sm->flights;
    const int open = f->open_groups;
    int transactions = 0;
    if (!open)
        return;
    f->open_groups = f->open_lanes = 0;
    if (sm->traits.least_time) {
        send_to_ideal_memory(sm, &f->group[0]);
        return;
    }
    for (int i = 0; i < open; i++)
        if (f->group[i].access.wants_reply) {
            f->group[i].access.ticket = (uint32_t)f->group[i].first;
            f->pending++;
        }
    if (open > 1) {
        for (unsigned left = (1u << open) - 1; left;)
            left = send_together(sm, left);
        return;
    }
    if (!mem_issue(sm->mem, sm->now, &f->group[0].access, &transactions))
        panic("the memory system refuses an access that it said it would take");
    count_transactions(sm, &f->group[0], transactions);
}

/* ---- from memory ---- */

/* Evaluates the strands that may have waited for data of these lanes: those that have threads of the lanes or, with a
 * scoreboard by warp, of the lanes' static warps. Where a thread has one instruction in flight, only the strand that
 * loaded can wait, and its caller completes that strand. `evaluated`: a strand that was evaluated since the data came;
 * -1: none. */
static void wake_row(struct sm *sm, int32_t row, uint32_t lanes, int32_t evaluated)
{
    const struct row_strands *of = &sm->map.rows[row];
    if (sm->traits.every_commit)
        return;
    if (sm->map.bundles.rows) {
        bundles_wake_lanes(sm, row, lanes);
        return;
    }
    if (sm->scoreboard.by_warp && lanes)
        lanes = scoreboard_lanes(&sm->scoreboard, scoreboard_warps(&sm->scoreboard, lanes));
    for (uint32_t left = of->lowest; left; left &= left - 1) {
        const int i = bits_lowest(left);
        if (of->lanes[i] & lanes && of->id[i] != evaluated && !sm->strands.state[of->id[i]].ready)
            readiness_evaluate(sm, &sm->strands.at[of->id[i]]);
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

/* Whether no strand but this one can wait for data of these lanes of the row: it has the threads of all of them, as
 * most strands that load still have when their data comes. Then the row's strands, which the host mostly does not have
 * in its caches, need not be looked at. */
static bool has_all_waiting(const struct sm *sm, const struct strand *s, int32_t row, uint32_t lanes)
{
    return !sm->scoreboard.by_warp && s->threads.count && s->threads.part[0].row == row &&
           !(lanes & ~s->threads.part[0].mask);
}

/* All data of the access is back. */
static void finish_access(struct sm *sm, int32_t at)
{
    while (at >= 0) {
        struct sm_flight f = *flights_at(&sm->flights, at);
        const bool is_awaited = f.load.pending; /* see take_part() */
        scoreboard_end_load(&sm->scoreboard, &f.load, UINT32_MAX);
        residents_of_row(&sm->residents, f.load.row)->loads--;
        flights_put_back(&sm->flights, at);
        at = f.next;
        struct strand *s = strand_table_current(&sm->strands, f.strand, f.generation);
        const struct sm_flight *next = at < 0 ? NULL : flights_at(&sm->flights, at);
        bool is_last_of_strand = !next || next->strand != f.strand || next->generation != f.generation;
        int32_t evaluated = -1;
        if (s && is_last_of_strand) {
            sm->strands.state[s->id].pending.loads--;
            if (sm->traits.every_commit)
                resolve_straight(sm, s);
            else if (sm->strands.state[s->id].drains)
                host_check_drain(sm, s);
            else if (!sm->map.bundles.rows) /* else wake_row() evaluates those that wait for the data */
                readiness_evaluate(sm, &sm->strands.at[evaluated = f.strand]);
        }
        if (is_awaited && !(evaluated >= 0 && has_all_waiting(sm, s, f.load.row, f.load.mask)))
            wake_row(sm, f.load.row, f.load.mask, evaluated);
        tell_loaded(sm, f.load.row, f.load.mask);
    }
    sm->flights.pending--;
}

/* The lanes of the flight's row that a set of the access's lanes stands for. Mostly none: an access of many strands
 * takes many lines, and each line has data for few of them. */
static uint32_t lanes_of(const struct sm_flight *f, uint64_t access_lanes)
{
    uint32_t lanes = 0;
    uint64_t bits = access_lanes >> f->first_lane;
    for (uint32_t left = f->active; left && bits; left &= left - 1, bits >>= 1)
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
        struct strand *s = NULL; /* the strand that the mechanism may hear of */
        hit.count = miss.count = 0;
        const int32_t strand = flights_at(&sm->flights, at)->strand;
        if (sm->shortcuts.tells_parts)
            s = strand_table_current(&sm->strands, strand, flights_at(&sm->flights, at)->generation);
        while (at >= 0 && flights_at(&sm->flights, at)->strand == strand) {
            struct sm_flight *f = flights_at(&sm->flights, at);
            const int32_t row = f->load.row;
            uint32_t got = lanes_of(f, access_lanes);
            f->arrived |= got;
            uint32_t missing = f->active & ~f->arrived;
            /* Lanes that did not access wait for nothing more once the data of all others is back. */
            uint32_t cleared = missing ? got : f->load.mask;
            uint32_t own = s ? threads_of_row(&s->threads, row) : 0;
            if (got & own)
                threads_add(&hit, row, got & own);
            if (missing & own)
                threads_add(&miss, row, missing & own);
            if (cleared & f->load.pending) { /* no strand waits for lanes that were cleared before */
                scoreboard_end_load(&sm->scoreboard, &f->load, cleared);
                wake_row(sm, row, cleared, -1);
            }
            at = f->next;
            tell_loaded(sm, row, cleared);
        }
        if (s && hit.count && miss.count && !s->busy) {
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
        if (reply.ticket >= COPIES_TICKET && reply.ticket < SPILL_TICKET)
            copies_reply(sm, reply.ticket);
        else if (reply.ticket >= SPILL_TICKET)
            (reply.ticket >= FETCH_TICKET ? fetch_reply : spill_reply)(sm, reply.ticket);
        else if (reply.is_last)
            finish_access(sm, (int32_t)reply.ticket);
        else
            take_part(sm, (int32_t)reply.ticket, reply.lanes);
    }
}
