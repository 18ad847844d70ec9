/*
 * Variable warp sizing on a machine, on small kernels: who is faster, who fetches less, and why. All on the machine of the
 * paper, with as many threads as it holds. The bench runs each kernel also on the engine, and visiting every cycle.
 */
#include "div/table.h"
#include "timed_bench.h"

/* ---- kernels ---- */

/* A thread looks a word up, the four of a slice the same one, in one of 1024 lines, and waits for it; then it sums words of
 * four rows of 4 KB, 32 times. A warp's words of a row are one line, and the rows stay in the L1. */
#define STREAM                                                                                                  \
    HEADER ".global .align 128 .b8 table[262144];\n"                                                            \
           ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p; .reg .b32 %t, %r<9>; .reg .b64 %a<6>;\n"      \
           "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mov.u32 %r0, %ctaid.x; mad.lo.u32 %t, %r0, 256, %t;\n" \
           "mul.wide.u32 %a1, %t, 4; add.u64 %a0, %a0, %a1; mov.u64 %a2, table; add.u64 %a1, %a2, %a1;\n"       \
           "mov.u32 %r0, 32; mov.u32 %r1, 0; shr.u32 %r3, %t, 2; add.u64 %a2, %a2, 131072;\n"                   \
           "mad.lo.u32 %r3, %r3, 1664525, 1013904223; shr.u32 %r4, %r3, 22; mul.wide.u32 %a4, %r4, 128;\n"      \
           "add.u64 %a4, %a4, %a2; ld.global.u32 %r5, [%a4]; add.u32 %r0, %r0, %r5;\n"                          \
           "L: ld.global.u32 %r2, [%a1]; ld.global.u32 %r3, [%a1+4096]; ld.global.u32 %r4, [%a1+8192];\n"       \
           "ld.global.u32 %r5, [%a1+12288]; add.u32 %r1, %r1, %r2; add.u32 %r6, %r3, %r4;\n"                    \
           "add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r6;\n"                                                    \
           "sub.u32 %r0, %r0, 1; setp.ne.u32 %p, %r0, 0; @%p bra L;\n"                                          \
           "st.global.u32 [%a0], %r1; ret;\n}\n"

#define WORK4  "mad.lo.u32 %r1, %r1, 33, %r2; xor.b32 %r1, %r1, %t; mad.lo.u32 %r1, %r1, 31, %r2; xor.b32 %r1, %r1, 7;\n"
#define WORK16 WORK4 WORK4 WORK4 WORK4

/* Four neighbours, a slice, go one of eight ways, each with work of its own. */
#define MANY_PATHS                                                                                      \
    KERNEL("T: .branchtargets A, B, C, D, E, F, G, H;\n"                                                \
           "mov.u32 %r1, 0; mov.u32 %r2, 5; shr.u32 %r3, %t, 2; and.b32 %r3, %r3, 7; brx.idx %r3, T;\n" \
           "A: " WORK16 "bra J;\nB: " WORK16 "bra J;\nC: " WORK16 "bra J;\nD: " WORK16 "bra J;\n"       \
           "E: " WORK16 "bra J;\nF: " WORK16 "bra J;\nG: " WORK16 "bra J;\nH: " WORK16 "J:")

/* Eight rounds; in each, a slice goes one of two ways by a hash of its number and the round. The ways are as long as the
 * given works. */
#define ROUNDS(one, other)                                                                                    \
    KERNEL("mov.u32 %r1, 0; mov.u32 %r2, 5; shr.u32 %r3, %r0, 2; mov.u32 %r4, 8;\n"                           \
           "mad.lo.u32 %r3, %r3, 747796405, 277803737;\n"                                                     \
           "L: mad.lo.u32 %r3, %r3, 1664525, 1013904223; and.b32 %r5, %r3, 65536; setp.ne.u32 %p0, %r5, 0;\n" \
           "@%p0 bra A;\n" other "bra J;\nA: " one "J: sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;")

/* The same for each thread, so that slices part too, and leave the rounds at different times. */
#define COINS                                                                                                 \
    KERNEL("mov.u32 %r1, 0; mov.u32 %r2, 5; mov.u32 %r4, 8; mad.lo.u32 %r3, %r0, 747796405, 277803737;\n"     \
           "L: mad.lo.u32 %r3, %r3, 1664525, 1013904223; and.b32 %r5, %r3, 65536; setp.ne.u32 %p0, %r5, 0;\n" \
           "@%p0 bra A;\n" WORK16 "bra J;\nA: " WORK16 "J: sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;")

