/*
 * The engine on kernels whose threads wait for each other, checked by invariant, and on kernels that go
 * wrong, checked for every field of the report.
 */
#include "exec/site.h"
#include "kernel_bench.h"

#define KERNEL(body)                                                                                    \
    HEADER ".global .u32 lock; .global .u32 flag; .global .u32 arrived; .global .u32 shared_count;\n"   \
           ".const .u32 fixed = 7; .shared .u32 s[64];\n"                                               \
           ".visible .entry k(.param .u64 out)\n{\n"                                                    \
           ".reg .b32 %r<20>; .reg .b64 %d<9>; .reg .pred %p<9>;\n"                                     \
           "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d1, " \
           "%d0;\n" body "\nret;\n}\n"

static void run_to_end(struct bench *b, const char *text, unsigned blocks, unsigned threads)
{
    char report[2048];
    open_bench(b, text);
    b->launch.grid[0] = blocks;
    b->launch.block[0] = threads;
    b->launch.instruction_limit = 100000000;
    run_on_engine(b);
    if (b->result.fault.kind)
        fail_msg("%s", fault_describe(&b->result.fault, report, sizeof report));
}

/* ---- threads that wait for each other ---- */

/* Every thread takes the lock three times and adds to a counter without atomics. */
static void a_spin_lock_within_a_row_finishes(void **state)
{
    (void)state;
    struct bench b;
    run_to_end(&b,
               KERNEL("mov.u32 %r9, 0;\n"
                      "AGAIN: atom.global.cas.b32 %r1, [lock], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra AGAIN;\n"
                      "ld.volatile.global.u32 %r2, [%d0]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%d0], %r2;\n"
                      "membar.gl; atom.global.exch.b32 %r3, [lock], 0;\n"
                      "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra AGAIN;"),
               2, 96);
    assert_int_equal(*(uint32_t *)out(&b), 2 * 96 * 3);
    close_bench(&b);
}

/* The holder needs many turns, while those that spin part in every round: none of their pieces, however new,
 * may keep the holder waiting for ever. */
static void a_lock_held_for_long_is_released(void **state)
{
    (void)state;
    struct bench b;
    run_to_end(&b,
               KERNEL("mov.u32 %r9, 0;\n"
                      "AGAIN: add.u32 %r9, %r9, 1; add.u32 %r10, %r9, %r0; and.b32 %r11, %r10, 1;\n"
                      "setp.eq.u32 %p2, %r11, 0; @%p2 bra OTHER;\n"
                      "atom.global.cas.b32 %r1, [lock], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra AGAIN; bra HELD;\n"
                      "OTHER: atom.global.cas.b32 %r1, [lock], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra AGAIN;\n"
                      "HELD: mov.u32 %r5, 0;\n"
                      "WORK: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3000; @%p3 bra WORK;\n"
                      "ld.volatile.global.u32 %r2, [%d0]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%d0], %r2;\n"
                      "atom.global.exch.b32 %r3, [lock], 0;"),
               1, 32);
    assert_int_equal(*(uint32_t *)out(&b), 32);
    close_bench(&b);
}

/* Lane 0 spins at a lower PC than that at which lane 31 sets it free. */
static void a_thread_ahead_is_let_run(void **state)
{
    (void)state;
    struct bench b;
    run_to_end(&b,
               KERNEL("setp.eq.u32 %p0, %r0, 31; @%p0 bra SET;\n"
                      "WAIT: ld.volatile.global.u32 %r1, [flag]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT;\n"
                      "bra DONE;\nSET: st.volatile.global.u32 [flag], 5; mov.u32 %r1, 9;\n"
                      "DONE: st.global.u32 [%d1], %r1;"),
               1, 32);
    const uint32_t *words = out(&b);
    assert_int_equal(words[0], 5);
    assert_int_equal(words[30], 5);
    assert_int_equal(words[31], 9);
    close_bench(&b);
}

