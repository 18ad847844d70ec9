/*
 * Multiprocessors that run far past a window (gpu/lead.h): they meet less often, and memory, counters and faults are those of
 * a run that visits every cycle, in which none runs past a window.
 */
#include "timed_bench.h"

#include "div/table.h"

#define REGS ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
#define GLOBAL                                                                                              \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 64, %r2; ld.param.u64 %rd0, [out];\n" \
    "mov.u64 %rd1, table;\n"

/* Each thread loads words of a table here and there, and stores to words of `out` that threads of other blocks store to as
 * well: what stays there is what was written last. Nothing is loaded from `out`, so the multiprocessors are apart. */
static const char scattered[] =
    HEADER ".global .align 4 .b8 table[262144];\n"
           ".visible .entry k(.param .u64 out)\n{\n" REGS GLOBAL "mov.u32 %r4, %r3; mov.u32 %r5, 0;\n"
           "L: mad.lo.u32 %r4, %r4, 1664525, 1013904223; shr.u32 %r6, %r4, 16; mul.wide.u32 %rd2, %r6, 4;\n"
           "add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r7, [%rd3]; add.u32 %r8, %r7, %r4;\n"
           "bfe.u32 %r9, %r4, 20, 8; mul.wide.u32 %rd4, %r9, 4; add.u64 %rd5, %rd0, %rd4; st.global.u32 [%rd5], %r8;\n"
           "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 6; @%p1 bra L; ret;\n}\n";

/* What a thread does in each round of `scattered`, and then: it loads a word that threads of other blocks may have stored
 * to, at an address that comes from a parameter, or was loaded from memory. What it loads decides what it stores, and
 * how many rounds it does. Only that load can see what other multiprocessors do. */
#define SHARED_ROUNDS(load)                                                                                  \
    HEADER ".global .align 4 .b8 table[262144];\n"                                                           \
           ".visible .entry k(.param .u64 out)\n{\n" REGS GLOBAL "mov.u32 %r4, %r3; mov.u32 %r5, 0;\n"       \
           "L: mad.lo.u32 %r4, %r4, 1664525, 1013904223; shr.u32 %r6, %r4, 16; mul.wide.u32 %rd2, %r6, 4;\n" \
           "add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r7, [%rd3]; add.u32 %r8, %r7, %r4;\n"                   \
           "bfe.u32 %r9, %r4, 20, 7; mul.wide.u32 %rd4, %r9, 4; add.u64 %rd5, %rd0, %rd4;\n"                 \
           "and.b32 %r12, %r4, 3145728; setp.ne.u32 %p2, %r12, 0; @%p2 bra S;\n" load                        \
           "add.u32 %r8, %r8, %r10; and.b32 %r11, %r10, 1; add.u32 %r5, %r5, %r11;\n"                        \
           "S: st.global.u32 [%rd5+1024], %r8; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 8; @%p1 bra L; ret; \n}\n"

static const char *const shared_texts[] = {
    SHARED_ROUNDS("ld.global.u32 %r10, [%rd5+1028];\n"),
    SHARED_ROUNDS("st.global.u64 [%rd0+2048], %rd0; ld.global.u64 %rd6, [%rd0+2048]; ld.u32 %r10, [%rd6+1280];\n"),
    SHARED_ROUNDS("atom.global.add.u32 %r10, [%rd0+1280], %r8;\n"),
    SHARED_ROUNDS("atom.global.exch.b32 %r10, [%rd5], %r8; ld.global.u32 %r11, [%rd5+4]; add.u32 %r10, %r10, %r11;\n"),
};

/* Rounds in which a thread changes words that threads of other blocks change as well, and goes on with what it finds
 * there: the first part of each text. `%r4` is the thread's random number, `%rd5` the address of the word; `%r10` is to
 * become what it found. Odd results make for more rounds. */
