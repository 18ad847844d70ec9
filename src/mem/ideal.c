/* Ideal memory (ideal.h): when lines first arrive, and what ports, links and channels need for them at least. */
#include "mem/ideal.h"

#include "base/arena.h"
#include "mem/clock.h"
#include "mem/config.h"
#include "mem/meter.h"
#include "mem/sm_port.h"
#include "mem/unloaded.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LOOKUPS = 2 * MEM_MAX_LANES }; /* of one access: each lane may touch two lines */

/* A set of lines, by hash. */
struct line {
    uint64_t key;   /* 0: unused */
    uint64_t ready; /* core cycle at which the line's data is there */
};

struct lines {
    struct line *at;
    uint64_t count, mask; /* lines; places less one */
};

/* The meters of one multiprocessor. */
struct sm_meters {
    struct meter lookups[PORT_COUNT], mshrs[PORT_COUNT]; /* [port] */
    struct meter requests, replies;                      /* links to and from the crossbar */
};

/* Code whose lines nobody knows (ideal_memory_fetch_loose()), by instruction. */
struct loose_code {
    struct lines asked; /* by multiprocessor; `ready`: when a thread first came to the instruction */
    struct lines ready; /* by multiprocessor; `ready`: when the instruction is there */
    struct lines l2;    /* `ready`: when its line is there for the first multiprocessor that asked */
    bool is_in_l2;      /* an earlier launch may have brought any code to the L2, and to the instruction caches */
    bool is_in_l1;
};

struct ideal_memory {
    struct mem_config config;
    struct unloaded least;
    int sm_count;
    uint32_t lanes, slices;
    bool is_awaited;     /* the access at work */
    struct lines l1;     /* lines and sectors that first-level caches hold or wait for, by multiprocessor and port */
    struct lines l2;     /* those that the L2 holds or waits for; `ready`: for a multiprocessor that has asked */
    struct lines missed; /* lines that a miss register was counted for, by multiprocessor and port */
    struct loose_code code;
    struct lines lookups; /* what was looked up, by multiprocessor and kind; `ready`: how often */
    uint64_t last_written;
    struct sm_meters *sm;
    /* Of all slices and channels together. Replies to each multiprocessor, and to the first that asks. */
    struct meter replies, first_replies, dram;
    uint64_t crossbar_cycle, memory_cycle; /* parts of a core cycle that a cycle of these clocks takes */
};

static void lines_open(struct lines *l, uint64_t places)
{
    l->at = xcalloc(places, sizeof *l->at);
    l->count = 0;
    l->mask = places - 1;
}

static uint64_t place_of(const struct lines *l, uint64_t key)
{
    uint64_t i = key * 0x9e3779b97f4a7c15u >> 20 & l->mask;
    while (l->at[i].key && l->at[i].key != key)
        i = (i + 1) & l->mask;
    return i;
}

/* The line with this key, which is made if there is none: then `ready` is CLOCK_NEVER. */
static struct line *lines_find(struct lines *l, uint64_t key)
{
    uint64_t i = place_of(l, key);
    if (l->at[i].key)
        return &l->at[i];
    if (2 * ++l->count > l->mask) {
        struct lines old = *l;
        lines_open(l, 2 * (old.mask + 1));
        l->count = old.count;
        for (uint64_t k = 0; k <= old.mask; k++)
            if (old.at[k].key)
                l->at[place_of(l, old.at[k].key)] = old.at[k];
        free(old.at);
        i = place_of(l, key);
    }
    l->at[i] = (struct line){key, CLOCK_NEVER};
    return &l->at[i];
}

static void lines_clear(struct lines *l)
{
    if (l->count)
        memset(l->at, 0, (l->mask + 1) * sizeof *l->at);
    l->count = 0;
}

