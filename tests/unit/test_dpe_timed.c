/*
 * Dual-path execution on a pipeline: the paper's example of the scoreboard stall by stall, which branches gain and
 * which do not, and what the options do to them.
 */
#include "report/formulas.h"
#include "timing_bench.h"

/*
 * The example of section 4: A loads r0, C reads it; B loads r1, which D and E name; F loads r7, G reads it. Threads
 * 0-7 go to B, 8-15 to D, the others to E. All loads are in one DRAM row, which the first one opens. B computes for a
 * while, so that its load comes just ahead of C's branch.
 */
#define EXAMPLE(d, e)                                                                                         \
    "setp.lt.u32 %p0, %t, 8;\nsetp.lt.u32 %p1, %t, 16;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n" \
    "ld.global.u32 %r0, [%a0]; // load0\n"                                                                    \
    "@%p0 bra B; // brA\n"                                                                                    \
    "add.u32 %r5, %r0, %r2; // c\n"                                                                           \
    "@%p1 bra D; // brC\n" e " // e\n"                                                                        \
    "bra F; // e2\n"                                                                                          \
    "D: " d " // d\n"                                                                                         \
    "F: ld.global.u32 %r7, [%a0+512]; // load7\n"                                                             \
    "bra G;\n"                                                                                                \
    "B: add.u32 %r9, %r9, 1; // b\nadd.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1;\n"        \
    "add.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1; // b8\n"          \
    "ld.global.u32 %r1, [%a0+1024]; // load1\n"                                                               \
    "G: add.u32 %r8, %r1, %r7; // g\n"

enum { BRANCH = 4 };

static const struct timing_case reads = {.body = EXAMPLE("add.u32 %r4, %r1, %r3;", "sub.u32 %r4, %r1, %r3;"),
                                         .mechanism = "dpe"};

/* True dependences hold under both scoreboards: r0 across the pending, r7 and r1 across the meeting. */
static void expect_true_stalls(const struct timing *t)
{
    assert_int_equal(issued(t, "c"), issued(t, "load0") + ROW_CLOSED);
    assert_int_equal(issued(t, "g"), issued(t, "load7") + ROW_HIT);
    /* B does not wait for A's load, though the left side has it pending: it names another register. */
    assert_int_equal(issued(t, "b"), issued(t, "brA") + BRANCH);
    /* B's load is under way when C parts, and B is over. */
    assert_true(issued(t, "load1") < issued(t, "brC"));
    assert_true(issued(t, "load1") + ROW_HIT > issued(t, "brC") + BRANCH + 1);
}

static void registers_pending_at_a_parting_block_both_sides(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &reads, "sm.scoreboard=dual");
    expect_true_stalls(&t);
    /* r1 is pending on the left when C parts: D waits for its own side's P, E for the other's S; both in vain. */
    assert_int_equal(issued(&t, "e"), issued(&t, "load1") + ROW_HIT);
    assert_int_equal(issued(&t, "d"), issued(&t, "load1") + ROW_HIT + 1);
    timing_close(&t);
}

static void the_exact_scoreboard_knows_better(void **state)
{
    (void)state;
    struct timing t;
    timing_open(&t, &reads, "sm.scoreboard=exact");
    expect_true_stalls(&t);
    assert_int_equal(issued(&t, "d"), issued(&t, "brC") + BRANCH);
    assert_int_equal(issued(&t, "e"), issued(&t, "brC") + BRANCH + 1); /* a new strand */
    timing_close(&t);
}

/* A write waits for the other side's pending one like a read: a false WAW dependence. */
static void a_register_pending_on_the_other_side_is_not_overwritten(void **state)
{
    (void)state;
    static const struct timing_case writes = {.body = EXAMPLE("mov.u32 %r4, %r3;", "mov.u32 %r1, %r3;"),
                                              .mechanism = "dpe"};
    struct timing t;
    timing_open(&t, &writes, "sm.scoreboard=dual");
    expect_true_stalls(&t);
    assert_int_equal(issued(&t, "d"), issued(&t, "brC") + BRANCH);
    assert_int_equal(issued(&t, "e"), issued(&t, "load1") + ROW_HIT);
    timing_close(&t);
    timing_open(&t, &writes, "sm.scoreboard=exact");
    assert_int_equal(issued(&t, "e"), issued(&t, "brC") + BRANCH + 1);
    timing_close(&t);
}

