/* The second strand of a pair: see pair.h. */
#include "sm/pair.h"

#include "sm/internal.h"

/* The set of a warp among those of its port, which has every so many lineages. */
static uint32_t set_of(const struct sm *sm, int32_t lineage)
{
    return (uint32_t)lineage / sm->config->schedulers % (uint32_t)sm->wants.pair_sets;
}

/* Whether the mechanism lets a strand of this lineage issue beside the first strand. */
static bool is_allowed(const struct sm *sm, int32_t lineage)
{
    const struct div_wants *w = &sm->wants;
    if (lineage == sm->pair.lineage)
        return w->pairing != DIV_PAIR_OTHER_WARP;
    return w->pairing != DIV_PAIR_SAME_WARP &&
           (w->pair_sets <= 1 || set_of(sm, lineage) == set_of(sm, sm->pair.lineage));
}

/* Whether strand `a` issues rather than strand `b`. */
static bool is_better(const struct sm *sm, const struct strand *a, const struct strand *b)
{
    bool a_is_own = a->lineage == sm->pair.lineage, b_is_own = b->lineage == sm->pair.lineage;
    if (a_is_own != b_is_own)
        return a_is_own;
    if (a->size != b->size)
        return a->size > b->size;
    return a->block_age != b->block_age ? a->block_age < b->block_age : a->birth < b->birth;
}

/* `best`, or the ready strand with this id if it may issue and is better. */
static struct strand *better_of(struct sm *sm, struct strand *best, int32_t id, const struct sched_ask *ask)
{
    const struct strand_state *state = &sm->strands.state[id];
    struct strand *s = &sm->strands.at[id];
    if (state->port != ask->port || ask->blocked >> state->class & 1)
        return best;
    bool may_issue = sched_fits(s, state->class, ask) && is_allowed(sm, s->lineage);
    return may_issue && (!best || is_better(sm, s, best)) ? s : best;
}

/* pair_find() among strands of the first strand's warp, whose threads are all in its row. */
static struct strand *find_in_row(struct sm *sm, const struct sched_ask *ask)
{
    const struct row_strands *of = &sm->map.rows[sm->pair.row];
    struct strand *best = NULL;
    for (uint32_t left = of->lowest; left; left &= left - 1) {
        const int32_t id = of->id[bits_lowest(left)];
        if (sm->strands.state[id].ready)
            best = better_of(sm, best, id, ask);
    }
    return best;
}

struct strand *pair_find(struct sm *sm, const struct sched_ask *ask)
{
    struct strand *best = NULL;
    if (sm->wants.pairing == DIV_PAIR_SAME_WARP && sm->config->warp_width <= ROW_LANES)
        return find_in_row(sm, ask);
    for (int word = 0; word * 64 < sm->strands.top; word++)
        for (uint64_t left = sm->ready.ids[word]; left; left &= left - 1)
            best = better_of(sm, best, word * 64 + __builtin_ctzll(left), ask);
    return best;
}
