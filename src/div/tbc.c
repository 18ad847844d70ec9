/*
 * tbc and tbc-lcp: thread block compaction. The warps of a block share a reconvergence stack.
 *
 * A warp that comes to a branch which may diverge, or to its entry's reconvergence point, dissolves; when the last one
 * of the entry has, the stack moves on (div/block_stack.c) and the next entry's threads are packed into as few warps as
 * their home slots allow (div/compact.c). Branches that are proved uniform for the block, or promised to be with .uni,
 * are passed without waiting; so are guarded ends, which part nobody. tbc-lcp also meets at likely-convergence points.
 *
 * A multiprocessor has one compactor: it makes a warp a cycle, from the cycle after the last arrival on, for one block
 * after the other; a warp may issue in the cycle after it was made. At launch warps are there at once. With `drain` a
 * warp dissolves when its instructions are done, as a machine must whose scoreboard goes by warps.
 *
 * Block barriers count threads. Where others of the block may wait for a warp that is at one, it dissolves, so that they
 * can come to it too, or end (div/block_stack.h). Such barriers are counted: a machine that only holds its warps could
 * hang.
 *
 * Not modelled: a stack of limited capacity, or the time that pushing and popping take.
 */
#include "base/diag.h"
#include "div/block_stack.h"
#include "div/div.h"

struct tbc_knobs {
    uint32_t order;
    bool compaction, static_toplevel, drain;
};

struct tbc_counters {
    struct block_counters stack;
    uint64_t synchronised, skipped;
    uint64_t useful, useless, warps_before, warps_after;
    uint64_t sync_wait, compactor_wait, partial_barriers;
};

struct block {
    struct block_stack stack; /* empty: no block there, or all its threads ended */
    struct threads *warps;    /* of the last compaction */
    int warp_capacity, warp_count, made;
    bool waits;            /* all its threads are at block barriers, in no warp */
    int arrived;           /* warps that dissolved, or wait for their instructions to be done */
    uint64_t arrival_sum;  /* cycles of their arrivals */
};

/* Of a strand. */
struct member {
    struct strand *strand; /* NULL: it is no more */
    int32_t block;
    int32_t lowest; /* depth since it was made */
    uint64_t way;   /* which branches it passed without waiting */
    bool strayed;   /* some of these are only promised to be uniform: others of its entry may have gone elsewhere */
    bool arrived;   /* where its threads go is in the stack; its instructions are not done yet */
};

struct request {
    int32_t block;
    uint64_t from; /* cycle */
};

struct div {
    struct div_host *host;
    struct tbc_knobs knobs;
    bool likely; /* tbc-lcp */
    struct block_rules rules;
    struct vec_of(struct block) blocks;   /* by resident block */
    struct vec_of(struct member) members; /* by strand id */
    struct vec_of(struct request) queue;  /* to the compactor, the first one at work */
    struct tbc_counters counters;
};

static const char *const order_names[] = {"taken-first", "not-taken-first", NULL};

#define KNOB(field) .name = #field, .unit = "", .offset = offsetof(struct tbc_knobs, field)

static const struct knob knobs[] = {
    {KNOB(order),
     .meaning = "side of a branch that runs first",
     .kind = KNOB_CHOICE,
     .high = 1,
     .choices = order_names},
    {KNOB(compaction),
     .meaning = "threads are regrouped; no: they stay in their static warps, for code that relies on these",
     .kind = KNOB_BOOL,
     .fallback = 1,
     .high = 1},
    {KNOB(static_toplevel),
     .meaning = "all live threads of a block run in their static warps, even after some ended",
     .kind = KNOB_BOOL,
     .high = 1},
    {KNOB(drain),
     .meaning = "a warp dissolves only when its instructions are done",
     .kind = KNOB_BOOL,
     .fallback = 1,
     .high = 1},
};

enum { KNOBS = sizeof knobs / sizeof *knobs };

