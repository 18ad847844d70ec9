/*
 * tbc-dpe: thread block compaction that runs both sides of a branch. Fung and Aamodt (HPCA 2011, section 3) leave it to
 * future work to overlap the sides of a block-wide divergence. Here the stack that does so is the dual-path stack of
 * Rhu and Erez (HPCA 2013), with the threads of a block in place of those of a warp.
 *
 * div/parts/dual_block.c has the rules of the stack. What happens to a block, TOS being the entry that runs:
 *
 *   launch         The stack has one entry {A, all | -; -}, whose warps are the static warps.
 *   branch         A warp at a branch sets its threads' bits at the targets, and dissolves. Warps do not wait at
 *                  branches that are proved uniform for the block (a promise, .uni, is not proof), nor at guarded
 *                  exits, at which no warp diverges.
 *   divergence     When the last warp of path X has dissolved, X waits at the branch's post-dominator r with its mask,
 *                  and an entry {taken | fall-through; r} with the reconvergence point (RPC) r becomes the TOS. Both
 *                  sides are compacted, the first side first, and their warps issue side by side. If X's sibling has
 *                  warps, these are parked until that entry is popped.
 *   one target     If all threads go to one target, the path continues in its own place, compacted anew. If r is the
 *                  entry's RPC, the sides use the place of X and that of its sibling, if the sibling is invalid. So
 *                  loops do not grow the stack.
 *   reconvergence  A warp at the RPC dissolves. When the last warp of a side has dissolved, the side is invalid and the
 *                  other goes on alone. When both are invalid, the entry is popped, and the parent path, at the RPC, is
 *                  compacted again.
 *   parked warps   A parked warp whose branch was in flight resolves as usual. If it was the last of its path, that
 *                  path diverges below the TOS, and its sides go on top.
 *   exit           Threads that end leave every mask.
 *
 * Each SM has one compactor. It makes one warp per cycle, from the cycle after the last arrival on, for one path after
 * the other; a warp may issue in the cycle after it was made. At launch all warps are there at once. With `drain` a
 * warp dissolves only when all its instructions are done.
 *
 * Block barriers count threads. A warp at a barrier dissolves while threads of the block are elsewhere; then paths
 * below run, and threads that only wait for others run ahead (div/parts/dual_block.h).
 *
 * With `interleave` off the left path of an entry runs alone until it ends: tbc with this stack, for comparison.
 *
 * The stack takes time, and its entries go to memory, as under tbc. An entry waits for memory only if the compactor has
 * to make warps for one of its paths; warps that it has already run on.
 *
 * Not modelled: a scoreboard per side: as in tbc the machine's is used.
 */
#include "base/diag.h"
#include "div/parts/dual_block.h"
#include "div/parts/held.h"
#include "div/parts/marks.h"
#include "div/parts/warp_buffer.h"
#include "div/tbc/tbc.h"

/* A resident block. */
struct tbc_dpe_block {
    struct dual_block stack;              /* empty: no block is resident there, or all its threads ended */
    struct vec_of(struct strand *) warps; /* the block's warps, which are strands */
    struct warp_buffer buffer;
    int32_t runs;  /* index of the entry whose warps may issue; -1: none */
    bool has_held; /* a warp was held at a rendezvous since launch */
};

/* What tbc-dpe knows of a strand, which is a warp. */
struct tbc_dpe_member {
    int32_t block;          /* resident block */
    int32_t place;          /* index in the block's `warps` */
    struct dual_place path; /* the path whose threads the warp has */
    bool arrived;           /* the stack has recorded where the threads go; the warp drains */
};

struct tbc_dpe {
    struct div_host *host;
    struct tbc_knobs knobs;
    struct block_rules rules;
    struct vec_of(struct tbc_dpe_block) blocks;   /* by resident block */
    struct vec_of(struct tbc_dpe_member) members; /* by strand id */
    struct compactor compactor;
    struct tbc_counters counters;
};

static struct tbc_dpe *tbc_dpe_of(struct div *div)
{
    return (struct tbc_dpe *)div;
}

static struct div *tbc_dpe_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    struct tbc_dpe *d = xcalloc(1, sizeof *d);
    d->host = host;
    d->knobs = *(const struct tbc_knobs *)knob_values;
    compactor_open(&d->compactor, host, d->knobs.compactor);
    d->rules.not_taken_first = d->knobs.order;
    wants->spills = d->knobs.stack.spill_traffic;
    return (struct div *)d;
}

