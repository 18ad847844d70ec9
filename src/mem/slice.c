/* L2 slices: see slice.h. */
#include "mem/slice.h"

#include "base/arena.h"

#include <stdlib.h>

void slice_open(struct slice *s, const struct mem_config *config, struct mem_counters *stats,
                struct crossbar *x, const struct slice_sink *sink, uint32_t index)
{
    *s = (struct slice){.config = config,
                        .stats = &stats->l2,
                        .crossbar = x,
                        .port = &x->port[index],
                        .sink = sink,
                        .index = index};
    uint32_t sector = config->sector_bytes ? config->sector_bytes : config->l2_line_bytes;
    s->line_shift = (unsigned)__builtin_ctz(config->l2_line_bytes);
    s->sector_shift = (unsigned)__builtin_ctz(sector);
    s->all_sectors = (uint8_t)((1u << (config->l2_line_bytes / sector)) - 1);
    s->to_memory = clock_make_ratio(config->crossbar_mhz, config->memory_mhz);
    s->from_memory = clock_make_ratio(config->memory_mhz, config->crossbar_mhz);
    s->done_time = s->work_at = CLOCK_NEVER;
    cache_open(&s->cache, config->l2_bytes, config->l2_line_bytes, config->l2_ways);
    mshr_open(&s->mshr, config->l2_mshrs, config->l2_merges);
    s->target = xcalloc(s->mshr.nodes, sizeof *s->target);
    ring_open(&s->input, config->l2_queue);
    ring_open(&s->output, config->l2_reply_queue);
    dram_open(&s->dram, config, &stats->dram);
    for (int i = 0; i < SLICE_ATOMIC_LINES; i++)
        s->atomic_line[i] = CACHE_EMPTY;
}

void slice_close(struct slice *s)
{
    cache_close(&s->cache);
    mshr_close(&s->mshr);
    free(s->target);
    ring_close(&s->input);
    ring_close(&s->output);
    dram_close(&s->dram);
}

static uint32_t sector_bytes(const struct slice *s, unsigned sectors)
{
    return packet_sectors(sectors) << s->sector_shift;
}

static bool has_reply_room(const struct slice *s)
{
    return s->output.count < s->config->l2_reply_queue;
}

/* ---- atomics ---- */

/* The place of the line among those with an atomic in progress at cycle k, or one that is free; -1 if there
 * is none. */
static int atomic_place(const struct slice *s, uint64_t line, uint64_t k)
{
    int free_place = -1;
    for (int i = 0; i < SLICE_ATOMIC_LINES; i++) {
        if (s->atomic_line[i] == line)
            return i;
        if (s->atomic_until[i] <= k)
            free_place = i;
    }
    return free_place;
}

/* When an atomic on the line may start, from cycle k on. */
static uint64_t atomic_start(const struct slice *s, uint64_t line, uint64_t k)
{
    int i = atomic_place(s, line, k);
    if (i >= 0)
        return clock_later(k, s->atomic_until[i]);
    uint64_t first = CLOCK_NEVER;
    for (i = 0; i < SLICE_ATOMIC_LINES; i++)
        first = clock_earlier(first, s->atomic_until[i]);
    return first;
}

/* Does the atomic at or after cycle k, when its line lets it. Gives how long after k its last operation
 * starts. */
static uint64_t do_atomic(struct slice *s, const struct packet *p, uint64_t k)
{
    uint64_t line = p->address >> s->line_shift;
    uint64_t start = atomic_start(s, line, k);
    int i = atomic_place(s, line, start);
    s->atomic_line[i] = line;
    s->atomic_until[i] = start + (uint64_t)p->passes * s->config->atomic_interval;
    return s->atomic_until[i] - s->config->atomic_interval - k;
}

/* ---- lines from DRAM ---- */

static void write_back(struct slice *s, uint64_t victim, unsigned dirty)
{
    dram_push(&s->dram, victim << s->line_shift, sector_bytes(s, dirty), true, 0);
    s->stats->writebacks++;
}

