/* The copy engine of a multiprocessor: see copies.h. */
#include "sm/async/copies.h"

#include "base/arena.h"
#include "mem/ideal.h"
#include "sm/backlog.h"
#include "sm/internal.h"

#include <stdlib.h>

enum { SHARED_PASS_BYTES = 128 }; /* that the banks of shared memory take in one pass */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* ---- what the engine tells ---- */

static struct copy *open_copy(struct copies *c)
{
    if (c->open >= 0)
        return &c->pool.data[c->open];
    if (c->free_first < 0) {
        vec_push(&c->pool, (struct copy){.next = -1});
        c->free_first = c->pool.count - 1;
    }
    c->open = c->free_first;
    struct copy *copy = &c->pool.data[c->open];
    c->free_first = copy->next;
    *copy = (struct copy){.next = -1, .is_under_way = true, .kind = COPY_STAYS};
    return copy;
}

static void moves(void *context, enum copy_kind kind, uint64_t address, uint64_t bytes)
{
    struct sm *sm = context;
    struct copies *c = &sm->copies;
    struct copy *copy = open_copy(c);
    copy->kind = (uint8_t)kind;
    if (kind == COPY_STAYS) {
        copy->staying += bytes;
        return;
    }
    copy->in_group = kind != COPY_READS;
    copy->unsent += bytes;
    if (!copies_wait(c))
        c->first = c->unsent.count = 0;
    if (bytes)
        vec_push(&c->unsent, (struct copy_stretch){address, bytes, c->open});
}

static void counts(void *context, const uint8_t *mbarrier, uint32_t parity)
{
    struct sm *sm = context;
    open_copy(&sm->copies);
    vec_push(&sm->copies.phases, (struct copy_phase){mbarrier, parity, sm->copies.open});
}

static bool has_come(void *context, const uint8_t *mbarrier, uint32_t parity)
{
    const struct sm *sm = context;
    for (int i = 0; i < sm->copies.phases.count; i++) {
        const struct copy_phase *p = &sm->copies.phases.data[i];
        if (p->mbarrier == mbarrier && p->parity != parity)
            return false;
    }
    return true;
}

/* ---- accesses ---- */

/* Cuts the next lines of the copy that is first into an access. */
static void cut_lines(struct copies *c, uint32_t line_bytes, struct mem_access *access)
{
    const int32_t number = c->unsent.data[c->first].copy;
    struct copy *copy = &c->pool.data[number];
    access->kind = copy->kind == COPY_READS ? MEM_LOAD : copy->kind == COPY_WRITES ? MEM_STORE : MEM_ATOMIC;
    access->ticket = COPIES_TICKET + (uint32_t)number;
    access->wants_reply = access->kind == MEM_LOAD;
    access->bypasses_l1 = access->has_sizes = true;
    while (access->count < COPIES_LINES && copies_wait(c) && c->unsent.data[c->first].copy == number) {
        struct copy_stretch *s = &c->unsent.data[c->first];
        uint64_t rest = line_bytes - s->address % line_bytes, bytes = s->bytes < rest ? s->bytes : rest;
        access->size[access->count] = (uint8_t)bytes;
        access->address[access->count++] = s->address;
        access->bytes = bytes > access->bytes ? (uint16_t)bytes : access->bytes;
        s->address += bytes;
        s->bytes -= bytes;
        copy->unsent -= bytes;
        c->first += !s->bytes;
    }
}

static uint64_t bytes_of(const struct mem_access *access)
{
    uint64_t bytes = 0;
    for (int i = 0; i < access->count; i++)
        bytes += access->size[i];
    return bytes;
}

/* Lines of global memory, and passes over the banks that they take in shared memory. */
static void count_lines(struct sm *sm, const struct copy *copy, const struct mem_access *access, int lines)
{
    uint64_t passes = divide_up(bytes_of(access), SHARED_PASS_BYTES);
    sm->stats.transactions += (uint64_t)lines;
    sm->stats.shared_passes += passes;
    sm->sites[copy->pc].transactions += (uint64_t)lines + passes;
}

