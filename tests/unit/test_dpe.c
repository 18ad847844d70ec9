/*
 * Dual-path execution on the contract, without a pipeline: the walk of the paper's slides to the mask, AvgPath, the
 * options, and random graphs.
 */
#include "div/parts/paths.h"
#include "div_walk.h"

/* The slides' graph. B has not ended when C parts, so that it waits below D and E, and goes on beside F; Z is its
 * end. E is longer than D, so that it is alone for a while; Y is its end. */
#define SLIDES                                                                                     \
    HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK WORK "\nY:" WORK WORK WORK \
                "bra F;\nD:" WORK WORK "\nF:" WORK "bra G;\nB:" WORK WORK WORK WORK "\nZ:" WORK "\nG:" WORK "ret;")

static void the_walk_of_the_slides(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = SLIDES,
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 Y0011 F0111 Z1000 G1111 ",
        .watch = {{"A", "(A,1111,-,-,-)"},
                  {"B", "(G,1111,-,-,-) (B,1000,C,0111,G)"},
                  {"C", "(G,1111,-,-,-) (B,1000,C,0111,G)"},
                  {"D", "(G,1111,-,-,-) (B,1000,F,0111,G) (D,0100,E,0011,F)"},
                  {"E", "(G,1111,-,-,-) (B,1000,F,0111,G) (D,0100,E,0011,F)"},
                  {"Y", "(G,1111,-,-,-) (B,1000,F,0111,G) (-,-,Y,0011,F)"},
                  {"F", "(G,1111,-,-,-) (B,1000,F,0111,G)"},
                  {"Z", "(G,1111,-,-,-) (Z,1000,-,-,G)"},
                  {"G", "(G,1111,-,-,-)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_depth"), 3); /* pdom: 4 */
    assert_int_equal(bench_counter(&b, "divergent_branches"), 2);
    assert_int_equal(bench_counter(&b, "reused_slots"), 0);
    assert_int_equal(bench_counter(&b, "pushes"), 3);
    assert_int_equal(bench_counter(&b, "pops"), 3);
    assert_int_equal(bench_counter(&b, "reconvergences"), 4);
    assert_int_equal(bench_counter(&b, "max_paths"), 2);
    bench_close(&b);
}

/* Seven blocks of three instructions. All paths take turns as in the slides' table: A, B and C, D and E, F, G. An explicit
 * pop, which goes with the last instruction ahead of it, keeps a path in its place while the other issues its last. */
static void avg_path_of_the_slides(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "stack=software pop_cycles=1",
        .text = HEAD KERNEL("A: @%p0 bra B;\nC:" WORK WORK "@%p0 bra D;\nE:" WORK WORK "bra F;\nD:" WORK WORK WORK
                            "\nF:" WORK WORK "bra G;\nB:" WORK WORK WORK "\nG:" WORK WORK "ret;"),
        .script = {{"A", "0111"}, {"C", "1011"}},
    };
    struct bench b;
    begin_walk(&b, &walk, 4);
    while (strand_count(&b)) {
        bench_advance(&b);
        for (int id = 0; id < BENCH_STRANDS; id++)
            while (b.used[id] && bench_is_ready(&b, &b.strand[id])) {
                bench_issue(&b, &b.strand[id]);
                if (!b.strand[id].syncs)
                    break;
            }
    }
    assert_string_equal(b.trace.data, "A1111 B1000 C0111 D0100 E0011 F0111 G1111 ");
    assert_int_equal(b.issues, 7 * 3);
    assert_int_equal(bench_counter(&b, "issues"), 7 * 3);
    assert_int_equal(bench_counter(&b, "rounds"), 5 * 3);       /* 7 / 5 */
    assert_int_equal(bench_counter(&b, "path_issues"), 11 * 3); /* 11 / 7 */
    assert_int_equal(bench_counter(&b, "explicit_pops"), 4);
    bench_close(&b);
}

static void rounds_are_made_of_turns(void **state)
{
    (void)state;
    struct paths p = {0};
    paths_add(&p, 1, 1);
    paths_add(&p, 2, 1);
    paths_add(&p, 3, 5);
    paths_add(&p, 2, 1);
    paths_add(&p, 3, 1);
    assert_int_equal(p.counters.issues, 9);
    assert_int_equal(p.counters.path_issues, 1 + 4 + 18);
    assert_int_equal(p.counters.rounds, 1 + 1 + 2);
    paths_close(&p);
}

