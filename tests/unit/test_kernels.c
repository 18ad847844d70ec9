/* Kernels in order on one machine: what the caches keep from one to the next, and the time between them. */
#include "div/table.h"
#include "gpu/gpu.h"
#include "gpu/machine.h"
#include "tests/unit/kernel_bench.h"

/* Reads 4 KB of the buffer, a line for each thread of four warps. */
static const char kernel[] = HEADER ".visible .entry k(.param .u64 p)\n{\n"
                                    ".reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n"
                                    "ld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\n"
                                    "mul.wide.u32 %rd1, %r0, 32;\nadd.u64 %rd2, %rd0, %rd1;\n"
                                    "ld.global.u32 %r1, [%rd2];\nst.global.u32 [%rd2], %r1;\nret;\n}\n";

struct kernels {
    struct bench bench;
    struct code *code;
    struct machine *machine;
    uint64_t knobs[64];
    struct gpu_kept kept;
};

static void open_kernel(struct kernels *k, const char *text, const char *setting)
{
    char *error = NULL;
    memset(k, 0, sizeof *k);
    open_bench(&k->bench, text);
    k->bench.launch.block[0] = 128;
    k->code = code_create(k->bench.launch.kernel, k->bench.image, &error);
    assert_non_null(k->code);
    k->machine = machine_load("fermi", &error);
    assert_non_null(k->machine);
    if (setting && !machine_set(k->machine, setting, &error))
        fail_msg("%s", error);
    knob_defaults(div_find("pdom")->knobs, k->knobs);
}

static void open_kernels(struct kernels *k, const char *setting)
{
    open_kernel(k, kernel, setting);
}

static void close_kernels(struct kernels *k)
{
    gpu_kept_free(&k->kept);
    machine_free(k->machine);
    code_destroy(k->code);
    close_bench(&k->bench);
}

static uint64_t launch(struct kernels *k, bool keeps, const char *counter)
{
    struct gpu_run how = {.machine = k->machine,
                          .mechanism = div_find("pdom"),
                          .mechanism_knobs = k->knobs,
                          .kept = keeps ? &k->kept : NULL};
    struct gpu_result r;
    _Bool found;
    gpu_launch(&how, &k->bench.launch, k->code, &r);
    assert_int_equal(r.launch.fault.kind, FAULT_NONE);
    assert_int_equal(r.sm.blocks, 1);
    struct stat_result statistics = {r.parts, r.part_count};
    uint64_t value = strcmp(counter, "cycles") ? stat_get(&statistics, counter, &found) : r.cycles;
    gpu_result_free(&r);
    return value;
}

static void the_second_kernel_finds_the_l2_as_it_was_left(void **state)
{
    (void)state;
    struct kernels k;
    open_kernels(&k, NULL);
    assert_int_equal(launch(&k, true, "dram.reads"), 33); /* 32 lines, and the parameter's */
    assert_int_equal(launch(&k, true, "dram.reads"), 1);  /* parameters stand somewhere else each time */
    assert_int_equal(launch(&k, true, "l1d.misses"), 32); /* the L1 is emptied; counters are of one launch */
    close_kernels(&k);
}

static void launches_of_their_own_start_cold(void **state)
{
    (void)state;
    struct kernels k;
    open_kernels(&k, NULL);
    uint64_t cycles = launch(&k, false, "cycles");
    assert_int_equal(launch(&k, false, "dram.reads"), 33);
    assert_int_equal(launch(&k, false, "cycles"), cycles);
    close_kernels(&k);
}

static void a_machine_may_empty_its_l2(void **state)
{
    (void)state;
    struct kernels k;
    open_kernels(&k, "mem.flush_l2=yes");
    launch(&k, true, "cycles");
    assert_int_equal(launch(&k, true, "dram.reads"), 33);
    close_kernels(&k);
}

static void a_warm_kernel_is_faster_and_time_goes_on(void **state)
{
    (void)state;
    struct kernels k;
    open_kernels(&k, "gpu.kernel_latency=1000");
    uint64_t cold = launch(&k, true, "cycles"), first = k.kept.cycle;
    uint64_t warm = launch(&k, true, "cycles");
    assert_true(warm < cold);
    assert_in_range(k.kept.cycle - first, 1000 + warm, 1000 + 2 * warm); /* the last stores arrive after its end */
    close_kernels(&k);
}

/* The first block ends before its load is answered; the second runs on for long. */
static const char unanswered[] =
    HEADER ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<2>;\n.reg .b64 %rd<2>;\n.reg .b32 %r<4>;\n"
           "ld.param.u64 %rd0, [p];\nmov.u32 %r0, %ctaid.x;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra L;\n"
           "ld.global.u32 %r1, [%rd0];\nret;\n"
           "L: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 100;\n@%p1 bra L;\nret;\n}\n";

static void a_load_that_nobody_waits_for_does_not_keep_the_launch(void **state)
{
    (void)state;
    struct kernels k;
    open_kernel(&k, unanswered, NULL);
    k.bench.launch.grid[0] = 2;
    struct gpu_run how = {.machine = k.machine, .mechanism = div_find("pdom"), .mechanism_knobs = k.knobs};
    struct gpu_result r;
    gpu_launch(&how, &k.bench.launch, k.code, &r);
    assert_int_equal(r.launch.fault.kind, FAULT_NONE);
    assert_true(r.cycles > 2000);
    gpu_result_free(&r);
    close_kernels(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_kernel_finds_the_l2_as_it_was_left),
        cmocka_unit_test(launches_of_their_own_start_cold),
        cmocka_unit_test(a_machine_may_empty_its_l2),
        cmocka_unit_test(a_warm_kernel_is_faster_and_time_goes_on),
        cmocka_unit_test(a_load_that_nobody_waits_for_does_not_keep_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