/* Has all strands that wait for copies look again. */
static void wake_waiters(struct sm *sm)
{
    struct copies *c = &sm->copies;
    const struct copy_waiters woken = c->waiters;
    c->waiters = c->spare; /* strands that must wait on come here */
    c->waiters.count = 0;
    c->spare = woken;
    for (int i = 0; i < woken.count; i++) {
        struct strand *s = strand_table_current(&sm->strands, woken.data[i].strand, woken.data[i].generation);
        if (s)
            readiness_evaluate(sm, s);
    }
}

/* A copy of the block is done. */
static void leave_block(struct sm *sm, int32_t row)
{
    struct resident *r = residents_of_row(&sm->residents, row);
    if (--r->copies == 0 && r->threads == 0)
        resolve_block_end(sm, r);
}

static void finish(struct sm *sm, int32_t number)
{
    struct copies *c = &sm->copies;
    int32_t row = c->pool.data[number].row;
    int kept = 0;
    for (int i = 0; i < c->phases.count; i++)
        if (c->phases.data[i].copy != number)
            c->phases.data[kept++] = c->phases.data[i];
    c->phases.count = kept;
    c->pool.data[number] = (struct copy){.next = c->free_first};
    c->free_first = number;
    c->under_way--;
    sm->engine->writes++; /* threads that ask for the phase see a change */
    leave_block(sm, row);
    wake_waiters(sm);
}

/* Something that the copy waited for has happened. */
static void answer(struct sm *sm, int32_t number)
{
    struct copy *copy = &sm->copies.pool.data[number];
    if (!--copy->answers && !copy->unsent)
        finish(sm, number);
}

void copies_cycle(struct sm *sm)
{
    struct copies *c = &sm->copies;
    if (!copies_wait(c) || copies_ready_at(c) > sm->now || !mem_can_take(sm->mem, sm->index, MEM_LOAD, sm->now))
        return;
    struct mem_access access = {.sm = sm->index};
    int lines = 0;
    cut_lines(c, mem_line_bytes(sm->mem, MEM_LOAD), &access);
    struct copy *copy = &c->pool.data[access.ticket - COPIES_TICKET];
    mem_issue(sm->mem, sm->now, &access, &lines);
    count_lines(sm, copy, &access, lines);
    if (access.wants_reply) {
        copy->answers++;
        sm->flights.pending++;
        return;
    }
    const struct sm_bulk *bulk = &sm->config->bulk;
    c->free_at = sm->now + divide_up(bytes_of(&access), bulk->store_bytes);
    if (!copy->unsent) {
        copy->answers = 1;
        wheel_add(&sm->wheel, c->free_at + bulk->store_latency_cycles, EVENT_COPY,
                  (int32_t)(access.ticket - COPIES_TICKET), 0);
    }
}

void copies_reply(struct sm *sm, uint32_t ticket)
{
    sm->flights.pending--;
    answer(sm, (int32_t)(ticket - COPIES_TICKET));
}

void copies_take_event(struct sm *sm, int32_t copy)
{
    answer(sm, copy);
}

/* ---- start ---- */

/* The cycle at which ideal memory has answered all accesses of the copy, whose lines are all that is unsent. */
static uint64_t ask_ideal_memory(struct sm *sm, const struct copy *copy)
{
    uint64_t ready = copy->ready_at;
    while (copies_wait(&sm->copies)) {
        struct mem_access access = {.sm = sm->index};
        cut_lines(&sm->copies, mem_line_bytes(sm->mem, MEM_LOAD), &access);
        struct ideal_answer a = ideal_memory_access(sm->ideal_memory, copy->ready_at, &access, false);
        count_lines(sm, copy, &access, a.transactions);
        limits_look_up(&sm->limits, a.lookup_time, sm->now);
        ready = sm_later(ready, a.ready);
    }
    return ready;
}

