/*
 * A multiprocessor without values or time, for tests of mechanisms: it runs strands one instruction at a
 * time, and a test decides which way each thread takes. It holds the mechanism to its contract: a thread
 * executes its own path in order, in one strand at a time, and none is forgotten.
 */
#ifndef HEDDLE_TESTS_DIV_BENCH_H
#define HEDDLE_TESTS_DIV_BENCH_H

#include "base/diag.h"
#include "base/random.h"
#include "base/text.h"
#include "div/div.h"
#include "ptx/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BENCH_ROWS = 8, BENCH_THREADS = BENCH_ROWS * 32, BENCH_CALLS = 16, BENCH_STRANDS = BENCH_THREADS };

struct bench;

/* The way that a thread takes: 0 .. ways - 1. Of a bra, 0 is the taken one; of a guarded ret, exit or call, 0
 * does it; the next PC is the last way. */
typedef int bench_choice(struct bench *b, int thread, int32_t pc, int ways);

struct bench_thread {
    int32_t pc, depth;
    int32_t back[BENCH_CALLS];
    bool ended;
    int steps;
    uint64_t path;  /* hash of the PCs and depths it executed */
    int visits[64]; /* by branch, those beyond together */
};

struct bench {
    struct div_host host;
    struct ptx_module *module;
    struct program *program;
    const struct div_ops *ops;
    struct div *div;
    uint32_t order; /* the knob of pdom */
    uint8_t *marks;
    struct bench_thread thread[BENCH_THREADS];
    uint32_t live[BENCH_ROWS];
    int rows;
    int first_row[2], row_count[2]; /* by block */
    struct strand strand[BENCH_STRANDS];
    bool used[BENCH_STRANDS];
    int strand_of[BENCH_THREADS]; /* or -1 */
    uint64_t births;
    int issues;
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

static struct strand *bench_create(struct div_host *h, int32_t pc, int32_t depth,
                                   const struct threads *threads, int32_t lineage)
{
    struct bench *b = bench_of(h);
    int id = 0;
    while (b->used[id])
        id++;
    assert_in_range(id, 0, BENCH_STRANDS - 1);
    assert_in_range(threads_size(threads), 1, h->width);
    b->used[id] = true;
    uint32_t generation = b->strand[id].generation + 1;
    b->strand[id] = (struct strand){.id = id,
                                    .generation = generation,
                                    .pc = pc,
                                    .depth = depth,
                                    .threads = *threads,
                                    .lineage = lineage,
                                    .birth = b->births++};
    bench_map(b, &b->strand[id], -1, id);
    return &b->strand[id];
}

static void bench_assign(struct div_host *h, struct strand *s, int32_t pc, int32_t depth,
                         const struct threads *threads)
{
    struct bench *b = bench_of(h);
    assert_true(b->used[s->id]);
    assert_in_range(threads_size(threads), 1, h->width);
    struct threads copy = *threads;
    bench_map(b, s, s->id, -1);
    s->threads = copy;
    s->pc = pc;
    s->depth = depth;
    bench_map(b, s, -1, s->id);
}

static void bench_retire(struct div_host *h, struct strand *s)
{
    struct bench *b = bench_of(h);
    assert_true(b->used[s->id]);
    bench_map(b, s, s->id, -1);
    s->threads.count = 0;
    b->used[s->id] = false;
}

static void bench_block_rows(struct div_host *h, int32_t block, int32_t *first, int32_t *count)
{
    *first = bench_of(h)->first_row[block];
    *count = bench_of(h)->row_count[block];
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
static void bench_begin(struct bench *b, const char *mechanism, int width)
{
    b->ops = div_find(mechanism);
    assert_non_null(b->ops);
    b->host = (struct div_host){.program = b->program,
                                .width = width,
                                .sm = b,
                                .create = bench_create,
                                .assign = bench_assign,
                                .retire = bench_retire,
                                .block_rows = bench_block_rows,
                                .row_live = bench_row_live};
    b->div = b->ops->create(&b->host, &b->order);
    b->marks = xcalloc((size_t)b->program->insn_count + 1, 1);
    if (b->ops->prepare)
        b->ops->prepare(b->div, b->marks);
    memset(b->thread, 0, sizeof b->thread);
    memset(b->strand_of, 0xff, sizeof b->strand_of);
    memset(b->live, 0, sizeof b->live);
    memset(b->used, 0, sizeof b->used);
    b->issues = 0;
    b->rows = 0;
    text_free(&b->trace);
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

/* One instruction of one thread, by itself. */
static void bench_step(struct bench *b, int thread)
{
    struct bench_thread *t = &b->thread[thread];
    const struct program *p = b->program;
    const struct insn *in = &p->insns[t->pc];
    int32_t here[2] = {t->pc, t->depth};
    t->path = bits_hash(t->path ? t->path : BITS_HASH_SEED, here, sizeof here);
    t->steps++;
    int ways = in->flags & INSN_CONTROL ? bench_ways(b, in) : 1;
    int way = ways > 1 ? b->choose(b, thread, t->pc, ways) : 0;
    if (in->branch >= 0)
        t->visits[in->branch < 63 ? in->branch : 63]++;
    if (!(in->flags & INSN_CONTROL) || (in->guard >= 0 && way == ways - 1)) {
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
    for (int i = 0; i < b->host.width && i < 32; i++)
        text_printf(&b->trace, "%d", (int)(mask >> i & 1));
    text_printf(&b->trace, " ");
}

static void bench_arrive(struct bench *b, struct strand *s)
{
    if (b->marks[s->pc] && b->ops->arrive)
        b->ops->arrive(b->div, s);
}

/* Outcomes come in any order, and a point may come twice. */
static void bench_resolve(struct bench *b, struct strand *s, const struct threads *before)
{
    struct outcome out[BENCH_THREADS];
    struct threads ended = {0};
    int count = 0;
    for (int i = 0; i < before->count; i++)
        for (uint32_t left = before->part[i].mask; left; left &= left - 1) {
            int32_t row = before->part[i].row;
            const struct bench_thread *t = &b->thread[row * 32 + bits_lowest(left)];
            int k = 0;
            if (t->ended) {
                threads_add(&ended, row, left & -left);
                continue;
            }
            while (k < count &&
                   (out[k].pc != t->pc || out[k].depth != t->depth || random_u64(&b->random) % 16 == 0))
                k++;
            if (k == count)
                out[count++] = (struct outcome){.pc = t->pc, .depth = t->depth};
            threads_add(&out[k].threads, row, left & -left);
        }
    for (int i = 0; i < ended.count; i++) {
        int32_t row = ended.part[i].row;
        b->live[row] &= ~ended.part[i].mask;
        threads_remove(&s->threads, row, ended.part[i].mask);
        for (uint32_t left = ended.part[i].mask; left; left &= left - 1)
            b->strand_of[row * 32 + bits_lowest(left)] = -1;
    }
    if (ended.count)
        b->ops->exit(b->div, s, &ended);
    if (!count)
        return;
    int turn = (int)(random_u64(&b->random) % (unsigned)count);
    for (int i = 0; i < turn; i++) {
        struct outcome first = out[0];
        memmove(out, out + 1, sizeof *out * (size_t)(count - 1));
        out[count - 1] = first;
    }
    b->ops->branch(b->div, s, out, count);
}

static void bench_issue(struct bench *b, struct strand *s)
{
    struct threads before = s->threads;
    bool control = b->program->insns[s->pc].flags & INSN_CONTROL;
    bench_note(b, s);
    b->issues++;
    for (int i = 0; i < before.count; i++)
        for (uint32_t left = before.part[i].mask; left; left &= left - 1) {
            int t = before.part[i].row * 32 + bits_lowest(left);
            if (b->thread[t].ended || b->thread[t].pc != s->pc || b->thread[t].depth != s->depth)
                fail_msg("thread %d is at %d@%d; its strand executes %d@%d", t, b->thread[t].pc,
                         b->thread[t].depth, s->pc, s->depth);
            bench_step(b, t);
        }
    if (control) {
        bench_resolve(b, s, &before);
    } else {
        s->pc++;
        bench_arrive(b, s);
    }
    if (b->ops->check)
        b->ops->check(b->div);
}

/* Until all threads ended. */
static void bench_run(struct bench *b)
{
    for (bool any = true; any;) {
        any = false;
        for (int id = 0; id < BENCH_STRANDS; id++)
            if (b->used[id]) {
                bench_issue(b, &b->strand[id]);
                any = true;
            }
        assert_in_range(b->issues, 0, 10000000);
    }
    for (int row = 0; row < b->rows; row++)
        if (b->live[row])
            fail_msg("threads 0x%x of row %d were never run to their end", b->live[row], row);
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
