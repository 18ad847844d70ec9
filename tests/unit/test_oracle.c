/* The oracle on small kernels: what threads do together, memory, calls, faults, launches. */
#include "kernel_bench.h"

static void run_expecting(struct bench *b, enum fault_kind kind)
{
    oracle_launch(&b->launch, &b->result);
    assert_string_equal(fault_text[b->result.fault.kind], fault_text[kind]);
}

/* Parses, runs `threads` threads and leaves the bench open. */
static void run_text(struct bench *b, const char *text, unsigned threads)
{
    open_bench(b, text);
    b->launch.block[0] = threads;
    run(b);
}

#define KERNEL(body)                                                                                    \
    HEADER ".visible .entry k(.param .u64 out)\n{\n"                                                    \
           ".reg .b16 %h<9>; .reg .b32 %r<19>; .reg .f32 %f<9>; .reg .b64 %d<19>; .reg .f64 %g<9>;"     \
           ".reg .pred %p<9>;\n"                                                                        \
           "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d1, " \
           "%d0;\n" body "\nret;\n}\n"

static void test_special_registers(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, KERNEL("mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;"
                          "mov.u32 %r4, %laneid; mov.u32 %r5, %warpid; mov.u32 %r6, %lanemask_lt;"
                          "mov.u32 %r7, %ctaid.x; mov.u32 %r8, %nctaid.x; mul.wide.u32 %d1, %r3, 16;"
                          "add.s64 %d1, %d1, %d0; st.global.v4.u32 [%d1], {%r4, %r5, %r6, %r7};"));
    b.launch.block[0] = 10;
    b.launch.block[1] = 5;
    b.launch.grid[0] = 3;
    run(&b);
    const uint32_t *words = out(&b);
    assert_int_equal(words[4 * 37 + 0], 5);
    assert_int_equal(words[4 * 37 + 1], 1);
    assert_int_equal(words[4 * 37 + 2], 31);
    assert_int_equal(words[4 * 37 + 3], 2);
    assert_int_equal(b.result.warp_instructions, 0);
    assert_int_equal(b.result.thread_instructions, 3 * 50 * 16);
    close_bench(&b);
}

static void test_block_barrier(void **state)
{
    (void)state;
    struct bench b;
    /* Each thread reads what its neighbour in the other row wrote. */
    run_text(&b,
             HEADER ".shared .b32 s[64];\n.visible .entry k(.param .u64 out)\n{\n"
                    ".reg .b32 %r<9>; .reg .b64 %d<5>;\nld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x;\n"
                    "shl.b32 %r1, %r0, 2; mov.u32 %r2, s; add.u32 %r3, %r2, %r1; st.shared.u32 [%r3], %r0;\n"
                    "bar.sync 0;\nxor.b32 %r1, %r1, 128; add.u32 %r3, %r2, %r1; ld.shared.u32 %r4, [%r3];\n"
                    "mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d1, %d0; st.global.u32 [%d1], %r4;\nret;\n}\n",
             64);
    const uint32_t *words = out(&b);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(words[i], i ^ 32);
    close_bench(&b);
}

static void test_barrier_reductions(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b,
             KERNEL("setp.lt.u32 %p0, %r0, 40; bar.red.popc.u32 %r1, 1, %p0;"
                    "bar.red.and.pred %p1, 2, %p0; barrier.red.or.pred %p2, 3, 64, %p0;"
                    "selp.u32 %r2, 100, 0, %p1; selp.u32 %r3, 1000, 0, %p2;"
                    "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%d1], %r1;"),
             64);
    const uint32_t *words = out(&b);
    assert_int_equal(words[0], 1040);
    assert_int_equal(words[63], 1040);
    close_bench(&b);
}

static void test_exited_threads_pass_barriers(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b, KERNEL("setp.gt.u32 %p0, %r0, 10; @%p0 exit; bar.sync 0; st.global.u32 [%d1], 7;"), 64);
    const uint32_t *words = out(&b);
    assert_int_equal(words[10], 7);
    assert_int_equal(words[11], 0);
    close_bench(&b);
}

