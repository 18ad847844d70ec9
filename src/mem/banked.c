/* Lookups of a data cache with several banks or ports: see banked.h. */
#include "mem/banked.h"

#include "mem/lookup.h"

#include <string.h>

void banked_order(struct cache_port *port)
{
    struct transaction sorted[COALESCE_MAX];
    uint16_t in_bank[MEM_MAX_BANKS] = {0};
    int placed = 0, last_turn = 0;
    for (int i = 0; i < port->count; i++) {
        struct transaction *t = &port->transaction[i];
        t->turn = (uint8_t)(in_bank[t->line & (port->banks - 1)]++ / port->bank_ports);
        last_turn = t->turn > last_turn ? t->turn : last_turn;
    }
    for (int turn = 0; turn <= last_turn; turn++)
        for (int i = 0; i < port->count; i++)
            if (port->transaction[i].turn == turn)
                sorted[placed++] = port->transaction[i];
    memcpy(port->transaction, sorted, sizeof *sorted * (size_t)placed);
}

static bool is_hit(const struct cache_port *port, const struct transaction *t)
{
    enum cache_port_route route = port->route == CACHE_PORT_TOGETHER ? port->part[t->part].route : port->route;
    if (route != CACHE_PORT_LOOK_UP && route != CACHE_PORT_LOOK_UP_SECTORS)
        return false;
    int64_t place = cache_find(&port->cache, t->line);
    return place != CACHE_NOWHERE &&
           (port->is_whole || !(cache_port_sectors(port, t->touched) & ~*cache_sectors(&port->cache, place)));
}

/* What one cycle has looked up so far. */
struct cycle_work {
    int lines;
    bool has_left; /* one of them needed more than a hit */
};

/* Looks up transactions of one turn from number `at` on, as many as the cycle can take. Gives the number of the next
 * transaction; if the cycle could not look up any, the port is stalled. */
static int look_up_turn(struct sm_port *sm_port, struct cache_port *port, int at, uint64_t cycle,
                        struct cycle_work work)
{
    const uint8_t turn = port->transaction[at - work.lines].turn;
    for (; at < port->count && port->transaction[at].turn == turn; at++, work.lines++) {
        const struct transaction *t = &port->transaction[at];
        bool leaves = !is_hit(port, t);
        if (leaves && work.has_left) {
            port->stats->send_stall_cycles++;
            break;
        }
        enum mem_stall stall = lookup_again(sm_port, port, t, cycle);
        if (stall && work.lines) { /* the transaction is the first of the next cycle */
            port->absent = CACHE_EMPTY;
            break;
        }
        if (stall) {
            port->stall = stall;
            port->stalled_since = cycle;
            return at;
        }
        work.has_left |= leaves;
    }
    port->stats->joint_lookups += (uint64_t)(work.lines - 1);
    return at;
}

/* Looks up turns from cycle to cycle, until one stalls, all are done, or cycle `last` is past. The first cycle has done
 * `work` already, up to transaction `at`. */
static void look_up_from(struct sm_port *sm_port, struct cache_port *port, int at, uint64_t cycle, uint64_t last,
                         struct cycle_work work)
{
    last = clock_earlier(last, cycle + port->latency_cycles - 1); /* no hit is ready before this run ends */
    while ((at < port->count || work.lines) && cycle <= last && !port->stall) {
        at = look_up_turn(sm_port, port, at, cycle, work);
        work = (struct cycle_work){0};
        cycle += !port->stall;
    }
    port->at = at;
    port->next = cycle;
    /* All that is left may go in one cycle. */
    sm_port->free[port->index] = (port->stall ? SM_PORT_STALLED : cycle) + (at < port->count);
    if (at == port->count)
        sm_port->active &= ~(1u << port->index);
}

void banked_begin(struct sm_port *sm_port, struct cache_port *port, uint64_t now)
{
    look_up_from(sm_port, port, 0, now, now, (struct cycle_work){0});
}

void banked_run(struct sm_port *sm_port, struct cache_port *port, uint64_t cycle, uint64_t last)
{
    uint64_t hits = port->stats->hits;
    if (!port->stall && port->next <= cycle)
        look_up_from(sm_port, port, port->at, cycle, last, (struct cycle_work){0});
    else if (port->stall && lookup_resume(sm_port, port, cycle))
        look_up_from(sm_port, port, port->at + 1, cycle, last, (struct cycle_work){1, port->stats->hits == hits});
}
