/* Sums of tensor cores that random tiles seldom show, and what an NVIDIA H200 made of them, in both executors. */
#include "kernel_bench.h"

enum { LANES = 32, REGISTERS = 12 }; /* a lane has four words each of a, b and c; d goes to the four behind them */

#define KERNEL(instruction)                                                                                        \
    HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %t, %a<4>, %b<4>, %c<4>, %d<4>; .reg .b64 %o, %at;\n" \
           "ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %at, %t, 64; add.u64 %o, %o, %at;\n"          \
           "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%o]; ld.global.v4.b32 {%b0, %b1, %b2, %b3}, [%o+16];\n"        \
           "ld.global.v4.b32 {%c0, %c1, %c2, %c3}, [%o+32]; mov.u32 %d2, 0; mov.u32 %d3, 0;\n" instruction         \
           "st.global.v4.b32 [%o+48], {%d0, %d1, %d2, %d3}; ret;\n}\n"

static const char *const kernels[] = {
    KERNEL("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%d0, %d1}, {%a0, %a1}, {%b0}, {%c0, %c1};\n"),
    KERNEL("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3},\n"
           "{%b0, %b1}, {%c0, %c1, %c2, %c3};\n"),
    KERNEL("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3},\n"
           "{%b0, %b1}, {%c0, %c1, %c2, %c3};\n"),
};

struct word {
    uint8_t lane, place; /* 0 to 3: a; 4 to 7: b; 8 to 11: c */
    uint32_t bits;
};

/* Words that are not listed are 0. */
static const struct {
    int kernel;
    struct word word[20];
    uint8_t lane, reg;
    uint32_t result;
} sums[] = {
    /* -0.26 of the smallest number is rounded to zero, which is positive. */
    {0,
     {{4, 1, 0x10},
      {5, 1, 0x11},
      {6, 1, 0x12},
      {7, 1, 0x13},
      {20, 4, 0xa4d9},
      {21, 4, 0xc32},
      {22, 4, 0x682},
      {23, 4, 0x1829}},
     6,
     1,
     0},
    /* Subnormal numbers of e4m3 count by their own exponents: the smallest product, 2^-25, is not cut off. */
    {1,
     {{0, 1, 0x422afe5b},
      {1, 1, 1},
      {2, 1, 0x6d52cf19},
      {3, 1, 0x5a0a5c62},
      {1, 3, 1},
      {2, 3, 2},
      {3, 3, 3},
      {28, 4, 28},
      {29, 4, 29},
      {30, 4, 30},
      {31, 4, 31},
      {28, 5, 7},
      {29, 5, 1},
      {30, 5, 0x2baab1db},
      {31, 5, 15},
      {3, 11, 0x3276f89d}},
     3,
     3,
     0xbf03e435},
    /* The product of -2^-126 and 2^-126 is 0 in f32, and that is positive; -2^-22 times 2^-126 is not 0. */
    {2, {{0, 0, 0x8080}, {0, 4, 0x0080}, {0, 8, 0x80000000}}, 0, 0, 0},
    {2, {{0, 0, 0xb480}, {0, 4, 0x0080}}, 0, 0, 0x80000002},
};

static void sums_are_those_of_an_h200(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * COUNTOF(sums); i++) {
        struct bench b;
        open_bench(&b, kernels[sums[i / 2].kernel]);
        uint32_t *words = out(&b);
        for (const struct word *w = sums[i / 2].word; w < sums[i / 2].word + COUNTOF(sums[0].word); w++)
            words[w->lane * 16 + w->place] |= w->bits;
        b.launch.block[0] = LANES;
        if (i % 2)
            run(&b);
        else
            run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, 0);
        assert_int_equal(words[sums[i / 2].lane * 16 + REGISTERS + sums[i / 2].reg], sums[i / 2].result);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_those_of_an_h200)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
