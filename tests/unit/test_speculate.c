/*
 * Speculative reconvergence: the worked example of Damani et al. (CGO 2020), Listing 1 with Figs 4, 5 and 6, block by block;
 * the listing of Fig. 3; calls; several predictions; and what is refused.
 *
 * Blocks are named by labels. The listing's own body is not in the paper's text: BB1 is the loop's header, BB2 the divergent
 * condition, BB3 the expensive code, BB4 the epilog, BB5 what comes behind the loop.
 */
#include "base/vec.h"
#include "recon/barrier_flow.h"
#include "recon/place_barriers.h"
#include "recon/speculate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD         ".version 7.0\n.target sm_75\n.address_size 64\n"
#define REGS         ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 k_a, .param .u32 k_n) {\n" REGS body "\n}\n"

/* %p0 differs between threads; %r1 is a parameter. */
#define START "mov.u32 %r0, %tid.x; ld.param.u32 %r1, [k_n]; mov.u32 %r2, 0;\n"
#define LISTING_1(label)                                                                                     \
    KERNEL(START ".pragma \"heddle.predict L1\"; mov.u32 %r4, 3;\n"                                          \
                 "BB1: setp.ge.u32 %p1, %r2, %r1; @%p1 bra BB5;\n"                                           \
                 "BB2: add.u32 %r2, %r2, 1; and.b32 %r3, %r0, %r2; setp.eq.u32 %p0, %r3, 0; @%p0 bra BB4;\n" \
                 "BB3: .pragma \"heddle.label L1" label "\"; mul.lo.u32 %r4, %r4, %r4;\n"                    \
                 "BB4: add.u32 %r5, %r5, 1; bra BB1;\n"                                                      \
                 "BB5: ld.param.u64 %rd0, [k_a]; st.global.u32 [%rd0], %r5; ret;")

struct sample {
    struct ptx_module *module;
    struct program *program;
    struct predictions predictions;
    struct speculation *speculation;
};

static struct sample load(const char *text, struct speculate_rules rules)
{
    struct sample s = {0};
    struct diag diag = {0};
    char *error = NULL;
    s.module = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!s.module)
        diag_print(&diag, stderr);
    assert_non_null(s.module);
    diag_free(&diag);
    s.program = program_create(ptx_find_function(s.module, "k"), &error);
    if (!s.program)
        fprintf(stderr, "%s\n", error);
    assert_non_null(s.program);
    predict_from_pragmas(&s.predictions, s.program);
    s.speculation = speculate(s.program, &s.predictions, &rules);
    return s;
}

static void unload(struct sample *s)
{
    speculation_destroy(s->speculation);
    predictions_free(&s->predictions);
    program_destroy(s->program);
    ptx_destroy(s->module);
}

static int32_t pc_of(const struct sample *s, const char *label)
{
    for (int f = 0; f < s->program->function_count; f++) {
        const struct program_function *pf = &s->program->functions[f];
        for (int i = 0; i < pf->source->label_count; i++)
            if (!strcmp(pf->source->labels[i].name, label))
                return pf->first + pf->source->labels[i].target;
        if (!strcmp(pf->source->name, label))
            return pf->first;
    }
    fail_msg("no label %s", label);
    return PC_NONE;
}

static int32_t block_of(const struct sample *s, const char *label)
{
    return strcmp(label, "BB0") ? s->program->insns[pc_of(s, label)].block : 0;
}

/* All operations of a block: on the ways to it, "from X: ", then within it; joined by ", ". */
static void assert_block(const struct sample *s, const char *label, const char *expected)
{
    const struct barrier_plan *plan = s->speculation->plan;
    const struct flow_block *b = &s->program->blocks[block_of(s, label)];
    struct text text = {0};
    for (int i = 0; i < plan->entries.count; i++) {
        const struct barrier_entry *e = &plan->entries.data[i];
        if (e->place.pc < b->first || e->place.pc > b->last)
            continue;
        text_printf(&text, "%s%s", text.length ? ", " : "", e->place.from != PC_NONE ? "way: " : "");
        barrier_print_op(&e->op, &text);
    }
    if (strcmp(text.data ? text.data : "", expected))
        fail_msg("%s: %s; expected %s", label, text.data ? text.data : "nothing", expected);
    text_free(&text);
}

