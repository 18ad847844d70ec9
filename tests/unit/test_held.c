/*
 * Warps that come to a barrier in parts, under the mechanisms that keep a stack or tables per warp: div/parts/held.h.
 *
 * The barriers have a count, so that branches do not meet before them (flow/barrier_reconvergence.c); the bench waits for all
 * live threads whatever the count.
 */
#include "div_walk.h"

#include "div/parts/held.h"

static const char *const mechanisms[] = {"pdom", "bcc", "scc", "dpe", "multipath", "ws", "vws"};

/* What each label issues. Parts that go on apart behind a barrier do so in an order of the mechanism's. */
struct traces {
    const char *stack;     /* the part that opened the barrier first */
    const char *dpe;       /* the part that returned first: its entry is on top */
    const char *multipath; /* side by side */
};

static void expect(const char *text, const struct line *script, struct traces expected)
{
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
        struct walk walk = {.mechanism = mechanisms[i], .text = text};
        walk.trace = !strcmp(mechanisms[i], "dpe")         ? expected.dpe
                     : !strcmp(mechanisms[i], "multipath") ? expected.multipath
                                                           : expected.stack;
        for (int k = 0; k < 8 && script[k].label; k++)
            walk.script[k] = script[k];
        struct bench b;
        begin_walk(&b, &walk, 4);
        bench_run(&b);
        if (strcmp(b.trace.data, walk.trace))
            fail_msg("%s: %s, not %s", mechanisms[i], b.trace.data, walk.trace);
        bench_close(&b);
    }
}

/* J, the post-dominator of A's branch, is behind the barrier, since C could go there. The side that comes first leaves the
 * stack; the last one opens the barrier, and all go on as one. */
#define AROUND                                                                                                     \
    HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra J;\nB:" WORK "barrier.sync 0, 32;\nL:" WORK "\nJ:" WORK \
                "ret;")

static void the_last_part_takes_in_the_others(void **state)
{
    (void)state;
    static const struct line script[] = {{"A", "0011"}, {"C", "1111"}, {NULL, NULL}};
    static const char trace[] = "A1111 B1100 C0011 B0011 L1111 J1111 ";
    expect(AROUND, script, (struct traces){trace, trace, trace});
}

/* Thread 2 goes round the barrier. It would wait at J for the others, which wait for it: it goes on to its end. */
static void nobody_waits_behind_a_barrier_for_those_at_it(void **state)
{
    (void)state;
    static const struct line script[] = {{"A", "0011"}, {"C", "1101"}, {NULL, NULL}};
    static const char trace[] = "A1111 B1100 C0011 B0001 J0010 L1101 J1101 ";
    expect(AROUND, script, (struct traces){trace, trace, trace});
}

/* In a function the parts may have been called from different places; they return apart. */
static void parts_that_were_called_apart_return_apart(void **state)
{
    (void)state;
    static const struct line script[] = {{"A", "0011"}, {NULL, NULL}};
    expect(HEAD FUNC("f", "F: barrier.sync 0, 32;\nG:" WORK "ret;")
               KERNEL("A:" WORK "@%p0 bra B;\nC: call f;\nX:" WORK "bra J;\nB: call f;\nY:" WORK "\nJ:" WORK "ret;"),
           script,
           (struct traces){"A1111 B1100 F1100 C0011 F0011 G0011 X0011 J0011 G1100 Y1100 J1100 ",
                           "A1111 B1100 C0011 F1100 F0011 G1100 Y1100 J1100 G0011 X0011 J0011 ",
                           "A1111 B1100 C0011 F1100 F0011 G1100 G0011 Y1100 X0011 J1100 J0011 "});
}

