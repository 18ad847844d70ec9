/*
 * tbc and tbc-lcp: thread block compaction (Fung and Aamodt, HPCA 2011). The warps of a block share one reconvergence
 * stack.
 *
 * A warp dissolves when it comes to a branch that may diverge, or to its entry's reconvergence point. When the last
 * warp of the entry has dissolved, the stack moves on (div/parts/block_stack.c), and the next entry's threads are
 * packed into as few warps as their home slots allow (div/parts/compact.c). Warps do not wait at branches that are
 * proved uniform for the block, or promised to be with .uni, nor at guarded exits, at which no warp diverges. tbc-lcp
 * (section 4) also reconverges at likely-convergence points.
 *
 * Each SM has one compactor. It makes one warp per cycle, from the cycle after the last arrival on, for one block after
 * the other; a warp may issue in the cycle after it was made. With `stack_cycles` and `stack_entries` the compactor
 * starts later by the time that the stack takes (div/parts/stack_time.h), and with `spill_traffic` when entries have
 * gone to memory and come back (div/parts/stack_traffic.h). At launch all warps are there at once. With `drain` a warp
 * dissolves only when all its instructions are done, as on a machine whose scoreboard is kept per warp.
 *
 * Block barriers count threads. A warp at a barrier dissolves if threads of the block may wait for it elsewhere, so
 * that these can come to the barrier too, or end (div/parts/block_stack.h). The statistic partial_barriers counts such
 * warps: a machine that only holds them could hang.
 */
#include "div/tbc/tbc.h"
#include "base/diag.h"
#include "div/parts/block_stack.h"
#include "div/parts/held.h"
#include "div/parts/marks.h"
#include "div/parts/warp_buffer.h"

/* A resident block. */
struct tbc_block {
    struct block_stack stack; /* empty: no block is resident there, or all its threads ended */
    struct warp_buffer buffer;
    bool waits;           /* all threads are at barriers, in no warp */
    bool has_held;        /* a warp was held at a rendezvous since launch */
    int arrived;          /* warps of the top entry that have arrived: dissolved, or draining */
    uint64_t arrival_sum; /* sum over the arrived warps of the cycle in which each arrived */
};

/* What tbc knows of a strand, which is a warp. */
struct tbc_member {
    struct strand *strand; /* NULL: no strand has this id */
    int32_t block;         /* resident block */
    int32_t lowest;        /* least call depth since the warp was made */
    uint64_t route;        /* hash of the branches that the warp passed without waiting */
    bool strayed; /* one of these branches is only promised to be uniform: other warps may have gone elsewhere */
    bool arrived; /* the stack has recorded where the threads go; the warp drains */
};

struct tbc {
    struct div_host *host;
    struct tbc_knobs knobs;
    bool likely; /* tbc-lcp: the stack reconverges at likely-convergence points, too */
    struct block_rules rules;
    struct vec_of(struct tbc_block) blocks;   /* by resident block */
    struct vec_of(struct tbc_member) members; /* by strand id */
    struct compactor compactor;
    struct tbc_counters counters;
};

static struct tbc *tbc_of(struct div *div)
{
    return (struct tbc *)div;
}

static struct div *create(struct div_host *host, const void *knob_values, struct div_wants *wants, bool likely)
{
    struct tbc *d = xcalloc(1, sizeof *d);
    d->host = host;
    d->knobs = *(const struct tbc_knobs *)knob_values;
    compactor_open(&d->compactor, host, d->knobs.compactor);
    d->rules.not_taken_first = d->knobs.order;
    d->likely = likely;
    wants->spills = d->knobs.stack.spill_traffic;
    return (struct div *)d;
}

static struct div *tbc_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    return create(host, knob_values, wants, false);
}

static struct div *lcp_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    return create(host, knob_values, wants, true);
}

static void tbc_destroy(struct div *div)
{
    struct tbc *d = tbc_of(div);
    for (int i = 0; i < d->blocks.count; i++) {
        block_stack_free(&d->blocks.data[i].stack);
        warp_buffer_close(&d->blocks.data[i].buffer);
    }
    vec_free(&d->blocks);
    vec_free(&d->members);
    compactor_close(&d->compactor);
    free(d);
}

