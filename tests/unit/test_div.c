/*
 * Mechanisms on the contract, without a pipeline: the papers' worked examples to the mask, the corners of
 * calls, exits and loops, and random graphs on which every thread must walk its own path.
 */
#include "div/table.h"
#include "div_walk.h"

/* ---- the papers' examples ---- */

static void the_walk_of_the_dual_path_slides(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK "bra F;\nD:" WORK "\nF:" WORK
                            "bra G;\nB:" WORK "\nG:" WORK "ret;"),
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 F0111 G1111 ",
        .watch = {{"A", "(A,1111,-)"},
                  {"B", "(G,1111,-) (C,0111,G) (B,1000,G)"},
                  {"C", "(G,1111,-) (C,0111,G)"},
                  {"D", "(G,1111,-) (F,0111,G) (E,0011,F) (D,0100,F)"},
                  {"E", "(G,1111,-) (F,0111,G) (E,0011,F)"},
                  {"F", "(G,1111,-) (F,0111,G)"},
                  {"G", "(G,1111,-)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_depth"), 4);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 2);
    assert_int_equal(bench_counter(&b, "reused_slots"), 0);
    assert_int_equal(bench_counter(&b, "pushes"), 5); /* the warp's first, and two sides each */
    assert_int_equal(bench_counter(&b, "pops"), 5);
    assert_int_equal(bench_counter(&b, "reconvergences"), 4);
    bench_close(&b);
}

/* Figure 10's order of sides: C before B, E before D. */
static void figure_10_runs_e_once(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom-lcp",
        .text = BREAK_LOOP,
        .script = {{"A", "1000"}, {"C", "0011"}, {"E", "1111"}},
        .trace = "A1111 C0111 D0011 B1000 E1100 F1111 ",
        .watch = {{"C", "(F,1111,-) (E*,0000,F) (B,1000,F,E:1) (C,0111,F,E:1)"},
                  {"D", "(F,1111,-) (E*,0100,F) (B,1000,F,E:1) (D,0011,F,E:1)"},
                  {"B", "(F,1111,-) (E*,0100,F) (B,1000,F,E:1)"},
                  {"E", "(F,1111,-) (E,1100,F)"},
                  {"F", "(F,1111,-)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "lcp_pushed"), 1);
    assert_int_equal(bench_counter(&b, "lcp_merged"), 2);
    assert_int_equal(bench_counter(&b, "lcp_unused"), 0);
    assert_int_equal(bench_counter(&b, "max_depth"), 5); /* the side of C that is at E is pushed before it merges */
    bench_close(&b);
}

static void figure_10_without_likely_points_runs_e_twice(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = BREAK_LOOP,
        .script = {{"A", "1000"}, {"C", "0011"}, {"E", "1111"}},
        .trace = "A1111 C0111 E0100 D0011 B1000 E1000 F1111 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_depth"), 4);
    bench_close(&b);
}

/* ---- likely-convergence points ---- */

static void a_side_that_falls_into_the_likely_point_merges(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom-lcp",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra E;\nD:" WORK "bra F;\nB:" WORK "\nE:" WORK
                            "@%p0 bra A;\nF:" WORK "ret;"),
        .script = {{"A", "0111"}, {"C", "1011"}, {"E", "1111"}},
        .trace = "A1111 B1000 C0111 D0011 E1100 F1111 ",
    };
    play_only(&walk);
}

/* The entry at E loops back to A, and its place serves the next round. */
static void a_likely_entry_that_loops_does_not_grow_the_stack(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom-lcp",
        .text = BREAK_LOOP,
        .script = {{"A", "1000"}, {"C", "0011"}, {"C", "0000"}, {"E", "0000"}, {"E", "0011"}, {"E", "1111"}},
        .trace = "A1111 C0111 D0011 B1000 E1100 A1100 C0100 B1000 E1100 A1100 C0100 B1000 E1100 F1111 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "lcp_pushed"), 3);
    assert_int_equal(bench_counter(&b, "max_depth"), 5);
    bench_close(&b);
}

static void a_likely_entry_that_nobody_comes_to_goes(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom-lcp",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "@%p0 bra E;\nX: bra F;\nC:" WORK "@%p0 bra E;\nD:" WORK
                            "bra F;\nE:" WORK "@%p0 bra A;\nF:" WORK "ret;"),
        .script = {{"A", "1100"}, {"C", "1111"}, {"B", "1111"}},
        .trace = "A1111 C0011 D0011 B1100 X1100 F1111 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "lcp_pushed"), 1);
    assert_int_equal(bench_counter(&b, "lcp_merged"), 0);
    assert_int_equal(bench_counter(&b, "lcp_unused"), 1);
    bench_close(&b);
}