static void test_producer_and_consumer(void **state)
{
    (void)state;
    struct bench b;
    /* Row 1 produces and does not wait; row 0 consumes. A third row takes no part. */
    run_text(&b,
             HEADER ".shared .b32 s[32];\n.visible .entry k(.param .u64 out)\n{\n"
                    ".reg .b32 %r<9>; .reg .b64 %d<5>; .reg .pred %p<3>;\n"
                    "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r5, %laneid; shl.b32 %r1, %r5, 2;\n"
                    "mov.u32 %r2, s; add.u32 %r2, %r2, %r1; setp.ge.u32 %p0, %r0, 64; @%p0 ret;\n"
                    "setp.ge.u32 %p1, %r0, 32; @%p1 bra PRODUCE;\nbar.sync 5, 64;\nld.shared.u32 %r3, [%r2];\n"
                    "mul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d1, %d0; st.global.u32 [%d1], %r3; ret;\n"
                    "PRODUCE:\nst.shared.u32 [%r2], %r0; bar.arrive 5, 64;\nret;\n}\n",
             96);
    const uint32_t *words = out(&b);
    assert_int_equal(words[0], 32);
    assert_int_equal(words[31], 63);
    close_bench(&b);
}

static void test_barrier_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum fault_kind kind;
    } cases[] = {
        {KERNEL("bar.sync 16;"), FAULT_BAD_BARRIER},
        {KERNEL("bar.sync 0, 20;"), FAULT_BAD_BARRIER},
        {KERNEL("setp.eq.u32 %p0, %r0, 0; @%p0 bra A; bar.sync 0; bra B; A: bar.sync 0; B:"), FAULT_DIVERGENT_BARRIER},
        {KERNEL("setp.eq.u32 %p0, %r0, 0; @%p0 bra A; bar.sync 0; bra B; A: bar.sync 1; B:"), FAULT_DEADLOCK},
        {KERNEL("bar.warp.sync 1;"), FAULT_BAD_BARRIER},
        {KERNEL("setp.eq.u32 %p0, %r0, 0; @%p0 bra A; bar.sync 1; bra B; A: bar.warp.sync -1; B:"), FAULT_DEADLOCK},
        {KERNEL("setp.eq.u32 %p0, %r0, 0; @%p0 bra A; bar.sync 1, 32; bra B; A: bar.sync 1; B:"), FAULT_BAD_BARRIER},
        {KERNEL("bar.arrive 3, 128; bar.arrive 3, 128;"), FAULT_BAD_BARRIER},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        struct bench b;
        open_bench(&b, cases[i].text);
        b.launch.block[0] = 64;
        run_expecting(&b, cases[i].kind);
        assert_true(b.result.fault.detail[0]);
        close_bench(&b);
    }
}

static void test_unaligned_barriers_meet(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b,
             KERNEL("setp.eq.u32 %p0, %r0, 3; @%p0 bra A; barrier.sync 0; bra B; A: barrier.sync 0; B:"
                    "st.global.u32 [%d1], 1;"),
             32);
    close_bench(&b);
}

static void test_deadlock_names_who_waits(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, KERNEL("setp.eq.u32 %p0, %r0, 4;\n@%p0 bra A;\nbar.sync 7;\nbra B;\nA:\nbar.warp.sync 0x30;\nB:"));
    run_expecting(&b, FAULT_DEADLOCK);
    assert_non_null(strstr(b.result.fault.detail, "31 threads from (0,0,0) on wait at barrier 7"));
    assert_non_null(strstr(b.result.fault.detail, "1 thread from (4,0,0) on waits for the lanes 0x00000030"));
    assert_string_equal(b.result.fault.kernel, "k");
    close_bench(&b);
}

static void test_shuffle(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b,
             KERNEL("add.u32 %r1, %r0, 100;"
                    "shfl.sync.up.b32 %r2|%p0, %r1, 1, 0, -1; selp.u32 %r3, 1, 0, %p0;"
                    "shfl.sync.idx.b32 %r4, %r1, 3, 0x181f, -1;"
                    "shfl.sync.down.b32 %r5|%p1, %r1, 4, 0x1f, -1; selp.u32 %r6, 1, 0, %p1;"
                    "shfl.sync.bfly.b32 %r7, %r1, 1, 0x1f, -1; mul.wide.u32 %d1, %r0, 32; add.s64 %d1, %d1, %d0;"
                    "st.global.v4.u32 [%d1], {%r2, %r3, %r4, %r5}; st.global.v2.u32 [%d1+16], {%r6, %r7};"),
             32);
    const uint32_t *w = out(&b);
    assert_int_equal(w[0], 100); /* lane 0: out of range, its own */
    assert_int_equal(w[1], 0);
    assert_int_equal(w[8 * 5 + 0], 104);
    assert_int_equal(w[8 * 5 + 1], 1);
    assert_int_equal(w[8 * 13 + 2], 111); /* segments of 8 */
    assert_int_equal(w[8 * 27 + 3], 131);
    assert_int_equal(w[8 * 29 + 3], 129);
    assert_int_equal(w[8 * 29 + 4], 0);
    assert_int_equal(w[8 * 6 + 5], 107);
    close_bench(&b);
}