/* The copy makes no accesses, or only to ideal memory: it is done after a time that is known now. */
static void finish_later(struct sm *sm, struct copy *copy)
{
    const struct sm_bulk *bulk = &sm->config->bulk;
    uint64_t done = sm->traits.least_time ? ask_ideal_memory(sm, copy) : copy->ready_at;
    if (copy->staying) { /* read and written */
        uint64_t passes = 2 * divide_up(copy->staying, SHARED_PASS_BYTES);
        sm->stats.shared_passes += passes;
        sm->sites[copy->pc].transactions += passes;
        uint64_t start = sm->traits.least_time ? done : sm_later(done, sm->copies.peer_free_at);
        sm->copies.peer_free_at = start + divide_up(copy->staying, bulk->peer_bytes);
        done = sm->copies.peer_free_at + bulk->peer_latency_cycles;
    }
    copy->answers = 1;
    wheel_add(&sm->wheel, done, EVENT_COPY, sm->copies.open, 0);
}

static void ends(void *context, int32_t row, int lane)
{
    struct sm *sm = context;
    struct copies *c = &sm->copies;
    if (c->open < 0)
        return;
    struct copy *copy = &c->pool.data[c->open];
    copy->row = row;
    copy->lane = (uint8_t)lane;
    copy->pc = (int32_t)(sm->step.bound - sm->engine->code->bound);
    copy->group = c->groups[row * ROW_LANES + lane];
    copy->ready_at = sm->now + sm->config->bulk.latency_cycles;
    sm->stats.memory_instructions++;
    residents_of_row(&sm->residents, row)->copies++;
    c->under_way++;
    if (sm->traits.least_time || !copy->unsent)
        finish_later(sm, copy);
    c->open = -1;
}

void copies_open(struct sm *sm, int rows)
{
    struct copies *c = &sm->copies;
    c->free_first = c->open = -1;
    c->groups = xcalloc((size_t)rows * ROW_LANES, sizeof *c->groups);
    c->listener = (struct copy_listener){moves, counts, ends, has_come, sm};
    sm->step.copies = &c->listener;
}

void copies_close(struct copies *c)
{
    vec_free(&c->pool);
    vec_free(&c->unsent);
    vec_free(&c->phases);
    vec_free(&c->waiters);
    vec_free(&c->spare);
    free(c->groups);
}

/* ---- groups and waits ---- */

void copies_commit(struct sm *sm, const struct strand *s)
{
    for (int i = 0; i < s->threads.count; i++) {
        uint32_t *groups = sm->copies.groups + (size_t)s->threads.part[i].row * ROW_LANES;
        for (uint32_t left = step_guarded(&sm->step, s, i); left; left &= left - 1)
            groups[bits_lowest(left)]++;
    }
}

bool copies_keep(const struct copies *c, const struct strand *s)
{
    for (int i = 0; i < c->waiters.count; i++)
        if (c->waiters.data[i].strand == s->id && c->waiters.data[i].generation == s->generation)
            return true;
    return false;
}

static void keep(struct copies *c, const struct strand *s)
{
    if (!copies_keep(c, s))
        vec_push(&c->waiters, (struct copy_waiter){s->id, s->generation});
}

/* Whether the copy belongs to one of these threads, and to a group of which more than `pending` follow. */
static bool is_awaited(const struct copies *c, const struct copy *copy, struct part part, uint32_t pending)
{
    if (!copy->is_under_way || !copy->in_group || copy->row != part.row || !(part.mask >> copy->lane & 1))
        return false;
    uint32_t closed = c->groups[copy->row * ROW_LANES + copy->lane];
    return closed - copy->group > pending;
}

bool copies_keep_groups(struct sm *sm, const struct strand *s, uint32_t pending)
{
    struct copies *c = &sm->copies;
    if (c->under_way)
        backlog_empty(sm, s, &sm->strands.state[s->id]); /* the guard may be in it */
    for (int i = 0; c->under_way && i < s->threads.count; i++) {
        struct part part = {s->threads.part[i].row, step_guarded(&sm->step, s, i)};
        for (int k = 0; k < c->pool.count; k++)
            if (is_awaited(c, &c->pool.data[k], part, pending)) {
                keep(c, s);
                return true;
            }
    }
    return false;
}

bool copies_keep_phase(struct sm *sm, const struct strand *s)
{
    if (!sm->copies.phases.count)
        return false;
    backlog_empty(sm, s, &sm->strands.state[s->id]); /* the guard, the address or the phase may be in it */
    if (!step_awaits_copies(&sm->step, s))
        return false;
    keep(&sm->copies, s);
    return true;
}