static const struct knob_table tbc_knob_table = {"tbc", knobs, KNOBS};
static const struct knob_table lcp_knob_table = {"tbc-lcp", knobs, KNOBS};

#define FIELD(field) .name = #field, .offset = offsetof(struct tbc_counters, field)
#define STACK(field) .name = #field, .offset = offsetof(struct tbc_counters, stack.field)

static const struct stat_counter counters[] = {
    {FIELD(synchronised), .unit = "warps", .meaning = "warps that waited for their block at a branch"},
    {FIELD(skipped), .unit = "warps", .meaning = "warps that passed a branch without, since it is uniform"},
    {STACK(divergent_branches), .unit = "branches", .meaning = "branches at which a block's threads parted"},
    {STACK(reused_slots), .unit = "branches", .meaning = "branches that end where the top entry does"},
    {FIELD(useful),
     .unit = "compactions",
     .meaning = "compactions that made fewer warps than the threads have static ones"},
    {FIELD(useless), .unit = "compactions", .meaning = "compactions that made as many"},
    {FIELD(warps_before), .unit = "warps", .meaning = "static warps with threads in a compacted mask"},
    {FIELD(warps_after), .unit = "warps", .meaning = "warps made of these masks"},
    {FIELD(sync_wait), .unit = "warp cycles", .meaning = "arrival of a warp to that of the last one of its entry"},
    {FIELD(compactor_wait),
     .unit = "cycles",
     .meaning = "a block waits while the compactor works for another one"},
    {FIELD(partial_barriers),
     .unit = "warps",
     .meaning = "warps that came to a block barrier while others of the block's threads waited for them elsewhere"},
    {STACK(ran_ahead), .unit = "entries", .meaning = "entries made for those others, to let them come too"},
    {STACK(pushes), .unit = "entries", .meaning = "entries added to stacks"},
    {STACK(pops), .unit = "entries", .meaning = "entries taken from stacks"},
    {STACK(reconvergences), .unit = "paths", .meaning = "warps and entries that came to their reconvergence point"},
    {STACK(max_depth), .unit = "entries", .meaning = "most entries a stack had", .combine = STAT_MAX},
    {STACK(lcp_pushed), .unit = "entries", .meaning = "entries made for likely-convergence points"},
    {STACK(lcp_merged), .unit = "paths", .meaning = "warps and entries that came to their likely-convergence point"},
    {STACK(lcp_unused), .unit = "entries", .meaning = "such entries that no thread came to"},
};

enum { COUNTERS_LCP = 3, COUNTERS_ALL = sizeof counters / sizeof *counters };

static const struct stat_owner tbc_stats = {"tbc", counters, COUNTERS_ALL - COUNTERS_LCP, sizeof(struct tbc_counters)};
static const struct stat_owner lcp_stats = {"tbc-lcp", counters, COUNTERS_ALL, sizeof(struct tbc_counters)};

static struct div *create(struct div_host *host, const void *knob_values, bool likely)
{
    if (host->width < 1 || host->width > 64 || (host->width & (host->width - 1)))
        panic("thread block compaction does not know warps of %d threads", host->width);
    struct div *d = xcalloc(1, sizeof *d);
    d->host = host;
    d->knobs = *(const struct tbc_knobs *)knob_values;
    d->rules.not_taken_first = d->knobs.order;
    d->likely = likely;
    return d;
}

static struct div *tbc_create(struct div_host *host, const void *knob_values)
{
    return create(host, knob_values, false);
}

static struct div *lcp_create(struct div_host *host, const void *knob_values)
{
    return create(host, knob_values, true);
}

static void tbc_destroy(struct div *d)
{
    for (int i = 0; i < d->blocks.count; i++) {
        block_stack_free(&d->blocks.data[i].stack);
        free(d->blocks.data[i].warps);
    }
    vec_free(&d->blocks);
    vec_free(&d->members);
    vec_free(&d->queue);
    free(d);
}

