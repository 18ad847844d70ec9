/*
 * probe-barriers: threads with PCs of their own that meet at convergence barriers.
 *
 * The essence of Volta's scheme: where a strand diverges its threads join a barrier at the branch's
 * post-dominator, or at the end of the function if there is none. Every side is a strand, and all of them may
 * issue. A thread that comes to its innermost barrier waits there, in no strand, until all that joined have
 * come or ended; then they go on as one.
 *
 * Threads of a strand parted from others together, so they share one innermost barrier, and barriers form a
 * tree: each knows the one around it and how many threads it still misses. A thread that waits at one is
 * missed by those around.
 *
 * A load that is back for some threads only lets these run ahead, up to the barrier. Barriers are hints: one
 * whose missing threads all stand at a block barrier lets the others go.
 *
 * Not modelled: a limited number of barriers, the instructions that join and wait, yielding.
 */
#include "base/diag.h"
#include "base/vec.h"
#include "tests/probes/probes.h"

enum { NOWHERE = -1 };

struct probe_meeting {
    int32_t pc, depth; /* PC_NONE: where the function entered at `depth` ends */
    int32_t outer;     /* barrier around it, or NOWHERE */
    int32_t back;      /* at a function's end: the PC that threads returned to */
    int missing;       /* threads that joined, have not come and not ended */
    bool in_use, moves;
    struct threads waiting;
};

/* Of a thread that a block barrier holds: the strand it came in, by birth, and that one's innermost barrier.
 */
struct probe_origin {
    uint64_t birth;
    int32_t inner;
};

struct probe_barrier_counters {
    uint64_t joined, opened, broken, ran_ahead, idle_spans;
};

struct barriers {
    struct div_host *host;
    struct vec_of(struct probe_meeting) meetings;
    struct vec_of(int32_t) inner;               /* by strand id: innermost barrier, or NOWHERE */
    struct vec_of(struct strand *) strands;     /* by id, or NULL */
    struct vec_of(uint32_t) at_block_barrier;   /* by row: threads in no strand that a block barrier holds */
    struct vec_of(struct probe_origin) origins; /* by thread */
    struct probe_barrier_counters counters;
};

static struct barriers *barriers_of(struct div *div)
{
    return (struct barriers *)div;
}

#define FIELD(field) .name = #field, .offset = offsetof(struct probe_barrier_counters, field)

static const struct stat_counter counters[] = {
    {FIELD(joined), .unit = "barriers", .meaning = "barriers that diverging threads joined"},
    {FIELD(opened), .unit = "barriers", .meaning = "of these, those that opened because all had come or ended"},
    {FIELD(broken), .unit = "barriers", .meaning = "times that a barrier let go those that had come"},
    {FIELD(ran_ahead), .unit = "strands", .meaning = "strands made of threads whose data came first"},
    {FIELD(idle_spans), .unit = "spans", .meaning = "spans of cycles without an issue"},
};
static const struct stat_owner stats = {"probe-barriers", counters, 5, sizeof(struct probe_barrier_counters)};

static struct div *barriers_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)knob_values, (void)wants;
    struct barriers *d = xcalloc(1, sizeof *d);
    d->host = host;
    return (struct div *)d;
}

static void barriers_destroy(struct div *div)
{
    struct barriers *d = barriers_of(div);
    vec_free(&d->meetings);
    vec_free(&d->inner);
    vec_free(&d->strands);
    vec_free(&d->at_block_barrier);
    vec_free(&d->origins);
    free(d);
}

static void *barriers_counters(struct div *div)
{
    struct barriers *d = barriers_of(div);
    return &d->counters;
}

static void barriers_prepare(struct div *div, uint8_t *marks)
{
    struct barriers *d = barriers_of(div);
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < p->branch_count; i++)
        if (p->branches[i].ipdom != PC_NONE)
            marks[p->branches[i].ipdom] = 1;
}

static void start_strand(struct barriers *d, int32_t pc, int32_t depth, const struct threads *t, int32_t inner)
{
    int32_t first_thread = t->part[0].row * 32 + bits_lowest(t->part[0].mask);
    struct strand *s = d->host->calls.create(d->host, pc, depth, t, first_thread / d->host->facts.width);
    while (d->inner.count <= s->id) {
        vec_push(&d->inner, NOWHERE);
        vec_push(&d->strands, NULL);
    }
    d->inner.data[s->id] = inner;
    d->strands.data[s->id] = s;
}

