/*
 * The editor of bodies: what is inserted, moved, copied and removed, and that branches, labels, pragmas and source
 * locations stay with the instructions that they belong to.
 */
#include "base/text.h"
#include "rewrite/edit.h"
#include "rewrite/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char program[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"a.cu\"\n"
    ".global .align 4 .u32 total;\n"
    ".func (.param .b32 back) twice(.param .b32 x)\n{\n.reg .b32 %r<2>;\nld.param.b32 %r0, [x];\n"
    "add.u32 %r1, %r0, %r0;\nst.param.b32 [back], %r1;\nret;\n}\n"
    ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n"
    ".reg .v2 .f32 %v;\n"
    "table: .branchtargets TOP, OUT;\n"
    ".loc 1 5 0\nmov.u32 %r0, %tid.x;\n"
    ".pragma \"nounroll\";\nTOP:\n.pragma \"heddle.label TOP\";\n"
    ".loc 1 6 0\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, %r0;\n@%p0 bra TOP;\n"
    ".loc 1 7 0\nbrx.idx %r1, table;\n"
    "OUT:\nret;\n}\n";

static struct ptx_module *parse(const char *text)
{
    struct diag diag = {0};
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!m)
        diag_print(&diag, stderr);
    diag_free(&diag);
    assert_non_null(m);
    return m;
}

/* Holds that the module prints to PTX that parses to the same module, and destroys it. */
static void is_sound(struct ptx_module *m)
{
    struct text out = {0}, difference = {0};
    ptx_print(m, &out);
    struct ptx_module *again = parse(out.data);
    if (!ptx_equal(m, again, &difference))
        fail_msg("%s\n%s", difference.data, out.data);
    text_free(&out);
    text_free(&difference);
    ptx_destroy(again);
    ptx_destroy(m);
}

/* The printed text from `from` on, up to the end of the kernel. */
static void body_is(struct ptx_module *m, const char *from, const char *expected)
{
    struct text out = {0};
    ptx_print(m, &out);
    const char *entry = strstr(out.data, ".entry k"), *at = entry ? strstr(entry, from) : NULL;
    assert_non_null(at);
    size_t length = strlen(expected);
    if (strncmp(at, expected, length))
        assert_string_equal(at, expected);
    text_free(&out);
}

static void opening_and_closing_changes_nothing(void **state)
{
    (void)state;
    struct ptx_module *a = parse(program), *b = parse(program);
    struct text difference = {0};
    for (int i = 0; i < a->function_count; i++) {
        struct edit e;
        edit_open(&e, a->functions[i]);
        edit_close(&e);
    }
    if (!ptx_equal(a, b, &difference))
        fail_msg("%s", difference.data);
    assert_int_equal(a->functions[1]->instructions[2].line, b->functions[1]->instructions[2].line);
    text_free(&difference);
    ptx_destroy(b);
    is_sound(a);
}

static void inserted_code_has_its_place_names_and_location(void **state)
{
    (void)state;
    struct ptx_module *m = parse(program);
    struct edit e;
    edit_open(&e, ptx_find_function(m, "k"));
    int32_t count = edit_add_register(&e, TYPE_U32, "count");
    assert_string_equal(edit_name(&e, count), "%count_1");
    struct edit_item *again = edit_add_label(&e, edit_at(&e, 0), "AGAIN");
    /* Ahead of the add, behind the label and its pragma: threads that jump to TOP come here, too. */
    edit_insert(&e, edit_at(&e, 1),
                "add.u32 %s, %s, 1; @!%%p0 bra SKIP; st.global.u32 [total], %s; SKIP: mov.b32 %%v.x, %s;",
                edit_name(&e, count), edit_name(&e, count), edit_name(&e, count), edit_name(&e, count));
    edit_insert(&e, edit_end(&e), "bra %s;", again->text);
    edit_close(&e);
    body_is(m, "AGAIN_1:",
            "AGAIN_1:\n    .loc 1 5 0\n    mov.u32 %r0, %tid.x;\n    .pragma \"nounroll\";\nTOP:\n"
            "    .pragma \"heddle.label TOP\";\n    .loc 1 6 0\n    add.u32 %count_1, %count_1, 1;\n"
            "    @!%p0 bra SKIP;\n    st.global.u32 [total], %count_1;\nSKIP:\n    mov.b32 %v.x, %count_1;\n"
            "    add.u32 %r1, %r1, 1;\n    setp.lt.u32 %p0, %r1, %r0;\n    @%p0 bra TOP;\n    .loc 1 7 0\n"
            "    brx.idx %r1, table;\nOUT:\n    ret;\n    bra AGAIN_1;\n}\n");
    is_sound(m);
}

static void a_copy_has_labels_and_operands_of_its_own(void **state)
{
    (void)state;
    struct ptx_module *m = parse(program);
    struct edit e;
    edit_open(&e, ptx_find_function(m, "k"));
    struct edit_item *top = edit_label_of(&e, edit_at(&e, 1), "X");
    assert_string_equal(top->text, "TOP");
    struct edit_item *copy = edit_copy(&e, top, edit_at(&e, 4), edit_at(&e, 5));
    assert_string_equal(copy->text, "TOP_1");
    struct edit_item *add = edit_next_instruction(copy);
    add->insn.operand[0].reg = 8;
    /* The copy's branch leads out of the loop instead; the original keeps its own. */
    edit_retarget(add->next->next, edit_label_of(&e, edit_at(&e, 5), "X"));
    edit_close(&e);
    body_is(m, "TOP:",
            "TOP:\n    .pragma \"heddle.label TOP\";\n    .loc 1 6 0\n    add.u32 %r1, %r1, 1;\n"
            "    setp.lt.u32 %p0, %r1, %r0;\n    @%p0 bra TOP;\n    .loc 1 7 0\n    brx.idx %r1, table;\nOUT:\nTOP_1:\n"
            "    .pragma \"heddle.label TOP\";\n    .loc 1 6 0\n    add.u32 %r5, %r1, 1;\n"
            "    setp.lt.u32 %p0, %r1, %r0;\n    @%p0 bra X_1;\n    .loc 1 7 0\n    brx.idx %r1, table;\nX_1:\n");
    is_sound(m);
}

