/*
 * Gangs of variable warp sizing, to the cycle and to the fetch: the instruction buffers of a gang's slices, which stay
 * filled when the gang splits.
 */
#include "timing_bench.h"

/* ---- instruction buffers ---- */

/* A line that is in the L1 for slices 0 to 3, and not for slices 4 to 7. */
#define HALF_HITS                                                                    \
    "and.b32 %r3, %t, 16;\nmul.wide.u32 %a1, %r3, 4096;\nadd.u64 %a1, %a1, %base;\n" \
    "ld.global.u32 %r1, [%base];\nmov.u32 %r2, %r1;\n"
#define LOAD_AND_USE "ld.global.u32 %r4, [%a1]; // load\nmov.u32 %r6, %r4; // needs\n"
#define PAD          "mov.u32 %r5, 1;\n"

/* The gang has fetched the instruction that needs the data before it splits over that. The instruction is in the buffer
 * of every slice, and nobody fetches it again (section 4.3), whether it is decoded by then or its line is still on its
 * way: in the second body the instruction is the first of a line that is in no cache. */
static void members_of_a_split_gang_keep_their_instruction(void **state)
{
    (void)state;
    static const struct {
        const char *body, *knobs;
        int before, strands; /* instructions up to the one that needs the data; strands behind it */
    } cases[] = {{HALF_HITS LOAD_AND_USE, "split=impatient", 9, 8},
                 {HALF_HITS LOAD_AND_USE, "split=group", 9, 2},
                 {HALF_HITS PAD PAD PAD PAD PAD PAD PAD PAD LOAD_AND_USE, "split=impatient", 17, 8},
                 {HALF_HITS PAD PAD PAD PAD PAD PAD PAD PAD LOAD_AND_USE, "split=group", 17, 2}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const struct timing_case c = {.body = cases[i].body, .mechanism = "vws", .knobs = cases[i].knobs};
        struct timing t;
        timing_open(&t, &c, "sm.fetch=icache sm.ibuffer=1 sm.scheduler=bgto");
        assert_int_equal(count_of(&t, "vws.memory_splits"), 1);
        assert_int_equal(count_of(&t, "sm.fetches"), cases[i].before + cases[i].strands); /* all fetch `ret` */
        assert_int_equal(count_of(&t, "sm.decodes"), count_of(&t, "sm.fetches"));
        assert_int_equal(count_of(&t, "sm.buffer_fills"),
                         8 * (cases[i].before + 1)); /* each instruction, in each slice */
        timing_close(&t);
    }
}

/* Slices 4 to 7 go through the branch and have the rest of their line in their buffers; slices 0 to 3 fetch its
 * target. */
static void members_that_fall_through_keep_what_follows(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "setp.lt.u32 %p1, %t, 16;\n@%p1 bra L;\nmov.u32 %r1, 1; // through\nbra J;\n"
                                          "L: mov.u32 %r2, 1; // taken\nJ:\n",
                                  .mechanism = "vws"};
    struct timing t;
    timing_open(&t, &c, "sm.fetch=icache sm.ibuffer=8 sm.decode_width=8 mem.instruction_latency=6");
    assert_int_equal(find_issue(&t, "through", ANY_STRAND, 0)->threads, 16);
    assert_int_equal(issued(&t, "taken") - issued(&t, "through"), 6 - 1); /* a new strand waits for a cycle */
    timing_close(&t);
}

/* Slices 0 to 3 wait at `needs` with the instruction in their buffers; the others come there later. If they merge before
 * the others have fetched, the gang fetches for all; if both have the instruction, it does not. With further warps, which
 * end at once, a warp is visited more seldom, and the others have fetched by then. */