#define RESULT_ROUNDS(more, atomics)                                                                               \
    HEADER ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 own[256]; " more REGS                      \
           "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 64, %r2; ld.param.u64 %rd0, [out];\n" \
           "mov.u32 %r4, %r3; mov.u32 %r5, 0; mov.u32 %r10, 0; mov.u32 %r13, 0; mov.u32 %r15, 0;\n"                \
           "L: mad.lo.u32 %r4, %r4, 1664525, 1013904223; bfe.u32 %r9, %r4, 20, 5; mul.wide.u32 %rd4, %r9, 8;\n"    \
           "add.u64 %rd5, %rd0, %rd4; and.b32 %r12, %r4, 3145728; setp.ne.u32 %p2, %r12, 0;\n" atomics             \
           "and.b32 %r11, %r10, 1; add.u32 %r5, %r5, %r11; add.u32 %r5, %r5, 1;\n"                                 \
           "setp.lt.u32 %p1, %r5, 9; @%p1 bra L; ret;\n}\n"

static const char *const result_texts[] = {
    /* with and without a result, at the same words */
    RESULT_ROUNDS("", "@%p2 red.global.add.u32 [%rd5], %r4; @!%p2 atom.global.xor.b32 %r10, [%rd5], %r4;\n"),
    /* what comes behind an atomic: loads of the word and of others, stores */
    RESULT_ROUNDS("", "@%p2 bra S; atom.global.add.u32 %r10, [%rd5], %r4; S: st.global.u32 [%rd5+512], %r4;\n"
                      "ld.global.u32 %r13, [%rd5+4]; add.u32 %r10, %r10, %r13; st.global.u32 [%rd5+4], %r10;\n"),
    /* compare and swap until it succeeds, or a thread has tried it often enough */
    RESULT_ROUNDS("",
                  "ld.global.u32 %r13, [%rd5];\n"
                  "T: mov.u32 %r10, %r13; add.u32 %r14, %r10, %r4;\n"
                  "atom.global.cas.b32 %r13, [%rd5], %r10, %r14; add.u32 %r15, %r15, 1; setp.ne.u32 %p3, %r13, %r10;\n"
                  "setp.lt.and.u32 %p3, %r15, 40, %p3; @%p3 bra T;\n"),
    RESULT_ROUNDS("",
                  "T: mov.u32 %r10, %r13; add.u32 %r14, %r10, %r4;\n"
                  "atom.global.cas.b32 %r13, [%rd5], %r10, %r14; add.u32 %r15, %r15, 1; setp.ne.u32 %p3, %r13, %r10;\n"
                  "setp.lt.and.u32 %p3, %r15, 40, %p3; @%p3 bra T;\n"),
    /* of 64 and 16 bits */
    RESULT_ROUNDS(".reg .b16 %h<4>;", "cvt.u64.u32 %rd6, %r4; atom.global.max.u64 %rd7, [%rd5], %rd6;\n"
                                      "cvt.u32.u64 %r10, %rd7; cvt.u16.u32 %h0, %r4; cvt.u16.u32 %h1, %r10;\n"
                                      "@%p2 atom.global.cas.b16 %h2, [%rd5], %h1, %h0; @%p2 cvt.u32.u16 %r10, %h2;\n"),
    /* some threads of a warp change shared memory, the others global memory */
    RESULT_ROUNDS("", "mov.u64 %rd6, own; cvta.shared.u64 %rd6, %rd6; @%p2 add.u64 %rd5, %rd6, 16;\n"
                      "@%p2 st.u32 [%rd5], %r4; atom.add.u32 %r10, [%rd5], %r5;\n"),
    /* threads that end before they know the result of their last atomic */
    RESULT_ROUNDS("", "atom.global.exch.b32 %r13, [%rd5], %r4; @%p2 bra S; setp.gt.u32 %p3, %r5, 6; @%p3 exit;\n"
                      "S: mov.u32 %r10, %r13;\n"),
};

/* All counters of a result, as text. */
static char *counters_of(const struct gpu_result *r)
{
    struct text text = {0};
    const struct stat_result all = {r->parts, r->part_count};
    text_printf(&text, "%llu cycles %llu", (unsigned long long)r->cycles, (unsigned long long)r->drain_cycles);
    stat_print_json(&all, &text);
    return text.data;
}

/* What a run leaves. */
struct left {
    char *counters;
    uint8_t out[OUT_BYTES];
    struct fault fault;
    uint64_t windows, cycles;
};

