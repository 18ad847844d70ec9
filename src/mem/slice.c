/*
 * L2 slices (slice.h): requests from the crossbar, lookups of the tags, lines from DRAM, replies to the crossbar, and
 * the order of these within a cycle. `k` is a cycle of the crossbar's clock throughout. A slice touches other slices
 * only through the crossbar's times (`due`) and a channel that they share, and SMs only by sending replies and freeing
 * places.
 */
#include "mem/slice.h"

#include "base/arena.h"
#include "base/inline.h"
#include "mem/slice_output.h"

#include <stdlib.h>

/* Makes stall_cycles[] point to the counter of each kind of stall. */
static void count_stalls_in(struct mem_slice *s, struct l2_stats *stats)
{
    s->stall_cycles[SLICE_GOES] = &s->going_cycles;
    s->stall_cycles[SLICE_NO_MSHR] = &stats->mshr_stall_cycles;
    s->stall_cycles[SLICE_NO_MERGE] = &stats->merge_stall_cycles;
    s->stall_cycles[SLICE_NO_DRAM] = &stats->dram_stall_cycles;
    s->stall_cycles[SLICE_NO_REPLY] = &stats->reply_stall_cycles;
    s->stall_cycles[SLICE_ATOMIC] = &stats->atomic_stall_cycles;
}

void mem_slice_open(struct mem_slice *s, const struct mem_config *config, struct crossbar *x, struct sm_port *sm_ports,
                    struct dram *dram, uint32_t index, struct storage *storage)
{
    *s = (struct mem_slice){.config = config,
                            .crossbar = x,
                            .port = &x->port[index],
                            .sm_ports = sm_ports,
                            .dram = dram,
                            .dram_client = index / config->channels,
                            .index = index};
    uint32_t sector = config->sector_bytes ? config->sector_bytes : config->l2_line_bytes;
    s->line_shift = (unsigned)__builtin_ctz(config->l2_line_bytes);
    s->sector_shift = (unsigned)__builtin_ctz(sector);
    s->to_memory = clock_make_ratio(config->crossbar_mhz, config->memory_mhz);
    s->from_memory = clock_make_ratio(config->memory_mhz, config->crossbar_mhz);
    count_stalls_in(s, &s->stats);
    s->client = &dram->client[s->dram_client];
    s->most_input = config->l2_queue;
    s->most_output = config->l2_reply_queue;
    s->done_time = s->answered = CLOCK_NEVER;
    cache_open(&s->cache, config->l2_bytes, config->l2_line_bytes, config->l2_ways, storage);
    mshr_open(&s->mshr, config->l2_mshrs, config->l2_merges, storage);
    s->target = storage_array(storage, struct packet, s->mshr.nodes);
    ring_open(&s->input, config->l2_queue);
    response_open(&s->output, config->l2_reply_queue + 1); /* one for a request that is answered ahead */
    atomics_open(&s->atomics);
}

void mem_slice_close(struct mem_slice *s)
{
    ring_close(&s->input);
    response_close(&s->output);
}

static uint32_t sector_bytes(const struct mem_slice *s, unsigned sectors)
{
    return packet_sectors(sectors) << s->sector_shift;
}

static inline void note_written(struct mem_slice *s, uint64_t k)
{
    s->written = clock_later(s->written, k);
}

/* Performs the atomic as soon as its line allows, from cycle k on. Gives the number of cycles from k to the start
 * of its last operation. */
static __attribute__((noinline)) uint64_t do_atomic(struct mem_slice *s, const struct packet *p, uint64_t k)
{
    const uint64_t interval = s->config->atomic_interval;
    uint64_t until = atomics_perform(&s->atomics, p->address >> s->line_shift, p->passes * interval, k);
    note_written(s, until);
    return until - interval - k;
}

/* ---- lines from DRAM ---- */

/* Finds `done_time`, if the channel has a finished read that was not noted yet. Lets the host fetch what it keeps of
 * the line, which mostly comes in a later cycle. */
