/* Linking of PTX modules: which definition a name gets, what stays private, and what is an error. */
#include "ptx/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                    ".version 8.0\n.target sm_80\n.address_size 64\n"
#define CALL(function)          "{\n.param .b32 p;\nst.param.b32 [p], 1;\ncall.uni " function ", (p);\n}\n"
#define KERNEL(name, b)         ".visible .entry " name "()\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n" b "ret;\n}\n"
#define FUNC(words, name, body) words " .func " name "(.param .b32 p)\n{\n.reg .b32 %r<4>;\n" body "ret;\n}\n"
#define DECLARE(name)           ".extern .func " name "(.param .b32 p);\n"

static struct ptx_module *parse(const char *name, const char *text)
{
    struct diag diag = {0};
    struct ptx_module *m = ptx_parse(name, text, strlen(text), &diag);
    if (!m) {
        diag_print(&diag, stderr);
        fail_msg("%s does not parse", name);
    }
    diag_free(&diag);
    return m;
}

static struct ptx_module *link_texts(enum ptx_link_rule rule, struct text *errors, const char *const *texts)
{
    struct ptx_module *modules[8];
    int count = 0;
    for (; texts[count]; count++)
        modules[count] = parse((const char *[]){"a.ptx", "b.ptx", "c.ptx", "d.ptx"}[count], texts[count]);
    return ptx_link(modules, count, rule, errors);
}

/* Links texts that fit together. What is printed of the result must parse to it again. */
static struct ptx_module *linked(enum ptx_link_rule rule, const char *const *texts)
{
    struct text errors = {0}, printed = {0}, difference = {0};
    struct ptx_module *m = link_texts(rule, &errors, texts);
    if (!m)
        fail_msg("%s", errors.data);
    ptx_print(m, &printed);
    struct ptx_module *again = parse("printed", printed.data);
    if (!ptx_equal(m, again, &difference))
        fail_msg("%s\n%s", difference.data, printed.data);
    ptx_destroy(again);
    text_free(&printed);
    text_free(&difference);
    text_free(&errors);
    return m;
}

#define LINK(...)  linked(LINK_TOGETHER, (const char *[]){__VA_ARGS__, NULL})
#define APART(...) linked(LINK_APART, (const char *[]){__VA_ARGS__, NULL})

static void expect_error(const char *expected, const char *const *texts)
{
    struct text errors = {0};
    assert_null(link_texts(LINK_TOGETHER, &errors, texts));
    assert_string_equal(errors.data, expected);
    text_free(&errors);
}

#define ERROR(expected, ...) expect_error(expected, (const char *[]){__VA_ARGS__, NULL})

/* The function that the n-th call of a function goes to. */
static const struct ptx_function *callee(const struct ptx_module *m, const char *caller, int n)
{
    const struct ptx_function *f = ptx_find_function(m, caller);
    assert_non_null(f);
    for (int i = 0; i < f->instruction_count; i++)
        for (int o = 0; o < f->instructions[i].operand_count; o++)
            if (f->instructions[i].operand[o].call && n-- == 0)
                return f->instructions[i].operand[o].call->callee;
    fail_msg("%s has not so many calls", caller);
    return NULL;
}

static void declarations_find_their_definitions(void **state)
{
    (void)state;
    const char *user = HEAD DECLARE("f") ".extern .global .u32 v;\n.visible .global .u64 where = generic(v);\n" KERNEL(
        "k", CALL("f") "ld.global.u32 %r1, [v];\n");
    const char *owner = HEAD ".visible .global .u32 v = 7;\n" FUNC(".visible", "f", "ld.global.u32 %r1, [v];\n");
    for (int turn = 0; turn < 2; turn++) {
        struct ptx_module *m = turn ? LINK(user, owner) : LINK(owner, user);
        const struct ptx_function *f = ptx_find_function(m, "f");
        const struct ptx_variable *v = ptx_find_variable(m, "v");
        assert_int_equal(m->function_count, 2);
        assert_int_equal(m->variable_count, 2);
        assert_true(f->is_defined);
        assert_ptr_equal(callee(m, "k", 0), f);
        assert_int_equal(v->linkage, LINKAGE_VISIBLE);
        assert_ptr_equal(ptx_find_variable(m, "where")->reloc[0].variable, v);
        for (int i = 0; i < m->function_count; i++) {
            assert_int_equal(m->functions[i]->index, i);
            assert_ptr_equal(m->functions[i]->module, m);
        }
        for (int i = 0; i < m->variable_count; i++)
            assert_int_equal(m->variables[i]->index, i);
        ptx_destroy(m);
    }
}

