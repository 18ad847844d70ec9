/*
 * Calls through pointers: which functions they may come to, and that both executors take every thread to the
 * one it names and back.
 */
#include "base/text.h"
#include "device/launch.h"
#include "exec/functional.h"
#include "flow/print.h"
#include "flow/program.h"
#include "oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define FUNCTION(name, body)                                                                \
    ".func (.param .b32 out) " name "(.param .b32 a, .param .b32 b)\n{\n.reg .b32 %x<4>;\n" \
    "ld.param.u32 %x1, [a]; ld.param.u32 %x2, [b];\n" body "\nst.param.b32 [out], %x3; ret;\n}\n"
#define ADD FUNCTION("f_add", "add.u32 %x3, %x1, %x2;")
#define SUB FUNCTION("f_sub", "sub.u32 %x3, %x1, %x2;")
#define MUL FUNCTION("f_mul", "mul.lo.u32 %x3, %x1, %x2;")
/* %r0 is the thread, %d1 its word of the output, %d2 the second parameter. */
#define KERNEL(body)                                                             \
    ".visible .entry k(.param .u64 out, .param .u64 extra)\n{\n"                 \
    ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>;\n"                      \
    "ld.param.u64 %d0, [out]; ld.param.u64 %d2, [extra]; mov.u32 %r0, %tid.x;\n" \
    "mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d1, %d0;\n" body "\nret;\n}\n"
/* Calls %d3 with the thread and 5, under a guard or none; the result goes to the output. */
#define CALL(guard, prototype)                                                                            \
    "{\n.param .b32 a0; .param .b32 b0; .param .b32 r0;\nst.param.b32 [a0], %r0; st.param.b32 [b0], 5;\n" \
    "P: " prototype ";\n" guard " call (r0), %d3, (a0, b0), P;\nld.param.b32 %r8, [r0];\n}\n"             \
    "st.global.u32 [%d1], %r8;\n"
#define SHAPE ".callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _)"
/* %d3 by the thread's number modulo 3. */
#define CHOOSE                                                                                           \
    "rem.u32 %r1, %r0, 3; mov.u64 %d3, f_add; mov.u64 %d4, f_sub; mov.u64 %d5, f_mul;\n"                 \
    "setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r1, 2; selp.b64 %d3, %d4, %d3, %p1; selp.b64 %d3, %d5, " \
    "%d3, %p2;\n"

enum { THREADS = 45, OUT_BYTES = 256 };

/* A module with kernel `k`, loaded and bound, and what a launch left behind. */
struct bench {
    struct ptx_module *module;
    struct memory *memory;
    struct image *image;
    struct code *code;
    struct launch launch;
    struct launch_result result;
    uint64_t parameters[2];
};

static void open_bench(struct bench *b, const char *text)
{
    struct diag diag = {0};
    char *error = NULL;
    memset(b, 0, sizeof *b);
    b->module = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!b->module)
        fail_msg("%s", diag_text(&diag));
    diag_free(&diag);
    b->memory = memory_create(UINT64_C(1) << 30);
    b->image = image_load(b->module, b->memory, &error);
    assert_non_null(b->image);
    b->launch = (struct launch){.kernel = ptx_find_function(b->module, "k"),
                                .image = b->image,
                                .grid = {1, 1, 1},
                                .block = {THREADS, 1, 1},
                                .parameters = b->parameters,
                                .parameter_bytes = sizeof b->parameters,
                                .instruction_limit = 1000000};
    b->parameters[0] = memory_alloc(b->memory, OUT_BYTES, "out");
    b->code = code_create(b->launch.kernel, b->image, &error);
    if (!b->code)
        fail_msg("%s", error);
}

static void close_bench(struct bench *b)
{
    code_destroy(b->code);
    image_unload(b->image);
    memory_destroy(b->memory);
    ptx_destroy(b->module);
}

static uint64_t address_of(const struct bench *b, const char *function)
{
    return image_function_address(b->image, ptx_find_function(b->module, function));
}