/* What a side began after the parting is its own: D's load of r6 does not keep E from reading its r6, as long as D's
 * path goes on. */
static void sides_do_not_see_what_the_other_began_after_the_parting(void **state)
{
    (void)state;
    static const struct timing_case own = {
        .body = EXAMPLE("ld.global.u32 %r6, [%a0+256]; // load6\nadd.u32 %r4, %r3, 1;\nadd.u32 %r4, %r4, 1;",
                        "add.u32 %r4, %r6, %r3;"),
        .mechanism = "dpe"};
    struct timing t;
    timing_open(&t, &own, "sm.scoreboard=dual");
    expect_true_stalls(&t);
    assert_int_equal(issued(&t, "load6"), issued(&t, "brC") + BRANCH);
    assert_int_equal(issued(&t, "e"), issued(&t, "brC") + BRANCH + 1);
    timing_close(&t);
}

/* A register pending on one side when that side's path ends is then seen by the other: E's add of r6 comes behind
 * D's end and waits, though its threads have no write under way. */
static void what_is_pending_when_a_path_ends_blocks_the_other(void **state)
{
    (void)state;
    static const struct timing_case c = {
        .body = "setp.lt.u32 %p0, %t, 8;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"
                "@%p0 bra D; // br\n"
                "add.u32 %r4, %r9, 1;\nadd.u32 %r4, %r4, 1; // e1\n"
                "add.u32 %r4, %r4, %r6; // e\n"
                "bra F;\n"
                "D: ld.global.u32 %r6, [%a0]; // load\n"
                "F: add.u32 %r5, %r9, 1; // f\n",
        .mechanism = "dpe",
    };
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=dual");
    assert_int_equal(issued(&t, "e"), issued(&t, "load") + ROW_CLOSED);
    timing_close(&t);
    timing_open(&t, &c, "sm.scoreboard=exact");
    assert_int_equal(issued(&t, "e"), issued(&t, "e1") + 4);
    timing_close(&t);
}

/* The same for one that could have issued in the next cycle: the left path, which gto prefers, ends first. */
static void a_ready_path_waits_for_what_the_other_left_behind(void **state)
{
    (void)state;
    static const struct timing_case c = {
        .body = "setp.lt.u32 %p0, %t, 8;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"
                "@%p0 bra D; // br\n"
                "add.u32 %r4, %r9, %r6; // e\n"
                "bra F;\n"
                "D: add.u32 %r5, %r9, 1; // d\n"
                "ld.global.u32 %r6, [%a0]; // load\n"
                "F: add.u32 %r5, %r9, 1; // f\n",
        .mechanism = "dpe",
    };
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=dual sm.scheduler=gto");
    assert_int_equal(issued(&t, "load"), issued(&t, "br") + BRANCH + 1);
    assert_int_equal(issued(&t, "e"), issued(&t, "load") + ROW_CLOSED);
    timing_close(&t);
    timing_open(&t, &c, "sm.scoreboard=exact sm.scheduler=gto");
    assert_int_equal(issued(&t, "e"), issued(&t, "load") + 1);
    timing_close(&t);
}

/* Both sides go on for long: nothing but the parting tells the right one of the left one's load. */
static void a_register_pending_at_the_parting_blocks_the_right_side(void **state)
{
    (void)state;
    static const struct timing_case c = {
        .body = "setp.lt.u32 %p0, %t, 8;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"
                "ld.global.u32 %r0, [%a0]; // load\n"
                "@%p0 bra B;\n"
                "add.u32 %r3, %r9, 1; // c0\n"
                "add.u32 %r5, %r0, %r2; // c\n"
                "bra F;\n"
                "B: add.u32 %r4, %r9, 1;\nadd.u32 %r6, %r0, 1; // b\n"
                "F: add.u32 %r5, %r9, 1; // f\n",
        .mechanism = "dpe",
    };
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=dual");
    assert_true(issued(&t, "c0") < issued(&t, "load") + ROW_CLOSED);
    assert_int_equal(issued(&t, "c") + issued(&t, "b"), 2 * (issued(&t, "load") + ROW_CLOSED) + 1);
    timing_close(&t);
}

#define CHAIN4 "add.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1;\nadd.u32 %r9, %r9, 1;\n"

