/*
 * Where threads that part meet again when some of them end, or come to a block barrier: by hand, for each rule of
 * flow/reconvergence.c and flow/barrier_reconvergence.c one that follows it and one that it must leave alone.
 *
 * BRANCH(n) is the n-th listed branch of the program, PLAIN(n) the same with post-dominators alone.
 */
#include "flow/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                 ".version 7.0\n.target sm_75\n.address_size 64\n"
#define REGS                 ".reg .pred %p<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<2>;\n"
#define KERNEL(body)         ".visible .entry k(.param .u64 k_a) {\n" REGS GUARDS body "\n}\n"
#define FUNCTION(name, body) ".func " name "()\n{\n" REGS body "\n}\n"
/* %p0 and %p1 differ between threads, %p2 may for all that can be proved. */
#define GUARDS                                                                 \
    "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0; setp.lt.u32 %p1, %r0, 7;\n" \
    "ld.param.u64 %rd0, [k_a]; ld.global.u32 %r1, [%rd0]; setp.eq.u32 %p2, %r1, 0;\n"
#define GUARDS_OF_F "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0; setp.lt.u32 %p1, %r0, 7;\n"
#define WORK        "add.u32 %r2, %r2, 1;\n"

struct sample {
    struct ptx_module *module;
    struct program *program;
};

static struct sample load(const char *text)
{
    struct diag diag = {0};
    char *error = NULL;
    struct sample s = {.module = ptx_parse("test.ptx", text, strlen(text), &diag)};
    if (!s.module)
        diag_print(&diag, stderr);
    diag_free(&diag);
    assert_non_null(s.module);
    s.program = program_create(ptx_find_function(s.module, "k"), &error);
    if (!s.program)
        fail_msg("%s", error);
    return s;
}

static void unload(struct sample *s)
{
    program_destroy(s->program);
    ptx_destroy(s->module);
}

static int32_t at(const struct sample *s, const char *label)
{
    for (int i = 0; i < s->program->block_count; i++)
        if (s->program->blocks[i].label && !strcmp(s->program->blocks[i].label, label))
            return s->program->blocks[i].first;
    fail_msg("no block is called %s", label);
    return PC_NONE;
}

#define BRANCH(n) s.program->branches[n]
#define PLAIN(n)  s.program->plain_branches[n]
#define AT(label) at(&s, label)

/* ---- returns that were merged ---- */

