/*
 * The race check: what orders threads and what does not, the same on the functional engine and on machines; and what it
 * says.
 *
 * Each kernel has %t (thread), %lane, %b (block), %mine (shared address of the thread's own word of `sh`) and %next
 * (that of the neighbour t ^ 1).
 */
#include "kernel_bench.h"

#include "div/table.h"
#include "exec/race/race.h"
#include "gpu/gpu.h"

static const char before[] =
    HEADER ".visible .entry k(.param .u64 p)\n{\n"
           ".reg .b32 %t, %lane, %b, %mine, %next, %r<16>;\n.reg .b64 %out, %a<8>;\n"
           ".reg .pred %p<8>;\n.shared .align 16 .b8 pad[256];\n.shared .align 16 .b8 sh[4096];\n"
           "ld.param.u64 %out, [p];\nmov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\n"
           "and.b32 %lane, %t, 31;\nmov.u32 %r0, sh;\nmad.lo.u32 %mine, %t, 4, %r0;\n"
           "xor.b32 %next, %mine, 4;\n";
static const char after[] = "\nret;\n}\n";

struct race_case {
    const char *name, *body;
    uint32_t blocks, threads; /* 0: 1, 32 */
    int row, block, grid;     /* pairs of instructions that race, by kind */
};

#define PUT "st.shared.u32 [%mine], %t;\n"
#define GET "ld.shared.u32 %r1, [%next];\n"
#define LATE_PAIR                                                                                                  \
    "LATE: mov.u32 %r3, 0;\nLOOP: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 1000;\n@%p2 bra LOOP;\nbar.sync 1, " \
    "64;\n"                                                                                                        \
    "ld.shared.u32 %r1, [%mine+-256];\nDONE:\n"
#define EACH "mad.wide.u32 %a1, %t, 4, %out;\n"

