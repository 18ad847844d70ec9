/*
 * Settled values (exec/settled.h): kernels that compute what follows from parameters and thread indices, where paths
 * meet, part and loop, leave what the oracle leaves; and instructions that need not be executed are passed over, and no
 * others.
 */
#include "exec/settled.h"
#include "kernel_bench.h"

#include <malloc.h>

/* Each thread stores a number at its own place. */
#define KERNEL(body)                                                                                \
    HEADER ".shared .u32 s[64];\n.visible .entry k(.param .u64 out)\n{\n"                           \
           ".reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<9>; .reg .b16 %h<4>;\n"                \
           "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"                    \
           "mad.lo.u32 %r3, %r1, %r2, %r0; ld.param.u64 %d0, [out]; cvta.to.global.u64 %d0, %d0;\n" \
           "mul.wide.u32 %d1, %r3, 4; add.s64 %d1, %d1, %d0; and.b32 %r4, %r0, 3;\n"                \
           "setp.eq.u32 %p0, %r4, 1; setp.eq.u32 %p1, %r1, 2;\n" body "\nst.global.u32 [%d1], %r9;\nret;\n}\n"

static const char *const kernels[] = {
    /* A register is settled on one path, and another value, or nothing, on the other. */
    KERNEL("mov.u32 %r9, 5; @%p0 bra A; mov.u32 %r9, %r1;\nA:"),
    KERNEL("mov.u32 %r9, 5; @%p0 bra A; mov.u32 %r9, 6;\nA:"),
    KERNEL("mov.u32 %r9, 5; @%p1 bra A; add.u32 %r9, %r0, 6;\nA: add.u32 %r9, %r9, %r4;"),
    KERNEL("@%p0 bra A; add.u32 %r9, %r0, 6;\nA:"),
    KERNEL("@%p1 bra A; add.u32 %r9, %r0, 6;\nA: add.u32 %r9, %r9, 1;"),
    /* Some threads write it. */
    KERNEL("mov.u32 %r9, 5; @%p0 mov.u32 %r9, 7; add.u32 %r9, %r9, %r2;"),
    KERNEL("mov.u32 %r9, 5; @%p1 mov.u32 %r9, 7; add.u32 %r9, %r9, %r2;"),
    KERNEL("@!%p1 add.u32 %r9, %r0, 7;"),
    /* Loops whose counters begin with settled values, or stay settled. */
    KERNEL(
        "mov.u32 %r9, %r4; mov.u32 %r5, 0;\nA: add.u32 %r9, %r9, %r0; add.u32 %r5, %r5, 1; setp.le.u32 %p2, %r5, %r4;\n"
        "@%p2 bra A;"),
    KERNEL("mov.u32 %r5, 0; mov.u32 %r7, 1;\nA: add.u32 %r6, %r0, 3; mul.lo.u32 %r8, %r6, %r2; add.u32 %r7, %r7, %r8;\n"
           "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra A; add.u32 %r9, %r7, %r8;"),
    KERNEL("mov.u32 %r7, 1; mov.u32 %r6, 2; mov.u32 %r5, 0;\nA: mov.u32 %r8, %r7; mov.u32 %r7, %r6; mov.u32 %r6, %r8;\n"
           "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r4; @%p2 bra A; mad.lo.u32 %r9, %r7, 10, %r6;"),
    /* Nothing is settled that differs between blocks. */
    KERNEL("mov.u32 %r5, %nctaid.x; mad.lo.u32 %r9, %r1, %r5, %r0;"),
    KERNEL("mov.u32 %r5, %smid; add.u32 %r5, %r5, %r4; sub.u32 %r9, %r5, %r5;"),
    /* Predicates, 16 and 64 bits, negated predicates, and stores of settled values. */
    KERNEL("cvt.u16.u32 %h0, %r0; mul.lo.u16 %h1, %h0, 3; cvt.u32.u16 %r9, %h1; @%p0 bra A; add.u32 %r9, %r9, 1;\nA:"),
    KERNEL("setp.lt.and.u32 %p3, %r0, 7, !%p0; selp.u32 %r9, 4, %r0, %p3; not.pred %p4, %p0; @%p4 bra A; add.u32 %r9, "
           "%r9, "
           "%r1;\nA:"),
    KERNEL("mul.wide.u32 %d2, %r0, %r2; shr.u64 %d3, %d2, 1; cvt.u32.u64 %r9, %d3; st.global.u32 [%d1], %r0;"),
    KERNEL("st.global.u32 [%d1], %r0; ld.global.u32 %r9, [%d1]; add.u32 %r9, %r9, %r9;"),
    /* Threads read registers of others. */
    KERNEL("add.u32 %r7, %r0, 100; shfl.sync.idx.b32 %r9, %r7, 3, 31, 0xffffffff;"),
    KERNEL("mul.lo.u32 %r7, %r0, 7; shfl.sync.bfly.b32 %r8, %r7, 1, 31, 0xffffffff; add.u32 %r9, %r8, %r7;"),
    /* Atomics whose results are read, and are not. */
    KERNEL("shl.b32 %r5, %r4, 2; mov.u32 %r6, s; add.u32 %r6, %r6, %r5; atom.shared.add.u32 %r7, [%r6], %r0;\n"
           "bar.sync 0; ld.shared.u32 %r9, [%r6];"),
    KERNEL("mov.u32 %r6, s; setp.ne.u32 %p2, %r0, 5; @%p2 bra A; atom.shared.add.u32 %r9, [%r6], 3;\n"
           "atom.shared.add.u32 %r9, [%r6], 4;\nA: bar.sync 0;"),
    /* The bar's number and a branch's guard are settled. */
    KERNEL("sub.u32 %r5, %r2, %r2; bar.sync %r5; setp.lt.u32 %p2, %r0, 9; mov.u32 %r9, 1; @%p2 bra A; mov.u32 %r9, "
           "%r1;\nA:"),
};

