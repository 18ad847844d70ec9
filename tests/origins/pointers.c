/*
 * Random programs about pointers: see pointers.h.
 *
 * A program is a sequence of steps, and each step is a text of the table below with its names filled in. At every time
 * the registers %p0 to %p7 hold pointers to memory of at least 4096 bytes that are multiples of 8. A step that
 * adds a number, which is less than 64, may occur thirty times, so that offsets stay below 2048.
 */
#include "tests/origins/pointers.h"

#include "base/arena.h"
#include "base/text.h"
#include "tests/random/rng.h"

#include <stdlib.h>
#include <string.h>

enum { POINTERS = 8, BUFFERS = 4, BUFFER_BYTES = 4096, SCRATCH_BYTES = 8192, MOST_SUMS = 30, BLOCK = 64, GRID = 2 };

enum step_kind {
    ANY,     /* gives a pointer for pointers */
    SUM,     /* adds a number */
    GENERIC, /* gives pointers that only generic accesses may go through */
    GLOBAL   /* takes pointers to global memory */
};

/*
 * $d: the register that is written; $p and $q: pointers; $n: a number of 64 bits; $k: a predicate; $i: a number for
 * labels. %t0 to %t3, %r0 to %r5 and %fd0 are free; %slot points to 8 bytes of the thread's own in shared memory,
 * %frame in local and %own in global memory; %zero is 0, and the program cannot know.
 */