static const struct race_case cases[] = {
    {"neighbours", PUT GET, 0, 0, 1, 0, 0},
    {"volatile is no order", "st.volatile.shared.u32 [%mine], %t;\nld.volatile.shared.u32 %r1, [%next];\n", 0, 0, 1, 0,
     0},
    {"fences are no order", PUT "membar.cta;\n" GET, 0, 0, 1, 0, 0},
    {"own words", PUT "ld.shared.u32 %r1, [%mine];\n", 0, 64, 0, 0, 0},
    {"block barrier", PUT "bar.sync 0;\n" GET, 0, 64, 0, 0, 0},
    {"barrier before both", "bar.sync 0;\n" PUT GET, 0, 64, 1, 0, 0},
    {"another barrier's number", PUT "bar.sync 3;\n" GET, 0, 64, 0, 0, 0},
    {"reduction barrier", PUT "setp.eq.u32 %p1, %t, 0;\nbar.red.popc.u32 %r2, 0, %p1;\n" GET, 0, 64, 0, 0, 0},
    {"warp sync", PUT "bar.warp.sync -1;\n" GET, 0, 64, 0, 0, 0},
    {"shuffle", PUT "shfl.sync.idx.b32 %r2, %t, 0, 31, -1;\n" GET, 0, 0, 0, 0, 0},
    {"shuffle without .sync", PUT "shfl.idx.b32 %r2, %t, 0, 31;\n" GET, 0, 0, 1, 0, 0},
    {"warp sync does not order rows", PUT "bar.warp.sync -1;\nxor.b32 %next, %mine, 128;\n" GET, 0, 64, 0, 1, 0},
    {"sync of halves, within them",
     PUT "setp.lt.u32 %p1, %lane, 16;\nselp.b32 %r2, 0xffff, 0xffff0000, %p1;\nbar.warp.sync %r2;\n" GET, 0, 0, 0, 0,
     0},
    {"sync of halves, across",
     PUT "setp.lt.u32 %p1, %lane, 16;\nselp.b32 %r2, 0xffff, 0xffff0000, %p1;\nbar.warp.sync %r2;\n"
         "xor.b32 %next, %mine, 64;\n" GET,
     0, 0, 1, 0, 0},
    {"order is passed on",
     "setp.eq.u32 %p0, %t, 0;\nsetp.lt.u32 %p1, %t, 2;\nsub.u32 %r2, %t, 1;\nsetp.lt.u32 %p2, %r2, 2;\n"
     "setp.eq.u32 %p3, %t, 2;\n@%p0 st.shared.u32 [sh], 5;\n@%p1 bar.warp.sync 3;\n@%p2 bar.warp.sync 6;\n"
     "@%p3 ld.shared.u32 %r1, [sh];\n",
     0, 0, 0, 0, 0},
    {"but not without the middle",
     "setp.eq.u32 %p0, %t, 0;\nsetp.lt.u32 %p1, %t, 2;\nsetp.eq.u32 %p3, %t, 2;\n"
     "@%p0 st.shared.u32 [sh], 5;\n@%p1 bar.warp.sync 3;\n@%p3 ld.shared.u32 %r1, [sh];\n",
     0, 0, 1, 0, 0},
    {"nor backwards in time",
     "setp.eq.u32 %p0, %t, 0;\nsetp.lt.u32 %p1, %t, 2;\nsub.u32 %r2, %t, 1;\nsetp.lt.u32 %p2, %r2, 2;\n"
     "setp.eq.u32 %p3, %t, 2;\n@%p2 bar.warp.sync 6;\n@%p0 st.shared.u32 [sh], 5;\n@%p1 bar.warp.sync 3;\n"
     "@%p3 ld.shared.u32 %r1, [sh];\n",
     0, 0, 1, 0, 0},
    {"read, then written", GET "st.shared.u32 [%mine], %t;\n", 0, 0, 1, 0, 0},
    {"all read, one writes behind its row's sync",
     "ld.shared.u32 %r1, [sh];\nbar.warp.sync -1;\nsetp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.u32 [sh], 1;\n", 0, 96, 0, 1,
     0},
    {"one row reads, one writes behind its sync",
     "ld.shared.u32 %r1, [sh];\nbar.warp.sync -1;\nsetp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.u32 [sh], 1;\n", 0, 32, 0, 0,
     0},
    {"all read, the last writes", "ld.shared.u32 %r1, [sh];\nsetp.eq.u32 %p1, %t, 31;\n@%p1 st.shared.u32 [sh], 1;\n",
     0, 32, 1, 0, 0},
    {"one instruction stores one value", "st.shared.u32 [sh], 7;\n", 0, 64, 0, 0, 0},
    {"one instruction stores several", "st.shared.u32 [sh], %t;\n", 0, 32, 1, 0, 0},
    {"in words of eight bytes", "mov.b64 %a1, {%b, %t};\nst.shared.u64 [sh], %a1;\n", 0, 32, 1, 0, 0},
    {"two instructions store one value",
     "setp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.u32 [sh], 7;\n@!%p1 st.shared.u32 [sh], 7;\n", 0, 32, 1, 0, 0},
    {"bytes", "mov.u32 %r1, sh;\nadd.u32 %r1, %r1, %t;\nst.shared.u8 [%r1], %t;\nld.shared.u8 %r2, [%r1];\n", 0, 64, 0,
     0, 0},
    {"bytes, then the word",
     "mov.u32 %r1, sh;\nadd.u32 %r1, %r1, %t;\nst.shared.u8 [%r1], %t;\nsetp.eq.u32 %p1, %t, 0;\n"
     "@%p1 ld.shared.u32 %r2, [sh];\n",
     0, 0, 1, 0, 0},
    {"the word, then bytes",
     "setp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.u32 [sh+4], 9;\nsetp.eq.u32 %p2, %t, 5;\n@%p2 ld.shared.u8 %r2, "
     "[sh+7];\n",
     0, 0, 1, 0, 0},
    {"wide and narrow",
     "setp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.v4.u32 [sh], {%t, %t, %t, %t};\nsetp.eq.u32 %p2, %t, 1;\n"
     "@%p2 ld.shared.u32 %r2, [sh+12];\n",
     0, 0, 1, 0, 0},
    {"wide beside narrow",
     "setp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.v4.u32 [sh], {%t, %t, %t, %t};\nsetp.eq.u32 %p2, %t, 1;\n"
     "@%p2 ld.shared.u32 %r2, [sh+16];\n",
     0, 0, 0, 0, 0},
    {"generic addresses", "cvta.shared.u64 %a1, sh;\nst.u32 [%a1], %t;\nld.shared.u32 %r1, [sh];\n", 0, 0, 2, 0, 0},
    {"atomics alone", "atom.shared.add.u32 %r1, [sh], %t;\nred.shared.max.u32 [sh], %t;\n", 0, 64, 0, 0, 0},
    {"an atomic, and a plain read", "red.shared.add.u32 [sh], 1;\nld.shared.u32 %r1, [sh];\n", 0, 32, 1, 0, 0},
    {"an atomic, a barrier, a plain read", "red.shared.add.u32 [sh], 1;\nbar.sync 0;\nld.shared.u32 %r1, [sh];\n", 0,
     64, 0, 0, 0},
    {"a plain write, and atomics",
     "setp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.u32 [sh], 1;\nred.shared.add.u32 [sh], 1;\n", 0, 32, 1, 0, 0},
    {"handed over by atomics",
     "setp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.u32 [sh], 1;\n@%p1 red.shared.add.u32 [sh+4], 1;\n"
     "@!%p1 atom.shared.add.u32 %r1, [sh+4], 0;\n@!%p1 ld.shared.u32 %r2, [sh];\n",
     0, 32, 0, 0, 0},
    {"an atomic is not handed over by itself",
     "setp.eq.u32 %p1, %t, 0;\n@%p1 red.shared.add.u32 [sh], 1;\nsetp.eq.u32 %p2, %t, 1;\n"
     "@%p2 red.shared.add.u32 [sh+4], 1;\n@%p2 ld.shared.u32 %r2, [sh];\n",
     0, 32, 1, 0, 0},
    {"handed over by atomics, and on by a sync", /* row 1 to lane 0 of row 0, which has waited for it, to the others */
     "setp.lt.u32 %p1, %t, 32;\n@%p1 bra TAKE;\nsetp.ne.u32 %p2, %t, 32;\n@%p2 bra DONE;\nst.shared.u32 [sh], 1;\n"
     "atom.shared.exch.b32 %r1, [sh+4], 1;\nbra DONE;\nTAKE: setp.ne.u32 %p3, %t, 0;\n@%p3 bra MEET;\n"
     "AGAIN: atom.shared.add.u32 %r1, [sh+4], 0;\nsetp.eq.u32 %p4, %r1, 0;\n@%p4 bra AGAIN;\n"
     "MEET: bar.warp.sync -1;\nld.shared.u32 %r2, [sh];\nDONE:\n",
     0, 64, 0, 0, 0},
    {"and on by a counted barrier", /* to row 2 */
     "setp.lt.u32 %p1, %t, 32;\n@%p1 bra TAKE;\nsetp.ge.u32 %p1, %t, 64;\n@%p1 bra THIRD;\nsetp.ne.u32 %p2, %t, 32;\n"
     "@%p2 bra DONE;\nst.shared.u32 [sh], 1;\natom.shared.exch.b32 %r1, [sh+4], 1;\nbra DONE;\n"
     "TAKE: setp.ne.u32 %p3, %t, 0;\n@%p3 bra MEET;\nAGAIN: atom.shared.add.u32 %r1, [sh+4], 0;\n"
     "setp.eq.u32 %p4, %r1, 0;\n@%p4 bra AGAIN;\nMEET: bar.arrive 1, 64;\nbra DONE;\n"
     "THIRD: bar.sync 1, 64;\nld.shared.u32 %r2, [sh];\nDONE:\n",
     0, 96, 0, 0, 0},
    {"relaxed against relaxed",
     "setp.eq.u32 %p1, %t, 0;\n@%p1 st.relaxed.cta.shared.u32 [sh], 1;\n@!%p1 ld.relaxed.cta.shared.u32 %r1, [sh];\n",
     0, 32, 0, 0, 0},
    {"plain against relaxed",
     "setp.eq.u32 %p1, %t, 0;\n@%p1 st.shared.u32 [sh], 1;\n@!%p1 ld.relaxed.cta.shared.u32 %r1, [sh];\n", 0, 32, 1, 0,
     0},
    {"counted barrier", /* row 1 produces and goes on, row 0 waits */
     "setp.ge.u32 %p1, %t, 32;\n@!%p1 bra WAIT;\n" PUT "bar.arrive 1, 64;\nbra DONE;\nWAIT: bar.sync 1, 64;\n"
     "ld.shared.u32 %r1, [%mine+128];\nDONE:\n",
     0, 64, 0, 0, 0},
    {"after the counted barrier",
     "setp.ge.u32 %p1, %t, 32;\n@!%p1 bra WAIT;\nbar.arrive 1, 64;\n" PUT "bra DONE;\nWAIT: bar.sync 1, 64;\n"
     "ld.shared.u32 %r1, [%mine+128];\nDONE:\n",
     0, 64, 0, 1, 0},
    {"counted barrier of others", /* rows 0 and 1 meet; row 2 reads what they wrote */
     "setp.ge.u32 %p1, %t, 64;\n@%p1 bra THIRD;\n" PUT "bar.sync 1, 64;\nbra DONE;\n"
     "THIRD: ld.shared.u32 %r1, [%mine+-128];\nDONE:\n",
     0, 96, 0, 1, 0},
    {"counted barrier, used by others again", /* rows 0 and 1 meet; rows 2 and 3 meet there later, and are not behind them */
     "setp.ge.u32 %p1, %t, 64;\n@%p1 bra LATE;\n" PUT "bar.sync 1, 64;\nbra DONE;\n" LATE_PAIR, 0, 128, 0, 1, 0},
    {"nor behind their atomics",
     "setp.ge.u32 %p1, %t, 64;\n@%p1 bra LATE;\n" PUT
     "red.shared.add.u32 [pad], 1;\nbar.sync 1, 64;\nbra DONE;\n" LATE_PAIR,
     0, 128, 0, 1, 0},
    {"blocks", EACH "st.global.u32 [%a1], %b;\n", 2, 32, 0, 0, 1},
    {"blocks, and a barrier in each", EACH "st.global.u32 [%a1], %b;\nbar.sync 0;\n", 2, 32, 0, 0, 1},
    {"blocks on their own words",
     "mad.lo.u32 %r1, %b, 32, %t;\nmad.wide.u32 %a1, %r1, 4, %out;\nst.global.u32 [%a1], %t;\n", 4, 32, 0, 0, 0},
    {"two blocks read, the first writes late",
     "ld.global.u32 %r1, [%out];\nor.b32 %r2, %b, %t;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra DONE;\nmov.u32 %r3, 0;\n"
     "LOOP: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 200;\n@%p2 bra LOOP;\nst.global.u32 [%out], 1;\nDONE:\n",
     2, 1, 0, 0, 1},
    {"the last block reads what all wrote",
     "mad.lo.u32 %r1, %b, 32, %t;\nmad.wide.u32 %a1, %r1, 4, %out;\nst.global.u32 [%a1], %t;\nmembar.gl;\nbar.sync 0;\n"
     "setp.eq.u32 %p1, %t, 0;\n@!%p1 bra COUNTED;\natom.global.add.u32 %r2, [%out+4096], 1;\nst.shared.u32 [sh], %r2;\n"
     "COUNTED: bar.sync 0;\nld.shared.u32 %r2, [sh];\nsetp.ne.u32 %p2, %r2, 3;\n@%p2 bra DONE;\n"
     "mad.wide.u32 %a2, %t, 16, %out;\nld.global.u32 %r3, [%a2];\nDONE:\n",
     4, 32, 0, 0, 0},
    {"blocks come and go", PUT "bar.sync 0;\n" GET, 300, 64, 0, 0, 0},
    {"local memory", ".local .align 4 .b8 l[16];\nst.local.u32 [l], %t;\nld.local.u32 %r1, [l];\n", 0, 32, 0, 0, 0},
};

