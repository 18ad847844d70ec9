/*
 * Speculative reconvergence on a machine: the lanes of Figs 1 and 3 of Damani et al. (CGO 2020) as issue counts, before and
 * after; and the kernels of tests/recon, which gain, with the same result in memory.
 */
#include "div/table.h"
#include "gpu/gpu.h"
#include "kernel_bench.h"
#include "recon/detect.h"
#include "recon/speculate.h"
#include "source_file.h"

struct stage {
    struct bench bench;
    struct code *code;
    struct machine *machine;
    uint64_t knobs[64];
    uint8_t expected[OUT_BYTES];
};

/* The kernel is the module's only one, with the buffer and a number as its arguments. */
static void open_stage(struct stage *s, const char *text, const char *machine, uint32_t threads, uint32_t number)
{
    char *error = NULL;
    memset(s, 0, sizeof *s);
    s->bench.module = parse(text);
    s->bench.memory = memory_create(UINT64_C(1) << 30);
    s->bench.image = image_load(s->bench.module, s->bench.memory, &error);
    assert_non_null(s->bench.image);
    s->bench.out = memory_alloc(s->bench.memory, OUT_BYTES, "out");
    s->bench.parameters[0] = s->bench.out;
    s->bench.parameters[1] = number;
    const struct ptx_function *kernel = NULL;
    for (int i = 0; i < s->bench.module->function_count; i++)
        if (s->bench.module->functions[i]->is_entry)
            kernel = s->bench.module->functions[i];
    s->bench.launch = (struct launch){.kernel = kernel,
                                      .image = s->bench.image,
                                      .grid = {1, 1, 1},
                                      .block = {threads, 1, 1},
                                      .parameters = s->bench.parameters,
                                      .parameter_bytes = 12,
                                      .instruction_limit = 100000000};
    s->code = code_create(kernel, s->bench.image, &error);
    assert_non_null(s->code);
    s->machine = machine_load(machine, &error);
    assert_non_null(s->machine);
    knob_defaults(div_find("volta")->knobs, s->knobs);
    functional_launch(&s->bench.launch, s->code, &s->bench.result);
    assert_int_equal(s->bench.result.fault.kind, 0);
    memcpy(s->expected, out(&s->bench), OUT_BYTES);
}

static void close_stage(struct stage *s)
{
    machine_free(s->machine);
    code_destroy(s->code);
    close_bench(&s->bench);
}

/* With barriers at post-dominators if there are no predictions. */
static void run_predicted(struct stage *s, const struct predictions *predictions, struct gpu_result *result)
{
    struct speculation *made = NULL;
    struct gpu_run run = {.machine = s->machine, .mechanism = div_find("volta"), .mechanism_knobs = s->knobs};
    if (predictions) {
        made = speculate(code_program(s->code), predictions, &(struct speculate_rules){0});
        for (int i = 0; i < made->list.count; i++)
            assert_null(made->list.data[i].refusal);
        run.barriers = made->plan;
    }
    memset(out(&s->bench), 0, OUT_BYTES);
    gpu_launch(&run, &s->bench.launch, s->code, result);
    assert_int_equal(result->launch.fault.kind, 0);
    assert_memory_equal(out(&s->bench), s->expected, OUT_BYTES);
    speculation_destroy(made);
}

static double efficiency(const struct gpu_result *r)
{
    return (double)r->sm.thread_instructions / (double)r->sm.issue_slots;
}

/* ---- the figures ---- */

#define FIGURE(body)                                                                                               \
    HEADER                                                                                                         \
    ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %a<4>;\n" \
    "ld.param.u64 %a0, [out]; ld.param.u32 %r1, [n]; mov.u32 %r0, %tid.x; mov.u32 %r2, 0; mov.u32 %r5, 0;\n" body  \
    "\nmul.wide.u32 %a1, %r0, 4; add.u64 %a1, %a1, %a0; st.global.u32 [%a1], %r5;\nret;\n}\n"

static int32_t label_of(const struct stage *s, const char *label)
{
    const struct ptx_function *f = s->bench.launch.kernel;
    for (int i = 0; i < f->label_count; i++)
        if (!strcmp(f->labels[i].name, label))
            return f->labels[i].target;
    fail_msg("no label %s", label);
    return -1;
}

