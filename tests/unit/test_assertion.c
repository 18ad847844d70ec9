/* Failed assertions: every thread that fails prints CUDA's line, and the launch ends with the first one's fault. */
#include "base/text.h"
#include "div/table.h"
#include "timed_bench.h"

/* Threads with an odd id fail; then all meet at a barrier, and store 1. */
static const char kernel[] =
    HEADER ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n"
           ".global .align 1 .b8 message[6] = {120, 32, 60, 32, 51, 0};\n" /* x < 3 */
           ".global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};\n"        /* a.cu */
           ".global .align 1 .b8 function[9] = {118, 111, 105, 100, 32, 107, 40, 41, 0};\n"
           ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p; .reg .b32 %t, %r<4>; .reg .b64 %a<6>;\n"
           "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x;\n"
           "mad.lo.u32 %r0, %r0, %r1, %t; mul.wide.u32 %a1, %r0, 4; add.u64 %a0, %a0, %a1;\n"
           "and.b32 %r2, %t, 1; setp.eq.u32 %p, %r2, 0; @%p bra FINE;\n"
           "cvta.global.u64 %a2, message; cvta.global.u64 %a3, file; cvta.global.u64 %a4, function;\n"
           "{ .param .b64 m; st.param.b64 [m], %a2; .param .b64 f; st.param.b64 [f], %a3; .param .b32 l;\n"
           "st.param.b32 [l], 12; .param .b64 n; st.param.b64 [n], %a4; .param .b64 s; st.param.b64 [s], 1;\n"
           "call.uni __assertfail, (m, f, l, n, s); }\n"
           "FINE: bar.sync 0; st.global.u32 [%a0], 1; ret;\n}\n";

static void collect(void *context, const char *text, size_t length)
{
    text_append(context, text, length);
}

static int count_lines(const struct text *lines)
{
    int count = 0;
    for (size_t i = 0; i < lines->length; i++)
        count += lines->data[i] == '\n';
    return count;
}

static void all_threads_that_fail_print(void **state)
{
    (void)state;
    for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
        struct bench b;
        struct text lines = {0};
        open_bench(&b, kernel);
        b.launch.grid[0] = 2;
        b.launch.block[0] = 64;
        b.launch.assertions = (struct print_sink){collect, &lines};
        if (on_oracle)
            oracle_launch(&b.launch, &b.result);
        else
            run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, FAULT_ASSERT);
        assert_int_equal(b.result.fault.block[0], 0);
        assert_int_equal(b.result.fault.thread[0], 1);
        assert_string_equal(b.result.fault.detail, "a.cu:12: void k(): assertion `x < 3` failed");
        assert_int_equal(count_lines(&lines), 64);
        assert_non_null(
            strstr(lines.data, "a.cu:12: void k(): block: [1,0,0], thread: [63,0,0] Assertion `x < 3` failed.\n"));
        for (int i = 0; i < 128; i++) /* those that failed ended; the others passed the barrier without them */
            assert_int_equal(((uint32_t *)out(&b))[i], i % 2 == 0);
        text_free(&lines);
        close_bench(&b);
    }
}

/* Threads that wait for ever for those that ended do not hide the assertion. */
static void the_launch_ends_though_others_wait(void **state)
{
    (void)state;
    char text[4096];
    snprintf(text, sizeof text, "%s", kernel);
    char *fine = strstr(text, "FINE: bar.sync 0;");
    assert_non_null(fine);
    memcpy(fine, "FINE: bra FINE;  ", 17);
    for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
        struct bench b;
        open_bench(&b, text);
        b.launch.instruction_limit = 0;
        if (on_oracle)
            oracle_launch(&b.launch, &b.result);
        else
            run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, FAULT_ASSERT);
        close_bench(&b);
    }
}

static void on_a_machine_the_first_warp_that_fails_ends_the_launch(void **state)
{
    (void)state;
    for (int i = 0; div_all()[i]; i++) {
        struct timed_case c = {.machine = "tiny", .mechanism = div_all()[i]};
        struct machine *machine = timed_machine(&c);
        union timed_knobs knobs;
        struct gpu_run run = {.machine = machine, .mechanism = c.mechanism, .mechanism_knobs = &knobs};
        struct gpu_result result;
        struct bench b;
        struct text lines = {0};
        char *error = NULL;
        timed_set_knobs(&c, &knobs);
        open_bench(&b, kernel);
        b.launch.assertions = (struct print_sink){collect, &lines};
        struct code *code = code_create(b.launch.kernel, b.image, &error);
        gpu_launch(&run, &b.launch, code, &result);
        assert_int_equal(result.launch.fault.kind, FAULT_ASSERT);
        assert_true(count_lines(&lines) >= 1);
        text_free(&lines);
        gpu_result_free(&result);
        code_destroy(code);
        close_bench(&b);
        machine_free(machine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_threads_that_fail_print),
        cmocka_unit_test(the_launch_ends_though_others_wait),
        cmocka_unit_test(on_a_machine_the_first_warp_that_fails_ends_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
