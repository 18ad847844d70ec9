/*
 * The probes on a pipeline: kernels whose threads must be told of at the right moment, or do not end; and
 * that each call of the contract comes at all.
 */
#include "tests/probes/probes.h"
#include "timed_bench.h"

struct shape {
    const char *machine, *setting; /* one setting, or NULL */
    uint32_t blocks, threads;
};

static void run_probe(const struct div_ops *probe, const char *text, const struct shape *shape)
{
    struct timed t;
    timed_open(&t, text,
               &(struct timed_case){shape->machine, shape->setting, probe, NULL, shape->blocks, shape->threads});
    timed_close(&t);
}

/* Runs it, and gives a counter of the probe. */
static uint64_t count_of_probe(const struct div_ops *probe, const char *text, const struct shape *shape,
                               const char *counter)
{
    struct timed_case c = {shape->machine, shape->setting, probe, NULL, shape->blocks, shape->threads};
    char path[64];
    snprintf(path, sizeof path, "%s.%s", probe->stats->name, counter);
    return timed_value(text, &c, path);
}

static const struct shape tiny_warp = {"tiny", NULL, 1, 4}, two_blocks = {"tiny", "sm.warp_width=8", 2, 20},
                          two_rows_each = {"tiny", "sm.warp_width=8", 4, 41},
                          sliced = {"vws", "sm.slice_lanes=4", 2, 64};

/* Odd threads pass the first barrier and meet the others at the second. */
#define GUARDED                                                      \
    "and.b32 %r2, %t, 1; setp.eq.u32 %p0, %r2, 0; mov.u32 %r1, 7;\n" \
    "@%p0 barrier.sync 0;\n@%p0 bra E;\nadd.u32 %r1, %r1, 1;\nbarrier.sync 0;\nE: add.u32 %r1, %r1, %r2;"

static void threads_that_a_guard_lets_pass_go_on(void **state)
{
    const struct div_ops *probe = probe_find(*state);
    /* Slices of more than one thread have one stack: they cannot pass and wait at once. */
    run_probe(probe, KERNEL(GUARDED), &tiny_warp);
    run_probe(probe, KERNEL(GUARDED), &(struct shape){"tiny", NULL, 2, 20});
}

/* Lanes of a row that exchange values in a loop: a rendezvous for threads that are in different strands. */
#define EXCHANGE                                                                                    \
    "mov.u32 %r1, %t; and.b32 %r2, %t, 3; mov.u32 %r4, 0;\n"                                        \
    "L: setp.lt.u32 %p0, %r4, %r2;\n@%p0 add.u32 %r1, %r1, 3;\n@%p0 bra M;\nadd.u32 %r1, %r1, 5;\n" \
    "M: shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\nadd.u32 %r1, %r1, %r3; add.u32 %r4, %r4, 1;\n"     \
    "setp.lt.u32 %p1, %r4, 4;\n@%p1 bra L;"

static void threads_meet_at_rendezvous(void **state)
{
    const struct div_ops *probe = probe_find(*state);
    run_probe(probe, KERNEL(EXCHANGE), &(struct shape){"tiny", NULL, 2, 32});
    run_probe(probe, KERNEL(EXCHANGE), &(struct shape){"fermi", NULL, 2, 64});
    run_probe(probe, KERNEL(EXCHANGE), &sliced);
}

/* Blocks of 20 threads in warps of 8: the last warp of each is half full, at the same slots or not. */
#define BARRIERS                                                                                        \
    "mov.u32 %r1, %t; mov.u32 %r4, 0;\nL: and.b32 %r2, %r1, 1; setp.eq.u32 %p0, %r2, 0;\n@%p0 bra X;\n" \
    "mad.lo.u32 %r1, %r1, 3, 1;\nbra J;\nX: shr.u32 %r1, %r1, 1;\nJ: bar.sync 0;\n"                     \
    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 6;\n@%p1 bra L;"

static void strands_of_several_blocks_pass_barriers(void **state)
{
    (void)state;
    assert_true(count_of_probe(&probe_regroup, KERNEL(BARRIERS), &two_blocks, "mixed") > 0);
    assert_true(count_of_probe(&probe_regroup, KERNEL(BARRIERS), &two_rows_each, "mixed") > 0);
    assert_true(count_of_probe(&probe_regroup, KERNEL(BARRIERS), &sliced, "joined") > 0);
}

