/*
 * From module to program: reconvergence points of graphs drawn by hand, liveness and planes, uniformity,
 * calls, layout, errors and reports.
 *
 * Expectations name labels: BRANCH(n) is the kernel's n-th listed branch, AT("L") the PC of a label.
 */
#include "base/json.h"
#include "base/random.h"
#include "base/vec.h"
#include "flow/analysis.h"
#include "flow/decode.h"
#include "flow/print.h"
#include "source_file.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define REGS                                                                      \
    ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<4>;\n" \
    ".reg .f64 %fd<4>;\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 k_a, .param .u32 k_n) {\n" REGS body "\n}\n"
/* %p0 differs between threads, %p1 does not. */
#define GUARDS                                        \
    "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0;\n" \
    "ld.param.u32 %r1, [k_n]; setp.eq.u32 %p1, %r1, 0;\n"

struct sample {
    struct ptx_module *module;
    struct program *program;
    char *error;
};

static struct ptx_module *parse(const char *text)
{
    struct diag diag = {0};
    struct ptx_module *m = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!m)
        diag_print(&diag, stderr);
    diag_free(&diag);
    assert_non_null(m);
    return m;
}

static struct sample try_load(const char *text)
{
    struct sample s = {.module = parse(text)};
    s.program = program_create(ptx_find_function(s.module, "k"), &s.error);
    return s;
}

static struct sample load(const char *text)
{
    struct sample s = try_load(text);
    if (s.error)
        fprintf(stderr, "%s\n", s.error);
    assert_non_null(s.program);
    assert_null(s.error);
    return s;
}

static void unload(struct sample *s)
{
    program_destroy(s->program);
    ptx_destroy(s->module);
    free(s->error);
}

static int32_t at(const struct sample *s, const char *label)
{
    for (int f = 0; f < s->program->function_count; f++) {
        const struct program_function *pf = &s->program->functions[f];
        for (int i = 0; i < pf->source->label_count; i++)
            if (!strcmp(pf->source->labels[i].name, label))
                return pf->first + pf->source->labels[i].target;
    }
    fail_msg("no label %s", label);
    return PC_NONE;
}

#define BRANCH(n) (s.program->branches[n])
#define AT(label) at(&s, label)

/* ---- reconvergence points ---- */

static void if_else_meets_behind_both(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "@%p0 bra THEN; mov.u32 %r2, 1; bra JOIN;\n"
                                         "THEN: mov.u32 %r2, 2;\nJOIN: st.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(s.program->branch_count, 1);
    assert_int_equal(BRANCH(0).ipdom, AT("JOIN"));
    assert_int_equal(BRANCH(0).likely, PC_NONE);
    assert_int_equal(BRANCH(0).target_count, 2);
    assert_int_equal(BRANCH(0).target[0], AT("THEN"));
    assert_int_equal(BRANCH(0).target[1], BRANCH(0).pc + 1);
    assert_false(BRANCH(0).backward);
    assert_int_equal(BRANCH(0).loop_depth, 0);
    unload(&s);
}

static void nested_ifs_meet_from_the_inside_out(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "@%p0 bra OUTER;\n@%p1 bra INNER; mov.u32 %r2, 1;\nINNER: mov.u32 %r2, 2;\n"
                                         "OUTER: st.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("OUTER"));
    assert_int_equal(BRANCH(1).ipdom, AT("INNER"));
    unload(&s);
}

static void a_break_likely_meets_at_the_backward_branch(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "LOOP: add.u32 %r2, %r2, 1; @%p0 bra OUT; add.u32 %r3, %r3, 1;\n"
                                         "LATCH: @%p1 bra LOOP;\nOUT: st.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(s.program->loop_count, 1);
    assert_int_equal(BRANCH(0).ipdom, AT("OUT"));
    assert_int_equal(BRANCH(0).likely, AT("LATCH"));
    assert_int_equal(BRANCH(0).loop_depth, 1);
    assert_false(BRANCH(0).backward);
    /* The backward branch is not enclosed by itself. */
    assert_int_equal(BRANCH(1).ipdom, AT("OUT"));
    assert_int_equal(BRANCH(1).likely, PC_NONE);
    assert_true(BRANCH(1).backward);
    unload(&s);
}

/* nvcc's while (f()) { ... break ... }: in at HEAD, which stands below BODY, so no branch to the header is backward. */
static void a_break_of_a_turned_loop_likely_meets_at_the_branch_up(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "bra HEAD;\nBODY: add.u32 %r2, %r2, 1; @%p0 bra HEAD;\n"
                                         "add.u32 %r3, %r3, 1; @%p1 bra OUT;\nHEAD: add.u32 %r4, %r4, 1;\n"
                                         "UP: @%p1 bra BODY;\nOUT: st.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(s.program->loop_count, 1);
    assert_int_equal(BRANCH(0).ipdom, AT("OUT"));
    assert_int_equal(BRANCH(0).likely, AT("UP"));
    assert_int_equal(BRANCH(1).likely, AT("UP"));
    assert_int_equal(BRANCH(2).likely, PC_NONE);
    unload(&s);
}

/* The branch up of a loop inside is not one of the loop around. */
static void a_turned_loop_around_another_has_its_own_branch_up(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "bra HEAD;\nBODY: add.u32 %r2, %r2, 1;\nINNER: @%p0 bra OUT;\n"
                                         "IL: @%p1 bra INNER;\nHEAD: add.u32 %r4, %r4, 1;\n"
                                         "UP: @%p1 bra BODY;\nOUT: st.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(s.program->loop_count, 2);
    assert_int_equal(BRANCH(0).likely, AT("IL"));
    assert_int_equal(BRANCH(1).likely, AT("UP"));
    assert_int_equal(BRANCH(2).likely, PC_NONE);
    unload(&s);
}

static void an_if_in_a_loop_needs_no_likely_point(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "LOOP: @%p0 bra SKIP; add.u32 %r2, %r2, 1;\nSKIP: add.u32 %r3, %r3, 1;\n"
                                         "@%p1 bra LOOP;\nst.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("SKIP"));
    assert_int_equal(BRANCH(0).likely, PC_NONE);
    unload(&s);
}

static void a_loop_with_two_exits_meets_where_both_come_together(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "LOOP: @%p0 bra LEFT;\n@%p1 bra RIGHT;\nLATCH: bra LOOP;\n"
                                         "LEFT: mov.u32 %r2, 1; bra JOIN;\nRIGHT: mov.u32 %r2, 2;\n"
                                         "JOIN: st.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("JOIN"));
    assert_int_equal(BRANCH(1).ipdom, AT("JOIN"));
    assert_int_equal(BRANCH(0).likely, AT("LATCH"));
    assert_int_equal(BRANCH(1).likely, AT("LATCH"));
    unload(&s);
}

static void an_inner_backward_branch_looks_at_the_loop_around(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "OUTER: add.u32 %r2, %r2, 1;\nINNER: @%p0 ret;\nIL: @%p1 bra INNER;\n"
                                         "OL: @%p1 bra OUTER;\nst.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(s.program->loop_count, 2);
    /* branch 0 is the guarded ret: threads end there, or go on */
    assert_int_equal(BRANCH(0).target_count, 1);
    assert_int_equal(BRANCH(0).target[0], AT("IL"));
    assert_int_equal(BRANCH(0).loop_depth, 2);
    /* Threads that end do not come back: those that live on meet as if the ret were not there. */
    assert_int_equal(BRANCH(0).ipdom, AT("IL"));
    assert_int_equal(BRANCH(1).ipdom, AT("OL"));
    assert_int_equal(BRANCH(1).likely, PC_NONE);
    unload(&s);
    s = load(KERNEL(GUARDS "OUTER: add.u32 %r2, %r2, 1;\nINNER: @%p0 bra DONE;\nIL: @%p1 bra INNER;\n"
                           "OL: @%p1 bra OUTER;\nDONE: st.global.u32 [%rd0], %r2; ret;"));
    /* A thread may leave both loops in the next round of INNER, so this one meets only behind them. */
    assert_int_equal(BRANCH(1).ipdom, AT("DONE"));
    assert_int_equal(BRANCH(1).likely, AT("OL"));
    assert_int_equal(BRANCH(2).likely, PC_NONE);
    unload(&s);
}

