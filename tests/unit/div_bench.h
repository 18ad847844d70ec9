/*
 * A multiprocessor without values, for tests of mechanisms: in each cycle it issues every strand that is
 * ready, and a test decides which way each thread takes. It holds the mechanism to its contract: a thread
 * executes its own path in order, in one strand at a time, none is forgotten, and a strand whose threads are
 * on their way is left alone.
 *
 * With `latency` instructions take a random time to resolve, strands are passed over at random, and with
 * `loads` results come back in parts.
 */
#ifndef HEDDLE_TESTS_DIV_BENCH_H
#define HEDDLE_TESTS_DIV_BENCH_H

#include "base/diag.h"
#include "base/random.h"
#include "base/text.h"
#include "div/table.h"
#include "ptx/parse.h"
#include "recon/place_barriers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    BENCH_ROWS = 8,
    BENCH_THREADS = BENCH_ROWS * 32,
    BENCH_CALLS = 16,
    BENCH_STRANDS = BENCH_THREADS,
    BENCH_BLOCKS = 2,
    BENCH_LOADS = 64,
    BENCH_MOVES = 4096
};

struct bench;

/* The way that a thread takes: 0 .. ways - 1. Of a bra, 0 is the taken one; of a guarded ret, exit or call, 0
 * does it; the next PC is the last way. */
typedef int bench_choice(struct bench *b, int thread, int32_t pc, int ways);

struct bench_thread {
    int32_t pc, depth;
    int32_t back[BENCH_CALLS];
    bool ended, at_barrier;
    int steps;
    uint64_t path;  /* hash of the PCs and depths it executed */
    int visits[64]; /* by branch, those beyond together */
};

/* A load that is partly back at `cycle`. */
struct bench_load {
    int strand;
    uint32_t generation;
    struct threads threads;
    uint64_t cycle;
};

/* An entry of a stack that has moved to memory or back at `cycle`. */
struct bench_move {
    struct div_spill move;
    uint64_t cycle;
};

struct bench {
    struct div_host host;
    struct div_wants wants; /* what the mechanism asked for in `create` */
    struct ptx_module *module;
    struct program *program;
    const struct div_ops *ops;
    struct div *div;
    uint32_t order;                   /* the knob of pdom */
    const void *knobs;                /* of other mechanisms; NULL: `order` alone */
    int simd_width;                   /* of the next runs; 0: W */
    enum div_stack_syncs stack_syncs; /* of the next runs */
    struct barrier_plan *plan;        /* of the next runs; NULL: that of post-dominators */
    struct barrier_plan *placed;
    uint8_t *marks;
    struct bench_thread thread[BENCH_THREADS];
    uint32_t live[BENCH_ROWS];
    int rows;
    int first_row[BENCH_BLOCKS], row_count[BENCH_BLOCKS];
    struct strand strand[BENCH_STRANDS];
    bool used[BENCH_STRANDS];
    uint64_t drained_at[BENCH_STRANDS]; /* cycle, of a strand that drains; 0: it does not */
    uint64_t due[BENCH_STRANDS];        /* cycle at which a busy strand's instruction resolves */
    int strand_of[BENCH_THREADS];       /* or -1 */
    struct strand *asked;               /* the mechanism may retire it, though it is held */
    uint64_t tick_cycle;                /* asked for; 0: none */
    bool was_idle;                      /* the mechanism was told, and not called since */
    bool is_idle;                       /* the last cycle of bench_cycle() issued nothing */
    struct bench_load loads_out[BENCH_LOADS];
    int load_count;
    struct bench_move moves[BENCH_MOVES];
    int move_count;
    uint64_t births;
    int issues;
    int latency;     /* most cycles that an instruction takes to resolve; 0: at once, and nothing is random */
    bool loads;      /* straight instructions may be loads */
    bool same_calls; /* threads of a strand must have the same calls behind them, as where a warp keeps their returns */
    bench_choice *choose;
    const void *script;
    struct random random;
    struct text trace; /* "A1111 " for each issue at a label; only with `watch` */
    /* Called before each issue at a label; or NULL. */
    void (*watch)(struct bench *b, const char *label, struct strand *s);
};

static struct bench *bench_of(struct div_host *h)
{
    return h->sm;
}

static void bench_map(struct bench *b, struct strand *s, int from, int to)
{
    for (int i = 0; i < s->threads.count; i++)
        for (uint32_t left = s->threads.part[i].mask; left; left &= left - 1) {
            int t = s->threads.part[i].row * 32 + bits_lowest(left);
            if (b->strand_of[t] != from)
                fail_msg("thread %d is in strand %d, not %d", t, b->strand_of[t], from);
            b->strand_of[t] = to;
        }
}

