/*
 * Slices that a mechanism issues by themselves (ws, vws), to the cycle: shares of units, accesses that go as one, fetch.
 */
#include "timing_bench.h"

/* Two slice warps of four threads; the second takes the branch, and is ahead by the first's `mov`. */
#define APART "setp.ge.u32 %p1, %t, 4;\n@%p1 bra L;\nmov.u32 %r1, 1; // only the first\nL:\n"

/* A slice's share of a unit is busy for itself alone. */
static void slices_have_shares_of_units(void **state)
{
    (void)state;
    const struct timing_case c = {.body = APART "sqrt.approx.f32 %f1, %f0; // a\nsqrt.approx.f32 %f2, %f0; // b\n",
                                  .mechanism = "ws",
                                  .threads = 8};
    for (unsigned units = 1; units <= 2; units++) {
        struct timing t;
        timing_open(&t, &c, "sm.sfu_interval=9 sm.sfu_units=%u", units);
        assert_int_equal(issued_by(&t, "a", 0) - issued_by(&t, "a", 1), 1);
        for (int slice = 0; slice < 2; slice++)
            assert_int_equal(issued_by(&t, "b", slice) - issued_by(&t, "a", slice), units == 1 ? 9 : 1);
        timing_close(&t);
    }
}

/* Cycles from one side of a branch that the first `count` of twice as many threads take to the other side, of dwf on a datapath
 * of 8 lanes with slices of 4. */
static uint64_t between_sides(int count, const char *knobs)
{
    char body[256];
    struct timing t;
    snprintf(body, sizeof body,
             "setp.lt.u32 %%p0, %%t, %d;\n@%%p0 bra ELSE;\nmov.u32 %%r2, 1; // first\nbra JOIN;\n"
             "ELSE: mov.u32 %%r2, 2; // second\nJOIN: mov.u32 %%r3, 1;\n",
             count);
    const struct timing_case c = {.body = body, .mechanism = "dwf", .knobs = knobs, .threads = 2 * (uint32_t)count};
    timing_open(&t, &c, "sm.simd_width=8 sm.slice_lanes=4");
    uint64_t cycles = issued(&t, "second") - issued(&t, "first");
    timing_close(&t);
    return cycles;
}

/* Threads that are bound to a lane take its first free slot. Threads 0-3 and 4-7 are in two slices either way, and issue in one
 * cycle; threads 0-7 and 8-15 have the same lanes, and one group waits until the other's 4 passes are done. */
static void threads_bound_to_lanes_take_the_slices_of_these(void **state)
{
    (void)state;
    assert_int_equal(between_sides(4, "home=warp commits_per_cycle=0"), 0);
    assert_int_equal(between_sides(4, "home=simd commits_per_cycle=0"), 0);
    assert_int_equal(between_sides(8, "home=warp commits_per_cycle=0"), 0);
    assert_int_equal(between_sides(8, "home=simd commits_per_cycle=0"), 4);
}

/* There is one memory unit: what a slice does in shared memory keeps all. Four threads in one bank: four passes. */
static void slices_share_the_memory_unit(void **state)
{
    (void)state;
    const struct timing_case c = {
        .body = "mul.lo.u32 %r2, %t, 128;\n" APART "ld.shared.u32 %r3, [%r2]; // a\n", .mechanism = "ws", .threads = 8};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(issued_by(&t, "a", 0) - issued_by(&t, "a", 1), 4);
    timing_close(&t);
}

/* Slices that access shared memory in one cycle make one access, and their banks conflict jointly: eight slices, each
 * of which reads four words without a conflict of its own. `stride` is the distance of the slices in bytes. With 128,
 * all slices are in the same four banks: eight passes, of which each slice waits for those up to its own. With 16 there
 * is no conflict; with 0 all read the same words. */