static const struct step {
    enum step_kind kind;
    const char *text;
} steps[] = {
    {ANY, "mov.b64 $d, $p;\n"},
    {ANY, "mov.v2.u64 {%t0, $d}, {$q, $p};\n"},
    {SUM, "add.s64 $d, $p, $n;\n"},
    {SUM, "mad.lo.s64 $d, $n, 1, $p;\n"},
    {SUM, "neg.s64 %t0, $n;\nsub.s64 $d, $p, %t0;\n"},
    {SUM, "cvt.u32.u64 %r0, $n;\nmad.wide.u32 $d, %r0, 1, $p;\n"},
    {SUM, "ld.param.u64 %t0, [n];\nadd.s64 $d, $p, %t0;\n"},
    {SUM, "ld.param.u64 %t0, [n];\nmul.lo.s64 %t0, %t0, 2;\nadd.s64 $d, %t0, $p;\n"},
    {SUM, "ld.global.u32 %r0, [%own+16];\nmad.wide.u32 $d, %r0, 8, $p;\n"},
    {SUM, "mov.b64 {%r0, %r1}, $p;\ncvt.u32.u64 %r2, $n;\nadd.cc.u32 %r0, %r0, %r2;\naddc.u32 %r1, %r1, 0;\n"
          "mov.b64 $d, {%r0, %r1};\n"},
    {ANY, "selp.b64 $d, $p, $q, $k;\n"},
    {ANY, "slct.b64.s32 $d, $p, $q, %turn;\n"},
    {ANY, "min.u64 $d, $p, $q;\n"},
    {ANY, "max.s64 $d, $p, $q;\n"},
    {ANY, "@$k mov.b64 $d, $p;\n"},
    {ANY, "@$k bra X$i;\nmov.b64 $d, $p;\nbra Y$i;\nX$i:\nmov.b64 $d, $q;\nY$i:\n"},
    {ANY, "mov.u32 %r0, 0;\nL$i:\nmov.b64 %t0, $p;\nmov.b64 $p, $q;\nmov.b64 $q, %t0;\nadd.u32 %r0, %r0, 1;\n"
          "setp.lt.u32 %k, %r0, 3;\n@%k bra L$i;\nmov.b64 $d, $p;\n"},
    {ANY, "sub.s64 %t0, $p, $q;\nadd.s64 $d, $q, %t0;\n"},
    {ANY, "cvt.u32.u64 %r0, $p;\ncvt.u32.u64 %r1, $q;\nsub.u32 %r0, %r0, %r1;\nmov.b64 {%r2, %r3}, $q;\n"
          "add.u32 %r2, %r2, %r0;\nmov.b64 {%r4, %r5}, $p;\nmov.b64 $d, {%r2, %r5};\n"},
    {ANY, "sub.s64 %t0, $p, $q;\nst.global.b64 [%own], %t0;\nld.global.b64 %t1, [%own];\nadd.s64 $d, $q, %t1;\n"},
    {ANY, "sub.s64 %t0, $p, $q;\nst.shared.b64 [%slot], %t0;\nld.shared.b64 %t1, [%slot];\nxor.b64 %t1, %t1, $n;\n"
          "xor.b64 %t1, %t1, $n;\nadd.s64 $d, %t1, $q;\n"},
    {ANY, "sub.s64 %t0, $p, $q;\nst.global.b64 [%own], %t0;\nld.global.v2.b32 {%r0, %r1}, [%own];\n"
          "mov.b64 %t1, {%r0, %r1};\nadd.s64 $d, $q, %t1;\n"},
    {ANY, "sub.s64 %t0, $p, $q;\nst.global.b64 [%own], %t0;\nld.global.v2.b32 {%r0, %r1}, [%own];\n"
          "cvt.u64.u32 %t1, %r1;\nshl.b64 %t1, %t1, 32;\ncvt.u64.u32 %t2, %r0;\nor.b64 %t1, %t1, %t2;\n"
          "add.s64 $d, $q, %t1;\n"},
    {ANY, "mov.b64 {%r0, %r1}, $p;\nmov.b64 $d, {%r0, %r1};\n"},
    {ANY, "mov.b64 {%r0, %r1}, $p;\nshfl.sync.bfly.b32 %r2, %r0, 5, 31, -1;\nshfl.sync.bfly.b32 %r3, %r1, 5, 31, -1;\n"
          "mov.b64 $d, {%r2, %r3};\n"},
    {ANY, "mov.b64 {%r0, %r1}, $p;\ncvt.u64.u32 %t0, %r1;\nshl.b64 %t0, %t0, 32;\ncvt.u64.u32 %t1, %r0;\n"
          "or.b64 $d, %t0, %t1;\n"},
    {ANY, "cvt.u32.u64 %r0, $p;\nand.b64 %t0, $p, 0xffffffff00000000;\ncvt.u64.u32 %t1, %r0;\nadd.s64 $d, %t0, %t1;\n"},
    {ANY, "xor.b64 %t0, $p, $n;\nxor.b64 $d, %t0, $n;\n"},
    {ANY, "xor.b64 %t0, $p, $q;\nxor.b64 $d, $q, %t0;\n"},
    {ANY, "not.b64 %t0, $p;\nnot.b64 $d, %t0;\n"},
    {ANY, "neg.s64 %t0, $p;\nneg.s64 $d, %t0;\n"},
    {ANY, "shl.b64 %t0, $p, 8;\nshr.u64 $d, %t0, 8;\n"},
    {ANY, "shr.u64 %t0, $p, 3;\nshl.b64 $d, %t0, 3;\n"},
    {ANY, "and.b64 $d, $p, -8;\n"},
    {ANY, "or.b64 $d, $p, %zero;\n"},
    {ANY, "add.s64 $d, $p, %zero;\n"},
    {ANY, "mul.lo.s64 %t0, $p, %zero;\nadd.s64 $d, $q, %t0;\n"},
    {ANY, "mul.lo.u64 $d, $p, 1;\n"},
    {ANY, "mad.lo.s64 $d, $p, 1, %zero;\n"},
    {ANY, "mad.lo.s64 $d, $q, %zero, $p;\n"},
    {ANY, "sad.u64 $d, $q, $q, $p;\n"},
    {ANY, "div.u64 $d, $p, 1;\n"},
    {ANY, "rem.u64 $d, $p, -1;\n"},
    {ANY, "bfe.u64 $d, $p, 0, 63;\n"},
    {ANY, "bfi.b64 $d, $p, $q, 0, 64;\n"},
    {ANY, "brev.b64 %t0, $p;\nbrev.b64 $d, %t0;\n"},
    {ANY, "mov.b64 {%r0, %r1}, $p;\nprmt.b32 %r2, %r0, %r1, 0x3210;\nprmt.b32 %r3, %r0, %r1, 0x7654;\n"
          "mov.b64 $d, {%r2, %r3};\n"},
    {ANY, "mov.b64 %fd0, $p;\nmov.b64 $d, %fd0;\n"},
    {ANY, "mov.b64 %fd0, $p;\nabs.f64 %fd0, %fd0;\nmov.b64 $d, %fd0;\n"},
    {ANY, "mov.b64 %fd0, $p;\nadd.rn.f64 %fd0, %fd0, 0d0000000000000000;\nmov.b64 $d, %fd0;\n"},
    {ANY, "cvt.rn.f64.u64 %fd0, $p;\ncvt.rzi.u64.f64 $d, %fd0;\n"},
    {ANY, "cvt.s64.u64 $d, $p;\n"},
    {ANY, "mov.b128 %q0, {$q, $p};\nmov.b128 {%t0, $d}, %q0;\n"},
    {ANY, "st.shared.b64 [%slot], $p;\nld.shared.b64 $d, [%slot];\n"},
    {ANY, "st.shared.b64 [%slot], $p;\nld.shared.v2.b32 {%r0, %r1}, [%slot];\nmov.b64 $d, {%r0, %r1};\n"},
    {ANY, "st.shared.b64 [%slot], $p;\natom.shared.exch.b64 $d, [%slot], $q;\n"},
    {ANY, "st.local.b64 [%frame], $p;\nld.local.b64 $d, [%frame];\n"},
    {ANY, "st.local.b64 [%frame], $p;\ncvta.local.u64 %t0, %frame;\nld.b64 $d, [%t0];\n"},
    {ANY, "st.global.b64 [%own], $p;\nld.global.b64 $d, [%own];\n"},
    {ANY, "st.global.b64 [%own], $p;\natom.global.exch.b64 $d, [%own], $q;\n"},
    {ANY, "{ .param .b64 x; .param .b64 y; .param .b64 z;\nst.param.b64 [x], $p;\nst.param.b64 [y], $q;\n"
          "call (z), smaller, (x, y);\nld.param.b64 $d, [z]; }\n"},
    {ANY, "call ($d), first, ($p, $q);\n"},
    {ANY, "ld.param.u64 $d, [b];\n"},
    {ANY, "ld.param.v2.u64 {%t0, $d}, [c];\n"},
    {ANY, "mov.b64 %t0, a;\nld.param.u64 $d, [%t0+16];\n"},
    {ANY, "mov.b64 %t0, a;\ncvta.param.u64 %t0, %t0;\nld.u64 $d, [%t0+8];\n"},
    {ANY, "mov.b64 %t0, c;\nmad.wide.u32 %t0, %zero32, 8, %t0;\nld.param.u64 $d, [%t0];\n"},
    {ANY, "selp.b64 %t0, 0, $p, $k;\n@$k mov.b64 %t0, $q;\nmov.b64 $d, %t0;\n"},
    {ANY, "mov.u64 $d, v;\n"},
    {ANY, "ld.const.u64 $d, [kept+8];\n"},
    {ANY, "mov.u64 %t0, kept;\nld.const.u64 $d, [%t0+8];\n"},
    {ANY, "mov.u64 %t0, v;\ncvta.global.u64 $d, %t0;\n"},
    {GLOBAL, "cvt.u32.u64 %r0, $p;\ncvt.u32.u64 %r1, $q;\nsub.u32 %r0, %r0, %r1;\ncvt.s64.s32 %t0, %r0;\n"
             "add.s64 $d, $q, %t0;\n"},
    {GLOBAL, "cvt.u32.u64 %r0, $p;\ncvt.u32.u64 %r1, $q;\nsub.u32 %r0, %r0, %r1;\n"
             "shfl.sync.bfly.b32 %r0, %r0, 0, 31, -1;\ncvt.s64.s32 %t0, %r0;\nadd.s64 $d, $q, %t0;\n"},
    {GLOBAL, "cvta.to.global.u64 %t0, $p;\ncvta.global.u64 $d, %t0;\n"},
    {GENERIC, "mov.u64 %t0, tile;\ncvta.shared.u64 $d, %t0;\n"},
    {GENERIC, "mov.u64 %t0, tile;\ncvta.shared.u64 %t0, %t0;\nselp.b64 $d, %t0, $p, $k;\n"},
};