static int32_t bench_row_block(struct div_host *h, int32_t row)
{
    const struct bench *b = bench_of(h);
    for (int i = 0; i < BENCH_BLOCKS; i++)
        if (row >= b->first_row[i] && row < b->first_row[i] + b->row_count[i])
            return i;
    fail_msg("row %d is no block's", row);
    return -1;
}

static uint64_t bench_slots(struct div_host *h, int32_t row, uint32_t lanes)
{
    uint64_t slots = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        slots |= UINT64_C(1) << (row * 32 + bits_lowest(left)) % h->facts.width;
    return slots;
}

static void bench_hold_to_calls(struct bench *b, const struct threads *t)
{
    const struct bench_thread *first = &b->thread[t->part[0].row * 32 + bits_lowest(t->part[0].mask)];
    for (int i = 0; i < t->count; i++)
        for (uint32_t left = t->part[i].mask; left; left &= left - 1) {
            const struct bench_thread *other = &b->thread[t->part[i].row * 32 + bits_lowest(left)];
            if (other->depth != first->depth ||
                memcmp(other->back, first->back, sizeof *first->back * (size_t)first->depth))
                fail_msg("threads of a strand would return to different places");
        }
}

/* The slots that the threads of a strand take. */
static uint64_t bench_taken(struct bench *b, const struct threads *t)
{
    uint64_t taken = 0;
    for (int i = 0; i < t->count; i++)
        for (uint32_t left = t->part[i].mask; left; left &= left - 1) {
            int lanes = b->wants.home_lanes ? b->wants.home_lanes : b->host.facts.width;
            int slot = __builtin_ctzll(bench_slots(&b->host, t->part[i].row, left & -left)) % lanes;
            while (slot < b->host.facts.width && taken >> slot & 1)
                slot += lanes;
            if (slot >= b->host.facts.width)
                fail_msg("two threads of a strand share a slot");
            taken |= UINT64_C(1) << slot;
        }
    return taken;
}

static void bench_describe(struct bench *b, struct strand *s)
{
    s->slots = bench_taken(b, &s->threads);
    s->size = threads_size(&s->threads);
}

/* What any strand must be: threads of slots of their own, and of one block unless the mechanism says
 * otherwise. */
static void bench_hold_to_rules(struct bench *b, const struct threads *t)
{
    assert_in_range(threads_size(t), 1, b->host.facts.width);
    for (int i = 0; i < t->count; i++) {
        assert_true(t->part[i].mask != 0);
        if (!(b->ops->flags & DIV_MIXES_BLOCKS))
            assert_int_equal(bench_row_block(&b->host, t->part[i].row), bench_row_block(&b->host, t->part[0].row));
    }
    bench_taken(b, t);
    if (b->same_calls)
        bench_hold_to_calls(b, t);
}

static struct strand *bench_create(struct div_host *h, int32_t pc, int32_t depth, const struct threads *threads,
                                   int32_t lineage)
{
    struct bench *b = bench_of(h);
    int id = 0;
    while (id < BENCH_STRANDS && b->used[id])
        id++;
    assert_in_range(id, 0, BENCH_STRANDS - 1);
    bench_hold_to_rules(b, threads);
    b->used[id] = true;
    uint32_t generation = b->strand[id].generation + 1;
    b->strand[id] = (struct strand){.id = id,
                                    .generation = generation,
                                    .pc = pc,
                                    .depth = depth,
                                    .threads = *threads,
                                    .lineage = lineage,
                                    .birth = b->births++,
                                    .not_before = h->now + 1};
    bench_describe(b, &b->strand[id]);
    bench_map(b, &b->strand[id], -1, id);
    return &b->strand[id];
}

static void bench_assign(struct div_host *h, struct strand *s, int32_t pc, int32_t depth, const struct threads *threads)
{
    struct bench *b = bench_of(h);
    assert_true(b->used[s->id]);
    if (s->busy || s->held)
        fail_msg("strand %d got other threads while its own are on their way", s->id);
    bench_hold_to_rules(b, threads);
    struct threads copy = *threads;
    bench_map(b, s, s->id, -1);
    s->threads = copy;
    bench_describe(b, s);
    s->pc = pc;
    s->depth = depth;
    s->syncs = 0;
    bench_map(b, s, -1, s->id);
}

