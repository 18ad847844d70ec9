/*
 * Threads that wait or spin for ever on a machine: found, and explained; and those that only take long: left
 * alone.
 */
#include "kernel_bench.h"

#include "div/table.h"
#include "gpu/gpu.h"
#include "run/run.h"

#include <unistd.h>

#define REGS         ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
#define START        "mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [out];\n"
#define KERNEL(body) HEADER ".visible .entry k(.param .u64 out)\n{\n" REGS START body "\n}\n"

struct launch_case {
    const char *options, *text;
    uint32_t blocks, threads;
    enum fault_kind kind; /* expected */
    const char *says[6];  /* expected in the explanation */
};

/* Under `mechanism`, or, if that is NULL, under the one that the options name. */
static void expect_under(const struct div_ops *mechanism, const struct launch_case *c)
{
    struct bench b;
    struct run_request request;
    struct run_outcome outcome;
    char *error = NULL;
    open_bench(&b, c->text);
    request_open(&request);
    if (!options_take_text(&request.options, c->options, &error) || !request_settle(&request, &error))
        fail_msg("%s", error);
    struct code *code = code_create(b.launch.kernel, b.image, &error);
    if (!code)
        fail_msg("%s", error);
    b.launch.grid[0] = c->blocks;
    b.launch.block[0] = c->threads;
    b.launch.instruction_limit = 0; /* the options' */
    if (mechanism)
        request.gpu->mechanism = mechanism;
    run_launch(&request, &b.launch, code, &outcome, NULL);
    if (outcome.result.launch.fault.kind != c->kind)
        fail_msg("%s: '%s', not '%s'\n%s", c->options, fault_text[outcome.result.launch.fault.kind],
                 fault_text[c->kind], c->text);
    for (int i = 0; i < 6 && c->says[i]; i++)
        if (!outcome.result.deadlock || !strstr(outcome.result.deadlock, c->says[i]))
            fail_msg("'%s' is not in:\n%s", c->says[i],
                     outcome.result.deadlock ? outcome.result.deadlock : "(nothing)");
    if (!c->kind)
        assert_null(outcome.result.deadlock);
    run_outcome_free(&outcome);
    code_destroy(code);
    request_close(&request);
    close_bench(&b);
}

static void expect(const struct launch_case *c)
{
    expect_under(NULL, c);
}

/* ---- deadlocks ---- */

static void a_barrier_that_some_never_reach(void **state)
{
    (void)state;
    expect(&(struct launch_case){
        "--gpu fermi --mech pdom",
        KERNEL("setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 1; ret;\nA: bar.sync 0; ret;"),
        1,
        64,
        FAULT_DEADLOCK,
        {"threads 0-31 wait at PTX line 9 (block A): bar.sync 0\n    for threads 32-63 to arrive at barrier "
         "0\n",
         "threads 32-63 wait at PTX line 8 (block C): bar.sync 1\n    for threads 0-31 to arrive at barrier "
         "1\n",
         "the threads wait for each other"}});
}

/* Threads of the second block end before the load's data is back, on another multiprocessor. */
static void a_barrier_while_nobody_takes_a_reply(void **state)
{
    (void)state;
    alarm(60);
    expect(&(struct launch_case){"--gpu fermi --mech pdom",
                                 KERNEL("mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 1; @%p1 bra L;\n"
                                        "setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 1; ret;\nA: bar.sync 0; ret;\n"
                                        "L: ld.global.u32 %r1, [%rd0]; ret;"),
                                 2,
                                 64,
                                 FAULT_DEADLOCK,
                                 {"the threads wait for each other"}});
    alarm(0);
}

/* The threads of all blocks but two have ended, and nobody takes the replies to their last loads. Multiprocessor 0, which
 * had two blocks, waits for miss registers; it does not look further than it has places in the crossbar, and the line
 * that it waits for comes later than that. */