/* One case of a switch returns, by way of the block that all returns were merged into. */
static void a_merged_return_in_a_loop_keeps_nobody_apart(void **state)
{
    (void)state;
    struct sample s = load(HEAD KERNEL("LOOP: @%p0 bra CASE;\n" WORK "bra NEXT;\nCASE: @%p1 bra RET;\nSTAY:" WORK
                                       "NEXT:" WORK "@%p2 bra LOOP;\nTAIL: st.global.u32 [%rd0], %r2;\nRET: ret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("NEXT"));
    assert_int_equal(BRANCH(1).ipdom, AT("STAY"));
    assert_int_equal(PLAIN(0).ipdom, AT("RET"));
    assert_int_equal(PLAIN(1).ipdom, AT("RET"));
    assert_int_equal(BRANCH(0).likely, PC_NONE); /* its threads meet within the round */
    assert_int_not_equal(PLAIN(0).likely, PC_NONE);
    unload(&s);
}

/* A check of bounds: those that are out wait at the return, which costs nobody anything. */
static void a_merged_return_that_parts_nobody_for_long_stays(void **state)
{
    (void)state;
    struct sample s = load(HEAD KERNEL("@%p0 bra RET;\n" WORK "@%p1 bra B;\n" WORK "B:" WORK "RET: ret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("RET"));
    assert_int_equal(BRANCH(1).ipdom, AT("B"));
    unload(&s);
}

/* What stands before the common return is worth meeting for. */
static void a_tail_with_work_is_a_place_to_meet(void **state)
{
    (void)state;
    struct sample s = load(HEAD KERNEL("LOOP: @%p0 bra CASE;\n" WORK "bra NEXT;\nCASE: @%p1 bra TAIL;\n" WORK
                                       "NEXT:" WORK "@%p2 bra LOOP;\nTAIL: st.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("TAIL"));
    unload(&s);
}

/* A function's returns are where its threads go on. */
static void a_merged_return_of_a_function_is_a_place_to_meet(void **state)
{
    (void)state;
    struct sample s =
        load(HEAD FUNCTION("f", GUARDS_OF_F "LOOP: @%p0 bra CASE;\n" WORK "bra NEXT;\nCASE: @%p1 bra RET;\n" WORK
                                            "NEXT:" WORK "@%p0 bra LOOP;\n" WORK "RET: ret;") KERNEL("call f;\nret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("RET"));
    unload(&s);
}

/* ---- barriers ---- */

#define EARLY_END(barrier)                                                                                     \
    HEAD KERNEL("LOOP: @%p0 bra MEET;\n" WORK "@%p1 bra END;\nMEET:" WORK barrier "\n" WORK "@%p2 bra LOOP;\n" \
                "END: st.global.u32 [%rd0], %r2; ret;")

/* The way to END passes no barrier: whoever takes it ends, and those that stay meet before the barrier. */
static void threads_meet_before_a_barrier_that_others_end_before(void **state)
{
    (void)state;
    static const char *const barriers[] = {"bar.sync 0;", "barrier.sync 3;", "bar.red.popc.u32 %r3, 1, %p0;"};
    for (int i = 0; i < 3; i++) {
        static const char *const texts[] = {EARLY_END("bar.sync 0;"), EARLY_END("barrier.sync 3;"),
                                            EARLY_END("bar.red.popc.u32 %r3, 1, %p0;")};
        struct sample s = load(texts[i]);
        if (BRANCH(0).ipdom != AT("MEET") || BRANCH(1).ipdom != AT("MEET"))
            fail_msg("branches do not meet before %s", barriers[i]);
        assert_int_equal(PLAIN(0).ipdom, AT("END"));
        assert_int_equal(PLAIN(1).ipdom, AT("END"));
        unload(&s);
    }
}

/* A barrier with a count need not concern all threads; one that is only arrived at keeps nobody. */
static void barriers_for_some_threads_move_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {EARLY_END("bar.sync 1, 64;"), EARLY_END("bar.arrive 1, 64;"),
                                        EARLY_END("bar.red.popc.u32 %r3, 1, 64, %p0;")};
    for (int i = 0; i < 3; i++) {
        struct sample s = load(texts[i]);
        assert_int_equal(BRANCH(0).ipdom, AT("END"));
        unload(&s);
    }
}

/* Nobody ends early: a way around the barrier is enough to have the post-dominator behind it. */
static void threads_meet_before_a_barrier_that_has_a_way_around(void **state)
{
    (void)state;
    struct sample s = load(HEAD KERNEL("@%p0 bra MEET;\n" WORK "@%p2 bra SKIP;\n" WORK "MEET:" WORK "bar.sync 0;\n" WORK
                                       "SKIP:" WORK "@%p1 bra LAST;\n" WORK "LAST: ret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("MEET"));
    assert_int_equal(PLAIN(0).ipdom, AT("SKIP"));
    assert_int_equal(BRANCH(2).ipdom, AT("LAST")); /* behind all barriers */
    unload(&s);
}

/* Before the first barrier and between two, meeting places that are near enough stay. */
static void meeting_places_before_the_next_barrier_stay(void **state)
{
    (void)state;
    struct sample s = load(HEAD KERNEL("@%p0 bra A;\n" WORK "A:" WORK "bar.sync 0;\n@%p1 bra B;\n" WORK "B:" WORK
                                       "bar.sync 0;\n@%p1 bra END;\n" WORK "END: st.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("A"));
    assert_int_equal(BRANCH(1).ipdom, AT("B"));
    assert_int_equal(BRANCH(2).ipdom, AT("END"));
    unload(&s);
}

/* No place is on all ways to a barrier. */
static void sides_with_barriers_of_their_own_meet_where_they_did(void **state)
{
    (void)state;
    struct sample s =
        load(HEAD KERNEL("@%p0 bra A;\n" WORK "bar.sync 0;\nbra J;\nA:" WORK "bar.sync 0;\nJ:" WORK "ret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("J"));
    unload(&s);
}

/* A call of a function with a barrier, here two calls deep, is one. */
static void threads_meet_before_a_call_that_has_a_barrier(void **state)
{
    (void)state;
    struct sample s = load(HEAD FUNCTION("g", "bar.sync 0; ret;") FUNCTION("f", "call g;\nret;")
                               KERNEL("LOOP: @%p0 bra MEET;\n" WORK "@%p1 bra END;\nMEET:" WORK
                                      "call f;\n@%p2 bra LOOP;\nEND: st.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("MEET"));
    unload(&s);
}

/* In a function, threads that exit are not waited for, those that return are. */
static void in_a_function_returns_are_met_for_and_exits_are_not(void **state)
{
    (void)state;
    struct sample s =
        load(HEAD FUNCTION("f", GUARDS_OF_F "@%p0 bra MEET;\n" WORK "@%p1 bra OUT;\nMEET:" WORK "bar.sync 0;\n" WORK
                                            "LAST: ret;\nOUT: exit;")
                 FUNCTION("g", GUARDS_OF_F "@%p0 bra STAY;\n" WORK "@%p1 bra BACK;\nSTAY:" WORK "bar.sync 0;\n" WORK
                                           "BACK: ret;") KERNEL("call f;\ncall g;\nret;"));
    for (int i = 0; i < s.program->branch_count; i++) {
        const struct branch *b = &s.program->branches[i];
        const char *name = s.program->functions[s.program->insns[b->pc].function].source->name;
        if (b->target_count < 2)
            continue;
        assert_int_equal(b->ipdom, !strcmp(name, "f") ? AT("MEET") : AT("BACK"));
    }
    unload(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_merged_return_in_a_loop_keeps_nobody_apart),
        cmocka_unit_test(a_merged_return_that_parts_nobody_for_long_stays),
        cmocka_unit_test(a_tail_with_work_is_a_place_to_meet),
        cmocka_unit_test(a_merged_return_of_a_function_is_a_place_to_meet),
        cmocka_unit_test(threads_meet_before_a_barrier_that_others_end_before),
        cmocka_unit_test(barriers_for_some_threads_move_nothing),
        cmocka_unit_test(threads_meet_before_a_barrier_that_has_a_way_around),
        cmocka_unit_test(meeting_places_before_the_next_barrier_stay),
        cmocka_unit_test(sides_with_barriers_of_their_own_meet_where_they_did),
        cmocka_unit_test(threads_meet_before_a_call_that_has_a_barrier),
        cmocka_unit_test(in_a_function_returns_are_met_for_and_exits_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
