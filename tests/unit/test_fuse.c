/*
 * Branch fusion (rewrite/fuse.h): which instructions of two sides become one, how operands that differ are selected, and
 * what is refused. Each fused kernel leaves the memory that it left before; random sides hold that for many shapes.
 */
#include "base/random.h"
#include "rewrite_bench.h"
#include "source_file.h"

#define REGISTERS                                                                                                  \
    ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .f32 %f<16>; .reg .b64 %rd<16>; .reg .f64 %g<4>;\n" \
    ".param .b32 first; .param .b32 answer; .param .b32 second; .param .b32 reply;\n"
#define CALLEE                                                                                            \
    ".func (.param .b32 f_out) twice(.param .b32 f_in)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r0, [f_in];\n" \
    "mad.lo.u32 %r1, %r0, 3, 1; st.param.b32 [f_out], %r1; ret;\n}\n"
#define BEGIN                                                                                                        \
    HEADER CALLEE ".visible .entry k(.param .u64 k_out)\n{\n" REGISTERS                                              \
                  "mov.u32 %r0, %tid.x; mad.lo.u32 %r1, %r0, 747796405, 12345; shr.u32 %r2, %r1, 7;\n"               \
                  "xor.b32 %r3, %r1, %r2; cvt.rn.f32.u32 %f0, %r2; cvt.rn.f32.u32 %f1, %r0; cvt.u16.u32 %h0, %r3;\n" \
                  "cvt.u16.u32 %h1, %r1; mov.u32 %r4, 4; mov.u32 %r5, 5; mov.f32 %f2, %f0; mov.f32 %f3, %f1;\n"      \
                  "ld.param.u64 %rd0, [k_out]; mul.wide.u32 %rd1, %r0, 32; add.s64 %rd2, %rd0, %rd1;\n"              \
                  "add.s64 %rd3, %rd2, 4; mov.b64 %rd4, %rd2; mov.b64 %rd5, %rd3; setp.gt.u32 %p1, %r2, 99;\n"       \
                  "setp.gt.u32 %p2, %r3, %r1; and.b32 %r30, %r1, 8192; setp.ne.u32 %p0, %r30, 0;\n"
#define END                                                                                                            \
    "JOIN: xor.b32 %r20, %r4, %r5; add.u32 %r20, %r20, %r6; xor.b32 %r20, %r20, %r7; st.global.u32 [%rd2+16], %r20;\n" \
    "add.f32 %f9, %f2, %f3; st.global.f32 [%rd2+20], %f9; selp.u32 %r21, 1, 2, %p3; st.global.u32 [%rd2+24], %r21;\n"  \
    "cvt.u32.u16 %r22, %h2; st.global.u32 [%rd2+28], %r22; ret;\n}\n"
#define START              "mov.u32 %r6, 0; mov.u32 %r7, 0; setp.eq.u32 %p3, %r0, 0; mov.u16 %h2, 9;\n"
#define SIDES(next, taken) BEGIN START "@%p0 bra ELSE;\n" next "bra JOIN;\nELSE: " taken END

static struct rewritten fused(const char *text)
{
    return assert_rewritten(text, "fuse=all");
}

/* How many instructions of a kind the fused kernel has. */
static void assert_ops(const char *text, enum op op, int expected)
{
    struct rewritten r = fused(text);
    if (count_op(r.kernel, op) != expected)
        fail_msg("%d of %s, not %d", count_op(r.kernel, op), op_table[op].mnemonic, expected);
    rewritten_free(&r);
}

static int count_before(const char *text, enum op op)
{
    struct ptx_module *m = parse(text);
    int count = count_op(ptx_find_function(m, "k"), op);
    ptx_destroy(m);
    return count;
}

/* Equal instructions need no selection, and the branch is gone. */
static void test_equal_sides(void **state)
{
    (void)state;
    const char *text =
        SIDES("rem.u32 %r6, %r1, 7;\nadd.u32 %r7, %r6, %r3;\n", "rem.u32 %r6, %r1, 7;\nadd.u32 %r7, %r6, %r3;\n");
    struct rewritten r = fused(text);
    assert_int_equal(count_op(r.kernel, OP_REM), 1);
    assert_int_equal(count_op(r.kernel, OP_BRA), 0);
    assert_int_equal(count_op(r.kernel, OP_SELP), count_before(text, OP_SELP));
    rewritten_free(&r);
}

