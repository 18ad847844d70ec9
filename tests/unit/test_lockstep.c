/*
 * The lock-step check: which accesses of threads of one warp rely on lock-step and which do not, rule by rule, the same
 * on the functional engine and on machines; and what the check says.
 *
 * Each kernel has %t (thread), %lane, %mine (shared address of the thread's own word of `sh`), %next (that of the
 * neighbour t ^ 1), %first (true in thread 0 of each warp) and %out (global memory).
 */
#include "kernel_bench.h"

#include "div/table.h"
#include "exec/race/race.h"
#include "gpu/gpu.h"

static const char before[] =
    HEADER ".visible .entry k(.param .u64 p)\n{\n"
           ".reg .b32 %t, %lane, %mine, %next, %r<16>;\n.reg .b64 %out, %a<8>;\n"
           ".reg .pred %first, %p<8>;\n.shared .align 16 .b8 sh[4096];\n"
           "ld.param.u64 %out, [p];\nmov.u32 %t, %tid.x;\nand.b32 %lane, %t, 31;\nmov.u32 %r0, sh;\n"
           "mad.lo.u32 %mine, %t, 4, %r0;\nxor.b32 %next, %mine, 4;\nsetp.eq.u32 %first, %lane, 0;\n";
static const char after[] = "\nret;\n}\n";

struct lockstep_case {
    const char *name, *body;
    uint32_t threads;             /* 0: 32 */
    int to_load, to_store, twice; /* pairs: store to load, load to store, store to store */
};

#define PUT  "st.shared.u32 [%mine], %t;\n"
#define GET  "ld.shared.u32 %r1, [%next];\n"
#define FILL "@%first st.shared.u32 [sh], 5;\n"
#define LOOK "ld.shared.u32 %r1, [sh];\n"

