/* The table of what compaction gains and costs per branch: sums that fade, and accounts that are replaced. */
#include "div/parts/branch_profit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void a_sum_forgets_what_is_long_ago(void **state)
{
    (void)state;
    struct faded f = {0};
    assert_true(faded_mean(&f) == 0);
    for (int i = 0; i < 200; i++)
        faded_add(&f, 1000, 1);
    assert_true(faded_mean(&f) == 1000);
    assert_true(f.count < 32);
    for (int i = 0; i < 200; i++)
        faded_add(&f, -8, 1);
    assert_true(faded_mean(&f) < -7 && faded_mean(&f) > -9);
}

static void several_terms_at_once_weigh_as_many(void **state)
{
    (void)state;
    struct faded f = {0};
    faded_add(&f, 60, 3);
    faded_add(&f, 0, 1);
    assert_true(faded_mean(&f) == 15);
}

static void a_table_of_size_0_holds_every_branch(void **state)
{
    (void)state;
    struct branch_profit l;
    branch_profit_init(&l, 0, 4, 5);
    for (int32_t branch = 0; branch < 5; branch++)
        branch_profit_open(&l, branch)->pause = (uint32_t)branch;
    for (int32_t branch = 0; branch < 5; branch++)
        assert_int_equal(branch_profit_find(&l, branch)->pause, branch);
    assert_int_equal(l.misses, 5);
    assert_int_equal(l.evictions, 0);
    branch_profit_check(&l);
    branch_profit_free(&l);
}

/* Two sets of two: branches 0, 2 and 4 share one. */
static void the_branch_that_was_used_longest_ago_goes(void **state)
{
    (void)state;
    struct branch_profit l;
    branch_profit_init(&l, 4, 2, 8);
    branch_profit_open(&l, 0)->pause = 7;
    branch_profit_open(&l, 1);
    branch_profit_open(&l, 2);
    branch_profit_open(&l, 0);
    branch_profit_open(&l, 4);
    assert_null(branch_profit_find(&l, 2));
    assert_int_equal(branch_profit_find(&l, 0)->pause, 7);
    assert_non_null(branch_profit_find(&l, 1));
    assert_int_equal(branch_profit_open(&l, 2)->pause, 0);
    assert_null(branch_profit_find(&l, 0));
    assert_int_equal(l.hits, 1);
    assert_int_equal(l.misses, 5);
    assert_int_equal(l.evictions, 2);
    branch_profit_check(&l);
    branch_profit_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_forgets_what_is_long_ago),
        cmocka_unit_test(several_terms_at_once_weigh_as_many),
        cmocka_unit_test(a_table_of_size_0_holds_every_branch),
        cmocka_unit_test(the_branch_that_was_used_longest_ago_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