/* ---- running ---- */

struct found {
    struct bench bench;
    struct race *race;
};

static void open_found(struct found *f, const char *body, uint32_t blocks, uint32_t threads)
{
    char text[8192];
    snprintf(text, sizeof text, "%s%s%s", before, body, after);
    open_bench(&f->bench, text);
    f->bench.launch.grid[0] = blocks ? blocks : 1;
    f->bench.launch.block[0] = threads ? threads : 32;
    f->bench.launch.race = f->race = race_create();
}

static void close_found(struct found *f)
{
    race_destroy(f->race);
    close_bench(&f->bench);
}

/* NULL: the functional engine. */
static void look(struct found *f, const char *machine, const char *mechanism)
{
    char report[2048], *error = NULL;
    if (!machine) {
        run_on_engine(&f->bench);
    } else {
        uint64_t knobs[64] = {0};
        struct code *code = code_create(f->bench.launch.kernel, f->bench.image, &error);
        struct machine *m = machine_load(machine, &error);
        assert_non_null(code);
        assert_non_null(m);
        struct gpu_run run = {.machine = m, .mechanism = div_find(mechanism), .mechanism_knobs = knobs};
        struct gpu_result result;
        if (run.mechanism->knobs)
            knob_defaults(run.mechanism->knobs, knobs);
        gpu_launch(&run, &f->bench.launch, code, &result);
        f->bench.result = result.launch;
        gpu_result_free(&result);
        machine_free(m);
        code_destroy(code);
    }
    if (f->bench.result.fault.kind)
        fail_msg("%s", fault_describe(&f->bench.result.fault, report, sizeof report));
}