static void bench_retire(struct div_host *h, struct strand *s)
{
    struct bench *b = bench_of(h);
    assert_true(b->used[s->id]);
    if ((s->busy || s->held) && s != b->asked)
        fail_msg("strand %d was retired while its threads are on their way", s->id);
    bench_map(b, s, s->id, -1);
    s->threads.count = 0;
    b->used[s->id] = false;
}

static void bench_set_syncs(struct div_host *h, struct strand *s, int count)
{
    assert_true(bench_of(h)->used[s->id] && count > 0);
    s->syncs = (uint16_t)count;
}

/* The bench issues strands in any order, so a strand need not wait. */
static void bench_hold(struct div_host *h, struct strand *s, uint64_t cycle)
{
    assert_true(bench_of(h)->used[s->id] && cycle >= h->now);
    s->not_before = cycle;
}

static void bench_let_go(struct div_host *h, struct strand *s)
{
    assert_true(bench_of(h)->used[s->id] && s->not_before == UINT64_MAX);
    s->not_before = h->now;
}

/* In the next cycle or, if times are random, up to 8 cycles later. */
static void bench_spill(struct div_host *h, const struct div_spill *move)
{
    struct bench *b = bench_of(h);
    assert_true(b->wants.spills && move->stack >= 0 && move->entry >= 0);
    assert_true(move->bytes > 0 && move->bytes <= 512 && move->bytes % 8 == 0);
    assert_in_range(b->move_count, 0, BENCH_MOVES - 1);
    b->moves[b->move_count++] = (struct bench_move){*move, h->now + 1 + (b->latency ? random_u64(&b->random) % 8 : 0)};
}

/* If times are random, a load is on its way now and then. */
static bool bench_awaits_load(struct div_host *h, int32_t pc, const struct threads *threads)
{
    struct bench *b = bench_of(h);
    assert_true(pc >= 0 && pc < h->facts.program->insn_count && threads->count > 0);
    return b->latency && random_u64(&b->random) % 4 == 0;
}

static uint64_t bench_thread_instructions(struct div_host *h)
{
    return (uint64_t)bench_of(h)->issues * 3;
}

static bool bench_is_ready(const struct bench *b, const struct strand *s)
{
    return !s->busy && !s->held && !s->parked && s->not_before <= b->host.now;
}

static int bench_ready(struct div_host *h)
{
    struct bench *b = bench_of(h);
    int count = 0;
    for (int id = 0; id < BENCH_STRANDS; id++)
        count += b->used[id] && bench_is_ready(b, &b->strand[id]);
    return count;
}

static void bench_park(struct div_host *h, struct strand *s)
{
    (void)h;
    s->parked = true;
}

static void bench_unpark(struct div_host *h, struct strand *s)
{
    (void)h;
    s->parked = false;
}

/* Now, or, if times are random, perhaps a few cycles later. */
/* The bench has no instruction buffers. */
static struct strand *bench_split(struct div_host *h, const struct strand *from, int32_t pc, int32_t depth,
                                  const struct threads *threads)
{
    return bench_create(h, pc, depth, threads, from->lineage);
}

static void bench_merge(struct div_host *h, struct strand *s, struct strand *from, const struct threads *threads)
{
    assert_true(s->pc == from->pc && s->depth == from->depth);
    bench_retire(h, from);
    bench_assign(h, s, s->pc, s->depth, threads);
}

static bool bench_drain(struct div_host *h, struct strand *s)
{
    struct bench *b = bench_of(h);
    assert_true(b->used[s->id] && !s->busy && !s->held && !b->drained_at[s->id]);
    if (!b->latency || random_u64(&b->random) & 1)
        return true;
    s->parked = true;
    b->drained_at[s->id] = h->now + 1 + random_u64(&b->random) % 8;
    return false;
}

static void bench_tick_at(struct div_host *h, uint64_t cycle)
{
    struct bench *b = bench_of(h);
    assert_true(cycle > h->now);
    if (!b->tick_cycle || cycle < b->tick_cycle)
        b->tick_cycle = cycle;
}

static void bench_no_sides(struct div_host *h, int32_t row, uint32_t lanes)
{
    (void)h;
    (void)row;
    (void)lanes;
}

static void bench_block_rows(struct div_host *h, int32_t block, int32_t *first, int32_t *count)
{
    *first = bench_of(h)->first_row[block];
    *count = bench_of(h)->row_count[block];
}