/* Each kernel with several blocks, of whole rows and with a row of eight threads, on the engine and on the oracle. */
static void test_values(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNTOF(kernels); k++)
        for (unsigned threads = 32; threads <= 72; threads += 40) {
            struct bench b, o;
            open_bench(&b, kernels[k]);
            open_bench(&o, kernels[k]);
            b.launch.grid[0] = o.launch.grid[0] = 5;
            b.launch.block[0] = o.launch.block[0] = threads;
            if (strstr(kernels[k], "shfl") && threads % 32)
                b.launch.block[0] = o.launch.block[0] = 64;
            run_on_engine(&b);
            assert_int_equal(b.result.fault.kind, FAULT_NONE);
            run(&o);
            if (memcmp(out(&b), out(&o), OUT_BYTES) != 0)
                fail_msg("kernel %zu with %u threads:\n%s", k, threads, kernels[k]);
            assert_int_equal(b.result.thread_instructions, o.result.thread_instructions);
            close_bench(&b);
            close_bench(&o);
        }
}

/* How many instructions of the kernel are passed over. */
static int passed(const char *text, const struct launch *like)
{
    struct bench b;
    char *error = NULL;
    int count = 0;
    open_bench(&b, text);
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    assert_non_null(code);
    b.launch.order = like ? like->order : NULL;
    b.launch.waste = like ? like->waste : NULL;
    const struct code *settled = settled_code(code, &b.launch);
    for (int pc = 0; pc < code->program->insn_count; pc++)
        count += settled->bound[pc].is_passed;
    code_destroy(code);
    close_bench(&b);
    return count;
}

static void test_what_is_passed_over(void **state)
{
    (void)state;
    /* %tid.x, %ntid.x, the parameter, its conversion, and the last bits of %tid.x with the predicate of these; not what
     * comes from %ctaid.x. */
    assert_int_equal(passed(KERNEL("selp.u32 %r9, 1, 2, %p0;"), NULL), 7);
    /* A value of which another path has another: both are executed. */
    assert_int_equal(passed(KERNEL("mov.u32 %r9, 5; @%p0 bra A; mov.u32 %r9, 6;\nA:"), NULL), 6);
    assert_int_equal(passed(KERNEL("mov.u32 %r9, 5; @%p1 mov.u32 %r9, 6;"), NULL), 6);
    /* Warp-level operations read registers where the program has them. */
    assert_int_equal(passed(KERNEL("add.u32 %r7, %r0, 100; shfl.sync.idx.b32 %r9, %r7, 3, 31, 0xffffffff;"), NULL), 6);
}

/* Threads that do not run at their own places have other indices in each block; and what counts each instruction must
 * see it. */
static void test_launches_without(void **state)
{
    (void)state;
    uint32_t order[1] = {0};
    assert_int_equal(passed(KERNEL("mov.u32 %r9, 1;"), &(struct launch){.order = order}), 0);
    assert_int_equal(passed(KERNEL("mov.u32 %r9, 1;"), &(struct launch){.waste = (struct waste *)(void *)order}), 0);
}

/* The second launch has other parameters: what the first one settled is not kept. */
static void test_other_launch(void **state)
{
    (void)state;
    struct bench b;
    char *error = NULL;
    open_bench(&b, KERNEL("mov.u32 %r9, %r3;"));
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    assert_non_null(code);
    functional_launch(&b.launch, code, &b.result);
    b.parameters[0] += 1024;
    functional_launch(&b.launch, code, &b.result);
    for (int i = 0; i < 32; i++) {
        assert_int_equal(((uint32_t *)out(&b))[i], i);
        assert_int_equal(((uint32_t *)out(&b))[256 + i], i);
    }
    code_destroy(code);
    close_bench(&b);
}

/* Bytes that are still allocated behind a code of the bench's kernel that was made, asked for and freed. */
static size_t left_by_code(const struct bench *b)
{
    char *error = NULL;
    struct code *code = code_create(b->launch.kernel, b->image, &error);
    assert_non_null(code);
    assert_ptr_equal(settled_code(code, &b->launch), code);
    code_destroy(code);
    return mallinfo2().uordblks;
}

static void test_kernels_without(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<3>;\n"
                          "mov.u32 %r1, %ctaid.x; add.u32 %r2, %r1, 3; ret;\n}\n");
    for (int i = 0; i < 8; i++) /* malloc() keeps pieces of what it aligned, up to some number of each size */
        left_by_code(&b);
    size_t first = left_by_code(&b);
    assert_int_equal(left_by_code(&b), first);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_what_is_passed_over),
                                       cmocka_unit_test(test_launches_without), cmocka_unit_test(test_kernels_without),
                                       cmocka_unit_test(test_other_launch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
