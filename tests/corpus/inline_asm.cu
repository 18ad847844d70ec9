// Inline PTX as people write it: carry chains, bit fields, predicates, scopes with their own registers and
// labels, selection, vectors and a jump table.
#include "corpus.h"

extern "C" __global__ void carry_chain(const u32 *a, const u32 *b, u32 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const u32 *x = a + 4 * i, *y = b + 4 * i;
    u32 *o = out + 10 * i;
    asm volatile("add.cc.u32 %0, %5, %9;\n\t"
                 "addc.cc.u32 %1, %6, %10;\n\t"
                 "addc.cc.u32 %2, %7, %11;\n\t"
                 "addc.cc.u32 %3, %8, %12;\n\t"
                 "addc.u32 %4, 0, 0;"
                 : "=&r"(o[0]), "=&r"(o[1]), "=&r"(o[2]), "=&r"(o[3]), "=&r"(o[4])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]));
    asm volatile("sub.cc.u32 %0, %3, %5;\n\tsubc.u32 %1, %4, %6;\n\tmov.b32 %2, 7;"
                 : "=&r"(o[5]), "=&r"(o[6]), "=&r"(o[7])
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]));
    asm volatile("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.u32 %1, %2, %3, %5;"
                 : "=&r"(o[8]), "=&r"(o[9])
                 : "r"(x[2]), "r"(y[2]), "r"(x[3]), "r"(y[3]));
}

extern "C" __global__ void asm_fields(const u32 *a, const u32 *b, u32 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u32 x = a[i], y = b[i], r;
    u32 *o = out + 8 * i;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 31), "r"(y >> 8 & 31));
    o[0] = r;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 31), "r"(y >> 8 & 31));
    o[1] = r;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(y >> 3 & 31), "r"(x & 15));
    o[2] = r;
    asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(x >> (y & 31)));
    o[3] = r;
    asm("lop3.b32 %0, %1, %2, %3, 0xe4;" : "=r"(r) : "r"(x), "r"(y), "r"(x * 3));
    o[4] = r;
    asm("{\n\t"
        ".reg .pred p, q;\n\t"
        ".reg .u32 t;\n\t"
        "setp.lt.u32 p, %1, %2;\n\t"
        "setp.gt.and.s32 q, %1, 0, p;\n\t"
        "selp.u32 t, 10, 20, q;\n\t"
        "@p add.u32 t, t, 1;\n\t"
        "@!q xor.b32 t, t, 64;\n\t"
        "mov.u32 %0, t;\n\t"
        "}"
        : "=r"(r)
        : "r"(x), "r"(y));
    o[5] = r;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 ".reg .u32 t;\n\t"
                 "mov.u32 t, %1;\n\t"
                 "mov.u32 %0, 0;\n\t"
                 "AGAIN:\n\t"
                 "add.u32 %0, %0, 1;\n\t"
                 "shr.u32 t, t, 2;\n\t"
                 "setp.ne.u32 p, t, 0;\n\t"
                 "@p bra AGAIN;\n\t"
                 "}"
                 : "=&r"(r)
                 : "r"(x));
    o[6] = r;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l}; }" : "=r"(r) : "r"(x));
    asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(o[7]) : "r"(r), "r"(y), "r"((int)y));
}

extern "C" __global__ void asm_jump_table(const u32 *a, u32 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u32 r;
    asm volatile("{\n\t"
                 ".reg .u32 x;\n\t"
                 "mov.u32 x, %2;\n\t"
                 "TABLE: .branchtargets ADD, TRIPLE, INVERT, ADD;\n\t"
                 "brx.idx %1, TABLE;\n\t"
                 "ADD:\n\t"
                 "add.u32 x, x, 1000;\n\t"
                 "bra END;\n\t"
                 "TRIPLE:\n\t"
                 "mul.lo.u32 x, x, 3;\n\t"
                 "INVERT:\n\t"
                 "not.b32 x, x;\n\t"
                 "END:\n\t"
                 "mov.u32 %0, x;\n\t"
                 "}"
                 : "=r"(r)
                 : "r"(a[i] & 3), "r"(a[i] >> 2));
    out[i] = r;
}
