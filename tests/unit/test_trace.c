/* Traces: what the window keeps, the picture of lanes by time, the list, and the JSON of a timeline. */
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct trace *open_trace(int sm, uint64_t first, uint64_t last, int capacity)
{
    return trace_create(
        &(struct trace_options){.sm = sm, .first_cycle = first, .last_cycle = last, .capacity = capacity});
}

static void issue(struct trace *t, uint64_t cycle, int sm, int strand, int pc, uint64_t slots, uint32_t cycles)
{
    uint32_t threads = (uint32_t)__builtin_popcountll(slots);
    trace_issue(t, &(struct trace_issue){cycle, sm, 0, strand, pc, slots, threads, cycles});
}

/* Two instructions a basic block; from PC 8 on the letters come again, with a number. */
static const char *block(void *context, int32_t pc)
{
    static const char *const names[] = {"A", "B", "C", "D", "A1", "B1"};
    (void)context;
    return names[pc / 2];
}

static void describe(void *context, int32_t pc, struct text *out)
{
    (void)context;
    text_printf(out, "label%d", pc);
}

static void print(void *context, int32_t pc, struct text *out)
{
    text_printf(out, "%s%d;", (const char *)context, pc);
}

static const struct trace_names names = {"op \"", block, describe, print, NULL};

static void expect_lanes(const struct trace *t, const struct trace_view *view, const char *expected)
{
    struct text out = {0};
    trace_print_lanes(t, view, &out);
    assert_string_equal(out.data, expected);
    text_free(&out);
}

/* if (lane 0) B else C; D: as the stack runs it. */
static struct trace *diamond(void)
{
    struct trace *t = open_trace(-1, 0, UINT64_MAX, 0);
    issue(t, 0, 0, 5, 0, 0xf, 1);
    issue(t, 1, 0, 5, 1, 0xf, 1);
    issue(t, 5, 0, 5, 2, 0x1, 2);
    issue(t, 8, 1, 6, 2, 0xf, 1);
    issue(t, 7, 0, 5, 4, 0xe, 1);
    issue(t, 11, 0, 5, 6, 0xf, 1);
    return t;
}

static void test_picture(void **state)
{
    (void)state;
    struct trace *t = diamond();
    struct trace_view view = {.sm = 0, .last_cycle = 100, .width = 4, .names = {NULL, block, NULL, NULL}};
    expect_lanes(t, &view,
                 "cycle       |0        |10\n"
                 "lane 0      AA   BB.   D\n"
                 "lanes 1-3   AA   ..C   D\n"
                 "\n"
                 "A   pc 0 to 1\n"
                 "B   pc 2\n"
                 "C   pc 4\n"
                 "D   pc 6\n");
    view.is_compressed = true;
    view.names.block = NULL;
    expect_lanes(t, &view,
                 "cycle       |0\n"
                 "lane 0      AB:CC.:G\n"
                 "lanes 1-3   AB:..E:G\n"
                 "\n"
                 "A   pc 0\n"
                 "B   pc 1\n"
                 "C   pc 2\n"
                 "E   pc 4\n"
                 "G   pc 6\n");
    trace_destroy(t);
}

static void test_picture_window(void **state)
{
    (void)state;
    struct trace *t = diamond();
    struct trace_view view = {
        .sm = 0, .first_cycle = 6, .last_cycle = 7, .width = 4, .columns = 13, .names = {NULL, block, NULL, NULL}};
    expect_lanes(t, &view,
                 "cycle       |6\n"
                 "lane 0      B\n"
                 "lanes 1-3   .\n"
                 "\n"
                 "cycle       |7\n"
                 "lane 0      .\n"
                 "lanes 1-3   C\n"
                 "\n"
                 "B   pc 2\n"
                 "C   pc 4\n");
    view.sm = 2;
    expect_lanes(t, &view, "nothing issued on multiprocessor 2 in these cycles\n");
    trace_destroy(t);
}

