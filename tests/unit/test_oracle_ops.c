/* The oracle on single instructions with known results; those that PTX leaves open are as silicon has them.
 */
#include "kernel_bench.h"

/*
 * One instruction: its sources are %x1 to %x3, its destinations %x0 (and %p8), where x is h, r, d or p for
 * 16, 32, 64 bits or a predicate; they are read from a, b, c and compared with `expect`.
 */
struct row {
    char kind;
    const char *text;
    uint64_t a, b, c, expect;
};

static uint64_t evaluate(const struct row *row)
{
    char text[2048];
    struct bench b;
    snprintf(text, sizeof text,
             HEADER ".visible .entry k(.param .u64 out)\n{\n"
                    ".reg .b16 %%h<4>; .reg .b32 %%r<4>; .reg .b64 %%d<4>; .reg .pred %%p<9>; .reg .b64 %%o;\n"
                    "ld.param.u64 %%o, [out];\n"
                    "ld.global.u64 %%d1, [%%o]; ld.global.u64 %%d2, [%%o+8]; ld.global.u64 %%d3, [%%o+16];\n"
                    "cvt.u32.u64 %%r1, %%d1; cvt.u32.u64 %%r2, %%d2; cvt.u32.u64 %%r3, %%d3;\n"
                    "cvt.u16.u64 %%h1, %%d1; cvt.u16.u64 %%h2, %%d2; cvt.u16.u64 %%h3, %%d3;\n"
                    "setp.ne.u64 %%p1, %%d1, 0; setp.ne.u64 %%p2, %%d2, 0; setp.ne.u64 %%p3, %%d3, 0;\n"
                    "%s\n"
                    "selp.u32 %%r1, 1, 0, %%p0; selp.u32 %%r2, 1, 0, %%p8;\n"
                    "st.global.b16 [%%o], %%h0; st.global.b32 [%%o+8], %%r0; st.global.b64 [%%o+16], %%d0;\n"
                    "st.global.b32 [%%o+24], %%r1; st.global.b32 [%%o+32], %%r2;\nret;\n}\n",
             row->text);
    open_bench(&b, text);
    b.launch.block[0] = 1;
    uint64_t *words = out(&b);
    words[0] = row->a;
    words[1] = row->b;
    words[2] = row->c;
    run(&b);
    uint64_t value = row->kind == 'h'   ? words[0] & 0xffff
                     : row->kind == 'r' ? words[1] & 0xffffffff
                     : row->kind == 'd' ? words[2]
                     : row->kind == 'q' ? words[4] & 0xffffffff
                                        : words[3] & 0xffffffff;
    close_bench(&b);
    return value;
}

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t got = evaluate(&rows[i]);
        if (got != rows[i].expect)
            fail_msg("%s  of 0x%llx, 0x%llx, 0x%llx gives 0x%llx, not 0x%llx", rows[i].text,
                     (unsigned long long)rows[i].a, (unsigned long long)rows[i].b, (unsigned long long)rows[i].c,
                     (unsigned long long)got, (unsigned long long)rows[i].expect);
    }
}

