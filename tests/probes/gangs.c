/*
 * probe-gangs: narrow slices of a warp, each with a reconvergence stack of its own, run together while they
 * agree.
 *
 * The essence of variable warp sizing (Rogers et al., MICRO 2015): a slice is W/8 consecutive threads (at
 * least one) of a static warp, and never changes. A strand is a gang: slices of one warp at one PC. After a
 * control instruction its members are grouped by their next PC. Every few cycles gangs of a warp that happen
 * to be at one PC become one again. Gangs of one warp have slots of their own, so a machine may issue several
 * in a cycle.
 *
 * Not modelled: a table of limited size, a limit on merges in a cycle, or instruction fetch.
 */
#include "base/diag.h"
#include "div/parts/held.h"
#include "tests/probes/probes.h"

enum { SLICES = 8, MERGE_PERIOD_CYCLES = 4 };

struct probe_slice {
    struct stack stack;
    struct strand *gang; /* NULL: all its threads ended, or all are held */
    struct held held;    /* threads at barriers that left the stack */
    int32_t row;
    int shift;    /* lane of its first thread */
    int32_t warp; /* first slice of its warp */
};

struct gang_counters {
    uint64_t splits, merges;
};

struct gangs {
    struct div_host *host;
    struct stack_rules rules;
    struct vec_of(struct probe_slice) slices; /* by first thread / width; those of a warp are consecutive */
    struct vec_of(int32_t) warp;              /* by strand id: its warp's first slice */
    int width, per_warp;                      /* threads of a slice, slices of a warp */
    bool tick_is_due;                         /* asked for one that has not come */
    struct gang_counters counters;
};

static struct gangs *gangs_of(struct div *div)
{
    return (struct gangs *)div;
}

#define FIELD(field) .name = #field, .offset = offsetof(struct gang_counters, field)

static const struct stat_counter counters[] = {
    {FIELD(splits), .unit = "gangs", .meaning = "gangs that left another because their PCs differ"},
    {FIELD(merges), .unit = "gangs", .meaning = "gangs that joined another at their PC"},
};
static const struct stat_owner stats = {"probe-gangs", counters, 2, sizeof(struct gang_counters)};

static struct div *gangs_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)knob_values, (void)wants;
    struct gangs *d = xcalloc(1, sizeof *d);
    d->host = host;
    d->width = host->facts.width > SLICES ? host->facts.width / SLICES : 1;
    d->per_warp = host->facts.width / d->width;
    return (struct div *)d;
}

static void gangs_destroy(struct div *div)
{
    struct gangs *d = gangs_of(div);
    for (int i = 0; i < d->slices.count; i++) {
        vec_free(&d->slices.data[i].stack);
        held_free(&d->slices.data[i].held);
    }
    vec_free(&d->slices);
    vec_free(&d->warp);
    free(d);
}

static void *gangs_counters(struct div *div)
{
    struct gangs *d = gangs_of(div);
    return &d->counters;
}

static void gangs_prepare(struct div *div, uint8_t *marks)
{
    struct gangs *d = gangs_of(div);
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < p->branch_count; i++)
        if (p->branches[i].ipdom != PC_NONE)
            marks[p->branches[i].ipdom] = 1;
}

/* Threads of the slice, as its stack counts them. */
static uint32_t mask_in(const struct gangs *d, const struct probe_slice *slice, const struct threads *t)
{
    return threads_of_row(t, slice->row) >> slice->shift & bits_below((unsigned)d->width);
}

static struct threads top_threads(const struct probe_slice *slice)
{
    return (struct threads){1, {{slice->row, (uint32_t)stack_top(&slice->stack)->mask << slice->shift}}};
}

static void add_top(struct threads *t, const struct probe_slice *slice)
{
    struct threads own = top_threads(slice);
    threads_add(t, own.part[0].row, own.part[0].mask);
}

static void wish_for_merges(struct gangs *d)
{
    if (!d->tick_is_due)
        d->host->calls.tick_at(d->host, d->host->now + MERGE_PERIOD_CYCLES);
    d->tick_is_due = true;
}