static const char head[] =
    ".version 8.3\n.target sm_90\n.address_size 64\n.global .align 16 .b8 v[4096];\n"
    ".const .align 8 .u64 kept[2] = {4096, generic(v)};\n"
    ".func (.param .b64 out) smaller(.param .b64 x, .param .b64 y)\n{\n.reg .b64 %x<3>;\n.reg .pred %k;\n"
    "ld.param.b64 %x0, [x];\nld.param.b64 %x1, [y];\nsetp.lt.u64 %k, %x0, %x1;\nselp.b64 %x2, %x0, %x1, %k;\n"
    "ld.u32 _, [%x2];\nst.param.b64 [out], %x2;\nret;\n}\n"
    ".func (.reg .b64 %out) first(.reg .b64 %x, .reg .b64 %y)\n{\nmov.b64 %out, %x;\nret;\n}\n"
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .align 16 .u64 c, .param .u64 d, .param .u64 n,\n"
    ".param .u64 scratch, .param .u64 zero)\n{\n.reg .pred %k<4>;\n.reg .pred %k;\n.reg .b32 %r<8>;\n.reg .b32 "
    "%turn;\n.reg .b32 %zero32;\n"
    ".reg .b32 %seen;\n.reg .b64 %p<8>;\n.reg .b64 %t<4>;\n.reg .b64 %n<4>;\n.reg .b64 %zero;\n.reg .b64 %own;\n"
    ".reg .b64 %slot;\n.reg .b64 %frame;\n.reg .f64 %fd0;\n.reg .b128 %q0;\n.shared .align 16 .b8 tile[4096];\n"
    ".shared .align 16 .b8 slots[512];\n.local .align 16 .b8 frame[16];\n"
    "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r2, %r1, 64, %r0;\nld.param.u64 %own, [scratch];\n"
    "mad.wide.u32 %own, %r2, 64, %own;\nmov.u64 %slot, slots;\nmad.wide.u32 %slot, %r0, 8, %slot;\n"
    "mov.u64 %frame, frame;\nld.param.u64 %zero, [zero];\ncvt.u32.u64 %zero32, %zero;\nmov.u32 %seen, 0;\nsub.s32 "
    "%turn, 9, %r0;\n"
    "and.b32 %r3, %r0, 1;\nsetp.eq.u32 %k0, %r3, 0;\nand.b32 %r3, %r0, 6;\nsetp.eq.u32 %k1, %r3, 2;\n"
    "setp.lt.u32 %k2, %r0, 40;\nsetp.eq.u32 %k3, %r1, 1;\nand.b32 %r3, %r0, 7;\nmul.wide.u32 %n0, %r3, 8;\n"
    "mov.b64 %n1, 24;\nand.b32 %r3, %r2, 3;\nmul.wide.u32 %n2, %r3, 16;\nld.param.u64 %n3, [n];\n"
    "ld.param.u64 %p0, [a];\nld.param.u64 %p1, [b];\nld.param.u64 %p2, [c];\nld.param.u64 %p3, [d];\n"
    "ld.param.u64 %p4, [a];\nmov.u64 %p5, v;\nadd.s64 %p6, %p1, 64;\nmov.b64 %p7, %p3;\n";

