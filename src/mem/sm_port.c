/* Multiprocessors' ports: see front.h. */
#include "mem/sm_port.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/inline.h"

#include <stdlib.h>

#define NO_ACCESS UINT32_MAX
#define ONLY_DATA (1u << PORT_DATA)

static void open_port(struct sm_port *f, int i, struct mem_counters *stats)
{
    const struct mem_config *config = f->config;
    struct cache_port *p = &f->port[i];
    uint32_t sector = config->sector_bytes ? config->sector_bytes : config->port[i].line_bytes;
    p->config = &config->port[i];
    p->stats = &stats->port[i];
    p->line_shift = (unsigned)__builtin_ctz(p->config->line_bytes);
    p->sector_shift = (unsigned)__builtin_ctz(sector);
    p->sectors = p->config->line_bytes / sector;
    p->latency_cycles = p->config->latency_cycles;
    p->index = (uint8_t)i;
    p->is_whole = !config->sector_bytes;
    p->absent = CACHE_EMPTY;
    p->read = (struct packet){.bytes = (uint16_t)p->config->line_bytes,
                              .sm = (uint16_t)f->sm,
                              .kind = PACKET_READ,
                              .port = p->index,
                              .sectors = 1,
                              .wants_reply = true};
    p->stall_cycles[MEM_NO_MSHR] = &p->stats->mshr_stall_cycles;
    p->stall_cycles[MEM_NO_MERGE] = &p->stats->merge_stall_cycles;
    p->stall_cycles[MEM_NO_MISS_QUEUE] = &p->stats->miss_queue_stall_cycles;
    p->stall_cycles[MEM_NO_WRITE_QUEUE] = &p->stats->write_queue_stall_cycles;
    cache_open(&p->cache, p->config->bytes, p->config->line_bytes, p->config->ways);
    mshr_open(&p->mshr, p->config->mshrs, p->config->merges);
    p->target = xcalloc(p->mshr.nodes, sizeof *p->target);
    p->transaction = xcalloc(COALESCE_MAX, sizeof *p->transaction);
}

static void grow_accesses(struct sm_port *f)
{
    uint32_t old = f->access_capacity, size = old ? 2 * old : 64;
    f->access = xrealloc(f->access, sizeof *f->access * size);
    for (uint32_t i = old; i < size; i++)
        f->access[i].next_free = i + 1 < size ? i + 1 : NO_ACCESS;
    f->free_access = old;
    f->access_capacity = size;
}

static void open_queue(struct sm_port_queue *q, uint32_t most)
{
    uint32_t size = 4;
    while (size < most)
        size *= 2;
    *q = (struct sm_port_queue){.at = xcalloc(size, sizeof *q->at), .mask = size - 1, .most = most};
}

void sm_port_open(struct sm_port *f, const struct mem_config *config, struct mem_counters *stats, struct crossbar *x,
                  struct mem_times *times, uint32_t sm)
{
    *times = (struct mem_times){.next = CLOCK_NEVER, .reply = CLOCK_NEVER};
    *f = (struct sm_port){.config = config, .crossbar = x, .sm = sm, .times = times, .free_access = NO_ACCESS};
    f->to_crossbar = clock_make_ratio(config->core_mhz, config->crossbar_mhz);
    f->from_crossbar = clock_make_ratio(config->crossbar_mhz, config->core_mhz);
    f->interleave_shift = (unsigned)__builtin_ctz(config->interleave_bytes);
    f->by_channels = divider_make(config->channels);
    for (int i = 0; i < PORT_COUNT; i++)
        open_port(f, i, stats);
    open_queue(&f->reads, config->miss_queue);
    open_queue(&f->writes, config->write_queue);
    ring_open(&f->queue, config->miss_queue + config->write_queue);
    ring_open(&f->arrival, 64);
    f->outbound = &x->flight[sm];
    f->places = f->places_until = config->crossbar_queue;
    for (uint32_t i = 0; i <= f->outbound->mask; i++)
        f->outbound->at[i].time = 0; /* free from the beginning */
    replies_open(&f->replies);
    grow_accesses(f);
}

