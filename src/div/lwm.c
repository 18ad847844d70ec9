/*
 * lwm: the large warp microarchitecture (Narasiman, Shebanow, Lee, Miftakhutdinov, Mutlu and Patt, "Improving GPU
 * Performance via Large Warps and Two-Level Warp Scheduling", MICRO 2011).
 *
 * A large warp is `warps` static warps of a block under one reconvergence stack. Its active mask is a matrix with one
 * row per static warp and one column per lane. An instruction is issued as sub-warps: each takes the next active thread
 * of every column that still has one, so there are as many sub-warps as the fullest column has threads
 * (div/parts/compact.c). What happens to a large warp:
 *
 *   launch         The stack has one entry {A, all; -}.
 *   instruction    It issues sub-warp by sub-warp. With `lockstep`, as in the paper, the next instruction waits for the
 *                  last sub-warp: a sub-warp is parked until the others have issued too.
 *   branch         Sub-warps set their threads' bits at the targets. When the last sub-warp has resolved, the targets
 *                  become stack entries and the top entry's threads form new sub-warps, which may issue in the next
 *                  cycle. Branches that are proved uniform for the block change no mask and are passed.
 *   reconvergence  When the last sub-warp is at the top entry's reconvergence point, the top is popped, and the threads
 *                  of the entry below form new sub-warps.
 *   exit           Threads that end leave every mask; a sub-warp without threads is retired.
 *
 * The active mask does not change between control points, so sub-warps formed anew for each instruction would be
 * identical; here they are formed once for all instructions up to the next branch or reconvergence point, and are
 * strands. div/parts/block_stack.c has the rules of the stack, with the large warp in place of the block. Block
 * barriers count threads. A sub-warp at a barrier dissolves if threads of the large warp are elsewhere, so that these
 * can come too.
 *
 * The paper's other half, two-level scheduling, is a scheduler: sm.scheduler=two-level.
 *
 * Sub-warps that wait for the time of the stack (div/parts/stack_time.h) are formed, and issue later.
 *
 * Not modelled: that the sub-warps of an instruction issue back to back, since the
 * scheduler chooses among them; that a missing operand of one sub-warp holds all of them.
 */
#include "base/diag.h"
#include "div/parts/block_stack.h"
#include "div/parts/compact.h"
#include "div/parts/cost.h"
#include "div/parts/held.h"
#include "div/parts/marks.h"
#include "div/parts/stack_time.h"
#include "div/parts/static_warp.h"
#include "div/parts/warp_buffer.h"

struct lwm_knobs {
    uint32_t warps, order, uniform;
    bool packing, lockstep;
    struct stack_time_knobs stack;
};

struct lwm_counters {
    struct block_counters stack;
    struct compact_counters masks;
    struct stack_time_counters time;
    uint64_t formed, lockstep_wait, partial_barriers;
};

struct large_warp {
    struct block_stack stack;  /* empty: no block is resident there, or all its threads ended */
    struct block_mask threads; /* threads at launch, by row from the stack's first row on */
    int32_t lineage;           /* lineage of the first static warp */
    struct warp_buffer buffer;
    struct threads *packed;                   /* scratch: threads of the sub-warps that are being formed */
    int capacity;                             /* sub-warps that `packed` has room for */
    struct vec_of(struct strand *) sub_warps; /* the large warp's sub-warps, which are strands */
    int behind; /* lockstep: sub-warps that have not issued the instruction that parked sub-warps have issued */
    uint64_t waiting_since; /* lockstep: sum over parked sub-warps of the cycle in which each was parked */
    bool waits;             /* all threads are at barriers, in no sub-warp */
    bool has_held;          /* a sub-warp was held at a rendezvous since launch */
};

struct lwm {
    struct div_host *host;
    struct lwm_knobs knobs;
    struct block_rules rules;
    struct vec_of(struct large_warp) larges; /* by place of the first static warp; others are unused */
    struct vec_of(struct lwm_member {
        int32_t place; /* index in `larges` */
        int32_t index; /* index in the large warp's `sub_warps` */
    }) members;        /* by strand id */
    struct lwm_counters counters;
};

