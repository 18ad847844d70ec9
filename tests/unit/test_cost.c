/* Hardware cost: every mechanism says what it costs, and the figures that the papers print come out of the formulas. */
#include "div/cost.h"
#include "div/parts/cost.h"
#include "div/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The machine of Zhang et al., 2016 (Table 1), on which Rhu and Erez ran dual-path execution too. */
static const struct cost_machine fermi = {.threads = 1536,
                                          .warps = 48,
                                          .warp_width = 32,
                                          .simd_width = 16,
                                          .blocks = 8,
                                          .block_warps = 32,
                                          .stack_entries = 32,
                                          .ibuffer_entries = 2,
                                          .tracks_registers = true,
                                          .sm_count = 15};

static struct cost_sum sum_with(const char *name, const struct cost_machine *machine, const char *knob,
                                const char *value)
{
    const struct div_ops *m = div_find(name);
    struct cost_sum sum;
    uint64_t knobs[64] = {0};
    char *error = NULL;
    if (m->knobs)
        knob_defaults(m->knobs, knobs);
    if (knob)
        assert_true(knob_set(m->knobs, knobs, knob, value, &error));
    assert_true(cost_sum(m, machine, m->knobs ? knobs : NULL, &sum));
    return sum;
}

static struct cost_sum sum_of(const char *name)
{
    return sum_with(name, &fermi, NULL, NULL);
}

static const struct cost_term *term_of(const struct cost_sum *sum, const char *name)
{
    for (int i = 0; i < sum->cost.count; i++)
        if (!strcmp(sum->cost.terms[i].name, name))
            return &sum->cost.terms[i];
    fail_msg("there is no term '%s'", name);
    return NULL;
}

static double bits_of(const struct cost_sum *sum, const char *name)
{
    const struct cost_term *t = term_of(sum, name);
    return t->count * t->each;
}

#define assert_number(a, b) assert_float_equal(a, b, 1e-9)

static void every_mechanism_has_a_cost(void **state)
{
    (void)state;
    for (const struct div_ops *const *m = div_all(); *m; m++) {
        if (!(*m)->cost)
            fail_msg("%s does not say what it costs: give its div_ops a `cost`", (*m)->name);
        struct cost_sum sum = sum_of((*m)->name);
        if (sum.cost.none) {
            assert_int_equal(sum.cost.count, 0);
            continue;
        }
        assert_true(sum.bits > 0);
        for (int i = 0; i < sum.cost.count; i++) {
            const struct cost_term *t = &sum.cost.terms[i];
            assert_true(t->count > 0 && *t->formula && *t->source);
            assert_ptr_equal(t, term_of(&sum, t->name)); /* no name comes twice */
        }
    }
}

static void ideal_machines_cost_nothing(void **state)
{
    (void)state;
    assert_non_null(sum_of("mimd").cost.none);
    assert_non_null(sum_of("bound").cost.none);
    assert_null(sum_of("pdom").cost.none);
}

static void the_baseline_is_pdom(void **state)
{
    (void)state;
    struct cost_sum sum = sum_of("pdom");
    assert_number(bits_of(&sum, "warp stacks"), 48 * 32 * 96);
    assert_number(bits_of(&sum, "scoreboards"), 48 * 56);
    assert_number(bits_of(&sum, "instruction buffers"), 48 * 2 * 128);
    assert_number(sum.bits, sum.baseline);
    struct cost_machine machine = fermi;
    machine.stack_entries = 11;
    sum = sum_with("pdom", &machine, NULL, NULL);
    assert_number(bits_of(&sum, "warp stacks"), 48 * 11 * 96);
    assert_number(sum.bits, sum.baseline);
    sum = sum_with("pdom", &fermi, "stack_entries", "16");
    assert_number(bits_of(&sum, "warp stacks"), 48 * 16 * 96);
    assert_true(sum.bits < sum.baseline);
}

/* Rogers et al., ISCA 2015, Table 2: a scoreboard of 1800 bits and 4 Kbit of instruction buffers for 32 warps. */
static void the_front_end_is_that_of_table_2(void **state)
{
    (void)state;
    struct cost_machine machine = fermi;
    machine.warps = 32;
    machine.threads = 1024;
    machine.ibuffer_entries = 1;
    struct cost_sum sum = sum_with("pdom", &machine, NULL, NULL);
    assert_number(bits_of(&sum, "scoreboards"), 1792);
    assert_number(bits_of(&sum, "instruction buffers"), 4096);
    machine.tracks_registers = false; /* HPCA 2011, section 2.2: one instruction of a warp in flight */
    sum = sum_with("pdom", &machine, NULL, NULL);
    assert_number(bits_of(&sum, "scoreboards"), 32);
}

