/*
 * Printing: what is printed parses to the same module and prints the same again. Over samples written for
 * what compilers rarely write, and over all files of a folder.
 */
#include "base/text.h"
#include "ptx/module.h"
#include "source_file.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER ".version 7.0\n.target sm_75, debug\n.address_size 64\n"

static struct ptx_module *parse(const char *path, const char *text)
{
    struct diag diag = {0};
    struct ptx_module *module = ptx_parse(path, text, strlen(text), &diag);
    if (!module)
        diag_print(&diag, stderr);
    diag_free(&diag);
    assert_non_null(module);
    return module;
}

static void check_module(const char *path, const struct ptx_module *module)
{
    struct text first = {0}, second = {0}, difference = {0};
    ptx_print(module, &first);
    struct ptx_module *again = parse(path, first.data);
    if (!ptx_equal(module, again, &difference))
        print_error("%s: %s\n", path, difference.data);
    assert_int_equal(difference.length, 0);
    ptx_print(again, &second);
    assert_string_equal(first.data, second.data);
    ptx_destroy(again);
    text_free(&first);
    text_free(&second);
}

static const char *const samples[] = {
    /* initialisers */
    HEADER ".global .u32 a[2][3] = {{1, 2}, {3}};\n.global .v4 .f32 v[2] = {{1.0}, {2.0, -0.5}};\n"
           ".const .f64 d = 1.5;\n.global .s16 s[] = {-1, 0x7fff, 010, 0b11};\n.global .b8 z[1000] = {0};\n"
           ".global .u64 p[3] = {generic(a)+4, a, 0};\n.global .u32 q = a-4;\n"
           ".global .u8 m[4] = {0xFF(a), 0xFF00(generic(a)+4), 0xFF00000000000000(a), 7};\n"
           ".global .u32 h[2] = {0xFFFF(a), 0xFFFF0000(a)};\n",
    /* linkage and attributes */
    HEADER ".extern .global .u32 e;\n.global .u64 u = e;\n.visible .global .u32 e = 3;\n.weak .const .u32 w;\n"
           ".common .global .u32 c;\n.extern .shared .align 16 .b8 dyn[];\n.global .attribute(.managed) .u32 m;\n"
           ".global .texref t;\n.pragma \"nounroll\", \"other\";\n.global .align 32 .b8 al[3];\n",
    /* functions that are declared, defined, aliased; register parameters */
    HEADER ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 b[16]) .noreturn;\n.weak .func g();\n"
           ".func (.param .b32 r) f(.param .b32 x, .param .align 8 .b8 y[16]) { ret; }\n"
           ".func (.param .b32 r) al(.param .b32 x, .param .align 8 .b8 y[16]);\n.alias al, f;\n"
           ".func (.reg .u32 %r0) old(.reg .u32 %r1, .reg .v2 .f32 %v) { .reg .b32 %t<3>;\n"
           "add.u32 %r0, %r1, %t1; ret; }\n.global .u64 table[2] = {f, al};\n"
           ".entry k() { .reg .b32 %r<3>; .reg .v2 .f32 %w; .param .b32 p; .param .align 8 .b8 q[16];\n"
           "call (p), al, (p, q); .reg .b64 %rd; mov.u64 %rd, al;\n"
           "pr: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]) .noreturn;\n"
           "call (p), %rd, (p, q), pr;\nct: .calltargets f, g;\ncall (p), %rd, (p, q), ct;\ncall g; }\n",
    /* names used twice */
    HEADER ".global .u32 x;\n.entry x$2() { ret; }\n.entry k(.param .u32 p) { .reg .b32 x, %r<5>, %q10, %q11;\n"
           "mov.u32 x, 1; { .reg .b32 x, x$1; .reg .f32 %r<3>; mov.u32 x, x$1; add.f32 %r1, %r0, %r2; }\n"
           "{ .shared .u32 x; .reg .v4 .b32 %r1; mov.u32 %r1.y, x; bra x$3; x$3: bra L; L: }\n"
           "{ L: bra L; ts: .branchtargets L, L; brx.idx %q10, ts; }\nadd.u32 %r1, %r4, %q11; }\n"
           ".func late$1() { ret; }\n.func k2() { .reg .b32 late; mov.u32 late, 1; }\n.func late() { ret; }\n",
    /* directives of kernels, lines, pragmas */
    HEADER ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n.visible .entry k(.param .u64 .ptr .global .align 8 p,\n"
           ".param .u64 .ptr q)\n.maxntid 256\n.reqntid 16, 2\n.minnctapersm 2\n.maxnreg 32\n.maxclusterrank 8\n"
           ".reqnctapercluster 2, 1, 1\n.explicitcluster\n.blocksareclusters\n.pragma \"whole\";\n{ .loc 1 2 3\n"
           "exit; .loc 2 4 5, function_name L0, inlined_at 1 2 3\n.loc 2 6 7, function_name L0, inlined_at 2 4 5\n"
           "exit; A: .pragma \"here\"; exit; .loc 1 9 9\nexit; .loc 2 6 7, inlined_at 1 7 7\nexit; B: .pragma "
           "\"end\"; }\n",
    /* operands */
    HEADER ".global .u32 g[4];\n.entry k() { .reg .pred %p<3>; .reg .b32 %r<9>; .reg .f32 %f<5>; .reg .b64 %rd<3>;\n"
           ".reg .f64 %fd<3>; .reg .b16 %h<3>; .reg .v4 .f32 %v<2>; .local .u32 l[2];\n"
           "mov.u32 %r1, -1; mov.u32 %r1, 4294967295; mov.u64 %rd1, 0xffffffffffffffff; mov.f32 %f1, 1.5;\n"
           "mov.f64 %fd1, 0d7FF8000000000001; mov.b32 %r1, 0f7FC00001; mov.pred %p1, -1; mov.f32 %f1, 0fFFFFFFFF;\n"
           "setp.lt.or.f32 %p1|%p2, %f1, 0f00000000, !%p2; @!%p1 selp.b32 %r1, 1, %r2, !%p1;\n"
           "ld.global.v4.f32 %v1, [g+8]; ld.local.u32 %r1, l[1]; st.global.v2.u32 [%rd1+-4], {1, %r2};\n"
           "ld.global.u32 _, [16]; mov.b64 {%r1, _}, %rd1; mov.b64 %rd1, {%r1, 0}; mov.u32 %r1, %envreg3;\n"
           "mov.u64 %rd1, g+4; mov.u64 %rd1, g[2]; mov.u32 %r1, %pm2; mov.u64 %rd1, %pm3_64; ex2.approx.ftz.f32 "
           "%f1, %f2;\n"
           "tex.1d.v4.f32.s32 {%f1, %f2, %f3, _}, [%rd1, %r1]; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, "
           "%f2}];\n"
           "bar.red.and.pred %p1, 0, !%p2; bar.red.and.pred %p1, 0, 32, %p2; bar.sync 0; bar.sync %r1, 64;\n"
           "@%p1 wmma.mma.sync /* all */ {%r1,\n  %r2}, [%rd1], \"a;}b\"; add.f16 %h0, %h1, %h2; min.f32 %f1, %f2, "
           "%f3, %f4;\n"
           "ld.shared::cta.u32 %r1, [%r2]; add .u32 %r1, %r2, WARP_SZ*2; }\n",
};