static void assert_sets(const struct sample *s, const struct barrier_flow *flow, const char *label,
                        const char *expected)
{
    int32_t b = block_of(s, label);
    char found[5] = {"-J"[barrier_is_in(flow, flow->joined_in, b, 0)],
                     "-J"[barrier_is_in(flow, flow->joined_out, b, 0)], "-L"[barrier_is_in(flow, flow->live_in, b, 0)],
                     "-L"[barrier_is_in(flow, flow->live_out, b, 0)], 0};
    if (strcmp(found, expected))
        fail_msg("%s: %s; expected %s", label, found, expected);
}

/* Fig. 4(b) and (c): joined at the block's start and end, live there. */
static void test_dataflow_of_listing_1(void **state)
{
    (void)state;
    struct sample s = load(LISTING_1(""), (struct speculate_rules){0});
    struct arena arena = {0};
    struct barrier_plan *outline = speculate_outline(&s.speculation->list.data[0].region);
    struct barrier_flow flow = barrier_flow_create(outline, &arena);
    assert_int_equal(outline->entries.count, 2);
    assert_sets(&s, &flow, "BB0", "-J-L");
    assert_sets(&s, &flow, "BB1", "JJLL");
    assert_sets(&s, &flow, "BB2", "JJLL");
    assert_sets(&s, &flow, "BB3", "J-LL");
    assert_sets(&s, &flow, "BB4", "JJLL");
    assert_sets(&s, &flow, "BB5", "JJ--");
    barrier_plan_destroy(outline);
    arena_free(&arena);
    unload(&s);
}

/* Fig. 4(d) with Fig. 5(c). b0 is the condition's barrier, b1 the prediction's, b2 the region's end. */
static void test_dynamic_deconfliction(void **state)
{
    (void)state;
    struct sample s = load(LISTING_1(""), (struct speculate_rules){0});
    assert_null(s.speculation->list.data[0].refusal);
    assert_block(&s, "BB0", "join b2, join b1");
    assert_block(&s, "BB1", "");
    assert_block(&s, "BB2", "join b0");
    assert_block(&s, "BB3", "cancel b0, wait b1, rejoin b1");
    assert_block(&s, "BB4", "wait b0");
    assert_block(&s, "BB5", "cancel b1, wait b2");
    assert_int_equal(s.speculation->conflicts.count, 1);
    assert_int_equal(s.speculation->conflicts.data[0].other, 0);
    unload(&s);
}

/* Fig. 5(b). */
static void test_static_deconfliction(void **state)
{
    (void)state;
    struct sample s = load(LISTING_1(""), (struct speculate_rules){.deconflict = DECONFLICT_STATIC});
    assert_block(&s, "BB0", "join b2, join b1");
    assert_block(&s, "BB2", "");
    assert_block(&s, "BB3", "wait b1, rejoin b1");
    assert_block(&s, "BB4", "");
    assert_block(&s, "BB5", "cancel b1, wait b2");
    assert_true(s.speculation->conflicts.data[0].is_removed);
    unload(&s);
}

/* A threshold makes the wait soft and keeps the condition's barrier, in both modes. */
static void test_soft_barrier_of_listing_1(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        struct sample s =
            load(LISTING_1(" threshold=4"), (struct speculate_rules){.deconflict = (enum deconflict)mode});
        assert_block(&s, "BB2", "join b0");
        assert_block(&s, "BB3", "cancel b0 below 4, soft wait b1 at 4, rejoin b1, rejoin b0");
        assert_block(&s, "BB4", "wait b0");
        assert_block(&s, "BB5", "cancel b1, wait b2");
        unload(&s);
    }
}