/* Blocks whose letters are the same have lines of their own in the legend. */
static void test_legend(void **state)
{
    (void)state;
    struct trace *t = open_trace(-1, 0, UINT64_MAX, 0);
    issue(t, 0, 0, 0, 0, 0x3, 1);
    issue(t, 1, 0, 0, 1, 0x3, 1);
    issue(t, 2, 0, 0, 8, 0x1, 1);
    struct trace_view view = {.last_cycle = 100, .width = 2, .names = {NULL, block, describe, NULL}};
    expect_lanes(t, &view,
                 "cycle       |0\n"
                 "lane 0      AAA\n"
                 "lane 1      AA.\n"
                 "\n"
                 "A   pc 0 to 1      label0\n"
                 "A1  pc 8           label8\n");
    view.columns = 24; /* descriptions are cut to the width */
    expect_lanes(t, &view,
                 "cycle       |0\n"
                 "lane 0      AAA\n"
                 "lane 1      AA.\n"
                 "\n"
                 "A   pc 0 to 1      la...\n"
                 "A1  pc 8           la...\n");
    trace_destroy(t);
}

/* On a terminal, blocks have colours by their number in the program; dots and blanks have none. Lanes in blocks of one
 * letter but two colours do not share a row. */
static void test_colours(void **state)
{
    (void)state;
    struct trace *t = open_trace(-1, 0, UINT64_MAX, 0);
    issue(t, 0, 0, 0, 0, 0x7, 1);
    issue(t, 1, 0, 0, 2, 0x1, 1);
    issue(t, 2, 0, 0, 0, 0x2, 1);
    issue(t, 2, 0, 1, 8, 0x4, 1);
    struct trace_view view = {.last_cycle = 100, .width = 3, .is_coloured = true, .names = {NULL, block, NULL, NULL}};
    expect_lanes(t, &view,
                 "cycle       |0\n"
                 "lane 0      \033[38;5;16;48;5;67mA\033[38;5;16;48;5;208mB\033[0m.\n"
                 "lane 1      \033[38;5;16;48;5;67mA\033[0m.\033[38;5;16;48;5;67mA\033[0m\n"
                 "lane 2      \033[38;5;16;48;5;67mA\033[0m.\033[38;5;16;48;5;139mA\033[0m\n"
                 "\n"
                 "\033[38;5;16;48;5;67mA\033[0m   pc 0\n"
                 "\033[38;5;16;48;5;208mB\033[0m   pc 2\n"
                 "\033[38;5;16;48;5;139mA1\033[0m  pc 8\n");
    view.is_coloured = false;
    expect_lanes(t, &view,
                 "cycle       |0\n"
                 "lane 0      AB.\n"
                 "lanes 1-2   A.A\n"
                 "\n"
                 "A   pc 0\n"
                 "B   pc 2\n"
                 "A1  pc 8\n");
    trace_destroy(t);
}

/* Two gangs of one port on disjoint slices share a band; a second port has its own. */
static void test_picture_ports(void **state)
{
    (void)state;
    struct trace *t = open_trace(0, 0, 100, 0);
    trace_issue(t, &(struct trace_issue){3, 0, 0, 1, 0, 0x1, 1, 1});
    trace_issue(t, &(struct trace_issue){3, 0, 0, 2, 2, 0x2, 1, 1});
    trace_issue(t, &(struct trace_issue){3, 0, 1, 3, 4, 0x3, 2, 1});
    struct trace_view view = {.first_cycle = 3, .last_cycle = 3, .width = 2, .names = {NULL, block, NULL, NULL}};
    expect_lanes(t, &view,
                 "cycle       |3\n"
                 "port 0\n"
                 "lane 0      A\n"
                 "lane 1      B\n"
                 "port 1\n"
                 "lanes 0-1   C\n"
                 "\n"
                 "A   pc 0\n"
                 "B   pc 2\n"
                 "C   pc 4\n");
    trace_destroy(t);
}

static void test_off(void **state)
{
    (void)state;
    issue(NULL, 0, 0, 0, 0, 1, 1);
    trace_state(NULL, 0, 0, 0, "x");
    trace_block_start(NULL, 0, 0, 0);
    trace_block_end(NULL, 0, 0, 0);
    trace_stall(NULL, 0, 1, 0, "x");
    assert_false(trace_wants(NULL, 0, 0));
}