/* ---- runs ---- */

struct run {
    uint64_t cycles, accesses, fetches, splits, merges;
};

static struct run run_it(const char *kernel, const char *mechanism, const char *knobs, const char *settings)
{
    struct timed t;
    timed_open(&t, kernel,
               &(struct timed_case){.machine = "vws",
                                    .settings = settings,
                                    .mechanism = div_find(mechanism),
                                    .knobs = knobs,
                                    .blocks = 4,
                                    .threads = 256});
    bool has_gangs = !strcmp(mechanism, "vws");
    struct run r = {.cycles = t.result.cycles,
                    .accesses = timed_count(&t, "l1d.accesses"),
                    .fetches = timed_count(&t, "sm.fetches"),
                    .splits = has_gangs ? timed_count(&t, "vws.splits") : 0,
                    .merges = has_gangs ? timed_count(&t, "vws.merges") : 0};
    timed_close(&t);
    return r;
}

static struct run run_vws(const char *kernel, const char *knobs)
{
    return run_it(kernel, "vws", knobs, "sm.scheduler=bgto");
}

static struct run run_ws(const char *kernel, const char *knobs)
{
    return run_it(kernel, "ws", knobs, NULL);
}

/* a is at least `percent` per cent more than b. */
static void expect_more(uint64_t a, uint64_t b, unsigned percent)
{
    if (a * 100 < b * (100 + percent))
        fail_msg("%llu is not %u %% more than %llu", (unsigned long long)a, percent, (unsigned long long)b);
}

static void expect_within(uint64_t a, uint64_t b, unsigned percent)
{
    if (a * 100 > b * (100 + percent) || a * (100 + percent) < b * 100)
        fail_msg("%llu is not within %u %% of %llu", (unsigned long long)a, percent, (unsigned long long)b);
}

/* ---- what narrow warps lose ---- */

/* Memory convergence slip: slices whose first word came at different times stay apart, and each takes the L1's port for what
 * was one line of a warp. A gang waits for all its slices' words and stays one. */
static void narrow_warps_lose_on_a_stream_and_gangs_do_not(void **state)
{
    (void)state;
    struct run whole = run_ws(STREAM, "width=32"), half = run_ws(STREAM, "width=8"), narrow = run_ws(STREAM, "width=4");
    struct run gangs = run_vws(STREAM, "");
    expect_more(half.accesses, whole.accesses, 100);
    expect_more(narrow.accesses, half.accesses, 25);
    expect_more(narrow.cycles, whole.cycles, 27);
    assert_int_equal(gangs.accesses, whole.accesses);
    assert_int_equal(gangs.splits, 0);
    /* As fast as whole warps, if gangs fetch as seldom. Whole warps fetch once per cycle and in turns, which keeps
     * warps with one decoded instruction each together; gangs with eight ports get ahead of each other, and meet fewer
     * lines. */
    expect_within(run_vws(STREAM, "fetch_ports=1").cycles, whole.cycles, 2);
    expect_within(gangs.cycles, whole.cycles, 8);
}

/* Each slice warp fetches for itself; a gang once for all. */
static void narrow_warps_fetch_as_many_times_as_they_are_narrower(void **state)
{
    (void)state;
    uint64_t whole = run_ws(STREAM, "width=32").fetches;
    assert_int_equal(run_ws(STREAM, "width=16").fetches, 2 * whole);
    assert_int_equal(run_ws(STREAM, "width=8").fetches, 4 * whole);
    assert_int_equal(run_ws(STREAM, "width=4").fetches, 8 * whole);
    assert_int_equal(run_vws(STREAM, "").fetches, whole);
    assert_int_equal(run_vws(STREAM, "reform=yes").fetches, whole);
}

/* The first word again: a gang that splits since it came in parts loses what narrow warps lose. Slices whose words came
 * together stay together, and lose less. */
