/*
 * Independent threads at convergence barriers, on the contract without a pipeline: walks to the mask under the plan of
 * post-dominators and under others, orders, limits, and random graphs under random plans.
 */
#include "div/table.h"
#include "div_walk.h"

/* A plan beside a walk: "C+1 join 0, D wait 0, A->C cancel 0"; labels, barriers by register. */
struct planned {
    struct walk walk;
    const char *plan;
    bool spans_calls; /* all barriers */
};

static int32_t pc_named(const struct bench *b, const char *name, size_t length)
{
    for (int f = 0; f < b->program->function_count; f++) {
        const struct program_function *pf = &b->program->functions[f];
        for (int i = 0; i < pf->source->label_count; i++)
            if (strlen(pf->source->labels[i].name) == length && !strncmp(pf->source->labels[i].name, name, length))
                return pf->first + pf->source->labels[i].target;
    }
    fail_msg("no label %.*s", (int)length, name);
    return PC_NONE;
}

/* "C", "C+1" or "A->C". */
static struct barrier_place place_named(const struct bench *b, const char *name)
{
    const char *arrow = strstr(name, "->"), *plus = strchr(name, '+');
    if (arrow) {
        int32_t from = pc_named(b, name, (size_t)(arrow - name)), to = pc_named(b, arrow + 2, strlen(arrow + 2));
        return barrier_between(b->program, b->program->insns[from].block, b->program->insns[to].block);
    }
    size_t length = plus ? (size_t)(plus - name) : strlen(name);
    return barrier_before(pc_named(b, name, length) + (plus ? atoi(plus + 1) : 0));
}

static struct barrier_plan *read_plan(const struct bench *b, const char *text, bool spans_calls)
{
    struct barrier_plan *plan = barrier_plan_create(b->program);
    char words[512], *rest = words;
    for (int i = 0; i < BARRIER_REGISTERS; i++) {
        barrier_add(plan, -1, spans_calls, "B%d", i);
        plan->barriers.data[i].reg = i;
    }
    snprintf(words, sizeof words, "%s", text);
    for (char *word; (word = strtok_r(rest, ",", &rest));) {
        char place[32], kind[32];
        int barrier = 0, threshold = 0, kinds = 0;
        assert_in_range(sscanf(word, " %31s %31s %d %d", place, kind, &barrier, &threshold), 2, 4);
        while (strcmp(kind, "soft") ? strcmp(barrier_kind_text[kinds], kind) : kinds != BARRIER_SOFT_WAIT)
            kinds++;
        barrier_append(
            plan, place_named(b, place),
            (struct barrier_op){(uint8_t)kinds, (uint8_t)threshold, kinds == BARRIER_YIELD ? BARRIER_NONE : barrier});
    }
    return plan;
}

static void play_planned(struct bench *b, const struct planned *p)
{
    struct knob_words knobs;
    const struct div_ops *ops = div_find("volta");
    set_knobs(&knobs, ops->knobs, p->walk.knobs);
    bench_open(b, p->walk.text, scripted, &p->walk);
    b->knobs = &knobs;
    b->watch = watch_walk;
    b->plan = read_plan(b, p->plan, p->spans_calls);
    bench_begin_with(b, ops, 4);
    bench_launch(b, 0, 4);
    bench_run(b);
    assert_string_equal(b->trace.data, p->walk.trace);
}

static void close_planned(struct bench *b)
{
    barrier_plan_destroy(b->plan);
    bench_close(b);
}

static void play_planned_only(const struct planned *p)
{
    struct bench b;
    play_planned(&b, p);
    close_planned(&b);
}

/* ---- post-dominators ---- */

#define SLIDES                                                                                        \
    HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p0 bra D;\nE:" WORK "bra F;\nD:" WORK "\nF:" WORK \
                "bra G;\nB:" WORK "\nG:" WORK "ret;")

/* What a stack does with the same graph, in the same order. */
static void nested_ifs_meet_as_under_pdom(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "volta",
        .text = SLIDES,
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 F0111 G1111 ",
        .watch = {{"C", "(runs,C,0111) (waits,G,1000,for,0111,at,B0)"},
                  {"E", "(runs,E,0011) (waits,G,1000,for,0111,at,B0) (waits,F,0100,for,0011,at,B1)"},
                  {"G", "(runs,G,1111)"}},
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "joins"), 2);
    assert_int_equal(bench_counter(&b, "waits"), 4);
    assert_int_equal(bench_counter(&b, "opened"), 2);
    assert_int_equal(bench_counter(&b, "reconvergences"), 2);
    assert_int_equal(bench_counter(&b, "max_paths"), 2);
    assert_int_equal(bench_counter(&b, "broken") + bench_counter(&b, "rotations") + bench_counter(&b, "merges"), 0);
    bench_close(&b);
}