struct ideal_memory *ideal_memory_create(const struct mem_config *config, int sm_count)
{
    struct ideal_memory *m = xcalloc(1, sizeof *m);
    m->config = *config;
    m->sm_count = sm_count;
    m->slices = mem_slices(config);
    m->crossbar_cycle = METER_CYCLE * config->core_mhz / config->crossbar_mhz;
    m->memory_cycle = METER_CYCLE * config->core_mhz / config->memory_mhz;
    m->sm = xcalloc((size_t)sm_count, sizeof *m->sm);
    unloaded_measure(&m->least, &m->config);
    lines_open(&m->l1, 1024);
    lines_open(&m->l2, 1024);
    lines_open(&m->missed, 1024);
    lines_open(&m->lookups, 1024);
    lines_open(&m->code.l2, 1024);
    lines_open(&m->code.asked, 1024);
    lines_open(&m->code.ready, 1024);
    return m;
}

void ideal_memory_destroy(struct ideal_memory *m)
{
    if (!m)
        return;
    free(m->l1.at);
    free(m->l2.at);
    free(m->missed.at);
    free(m->lookups.at);
    free(m->code.l2.at);
    free(m->code.asked.at);
    free(m->code.ready.at);
    free(m->sm);
    free(m);
}

/* A launch begins. Its code has the addresses of the code before, laid out otherwise. */
static void start_code(struct ideal_memory *m)
{
    struct loose_code *c = &m->code;
    c->is_in_l1 = !m->config.flush_l1 && (c->is_in_l1 || c->ready.count);
    c->is_in_l2 = !m->config.flush_l2 && (c->is_in_l2 || c->ready.count);
    lines_clear(&c->l2);
    lines_clear(&c->asked);
    lines_clear(&c->ready);
}

void ideal_memory_start(struct ideal_memory *m, uint32_t lanes)
{
    m->lanes = lanes < MEM_MAX_LANES ? lanes : MEM_MAX_LANES;
    memset(m->sm, 0, (size_t)m->sm_count * sizeof *m->sm);
    m->replies = m->first_replies = m->dram = (struct meter){0};
    lines_clear(&m->lookups);
    start_code(m);
    if (m->config.flush_l1) {
        lines_clear(&m->l1);
        lines_clear(&m->missed);
    }
    if (m->config.flush_l2)
        lines_clear(&m->l2);
}

/* ---- what links and channels take ---- */

/* Parts of a core cycle for which a packet with so many bytes holds a link of the crossbar. */
static uint64_t link_time(const struct ideal_memory *m, uint64_t bytes)
{
    return (bytes + m->config.crossbar_bytes - 1) / m->config.crossbar_bytes * m->crossbar_cycle;
}

/* Adds work whose last part comes `after` cycles after `now` if nothing is in its way. */
static void add_late(struct meter *meter, uint64_t now, uint64_t after, uint64_t work)
{
    uint64_t own = meter_cycles(work);
    meter_add(meter, now + (after > own ? after - own : 0), work);
}

/* Data leaves the L2 for the multiprocessor that asked at `now`. */
static void count_reply(struct ideal_memory *m, uint64_t now, int sm, uint64_t bytes, const struct unloaded_time *t)
{
    uint64_t time = link_time(m, m->config.reply_bytes + bytes);
    add_late(&m->sm[sm].replies, now, t->l2, time);
    add_late(&m->replies, now, t->l2, time / m->slices);
}

/* ---- reads ---- */

/* What is fetched at a time: a sector, or a line. */
static uint64_t unit_bytes(const struct ideal_memory *m, uint32_t line_bytes)
{
    return m->config.sector_bytes ? m->config.sector_bytes : line_bytes;
}

/* What comes from DRAM at a time. */
static uint64_t fetch_bytes(const struct ideal_memory *m)
{
    uint64_t unit = unit_bytes(m, m->config.l2_line_bytes);
    return m->config.l2_fetch_bytes > unit ? m->config.l2_fetch_bytes : unit;
}

static struct line *l2_line(struct ideal_memory *m, uint64_t address)
{
    return lines_find(&m->l2, address / fetch_bytes(m) + 1);
}

