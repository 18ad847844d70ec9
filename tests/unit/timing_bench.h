/*
 * A bench for timing tests: one kernel on one machine, and the cycle at which each of its instructions
 * issued.
 *
 * The kernel is the lines of `body`. An instruction that a test asks for has its name behind it, as a comment
 * at the end of its line:
 *     add.u32 %r1, %t, 1; // a
 * Two instructions come before the body, so that in the plain machine it starts at cycle 3 if nothing holds
 * it: mov.u64 %base, DATA;     address of 512 KiB, a multiple of 64 KiB mov.u32 %t, %tid.x; Registers:
 * %r0-%r15 (b32), %f0-%f7 (f32), %d0-%d7 (f64), %a0-%a7 (b64), %p0-%p3; 8 KiB of shared memory at `sh`. None
 * of them share a plane, so that instructions that look independent are.
 *
 * The plain machine: the defaults of sm/config.c (W = 32, 32 lanes, one scheduler, lrr, one unit of each
 * kind, 4 cycles for integers and branches) with the memory of mem_bench.h, and one multiprocessor.
 * `settings` change it.
 *
 * Each kernel runs twice, skipping idle cycles and visiting all of them; both must issue alike.
 */
#ifndef HEDDLE_TESTS_TIMING_BENCH_H
#define HEDDLE_TESTS_TIMING_BENCH_H

#include "base/diag.h"
#include "div/table.h"
#include "exec/code.h"
#include "gpu/gpu.h"
#include "mem_bench.h"
#include "trace/event.h"

#include <stdio.h>

#define COUNTOF(array) (sizeof(array) / sizeof *(array))

enum { ANY_STRAND = -1, FIRST_ISSUE = 1, BODY_START = 3 }; /* cycles of the first instruction, and of the body's */

struct timing_case {
    const char *body;
    const char *before;        /* functions that it calls; NULL: none */
    const char *machine;       /* NULL: plain */
    const char *mechanism;     /* NULL: pdom */
    const char *knobs;         /* of it, "name=value ..."; NULL: defaults */
    uint32_t blocks, threads;  /* 0: one block, 32 threads of it */
    const struct div_ops *own; /* a mechanism of the test, in place of that of the name; NULL: none */
};

struct timing {
    char *text;
    struct machine *machine;
    struct ptx_module *module;
    struct memory *memory;
    struct image *image;
    struct code *code;
    struct trace *trace;
    struct gpu_result result;
    uint64_t data;
};

static inline struct machine *timing_machine(const char *name, char *settings)
{
    char *error = NULL, *rest = settings;
    struct machine *m = machine_load(name ? name : "tiny", &error);
    assert_non_null(m);
    if (!name) {
        knob_defaults(&sm_knobs, &m->sm);
        m->mem = plain_config();
    }
    for (char *word; (word = strtok_r(rest, " ", &rest));)
        if (!machine_set(m, word, &error))
            fail_msg("%s", error);
    if (!machine_check(m, &error))
        fail_msg("%s", error);
    return m;
}

/* Reads every register. It stands behind the end, where nothing comes to it. */
static inline void keep_registers(struct text *t)
{
    for (int i = 0; i < 16; i++)
        text_printf(t, "xor.b32 %%r0, %%r0, %%r%d;\n", i);
    for (int i = 0; i < 8; i++)
        text_printf(t, "add.f32 %%f0, %%f0, %%f%d;\nadd.f64 %%d0, %%d0, %%d%d;\nxor.b64 %%a0, %%a0, %%a%d;\n", i, i, i);
    for (int i = 0; i < 4; i++)
        text_printf(t, "selp.b32 %%r0, %%r0, %%t, %%p%d;\n", i);
    text_printf(t, "xor.b64 %%a0, %%a0, %%base;\n");
}

