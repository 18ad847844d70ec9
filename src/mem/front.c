/* Multiprocessors' ports: see front.h. */
#include "mem/front.h"

#include "base/arena.h"
#include "base/diag.h"

#include <stdlib.h>

#define NO_ACCESS UINT32_MAX
#define ONLY_DATA (1u << PORT_DATA)
/* Of what lies on the one way that nearly every transaction takes: a call would cost a tenth of it. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

static void open_port(struct front *f, int i, struct mem_counters *stats)
{
    const struct mem_config *config = f->config;
    struct front_port *p = &f->port[i];
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
    p->stall_cycles[MEM_NO_STALL] = p->stall_cycles[MEM_BUSY] = &p->going_cycles;
    p->stall_cycles[MEM_NO_MSHR] = &p->stats->mshr_stall_cycles;
    p->stall_cycles[MEM_NO_MERGE] = &p->stats->merge_stall_cycles;
    p->stall_cycles[MEM_NO_MISS_QUEUE] = &p->stats->miss_queue_stall_cycles;
    p->stall_cycles[MEM_NO_WRITE_QUEUE] = &p->stats->write_queue_stall_cycles;
    cache_open(&p->cache, p->config->bytes, p->config->line_bytes, p->config->ways);
    mshr_open(&p->mshr, p->config->mshrs, p->config->merges);
    p->target = xcalloc(p->mshr.nodes, sizeof *p->target);
    p->transaction = xcalloc(COALESCE_MAX, sizeof *p->transaction);
}

static void grow_accesses(struct front *f)
{
    uint32_t old = f->access_capacity, size = old ? 2 * old : 64;
    f->access = xrealloc(f->access, sizeof *f->access * size);
    for (uint32_t i = old; i < size; i++)
        f->access[i].next_free = i + 1 < size ? i + 1 : NO_ACCESS;
    f->free_access = old;
    f->access_capacity = size;
}

void front_open(struct front *f, const struct mem_config *config, struct mem_counters *stats,
                struct crossbar *x, struct front_times *times, uint32_t sm)
{
    *times = (struct front_times){.next = CLOCK_NEVER, .reply = CLOCK_NEVER, .may_reply = CLOCK_NEVER};
    *f = (struct front){.config = config,
                        .crossbar = x,
                        .sm = sm,
                        .times = times,
                        .first_completion = CLOCK_NEVER,
                        .free_access = NO_ACCESS};
    f->to_crossbar = clock_make_ratio(config->core_mhz, config->crossbar_mhz);
    f->from_crossbar = clock_make_ratio(config->crossbar_mhz, config->core_mhz);
    f->interleave_shift = (unsigned)__builtin_ctz(config->interleave_bytes);
    f->by_channels = divider_make(config->channels);
    for (int i = 0; i < PORT_COUNT; i++)
        open_port(f, i, stats);
    uint32_t departures = 4;
    while (departures < config->miss_queue + config->write_queue)
        departures *= 2;
    f->departure = xcalloc(departures, sizeof *f->departure);
    f->departure_mask = departures - 1;
    ring_open(&f->queue, config->miss_queue + config->write_queue);
    ring_open(&f->arrival, 64);
    uint32_t places = 1;
    while (places < config->crossbar_queue)
        places *= 2;
    f->place_free = xcalloc(places, sizeof *f->place_free); /* free from cycle 0 on */
    f->place_mask = places - 1;
    f->place_count = config->crossbar_queue;
    replies_open(&f->replies);
    grow_accesses(f);
}

void front_close(struct front *f)
{
    for (int i = 0; i < PORT_COUNT; i++) {
        cache_close(&f->port[i].cache);
        mshr_close(&f->port[i].mshr);
        free(f->port[i].target);
        free(f->port[i].transaction);
    }
    ring_close(&f->queue);
    free(f->departure);
    ring_close(&f->arrival);
    free(f->place_free);
    free(f->access);
    replies_close(&f->replies);
}

/* ---- replies ---- */

static void push_reply(struct front *f, const struct mem_reply *reply)
{
    replies_push(&f->replies, reply);
    f->times->reply = replies_first_cycle(&f->replies);
}