/* Nothing but running in step makes lanes wait for what lane 0 writes after 100,000 rounds; hardly any program does so. */
static void a_row_stays_in_step_for_long(void **state)
{
    (void)state;
    struct bench b;
    run_to_end(&b,
               KERNEL("mov.u32 %r1, %tid.x; setp.ne.u32 %p0, %r1, 0; @%p0 bra JOIN; mov.u32 %r2, 0;\n"
                      "ROUND: add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 100000; @%p0 bra ROUND;\n"
                      "st.global.u32 [flag], 7;\n"
                      "JOIN: ld.global.u32 %r3, [flag]; st.global.u32 [%d1], %r3;"),
               1, 32);
    for (int i = 0; i < 32; i++)
        assert_int_equal(((uint32_t *)out(&b))[i], 7);
    close_bench(&b);
}

/* Row 1 hands 100 numbers over, one at a time, to row 0, which spins for each. */
static void a_producer_and_a_consumer_finish(void **state)
{
    (void)state;
    struct bench b;
    run_to_end(&b,
               KERNEL("mov.u32 %r8, 0; mov.u32 %r9, 0; setp.ge.u32 %p0, %r0, 32; and.b32 %r7, %r0, 31;\n"
                      "setp.ne.u32 %p5, %r7, 0; @%p5 bra DONE; @%p0 bra PRODUCE;\n"
                      "CONSUME: ld.volatile.global.u32 %r1, [flag]; setp.eq.u32 %p1, %r1, 0; @%p1 bra CONSUME;\n"
                      "add.u32 %r9, %r9, %r1; st.volatile.global.u32 [flag], 0; add.u32 %r8, %r8, 1;\n"
                      "setp.lt.u32 %p2, %r8, 100; @%p2 bra CONSUME; st.global.u32 [%d0], %r9; bra DONE;\n"
                      "PRODUCE: ld.volatile.global.u32 %r1, [flag]; setp.ne.u32 %p1, %r1, 0; @%p1 bra PRODUCE;\n"
                      "add.u32 %r8, %r8, 1; st.volatile.global.u32 [flag], %r8;\n"
                      "setp.lt.u32 %p2, %r8, 100; @%p2 bra PRODUCE;\nDONE:"),
               1, 64);
    assert_int_equal(*(uint32_t *)out(&b), 5050);
    close_bench(&b);
}

/* Blocks wait for each other twice; what a block wrote before is seen by its neighbour after. */
static void a_barrier_over_the_grid_finishes(void **state)
{
    (void)state;
    struct bench b;
    run_to_end(&b,
               KERNEL("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r9, 0;\n"
                      "mul.wide.u32 %d2, %r1, 4; add.s64 %d2, %d2, %d0; add.u32 %r3, %r1, 1; rem.u32 %r3, %r3, %r2;\n"
                      "mul.wide.u32 %d3, %r3, 4; add.s64 %d3, %d3, %d0; setp.ne.u32 %p0, %r0, 0;\n"
                      "add.u32 %r4, %r1, 100; @!%p0 st.volatile.global.u32 [%d2], %r4;\n"
                      "ROUND: bar.sync 0; @%p0 bra JOIN; add.u32 %r9, %r9, %r2; membar.gl;\n"
                      "red.global.add.u32 [arrived], 1;\n"
                      "WAIT: ld.volatile.global.u32 %r5, [arrived]; setp.lt.u32 %p1, %r5, %r9; @%p1 bra WAIT;\n"
                      "JOIN: bar.sync 0; add.u32 %r8, %r8, 1; setp.eq.u32 %p2, %r8, 2; @%p2 bra DONE;\n"
                      "ld.volatile.global.u32 %r6, [%d3]; bra ROUND;\n"
                      "DONE: @!%p0 st.volatile.global.u32 [%d2], %r6;"),
               12, 64);
    const uint32_t *words = out(&b);
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(words[i], 100 + (i + 1) % 12);
    close_bench(&b);
}

/* ---- rendezvous ---- */

