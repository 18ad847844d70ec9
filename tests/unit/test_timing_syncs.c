/*
 * Instructions of an ISA-controlled call-return stack (div/parts/stack_code.h): how many a program issues and fetches under
 * pdom, ws and vws, and what they take.
 */
#include "timing_bench.h"

#define MOV "mov.u32 %r1, 1;\n"
#define IF_ELSE(test) \
    test "@%p1 bra L; // branch\n" MOV "bra J;\nL: mov.u32 %r2, 1; // last of the path\nJ: mov.u32 %r3, 1; // joint\n"
#define BOTH_JUMP(test) test "@%p1 bra L;\n" MOV "bra J;\nL: mov.u32 %r2, 1;\nbra J;\nJ: mov.u32 %r3, 1;\n"
#define IF(test)        test "@%p1 bra J;\n" MOV "J: mov.u32 %r3, 1;\n"
#define BY_HALF         "setp.lt.u32 %p1, %t, 16;\n"
#define BY_LANE         "and.b32 %r0, %t, 1;\nsetp.eq.u32 %p1, %r0, 0;\n"
#define BY_NOBODY       "setp.gt.u32 %p1, %t, 99;\n"
#define BY_BLOCK        "mov.u32 %r9, %ctaid.x;\nsetp.eq.u32 %p1, %r9, 0;\n"
#define TRIPS           "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %t;\n@%p1 bra L;\nmov.u32 %r2, 1;\n"
#define TWO_TESTS       BY_HALF "@%p1 bra J;\n" MOV "setp.lt.u32 %p2, %t, 24;\n@%p2 bra J;\n" MOV "J: mov.u32 %r3, 1;\n"
#define IN_A_LOOP                                                                                            \
    "mov.u32 %r1, 0;\nH: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %t, 16;\n@%p1 bra J;\nmov.u32 %r2, 1;\nJ:\n" \
    "setp.lt.u32 %p2, %r1, 3;\n@%p2 bra H;\n"

#define POINT_IS_BRANCH(test) \
    BY_NOBODY "mov.pred %p2, %p1;\n" test "@%p1 bra L;\n" MOV "bra J;\nL:" MOV "J: @%p2 bra K;\n" MOV "K:" MOV

static const struct count_case {
    const char *body, *mechanism;
    int syncs, pushes;
} cases[] = {
    /* Each path that comes to the reconvergence point issues the sync; a warp that does not diverge is one path. */
    {IF_ELSE(BY_HALF), "pdom", 2, 1},
    {IF_ELSE(BY_NOBODY), "pdom", 1, 1},
    {IF(BY_HALF), "pdom", 1, 1}, /* the branch sends the others to the point */
    /* A branch that is proved uniform, or promised to be, has no instructions of the stack. */
    {IF_ELSE(BY_BLOCK), "pdom", 0, 0},
    {BY_HALF "mov.pred %p1, %p1;\nsetp.gt.u32 %p1, %t, 99;\n@%p1 bra.uni J;\n" MOV "J: mov.u32 %r3, 1;\n", "pdom", 0,
     0},
    /* Threads leave the loop in 31 iterations; the push is ahead of the loop. */
    {TRIPS, "pdom", 1, 1},
    {TWO_TESTS, "pdom", 1, 1}, /* two branches with one point share the push */
    {IN_A_LOOP, "pdom", 3, 3}, /* three iterations, in each of them the point is inside the loop */
    /* A gang issues once for all its members, a slice warp for itself. */
    {IF_ELSE(BY_NOBODY), "vws", 1, 1},
    {IF_ELSE(BY_HALF), "vws", 2, 1},
    {IF_ELSE(BY_LANE), "vws", 2, 1},    /* eight stacks with two paths each: all pop at once, and go on together */
    {BOTH_JUMP(BY_LANE), "pdom", 2, 1}, /* paths that come by a branch, not in a straight line */
    {BOTH_JUMP(BY_LANE), "vws", 2, 1},
    /* The point of one branch is another branch: each path issues the sync, and only the threads that have reconverged
     * the push behind it. */
    {POINT_IS_BRANCH(BY_HALF), "pdom", 3, 2},
    {POINT_IS_BRANCH(BY_LANE), "vws", 3, 2},
    {IF_ELSE(BY_NOBODY), "ws", 8, 8},
    {IF_ELSE(BY_HALF), "ws", 8, 8},
    {IF_ELSE(BY_LANE), "ws", 16, 8},
    {TRIPS, "ws", 8, 8},
    {IF_ELSE(BY_HALF), "bcc", 2, 1},
    {IF_ELSE(BY_HALF), "tbc", 0, 0}, /* no stack per warp */
};