static struct lwm *lwm_of(struct div *div)
{
    return (struct lwm *)div;
}

#define KNOB(field) .name = #field, .offset = offsetof(struct lwm_knobs, field)

static const struct knob knobs[] = {
    {KNOB(warps), .unit = "warps",
     .meaning = "Static warps per large warp; the last large warp of a block may have fewer.", .kind = KNOB_COUNT,
     .fallback = 8, .low = 1, .high = 32},
    BLOCK_ORDER_KNOB(struct lwm_knobs),
    BLOCK_UNIFORM_KNOB(struct lwm_knobs, "those proved uniform", "those proved uniform and marked .uni"),
    {KNOB(packing), .unit = "",
     .meaning = "Whether sub-warps are packed from all active threads (yes), or are the static "
                "warps (no).",
     .kind = KNOB_BOOL, .fallback = 1, .high = 1},
    {KNOB(lockstep), .unit = "",
     .meaning = "Whether a sub-warp issues its next instruction only when all sub-warps have "
                "issued the last one.",
     .kind = KNOB_BOOL, .fallback = 1, .high = 1},
    STACK_TIME_KNOBS(struct lwm_knobs, stack),
};
static const struct knob_table knob_table = {"lwm", knobs, sizeof knobs / sizeof *knobs};

#define FIELD(field) .name = #field, .offset = offsetof(struct lwm_counters, field)
#define MASKS(field) .name = #field, .offset = offsetof(struct lwm_counters, masks.field)

static const struct stat_counter counters[] = {
    {FIELD(formed), .unit = "masks", .meaning = "Active masks from which sub-warps were formed."},
    {MASKS(useful), .unit = "masks", .meaning = "Active masks that gave fewer sub-warps than they have static warps."},
    {MASKS(warps_before), .unit = "warps", .meaning = "Static warps with threads in the active masks."},
    {MASKS(warps_after), .unit = "warps", .meaning = "Sub-warps formed from the active masks."},
    {FIELD(lockstep_wait), .unit = "warp cycles",
     .meaning = "Cycles that sub-warps waited for others of their large warp to issue the same instruction."},
    {FIELD(partial_barriers), .unit = "warps",
     .meaning =
         "Sub-warps that came to a barrier or warp-level operation while others of the large warp were elsewhere."},
    BLOCK_BRANCH_COUNTERS(struct lwm_counters),
    BLOCK_STACK_COUNTERS(struct lwm_counters),
    STACK_TIME_COUNTERS(struct lwm_counters, time),
};

static const struct stat_owner stats = {"lwm", counters, sizeof counters / sizeof *counters,
                                        sizeof(struct lwm_counters)};

static struct div *lwm_create(struct div_host *host, const void *knob_values, struct div_wants *wants)
{
    (void)wants;
    if (host->facts.width < 1 || host->facts.width > 64 || (host->facts.width & (host->facts.width - 1)))
        panic("large warps cannot hold static warps of %d threads", host->facts.width);
    struct lwm *d = xcalloc(1, sizeof *d);
    d->host = host;
    d->knobs = *(const struct lwm_knobs *)knob_values;
    d->rules.not_taken_first = d->knobs.order;
    return (struct div *)d;
}

static void lwm_destroy(struct div *div)
{
    struct lwm *d = lwm_of(div);
    for (int i = 0; i < d->larges.count; i++) {
        block_stack_free(&d->larges.data[i].stack);
        free(d->larges.data[i].packed);
        vec_free(&d->larges.data[i].sub_warps);
        warp_buffer_close(&d->larges.data[i].buffer);
    }
    vec_free(&d->larges);
    vec_free(&d->members);
    free(d);
}