static void a_rendezvous_joins_different_instructions(void **state)
{
    (void)state;
    struct bench b;
    /* Lanes below 10 vote at one PC, the others at another; each side's threads take part in the other's. */
    run_to_end(&b,
               KERNEL("setp.lt.u32 %p0, %r0, 10; and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 1; @%p0 bra LOW;\n"
                      "vote.sync.ballot.b32 %r2, %p1, 0xffffffff; bra DONE;\n"
                      "LOW: vote.sync.ballot.b32 %r2, %p1, 0xffffffff; add.u32 %r2, %r2, 1;\n"
                      "DONE: st.global.u32 [%d1], %r2;"),
               1, 32);
    const uint32_t *words = out(&b);
    for (int i = 0; i < 32; i++)
        assert_int_equal(words[i], 0xaaaaaaaau + (i < 10));
    close_bench(&b);
}

static void partial_masks_do_not_mix(void **state)
{
    (void)state;
    struct bench b;
    /* Even and odd lanes, by masks of their own, exchange at the same instruction; then all at another. */
    run_to_end(&b,
               KERNEL("and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; selp.b32 %r2, 0x55555555, 0xaaaaaaaa, %p0;\n"
                      "redux.sync.add.s32 %r3, %r0, %r2; shfl.sync.bfly.b32 %r4, %r3, 1, 0x1f, 0xffffffff;\n"
                      "mad.lo.u32 %r3, %r3, 1000, %r4; st.global.u32 [%d1], %r3;"),
               1, 32);
    const uint32_t *words = out(&b);
    for (int i = 0; i < 32; i++)
        assert_int_equal(words[i], i & 1 ? 256240 : 240256);
    close_bench(&b);
}

static void a_rendezvous_does_not_wait_for_the_dead(void **state)
{
    (void)state;
    struct bench b;
    /* Lane 5 ends only after the others wait for it. */
    run_to_end(&b,
               KERNEL("setp.eq.u32 %p0, %r0, 5; @%p0 bra LATE; activemask.b32 %r1;\n"
                      "vote.sync.ballot.b32 %r2, 1, 0xffffffff; st.global.u32 [%d1], %r2; ret;\n"
                      "LATE: exit;"),
               1, 32);
    const uint32_t *words = out(&b);
    assert_int_equal(words[0], 0xffffffdf);
    assert_int_equal(words[5], 0);
    assert_int_equal(words[31], 0xffffffdf);
    close_bench(&b);
}

/* ---- barriers ---- */

static void barriers_with_counts_pair_rows(void **state)
{
    (void)state;
    struct bench b;
    /* Rows 0 and 1 meet at barrier 1, rows 2 and 3 at barrier 2, numbers and count in registers; the last row
     * is not full. Row 0 writes what row 1 reads, row 2 what row 3 reads. */
    run_to_end(&b,
               KERNEL("shr.u32 %r1, %r0, 6; add.u32 %r1, %r1, 1; mov.u32 %r2, 64; mov.u32 %r3, s;\n"
                      "shr.u32 %r4, %r0, 5; and.b32 %r5, %r4, 1; shl.b32 %r6, %r1, 2; add.u32 %r3, %r3, %r6;\n"
                      "setp.eq.u32 %p0, %r5, 0; mul.lo.u32 %r7, %r1, 11; @%p0 st.shared.u32 [%r3], %r7;\n"
                      "barrier.sync %r1, %r2; ld.shared.u32 %r8, [%r3]; st.global.u32 [%d1], %r8;"),
               1, 112);
    const uint32_t *words = out(&b);
    assert_int_equal(words[40], 11);
    assert_int_equal(words[100], 22);
    assert_int_equal(words[111], 22);
    close_bench(&b);
}

static void arriving_does_not_wait(void **state)
{
    (void)state;
    struct bench b;
    /* Row 1 arrives, then writes its own part without waiting for row 0, which comes last and reads. */
    run_to_end(&b,
               KERNEL("setp.lt.u32 %p0, %r0, 32; @%p0 bra WAIT; st.shared.u32 [s], 77; bar.arrive 3, 64;\n"
                      "mov.u32 %r2, 1; bra DONE;\n"
                      "WAIT: bar.sync 3, 64; ld.shared.u32 %r2, [s];\nDONE: st.global.u32 [%d1], %r2;"),
               1, 64);
    const uint32_t *words = out(&b);
    assert_int_equal(words[0], 77);
    assert_int_equal(words[32], 1);
    close_bench(&b);
}

