/*
 * The functional engine keeps threads that part at a branch in its loop, without making them cohorts of the row
 * (exec/cohort.c). Whether it does must not show. It does not while waste is counted, so each kernel runs both ways:
 * what threads see of each other and of their order, all counters and all sites must be the same.
 */
#include "base/random.h"
#include "base/storage.h"
#include "base/text.h"
#include "exec/site.h"
#include "exec/waste.h"
#include "kernel_bench.h"

enum { MOST_SITES = 4096, ROWS = 3 };

/* A thread notes in %r1 who runs with it, and by a ticket from a counter in memory which threads ran before. */
#define NOTE                                \
    "activemask.b32 %r2;\n"                 \
    "atom.global.add.u32 %r3, [%rd1], 1;\n" \
    "mad.lo.u32 %r1, %r1, 1664525, %r2;\n"  \
    "mad.lo.u32 %r1, %r1, 22695477, %r3;\n"

#define BEGIN                                                                                                \
    HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .u32 %r<9>;\n.reg .u64 %rd<4>;\n.reg .pred %p<3>;\n" \
           ".reg .u32 %c<40>;\nld.param.u64 %rd1, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %r0;\n"

#define END  \
    "OUT:\n" \
    "mul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd2 + 64], %r1;\nret;\n}\n"

static char *outcome_of(const char *kernel, bool has_waste)
{
    struct bench b;
    struct text all = {0};
    char *error = NULL;
    open_bench(&b, kernel);
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    assert_non_null(code);
    struct site *sites = xcalloc(MOST_SITES, sizeof *sites);
    struct waste *waste = has_waste ? waste_create(code_program(code)) : NULL;
    assert_true(code_program(code)->insn_count < MOST_SITES);
    b.launch.block[0] = ROWS * 32 - 5;
    b.launch.instruction_limit = UINT64_C(100000000);
    b.launch.sites = sites;
    b.launch.waste = waste;
    functional_launch(&b.launch, code, &b.result);
    const struct launch_result *r = &b.result;
    assert_int_equal(r->fault.kind, 0);
    text_printf(&all, "%llu warp, %llu thread instructions, %llu branches, %llu divergent\n",
                (unsigned long long)r->warp_instructions, (unsigned long long)r->thread_instructions,
                (unsigned long long)r->branches, (unsigned long long)r->divergent_branches);
    for (int i = 0; i < 16 + ROWS * 32; i++)
        text_printf(&all, " %x", ((uint32_t *)out(&b))[i]);
    for (int pc = 0; pc < code_program(code)->insn_count; pc++)
        text_printf(&all, "\n%d: %llu/%llu/%llu/%llu", pc, (unsigned long long)sites[pc].issues,
                    (unsigned long long)sites[pc].threads, (unsigned long long)sites[pc].diverged,
                    (unsigned long long)sites[pc].taken);
    waste_destroy(waste);
    free(sites);
    code_destroy(code);
    close_bench(&b);
    return text_take(&all);
}

static void expect_same(const char *kernel)
{
    char *kept = outcome_of(kernel, false), *listed = outcome_of(kernel, true);
    if (strcmp(kept, listed) != 0)
        fail_msg("%s\nis, with threads that are kept in the loop,\n%s\nand with cohorts\n%s", kernel, kept, listed);
    free(kept);
    free(listed);
}

static void nested_ifs_beyond_the_room(void **state)
{
    struct text t = {0};
    (void)state;
    text_printf(&t, "%s", BEGIN);
    for (int i = 0; i < 14; i++)
        text_printf(&t, "setp.ge.u32 %%p1, %%r0, %d;\n@%%p1 bra E%d;\n%s", 80 - 2 * i, i, NOTE);
    for (int i = 13; i >= 0; i--)
        text_printf(&t, "E%d:\n%s", i, NOTE);
    text_printf(&t, "%s", END);
    expect_same(t.data);
    text_free(&t);
}

static void both_sides_of_an_if(void **state)
{
    (void)state;
    expect_same(BEGIN "and.b32 %r4, %r0, 1;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra ELSE;\n" NOTE "bra JOIN;\nELSE:\n" NOTE
                      "JOIN:\n" NOTE END);
}

static void one_side_jumps_over_where_others_wait(void **state)
{
    (void)state;
    expect_same(BEGIN "and.b32 %r4, %r0, 3;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra NEAR;\n" NOTE
                      "setp.eq.u32 %p1, %r4, 1;\n@%p1 bra OUT;\n" NOTE "bra FAR;\nNEAR:\n" NOTE "FAR:\n" NOTE END);
}

static void threads_leave_a_loop_one_by_one(void **state)
{
    (void)state;
    expect_same(BEGIN "mov.u32 %r4, %r0;\nLOOP:\n" NOTE
                      "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 96;\n@%p1 bra LOOP;\n" NOTE END);
}

/* Loops of straight code are executed apart (exec/repeated.h). Threads leave this one one by one, after many rounds. */
static void a_straight_loop(void **state)
{
    (void)state;
    expect_same(BEGIN "mov.u32 %r4, %r0;\nLOOP:\nmad.lo.u32 %r1, %r1, 1664525, %r4;\n"
                      "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 150;\n@%p1 bra LOOP;\n" NOTE END);
}

static void a_straight_loop_within_a_loop(void **state)
{
    (void)state;
    expect_same(BEGIN "mov.u32 %r5, 0;\nOUTER:\nadd.u32 %r4, %r5, %r0;\nLOOP:\nmad.lo.u32 %r1, %r1, 1664525, %r4;\n"
                      "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 120;\n@%p1 bra LOOP;\n" NOTE
                      "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 9;\n@%p1 bra OUTER;\n" END);
}

