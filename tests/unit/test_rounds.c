/*
 * Loops whose threads go in rounds (rewrite/rounds.h): merge-loops and delay on loops of all shapes, what becomes of
 * them, and what is refused. Each changed kernel leaves the memory that it left before, in both executors.
 */
#include "rewrite_bench.h"
#include "source_file.h"

#define BEGIN                                                                                                 \
    HEADER ".visible .entry k(.param .u64 k_out)\n{\n.reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<8>;\n" \
           "mov.u32 %r0, %tid.x; mad.lo.u32 %r1, %r0, 747796405, 12345; mov.u32 %r2, 0; mov.u32 %r3, 1;\n"
#define END                                                                                    \
    "DONE: ld.param.u64 %rd0, [k_out]; mul.wide.u32 %rd1, %r0, 4; add.s64 %rd2, %rd0, %rd1;\n" \
    "st.global.u32 [%rd2], %r3; ret;\n}\n"
#define RANDOM "mad.lo.u32 %r1, %r1, 1664525, 1013904223; shr.u32 %r4, %r1, 16; and.b32 %r4, %r4, 7;\n"
#define WORK   "mad.lo.u32 %r3, %r3, 3, %r4; xor.b32 %r3, %r3, %r1; mad.lo.u32 %r3, %r3, 5, %r2;\n"
#define MUCH   WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK

/* A rare expensive side, the other side empty; what stands at the end of the loop is given. */
#define DELAY(at_branch, at_end)                                                                           \
    BEGIN "LOOP: add.u32 %r2, %r2, 1;\n" RANDOM "setp.ne.u32 %p0, %r4, 0; @%p0 bra NEXT;\n" at_branch MUCH \
          "NEXT: " at_end "setp.lt.u32 %p1, %r2, 40; @%p1 bra LOOP;\n" END

/* An inner loop with 1 to 8 iterations. */
#define MERGE(prolog, inside)                                                                       \
    BEGIN "OUTER: add.u32 %r2, %r2, 1;\n" RANDOM prolog "mov.u32 %r5, 0;\n"                         \
          "INNER: " MUCH inside "add.u32 %r5, %r5, 1; setp.le.u32 %p0, %r5, %r4; @%p0 bra INNER;\n" \
          "add.u32 %r3, %r3, %r5; setp.lt.u32 %p1, %r2, 20; @%p1 bra OUTER;\n" END

static const char *const words[] = {"gather", "majority", "all", "all-majority"};

static void assert_with_all_words(const char *text, const char *pass)
{
    for (size_t i = 0; i < COUNTOF(words); i++) {
        char passes[64];
        snprintf(passes, sizeof passes, "%s=%s", pass, words[i]);
        struct rewritten r = assert_rewritten(text, passes);
        assert_int_equal(count_op(r.kernel, OP_ACTIVEMASK), 1);
        assert_int_equal(count_op(r.kernel, OP_VOTE_SYNC), i % 2 ? 0 : 1);
        assert_int_equal(count_op(r.kernel, OP_BALLOT_SYNC), i % 2 ? 2 : 0);
        rewritten_free(&r);
    }
}

/* Only with `all`: shapes in which detection sees nothing to gain. */
static void assert_wherever_legal(const char *text, const char *pass)
{
    for (size_t i = 2; i < COUNTOF(words); i++) {
        char passes[64];
        snprintf(passes, sizeof passes, "%s=%s", pass, words[i]);
        struct rewritten r = assert_rewritten(text, passes);
        rewritten_free(&r);
    }
}

/* ---- what becomes of a loop ---- */

/* The index of the first instruction of a kind, from `from` on. */
static int find_op(const struct ptx_function *f, enum op op, int from)
{
    for (int i = from; i < f->instruction_count; i++)
        if (f->instructions[i].op == op)
            return i;
    fail_msg("no %s in %s", op_table[op].mnemonic, f->name);
    return -1;
}

static int target_of(const struct ptx_function *f, int index)
{
    assert_int_equal(f->instructions[index].op, OP_BRA);
    return f->instructions[index].operand[0].target;
}

