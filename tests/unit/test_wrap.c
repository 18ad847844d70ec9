/*
 * Wrapper functions: calls of functions without a body go through a function that has an entry, and a function that
 * several regions call gets a wrapper for each.
 */
#include "pass_bench.h"

#include "recon/speculate.h"

#define MALLOC ".extern .func (.param .b64 result) malloc(.param .b64 size);\n.extern .func free(.param .b64 block);\n"
#define HEAD                                                                                              \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<40>;\n.reg .b64 %out, %a<9>;\n.reg .pred %p<9>;\n" \
    ".param .b64 size, block;\n.param .b32 x, y;\nmov.u32 %r30, %tid.x;\nld.param.u64 %out, [p];\n"       \
    "mad.wide.u32 %out, %r30, 4, %out;\nld.global.u32 %r0, [%out];\nand.b32 %r31, %r0, 1;\n"              \
    "setp.eq.u32 %p0, %r31, 0;\n"
/* Takes memory, puts %r0 plus a number there and back, and frees it. */
#define HEAP(number)                                                                                          \
    "st.param.b64 [size], 16;\ncall.uni (block), malloc, (size);\nld.param.b64 %a0, [block];\n"               \
    "add.u32 %r1, %r0, " number ";\nst.u32 [%a0+8], %r1;\nld.u32 %r0, [%a0+8];\nst.param.b64 [block], %a0;\n" \
    "call.uni free, (block);\n"
#define CALL(f)     "st.param.b32 [x], %r0;\ncall.uni (y), " f ", (x);\nld.param.b32 %r0, [y];\n"
#define IF(l, r, n) "@%p0 bra R" n ";\n" l "bra J" n ";\nR" n ": " r "J" n ":\n"
#define TAIL        "st.global.u32 [%out], %r0;\nret;\n}\n"
#define FUNCTION                                                                            \
    ".func (.param .b32 y) f(.param .b32 x)\n{\n.reg .b32 %r<2>;\nld.param.b32 %r0, [x];\n" \
    "mad.lo.u32 %r1, %r0, %r0, 7;\nst.param.b32 [y], %r1;\nret;\n}\n"

static void built_in_functions_get_a_wrapper(void **state)
{
    (void)state;
    char *text = leaves_the_same_when("wrap", HEADER MALLOC HEAD HEAP("5") TAIL);
    count_is(text, "call.uni (block), malloc_wrapper, (size);", 1);
    count_is(text, "call.uni free_wrapper, (block);", 1);
    count_is(text, ", malloc, (", 1); /* in the wrapper */
    free(text);
}

static void a_wrapper_can_be_predicted(void **state)
{
    (void)state;
    char *text = rewritten(HEADER MALLOC HEAD "BRANCH: " IF(HEAP("5"), HEAP("9"), "1") TAIL, "wrap");
    struct ptx_module *m = parse(text);
    char *error = NULL;
    struct program *p = program_create(ptx_find_function(m, "k"), &error);
    struct predictions predictions = {0};
    assert_false(predict_from_words(&predictions, p, "BRANCH:malloc", &error));
    free(error);
    assert_true(predict_from_words(&predictions, p, "BRANCH:malloc_wrapper", &error));
    struct speculation *s = speculate(p, &predictions, &(struct speculate_rules){0});
    assert_null(s->list.data[0].refusal);
    assert_int_equal(s->list.data[0].region.site_count, 2);
    speculation_destroy(s);
    predictions_free(&predictions);
    program_destroy(p);
    ptx_destroy(m);
    free(text);
}

static void every_region_has_its_own(void **state)
{
    (void)state;
    /* Two regions, and a call in neither. */
    char *text = leaves_the_same_when("wrap", HEADER MALLOC HEAD IF(HEAP("5"), HEAP("9"), "1")
                                                  IF(HEAP("1"), HEAP("2"), "2") HEAP("3") TAIL);
    count_is(text, "malloc_wrapper, (size)", 2);
    count_is(text, "malloc_wrapper_2, (size)", 2);
    count_is(text, "malloc_wrapper_3, (size)", 1);
    free(text);
    /* So has each region of a function with a body; calls in no region stay. */
    text = leaves_the_same_when("wrap", HEADER FUNCTION HEAD IF(CALL("f"), CALL("f"), "1") CALL("f")
                                            IF(CALL("f"), "add.u32 %r0, %r0, 1;\n" CALL("f"), "2") TAIL);
    count_is(text, "f_wrapper, (x)", 2);
    count_is(text, "f_wrapper_2, (x)", 2);
    count_is(text, " f, (x)", 1);
    free(text);
}