void sm_port_close(struct sm_port *f)
{
    for (int i = 0; i < PORT_COUNT; i++) {
        cache_close(&f->port[i].cache);
        mshr_close(&f->port[i].mshr);
        free(f->port[i].target);
        free(f->port[i].transaction);
    }
    ring_close(&f->queue);
    free(f->reads.at);
    free(f->writes.at);
    ring_close(&f->arrival);
    free(f->access);
    replies_close(&f->replies);
}

/* Reads alone bring lines in: without one since the last time there is nothing to throw out. */
void sm_port_flush(struct sm_port *f)
{
    if (f->flushed == f->reads.entered)
        return;
    f->flushed = f->reads.entered;
    for (int i = 0; i < PORT_COUNT; i++)
        cache_clear(&f->port[i].cache);
}

/* ---- replies ---- */

static void push_reply(struct sm_port *f, const struct mem_reply *reply)
{
    replies_push(&f->replies, reply);
    f->times->reply = replies_first_cycle(&f->replies);
}

static void end_access(struct sm_port *f, struct sm_port_access *a, uint32_t index)
{
    struct port_stats *stats = f->port[a->port].stats;
    uint64_t took = a->ready - a->issued;
    if (a->wants_reply) {
        stats->replies++;
        stats->latency_cycles += took;
        stats->longest_cycles = clock_later(stats->longest_cycles, took);
    }
    a->next_free = f->free_access;
    f->free_access = index;
}

/* The part makes a reply, or ends the access. */
static void __attribute__((noinline))
reply_part(struct sm_port *f, uint32_t index, uint64_t lanes, uint64_t cycle, bool is_hit)
{
    struct sm_port_access *a = &f->access[index];
    bool is_last = a->left == 0;
    /* The last reply must not be overtaken: it waits for parts that are known but not yet due. */
    if (a->wants_reply)
        push_reply(f, &(struct mem_reply){.ticket = a->ticket,
                                          .cycle = is_last ? a->ready : cycle,
                                          .lanes = a->wants_parts ? lanes : a->lanes,
                                          .is_last = is_last,
                                          .is_hit = a->wants_parts ? is_hit : a->all_hit});
    if (is_last)
        end_access(f, a, index);
}

/* A part of the access will be ready at the cycle. */
static inline void finish_part(struct sm_port *f, uint32_t index, uint64_t lanes, uint64_t cycle, bool is_hit)
{
    struct sm_port_access *a = &f->access[index];
    a->left--;
    a->ready = clock_later(a->ready, cycle);
    a->all_hit &= is_hit;
    if (!a->left || a->wants_parts)
        reply_part(f, index, lanes, cycle, is_hit);
}

/* ---- to the crossbar ---- */

/* The packet at the end of the crossbar's ring, the first of the queue without a time to leave, may leave from
 * the cycle on; it does when the link is free and there is a place for it. There is one, as far as is known. */
static inline void depart(struct sm_port *f, struct sm_port_queue *q, uint64_t ready, uint32_t data_bytes)
{
    const struct ring *r = f->outbound;
    uint64_t place = r->at[(f->sent++ - f->places) & r->mask].time; /* of the packet that had it before */
    uint64_t k = clock_first_from(&f->to_crossbar, clock_later(ready, place));
    k = clock_later(k, f->link_free);
    f->link_free = k + crossbar_send_request(f->crossbar, k, f->sm);
    struct sm_port_departure *d = &q->at[q->departed++ & q->mask];
    d->left = clock_first_from(&f->from_crossbar, k);
    d->data_bytes = (uint16_t)data_bytes;
    d->waited = place > ready;
    q->data_bytes += data_bytes;
    q->waited += d->waited;
}

/* From which cycle on the queue has a place for one more. */
static inline uint64_t queue_free(const struct sm_port_queue *q)
{
    return q->at[(q->entered - q->most) & q->mask].left;
}