static void *tbc_counters(struct div *d)
{
    d->counters.stack = d->rules.counters;
    return &d->counters;
}

static int32_t likely_point(const struct div *d, int32_t branch)
{
    return d->likely && branch >= 0 ? div_likely_point(d->host, branch) : PC_NONE;
}

static void tbc_prepare(struct div *d, uint8_t *marks)
{
    const struct program *p = d->host->program;
    for (int i = 0; i < p->branch_count; i++) {
        if (p->branches[i].ipdom != PC_NONE)
            marks[p->branches[i].ipdom] = 1;
        if (likely_point(d, i) != PC_NONE)
            marks[likely_point(d, i)] = 1;
    }
}

/* ---- warps ---- */

static struct member *member_of(struct div *d, const struct strand *s)
{
    return &d->members.data[s->id];
}

static struct block *block_of(struct div *d, const struct strand *s)
{
    return &d->blocks.data[member_of(d, s)->block];
}

static bool has_all_live(struct div *d, const struct block_stack *s, const struct block_mask *m)
{
    for (int r = 0; r < s->rows; r++)
        if (d->host->row_live(d->host, s->first_row + r) & ~m->lanes[r])
            return false;
    return true;
}

static void make_warp(struct div *d, int32_t block)
{
    struct block *b = &d->blocks.data[block];
    const struct block_entry *top = block_stack_top(&b->stack);
    int32_t lineage = b->stack.first_row * 32 / d->host->width + b->made;
    struct strand *s = d->host->create(d->host, top->at.pc, top->at.depth, &b->warps[b->made], lineage);
    b->made++;
    while (d->members.count <= s->id)
        vec_push(&d->members, (struct member){0});
    d->members.data[s->id] = (struct member){.strand = s, .block = block, .lowest = top->at.depth};
}

static struct block *block_at(struct div *d, int32_t block)
{
    while (d->blocks.count <= block)
        vec_push(&d->blocks, (struct block){0});
    return &d->blocks.data[block];
}

static void tbc_launch(struct div *d, int32_t block)
{
    struct div_host *h = d->host;
    struct block *b = block_at(d, block);
    struct block_mask all = {{0}};
    int32_t first, count;
    h->block_rows(h, block, &first, &count);
    if (count > COMPACT_MAX_ROWS)
        panic("thread block compaction does not know blocks of %d rows", (int)count);
    for (int32_t r = 0; r < count; r++)
        all.lanes[r] = h->row_live(h, first + r);
    int most = (count * 32 + h->width - 1) / h->width;
    if (b->warp_capacity < most) {
        b->warp_capacity = most;
        b->warps = xrealloc(b->warps, sizeof *b->warps * (size_t)most);
    }
    b->stack.first_row = first;
    b->stack.rows = count;
    b->warp_count = compact_static(h, &all, first, count, b->warps);
    b->waits = false;
    b->made = b->arrived = 0;
    b->arrival_sum = 0;
    block_stack_start(&b->stack, &d->rules, h->program->functions[0].first, &all, b->warp_count);
    while (b->made < b->warp_count)
        make_warp(d, block);
}

/* ---- compaction ---- */

/* The top entry's threads go to the compactor, if there is one. */
static void compact_next(struct div *d, int32_t block, enum block_next next)
{
    struct block *b = &d->blocks.data[block];
    struct block_stack *s = &b->stack;
    struct block_entry *top = block_stack_top(s);
    b->waits = next == BLOCK_WAITS;
    if (next != BLOCK_RUNS)
        return;
    bool stay = !d->knobs.compaction || (d->knobs.static_toplevel && has_all_live(d, s, &top->mask));
    b->warp_count = (stay ? compact_static : compact_threads)(d->host, &top->mask, s->first_row, s->rows, b->warps);
    b->made = 0;
    top->warps = b->warp_count;
    int before = compact_static_count(d->host, &top->mask, s->rows);
    d->counters.warps_before += (uint64_t)before;
    d->counters.warps_after += (uint64_t)b->warp_count;
    *(b->warp_count < before ? &d->counters.useful : &d->counters.useless) += 1;
    vec_push(&d->queue, (struct request){block, d->host->now + 1});
    d->host->tick_at(d->host, d->host->now + 1);
}