static void an_end_off_the_main_way_keeps_nobody_apart(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "@%p0 bra EARLY;\n@%p1 bra MAIN;\nadd.u32 %r2, %r2, 1;\n"
                                         "MAIN: st.global.u32 [%rd0], %r2; ret;\nEARLY: add.u32 %r2, %r2, 2; exit;"));
    assert_int_equal(BRANCH(0).ipdom, BRANCH(0).pc + 1);
    assert_int_equal(BRANCH(1).ipdom, AT("MAIN"));
    unload(&s);
}

/* More blocks lead to the end of EARLY than to that of MAIN, but the barrier leads to MAIN's: those that come to it, by
 * either branch, are to have met. */
static void threads_meet_in_front_of_a_barrier_past_an_end_that_more_blocks_reach(void **state)
{
    (void)state;
    struct sample s =
        load(KERNEL(GUARDS "@%p0 bra SIDE;\nadd.u32 %r2, %r2, 1;\nbra MAIN;\n"
                           "SIDE: @%p1 bra EARLY;\nadd.u32 %r2, %r2, 2;\nbra MAIN;\n"
                           "EARLY: @%p0 bra E2;\nadd.u32 %r2, %r2, 3;\nE2: @%p1 bra E3;\nadd.u32 %r2, %r2, 4;\n"
                           "E3: @%p0 bra E4;\nadd.u32 %r2, %r2, 5;\nE4: exit;\n"
                           "MAIN: bar.sync 0;\nst.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(BRANCH(0).ipdom, AT("MAIN"));
    assert_int_equal(BRANCH(2).ipdom, AT("E2"));
    unload(&s);
}

static void branches_in_an_endless_loop_still_meet(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "LOOP: @%p0 bra THEN; add.u32 %r2, %r2, 1; bra JOIN;\n"
                                         "THEN: add.u32 %r2, %r2, 2;\nJOIN: st.global.u32 [%rd0], %r2; bra LOOP;"));
    assert_int_equal(BRANCH(0).ipdom, AT("JOIN"));
    assert_int_equal(BRANCH(0).likely, PC_NONE);
    assert_int_equal(s.program->insn_count, s.program->kernel->instruction_count); /* no ret was put behind */
    unload(&s);
    s = load(KERNEL(GUARDS "LOOP: @%p0 bra LOOP;\n@%p1 bra LOOP;\nst.global.u32 [%rd0], %r2; bra LOOP;"));
    assert_int_equal(BRANCH(0).ipdom, AT("LOOP"));
    assert_int_equal(BRANCH(1).ipdom, AT("LOOP"));
    unload(&s);
}

static void a_loop_with_two_entries_is_a_loop(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "@%p0 bra B;\nA: add.u32 %r2, %r2, 1;\nB: add.u32 %r2, %r2, 2;\n"
                                         "@%p1 bra A;\nOUT: st.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(s.program->loop_count, 1);
    assert_true(s.program->loops[0].irreducible);
    assert_int_equal(s.program->loops[0].block_count, 2);
    assert_int_equal(BRANCH(0).ipdom, AT("B"));
    assert_int_equal(BRANCH(0).loop_depth, 0);
    assert_int_equal(BRANCH(1).ipdom, AT("OUT"));
    assert_int_equal(BRANCH(1).loop_depth, 1);
    unload(&s);
}

static void a_branch_by_index_lists_its_targets_once(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "ts: .branchtargets A, B, A, C, B;\nbrx.idx %r0, ts;\n"
                                         "A: mov.u32 %r2, 1; bra JOIN;\nB: mov.u32 %r2, 2; bra JOIN;\n"
                                         "C: mov.u32 %r2, 3;\nJOIN: st.global.u32 [%rd0], %r2; ret;"));
    assert_int_equal(BRANCH(0).target_count, 3);
    assert_int_equal(BRANCH(0).target[0], AT("A"));
    assert_int_equal(BRANCH(0).target[1], AT("B"));
    assert_int_equal(BRANCH(0).target[2], AT("C"));
    assert_int_equal(BRANCH(0).ipdom, AT("JOIN"));
    unload(&s);
}

static void code_behind_the_end_is_kept(void **state)
{
    (void)state;
    struct sample s = load(KERNEL("ret;\nDEAD: add.u32 %r2, %r2, 1;\nbra DEAD;"));
    const struct flow_block *dead = &s.program->blocks[s.program->insns[AT("DEAD")].block];
    assert_true(s.program->blocks[0].reachable);
    assert_false(dead->reachable);
    assert_int_equal(dead->dominator, -1);
    unload(&s);
}

static void a_body_without_ret_gets_one(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "@%p0 bra END;\nmov.u32 %r2, 1;\nEND:"));
    const struct insn *last = &s.program->insns[s.program->insn_count - 1];
    assert_int_equal(last->op, OP_RET);
    assert_null(last->origin);
    assert_int_equal(BRANCH(0).ipdom, s.program->insn_count - 1);
    unload(&s);
    s = load(KERNEL(""));
    assert_int_equal(s.program->insn_count, 1);
    unload(&s);
}

/* ---- operands ---- */

static const struct insn *find_op(const struct sample *s, enum op op)
{
    for (int32_t pc = 0; pc < s->program->insn_count; pc++)
        if (s->program->insns[pc].op == op)
            return &s->program->insns[pc];
    fail_msg("no such instruction");
    return NULL;
}

static void vectors_are_flattened(void **state)
{
    (void)state;
    struct sample s = load(KERNEL("ld.global.v4.u32 {%r1, _, %r2, %r3}, [%rd1+16];\n"
                                  "st.global.v2.u32 [%rd2+-8], {%r1, 7}; ret;"));
    const struct insn *ld = find_op(&s, OP_LD), *st = find_op(&s, OP_ST);
    assert_int_equal(ld->dest_count, 4);
    assert_int_equal(ld->dest[1].kind, REF_SINK);
    assert_int_equal(ld->dest[3].kind, REF_PLANE);
    assert_int_equal(ld->source_count, 1);
    assert_int_equal(ld->address, 0);
    assert_int_equal(ld->source[0].offset, 16);
    assert_int_equal(ld->source[0].bits, 64);
    assert_int_equal(st->source_count, 3);
    assert_int_equal(st->source[0].offset, -8);
    assert_int_equal(st->source[2].kind, REF_IMMEDIATE);
    assert_int_equal(st->source[2].immediate, 7);
    assert_true(ld->flags & st->flags & INSN_MEMORY);
    unload(&s);
}

static void an_absent_second_destination_keeps_its_place(void **state)
{
    (void)state;
    struct sample s = load(KERNEL("setp.lt.s32 %p1, %r1, -1; setp.lt.s32 %p1|%p2, %r1, %r2; ret;"));
    const struct insn *one = find_op(&s, OP_SETP), *two = one + 1;
    assert_int_equal(one->dest_count, 2);
    assert_int_equal(one->dest[1].kind, REF_NONE);
    assert_int_equal(one->source[1].immediate, 0xffffffff);
    assert_int_equal(two->dest[1].kind, REF_PLANE);
    assert_int_equal(two->dest[1].bits, 1);
    unload(&s);
}