/* The instructions take a fetch each, and are not among the program's. */
static void each_path_issues_a_sync(void **state)
{
    (void)state;
    static const char *const kinds[] = {"none", "sync", "push-sync"};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        uint64_t fetches = 0, threads = 0, warps = 0;
        for (int kind = 0; kind < 3; kind++) {
            struct timing t;
            timing_open(&t, &(struct timing_case){.body = cases[i].body, .mechanism = cases[i].mechanism},
                        "sm.fetch=icache sm.ibuffer=1 sm.stack_syncs=%s", kinds[kind]);
            int expected = (kind > 0 ? cases[i].syncs : 0) + (kind > 1 ? cases[i].pushes : 0);
            if (count_of(&t, "sm.syncs") != (uint64_t)expected)
                fail_msg("case %zu, %s: %d instructions, not %d", i, kinds[kind], (int)count_of(&t, "sm.syncs"),
                         expected);
            if (!kind) {
                fetches = count_of(&t, "sm.fetches");
                threads = count_of(&t, "sm.thread_instructions");
                warps = count_of(&t, "sm.warp_instructions");
            }
            assert_int_equal(count_of(&t, "sm.fetches"), fetches + (uint64_t)expected);
            assert_int_equal(count_of(&t, "sm.thread_instructions"), threads);
            assert_int_equal(count_of(&t, "sm.warp_instructions"), warps);
            timing_close(&t);
        }
    }
}

/* A buffer that holds the whole program is filled once: the instructions of the stack are taken from it, too. */
static void instructions_of_the_stack_come_from_the_buffer(void **state)
{
    (void)state;
    static const char *const kinds[] = {"none", "sync", "push-sync"};
    for (int kind = 0; kind < 3; kind++) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = IF(BY_NOBODY)},
                    "sm.fetch=icache sm.ibuffer=16 sm.decode_width=16 sm.stack_syncs=%s", kinds[kind]);
        assert_int_equal(count_of(&t, "sm.fetches"), 1);
        assert_int_equal(count_of(&t, "sm.syncs"), kind);
        timing_close(&t);
    }
}

/* A sync and a push take an issue slot each. */
static void an_instruction_of_the_stack_takes_a_slot(void **state)
{
    (void)state;
    static const char *const kinds[] = {"none", "sync", "push-sync"};
    for (int kind = 0; kind < 3; kind++) {
        struct timing t;
        timing_open(&t,
                    &(struct timing_case){.body = IF_ELSE(BY_HALF "mov.u32 %r4, %r1;\nadd.u32 %r5, %r4, 1;\n"
                                                                  "add.u32 %r6, %r5, 1; // early\n")},
                    "sm.stack_syncs=%s", kinds[kind]);
        /* The first path ends; the other one issues `mov` and, in the next cycle, a branch that takes 4 cycles. Both
         * paths issue a sync, if there is one. */
        assert_int_equal(between(&t, "last of the path", "joint"), 1 + 1 + 4 + (kind ? 2 : 0));
        /* Nobody waits here but for the slot: the branch needs a register that is long written. */
        assert_int_equal(between(&t, "early", "branch"), kind == 2 ? 2 : 1);
        timing_close(&t);
    }
}

/* Code has the instructions of the stack between the program's. A line has room for 16 of both: of programs of 15 and 16
 * instructions, those with a sync and a push that no longer fit have two lines. */
static void instructions_of_the_stack_have_places_in_the_code(void **state)
{
    (void)state;
    static const char *const kinds[] = {"none", "sync", "push-sync"}, *const bodies[] = {
                                                                          MOV MOV MOV MOV MOV MOV MOV MOV IF(BY_NOBODY),
                                                                          MOV MOV MOV MOV MOV MOV MOV MOV MOV IF(
                                                                              BY_NOBODY)};
    static const int lines[2][3] = {{1, 1, 2}, {1, 2, 2}};
    for (int i = 0; i < 6; i++) {
        struct timing t;
        timing_open(&t, &(struct timing_case){.body = bodies[i / 3]}, "sm.fetch=icache sm.ibuffer=1 sm.stack_syncs=%s",
                    kinds[i % 3]);
        assert_int_equal(count_of(&t, "instruction.misses"), lines[i / 3][i % 3]);
        timing_close(&t);
    }
}