/* Fig. 6 and the listing of Fig. 3: a loop within a loop, predicted within the outer one. */
#define FIG_3(predict, label)                                                                                    \
    KERNEL(START "OUTER: add.u32 %r2, %r2, 1; and.b32 %r3, %r0, %r2;\n"                                          \
                 ".pragma \"heddle.predict L1" predict "\"; mov.u32 %r4, 3;\n"                                   \
                 "INNER: .pragma \"heddle.label L1" label "\"; mul.lo.u32 %r4, %r4, %r4; sub.u32 %r3, %r3, 1;\n" \
                 "setp.gt.s32 %p0, %r3, 0; @%p0 bra INNER;\n"                                                    \
                 "EPILOG: add.u32 %r5, %r5, %r4; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"                   \
                 "DONE: ld.param.u64 %rd0, [k_a]; st.global.u32 [%rd0], %r5; ret;")

static void test_listing_of_fig_3(void **state)
{
    (void)state;
    struct sample s = load(FIG_3("", ""), (struct speculate_rules){0});
    assert_block(&s, "BB0", "");
    assert_block(&s, "OUTER", "way: join b2, way: join b1");
    assert_block(&s, "INNER", "wait b1, rejoin b1");
    assert_block(&s, "EPILOG", ""); /* the loop's own barrier: every thread had left it */
    assert_block(&s, "DONE", "cancel b1, wait b2");
    unload(&s);
}

/* As printed: the region ends with the inner loop, and so does the merging. */
static void test_scope_as_listed(void **state)
{
    (void)state;
    struct sample s = load(FIG_3(" scope=listing", ""), (struct speculate_rules){0}), t;
    assert_block(&s, "OUTER", "join b2, join b1");
    assert_block(&s, "INNER", "way: join b0, wait b1, rejoin b1");
    assert_block(&s, "EPILOG", "cancel b1, wait b0, wait b2");
    t = load(FIG_3("", ""), (struct speculate_rules){.as_listed = true});
    assert_block(&t, "EPILOG", "cancel b1, wait b0, wait b2");
    unload(&t);
    unload(&s);
}

/* Fig. 6: threads that must wait leave bPdom (b0), those that left the loop gather there, all meet in bAll (b2). */
static void test_graph_of_fig_6(void **state)
{
    (void)state;
    struct sample s = load(FIG_3("", " 4"), (struct speculate_rules){0});
    assert_block(&s, "OUTER", "way: join b2, way: join b1");
    assert_block(&s, "INNER", "way: join b0, cancel b0 below 4, soft wait b1 at 4, rejoin b1, rejoin b0");
    assert_block(&s, "EPILOG", "wait b0");
    assert_block(&s, "DONE", "cancel b1, wait b2");
    unload(&s);
}

/* No threshold at all: threads learn when it pays to wait. */
static void test_adaptive_barrier(void **state)
{
    (void)state;
    struct sample s = load(FIG_3(" threshold=adaptive", ""), (struct speculate_rules){0});
    assert_block(&s, "INNER", "way: join b0, cancel b0 if they wait, soft wait b1 adaptively, rejoin b1, rejoin b0");
    unload(&s);
}

/* ---- calls ---- */

#define CALLEE(name, body) ".func " name "()\n{\n.reg .b32 %r<4>; .reg .pred %p<2>;\n" body "\nret;\n}\n"
#define DIVIDE             "mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0;\n"

/* Fig. 2(c): both sides call foo. No conflict with the branch's own barrier, which is where the region ends too. */
static void test_common_call(void **state)
{
    (void)state;
    struct sample s = load(
        HEAD CALLEE("foo", "mul.lo.u32 %r0, %r0, %r0;") ".visible .entry k() {\n" REGS DIVIDE
                                                        ".pragma \"heddle.predict foo\";\n@%p0 bra ELSE;\n"
                                                        "THEN: call foo; bra MEET;\n"
                                                        "ELSE: add.u32 %r2, %r2, 1; call foo; add.u32 %r2, %r2, 2;\n"
                                                        "MEET: ret;\n}\n",
        (struct speculate_rules){0});
    assert_null(s.speculation->list.data[0].refusal);
    assert_int_equal(s.speculation->list.data[0].region.site_count, 2);
    assert_true(s.speculation->plan->barriers.data[1].spans_calls);
    assert_block(&s, "BB0", "join b0, join b1");
    assert_block(&s, "foo", "wait b1");
    assert_block(&s, "THEN", "");
    assert_block(&s, "ELSE", "");
    assert_block(&s, "MEET", "wait b0");
    assert_int_equal(s.speculation->conflicts.count, 0);
    unload(&s);
}