static void slices_conflict_jointly(void **state)
{
    (void)state;
    static const struct {
        unsigned stride, passes;
    } cases[] = {{128, 8}, {64, 4}, {16, 1}, {0, 1}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char body[256];
        struct timing t;
        snprintf(body, sizeof body,
                 "shr.u32 %%r1, %%t, 2;\nand.b32 %%r2, %%t, 3;\nmul.lo.u32 %%r2, %%r2, 4;\nmad.lo.u32 %%r2, %%r1, %u, "
                 "%%r2;\n"
                 "ld.shared.u32 %%r3, [%%r2]; // a\nmov.u32 %%r4, %%r3; // needs\nld.shared.u32 %%r5, [%%r2]; // b\n",
                 cases[i].stride);
        timing_open(&t, &(struct timing_case){.body = body, .mechanism = "ws"}, "sm.shared_latency=20");
        uint64_t loads = issued_by(&t, "a", 0), first = UINT64_MAX, last = 0;
        for (int slice = 0; slice < 8; slice++) {
            uint64_t needs = issued_by(&t, "needs", slice);
            assert_int_equal(issued_by(&t, "a", slice), loads);
            first = needs < first ? needs : first;
            last = needs > last ? needs : last;
        }
        assert_int_equal(first, loads + 20);
        assert_int_equal(last, loads + 20 + cases[i].passes - 1);
        assert_int_equal(count_of(&t, "sm.shared_instructions"), 16);
        assert_true(count_of(&t, "sm.shared_passes") >= 2 * cases[i].passes);
        assert_true(count_of(&t, "sm.shared_passes") <=
                    t.result.cycles); /* one memory unit: a pass per cycle at most */
        timing_close(&t);
    }
}

/* Blocks have their own words: one address of two blocks is two words of one bank. The first slice of block 0 and the
 * second of block 1 are left, and the first waits for the second with a `mov`, so that both load in one cycle. */
static void blocks_share_no_word_of_shared_memory(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "mov.u32 %r0, %ctaid.x;\nshr.u32 %r1, %t, 2;\nsetp.ne.u32 %p0, %r0, %r1;\n"
                                          "@%p0 bra J;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra L;\nmov.u32 %r2, 1;\n"
                                          "L: ld.shared.u32 %r3, [0]; // load\nJ:\n",
                                  .mechanism = "ws",
                                  .blocks = 2,
                                  .threads = 8};
    struct timing t;
    timing_open(&t, &c, " ");
    assert_int_equal(issued_nth(&t, "load", ANY_STRAND, 0), issued_nth(&t, "load", ANY_STRAND, 1));
    assert_int_equal(count_of(&t, "sm.shared_passes"), 2);
    timing_close(&t);
}

/* A gang loads a line that is in the L1 for its first half, and not for its second. It splits when some members are
 * ready for its next instruction and others are not (section 4.4), not when data come: instructions that need no data
 * issue as a gang, and the gang is split where the data is needed. */
static void gangs_split_when_ready_bits_differ(void **state)
{
    (void)state;
    static const char *const splits[] = {"split=group", "split=impatient"};
    static const char *const bodies[] = {
        "mov.u32 %r5, 1;\nmov.u32 %r6, %r4; // needs\n",
        "sqrt.approx.f32 %f1, %f0;\nmov.f32 %f2, %f1; // between\nmov.u32 %r6, %r4; // needs\n"};
    for (int i = 0; i < 4; i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "and.b32 %%r3, %%t, 16; mul.wide.u32 %%a1, %%r3, 4096; add.u64 %%a1, %%a1, %%base;\n"
                 "ld.global.u32 %%r1, [%%base];\nmov.u32 %%r2, %%r1;\n"
                 "ld.global.u32 %%r4, [%%a1]; // load\n%s",
                 bodies[i / 2]);
        const struct timing_case c = {.body = body, .mechanism = "vws", .knobs = splits[i % 2]};
        struct timing t;
        /* The wait of `between` ends after the line of the first half has come, and before that of the second. */
        timing_open(&t, &c, "sm.scheduler=bgto sm.sfu_latency=%d", L1_HIT + 10);
        assert_int_equal(count_of(&t, "vws.memory_splits"), 1);
        if (i / 2) {
            assert_int_equal(find_issue(&t, "between", ANY_STRAND, 0)->threads, 32);
            assert_int_equal(issued_nth(&t, "needs", ANY_STRAND, 0), issued(&t, "between") + 1);
        }
        assert_int_equal(find_issue(&t, "needs", ANY_STRAND, 0)->threads, i % 2 ? 4 : 16);
        assert_true(issued_nth(&t, "needs", ANY_STRAND, i % 2 ? 7 : 1) - issued(&t, "load") >= ROW_HIT);
        timing_close(&t);
    }
}