static void private_names_stay_apart(void **state)
{
    (void)state;
    const char *a = HEAD ".global .u32 x = 1;\n" FUNC("", "f", "ld.global.u32 %r1, [x];\n") KERNEL("ka", CALL("f"));
    const char *b = HEAD ".global .u32 x = 2;\n" FUNC("", "f", "ld.global.u32 %r1, [x];\n") KERNEL("kb", CALL("f"));
    struct ptx_module *m = LINK(a, b);
    assert_string_equal(callee(m, "ka", 0)->name, "f");
    assert_string_equal(callee(m, "kb", 0)->name, "f$2");
    assert_int_equal(callee(m, "ka", 0)->instructions[0].operand[1].variable->init[0], 1);
    assert_int_equal(callee(m, "kb", 0)->instructions[0].operand[1].variable->init[0], 2);
    ptx_destroy(m);
}

/* A private function keeps its own meaning beside another module's shared one of the same name. */
static void a_shared_name_keeps_its_spelling(void **state)
{
    (void)state;
    const char *a = HEAD FUNC("", "f", "mov.u32 %r1, 1;\n") KERNEL("ka", CALL("f"));
    const char *b = HEAD FUNC(".visible", "f", "mov.u32 %r1, 2;\n");
    const char *c = HEAD DECLARE("f") KERNEL("kc", CALL("f"));
    struct ptx_module *m = LINK(a, b, c);
    assert_string_equal(callee(m, "ka", 0)->name, "f$1");
    assert_string_equal(callee(m, "kc", 0)->name, "f");
    assert_int_equal(callee(m, "kc", 0)->instructions[0].operand[1].bits, 2);
    ptx_destroy(m);
}

static uint64_t constant_of(const struct ptx_function *f)
{
    return f->instructions[0].operand[1].bits;
}

static void strong_goes_before_weak_and_weak_before_common(void **state)
{
    (void)state;
    const char *one = HEAD FUNC(".weak", "f", "mov.u32 %r1, 1;\n") KERNEL("k1", CALL("f"));
    const char *two = HEAD FUNC(".weak", "f", "mov.u32 %r1, 2;\n") KERNEL("k2", CALL("f"));
    const char *strong = HEAD FUNC(".visible", "f", "mov.u32 %r1, 3;\n");
    struct ptx_module *m = LINK(one, two);
    assert_int_equal(constant_of(callee(m, "k1", 0)), 1);
    assert_int_equal(constant_of(callee(m, "k2", 0)), 1);
    assert_int_equal(m->function_count, 3);
    ptx_destroy(m);
    m = LINK(one, two, strong);
    assert_int_equal(constant_of(callee(m, "k1", 0)), 3);
    assert_int_equal(constant_of(callee(m, "k2", 0)), 3);
    ptx_destroy(m);
    m = LINK(HEAD ".common .global .u32 c[2];\n", HEAD ".common .global .u32 c[4];\n");
    assert_int_equal(ptx_find_variable(m, "c")->size_bytes, 16);
    ptx_destroy(m);
    m = LINK(HEAD FUNC(".common", "f", "mov.u32 %r1, 1;\n"), HEAD FUNC(".common", "f", "mov.u32 %r1, 2;\n"));
    assert_int_equal(constant_of(ptx_find_function(m, "f")), 1);
    ptx_destroy(m);
    m = LINK(HEAD ".common .global .u32 c;\n", HEAD ".weak .global .u32 c = 5;\n");
    assert_int_equal(ptx_find_variable(m, "c")->init[0], 5);
    ptx_destroy(m);
}

