/* Which set of a cache a line is in: by its number, or hashed as in Fermi's L1 data cache. */
#include "mem/cache.h"
#include "mem_bench.h"

enum { LINE = 128, SETS = 32, WAYS = 4 };

static struct cache open_cache(struct storage *storage, uint32_t sets, bool hashed)
{
    struct cache c;
    cache_open(&c, sets * WAYS * LINE, LINE, WAYS, storage);
    if (hashed)
        cache_hash_sets(&c);
    return c;
}

/* Each line of a pattern by its place in memory, and the set that the function of GPGPU-Sim 3 gives for it. */
static void test_hash(void **state)
{
    (void)state;
    static const struct {
        uint64_t address;
        size_t of_32, of_64;
    } cases[] = {
        {0, 0, 0},         {0x80, 1, 1},    {0xf80, 31, 31},  {0x1000, 0, 32}, {0x2000, 1, 1},    {0x4000, 2, 2},
        {0x8000, 4, 4},    {0x10000, 0, 0}, {0x20000, 8, 8},  {0x40000, 0, 0}, {0x80000, 16, 16}, {0x100000, 0, 0},
        {0xae000, 31, 31}, {0xaef80, 0, 0}, {0xaff80, 0, 32}, {0x2080, 0, 0},  {0x3080, 0, 32},
    };
    struct storage storage = {0};
    struct cache c = open_cache(&storage, 32, true), d = open_cache(&storage, 64, true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cache_set(&c, cases[i].address / LINE), cases[i].of_32);
        assert_int_equal(cache_set(&d, cases[i].address / LINE), cases[i].of_64);
    }
    storage_free(&storage);
}

/* The bits are those of the address, however long lines are: bit 12 chooses the half of 64 sets, not the line's bit 5. */
static void test_hash_of_short_lines(void **state)
{
    (void)state;
    struct storage storage = {0};
    struct cache c;
    cache_open(&c, 64 * WAYS * 64, 64, WAYS, &storage);
    cache_hash_sets(&c);
    assert_int_equal(cache_set(&c, 0x40 / 64), 1);
    assert_int_equal(cache_set(&c, 0x800 / 64), 0);
    assert_int_equal(cache_set(&c, 0x1000 / 64), 32);
    assert_int_equal(cache_set(&c, 0x2000 / 64), 1);
    storage_free(&storage);
}

/* Lines 8 KiB apart are in one set of 32 by their number, and in eight sets by the hash. */
static void test_hash_spreads_a_power_of_two(void **state)
{
    (void)state;
    const uint64_t stride = 8192;
    for (int hashed = 0; hashed < 2; hashed++) {
        struct mem_config config = plain_config();
        config.port[PORT_DATA].bytes = SETS * WAYS * LINE;
        config.port[PORT_DATA].line_bytes = LINE;
        config.port[PORT_DATA].ways = WAYS;
        config.l1d_sets = hashed ? SETS_HASHED : SETS_LINEAR;
        struct mem *m = mem_create(&config, 1);
        struct mem_reply r;
        uint64_t now = 0;
        for (uint64_t i = 0; i < 16; i++, now += 300) { /* two rounds over eight lines, twice the ways of a set */
            issue_load(m, now, i % 8 * stride, 1);
            mem_advance(m, now + 299);
            assert_true(mem_take_reply(m, 0, now + 299, &r));
        }
        assert_int_equal(counter(m, "l1d.hits"), hashed ? 8 : 0);
        mem_destroy(m);
    }
}

/* No two sets get the same lines: each of 32 sets has a 32nd of the lines of 1 MiB. */
static void test_hash_is_even(void **state)
{
    (void)state;
    struct storage storage = {0};
    struct cache c = open_cache(&storage, SETS, true);
    int lines[SETS] = {0};
    for (uint64_t line = 0; line < 8192; line++)
        lines[cache_set(&c, line)]++;
    for (int i = 0; i < SETS; i++)
        assert_int_equal(lines[i], 8192 / SETS);
    storage_free(&storage);
}

enum { MOST_WAYS = 24, OF_SET = 40 }; /* OF_SET: lines that share the set */

/* What the set must hold: lines in order of use, the most recently used first. */
struct uses {
    uint64_t line[MOST_WAYS];
    uint32_t count, ways;
};

/* Takes the line out; gives whether it was there. */
static bool uses_take(struct uses *u, uint64_t line)
{
    uint32_t i = 0;
    while (i < u->count && u->line[i] != line)
        i++;
    if (i == u->count)
        return false;
    memmove(&u->line[i], &u->line[i + 1], sizeof *u->line * (u->count-- - i - 1));
    return true;
}

static void uses_add(struct uses *u, uint64_t line)
{
    u->count -= u->count == u->ways;
    memmove(&u->line[1], &u->line[0], sizeof *u->line * u->count++);
    u->line[0] = line;
}

/* Lines of one set are used, brought in and dropped in any order: the line that is used least recently always goes
 * first, and places that were emptied are filled before that, with few ways and with many. */
static void test_the_least_recently_used_line_goes(void **state)
{
    (void)state;
    static const uint32_t ways[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, MOST_WAYS};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct cache c;
        struct storage storage = {0};
        struct uses u = {.ways = ways[i]};
        uint64_t random = 1, victim;
        unsigned dirty;
        cache_open(&c, 2 * ways[i] * LINE, LINE, ways[i], &storage);
        for (int step = 0; step < 20000; step++) {
            assert_in_range(c.used_count, 0, 1); /* the set is noted once, however often it is used */
            if (step % 5000 == 4999) {
                assert_int_equal(cache_clear(&c), 0);
                u.count = 0;
            }
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint64_t line = 2 * (random >> 33) % (2 * OF_SET); /* even lines: set 0 */
            int64_t place = cache_find(&c, line);
            bool is_there = uses_take(&u, line);
            assert_int_equal(place != CACHE_NOWHERE, is_there);
            if (is_there && random >> 62 == 0) {
                cache_drop(&c, place);
                continue;
            }
            if (is_there)
                assert_int_equal(cache_use(&c, line), 1);
            else
                assert_false(cache_fill(&c, line, 1, false, &victim, &dirty));
            uses_add(&u, line);
            assert_true(cache_is_newest(&c, line));
        }
        storage_free(&storage);
    }
}

static void test_config_is_checked(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    char *error = NULL;
    c.l1d_sets = SETS_HASHED;
    c.port[PORT_DATA].bytes = 0;
    assert_true(mem_config_check(&c, &error));
    c.port[PORT_DATA].bytes = c.port[PORT_DATA].line_bytes * c.port[PORT_DATA].ways * 48;
    assert_false(mem_config_check(&c, &error));
    assert_string_equal(error,
                        "l1d_sets = hashed needs 32 or 64 sets, and the data cache has 48; linear takes any number");
    free(error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_hash_of_short_lines),
        cmocka_unit_test(test_hash_spreads_a_power_of_two),
        cmocka_unit_test(test_hash_is_even),
        cmocka_unit_test(test_the_least_recently_used_line_goes),
        cmocka_unit_test(test_config_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