static uint32_t *output(struct bench *b)
{
    return memory_host(b->memory, b->parameters[0], OUT_BYTES);
}

enum executor { ENGINE, ORACLE, EXECUTOR_COUNT };

static void run(struct bench *b, enum executor executor)
{
    memset(output(b), 0xee, OUT_BYTES);
    if (executor == ENGINE)
        functional_launch(&b->launch, b->code, &b->result);
    else
        oracle_launch(&b->launch, &b->result);
}

static void run_well(struct bench *b, enum executor executor)
{
    char report[2048];
    run(b, executor);
    if (b->result.fault.kind)
        fail_msg("%s", fault_describe(&b->result.fault, report, sizeof report));
}

static uint32_t chosen(uint32_t thread)
{
    return thread % 3 == 0 ? thread + 5 : thread % 3 == 1 ? thread - 5 : thread * 5;
}

static void expect_chosen(struct bench *b)
{
    for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
        run_well(b, (enum executor)executor);
        for (uint32_t i = 0; i < THREADS; i++)
            assert_int_equal(output(b)[i], chosen(i));
    }
}

static const struct call *only_pointer_call(const struct bench *b)
{
    const struct program *p = code_program(b->code);
    const struct call *found = NULL;
    for (int i = 0; i < p->call_count; i++)
        if (p->calls[i].callee < 0 && !p->calls[i].builtin) {
            assert_null(found);
            found = &p->calls[i];
        }
    assert_non_null(found);
    return found;
}

static bool may_enter(const struct bench *b, const char *function)
{
    const struct call *c = only_pointer_call(b);
    for (int i = 0; i < c->candidate_count; i++)
        if (!strcmp(code_program(b->code)->functions[c->candidates[i]].source->name, function))
            return true;
    return false;
}

static void threads_go_where_their_pointers_point(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD ADD SUB MUL KERNEL(CHOOSE CALL("", SHAPE)));
    expect_chosen(&b);
    run_well(&b, ENGINE);
    assert_int_equal(b.result.branches, 2); /* of a row each, both parted */
    assert_int_equal(b.result.divergent_branches, 2);
    close_bench(&b);
}

static void a_pointer_call_is_a_branch_that_meets_behind_itself(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD ADD SUB MUL KERNEL(CHOOSE CALL("", SHAPE)));
    const struct program *p = code_program(b.code);
    const struct call *c = only_pointer_call(&b);
    assert_int_equal(p->branch_count, 1);
    assert_int_equal(p->branches[0].pc, c->pc);
    assert_int_equal(p->branches[0].ipdom, c->pc + 1);
    assert_int_equal(p->branches[0].target_count, 3);
    assert_false(p->branches[0].uniform);
    assert_int_equal(c->candidate_count, 3);
    for (int i = 0; i < 3; i++) {
        const struct program_function *f = &p->functions[c->candidates[i]];
        assert_int_equal(p->branches[0].target[i], f->first);
        for (int w = 0; w < WIDTH_COUNT; w++)
            assert_int_equal(f->first_plane[w], p->functions[0].first_plane[w] + p->functions[0].plane_count[w]);
    }
    close_bench(&b);
}

static void one_pointer_for_all_is_uniform(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD ADD SUB KERNEL("mov.u64 %d4, f_sub; mov.u64 %d3, f_add;\n" CALL("", SHAPE)));
    const struct program *p = code_program(b.code);
    assert_true(p->branches[p->insns[only_pointer_call(&b)->pc].branch].uniform);
    run_well(&b, ENGINE);
    assert_int_equal(output(&b)[7], 12);
    assert_int_equal(b.result.divergent_branches, 0);
    close_bench(&b);
}

static void tables_hold_functions(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD ADD SUB MUL ".global .align 8 .u64 table[3] = {f_add, f_sub, f_mul};\n" KERNEL(
                       "rem.u32 %r1, %r0, 3; mul.wide.u32 %d4, %r1, 8; mov.u64 %d5, table; add.s64 %d4, %d4, %d5;\n"
                       "ld.global.u64 %d3, [%d4];\n" CALL("", SHAPE)));
    expect_chosen(&b);
    close_bench(&b);
}

