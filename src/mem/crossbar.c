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
                           .latency = config->crossbar_latency,
                           .empty_cycles =
                               (config->packet_bytes + config->crossbar_bytes - 1) / config->crossbar_bytes};
    /* At least a core cycle: what multiprocessors do in a cycle must not be answered in the same. */
    x->latency = clock_later(x->latency, clock_first_from(from_core, 1));
    x->flight = xcalloc(sms, sizeof *x->flight);
    x->head_time = xcalloc(sms, sizeof *x->head_time);
    x->sm_port_free = xcalloc(sms, sizeof *x->sm_port_free);
    x->waiting = xcalloc((size_t)x->slices * x->words, sizeof *x->waiting);
    x->slice_port_free = xcalloc(x->slices, sizeof *x->slice_port_free);
    x->turn = xcalloc(x->slices, sizeof *x->turn);
    x->due = xcalloc(x->slices, sizeof *x->due);
    for (uint32_t i = 0; i < sms; i++)
        ring_open(&x->flight[i], config->crossbar_queue);
    for (uint32_t i = 0; i < x->slices; i++)
        x->due[i] = CLOCK_NEVER;
}

void crossbar_close(struct crossbar *x)
{
    for (uint32_t i = 0; i < x->sms; i++)
        ring_close(&x->flight[i]);
    free(x->flight);
    free(x->head_time);
    free(x->sm_port_free);
    free(x->waiting);
    free(x->slice_port_free);
    free(x->turn);
    free(x->due);
}

/* The multiprocessor's first packet may go in at its slice from this cycle on. */
static void announce_head(struct crossbar *x, uint32_t sm, uint64_t time)
{
    uint32_t slice = ring_head(&x->flight[sm])->packet.slice;
    x->head_time[sm] = time;
    x->waiting[slice * x->words + sm / 64] |= UINT64_C(1) << sm % 64;
    x->due[slice] = clock_earlier(x->due[slice], clock_later(time, x->slice_port_free[slice]));
}

uint64_t crossbar_send_request(struct crossbar *x, uint64_t k, const struct packet *p)
{
    uint32_t data = p->kind == PACKET_READ ? 0 : p->bytes;
    uint64_t cycles = crossbar_cycles(x, data);
    uint64_t arrival = k + cycles - 1 + x->latency;
    struct ring *flight = &x->flight[p->sm];
    ring_push(flight, arrival, p);
    if (flight->count == 1)
        announce_head(x, p->sm, arrival);
    x->stats->requests++;
    x->stats->request_bytes += x->config->packet_bytes + data;
    return cycles;
}

/* The first multiprocessor from the slice's turn on whose packet has arrived by cycle k; -1 if there is none.
 */
static int64_t choose_sm(const struct crossbar *x, uint32_t slice, uint64_t k)
{
    const uint64_t *set = &x->waiting[slice * x->words];
    uint32_t turn = x->turn[slice];
    for (uint32_t step = 0; step <= x->words; step++) {
        uint32_t word = (turn / 64 + step) % x->words;
        uint64_t left = set[word], below_turn = (UINT64_C(1) << turn % 64) - 1;
        if (step == 0)
            left &= ~below_turn;
        else if (step == x->words)
            left &= below_turn;
        for (; left; left &= left - 1) {
            uint32_t sm = word * 64 + (uint32_t)__builtin_ctzll(left);
            if (x->head_time[sm] <= k)
                return sm;
        }
    }
    return -1;
}

bool crossbar_take_request(struct crossbar *x, uint32_t slice, uint64_t k, struct packet *p)
{
    if (x->slice_port_free[slice] > k)
        return false;
    int64_t chosen = choose_sm(x, slice, k);
    if (chosen < 0)
        return false;
    uint32_t sm = (uint32_t)chosen;
    struct ring *flight = &x->flight[sm];
    *p = ring_head(flight)->packet;
    ring_pop(flight);
    x->waiting[slice * x->words + sm / 64] &= ~(UINT64_C(1) << sm % 64);
    x->turn[slice] = sm + 1 < x->sms ? sm + 1 : 0;
    x->slice_port_free[slice] = k + crossbar_cycles(x, p->kind == PACKET_READ ? 0 : p->bytes);
    if (flight->count)
        announce_head(x, sm, clock_later(ring_head(flight)->time, k + 1));
    return true;
}

uint64_t crossbar_next_request(const struct crossbar *x, uint32_t slice)
{
    uint64_t first = CLOCK_NEVER;
    for (uint32_t word = 0; word < x->words; word++)
        for (uint64_t left = x->waiting[slice * x->words + word]; left; left &= left - 1) {
            uint64_t time = x->head_time[word * 64 + (uint32_t)__builtin_ctzll(left)];
            if (time <= x->slice_port_free[slice])
                return x->slice_port_free[slice];
            first = clock_earlier(first, time);
        }
    return first;
}

uint64_t crossbar_send_reply(struct crossbar *x, uint64_t k, const struct packet *p, uint64_t *link_cycles)
{
    uint32_t data = p->kind == PACKET_WRITE ? 0 : p->bytes;
    uint64_t cycles = crossbar_cycles(x, data);
    x->sm_port_free[p->sm] = k + cycles;
    x->stats->replies++;
    x->stats->reply_bytes += x->config->packet_bytes + data;
    *link_cycles = cycles;
    return k + cycles - 1 + x->latency;
}