static void an_if_without_else_is_one_path(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra J;\nB:" WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "0111"}},
        .trace = "A1111 B0111 J1111 ",
        .watch = {{"B", "(J,1111,-,-,-) (B,0111,-,-,J)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "path_issues"), b.issues);
    assert_int_equal(bench_counter(&b, "rounds"), b.issues);
    bench_close(&b);
}

static void a_loop_does_not_grow_the_stack(void **state)
{
    (void)state;
    struct walk walk = walk_of_a_loop("dpe");
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_depth"), 2);
    bench_close(&b);
}

/* The sides of the loop's inner branch meet behind the loop: in the second round the one that parts again finds its
 * sibling's place free, or not. */
static void sides_that_end_with_their_entry_take_its_places(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra F;\nB:" WORK "@%p0 bra D;\nC:" WORK "bra F;\nD:" WORK
                            "@%p0 bra A;\nF:" WORK "ret;"),
        .script = {{"A", "1111"}, {"B", "0101"}, {"B", "1001"}, {"D", "0000"}, {"D", "1111"}},
        .trace = "A1111 B1111 D1010 C0101 A1010 B1010 D0010 C1000 F1111 ",
        .watch = {{"F", "(F,1111,-,-,-)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_depth"), 2);
    assert_int_equal(bench_counter(&b, "pushes"), 2);
    bench_close(&b);
    struct walk taken = walk; /* C has more to do */
    taken.text = HEAD KERNEL("A:" WORK "@%p0 bra F;\nB:" WORK "@%p0 bra D;\nC:" WORK WORK WORK WORK WORK WORK WORK WORK
                             "bra F;\nD:" WORK "@%p0 bra A;\nF:" WORK "ret;");
    play(&b, &taken);
    assert_int_equal(bench_counter(&b, "max_depth"), 3);
    assert_int_equal(bench_counter(&b, "pushes"), 3);
    bench_close(&b);
}

static void an_indexed_branch_pushes_two_targets_an_entry(void **state)
{
    (void)state;
    struct walk walk = walk_of_an_indexed_branch("dpe");
    walk.watch[0].label = "P";
    walk.watch[0].state = "(J,1111,-,-,-) (S,0100,-,-,J) (P,1001,Q,0010,J)";
    walk.watch[1].label = "S";
    walk.watch[1].state = "(J,1111,-,-,-) (S,0100,-,-,J)";
    play_only(&walk);
}

static void threads_that_exit_leave_every_entry(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 exit;\nE:" WORK "bra G;\nB:" WORK WORK WORK WORK
                            "\nG:" WORK "ret;"),
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 E0011 G1011 ",
        .watch = {{"E", "(G,1011,-,-,-) (B,1000,E,0011,G)"}},
    };
    play_only(&walk);
    struct walk all = walk;
    all.script[1].way = "1000";
    all.trace = "A1111 B1000 C0111 G1000 ";
    all.watch[0].label = "G";
    all.watch[0].state = "(G,1000,-,-,-)";
    play_only(&all);
}

/* Both paths of the top count until E ends; then B alone. */
static void a_path_whose_threads_end_counts_until_then(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text =
            HEAD KERNEL("A: @%p0 bra B;\nE:" WORK "@%p0 exit;\nX: bra G;\nB:" WORK WORK WORK WORK "\nG:" WORK "ret;"),
        .script = {{"A", "0111"}, {"E", "1000"}},
        .trace = "A1111 B1000 E0111 G1000 ",
    };
    struct bench b;
    play(&b, &walk);
    /* Two of E's, and as many of B's beside them, in two rounds. */
    assert_int_equal(bench_counter(&b, "path_issues"), b.issues + 4);
    assert_int_equal(bench_counter(&b, "rounds"), b.issues - 2);
    bench_close(&b);
}

static void recursion_meets_level_by_level(void **state)
{
    (void)state;
    struct walk walk = walk_of_recursion("dpe");
    play_only(&walk);
}

static void sides_that_return_each_meet_behind_the_call(void **state)
{
    (void)state;
    struct walk walk = walk_of_two_returns("dpe");
    walk.watch[0].label = "M";
    walk.watch[0].state = "(ret@1,1111,-,-,-) (X@1,1010,M@1,0101,ret@1)";
    play_only(&walk);
}