static void operations_without_cost_change_no_mask(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "volta",
        .knobs = "barrier_cost=no",
        .text = SLIDES,
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 B1000 C0111 D0100 E0011 F0111 G1111 ",
    };
    play_only(&walk);
}

static void the_oldest_or_the_largest_group_runs_first(void **state)
{
    (void)state;
    struct walk walk = {
        .mechanism = "volta",
        .knobs = "order=oldest",
        .text = SLIDES,
        .script = {{"A", "0111"}, {"C", "1011"}},
        .trace = "A1111 C0111 B1000 E0011 D0100 F0111 G1111 ",
    };
    play_only(&walk);
    walk.knobs = "order=most-threads";
    walk.trace = "A1111 C0111 E0011 D0100 F0111 B1000 G1111 ";
    play_only(&walk);
    walk.knobs = "order=stack";
    walk.trace = "A1111 B1000 C0111 D0100 E0011 F0111 G1111 ";
    play_only(&walk);
}

/* A turn ends with each control instruction: L is a loop of threads 0 and 1, M one of the others. */
static void turns_are_taken_at_control_instructions(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "volta",
        .knobs = "order=round-robin",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra M;\nL:" WORK "@%p0 bra L;\nK: bra E;\nM:" WORK "@%p0 bra M;\nE:" WORK
                            "ret;"),
        .script =
            {{"A", "1100"}, {"L", "0000"}, {"L", "0000"}, {"L", "1111"}, {"M", "0000"}, {"M", "0000"}, {"M", "1111"}},
        .trace = "A1111 L1100 M0011 L1100 M0011 L1100 M0011 K1100 E1111 ",
    };
    play_only(&walk);
}

static void a_loop_that_threads_leave_one_by_one(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "volta",
        .text = HEAD KERNEL("A:" WORK "\nL:" WORK "@%p0 bra L;\nM:" WORK "ret;"),
        .script = {{"L", "0001"}, {"L", "0001"}, {"L", "0011"}, {"L", "0111"}, {"L", "1111"}},
        .trace = "A1111 L1111 L1110 L1110 L1100 L1000 M1111 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_int_equal(bench_counter(&b, "joins"), 1); /* not in every round */
    assert_int_equal(bench_counter(&b, "waits"), 4);
    bench_close(&b);
}

static void ended_threads_are_not_waited_for(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "volta",
        .text = HEAD KERNEL("A:" WORK "@%p0 bra D;\nB:" WORK "@%p0 exit;\nC:" WORK "\nD:" WORK "ret;"),
        .script = {{"A", "0011"}, {"B", "1100"}},
        .trace = "A1111 B0011 D1100 ",
    };
    struct walk late = walk;
    late.script[1].way = "1101";
    late.trace = "A1111 B0011 C0001 D1101 ";
    play_only(&walk);
    play_only(&late);
}

/* Each depth has registers of its own; the caller's are saved while the callee uses them. */
static void a_recursive_call_does_not_meet_its_caller(void **state)
{
    (void)state;
    static const struct walk walk = {
        .mechanism = "volta",
        .text = HEAD ".func f();\n" FUNC("f", "F:" WORK "@%p0 bra H;\nG: call f;\nI:" WORK "\nH:" WORK "ret;")
            KERNEL("A:" WORK "call f;\nB:" WORK "ret;"),
        .script = {{"F", "0011"}, {"F", "0001"}, {"F", "0000"}},
        .trace = "A1111 F1111 G0011 F0011 G0001 F0001 H0001 I0001 H0011 I0011 H1111 B1111 ",
    };
    struct bench b;
    play(&b, &walk);
    assert_true(bench_counter(&b, "register_saves") > 0);
    bench_close(&b);
}

/* ---- other plans ---- */

/* Iteration delay: D is waited for across rounds of the loop (Damani et al., Figure 1). Threads 0 and 1 take it in their
 * second round, the others in their first. */
#define DELAY                                                                                                     \
    HEAD KERNEL("A:" WORK "\nB:" WORK "@%p0 bra F;\nC:" WORK "@%p0 bra E;\nD:" WORK "\nE:" WORK "bra B;\nF:" WORK \
                "ret;")
