/*
 * Barrier plans: where post-dominators put barriers, what the analyses of a plan find, registers, and what makes a plan
 * unsound.
 */
#include "ptx/parse.h"
#include "recon/barrier_flow.h"
#include "recon/place_barriers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define REGS ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
/* %p0 differs between threads, %p1 does not. */
#define START            "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0; mov.u32 %r1, %ntid.x; setp.eq.u32 %p1, %r1, 64;\n"
#define FUNC(name, body) ".func " name "()\n{\n" REGS START body "\n}\n"
#define KERNEL(body)     ".visible .entry k()\n{\n" REGS START body "\n}\n"
#define WORK             " add.u32 %r2, %r2, 1; "

struct sample {
    struct ptx_module *module;
    struct program *program;
    struct barrier_plan *plan;
};

static struct sample open_sample(const char *text)
{
    struct sample s;
    struct diag diag = {0};
    char *error = NULL;
    s.module = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!s.module)
        diag_print(&diag, stderr);
    diag_free(&diag);
    assert_non_null(s.module);
    s.program = program_create(ptx_find_function(s.module, "k"), &error);
    if (!s.program)
        fail_msg("%s", error);
    s.plan = barriers_place(s.program);
    return s;
}

/* The same with an empty plan. */
static struct sample open_empty(const char *text)
{
    struct sample s = open_sample(text);
    barrier_plan_destroy(s.plan);
    s.plan = barrier_plan_create(s.program);
    return s;
}

static void close_sample(struct sample *s)
{
    barrier_plan_destroy(s->plan);
    program_destroy(s->program);
    ptx_destroy(s->module);
}

static int32_t at(const struct sample *s, const char *label)
{
    for (int f = 0; f < s->program->function_count; f++) {
        const struct program_function *pf = &s->program->functions[f];
        for (int i = 0; i < pf->source->label_count; i++)
            if (!strcmp(pf->source->labels[i].name, label))
                return pf->first + pf->source->labels[i].target;
    }
    fail_msg("no label %s", label);
    return PC_NONE;
}

static int32_t block(const struct sample *s, const char *label)
{
    return s->program->insns[at(s, label)].block;
}

static struct barrier_place way(const struct sample *s, const char *from, const char *to)
{
    return barrier_between(s->program, block(s, from), block(s, to));
}

static struct barrier_op op(enum barrier_kind kind, int32_t barrier)
{
    return (struct barrier_op){.kind = (uint8_t)kind, .barrier = barrier};
}

/* The operations, a line each: "A+1: join b0", "A+1 -> C: cancel b0". */
static char *operations(const struct barrier_plan *plan)
{
    struct text t = {0};
    for (int i = 0; i < plan->entries.count; i++) {
        const struct barrier_entry *e = &plan->entries.data[i];
        if (e->place.from != PC_NONE) {
            program_print_pc(plan->program, e->place.from, &t);
            text_printf(&t, " -> ");
        }
        program_print_pc(plan->program, e->place.pc, &t);
        text_printf(&t, ": ");
        barrier_print_op(&e->op, &t);
        text_printf(&t, "\n");
    }
    return text_take(&t);
}

static void expect_placed(const char *text, const char *expected)
{
    struct sample s = open_sample(text);
    char *found = operations(s.plan);
    assert_string_equal(found, expected);
    free(found);
    close_sample(&s);
}

/* ---- placement ---- */

static void an_if_joins_before_its_branch(void **state)
{
    (void)state;
    expect_placed(HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "bra D;\nB:" WORK "\nD:" WORK "ret;"),
                  "A+1: join b0\nD: wait b0\n");
}

static void uniform_branches_get_nothing(void **state)
{
    (void)state;
    expect_placed(HEAD KERNEL("A:" WORK "@%p1 bra B;\nC:" WORK "@%p0 bra.uni B;\nD:" WORK "\nB:" WORK "ret;"), "");
}

static void a_branch_whose_threads_meet_at_the_end_gets_nothing(void **state)
{
    (void)state;
    expect_placed(HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "ret;\nB:" WORK "ret;"), "");
}

/* Not in every round. */
static void a_loop_is_joined_on_the_way_into_it(void **state)
{
    (void)state;
    expect_placed(HEAD KERNEL("A:" WORK "\nL:" WORK "@%p0 bra L;\nM:" WORK "ret;"), "A -> L: join b0\nM: wait b0\n");
}