/* Whether the line, in a run in which it came later, may still be under way at `now`. An access that joins a miss
 * register is answered when the line arrives, which is sooner than a hit. Lines that came more than a miss ago count as
 * arrived. */
static bool may_be_under_way(const struct line *l, uint64_t now, const struct unloaded_time *t)
{
    return l->ready && l->ready + t->l2 > now;
}

static struct line *l1_line(struct ideal_memory *m, int sm, enum mem_port port, uint64_t unit)
{
    return lines_find(&m->l1, (unit * PORT_COUNT + port) * (uint64_t)m->sm_count + (uint64_t)sm + 1);
}

/* The cycle at which data that is asked for at `now` comes from the L2, or through the L2 from DRAM. */
static uint64_t from_l2(struct ideal_memory *m, uint64_t now, uint64_t address, uint64_t bytes,
                        const struct unloaded_time *t)
{
    struct line *l = l2_line(m, address);
    if (l->ready == CLOCK_NEVER && m->is_awaited) {
        uint64_t size = unit_bytes(m, m->config.l2_line_bytes);
        uint64_t burst = (size + m->config.dram_bytes_per_cycle - 1) / m->config.dram_bytes_per_cycle;
        add_late(&m->dram, now, t->dram, burst * m->memory_cycle / m->config.channels);
        add_late(&m->first_replies, now, t->dram, link_time(m, m->config.reply_bytes + bytes) / m->slices);
    }
    l->ready = clock_earlier(l->ready, now + t->dram);
    return may_be_under_way(l, now, t) ? clock_later(now + t->merged, l->ready) : now + t->l2;
}

/* A miss register waits for the L2 from `now` on. */
static void count_miss(struct ideal_memory *m, uint64_t now, int sm, enum mem_port port, const struct unloaded_time *t)
{
    add_late(&m->sm[sm].mshrs[port], now, t->l2, t->l2 * METER_CYCLE / m->config.port[port].mshrs);
}

/* A multiprocessor reads a line for the first time, or another sector of it: one miss register may wait for several
 * sectors, so only the first counts. */
static void count_line(struct ideal_memory *m, uint64_t now, int sm, enum mem_port port, uint64_t line,
                       const struct unloaded_time *t)
{
    struct line *l = lines_find(&m->missed, (line * PORT_COUNT + port) * (uint64_t)m->sm_count + (uint64_t)sm + 1);
    if (l->ready == CLOCK_NEVER)
        count_miss(m, now, sm, port, t);
    l->ready = now;
}

/* The cycle at which one unit of a read through the first-level cache is there. */
static uint64_t read_unit(struct ideal_memory *m, uint64_t now, const struct mem_access *a, enum mem_port port,
                          uint64_t unit, uint64_t bytes)
{
    const struct unloaded_time *t = &m->least.read[a->kind];
    struct line *l = l1_line(m, a->sm, port, unit);
    if (l->ready == CLOCK_NEVER) {
        l->ready = from_l2(m, now, unit * bytes, bytes, t);
        if (m->is_awaited) {
            count_reply(m, now, a->sm, bytes, t);
            count_line(m, now, a->sm, port, unit * bytes / m->config.port[port].line_bytes, t);
        }
    }
    return may_be_under_way(l, now, t) ? clock_later(now + 1, l->ready) : now + t->first_level;
}

/* ---- lookups ---- */

/* Log2 of the bytes within which lanes share a transaction: see sm_port.c. */
static uint64_t shared_bytes(const struct ideal_memory *m, const struct mem_access *a, enum mem_port port)
{
    uint64_t line = m->config.port[port].line_bytes, unit = m->config.constant_width_bytes;
    if (a->kind != MEM_CONSTANT)
        return line;
    while (unit < a->bytes && unit < line)
        unit *= 2;
    return unit;
}

