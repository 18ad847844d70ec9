/* The manual's titles and the instruction table: every row has a title, and every title has a row or a reason. */
#include "exec/code.h"
#include "oracle/oracle.h"
#include "ptx/manual.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int rows_of(int line)
{
    int rows = 0;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++)
        rows += manual_is_about(line, (enum op)op);
    return rows;
}

static bool is_about(const char *section, const char *title, enum op op)
{
    for (int line = 0; line < MANUAL_COUNT; line++)
        if (!strcmp(manual_table[line].title, title) && !strcmp(manual_table[line].section, section))
            return manual_is_about(line, op);
    fail_msg("there is no %s of %s", title, section);
    return false;
}

static void every_row_has_a_title(void **state)
{
    (void)state;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        bool found = false;
        for (int line = 0; line < MANUAL_COUNT && !found; line++)
            found = manual_is_about(line, (enum op)op);
        if (!found)
            fail_msg("no line of manual.def is about the row %s", op_table[op].id);
    }
}

static void every_title_has_a_row_or_a_reason(void **state)
{
    (void)state;
    int wrong = 0;
    for (int line = 0; line < MANUAL_COUNT; line++) {
        bool has_rows = rows_of(line) > 0, is_refused = *manual_table[line].refusal;
        if (has_rows == is_refused) {
            print_error("%s (%s): %s\n", manual_table[line].title, manual_table[line].section,
                        has_rows ? "has rows, and manual.def says that it is refused"
                                 : "has no row, and manual.def gives no reason");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void both_executors_have_every_row(void **state)
{
    (void)state;
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        if (!code_executes((enum op)op))
            fail_msg("the engine does not execute the row %s", op_table[op].id);
        if (!oracle_executes((enum op)op))
            fail_msg("the oracle does not execute the row %s", op_table[op].id);
    }
}

static void the_longest_title_that_always_fits_is_taken(void **state)
{
    (void)state;
    const char *sync = "Parallel synchronisation and communication", *movement = "Data movement and conversion";
    assert_true(is_about(sync, "vote.sync", OP_VOTE_SYNC));
    assert_false(is_about(sync, "vote", OP_VOTE_SYNC));
    assert_true(is_about(sync, "vote", OP_VOTE));
    assert_false(is_about(sync, "vote.sync", OP_VOTE));
    assert_true(is_about(movement, "ld", OP_LD));
    assert_true(is_about(movement, "ld.global.nc", OP_LD));
    assert_true(is_about(movement, "st.bulk", OP_ST_BULK));
    assert_false(is_about(movement, "st", OP_ST_BULK));
    assert_false(is_about(movement, "ld", OP_ST));
}

static void types_part_titles(void **state)
{
    (void)state;
    assert_true(is_about("Integer arithmetic", "add", OP_ADD));
    assert_false(is_about("Integer arithmetic", "add", OP_ADD_F32));
    assert_true(is_about("Floating point", "add", OP_ADD_F64));
    assert_false(is_about("Half precision", "add", OP_ADD_F64));
    assert_true(is_about("Extended-precision integer arithmetic", "add.cc", OP_ADD_CC));
    assert_false(is_about("Integer arithmetic", "add", OP_ADD_CC));
    assert_true(is_about("Floating point", "rcp.approx.ftz", OP_RCP_APPROX_F64));
    assert_false(is_about("Floating point", "rcp.approx.ftz", OP_RCP_APPROX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_title),
        cmocka_unit_test(every_title_has_a_row_or_a_reason),
        cmocka_unit_test(both_executors_have_every_row),
        cmocka_unit_test(the_longest_title_that_always_fits_is_taken),
        cmocka_unit_test(types_part_titles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
