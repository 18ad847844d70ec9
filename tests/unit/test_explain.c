/* What heddle explain judges by: waste of the functional engine, shapes of branches, and the rules of kinds, of which
 * each test breaks if its rule does. */
#include "kernel_bench.h"

#include "exec/site.h"
#include "exec/waste.h"
#include "explain/finding.h"

/* ---- kinds ---- */

/* A branch outside loops that diverges in every warp, with two sides of 10 instructions that have nothing in common. */
static struct evidence_branch plain_branch(void)
{
    struct evidence_branch b = {.executed = 100, .diverged = 100, .threads = 3200, .taken = 1600};
    b.shape.target_count = 2;
    for (int k = 0; k < SHAPE_SIDES; k++)
        b.shape.side[k] = (struct shape_side){.instructions = 10, .work = 16000, .issues = 1000};
    return b;
}

#define assert_kind_at(branch, cost, kind) \
    assert_string_equal(kind_names[kind_of_branch(&(branch), cost)], kind_names[kind])
#define assert_kind(branch, kind) assert_kind_at(branch, 0.1, kind)

static void a_branch_is_a_condition_inside_or_outside_loops(void **state)
{
    (void)state;
    struct evidence_branch b = plain_branch();
    assert_kind(b, KIND_CONDITION);
    b.shape.loop_depth = 1;
    assert_kind(b, KIND_LOOP_CONDITION);
}

static void few_divergent_executions_make_a_boundary(void **state)
{
    (void)state;
    struct evidence_branch b = plain_branch();
    b.diverged = 12;
    assert_kind(b, KIND_BOUNDARY);
    b.diverged = 13;
    assert_kind(b, KIND_CONDITION);
    b.diverged = 30;
    b.taken = 320;
    assert_kind(b, KIND_BOUNDARY);
    b.taken = 3200 - 320;
    assert_kind(b, KIND_BOUNDARY);
    b.taken = 321;
    assert_kind(b, KIND_CONDITION);
    b.taken = 320;
    b.diverged = 31;
    assert_kind(b, KIND_CONDITION);
}

static void a_boundary_costs_few_lanes(void **state)
{
    (void)state;
    struct evidence_branch b = plain_branch();
    b.diverged = 12;
    assert_kind_at(b, 0.25, KIND_BOUNDARY);
    assert_kind_at(b, 0.26, KIND_CONDITION);
}

static void a_boundary_in_a_loop_is_the_same_in_every_iteration(void **state)
{
    (void)state;
    struct evidence_branch b = plain_branch();
    b.diverged = 5;
    b.shape.loop_depth = 1;
    assert_kind(b, KIND_LOOP_CONDITION);
    b.shape.is_repeating = true;
    assert_kind(b, KIND_BOUNDARY);
    b.shape.leaves_loop = true;
    assert_kind(b, KIND_LOOP_TRIPS);
}

static void a_side_that_ends_is_an_early_end(void **state)
{
    (void)state;
    struct evidence_branch b = plain_branch();
    b.shape.side[1].ends = true;
    b.shape.side[0].ends = true;
    assert_kind(b, KIND_CONDITION); /* both have as much to do */
    b.shape.side[1].work = 1600;
    assert_kind(b, KIND_EARLY_END);
    b.shape.side[1].work = 1601;
    assert_kind(b, KIND_CONDITION);
    b.shape.side[0].ends = false; /* it comes to the branch again */
    assert_kind(b, KIND_EARLY_END);
    b.shape.side[0].ends = true;
    b.shape.side[1].work = 0;
    assert_kind(b, KIND_EARLY_END);
}

static void the_only_exit_of_a_loop_is_no_early_end(void **state)
{
    (void)state;
    struct evidence_branch b = plain_branch();
    b.shape.loop_depth = 1;
    b.shape.leaves_loop = true;
    b.shape.side[1].ends = b.shape.side[1].leaves_loop = true;
    assert_kind(b, KIND_LOOP_TRIPS);
    b.shape.has_other_exit = true;
    assert_kind(b, KIND_EARLY_END);
}

static void a_branch_that_decides_about_a_loop_is_of_its_trips(void **state)
{
    (void)state;
    struct evidence_branch b = plain_branch();
    b.shape.side[1].instructions = 0;
    b.shape.side[0].work_in_loop = 12800;
    assert_kind(b, KIND_CONDITION); /* all threads that enter the loop leave it together */
    b.shape.side[0].decides_trips = true;
    assert_kind(b, KIND_LOOP_TRIPS);
    b.shape.side[0].work_in_loop = 12799;
    assert_kind(b, KIND_CONDITION);
    b.shape.side[0].work_in_loop = 16000;
    b.shape.side[1].instructions = 1;
    assert_kind(b, KIND_CONDITION);
}

