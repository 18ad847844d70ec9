/*
 * A bench for tests of passes: a kernel `k` with one parameter, the address of OUT_BYTES of memory, runs before and
 * after passes rewrote it, on both executors, and must leave the same there.
 */
#ifndef HEDDLE_TESTS_PASS_BENCH_H
#define HEDDLE_TESTS_PASS_BENCH_H

#include "kernel_bench.h"

#include "rewrite/table.h"

/* Applies the passes to `k` and keeps what they say. */
static inline bool rewrite_text(struct ptx_module *m, const char *passes, struct text *said)
{
    struct rewrite_list list = {0};
    struct arena arena = {0};
    char *error = NULL;
    if (!rewrite_parse(&list, passes, &arena, &error))
        fail_msg("%s", error);
    bool is_changed = rewrite_apply(&list, m, ptx_find_function(m, "k"), said);
    arena_free(&arena);
    return is_changed;
}

/* The rewritten program as text, which the caller frees. Fails if the passes changed nothing. */
static inline char *rewritten(const char *text, const char *passes)
{
    struct ptx_module *m = parse(text);
    struct text said = {0}, out = {0}, difference = {0};
    if (!rewrite_text(m, passes, &said))
        fail_msg("not changed: %s", said.data);
    ptx_print(m, &out);
    /* What is printed says the same. */
    struct ptx_module *again = parse(out.data);
    if (!ptx_equal(m, again, &difference))
        fail_msg("%s\n%s", difference.data, out.data);
    ptx_destroy(again);
    ptx_destroy(m);
    text_free(&said);
    return text_take(&out);
}

static inline void leave_memory(const char *text, bool on_oracle, uint8_t left[OUT_BYTES])
{
    struct bench b;
    open_bench(&b, text);
    b.launch.block[0] = 64;
    for (uint32_t i = 0; i < OUT_BYTES / 4; i++)
        ((uint32_t *)out(&b))[i] = i * 2654435761u;
    if (on_oracle)
        run(&b);
    else
        run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_NONE);
    memcpy(left, out(&b), OUT_BYTES);
    close_bench(&b);
}

/* Holds that the passes change the kernel, and that it leaves the same memory. Returns the new text, to be freed. */
static inline char *leaves_the_same_when(const char *passes, const char *text)
{
    uint8_t before[OUT_BYTES], after[OUT_BYTES];
    char *changed = rewritten(text, passes);
    leave_memory(text, false, before);
    for (int on_oracle = 0; on_oracle < 2; on_oracle++) {
        leave_memory(changed, on_oracle, after);
        if (memcmp(before, after, OUT_BYTES))
            fail_msg("other memory with\n%s", changed);
    }
    return changed;
}

/* Holds that the passes leave the kernel as it is, and say why. */
static inline void left_alone_by(const char *passes, const char *text, const char *reason)
{
    struct ptx_module *m = parse(text), *same = parse(text);
    struct text said = {0};
    if (rewrite_text(m, passes, &said))
        fail_msg("changed: %s", said.data);
    if (!strstr(said.data ? said.data : "", reason))
        fail_msg("said: %s", said.data ? said.data : "nothing");
    assert_true(ptx_equal(m, same, NULL));
    text_free(&said);
    ptx_destroy(m);
    ptx_destroy(same);
}

/* The word stands in the text so many times. */
static inline void count_is(const char *text, const char *word, int expected)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    if (count != expected)
        fail_msg("%d times '%s' in\n%s", count, word, text);
}

#endif
