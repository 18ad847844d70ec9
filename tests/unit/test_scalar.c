/*
 * Scalar datapaths: which instructions and registers are scalar (flow/scalar.h), and what a scalar unit takes.
 *
 * In the texts an instruction that must be scalar has the mark `// s` behind it; all others must not be.
 */
#include "flow/scalar.h"
#include "gpu/scalar.h"
#include "recon/barrier.h"
#include "timing_bench.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
/* %r0 differs between threads, %r1 does not; %p0 and %p1 likewise. */
#define KERNEL(body)                                                                                 \
    HEAD ".const .u32 table[4] = {1, 2, 3, 4};\n"                                                    \
         ".visible .entry k(.param .u64 k_a, .param .u32 k_n) {\n"                                   \
         ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<4>;\n"               \
         "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p0, %r0, 7;\n"                                          \
         "ld.param.u32 %r1, [k_n];\nsetp.eq.u32 %p1, %r1, 0; // s\nld.param.u64 %rd0, [k_a];\n" body \
         "st.global.u32 [%rd0], %r2;\nret;\n}\n"

/* The label at which threads of different iterations mix is MIX. */
static void expect_scalar(const char *name, const char *text, int scalar_registers, int private_registers)
{
    struct diag diag = {0};
    char *error = NULL;
    struct ptx_module *module = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!module)
        fail_msg("%s: %s", name, diag_text(&diag));
    struct program *p = program_create(ptx_find_function(module, "k"), &error);
    if (!p)
        fail_msg("%s: %s", name, error);
    int32_t mixing = PC_NONE;
    for (int b = 0; b < p->block_count; b++)
        if (p->blocks[b].label && !strcmp(p->blocks[b].label, "MIX"))
            mixing = p->blocks[b].first;
    struct scalar_facts facts = scalar_find(p, &mixing, mixing != PC_NONE);
    int line = 1;
    for (const char *at = text; *at; line++) {
        const char *end = strchr(at, '\n');
        bool wanted = end - at > 4 && !memcmp(end - 4, "// s", 4), found = false;
        for (int32_t pc = 0; pc < p->insn_count; pc++)
            found |= p->insns[pc].line == line && facts.is_scalar[pc];
        if (wanted != found)
            fail_msg("%s: '%.*s' is%s scalar", name, (int)(end - at), at, found ? "" : " not");
        at = end + 1;
    }
    if (scalar_registers >= 0 &&
        (facts.scalar_registers != scalar_registers || facts.private_registers != private_registers))
        fail_msg("%s: %d scalar registers and %d private ones", name, facts.scalar_registers, facts.private_registers);
    scalar_facts_free(&facts);
    program_destroy(p);
    ptx_destroy(module);
    diag_free(&diag);
}

static void test_straight(void **state)
{
    (void)state;
    expect_scalar("values of the block and of threads",
                  KERNEL("mov.u32 %r2, %ctaid.x; // s\nadd.u32 %r3, %r2, %r1; // s\nadd.u32 %r4, %r3, %r0;\n"
                         "mul.lo.u32 %r5, %r3, 3; // s\ncvt.u64.u32 %rd1, %r5; // s\n"
                         "cvt.rn.f32.u32 %f0, %r5;\nadd.u32 %r2, %r4, %r5;\n"),
                  -1, -1);
    /* Constant memory leaves scalars, global memory does not. A float of one value for all is no scalar: scalar units
     * have no floating point. */
    expect_scalar("loads",
                  KERNEL("mov.u64 %rd1, table; // s\nld.const.u32 %r3, [%rd1+4];\nadd.u32 %r3, %r3, 1; // s\n"
                         "ld.global.u32 %r4, [%rd0];\nadd.u32 %r4, %r4, 1;\ncvt.rn.f32.u32 %f0, %r3;\n"
                         "mov.b32 %r5, %f0;\nadd.u32 %r2, %r3, %r4;\nadd.u32 %r2, %r2, %r5;\n"),
                  -1, -1);
    expect_scalar("guards", KERNEL("mov.u32 %r2, 1; // s\n@%p1 mov.u32 %r2, 2; // s\nadd.u32 %r2, %r2, 1; // s\n"), -1,
                  -1);
    expect_scalar("a guard that differs makes the old value private, too",
                  KERNEL("mov.u32 %r2, 1;\n@%p0 mov.u32 %r2, 2;\nadd.u32 %r2, %r2, 1;\n"), -1, -1);
    expect_scalar("a guard that is the same for all may leave an old value that differs",
                  KERNEL("add.u32 %r2, %r0, 1;\n@%p1 mov.u32 %r2, 2;\nadd.u32 %r2, %r2, 1;\n"), -1, -1);
}

