/*
 * Common sequences on sides of a branch: which become functions, what goes in and comes out, that the memory stays what
 * it was, and what is left alone.
 */
#include "pass_bench.h"

/* %r0 to %r3 come from memory; %p0 differs between threads. At END %r4 to %r7 and %a1 are stored. */
#define HEAD                                                                                                        \
    HEADER ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<40>;\n.reg .b64 %out, %a<9>;\n.reg .pred %p<9>;\n"    \
           ".reg .f32 %f<9>;\nmov.u32 %r30, %tid.x;\nld.param.u64 %out, [p];\nmad.wide.u32 %out, %r30, 32, %out;\n" \
           "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%out];\nand.b32 %r31, %r0, 1;\nsetp.eq.u32 %p0, %r31, 0;\n"     \
           "setp.lt.u32 %p1, %r1, %r2;\nmov.u64 %a1, 0;\nmov.u32 %r4, 1;\nmov.u32 %r5, 2;\nmov.u32 %r6, 3;\n"       \
           "mov.u32 %r7, 4;\nmov.u32 %r20, %r0;\nmov.u32 %r21, %r2;\n"
#define TAIL                                                                                                \
    "END: st.global.v4.u32 [%out], {%r4, %r5, %r6, %r7};\ncvt.u32.u64 %r8, %a1;\nst.global.u32 [%out+16], " \
    "%r8;\nret;\n}\n"
#define SIDES(left, right) HEAD "@%p0 bra RIGHT;\n" left "bra END;\nRIGHT: " right TAIL

/* Dear enough for a call. */
#define DEAR(x, y)                                                                          \
    "or.b32 " y ", " y ", 3;\nrem.u32 " x ", " x ", " y ";\nmul.lo.u32 " x ", " x ", 77;\n" \
    "div.u32 " x ", " x ", " y ";\n"

static void equal_code_in_other_registers_is_one_function(void **state)
{
    (void)state;
    char *text = leaves_the_same_when("outline",
                                      SIDES("add.u32 %r9, %r0, 5;\n" DEAR("%r9", "%r1") "mov.u32 %r4, %r9;\n",
                                            "xor.b32 %r12, %r3, %r1;\n" DEAR("%r12", "%r2") "sub.u32 %r5, %r12, 1;\n"));
    count_is(text, "rem.u32", 1);
    count_is(text, "call.uni (%r9), k_common, (%r1, %r9)", 1);
    count_is(text, "call.uni (%r12), k_common, (%r2, %r12)", 1);
    /* The prediction stands ahead of the branch. */
    assert_non_null(strstr(text, "    .pragma \"heddle.predict k_common\";\n    @%p0 bra RIGHT;"));
    free(text);
}

static void different_immediates_are_arguments(void **state)
{
    (void)state;
    char *text = leaves_the_same_when(
        "outline", SIDES(DEAR("%r4", "%r1") "add.u32 %r4, %r4, 11;\ncvt.rn.f32.u32 %f0, %r4;\n"
                                            "mul.rn.f32 %f0, %f0, 0f3F000000;\ncvt.rzi.u32.f32 %r4, %f0;\n",
                         DEAR("%r5", "%r2") "add.u32 %r5, %r5, -4;\ncvt.rn.f32.u32 %f1, %r5;\n"
                                            "mul.rn.f32 %f1, %f1, 0f3E800000;\ncvt.rzi.u32.f32 %r5, %f1;\n"));
    count_is(text, "k_common, (%r1, %r4, 11, 0f3F000000)", 1);
    count_is(text, "k_common, (%r2, %r5, -4, 0f3E800000)", 1);
    free(text);
}

static void several_results_and_predicates_come_back(void **state)
{
    (void)state;
    /* A predicate goes in (%p1), two words, a wide register and a predicate come out; a guarded write keeps its old value. */
#define MANY(x, y, p, w)                                                  \
    DEAR(x, y)                                                            \
    DEAR(y, x)                                                            \
    "@!%p1 add.u32 " x ", " x ", 9;\nmul.wide.u32 " w ", " x ", " y ";\n" \
    "setp.gt.u32 " p ", " x ", 40;\n@" p " add.u32 " y ", " y ", 5;\n"
    char *text = leaves_the_same_when(
        "outline", SIDES(MANY("%r4", "%r20", "%p3", "%a1") "@%p3 mov.u32 %r6, 99;\nmov.u32 %r7, %r20;\n",
                         MANY("%r5", "%r21", "%p4", "%a1") "@%p4 mov.u32 %r7, 98;\nmov.u32 %r6, %r21;\n"));
    count_is(text, "rem.u32", 2);
    count_is(text, ".param .align 8 .b8 results", 3); /* the function's, and one in each place */
    count_is(text, "call.uni (", 2);
    free(text);
}

static void sides_of_a_switch_share_a_function(void **state)
{
    (void)state;
    char *text = leaves_the_same_when("outline",
                                      HEAD "TABLE: .branchtargets A, B, C;\nrem.u32 %r9, %r0, 3;\nbrx.idx %r9, TABLE;\n"
                                           "A: " DEAR("%r4", "%r1") "bra END;\nB: " DEAR(
                                               "%r5", "%r2") "bra END;\n"
                                                             "C: add.u32 %r6, %r6, 1;\n" DEAR("%r6", "%r3") TAIL);
    count_is(text, "call.uni", 3);
    count_is(text, "div.u32", 1);
    free(text);
}

