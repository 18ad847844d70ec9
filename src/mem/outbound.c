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
    crossbar_open_sm(x, sm);
    *out = (struct outbound){.crossbar = x, .link = &x->sm[sm], .sm = sm};
    open_queue(&out->reads, config->miss_queue);
    open_queue(&out->writes, config->write_queue);
    ring_open(&out->waiting, config->miss_queue + config->write_queue);
    out->places = out->link->places_until = config->crossbar_queue;
    for (uint32_t i = 0; i <= out->link->in_flight.mask; i++)
        out->link->in_flight.at[i].time = 0; /* every place is free from the beginning */
}

void outbound_close(struct outbound *out)
{
    ring_close(&out->waiting);
    free(out->reads.at);
    free(out->writes.at);
}

static uint64_t count_departed(const struct outbound_queue *q)
{
    return q->entered - q->without_place;
}

/* Requests whose cycle to leave is known and that are still in the queue: their number, their data, and how many of
 * them waited for a place. */
struct rest {
    uint64_t count, data_bytes, waited;
};

static struct rest queue_at(const struct outbound_queue *q, uint64_t cycle)
{
    struct rest rest = {0};
    const uint64_t departed = count_departed(q);
    for (uint64_t i = departed; i > 0 && departed - i < q->most; i--) {
        const struct outbound_departure *d = &q->at[(i - 1) & q->mask];
        bool waits = d->left > cycle;
        rest.count += waits;
        rest.data_bytes += waits ? d->data_bytes : 0;
        rest.waited += waits & d->waited;
    }
    return rest;
}

void outbound_count(const struct outbound *out, uint64_t cycle, struct crossbar_stats *stats)
{
    const struct outbound_queue *const queues[] = {&out->reads, &out->writes};
    for (int i = 0; i < 2; i++) {
        struct rest rest = queue_at(queues[i], cycle);
        uint64_t count = count_departed(queues[i]) - rest.count;
        stats->requests += count;
        stats->request_bytes += count * out->crossbar->config->packet_bytes + queues[i]->data_bytes - rest.data_bytes;
        stats->queue_full += queues[i]->waited - rest.waited;
    }
}

uint32_t outbound_with_place(const struct outbound *out, uint64_t cycle)
{
    return (uint32_t)(queue_at(&out->reads, cycle).count + queue_at(&out->writes, cycle).count);
}

void outbound_give_place(struct outbound *out)
{
    const struct timed_packet *first = ring_head(&out->waiting);
    struct packet *p = outbound_new(out);
    *p = first->packet;
    struct outbound_queue *q = p->kind == PACKET_READ ? &out->reads : &out->writes;
    outbound_depart(out, q, q->entered - q->without_place--, first->time, crossbar_request_data(p));
    ring_pop(&out->waiting);
    out->link->waiting--;
}
