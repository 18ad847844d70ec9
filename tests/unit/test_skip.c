/*
 * Blocks without time (gpu/skip.h): every block of a launch is executed once, whether a machine times it or not; what
 * the machine times takes as long as a grid without the other blocks; and blocks that wait for blocks of the machine
 * are noticed.
 */
#include "div/table.h"
#include "gpu/skip.h"
#include "timed_bench.h"

/* Each thread adds 1 to its word, which shows blocks that ran twice. */
#define COUNT KERNEL("atom.global.add.u32 %r2, [%a1], 1; ld.volatile.global.u32 %r1, [%a1];")

/* Thread 0 of a block waits for the first word of the block before it. */
#define CHAIN                                                                                                         \
    KERNEL("mov.u32 %r1, 1; setp.lt.u32 %p0, %r0, %n; @%p0 bra GO; mul.wide.u32 %a2, %n, 4; sub.u64 %a2, %a1, %a2;\n" \
           "WAIT: ld.volatile.global.u32 %r2, [%a2]; setp.eq.u32 %p1, %r2, 0; @%p1 bra WAIT;\nGO:")

enum { BLOCKS = 60, THREADS = 32, FIRST = 24, SKIPPED = 30 };

/* Skips the blocks FIRST to FIRST + SKIPPED - 1 at once. */
struct chooser {
    uint64_t asked, wave_blocks, told;
    uint64_t cycles; /* at which it was asked, as one number */
};

static uint64_t skip_some(void *context, const struct gpu_moment *m, uint64_t *again)
{
    struct chooser *c = context;
    c->asked++;
    c->cycles = c->cycles * 31 + m->cycle;
    c->wave_blocks = m->wave_blocks;
    *again = m->next_block < FIRST ? FIRST : UINT64_MAX;
    return m->next_block < FIRST ? 0 : SKIPPED;
}

static void note(void *context, const struct launch_result *all)
{
    ((struct chooser *)context)->told = all->thread_instructions;
}

static int host_threads = 1;
static const char *settings; /* of the machine; NULL: as it is */

/* Runs the kernel on tiny, whole or with blocks skipped. */
static void launch(struct bench *b, const char *text, bool skips, uint32_t blocks, struct gpu_result *result,
                   struct chooser *chooser)
{
    struct timed_case c = {.machine = "tiny", .settings = settings, .mechanism = div_find("pdom")};
    struct gpu_skipper skipper = {chooser, skip_some, note};
    union timed_knobs knobs;
    char *error = NULL;
    open_bench(b, text);
    b->launch.grid[0] = blocks;
    b->launch.block[0] = THREADS;
    struct machine *m = timed_machine(&c);
    timed_set_knobs(&c, &knobs);
    struct gpu_run run = {.machine = m, .mechanism = c.mechanism, .mechanism_knobs = &knobs, .threads = host_threads};
    run.skipper = skips ? &skipper : NULL;
    struct code *code = code_create(b->launch.kernel, b->image, &error);
    gpu_launch(&run, &b->launch, code, result);
    code_destroy(code);
    machine_free(m);
}

static void every_block_runs_once(void **state)
{
    (void)state;
    struct bench whole, part;
    struct gpu_result all, timed;
    struct chooser c = {0};
    launch(&whole, COUNT, false, BLOCKS, &all, NULL);
    launch(&part, COUNT, true, BLOCKS, &timed, &c);
    assert_int_equal(timed.launch.fault.kind, FAULT_NONE);
    for (int i = 0; i < BLOCKS * THREADS; i++)
        assert_int_equal(((uint32_t *)out(&part))[i], 1);
    assert_int_equal(timed.skipped.blocks, SKIPPED);
    assert_int_equal(timed.sm.blocks, BLOCKS - SKIPPED);
    assert_int_equal(c.asked, 2);
    assert_int_equal(c.told, timed.skipped.thread_instructions);
    assert_int_equal(timed.skipped.thread_instructions + timed.launch.thread_instructions,
                     all.launch.thread_instructions);
    assert_int_equal(all.skipped.blocks, 0);
    gpu_result_free(&all);
    gpu_result_free(&timed);
    close_bench(&whole);
    close_bench(&part);
}