static void test_branches(void **state)
{
    (void)state;
    expect_scalar("two sides are apart",
                  KERNEL("@%p0 bra ELSE;\nadd.u32 %r3, %r1, 1;\nadd.u32 %r2, %r3, %r0;\nbra.uni END;\n"
                         "ELSE:\nadd.u32 %r4, %r1, 2;\nadd.u32 %r2, %r4, %r0;\nEND:\nadd.u32 %r5, %r1, 3; // s\n"
                         "add.u32 %r2, %r2, %r5;\n"),
                  -1, -1);
    expect_scalar("two sides of a uniform branch are not",
                  KERNEL("@%p1 bra ELSE;\nadd.u32 %r2, %r1, 1; // s\nbra.uni END;\nELSE:\nadd.u32 %r2, %r1, 2; // s\n"
                         "END:\nadd.u32 %r2, %r2, 1; // s\n"),
                  -1, -1);
    expect_scalar("threads of one side execute together, and what leaves the side is private",
                  KERNEL("mov.u32 %r2, 0;\n@%p0 bra END;\nadd.u32 %r3, %r1, 1; // s\nadd.u32 %r4, %r3, 1; // s\n"
                         "add.u32 %r2, %r4, 1;\nEND:\nadd.u32 %r2, %r2, 1;\n"),
                  -1, -1);
    expect_scalar("a value that meets a private one on a uniform path",
                  KERNEL("mov.u32 %r2, 5;\n@%p1 bra END;\nadd.u32 %r2, %r0, 1;\nEND:\nadd.u32 %r2, %r2, 1;\n"), -1, -1);
    expect_scalar("what was private on one path is so on all of them",
                  KERNEL("mov.u32 %r2, 5;\n@%p1 bra OTHER;\n@%p0 mov.u32 %r2, 6;\nadd.u32 %r2, %r2, 1;\nbra.uni END;\n"
                         "OTHER:\nadd.u32 %r2, %r2, 2;\nEND:\n"),
                  -1, -1);
}

static void test_loops(void **state)
{
    (void)state;
    expect_scalar("the index of a loop that all threads leave together",
                  KERNEL("mov.u32 %r4, 0; // s\nmov.u32 %r3, 0;\nL:\nadd.u32 %r3, %r3, %r0;\n"
                         "add.u32 %r4, %r4, 1; // s\nsetp.lt.u32 %p2, %r4, %r1; // s\n@%p2 bra L;\n"
                         "add.u32 %r2, %r4, %r3;\n"),
                  -1, -1);
    expect_scalar("the index of a loop that threads leave one by one",
                  KERNEL("mov.u32 %r2, 0; // s\nL:\nadd.u32 %r2, %r2, 1; // s\nsetp.lt.u32 %p2, %r2, %r0;\n"
                         "@%p2 bra L;\nmov.u32 %r2, 3; // s\n"),
                  -1, -1);
    expect_scalar("the same, if the index is read behind the loop",
                  KERNEL("mov.u32 %r2, 0;\nL:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, %r0;\n@%p2 bra L;\n"), -1,
                  -1);
}