static void expect_races(const struct race_case *c, const char *machine, const char *mechanism)
{
    struct found f;
    open_found(&f, c->body, c->blocks, c->threads);
    look(&f, machine, mechanism);
    int row = race_count_kind(f.race, RACE_IN_ROW), block = race_count_kind(f.race, RACE_IN_BLOCK);
    int grid = race_count_kind(f.race, RACE_OF_BLOCKS);
    if (row != c->row || block != c->block || grid != c->grid) {
        struct text t = {0};
        race_print(f.race, "test", false, &t);
        fail_msg("'%s' on %s: %d, %d, %d races instead of %d, %d, %d\n%s", c->name, machine ? machine : "the engine",
                 row, block, grid, c->row, c->block, c->grid, t.data ? t.data : "");
    }
    assert_int_equal(race_count(f.race), row + block + grid);
    close_found(&f);
}

static void test_functional(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++)
        expect_races(&cases[i], NULL, NULL);
}

static void test_machines(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        bool needs_row = strstr(cases[i].body, "shfl.idx") != NULL; /* without .sync: what is together decides */
        expect_races(&cases[i], "fermi", "pdom");
        if (!needs_row)
            expect_races(&cases[i], "fermi", "mimd");
    }
}

/* ---- words ---- */

static void expect_text(const struct found *f, const char *mechanism, bool in_step, const char *const *parts)
{
    struct text t = {0};
    race_print(f->race, mechanism, in_step, &t);
    for (; *parts; parts++)
        if (!t.data || !strstr(t.data, *parts))
            fail_msg("'%s' is not in:\n%s", *parts, t.data ? t.data : "");
    text_free(&t);
}