static void end_access(struct front *f, struct front_access *a, uint32_t index)
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
reply_part(struct front *f, uint32_t index, uint64_t lanes, uint64_t cycle, bool is_hit)
{
    struct front_access *a = &f->access[index];
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
static inline void finish_part(struct front *f, uint32_t index, uint64_t lanes, uint64_t cycle, bool is_hit)
{
    struct front_access *a = &f->access[index];
    a->left--;
    a->ready = clock_later(a->ready, cycle);
    a->all_hit &= is_hit;
    if (!a->left || a->wants_parts)
        reply_part(f, index, lanes, cycle, is_hit);
}

/* The same, of a part that was found: if all others are under way, the last of them makes a reply, and that
 * was not known when it set out. */
static inline void finish_hit(struct front *f, uint32_t index, uint64_t lanes, uint64_t cycle)
{
    const struct front_access *a = &f->access[index];
    finish_part(f, index, lanes, cycle, true);
    f->is_unsure |= a->left && a->left == a->coming;
}

/* ---- to the crossbar ---- */

/* The packet at crossbar_next_packet() may leave from the cycle on; it does when the link is free and there
 * is a place for it. There is one, as far as is known. */
static ALWAYS_INLINE void depart(struct front *f, uint64_t ready, const struct packet *p)
{
    uint64_t place = f->place_free[f->place_head];
    f->place_head = (f->place_head + 1) & f->place_mask;
    f->place_count--;
    uint64_t k = clock_first_from(&f->to_crossbar, clock_later(ready, place));
    k = clock_later(k, f->link_free);
    f->link_free = k + crossbar_send_request(f->crossbar, k, f->sm);
    struct front_departure *d = &f->departure[(f->departure_head + f->departure_count++) & f->departure_mask];
    d->k = k;
    d->data_bytes = (uint16_t)crossbar_request_data(p);
    d->is_read = p->kind == PACKET_READ;
    d->waited = place > ready;
}

/* Packets that have left by the cycle are no longer in the queue. Done when somebody wants to know: a lookup
 * that finds the queue full, or whoever looks at counters. */
void front_count_departures(struct front *f, uint64_t cycle)
{
    struct crossbar_stats *stats = f->crossbar->stats;
    uint64_t k = clock_last_until(&f->to_crossbar, cycle);
    uint32_t head = f->departure_head, left = f->departure_count, bytes = 0, reads = 0;
    for (const struct front_departure *d; left && (d = &f->departure[head])->k <= k; left--) {
        bytes += d->data_bytes;
        reads += d->is_read;
        stats->queue_full += d->waited;
        head = (head + 1) & f->departure_mask;
    }
    uint32_t count = f->departure_count - left;
    f->reads_queued -= reads;
    f->writes_queued -= count - reads;
    stats->requests += count;
    stats->request_bytes += (uint64_t)count * f->config->packet_bytes + bytes;
    f->departure_head = head;
    f->departure_count = left;
}

/* When the first packet leaves that was not counted; the queue was found full, so all others were. */
static uint64_t next_departure(const struct front *f)
{
    return f->departure_count ? clock_first_from(&f->from_crossbar, f->departure[f->departure_head].k)
                              : CLOCK_NEVER;
}

static bool is_read_queue_full(struct front *f, uint64_t cycle)
{
    if (f->reads_queued < f->config->miss_queue)
        return false;
    front_count_departures(f, cycle);
    return f->reads_queued >= f->config->miss_queue;
}

static bool is_write_queue_full(struct front *f, uint64_t cycle)
{
    if (f->writes_queued < f->config->write_queue)
        return false;
    front_count_departures(f, cycle);
    return f->writes_queued >= f->config->write_queue;
}

/* A new packet for the line, like those that read it whole: it is written where it stays, in the crossbar if
 * it has a place there. */
static ALWAYS_INLINE struct packet *new_packet(struct front *f, const struct front_port *port, uint64_t line,
                                               uint32_t token)
{
    uint64_t address = line << port->line_shift;
    uint64_t chunk = address >> f->interleave_shift;
    uint64_t of_slice = divide(f->by_channels, chunk);
    struct packet *p =
        f->place_count ? crossbar_next_packet(f->crossbar, f->sm) : &ring_end(&f->queue)->packet;
    *p = port->read;
    p->token = token;
    p->slice = (uint16_t)(chunk - of_slice * f->by_channels.by);
    p->address = address - ((chunk - of_slice) << f->interleave_shift);
    return p;
}

/* The sectors of this cache's line that the packet is about, as sectors of the L2's. */
static void set_sectors(const struct front *f, const struct front_port *port, struct packet *p,
                        unsigned sectors)
{
    p->sectors = (uint8_t)(sectors << ((p->address & (f->config->l2_line_bytes - 1)) >> port->sector_shift));
}

/* The new packet leaves from the next cycle on. */
static ALWAYS_INLINE void enqueue(struct front *f, uint64_t cycle, const struct packet *p)
{
    if (f->place_count) { /* then none waits for one */
        depart(f, cycle + 1, p);
    } else {
        ring_end(&f->queue)->time = cycle + 1;
        f->queue.count++;
    }
}

/* ---- lookups ---- */

/* The sectors that the touched parts of the line lie in. */
static inline unsigned touched_sectors(const struct front_port *port, uint32_t touched)
{
    if (port->is_whole)
        return 1;
    unsigned sectors = 0, parts = 32 / port->sectors;
    for (unsigned i = 0; i < port->sectors; i++)
        if (touched >> (i * parts) & (UINT32_MAX >> (32 - parts)))
            sectors |= 1u << i;
    return sectors;
}

static inline uint16_t touched_bytes(const struct front_port *port, uint32_t touched)
{
    unsigned parts = touched == UINT32_MAX ? 32 : (unsigned)__builtin_popcount(touched);
    return (uint16_t)(parts << port->line_shift >> 5);
}

/* Asks the L2 for sectors of the line, in a miss register of its own. */
static ALWAYS_INLINE enum mem_stall ask(struct front *f, struct front_port *port, const struct transaction *t,
                                        unsigned sectors, bool is_private, uint64_t cycle)
{
    bool is_atomic = is_private && port->is_atomic;
    if (mshr_is_full(&port->mshr))
        return MEM_NO_MSHR;
    if (is_atomic ? is_write_queue_full(f, cycle) : is_read_queue_full(f, cycle))
        return is_atomic ? MEM_NO_WRITE_QUEUE : MEM_NO_MISS_QUEUE;
    int32_t entry = mshr_take(&port->mshr, t->line, sectors, is_private);
    port->target[entry] = (struct front_target){t->lanes, port->access};
    struct packet *p = new_packet(f, port, t->line, (uint32_t)entry);
    if (!port->is_whole) {
        set_sectors(f, port, p, sectors);
        p->bytes = (uint16_t)(packet_sectors(sectors) << port->sector_shift);
    }
    if (is_atomic) {
        p->kind = PACKET_ATOMIC;
        p->bytes = touched_bytes(port, t->touched);
        p->passes = (uint8_t)t->passes;
        f->writes_queued++;
    } else {
        f->reads_queued++;
    }
    enqueue(f, cycle, p);
    return MEM_NO_STALL;
}

/* Joins the miss register. */
static enum mem_stall merge(struct front *f, struct front_port *port, const struct transaction *t,
                            int32_t entry)
{
    int32_t node = mshr_add(&port->mshr, entry);
    if (node < 0)
        return MEM_NO_MERGE;
    port->target[node] = (struct front_target){t->lanes, port->access};
    if (port->mshr.entry[entry].is_coming) {
        f->access[port->access].coming++;
        f->is_unsure = true;
    }
    port->stats->merges++;
    return MEM_NO_STALL;
}

/* A line some of whose sectors are there, or that was asked for. */
static __attribute__((noinline)) enum mem_stall look_up_partly(struct front *f, struct front_port *port,
                                                               const struct transaction *t, unsigned missing,
                                                               int32_t entry, uint64_t cycle)
{
    enum mem_stall stall = entry >= 0 ? merge(f, port, t, entry) : ask(f, port, t, missing, false, cycle);
    port->stats->accesses += !stall;
    port->stats->misses += !stall;
    return stall;
}

static ALWAYS_INLINE enum mem_stall look_up_read(struct front *f, struct front_port *port,
                                                 const struct transaction *t, uint64_t cycle)
{
    unsigned wanted = touched_sectors(port, t->touched);
    if (port->absent != t->line) {
        unsigned there = cache_use(&port->cache, t->line);
        unsigned missing = wanted & ~there;
        if (!missing) {
            port->stats->accesses++;
            port->stats->hits++;
            finish_hit(f, port->access, t->lanes, cycle + port->latency_cycles);
            return MEM_NO_STALL;
        }
        int32_t entry = mshr_find(&port->mshr, t->line, missing);
        if (entry >= 0 || there)
            return look_up_partly(f, port, t, missing, entry, cycle);
    }
    enum mem_stall stall = ask(f, port, t, wanted, false, cycle);
    if (stall) {
        port->absent = t->line;
        return stall;
    }
    port->absent = CACHE_EMPTY;
    port->stats->accesses++;
    port->stats->misses++;
    return MEM_NO_STALL;
}

static void drop_line(struct front_port *port, uint64_t line)
{
    int64_t place = cache_find(&port->cache, line);
    if (place != CACHE_NOWHERE)
        cache_drop(&port->cache, place);
}

static __attribute__((noinline)) enum mem_stall look_up_store(struct front *f, struct front_port *port,
                                                              const struct transaction *t, uint64_t cycle)
{
    if (is_write_queue_full(f, cycle))
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
    f->writes_queued++;
    enqueue(f, cycle, p);
    if (!wants_reply)
        finish_part(f, port->access, t->lanes, cycle, false);
    return MEM_NO_STALL;
}

static __attribute__((noinline)) enum mem_stall look_up_private(struct front *f, struct front_port *port,
                                                                const struct transaction *t, uint64_t cycle)
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

static ALWAYS_INLINE enum mem_stall look_up(struct front *f, struct front_port *port,
                                            const struct transaction *t, uint64_t cycle)
{
    return port->way == FRONT_LOOK_UP ? look_up_read(f, port, t, cycle)
           : port->way == FRONT_WRITE ? look_up_store(f, port, t, cycle)
                                      : look_up_private(f, port, t, cycle);
}

/* What the transaction at the port waits for has not come: it need not be looked at. */
static bool lacks_still(struct front *f, const struct front_port *port, uint64_t cycle)
{
    return port->stall == MEM_NO_MSHR          ? mshr_is_full(&port->mshr)
           : port->stall == MEM_NO_MISS_QUEUE  ? is_read_queue_full(f, cycle)
           : port->stall == MEM_NO_WRITE_QUEUE ? is_write_queue_full(f, cycle)
                                               : false;
}

/* The port's next transaction, at its cycle or, if it was stalled, whenever something happened; and those
 * behind it, one a cycle, up to cycle `last`. */
static ALWAYS_INLINE void run_port(struct front *f, unsigned which, uint64_t cycle, uint64_t last)
{
    struct front_port *port = &f->port[which];
    if (port->next > cycle || lacks_still(f, port, cycle))
        return;
    const int first = port->at, count = port->count;
    int at = first;
    enum mem_stall stall;
    do {
        stall = look_up(f, port, &port->transaction[at], cycle);
        if (stall != port->stall) {
            *port->stall_cycles[port->stall] += cycle - port->stalled_since;
            port->stall = stall;
            port->stalled_since = cycle;
        }
        if (stall)
            break;
        at++;
        cycle++;
    } while (at < count && cycle <= last);
    port->at = at;
    port->next = cycle;
    f->times->free[which] = (stall ? FRONT_STALLED : cycle) + (uint64_t)(count - at);
    if (at == count)
        f->active &= ~(1u << which);
    port->stats->busy_cycles += (uint64_t)(at - first);
}

/* ---- from the crossbar ---- */

static inline void take_part(struct front *f, uint32_t access, uint64_t lanes, uint64_t cycle)
{
    f->access[access].coming--;
    finish_part(f, access, lanes, cycle, false);
}

/* Nothing but what this register brings can have put a whole line into the cache. */
static inline void fill_cache(struct front_port *port, const struct mshr_entry *entry)
{
    uint64_t victim;
    unsigned victim_dirty;
    if (!port->is_whole)
        cache_fill(&port->cache, entry->line, entry->sectors, false, &victim, &victim_dirty);
    else if (port->cache.sets)
        cache_replace(&port->cache, cache_oldest(&port->cache, cache_set(&port->cache, entry->line)),
                      entry->line, 1);
}

static ALWAYS_INLINE void take_arrival(struct front *f, const struct packet *p, uint64_t cycle)
{
    struct front_port *port = &f->port[p->port];
    if (p->kind == PACKET_WRITE) {
        take_part(f, p->token, f->access[p->token].lanes, cycle);
        return;
    }
    int32_t e = (int32_t)p->token;
    const struct mshr_entry *entry = &port->mshr.entry[e];
    if (!entry->is_private)
        fill_cache(port, entry);
    if (port->absent == entry->line)
        port->absent = CACHE_EMPTY;
    for (int32_t n = e; n >= 0; n = port->mshr.next[n])
        take_part(f, port->target[n].access, port->target[n].lanes, cycle);
    mshr_release(&port->mshr, e);
}

/* A part of the access has set out. Gives whether that makes a reply when it is there. */
static inline bool expect_part(struct front *f, uint32_t access)
{
    struct front_access *a = &f->access[access];
    a->coming++;
    return a->wants_parts | (a->coming == a->left);
}

static inline bool expect_packet(struct front *f, const struct packet *p)
{
    struct front_port *port = &f->port[p->port];
    if (p->kind == PACKET_WRITE)
        return expect_part(f, p->token);
    bool completes = false;
    port->mshr.entry[p->token].is_coming = true;
    for (int32_t n = (int32_t)p->token; n >= 0; n = port->mshr.next[n])
        completes |= expect_part(f, port->target[n].access);
    return completes;
}

/* When the port goes on, as far as is known. */
static inline uint64_t goes_on(const struct front *f, const struct front_port *port)
{
    if (port->stall == MEM_NO_MISS_QUEUE || port->stall == MEM_NO_WRITE_QUEUE)
        return next_departure(f);
    return port->stall ? ring_head(&f->arrival)->time : port->next;
}

/* No reply to the port's access can be due before this cycle, if the port goes on at that one: it comes the latency of
 * a hit after the last lookup; or, if lines are joined that are under way already, a cycle after it, and after each
 * lookup for parts. There is none as long as lines have not set out that were asked for before. */
static inline uint64_t soonest_reply(const struct front *f, const struct front_port *port, uint64_t from)
{
    const struct front_access *a = &f->access[port->access];
    uint32_t lookups = (uint32_t)(port->count - port->at);
    if (from == CLOCK_NEVER || !a->wants_reply || (!a->wants_parts && a->left - lookups > a->coming))
        return CLOCK_NEVER;
    return from + clock_earlier(a->wants_parts ? 1 : lookups, port->latency_cycles);
}

/* What stalled ports find when they go on may make a reply. */
static void expect_replies(struct front *f)
{
    for (unsigned left = f->active; left; left &= left - 1) {
        const struct front_port *port = &f->port[__builtin_ctz(left)];
        f->times->may_reply = clock_earlier(f->times->may_reply, soonest_reply(f, port, goes_on(f, port)));
    }
}

void front_receive(struct front *f, uint64_t cycle, const struct packet *p)
{
    bool completes = expect_packet(f, p);
    if (f->arrival.count >= f->arrival.mask)
        ring_grow(&f->arrival);
    struct flight *flight = ring_end(&f->arrival);
    ring_push_within(&f->arrival, cycle, p);
    ring_mark_end(&f->arrival);
    flight->packet.completes = completes;
    f->times->next = clock_earlier(f->times->next, cycle);
    expect_replies(f);
    if (completes || f->is_unsure) {
        f->first_completion = clock_earlier(f->first_completion, cycle);
        f->times->may_reply = clock_earlier(f->times->may_reply, cycle);
    }
}

/* Which of the arrivals makes the next reply. */
static void find_completion(struct front *f)
{
    uint32_t i = 0;
    while (i < f->arrival.count && !ring_at(&f->arrival, i)->packet.completes)
        i++;
    f->first_completion = i < f->arrival.count ? ring_at(&f->arrival, i)->time : CLOCK_NEVER;
}

/* All that arrives by the cycle. */
static ALWAYS_INLINE void take_arrivals(struct front *f, uint64_t cycle)
{
    while (ring_head(&f->arrival)->time <= cycle) {
        take_arrival(f, &ring_head(&f->arrival)->packet, cycle);
        ring_pop(&f->arrival);
    }
    f->is_unsure &= f->arrival.count != 0;
    if (f->first_completion <= cycle)
        find_completion(f);
}

void front_give_place(struct front *f)
{
    const struct flight *first = ring_head(&f->queue);
    struct packet *p = crossbar_next_packet(f->crossbar, f->sm);
    *p = first->packet;
    depart(f, first->time, p);
    ring_pop(&f->queue);
    const struct front_departure *last =
        &f->departure[(f->departure_head + f->departure_count - 1) & f->departure_mask];
    f->times->next = clock_earlier(f->times->next, clock_first_from(&f->from_crossbar, last->k));
    expect_replies(f);
}

/* ---- time ---- */

/* What the port makes of the time of the next step, and of that before which no reply is due. */
static ALWAYS_INLINE void plan_port(const struct front *f, const struct front_port *port, uint64_t *next,
                                    uint64_t *may_reply)
{
    uint64_t from = goes_on(f, port);
    *next = clock_earlier(*next, from);
    *may_reply = clock_earlier(*may_reply, soonest_reply(f, port, from));
}

static ALWAYS_INLINE void plan_next(struct front *f)
{
    uint64_t arrival = ring_head(&f->arrival)->time, next = arrival;
    uint64_t may_reply = f->is_unsure ? arrival : f->first_completion;
    if (f->active == ONLY_DATA)
        plan_port(f, &f->port[PORT_DATA], &next, &may_reply);
    else
        for (unsigned left = f->active; left; left &= left - 1)
            plan_port(f, &f->port[__builtin_ctz(left)], &next, &may_reply);
    f->times->next = next;
    f->times->may_reply = may_reply;
}

static __attribute__((noinline)) void run_ports(struct front *f, uint64_t cycle, uint64_t last)
{
    if (f->active & (f->active - 1))
        last = cycle;
    for (unsigned left = f->active; left; left &= left - 1)
        run_port(f, (unsigned)__builtin_ctz(left), cycle, last);
}

/* All that happens at the cycle, and then up to cycle `last` what needs no look at anything else. */
static ALWAYS_INLINE void step(struct front *f, uint64_t cycle, uint64_t last)
{
    take_arrivals(f, cycle);
    last = clock_earlier(last, ring_head(&f->arrival)->time - 1);
    if (f->active == ONLY_DATA)
        run_port(f, PORT_DATA, cycle, last);
    else if (f->active)
        run_ports(f, cycle, last);
    plan_next(f);
}

void front_advance(struct front *f, uint64_t cycle)
{
    do
        step(f, f->times->next, cycle);
    while (f->times->next <= cycle);
}

static uint32_t take_access(struct front *f)
{
    if (f->free_access == NO_ACCESS)
        grow_accesses(f);
    uint32_t index = f->free_access;
    f->free_access = f->access[index].next_free;
    return index;
}

static unsigned unit_shift(const struct front *f, const struct front_port *port, const struct mem_access *a)
{
    if (a->kind != MEM_CONSTANT)
        return port->line_shift;
    uint32_t unit = f->config->constant_width_bytes;
    while (unit < a->bytes && unit < port->config->line_bytes)
        unit *= 2;
    return (unsigned)__builtin_ctz(unit);
}

bool front_issue(struct front *f, uint64_t now, const struct mem_access *a, int *transactions)
{
    enum mem_port which = front_port_of(a->kind);
    struct front_port *port = &f->port[which];
    if (f->times->free[which] > now)
        return false;
    bool wants_parts = a->kind == MEM_STORE || a->kind == MEM_ATOMIC || f->config->sector_bytes;
    int count = coalesce(a, port->line_shift, unit_shift(f, port, a), wants_parts, port->transaction);
    if (count <= 0)
        panic("an access of %d lanes of %u bytes makes %d transactions", a->count, a->bytes, count);
    uint32_t index = take_access(f);
    f->access[index] = (struct front_access){
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
    port->way = a->kind == MEM_STORE                                           ? FRONT_WRITE
                : a->kind == MEM_ATOMIC || a->bypasses_l1 || !port->cache.sets ? FRONT_ASK
                                                                               : FRONT_LOOK_UP;
    port->is_atomic = a->kind == MEM_ATOMIC;
    port->access = index;
    port->at = 0;
    port->count = count;
    port->next = now;
    port->stall = MEM_NO_STALL;
    port->absent = CACHE_EMPTY;
    port->stats->issued++;
    port->stats->transactions += (uint64_t)count;
    f->active |= 1u << which;
    run_port(f, which, now, now);
    plan_next(f);
    if (transactions)
        *transactions = count;
    return true;
}
