/*
 * Commits of the warp pool (pool.h). When the instruction of a strand is done, the strand's threads are regrouped by
 * their next PC. A limited number of strands can be regrouped per cycle; this file decides which of them are, and keeps
 * the others in a queue. Where the threads go is up to the mechanism, in the `commit` that it passes to pool_tick().
 */
#include "div/parts/pool_internal.h"

void pool_sum_up(struct pool *p)
{
    struct pool_counters *c = p->counters;
    c->commits = c->pcs = c->pcs_max = 0;
    memset(c->pcs_up_to, 0, sizeof c->pcs_up_to);
    for (int pcs = 0; pcs < p->commits_at.count; pcs++) {
        uint64_t commits = p->commits_at.data[pcs];
        int doublings = pcs > 1 ? 32 - __builtin_clz((unsigned)pcs - 1) : 0;
        c->commits += commits;
        c->pcs += commits * (uint64_t)pcs;
        c->pcs_max = commits ? (uint64_t)pcs : c->pcs_max;
        c->pcs_up_to[doublings < POOL_PC_COUNTS ? doublings : POOL_PC_COUNTS - 1] += commits;
    }
}

/* Has pool_tick() commit the strand, whose outcomes are `outcomes`. */
static void postpone(struct pool *p, struct strand *s, const struct outcome *outcomes, int count)
{
    p->counters->late_commits++;
    p->host->calls.park(p->host, s);
    vec_push(&p->late, (struct pool_late){s, count, p->host->now});
    for (int i = 0; i < count; i++) {
        vec_reserve(&p->late_outcomes, p->late_outcomes.count + 1);
        struct outcome *to = &p->late_outcomes.data[p->late_outcomes.count++];
        to->pc = outcomes[i].pc;
        to->depth = outcomes[i].depth;
        threads_copy(&to->threads, &outcomes[i].threads);
    }
    p->host->calls.tick_at(p->host, p->host->now + 1);
}

bool pool_begin_commit(struct pool *p, struct strand *s, const struct outcome *outcomes, int count)
{
    if (pool_begin(p, s, pool_node(p, s)))
        return true;
    postpone(p, s, outcomes, count);
    return false;
}

/* Makes the outcome of a strand whose threads all go to one place. */
static void make_outcome(struct outcome *o, const struct strand *s, int32_t pc)
{
    o->pc = pc;
    o->depth = s->depth;
    threads_copy(&o->threads, &s->threads);
}

void pool_postpone_advance(struct pool *p, struct strand *s, int32_t pc)
{
    struct outcome o;
    make_outcome(&o, s, pc);
    postpone(p, s, &o, 1);
}

void pool_commit_advance(struct pool *p, struct div *d, struct strand *s, int32_t pc, pool_commit *commit)
{
    struct outcome o;
    make_outcome(&o, s, pc);
    if (pool_begin_commit(p, s, &o, 1))
        commit(d, s, &o, 1);
}

/* Removes the regrouped strands from the head of the queue. Moving the rest is cheap, since few commits are late. */
static void shift_late(struct pool *p)
{
    p->late.count -= p->late_head;
    p->late_outcomes.count -= p->late_outcome_head;
    if (p->late.count) {
        memmove(p->late.data, p->late.data + p->late_head, sizeof *p->late.data * (size_t)p->late.count);
        memmove(p->late_outcomes.data, p->late_outcomes.data + p->late_outcome_head,
                sizeof *p->late_outcomes.data * (size_t)p->late_outcomes.count);
    }
    p->late_head = p->late_outcome_head = 0;
}

void pool_tick(struct pool *p, struct div *d, pool_commit *commit)
{
    while (p->late_head < p->late.count && pool_take_turn(p)) {
        struct pool_late next = p->late.data[p->late_head++];
        uint32_t generation = next.strand->generation;
        const struct outcome *outcomes = &p->late_outcomes.data[p->late_outcome_head];
        p->late_outcome_head += next.count;
        p->counters->late_cycles += p->host->now - next.since;
        commit(d, next.strand, outcomes, next.count);
        if (next.strand->generation == generation)
            p->host->calls.unpark(p->host, next.strand);
    }
    shift_late(p);
    if (p->late.count > p->late_head)
        p->host->calls.tick_at(p->host, p->host->now + 1);
}

const struct threads *pool_group_of_many(const struct outcome *outcomes, int count, int i, struct threads *room)
{
    const struct threads *group = &outcomes[i].threads;
    for (int k = 0; k < i; k++)
        if (pool_goes_with(&outcomes[k], &outcomes[i]))
            return NULL;
    for (int k = i + 1; k < count; k++) {
        if (!pool_goes_with(&outcomes[k], &outcomes[i]))
            continue;
        if (group != room)
            threads_copy(room, group);
        group = room;
        for (int n = 0; n < outcomes[k].threads.count; n++)
            threads_add(room, outcomes[k].threads.part[n].row, outcomes[k].threads.part[n].mask);
    }
    return group;
}

void pool_exit(struct pool *p, struct strand *s, const struct threads *ended)
{
    p->ended = threads_size(ended);
    if (s->threads.count)
        return;
    pool_count_commit(p, s);
    pool_drop(p, s);
}