static void barrier_reductions_count_all_rows(void **state)
{
    (void)state;
    struct bench b;
    run_to_end(&b,
               KERNEL("setp.lt.u32 %p0, %r0, 40; bar.red.popc.u32 %r1, 1, %p0; bar.red.and.pred %p1, 2, %p0;\n"
                      "barrier.red.or.pred %p2, 3, 64, !%p0; selp.u32 %r2, 100, 0, %p1; selp.u32 %r3, 1000, 0, %p2;\n"
                      "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%d1], %r1;"),
               1, 64);
    const uint32_t *words = out(&b);
    assert_int_equal(words[0], 1040);
    assert_int_equal(words[63], 1040);
    close_bench(&b);
}

/* ---- faults ---- */

struct expectation {
    const char *body;
    enum fault_kind kind;
    const char *instruction;
    uint32_t block, thread;
    const char *detail; /* part of it, or NULL */
    const char *space;  /* NULL: no address */
    uint64_t address;   /* from the buffer on, in global memory */
    uint32_t bytes;
    bool is_write;
    const char *near; /* part of it */
};

static const struct expectation expectations[] = {
    {"setp.eq.u32 %p0, %r0, 40; mov.u32 %r1, %ctaid.x; setp.eq.and.u32 %p0, %r1, 1, %p0;\n"
     "@%p0 st.global.u32 [%d0+8192], %r0;",
     FAULT_OUT_OF_BOUNDS, "@%p0 st.global.u32 [%d0+8192], %r0", 1, 40, NULL, "global", OUT_BYTES, 4, true,
     "0 bytes past the end of out"},
    {"ld.global.u64 %d2, [%d1+4]; st.global.u64 [%d0], %d2;", FAULT_MISALIGNED, "ld.global.u64 %d2, [%d1+4]", 0, 0,
     NULL, "global", 4, 8, false, "byte 4 of out"},
    {"ld.v4.u32 {%r1, %r2, %r3, %r4}, [%d1]; st.global.u32 [%d0], %r4;", FAULT_MISALIGNED,
     "ld.v4.u32 {%r1, %r2, %r3, %r4}, [%d1]", 0, 1, NULL, "global", 4, 16, false, "byte 4 of out"},
    {"cvta.const.u64 %d2, fixed; st.u32 [%d2], 1;", FAULT_READ_ONLY, "st.u32 [%d2], 1", 0, 0, NULL, "global",
     UINT64_MAX, 4, true, "byte 0 of the constant bank"},
    {"shl.b32 %r1, %r0, 2; st.shared.u32 [s], 1; ld.shared.u32 %r2, [%r1+4]; st.global.u32 [%d0], %r2;",
     FAULT_OUT_OF_BOUNDS, "ld.shared.u32 %r2, [%r1+4]", 0, 63, NULL, "shared", 256, 4, false,
     "shared memory has 256 bytes"},
    {"mov.u64 %d2, 12; atom.add.u32 %r1, [%d2], 1; st.global.u32 [%d0], %r1;", FAULT_OUT_OF_BOUNDS,
     "atom.add.u32 %r1, [%d2], 1", 0, 0, NULL, "generic", 12, 4, true, "null pointer"},
    {"setp.gt.u32 %p0, %r0, 33; @%p0 trap;", FAULT_TRAP, "@%p0 trap", 0, 34, NULL, NULL, 0, 0, false, NULL},
    {"setp.lt.u32 %p0, %r0, 7; @%p0 bra A; bar.sync 0; bra B;\nA: bar.sync 0;\nB:", FAULT_DIVERGENT_BARRIER,
     "bar.sync 0", 0, 0, "barrier 0", NULL, 0, 0, false, NULL},
    {"bar.sync 16;", FAULT_BAD_BARRIER, "bar.sync 16", 0, 0, "barrier 16", NULL, 0, 0, false, NULL},
    {"bar.warp.sync 0xfffffffe;", FAULT_BAD_BARRIER, "bar.warp.sync", 0, 0, "does not name the thread itself", NULL, 0,
     0, false, NULL},
    {"setp.lt.u32 %p0, %r0, 32; @%p0 bra A; barrier.sync 1, 64; bra B;\nA: barrier.sync 2, 64;\nB:", FAULT_DEADLOCK,
     "barrier.sync 2, 64", 0, 0, "row 0, lanes 0xffffffff wait at barrier 2", NULL, 0, 0, false, NULL},
    {"setp.ne.u32 %p0, %r0, 3; @%p0 bra A; vote.sync.ballot.b32 %r1, 1, 0xffffffff;\nA: bar.sync 0;", FAULT_DEADLOCK,
     "vote.sync.ballot.b32", 0, 3, "row 0, lanes 0x00000008 wait at vote", NULL, 0, 0, false, NULL},
    {"T: .branchtargets A, B; brx.idx %r0, T;\nA: bra C;\nB:\nC:", FAULT_BAD_INDEX, "brx.idx %r0, T", 0, 2,
     "index 2, but the list has 2", NULL, 0, 0, false, NULL},
    {"L: setp.gt.u32 %p0, %r0, 9; @%p0 bra L;", FAULT_LIMIT, NULL, 0, 10,
     "the limit of 5000 warp instructions is reached in the loop that starts at PTX line ", NULL, 0, 0, false, NULL},
};