/* Of loops within each other that a branch leaves together, the outermost. */
static void loops_that_are_left_together_are_joined_outside(void **state)
{
    (void)state;
    expect_placed(HEAD KERNEL("A:" WORK "\nL:" WORK "\nI:" WORK "@%p0 bra E;\nB:" WORK "@%p1 bra I;\nC:" WORK
                              "@%p1 bra L;\n"
                              "D:" WORK "\nE:" WORK "ret;"),
                  "A -> L: join b0\nE: wait b0\n");
}

static void code_that_nobody_comes_to_gets_nothing(void **state)
{
    (void)state;
    expect_placed(HEAD KERNEL("A:" WORK "ret;\nU:" WORK "@%p0 bra W;\nV:" WORK "\nW:" WORK "ret;"), "");
    expect_placed(HEAD FUNC("f", "F:" WORK "@%p0 ret;\nG:" WORK "ret;")
                      KERNEL("A:" WORK "ret;\nU:" WORK "call f;\nB:" WORK "ret;"),
                  "");
}

/* Where threads start in the loop there is no way into it. */
static void a_loop_from_the_start_is_joined_in_it(void **state)
{
    (void)state;
    expect_placed(HEAD ".visible .entry k()\n{\n" REGS "L: setp.eq.u32 %p0, %tid.x, 0; @%p0 bra L;\nM:" WORK
                       "ret;\n}\n",
                  "L+1: join b0\nM: wait b0\n");
}

/* The break and the loop's own exit meet at E: one barrier, joined once. The if around the break needs no cancel. */
static void a_break_shares_the_loops_barrier(void **state)
{
    (void)state;
    expect_placed(HEAD KERNEL("A:" WORK "\nL:" WORK "@%p0 bra E;\nB:" WORK "@%p0 bra L;\nC:" WORK "\nE:" WORK "ret;"),
                  "A -> L: join b0\nE: wait b0\n");
}

/* A branch that can only be come to from inside the other needs no join; one that can be come to otherwise does. */
static void branches_of_one_meeting_place_share_its_barrier(void **state)
{
    (void)state;
    expect_placed(HEAD KERNEL("A:" WORK "@%p0 bra D;\nB:" WORK "@%p0 bra D;\nC:" WORK "\nD:" WORK "ret;"),
                  "A+1: join b0\nD: wait b0\n");
    expect_placed(
        HEAD KERNEL("Z:" WORK "@%p1 bra B;\nA:" WORK "@%p0 bra D;\nB:" WORK "@%p0 bra D;\nC:" WORK "\nD:" WORK "ret;"),
        "A+1: join b0\nB+1: join b0\nD: wait b0\n");
}

static void nested_ifs_have_registers_from_the_outside_in(void **state)
{
    (void)state;
    struct sample s = open_sample(HEAD KERNEL("A:" WORK "@%p0 bra E;\nB:" WORK "@%p0 bra D;\nC:" WORK "\nD:" WORK
                                              "\nE:" WORK "@%p0 bra G;\nF:" WORK "\nG:" WORK "ret;"));
    char *found = operations(s.plan);
    assert_string_equal(found, "A+1: join b0\nB+1: join b1\nD: wait b1\nE: wait b0\nE+1: join b2\nG: wait b2\n");
    assert_int_equal(s.plan->barriers.data[0].reg, 0);
    assert_int_equal(s.plan->barriers.data[1].reg, 1);
    assert_int_equal(s.plan->barriers.data[2].reg, 0); /* free again */
    free(found);
    close_sample(&s);
}

