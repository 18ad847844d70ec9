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
    *times = (struct front_times){.next = CLOCK_NEVER, .reply = CLOCK_NEVER};
    *f = (struct front){.config = config,
                        .crossbar = x,
                        .sm = sm,
                        .times = times,
                        .leave_cycle = CLOCK_NEVER,
                        .places = config->crossbar_queue,
                        .free_access = NO_ACCESS};
    f->to_crossbar = clock_make_ratio(config->core_mhz, config->crossbar_mhz);
    f->from_crossbar = clock_make_ratio(config->crossbar_mhz, config->core_mhz);
    f->interleave_shift = (unsigned)__builtin_ctz(config->interleave_bytes);
    for (int i = 0; i < PORT_COUNT; i++)
        open_port(f, i, stats);
    ring_open(&f->queue, config->miss_queue + config->write_queue);
    ring_open(&f->arrival, 64);
    f->place_free = xcalloc(config->crossbar_queue, sizeof *f->place_free);
    f->reply_capacity = 64;
    f->reply = xcalloc(f->reply_capacity, sizeof *f->reply);
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
    ring_close(&f->arrival);
    free(f->place_free);
    free(f->access);
    free(f->reply);
}

/* ---- replies ---- */

static bool is_before(const struct front_reply *a, const struct front_reply *b)
{
    return a->reply.cycle != b->reply.cycle ? a->reply.cycle < b->reply.cycle : a->order < b->order;
}

static void push_reply(struct front *f, const struct mem_reply *reply)
{
    if (f->reply_count == f->reply_capacity) {
        f->reply_capacity *= 2;
        f->reply = xrealloc(f->reply, sizeof *f->reply * f->reply_capacity);
    }
    struct front_reply r = {f->reply_order++, *reply};
    uint32_t i = f->reply_count++;
    for (; i > 0 && is_before(&r, &f->reply[(i - 1) / 2]); i = (i - 1) / 2)
        f->reply[i] = f->reply[(i - 1) / 2];
    f->reply[i] = r;
    f->times->reply = f->reply[0].reply.cycle;
}

bool front_take_reply(struct front *f, uint64_t now, struct mem_reply *reply)
{
    if (!f->reply_count || f->reply[0].reply.cycle > now)
        return false;
    *reply = f->reply[0].reply;
    struct front_reply last = f->reply[--f->reply_count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < f->reply_count; i = child) {
        if (child + 1 < f->reply_count && is_before(&f->reply[child + 1], &f->reply[child]))
            child++;
        if (!is_before(&f->reply[child], &last))
            break;
        f->reply[i] = f->reply[child];
    }
    f->reply[i] = last;
    f->times->reply = f->reply_count ? f->reply[0].reply.cycle : CLOCK_NEVER;
    return true;
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
}

/* ---- to the crossbar ---- */

/* When the first of the queue leaves: it is ready, the link is free and there is a place for it. */
static void plan_leaving(struct front *f)
{
    f->leave_cycle = CLOCK_NEVER;
    if (!f->queue.count || (!f->places && !f->place_count))
        return;
    uint64_t from = ring_head(&f->queue)->time;
    if (!f->places)
        from = clock_later(from, f->place_free[f->place_head]);
    f->leave_at = clock_later(clock_first_from(f->to_crossbar, from), f->link_free);
    f->leave_cycle = clock_first_from(f->from_crossbar, f->leave_at);
}

/* The first of the queue takes a place in the crossbar. */
static void take_place(struct front *f)
{
    if (f->places) {
        f->places--;
        return;
    }
    f->crossbar->stats->queue_full += f->place_free[f->place_head] > ring_head(&f->queue)->time;
    f->place_head = f->place_head + 1 < f->config->crossbar_queue ? f->place_head + 1 : 0;
    f->place_count--;
}

