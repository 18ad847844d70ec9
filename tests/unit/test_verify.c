/*
 * Verifying launches: the difference between two memories, instructions that may lawfully make one, and the verdict on a
 * launch. The machine's part is played by the test, which changes memory by hand.
 */
#include "kernel_bench.h"

#include "device/difference.h"
#include "div/table.h"
#include "flow/unordered.h"
#include "gpu/gpu.h"
#include "run/verify.h"

/* ---- two memories ---- */

static struct memory *two_buffers(uint64_t address[2])
{
    struct memory *m = memory_create(1 << 20);
    address[0] = memory_alloc(m, 4096 + 4096 + 6, "first");
    address[1] = memory_alloc(m, 64, "second");
    return m;
}

static uint8_t *at(const struct memory *m, uint64_t address)
{
    return memory_host(m, address, 1);
}

static void test_difference(void **state)
{
    (void)state;
    uint64_t address[2];
    struct difference d;
    struct memory *wanted = two_buffers(address), *got = memory_clone(wanted);
    assert_non_null(got);
    assert_ptr_not_equal(at(got, address[0]), at(wanted, address[0]));
    assert_false(difference_find(&d, got, wanted));

    at(got, address[1])[13] = 0x7f; /* in the second buffer only */
    assert_true(difference_find(&d, got, wanted));
    assert_int_equal(d.allocation, 1);
    assert_string_equal(d.label, "second");
    assert_int_equal(d.word, 3);
    assert_int_equal(d.byte, 12);
    assert_int_equal(d.address, address[1] + 12);
    assert_int_equal(d.got, 0x7f00);
    assert_int_equal(d.wanted, 0);
    assert_int_equal(d.words, 1);

    at(wanted, address[0])[8193 + 4] = 5; /* the last word, of two bytes: the first difference now */
    at(got, address[1])[16] = 1;
    assert_true(difference_find(&d, got, wanted));
    assert_int_equal(d.allocation, 0);
    assert_int_equal(d.byte, 8196);
    assert_int_equal(d.got, 0);
    assert_int_equal(d.wanted, 0x500);
    assert_int_equal(d.words, 3);
    assert_false(d.is_unmatched);
    memory_destroy(got);
    memory_destroy(wanted);
}

/* What only one of the two has allocated is a difference, whichever it is. */
static void test_unmatched(void **state)
{
    (void)state;
    uint64_t address[2];
    struct difference d;
    struct memory *wanted = two_buffers(address), *got = memory_clone(wanted), *other = memory_clone(wanted);
    uint64_t more = memory_alloc(got, 16, "device malloc");
    assert_int_equal(memory_alloc(other, 16, "x"), more); /* a copy goes on at the same address */
    memory_destroy(other);
    assert_true(difference_find(&d, got, wanted));
    assert_true(d.is_unmatched);
    assert_int_equal(d.address, more);
    assert_true(difference_find(&d, wanted, got));
    assert_true(d.is_unmatched);
    assert_string_equal(d.label, "device malloc");
    assert_true(memory_free(got, more));
    assert_false(difference_find(&d, got, wanted));
    memory_destroy(got);
    memory_destroy(wanted);
}

/* A buffer that was freed before a copy is made, or that only one of two memories has freed, is no allocation any more. */
static void test_freed(void **state)
{
    (void)state;
    uint64_t address[2];
    struct difference d;
    struct memory *wanted = two_buffers(address);
    uint64_t third = memory_alloc(wanted, 16, "third"), fourth = memory_alloc(wanted, 16, "fourth");
    assert_true(memory_free(wanted, address[0])); /* the buffers behind it keep its entry in the list */
    struct memory *got = memory_clone(wanted);
    assert_non_null(got);
    assert_null(memory_find(got, address[0]));
    assert_false(difference_find(&d, got, wanted));

    at(got, fourth)[0] = 1;
    assert_true(difference_find(&d, got, wanted));
    assert_int_equal(d.allocation, 2); /* after "second" and "third" */
    assert_string_equal(d.label, "fourth");
    at(got, fourth)[0] = 0;

    assert_true(memory_free(got, third));
    assert_true(difference_find(&d, got, wanted));
    assert_true(d.is_unmatched);
    assert_int_equal(d.address, third);
    assert_string_equal(d.label, "third");
    memory_destroy(got);
    memory_destroy(wanted);
}

/* ---- instructions ---- */

