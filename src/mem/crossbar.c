/* The crossbar between multiprocessors and slices (crossbar.h): storage, the cycles that a packet of each size occupies
 * a link, and which SMs' requests have arrived at a port. */
#include "mem/crossbar.h"

#include "base/arena.h"

#include <stdlib.h>

/* [data bytes] how many crossbar cycles a packet occupies a link, given its other bytes; at least one. */
static uint32_t *list_cycles(const struct mem_config *config, uint32_t more)
{
    uint32_t *cycles = xcalloc(CROSSBAR_MAX_DATA + 1, sizeof *cycles);
    for (uint32_t i = 0; i <= CROSSBAR_MAX_DATA; i++)
        cycles[i] = more + i ? (more + i + config->crossbar_bytes - 1) / config->crossbar_bytes : 1;
    return cycles;
}

void crossbar_open(struct crossbar *x, const struct mem_config *config, struct crossbar_stats *stats, uint32_t sms,
                   struct clock_ratio from_core)
{
    *x = (struct crossbar){.config = config,
                           .stats = stats,
                           .sms = sms,
                           .slices = mem_slices(config),
                           .words = (sms + 63) / 64,
                           .latency = config->crossbar_latency};
    /* At least one core cycle: a request sent in a core cycle must not be answered in that cycle. */
    x->latency = clock_later(x->latency, clock_first_from(&from_core, 1));
    x->in_flight = xcalloc(sms, sizeof *x->in_flight);
    x->head_time = xcalloc(sms, sizeof *x->head_time);
    x->is_new = xcalloc((size_t)sms + 8, sizeof *x->is_new);
    x->sm_port_free = xcalloc(sms, sizeof *x->sm_port_free);
    x->port = xcalloc(x->slices, sizeof *x->port);
    x->port_words = xcalloc((size_t)x->slices * x->words * 2, sizeof *x->port_words);
    x->due = xcalloc(x->slices, sizeof *x->due);
    x->first_due = CLOCK_NEVER;
    x->cycles = list_cycles(config, config->packet_bytes);
    x->reply_cycles = list_cycles(config, config->reply_bytes);
    for (uint32_t i = 0; i < sms; i++)
        ring_open(&x->in_flight[i], config->crossbar_queue);
    for (uint32_t i = 0; i < x->slices; i++) {
        uint64_t *words = &x->port_words[(size_t)i * x->words * 2];
        x->due[i] = CLOCK_NEVER;
        x->port[i] = (struct crossbar_port){
            .first = CLOCK_NEVER, .first_coming = CLOCK_NEVER, .coming = words, .there = words + x->words};
    }
}

void crossbar_close(struct crossbar *x)
{
    for (uint32_t i = 0; i < x->sms; i++)
        ring_close(&x->in_flight[i]);
    free(x->in_flight);
    free(x->head_time);
    free(x->is_new);
    free(x->sm_port_free);
    free(x->port_words);
    free(x->due);
    free(x->port);
    free(x->cycles);
    free(x->reply_cycles);
}

void crossbar_let_come(struct crossbar *x, struct crossbar_port *port, uint64_t k)
{
    uint64_t first = CLOCK_NEVER;
    for (uint32_t word = 0; word < x->words; word++)
        for (uint64_t left = port->coming[word]; left; left &= left - 1) {
            uint64_t bit = left & -left, time = x->head_time[word * 64 + (uint32_t)__builtin_ctzll(left)];
            if (time > k) {
                first = clock_earlier(first, time);
                continue;
            }
            port->coming[word] ^= bit;
            port->there[word] |= bit;
            port->there_count++;
        }
    port->first_coming = first;
}