static void a_line_that_comes_while_nobody_takes_a_reply(void **state)
{
    (void)state;
    static const char text[] =
        KERNEL("and.b32 %r1, %r0, 31; mul.wide.u32 %rd1, %r1, 256; add.u64 %rd1, %rd0, %rd1;\n"
               "atom.global.add.u32 %r2, [%rd1], 3; and.b32 %r3, %r2, 31; mul.wide.u32 %rd2, %r3, 128;\n"
               "add.u64 %rd3, %rd0, %rd2; ld.global.u32 %r4, [%rd3+4]; ret;");
    for (int registers = 1; registers < 4; registers++)
        for (int places = 1; places < 7; places++) {
            char options[100];
            snprintf(options, sizeof options, "--gpu fermi --set mem.l1d_mshrs=%d --set mem.crossbar_queue=%d",
                     registers, places);
            expect(&(struct launch_case){.options = options, .text = text, .blocks = 16, .threads = 96});
        }
}

static void a_barrier_for_more_threads_than_there_are(void **state)
{
    (void)state;
    expect(&(struct launch_case){"--gpu tiny --mech mimd",
                                 KERNEL("barrier.sync 2, 64; ret;"),
                                 1,
                                 32,
                                 FAULT_DEADLOCK,
                                 {"threads 0-31 wait at", "for 64 threads to arrive at barrier 2; 32 have"}});
}

/* A stack that runs thread 0's side first keeps those that it waits for below it. */
#define TWO_SIDES                                                                                     \
    KERNEL("setp.eq.u32 %p0, %r0, 0; @%p0 bra A; bar.warp.sync 0xffffffff; bra B;\nA: bar.warp.sync " \
           "0xffffffff;\nB: ret;")

/* pdom, had it forgotten that barriers need the other paths of a warp. */
static void a_rendezvous_that_a_stack_keeps_apart(void **state)
{
    (void)state;
    struct div_ops naive = *div_find("pdom");
    naive.name = "naive";
    naive.barrier = NULL;
    naive.released = NULL;
    expect_under(&naive, &(struct launch_case){"--gpu fermi",
                                               TWO_SIDES,
                                               1,
                                               32,
                                               FAULT_DEADLOCK,
                                               {"thread 0 waits at PTX line 9 (block A): bar.warp.sync",
                                                "for threads 1-31 to arrive at the same operation",
                                                "threads 1-31 are held back by naive at PTX line 8 (block D)",
                                                "threads wait for threads that naive lets run only after them",
                                                "state of naive", "    A 10000000000000000000000000000000 B"}});
}

static void both_sides_meet_under_every_mechanism(void **state)
{
    (void)state;
    for (const struct div_ops *const *m = div_all(); *m; m++) {
        char options[64];
        snprintf(options, sizeof options, "--gpu fermi --mech %s", (*m)->name);
        expect(&(struct launch_case){options, TWO_SIDES, 1, 32, FAULT_NONE, {NULL}});
    }
}

/* Warps of four threads, the larger side first: the first warp runs its threads 0-2, which wait for thread 4 of the second;
 * that runs its threads 5-7, which wait for thread 3 of the first. */
static void narrow_warps_that_wait_for_each_other_give_way(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"pdom", "ws", "vws"};
    for (int i = 0; i < 3; i++) {
        char options[96];
        snprintf(options, sizeof options, "--gpu tiny --mech %s --set %s.order=larger-first", mechanisms[i],
                 mechanisms[i]);
        expect(&(struct launch_case){options,
                                     KERNEL("mov.u32 %r1, 0x17; shr.u32 %r2, %r1, %r0; and.b32 %r2, %r2, 1;\n"
                                            "setp.ne.u32 %p0, %r2, 0; @%p0 bra A; bar.warp.sync 0xe8; bra B;\n"
                                            "A: bar.warp.sync 0x17;\nB: ret;"),
                                     1,
                                     8,
                                     FAULT_NONE,
                                     {NULL}});
    }
}

/* Blocks that never start are named, too; of many that wait only some are shown. */
static void blocks_that_wait(void **state)
{
    (void)state;
    expect(&(struct launch_case){
        "--gpu tiny",
        KERNEL("barrier.sync 2, 256; ret;"),
        12,
        128,
        FAULT_DEADLOCK,
        {"block 0, 128 threads left", "4 more blocks are not shown", "4 more blocks have not started"}});
}

/* ---- livelocks ---- */

#define SPIN_LOCK                                                                                             \
    KERNEL("cvta.to.global.u64 %rd1, %rd0;\nL: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p0, %r1, " \
           "0;\n@%p0 bra L;\natom.global.exch.b32 %r2, [%rd1], 0; ret;")