#define NEST(label, mark)                                                                                            \
    KERNEL("mov.u32 %r2, 0;\nmov.u32 %r5, 0;" mark "add.u32 %r6, %r1, 1; // s\nOUTER:\nadd.u32 %r7, %r5, %r0;\n"     \
           "and.b32 %r7, %r7, 3;\nmov.u32 %r8, 0;" mark label ":\nadd.u32 %r2, %r2, %r6;\nadd.u32 %r8, %r8, 1;" mark \
           "setp.lt.u32 %p2, %r8, %r7;\n@%p2 bra " label ";\nadd.u32 %r5, %r5, 1;" mark                              \
           "setp.lt.u32 %p3, %r5, %r1;" mark "@%p3 bra OUTER;\nadd.u32 %r9, %r1, 4;" mark "add.u32 %r2, %r2, %r9;\n")

/* Loop Merge: threads of different rounds of the outer loop meet in the inner loop. Both loops' indices, and the test
 * of the outer one, were scalar before. */
static void test_loop_merge(void **state)
{
    (void)state;
    expect_scalar("post-dominators", NEST("INNER", " // s\n"), 6, 3);
    expect_scalar("merged", NEST("MIX", "\n"), 4, 5);
}

static int count_scalar(const struct program *p, const struct scalar_facts *facts)
{
    int count = 0;
    for (int32_t pc = 0; facts->is_scalar && pc < p->insn_count; pc++)
        count += facts->is_scalar[pc];
    return count;
}

/* Operations at which threads of different iterations meet take the indices of NEST's loops from the scalar unit. A
 * barrier that found no register lets threads reconverge nowhere in particular: nothing is scalar. */
static void test_barriers(void **state)
{
    (void)state;
    static const struct {
        enum barrier_kind kind;
        int32_t branch;
        int dropped;
        enum { AS_WITHOUT, FEWER, NONE } scalar;
    } cases[] = {{BARRIER_WAIT, 0, 0, AS_WITHOUT}, {BARRIER_WAIT, -1, 0, FEWER},      {BARRIER_SOFT_WAIT, 0, 0, FEWER},
                 {BARRIER_YIELD, 0, 0, FEWER},     {BARRIER_JOIN, -1, 0, AS_WITHOUT}, {BARRIER_WAIT, 0, 1, NONE}};
    const char *text = NEST("INNER", " // s\n");
    struct diag diag = {0};
    char *error = NULL;
    struct ptx_module *module = ptx_parse("test.ptx", text, strlen(text), &diag);
    struct program *p = program_create(ptx_find_function(module, "k"), &error);
    struct machine *machine = machine_load("tiny", &error);
    assert_non_null(p);
    assert_true(machine_set(machine, "sm.scalar=yes", &error));
    const struct gpu_run run = {.machine = machine, .mechanism = div_find("volta")};
    struct scalar_facts without = scalar_find(p, NULL, 0);
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        struct barrier_plan *plan = barrier_plan_create(p);
        struct barrier_op op = {.kind = (uint8_t)cases[i].kind,
                                .barrier = barrier_add(plan, cases[i].branch, false, "test")};
        for (int b = 0; b < p->block_count; b++)
            if (p->blocks[b].label && !strcmp(p->blocks[b].label, "INNER"))
                barrier_append(plan, barrier_before(p->blocks[b].first), op);
        plan->dropped = cases[i].dropped;
        struct scalar_facts facts = scalar_of_launch(&run, p, plan);
        int found = count_scalar(p, &facts), most = count_scalar(p, &without);
        assert_int_equal(!facts.is_scalar, cases[i].scalar == NONE);
        assert_int_equal(found == most, cases[i].scalar == AS_WITHOUT);
        assert_int_equal(found > 0, cases[i].scalar != NONE);
        scalar_facts_free(&facts);
        barrier_plan_destroy(plan);
    }
    scalar_facts_free(&without);
    machine_free(machine);
    program_destroy(p);
    ptx_destroy(module);
    diag_free(&diag);
}