static void *lwm_counters(struct div *div)
{
    struct lwm *d = lwm_of(div);
    d->counters.stack = d->rules.counters;
    d->counters.formed = d->counters.masks.useful + d->counters.masks.useless;
    return &d->counters;
}

static void lwm_prepare(struct div *div, uint8_t *marks)
{
    struct lwm *d = lwm_of(div);
    marks_post_dominators(d->host->facts.program, marks);
    if (d->knobs.lockstep)
        memset(marks, 1, (size_t)d->host->facts.program->insn_count);
}

/* ---- sub-warps ---- */

static struct large_warp *large_of(struct lwm *d, const struct strand *s)
{
    return &d->larges.data[d->members.data[s->id].place];
}

/* All sub-warps have issued the instruction: they may issue the next. */
static void go_on(struct lwm *d, struct large_warp *l)
{
    uint64_t waited = 0;
    for (int i = 0; i < l->sub_warps.count; i++)
        if (l->sub_warps.data[i]->parked) {
            waited += d->host->now;
            d->host->calls.unpark(d->host, l->sub_warps.data[i]);
        }
    d->counters.lockstep_wait += waited - l->waiting_since;
    l->waiting_since = 0;
    l->behind = l->sub_warps.count;
}

/* The sub-warp has issued an instruction and is at the next. In lockstep it is parked until the last sub-warp has
 * issued. */
static inline void step(struct lwm *d, struct large_warp *l, struct strand *s)
{
    if (!d->knobs.lockstep)
        return;
    if (--l->behind == 0) {
        go_on(d, l);
        return;
    }
    l->waiting_since += d->host->now;
    d->host->calls.park(d->host, s);
}

/* The top entry's threads form sub-warps. */
static void form(struct lwm *d, int32_t place)
{
    struct large_warp *l = &d->larges.data[place];
    struct block_stack *s = &l->stack;
    struct block_entry *top = block_stack_top(s);
    top->warps =
        compact_counted(d->host, &top->mask, s->first_row, s->rows, !d->knobs.packing, l->packed, &d->counters.masks);
    l->behind = top->warps;
    uint64_t from = d->host->now + 1 + stack_time(&d->knobs.stack, &d->counters.time, &s->usage, s->entries.count);
    for (int i = 0; i < l->behind; i++) {
        int32_t slot = warp_buffer_take(&l->buffer);
        struct strand *made = d->host->calls.create(d->host, top->at.pc, top->at.depth, &l->packed[i], slot);
        d->host->calls.hold(d->host, made, from);
        while (d->members.count <= made->id)
            vec_push(&d->members, (struct lwm_member){0});
        d->members.data[made->id] = (struct lwm_member){place, l->sub_warps.count};
        vec_push(&l->sub_warps, made);
    }
}

static void run_next(struct lwm *d, struct large_warp *l, enum block_next next)
{
    l->waits = next == BLOCK_WAITS;
    if (next == BLOCK_RUNS)
        form(d, (int32_t)(l - d->larges.data));
}

/* Retires the sub-warp: its threads have ended, or the stack has recorded where they go. */
static void dissolve(struct lwm *d, struct strand *s)
{
    struct large_warp *l = large_of(d, s);
    struct strand *last = l->sub_warps.data[--l->sub_warps.count];
    d->members.data[last->id].index = d->members.data[s->id].index;
    l->sub_warps.data[d->members.data[s->id].index] = last;
    warp_buffer_give(&l->buffer, s->lineage);
    d->host->calls.retire(d->host, s);
    l->behind--;
    if (--block_stack_top(&l->stack)->warps == 0)
        run_next(d, l, block_stack_settle(&l->stack, &d->rules));
    else if (d->knobs.lockstep && l->behind == 0)
        go_on(d, l);
}

/* ---- calls of the contract ---- */

