/*
 * What a compiler's other passes leave of predictions (Damani et al., CGO 2020, section 6): the kernels of
 * tests/recon/compiled.cu as nvcc compiled them, one case per kernel.
 */
#include "recon/speculate.h"
#include "source_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct expected {
    const char *kernel;
    int predictions;     /* that are honoured */
    const char *note;    /* part of what is said about the first one's copies; NULL: nothing is said */
    const char *refusal; /* part of why a pragma is no prediction; NULL: none is refused */
};

static const struct expected expectations[] = {
    {"delay_kept", 1, NULL, NULL},
    {"delay_unrolled_wholly", 0, NULL, "4 copies of the point and none is in a loop: the loop was unrolled completely"},
    {"delay_unrolled_partly", 2, "one of 2 copies in this loop, which was unrolled", NULL},
    {"merge_unrolled_wholly", 0, NULL, "6 copies of the point, and all threads come to the first one together"},
    {"merge_unrolled_partly", 1, "4 copies in this loop, which was unrolled or fused", NULL},
    {"interchanged", 1, NULL, NULL},
    {"not_fused", 1, "1 more copy of the point in other loops", NULL},
    {"fused", 1, "2 copies in this loop, which was unrolled or fused", NULL},
    {"call_inlined", 0, NULL, "the compiler inlined inlined (called from lines 2"},
    {"call_kept", 1, NULL, NULL},
    {"label_inlined", 0, NULL, "2 copies of the point, on different sides of branches and in no loop"},
    {"label_inlined_in_loop", 2, "on different sides of a branch", NULL},
    {"label_dead", 0, NULL, "the compiler dropped it as dead code, or inlined it"},
    {"prediction_dead", 0, NULL, "no heddle.predict has the name"},
};

static void check(const char *kernel, const char *what, const char *said, const char *part)
{
    if (!part != !said || (part && !strstr(said, part)))
        fail_msg("%s: %s is '%s', not '%s'", kernel, what, said ? said : "nothing", part ? part : "nothing");
}

static void assert_expected(const struct ptx_module *module, const struct expected *e)
{
    struct predictions predictions = {0};
    char *error = NULL;
    struct program *program = program_create(ptx_find_function(module, e->kernel), &error);
    assert_non_null(program);
    predict_from_pragmas(&predictions, program);
    if (predictions.list.count != e->predictions || predictions.unusable.count != !!e->refusal)
        fail_msg("%s: %d predictions, %d refused", e->kernel, predictions.list.count, predictions.unusable.count);
    if (predictions.list.count)
        check(e->kernel, "the note", predictions.list.data[0].note, e->note);
    if (predictions.unusable.count)
        check(e->kernel, "the refusal", predictions.unusable.data[0].why, e->refusal);
    struct speculation *s = speculate(program, &predictions, &(struct speculate_rules){0});
    for (int i = 0; i < s->list.count; i++)
        check(e->kernel, "the compiler's refusal", s->list.data[i].refusal, NULL);
    speculation_destroy(s);
    predictions_free(&predictions);
    program_destroy(program);
}

static void test_compiled_predictions(void **state)
{
    (void)state;
    struct diag diag = {0};
    char *text = read_source("tests/recon/compiled.ptx");
    struct ptx_module *module = ptx_parse("compiled.ptx", text, strlen(text), &diag);
    int kernels = 0;
    assert_non_null(module);
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++)
        assert_expected(module, &expectations[i]);
    for (int i = 0; i < module->function_count; i++)
        kernels += module->functions[i]->is_entry;
    assert_int_equal(kernels, sizeof expectations / sizeof *expectations);
    ptx_destroy(module);
    diag_free(&diag);
}

/* The module has what the kernel predicts, but in functions that the kernel does not call. */
static void test_label_of_another_function(void **state)
{
    (void)state;
    static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                               ".func other() { .pragma \"heddle.label L\"; ret; }\n"
                               ".func unused() { ret; }\n"
                               ".visible .entry k() { .reg .b32 %r<2>; .pragma \"heddle.predict L\"; mov.u32 %r0, 1;\n"
                               ".pragma \"heddle.predict unused\"; mov.u32 %r0, 1; ret; }\n";
    struct diag diag = {0};
    struct predictions predictions = {0};
    char *error = NULL;
    struct ptx_module *module = ptx_parse("k.ptx", text, strlen(text), &diag);
    assert_non_null(module);
    struct program *program = program_create(ptx_find_function(module, "k"), &error);
    assert_non_null(program);
    predict_from_pragmas(&predictions, program);
    assert_int_equal(predictions.unusable.count, 2);
    check("k", "the refusal", predictions.unusable.data[0].why,
          "the label stands in other, which the kernel does not call");
    check("k", "the refusal", predictions.unusable.data[1].why, "the module has the function unused");
    predictions_free(&predictions);
    program_destroy(program);
    ptx_destroy(module);
    diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compiled_predictions),
        cmocka_unit_test(test_label_of_another_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