static inline void refresh_done(struct mem_slice *s)
{
    const struct dram_client *client = s->client;
    if (s->done_time == CLOCK_NEVER && client->done_count) {
        const struct dram_done *done = dram_first_done(client);
        s->done_time = clock_first_since(&s->from_memory, done->cycle);
        cache_prefetch(&s->cache, s->mshr.entry[done->token].key.set);
        __builtin_prefetch(&s->target[done->token]);
    }
}

static void push_to_channel(struct mem_slice *s, uint64_t address, uint32_t bytes, bool is_write, uint32_t token)
{
    dram_advance(s->dram, s->crossbar->memory);
    dram_push(s->dram, s->dram_client, address, bytes, is_write, token);
}

static void write_back(struct mem_slice *s, uint64_t victim, unsigned dirty)
{
    push_to_channel(s, victim << s->line_shift, sector_bytes(s, dirty), true, 0);
    s->stats.writebacks++;
}

/* Puts a line that is not in the cache, which must have sets, where the least recently used line of its set is. That
 * line is written back if it is dirty. False, and nothing is done, if the channel has no room for that. */
static ALWAYS_INLINE bool put_in_cache(struct mem_slice *s, struct cache_key key, uint64_t line, unsigned sectors,
                                       unsigned dirty)
{
    struct cache *c = &s->cache;
    const int64_t oldest = cache_oldest(c, key.set);
    if (*cache_dirty(c, oldest)) {
        if (!dram_room(s->dram))
            return false;
        write_back(s, cache_line_at(c, oldest), *cache_dirty(c, oldest));
    }
    cache_replace_oldest(c, key, line, sectors);
    *cache_dirty(c, oldest) = (uint8_t)dirty;
    return true;
}

/* A target of a line that arrived: marks the line dirty if the target writes, and makes the target's reply. False
 * if there is no room for the reply. */
static bool answer_target(struct mem_slice *s, const struct packet *p, uint64_t k)
{
    uint64_t line = p->address >> s->line_shift;
    bool replies = p->wants_reply;
    if (replies && !slice_output_has_room(s, k))
        return false;
    uint64_t extra = p->kind == PACKET_ATOMIC ? do_atomic(s, p, k) : 0;
    if (p->kind != PACKET_READ) {
        note_written(s, k);
        int64_t place = cache_find(&s->cache, line);
        if (place != CACHE_NOWHERE)
            *cache_dirty(&s->cache, place) |= p->sectors;
    }
    if (replies)
        slice_output_push(s, k, s->config->l2_fill_latency + extra, p);
    return true;
}

/* Whether any request that waits in the miss register writes. */
static bool has_writes(const struct mem_slice *s, int32_t entry)
{
    for (int32_t n = entry; n >= 0; n = s->mshr.next[n])
        if (s->target[n].kind != PACKET_READ)
            return true;
    return false;
}

/* The line of miss register `entry` has come from DRAM: puts it into the cache. Its targets are answered after that.
 * False, and nothing is done, if it must write to DRAM and the channel has no room: to write back a dirty line that it
 * evicts or, without a cache, to write what its targets wrote. */
static ALWAYS_INLINE bool start_fill(struct mem_slice *s, int32_t entry)
{
    const struct mshr_entry *e = &s->mshr.entry[entry];
    struct cache *c = &s->cache;
    if (!c->sets) {
        if (has_writes(s, entry)) {
            if (!dram_room(s->dram))
                return false;
            write_back(s, e->line, e->sectors);
        }
    } else {
        int64_t place = cache_find_key(c, e->key, e->line);
        if (place != CACHE_NOWHERE)
            cache_add(c, place, e->sectors, 0);
        else if (!put_in_cache(s, e->key, e->line, e->sectors, 0))
            return false;
    }
    s->fill_started = true;
    s->fill_node = entry;
    return true;
}