static void *tbc_counters(struct div *div)
{
    struct tbc *d = tbc_of(div);
    d->counters.stack = d->rules.counters;
    d->counters.compactor = d->compactor.counters;
    return &d->counters;
}

static int32_t likely_point(const struct tbc *d, int32_t branch)
{
    return d->likely && branch >= 0 ? div_likely_point(d->host, branch) : PC_NONE;
}

static void tbc_prepare(struct div *div, uint8_t *marks)
{
    struct tbc *d = tbc_of(div);
    marks_post_dominators(d->host->facts.program, marks);
    if (d->likely)
        marks_likely_points(d->host, marks);
}

/* ---- warps ---- */

static struct tbc_member *member_of(struct tbc *d, const struct strand *s)
{
    return &d->members.data[s->id];
}

static struct tbc_block *block_of(struct tbc *d, const struct strand *s)
{
    return &d->blocks.data[member_of(d, s)->block];
}

/* Makes a strand of threads of the top entry. */
static void run_warp(struct tbc *d, int32_t block, const struct threads *threads)
{
    struct tbc_block *b = &d->blocks.data[block];
    const struct block_entry *top = block_stack_top(&b->stack);
    int32_t slot = warp_buffer_take(&b->buffer);
    struct strand *s = d->host->calls.create(d->host, top->at.pc, top->at.depth, threads, slot);
    while (d->members.count <= s->id)
        vec_push(&d->members, (struct tbc_member){0});
    d->members.data[s->id] = (struct tbc_member){.strand = s, .block = block, .lowest = top->at.depth};
}

static void tbc_launch(struct div *div, int32_t block)
{
    struct tbc *d = tbc_of(div);
    struct div_host *h = d->host;
    int32_t first, count;
    const struct threads *warps;
    while (d->blocks.count <= block)
        vec_push(&d->blocks, (struct tbc_block){0});
    struct tbc_block *b = &d->blocks.data[block];
    h->calls.block_rows(h, block, &first, &count);
    struct block_mask all = block_mask_live(h, first, count);
    int made = compactor_launch(&d->compactor, &all, first, count, &warps);
    b->stack.first_row = first;
    b->stack.rows = count;
    b->waits = b->has_held = false;
    b->arrived = 0;
    b->arrival_sum = 0;
    block_stack_start(&b->stack, &d->rules, h->facts.program->functions[0].first, &all, made);
    warp_buffer_open(&b->buffer, first * 32 / h->facts.width, made);
    for (int i = 0; i < made; i++)
        run_warp(d, block, &warps[i]);
}

/* ---- compaction ---- */

/* What the stack says is next: the top entry's threads go to the compactor, or all threads wait at barriers. */
static void compact_next(struct tbc *d, int32_t block, enum block_next next)
{
    struct tbc_block *b = &d->blocks.data[block];
    struct block_stack *s = &b->stack;
    struct block_entry *top = block_stack_top(s);
    b->waits = next == BLOCK_WAITS;
    if (next != BLOCK_RUNS)
        return;
    struct stack_place place = {d->host, block, stack_entry_bytes(3 + (d->likely ? 2 : 0) + s->rows)};
    uint64_t wait = stack_time_at(&d->knobs.stack, &d->counters.time, &s->usage, s->entries.count, place);
    top->warps = compactor_ask(&d->compactor, (struct compactor_user){block, 0}, &top->mask, s->first_row, s->rows,
                               (struct compactor_start){wait, s->usage.moving > 0});
}

/* Entries of a block's stack have moved to memory and back: the compactor may start. */
static void tbc_spilled(struct div *div, int32_t stack, int lines, bool is_done)
{
    struct tbc *d = tbc_of(div);
    if (stack_spilled(&d->counters.time, &d->blocks.data[stack].stack.usage, d->host->now, lines, is_done))
        compactor_open_gate(&d->compactor, stack);
}

