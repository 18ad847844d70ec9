/*
 * Instruction supply through caches: a strand whose next instruction is not in its buffer asks for it, and is not ready
 * until it is decoded.
 *
 * Requests are served first come, first served, `fetch_ports` a cycle: from the L0 of a lane slice, for strands that lie
 * within one slice, or from the L1 instruction cache of the memory system. One brings as many instructions as the
 * buffer holds, up to the end of the line, and the decoder takes `decode_width` of them a cycle. A buffer that holds
 * other instructions than those at the strand's PC is as good as empty.
 */
#include "sm/internal.h"

#include "base/arena.h"
#include "mem/cache.h"

#include <stdlib.h>

/* Code stands at addresses that no data has. */
#define CODE_BASE UINT64_C(0x500000000000)

enum { L0_WAYS = 2, TICKET_STRANDS = SCHED_MAX_STRANDS, TICKET_GENERATIONS = FETCH_TICKET / TICKET_STRANDS };

struct request {
    int32_t strand;
    uint32_t generation;
};

struct fetch {
    struct request *queue; /* a ring with room for one request of each strand, and one that is gone */
    int head, count, capacity;
    uint64_t decode_free;
    bool waits; /* the first one's line is not there, and the cache can take no miss */
    uint32_t line_bytes, latency;
    int slices;
    struct cache *l0; /* by slice; NULL: none */
};

struct fetch *fetch_create(struct sm *sm)
{
    struct fetch *f = xcalloc(1, sizeof *f);
    const struct sm_config *c = sm->config;
    f->capacity = 2 * sm->strand_capacity + 1;
    f->queue = xcalloc((size_t)f->capacity, sizeof *f->queue);
    f->line_bytes = mem_line_bytes(sm->mem, MEM_INSTRUCTION);
    f->latency = mem_latency(sm->mem, MEM_INSTRUCTION);
    if (c->l0_bytes) {
        f->slices = (int)(c->warp_width / c->l0_slice_lanes);
        f->l0 = xcalloc((size_t)f->slices, sizeof *f->l0);
        for (int i = 0; i < f->slices; i++)
            cache_open(&f->l0[i], c->l0_bytes, f->line_bytes < c->l0_bytes / L0_WAYS ? f->line_bytes : c->l0_bytes / L0_WAYS,
                       L0_WAYS);
    }
    return f;
}

void fetch_destroy(struct fetch *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->slices; i++)
        cache_close(&f->l0[i]);
    free(f->l0);
    free(f->queue);
    free(f);
}

bool fetch_has(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->states[s->id];
    struct fetch *f = sm->fetch;
    if (state->buffered && state->buffer_pc == s->pc)
        return true;
    if (!state->fetching) {
        state->fetching = true;
        state->buffered = 0;
        f->queue[(f->head + f->count++) % f->capacity] = (struct request){s->id, s->generation};
    }
    return false;
}

void fetch_used(struct sm *sm, struct strand *s)
{
    struct strand_state *state = &sm->states[s->id];
    state->buffered--;
    state->buffer_pc++;
}

static uint64_t address_of(const struct sm *sm, int32_t pc)
{
    return CODE_BASE + (uint64_t)pc * sm->config->instruction_bytes;
}

/* The slice that all the strand's threads are in; -1 if they are in several, or there is no L0. */
static int slice_of(const struct sm *sm, const struct strand *s)
{
    unsigned lanes = sm->config->l0_slice_lanes;
    if (!sm->fetch->l0 || !s->slots)
        return -1;
    unsigned first = (unsigned)__builtin_ctzll(s->slots) / lanes;
    unsigned last = (63 - (unsigned)__builtin_clzll(s->slots)) / lanes;
    return first == last ? (int)first : -1;
}

static uint64_t l0_line(const struct sm *sm, uint64_t address)
{
    uint32_t half = sm->config->l0_bytes / L0_WAYS;
    return address / (sm->fetch->line_bytes < half ? sm->fetch->line_bytes : half);
}