/* One side calls it by way of a wrapper that need not: threads that come back cancel. The third way never does. */
static void test_call_through_wrapper(void **state)
{
    (void)state;
    struct sample s =
        load(HEAD CALLEE("foo", "mul.lo.u32 %r0, %r0, %r0;")
                 CALLEE("wrapper", "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 8; @%p0 bra SKIP;\ncall "
                                   "foo;\nSKIP:") ".visible .entry k() {\n" REGS DIVIDE
                                                  ".pragma \"heddle.predict foo\"; mov.u32 %r3, 1; @%p0 bra ELSE;\n"
                                                  "THEN: call foo; bra MEET;\n"
                                                  "ELSE: setp.gt.u32 %p1, %r0, 9; @%p1 bra NEVER;\n"
                                                  "OVER: call wrapper;\n"
                                                  "BACK: add.u32 %r2, %r2, 1; bra MEET;\n"
                                                  "NEVER: add.u32 %r2, %r2, 2;\n"
                                                  "MEET: ret;\n}\n",
             (struct speculate_rules){0});
    int32_t b = s.speculation->list.data[0].barrier;
    const struct barrier_plan *plan = s.speculation->plan;
    assert_null(s.speculation->list.data[0].refusal);
    struct barrier_range back = barrier_at(plan, (struct barrier_place){pc_of(&s, "OVER"), pc_of(&s, "BACK")});
    assert_int_equal(back.count, 1);
    assert_int_equal(plan->entries.data[back.first].op.kind, BARRIER_CANCEL);
    assert_int_equal(plan->entries.data[back.first].op.barrier, b);
    struct barrier_range never = barrier_at(plan, barrier_before(pc_of(&s, "NEVER")));
    assert_int_equal(never.count, 1);
    assert_int_equal(plan->entries.data[never.first].op.kind, BARRIER_CANCEL);
    unload(&s);
}

/* In a loop the barrier is joined again on the way back from the call. */
static void test_call_in_loop(void **state)
{
    (void)state;
    struct sample s =
        load(HEAD CALLEE("foo", "mul.lo.u32 %r0, %r0, %r0;") ".visible .entry k() {\n" REGS DIVIDE
                                                             ".pragma \"heddle.predict foo\"; mov.u32 %r3, 0;\n"
                                                             "LOOP: add.u32 %r3, %r3, 1; and.b32 %r4, %r3, %r0; "
                                                             "setp.eq.u32 %p0, %r4, 0; @%p0 bra NEXT;\n"
                                                             "SITE: call foo;\n"
                                                             "NEXT: setp.lt.u32 %p1, %r3, 8; @%p1 bra LOOP;\n"
                                                             "DONE: ret;\n}\n",
             (struct speculate_rules){0});
    int32_t b = s.speculation->list.data[0].barrier;
    const struct barrier_plan *plan = s.speculation->plan;
    struct barrier_range back = barrier_at(plan, (struct barrier_place){pc_of(&s, "SITE"), pc_of(&s, "NEXT")});
    assert_int_equal(back.count, 1);
    assert_int_equal(plan->entries.data[back.first].op.kind, BARRIER_REJOIN);
    assert_int_equal(plan->entries.data[back.first].op.barrier, b);
    /* The branch's barrier conflicts, and belongs to the caller: it is cancelled before the call. */
    assert_int_equal(s.speculation->conflicts.count, 1);
    assert_block(&s, "SITE", "cancel b0");
    unload(&s);
}