static const char before[] = HEADER ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %a<4>;\n"
                                    ".reg .f32 %f<4>;\n.reg .pred %p<4>;\n.shared .align 4 .b8 sh[64];\n"
                                    "ld.param.u64 %a0, [p];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %a1, %r0, 4, %a0;\n";
static const char after[] = "st.global.u32 [%a1], %r0;\nret;\n}\n";

struct order_case {
    const char *body, *wanted; /* wanted: a part of the description; NULL: nothing depends on order */
};

static const struct order_case order_cases[] = {
    {"add.u32 %r1, %r0, 1;\n", NULL},
    {"atom.global.add.u32 %r1, [%a0], 1;\n", NULL},
    {"red.global.max.u32 [%a0], %r0;\n", NULL},
    {"atom.global.add.u32 %r1, [%a0], 1;\nmov.u32 %r1, 5;\nadd.u32 %r0, %r1, 1;\n", NULL},
    {"atom.global.add.u32 %r1, [%a0], 1;\nadd.u32 %r0, %r1, 1;\n",
     "the order of atomics (atom.global.add.u32, PTX line"},
    /* a guarded write leaves the old value to other threads */
    {"atom.global.add.u32 %r1, [%a0], 1;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 mov.u32 %r1, 5;\nadd.u32 %r0, %r1, 1;\n",
     "the order of atomics"},
    /* read in the next iteration */
    {"mov.u32 %r1, 0;\nL: add.u32 %r2, %r1, 1;\natom.global.add.u32 %r1, [%a0], 1;\nsetp.lt.u32 %p1, %r2, 3;\n"
     "@%p1 bra L;\n",
     "the order of atomics"},
    {"atom.global.add.u64 %a2, [%a0], 1;\nst.global.u64 [%a0], %a2;\n", "the order of atomics"},
    {"red.global.add.f32 [%a0], 0f3F800000;\n", "red.global.add.f32"},
    {"atom.shared.exch.b32 %r1, [sh], %r0;\n", "atom.shared.exch.b32"},
    {"atom.shared.cas.b32 %r1, [sh], 0, %r0;\n", "atom.shared.cas.b32"},
    {"st.relaxed.gpu.global.u32 [%a0], %r0;\n", "the order of strong loads and stores (st.relaxed.gpu"},
    {"ld.acquire.gpu.global.u32 %r1, [%a0];\n", "the order of strong loads and stores"},
    {"ld.volatile.global.u32 %r1, [%a0];\n", NULL},
    {"mov.u32 %r1, %clock;\n", "where and when threads run (%clock, PTX line"},
    {"mov.u32 %r1, %smid;\n", "(%smid, PTX line"},
    {"mov.u32 %r1, %laneid;\nmov.u32 %r2, %warpid;\n", NULL},
    {"activemask.b32 %r1;\n", "which threads of a warp execute together (activemask.b32"},
    {"shfl.idx.b32 %r1, %r0, 0, 31;\n", "execute together"},
    {"shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\n", NULL},
    {"mov.u32 %r1, %clock;\nred.global.add.f32 [%a0], 0f3F800000;\n", "%clock, PTX line 14); the order of atomics"},
};

/* Executed are all instructions, or none. */
static void describe(const struct order_case *c, bool executed, struct text *found)
{
    struct bench b;
    struct text text = {0};
    char *error = NULL;
    text_printf(&text, "%s%s%s", before, c->body, after);
    open_bench(&b, text.data);
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    assert_non_null(code);
    const struct program *p = code_program(code);
    bool *at_all = malloc((size_t)p->insn_count);
    memset(at_all, executed, (size_t)p->insn_count);
    bool is_any = unordered_describe(p, at_all, found);
    assert_int_equal(is_any, found->length > 0);
    free(at_all);
    code_destroy(code);
    close_bench(&b);
    text_free(&text);
}

static void test_unordered(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(order_cases); i++) {
        const struct order_case *c = &order_cases[i];
        struct text found = {0}, none = {0};
        describe(c, true, &found);
        if (c->wanted ? !found.data || !strstr(found.data, c->wanted) : found.length > 0)
            fail_msg("%s gives '%s', not '%s'", c->body, found.data ? found.data : "", c->wanted ? c->wanted : "");
        describe(c, false, &none);
        assert_int_equal(none.length, 0);
        text_free(&found);
    }
}

/* ---- verdicts ---- */