static void a_spin_lock_within_a_warp(void **state)
{
    (void)state;
    static const char *const machines[] = {"--gpu tiny --limit 3000000", "--gpu fermi --limit 3000000",
                                           "--gpu volta --mech pdom-lcp --limit 3000000"};
    for (size_t i = 0; i < COUNTOF(machines); i++)
        expect(&(struct launch_case){machines[i],
                                     SPIN_LOCK,
                                     3,
                                     64,
                                     FAULT_LIVELOCK,
                                     {"every running thread repeats itself", "thread 0 is held back by pdom",
                                      "run in the loop at PTX line 9 (block L), which goes from PTX line 9 to 10",
                                      "reading global memory at 0x",
                                      "threads leave their loop only if what they read changes"}});
}

/* An exchange that finds what it writes changes nothing either. */
static void a_lock_by_exchange(void **state)
{
    (void)state;
    expect(&(struct launch_case){"--gpu fermi --limit 3000000",
                                 KERNEL("L: atom.global.exch.b32 %r1, [%rd0], 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra L;\n"
                                        "atom.global.exch.b32 %r2, [%rd0], 0; ret;"),
                                 1,
                                 32,
                                 FAULT_LIVELOCK,
                                 {"thread 0 is held back by pdom"}});
}

static void a_spin_lock_where_threads_are_on_their_own(void **state)
{
    (void)state;
    expect(&(struct launch_case){"--gpu fermi --mech mimd", SPIN_LOCK, 3, 64, FAULT_NONE, {NULL}});
}

static void a_loop_that_nobody_leaves(void **state)
{
    (void)state;
    static const char *const loops[] = {KERNEL("L: bra L;"), KERNEL("L: ld.volatile.global.u32 %r1, [%rd0]; bra L;")};
    for (size_t i = 0; i < COUNTOF(loops); i++) {
        expect(&(struct launch_case){
            "--gpu tiny --limit 1000000000", loops[i], 1, 4, FAULT_ENDLESS, {"threads 0-3 run in the loop"}});
        expect(&(struct launch_case){
            "--gpu fermi --limit 1000000000", loops[i], 1, 64, FAULT_ENDLESS, {"threads 0-63 run in the loop"}});
    }
}

/* dwf makes one strand of the threads that spin, of two rows; the other threads of these have ended. */
static void a_loop_that_threads_of_two_rows_share(void **state)
{
    (void)state;
    expect(&(struct launch_case){"--gpu fermi --mech dwf --limit 300000",
                                 KERNEL("sub.u32 %r1, %r0, 16; setp.lt.u32 %p0, %r1, 32; @%p0 bra L; ret;\n"
                                        "L: add.u32 %r2, %r2, 1; bra L;"),
                                 1,
                                 64,
                                 FAULT_LIMIT,
                                 {"threads 16-47 run in the loop at PTX line 9"}});
}

/* Thread 0 copies 1024 bytes to shared memory, and the first warp waits at an mbarrier for as many as it says. */
#define COPY(bytes, others)                                                                                       \
    KERNEL(".shared .align 128 .b8 tile[1024]; .shared .align 8 .b64 bar; .reg .b64 %s; mov.u32 %r1, tile;\n"     \
           "mov.u32 %r2, bar; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r2], 1; bar.sync 0;\n"     \
           "setp.ge.u32 %p1, %r0, 32; @%p1 bra OTHERS;\n"                                                         \
           "@%p0 mbarrier.arrive.expect_tx.shared.b64 %s, [%r2], " #bytes ";\n"                                   \
           "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 1024, [%r2];\n" \
           "TRY: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra TRY; ret;\nOTHERS: " others)

static void an_mbarrier_that_expects_more_bytes_than_come(void **state)
{
    (void)state;
    expect(&(struct launch_case){"--gpu h200 --limit 3000000",
                                 COPY(2048, "ret;"),
                                 1,
                                 32,
                                 FAULT_ENDLESS,
                                 {"threads 0-31 run in the loop", "reading shared memory", "mbarrier.try_wait"}});
}

/* The limit comes before the data. */
static void a_copy_that_takes_very_long(void **state)
{
    (void)state;
    expect(&(struct launch_case){"--gpu h200 --limit 10000 --set sm.bulk_latency=100000",
                                 COPY(1024, "add.u32 %r1, %r1, 1; bra OTHERS;"),
                                 1,
                                 64,
                                 FAULT_LIMIT,
                                 {"threads 0-31 wait at", "mbarrier.try_wait", "for data of bulk copies"}});
}