#define CHAIN12                                                                                                      \
    "add.u32 %r8, %r8, 1;\nadd.u32 %r8, %r8, 1;\nadd.u32 %r8, %r8, 1;\nadd.u32 %r8, %r8, 1;\nadd.u32 %r8, %r8, 1;\n" \
    "add.u32 %r8, %r8, 1;\nadd.u32 %r8, %r8, 1;\nadd.u32 %r8, %r8, 1;\nadd.u32 %r8, %r8, 1;\nadd.u32 %r8, %r8, 1;\n" \
    "add.u32 %r8, %r8, 1;\nadd.u32 %r8, %r8, 1; // f12\n"

/* E ends first, and B takes the right place; there it loads. D's threads end, and B is on the left again, where nothing
 * is pending: what it began on the right must go with it. F goes on meanwhile, so that no path ends. */
static void a_path_that_changes_sides_waits_for_what_it_began(void **state)
{
    (void)state;
    static const struct timing_case c = {
        .body =
            "setp.lt.u32 %p0, %t, 8;\nsetp.lt.u32 %p1, %t, 16;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"
            "@%p0 bra B;\n@%p1 bra D;\n"
            "add.u32 %r2, %r3, 1; // e\nbra F;\n"
            "D: " CHAIN4 CHAIN4 "@%p1 exit; // exit\n"
            "F: add.u32 %r8, %r8, 1; // f\n" CHAIN12 "bra G;\n"
            "B: " CHAIN4 "ld.global.u32 %r1, [%a0]; // load\n" CHAIN4 CHAIN4 "add.u32 %r4, %r1, 1; // use\n"
            "G: add.u32 %r2, %r3, 1;\n",
        .mechanism = "dpe",
        .knobs = "forwarding=yes",
    };
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=dual");
    assert_int_equal(count_of(&t, "dpe.forwarded"), 1);
    assert_true(issued(&t, "e") < issued(&t, "load") && issued(&t, "load") < issued(&t, "exit"));
    assert_true(issued(&t, "exit") < issued(&t, "f"));
    assert_true(issued(&t, "f") < issued(&t, "load") + ROW_CLOSED &&
                issued(&t, "f12") > issued(&t, "load") + ROW_CLOSED);
    assert_int_equal(issued(&t, "use"), issued(&t, "load") + ROW_CLOSED);
    timing_close(&t);
}

/* Thread 0 has its data when the warp is still busy with other instructions. Those behind come to the use on a side where
 * nothing is pending by itself. */
static void threads_that_a_load_left_behind_wait_for_it(void **state)
{
    (void)state;
    static const struct timing_case c = {
        .body =
            "mul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\nsetp.eq.u32 %p0, %t, 0;\n"
            "ld.global.u32 %r1, [%a0];\nadd.u32 %r1, %r1, 1;\n"
            "@!%p0 add.u64 %a0, %a0, 65536;\n"
            "ld.global.u32 %r0, [%a0]; // load\n" CHAIN4 CHAIN4 "add.u32 %r1, %r0, 1; // use\nadd.u32 %r1, %r1, 1;\n",
        .mechanism = "dpe",
        .knobs = "memory_divergence=yes",
    };
    static const char *const scoreboards[] = {"dual", "exact"};
    for (int i = 0; i < 2; i++) {
        struct timing t;
        timing_open(&t, &c, "sm.scoreboard=%s", scoreboards[i]);
        assert_int_equal(count_of(&t, "dpe.memory_splits"), 1);
        for (int n = 0; n < 2; n++)
            if (find_issue(&t, "use", ANY_STRAND, n)->threads > 1 || i == 0)
                assert_true(issued_nth(&t, "use", ANY_STRAND, n) >= issued(&t, "load") + ROW_CLOSED);
            else
                assert_true(issued_nth(&t, "use", ANY_STRAND, n) < issued(&t, "load") + ROW_CLOSED);
        timing_close(&t);
    }
}

/* ---- which branches gain ---- */

/* Both sides wait for a load of their own: pdom pays the latency twice. */
#define IF_ELSE                                                                               \
    "setp.lt.u32 %p0, %t, 16;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n"          \
    "@%p0 bra X;\n"                                                                           \
    "ld.global.u32 %r0, [%a0];\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\nbra J;\n"         \
    "X: ld.global.u32 %r0, [%a0+4096];\nadd.u32 %r1, %r0, 3;\nadd.u32 %r1, %r1, 1;\nbra J;\n" \
    "J: add.u32 %r2, %r1, 1;\n"

