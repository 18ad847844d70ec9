/*
 * probe-regroup: threads are grouped anew after every instruction, across warps and blocks.
 *
 * The essence of dynamic warp formation (Fung et al., MICRO 2007): a strand leaves the pool when it issues.
 * When its instruction is done its threads join waiting strands at their next PC, as far as home slots are
 * free there, and the others wait as strands of their own. At a barrier the strand dissolves; released
 * threads come back like any others.
 *
 * Not modelled: a table of limited size that finds the waiting strand, policies, or the time that regrouping
 * takes.
 */
#include "base/vec.h"
#include "tests/probes/probes.h"

#include "base/diag.h"

struct regroup_counters {
    uint64_t joined, conflicts, mixed;
};

struct regroup {
    struct div_host *host;
    struct vec_of(struct strand *) pool; /* by strand id; NULL: no such strand */
    struct vec_of(uint32_t) at_barrier;  /* by row: threads in no strand */
    int32_t lineage;                     /* of the next strand: schedulers take turns */
    struct regroup_counters counters;
};

static struct regroup *regroup_of(struct div *div)
{
    return (struct regroup *)div;
}

#define FIELD(field) .name = #field, .offset = offsetof(struct regroup_counters, field)

static const struct stat_counter counters[] = {
    {FIELD(joined), .unit = "threads", .meaning = "threads that joined a waiting strand"},
    {FIELD(conflicts), .unit = "threads", .meaning = "threads whose home slot was taken in a waiting strand"},
    {FIELD(mixed), .unit = "strands", .meaning = "strands that got threads of more than one block"},
};
static const struct stat_owner stats = {"probe-regroup", counters, 3, sizeof(struct regroup_counters)};

static struct div *regroup_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)knob_values, (void)wants;
    struct regroup *d = xcalloc(1, sizeof *d);
    d->host = host;
    return (struct div *)d;
}

static void regroup_destroy(struct div *div)
{
    struct regroup *d = regroup_of(div);
    vec_free(&d->pool);
    vec_free(&d->at_barrier);
    free(d);
}

static void *regroup_counters(struct div *div)
{
    struct regroup *d = regroup_of(div);
    return &d->counters;
}

static struct strand *enter(struct regroup *d, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct strand *s = d->host->calls.create(d->host, pc, depth, threads, d->lineage++);
    while (d->pool.count <= s->id)
        vec_push(&d->pool, NULL);
    d->pool.data[s->id] = s;
    return s;
}

static void leave(struct regroup *d, struct strand *s)
{
    d->pool.data[s->id] = NULL;
    d->host->calls.retire(d->host, s);
}

static uint64_t slots_of(struct regroup *d, const struct threads *t)
{
    uint64_t slots = 0;
    for (int i = 0; i < t->count; i++)
        slots |= d->host->calls.slots(d->host, t->part[i].row, t->part[i].mask);
    return slots;
}

/* Moves the threads of `from` whose home slots are free in `to`. */
static int fill(struct regroup *d, struct threads *to, struct threads *from)
{
    uint64_t taken = slots_of(d, to);
    int moved = 0;
    const struct threads old = *from;
    for (int i = 0; i < old.count; i++)
        for (uint32_t left = old.part[i].mask; left; left &= left - 1) {
            int32_t row = old.part[i].row;
            uint64_t slot = d->host->calls.slots(d->host, row, left & -left);
            if (taken & slot)
                continue;
            taken |= slot;
            threads_add(to, row, left & -left);
            threads_remove(from, row, left & -left);
            moved++;
        }
    return moved;
}

static void count_mixture(struct regroup *d, const struct threads *t)
{
    int32_t first = d->host->calls.row_block(d->host, t->part[0].row);
    for (int i = 1; i < t->count; i++)
        if (d->host->calls.row_block(d->host, t->part[i].row) != first) {
            d->counters.mixed++;
            return;
        }
}

/* Its threads join waiting strands at the same place; the strand goes on with those that found no room. */
static void spread(struct regroup *d, struct strand *s)
{
    for (int i = 0; i < d->pool.count; i++) {
        struct strand *t = d->pool.data[i];
        if (!t || t == s || t->busy || t->pc != s->pc || t->depth != s->depth)
            continue;
        struct threads rest = s->threads, joint = t->threads;
        int moved = fill(d, &joint, &rest);
        d->counters.joined += (uint64_t)moved;
        d->counters.conflicts += (uint64_t)threads_size(&rest);
        if (!moved)
            continue;
        bool emptied = !rest.count;
        if (emptied)
            leave(d, s);
        else
            d->host->calls.assign(d->host, s, s->pc, s->depth, &rest);
        d->host->calls.assign(d->host, t, t->pc, t->depth, &joint);
        count_mixture(d, &joint);
        if (emptied)
            return;
    }
}