static void test_window(void **state)
{
    (void)state;
    struct trace *t = open_trace(1, 10, 20, 4);
    assert_false(trace_wants(t, 9, 1));
    assert_true(trace_wants(t, 10, 1));
    assert_true(trace_wants(t, 20, 1));
    assert_false(trace_wants(t, 21, 1));
    assert_false(trace_wants(t, 10, 0));
    issue(t, 9, 1, 0, 0, 1, 1);
    issue(t, 15, 0, 0, 0, 1, 1);
    issue(t, 10, 1, 7, 1, 1, 1);
    trace_stall(t, 2, 10, 1, "memory"); /* over before the window */
    trace_stall(t, 2, 12, 1, "memory");
    trace_stall(t, 12, 14, 1, "memory"); /* goes on */
    trace_stall(t, 14, 15, 1, "barrier");
    trace_block_end(t, 20, 1, 77);
    trace_block_end(t, 20, 1, 78); /* one more than is kept */
    struct text out = {0};
    trace_print_list(t, &(struct trace_view){.sm = 1, .last_cycle = 20, .width = 4}, &out);
    assert_string_equal(out.data, "        10  issue  strand 7 pc 1 1000 (1)\n"
                                  "        10  stall  4 cycles: memory\n"
                                  "        14  stall  1 cycles: barrier\n"
                                  "        20  block  77 ends\n"
                                  "1 further events were not kept\n");
    text_free(&out);
    trace_destroy(t);
}

/* Multiprocessors run ahead of each other; the list is by cycle all the same. */
static void test_list(void **state)
{
    (void)state;
    struct trace *t = open_trace(-1, 0, UINT64_MAX, 0);
    char stack[] = "(G,1111)\n(F,0111)";
    issue(t, 9, 0, 2, 3, 0xe, 1);
    trace_state(t, 4, 0, 2, stack);
    stack[1] = 'X';
    trace_state(t, 5, 0, -1, "none");
    trace_block_start(t, 1, 0, 3);
    struct text out = {0};
    struct trace_view view = {.sm = 0, .last_cycle = 50, .width = 4, .names = names};
    trace_print_list(t, &view, &out);
    assert_string_equal(out.data, "         1  block  3 starts\n"
                                  "         4  state  strand 2\n"
                                  "              | (G,1111)\n"
                                  "              | (F,0111)\n"
                                  "         5  state\n"
                                  "              | none\n"
                                  "         9  issue  strand 2 pc 3 B 0111 (3) op \"3;\n");
    text_free(&out);
    trace_destroy(t);
}

/* Of a state only the paragraphs that changed are kept, and nothing if none did. */
static void test_state_changes(void **state)
{
    (void)state;
    struct trace *t = open_trace(-1, 2, UINT64_MAX, 0);
    trace_state(t, 1, 0, -1, "warp 0\n  A 11 -\n"); /* before the window */
    trace_state(t, 2, 0, -1, "warp 0\n  A 11 -\nwarp 1\n  A 11 -\n");
    assert_false(trace_state(t, 3, 0, -1, "warp 0\n  A 11 -\nwarp 1\n  A 11 -\n")); /* as it was */
    assert_true(trace_state(t, 4, 0, -1, "warp 0\n  A 11 -\nwarp 1\n  C 11 -\n  B 10 C\n"));
    trace_state(t, 5, 1, -1, "warp 0\n  A 11 -\n"); /* of another multiprocessor */
    trace_state(t, 6, 0, -1, "warp 0\n  A 11 -\nwarp 1\n  C 11 -\n");
    trace_state(t, 7, 0, -1, "warp 0\n  A 11 -\n");
    struct text out = {0};
    trace_print_list(t, &(struct trace_view){.last_cycle = 50, .width = 2}, &out);
    assert_string_equal(out.data, "         2  state\n"
                                  "              | warp 0\n"
                                  "              |   A 11 -\n"
                                  "              | warp 1\n"
                                  "              |   A 11 -\n"
                                  "         4  state\n"
                                  "              | warp 1\n"
                                  "              |   C 11 -\n"
                                  "              |   B 10 C\n"
                                  "         6  state\n"
                                  "              | warp 1\n"
                                  "              |   C 11 -\n");
    text_free(&out);
    trace_destroy(t);
}

