/*
 * A strand over several rows as one (exec/gather.c) against the same strand row by row: every instruction of a kernel that
 * has registers of all widths, and random stretches of its instructions, from random values, for random threads. All
 * registers of all rows are compared, so that threads which are not in the strand must keep theirs.
 */
#include "base/random.h"
#include "exec/bound.h"
#include "exec/gather.h"
#include "exec/straight.h"
#include "kernel_bench.h"

enum { ROWS = 12, ROUNDS = 100, MOST_BYTES = 64 * 1024 };

#define STRAIGHT                                                                                                      \
    HEADER ".visible .entry k(.param .u64 out)\n{\n"                                                                  \
           ".reg .pred %p<6>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %d<6>; .reg .f64 %e<3>;\n" \
           "add.u16 %h0, %h1, %h2; mul.wide.u16 %r0, %h1, %h3; mov.b32 %r1, {%h2, %h3};\n"                            \
           "add.u32 %r2, %r3, %r4; mad.lo.u32 %r5, %r2, %r3, 77; mul.wide.u32 %d0, %r2, %r5; sub.u32 %r6, 5, %r2;\n"  \
           "add.u64 %d1, %d0, %d2; mov.b64 {%r3, %r7}, %d1; cvt.u32.u64 %r4, %d3; cvt.u64.u32 %d4, %r4;\n"            \
           "setp.lt.u32 %p0|%p1, %r2, %r3; setp.gt.and.s64 %p2, %d1, %d2, %p0; and.pred %p3, %p1, %p4;\n"             \
           "selp.b32 %r2, %r3, %r4, %p3; add.f32 %f0, %f1, %f2; fma.rn.f64 %e0, %e1, %e2, 0d3ff0000000000000;\n"      \
           "@%p0 add.u32 %r6, %r6, 1; @!%p1 add.u64 %d5, %d5, 3; @%p2 add.u16 %h1, %h2, 9;\n"                         \
           "@!%p3 setp.ne.u32 %p5|_, %r2, %r6; @%p4 mov.b64 {_, %r5}, %d1; cvt.u16.u32 %h2, %r6;\n"                   \
           "selp.b32 %r0, %r6, %r7, !%p5; mov.u32 %r1, %clock;\n"

/* What reads them, so that no plane has two registers. */
#define KEPT                                                                                                         \
    "xor.b32 %r0, %r0, %r1; xor.b32 %r2, %r2, %r3; xor.b32 %r4, %r4, %r5; xor.b32 %r6, %r6, %r7;\n"                  \
    "xor.b64 %d0, %d0, %d1; xor.b64 %d2, %d2, %d3; xor.b64 %d4, %d4, %d5; add.u16 %h0, %h0, %h1; add.u16 %h2, %h2, " \
    "%h3;\n"                                                                                                         \
    "add.f32 %f1, %f2, %f3; add.f32 %f0, %f0, %f1; add.f64 %e0, %e1, %e2; xor.pred %p0, %p0, %p1;\n"                 \
    "xor.pred %p2, %p2, %p3; xor.pred %p4, %p4, %p5; ret;\n}\n"

struct machine {
    struct bench bench;
    struct code *code;
    struct engine *engine;
    struct block *block;
    struct row *rows[ROWS];
    size_t bytes; /* of a row's registers */
    struct random random;
};

static void open_machine(struct machine *m)
{
    char *error = NULL;
    open_bench(&m->bench, STRAIGHT KEPT);
    m->bench.launch.block[0] = ROWS * ROW_LANES;
    m->code = code_create(m->bench.launch.kernel, m->bench.image, &error);
    if (!m->code)
        fail_msg("%s", error);
    m->engine = engine_open(&m->bench.launch, m->code, &m->bench.result);
    assert_non_null(m->engine);
    m->block = block_create(&m->bench.launch, m->code->program, m->engine->local_bytes, NULL);
    block_start(m->block, &m->bench.launch, m->code->program, 0);
    assert_int_equal(m->block->row_count, ROWS);
    for (int r = 0; r < ROWS; r++)
        m->rows[r] = &m->block->rows[r];
    m->bytes = (size_t)m->code->program->plane_count * PLANE_BYTES;
    assert_in_range(m->bytes, 1, MOST_BYTES);
    m->random = (struct random){1};
}

