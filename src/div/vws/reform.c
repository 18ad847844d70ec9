/*
 * Reformation of gangs (E-VWS). Each cycle looks at one static warp that runs in several strands, in turn, and merges
 * two of its strands that are at one point. With `sync_cycles`, strands that come to a post-dominator wait there for
 * others of their static warp.
 *
 * The looks end when all such static warps have been looked at and none of their strands has moved, since then no
 * strand can have come to another's point. The looks begin again when the mechanism is called, or in the first cycle in
 * which nothing issues.
 */
#include "div/vws/vws.h"

#include "base/diag.h"

void vws_note_parts(struct vws *d, int32_t original, int change)
{
    struct vws_original *o = &d->warps.data[original];
    bool was_apart = o->parts > 1;
    o->parts += change;
    bool is_apart = o->parts > 1;
    if (!d->knobs.reform || was_apart == is_apart)
        return;
    while (d->apart.count <= original / 64)
        vec_push(&d->apart, 0);
    d->apart.data[original / 64] ^= UINT64_C(1) << original % 64;
    d->apart_count += is_apart ? 1 : -1;
}

void vws_look(struct vws *d)
{
    if (!d->apart_count)
        return;
    d->quiet = 0;
    if (!d->look_at) {
        d->look_at = d->host->now + 1;
        d->host->calls.tick_at(d->host, d->look_at);
    }
}

void vws_idle(struct div *div)
{
    struct vws *d = vws_of(div);
    if (d->ticked != d->host->now)
        vws_look(d);
}

/* ---- sync points ---- */

static bool is_whole(struct vws *d, const struct strand *s)
{
    const struct vws_gang *g = &d->gangs.data[s->id];
    return g->members == d->warps.data[g->original].members;
}

void vws_wait(struct vws *d, struct strand *s)
{
    if (!d->knobs.sync_cycles || !d->knobs.reform || !d->sync_points[s->pc] || s->parked || is_whole(d, s))
        return;
    uint64_t until = d->host->now + d->knobs.sync_cycles;
    d->host->calls.park(d->host, s);
    vec_push(&d->waits, (struct vws_sync_wait){s, s->generation, until});
    d->host->calls.tick_at(d->host, until);
    d->counters.waits++;
}

static void end_waits(struct vws *d)
{
    for (; d->first_wait < d->waits.count; d->first_wait++) {
        struct vws_sync_wait w = d->waits.data[d->first_wait];
        if (w.strand->generation != w.generation || !w.strand->parked)
            continue;
        if (w.until > d->host->now) {
            d->host->calls.tick_at(d->host, w.until);
            return;
        }
        d->counters.timeouts++;
        d->host->calls.unpark(d->host, w.strand);
    }
    d->waits.count = d->first_wait = 0;
}

/* ---- merging ---- */

/* Whether two strands of a static warp may merge. Strands that a load split merge only after one of them has moved on:
 * otherwise the split would be undone before the strand whose data came can issue. */
static bool may_merge(struct vws *d, const struct strand *a, const struct strand *b)
{
    const struct vws_gang *of_a = &d->gangs.data[a->id], *of_b = &d->gangs.data[b->id];
    bool has_entry = of_a->members & (of_a->members - 1) || of_b->members & (of_b->members - 1);
    bool just_split = of_a->load_split_pc == a->pc && of_b->load_split_pc == b->pc;
    return a->pc == b->pc && a->depth == b->depth && !just_split && !a->busy && !b->busy && !a->held && !b->held &&
           (has_entry || vws_has_room(d, of_a->original));
}

static void merge(struct vws *d, struct strand *s, struct strand *into)
{
    struct vws_gang from = d->gangs.data[s->id], to = d->gangs.data[into->id];
    struct threads joint;
    threads_copy(&joint, &into->threads);
    for (int i = 0; i < s->threads.count; i++)
        threads_add(&joint, s->threads.part[i].row, s->threads.part[i].mask);
    vws_set_members(d, s, from.original, 0);
    vws_note_parts(d, from.original, -1);
    if (s->parked) /* its wait at the sync point ends */
        d->host->calls.unpark(d->host, s);
    d->host->calls.retire(d->host, s);
    d->host->calls.assign(d->host, into, into->pc, into->depth, &joint);
    vws_set_members(d, into, to.original, from.members | to.members);
    for (uint64_t left = from.members; left; left &= left - 1)
        vws_slice(d, &d->warps.data[from.original], vws_lowest(left))->strand = into;
    d->counters.merges++;
    if (into->parked && is_whole(d, into))
        d->host->calls.unpark(d->host, into);
}

/* Merges two strands of the static warp that are at one point, if there are any. True: it merged two, or some strand
 * has moved since the last look. */
static bool look_at(struct vws *d, int32_t original)
{
    struct vws_original *o = &d->warps.data[original];
    struct strand *part[VWS_MAX_MEMBERS];
    int count = 0;
    uint64_t seen = 0;
    for (uint64_t left = o->members; left;) {
        struct strand *s = vws_slice(d, o, vws_lowest(left))->strand;
        if (!s) { /* the member waits at a barrier in no strand */
            left &= left - 1;
            continue;
        }
        left &= ~d->gangs.data[s->id].members;
        seen = (seen ^ ((uint64_t)(uint32_t)s->pc << 16) ^ (uint64_t)(uint32_t)s->depth) * 0x9e3779b97f4a7c15u;
        for (int i = 0; i < count; i++)
            if (may_merge(d, s, part[i])) {
                merge(d, s->birth > part[i]->birth ? s : part[i], s->birth > part[i]->birth ? part[i] : s);
                return true;
            }
        part[count++] = s;
    }
    bool has_moved = o->seen != seen;
    o->seen = seen;
    return has_moved;
}

/* The next static warp that runs in several strands, after the one that was looked at last. */
static int32_t next_turn(const struct vws *d)
{
    int words = d->apart.count;
    int32_t from = d->turn + 1;
    for (int i = 0; i <= words; i++) {
        int word = (from / 64 + i) % words;
        uint64_t left = d->apart.data[word];
        if (i == 0 && from / 64 < words)
            left &= ~UINT64_C(0) << from % 64;
        if (left)
            return word * 64 + __builtin_ctzll(left);
    }
    panic("%d static warps run in several strands, and none is marked", d->apart_count);
}

void vws_tick(struct div *div)
{
    struct vws *d = vws_of(div);
    uint64_t now = d->host->now;
    d->ticked = now;
    end_waits(d);
    if (!d->look_at || d->look_at > now)
        return;
    d->look_at = 0;
    if (!d->apart_count)
        return;
    d->turn = next_turn(d);
    d->quiet = look_at(d, d->turn) ? 0 : d->quiet + 1;
    if (d->quiet <= d->apart_count) {
        d->look_at = now + 1;
        d->host->calls.tick_at(d->host, d->look_at);
    }
}