/* No gang splits on data that no instruction waits for. */
static void gangs_do_not_split_on_data_alone(void **state)
{
    (void)state;
    const struct timing_case c = {
        .body = "and.b32 %r3, %t, 16; mul.wide.u32 %a1, %r3, 4096; add.u64 %a1, %a1, %base;\n"
                "ld.global.u32 %r1, [%base];\nmov.u32 %r2, %r1;\nld.global.u32 %r4, [%a1];\n"
                "div.rn.f64 %d1, %d0, %d0;\nmov.f64 %d2, %d1; // long\nmov.u32 %r6, %r4; // needs\n",
        .mechanism = "vws",
        .knobs = "split=impatient"};
    struct timing t;
    timing_open(&t, &c, "sm.scheduler=bgto sm.ddiv_latency=4000");
    assert_int_equal(count_of(&t, "vws.memory_splits"), 0);
    assert_int_equal(find_issue(&t, "needs", ANY_STRAND, 0)->threads, 32);
    timing_close(&t);
}

/* No gang splits while none of its members is ready: all wait for the division, and the data of all has come when the
 * division is done. */
static void gangs_do_not_split_while_all_members_wait(void **state)
{
    (void)state;
    const struct timing_case c = {.body =
                                      "and.b32 %r3, %t, 16; mul.wide.u32 %a1, %r3, 4096; add.u64 %a1, %a1, %base;\n"
                                      "ld.global.u32 %r1, [%base];\nadd.u32 %r2, %r1, 3;\nld.global.u32 %r4, [%a1];\n"
                                      "div.u32 %r5, %r3, %r2;\nadd.u32 %r6, %r4, %r5; // needs\n",
                                  .mechanism = "vws",
                                  .knobs = "split=impatient"};
    struct timing t;
    timing_open(&t, &c, "sm.scheduler=bgto sm.idiv_latency=4000");
    assert_int_equal(count_of(&t, "vws.memory_splits"), 0);
    assert_int_equal(find_issue(&t, "needs", ANY_STRAND, 0)->threads, 32);
    timing_close(&t);
}

/* The gang waits for the square root, and slices 4 to 7 for a line as well. When the root is written, slices 0 to 3 are
 * ready and the others are not: the gang splits, and no member issues before it has both. */
static void gangs_wake_up_before_all_members_are_ready(void **state)
{
    (void)state;
    static const char *const scoreboards[] = {"exact", "warp"};
    const struct timing_case c = {
        .body = "and.b32 %r3, %t, 16; mul.wide.u32 %a1, %r3, 4096; add.u64 %a1, %a1, %base;\n"
                "ld.global.u32 %r1, [%base];\nmov.u32 %r2, %r1;\nld.global.f32 %f4, [%a1]; // load\n"
                "sqrt.approx.f32 %f1, %f0; // root\nadd.f32 %f2, %f1, %f4; // needs\n",
        .mechanism = "vws",
        .knobs = "split=group"};
    for (int i = 0; i < 2; i++) {
        struct timing t;
        timing_open(&t, &c, "sm.scheduler=bgto sm.sfu_latency=%d sm.scoreboard=%s", L1_HIT + 10, scoreboards[i]);
        assert_int_equal(count_of(&t, "vws.memory_splits"), 1);
        assert_int_equal(find_issue(&t, "needs", ANY_STRAND, 0)->threads, 16);
        assert_int_equal(issued_nth(&t, "needs", ANY_STRAND, 0) - issued(&t, "root"), L1_HIT + 10 + 1);
        assert_true(issued_nth(&t, "needs", ANY_STRAND, 1) - issued(&t, "load") >= ROW_HIT);
        timing_close(&t);
    }
}