/* The branch at B meets at J, within the round: its sides carry A's likely point on, and so does J. */
static void nested_entries_inherit_the_likely_point(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom-lcp",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "@%p0 bra X;\nY:" WORK "bra J;\nX:" WORK "\nJ:" WORK
                            "bra E;\nC:" WORK "@%p0 bra E;\nD:" WORK "bra F;\nE:" WORK "@%p0 bra A;\nF:" WORK "ret;"),
        .script = {{"A", "1100"}, {"B", "0100"}, {"C", "0001"}, {"E", "1111"}},
        .trace = "A1111 C0011 D0001 B1100 X1000 Y0100 J1100 E1110 F1111 ",
        .watch = {{"X", "(F,1111,-) (E*,0010,F) (J,1100,F,E:1) (Y,0100,J,E:1) (X,1000,J,E:1)"},
                  {"J", "(F,1111,-) (E*,0010,F) (J,1100,F,E:1)"}},
    };
    play_only(&walk);
}

static void a_side_that_jumps_to_the_reconvergence_point_is_not_pushed(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom-lcp",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra F;\nB:" WORK "\nE:" WORK "@%p0 bra A;\nF:" WORK "ret;"),
        .script = {{"A", "0011"}, {"E", "1111"}},
        .trace = "A1111 B0011 E0011 F1111 ",
    };
    play_only(&walk);
}

/* ---- loops and nesting ---- */

static void a_loop_does_not_grow_the_stack(void **state)
{
    (void)state;
    struct walk walk = walk_of_a_loop("pdom");
    walk.watch[0].label = "M";
    walk.watch[0].state = "(M,1111,-)";
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_depth"), 2);
    assert_int_equal(bench_counter(&b, "divergent_branches"), 3);
    assert_int_equal(bench_counter(&b, "reused_slots"), 2);
    bench_close(&b);
}

/* Two ways on in each round: the sides of a branch that meets behind the loop take the loop's place. */
static void a_branch_that_leaves_the_loop_reuses_its_entry(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = BREAK_LOOP,
        .script = {{"A", "1010"}, {"A", "1110"}, {"C", "0000"}, {"E", "0000"}, {"E", "1111"}},
        .trace = "A1111 C0101 E0101 A0101 C0001 E0001 B0100 E0100 B1010 E1010 A1010 B1010 E1010 F1111 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "max_depth"), 4);
    assert_int_equal(bench_counter(&b, "reused_slots"), 1);
    bench_close(&b);
}

static void nested_ifs_push_once_a_level(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra J;\nB:" WORK "@%p0 bra I;\nC:" WORK "@%p0 bra H;\nD:" WORK "\nH:" WORK
                            "\nI:" WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "0111"}, {"B", "1011"}, {"C", "1101"}},
        .trace = "A1111 B0111 C0011 D0001 H0011 I0111 J1111 ",
        .watch = {{"D", "(J,1111,-) (I,0111,J) (H,0011,I) (D,0001,H)"}},
    };
    play_only(&walk);
}

static void an_indexed_branch_runs_its_targets_in_order(void **state)
{
    (void)state;
    struct walk walk = walk_of_an_indexed_branch("pdom");
    walk.watch[0].label = "P";
    walk.watch[0].state = "(J,1111,-) (S,0100,J) (Q,0010,J) (P,1001,J)";
    play_only(&walk);
}

/* Without a branch's post-dominator the sides meet where their entry ends. */
static void threads_that_part_at_a_straight_instruction_go_on(void **state)
{
    (void)state;
    static const struct walk walk = {.script = {{"A", "0111"}}};
    static const int32_t ahead[] = {1, 1, 2, 2};
    struct bench b;
    bench_open(&b, HEAD KERNEL("A:" WORK "@%p0 bra J;\nB:" WORK WORK WORK "\nJ:" WORK "ret;"), scripted, &walk);
    bench_begin(&b, "pdom", 4);
    bench_launch(&b, 0, 4);
    struct strand *s = run_to(&b, 1, "B");
    struct outcome out[2] = {{s->pc + 1, 0, {1, {{0, 2}}}}, {s->pc + 2, 0, {1, {{0, 12}}}}};
    for (int i = 1; i < 4; i++)
        b.thread[i].pc = s->pc + ahead[i];
    b.ops->branch(b.div, s, out, 2);
    b.watch = watch_walk;
    bench_run(&b);
    assert_string_equal(b.trace.data, "J1111 ");
    bench_close(&b);
}

