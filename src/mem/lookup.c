/* Lookups that are not a hit of a whole line: misses, reads of sectors, stores, atomics and loads that bypass the
 * cache. lookup.h says what each of them needs. */
#include "mem/lookup.h"

/* Sets the request's sectors. `sectors` are numbered within the line of the first-level cache, the request's within the
 * line of the L2. */
static void set_sectors(const struct sm_port *sm_port, const struct cache_port *port, struct packet *p,
                        unsigned sectors)
{
    p->sectors = (uint8_t)(sectors << ((p->address & (sm_port->config->l2_line_bytes - 1)) >> port->sector_shift));
}

/* Asks the L2 for sectors of the line, through a new miss register. `is_private`: no other access may join the
 * register. */
static enum mem_stall ask_sectors(struct sm_port *sm_port, struct cache_port *port, const struct transaction *t,
                                  unsigned sectors, bool is_private, uint64_t cycle)
{
    bool is_atomic = is_private && port->is_atomic;
    if (mshr_is_full(&port->mshr))
        return MEM_NO_MSHR;
    struct outbound_queue *q = is_atomic ? &sm_port->out.writes : &sm_port->out.reads;
    if (outbound_free_from(q) > cycle)
        return is_atomic ? MEM_NO_WRITE_QUEUE : MEM_NO_MISS_QUEUE;
    int32_t entry = mshr_take(&port->mshr, cache_key_of(&port->cache, t->line), t->line, sectors, is_private);
    port->target[entry] = (struct cache_port_target){t->lanes, port->access};
    struct packet *p = lookup_new_request(sm_port, port, t->line, (uint32_t)entry);
    if (!port->is_whole) {
        set_sectors(sm_port, port, p, sectors);
        p->bytes = (uint16_t)(packet_sectors(sectors) << port->sector_shift);
        p->reply.data_bytes = (uint8_t)p->bytes;
    }
    if (is_atomic) {
        p->kind = PACKET_ATOMIC;
        p->bytes = cache_port_bytes(port, t->touched);
        p->reply.data_bytes = (uint8_t)p->bytes;
        p->passes = (uint8_t)t->passes;
    }
    outbound_enqueue(&sm_port->out, q, cycle, crossbar_request_data(p));
    return MEM_NO_STALL;
}

enum mem_stall lookup_merge(struct cache_port *port, const struct transaction *t, int32_t entry)
{
    int32_t node = mshr_add(&port->mshr, entry);
    if (node < 0)
        return MEM_NO_MERGE;
    port->target[node] = (struct cache_port_target){t->lanes, port->access};
    port->stats->merges++;
    port->stats->misses++;
    return MEM_NO_STALL;
}

/* A read where lines are fetched in sectors. */
static enum mem_stall look_up_sectors(struct sm_port *sm_port, struct cache_port *port, const struct transaction *t,
                                      uint64_t cycle)
{
    const struct cache_key key = cache_key_of(&port->cache, t->line);
    int64_t place = cache_find_key(&port->cache, key, t->line);
    unsigned missing = cache_port_sectors(port, t->touched);
    if (place != CACHE_NOWHERE) {
        cache_touch(&port->cache, place);
        missing &= ~(unsigned)*cache_sectors(&port->cache, place);
    }
    if (!missing) {
        lookup_hit(sm_port, port, t, cycle);
        return MEM_NO_STALL;
    }
    int32_t entry = mshr_find(&port->mshr, key, t->line, missing);
    if (entry >= 0)
        return lookup_merge(port, t, entry);
    enum mem_stall stall = ask_sectors(sm_port, port, t, missing, false, cycle);
    port->stats->misses += !stall;
    return stall;
}

/* A store leaves the sectors that it writes in the cache, valid at once even where it writes them in part: bytes are
 * not tracked. The L2 has the data too, so that nothing is dirty and a victim needs no writing back. */