/* All warps of the block's top entry have dissolved. */
static void move_on(struct div *d, int32_t block)
{
    struct block *b = &d->blocks.data[block];
    d->counters.sync_wait += (uint64_t)b->arrived * d->host->now - b->arrival_sum;
    b->arrived = 0;
    b->arrival_sum = 0;
    compact_next(d, block, block_stack_settle(&b->stack, &d->rules));
}

static void tbc_tick(struct div *d)
{
    struct request *first = d->queue.data;
    if (!d->queue.count)
        return;
    if (first->from <= d->host->now) {
        struct block *b = &d->blocks.data[first->block];
        if (b->made == 0)
            d->counters.compactor_wait += d->host->now - first->from;
        make_warp(d, first->block);
        if (b->made == b->warp_count)
            memmove(first, first + 1, sizeof *first * (size_t)--d->queue.count);
    }
    if (d->queue.count)
        d->host->tick_at(d->host, d->host->now + 1);
}

/* ---- warps dissolve ---- */

static void dissolve(struct div *d, struct strand *s)
{
    int32_t block = member_of(d, s)->block;
    member_of(d, s)->strand = NULL;
    d->host->retire(d->host, s);
    if (--block_stack_top(&d->blocks.data[block].stack)->warps == 0)
        move_on(d, block);
}

static void count_arrival(struct div *d, const struct strand *s)
{
    struct block *b = block_of(d, s);
    b->arrived++;
    b->arrival_sum += d->host->now;
}

/* Where the strand's threads go is in the stack. */
static void arrived(struct div *d, struct strand *s)
{
    count_arrival(d, s);
    if (d->knobs.drain && !d->host->drain(d->host, s))
        member_of(d, s)->arrived = true;
    else
        dissolve(d, s);
}

static void tbc_drained(struct div *d, struct strand *s)
{
    dissolve(d, s);
}

/* ---- calls of the contract ---- */

/* It is a branch, and not one of ends alone. */
static bool may_part(const struct insn *in, int32_t depth)
{
    return in->branch >= 0 && in->op != OP_EXIT && (in->op != OP_RET || depth);
}

/* All threads of the strand go to one place, without waiting for others. */
static void pass(struct div *d, struct strand *s, int32_t pc, int32_t depth)
{
    struct member *m = member_of(d, s);
    const struct insn *in = &d->host->program->insns[s->pc];
    if (may_part(in, s->depth)) {
        int32_t passed[2] = {s->pc, pc};
        m->strayed |= !d->host->program->branches[in->branch].uniform;
        m->way = bits_hash(m->way ? m->way : BITS_HASH_SEED, passed, sizeof passed);
        d->counters.skipped++;
    }
    if (depth < m->lowest)
        m->lowest = depth;
    if (block_stack_leaves(&block_of(d, s)->stack, &d->rules, (struct point){pc, depth}, &s->threads))
        arrived(d, s);
    else
        d->host->assign(d->host, s, pc, depth, &s->threads);
}

/* Warps that passed branches each its own way may have come here through different calls, unless they are no deeper than
 * they ever were: then they are in the call that they started in. */
static uint64_t way_of(const struct member *m, int32_t depth)
{
    return depth > m->lowest ? m->way : 0;
}

static bool have_one_place(const struct outcome *o, int count)
{
    for (int i = 1; i < count; i++)
        if (o[i].pc != o[0].pc || o[i].depth != o[0].depth)
            return false;
    return true;
}

static struct block_arrival arrival_of(struct div *d, const struct strand *s)
{
    const struct program *p = d->host->program;
    return (struct block_arrival){.program = p,
                                  .pc = s->pc,
                                  .depth = s->depth,
                                  .likely = likely_point(d, p->insns[s->pc].branch),
                                  .way = way_of(member_of(d, s), s->depth)};
}