static void weak_kernels_merge(void **state)
{
    (void)state;
    const char *text = HEAD ".weak .entry k()\n{\nret;\n}\n";
    struct ptx_module *m = LINK(text, text);
    assert_int_equal(m->function_count, 1);
    ptx_destroy(m);
}

static void what_does_not_fit_is_named(void **state)
{
    (void)state;
    const char *uses_f = HEAD DECLARE("f") KERNEL("k", CALL("f"));
    const char *uses_v = HEAD ".extern .global .u32 v;\n" KERNEL("kv", "ld.global.u32 %r1, [v];\n");
    const char *f = HEAD FUNC(".visible", "f", "");
    ERROR("function 'f', which a.ptx uses, is not defined\n", uses_f);
    ERROR("function 'f', which b.ptx uses, is not defined\n", uses_v, uses_f, HEAD ".visible .global .u32 v;\n");
    ERROR("variable 'v', which a.ptx uses, is not defined\n", uses_v, HEAD);
    ERROR("'f' is defined twice: in a.ptx, line 4, and in c.ptx, line 4\n", f, uses_f, f);
    ERROR("'k' is defined twice: in a.ptx, line 4, and in b.ptx, line 4\n", HEAD KERNEL("k", ""), HEAD KERNEL("k", ""));
    ERROR("'f' is declared differently in a.ptx, line 4, and in b.ptx, line 4\n", uses_f,
          HEAD ".visible .func f(.param .b64 p)\n{\nret;\n}\n");
    ERROR("'v' is declared differently in a.ptx, line 4, and in b.ptx, line 4\n", uses_v,
          HEAD ".visible .global .u64 v;\n");
    ERROR("'v' is declared differently in a.ptx, line 4, and in b.ptx, line 4\n", uses_v,
          HEAD ".visible .const .u32 v;\n");
    ERROR("'t' is declared differently in a.ptx, line 4, and in b.ptx, line 4\n", HEAD ".extern .global .texref t;\n",
          HEAD ".visible .global .u64 t;\n");
    ERROR("'f' is a function in a.ptx, line 4, and a variable in b.ptx, line 4\n", uses_f,
          HEAD ".visible .global .u32 f;\n");
    ERROR("b.ptx has addresses of 32 bits, and a.ptx of 64\n", f, ".version 3.0\n.target sm_20\n.address_size 32\n");
}

/* Functions of the system have no definition in any module. Declarations that nothing uses need none either. */
static void some_names_need_no_definition(void **state)
{
    (void)state;
    const char *prints = HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n" KERNEL(
        "k", "{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\ncall.uni (r), vprintf, (f, a);\n}\n");
    const char *same = HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                            ".extern .global .u32 nobody;\n" DECLARE("nothing") DECLARE("cudaDeviceOther")
                                KERNEL("d", CALL("cudaDeviceOther"));
    struct ptx_module *m = LINK(prints, same);
    assert_string_equal(callee(m, "k", 0)->name, "vprintf");
    assert_null(ptx_find_variable(m, "nobody"));
    ptx_destroy(m);
    m = LINK(HEAD ".extern .shared .align 16 .b8 s[];\n" KERNEL("k", "mov.u64 %rd1, s;\n"),
             HEAD ".extern .shared .align 8 .b8 s[];\n" KERNEL("q", "mov.u64 %rd1, s;\n"));
    assert_int_equal(m->variable_count, 2);
    ptx_destroy(m);
}

static void aliases_name_what_they_stand_for(void **state)
{
    (void)state;
    const char *owner =
        HEAD ".visible .func other(.param .b32 p);\n" FUNC(".visible", "f", "mov.u32 %r1, 4;\n") ".alias other, f;\n";
    struct ptx_module *m = LINK(HEAD DECLARE("other") KERNEL("k", CALL("other")), owner);
    assert_string_equal(callee(m, "k", 0)->name, "f");
    ptx_destroy(m);
}

static const struct ptx_location *location_of(const struct ptx_module *m, const char *function, int instruction)
{
    return &m->locations[ptx_find_function(m, function)->instructions[instruction].location];
}