/* The group is noted ahead of the loop, whose header follows. Threads that are done and threads at the gate come to the
 * same vote. Behind the vote, nobody at a gate: to the exit; not at a gate: to the vote again; else through the gate. */
static void test_code_of_a_gate(void **state)
{
    (void)state;
    struct rewritten r = assert_rewritten(DELAY("", ""), "delay");
    const struct ptx_function *f = r.kernel;
    int group = find_op(f, OP_ACTIVEMASK, 0), vote = find_op(f, OP_VOTE_SYNC, 0), head = vote - 1;
    assert_int_equal(f->instructions[group + 1].op, OP_ADD); /* the loop's header */
    int stops = 0;
    for (int i = 0; i < vote; i++)
        stops += f->instructions[i].op == OP_BRA && target_of(f, i) == head;
    assert_int_equal(stops, 2); /* the gate, and the loop's only exit */
    const struct ptx_instruction *leave = &f->instructions[vote + 1], *again = &f->instructions[vote + 2];
    assert_true(leave->guard >= 0 && leave->guard_negate && again->guard >= 0 && again->guard_negate);
    assert_int_equal(target_of(f, vote + 2), head);
    assert_int_equal(f->instructions[target_of(f, vote + 1)].op, OP_BRA); /* on to the exit */
    int through = target_of(f, vote + 3);
    assert_int_equal(f->instructions[through].op, OP_MAD); /* the expensive side's first instruction */
    assert_int_equal(f->instructions[through - 1].op, OP_BRA);
    assert_int_equal(target_of(f, through - 1), head);
    rewritten_free(&r);
}

/* A vote needs PTX 6.2, and a warp that is no longer in step promises nothing. */
static void test_version_and_promises(void **state)
{
    (void)state;
    char *text = strdup(DELAY("", "bra.uni ON; ON: "));
    memcpy(strstr(text, ".version 8.0"), ".version 6.0", 12);
    struct rewritten r = rewrite(text, "delay");
    assert_true(r.is_changed);
    assert_true(r.module->version_major == 6 && r.module->version_minor == 2);
    for (int i = 0; i < r.kernel->instruction_count; i++)
        assert_false(suffixes_has(&r.kernel->instructions[i].suffixes, FLAG_UNI));
    rewritten_free(&r);
    free(text);
}

/* ---- shapes of loops ---- */

static void test_delays(void **state)
{
    (void)state;
    assert_with_all_words(DELAY("", ""), "delay");
    /* A way out of the expensive side, and a way out of the other one. */
    assert_with_all_words(DELAY("setp.eq.u32 %p2, %r2, 17; @%p2 bra DONE;\n", ""), "delay");
    assert_with_all_words(DELAY("",
                                "setp.eq.u32 %p2, %r4, 7; @%p2 bra OUT; bra ON;\nOUT: add.u32 %r3, %r3, 77; bra DONE;\n"
                                "ON: "),
                          "delay");
    /* Threads that end within the loop. */
    assert_with_all_words(DELAY("", "setp.eq.u32 %p2, %r3, 12; @%p2 ret; setp.eq.u32 %p3, %r0, 5; @%p3 exit;\n"),
                          "delay");
    /* The loop is left by falling through, and the header is entered by a jump from above and from below. */
    assert_with_all_words(BEGIN "bra HEAD;\nBACK: setp.ge.u32 %p1, %r2, 30; @!%p1 bra HEAD; bra DONE;\n"
                                "HEAD: add.u32 %r2, %r2, 1;\n" RANDOM "setp.ne.u32 %p0, %r4, 0; @%p0 bra BACK;\n" MUCH
                                "bra BACK;\n" END,
                          "delay");
    /* The header stands below a block of the loop that falls into it. */
    assert_with_all_words(BEGIN "bra LOOP;\nNEXT: setp.ge.u32 %p1, %r2, 30; @%p1 bra DONE;\n"
                                "LOOP: add.u32 %r2, %r2, 1;\n" RANDOM "setp.ne.u32 %p0, %r4, 0; @%p0 bra NEXT;\n" MUCH
                                "bra NEXT;\n" END,
                          "delay");
}