/* The address comes from outside; another kernel of the module took it. */
static void parameters_hold_functions(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD ADD MUL KERNEL("mov.u64 %d3, %d2;\n" CALL(
                       "", SHAPE)) ".visible .entry other(.param .u64 to)\n{\n.reg .b64 %d<3>;\n"
                                   "ld.param.u64 %d1, [to]; mov.u64 %d2, f_mul; st.global.u64 [%d1], %d2; ret;\n}\n");
    b.parameters[1] = address_of(&b, "f_mul");
    for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
        run_well(&b, (enum executor)executor);
        assert_int_equal(output(&b)[9], 45);
    }
    assert_false(may_enter(&b, "f_add"));
    close_bench(&b);
}

static void candidates_fit_the_prototype(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD ADD SUB ".func (.param .b32 out) longer(.param .b32 a, .param .b64 b) { ret; }\n"
                                ".func (.param .b32 out) fewer(.param .b32 a) { ret; }\n"
                                ".func none(.param .b32 a, .param .b32 b) { ret; }\n"
                                ".func (.param .b32 out) hidden(.param .b32 a, .param .b32 b) { ret; }\n"
                                ".global .align 8 .u64 table[4] = {longer, fewer, none, f_sub};\n" KERNEL(
                                    "mov.u64 %d3, f_add;\n" CALL("", SHAPE)));
    assert_true(may_enter(&b, "f_add"));
    assert_true(may_enter(&b, "f_sub"));
    assert_int_equal(only_pointer_call(&b)->candidate_count, 2);
    assert_int_equal(code_program(b.code)->function_count, 3);
    close_bench(&b);
}

static void a_list_of_targets_narrows(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD ADD SUB MUL KERNEL("mov.u64 %d3, f_mul; mov.u64 %d4, f_add; mov.u64 %d5, f_sub;\n"
                                           "setp.ne.u64 %p1, %d2, 0; selp.b64 %d3, %d4, %d3, %p1;\n" CALL(
                                               "", ".calltargets f_add, f_sub")));
    assert_int_equal(only_pointer_call(&b)->candidate_count, 2);
    assert_false(may_enter(&b, "f_mul"));
    for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
        b.parameters[1] = 1;
        run_well(&b, (enum executor)executor);
        assert_int_equal(output(&b)[20], 25);
        b.parameters[1] = 0;
        run(&b, (enum executor)executor);
        assert_int_equal(b.result.fault.kind, FAULT_BAD_POINTER);
    }
    close_bench(&b);
}

static void guarded_pointer_calls_leave_the_others_behind(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD ADD SUB MUL KERNEL(CHOOSE "setp.lt.u32 %p3, %r0, 17; mov.u64 %d6, 0;\n"
                                                  "selp.b64 %d3, %d3, %d6, %p3;\n" CALL("@%p3", SHAPE)));
    for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
        run_well(&b, (enum executor)executor);
        for (uint32_t i = 0; i < 17; i++)
            assert_int_equal(output(&b)[i], chosen(i));
    }
    const struct branch *branch = &code_program(b.code)->branches[0];
    assert_int_equal(branch->target_count, 4);
    assert_int_equal(branch->target[3], branch->pc + 1);
    close_bench(&b);
}

static void a_pointer_to_no_function_is_a_fault(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD ADD KERNEL("mov.u64 %d3, f_add; setp.eq.u32 %p1, %r0, 6; mov.u64 %d4, 0x1234;\n"
                                   "selp.b64 %d3, %d4, %d3, %p1;\n" CALL("", SHAPE)));
    for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
        run(&b, (enum executor)executor);
        assert_int_equal(b.result.fault.kind, FAULT_BAD_POINTER);
        assert_string_equal(b.result.fault.detail, "0x1234 is not a function this call can reach");
        assert_int_equal(b.result.fault.thread[0], 6);
    }
    close_bench(&b);
}