/* A value that both sides compute, in registers of their own, is in one register, and selected only where it is read
 * behind the join. */
static void test_values_of_a_pair(void **state)
{
    (void)state;
    const char *text = SIDES("rem.u32 %r8, %r1, 7;\nmul.lo.u32 %r9, %r8, %r8;\nadd.u32 %r6, %r9, 1;\n",
                             "rem.u32 %r10, %r3, 7;\nmul.lo.u32 %r11, %r10, %r10;\nadd.u32 %r7, %r11, 1;\n");
    struct rewritten r = fused(text);
    assert_int_equal(count_op(r.kernel, OP_REM), 1);
    assert_int_equal(count_op(r.kernel, OP_MUL), 1);
    assert_int_equal(count_op(r.kernel, OP_SELP), count_before(text, OP_SELP) + 1); /* %r1 or %r3 */
    assert_int_equal(count_op(r.kernel, OP_BRA), 0);
    rewritten_free(&r);
}

static void test_operands(void **state)
{
    (void)state;
    int selections = count_before(SIDES("", "mov.u32 %r6, 1;\n"), OP_SELP);
    /* Numbers, of integers and floats; a number and a register. */
    assert_ops(SIDES("add.u32 %r6, %r1, 5;\n", "add.u32 %r6, %r1, 6;\n"), OP_SELP, selections + 1);
    assert_ops(SIDES("fma.rn.f32 %f2, %f0, 0f3F800000, %f1;\n", "fma.rn.f32 %f2, %f0, 0fBF000000, %f1;\n"), OP_SELP,
               selections + 1);
    assert_ops(SIDES("div.u32 %r6, %r1, 5;\n", "div.u32 %r6, %r1, %r5;\n"), OP_SELP, selections + 1);
    /* 16 and 64 bits. */
    assert_ops(SIDES("mul.lo.u16 %h2, %h0, %h0;\n", "mul.lo.u16 %h2, %h1, %h0;\n"), OP_SELP, selections + 1);
    assert_ops(SIDES("st.global.u32 [%rd3], %r1;\n", "st.global.u32 [%rd2], %r1;\n"), OP_SELP, selections + 1);
    /* A selection is made once for all its uses, until one of its registers is written. */
    assert_ops(SIDES("st.global.u32 [%rd3], %r1;\nst.global.u32 [%rd3+8], %r1;\n",
                     "st.global.u32 [%rd2], %r1;\nst.global.u32 [%rd2+8], %r1;\n"),
               OP_SELP, selections + 1);
    assert_ops(SIDES("st.global.u32 [%rd4], %r1;\nadd.s64 %rd4, %rd4, 4;\nst.global.u32 [%rd4+8], %r1;\n",
                     "st.global.u32 [%rd5], %r1;\nadd.s64 %rd5, %rd5, 4;\nst.global.u32 [%rd5+4], %r1;\n"),
               OP_ST, 4 + 2);
    /* Addresses with different offsets. */
    assert_ops(SIDES("st.global.u32 [%rd2+4], %r1;\n", "st.global.u32 [%rd3+8], %r3;\n"), OP_ST, 4 + 1);
    /* Predicates, read and written, and as guards. */
    assert_ops(SIDES("setp.lt.u32 %p4, %r1, 1000000;\nselp.u32 %r6, %r1, %r2, %p4;\n",
                     "setp.lt.u32 %p5, %r3, 1000000;\nselp.u32 %r7, %r1, %r2, %p5;\n"),
               OP_SETP, 4 + 1);
    assert_ops(SIDES("@%p1 st.global.u32 [%rd2], %r1;\n", "@%p2 st.global.u32 [%rd3], %r1;\n"), OP_ST, 4 + 1);
    assert_ops(
        SIDES("mov.u32 %r6, 3;\n@%p1 rem.u32 %r6, %r1, %r2;\n", "mov.u32 %r6, 7;\n@%p2 rem.u32 %r6, %r1, %r2;\n"),
        OP_REM, 1);
    /* Vectors. */
    assert_ops(SIDES("st.global.v2.u32 [%rd2], {%r1, %r2};\n", "st.global.v2.u32 [%rd2+8], {%r1, %r3};\n"), OP_ST,
               4 + 1);
    assert_ops(SIDES("mov.b64 {%r6, %r7}, %rd1;\n", "mov.b64 {%r7, %r6}, %rd2;\n"), OP_MOV,
               count_before(SIDES("mov.b64 {%r6, %r7}, %rd1;\n", "mov.b64 {%r7, %r6}, %rd2;\n"), OP_MOV));
    /* The branch's own predicate is written by a side. */
    assert_ops(SIDES("rem.u32 %r6, %r1, 9;\nsetp.eq.u32 %p0, %r6, 3;\nselp.u32 %r7, 1, 5, %p0;\nrem.u32 %r6, %r6, 5;\n",
                     "rem.u32 %r6, %r3, 9;\nrem.u32 %r6, %r6, 4;\nsetp.eq.u32 %p0, %r6, 2;\n"),
               OP_REM, 2);
}