/* How many packets of those that have their time to leave are still in the queue at the cycle, and their data. */
static struct sm_port_queue queue_at(const struct sm_port_queue *q, uint64_t cycle)
{
    struct sm_port_queue rest = {0};
    for (uint64_t i = q->departed; i > 0 && q->departed - i < q->most; i--) {
        const struct sm_port_departure *d = &q->at[(i - 1) & q->mask];
        bool waits = d->left > cycle;
        rest.departed += waits;
        rest.data_bytes += waits ? d->data_bytes : 0;
        rest.waited += waits & d->waited;
    }
    return rest;
}

void sm_port_count_requests(const struct sm_port *f, uint64_t cycle, struct crossbar_stats *stats)
{
    const struct sm_port_queue *const queues[] = {&f->reads, &f->writes};
    for (int i = 0; i < 2; i++) {
        struct sm_port_queue rest = queue_at(queues[i], cycle);
        uint64_t count = queues[i]->departed - rest.departed;
        stats->requests += count;
        stats->request_bytes += count * f->config->packet_bytes + queues[i]->data_bytes - rest.data_bytes;
        stats->queue_full += queues[i]->waited - rest.waited;
    }
}

uint32_t sm_port_waiting(const struct sm_port *f, uint64_t cycle)
{
    return (uint32_t)(queue_at(&f->reads, cycle).departed + queue_at(&f->writes, cycle).departed);
}

/* Packets have places in the crossbar by turns: this one has that of the one `places` before it, if the cycle is known
 * at which that is free. */
static inline bool has_place(const struct sm_port *f)
{
    return f->sent != f->places_until;
}

/* A new packet for the line, like those that read it whole: it is written where it stays, in the crossbar if
 * it has a place there. */
static inline struct packet *new_packet(struct sm_port *f, const struct cache_port *port, uint64_t line, uint32_t token)
{
    uint64_t address = line << port->line_shift;
    uint64_t chunk = address >> f->interleave_shift;
    uint64_t of_slice = divide(f->by_channels, chunk);
    struct packet *p = &ring_end(has_place(f) ? f->outbound : &f->queue)->packet;
    *p = port->read;
    p->token = token;
    p->slice = (uint16_t)(chunk - of_slice * f->by_channels.by);
    p->address = address - ((chunk - of_slice) << f->interleave_shift);
    return p;
}

/* The sectors of this cache's line that the packet is about, as sectors of the L2's. */
static void set_sectors(const struct sm_port *f, const struct cache_port *port, struct packet *p, unsigned sectors)
{
    p->sectors = (uint8_t)(sectors << ((p->address & (f->config->l2_line_bytes - 1)) >> port->sector_shift));
}

/* The new packet leaves from the next cycle on. */
static inline void enqueue(struct sm_port *f, struct sm_port_queue *q, uint64_t cycle, uint32_t data_bytes)
{
    uint64_t number = q->entered++;
    if (has_place(f)) { /* then none waits for one */
        depart(f, q, cycle + 1, data_bytes);
    } else {
        q->at[number & q->mask].left = CLOCK_NEVER;
        ring_end(&f->queue)->time = cycle + 1;
        f->queue.count++;
    }
}

/* ---- lookups ---- */

/* The sectors that the touched parts of the line lie in. */
static unsigned touched_sectors(const struct cache_port *port, uint32_t touched)
{
    if (port->is_whole)
        return 1;
    unsigned sectors = 0, parts = 32 / port->sectors;
    for (unsigned i = 0; i < port->sectors; i++)
        if (touched >> (i * parts) & (UINT32_MAX >> (32 - parts)))
            sectors |= 1u << i;
    return sectors;
}

static inline uint16_t touched_bytes(const struct cache_port *port, uint32_t touched)
{
    unsigned parts = touched == UINT32_MAX ? 32 : (unsigned)__builtin_popcount(touched);
    return (uint16_t)(parts << port->line_shift >> 5);
}

/* A read of a whole line that is neither in the cache nor asked for: asks the L2, in a miss register of its own. */
static __attribute__((noinline)) enum mem_stall ask_line(struct sm_port *f, struct cache_port *port,
                                                         const struct transaction *t, uint64_t cycle)
{
    if (mshr_is_full(&port->mshr))
        return MEM_NO_MSHR;
    if (queue_free(&f->reads) > cycle)
        return MEM_NO_MISS_QUEUE;
    int32_t entry = mshr_take(&port->mshr, t->line, 1, false);
    port->target[entry] = (struct sm_port_target){t->lanes, port->access};
    port->stats->misses++;
    new_packet(f, port, t->line, (uint32_t)entry);
    enqueue(f, &f->reads, cycle, 0);
    return MEM_NO_STALL;
}