static const char *path_at(const struct ptx_module *m, const struct ptx_location *l)
{
    for (int i = 0; i < m->file_count; i++)
        if (m->files[i].number == l->file)
            return m->files[i].path;
    return "none";
}

static void source_lines_stay_right(void **state)
{
    (void)state;
    const char *a = HEAD ".file 1 \"a.cu\"\n.file 2 \"both.h\"\n" KERNEL(
        "ka", ".loc 1 10 1\nmov.u32 %r1, 1;\n.loc 2 5 1, inlined_at 1 10 1\nmov.u32 %r1, 2;\n");
    const char *b = HEAD ".file 1 \"both.h\"\n.file 2 \"b.cu\"\n" KERNEL(
        "kb", ".loc 2 20 1\nmov.u32 %r1, 1;\n.loc 1 5 1, inlined_at 2 20 1\nmov.u32 %r1, 2;\n");
    struct ptx_module *m = LINK(a, b);
    assert_string_equal(path_at(m, location_of(m, "ka", 0)), "a.cu");
    assert_string_equal(path_at(m, location_of(m, "kb", 0)), "b.cu");
    assert_int_equal(location_of(m, "kb", 0)->line, 20);
    assert_string_equal(path_at(m, location_of(m, "kb", 1)), "both.h");
    assert_ptr_equal(&m->locations[location_of(m, "kb", 1)->inlined_at], location_of(m, "kb", 0));
    assert_int_equal(location_of(m, "ka", 1)->file, location_of(m, "kb", 1)->file); /* one header, one file */
    assert_string_equal(path_at(m, location_of(m, "ka", 2)), "both.h");
    ptx_destroy(m);
    /* Without line tables, the module's own text is the source. */
    m = LINK(HEAD KERNEL("ka", ""), HEAD "\n\n" KERNEL("kb", "mov.u32 %r1, 1;\n"));
    assert_string_equal(path_at(m, location_of(m, "ka", 0)), "a.ptx");
    assert_int_equal(location_of(m, "ka", 0)->line, 8);
    assert_string_equal(path_at(m, location_of(m, "kb", 1)), "b.ptx");
    assert_int_equal(location_of(m, "kb", 1)->line, 11);
    ptx_destroy(m);
}

static void modules_apart_share_nothing(void **state)
{
    (void)state;
    const char *text = HEAD ".visible .global .u32 x = 1;\n.extern .func (.param .b32 r) f(.param .b32 p);\n" KERNEL(
        "k", "ld.global.u32 %r1, [x];\n");
    struct ptx_module *m = APART(text, text, text);
    assert_int_equal(m->variable_count, 3);
    assert_non_null(ptx_find_function(m, "k"));
    assert_non_null(ptx_find_function(m, "k$2"));
    assert_string_equal(ptx_find_function(m, "k$3")->instructions[0].operand[1].variable->name, "x$3");
    ptx_destroy(m);
}

/* The newest version and the highest target are those of the linked module. */
static void headers_are_joined(void **state)
{
    (void)state;
    struct ptx_module *m = LINK(".version 7.8\n.target sm_90\n.address_size 64\n",
                                ".version 8.1\n.target sm_75, debug\n.address_size 64\n");
    assert_int_equal(m->version_major, 8);
    assert_int_equal(m->version_minor, 1);
    assert_string_equal(m->target, "sm_90");
    assert_string_equal(m->target_options, ", debug");
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations_find_their_definitions),
        cmocka_unit_test(private_names_stay_apart),
        cmocka_unit_test(a_shared_name_keeps_its_spelling),
        cmocka_unit_test(strong_goes_before_weak_and_weak_before_common),
        cmocka_unit_test(weak_kernels_merge),
        cmocka_unit_test(what_does_not_fit_is_named),
        cmocka_unit_test(some_names_need_no_definition),
        cmocka_unit_test(aliases_name_what_they_stand_for),
        cmocka_unit_test(source_lines_stay_right),
        cmocka_unit_test(modules_apart_share_nothing),
        cmocka_unit_test(headers_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
