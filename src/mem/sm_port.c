/* A multiprocessor's side of the memory system (sm_port.h): arrivals from the crossbar, the order of events, and issue
 * of accesses. All cycles are core cycles. Nothing here touches another multiprocessor's side. */
#include "mem/sm_port.h"

#include "base/diag.h"
#include "base/inline.h"
#include "mem/banked.h"
#include "mem/lookup.h"

#define ONLY_DATA (1u << PORT_DATA)

void sm_port_open(struct sm_port *sm_port, const struct mem_config *config, struct port_stats stats[PORT_COUNT],
                  struct crossbar *x, struct mem_times *times, uint32_t sm, struct storage *storage)
{
    *times = (struct mem_times){.next = CLOCK_NEVER, .reply = CLOCK_NEVER, .reach = CLOCK_NEVER};
    *sm_port = (struct sm_port){.config = config, .times = times};
    for (int i = 0; i < PORT_COUNT; i++)
        cache_port_open(&sm_port->port[i], config, &stats[i], i, sm, storage);
    outbound_open(&sm_port->out, config, x, sm);
    inflight_open(&sm_port->inflight, &times->reply);
    response_open(&sm_port->arrival, 63);
}

void sm_port_close(struct sm_port *sm_port)
{
    outbound_close(&sm_port->out);
    inflight_close(&sm_port->inflight);
    response_close(&sm_port->arrival);
}

/* Only reads bring lines in: without a read since the last flush the caches are empty already. */
void sm_port_flush(struct sm_port *sm_port)
{
    if (sm_port->flushed == sm_port->out.reads.entered)
        return;
    sm_port->flushed = sm_port->out.reads.entered;
    for (int i = 0; i < PORT_COUNT; i++)
        cache_clear(&sm_port->port[i].cache);
}

/* ---- from the crossbar ---- */

static __attribute__((noinline)) void fill_sectors(struct cache_port *port, const struct mshr_entry *entry)
{
    uint64_t victim;
    unsigned victim_dirty;
    cache_fill(&port->cache, entry->line, entry->sectors, false, &victim, &victim_dirty);
}

/* Puts what the miss register brings into the cache. A whole line cannot be there yet: only this register brings it. */
static inline void fill_cache(struct cache_port *port, const struct mshr_entry *entry)
{
    if (!port->is_whole)
        fill_sectors(port, entry);
    else if (port->cache.sets)
        cache_replace_oldest(&port->cache, entry->key, entry->line, 1);
}

/* The line that miss register `e` waits for arrives. */
static ALWAYS_INLINE void take_line(struct sm_port *sm_port, struct cache_port *port, int32_t e, uint64_t cycle)
{
    const struct mshr_entry *entry = &port->mshr.entry[e];
    if (!entry->is_private)
        fill_cache(port, entry);
    if (port->absent == entry->line)
        port->absent = CACHE_EMPTY;
    for (int32_t n = e;; n = port->mshr.next[n]) {
        inflight_finish_part(&sm_port->inflight, port->target[n].access, port->target[n].lanes, cycle, false);
        if (n == entry->last)
            break;
    }
    mshr_release(&port->mshr, e);
}

/* A response that is no line for the data cache. */
static __attribute__((noinline)) void take_other(struct sm_port *sm_port, const struct packet_reply *reply,
                                                 uint64_t cycle)
{
    struct inflight *in = &sm_port->inflight;
    if (reply->port == RESPONSE_WRITTEN)
        inflight_finish_part(in, reply->token, in->access[reply->token].lanes, cycle, false);
    else
        take_line(sm_port, &sm_port->port[reply->port], (int32_t)reply->token, cycle);
}

/* Takes all responses that arrive by the cycle. The lines of the data cache, which are most, are inline: its port is at
 * a known place of `sm_port`. */
static ALWAYS_INLINE void take_arrivals(struct sm_port *sm_port, uint64_t cycle)
{
    while (response_first(&sm_port->arrival)->time <= cycle) {
        const struct packet_reply *reply = &response_first(&sm_port->arrival)->reply;
        if (__builtin_expect(reply->port != PORT_DATA, 0))
            take_other(sm_port, reply, cycle);
        else
            take_line(sm_port, &sm_port->port[PORT_DATA], (int32_t)reply->token, cycle);
        response_pop(&sm_port->arrival);
    }
}

