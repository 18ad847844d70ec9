/* The crossbar: see crossbar.h. */
#include "mem/crossbar.h"

#include "base/arena.h"

#include <stdlib.h>

void crossbar_open(struct crossbar *x, const struct mem_config *config, struct crossbar_stats *stats,
                   uint32_t sms, struct clock_ratio from_core)
{
    *x = (struct crossbar){.config = config,
                           .stats = stats,
                           .sms = sms,
                           .slices = config->channels,
                           .words = (sms + 63) / 64,
                           .latency = config->crossbar_latency};
    /* At least a core cycle: what multiprocessors do in a cycle must not be answered in the same. */
    x->latency = clock_later(x->latency, clock_first_from(from_core, 1));
    x->flight = xcalloc(sms, sizeof *x->flight);
    x->head_time = xcalloc(sms, sizeof *x->head_time);
    x->sm_port_free = xcalloc(sms, sizeof *x->sm_port_free);
    x->port = xcalloc(x->slices, sizeof *x->port);
    x->waiting = xcalloc((size_t)x->slices * x->words, sizeof *x->waiting);
    x->first_due = CLOCK_NEVER;
    x->cycles = xcalloc(CROSSBAR_MAX_DATA + 1, sizeof *x->cycles);
    for (uint32_t i = 0; i <= CROSSBAR_MAX_DATA; i++)
        x->cycles[i] = (config->packet_bytes + i + config->crossbar_bytes - 1) / config->crossbar_bytes;
    for (uint32_t i = 0; i < sms; i++)
        ring_open(&x->flight[i], config->crossbar_queue);
    for (uint32_t i = 0; i < x->slices; i++)
        x->port[i] = (struct crossbar_port){
            .due = CLOCK_NEVER, .first_time = CLOCK_NEVER, .waiting = &x->waiting[(size_t)i * x->words]};
}

void crossbar_close(struct crossbar *x)
{
    for (uint32_t i = 0; i < x->sms; i++)
        ring_close(&x->flight[i]);
    free(x->flight);
    free(x->head_time);
    free(x->sm_port_free);
    free(x->waiting);
    free(x->port);
    free(x->cycles);
}

/* The multiprocessor's first packet may go in at its slice from this cycle on. */
static void announce_head(struct crossbar *x, uint32_t sm, uint64_t time)
{
    struct crossbar_port *port = &x->port[ring_head(&x->flight[sm])->packet.slice];
    x->head_time[sm] = time;
    port->waiting[sm / 64] |= UINT64_C(1) << sm % 64;
    port->first_time = clock_earlier(port->first_time, time);
    if (!port->is_full) {
        port->due = clock_earlier(port->due, clock_later(time, port->free));
        x->first_due = clock_earlier(x->first_due, port->due);
    }
}

uint64_t crossbar_send_request(struct crossbar *x, uint64_t k, const struct packet *p)
{
    uint64_t cycles = x->cycles[crossbar_request_data(p)];
    uint64_t arrival = k + cycles - 1 + x->latency;
    struct ring *flight = &x->flight[p->sm];
    ring_push(flight, arrival, p);
    if (flight->count == 1)
        announce_head(x, p->sm, arrival);
    return cycles;
}

/* The first multiprocessor from the slice's turn on whose packet has arrived by cycle k; there is one. */
static uint32_t choose_sm(const struct crossbar *x, const struct crossbar_port *port, uint64_t k)
{
    uint32_t word = port->turn / 64;
    uint64_t left = port->waiting[word] & ~((UINT64_C(1) << port->turn % 64) - 1);
    for (;; word = word + 1 < x->words ? word + 1 : 0, left = port->waiting[word])
        for (; left; left &= left - 1) {
            uint32_t sm = word * 64 + (uint32_t)__builtin_ctzll(left);
            if (x->head_time[sm] <= k)
                return sm;
        }
}

static uint64_t find_first_time(const struct crossbar *x, const struct crossbar_port *port)
{
    uint64_t first = CLOCK_NEVER;
    for (uint32_t word = 0; word < x->words; word++)
        for (uint64_t left = port->waiting[word]; left; left &= left - 1)
            first = clock_earlier(first, x->head_time[word * 64 + (uint32_t)__builtin_ctzll(left)]);
    return first;
}

void crossbar_take_request(struct crossbar *x, uint32_t slice, uint64_t k, struct packet *p)
{
    struct crossbar_port *port = &x->port[slice];
    uint32_t sm = choose_sm(x, port, k);
    struct ring *flight = &x->flight[sm];
    *p = ring_head(flight)->packet;
    ring_pop(flight);
    port->waiting[sm / 64] &= ~(UINT64_C(1) << sm % 64);
    port->first_time = find_first_time(x, port);
    port->turn = sm + 1 < x->sms ? sm + 1 : 0;
    port->free = k + x->cycles[crossbar_request_data(p)];
    if (flight->count)
        announce_head(x, sm, clock_later(ring_head(flight)->time, k + 1));
}