/* Factorials: `times` calls, through the pointer it is handed, either itself or `one`. */
#define RECURSE                                                                                             \
    ".func (.param .b32 out) one(.param .b32 n, .param .b64 f) {\nst.param.b32 [out], 1; ret;\n}\n"         \
    ".func (.param .b32 out) times(.param .b32 n, .param .b64 f)\n{\n"                                      \
    ".reg .b32 %x<5>; .reg .b64 %y<4>; .reg .pred %q;\n"                                                    \
    "ld.param.u32 %x1, [n]; ld.param.u64 %y1, [f]; sub.u32 %x2, %x1, 1;\n"                                  \
    "mov.u64 %y2, one; setp.eq.u32 %q, %x2, 0; selp.b64 %y3, %y2, %y1, %q;\n"                               \
    "{\n.param .b32 a0; .param .b64 b0; .param .b32 r0;\nst.param.b32 [a0], %x2; st.param.b64 [b0], %y1;\n" \
    "Q: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\n"                                 \
    "call (r0), %y3, (a0, b0), Q;\nld.param.b32 %x3, [r0];\n}\n"                                            \
    "mul.lo.u32 %x4, %x3, %x1; st.param.b32 [out], %x4; ret;\n}\n"
#define RECURSE_KERNEL                                                                         \
    KERNEL("and.b32 %r1, %r0, 7; add.u32 %r1, %r1, 1; mov.u64 %d3, times;\n"                   \
           "{\n.param .b32 a0; .param .b64 b0; .param .b32 r0;\nst.param.b32 [a0], %r1;\n"     \
           "st.param.b64 [b0], %d3; call (r0), times, (a0, b0);\nld.param.b32 %r8, [r0];\n}\n" \
           "st.global.u32 [%d1], %r8;")

static void pointers_may_recurse(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD RECURSE RECURSE_KERNEL);
    const struct call *c = only_pointer_call(&b);
    const struct program *p = code_program(b.code);
    assert_int_equal(c->candidate_count, 2);
    assert_true(c->recursive);
    assert_int_equal(c->save_count, 1); /* %x1 */
    assert_true(p->has_recursion);
    for (int i = 1; i < p->function_count; i++)
        assert_int_equal(p->functions[i].recursive, !strcmp(p->functions[i].source->name, "times"));
    for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
        run_well(&b, (enum executor)executor);
        for (uint32_t i = 0; i < THREADS; i++) {
            uint32_t product = 1;
            for (uint32_t k = 2; k <= (i & 7) + 1; k++)
                product *= k;
            assert_int_equal(output(&b)[i], product);
        }
    }
    close_bench(&b);
}

/* Old code passes registers; the body then starts with loads that are not in the text, also before labels. */
static void registers_pass_through_pointer_calls(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD ".func (.reg .u32 %o) pick(.reg .u32 %a, .reg .u64 %b)\n{\n.reg .u32 %t;\n"
                        "T: .branchtargets L0, L1, L0;\nrem.u32 %t, %a, 3; brx.idx %t, T;\n"
                        "L0: add.u32 %o, %a, 100; ret;\nL1: cvt.u32.u64 %o, %b; ret;\n}\n" KERNEL(
                            "mov.u64 %d3, pick; mov.u64 %d4, 77;\n"
                            "P: .callprototype (.reg .u32 _) _ (.reg .u32 _, .reg .u64 _);\n"
                            "call (%r8), %d3, (%r0, %d4), P;\nst.global.u32 [%d1], %r8;"));
    for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
        run_well(&b, (enum executor)executor);
        for (uint32_t i = 0; i < THREADS; i++)
            assert_int_equal(output(&b)[i], i % 3 == 1 ? 77 : i + 100);
    }
    const struct program *p = code_program(b.code);
    const struct branch *brx = NULL;
    for (int i = 0; i < p->branch_count; i++)
        if (p->insns[p->branches[i].pc].op == OP_BRX)
            brx = &p->branches[i];
    assert_non_null(brx);
    assert_int_equal(brx->table_count, 3);
    assert_int_equal(brx->target_count, 2);
    assert_int_equal(brx->table[0], brx->pc + 1);
    assert_int_equal(brx->table[2], brx->table[0]);
    assert_int_equal(brx->table[1], brx->target[1]);
    close_bench(&b);
}

