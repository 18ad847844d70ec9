/*
 * A bench for tests of passes that rewrite kernels: applies a list of passes to the kernel `k` of a text, and compares
 * the memory that the oracle leaves with the text as it was, and both executors with the text as it became. The
 * changed module, printed and parsed, must be the same module.
 */
#ifndef HEDDLE_TESTS_REWRITE_BENCH_H
#define HEDDLE_TESTS_REWRITE_BENCH_H

#include "base/text.h"
#include "pass_bench.h"

enum { REWRITE_THREADS = 128, REWRITE_LIMIT = 20000000 };

struct rewritten {
    struct ptx_module *module;
    const struct ptx_function *kernel;
    bool is_changed;
    struct text said;
};

static inline struct rewritten rewrite(const char *text, const char *passes)
{
    struct rewritten r = {.module = parse(text)};
    r.is_changed = rewrite_text(r.module, passes, &r.said);
    r.kernel = ptx_find_function(r.module, "k");
    return r;
}

static inline void rewritten_free(struct rewritten *r)
{
    ptx_destroy(r->module);
    text_free(&r->said);
}

static inline int count_op(const struct ptx_function *f, enum op op)
{
    int count = 0;
    for (int i = 0; i < f->instruction_count; i++)
        count += f->instructions[i].op == op;
    return count;
}

/* Runs the kernel of a text over four warps, and copies the output. */
static inline void run_text(const char *text, bool on_engine, uint32_t *into)
{
    struct bench b;
    open_bench(&b, text);
    b.launch.block[0] = REWRITE_THREADS;
    b.launch.instruction_limit = REWRITE_LIMIT;
    char report[2048];
    if (on_engine)
        run_on_engine(&b);
    else
        run(&b);
    if (b.result.fault.kind)
        fail_msg("%s\n%s", fault_describe(&b.result.fault, report, sizeof report), text);
    memcpy(into, out(&b), OUT_BYTES);
    close_bench(&b);
}

static inline void assert_same_memory(const char *text, const char *changed, const char *passes)
{
    static uint32_t before[OUT_BYTES / 4], after[OUT_BYTES / 4];
    run_text(text, false, before);
    for (int on_engine = 0; on_engine < 2; on_engine++) {
        run_text(changed, on_engine, after);
        for (int i = 0; i < OUT_BYTES / 4; i++)
            if (before[i] != after[i])
                fail_msg("%s: word %d is %u, not %u\n%s", passes, i, (unsigned)after[i], (unsigned)before[i], changed);
    }
}

/* Applies the passes, which must change the kernel, and holds that its memory stays the same. What was said, and the
 * changed kernel, stay with the caller. */
static inline struct rewritten assert_rewritten(const char *text, const char *passes)
{
    struct rewritten r = rewrite(text, passes);
    struct text printed = {0}, difference = {0};
    struct diag diag = {0};
    if (!r.is_changed)
        fail_msg("%s: nothing was changed: %s\n%s", passes, r.said.data ? r.said.data : "", text);
    ptx_print(r.module, &printed);
    struct ptx_module *again = ptx_parse("printed.ptx", printed.data, printed.length, &diag);
    if (!again)
        fail_msg("%s: %s", passes, printed.data);
    if (!ptx_equal(r.module, again, &difference))
        fail_msg("%s: %s", passes, difference.data);
    assert_same_memory(text, printed.data, passes);
    ptx_destroy(again);
    diag_free(&diag);
    text_free(&printed);
    return r;
}

static inline void assert_left_alone(const char *text, const char *passes, const char *why)
{
    struct rewritten r = rewrite(text, passes);
    if (r.is_changed || !r.said.data || !strstr(r.said.data, why))
        fail_msg("%s: %s, and '%s' was said, not '%s'", passes, r.is_changed ? "changed" : "not changed",
                 r.said.data ? r.said.data : "", why);
    rewritten_free(&r);
}

#endif