/* Each branch is within all those before it. Looking at all pairs of barriers at every point would take half a minute. */
static void thousands_of_nested_ifs_are_no_trouble(void **state)
{
    (void)state;
    enum { COUNT = 8000 };
    struct text t = {0};
    int kept = 0;
    text_printf(&t, "%s.visible .entry k()\n{\n%s%s", HEAD, REGS, START);
    for (int i = 0; i < COUNT; i++)
        text_printf(&t, "setp.eq.u32 %%p0, %%r0, %d; @%%p0 bra L%d; add.u32 %%r2, %%r2, 1;\n", i, i);
    for (int i = COUNT - 1; i >= 0; i--)
        text_printf(&t, "L%d: add.u32 %%r2, %%r2, 1;\n", i);
    text_printf(&t, "ret;\n}\n");
    struct sample s = open_sample(t.data);
    assert_int_equal(s.plan->barriers.count, COUNT);
    assert_int_equal(s.plan->dropped, COUNT - BARRIER_REGISTERS);
    for (int i = 0; i < COUNT; i++)
        kept += !s.plan->barriers.data[i].is_dropped;
    assert_int_equal(kept, BARRIER_REGISTERS);
    for (int i = 0; i < BARRIER_REGISTERS; i++)
        assert_int_equal(s.plan->barriers.data[i].reg, i);
    close_sample(&s);
    text_free(&t);
}

/* Threads on the way to X do not come to D any more, though they live on for a while. */
static void threads_that_will_end_elsewhere_cancel(void **state)
{
    (void)state;
    expect_placed(HEAD KERNEL("A:" WORK "@%p0 bra B;\nC:" WORK "@%p1 bra X;\nE:" WORK "bra D;\nB:" WORK "\nD:" WORK
                              "ret;\nX:" WORK "exit;"),
                  "A+1: join b0\nD: wait b0\nC+1 -> X: cancel b0\n");
}

static void threads_that_return_apart_meet_behind_the_call(void **state)
{
    (void)state;
    expect_placed(HEAD FUNC("f", "F:" WORK "@%p0 ret;\nG:" WORK "ret;") KERNEL("A:" WORK "call f;\nB:" WORK "ret;"),
                  "A+1: join b0\nB: wait b0\n");
    expect_placed(HEAD FUNC("f", "F:" WORK "ret;") KERNEL("A:" WORK "call f;\nB:" WORK "ret;"), "");
    expect_placed(HEAD FUNC("f", "F:" WORK "ret;") KERNEL("A:" WORK "@%p0 call f;\nB:" WORK "ret;"),
                  "A+1: join b0\nB: wait b0\n");
    /* by a pointer that all share, to one of two functions, from the first of which they return apart */
    expect_placed(HEAD FUNC("f", "F:" WORK "@%p0 ret;\nG:" WORK "ret;") FUNC("g", "H:" WORK "ret;") KERNEL(
                      "mov.u64 %rd0, f; mov.u64 %rd1, g; P: .callprototype _ ();\nselp.u64 %rd0, %rd0, %rd1, %p1;\n"
                      "A:" WORK "call %rd0, P;\nB:" WORK "ret;"),
                  "A+1: join b0\nB: wait b0\n");
}

static void loops_that_poll_yield(void **state)
{
    (void)state;
    expect_placed(HEAD KERNEL("A:" WORK
                              "\nL: ld.volatile.global.u32 %r3, [%rd0]; setp.eq.u32 %p2, %r3, 0;\n@%p2 bra L;\n"
                              "M:" WORK "ret;"),
                  "A -> L: join b0\nL+2 -> L: yield\nM: wait b0\n");
    expect_placed(HEAD KERNEL("L: ld.global.u32 %r3, [%rd0]; setp.eq.u32 %p2, %r3, 0;\n@%p2 bra L;\nM:" WORK "ret;"),
                  "A+3 -> L: join b0\nM: wait b0\n");
#define ROUNDS_OF(what) HEAD KERNEL("A:" WORK "\nL: " what " setp.eq.u32 %p2, %r3, 0; @%p2 bra L;\nM:" WORK "ret;")
    static const char *const polling[] = {
        ROUNDS_OF("atom.global.exch.b32 %r3, [%rd0], 1;"), ROUNDS_OF("ld.relaxed.gpu.global.u32 %r3, [%rd0];"),
        ROUNDS_OF("ld.acquire.gpu.global.u32 %r3, [%rd0];"), ROUNDS_OF("membar.gl; ld.global.u32 %r3, [%rd0];"),
        ROUNDS_OF("nanosleep.u32 20; ld.global.u32 %r3, [%rd0];")};
    for (size_t i = 0; i < sizeof polling / sizeof *polling; i++) {
        struct sample s = open_sample(polling[i]);
        assert_true(barrier_find(s.plan, BARRIER_YIELD, BARRIER_NONE) >= 0);
        close_sample(&s);
    }
    /* who only adds waits for nobody */
    expect_placed(ROUNDS_OF("red.global.add.u32 [%rd0], 1; ld.global.u32 %r3, [%rd0];"),
                  "A -> L: join b0\nM: wait b0\n");
}