static void tbc_dpe_destroy(struct div *div)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    for (int i = 0; i < d->blocks.count; i++) {
        dual_block_free(&d->blocks.data[i].stack);
        vec_free(&d->blocks.data[i].warps);
        warp_buffer_close(&d->blocks.data[i].buffer);
    }
    vec_free(&d->blocks);
    vec_free(&d->members);
    compactor_close(&d->compactor);
    free(d);
}

static void *tbc_dpe_counters(struct div *div)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    d->counters.stack = d->rules.counters;
    d->counters.compactor = d->compactor.counters;
    return &d->counters;
}

static void tbc_dpe_prepare(struct div *div, uint8_t *marks)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    marks_post_dominators(d->host->facts.program, marks);
}

/* ---- warps ---- */

static struct tbc_dpe_member *member_of(struct tbc_dpe *d, const struct strand *s)
{
    return &d->members.data[s->id];
}

static struct tbc_dpe_block *block_of(struct tbc_dpe *d, const struct strand *s)
{
    return &d->blocks.data[member_of(d, s)->block];
}

/* The number by which the compactor knows a path of the block. */
static int32_t number_of(struct dual_place path)
{
    return path.entry * DUAL_SIDES + (int32_t)path.side;
}

static void let_run(struct tbc_dpe *d, struct strand *s, bool runs)
{
    if (s->parked != runs || member_of(d, s)->arrived) /* a warp that drains is parked by the SM */
        return;
    d->counters.set_aside += !runs;
    (runs ? d->host->calls.unpark : d->host->calls.park)(d->host, s);
}

static void run_warp(struct tbc_dpe *d, int32_t block, struct dual_place path, const struct threads *threads)
{
    struct tbc_dpe_block *b = &d->blocks.data[block];
    const struct dual_block_path *p = dual_block_path_at(&b->stack, path);
    int32_t slot = warp_buffer_take(&b->buffer);
    struct strand *s = d->host->calls.create(d->host, p->at.pc, p->at.depth, threads, slot);
    while (d->members.count <= s->id)
        vec_push(&d->members, (struct tbc_dpe_member){0});
    d->members.data[s->id] = (struct tbc_dpe_member){.block = block, .place = b->warps.count, .path = path};
    vec_push(&b->warps, s);
    let_run(d, s, path.entry == b->runs);
}

/* ---- compaction ---- */

static void start_path(struct tbc_dpe *d, int32_t block, struct dual_place path, struct compactor_start start)
{
    struct dual_block *s = &d->blocks.data[block].stack;
    struct dual_block_path *p = dual_block_path_at(s, path);
    struct compactor_user user = {block, number_of(path)};
    p->warps = compactor_ask(&d->compactor, user, &p->mask, s->first_row, s->rows, start);
}

/* The stack changed: warps of the entry that is to run are unparked, all others parked, and its paths without warps go
 * to the compactor. */
static void follow(struct tbc_dpe *d, int32_t block)
{
    struct tbc_dpe_block *b = &d->blocks.data[block];
    int32_t runs = dual_block_next(&b->stack, &d->rules);
    struct stack_place place = {d->host, block, stack_entry_bytes(1 + DUAL_SIDES * (2 + b->stack.rows))};
    uint64_t wait = stack_time_at(&d->knobs.stack, &d->counters.time, &b->stack.usage, b->stack.entries.count, place);
    b->runs = runs;
    for (int i = 0; i < b->warps.count; i++)
        let_run(d, b->warps.data[i], member_of(d, b->warps.data[i])->path.entry == runs);
    for (int side = 0; side < DUAL_SIDES && runs >= 0; side++) {
        bool has_other = b->stack.entries.data[runs].path[!side].warps;
        if ((has_other && !d->knobs.interleave) || !dual_block_can_start(&b->stack, (struct dual_place){runs, side}))
            continue;
        d->counters.paired += has_other;
        start_path(d, block, (struct dual_place){runs, side},
                   (struct compactor_start){wait, b->stack.usage.moving > 0});
    }
}

/* Entries of a block's stack have moved to memory and back: the compactor may start on paths that wait for it. */
static void tbc_dpe_spilled(struct div *div, int32_t stack, int lines, bool is_done)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    if (stack_spilled(&d->counters.time, &d->blocks.data[stack].stack.usage, d->host->now, lines, is_done))
        compactor_open_gate(&d->compactor, stack);
}

static void tbc_dpe_tick(struct div *div)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    struct compactor_warp made;
    if (!compactor_make(&d->compactor, &made))
        return;
    struct dual_place path = {made.user.path / DUAL_SIDES, made.user.path % DUAL_SIDES};
    run_warp(d, made.user.block, path, made.threads);
}