static void put_in_cache(struct slice *s, uint64_t line, unsigned sectors, bool dirty)
{
    uint64_t victim;
    unsigned victim_dirty;
    if (cache_fill(&s->cache, line, sectors, dirty, &victim, &victim_dirty))
        write_back(s, victim, victim_dirty);
}

/* A target of a line that came: its reply, and what it does to the line. False if there is no room for the
 * reply. */
static bool answer_target(struct slice *s, const struct packet *p, uint64_t k)
{
    uint64_t line = p->address >> s->line_shift;
    bool replies = p->kind != PACKET_WRITE || p->wants_reply;
    if (replies && !has_reply_room(s))
        return false;
    uint64_t extra = p->kind == PACKET_ATOMIC ? do_atomic(s, p, k) : 0;
    if (p->kind != PACKET_READ)
        cache_mark_dirty(&s->cache, line, p->sectors);
    if (replies)
        ring_insert(&s->output, k + 1 + extra, p);
    return true;
}

static void refresh_done(struct slice *s)
{
    const struct dram_done *done = dram_first_done(&s->dram);
    s->done_time = done ? clock_first_from(s->from_memory, done->cycle) : CLOCK_NEVER;
}

static bool has_writes(const struct slice *s, int32_t entry)
{
    for (int32_t n = s->mshr.entry[entry].first; n >= 0; n = s->mshr.next[n])
        if (s->target[n].kind != PACKET_READ)
            return true;
    return false;
}

/* Without a cache there is nowhere to keep what was written: it goes on to DRAM at once. */
static bool needs_write_room(const struct slice *s, int32_t entry)
{
    uint64_t line = s->mshr.entry[entry].line;
    return s->cache.sets ? cache_evicts_dirty(&s->cache, line) : has_writes(s, entry);
}

static void start_fill(struct slice *s, int32_t entry)
{
    const struct mshr_entry *e = &s->mshr.entry[entry];
    if (s->cache.sets)
        put_in_cache(s, e->line, e->sectors, false);
    else if (has_writes(s, entry))
        write_back(s, e->line, e->sectors);
    s->fill_started = true;
    s->fill_node = e->first;
}

static void take_fills(struct slice *s, uint64_t k)
{
    while (s->done_time <= k) {
        int32_t entry = (int32_t)dram_first_done(&s->dram)->token;
        if (!s->fill_started) {
            if (!dram_room(&s->dram) && needs_write_room(s, entry))
                return;
            start_fill(s, entry);
        }
        for (; s->fill_node >= 0; s->fill_node = s->mshr.next[s->fill_node])
            if (!answer_target(s, &s->target[s->fill_node], k))
                return;
        mshr_release(&s->mshr, entry);
        s->fill_started = false;
        dram_pop_done(&s->dram);
        refresh_done(s);
    }
}

/* ---- lookups ---- */

static enum slice_stall serve_hit(struct slice *s, const struct packet *p, uint64_t k)
{
    uint64_t line = p->address >> s->line_shift, extra = 0;
    bool replies = p->kind != PACKET_WRITE || p->wants_reply;
    if (replies && !has_reply_room(s))
        return SLICE_NO_REPLY;
    if (p->kind == PACKET_ATOMIC) {
        s->atomic_free = atomic_start(s, line, k);
        if (s->atomic_free > k)
            return SLICE_ATOMIC;
        extra = do_atomic(s, p, k);
    }
    if (p->kind != PACKET_READ)
        cache_mark_dirty(&s->cache, line, p->sectors);
    if (replies)
        ring_insert(&s->output, k + s->config->l2_latency + extra, p);
    s->stats->hits++;
    return SLICE_GOES;
}

/* A write that needs nothing from DRAM: of whole sectors, or taken as such. */
static enum slice_stall serve_whole_write(struct slice *s, const struct packet *p, uint64_t k)
{
    uint64_t line = p->address >> s->line_shift;
    if (p->wants_reply && !has_reply_room(s))
        return SLICE_NO_REPLY;
    if ((!s->cache.sets || cache_evicts_dirty(&s->cache, line)) && !dram_room(&s->dram))
        return SLICE_NO_DRAM;
    if (s->cache.sets)
        put_in_cache(s, line, p->sectors, true);
    else
        dram_push(&s->dram, p->address, p->bytes, true, 0);
    if (p->wants_reply)
        ring_insert(&s->output, k + s->config->l2_latency, p);
    s->stats->hits++;
    return SLICE_GOES;
}