static void the_carry_is_an_operand(void **state)
{
    (void)state;
    struct sample s = load(KERNEL("add.cc.u32 %r1, %r1, %r2; addc.cc.u32 %r3, %r3, %r4; addc.u32 %r5, %r5, %r6;\n"
                                  "add.u32 %r7, %r1, %r5; st.global.u32 [%rd1], %r7; ret;"));
    const struct insn *i = find_op(&s, OP_ADD_CC);
    assert_int_equal(i[0].flags, INSN_LEADER | INSN_WRITES_CARRY);
    assert_int_equal(i[0].dest_count, 2);
    assert_int_equal(i[1].flags, INSN_READS_CARRY | INSN_WRITES_CARRY);
    assert_int_equal(i[1].source_count, 3);
    assert_int_equal(i[1].source[2].plane, i[0].dest[1].plane);
    assert_int_equal(i[2].flags, INSN_READS_CARRY);
    assert_int_equal(i[2].dest_count, 1);
    assert_int_equal(i[3].flags, 0);
    unload(&s);
}

static void special_registers_are_planes_unless_they_change(void **state)
{
    (void)state;
    struct sample s =
        load(KERNEL("mov.u32 %r1, %tid.x; mov.u32 %r2, %clock; mov.u32 %r3, %tid.x; mov.u32 %r4, %ctaid.y;"
                    "ret;"));
    const struct insn *i = s.program->insns;
    assert_int_equal(i[0].source[0].kind, REF_PLANE);
    assert_int_equal(i[0].source[0].plane, s.program->sreg_plane[SREG_TID_X]);
    assert_int_equal(i[2].source[0].plane, i[0].source[0].plane);
    assert_int_equal(i[1].source[0].kind, REF_SREG);
    assert_int_equal(i[1].source[0].sreg, SREG_CLOCK);
    assert_int_equal(s.program->sreg_plane[SREG_CLOCK], -1);
    assert_int_equal(s.program->sreg_plane[SREG_TID_Y], -1);
    assert_int_not_equal(s.program->sreg_plane[SREG_CTAID_Y], s.program->sreg_plane[SREG_TID_X]);
    assert_true(s.program->functions[0].first_plane[WIDTH_32] >= 2);
    unload(&s);
}

static void addresses_go_by_space(void **state)
{
    (void)state;
    struct sample s =
        load(HEAD ".global .u32 g;\n.const .u32 c[4];\n.shared .align 8 .b8 unused[64];\n.shared .u32 sh[4];\n"
                  ".extern .shared .align 16 .b8 dyn[];\n"
                  ".visible .entry k(.param .u32 k_a, .param .u64 k_b) {\n" REGS
                  ".local .align 8 .b8 loc[24];\n.shared .align 32 .b8 own[8];\n"
                  "mov.u64 %rd1, g; ld.const.u32 %r1, [c+8]; st.shared.u32 [sh+4], %r1; mov.u64 %rd2, dyn;\n"
                  "ld.param.u64 %rd3, [k_b]; mov.b64 %rd4, k_a; mov.u64 %rd5, loc; mov.u64 %rd6, own; ret;\n}");
    const struct insn *i = s.program->insns;
    assert_int_equal(i[0].source[0].kind, REF_VARIABLE);
    assert_string_equal(i[0].source[0].variable->name, "g");
    assert_int_equal(i[1].source[0].kind, REF_VARIABLE);
    assert_int_equal(i[1].source[0].offset, 8);
    assert_int_equal(i[2].source[0].kind, REF_SHARED);
    assert_int_equal(i[2].source[0].offset, 4); /* `unused` takes no room */
    assert_int_equal(i[3].source[0].kind, REF_SHARED);
    assert_int_equal(i[3].source[0].offset, 48);
    assert_int_equal(i[4].source[0].kind, REF_PARAM);
    assert_int_equal(i[4].source[0].offset, 8);
    assert_int_equal(i[5].source[0].kind, REF_PARAM);
    assert_int_equal(i[5].source[0].offset, 0);
    assert_int_equal(i[6].source[0].kind, REF_LOCAL);
    assert_int_equal(i[7].source[0].offset, 32);
    assert_int_equal(s.program->layout->static_shared_bytes, 40);
    assert_int_equal(s.program->layout->dynamic_shared_offset, 48);
    assert_int_equal(s.program->layout->parameter_bytes, 16);
    assert_int_equal(s.program->functions[0].frame_bytes, 32);
    assert_int_equal(s.program->stack_bytes, 32);
    unload(&s);
}

/* ---- liveness and planes ---- */

static void a_guarded_write_keeps_the_old_value(void **state)
{
    (void)state;
    /* %r2 is alive across the guarded write, so %r3 cannot have its plane. */
    struct sample s = load(KERNEL(GUARDS "mov.u32 %r2, 5; mov.u32 %r3, 6; st.global.u32 [%rd1], %r3;\n"
                                         "@%p0 mov.u32 %r2, 7;\nst.global.u32 [%rd1+4], %r2; ret;"));
    const struct insn *i = s.program->insns;
    assert_int_not_equal(i[4].dest[0].plane, i[5].dest[0].plane);
    assert_int_equal(i[7].dest[0].plane, i[4].dest[0].plane);
    unload(&s);
}

static void planes_are_used_again(void **state)
{
    (void)state;
    struct sample s =
        load(KERNEL("ld.param.u64 %rd1, [k_a];\n"
                    "mov.u32 %r2, 5; st.global.u32 [%rd1], %r2; mov.u32 %r3, 6; st.global.u32 [%rd1], %r3;\n"
                    "mov.f64 %fd1, 0d3FF0000000000000; st.global.f64 [%rd1], %fd1; ret;"));
    assert_int_equal(s.program->plane_count, 5); /* %r2 and %r3 in one, %rd1 in two, %fd1 in two */
    assert_int_equal(s.program->register_count, 4);
    assert_int_equal(s.program->insns[1].dest[0].plane, s.program->insns[3].dest[0].plane);
    unload(&s);
}

static void predicates_are_no_machine_registers(void **state)
{
    (void)state;
    struct sample s = load(KERNEL("setp.eq.u32 %p1, 1, 2; setp.eq.u32 %p2, 3, 4; @%p1 bra A;\n@%p2 bra A;\nA: ret;"));
    assert_int_equal(s.program->functions[0].live_registers, 0);
    assert_int_equal(s.program->register_count, 1);
    unload(&s);
}

/* Sets of registers by instruction, worked out by iteration: slow, and simple enough to be believed. */
struct slow_liveness {
    int register_count, first, last;
    bool *out; /* [pc - first][register] */
};

static void slow_step(const struct insn *insn, const bool *out, bool *in, int register_count)
{
    memcpy(in, out, (size_t)register_count);
    for (int i = 0; i < insn->dest_count && insn->guard < 0; i++)
        if (insn->dest[i].kind == REF_PLANE)
            in[insn->dest[i].plane] = false;
    for (int i = 0; i < insn->source_count; i++)
        if (insn->source[i].kind == REF_PLANE)
            in[insn->source[i].plane] = true;
    if (insn->guard >= 0)
        in[insn->guard] = true;
}

static struct slow_liveness slow_create(const struct program *p, int function, int register_count)
{
    const struct program_function *f = &p->functions[function];
    struct slow_liveness l = {register_count, f->first, f->last, NULL};
    size_t row = (size_t)register_count;
    bool *in = xcalloc((size_t)(f->last - f->first + 1), row);
    l.out = xcalloc((size_t)(f->last - f->first + 1), row);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t pc = f->last; pc >= f->first; pc--) {
            bool *out = l.out + (size_t)(pc - f->first) * row;
            const struct flow_block *b = &p->blocks[p->insns[pc].block];
            int ways = pc == b->last ? b->successor_count : 1;
            for (int k = 0; k < ways; k++) {
                int32_t next = pc == b->last ? p->blocks[b->successors[k]].first : pc + 1;
                for (size_t r = 0; r < row; r++)
                    out[r] |= in[(size_t)(next - f->first) * row + r];
            }
            bool *now = xmalloc(row);
            slow_step(&p->insns[pc], out, now, register_count);
            changed |= memcmp(now, in + (size_t)(pc - f->first) * row, row) != 0;
            memcpy(in + (size_t)(pc - f->first) * row, now, row);
            free(now);
        }
    }
    free(in);
    return l;
}