static void test_report(void **state)
{
    (void)state;
    struct found f;
    open_found(&f, PUT GET, 2, 32);
    look(&f, NULL, NULL);
    expect_text(&f, "dwf", false,
                (const char *const[]){"race in kernel k: two threads of one row", "4 bytes of shared memory at 0x104",
                                      "byte 4 of sh", "first   block (0,0,0), thread (1,0,0), write",
                                      "st.shared.u32 [%mine], %t", "then    block (0,0,0), thread (0,0,0), read",
                                      "ld.shared.u32 %r1, [%next]", "found   64 times", "1 pair of instructions races",
                                      "relies on threads of a row executing in lock-step",
                                      "Under dwf lock-step is not guaranteed", NULL});
    expect_text(&f, "pdom", true, (const char *const[]){"pdom keeps threads in lock-step", NULL});
    close_found(&f);
}

static void test_report_of_blocks(void **state)
{
    (void)state;
    struct found f;
    struct text t = {0};
    open_found(&f, EACH "st.global.u32 [%a1], %b;\n", 2, 32);
    look(&f, NULL, NULL);
    expect_text(&f, "dwf", false,
                (const char *const[]){"threads of two blocks", "byte 0 of out",
                                      "first   block (0,0,0), thread (0,0,0), write",
                                      "then    block (1,0,0), thread (0,0,0), write", NULL});
    race_print(f.race, "dwf", false, &t);
    assert_null(strstr(t.data, "warp-synchronous")); /* only of rows */
    text_free(&t);
    close_found(&f);
}