/* The line is there at `cycle`: decode what fits. */
static void decode(struct sm *sm, struct strand *s, uint64_t cycle)
{
    struct fetch *f = sm->fetch;
    struct strand_state *state = &sm->states[s->id];
    uint32_t width = sm->config->decode_width, bytes = sm->config->instruction_bytes;
    uint32_t to_line_end = (uint32_t)(f->line_bytes - address_of(sm, s->pc) % f->line_bytes) / bytes;
    uint32_t to_end = (uint32_t)(sm->host.program->insn_count - s->pc);
    uint32_t count = sm->config->ibuffer_entries;
    count = count < to_line_end ? count : to_line_end ? to_line_end : 1;
    count = count < to_end ? count : to_end;
    uint64_t begin = sm_later(cycle * width, f->decode_free);
    uint64_t start = begin / width;
    f->decode_free = begin + count;
    state->buffer_pc = s->pc;
    state->arriving = (uint8_t)count;
    if (start <= sm->now)
        fetch_done(sm, s->id, s->generation);
    else
        wheel_add(&sm->wheel, start, EVENT_FETCHED, s->id, s->generation);
}

void fetch_done(struct sm *sm, int32_t strand, uint32_t generation)
{
    struct strand *s = strand_if_current(sm, strand, generation);
    if (!s)
        return;
    struct strand_state *state = &sm->states[strand];
    state->fetching = false;
    state->buffered = state->arriving;
    strand_evaluate(sm, s);
}

static void fill_l0(struct sm *sm, int slice, uint64_t address)
{
    uint64_t victim;
    unsigned dirty;
    if (slice >= 0)
        cache_fill(&sm->fetch->l0[slice], l0_line(sm, address), 1, false, &victim, &dirty);
}

static uint32_t ticket_of(const struct strand *s)
{
    return FETCH_TICKET + s->generation % TICKET_GENERATIONS * TICKET_STRANDS + (uint32_t)s->id;
}

void fetch_reply(struct sm *sm, uint32_t ticket)
{
    int32_t id = (int32_t)(ticket % TICKET_STRANDS);
    struct strand *s = &sm->strands[id];
    if (!sm->states[id].in_use || ticket_of(s) != ticket || !sm->states[id].fetching)
        return;
    if (sm->states[id].buffer_pc != s->pc) { /* it is elsewhere by now */
        sm->states[id].fetching = false;
        strand_evaluate(sm, s);
        return;
    }
    fill_l0(sm, slice_of(sm, s), address_of(sm, s->pc));
    decode(sm, s, sm->now);
}

/* Serves one request; false: it must wait. */
static bool serve(struct sm *sm, struct strand *s)
{
    struct fetch *f = sm->fetch;
    uint64_t address = address_of(sm, s->pc);
    int slice = slice_of(sm, s);
    if (slice >= 0 && cache_use(&f->l0[slice], l0_line(sm, address))) {
        sm->stats.fetches++;
        sm->stats.l0_hits++;
        decode(sm, s, sm->now + 1);
        return true;
    }
    if (mem_probe(sm->mem, sm->index, MEM_INSTRUCTION, address)) {
        fill_l0(sm, slice, address);
        sm->stats.fetches++;
        decode(sm, s, sm->now + f->latency);
        return true;
    }
    if (!mem_can_take(sm->mem, sm->index, MEM_INSTRUCTION, sm->now))
        return false;
    struct mem_access access = {.kind = MEM_INSTRUCTION,
                                .sm = sm->index,
                                .ticket = ticket_of(s),
                                .wants_reply = true,
                                .count = 1,
                                .bytes = (uint16_t)sm->config->instruction_bytes,
                                .address = {address}};
    mem_issue(sm->mem, sm->now, &access, NULL);
    sm->states[s->id].buffer_pc = s->pc;
    sm->stats.fetches++;
    return true;
}

void fetch_cycle(struct sm *sm)
{
    struct fetch *f = sm->fetch;
    f->waits = false;
    for (uint32_t left = sm->config->fetch_ports; left && f->count;) {
        struct request r = f->queue[f->head];
        struct strand *s = strand_if_current(sm, r.strand, r.generation);
        if (s && !serve(sm, s)) {
            f->waits = true;
            return;
        }
        f->head = (f->head + 1) % f->capacity;
        f->count--;
        left -= s != NULL;
    }
}

uint64_t fetch_next(const struct sm *sm)
{
    const struct fetch *f = sm->fetch;
    if (!f->count)
        return SM_NEVER;
    return f->waits ? mem_kind_free(sm->mem, sm->index, MEM_INSTRUCTION, sm->now + 1) : sm->now + 1;
}
