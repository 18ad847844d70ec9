/* Energy of a launch: events times energies per event, to the picojoule. */
#include "mem/stats.h"
#include "report/energy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Four warps, so that buffers, scoreboards and the scheduler are small; instructions of 8 bytes. */
static struct machine machine_of(void)
{
    struct machine m = {
        .sm = {.max_threads = 128, .warp_width = 32, .instruction_bytes = 8, .l0_bytes = 512, .ibuffer_entries = 1},
        .mem = {.l2_bytes = 131072}};
    m.mem.port[PORT_INSTRUCTION].bytes = 32768;
    m.mem.port[PORT_INSTRUCTION].line_bytes = 128;
    return m;
}

/* A multiplication that reads two registers of 32 bits and writes one of 64, and a branch with a guard. */
static struct ref sources[] = {
    {.kind = REF_PLANE, .bits = 32}, {.kind = REF_PLANE, .bits = 32}, {.kind = REF_IMMEDIATE}};
static struct ref dests[] = {{.kind = REF_PLANE, .bits = 64}, {.kind = REF_PLANE, .bits = 1}};
static struct insn insns[] = {
    {.class = CLASS_IMUL, .dest_count = 2, .source_count = 3, .dest = dests, .source = sources},
    {.class = CLASS_BRANCH},
};

static void the_front_end_by_its_events(void **state)
{
    (void)state;
    struct machine m = machine_of();
    uint64_t port[256] = {0};
    struct gpu_result result = {.sm = {.fetches = 100,
                                       .l0_hits = 60,
                                       .l0_misses = 10,
                                       .decodes = 100,
                                       .buffer_fills = 300,
                                       .warp_instructions = 90,
                                       .syncs = 10},
                                .part_count = 1};
    const struct stat_owner *owner = &mem_port_owner[PORT_INSTRUCTION];
    assert_true(owner->bytes <= sizeof port);
    for (int i = 0; i < owner->count; i++)
        if (!strcmp(owner->counters[i].name, "misses"))
            port[owner->counters[i].offset / sizeof *port] = 5;
        else if (!strcmp(owner->counters[i].name, "merges"))
            port[owner->counters[i].offset / sizeof *port] = 3;
    result.parts[0] = (struct stat_value){owner, port};
    struct program p = {.insn_count = 0};
    struct energy e = energy_of(&m, &p, &result);
    assert_int_equal(e.l0, 80 * 20 / 8);           /* 512 bytes: an eighth of 32 KB's */
    assert_int_equal(e.l1, 40 * 20 + 2 * 16 * 20); /* fetches, and two lines of 16 words */
    assert_int_equal(e.l2, 2 * 16 * 40);           /* 128 KB: twice 32 KB's */
    assert_int_equal(e.decode, 100 * 39);
    /* 64 bytes of buffers, two words each way, and 28 bytes of scoreboards */
    assert_int_equal(e.slices, llround(300 * (4 * 20 * sqrt(64 / 32768.0) + 20 * sqrt(28 / 32768.0))));
    assert_int_equal(e.picks, llround(100 * 20 * sqrt(32 / 32768.0)));
    assert_int_equal(e.registers + e.lanes, 0);
}

static void the_back_end_by_threads_of_each_instruction(void **state)
{
    (void)state;
    struct machine m = machine_of();
    struct site sites[] = {{.issues = 2, .threads = 50}, {.issues = 2, .threads = 40}};
    struct gpu_result result = {.sites = sites, .site_count = 2};
    struct program p = {.insn_count = 2, .insns = insns};
    struct energy e = energy_of(&m, &p, &result);
    assert_int_equal(e.registers, 50 * 4 * 2); /* two sources and a result of two; predicates are not in the file */
    assert_int_equal(e.lanes, 50 * 31 / 10 + 40 / 10);
    assert_int_equal(e.l0 + e.l1 + e.l2 + e.decode + e.slices + e.picks, 0); /* nothing was fetched */
}

/* Floating-point units cost what their own figures say. */
static void lanes_cost_by_class(void **state)
{
    (void)state;
    static const struct {
        uint8_t class;
        unsigned tenths;
    } cases[] = {{CLASS_INT, 1},  {CLASS_IDIV, 31},  {CLASS_FP32, 37},  {CLASS_SFU, 37}, {CLASS_FDIV, 37},
                 {CLASS_CVT, 37}, {CLASS_FP64, 500}, {CLASS_DDIV, 500}, {CLASS_LOAD, 1}};
    struct machine m = machine_of();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct insn in = {.class = cases[i].class};
        struct site site = {.issues = 1, .threads = 10};
        struct energy e = energy_of(&m, &(struct program){.insn_count = 1, .insns = &in},
                                    &(struct gpu_result){.sites = &site, .site_count = 1});
        assert_int_equal(e.lanes, cases[i].tenths);
    }
}

/* Every figure has a value, a meaning and a source. */
static void figures_have_sources(void **state)
{
    (void)state;
    assert_non_null(energy_figures[0].name);
    for (const struct energy_figure *f = energy_figures; f->name; f++) {
        assert_true(f->picojoules > 0);
        assert_true(*f->meaning && *f->source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_front_end_by_its_events),
        cmocka_unit_test(the_back_end_by_threads_of_each_instruction),
        cmocka_unit_test(lanes_cost_by_class),
        cmocka_unit_test(figures_have_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