/* How often the instruction behind a label was issued, with and without the kernel's predictions. */
static void assert_issues(const char *text, const char *label, uint64_t before, uint64_t after)
{
    struct stage s;
    struct gpu_result result;
    struct predictions predictions = {0};
    open_stage(&s, text, "tiny", 4, 4);
    run_predicted(&s, NULL, &result);
    assert_int_equal(result.sites[label_of(&s, label)].issues, before);
    gpu_result_free(&result);
    predict_from_pragmas(&predictions, code_program(s.code));
    assert_int_equal(predictions.list.count, 1);
    run_predicted(&s, &predictions, &result);
    assert_int_equal(result.sites[label_of(&s, label)].issues, after);
    gpu_result_free(&result);
    predictions_free(&predictions);
    close_stage(&s);
}

/* Four threads, four rounds; each thread does the expensive part in another round: four issues, then one. */
static void test_lanes_of_fig_1(void **state)
{
    (void)state;
    assert_issues(FIGURE(".pragma \"heddle.predict L1\";\n"
                         "LOOP: setp.ne.u32 %p0, %r2, %r0; add.u32 %r2, %r2, 1; @%p0 bra NEXT;\n"
                         "EXPENSIVE: .pragma \"heddle.label L1\"; mad.lo.u32 %r5, %r0, %r0, 7;\n"
                         "NEXT: setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;"),
                  "EXPENSIVE", 4, 1);
}

/* Four threads with 1 to 4 rounds of the inner loop, 10 in all: each outer round takes as long as the longest, 16 issues;
 * merged, threads take their next trips at once, and 10 are enough. */
static void test_lanes_of_fig_3(void **state)
{
    (void)state;
    assert_issues(FIGURE("OUTER: add.u32 %r3, %r2, %r0; and.b32 %r3, %r3, 3; add.u32 %r3, %r3, 1;\n"
                         ".pragma \"heddle.predict L1\"; mov.u32 %r4, %r3;\n"
                         "INNER: .pragma \"heddle.label L1\"; mad.lo.u32 %r5, %r5, 3, %r4; sub.u32 %r3, %r3, 1;\n"
                         "setp.ne.u32 %p0, %r3, 0; @%p0 bra INNER;\n"
                         "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;"),
                  "INNER", 16, 10);
}

/* The branch jumps out of the loop, so that those that leave it run ahead of those that stay. With post-dominators the epilog
 * takes one issue for each of 4 outer rounds. If all wait at the point, those that left are wanted back at once, one by one.
 * With a threshold they gather behind the loop as long as enough go on; if threads cancelled the loop's own barrier
 * before every soft wait, and not only when it holds them, there would be nothing to gather at. */
#define EXIT_FIRST(threshold)                                                                                  \
    FIGURE("OUTER: add.u32 %r3, %r2, %r0; and.b32 %r3, %r3, 3; add.u32 %r3, %r3, 1;\n"                         \
           ".pragma \"heddle.predict L1" threshold "\"; mov.u32 %r4, %r3;\n"                                   \
           "INNER: setp.eq.u32 %p0, %r3, 0; @%p0 bra EPILOG;\n"                                                \
           "BODY: .pragma \"heddle.label L1\"; mad.lo.u32 %r5, %r5, 3, %r4; sub.u32 %r3, %r3, 1; bra INNER;\n" \
           "EPILOG: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra OUTER;")

static void test_leavers_gather(void **state)
{
    (void)state;
    assert_issues(EXIT_FIRST(""), "EPILOG", 4, 10);
    assert_issues(EXIT_FIRST(" threshold=2"), "EPILOG", 4, 6);
}

/* Thread 1 returns from the function, as a participant, before it comes to the point. The other three do not wait for
 * it: the barrier opens because all its participants have come, and they issue the point together. */