static void check_planes_at(const struct insn *insn, const struct analysis *a, bool *alive,
                            const struct program_function *f)
{
    int plane_count = program_planes(f), first[WIDTH_COUNT] = {0};
    for (int w = 1; w < WIDTH_COUNT; w++)
        first[w] = first[w - 1] + f->plane_count[w - 1];
    int32_t *holder = xmalloc(sizeof *holder * (size_t)plane_count);
    for (int i = 0; i < plane_count; i++)
        holder[i] = -1;
    for (int i = 0; i < insn->dest_count; i++)
        if (insn->dest[i].kind == REF_PLANE)
            alive[insn->dest[i].plane] = true;
    for (int32_t r = 0; r < a->register_count; r++) {
        if (!alive[r])
            continue;
        assert_true(a->plane[r] >= 0 && a->plane[r] + analysis_planes(a, r) <= f->plane_count[analysis_width(a, r)]);
        for (int k = 0; k < analysis_planes(a, r); k++) {
            int plane = first[analysis_width(a, r)] + a->plane[r] + k;
            assert_int_equal(holder[plane], -1);
            holder[plane] = r;
        }
    }
    free(holder);
}

/* At every instruction all registers that are alive behind it, and those it writes, have planes of their own.
 */
static void check_allocation(const struct ptx_function *kernel)
{
    struct arena scratch = {0};
    struct program p = {.kernel = kernel, .layout = layout_create(kernel)};
    struct decoder d = {.program = &p, .scratch = &scratch};
    assert_true(decode_functions(&d));
    struct analysis *a = arena_array(&scratch, struct analysis, (size_t)p.function_count);
    for (int i = 0; i < p.function_count; i++) {
        const struct ptx_function *f = p.functions[i].source;
        a[i].pc_of = d.pc_of[i];
        a[i].register_count = f->register_count + 1;
        a[i].register_bits = arena_array(&scratch, uint8_t, (size_t)a[i].register_count);
        for (int k = 0; k < a[i].register_count; k++)
            a[i].register_bits[k] = k < f->register_count ? (uint8_t)decode_register_bits(f->registers[k].type) : 1;
    }
    blocks_create(&p, a, &scratch);
    blocks_analyse(&p, a, &scratch);
    for (int i = 0; i < p.function_count; i++)
        a[i].live = liveness_create(&p, i, &a[i], &scratch);
    allocate_planes(&p, a, &scratch);
    for (int i = 0; i < p.function_count; i++) {
        struct slow_liveness slow = slow_create(&p, i, a[i].register_count);
        for (int32_t pc = slow.first; pc <= slow.last; pc++)
            check_planes_at(&p.insns[pc], &a[i], slow.out + (size_t)(pc - slow.first) * (size_t)slow.register_count,
                            &p.functions[i]);
        free(slow.out);
    }
    decode_finish(&d);
    layout_destroy(p.layout);
    arena_free(&p.arena);
    arena_free(&scratch);
}

static void see_width(uint8_t *width_of, const struct ref *r)
{
    if (r->kind != REF_PLANE)
        return;
    uint8_t width = r->bits == 1 ? 32 : r->bits;
    for (int k = 0; k < (width + 31) / 32; k++) {
        uint8_t known = width_of[r->plane + k];
        assert_true(!known || known == width + k);
        width_of[r->plane + k] = (uint8_t)(width + k);
    }
}

/* Threads of a row may be anywhere: a plane that held lanes of 4 bytes here and of 8 bytes there would mix
 * them. */
static void check_widths(const struct ptx_function *kernel)
{
    char *error;
    struct program *p = program_create(kernel, &error);
    assert_non_null(p);
    uint8_t *width_of = xcalloc((size_t)p->plane_count, 1);
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        for (int i = 0; i < p->insns[pc].dest_count; i++)
            see_width(width_of, &p->insns[pc].dest[i]);
        for (int i = 0; i < p->insns[pc].source_count; i++)
            see_width(width_of, &p->insns[pc].source[i]);
    }
    free(width_of);
    program_destroy(p);
}

static void check_corpus(void (*check)(const struct ptx_function *), int instructions_most)
{
    DIR *folder = opendir(SOURCE_PATH("tests/corpus/ptx"));
    int checked = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        struct diag diag = {0};
        if (!strstr(entry->d_name, ".ptx"))
            continue;
        snprintf(path, sizeof path, SOURCE_PATH("tests/corpus/ptx/%s"), entry->d_name);
        struct ptx_module *m = ptx_parse_file(path, &diag);
        assert_non_null(m);
        for (int i = 0; i < m->function_count; i++)
            if (m->functions[i]->is_entry && m->functions[i]->is_defined &&
                m->functions[i]->instruction_count <= instructions_most) {
                check(m->functions[i]);
                checked++;
            }
        diag_free(&diag);
        ptx_destroy(m);
    }
    closedir(folder);
    assert_true(checked > 0);
}

static void registers_alive_together_have_planes_of_their_own(void **state)
{
    (void)state;
    check_corpus(check_allocation, 300);
}

static void no_plane_serves_two_widths(void **state)
{
    (void)state;
    check_corpus(check_widths, 100000);
}

/* Random bodies: short on straight lines, long on branches to anywhere, guarded writes and wide registers. */
static char *random_body(struct random *r)
{
    enum { LABELS = 8 };
    struct text t = {0};
    text_printf(&t, HEAD ".visible .entry k() {\n.reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.reg .b64 %%d<6>;\n"
                         ".reg .b16 %%h<4>;\n");
    for (int i = 0; i < LABELS; i++) {
        text_printf(&t, "L%d:\n", i);
        for (int k = (int)(random_u64(r) % 6); k > 0; k--) {
            unsigned a = (unsigned)random_u64(r), g = a >> 24 & 15;
            if (g < 4)
                text_printf(&t, "@%s%%p%u ", g & 1 ? "!" : "", g);
            switch (a % 7) {
            case 0:
                text_printf(&t, "add.cc.u32 %%r%u, %%r%u, %%r%u;\n", a >> 4 & 7, a >> 8 & 7, a >> 12 & 7);
                break;
            case 1:
                text_printf(&t, "addc.u32 %%r%u, %%r%u, 1;\n", a >> 4 & 7, a >> 8 & 7);
                break;
            case 2:
                text_printf(&t, "mul.wide.u32 %%d%u, %%r%u, %%r%u;\n", (a >> 4) % 6, a >> 8 & 7, a >> 12 & 7);
                break;
            case 3:
                text_printf(&t, "setp.lt.u64 %%p%u|%%p%u, %%d%u, %%d%u;\n", a >> 4 & 3, (a >> 4 & 3) ^ 1, (a >> 8) % 6,
                            (a >> 12) % 6);
                break;
            case 4:
                text_printf(&t, "ld.global.v2.u16 {%%h%u, %%h%u}, [%%d%u];\n", a >> 4 & 3, (a >> 4 & 3) ^ 2,
                            (a >> 8) % 6);
                break;
            case 5:
                text_printf(&t, "st.global.u16 [%%d%u], %%h%u;\n", (a >> 8) % 6, a >> 4 & 3);
                break;
            default:
                text_printf(&t, "bra L%u;\n", a >> 4 & (LABELS - 1));
            }
        }
    }
    text_printf(&t, "ret;\n}\n");
    return text_take(&t);
}

