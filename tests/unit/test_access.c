/*
 * Loads and stores of all widths and vectors, with the lanes' addresses side by side, apart, or all the same, in whole and
 * broken rows: the engine, which has a way of its own for most of these shapes, against the oracle. And rows that the
 * engine must not take for one within the buffer.
 */
#include "base/random.h"
#include "base/text.h"
#include "kernel_bench.h"

enum { IN_BYTES = 4096 }; /* the first half of the buffer is read, the second written */

struct form {
    const char *type;      /* of the elements */
    const char *registers; /* their type */
    unsigned bytes;        /* of an element */
    unsigned elements;
};

static const struct form forms[] = {
    {"u32", "b32", 4, 1}, {"u32", "b32", 4, 2}, {"u32", "b32", 4, 4}, {"u64", "b64", 8, 1}, {"u64", "b64", 8, 2},
    {"u16", "b16", 2, 1}, {"u16", "b16", 2, 2}, {"u16", "b16", 2, 4}, {"s8", "b32", 1, 4},  {"u16", "b32", 2, 2},
    {"s32", "b64", 4, 2}, {"u32", "b64", 4, 4}, {"s8", "b16", 1, 2},  {"b64", "b64", 8, 4},
};

/* {%x0, %x1}, or with one of them sunk. */
static void print_elements(struct text *t, unsigned elements, int sunk)
{
    text_printf(t, elements > 1 ? "{" : "");
    for (unsigned k = 0; k < elements; k++)
        text_printf(t, (int)k == sunk ? "%s_" : "%s%%x%u", k ? ", " : "", k);
    text_printf(t, elements > 1 ? "}" : "");
}

/* Each thread loads what is `apart` accesses behind the one before, and stores it `apart` behind; where all load the same,
 * side by side. */
static char *print_kernel(const struct form *f, unsigned apart, int sunk, const char *guard)
{
    struct text t = {0};
    char vector[16] = "";
    unsigned bytes = f->bytes * f->elements;
    if (f->elements > 1)
        snprintf(vector, sizeof vector, ".v%u", f->elements);
    text_printf(&t,
                HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .%s %%x<4>; .reg .b32 %%r<4>; .reg .b64 %%d<9>;"
                       " .reg .pred %%p<2>;\nld.param.u64 %%d0, [out]; mov.u32 %%r0, %%tid.x;\n"
                       "setp.eq.u32 %%p0, %%r0, 0; setp.lt.u32 %%p1, %%r0, 21;\n"
                       "mul.wide.u32 %%d1, %%r0, %u; add.s64 %%d1, %%d1, %%d0; mul.wide.u32 %%d2, %%r0, %u;\n"
                       "add.s64 %%d2, %%d2, %%d0;\n",
                f->registers, bytes * apart, bytes * (apart ? apart : 1));
    for (unsigned k = 0; k < f->elements; k++)
        text_printf(&t, "cvt.u%s.u32 %%x%u, %%r0;\n", f->registers + 1, k);
    text_printf(&t, "%s ld.global%s.%s ", guard, vector, f->type);
    print_elements(&t, f->elements, sunk);
    text_printf(&t, ", [%%d1+%u];\n%s st.global%s.%s [%%d2+%u], ", bytes, guard, vector, f->type, IN_BYTES);
    print_elements(&t, f->elements, -1);
    text_printf(&t, ";\nret;\n}\n");
    return text_take(&t);
}

static void run_form(const char *text, bool on_engine, uint8_t *left)
{
    struct bench b;
    struct random r = {.state = 3};
    open_bench(&b, text);
    for (int i = 0; i < IN_BYTES; i++)
        ((uint8_t *)out(&b))[i] = (uint8_t)random_u64(&r);
    if (on_engine)
        run_on_engine(&b);
    else
        run(&b);
    assert_int_equal(b.result.fault.kind, 0);
    memcpy(left, out(&b), OUT_BYTES);
    close_bench(&b);
}

static void test_every_shape(void **state)
{
    (void)state;
    static const char *const guards[] = {"", "@%p0", "@!%p0", "@%p1"};
    static uint8_t left[OUT_BYTES], expected[OUT_BYTES];
    for (unsigned n = 0; n < COUNTOF(forms); n++)
        for (unsigned apart = 0; apart < 3; apart++)
            for (unsigned guard = 0; guard < COUNTOF(guards); guard++)
                for (int sunk = -1; sunk < (forms[n].elements > 1 ? 1 : 0); sunk++) {
                    char *text = print_kernel(&forms[n], apart, sunk, guards[guard]);
                    run_form(text, false, expected);
                    run_form(text, true, left);
                    if (memcmp(left, expected, sizeof left))
                        fail_msg("differs:\n%s", text);
                    free(text);
                }
}