/* All warps of the block's top entry have dissolved. */
static void move_on(struct tbc *d, int32_t block)
{
    struct tbc_block *b = &d->blocks.data[block];
    d->counters.sync_wait += (uint64_t)b->arrived * d->host->now - b->arrival_sum;
    b->arrived = 0;
    b->arrival_sum = 0;
    compact_next(d, block, block_stack_settle(&b->stack, &d->rules));
}

static void tbc_tick(struct div *div)
{
    struct tbc *d = tbc_of(div);
    struct compactor_warp made;
    if (compactor_make(&d->compactor, &made))
        run_warp(d, made.user.block, made.threads);
}

/* ---- warps dissolve ---- */

static void dissolve(struct tbc *d, struct strand *s)
{
    int32_t block = member_of(d, s)->block;
    member_of(d, s)->strand = NULL;
    warp_buffer_give(&d->blocks.data[block].buffer, s->lineage);
    d->host->calls.retire(d->host, s);
    if (--block_stack_top(&d->blocks.data[block].stack)->warps == 0)
        move_on(d, block);
}

static void count_arrival(struct tbc *d, const struct strand *s)
{
    struct tbc_block *b = block_of(d, s);
    b->arrived++;
    b->arrival_sum += d->host->now;
}

static void look_at_held(struct tbc *d, int32_t block);

/* The stack has recorded where the strand's threads go: the warp dissolves, now or when it has drained. */
static void arrived(struct tbc *d, struct strand *s)
{
    int32_t block = member_of(d, s)->block;
    count_arrival(d, s);
    if (d->knobs.drain && !d->host->calls.drain(d->host, s))
        member_of(d, s)->arrived = true;
    else
        dissolve(d, s);
    if (d->blocks.data[block].has_held)
        look_at_held(d, block);
}

static void tbc_drained(struct div *div, struct strand *s)
{
    struct tbc *d = tbc_of(div);
    dissolve(d, s);
}

/* ---- calls of the contract ---- */

/* All threads of the strand go to `pc` without waiting for other warps: notes the branch, if the strand is at one. */
static void skip(struct tbc *d, const struct strand *s, int32_t pc)
{
    struct tbc_member *m = member_of(d, s);
    const struct insn *in = &d->host->facts.program->insns[s->pc];
    if (!block_rules_may_diverge(in, s->depth))
        return;
    int32_t passed[2] = {s->pc, pc};
    m->strayed |= !d->host->facts.program->branches[in->branch].uniform;
    m->route = bits_hash(m->route ? m->route : BITS_HASH_SEED, passed, sizeof passed);
    d->counters.skipped++;
}

/* All threads of the strand go to (pc, depth), without waiting for other warps. */
static void pass(struct tbc *d, struct strand *s, int32_t pc, int32_t depth)
{
    struct tbc_member *m = member_of(d, s);
    skip(d, s, pc);
    if (depth < m->lowest)
        m->lowest = depth;
    if (block_stack_leaves(&block_of(d, s)->stack, &d->rules, (struct point){pc, depth}, &s->threads))
        arrived(d, s);
    else
        d->host->calls.assign(d->host, s, pc, depth, &s->threads);
}

/* The route that counts at call depth `depth`. Warps that passed different branches may have come to a PC through
 * different calls, so warps with different routes are kept apart. A warp at its least call depth is in the call in
 * which it was made, and its route does not matter: 0. */
static uint64_t route_of(const struct tbc_member *m, int32_t depth)
{
    return depth > m->lowest ? m->route : 0;
}

static struct block_arrival arrival_of(struct tbc *d, const struct strand *s)
{
    const struct program *p = d->host->facts.program;
    return (struct block_arrival){.program = p,
                                  .pc = s->pc,
                                  .depth = s->depth,
                                  .likely = likely_point(d, p->insns[s->pc].branch),
                                  .route = route_of(member_of(d, s), s->depth)};
}

/* Whether the warp waits for the others of its entry at the instruction at which it is. */
static bool waits_at(struct tbc *d, const struct strand *s)
{
    return block_rules_waits(d->host->facts.program, s, (enum block_uniform)d->knobs.uniform, true);
}