static struct probe_slice *slice_at(struct gangs *d, int32_t place)
{
    vec_reserve(&d->slices, place + 1);
    while (d->slices.count <= place)
        d->slices.data[d->slices.count++] = (struct probe_slice){0};
    return &d->slices.data[place];
}

/* A gang of the slices of `members` (bits, from the warp's first slice on), which are at one place. */
static void form_gang(struct gangs *d, struct strand *s, int32_t warp, unsigned members)
{
    struct probe_slice *slices = &d->slices.data[warp];
    struct point at = stack_top(&slices[bits_lowest(members)].stack)->at;
    struct threads t = {0};
    for (unsigned left = members; left; left &= left - 1)
        add_top(&t, &slices[bits_lowest(left)]);
    if (s)
        d->host->calls.assign(d->host, s, at.pc, at.depth, &t);
    else
        s = d->host->calls.create(d->host, at.pc, at.depth, &t, warp / d->per_warp);
    while (d->warp.count <= s->id)
        vec_push(&d->warp, 0);
    d->warp.data[s->id] = warp;
    for (unsigned left = members; left; left &= left - 1)
        slices[bits_lowest(left)].gang = s;
}

/* The slices of `members` by place: the first gang is `s`, if there is one, the others are new. */
static void group(struct gangs *d, struct strand *s, int32_t warp, unsigned members)
{
    struct probe_slice *slices = &d->slices.data[warp];
    for (unsigned left = members; left; left &= left - 1)
        if (!stack_top(&slices[bits_lowest(left)].stack)) {
            slices[bits_lowest(left)].gang = NULL;
            members &= ~(left & -left);
        }
    if (!members && s)
        d->host->calls.retire(d->host, s);
    while (members) {
        struct point at = stack_top(&slices[bits_lowest(members)].stack)->at;
        unsigned alike = 0;
        for (unsigned left = members; left; left &= left - 1) {
            struct point p = stack_top(&slices[bits_lowest(left)].stack)->at;
            if (p.pc == at.pc && p.depth == at.depth)
                alike |= left & -left;
        }
        form_gang(d, s, warp, alike);
        members &= ~alike;
        s = NULL;
        if (members) {
            d->counters.splits++;
            wish_for_merges(d);
        }
    }
}

static unsigned members_of(const struct gangs *d, const struct strand *s)
{
    unsigned members = 0;
    int32_t warp = d->warp.data[s->id];
    for (int i = 0; i < d->per_warp && warp + i < d->slices.count; i++)
        if (d->slices.data[warp + i].gang == s)
            members |= 1u << i;
    return members;
}

static void start_warp(struct gangs *d, int32_t first_thread, int32_t end)
{
    int32_t warp = first_thread / d->width, pc = d->host->facts.program->functions[0].first;
    unsigned members = 0;
    for (int i = 0; i < d->per_warp && first_thread + i * d->width < end; i++) {
        int32_t thread = first_thread + i * d->width;
        struct probe_slice *slice = slice_at(d, warp + i);
        slice->row = thread / 32;
        slice->shift = thread % 32;
        slice->warp = warp;
        struct threads row = {1, {{slice->row, d->host->calls.row_live(d->host, slice->row)}}};
        uint32_t live = mask_in(d, slice, &row);
        slice->gang = NULL;
        slice->stack.count = 0;
        if (!live)
            continue;
        stack_start(&slice->stack, &d->rules, pc, live);
        members |= 1u << i;
    }
    group(d, NULL, warp, members);
}

/* A warp of two rows is counted from the block's first row; the last one may lack its second, which is
 * another's. */
static void gangs_launch(struct div *div, int32_t block)
{
    struct gangs *d = gangs_of(div);
    int32_t first, count;
    d->host->calls.block_rows(d->host, block, &first, &count);
    int32_t end = (first + count) * 32;
    for (int32_t thread = first * 32; thread < end; thread += d->host->facts.width)
        start_warp(d, thread, end);
}

