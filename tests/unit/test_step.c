/* Commands of heddle step as texts, goals in the journal of issues, and registers by name. */
#include "flow/registers.h"
#include "ptx/parse.h"
#include "step/command.h"
#include "step/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct step_command read_well(const char *line)
{
    struct step_command c;
    char *error = NULL;
    assert_true(step_read_command(line, &c, &error));
    assert_null(error);
    return c;
}

static void expect_wrong(const char *line, const char *why)
{
    struct step_command c;
    char *error = NULL;
    assert_false(step_read_command(line, &c, &error));
    if (!strstr(error, why))
        fail_msg("'%s' gives '%s', without '%s'", line, error, why);
    free(error);
}

static void reads_words_letters_and_beginnings(void **state)
{
    (void)state;
    assert_int_equal(read_well("step").verb, STEP_STEP);
    assert_int_equal(read_well(" s \n").verb, STEP_STEP);
    assert_int_equal(read_well("div").verb, STEP_DIVERGE);
    assert_int_equal(read_well("b").verb, STEP_BACK);
    assert_int_equal(read_well("r").verb, STEP_RUN);
    assert_int_equal(read_well("q\r\n").verb, STEP_QUIT);
    assert_int_equal(read_well("").verb, STEP_REPEAT);
    assert_int_equal(read_well("  \n").verb, STEP_REPEAT);
    assert_int_equal(read_well("# step").verb, STEP_NOTHING);
    expect_wrong("re", "'re' may be restart or regs");
    expect_wrong("stpe", "did you mean step?");
    expect_wrong("frobnicate", "there is no command 'frobnicate'; help lists them");
}

static void reads_arguments(void **state)
{
    (void)state;
    assert_int_equal(read_well("step").number, 1);
    assert_int_equal(read_well("step 12").number, 12);
    assert_int_equal(read_well("goto 7").number, 7);
    struct step_command c = read_well("line kernel.cu:12");
    assert_int_equal(c.number, 12);
    assert_string_equal(c.word, "kernel.cu");
    c = read_well("line 9");
    assert_int_equal(c.number, 9);
    assert_string_equal(c.word, "");
    assert_string_equal(read_well("print %r5").word, "%r5");
    assert_false(read_well("warp").has_number);
    assert_false(read_well("warp all").has_number);
    assert_int_equal(read_well("warp 3").number, 3);
    assert_true(read_well("regs 0").has_number);
    expect_wrong("step 0", "step takes [N], not '0'");
    expect_wrong("step x", "step takes [N], not 'x'");
    expect_wrong("step 1 2", "step takes [N], not '1 2'");
    expect_wrong("goto", "goto takes N, not ''");
    expect_wrong("goto -1", "not '-1'");
    expect_wrong("goto 99999999999999999999", "goto takes N");
    expect_wrong("line :4", "line takes [FILE:]N");
    expect_wrong("line 0", "line takes");
    expect_wrong("diverge 2", "diverge takes no argument, not '2'");
    expect_wrong("print", "print takes REG");
}

static void reads_goals_behind_back(void **state)
{
    (void)state;
    struct step_command c = read_well("back 3");
    assert_int_equal(c.verb, STEP_BACK);
    assert_int_equal(c.number, 3);
    c = read_well("back d");
    assert_int_equal(c.verb, STEP_DIVERGE);
    assert_true(c.is_back);
    c = read_well("b line a.cu:4");
    assert_int_equal(c.verb, STEP_LINE);
    assert_true(c.is_back);
    assert_int_equal(c.number, 4);
    assert_false(read_well("line 4").is_back);
    expect_wrong("back run", "back takes a number or a goal");
    expect_wrong("back 0", "back takes [N], not '0'");
    expect_wrong("back nowhere", "there is no command 'nowhere'");
}

static uint64_t find(const struct journal *j, struct journal_goal goal, uint64_t from)
{
    return journal_find(j, &goal, from);
}

static uint64_t find_back(const struct journal *j, struct journal_goal goal, uint64_t from)
{
    return journal_find_back(j, &goal, from);
}