static void tbc_branch(struct div *d, struct strand *s, const struct outcome *outcomes, int count)
{
    const struct program *p = d->host->program;
    const struct insn *in = &p->insns[s->pc];
    const struct branch *branch = in->branch < 0 ? NULL : &p->branches[in->branch];
    bool waits = may_part(in, s->depth) && !branch->uniform && !branch->promised_uniform;
    if (!waits && have_one_place(outcomes, count)) {
        pass(d, s, outcomes[0].pc, outcomes[0].depth);
        return;
    }
    struct block_arrival at = arrival_of(d, s);
    d->counters.synchronised++;
    block_stack_branch(&block_of(d, s)->stack, &d->rules, &at, outcomes, count);
    arrived(d, s);
}

static void tbc_arrive(struct div *d, struct strand *s)
{
    if (block_stack_leaves(&block_of(d, s)->stack, &d->rules, (struct point){s->pc, s->depth}, &s->threads))
        arrived(d, s);
}

static void tbc_exit(struct div *d, struct strand *s, const struct threads *ended)
{
    block_stack_exit(&block_of(d, s)->stack, ended);
    if (!s->threads.count)
        dissolve(d, s);
}

/* Can all live threads of the block come to the barrier that the strand is at, while it is held there? */
static bool all_may_come(struct div *d, const struct strand *s)
{
    const struct block_stack *stack = &block_of(d, s)->stack;
    bool is_guarded = d->host->program->insns[s->pc].guard >= 0;
    return !is_guarded && !member_of(d, s)->strayed && !stack->sites.count &&
           has_all_live(d, stack, &block_stack_top(stack)->mask);
}

/* Its instructions need not be done: it is the barrier that it waits for. */
static void tbc_barrier(struct div *d, struct strand *s, int32_t block, int id)
{
    (void)block;
    struct block_stack *stack = &block_of(d, s)->stack;
    if (id < 0 || all_may_come(d, s))
        return;
    struct block_arrival at = arrival_of(d, s);
    d->counters.partial_barriers++;
    block_stack_bar(stack, &d->rules, &at, &s->threads);
    count_arrival(d, s);
    dissolve(d, s);
}

static void tbc_released(struct div *d, int32_t pc, int32_t depth, const struct threads *threads)
{
    (void)pc;
    (void)depth;
    int32_t block = d->host->row_block(d->host, threads->part[0].row);
    struct block *b = &d->blocks.data[block];
    block_stack_unbar(&b->stack, threads);
    if (b->waits)
        compact_next(d, block, block_stack_next(&b->stack, &d->rules));
}

/* ---- for others to look at ---- */

/* Threads of the block in strands, and in warps that are still to be made. Returns how many those are together. */
static int find_warps(struct div *d, int32_t block, struct block_mask *running)
{
    const struct block *b = &d->blocks.data[block];
    int32_t first = b->stack.first_row;
    int count = b->warp_count - b->made;
    for (int i = b->made; i < b->warp_count; i++)
        block_mask_add(running, first, &b->warps[i]);
    for (int i = 0; i < d->members.count; i++) {
        const struct member *m = &d->members.data[i];
        if (!m->strand || m->block != block)
            continue;
        count++;
        for (int k = 0; !m->arrived && k < m->strand->threads.count; k++) {
            struct part part = m->strand->threads.part[k];
            if (running->lanes[part.row - first] & part.mask)
                panic("threads 0x%x of row %d are in two warps", part.mask, (int)part.row);
            running->lanes[part.row - first] |= part.mask;
        }
    }
    return count;
}