/* ---- early returns ---- */

/* The smallest region of a function with a guarded return on the way to its point. */
#define EARLY_RETURN(begin, end)                                                 \
    HEAD CALLEE("bar", "mul.lo.u32 %r0, %r0, %r0;")                              \
        CALLEE("foo", DIVIDE begin " mov.u32 %r2, 1; @%p0 bra POINT;\n"          \
                                   "EARLY: setp.eq.u32 %p1, %r0, 1; @%p1 ret;\n" \
                                   "POINT: " end) ".visible .entry k() {\n" REGS "SITE: call foo;\nBACK: ret;\n}\n"

/* Threads that return early leave the barrier without an operation: no place is on their way alone. Those that do not
 * return stay participants. */
static void test_early_return(void **state)
{
    (void)state;
    struct sample s =
        load(EARLY_RETURN(".pragma \"heddle.predict L1\";", ".pragma \"heddle.label L1\"; mul.lo.u32 %r3, %r0, %r0;"),
             (struct speculate_rules){0});
    const struct barrier_plan *plan = s.speculation->plan;
    int32_t b = s.speculation->list.data[0].barrier;
    assert_null(s.speculation->list.data[0].refusal);
    assert_true(speculate_is_joined(plan, b, barrier_before(s.program->blocks[block_of(&s, "EARLY")].last), true));
    assert_int_equal(barrier_find(plan, BARRIER_CANCEL, b), -1);
    assert_block(&s, "EARLY", "");
    assert_block(&s, "POINT", "wait b1");
    unload(&s);
}

/* ---- several ---- */

/* Two points in one loop, exclusive: threads at either leave the other's barrier, and join it again behind. */
static void test_several_predictions(void **state)
{
    (void)state;
    struct sample s =
        load(KERNEL(START ".pragma \"heddle.predict L1\", \"heddle.predict L2\"; mov.u32 %r4, 3;\n"
                          "BB1: setp.ge.u32 %p1, %r2, %r1; @%p1 bra BB5;\n"
                          "BB2: add.u32 %r2, %r2, 1; and.b32 %r3, %r0, %r2; setp.eq.u32 %p0, %r3, 0; @%p0 bra BB4;\n"
                          "BB3: .pragma \"heddle.label L1\"; mul.lo.u32 %r4, %r4, %r4; bra BB1;\n"
                          "BB4: .pragma \"heddle.label L2\"; add.u32 %r5, %r5, 1; bra BB1;\n"
                          "BB5: ld.param.u64 %rd0, [k_a]; st.global.u32 [%rd0], %r5; ret;"),
             (struct speculate_rules){.deconflict = DECONFLICT_STATIC});
    int32_t b1 = s.speculation->list.data[0].barrier, b2 = s.speculation->list.data[1].barrier;
    char at_first[128], at_second[128];
    snprintf(at_first, sizeof at_first, "cancel b%d, wait b%d, rejoin b%d, rejoin b%d", b2, b1, b1, b2);
    snprintf(at_second, sizeof at_second, "cancel b%d, wait b%d, rejoin b%d, rejoin b%d", b1, b2, b2, b1);
    assert_block(&s, "BB3", at_first);
    assert_block(&s, "BB4", at_second);
    unload(&s);
}

/* One within another: the inner loop's threads wait for those of the same round around it, the outer's for all. Each range lies
 * within or around the other, or is left at the other's point. */
