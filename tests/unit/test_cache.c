/* Tags of a cache against a list in order of use: what is found, evicted and lost, of few and of many ways, before and
 * after the cache was emptied. Also the storage in which the tags are kept. */
#include "base/random.h"
#include "mem/cache.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { LINE = 128, MOST_WAYS = 24, MOST_SETS = 12, LINES = 400 };

/* The lines of a set, the most recently used one first. */
struct list_set {
    uint64_t line[MOST_WAYS];
    unsigned sectors[MOST_WAYS], dirty[MOST_WAYS];
    uint32_t count;
};

struct list_cache {
    struct list_set set[MOST_SETS];
    uint32_t sets, ways;
};

/* Number of the line in the list; -1: it is not there. */
static int list_find(const struct list_set *s, uint64_t line)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->line[i] == line)
            return (int)i;
    return -1;
}

static void list_remove(struct list_set *s, int at)
{
    for (uint32_t i = (uint32_t)at + 1; i < s->count; i++) {
        s->line[i - 1] = s->line[i];
        s->sectors[i - 1] = s->sectors[i];
        s->dirty[i - 1] = s->dirty[i];
    }
    s->count--;
}

static void list_add(struct list_set *s, uint64_t line, unsigned sectors, unsigned dirty)
{
    for (uint32_t i = s->count++; i > 0; i--) {
        s->line[i] = s->line[i - 1];
        s->sectors[i] = s->sectors[i - 1];
        s->dirty[i] = s->dirty[i - 1];
    }
    s->line[0] = line;
    s->sectors[0] = sectors;
    s->dirty[0] = dirty;
}

/* As cache_use(). */
static unsigned list_use(struct list_set *s, uint64_t line)
{
    int at = list_find(s, line);
    if (at < 0)
        return 0;
    unsigned sectors = s->sectors[at], dirty = s->dirty[at];
    list_remove(s, at);
    list_add(s, line, sectors, dirty);
    return sectors;
}

/* As cache_fill(). */
static bool list_fill(const struct list_cache *l, struct list_set *s, uint64_t line, unsigned sectors, bool dirty,
                      uint64_t *victim, unsigned *victim_dirty)
{
    int at = list_find(s, line);
    unsigned had = at < 0 ? 0 : s->sectors[at], had_dirty = at < 0 ? 0 : s->dirty[at];
    bool evicts = false;
    if (at >= 0) {
        list_remove(s, at);
    } else if (s->count == l->ways) {
        *victim = s->line[s->count - 1];
        *victim_dirty = s->dirty[s->count - 1];
        evicts = *victim_dirty != 0;
        list_remove(s, (int)s->count - 1);
    }
    list_add(s, line, had | sectors, had_dirty | (dirty ? sectors : 0));
    return evicts;
}

static uint64_t list_clear(struct list_cache *l)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < l->sets; i++) {
        for (uint32_t k = 0; k < l->set[i].count; k++)
            lost += l->set[i].dirty[k] != 0;
        l->set[i].count = 0;
    }
    return lost;
}

/* One operation on the cache and on the list. */
static void step(struct cache *c, struct list_cache *l, struct random *random)
{
    uint64_t line = random_u64(random) % LINES, victim = 0, list_victim = 0;
    unsigned sectors = 1 + (unsigned)(random_u64(random) % 15), victim_dirty = 0, list_dirty = 0;
    bool dirty = random_u64(random) % 2;
    struct list_set *s = &l->set[line % l->sets];
    int at = list_find(s, line);
    int64_t place = cache_find(c, line);
    assert_int_equal(place != CACHE_NOWHERE, at >= 0);
    assert_int_equal(cache_is_newest(c, line), at == 0);
    switch (random_u64(random) % 6) {
    case 0:
    case 1:
        assert_int_equal(cache_use(c, line), list_use(s, line));
        break;
    case 2:
        if (at >= 0) {
            cache_drop(c, place);
            list_remove(s, at);
        }
        break;
    case 3:
        if (at < 0 && s->count < l->ways) {
            cache_replace_oldest(c, cache_key_of(c, line), line, sectors);
            list_add(s, line, sectors, 0);
        }
        break;
    default:
        assert_int_equal(cache_fill(c, line, sectors, dirty, &victim, &victim_dirty),
                         list_fill(l, s, line, sectors, dirty, &list_victim, &list_dirty));
        assert_int_equal(list_dirty ? victim : 0, list_dirty ? list_victim : 0);
        assert_int_equal(victim_dirty & (list_dirty ? ~0u : 0), list_dirty);
    }
}

static void test_against_a_list(void **state)
{
    (void)state;
    static const uint32_t ways[] = {1, 2, 3, 4, 5, 8, 16, MOST_WAYS}, sets[] = {1, 4, MOST_SETS};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (size_t n = 0; n < sizeof sets / sizeof *sets; n++) {
            struct storage storage = {0};
            struct cache c;
            struct list_cache l = {.sets = sets[n], .ways = ways[w]};
            struct random random = {w * 16 + n + 1};
            cache_open(&c, sets[n] * ways[w] * LINE, LINE, ways[w], &storage);
            for (int i = 0; i < 20000; i++) {
                step(&c, &l, &random);
                if (random_u64(&random) % 500 == 0)
                    assert_int_equal(cache_clear(&c), list_clear(&l));
            }
            storage_free(&storage);
        }
}

/* Line 0 has the mark 0 and lies in a set of zeros: it is there only after it was put there. */
static void test_line_zero(void **state)
{
    (void)state;
    for (uint32_t ways = 1; ways <= 16; ways *= 2) {
        struct storage storage = {0};
        struct cache c;
        cache_open(&c, 4 * ways * LINE, LINE, ways, &storage);
        assert_int_equal(cache_find(&c, 0), CACHE_NOWHERE);
        assert_false(cache_is_newest(&c, 0));
        cache_replace_oldest(&c, cache_key_of(&c, 0), 0, 1);
        assert_int_equal(cache_use(&c, 0), 1);
        assert_int_equal(cache_clear(&c), 0);
        assert_int_equal(cache_find(&c, 0), CACHE_NOWHERE);
        storage_free(&storage);
    }
}

/* A cache without sets never holds a line. */
static void test_no_cache(void **state)
{
    (void)state;
    struct storage storage = {0};
    struct cache c;
    uint64_t victim;
    unsigned dirty;
    cache_open(&c, 0, LINE, 4, &storage);
    assert_false(cache_fill(&c, 0, 1, true, &victim, &dirty));
    assert_int_equal(cache_use(&c, 0), 0);
    assert_int_equal(cache_clear(&c), 0);
    storage_free(&storage);
}

/* Blocks are zeroed, begin at lines of the host and do not overlap, whether they are small or larger than a chunk. */
static void test_zeros(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 100000, 4 << 20, 3, (4 << 20) - 64, 9 << 20, 128};
    struct storage z = {0};
    for (int round = 0; round < 2; round++) {
        uint8_t *block[sizeof sizes / sizeof *sizes];
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            block[i] = storage_alloc(&z, sizes[i]);
            assert_int_equal((uintptr_t)block[i] % 64, 0);
            for (size_t k = 0; k < sizes[i]; k++)
                if (block[i][k])
                    fail_msg("byte %zu of block %zu is not zero", k, i);
            memset(block[i], (int)i + 1, sizes[i]);
        }
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizes[i]; k++)
                if (block[i][k] != i + 1)
                    fail_msg("byte %zu of block %zu was overwritten", k, i);
        storage_free(&z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_a_list),
        cmocka_unit_test(test_line_zero),
        cmocka_unit_test(test_no_cache),
        cmocka_unit_test(test_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