static void test_integer(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {'r', "add.s32 %r0, %r1, %r2;", 0xffffffff, 2, 0, 1},
        {'h', "add.u16 %h0, %h1, %h2;", 0xffff, 2, 0, 1},
        {'r', "add.sat.s32 %r0, %r1, %r2;", 0x7fffffff, 1, 0, 0x7fffffff},
        {'r', "sub.sat.s32 %r0, %r1, %r2;", 0x80000000, 1, 0, 0x80000000},
        {'r', "mul.hi.s32 %r0, %r1, %r2;", 0xffffffff, 2, 0, 0xffffffff},
        {'r', "mul.hi.u32 %r0, %r1, %r2;", 0xffffffff, 2, 0, 1},
        {'d', "mul.hi.s64 %d0, %d1, %d2;", UINT64_MAX, 3, 0, UINT64_MAX},
        {'d', "mul.hi.u64 %d0, %d1, %d2;", UINT64_MAX, UINT64_MAX, 0, UINT64_MAX - 1},
        {'h', "mul.hi.u16 %h0, %h1, %h2;", 0x8000, 6, 0, 3},
        {'d', "mul.wide.s32 %d0, %r1, %r2;", 0xffffffff, 5, 0, (uint64_t)-5},
        {'r', "mul.wide.s16 %r0, %h1, %h2;", 0xffff, 5, 0, S(-5)},
        {'r', "mad.lo.u32 %r0, %r1, %r2, %r3;", 7, 8, 9, 65},
        {'r', "mad.hi.sat.s32 %r0, %r1, %r2, %r3;", 0x40000000, 4, 0x7fffffff, 0x7fffffff},
        {'d', "mad.wide.s32 %d0, %r1, %r2, %d3;", S(-3), 4, 2, (uint64_t)-10},
        {'r', "mul24.hi.s32 %r0, %r1, %r2;", 0x800000, 0x10000, 0, S(-0x800000)},
        {'r', "mul24.lo.u32 %r0, %r1, %r2;", 0xff000003, 0xff000005, 0, 15},
        {'r', "sad.s32 %r0, %r1, %r2, %r3;", S(-5), 5, 1, 11},
        {'r', "sad.u32 %r0, %r1, %r2, %r3;", S(-5), 5, 1, S(-9)},
        {'r', "div.s32 %r0, %r1, %r2;", S(-7), 2, 0, S(-3)},
        {'r', "div.s32 %r0, %r1, %r2;", 0x80000000, S(-1), 0, 0x80000000},
        {'d', "div.s64 %d0, %d1, %d2;", UINT64_C(1) << 63, UINT64_MAX, 0, UINT64_C(1) << 63},
        {'r', "div.u32 %r0, %r1, %r2;", 5, 0, 0, 0xffffffff},
        {'r', "rem.s32 %r0, %r1, %r2;", S(-7), 2, 0, S(-1)},
        {'r', "rem.s32 %r0, %r1, %r2;", 0x80000000, S(-1), 0, 0},
        {'r', "rem.u32 %r0, %r1, %r2;", 5, 0, 0, 5},
        {'r', "abs.s32 %r0, %r1;", 0x80000000, 0, 0, 0x80000000},
        {'h', "neg.s16 %h0, %h1;", 3, 0, 0, 0xfffd},
        {'r', "min.s32 %r0, %r1, %r2;", S(-1), 1, 0, S(-1)},
        {'r', "max.u32 %r0, %r1, %r2;", S(-1), 1, 0, S(-1)},
        {'r', "add.cc.u32 %r0, %r1, %r2; addc.u32 %r0, 0, 0;", S(-1), 1, 0, 1},
        {'d', "add.cc.u64 %d0, %d1, %d2; addc.u64 %d0, 0, 0;", UINT64_MAX, 1, 0, 1},
        {'r', "sub.cc.u32 %r0, %r1, %r2; subc.u32 %r0, 0, 0;", 1, 2, 0, S(-1)},
        {'r', "sub.cc.u32 %r0, %r1, %r2; addc.u32 %r0, 0, 0;", 1, 2, 0, 0}, /* CC.CF: nothing was borrowed */
        {'r', "sub.cc.u32 %r0, %r1, %r2; addc.u32 %r0, 0, 0;", 2, 2, 0, 1},
        {'d', "sub.cc.u64 %d0, %d1, %d2; addc.u64 %d0, 0, 0;", 2, 1, 0, 1},
        {'r', "add.cc.u32 %r0, %r1, %r2; subc.u32 %r0, 9, 1;", 1, 2, 0, 7},
        {'r', "add.cc.u32 %r0, %r1, %r2; subc.u32 %r0, 9, 1;", S(-1), 2, 0, 8},
        {'r', "add.cc.u32 %r0, %r1, %r2; madc.hi.u32 %r0, %r1, %r3, 1;", S(-1), 1, 2, 3},
    };
    check_rows(rows, COUNTOF(rows));
}

