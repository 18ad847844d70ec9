/*
 * Instruction supply through caches.
 *
 * A strand whose next instruction is not in its instruction buffer makes a request. Requests are served `fetch_ports`
 * per cycle: in the order in which they came or, with fetch_order = lrr, in turns of the strands' lineages. They are
 * served from the L0 instruction cache of a lane slice, if the strand lies within that slice and its line is there, or
 * from the L1 instruction cache of the memory system. A miss asks the L2 for the whole line, also where data comes in
 * sectors: both caches of instructions hold whole lines. A request brings as many instructions as the buffer holds, up
 * to the end of the cache line, and the decoder takes `decode_width` instructions per cycle. A buffer whose
 * instructions are not those at the strand's PC counts as empty. A request that the L1 can neither answer nor take as a
 * miss is tried again when the L1 takes misses, or when a line or another request has come.
 *
 * Where slices issue on their own, each slice has a front end (a queue and a decoder), and the gangs share one more,
 * which decodes `decode_width` instructions for each gang that may issue in one cycle. In each cycle the gangs'
 * requests go to the L1 first. Then each slice serves one request: from its L0, which takes no port of the L1, or
 * through an L1 port that is left. The slice that goes first changes from cycle to cycle.
 *
 * The buffers of a gang's members hold the same instructions (Rogers et al., ISCA 2015, section 4.3). Members that
 * leave a gang keep what its buffer holds, and what a fetch in flight will bring; only a request that still waits in a
 * queue is not theirs. Strands that merge into a gang have an instruction at hand only if the buffers of both hold it.
 *
 * Not modelled: prefetch, and branch prediction; the request for a branch's target is made when the branch has
 * resolved.
 */
#include "sm/fetch.h"

#include "base/arena.h"
#include "mem/cache.h"
#include "sm/internal.h"

#include <stdlib.h>

/* Instructions have addresses that no data has. */
#define CODE_BASE UINT64_C(0x500000000000)

enum { L0_WAYS = 2, TICKET_STRANDS = SCHED_MAX_STRANDS, TICKET_GENERATIONS = FETCH_TICKET / TICKET_STRANDS };

struct fetch_request {
    int32_t strand; /* id */
    uint32_t generation;
    uint64_t turn; /* place of the strand in the round of fetch_order = lrr: turn_of() */
};

/* A queue of requests, as a ring, and a decoder. The queue may hold requests of strands that were retired. */
struct fetch_front_end {
    struct fetch_request *queue;
    int head, count, capacity; /* the capacity is a power of two, or 0 */
    uint64_t last;             /* turn of the strand whose request was served last */
    uint64_t decode_free;      /* first free slot of the decoder; a cycle has as many slots as the decoder's width */
};

struct fetch_unit {
    struct fetch_front_end *front_end; /* [0]: of all strands, or of gangs; then one per slice */
    int front_end_count;
    int requests;        /* in all queues */
    uint32_t ports;      /* requests per cycle that the L1 instruction cache serves */
    bool takes_misses;   /* the L1 can take a miss in this cycle */
    bool waits;          /* requests miss in the L1, and the L1 can take no miss */
    bool has_wakeup;     /* a request, or a line, has come since `waits` was set */
    uint32_t line_bytes; /* of the L1 */
    uint32_t latency;    /* of the L1, in cycles */
    int slices;          /* slices with an L0 each; 0: there is no L0 */
    uint32_t l0_lanes;   /* lanes of one such slice */
    /* [PC] place of the instruction in the code, where operations of the mechanism stand between instructions; NULL:
     * the place is the PC */
    int32_t *place;
    int32_t places;                   /* instructions and such operations of the program */
    struct cache *l0;                 /* [slice]; NULL: there is no L0 */
    struct storage storage;           /* storage of `l0` */
    struct fetch_request assigned;    /* the strand that was assigned last, and its buffer before */
    struct fetch_buffer had_assigned; /* of that strand: see fetch_note_assign() */
    bool shares_misses;               /* some buffer may have `line_of` set */
};

