/*
 * Rows of words (exec/words.h): lanes in groups side by side, in groups at one place, and at random places get the words
 * that each would get by itself; rows with a word out of bounds or misaligned are left alone. A host without AVX2 leaves
 * all rows alone.
 */
#include "exec/words.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 32, WORDS = 512, BYTES = 4 * WORDS, ADD = 64, SHAPES = 6 };

struct row {
    uint32_t memory[WORDS], values[LANES];
    uint32_t narrow[LANES]; /* registers, of which each lacks ADD */
    uint64_t wide[LANES];
};

/* The word of a lane, by the row's shape: whole rows, groups of eight and of sixteen, and lanes by themselves. */
static uint32_t word_of(struct random *r, int shape, int lane, uint32_t base)
{
    switch (shape) {
    case 0:
        return base + (uint32_t)lane;
    case 1:
        return base;
    case 2:
        return base + (uint32_t)(lane & 7) + 40 * (uint32_t)(3 - lane / 8);
    case 3:
        return base + 37 * (uint32_t)(lane / 16);
    case 4: /* one lane is apart */
        return base + (lane == 27 ? 3 : (uint32_t)lane);
    default:
        return (uint32_t)(random_u64(r) % WORDS);
    }
}

static void make_row(struct row *row, struct random *r, int shape)
{
    const uint32_t base = (uint32_t)(random_u64(r) % (WORDS - 160));
    for (int i = 0; i < WORDS; i++)
        row->memory[i] = (uint32_t)random_u64(r);
    for (int i = 0; i < LANES; i++) {
        row->values[i] = (uint32_t)random_u64(r);
        row->narrow[i] = 4 * word_of(r, shape, i, base) - ADD;
        row->wide[i] = (uint64_t)(row->narrow[i] + ADD) - ADD;
    }
}

static uint32_t word_at(const struct row *row, int lane)
{
    return row->memory[(row->narrow[lane] + ADD) / 4];
}

static void test_loads(void **state)
{
    (void)state;
    struct random r = {.state = 5};
    struct row row;
    for (int n = 0; n < 100 * SHAPES; n++) {
        const uint32_t mask = (uint32_t)random_u64(&r) | 1u << n % LANES;
        uint32_t narrow[LANES], wide[LANES], some[LANES] = {0};
        make_row(&row, &r, n % SHAPES);
        const uint8_t *memory = (const uint8_t *)row.memory;
        if (!words_load_narrow(narrow, memory, BYTES, row.narrow, ADD))
            skip();
        assert_true(words_load_wide(wide, memory, BYTES, row.wide, ADD));
        for (int i = 0; i < LANES; i++) {
            assert_int_equal(narrow[i], word_at(&row, i));
            assert_int_equal(wide[i], word_at(&row, i));
            if (!(mask >> i & 1))
                row.wide[i] = UINT64_MAX; /* is not looked at */
        }
        assert_true(words_load_some(some, memory, BYTES, row.wide, ADD, mask));
        for (int i = 0; i < LANES; i++)
            assert_int_equal(some[i], mask >> i & 1 ? word_at(&row, i) : 0);
        /* The destination may be the address register. */
        assert_true(words_load_narrow(row.narrow, memory, BYTES, row.narrow, ADD));
        assert_memory_equal(row.narrow, narrow, sizeof narrow);
    }
}

static void test_stores(void **state)
{
    (void)state;
    struct random r = {.state = 6};
    struct row row;
    for (int n = 0; n < 100 * SHAPES; n++) {
        uint32_t narrow[WORDS], expected[WORDS];
        make_row(&row, &r, n % SHAPES);
        memcpy(narrow, row.memory, sizeof narrow);
        memcpy(expected, row.memory, sizeof expected);
        for (int i = 0; i < LANES; i++)
            expected[(row.narrow[i] + ADD) / 4] = row.values[i];
        if (!words_store_narrow(row.values, (uint8_t *)narrow, BYTES, row.narrow, ADD))
            skip();
        assert_true(words_store_wide(row.values, (uint8_t *)row.memory, BYTES, row.wide, ADD));
        assert_memory_equal(narrow, expected, sizeof expected);
        assert_memory_equal(row.memory, expected, sizeof expected);
    }
}

/* Stores of some lanes. The registers of the others say nothing, or are those of the row. */
static void test_stores_of_some(void **state)
{
    (void)state;
    struct random r = {.state = 8};
    struct row row;
    for (int n = 0; n < 200 * SHAPES; n++) {
        const uint32_t mask = (uint32_t)random_u64(&r) & (n % 5 ? UINT32_MAX : 0xff00u);
        uint32_t narrow[WORDS], expected[WORDS];
        make_row(&row, &r, n % SHAPES);
        if (!words_load_narrow(narrow, (const uint8_t *)row.memory, BYTES, row.narrow, ADD))
            skip();
        memcpy(narrow, row.memory, sizeof narrow);
        memcpy(expected, row.memory, sizeof expected);
        for (int i = 0; i < LANES; i++) {
            if (mask >> i & 1)
                expected[(row.narrow[i] + ADD) / 4] = row.values[i];
            else if (n % 7 == 0)
                row.wide[i] = row.narrow[i] = UINT32_MAX - 2;
        }
        assert_true(words_store_some_narrow(row.values, (uint8_t *)narrow, BYTES, row.narrow, ADD, mask));
        assert_true(words_store_some_wide(row.values, (uint8_t *)row.memory, BYTES, row.wide, ADD, mask));
        assert_memory_equal(narrow, expected, sizeof expected);
        assert_memory_equal(row.memory, expected, sizeof expected);
    }
}

/* One lane's word is misaligned, ends behind the memory, or lies far behind or before it. */
static void test_rows_left_alone(void **state)
{
    (void)state;
    static const uint32_t wrong[] = {2 - ADD, BYTES - ADD, BYTES - ADD - 2, 0x80000000u, (uint32_t)-ADD - 4};
    struct random r = {.state = 7};
    struct row row;
    for (int n = 0; n < 5 * LANES; n++) {
        const int lane = n / 5;
        uint32_t to[LANES] = {0}, before[WORDS];
        make_row(&row, &r, n % SHAPES);
        row.narrow[lane] = wrong[n % 5];
        row.wide[lane] = (uint64_t)(int64_t)(int32_t)wrong[n % 5];
        memcpy(before, row.memory, sizeof before);
        assert_false(words_load_narrow(to, (const uint8_t *)row.memory, BYTES, row.narrow, ADD));
        assert_false(words_load_wide(to, (const uint8_t *)row.memory, BYTES, row.wide, ADD));
        assert_false(words_load_some(to, (const uint8_t *)row.memory, BYTES, row.wide, ADD, 1u << lane | 1));
        assert_false(words_store_narrow(row.values, (uint8_t *)row.memory, BYTES, row.narrow, ADD));
        assert_false(words_store_wide(row.values, (uint8_t *)row.memory, BYTES, row.wide, ADD));
        assert_false(
            words_store_some_narrow(row.values, (uint8_t *)row.memory, BYTES, row.narrow, ADD, 1u << lane | 1));
        assert_false(words_store_some_wide(row.values, (uint8_t *)row.memory, BYTES, row.wide, ADD, 1u << lane | 1));
        assert_memory_equal(row.memory, before, sizeof before);
        for (int i = 0; i < LANES; i++)
            assert_int_equal(to[i], 0);
    }
    assert_false(words_load_narrow(row.values, (const uint8_t *)row.memory, 2, row.narrow, ADD));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads), cmocka_unit_test(test_stores),
                                       cmocka_unit_test(test_stores_of_some), cmocka_unit_test(test_rows_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
