/*
 * The whole memory system, and its time. An SM's (multiprocessor's) side has the SM's cache ports and queues
 * (mem/sm_port.h); behind the crossbar are the L2 slices (mem/slice.h), and behind each slice a DRAM channel, which the
 * slices of the channel share (mem/dram.h).
 *
 * A request that leaves an SM's side reaches a slice one crossbar latency later, and a reply takes as long. So time
 * goes in windows of one crossbar latency: first each SM's side runs through the window, then the slices run, in order
 * of their cycles. Nothing that an SM's side or a slice does can reach another within the window. Windows in which
 * nothing happens are skipped.
 */
#include "mem/mem.h"

#include "base/arena.h"
#include "base/diag.h"
#include "mem/clock.h"
#include "mem/config.h"
#include "mem/crossbar.h"
#include "mem/slice.h"
#include "mem/sm_port.h"
#include "mem/touch.h"

#include <stdlib.h>
#include <string.h>

/* The counters of one SM's side. SMs that run at the same time count in different cache lines of the host. */
struct sm_counters {
    _Alignas(64) struct port_stats port[PORT_COUNT];
};

struct mem {
    struct mem_config config;
    struct mem_counters stats;
    struct mem_counters *totals;  /* `stats`: counters that slices and SMs' sides keep are added up when asked for */
    int sm_count;                 /* SMs whose sides are open; the others take no part in anything */
    uint64_t quantum;             /* length of a window, in core cycles */
    uint64_t reach;               /* mem_reach() */
    uint64_t now;                 /* slices have done everything up to this core cycle */
    struct sm_port *sm_ports;     /* [sm] the SM's side */
    struct sm_counters *sm_stats; /* [sm] */
    struct mem_times *times;      /* [sm] next events at the SM's side, which mem_times() gives to the caller */
    /* [slice] slice i is of channel i modulo the number of channels: consecutive slices are of different channels */
    struct mem_slice *slice;
    struct dram *dram; /* [channel] */
    struct crossbar crossbar;
    struct storage storage; /* storage of caches, miss registers and channels */
};

struct mem *mem_create_closed(const struct mem_config *config, int sm_count)
{
    char *error = NULL;
    if (!mem_config_check(config, &error))
        panic("%s", error);
    struct mem *m = xcalloc(1, sizeof *m);
    m->config = *config;
    m->totals = &m->stats;
    crossbar_open(&m->crossbar, &m->config, (uint32_t)sm_count);
    m->quantum = clock_last_until(&m->crossbar.to_core, m->crossbar.latency);
    m->reach = m->quantum;
    if (config->crossbar_queue >= PORT_COUNT) /* else places lack at any time: see limit_reach() */
        m->reach = clock_last_until(&m->crossbar.to_core, m->crossbar.latency + m->crossbar.lead);
    m->crossbar.places_known = m->quantum;
    m->sm_ports = xmalloc_lines((size_t)sm_count * sizeof *m->sm_ports);
    m->times = xcalloc((size_t)sm_count, sizeof *m->times);
    m->sm_stats = xmalloc_lines((size_t)sm_count * sizeof *m->sm_stats);
    m->slice = xmalloc_lines(mem_slices(config) * sizeof *m->slice);
    m->dram = xcalloc(config->channels, sizeof *m->dram);
    for (uint32_t i = 0; i < config->channels; i++)
        dram_open(&m->dram[i], &m->config, &m->stats.dram, &m->storage);
    for (uint32_t i = 0; i < mem_slices(config); i++)
        mem_slice_open(&m->slice[i], &m->config, &m->crossbar, m->sm_ports, &m->dram[i % config->channels], i,
                       &m->storage);
    return m;
}

void mem_open_sms(struct mem *m, int sm_count)
{
    for (; m->sm_count < sm_count; m->sm_count++) {
        const int i = m->sm_count;
        memset(&m->sm_stats[i], 0, sizeof m->sm_stats[i]);
        sm_port_open(&m->sm_ports[i], &m->config, m->sm_stats[i].port, &m->crossbar, &m->times[i], (uint32_t)i,
                     &m->storage);
    }
}

struct mem *mem_create(const struct mem_config *config, int sm_count)
{
    struct mem *m = mem_create_closed(config, sm_count);
    mem_open_sms(m, sm_count);
    return m;
}