static void end_strand(struct barriers *d, struct strand *s)
{
    d->strands.data[s->id] = NULL;
    d->host->calls.retire(d->host, s);
}

static void add_all(struct threads *to, const struct threads *from)
{
    for (int i = 0; i < from->count; i++)
        threads_add(to, from->part[i].row, from->part[i].mask);
}

static void remove_all(struct threads *from, const struct threads *gone)
{
    for (int i = 0; i < gone->count; i++)
        threads_remove(from, gone->part[i].row, gone->part[i].mask);
}

/* Whether threads at (pc, depth) have come to their innermost barrier; if so they wait there. */
static bool wait_at(struct barriers *d, int32_t inner, int32_t pc, int32_t depth, const struct threads *t)
{
    if (inner == NOWHERE)
        return false;
    struct probe_meeting *m = &d->meetings.data[inner];
    if (depth < m->depth) {
        if (m->pc != PC_NONE || (m->back != PC_NONE && m->back != pc))
            panic("threads returned to pc %d past a barrier at pc %d", (int)pc, (int)m->pc);
        m->back = pc;
    } else if (pc != m->pc || depth != m->depth) {
        return false;
    }
    add_all(&m->waiting, t);
    m->missing -= threads_size(t);
    return true;
}

/* Those that wait go on, perhaps only to the barrier around. */
static void let_go(struct barriers *d, int32_t barrier)
{
    struct probe_meeting *m = &d->meetings.data[barrier];
    struct threads t = m->waiting;
    m->waiting.count = 0;
    int32_t outer = m->outer;
    int32_t pc = m->pc == PC_NONE ? m->back : m->pc, depth = m->pc == PC_NONE ? m->depth - 1 : m->depth;
    if (!wait_at(d, outer, pc, depth, &t))
        start_strand(d, pc, depth, &t, outer);
}

/* Opens the barriers that miss nobody, from `barrier` outwards. */
static void test(struct barriers *d, int32_t barrier)
{
    while (barrier != NOWHERE) {
        struct probe_meeting *m = &d->meetings.data[barrier];
        int32_t outer = m->outer;
        if (m->in_use && !m->missing) {
            m->in_use = false;
            if (m->waiting.count) {
                d->counters.opened++;
                let_go(d, barrier);
            }
        }
        barrier = outer;
    }
}

static int32_t join(struct barriers *d, int32_t pc, int32_t depth, int32_t outer, int threads)
{
    int32_t i = 0;
    while (i < d->meetings.count && d->meetings.data[i].in_use)
        i++;
    if (i == d->meetings.count)
        vec_push(&d->meetings, (struct probe_meeting){0});
    d->meetings.data[i] = (struct probe_meeting){
        .pc = pc, .depth = depth, .outer = outer, .back = PC_NONE, .missing = threads, .in_use = true};
    d->counters.joined++;
    return i;
}

/* The barrier at which sides of the instruction at `pc` meet. One at the same place serves loops again and
 * again. */
static int32_t meeting_of(struct barriers *d, int32_t pc, int32_t depth, int32_t inner, int threads)
{
    const struct program *p = d->host->facts.program;
    if (p->insns[pc].branch < 0)
        return inner;
    int32_t r = p->branches[p->insns[pc].branch].ipdom;
    if (inner != NOWHERE && d->meetings.data[inner].pc == r && d->meetings.data[inner].depth == depth)
        return inner;
    return join(d, r, depth, inner, threads);
}

static void barriers_launch(struct div *div, int32_t block)
{
    struct barriers *d = barriers_of(div);
    struct div_host *h = d->host;
    int32_t first, count, width = h->facts.width, pc = h->facts.program->functions[0].first;
    h->calls.block_rows(h, block, &first, &count);
    while (d->at_block_barrier.count < first + count)
        vec_push(&d->at_block_barrier, 0);
    while (d->origins.count < (first + count) * 32)
        vec_push(&d->origins, (struct probe_origin){0});
    for (int32_t thread = first * 32; thread < (first + count) * 32; thread += width) {
        struct threads t = {0};
        for (int32_t row = thread / 32; row * 32 < thread + width && row < first + count; row++) {
            uint32_t own = width < 32 ? bits_below((unsigned)width) << thread % 32 : UINT32_MAX;
            if (h->calls.row_live(h, row) & own)
                threads_add(&t, row, h->calls.row_live(h, row) & own);
        }
        if (t.count)
            start_strand(d, pc, 0, &t, NOWHERE);
    }
}