static void test_vote_match_redux(void **state)
{
    (void)state;
    struct bench b;
    /* Lanes 0 to 15 go one way, the others another: each half has its own rendezvous, at instructions of its
     * own. */
    run_text(&b,
             KERNEL("and.b32 %r1, %r0, 3; setp.eq.u32 %p0, %r1, 0; setp.ge.u32 %p1, %r0, 16; @%p1 bra HIGH;\n"
                    "vote.sync.ballot.b32 %r2, %p0, 0xffff; match.any.sync.b32 %r3, %r1, 0xffff;"
                    "redux.sync.add.s32 %r4, %r0, 0xffff; bra JOIN;\nHIGH:\n"
                    "vote.sync.ballot.b32 %r2, !%p0, 0xffff0000; match.all.sync.b32 %r3|%p2, 5, 0xffff0000;"
                    "redux.sync.min.s32 %r4, %r0, 0xffff0000;\nJOIN:\n"
                    "vote.sync.any.pred %p3, %p0, -1; selp.u32 %r5, 1, 0, %p3;"
                    "mul.wide.u32 %d1, %r0, 16; add.s64 %d1, %d1, %d0; st.global.v4.u32 [%d1], {%r2, %r3, "
                    "%r4, %r5};"),
             32);
    const uint32_t *w = out(&b);
    assert_int_equal(w[4 * 2 + 0], 0x1111);
    assert_int_equal(w[4 * 2 + 1], 0x4444);
    assert_int_equal(w[4 * 2 + 2], 120);
    assert_int_equal(w[4 * 2 + 3], 1);
    assert_int_equal(w[4 * 20 + 0], 0xeeee0000);
    assert_int_equal(w[4 * 20 + 1], 0xffff0000);
    assert_int_equal(w[4 * 20 + 2], 16);
    close_bench(&b);
}

static void test_rendezvous_does_not_wait_for_the_dead(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b,
             KERNEL("setp.ge.u32 %p0, %r0, 8; @%p0 exit; vote.sync.ballot.b32 %r1, 1, -1;"
                    "st.global.u32 [%d1], %r1;"),
             20);
    const uint32_t *w = out(&b);
    assert_int_equal(w[0], 0xff);
    close_bench(&b);
}

static void test_old_forms(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b,
             HEADER ".visible .entry k(.param .u64 out)\n{\n"
                    ".reg .b32 %r<9>; .reg .b64 %d<5>; .reg .pred %p<3>;\n"
                    "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 12;\n"
                    "@!%p0 bra SKIP;\nactivemask.b32 %r1;\nvote.ballot.b32 %r2, 1;\nshfl.idx.b32 %r3, %r0, 9, 31;\n"
                    "mul.wide.u32 %d1, %r0, 16; add.s64 %d1, %d1, %d0;\nst.global.v4.u32 [%d1], {%r1, %r2, %r3, 0};\n"
                    "SKIP:\nret;\n}\n",
             32);
    const uint32_t *w = out(&b);
    assert_int_equal(w[4 * 11 + 0], 0xfff);
    assert_int_equal(w[4 * 11 + 1], 0xfff);
    assert_int_equal(w[4 * 11 + 2], 9);
    close_bench(&b);
}