static void gangs_merge_in_ticks(void **state)
{
    (void)state;
    assert_true(count_of_probe(&probe_gangs, KERNEL(BARRIERS), &two_blocks, "merges") > 0);
    assert_true(count_of_probe(&probe_gangs, KERNEL(BARRIERS), &sliced, "merges") > 0);
}

/* In a divergent region each thread loads from a line of its own, of which the even ones are in the cache. */
#define LINES                                                                                                \
    "and.b32 %r2, %t, 1; setp.eq.u32 %p0, %r2, 0; mov.u32 %r1, %t; mul.wide.u32 %a2, %t, 128; add.u64 %a2, " \
    "%a2, %a0;\n"                                                                                            \
    "mov.u32 %r3, 0;\n@%p0 ld.global.u32 %r3, [%a2];\nadd.u32 %r1, %r1, %r3; setp.eq.u32 %p1, %t, 3;\n"      \
    "@%p1 bra J;\nld.global.u32 %r3, [%a2];\nadd.u32 %r1, %r1, %r3; add.u32 %r1, %r1, 1;\nJ: add.u32 %r1, "  \
    "%r1, 2;"

static void threads_whose_data_is_there_run_ahead(void **state)
{
    (void)state;
    assert_true(count_of_probe(&probe_barriers, KERNEL(LINES), &(struct shape){"fermi", NULL, 1, 32}, "ran_ahead") > 0);
}

/* Even threads wait at a block barrier for the odd ones, which wait at J for them, and come to a barrier
 * behind it. The branch to J resolves long after the machine went idle. */
#define STUCK                                                                                              \
    "and.b32 %r2, %t, 1; setp.eq.u32 %p0, %r2, 0; mov.u32 %r1, 7;\n@%p0 bra X;\n"                          \
    "ld.global.u32 %r3, [%a1];\nadd.u32 %r1, %r1, %r3;\nbra J;\nX: barrier.sync 0;\nJ: add.u32 %r1, %r1, " \
    "1;\n"                                                                                                 \
    "@%p0 bra E;\nbarrier.sync 0;\nE: add.u32 %r1, %r1, %r2;"

/* The same, but here the even threads come last, and nothing is under way when they wait. */
#define STUCK_LATE                                                                    \
    "and.b32 %r2, %t, 1; setp.eq.u32 %p0, %r2, 0; mov.u32 %r1, 7;\n@%p0 bra X;\n"     \
    "bra J;\nX: ld.global.u32 %r3, [%a1];\nadd.u32 %r1, %r1, %r3;\nbarrier.sync 0;\n" \
    "J: add.u32 %r1, %r1, 1;\n@%p0 bra E;\nbarrier.sync 0;\nE: add.u32 %r1, %r1, %r2;"

static void barriers_that_can_never_open_are_broken(void **state)
{
    (void)state;
    assert_true(count_of_probe(&probe_barriers, KERNEL(STUCK), &tiny_warp, "broken") > 0);
    assert_true(count_of_probe(&probe_barriers, KERNEL(STUCK_LATE), &tiny_warp, "broken") > 0);
    assert_true(count_of_probe(&probe_barriers, KERNEL(STUCK), &(struct shape){"fermi", NULL, 2, 64}, "broken") > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(threads_that_a_guard_lets_pass_go_on, "probe-regroup"),
        cmocka_unit_test_prestate(threads_that_a_guard_lets_pass_go_on, "probe-gangs"),
        cmocka_unit_test_prestate(threads_that_a_guard_lets_pass_go_on, "probe-barriers"),
        cmocka_unit_test_prestate(threads_meet_at_rendezvous, "probe-regroup"),
        cmocka_unit_test_prestate(threads_meet_at_rendezvous, "probe-gangs"),
        cmocka_unit_test_prestate(threads_meet_at_rendezvous, "probe-barriers"),
        cmocka_unit_test(strands_of_several_blocks_pass_barriers),
        cmocka_unit_test(gangs_merge_in_ticks),
        cmocka_unit_test(threads_whose_data_is_there_run_ahead),
        cmocka_unit_test(barriers_that_can_never_open_are_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