/* Threads at a barrier. The bench has no rendezvous. */
static uint32_t bench_row_waiting(struct div_host *h, int32_t row)
{
    struct bench *b = bench_of(h);
    uint32_t waiting = 0;
    for (int lane = 0; lane < 32; lane++)
        waiting |= (uint32_t)b->thread[row * 32 + lane].at_barrier << lane;
    return waiting;
}

static uint32_t bench_row_live(struct div_host *h, int32_t row)
{
    return bench_of(h)->live[row];
}

static void bench_load(struct bench *b, const char *text)
{
    struct diag diag = {0};
    char *error = NULL;
    b->module = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!b->module)
        diag_print(&diag, stderr);
    diag_free(&diag);
    assert_non_null(b->module);
    b->program = program_create(ptx_find_function(b->module, "k"), &error);
    if (error)
        fprintf(stderr, "%s\n", error);
    assert_non_null(b->program);
}

static void bench_open(struct bench *b, const char *text, bench_choice *choose, const void *script)
{
    memset(b, 0, sizeof *b);
    bench_load(b, text);
    b->choose = choose;
    b->script = script;
}

/* Readies a run under a mechanism; the program stays. */
static void bench_begin_with(struct bench *b, const struct div_ops *ops, int width)
{
    assert_non_null(ops);
    b->ops = ops;
    b->host = (struct div_host){.facts = {.program = b->program,
                                          .width = width,
                                          .simd_width = b->simd_width ? b->simd_width : width,
                                          .slots_are_lanes = width == 32,
                                          .schedulers = 1,
                                          .orders_by_key = true,
                                          .stack_syncs = b->stack_syncs},
                                .calls = {.create = bench_create,
                                          .split = bench_split,
                                          .assign = bench_assign,
                                          .merge = bench_merge,
                                          .retire = bench_retire,
                                          .set_syncs = bench_set_syncs,
                                          .hold = bench_hold,
                                          .let_go = bench_let_go,
                                          .park = bench_park,
                                          .unpark = bench_unpark,
                                          .drain = bench_drain,
                                          .block_rows = bench_block_rows,
                                          .row_block = bench_row_block,
                                          .row_live = bench_row_live,
                                          .row_waiting = bench_row_waiting,
                                          .awaits_load = bench_awaits_load,
                                          .slots = bench_slots,
                                          .tick_at = bench_tick_at,
                                          .thread_instructions = bench_thread_instructions,
                                          .ready = bench_ready,
                                          .spill = bench_spill,
                                          .fork = bench_no_sides,
                                          .join = bench_no_sides},
                                .sm = b};
    b->wants = (struct div_wants){0};
    if (b->ops->flags & DIV_BARRIERS && !b->plan)
        b->placed = barriers_place(b->program);
    b->host.facts.barriers = b->plan ? b->plan : b->placed;
    b->div = b->ops->create(&b->host, b->knobs ? b->knobs : &b->order, &b->wants);
    b->marks = xcalloc((size_t)b->program->insn_count + 1, 1);
    if (b->ops->prepare)
        b->ops->prepare(b->div, b->marks);
    memset(b->thread, 0, sizeof b->thread);
    memset(b->strand_of, 0xff, sizeof b->strand_of);
    memset(b->live, 0, sizeof b->live);
    memset(b->used, 0, sizeof b->used);
    memset(b->drained_at, 0, sizeof b->drained_at);
    memset(b->row_count, 0, sizeof b->row_count);
    b->issues = 0;
    b->rows = 0;
    b->tick_cycle = 0;
    b->was_idle = b->is_idle = false;
    b->load_count = b->move_count = 0;
    text_free(&b->trace);
}

static inline void bench_begin(struct bench *b, const char *mechanism, int width)
{
    bench_begin_with(b, div_find(mechanism), width);
}

static void bench_launch(struct bench *b, int block, int threads)
{
    b->first_row[block] = b->rows;
    b->row_count[block] = (threads + 31) / 32;
    for (int row = b->rows; threads > 0; row++, threads -= 32)
        b->live[row] = bits_below(threads < 32 ? (unsigned)threads : 32);
    for (int t = b->rows * 32; t < BENCH_THREADS; t++)
        b->thread[t].pc = b->program->functions[0].first;
    b->rows += b->row_count[block];
    b->ops->launch(b->div, block);
}

static void bench_end(struct bench *b)
{
    b->ops->destroy(b->div);
    free(b->marks);
    barrier_plan_destroy(b->placed);
    b->placed = NULL;
    b->div = NULL;
    b->marks = NULL;
}

