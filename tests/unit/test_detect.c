/*
 * Detection of predictions that pay: the three patterns in the forms that compilers give them, what forbids them, what does
 * not pay, and kernels of the corpus, which are left alone. tests/unit/test_speculate_timed.c has what is gained.
 */
#include "base/vec.h"
#include "flow/cost.h"
#include "flow/detect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define REGS ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<8>;\n"
#define KERNEL(body)                                                                                         \
    HEAD ".visible .entry k(.param .u64 k_a, .param .u32 k_n) {\n" REGS                                      \
         "mov.u32 %r0, %tid.x; ld.param.u32 %r1, [k_n]; mov.u32 %r2, 0; mov.f32 %f0, 0f3F800000;\n" body         \
         "\nld.param.u64 %rd0, [k_a]; st.global.f32 [%rd0], %f0; ret;\n}\n"

#define TWO_FMA   "fma.rn.f32 %f0, %f0, %f0, %f0; fma.rn.f32 %f0, %f0, %f0, %f0;\n"
#define EIGHT_FMA TWO_FMA TWO_FMA TWO_FMA TWO_FMA
#define MUCH      EIGHT_FMA EIGHT_FMA EIGHT_FMA EIGHT_FMA EIGHT_FMA EIGHT_FMA EIGHT_FMA EIGHT_FMA
#define RANDOM    "mad.lo.u32 %r5, %r5, 1664525, %r0; and.b32 %r6, %r5, 7;\n"

struct sample {
    struct ptx_module *module;
    struct program *program;
    struct predictions predictions;
    struct detection *detection;
};

static struct sample load(const char *text, const char *kernel, const struct branch_use *profile)
{
    struct sample s = {0};
    struct diag diag = {0};
    char *error = NULL;
    s.module = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!s.module)
        diag_print(&diag, stderr);
    assert_non_null(s.module);
    diag_free(&diag);
    s.program = program_create(ptx_find_function(s.module, kernel), &error);
    if (!s.program)
        fail_msg("%s", error);
    s.detection = detect(&s.predictions, s.program, &(struct detect_rules){.profile = profile});
    return s;
}

static void unload(struct sample *s)
{
    detection_destroy(s->detection);
    predictions_free(&s->predictions);
    program_destroy(s->program);
    ptx_destroy(s->module);
}

static int32_t pc_of(const struct sample *s, const char *label)
{
    const struct ptx_function *f = s->program->kernel;
    for (int i = 0; i < f->label_count; i++)
        if (!strcmp(f->labels[i].name, label))
            return f->labels[i].target;
    fail_msg("no label %s", label);
    return PC_NONE;
}

static void say(const struct sample *s)
{
    struct text text = {0};
    detection_print(s->detection, s->program, &text);
    print_message("%s", text.data);
    text_free(&text);
}

static void assert_found(const char *text, enum detect_pattern pattern, const char *label)
{
    struct sample s = load(text, "k", NULL);
    if (s.predictions.list.count != 1 || s.detection->list.data[0].pattern != pattern)
        say(&s);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.detection->list.data[0].pattern, pattern);
    assert_int_equal(s.predictions.list.data[0].label, pc_of(&s, label));
    unload(&s);
}

/* Nothing is predicted; if there is a best candidate, it is for the reason. NULL: there is none. */
static void assert_nothing(const char *text, const char *why)
{
    struct sample s = load(text, "k", NULL);
    const char *refusal = s.detection->list.count ? s.detection->list.data[0].refusal : NULL;
    if (s.predictions.list.count || (why && (!refusal || !strstr(refusal, why)))) {
        say(&s);
        fail_msg("expected %s", why ? why : "nothing");
    }
    unload(&s);
}

/* ---- found ---- */