static inline char *timing_text(const struct timing_case *c, uint64_t data)
{
    struct text t = {0};
    text_printf(&t,
                ".version 8.0\n.target sm_90\n.address_size 64\n%s.visible .entry k(.param .u64 p)\n{\n"
                ".reg .b32 %%t, %%r<16>;\n.reg .f32 %%f<8>;\n.reg .f64 %%d<8>;\n.reg .b64 %%base, %%a<8>;\n"
                ".reg .pred %%p<4>;\n.shared .align 128 .b8 sh[8192];\n"
                "mov.u64 %%base, %llu; // base\nmov.u32 %%t, %%tid.x; // t\n%sret; // ret\n",
                c->before ? c->before : "", (unsigned long long)data, c->body);
    keep_registers(&t);
    text_printf(&t, "ret;\n}\n");
    return text_take(&t);
}

static inline void timing_load(struct timing *t, const struct timing_case *c)
{
    struct diag diag = {0};
    char *error = NULL;
    t->memory = memory_create(UINT64_C(1) << 30);
    t->data = (memory_alloc(t->memory, 0x90000, "data") + 0xffff) & ~UINT64_C(0xffff);
    t->text = timing_text(c, t->data);
    t->module = ptx_parse("timing.ptx", t->text, strlen(t->text), &diag);
    if (!t->module)
        fail_msg("%s", diag_text(&diag));
    diag_free(&diag);
    t->image = image_load(t->module, t->memory, &error);
    assert_non_null(t->image);
    t->code = code_create(ptx_find_function(t->module, "k"), t->image, &error);
    if (!t->code)
        fail_msg("%s", error);
}

static inline void set_mechanism_knobs(const struct knob_table *table, void *values, const char *settings)
{
    char words[256], *rest = words, *error = NULL;
    knob_defaults(table, values);
    snprintf(words, sizeof words, "%s", settings ? settings : "");
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        *equals = '\0';
        if (!knob_set(table, values, word, equals + 1, &error))
            fail_msg("%s", error);
    }
}

static inline struct trace *timing_run(struct timing *t, const struct timing_case *c, bool visit_every_cycle,
                                       struct gpu_result *result)
{
    uint64_t knobs[64] = {0}, parameter = t->data;
    struct gpu_run run = {.machine = t->machine,
                          .mechanism = c->own ? c->own : div_find(c->mechanism ? c->mechanism : "pdom"),
                          .mechanism_knobs = knobs,
                          .visit_every_cycle = visit_every_cycle,
                          .trace = trace_create(&(struct trace_options){.sm = -1, .last_cycle = UINT64_MAX})};
    struct launch launch = {.kernel = ptx_find_function(t->module, "k"),
                            .image = t->image,
                            .grid = {c->blocks ? c->blocks : 1, 1, 1},
                            .block = {c->threads ? c->threads : 32, 1, 1},
                            .parameters = &parameter,
                            .parameter_bytes = 8,
                            .instruction_limit = 1000000};
    char report[2048];
    if (run.mechanism->knobs)
        set_mechanism_knobs(run.mechanism->knobs, knobs, c->knobs);
    gpu_launch(&run, &launch, t->code, result);
    if (result->launch.fault.kind)
        fail_msg("%s", fault_describe(&result->launch.fault, report, sizeof report));
    return run.trace;
}

enum { MOST_MULTIPROCESSORS = 80 }; /* of the machines here */

/* The next event of the multiprocessor from `at` on that is an issue, or a block that starts or ends; NULL: none. Spans
 * of stalls and states may be cut differently. */
static inline const struct trace_event *next_happening(const struct trace *t, int sm, int *at)
{
    while (*at < t->events.count) {
        const struct trace_event *e = &t->events.data[(*at)++];
        if (e->sm != sm)
            continue;
        if (e->kind == TRACE_ISSUE || e->kind == TRACE_BLOCK_START || e->kind == TRACE_BLOCK_END)
            return e;
    }
    return NULL;
}

static inline void expect_same_issues_of(const struct trace *a, const struct trace *b, int sm)
{
    const struct trace_event *x;
    int at_a = 0, at_b = 0;
    while ((x = next_happening(a, sm, &at_a))) {
        const struct trace_event *y = next_happening(b, sm, &at_b);
        assert_non_null(y);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->cycle, y->cycle);
        if (x->kind != TRACE_ISSUE)
            continue;
        assert_int_equal(x->issue.pc, y->issue.pc);
        assert_int_equal(x->issue.strand, y->issue.strand);
    }
    assert_null(next_happening(b, sm, &at_b));
}