/* Short remainders are guarded, long ones stand behind a branch. */
static void test_remainders(void **state)
{
    (void)state;
    struct rewritten r = fused(SIDES("rem.u32 %r6, %r1, 7;\nxor.b32 %r6, %r6, %r2;\nrem.u32 %r7, %r6, 5;\n",
                                     "rem.u32 %r6, %r3, 7;\nrem.u32 %r7, %r6, 6;\n"));
    assert_int_equal(count_op(r.kernel, OP_REM), 2);
    assert_int_equal(count_op(r.kernel, OP_BRA), 0);
    rewritten_free(&r);
    r = fused(
        SIDES("rem.u32 %r6, %r1, 7;\nxor.b32 %r6, %r6, %r2;\nshl.b32 %r6, %r6, 1;\nor.b32 %r6, %r6, 1;\nxor.b32 %r6, "
              "%r6, %r3;\nrem.u32 %r7, %r6, 5;\n",
              "rem.u32 %r6, %r3, 7;\nrem.u32 %r7, %r6, 6;\n"));
    assert_int_equal(count_op(r.kernel, OP_REM), 2);
    assert_int_equal(count_op(r.kernel, OP_BRA), 1);
    rewritten_free(&r);
    /* An old value that a guarded write may leave is put back first. */
    r = fused(SIDES("rem.u32 %r6, %r1, 7;\n@%p1 xor.b32 %r6, %r6, 77;\n",
                    "rem.u32 %r7, %r3, 7;\n@%p2 and.b32 %r7, %r7, 3;\n"));
    assert_int_equal(count_op(r.kernel, OP_REM), 1);
    rewritten_free(&r);
}

/* Both sides call one function: through the same .param variables, and through variables of their own. */
static void test_calls(void **state)
{
    (void)state;
    assert_ops(SIDES("st.param.b32 [first], %r1;\ncall (answer), twice, (first);\nld.param.b32 %r6, [answer];\n",
                     "add.u32 %r9, %r3, 1;\nst.param.b32 [first], %r9;\ncall (answer), twice, (first);\n"
                     "ld.param.b32 %r7, [answer];\n"),
               OP_CALL, 1);
    assert_ops(SIDES("st.param.b32 [first], %r1;\ncall (answer), twice, (first);\nld.param.b32 %r6, [answer];\n",
                     "st.param.b32 [second], %r3;\ncall (reply), twice, (second);\nld.param.b32 %r7, [reply];\n"),
               OP_CALL, 1);
    /* A variable that is also used elsewhere stays, and so does its call. */
    assert_ops(BEGIN START "st.param.b32 [reply], %r1;\n@%p0 bra ELSE;\n"
                           "st.param.b32 [first], %r1;\ncall (answer), twice, (first);\nld.param.b32 %r6, [answer];\n"
                           "rem.u32 %r4, %r1, 3;\nbra JOIN;\nELSE: "
                           "st.param.b32 [second], %r3;\ncall (reply), twice, (second);\nld.param.b32 %r7, [reply];\n"
                           "rem.u32 %r4, %r3, 3;\n" END,
               OP_CALL, 2);
}

