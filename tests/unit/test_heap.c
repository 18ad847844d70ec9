/* malloc and free in kernels: the limit of the heap, and pointers that malloc did not return. Engine and oracle alike. */
#include "kernel_bench.h"

/* Thread by thread: out[i] = malloc(48), and frees every pointer that is not 0 if `frees` says so. */
#define DECLARE                                                                      \
    HEADER ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"                 \
           ".extern .func free (.param .b64 p);\n"                                   \
           ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %t; .reg .b64 %a<4>;\n" \
           "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %a1, %t, 8; add.u64 %a0, %a0, %a1;\n"
#define ALLOCATE                                                                                                  \
    "{ .param .b64 n; st.param.b64 [n], 48; .param .b64 r; call.uni (r), malloc, (n); ld.param.b64 %a2, [r]; }\n" \
    "st.global.u64 [%a0], %a2;\n"
#define RELEASE "{ .param .b64 p; st.param.b64 [p], %a2; call.uni free, (p); }\n"

static void launch_on(struct bench *b, bool on_oracle)
{
    if (on_oracle)
        oracle_launch(&b->launch, &b->result);
    else
        run_on_engine(b);
}

static int count_pointers(struct bench *b)
{
    int count = 0;
    for (int i = 0; i < 32; i++)
        count += ((uint64_t *)out(b))[i] != 0;
    return count;
}

static void malloc_stops_at_the_limit(void **state)
{
    (void)state;
    for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
        struct bench b;
        open_bench(&b, DECLARE ALLOCATE "ret;\n}\n");
        b.launch.heap_limit_bytes = 10 * 48;
        launch_on(&b, on_oracle);
        assert_int_equal(b.result.fault.kind, 0);
        assert_int_equal(count_pointers(&b), 10);
        launch_on(&b, on_oracle); /* what an earlier launch holds counts, too */
        assert_int_equal(count_pointers(&b), 0);
        b.launch.heap_limit_bytes = 0; /* the default has room for all */
        launch_on(&b, on_oracle);
        assert_int_equal(count_pointers(&b), 32);
        close_bench(&b);
    }
}

static void freed_memory_can_be_had_again(void **state)
{
    (void)state;
    for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
        struct bench b;
        open_bench(&b, DECLARE ALLOCATE RELEASE "ret;\n}\n");
        b.launch.heap_limit_bytes = 32 * 48;
        for (int i = 0; i < 3; i++) {
            launch_on(&b, on_oracle);
            assert_int_equal(b.result.fault.kind, 0);
            assert_int_equal(count_pointers(&b), 32);
            assert_int_equal(b.memory->heap_bytes, 0);
        }
        close_bench(&b);
    }
}

static void free_of_a_foreign_pointer_is_a_fault(void **state)
{
    static const char *const pointers[] = {
        "ld.param.u64 %a2, [out];\n",       /* memory of the host's */
        ALLOCATE "add.u64 %a2, %a2, 16;\n", /* not the start */
        ALLOCATE RELEASE,                   /* freed twice */
        "mov.u64 %a2, 4096;\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(pointers); i++)
        for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
            char text[2048];
            struct bench b;
            snprintf(text, sizeof text, "%s%s%s", DECLARE, pointers[i], RELEASE "ret;\n}\n");
            open_bench(&b, text);
            launch_on(&b, on_oracle);
            assert_int_equal(b.result.fault.kind, FAULT_OUT_OF_BOUNDS);
            assert_non_null(strstr(b.result.fault.detail, "which malloc did not return"));
            assert_non_null(memory_host(b.memory, b.out, OUT_BYTES)); /* the host's memory is still there */
            close_bench(&b);
        }
}

static void free_of_nothing_is_allowed(void **state)
{
    (void)state;
    for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
        struct bench b;
        open_bench(&b, DECLARE "mov.u64 %a2, 0;\n" RELEASE "ret;\n}\n");
        launch_on(&b, on_oracle);
        assert_int_equal(b.result.fault.kind, 0);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malloc_stops_at_the_limit),
        cmocka_unit_test(freed_memory_can_be_had_again),
        cmocka_unit_test(free_of_a_foreign_pointer_is_a_fault),
        cmocka_unit_test(free_of_nothing_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