static void tbc_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct tbc *d = tbc_of(div);
    if (!waits_at(d, s) && block_rules_have_one_place(outcomes, count)) {
        pass(d, s, outcomes[0].pc, outcomes[0].depth);
        return;
    }
    struct block_arrival at = arrival_of(d, s);
    d->counters.synchronised++;
    block_stack_branch(&block_of(d, s)->stack, &d->rules, &at, outcomes, count);
    arrived(d, s);
}

static void tbc_part(struct div *div, struct strand *s, int32_t target, uint32_t taken)
{
    struct tbc *d = tbc_of(div);
    struct point to;
    if (block_rules_go_one_way(s, target, taken, &to) && !waits_at(d, s)) {
        pass(d, s, to.pc, to.depth);
        return;
    }
    struct block_arrival at = arrival_of(d, s);
    d->counters.synchronised++;
    block_stack_part(&block_of(d, s)->stack, &d->rules, &at, s, target, taken);
    arrived(d, s);
}

static bool tbc_pass(struct div *div, struct strand *s, int32_t pc)
{
    struct tbc *d = tbc_of(div);
    if (waits_at(d, s) || block_stack_ends_at(&block_of(d, s)->stack, (struct point){pc, s->depth}))
        return false;
    skip(d, s, pc);
    return true;
}

static void tbc_arrive(struct div *div, struct strand *s)
{
    struct tbc *d = tbc_of(div);
    if (block_stack_leaves(&block_of(d, s)->stack, &d->rules, (struct point){s->pc, s->depth}, &s->threads))
        arrived(d, s);
}

static void tbc_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct tbc *d = tbc_of(div);
    block_stack_exit(&block_of(d, s)->stack, ended);
    if (!s->threads.count)
        dissolve(d, s);
}

/* Whether all live threads of the block can come to the barrier at which the strand is, while the strand is held
 * there. */
static bool all_may_come(struct tbc *d, const struct strand *s)
{
    const struct block_stack *stack = &block_of(d, s)->stack;
    bool is_guarded = d->host->facts.program->insns[s->pc].guard >= 0;
    struct block_mask live = block_mask_live(d->host, stack->first_row, stack->rows);
    return !is_guarded && !member_of(d, s)->strayed && block_stack_is_whole(stack, &live);
}

/* The strand dissolves at a barrier or rendezvous, so that other threads of the block can come. It need not drain,
 * since it waits for the barrier anyway. */
static void give_way(struct tbc *d, struct strand *s)
{
    struct block_stack *stack = &block_of(d, s)->stack;
    struct block_arrival at = arrival_of(d, s);
    struct threads passed = held_passed(d->host, s);
    d->counters.partial_barriers++;
    block_stack_bar(stack, &d->rules, &at, &s->threads);
    block_stack_unbar(stack, &passed);
    count_arrival(d, s);
    dissolve(d, s);
}

/* Whether a strand at a rendezvous waits for threads that cannot come while the strand is held there. */
static bool is_stranded(struct tbc *d, const struct strand *s)
{
    return !compactor_works_for(&d->compactor, member_of(d, s)->block) && held_is_stranded(d->host, s);
}

/* A strand of the block held at a rendezvous may wait for threads that now wait for it at a branch: such a strand gives
 * way. */
static void look_at_held(struct tbc *d, int32_t block)
{
    const struct program *p = d->host->facts.program;
    for (int i = 0; i < d->members.count; i++) {
        const struct tbc_member *m = &d->members.data[i];
        if (!m->strand || m->block != block || m->arrived || !held_is_at_rendezvous(p, m->strand) ||
            !is_stranded(d, m->strand))
            continue;
        give_way(d, m->strand);
        i = -1; /* from the start again: other strands may wait for its threads */
    }
}

static void tbc_barrier(struct div *div, struct strand *s, int32_t resident, int id)
{
    struct tbc *d = tbc_of(div);
    (void)resident;
    int32_t block = member_of(d, s)->block;
    if (id >= 0 ? all_may_come(d, s) : !is_stranded(d, s)) {
        d->blocks.data[block].has_held |= id < 0;
        return;
    }
    give_way(d, s);
    if (d->blocks.data[block].has_held)
        look_at_held(d, block);
}