/* Those that do not load wait at the meeting, whatever they could do: there is one path at all times. */
#define IF_ALONE                                                                     \
    "setp.lt.u32 %p0, %t, 16;\nmul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\n" \
    "@%p0 bra J;\n"                                                                  \
    "ld.global.u32 %r0, [%a0];\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\n"        \
    "J: add.u32 %r2, %r1, 1;\n"

static double formula(const struct stat_result *all, const char *name)
{
    for (int i = 0; i < gpu_formula_count; i++)
        if (!strcmp(gpu_formulas[i].name, name))
            return gpu_formulas[i].value(all);
    fail_msg("there is no formula %s", name);
    return 0;
}

static uint64_t counted(const char *body, const char *mechanism, const char *knobs, const char *scoreboard,
                        const char *path)
{
    struct timing t;
    struct timing_case c = {.body = body, .mechanism = mechanism, .knobs = knobs};
    timing_open(&t, &c, "sm.scoreboard=%s", scoreboard);
    uint64_t count = count_of(&t, path);
    timing_close(&t);
    return count;
}

static uint64_t cycles_of(const char *body, const char *mechanism, const char *knobs, const char *scoreboard)
{
    return counted(body, mechanism, knobs, scoreboard, "sm.cycles");
}

static void an_if_with_else_gains(void **state)
{
    (void)state;
    uint64_t pdom = cycles_of(IF_ELSE, "pdom", NULL, "exact");
    /* One of the two latencies is hidden, whichever scoreboard: the loads start behind the pending. */
    assert_true(cycles_of(IF_ELSE, "dpe", NULL, "exact") + ROW_HIT <= pdom);
    assert_int_equal(cycles_of(IF_ELSE, "dpe", NULL, "dual"), cycles_of(IF_ELSE, "dpe", NULL, "exact"));
    /* The same instructions issue in fewer cycles: those in which nothing did are gone. */
    assert_int_equal(counted(IF_ELSE, "dpe", NULL, "exact", "sm.warp_instructions"),
                     counted(IF_ELSE, "pdom", NULL, "exact", "sm.warp_instructions"));
    assert_true(counted(IF_ELSE, "dpe", NULL, "exact", "sm.W0_Mem") + ROW_HIT <=
                counted(IF_ELSE, "pdom", NULL, "exact", "sm.W0_Mem"));
    /* Turns at loads are enough here. */
    assert_true(cycles_of(IF_ELSE, "dpe", "constrained=yes", "exact") + ROW_HIT / 2 <= pdom);
    /* The pops are paid for once each: both paths end together. */
    assert_true(cycles_of(IF_ELSE, "dpe", "stack=software pop_cycles=8", "exact") >=
                cycles_of(IF_ELSE, "dpe", NULL, "exact") + 8);
}

static void an_if_without_else_does_not(void **state)
{
    (void)state;
    assert_int_equal(cycles_of(IF_ALONE, "dpe", NULL, "exact"), cycles_of(IF_ALONE, "pdom", NULL, "exact"));
    assert_int_equal(cycles_of(IF_ALONE, "dpe", NULL, "dual"), cycles_of(IF_ALONE, "pdom", NULL, "exact"));
}

/* Computing alone does not gain where the other side can only take issue slots that are free anyway: with one-cycle
 * arithmetic none are. */
static void without_latency_there_is_nothing_to_hide(void **state)
{
    (void)state;
    static const struct timing_case busy = {
        .body =
            "setp.lt.u32 %p0, %t, 16;\n@%p0 bra X; // br\n"
            "add.u32 %r1, %t, 1;\nadd.u32 %r2, %t, 1;\nadd.u32 %r3, %t, 1;\nadd.u32 %r4, %t, 1;\nadd.u32 %r5, %t, 1;\n"
            "add.u32 %r6, %t, 1;\nbra J;\n"
            "X: add.u32 %r1, %t, 2;\nadd.u32 %r2, %t, 2;\nadd.u32 %r3, %t, 2;\nadd.u32 %r4, %t, 2;\nadd.u32 %r5, %t, "
            "2;\n"
            "add.u32 %r6, %t, 2;\nJ: add.u32 %r7, %r1, 1; // j\n",
        .mechanism = "dpe",
    };
    struct timing_case plain = busy;
    struct timing t;
    plain.mechanism = "pdom";
    timing_open(&t, &plain, "sm.branch_latency=1 sm.int_latency=1");
    uint64_t serial = between(&t, "br", "j");
    timing_close(&t);
    timing_open(&t, &busy, "sm.branch_latency=1 sm.int_latency=1");
    assert_int_equal(between(&t, "br", "j"), serial);
    timing_close(&t);
}