/* Gangs of one warp wait for each other at the sync instruction (section 6.4), and issue it together. They do not wait at
 * the end of a branch that is uniform, where there is none. */
static void gangs_wait_at_the_sync_instruction(void **state)
{
    (void)state;
    static const struct {
        const char *body, *kind;
        int waits, merges, syncs;
    } waits[] = {
        {BY_HALF "@%p1 bra L;\n" MOV MOV MOV "bra J;\nL: mov.u32 %r2, 1;\nJ: mov.u32 %r3, 1;\n", "sync", 2, 1, 1},
        {BY_HALF "@%p1 bra L;\n" MOV MOV MOV "bra J;\nL: mov.u32 %r2, 1;\nJ: mov.u32 %r3, 1;\n", "none", 2, 1, 0},
    };
    for (size_t i = 0; i < COUNTOF(waits); i++) {
        struct timing t;
        timing_open(
            &t, &(struct timing_case){.body = waits[i].body, .mechanism = "vws", .knobs = "reform=yes sync_cycles=100"},
            "sm.stack_syncs=%s", waits[i].kind);
        assert_int_equal(count_of(&t, "vws.waits"), waits[i].waits);
        assert_int_equal(count_of(&t, "vws.timeouts"), 0);
        assert_int_equal(count_of(&t, "vws.merges"), waits[i].merges);
        assert_int_equal(count_of(&t, "sm.syncs"), waits[i].syncs);
        timing_close(&t);
    }
}

/* The first gang has issued its sync and waits for a register at the point; the other one comes there, fetches
 * its own sync for some cycles, and merges with the first only when it has issued it. */
static void gangs_ahead_of_a_sync_and_behind_it_do_not_merge(void **state)
{
    (void)state;
    const struct timing_case c = {.body = BY_HALF "sqrt.approx.f32 %f1, %f0;\n@%p1 bra L;\n" MOV MOV MOV "bra J;\n"
                                                  "L: mov.u32 %r2, 1;\nJ: mov.f32 %f2, %f1; // joint\n",
                                  .mechanism = "vws",
                                  .knobs = "reform=yes"};
    struct timing t;
    timing_open(&t, &c,
                "sm.fetch=icache sm.ibuffer=1 mem.instruction_latency=6 sm.stack_syncs=sync sm.sfu_latency=200");
    assert_int_equal(count_of(&t, "sm.syncs"), 2);
    assert_int_equal(count_of(&t, "vws.merges"), 1);
    assert_int_equal(find_issue(&t, "joint", ANY_STRAND, 0)->threads, 32);
    timing_close(&t);
}

/* Slices 0 to 3 have two paths each, and the others run another way for long. The gang of the first four waits at the sync
 * with each path, then goes on; it does not wait again where its paths have reconverged. Its last wait is at the end. */
static void a_gang_waits_once_per_sync(void **state)
{
    (void)state;
    char body[2048];
    struct timing t;
    int length =
        snprintf(body, sizeof body,
                 "setp.ge.u32 %%p2, %%t, 16;\n@%%p2 bra W;\nand.b32 %%r0, %%t, 1;\nsetp.eq.u32 %%p1, %%r0, 0;\n"
                 "@%%p1 bra L;\n%sbra J;\nL: mov.u32 %%r2, 1;\nJ: mov.u32 %%r3, 1;\nbra E;\nW:\n",
                 MOV);
    for (int i = 0; i < 60; i++)
        length += snprintf(body + length, sizeof body - (size_t)length, "%s", MOV);
    snprintf(body + length, sizeof body - (size_t)length, "E: mov.u32 %%r4, 1;\n");
    timing_open(&t, &(struct timing_case){.body = body, .mechanism = "vws", .knobs = "reform=yes sync_cycles=10"},
                "sm.stack_syncs=sync");
    assert_int_equal(count_of(&t, "vws.waits"), 3);
    assert_int_equal(count_of(&t, "vws.timeouts"), 3);
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_path_issues_a_sync),
        cmocka_unit_test(an_instruction_of_the_stack_takes_a_slot),
        cmocka_unit_test(instructions_of_the_stack_have_places_in_the_code),
        cmocka_unit_test(gangs_wait_at_the_sync_instruction),
        cmocka_unit_test(instructions_of_the_stack_come_from_the_buffer),
        cmocka_unit_test(gangs_ahead_of_a_sync_and_behind_it_do_not_merge),
        cmocka_unit_test(a_gang_waits_once_per_sync),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