/* Asks the L2 for sectors of the line, in a miss register of its own. */
static enum mem_stall ask(struct sm_port *f, struct cache_port *port, const struct transaction *t, unsigned sectors,
                          bool is_private, uint64_t cycle)
{
    bool is_atomic = is_private && port->is_atomic;
    if (mshr_is_full(&port->mshr))
        return MEM_NO_MSHR;
    struct sm_port_queue *q = is_atomic ? &f->writes : &f->reads;
    if (queue_free(q) > cycle)
        return is_atomic ? MEM_NO_WRITE_QUEUE : MEM_NO_MISS_QUEUE;
    int32_t entry = mshr_take(&port->mshr, t->line, sectors, is_private);
    port->target[entry] = (struct sm_port_target){t->lanes, port->access};
    struct packet *p = new_packet(f, port, t->line, (uint32_t)entry);
    if (!port->is_whole) {
        set_sectors(f, port, p, sectors);
        p->bytes = (uint16_t)(packet_sectors(sectors) << port->sector_shift);
    }
    if (is_atomic) {
        p->kind = PACKET_ATOMIC;
        p->bytes = touched_bytes(port, t->touched);
        p->passes = (uint8_t)t->passes;
    }
    enqueue(f, q, cycle, crossbar_request_data(p));
    return MEM_NO_STALL;
}

/* Joins the miss register. */
static __attribute__((noinline)) enum mem_stall merge(struct cache_port *port, const struct transaction *t,
                                                      int32_t entry)
{
    int32_t node = mshr_add(&port->mshr, entry);
    if (node < 0)
        return MEM_NO_MERGE;
    port->target[node] = (struct sm_port_target){t->lanes, port->access};
    port->stats->merges++;
    port->stats->misses++;
    return MEM_NO_STALL;
}

static inline void finish_hit(struct sm_port *f, struct cache_port *port, const struct transaction *t, uint64_t cycle)
{
    port->stats->hits++;
    finish_part(f, port->access, t->lanes, cycle + port->latency_cycles, true);
}

/* A read, where lines are fetched whole. */
static ALWAYS_INLINE enum mem_stall look_up_line(struct sm_port *f, struct cache_port *port,
                                                 const struct transaction *t, uint64_t cycle)
{
    if (cache_find_to_use(&port->cache, t->line) != CACHE_NOWHERE) {
        finish_hit(f, port, t, cycle);
        return MEM_NO_STALL;
    }
    int32_t entry = mshr_find(&port->mshr, t->line, 1);
    if (entry >= 0)
        return merge(port, t, entry);
    enum mem_stall stall = mshr_is_full(&port->mshr) ? MEM_NO_MSHR : ask_line(f, port, t, cycle);
    if (stall)
        port->absent = t->line;
    return stall;
}

/* A read, where they are fetched in sectors. */
static enum mem_stall look_up_sectors(struct sm_port *f, struct cache_port *port, const struct transaction *t,
                                      uint64_t cycle)
{
    unsigned missing = touched_sectors(port, t->touched) & ~cache_use(&port->cache, t->line);
    if (!missing) {
        finish_hit(f, port, t, cycle);
        return MEM_NO_STALL;
    }
    int32_t entry = mshr_find(&port->mshr, t->line, missing);
    if (entry >= 0)
        return merge(port, t, entry);
    enum mem_stall stall = ask(f, port, t, missing, false, cycle);
    port->stats->misses += !stall;
    return stall;
}

static void drop_line(struct cache_port *port, uint64_t line)
{
    int64_t place = cache_find(&port->cache, line);
    if (place != CACHE_NOWHERE)
        cache_drop(&port->cache, place);
}