static void random_registers_have_planes_of_their_own(void **state)
{
    (void)state;
    struct random r = {7};
    for (int i = 0; i < 400; i++) {
        char *text = random_body(&r);
        struct ptx_module *m = parse(text);
        check_allocation(m->functions[0]);
        check_widths(m->functions[0]);
        ptx_destroy(m);
        free(text);
    }
}

/* ---- uniformity ---- */

static void expect_uniform(const char *text, int branch, bool uniform, bool partial)
{
    struct sample s = load(text);
    assert_true(branch < s.program->branch_count);
    if (BRANCH(branch).uniform != uniform || BRANCH(branch).partial != partial)
        fprintf(stderr, "%s\n", text);
    assert_int_equal(BRANCH(branch).uniform, uniform);
    assert_int_equal(BRANCH(branch).partial, partial);
    unload(&s);
}

#define TEST_R(reg) "setp.ne.u32 %p7, " reg ", 3; @%p7 bra END;\nst.global.u32 [%rd1], %r0;\nEND: ret;"

static void values_by_their_origin(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        bool uniform;
    } cases[] = {
        {"ld.param.u32 %r2, [k_n];", true},
        {"mov.u32 %r2, %ctaid.x;", true},
        {"mov.u32 %r2, %ntid.x; mul.lo.u32 %r2, %r2, 7;", true},
        {"mov.u32 %r2, %tid.y;", false},
        {"mov.u32 %r2, %laneid; and.b32 %r2, %r2, 0;", false},
        {"mov.u32 %r2, %clock;", false},
        {"ld.param.u64 %rd2, [k_a]; ld.global.u32 %r2, [%rd2];", false},
        {"ld.param.u64 %rd2, [k_a]; ld.global.nc.u32 %r2, [%rd2];", true},
        {"ld.param.u64 %rd2, [k_a]; mov.u32 %r3, %tid.x; cvt.u64.u32 %rd3, %r3; add.u64 %rd2, %rd2, %rd3;"
         "ld.global.nc.u32 %r2, [%rd2];",
         false},
        {"ld.const.u32 %r2, [c+4];", true},
        {"ld.shared.u32 %r2, [sh];", false},
        {"atom.shared.add.u32 %r2, [sh], 1;", false},
        {"mov.u32 %r3, %tid.x; setp.eq.u32 %p2, %r3, 0; bar.red.popc.u32 %r2, 0, %p2;", true},
        {"mov.u32 %r3, %tid.x; setp.eq.u32 %p2, %r3, 0; bar.red.popc.u32 %r2, 0, 64, %p2;", false},
        {"mov.u32 %r3, 1; shfl.sync.idx.b32 %r2, %r3, 0, 31, -1;", false},
        {"activemask.b32 %r2;", false},
        {"", false}, /* never written */
        {"mov.u32 %r2, 4; mov.u32 %r3, %tid.x; setp.eq.u32 %p2, %r3, 0; @%p2 mov.u32 %r2, 5;", false},
        {"mov.u32 %r2, 4; ld.param.u32 %r3, [k_n]; setp.eq.u32 %p2, %r3, 0; @%p2 mov.u32 %r2, 5;", true},
        {"mov.u32 %r3, %tid.x; setp.eq.u32 %p2, %r3, 0; selp.u32 %r2, 1, 2, %p2;", false},
        {"mov.u32 %r3, -1; add.cc.u32 %r3, %r3, %r3; addc.u32 %r2, 0, 0;", true},
        {"mov.u32 %r3, %tid.x; add.cc.u32 %r3, %r3, %r3; addc.u32 %r2, 0, 0;", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text t = {0};
        text_printf(&t,
                    "%s.const .u32 c[4];\n.shared .u32 sh;\n.visible .entry k(.param .u64 k_a, .param .u32 "
                    "k_n) {\n%s%s%s\n}\n",
                    HEAD, REGS, cases[i].code, TEST_R("%r2"));
        expect_uniform(t.data, 0, cases[i].uniform, false);
        text_free(&t);
    }
}

static void values_that_meet_behind_a_split_vary(void **state)
{
    (void)state;
#define SIDES(guard) \
    KERNEL(GUARDS "@" guard " bra THEN;\nmov.u32 %r2, 1; bra JOIN;\nTHEN: mov.u32 %r2, 2;\nJOIN: " TEST_R("%r2"))
    expect_uniform(SIDES("%p0"), 1, false, false);
    expect_uniform(SIDES("%p1"), 1, true, false);
}

static void values_that_may_meet_early_vary(void **state)
{
    (void)state;
    /* The break makes OUT the post-dominator, but both sides can come to LATCH first, the likely point. */
    expect_uniform(KERNEL(GUARDS "LOOP: @%p0 bra B;\nmov.u32 %r2, 1; @%p1 bra OUT;\nbra LATCH;\nB: mov.u32 %r2, 2;\n"
                                 "LATCH: setp.eq.u32 %p2, %r2, %r1; @%p2 bra LOOP;\nOUT: ret;"),
                   2, false, true);
}

static void values_of_one_side_are_uniform_there(void **state)
{
    (void)state;
    expect_uniform(KERNEL(GUARDS "@%p0 bra END;\nmov.u32 %r2, 1; setp.eq.u32 %p3, %r2, %r1; @%p3 bra MORE;\n"
                                 "st.global.u32 [%rd1], %r2;\nMORE: st.global.u32 [%rd1+4], %r2;\nEND: ret;"),
                   1, true, true);
}

static void ended_threads_do_not_count(void **state)
{
    (void)state;
    expect_uniform(KERNEL(GUARDS "@%p0 ret;\n" TEST_R("%r1")), 1, true, false);
}

static void loops_with_the_same_count_for_all_are_uniform(void **state)
{
    (void)state;
    expect_uniform(KERNEL(GUARDS
                          "mov.u32 %r2, 0;\nLOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r1; @%p2 bra LOOP;\n"
                          "ret;"),
                   0, true, false);
}

static void counters_of_loops_left_at_different_times_vary_outside(void **state)
{
    (void)state;
#define LEAVING(tested)                                                           \
    KERNEL(GUARDS "mov.u32 %r2, 0; mov.u32 %r3, 0;\nLOOP: add.u32 %r2, %r2, 1;\n" \
                  "setp.eq.u32 %p4, %r2, 9; @%p4 bra ODD;\nmov.u32 %r4, %r2;\n"   \
                  "ODD: setp.lt.u32 %p2, %r2, %r0;\n@%p2 bra LOOP;\n" TEST_R(tested))
    expect_uniform(LEAVING("%r1"), 0, true, true); /* inside, all are in the same round */
    expect_uniform(LEAVING("%r1"), 1, false, true);
    expect_uniform(LEAVING("%r1"), 2, true, false);
    expect_uniform(LEAVING("%r2"), 2, false, false);
}

static void values_written_before_a_loop_stay_uniform_behind_it(void **state)
{
    (void)state;
    expect_uniform(
        KERNEL(GUARDS
               "mov.u32 %r2, 0;\nLOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r0; @%p2 bra LOOP;\n" TEST_R("%r1")),
        1, true, false);
}

#define CALLEE                                                                                              \
    ".func f() {\n.reg .pred %p;\n.reg .b32 %r;\nmov.u32 %r, %ctaid.x; setp.eq.u32 %p, %r, 0; @%p bra E;\n" \
    "bar.sync 0;\nE: ret;\n}\n"

static void functions_are_uniform_if_all_threads_call_them(void **state)
{
    (void)state;
    struct sample s = load(HEAD CALLEE ".visible .entry k() { call f; ret; }");
    assert_true(BRANCH(0).uniform);
    unload(&s);
    s = load(HEAD CALLEE ".visible .entry k() {\n" REGS "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0;\n"
                         "@%p0 call f; ret; }");
    assert_int_equal(s.program->branch_count, 2);
    assert_false(BRANCH(0).uniform); /* the call itself: who goes in, and who waits behind it */
    assert_int_equal(BRANCH(0).ipdom, BRANCH(0).pc + 1);
    assert_int_equal(BRANCH(0).target[0], s.program->functions[1].first);
    assert_false(BRANCH(1).uniform);
    assert_true(BRANCH(1).partial);
    unload(&s);
}