static void test_bits(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {'r', "popc.b64 %r0, %d1;", UINT64_MAX, 0, 0, 64},
        {'r', "clz.b32 %r0, %r1;", 1, 0, 0, 31},
        {'r', "clz.b64 %r0, %d1;", 0, 0, 0, 64},
        {'r', "bfind.u32 %r0, %r1;", 0x10, 0, 0, 4},
        {'r', "bfind.s32 %r0, %r1;", S(-2), 0, 0, 0},
        {'r', "bfind.s32 %r0, %r1;", S(-1), 0, 0, S(-1)},
        {'r', "bfind.shiftamt.u64 %r0, %d1;", 1, 0, 0, 63},
        {'r', "fns.b32 %r0, %r1, %r2, %r3;", 0xf0, 0, 2, 5},
        {'r', "fns.b32 %r0, %r1, %r2, %r3;", 0xf0, 31, S(-1), 7},
        {'r', "fns.b32 %r0, %r1, %r2, %r3;", 0xf0, 3, 0, S(-1)},
        {'r', "brev.b32 %r0, %r1;", 1, 0, 0, 0x80000000},
        {'r', "bfe.u32 %r0, %r1, %r2, %r3;", 0xabcd, 4, 8, 0xbc},
        {'r', "bfe.s32 %r0, %r1, %r2, %r3;", 0xabcd, 4, 8, S(-0x44)},
        {'r', "bfe.s32 %r0, %r1, %r2, %r3;", 0x80000000, 28, 16, S(-8)},
        {'r', "bfe.u32 %r0, %r1, %r2, %r3;", 0xabcd, 0x104, 8, 0xbc},
        {'d', "bfe.u64 %d0, %d1, %r2, %r3;", 0xabcd, 0x104, 8, 0},
        {'d', "bfe.u64 %d0, %d1, %r2, %r3;", 0xabcd, 4, 0x100000, 0xabc},
        {'r', "bfi.b32 %r0, %r1, %r2, 4, 8;", 0xee, 0x1234567, 0, 0x1234ee7},
        {'r', "bmsk.clamp.b32 %r0, %r1, %r2;", 4, 8, 0, 0xff0},
        {'r', "bmsk.clamp.b32 %r0, %r1, %r2;", 4, 99, 0, 0xfffffff0},
        {'r', "bmsk.clamp.b32 %r0, %r1, %r2;", 40, 8, 0, 0},
        {'r', "szext.clamp.s32 %r0, %r1, %r2;", 0xff, 8, 0, S(-1)},
        {'r', "szext.wrap.u32 %r0, %r1, %r2;", 0xffff, 40, 0, 0xff},
        {'r', "dp4a.s32.u32 %r0, %r1, %r2, %r3;", 0xff01ff01, 0x01010101, 10, 10},
        {'r', "dp2a.hi.u32.s32 %r0, %r1, %r2, %r3;", 0x00020003, 0x01ff0000, 0, S(-1)},
        {'r', "lop3.b32 %r0, %r1, %r2, %r3, 0xe8;", 0xf0f0, 0xff00, 0xaaaa, 0xfaa0},
        {'r', "shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 0x80000000, 1, 33, 3},
        {'r', "shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 5, 7, 32, 7},
        {'r', "shl.b32 %r0, %r1, %r2;", 1, 32, 0, 0},
        {'r', "shr.s32 %r0, %r1, %r2;", 0x80000000, 40, 0, S(-1)},
        {'d', "shr.u64 %d0, %d1, %r2;", UINT64_C(1) << 63, 63, 0, 1},
        {'r', "prmt.b32 %r0, %r1, %r2, %r3;", 0x33221180, 0x77665544, 0x8740, 0xff774480},
        {'r', "prmt.b32.f4e %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 1, 0x44332211},
        {'r', "prmt.b32.rc16 %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 1, 0x33223322},
        {'r', "cnot.b32 %r0, %r1;", 0, 0, 0, 1},
        {'p', "xor.pred %p0, %p1, %p2;", 1, 1, 0, 0},
        {'p', "not.pred %p0, %p1;", 0, 0, 0, 1},
    };
    check_rows(rows, COUNTOF(rows));
}

static void test_compare(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {'p', "setp.lt.s32 %p0, %r1, %r2;", S(-1), 1, 0, 1},
        {'p', "setp.lt.u32 %p0, %r1, %r2;", S(-1), 1, 0, 0},
        {'q', "setp.lt.u32 %p0|%p8, %r1, %r2;", S(-1), 1, 0, 1},
        {'p', "setp.lt.and.s32 %p0, %r1, %r2, !%p3;", S(-1), 1, 1, 0},
        {'p', "setp.eq.f32 %p0, %r1, %r2;", 0x7fc00000, 0x7fc00000, 0, 0},
        {'p', "setp.equ.f32 %p0, %r1, %r2;", 0x7fc00000, 0x7fc00000, 0, 1},
        {'p', "setp.ne.f32 %p0, %r1, %r2;", 0x7fc00000, 0, 0, 0},
        {'p', "setp.gt.ftz.f32 %p0, %r1, %r2;", 1, 0, 0, 0},
        {'p', "setp.gt.f32 %p0, %r1, %r2;", 1, 0, 0, 1},
        {'p', "setp.nan.f64 %p0, %d1, %d2;", UINT64_C(0x7ff8000000000000), 0, 0, 1},
        {'r', "set.le.u32.s32 %r0, %r1, %r2;", 1, 1, 0, 0xffffffff},
        {'r', "set.gt.f32.s32 %r0, %r1, %r2;", 2, 1, 0, 0x3f800000},
        {'r', "selp.b32 %r0, %r1, %r2, !%p3;", 1, 2, 5, 2},
        {'r', "slct.u32.s32 %r0, %r1, %r2, %r3;", 1, 2, S(-1), 2},
        {'r', "slct.u32.f32 %r0, %r1, %r2, %r3;", 1, 2, 0x80000000, 1},
        {'r', "slct.u32.f32 %r0, %r1, %r2, %r3;", 1, 2, 0x7fc00000, 2},
    };
    check_rows(rows, COUNTOF(rows));
}

static void test_float(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {'r', "add.rn.f32 %r0, %r1, %r2;", 0x3f800000, 0x33800000, 0, 0x3f800000},
        {'r', "add.rp.f32 %r0, %r1, %r2;", 0x3f800000, 0x33800000, 0, 0x3f800001},
        {'r', "add.rm.f32 %r0, %r1, %r2;", 0x3f800000, 0xb3000000, 0, 0x3f7fffff},
        {'r', "add.f32 %r0, %r1, %r2;", 0x7f800000, 0xff800000, 0, 0x7fffffff},
        {'r', "mul.ftz.f32 %r0, %r1, %r2;", 0x80800000, 0x3f000000, 0, 0x80000000},
        {'r', "mul.f32 %r0, %r1, %r2;", 0x80800000, 0x3f000000, 0, 0x80400000},
        {'r', "add.sat.f32 %r0, %r1, %r2;", 0x3f800000, 0x3f800000, 0, 0x3f800000},
        {'r', "mul.sat.f32 %r0, %r1, %r2;", 0x7f800000, 0, 0, 0},
        {'r', "fma.rz.f32 %r0, %r1, %r2, %r3;", 0x3f800001, 0x3f800001, 0xbf800000, 0x34800000},
        {'r', "div.rz.f32 %r0, %r1, %r2;", 0x3f800000, 0x40400000, 0, 0x3eaaaaaa},
        {'r', "div.rp.f32 %r0, %r1, %r2;", 0x3f800000, 0x40400000, 0, 0x3eaaaaab},
        {'r', "sqrt.rm.f32 %r0, %r1;", 0x40000000, 0, 0, 0x3fb504f3},
        {'d', "sqrt.rp.f64 %d0, %d1;", UINT64_C(0x4000000000000000), 0, 0, UINT64_C(0x3ff6a09e667f3bcd)},
        {'d', "add.rz.f64 %d0, %d1, %d2;", UINT64_C(0x3ff0000000000000), UINT64_C(0xbc90000000000000), 0,
         UINT64_C(0x3fefffffffffffff)},
        {'r', "div.approx.f32 %r0, %r1, %r2;", 0x3f800000, 0x7f000000, 0, 0},
        {'r', "div.approx.f32 %r0, %r1, %r2;", 0x7f800000, 0x7f000000, 0, 0x7fffffff},
        {'r', "rcp.approx.ftz.f32 %r0, %r1;", 0x80000001, 0, 0, 0xff800000},
        {'r', "rsqrt.approx.f32 %r0, %r1;", 0x80000000, 0, 0, 0xff800000},
        {'r', "ex2.approx.f32 %r0, %r1;", 0x40400000, 0, 0, 0x41000000},
        {'r', "lg2.approx.f32 %r0, %r1;", 0, 0, 0, 0xff800000},
        {'r', "sin.approx.f32 %r0, %r1;", 0x7f800000, 0, 0, 0x7fffffff},
        {'d', "rcp.approx.ftz.f64 %d0, %d1;", UINT64_C(0x40000000ffffffff), 0, 0, UINT64_C(0x3fe0000000000000)},
        {'d', "rcp.approx.ftz.f64 %d0, %d1;", UINT64_C(0x8000000000000001), 0, 0, UINT64_C(0xfff0000000000000)},
        {'r', "min.f32 %r0, %r1, %r2;", 0x7fc00000, 0x3f800000, 0, 0x3f800000},
        {'r', "min.NaN.f32 %r0, %r1, %r2;", 0x7fc00000, 0x3f800000, 0, 0x7fffffff},
        {'r', "max.f32 %r0, %r1, %r2;", 0x80000000, 0, 0, 0},
        {'r', "min.f32 %r0, %r1, %r2;", 0, 0x80000000, 0, 0x80000000},
        {'r', "max.xorsign.abs.f32 %r0, %r1, %r2;", 0xc0000000, 0x3f800000, 0, 0xc0000000},
        {'r', "copysign.f32 %r0, %r1, %r2;", 0x80000000, 0x3f800000, 0, 0xbf800000},
        {'p', "testp.subnormal.f32 %p0, %r1;", 1, 0, 0, 1},
        {'p', "testp.normal.f32 %p0, %r1;", 0, 0, 0, 1},
        {'r', "abs.ftz.f32 %r0, %r1;", 0x80000001, 0, 0, 0},
        {'r', "neg.f32 %r0, %r1;", 0, 0, 0, 0x80000000},
        {'r', "mul.ftz.f32 %r0, %r1, %r2;", 0x00800000, 0x3f7fffff, 0, 0}, /* rounds up only as a subnormal */
        {'r', "mul.f32 %r0, %r1, %r2;", 0x00800000, 0x3f7fffff, 0, 0x00800000},
        {'d', "add.f64 %d0, %d1, %d2;", UINT64_C(0x7ff8000000000001), UINT64_C(0xfff0000000000002), 0,
         UINT64_C(0xfff8000000000002)},
        {'d', "div.rn.f64 %d0, %d1, %d2;", UINT64_C(0x7ff8000000000001), UINT64_C(0xfff0000000000002), 0,
         UINT64_C(0x7ff8000000000001)},
        {'d', "sub.f64 %d0, %d1, %d2;", UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff0000000000000), 0,
         UINT64_C(0xfff8000000000000)},
    };
    check_rows(rows, COUNTOF(rows));
}