/* Whether the transaction must be looked up anew: a lookup serves at most `lanes` threads. */
static bool needs_lookup(struct ideal_memory *m, const struct mem_access *a, uint64_t unit)
{
    uint64_t kind = (uint64_t)a->kind * 2 + a->bypasses_l1;
    uint64_t key = ((unit * 2 * UNLOADED_KINDS + kind) * (uint64_t)m->sm_count + (uint64_t)a->sm) + 1;
    struct line *l = lines_find(&m->lookups, key);
    l->ready = l->ready == CLOCK_NEVER ? 0 : l->ready + 1;
    return l->ready % m->lanes == 0;
}

/* The least time of a lookup, if all banks of the cache are always busy. */
static uint64_t lookup_time(const struct ideal_memory *m, enum mem_port port)
{
    return port == PORT_DATA ? METER_CYCLE / (m->config.l1d_banks * m->config.l1d_ports) : METER_CYCLE;
}

/* A transaction that no other can spare its lookup. */
static void count_lookup(struct ideal_memory *m, uint64_t now, const struct mem_access *a, enum mem_port port)
{
    struct sm_meters *sm = &m->sm[a->sm];
    meter_add(&sm->lookups[port], now, lookup_time(m, port));
    if (a->kind == MEM_STORE || a->kind == MEM_ATOMIC)
        meter_add(&sm->requests, now, link_time(m, m->config.packet_bytes + 1));
    else if (a->bypasses_l1 && m->is_awaited)
        count_reply(m, now, a->sm, 1, &m->least.read[UNLOADED_BYPASS]);
    if (!m->is_awaited)
        return;
    if (a->kind == MEM_ATOMIC)
        count_miss(m, now, a->sm, port, &m->least.read[MEM_ATOMIC]);
    else if (a->kind == MEM_LOAD && a->bypasses_l1)
        count_miss(m, now, a->sm, port, &m->least.read[UNLOADED_BYPASS]);
}

/* ---- accesses ---- */

static uint64_t access_unit(struct ideal_memory *m, uint64_t now, const struct mem_access *a, enum mem_port port,
                            uint64_t unit, uint64_t bytes)
{
    if (a->kind == MEM_STORE || a->kind == MEM_ATOMIC)
        m->last_written = clock_later(m->last_written, now + m->least.written[a->kind == MEM_ATOMIC]);
    if (a->kind == MEM_STORE) {
        l2_line(m, unit * bytes)->ready = 0;
        if (m->config.l1d_store == STORE_ALLOCATE)
            l1_line(m, a->sm, port, unit)->ready = 0;
        return now + 1;
    }
    if (a->kind == MEM_ATOMIC)
        return from_l2(m, now, unit * bytes, 1, &m->least.read[MEM_ATOMIC]);
    if (a->bypasses_l1)
        return from_l2(m, now, unit * bytes, 1, &m->least.read[UNLOADED_BYPASS]);
    return read_unit(m, now, a, port, unit, bytes);
}

struct ideal_answer ideal_memory_access(struct ideal_memory *m, uint64_t now, const struct mem_access *a,
                                        bool is_awaited)
{
    m->is_awaited = is_awaited;
    enum mem_port port = mem_port_of(a->kind);
    uint64_t bytes = unit_bytes(m, m->config.port[port].line_bytes), shared = shared_bytes(m, a, port);
    struct ideal_answer answer = {.ready = now + 1};
    for (int lane = 0; lane < a->count; lane++) {
        uint64_t first = a->address[lane], last = first + (a->bytes ? a->bytes - 1u : 0);
        for (uint64_t unit = first / bytes; unit <= last / bytes; unit++)
            answer.ready = clock_later(answer.ready, access_unit(m, now, a, port, unit, bytes));
        for (uint64_t unit = first / shared; unit <= last / shared; unit++, answer.transactions++)
            if (needs_lookup(m, a, unit)) {
                count_lookup(m, now, a, port);
                answer.lookup_time += lookup_time(m, port);
            }
    }
    return answer;
}