/* Both paths are of one warp, and so of one scheduler: even and odd warps have their own. */
static void paths_of_a_warp_share_its_scheduler(void **state)
{
    (void)state;
    static const char body[] =
        "setp.lt.u32 %p0, %t, 16;\n@%p0 bra X; // br\n"
        "add.u32 %r1, %t, 1;\nadd.u32 %r2, %t, 1;\nadd.u32 %r3, %t, 1;\nadd.u32 %r4, %t, 1;\nbra J;\n"
        "X: add.u32 %r1, %t, 2;\nadd.u32 %r2, %t, 2;\nadd.u32 %r3, %t, 2;\nadd.u32 %r4, %t, 2;\n"
        "J: add.u32 %r7, %t, 1; // j\n";
    static const char *const mechanisms[] = {"dpe", "multipath", "dws"};
    for (int i = 0; i < 3; i++) {
        uint64_t cycles[2][2]; /* by warps and schedulers */
        for (uint32_t warps = 1; warps <= 2; warps++)
            for (int schedulers = 1; schedulers <= 2; schedulers++) {
                struct timing t;
                struct timing_case c = {.body = body,
                                        .mechanism = mechanisms[i],
                                        .knobs = i == 2 ? "merge=no" : NULL,
                                        .threads = 32 * warps};
                timing_open(&t, &c, "sm.schedulers=%d sm.alu_units=2 sm.branch_units=2", schedulers);
                cycles[warps - 1][schedulers - 1] = t.result.cycles;
                timing_close(&t);
            }
        assert_int_equal(cycles[0][1], cycles[0][0]);
        assert_true(cycles[1][1] < cycles[1][0]);
    }
}

/* The pop is issued: it takes a slot that no instruction of the program has. */
static void an_explicit_pop_takes_an_issue_slot(void **state)
{
    (void)state;
    struct timing t;
    struct timing_case c = {.body = IF_ELSE, .mechanism = "dpe"};
    timing_open(&t, &c, "%s", "");
    uint64_t issues = count_of(&t, "sm.warp_instructions");
    assert_int_equal(count_of(&t, "sm.syncs"), 0);
    timing_close(&t);
    c.knobs = "stack=software";
    timing_open(&t, &c, "%s", "");
    assert_int_equal(count_of(&t, "sm.warp_instructions"), issues);
    assert_int_equal(count_of(&t, "dpe.explicit_pops"), 2);
    assert_int_equal(count_of(&t, "sm.syncs"), 2);
    timing_close(&t);
}

/* Where both sides have something to do, and not where one waits for the other. */
static void average_paths_are_reported(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"dpe", "multipath", "dws"};
    for (int i = 0; i < 3; i++) {
        struct timing t;
        struct timing_case c = {.body = IF_ELSE, .mechanism = mechanisms[i]};
        char path[64];
        timing_open(&t, &c, "%s", "");
        struct stat_result all = {t.result.parts, t.result.part_count};
        snprintf(path, sizeof path, "%s.issues", mechanisms[i]);
        double issues = (double)count_of(&t, path);
        assert_int_equal(issues, count_of(&t, "sm.warp_instructions"));
        snprintf(path, sizeof path, "%s.rounds", mechanisms[i]);
        assert_float_equal(formula(&all, "avg_path_rounds"), issues / (double)count_of(&t, path), 1e-6);
        snprintf(path, sizeof path, "%s.path_issues", mechanisms[i]);
        assert_float_equal(formula(&all, "avg_path_issues"), (double)count_of(&t, path) / issues, 1e-6);
        assert_true(formula(&all, "avg_path_rounds") > 1 &&
                    formula(&all, "avg_path_rounds") < formula(&all, "avg_path_issues"));
        timing_close(&t);
        if (!strcmp(mechanisms[i], "dws"))
            continue; /* gives those that skip a path of their own */
        c.body = IF_ALONE;
        timing_open(&t, &c, "%s", "");
        all = (struct stat_result){t.result.parts, t.result.part_count};
        assert_float_equal(formula(&all, "avg_path_rounds"), 1, 1e-6);
        timing_close(&t);
    }
}

