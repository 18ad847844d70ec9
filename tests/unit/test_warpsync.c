/*
 * A program that relies on warps executing in lock-step: persistent threads whose thread 0 takes tasks for its warp
 * (tests/warpsync). Right where the mechanism keeps warps together, wrong where it regroups threads freely, as Fung and
 * Aamodt report of NVRT (HPCA 2011, section 2.4); and the race check names the two lines at fault either way.
 */
#include "div/table.h"
#include "exec/code.h"
#include "exec/race/race.h"
#include "gpu/gpu.h"
#include "ptx/parse.h"
#include "source_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TASKS = 640, BLOCKS = 2, THREADS = 64 };

struct queue {
    struct ptx_module *module;
    struct memory *memory;
    struct image *image;
    struct code *code;
    struct race *race;
    struct {
        uint64_t next;
        uint32_t count;
        uint64_t runs, out;
    } parameters;
    struct launch launch;
};

static void queue_open(struct queue *q, const char *kernel)
{
    char *error = NULL;
    struct diag diag = {0};
    memset(q, 0, sizeof *q);
    const char *text = read_source("tests/warpsync/persistent.ptx");
    q->module = ptx_parse("persistent.ptx", text, strlen(text), &diag);
    assert_non_null(q->module);
    diag_free(&diag);
    q->memory = memory_create(UINT64_C(1) << 30);
    q->image = image_load(q->module, q->memory, &error);
    assert_non_null(q->image);
    q->code = code_create(ptx_find_function(q->module, kernel), q->image, &error);
    assert_non_null(q->code);
    q->race = race_create();
    q->parameters.next = memory_alloc(q->memory, 4, "next");
    q->parameters.count = TASKS;
    q->parameters.runs = memory_alloc(q->memory, 4 * TASKS, "runs");
    q->parameters.out = memory_alloc(q->memory, 4 * TASKS, "out");
    q->launch = (struct launch){.kernel = ptx_find_function(q->module, kernel),
                                .image = q->image,
                                .grid = {BLOCKS, 1, 1},
                                .block = {THREADS, 1, 1},
                                .parameters = &q->parameters,
                                .parameter_bytes = sizeof q->parameters,
                                .instruction_limit = 10000000,
                                .race = q->race};
}

static void queue_close(struct queue *q)
{
    race_destroy(q->race);
    code_destroy(q->code);
    image_unload(q->image);
    memory_destroy(q->memory);
    ptx_destroy(q->module);
}

/* `setting`: of the mechanism, as name and value; NULL: none. */
static void queue_run(struct queue *q, const char *machine, const struct div_ops *mechanism, const char *const *setting)
{
    char report[2048], *error = NULL;
    uint64_t knobs[64] = {0};
    struct machine *m = machine_load(machine, &error);
    struct gpu_result result;
    assert_non_null(m);
    if (mechanism->knobs)
        knob_defaults(mechanism->knobs, knobs);
    if (setting && !knob_set(mechanism->knobs, knobs, setting[0], setting[1], &error))
        fail_msg("%s", error);
    struct gpu_run run = {.machine = m, .mechanism = mechanism, .mechanism_knobs = knobs};
    gpu_launch(&run, &q->launch, q->code, &result);
    if (result.launch.fault.kind)
        fail_msg("under %s: %s", mechanism->name, fault_describe(&result.launch.fault, report, sizeof report));
    gpu_result_free(&result);
    machine_free(m);
}

static uint32_t work(uint32_t n)
{
    uint32_t steps = 0;
    for (; n > 1 && steps < 1000; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

/* Tasks that were not done exactly once, or whose result is wrong. */
static int queue_mistakes(struct queue *q)
{
    const uint32_t *runs = memory_host(q->memory, q->parameters.runs, 4 * TASKS);
    const uint32_t *out = memory_host(q->memory, q->parameters.out, 4 * TASKS);
    int mistakes = 0;
    for (uint32_t i = 0; i < TASKS; i++)
        mistakes += runs[i] != 1 || out[i] != work(i);
    return mistakes;
}

static const struct div_ops *mechanism_named(const char *name)
{
    const struct div_ops *m = div_find(name);
    if (!m)
        fail_msg("there is no mechanism %s", name);
    return m;
}

static int mistakes_under(const char *machine, const char *mechanism, const char *const *setting)
{
    struct queue q;
    queue_open(&q, "persistent");
    queue_run(&q, machine, mechanism_named(mechanism), setting);
    int mistakes = queue_mistakes(&q);
    queue_close(&q);
    return mistakes;
}

static const char *const machines[] = {"fermi", "fx5800", "volta"}; /* all with warps of 32 */
enum { MACHINES = sizeof machines / sizeof machines[0] };

static void test_right_in_step(void **state)
{
    (void)state;
    static const char *const uncompacted[] = {"compaction", "no"};
    for (int i = 0; i < MACHINES; i++) {
        assert_int_equal(mistakes_under(machines[i], "pdom", NULL), 0);
        assert_int_equal(mistakes_under(machines[i], "scc", NULL), 0);
        assert_int_equal(mistakes_under(machines[i], "tbc", uncompacted), 0);
        assert_int_equal(mistakes_under(machines[i], "dwf-wb", NULL), 0);
    }
}

/* Workers run ahead with the task numbers of the round before. */
static void test_wrong_regrouped(void **state)
{
    (void)state;
    for (int i = 0; i < MACHINES; i++) {
        assert_true(mistakes_under(machines[i], "dwf", NULL) > 0);
        assert_true(mistakes_under(machines[i], "mimd", NULL) > 0);
    }
}

/* With __syncwarp where it is needed, it is right under all of them, and nothing is found. */
static void test_synced_is_right_everywhere(void **state)
{
    (void)state;
    for (const struct div_ops *const *m = div_all(); *m; m++) {
        struct queue q;
        queue_open(&q, "persistent_synced");
        queue_run(&q, "fermi", *m, NULL);
        if (queue_mistakes(&q))
            fail_msg("wrong under %s", (*m)->name);
        assert_int_equal(race_count(q.race), 0);
        queue_close(&q);
    }
}

/* The store of thread 0 and the load of the others, under whichever mechanism. */
static void test_race_is_named(void **state)
{
    (void)state;
    static const char *const names[] = {"pdom", "tbc", "dwf-wb", "dwf", "mimd"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct queue q;
        struct text t = {0};
        queue_open(&q, "persistent");
        queue_run(&q, "fermi", mechanism_named(names[i]), NULL);
        assert_int_equal(race_count(q.race), 1);
        assert_int_equal(race_count_kind(q.race, RACE_IN_ROW), 1);
        race_print(q.race, names[i], mechanism_named(names[i])->flags & DIV_IN_STEP, &t);
        assert_non_null(strstr(t.data, "persistent.cu:29 (PTX line "));
        assert_non_null(strstr(t.data, "persistent.cu:30 (PTX line "));
        assert_non_null(strstr(t.data, "st.volatile.shared.u32"));
        assert_non_null(strstr(t.data, "ld.volatile.shared.u32"));
        bool warns = strstr(t.data, "is not guaranteed") != NULL;
        assert_int_equal(warns, !(mechanism_named(names[i])->flags & DIV_IN_STEP));
        text_free(&t);
        queue_close(&q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_in_step),
        cmocka_unit_test(test_wrong_regrouped),
        cmocka_unit_test(test_synced_is_right_everywhere),
        cmocka_unit_test(test_race_is_named),
    };
    return cmocka_run_group_tests_name("warpsync", tests, NULL, NULL);
}