static void parameters_of_every_shape_are_passed_on(void **state)
{
    (void)state;
    char *text = leaves_the_same_when(
        "wrap",
        HEADER ".func (.param .align 4 .b8 back[12]) f(.param .align 2 .b8 x[7], .reg .b32 %y)\n{\n.reg .b32 %r<4>;\n"
               "ld.param.u16 %r0, [x+4];\nld.param.u8 %r1, [x+6];\nadd.u32 %r0, %r0, %r1;\nadd.u32 %r0, %r0, %y;\n"
               "st.param.b32 [back], %r0;\nst.param.b32 [back+8], %r1;\nret;\n}\n" HEAD
               ".param .align 2 .b8 w[7];\n.param .align 4 .b8 v[12];\nst.param.b16 [w+4], %r0;\nst.param.b8 [w+6], "
               "%r31;\n" IF("call.uni (v), f, (w, %r0);\n", "call.uni (v), f, (w, 5);\n", "1")
                   IF("call.uni (v), f, (w, %r0);\n", "call.uni (v), f, (w, 6);\n",
                      "2") "ld.param.b32 %r1, [v];\n"
                           "ld.param.b32 %r2, [v+8];\nadd.u32 %r0, %r1, %r2;\n" TAIL);
    count_is(text, "f_wrapper, (w, ", 2);
    count_is(text, "f_wrapper_2, (w, ", 2);
    free(text);
}

/* Its first caller is the function itself, ahead of which nothing declares it. */
static void a_function_that_calls_itself_is_wrapped(void **state)
{
    (void)state;
    char *text = leaves_the_same_when(
        "wrap",
        HEADER ".func (.param .b32 y) f(.param .b32 x)\n{\n.reg .b32 %r<3>;\n.reg .pred %p;\n.param .b32 u, v;\n"
               "ld.param.b32 %r0, [x];\nshr.u32 %r1, %r0, 9;\nsetp.eq.u32 %p, %r1, 0;\n@%p bra GIVE;\n"
               "st.param.b32 [u], %r1;\ncall.uni (v), f, (u);\nld.param.b32 %r1, [v];\nadd.u32 %r0, %r0, %r1;\n"
               "GIVE: st.param.b32 [y], %r0;\nret;\n}\n" HEAD IF(CALL("f"), CALL("f"), "1")
                   IF(CALL("f"), CALL("f"), "2") TAIL);
    count_is(text, "f_wrapper, (x)", 2);
    count_is(text, "f_wrapper_2, (x)", 2);
    free(text);
}

/* A module that is not linked: the callee is in another. */
static void functions_of_other_modules_get_a_wrapper(void **state)
{
    (void)state;
    char *text = rewritten(HEADER ".extern .func (.param .b32 y) f(.param .b32 x);\n" HEAD CALL("f") TAIL, "wrap");
    count_is(text, "f_wrapper, (x)", 1);
    free(text);
}

static void nothing_is_wrapped_twice(void **state)
{
    (void)state;
    char *text = rewritten(HEADER MALLOC HEAD HEAP("5") TAIL, "wrap");
    left_alone_by("wrap", text, "no call of a function without a body");
    free(text);
    left_alone_by("wrap", HEADER FUNCTION HEAD IF(CALL("f"), CALL("f"), "1") TAIL, "none from several regions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_functions_get_a_wrapper),
        cmocka_unit_test(a_wrapper_can_be_predicted),
        cmocka_unit_test(every_region_has_its_own),
        cmocka_unit_test(parameters_of_every_shape_are_passed_on),
        cmocka_unit_test(a_function_that_calls_itself_is_wrapped),
        cmocka_unit_test(functions_of_other_modules_get_a_wrapper),
        cmocka_unit_test(nothing_is_wrapped_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