static void test_threads_have_three_numbers(void **state)
{
    (void)state;
    struct found f;
    open_found(&f,
               "mov.u32 %r1, %tid.y;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 st.shared.u32 [sh], 1;\n"
               "@!%p1 ld.shared.u32 %r2, [sh];\n",
               1, 1);
    f.bench.launch.block[1] = 2;
    look(&f, NULL, NULL);
    expect_text(&f, "pdom", true, (const char *const[]){"thread (0,1,0), write", "thread (0,0,0), read", NULL});
    close_found(&f);
}

/* Twelve loads race with one store: ten are described. */
static void test_ten_are_described(void **state)
{
    (void)state;
    struct text body = {0}, t = {0};
    struct found f;
    text_printf(&body, "%s", PUT);
    for (int i = 0; i < 12; i++)
        text_printf(&body, "ld.shared.u32 %%r%d, [%%next];\n", i + 1);
    open_found(&f, body.data, 1, 32);
    look(&f, NULL, NULL);
    assert_int_equal(race_count(f.race), 12);
    race_print(f.race, "pdom", true, &t);
    int described = 0;
    for (const char *at = t.data; (at = strstr(at, "race in kernel")); at++)
        described++;
    assert_int_equal(described, RACE_MAX_KEPT);
    assert_non_null(strstr(t.data, "12 pairs of instructions race: 12 within rows"));
    text_free(&t);
    text_free(&body);
    close_found(&f);
}

static void test_nothing_to_say(void **state)
{
    (void)state;
    struct found f;
    struct text t = {0};
    open_found(&f, PUT "bar.sync 0;\n" GET, 1, 32);
    look(&f, NULL, NULL);
    race_print(f.race, "pdom", true, &t);
    assert_int_equal(t.length, 0);
    text_free(&t);
    close_found(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functional),
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_report_of_blocks),
        cmocka_unit_test(test_threads_have_three_numbers),
        cmocka_unit_test(test_ten_are_described),
        cmocka_unit_test(test_nothing_to_say),
    };
    return cmocka_run_group_tests_name("race", tests, NULL, NULL);
}