static void test_atomics(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, KERNEL("atom.global.add.u32 %r1, [%d0], 1; red.global.max.s32 [%d0+4], %r0;"
                          "atom.global.inc.u32 %r2, [%d0+8], 4; atom.global.cas.b32 %r3, [%d0+12], 0, %r0;"
                          "red.global.add.f32 [%d0+16], 0f3F800000; red.global.add.f64 [%d0+24], 0d3FE0000000000000;"
                          "red.global.min.s32 [%d0+32], %r0; atom.global.exch.b64 %d2, [%d0+40], 9;"
                          "red.global.add.f32 [%d0+48], 0f00000001;"
                          "atom.global.dec.u32 %r4, [%d0+52], 10;"));
    uint32_t *w = out(&b);
    w[1] = (uint32_t)-5;
    w[8] = 3;
    w[13] = 100;
    run(&b);
    assert_int_equal(w[0], 32);
    assert_int_equal(w[1], 31);
    assert_int_equal(w[2], 32 % 5);
    assert_int_equal(w[3], 1);
    assert_int_equal(w[4], 0x42000000);
    assert_int_equal(w[7], 0x40300000);
    assert_int_equal(w[8], 0);
    assert_int_equal(w[10], 9);
    assert_int_equal(w[12], 0); /* global additions flush subnormal numbers */
    assert_int_equal(w[13], 10 - 31 % 11 + 0);
    close_bench(&b);
}

static void test_lock(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b,
             KERNEL("LOCK: atom.global.cas.b32 %r1, [%d0], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra LOCK;"
                    "ld.global.u32 %r2, [%d0+4]; add.u32 %r2, %r2, 1; st.global.u32 [%d0+4], %r2;"
                    "nanosleep.u32 100; membar.gl; atom.global.exch.b32 %r3, [%d0], 0;"),
             64);
    assert_int_equal(((const uint32_t *)out(&b))[1], 64);
    close_bench(&b);
}

static void test_narrow_and_vector_access(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, KERNEL("ld.global.s8 %r1, [%d0]; ld.global.u8 %r2, [%d0]; ld.global.s16 %d2, [%d0];"
                          "st.global.v4.u8 [%d0+4], {%r1, %r2, 5, 6}; st.global.u32 [%d0+8], %r1;"
                          "st.global.u64 [%d0+16], %d2; ld.global.v2.u64 {%d3, _}, [%d0+16]; st.global.u64 "
                          "[%d0+24], %d3;"));
    b.launch.block[0] = 1;
    uint32_t *w = out(&b);
    w[0] = 0x80fe;
    run(&b);
    assert_int_equal(w[1], 0x0605fefe);
    assert_int_equal(w[2], S(-2));
    assert_int_equal(w[4], 0xffff80fe);
    assert_int_equal(w[5], 0xffffffff);
    assert_int_equal(w[6], 0xffff80fe);
    close_bench(&b);
}

static void test_narrow_addresses_wrap(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b,
             HEADER ".shared .b32 s[4];\n.visible .entry k(.param .u64 out)\n{\n"
                    ".reg .b32 %r<3>; .reg .b64 %d;\nld.param.u64 %d, [out]; mov.u32 %r0, s;\n"
                    "sub.u32 %r0, %r0, 4; st.shared.u32 [%r0+4], 6; ld.shared.u32 %r1, [s];\n"
                    "st.global.u32 [%d], %r1;\nret;\n}\n",
             1);
    assert_int_equal(((const uint32_t *)out(&b))[0], 6);
    close_bench(&b);
}

static void test_generic_addresses(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b,
             HEADER ".shared .b32 s[4];\n.const .b32 c[2] = {11, 22};\n.global .b32 g = 33;\n"
                    ".visible .entry k(.param .u64 out)\n{\n.local .b32 l[4];\n"
                    ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>;\n"
                    "ld.param.u64 %d0, [out];\nmov.u64 %d1, s; cvta.shared.u64 %d1, %d1; st.u32 [%d1+4], 1;\n"
                    "ld.shared.u32 %r1, [s+4];\nmov.u64 %d2, l; cvta.local.u64 %d2, %d2; st.u32 [%d2+8], 2;\n"
                    "ld.local.u32 %r2, [l+8];\nmov.u64 %d3, c; cvta.const.u64 %d3, %d3; ld.u32 %r3, [%d3+4];\n"
                    "ld.const.u32 %r4, [c];\nmov.u64 %d4, g; cvta.global.u64 %d4, %d4; ld.u32 %r5, [%d4];\n"
                    "isspacep.shared %p1, %d1; isspacep.local %p2, %d2; isspacep.const %p3, %d3;\n"
                    "isspacep.global %p4, %d4; and.pred %p1, %p1, %p2; and.pred %p3, %p3, %p4;\n"
                    "and.pred %p1, %p1, %p3; isspacep.global %p5, %d1; not.pred %p5, %p5; and.pred %p1, %p1, %p5;\n"
                    "selp.u32 %r6, 1, 0, %p1;\n"
                    "cvta.to.shared.u64 %d5, %d1; cvt.u32.u64 %r7, %d5; mov.u32 %r8, s; sub.u32 %r7, %r7, %r8;\n"
                    "st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4}; st.global.v2.u32 [%d0+16], {%r5, %r6};\n"
                    "st.global.u32 [%d0+24], %r7;\nret;\n}\n",
             1);
    static const uint32_t expect[7] = {1, 2, 22, 11, 33, 1, 0};
    assert_memory_equal(out(&b), expect, sizeof expect);
    close_bench(&b);
}