/* The gang of slices 1 to 7 waits for the square root, and slices 4 to 7 for a line as well. It splits in the cycle in which
 * the root is written, and the members that are ready issue in the next one. Slice 0 has another path: the data of its
 * loads comes back in eight cycles, one of which is before that one for some latency of the root, and changes nothing. */
static void data_of_others_does_not_split_a_gang_early(void **state)
{
    (void)state;
    static const char *const splits[] = {"split=group", "split=impatient"};
    static const char *const scoreboards[] = {"exact", "warp"};
    for (int i = 0; i < 4; i++)
        for (int latency = L1_HIT; latency < L1_HIT + 8; latency++) {
            const struct timing_case c = {
                .body = "and.b32 %r3, %t, 16; mul.wide.u32 %a1, %r3, 4096; add.u64 %a1, %a1, %base;\n"
                        "ld.global.u32 %r1, [%base];\nmov.u32 %r2, %r1;\nsetp.lt.u32 %p1, %t, 4;\n@%p1 bra X;\n"
                        "ld.global.f32 %f4, [%a1];\nsqrt.approx.f32 %f1, %f0; // root\n"
                        "add.f32 %f2, %f1, %f4; // needs\nbra J;\n"
                        "X: ld.global.u32 %r4, [%base]; ld.global.u32 %r5, [%base]; ld.global.u32 %r6, [%base];\n"
                        "ld.global.u32 %r7, [%base]; ld.global.u32 %r8, [%base]; ld.global.u32 %r9, [%base];\n"
                        "ld.global.u32 %r10, [%base]; ld.global.u32 %r11, [%base];\nJ:\n",
                .mechanism = "vws",
                .knobs = splits[i % 2]};
            struct timing t;
            timing_open(&t, &c, "sm.scheduler=bgto sm.sfu_latency=%d sm.scoreboard=%s", latency, scoreboards[i / 2]);
            assert_int_equal(count_of(&t, "vws.memory_splits"), 1);
            assert_int_equal(find_issue(&t, "needs", ANY_STRAND, 0)->threads, i % 2 ? 4 : 12);
            assert_int_equal(issued_nth(&t, "needs", ANY_STRAND, 0) - issued(&t, "root"), latency + 1);
            timing_close(&t);
        }
}

/* What slices access in one cycle is one access to the memory unit (section 4.1), whatever it is: shared memory beside the
 * L1, loads beside stores and atomics, 4 bytes beside 8. Slices on both sides of a branch with equal paths issue side by
 * side. */
static void slices_access_memory_together(void **state)
{
    (void)state;
    static const struct {
        const char *one, *other;
        int issued, transactions, passes; /* at the port of the L1; of shared memory */
    } cases[] = {
        {"ld.shared.u32 %r1, [0]", "ld.global.u32 %r2, [%base]", 1, 1, 1},
        {"ld.global.u32 %r1, [%base]", "ld.global.u64 %a1, [%base+8]", 1, 1, 0}, /* in one line */
        {"ld.global.u32 %r1, [%base]", "ld.global.u64 %a1, [%base+128]", 1, 2, 0},
        {"ld.global.u32 %r1, [%base]", "st.global.u32 [%base+4], %r2", 2, 2, 0}, /* a load and a store of a line */
        {"st.global.u32 [%base], %r2", "st.global.u64 [%base+8], %a1", 1, 1, 0},
        {"red.global.add.u32 [%base], %r1", "ld.global.u32 %r2, [%base]", 2, 2, 0},
        {"ld.shared.u32 %r1, [0]", "ld.shared.u64 %a1, [8]", 0, 0, 1},
        {"ld.shared.u32 %r1, [0]", "ld.shared.u64 %a1, [128]", 0, 0, 2}, /* two words of bank 0 */
        {"ld.shared.u32 %r1, [4]", "ld.shared.u64 %a1, [128]", 0, 0, 2}, /* the second word is in bank 1 */
        {"ld.shared.u64 %a1, [128]", "ld.shared.u32 %r1, [4]", 0, 0, 2},
        {"ld.shared.u32 %r1, [0]", "st.shared.u32 [4], %r2", 0, 0, 1},
        {"ld.shared.u32 %r1, [0]", "st.shared.u32 [0], %r2", 0, 0, 2}, /* a bank reads or writes */
        {"atom.shared.add.u32 %r1, [0], 1", "ld.shared.u32 %r2, [0]", 0, 0, 2},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char body[256];
        struct timing t;
        snprintf(body, sizeof body,
                 "setp.ge.u32 %%p1, %%t, 4;\n@%%p1 bra L;\n%s; // one\nbra J;\nL: %s; // other\nJ:\n", cases[i].one,
                 cases[i].other);
        timing_open(&t, &(struct timing_case){.body = body, .mechanism = "ws", .threads = 8}, " ");
        assert_int_equal(issued(&t, "one"), issued(&t, "other"));
        assert_int_equal(count_of(&t, "l1d.issued"), cases[i].issued);
        assert_int_equal(count_of(&t, "sm.transactions"), cases[i].transactions);
        assert_int_equal(count_of(&t, "sm.shared_passes"), cases[i].passes);
        timing_close(&t);
    }
}