static void lay_out(struct fetch_unit *f, const struct sm *sm)
{
    const struct program *p = sm->host.facts.program;
    f->places = p->insn_count;
    if (!sm->shortcuts.fetches_syncs)
        return;
    f->place = xcalloc((size_t)p->insn_count + 1, sizeof *f->place);
    int32_t before = 0;
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        before += sm->wants.code_syncs[pc];
        f->place[pc] = pc + before;
    }
    f->places += before;
}

/* The place in the code of what the strand issues next. */
static int32_t place_of(const struct sm *sm, const struct strand *s)
{
    return sm->fetch->place ? sm->fetch->place[s->pc] - s->syncs : s->pc;
}

struct fetch_unit *fetch_create(struct sm *sm)
{
    struct fetch_unit *f = xcalloc(1, sizeof *f);
    const struct sm_config *c = sm->config;
    f->front_end_count = sm->traits.has_gangs ? 1 + (int)sm->units.slices : 1;
    f->front_end = xcalloc((size_t)f->front_end_count, sizeof *f->front_end);
    for (int i = 0; i < f->front_end_count; i++)
        f->front_end[i].last = UINT64_MAX; /* the round begins with the first strand */
    f->ports = sm->wants.fetch_ports ? (uint32_t)sm->wants.fetch_ports : c->fetch_ports;
    f->line_bytes = mem_line_bytes(sm->mem, MEM_INSTRUCTION);
    f->latency = mem_latency(sm->mem, MEM_INSTRUCTION);
    lay_out(f, sm);
    if (c->l0_bytes) {
        f->l0_lanes = sm->wants.slice_lanes ? sm->units.slice_lanes : c->l0_slice_lanes;
        f->slices = (int)(c->warp_width / f->l0_lanes);
        f->l0 = xcalloc((size_t)f->slices, sizeof *f->l0);
        for (int i = 0; i < f->slices; i++)
            cache_open(&f->l0[i], c->l0_bytes,
                       f->line_bytes < c->l0_bytes / L0_WAYS ? f->line_bytes : c->l0_bytes / L0_WAYS, L0_WAYS,
                       &f->storage);
    }
    return f;
}

void fetch_destroy(struct fetch_unit *f)
{
    if (!f)
        return;
    storage_free(&f->storage);
    for (int i = 0; i < f->front_end_count; i++)
        free(f->front_end[i].queue);
    free(f->front_end);
    free(f->place);
    free(f->l0);
    free(f);
}

/* Strands have their turns by lineage, then by birth. */
static uint64_t turn_of(const struct strand *s)
{
    enum { BIRTH_BITS = 40 };
    return (uint64_t)s->lineage << BIRTH_BITS | (s->birth & ((UINT64_C(1) << BIRTH_BITS) - 1));
}

static void add_request(struct fetch_unit *f, struct fetch_front_end *front_end, const struct strand *s)
{
    if (front_end->count == front_end->capacity) {
        int old = front_end->capacity;
        front_end->capacity = old ? 2 * old : 64;
        front_end->queue = xrealloc(front_end->queue, sizeof *front_end->queue * (size_t)front_end->capacity);
        for (int i = 0; i < front_end->head; i++) /* requests that had wrapped around come behind the rest */
            front_end->queue[old + i] = front_end->queue[i];
    }
    front_end->queue[(front_end->head + front_end->count++) & (front_end->capacity - 1)] =
        (struct fetch_request){s->id, s->generation, turn_of(s)};
    f->requests++;
}

/* The strand's front end: that of its slice or of gangs, where slices issue on their own. */
static struct fetch_front_end *front_end_of(const struct sm *sm, const struct strand *s)
{
    return &sm->fetch->front_end[sm->traits.has_gangs ? s->pool : 0];
}

bool fetch_has(struct sm *sm, struct strand *s)
{
    struct fetch_buffer *buffer = &sm->strands.state[s->id].buffer;
    if (buffer->decoded && buffer->place == place_of(sm, s))
        return true;
    if (!buffer->is_fetching) {
        buffer->is_fetching = true;
        buffer->is_served = false;
        buffer->line_of = 0;
        buffer->decoded = 0;
        add_request(sm->fetch, front_end_of(sm, s), s);
        sm->fetch->has_wakeup = true;
    }
    return false;
}