/* A vector instruction holds the ALU for four passes over 8 lanes; a scalar one goes beside it, for one cycle. */
static void test_unit(void **state)
{
    (void)state;
    static const struct timing_case c = {.body = "mov.u32 %r9, 1; // z\nadd.u32 %r1, %t, 1; // a\n"
                                                 "add.u32 %r2, %r9, 1; // b\nadd.u32 %r3, %t, 2; // c\n"
                                                 "add.u32 %r4, %r2, 1; // d\nadd.u32 %r5, %r4, 1; // e\n"};
    struct timing t;
    timing_open(&t, &c, "sm.simd_width=8");
    assert_int_equal(between(&t, "a", "b"), 4);
    assert_int_equal(between(&t, "b", "c"), 4);
    assert_int_equal(count_of(&t, "sm.scalar_instructions"), 0);
    timing_close(&t);
    for (int check = 0; check < 2; check++) {
        timing_open(&t, &c, "sm.simd_width=8 sm.scalar_latency=6 sm.scalar=%s", check ? "check" : "yes");
        assert_int_equal(between(&t, "a", "b"), 1);
        assert_int_equal(between(&t, "a", "c"), 4);
        assert_int_equal(between(&t, "b", "d"), 6);
        assert_int_equal(between(&t, "d", "e"), 6);
        assert_int_equal(count_of(&t, "sm.scalar_instructions"), 5); /* with the address that the bench loads */
        timing_close(&t);
    }
    /* Two warps' scalar instructions share one unit; two units take them in two cycles on two ports. */
    static const struct timing_case two = {.body = "mov.u32 %r9, 1; // a\n", .threads = 64};
    timing_open(&t, &two, "sm.scalar=yes sm.schedulers=2 sm.alu_units=2");
    assert_int_equal(issued_by(&t, "a", 1) - issued_by(&t, "a", 0), 1);
    timing_close(&t);
    timing_open(&t, &two, "sm.scalar=yes sm.schedulers=2 sm.alu_units=2 sm.scalar_units=2");
    assert_int_equal(issued_by(&t, "a", 1) - issued_by(&t, "a", 0), 0);
    timing_close(&t);
}

/* Under mechanisms that mix warps or iterations nothing is scalar, and no machine cut into slices has scalar units. */
static void test_mechanisms(void **state)
{
    (void)state;
    static const char *const with[] = {"pdom", "bcc", "scc", "dpe", "volta"}, *const without[] = {
                                                                                  "tbc",       "dwf",       "dws",
                                                                                  "frontiers", "multipath", "lwm",
                                                                                  "mimd",      "bound"};
    struct timing_case c = {.body = "mov.u32 %r9, 1; // z\nadd.u32 %r2, %r9, 1; // b\n"};
    struct timing t;
    for (size_t i = 0; i < COUNTOF(with); i++) {
        c.mechanism = with[i];
        timing_open(&t, &c, "sm.scalar=yes");
        assert_int_equal(count_of(&t, "sm.scalar_instructions"), 3);
        timing_close(&t);
    }
    for (size_t i = 0; i < COUNTOF(without); i++) {
        c.mechanism = without[i];
        timing_open(&t, &c, "sm.scalar=yes");
        assert_int_equal(count_of(&t, "sm.scalar_instructions"), 0);
        timing_close(&t);
    }
    c.mechanism = "pdom";
    timing_open(&t, &c, "sm.scalar=yes sm.slice_lanes=8");
    assert_int_equal(count_of(&t, "sm.scalar_instructions"), 0);
    timing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),   cmocka_unit_test(test_branches), cmocka_unit_test(test_loops),
        cmocka_unit_test(test_loop_merge), cmocka_unit_test(test_barriers), cmocka_unit_test(test_unit),
        cmocka_unit_test(test_mechanisms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