static void test_merges(void **state)
{
    (void)state;
    assert_with_all_words(MERGE("", ""), "merge-loops");
    /* A break out of the inner loop, and one out of both. */
    assert_with_all_words(MERGE("", "setp.eq.u32 %p2, %r3, 3; @%p2 bra DONE;\n"), "merge-loops");
    assert_wherever_legal(
        MERGE("setp.eq.u32 %p2, %r4, 3; @%p2 bra SKIP; bra GO;\nSKIP: add.u32 %r3, %r3, 9;\nGO: ", ""), "merge-loops");
    /* Both loops have one header: threads draw until a number is accepted. */
    assert_wherever_legal(BEGIN
                          "LOOP: " RANDOM MUCH "setp.gt.u32 %p0, %r4, 1; @%p0 bra LOOP;\n"
                          "add.u32 %r2, %r2, 1; add.u32 %r3, %r3, %r4; setp.lt.u32 %p1, %r2, 8; @%p1 bra LOOP;\n" END,
                          "merge-loops");
}

/* The loop is in a function, and there are two of them; and a loop around a changed loop is left as it is. */
static void test_places(void **state)
{
    (void)state;
    struct rewritten r = assert_rewritten(
        HEADER
        ".func (.reg .u32 %r3) f(.reg .u32 %r1, .reg .u32 %r2)\n{\n.reg .pred %p<4>; .reg .b32 %r4;\nmov.u32 %r3, 1;\n"
        "LOOP: add.u32 %r2, %r2, 1;\n" RANDOM "setp.ne.u32 %p0, %r4, 0; @%p0 bra NEXT;\n" MUCH
        "NEXT: setp.lt.u32 %p1, %r2, 40; @%p1 bra LOOP;\nret;\n}\n"
        ".visible .entry k(.param .u64 k_out)\n{\n.reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<8>;\n"
        "mov.u32 %r0, %tid.x; mad.lo.u32 %r1, %r0, 747796405, 12345; mov.u32 %r2, 0;\n"
        "call (%r3), f, (%r1, %r2);\n" END,
        "delay");
    assert_int_equal(count_op(ptx_find_function(r.module, "f"), OP_VOTE_SYNC), 1);
    assert_int_equal(count_op(r.kernel, OP_VOTE_SYNC), 0);
    rewritten_free(&r);
    r = assert_rewritten(BEGIN "mov.u32 %r9, 0;\nAGAIN: mov.u32 %r2, 0;\nLOOP: add.u32 %r2, %r2, 1;\n" RANDOM
                               "setp.ne.u32 %p0, %r4, 0; @%p0 bra NEXT;\n" MUCH
                               "NEXT: setp.lt.u32 %p1, %r2, 40; @%p1 bra LOOP;\nOTHER: sub.u32 %r2, %r2, 1;\n" RANDOM
                               "setp.ne.u32 %p0, %r4, 0; @%p0 bra LAST;\n" MUCH
                               "LAST: setp.gt.u32 %p1, %r2, 0; @%p1 bra OTHER;\n"
                               "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra AGAIN;\n" END,
                         "delay=all");
    assert_int_equal(count_op(r.kernel, OP_VOTE_SYNC), 2);
    rewritten_free(&r);
}

/* ---- kernels of tests/recon ---- */

static void test_recon_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *path, *kernel, *passes;
        bool is_changed;
    } cases[] = {
        {"tests/recon/iteration_delay.ptx", "iteration_delay", "delay", true},
        {"tests/recon/iteration_delay.ptx", "iteration_delay", "merge-loops", false},
        {"tests/recon/loop_merge.ptx", "loop_merge", "merge-loops=majority", true},
        {"tests/recon/loop_merge.ptx", "loop_merge", "delay", false},
        {"tests/recon/patterns.ptx", "collide", "delay", true},
        {"tests/recon/patterns.ptx", "julia", "merge-loops", true},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char *text = read_source(cases[i].path);
        struct ptx_module *module = parse(text);
        struct rewrite_list list = {0};
        struct arena arena = {0};
        struct text said = {0};
        char *error = NULL;
        assert_true(rewrite_parse(&list, cases[i].passes, &arena, &error));
        bool is_changed = rewrite_apply(&list, module, ptx_find_function(module, cases[i].kernel), &said);
        if (is_changed != cases[i].is_changed)
            fail_msg("%s by %s: %s", cases[i].kernel, cases[i].passes, said.data ? said.data : "");
        text_free(&said);
        arena_free(&arena);
        ptx_destroy(module);
    }
}