/* Twenty ifs within each other: the four innermost do without. */
static void more_than_there_are_registers(void **state)
{
    (void)state;
    struct text t = {0};
    text_printf(&t, "%s", HEAD ".visible .entry k()\n{\n" REGS START);
    for (int i = 0; i < 20; i++)
        text_printf(&t, "@%%p0 bra E%d;\n%s", i, WORK);
    for (int i = 19; i >= 0; i--)
        text_printf(&t, "E%d:%s", i, WORK);
    text_printf(&t, "ret;\n}\n");
    struct sample s = open_sample(t.data);
    assert_int_equal(s.plan->barriers.count, 20);
    assert_int_equal(s.plan->dropped, 4);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(s.plan->barriers.data[i].reg, i < 16 ? i : BARRIER_NONE);
        assert_int_equal(s.plan->barriers.data[i].is_dropped, i >= 16);
        assert_int_equal(barrier_find(s.plan, BARRIER_WAIT, i) >= 0, i < 16);
    }
    text_free(&t);
    close_sample(&s);
}

/* ---- plans ---- */

static void operations_keep_their_order(void **state)
{
    (void)state;
    struct sample s = open_empty(HEAD KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "\nC:" WORK "ret;"));
    int32_t b0 = barrier_add(s.plan, -1, false, "first"), b1 = barrier_add(s.plan, -1, false, "second");
    barrier_append(s.plan, barrier_before(at(&s, "C")), op(BARRIER_WAIT, b0));
    barrier_append(s.plan, barrier_before(at(&s, "C")), op(BARRIER_REJOIN, b0));
    barrier_prepend(s.plan, barrier_before(at(&s, "C")), op(BARRIER_CANCEL, b1));
    barrier_append(s.plan, way(&s, "B", "C"), op(BARRIER_YIELD, BARRIER_NONE));
    barrier_append(s.plan, way(&s, "A", "C"),
                   (struct barrier_op){.kind = BARRIER_SOFT_WAIT, .threshold = 8, .barrier = b1});
    barrier_append(s.plan, barrier_before(at(&s, "A")), op(BARRIER_JOIN, b1));
    char *found = operations(s.plan);
    assert_string_equal(found, "A: join b1\nA+1 -> C: soft wait b1 at 8\nB -> C: yield\nC: cancel b1\nC: wait b0\n"
                               "C: rejoin b0\n");
    free(found);
    struct barrier_range r = barrier_at(s.plan, barrier_before(at(&s, "C")));
    assert_int_equal(r.first, 3);
    assert_int_equal(r.count, 3);
    assert_int_equal(barrier_at(s.plan, way(&s, "A", "B")).count, 0);
    barrier_remove_all(s.plan, b1);
    barrier_remove(s.plan, barrier_find(s.plan, BARRIER_REJOIN, b0));
    found = operations(s.plan);
    assert_string_equal(found, "B -> C: yield\nC: wait b0\n");
    free(found);
    close_sample(&s);
}

/* ---- analyses: Listing 1 and Figure 4 of the paper ---- */

/* BB0 to BB5 are A to F: loop header B, condition C, the reconvergence point D, epilog E. */
#define LISTING_1                                                                                                 \
    HEAD KERNEL("A:" WORK "\nB:" WORK "@%p0 bra F;\nC:" WORK "@%p0 bra E;\nD:" WORK "\nE:" WORK "bra B;\nF:" WORK \
                "ret;")

static char *blocks_with(const struct sample *s, const struct barrier_flow *flow, const uint64_t *sets, int32_t barrier)
{
    struct text t = {0};
    for (int32_t b = 0; b < s->program->block_count; b++)
        if (barrier_is_in(flow, sets, b, barrier))
            text_printf(&t, "%s", s->program->blocks[b].name);
    return text_take(&t);
}

static void expect_blocks(const struct sample *s, const struct barrier_flow *flow, const uint64_t *sets,
                          int32_t barrier, const char *expected)
{
    char *found = blocks_with(s, flow, sets, barrier);
    assert_string_equal(found, expected);
    free(found);
}