static void splitting_on_memory_loses_on_a_stream(void **state)
{
    (void)state;
    struct run whole = run_vws(STREAM, ""), group = run_vws(STREAM, "split=group");
    struct run alone = run_vws(STREAM, "split=impatient");
    expect_more(group.cycles, whole.cycles, 22);
    expect_more(alone.cycles, group.cycles, 10);
    expect_more(group.fetches, whole.fetches, 41);
    expect_more(alone.fetches, group.fetches, 10);
}

/* ---- what they gain ---- */

/* A warp runs eight paths one after the other, slices run them side by side. */
static void many_paths_run_side_by_side(void **state)
{
    (void)state;
    struct run whole = run_ws(MANY_PATHS, "width=32"), half = run_ws(MANY_PATHS, "width=8");
    struct run narrow = run_ws(MANY_PATHS, "width=4"), gangs = run_vws(MANY_PATHS, "");
    expect_more(whole.cycles, half.cycles, 100);
    expect_more(half.cycles, narrow.cycles, 20);
    expect_more(whole.cycles, gangs.cycles, 200);
    expect_more(narrow.fetches, gangs.fetches, 20); /* before the paths part it is one gang that fetches */
}

/* Slices of eight give more than half of what slices of four give. */
static void wider_slices_gain_less(void **state)
{
    (void)state;
    uint64_t whole = run_ws(MANY_PATHS, "width=32").cycles;
    uint64_t narrow = run_vws(MANY_PATHS, "").cycles, wide = run_vws(MANY_PATHS, "width=8").cycles;
    assert_true(narrow < wide);
    expect_more(whole - wide, (whole - narrow) / 2, 0);
}

/* Modes lock the width. */
static void modes_are_the_two_widths(void **state)
{
    (void)state;
    assert_int_equal(run_it(COINS, "vws", "mode=gang fetch_ports=1", NULL).cycles, run_ws(COINS, "width=32").cycles);
    assert_int_equal(run_it(COINS, "vws", "mode=slice", NULL).cycles, run_ws(COINS, "width=4").cycles);
    assert_int_equal(run_it(COINS, "pdom", NULL, NULL).cycles, run_ws(COINS, "width=32").cycles);
}

/* ---- gangs ---- */

/* Sides of one length bring slices back to one PC. Together they fetch once. */
static void gangs_that_form_again_fetch_less(void **state)
{
    (void)state;
    struct run apart = run_vws(ROUNDS(WORK16, WORK16), ""), again = run_vws(ROUNDS(WORK16, WORK16), "reform=yes");
    struct run waits = run_vws(ROUNDS(WORK16, WORK16), "reform=yes sync_cycles=80"); /* two rounds of visits */
    assert_int_equal(apart.merges, 0);
    expect_more(apart.fetches, again.fetches, 50);
    assert_true(again.fetches > waits.fetches);
    expect_more(waits.cycles, again.cycles, 1); /* what they wait for is worth less than the wait */
    expect_within(again.cycles, apart.cycles, 5);
}

/* A cycle that two little gangs take leaves most slices empty, and few singletons are there to fill them. */
static void little_gangs_first_is_worse(void **state)
{
    (void)state;
    struct run big = run_it(COINS, "vws", "", "sm.scheduler=bgto"),
               little = run_it(COINS, "vws", "", "sm.scheduler=lgto");
    expect_more(little.cycles, big.cycles, 15);
    assert_int_equal(little.fetches, big.fetches); /* what splits does not depend on the scheduler */
}

/* With one gang a cycle, most slices wait for it; more than two seldom fit. */
static void two_gangs_a_cycle_are_enough(void **state)
{
    (void)state;
    struct run one = run_vws(COINS, "gangs=1"), two = run_vws(COINS, ""), any = run_vws(COINS, "gangs=4");
    expect_more(one.cycles, two.cycles, 10);
    expect_within(any.cycles, two.cycles, 3);
}

/* ---- over time ---- */

struct sizes {
    uint64_t threads, slices; /* so far: resident threads and slice warps in gangs of any size, times cycles */
    int intervals;
};

static void note_sizes(void *context, uint64_t cycle, const struct stat_result *so_far)
{
    struct sizes *s = context;
    bool found;
    uint64_t slices = 0;
    (void)cycle;
    for (int size = 1; size <= 8; size++) {
        char path[16];
        snprintf(path, sizeof path, "vws.in_%d", size);
        slices += stat_get(so_far, path, &found);
        assert_true(found);
    }
    uint64_t threads = stat_get(so_far, "sm.resident_thread_cycles", &found);
    assert_int_equal(4 * (slices - s->slices), threads - s->threads);
    s->slices = slices;
    s->threads = threads;
    s->intervals++;
}