/* No state comes twice; the limit ends it, and the explanation says what may be the matter. */
static void a_lock_that_counts_its_tries(void **state)
{
    (void)state;
    expect(
        &(struct launch_case){"--gpu fermi --limit 300000",
                              KERNEL("mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1; atom.global.cas.b32 %r1, [%rd0], 0, 1;\n"
                                     "setp.ne.u32 %p0, %r1, 0; @%p0 bra L; st.global.u32 [%rd0], 0; ret;"),
                              1,
                              32,
                              FAULT_LIMIT,
                              {"where the threads are", "perhaps a livelock"}});
}

/* The first warp parts at X, and would raise the flag behind it; the others wait for the flag, and may come to X after. */
#define MEETING                                                                                          \
    KERNEL("setp.lt.u32 %p0, %r0, 32; @%p0 bra X;\n"                                                     \
           "WAIT: ld.volatile.global.u32 %r1, [%rd0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT;\n"         \
           "X: and.b32 %r2, %r0, 1; setp.eq.u32 %p2, %r2, 0; @%p2 bra C;\nadd.u32 %r3, %r0, 1; bra D;\n" \
           "C: add.u32 %r3, %r0, 2;\nD: st.volatile.global.u32 [%rd0], 1; ret;")

static void a_warp_that_waits_in_a_meeting_for_those_who_spin(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"capri", "tstbc"};
    for (size_t i = 0; i < COUNTOF(mechanisms); i++) {
        char options[64], kept[64];
        snprintf(options, sizeof options, "--gpu fermi --mech %s --limit 3000000", mechanisms[i]);
        snprintf(kept, sizeof kept, "threads 0-31 are kept from running by %s, at PTX line 10", mechanisms[i]);
        expect(
            &(struct launch_case){options,
                                  MEETING,
                                  3,
                                  128,
                                  FAULT_LIVELOCK,
                                  {kept, "in a meeting there, until no other warp of the block can come to that branch",
                                   "threads 32-127 run in the loop at PTX line 9",
                                   "why: threads leave their loop only if what they read changes", "meeting at "}});
    }
    expect(&(struct launch_case){"--gpu fermi --mech pdom", MEETING, 3, 128, FAULT_NONE, {NULL}});
    /* Waits for nobody: a history that begins with no, n of one, and a branch that nothing is known of. */
    expect(&(struct launch_case){"--gpu fermi --mech capri --set capri.first=no", MEETING, 3, 128, FAULT_NONE, {NULL}});
    expect(&(struct launch_case){"--gpu fermi --mech tstbc --set tstbc.n=1", MEETING, 3, 128, FAULT_NONE, {NULL}});
    expect(&(struct launch_case){"--gpu fermi --mech tstbc-auto", MEETING, 3, 128, FAULT_NONE, {NULL}});
}

/* All warps of a block have one stack, which keeps the first warp at X until the others have come there. */
static void a_warp_that_waits_in_a_stack_for_those_who_spin(void **state)
{
    (void)state;
    static const char *const options[] = {"--gpu fermi --mech tbc --limit 3000000",
                                          "--gpu fermi --mech tbc-lcp --limit 3000000",
                                          "--gpu tiny --mech tbc --limit 3000000 --set tbc.drain=no"};
    for (size_t i = 0; i < COUNTOF(options); i++)
        expect(
            &(struct launch_case){options[i],
                                  MEETING,
                                  3,
                                  128,
                                  FAULT_LIVELOCK,
                                  {"threads 0-31 are held back by tbc", "threads 32-127 run in the loop at PTX line 9",
                                   "why: threads leave their loop only if what they read changes"}});
}

/* A function that calls itself. What its callers saved stays as it is while nobody calls or returns, so it hides no livelock. */
#define RECURSIVE                                                                                                      \
    ".func f(.param .u32 n)\n{\n.reg .pred %p<2>; .reg .b32 %r<4>;\nld.param.u32 %r0, [n]; setp.eq.u32 %p0, %r0, 0;\n" \
    "@%p0 bra END; mov.u32 %r1, 2000;\nL: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n"                 \
    "sub.u32 %r2, %r0, 1; { .param .u32 m; st.param.u32 [m], %r2; call f, (m); }\nEND: ret;\n}\n"