static void a_straight_loop_with_loads(void **state)
{
    (void)state;
    expect_same(BEGIN "mov.u32 %r4, %r0;\nLOOP:\nld.global.u32 %r5, [%rd1];\nmad.lo.u32 %r1, %r1, %r5, %r4;\n"
                      "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 150;\n@%p1 bra LOOP;\n" NOTE END);
}

static void a_straight_loop_longer_than_a_turn(void **state)
{
    (void)state;
    expect_same(BEGIN "mov.u32 %r4, %r0;\nLOOP:\nmad.lo.u32 %r1, %r1, 1664525, %r4;\n"
                      "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 30000;\n@%p1 bra LOOP;\n" NOTE END);
}

static void threads_end_while_others_wait(void **state)
{
    (void)state;
    expect_same(BEGIN "and.b32 %r4, %r0, 3;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\n" NOTE
                      "setp.eq.u32 %p2, %r4, 1;\n@%p2 exit;\n" NOTE "L:\n" NOTE END);
}

static void a_branch_to_the_next_instruction(void **state)
{
    (void)state;
    expect_same(BEGIN "setp.eq.u32 %p1, %r0, 7;\n@%p1 bra NEXT;\nNEXT:\n" NOTE END);
}

/* Operands of a stretch that a row repeats are found once per turn (exec/repeated.h). Addresses of threads that have ended
 * may be anything. */
static void a_long_loop_of_loads_beside_threads_that_have_ended(void **state)
{
    (void)state;
    expect_same(BEGIN "mul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd2, %rd2, %rd1;\nand.b32 %r4, %r0, 3;\n"
                      "setp.eq.u32 %p1, %r4, 1;\n@%p1 mov.u64 %rd2, 0;\n@%p1 exit;\nmov.u32 %r4, 0;\n"
                      "LOOP:\nld.global.u32 %r5, [%rd2 + 64];\nadd.u32 %r5, %r5, %r4;\nxor.b32 %r1, %r1, %r5;\n"
                      "mul.lo.u32 %r1, %r1, 1664525;\nst.global.u32 [%rd2 + 64], %r1;\n"
                      "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 200;\n@%p1 bra LOOP;\n" END);
}

/* ---- random kernels ---- */

struct writer {
    struct text text;
    struct random random;
    int labels, loops;
};

static uint32_t pick(struct writer *w, uint32_t count)
{
    return (uint32_t)(random_u64(&w->random) >> 33) % count;
}

/* Sets %p1 for some threads, by what they noted. */
static void write_choice(struct writer *w)
{
    text_printf(&w->text, "mad.lo.u32 %%r4, %%r1, %u, %%r0;\nshr.u32 %%r4, %%r4, 27;\nsetp.lt.u32 %%p1, %%r4, %u;\n",
                pick(w, 1u << 30) * 2 + 1, 1 + pick(w, 31));
}

static void write_statements(struct writer *w, int depth);

static void write_if(struct writer *w, int depth, bool has_else)
{
    int label = w->labels++;
    write_choice(w);
    text_printf(&w->text, "@%%p1 bra ELSE%d;\n", label);
    write_statements(w, depth);
    if (has_else)
        text_printf(&w->text, "bra JOIN%d;\n", label);
    text_printf(&w->text, "ELSE%d:\n", label);
    if (has_else)
        write_statements(w, depth);
    text_printf(&w->text, "JOIN%d:\n", label);
}

static void write_loop(struct writer *w, int depth)
{
    int label = w->labels++, counter = w->loops++;
    text_printf(&w->text, "mov.u32 %%c%d, 0;\nLOOP%d:\n", counter, label);
    write_statements(w, depth);
    write_choice(w);
    text_printf(&w->text, "@%%p1 bra LEAVE%d;\n", label);
    text_printf(&w->text, "add.u32 %%c%d, %%c%d, 1;\nsetp.lt.u32 %%p1, %%c%d, 3;\n@%%p1 bra LOOP%d;\n", counter,
                counter, counter, label);
    text_printf(&w->text, "LEAVE%d:\n", label);
}

static void write_statements(struct writer *w, int depth)
{
    text_printf(&w->text, "%s", NOTE);
    for (int i = 1 + (int)pick(w, 3); i > 0 && depth; i--) {
        uint32_t kind = pick(w, 12);
        if (kind < 4)
            write_if(w, depth - 1, false);
        else if (kind < 7)
            write_if(w, depth - 1, true);
        else if (kind < 10 && w->loops < 40)
            write_loop(w, depth - 1);
        else if (kind == 10 && !pick(w, 4)) {
            write_choice(w);
            text_printf(&w->text, "@%%p1 bra OUT;\n");
        }
        text_printf(&w->text, "%s", NOTE);
    }
}

static void random_kernels(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 60; i++) {
        struct writer w = {.random = {i}};
        text_printf(&w.text, "%s", BEGIN);
        write_statements(&w, 4);
        text_printf(&w.text, "%s", END);
        expect_same(w.text.data);
        text_free(&w.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_ifs_beyond_the_room),
        cmocka_unit_test(both_sides_of_an_if),
        cmocka_unit_test(one_side_jumps_over_where_others_wait),
        cmocka_unit_test(threads_leave_a_loop_one_by_one),
        cmocka_unit_test(a_straight_loop),
        cmocka_unit_test(a_straight_loop_within_a_loop),
        cmocka_unit_test(a_straight_loop_with_loads),
        cmocka_unit_test(a_straight_loop_longer_than_a_turn),
        cmocka_unit_test(threads_end_while_others_wait),
        cmocka_unit_test(a_branch_to_the_next_instruction),
        cmocka_unit_test(a_long_loop_of_loads_beside_threads_that_have_ended),
        cmocka_unit_test(random_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