/* A call is all that a side does, and threads return from it in two places: behind it the side is at its end at once. */
static void a_side_may_end_where_a_call_returns_to(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 bra X;\nM:" WORK "ret;\nX:" WORK WORK "ret;")
            KERNEL("A:" WORK "@%p0 bra J;\nB: call f;\nJ:" WORK "ret;"),
        .script = {{"A", "0111"}, {"F", "0101"}},
        .trace = "A1111 B0111 F0111 X0010 M0101 J1111 ",
        .watch = {{"J", "(J,1111,-,-,-)"}},
    };
    play_only(&walk);
}

/* ---- path forwarding ---- */

/* With the slides' masks B goes on beside E when D has ended. */
static void a_path_is_forwarded_to_the_free_place(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "forwarding=yes",
        .text = SLIDES,
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 Y0011 Z1000 F0111 G1111 ",
        .watch = {{"Z", "(G,1111,-,-,-) (Z,1000,F,0111,G) (-,-,Y,0011,F)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "forwarded"), 1);
    bench_close(&b);
}

/* E loses a thread at each end of its loop: B keeps the place that it took once. */
static void a_forwarded_path_stays_while_the_other_goes_on(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "forwarding=yes",
        .text = HEAD KERNEL(
            "A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK WORK "@%p0 bra E;\nX: bra F;\nD:" WORK "\nF:" WORK
            "bra G;\nB:" WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK "\nZ:" WORK "\nG:" WORK "ret;"),
        .script = {{"A", "0111"}, {"C", "1011"}, {"E", "0001"}, {"E", "0011"}, {"E", "1111"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 E0010 X0011 F0111 Z1000 G1111 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "forwarded"), 1);
    bench_close(&b);
}

/* E parts: both places of the top are taken, and B waits again. */
static void a_forwarded_path_makes_room(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "forwarding=yes",
        .text =
            HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK WORK WORK "@%p0 bra P;\nQ:" WORK
                        "bra R;\nP:" WORK WORK "\nR:" WORK "bra F;\nD:" WORK "\nF:" WORK
                        "bra G;\nB:" WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK "\nZ:" WORK "\nG:" WORK "ret;"),
        .script = {{"A", "0111"}, {"C", "1011"}, {"E", "1101"}},
    };
    struct bench b;
    begin_walk(&b, &walk, 4);
    run_to(&b, 2, "P");
    assert_int_equal(bench_counter(&b, "forwarded"), 1);
    assert_true(strand_of(&b, 0)->parked);
    run_to(&b, 2, "R");
    assert_false(strand_of(&b, 0)->parked);
    assert_int_equal(bench_counter(&b, "forwarded"), 2);
    bench_run(&b);
    bench_close(&b);
}

/* B, forwarded beside E, is below the top: a load does not part it. */
static void a_forwarded_path_is_not_parted_by_a_load(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "forwarding=yes memory_divergence=yes",
        .text = SLIDES,
        .script = {{"A", "0011"}, {"C", "1101"}},
    };
    static const struct threads hit = {1, {{0, 1}}}, miss = {1, {{0, 2}}};
    struct bench b;
    begin_walk(&b, &walk, 4);
    run_to(&b, 3, "Y");
    struct strand *forwarded = strand_of(&b, 0);
    assert_false(forwarded->parked);
    b.ops->memory(b.div, forwarded, &hit, &miss);
    assert_int_equal(bench_counter(&b, "memory_splits"), 0);
    bench_run(&b);
    bench_close(&b);
}

/* ---- constrained paths ---- */

/* Paths take turns at loads, and when one ends. */
static void constrained_paths_take_turns(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "constrained=yes",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "ld.global.u32 %r2, [%d0];\nD:" WORK "bra J;\nB:" WORK
                            "ld.global.u32 %r2, [%d0];\nE:" WORK WORK WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "0111"}},
        .trace = "A1111 B1000 C0111 E1000 D0111 J1111 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "switches"), 2);
    assert_int_equal(bench_counter(&b, "max_paths"), 2);
    bench_close(&b);
}

/* Turns are taken at instructions that `turns` calls long, and at nothing else: at what may wait for memory outside the
 * multiprocessor; at loads from shared memory as well; or also at slow arithmetic. */