static void bench_close(struct bench *b)
{
    if (b->div)
        bench_end(b);
    program_destroy(b->program);
    ptx_destroy(b->module);
    text_free(&b->trace);
}

/* The label at `pc`, or, if `around`, the last at or before it; NULL: none. */
static const char *bench_label(const struct bench *b, int32_t pc, bool around)
{
    const char *found = NULL;
    int32_t best = -1;
    for (int f = 0; f < b->program->function_count; f++) {
        const struct program_function *pf = &b->program->functions[f];
        for (int i = 0; i < pf->source->label_count; i++) {
            int32_t at = pf->first + pf->source->labels[i].target;
            if (at <= pc && at > best && (around || at == pc)) {
                best = at;
                found = pf->source->labels[i].name;
            }
        }
    }
    return found;
}

static int bench_ways(const struct bench *b, const struct insn *in)
{
    bool guarded = in->guard >= 0;
    switch (in->op) {
    case OP_BRX:
        return b->program->branches[in->branch].table_count + guarded;
    case OP_CALL: {
        const struct call *c = &b->program->calls[in->call];
        return c->builtin ? 1 : c->candidate_count + guarded;
    }
    default:
        return 1 + guarded;
    }
}

static bool bench_is_barrier(const struct insn *in)
{
    return in->op == OP_BAR_SYNC || in->op == OP_BARRIER_SYNC;
}

/* One instruction of one thread, by itself. */
static void bench_step(struct bench *b, int thread)
{
    struct bench_thread *t = &b->thread[thread];
    const struct program *p = b->program;
    const struct insn *in = &p->insns[t->pc];
    int32_t here[2] = {t->pc, t->depth};
    t->path = bits_hash(t->path ? t->path : BITS_HASH_SEED, here, sizeof here);
    t->steps++;
    int ways = in->flags & INSN_CONTROL || bench_is_barrier(in) ? bench_ways(b, in) : 1;
    int way = ways > 1 ? b->choose(b, thread, t->pc, ways) : 0;
    if (in->branch >= 0)
        t->visits[in->branch < 63 ? in->branch : 63]++;
    bool passes = in->guard >= 0 && way == ways - 1;
    if (!(in->flags & INSN_CONTROL) || passes) {
        t->at_barrier = bench_is_barrier(in) && !passes;
        t->pc++;
        return;
    }
    switch (in->op) {
    case OP_BRA:
        t->pc = in->target;
        break;
    case OP_BRX:
        t->pc = p->branches[in->branch].table[way];
        break;
    case OP_CALL:
        assert_in_range(t->depth, 0, BENCH_CALLS - 1);
        t->back[t->depth++] = t->pc + 1;
        t->pc = p->functions[p->calls[in->call].candidates[way]].first;
        break;
    case OP_RET:
        t->ended = !t->depth;
        t->pc = t->depth ? t->back[--t->depth] : t->pc;
        break;
    case OP_EXIT:
        t->ended = true;
        break;
    default:
        fail_msg("an instruction that the bench does not know");
    }
}

static void bench_note(struct bench *b, struct strand *s)
{
    const char *label = b->watch ? bench_label(b, s->pc, false) : NULL;
    if (!label)
        return;
    b->watch(b, label, s);
    text_printf(&b->trace, "%s", label);
    uint32_t mask = threads_of_row(&s->threads, 0);
    for (int i = 0; i < b->host.facts.width && i < 32; i++)
        text_printf(&b->trace, "%d", (int)(mask >> i & 1));
    text_printf(&b->trace, " ");
}

static bool bench_is_every(const struct bench *b)
{
    return b->ops->flags & DIV_EVERY_INSTRUCTION;
}

static void bench_arrive(struct bench *b, struct strand *s)
{
    if (b->marks[s->pc] && b->ops->arrive)
        b->ops->arrive(b->div, s);
}

/* Where the strand's threads are now. Outcomes come in any order, and a point may come twice. */
static int bench_outcomes(struct bench *b, const struct strand *s, struct outcome *out, struct threads *ended)
{
    int count = 0;
    for (int i = 0; i < s->threads.count; i++)
        for (uint32_t left = s->threads.part[i].mask; left; left &= left - 1) {
            int32_t row = s->threads.part[i].row;
            const struct bench_thread *t = &b->thread[row * 32 + bits_lowest(left)];
            int k = 0;
            if (t->ended) {
                threads_add(ended, row, left & -left);
                continue;
            }
            while (k < count && (out[k].pc != t->pc || out[k].depth != t->depth || random_u64(&b->random) % 16 == 0))
                k++;
            if (k == count)
                out[count++] = (struct outcome){.pc = t->pc, .depth = t->depth};
            threads_add(&out[k].threads, row, left & -left);
        }
    int turn = count ? (int)(random_u64(&b->random) % (unsigned)count) : 0;
    for (int i = 0; i < turn; i++) {
        struct outcome first = out[0];
        memmove(out, out + 1, sizeof *out * (size_t)(count - 1));
        out[count - 1] = first;
    }
    return count;
}