/* Rhu and Erez, HPCA 2013, section 6.5: 160 bits against 96; 11 and 7 entries; shadow bits 7 to 14 %. */
static void dual_paths_cost_what_the_slides_say(void **state)
{
    (void)state;
    struct cost_machine machine = fermi;
    machine.stack_entries = 11;
    struct cost_sum dpe = sum_with("dpe", &machine, NULL, NULL), pdom = sum_with("pdom", &machine, NULL, NULL);
    assert_number(term_of(&dpe, "single-path entry")->count, 96);
    assert_number(term_of(&dpe, "dual-path entry")->count, 160);
    assert_number(term_of(&pdom, "warp stacks")->each, 96);
    assert_number(term_of(&dpe, "dual-path stacks")->each, 160);
    assert_number(term_of(&dpe, "dual-path stacks")->count, 48 * 7);
    assert_number(term_of(&dpe, "stack, single, as used")->count, 1056);
    assert_number(term_of(&dpe, "stack, dual, as used")->count, 1120);
    assert_float_equal(term_of(&dpe, "shadow bits, most")->count, 14.3, 0.05);
    assert_float_equal(term_of(&dpe, "shadow bits, least")->count, 7.1, 0.05);
    assert_number(bits_of(&dpe, "scoreboards"), 2 * bits_of(&pdom, "scoreboards"));
    assert_number(bits_of(&dpe, "instruction buffers"), 2 * bits_of(&pdom, "instruction buffers"));
    assert_number(bits_of(&dpe, "shadow bits") / bits_of(&dpe, "scoreboards"), 1 / 7.0);
    /* section 7: a stack in software keeps its reconvergence points there */
    dpe = sum_with("dpe", &machine, "stack", "software");
    assert_number(term_of(&dpe, "dual-path stacks")->each, 128);
}

/* Zhang et al., 2016, section 4.2.5: 4 bits per entry, 16 bytes per stack of 32, 128 bytes for 8 blocks. */
static void two_stages_add_128_bytes(void **state)
{
    (void)state;
    struct cost_sum tstbc = sum_of("tstbc"), capri = sum_of("capri");
    assert_number(term_of(&tstbc, "wcnt, per stack")->count, 16);
    assert_number(term_of(&tstbc, "wcnt, per multiprocessor")->count, 128);
    assert_number(bits_of(&tstbc, "warp counts"), 128 * 8);
    assert_true(tstbc.bits < capri.bits); /* the same section: no history table, so less than capri */
    assert_number(term_of(&capri, "history table")->count, 32);
    assert_number(term_of(&capri, "history table")->each, 1 + 32 - 3 + 1);
    assert_number(term_of(&tstbc, "lane counter")->count, 32);
}

/* Fung and Aamodt, HPCA 2011, section 7: masks take no more bits than warp stacks have, encoders of 32 bits suffice for
 * blocks of 1024 threads, and their area is far below 1 mm2. */
static void block_stacks_have_as_many_mask_bits_as_warp_stacks(void **state)
{
    (void)state;
    struct cost_sum tbc = sum_of("tbc"), lcp = sum_of("tbc-lcp");
    assert_number(bits_of(&tbc, "mask array"), 48 * 32 * 32);
    assert_number(term_of(&tbc, "mask array")->each, 1536);
    assert_number(term_of(&tbc, "priority encoder")->count, 32);
    assert_number(term_of(&tbc, "priority encoder")->each, 32);
    assert_number(bits_of(&tbc, "warp buffer ids"), 48 * 32 * 5);
    assert_number(bits_of(&tbc, "block stacks"), 8 * 32 * 64);
    assert_number(bits_of(&tbc, "warp counts"), 8 * 32 * 6);
    assert_number(bits_of(&tbc, "compactor masks"), 1024);
    assert_true(tbc.cost.has_area && tbc.cost.area_is_bound);
    assert_number(tbc.cost.area_mm2, 1);
    assert_number(lcp.bits - tbc.bits, 8 * 32 * (32 + 5)); /* section 4: LPC and LPos */
    struct cost_machine machine = fermi;
    machine.block_warps = 64; /* wider encoders than the paper's: it gives no area for them */
    assert_false(sum_with("tbc", &machine, NULL, NULL).cost.has_area);
}