static void let_leave(struct front *f, uint64_t cycle)
{
    while (f->leave_cycle <= cycle) {
        const struct packet *p = &ring_head(&f->queue)->packet;
        f->link_free = f->leave_at + crossbar_send_request(f->crossbar, f->leave_at, p);
        f->reads_queued -= p->kind == PACKET_READ;
        f->writes_queued -= p->kind != PACKET_READ;
        take_place(f);
        ring_pop(&f->queue);
        plan_leaving(f);
    }
}

static void enqueue(struct front *f, const struct front_port *port, const struct transaction *t,
                    uint64_t cycle, struct packet *p)
{
    uint64_t address = t->line << port->line_shift;
    uint64_t chunk = address >> f->interleave_shift;
    uint64_t within = address & ((UINT64_C(1) << f->interleave_shift) - 1);
    uint32_t channels = f->config->channels;
    p->slice = (uint16_t)(chunk % channels);
    p->address = chunk / channels << f->interleave_shift | within;
    p->sm = (uint16_t)f->sm;
    p->port = (uint8_t)(port - f->port);
    if (f->config->sector_bytes) /* of this cache's line, as sectors of the L2's */
        p->sectors =
            (uint8_t)(p->sectors << ((p->address & (f->config->l2_line_bytes - 1)) >> port->sector_shift));
    else
        p->sectors = 1;
    f->reads_queued += p->kind == PACKET_READ;
    f->writes_queued += p->kind != PACKET_READ;
    ring_push(&f->queue, cycle + 1, p);
    if (f->queue.count == 1)
        plan_leaving(f);
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

/* Asks the L2 for sectors of the line, in a miss register of its own. */
static enum mem_stall ask(struct front *f, struct front_port *port, const struct transaction *t,
                          unsigned sectors, bool is_private, uint64_t cycle)
{
    bool is_atomic = port->kind == MEM_ATOMIC;
    if (port->mshr.used == port->mshr.entries)
        return MEM_NO_MSHR;
    if (is_atomic ? f->writes_queued >= f->config->write_queue : f->reads_queued >= f->config->miss_queue)
        return is_atomic ? MEM_NO_WRITE_QUEUE : MEM_NO_MISS_QUEUE;
    int32_t entry = mshr_take(&port->mshr, t->line, sectors, is_private);
    port->target[mshr_add(&port->mshr, entry)] = (struct front_target){t->lanes, port->access};
    uint32_t bytes = is_atomic ? touched_bytes(port, t->touched)
                               : (uint32_t)__builtin_popcount(sectors) << port->sector_shift;
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
    unsigned missing = wanted & ~cache_use(&port->cache, t->line);
    if (!missing) {
        stats->accesses++;
        stats->hits++;
        finish_part(f, port->access, t->lanes, cycle + port->config->latency_cycles, true);
        return MEM_NO_STALL;
    }
    int32_t entry = mshr_find(&port->mshr, t->line, missing);
    if (entry >= 0) {
        int32_t node = mshr_add(&port->mshr, entry);
        if (node < 0)
            return MEM_NO_MERGE;
        port->target[node] = (struct front_target){t->lanes, port->access};
        stats->merges++;
    } else {
        enum mem_stall stall = ask(f, port, t, missing, false, cycle);
        if (stall)
            return stall;
    }
    stats->accesses++;
    stats->misses++;
    return MEM_NO_STALL;
}

static enum mem_stall look_up_store(struct front *f, struct front_port *port, const struct transaction *t,
                                    uint64_t cycle)
{
    if (f->writes_queued >= f->config->write_queue)
        return MEM_NO_WRITE_QUEUE;
    port->stats->stores++;
    port->stats->store_hits += cache_use(&port->cache, t->line) != 0;
    if (f->config->l1d_store == STORE_EVICT)
        cache_drop(&port->cache, t->line);
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
        cache_drop(&port->cache, t->line);
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
static bool lacks_still(const struct front *f, const struct front_port *port)
{
    return (port->stall == MEM_NO_MSHR && port->mshr.used == port->mshr.entries) ||
           (port->stall == MEM_NO_MISS_QUEUE && f->reads_queued >= f->config->miss_queue) ||
           (port->stall == MEM_NO_WRITE_QUEUE && f->writes_queued >= f->config->write_queue);
}

/* The port's next transaction, at its cycle or, if it was stalled, whenever something happened. */
static void step_port(struct front *f, int which, uint64_t cycle)
{
    struct front_port *port = &f->port[which];
    if (port->next > cycle || lacks_still(f, port))
        return;
    enum mem_stall stall = look_up(f, port, &port->transaction[port->at], cycle);
    if (stall != port->stall) {
        count_stall(port, cycle);
        port->stall = stall;
        port->stalled_since = cycle;
    }
    if (stall != MEM_NO_STALL) {
        f->times->free[which] = CLOCK_NEVER;
        return;
    }
    port->stats->busy_cycles++;
    port->at++;
    port->next = cycle + 1;
    f->times->free[which] = port->next + (uint64_t)(port->count - port->at);
    if (port->at == port->count)
        f->active &= ~(1u << which);
}

/* ---- from the crossbar ---- */

static void take_arrival(struct front *f, const struct packet *p, uint64_t cycle)
{
    struct front_port *port = &f->port[p->port];
    if (p->kind == PACKET_WRITE) {
        finish_part(f, p->token, f->access[p->token].lanes, cycle, false);
        return;
    }
    int32_t e = (int32_t)p->token;
    const struct mshr_entry *entry = &port->mshr.entry[e];
    uint64_t victim;
    unsigned victim_dirty;
    if (!entry->is_private)
        cache_fill(&port->cache, entry->line, entry->sectors, false, &victim, &victim_dirty);
    for (int32_t n = entry->first; n >= 0; n = port->mshr.next[n])
        finish_part(f, port->target[n].access, port->target[n].lanes, cycle, false);
    mshr_release(&port->mshr, e);
}

void front_receive(struct front *f, uint64_t cycle, const struct packet *p)
{
    ring_push(&f->arrival, cycle, p);
    f->times->next = clock_earlier(f->times->next, cycle);
}

void front_free_place(struct front *f, uint64_t cycle)
{
    /* Slices free places in order of time, so these are in order too. */
    f->place_free[(f->place_head + f->place_count++) % f->config->crossbar_queue] = cycle;
    if (f->queue.count && f->leave_cycle == CLOCK_NEVER) {
        plan_leaving(f);
        f->times->next = clock_earlier(f->times->next, f->leave_cycle);
    }
}

/* ---- time ---- */

static void plan_next(struct front *f)
{
    uint64_t next = f->leave_cycle;
    if (f->arrival.count)
        next = clock_earlier(next, ring_head(&f->arrival)->time);
    for (unsigned left = f->active; left; left &= left - 1) {
        const struct front_port *port = &f->port[__builtin_ctz(left)];
        if (port->stall == MEM_NO_STALL)
            next = clock_earlier(next, port->next);
    }
    f->times->next = next;
}

static void step(struct front *f, uint64_t cycle)
{
    while (f->arrival.count && ring_head(&f->arrival)->time <= cycle) {
        take_arrival(f, &ring_head(&f->arrival)->packet, cycle);
        ring_pop(&f->arrival);
    }
    let_leave(f, cycle);
    for (unsigned left = f->active; left; left &= left - 1)
        step_port(f, __builtin_ctz(left), cycle);
    plan_next(f);
}

void front_advance(struct front *f, uint64_t cycle)
{
    while (f->times->next <= cycle)
        step(f, f->times->next);
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
    port->stats->issued++;
    port->stats->transactions += (uint64_t)count;
    f->active |= 1u << which;
    step_port(f, (int)which, now);
    plan_next(f);
    if (transactions)
        *transactions = count;
    return true;
}