static struct left run_timed(const char *text, const struct timed_case *c, bool visit_every_cycle, int threads)
{
    struct bench b;
    struct left left;
    struct gpu_result result;
    union timed_knobs knobs;
    char *error = NULL;
    struct machine *machine = timed_machine(c);
    struct gpu_run run = {.machine = machine,
                          .mechanism = c->mechanism,
                          .mechanism_knobs = &knobs,
                          .visit_every_cycle = visit_every_cycle,
                          .threads = threads};
    timed_set_knobs(c, &knobs);
    open_bench(&b, text);
    b.launch.grid[0] = c->blocks;
    b.launch.block[0] = c->threads;
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    assert_non_null(code);
    memset(out(&b), 0, OUT_BYTES);
    gpu_launch(&run, &b.launch, code, &result);
    left = (struct left){.counters = counters_of(&result),
                         .fault = result.launch.fault,
                         .windows = result.windows,
                         .cycles = result.cycles};
    memcpy(left.out, out(&b), OUT_BYTES);
    gpu_result_free(&result);
    code_destroy(code);
    close_bench(&b);
    machine_free(machine);
    return left;
}

/* The same with and without a lead. */
static void expect_same(const char *text, const struct timed_case *c)
{
    const int threads[] = {1, 3};
    struct left slow = run_timed(text, c, true, 1);
    for (size_t i = 0; i < COUNTOF(threads); i++) {
        struct left fast = run_timed(text, c, false, threads[i]);
        assert_string_equal(fast.counters, slow.counters);
        assert_memory_equal(fast.out, slow.out, OUT_BYTES);
        assert_int_equal(fast.fault.kind, slow.fault.kind);
        assert_memory_equal(fast.fault.block, slow.fault.block, sizeof slow.fault.block);
        free(fast.counters);
    }
    free(slow.counters);
}

static void test_memory_and_counters_are_the_same(void **state)
{
    (void)state;
    static const char *const settings[] = {
        NULL,
        "mem.crossbar_queue=4",
        "mem.crossbar_queue=5 mem.miss_queue=1 mem.write_queue=1",
        "mem.crossbar_queue=2",
        "mem.crossbar_queue=9 mem.l2_queue=1 mem.l2_reply_queue=2",
        "mem.l2_latency=3 mem.l2_fill_latency=40",
        "mem.l2_latency=70 mem.l2_fill_latency=1",
        "mem.l1d_mshrs=2 mem.l2_mshrs=2",
        "sm.memory_stage=inline",
    };
    static const char *const mechanisms[] = {"pdom", "tbc", "dwf", "vws", "mimd"};
    for (size_t i = 0; i < COUNTOF(settings); i++)
        for (size_t m = 0; m < COUNTOF(mechanisms); m++) {
            /* more blocks than fit at once, so that some are given out on the way */
            struct timed_case c = {.machine = i % 2 ? "volta" : "fermi",
                                   .settings = settings[i],
                                   .mechanism = div_find(mechanisms[m]),
                                   .blocks = i % 2 ? 90 : 140,
                                   .threads = 64};
            expect_same(scattered, &c);
            c.blocks = 20;
            expect_same(shared_texts[(i / 2 + m) % COUNTOF(shared_texts)], &c);
        }
}

/* Atomics give the same results, in every order in which multiprocessors are simulated. */
static void test_results_of_atomics_are_the_same(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"pdom", "tbc", "dpe", "volta", "mimd"};
    for (size_t i = 0; i < COUNTOF(result_texts); i++)
        for (size_t m = 0; m < COUNTOF(mechanisms); m++) {
            const struct timed_case c = {.machine = (const char *[]){"fermi", "volta", "h200"}[(i + m) % 3],
                                         .settings = m == 4 ? "mem.crossbar_queue=4" : NULL,
                                         .mechanism = div_find(mechanisms[m]),
                                         .blocks = m == 1 ? 140 : 21,
                                         .threads = 64};
            expect_same(result_texts[i], &c);
        }
}

/* A function that counts calls of itself at one word by atomics, and needs their results behind the calls: the calls save
 * registers, which the scoreboard does not ask for. */