static void finds_goals_in_both_directions(void **state)
{
    (void)state;
    static const struct journal_entry entries[] = {
        {1, 1, 0, 0}, {2, 2, 0, 0}, {4, 1, 1, JOURNAL_DIVERGED}, {6, 3, 5, JOURNAL_MET}, {9, 2, 1, JOURNAL_DIVERGED},
    };
    struct journal j = {0};
    for (int i = 0; i < 5; i++)
        vec_push(&j.issues, entries[i]);
    const bool pcs[] = {false, true, false, false, false, true};
    assert_int_equal(find(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 1}, 0), 1);
    assert_int_equal(find(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 3}, 2), 5);
    assert_int_equal(find(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 1}, 5), 0);
    assert_int_equal(find(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 1, .flags = JOURNAL_DIVERGED}, 0), 3);
    assert_int_equal(find(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 1, .flags = JOURNAL_DIVERGED}, 3), 5);
    assert_int_equal(find(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 1, .least_cycle = 5}, 0), 4);
    assert_int_equal(find(&j, (struct journal_goal){.warps = 2, .count = 2}, 0), 4);
    assert_int_equal(find(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 2, .pcs = pcs}, 0), 4);
    assert_int_equal(find_back(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 1}, 6), 5);
    assert_int_equal(find_back(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 1}, 100), 5);
    assert_int_equal(
        find_back(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 1, .flags = JOURNAL_DIVERGED}, 5), 3);
    assert_int_equal(find_back(&j, (struct journal_goal){.warps = 2, .count = 1}, 4), 2);
    assert_int_equal(find_back(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 1}, 1), 0);
    assert_int_equal(find_back(&j, (struct journal_goal){.warps = UINT64_MAX, .count = 1}, 0), 0);
    struct journal_goal far = {.warps = UINT64_MAX, .count = 9};
    assert_int_equal(journal_find(&j, &far, 0), 0);
    assert_int_equal(far.count, 4); /* what is left for the run to come */
    vec_free(&j.issues);
}

/* Names of a list of registers, with blanks between them. */
static const char *names(const struct named_register *list, int count, char buffer[200])
{
    buffer[0] = '\0';
    for (int i = 0; i < count; i++) {
        strcat(buffer, i ? " " : "");
        strcat(buffer, list[i].name);
    }
    return buffer;
}

static void names_registers_that_hold_values(void **state)
{
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                               ".reg .pred %q; .reg .b32 %a, %b, %c; .reg .b64 %d;\n"
                               "ld.param.u64 %d, [p];\n"    /* 0 */
                               "mov.u32 %a, %tid.x;\n"      /* 1 */
                               "LOOP: add.u32 %b, %a, 1;\n" /* 2 */
                               "setp.lt.u32 %q, %b, 9;\n"   /* 3 */
                               "@%q mov.u32 %c, %b;\n"      /* 4: a guarded write keeps what %c was */
                               "mov.u32 %a, %b;\n"          /* 5 */
                               "@%q bra LOOP;\n"            /* 6 */
                               "st.global.u32 [%d], %c;\n"  /* 7 */
                               "ret;\n}\n";
    static const char *const live[] = {"%c",          "%c %d",       "%a %c %d", "%b %c %d", "%q %b %c %d",
                                       "%q %b %c %d", "%q %a %c %d", "%c %d",    ""};
    static const char *const written[] = {"%d", "%a", "%b", "%q", "%c", "%a", "", "", ""};
    (void)state;
    struct diag diag = {0};
    char buffer[200];
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), &diag);
    diag_free(&diag);
    assert_non_null(m);
    struct registers *r = registers_create(m->functions[0]);
    for (int pc = 0; pc < 9; pc++) {
        int count;
        const struct named_register *list = registers_live(r, pc, &count);
        assert_string_equal(names(list, count, buffer), live[pc]);
        list = registers_written(r, pc, &count);
        assert_string_equal(names(list, count, buffer), written[pc]);
    }
    registers_destroy(r);
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_words_letters_and_beginnings),
        cmocka_unit_test(reads_arguments),
        cmocka_unit_test(reads_goals_behind_back),
        cmocka_unit_test(finds_goals_in_both_directions),
        cmocka_unit_test(names_registers_that_hold_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