static const char *const accesses[] = {
    "ld$g.u32 %r0, [$p];\nadd.u32 %seen, %seen, %r0;\n",
    "ld$g.u32 %r0, [$p+4];\nadd.u32 %seen, %seen, %r0;\n",
    "ld$g.v2.u32 {%r0, %r1}, [$p];\nadd.u32 %seen, %r1, %r0;\n",
    "st$g.u32 [$p], %seen;\n",
    "st$g.u64 [$p+8], $n;\n",
    "red$g.add.u32 [$p], 1;\n",
    "atom$g.add.u32 %r0, [$p], 3;\nadd.u32 %seen, %seen, %r0;\n",
};

struct writer {
    struct rng rng;
    struct text text;
    int label;
    bool is_generic; /* some pointers are to shared memory */
};

/* Writes a text with its names filled in: each name stands for one thing in the whole text. */
static void write_text(struct writer *w, const char *text)
{
    unsigned d = rng_below(&w->rng, POINTERS), p = rng_below(&w->rng, POINTERS);
    unsigned q = (p + 1 + rng_below(&w->rng, POINTERS - 1)) % POINTERS;
    unsigned n = rng_below(&w->rng, 4), k = rng_below(&w->rng, 4);
    bool is_global = !w->is_generic && rng_chance(&w->rng, 60);
    w->label++;
    for (const char *at = text; *at; at++) {
        if (*at != '$') {
            text_append(&w->text, at, 1);
            continue;
        }
        switch (*++at) {
        case 'd':
            text_printf(&w->text, "%%p%u", d);
            break;
        case 'p':
            text_printf(&w->text, "%%p%u", p);
            break;
        case 'q':
            text_printf(&w->text, "%%p%u", q);
            break;
        case 'n':
            text_printf(&w->text, "%%n%u", n);
            break;
        case 'k':
            text_printf(&w->text, "%%k%u", k);
            break;
        case 'g':
            text_printf(&w->text, "%s", is_global ? ".global" : "");
            break;
        default:
            text_printf(&w->text, "%d", w->label);
        }
    }
}