static void tbc_dpe_launch(struct div *div, int32_t block)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    struct div_host *h = d->host;
    struct dual_place path = {0, DUAL_LEFT};
    int32_t first, count;
    const struct threads *warps;
    while (d->blocks.count <= block)
        vec_push(&d->blocks, (struct tbc_dpe_block){.runs = -1});
    struct tbc_dpe_block *b = &d->blocks.data[block];
    h->calls.block_rows(h, block, &first, &count);
    struct block_mask all = block_mask_live(h, first, count);
    int made = compactor_launch(&d->compactor, &all, first, count, &warps);
    b->stack.first_row = first;
    b->stack.rows = count;
    b->stack.static_warps = made;
    dual_block_start(&b->stack, &d->rules, h->facts.program->functions[0].first, &all);
    b->runs = 0;
    b->has_held = false;
    dual_block_path_at(&b->stack, path)->warps = made;
    warp_buffer_open(&b->buffer, first * 32 / h->facts.width, made);
    for (int i = 0; i < made; i++)
        run_warp(d, block, path, &warps[i]);
}

/* ---- warps dissolve ---- */

static void dissolve(struct tbc_dpe *d, struct strand *s)
{
    struct tbc_dpe_member m = *member_of(d, s);
    struct tbc_dpe_block *b = &d->blocks.data[m.block];
    const struct dual_block_path *p = dual_block_path_at(&b->stack, m.path);
    struct strand *last = b->warps.data[--b->warps.count];
    b->warps.data[m.place] = last;
    member_of(d, last)->place = m.place;
    warp_buffer_give(&b->buffer, s->lineage);
    d->host->calls.retire(d->host, s);
    if (--dual_block_path_at(&b->stack, m.path)->warps > 0)
        return;
    d->counters.sync_wait += p->arrived * d->host->now - p->arrival_sum;
    dual_block_settle(&b->stack, &d->rules, m.path);
    follow(d, m.block);
}

static void count_arrival(struct tbc_dpe *d, const struct strand *s)
{
    struct dual_block_path *p = dual_block_path_at(&block_of(d, s)->stack, member_of(d, s)->path);
    p->arrived++;
    p->arrival_sum += d->host->now;
}

static void look_at_held(struct tbc_dpe *d, int32_t block);

/* The stack has recorded where the strand's threads go: the warp dissolves, now or when it has drained. */
static void arrived(struct tbc_dpe *d, struct strand *s)
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

static void tbc_dpe_drained(struct div *div, struct strand *s)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    dissolve(d, s);
}

/* ---- calls of the contract ---- */

static struct dual_block_site site_of(struct tbc_dpe *d, const struct strand *s)
{
    return (struct dual_block_site){d->host->facts.program, s->pc, s->depth};
}

/* Whether the warp waits for the others of its path at the instruction at which it is. */
static bool waits_at(struct tbc_dpe *d, const struct strand *s)
{
    return block_rules_waits(d->host->facts.program, s, (enum block_uniform)d->knobs.uniform, false);
}

/* All threads of the strand go to `to`, without waiting for other warps. */
static void pass(struct tbc_dpe *d, struct strand *s, struct point to)
{
    d->counters.skipped += block_rules_may_diverge(&d->host->facts.program->insns[s->pc], s->depth);
    if (dual_block_leaves(&block_of(d, s)->stack, &d->rules, member_of(d, s)->path, to, &s->threads))
        arrived(d, s);
    else
        d->host->calls.assign(d->host, s, to.pc, to.depth, &s->threads);
}

static void tbc_dpe_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    if (!waits_at(d, s) && block_rules_have_one_place(outcomes, count)) {
        pass(d, s, (struct point){outcomes[0].pc, outcomes[0].depth});
        return;
    }
    struct dual_block_site at = site_of(d, s);
    d->counters.synchronised++;
    dual_block_branch(&block_of(d, s)->stack, &d->rules, member_of(d, s)->path, &at, outcomes, count);
    arrived(d, s);
}

static void tbc_dpe_part(struct div *div, struct strand *s, int32_t target, uint32_t taken)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    struct point to;
    if (block_rules_go_one_way(s, target, taken, &to) && !waits_at(d, s)) {
        pass(d, s, to);
        return;
    }
    struct dual_block_site at = site_of(d, s);
    d->counters.synchronised++;
    dual_block_part(&block_of(d, s)->stack, &d->rules, member_of(d, s)->path, &at, s, target, taken);
    arrived(d, s);
}