static void sides_that_save_a_quarter_have_a_common_tail(void **state)
{
    (void)state;
    struct evidence_branch b = plain_branch();
    b.shape.alike = 6;
    b.shape.alike_issues = 500;
    assert_kind(b, KIND_COMMON);
    b.shape.alike = 5;
    assert_kind(b, KIND_CONDITION); /* too short */
    b.shape.alike = 6;
    b.shape.alike_issues = 499;
    assert_kind(b, KIND_CONDITION);
    b.shape.alike_issues = 500;
    b.shape.side[1].issues = 1001;
    assert_kind(b, KIND_CONDITION);
    b.shape.alike_issues = 800;
    b.shape.loop_depth = 1;
    assert_kind(b, KIND_COMMON);
}

/* ---- waste ---- */

#define KERNEL(body)                                                                                          \
    HEADER ".visible .entry k(.param .u64 out)\n{\n"                                                          \
           ".reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<9>;\n"                                           \
           "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d1, %d0;\n" \
           "setp.lt.u32 %p0, %r0, 8;\n" body "\nret;\n}\n"

struct counted {
    struct bench bench;
    struct code *code;
    struct waste *waste;
    struct site *sites;
};

static void count(struct counted *c, const char *text, unsigned blocks, unsigned threads, const uint32_t *order)
{
    char *error = NULL;
    open_bench(&c->bench, text);
    c->bench.launch.grid[0] = blocks;
    c->bench.launch.block[0] = threads;
    c->code = code_create(c->bench.launch.kernel, c->bench.image, &error);
    assert_non_null(c->code);
    c->waste = waste_create(code_program(c->code));
    c->sites = calloc((size_t)code_program(c->code)->insn_count + 1, sizeof *c->sites);
    c->bench.launch.sites = c->sites;
    c->bench.launch.waste = c->waste;
    c->bench.launch.order = order;
    functional_launch(&c->bench.launch, c->code, &c->bench.result);
    assert_int_equal(c->bench.result.fault.kind, FAULT_NONE);
}

static void end_count(struct counted *c)
{
    waste_destroy(c->waste);
    free(c->sites);
    code_destroy(c->code);
    close_bench(&c->bench);
}

static int32_t pc_of_branch(const struct counted *c, int index)
{
    return code_program(c->code)->branches[index].pc;
}

static uint64_t sum(const struct counted *c, const uint64_t *counter)
{
    uint64_t all = 0;
    for (int32_t pc = 0; pc < code_program(c->code)->insn_count; pc++)
        all += counter[pc];
    return all;
}

static void lanes_are_charged_to_the_branch_where_threads_parted(void **state)
{
    (void)state;
    struct counted c;
    count(&c,
          KERNEL("@%p0 bra LOW; add.u32 %r1, %r0, 1; add.u32 %r1, %r1, 1; bra JOIN;\n"
                 "LOW: add.u32 %r1, %r0, 2;\n"
                 "JOIN: st.global.u32 [%d1], %r1;"),
          1, 32, NULL);
    int32_t pc = pc_of_branch(&c, 0);
    /* 24 threads issue three instructions, 8 threads one. */
    assert_int_equal(c.waste->lost[pc], 3 * 8 + 1 * 24);
    assert_int_equal(sum(&c, c.waste->lost), c.waste->lost[pc]);
    assert_int_equal(c.waste->parted[pc], 1);
    assert_int_equal(c.waste->longest, c.bench.result.warp_instructions);
    end_count(&c);
}

static void lanes_of_threads_that_ended_are_charged_to_their_end(void **state)
{
    (void)state;
    struct counted c;
    count(&c, KERNEL("@%p0 exit; add.u32 %r1, %r0, 1; st.global.u32 [%d1], %r1;"), 1, 20, NULL);
    int32_t pc = pc_of_branch(&c, 0);
    /* Lanes 20 to 31 never had a thread: nobody is charged with them. */
    assert_int_equal(c.waste->lost[pc], 3 * 8);
    assert_int_equal(sum(&c, c.waste->lost), 3 * 8);
    assert_int_equal(c.waste->parted[pc], 1);
    end_count(&c);
}

/* Threads leave the loop in iteration 1 (tid < 8) or 3; within it, threads below 16 part from the others. */
static void a_thread_that_left_a_loop_charges_its_exit(void **state)
{
    (void)state;
    struct counted c;
    count(&c,
          KERNEL("mov.u32 %r2, 0; setp.lt.u32 %p2, %r0, 16;\n"
                 "LOOP: add.u32 %r2, %r2, 1;\n"
                 "@%p2 bra SKIP; add.u32 %r1, %r0, 1; SKIP:\n"
                 "setp.ge.u32 %p1, %r2, 3; @%p1 bra DONE; @!%p0 bra LOOP;\n"
                 "DONE: st.global.u32 [%d1], %r2;"),
          1, 32, NULL);
    int32_t inner = pc_of_branch(&c, 0), leave = pc_of_branch(&c, 2);
    /* In iterations 2 and 3 the 8 threads are gone: 2 times 6 instructions (but for the back edge in the third). */
    assert_int_equal(c.waste->lost[leave], 8 * (6 + 5));
    /* The instruction that 16 threads skip: 16 lanes in the first iteration, 8 in the others. */
    assert_int_equal(c.waste->lost[inner], 16 + 8 + 8);
    end_count(&c);
}

