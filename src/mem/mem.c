/*
 * The memory system put together: fronts (multiprocessors' sides), crossbar, slices with their channels; and
 * time.
 *
 * What leaves a front reaches a slice a crossbar latency later, and the other way round. So time goes in
 * windows of that latency: first the fronts, one by one, through the window, then the slices, in order of
 * their cycles; nothing that one of them does can reach another within the window. Windows in which nothing
 * happens are skipped.
 */
#include "mem/mem.h"

#include "base/arena.h"
#include "base/diag.h"
#include "mem/clock.h"
#include "mem/config.h"
#include "mem/crossbar.h"
#include "mem/front.h"
#include "mem/slice.h"

#include <stdlib.h>

struct mem {
    struct mem_config config;
    struct mem_counters stats;
    struct clock_ratio to_crossbar, from_crossbar;
    int sm_count;
    uint64_t quantum;
    uint64_t now; /* slices have done all up to this core cycle */
    struct front *front;
    struct front_times *times; /* [sm] */
    struct slice *slice;
    struct crossbar crossbar;
};

struct mem *mem_create(const struct mem_config *config, int sm_count)
{
    char *error = NULL;
    if (!mem_config_check(config, &error))
        panic("%s", error);
    struct mem *m = xcalloc(1, sizeof *m);
    m->config = *config;
    m->sm_count = sm_count;
    m->to_crossbar = clock_make_ratio(config->core_mhz, config->crossbar_mhz);
    m->from_crossbar = clock_make_ratio(config->crossbar_mhz, config->core_mhz);
    crossbar_open(&m->crossbar, &m->config, &m->stats.crossbar, (uint32_t)sm_count, m->to_crossbar);
    m->quantum = clock_last_until(&m->from_crossbar, m->crossbar.latency);
    m->front = xcalloc((size_t)sm_count, sizeof *m->front);
    m->times = xcalloc((size_t)sm_count, sizeof *m->times);
    m->slice = xcalloc(config->channels, sizeof *m->slice);
    for (int i = 0; i < sm_count; i++)
        front_open(&m->front[i], &m->config, &m->stats, &m->crossbar, &m->times[i], (uint32_t)i);
    for (uint32_t i = 0; i < config->channels; i++)
        slice_open(&m->slice[i], &m->config, &m->stats, &m->crossbar, m->front, i);
    return m;
}

void mem_destroy(struct mem *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->sm_count; i++)
        front_close(&m->front[i]);
    for (uint32_t i = 0; i < m->config.channels; i++)
        slice_close(&m->slice[i]);
    crossbar_close(&m->crossbar);
    free(m->front);
    free(m->times);
    free(m->slice);
    free(m);
}

uint64_t mem_quantum(const struct mem *m)
{
    return m->quantum;
}

/* ---- time ---- */

static uint64_t next_inside(const struct mem *m)
{
    uint64_t next = clock_first_from(&m->from_crossbar, m->crossbar.first_due);
    for (int i = 0; i < m->sm_count; i++)
        next = clock_earlier(next, m->times[i].next);
    return next;
}

static void advance_window(struct mem *m, uint64_t until)
{
    m->now = until;
    for (int i = 0; i < m->sm_count; i++)
        if (m->times[i].next <= until)
            front_advance(&m->front[i], until);
    slice_run_all(m->slice, clock_last_until(&m->to_crossbar, until));
}

void mem_advance(struct mem *m, uint64_t now)
{
    if (now <= m->now)
        return;
    while (now - m->now > m->quantum) {
        uint64_t next = next_inside(m);
        if (next > now) {
            m->now = now;
            return;
        }
        m->now = clock_later(m->now, next - 1);
        if (now - m->now > m->quantum)
            advance_window(m, m->now + m->quantum);
    }
    if (m->now < now)
        advance_window(m, now);
}

/* A front may run on to `now`, if need be after the rest has caught up. */
static struct front *front_at(struct mem *m, int sm, uint64_t now)
{
    struct front *f = &m->front[sm];
    if (now > m->now + m->quantum)
        mem_advance(m, now - m->quantum);
    if (m->times[sm].next <= now)
        front_advance(f, now);
    return f;
}