/* Whether the mechanism, which has `advance`, hears of the outcome by it. Of a branch it may hear by `commit` as well. */
static bool bench_advances(struct bench *b, const struct strand *s, const struct outcome *out)
{
    if (!b->ops->advance || out->depth != s->depth)
        return false;
    const bool is_branch = b->program->insns[s->pc].op == OP_BRA;
    return is_branch ? random_u64(&b->random) % 4 != 0 : out->pc == s->pc + 1;
}

/* The instruction that the strand issued is done. */
static void bench_resolve(struct bench *b, struct strand *s)
{
    struct outcome out[BENCH_THREADS];
    struct threads ended = {0};
    int count = bench_outcomes(b, s, out, &ended);
    b->was_idle = false;
    s->busy = false;
    for (int i = 0; i < ended.count; i++) {
        int32_t row = ended.part[i].row;
        threads_remove(&s->threads, row, ended.part[i].mask);
        for (uint32_t left = ended.part[i].mask; left; left &= left - 1)
            b->strand_of[row * 32 + bits_lowest(left)] = -1;
    }
    bench_describe(b, s);
    if (ended.count)
        b->ops->exit(b->div, s, &ended);
    if (bench_is_every(b) && count == 1 && !ended.count && bench_advances(b, s, out)) {
        if (b->ops->advance(b->div, s, out[0].pc))
            b->host.calls.assign(&b->host, s, out[0].pc, out[0].depth, &s->threads);
    } else if (count && bench_is_every(b)) {
        b->ops->commit(b->div, s, out, count);
    } else if (count) {
        b->ops->branch(b->div, s, out, count);
    }
}

static void bench_resolve_later(struct bench *b, struct strand *s)
{
    if (b->latency)
        b->due[s->id] = b->host.now + 1 + random_u64(&b->random) % (unsigned)b->latency;
    else
        bench_resolve(b, s);
}

/* ---- block barriers ---- */

/* All threads of the strand passed the barrier. */
static void bench_pass(struct bench *b, struct strand *s)
{
    s->held = false;
    if (bench_is_every(b)) {
        s->busy = true;
        bench_resolve_later(b, s);
        return;
    }
    s->pc++;
    bench_arrive(b, s);
}

static bool bench_has_opened(const struct bench *b, int block)
{
    int first = b->first_row[block] * 32, end = first + b->row_count[block] * 32;
    bool any = false;
    for (int t = first; t < end; t++) {
        bool is_live = b->live[t / 32] >> t % 32 & 1;
        if (is_live && !b->thread[t].at_barrier)
            return false;
        any |= b->thread[t].at_barrier;
    }
    return any;
}

/* Threads in no strand that were let go, a point at a time. */
static void bench_tell_released(struct bench *b, const struct threads *let_go)
{
    struct threads left = *let_go;
    while (left.count) {
        const struct bench_thread *first = &b->thread[left.part[0].row * 32 + bits_lowest(left.part[0].mask)];
        struct threads some = {0}, all = left;
        for (int i = 0; i < all.count; i++)
            for (uint32_t m = all.part[i].mask; m; m &= m - 1) {
                const struct bench_thread *t = &b->thread[all.part[i].row * 32 + bits_lowest(m)];
                if (t->pc == first->pc && t->depth == first->depth) {
                    threads_add(&some, all.part[i].row, m & -m);
                    threads_remove(&left, all.part[i].row, m & -m);
                }
            }
        b->ops->released(b->div, first->pc, first->depth, &some);
    }
}

static void bench_try_barrier(struct bench *b, int block)
{
    struct threads loose = {0};
    if (!bench_has_opened(b, block))
        return;
    for (int t = b->first_row[block] * 32; t < (b->first_row[block] + b->row_count[block]) * 32; t++) {
        if (!b->thread[t].at_barrier)
            continue;
        b->thread[t].at_barrier = false;
        if (b->strand_of[t] < 0)
            threads_add(&loose, t / 32, 1u << t % 32);
        else if (--b->strand[b->strand_of[t]].waiting == 0 && b->strand[b->strand_of[t]].held)
            bench_pass(b, &b->strand[b->strand_of[t]]);
    }
    bench_tell_released(b, &loose);
}