static void slices_multiply_stacks_scoreboards_and_buffers(void **state)
{
    (void)state;
    struct cost_machine machine = fermi;
    machine.warps = 32, machine.threads = 1024, machine.ibuffer_entries = 1;
    machine.l0_bytes = 256, machine.l1i_bytes = 64 << 10;
    struct cost_sum vws = sum_with("vws", &machine, "fetch_ports", "2");
    assert_number(bits_of(&vws, "slice stacks"), 256 * 32 * 68);
    assert_number(bits_of(&vws, "slice scoreboards"), 8 * 1792);
    assert_number(bits_of(&vws, "slice buffers"), 8 * 4096);
    assert_number(bits_of(&vws, "L0 caches"), 8 * 2048);
    assert_number(bits_of(&vws, "gang table"), 128 * 64);
    assert_float_equal(vws.cost.area_percent, 10.8, 0.05); /* Table 2: 11 % of a multiprocessor, 5 % of the GPU */
    assert_float_equal(term_of(&vws, "share of the GPU")->count, 4.9, 0.05);
    struct cost_sum pairs = sum_with("vws", &machine, "width", "2"); /* 16 slices: twice the gangs, masks of 16 bits */
    assert_number(bits_of(&pairs, "gang table"), 256 * 80);
    struct cost_sum ws = sum_with("ws", &machine, "width", "8");
    assert_number(bits_of(&ws, "slice scoreboards"), 4 * 1792);
    ws = sum_with("ws", &machine, "width", "32");
    assert_number(bits_of(&ws, "slice stacks"), 32 * 32 * 96);
    machine.warp_width = 4; /* a warp that is narrower than a slice */
    ws = sum_with("ws", &machine, "width", "16");
    assert_number(term_of(&ws, "slice front end")->count, 1);
}

/* A machine with an L0 for whole warps has it under every mechanism; slices have one each in its place. */
static void an_l0_of_the_machine_is_no_cost_of_the_mechanism(void **state)
{
    (void)state;
    struct cost_machine machine = fermi;
    machine.l0_bytes = 1024, machine.has_l0 = true;
    for (const struct div_ops *const *m = div_all(); *m; m++) {
        struct cost_sum without = sum_of((*m)->name), with = sum_with((*m)->name, &machine, NULL, NULL);
        bool is_sliced = !strcmp((*m)->name, "ws") || !strcmp((*m)->name, "vws");
        if (!with.cost.none)
            assert_number(with.bits - without.bits, (is_sliced ? 8 : 1) * 8192);
    }
    struct cost_sum pdom = sum_with("pdom", &machine, NULL, NULL);
    assert_number(bits_of(&pdom, "L0 cache"), 8192);
}

static void knobs_size_the_tables(void **state)
{
    (void)state;
    struct cost_sum dws = sum_with("dws", &fermi, "entries", "8");
    assert_number(bits_of(&dws, "warp-split table"), 8 * (96 + 6));
    struct cost_sum dwf = sum_with("dwf", &fermi, "lut_entries", "64"), wb = sum_of("dwf-wb");
    assert_number(bits_of(&dwf, "PC-warp LUT"), 64 * (32 + 11 + 32));
    assert_number(bits_of(&dwf, "warp pool"), 1536 * (32 + 32 * 6 + 32 + 6));
    assert_number(bits_of(&wb, "warp barriers"), 48 * (1 + 32 + 32));
    struct cost_sum lwm = sum_with("lwm", &fermi, "warps", "4");
    assert_number(bits_of(&lwm, "large-warp stacks"), 12 * 32 * (64 + 128));
    struct cost_sum volta = sum_of("volta"), multipath = sum_of("multipath"), frontiers = sum_of("frontiers");
    assert_number(bits_of(&volta, "barrier registers"), 48 * 16 * 32);
    assert_number(bits_of(&volta, "thread PCs"), 1536 * 32);
    assert_number(bits_of(&volta, "thread states"), 1536 * 5);
    assert_number(bits_of(&frontiers, "thread PCs"), 1536 * 32);
    assert_number(bits_of(&multipath, "split tables"), 48 * 32 * (64 + 32 + 5));
}

static void a_mechanism_without_a_cost_is_told(void **state)
{
    (void)state;
    struct div_ops silent = *div_find("pdom");
    struct cost_sum sum;
    silent.cost = NULL;
    assert_false(cost_sum(&silent, &fermi, NULL, &sum));
}

static void bits_hold_numbers_below_the_count(void **state)
{
    (void)state;
    static const uint32_t counts[][2] = {{1, 0},  {2, 1},  {3, 2},     {32, 5},
                                         {33, 6}, {48, 6}, {1536, 11}, {UINT32_MAX, 32}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_int_equal(cost_bits(counts[i][0]), counts[i][1]);
    assert_int_equal(cost_dual_entries(11), 7);
    assert_int_equal(cost_dual_entries(32), 21);
    assert_int_equal(cost_dual_entries(1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mechanism_has_a_cost),
        cmocka_unit_test(ideal_machines_cost_nothing),
        cmocka_unit_test(the_baseline_is_pdom),
        cmocka_unit_test(the_front_end_is_that_of_table_2),
        cmocka_unit_test(dual_paths_cost_what_the_slides_say),
        cmocka_unit_test(two_stages_add_128_bytes),
        cmocka_unit_test(block_stacks_have_as_many_mask_bits_as_warp_stacks),
        cmocka_unit_test(slices_multiply_stacks_scoreboards_and_buffers),
        cmocka_unit_test(an_l0_of_the_machine_is_no_cost_of_the_mechanism),
        cmocka_unit_test(knobs_size_the_tables),
        cmocka_unit_test(a_mechanism_without_a_cost_is_told),
        cmocka_unit_test(bits_hold_numbers_below_the_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
