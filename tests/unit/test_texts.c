/* Texts for people: what lists and helps say of every knob, counter, formula, option, mechanism, scheduler and word
 * begins with a capital, ends with a full stop, and can be printed on one line. */
#include "cli/cli.h"
#include "cli/words.h"
#include "div/table.h"
#include "gpu/machine.h"
#include "mem/mem.h"
#include "mem/stats.h"
#include "report/energy.h"
#include "report/formulas.h"
#include "run/options.h"
#include "sched/sched.h"
#include "sm/stats.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Why a text is no sentence; NULL: it is one. */
static const char *fault_of(const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (!length)
        return "is missing";
    if (!isupper((unsigned char)text[0]))
        return "does not begin with a capital";
    if (text[length - 1] != '.')
        return "does not end with a full stop";
    if (length > 1 && text[length - 2] == '.')
        return "ends with two full stops";
    if (strchr(text, '\n') || strstr(text, "  "))
        return "has a line break or two blanks";
    return NULL;
}

static void expect_sentence(const char *owner, const char *name, const char *text)
{
    const char *fault = fault_of(text);
    if (fault)
        fail_msg("the text of %s%s%s %s: '%s'", owner, *owner ? "." : "", name, fault, text ? text : "");
}

static void test_what_a_sentence_is(void **state)
{
    (void)state;
    assert_null(fault_of("Latency of an integer divide, in cycles."));
    assert_non_null(fault_of(NULL));
    assert_non_null(fault_of(""));
    assert_non_null(fault_of("latency of an integer divide, in cycles."));
    assert_non_null(fault_of("Latency of an integer divide, in cycles"));
    assert_non_null(fault_of("Latency of an integer divide, in cycles.."));
    assert_non_null(fault_of("Latency of an integer  divide, in cycles."));
}

static void expect_knobs(const struct knob_table *table)
{
    assert_true(table->count > 0);
    for (int i = 0; i < table->count; i++)
        expect_sentence(table->section, table->knobs[i].name, table->knobs[i].meaning);
}

static void test_knobs(void **state)
{
    (void)state;
    expect_knobs(&gpu_knobs);
    expect_knobs(&sm_knobs);
    expect_knobs(&mem_knobs);
    for (const struct div_ops *const *d = div_all(); *d; d++)
        if ((*d)->knobs)
            expect_knobs((*d)->knobs);
}

static void expect_counters(const struct stat_owner *owner)
{
    for (int i = 0; i < owner->count; i++)
        expect_sentence(owner->name, owner->counters[i].name, owner->counters[i].meaning);
}

static void test_counters(void **state)
{
    (void)state;
    expect_counters(&sm_stat_owner);
    expect_counters(&gpu_peak_owner);
    expect_counters(&energy_owner);
    expect_counters(&mem_crossbar_owner);
    expect_counters(&mem_l2_owner);
    expect_counters(&mem_dram_owner);
    for (int i = 0; i < PORT_COUNT; i++)
        expect_counters(&mem_port_owner[i]);
    for (const struct div_ops *const *d = div_all(); *d; d++)
        if ((*d)->stats)
            expect_counters((*d)->stats);
}

static void expect_formulas(const struct stat_formula *formulas, int count)
{
    assert_true(count > 0);
    for (int i = 0; i < count; i++)
        expect_sentence("", formulas[i].name, formulas[i].meaning);
}

static void test_formulas(void **state)
{
    (void)state;
    expect_formulas(gpu_formulas, gpu_formula_count);
    expect_formulas(gpu_names_gpgpusim, gpu_names_gpgpusim_count);
    expect_formulas(gpu_names_nsight, gpu_names_nsight_count);
}

static void test_options(void **state)
{
    (void)state;
    struct options_about about;
    for (int i = 0; options_describe(i, &about); i++)
        expect_sentence("run", about.name, about.meaning);
    for (const struct command *const *c = command_table; *c; c++) {
        expect_sentence((*c)->name, "description", (*c)->description);
        for (const struct cli_option *o = (*c)->options; o->name; o++)
            expect_sentence((*c)->name, o->name, o->meaning);
        if ((*c)->fault_meaning)
            expect_sentence((*c)->name, "exit status 3", (*c)->fault_meaning);
    }
}

static void test_policies(void **state)
{
    (void)state;
    for (const struct div_ops *const *d = div_all(); *d; d++)
        expect_sentence("mechanism", (*d)->name, (*d)->summary);
    for (const struct div_ops *const *d = div_all(); *d; d++) { /* the scheduler of its paper is one that there is */
        const char *scheduler = div_paper_scheduler(*d);
        bool is_known = !*scheduler;
        for (const struct sched_ops *const *s = sched_all(); *s; s++)
            is_known |= !strcmp((*s)->name, scheduler);
        if (!is_known)
            fail_msg("%s: there is no scheduler %s", (*d)->name, scheduler);
    }
    for (const struct sched_ops *const *s = sched_all(); *s; s++)
        expect_sentence("scheduler", (*s)->name, (*s)->summary);
}

static void test_words(void **state)
{
    (void)state;
    for (const struct word *w = word_table; w->name; w++) {
        expect_sentence("glossary", w->name, w->meaning);
        if (*w->elsewhere)
            expect_sentence("glossary", w->name, w->elsewhere);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_sentence_is),
        cmocka_unit_test(test_knobs),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
