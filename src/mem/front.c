/* Multiprocessors' ports: see front.h. */
#include "mem/front.h"

#include "base/arena.h"
#include "base/diag.h"

#include <stdlib.h>

#define NO_ACCESS UINT32_MAX

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
    *times = (struct front_times){
        .next = CLOCK_NEVER, .leave = CLOCK_NEVER, .reply = CLOCK_NEVER, .may_reply = CLOCK_NEVER};
    *f = (struct front){.config = config,
                        .crossbar = x,
                        .sm = sm,
                        .times = times,
                        .places = config->crossbar_queue,
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
    f->place_free = xcalloc(config->crossbar_queue, sizeof *f->place_free);
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

/* A part of the access will be ready at the cycle. */
static void finish_part(struct front *f, uint32_t index, uint64_t lanes, uint64_t cycle, bool is_hit)
{
    struct front_access *a = &f->access[index];
    a->left--;
    a->ready = clock_later(a->ready, cycle);
    a->all_hit &= is_hit;
    bool is_last = a->left == 0;
    /* The last reply must not be overtaken: it waits for parts that are known but not yet due. */
    if (a->wants_reply && a->wants_parts)
        push_reply(f, &(struct mem_reply){.ticket = a->ticket,
                                          .cycle = is_last ? a->ready : cycle,
                                          .lanes = lanes,
                                          .is_last = is_last,
                                          .is_hit = is_hit});
    else if (a->wants_reply && is_last)
        push_reply(f, &(struct mem_reply){.ticket = a->ticket,
                                          .cycle = a->ready,
                                          .lanes = a->lanes,
                                          .is_last = true,
                                          .is_hit = a->all_hit});
    if (is_last)
        end_access(f, a, index);
    else if (a->left == a->coming)
        f->is_unsure = true;
}

/* ---- to the crossbar ---- */

/* Whether the next packet's place in the crossbar is known. */
static bool has_place(const struct front *f)
{
    return f->places || f->place_count;
}

/* Takes the next place. Gives when it is free: cycle 0 if it was never used. */
static uint64_t take_place(struct front *f)
{
    if (f->places) {
        f->places--;
        return 0;
    }
    uint64_t from = f->place_free[f->place_head];
    f->place_head = f->place_head + 1 < f->config->crossbar_queue ? f->place_head + 1 : 0;
    f->place_count--;
    return from;
}

/* A packet that may leave from the cycle on does, when the link is free and there is a place for it. */
static void depart(struct front *f, uint64_t ready, const struct packet *p)
{
    uint64_t place = take_place(f);
    uint64_t k = clock_first_from(f->to_crossbar, clock_later(ready, place));
    k = clock_later(k, f->link_free);
    f->link_free = k + crossbar_send_request(f->crossbar, k, p);
    uint32_t i = (f->departure_head + f->departure_count++) & f->departure_mask;
    f->departure[i] = (struct front_departure){.cycle = clock_first_from(f->from_crossbar, k),
                                               .data_bytes = (uint16_t)crossbar_request_data(p),
                                               .is_read = p->kind == PACKET_READ,
                                               .waited = place > ready};
    f->times->leave = f->departure[f->departure_head].cycle;
}

/* Packets that have left by the cycle are no longer in the queue. Done when somebody wants to know: a lookup
 * that finds the queue full, and at the end of a window, for the counters. */
static void count_departures(struct front *f, uint64_t cycle)
{
    struct crossbar_stats *stats = f->crossbar->stats;
    for (; f->departure_count; f->departure_count--) {
        const struct front_departure *d = &f->departure[f->departure_head];
        if (d->cycle > cycle)
            break;
        f->reads_queued -= d->is_read;
        f->writes_queued -= !d->is_read;
        stats->requests++;
        stats->request_bytes += f->config->packet_bytes + d->data_bytes;
        stats->queue_full += d->waited;
        f->departure_head = (f->departure_head + 1) & f->departure_mask;
    }
    f->times->leave = f->departure_count ? f->departure[f->departure_head].cycle : CLOCK_NEVER;
}

static bool is_read_queue_full(struct front *f, uint64_t cycle)
{
    if (f->reads_queued < f->config->miss_queue)
        return false;
    count_departures(f, cycle);
    return f->reads_queued >= f->config->miss_queue;
}

static bool is_write_queue_full(struct front *f, uint64_t cycle)
{
    if (f->writes_queued < f->config->write_queue)
        return false;
    count_departures(f, cycle);
    return f->writes_queued >= f->config->write_queue;
}

static void enqueue(struct front *f, const struct front_port *port, const struct transaction *t,
                    uint64_t cycle, struct packet *p)
{
    uint64_t address = t->line << port->line_shift;
    uint64_t chunk = address >> f->interleave_shift;
    uint64_t within = address & ((UINT64_C(1) << f->interleave_shift) - 1);
    uint64_t of_slice = divide(f->by_channels, chunk);
    p->slice = (uint16_t)(chunk - of_slice * f->by_channels.by);
    p->address = of_slice << f->interleave_shift | within;
    p->sm = (uint16_t)f->sm;
    p->port = (uint8_t)(port - f->port);
    if (f->config->sector_bytes) /* of this cache's line, as sectors of the L2's */
        p->sectors =
            (uint8_t)(p->sectors << ((p->address & (f->config->l2_line_bytes - 1)) >> port->sector_shift));
    else
        p->sectors = 1;
    f->reads_queued += p->kind == PACKET_READ;
    f->writes_queued += p->kind != PACKET_READ;
    if (has_place(f)) /* then none waits for one */
        depart(f, cycle + 1, p);
    else
        ring_push(&f->queue, cycle + 1, p);
}

/* ---- lookups ---- */

/* The sectors that the touched parts of the line lie in. */
static unsigned touched_sectors(const struct front_port *port, uint32_t touched)
{
    unsigned sectors = 0, parts = 32 / port->sectors;
    if (port->sectors == 1)
        return 1;
    for (unsigned i = 0; i < port->sectors; i++)
        if (touched >> (i * parts) & (UINT32_MAX >> (32 - parts)))
            sectors |= 1u << i;
    return sectors;
}

static uint16_t touched_bytes(const struct front_port *port, uint32_t touched)
{
    return (uint16_t)((unsigned)__builtin_popcount(touched) << port->line_shift >> 5);
}

static uint32_t sector_bytes(const struct front_port *port, unsigned sectors)
{
    return packet_sectors(sectors) << port->sector_shift;
}

/* Asks the L2 for sectors of the line, in a miss register of its own. */
static enum mem_stall ask(struct front *f, struct front_port *port, const struct transaction *t,
                          unsigned sectors, bool is_private, uint64_t cycle)
{
    bool is_atomic = port->kind == MEM_ATOMIC;
    if (mshr_is_full(&port->mshr))
        return MEM_NO_MSHR;
    if (is_atomic ? is_write_queue_full(f, cycle) : is_read_queue_full(f, cycle))
        return is_atomic ? MEM_NO_WRITE_QUEUE : MEM_NO_MISS_QUEUE;
    int32_t entry = mshr_take(&port->mshr, t->line, sectors, is_private);
    port->target[port->mshr.entry[entry].first] = (struct front_target){t->lanes, port->access};
    uint32_t bytes = is_atomic ? touched_bytes(port, t->touched) : sector_bytes(port, sectors);
    enqueue(f, port, t, cycle,
            &(struct packet){.token = (uint32_t)entry,
                             .bytes = (uint16_t)bytes,
                             .kind = is_atomic ? PACKET_ATOMIC : PACKET_READ,
                             .passes = (uint8_t)t->passes,
                             .sectors = (uint8_t)sectors,
                             .wants_reply = true});
    return MEM_NO_STALL;
}

static enum mem_stall look_up_read(struct front *f, struct front_port *port, const struct transaction *t,
                                   uint64_t cycle)
{
    struct port_stats *stats = port->stats;
    unsigned wanted = touched_sectors(port, t->touched);
    unsigned there = port->is_absent ? 0 : cache_use(&port->cache, t->line), missing = wanted & ~there;
    if (!missing) {
        stats->accesses++;
        stats->hits++;
        finish_part(f, port->access, t->lanes, cycle + port->config->latency_cycles, true);
        return MEM_NO_STALL;
    }
    int32_t entry = port->is_absent ? -1 : mshr_find(&port->mshr, t->line, missing);
    if (entry >= 0) {
        int32_t node = mshr_add(&port->mshr, entry);
        if (node < 0)
            return MEM_NO_MERGE;
        port->target[node] = (struct front_target){t->lanes, port->access};
        if (port->mshr.entry[entry].is_coming) {
            f->access[port->access].coming++;
            f->is_unsure = true;
        }
        stats->merges++;
    } else {
        enum mem_stall stall = ask(f, port, t, missing, false, cycle);
        port->is_absent = stall && !there;
        if (stall)
            return stall;
    }
    stats->accesses++;
    stats->misses++;
    return MEM_NO_STALL;
}

static void drop_line(struct front_port *port, uint64_t line)
{
    int64_t place = cache_find(&port->cache, line);
    if (place != CACHE_NOWHERE)
        cache_drop(&port->cache, place);
}

static enum mem_stall look_up_store(struct front *f, struct front_port *port, const struct transaction *t,
                                    uint64_t cycle)
{
    if (is_write_queue_full(f, cycle))
        return MEM_NO_WRITE_QUEUE;
    port->stats->stores++;
    port->stats->store_hits += cache_use(&port->cache, t->line) != 0;
    if (f->config->l1d_store == STORE_EVICT)
        drop_line(port, t->line);
    bool wants_reply = f->access[port->access].wants_reply;
    enqueue(f, port, t, cycle,
            &(struct packet){.token = port->access,
                             .bytes = touched_bytes(port, t->touched),
                             .kind = PACKET_WRITE,
                             .sectors = (uint8_t)touched_sectors(port, t->touched),
                             .wants_reply = wants_reply});
    if (!wants_reply)
        finish_part(f, port->access, t->lanes, cycle, false);
    return MEM_NO_STALL;
}

static enum mem_stall look_up(struct front *f, struct front_port *port, const struct transaction *t,
                              uint64_t cycle)
{
    if (port->kind == MEM_STORE)
        return look_up_store(f, port, t, cycle);
    if (port->kind != MEM_ATOMIC && !port->bypasses && port->cache.sets)
        return look_up_read(f, port, t, cycle);
    enum mem_stall stall = ask(f, port, t, touched_sectors(port, t->touched), true, cycle);
    if (stall)
        return stall;
    port->stats->atomics += port->kind == MEM_ATOMIC;
    port->stats->bypasses += port->kind != MEM_ATOMIC;
    if (port->kind == MEM_ATOMIC)
        drop_line(port, t->line);
    return MEM_NO_STALL;
}

static void count_stall(struct front_port *port, uint64_t cycle)
{
    uint64_t span = cycle - port->stalled_since;
    switch (port->stall) {
    case MEM_NO_MSHR:
        port->stats->mshr_stall_cycles += span;
        break;
    case MEM_NO_MERGE:
        port->stats->merge_stall_cycles += span;
        break;
    case MEM_NO_MISS_QUEUE:
        port->stats->miss_queue_stall_cycles += span;
        break;
    case MEM_NO_WRITE_QUEUE:
        port->stats->write_queue_stall_cycles += span;
        break;
    default:
        break;
    }
}

/* What the transaction at the port waits for has not come: it need not be looked at. */
static bool lacks_still(struct front *f, const struct front_port *port, uint64_t cycle)
{
    return (port->stall == MEM_NO_MSHR && mshr_is_full(&port->mshr)) ||
           (port->stall == MEM_NO_MISS_QUEUE && is_read_queue_full(f, cycle)) ||
           (port->stall == MEM_NO_WRITE_QUEUE && is_write_queue_full(f, cycle));
}

/* The port's next transaction, at its cycle or, if it was stalled, whenever something happened; and those
 * behind it, one a cycle, up to cycle `last`. */
static void run_port(struct front *f, int which, uint64_t cycle, uint64_t last)
{
    struct front_port *port = &f->port[which];
    if (port->next > cycle || (port->stall && lacks_still(f, port, cycle)))
        return;
    int first = port->at;
    uint64_t *free = &f->times->free[which];
    for (;; cycle++) {
        enum mem_stall stall = look_up(f, port, &port->transaction[port->at], cycle);
        if (stall != port->stall) {
            count_stall(port, cycle);
            port->stall = stall;
            port->stalled_since = cycle;
        }
        if (stall) {
            port->next = cycle;
            *free = CLOCK_NEVER;
            break;
        }
        if (++port->at == port->count)
            f->active &= ~(1u << which);
        port->next = cycle + 1;
        *free = port->next + (uint64_t)(port->count - port->at);
        if (port->at == port->count || cycle >= last)
            break;
    }
    port->stats->busy_cycles += (uint64_t)(port->at - first);
}

/* ---- from the crossbar ---- */

static void take_part(struct front *f, uint32_t access, uint64_t lanes, uint64_t cycle)
{
    f->access[access].coming--;
    finish_part(f, access, lanes, cycle, false);
}

static void take_arrival(struct front *f, const struct packet *p, uint64_t cycle)
{
    struct front_port *port = &f->port[p->port];
    if (p->kind == PACKET_WRITE) {
        take_part(f, p->token, f->access[p->token].lanes, cycle);
        return;
    }
    int32_t e = (int32_t)p->token;
    const struct mshr_entry *entry = &port->mshr.entry[e];
    uint64_t victim;
    unsigned victim_dirty;
    if (!entry->is_private)
        cache_fill(&port->cache, entry->line, entry->sectors, false, &victim, &victim_dirty);
    if (port->is_absent && port->transaction[port->at].line == entry->line)
        port->is_absent = false;
    for (int32_t n = entry->first; n >= 0; n = port->mshr.next[n])
        take_part(f, port->target[n].access, port->target[n].lanes, cycle);
    mshr_release(&port->mshr, e);
}

/* A part of the access has set out. Gives whether that makes a reply when it is there. */
static bool expect_part(struct front *f, uint32_t access)
{
    struct front_access *a = &f->access[access];
    a->coming++;
    return a->wants_parts || a->coming == a->left;
}

static bool expect_packet(struct front *f, const struct packet *p)
{
    struct front_port *port = &f->port[p->port];
    if (p->kind == PACKET_WRITE)
        return expect_part(f, p->token);
    struct mshr_entry *entry = &port->mshr.entry[p->token];
    bool completes = false;
    entry->is_coming = true;
    for (int32_t n = entry->first; n >= 0; n = port->mshr.next[n])
        completes |= expect_part(f, port->target[n].access);
    return completes;
}

/* How long after the port goes on the first reply of its access can be due, at least: the latency of a hit;
 * or, if lines that are under way already are joined, a cycle after the last lookup, and after each for
 * parts. */
static uint64_t soonest_reply(const struct front *f, const struct front_port *port)
{
    uint64_t lookups = f->access[port->access].wants_parts ? 1 : (uint64_t)(port->count - port->at);
    return clock_earlier(lookups, port->config->latency_cycles);
}

/* Something comes that lets stalled ports go on at the cycle: what they then find may make a reply. */
static void call_at(struct front *f, uint64_t cycle)
{
    f->times->next = clock_earlier(f->times->next, cycle);
    for (unsigned left = f->active; left; left &= left - 1) {
        uint64_t reply = cycle + soonest_reply(f, &f->port[__builtin_ctz(left)]);
        f->times->may_reply = clock_earlier(f->times->may_reply, reply);
    }
}

void front_receive(struct front *f, uint64_t cycle, const struct packet *p)
{
    struct packet expected = *p;
    expected.completes = expect_packet(f, p);
    ring_push(&f->arrival, cycle, &expected);
    call_at(f, cycle);
    if (expected.completes || f->is_unsure) {
        f->first_completion = clock_earlier(f->first_completion, cycle);
        f->times->may_reply = clock_earlier(f->times->may_reply, cycle);
    }
}

/* All that arrives by the cycle, and which of the rest makes the next reply. */
static void take_arrivals(struct front *f, uint64_t cycle)
{
    while (f->arrival.count && ring_head(&f->arrival)->time <= cycle) {
        take_arrival(f, &ring_head(&f->arrival)->packet, cycle);
        ring_pop(&f->arrival);
    }
    f->is_unsure &= f->arrival.count != 0;
    if (f->first_completion > cycle)
        return;
    uint32_t i = 0;
    while (i < f->arrival.count && !ring_at(&f->arrival, i)->packet.completes)
        i++;
    f->first_completion = i < f->arrival.count ? ring_at(&f->arrival, i)->time : CLOCK_NEVER;
}

void front_free_place(struct front *f, uint64_t cycle)
{
    /* Slices free places in order of time, so these are in order too. */
    uint32_t i = f->place_head + f->place_count++;
    f->place_free[i < f->config->crossbar_queue ? i : i - f->config->crossbar_queue] = cycle;
    if (f->queue.count) {
        const struct flight *first = ring_head(&f->queue);
        depart(f, first->time, &first->packet);
        ring_pop(&f->queue);
        call_at(f, f->times->leave);
    }
}

/* ---- time ---- */

static void plan_next(struct front *f)
{
    uint64_t next = f->arrival.count ? ring_head(&f->arrival)->time : CLOCK_NEVER;
    uint64_t may_reply = f->is_unsure ? next : f->first_completion;
    for (unsigned left = f->active; left; left &= left - 1) {
        const struct front_port *port = &f->port[__builtin_ctz(left)];
        uint64_t goes_on = port->next;
        if (port->stall == MEM_NO_MISS_QUEUE || port->stall == MEM_NO_WRITE_QUEUE)
            goes_on = f->times->leave;
        else if (port->stall) /* until something arrives */
            goes_on = f->arrival.count ? ring_head(&f->arrival)->time : CLOCK_NEVER;
        next = clock_earlier(next, goes_on);
        if (goes_on != CLOCK_NEVER)
            may_reply = clock_earlier(may_reply, goes_on + soonest_reply(f, port));
    }
    f->times->next = next;
    f->times->may_reply = may_reply;
}

/* All that happens at the cycle, and then up to cycle `last` what needs no look at anything else. */
static void step(struct front *f, uint64_t cycle, uint64_t last)
{
    take_arrivals(f, cycle);
    bool is_one_port = !(f->active & (f->active - 1));
    if (!is_one_port)
        last = cycle;
    else if (f->arrival.count)
        last = clock_earlier(last, ring_head(&f->arrival)->time - 1);
    for (unsigned left = f->active; left; left &= left - 1)
        run_port(f, __builtin_ctz(left), cycle, last);
    plan_next(f);
}

void front_advance(struct front *f, uint64_t cycle)
{
    while (f->times->next <= cycle)
        step(f, f->times->next, cycle);
}

void front_settle(struct front *f, uint64_t cycle)
{
    front_advance(f, cycle);
    if (f->times->leave <= cycle)
        count_departures(f, cycle);
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
    port->kind = a->kind;
    port->access = index;
    port->bypasses = a->bypasses_l1;
    port->at = 0;
    port->count = count;
    port->next = now;
    port->stall = MEM_NO_STALL;
    port->is_absent = false;
    port->stats->issued++;
    port->stats->transactions += (uint64_t)count;
    f->active |= 1u << which;
    run_port(f, (int)which, now, now);
    plan_next(f);
    if (transactions)
        *transactions = count;
    return true;
}