/* A load and a store of one cycle: the lookups follow one another at the port, in the order of the slices, and the load has
 * its line when a load alone would have it, or a cycle later. The access behind them waits for both. */
static void lines_of_one_access_follow_one_another(void **state)
{
    (void)state;
    for (int load_first = 0; load_first <= 1; load_first++) {
        const struct timing_case c = {
            .body = load_first
                        ? "ld.global.u32 %r0, [%base];\nmov.u32 %r1, %r0;\nsetp.ge.u32 %p1, %t, 4;\n@%p1 bra L;\n"
                          "ld.global.u32 %r2, [%base]; // load\nmov.u32 %r3, %r2; // needs\nbra J;\n"
                          "L: st.global.u32 [%base+256], %r3; // store\nld.global.u32 %r5, [%base]; // next\nJ:\n"
                        : "ld.global.u32 %r0, [%base];\nmov.u32 %r1, %r0;\nsetp.lt.u32 %p1, %t, 4;\n@%p1 bra L;\n"
                          "ld.global.u32 %r2, [%base]; // load\nmov.u32 %r3, %r2; // needs\nbra J;\n"
                          "L: st.global.u32 [%base+256], %r3; // store\nld.global.u32 %r5, [%base]; // next\nJ:\n",
            .mechanism = "ws",
            .threads = 8};
        struct timing t;
        timing_open(&t, &c, " ");
        uint64_t at = issued(&t, "load");
        assert_int_equal(issued(&t, "store"), at);
        assert_int_equal(issued(&t, "needs") - at, load_first ? L1_HIT : L1_HIT + 1);
        assert_int_equal(issued(&t, "next") - at, 2);
        timing_close(&t);
    }
}

/* Both slices load a line that is there; then the first does it again and the second, in the same cycle, one that is not.
 * That is one access, and the first goes on when its own line is answered. */
#define TOGETHER                                                                   \
    "and.b32 %r3, %t, 4; mul.wide.u32 %a1, %r3, 16384; add.u64 %a1, %a1, %base;\n" \
    "ld.global.u32 %r1, [%base]; // warm\nmov.u32 %r2, %r1; // warmed\n"           \
    "ld.global.u32 %r4, [%a1]; // load\nmov.u32 %r5, %r4; // needs\n"

static void strands_of_one_access_do_not_wait_for_each_other(void **state)
{
    (void)state;
    static const char *const boards[] = {"exact", "warp"};
    const struct timing_case c = {.body = TOGETHER, .mechanism = "ws", .threads = 8};
    for (int i = 0; i < 2; i++) {
        struct timing t;
        timing_open(&t, &c, "sm.scoreboard=%s", boards[i]);
        uint64_t load = issued_by(&t, "load", 0), hit = issued_by(&t, "needs", 0) - load;
        assert_int_equal(issued_by(&t, "load", 1), load);
        assert_int_equal(count_of(&t, "l1d.issued"), 2);
        assert_int_equal(hit, L1_HIT);
        assert_true(issued_by(&t, "needs", 1) - load >= ROW_HIT);
        timing_close(&t);
    }
}