/* ---- ends ---- */

static void threads_that_exit_leave_every_entry(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 exit;\nF2:" WORK "ret;")
            KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "bra G;\nB:" WORK "call f;\nD:" WORK "\nG:" WORK "ret;"),
        .script = {{"A", "0001"}, {"F", "0111"}},
        .trace = "A1111 B1110 F1110 F20110 D0110 C0001 G0111 ",
        .watch = {{"D", "(G,0111,-) (C,0001,G) (D,0110,G)"}},
    };
    play_only(&walk);
}

static void a_side_that_exits_whole_leaves_the_other(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = HEAD FUNC("f", "F: exit;")
            KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "bra G;\nB:" WORK "call f;\nG:" WORK "ret;"),
        .script = {{"A", "0010"}},
        .trace = "A1111 B1101 F1101 C0010 G0010 ",
    };
    play_only(&walk);
}

static void threads_that_live_on_meet_past_the_ends_of_others(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK "ret;\nD:" WORK "exit;\nB:" WORK
                            "ret;"),
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 E0011 D0100 ",
        .watch = {{"B", "(C,1111,-) (B,1000,C)"}, {"E", "(D,0111,-) (E,0011,D)"}},
    };
    play_only(&walk);
}

/* ---- calls ---- */

static void a_divergent_return_holds_threads_until_all_can(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 ret;\nM:" WORK "@%p0 ret;\nN:" WORK "ret;")
            KERNEL("A:" WORK "call f;\nR:" WORK "ret;"),
        .script = {{"F", "0111"}, {"M", "1011"}},
        .trace = "A1111 F1111 M0111 N0011 R1111 ",
        .watch = {{"M", "(ret@1,1111,-) (M@1,0111,ret@1)"},
                  {"N", "(ret@1,1111,-) (N@1,0011,ret@1)"},
                  {"R", "(R,1111,-)"}},
    };
    play_only(&walk);
}

static void sides_that_return_each_meet_behind_the_call(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 bra X;\nY:" WORK "ret;\nX:" WORK "ret;")
            KERNEL("A:" WORK "@%p0 bra J;\nB: call f;\nR:" WORK "\nJ:" WORK "ret;"),
        .script = {{"A", "0111"}, {"F", "1101"}},
        .trace = "A1111 B0111 F0111 X0010 Y0101 R0111 J1111 ",
        .watch = {{"X", "(J,1111,-) (ret@1,0111,J) (Y@1,0101,ret@1) (X@1,0010,ret@1)"}, {"R", "(J,1111,-) (R,0111,J)"}},
    };
    play_only(&walk);
}

/* All returned or ended; the entry that waits learned its PC from those that returned. */
static void a_return_counts_though_the_last_side_exits(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 ret;\nM:" WORK "exit;") KERNEL("A: call f;\nR:" WORK "ret;"),
        .script = {{"F", "0101"}},
        .trace = "A1111 F1111 M0101 R1010 ",
    };
    play_only(&walk);
}

static void recursion_meets_level_by_level(void **state)
{
    (void)state;
    struct walk walk = walk_of_recursion("pdom");
    play_only(&walk);
}

static void a_guarded_call_meets_behind_it(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = HEAD FUNC("f", "F:" WORK "ret;") KERNEL("A:" WORK "@%p0 call f;\nR:" WORK "ret;"),
        .script = {{"A", "0101"}},
        .trace = "A1111 F1010 R1111 ",
        .watch = {{"F", "(R,1111,-) (F@1,1010,R)"}},
    };
    play_only(&walk);
}

