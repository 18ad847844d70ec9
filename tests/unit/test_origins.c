/*
 * Origins of addresses (flow/origins.h). In the texts every access to global memory has a mark behind it that says what
 * it does and the origins of its address, in order of their first use; all other lines must have no mark:
 *   // r a        reads memory that the parameter a points to
 *   // w a v      writes memory of the parameter a or of the variable v
 *   // rw a ~n    an atomic with a result; the address was also computed from n in a way that mixes
 *   // r #        the address may be a number; 0: it may be NULL
 *   // r ?        the address may be anything
 *   // r s[]      reads memory that some part of the parameter s points to
 *   // r win      the address is in shared, local or constant memory; par: in the parameter block
 */
#include "base/text.h"
#include "flow/origins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define MODULE                                                                                           \
    HEAD ".global .align 8 .b32 v[64];\n.global .align 8 .b32 u[64];\n.const .align 8 .b32 table[64];\n" \
         ".global .texref image;\n.global .surfref canvas;\n"                                            \
         ".extern .func (.param .b32 status) vprintf(.param .b64 format, .param .b64 values);\n"         \
         ".func (.param .b64 out) same(.param .b64 in) { .reg .b64 %x; ld.param.b64 %x, [in];\n"         \
         "st.param.b64 [out], %x;\nret; }\n"