/* The sides of an inner branch are fused first, then those of the branch around it; the order of blocks does not matter;
 * and a loop around reads what the last iteration left. */
static void test_shapes(void **state)
{
    (void)state;
    struct rewritten r = fused(SIDES("@%p1 bra INNER;\nrem.u32 %r6, %r1, 7;\nbra NEAR;\nINNER: rem.u32 %r6, %r3, 7;\n"
                                     "NEAR: rem.u32 %r7, %r6, 3;\n",
                                     "rem.u32 %r6, %r2, 5;\nrem.u32 %r7, %r6, 4;\n"));
    assert_int_equal(count_op(r.kernel, OP_REM), 2);
    assert_int_equal(count_op(r.kernel, OP_BRA), 0);
    rewritten_free(&r);
    r = fused(BEGIN START "@!%p0 bra THEN;\nbra ELSE;\nTHEN: rem.u32 %r6, %r1, 7;\nbra JOIN;\n"
                          "AWAY: st.global.u32 [%rd2], %r0;\nret;\nELSE: rem.u32 %r6, %r3, 7;\n" END);
    assert_int_equal(count_op(r.kernel, OP_REM), 1);
    rewritten_free(&r);
    r = fused(BEGIN START "mov.u32 %r9, 0;\nLOOP: and.b32 %r30, %r1, 8; setp.eq.u32 %p0, %r30, 0; @%p0 bra ELSE;\n"
                          "add.u32 %r6, %r6, %r10;\nmul.lo.u32 %r10, %r1, 3;\nbra NEXT;\n"
                          "ELSE: add.u32 %r7, %r7, %r11;\nmul.lo.u32 %r11, %r1, 5;\n"
                          "NEXT: mad.lo.u32 %r1, %r1, 1664525, 1013904223;\nadd.u32 %r9, %r9, 1;\n"
                          "setp.lt.u32 %p6, %r9, 20; @%p6 bra LOOP;\n" END);
    assert_int_equal(count_op(r.kernel, OP_MUL), 1);
    rewritten_free(&r);
}

static void test_recon_kernel(void **state)
{
    (void)state;
    struct ptx_module *module = parse(read_source("tests/recon/common_call.ptx"));
    struct ptx_function *k = ptx_find_function(module, "common_call");
    struct text said = {0};
    assert_true(rewrite_fuse(module, k, &(struct rewrite_options){.word = "paying"}, &said));
    assert_int_equal(count_op(k, OP_CALL), 1);
    text_free(&said);
    ptx_destroy(module);
}