static void reports_name_the_candidates(void **state)
{
    (void)state;
    struct bench b;
    struct text t = {0};
    open_bench(&b, HEAD ADD SUB MUL KERNEL(CHOOSE CALL("", SHAPE)));
    program_print_text(code_program(b.code), &t);
    assert_non_null(strstr(t.data, "through a pointer\n    may enter f_add\n    may enter f_sub\n"));
    text_free(&t);
    program_print_json(code_program(b.code), &t);
    assert_non_null(strstr(t.data, "\"callee\": null, \"candidates\": [1, 2, 3], \"builtin\": false"));
    text_free(&t);
    program_print_dot(code_program(b.code), &t);
    assert_non_null(strstr(t.data, "-> b1 [style=dashed"));
    text_free(&t);
    close_bench(&b);
}

static void a_pointer_call_needs_a_prototype(void **state)
{
    (void)state;
    const char text[] = HEAD ".visible .entry k() {\n.reg .b64 %d;\nmov.u64 %d, 0; call %d; ret;\n}\n";
    struct diag diag = {0};
    char *error = NULL;
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), &diag);
    assert_non_null(m);
    assert_null(program_create(ptx_find_function(m, "k"), &error));
    assert_non_null(strstr(error, "needs a prototype"));
    free(error);
    ptx_destroy(m);
}

/* deep(n) = deep(n - 1) * 3 + n * 8, where n is kept across the call in a register of 128 bits: once in its lowest word
 * and once in its highest. */
#define DEEP                                                                                           \
    ".func (.param .b32 out) deep(.param .b32 n)\n{\n"                                                 \
    ".reg .pred %p; .reg .b32 %x<5>; .reg .b128 %q;\n"                                                 \
    "ld.param.u32 %x0, [n]; mov.b128 %q, {%x0, 0, 0, %x0}; mov.u32 %x1, 0;\n"                          \
    "setp.eq.u32 %p, %x0, 0; @%p bra done; sub.u32 %x2, %x0, 1;\n"                                     \
    "{\n.param .b32 a0; .param .b32 r0;\nst.param.b32 [a0], %x2; call.uni (r0), deep, (a0);\n"         \
    "ld.param.b32 %x1, [r0];\n}\n"                                                                     \
    "done: mov.b128 {%x2, _, _, %x3}, %q; mad.lo.u32 %x1, %x1, 3, %x2; mad.lo.u32 %x1, %x3, 7, %x1;\n" \
    "st.param.b32 [out], %x1; ret;\n}\n"

static void recursion_saves_registers_of_128_bits(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD DEEP KERNEL("and.b32 %r1, %r0, 3;\n{\n.param .b32 a0; .param .b32 r0;\n"
                                    "st.param.b32 [a0], %r1; call.uni (r0), deep, (a0); ld.param.b32 %r2, [r0];\n}\n"
                                    "st.global.u32 [%d1], %r2;"));
    static const uint32_t want[4] = {0, 8, 40, 144};
    for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
        run_well(&b, (enum executor)executor);
        for (uint32_t i = 0; i < THREADS; i++)
            assert_int_equal(output(&b)[i], want[i % 4]);
    }
    close_bench(&b);
}

/* Each level takes n + 1 words, fills them with its n, and adds up what it finds there after its own call has done the
 * same: 1 * n + 2 * (n - 1) + ... */