/* Two accesses of one instruction, each a whole row: the first within the buffer, the second with one lane moved. */
static char *print_two_rows(const char *access, const char *lane, const char *move)
{
    struct text t = {0};
    text_printf(&t,
                HEADER ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<4>; .reg .b64 %%d<9>; .reg .pred %%p<2>;\n"
                       ".shared .align 16 .b8 s[8192]; .reg .b16 %%h; .reg .b32 %%v<2>;\n"
                       "ld.param.u64 %%d0, [out]; mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d1, %%r0, 4;\n"
                       "add.s64 %%d1, %%d1, %%d0; setp.eq.u32 %%p0, %%r0, %s; mov.u32 %%r1, 0;\n"
                       "again: sub.s64 %%d2, %%d1, %%d0; cvt.u32.u64 %%r3, %%d2;\n%s\nadd.u32 %%r1, %%r1, 1; "
                       "setp.eq.u32 %%p1, %%r1, 2; @%%p1 bra done;\n"
                       "@%%p0 add.s64 %%d1, %%d1, %s; bra again;\ndone: ret;\n}\n",
                lane, access, move);
    return text_take(&t);
}

static void test_rows_that_leave_the_buffer(void **state)
{
    (void)state;
    static const char *const accesses[] = {"ld.global.u32 %r2, [%d1];",
                                           "ld.u32 %r2, [%d1];",
                                           "st.global.u32 [%d1], %r0;",
                                           "st.u32 [%d1], %r0;",
                                           "atom.global.add.u32 %r2, [%d1], 1;",
                                           "red.global.max.s32 [%d1], 1;",
                                           "atom.global.cas.b32 %r2, [%d1], 0, 1;",
                                           "ld.shared.u32 %r2, [%r3];",
                                           "ld.shared.f32 %v0, [%d2];",
                                           "st.shared.u32 [%r3], %r0;",
                                           "atom.shared.add.u32 %r2, [%r3], 1;",
                                           "atom.shared.exch.b32 %r2, [%d2], 1;"};
    static const struct {
        const char *lane, *move;
        enum fault_kind kind;
    } moves[] = {
        {"31", "8068", FAULT_OUT_OF_BOUNDS},        {"31", "8064", FAULT_NONE},   {"0", "-4", FAULT_OUT_OF_BOUNDS},
        {"7", "8176", FAULT_OUT_OF_BOUNDS},         {"7", "2", FAULT_MISALIGNED}, {"30", "-7", FAULT_MISALIGNED},
        {"5", "0x1000000000", FAULT_OUT_OF_BOUNDS}, {"9", "1024", FAULT_NONE}};
    for (unsigned a = 0; a < COUNTOF(accesses); a++)
        for (unsigned m = 0; m < COUNTOF(moves); m++) {
            struct bench b;
            char *text = print_two_rows(accesses[a], moves[m].lane, moves[m].move);
            open_bench(&b, text);
            run_on_engine(&b);
            if (strstr(accesses[a], "%r3") && strstr(moves[m].move, "0x")) /* an address of 32 bits stays where it is */
                assert_int_equal(b.result.fault.kind, FAULT_NONE);
            else if (b.result.fault.kind != moves[m].kind)
                fail_msg("fault %d, not %d:\n%s", (int)b.result.fault.kind, (int)moves[m].kind, text);
            close_bench(&b);
            free(text);
        }
}

/* One place for all lanes: the last of the parameters, and the first behind them. */
static void test_fixed_places(void **state)
{
    (void)state;
    for (int is_behind = 0; is_behind < 2; is_behind++) {
        struct bench b;
        struct text t = {0};
        text_printf(&t,
                    HEADER
                    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<4>; .reg .b64 %%d<2>;\n"
                    "ld.param.u64 %%d0, [out]; ld.param.u32 %%r0, [out+%d]; st.global.u32 [%%d0], %%r0;\nret;\n}\n",
                    is_behind ? 8 : 4);
        open_bench(&b, t.data);
        run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, is_behind ? FAULT_OUT_OF_BOUNDS : FAULT_NONE);
        if (!is_behind)
            assert_int_equal(*(uint32_t *)out(&b), (uint32_t)(b.out >> 32));
        close_bench(&b);
        text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_shape),
                                       cmocka_unit_test(test_rows_that_leave_the_buffer),
                                       cmocka_unit_test(test_fixed_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