/* Behind the limit of states nothing is kept: issues without the state that belongs to them would mislead. */
static void test_state_limit(void **state)
{
    (void)state;
    struct trace_options options = {.sm = -1, .last_cycle = UINT64_MAX, .state_bytes = 20};
    struct trace *t = trace_create(&options);
    trace_state(t, 1, 0, -1, "warp 0\n  A 11 -\n");
    assert_true(trace_wants(t, 2, 0)); /* 16 bytes so far */
    trace_state(t, 2, 0, -1, "warp 0\n  B 10 -\n");
    assert_false(trace_wants(t, 3, 0));
    trace_issue(t, &(struct trace_issue){.cycle = 3, .threads = 1, .slots = 1, .cycles = 1});
    struct text out = {0};
    trace_print_list(t, &(struct trace_view){.last_cycle = 50, .width = 2}, &out);
    assert_non_null(strstr(out.data, "B 10 -"));
    assert_null(strstr(out.data, "run"));
    text_free(&out);
    trace_destroy(t);
}

/* A machine's clock goes on from launch to launch; each trace starts at 0. */
static void test_origin(void **state)
{
    (void)state;
    struct trace *t = open_trace(-1, 2, 9, 0);
    trace_set_origin(t, 1000);
    assert_false(trace_wants(t, 1001, 0));
    assert_true(trace_wants(t, 1002, 0));
    issue(t, 1003, 0, 1, 2, 0x3, 2);
    trace_state(t, 1004, 0, -1, "x");
    trace_stall(t, 1000, 1005, 0, "memory");
    trace_block_end(t, 1009, 0, 7);
    trace_block_end(t, 1010, 0, 8);
    struct text out = {0};
    trace_print_list(t, &(struct trace_view){.last_cycle = 50, .width = 2}, &out);
    assert_string_equal(out.data, "         2  stall  3 cycles: memory\n"
                                  "         3  issue  strand 1 pc 2 11 (2)\n"
                                  "         4  state\n"
                                  "              | x\n"
                                  "         9  block  7 ends\n");
    text_free(&out);
    trace_print_json(t, &names, 4, &out);
    assert_non_null(strstr(out.data, "\"ts\":3,\"dur\":2,\"name\":\"op"));
    text_free(&out);
    trace_destroy(t);
    trace_set_origin(NULL, 1);
}

/* A strand that goes straight through a block is one line; a loop over one block begins again. */
static void test_merged(void **state)
{
    (void)state;
    struct trace *t = open_trace(-1, 0, UINT64_MAX, 0);
    issue(t, 0, 0, 1, 2, 0x3, 1);
    issue(t, 1, 0, 2, 2, 0x3, 1); /* another strand */
    issue(t, 2, 0, 1, 3, 0x3, 1);
    issue(t, 3, 0, 1, 2, 0x3, 1); /* round again */
    issue(t, 4, 0, 1, 3, 0x1, 1); /* with fewer threads */
    trace_stall(t, 5, 6, 0, "memory");
    issue(t, 6, 0, 1, 4, 0x1, 1);
    struct text out = {0};
    struct trace_view view = {.last_cycle = 50, .width = 2, .is_merged = true, .names = names};
    trace_print_list(t, &view, &out);
    assert_string_equal(out.data, "         0  run    B 11  strand 1\n"
                                  "         1  run    B 11  strand 2\n"
                                  "         3  run    B 11  strand 1\n"
                                  "         4  run    B 10  strand 1\n"
                                  "         6  run    C 10  strand 1\n");
    text_free(&out);
    trace_destroy(t);
}