static const struct lockstep_case cases[] = {
    /* what communicates */
    {"a neighbour's store", PUT GET, 0, 1, 0, 0},
    {"in global memory",
     "mad.wide.u32 %a1, %t, 4, %out;\nxor.b64 %a2, %a1, 4;\nst.global.u32 [%a1], %t;\n"
     "ld.global.u32 %r1, [%a2];\n",
     0, 1, 0, 0},
    {"through a generic address", "cvta.shared.u64 %a1, sh;\n@%first st.u32 [%a1], 5;\n" LOOK, 0, 1, 0, 0},
    {"one fills, all look", FILL LOOK, 0, 1, 0, 0},
    {"all look, one changes", LOOK FILL, 0, 0, 1, 0},
    {"two instructions store two values", FILL "@!%first st.shared.u32 [sh], 6;\n", 0, 0, 0, 1},
    {"one instruction, in turns of a loop",
     "mov.u32 %r2, 0;\nLOOP: setp.eq.u32 %p1, %lane, %r2;\nadd.u32 %r2, %r2, 1;\n@%p1 st.shared.u32 [sh], %r2;\n"
     "setp.lt.u32 %p2, %r2, 4;\n@%p2 bra LOOP;\n",
     0, 0, 0, 1},
    {"bytes of a word", "@%first st.shared.u32 [sh], 0x01020304;\nld.shared.u8 %r1, [sh+2];\n", 0, 1, 0, 0},
    {"beside each other", "@%first st.shared.u32 [sh], 5;\nld.shared.u32 %r1, [sh+4];\n", 0, 0, 0, 0},
    {"own words", PUT "ld.shared.u32 %r1, [%mine];\n" PUT, 64, 0, 0, 0},
    {"other rows are left alone", PUT "xor.b32 %next, %mine, 128;\n" GET, 64, 0, 0, 0},
    {"volatile is plain", "@%first st.volatile.shared.u32 [sh], 5;\nld.volatile.shared.u32 %r1, [sh];\n", 0, 1, 0, 0},
    {"a fence is no order", FILL "membar.cta;\n" LOOK, 0, 1, 0, 0},
    /* what orders */
    {"bar.warp.sync", FILL "bar.warp.sync -1;\n" LOOK "bar.warp.sync -1;\n@%first st.shared.u32 [sh], 7;\n", 64, 0, 0,
     0},
    {"shfl.sync", PUT "shfl.sync.idx.b32 %r2, %t, 0, 31, -1;\n" GET, 0, 0, 0, 0},
    {"vote.sync", PUT "vote.sync.ballot.b32 %r2, %first, -1;\n" GET, 0, 0, 0, 0},
    {"match.sync", PUT "match.any.sync.b32 %r2, %t, -1;\n" GET, 0, 0, 0, 0},
    {"redux.sync", PUT "redux.sync.add.u32 %r2, %t, -1;\n" GET, 0, 0, 0, 0},
    {"shfl without .sync does not", PUT "shfl.idx.b32 %r2, %t, 0, 31;\n" GET, 0, 1, 0, 0},
    {"a block barrier", PUT "bar.sync 0;\n" GET, 64, 0, 0, 0},
    {"a counted barrier", PUT "bar.sync 1, 64;\n" GET, 64, 0, 0, 0},
    {"sync of halves, across them",
     PUT "setp.lt.u32 %p1, %lane, 16;\nselp.b32 %r2, 0xffff, 0xffff0000, %p1;\nbar.warp.sync %r2;\n"
         "xor.b32 %next, %mine, 64;\n" GET,
     0, 1, 0, 0},
    {"sync before both", "bar.warp.sync -1;\n" FILL LOOK, 0, 1, 0, 0},
    /* stores of one value */
    {"all store one value", "st.shared.u32 [sh], 5;\n", 0, 0, 0, 0},
    {"and each reads it", "st.shared.u32 [sh], 5;\n" LOOK, 0, 0, 0, 0},
    {"some store one value, all read", "setp.lt.u32 %p1, %lane, 4;\n@%p1 st.shared.u32 [sh], 5;\n" LOOK, 0, 1, 0, 0},
    {"two instructions store one value", FILL "@!%first st.shared.u32 [sh], 5;\n", 0, 0, 0, 0},
    {"a store that changes nothing, after loads", LOOK "@%first st.shared.u32 [sh], 0;\n", 0, 0, 0, 0},
    {"one instruction stores many values", "st.shared.u32 [sh], %t;\n", 0, 0, 0, 0},
    {"and they ask who won", "st.shared.u32 [sh], %t;\n" LOOK, 0, 1, 0, 0},
    /* atomics */
    {"atomics alone", "atom.shared.add.u32 %r1, [sh], %t;\nred.shared.max.u32 [sh], %t;\n", 64, 0, 0, 0},
    {"a count, read plainly", "red.shared.add.u32 [sh], 1;\n" LOOK, 0, 1, 0, 0},
    {"a store, then atomics", FILL "red.shared.add.u32 [sh], 1;\n", 0, 0, 0, 1},
    {"atomics, then a store", "red.shared.add.u32 [sh], 1;\n@%first st.shared.u32 [sh], 0;\n", 0, 0, 0, 1},
    {"a test before the atomic", LOOK "setp.lt.u32 %p1, %r1, %t;\n@%p1 red.shared.max.u32 [sh], %t;\n", 0, 0, 0, 0},
    {"in a loop",
     "mov.u32 %r2, 0;\nLOOP: " LOOK "setp.lt.u32 %p1, %r1, %t;\n@%p1 red.shared.max.u32 [sh], %t;\n"
     "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 4;\n@%p2 bra LOOP;\n",
     0, 0, 0, 0},
    {"another word's atomic makes no test",
     LOOK "@%first red.shared.add.u32 [sh+4], 1;\n@%first red.shared.add.u32 [%mine], 1;\n", 0, 0, 1, 0},
    {"the address in another register",
     LOOK "mov.u32 %r2, sh;\nadd.u32 %r2, %r2, 0;\nadd.u32 %r3, %r0, 8;\nred.shared.add.u32 [%r3+-8], 1;\n", 0, 0, 0,
     0},
    {"a generic address",
     "cvta.shared.u64 %a1, sh;\nadd.u64 %a2, %a1, 8;\nld.shared.u32 %r1, [sh+8];\nred.add.u32 [%a2], 1;\n", 0, 0, 0, 0},
    {"a register that is written twice",
     "mov.u32 %r2, sh;\nld.shared.u32 %r1, [%r2];\nadd.u32 %r2, %r0, 4;\nsub.u32 %r2, %r2, 4;\n"
     "@%first red.shared.add.u32 [sh], 1;\n",
     0, 0, 1, 0},
    {"compare-and-swap loop",
     LOOK "AGAIN: mov.u32 %r2, %r1;\nadd.u32 %r3, %r2, %t;\natom.shared.cas.b32 %r1, [sh], %r2, %r3;\n"
          "setp.ne.u32 %p1, %r1, %r2;\n@%p1 bra AGAIN;\n",
     0, 0, 0, 0},
    {"handed over by an atomic's word",
     FILL "@%first red.shared.add.u32 [sh+4], 1;\n@!%first atom.shared.add.u32 %r1, [sh+4], 0;\n@!%first " LOOK, 0, 0,
     0, 0},
    {"not by another word",
     FILL "@%first red.shared.add.u32 [sh+8], 1;\n@!%first atom.shared.add.u32 %r1, [sh+4], 0;\n@!%first " LOOK, 0, 1,
     0, 0},
    {"not by one that reads nothing",
     FILL "@%first red.shared.add.u32 [sh+4], 1;\n@!%first red.shared.add.u32 [sh+4], 0;\n@!%first " LOOK, 0, 1, 0, 0},
    {"not by one before the store",
     "@%first red.shared.add.u32 [sh+4], 1;\n" FILL "@!%first atom.shared.add.u32 %r1, [sh+4], 0;\n@!%first " LOOK, 0,
     1, 0, 0},
    {"handed over by release and acquire",
     FILL "@%first st.release.cta.shared.u32 [sh+4], 1;\n@!%first ld.acquire.cta.shared.u32 %r2, [sh+4];\n"
          "@!%first " LOOK,
     0, 0, 0, 0},
    {"a lock",
     "mov.u32 %r4, 0;\nAGAIN: atom.shared.cas.b32 %r2, [sh+4], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra MISSED;\n" LOOK
     "add.u32 %r1, %r1, 1;\nst.shared.u32 [sh], %r1;\natom.shared.exch.b32 %r3, [sh+4], 0;\nmov.u32 %r4, 1;\n"
     "MISSED: setp.eq.u32 %p2, %r4, 0;\n@%p2 bra AGAIN;\n",
     0, 0, 0, 0},
    {"relaxed against relaxed",
     "@%first st.relaxed.cta.shared.u32 [sh], 1;\n@!%first ld.relaxed.cta.shared.u32 %r1, [sh];\n", 0, 0, 0, 0},
    {"plain against relaxed", FILL "@!%first ld.relaxed.cta.shared.u32 %r1, [sh];\n", 0, 1, 0, 0},
    /* programs */
    {"warp-synchronous reduction",
     "add.u32 %r2, %t, 7;\nst.volatile.shared.u32 [%mine], %r2;\nsetp.lt.u32 %p1, %lane, 16;\n"
     "@%p1 ld.volatile.shared.u32 %r1, [%mine+64];\n@%p1 add.u32 %r2, %r2, %r1;\n"
     "@%p1 st.volatile.shared.u32 [%mine], %r2;\nsetp.lt.u32 %p1, %lane, 8;\n"
     "@%p1 ld.volatile.shared.u32 %r1, [%mine+32];\n@%p1 add.u32 %r2, %r2, %r1;\n"
     "@%p1 st.volatile.shared.u32 [%mine], %r2;\n",
     0, 2, 0, 0},
};