static void close_machine(struct machine *m)
{
    block_destroy(m->block);
    engine_close(m->engine);
    code_destroy(m->code);
    close_bench(&m->bench);
}

/* A predicate's lane is all ones or none. */
static void draw_predicate(struct machine *m, int32_t offset)
{
    for (int r = 0; offset >= 0 && r < ROWS; r++)
        for (int lane = 0; lane < ROW_LANES; lane++)
            ((uint32_t *)(m->rows[r]->planes + offset))[lane] = random_u64(&m->random) & 1 ? UINT32_MAX : 0;
}

static void draw_registers(struct machine *m)
{
    for (int r = 0; r < ROWS; r++)
        for (size_t i = 0; i < m->bytes; i++)
            m->rows[r]->planes[i] = (uint8_t)random_u64(&m->random);
    for (int32_t pc = 0; pc < m->code->program->insn_count; pc++) {
        const struct bound *in = &m->code->bound[pc];
        draw_predicate(m, in->guard);
        for (int i = 0; i < in->source_count; i++)
            if (in->source_bits[i] == 1)
                draw_predicate(m, in->source[i]);
    }
}

/* A thread for each lane, for most of them, or for some, of a row drawn for it among few rows or all. */
static struct threads draw_threads(struct machine *m)
{
    uint32_t mask[ROWS] = {0};
    struct threads t = {0};
    const uint64_t in_eight = (const uint64_t[]){8, 8, 6, 4, 2, 1}[random_u64(&m->random) % 6];
    const uint64_t rows = (const uint64_t[]){1, 3, 4, 8, 9, ROWS}[random_u64(&m->random) % 6];
    for (int lane = 0; lane < ROW_LANES; lane++)
        if (random_u64(&m->random) % 8 < in_eight)
            mask[random_u64(&m->random) % rows] |= UINT32_C(1) << lane;
    for (int r = 0; r < ROWS; r++)
        if (mask[r])
            threads_add(&t, r, mask[r]);
    return t;
}

static uint32_t lanes_of(const struct threads *t)
{
    uint32_t lanes = 0;
    for (int i = 0; i < t->count; i++)
        lanes |= t->part[i].mask;
    return lanes;
}

static void keep_registers(const struct machine *m, uint8_t (*kept)[MOST_BYTES])
{
    for (int r = 0; r < ROWS; r++)
        memcpy(kept[r], m->rows[r]->planes, m->bytes);
}

static void put_registers(struct machine *m, uint8_t (*kept)[MOST_BYTES])
{
    for (int r = 0; r < ROWS; r++)
        memcpy(m->rows[r]->planes, kept[r], m->bytes);
}

static void expect_registers(const struct machine *m, uint8_t (*kept)[MOST_BYTES])
{
    for (int r = 0; r < ROWS; r++)
        assert_memory_equal(m->rows[r]->planes, kept[r], m->bytes);
}

static void row_by_row(struct machine *m, int32_t pc, const struct threads *t)
{
    const struct bound *in = &m->code->bound[pc];
    for (int i = 0; i < t->count; i++) {
        m->engine->row = m->rows[t->part[i].row];
        m->engine->block = m->block;
        uint32_t active = straight_guarded(m->engine, in, t->part[i].mask);
        if (active)
            assert_true(straight_execute(m->engine, in, pc, active));
    }
}

static void rows_as_one_are_rows_one_by_one(void **state)
{
    (void)state;
    static struct machine m;
    static uint8_t before[ROWS][MOST_BYTES], after[ROWS][MOST_BYTES];
    int gathered = 0, refused = 0;
    open_machine(&m);
    for (int round = 0; round < ROUNDS; round++)
        for (int32_t pc = 0; pc < m.code->program->insn_count; pc++) {
            if (m.code->bound[pc].kind > BOUND_CLOCK)
                continue;
            draw_registers(&m);
            struct threads t = draw_threads(&m);
            keep_registers(&m, before);
            row_by_row(&m, pc, &t);
            keep_registers(&m, after);
            put_registers(&m, before);
            if (gather_execute(m.engine, &m.code->bound[pc], 1, lanes_of(&t), &t, m.rows)) {
                expect_registers(&m, after);
                gathered++;
            } else {
                assert_true(m.code->bound[pc].prepared);
                expect_registers(&m, before);
                refused++;
            }
        }
    assert_true(gathered > 20 * ROUNDS);
    assert_int_equal(refused, 2 * ROUNDS); /* the negated predicate, and the clock */
    close_machine(&m);
}