void fetch_used(struct sm *sm, struct strand *s)
{
    struct fetch_buffer *buffer = &sm->strands.state[s->id].buffer;
    buffer->decoded--;
    buffer->place++;
}

uint64_t fetch_address(const struct sm *sm, int32_t place)
{
    return CODE_BASE + (uint64_t)place * sm->config->instruction_bytes;
}

/* The slice that all the strand's threads are in; -1: they are in several slices, or there is no L0. */
static int slice_of(const struct sm *sm, const struct strand *s)
{
    unsigned lanes = sm->fetch->l0_lanes;
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

/* The strand's instructions will be decoded at the cycle. */
static void finish_at(struct sm *sm, const struct strand *s, uint64_t cycle)
{
    sm->strands.state[s->id].buffer.due = cycle;
    if (cycle <= sm->now)
        fetch_done(sm, s->id, s->generation);
    else
        wheel_add(&sm->wheel, cycle, EVENT_FETCHED, s->id, s->generation);
}

/* Instruction buffers of the strand: one per slice of a gang. */
static uint64_t buffers_of(const struct strand *s)
{
    return s->slices ? s->slices : 1;
}

/* The strand's line is there at `cycle`: decodes as many instructions as the buffer holds and the line has. Gives the
 * cycle at which they are decoded. */
static uint64_t decode(struct sm *sm, const struct strand *s, uint64_t cycle)
{
    struct fetch_unit *f = sm->fetch;
    struct fetch_buffer *buffer = &sm->strands.state[s->id].buffer;
    uint32_t width = sm->config->decode_width * (sm->traits.has_gangs && !s->pool ? (uint32_t)sm->wants.gangs : 1);
    uint32_t bytes = sm->config->instruction_bytes;
    int32_t place = place_of(sm, s);
    uint32_t count = sm->config->ibuffer_entries;
    if (count > 1) {
        uint32_t to_line_end = (uint32_t)(f->line_bytes - fetch_address(sm, place) % f->line_bytes) / bytes;
        uint32_t to_end = (uint32_t)(f->places - place);
        count = count < to_line_end ? count : to_line_end ? to_line_end : 1;
        count = count < to_end ? count : to_end;
    }
    struct fetch_front_end *front_end = front_end_of(sm, s);
    uint64_t begin = sm_later(cycle * width, front_end->decode_free);
    front_end->decode_free = begin + count;
    buffer->place = place;
    buffer->arriving = (uint8_t)count;
    buffer->is_served = true;
    sm->stats.decodes += count;
    sm->stats.buffer_fills += count * buffers_of(s);
    uint64_t done = width > 1 ? begin / width : begin;
    finish_at(sm, s, done);
    return done;
}

void fetch_done(struct sm *sm, int32_t strand, uint32_t generation)
{
    struct strand *s = strand_table_current(&sm->strands, strand, generation);
    if (!s)
        return;
    struct fetch_buffer *buffer = &sm->strands.state[strand].buffer;
    buffer->is_fetching = false;
    buffer->decoded = buffer->arriving;
    readiness_evaluate(sm, s);
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

/* Whether the strand still waits for the line that an earlier miss brings, and for its own PC. If it waits for the line
 * of another PC, because the mechanism has moved the strand since, the strand's evaluation makes a new request. */
static bool takes_line(struct sm *sm, struct strand *s)
{
    struct fetch_buffer *buffer = &sm->strands.state[s->id].buffer;
    buffer->line_of = 0;
    if (buffer->place == place_of(sm, s))
        return true;
    buffer->is_fetching = false;
    readiness_evaluate(sm, s);
    return false;
}

/* The line of a miss is there. It is decoded once, for the strand that asked for it and for all that split from this
 * strand meanwhile. */
void fetch_reply(struct sm *sm, uint32_t ticket)
{
    struct fetch_unit *f = sm->fetch;
    const struct strand *decoder = NULL; /* the strand whose front end decodes */
    uint64_t done = 0;
    const int32_t asker = (int32_t)(ticket % TICKET_STRANDS);
    const int32_t first = f->shares_misses ? 0 : asker, last = f->shares_misses ? sm->strands.top - 1 : asker;
    f->has_wakeup = true;
    f->shares_misses = false;
    for (int32_t id = first; id <= last; id++) {
        struct strand *s = &sm->strands.at[id];
        const struct fetch_buffer *buffer = &sm->strands.state[id].buffer;
        bool waits = sm->strands.state[id].in_use && buffer->is_fetching && buffer->is_served && !buffer->due;
        bool is_own = id == asker && ticket_of(s) == ticket && !buffer->line_of;
        f->shares_misses |= waits && buffer->line_of && buffer->line_of != ticket;
        if (!waits || (!is_own && buffer->line_of != ticket) || !takes_line(sm, s))
            continue;
        if (is_own)
            fill_l0(sm, slice_of(sm, s), fetch_address(sm, place_of(sm, s)));
        if (!decoder) {
            decoder = s;
            done = decode(sm, s, sm->now);
        } else {
            sm->strands.state[id].buffer.arriving = sm->strands.state[decoder->id].buffer.arriving;
            sm->stats.buffer_fills += sm->strands.state[id].buffer.arriving * buffers_of(s);
            finish_at(sm, s, done);
        }
    }
}

/* ---- strands that split and merge ---- */

void fetch_note_assign(struct sm *sm, const struct strand *s)
{
    sm->fetch->assigned = (struct fetch_request){s->id, s->generation, turn_of(s)};
    sm->fetch->had_assigned = sm->strands.state[s->id].buffer;
}

void fetch_split(struct sm *sm, const struct strand *s, const struct strand *from)
{
    struct fetch_unit *f = sm->fetch;
    const struct fetch_buffer had = f->had_assigned;
    if (f->assigned.strand != from->id || f->assigned.generation != from->generation || had.place != place_of(sm, s))
        return;
    if (!had.is_fetching) {
        sm->strands.state[s->id].buffer = had;
        return;
    }
    if (!had.is_served)
        return;
    struct fetch_buffer *buffer = &sm->strands.state[s->id].buffer;
    *buffer = had;
    if (had.due) {
        wheel_add(&sm->wheel, had.due, EVENT_FETCHED, s->id, s->generation);
        return;
    }
    buffer->line_of = had.line_of ? had.line_of : ticket_of(from);
    f->shares_misses = true;
}

void fetch_merge(struct sm *sm, const struct strand *s, const struct strand *from)
{
    struct fetch_buffer *buffer = &sm->strands.state[s->id].buffer;
    const struct fetch_buffer *other = &sm->strands.state[from->id].buffer;
    if (!other->decoded || other->is_fetching || other->place != place_of(sm, s))
        buffer->decoded = 0;
    else if (buffer->decoded > other->decoded)
        buffer->decoded = other->decoded;
}

enum served { SERVED_BY_L0, SERVED_BY_L1, MUST_WAIT };

/* Serves the strand's request, if a cache can; `has_port`: a port of the L1 is left in this cycle. */
static enum served serve(struct sm *sm, struct strand *s, bool has_port)
{
    struct fetch_unit *f = sm->fetch;
    uint64_t address = fetch_address(sm, place_of(sm, s));
    int slice = slice_of(sm, s);
    if (slice >= 0 && cache_use(&f->l0[slice], l0_line(sm, address))) {
        sm->stats.fetches++;
        sm->stats.l0_hits++;
        decode(sm, s, sm->now + 1);
        return SERVED_BY_L0;
    }
    if (!has_port)
        return MUST_WAIT;
    if (mem_probe(sm->mem, sm->index, MEM_INSTRUCTION, address)) {
        fill_l0(sm, slice, address);
        sm->stats.fetches++;
        sm->stats.l0_misses += slice >= 0;
        decode(sm, s, sm->now + f->latency);
        return SERVED_BY_L1;
    }
    if (!f->takes_misses) {
        f->waits = true;
        return MUST_WAIT;
    }
    struct mem_access access = {.kind = MEM_INSTRUCTION,
                                .sm = sm->index,
                                .ticket = ticket_of(s),
                                .wants_reply = true,
                                .count = 1,
                                .bytes = (uint16_t)f->line_bytes,
                                .address = {address - address % f->line_bytes}};
    mem_issue(sm->mem, sm->now, &access, NULL);
    f->takes_misses = mem_can_take(sm->mem, sm->index, MEM_INSTRUCTION, sm->now);
    struct fetch_buffer *buffer = &sm->strands.state[s->id].buffer;
    buffer->place = place_of(sm, s);
    buffer->is_served = true;
    buffer->due = 0;
    sm->stats.fetches++;
    sm->stats.l0_misses += slice >= 0;
    return SERVED_BY_L1;
}

/* Puts the request of the strand that has its turn first: the next strand behind the one that was served last, or the
 * first of all. Turns alone decide, so requests may change places. */
static void put_turn_first(struct fetch_front_end *front_end)
{
    const int mask = front_end->capacity - 1;
    struct fetch_request *first = &front_end->queue[front_end->head], *best = first;
    /* The difference wraps around where the round does. */
    uint64_t next = front_end->last + 1, least = first->turn - next;
    for (int i = 1; i < front_end->count; i++) {
        struct fetch_request *r = &front_end->queue[(front_end->head + i) & mask];
        bool is_sooner = r->turn - next < least;
        least = is_sooner ? r->turn - next : least;
        best = is_sooner ? r : best;
    }
    struct fetch_request r = *first;
    *first = *best;
    *best = r;
}

static void drop_first(struct fetch_unit *f, struct fetch_front_end *front_end)
{
    front_end->head = (front_end->head + 1) & (front_end->capacity - 1);
    front_end->count--;
    f->requests--;
}

/* The strand of the request that is served next; requests of strands that were retired are dropped. NULL: there is
 * none. */
static struct strand *first_of(struct sm *sm, struct fetch_front_end *front_end)
{
    while (front_end->count) {
        if (sm->config->fetch_order == SM_FETCH_LRR && front_end->count > 1)
            put_turn_first(front_end);
        struct fetch_request r = front_end->queue[front_end->head];
        struct strand *s = strand_table_current(&sm->strands, r.strand, r.generation);
        if (s)
            return s;
        drop_first(sm->fetch, front_end);
    }
    return NULL;
}

/* The first request, of strand `s`, has been served. */
static void end_turn(struct fetch_unit *f, struct fetch_front_end *front_end, const struct strand *s)
{
    front_end->last = turn_of(s);
    drop_first(f, front_end);
}

void fetch_cycle(struct sm *sm)
{
    struct fetch_unit *f = sm->fetch;
    struct strand *s;
    uint32_t ports = f->ports;
    bool is_served = false;
    if (!f->requests && !f->waits)
        return;
    f->takes_misses = mem_can_take(sm->mem, sm->index, MEM_INSTRUCTION, sm->now); /* it also advances the L1 to `now` */
    if (f->waits && !f->has_wakeup && !f->takes_misses)
        return;
    f->waits = f->has_wakeup = false;
    for (; ports && (s = first_of(sm, &f->front_end[0])) && serve(sm, s, true) != MUST_WAIT; ports--) {
        end_turn(f, &f->front_end[0], s);
        is_served = true;
    }
    const uint32_t slices = f->requests ? (uint32_t)f->front_end_count - 1 : 0;
    const uint32_t first = slices ? (uint32_t)(sm->now % slices) : 0;
    for (uint32_t i = 0; i < slices; i++) {
        struct fetch_front_end *front_end = &f->front_end[1 + (first + i < slices ? first + i : first + i - slices)];
        s = first_of(sm, front_end);
        enum served served = s ? serve(sm, s, ports > 0) : MUST_WAIT;
        if (served == MUST_WAIT)
            continue;
        end_turn(f, front_end, s);
        ports -= served == SERVED_BY_L1;
        is_served = true;
    }
    f->waits &= !is_served;
}

uint64_t fetch_next(const struct sm *sm)
{
    return sm->fetch->requests && !fetch_waits(sm) ? sm->now + 1 : SM_NEVER;
}

bool fetch_waits(const struct sm *sm)
{
    return sm->fetch->waits && !sm->fetch->has_wakeup;
}