/* Outcomes with those to one place together. */
static int gather(const struct outcome *outcomes, int count, struct outcome *sides)
{
    int used = 0;
    for (int i = 0; i < count; i++) {
        int k = 0;
        while (k < used && (sides[k].pc != outcomes[i].pc || sides[k].depth != outcomes[i].depth))
            k++;
        if (k == used)
            sides[used++] = outcomes[i];
        else
            add_all(&sides[k].threads, &outcomes[i].threads);
    }
    return used;
}

static void barriers_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct barriers *d = barriers_of(div);
    struct outcome sides[64]; /* W at most */
    int32_t inner = d->inner.data[s->id];
    int used = gather(outcomes, count, sides), running = 0;
    if (used > 1)
        inner = meeting_of(d, s->pc, s->depth, inner, threads_size(&s->threads));
    for (int i = 0; i < used; i++)
        if (!wait_at(d, inner, sides[i].pc, sides[i].depth, &sides[i].threads))
            sides[running++] = sides[i];
    if (running) {
        d->host->calls.assign(d->host, s, sides[0].pc, sides[0].depth, &sides[0].threads);
        d->inner.data[s->id] = inner;
    } else {
        end_strand(d, s);
    }
    for (int i = 1; i < running; i++)
        start_strand(d, sides[i].pc, sides[i].depth, &sides[i].threads, inner);
    test(d, inner);
}

static void barriers_arrive(struct div *div, struct strand *s)
{
    struct barriers *d = barriers_of(div);
    int32_t inner = d->inner.data[s->id];
    if (!wait_at(d, inner, s->pc, s->depth, &s->threads))
        return;
    end_strand(d, s);
    test(d, inner);
}

static void barriers_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct barriers *d = barriers_of(div);
    int32_t inner = d->inner.data[s->id];
    for (int32_t i = inner; i != NOWHERE; i = d->meetings.data[i].outer)
        d->meetings.data[i].missing -= threads_size(ended);
    if (!s->threads.count)
        end_strand(d, s);
    test(d, inner);
}

/* A guard let some of its threads pass: they must not wait with the others, who may wait for them. */
static void barriers_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct barriers *d = barriers_of(div);
    (void)block;
    (void)id;
    if (s->waiting == threads_size(&s->threads))
        return;
    for (int i = 0; i < s->threads.count; i++) {
        struct part part = s->threads.part[i];
        d->at_block_barrier.data[part.row] |= part.mask;
        for (uint32_t left = part.mask; left; left &= left - 1)
            d->origins.data[part.row * 32 + bits_lowest(left)] = (struct probe_origin){s->birth, d->inner.data[s->id]};
    }
    end_strand(d, s);
}

/* Threads of the set that came in the same strand as its first; they leave the set. */
static struct threads take_alike(struct barriers *d, struct threads *set, struct probe_origin *origin)
{
    struct threads alike = {0};
    const struct threads all = *set;
    *origin = d->origins.data[all.part[0].row * 32 + bits_lowest(all.part[0].mask)];
    for (int i = 0; i < all.count; i++)
        for (uint32_t left = all.part[i].mask; left; left &= left - 1)
            if (d->origins.data[all.part[i].row * 32 + bits_lowest(left)].birth == origin->birth)
                threads_add(&alike, all.part[i].row, left & -left);
    remove_all(set, &alike);
    return alike;
}

static void barriers_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct barriers *d = barriers_of(div);
    struct threads left = *threads;
    for (int i = 0; i < left.count; i++)
        d->at_block_barrier.data[left.part[i].row] &= ~left.part[i].mask;
    while (left.count) {
        struct probe_origin from;
        struct threads t = take_alike(d, &left, &from);
        if (wait_at(d, from.inner, pc, depth, &t))
            test(d, from.inner);
        else
            start_strand(d, pc, depth, &t, from.inner);
    }
}

/* Threads that have their data leave the others, where a barrier will bring them together again. */
static void barriers_memory(struct div *div, struct strand *s, const struct threads *hit, const struct threads *miss)
{
    struct barriers *d = barriers_of(div);
    (void)hit;
    if (s->busy || s->held || d->inner.data[s->id] == NOWHERE)
        return;
    struct threads ready = s->threads, late = s->threads;
    remove_all(&ready, miss);
    remove_all(&late, &ready);
    if (!ready.count || !late.count)
        return;
    d->counters.ran_ahead++;
    d->host->calls.assign(d->host, s, s->pc, s->depth, &late);
    start_strand(d, s->pc, s->depth, &ready, d->inner.data[s->id]);
}