static void check_fault(const struct expectation *x)
{
    struct bench b;
    char text[4096];
    static const char before[] = KERNEL("@"), *end = "\nret;\n}\n";
    snprintf(text, sizeof text, "%.*s%s%s", (int)(sizeof before - 1 - strlen(end) - 1), before, x->body, end);
    open_bench(&b, text);
    b.launch.grid[0] = 2;
    b.launch.block[0] = 64;
    b.launch.instruction_limit = 5000;
    run_on_engine(&b);
    const struct fault *f = &b.result.fault;
    assert_string_equal(fault_text[f->kind], fault_text[x->kind]);
    assert_string_equal(f->kernel, "k");
    assert_non_null(strstr(f->where, "line"));
    assert_true(f->has_thread);
    assert_int_equal(f->block[0], x->block);
    if (x->kind != FAULT_LIMIT) /* which of those that loop is named is nobody's business */
        assert_int_equal(f->thread[0], x->thread);
    if (x->instruction)
        assert_non_null(strstr(f->instruction, x->instruction));
    if (x->detail)
        assert_non_null(strstr(f->detail, x->detail));
    assert_int_equal(f->has_address, x->space != NULL);
    if (x->space) {
        assert_string_equal(f->space, x->space);
        if (x->address != UINT64_MAX)
            assert_int_equal(f->address, x->address + (strcmp(x->space, "global") ? 0 : b.out));
        assert_int_equal(f->bytes, x->bytes);
        assert_int_equal(f->is_write, x->is_write);
        assert_non_null(strstr(f->near, x->near));
    }
    close_bench(&b);
}

/* Each block takes one warp instruction: the limit is reached as a block ends, and holds for those behind it. */
static void a_limit_holds_for_short_blocks(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, HEADER ".visible .entry k(.param .u64 out)\n{\nret;\n}\n");
    b.launch.grid[0] = 5;
    for (uint64_t limit = 1; limit <= 6; limit++) {
        memset(&b.result, 0, sizeof b.result);
        b.launch.instruction_limit = limit;
        run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, limit < 5 ? FAULT_LIMIT : FAULT_NONE);
        assert_int_equal(b.result.warp_instructions, limit < 5 ? limit : 5);
        if (limit < 5) {
            assert_int_equal(b.result.fault.block[0], limit);
            assert_null(strstr(b.result.fault.detail, "loop"));
        }
    }
    close_bench(&b);
}

/* No loop is there to be named, also if another part of the kernel has one. */
static void a_limit_in_straight_code_is_no_loop(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, KERNEL("add.u32 %r1, %r0, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1;\nL: sub.u32 %r1, %r1, 1;\n"
                          "setp.ne.u32 %p0, %r1, 0; @%p0 bra L;"));
    b.launch.instruction_limit = 2;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_LIMIT);
    assert_string_equal(b.result.fault.detail, "the limit of 2 warp instructions is reached; raise it with --limit");
    close_bench(&b);
}