static void test_parameter_address(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEADER ".visible .entry k(.param .u64 out, .param .align 4 .b8 s[8])\n{\n"
                          ".reg .b32 %r<9>; .reg .b64 %d<9>;\nld.param.u64 %d0, [out];\n"
                          "mov.b64 %d1, s; cvta.param.u64 %d2, %d1; ld.u32 %r1, [%d2+4]; ld.param.u32 %r2, [%d1];\n"
                          "st.global.v2.u32 [%d0], {%r1, %r2};\nret;\n}\n");
    int before = b.memory->count;
    b.parameters[1] = UINT64_C(0x700000008);
    b.launch.parameter_bytes = 16;
    run(&b);
    assert_int_equal(((const uint32_t *)out(&b))[0], 7);
    assert_int_equal(((const uint32_t *)out(&b))[1], 8);
    assert_int_equal(b.memory->count, before);
    close_bench(&b);
}

static void test_access_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum fault_kind kind;
    } cases[] = {
        {KERNEL("ld.global.u32 %r1, [%d0+8192];"), FAULT_OUT_OF_BOUNDS},
        {KERNEL("ld.global.u32 %r1, [%d0+2];"), FAULT_MISALIGNED},
        {KERNEL("ld.global.v2.u32 {%r1, %r2}, [%d0+4];"), FAULT_MISALIGNED},
        {KERNEL("st.shared.u32 [%r0], 0;"), FAULT_OUT_OF_BOUNDS},
        {KERNEL("mov.u64 %d3, 0; ld.u8 %r1, [%d3];"), FAULT_OUT_OF_BOUNDS},
        {HEADER ".const .b32 c;\n.visible .entry k(.param .u64 out)\n{.reg .b64 %d<3>; mov.u64 %d1, c;"
                "cvta.const.u64 %d1, %d1; st.u32 [%d1], 1; ret;\n}\n",
         FAULT_READ_ONLY},
        {KERNEL("trap;"), FAULT_TRAP},
        {KERNEL("LOOP: bra LOOP;"), FAULT_LIMIT},
        {KERNEL("T: .branchtargets A, B; brx.idx %r0, T; A: B: ret;"), FAULT_BAD_INDEX},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        struct bench b;
        open_bench(&b, cases[i].text);
        run_expecting(&b, cases[i].kind);
        assert_string_equal(b.result.fault.kernel, "k");
        assert_non_null(strstr(b.result.fault.where, "PTX line"));
        assert_true(b.result.fault.has_thread);
        close_bench(&b);
    }
}

static void test_fault_says_who_and_where(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b,
               HEADER ".file 1 \"/src/dir/kernel.cu\"\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<3>; .reg "
                      ".b64 %d<3>;"
                      ".reg .pred %p;\nld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; setp.eq.u32 %p, %r0, 5;\n"
                      ".loc 1 42 7\n@%p st.global.u32 [%d0+8193], %r0;\nret;\n}\n");
    run_expecting(&b, FAULT_MISALIGNED);
    assert_string_equal(b.result.fault.where, "kernel.cu:42 (PTX line 10)");
    assert_string_equal(b.result.fault.instruction, "@%p st.global.u32 [%d0+8193], %r0");
    assert_int_equal(b.result.fault.thread[0], 5);
    assert_true(b.result.fault.is_write);
    assert_int_equal(b.result.fault.address, b.out + 8193);
    assert_string_equal(b.result.fault.space, "global");
    assert_non_null(strstr(b.result.fault.near, "out"));
    close_bench(&b);
}