void mem_destroy(struct mem *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->sm_count; i++)
        sm_port_close(&m->sm_ports[i]);
    for (uint32_t i = 0; i < mem_slices(&m->config); i++)
        mem_slice_close(&m->slice[i]);
    crossbar_close(&m->crossbar);
    storage_free(&m->storage);
    free(m->sm_ports);
    free(m->times);
    free(m->sm_stats);
    free(m->slice);
    free(m->dram);
    free(m);
}

uint64_t mem_quantum(const struct mem *m)
{
    return m->quantum;
}

uint64_t mem_reach(const struct mem *m)
{
    return m->reach;
}

/* ---- time ---- */

uint64_t mem_next_in_slices(const struct mem *m)
{
    return clock_first_from(&m->crossbar.to_core, crossbar_first_due(&m->crossbar));
}

bool mem_slices_are_due(const struct mem *m, uint64_t cycle)
{
    return crossbar_is_due(&m->crossbar, clock_last_until(&m->crossbar.from_core, cycle));
}

/* The next core cycle at which anything happens at the SM's side, or may happen where more is not known. */
static inline uint64_t next_of_sm(const struct mem *m, const struct mem_times *times)
{
    return times->reach == CLOCK_NEVER ? times->next : clock_earlier(times->next, m->crossbar.places_known + 1);
}

/* The next core cycle at which anything happens in the memory system; replies that wait to be taken do not count. */
static uint64_t next_inside(const struct mem *m)
{
    const struct mem_times *times = m->times, *end = times + m->sm_count;
    uint64_t next = mem_next_in_slices(m);
    for (; times < end; times++)
        next = clock_earlier(next, next_of_sm(m, times));
    return next;
}

/* The slices have done everything up to core cycle `now`. */
static void come_to(struct mem *m, uint64_t now)
{
    const struct mem_times *times = m->times;
    const int count = m->sm_count;
    m->now = now;
    m->crossbar.places_known = now + m->quantum;
    for (int i = 0; i < count; i++)
        if (times[i].reach != CLOCK_NEVER)
            sm_port_see_further(&m->sm_ports[i]);
}

/* Brings SMs' sides and slices to core cycle `until`, which is within reach, or as far as all SMs' sides are known. */
static void advance_window(struct mem *m, uint64_t until)
{
    const struct mem_times *times = m->times;
    const int count = m->sm_count;
    for (int i = 0; i < count; i++)
        if (times[i].next <= until)
            sm_port_advance(&m->sm_ports[i], until);
    for (int i = 0; i < count; i++)
        if (times[i].reach != CLOCK_NEVER)
            until = clock_earlier(until, m->crossbar.places_known);
    mem_slice_run_all(m->slice, clock_last_until(&m->crossbar.from_core, until));
    come_to(m, until);
}

void mem_advance(struct mem *m, uint64_t now)
{
    if (now <= m->now)
        return;
    while (m->now < now) {
        uint64_t next = now - m->now > m->quantum ? next_inside(m) : m->now;
        if (next > now) {
            come_to(m, now);
            return;
        }
        if (next > m->now + 1)
            come_to(m, next - 1);
        advance_window(m, clock_earlier(now, m->now + m->reach));
    }
}

void mem_advance_sm(struct mem *m, int sm, uint64_t now)
{
    if (m->times[sm].next <= now)
        sm_port_advance(&m->sm_ports[sm], now);
}

/* Brings the SM's side to `now`. Slices that would be too far behind catch up first. */
static struct sm_port *sm_port_at(struct mem *m, int sm, uint64_t now)
{
    struct sm_port *sm_port = &m->sm_ports[sm];
    if (now > m->now + m->reach)
        mem_advance(m, now - m->reach);
    sm_port_advance(sm_port, now);
    return sm_port;
}

bool mem_issue(struct mem *m, uint64_t now, const struct mem_access *access, int *transactions)
{
    return sm_port_issue(sm_port_at(m, access->sm, now), now, access, transactions);
}

bool mem_share_port(enum mem_kind a, enum mem_kind b)
{
    return mem_port_of(a) == mem_port_of(b);
}

bool mem_issue_together(struct mem *m, uint64_t now, const struct mem_access *const *access, int count,
                        int *transactions)
{
    return sm_port_issue_together(sm_port_at(m, access[0]->sm, now), now, access, count, transactions);
}

bool mem_can_take(struct mem *m, int sm, enum mem_kind kind, uint64_t now)
{
    return sm_port_at(m, sm, now)->free[mem_port_of(kind)] <= now;
}