static void joined_and_live_as_in_figure_4(void **state)
{
    (void)state;
    struct sample s = open_empty(LISTING_1);
    struct arena arena = {0};
    int32_t b0 = barrier_add(s.plan, -1, false, "predicted");
    barrier_append(s.plan, barrier_before(at(&s, "A")), op(BARRIER_JOIN, b0));
    barrier_append(s.plan, barrier_before(at(&s, "D")), op(BARRIER_WAIT, b0));
    struct barrier_flow flow = barrier_flow_create(s.plan, &arena);
    expect_blocks(&s, &flow, flow.joined_in, b0, "BCDEF");
    expect_blocks(&s, &flow, flow.joined_out, b0, "ABCEF"); /* cleared at D */
    expect_blocks(&s, &flow, flow.live_in, b0, "BCDE");     /* dead at A and F */
    expect_blocks(&s, &flow, flow.live_out, b0, "ABCDE");
    uint64_t set;
    barrier_joined_before(&flow, barrier_find(s.plan, BARRIER_WAIT, b0), &set);
    assert_int_equal(set, 1);
    barrier_joined_before(&flow, barrier_find(s.plan, BARRIER_JOIN, b0), &set);
    assert_int_equal(set, 0);
    barrier_live_after(&flow, barrier_find(s.plan, BARRIER_WAIT, b0), &set);
    assert_int_equal(set, 1); /* cleared, yet live: a rejoin is wanted */
    arena_free(&arena);
    close_sample(&s);
}

/* With the rejoin, the cancel and the barrier of the region's exit, it is a plan; E's own if meets at E. */
static void the_plan_of_figure_4_is_sound(void **state)
{
    (void)state;
    struct sample s = open_empty(LISTING_1);
    char *error;
    int32_t b0 = barrier_add(s.plan, -1, false, "predicted"), b1 = barrier_add(s.plan, -1, false, "if"),
            exit = barrier_add(s.plan, -1, false, "region exit");
    barrier_append(s.plan, barrier_before(at(&s, "A")), op(BARRIER_JOIN, b0));
    barrier_append(s.plan, barrier_before(at(&s, "A")), op(BARRIER_JOIN, exit));
    barrier_append(s.plan, barrier_before(at(&s, "C") + 1), op(BARRIER_JOIN, b1));
    barrier_append(s.plan, barrier_before(at(&s, "D")), op(BARRIER_CANCEL, b1));
    barrier_append(s.plan, barrier_before(at(&s, "D")), op(BARRIER_WAIT, b0));
    barrier_append(s.plan, barrier_before(at(&s, "D")), op(BARRIER_REJOIN, b0));
    barrier_append(s.plan, barrier_before(at(&s, "E")), op(BARRIER_WAIT, b1));
    barrier_append(s.plan, barrier_before(at(&s, "F")), op(BARRIER_CANCEL, b0));
    barrier_append(s.plan, barrier_before(at(&s, "F")), op(BARRIER_WAIT, exit));
    assert_int_equal(barrier_colour(s.plan), 0);
    if (!barrier_check(s.plan, &error))
        fail_msg("%s", error);
    assert_int_equal(s.plan->barriers.data[b0].reg, 0); /* threads are in these two for equally long */
    assert_int_equal(s.plan->barriers.data[exit].reg, 1);
    assert_int_equal(s.plan->barriers.data[b1].reg, 2);
    close_sample(&s);
}

/* ---- soundness ---- */

static void expect_unsound(struct sample *s, const char *expected)
{
    char *error = NULL;
    assert_false(barrier_check(s->plan, &error));
    if (!strstr(error, expected))
        fail_msg("'%s' is not in '%s'", expected, error);
    free(error);
}

#define IF_IN_FUNCTION                                                  \
    HEAD FUNC("f", "F:" WORK "@%p0 bra H;\nG:" WORK "\nH:" WORK "ret;") \
        KERNEL("A:" WORK "@%p0 bra C;\nB:" WORK "\nC:" WORK "call f;\nD:" WORK "ret;")