#define TOWER                                                                                                \
    ".func (.param .b32 out) tower(.param .b32 n)\n{\n.reg .b32 %x<9>; .reg .b64 %y<4>; .reg .pred %q<3>;\n" \
    "ld.param.u32 %x1, [n]; mov.u32 %x8, 0; setp.eq.u32 %q1, %x1, 0; @%q1 bra END;\n"                        \
    "mul.wide.u32 %y1, %x1, 4; alloca.u64 %y2, %y1; mov.u64 %y3, %y2; mov.u32 %x2, 0;\n"                     \
    "FILL: st.local.u32 [%y3], %x1; add.s64 %y3, %y3, 4; add.u32 %x2, %x2, 1;\n"                             \
    "setp.lt.u32 %q1, %x2, %x1; @%q1 bra FILL;\n"                                                            \
    "{\n.param .b32 a0; .param .b32 r0;\nsub.u32 %x3, %x1, 1; st.param.b32 [a0], %x3;\n"                     \
    "call (r0), tower, (a0);\nld.param.b32 %x8, [r0];\n}\nmov.u32 %x2, 0;\n"                                 \
    "SUM: ld.local.u32 %x4, [%y2]; add.u32 %x8, %x8, %x4; add.s64 %y2, %y2, 4; add.u32 %x2, %x2, 1;\n"       \
    "setp.lt.u32 %q1, %x2, %x1; @%q1 bra SUM;\nEND: st.param.b32 [out], %x8; ret;\n}\n"

/* What nvcc makes of a variadic function: further arguments come as one array, which a call without them leaves out. */
#define VARIADIC                                                                                   \
    ".func (.param .b32 out) vsum(.param .b32 n, .param .align 8 .b8 %VAParam[])\n{\n"             \
    ".reg .b32 %x<5>; .reg .b64 %y<3>; .reg .pred %q; .local .align 8 .b8 depot[16];\n"            \
    "ld.param.u32 %x1, [n]; mov.u64 %y1, %VAParam; mov.u32 %x2, 0;\nst.local.u64 [depot], -1;\n"   \
    "LOOP: setp.eq.u32 %q, %x1, 0; @%q bra END; ld.local.u32 %x3, [%y1]; add.u32 %x2, %x2, %x3;\n" \
    "add.s64 %y1, %y1, 4; sub.u32 %x1, %x1, 1; bra LOOP;\nEND: st.param.b32 [out], %x2; ret;\n}\n"
#define PASS(count, bytes, words) \
    "{\n.param .b32 a0; .param .align 8 .b8 v0[" bytes "]; .param .b32 r0;\nst.param.b32 [a0], " count ";\n" words

static void variadic_functions_get_what_each_call_passes(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b,
               HEAD VARIADIC KERNEL("mov.u64 %d3, vsum;\n" PASS(
                   "1", "4", "st.param.b32 [v0], 1000;\n") "call (r0), vsum, (a0, v0);\n"
                                                           "ld.param.b32 %r1, [r0];\n}\n" PASS(
                                                               "5", "20",
                                                               "st.param.b32 [v0], 1; st.param.b32 [v0+4], 2;\n"
                                                               "st.param.b32 [v0+8], 3; st.param.b32 [v0+12], 4;\n"
                                                               "st.param.b32 [v0+16], %r0;\n") //
                                    "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[]);\n"
                                    "call (r0), %d3, (a0, v0), P;\nld.param.b32 %r2, [r0];\n}\n"
                                    "{\n.param .b32 a0; .param .b32 r0;\nst.param.b32 [a0], 0; call (r0), vsum, (a0);\n"
                                    "ld.param.b32 %r3, [r0];\nQ: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                                    "call (r0), %d3, (a0), Q;\nld.param.b32 %r4, [r0];\n}\n"
                                    "add.u32 %r1, %r1, %r2; add.u32 %r3, %r3, %r4; mad.lo.u32 %r1, %r3, 7777, %r1;\n"
                                    "st.global.u32 [%d1], %r1;"));
    for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
        run_well(&b, (enum executor)executor);
        for (uint32_t i = 0; i < THREADS; i++)
            assert_int_equal(output(&b)[i], 1010 + i);
    }
    close_bench(&b);
}