static void constrained_paths_take_turns_at_long_instructions(void **state)
{
    (void)state;
    static const char *const knobs[] = {"constrained=yes", "constrained=yes turns=outside",
                                        "constrained=yes turns=memory", "constrained=yes turns=long"};
    static const struct {
        const char *instruction;
        int since; /* index in `knobs` from which on the instruction is long */
    } cases[] = {{"ld.global.u32 %r2, [%d0];", 0},
                 {"ld.local.u32 %r2, [%d0];", 0},
                 {"ld.u32 %r2, [%d0];", 0},
                 {"atom.global.add.u32 %r2, [%d0], 1;", 0},
                 {"tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [t, {%r1}];", 0},
                 {"ld.shared.u32 %r2, [%d0];", 2},
                 {"atom.shared.add.u32 %r2, [%d0], 1;", 2},
                 {"div.u32 %r2, %r1, 3;", 3},
                 {"ld.const.u32 %r2, [c];", 4},
                 {"ld.param.u32 %r2, [p];", 4},
                 {"st.global.u32 [%d0], %r2;", 4},
                 {"mul.lo.u32 %r2, %r1, 3;", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 4; k++) {
            struct text text = {0};
            text_printf(&text, "%s%s%s",
                        HEAD ".global .texref t;\n.const .u32 c;\n.visible .entry k(.param .u32 p)\n{\n" REGS START
                             "A:" WORK "@%p0 bra B;\nC:" WORK "bra J;\nB:",
                        cases[i].instruction, "\nE:" WORK "\nJ:" WORK "ret;\n}\n");
            struct walk walk = {.mechanism = "dpe",
                                .knobs = knobs[k],
                                .text = text.data,
                                .script = {{"A", "0111"}},
                                .trace = k >= cases[i].since ? "A1111 B1000 C0111 E1000 J1111 "
                                                             : "A1111 B1000 E1000 C0111 J1111 "};
            play_only(&walk);
            text_free(&text);
        }
}

/* An explicit pop is one path's to issue; while it is under way the other path runs. */
static void constrained_paths_take_turns_at_explicit_pops(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "constrained=yes stack=software pop_cycles=20",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "ld.global.u32 %r2, [%d0];\nbra J;\nB:" WORK "\nJ:" WORK
                            "ret;"),
        .script = {{"A", "0111"}},
    };
    struct bench b;
    begin_walk(&b, &walk, 4);
    while (!strand_of(&b, 0)->syncs)
        assert_true(bench_cycle(&b));
    assert_true(strand_of(&b, 1)->parked);
    bench_cycle(&b);
    assert_true(strand_of(&b, 0)->parked && !strand_of(&b, 1)->parked);
    while (strand_count(&b) > 1)
        assert_true(bench_cycle(&b));
    assert_in_range(b.host.now, 20, 35); /* C ran meanwhile, and its own pop was under way beside B's */
    bench_run(&b);
    assert_string_equal(b.trace.data, "A1111 B1000 C0111 J1111 ");
    assert_int_equal(bench_counter(&b, "switches"), 0); /* nobody takes a turn to pop again */
    bench_close(&b);
    /* Of two that both stood still the left one goes on. */
    static const struct walk slides = {
        .mechanism = "dpe",
        .knobs = "constrained=yes stack=software pop_cycles=20",
        .text = SLIDES,
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 Z1000 C0111 D0100 E0011 Y0011 F0111 G1111 ",
    };
    struct walk slow = slides;
    slow.text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK "bra F;\nD:" WORK "\nF:" WORK
                            "bra G;\nB: ld.global.u32 %r2, [%d0];\nZ:" WORK "\nG:" WORK "ret;");
    slow.trace = "A1111 B1000 C0111 D0100 E0011 Z1000 F0111 G1111 ";
    play_only(&slides);
    play_only(&slow);
}

/* The path leaves the stack at the barrier, which the other path's threads must come to or end before. */
static void a_constrained_path_at_a_barrier_lets_the_other_run(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "constrained=yes",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK WORK WORK "bra J;\nB:" WORK "barrier.sync 1, 32;\nE:" WORK
                            "\nJ:" WORK "ret;"),
        .script = {{"A", "01111111"}},
    };
    struct bench b;
    begin_walk(&b, &walk, 8);
    run_to(&b, 1, "C");
    assert_true(strand_of(&b, 1)->parked);
    while (b.strand_of[0] >= 0)
        assert_true(bench_cycle(&b));
    assert_false(strand_of(&b, 1)->parked);
    bench_run(&b);
    bench_close(&b);
}