static void test_threads_that_return_are_not_awaited(void **state)
{
    (void)state;
    struct stage s;
    struct gpu_result result;
    struct predictions predictions = {0};
    open_stage(&s,
               HEADER ".func f()\n{\n.reg .pred %p<2>; .reg .b32 %r<4>;\n"
                      "mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0;\n"
                      ".pragma \"heddle.predict L1\"; @%p0 bra POINT;\n"
                      "setp.eq.u32 %p1, %r0, 1; @%p1 ret;\n"
                      "POINT: .pragma \"heddle.label L1\"; mul.lo.u32 %r2, %r0, %r0; ret;\n}\n"
                      ".visible .entry k(.param .u64 out, .param .u32 n)\n{\ncall f;\nret;\n}\n",
               "tiny", 4, 4);
    predict_from_pragmas(&predictions, code_program(s.code));
    assert_int_equal(predictions.list.count, 1);
    int32_t point = predictions.list.data[0].label;
    run_predicted(&s, NULL, &result);
    assert_int_equal(result.sites[point].issues, 2); /* the branch and its sides do not reconverge in f */
    gpu_result_free(&result);
    run_predicted(&s, &predictions, &result);
    struct stat_result all = {result.parts, result.part_count};
    assert_int_equal(result.sites[point].issues, 1);
    assert_int_equal(stat_get(&all, "volta.broken", NULL), 0);
    gpu_result_free(&result);
    predictions_free(&predictions);
    close_stage(&s);
}

/* ---- kernels that gain ---- */

/* What detect() finds makes the kernel at least 1.5 times as efficient, and faster. */
static void assert_gains(const char *path, uint32_t rounds, enum detect_pattern pattern)
{
    struct stage s;
    struct gpu_result before, after;
    struct predictions predictions = {0};
    open_stage(&s, read_source(path), "volta", 128, rounds);
    struct detection *d = detect(&predictions, code_program(s.code), &(struct detect_rules){0});
    assert_int_equal(predictions.list.count, 1);
    assert_int_equal(d->list.data[0].pattern, pattern);
    run_predicted(&s, NULL, &before);
    run_predicted(&s, &predictions, &after);
    if (efficiency(&after) < 1.5 * efficiency(&before) || after.cycles >= before.cycles)
        fail_msg("%s: %.3f in %llu cycles, then %.3f in %llu", path, efficiency(&before),
                 (unsigned long long)before.cycles, efficiency(&after), (unsigned long long)after.cycles);
    gpu_result_free(&before);
    gpu_result_free(&after);
    detection_destroy(d);
    predictions_free(&predictions);
    close_stage(&s);
}

static void test_patterns_gain(void **state)
{
    (void)state;
    assert_gains("tests/recon/iteration_delay.ptx", 64, DETECT_ITERATION_DELAY);
    assert_gains("tests/recon/loop_merge.ptx", 16, DETECT_LOOP_MERGE);
    assert_gains("tests/recon/common_call.ptx", 16, DETECT_COMMON_CALL);
}

/* Where it is expensive to fetch new work, it is not done for one thread alone: all waiting for each other would lose. */
static void test_soft_barrier_beats_full_one(void **state)
{
    (void)state;
    struct stage s;
    struct gpu_result none, full, soft, adaptive;
    struct predictions predictions = {0};
    char *error = NULL;
    open_stage(&s, read_source("tests/recon/soft_epilog.ptx"), "volta", 128, 16);
    assert_true(predict_from_words(&predictions, code_program(s.code), "TASK:STEP", &error));
    run_predicted(&s, NULL, &none);
    run_predicted(&s, &predictions, &full);
    predictions.list.data[0].threshold = 12;
    run_predicted(&s, &predictions, &soft);
    predictions.list.data[0].threshold = BARRIER_ADAPTIVE;
    run_predicted(&s, &predictions, &adaptive);
    assert_true(adaptive.cycles * 10 < none.cycles * 9);
    gpu_result_free(&adaptive);
    assert_true(full.cycles > none.cycles);
    assert_true(soft.cycles * 10 < none.cycles * 9);
    assert_true(efficiency(&soft) > efficiency(&none) && efficiency(&soft) > efficiency(&full));
    gpu_result_free(&none);
    gpu_result_free(&full);
    gpu_result_free(&soft);
    predictions_free(&predictions);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_of_fig_1), cmocka_unit_test(test_lanes_of_fig_3),
        cmocka_unit_test(test_leavers_gather), cmocka_unit_test(test_threads_that_return_are_not_awaited),
        cmocka_unit_test(test_patterns_gain),  cmocka_unit_test(test_soft_barrier_beats_full_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