static void what_alloca_takes_lives_until_the_return(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD ".func (.param .b32 out) tower(.param .b32 n);\n" TOWER KERNEL(
                       "rem.u32 %r1, %r0, 6;\n{\n.param .b32 a0; .param .b32 r0;\nst.param.b32 [a0], %r1;\n"
                       "call (r0), tower, (a0);\nld.param.b32 %r8, [r0];\n}\nst.global.u32 [%d1], %r8;"));
    for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
        run_well(&b, (enum executor)executor);
        for (uint32_t i = 0; i < THREADS; i++) {
            uint32_t n = i % 6;
            assert_int_equal(output(&b)[i], n * (n + 1) * (2 * n + 1) / 6);
        }
    }
    close_bench(&b);
}

static void alloca_aligns_and_stackrestore_frees(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEAD KERNEL("alloca.u64 %d3, 3; alloca.u64 %d4, 3, 256; alloca.u32 %r1, 5;\nstacksave.u64 %d5;\n"
                               "mov.u32 %r2, 0;\nLOOP: alloca.u64 %d6, 200; st.local.u32 [%d6], %r2;\n"
                               "stackrestore.u64 %d5; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 1000; @%p1 bra LOOP;\n"
                               "rem.u64 %d7, %d4, 256; rem.u64 %d8, %d3, 8; add.u64 %d7, %d7, %d8;\n"
                               "cvt.u32.u64 %r3, %d7; rem.u32 %r4, %r1, 8; add.u32 %r3, %r3, %r4;\n"
                               "ld.local.u32 %r5, [%d6]; mad.lo.u32 %r3, %r3, 10000, %r5; st.global.u32 [%d1], %r3;"));
    for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
        run_well(&b, (enum executor)executor);
        assert_int_equal(output(&b)[THREADS - 1], 999);
    }
    close_bench(&b);
}

static void a_stack_that_is_too_small_is_a_fault(void **state)
{
    (void)state;
    static const char *const bodies[] = {HEAD KERNEL("alloca.u64 %d3, 0x7fffffff;"), HEAD KERNEL("alloca.u64 %d3, -1;"),
                                         HEAD KERNEL("LOOP: alloca.u64 %d3, 64; st.local.u32 [%d3], %r0; bra LOOP;"),
                                         HEAD KERNEL("alloca.u64 %d3, 8; mov.u64 %d4, 1; stackrestore.u64 %d4;")};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (int executor = 0; executor < EXECUTOR_COUNT; executor++) {
            struct bench b;
            open_bench(&b, bodies[i]);
            run(&b, (enum executor)executor);
            assert_int_equal(b.result.fault.kind, FAULT_STACK_OVERFLOW);
            close_bench(&b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_go_where_their_pointers_point),
        cmocka_unit_test(a_pointer_call_is_a_branch_that_meets_behind_itself),
        cmocka_unit_test(one_pointer_for_all_is_uniform),
        cmocka_unit_test(tables_hold_functions),
        cmocka_unit_test(parameters_hold_functions),
        cmocka_unit_test(candidates_fit_the_prototype),
        cmocka_unit_test(a_list_of_targets_narrows),
        cmocka_unit_test(guarded_pointer_calls_leave_the_others_behind),
        cmocka_unit_test(a_pointer_to_no_function_is_a_fault),
        cmocka_unit_test(pointers_may_recurse),
        cmocka_unit_test(registers_pass_through_pointer_calls),
        cmocka_unit_test(reports_name_the_candidates),
        cmocka_unit_test(a_pointer_call_needs_a_prototype),
        cmocka_unit_test(recursion_saves_registers_of_128_bits),
        cmocka_unit_test(variadic_functions_get_what_each_call_passes),
        cmocka_unit_test(what_alloca_takes_lives_until_the_return),
        cmocka_unit_test(alloca_aligns_and_stackrestore_frees),
        cmocka_unit_test(a_stack_that_is_too_small_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