/*
 * A block of eight threads under a reconvergence stack, for a handful of instructions: no branch proved
 * uniform may part the threads that execute it, and threads must come together at post-dominators for that to
 * hold.
 */
enum { THREADS = 8, STACK_MOST = 64, STEPS_MOST = 400 };

struct machine {
    const struct program *program;
    uint32_t (*plane)[THREADS];
    struct entry {
        int32_t pc, meet;
        unsigned mask;
    } stack[STACK_MOST];
    int depth, parted, agreed;
};

static uint32_t value_of(const struct machine *m, const struct ref *r, int thread)
{
    return r->kind == REF_IMMEDIATE ? (uint32_t)r->immediate : m->plane[r->plane][thread];
}

static void compute(struct machine *m, const struct insn *insn, int i)
{
    uint32_t a = insn->source_count > 0 ? value_of(m, &insn->source[0], i) : 0;
    uint32_t b = insn->source_count > 1 ? value_of(m, &insn->source[1], i) : 0;
    uint32_t *d = insn->dest_count ? &m->plane[insn->dest[0].plane][i] : NULL;
    if (insn->op == OP_MOV)
        *d = a;
    else if (insn->op == OP_ADD)
        *d = a + b;
    else if (insn->op == OP_SETP)
        *d = (a & 7) < (b & 7);
}

static void part(struct machine *m, const struct insn *insn, int32_t pc, unsigned taken)
{
    struct entry *top = &m->stack[m->depth - 1];
    unsigned stay = top->mask & ~taken;
    const struct branch *b = &m->program->branches[insn->branch];
    if (b->uniform) {
        assert_true(!taken || !stay);
        m->agreed++;
    }
    if (!taken || !stay) {
        top->pc = taken ? insn->target : pc + 1;
        return;
    }
    m->parted++;
    int32_t meet = b->ipdom;
    if (meet == PC_NONE || meet == top->meet)
        m->depth--;
    else
        top->pc = meet;
    m->stack[m->depth++] = (struct entry){pc + 1, meet, stay};
    m->stack[m->depth++] = (struct entry){insn->target, meet, taken};
}

static void step(struct machine *m)
{
    struct entry *top = &m->stack[m->depth - 1];
    if (!top->mask || top->pc == top->meet) {
        m->depth--;
        return;
    }
    int32_t pc = top->pc;
    const struct insn *insn = &m->program->insns[pc];
    unsigned active = 0;
    for (int i = 0; i < THREADS; i++)
        if (top->mask >> i & 1 && (insn->guard < 0 || (m->plane[insn->guard][i] != 0) != insn->guard_negate))
            active |= 1u << i;
    if (insn->op == OP_RET) {
        for (int k = 0; k < m->depth; k++)
            m->stack[k].mask &= ~active;
        top->pc = pc + 1;
    } else if (insn->op == OP_BRA && insn->branch >= 0) {
        part(m, insn, pc, active);
    } else if (insn->op == OP_BRA) {
        top->pc = insn->target;
    } else {
        for (int i = 0; i < THREADS; i++)
            if (active >> i & 1)
                compute(m, insn, i);
        top->pc = pc + 1;
    }
}

/* Random graphs of eight labels; registers and predicates get uniform and varying values by chance. */
static char *random_flow(struct random *r)
{
    enum { LABELS = 8, REGISTERS = 6 };
    struct text t = {0};
    text_printf(&t, HEAD ".visible .entry k() {\n.reg .pred %%p<4>;\n.reg .b32 %%r<6>;\n");
    for (int i = 0; i < 5; i++)
        text_printf(&t, "mov.u32 %%r%d, %d;\n", i, i);
    text_printf(&t, "mov.u32 %%r5, %%tid.x;\n");
    for (int i = 0; i < 4; i++)
        text_printf(&t, "setp.lt.u32 %%p%d, %%r%d, %d;\n", i, i < 2 ? 5 : i, (int)(random_u64(r) % 8));
    for (int i = 0; i < LABELS; i++) {
        text_printf(&t, "L%d:\n", i);
        for (int k = (int)(random_u64(r) % 4); k >= 0; k--) {
            unsigned a = (unsigned)random_u64(r), guard = a >> 24 & 15, d = (a >> 4) % 5, s = (a >> 8) % REGISTERS;
            if (guard < 4 || a % 8 > 4)
                text_printf(&t, "@%s%%p%u ", a >> 30 & 1 ? "!" : "", guard & 3);
            if (a % 8 < 2)
                text_printf(&t, "add.u32 %%r%u, %%r%u, %u;\n", d, s % 5, a >> 12 & 3);
            else if (a % 8 < 4)
                text_printf(&t, "setp.lt.u32 %%p%u, %%r%u, %u;\n", a >> 4 & 3, a >> 16 & 3 ? s % 5 : s, a >> 12 & 7);
            else if (a % 8 == 4)
                text_printf(&t, "mov.u32 %%r%u, %u;\n", d, a >> 12 & 3);
            else if (a % 64 == 5)
                text_printf(&t, "ret;\n");
            else
                text_printf(&t, "bra L%u;\n", a >> 4 & (LABELS - 1));
        }
    }
    text_printf(&t, "ret;\n}\n");
    return text_take(&t);
}

static void random_programs_never_part_at_uniform_branches(void **state)
{
    (void)state;
    struct random r = {11};
    int parted = 0, agreed = 0;
    for (int round = 0; round < 20000; round++) {
        char *text = random_flow(&r);
        struct sample s = load(text);
        struct machine m = {.program = s.program, .depth = 1, .stack = {{0, PC_NONE, (1u << THREADS) - 1}}};
        m.plane = xcalloc((size_t)s.program->plane_count + 1, sizeof *m.plane);
        for (int i = 0; i < THREADS && s.program->sreg_plane[SREG_TID_X] >= 0; i++)
            m.plane[s.program->sreg_plane[SREG_TID_X]][i] = (uint32_t)i;
        for (int k = 0; k < STEPS_MOST && m.depth && m.depth + 2 < STACK_MOST; k++)
            step(&m);
        parted += m.parted;
        agreed += m.agreed;
        free(m.plane);
        unload(&s);
        free(text);
    }
    assert_true(parted > 10000 && agreed > 10000);
}

/* ---- calls ---- */

static void callees_have_planes_above_their_callers(void **state)
{
    (void)state;
    struct sample s =
        load(HEAD ".func h() {\n.reg .b32 %r<3>;\nmov.u32 %r1, 1; mov.u32 %r2, 2; ret;\n}\n"
                  ".func f() {\n.reg .b64 %d<3>;\nmov.u64 %d1, 1; call h; st.global.u64 [%d1], %d1; ret;\n}\n"
                  ".func g() {\n.reg .b32 %r<2>;\nmov.u32 %r1, 1; ret;\n}\n"
                  ".visible .entry k() {\n.reg .b32 %r<9>;\n.reg .b64 %d<2>;\n"
                  "mov.u32 %r1, 3; call f; call g; call h; st.global.u32 [%d1], %r1; ret;\n}");
    const struct program_function *f = s.program->functions;
    assert_int_equal(s.program->function_count, 4);
    assert_string_equal(f[1].source->name, "f");
    assert_string_equal(f[2].source->name, "g");
    assert_string_equal(f[3].source->name, "h");
    for (int w = 0; w < WIDTH_COUNT; w++) {
        assert_int_equal(f[1].first_plane[w], f[0].first_plane[w] + f[0].plane_count[w]);
        assert_int_equal(f[2].first_plane[w], f[1].first_plane[w]); /* f and g are never active together */
        assert_int_equal(f[3].first_plane[w], f[1].first_plane[w] + f[1].plane_count[w]);
    }
    assert_false(s.program->has_recursion);
    /* alive in k across the call: %r1, %d1; in f: %d1; in h, two dead writes one after the other */
    assert_int_equal(s.program->register_count, 3 + 2 + 1);
    unload(&s);
}

