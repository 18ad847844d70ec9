/* What a slice of the L2 has counted, and what it waits for, in words (slice.h). */
#include "mem/slice.h"

void mem_slice_count(const struct mem_slice *s, uint64_t k, struct mem_counters *stats)
{
    uint64_t replies = s->replies, bytes = s->reply_bytes;
    const struct response_queue *q = &s->output;
    const uint32_t mark = (q->head + q->count) & q->mask; /* all other replies of the ring may have been sent ahead */
    for (uint32_t i = (q->head - 1) & q->mask; i != mark && q->at[i].time > k; i = (i - 1) & q->mask) {
        replies--;
        bytes -= q->at[i].reply.data_bytes;
    }
    stat_add(&mem_l2_owner, &stats->l2, &s->stats);
    if (s->answered > k && s->answered != CLOCK_NEVER) { /* counted, but not done yet */
        stats->l2.hits--;
        stats->l2.reply_stall_cycles -= s->answered - s->stalled_since;
    }
    stats->crossbar.replies += replies;
    stats->crossbar.reply_bytes += replies * s->config->reply_bytes + bytes;
}

void mem_slice_dump(const struct mem_slice *s, struct text *out)
{
    static const char *const why[SLICE_STALLS] = {"not stalled",     "no miss register", "no room to merge",
                                                  "no room in DRAM", "no reply room",    "an atomic on the same line"};
    const struct crossbar *x = s->crossbar;
    const uint64_t next = clock_earlier(x->replies.due[s->index], x->works.due[s->index]);
    if (!s->input.count && !s->output.count && !s->mshr.used && !s->client->queued)
        return;
    text_printf(out,
                "  L2 slice %u: %u requests wait (%s), %u of %u miss registers taken, %u replies wait, "
                "%llu requests in DRAM, due at crossbar cycle %llu\n",
                s->index, s->input.count, why[s->stall], s->mshr.used, s->mshr.entries, s->output.count,
                (unsigned long long)s->client->queued, (unsigned long long)next);
}
