/* Statistics: sums and differences, lookup by path, and the three printers. */
#include "stat/stat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct core {
    uint64_t cycles, depth;
    uint32_t not_a_counter;
};

static const struct stat_counter core_counters[] = {
    {"cycles", "cycles", "core cycles, idle ones \"included\"", offsetof(struct core, cycles), STAT_SUM},
    {"max_depth", "entries", "deepest stack of any warp on any multiprocessor since the kernel began to run",
     offsetof(struct core, depth), STAT_MAX},
};
static const struct stat_owner core_owner = {"sm", core_counters, 2, sizeof(struct core)};
static const struct stat_owner other_owner = {"sm0", core_counters, 1, sizeof(struct core)};

static double per_depth(const struct stat_result *result)
{
    bool found;
    return (double)stat_get(result, "sm.cycles", &found) / (double)stat_get(result, "sm.max_depth", &found);
}

static double total(const struct stat_result *result)
{
    return (double)stat_get(result, "sm.cycles", NULL);
}

static double none(const struct stat_result *result)
{
    (void)result;
    return 0.0 / (double)stat_get(result, "sm.absent", NULL);
}

static const struct stat_formula formulas[] = {
    {"gpu_tot_sim_cycle", "cycles", "", total},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", "threads", "a long name", per_depth},
    {"undefined", "", "no value", none},
};

static void test_add(void **state)
{
    (void)state;
    struct core a = {10, 3, 7}, b = {5, 9, 8};
    stat_add(&core_owner, &a, &b);
    assert_int_equal(a.cycles, 15);
    assert_int_equal(a.depth, 9);
    assert_int_equal(a.not_a_counter, 7);
    stat_add(&core_owner, &b, &a);
    assert_int_equal(b.depth, 9);
}

static void test_difference(void **state)
{
    (void)state;
    struct core before = {10, 3, 0}, now = {25, 4, 0}, phase = {0};
    stat_difference(&core_owner, &phase, &now, &before);
    assert_int_equal(phase.cycles, 15);
    assert_int_equal(phase.depth, 4);
}

static void test_get(void **state)
{
    (void)state;
    struct core first = {1, 2, 0}, second = {3, 4, 0};
    struct stat_value parts[] = {{&other_owner, &first}, {&core_owner, &second}};
    struct stat_result result = {parts, 2};
    bool found = false;
    assert_int_equal(stat_get(&result, "sm.cycles", &found), 3);
    assert_true(found);
    assert_int_equal(stat_get(&result, "sm0.cycles", &found), 1);
    assert_true(found);
    static const char *const absent[] = {"sm0.max_depth", "sm.cycle", "sm", "cycles", "sm.", ""};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        found = true;
        assert_int_equal(stat_get(&result, absent[i], &found), 0);
        assert_false(found);
    }
}

static struct stat_value part;
static struct stat_result one_result(const struct core *core)
{
    part = (struct stat_value){&core_owner, core};
    return (struct stat_result){&part, 1};
}

static void test_text(void **state)
{
    (void)state;
    struct core core = {12345678901, 2, 0};
    struct stat_result result = one_result(&core);
    struct text out = {0};
    stat_print_text(&result, formulas, 3, &out);
    int column = 0;
    for (const char *p = out.data; *p; p++) {
        if (*p == '\n' && p > out.data)
            assert_int_not_equal(p[-1], ' ');
        column = *p == '\n' ? 0 : column + 1;
        assert_true(column <= 100);
    }
    assert_non_null(
        strstr(out.data, "\nsm.cycles                             12345678901 cycles       core cycles,"));
    assert_non_null(strstr(out.data, "gpu_tot_sim_cycle                     12345678901 cycles\n"));
    assert_non_null(strstr(out.data, "_per_inst_executed.ratio  6172839450.50 threads\n      "));
    assert_non_null(
        strstr(out.data, "undefined                                       -              no value\n"));
    assert_non_null(strstr(out.data, "began\n"));
    text_free(&out);
}

static void test_json(void **state)
{
    (void)state;
    struct core core = {7, 2, 0};
    struct stat_result result = one_result(&core);
    struct text out = {0};
    stat_print_json(&result, formulas, 3, &out);
    assert_string_equal(out.data,
                        "\"sm\":{\"cycles\":7,\"max_depth\":2},\"derived\":{\"gpu_tot_sim_cycle\":7,"
                        "\"smsp__thread_inst_executed_per_inst_executed.ratio\":3.5,"
                        "\"undefined\":null}");
    text_free(&out);
}

static void test_csv(void **state)
{
    (void)state;
    struct core core = {1, 3, 0};
    struct stat_result result = one_result(&core);
    struct text out = {0};
    stat_print_csv(&result, formulas, 3, &out);
    assert_string_equal(
        out.data,
        "name,value,unit,meaning\n"
        "gpu_tot_sim_cycle,1,cycles,\n"
        "smsp__thread_inst_executed_per_inst_executed.ratio,0.3333333333333333,threads,a long name\n"
        "undefined,,,no value\n"
        "sm.cycles,1,cycles,\"core cycles, idle ones \"\"included\"\"\"\n"
        "sm.max_depth,3,entries,deepest stack of any warp on any multiprocessor since the kernel "
        "began to run\n");
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),  cmocka_unit_test(test_difference), cmocka_unit_test(test_get),
        cmocka_unit_test(test_text), cmocka_unit_test(test_json),       cmocka_unit_test(test_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