static void test_branch_table(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b,
             KERNEL("rem.u32 %r1, %r0, 3; T: .branchtargets A, B, C; brx.idx %r1, T;"
                    "A: mov.u32 %r2, 10; bra E; B: mov.u32 %r2, 20; bra E; C: mov.u32 %r2, 30; E: "
                    "st.global.u32 [%d1], %r2;"),
             6);
    static const uint32_t expect[6] = {10, 20, 30, 10, 20, 30};
    assert_memory_equal(out(&b), expect, sizeof expect);
    close_bench(&b);
}

#define FACTORIAL                                                                                      \
    HEADER ".func (.param .b32 result) factorial(.param .b32 n)\n{\n.reg .b32 %r<9>; .reg .pred %p;\n" \
           "ld.param.u32 %r0, [n]; mov.u32 %r1, 1; setp.le.u32 %p, %r0, 1; @%p bra DONE;\n"            \
           "sub.u32 %r2, %r0, 1;\n{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r2;\n"            \
           "call.uni (r), factorial, (a);\nld.param.b32 %r3, [r]; }\nmul.lo.u32 %r1, %r0, %r3;\n"      \
           "DONE: st.param.b32 [result], %r1;\nret;\n}\n"                                              \
           ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>; .reg .b64 %d<9>;\n"                \
           "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; add.u32 %r5, %r0, START;\n"                  \
           "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r5; call.uni (r), factorial, (a);\n"    \
           "ld.param.b32 %r1, [r]; }\nmul.wide.u32 %d1, %r0, 4; add.s64 %d1, %d1, %d0; st.global.u32 " \
           "[%d1], %r1;\nret;\n}\n"

static char *with_start(const char *value)
{
    char *text = malloc(sizeof FACTORIAL + 32);
    const char *at = strstr(FACTORIAL, "START");
    sprintf(text, "%.*s%s%s", (int)(at - FACTORIAL), FACTORIAL, value, at + 5);
    return text;
}

static void test_recursion(void **state)
{
    (void)state;
    struct bench b;
    char *text = with_start("0");
    run_text(&b, text, 8);
    static const uint32_t expect[8] = {1, 1, 2, 6, 24, 120, 720, 5040};
    assert_memory_equal(out(&b), expect, sizeof expect);
    close_bench(&b);
    free(text);
}

static void test_stack_overflow(void **state)
{
    (void)state;
    struct bench b;
    char *text = with_start("1000000");
    open_bench(&b, text);
    b.launch.stack_bytes = 4096;
    run_expecting(&b, FAULT_STACK_OVERFLOW);
    close_bench(&b);
    free(text);
}

static void test_register_parameters(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b,
             HEADER ".func (.reg .u32 %s) sum(.reg .u32 %a, .reg .u32 %b)\n{\nadd.u32 %s, %a, %b;\nret;\n}\n"
                    ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %d; .reg .u32 %r<3>;\nld.param.u64 %d, [out];\n"
                    "mov.u32 %r0, 40;\ncall (%r1), sum, (%r0, 2);\nst.global.u32 [%d], %r1;\nret;\n}\n",
             1);
    assert_int_equal(((const uint32_t *)out(&b))[0], 42);
    close_bench(&b);
}

static void collect(void *context, const char *text, size_t length)
{
    char *all = context;
    strncat(all, text, length);
}

#define SYSTEM                                                                                               \
    HEADER ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"                          \
           ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param "  \
           ".b64 s);\n"                                                                                      \
           ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"      \
           ".global .align 1 .b8 fmt[8] = {37, 100, 32, 37, 115, 10, 0, 0};\n.global .align 1 .b8 str[3] = " \
           "{104, 105, 0};\n"

static void test_printf(void **state)
{
    (void)state;
    struct bench b;
    char all[200] = "";
    open_bench(&b,
               SYSTEM ".visible .entry k(.param .u64 out)\n{\n.local .align 8 .b8 buffer[16];\n"
                      ".reg .b64 %d<9>; .reg .b32 %r<5>;\nld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x;\n"
                      "st.local.u32 [buffer], %r0; mov.u64 %d1, str; st.local.u64 [buffer+8], %d1;\n"
                      "mov.u64 %d2, buffer; cvta.local.u64 %d2, %d2; mov.u64 %d3, fmt;\n"
                      "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d3; st.param.b64 [a], %d2;\n"
                      "call.uni (r), vprintf, (f, a);\nld.param.b32 %r1, [r]; }\nst.global.u32 [%d0], %r1;\nret;\n}\n");
    b.launch.block[0] = 2;
    b.launch.print = (struct print_sink){collect, all};
    run(&b);
    assert_string_equal(all, "0 hi\n1 hi\n");
    assert_int_equal(((const uint32_t *)out(&b))[0], 2);
    close_bench(&b);
}