static enum mem_stall look_up_store(struct sm_port *f, struct cache_port *port, const struct transaction *t,
                                    uint64_t cycle)
{
    if (queue_free(&f->writes) > cycle)
        return MEM_NO_WRITE_QUEUE;
    int64_t place = cache_find_to_use(&port->cache, t->line);
    port->stats->stores++;
    port->stats->store_hits += place != CACHE_NOWHERE;
    if (place != CACHE_NOWHERE && f->config->l1d_store == STORE_EVICT)
        cache_drop(&port->cache, place);
    bool wants_reply = f->access[port->access].wants_reply;
    struct packet *p = new_packet(f, port, t->line, port->access);
    if (!port->is_whole)
        set_sectors(f, port, p, touched_sectors(port, t->touched));
    p->bytes = touched_bytes(port, t->touched);
    p->kind = PACKET_WRITE;
    p->wants_reply = wants_reply;
    enqueue(f, &f->writes, cycle, p->bytes);
    if (!wants_reply)
        finish_part(f, port->access, t->lanes, cycle, false);
    return MEM_NO_STALL;
}

static enum mem_stall look_up_private(struct sm_port *f, struct cache_port *port, const struct transaction *t,
                                      uint64_t cycle)
{
    enum mem_stall stall = ask(f, port, t, touched_sectors(port, t->touched), true, cycle);
    if (stall)
        return stall;
    port->stats->atomics += port->is_atomic;
    port->stats->bypasses += !port->is_atomic;
    if (port->is_atomic)
        drop_line(port, t->line);
    return MEM_NO_STALL;
}

/* Of all but reads of whole lines. */
static __attribute__((noinline)) enum mem_stall look_up_other(struct sm_port *f, struct cache_port *port,
                                                              const struct transaction *t, uint64_t cycle)
{
    return port->route == SM_PORT_WRITE ? look_up_store(f, port, t, cycle)
           : port->route == SM_PORT_ASK ? look_up_private(f, port, t, cycle)
                                        : look_up_sectors(f, port, t, cycle);
}

/* Of one that was stalled. */
static __attribute__((noinline)) enum mem_stall look_up_again(struct sm_port *f, struct cache_port *port,
                                                              const struct transaction *t, uint64_t cycle)
{
    return port->route != SM_PORT_LOOK_UP ? look_up_other(f, port, t, cycle) : look_up_line(f, port, t, cycle);
}

/* What the transaction at the port waits for has not come: it need not be looked at. */
static inline bool lacks_still(const struct sm_port *f, const struct cache_port *port, uint64_t cycle)
{
    return port->stall == MEM_NO_MSHR          ? mshr_is_full(&port->mshr)
           : port->stall == MEM_NO_MISS_QUEUE  ? queue_free(&f->reads) > cycle
           : port->stall == MEM_NO_WRITE_QUEUE ? queue_free(&f->writes) > cycle
                                               : false;
}

/* The transaction that the port is stalled at, after something happened. False: it waits on. */
static inline bool resume(struct sm_port *f, struct cache_port *port, uint64_t cycle)
{
    if (lacks_still(f, port, cycle))
        return false;
    const struct transaction *t = &port->transaction[port->at];
    enum mem_stall stall = port->absent == t->line ? ask_line(f, port, t, cycle) : look_up_again(f, port, t, cycle);
    if (stall == port->stall)
        return false;
    *port->stall_cycles[port->stall] += cycle - port->stalled_since;
    port->stall = stall;
    port->stalled_since = cycle;
    if (stall)
        return false;
    port->absent = CACHE_EMPTY;
    return true;
}

/* The transactions at the port from `at` on, one a cycle, up to cycle `last`. */
static ALWAYS_INLINE void run_lookups(struct sm_port *f, struct cache_port *port, int at, uint64_t cycle, uint64_t last)
{
    const int count = port->count;
    uint64_t stalled = 0;
    last = clock_earlier(last, cycle + port->latency_cycles - 1); /* no hit is ready before this run ends */
    for (; at < count && cycle <= last; at++, cycle++) {
        const struct transaction *t = &port->transaction[at];
        enum mem_stall stall =
            port->route == SM_PORT_LOOK_UP ? look_up_line(f, port, t, cycle) : look_up_other(f, port, t, cycle);
        if (stall) {
            port->stall = stall;
            port->stalled_since = cycle;
            stalled = SM_PORT_STALLED - cycle;
            break;
        }
    }
    port->at = at;
    port->next = cycle;
    f->free[port->index] = cycle + stalled + (uint64_t)(count - at);
    if (at == count)
        f->active &= ~(1u << port->index);
}