static bool tbc_dpe_pass(struct div *div, struct strand *s, int32_t pc)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    const struct point to = {pc, s->depth};
    if (waits_at(d, s) || dual_block_ends_at(&block_of(d, s)->stack, member_of(d, s)->path, to))
        return false;
    d->counters.skipped += block_rules_may_diverge(&d->host->facts.program->insns[s->pc], s->depth);
    return true;
}

static void tbc_dpe_arrive(struct div *div, struct strand *s)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    struct point at = {s->pc, s->depth};
    if (dual_block_leaves(&block_of(d, s)->stack, &d->rules, member_of(d, s)->path, at, &s->threads))
        arrived(d, s);
}

static void tbc_dpe_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    dual_block_exit(&block_of(d, s)->stack, ended);
    if (!s->threads.count)
        dissolve(d, s);
}

/* Whether all live threads of the block can come to the barrier at which the strand is, while the strand is held
 * there. */
static bool all_may_come(struct tbc_dpe *d, const struct strand *s)
{
    const struct dual_block *stack = &block_of(d, s)->stack;
    bool is_guarded = d->host->facts.program->insns[s->pc].guard >= 0;
    struct block_mask live = block_mask_live(d->host, stack->first_row, stack->rows);
    return !is_guarded && !stack->targets.count &&
           block_mask_is_within(&live, &dual_block_path_at(stack, member_of(d, s)->path)->mask, stack->rows);
}

/* The strand dissolves at a barrier or rendezvous, so that other threads of the block can come. It need not drain,
 * since it waits for the barrier anyway. */
static void give_way(struct tbc_dpe *d, struct strand *s)
{
    struct dual_block *stack = &block_of(d, s)->stack;
    struct dual_block_site at = site_of(d, s);
    struct threads passed = held_passed(d->host, s);
    d->counters.partial_barriers++;
    dual_block_bar(stack, &d->rules, member_of(d, s)->path, &at, &s->threads);
    dual_block_unbar(stack, &passed);
    count_arrival(d, s);
    dissolve(d, s);
}

/* Whether a strand at a rendezvous waits for threads that cannot come while the strand is held there. */
static bool is_stranded(struct tbc_dpe *d, const struct strand *s)
{
    return !compactor_works_for(&d->compactor, member_of(d, s)->block) && held_is_stranded(d->host, s);
}

/* A strand of the block held at a rendezvous may wait for threads that now wait for it at a branch: such a strand gives
 * way. */
static void look_at_held(struct tbc_dpe *d, int32_t block)
{
    const struct tbc_dpe_block *b = &d->blocks.data[block];
    for (int i = 0; i < b->warps.count; i++) {
        struct strand *s = b->warps.data[i];
        if (member_of(d, s)->arrived || !held_is_at_rendezvous(d->host->facts.program, s) || !is_stranded(d, s))
            continue;
        give_way(d, s);
        i = -1; /* from the start again: other strands may wait for its threads */
        b = &d->blocks.data[block];
    }
}

static void tbc_dpe_barrier(struct div *div, struct strand *s, int32_t resident, int id)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
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

static void tbc_dpe_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    (void)pc;
    (void)depth;
    int32_t block = d->host->calls.row_block(d->host, threads->part[0].row);
    dual_block_unbar(&d->blocks.data[block].stack, threads);
    follow(d, block);
}

/* ---- checks and reports ---- */

/* Adds the path's threads in strands, in warps that the compactor still has to make, and at branches. Returns the
 * number of these warps. */
static int find_threads(struct tbc_dpe *d, int32_t block, struct dual_place path, struct block_mask *found)
{
    const struct tbc_dpe_block *b = &d->blocks.data[block];
    struct compactor_user user = {block, number_of(path)};
    int count = compactor_missing(&d->compactor, user, b->stack.first_row, found);
    for (int i = 0; i < b->warps.count; i++) {
        const struct tbc_dpe_member *m = member_of(d, b->warps.data[i]);
        if (m->path.entry != path.entry || m->path.side != path.side)
            continue;
        count++;
        if (!m->arrived)
            block_mask_add(found, b->stack.first_row, &b->warps.data[i]->threads);
    }
    for (int i = 0; i < b->stack.targets.count; i++) {
        const struct dual_block_target *t = &b->stack.targets.data[i];
        if (t->from.entry == path.entry && t->from.side == path.side)
            block_mask_unite(found, &t->mask, b->stack.rows);
    }
    return count;
}