static const char recursive[] = HEADER
    ".func (.param .u32 sum) walk(.param .u32 depth, .param .u64 count)\n{\n" REGS
    "ld.param.u32 %r1, [depth]; ld.param.u64 %rd1, [count]; mov.u32 %r9, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra E;\n"
    "sub.u32 %r2, %r1, 1; atom.global.add.u32 %r3, [%rd1], 1;\n"
    "{ .param .u32 d; .param .u64 c; .param .u32 s; st.param.u32 [d], %r2; st.param.u64 [c], %rd1;\n"
    "call.uni (s), walk, (d, c); ld.param.u32 %r4, [s]; }\n"
    "mad.lo.u32 %r9, %r4, 3, %r3; E: st.param.u32 [sum], %r9; ret;\n}\n"
    ".visible .entry k(.param .u64 out)\n{\n" REGS
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 64, %r2; ld.param.u64 %rd0, [out];\n"
    "mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd0, %rd2; mov.u32 %r5, 4;\n"
    "{ .param .u32 d; .param .u64 c; .param .u32 s; st.param.u32 [d], %r5; st.param.u64 [c], %rd0;\n"
    "call.uni (s), walk, (d, c); ld.param.u32 %r4, [s]; }\nst.global.u32 [%rd3+4], %r4; ret;\n}\n";

/* Multiplies matrices of ones and adds the product to 64 registers, one of which is the result of an atomic: more than
 * the scoreboard asks for. */
static void print_product(struct text *t)
{
    text_printf(t, "%s",
                ".version 8.0\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 sh[16384];\n"
                ".visible .entry k(.param .u64 out)\n{\n.reg .f32 %f<64>;\n" REGS
                "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 128, %r2; ld.param.u64 %rd0, [out];\n"
                "mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd0, %rd2; mov.u64 %rd4, sh; shr.u64 %rd4, %rd4, 4;\n"
                "and.b64 %rd4, %rd4, 16383; or.b64 %rd4, %rd4, 4503601774854144; setp.eq.u32 %p1, %r1, %r1;\n"
                "mov.u64 %rd5, sh; cvt.u32.u64 %r5, %rd5; mad.lo.u32 %r5, %r2, 4, %r5; mov.u32 %r6, 0;\n"
                "L: st.shared.u32 [%r5], 0x3c003c00; add.u32 %r5, %r5, 512; add.u32 %r6, %r6, 1;\n"
                "setp.lt.u32 %p2, %r6, 32; @%p2 bra L; bar.sync 0;\n");
    for (int i = 0; i < 64; i++)
        text_printf(t, "mov.f32 %%f%d, 0f00000000;\n", i);
    text_printf(t, "%s",
                "atom.global.add.f32 %f60, [%rd0], 0f3F800000;\nwgmma.fence.sync.aligned;\n"
                "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%f0");
    for (int i = 1; i < 64; i++)
        text_printf(t, ", %%f%d", i);
    text_printf(t, "%s",
                "}, %rd4, %rd4, %p1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
                "wgmma.wait_group.sync.aligned 0;\nst.global.f32 [%rd3+4], %f60; ret;\n}\n");
}

/* Results of atomics are there in time for instructions that read registers which the scoreboard does not ask for. */
static void test_results_are_there_unasked(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"pdom", "tbc", "volta", "mimd"};
    struct text product = {0};
    print_product(&product);
    for (size_t m = 0; m < COUNTOF(mechanisms); m++) {
        struct timed_case c = {
            .machine = m % 2 ? "volta" : "fermi", .mechanism = div_find(mechanisms[m]), .blocks = 20, .threads = 64};
        expect_same(recursive, &c);
        c.machine = "h200";
        c.blocks = 4;
        c.threads = 128;
        expect_same(product.data, &c);
    }
    text_free(&product);
}

/* Block 0 loads a word behind an atomic, in the first window. What block 1 stores there in a later one comes too late. */
static void test_later_windows_are_not_seen_in_the_first(void **state)
{
    (void)state;
    static const char text[] =
        HEADER ".global .align 8 .b8 word[8];\n"
               ".visible .entry k(.param .u64 out)\n{\n" REGS
               "atom.global.add.u32 %r5, [word+4], 1; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p0, %r1, 0; mov.u32 %r6, 7;\n"
               "@%p0 bra S; ld.global.u32 %r2, [word]; ld.param.u64 %rd0, [out]; st.global.u32 [%rd0], %r2;\n"
               "st.global.u32 [%rd0+4], %r5; ret;\n"
               "S: add.u32 %r6, %r6, 1; add.u32 %r6, %r6, 1; add.u32 %r6, %r6, 1; st.global.u32 [word], %r6; ret;\n}\n";
    static const char *const machines[] = {"fermi", "volta", "h200"};
    for (size_t i = 0; i < COUNTOF(machines); i++) {
        const struct timed_case c = {.machine = machines[i], .mechanism = div_find("pdom"), .blocks = 2, .threads = 32};
        expect_same(text, &c);
    }
}