static void test_nested_predictions(void **state)
{
    (void)state;
    struct sample s =
        load(KERNEL(START ".pragma \"heddle.predict OUT\"; mov.u32 %r4, 3;\n"
                          "OUTER: add.u32 %r2, %r2, 1; and.b32 %r3, %r0, %r2; setp.eq.u32 %p0, %r3, 0; @%p0 bra NEXT;\n"
                          "PART: .pragma \"heddle.label OUT\"; mov.u32 %r6, %r3;\n"
                          ".pragma \"heddle.predict IN scope=listing\"; mov.u32 %r7, 0;\n"
                          "INNER: sub.u32 %r6, %r6, 1; and.b32 %r8, %r6, 3; setp.ne.u32 %p2, %r8, 0; @%p2 bra SKIP;\n"
                          "RARE: .pragma \"heddle.label IN\"; mul.lo.u32 %r4, %r4, %r4;\n"
                          "SKIP: setp.gt.s32 %p3, %r6, 0; @%p3 bra INNER;\n"
                          "NEXT: setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"
                          "DONE: ret;"),
             (struct speculate_rules){0});
    for (int i = 0; i < 2; i++)
        assert_null(s.speculation->list.data[i].refusal);
    int32_t out = s.speculation->list.data[0].barrier, in = s.speculation->list.data[1].barrier;
    const struct barrier_plan *plan = s.speculation->plan;
    assert_int_equal(plan->entries.data[barrier_find(plan, BARRIER_WAIT, out)].place.pc, pc_of(&s, "PART"));
    assert_int_equal(plan->entries.data[barrier_find(plan, BARRIER_WAIT, in)].place.pc, pc_of(&s, "RARE"));
    /* Threads leave the inner loop without its barrier, so that the two never conflict. */
    assert_false(speculate_is_joined(plan, in, barrier_before(pc_of(&s, "NEXT")), true));
    for (int i = 0; i < s.speculation->conflicts.count; i++)
        assert_int_equal(s.speculation->conflicts.data[i].with, -1);
    unload(&s);
}

/* ---- pragmas ---- */

/* A pragma ahead of a loop's label belongs to what falls through to it: the region begins once, not in every round. */
static void test_pragma_ahead_of_label(void **state)
{
    (void)state;
    struct sample s =
        load(KERNEL(START ".pragma \"heddle.predict L1 scope=listing\";\n"
                          "LOOP: add.u32 %r2, %r2, 1; and.b32 %r3, %r0, %r2; setp.eq.u32 %p0, %r3, 0; @%p0 bra NEXT;\n"
                          "BODY: .pragma \"heddle.label L1\"; mul.lo.u32 %r4, %r4, %r4;\n"
                          "NEXT: setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"
                          "DONE: ret;"),
             (struct speculate_rules){0});
    assert_block(&s, "LOOP", "way: join b2, way: join b1, join b0");
    assert_block(&s, "BODY", "cancel b0, wait b1, rejoin b1");
    unload(&s);
}

/* Of a body unrolled twice the first copy counts: one wait in two rounds; and none in the round that is left over. */
static void test_unrolled_body(void **state)
{
    (void)state;
    struct sample s =
        load(KERNEL(START "OUTER: and.b32 %r3, %r0, %r2; add.u32 %r3, %r3, 2; add.u32 %r2, %r2, 1;\n"
                          ".pragma \"heddle.predict L1\"; mov.u32 %r4, 3;\n"
                          "INNER: .pragma \"heddle.label L1\"; mul.lo.u32 %r4, %r4, %r4;\n"
                          "SECOND: .pragma \"heddle.label L1\"; mul.lo.u32 %r4, %r4, %r4; sub.u32 %r3, %r3, 2;\n"
                          "setp.gt.s32 %p0, %r3, 0; @%p0 bra INNER;\n"
                          "setp.eq.s32 %p0, %r3, 0; @%p0 bra NEXT;\n"
                          "REST: .pragma \"heddle.label L1\"; mul.lo.u32 %r4, %r4, %r4;\n"
                          "NEXT: setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;\n"
                          "ret;"),
             (struct speculate_rules){0});
    assert_int_equal(s.speculation->list.count, 1);
    assert_int_equal(s.speculation->list.data[0].prediction->label, pc_of(&s, "INNER"));
    unload(&s);
}