bool mem_issue(struct mem *m, uint64_t now, const struct mem_access *access, int *transactions)
{
    return front_issue(front_at(m, access->sm, now), now, access, transactions);
}

bool mem_can_take(struct mem *m, int sm, enum mem_kind kind, uint64_t now)
{
    return front_at(m, sm, now)->times->free[front_port_of(kind)] <= now;
}

enum mem_stall mem_port_state(const struct mem *m, int sm, enum mem_kind kind, uint64_t now)
{
    const struct front_port *port = &m->front[sm].port[front_port_of(kind)];
    if (port->at < port->count && port->stall)
        return port->stall;
    return port->at < port->count || port->next > now ? MEM_BUSY : MEM_NO_STALL;
}

uint64_t mem_kind_free(const struct mem *m, int sm, enum mem_kind kind, uint64_t now)
{
    const struct front_times *times = &m->times[sm];
    uint64_t from = times->free[front_port_of(kind)];
    if (from < FRONT_STALLED)
        return clock_later(now, from);
    uint64_t then = times->next + (from - FRONT_STALLED);
    return clock_later(now, then < times->next ? CLOCK_NEVER : then);
}

uint64_t mem_port_free(const struct mem *m, int sm, uint64_t now)
{
    return mem_kind_free(m, sm, MEM_LOAD, now);
}

uint64_t mem_last_written(const struct mem *m)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < m->config.channels; i++)
        last = clock_later(last, m->slice[i].written);
    return clock_first_from(&m->from_crossbar, last);
}

bool mem_probe(struct mem *m, int sm, enum mem_kind kind, uint64_t address)
{
    enum mem_port p = front_port_of(kind);
    struct front_port *port = &m->front[sm].port[p];
    if (!cache_use(&port->cache, address / m->config.port[p].line_bytes))
        return false;
    m->stats.port[p].accesses++;
    m->stats.port[p].hits++;
    return true;
}

uint32_t mem_line_bytes(const struct mem *m, enum mem_kind kind)
{
    return m->config.port[front_port_of(kind)].line_bytes;
}

uint32_t mem_latency(const struct mem *m, enum mem_kind kind)
{
    return m->config.port[front_port_of(kind)].latency_cycles;
}

bool mem_take_reply(struct mem *m, int sm, uint64_t now, struct mem_reply *reply)
{
    return front_take_reply(front_at(m, sm, now), now, reply);
}

uint64_t mem_next_reply(const struct mem *m, int sm)
{
    return clock_earlier(m->times[sm].may_reply, m->times[sm].reply);
}

/* When one of the ports of the kinds takes an access; `certain`: if that is known. */
static void find_free_ports(const struct front *f, uint32_t kinds, uint64_t *certain, uint64_t *possible)
{
    for (uint32_t left = kinds; left; left &= left - 1) {
        enum mem_port which = front_port_of((enum mem_kind)__builtin_ctz(left));
        uint64_t from = f->times->free[which], next = f->times->next;
        if (from >= FRONT_STALLED)
            from = next == CLOCK_NEVER ? CLOCK_NEVER : next + (from - FRONT_STALLED);
        uint64_t *into = f->active >> which & 1 ? possible : certain;
        *into = clock_earlier(*into, from);
    }
}

uint64_t mem_next_news(struct mem *m, int sm, bool replies, uint32_t kinds, uint64_t now, uint64_t until)
{
    struct front *f = &m->front[sm];
    for (uint64_t looked = now;;) {
        uint64_t certain = replies ? f->times->reply : CLOCK_NEVER;
        uint64_t possible = replies ? f->times->may_reply : CLOCK_NEVER;
        find_free_ports(f, kinds, &certain, &possible);
        certain = clock_later(certain, now + 1);
        possible = clock_later(possible, looked + 1);
        if (certain < possible || possible > until)
            return clock_earlier(certain, possible);
        looked = possible;
        if (f->times->next <= looked)
            front_advance(f, looked);
    }
}