static void skipped_blocks_take_no_time(void **state)
{
    (void)state;
    struct bench shorter, part;
    struct gpu_result few, timed;
    struct chooser c = {0};
    launch(&shorter, KERNEL("mov.u32 %r1, 1;"), false, BLOCKS - SKIPPED, &few, NULL);
    launch(&part, KERNEL("mov.u32 %r1, 1;"), true, BLOCKS, &timed, &c);
    assert_int_equal(timed.cycles, few.cycles);
    gpu_result_free(&few);
    gpu_result_free(&timed);
    close_bench(&shorter);
    close_bench(&part);
}

/* Host threads give multiprocessors their first blocks side by side, after which the skipper is asked at once. */
static void host_threads_ask_at_the_same_cycles(void **state)
{
    (void)state;
    struct chooser by[2] = {{0}, {0}};
    settings = "gpu.sm_count=2";
    for (int i = 0; i < 2; i++) {
        struct bench b;
        struct gpu_result result;
        host_threads = 1 + 2 * i;
        launch(&b, COUNT, true, BLOCKS, &result, &by[i]);
        assert_int_equal(result.launch.fault.kind, FAULT_NONE);
        gpu_result_free(&result);
        close_bench(&b);
    }
    host_threads = 1;
    settings = NULL;
    assert_memory_equal(&by[0], &by[1], sizeof by[0]);
}

static void blocks_that_wait_for_timed_ones_are_noticed(void **state)
{
    (void)state;
    struct bench b;
    struct gpu_result result;
    struct chooser c = {0};
    launch(&b, CHAIN, true, BLOCKS, &result, &c);
    assert_true(result.skipped.waits);
    assert_int_equal(result.launch.fault.kind, FAULT_LIVELOCK);
    gpu_result_free(&result);
    close_bench(&b);
    launch(&b, CHAIN, false, BLOCKS, &result, NULL);
    assert_false(result.skipped.waits);
    assert_int_equal(result.launch.fault.kind, FAULT_NONE);
    gpu_result_free(&result);
    close_bench(&b);
}

static void a_fault_of_a_skipped_block_ends_the_launch(void **state)
{
    (void)state;
    struct bench b;
    struct gpu_result result;
    struct chooser c = {0};
    /* Block 30, which is skipped, traps. */
    launch(&b, KERNEL("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p0, %r1, 30; @%p0 trap;"), true, BLOCKS, &result, &c);
    assert_int_equal(result.launch.fault.kind, FAULT_TRAP);
    assert_false(result.skipped.waits);
    gpu_result_free(&result);
    close_bench(&b);
}

static void memory_is_set_back(void **state)
{
    (void)state;
    struct memory *m = memory_create(1 << 20);
    uint64_t a = memory_alloc(m, 64, "a");
    memset(memory_host(m, a, 64), 1, 64);
    struct memory *copy = memory_clone(m);
    uint64_t b = memory_alloc(m, 64, "b");
    memset(memory_host(m, a, 64), 2, 64);
    memset(memory_host(m, b, 64), 3, 64);
    memory_restore(m, copy);
    assert_int_equal(*(uint8_t *)memory_host(m, a, 1), 1);
    assert_int_equal(*(uint8_t *)memory_host(m, a + 63, 1), 1);
    assert_int_equal(*(uint8_t *)memory_host(m, b, 1), 3);
    memory_destroy(copy);
    memory_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_runs_once),
        cmocka_unit_test(skipped_blocks_take_no_time),
        cmocka_unit_test(host_threads_ask_at_the_same_cycles),
        cmocka_unit_test(blocks_that_wait_for_timed_ones_are_noticed),
        cmocka_unit_test(a_fault_of_a_skipped_block_ends_the_launch),
        cmocka_unit_test(memory_is_set_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