#define WITH_RECURSION(body) HEADER RECURSIVE ".visible .entry k(.param .u64 out)\n{\n" REGS START body "\n}\n"

static void a_spin_lock_behind_a_recursion(void **state)
{
    (void)state;
    expect(&(struct launch_case){
        "--gpu fermi --limit 3000000",
        WITH_RECURSION("{ .param .u32 m; st.param.u32 [m], 3; call f, (m); }\n"
                       "LOCK: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra LOCK;\n"
                       "atom.global.exch.b32 %r2, [%rd0], 0; ret;"),
        1,
        32,
        FAULT_LIVELOCK,
        {"thread 0 is held back by pdom"}});
}

/* ---- those that only take long ---- */

static void a_flag_that_is_raised_late(void **state)
{
    (void)state;
    static const char text[] =
        KERNEL("setp.lt.u32 %p0, %r0, 32; @%p0 bra WAIT; mov.u32 %r1, 60000;\n"
               "COUNT: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra COUNT;\n"
               "st.volatile.global.u32 [%rd0], 1; ret;\n"
               "WAIT: ld.volatile.global.u32 %r2, [%rd0]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT; ret;");
    expect(&(struct launch_case){"--gpu fermi", text, 1, 64, FAULT_NONE, {NULL}});
    expect(&(struct launch_case){"--gpu tiny --mech mimd", text, 1, 36, FAULT_NONE, {NULL}});
    expect(&(struct launch_case){"--gpu fermi --mech capri", text, 1, 64, FAULT_NONE, {NULL}});
    expect(&(struct launch_case){"--gpu fermi --mech tstbc", text, 1, 64, FAULT_NONE, {NULL}});
}

/* The only strand waits for memory most of the time, where it is found again and again. */
static void slow_loads(void **state)
{
    (void)state;
    expect(&(struct launch_case){
        "--gpu fermi --set mem.dram_latency=5000",
        KERNEL("mov.u32 %r1, 25000;\nL: ld.volatile.global.u32 %r2, [%rd0]; add.u32 %r3, %r2, 1;\n"
               "sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; ret;"),
        1,
        32,
        FAULT_NONE,
        {NULL}});
}

/* Those who spin repeat themselves; the one they wait for stands still, until its load is answered. The first thread
 * that is looked at is among those who spin, or is the one who stands. */
#define FLAG_KERNEL(begin)                                                                             \
    HEADER ".shared .u32 flag;\n.visible .entry k(.param .u64 out)\n{\n" REGS START begin              \
           "ld.global.u32 %r1, [%rd0]; or.b32 %r1, %r1, 1; st.volatile.shared.u32 [flag], %r1; ret;\n" \
           "WAIT: ld.volatile.shared.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;\nEND: ret;\n}\n"

static void a_load_that_takes_very_long(void **state)
{
    (void)state;
    static const char *const texts[] = {
        FLAG_KERNEL("setp.lt.u32 %p0, %r0, 4; @%p0 bra WAIT;\n"),
        FLAG_KERNEL("setp.ge.u32 %p0, %r0, 4; @%p0 bra WAIT; setp.ne.u32 %p0, %r0, 0; @%p0 bra END;\n")};
    for (size_t i = 0; i < COUNTOF(texts); i++)
        expect(&(struct launch_case){
            "--gpu tiny --set mem.memory_mhz=100 --set mem.dram_latency=50000", texts[i], 1, 8, FAULT_NONE, {NULL}});
}

/* Thread 224 counts from 1600 down, slowly, and from then on from 280, each time having counted its round in memory; so it
 * comes back to where it was, with the registers that it had, over memory that changed. The others wait for the third
 * round. */