static void a_call_through_pointers_runs_each_function(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "pdom",
        .text = HEAD FUNC("f", "F:" WORK "@%p0 ret;\nH:" WORK
                               "ret;") ".func g()\n{\n" REGS "G:" WORK
                                       "ret;\n}\n" KERNEL("mov.u64 %d0, f; mov.u64 %d1, g; selp.b64 %d0, "
                                                          "%d0, %d1, %p0;\nP: .callprototype _ ();\n"
                                                          "A:" WORK "@%p0 call %d0, P;\nR:" WORK "ret;"),
        .script = {{"A", "0120"}, {"F", "0001"}},
        .trace = "A1111 F1001 H0001 G0100 R1111 ",
        .watch = {{"H", "(R,1111,-) (G@1,0100,R) (H@1,0001,R)"}},
    };
    play_only(&walk);
}

/* ---- order ---- */

static void the_order_of_sides_is_a_knob(void **state)
{
    (void)state;
    static const struct {
        const char *name, *small_taken, *large_taken;
    } orders[] = {{"taken-first", "A1111 B1000 C0111 J1111 ", "A1111 B0111 C1000 J1111 "},
                  {"not-taken-first", "A1111 C0111 B1000 J1111 ", "A1111 C1000 B0111 J1111 "},
                  {"larger-first", "A1111 C0111 B1000 J1111 ", "A1111 B0111 C1000 J1111 "},
                  {"smaller-first", "A1111 B1000 C0111 J1111 ", "A1111 C1000 B0111 J1111 "},
                  {"highest-lane", "A1111 B1000 C0111 J1111 ", "A1111 C1000 B0111 J1111 "}};
    const struct knob *k = div_find("pdom")->knobs->knobs;
    for (int i = 0; i < 5; i++) {
        char knobs[64];
        snprintf(knobs, sizeof knobs, "order=%s", orders[i].name);
        struct walk walk = {
            .mechanism = "pdom",
            .knobs = knobs,
            .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "bra J;\nB:" WORK "\nJ:" WORK "ret;"),
            .script = {{"A", "0111"}},
            .trace = orders[i].small_taken,
        };
        play_only(&walk);
        walk.script[0].way = "1000";
        walk.trace = orders[i].large_taken;
        play_only(&walk);
    }
    assert_null(k->choices[5]);
}

/* One thread leaves at each of 31 branches, for the same end. */
static int peel(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)ways;
    return thread % 32 != b->program->insns[pc].branch;
}

/* With the large side on top the small ones pile up below it. */
static void smaller_sides_first_bound_the_depth(void **state)
{
    (void)state;
    struct text t = {0};
    text_printf(&t, "%s", HEAD ".visible .entry k()\n{\n" REGS START);
    for (int i = 0; i < 31; i++)
        text_printf(&t, "@%%p0 bra X%d; add.u32 %%r1, %%r1, 1;\n", i);
    text_printf(&t, "bra J;\n");
    for (int i = 0; i < 31; i++)
        text_printf(&t, "X%d: add.u32 %%r1, %%r1, 2; bra J;\n", i);
    text_printf(&t, "J: ret;\n}\n");
    static const uint32_t order[] = {2, 3}; /* larger-first, smaller-first */
    static const uint64_t depth[] = {33, 3};
    for (int i = 0; i < 2; i++) {
        struct bench b;
        bench_open(&b, t.data, peel, NULL);
        b.order = order[i];
        bench_begin(&b, "pdom", 32);
        bench_launch(&b, 0, 32);
        bench_run(&b);
        assert_int_equal(bench_counter(&b, "max_depth"), depth[i]);
        bench_close(&b);
    }
    text_free(&t);
}

/* ---- widths and random graphs ---- */

static void the_list_names_every_mechanism_once(void **state)
{
    (void)state;
    int count = 0;
    for (const struct div_ops *const *m = div_all(); *m; m++, count++) {
        assert_ptr_equal(div_find((*m)->name), *m);
        assert_non_null((*m)->summary);
        assert_non_null((*m)->paper);
        assert_true(!(*m)->stats == !(*m)->counters);
    }
    assert_true(count >= 3);
    assert_null(div_find("pdo"));
}

static int all_alike(struct bench *b, int thread, int32_t pc, int ways)
{
    return (b->thread[thread].visits[b->program->insns[pc].branch] + (int)pc) % ways;
}