static int paths_of(const struct gangs *d, const struct probe_slice *slice, const struct outcome *outcomes, int count,
                    struct path *paths)
{
    int used = 0;
    for (int i = 0; i < count; i++) {
        struct path path = {{outcomes[i].pc, outcomes[i].depth}, mask_in(d, slice, &outcomes[i].threads)};
        int k = 0;
        while (k < used && (paths[k].to.pc != path.to.pc || paths[k].to.depth != path.to.depth))
            k++;
        if (k < used)
            paths[k].mask |= path.mask;
        else if (path.mask)
            paths[used++] = path;
    }
    return used;
}

static void gangs_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct gangs *d = gangs_of(div);
    const struct program *p = d->host->facts.program;
    int32_t warp = d->warp.data[s->id], listed = p->insns[s->pc].branch;
    unsigned members = members_of(d, s);
    for (unsigned left = members; left; left &= left - 1) {
        struct probe_slice *slice = &d->slices.data[warp + bits_lowest(left)];
        struct path paths[STACK_MAX_THREADS];
        int used = paths_of(d, slice, outcomes, count, paths);
        stack_branch(&slice->stack, &d->rules, listed < 0 ? NULL : &p->branches[listed], PC_NONE, s->depth, paths,
                     used);
    }
    group(d, s, warp, members);
}

static void gangs_arrive(struct div *div, struct strand *s)
{
    struct gangs *d = gangs_of(div);
    int32_t warp = d->warp.data[s->id];
    unsigned members = members_of(d, s);
    uint64_t pops = d->rules.counters.pops;
    for (unsigned left = members; left; left &= left - 1)
        stack_advance(&d->slices.data[warp + bits_lowest(left)].stack, &d->rules, (struct point){s->pc, s->depth});
    if (d->rules.counters.pops != pops)
        group(d, s, warp, members);
}

/* Slices whose top path ended go on elsewhere. The strand stays with the others; they are about to branch. */
static void gangs_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct gangs *d = gangs_of(div);
    int32_t warp = d->warp.data[s->id];
    unsigned done = 0;
    for (unsigned left = members_of(d, s); left; left &= left - 1) {
        struct probe_slice *slice = &d->slices.data[warp + bits_lowest(left)];
        if (stack_exit(&slice->stack, &d->rules, mask_in(d, slice, ended)))
            done |= left & -left;
    }
    if (done)
        group(d, s->threads.count ? NULL : s, warp, done);
}

/* Every gang gives way at a barrier: its slices leave their stacks, and what is below the paths that left runs. */
static void gangs_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct gangs *d = gangs_of(div);
    (void)block;
    (void)id;
    int32_t warp = d->warp.data[s->id];
    unsigned members = members_of(d, s);
    for (unsigned left = members; left; left &= left - 1) {
        struct probe_slice *slice = &d->slices.data[warp + bits_lowest(left)];
        uint64_t own = stack_top(&slice->stack)->mask;
        slice->gang = NULL;
        held_add(&slice->held, own);
        stack_exit(&slice->stack, &d->rules, own);
    }
    d->host->calls.retire(d->host, s);
    group(d, NULL, warp, members);
}

static void gangs_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct gangs *d = gangs_of(div);
    for (int32_t i = 0; i < d->slices.count; i++) {
        struct probe_slice *slice = &d->slices.data[i];
        uint64_t own = mask_in(d, slice, threads) & slice->held.all;
        if (!own)
            continue;
        for (uint64_t some; (some = held_next(&slice->held, &own, depth));)
            stack_return(&slice->stack, &d->rules, (struct point){pc, depth}, some);
        if (!slice->gang)
            group(d, NULL, slice->warp, 1u << (i - slice->warp));
        wish_for_merges(d);
    }
}

static bool may_merge(const struct strand *a, const struct strand *b)
{
    return a->pc == b->pc && a->depth == b->depth && !a->busy && !b->busy && !a->held && !b->held;
}

