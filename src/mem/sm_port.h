/*
 * One multiprocessor's (SM's) side of the memory system, in core cycles: four cache ports (data, constant, texture,
 * instruction), the accesses in flight with their replies, and the queues to the crossbar.
 *
 * A cache port takes one access and looks up its transactions one per cycle, from the cycle of issue on: mem/lookup.h
 * says what a lookup does. Requests leave through mem/outbound.h. Lines come back from the crossbar through
 * sm_port_receive(); a line that arrives fills the cache and finishes every transaction that waits in its miss
 * register.
 *
 * An SM's side runs ahead of slices and of other SMs, as far as all arrivals from the crossbar are known: at least one
 * crossbar latency (mem/crossbar.h). A cache port's lookups go on in one run for as long as nothing arrives.
 */
#ifndef HEDDLE_MEM_SM_PORT_H
#define HEDDLE_MEM_SM_PORT_H

#include "mem/cache_port.h"
#include "mem/inflight.h"
#include "mem/mem.h"
#include "mem/outbound.h"
#include "mem/response.h"

#define SM_PORT_STALLED (UINT64_C(1) << 63) /* later than any cycle */

/* Fields that every transaction needs come first: with many SMs, only those stay in the host's cache. */
struct sm_port {
    struct mem_times *times;       /* owned by struct mem, beside those of other SMs: a window reads all of them */
    struct response_queue arrival; /* responses from the crossbar; time: core cycle of arrival */
    unsigned active;               /* cache ports that hold an access, as bits */
    struct inflight inflight;      /* accesses some of whose lanes wait for data */
    /* [enum mem_port] First core cycle at which the cache port can take an access. While its next transaction is
     * stalled: SM_PORT_STALLED plus the number of transactions left. */
    uint64_t free[PORT_COUNT];
    struct outbound out; /* requests on their way to the crossbar */
    struct cache_port port[PORT_COUNT];
    uint64_t flushed; /* reads that had entered the miss queue when the caches were last emptied */
    const struct mem_config *config;
} __attribute__((aligned(64)));

/* `storage`, which was never started anew, keeps what is not freed before the whole memory system. */
void sm_port_open(struct sm_port *sm_port, const struct mem_config *config, struct port_stats stats[PORT_COUNT],
                  struct crossbar *x, struct mem_times *times, uint32_t sm, struct storage *storage);
void sm_port_close(struct sm_port *sm_port);
/* Empties the four caches. */
void sm_port_flush(struct sm_port *sm_port);

/* The cache port that accesses of the kind go through. */
static inline enum mem_port mem_port_of(enum mem_kind kind)
{
    static const uint8_t port[] = {
        [MEM_LOAD] = PORT_DATA,         [MEM_STORE] = PORT_DATA,      [MEM_ATOMIC] = PORT_DATA,
        [MEM_CONSTANT] = PORT_CONSTANT, [MEM_TEXTURE] = PORT_TEXTURE, [MEM_INSTRUCTION] = PORT_INSTRUCTION};
    return (enum mem_port)port[kind];
}

/* The first core cycle at which one of the cache ports (as bits) can take an access, among those that hold none. */
static inline uint64_t sm_port_free_from(const struct sm_port *sm_port, unsigned ports)
{
    uint64_t next = CLOCK_NEVER;
    for (unsigned left = ports & ~sm_port->active; left; left &= left - 1)
        next = clock_earlier(next, sm_port->free[__builtin_ctz(left)]);
    return next;
}

/* The core cycle of the first wake-up known now: a reply, if `replies` are wanted, or one of the cache ports (as bits)
 * that can take an access. */
static inline uint64_t sm_port_known_wakeup(const struct sm_port *sm_port, bool replies, unsigned ports)
{
    return clock_earlier(replies ? sm_port->times->reply : CLOCK_NEVER, sm_port_free_from(sm_port, ports));
}

/* Does everything up to the first wake-up, but no further than core cycle `until`. There must be something to do by
 * then. Gives the cycle of the first wake-up known at the end. */
uint64_t sm_port_run_on(struct sm_port *sm_port, bool replies, unsigned ports, uint64_t until);

/* As sm_port_run_on(), also if there is nothing to do by `until`. */
static inline uint64_t sm_port_run(struct sm_port *sm_port, bool replies, unsigned ports, uint64_t until)
{
    uint64_t wakeup = sm_port_known_wakeup(sm_port, replies, ports), next = sm_port->times->next;
    return next > until || next >= wakeup ? wakeup : sm_port_run_on(sm_port, replies, ports, until);
}

/* Does everything up to and including the core cycle. */
static inline void sm_port_advance(struct sm_port *sm_port, uint64_t cycle)
{
    if (sm_port->times->next <= cycle)
        sm_port_run_on(sm_port, false, 0, cycle);
}

/* Takes the access at core cycle `now`; false if its cache port is not free. Gives the number of transactions, unless
 * `transactions` is NULL. The SM's side must have been advanced to `now`. */
bool sm_port_issue(struct sm_port *sm_port, uint64_t now, const struct mem_access *access, int *transactions);
/* mem_issue_together(). */
bool sm_port_issue_together(struct sm_port *sm_port, uint64_t now, const struct mem_access *const *access, int count,
                            int *transactions);

/* Takes the first reply that is due by core cycle `now`; false if there is none. The SM's side must have been
 * advanced to `now`. */
static inline bool sm_port_take_reply(struct sm_port *sm_port, uint64_t now, struct mem_reply *reply)
{
    if (sm_port->times->reply > now)
        return false;
    *reply = replies_take(&sm_port->inflight.replies);
    sm_port->times->reply = replies_first_cycle(&sm_port->inflight.replies);
    return true;
}

/* A response arrives from the crossbar at a core cycle to which the SM's side has not advanced yet. */
static inline void sm_port_receive(struct sm_port *sm_port, uint64_t cycle, const struct response *r)
{
    struct response arriving = *r;
    arriving.time = cycle;
    response_push(&sm_port->arrival, arriving);
    sm_port->times->next = clock_earlier(sm_port->times->next, cycle);
}

/* The place in the crossbar of the request that a slice took last is known to become free, and a request waits for
 * it. */
void sm_port_give_place(struct sm_port *sm_port);
/* The slices have caught up: more is known of the SM's side, whose reach was limited. */
void sm_port_see_further(struct sm_port *sm_port);

#endif
