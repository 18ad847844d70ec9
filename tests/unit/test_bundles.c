/*
 * Bundles (sm/bundles/bundles.h): mimd simulates threads of a row together while they are in the same state, and each
 * thread still counts, and sees itself, as a strand of its own. With a trace every thread is simulated by itself.
 */
#include "div/table.h"
#include "exec/code.h"
#include "gpu/gpu.h"
#include "ptx/parse.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 512, WORDS = 4 * THREADS };

#define HEAD                                                                                                    \
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n" \
    ".reg .b32 %r<16>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"                   \
    "mul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd1, %rd1, %rd2;\n"

/* Runs the kernel on fermi under mimd. Gives all counters as text, and leaves the words in `out`. */
static struct text run_blocks(const char *text, uint32_t blocks, uint32_t threads, bool is_traced, uint32_t *out)
{
    char *error = NULL;
    struct diag diag = {0};
    struct ptx_module *module = ptx_parse("k.ptx", text, strlen(text), &diag);
    assert_non_null(module);
    struct memory *memory = memory_create(UINT64_C(1) << 30);
    struct image *image = image_load(module, memory, &error);
    assert_non_null(image);
    struct code *code = code_create(module->functions[0], image, &error);
    assert_non_null(code);
    struct machine *machine = machine_load("fermi", &error);
    assert_non_null(machine);
    uint64_t address = memory_alloc(memory, 4 * WORDS, "out");
    struct launch launch = {.kernel = module->functions[0],
                            .image = image,
                            .grid = {blocks, 1, 1},
                            .block = {threads, 1, 1},
                            .parameters = &address,
                            .parameter_bytes = sizeof address};
    struct gpu_run how = {.machine = machine, .mechanism = div_find("mimd")};
    if (is_traced)
        how.trace = trace_create(&(struct trace_options){.sm = 0});
    struct gpu_result result = {0};
    gpu_launch(&how, &launch, code, &result);
    assert_int_equal(result.launch.fault.kind, FAULT_NONE);
    memcpy(out, memory_host(memory, address, 4 * WORDS), 4 * WORDS);
    struct text counters = {0};
    struct stat_result all = {result.parts, result.part_count};
    stat_print_json(&all, &counters);
    gpu_result_free(&result);
    if (how.trace)
        trace_destroy(how.trace);
    code_destroy(code);
    image_unload(image);
    memory_destroy(memory);
    machine_free(machine);
    ptx_destroy(module);
    diag_free(&diag);
    return counters;
}

static struct text run(const char *text, uint32_t threads, bool is_traced, uint32_t *out)
{
    return run_blocks(text, 1, threads, is_traced, out);
}

/* A thread executes activemask with no other thread, though it is in a bundle before. */
static void each_thread_is_active_alone(void **state)
{
    (void)state;
    uint32_t out[WORDS];
    struct text counters = run(HEAD "activemask.b32 %r2;\nst.global.u32 [%rd1], %r2;\nret;\n}\n", 64, false, out);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[4 * i], UINT32_C(1) << i % 32);
    text_free(&counters);
}

/* Threads with even numbers load, and those with odd numbers store between arithmetic, on the other port. So the thread
 * that issued last is often to store next, and is refused since the cycle's access loads: the other threads then have
 * all lanes. */
static void a_refused_thread_leaves_its_lane(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "mov.u32 %r2, 0;\nand.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra EVEN;\n"
             "ODD:\nadd.u32 %r4, %r1, 1;\nst.global.u32 [%rd1], %r1;\nadd.u32 %r5, %r1, 2;\nadd.u32 %r6, %r1, 3;\n"
             "st.global.u32 [%rd1+4], %r1;\nadd.u32 %r7, %r1, 4;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 40;\n"
             "@%p2 bra ODD;\nret;\n"
             "EVEN:\nld.global.u32 %r8, [%rd1];\nadd.u32 %r4, %r1, 1;\nld.global.u32 %r9, [%rd1+4];\n"
             "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 40;\n@%p2 bra EVEN;\nret;\n}\n";
    uint32_t bundled_out[WORDS], single_out[WORDS];
    struct text bundled = run(text, THREADS, false, bundled_out), single = run(text, THREADS, true, single_out);
    assert_string_equal(bundled.data, single.data);
    assert_memory_equal(bundled_out, single_out, sizeof single_out);
    text_free(&bundled);
    text_free(&single);
}

/* A kernel has more registers than a plan has bits for them, so that some share a bit (sm/plan.h). A load into one is
 * in flight while instructions read all others; that they find theirs written says nothing about the loaded one. */