static void test_iteration_delay(void **state)
{
    (void)state;
    assert_found(KERNEL("LOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\nPART: " MUCH
                        "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                 DETECT_ITERATION_DELAY, "PART");
}

/* The dear side is the one that the branch jumps to, and the other one is not empty. */
static void test_iteration_delay_of_else(void **state)
{
    (void)state;
    assert_found(KERNEL("LOOP: " RANDOM "setp.eq.u32 %p0, %r6, 0; @%p0 bra PART;\n" TWO_FMA "bra NEXT;\nPART: " MUCH
                        "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                 DETECT_ITERATION_DELAY, "PART");
}

/* Tested at the bottom, as compilers like it. */
static void test_loop_merge(void **state)
{
    (void)state;
    assert_found(KERNEL("OUTER: " RANDOM "add.u32 %r6, %r6, 1;\nINNER: " EIGHT_FMA EIGHT_FMA
                        "sub.u32 %r6, %r6, 1; setp.ne.u32 %p0, %r6, 0; @%p0 bra INNER;\n"
                        "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
                 DETECT_LOOP_MERGE, "INNER");
}

/* Tested at the top: threads meet behind the test. */
static void test_loop_merge_of_while(void **state)
{
    (void)state;
    assert_found(KERNEL("OUTER: " RANDOM
                        "TEST: setp.eq.u32 %p0, %r6, 0; @%p0 bra NEXT;\nINNER: " EIGHT_FMA EIGHT_FMA "sub.u32 %r6, %r6, 1; bra TEST;\n"
                        "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
                 DETECT_LOOP_MERGE, "INNER");
}

/* Unrolled four times. */
static void test_loop_merge_of_unrolled(void **state)
{
    (void)state;
    assert_found(KERNEL("OUTER: " RANDOM "shl.b32 %r6, %r6, 2;\nINNER: " EIGHT_FMA EIGHT_FMA EIGHT_FMA EIGHT_FMA
                        "add.u32 %r6, %r6, -4; setp.gt.s32 %p0, %r6, 0; @%p0 bra INNER;\n"
                        "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
                 DETECT_LOOP_MERGE, "INNER");
}

/* Whether it is entered is tested first: that test is no candidate of its own. */
static void test_loop_merge_behind_test(void **state)
{
    (void)state;
    struct sample s = load(KERNEL("OUTER: " RANDOM "setp.lt.u32 %p2, %r6, 1; @%p2 bra NEXT;\nINNER: " EIGHT_FMA EIGHT_FMA
                                  "sub.u32 %r6, %r6, 1; setp.ne.u32 %p0, %r6, 0; @%p0 bra INNER;\n"
                                  "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
                           "k", NULL);
    assert_int_equal(s.detection->list.count, 1);
    assert_int_equal(s.detection->list.data[0].pattern, DETECT_LOOP_MERGE);
    assert_int_equal(s.predictions.list.count, 1);
    unload(&s);
}

#define FOO ".func foo()\n{\n.reg .f32 %f<2>;\nmov.f32 %f0, 0f3F800000;\n" MUCH "ret;\n}\n"

static void test_common_call(void **state)
{
    (void)state;
    struct sample s = load(HEAD FOO ".visible .entry k() {\n" REGS "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 7; @%p0 bra ELSE;\n"
                                    "call foo; bra MEET;\nELSE: mov.u32 %r2, 1; call foo;\nMEET: ret;\n}\n",
                           "k", NULL);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.detection->list.data[0].pattern, DETECT_COMMON_CALL);
    assert_string_equal(s.predictions.list.data[0].name, "foo");
    unload(&s);
}

/* A loop unrolled twice: two branches, one region that begins at either. A chain of tests: only at the first of them. */
static void test_common_call_of_several_branches(void **state)
{
    (void)state;
#define SIDES(n)                                                                                             \
    RANDOM "setp.lt.u32 %p0, %r6, 3; @%p0 bra ELSE" n ";\ncall foo; bra MEET" n ";\nELSE" n                   \
           ": mov.u32 %r3, 1; call foo;\nMEET" n ":\n"
    struct sample s = load(HEAD FOO ".visible .entry k() {\n" REGS "mov.u32 %r0, %tid.x; mov.u32 %r2, 0;\n"
                                    "LOOP: " SIDES("1") SIDES("2") "add.u32 %r2, %r2, 2; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\nret;\n}\n",
                           "k", NULL);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.predictions.list.data[0].start_count, 2);
    unload(&s);
    s = load(HEAD FOO ".visible .entry k() {\n" REGS "mov.u32 %r0, %tid.x;\n" RANDOM
                      "FIRST: setp.lt.u32 %p0, %r6, 3; @%p0 bra A;\nsetp.lt.u32 %p0, %r6, 5; @%p0 bra B;\n"
                      "call foo; bra MEET;\nA: mov.u32 %r3, 1; call foo; bra MEET;\nB: mov.u32 %r3, 2; call foo;\nMEET: ret;\n}\n",
             "k", NULL);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.predictions.list.data[0].start_count, 1);
    assert_int_equal(s.predictions.list.data[0].starts[0].pc, pc_of(&s, "FIRST") + 1);
    unload(&s);
}

/* ---- forbidden ---- */

static void test_synchronisation_forbids(void **state)
{
    (void)state;
    assert_nothing(KERNEL("LOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                          "NEXT: bar.sync 0; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   "a block barrier");
    assert_nothing(KERNEL("ld.param.u64 %rd0, [k_a];\nLOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                          "NEXT: atom.global.cas.b32 %r7, [%rd0], 0, 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   "may wait for each other");
    assert_nothing(KERNEL("LOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                          "NEXT: vote.sync.ballot.b32 %r9, %p0, -1; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   "a warp-level operation");
}

/* ---- not worth it ---- */

static void test_nothing_to_gain(void **state)
{
    (void)state;
    /* a cheap side */
    assert_nothing(KERNEL("LOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" TWO_FMA
                          "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   "gain");
    /* two sides, both dear */
    assert_nothing(KERNEL("LOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra PART;\n" MUCH "bra NEXT;\nPART: " MUCH
                          "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   "gain");
    /* a dear side in a dear round */
    assert_nothing(KERNEL("LOOP: " RANDOM MUCH "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                          "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   "gain");
    /* all threads of the block go the same way */
    assert_nothing(KERNEL("LOOP: and.b32 %r6, %r2, 7; setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                          "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   NULL);
    /* no loop around it */
    assert_nothing(KERNEL(RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH "NEXT:"), NULL);
    /* a way of a library that hardly any number takes */
    assert_nothing(KERNEL("LOOP: " RANDOM "cvt.rn.f32.u32 %f1, %r6; setp.lt.f32 %p0, %f1, 0f47CE4780; @%p0 bra NEXT;\n" MUCH
                          "NEXT: " EIGHT_FMA "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   "gain");
    assert_nothing(KERNEL(RANDOM "INNER: " MUCH "sub.u32 %r6, %r6, 1; setp.gt.s32 %p0, %r6, 0; @%p0 bra INNER;\n"), NULL);
    /* an inner loop with as many rounds for all */
    assert_nothing(KERNEL("OUTER: mov.u32 %r6, %r1;\nINNER: " MUCH "sub.u32 %r6, %r6, 1; setp.ne.u32 %p0, %r6, 0; @%p0 bra INNER;\n"
                          "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
                   NULL);
    /* an uneven one that is nothing against the rest */
    assert_nothing(KERNEL("OUTER: " RANDOM MUCH "INNER: " TWO_FMA "sub.u32 %r6, %r6, 1; setp.gt.s32 %p0, %r6, 0; @%p0 bra INNER;\n"
                          "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
                   "gain");
}

/* ---- with a profile ---- */

/* A side that no thread took is worth nothing; one that few take is. */
static void test_profile_decides(void **state)
{
    (void)state;
    const char *text = KERNEL("LOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                              "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n");
    struct branch_use never[2] = {{3200, 3200, 100}, {3200, 3168, 100}};
    struct branch_use seldom[2] = {{3200, 2800, 100}, {3200, 3168, 100}};
    struct sample s = load(text, "k", never);
    assert_int_equal(s.predictions.list.count, 0);
    unload(&s);
    s = load(text, "k", seldom);
    assert_int_equal(s.predictions.list.count, 1);
    unload(&s);
}

/* An inner loop that all threads leave together, whatever the text looks like. And one with a dear epilog: a soft barrier. */
static void test_profile_of_loop(void **state)
{
    (void)state;
    const char *text = KERNEL("OUTER: " RANDOM "add.u32 %r6, %r6, 1;\nINNER: " EIGHT_FMA
                              "sub.u32 %r6, %r6, 1; setp.ne.u32 %p0, %r6, 0; @%p0 bra INNER;\n" MUCH
                              "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n");
    struct branch_use even[2] = {{32 * 1000, 32 * 990, 1000}, {320, 288, 10}};
    struct branch_use uneven[2] = {{32 * 1000, 32 * 990, 5000}, {320, 288, 10}};
    struct branch_use once[2] = {{32 * 1000, 32 * 999, 5000}, {32, 0, 1}}; /* the outer loop has one round: nothing to merge */
    struct sample s = load(text, "k", even);
    assert_int_equal(s.predictions.list.count, 0);
    unload(&s);
    s = load(text, "k", once);
    assert_int_equal(s.predictions.list.count, 0);
    unload(&s);
    s = load(text, "k", uneven);
    assert_int_equal(s.predictions.list.count, 1);
    assert_in_range(s.predictions.list.data[0].threshold, 2, 28);
    unload(&s);
}

static void test_rounds_of_loops(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct sample s = load(KERNEL("mov.u32 %r3, 0;\nA: add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 24; @%p0 bra A;\n"
                                  "B: add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r1; @%p0 bra B;\n"
                                  "C: add.u32 %r2, %r2, -4; setp.lt.u32 %p0, %r2, %r1; @%p0 bra C;\n"),
                           "k", NULL);
    struct cost cost = cost_create(s.program, NULL, &arena);
    double expected[] = {24, COST_ROUNDS, COST_ROUNDS / 4};
    for (int i = 0; i < 3; i++) {
        char label[2] = {(char)('A' + i), 0};
        int loop = s.program->blocks[s.program->insns[pc_of(&s, label)].block].loop;
        assert_true(cost.rounds[loop] == expected[i]);
    }
    arena_free(&arena);
    unload(&s);
}

static double probability(const struct sample *s, const struct cost *c, const char *from, const char *to)
{
    int32_t block = s->program->insns[pc_of(s, from)].block, target = s->program->insns[pc_of(s, to)].block;
    for (int k = 0; k < s->program->blocks[block].successor_count; k++)
        if (s->program->blocks[block].successors[k] == target)
            return cost_probability(c, block, k);
    fail_msg("no way from %s to %s", from, to);
    return 0;
}

static void assert_probability(const struct sample *s, const struct cost *c, const char *from, const char *to, double expected)
{
    double found = probability(s, c, from, to);
    if (found < expected - 1e-9 || found > expected + 1e-9)
        fail_msg("from %s to %s: %.3f; expected %.3f", from, to, found, expected);
}

static void test_probabilities_of_ways(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct sample s = load(KERNEL("EQUAL: setp.eq.u32 %p0, %r0, 3; @!%p0 bra HUGE;\nA: mov.u32 %r3, 1;\n"
                                  "HUGE: cvt.rn.f32.u32 %f1, %r0; setp.gt.f32 %p0, %f1, 0f47CE4780; @%p0 bra EVEN;\nB: mov.u32 %r3, 1;\n"
                                  "EVEN: setp.gt.f32 %p0, %f1, 0f40000000; @%p0 bra ENTER;\nC: mov.u32 %r3, 1;\n"
                                  "ENTER: setp.lt.u32 %p0, %r0, %r1; @%p0 bra END;\n"
                                  "LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 50; @%p0 bra LOOP;\nEND:"),
                           "k", NULL);
    struct cost cost = cost_create(s.program, NULL, &arena);
    assert_probability(&s, &cost, "EQUAL", "A", 0.2);
    assert_probability(&s, &cost, "HUGE", "EVEN", 0.05);
    assert_probability(&s, &cost, "EVEN", "C", 0.5);
    assert_probability(&s, &cost, "ENTER", "LOOP", 0.75);
    assert_probability(&s, &cost, "LOOP", "END", 0.02);
    arena_free(&arena);
    unload(&s);
}

/* ---- real kernels ---- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    enum { MOST = 1 << 22 };
    static char text[MOST];
    if (!file)
        fail_msg("cannot read %s", path);
    size_t length = fread(text, 1, MOST - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* As nvcc writes them, unrolled. */
static void test_compiled_kernels_are_found(void **state)
{
    (void)state;
    char *text = read_file("tests/recon/hints.ptx");
    struct sample s = load(text, "merged", NULL);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.detection->list.data[0].pattern, DETECT_LOOP_MERGE);
    unload(&s);
    s = load(text, "delayed", NULL);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.detection->list.data[0].pattern, DETECT_ITERATION_DELAY);
    unload(&s);
}

/* All kernels of these files are left alone, as each compiler wrote them. */
static void test_corpus_is_left_alone(void **state)
{
    (void)state;
    static const char *const names[] = {"atomics", "barriers", "bfs",       "bitonic",     "bits",      "collatz",  "compact",
                                        "floyd",   "histogram", "hash_table", "life",      "loops",     "mandelbrot", "matmul",
                                        "nbody",   "queens",   "raycast",   "reduce",      "scan",      "search",   "sha256",
                                        "shuffle", "spmv",     "stencil",   "string_search", "switch_dense", "transpose", "vote"};
    static const char *const compilers[] = {"nvcc-90", "clang19-90"};
    int kernels = 0;
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        char path[128];
        struct diag diag = {0};
        snprintf(path, sizeof path, "tests/corpus/ptx/%s.%s.ptx", names[i / 2], compilers[i % 2]);
        char *text = read_file(path);
        struct ptx_module *module = ptx_parse(path, text, strlen(text), &diag);
        assert_non_null(module);
        for (int f = 0; f < module->function_count; f++) {
            if (!module->functions[f]->is_entry || !module->functions[f]->is_defined)
                continue;
            struct sample s = load(text, module->functions[f]->name, NULL);
            if (s.predictions.list.count) {
                say(&s);
                fail_msg("%s of %s is not left alone", module->functions[f]->name, path);
            }
            kernels++;
            unload(&s);
        }
        diag_free(&diag);
        ptx_destroy(module);
    }
    assert_in_range(kernels, 56, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iteration_delay),
        cmocka_unit_test(test_iteration_delay_of_else),
        cmocka_unit_test(test_loop_merge),
        cmocka_unit_test(test_loop_merge_of_while),
        cmocka_unit_test(test_loop_merge_of_unrolled),
        cmocka_unit_test(test_loop_merge_behind_test),
        cmocka_unit_test(test_common_call),
        cmocka_unit_test(test_common_call_of_several_branches),
        cmocka_unit_test(test_synchronisation_forbids),
        cmocka_unit_test(test_nothing_to_gain),
        cmocka_unit_test(test_profile_decides),
        cmocka_unit_test(test_profile_of_loop),
        cmocka_unit_test(test_rounds_of_loops),
        cmocka_unit_test(test_probabilities_of_ways),
        cmocka_unit_test(test_compiled_kernels_are_found),
        cmocka_unit_test(test_corpus_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