/* Makes a large warp of `count` static warps of a block, from the one numbered `first` on. */
static void start(struct lwm *d, int32_t block, int first, int count)
{
    struct div_host *h = d->host;
    struct static_warp at = static_warp_of(h, block, first), end = static_warp_of(h, block, first + count - 1);
    struct block_mask all = {{0}};
    int rows = end.row + end.rows - at.row;
    if (rows > COMPACT_MAX_ROWS)
        panic("a large warp cannot hold %d rows", rows);
    for (int i = 0; i < count; i++) {
        struct static_warp w = static_warp_of(h, block, first + i);
        struct threads t;
        static_warp_threads(&w, static_warp_live(h, &w), &t);
        block_mask_add(&all, at.row, &t);
    }
    if (block_mask_is_empty(&all, rows))
        return;
    while (d->larges.count <= at.place)
        vec_push(&d->larges, (struct large_warp){0});
    struct large_warp *l = &d->larges.data[at.place];
    int most = (rows * 32 + h->facts.width - 1) / h->facts.width;
    if (l->capacity < most) {
        l->capacity = most;
        l->packed = xrealloc(l->packed, sizeof *l->packed * (size_t)most);
    }
    l->threads = all;
    l->lineage = at.lineage;
    warp_buffer_open(&l->buffer, at.lineage, count);
    l->waits = l->has_held = false;
    l->stack.first_row = at.row;
    l->stack.rows = rows;
    /* Masks are printed from lane 0 of the first row on, so static warps before it in that row are counted too. */
    block_stack_start(&l->stack, &d->rules, h->facts.program->functions[0].first, &all,
                      at.shift / h->facts.width + count);
    form(d, at.place);
}

static void lwm_launch(struct div *div, int32_t block)
{
    struct lwm *d = lwm_of(div);
    int count = static_warp_count(d->host, block), large = (int)d->knobs.warps;
    for (int i = 0; i < count; i += large)
        start(d, block, i, count - i < large ? count - i : large);
}

static struct block_arrival arrival_of(struct lwm *d, const struct strand *s)
{
    return (struct block_arrival){.program = d->host->facts.program, .pc = s->pc, .depth = s->depth, .likely = PC_NONE};
}

static void look_at_held(struct lwm *d, int32_t place);

/* The stack has recorded where the sub-warp's threads go. */
static void arrived(struct lwm *d, struct strand *s)
{
    int32_t place = d->members.data[s->id].place;
    dissolve(d, s);
    look_at_held(d, place);
}

/* Whether the sub-warp waits for the others at the instruction at which it is. */
static bool waits_at(struct lwm *d, const struct strand *s)
{
    return block_rules_waits(d->host->facts.program, s, (enum block_uniform)d->knobs.uniform, false);
}

/* All threads of the sub-warp go to `to`, without waiting for other sub-warps to decide. */
static void pass(struct lwm *d, struct strand *s, struct point to)
{
    struct large_warp *l = large_of(d, s);
    if (block_stack_leaves(&l->stack, &d->rules, to, &s->threads)) {
        arrived(d, s);
        return;
    }
    d->host->calls.assign(d->host, s, to.pc, to.depth, &s->threads);
    step(d, l, s);
}

static void lwm_branch(struct div *div, struct strand *s, const struct outcome *outcomes, int count)
{
    struct lwm *d = lwm_of(div);
    if (!waits_at(d, s) && block_rules_have_one_place(outcomes, count)) {
        pass(d, s, (struct point){outcomes[0].pc, outcomes[0].depth});
        return;
    }
    struct block_arrival at = arrival_of(d, s);
    block_stack_branch(&large_of(d, s)->stack, &d->rules, &at, outcomes, count);
    arrived(d, s);
}

static void lwm_part(struct div *div, struct strand *s, int32_t target, uint32_t taken)
{
    struct lwm *d = lwm_of(div);
    struct point to;
    if (block_rules_go_one_way(s, target, taken, &to) && !waits_at(d, s)) {
        pass(d, s, to);
        return;
    }
    struct block_arrival at = arrival_of(d, s);
    block_stack_part(&large_of(d, s)->stack, &d->rules, &at, s, target, taken);
    arrived(d, s);
}