/* Takes the lines that have come from DRAM by cycle k, as far as there is room for write-backs and replies. */
static __attribute__((noinline)) void take_fills(struct mem_slice *s, uint64_t k)
{
    while (s->done_time <= k) {
        int32_t entry = (int32_t)dram_first_done(s->client)->token;
        if (!s->fill_started && !start_fill(s, entry))
            return;
        for (; s->fill_node >= 0; s->fill_node = s->mshr.next[s->fill_node])
            if (!answer_target(s, &s->target[s->fill_node], k))
                return;
        mshr_release(&s->mshr, entry);
        s->fill_started = false;
        dram_pop_done(s->dram, s->client);
        s->done_time = CLOCK_NEVER;
        refresh_done(s);
    }
}

/* ---- lookups ---- */

/* If the reply to the request that was answered ahead has its room by cycle k, the request leaves its place. */
static inline void leave_place(struct mem_slice *s, uint64_t k)
{
    const bool leaves = s->answered <= k;             /* as good as random, so there is no branch */
    s->port->is_full &= !leaves | (s->answered == k); /* in the cycle itself the port still finds the queue full */
    s->answered |= -(uint64_t)leaves;
}

/* Places of the queue of requests that are taken. */
static inline uint32_t count_places(const struct mem_slice *s)
{
    return s->input.count + (s->answered != CLOCK_NEVER);
}

/* Answers a read that hits. If its reply has no room yet, but it is known when it has, the read is answered ahead:
 * until then nothing changes in the cache, since no line comes from DRAM. */
static ALWAYS_INLINE enum mem_slice_stall answer_read(struct mem_slice *s, const struct packet *p, uint64_t k)
{
    const uint64_t room = slice_output_free_from(s);
    const bool waits = room > k;
    if (waits & ((room == CLOCK_NEVER) | (s->mshr.used != 0)))
        return SLICE_NO_REPLY;
    s->answered = room | -(uint64_t)!waits;
    slice_output_push(s, clock_later(room, k), s->config->l2_latency, p);
    s->stats.hits++;
    return SLICE_GOES;
}

/* The cache holds all sectors that the request needs. Gives SLICE_GOES or, as all serve functions do, why the request
 * must stay at the head of the queue. */
static ALWAYS_INLINE enum mem_slice_stall serve_hit(struct mem_slice *s, const struct packet *p, int64_t place,
                                                    uint64_t k)
{
    uint64_t extra = 0;
    if (p->kind == PACKET_READ)
        return answer_read(s, p, k);
    if (p->wants_reply && !slice_output_has_room(s, k))
        return SLICE_NO_REPLY;
    if (p->kind == PACKET_ATOMIC) {
        s->atomic_free = atomics_start(&s->atomics, p->address >> s->line_shift, k);
        if (s->atomic_free > k)
            return SLICE_ATOMIC;
        extra = do_atomic(s, p, k);
    }
    *cache_dirty(&s->cache, place) |= p->sectors;
    note_written(s, k);
    if (p->wants_reply)
        slice_output_push(s, k, s->config->l2_latency + extra, p);
    s->stats.hits++;
    return SLICE_GOES;
}

/* A write that needs nothing from DRAM: of whole sectors, or treated as such (l2_write_miss = validate). `place` is
 * the line's, if the cache holds any of its sectors. */
static __attribute__((noinline)) enum mem_slice_stall serve_whole_write(struct mem_slice *s, const struct packet *p,
                                                                        int64_t place, uint64_t k)
{
    struct cache *c = &s->cache;
    const uint64_t line = p->address >> s->line_shift;
    if (p->wants_reply && !slice_output_has_room(s, k))
        return SLICE_NO_REPLY;
    if (!c->sets) {
        if (!dram_room(s->dram))
            return SLICE_NO_DRAM;
        push_to_channel(s, p->address, p->bytes, true, 0);
    } else if (place != CACHE_NOWHERE) {
        cache_add(c, place, p->sectors, p->sectors);
    } else if (!put_in_cache(s, cache_key_of(c, line), line, p->sectors, p->sectors)) {
        return SLICE_NO_DRAM;
    }
    note_written(s, k);
    if (p->wants_reply)
        slice_output_push(s, k, s->config->l2_latency, p);
    s->stats.hits++;
    return SLICE_GOES;
}