static enum slice_stall serve_miss(struct slice *s, const struct packet *p, unsigned missing)
{
    uint64_t line = p->address >> s->line_shift;
    int32_t entry = mshr_find(&s->mshr, line, missing);
    bool merges = entry >= 0;
    if (!merges) {
        if (s->mshr.used == s->mshr.entries)
            return SLICE_NO_MSHR;
        if (!dram_room(&s->dram))
            return SLICE_NO_DRAM;
        entry = mshr_take(&s->mshr, line, missing, false);
        uint64_t first = line << s->line_shift | (uint64_t)__builtin_ctz(missing) << s->sector_shift;
        dram_push(&s->dram, first, sector_bytes(s, missing), false, (uint32_t)entry);
    }
    int32_t node = merges ? mshr_add(&s->mshr, entry) : s->mshr.entry[entry].first;
    if (node < 0)
        return SLICE_NO_MERGE;
    s->target[node] = *p;
    s->stats->misses++;
    s->stats->merges += merges;
    return SLICE_GOES;
}

static bool is_whole_write(const struct slice *s, const struct packet *p)
{
    return s->config->l2_write_miss == WRITE_VALIDATE || !s->cache.sets ||
           p->bytes == sector_bytes(s, p->sectors);
}

static enum slice_stall serve(struct slice *s, const struct packet *p, uint64_t k)
{
    unsigned there = cache_use(&s->cache, p->address >> s->line_shift);
    unsigned missing = p->sectors & ~there;
    if (!missing)
        return serve_hit(s, p, k);
    if (p->kind == PACKET_WRITE && is_whole_write(s, p))
        return serve_whole_write(s, p, k);
    return serve_miss(s, p, missing);
}

static void end_stall(struct slice *s, uint64_t k)
{
    uint64_t span = k - s->stalled_since;
    switch (s->stall) {
    case SLICE_NO_MSHR:
        s->stats->mshr_stall_cycles += span;
        break;
    case SLICE_NO_MERGE:
        s->stats->merge_stall_cycles += span;
        break;
    case SLICE_NO_DRAM:
        s->stats->dram_stall_cycles += span;
        break;
    case SLICE_NO_REPLY:
        s->stats->reply_stall_cycles += span;
        break;
    case SLICE_ATOMIC:
        s->stats->atomic_stall_cycles += span;
        break;
    default:
        break;
    }
    s->stall = SLICE_GOES;
}

/* What the request at the head waits for has not come: it need not be looked at. */
static bool lacks_still(const struct slice *s)
{
    return (s->stall == SLICE_NO_MSHR && s->mshr.used == s->mshr.entries) ||
           (s->stall == SLICE_NO_DRAM && !dram_room(&s->dram)) ||
           (s->stall == SLICE_NO_REPLY && !has_reply_room(s));
}

/* The request at the head. Gives whether the tags were looked at. */
static bool look_up(struct slice *s, uint64_t k)
{
    if (!s->input.count || s->tags_free > k || lacks_still(s))
        return false;
    const struct packet *p = &ring_head(&s->input)->packet;
    enum slice_stall stall = serve(s, p, k);
    if (stall != s->stall) {
        end_stall(s, k);
        s->stall = stall;
        s->stalled_since = k;
    }
    if (stall != SLICE_GOES)
        return true;
    s->stats->accesses++;
    s->stats->reads += p->kind == PACKET_READ;
    s->stats->writes += p->kind == PACKET_WRITE;
    s->stats->atomics += p->kind == PACKET_ATOMIC;
    s->tags_free = k + s->config->l2_interval;
    ring_pop(&s->input);
    return true;
}

/* ---- the crossbar's side ---- */

