/* The thread compactor against its definition, thread by thread, for all widths, rows and mappings of home slots. */
#include "base/random.h"
#include "div/parts/compact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct machine {
    struct div_host host; /* first */
    bool swizzles;
};

static unsigned slot_of(const struct div_host *h, int32_t row, int lane)
{
    unsigned thread = (unsigned)row * 32 + (unsigned)lane, width = (unsigned)h->facts.width;
    return (thread + (((const struct machine *)h)->swizzles ? thread / width : 0)) % width;
}

static uint64_t slots(struct div_host *h, int32_t row, uint32_t lanes)
{
    uint64_t all = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        all |= UINT64_C(1) << slot_of(h, row, bits_lowest(left));
    return all;
}

static struct machine machine_of(int width, bool swizzles)
{
    bool are_lanes = width == 32 && !swizzles;
    return (struct machine){{.facts = {.width = width, .slots_are_lanes = are_lanes}, .calls = {.slots = slots}},
                            swizzles};
}

/* The n-th thread of a slot, counted from 0, is in the n-th warp, and nothing else is. */
static void expect_by_definition(struct div_host *h, const struct block_mask *m, int32_t first_row, int rows,
                                 const struct threads *warps, int count)
{
    int before[64] = {0}, most = 0, size = 0, packed = 0;
    for (int r = 0; r < rows; r++)
        for (int lane = 0; lane < 32; lane++)
            if (m->lanes[r] >> lane & 1) {
                int warp = before[slot_of(h, first_row + r, lane)]++;
                assert_in_range(warp, 0, count - 1);
                assert_true(threads_of_row(&warps[warp], first_row + r) >> lane & 1);
                most = warp + 1 > most ? warp + 1 : most;
                size++;
            }
    assert_int_equal(count, most);
    for (int i = 0; i < count; i++)
        packed += threads_size(&warps[i]);
    assert_int_equal(packed, size);
}

static void packs_the_nth_thread_of_each_slot_into_the_nth_warp(void **state)
{
    (void)state;
    static struct threads warps[COMPACT_MAX_ROWS * 32];
    struct random random = {7};
    for (int round = 0; round < 2000; round++) {
        int width = 1 << random_u64(&random) % 7, rows = 1 + (int)(random_u64(&random) % COMPACT_MAX_ROWS);
        int32_t first_row = (int32_t)(random_u64(&random) % 9);
        struct machine machine = machine_of(width, random_u64(&random) & 1);
        struct block_mask m = {{0}};
        unsigned density = random_u64(&random) % 4;
        for (int r = 0; r < rows; r++) {
            m.lanes[r] = (uint32_t)random_u64(&random);
            for (unsigned k = 0; k < density; k++)
                m.lanes[r] &= (uint32_t)random_u64(&random);
            m.lanes[r] |= density == 3 ? 0 : random_u64(&random) % 3 == 0 ? UINT32_MAX : 0;
        }
        int count = compact_threads(&machine.host, &m, first_row, rows, warps);
        assert_int_equal(compact_count(&machine.host, &m, first_row, rows), count);
        expect_by_definition(&machine.host, &m, first_row, rows, warps, count);
    }
}

/* Figure 7 of the paper: threads 2, 3, 4, 5 and 8. */
static void threads_keep_their_lanes(void **state)
{
    (void)state;
    struct machine machine = machine_of(4, false);
    struct threads warps[2];
    struct block_mask m = {{0x9e}};
    assert_int_equal(compact_threads(&machine.host, &m, 0, 1, warps), 2);
    assert_int_equal(threads_of_row(&warps[0], 0), 0x1e);
    assert_int_equal(threads_of_row(&warps[1], 0), 0x80);
}

/* Lane 0 of every warp: nothing can be packed, unless lanes are turned from warp to warp. */
static void turned_lanes_let_aligned_threads_share_a_warp(void **state)
{
    (void)state;
    struct machine plain = machine_of(8, false), turned = machine_of(8, true);
    struct block_mask m = {{0x01010101}};
    assert_int_equal(compact_count(&plain.host, &m, 0, 1), 4);
    assert_int_equal(compact_count(&turned.host, &m, 0, 1), 1);
}

/* With nobody missing, packing is the grouping at launch. */
static void a_full_mask_gives_static_warps(void **state)
{
    (void)state;
    static struct threads packed[1024], fixed[1024];
    for (int width = 1; width <= 64; width *= 2) {
        struct machine machine = machine_of(width, false);
        struct block_mask m;
        memset(&m, 0xff, sizeof m);
        int count = compact_threads(&machine.host, &m, 2, 6, packed);
        assert_int_equal(count, 6 * 32 / width);
        assert_int_equal(compact_static(&machine.host, &m, 2, 6, fixed), count);
        assert_int_equal(compact_static_count(&machine.host, &m, 6), count);
        for (int i = 0; i < count; i++)
            for (int r = 2; r < 8; r++)
                assert_int_equal(threads_of_row(&packed[i], r), threads_of_row(&fixed[i], r));
    }
}

static void static_warps_without_threads_are_left_out(void **state)
{
    (void)state;
    struct threads warps[8];
    struct machine machine = machine_of(8, false), wide = machine_of(64, false);
    struct block_mask m = {{0x00ff0001, 0, 0x80000000}};
    assert_int_equal(compact_static(&machine.host, &m, 5, 3, warps), 3);
    assert_int_equal(compact_static_count(&machine.host, &m, 3), 3);
    assert_int_equal(threads_of_row(&warps[0], 5), 1);
    assert_int_equal(threads_of_row(&warps[1], 5), 0x00ff0000);
    assert_int_equal(threads_of_row(&warps[2], 7), 0x80000000);
    assert_int_equal(compact_static(&wide.host, &m, 5, 3, warps), 2);
    assert_int_equal(compact_static_count(&wide.host, &m, 3), 2);
}

static void masks_add_and_remove_threads(void **state)
{
    (void)state;
    struct block_mask m = {{0}}, other = {{0, 0xf0}};
    struct threads t = {2, {{4, 0xff}, {5, 0x0f}}}, half = {1, {{4, 0x0f}}};
    assert_true(block_mask_is_empty(&m, 3));
    block_mask_add(&m, 3, &t);
    assert_int_equal(m.lanes[1], 0xff);
    assert_int_equal(m.lanes[2], 0x0f);
    block_mask_remove(&m, 3, &half);
    assert_int_equal(m.lanes[1], 0xf0);
    block_mask_subtract(&m, &other, 3);
    assert_int_equal(m.lanes[1], 0);
    assert_int_equal(m.lanes[2], 0x0f);
    block_mask_unite(&m, &other, 3);
    assert_int_equal(m.lanes[1], 0xf0);
    assert_false(block_mask_is_empty(&m, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_the_nth_thread_of_each_slot_into_the_nth_warp),
        cmocka_unit_test(threads_keep_their_lanes),
        cmocka_unit_test(turned_lanes_let_aligned_threads_share_a_warp),
        cmocka_unit_test(a_full_mask_gives_static_warps),
        cmocka_unit_test(static_warps_without_threads_are_left_out),
        cmocka_unit_test(masks_add_and_remove_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