static void delayed_iterations_run_the_expensive_block_together(void **state)
{
    (void)state;
    static const struct planned p = {
        .walk = {.text = DELAY,
                 .script = {{"B", "1111"}, {"B", "1111"}, {"B", "0000"}, {"C", "0011"}, {"C", "1100"}},
                 .trace = "A1111 B1111 C1111 E1100 B1100 C1100 D1111 E1111 B1111 F1100 C0011 E0011 B0011 F0011 "},
        .plan = "A join 0, D wait 0, D rejoin 0, F cancel 0",
    };
    play_planned_only(&p);
}

static void a_soft_wait_lets_go_at_its_threshold(void **state)
{
    (void)state;
    static const struct planned p = {
        .walk = {.text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "@%p0 bra C;\nD:" WORK "\nC:" WORK "\nE:" WORK
                                     "ret;"),
                 .script = {{"A", "0011"}, {"B", "0010"}},
                 .trace = "A1111 C1100 E1100 B0011 D0010 C0011 E0011 "},
        .plan = "A join 0, C soft 0 2",
    };
    struct planned strict = p;
    strict.plan = "A join 0, C wait 0";
    strict.walk.trace = "A1111 B0011 D0010 C1111 E1111 ";
    struct bench b;
    play_planned_only(&strict);
    play_planned(&b, &p);
    assert_int_equal(bench_counter(&b, "opened_soft"), 1);
    close_planned(&b);
}

static void who_cancels_is_not_waited_for(void **state)
{
    (void)state;
    static const struct planned p = {
        .walk = {.text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "\nD:" WORK "\nC:" WORK "ret;"),
                 .script = {{"A", "0011"}},
                 .trace = "A1111 B0011 C1100 D0011 C0011 "},
        .plan = "A join 0, B->D cancel 0, B->D yield, C wait 0",
    };
    play_planned_only(&p);
}

/* All wait, and for each other: the one who waits for longest goes on. */
static void a_circle_of_waits_is_broken(void **state)
{
    (void)state;
    static const struct planned p = {
        .walk = {.text = HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra D;\nC:" WORK "\nD:" WORK "ret;"),
                 .script = {{"A", "0011"}},
                 .trace = "A1111 C1100 D1100 B0011 D0011 "},
        .plan = "A join 0, A join 1, C wait 0, B wait 1",
    };
    struct bench b;
    play_planned(&b, &p);
    assert_int_equal(bench_counter(&b, "broken"), 1);
    close_planned(&b);
}

/* The callee's registers are gone when threads return; what stands on the way back from a call is done then. */
static void threads_that_return_leave_the_callees_barriers(void **state)
{
    (void)state;
    static const struct planned p = {
        .walk = {.text = HEAD FUNC("f", "F:" WORK "@%p0 bra H;\nG:" WORK "ret;\nH:" WORK "\nI:" WORK "ret;")
                     KERNEL("A:" WORK "call f;\nB:" WORK "ret;"),
                 .script = {{"F", "0011"}},
                 .trace = "A1111 F1111 G0011 H1100 I1100 B0011 B1100 "},
        .plan = "F join 0, H wait 0, A->B yield",
    };
    struct bench b;
    play_planned(&b, &p);
    assert_int_equal(bench_counter(&b, "yields"), 2);
    assert_int_equal(bench_counter(&b, "broken"), 0);
    close_planned(&b);
}

/* Threads of one warp that joined in the kernel meet in a function that they call from two places. */
static void a_barrier_that_spans_calls_is_waited_at_in_the_callee(void **state)
{
    (void)state;
    static const struct planned p = {
        .walk = {.text = HEAD FUNC("f", "F:" WORK "ret;")
                     KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "call f;\nD: bra E;\nC:" WORK "call f;\nE:" WORK "ret;"),
                 .script = {{"A", "0011"}},
                 .trace = "A1111 C1100 B0011 F1111 D0011 E0011 E1100 "},
        .plan = "A join 0, F wait 0",
        .spans_calls = true,
    };
    struct planned within = p;
    within.spans_calls = false;
    within.walk.trace = "A1111 C1100 F1100 E1100 B0011 F0011 D0011 E0011 ";
    play_planned_only(&p);
    play_planned_only(&within);
}

/* ---- limits ---- */

/* Thread 0 goes to W; the others spin in S until they have been there ten times. */
#define SPIN HEAD KERNEL("A:" WORK "@%p0 bra W;\nS:" WORK "@%p0 bra S;\nT: bra E;\nW:" WORK "\nE:" WORK "ret;")

static int spin_ten_times(struct bench *b, int thread, int32_t pc, int ways)
{
    (void)ways;
    if (!strcmp(bench_label(b, pc, true), "A"))
        return thread != 0;
    return b->thread[thread].visits[b->program->insns[pc].branch] >= 9;
}