enum mem_stall mem_port_state(const struct mem *m, int sm, enum mem_kind kind, uint64_t now)
{
    const struct cache_port *port = &m->sm_ports[sm].port[mem_port_of(kind)];
    if (port->at < port->count && port->stall)
        return port->stall;
    return port->at < port->count || port->next > now ? MEM_BUSY : MEM_NO_STALL;
}

uint64_t mem_kind_free(const struct mem *m, int sm, enum mem_kind kind, uint64_t now)
{
    uint64_t from = m->sm_ports[sm].free[mem_port_of(kind)], next = m->times[sm].next;
    if (from < SM_PORT_STALLED)
        return clock_later(now, from);
    uint64_t then = next + (from - SM_PORT_STALLED);
    return clock_later(now, then < next ? CLOCK_NEVER : then);
}

uint64_t mem_port_free(const struct mem *m, int sm, uint64_t now)
{
    return mem_kind_free(m, sm, MEM_LOAD, now);
}

uint64_t mem_last_written(const struct mem *m)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < mem_slices(&m->config); i++)
        last = clock_later(last, m->slice[i].written);
    return clock_first_from(&m->crossbar.to_core, last);
}

bool mem_probe(struct mem *m, int sm, enum mem_kind kind, uint64_t address)
{
    enum mem_port p = mem_port_of(kind);
    struct cache_port *port = &m->sm_ports[sm].port[p];
    const uint64_t line = address >> port->line_shift;
    /* Instructions mostly come from the line of their set that was used last, which stays the newest. */
    if (!cache_is_newest(&port->cache, line) && !cache_use(&port->cache, line))
        return false;
    port->stats->hits++;
    return true;
}

uint32_t mem_line_bytes(const struct mem *m, enum mem_kind kind)
{
    return m->config.port[mem_port_of(kind)].line_bytes;
}

uint32_t mem_latency(const struct mem *m, enum mem_kind kind)
{
    return m->config.port[mem_port_of(kind)].latency_cycles;
}

bool mem_take_reply(struct mem *m, int sm, uint64_t now, struct mem_reply *reply)
{
    return sm_port_take_reply(sm_port_at(m, sm, now), now, reply);
}

uint64_t mem_next_reply(const struct mem *m, int sm)
{
    return clock_earlier(m->times[sm].next, m->times[sm].reply);
}

uint64_t mem_next_wakeup(struct mem *m, int sm, bool replies, uint32_t kinds, uint64_t now, uint64_t until)
{
    unsigned ports = 0;
    for (uint32_t left = kinds; left; left &= left - 1)
        ports |= 1u << mem_port_of((enum mem_kind)__builtin_ctz(left));
    return clock_later(sm_port_run(&m->sm_ports[sm], replies, ports, until), now + 1);
}

uint64_t mem_next_any_wakeup(struct mem *m, int sm, uint64_t until)
{
    return sm_port_run(&m->sm_ports[sm], true, m->sm_ports[sm].active, until);
}

uint64_t mem_next_at_sms(const struct mem *m)
{
    const struct mem_times *times = m->times, *end = times + m->sm_count;
    uint64_t next = CLOCK_NEVER;
    for (; times < end; times++)
        next = clock_earlier(next, clock_earlier(next_of_sm(m, times), times->reply));
    return next;
}

uint64_t mem_next_event(const struct mem *m)
{
    return clock_earlier(mem_next_in_slices(m), mem_next_at_sms(m));
}

const struct mem_times *mem_times(const struct mem *m)
{
    return m->times;
}

/* ---- flushing, counters, dumps ---- */

void mem_flush(struct mem *m)
{
    for (int i = 0; m->config.flush_l1 && i < m->sm_count; i++)
        sm_port_flush(&m->sm_ports[i]);
    if (m->config.flush_l2)
        for (uint32_t i = 0; i < mem_slices(&m->config); i++)
            m->slice[i].stats.lost_dirty += cache_clear(&m->slice[i].cache);
}

int mem_touch(struct mem *m, const struct mem_access *access)
{
    return touch_slices(m->slice, access);
}

/* Fills in counters that follow from other counters. A transaction keeps its cache port busy for one cycle, the cycle
 * of its lookup, which others of its access may share. Of an access's cycles, all but the first keep the port from its
 * next access. */