/* Instructions one behind the other, which read and overwrite what those before them wrote. */
static void stretches_are_rows_one_by_one(void **state)
{
    (void)state;
    static struct machine m;
    static uint8_t before[ROWS][MOST_BYTES], after[ROWS][MOST_BYTES];
    int longest = 0;
    open_machine(&m);
    for (int round = 0; round < 20 * ROUNDS; round++) {
        const int insns = m.code->program->insn_count - 1; /* not `ret` */
        const int32_t first = (int32_t)(random_u64(&m.random) % (uint64_t)insns);
        const int count = 1 + (int)(random_u64(&m.random) % (uint64_t)(insns - first));
        draw_registers(&m);
        struct threads t = draw_threads(&m);
        keep_registers(&m, before);
        const int done = gather_execute(m.engine, &m.code->bound[first], count, lanes_of(&t), &t, m.rows);
        assert_true(done == count || m.code->bound[first + done].prepared);
        keep_registers(&m, after);
        put_registers(&m, before);
        for (int32_t pc = first; pc < first + done; pc++)
            row_by_row(&m, pc, &t);
        expect_registers(&m, after);
        longest = done > longest ? done : longest;
    }
    assert_true(longest > 20);
    close_machine(&m);
}

/* The value of a predicate in the row of each thread. */
static uint32_t predicate_of(const struct machine *m, const struct threads *t, int32_t offset)
{
    uint32_t holds = 0;
    for (int i = 0; i < t->count; i++)
        holds |= t->part[i].mask & mask_from_lanes((const void *)(m->rows[t->part[i].row]->planes + offset));
    return holds;
}

/* Guards that instructions used or wrote are found in one place until the next instructions, which may be such that
 * cannot be gathered. */
static void guards_stay_in_one_place(void **state)
{
    (void)state;
    static struct machine m;
    int held = 0;
    open_machine(&m);
    for (int round = 0; round < 20 * ROUNDS; round++) {
        const int insns = m.code->program->insn_count - 1;
        const int32_t first = (int32_t)(random_u64(&m.random) % (uint64_t)insns);
        draw_registers(&m);
        struct threads t = draw_threads(&m);
        const uint32_t lanes = lanes_of(&t);
        const int done = gather_execute(m.engine, &m.code->bound[first], insns - first, lanes, &t, m.rows);
        for (int32_t pc = 0; pc < insns; pc++) {
            const int32_t guard = m.code->bound[pc].guard;
            const uint32_t *plane = guard == OFFSET_NONE ? NULL : gather_held(m.engine, guard);
            if (plane)
                assert_int_equal(mask_from_lanes(plane) & lanes, predicate_of(&m, &t, guard));
            assert_true(done || !plane);
            assert_true(plane || guard == OFFSET_NONE || pc < first || pc >= first + done);
            held += plane != NULL;
        }
    }
    assert_true(held > 20 * ROUNDS);
    close_machine(&m);
}

/* A guard that lets nobody pass. */
static void nobody_writes_if_the_guard_says_so(void **state)
{
    (void)state;
    static struct machine m;
    static uint8_t before[ROWS][MOST_BYTES];
    int32_t pc = 0;
    open_machine(&m);
    draw_registers(&m);
    while (m.code->bound[pc].guard == OFFSET_NONE)
        pc++;
    for (int r = 0; r < ROWS; r++)
        memset(m.rows[r]->planes + m.code->bound[pc].guard, m.code->bound[pc].guard_negate ? 0xff : 0, PLANE_BYTES);
    keep_registers(&m, before);
    struct threads all = {3, {{0, 0xffff}, {1, 0xff0000}, {3, 0xff000000}}};
    assert_int_equal(gather_execute(m.engine, &m.code->bound[pc], 1, lanes_of(&all), &all, m.rows), 1);
    expect_registers(&m, before);
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_as_one_are_rows_one_by_one),
        cmocka_unit_test(stretches_are_rows_one_by_one),
        cmocka_unit_test(guards_stay_in_one_place),
        cmocka_unit_test(nobody_writes_if_the_guard_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
