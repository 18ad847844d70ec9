/*
 * A bench for kernels on a machine under a mechanism: they leave the memory that the engine leaves, in the same time and
 * with the same counters whether or not idle cycles are visited.
 *
 * A kernel is KERNEL(body), whose threads store %r1 at the end, each at its place of `out`. %t is the thread, %n how many
 * the block has, %r0 the thread of the grid, %a0 the address of `out`, %a1 that of the thread's word.
 */
#ifndef HEDDLE_TESTS_TIMED_BENCH_H
#define HEDDLE_TESTS_TIMED_BENCH_H

#include "gpu/gpu.h"
#include "kernel_bench.h"

#define KERNEL(body)                                                                                      \
    HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>; .reg .b32 %t, %n, %r<8>; .reg .b64 " \
           "%a<4>;\n"                                                                                     \
           "ld.param.u64 %a0, [out]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %r0, %ctaid.x;\n"   \
           "mad.lo.u32 %r0, %r0, %n, %t; mul.wide.u32 %a1, %r0, 4; add.u64 %a1, %a1, %a0;\n" body         \
           "\nst.global.u32 [%a1], %r1;\nret;\n}\n"

struct timed_case {
    const char *machine, *settings; /* words such as sm.warp_width=8; NULL: none */
    const struct div_ops *mechanism;
    const char *knobs; /* of it: words such as home=simd; NULL: none */
    uint32_t blocks, threads;
};

struct timed {
    struct gpu_result result;
    int32_t pcs; /* instructions of the kernel */
};

union timed_knobs {
    uint64_t align;
    char bytes[256];
};

static inline struct machine *timed_machine(const struct timed_case *c)
{
    char words[256] = "", *rest = words, *error = NULL;
    struct machine *m = machine_load(c->machine, &error);
    assert_non_null(m);
    snprintf(words, sizeof words, "%s", c->settings ? c->settings : "");
    for (char *word; (word = strtok_r(rest, " ", &rest));)
        if (!machine_set(m, word, &error))
            fail_msg("%s", error);
    if (!machine_check(m, &error))
        fail_msg("%s", error);
    return m;
}

static inline void timed_set_knobs(const struct timed_case *c, union timed_knobs *knobs)
{
    const struct knob_table *table = c->mechanism->knobs;
    char words[256] = "", *rest = words, *error = NULL;
    if (table)
        knob_defaults(table, knobs);
    snprintf(words, sizeof words, "%s", c->knobs ? c->knobs : "");
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        if (!knob_set(table, knobs, word, value, &error))
            fail_msg("%s", error);
    }
}

static inline void timed_launch(struct bench *b, const struct gpu_run *run, struct timed *t)
{
    char *error = NULL;
    struct code *code = code_create(b->launch.kernel, b->image, &error);
    assert_non_null(code);
    memset(out(b), 0, OUT_BYTES);
    gpu_launch(run, &b->launch, code, &t->result);
    if (t->result.deadlock)
        fail_msg("%s", t->result.deadlock);
    assert_int_equal(t->result.launch.fault.kind, 0);
    t->pcs = code_program(code)->insn_count;
    code_destroy(code);
}

/* The kernel in a memory of its own, after a run on the engine. */
static inline void timed_open_bench(struct bench *b, const char *text, const struct timed_case *c)
{
    open_bench(b, text);
    b->launch.grid[0] = c->blocks;
    b->launch.block[0] = c->threads;
    run_on_engine(b);
    assert_int_equal(b->result.fault.kind, 0);
}

/* For kernels that poll, where the number of instructions depends on time. Gives the engine's number. */
static inline uint64_t timed_open_polling(struct timed *t, const char *text, const struct timed_case *c)
{
    struct bench b;
    struct timed slow;
    uint8_t expected[OUT_BYTES];
    union timed_knobs knobs;
    struct machine *machine = timed_machine(c);
    struct gpu_run run = {.machine = machine, .mechanism = c->mechanism, .mechanism_knobs = &knobs};
    timed_set_knobs(c, &knobs);
    timed_open_bench(&b, text, c);
    memcpy(expected, out(&b), OUT_BYTES);
    timed_launch(&b, &run, t);
    assert_memory_equal(out(&b), expected, OUT_BYTES);
    uint64_t instructions = b.result.thread_instructions;
    close_bench(&b);
    timed_open_bench(&b, text,
                     c); /* the same addresses again, on which times depend: each launch has new ones for parameters */
    run.visit_every_cycle = true;
    timed_launch(&b, &run, &slow);
    assert_int_equal(t->result.cycles, slow.result.cycles);
    if (c->mechanism->stats)
        assert_memory_equal(t->result.mechanism, slow.result.mechanism, c->mechanism->stats->bytes);
    gpu_result_free(&slow.result);
    machine_free(machine);
    close_bench(&b);
    return instructions;
}

static inline void timed_open(struct timed *t, const char *text, const struct timed_case *c)
{
    uint64_t instructions = timed_open_polling(t, text, c);
    assert_int_equal(t->result.sm.thread_instructions, instructions);
}

/* Runs it once, and gives the first word that it leaves, which may depend on time. */
static inline uint32_t timed_first_word(const char *text, const struct timed_case *c)
{
    struct bench b;
    struct timed t;
    union timed_knobs knobs;
    struct machine *machine = timed_machine(c);
    struct gpu_run run = {.machine = machine, .mechanism = c->mechanism, .mechanism_knobs = &knobs};
    timed_set_knobs(c, &knobs);
    timed_open_bench(&b, text, c);
    timed_launch(&b, &run, &t);
    uint32_t word = *(const uint32_t *)out(&b);
    gpu_result_free(&t.result);
    close_bench(&b);
    machine_free(machine);
    return word;
}

static inline void timed_close(struct timed *t)
{
    gpu_result_free(&t->result);
}

static inline uint64_t timed_count(const struct timed *t, const char *path)
{
    struct stat_result all = {t->result.parts, t->result.part_count};
    _Bool found = 0;
    uint64_t value = stat_get(&all, path, &found);
    if (!found)
        fail_msg("nobody counts %s", path);
    return value;
}

/* Runs it, and gives one counter. */
static inline uint64_t timed_value(const char *text, const struct timed_case *c, const char *path)
{
    struct timed t;
    timed_open(&t, text, c);
    uint64_t value = timed_count(&t, path);
    timed_close(&t);
    return value;
}

#endif