static void derive_counters(const struct mem *m, int p)
{
    struct port_stats *stats = &m->totals->port[p];
    *stats = (struct port_stats){0};
    for (int i = 0; i < m->sm_count; i++)
        stat_add(&mem_port_owner[p], stats, &m->sm_stats[i].port[p]);
    uint64_t begun = stats->issued; /* accesses that have had a lookup */
    stats->accesses = stats->hits + stats->misses;
    stats->busy_cycles = stats->transactions - stats->joint_lookups;
    for (int i = 0; i < m->sm_count; i++) {
        const struct cache_port *port = &m->sm_ports[i].port[p];
        stats->busy_cycles -= (uint64_t)(port->count - port->at);
        begun -= port->joined + (port->count > 0 && port->at == 0);
    }
    stats->bank_stall_cycles = stats->busy_cycles - begun - stats->send_stall_cycles;
}

static void count_requests(const struct mem *m, struct crossbar_stats *stats)
{
    stats->requests = stats->request_bytes = stats->queue_full = 0;
    for (int i = 0; i < m->sm_count; i++)
        outbound_count(&m->sm_ports[i].out, m->now, stats);
}

/* Adds up what the slices have counted. Each access of a slice is a hit or a miss, and a read, a write or an atomic. */
static void count_in_slices(const struct mem *m, struct mem_counters *stats)
{
    stats->l2 = (struct l2_stats){0};
    stats->crossbar.replies = stats->crossbar.reply_bytes = 0;
    const uint64_t k = clock_last_until(&m->crossbar.from_core, m->now);
    for (uint32_t i = 0; i < mem_slices(&m->config); i++)
        mem_slice_count(&m->slice[i], k, stats);
    stats->l2.accesses = stats->l2.hits + stats->l2.misses;
    stats->l2.reads = stats->l2.accesses - stats->l2.writes - stats->l2.atomics;
}

void mem_stats(const struct mem *m, struct stat_value *into, int capacity, int *count)
{
    for (int p = 0; p < PORT_COUNT; p++)
        derive_counters(m, p);
    count_requests(m, &m->totals->crossbar);
    count_in_slices(m, m->totals);
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

uint32_t mem_misses(const struct mem *m, int sm)
{
    const struct cache_port *port = m->sm_ports[sm].port;
    return port[PORT_DATA].mshr.used + port[PORT_CONSTANT].mshr.used + port[PORT_TEXTURE].mshr.used;
}

static void dump_port(const struct sm_port *sm_port, int p, struct text *out)
{
    static const char *const names[PORT_COUNT] = {"data", "constant", "texture", "instruction"};
    static const char *const why[] = {
        "not stalled", "busy", "no miss register", "no room to merge", "miss queue full", "write queue full"};
    const struct cache_port *port = &sm_port->port[p];
    if (port->at == port->count && !port->mshr.used)
        return;
    text_printf(out, "  multiprocessor %u, %s cache port: transaction %d of %d (%s), %u of %u miss registers taken\n",
                sm_port->out.sm, names[p], port->at, port->count, why[port->stall], port->mshr.used,
                port->mshr.entries);
}

void mem_dump(const struct mem *m, struct text *out)
{
    text_printf(out, "memory system at cycle %llu, next event at %lld\n", (unsigned long long)m->now,
                (long long)mem_next_event(m));
    for (int i = 0; i < m->sm_count; i++) {
        const struct sm_port *sm_port = &m->sm_ports[i];
        uint32_t waiting = outbound_with_place(&sm_port->out, m->now);
        for (int p = 0; p < PORT_COUNT; p++)
            dump_port(sm_port, p, out);
        if (sm_port->out.waiting.count || waiting)
            text_printf(out, "  multiprocessor %d: %u requests wait for a place in the crossbar, %u for the link\n", i,
                        sm_port->out.waiting.count, waiting);
    }
    for (uint32_t i = 0; i < mem_slices(&m->config); i++)
        mem_slice_dump(&m->slice[i], out);
}

unsigned mem_shared_passes_of(const struct mem *m, int count, const uint64_t *address, unsigned bytes, bool is_atomic)
{
    unsigned passes = mem_shared_passes(&m->config, count, address, bytes);
    unsigned apart =
        is_atomic && m->config.shared_atomics_apart ? mem_shared_atomic_passes(&m->config, count, address) : 0;
    return apart > passes ? apart : passes;
}

unsigned mem_shared_mixed_of(const struct mem *m, int count, const struct mem_shared_lane *lanes)
{
    return mem_shared_mixed(&m->config, count, lanes);
}

uint32_t mem_shared_banks(const struct mem *m)
{
    return m->config.shared_banks;
}