static void faults_say_who_where_and_what(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(expectations); i++)
        check_fault(&expectations[i]);
}

static void a_stack_that_runs_over_is_a_fault(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEADER ".func f(.param .u32 x)\n{\n.local .b8 room[200]; .reg .u32 %r; .param .u32 y;\n"
                          "ld.param.u32 %r, [x]; add.u32 %r, %r, 1; st.param.u32 [y], %r; call f, (y); ret;\n}\n"
                          ".visible .entry k(.param .u64 out)\n{\n.param .u32 y; st.param.u32 [y], 0; call f, (y);\n"
                          "ret;\n}\n");
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_STACK_OVERFLOW);
    assert_non_null(strstr(b.result.fault.instruction, "call f"));
    assert_non_null(strstr(b.result.fault.detail, "65536 bytes"));
    close_bench(&b);
}

/* A program waits for a number of cycles in a loop of five instructions, and expects that more than these have passed.
 * Numbers that three does not divide, of every remainder by five. */
static void a_wait_for_a_round_number_of_cycles_takes_longer(void **state)
{
    (void)state;
    static const unsigned cycles[] = {10000, 10001, 10003, 10004, 10007};
    for (size_t i = 0; i < COUNTOF(cycles); i++) {
        struct bench b;
        char text[1024];
        snprintf(text, sizeof text, "%s%u%s",
                 HEADER ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>; .reg .b64 %a; .reg .pred %q;\n"
                        "ld.param.u64 %a, [p]; mov.u32 %r1, %clock;\n"
                        "L: mov.u32 %r2, %clock; sub.u32 %r3, %r2, %r1; setp.lt.u32 %q, %r3, ",
                 cycles[i], "; add.u32 %r4, %r4, 1; @%q bra L;\nst.global.u32 [%a], %r3; ret;\n}\n");
        run_to_end(&b, text, 1, 32);
        assert_true(*(uint32_t *)out(&b) > cycles[i]);
        close_bench(&b);
    }
}

/* A lane of a 16-bit register is narrower than one of the special register that it takes its value from. */
static void narrow_moves_of_special_registers_take_each_lane_its_own(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEADER ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %o;\n.reg .b32 %r<4>;\n.reg .b16 %h<2>;\n"
                          "ld.param.u64 %o, [p];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %o, %r0, 12, %o;\n"
                          "mov.u16 %h0, %tid.x;\nmov.u16 %h1, %ntid.x;\nmov.u32 %r3, %gridid;\n"
                          "cvt.u32.u16 %r1, %h0;\ncvt.u32.u16 %r2, %h1;\nst.global.u32 [%o], %r1;\n"
                          "st.global.u32 [%o+4], %r2;\nst.global.u32 [%o+8], %r3;\nret;\n}\n");
    b.launch.grid_id = 77;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_NONE);
    const uint32_t *word = out(&b);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(word[3 * i], i);
        assert_int_equal(word[3 * i + 1], 32);
        assert_int_equal(word[3 * i + 2], 77);
    }
    close_bench(&b);
}

/* A special register that changes is computed at each execution, for lanes as wide as the operand's type. */
static void narrow_reads_of_the_clock_take_each_lane_its_own(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEADER ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %o;\n.reg .b32 %r<4>;\n.reg .b16 %h;\n"
                          "ld.param.u64 %o, [p];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %o, %r0, 8, %o;\n"
                          "mov.u16 %h, %clock;\ncvt.u32.u16 %r1, %h;\ncvt.u32.u16 %r2, %clock;\n"
                          "st.global.v2.u32 [%o], {%r1, %r2};\nret;\n}\n");
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_NONE);
    const uint32_t *word = out(&b);
    for (uint32_t i = 0; i < 32; i++) {
        assert_true(word[2 * i] > 0 && word[2 * i] == word[0]);
        assert_true(word[2 * i + 1] > word[0] && word[2 * i + 1] == word[1]);
    }
    close_bench(&b);
}