static void a_load_is_awaited_behind_others(void **state)
{
    (void)state;
    enum { REGISTERS = 80, LOADS = 16, ROW_THREADS = 32 };
    struct text text = {0};
    uint32_t bundled_out[WORDS], single_out[WORDS];
    text_printf(&text, "%s.reg .b32 %%s<%d>;\n", HEAD, REGISTERS);
    for (int i = 0; i < REGISTERS; i++)
        text_printf(&text, "add.u32 %%s%d, %%r1, %d;\n", i, i);
    for (int i = 0; i < LOADS; i++) {
        const int loaded = i * REGISTERS / LOADS;
        text_printf(&text, "ld.global.u32 %%s%d, [%%rd1+%d];\n", loaded, i * 512);
        for (int k = 1; k < REGISTERS; k++)
            text_printf(&text, "add.u32 %%r%d, %%s%d, 1;\n", 3 + k % 8, (loaded + k) % REGISTERS);
        text_printf(&text, "add.u32 %%r2, %%s%d, 1;\n", loaded);
    }
    for (int i = 0; i < REGISTERS; i++)
        text_printf(&text, "add.u32 %%r2, %%r2, %%s%d;\n", i);
    text_printf(&text, "st.global.u32 [%%rd1], %%r2;\nret;\n}\n");
    struct text bundled = run(text.data, ROW_THREADS, false, bundled_out),
                single = run(text.data, ROW_THREADS, true, single_out);
    assert_string_equal(bundled.data, single.data);
    assert_memory_equal(bundled_out, single_out, sizeof single_out);
    text_free(&bundled);
    text_free(&single);
    text_free(&text);
}

/* Threads leave a loop one after the other, so that each is alone when it stores a word and loads it at once: it loads
 * what it stored, though other multiprocessors do not see that yet (exec/posted.h). */
static void a_thread_alone_loads_what_it_stored(void **state)
{
    (void)state;
    enum { BLOCKS = 2, BLOCK_THREADS = 64 };
    uint32_t out[WORDS];
    static const char text[] =
        HEAD "mov.u32 %r9, %ctaid.x;\nmul.wide.u32 %rd3, %r9, 1024;\nadd.s64 %rd1, %rd1, %rd3;\nmov.u32 %r2, 0;\n"
             "L:\nadd.u32 %r2, %r2, 1;\nsetp.le.u32 %p1, %r2, %r1;\n@%p1 bra L;\n"
             "ld.global.u32 %r3, [%rd1];\nst.global.u32 [%rd1], %r2;\nld.global.u32 %r4, [%rd1];\n"
             "st.global.u32 [%rd1+4], %r4;\nadd.u32 %r4, %r4, %r4;\nst.global.u32 [%rd1], %r4;\n"
             "ld.global.u32 %r5, [%rd1];\nst.global.u32 [%rd1+8], %r5;\nret;\n}\n";
    struct text counters = run_blocks(text, BLOCKS, BLOCK_THREADS, false, out);
    for (uint32_t i = 0; i < BLOCKS * BLOCK_THREADS; i++) {
        assert_int_equal(out[4 * i + 1], i % BLOCK_THREADS + 1);
        assert_int_equal(out[4 * i + 2], 2 * (i % BLOCK_THREADS + 1));
    }
    text_free(&counters);
}

/* Threads leave a loop one after the other, store, and end at once. The place of their block is free when the last
 * store is done, and the next block starts there. */
static void a_place_waits_for_stores_of_threads_alone(void **state)
{
    (void)state;
    enum { BLOCKS = 300, ROW_THREADS = 32 };
    static const char text[] = HEAD "mov.u32 %r2, 0;\nLOOP:\nadd.u32 %r2, %r2, 1;\nsetp.le.u32 %p1, %r2, %r1;\n"
                                    "@%p1 bra LOOP;\nst.global.u32 [%rd1], %r2;\nret;\n}\n";
    uint32_t bundled_out[WORDS], single_out[WORDS];
    struct text bundled = run_blocks(text, BLOCKS, ROW_THREADS, false, bundled_out),
                single = run_blocks(text, BLOCKS, ROW_THREADS, true, single_out);
    assert_string_equal(bundled.data, single.data);
    assert_memory_equal(bundled_out, single_out, sizeof single_out);
    text_free(&bundled);
    text_free(&single);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_is_active_alone),
        cmocka_unit_test(a_refused_thread_leaves_its_lane),
        cmocka_unit_test(a_load_is_awaited_behind_others),
        cmocka_unit_test(a_thread_alone_loads_what_it_stored),
        cmocka_unit_test(a_place_waits_for_stores_of_threads_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