static void a_gang_has_an_instruction_if_all_members_have_it(void **state)
{
    (void)state;
    static const struct {
        uint32_t threads;
        int fetches;
    } cases[] = {
        {32, 6 + 3 + 2 + 1 + 1 + 1}, /* by half a warp: the pads, two `sqrt`, one `needs`; `needs` for all */
        {8 * 32, 8 * 4 + 2 + 3 + 2 + 1 + 1 + 1}, /* the same, with `needs` once by each half, and not again */
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const struct timing_case c = {.body = "setp.ge.u32 %p0, %t, 32;\n@%p0 ret;\nsetp.lt.u32 %p1, %t, 16;\n"
                                              "@%p1 bra L;\n" PAD PAD PAD
                                              "L: sqrt.approx.f32 %f1, %f0;\nmov.f32 %f2, %f1; // needs\n",
                                      .mechanism = "vws",
                                      .knobs = "reform=yes",
                                      .threads = cases[i].threads};
        struct timing t;
        timing_open(&t, &c, "sm.fetch=icache sm.ibuffer=1 sm.scheduler=bgto sm.sfu_latency=60");
        assert_int_equal(find_issue(&t, "needs", ANY_STRAND, 0)->threads, 32);
        assert_int_equal(count_of(&t, "vws.merges"), 1);
        assert_int_equal(count_of(&t, "sm.fetches"), cases[i].fetches);
        timing_close(&t);
    }
}

/* Both halves of the gang need the result of `a` behind the branch. One half goes on in the gang's strand, the other in
 * a new one, which fetches while it waits for the result, too: both issue in the cycle in which the result is
 * written. */
static void a_new_strand_fetches_while_its_registers_wait(void **state)
{
    (void)state;
    static const char *const writers[] = {"sqrt.approx.f32 %f1, %f0; // a\n", "ld.global.f32 %f1, [%base]; // a\n"};
    static const char *const scoreboards[] = {"warp", "exact"};
    for (int i = 0; i < 4; i++) {
        char body[256];
        snprintf(body, sizeof body,
                 "setp.lt.u32 %%p1, %%t, 16;\n%s@%%p1 bra L;\nmov.f32 %%f2, %%f1; // through\nbra J;\n"
                 "L: mov.f32 %%f3, %%f1; // taken\nJ:\n",
                 writers[i / 2]);
        const struct timing_case c = {.body = body, .mechanism = "vws"};
        struct timing t;
        timing_open(&t, &c, "sm.fetch=icache sm.ibuffer=1 mem.instruction_latency=6 sm.sfu_latency=60 sm.scoreboard=%s",
                    scoreboards[i % 2]);
        assert_int_equal(issued(&t, "taken"), issued(&t, "through"));
        if (i / 2 == 0)
            assert_int_equal(between(&t, "a", "taken"), 60);
        timing_close(&t);
    }
}

/* The branch makes a gang of slices 4 to 7, which waits for the line of slices 6 and 7 and for the square root, and
 * splits when the root is written. It has fetched by then, in the cycle after the branch. */
static void a_new_gang_fetches_before_it_splits(void **state)
{
    (void)state;
    const struct timing_case c = {.body =
                                      "and.b32 %r3, %t, 8;\nmul.wide.u32 %a1, %r3, 8192;\nadd.u64 %a1, %a1, %base;\n"
                                      "ld.global.u32 %r1, [%base];\nmov.u32 %r2, %r1;\nsetp.lt.u32 %p1, %t, 16;\n"
                                      "ld.global.f32 %f4, [%a1];\nsqrt.approx.f32 %f1, %f0; // root\n@%p1 bra L;\n"
                                      "add.f32 %f2, %f1, %f4; // through\nL:\n",
                                  .mechanism = "vws",
                                  .knobs = "split=group"};
    struct timing t;
    timing_open(&t, &c, "sm.fetch=icache sm.ibuffer=1 sm.scheduler=bgto mem.instruction_latency=6 sm.sfu_latency=%d",
                24);
    assert_int_equal(count_of(&t, "vws.memory_splits"), 1);
    assert_int_equal(find_issue(&t, "through", ANY_STRAND, 0)->threads, 8);
    assert_int_equal(issued_nth(&t, "through", ANY_STRAND, 0) - issued(&t, "root"), 24 + 1);
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_strand_fetches_while_its_registers_wait),
        cmocka_unit_test(a_new_gang_fetches_before_it_splits),
        cmocka_unit_test(members_of_a_split_gang_keep_their_instruction),
        cmocka_unit_test(members_that_fall_through_keep_what_follows),
        cmocka_unit_test(a_gang_has_an_instruction_if_all_members_have_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