static void test_convert(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {'r', "cvt.s8.s32 %r0, %r1;", 0x1ff, 0, 0, S(-1)},
        {'r', "cvt.u8.s32 %r0, %r1;", 0x1ff, 0, 0, 0xff},
        {'r', "cvt.sat.u8.s32 %r0, %r1;", S(-3), 0, 0, 0},
        {'r', "cvt.sat.s8.u32 %r0, %r1;", 300, 0, 0, 127},
        {'d', "cvt.s64.s32 %d0, %r1;", S(-3), 0, 0, (uint64_t)-3},
        {'d', "cvt.u64.s8 %d0, %r1;", 0x80, 0, 0, (uint64_t)-128},
        {'r', "cvt.rni.s32.f32 %r0, %r1;", 0x40200000, 0, 0, 2},
        {'r', "cvt.rpi.s32.f32 %r0, %r1;", 0x40200000, 0, 0, 3},
        {'r', "cvt.rmi.s32.f32 %r0, %r1;", 0xbf000000, 0, 0, S(-1)},
        {'r', "cvt.rpi.ftz.s32.f32 %r0, %r1;", 1, 0, 0, 0},
        {'r', "cvt.rzi.u32.f32 %r0, %r1;", 0xbf800000, 0, 0, 0},
        {'r', "cvt.rzi.s32.f32 %r0, %r1;", 0x7f800000, 0, 0, 0x7fffffff},
        {'r', "cvt.rzi.s32.f32 %r0, %r1;", 0x7fc00000, 0, 0, 0},
        {'d', "cvt.rzi.s64.f32 %d0, %r1;", 0x7fc00000, 0, 0, UINT64_C(1) << 63},
        {'r', "cvt.rzi.u32.f64 %r0, %d1;", UINT64_C(0x7ff8000000000000), 0, 0, 0x80000000},
        {'r', "cvt.rzi.u8.f32 %r0, %r1;", 0x44000000, 0, 0, 255},
        {'r', "cvt.rn.f32.u64 %r0, %d1;", UINT64_MAX, 0, 0, 0x5f800000},
        {'r', "cvt.rz.f32.u64 %r0, %d1;", UINT64_MAX, 0, 0, 0x5f7fffff},
        {'r', "cvt.rm.f32.s32 %r0, %r1;", S(-16777217), 0, 0, 0xcb800001},
        {'r', "cvt.rn.f32.f64 %r0, %d1;", UINT64_C(0x3ff0000010000000), 0, 0, 0x3f800000},
        {'r', "cvt.rp.f32.f64 %r0, %d1;", UINT64_C(0x3ff0000010000000), 0, 0, 0x3f800001},
        {'r', "cvt.rz.f32.f64 %r0, %d1;", UINT64_C(0x7fe0000000000000), 0, 0, 0x7f7fffff},
        {'r', "cvt.rn.f32.f64 %r0, %d1;", UINT64_C(0x36a0000000000000), 0, 0, 1},
        {'r', "cvt.rn.f32.f64 %r0, %d1;", UINT64_C(0x3690000000000000), 0, 0, 0},
        {'d', "cvt.f64.f32 %d0, %r1;", 1, 0, 0, UINT64_C(0x36a0000000000000)},
        {'d', "cvt.ftz.f64.f32 %d0, %r1;", 0x80000001, 0, 0, UINT64_C(0x8000000000000000)},
        {'h', "cvt.rn.f16.f32 %h0, %r1;", 0x477ff000, 0, 0, 0x7c00},
        {'h', "cvt.rz.f16.f32 %h0, %r1;", 0x477ff000, 0, 0, 0x7bff},
        {'h', "cvt.rn.f16.f32 %h0, %r1;", 0x33800000, 0, 0, 1},
        {'h', "cvt.rn.f16.f32 %h0, %r1;", 0x7fc00000, 0, 0, 0x7fff},
        {'r', "cvt.f32.f16 %r0, %h1;", 1, 0, 0, 0x33800000},
        {'h', "cvt.rn.bf16.f32 %h0, %r1;", 0x3f808000, 0, 0, 0x3f80},
        {'h', "cvt.rn.f16.s32 %h0, %r1;", 2049, 0, 0, 0x6800},
        {'r', "cvt.rni.f32.f32 %r0, %r1;", 0xbe800000, 0, 0, 0x80000000},
        {'r', "cvt.sat.f32.f32 %r0, %r1;", 0x40000000, 0, 0, 0x3f800000},
        {'r', "cvt.rna.tf32.f32 %r0, %r1;", 0x3f801000, 0, 0, 0x3f802000},
        {'r', "cvt.rn.tf32.f32 %r0, %r1;", 0xffc12345, 0, 0, 0x7fffe000},
        {'r', "cvt.rna.tf32.f32 %r0, %r1;", 0xffc12345, 0, 0, 0xffc12000},
        {'r', "cvt.rn.f32.f64 %r0, %d1;", UINT64_C(0xfff8123456789abc), 0, 0, 0xffc091a2},
        {'d', "cvt.ftz.f64.f32 %d0, %r1;", 0x7fc00000, 0, 0, UINT64_C(0x7fffffffe0000000)},
        {'h', "cvt.rm.ftz.f16.f32 %h0, %r1;", 0x80000001, 0, 0, 0x8001},
        {'r', "cvt.rm.ftz.f32.f64 %r0, %d1;", UINT64_C(0xb80fffffffffffff), 0, 0, 0x80800000},
        {'r', "cvt.rp.ftz.f32.f64 %r0, %d1;", UINT64_C(0xb80fffffffffffff), 0, 0, 0x80000000},
        {'d', "mov.b64 %d0, {%r1, %r2};", 1, 2, 0, UINT64_C(0x200000001)},
        {'r', "mov.b64 {_, %r0}, %d1;", UINT64_C(0x200000001), 0, 0, 2},
        {'r', "mov.b32 %r0, {%h1, %h2};", 3, 4, 0, 0x40003},
    };
    check_rows(rows, COUNTOF(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer), cmocka_unit_test(test_bits),    cmocka_unit_test(test_compare),
        cmocka_unit_test(test_float),   cmocka_unit_test(test_convert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