/* The first loads into the same register anew before the rest of that access is back, which must not count for it. */
static void the_rest_of_an_access_is_not_taken_for_a_later_load(void **state)
{
    (void)state;
    static const char *const boards[] = {"exact", "warp"};
    const struct timing_case c = {.body = TOGETHER
                                  "ld.global.u32 %r4, [%base+262144]; // again\nmov.u32 %r6, %r4; // last\n",
                                  .mechanism = "ws",
                                  .threads = 8};
    for (int i = 0; i < 2; i++) {
        struct timing t;
        timing_open(&t, &c, "sm.scoreboard=%s", boards[i]);
        assert_true(issued_by(&t, "again", 0) < issued_by(&t, "needs", 1));
        assert_true(issued_by(&t, "last", 0) - issued_by(&t, "again", 0) >= ROW_HIT);
        assert_true(issued_by(&t, "last", 0) > issued_by(&t, "needs", 1));
        timing_close(&t);
    }
}

/* A register that one slice waits for keeps no other from reading its own, whatever the scoreboard. */
static void slices_have_scoreboards(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "ld.global.u32 %r1, [%base]; // warm\nmov.u32 %r2, %r1; // warmed\n" APART
                                          "mov.u32 %r1, 1; // a\nmov.u32 %r2, %r1; // b\n",
                                  .mechanism = "ws",
                                  .threads = 8};
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=warp sm.int_latency=20 sm.branch_latency=20");
    for (int slice = 0; slice < 2; slice++)
        assert_int_equal(issued_by(&t, "b", slice) - issued_by(&t, "a", slice), 20);
    timing_close(&t);
}

/* Eight slice warps of a warp with a front end each fetch at once; with one port, one after the other, in turn. */
static void slices_fetch_side_by_side(void **state)
{
    (void)state;
    for (unsigned ports = 1; ports <= 8; ports *= 2) {
        char knobs[64];
        snprintf(knobs, sizeof knobs, "mode=slice fetch_ports=%u", ports);
        const struct timing_case c = {.body = "bra L; // branch\nmov.u32 %r1, 1;\nL: mov.u32 %r2, 1; // next\n",
                                      .mechanism = "vws",
                                      .knobs = knobs};
        struct timing t;
        timing_open(&t, &c, "sm.fetch=icache sm.ibuffer=8 sm.decode_width=8");
        uint64_t first = UINT64_MAX, last = 0;
        for (int slice = 0; slice < 8; slice++) {
            uint64_t at = issued_by(&t, "next", slice);
            first = at < first ? at : first;
            last = at > last ? at : last;
        }
        uint64_t apart = last - first;
        assert_true(ports == 8 ? apart == 0 : apart >= 8 / ports - 1);
        timing_close(&t);
    }
}

/* Slice 0 goes one way and the seven others, a gang that is new and may issue a cycle later, the other. The slice fills the
 * hole that the gang leaves. */
static void a_slice_issues_beside_a_gang(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "setp.ge.u32 %p1, %t, 4;\n@%p1 bra L; // branch\n"
                                          "mov.u32 %r1, 1;\nmov.u32 %r3, 1; // alone\nbra J;\n"
                                          "L: mov.u32 %r2, 1; // gang\nJ:\n",
                                  .mechanism = "vws"};
    struct timing t;
    timing_open(&t, &c, "sm.scheduler=bgto");
    assert_int_equal(find_issue(&t, "gang", ANY_STRAND, 0)->threads, 28);
    assert_int_equal(find_issue(&t, "alone", ANY_STRAND, 0)->threads, 4);
    assert_int_equal(issued(&t, "gang"), issued(&t, "branch") + 5);
    assert_int_equal(issued(&t, "alone"), issued(&t, "gang"));
    timing_close(&t);
}