static char *spin_under(const char *settings, const char *plan)
{
    struct bench b;
    struct knob_words knobs;
    const struct div_ops *ops = div_find("volta");
    set_knobs(&knobs, ops->knobs, settings);
    bench_open(&b, SPIN, spin_ten_times, NULL);
    b.knobs = &knobs;
    b.watch = watch_walk;
    static const struct walk none;
    b.script = &none;
    b.plan = read_plan(&b, plan, false);
    bench_begin_with(&b, ops, 4);
    bench_launch(&b, 0, 4);
    bench_run(&b);
    char *trace = text_take(&b.trace);
    close_planned(&b);
    return trace;
}

static void expect_spin(const char *settings, const char *plan, const char *expected)
{
    char *trace = spin_under(settings, plan);
    assert_string_equal(trace, expected);
    free(trace);
}

#define S5 "S0111 S0111 S0111 S0111 S0111 "

static void yields_let_others_go(void **state)
{
    (void)state;
    static const char plan[] = "A join 0, S->S yield, E wait 0";
    expect_spin("order=oldest", plan, "A1111 S0111 W1000 " S5 "S0111 S0111 S0111 S0111 T0111 E1111 ");
    expect_spin("yield_limit=5", plan, "A1111 W1000 " S5 "E1000 " S5 "T0111 E0111 ");
    expect_spin("yield_limit=1", plan, "A1111 W1000 S0111 E1000 S0111 S0111 S0111 S0111 " S5 "T0111 E0111 ");
}

/* All others go before it: not only D, which the stack has on top, but B below it, too. */
static void who_yields_goes_behind_all(void **state)
{
    (void)state;
    static const struct planned p = {
        .walk = {.text =
                     HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "bra E;\nC:" WORK "@%p0 bra S;\nD:" WORK "bra E;\n"
                                 "S:" WORK "@%p0 bra S;\nT: bra E;\nE:" WORK "ret;"),
                 .script = {{"A", "1100"}, {"C", "1110"}, {"S", "0000"}, {"S", "1111"}},
                 .trace = "A1111 C0011 S0001 D0010 B1100 S0001 T0001 E1111 "},
        .plan = "A join 0, S->S yield, E wait 0",
    };
    play_planned_only(&p);
}

/* Thread 0 waits for thread 1, which yields once; that the others yield too is nothing to it. */
static void yields_of_others_do_not_count(void **state)
{
    (void)state;
    static const struct planned p = {
        .walk = {.knobs = "yield_limit=2",
                 .text = HEAD KERNEL("A:" WORK "@%p0 bra B;\nS:" WORK "@%p0 bra S;\nT: bra E;\nB:" WORK "@%p0 bra W;\n"
                                     "Y:" WORK "@%p0 bra Y;\nZ: bra W;\nW:" WORK "\nE:" WORK "ret;"),
                 .script = {{"A", "0011"}, {"B", "0111"}, {"Y", "0000"}, {"Y", "1111"}, {"S", "0000"}, {"S", "1111"}},
                 .trace = "A1111 B1100 Y0100 S0011 Y0100 Z0100 W1100 S0011 T0011 E1111 "},
        .plan = "A join 0, B join 1, S->S yield, Y->Y yield, W wait 1, E wait 0",
    };
    play_planned_only(&p);
}

/* When thread 1 leaves the barrier there is hope again that the others come. */
static void who_leaves_renews_patience(void **state)
{
    (void)state;
    static const struct planned p = {
        .walk = {.knobs = "yield_limit=4",
                 .text = HEAD KERNEL("A:" WORK "@%p0 bra W;\nS:" WORK "@%p0 bra S;\nT:" WORK "ret;\nW:" WORK "ret;"),
                 .script = {{"A", "0111"}, {"S", "0000"}, {"S", "0000"}, {"S", "0100"}, {"S", "0000"}, {"S", "1111"}},
                 .trace = "A1111 S0111 S0111 S0111 T0100 S0011 S0011 T0011 W1000 "},
        .plan = "A join 0, S->S yield, T cancel 0, W wait 0",
    };
    play_planned_only(&p);
}

/* The bench takes a cycle for an instruction: S and its branch are two. */
static void time_limits_let_others_go(void **state)
{
    (void)state;
    static const char plan[] = "A join 0, E wait 0";
    expect_spin("", plan, "A1111 W1000 " S5 S5 "T0111 E1111 ");
    expect_spin("patience_cycles=10", plan, "A1111 W1000 " S5 "E1000 " S5 "T0111 E0111 ");
    expect_spin("order=oldest timeout_cycles=6", plan, "A1111 S0111 S0111 S0111 W1000 S0111 S0111 " S5 "T0111 E1111 ");
}