/* ---- time ---- */

/* Finds the next cycle at which something happens at the SM's side: an arrival, or a lookup. CLOCK_NEVER if that is
 * past its reach. */
static ALWAYS_INLINE void plan_next(struct sm_port *sm_port)
{
    uint64_t next = response_first(&sm_port->arrival)->time;
    if (sm_port->active == ONLY_DATA)
        next = clock_earlier(next, lookup_next(sm_port, &sm_port->port[PORT_DATA]));
    else
        for (unsigned left = sm_port->active; left; left &= left - 1)
            next = clock_earlier(next, lookup_next(sm_port, &sm_port->port[__builtin_ctz(left)]));
    sm_port->times->next = next > sm_port->times->reach ? CLOCK_NEVER : next;
}

/* If the transactions at the cache ports, and one more at each port, may make more requests than have a known place,
 * limits what is known of the SM's side: to cycle `now`, which is being done, and to cycles before any place becomes
 * free that is not known yet. So each request that enters the crossbar later than that has a place. */
static ALWAYS_INLINE void limit_reach(struct sm_port *sm_port, uint64_t now)
{
    uint32_t requests = sm_port->out.places < PORT_COUNT ? sm_port->out.places : PORT_COUNT;
    for (unsigned left = sm_port->active; left; left &= left - 1) {
        const struct cache_port *port = &sm_port->port[__builtin_ctz(left)];
        requests += (uint32_t)(port->count - port->at);
    }
    if (__builtin_expect(outbound_known_places(&sm_port->out) < requests, 0))
        sm_port->times->reach = clock_later(sm_port->out.crossbar->places_known, now);
}

void sm_port_see_further(struct sm_port *sm_port)
{
    sm_port->times->reach = CLOCK_NEVER;
    limit_reach(sm_port, 0);
    plan_next(sm_port);
}

void sm_port_give_place(struct sm_port *sm_port)
{
    outbound_give_place(&sm_port->out);
    sm_port_see_further(sm_port);
}

static ALWAYS_INLINE void run_port(struct sm_port *sm_port, struct cache_port *port, uint64_t cycle, uint64_t last)
{
    if (port->is_banked)
        banked_run(sm_port, port, cycle, last);
    else
        lookup_run(sm_port, port, cycle, last);
}

/* Several active cache ports share the queues to the crossbar, so all of them do one cycle before any does the next. */
static __attribute__((noinline)) void run_ports(struct sm_port *sm_port, uint64_t cycle, uint64_t last)
{
    if (sm_port->active & (sm_port->active - 1))
        last = cycle;
    for (unsigned left = sm_port->active; left; left &= left - 1)
        run_port(sm_port, &sm_port->port[__builtin_ctz(left)], cycle, last);
}

/* Does what happens at cycle times->next. Then, if one cache port is active, its lookups go on up to cycle `last`,
 * but not past the next arrival, nor past the next reply: that reply may make the SM issue an access to another
 * cache port. */
static ALWAYS_INLINE void step(struct sm_port *sm_port, uint64_t last)
{
    uint64_t cycle = sm_port->times->next;
    take_arrivals(sm_port, cycle);
    last = clock_earlier(last, response_first(&sm_port->arrival)->time - 1);
    last = clock_earlier(last, clock_later(sm_port->times->reply, cycle));
    last = clock_earlier(last, sm_port->times->reach);
    if (sm_port->active == ONLY_DATA)
        run_port(sm_port, &sm_port->port[PORT_DATA], cycle, last);
    else if (sm_port->active)
        run_ports(sm_port, cycle, last);
    plan_next(sm_port);
}

uint64_t sm_port_run_on(struct sm_port *sm_port, bool replies, unsigned ports, uint64_t until)
{
    uint64_t wakeup;
    do {
        step(sm_port, until);
        wakeup = sm_port_known_wakeup(sm_port, replies, ports);
    } while (sm_port->times->next <= until && sm_port->times->next < wakeup);
    return wakeup;
}

/* ---- issue ---- */

/* Log2 of the bytes within which lanes share a transaction: a line, or what the constant cache gives per cycle. */
static unsigned unit_shift(const struct sm_port *sm_port, const struct cache_port *port, const struct mem_access *a)
{
    if (a->kind != MEM_CONSTANT)
        return port->line_shift;
    uint32_t unit = sm_port->config->constant_width_bytes;
    while (unit < a->bytes && unit < port->config->line_bytes)
        unit *= 2;
    return (unsigned)__builtin_ctz(unit);
}