/* A cohort stops where another waits, in the middle of straight code too, and each instruction is counted where it is.
 * The kernel has 4 instructions, then those below, and a ret. */
static void straight_code_is_counted_by_instruction(void **state)
{
    (void)state;
    static const struct {
        uint64_t issues, threads;
    } expected[] = {{1, 32}, {1, 32}, {1, 32}, {1, 32}, {1, 32}, {1, 32}, {1, 12},
                    {1, 12}, {1, 32}, {1, 32}, {1, 32}, {1, 32}, {1, 32}};
    struct bench b;
    struct site sites[COUNTOF(expected) + 1] = {0};
    open_bench(&b, KERNEL("setp.ge.u32 %p0, %r0, 12; @%p0 bra JOIN; add.u32 %r1, %r0, 1; add.u32 %r1, %r1, 2;\n"
                          "JOIN: add.u32 %r2, %r0, 3; add.u32 %r2, %r2, 4; xor.b32 %r2, %r2, %r0;\n"
                          "st.global.u32 [%d1], %r2;"));
    b.launch.sites = sites;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_NONE);
    for (unsigned pc = 0; pc < COUNTOF(expected); pc++) {
        assert_int_equal(sites[pc].issues, expected[pc].issues);
        assert_int_equal(sites[pc].threads, expected[pc].threads);
    }
    assert_int_equal(b.result.warp_instructions, COUNTOF(expected));
    assert_int_equal(b.result.thread_instructions, 11 * 32 + 2 * 12);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(((uint32_t *)out(&b))[i], (i + 7) ^ i);
    close_bench(&b);
}

/* A block takes over the storage of one that ended with a barrier in use. */
static void a_block_finds_its_barriers_unused(void **state)
{
    (void)state;
    struct bench b;
    run_to_end(&b,
               KERNEL("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p0, %r1, 0;\n"
                      "@%p0 bar.arrive 1, 64; @!%p0 bar.arrive 1, 96;"),
               2, 32);
    close_bench(&b);
}

/* Threads are counted by x first, whatever the shape of the block. */
static void threads_know_their_index(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, KERNEL("mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y;\n"
                          "mad.lo.u32 %r5, %r2, %r4, %r1; mad.lo.u32 %r5, %r5, %r3, %r0;\n"
                          "shl.b32 %r1, %r1, 10; shl.b32 %r2, %r2, 20; or.b32 %r6, %r0, %r1; or.b32 %r6, %r6, %r2;\n"
                          "mul.wide.u32 %d1, %r5, 4; add.s64 %d1, %d1, %d0; st.global.u32 [%d1], %r6;"));
    for (uint32_t x = 1; x <= 1024; x++) {
        uint32_t y = 1024 / x > 7 && x % 3 ? 7 : 1024 / x, z = 1024 / (x * y) < 64 ? 1024 / (x * y) : 64;
        memcpy(b.launch.block, (uint32_t[]){x, y, z}, sizeof b.launch.block);
        memset(out(&b), 0xff, 4096);
        run_on_engine(&b);
        assert_int_equal(b.result.fault.kind, FAULT_NONE);
        for (uint32_t i = 0; i < x * y * z; i++)
            assert_int_equal(((uint32_t *)out(&b))[i], i % x | i / x % y << 10 | i / x / y << 20);
    }
    close_bench(&b);
}

/* Four lanes add to each of eight words: all the same number to the first eight, each its own to the next. */
static void rows_add_to_shared_words(void **state)
{
    (void)state;
    struct bench b;
    run_to_end(&b,
               KERNEL("mov.u32 %r1, s; and.b32 %r2, %r0, 7; shl.b32 %r2, %r2, 2; add.u32 %r2, %r2, %r1;\n"
                      "shl.b32 %r3, %r0, 2; add.u32 %r3, %r3, %r1; st.shared.u32 [%r3], 0; bar.sync 0;\n"
                      "red.shared.add.u32 [%r2], 3; red.shared.add.u32 [%r2+32], %r0; bar.sync 0;\n"
                      "ld.shared.u32 %r4, [%r3]; st.global.u32 [%d1], %r4;"),
               1, 32);
    const uint32_t *words = out(&b);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(words[i], 4 * 3);
        assert_int_equal(words[8 + i], 4 * i + 48);
    }
    close_bench(&b);
}