/* %rd0 and %rd1 point to the memory of a and b, %rd2 is n; %r0 is the thread's index and %rd3 the index in bytes. */
#define KERNEL(body)                                                                                             \
    MODULE ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 n, .param .u32 m,\n"                     \
           ".param .align 8 .b8 s[32]) {\n"                                                                      \
           ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<24>;\n.reg .f32 %f<8>;\n.reg .f64 %fd<8>;\n"     \
           ".shared .align 8 .b64 tile[64];\n.local .align 8 .b64 stack[8];\n"                                   \
           "ld.param.u64 %rd0, [a];\nld.param.u64 %rd1, [b];\nld.param.u64 %rd2, [n];\nld.param.u32 %r1, [m];\n" \
           "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p0, %r0, 7;\nmul.wide.u32 %rd3, %r0, 4;\n" body "ret;\n}\n"

static void print_origin(const struct origins *o, int i, const char *before, struct text *out)
{
    const char *names[] = {"a", "b", "n", "m", "s", "s8", "s16", "s24"};
    const struct origin *origin = &o->origin[i];
    if (origin->kind == ORIGIN_ADDRESS)
        text_printf(out, "%s%s", before, origin->variable->name);
    else if (origin->kind == ORIGIN_VALUE && origin->variable)
        text_printf(out, "%s%s%u", before, origin->variable->name, (unsigned)origin->offset);
    else if (origin->kind == ORIGIN_VALUE)
        text_printf(out, "%s%s%s", before, names[origin->offset / 8], origin->bytes ? "[]" : "");
}

static void print_access(const struct origins *o, const struct origin_access *a, struct text *out)
{
    text_printf(out, "%s%s%s%s", a->reads ? "r" : "", a->writes ? "w" : "", a->is_texture ? " texture" : "",
                a->is_surface ? " surface" : "");
    for (int i = 0; i < o->count; i++) {
        if (!(a->address.of >> i & 1))
            continue;
        print_origin(o, i, " ", out);
    }
    text_printf(out, "%s%s%s%s%s", a->address.of & ORIGIN_ZERO ? " 0" : "", a->address.of & ORIGIN_WINDOW ? " win" : "",
                a->address.of & ORIGIN_PARAMETERS ? " par" : "", a->address.of & ORIGIN_NUMBER ? " #" : "",
                a->address.of & ORIGIN_ANYTHING ? " ?" : "");
    for (int i = 0; i < o->count; i++) {
        if (!(a->address.mixed >> i & 1))
            continue;
        print_origin(o, i, " ~", out);
    }
}

struct bench {
    struct diag diag;
    struct ptx_module *module;
    struct program *program;
    struct origins *origins;
};

static struct bench bench_open(const char *name, const char *text)
{
    struct bench b = {0};
    char *error = NULL;
    b.module = ptx_parse("test.ptx", text, strlen(text), &b.diag);
    if (!b.module)
        fail_msg("%s: %s", name, diag_text(&b.diag));
    b.program = program_create(ptx_find_function(b.module, "k"), &error);
    if (!b.program)
        fail_msg("%s: %s", name, error);
    b.origins = origins_find(b.program);
    return b;
}

static void bench_close(struct bench *b)
{
    origins_destroy(b->origins);
    program_destroy(b->program);
    ptx_destroy(b->module);
    diag_free(&b->diag);
}

static void expect_line(const char *name, const struct bench *b, int line, const char *at, const char *end)
{
    struct text found = {0};
    const char *mark = at;
    while (mark < end && strncmp(mark, "// ", 3))
        mark++;
    for (int32_t pc = 0; pc < b->program->insn_count; pc++)
        if (b->program->insns[pc].line == line && b->origins->access_at[pc] >= 0)
            print_access(b->origins, &b->origins->accesses[b->origins->access_at[pc]], &found);
    const char *is = found.data ? found.data : "", *wanted = mark < end ? mark + 3 : end;
    if (strlen(is) != (size_t)(end - wanted) || strncmp(is, wanted, strlen(is)) != 0)
        fail_msg("%s: '%.*s' is '%s'", name, (int)(end - at), at, is);
    text_free(&found);
}

static void expect(const char *name, const char *text)
{
    struct bench b = bench_open(name, text);
    int line = 1;
    for (const char *at = text; *at; line++) {
        const char *end = strchr(at, '\n');
        expect_line(name, &b, line, at, end);
        at = end + 1;
    }
    bench_close(&b);
}

static void expect_flags(const char *name, const char *text, unsigned flags)
{
    struct bench b = bench_open(name, text);
    if (b.origins->flags != flags)
        fail_msg("%s: the flags are 0x%x, not 0x%x", name, b.origins->flags, flags);
    bench_close(&b);
}

static void test_pointers(void **state)
{
    (void)state;
    expect("a parameter", KERNEL("ld.global.u32 %r2, [%rd0]; // r a\nst.global.u32 [%rd1+4], %r2; // w b\n"));
    expect("generic addresses", KERNEL("ld.u32 %r2, [%rd0]; // r a\nst.u32 [%rd1+4], %r2; // w b\n"));
    expect("indices",
           KERNEL("add.s64 %rd4, %rd0, %rd3;\nld.global.nc.u32 %r2, [%rd4]; // r a\nmad.wide.u32 %rd5, %r0, 8, %rd1;\n"
                  "ld.global.u32 %r3, [%rd5]; // r b\nsub.s64 %rd6, %rd1, %rd3;\nld.global.u32 %r4, [%rd6]; // r b\n"
                  "mad.lo.u64 %rd7, %rd3, 4, %rd0;\nldu.global.u32 %r5, [%rd7]; // r a\n"));
    expect("moves and casts",
           KERNEL("mov.u64 %rd4, %rd0;\ncvta.to.global.u64 %rd5, %rd4;\ncvta.global.u64 %rd6, %rd5;\n"
                  "cvt.s64.u64 %rd7, %rd6;\nld.global.u32 %r2, [%rd7]; // r a\n"
                  "mov.v2.u64 {%rd8, %rd9}, {%rd1, %rd0};\nst.global.u32 [%rd8], %r2; // w b\n"
                  "st.global.u32 [%rd9], %r2; // w a\n"));
    expect("one of two",
           KERNEL("selp.b64 %rd4, %rd0, %rd1, %p0;\nld.global.u32 %r2, [%rd4]; // r a b\nmin.u64 %rd5, %rd0, %rd1;\n"
                  "ld.global.u32 %r2, [%rd5]; // r a b\nmax.u64 %rd6, %rd1, %rd1;\nld.global.u32 %r2, [%rd6]; // r b\n"
                  "slct.u64.s32 %rd7, %rd1, %rd0, %r0;\nst.global.u32 [%rd7], %r2; // w a b\n"));
    expect("a pointer or a number",
           KERNEL("selp.b64 %rd4, %rd0, 0, %p0;\nld.global.u32 %r2, [%rd4]; // r a 0\nmov.u64 %rd5, 4096;\n"
                  "ld.global.u32 %r2, [%rd5]; // r #\nld.global.u32 %r2, [4096]; // r #\n"
                  "add.s64 %rd6, %rd4, %rd3;\nld.global.u32 %r2, [%rd6]; // r a #\n"));
    expect("NULL and numbers",
           KERNEL("mov.u64 %rd4, 0;\nadd.s64 %rd5, %rd4, %rd4;\nld.global.u32 %r2, [%rd5]; // r 0\n"
                  "add.s64 %rd6, %rd4, %rd0;\nld.global.u32 %r2, [%rd6]; // r a\nadd.s64 %rd7, %rd4, %rd3;\n"
                  "ld.global.u32 %r2, [%rd7]; // r #\nadd.s64 %rd7, %rd3, %rd4;\nld.global.u32 %r2, [%rd7]; // r #\n"
                  "ld.global.u32 %r2, [0]; // r 0\nselp.b64 %rd8, %rd0, 0, %p0;\nselp.b64 %rd9, %rd1, 0, %p0;\n"
                  "add.s64 %rd10, %rd8, %rd9;\nld.global.u32 %r2, [%rd10]; // r a b 0\n"
                  "shl.b64 %rd11, %rd4, 2;\nld.global.u32 %r2, [%rd11]; // r #\n"));
    expect("special registers are numbers",
           KERNEL("mov.u32 %r2, %ctaid.x;\ncvt.u64.u32 %rd4, %r2;\nselp.b64 %rd4, %rd0, %rd4, %p0;\n"
                  "ld.global.u32 %r3, [%rd4]; // r a #\n"));
    expect("differences keep both pointers",
           KERNEL("sub.s64 %rd4, %rd1, %rd0;\nadd.s64 %rd5, %rd0, %rd4;\nst.global.u32 [%rd5], %r0; // w a b\n"));
    expect("parts of a structure, vectors of pointers",
           KERNEL("ld.param.u64 %rd4, [s];\nld.param.v2.u64 {%rd5, %rd6}, [s+16];\nld.global.u32 %r2, [%rd4]; // r s\n"
                  "ld.global.u32 %r2, [%rd5]; // r s16\nld.global.u32 %r2, [%rd6]; // r s24\n"));
}

static void test_variables(void **state)
{
    (void)state;
    expect("variables",
           KERNEL("ld.global.u32 %r2, [v+4]; // r v\nmov.u64 %rd4, u;\nadd.s64 %rd4, %rd4, %rd3;\n"
                  "st.global.u32 [%rd4], %r2; // w u\ncvta.global.u64 %rd5, %rd4;\nst.u32 [%rd5], %r2; // w u\n"));
    expect("windows",
           KERNEL("ld.shared.u32 %r2, [tile];\nst.local.u32 [stack], %r2;\nld.const.u32 %r2, [table];\n"
                  "mov.u64 %rd4, tile;\ncvta.shared.u64 %rd5, %rd4;\nadd.s64 %rd5, %rd5, %rd3;\n"
                  "ld.u32 %r2, [%rd5]; // r win\nmov.u64 %rd6, stack;\ncvta.local.u64 %rd7, %rd6;\n"
                  "st.u32 [%rd7], %r2; // w win\nselp.b64 %rd8, %rd7, %rd0, %p0;\nst.u32 [%rd8], %r2; // w a win\n"
                  "cvt.u64.u32 %rd9, %r0;\ncvta.shared.u64 %rd10, %rd9;\natom.add.u32 %r3, [%rd10], 1; // rw win\n"
                  "mov.u64 %rd11, table;\ncvta.const.u64 %rd12, %rd11;\nld.u32 %r3, [%rd12]; // r win\n"
                  "mov.u64 %rd13, s;\ncvta.param.u64 %rd14, %rd13;\nld.u64 %rd15, [%rd14]; // r par\n"
                  "st.global.u32 [%rd15], 0; // w s\n"));
    expect("addresses in windows that are mixed",
           KERNEL("cvta.shared.u64 %rd4, %rd3;\nxor.b64 %rd5, %rd4, 16;\nadd.s64 %rd5, %rd5, %rd0;\n"
                  "ld.u32 %r2, [%rd5]; // r a ?\ncvt.u32.u64 %r3, %rd4;\nmad.wide.u32 %rd6, %r3, 4, %rd0;\n"
                  "ld.u32 %r2, [%rd6]; // r a\nmov.u64 %rd7, s;\nneg.s64 %rd7, %rd7;\nadd.s64 %rd7, %rd7, %rd0;\n"
                  "ld.u32 %r2, [%rd7]; // r a ?\n"));
    expect("names without a space",
           KERNEL("ld.u32 %r2, [tile]; // r win\nst.u32 [stack], %r2; // w win\nld.u32 %r2, [table]; // r win\n"
                  "ld.u32 %r2, [s]; // r par\nld.u32 %r2, [v]; // r v\n"));
    expect("offsets in a window from anywhere",
           KERNEL("ld.global.u64 %rd4, [%rd0]; // r a\ncvta.shared.u64 %rd5, %rd4;\nld.u32 %r2, [%rd5]; // r win ?\n"));
    expect("textures and surfaces",
           KERNEL("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd0, {%r0}]; // r texture a\n"
                  "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [image, {%r0}]; // r texture image\n"
                  "suld.b.1d.b32.trap %r2, [%rd1, {%r0}]; // r surface b\n"
                  "sust.b.1d.b32.trap [canvas, {%r0}], %r2; // w surface canvas\n"
                  "sured.b.add.1d.u32.trap [%rd1, {%r0}], %r2; // w surface b\n"
                  "suld.b.1d.b64.trap %rd4, [%rd1, {%r0}]; // r surface b\nld.global.u32 %r3, [%rd4]; // r ?\n"
                  "cvt.rzi.s32.f32 %r4, %f0;\nmad.wide.s32 %rd5, %r4, 4, %rd0;\nld.global.u32 %r3, [%rd5]; // r a\n"));
}

static void test_memory(void **state)
{
    (void)state;
    expect(
        "indices from memory are offsets, pointers from memory may point anywhere",
        KERNEL(
            "ld.global.u32 %r2, [%rd0]; // r a\nmul.wide.s32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd1, %rd4;\n"
            "ld.global.u32 %r3, [%rd5]; // r b\nld.global.u64 %rd6, [%rd0]; // r a\n"
            "ld.global.u32 %r3, [%rd6]; // r ?\nadd.s64 %rd7, %rd1, %rd6;\nld.global.u32 %r3, [%rd7]; // r b ?\n"
            "ld.global.v2.u64 {%rd8, %rd9}, [%rd0]; // r a\nst.global.u32 [%rd9], %r3; // w ?\n"
            "ld.global.u32 %rd10, [%rd0]; // r a\nadd.s64 %rd10, %rd10, %rd0;\nld.global.u32 %r3, [%rd10]; // r a\n"));
    expect("other memories",
           KERNEL("ld.shared.u64 %rd4, [tile];\nst.global.u32 [%rd4], %r0; // w ?\n"
                  "ld.local.u64 %rd5, [stack];\nst.global.u32 [%rd5], %r0; // w ?\n"
                  "mov.u64 %rd6, table;\nld.const.u64 %rd6, [%rd6];\nst.global.u32 [%rd6], %r0; // w ?\n"
                  "ld.shared.u32 %r2, [tile];\nmad.wide.u32 %rd9, %r2, 4, %rd0;\n"
                  "st.global.u32 [%rd9], %r0; // w a\n"));
    expect("pointers in variables", KERNEL("ld.global.u64 %rd4, [v]; // r v\nst.global.u32 [%rd4], %r0; // w ?\n"));
    expect("pointers in constant memory",
           KERNEL("ld.const.u64 %rd4, [table+8];\nst.global.u32 [%rd4], %r0; // w table8\n"
                  "ld.const.v2.u64 {%rd5, %rd6}, [table+16];\nst.global.u32 [%rd6], %r0; // w table24\n"
                  "ld.u64 %rd7, [table]; // r win\nst.global.u32 [%rd7], %r0; // w table0\n"));
    expect("parts of a structure, by its address",
           KERNEL("mov.b64 %rd4, s;\nmov.u64 %rd5, %rd4;\nld.param.u64 %rd6, [%rd5+16];\n"
                  "st.global.u32 [%rd6], %r0; // w s16\nld.param.v2.u64 {%rd6, %rd7}, [%rd5];\n"
                  "st.global.u32 [%rd7], %r0; // w s8\ncvta.param.u64 %rd8, %rd4;\nld.u64 %rd9, [%rd8+24]; // r par\n"
                  "st.global.u32 [%rd9], %r0; // w s24\nmov.b64 %rd10, a;\nselp.b64 %rd10, %rd10, %rd4, %p0;\n"
                  "ld.param.u64 %rd11, [%rd10+8];\nst.global.u32 [%rd11], %r0; // w b s8\n"));
    expect("some part of a structure",
           KERNEL("mov.b64 %rd4, s;\nadd.s64 %rd5, %rd4, %rd3;\nld.param.u64 %rd6, [%rd5+8];\n"
                  "st.global.u32 [%rd6], %r0; // w s[]\nmad.wide.u32 %rd7, %r0, 8, %rd4;\nld.param.u64 %rd8, [%rd7];\n"
                  "st.global.u32 [%rd8], %r0; // w s[]\nsub.s64 %rd9, %rd5, 8;\ncvta.param.u64 %rd9, %rd9;\n"
                  "ld.u64 %rd9, [%rd9]; // r par\nst.global.u32 [%rd9], %r0; // w s[]\nmov.b64 %rd10, n;\n"
                  "add.s64 %rd10, %rd10, %rd3;\nld.param.u64 %rd11, [%rd10];\nst.global.u32 [%rd11], %r0; // w n[]\n"));
    expect(
        "places in parameters that are not known",
        KERNEL(
            "mov.b64 %rd4, s;\nxor.b64 %rd5, %rd4, 8;\nld.param.u64 %rd6, [%rd5];\nst.global.u32 [%rd6], %r0; // w ?\n"
            "ld.param.u64 %rd7, [%rd3];\nst.global.u32 [%rd7], %r0; // w ?\ncvta.param.u64 %rd8, %rd3;\n"
            "ld.u64 %rd8, [%rd8]; // r par\nst.global.u32 [%rd8], %r0; // w ?\nadd.s64 %rd9, %rd4, %rd0;\n"
            "ld.param.u64 %rd9, [%rd9];\nst.global.u32 [%rd9], %r0; // w ?\nmov.b64 %rd10, s+4096;\n"
            "add.s64 %rd10, %rd10, 8;\nld.param.u64 %rd10, [%rd10];\nst.global.u32 [%rd10], %r0; // w ?\n"
            "selp.b64 %rd11, %rd4, %rd3, %p0;\nld.param.u64 %rd11, [%rd11];\nst.global.u32 [%rd11], %r0; // w ?\n"
            "cvta.param.u64 %rd13, %rd4;\ncvta.shared.u64 %rd14, %rd3;\nselp.b64 %rd13, %rd13, %rd14, %p0;\n"
            "ld.u64 %rd13, [%rd13]; // r win par\nst.global.u32 [%rd13], %r0; // w ?\n"
            "ld.global.u64 %rd14, [%rd0]; // r a\nselp.b64 %rd14, %rd4, %rd14, %p0;\nld.param.u64 %rd14, [%rd14];\n"
            "st.global.u32 [%rd14], %r0; // w ?\n"
            "selp.b64 %rd12, %rd4, 0, %p0;\nld.param.u64 %rd12, [%rd12];\nst.global.u32 [%rd12], %r0; // w ?\n"));
    expect("atomics", KERNEL("red.global.add.u32 [%rd0], 1; // w a\natom.global.add.u32 %r2, [%rd1], 1; // rw b\n"
                             "atom.global.add.u64 %rd4, [%rd1], 1; // rw b\nst.global.u32 [%rd4], %r2; // w ?\n"
                             "atom.global.cas.b32 %r3, [%rd0], 0, 1; // rw a\nmad.wide.u32 %rd5, %r3, 4, %rd0;\n"
                             "st.global.u32 [%rd5], %r2; // w a\natom.shared.add.u32 %r2, [tile], 1;\n"));
    expect("matrices",
           KERNEL("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, "
                  "[%rd0], %r1; // r a\n"
                  "wmma.store.d.sync.aligned.row.m16n16k16.f16 [%rd1], {%r2, %r3, %r4, %r5}, %r1; // w b\n"
                  "wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%fd0}, [%rd0], %r1; // r a\n"
                  "mov.b64 %rd4, %fd0;\nld.global.u32 %r2, [%rd4]; // r ?\n"
                  "ldmatrix.sync.aligned.m8n8.x1.b16 {%r2}, [%rd0]; // r a\n"
                  "ldmatrix.sync.aligned.m16n16.x1.trans.b8 {%r2, %r3}, [%rd0]; // r a\n"
                  "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r0];\n"
                  "stmatrix.sync.aligned.m8n8.x1.b16 [%rd1], {%r2}; // w b\n"
                  "stmatrix.sync.aligned.m16n8.x1.trans.b8 [%rd1], {%r2}; // w b\n"
                  "st.bulk.weak [%rd1], %rd2, 0; // w b\n"));
}

static void test_mixing(void **state)
{
    (void)state;
    expect("other operations mix",
           KERNEL("mul.lo.s64 %rd4, %rd2, %rd3;\nadd.s64 %rd5, %rd0, %rd4;\nld.global.u32 %r2, [%rd5]; // r a ~n\n"
                  "shl.b64 %rd6, %rd2, 2;\nadd.s64 %rd6, %rd1, %rd6;\nld.global.u32 %r2, [%rd6]; // r b ~n\n"
                  "and.b64 %rd7, %rd0, -16;\nld.global.u32 %r2, [%rd7]; // r # ~a\n"
                  "xor.b64 %rd8, %rd0, %rd1;\nld.global.u32 %r2, [%rd8]; // r # ~a ~b\n"
                  "mad.lo.s64 %rd9, %rd2, 4, %rd1;\nld.global.u32 %r2, [%rd9]; // r b ~n\n"
                  "mad.lo.s64 %rd10, 4, %rd2, %rd1;\nld.global.u32 %r2, [%rd10]; // r b ~n\n"
                  "neg.s64 %rd11, %rd0;\nadd.s64 %rd12, %rd1, %rd11;\nld.global.u32 %r2, [%rd12]; // r b ~a\n"
                  "rem.u64 %rd13, %rd2, 16;\nadd.s64 %rd13, %rd13, %rd12;\nld.global.u32 %r2, [%rd13]; // r b ~a ~n\n"
                  "or.b64 %rd14, %rd3, 4;\nadd.s64 %rd14, %rd14, %rd0;\nld.global.u32 %r2, [%rd14]; // r a\n"
                  "mov.u64 %rd15, v;\nshr.u64 %rd15, %rd15, 1;\nadd.s64 %rd15, %rd15, %rd0;\n"
                  "ld.global.u32 %r2, [%rd15]; // r a ~v\n"));
    expect("an integer parameter that is added is an origin",
           KERNEL("add.s64 %rd4, %rd0, %rd2;\nld.global.u32 %r2, [%rd4]; // r a n\n"));
    expect("halves of pointers",
           KERNEL("cvt.u32.u64 %r2, %rd1;\nmad.wide.u32 %rd4, %r2, 1, %rd0;\nld.global.u32 %r3, [%rd4]; // r a ~b\n"
                  "mov.b64 {%r4, %r5}, %rd1;\ncvt.u64.u32 %rd5, %r5;\nadd.s64 %rd6, %rd5, %rd0;\n"
                  "ld.global.u32 %r3, [%rd6]; // r a ~b\nmov.b64 %rd7, {%r4, %r5};\nld.global.u32 %r3, [%rd7]; // r ?\n"
                  "add.s64 %rd7, %rd7, %rd0;\nld.global.u32 %r3, [%rd7]; // r a ?\n"
                  "ld.global.v2.u32 {%r6, %r7}, [%rd0]; // r a\ncvt.u64.u32 %rd8, %r7;\nshl.b64 %rd9, %rd8, 32;\n"
                  "cvt.u64.u32 %rd10, %r6;\nor.b64 %rd11, %rd9, %rd10;\nadd.s64 %rd12, %rd0, %rd11;\n"
                  "ld.global.u32 %r3, [%rd12]; // r a ?\nshl.b64 %rd13, %rd8, %r0;\nadd.s64 %rd13, %rd13, %rd0;\n"
                  "ld.global.u32 %r3, [%rd13]; // r a ?\n"));
    expect("shifts of 32 bits",
           KERNEL("shl.b32 %r2, %r1, %r0;\nmad.wide.u32 %rd4, %r2, 4, %rd0;\nld.global.u32 %r3, [%rd4]; // r a\n"));
    expect("128 bits",
           KERNEL("{ .reg .b128 %q;\nld.param.b128 %q, [s];\nmov.b128 {%rd4, %rd5}, %q; }\nadd.s64 %rd4, %rd4, %rd0;\n"
                  "ld.global.u32 %r2, [%rd4]; // r a ?\n"));
    expect("a loaded value of 64 bits stays what it is, until it is cut",
           KERNEL("ld.global.u64 %rd4, [%rd0]; // r a\nshr.u64 %rd5, %rd4, 3;\nadd.s64 %rd6, %rd0, %rd5;\n"
                  "ld.global.u32 %r2, [%rd6]; // r a ?\ncvt.u32.u64 %r3, %rd4;\nmad.wide.u32 %rd7, %r3, 4, %rd0;\n"
                  "ld.global.u32 %r2, [%rd7]; // r a\nld.global.f64 %fd0, [%rd0]; // r a\n"
                  "cvt.rzi.s32.f64 %r4, %fd0;\nmad.wide.s32 %rd8, %r4, 4, %rd0;\nld.global.u32 %r2, [%rd8]; // r a\n"
                  "cvt.rzi.s64.f64 %rd9, %fd0;\nadd.s64 %rd9, %rd9, %rd0;\nld.global.u32 %r2, [%rd9]; // r a ?\n"));
    expect("threads of a warp exchange values, of other instructions too",
           KERNEL("shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\nL:\nmad.wide.u32 %rd4, %r2, 4, %rd0;\n@%p0 bra L;\n"
                  "ld.global.u32 %r3, [%rd4]; // r a ~b\ncvt.u32.u64 %r4, %rd1;\n"
                  "shfl.sync.idx.b32 %r5, %r4, 0, 31, -1;\nmad.wide.u32 %rd4, %r5, 4, %rd0;\n"
                  "ld.global.u32 %r3, [%rd4]; // r a ~b\nshfl.sync.idx.b32 %r6, %r1, 0, 31, -1;\n"
                  "mad.wide.u32 %rd4, %r6, 4, %rd0;\nld.global.u32 %r3, [%rd4]; // r a ~b\n"));
    expect("warp-level operations on 64 bits",
           KERNEL("ld.global.u64 %rd4, [%rd0]; // r a\nmatch.any.sync.b64 %r2, %rd4, -1;\n"
                  "mad.wide.u32 %rd5, %r2, 4, %rd0;\nld.global.u32 %r3, [%rd5]; // r a\n"));
    expect("products of 64 bits",
           KERNEL("ld.global.f64 %fd0, [%rd0]; // r a\nmma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd2, %fd3}, "
                  "{%fd0}, {%fd0}, {%fd0, %fd0};\nmov.b64 %rd4, %fd2;\nadd.s64 %rd4, %rd4, %rd0;\n"
                  "ld.global.u32 %r3, [%rd4]; // r a ?\n"));
}

static void test_paths(void **state)
{
    (void)state;
    expect("guards keep the old value",
           KERNEL("mov.u64 %rd4, %rd0;\n@%p0 mov.u64 %rd4, %rd1;\nst.global.u32 [%rd4], %r0; // w a b\n"
                  "mov.u64 %rd4, %rd1;\nst.global.u32 [%rd4], %r0; // w b\n"));
    expect("sides join",
           KERNEL("@%p0 bra ELSE;\nadd.s64 %rd4, %rd0, 8;\nst.global.u32 [%rd4], %r0; // w a\nbra.uni END;\nELSE:\n"
                  "add.s64 %rd4, %rd1, 8;\nst.global.u32 [%rd4], %r0; // w b\nEND:\n"
                  "st.global.u32 [%rd4+4], %r0; // w a b\n"));
    expect("loops",
           KERNEL("mov.u64 %rd4, %rd0;\nmov.u64 %rd5, %rd1;\nmov.u32 %r2, 0;\nL:\nld.global.u32 %r3, [%rd4]; // r a\n"
                  "st.global.u32 [%rd5], %r3; // w a b\nadd.s64 %rd4, %rd4, 4;\nadd.u32 %r2, %r2, 1;\n"
                  "setp.lt.u32 %p1, %r2, %r1;\nselp.b64 %rd5, %rd5, %rd4, %p1;\n@%p1 bra L;\n"
                  "mad.wide.u32 %rd6, %r2, 4, %rd1;\nst.global.u32 [%rd6], %r3; // w b\n"));
    expect("loops in which values mix",
           KERNEL("mov.u64 %rd4, 0;\nL:\nadd.s64 %rd5, %rd4, %rd0;\nld.global.u32 %r2, [%rd5]; // r a ~n\n"
                  "and.b64 %rd4, %rd2, 15;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra L;\n"));
    expect("registers that nothing wrote", KERNEL("st.global.u32 [%rd20], %r0; // w 0\n@%p0 mov.u64 %rd21, %rd0;\n"
                                                  "st.global.u32 [%rd21], %r0; // w a 0\n"));
    expect("calls",
           KERNEL("{ .param .b64 x; .param .b64 y;\nst.param.b64 [x], %rd0;\ncall (y), same, (x);\n"
                  "ld.param.b64 %rd4, [y]; }\nst.global.u32 [%rd4], %r0; // w ?\nst.global.u32 [%rd0], %r0; // w a\n"));
    expect("calls with registers",
           HEAD ".func (.reg .b64 %out) f(.reg .b64 %in) { .reg .pred %q;\n"
                "setp.eq.u64 %q, %in, 0;\n@%q bra L;\nst.global.u32 [%in], 0; // w ?\nL:\n"
                "mov.b64 %out, %in;\nret; }\n.visible .entry k(.param .u64 a) {\n.reg .b64 %rd<4>;\n"
                "ld.param.u64 %rd0, [a];\ncall (%rd1), f, (%rd0);\nadd.s64 %rd1, %rd1, %rd0;\n"
                "st.global.u32 [%rd1], 0; // w a ?\nret;\n}\n");
    expect("a function takes the address of its parameter",
           HEAD ".func f(.param .b64 in) { .reg .b64 %x;\nmov.b64 %x, in;\ncvta.param.u64 %x, %x;\n"
                "st.u32 [%x], 1; // w win\nret; }\n"
                ".visible .entry k() {\n{ .param .b64 y; st.param.b64 [y], 0; call f, (y); }\nret;\n}\n");
    expect("registers that nothing wrote in a function",
           HEAD ".func f() { .reg .b64 %x;\nst.global.u32 [%x], 1; // w ?\nret; }\n"
                ".visible .entry k() {\ncall f;\nret;\n}\n");
    expect("a function writes its result through a register",
           HEAD ".func (.param .b64 out) f() { .reg .b64 %x;\nmov.b64 %x, out;\nst.param.b64 [%x], 1;\nret; }\n"
                ".visible .entry k() {\n{ .param .b64 y; call (y), f; }\nret;\n}\n");
    expect("code that nothing reaches", KERNEL("bra END;\nst.global.u32 [%rd0], %r0;\nEND:\n"));
}

/* Parameters behind the first 56 are not told apart. */
static void test_many(void **state)
{
    (void)state;
    struct text t = {0};
    text_printf(&t, HEAD ".visible .entry k(.param .align 8 .b8 s[480]) {\n.reg .b64 %%rd<4>;\n");
    for (int i = 0; i < 60; i++)
        text_printf(&t, "ld.param.u64 %%rd0, [s+%d];\nst.global.u32 [%%rd0], 0;\n", 8 * i);
    text_printf(&t, "ret;\n}\n");
    struct bench b = bench_open("many", t.data);
    assert_int_equal(b.origins->count, ORIGINS_MOST);
    assert_int_equal(b.origins->access_count, ORIGINS_MOST + 1);
    assert_true(b.origins->written == ORIGIN_NAMED);
    assert_true(b.origins->accesses[ORIGINS_MOST - 1].address.of == UINT64_C(1) << (ORIGINS_MOST - 1));
    assert_true(b.origins->accesses[ORIGINS_MOST].address.of == ORIGIN_ANYTHING);
    assert_int_equal(b.origins->flags, ORIGINS_UNKNOWN_WRITES);
    bench_close(&b);
    text_free(&t);
}

/* A program with more blocks and registers than are looked at. */
static void test_large(void **state)
{
    (void)state;
    struct text t = {0};
    text_printf(&t, HEAD ".visible .entry k(.param .u64 a) {\n.reg .pred %%p;\n.reg .b32 %%r<2100>;\n.reg .b64 %%rd;\n"
                         "ld.param.u64 %%rd, [a];\nmov.u32 %%r0, %%tid.x;\nsetp.lt.u32 %%p, %%r0, 7;\n");
    for (int i = 1; i < 2100; i++)
        text_printf(&t, "ld.global.u32 %%r%d, [%%rd+%d];\n@%%p bra L%d;\nadd.u32 %%r%d, %%r%d, 1;\nL%d:\n", i, 4 * i, i,
                    i, i, i);
    for (int i = 1; i < 2100; i++)
        text_printf(&t, "st.global.u32 [%%rd+%d], %%r%d;\n", 4 * i, i);
    text_printf(&t, "ret;\n}\n");
    struct bench b = bench_open("large", t.data);
    assert_true((int64_t)b.program->block_count * b.program->plane_count > 1 << 22);
    assert_int_equal(b.origins->flags, ORIGINS_UNKNOWN_READS | ORIGINS_UNKNOWN_WRITES);
    bench_close(&b);
    text_free(&t);
}

static void test_sets(void **state)
{
    (void)state;
    struct bench b = bench_open("sets", KERNEL("ld.global.u32 %r2, [%rd0];\nst.global.u32 [%rd1], %r2;\n"
                                               "red.global.add.u32 [v], 1;\ncvta.shared.u64 %rd4, %rd3;\n"
                                               "st.u32 [%rd4], 1;\nld.global.u32 %r2, [%rd0+8];\n"));
    assert_int_equal(b.origins->access_count, 4);
    for (int i = 0; i < b.origins->count; i++) {
        const struct origin *o = &b.origins->origin[i];
        assert_int_equal(b.origins->read >> i & 1, !o->variable && o->offset == 0);
        assert_int_equal(b.origins->written >> i & 1, o->variable || o->offset == 8);
    }
    bench_close(&b);
}

static void test_flags(void **state)
{
    (void)state;
    expect_flags("none",
                 KERNEL("ld.global.u32 %r2, [%rd0];\nst.global.u32 [%rd1], %r2;\nbar.sync 0;\n"
                        "red.global.add.u32 [%rd1], 1;\nmembar.cta;\nfence.acq_rel.cta;\n"),
                 0);
    expect_flags("unknown reads", KERNEL("ld.global.u64 %rd4, [%rd0];\nld.global.u32 %r2, [%rd4];\n"),
                 ORIGINS_UNKNOWN_READS);
    expect_flags("a pointer or NULL", KERNEL("selp.b64 %rd4, %rd0, 0, %p0;\nld.global.u32 %r2, [%rd4];\n"), 0);
    expect_flags("NULL", KERNEL("ld.global.u32 %r2, [0];\n"), ORIGINS_UNKNOWN_READS);
    expect_flags("unknown writes", KERNEL("mov.u64 %rd4, 64;\nred.global.add.u32 [%rd4], 1;\n"),
                 ORIGINS_UNKNOWN_WRITES);
    expect_flags("reads of parameters", KERNEL("mov.u64 %rd4, s;\ncvta.param.u64 %rd4, %rd4;\nld.u32 %r2, [%rd4];\n"),
                 0);
    expect_flags("writes to parameters", KERNEL("mov.u64 %rd4, s;\ncvta.param.u64 %rd4, %rd4;\nst.u32 [%rd4], 1;\n"),
                 ORIGINS_UNKNOWN_WRITES);
    expect_flags("writes to parameters at an offset", KERNEL("cvta.param.u64 %rd4, %rd3;\nst.u32 [%rd4], 1;\n"),
                 ORIGINS_UNKNOWN_WRITES);
    expect_flags("writes to parameters by name", KERNEL("st.param.u32 [s], 1;\n"), ORIGINS_UNKNOWN_WRITES);
    expect_flags("writes to the space of parameters at an offset", KERNEL("st.param.u32 [%rd3], 1;\n"),
                 ORIGINS_UNKNOWN_WRITES);
    expect_flags("results", KERNEL("atom.global.add.u32 %r2, [%rd0], 1;\n"), ORIGINS_RESULTS);
    expect_flags("results that are dropped count, since machines order them",
                 KERNEL("atom.global.add.u32 _, [%rd0], 1;\n"), ORIGINS_RESULTS);
    expect_flags(
        "results from shared memory",
        KERNEL("atom.shared.add.u32 %r2, [tile], 1;\ncvta.shared.u64 %rd4, %rd3;\natom.add.u32 %r2, [%rd4], 1;\n"), 0);
    expect_flags("volatile", KERNEL("ld.volatile.global.u32 %r2, [%rd0];\n"), ORIGINS_STRONG);
    expect_flags("volatile stores", KERNEL("st.volatile.u32 [%rd0], 1;\n"), ORIGINS_STRONG);
    expect_flags(
        "volatile in shared memory",
        KERNEL("ld.volatile.shared.u32 %r2, [tile];\ncvta.shared.u64 %rd4, %rd3;\nld.volatile.u32 %r2, [%rd4];\n"), 0);
    expect_flags("acquire", KERNEL("ld.acquire.gpu.global.u32 %r2, [%rd0];\n"), ORIGINS_STRONG);
    expect_flags("relaxed", KERNEL("st.relaxed.sys.global.u32 [%rd0], 2;\n"), ORIGINS_STRONG);
    expect_flags("relaxed, in the block", KERNEL("st.relaxed.cta.global.u32 [%rd0], 2;\n"), 0);
    expect_flags("weak", KERNEL("ld.weak.global.u32 %r2, [%rd0];\n"), 0);
    expect_flags("volatile, in shared or global memory",
                 KERNEL("cvta.shared.u64 %rd4, %rd3;\nselp.b64 %rd4, %rd4, %rd0, %p0;\nld.volatile.u32 %r2, [%rd4];\n"),
                 ORIGINS_STRONG);
    expect_flags("uncached", KERNEL("ld.global.cv.u32 %r2, [%rd0];\n"), ORIGINS_STRONG);
    expect_flags("relaxed reductions", KERNEL("red.relaxed.gpu.global.add.u32 [%rd0], 1;\n"), 0);
    expect_flags("reductions that release", KERNEL("red.release.gpu.global.add.u32 [%rd0], 1;\n"), ORIGINS_STRONG);
    expect_flags("fences", KERNEL("membar.gl;\n"), ORIGINS_FENCES);
    expect_flags("fences of the system", KERNEL("membar.sys;\n"), ORIGINS_FENCES);
    expect_flags("fences with a scope", KERNEL("fence.acq_rel.gpu;\n"), ORIGINS_FENCES);
    expect_flags("clusters", KERNEL("barrier.cluster.arrive;\nbarrier.cluster.wait;\n"), ORIGINS_CLUSTER);
    expect_flags("arriving for the cluster", KERNEL("barrier.cluster.arrive;\n"), ORIGINS_CLUSTER);
    expect_flags("tensor maps", KERNEL("tensormap.replace.tile.global_address.global.b1024.b64 [%rd0], %rd1;\n"),
                 ORIGINS_ASYNC);
    expect_flags("elements of tensor maps",
                 KERNEL("tensormap.replace.tile.global_dim.global.b1024.b32 [%rd0], 0, %r1;\n"), ORIGINS_ASYNC);
    expect_flags("waiting for the cluster", KERNEL("barrier.cluster.wait;\n"), ORIGINS_CLUSTER);
    expect_flags("other blocks' shared memory", KERNEL("mapa.shared::cluster.u32 %r2, %r1, 1;\n"), ORIGINS_CLUSTER);
    expect_flags("other blocks' addresses", KERNEL("mapa.u64 %rd4, %rd3, 1;\n"), ORIGINS_CLUSTER);
    expect_flags("stores to the cluster", KERNEL("st.shared::cluster.u32 [%r1], 1;\n"), ORIGINS_CLUSTER);
    expect_flags("copies", KERNEL("cp.async.ca.shared.global [tile], [%rd0], 4;\n"), ORIGINS_ASYNC);
    expect_flags(
        "calls of printf",
        KERNEL("{ .param .b64 x; .param .b64 y; .param .b32 z;\nst.param.b64 [x], %rd3;\nst.param.b64 [y], %rd3;\n"
               "call (z), vprintf, (x, y); }\n"),
        ORIGINS_BUILTINS);
    expect_flags("calls", KERNEL("{ .param .b64 x; .param .b64 y;\nst.param.b64 [x], %rd0;\ncall (y), same, (x); }\n"),
                 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pointers), cmocka_unit_test(test_variables), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_mixing),   cmocka_unit_test(test_paths),     cmocka_unit_test(test_many),
        cmocka_unit_test(test_large),    cmocka_unit_test(test_sets),      cmocka_unit_test(test_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