/* Of threads that ended it may not have been told yet: it may hold more than live, never less. */
static void check_block(struct div *d, int32_t block)
{
    const struct block_stack *s = &d->blocks.data[block].stack;
    const struct block_entry *top = block_stack_top(s);
    struct block_mask running = {{0}}, arrived = {{0}}, held = {{0}};
    int warps = find_warps(d, block, &running);
    if (!block_stack_is_sound(s) || warps != top->warps)
        panic("the stack of block %d is not in order: %d warps, counted %d", (int)block, (int)top->warps, warps);
    for (int i = 0; i < s->sites.count; i++)
        block_mask_unite(&arrived, &s->sites.data[i].mask, s->rows);
    for (int i = 0; i < s->entries.count; i++)
        block_mask_unite(&held, &s->entries.data[i].mask, s->rows);
    for (int r = 0; r < s->rows; r++) {
        uint32_t live = d->host->row_live(d->host, s->first_row + r);
        if (live & ~held.lanes[r])
            panic("block %d lost threads 0x%x of row %d", (int)block, live & ~held.lanes[r], r);
        if (running.lanes[r] & arrived.lanes[r] || running.lanes[r] & live & ~top->mask.lanes[r])
            panic("threads of row %d of block %d run and wait", r, (int)block);
        if (!d->blocks.data[block].waits && (top->mask.lanes[r] ^ (running.lanes[r] | arrived.lanes[r])) & live)
            panic("threads of row %d of block %d neither run nor wait", r, (int)block);
    }
}

static void tbc_check(struct div *d)
{
    for (int i = 0; i < d->blocks.count; i++)
        if (d->blocks.data[i].stack.entries.count)
            check_block(d, i);
}

/* Entries below run when those above have come to their ends: only the compactor works by itself. */
static bool tbc_comes(struct div *d, int32_t row, int lane, uint64_t since)
{
    (void)lane, (void)since;
    int32_t block = d->host->row_block(d->host, row);
    for (int i = 0; i < d->queue.count; i++)
        if (d->queue.data[i].block == block)
            return true;
    return false;
}

static int32_t tbc_where(struct div *d, int32_t row, int lane)
{
    for (int i = 0; i < d->blocks.count; i++) {
        const struct block_stack *s = &d->blocks.data[i].stack;
        if (s->entries.count && row >= s->first_row && row < s->first_row + s->rows)
            return block_stack_where(s, row, lane);
    }
    return PC_NONE;
}

static void tbc_dump(struct div *d, struct text *out)
{
    for (int i = 0; i < d->blocks.count; i++) {
        const struct block *b = &d->blocks.data[i];
        if (!b->stack.entries.count)
            continue;
        text_printf(out, "block %d\n", i);
        block_stack_print(&b->stack, d->host->program, d->host->width, out);
    }
}

/* Of a struct div_ops: all but the name and what is the likely-convergence points'. */
#define TBC_CALLS                                                                                            \
    .destroy = tbc_destroy, .counters = tbc_counters, .prepare = tbc_prepare, .launch = tbc_launch,          \
    .branch = tbc_branch, .arrive = tbc_arrive, .exit = tbc_exit, .barrier = tbc_barrier,                    \
    .released = tbc_released, .drained = tbc_drained, .tick = tbc_tick, .check = tbc_check,                  \
    .comes = tbc_comes, .where = tbc_where, .dump = tbc_dump

const struct div_ops div_tbc = {
    .name = "tbc",
    .summary = "a reconvergence stack per block; its threads are packed into new warps at branches",
    .paper = "Fung and Aamodt, Thread Block Compaction, HPCA 2011",
    .knobs = &tbc_knob_table,
    .stats = &tbc_stats,
    .create = tbc_create,
    TBC_CALLS,
};

const struct div_ops div_tbc_lcp = {
    .name = "tbc-lcp",
    .summary = "tbc that also reconverges at the backward branch of the loop around",
    .paper = "Fung and Aamodt, Thread Block Compaction, HPCA 2011, section 4",
    .flags = DIV_LIKELY,
    .knobs = &lcp_knob_table,
    .stats = &lcp_stats,
    .create = lcp_create,
    TBC_CALLS,
};
