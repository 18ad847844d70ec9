/*
 * Conflicts between the barrier of a prediction and other barriers of the plan. Two barriers conflict if threads can
 * come to a wait of either while they participate in the other. All conflicts are found before the first one is
 * resolved; resolving removes the other barrier, or makes threads cancel it (and rejoin it) around the prediction's
 * wait. speculate.h says which.
 */
#include "recon/barrier_flow.h"
#include "recon/speculate.h"

/* The search for conflicts, in the plan before any conflict is resolved. */
struct conflict_search {
    const struct speculation *s;
    struct arena scratch;
    struct barrier_flow flow; /* of the plan */
    uint64_t *set;            /* scratch */
    int *of;                  /* by barrier: index of the prediction that the barrier belongs to, or -1 */
};

static struct conflict_search start_search(const struct speculation *s)
{
    struct conflict_search l = {.s = s};
    l.flow = barrier_flow_create(s->plan, &l.scratch);
    l.set = arena_array(&l.scratch, uint64_t, (size_t)l.flow.words);
    l.of = arena_array(&l.scratch, int, (size_t)s->plan->barriers.count);
    for (int32_t b = 0; b < s->plan->barriers.count; b++)
        l.of[b] = -1;
    for (int i = 0; i < s->list.count; i++)
        if (s->list.data[i].barrier != BARRIER_NONE)
            l.of[s->list.data[i].barrier] = i;
    return l;
}

static bool spans(const struct conflict_search *l, int32_t barrier)
{
    return l->s->plan->barriers.data[barrier].spans_calls;
}

/* Whether threads that are about to do the plan's operation at `position` participate in the barrier. */
static bool is_in_at(struct conflict_search *l, int32_t barrier, int position)
{
    struct barrier_place place = l->s->plan->entries.data[position].place;
    if (!spans(l, barrier)) {
        barrier_joined_before(&l->flow, position, l->set);
        return barrier_set_has(l->set, barrier);
    }
    const struct speculated *d = &l->s->list.data[l->of[barrier]];
    struct barrier_range here = barrier_at(d->sketch, place);
    if (here.count && d->sketch->entries.data[here.first].op.kind == BARRIER_CANCEL)
        return false; /* the cancel comes before all other operations of the place */
    return l->s->program->insns[place.pc].function == d->region.function &&
           speculate_is_joined(d->sketch, 0, place, false);
}

/* Whether threads that are about to make the call at `site` participate in the barrier. */
static bool is_in_at_site(struct conflict_search *l, int32_t barrier, int32_t site)
{
    if (!spans(l, barrier))
        return l->s->program->insns[site].call >= 0 &&
               speculate_is_joined(l->s->plan, barrier, barrier_before(site), true);
    return speculate_is_joined(l->s->list.data[l->of[barrier]].sketch, 0, barrier_before(site), true);
}

static bool is_wait(const struct barrier_op *op)
{
    return op->kind == BARRIER_WAIT || op->kind == BARRIER_SOFT_WAIT;
}

/* Whether threads can come to a wait of the barrier `waited` while they participate in the barrier `held`. */
static bool waits_within(struct conflict_search *l, int32_t waited, int32_t held)
{
    const struct barrier_plan *plan = l->s->plan;
    if (spans(l, waited)) {
        const struct predict_region *r = &l->s->list.data[l->of[waited]].region;
        for (int i = 0; i < r->site_count; i++)
            if (is_in_at_site(l, held, r->sites[i]))
                return true;
        return false;
    }
    for (int i = 0; i < plan->entries.count; i++)
        if (is_wait(&plan->entries.data[i].op) && plan->entries.data[i].op.barrier == waited && is_in_at(l, held, i))
            return true;
    return false;
}

/* ---- resolving ---- */

static bool is_live_at(const struct barrier_plan *plan, int position, int32_t barrier)
{
    struct arena scratch = {0};
    struct barrier_flow flow = barrier_flow_create(plan, &scratch);
    uint64_t *set = arena_array(&scratch, uint64_t, (size_t)flow.words);
    barrier_live_after(&flow, position, set);
    bool live = barrier_set_has(set, barrier);
    arena_free(&scratch);
    return live;
}

/* The position of the prediction's wait. */
static int find_wait(const struct barrier_plan *plan, const struct speculated *d)
{
    return barrier_find(plan, d->threshold ? BARRIER_SOFT_WAIT : BARRIER_WAIT, d->barrier);
}

/* Inserts a cancel of the other barrier before the prediction's wait. If the point is a function's entry, the cancels
 * stand before the calls, since a callee cannot cancel the caller's barriers. */
static void cancel_before(struct barrier_plan *plan, const struct speculated *d, int32_t other)
{
    struct barrier_op cancel = {.kind = BARRIER_CANCEL, .barrier = other};
    if (d->prediction->callee < 0) {
        int at = find_wait(plan, d);
        cancel.threshold = (uint8_t)d->threshold;
        barrier_insert(plan, at, (struct barrier_entry){plan->entries.data[at].place, cancel});
        return;
    }
    for (int i = 0; i < d->region.site_count; i++)
        barrier_append(plan, barrier_before(d->region.sites[i]), cancel);
}

/* Inserts rejoins of the other barrier behind the prediction's wait, where threads can still come to the other wait. */
static void rejoin_behind(struct barrier_plan *plan, const struct speculated *d, int32_t other)
{
    struct barrier_op rejoin = {.kind = BARRIER_REJOIN, .barrier = other};
    if (d->prediction->callee < 0) {
        int at = find_wait(plan, d);
        struct barrier_entry e = {plan->entries.data[at].place, rejoin};
        while (at + 1 < plan->entries.count && plan->entries.data[at + 1].op.kind == BARRIER_REJOIN &&
               plan->entries.data[at + 1].place.pc == e.place.pc &&
               plan->entries.data[at + 1].place.from == e.place.from)
            at++;
        if (plan->barriers.data[other].spans_calls || is_live_at(plan, at, other))
            barrier_insert(plan, at + 1, e);
        return;
    }
    for (int i = 0; i < d->region.site_count; i++) {
        struct barrier_place back = {d->region.sites[i], d->region.sites[i] + 1};
        barrier_append(plan, back, rejoin);
        int at = barrier_at(plan, back).first + barrier_at(plan, back).count - 1;
        if (!is_live_at(plan, at, other))
            barrier_remove(plan, at);
    }
}

static void resolve(struct speculation *s, struct conflict *c)
{
    const struct speculated *d = &s->list.data[c->speculated];
    c->is_removed = c->with < 0 && d->deconflict == DECONFLICT_STATIC && !d->threshold;
    if (c->is_removed) {
        barrier_remove_all(s->plan, c->other);
        return;
    }
    cancel_before(s->plan, d, c->other);
    if (c->with >= 0 || d->threshold)
        rejoin_behind(s->plan, d, c->other);
}

void speculate_deconflict(struct speculation *s)
{
    struct conflict_search l = start_search(s);
    for (int i = 0; i < s->list.count; i++)
        for (int32_t other = 0; other < s->plan->barriers.count && !s->list.data[i].refusal; other++) {
            int32_t own = s->list.data[i].barrier;
            if (other != own && waits_within(&l, own, other) && waits_within(&l, other, own))
                vec_push(&s->conflicts, (struct conflict){.speculated = i, .other = other, .with = l.of[other]});
        }
    arena_free(&l.scratch);
    for (int i = 0; i < s->conflicts.count; i++)
        resolve(s, &s->conflicts.data[i]);
}