static void tbc_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct tbc *d = tbc_of(div);
    (void)pc;
    (void)depth;
    int32_t block = d->host->calls.row_block(d->host, threads->part[0].row);
    struct tbc_block *b = &d->blocks.data[block];
    block_stack_unbar(&b->stack, threads);
    if (b->waits)
        compact_next(d, block, block_stack_next(&b->stack, &d->rules));
}

/* ---- checks and reports ---- */

/* Adds the block's threads in strands, and in warps that the compactor still has to make. Returns the number of these
 * warps. */
static int find_warps(struct tbc *d, int32_t block, struct block_mask *running)
{
    const struct tbc_block *b = &d->blocks.data[block];
    int32_t first = b->stack.first_row;
    int count = compactor_missing(&d->compactor, (struct compactor_user){block, 0}, first, running);
    for (int i = 0; i < d->members.count; i++) {
        const struct tbc_member *m = &d->members.data[i];
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

static void check_block(struct tbc *d, int32_t block)
{
    const struct tbc_block *b = &d->blocks.data[block];
    struct block_mask live = block_mask_live(d->host, b->stack.first_row, b->stack.rows), running = {{0}};
    int warps = find_warps(d, block, &running);
    block_stack_check(&b->stack, &live, &running, warps, b->waits);
}

static void tbc_check(struct div *div)
{
    struct tbc *d = tbc_of(div);
    for (int i = 0; i < d->blocks.count; i++)
        if (d->blocks.data[i].stack.entries.count)
            check_block(d, i);
}

/* An entry runs when the entries above it have ended; only the compactor makes progress by time alone. */
static bool tbc_comes(struct div *div, int32_t row, int lane, uint64_t since)
{
    struct tbc *d = tbc_of(div);
    (void)lane, (void)since;
    return compactor_works_for(&d->compactor, d->host->calls.row_block(d->host, row));
}

static int32_t tbc_where(struct div *div, int32_t row, int lane)
{
    struct tbc *d = tbc_of(div);
    return block_stack_where(&d->blocks.data[d->host->calls.row_block(d->host, row)].stack, row, lane);
}

static void tbc_dump(struct div *div, struct text *out)
{
    struct tbc *d = tbc_of(div);
    for (int i = 0; i < d->blocks.count; i++) {
        const struct tbc_block *b = &d->blocks.data[i];
        if (!b->stack.entries.count)
            continue;
        text_printf(out, "block %d\n", i);
        block_stack_print(&b->stack, d->host->facts.program, d->host->facts.width, out);
    }
}

/* The calls that the div_ops of tbc and tbc-lcp share. */
#define TBC_CALLS                                                                                     \
    .destroy = tbc_destroy, .counters = tbc_counters, .prepare = tbc_prepare, .launch = tbc_launch,   \
    .branch = tbc_branch, .part = tbc_part, .pass = tbc_pass, .arrive = tbc_arrive, .exit = tbc_exit, \
    .barrier = tbc_barrier, .released = tbc_released, .drained = tbc_drained, .spilled = tbc_spilled, \
    .tick = tbc_tick, .check = tbc_check, .comes = tbc_comes, .where = tbc_where, .dump = tbc_dump

const struct div_ops div_tbc = {
    .name = "tbc",
    .summary = "One reconvergence stack per block; threads are packed into new warps at branches.",
    .paper = "Fung and Aamodt, Thread Block Compaction, HPCA 2011",
    .knobs = &tbc_knob_table,
    .stats = &tbc_stats,
    .compaction_knob = "compaction",
    .create = tbc_create,
    .cost = tbc_cost,
    TBC_CALLS,
};

const struct div_ops div_tbc_lcp = {
    .name = "tbc-lcp",
    .summary = "Variant of tbc that also reconverges at likely-convergence points, such as a loop's backward branch.",
    .paper = "Fung and Aamodt, Thread Block Compaction, HPCA 2011, section 4",
    .flags = DIV_LIKELY,
    .knobs = &tbc_lcp_knob_table,
    .stats = &tbc_lcp_stats,
    .compaction_knob = "compaction",
    .create = lcp_create,
    .cost = tbc_cost_lcp,
    TBC_CALLS,
};