/* Threads wait in loops of many rounds, then add to a word and load it. What they load is newer than what the atomic found
 * there, also if a look for livelocks begins between the two: with one of these numbers of rounds it does. */
static void test_reads_see_atomics_before_them(void **state)
{
    (void)state;
    for (int rounds = 152; rounds < 166; rounds++) {
        struct text text = {0};
        text_printf(&text, "%s.global .align 4 .b8 table[1024];\n.visible .entry k(.param .u64 out)\n{\n%s", HEADER,
                    REGS);
        text_printf(&text,
                    "ld.param.u64 %%rd0, [out]; add.u64 %%rd1, %%rd0, 4; mov.u32 %%r1, %d; mov.u64 %%rd4, table;\n"
                    "mov.u32 %%r2, %%tid.x; mov.u32 %%r3, 0; mov.u32 %%r9, %%ctaid.x;\n"
                    "and.b32 %%r10, %%r9, 3; add.u32 %%r1, %%r1, %%r10;\n",
                    rounds);
        text_printf(&text, "%s",
                    "L: add.u32 %r3, %r3, 1; and.b32 %r11, %r2, 255; mul.wide.u32 %rd5, %r11, 4;\n"
                    "add.u64 %rd5, %rd4, %rd5; ld.global.u32 %r12, [%rd5]; add.u32 %r2, %r2, %r12;\n"
                    "mad.lo.u32 %r2, %r2, 1664525, 1013904223; setp.lt.u32 %p0, %r3, %r1; @%p0 bra L;\n"
                    "atom.global.add.u32 %r4, [%rd0], 1; ld.global.u32 %r5, [%rd0]; setp.gt.u32 %p1, %r5, %r4;\n"
                    "@%p1 bra E; red.global.add.u32 [%rd1], 1; E: ret;\n}\n");
        const struct timed_case c = {.machine = "fermi", .mechanism = div_find("pdom"), .blocks = 30, .threads = 64};
        struct left left = run_timed(text.data, &c, false, 1);
        uint32_t counts[2];
        memcpy(counts, left.out, sizeof counts);
        assert_int_equal(counts[0], c.blocks * c.threads);
        assert_int_equal(counts[1], 0);
        free(left.counters);
        text_free(&text);
    }
}

/* Multiprocessors meet much less often than they would with a lead of no cycle. */
static void test_multiprocessors_meet_seldom(void **state)
{
    (void)state;
    const struct timed_case c = {.machine = "fermi", .mechanism = div_find("pdom"), .blocks = 15, .threads = 64};
    struct left left = run_timed(scattered, &c, false, 1);
    assert_true(left.cycles > 2000);
    assert_true(left.windows * 5 < left.cycles / 16);
    free(left.counters);
}

/* Atomics with a result do not keep multiprocessors from running past a window. */
static void test_atomics_do_not_wait(void **state)
{
    (void)state;
    const struct timed_case c = {.machine = "fermi", .mechanism = div_find("pdom"), .blocks = 15, .threads = 64};
    struct left left = run_timed(result_texts[0], &c, false, 1);
    assert_true(left.cycles > 2000);
    assert_true(left.windows * 5 < left.cycles / 16);
    free(left.counters);
}

/* Reads of what other multiprocessors may write wait for the window of their cycle. Others do not, so multiprocessors
 * meet less often than in every window. */
static void test_only_shared_accesses_wait(void **state)
{
    (void)state;
    const struct timed_case c = {.machine = "fermi", .mechanism = div_find("pdom"), .blocks = 15, .threads = 64};
    for (size_t i = 0; i < COUNTOF(shared_texts); i++) {
        struct left left = run_timed(shared_texts[i], &c, false, 1);
        assert_true(left.cycles > 2000);
        assert_true(left.windows * 2 < left.cycles / 16);
        free(left.counters);
    }
}