static void test_refusals(void **state)
{
    (void)state;
    assert_left_alone(SIDES("bar.warp.sync -1;\nrem.u32 %r6, %r1, 7;\n", "rem.u32 %r6, %r3, 7;\n"), "fuse=all",
                      "a side holds a warp-level operation");
    assert_left_alone(SIDES("rem.u32 %r6, %r1, 7;\n", "barrier.sync 0;\nrem.u32 %r6, %r3, 7;\n"), "fuse=all",
                      "a side holds a block barrier");
    struct text lengthy = {0};
    text_printf(&lengthy, "%s", BEGIN START "@%p0 bra ELSE;\nrem.u32 %r6, %r1, 7;\nbra JOIN;\nELSE:\n");
    for (int i = 0; i < 2001; i++)
        text_printf(&lengthy, "%s", "rem.u32 %r6, %r3, 7;\n");
    text_printf(&lengthy, "%s", END);
    assert_left_alone(lengthy.data, "fuse=all", "a side is too long");
    text_free(&lengthy);
    /* A function that a side calls, through another, asks which threads are there. */
    struct text asks = {0};
    text_printf(&asks, "%s%s%s%s", HEADER,
                ".func (.reg .b32 %out) who(.reg .b32 %in)\n{\nactivemask.b32 %out; ret;\n}\n",
                ".func (.reg .b32 %out) asks(.reg .b32 %in)\n{\ncall (%out), who, (%in); ret;\n}\n",
                SIDES("call (%r6), asks, (%r1);\n", "call (%r6), asks, (%r3);\n") + strlen(HEADER));
    assert_left_alone(asks.data, "fuse=all", "a side calls a function with a barrier or a warp-level operation");
    text_free(&asks);
    assert_left_alone(SIDES("xor.b32 %r6, %r1, 7;\n", "shl.b32 %r6, %r3, 7;\n"), "fuse=all",
                      "nothing in common that pays");
#define FIVE(op) \
    op " %r6, %r6, %r1;\n" op " %r7, %r6, %r2;\n" op " %r6, %r7, 9;\n" op " %r7, %r7, 1;\n" op " %r6, %r7, %r6;\n"
    assert_left_alone(SIDES(FIVE("xor.b32") "popc.b32 %r4, %r6;\n" FIVE("xor.b32"),
                            FIVE("sub.u32") "popc.b32 %r5, %r7;\n" FIVE("sub.u32")),
                      "fuse", "issue slots, the sides take");
    /* No candidates: an end of threads, a loop, an empty side, a uniform branch. */
    static const char *const none[] = {
        SIDES("rem.u32 %r6, %r1, 7;\n@%p1 ret;\n", "rem.u32 %r6, %r3, 7;\n"),
        SIDES("AGAIN: rem.u32 %r6, %r1, 7;\nadd.u32 %r6, %r6, 1; setp.lt.u32 %p4, %r6, 3; @%p4 bra AGAIN;\n",
              "rem.u32 %r6, %r3, 7;\n"),
        SIDES("", "rem.u32 %r6, %r3, 7;\n"),
        BEGIN START
        "mov.u32 %r29, %ctaid.x; setp.eq.u32 %p7, %r29, 0; @%p7 bra ELSE;\nrem.u32 %r6, %r1, 7;\nbra JOIN;\n"
        "ELSE: rem.u32 %r6, %r3, 7;\n" END,
    };
    for (size_t i = 0; i < COUNTOF(none); i++) {
        struct rewritten r = rewrite(none[i], "fuse=all");
        if (r.is_changed)
            fail_msg("case %d: %s", (int)i, r.said.data);
        rewritten_free(&r);
    }
}

/* ---- random sides ---- */

static unsigned below(struct random *random, unsigned n)
{
    return (unsigned)(random_u64(random) % n);
}