/* Four gangs of two slices each are let go by a barrier: as many of them issue in a cycle as may. */
static void as_many_gangs_issue_in_a_cycle_as_may(void **state)
{
    (void)state;
    static const char *const names[] = {"g0", "g1", "g2", "g3"};
    for (unsigned gangs = 1; gangs <= 4; gangs++) {
        char knobs[32];
        snprintf(knobs, sizeof knobs, "gangs=%u", gangs);
        const struct timing_case c = {.body = "T: .branchtargets A, B, C, D;\nshr.u32 %r0, %t, 3;\nbrx.idx %r0, T;\n"
                                              "A: barrier.sync 0;\nmov.u32 %r1, 1; // g0\nbra J;\n"
                                              "B: barrier.sync 0;\nmov.u32 %r2, 1; // g1\nbra J;\n"
                                              "C: barrier.sync 0;\nmov.u32 %r3, 1; // g2\nbra J;\n"
                                              "D: barrier.sync 0;\nmov.u32 %r4, 1; // g3\nJ:\n",
                                      .mechanism = "vws",
                                      .knobs = knobs};
        struct timing t;
        unsigned together = 0;
        uint64_t first = UINT64_MAX;
        timing_open(&t, &c, "sm.scheduler=bgto sm.release_latency=6");
        for (int i = 0; i < 4; i++)
            first = issued(&t, names[i]) < first ? issued(&t, names[i]) : first;
        for (int i = 0; i < 4; i++) {
            assert_int_equal(find_issue(&t, names[i], ANY_STRAND, 0)->threads, 8);
            together += issued(&t, names[i]) == first;
        }
        assert_int_equal(together, gangs);
        timing_close(&t);
    }
}

/* All slices want a fetch in the cycle in which the barrier opens; one port serves them one by one, another one first in
 * every cycle. So over eight cycles each is first once, and last. */
static void slices_take_turns_at_the_port(void **state)
{
    (void)state;
    const struct timing_case c = {.body = "bar.sync 0; // barrier\nmov.u32 %r2, 1; // next\n",
                                  .mechanism = "vws",
                                  .knobs = "mode=slice fetch_ports=1"};
    unsigned first = 0;
    for (unsigned latency = 1; latency <= 8; latency++) {
        struct timing t;
        timing_open(&t, &c, "sm.fetch=icache sm.ibuffer=1 sm.release_latency=%u", latency);
        uint64_t begin = UINT64_MAX;
        int earliest = 0;
        for (int slice = 0; slice < 8; slice++)
            if (issued_by(&t, "next", slice) < begin) {
                begin = issued_by(&t, "next", slice);
                earliest = slice;
            }
        for (int slice = 0; slice < 8; slice++)
            assert_int_equal(issued_by(&t, "next", slice), begin + (unsigned)(slice - earliest + 8) % 8);
        first |= 1u << earliest;
        timing_close(&t);
    }
    assert_int_equal(first, 0xff);
}

/* The first slice has been at Y, whose line is in its L0 and in the L1; then both come there in one cycle. What the L0 has
 * needs no port of the L1 and takes none, whichever slice has its turn first: both go on in the next cycle. Without an
 * L0 one of them waits for the only port. */
#define TO_ANOTHER_LINE                                                                                          \
    "mov.u32 %r5, 0;\nsetp.lt.u32 %p1, %t, 4;\n@%p1 bra Y;\nW: mov.u32 %r5, 1;\nbar.sync 0;\nbra Y; // branch\n" \
    "mov.u32 %r0, 1;\nmov.u32 %r1, 1;\nmov.u32 %r2, 1;\nmov.u32 %r3, 1;\nmov.u32 %r4, 1;\nmov.u32 %r0, 1;\n"     \
    "mov.u32 %r1, 1;\nmov.u32 %r2, 1;\nY: mov.u32 %r6, 1; // next\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra W;\n"