/* The first reply leaves if it can. Gives whether somebody inside may have waited for its place. */
static bool send_reply(struct slice *s, uint64_t k)
{
    if (!s->output.count || s->link_free > k)
        return false;
    const struct flight *f = ring_head(&s->output);
    if (f->time > k || s->crossbar->sm_port_free[f->packet.sm] > k)
        return false;
    bool was_full = !has_reply_room(s);
    s->link_free = k + crossbar_send_reply(s->crossbar, k, &f->packet);
    s->sink->reply(s->sink->owner, &f->packet, s->link_free - 1 + s->crossbar->latency);
    ring_pop(&s->output);
    return was_full;
}

/* When the first reply may leave, as far as is known: another slice may get hold of the port. */
static uint64_t next_reply(const struct slice *s)
{
    if (!s->output.count)
        return CLOCK_NEVER;
    const struct flight *f = ring_head(&s->output);
    return clock_later(f->time, clock_later(s->link_free, s->crossbar->sm_port_free[f->packet.sm]));
}

static void take_request(struct slice *s, uint64_t k)
{
    struct packet p;
    if (s->input.count == s->config->l2_queue || crossbar_next_request(s->port) > k)
        return;
    crossbar_take_request(s->crossbar, s->index, k, &p);
    ring_push(&s->input, k, &p);
    s->sink->place_free(s->sink->owner, p.sm, k + s->crossbar->latency);
}

/* When something inside can go on, other than by a reply that leaves. A fill that has not started waits for
 * room to write back what must leave. It is tried again after a lookup, since that may have changed which
 * line that is: even one that stalls counts as a use. */
static uint64_t next_work(const struct slice *s, uint64_t k, bool looked_up)
{
    bool fill_waits = s->done_time <= k, waits_for_dram = fill_waits && !s->fill_started;
    if (waits_for_dram && looked_up)
        return k + 1;
    uint64_t next = dram_due(&s->dram, waits_for_dram || s->stall == SLICE_NO_DRAM);
    if (next != CLOCK_NEVER)
        next = clock_first_from(s->from_memory, next);
    if (!fill_waits)
        next = clock_earlier(next, s->done_time);
    if (s->input.count && s->stall == SLICE_GOES)
        next = clock_earlier(next, s->tags_free);
    if (s->input.count && s->stall == SLICE_ATOMIC)
        next = clock_earlier(next, s->atomic_free);
    return next;
}

static void work(struct slice *s, uint64_t k)
{
    dram_advance(&s->dram, clock_last_until(s->to_memory, k));
    if (s->done_time == CLOCK_NEVER)
        refresh_done(s);
    if (s->done_time <= k)
        take_fills(s, k);
    take_request(s, k);
    bool looked_up = look_up(s, k);
    if (s->done_time == CLOCK_NEVER)
        refresh_done(s);
    s->port->is_full = s->input.count == s->config->l2_queue;
    s->work_at = next_work(s, k, looked_up);
}

/* Replies often find their multiprocessor's port taken, so to try them again costs little. */
void slice_visit(struct slice *s, uint64_t k)
{
    struct crossbar_port *port = s->port;
    bool made_room = send_reply(s, k);
    if (made_room || s->work_at <= k || (!port->is_full && crossbar_next_request(port) <= k))
        work(s, k);
    uint64_t next = clock_earlier(s->work_at, next_reply(s));
    if (!port->is_full)
        next = clock_earlier(next, crossbar_next_request(port));
    port->due = clock_later(next, k + 1);
}

void slice_dump(const struct slice *s, struct text *out)
{
    static const char *const why[SLICE_STALLS] = {"goes on",          "no miss register",
                                                  "no room to merge", "no room in DRAM",
                                                  "no reply room",    "an atomic on the same line"};
    if (!s->input.count && !s->output.count && !s->mshr.used && !s->dram.queued)
        return;
    text_printf(out,
                "  slice %u: %u requests wait (%s), %u of %u miss registers taken, %u replies wait, "
                "%llu requests in DRAM, due at crossbar cycle %llu\n",
                s->index, s->input.count, why[s->stall], s->mshr.used, s->mshr.entries, s->output.count,
                (unsigned long long)s->dram.queued, (unsigned long long)s->port->due);
}