static void recursive_calls_save_what_lives_across(void **state)
{
    (void)state;
    struct sample s =
        load(HEAD ".func (.param .b32 out) f(.param .b32 in) {\n.reg .pred %p<2>;\n.reg .b32 %r<6>;\n.reg .b64 %d<2>;\n"
                  "ld.param.u32 %r1, [in]; setp.lt.u32 %p1, %r1, 2; mov.u32 %r4, 9; add.u32 %r4, %r4, %r1;\n"
                  "cvt.u64.u32 %d1, %r4; @%p1 bra BASE;\nsub.u32 %r2, %r1, 1;\n{\n.param .b32 a; .param .b32 b;\n"
                  "st.param.b32 [a], %r2; call (b), f, (a); ld.param.b32 %r3, [b];\n}\n"
                  "mul.lo.u32 %r1, %r1, %r3;\nst.global.u32 [%d1], %r1;\nBASE: st.param.b32 [out], %r1; ret;\n}\n"
                  ".visible .entry k() {\n.reg .b32 %r<3>;\n{\n.param .b32 a; .param .b32 b;\n"
                  "st.param.b32 [a], 5; call (b), f, (a); ld.param.b32 %r1, [b];\n}\nret;\n}");
    const struct call *from_k = &s.program->calls[0], *from_f = &s.program->calls[1];
    assert_true(s.program->has_recursion);
    assert_true(s.program->functions[1].recursive);
    assert_false(s.program->functions[0].recursive);
    assert_false(from_k->recursive);
    assert_true(from_f->recursive);
    assert_int_equal(from_f->save_count, 2); /* %r1 and %d1 */
    int bits = from_f->save[0].bits + from_f->save[1].bits;
    assert_int_equal(bits, 32 + 64);
    assert_int_equal(from_f->argument_count, 1);
    assert_int_equal(from_f->argument[0].bytes, 4);
    const struct layout_frame *frame = &s.program->layout->frame[s.program->functions[1].source->index];
    assert_int_equal(from_f->argument[0].callee_offset, frame->formal_offset[0]);
    assert_int_equal(from_f->result[0].callee_offset, frame->return_offset[0]);
    assert_int_equal(from_f->argument[0].caller_offset, frame->offset[0]);
    assert_int_equal(from_f->result[0].caller_offset, frame->offset[1]);
    unload(&s);
}

static void mutual_recursion_shares_planes(void **state)
{
    (void)state;
    struct sample s =
        load(HEAD ".func b();\n"
                  ".func a() {\n.reg .b32 %r<3>;\nmov.u32 %r1, 1; call b; st.global.u32 [0], %r1; ret;\n}\n"
                  ".func b() {\n.reg .b64 %d<3>;\nmov.u64 %d1, 1; call a; st.global.u64 [0], %d1; ret;\n}\n"
                  ".visible .entry k() { call a; ret; }");
    const struct program_function *f = s.program->functions;
    assert_memory_equal(f[1].first_plane, f[2].first_plane, sizeof f[1].first_plane);
    assert_true(f[1].recursive && f[2].recursive);
    assert_int_equal(s.program->calls[1].save_count, 1);
    assert_int_equal(s.program->calls[2].save_count, 1);
    assert_int_equal(s.program->calls[2].save[0].bits, 64);
    unload(&s);
}

static void register_parameters_travel_through_the_frame(void **state)
{
    (void)state;
    struct sample s = load(HEAD ".func (.reg .u32 %out) f(.reg .u32 %in) {\n.reg .pred %p;\nsetp.eq.u32 %p, %in, 0;\n"
                                "@%p ret;\nadd.u32 %out, %in, 1;\n}\n"
                                ".visible .entry k() {\n.reg .b32 %r<3>;\nmov.u32 %r1, 4; call (%r2), f, (%r1);\n"
                                "st.global.u32 [0], %r2; ret;\n}");
    const struct program_function *f = &s.program->functions[1];
    const struct insn *i = &s.program->insns[f->first];
    const enum op wanted[] = {OP_LD, OP_SETP, OP_ST, OP_RET, OP_ADD, OP_ST, OP_RET};
    assert_int_equal(f->last - f->first + 1, 7);
    for (int k = 0; k < 7; k++)
        assert_int_equal(i[k].op, wanted[k]);
    assert_int_equal(i[2].guard, i[3].guard);
    assert_true(i[2].guard >= 0);
    const struct call *c = &s.program->calls[0];
    assert_int_equal(c->argument[0].value.kind, REF_PLANE);
    assert_int_equal(c->result[0].value.kind, REF_PLANE);
    assert_int_equal(c->argument[0].callee_offset, i[0].source[0].offset);
    assert_int_equal(c->result[0].callee_offset, i[2].source[0].offset);
    assert_int_equal(c->argument[0].value.plane, s.program->insns[0].dest[0].plane);
    unload(&s);
}

/* ---- errors ---- */

static void expect_error(const char *text, const char *part)
{
    struct sample s = try_load(text);
    assert_null(s.program);
    assert_non_null(s.error);
    if (!strstr(s.error, part))
        fprintf(stderr, "%s\n", s.error);
    assert_non_null(strstr(s.error, part));
    unload(&s);
}

static void what_cannot_run_is_refused_by_name(void **state)
{
    (void)state;
    expect_error(KERNEL("wibble.u32 %r1, %r2; ret;"), "wibble.u32");
    expect_error(KERNEL("wibble.u32 %r1, %r2; ret;"), "kernel 'k'");
    expect_error(HEAD ".func f() { wibble; ret; }\n.visible .entry k() { call f; ret; }", "function 'f'");
    expect_error(HEAD ".extern .func nowhere();\n.visible .entry k() { call nowhere; ret; }", "'nowhere'");
    expect_error(HEAD ".visible .entry k() {\n.shared .b8 x[0x90000000]; ret; }", "shared memory");
    expect_error(HEAD ".visible .entry k() {\n.local .b8 x[0x100000]; ret; }", "local memory");
    expect_error(HEAD ".visible .entry k(.param .b8 x[40000]) { ret; }", "parameters");
}

static void what_is_not_reached_is_not_refused(void **state)
{
    (void)state;
    struct sample s = load(HEAD ".func f() { wibble; ret; }\n.visible .entry other() { wibble; ret; }\n"
                                ".visible .entry k() { ret; }");
    unload(&s);
}

/* ---- reports ---- */

static void check_report(const struct ptx_function *kernel)
{
    char *error;
    struct text t = {0};
    struct program *p = program_create(kernel, &error);
    assert_non_null(p);
    program_print_text(p, &t);
    for (const char *line = t.data; *line;) {
        size_t length = strcspn(line, "\n");
        assert_true(length <= 110);
        line += length + (line[length] == '\n');
    }
    text_free(&t);
    program_print_json(p, &t);
    cJSON *value = json_read(t.data, &error);
    assert_non_null(value);
    assert_true(cJSON_IsObject(value));
    cJSON_Delete(value);
    text_free(&t);
    program_destroy(p);
}

static void reports_keep_their_form(void **state)
{
    (void)state;
    check_corpus(check_report, 100000);
}

