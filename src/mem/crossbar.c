/* The crossbar between multiprocessors and slices (crossbar.h): storage, the cycles that a packet of each size occupies
 * a link, and requests that come into an empty crossbar. */
#include "mem/crossbar.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* [data bytes] how many crossbar cycles a packet occupies a link, given its other bytes; at least one. */
static uint32_t *list_cycles(const struct mem_config *config, uint32_t more)
{
    uint32_t *cycles = xcalloc(CROSSBAR_MAX_DATA + 1, sizeof *cycles);
    for (uint32_t i = 0; i <= CROSSBAR_MAX_DATA; i++)
        cycles[i] = more + i ? (more + i + config->crossbar_bytes - 1) / config->crossbar_bytes : 1;
    return cycles;
}

void crossbar_open(struct crossbar *x, const struct mem_config *config, uint32_t sms)
{
    *x = (struct crossbar){.config = config,
                           .sms = sms,
                           .slices = mem_slices(config),
                           .words = (sms + 63) / 64,
                           .latency = config->crossbar_latency,
                           .from_core = clock_make_ratio(config->core_mhz, config->crossbar_mhz),
                           .to_core = clock_make_ratio(config->crossbar_mhz, config->core_mhz),
                           .interleave_shift = (unsigned)__builtin_ctz(config->interleave_bytes),
                           .by_slices = divider_make(mem_slices(config)),
                           .first_due = CLOCK_NEVER};
    /* At least one core cycle: a request sent in a core cycle must not be answered in that cycle. */
    x->latency = clock_later(x->latency, clock_first_from(&x->from_core, 1));
    uint64_t least = clock_earlier(config->l2_latency, config->l2_fill_latency);
    x->lead = least ? least - 1 : 0;
    x->sm = xmalloc_lines(sms * sizeof *x->sm);
    memset(x->sm, 0, sms * sizeof *x->sm);
    x->port = xmalloc_lines(x->slices * sizeof *x->port);
    memset(x->port, 0, x->slices * sizeof *x->port);
    x->port_words = xcalloc((size_t)x->slices * x->words, sizeof *x->port_words);
    agenda_open(&x->replies, x->slices);
    agenda_open(&x->works, x->slices);
    x->cycles = list_cycles(config, config->packet_bytes);
    x->reply_cycles = list_cycles(config, config->reply_bytes);
    x->new_heads = xcalloc((sms + 7) / 8, 8);
    for (uint32_t i = 0; i < x->slices; i++) {
        struct crossbar_port *port = &x->port[i];
        port->first = CLOCK_NEVER;
        port->candidates = x->words == 1 ? &port->one_word : &x->port_words[(size_t)i * x->words];
    }
}

void crossbar_open_sm(struct crossbar *x, uint32_t sm)
{
    x->sm[sm].has_new_head = &x->new_heads[sm];
    ring_open(&x->sm[sm].in_flight, x->config->crossbar_queue);
}

void crossbar_close(struct crossbar *x)
{
    for (uint32_t i = 0; i < x->sms; i++)
        ring_close(&x->sm[i].in_flight);
    free(x->sm);
    free(x->new_heads);
    free(x->port_words);
    agenda_close(&x->replies);
    agenda_close(&x->works);
    free(x->port);
    free(x->cycles);
    free(x->reply_cycles);
}

/* The first SM from number `i` on that has a new head; the number of SMs if there is none. Eight SMs at a time: mostly
 * none of them has. */
static uint32_t next_new_head(const struct crossbar *x, uint32_t i)
{
    for (; i < x->sms && !x->new_heads[i]; i++) {
        uint64_t eight;
        memcpy(&eight, &x->new_heads[i / 8 * 8], sizeof eight);
        if (!eight)
            i |= 7;
    }
    return i < x->sms ? i : x->sms;
}

void crossbar_announce_new_heads(struct crossbar *x)
{
    for (uint32_t i = next_new_head(x, 0); i < x->sms; i = next_new_head(x, i + 1)) {
        const struct timed_packet *head = ring_head(&x->sm[i].in_flight);
        x->new_heads[i] = false;
        crossbar_announce_head(x, i, head->packet.slice, head->time, x->words);
        x->first_due = clock_earlier(x->first_due, x->works.due[head->packet.slice]);
    }
}

uint64_t crossbar_first_due(const struct crossbar *x)
{
    uint64_t first = x->first_due;
    for (uint32_t i = next_new_head(x, 0); i < x->sms; i = next_new_head(x, i + 1)) {
        const struct timed_packet *head = ring_head(&x->sm[i].in_flight);
        const struct crossbar_port *port = &x->port[head->packet.slice];
        first = clock_earlier(first, clock_later(head->time, port->free) | -(uint64_t)port->is_full);
    }
    return first;
}

bool crossbar_is_due(const struct crossbar *x, uint64_t cycle)
{
    return x->first_due <= cycle || crossbar_first_due(x) <= cycle;
}
