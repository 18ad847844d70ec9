/*
 * Reformation of gangs (E-VWS). Each cycle visits one static warp, in turn, whether or not it has split (Rogers et al.,
 * section 4.5: one original gang is selected each cycle, in round-robin order). If two strands of the static warp are
 * at one point, they merge; a third one at that point waits for the next visit (section 6.1: at most two gangs or warps
 * are combined per cycle). With `sync_cycles`, strands that come to a post-dominator wait there for others of their
 * static warp.
 *
 * A visit to a static warp that runs as one strand does nothing, so only the others get a tick. Strands move when they
 * issue, or when the mechanism is called. Once every static warp has been visited after the last such move, no visit
 * can find anything, and the ticks end until something moves again.
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

/* ---- visits ---- */

/* The static warp that is visited in a cycle, from `turn_cycle` on. */
static int32_t turn_at(const struct vws *d, uint64_t cycle)
{
    return (int32_t)((uint64_t)d->turn + (cycle - d->turn_cycle) % (uint64_t)d->warps.count);
}

void vws_add_original(struct vws *d, int32_t number)
{
    if (number < d->warps.count)
        return;
    if (d->warps.count)
        d->turn = turn_at(d, d->host->now) % d->warps.count;
    d->turn_cycle = d->host->now;
    while (d->warps.count <= number)
        vec_push(&d->warps, (struct vws_original){0});
}

/* The number of static warps from `from` on, and around, up to the first one that runs in several strands. */
static uint64_t turns_until_apart(const struct vws *d, int32_t from)
{
    int words = d->apart.count;
    for (int i = 0; i <= words; i++) {
        int word = (from / 64 + i) % words;
        uint64_t left = d->apart.data[word];
        if (i == 0)
            left &= ~UINT64_C(0) << from % 64;
        if (left) {
            int32_t found = word * 64 + __builtin_ctzll(left);
            return (uint64_t)(found >= from ? found - from : found - from + d->warps.count);
        }
    }
    panic("%d static warps run in several strands, and none is marked", d->apart_count);
}

/* Asks for a tick in the next cycle that visits a static warp which runs in several strands, if the visit can find
 * strands that have moved. */
static void plan_visit(struct vws *d)
{
    if (d->visit_at == d->host->now) /* this cycle's visit comes, and plans the next */
        return;
    d->visit_at = 0;
    if (!d->apart_count)
        return;
    while (d->apart.count <= (d->warps.count - 1) / 64)
        vec_push(&d->apart, 0);
    uint64_t next = d->host->now + 1;
    uint64_t visit = next + turns_until_apart(d, turn_at(d, next) % d->warps.count);
    if (!d->is_issuing && visit > d->moved + (uint64_t)d->warps.count)
        return;
    d->visit_at = visit;
    d->host->calls.tick_at(d->host, visit);
}

void vws_look(struct vws *d)
{
    d->moved = d->host->now;
    plan_visit(d);
}

/* The last strands that issued did so before this cycle. */
void vws_idle(struct div *div)
{
    struct vws *d = vws_of(div);
    if (d->is_issuing)
        d->moved = d->host->now;
    d->is_issuing = false;
    plan_visit(d);
}

void vws_resume(struct div *div)
{
    struct vws *d = vws_of(div);
    d->is_issuing = true;
    plan_visit(d);
}

/* ---- sync points ---- */

static bool is_whole(struct vws *d, const struct strand *s)
{
    const struct vws_gang *g = &d->gangs.data[s->id];
    return g->members == d->warps.data[g->original].members;
}

void vws_wait(struct vws *d, struct strand *s)
{
    bool has_synced = d->code.ops && s->syncs <= stack_code_behind(&d->code, s->pc);
    if (!d->knobs.sync_cycles || !d->knobs.reform || !d->sync_points[s->pc] || has_synced || s->parked ||
        is_whole(d, s))
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
    return a->pc == b->pc && a->depth == b->depth && a->syncs == b->syncs && !just_split && !a->busy && !b->busy &&
           !a->held && !b->held && (has_entry || vws_has_room(d, of_a->original));
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
    int syncs = into->syncs;
    d->host->calls.merge(d->host, into, s, &joint);
    if (syncs)
        d->host->calls.set_syncs(d->host, into, syncs);
    vws_set_members(d, into, to.original, from.members | to.members);
    for (uint64_t left = from.members; left; left &= left - 1)
        vws_slice(d, &d->warps.data[from.original], vws_lowest(left))->strand = into;
    d->counters.merges++;
    if (into->parked && is_whole(d, into))
        d->host->calls.unpark(d->host, into);
}

/* Merges two strands of the static warp that are at one point, if there are any. */
static void visit(struct vws *d, int32_t original)
{
    struct vws_original *o = &d->warps.data[original];
    struct strand *part[VWS_MAX_MEMBERS];
    int count = 0;
    for (uint64_t left = o->members; left;) {
        struct strand *s = vws_slice(d, o, vws_lowest(left))->strand;
        if (!s) { /* the member waits at a barrier in no strand */
            left &= left - 1;
            continue;
        }
        left &= ~d->gangs.data[s->id].members;
        for (int i = 0; i < count; i++)
            if (may_merge(d, s, part[i])) {
                merge(d, s->birth > part[i]->birth ? s : part[i], s->birth > part[i]->birth ? part[i] : s);
                d->moved = d->host->now;
                return;
            }
        part[count++] = s;
    }
}

void vws_tick(struct div *div)
{
    struct vws *d = vws_of(div);
    end_waits(d);
    if (!d->visit_at || d->visit_at > d->host->now) {
        if (d->visit_at)
            d->host->calls.tick_at(d->host, d->visit_at);
        return;
    }
    d->visit_at = 0;
    visit(d, turn_at(d, d->host->now) % d->warps.count);
    plan_visit(d);
}