/* ---- what is refused ---- */

static void test_refusals(void **state)
{
    (void)state;
    assert_left_alone(DELAY("", "bar.sync 0;\n"), "delay=all", "a block barrier");
    assert_left_alone(DELAY("", "bar.warp.sync -1;\n"), "delay=all", "a warp-level operation");
    assert_left_alone(DELAY("", "activemask.b32 %r9;\n"), "delay", "a warp-level operation");
    assert_left_alone(DELAY("", "ld.param.u64 %rd4, [k_out]; atom.global.cas.b32 %r9, [%rd4], 0, 0;\n"), "delay=all",
                      "an atomic by which threads may wait for each other");
    assert_left_alone(DELAY("", "ld.param.u64 %rd4, [k_out]; ld.volatile.global.u32 %r9, [%rd4];\n"), "delay=all",
                      "a load by which threads may wait for each other");
    assert_left_alone(DELAY("", "ld.param.u64 %rd4, [k_out]; ld.acquire.gpu.global.u32 %r9, [%rd4];\n"), "delay=all",
                      "a load by which threads may wait for each other");
    assert_left_alone(BEGIN
                      "T: .branchtargets NEXT, DONE;\nLOOP: add.u32 %r2, %r2, 1;\n" RANDOM
                      "setp.ne.u32 %p0, %r4, 0; @%p0 bra NEXT;\n" MUCH
                      "NEXT: setp.ge.u32 %p1, %r2, 40; selp.u32 %r9, 1, 0, %p1; @%p1 brx.idx %r9, T;\nbra LOOP;\n" END,
                      "delay=all", "a branch by a table (brx)");
    /* A thread that would leave by an endless loop never votes: there must be an exit. */
    assert_left_alone(BEGIN "LOOP: add.u32 %r2, %r2, 1;\n" RANDOM "setp.ne.u32 %p0, %r4, 0; @%p0 bra NEXT;\n" MUCH
                            "NEXT: setp.ge.u32 %p1, %r2, 40; @%p1 exit;\nbra LOOP;\n" END,
                      "delay=all", "the loop has no exit");
    /* What does not pay is left alone unless all are asked for. */
    assert_left_alone(BEGIN "LOOP: add.u32 %r2, %r2, 1;\n" RANDOM
                            "setp.ne.u32 %p0, %r4, 0; @%p0 bra NEXT;\nadd.u32 %r3, %r3, 1;\n"
                            "NEXT: setp.lt.u32 %p1, %r2, 40; @%p1 bra LOOP;\n" END,
                      "delay", "the estimated gain is below");
    /* A loop whose function is left from within. */
    assert_left_alone(HEADER
                      ".func f(.reg .u32 %r1, .reg .u32 %r2)\n{\n.reg .pred %p<4>; .reg .b32 %r4;\n"
                      "LOOP: add.u32 %r2, %r2, 1;\nmad.lo.u32 %r1, %r1, 5, 3; and.b32 %r4, %r1, 7;\n"
                      "setp.ne.u32 %p0, %r4, 0; @%p0 bra NEXT;\nadd.u32 %r1, %r1, 1;\n"
                      "NEXT: setp.eq.u32 %p1, %r4, 5; @%p1 ret; setp.lt.u32 %p1, %r2, 40; @%p1 bra LOOP;\nret;\n}\n"
                      ".visible .entry k(.param .u64 k_out)\n{\n.reg .b32 %r<9>;\nmov.u32 %r0, %tid.x;\n"
                      "mov.u32 %r2, 0; call f, (%r0, %r2); ret;\n}\n",
                      "delay=all", "a function returns from within the loop");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code_of_a_gate), cmocka_unit_test(test_version_and_promises),
        cmocka_unit_test(test_delays),         cmocka_unit_test(test_merges),
        cmocka_unit_test(test_places),         cmocka_unit_test(test_recon_kernels),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
