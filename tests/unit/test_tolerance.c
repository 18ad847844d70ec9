/* Tolerated reads: loads of global memory that does not exist read 0 and are counted; everything else still faults. */
#include "div/table.h"
#include "timed_bench.h"

/* Thread t loads 64 * t bytes past a place near the end of `out`: the first 16 are inside, the others past the end. */
#define SPREAD "mul.wide.u32 %a2, %t, 64; add.u64 %a2, %a2, %a0; add.u64 %a2, %a2, 7168;\n"

static const char *const loads[] = {
    KERNEL(SPREAD "mov.u32 %r1, 9; ld.global.u32 %r1, [%a2];"),
    KERNEL(SPREAD "mov.u32 %r1, 9; ld.u32 %r1, [%a2];"),
    KERNEL(SPREAD "mov.u32 %r1, 9; mov.u32 %r2, 9; ld.global.v2.u32 {%r1, %r2}, [%a2]; add.u32 %r1, %r1, %r2;"),
    KERNEL(SPREAD ".reg .b16 %h; mov.u16 %h, 9; ld.global.s8 %h, [%a2]; cvt.u32.u16 %r1, %h;"),
    KERNEL(SPREAD "mov.u64 %a3, 9; ld.global.u64 %a3, [%a2]; cvt.u32.u64 %r1, %a3;"),
};

static void check(struct bench *b, const struct launch_result *result)
{
    assert_int_equal(result->fault.kind, 0);
    assert_int_equal(result->tolerated_reads, 16);
    assert_non_null(strstr(result->first_tolerated.where, "line "));
    assert_int_equal(result->first_tolerated.address, b->out + OUT_BYTES);
    for (int i = 16; i < 32; i++)
        assert_int_equal(((uint32_t *)out(b))[i], 0);
}

static void engine_and_oracle_read_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(loads); i++) {
        struct bench b;
        open_bench(&b, loads[i]);
        b.launch.tolerates_reads = true;
        run_on_engine(&b);
        check(&b, &b.result);
        memset(out(&b), 1, OUT_BYTES);
        oracle_launch(&b.launch, &b.result);
        check(&b, &b.result);
        close_bench(&b);
    }
}

static void machines_read_zero(void **state)
{
    (void)state;
    for (int i = 0; div_all()[i]; i++) {
        struct timed_case c = {.machine = "tiny", .mechanism = div_all()[i]};
        struct machine *machine = timed_machine(&c);
        union timed_knobs knobs;
        struct gpu_run run = {.machine = machine, .mechanism = c.mechanism, .mechanism_knobs = &knobs};
        struct gpu_result result;
        struct bench b;
        char *error = NULL;
        timed_set_knobs(&c, &knobs);
        open_bench(&b, loads[0]);
        b.launch.tolerates_reads = true;
        struct code *code = code_create(b.launch.kernel, b.image, &error);
        gpu_launch(&run, &b.launch, code, &result);
        check(&b, &result.launch);
        gpu_result_free(&result);
        code_destroy(code);
        close_bench(&b);
        machine_free(machine);
    }
}

/* A vector whose first element is the last word of the allocation is past the end as a whole. */
static void a_vector_across_the_end_reads_zero(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, KERNEL("mov.u32 %r1, 9; mov.u32 %r2, 9; ld.global.u64 %a2, [%a0+8192]; cvt.u32.u64 %r1, %a2;"));
    b.launch.tolerates_reads = true;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, 0);
    assert_int_equal(b.result.tolerated_reads, 32);
    assert_int_equal(((uint32_t *)out(&b))[0], 0);
    close_bench(&b);
}

static void the_rest_still_faults(void **state)
{
    static const struct {
        const char *text;
        bool tolerates;
        enum fault_kind kind;
    } cases[] = {
        {KERNEL(SPREAD "ld.global.u32 %r1, [%a2];"), false, FAULT_OUT_OF_BOUNDS},
        {KERNEL(SPREAD "mov.u32 %r1, 1; st.global.u32 [%a2], %r1;"), true, FAULT_OUT_OF_BOUNDS},
        {KERNEL(SPREAD "atom.global.add.u32 %r1, [%a2], 1;"), true, FAULT_OUT_OF_BOUNDS},
        {KERNEL(SPREAD "ld.global.u32 %r1, [%a2+2];"), true, FAULT_MISALIGNED},
        {KERNEL("ld.shared.u32 %r1, [4096];"), true, FAULT_OUT_OF_BOUNDS},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        struct bench b;
        open_bench(&b, cases[i].text);
        b.launch.tolerates_reads = cases[i].tolerates;
        run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, cases[i].kind);
        oracle_launch(&b.launch, &b.result);
        assert_int_equal(b.result.fault.kind, cases[i].kind);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_and_oracle_read_zero),
        cmocka_unit_test(machines_read_zero),
        cmocka_unit_test(a_vector_across_the_end_reads_zero),
        cmocka_unit_test(the_rest_still_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