static void lwm_arrive(struct div *div, struct strand *s)
{
    struct lwm *d = lwm_of(div);
    struct large_warp *l = large_of(d, s);
    if (block_stack_leaves(&l->stack, &d->rules, (struct point){s->pc, s->depth}, &s->threads))
        arrived(d, s);
    else
        step(d, l, s);
}

static void lwm_exit(struct div *div, struct strand *s, const struct threads *ended)
{
    struct lwm *d = lwm_of(div);
    block_stack_exit(&large_of(d, s)->stack, ended);
    if (!s->threads.count)
        dissolve(d, s);
}

static struct block_mask live_of(struct lwm *d, const struct large_warp *l)
{
    struct block_mask live = block_mask_live(d->host, l->stack.first_row, l->stack.rows);
    for (int r = 0; r < l->stack.rows; r++)
        live.lanes[r] &= l->threads.lanes[r];
    return live;
}

/* Whether all live threads of the large warp can come to the barrier at which the strand is, while the strand is held
 * there. */
static bool all_may_come(struct lwm *d, const struct strand *s)
{
    const struct large_warp *l = large_of(d, s);
    struct block_mask live = live_of(d, l);
    return d->host->facts.program->insns[s->pc].guard < 0 && block_stack_is_whole(&l->stack, &live);
}

/* The sub-warp dissolves at a barrier or rendezvous, so that other threads of the large warp can come. */
static void give_way(struct lwm *d, struct strand *s)
{
    struct block_stack *stack = &large_of(d, s)->stack;
    struct block_arrival at = arrival_of(d, s);
    struct threads passed = held_passed(d->host, s);
    d->counters.partial_barriers++;
    block_stack_bar(stack, &d->rules, &at, &s->threads);
    block_stack_unbar(stack, &passed);
    dissolve(d, s);
}

/* A sub-warp held at a rendezvous may wait for threads that now wait for it at a branch: such a sub-warp gives way. */
static void look_at_held(struct lwm *d, int32_t place)
{
    const struct large_warp *l = &d->larges.data[place];
    for (int i = 0; i < l->sub_warps.count && l->has_held; i++) {
        struct strand *s = l->sub_warps.data[i];
        if (!held_is_at_rendezvous(d->host->facts.program, s) || !held_is_stranded(d->host, s))
            continue;
        give_way(d, s);
        i = -1; /* from the start again: other sub-warps may wait for its threads */
    }
}

static void lwm_barrier(struct div *div, struct strand *s, int32_t block, int id)
{
    struct lwm *d = lwm_of(div);
    (void)block;
    int32_t place = d->members.data[s->id].place;
    if (id >= 0 ? all_may_come(d, s) : !held_is_stranded(d->host, s)) {
        d->larges.data[place].has_held |= id < 0;
        return;
    }
    give_way(d, s);
    look_at_held(d, place);
}

static void lwm_released(struct div *div, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct lwm *d = lwm_of(div);
    (void)pc;
    (void)depth;
    int32_t block = d->host->calls.row_block(d->host, threads->part[0].row);
    for (int i = 0; i < static_warp_count(d->host, block); i += (int)d->knobs.warps) {
        int32_t place = static_warp_of(d->host, block, i).place;
        struct large_warp *l = place < d->larges.count ? &d->larges.data[place] : NULL;
        struct threads own = {0};
        for (int r = 0; l && l->stack.entries.count && r < l->stack.rows; r++) {
            uint32_t mask = threads_of_row(threads, l->stack.first_row + r) & l->threads.lanes[r];
            if (mask)
                threads_add(&own, l->stack.first_row + r, mask);
        }
        if (!own.count)
            continue;
        block_stack_unbar(&l->stack, &own);
        if (l->waits)
            run_next(d, l, block_stack_next(&l->stack, &d->rules));
    }
}

/* ---- checks and reports ---- */