/* Threads that are in no strand wait for issue, one strand for each set of distinct slots. */
static void enter_all(struct regroup *d, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct threads left = *threads;
    while (left.count) {
        struct threads some = {0};
        fill(d, &some, &left);
        spread(d, enter(d, pc, depth, &some));
    }
}

static void regroup_launch(struct div *div, int32_t block)
{
    struct regroup *d = regroup_of(div);
    int32_t first, count;
    d->host->calls.block_rows(d->host, block, &first, &count);
    while (d->at_barrier.count < first + count)
        vec_push(&d->at_barrier, 0);
    for (int32_t row = first; row < first + count; row++) {
        struct threads all = {1, {{row, d->host->calls.row_live(d->host, row)}}};
        if (all.part[0].mask)
            enter_all(d, d->host->facts.program->functions[0].first, 0, &all);
    }
}

static void regroup_commit(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct regroup *d = regroup_of(div);
    d->host->calls.assign(d->host, s, outcomes[0].pc, outcomes[0].depth, &outcomes[0].threads);
    for (int i = 1; i < count; i++)
        spread(d, enter(d, outcomes[i].pc, outcomes[i].depth, &outcomes[i].threads));
    spread(d, s);
}

static void regroup_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct regroup *d = regroup_of(div);
    (void)ended;
    if (!s->threads.count)
        leave(d, s);
}

static void regroup_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct regroup *d = regroup_of(div);
    (void)block;
    (void)id;
    for (int i = 0; i < s->threads.count; i++)
        d->at_barrier.data[s->threads.part[i].row] |= s->threads.part[i].mask;
    leave(d, s);
}

static void regroup_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct regroup *d = regroup_of(div);
    for (int i = 0; i < threads->count; i++)
        d->at_barrier.data[threads->part[i].row] &= ~threads->part[i].mask;
    enter_all(d, pc, depth, threads);
}

static void regroup_check(struct div *div)
{
    struct regroup *d = regroup_of(div);
    for (int32_t row = 0; row < d->at_barrier.count; row++) {
        uint32_t seen = d->at_barrier.data[row];
        for (int i = 0; i < d->pool.count; i++) {
            uint32_t own = d->pool.data[i] ? threads_of_row(&d->pool.data[i]->threads, row) : 0;
            if (seen & own)
                panic("threads 0x%x of row %d are in strand %d and elsewhere", seen & own, (int)row, i);
            seen |= own;
        }
        /* Of threads that ended it may not have been told yet. */
        uint32_t live = d->host->calls.row_live(d->host, row);
        if (live & ~seen)
            panic("threads 0x%x of row %d are lost", live & ~seen, (int)row);
    }
}

static void regroup_dump(struct div *div, struct text *out)
{
    struct regroup *d = regroup_of(div);
    for (int i = 0; i < d->pool.count; i++) {
        const struct strand *s = d->pool.data[i];
        if (!s)
            continue;
        text_printf(out, "strand %d at %d@%d%s:", i, (int)s->pc, (int)s->depth, s->busy ? ", issued" : "");
        for (int k = 0; k < s->threads.count; k++)
            text_printf(out, " row %d 0x%x", (int)s->threads.part[k].row, s->threads.part[k].mask);
        text_printf(out, "\n");
    }
    for (int32_t row = 0; row < d->at_barrier.count; row++)
        if (d->at_barrier.data[row])
            text_printf(out, "at a barrier: row %d 0x%x\n", (int)row, d->at_barrier.data[row]);
}

const struct div_ops probe_regroup = {
    .name = "probe-regroup",
    .summary = "threads join waiting strands of their next PC after every instruction, across blocks",
    .paper = "after Fung, Sham, Yuan and Aamodt, MICRO 2007",
    .flags = DIV_EVERY_INSTRUCTION | DIV_MIXES_BLOCKS,
    .stats = &stats,
    .create = regroup_create,
    .destroy = regroup_destroy,
    .counters = regroup_counters,
    .launch = regroup_launch,
    .exit = regroup_exit,
    .barrier = regroup_barrier,
    .released = regroup_released,
    .commit = regroup_commit,
    .check = regroup_check,
    .dump = regroup_dump,
};