/* ---- who hears of accesses ---- */

struct heard {
    uint64_t base;
    int loads, writes;    /* accesses */
    int loading, writing; /* lanes of them */
    uint64_t last;        /* offset of the last lane of the last access */
};

static void hear(void *context, const uint64_t *address, int count, uint16_t bytes, bool is_write)
{
    struct heard *h = context;
    assert_int_equal(bytes, 4);
    *(is_write ? &h->writes : &h->loads) += 1;
    *(is_write ? &h->writing : &h->loading) += count;
    h->last = address[count - 1] - h->base;
}

/* Each warp loads twice, the second time at a generic address, stores from 20 lanes, and adds; what goes to shared
 * memory is not heard of. All warps of all blocks are heard, not only the first that comes to an instruction. */
static void accesses_to_global_memory_are_heard_of(void **state)
{
    (void)state;
    struct bench b;
    struct heard heard = {0};
    const struct access_sink sink = {hear, &heard};
    open_bench(&b, KERNEL("ld.global.u32 %r1, [%d1]; ld.u32 %r2, [%d1]; mul.wide.u32 %d3, %r0, 4; mov.u64 %d4, s;\n"
                          "cvta.shared.u64 %d4, %d4; ld.u32 %r4, [%d4]; ld.shared.u32 %r5, [s];\n"
                          "and.b32 %r3, %r0, 31; setp.lt.u32 %p0, %r3, 20; @%p0 st.global.u32 [%d1], %r1;\n"
                          "red.global.add.u32 [%d0+4000], 1;"));
    b.launch.grid[0] = 3;
    b.launch.block[0] = 64;
    b.launch.accesses = &sink;
    heard.base = b.out;
    run_on_engine(&b);
    assert_int_equal(b.result.fault.kind, FAULT_NONE);
    assert_int_equal(heard.loads, 2 * 6);
    assert_int_equal(heard.loading, 2 * 6 * 32);
    assert_int_equal(heard.writes, 2 * 6);
    assert_int_equal(heard.writing, 6 * 20 + 6 * 32);
    assert_int_equal(heard.last, 4000);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_add_to_shared_words),
        cmocka_unit_test(accesses_to_global_memory_are_heard_of),
        cmocka_unit_test(narrow_reads_of_the_clock_take_each_lane_its_own),
        cmocka_unit_test(narrow_moves_of_special_registers_take_each_lane_its_own),
        cmocka_unit_test(a_spin_lock_within_a_row_finishes),
        cmocka_unit_test(a_wait_for_a_round_number_of_cycles_takes_longer),
        cmocka_unit_test(a_row_stays_in_step_for_long),
        cmocka_unit_test(a_lock_held_for_long_is_released),
        cmocka_unit_test(a_thread_ahead_is_let_run),
        cmocka_unit_test(a_producer_and_a_consumer_finish),
        cmocka_unit_test(a_barrier_over_the_grid_finishes),
        cmocka_unit_test(a_rendezvous_joins_different_instructions),
        cmocka_unit_test(partial_masks_do_not_mix),
        cmocka_unit_test(a_rendezvous_does_not_wait_for_the_dead),
        cmocka_unit_test(barriers_with_counts_pair_rows),
        cmocka_unit_test(arriving_does_not_wait),
        cmocka_unit_test(barrier_reductions_count_all_rows),
        cmocka_unit_test(faults_say_who_where_and_what),
        cmocka_unit_test(a_limit_holds_for_short_blocks),
        cmocka_unit_test(a_limit_in_straight_code_is_no_loop),
        cmocka_unit_test(a_stack_that_runs_over_is_a_fault),
        cmocka_unit_test(straight_code_is_counted_by_instruction),
        cmocka_unit_test(a_block_finds_its_barriers_unused),
        cmocka_unit_test(threads_know_their_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