static void merge(struct gangs *d, struct strand *s, struct strand *into)
{
    unsigned members = members_of(d, s);
    struct threads joint = into->threads;
    for (int k = 0; k < s->threads.count; k++)
        threads_add(&joint, s->threads.part[k].row, s->threads.part[k].mask);
    d->host->calls.retire(d->host, s);
    d->host->calls.assign(d->host, into, into->pc, into->depth, &joint);
    for (unsigned left = members; left; left &= left - 1)
        d->slices.data[d->warp.data[into->id] + bits_lowest(left)].gang = into;
    d->counters.merges++;
}

/* The slice's gang joins another one of its warp. True if there are others and it may join none. */
static bool stays_apart(struct gangs *d, int place)
{
    struct strand *s = d->slices.data[place].gang;
    int32_t warp = d->warp.data[s->id];
    bool others = false;
    for (int32_t i = warp; i < warp + d->per_warp && i < d->slices.count; i++) {
        struct strand *other = d->slices.data[i].gang;
        if (!other || other == s || d->warp.data[other->id] != warp)
            continue;
        others = true;
        if (may_merge(s, other)) {
            merge(d, s, other);
            return false;
        }
    }
    return others;
}

static void gangs_tick(struct div *div)
{
    struct gangs *d = gangs_of(div);
    bool apart = false;
    d->tick_is_due = false;
    for (int i = 0; i < d->slices.count; i++)
        apart |= d->slices.data[i].gang && stays_apart(d, i);
    if (apart)
        wish_for_merges(d);
}

static void gangs_check(struct div *div)
{
    struct gangs *d = gangs_of(div);
    for (int i = 0; i < d->slices.count; i++) {
        const struct probe_slice *slice = &d->slices.data[i];
        struct threads row = {1, {{slice->row, d->host->calls.row_live(d->host, slice->row)}}};
        uint64_t live = mask_in(d, slice, &row);
        const struct stack_entry *top = stack_top(&slice->stack);
        if (!top != !slice->gang || !stack_is_sound(&slice->stack))
            panic("the stack of slice %d is not in order", i);
        if (live & ~(stack_threads(&slice->stack) | slice->held.all))
            panic("slice %d lost threads", i);
        uint64_t running = slice->gang ? mask_in(d, slice, &slice->gang->threads) : 0;
        if (top && (running ^ top->mask) & live)
            panic("slice %d runs threads 0x%llx; the top of its stack has 0x%llx", i, (unsigned long long)running,
                  (unsigned long long)top->mask);
    }
}

static void gangs_dump(struct div *div, struct text *out)
{
    struct gangs *d = gangs_of(div);
    for (int i = 0; i < d->slices.count; i++) {
        const struct probe_slice *slice = &d->slices.data[i];
        if (!stack_top(&slice->stack) && !slice->held.all)
            continue;
        if (slice->gang)
            text_printf(out, "slice %d in strand %d at %d@%d\n", i, (int)slice->gang->id, (int)slice->gang->pc,
                        (int)slice->gang->depth);
        else
            text_printf(out, "slice %d\n", i);
        held_print(&slice->held, d->width, out);
        stack_print(&slice->stack, NULL, d->host->facts.program, d->width, out);
    }
}

const struct div_ops probe_gangs = {
    .name = "probe-gangs",
    .summary = "slices of a warp with stacks of their own, ganged while they are at one PC",
    .paper = "after Rogers, Johnson, O'Connor and Keckler, MICRO 2015",
    .stats = &stats,
    .create = gangs_create,
    .destroy = gangs_destroy,
    .counters = gangs_counters,
    .prepare = gangs_prepare,
    .launch = gangs_launch,
    .branch = gangs_branch,
    .arrive = gangs_arrive,
    .exit = gangs_exit,
    .barrier = gangs_barrier,
    .released = gangs_released,
    .tick = gangs_tick,
    .check = gangs_check,
    .dump = gangs_dump,
};