static void a_report_says_what_was_found(void **state)
{
    (void)state;
    struct sample s = load(KERNEL(GUARDS "LOOP: add.u32 %r2, %r2, 1; @%p0 bra OUT; add.u32 %r3, %r3, 1;\n"
                                         "@%p1 bra LOOP;\nOUT: st.global.u32 [%rd0], %r2; ret;"));
    struct text t = {0};
    program_print_text(s.program, &t);
    assert_non_null(strstr(t.data, "kernel k"));
    assert_non_null(strstr(t.data, "  loop 0  depth 1"));
    assert_non_null(strstr(t.data, "    B+1     PTX line 12"));
    text_free(&t);
    program_print_dot(s.program, &t);
    assert_non_null(strstr(t.data, "b1 -> b3 [style=dashed"));
    text_free(&t);
    unload(&s);
}

/* Names of source files are whatever bytes the file system allows; JSON is UTF-8. */
static void names_that_are_no_utf8_are_escaped(void **state)
{
    (void)state;
    struct sample s = load(HEAD ".file 1 \"caf\xe9.cu\"\n.visible .entry k() {\n.loc 1 7 0\nret; }");
    struct text t = {0};
    program_print_json(s.program, &t);
    assert_non_null(strstr(t.data, "\"where\": \"caf\\u00e9.cu:7\""));
    text_free(&t);
    unload(&s);
}

static void the_hash_follows_the_instructions(void **state)
{
    (void)state;
    struct sample a = load(KERNEL("add.u32 %r1, %r2, 3; ret;")), b = load(KERNEL("add.u32   %r1,%r2, 0x3; /**/ ret;"));
    struct sample c = load(KERNEL("add.u32 %r1, %r2, 4; ret;")), d = load(KERNEL("sub.u32 %r1, %r2, 3; ret;"));
    assert_true(a.program->hash == b.program->hash);
    assert_true(a.program->hash != c.program->hash);
    assert_true(a.program->hash != d.program->hash);
    unload(&a);
    unload(&b);
    unload(&c);
    unload(&d);
}

/* Shapes whose analyses would take minutes if one of them were quadratic. */
static void large_functions_are_no_trouble(void **state)
{
    (void)state;
    enum { COUNT = 16000 };
    struct text t = {0};
    text_printf(&t, "%s.visible .entry k() {\n.reg .pred %%p<3>;\n.reg .b32 %%r<%d>;\nmov.u32 %%r0, %%tid.x;\n", HEAD,
                COUNT + 1);
    for (int i = 0; i < COUNT; i++)
        text_printf(&t, "L%d: add.u32 %%r%d, %%r%d, 1; setp.eq.u32 %%p1, %%r%d, %d; @%%p1 bra %s;\n", i, i + 1, i, i, i,
                    i % 2   ? "END"
                    : i % 4 ? "L0"
                            : "L9");
    text_printf(&t, "END: ret;\n}\n");
    struct sample s = load(t.data);
    assert_int_equal(s.program->branch_count, COUNT);
    assert_int_equal(s.program->plain_branches[1].ipdom, s.program->insn_count - 1);
    assert_int_equal(BRANCH(1).ipdom, BRANCH(1).target[1]); /* the other side only ends */
    unload(&s);
    text_free(&t);
}

/* No block has the name of a label of another block: neither of a second label of a block, nor of one that looks like a
 * numbered name. */
static void names_of_blocks_are_no_labels_of_others(void **state)
{
    (void)state;
    struct text body = {0};
    text_printf(&body, "FIRST: C: add.u32 %%r0, %%r0, 1;\n@%%p0 bra FIRST;\nB1: add.u32 %%r0, %%r0, 2;\n");
    for (int i = 0; i < 60; i++)
        text_printf(&body, "@%%p0 bra L%d;\nadd.u32 %%r0, %%r0, 3;\nL%d:\n", i, i);
    text_printf(&body, "ret;");
    struct text text = {0};
    text_printf(&text, "%s%s%s", HEAD ".visible .entry k(.param .u64 k_a, .param .u32 k_n) {\n" REGS, body.data,
                "\n}\n");
    struct sample s = load(text.data);
    int after_z = 0;
    for (int i = 0; i < s.program->block_count; i++) {
        const struct flow_block *b = &s.program->blocks[i];
        assert_string_not_equal(b->name, "C");
        assert_string_not_equal(b->name, "B1");
        after_z += !strcmp(b->name, "A1") || !strcmp(b->name, "C1");
        for (int k = 0; k < i; k++)
            assert_string_not_equal(b->name, s.program->blocks[k].name);
    }
    assert_int_equal(after_z, 2);
    text_free(&body);
    text_free(&text);
    unload(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(if_else_meets_behind_both),
        cmocka_unit_test(nested_ifs_meet_from_the_inside_out),
        cmocka_unit_test(a_break_likely_meets_at_the_backward_branch),
        cmocka_unit_test(a_break_of_a_turned_loop_likely_meets_at_the_branch_up),
        cmocka_unit_test(a_turned_loop_around_another_has_its_own_branch_up),
        cmocka_unit_test(an_if_in_a_loop_needs_no_likely_point),
        cmocka_unit_test(a_loop_with_two_exits_meets_where_both_come_together),
        cmocka_unit_test(an_inner_backward_branch_looks_at_the_loop_around),
        cmocka_unit_test(an_end_off_the_main_way_keeps_nobody_apart),
        cmocka_unit_test(threads_meet_in_front_of_a_barrier_past_an_end_that_more_blocks_reach),
        cmocka_unit_test(branches_in_an_endless_loop_still_meet),
        cmocka_unit_test(a_loop_with_two_entries_is_a_loop),
        cmocka_unit_test(a_branch_by_index_lists_its_targets_once),
        cmocka_unit_test(code_behind_the_end_is_kept),
        cmocka_unit_test(names_of_blocks_are_no_labels_of_others),
        cmocka_unit_test(a_body_without_ret_gets_one),
        cmocka_unit_test(vectors_are_flattened),
        cmocka_unit_test(an_absent_second_destination_keeps_its_place),
        cmocka_unit_test(the_carry_is_an_operand),
        cmocka_unit_test(special_registers_are_planes_unless_they_change),
        cmocka_unit_test(addresses_go_by_space),
        cmocka_unit_test(a_guarded_write_keeps_the_old_value),
        cmocka_unit_test(planes_are_used_again),
        cmocka_unit_test(predicates_are_no_machine_registers),
        cmocka_unit_test(registers_alive_together_have_planes_of_their_own),
        cmocka_unit_test(no_plane_serves_two_widths),
        cmocka_unit_test(random_registers_have_planes_of_their_own),
        cmocka_unit_test(values_by_their_origin),
        cmocka_unit_test(values_that_meet_behind_a_split_vary),
        cmocka_unit_test(values_that_may_meet_early_vary),
        cmocka_unit_test(values_of_one_side_are_uniform_there),
        cmocka_unit_test(ended_threads_do_not_count),
        cmocka_unit_test(loops_with_the_same_count_for_all_are_uniform),
        cmocka_unit_test(counters_of_loops_left_at_different_times_vary_outside),
        cmocka_unit_test(values_written_before_a_loop_stay_uniform_behind_it),
        cmocka_unit_test(functions_are_uniform_if_all_threads_call_them),
        cmocka_unit_test(random_programs_never_part_at_uniform_branches),
        cmocka_unit_test(callees_have_planes_above_their_callers),
        cmocka_unit_test(recursive_calls_save_what_lives_across),
        cmocka_unit_test(mutual_recursion_shares_planes),
        cmocka_unit_test(register_parameters_travel_through_the_frame),
        cmocka_unit_test(what_cannot_run_is_refused_by_name),
        cmocka_unit_test(what_is_not_reached_is_not_refused),
        cmocka_unit_test(reports_keep_their_form),
        cmocka_unit_test(a_report_says_what_was_found),
        cmocka_unit_test(names_that_are_no_utf8_are_escaped),
        cmocka_unit_test(the_hash_follows_the_instructions),
        cmocka_unit_test(large_functions_are_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