/* Threads of the strand came to a barrier, and some may have passed it: those that its guard let by, or whose
 * block it opened for. */
static void bench_wait(struct bench *b, struct strand *s)
{
    struct threads before = s->threads, passed = {0};
    uint32_t generation = s->generation;
    s->waiting = 0;
    for (int t = 0; t < BENCH_THREADS; t++)
        s->waiting += b->strand_of[t] == s->id && b->thread[t].at_barrier;
    for (int block = 0; block < BENCH_BLOCKS; block++)
        bench_try_barrier(b, block);
    s->busy = false;
    if (!s->waiting) {
        bench_pass(b, s);
        return;
    }
    s->held = true;
    s->size = threads_size(&s->threads);
    b->asked = s;
    if (b->ops->barrier)
        b->ops->barrier(b->div, s, bench_row_block(&b->host, before.part[0].row), 0);
    b->asked = NULL;
    if (b->used[s->id] && s->generation == generation)
        return;
    for (int i = 0; i < before.count; i++)
        for (uint32_t left = before.part[i].mask; left; left &= left - 1)
            if (!b->thread[before.part[i].row * 32 + bits_lowest(left)].at_barrier)
                threads_add(&passed, before.part[i].row, left & -left);
    bench_tell_released(b, &passed);
}

/* ---- loads ---- */

static void bench_note_load(struct bench *b, const struct strand *s)
{
    if (!b->loads || !b->ops->memory || b->wants.whole_loads || b->load_count == BENCH_LOADS ||
        random_u64(&b->random) % 4)
        return;
    b->loads_out[b->load_count++] =
        (struct bench_load){s->id, s->generation, s->threads, b->host.now + 1 + random_u64(&b->random) % 8};
}

/* Some of its threads have their data now; if the strand has others still, they wait. */
static void bench_load_returns(struct bench *b, const struct bench_load *load)
{
    struct strand *s = &b->strand[load->strand];
    struct threads hit = {0}, miss = {0};
    if (!b->used[load->strand] || s->generation != load->generation)
        return;
    for (int i = 0; i < load->threads.count; i++)
        for (uint32_t left = load->threads.part[i].mask; left; left &= left - 1) {
            int32_t row = load->threads.part[i].row;
            if (threads_of_row(&s->threads, row) & left & -left)
                threads_add(random_u64(&b->random) & 1 ? &hit : &miss, row, left & -left);
        }
    if (!hit.count || !miss.count)
        return;
    b->was_idle = false;
    b->ops->memory(b->div, s, &hit, &miss);
}

/* If times are random, data comes back to some row now and then. */
static void bench_tell_loaded(struct bench *b)
{
    if (!b->wants.hears_loads || !b->latency || random_u64(&b->random) % 4)
        return;
    int32_t row = (int32_t)(random_u64(&b->random) % (unsigned)b->rows);
    if (!b->live[row])
        return;
    b->was_idle = false;
    b->ops->loaded(b->div, row, b->live[row]);
}

static void bench_loads_return(struct bench *b)
{
    int kept = 0;
    bench_tell_loaded(b);
    for (int i = 0; i < b->load_count; i++) {
        struct bench_load load = b->loads_out[i];
        if (load.cycle > b->host.now)
            b->loads_out[kept++] = load;
        else
            bench_load_returns(b, &load);
    }
    b->load_count = kept;
}

/* ---- entries of stacks in memory ---- */

static void bench_moves_end(struct bench *b)
{
    int kept = 0, count = b->move_count;
    for (int i = 0; i < count; i++) {
        struct bench_move m = b->moves[i];
        if (m.cycle > b->host.now) {
            b->moves[kept++] = m;
            continue;
        }
        b->was_idle = false;
        b->ops->spilled(b->div, m.move.stack, 1, m.move.is_out);
        if (!m.move.is_out)
            b->ops->spilled(b->div, m.move.stack, 0, true);
        assert_int_equal(b->move_count, count); /* a stack that waits does not change */
    }
    b->move_count = kept;
}

/* ---- the cycle ---- */