/* Most programs use only some kinds of steps, so that not everything is unknown in all of them. */
static void write_steps(struct writer *w)
{
    enum { KINDS = sizeof steps / sizeof *steps };
    unsigned chosen[KINDS], count = 1 + rng_below(&w->rng, 8), length = 4 + rng_below(&w->rng, 40), sums = 0;
    for (unsigned i = 0; i < count; i++) {
        chosen[i] = rng_below(&w->rng, KINDS);
        w->is_generic |= steps[chosen[i]].kind == GENERIC;
    }
    for (unsigned i = 0; i < length; i++) {
        const struct step *s = &steps[chosen[rng_below(&w->rng, count)]];
        bool is_possible = s->kind == SUM ? sums < MOST_SUMS : s->kind != GLOBAL || !w->is_generic;
        sums += s->kind == SUM;
        if (is_possible)
            write_text(w, s->text);
        if (rng_chance(&w->rng, 60))
            write_text(w, accesses[rng_below(&w->rng, sizeof accesses / sizeof *accesses)]);
    }
}

static void add_buffer(struct test_case *c, size_t bytes)
{
    c->arg[c->arg_count++] = (struct case_arg){.is_buffer = true, .bytes = bytes, .data = xcalloc(1, bytes)};
}

static void add_number(struct test_case *c, uint64_t value)
{
    c->arg[c->arg_count] = (struct case_arg){.bytes = sizeof value, .data = xmalloc(sizeof value)};
    memcpy(c->arg[c->arg_count++].data, &value, sizeof value);
}

struct test_case *pointers_case(uint64_t seed)
{
    struct writer w = {0};
    struct text name = {0};
    struct test_case *c = xcalloc(1, sizeof *c);
    rng_seed(&w.rng, seed);
    text_printf(&name, "pointers-%llu", (unsigned long long)seed);
    text_printf(&w.text, "%s", head);
    write_steps(&w);
    text_printf(&w.text, "st.global.u32 [%%own+24], %%seen;\nret;\n}\n");
    c->name = text_take(&name);
    c->ptx = text_take(&w.text);
    c->kernel = strdup("k");
    c->grid[0] = GRID, c->block[0] = BLOCK;
    c->grid[1] = c->grid[2] = c->block[1] = c->block[2] = 1;
    for (int i = 0; i < BUFFERS; i++)
        add_buffer(c, BUFFER_BYTES);
    add_number(c, 8);
    add_buffer(c, SCRATCH_BYTES);
    add_number(c, 0);
    for (int thread = 0; thread < BLOCK * GRID; thread++) /* what the sums of %own+16 add */
        ((uint8_t *)c->arg[BUFFERS + 1].data)[64 * thread + 16] = (uint8_t)(thread % 8);
    return c;
}