/* Each thread reads a word, so many bytes behind that of the thread before it. */
#define SCALED(bytes) KERNEL("mul.wide.u32 %d2, %r0, " bytes "; add.s64 %d2, %d2, %d0; ld.global.u32 %r1, [%d2];")

static void an_access_counts_its_sectors(void **state)
{
    (void)state;
    struct counted c;
    static const struct {
        const char *text;
        uint64_t sectors;
    } rows[] = {{SCALED("0"), 1}, {SCALED("4"), 4}, {SCALED("8"), 8}, {SCALED("32"), 32}, {SCALED("128"), 32}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        count(&c, rows[i].text, 1, 32, NULL);
        assert_int_equal(sum(&c, c.waste->sectors), rows[i].sectors);
        assert_int_equal(sum(&c, c.waste->bytes), 128);
        end_count(&c);
    }
}

/* The same word twice, then the whole sector by 16 bytes per thread, then one beyond it. */
static void a_launch_counts_each_sector_and_word_once(void **state)
{
    (void)state;
    struct counted c;
    count(&c, KERNEL("ld.global.u32 %r1, [%d0]; ld.global.u32 %r1, [%d0+4]; ld.global.u32 %r1, [%d0+4];"), 2, 32, NULL);
    assert_int_equal(c.waste->distinct, 1);
    assert_int_equal(c.waste->words, 2);
    assert_int_equal(sum(&c, c.waste->sectors), 6);
    end_count(&c);
    count(&c, KERNEL("ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%d0+16]; ld.global.u8 %r1, [%d0+33];"), 1, 32, NULL);
    assert_int_equal(c.waste->distinct, 2);
    assert_int_equal(c.waste->words, 5);
    end_count(&c);
    /* All of the buffer, which is more than the table has room for at first. */
    count(&c,
          KERNEL("mov.u32 %r5, 0; LOOP: mad.lo.u32 %r6, %r5, 32, %r0; mul.wide.u32 %d2, %r6, 32;\n"
                 "add.s64 %d2, %d2, %d0; ld.global.u32 %r1, [%d2];\n"
                 "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 8; @%p1 bra LOOP;"),
          2, 32, NULL);
    assert_int_equal(c.waste->distinct, 256);
    assert_int_equal(c.waste->words, 256);
    end_count(&c);
}

/* ---- order ---- */

static void threads_keep_their_numbers_and_run_elsewhere(void **state)
{
    (void)state;
    struct counted c;
    uint32_t order[128];
    for (uint32_t i = 0; i < 128; i++)
        order[i] = 127 - i;
    count(&c,
          KERNEL("mov.u32 %r2, %ctaid.x; mov.u32 %r3, %laneid; mad.lo.u32 %r4, %r2, 64, %r0;\n"
                 "mul.wide.u32 %d2, %r4, 4; add.s64 %d2, %d2, %d0; st.global.u32 [%d2], %r3;"),
          2, 64, order);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(((uint32_t *)out(&c.bench))[i], 31 - i % 32);
    end_count(&c);
}

/* ---- shapes ---- */

static struct shape shape_in(struct counted *c, const char *text, int branch)
{
    count(c, text, 1, 32, NULL);
    struct shapes *shapes = shapes_create(code_program(c->code), c->sites);
    struct shape s = shape_of(shapes, branch);
    shapes_destroy(shapes);
    end_count(c);
    return s;
}

static void the_exit_of_a_loop_leaves_it(void **state)
{
    (void)state;
    struct counted c;
    struct shape s = shape_in(&c,
                              KERNEL("mov.u32 %r2, 0;\n"
                                     "LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r0; @%p1 bra LOOP;\n"
                                     "st.global.u32 [%d1], %r2;"),
                              0);
    assert_true(s.leaves_loop);
    assert_false(s.leaves_to_loop);
    assert_false(s.has_other_exit);
    assert_int_equal(s.loop_depth, 1);
    assert_int_equal(s.header_issues, 31);
}