static void memory_is_accessed_in_order(void **state)
{
    (void)state;
    char *text = leaves_the_same_when(
        "outline", SIDES("st.global.u32 [%out+20], %r1;\n" DEAR(
                             "%r4", "%r1") "ld.global.u32 %r9, [%out+20];\n"
                                           "add.u32 %r4, %r4, %r9;\nst.global.u32 [%out+20], %r4;\n",
                         "st.global.u32 [%out+20], %r2;\n" DEAR(
                             "%r4", "%r2") "ld.global.u32 %r10, [%out+20];\n"
                                           "add.u32 %r4, %r4, %r10;\nst.global.u32 [%out+20], %r4;\n"));
    count_is(text, "ld.global.u32", 1);
    free(text);
}

static void registers_must_correspond(void **state)
{
    (void)state;
    /* The same instructions, but the second side reads one register where the first reads two. */
    left_alone_by(
        "outline",
        SIDES("mul.lo.u32 %r9, %r0, %r1;\nrem.u32 %r4, %r9, 7;\n", "mul.lo.u32 %r9, %r2, %r2;\nrem.u32 %r4, %r9, 7;\n"),
        "no branch");
}

static void what_cannot_or_need_not_be_merged_is_left_alone(void **state)
{
    (void)state;
    left_alone_by("outline",
                  SIDES("add.u32 %r4, %r0, 1;\nxor.b32 %r4, %r4, %r1;\nadd.u32 %r4, %r4, 2;\n",
                        "add.u32 %r5, %r1, 1;\nxor.b32 %r5, %r5, %r2;\nadd.u32 %r5, %r5, 2;\n"),
                  "pays for a call");
    /* All threads take one side. */
    left_alone_by("outline",
                  HEAD "mov.u32 %r9, %ctaid.x;\nsetp.eq.u32 %p2, %r9, 3;\n@%p2 bra RIGHT;\n" DEAR(
                      "%r4", "%r1") "bra END;\nRIGHT: " DEAR("%r5", "%r2") TAIL,
                  "no branch");
    /* A prediction would split the warp-level operation. */
    left_alone_by("outline",
                  SIDES(DEAR("%r4", "%r1") "activemask.b32 %r9;\n", DEAR("%r5", "%r2") "add.u32 %r6, %r6, 1;\n"),
                  "no branch");
    /* The carry flag comes from ahead. */
    left_alone_by("outline",
                  SIDES("add.cc.u32 %r9, %r0, %r1;\nmov.u32 %r12, 1;\naddc.u32 %r4, %r2, 0;\nrem.u32 %r4, %r4, 9;\n",
                        "sub.cc.u32 %r9, %r0, %r1;\nmov.u64 %a2, 1;\naddc.u32 %r5, %r2, 0;\nrem.u32 %r5, %r5, 9;\n"),
                  "no branch");
    /* A variable of the kernel itself is no other function's. */
    left_alone_by("outline",
                  HEAD ".local .align 4 .b8 frame[16];\n@%p0 bra RIGHT;\n"
                       "st.local.u32 [frame], %r1;\nld.local.u32 %r4, [frame];\nst.local.u32 [frame+4], %r4;\n"
                       "ld.local.u32 %r4, [frame+4];\nbra END;\nRIGHT: st.local.u32 [frame], %r2;\n"
                       "ld.local.u32 %r5, [frame];\nst.local.u32 [frame+4], %r5;\nld.local.u32 %r5, [frame+4];\n" TAIL,
                  "no branch");
    /* Threads of a loop inside of a side would reconverge in its first iteration only. */
    left_alone_by("outline",
                  SIDES("A: " DEAR("%r4", "%r1") "setp.gt.u32 %p2, %r4, 5;\n@%p2 bra A;\n",
                        "B: " DEAR("%r5", "%r2") "setp.gt.u32 %p2, %r5, 5;\n@%p2 bra B;\n"),
                  "no branch");
}

static void places_of_several_branches_share_a_function(void **state)
{
    (void)state;
    static const char ifs[] = HEAD "@%p0 bra SECOND;\n" DEAR("%r4", "%r20") DEAR("%r4", "%r20")
        DEAR("%r4", "%r20") "SECOND: @%p1 bra THIRD;\n" DEAR("%r5", "%r21") DEAR("%r5", "%r21")
            DEAR("%r5", "%r21") "THIRD: add.u32 %r6, %r4, %r5;\n" TAIL;
    left_alone_by("outline", ifs, "on its sides");
    char *text = leaves_the_same_when("outline-places", ifs);
    count_is(text, "call.uni (", 2);
    /* The region begins ahead of both. */
    assert_non_null(strstr(text, "    .pragma \"heddle.predict k_common\";\n    @%p0 bra SECOND;"));
    free(text);
    /* Code that all threads come to is no place. */
    left_alone_by("outline-places",
                  HEAD "@%p0 bra SECOND;\n" DEAR("%r4", "%r20") DEAR("%r4", "%r20")
                      DEAR("%r4", "%r20") "SECOND: " DEAR("%r5", "%r21") DEAR("%r5", "%r21") DEAR("%r5", "%r21") TAIL,
                  "behind it");
}

static void labels_and_pragmas_end_a_sequence(void **state)
{
    (void)state;
    left_alone_by("outline",
                  SIDES("or.b32 %r1, %r1, 3;\n.pragma \"heddle.label X\";\nrem.u32 %r4, %r0, %r1;\n",
                        "or.b32 %r2, %r2, 3;\nrem.u32 %r5, %r3, %r2;\n"),
                  "no branch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_code_in_other_registers_is_one_function),
        cmocka_unit_test(different_immediates_are_arguments),
        cmocka_unit_test(several_results_and_predicates_come_back),
        cmocka_unit_test(sides_of_a_switch_share_a_function),
        cmocka_unit_test(memory_is_accessed_in_order),
        cmocka_unit_test(registers_must_correspond),
        cmocka_unit_test(what_cannot_or_need_not_be_merged_is_left_alone),
        cmocka_unit_test(places_of_several_branches_share_a_function),
        cmocka_unit_test(labels_and_pragmas_end_a_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