static void an_l0_takes_no_port_of_the_l1(void **state)
{
    (void)state;
    const struct timing_case c = {
        .body = TO_ANOTHER_LINE, .mechanism = "vws", .knobs = "mode=slice fetch_ports=1", .threads = 8};
    for (unsigned l0 = 0; l0 <= 256; l0 += 256)
        for (unsigned latency = 1; latency <= 8; latency++) {
            struct timing t;
            timing_open(&t, &c, "sm.fetch=icache sm.ibuffer=8 sm.decode_width=8 sm.l0_bytes=%u sm.release_latency=%u",
                        l0, latency);
            assert_int_equal(issued_by(&t, "branch", 0), issued_by(&t, "branch", 1));
            uint64_t resolved = issued_by(&t, "branch", 0) + 4;
            uint64_t had = issued_nth(&t, "next", 0, 1), had_not = issued_nth(&t, "next", 1, 0);
            assert_int_equal((had < had_not ? had : had_not) - resolved, 1);
            assert_int_equal((had < had_not ? had_not : had) - resolved, l0 ? 1 : 2);
            timing_close(&t);
        }
}

/* An L0 belongs to a slice of the mechanism's width, whatever the machine says for others: both instructions behind the
 * first come from it. */
static void an_l0_is_as_wide_as_a_slice(void **state)
{
    (void)state;
    for (unsigned l0 = 0; l0 <= 256; l0 += 256) {
        const struct timing_case c = {.body = "mov.u32 %r0, 1; // a\nmov.u32 %r1, 1; // b\nmov.u32 %r2, 1; // c\n",
                                      .mechanism = "vws",
                                      .knobs = "mode=slice width=8",
                                      .threads = 8};
        struct timing t;
        timing_open(&t, &c, "sm.fetch=icache sm.ibuffer=1 mem.instruction_latency=6 sm.l0_slice=4 sm.l0_bytes=%u", l0);
        assert_int_equal(issued_by(&t, "b", 0) - issued_by(&t, "a", 0), 1 + (l0 ? 1 : 6));
        assert_int_equal(issued_by(&t, "c", 0) - issued_by(&t, "b", 0), 1 + (l0 ? 1 : 6));
        assert_int_equal(count_of(&t, "sm.l0_hits"), l0 ? count_of(&t, "sm.fetches") - 1 : 0);
        assert_int_equal(count_of(&t, "sm.l0_misses"), l0 ? 1 : 0);
        assert_int_equal(count_of(&t, "sm.decodes"), count_of(&t, "sm.fetches"));
        assert_int_equal(count_of(&t, "sm.buffer_fills"), count_of(&t, "sm.fetches"));
        timing_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_have_shares_of_units),
        cmocka_unit_test(threads_bound_to_lanes_take_the_slices_of_these),
        cmocka_unit_test(slices_share_the_memory_unit),
        cmocka_unit_test(slices_conflict_jointly),
        cmocka_unit_test(blocks_share_no_word_of_shared_memory),
        cmocka_unit_test(slices_access_memory_together),
        cmocka_unit_test(lines_of_one_access_follow_one_another),
        cmocka_unit_test(gangs_split_when_ready_bits_differ),
        cmocka_unit_test(gangs_do_not_split_on_data_alone),
        cmocka_unit_test(gangs_do_not_split_while_all_members_wait),
        cmocka_unit_test(gangs_wake_up_before_all_members_are_ready),
        cmocka_unit_test(data_of_others_does_not_split_a_gang_early),
        cmocka_unit_test(strands_of_one_access_do_not_wait_for_each_other),
        cmocka_unit_test(the_rest_of_an_access_is_not_taken_for_a_later_load),
        cmocka_unit_test(slices_have_scoreboards),
        cmocka_unit_test(slices_fetch_side_by_side),
        cmocka_unit_test(a_slice_issues_beside_a_gang),
        cmocka_unit_test(as_many_gangs_issue_in_a_cycle_as_may),
        cmocka_unit_test(slices_take_turns_at_the_port),
        cmocka_unit_test(an_l0_takes_no_port_of_the_l1),
        cmocka_unit_test(an_l0_is_as_wide_as_a_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