/* The port's next transaction, at its cycle or, if it was stalled, whenever something happened; and those
 * behind it. */
static ALWAYS_INLINE void run_port(struct sm_port *f, struct cache_port *port, uint64_t cycle, uint64_t last)
{
    if (!port->stall && port->next <= cycle)
        run_lookups(f, port, port->at, cycle, last);
    else if (port->stall && resume(f, port, cycle))
        run_lookups(f, port, port->at + 1, cycle + 1, last);
}

/* ---- from the crossbar ---- */

/* Nothing but what this register brings can have put a whole line into the cache. */
static inline void fill_cache(struct cache_port *port, const struct mshr_entry *entry)
{
    uint64_t victim;
    unsigned victim_dirty;
    if (!port->is_whole)
        cache_fill(&port->cache, entry->line, entry->sectors, false, &victim, &victim_dirty);
    else if (port->cache.sets)
        cache_replace(&port->cache, cache_oldest(&port->cache, cache_set(&port->cache, entry->line)), entry->line, 1);
}

/* The line that the miss register waits for is there. */
static __attribute__((noinline)) void take_line(struct sm_port *f, struct cache_port *port, int32_t e, uint64_t cycle)
{
    const struct mshr_entry *entry = &port->mshr.entry[e];
    if (!entry->is_private)
        fill_cache(port, entry);
    if (port->absent == entry->line)
        port->absent = CACHE_EMPTY;
    for (int32_t n = e;; n = port->mshr.next[n]) {
        finish_part(f, port->target[n].access, port->target[n].lanes, cycle, false);
        if (n == entry->last)
            break;
    }
    mshr_release(&port->mshr, e);
}

/* When the port goes on, as far as is known. */
static inline uint64_t goes_on(const struct sm_port *f, const struct cache_port *port)
{
    return !port->stall                        ? port->next
           : port->stall == MEM_NO_MISS_QUEUE  ? queue_free(&f->reads)
           : port->stall == MEM_NO_WRITE_QUEUE ? queue_free(&f->writes)
                                               : ring_head(&f->arrival)->time;
}

void sm_port_receive(struct sm_port *f, uint64_t cycle, const struct packet *p)
{
    if (f->arrival.count >= f->arrival.mask)
        ring_grow(&f->arrival);
    ring_push_within(&f->arrival, cycle, p);
    ring_mark_end(&f->arrival);
    f->times->next = clock_earlier(f->times->next, cycle);
}

/* All that arrives by the cycle. */
static ALWAYS_INLINE void take_arrivals(struct sm_port *f, uint64_t cycle)
{
    while (ring_head(&f->arrival)->time <= cycle) {
        const struct packet *p = &ring_head(&f->arrival)->packet;
        if (p->kind == PACKET_WRITE)
            finish_part(f, p->token, f->access[p->token].lanes, cycle, false);
        else
            take_line(f, &f->port[p->port], (int32_t)p->token, cycle);
        ring_pop(&f->arrival);
    }
}

/* ---- time ---- */

static ALWAYS_INLINE void plan_next(struct sm_port *f)
{
    uint64_t next = ring_head(&f->arrival)->time;
    if (f->active == ONLY_DATA)
        next = clock_earlier(next, goes_on(f, &f->port[PORT_DATA]));
    else
        for (unsigned left = f->active; left; left &= left - 1)
            next = clock_earlier(next, goes_on(f, &f->port[__builtin_ctz(left)]));
    f->times->next = next;
}