/* The eight slice warps of a warp are in gangs of some size in every cycle of every interval, also while all of them wait
 * for memory and nobody visits the multiprocessor. */
static void gang_sizes_are_known_over_time(void **state)
{
    (void)state;
    struct bench b;
    struct timed t;
    union timed_knobs knobs;
    struct sizes sizes = {0};
    struct timed_case c = {.machine = "vws", .mechanism = div_find("vws"), .blocks = 1, .threads = 32};
    struct machine *machine = timed_machine(&c);
    timed_set_knobs(&c, &knobs);
    struct gpu_run run = {.machine = machine,
                          .mechanism = c.mechanism,
                          .mechanism_knobs = &knobs,
                          .watch = {&sizes, 50, note_sizes, NULL}};
    open_bench(&b, STREAM);
    timed_launch(&b, &run, &t);
    assert_true(sizes.intervals > 20);
    timed_close(&t);
    machine_free(machine);
    close_bench(&b);
}

/* ---- instruction supply ---- */

/* Singletons of eight paths want eight fetches a cycle. An L0 a slice has the loop, and two ports do for the rest. */
static void an_l0_makes_up_for_ports_of_the_l1(void **state)
{
    (void)state;
    static const char *const bgto = "sm.scheduler=bgto", *const l0 = "sm.scheduler=bgto sm.l0_bytes=256";
    uint64_t all = run_it(ROUNDS(WORK4, WORK16), "vws", "fetch_ports=8", bgto).cycles;
    uint64_t two = run_it(ROUNDS(WORK4, WORK16), "vws", "fetch_ports=2", bgto).cycles;
    uint64_t one = run_it(ROUNDS(WORK4, WORK16), "vws", "fetch_ports=1", bgto).cycles;
    expect_more(two, all, 30);
    expect_more(one, two, 30);
    expect_within(run_it(ROUNDS(WORK4, WORK16), "vws", "fetch_ports=2", l0).cycles, all, 12);
    expect_within(run_it(STREAM, "vws", "fetch_ports=1", bgto).cycles,
                  run_it(STREAM, "vws", "fetch_ports=8", bgto).cycles, 8);
}

/* Eight paths miss in an L1 instruction cache that waits for one line at a time: slices wait for it and for each other. The
 * bench holds that to be the same whether or not the cycles in between are visited. */
static void slices_that_wait_for_lines_wait_as_long_unvisited(void **state)
{
    (void)state;
    static const char *const machines[] = {
        "mem.instruction_mshrs=1 mem.instruction_merges=1 mem.instruction_bytes=512 mem.instruction_ways=1",
        "mem.instruction_mshrs=2 mem.instruction_merges=2 mem.instruction_bytes=1K mem.instruction_ways=2 "
        "sm.l0_bytes=256"};
    for (int i = 0; i < 2; i++) {
        uint64_t usual = run_it(MANY_PATHS, "ws", "", NULL).cycles;
        expect_more(run_it(MANY_PATHS, "ws", "", machines[i]).cycles, usual, 5);
        expect_more(run_it(MANY_PATHS, "vws", "", machines[i]).cycles, usual, 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_warps_lose_on_a_stream_and_gangs_do_not),
        cmocka_unit_test(narrow_warps_fetch_as_many_times_as_they_are_narrower),
        cmocka_unit_test(splitting_on_memory_loses_on_a_stream),
        cmocka_unit_test(many_paths_run_side_by_side),
        cmocka_unit_test(wider_slices_gain_less),
        cmocka_unit_test(modes_are_the_two_widths),
        cmocka_unit_test(gangs_that_form_again_fetch_less),
        cmocka_unit_test(little_gangs_first_is_worse),
        cmocka_unit_test(two_gangs_a_cycle_are_enough),
        cmocka_unit_test(gang_sizes_are_known_over_time),
        cmocka_unit_test(an_l0_makes_up_for_ports_of_the_l1),
        cmocka_unit_test(slices_that_wait_for_lines_wait_as_long_unvisited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