static void test_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct ptx_module *module = parse("sample", samples[i]);
        check_module("printed sample", module);
        ptx_destroy(module);
    }
}

/* What ptx_equal must see. */
static const char *const pairs[][2] = {
    {"add.u32 %r1, %r2, 1;", "add.u32 %r1, %r2, 2;"},
    {"add.u32 %r1, %r2, 1;", "add.u32 %r1, %r1, 1;"},
    {"add.u32 %r1, %r2, 1;", "add.s32 %r1, %r2, 1;"},
    {"add.u32 %r1, %r2, 1;", "sub.u32 %r1, %r2, 1;"},
    {"add.f32 %f1, %f1, %f1;", "add.ftz.f32 %f1, %f1, %f1;"},
    {"@%p1 exit;", "@!%p1 exit;"},
    {"exit;", "@%p1 exit;"},
    {"L: bra L; exit;", "bra L; L: exit;"},
    {"ld.global.u32 %r1, [g];", "ld.global.u32 %r1, [g+4];"},
    {"ld.global.u32 %r1, [g];", "ld.global.u32 %r1, [h];"},
    {".loc 1 2 3 \nexit;", ".loc 1 2 4 \nexit;"},
    {".loc 1 2 3 \nexit;", ".loc 1 2 3, inlined_at 1 1 1 \nexit;"},
    {".pragma \"a\"; exit;", "exit; .pragma \"a\";"},
    {"tcgen05.x %r1;", "tcgen05.x %r2;"},
    {".shared .u32 s;", ".shared .align 8 .u32 s;"},
    {".reg .b32 x;", ".reg .b32 y;"},
    {".reg .b32 x;", ".reg .u32 x;"},
    {"a: .branchtargets L, M; L: exit; M: exit;", "a: .branchtargets M, L; L: exit; M: exit;"},
    {"mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.y;"},
};