/* The sectors that DRAM is asked for where `missing` are wanted: whole pieces of l2_fetch bytes, without what the cache
 * has already. */
static unsigned fetched_sectors(const struct mem_slice *s, uint64_t line, unsigned missing)
{
    unsigned piece = s->config->l2_fetch_bytes >> s->sector_shift, fetched = missing;
    if (piece < 2)
        return missing;
    for (unsigned at = 0; at < 1u << (s->line_shift - s->sector_shift); at += piece) {
        unsigned all = ((1u << piece) - 1) << at;
        fetched |= missing & all ? all : 0;
    }
    int64_t place = cache_find(&s->cache, line);
    return place == CACHE_NOWHERE ? fetched : fetched & ~(unsigned)*cache_sectors(&s->cache, place);
}

/* The sectors `missing` are not in the cache: asks DRAM for them, or joins the miss register that waits for them. */
static __attribute__((noinline)) enum mem_slice_stall serve_miss(struct mem_slice *s, const struct packet *p,
                                                                 unsigned missing)
{
    uint64_t line = p->address >> s->line_shift;
    const struct cache_key key = cache_key_of(&s->cache, line);
    int32_t entry = mshr_find(&s->mshr, key, line, missing);
    bool merges = entry >= 0;
    if (!merges) {
        if (s->mshr.used == s->mshr.entries)
            return SLICE_NO_MSHR;
        if (!dram_room(s->dram))
            return SLICE_NO_DRAM;
        missing = fetched_sectors(s, line, missing);
        entry = mshr_take(&s->mshr, key, line, missing, false);
        uint64_t first = line << s->line_shift | (uint64_t)__builtin_ctz(missing) << s->sector_shift;
        push_to_channel(s, first, sector_bytes(s, missing), false, (uint32_t)entry);
    }
    int32_t node = merges ? mshr_add(&s->mshr, entry) : entry;
    if (node < 0)
        return SLICE_NO_MERGE;
    s->target[node] = *p;
    s->stats.misses++;
    s->stats.merges += merges;
    return SLICE_GOES;
}

/* Whether a write needs nothing from DRAM. */
static bool is_whole_write(const struct mem_slice *s, const struct packet *p)
{
    return s->config->l2_write_miss == WRITE_VALIDATE || !s->cache.sets || p->bytes == sector_bytes(s, p->sectors);
}

static ALWAYS_INLINE enum mem_slice_stall serve(struct mem_slice *s, const struct packet *p, uint64_t k)
{
    const uint64_t line = p->address >> s->line_shift;
    int64_t place = s->found; /* a request that is tried again after a stall mostly finds its line there */
    unsigned missing = p->sectors;
    if (s->stall == SLICE_GOES || cache_line_at(&s->cache, place) != line)
        place = cache_find(&s->cache, line);
    if (place != CACHE_NOWHERE) {
        s->found = place;
        cache_touch(&s->cache, place);
        missing &= ~(unsigned)*cache_sectors(&s->cache, place);
    }
    if (!missing)
        return serve_hit(s, p, place, k);
    if (p->kind == PACKET_WRITE && is_whole_write(s, p))
        return serve_whole_write(s, p, place, k);
    return serve_miss(s, p, missing);
}

/* True while the request at the head of the queue still lacks what it waits for: no lookup is needed. */
static bool lacks_still(struct mem_slice *s, uint64_t k)
{
    switch (s->stall) {
    case SLICE_NO_MSHR:
        return s->mshr.used == s->mshr.entries;
    case SLICE_NO_DRAM:
        return !dram_room(s->dram);
    case SLICE_NO_REPLY:
        return !slice_output_has_room(s, k);
    default:
        return false;
    }
}