/* ---- random graphs ---- */

static struct barrier_plan *draw_plan(struct random *r, const struct program *p)
{
    struct barrier_plan *plan = random_u64(r) & 1 ? barriers_place(p) : barrier_plan_create(p);
    int32_t first = plan->barriers.count, count = (int)(random_u64(r) % 40);
    for (int i = 0; i < 4; i++) {
        int32_t barrier = barrier_add(plan, -1, random_u64(r) & 1, "any");
        plan->barriers.data[barrier].reg = (int32_t)(random_u64(r) % 16);
    }
    for (int i = 0; i < count; i++) {
        struct barrier_op op = {.kind = (uint8_t)(random_u64(r) % 6),
                                .threshold = (uint8_t)(1 + random_u64(r) % 40),
                                .barrier = first + (int32_t)(random_u64(r) % 4)};
        const struct flow_block *b = &p->blocks[random_u64(r) % (unsigned)p->block_count];
        struct barrier_place place = barrier_before((int32_t)(random_u64(r) % (unsigned)p->insn_count));
        if (b->successor_count && random_u64(r) & 1)
            place = barrier_between(p, p->insns[b->first].block,
                                    b->successors[random_u64(r) % (unsigned)b->successor_count]);
        if (op.kind == BARRIER_YIELD)
            op.barrier = BARRIER_NONE;
        barrier_append(plan, place, op);
    }
    return plan;
}

static void run_random(struct bench *b, int width, const uint64_t *path, const int *steps)
{
    int total = 0;
    bench_begin_with(b, div_find("volta"), width);
    bench_launch(b, 0, 40);
    bench_launch(b, 1, 75);
    bench_run(b);
    compare_paths(b, path, steps, 0, 40);
    compare_paths(b, path, steps, 64, 64 + 75);
    for (int i = 0; i < 64 + 75; i++)
        total += i < 40 || i >= 64 ? steps[i] : 0;
    assert_in_range(b->issues, (total + width - 1) / width, total);
    assert_int_equal(bench_counter(b, "issues"), b->issues);
    bench_end(b);
}

/* Under any plan each thread goes its own way to its end. */
static void random_graphs(void **state)
{
    (void)state;
    static const int widths[] = {1, 2, 4, 32, 64};
    static struct bench b;
    uint64_t path[64 + 75];
    int steps[64 + 75];
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random r = {seed};
        struct knob_words knobs;
        const struct knob_table *table = div_find("volta")->knobs;
        char *text = random_module(&r, seed & 4);
        bench_open(&b, text, random_choice, &seed);
        walk_alone(&b, path, steps, 64 + 75);
        b.knobs = &knobs;
        for (int w = 0; w < 5; w++) {
            if (w)
                draw_knobs(&r, table, &knobs);
            else
                knob_defaults(table, &knobs);
            b.latency = w & 1 ? 5 : 0;
            b.plan = (seed + (unsigned)w) % 3 ? draw_plan(&r, b.program) : NULL;
            run_random(&b, widths[w], path, steps);
            barrier_plan_destroy(b.plan);
            b.plan = NULL;
        }
        bench_close(&b);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_ifs_meet_as_under_pdom),
        cmocka_unit_test(operations_without_cost_change_no_mask),
        cmocka_unit_test(the_oldest_or_the_largest_group_runs_first),
        cmocka_unit_test(turns_are_taken_at_control_instructions),
        cmocka_unit_test(a_loop_that_threads_leave_one_by_one),
        cmocka_unit_test(ended_threads_are_not_waited_for),
        cmocka_unit_test(a_recursive_call_does_not_meet_its_caller),
        cmocka_unit_test(delayed_iterations_run_the_expensive_block_together),
        cmocka_unit_test(a_soft_wait_lets_go_at_its_threshold),
        cmocka_unit_test(who_cancels_is_not_waited_for),
        cmocka_unit_test(a_circle_of_waits_is_broken),
        cmocka_unit_test(threads_that_return_leave_the_callees_barriers),
        cmocka_unit_test(a_barrier_that_spans_calls_is_waited_at_in_the_callee),
        cmocka_unit_test(yields_let_others_go),
        cmocka_unit_test(who_yields_goes_behind_all),
        cmocka_unit_test(yields_of_others_do_not_count),
        cmocka_unit_test(who_leaves_renews_patience),
        cmocka_unit_test(time_limits_let_others_go),
        cmocka_unit_test(random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