static enum cache_port_route route_of(const struct sm_port *sm_port, const struct cache_port *port,
                                      const struct mem_access *a)
{
    return a->kind == MEM_STORE                                           ? CACHE_PORT_WRITE
           : a->kind == MEM_ATOMIC || a->bypasses_l1 || !port->cache.sets ? CACHE_PORT_ASK
           : sm_port->config->sector_bytes                                ? CACHE_PORT_LOOK_UP_SECTORS
                                                                          : CACHE_PORT_LOOK_UP;
}

/* Makes the access's transactions, behind the first `before` at the port, and enters it among the accesses in flight.
 * Gives the number of transactions. */
static ALWAYS_INLINE int enter_access(struct sm_port *sm_port, struct cache_port *port, uint64_t now,
                                      const struct mem_access *a, int before, uint32_t *index)
{
    bool wants_parts = a->kind == MEM_STORE || a->kind == MEM_ATOMIC || sm_port->config->sector_bytes;
    int count = coalesce(a, port->line_shift, unit_shift(sm_port, port, a), wants_parts, port->transaction + before);
    if (count <= 0 || before + count > COALESCE_MAX)
        panic("an access of %d lanes of %u bytes makes %d transactions", a->count, a->bytes, count);
    *index = inflight_take(&sm_port->inflight);
    sm_port->inflight.access[*index] = (struct inflight_access){
        .lanes = a->count >= 64 ? UINT64_MAX : (UINT64_C(1) << a->count) - 1,
        .issued = now,
        .ready = now,
        .stats = port->stats,
        .ticket = a->ticket,
        .left = (uint32_t)count,
        .wants_reply = a->wants_reply,
        .wants_parts = a->wants_parts && a->kind != MEM_STORE,
        .all_hit = true,
    };
    port->stats->issued++;
    port->stats->transactions += (uint64_t)count;
    return count;
}

/* The port's transactions are looked up from now on. */
static ALWAYS_INLINE void begin_lookups(struct sm_port *sm_port, struct cache_port *port, int count, uint64_t now)
{
    port->count = count;
    port->stall = MEM_NO_STALL;
    port->absent = CACHE_EMPTY;
    sm_port->active |= 1u << port->index;
    if (port->is_banked) {
        banked_order(port);
        banked_begin(sm_port, port, now);
    } else {
        lookup_run_from(sm_port, port, 0, now, now);
    }
    limit_reach(sm_port, now);
    plan_next(sm_port);
}

bool sm_port_issue(struct sm_port *sm_port, uint64_t now, const struct mem_access *a, int *transactions)
{
    enum mem_port which = mem_port_of(a->kind);
    struct cache_port *port = &sm_port->port[which];
    uint32_t index;
    if (sm_port->free[which] > now)
        return false;
    int count = enter_access(sm_port, port, now, a, 0, &index);
    port->route = route_of(sm_port, port, a);
    port->is_atomic = a->kind == MEM_ATOMIC;
    port->access = index;
    begin_lookups(sm_port, port, count, now);
    if (transactions)
        *transactions = count;
    return true;
}

bool sm_port_issue_together(struct sm_port *sm_port, uint64_t now, const struct mem_access *const *access, int count,
                            int *transactions)
{
    enum mem_port which = mem_port_of(access[0]->kind);
    struct cache_port *port = &sm_port->port[which];
    int entered = 0;
    if (sm_port->free[which] > now)
        return false;
    for (int i = 0; i < count; i++) {
        const struct mem_access *a = access[i];
        if (mem_port_of(a->kind) != which || i == MEM_MAX_PARTS)
            panic("%d accesses of several kinds are no single access", count);
        uint32_t index;
        transactions[i] = enter_access(sm_port, port, now, a, entered, &index);
        for (int k = 0; k < transactions[i]; k++)
            port->transaction[entered++].part = (uint8_t)i;
        port->part[i] = (struct cache_port_part){route_of(sm_port, port, a), index, a->kind == MEM_ATOMIC};
    }
    port->joined += (uint64_t)(count - 1);
    port->route = CACHE_PORT_TOGETHER;
    begin_lookups(sm_port, port, entered, now);
    return true;
}