static void allocate_stored(struct cache_port *port, const struct transaction *t)
{
    uint64_t victim;
    unsigned victim_dirty;
    cache_fill(&port->cache, t->line, cache_port_sectors(port, t->touched), false, &victim, &victim_dirty);
}

/* A store. */
static enum mem_stall write_through(struct sm_port *sm_port, struct cache_port *port, const struct transaction *t,
                                    uint64_t cycle)
{
    struct outbound_queue *writes = &sm_port->out.writes;
    if (outbound_free_from(writes) > cycle)
        return MEM_NO_WRITE_QUEUE;
    int64_t place = cache_find_to_use(&port->cache, t->line);
    port->stats->stores++;
    port->stats->store_hits += place != CACHE_NOWHERE;
    if (place != CACHE_NOWHERE && sm_port->config->l1d_store == STORE_EVICT)
        cache_drop(&port->cache, place);
    if (sm_port->config->l1d_store == STORE_ALLOCATE)
        allocate_stored(port, t);
    bool wants_reply = sm_port->inflight.access[port->access].wants_reply;
    struct packet *p = lookup_new_request(sm_port, port, t->line, port->access);
    if (!port->is_whole)
        set_sectors(sm_port, port, p, cache_port_sectors(port, t->touched));
    p->bytes = cache_port_bytes(port, t->touched);
    p->kind = PACKET_WRITE;
    p->reply.data_bytes = 0;
    p->reply.port = RESPONSE_WRITTEN;
    p->wants_reply = wants_reply;
    outbound_enqueue(&sm_port->out, writes, cycle, p->bytes);
    if (!wants_reply)
        inflight_finish_part(&sm_port->inflight, port->access, t->lanes, cycle, false);
    return MEM_NO_STALL;
}

static void drop_line(struct cache_port *port, uint64_t line)
{
    int64_t place = cache_find(&port->cache, line);
    if (place != CACHE_NOWHERE)
        cache_drop(&port->cache, place);
}

/* An atomic, or a load that bypasses the cache. */
static enum mem_stall pass_cache(struct sm_port *sm_port, struct cache_port *port, const struct transaction *t,
                                 uint64_t cycle)
{
    enum mem_stall stall = ask_sectors(sm_port, port, t, cache_port_sectors(port, t->touched), true, cycle);
    if (stall)
        return stall;
    port->stats->atomics += port->is_atomic;
    port->stats->bypasses += !port->is_atomic;
    if (port->is_atomic)
        drop_line(port, t->line);
    return MEM_NO_STALL;
}

static enum mem_stall look_up_by(enum cache_port_route route, struct sm_port *sm_port, struct cache_port *port,
                                 const struct transaction *t, uint64_t cycle)
{
    return route == CACHE_PORT_WRITE     ? write_through(sm_port, port, t, cycle)
           : route == CACHE_PORT_ASK     ? pass_cache(sm_port, port, t, cycle)
           : route == CACHE_PORT_LOOK_UP ? lookup_line(sm_port, port, t, cycle)
                                         : look_up_sectors(sm_port, port, t, cycle);
}

/* Accesses that were issued together share the port: a transaction's own access is at the port for its lookup. */
enum mem_stall lookup_other(struct sm_port *sm_port, struct cache_port *port, const struct transaction *t,
                            uint64_t cycle)
{
    if (port->route != CACHE_PORT_TOGETHER)
        return look_up_by(port->route, sm_port, port, t, cycle);
    const struct cache_port_part *part = &port->part[t->part];
    port->access = part->access;
    port->is_atomic = part->is_atomic;
    return look_up_by(part->route, sm_port, port, t, cycle);
}

enum mem_stall lookup_again(struct sm_port *sm_port, struct cache_port *port, const struct transaction *t,
                            uint64_t cycle)
{
    return port->route != CACHE_PORT_LOOK_UP ? lookup_other(sm_port, port, t, cycle)
                                             : lookup_line(sm_port, port, t, cycle);
}