/* Both sides have an instruction of their own for one barrier. */
static void parts_at_different_instructions_go_on_apart(void **state)
{
    (void)state;
    static const struct line script[] = {{"A", "0011"}, {NULL, NULL}};
    expect(HEAD KERNEL("A:" WORK "@%p0 bra B;\nC: barrier.sync 0;\nX:" WORK "bra J;\nB: barrier.sync 0;\nY:" WORK
                       "\nJ:" WORK "ret;"),
           script,
           (struct traces){"A1111 B1100 C0011 X0011 J0011 Y1100 J1100 ", "A1111 B1100 C0011 Y1100 J1100 X0011 J0011 ",
                           "A1111 B1100 C0011 Y1100 X0011 J1100 J0011 "});
}

/* The first barrier parts the warp for good. Thread 1 comes to P last and opens the second: threads 0 and 3 were there
 * before it, and thread 2 is at Q. The warp is not in one place, but the parts that are behind P merge. */
static void splits_behind_one_barrier_merge_while_another_is_elsewhere(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "multipath",
        .knobs = "merge=yes",
        .text = HEAD KERNEL("T: .branchtargets X, Y, Z;\nA:" WORK "brx.idx %r0, T;\n"
                            "X: barrier.sync 0, 32;\nL:" WORK "bra P;\n"
                            "Y: barrier.sync 0, 32;\nM:" WORK WORK WORK WORK "bra P;\n"
                            "Z:" WORK WORK "barrier.sync 0, 32;\nN:" WORK "bra Q;\n"
                            "P: barrier.sync 0, 32;\nR:" WORK "bra J;\n"
                            "Q: barrier.sync 0, 32;\nS:" WORK WORK WORK WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "0120"}},
        .trace = "A1111 X1001 Y0100 Z0010 L1001 M0100 N0010 P1001 Q0010 P0100 R1101 S0010 J1101 J0010 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "merges"), 1);
    bench_close(&b);
}

/* A's branch meets at J. Threads 2 and 3 end before the barrier, so that the others pass it as the whole warp: all that
 * live have met. */
static void a_whole_warp_meets_behind_its_barrier(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "multipath",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC: @%p0 bra J;\nE: exit;\nB:" WORK WORK WORK
                            "barrier.sync 0, 32;\nJ:" WORK "ret;"),
        .script = {{"A", "0011"}, {"C", "1111"}},
        .trace = "A1111 B1100 C0011 E0011 J1100 ",
        .watch = {{"B", "(meet,J,1111,1111,-) (B,1100,J) (C,0011,J)"}, {"J", "(J,1100,-)"}},
    };
    play_only(&walk);
}

/* ---- the threads that wait ---- */

static void groups_stay_apart_in_functions_and_meet_in_the_kernel(void **state)
{
    (void)state;
    struct held h = {0};
    uint64_t released = 0xff;
    held_add(&h, 0x03);
    held_add(&h, 0x0c);
    held_add(&h, 0x30);
    assert_int_equal(h.all, 0x3f);
    uint64_t some = 0x07;
    assert_int_equal(held_next(&h, &some, 1), 0x03);
    assert_int_equal(held_next(&h, &some, 1), 0x04); /* of a group that was let go in part */
    assert_int_equal(held_next(&h, &some, 1), 0);
    assert_int_equal(h.all, 0x38);
    assert_int_equal(held_next(&h, &released, 0), 0x38);
    assert_int_equal(held_next(&h, &released, 0), 0);
    assert_int_equal(h.all, 0);
    assert_int_equal(h.groups.count, 0);
    held_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_part_takes_in_the_others),
        cmocka_unit_test(nobody_waits_behind_a_barrier_for_those_at_it),
        cmocka_unit_test(parts_that_were_called_apart_return_apart),
        cmocka_unit_test(parts_at_different_instructions_go_on_apart),
        cmocka_unit_test(splits_behind_one_barrier_merge_while_another_is_elsewhere),
        cmocka_unit_test(a_whole_warp_meets_behind_its_barrier),
        cmocka_unit_test(groups_stay_apart_in_functions_and_meet_in_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