struct found {
    struct bench bench;
    struct race *race;
};

static void open_found(struct found *f, const char *body, uint32_t threads)
{
    char text[8192];
    snprintf(text, sizeof text, "%s%s%s", before, body, after);
    open_bench(&f->bench, text);
    f->bench.launch.block[0] = threads ? threads : 32;
    f->bench.launch.race = f->race = race_create_lockstep();
}

static void close_found(struct found *f)
{
    race_destroy(f->race);
    close_bench(&f->bench);
}

static void look_on_machine(struct found *f, const char *machine, const char *mechanism)
{
    char *error = NULL;
    struct code *code = code_create(f->bench.launch.kernel, f->bench.image, &error);
    struct machine *m = machine_load(machine, &error);
    assert_non_null(code);
    assert_non_null(m);
    uint64_t knobs[64] = {0};
    struct gpu_run run = {.machine = m, .mechanism = div_find(mechanism), .mechanism_knobs = knobs};
    struct gpu_result result;
    assert_non_null(run.mechanism);
    if (run.mechanism->knobs)
        knob_defaults(run.mechanism->knobs, knobs);
    gpu_launch(&run, &f->bench.launch, code, &result);
    f->bench.result = result.launch;
    gpu_result_free(&result);
    machine_free(m);
    code_destroy(code);
}