static void unsound_plans_are_told(void **state)
{
    (void)state;
    struct sample s = open_empty(IF_IN_FUNCTION);
    int32_t b0 = barrier_add(s.plan, -1, false, "it");
    s.plan->barriers.data[b0].reg = 0;
    barrier_append(s.plan, barrier_before(at(&s, "C")), op(BARRIER_WAIT, b0));
    expect_unsound(&s, "threads wait at b0, and none can have joined it");
    barrier_append(s.plan, barrier_before(at(&s, "D")), op(BARRIER_JOIN, b0)); /* behind it */
    expect_unsound(&s, "threads wait at b0, and none can have joined it");
    barrier_append(s.plan, barrier_before(at(&s, "F")), op(BARRIER_CANCEL, b0));
    expect_unsound(&s, "b0 is used in k and in f, but does not span calls");
    s.plan->barriers.data[b0].spans_calls = true;
    char *error;
    assert_true(barrier_check(s.plan, &error));
    barrier_remove(s.plan, barrier_find(s.plan, BARRIER_JOIN, b0));
    expect_unsound(&s, "threads wait at b0, and none can have joined it");
    barrier_append(s.plan, barrier_before(at(&s, "G")), op(BARRIER_REJOIN, b0)); /* and returns */
    assert_true(barrier_check(s.plan, &error));
    barrier_remove_all(s.plan, b0);
    s.plan->barriers.data[b0].spans_calls = false;
    barrier_append(s.plan, barrier_before(at(&s, "F")), op(BARRIER_JOIN, b0));
    expect_unsound(&s, "threads may return while they are in b0");
    barrier_append(s.plan, barrier_before(at(&s, "H")), op(BARRIER_WAIT, b0));
    assert_true(barrier_check(s.plan, &error));
    int32_t b1 = barrier_add(s.plan, -1, false, "within");
    s.plan->barriers.data[b1].reg = 0;
    barrier_append(s.plan, barrier_before(at(&s, "G")), op(BARRIER_JOIN, b1));
    barrier_prepend(s.plan, barrier_before(at(&s, "H")), op(BARRIER_WAIT, b1));
    expect_unsound(&s, "b0 and b1 share the register B0, and threads can be in both");
    s.plan->barriers.data[b1].reg = BARRIER_NONE;
    expect_unsound(&s, "b1 has no register");
    s.plan->barriers.data[b1].reg = BARRIER_REGISTERS;
    expect_unsound(&s, "b1 has no register");
    close_sample(&s);
}

/* Threads that return by a guarded `ret` leave the barriers of the function. A `ret` without a guard must have none. */
static void participants_may_take_a_guarded_return(void **state)
{
    (void)state;
    struct sample s = open_empty(HEAD FUNC("f", "F:" WORK "@%p0 ret;\nG:" WORK "ret;") KERNEL("call f; ret;"));
    char *error;
    int32_t b0 = barrier_add(s.plan, -1, false, "it");
    s.plan->barriers.data[b0].reg = 0;
    barrier_append(s.plan, barrier_before(at(&s, "F")), op(BARRIER_JOIN, b0));
    expect_unsound(&s, "threads may return while they are in b0");
    barrier_append(s.plan, barrier_before(at(&s, "G")), op(BARRIER_WAIT, b0));
    assert_true(barrier_check(s.plan, &error));
    close_sample(&s);
}

static void operations_at_no_place_are_told(void **state)
{
    (void)state;
    struct sample s = open_empty(IF_IN_FUNCTION);
    struct barrier_op yield = op(BARRIER_YIELD, BARRIER_NONE);
    static const struct barrier_op soft = {.kind = BARRIER_SOFT_WAIT, .threshold = 0, .barrier = 0};
    char *error;
    barrier_append(s.plan, (struct barrier_place){at(&s, "A"), at(&s, "C")}, yield); /* not A's last instruction */
    expect_unsound(&s, "there is no edge from PC");
    s.plan->entries.count = 0;
    barrier_append(s.plan, way(&s, "A", "D"), yield);
    expect_unsound(&s, "there is no edge from PC");
    s.plan->entries.count = 0;
    barrier_append(s.plan, way(&s, "C", "D"), yield); /* back from the call */
    barrier_append(
        s.plan, (struct barrier_place){s.program->blocks[block(&s, "C")].last, s.program->functions[1].first}, yield);
    assert_true(barrier_check(s.plan, &error));
    barrier_append(s.plan, barrier_before(s.program->insn_count), yield);
    expect_unsound(&s, "which the program does not have");
    s.plan->entries.count = 0;
    barrier_append(s.plan, barrier_before(at(&s, "A")), op(BARRIER_JOIN, 0));
    expect_unsound(&s, "there is no barrier b0");
    s.plan->entries.count = 0;
    barrier_add(s.plan, -1, false, "it");
    barrier_append(s.plan, barrier_before(at(&s, "A")), soft);
    expect_unsound(&s, "a soft wait for 0 threads");
    close_sample(&s);
}