static void test_differences_are_seen(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct ptx_module *module[2];
        struct text difference = {0};
        for (int k = 0; k < 2; k++) {
            struct text text = {0};
            text_printf(&text,
                        HEADER ".global .u32 g[4], h;\n.entry k() { .reg .pred %%p<3>; .reg .b32 %%r<4>; "
                               ".reg .f32 %%f<2>;\n%s\n}\n",
                        pairs[i][k]);
            module[k] = parse("pair", text.data);
            text_free(&text);
        }
        bool same = ptx_equal(module[0], module[1], &difference);
        if (same)
            print_error("not told apart: '%s' and '%s'\n", pairs[i][0], pairs[i][1]);
        assert_false(same);
        assert_true(difference.length > 0);
        assert_false(ptx_equal(module[0], module[1], NULL));
        ptx_destroy(module[0]);
        ptx_destroy(module[1]);
        text_free(&difference);
    }
}

/* A printed instruction stands alone, without the `;`. */
static void test_instruction(void **state)
{
    (void)state;
    static const char *const expected[] = {"@!%p1 add.rn.ftz.f32 %f1, %f0, 0f3F800000",
                                           "st.shared.v2.u32 [s+4], {%r1, -1}", "bra L"};
    struct ptx_module *module =
        parse("instructions",
              HEADER ".entry k() { .reg .pred %p<2>; .reg .f32 %f<2>; .reg .b32 %r<2>; .shared .u32 s[4];\n"
                     "L: @!%p1 add.rn.ftz.f32 %f1, %f0, 1.0; st.shared.v2.u32 [s+4], {%r1, 0xffffffff}; bra L; }\n");
    const struct ptx_function *k = ptx_find_function(module, "k");
    assert_int_equal(k->instruction_count, 3);
    for (int i = 0; i < 3; i++) {
        struct text text = {0};
        ptx_print_instruction(k, &k->instructions[i], &text);
        assert_string_equal(text.data, expected[i]);
        text_free(&text);
    }
    ptx_destroy(module);
}

static void test_folder(void **state)
{
    const char *folder = *state;
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".ptx"))
            continue;
        struct text path = {0};
        struct diag diag = {0};
        text_printf(&path, "%s/%s", folder, entry->d_name);
        struct ptx_module *module = ptx_parse_file(path.data, &diag);
        if (!module)
            diag_print(&diag, stderr);
        assert_non_null(module);
        check_module(path.data, module);
        ptx_destroy(module);
        diag_free(&diag);
        text_free(&path);
        count++;
    }
    closedir(dir);
    assert_true(count > 0);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : SOURCE_PATH("tests/corpus/ptx");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_differences_are_seen),
        cmocka_unit_test(test_instruction),
        cmocka_unit_test_prestate(test_folder, (void *)folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