static void check_large(struct lwm *d, const struct large_warp *l)
{
    struct block_mask live = live_of(d, l), running = {{0}};
    int parked = 0;
    for (int i = 0; i < l->sub_warps.count; i++) {
        block_mask_add(&running, l->stack.first_row, &l->sub_warps.data[i]->threads);
        parked += l->sub_warps.data[i]->parked;
    }
    block_stack_check(&l->stack, &live, &running, l->sub_warps.count, l->waits);
    if (d->knobs.lockstep && parked + l->behind != l->sub_warps.count)
        panic("of %d sub-warps %d wait for %d others", l->sub_warps.count, parked, l->behind);
}

static void lwm_check(struct div *div)
{
    struct lwm *d = lwm_of(div);
    for (int i = 0; i < d->larges.count; i++)
        if (d->larges.data[i].stack.entries.count)
            check_large(d, &d->larges.data[i]);
}

static void lwm_why(struct div *div, const struct strand *s, struct text *out)
{
    (void)div;
    (void)s;
    text_printf(out, "in lockstep with other sub-warps of its large warp, which have not issued the last instruction");
}

static int32_t lwm_where(struct div *div, int32_t row, int lane)
{
    struct lwm *d = lwm_of(div);
    for (int i = 0; i < d->larges.count; i++) {
        const struct large_warp *l = &d->larges.data[i];
        int r = row - l->stack.first_row;
        if (l->stack.entries.count && r >= 0 && r < l->stack.rows && l->threads.lanes[r] >> lane & 1)
            return block_stack_where(&l->stack, row, lane);
    }
    return PC_NONE;
}

static void lwm_dump(struct div *div, struct text *out)
{
    struct lwm *d = lwm_of(div);
    for (int i = 0; i < d->larges.count; i++) {
        const struct large_warp *l = &d->larges.data[i];
        if (!l->stack.entries.count)
            continue;
        text_printf(out, "large warp %d\n", (int)l->lineage);
        block_stack_print(&l->stack, d->host->facts.program, d->host->facts.width, out);
    }
}

/* One stack per large warp, whose masks have a bit per thread: as many mask bits as pdom has. Sub-warps are packed anew
 * for each instruction, so none is stored (Narasiman et al., MICRO 2011, whose own figures are not at hand). */
static void lwm_cost(struct cost *c)
{
    const struct cost_machine *m = c->machine;
    const struct lwm_knobs *chosen = c->knobs;
    uint32_t large = (m->warps + chosen->warps - 1) / chosen->warps, entries = cost_entries(c, chosen->stack.entries);
    cost_storage(c, "large-warp stacks", (double)large * entries,
                 2.0 * COST_PC_BITS + (double)chosen->warps * m->warp_width,
                 "N / lwm.warps x D entries of PC + RPC + lwm.warps x W", COST_COUNTED);
    cost_front_end(c);
    cost_logic(c, "priority encoder", m->warp_width, chosen->warps, "W encoders of lwm.warps bits", COST_COUNTED);
    cost_logic(c, "register row address", m->simd_width, cost_bits(m->warps), "one per lane", COST_COUNTED);
}

const struct div_ops div_lwm = {
    .name = "lwm",
    .summary = "Large warps with one stack each, issued as sub-warps packed from active threads.",
    .paper = "Narasiman et al., MICRO 2011",
    .knobs = &knob_table,
    .stats = &stats,
    .compaction_knob = "packing",
    .create = lwm_create,
    .cost = lwm_cost,
    .destroy = lwm_destroy,
    .counters = lwm_counters,
    .prepare = lwm_prepare,
    .launch = lwm_launch,
    .branch = lwm_branch,
    .part = lwm_part,
    .arrive = lwm_arrive,
    .exit = lwm_exit,
    .barrier = lwm_barrier,
    .released = lwm_released,
    .check = lwm_check,
    .why = lwm_why,
    .where = lwm_where,
    .dump = lwm_dump,
};