void sm_port_give_place(struct sm_port *f)
{
    const struct flight *first = ring_head(&f->queue);
    struct packet *p = &ring_end(f->outbound)->packet;
    *p = first->packet;
    depart(f, p->kind == PACKET_READ ? &f->reads : &f->writes, first->time, crossbar_request_data(p));
    ring_pop(&f->queue);
    plan_next(f);
}

static __attribute__((noinline)) void run_ports(struct sm_port *f, uint64_t cycle, uint64_t last)
{
    if (f->active & (f->active - 1))
        last = cycle;
    for (unsigned left = f->active; left; left &= left - 1)
        run_port(f, &f->port[__builtin_ctz(left)], cycle, last);
}

/* What happens at cycle `next` of the times, and then lookups of the port that need no look at anything else: no
 * further than cycle `last`, nor than the next reply, since what is issued on that may go to another port. */
static ALWAYS_INLINE void step(struct sm_port *f, uint64_t last)
{
    uint64_t cycle = f->times->next;
    take_arrivals(f, cycle);
    last = clock_earlier(last, ring_head(&f->arrival)->time - 1);
    last = clock_earlier(last, clock_later(f->times->reply, cycle));
    if (f->active == ONLY_DATA)
        run_port(f, &f->port[PORT_DATA], cycle, last);
    else if (f->active)
        run_ports(f, cycle, last);
    plan_next(f);
}

uint64_t sm_port_run_on(struct sm_port *f, bool replies, unsigned ports, uint64_t until)
{
    uint64_t wakeup;
    do {
        step(f, until);
        wakeup = sm_port_known_wakeup(f, replies, ports);
    } while (f->times->next <= until && f->times->next < wakeup);
    return wakeup;
}

static uint32_t take_access(struct sm_port *f)
{
    if (f->free_access == NO_ACCESS)
        grow_accesses(f);
    uint32_t index = f->free_access;
    f->free_access = f->access[index].next_free;
    return index;
}

static unsigned unit_shift(const struct sm_port *f, const struct cache_port *port, const struct mem_access *a)
{
    if (a->kind != MEM_CONSTANT)
        return port->line_shift;
    uint32_t unit = f->config->constant_width_bytes;
    while (unit < a->bytes && unit < port->config->line_bytes)
        unit *= 2;
    return (unsigned)__builtin_ctz(unit);
}

bool sm_port_issue(struct sm_port *f, uint64_t now, const struct mem_access *a, int *transactions)
{
    enum mem_port which = mem_port_of(a->kind);
    struct cache_port *port = &f->port[which];
    if (f->free[which] > now)
        return false;
    bool wants_parts = a->kind == MEM_STORE || a->kind == MEM_ATOMIC || f->config->sector_bytes;
    int count = coalesce(a, port->line_shift, unit_shift(f, port, a), wants_parts, port->transaction);
    if (count <= 0)
        panic("an access of %d lanes of %u bytes makes %d transactions", a->count, a->bytes, count);
    uint32_t index = take_access(f);
    f->access[index] = (struct sm_port_access){
        .lanes = a->count >= 64 ? UINT64_MAX : (UINT64_C(1) << a->count) - 1,
        .issued = now,
        .ready = now,
        .ticket = a->ticket,
        .left = (uint32_t)count,
        .port = (uint8_t)which,
        .wants_reply = a->wants_reply,
        .wants_parts = a->wants_parts && a->kind != MEM_STORE,
        .all_hit = true,
    };
    port->route = a->kind == MEM_STORE                                           ? SM_PORT_WRITE
                  : a->kind == MEM_ATOMIC || a->bypasses_l1 || !port->cache.sets ? SM_PORT_ASK
                  : f->config->sector_bytes                                      ? SM_PORT_LOOK_UP_SECTORS
                                                                                 : SM_PORT_LOOK_UP;
    port->is_atomic = a->kind == MEM_ATOMIC;
    port->access = index;
    port->count = count;
    port->stall = MEM_NO_STALL;
    port->absent = CACHE_EMPTY;
    port->stats->issued++;
    port->stats->transactions += (uint64_t)count;
    f->active |= 1u << which;
    run_lookups(f, port, 0, now, now);
    plan_next(f);
    if (transactions)
        *transactions = count;
    return true;
}