uint64_t ideal_memory_fetch(struct ideal_memory *m, uint64_t now, int sm, uint64_t address)
{
    uint64_t bytes = m->config.port[PORT_INSTRUCTION].line_bytes, line = address / bytes; /* no sectors: sm/fetch.c */
    struct line *l = l1_line(m, sm, PORT_INSTRUCTION, line);
    m->is_awaited = false;
    if (l->ready == CLOCK_NEVER)
        l->ready = from_l2(m, now, line * bytes, 1, &m->least.read[MEM_INSTRUCTION]);
    return l->ready;
}

/* The earliest `ready` of the instructions at most `reach` before or behind the one at `index`. Keys are index * scale
 * + offset. */
static uint64_t earliest_about(const struct lines *l, uint64_t index, uint64_t reach, uint64_t scale, uint64_t offset)
{
    uint64_t earliest = CLOCK_NEVER;
    for (uint64_t i = index > reach ? index - reach : 0; i <= index + reach; i++) {
        const struct line *at = &l->at[place_of(l, i * scale + offset)];
        earliest = at->key ? clock_earlier(earliest, at->ready) : earliest;
    }
    return earliest;
}

uint64_t ideal_memory_fetch_loose(struct ideal_memory *m, uint64_t now, int sm, uint64_t address, uint32_t bytes)
{
    struct loose_code *c = &m->code;
    const struct unloaded_time *t = &m->least.read[MEM_INSTRUCTION];
    uint64_t index = address / bytes, scale = (uint64_t)m->sm_count, offset = (uint64_t)sm + 1;
    struct line *own = lines_find(&c->ready, index * scale + offset);
    if (own->ready != CLOCK_NEVER)
        return own->ready;
    uint64_t line = m->config.port[PORT_INSTRUCTION].line_bytes, l2_line = clock_later(line, fetch_bytes(m));
    struct line *in_l2 = lines_find(&c->l2, index + 1);
    in_l2->ready = clock_earlier(in_l2->ready, now + t->dram);
    lines_find(&c->asked, index * scale + offset)->ready = now;
    uint64_t asked = earliest_about(&c->asked, index, line / bytes - 1, scale, offset);
    const struct line l = {1, earliest_about(&c->l2, index, l2_line / bytes - 1, 1, 1)};
    bool waits = !c->is_in_l2 && may_be_under_way(&l, asked, t);
    own->ready = c->is_in_l1 ? now : waits ? clock_later(asked + t->merged, l.ready) : asked + t->l2;
    return own->ready;
}

uint64_t ideal_memory_last_written(const struct ideal_memory *m)
{
    return m->last_written;
}

/* ---- what everything takes ---- */

uint64_t ideal_memory_answered(const struct ideal_memory *m, int sm)
{
    const struct sm_meters *s = &m->sm[sm];
    uint64_t time = s->replies.free, last_access = (uint64_t)MOST_LOOKUPS << METER_BITS;
    for (int p = 0; p < PORT_COUNT; p++) {
        time = clock_later(time, s->mshrs[p].free);
        if (s->lookups[p].free > last_access) /* a store is taken before its lookups are done */
            time = clock_later(time, s->lookups[p].free - last_access);
    }
    return time >> METER_BITS;
}

uint64_t ideal_memory_sent(const struct ideal_memory *m, int sm)
{
    return m->sm[sm].requests.free >> METER_BITS;
}

uint64_t ideal_memory_done(const struct ideal_memory *m, uint64_t start, bool is_one_round)
{
    uint64_t replies = is_one_round ? m->replies.free : m->first_replies.free;
    uint64_t done = clock_later(replies, m->dram.free) >> METER_BITS;
    /* SMs run one after the other within a window, so the meters may be late by a window. */
    uint64_t late = (uint64_t)m->config.crossbar_latency * m->config.core_mhz / m->config.crossbar_mhz + 1;
    return done > start + late ? done - late : start;
}