/* Thread 0's line comes later: the others run ahead to the end of the block. */
static void a_load_that_parts_threads_lets_some_run_ahead(void **state)
{
    (void)state;
    static const struct timing_case c = {
        .body = "mul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\nsetp.eq.u32 %p0, %t, 0;\n"
                "@%p0 add.u64 %a0, %a0, 65536;\n"
                "ld.global.u32 %r0, [%a0]; // load\n"
                "add.u32 %r1, %r0, 1; // use\n"
                "add.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\n",
        .mechanism = "dpe",
        .knobs = "memory_divergence=yes",
    };
    struct timing t;
    timing_open(&t, &c, "sm.scoreboard=exact");
    assert_int_equal(count_of(&t, "dpe.memory_splits"), 1);
    assert_true(issued_nth(&t, "use", ANY_STRAND, 0) < issued_nth(&t, "use", ANY_STRAND, 1));
    assert_int_equal(find_issue(&t, "use", ANY_STRAND, 0)->threads + find_issue(&t, "use", ANY_STRAND, 1)->threads, 32);
    assert_int_equal(find_issue(&t, "ret", ANY_STRAND, 0)->threads, 32);
    timing_close(&t);
    /* Under shadow bits the register is pending for both. */
    timing_open(&t, &c, "sm.scoreboard=dual");
    assert_int_equal(issued_nth(&t, "use", ANY_STRAND, 1), issued_nth(&t, "use", ANY_STRAND, 0) + 1);
    timing_close(&t);
}

/* Such threads come apart, so what their warp would have asked for is counted: of the second load the line that both
 * paths ask for, once. Otherwise warps do not come apart, and nothing is counted. */
static void lines_of_a_warp_are_counted_where_its_threads_run_ahead(void **state)
{
    (void)state;
    static const char body[] = "mul.wide.u32 %a0, %t, 4;\nadd.u64 %a0, %a0, %base;\nmov.u64 %a1, %a0;\n"
                               "setp.eq.u32 %p0, %t, 0;\n@%p0 add.u64 %a0, %a0, 65536;\n"
                               "ld.global.u32 %r0, [%a0];\nadd.u32 %r1, %r0, 1;\nld.global.u32 %r2, [%a1];\n";
    assert_int_equal(counted(body, "dpe", NULL, "exact", "sm.transactions"), 3);
    assert_int_equal(counted(body, "dpe", NULL, "exact", "sm.home_transactions"), 0);
    assert_int_equal(counted(body, "dpe", "memory_divergence=yes", "exact", "sm.transactions"), 4);
    assert_int_equal(counted(body, "dpe", "memory_divergence=yes", "exact", "sm.home_transactions"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_pending_at_a_parting_block_both_sides),
        cmocka_unit_test(the_exact_scoreboard_knows_better),
        cmocka_unit_test(a_register_pending_on_the_other_side_is_not_overwritten),
        cmocka_unit_test(sides_do_not_see_what_the_other_began_after_the_parting),
        cmocka_unit_test(what_is_pending_when_a_path_ends_blocks_the_other),
        cmocka_unit_test(a_ready_path_waits_for_what_the_other_left_behind),
        cmocka_unit_test(a_register_pending_at_the_parting_blocks_the_right_side),
        cmocka_unit_test(a_path_that_changes_sides_waits_for_what_it_began),
        cmocka_unit_test(threads_that_a_load_left_behind_wait_for_it),
        cmocka_unit_test(an_if_with_else_gains),
        cmocka_unit_test(an_if_without_else_does_not),
        cmocka_unit_test(without_latency_there_is_nothing_to_hide),
        cmocka_unit_test(paths_of_a_warp_share_its_scheduler),
        cmocka_unit_test(an_explicit_pop_takes_an_issue_slot),
        cmocka_unit_test(average_paths_are_reported),
        cmocka_unit_test(a_load_that_parts_threads_lets_some_run_ahead),
        cmocka_unit_test(lines_of_a_warp_are_counted_where_its_threads_run_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