static inline void expect_same_issues(const struct trace *a, const struct trace *b)
{
    for (int sm = 0; sm < MOST_MULTIPROCESSORS; sm++)
        expect_same_issues_of(a, b, sm);
}

static inline void timing_open(struct timing *t, const struct timing_case *c, const char *settings, ...)
    __attribute__((format(printf, 3, 4)));
static inline void timing_open(struct timing *t, const struct timing_case *c, const char *settings, ...)
{
    char words[1024];
    struct gpu_result slow;
    va_list args;
    memset(t, 0, sizeof *t);
    va_start(args, settings);
    vsnprintf(words, sizeof words, settings, args);
    va_end(args);
    t->machine = timing_machine(c->machine, words);
    timing_load(t, c);
    t->trace = timing_run(t, c, false, &t->result);
    struct trace *visited = timing_run(t, c, true, &slow);
    expect_same_issues(t->trace, visited);
    assert_int_equal(t->result.cycles, slow.cycles);
    trace_destroy(visited);
    gpu_result_free(&slow);
}

static inline void timing_close(struct timing *t)
{
    trace_destroy(t->trace);
    gpu_result_free(&t->result);
    code_destroy(t->code);
    image_unload(t->image);
    memory_destroy(t->memory);
    ptx_destroy(t->module);
    machine_free(t->machine);
    free(t->text);
}

/* The instruction whose line ends with the name. */
static inline int32_t pc_named(const struct timing *t, const char *name)
{
    char mark[64];
    int line = 1;
    const struct program *p = code_program(t->code);
    snprintf(mark, sizeof mark, "// %s\n", name);
    const char *at = strstr(t->text, mark);
    if (!at)
        fail_msg("no instruction is named %s", name);
    for (const char *c = t->text; c < at; c++)
        line += *c == '\n';
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        if (p->insns[pc].line == line)
            return pc;
    fail_msg("line %d has no instruction", line);
    return -1;
}

/* The n-th issue (from 0) of the instruction by the strand, or NULL. */
static inline const struct trace_issue *find_issue(const struct timing *t, const char *name, int32_t strand, int n)
{
    int32_t pc = pc_named(t, name);
    for (int i = 0; i < t->trace->events.count; i++) {
        const struct trace_event *e = &t->trace->events.data[i];
        if (e->kind == TRACE_ISSUE && e->issue.pc == pc && (strand == ANY_STRAND || e->issue.strand == strand) &&
            n-- == 0)
            return &e->issue;
    }
    return NULL;
}

static inline uint64_t issued_nth(const struct timing *t, const char *name, int32_t strand, int n)
{
    const struct trace_issue *issue = find_issue(t, name, strand, n);
    if (!issue)
        fail_msg("%s did not issue %d times", name, n + 1);
    return issue->cycle;
}

/* The cycle at which the strand (of the first block: its warp) issued it, which it did once. */
static inline uint64_t issued_by(const struct timing *t, const char *name, int32_t strand)
{
    if (find_issue(t, name, strand, 1))
        fail_msg("%s issued more than once", name);
    return issued_nth(t, name, strand, 0);
}

static inline uint64_t issued(const struct timing *t, const char *name)
{
    return issued_by(t, name, ANY_STRAND);
}

/* From the issue of one instruction to the issue of another. */
static inline uint64_t between(const struct timing *t, const char *first, const char *second)
{
    return issued(t, second) - issued(t, first);
}

static inline uint64_t count_of(const struct timing *t, const char *path)
{
    struct stat_result all = {t->result.parts, t->result.part_count};
    _Bool found = 0;
    uint64_t value = stat_get(&all, path, &found);
    assert_true(found);
    return value;
}

/* When the block started (was given to its multiprocessor) or ended. */
static inline uint64_t block_event(const struct timing *t, enum trace_kind kind, uint64_t block)
{
    for (int i = 0; i < t->trace->events.count; i++) {
        const struct trace_event *e = &t->trace->events.data[i];
        if (e->kind == kind && e->block == block)
            return e->cycle;
    }
    fail_msg("nothing is known of block %d", (int)block);
    return 0;
}

#endif