/* The program with its predictions as pragmas, read again, makes the same barriers. */
static void test_written_program(void **state)
{
    (void)state;
    struct sample s = load(LISTING_1(" threshold=4"), (struct speculate_rules){0}), again;
    struct text text = {0}, before = {0}, after = {0};
    s.predictions.list.data[0].deconflict = DECONFLICT_STATIC;
    predict_write(&s.predictions, s.program, s.module);
    ptx_print(s.module, &text);
    again = load(text.data, (struct speculate_rules){0});
    assert_int_equal(again.speculation->list.data[0].deconflict, DECONFLICT_STATIC);
    barrier_print(s.speculation->plan, &before);
    barrier_print(again.speculation->plan, &after);
    /* Reasons name lines of the text, which are others: compare from the first block on. */
    assert_string_equal(strstr(before.data, "  block"), strstr(after.data, "  block"));
    text_free(&text);
    text_free(&before);
    text_free(&after);
    unload(&again);
    unload(&s);
}

/* ---- what is refused ---- */

static void assert_refused(const char *text, const char *why)
{
    struct sample s = load(text, (struct speculate_rules){0});
    const char *refusal = s.predictions.unusable.count ? s.predictions.unusable.data[0].why
                          : s.speculation->list.count  ? s.speculation->list.data[0].refusal
                                                       : NULL;
    if (!refusal || !strstr(refusal, why))
        fail_msg("%s; expected %s", refusal ? refusal : "not refused", why);
    for (int i = 0; i < s.speculation->list.count; i++)
        assert_int_equal(s.speculation->list.data[i].barrier, BARRIER_NONE);
    unload(&s);
}

#define LOOP_WITH(inside)                                                                                      \
    KERNEL(START ".pragma \"heddle.predict L1\"; mov.u32 %r4, 3;\n"                                            \
                 "LOOP: add.u32 %r2, %r2, 1; and.b32 %r3, %r0, %r2; setp.eq.u32 %p0, %r3, 0; @%p0 bra NEXT;\n" \
                 "BODY: .pragma \"heddle.label L1\"; mul.lo.u32 %r4, %r4, %r4;\n"                              \
                 "NEXT: " inside " setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;\n"                                \
                 "DONE: bar.sync 0; bar.warp.sync -1; ret;")

static void test_refusals(void **state)
{
    (void)state;
    struct sample fine = load(LOOP_WITH(""), (struct speculate_rules){0});
    assert_null(fine.speculation->list.data[0].refusal); /* what stands behind the region is not split */
    unload(&fine);
    assert_refused(LOOP_WITH("bar.sync 0;"), "a block barrier");
    assert_refused(LOOP_WITH("bar.warp.sync -1;"), "a warp-level operation");
    assert_refused(LOOP_WITH("activemask.b32 %r6;"), "a warp-level operation");
    assert_refused(
        KERNEL(START
               ".pragma \"heddle.label L1\"; mov.u32 %r4, 3;\n.pragma \"heddle.predict L1\"; mov.u32 %r4, 4; ret;"),
        "cannot be reached");
    assert_refused(KERNEL(START ".pragma \"heddle.predict L1\"; mov.u32 %r4, 3; ret;"),
                   "no heddle.label and no function");
    assert_refused(LISTING_1(" threshold=65"), "threshold=N, from 1 to 64");
    assert_refused(KERNEL(START ".pragma \"heddle.guess L1\"; mov.u32 %r4, 3; ret;"), "no pragma of heddle");
    assert_refused(HEAD CALLEE("foo", "mul.lo.u32 %r0, %r0, %r0; .pragma \"heddle.label L1\"; mul.lo.u32 %r0, %r0, "
                                      "%r0;") ".visible .entry k() {\n" REGS DIVIDE
                                              ".pragma \"heddle.predict L1\"; mov.u32 %r3, 1; call foo; ret;\n}\n",
                   "another function, and is not the function's entry");
    assert_refused(HEAD CALLEE("foo", "bar.sync 0;") ".visible .entry k() {\n" REGS DIVIDE
                                                     ".pragma \"heddle.predict L1\"; mov.u32 %r3, 1; call foo;\n"
                                                     ".pragma \"heddle.label L1\"; mov.u32 %r3, 1; ret;\n}\n",
                   "a block barrier");
    /* the barrier would outlive the function, with threads that returned early */
    assert_refused(EARLY_RETURN(".pragma \"heddle.predict bar\";", "call bar;"),
                   "threads may return from the function");
    assert_refused(KERNEL(START "bra OVER;\n.pragma \"heddle.predict L1\"; mov.u32 %r4, 3;\n"
                                "OVER: .pragma \"heddle.label L1\"; mov.u32 %r4, 4; ret;"),
                   "the beginning of the region cannot be reached");
    /* behind a function's entry threads are together: a barrier there is not split */
    fine = load(HEAD CALLEE("foo", "mul.lo.u32 %r0, %r0, %r0; bar.sync 0;") ".visible .entry k() {\n" REGS
                    DIVIDE ".pragma \"heddle.predict foo\"; mov.u32 %r3, 1; call foo; ret;\n}\n",
                (struct speculate_rules){0});
    assert_null(fine.speculation->list.data[0].refusal);
    unload(&fine);
}