static void removed_and_moved_items_leave_labels_where_branches_find_them(void **state)
{
    (void)state;
    struct ptx_module *m = parse(program);
    struct edit e;
    edit_open(&e, ptx_find_function(m, "k"));
    struct edit_item *top = edit_label_of(&e, edit_at(&e, 1), "X"), *out = edit_label_of(&e, edit_at(&e, 5), "X");
    edit_retarget_all(&e, out, top);
    edit_remove(&e, out);
    edit_remove_instructions(&e, top, edit_at(&e, 2));
    edit_move(&e, edit_at(&e, 0), edit_at(&e, 0), edit_at(&e, 4));
    edit_close(&e);
    body_is(m, "table:",
            "table: .branchtargets TOP, TOP;\n    .pragma \"nounroll\";\nTOP:\n    .loc 1 6 0\n    @%p0 bra TOP;\n"
            "    .loc 1 5 0\n    mov.u32 %r0, %tid.x;\n    .loc 1 7 0\n    brx.idx %r1, table;\n    ret;\n}\n");
    is_sound(m);
}

static void a_new_function_stands_ahead_of_its_caller(void **state)
{
    (void)state;
    struct ptx_module *m = parse(program);
    struct ptx_function *k = ptx_find_function(m, "k");
    assert_string_equal(edit_fresh_function_name(m, "twice"), "twice_2");
    assert_string_equal(edit_fresh_function_name(m, "OUT"), "OUT_2");
    struct ptx_function *added =
        edit_add_function(m, k, ".func (.reg .b32 %o) thrice(.reg .b32 %i)\n{\nadd.u32 %o, %i, %i;\nret;\n}\n");
    assert_ptr_equal(ptx_find_function(m, "thrice"), added);
    struct edit e;
    edit_open(&e, k);
    edit_insert(&e, edit_at(&e, 5), "call.uni (%%r3), thrice, (%%r1);");
    edit_close(&e);
    struct text out = {0};
    ptx_print(m, &out);
    assert_true(strstr(out.data, "thrice(") < strstr(out.data, ".entry k"));
    assert_true(strstr(out.data, "thrice(") > strstr(out.data, "twice("));
    text_free(&out);
    is_sound(m);
}

static void seen(void *context, int32_t *reg, bool is_written)
{
    int *count = context;
    count[is_written]++;
    *reg = 2;
}

static void every_register_of_an_instruction_is_visited(void **state)
{
    (void)state;
    struct ptx_module *m = parse(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
                                 ".reg .b32 %r<9>;\n.reg .b64 %d<3>;\n.reg .pred %p;\n"
                                 "@%p ld.global.v2.u32 {%r4, %r5}, [%d1+8];\nret;\n}\n");
    struct edit e;
    int count[2] = {0, 0};
    edit_open(&e, m->functions[0]);
    edit_visit_registers(&edit_at(&e, 0)->insn, seen, count);
    edit_close(&e);
    assert_int_equal(count[0], 2);
    assert_int_equal(count[1], 2);
    ptx_destroy(m);
}

/* The result of a product of matrices is written, its other fragments are read. */
static void fragments_are_written_or_read(void **state)
{
    (void)state;
    struct ptx_module *m = parse(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                                 ".reg .b32 %r<14>;\n"
                                 "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0, %r1, %r2, %r3}, "
                                 "{%r4, %r5, %r6, %r7}, {%r8, %r9}, {%r10, %r11, %r12, %r13};\nret;\n}\n");
    struct edit e;
    int count[2] = {0, 0};
    edit_open(&e, m->functions[0]);
    edit_visit_registers(&edit_at(&e, 0)->insn, seen, count);
    edit_close(&e);
    assert_int_equal(count[0], 10);
    assert_int_equal(count[1], 4);
    ptx_destroy(m);
}

static void lists_of_passes_are_checked(void **state)
{
    (void)state;
    static const char *const bad[] = {"", ",", "nothing", "nothing=3", "=", "a,,b"};
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rewrite_list list = {0};
        char *error = NULL;
        assert_false(rewrite_parse(&list, bad[i], &arena, &error));
        assert_non_null(strstr(error, "there is no pass"));
        free(error);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_and_closing_changes_nothing),
        cmocka_unit_test(inserted_code_has_its_place_names_and_location),
        cmocka_unit_test(a_copy_has_labels_and_operands_of_its_own),
        cmocka_unit_test(removed_and_moved_items_leave_labels_where_branches_find_them),
        cmocka_unit_test(a_new_function_stands_ahead_of_its_caller),
        cmocka_unit_test(every_register_of_an_instruction_is_visited),
        cmocka_unit_test(fragments_are_written_or_read),
        cmocka_unit_test(lists_of_passes_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