uint64_t mem_next_event(const struct mem *m)
{
    uint64_t next = clock_first_from(&m->from_crossbar, m->crossbar.first_due);
    for (int i = 0; i < m->sm_count; i++)
        next = clock_earlier(next, clock_earlier(m->times[i].next, m->times[i].reply));
    return next;
}

uint64_t mem_next_events(const struct mem *m, struct mem_times *by_sm)
{
    uint64_t next = clock_first_from(&m->from_crossbar, m->crossbar.first_due);
    for (int i = 0; i < m->sm_count; i++) {
        const struct front_times *t = &m->times[i];
        by_sm[i].reply = clock_earlier(t->may_reply, t->reply);
        by_sm[i].any = clock_earlier(t->next, t->reply);
        next = clock_earlier(next, by_sm[i].any);
    }
    return next;
}

/* ---- the rest ---- */

void mem_flush(struct mem *m)
{
    if (m->config.flush_l1)
        for (int i = 0; i < m->sm_count; i++)
            for (int p = 0; p < PORT_COUNT; p++)
                cache_clear(&m->front[i].port[p].cache);
    if (m->config.flush_l2)
        for (uint32_t i = 0; i < m->config.channels; i++)
            m->stats.l2.lost_dirty += cache_clear(&m->slice[i].cache);
}

void mem_stats(const struct mem *m, struct stat_value *into, int capacity, int *count)
{
    for (int i = 0; i < m->sm_count; i++)
        front_count_departures(&m->front[i], m->now);
    const struct stat_value all[MEM_OWNERS] = {
        {&mem_port_owner[PORT_DATA], &m->stats.port[PORT_DATA]},
        {&mem_port_owner[PORT_CONSTANT], &m->stats.port[PORT_CONSTANT]},
        {&mem_port_owner[PORT_TEXTURE], &m->stats.port[PORT_TEXTURE]},
        {&mem_port_owner[PORT_INSTRUCTION], &m->stats.port[PORT_INSTRUCTION]},
        {&mem_crossbar_owner, &m->stats.crossbar},
        {&mem_l2_owner, &m->stats.l2},
        {&mem_dram_owner, &m->stats.dram},
    };
    for (int i = 0; i < MEM_OWNERS && i < capacity; i++)
        into[i] = all[i];
    *count = MEM_OWNERS;
}

static void dump_port(const struct front *f, int p, struct text *out)
{
    static const char *const names[PORT_COUNT] = {"data", "constant", "texture", "instruction"};
    static const char *const why[] = {
        "goes on", "busy", "no miss register", "no room to merge", "miss queue full", "write queue full"};
    const struct front_port *port = &f->port[p];
    if (port->at == port->count && !port->mshr.used)
        return;
    text_printf(
        out, "  multiprocessor %u, %s port: transaction %d of %d (%s), %u of %u miss registers taken\n",
        f->sm, names[p], port->at, port->count, why[port->stall], port->mshr.used, port->mshr.entries);
}

void mem_dump(const struct mem *m, struct text *out)
{
    text_printf(out, "memory system at cycle %llu, next event at %lld\n", (unsigned long long)m->now,
                (long long)mem_next_event(m));
    for (int i = 0; i < m->sm_count; i++) {
        struct front *f = &m->front[i];
        front_count_departures(f, m->now);
        for (int p = 0; p < PORT_COUNT; p++)
            dump_port(f, p, out);
        if (f->queue.count || f->departure_count)
            text_printf(out,
                        "  multiprocessor %d: %u packets wait for a place in the crossbar, %u for the link\n",
                        i, f->queue.count, f->departure_count);
    }
    for (uint32_t i = 0; i < m->config.channels; i++)
        slice_dump(&m->slice[i], out);
}

unsigned mem_shared_passes_of(const struct mem *m, int count, const uint64_t *address, unsigned bytes)
{
    return mem_shared_passes(&m->config, count, address, bytes);
}