/* A barrier at which threads wait and which none of those it misses can come to by itself. */
static int32_t find_stuck(struct barriers *d)
{
    for (int i = 0; i < d->meetings.count; i++)
        d->meetings.data[i].moves = false;
    for (int i = 0; i < d->strands.count; i++)
        if (d->strands.data[i] && !d->strands.data[i]->held)
            for (int32_t m = d->inner.data[i]; m != NOWHERE; m = d->meetings.data[m].outer)
                d->meetings.data[m].moves = true;
    for (int i = 0; i < d->meetings.count; i++)
        if (d->meetings.data[i].in_use && !d->meetings.data[i].moves && d->meetings.data[i].waiting.count)
            return i;
    return NOWHERE;
}

static void barriers_idle(struct div *div)
{
    struct barriers *d = barriers_of(div);
    d->counters.idle_spans++;
    for (int32_t m = find_stuck(d); m != NOWHERE; m = find_stuck(d)) {
        d->counters.broken++;
        let_go(d, m); /* barriers around it miss those that it misses, so none of them opens */
    }
}

static void see(const struct threads *t, int32_t row, uint32_t *seen)
{
    uint32_t own = threads_of_row(t, row);
    if (*seen & own)
        panic("threads 0x%x of row %d are in two places", *seen & own, (int)row);
    *seen |= own;
}

static void barriers_check(struct div *div)
{
    struct barriers *d = barriers_of(div);
    for (int32_t row = 0; row < d->at_block_barrier.count; row++) {
        uint32_t seen = d->at_block_barrier.data[row];
        for (int i = 0; i < d->strands.count; i++)
            if (d->strands.data[i])
                see(&d->strands.data[i]->threads, row, &seen);
        for (int i = 0; i < d->meetings.count; i++)
            if (d->meetings.data[i].in_use)
                see(&d->meetings.data[i].waiting, row, &seen);
        uint32_t live = d->host->calls.row_live(d->host, row);
        if (live & ~seen)
            panic("threads 0x%x of row %d are lost", live & ~seen, (int)row);
    }
}

static void print_threads(const struct threads *t, struct text *out)
{
    for (int i = 0; i < t->count; i++)
        text_printf(out, " row %d 0x%x", (int)t->part[i].row, t->part[i].mask);
    text_printf(out, "\n");
}

static void barriers_dump(struct div *div, struct text *out)
{
    struct barriers *d = barriers_of(div);
    for (int i = 0; i < d->strands.count; i++) {
        const struct strand *s = d->strands.data[i];
        if (!s)
            continue;
        text_printf(out, "strand %d at %d@%d, barrier %d:", i, (int)s->pc, (int)s->depth, (int)d->inner.data[i]);
        print_threads(&s->threads, out);
    }
    for (int i = 0; i < d->meetings.count; i++) {
        const struct probe_meeting *m = &d->meetings.data[i];
        if (!m->in_use)
            continue;
        text_printf(out, "barrier %d at %d@%d within %d misses %d threads; here:", i, (int)m->pc, (int)m->depth,
                    (int)m->outer, m->missing);
        print_threads(&m->waiting, out);
    }
    for (int32_t row = 0; row < d->at_block_barrier.count; row++)
        if (d->at_block_barrier.data[row])
            text_printf(out, "at a block barrier: row %d 0x%x\n", (int)row, d->at_block_barrier.data[row]);
}

const struct div_ops probe_barriers = {
    .name = "probe-barriers",
    .summary = "a PC a thread; threads that part meet at convergence barriers, and all sides may issue",
    .paper = "after the barriers of NVIDIA's Volta (whitepaper, 2017)",
    .stats = &stats,
    .create = barriers_create,
    .destroy = barriers_destroy,
    .counters = barriers_counters,
    .prepare = barriers_prepare,
    .launch = barriers_launch,
    .branch = barriers_branch,
    .arrive = barriers_arrive,
    .exit = barriers_exit,
    .barrier = barriers_barrier,
    .released = barriers_released,
    .memory = barriers_memory,
    .idle = barriers_idle,
    .check = barriers_check,
    .dump = barriers_dump,
};