/* Executes the instruction for each thread; those that end are not live from here on. */
static void bench_execute(struct bench *b, const struct strand *s)
{
    for (int i = 0; i < s->threads.count; i++)
        for (uint32_t left = s->threads.part[i].mask; left; left &= left - 1) {
            int t = s->threads.part[i].row * 32 + bits_lowest(left);
            if (b->thread[t].ended || b->thread[t].at_barrier || b->thread[t].pc != s->pc ||
                b->thread[t].depth != s->depth)
                fail_msg("thread %d is at %d@%d; its strand executes %d@%d", t, b->thread[t].pc, b->thread[t].depth,
                         s->pc, s->depth);
            bench_step(b, t);
            if (b->thread[t].ended)
                b->live[t / 32] &= ~(left & -left);
        }
}

static void bench_issue(struct bench *b, struct strand *s)
{
    const struct insn *in = &b->program->insns[s->pc];
    bool control = in->flags & INSN_CONTROL;
    assert_true(s->threads.count > 0);
    if (s->syncs) {
        s->syncs--;
        b->ops->sync(b->div, s);
        if (b->ops->check)
            b->ops->check(b->div);
        return;
    }
    bench_note(b, s);
    b->issues++;
    s->busy = control || bench_is_every(b) || bench_is_barrier(in);
    bench_execute(b, s);
    if (bench_is_barrier(in)) {
        bench_wait(b, s);
    } else if (s->busy) {
        for (int block = 0; control && block < BENCH_BLOCKS; block++)
            bench_try_barrier(b, block); /* threads may have ended */
        bench_resolve_later(b, s);
    } else {
        s->pc++;
        bench_note_load(b, s);
        bench_arrive(b, s);
    }
    if (b->ops->check)
        b->ops->check(b->div);
}

/* What is due in a cycle before it issues. */
static void bench_advance(struct bench *b)
{
    b->host.now++;
    for (int id = 0; id < BENCH_STRANDS; id++)
        if (b->used[id] && b->strand[id].busy && b->due[id] == b->host.now)
            bench_resolve(b, &b->strand[id]);
    bench_loads_return(b);
    bench_moves_end(b);
    for (int id = 0; id < BENCH_STRANDS; id++)
        if (b->drained_at[id] && b->drained_at[id] <= b->host.now) {
            b->drained_at[id] = 0;
            b->was_idle = false;
            b->ops->drained(b->div, &b->strand[id]);
        }
    if (b->tick_cycle && b->tick_cycle <= b->host.now) {
        b->tick_cycle = 0;
        b->was_idle = false;
        b->ops->tick(b->div);
    }
    if (b->ops->check)
        b->ops->check(b->div);
}

/* Issues each ready strand once, but passes over some if times are random. True if any strand could issue or
 * will, or the mechanism has something to do. */
static bool bench_cycle(struct bench *b)
{
    bool issued = false, alive = false;
    bench_advance(b);
    for (int id = 0; id < BENCH_STRANDS; id++) {
        struct strand *s = &b->strand[id];
        alive |= b->used[id] && !s->held;
        if (!b->used[id] || !bench_is_ready(b, s) || (b->latency && random_u64(&b->random) % 4 == 0))
            continue;
        bench_issue(b, s);
        issued = true;
    }
    if (!issued && !b->was_idle && b->ops->idle && !b->wants.never_idle)
        b->ops->idle(b->div);
    if (issued && b->is_idle && b->ops->resume)
        b->ops->resume(b->div);
    b->was_idle = b->is_idle = !issued;
    for (int id = 0; id < BENCH_STRANDS; id++)
        alive |= b->used[id] && !b->strand[id].held;
    return alive || b->tick_cycle || b->move_count;
}

/* Until all threads ended. */
static void bench_run(struct bench *b)
{
    while (bench_cycle(b))
        assert_in_range(b->issues, 0, 10000000);
    for (int row = 0; row < b->rows; row++)
        if (b->live[row]) {
            struct text state = {0};
            if (b->ops->dump)
                b->ops->dump(b->div, &state);
            fail_msg("threads 0x%x of row %d were never run to their end\n%s", b->live[row], row,
                     state.data ? state.data : "");
        }
}

static uint64_t bench_counter(struct bench *b, const char *name)
{
    const struct stat_owner *o = b->ops->stats;
    for (int i = 0; o && i < o->count; i++)
        if (!strcmp(o->counters[i].name, name))
            return *(const uint64_t *)((const char *)b->ops->counters(b->div) + o->counters[i].offset);
    fail_msg("%s counts no %s", b->ops->name, name);
    return 0;
}

#endif