static void test_assertion(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, SYSTEM ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %d<9>;\nmov.u64 %d1, str;\n"
                          "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;\n"
                          "st.param.b64 [m], %d1; st.param.b64 [f], %d1; st.param.b32 [l], 77; st.param.b64 [n], %d1;\n"
                          "st.param.b64 [s], 1; call.uni __assertfail, (m, f, l, n, s); }\nret;\n}\n");
    run_expecting(&b, FAULT_ASSERT);
    assert_string_equal(b.result.fault.detail, "hi:77: hi: assertion `hi` failed");
    close_bench(&b);
}

static void test_device_heap(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, SYSTEM ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %d<9>; .reg .b32 %r<5>;\n"
                          "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 100; call.uni (r), malloc, (n);\n"
                          "ld.param.b64 %d1, [r]; }\nst.u32 [%d1+96], 5; ld.u32 %r1, [%d1+96];\n"
                          "{ .param .b64 p; st.param.b64 [p], %d1; call.uni free, (p); }\n"
                          "ld.param.u64 %d0, [out]; st.global.u32 [%d0], %r1;\n"
                          "{ .param .b64 p; st.param.b64 [p], %d0; call.uni free, (p); }\nret;\n}\n");
    b.launch.block[0] = 1;
    int before = b.memory->count;
    run_expecting(&b, FAULT_OUT_OF_BOUNDS); /* the second free is of memory that malloc did not give */
    assert_int_equal(((const uint32_t *)out(&b))[0], 5);
    assert_int_equal(b.memory->count, before);
    close_bench(&b);
}

static void test_textures(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, KERNEL("tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [77, {%r0}]; add.u32 %r5, %r0, -1;"
                          "cvt.rn.f32.s32 %f1, %r5; tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [78, {%f1, 0f3FC00000}];"
                          "add.u64 %d1, %d1, 256; st.global.u32 [%d1], %r1; st.global.f32 [%d1+256], %f2;"));
    uint8_t *texels = out(&b);
    for (int i = 0; i < 16; i++)
        texels[i] = (uint8_t)(10 * i + 15);
    struct texture textures[2] = {{.handle = 77,
                                   .level = {{.address = b.out, .width = 4}},
                                   .level_count = 1,
                                   .is_linear = true,
                                   .channels = 1,
                                   .texel_type = TYPE_U8},
                                  {.handle = 78,
                                   .level = {{.address = b.out, .width = 4, .height = 4, .row_bytes = 4}},
                                   .level_count = 1,
                                   .channels = 1,
                                   .texel_type = TYPE_U8,
                                   .read_normalized = true,
                                   .address_mode = {TEXTURE_CLAMP, TEXTURE_CLAMP}}};
    b.launch.textures = textures;
    b.launch.texture_count = 2;
    b.launch.block[0] = 8;
    run(&b);
    const uint32_t *w = (const uint32_t *)(texels + 256);
    const float *f = (const float *)(texels + 512);
    assert_int_equal(w[3], 45);
    assert_int_equal(w[4], 0); /* beyond linear memory */
    assert_true(f[0] == 55 / 255.0f && f[1] == 55 / 255.0f && f[4] == 85 / 255.0f && f[7] == 85 / 255.0f);
    b.launch.texture_count = 0;
    run_expecting(&b, FAULT_OUT_OF_BOUNDS);
    close_bench(&b);
}

