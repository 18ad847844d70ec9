/*
 * Detection of predictions that pay: the three patterns in the forms that compilers give them, what forbids them, what does
 * not pay, and kernels of the corpus, which are left alone. tests/unit/test_speculate_timed.c has what is gained.
 */
#include "base/vec.h"
#include "recon/cost.h"
#include "recon/detect.h"
#include "recon/gain.h"
#include "recon/repeating.h"
#include "source_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define REGS ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<8>;\n"
#define KERNEL(body)                                                                                     \
    HEAD ".visible .entry k(.param .u64 k_a, .param .u32 k_n) {\n" REGS                                  \
         "mov.u32 %r0, %tid.x; ld.param.u32 %r1, [k_n]; mov.u32 %r2, 0; mov.f32 %f0, 0f3F800000;\n" body \
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

static struct sample load_with(const char *text, const char *kernel, const struct detect_rules *rules)
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
    s.detection = detect(&s.predictions, s.program, rules);
    return s;
}

static struct sample load(const char *text, const char *kernel, const struct branch_use *profile)
{
    return load_with(text, kernel, &(struct detect_rules){.profile = profile});
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

/* Nothing is predicted, the best candidate is left alone for the reason. NULL: there is no candidate. */
static void assert_nothing(const char *text, const char *why)
{
    struct sample s = load(text, "k", NULL);
    const char *refusal = s.detection->list.count ? s.detection->list.data[0].refusal : NULL;
    if (s.predictions.list.count || !why != !refusal || (why && !strstr(refusal, why))) {
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
    assert_found(KERNEL("OUTER: " RANDOM "TEST: setp.eq.u32 %p0, %r6, 0; @%p0 bra NEXT;\nINNER: " EIGHT_FMA EIGHT_FMA
                        "sub.u32 %r6, %r6, 1; bra TEST;\n"
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
    struct sample s =
        load(KERNEL("OUTER: " RANDOM "setp.lt.u32 %p2, %r6, 1; @%p2 bra NEXT;\nINNER: " EIGHT_FMA EIGHT_FMA
                    "sub.u32 %r6, %r6, 1; setp.ne.u32 %p0, %r6, 0; @%p0 bra INNER;\n"
                    "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
             "k", NULL);
    assert_int_equal(s.detection->list.count, 1);
    assert_int_equal(s.detection->list.data[0].pattern, DETECT_LOOP_MERGE);
    assert_int_equal(s.predictions.list.count, 1);
    unload(&s);
}

/* Most of a round comes ahead of the test by which threads leave: they meet there, not behind it. */
static void test_loop_merge_at_header(void **state)
{
    (void)state;
    assert_found(KERNEL("OUTER: " RANDOM "TEST: " EIGHT_FMA EIGHT_FMA EIGHT_FMA "sub.u32 %r6, %r6, 1;\n"
                        "setp.eq.u32 %p0, %r6, 0; @%p0 bra NEXT;\nINNER: " TWO_FMA "bra TEST;\n"
                        "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
                 DETECT_LOOP_MERGE, "TEST");
}

/* Two loops with one header, as compilers write a do-while within a loop if nothing stands ahead of it. */
static void test_loop_merge_of_shared_header(void **state)
{
    (void)state;
    const char *text =
        KERNEL("LOOP: " RANDOM EIGHT_FMA EIGHT_FMA EIGHT_FMA EIGHT_FMA "setp.gt.u32 %p0, %r6, 2; @%p0 bra LOOP;\n"
               "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n");
    struct branch_use even[2] = {{64000, 32000, 2000}, {32000, 31680, 1000}};
    struct branch_use uneven[2] = {{64000, 32000, 6000}, {32000, 31680, 1000}};
    struct branch_use hardly[2] = {{32100, 100, 6000}, {32000, 31680, 1000}};
    assert_found(text, DETECT_LOOP_MERGE, "LOOP");
    struct sample s = load(text, "k", NULL);
    assert_int_equal(s.detection->list.count, 1); /* what comes behind is no delayed side */
    unload(&s);
    s = load(text, "k", hardly);
    assert_int_equal(s.detection->list.count, 0);
    unload(&s);
    s = load(text, "k", even);
    assert_int_equal(s.predictions.list.count, 0);
    unload(&s);
    s = load(text, "k", uneven);
    assert_int_equal(s.predictions.list.count, 1);
    unload(&s);
}

/* The other side is a `continue` to a header at which threads meet. */
static void test_iteration_delay_of_continue(void **state)
{
    (void)state;
    assert_found(KERNEL("LOOP: add.u32 %r2, %r2, 1; setp.gt.u32 %p1, %r2, %r1; @%p1 bra DONE;\n" RANDOM
                        "setp.ne.u32 %p0, %r6, 0; @%p0 bra LOOP;\nPART: " MUCH "bra LOOP;\nDONE:"),
                 DETECT_ITERATION_DELAY, "PART");
}

/* A loop on the dear side with as many rounds in every round of the outer one: not its rounds are merged, the side is met. */
static void test_iteration_delay_with_steady_loop(void **state)
{
    (void)state;
    assert_found(KERNEL("LOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\nPART: mov.u32 %r7, 0;\n"
                        "INNER: " EIGHT_FMA "add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, %r0; @%p2 bra INNER;\n"
                        "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                 DETECT_ITERATION_DELAY, "PART");
}

#define FOO ".func foo()\n{\n.reg .f32 %f<2>;\nmov.f32 %f0, 0f3F800000;\n" MUCH "ret;\n}\n"

static void test_common_call(void **state)
{
    (void)state;
    struct sample s =
        load(HEAD FOO ".visible .entry k() {\n" REGS "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 7; @%p0 bra ELSE;\n"
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
#define SIDES(n)                                                                            \
    RANDOM "setp.lt.u32 %p0, %r6, 3; @%p0 bra ELSE" n ";\ncall foo; bra MEET" n ";\nELSE" n \
           ": mov.u32 %r3, 1; call foo;\nMEET" n ":\n"
    struct sample s =
        load(HEAD FOO ".visible .entry k() {\n" REGS "mov.u32 %r0, %tid.x; mov.u32 %r2, 0;\n"
                      "LOOP: " SIDES("1")
                          SIDES("2") "add.u32 %r2, %r2, 2; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\nret;\n}\n",
             "k", NULL);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.predictions.list.data[0].start_count, 2);
    unload(&s);
    s = load(
        HEAD FOO
        ".visible .entry k() {\n" REGS "mov.u32 %r0, %tid.x;\n" RANDOM
        "FIRST: setp.lt.u32 %p0, %r6, 3; @%p0 bra A;\nsetp.lt.u32 %p0, %r6, 5; @%p0 bra B;\n"
        "call foo; bra MEET;\nA: mov.u32 %r3, 1; call foo; bra MEET;\nB: mov.u32 %r3, 2; call foo;\nMEET: ret;\n}\n",
        "k", NULL);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.predictions.list.data[0].start_count, 1);
    assert_int_equal(s.predictions.list.data[0].starts[0].pc, pc_of(&s, "FIRST") + 1);
    unload(&s);
}

/* Two functions in a kernel: both. The same one below a call: there threads of two places would wait for each other. */
static void test_common_calls_of_several_functions(void **state)
{
    (void)state;
#define SIDES_OF(f, n)                                                                                             \
    "setp.lt.u32 %p0, %r0, 7; @%p0 bra ELSE" n ";\ncall " f "; bra MEET" n ";\nELSE" n ": mov.u32 %r3, 1; call " f \
    ";\nMEET" n ":\n"
#define TID "mov.u32 %r0, %tid.x;\n"
    struct sample s =
        load(HEAD FOO ".func bar()\n{\n.reg .f32 %f<2>;\nmov.f32 %f0, 0f3F800000;\n" MUCH "ret;\n}\n"
                      ".visible .entry k() {\n" REGS TID SIDES_OF("foo", "1") SIDES_OF("bar", "2") "ret;\n}\n",
             "k", NULL);
    assert_int_equal(s.predictions.list.count, 2);
    unload(&s);
    s = load(HEAD FOO ".func bar()\n{\n" REGS TID SIDES_OF(
                 "foo", "2") "ret;\n}\n.visible .entry k() {\n" REGS TID SIDES_OF("foo", "1") "call bar;\nret;\n}\n",
             "k", NULL);
    assert_int_equal(s.detection->list.count, 2);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.predictions.list.data[0].start_count, 1);
    unload(&s);
}

/* One side hardly ever makes the call; one side only makes it; it calls itself. */
static void test_other_calls_are_left_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD FOO
        ".visible .entry k() {\n" REGS TID "cvt.rn.f32.u32 %f1, %r0; setp.lt.u32 %p0, %r0, 7; @%p0 bra ELSE;\n"
        "call foo; bra MEET;\nELSE: setp.lt.f32 %p1, %f1, 0f47CE4780; @%p1 bra MEET;\ncall foo;\nMEET: ret;\n}\n",
        HEAD FOO ".visible .entry k() {\n" REGS TID
                 "setp.lt.u32 %p0, %r0, 7; @%p0 bra MEET;\ncall foo;\nMEET: ret;\n}\n",
        HEAD ".func self(.param .u32 n)\n{\n" REGS "ld.param.u32 %r0, [n]; mov.f32 %f0, 0f3F800000;\n" MUCH
             "setp.eq.u32 %p0, %r0, 0; @%p0 bra DONE;\n"
             "{ .param .u32 p; sub.u32 %r0, %r0, 1; st.param.u32 [p], %r0; call self, (p); }\nDONE: ret;\n}\n"
             ".visible .entry k() {\n" REGS TID "setp.lt.u32 %p0, %r0, 7; @%p0 bra ELSE;\n"
             "{ .param .u32 p; st.param.u32 [p], %r0; call self, (p); }\nbra MEET;\n"
             "ELSE: { .param .u32 p; st.param.u32 [p], 1; call self, (p); }\nMEET: ret;\n}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_nothing(texts[i], NULL);
}

/* Sides that call again and again, with something ahead of the loop or not: threads come back from the first call one side after
 * the other, and do not meet again. */
static void test_calls_in_loops_are_left_alone(void **state)
{
    (void)state;
#define CALLS(label) label ": call foo; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra " label ";\n"
#define CALLING(first, second)                                                                 \
    HEAD FOO ".visible .entry k(.param .u32 k_n) {\n" REGS TID                                 \
             "ld.param.u32 %r1, [k_n]; setp.lt.u32 %p0, %r0, 7; @%p0 bra ELSE;\n" first CALLS( \
                 "A") "bra MEET;\nELSE: " second CALLS("B") "MEET: ret;\n}\n"
    assert_nothing(CALLING("mov.u32 %r2, 0;\n", "mov.u32 %r2, 1;\n"), "gain");
    assert_nothing(CALLING("", ""), "gain");
}

/* Sides that call a function are dear, but what is common to them is the call, also where one side has more to do that would
 * gain more by itself. */
static void test_calls_go_first(void **state)
{
    (void)state;
    struct sample s =
        load(HEAD FOO ".visible .entry k(.param .u32 k_n) {\n" REGS
                      "mov.u32 %r0, %tid.x; mov.u32 %r2, 0; ld.param.u32 %r1, [k_n];\nLOOP: " RANDOM
                      "setp.eq.u32 %p0, %r6, 0; @%p0 bra A;\nsetp.eq.u32 %p0, %r6, 1; @%p0 bra B; bra NEXT;\n"
                      "A: mov.u32 %r3, 1; " MUCH MUCH "call foo; bra NEXT;\nB: mov.u32 %r3, 2; call foo;\n"
                      "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\nret;\n}\n",
             "k", NULL);
    if (s.predictions.list.count != 1)
        say(&s);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.detection->list.data[0].pattern, DETECT_COMMON_CALL);
    bool delays = false;
    for (int i = 0; i < s.detection->list.count; i++) {
        const struct detected *d = &s.detection->list.data[i];
        delays |= d->pattern == DETECT_ITERATION_DELAY && d->gain > s.detection->list.data[0].gain && d->refusal &&
                  strstr(d->refusal, "foo, in the same loops, gains more");
    }
    assert_true(delays);
    unload(&s);
}

/* Of candidates in one loop, or in loops within each other, the best is taken, wherever it stands; in loops apart both are. */
static void test_best_of_a_loop(void **state)
{
    (void)state;
#define PART_OF(label, round, test, much)                                                                          \
    "mad.lo.u32 %r5, %r5, 1664525, %r0; and.b32 %r6, %r5, 7; setp." test ".u32 %p0, %r6, 0; @%p0 bra AFTER_" label \
    ";\n" label ": " much "AFTER_" label ": add.u32 %r" round ", %r" round ", 1; setp.lt.u32 %p1, %r" round ", %r1;\n"
#define MORE MUCH MUCH MUCH
    static const struct {
        const char *text, *best;
        int count;
    } cases[] = {
        {KERNEL("LOOP: " PART_OF("A", "7", "ne", MUCH) PART_OF("B", "2", "ne", MORE) "@%p1 bra LOOP;\n"), "B", 1},
        {KERNEL("LOOP: " PART_OF("A", "7", "ne", MORE) PART_OF("B", "2", "ne", MUCH) "@%p1 bra LOOP;\n"), "A", 1},
        {KERNEL("OUTER: mov.u32 %r7, 0;\nINNER: " PART_OF(
             "A", "7", "ne",
             MORE) "setp.lt.u32 %p1, %r7, 2; @%p1 bra INNER;\n" PART_OF("B", "2", "ne",
                                                                        MORE MORE MORE MORE) "@%p1 bra OUTER;\n"),
         "A", 1},
        {KERNEL("OUTER: mov.u32 %r7, 0;\nINNER: add.u32 %r7, %r7, 1; setp.gt.u32 %p0, %r5, 9; @%p0 bra "
                "THEN;\nA: " EIGHT_FMA EIGHT_FMA EIGHT_FMA "THEN: setp.lt.u32 %p1, %r7, 2; @%p1 bra INNER;\n" PART_OF(
                    "B", "2", "ne", MORE MORE) "@%p1 bra OUTER;\n"),
         "B", 1},
        {KERNEL("LOOP: " PART_OF("A", "7", "ne", MUCH) "@%p1 bra LOOP;\nAGAIN: " PART_OF("B", "2", "ne",
                                                                                         MORE) "@%p1 bra AGAIN;\n"),
         "B", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sample s = load(cases[i].text, "k", NULL);
        int good = 0;
        for (int k = 0; k < s.detection->list.count; k++)
            good += s.detection->list.data[k].gain >= DETECT_LEAST_GAIN &&
                    s.detection->list.data[k].least_gain >= GAIN_LEAST;
        if (s.predictions.list.count != cases[i].count || good < 2) {
            say(&s);
            fail_msg("number %d: %d predictions, %d good", (int)i, s.predictions.list.count, good);
        }
        assert_int_equal(s.predictions.list.data[0].label, pc_of(&s, cases[i].best));
        unload(&s);
    }
}

/* ---- forbidden ---- */

static void test_synchronisation_forbids(void **state)
{
    (void)state;
    assert_nothing(KERNEL("LOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                          "NEXT: bar.sync 0; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   "a block barrier");
    assert_nothing(KERNEL("ld.param.u64 %rd0, [k_a];\nLOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                          "NEXT: atom.global.cas.b32 %r7, [%rd0], 0, 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, "
                          "%r1; @%p1 bra LOOP;\n"),
                   "may wait for each other");
    assert_nothing(KERNEL("LOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                          "NEXT: vote.sync.ballot.b32 %r9, %p0, -1; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; "
                          "@%p1 bra LOOP;\n"),
                   "a warp-level operation");
    /* without a barrier */
    assert_nothing(KERNEL(".shared .u32 word;\nLOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                          "NEXT: st.volatile.shared.u32 [word], %r5; ld.volatile.shared.u32 %r9, [word];\n"
                          "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   "may pass data to each other");
    /* in what is called */
    struct sample s =
        load(HEAD ".func try(.param .u64 at)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd0, [at];\n"
                  "atom.global.cas.b32 %r0, [%rd0], 0, 1;\nret;\n}\n"
                  ".visible .entry k(.param .u64 k_a, .param .u32 k_n) {\n" REGS
                  "mov.u32 %r0, %tid.x; ld.param.u32 %r1, [k_n]; mov.u32 %r2, 0; ld.param.u64 %rd0, [k_a];\n"
                  "LOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                  "NEXT: { .param .u64 p; st.param.u64 [p], %rd0; call try, (p); }\n"
                  "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\nret;\n}\n",
             "k", NULL);
    assert_int_equal(s.predictions.list.count, 0);
    assert_non_null(strstr(s.detection->list.data[0].refusal, "may wait for each other"));
    unload(&s);
}

#define ROUND_WITH(what)                                                        \
    KERNEL(".shared .u32 word;\nld.param.u64 %rd0, [k_a];\nLOOP: " RANDOM       \
           "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\nPART: " MUCH "NEXT: " what \
           "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n")

/* Nobody waits for others there: at sums, at what is read without a word to others, outside. */
static void test_other_accesses_do_not_forbid(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ROUND_WITH("atom.global.add.u32 %r7, [%rd0], 1;"),
        ROUND_WITH("ld.volatile.global.u32 %r7, [%rd0];"),
        ROUND_WITH("ld.shared.u32 %r7, [word];"),
        KERNEL("ld.param.u64 %rd0, [k_a]; atom.global.cas.b32 %r7, [%rd0], 0, 1;\nLOOP: " RANDOM
               "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\nPART: " MUCH
               "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\natom.global.exch.b32 %r7, "
               "[%rd0], 0;\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_found(texts[i], DETECT_ITERATION_DELAY, "PART");
    assert_nothing(ROUND_WITH("atom.global.exch.b32 %r7, [%rd0], 1;"), "may wait for each other");
}

/* No place ahead of the loop at which threads could join. */
static void test_kernel_that_begins_with_its_loop(void **state)
{
    (void)state;
    assert_nothing(HEAD ".visible .entry k() {\n" REGS
                        "LOOP: mad.lo.u32 %r5, %r5, 1664525, %r0; and.b32 %r6, %r5, 7; mov.u32 %r0, %tid.x;\n"
                        "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH
                        "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 99; @%p1 bra LOOP;\nret;\n}\n",
                   "the loop contains the function's entry");
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
    assert_nothing(KERNEL("LOOP: " RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra.uni NEXT;\n" MUCH
                          "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   NULL);
    /* those that come there have left the loop */
    assert_nothing(KERNEL("LOOP: " RANDOM "setp.eq.u32 %p0, %r6, 0; @%p0 bra PART;\n"
                          "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\nbra DONE;\nPART: " MUCH
                          "DONE:"),
                   NULL);
    /* no loop around it */
    assert_nothing(KERNEL(RANDOM "setp.ne.u32 %p0, %r6, 0; @%p0 bra NEXT;\n" MUCH "NEXT:"), NULL);
    /* a way of a library that hardly any number takes */
    assert_nothing(KERNEL("LOOP: " RANDOM
                          "cvt.rn.f32.u32 %f1, %r6; setp.lt.f32 %p0, %f1, 0f47CE4780; @%p0 bra NEXT;\n" MUCH
                          "NEXT: " EIGHT_FMA "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"),
                   NULL);
    assert_nothing(KERNEL(RANDOM "INNER: " MUCH "sub.u32 %r6, %r6, 1; setp.gt.s32 %p0, %r6, 0; @%p0 bra INNER;\n"),
                   NULL);
    /* an inner loop with as many rounds for all */
    assert_nothing(KERNEL("OUTER: mov.u32 %r6, %r1;\nINNER: " MUCH
                          "sub.u32 %r6, %r6, 1; setp.ne.u32 %p0, %r6, 0; @%p0 bra INNER;\n"
                          "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
                   NULL);
    /* an uneven one that is nothing against the rest */
    assert_nothing(KERNEL("OUTER: " RANDOM MUCH "INNER: " TWO_FMA
                          "sub.u32 %r6, %r6, 1; setp.gt.s32 %p0, %r6, 0; @%p0 bra INNER;\n"
                          "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
                   "gain");
}

/* ---- the same threads in every round ---- */

#define ROUND_OF(test)                                                                                              \
    KERNEL("ld.param.u64 %rd1, [k_a]; ld.global.u32 %r20, [%rd1]; mov.u32 %r10, %ctaid.x; mov.u32 %r11, %ntid.x;\n" \
           "mad.lo.u32 %r12, %r10, %r11, %r0; mul.wide.u32 %rd2, %r12, 4; add.u64 %rd2, %rd1, %rd2;\n"              \
           "ld.global.u32 %r21, [%rd2]; activemask.b32 %r22; mov.u32 %r23, 0;\nLOOP: mad.lo.u32 %r13, %r2, %r11, "  \
           "%r12; " RANDOM test " @%p0 bra NEXT;\n" MUCH                                                            \
           "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n")

static void test_steady_branches_are_left_alone(void **state)
{
    (void)state;
    static const char *const steady[] = {
        ROUND_OF("setp.ge.u32 %p0, %r13, %r1;"), /* i + round * threads < n */
        ROUND_OF("shl.b32 %r14, %r12, 2; sub.u32 %r14, %r14, %r2; setp.lt.s32 %p0, %r14, 9;"),
        ROUND_OF("shr.u32 %r14, %r12, 5; setp.ne.u32 %p0, %r14, %r2;"), /* warps take turns */
        ROUND_OF("and.b32 %r14, %r0, 31; setp.ne.u32 %p0, %r14, 0;"),   /* one lane */
        ROUND_OF("and.b32 %r14, %r21, 8; setp.ne.u32 %p0, %r14, 0;"),   /* read before the loop */
        ROUND_OF("setp.ge.u32 %p2, %r13, %r1; setp.eq.u32 %p3, %r0, 3; or.pred %p0, %p2, %p3;"),
        ROUND_OF("min.u32 %r14, %r13, %r1; div.u32 %r14, %r14, 3; setp.gt.u32 %p0, %r14, %r20;"),
        ROUND_OF("setp.eq.u32 %p0, %r22, 7;"), /* who was there before the loop */
        ROUND_OF("setp.eq.u32 %p2, %r2, 3; mov.u32 %r14, %r13; @%p2 bra SKIP; add.u32 %r14, %r13, 1;\n"
                 "SKIP: setp.lt.u32 %p0, %r14, %r1;"),                    /* by ways that all go together */
        ROUND_OF("add.u32 %r23, %r23, %r0; setp.lt.u32 %p0, %r23, %r1;"), /* steps of their own length */
    };
    for (size_t i = 0; i < sizeof steady / sizeof *steady; i++)
        assert_nothing(steady[i], "in every iteration");
}

static void test_other_branches_are_not_steady(void **state)
{
    (void)state;
    static const char *const changing[] = {
        ROUND_OF("setp.ne.u32 %p0, %r6, 0;"),                                                 /* random numbers */
        ROUND_OF("add.u32 %r14, %r0, %r2; and.b32 %r14, %r14, 7; setp.ne.u32 %p0, %r14, 0;"), /* threads take turns */
        ROUND_OF("ld.global.u32 %r14, [%rd2]; setp.ne.u32 %p0, %r14, 0;"),                    /* memory, in the loop */
        ROUND_OF("mul.lo.u32 %r14, %r13, 747796405; setp.lt.u32 %p0, %r14, 99999;"), /* a product without upper bits */
        ROUND_OF("setp.gt.u32 %p2, %r6, 4; mov.u32 %r14, 1; @%p2 mov.u32 %r14, 0; setp.eq.u32 %p0, %r14, 0;"),
        ROUND_OF("setp.gt.u32 %p2, %r6, 4; mov.u32 %r14, 1; @%p2 bra SKIP; mov.u32 %r14, 0;\nSKIP: setp.eq.u32 %p0, "
                 "%r14, 0;"),
        ROUND_OF("setp.ge.u32 %p2, %r13, %r1; setp.eq.u32 %p3, %r6, 3; or.pred %p0, %p2, %p3;"),
        ROUND_OF("mul.lo.u32 %r14, %r13, %r13; setp.lt.u32 %p0, %r14, 99999;"),
        ROUND_OF("shl.b32 %r14, %r13, 28; setp.lt.u32 %p0, %r14, 99999;"),
        ROUND_OF(
            "mul.lo.u32 %r14, %r21, 0; add.u32 %r23, %r23, %r14; setp.ne.u32 %p0, %r6, 0;"), /* the proof must end */
        ROUND_OF("div.u32 %r14, %r11, %r13; setp.lt.u32 %p0, %r14, 9;"),
        ROUND_OF("shr.u32 %r14, %r11, %r13; setp.lt.u32 %p0, %r14, 9;"),
        ROUND_OF("{ .local .u32 own; ld.local.u32 %r14, [own]; } setp.ne.u32 %p0, %r14, 0;"), /* each has its own */
        ROUND_OF("atom.global.add.u32 %r14, [%rd1], 1; setp.lt.u32 %p0, %r14, 9;"), /* each gets another number */
        ROUND_OF("activemask.b32 %r14; setp.eq.u32 %p0, %r14, 7;"),                 /* who is there now */
        ROUND_OF("setp.eq.u32 %p2, %r2, 3; mov.u32 %r14, 0; @%p2 mov.u32 %r14, %r21; setp.eq.u32 %p0, %r14, 5;"),
        ROUND_OF("setp.eq.u32 %p2, %r2, 3; mov.u32 %r14, %r6; @%p2 mov.u32 %r14, 1; setp.eq.u32 %p0, %r14, 5;"),
        ROUND_OF("mad.lo.u32 %r23, %r23, 2, %r0; setp.lt.u32 %p0, %r23, %r1;"), /* steeper in every round */
    };
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        struct sample s = load(changing[i], "k", NULL);
        struct arena arena = {0};
        bool *steady = repeating_branches(s.program, &arena);
        int32_t last = s.program->blocks[s.program->insns[pc_of(&s, "NEXT")].block].dominator;
        int32_t branch = s.program->insns[s.program->blocks[last].last].branch;
        assert_in_range(branch, 0, s.program->branch_count - 1);
        if (steady[branch])
            fail_msg("number %d is steady", (int)i);
        arena_free(&arena);
        unload(&s);
    }
}

/* Loops whose rounds follow the thread's number, or what it read before: up, down, unrolled, laid out in another order. */
static void test_steady_loops_are_left_alone(void **state)
{
    (void)state;
    static const char *const loops[] = {
        KERNEL("OUTER: mov.u32 %r6, 0;\nINNER: " MUCH
               "add.u32 %r6, %r6, 1; setp.lt.u32 %p0, %r6, %r0; @%p0 bra INNER;\n"
               "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
        KERNEL("and.b32 %r9, %r0, 127;\nOUTER: mov.u32 %r6, %r9;\nINNER: " MUCH
               "add.s32 %r6, %r6, -4; setp.gt.s32 %p0, %r6, 0; @%p0 bra INNER;\n"
               "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"),
        KERNEL("bra OUTER;\nINNER: " MUCH "add.u32 %r6, %r6, 32; setp.ge.u32 %p0, %r6, %r1; @%p0 bra NEXT; bra INNER;\n"
               "NEXT: add.u32 %r2, %r2, 1; setp.ge.u32 %p1, %r2, %r1; @%p1 bra DONE;\nOUTER: mov.u32 %r6, %r0; bra "
               "INNER;\nDONE:"),
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        assert_nothing(loops[i], "in every iteration");
}

/* What a function was told, and what it reads, may be something else with each call. */
static void test_arguments_are_not_steady(void **state)
{
    (void)state;
#define TOLD(test)                                                           \
    HEAD ".func foo(.param .u32 n)\n{\n" REGS "ld.param.u32 %r0, [n]; " test \
         " @%p0 bra DONE; membar.gl;\nDONE: ret;\n}\n"                       \
         ".visible .entry k() {\n.reg .b32 %r<2>;\nmov.u32 %r0, %tid.x;\n"   \
         "{ .param .u32 p; st.param.u32 [p], %r0; call foo, (p); }\nret;\n}\n"
    static const char *const texts[] = {
        TOLD("setp.ne.u32 %p0, %r0, 0;"),
        TOLD("mov.u32 %r1, %tid.x; mul.wide.u32 %rd0, %r1, 4; ld.global.u32 %r1, [%rd0]; "
             "setp.eq.u32 %p0, %r1, 1;")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena arena = {0};
        struct sample s = load(texts[i], "k", NULL);
        bool *steady = repeating_branches(s.program, &arena);
        int32_t found = -1;
        for (int32_t b = 0; b < s.program->branch_count; b++)
            if (s.program->branches[b].target_count == 2)
                found = b;
        assert_in_range(found, 0, s.program->branch_count - 1);
        if (steady[found])
            fail_msg("number %d is steady", (int)i);
        arena_free(&arena);
        unload(&s);
    }
}

/* ---- estimates ---- */

static void assert_close(double found, double expected)
{
    if (found < expected * 0.995 || found > expected * 1.005)
        fail_msg("%.4f; expected %.4f", found, expected);
}

/* What happens rarely is worth waiting for, by some threads; what happens always is not, and costs little to wait for so. */
static void test_gain_of_delay(void **state)
{
    (void)state;
    struct gain_delay rare = {.common = 200, .rest = 20, .rest_diverged = 24, .often = 0.05}, always = rare,
                      even = rare;
    always.often = 1;
    even.rest = even.rest_diverged = 200;
    even.often = 0.5;
    struct gain g = gain_of_delay(32, &rare, true);
    assert_true(g.mean > 2);
    assert_in_range(g.threshold, 4, 24);
    assert_true(gain_of_delay(32, &always, true).mean < 1);
    assert_true(gain_of_delay(32, &even, true).mean < 1.1);
    g = gain_of_delay(32, &rare, false);
    assert_true(g.least < g.mean);
    assert_int_equal(gain_of_delay(4, &rare, true).threshold, 0); /* no threshold is below the width */
}

static void test_gain_of_merge(void **state)
{
    (void)state;
    struct gain_merge dear = {.body = 60, .rounds = 16, .rest = 10, .rest_diverged = 12, .entered = 1}, epilog = dear,
                      cheap = dear;
    epilog.rest = epilog.rest_diverged = 600;
    cheap.body = 6;
    struct gain all = gain_of_merge(32, &dear, false);
    assert_int_equal(all.threshold, 0);
    assert_true(all.mean > 1.5 && all.least >= GAIN_LEAST);
    assert_true(gain_of_merge(32, &epilog, false).threshold > 0);
    assert_true(gain_of_merge(32, &cheap, false).least < GAIN_LEAST); /* barrier operations for nothing */
    dear.spread = 1.1;
    assert_true(gain_of_merge(32, &dear, true).mean < 1.1);
}

/* By hand. Of four threads one at a time comes to the loop, for 16 rounds; now 68 % of the warp's rounds have one, so that each
 * thread's stay takes (10 + 0.6836 * 16 * 30) * 4. Merged, rounds cost three more, in 23 % of them somebody leaves, and needs
 * four rounds of the outer loop to come back. */
static void test_gain_of_merge_by_hand(void **state)
{
    (void)state;
    struct gain_merge rare = {.body = 30, .rounds = 16, .rest = 10, .rest_diverged = 10, .entered = 0.25};
    assert_close(gain_of_merge(4, &rare, true).mean, 1352.5 / (16 * 33 + 16 * 0.2275 * 4 * 10));
    rare.rest_diverged = 20;
    assert_close(gain_of_merge(4, &rare, true).mean, 1352.5 / (16 * 33 + 16 * 0.2275 * 4 * 20));
    /* The longest of 32 stays is 63 rounds. Until only 12 threads are left it takes 16 ln(32 / 12); then 20 come back. */
    struct gain_merge epilog = {.body = 60, .rounds = 16, .rest = 600, .rest_diverged = 600, .entered = 1};
    struct gain g = gain_of_merge(32, &epilog, true);
    assert_int_equal(g.threshold, 12);
    assert_close(g.mean, (600 + 63.14 * 60) / ((15.69 * 64 + 600) * 32 / 20));
}

static void test_gain_of_delay_by_hand(void **state)
{
    (void)state;
    /* Two threads, one round in two: the longer wait is 0.5 + (ln 2 + 0.5772) / ln 2 rounds. */
    struct gain_delay d = {.common = 100, .rest = 20, .rest_diverged = 20, .often = 0.5};
    assert_close(gain_of_delay(2, &d, true).mean, (20 + 0.75 * 100) * 2 / (100 + 3 + 2.333 * 20));
    d.rest_diverged = 30;
    assert_close(gain_of_delay(2, &d, true).mean, (20 + 0.75 * 100) * 2 / (100 + 3 + 2.333 * 30));
}

/* A soft barrier must be better by a twentieth. */
static void test_threshold_must_pay(void **state)
{
    (void)state;
    struct gain_merge m = {.body = 60, .rounds = 16, .rest = 18, .rest_diverged = 18, .entered = 1};
    assert_int_equal(gain_of_merge(32, &m, true).threshold, 0);
    m.rest = m.rest_diverged = 30;
    assert_in_range(gain_of_merge(32, &m, true).threshold, 4, 28);
}

/* The mean of what is gained by each guess, and the least. Four threads have no threshold. */
static void test_guesses(void **state)
{
    (void)state;
    struct gain_merge merges[4] = {{.body = 30, .rounds = 16, .rest = 10, .rest_diverged = 12, .entered = 0.5}};
    struct gain_delay delays[3] = {{.common = 100, .rest = 20, .rest_diverged = 25, .often = 0.4}};
    double mean = 1, least = 100;
    merges[1] = merges[2] = merges[3] = merges[0];
    merges[1].rounds = 8;
    merges[1].entered = 0.25;
    merges[2].spread = 2;
    merges[3].spread = 1;
    for (int i = 0; i < 4; i++) {
        double gain = gain_of_merge(4, &merges[i], true).mean;
        mean *= gain;
        least = gain < least ? gain : least;
    }
    struct gain g = gain_of_merge(4, &merges[0], false);
    assert_close(g.mean * g.mean * g.mean * g.mean, mean);
    assert_close(g.least, least);
    delays[1] = delays[2] = delays[0];
    delays[1].often = 0.1;
    delays[2].often = 0.7;
    mean = 1;
    for (int i = 0; i < 3; i++)
        mean *= gain_of_delay(4, &delays[i], true).mean;
    g = gain_of_delay(4, &delays[0], false);
    assert_close(g.mean * g.mean * g.mean, mean);
}

/* Accesses that few threads make where all made them before. A load costs what eight sums do. */
static void test_accesses_apart_cost_more(void **state)
{
    (void)state;
    static const char *const others[] = {ROUND_WITH(EIGHT_FMA EIGHT_FMA),
                                         ROUND_WITH("ld.global.u32 %r7, [%rd0]; ld.global.u32 %r8, [%rd0+4];")};
    double gain[2], rest[2];
    for (int i = 0; i < 2; i++) {
        struct sample s = load(others[i], "k", NULL);
        gain[i] = s.detection->list.data[0].gain;
        rest[i] = s.detection->list.data[0].rest;
        unload(&s);
    }
    assert_close(rest[1], rest[0]);
    assert_true(gain[1] < 0.9 * gain[0]);
}

/* What is asked for at least, and a warp of one thread, which waits for nobody. */
static void test_rules(void **state)
{
    (void)state;
    const char *text = ROUND_WITH("");
    struct sample s = load(text, "k", NULL);
    double gain = s.detection->list.data[0].gain;
    assert_int_equal(s.predictions.list.count, 1);
    unload(&s);
    s = load_with(text, "k", &(struct detect_rules){.least_gain = gain + 0.1});
    assert_int_equal(s.predictions.list.count, 0);
    unload(&s);
    s = load_with(text, "k", &(struct detect_rules){.width = 1});
    assert_int_equal(s.predictions.list.count, 0);
    unload(&s);
}

/* ---- with a profile ---- */

/* A tenth is enough, since nothing is guessed. */
static void test_profile_needs_less_gain(void **state)
{
    (void)state;
    int between = 0;
    for (unsigned taken = 100; taken < 3200; taken += 100) {
        struct branch_use profile[2] = {{3200, taken, 100}, {3200, 3168, 100}};
        struct sample s = load(ROUND_WITH(EIGHT_FMA EIGHT_FMA), "k", profile);
        double gain = s.detection->list.data[0].gain;
        assert_int_equal(s.predictions.list.count, gain >= DETECT_PROFILED_GAIN);
        between += gain >= DETECT_PROFILED_GAIN && gain < DETECT_LEAST_GAIN;
        unload(&s);
    }
    assert_in_range(between, 1, 30);
}

/* Lanes that are as empty around the inner loop gain nothing in it; one that hardly any thread enters is no candidate. */
static void test_profile_around_loop(void **state)
{
    (void)state;
    const char *text = KERNEL("OUTER: " RANDOM "setp.eq.u32 %p2, %r6, 0; @%p2 bra NEXT;\nINNER: " EIGHT_FMA EIGHT_FMA
                              "sub.u32 %r6, %r6, 1; setp.gt.s32 %p0, %r6, 0; @%p0 bra INNER;\n"
                              "NEXT: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n");
    struct branch_use apart[3] = {{32000, 0, 1000}, {320000, 288000, 30000}, {32000, 31680, 1000}};
    struct branch_use empty[3] = {{32000, 0, 3000}, {320000, 288000, 30000}, {32000, 31680, 3000}};
    struct branch_use never[3] = {{32000, 31990, 1000}, {100, 90, 10}, {32000, 31680, 1000}};
    struct sample s = load(text, "k", apart);
    assert_int_equal(s.predictions.list.count, 1);
    unload(&s);
    s = load(text, "k", empty);
    assert_int_equal(s.detection->list.count, 1);
    assert_int_equal(s.predictions.list.count, 0);
    unload(&s);
    s = load(text, "k", never);
    assert_int_equal(s.detection->list.count, 0);
    unload(&s);
}

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
    struct branch_use once[2] = {{32 * 1000, 32 * 999, 5000},
                                 {32, 0, 1}}; /* the outer loop has one round: nothing to merge */
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

/* From the start of a loop's header on, all its rounds; within the loop, one. */
static void test_cost_of_loops(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct sample s =
        load(KERNEL("mov.u32 %r3, 0;\nA: " EIGHT_FMA "add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 24; @%p0 bra A;\nB:"),
             "k", NULL);
    struct cost cost = cost_create(s.program, NULL, &arena);
    int32_t header = s.program->insns[pc_of(&s, "A")].block, behind = s.program->insns[pc_of(&s, "B")].block;
    int loop = s.program->blocks[header].loop;
    assert_true(cost_from(&cost, header, -1, loop, NULL) == 11);
    assert_true(cost_from(&cost, header, behind, -1, NULL) == 24 * 11);
    assert_true(cost_from(&cost, s.program->functions[0].first_block, header, -1, NULL) < 11);
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

static void assert_probability(const struct sample *s, const struct cost *c, const char *from, const char *to,
                               double expected)
{
    double found = probability(s, c, from, to);
    if (found < expected - 1e-9 || found > expected + 1e-9)
        fail_msg("from %s to %s: %.3f; expected %.3f", from, to, found, expected);
}

static void test_probabilities_of_ways(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct sample s = load(
        KERNEL("EQUAL: setp.eq.u32 %p0, %r0, 3; @!%p0 bra HUGE;\nA: mov.u32 %r3, 1;\n"
               "HUGE: cvt.rn.f32.u32 %f1, %r0; setp.gt.f32 %p0, %f1, 0f47CE4780; @%p0 bra EVEN;\nB: mov.u32 %r3, 1;\n"
               "EVEN: setp.gt.f32 %p0, %f1, 0f40000000; @%p0 bra ENTER;\nC: mov.u32 %r3, 1;\n"
               "ENTER: setp.lt.u32 %p0, %r0, %r1; @%p0 bra END;\n"
               "LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 50; @%p0 bra LOOP;\nEND:"),
        "k", NULL);
    struct cost cost = cost_create(s.program, NULL, &arena);
    assert_probability(&s, &cost, "EQUAL", "A", 0.2);
    assert_probability(&s, &cost, "HUGE", "EVEN", 0.005);
    assert_probability(&s, &cost, "EVEN", "C", 0.5);
    assert_probability(&s, &cost, "ENTER", "LOOP", 0.75);
    assert_probability(&s, &cost, "LOOP", "END", 0.02);
    arena_free(&arena);
    unload(&s);
}

/* ---- real kernels ---- */

/* As nvcc writes them, unrolled. */
static void test_compiled_kernels_are_found(void **state)
{
    (void)state;
    char *text = read_source("tests/recon/hints.ptx");
    struct sample s = load(text, "merged", NULL);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.detection->list.data[0].pattern, DETECT_LOOP_MERGE);
    unload(&s);
    s = load(text, "delayed", NULL);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.detection->list.data[0].pattern, DETECT_ITERATION_DELAY);
    unload(&s);
}

/* A search with a stack: threads go back by different numbers of rows. */
static void test_queens_are_found(void **state)
{
    (void)state;
    struct sample s = load(read_source("tests/corpus/ptx/queens.clang19-90.ptx"), "queens", NULL);
    assert_int_equal(s.predictions.list.count, 1);
    assert_int_equal(s.detection->list.data[0].pattern, DETECT_LOOP_MERGE);
    unload(&s);
}

/* Kernels as people write them: see the sources beside. */
static void test_kernels_of(const char *path, bool are_found)
{
    struct diag diag = {0};
    char *text = read_source(path);
    struct ptx_module *module = ptx_parse(path, text, strlen(text), &diag);
    int kernels = 0;
    assert_non_null(module);
    for (int f = 0; f < module->function_count; f++) {
        const char *name = module->functions[f]->name;
        if (!module->functions[f]->is_entry || !strcmp(name, "newton") || !strcmp(name, "mandelbrot"))
            continue;
        struct sample s = load(text, name, NULL);
        if ((s.predictions.list.count == 1) != are_found) {
            say(&s);
            fail_msg("%s of %s has %d predictions", name, path, s.predictions.list.count);
        }
        kernels++;
        unload(&s);
    }
    assert_int_equal(kernels, 12);
    diag_free(&diag);
    ptx_destroy(module);
}

static void test_patterns_are_found(void **state)
{
    (void)state;
    test_kernels_of("tests/recon/patterns.ptx", true);
}

static void test_others_are_left_alone(void **state)
{
    (void)state;
    test_kernels_of("tests/recon/alone.ptx", false);
}

/* All kernels of these files are left alone, as each compiler wrote them. */
static void test_corpus_is_left_alone(void **state)
{
    (void)state;
    static const char *const names[] = {
        "atomics", "barriers",  "bfs",           "bitonic",      "bits",      "collatz",    "compact",
        "floyd",   "histogram", "hash_table",    "life",         "loops",     "mandelbrot", "matmul",
        "nbody",   "raycast",   "reduce",        "scan",         "search",    "sha256",     "shuffle",
        "spmv",    "stencil",   "string_search", "switch_dense", "transpose", "vote"};
    static const char *const compilers[] = {"nvcc-90", "clang19-90"};
    int kernels = 0;
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        char path[128];
        struct diag diag = {0};
        snprintf(path, sizeof path, "tests/corpus/ptx/%s.%s.ptx", names[i / 2], compilers[i % 2]);
        char *text = read_source(path);
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
    assert_in_range(kernels, 54, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iteration_delay),
        cmocka_unit_test(test_iteration_delay_of_else),
        cmocka_unit_test(test_iteration_delay_of_continue),
        cmocka_unit_test(test_loop_merge),
        cmocka_unit_test(test_loop_merge_of_while),
        cmocka_unit_test(test_loop_merge_of_unrolled),
        cmocka_unit_test(test_loop_merge_behind_test),
        cmocka_unit_test(test_loop_merge_at_header),
        cmocka_unit_test(test_loop_merge_of_shared_header),
        cmocka_unit_test(test_iteration_delay_with_steady_loop),
        cmocka_unit_test(test_common_call),
        cmocka_unit_test(test_common_call_of_several_branches),
        cmocka_unit_test(test_common_calls_of_several_functions),
        cmocka_unit_test(test_other_calls_are_left_alone),
        cmocka_unit_test(test_calls_in_loops_are_left_alone),
        cmocka_unit_test(test_calls_go_first),
        cmocka_unit_test(test_best_of_a_loop),
        cmocka_unit_test(test_synchronisation_forbids),
        cmocka_unit_test(test_other_accesses_do_not_forbid),
        cmocka_unit_test(test_kernel_that_begins_with_its_loop),
        cmocka_unit_test(test_nothing_to_gain),
        cmocka_unit_test(test_steady_branches_are_left_alone),
        cmocka_unit_test(test_other_branches_are_not_steady),
        cmocka_unit_test(test_steady_loops_are_left_alone),
        cmocka_unit_test(test_arguments_are_not_steady),
        cmocka_unit_test(test_gain_of_delay),
        cmocka_unit_test(test_gain_of_merge),
        cmocka_unit_test(test_gain_of_merge_by_hand),
        cmocka_unit_test(test_gain_of_delay_by_hand),
        cmocka_unit_test(test_threshold_must_pay),
        cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_accesses_apart_cost_more),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_profile_decides),
        cmocka_unit_test(test_profile_needs_less_gain),
        cmocka_unit_test(test_profile_around_loop),
        cmocka_unit_test(test_profile_of_loop),
        cmocka_unit_test(test_rounds_of_loops),
        cmocka_unit_test(test_cost_of_loops),
        cmocka_unit_test(test_probabilities_of_ways),
        cmocka_unit_test(test_compiled_kernels_are_found),
        cmocka_unit_test(test_queens_are_found),
        cmocka_unit_test(test_patterns_are_found),
        cmocka_unit_test(test_others_are_left_alone),
        cmocka_unit_test(test_corpus_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