/* A lookup of the request at cycle k ended so: notes why the request stays, or what the lookup keeps busy. */
static inline void note_lookup(struct mem_slice *s, const struct packet *p, enum mem_slice_stall stall, uint64_t k)
{
    if (stall != s->stall) {
        *s->stall_cycles[s->stall] += k - s->stalled_since;
        s->stall = stall;
        s->stalled_since = k;
    }
    if (stall != SLICE_GOES)
        return;
    const uint64_t gone = s->answered == CLOCK_NEVER ? k : s->answered; /* when it leaves the queue */
    s->stats.reply_stall_cycles += gone - k;
    s->stalled_since = k;
    s->tags_free = gone + s->config->l2_interval;
    if (p->kind == PACKET_READ)
        return;
    if (p->kind == PACKET_WRITE)
        s->tags_free += (uint64_t)(packet_sectors(p->sectors) - 1) * s->config->l2_write_interval;
    s->stats.writes += p->kind == PACKET_WRITE;
    s->stats.atomics += p->kind == PACKET_ATOMIC;
}

/* Lets the host fetch what it keeps of the set in which a request will be looked up soon. */
static inline void prefetch_set(const struct mem_slice *s, const struct packet *p)
{
    const struct cache *c = &(s - s->index + p->slice)->cache;
    cache_prefetch(c, cache_set(c, p->address >> s->line_shift));
}

/* The place in the crossbar of a request that was taken at cycle k becomes free. */
static inline void free_place(struct mem_slice *s, struct crossbar_sm *sm, uint64_t k)
{
    const struct crossbar *x = s->crossbar;
    crossbar_taken(sm)->time = clock_first_since(&x->to_core, k + x->latency);
    sm->places_until++;
    if (sm->waiting)
        sm_port_give_place(&s->sm_ports[sm - x->sm]);
}

/* Looks up the request at the head of the queue or, if none waits there, the request `taken` from the crossbar, unless
 * that is NULL; `taken` joins the queue if it must wait. Gives whether the tags were accessed. */
static ALWAYS_INLINE bool look_up(struct mem_slice *s, const struct packet *taken, uint64_t k)
{
    const bool waited = s->input.count > 0;
    const struct packet *p = waited ? &ring_head(&s->input)->packet : taken;
    bool looks_up = p && s->tags_free <= k && !(s->stall && lacks_still(s, k)), goes = false;
    if (looks_up) {
        enum mem_slice_stall stall = serve(s, p, k);
        note_lookup(s, p, stall, k);
        goes = stall == SLICE_GOES;
    }
    if (taken && (waited || !goes))
        ring_push_within(&s->input, k, taken);
    if (waited && goes)
        ring_pop(&s->input);
    return looks_up;
}

/* ---- the order of events ---- */

/* The next cycle at which the slice must look at its channel: for the first line that comes back, or for room in the
 * channel's queue. A line that came back and has not begun to fill waits for room, to write back the line that it
 * evicts. */
static ALWAYS_INLINE uint64_t next_of_channel(const struct mem_slice *s, uint64_t k)
{
    const bool fill_waits = s->done_time <= k;
    const bool waits_for_room = (fill_waits && !s->fill_started) || s->stall == SLICE_NO_DRAM;
    uint64_t next = fill_waits ? CLOCK_NEVER : s->done_time;
    if (waits_for_room || (s->client->queued && s->done_time == CLOCK_NEVER)) {
        uint64_t due = dram_due(s->dram, waits_for_room);
        next = clock_earlier(next, clock_first_from(&s->from_memory, due));
    }
    return next;
}

/* The next cycle at which anything but taking a request or sending a reply can happen. A fill that waits for room in
 * the channel is tried again after every lookup, since even a lookup that stalls counts as a use and may have changed
 * which line is evicted. */