/* Block b stores where nothing is after a loop of 30 - 2b rounds: blocks with high numbers make their faults some windows
 * before the others, on multiprocessors with high numbers. */
static void test_the_first_fault_counts(void **state)
{
    (void)state;
    static const char text[] =
        HEADER ".global .align 4 .b8 table[64];\n"
               ".visible .entry k(.param .u64 out)\n{\n" REGS GLOBAL "mul.lo.u32 %r4, %r1, 2; sub.u32 %r4, 30, %r4;\n"
               "L: sub.u32 %r4, %r4, 1; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd0, %rd2;\n"
               "st.global.u32 [%rd3], %r4; setp.ne.u32 %p0, %r4, 0; @%p0 bra L;\n"
               "ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd0+1048576], %r5; ret;\n}\n";
    const struct timed_case c = {.machine = "fermi", .mechanism = div_find("pdom"), .blocks = 14, .threads = 64};
    struct left fast = run_timed(text, &c, false, 1), slow = run_timed(text, &c, true, 1);
    assert_true(slow.fault.block[0] > 9);
    assert_int_equal(fast.fault.block[0], slow.fault.block[0]);
    assert_memory_equal(fast.out, slow.out, OUT_BYTES);
    free(fast.counters);
    free(slow.counters);
}

/* All blocks make a fault at about the same time, those with even numbers behind an atomic. If that is in the same window,
 * they come after the others. `moves` says where in a window they are. With a load before it that others' stores may
 * reach, the fault is in the window at work, and else past it. */
static void test_the_first_fault_counts_behind_atomics(void **state)
{
    (void)state;
    int after_others = 0;
    for (int i = 0; i < 32; i++) {
        const int moves = i / 2;
        struct text text = {0};
        text_printf(&text, "%s", HEADER ".visible .entry k(.param .u64 out)\n{\n" REGS);
        text_printf(&text, "%s",
                    "mov.u32 %r1, %ctaid.x; ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r1, 8;\n"
                    "add.u64 %rd2, %rd0, %rd1; and.b32 %r2, %r1, 1; setp.ne.u32 %p0, %r2, 0;\n");
        for (int k = 0; k < moves; k++)
            text_printf(&text, "mov.u32 %%r%d, 3;\n", 3 + k % 8);
        text_printf(&text, "%s", i % 2 ? "ld.global.u32 %r13, [%rd2+16];\n" : "");
        text_printf(&text, "%s",
                    "st.global.u32 [%rd2], %r1; @%p0 bra S; atom.global.add.u32 %r12, [%rd2+4], 1;\n"
                    "S: st.global.u32 [%rd0+1048576], %r1; st.global.u32 [%rd0+8], %r12; ret;\n}\n");
        const struct timed_case c = {.machine = "fermi", .mechanism = div_find("pdom"), .blocks = 15, .threads = 64};
        struct left slow = run_timed(text.data, &c, true, 1);
        for (int threads = 1; threads < 4; threads += 2) {
            struct left fast = run_timed(text.data, &c, false, threads);
            assert_int_equal(fast.fault.kind, slow.fault.kind);
            assert_int_equal(fast.fault.block[0], slow.fault.block[0]);
            assert_memory_equal(fast.out, slow.out, OUT_BYTES);
            free(fast.counters);
        }
        after_others += slow.fault.block[0] == 1;
        free(slow.counters);
        text_free(&text);
    }
    assert_in_range(after_others, 8, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_and_counters_are_the_same),
        cmocka_unit_test(test_results_of_atomics_are_the_same),
        cmocka_unit_test(test_results_are_there_unasked),
        cmocka_unit_test(test_later_windows_are_not_seen_in_the_first),
        cmocka_unit_test(test_reads_see_atomics_before_them),
        cmocka_unit_test(test_multiprocessors_meet_seldom),
        cmocka_unit_test(test_atomics_do_not_wait),
        cmocka_unit_test(test_only_shared_accesses_wait),
        cmocka_unit_test(test_the_first_fault_counts),
        cmocka_unit_test(test_the_first_fault_counts_behind_atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