static void a_return_from_a_loop_ends_apart(void **state)
{
    (void)state;
    struct counted c;
    struct shape s = shape_in(&c,
                              KERNEL("mov.u32 %r2, 0;\n"
                                     "LOOP: add.u32 %r2, %r2, 1; setp.gt.u32 %p1, %r2, %r0; @%p1 bra HIT;\n"
                                     "setp.lt.u32 %p2, %r2, 20; @%p2 bra LOOP;\n"
                                     "st.global.u32 [%d1], %r2; ret;\n"
                                     "HIT: add.u32 %r2, %r2, 7; st.global.u32 [%d1], %r2;"),
                              0);
    assert_true(s.leaves_loop && s.has_other_exit);
    assert_int_equal(s.side[0].ends + s.side[1].ends, 1);
    s = shape_in(&c,
                 KERNEL("mov.u32 %r2, 0;\n"
                        "LOOP: add.u32 %r2, %r2, 1; setp.gt.u32 %p1, %r2, %r0; @%p1 bra OUT;\n"
                        "setp.lt.u32 %p2, %r2, 20; @%p2 bra LOOP;\n"
                        "OUT: add.u32 %r2, %r2, 7; st.global.u32 [%d1], %r2;"),
                 0);
    assert_true(s.leaves_loop && s.has_other_exit);
    assert_false(s.side[0].ends || s.side[1].ends); /* a break: both come to the same code */
}

static void equal_runs_of_both_sides_are_alike(void **state)
{
    (void)state;
    struct counted c;
#define RUN(r)                                                                                                \
    "add.u32 %" r ", %" r ", 1; mul.lo.u32 %" r ", %" r ", 3; xor.b32 %" r ", %" r ", 9; shl.b32 %" r ", %" r \
    ", 2; sub.u32 %" r ", %" r ", 7; or.b32 %" r ", %" r ", 1;"
    struct shape s = shape_in(&c,
                              KERNEL("mov.u32 %r1, %r0; mov.u32 %r2, %r0; @%p0 bra LOW;\n" RUN(
                                  "r1") "bra JOIN;\n"
                                        "LOW: not.b32 %r2, %r2;" RUN("r2") "\nJOIN: st.global.u32 [%d1], %r1;"),
                              0);
    assert_int_equal(s.alike, 6);
    assert_int_equal(s.alike_issues, 6); /* one warp */
    s = shape_in(&c,
                 KERNEL("mov.u32 %r1, %r0; mov.u32 %r2, %r0; @%p0 bra LOW;\n" RUN(
                     "r1") "bra JOIN;\n"
                           "LOW: add.u32 %r2, %r2, 1; mul.lo.u32 %r2, %r2, 3; not.b32 %r2, %r2; shl.b32 %r2, %r2, 2;\n"
                           "JOIN: st.global.u32 [%d1], %r1;"),
                 0);
    assert_int_equal(s.alike, 0); /* two in a row are chance */
}

/* Threads below 8 skip a loop, whose trips are the same for all others, or differ. */
static void a_loop_behind_a_branch_may_have_trips_that_differ(void **state)
{
    (void)state;
    struct counted c;
#define SKIPPED(last)                                                                    \
    KERNEL("mov.u32 %r2, 0; @%p0 bra DONE;\n"                                            \
           "LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, " last "; @%p1 bra LOOP;\n" \
           "DONE: st.global.u32 [%d1], %r2;")
    struct shape s = shape_in(&c, SKIPPED("9"), 0);
    assert_false(s.side[0].decides_trips || s.side[1].decides_trips);
    s = shape_in(&c, SKIPPED("%r0"), 0);
    assert_int_equal(s.side[0].decides_trips + s.side[1].decides_trips, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_is_a_condition_inside_or_outside_loops),
        cmocka_unit_test(few_divergent_executions_make_a_boundary),
        cmocka_unit_test(a_boundary_costs_few_lanes),
        cmocka_unit_test(a_boundary_in_a_loop_is_the_same_in_every_iteration),
        cmocka_unit_test(a_side_that_ends_is_an_early_end),
        cmocka_unit_test(the_only_exit_of_a_loop_is_no_early_end),
        cmocka_unit_test(a_branch_that_decides_about_a_loop_is_of_its_trips),
        cmocka_unit_test(sides_that_save_a_quarter_have_a_common_tail),
        cmocka_unit_test(lanes_are_charged_to_the_branch_where_threads_parted),
        cmocka_unit_test(lanes_of_threads_that_ended_are_charged_to_their_end),
        cmocka_unit_test(a_thread_that_left_a_loop_charges_its_exit),
        cmocka_unit_test(an_access_counts_its_sectors),
        cmocka_unit_test(a_launch_counts_each_sector_and_word_once),
        cmocka_unit_test(threads_keep_their_numbers_and_run_elsewhere),
        cmocka_unit_test(the_exit_of_a_loop_leaves_it),
        cmocka_unit_test(a_return_from_a_loop_ends_apart),
        cmocka_unit_test(equal_runs_of_both_sides_are_alike),
        cmocka_unit_test(a_loop_behind_a_branch_may_have_trips_that_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