static ALWAYS_INLINE uint64_t next_work(struct mem_slice *s, uint64_t k, bool looked_up)
{
    uint64_t next = CLOCK_NEVER;
    if (!dram_is_idle(s->dram)) {
        if (looked_up && s->done_time <= k && !s->fill_started)
            return k + 1;
        next = next_of_channel(s, k);
    }
    if (s->answered != CLOCK_NEVER) {
        if (count_places(s) == s->most_input)
            next = clock_earlier(next, s->answered + 1);
        else if (s->input.count)
            next = clock_earlier(next, s->tags_free);
    } else if (s->input.count && s->stall == SLICE_GOES) {
        next = clock_earlier(next, s->tags_free);
    } else if (s->input.count && s->stall == SLICE_ATOMIC) {
        next = clock_earlier(next, s->atomic_free);
    }
    if (slice_output_is_awaited(s))
        next = clock_earlier(next, slice_output_free_from(s));
    return next;
}

/* Lines that come back from the channel by cycle k. */
static inline void take_lines(struct mem_slice *s, uint64_t k)
{
    if (s->dram->next <= s->crossbar->memory)
        dram_run(s->dram, s->crossbar->memory);
    refresh_done(s);
    if (s->done_time <= k)
        take_fills(s, k);
}

/* Does everything but sending replies at cycle k. `words`: those of the crossbar, in which SMs are bits. */
static ALWAYS_INLINE void work(struct mem_slice *s, uint64_t k, uint32_t words)
{
    struct crossbar *x = s->crossbar;
    struct crossbar_sm *sm = NULL;
    leave_place(s, k);
    if (!dram_is_idle(s->dram))
        take_lines(s, k);
    if (crossbar_next_request(s->port) <= k) {
        sm = crossbar_take_request(x, s->port, k, words);
        if (sm->in_flight.count) {
            prefetch_set(s, &ring_head(&sm->in_flight)->packet);
            __builtin_prefetch(ring_head(&sm->in_flight) + 2); /* that set is found from it in turn */
        }
    }
    bool looked_up = look_up(s, sm ? &crossbar_taken(sm)->packet : NULL, k);
    if (sm)
        free_place(s, sm, k);
    s->port->is_full = count_places(s) == s->most_input;
    uint64_t next = clock_earlier(next_work(s, k, looked_up), crossbar_next_request(s->port));
    agenda_put(&x->works, s->index, clock_later(next, k + 1));
}

/* work() where all SMs are bits of one word. */
static ALWAYS_INLINE void work_for_few(struct mem_slice *s, uint64_t k)
{
    work(s, k, 1);
}

static ALWAYS_INLINE void work_for_many(struct mem_slice *s, uint64_t k)
{
    work(s, k, s->crossbar->words);
}

/* The first reply leaves at cycle k, unless another slice's reply has taken the SM's port. A lookup or a line from DRAM
 * may have waited for its room in the queue. */
static ALWAYS_INLINE void send_reply(struct mem_slice *s, uint64_t k)
{
    struct crossbar *x = s->crossbar;
    struct crossbar_sm *sm = &x->sm[s->reply_sm];
    if (sm->port_free > k) {
        agenda_put(&x->replies, s->index, sm->port_free);
        return;
    }
    if (slice_output_is_awaited(s) && slice_output_free_from(s) == CLOCK_NEVER)
        agenda_put(&x->works, s->index, clock_earlier(x->works.due[s->index], k));
    struct response *r = &s->output.at[s->output.head];
    uint64_t end = k + x->reply_cycles[r->reply.data_bytes];
    sm->port_free = s->link_free = end;
    sm_port_receive(&s->sm_ports[s->reply_sm], clock_first_since(&x->to_core, end - 1 + x->latency), r);
    s->replies++;
    s->reply_bytes += r->reply.data_bytes;
    r->time = k;
    response_pop(&s->output);
    slice_output_plan(s, k + 1);
}

