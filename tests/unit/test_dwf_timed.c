/*
 * dwf and dwf-wb on a pipeline, under every scheduling policy: kernels with barriers and rendezvous leave the memory
 * that the engine leaves, in the same time whether or not idle cycles are visited; and the starvation eddy that warp
 * barriers confine.
 */
#include "div/table.h"
#include "sched/sched.h"
#include "timed_bench.h"

/* How often the last store issued. */
static uint64_t last_stores(const char *text, const struct timed_case *c)
{
    struct timed t;
    timed_open(&t, text, c);
    uint64_t issues = t.result.sites[t.pcs - 2].issues;
    timed_close(&t);
    return issues;
}

static uint64_t eddy_stores(const char *text, const char *mechanism, const char *policy)
{
    return last_stores(text, &(struct timed_case){"tiny", policy, div_find(mechanism), NULL, 1, 8});
}

/* Two warps of four; thread 3 of each takes the other side, which is as long. */
#define EDDY                                                                       \
    "and.b32 %r2, %t, 3; setp.eq.u32 %p0, %r2, 3; mov.u32 %r1, %t;\n@%p0 bra C;\n" \
    "B: add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 2; add.u32 %r1, %r1, 3; bra D;\n"   \
    "C: add.u32 %r1, %r1, 4; add.u32 %r1, %r1, 5; add.u32 %r1, %r1, 6;\n"          \
    "D: add.u32 %r1, %r1, 7;"

/* Most threads are at B, so majority lets those at C wait until B's have ended. Behind D two strands hold three threads
 * each, and then two hold one each; with a warp barrier at D, as with a stack, two hold all. */
static void threads_that_fall_behind_do_not_meet_again(void **state)
{
    (void)state;
    assert_int_equal(eddy_stores(KERNEL(EDDY), "dwf", "sm.scheduler=majority"), 4);
    assert_int_equal(eddy_stores(KERNEL(EDDY), "dwf-wb", "sm.scheduler=majority"), 2);
    assert_int_equal(eddy_stores(KERNEL(EDDY), "pdom", "sm.scheduler=majority"), 2);
}

/* Those at C have passed fewer reconvergence points than those at D: of those, one strand waits for them to join it. */
static void threads_that_fall_behind_go_first_where_keys_are_ordered(void **state)
{
    (void)state;
    assert_int_equal(eddy_stores(KERNEL(EDDY), "dwf", "sm.scheduler=pdom-priority"), 3);
}

/* A loop that threads leave at different times, a barrier, and a vote. */
#define MEETINGS                                                                                    \
    "and.b32 %r2, %t, 7; mov.u32 %r1, 0;\n"                                                         \
    "L: add.u32 %r1, %r1, %r2; setp.eq.u32 %p0, %r2, 0; @%p0 bra M; sub.u32 %r2, %r2, 1; bra L;\n"  \
    "M: st.global.u32 [%a1], %r1;\nbarrier.sync 0;\n"                                               \
    "sub.u32 %r3, %n, 1; sub.u32 %r3, %r3, %t; sub.u32 %r4, %r0, %t; add.u32 %r3, %r3, %r4;\n"      \
    "mul.wide.u32 %a2, %r3, 4; add.u64 %a2, %a2, %a0; ld.global.u32 %r5, [%a2];\nbarrier.sync 0;\n" \
    "and.b32 %r6, %t, 1; setp.eq.u32 %p1, %r6, 0;\n@%p1 bra E;\nadd.u32 %r5, %r5, 3;\n"             \
    "E: shfl.sync.bfly.b32 %r7, %r5, 1, 31, -1;\nadd.u32 %r1, %r1, %r7;"

static void barriers_and_rendezvous_open_under_every_policy(void **state)
{
    const struct div_ops *mechanism = div_find(*state);
    for (const struct sched_ops *const *s = sched_all(); *s; s++) {
        char policy[64];
        snprintf(policy, sizeof policy, "sm.scheduler=%s", (*s)->name);
        last_stores(KERNEL(MEETINGS), &(struct timed_case){"tiny", policy, mechanism, NULL, 4, 64});
        last_stores(KERNEL(MEETINGS), &(struct timed_case){"fermi", policy, mechanism, "home=warp", 5, 96});
        last_stores(KERNEL(MEETINGS), &(struct timed_case){"fx5800", policy, mechanism, "home=simd", 5, 96});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_fall_behind_do_not_meet_again),
        cmocka_unit_test(threads_that_fall_behind_go_first_where_keys_are_ordered),
        cmocka_unit_test_prestate(barriers_and_rendezvous_open_under_every_policy, "dwf"),
        cmocka_unit_test_prestate(barriers_and_rendezvous_open_under_every_policy, "dwf-wb"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