/* Its register is nobody else's, though their ranges are apart. */
static void a_barrier_that_spans_calls_has_its_own_register(void **state)
{
    (void)state;
    struct sample s = open_empty(IF_IN_FUNCTION);
    char *error;
    int32_t spans = barrier_add(s.plan, -1, true, "call"), other = barrier_add(s.plan, -1, false, "if");
    int32_t idle = barrier_add(s.plan, -1, false, "taken out");
    barrier_append(s.plan, barrier_before(at(&s, "A")), op(BARRIER_JOIN, other));
    barrier_append(s.plan, barrier_before(at(&s, "C")), op(BARRIER_WAIT, other));
    barrier_append(s.plan, barrier_before(at(&s, "C")), op(BARRIER_JOIN, spans));
    barrier_append(s.plan, barrier_before(at(&s, "F")), op(BARRIER_WAIT, spans));
    assert_int_equal(barrier_colour(s.plan), 0);
    assert_true(s.plan->barriers.data[spans].reg != s.plan->barriers.data[other].reg);
    assert_int_equal(s.plan->barriers.data[idle].reg, BARRIER_NONE); /* nobody does anything with it */
    s.plan->barriers.data[idle].reg = 1000;                          /* so it may claim any register */
    assert_true(barrier_check(s.plan, &error));
    s.plan->barriers.data[spans].reg = s.plan->barriers.data[other].reg;
    expect_unsound(&s, "share the register");
    close_sample(&s);
}

/* ---- for people ---- */

static void a_plan_in_words(void **state)
{
    (void)state;
    struct sample s = open_sample(LISTING_1);
    struct text t = {0};
    barrier_print(s.plan, &t);
    assert_string_equal(t.data, "barriers of k: 2, in 2 registers\n"
                                "  b0  B0  branch at B+1\n"
                                "  b1  B1  branch at C+1\n"
                                "  block B  PCs 5-6\n"
                                "    from A: join b0\n"
                                "  block C  PCs 7-8\n"
                                "    before C+1: join b1\n"
                                "  block E  PCs 10-11\n"
                                "    before E: wait b1\n"
                                "  block F  PCs 12-13\n"
                                "    before F: wait b0\n");
    text_free(&t);
    close_sample(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_if_joins_before_its_branch),
        cmocka_unit_test(uniform_branches_get_nothing),
        cmocka_unit_test(a_branch_whose_threads_meet_at_the_end_gets_nothing),
        cmocka_unit_test(a_loop_is_joined_on_the_way_into_it),
        cmocka_unit_test(loops_that_are_left_together_are_joined_outside),
        cmocka_unit_test(code_that_nobody_comes_to_gets_nothing),
        cmocka_unit_test(a_loop_from_the_start_is_joined_in_it),
        cmocka_unit_test(a_break_shares_the_loops_barrier),
        cmocka_unit_test(branches_of_one_meeting_place_share_its_barrier),
        cmocka_unit_test(nested_ifs_have_registers_from_the_outside_in),
        cmocka_unit_test(thousands_of_nested_ifs_are_no_trouble),
        cmocka_unit_test(threads_that_will_end_elsewhere_cancel),
        cmocka_unit_test(threads_that_return_apart_meet_behind_the_call),
        cmocka_unit_test(loops_that_poll_yield),
        cmocka_unit_test(more_than_there_are_registers),
        cmocka_unit_test(operations_keep_their_order),
        cmocka_unit_test(joined_and_live_as_in_figure_4),
        cmocka_unit_test(the_plan_of_figure_4_is_sound),
        cmocka_unit_test(unsound_plans_are_told),
        cmocka_unit_test(participants_may_take_a_guarded_return),
        cmocka_unit_test(operations_at_no_place_are_told),
        cmocka_unit_test(a_barrier_that_spans_calls_has_its_own_register),
        cmocka_unit_test(a_plan_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