/* Visits those slices of the set that are due at cycle k. Bit 0 stands for slice `first` of the 64 slices from slice
 * `base` on; slice `base` follows the last of these. A visit can make a slice due for a later cycle, but none for this
 * one on the same agenda. */
static ALWAYS_INLINE void visit_set(struct agenda *a, struct mem_slice *slices, uint64_t set, uint32_t base,
                                    uint32_t first, uint64_t k, void (*visit)(struct mem_slice *s, uint64_t k))
{
    for (; set; set &= set - 1) {
        const uint32_t slice = base + (first + (uint32_t)__builtin_ctzll(set)) % 64;
        if (agenda_is_due(a, slice, k))
            visit(&slices[slice], k);
    }
}

/* Visits the slices that are due at cycle k, in the order of their numbers from slice `first` on. `words`: those of the
 * agenda. */
static ALWAYS_INLINE void visit_due(struct agenda *a, uint32_t words, struct mem_slice *slices, uint32_t first,
                                    uint64_t k, void (*visit)(struct mem_slice *s, uint64_t k))
{
    const uint64_t from_first = UINT64_MAX << first % 64;
    if (words == 1) {
        uint64_t *set = agenda_set_of(a, 0, k), all = *set;
        *set = 0;
        visit_set(a, slices, all >> first | all << (64 - first) % 64, 0, first, k, visit);
        return;
    }
    for (uint32_t i = 0; i <= words; i++) {
        uint32_t word = first / 64 + i;
        word -= word < words ? 0 : words;
        uint64_t *set = agenda_set_of(a, word, k), turn = i == 0 ? from_first : i == words ? ~from_first : UINT64_MAX;
        uint64_t all = *set;
        *set = all & ~turn;
        visit_set(a, slices, all & turn, word * 64, 0, k, visit);
    }
}

/* The slice that goes first changes with the cycle, else the last slices would starve at a crowded SM's port. */
static uint32_t slice_with_turn(const struct crossbar *x, uint64_t k)
{
    return (uint32_t)(k - divide(x->by_slices, k) * x->slices);
}

/* A reply that is made in cycle k leaves more than `lead` cycles later. So replies are sent that far ahead of all else,
 * and SMs know of them that much sooner. A reply's room in the queue can be used in the cycle in which it leaves. */
static ALWAYS_INLINE void run_all(struct mem_slice *slices, uint32_t words, uint64_t until,
                                  void (*work_at)(struct mem_slice *s, uint64_t k))
{
    struct crossbar *x = slices->crossbar;
    uint32_t first = slice_with_turn(x, x->first_due), first_sender = slice_with_turn(x, x->first_due + x->lead);
    struct clock_follower memory = clock_follow(&slices->to_memory, x->first_due);
    for (uint64_t k = x->first_due; k <= until; k++, clock_step(&memory)) {
        x->memory = memory.cycle;
        visit_due(&x->replies, words, slices, first_sender, k + x->lead, send_reply);
        visit_due(&x->works, words, slices, first, k, work_at);
        first = first + 1 < x->slices ? first + 1 : 0;
        first_sender = first_sender + 1 < x->slices ? first_sender + 1 : 0;
    }
}

static __attribute__((noinline)) void run_many(struct mem_slice *slices, uint64_t until)
{
    run_all(slices, slices->crossbar->works.words, until, work_for_many);
}

void mem_slice_run_all(struct mem_slice *slices, uint64_t until)
{
    struct crossbar *x = slices->crossbar;
    crossbar_announce_new_heads(x);
    if (x->works.words == 1 && x->words == 1)
        run_all(slices, 1, until, work_for_few);
    else
        run_many(slices, until);
    uint64_t reply = agenda_first(&x->replies);
    x->first_due =
        clock_earlier(reply == CLOCK_NEVER ? reply : clock_later(reply, x->lead) - x->lead, agenda_first(&x->works));
}