/* Threads whose data came first run ahead as the left path, up to the branch. */
static void a_load_parts_threads_until_the_block_ends(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "memory_divergence=yes",
        .text = HEAD KERNEL("A:" WORK WORK "\nM:" WORK WORK "@%p0 bra J;\nB:" WORK "\nJ:" WORK "ret;"),
        .script = {{"M", "1111"}},
    };
    struct bench b;
    begin_walk(&b, &walk, 4);
    struct strand *s = run_to(&b, 0, "M");
    struct threads hit = {1, {{0, 1}}}, miss = {1, {{0, 4}}};
    b.ops->memory(b.div, s, &hit, &miss);
    b.ops->check(b.div);
    expect_state(&b, "(M+2,1111,-,-,-) (M,1101,M,0010,M+2)");
    /* Another load inside finds no place free. */
    b.ops->memory(b.div, s, &hit, &(struct threads){1, {{0, 2}}});
    assert_int_equal(bench_counter(&b, "memory_splits"), 1);
    while (strand_count(&b) > 1)
        assert_true(bench_cycle(&b));
    assert_int_equal(threads_size(&strand_of(&b, 0)->threads), 4);
    bench_run(&b);
    bench_close(&b);
}

/* ---- software-managed stack ---- */

/* A path that is to pop is not parted by a load that comes back then. */
static void an_explicit_pop_is_the_paths_last_instruction(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "dpe",
        .knobs = "stack=software pop_cycles=3 memory_divergence=yes",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK WORK WORK WORK WORK WORK WORK "bra J;\nB:" WORK
                            "\nJ:" WORK WORK "ret;"),
        .script = {{"A", "0011"}},
    };
    static const struct threads hit = {1, {{0, 1}}}, miss = {1, {{0, 2}}};
    struct bench b;
    begin_walk(&b, &walk, 4);
    struct strand *s = run_to(&b, 0, "J");
    assert_int_equal(s->syncs, 1);
    b.ops->memory(b.div, s, &hit, &miss);
    assert_int_equal(s->syncs, 1);
    assert_int_equal(bench_counter(&b, "memory_splits"), 0);
    int issues = b.issues;
    bench_issue(&b, s); /* no instruction of the program's */
    assert_int_equal(b.issues, issues);
    expect_state(&b, "(J,1111,-,-,-) (J,1100,C,0011,J)");
    uint64_t popped = b.host.now + 3;
    while (b.host.now < popped) {
        assert_true(s->parked);
        assert_true(bench_cycle(&b));
    }
    expect_state(&b, "(J,1111,-,-,-) (-,-,C,0011,J)");
    bench_run(&b);
    assert_int_equal(bench_counter(&b, "explicit_pops"), 2);
    bench_close(&b);
}

#ifndef ROUNDS
#define ROUNDS 150
#endif

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    walk_random_graphs("dpe", ROUNDS, true);
}

static void printing_the_state_changes_nothing(void **state)
{
    (void)state;
    expect_that_dump_changes_nothing("dpe");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_of_the_slides),
        cmocka_unit_test(avg_path_of_the_slides),
        cmocka_unit_test(rounds_are_made_of_turns),
        cmocka_unit_test(an_if_without_else_is_one_path),
        cmocka_unit_test(a_loop_does_not_grow_the_stack),
        cmocka_unit_test(sides_that_end_with_their_entry_take_its_places),
        cmocka_unit_test(an_indexed_branch_pushes_two_targets_an_entry),
        cmocka_unit_test(threads_that_exit_leave_every_entry),
        cmocka_unit_test(a_path_whose_threads_end_counts_until_then),
        cmocka_unit_test(recursion_meets_level_by_level),
        cmocka_unit_test(sides_that_return_each_meet_behind_the_call),
        cmocka_unit_test(a_side_may_end_where_a_call_returns_to),
        cmocka_unit_test(a_path_is_forwarded_to_the_free_place),
        cmocka_unit_test(a_forwarded_path_stays_while_the_other_goes_on),
        cmocka_unit_test(a_forwarded_path_makes_room),
        cmocka_unit_test(a_forwarded_path_is_not_parted_by_a_load),
        cmocka_unit_test(constrained_paths_take_turns),
        cmocka_unit_test(constrained_paths_take_turns_at_long_instructions),
        cmocka_unit_test(constrained_paths_take_turns_at_explicit_pops),
        cmocka_unit_test(a_constrained_path_at_a_barrier_lets_the_other_run),
        cmocka_unit_test(a_load_parts_threads_until_the_block_ends),
        cmocka_unit_test(an_explicit_pop_is_the_paths_last_instruction),
        cmocka_unit_test(printing_the_state_changes_nothing),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
