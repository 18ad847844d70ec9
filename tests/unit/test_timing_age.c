/*
 * The age of strands under gto, on a machine: a strand that a mechanism makes is as old as the warp whose place it has,
 * not as young as its birth.
 *
 * The youngest warp issues a stream of independent instructions, and gto stays with it. Meanwhile the strand that was
 * made and an older warp both become ready. When the stream ends, the older of the two issues first.
 */
#include "timing_bench.h"

#define MOV4   "mov.u32 %r1, 1;\nmov.u32 %r2, 1;\nmov.u32 %r3, 1;\nmov.u32 %r4, 1;\n"
#define MOV24  MOV4 MOV4 MOV4 MOV4 MOV4 MOV4
#define STREAM MOV24 MOV24 MOV24 MOV24 MOV24 MOV24

/* The stream starts at about cycle 60, when all others wait: the brief ones until it runs, the long one until it is
 * over. */
#define LATENCIES "sm.idiv_latency=50 sm.sfu_latency=100 sm.ddiv_latency=400"

/* Warp 2 runs the stream. Warp 0 diverges: one side waits long, so that gto cannot be greedy with that side; the other
 * side waits as briefly as warp 1, and is the older one of the two. */
static void the_other_side_of_a_branch_is_as_old_as_its_warp(void **state)
{
    (void)state;
    const struct timing_case falls = {.body = "setp.ge.u32 %p1, %t, 64;\n@%p1 bra S;\nsetp.lt.u32 %p0, %t, 16;\n"
                                              "@%p0 bra A;\nsqrt.approx.f32 %f1, %f0;\nmov.f32 %f2, %f1; // brief\n"
                                              "bra J;\nA: div.rn.f64 %d1, %d0, %d0;\nmov.f64 %d2, %d1;\nbra J;\n"
                                              "S: div.u32 %r5, %t, 7;\nmov.u32 %r6, %r5;\n" STREAM "J:\n",
                                      .mechanism = "dpe",
                                      .threads = 96};
    const struct timing_case jumps = {.body = "setp.ge.u32 %p1, %t, 64;\n@%p1 bra S;\nsetp.ge.u32 %p0, %t, 16;\n"
                                              "@%p0 bra A;\ndiv.rn.f64 %d1, %d0, %d0;\nmov.f64 %d2, %d1;\nbra J;\n"
                                              "A: sqrt.approx.f32 %f1, %f0;\nmov.f32 %f2, %f1; // brief\nbra J;\n"
                                              "S: div.u32 %r5, %t, 7;\nmov.u32 %r6, %r5;\n" STREAM "J:\n",
                                      .mechanism = "dpe",
                                      .threads = 96};
    for (int i = 0; i < 2; i++) {
        struct timing t;
        timing_open(&t, i ? &jumps : &falls, "sm.scheduler=gto sm.scoreboard=dual " LATENCIES);
        assert_int_equal(find_issue(&t, "brief", ANY_STRAND, 0)->threads, 16);
        assert_int_equal(find_issue(&t, "brief", ANY_STRAND, 1)->threads, 32);
        timing_close(&t);
    }
}

/* Block 2 runs the stream. Block 0 diverges, and its compacted warp waits as briefly as block 1, which never
 * diverges. */
static void a_compacted_warp_is_as_old_as_its_block(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p1, %r0, 2;\n@%p1 bra S;\n"
                                          "setp.eq.u32 %p2, %r0, 1;\n@%p2 bra B;\nsetp.lt.u32 %p0, %t, 16;\n"
                                          "@%p0 bra A;\nmov.u32 %r7, 1;\n"
                                          "A: sqrt.approx.f32 %f1, %f0;\nmov.f32 %f2, %f1; // compacted\nbra J;\n"
                                          "B: sqrt.approx.f32 %f3, %f0;\nmov.f32 %f4, %f3; // plain\nbra J;\n"
                                          "S: div.u32 %r5, %t, 7;\nmov.u32 %r6, %r5;\n" STREAM "J:\n",
                                  .mechanism = "tbc",
                                  .blocks = 3};
    struct timing t;
    timing_open(&t, &c, "sm.scheduler=gto " LATENCIES);
    assert_int_equal(find_issue(&t, "compacted", ANY_STRAND, 0)->threads, 32);
    assert_true(issued(&t, "plain") > issued(&t, "compacted"));
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_other_side_of_a_branch_is_as_old_as_its_warp),
        cmocka_unit_test(a_compacted_warp_is_as_old_as_its_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