static void test_json(void **state)
{
    (void)state;
    struct trace *t = open_trace(-1, 0, UINT64_MAX, 0);
    issue(t, 9, 0, 2, 3, 0xe, 4);
    issue(t, 10, 0, 2, 3, 0xe, 4);
    trace_state(t, 11, 1, -1, "a\n\"b\"");
    trace_stall(t, 13, 20, 0, "memory");
    trace_block_start(t, 1, 0, 3);
    struct text out = {0};
    trace_print_json(t, &names, 4, &out);
    static const char *const parts[] = {
        /* the strand's next issue cuts the first one's slice; a loop over one block begins a new slice of the block */
        "{\"ph\":\"X\",\"pid\":0,\"tid\":2,\"ts\":9,\"dur\":1,\"name\":\"op \\\"3;\","
        "\"args\":{\"pc\":3,\"block\":\"B\",\"slots\":\"0xe\",\"threads\":3,\"port\":0,\"cycles\":4}}",
        "{\"ph\":\"X\",\"pid\":0,\"tid\":2,\"ts\":9,\"dur\":1,\"cat\":\"basic block\","
        "\"cname\":\"thread_state_runnable\",\"name\":\"B .###\","
        "\"args\":{\"block\":\"B\",\"lanes\":\"0111\",\"threads\":3,\"instructions\":1}}",
        "{\"ph\":\"X\",\"pid\":0,\"tid\":2,\"ts\":10,\"dur\":4,\"name\":\"op \\\"3;\",",
        "{\"ph\":\"i\",\"pid\":1,\"tid\":1000001,\"ts\":11,\"s\":\"t\",\"name\":\"state\","
        "\"args\":{\"state\":\"a\\u000a\\\"b\\\"\"}}",
        "{\"ph\":\"X\",\"pid\":0,\"tid\":1000000,\"ts\":13,\"dur\":7,\"name\":\"memory\"}",
        "{\"ph\":\"b\",\"pid\":0,\"tid\":0,\"ts\":1,\"cat\":\"block\",\"id\":3,\"name\":\"block 3\"}",
        "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"multiprocessor "
        "1\"}}",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strstr(out.data, parts[i]))
            fail_msg("missing: %s\nin: %s", parts[i], out.data);
    const char *named = strstr(out.data, "\"args\":{\"name\":\"strand 2\"}");
    assert_non_null(named);
    assert_null(strstr(named + 1, "\"args\":{\"name\":\"strand 2\"}"));
    assert_non_null(strstr(out.data, "}\n]}\n"));
    text_free(&out);
    trace_destroy(t);
}

/* Counters: an interval of one cycle while the trace is short; longer ones for a longer trace. */
static void test_counters(void **state)
{
    (void)state;
    struct trace *t = open_trace(-1, 0, UINT64_MAX, 0);
    struct text out = {0};
    issue(t, 2, 0, 0, 2, 0x3, 1);
    issue(t, 2, 0, 1, 2, 0x1, 1);
    issue(t, 5, 0, 0, 3, 0x3, 1);
    trace_misses(t, 3, 0, 2);
    trace_misses(t, 4, 0, 2); /* no change */
    trace_misses(t, 5, 0, 0);
    trace_print_json(t, &names, 4, &out);
    static const char *const parts[] = {
        "\"ts\":2,\"name\":\"IPC\",\"args\":{\"warp instructions per cycle\":2}}",
        "\"ts\":2,\"name\":\"active lanes\",\"args\":{\"threads per cycle\":3}}",
        "\"ts\":3,\"name\":\"IPC\",\"args\":{\"warp instructions per cycle\":0}}",
        "\"ts\":3,\"name\":\"outstanding misses\",\"args\":{\"lines\":2}}",
        "\"ts\":5,\"name\":\"outstanding misses\",\"args\":{\"lines\":0}}",
        "\"ts\":6,\"name\":\"IPC\",\"args\":{\"warp instructions per cycle\":0}}",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strstr(out.data, parts[i]))
            fail_msg("missing: %s\nin: %s", parts[i], out.data);
    assert_null(strstr(out.data, "\"ts\":4,\"name\":\"outstanding"));
    text_free(&out);
    issue(t, 2001, 0, 0, 2, 0x3, 1); /* 2000 cycles in all: intervals of two */
    trace_print_json(t, &names, 4, &out);
    assert_non_null(strstr(out.data, "one value for every 2 cycles"));
    assert_non_null(strstr(out.data, "\"ts\":2,\"name\":\"IPC\",\"args\":{\"warp instructions per cycle\":1}}"));
    assert_non_null(strstr(out.data, "\"ts\":2,\"name\":\"outstanding misses\",\"args\":{\"lines\":1}}"));
    issue(t, 2002, 0, 0, 2, 0x3, 1);
    text_free(&out);
    trace_print_json(t, &names, 4, &out);
    assert_non_null(strstr(out.data, "one value for every 5 cycles"));
    text_free(&out);
    trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture),       cmocka_unit_test(test_picture_window),
        cmocka_unit_test(test_picture_ports), cmocka_unit_test(test_off),
        cmocka_unit_test(test_window),        cmocka_unit_test(test_list),
        cmocka_unit_test(test_json),          cmocka_unit_test(test_counters),
        cmocka_unit_test(test_legend),        cmocka_unit_test(test_state_changes),
        cmocka_unit_test(test_state_limit),   cmocka_unit_test(test_merged),
        cmocka_unit_test(test_origin),        cmocka_unit_test(test_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