/* `mechanism` on fermi; NULL: the functional engine. */
static void expect(const struct lockstep_case *c, const char *mechanism)
{
    char report[2048];
    struct found f;
    open_found(&f, c->body, c->threads);
    if (mechanism)
        look_on_machine(&f, "fermi", mechanism);
    else
        run_on_engine(&f.bench);
    if (f.bench.result.fault.kind)
        fail_msg("'%s': %s", c->name, fault_describe(&f.bench.result.fault, report, sizeof report));
    int to_load = race_count_flow(f.race, RACE_STORE_TO_LOAD), to_store = race_count_flow(f.race, RACE_LOAD_TO_STORE);
    int twice = race_count_flow(f.race, RACE_STORE_TO_STORE);
    if (to_load != c->to_load || to_store != c->to_store || twice != c->twice) {
        struct text t = {0};
        race_print(f.race, "test", false, &t);
        fail_msg("'%s' under %s: %d, %d, %d pairs instead of %d, %d, %d\n%s", c->name, mechanism ? mechanism : "none",
                 to_load, to_store, twice, c->to_load, c->to_store, c->twice, t.data ? t.data : "");
    }
    assert_int_equal(race_count(f.race), race_count_kind(f.race, RACE_IN_ROW));
    close_found(&f);
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++)
        expect(&cases[i], NULL);
}

static void test_rules_on_a_machine(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++)
        expect(&cases[i], "pdom");
}

static void expect_text(const struct found *f, bool in_step, const char *const *parts)
{
    struct text t = {0};
    race_print(f->race, "dws", in_step, &t);
    for (; *parts; parts++)
        if (!t.data || !strstr(t.data, *parts))
            fail_msg("'%s' is not in:\n%s", *parts, t.data ? t.data : "");
    text_free(&t);
}

static void test_report(void **state)
{
    (void)state;
    struct found f;
    open_found(&f, PUT GET, 32);
    run_on_engine(&f.bench);
    expect_text(&f, false,
                (const char *const[]){
                    "kernel k relies on lock-step: a thread reads what another thread of its warp wrote",
                    "4 bytes of shared memory at 0x4: byte 4 of sh", "first   block (0,0,0), thread (1,0,0), write",
                    "st.shared.u32 [%mine], %t", "then    block (0,0,0), thread (0,0,0), read",
                    "ld.shared.u32 %r1, [%next]", "found   32 times",
                    "1 pair of instructions relies on lock-step: 1 write to read, 0 read to write, 0 "
                    "write to write",
                    "Under dws lock-step is not guaranteed", NULL});
    expect_text(&f, true, (const char *const[]){"dws keeps threads in lock-step until they diverge", NULL});
    close_found(&f);
}

/* All read the word at one place, thread 0 reads it again at another and then writes it: the first read is named. */
static void test_line_of_the_reader(void **state)
{
    (void)state;
    struct found f;
    open_found(&f, LOOK "@%first ld.shared.u32 %r9, [sh];\n@%first st.shared.u32 [sh], 5;\n", 32);
    run_on_engine(&f.bench);
    assert_int_equal(race_count(f.race), 1);
    expect_text(&f, true, (const char *const[]){"ld.shared.u32 %r1, [sh]", "st.shared.u32 [sh], 5", NULL});
    close_found(&f);
}

/* Readers at two places are two pairs. */
static void test_lines_of_readers(void **state)
{
    (void)state;
    struct found f;
    open_found(&f, "setp.lt.u32 %p1, %lane, 16;\n@%p1 ld.shared.u32 %r1, [sh];\n@!%p1 ld.shared.u32 %r9, [sh];\n" FILL,
               32);
    run_on_engine(&f.bench);
    assert_int_equal(race_count(f.race), 2);
    expect_text(&f, true, (const char *const[]){"ld.shared.u32 %r1, [sh]", "ld.shared.u32 %r9, [sh]", NULL});
    close_found(&f);
}

/* Blocks reuse storage: what one block's threads handed over is not the next one's. */
static void test_blocks(void **state)
{
    (void)state;
    struct found f;
    open_found(&f,
               FILL "@%first red.shared.add.u32 [sh+4], 1;\n@!%first atom.shared.add.u32 %r1, [sh+4], 0;\n"
                    "@!%first " LOOK,
               64);
    f.bench.launch.grid[0] = 200;
    run_on_engine(&f.bench);
    assert_int_equal(race_count(f.race), 0);
    close_found(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_rules_on_a_machine),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_line_of_the_reader),
        cmocka_unit_test(test_lines_of_readers),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests_name("lockstep", tests, NULL, NULL);
}
