/* An SM's requests on their way to the crossbar (outbound.h): storage, counters, and requests that waited for a
 * place. */
#include "mem/outbound.h"

#include "base/arena.h"

#include <stdlib.h>

static void open_queue(struct outbound_queue *q, uint32_t most)
{
    uint32_t size = 4;
    while (size < most)
        size *= 2;
    *q = (struct outbound_queue){.at = xcalloc(size, sizeof *q->at), .mask = size - 1, .most = most};
}

void outbound_open(struct outbound *out, const struct mem_config *config, struct crossbar *x, uint32_t sm)
{
    *out = (struct outbound){.crossbar = x, .in_crossbar = &x->in_flight[sm], .sm = sm};
    out->to_crossbar = clock_make_ratio(config->core_mhz, config->crossbar_mhz);
    out->from_crossbar = clock_make_ratio(config->crossbar_mhz, config->core_mhz);
    out->interleave_shift = (unsigned)__builtin_ctz(config->interleave_bytes);
    out->by_slices = divider_make(mem_slices(config));
    open_queue(&out->reads, config->miss_queue);
    open_queue(&out->writes, config->write_queue);
    ring_open(&out->waiting, config->miss_queue + config->write_queue);
    out->places = out->places_until = config->crossbar_queue;
    for (uint32_t i = 0; i <= out->in_crossbar->mask; i++)
        out->in_crossbar->at[i].time = 0; /* every place is free from the beginning */
}

void outbound_close(struct outbound *out)
{
    ring_close(&out->waiting);
    free(out->reads.at);
    free(out->writes.at);
}

/* Of the requests whose cycle to leave is known: those still in the queue at the core cycle. Their number is
 * `departed`. */
static struct outbound_queue queue_at(const struct outbound_queue *q, uint64_t cycle)
{
    struct outbound_queue rest = {0};
    for (uint64_t i = q->departed; i > 0 && q->departed - i < q->most; i--) {
        const struct outbound_departure *d = &q->at[(i - 1) & q->mask];
        bool waits = d->left > cycle;
        rest.departed += waits;
        rest.data_bytes += waits ? d->data_bytes : 0;
        rest.waited += waits & d->waited;
    }
    return rest;
}

void outbound_count(const struct outbound *out, uint64_t cycle, struct crossbar_stats *stats)
{
    const struct outbound_queue *const queues[] = {&out->reads, &out->writes};
    for (int i = 0; i < 2; i++) {
        struct outbound_queue rest = queue_at(queues[i], cycle);
        uint64_t count = queues[i]->departed - rest.departed;
        stats->requests += count;
        stats->request_bytes += count * out->crossbar->config->packet_bytes + queues[i]->data_bytes - rest.data_bytes;
        stats->queue_full += queues[i]->waited - rest.waited;
    }
}

uint32_t outbound_with_place(const struct outbound *out, uint64_t cycle)
{
    return (uint32_t)(queue_at(&out->reads, cycle).departed + queue_at(&out->writes, cycle).departed);
}

void outbound_give_place(struct outbound *out)
{
    const struct timed_packet *first = ring_head(&out->waiting);
    struct packet *p = &ring_end(out->in_crossbar)->packet;
    *p = first->packet;
    outbound_depart(out, p->kind == PACKET_READ ? &out->reads : &out->writes, first->time, crossbar_request_data(p));
    ring_pop(&out->waiting);
}