/* What only callers of the pass can ask for. */
static void test_refusals_of_odd_predictions(void **state)
{
    (void)state;
    struct sample s = load(HEAD CALLEE("foo", "mul.lo.u32 %r0, %r0, %r0;") ".visible .entry k() {\n" REGS DIVIDE
                                                                           "mov.u32 %r3, 1; call foo; ret;\n}\n",
                           (struct speculate_rules){0});
    const struct program_function *f = s.program->functions;
    struct barrier_place starts[2] = {barrier_before(f[0].first), barrier_before(f[1].first)};
    struct prediction d = {
        .name = "odd", .origin = "", .start_count = 2, .starts = starts, .label = f[0].last, .callee = -1};
    struct arena arena = {0};
    struct predict_region r = predict_region_create(s.program, &d, &arena);
    assert_string_equal(predict_refusal(&r, &arena), "the region begins in several functions");
    d.start_count = 1;
    d.threshold = -3;
    r = predict_region_create(s.program, &d, &arena);
    assert_string_equal(predict_refusal(&r, &arena), "the threshold is not from 1 to 64 threads");
    arena_free(&arena);
    unload(&s);
}

static void test_words(void **state)
{
    (void)state;
    struct sample s = load(LISTING_1(""), (struct speculate_rules){0});
    char *error = NULL;
    assert_true(predict_from_words(&s.predictions, s.program, "BB1:BB3:threshold=8:scope=listing", &error));
    const struct prediction *p = &s.predictions.list.data[1];
    assert_int_equal(p->starts[0].pc, pc_of(&s, "BB1"));
    assert_int_equal(p->label, pc_of(&s, "BB3"));
    assert_int_equal(p->threshold, 8);
    assert_true(p->as_listed);
    static const char *const wrong[] = {
        "", "BB1", "BB1:", "BB1:NOWHERE", "BB1:BB3:threshold=0", "BB1:BB3:often", "99999:BB3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(predict_from_words(&s.predictions, s.program, wrong[i], &error));
        assert_non_null(error);
        free(error);
    }
    assert_int_equal(s.predictions.list.count, 2);
    unload(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dataflow_of_listing_1),
        cmocka_unit_test(test_dynamic_deconfliction),
        cmocka_unit_test(test_static_deconfliction),
        cmocka_unit_test(test_soft_barrier_of_listing_1),
        cmocka_unit_test(test_listing_of_fig_3),
        cmocka_unit_test(test_scope_as_listed),
        cmocka_unit_test(test_graph_of_fig_6),
        cmocka_unit_test(test_adaptive_barrier),
        cmocka_unit_test(test_common_call),
        cmocka_unit_test(test_call_through_wrapper),
        cmocka_unit_test(test_call_in_loop),
        cmocka_unit_test(test_early_return),
        cmocka_unit_test(test_several_predictions),
        cmocka_unit_test(test_nested_predictions),
        cmocka_unit_test(test_pragma_ahead_of_label),
        cmocka_unit_test(test_unrolled_body),
        cmocka_unit_test(test_written_program),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refusals_of_odd_predictions),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