/* 200 threads as warps of W: each warp is one strand, of the threads it should have. */
static void warps_are_consecutive_threads(void **state)
{
    (void)state;
    static const int widths[] = {1, 2, 4, 8, 16, 32, 64};
    for (int i = 0; i < 7; i++) {
        int w = widths[i];
        struct bench b;
        bench_open(&b, BREAK_LOOP, all_alike, NULL);
        bench_begin(&b, "pdom", w);
        bench_launch(&b, 0, 85);
        bench_launch(&b, 1, 100);
        for (int t = 0; t < 85; t++)
            assert_int_equal(b.strand_of[t], t / w);
        for (int t = 0; t < 100; t++)
            assert_int_equal(b.strand_of[96 + t], (85 + w - 1) / w + t / w);
        bench_run(&b);
        assert_int_equal(b.issues, ((85 + w - 1) / w + (100 + w - 1) / w) * b.thread[0].steps);
        bench_close(&b);
    }
}

#ifndef ROUNDS
#define ROUNDS 300
#endif

static void expect_issues(struct bench *b, int steps)
{
    if (b->host.facts.width == 1 || b->ops->flags & DIV_IDEAL_LANES)
        assert_int_equal(b->issues, steps);
    if (b->ops->stats)
        what_is_pushed_is_popped(b, steps);
}

static void on_random_graphs_every_thread_walks_its_own_path(void **state)
{
    (void)state;
    static const int widths[] = {1, 2, 4, 32, 64};
    static struct bench b;
    uint64_t path[GRAPH_WALKERS];
    int steps[GRAPH_WALKERS];
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct random r = {seed};
        char *text = random_module(&r, false);
        bench_open(&b, text, random_choice, &seed);
        walk_alone(&b, path, steps, GRAPH_WALKERS);
        b.same_calls = true;
        for (int w = 0; w < 5; w++) {
            b.order = (uint32_t)(seed + (unsigned)w) % 5;
            graph_walk(&b, div_find("pdom"), widths[w], path, steps, expect_issues);
            graph_walk(&b, div_find("pdom-lcp"), widths[w], path, steps, expect_issues);
        }
        graph_walk(&b, div_find("mimd"), 32, path, steps, expect_issues);
        bench_close(&b);
        free(text);
    }
}

static void a_mechanism_may_have_no_knobs(void **state)
{
    (void)state;
    assert_null(div_find("mimd")->knobs);
    play_only(&(struct walk){
        .mechanism = "mimd", .text = HEAD KERNEL("A:" WORK "ret;"), .trace = "A1000 A0100 A0010 A0001 "});
    graphs_walk("mimd", 4, true, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_of_the_dual_path_slides),
        cmocka_unit_test(figure_10_runs_e_once),
        cmocka_unit_test(figure_10_without_likely_points_runs_e_twice),
        cmocka_unit_test(a_side_that_falls_into_the_likely_point_merges),
        cmocka_unit_test(a_likely_entry_that_loops_does_not_grow_the_stack),
        cmocka_unit_test(a_likely_entry_that_nobody_comes_to_goes),
        cmocka_unit_test(nested_entries_inherit_the_likely_point),
        cmocka_unit_test(a_side_that_jumps_to_the_reconvergence_point_is_not_pushed),
        cmocka_unit_test(a_loop_does_not_grow_the_stack),
        cmocka_unit_test(a_branch_that_leaves_the_loop_reuses_its_entry),
        cmocka_unit_test(nested_ifs_push_once_a_level),
        cmocka_unit_test(an_indexed_branch_runs_its_targets_in_order),
        cmocka_unit_test(threads_that_part_at_a_straight_instruction_go_on),
        cmocka_unit_test(threads_that_exit_leave_every_entry),
        cmocka_unit_test(a_side_that_exits_whole_leaves_the_other),
        cmocka_unit_test(threads_that_live_on_meet_past_the_ends_of_others),
        cmocka_unit_test(a_divergent_return_holds_threads_until_all_can),
        cmocka_unit_test(sides_that_return_each_meet_behind_the_call),
        cmocka_unit_test(a_return_counts_though_the_last_side_exits),
        cmocka_unit_test(recursion_meets_level_by_level),
        cmocka_unit_test(a_guarded_call_meets_behind_it),
        cmocka_unit_test(a_call_through_pointers_runs_each_function),
        cmocka_unit_test(the_order_of_sides_is_a_knob),
        cmocka_unit_test(smaller_sides_first_bound_the_depth),
        cmocka_unit_test(the_list_names_every_mechanism_once),
        cmocka_unit_test(warps_are_consecutive_threads),
        cmocka_unit_test(on_random_graphs_every_thread_walks_its_own_path),
        cmocka_unit_test(a_mechanism_may_have_no_knobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