/* The path may still list threads that have ended, since `exit` is reported later, but never misses a live one. */
static void check_path(struct tbc_dpe *d, int32_t block, struct dual_place place, struct block_mask *held)
{
    const struct dual_block *s = &d->blocks.data[block].stack;
    const struct dual_block_path *p = dual_block_path_at(s, place);
    struct block_mask found = {{0}};
    int warps = find_threads(d, block, place, &found);
    if (warps != p->warps)
        panic("a path of block %d has %d warps, counted %d", (int)block, (int)p->warps, warps);
    block_mask_unite(held, &p->mask, s->rows);
    for (int r = 0; r < s->rows; r++) {
        uint32_t live = d->host->calls.row_live(d->host, s->first_row + r);
        if (found.lanes[r] & live & ~p->mask.lanes[r] || (p->warps && (found.lanes[r] ^ p->mask.lanes[r]) & live))
            panic("threads of row %d of block %d neither run nor wait", r, (int)block);
    }
}

static void check_block(struct tbc_dpe *d, int32_t block)
{
    const struct tbc_dpe_block *b = &d->blocks.data[block];
    struct block_mask held = {{0}};
    if (!dual_block_is_sound(&b->stack))
        panic("the stack of block %d is not in order", (int)block);
    for (int i = 0; i < b->stack.entries.count; i++)
        for (int side = 0; side < DUAL_SIDES; side++)
            check_path(d, block, (struct dual_place){i, side}, &held);
    for (int i = 0; i < b->warps.count; i++) {
        const struct tbc_dpe_member *m = member_of(d, b->warps.data[i]);
        if (!m->arrived && b->warps.data[i]->parked == (m->path.entry == b->runs))
            panic("a warp of block %d is parked and should run, or runs and should not", (int)block);
    }
    for (int r = 0; r < b->stack.rows; r++) {
        uint32_t live = d->host->calls.row_live(d->host, b->stack.first_row + r);
        if (live & ~held.lanes[r])
            panic("block %d lost threads 0x%x of row %d", (int)block, live & ~held.lanes[r], r);
    }
}

static void tbc_dpe_check(struct div *div)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    for (int i = 0; i < d->blocks.count; i++)
        if (d->blocks.data[i].stack.entries.count)
            check_block(d, i);
}

/* An entry runs when the entries above it have ended; only the compactor makes progress by time alone. */
static bool tbc_dpe_comes(struct div *div, int32_t row, int lane, uint64_t since)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    (void)lane, (void)since;
    return compactor_works_for(&d->compactor, d->host->calls.row_block(d->host, row));
}

static void tbc_dpe_why(struct div *div, const struct strand *s, struct text *out)
{
    (void)div;
    (void)s;
    text_printf(out, "waits for the sides of a branch that threads of its block are at");
}

static int32_t tbc_dpe_where(struct div *div, int32_t row, int lane)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    return dual_block_where(&d->blocks.data[d->host->calls.row_block(d->host, row)].stack, row, lane);
}

static void tbc_dpe_dump(struct div *div, struct text *out)
{
    struct tbc_dpe *d = tbc_dpe_of(div);
    for (int i = 0; i < d->blocks.count; i++) {
        const struct tbc_dpe_block *b = &d->blocks.data[i];
        if (!b->stack.entries.count)
            continue;
        text_printf(out, "block %d\n", i);
        dual_block_print(&b->stack, d->host->facts.program, d->host->facts.width, out);
    }
}

const struct div_ops div_tbc_dpe = {
    .name = "tbc-dpe",
    .summary = "Variant of tbc with two paths per stack entry: both sides of a branch are compacted and issue.",
    .paper = "Fung and Aamodt, HPCA 2011, as future work; Rhu and Erez, HPCA 2013",
    .knobs = &tbc_dpe_knob_table,
    .stats = &tbc_dpe_stats,
    .compaction_knob = "compaction",
    .create = tbc_dpe_create,
    .cost = tbc_cost_dpe,
    .destroy = tbc_dpe_destroy,
    .counters = tbc_dpe_counters,
    .prepare = tbc_dpe_prepare,
    .launch = tbc_dpe_launch,
    .branch = tbc_dpe_branch,
    .part = tbc_dpe_part,
    .pass = tbc_dpe_pass,
    .arrive = tbc_dpe_arrive,
    .exit = tbc_dpe_exit,
    .barrier = tbc_dpe_barrier,
    .released = tbc_dpe_released,
    .drained = tbc_dpe_drained,
    .spilled = tbc_dpe_spilled,
    .tick = tbc_dpe_tick,
    .check = tbc_dpe_check,
    .comes = tbc_dpe_comes,
    .why = tbc_dpe_why,
    .where = tbc_dpe_where,
    .dump = tbc_dpe_dump,
};