/* What the launch leaves in word `word` of the buffer, on a machine that the test plays: the functional result, with the
 * word set to `value`. */
static struct verification *verify_text(const char *text, uint32_t word, uint32_t value, enum fault_kind fault)
{
    struct bench b;
    char *error = NULL;
    open_bench(&b, text);
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    assert_non_null(code);
    b.launch.grid_id = 7;
    struct verify_start *start = verify_begin(&b.launch);
    assert_non_null(start);
    struct gpu_result timed = {0};
    functional_launch(&b.launch, code, &timed.launch);
    ((uint32_t *)out(&b))[word] = value;
    timed.launch.fault.kind = fault;
    struct gpu_run run = {.machine = machine_load("fermi", &error), .mechanism = div_find("pdom")};
    struct known_races known = {0};
    struct verification *v = verify_end(start, &run, &b.launch, code, &timed, &known);
    free(known.where);
    machine_free((struct machine *)run.machine);
    code_destroy(code);
    close_bench(&b);
    return v;
}

static struct verification *verify(const char *body, uint32_t word, uint32_t value, enum fault_kind fault)
{
    struct text text = {0};
    text_printf(&text, "%s%s%s", before, body, after);
    struct verification *v = verify_text(text.data, word, value, fault);
    text_free(&text);
    return v;
}

static void expect_verdict(const char *body, uint32_t word, uint32_t value, enum verify_verdict wanted,
                           const char *said)
{
    struct verification *v = verify(body, word, value, FAULT_NONE);
    struct text t = {0};
    verification_print(v, &t);
    if (v->verdict != wanted || !strstr(t.data ? t.data : "", said))
        fail_msg("%s: %s, '%s'", body, verify_names[v->verdict], t.data ? t.data : "");
    text_free(&t);
    verification_free(v);
}

static void test_verdicts(void **state)
{
    (void)state;
    expect_verdict("", 5, 5, VERIFY_SAME, "");
    expect_verdict("", 5, 6, VERIFY_WRONG,
                   "launch 7, kernel k: memory differs from the functional result\n"
                   "  argument 0 (p), word 5 (byte 20): 0x00000006, functionally 0x00000005\n");
    expect_verdict("", 40, 1, VERIFY_WRONG, "no known cause explains the difference");
    expect_verdict("red.global.add.u32 [%a0+256], 1;\n", 5, 6, VERIFY_WRONG, "word 5");
    expect_verdict("atom.global.add.u32 %r1, [%a0+256], 1;\nadd.u32 %r0, %r0, %r1;\n", 5, 6, VERIFY_UNORDERED,
                   "memory may differ: the result depends on the order of atomics");
    expect_verdict("st.global.u32 [%a0+256], %r0;\n", 64, 6, VERIFY_RACE, "since threads race: PTX line 14");
    /* a race goes before atomics that might explain it */
    expect_verdict("st.global.u32 [%a0+256], %r0;\natom.global.exch.b32 %r1, [%a0+260], 1;\n", 64, 6, VERIFY_RACE,
                   "threads race");
}

/* The clock explains a difference also where the kernel reads it before all else, at PC 0. */
static void test_first_instruction(void **state)
{
    (void)state;
    static const char text[] =
        HEADER ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<2>;\n.reg .b64 %a<2>;\n"
               "mov.u32 %r1, %clock;\nld.param.u64 %a0, [p];\nst.global.u32 [%a0], %r1;\nret;\n}\n";
    struct verification *v = verify_text(text, 5, 6, FAULT_NONE);
    assert_int_equal(v->verdict, VERIFY_UNORDERED);
    assert_string_equal(v->why, "where and when threads run (%clock, PTX line 8)");
    verification_free(v);
}

static void test_faults(void **state)
{
    (void)state;
    assert_null(verify("", 5, 6, FAULT_DEADLOCK));
    struct verification *v = verify("trap;\n", 5, 6, FAULT_NONE);
    assert_int_equal(v->verdict, VERIFY_UNKNOWN);
    assert_non_null(v->why);
    assert_true(verify_is_doubtful(v->verdict));
    verification_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_difference),        cmocka_unit_test(test_unmatched), cmocka_unit_test(test_freed),
        cmocka_unit_test(test_unordered),         cmocka_unit_test(test_verdicts),  cmocka_unit_test(test_faults),
        cmocka_unit_test(test_first_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