static void memory_that_changes_while_it_is_looked_at(void **state)
{
    (void)state;
    expect(&(struct launch_case){
        "--gpu fermi",
        KERNEL("setp.ne.u32 %p0, %r0, 224; @%p0 bra WAIT;\n"
               "mov.u32 %r1, 1600; mov.u32 %r2, 0; mov.u32 %r3, 7;\n"
               "COUNT: rem.u32 %r4, %r1, %r3; rem.u32 %r4, %r4, %r3; sub.u32 %r1, %r1, 1;\n"
               "setp.ne.u32 %p1, %r1, 0; @%p1 bra COUNT;\n"
               "ld.volatile.global.u32 %r2, [%rd0]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd0], %r2;\n"
               "setp.eq.u32 %p2, %r2, 3; @%p2 bra END; mov.u32 %r1, 280; mov.u32 %r2, 0; bra COUNT;\n"
               "WAIT: ld.volatile.global.u32 %r2, [%rd0];\n"
               "setp.lt.u32 %p2, %r2, 3; @%p2 bra WAIT;\nEND: ret;"),
        1,
        225, /* it is alone in its warp */
        FAULT_NONE,
        {NULL}});
}

/* A warp of the first block stands at its branch until a load is answered that nobody needs before, the second very slow one;
 * after the first one, which they ask for too, the other blocks spin. */
static void a_warp_that_drains_for_very_long(void **state)
{
    static const char text[] = KERNEL(
        "mov.u32 %r1, %ctaid.x; setp.ne.u32 %p0, %r1, 0; @%p0 bra WAIT; setp.ge.u32 %p0, %r0, 32; @%p0 bra END;\n"
        "ld.global.u32 %r2, [%rd0]; cvt.u64.u32 %rd1, %r2; add.u64 %rd1, %rd1, %rd0; ld.global.u32 %r5, [%rd1+4096];\n"
        "and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra C; add.u32 %r4, %r0, 1; bra D;\n"
        "C: add.u32 %r4, %r0, 2;\nD: or.b32 %r4, %r4, %r5; or.b32 %r4, %r4, 1; st.volatile.global.u32 [%rd0], "
        "%r4;\nEND: ret;\n"
        "WAIT: ld.volatile.global.u32 %r1, [%rd0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT; ret;");
    char options[160];
    snprintf(options, sizeof options,
             "--gpu fermi --set gpu.sm_count=1 --set mem.memory_mhz=100 --set mem.dram_latency=20000 --mech %s",
             (const char *)*state);
    expect(&(struct launch_case){options, text, 6, 256, FAULT_NONE, {NULL}});
}

static void a_clock_that_is_waited_for(void **state)
{
    (void)state;
    expect(&(struct launch_case){
        "--gpu tiny",
        KERNEL("L: mov.u32 %r1, %clock; setp.lt.u32 %p0, %r1, 300000; mov.u32 %r1, 0; @%p0 bra L; ret;"),
        1,
        4,
        FAULT_NONE,
        {NULL}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_that_some_never_reach),
        cmocka_unit_test(a_barrier_while_nobody_takes_a_reply),
        cmocka_unit_test(a_line_that_comes_while_nobody_takes_a_reply),
        cmocka_unit_test(a_barrier_for_more_threads_than_there_are),
        cmocka_unit_test(a_rendezvous_that_a_stack_keeps_apart),
        cmocka_unit_test(both_sides_meet_under_every_mechanism),
        cmocka_unit_test(narrow_warps_that_wait_for_each_other_give_way),
        cmocka_unit_test(blocks_that_wait),
        cmocka_unit_test(a_spin_lock_within_a_warp),
        cmocka_unit_test(a_lock_by_exchange),
        cmocka_unit_test(a_spin_lock_where_threads_are_on_their_own),
        cmocka_unit_test(a_loop_that_nobody_leaves),
        cmocka_unit_test(a_loop_that_threads_of_two_rows_share),
        cmocka_unit_test(a_lock_that_counts_its_tries),
        cmocka_unit_test(a_warp_that_waits_in_a_meeting_for_those_who_spin),
        cmocka_unit_test(a_warp_that_waits_in_a_stack_for_those_who_spin),
        cmocka_unit_test(a_spin_lock_behind_a_recursion),
        cmocka_unit_test(a_flag_that_is_raised_late),
        cmocka_unit_test(slow_loads),
        cmocka_unit_test(a_load_that_takes_very_long),
        cmocka_unit_test(an_mbarrier_that_expects_more_bytes_than_come),
        cmocka_unit_test(a_copy_that_takes_very_long),
        cmocka_unit_test(memory_that_changes_while_it_is_looked_at),
        cmocka_unit_test_prestate(a_warp_that_drains_for_very_long, "tbc"),
        cmocka_unit_test_prestate(a_warp_that_drains_for_very_long, "capri"),
        cmocka_unit_test(a_clock_that_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