/* One instruction of a kind, with random registers. Registers %r4 to %r15, %f2 to %f7 and %p3 to %p5 change. */
static void add_instruction(struct random *g, unsigned kind, struct text *out)
{
    unsigned to = 4 + below(g, 12), from = below(g, 16), other = below(g, 16), f = 2 + below(g, 6), x = below(g, 8);
    unsigned p = 3 + below(g, 3), q = 1 + below(g, 5), slot = 4 * below(g, 4);
    from = from == 0 ? 1 : from;
    if (below(g, 6) == 0)
        text_printf(out, "@%s%%p%u ", below(g, 2) ? "!" : "", q);
    switch (kind) {
    case 0:
        text_printf(out, "rem.u32 %%r%u, %%r%u, %u;\n", to, from, 3 + below(g, 9));
        break;
    case 1:
        text_printf(out, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %u;\n", to, from, other, below(g, 100));
        break;
    case 2:
        text_printf(out, "xor.b32 %%r%u, %%r%u, %%r%u;\n", to, from, other);
        break;
    case 3:
        text_printf(out, "fma.rn.f32 %%f%u, %%f%u, %%f%u, 0f3F000000;\n", f, x, below(g, 8));
        break;
    case 4:
        text_printf(out, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", p, from, other);
        break;
    case 5:
        text_printf(out, "selp.b32 %%r%u, %%r%u, %u, %%p%u;\n", to, from, below(g, 50), q);
        break;
    case 6:
        text_printf(out, "st.global.u32 [%%rd%u+%u], %%r%u;\n", 2 + below(g, 2), slot, from);
        break;
    case 7:
        text_printf(out, "ld.global.u32 %%r%u, [%%rd%u+%u];\n", to, 2 + below(g, 2), slot);
        break;
    case 8:
        text_printf(out, "add.cc.u32 %%r%u, %%r%u, %%r%u;\naddc.u32 %%r%u, %%r%u, 0;\n", to, from, other, to, from);
        break;
    case 9:
        text_printf(out, "mov.b64 {%%r%u, %%r%u}, %%rd1;\n", to, to == 4 ? 5 : to - 1);
        break;
    case 10:
        text_printf(out, "add.cc.u32 %%r%u, %%r%u, 99;\n", to, from);
        break;
    default:
        text_printf(out,
                    "mov.b32 %%r%u, %%r%u;\nst.param.b32 [first], %%r%u;\ncall (answer), twice, (first);\n"
                    "ld.param.b32 %%r%u, [answer];\n",
                    to, from, other, to);
    }
}

/* Two sides that have a sequence of kinds in common, each with instructions of its own between. */
static void add_sides(struct random *g, struct text sides[2])
{
    unsigned kinds = 2 + below(g, 12);
    for (unsigned i = 0; i < kinds; i++) {
        unsigned kind = below(g, 12);
        for (int side = 0; side < 2; side++) {
            for (unsigned alone = below(g, 3) ? 0 : below(g, 6); alone; alone--)
                add_instruction(g, below(g, 12), &sides[side]);
            add_instruction(g, kind, &sides[side]);
        }
    }
}

static void test_random_sides(void **state)
{
    (void)state;
    int changed = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct random g = {seed};
        struct text sides[2] = {{0}}, all = {0};
        add_sides(&g, sides);
        text_printf(&all, "%s%smov.u32 %%r31, 0;\n", BEGIN, START);
        for (int r = 8; r < 16; r++)
            text_printf(&all, "add.u32 %%r%d, %%r1, %d;\n", r, r);
        text_printf(
            &all,
            "mov.f32 %%f4, %%f0; mov.f32 %%f5, %%f1; mov.f32 %%f6, %%f0; mov.f32 %%f7, %%f1;\n"
            "setp.lt.u32 %%p4, %%r2, %%r3; setp.gt.u32 %%p5, %%r2, %%r3;\n"
            "LOOP: and.b32 %%r30, %%r1, 4096; setp.%s.u32 %%p0, %%r30, 0;\n@%s%%p0 bra ELSE;\n%sbra AFTER;\nELSE: %s"
            "AFTER: xor.b32 %%r20, %%r8, %%r9; xor.b32 %%r21, %%r12, %%r14; st.global.u32 [%%rd2+12], %%r20;\n"
            "st.global.u32 [%%rd2+8], %%r21; mad.lo.u32 %%r1, %%r1, 1664525, 1013904223;\n"
            "add.u32 %%r31, %%r31, 1; setp.lt.u32 %%p6, %%r31, 5; @%%p6 bra LOOP;\n%s",
            seed % 2 ? "ne" : "eq", seed % 3 ? "" : "!", sides[0].data, sides[1].data, END);
        for (int paying = 0; paying < 2; paying++) {
            struct rewritten r = rewrite(all.data, paying ? "fuse" : "fuse=all");
            struct text printed = {0};
            ptx_print(r.module, &printed);
            if (r.is_changed)
                assert_same_memory(all.data, printed.data, "fuse");
            changed += r.is_changed;
            text_free(&printed);
            rewritten_free(&r);
        }
        text_free(&all);
        text_free(&sides[0]);
        text_free(&sides[1]);
    }
    if (changed < 180)
        fail_msg("only %d of 240 were changed", changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_sides),  cmocka_unit_test(test_values_of_a_pair),
        cmocka_unit_test(test_operands),     cmocka_unit_test(test_remainders),
        cmocka_unit_test(test_calls),        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_recon_kernel), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_random_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