static void test_initial_values(void **state)
{
    (void)state;
    struct bench b;
    run_text(&b,
             HEADER ".global .u32 a[3] = {1, 2, 3};\n.global .u64 p[2] = {generic(a)+8, 5};\n"
                    ".const .u64 q = generic(a);\n.const .align 8 .u32 pad = 9;\n"
                    ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %d<9>; .reg .b32 %r<9>;\n"
                    "ld.param.u64 %d0, [out]; ld.global.u64 %d1, [p]; ld.u32 %r1, [%d1]; ld.const.u64 %d2, [q];\n"
                    "ld.u32 %r2, [%d2+4]; ld.const.u32 %r3, [pad]; st.global.v4.u32 [%d0], {%r1, %r2, %r3, "
                    "0};\nret;\n}\n",
             1);
    static const uint32_t expect[3] = {3, 2, 9};
    assert_memory_equal(out(&b), expect, sizeof expect);
    close_bench(&b);
}

static void test_undefined_variable(void **state)
{
    (void)state;
    struct ptx_module *module = parse(HEADER ".extern .global .u32 elsewhere;\n.global .u32 here;\n");
    struct memory *memory = memory_create(1 << 20);
    char *error = NULL;
    assert_null(image_load(module, memory, &error));
    assert_non_null(strstr(error, "elsewhere"));
    assert_int_equal(memory->count, 0);
    free(error);
    memory_destroy(memory);
    ptx_destroy(module);
}

static void test_image_does_not_fit(void **state)
{
    (void)state;
    struct ptx_module *module = parse(HEADER ".global .b8 big[100000];\n.const .b8 c[4];\n");
    struct memory *memory = memory_create(1000);
    char *error = NULL;
    assert_null(image_load(module, memory, &error));
    assert_non_null(strstr(error, "big"));
    assert_int_equal(memory->count, 0);
    free(error);
    memory_destroy(memory);
    ptx_destroy(module);
}

static void test_impossible_launches(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, HEADER ".extern .shared .b8 s[];\n.visible .entry k(.param .u64 out) .maxntid 64, 2, 1\n{\nret;\n}\n"
                          ".visible .entry exact() .reqntid 16, 2\n{\nret;\n}\n");
    struct launch good = b.launch;
    b.launch.block[0] = 129;
    run_expecting(&b, FAULT_LAUNCH);
    b.launch = good;
    b.launch.block[0] = 0;
    run_expecting(&b, FAULT_LAUNCH);
    b.launch = good;
    b.launch.block[2] = 65;
    run_expecting(&b, FAULT_LAUNCH);
    b.launch = good;
    b.launch.grid[1] = 65536;
    run_expecting(&b, FAULT_LAUNCH);
    b.launch = good;
    b.launch.parameter_bytes = 4;
    run_expecting(&b, FAULT_LAUNCH);
    b.launch = good;
    b.launch.dynamic_shared_bytes = LAUNCH_MAX_SHARED_BYTES + 1;
    run_expecting(&b, FAULT_LAUNCH);
    b.launch = good;
    b.launch.block[0] = 128;
    run(&b);
    b.launch.kernel = ptx_find_function(b.module, "exact");
    b.launch.parameter_bytes = 0;
    run_expecting(&b, FAULT_LAUNCH);
    b.launch.block[0] = 16;
    b.launch.block[1] = 2;
    run(&b);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_special_registers),
        cmocka_unit_test(test_block_barrier),
        cmocka_unit_test(test_barrier_reductions),
        cmocka_unit_test(test_exited_threads_pass_barriers),
        cmocka_unit_test(test_producer_and_consumer),
        cmocka_unit_test(test_barrier_faults),
        cmocka_unit_test(test_unaligned_barriers_meet),
        cmocka_unit_test(test_deadlock_names_who_waits),
        cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_vote_match_redux),
        cmocka_unit_test(test_rendezvous_does_not_wait_for_the_dead),
        cmocka_unit_test(test_old_forms),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_narrow_and_vector_access),
        cmocka_unit_test(test_narrow_addresses_wrap),
        cmocka_unit_test(test_generic_addresses),
        cmocka_unit_test(test_parameter_address),
        cmocka_unit_test(test_access_faults),
        cmocka_unit_test(test_fault_says_who_and_where),
        cmocka_unit_test(test_branch_table),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_stack_overflow),
        cmocka_unit_test(test_register_parameters),
        cmocka_unit_test(test_printf),
        cmocka_unit_test(test_assertion),
        cmocka_unit_test(test_device_heap),
        cmocka_unit_test(test_textures),
        cmocka_unit_test(test_initial_values),
        cmocka_unit_test(test_undefined_variable),
        cmocka_unit_test(test_image_does_not_fit),
        cmocka_unit_test(test_impossible_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
