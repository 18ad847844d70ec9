/* Memory: lookups give what a plain list gives, whatever was freed before, freeing does not cost more with more there, and
 * clones are equal. */
#include "device/memory.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { BLOCKS = 200, HOST_BYTES = 1 << 16, STEPS = 20000, MANY = 250000 };

/* What is allocated, unsorted. */
struct model {
    struct model_block {
        uint64_t address, bytes;
        bool is_mapped;
    } block[BLOCKS];
    int count;
};

static const struct model_block *holder(const struct model *m, uint64_t address)
{
    for (int i = 0; i < m->count; i++)
        if (address - m->block[i].address < m->block[i].bytes)
            return &m->block[i];
    return NULL;
}

static bool overlaps(const struct model *m, uint64_t address, uint64_t bytes)
{
    for (int i = 0; i < m->count; i++)
        if (m->block[i].address < address + bytes && address < m->block[i].address + m->block[i].bytes)
            return true;
    return false;
}

static void check_address(const struct memory *memory, const struct model *m, uint64_t address)
{
    const struct model_block *b = holder(m, address);
    const struct allocation *a = memory_find(memory, address);
    char words[512], expected[80];
    if (!b) {
        assert_null(a);
        assert_null(memory_host(memory, address, 1));
        assert_null(strstr(memory_describe(memory, address, words, sizeof words), "byte 0 of"));
        return;
    }
    uint64_t offset = address - b->address;
    assert_non_null(a);
    assert_int_equal(a->address, b->address);
    assert_int_equal(a->bytes, b->bytes);
    assert_ptr_equal(memory_host(memory, address, b->bytes - offset), a->host + offset);
    assert_null(memory_host(memory, address, b->bytes - offset + 1));
    snprintf(expected, sizeof expected, "byte %llu of ", (unsigned long long)offset);
    assert_ptr_equal(strstr(memory_describe(memory, address, words, sizeof words), expected), words);
}

static void add_one(struct memory *memory, struct model *m, struct random *r, uint8_t *host)
{
    uint64_t bytes = 1 + random_u64(r) % 4000;
    if (random_u64(r) % 2) {
        uint8_t *at = host + random_u64(r) % (HOST_BYTES - 4000);
        bool fits = !overlaps(m, (uint64_t)(uintptr_t)at, bytes);
        assert_int_equal(memory_map(memory, at, bytes, "mapped"), fits);
        if (fits)
            m->block[m->count++] = (struct model_block){(uint64_t)(uintptr_t)at, bytes, true};
        return;
    }
    uint64_t address = memory_alloc(memory, bytes, "own");
    assert_true(address);
    m->block[m->count++] = (struct model_block){address, bytes, false};
}

static void lookups_agree_with_a_plain_list(void **state)
{
    struct memory *memory = memory_create(UINT64_C(1) << 30);
    struct model m = {0};
    struct random r = {11};
    uint8_t *host = calloc(1, HOST_BYTES);
    (void)state;
    for (int step = 0; step < STEPS; step++) {
        if (m.count < BLOCKS && (!m.count || random_u64(&r) % 2)) {
            add_one(memory, &m, &r, host);
        } else {
            int i = (int)(random_u64(&r) % (uint64_t)m.count);
            uint64_t address = m.block[i].address;
            assert_true(memory_free(memory, address));
            m.block[i] = m.block[--m.count];
            assert_false(memory_free(memory, address));
            check_address(memory, &m, address);
        }
        if (m.count) {
            const struct model_block *b = &m.block[random_u64(&r) % (uint64_t)m.count];
            check_address(memory, &m, b->address + random_u64(&r) % b->bytes);
            check_address(memory, &m, b->address + b->bytes);
            check_address(memory, &m, b->address - 1);
        }
    }
    uint64_t used = 0;
    for (int i = 0; i < m.count; i++)
        used += m.block[i].is_mapped ? 0 : m.block[i].bytes;
    assert_int_equal(memory->used_bytes, used);
    memory_destroy(memory);
    free(host);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In an order that jumps about, which takes a fraction of a second; moving the list each time takes many seconds. */
static void many_are_freed_in_any_order(void **state)
{
    struct memory *memory = memory_create(UINT64_C(1) << 30);
    uint64_t *address = calloc(MANY, sizeof *address);
    (void)state;
    for (int i = 0; i < MANY; i++)
        address[i] = memory_alloc(memory, 16, "one of many");
    double start = seconds();
    for (int i = 0; i < MANY; i++)
        assert_true(memory_free(memory, address[(int64_t)i * 7919 % MANY]));
    if (seconds() - start > 3)
        fail_msg("freeing %d allocations takes %.1f seconds", MANY, seconds() - start);
    assert_int_equal(memory->used_bytes, 0);
    free(address);
    memory_destroy(memory);
}

/* A clone has every byte, also where most are zeros. */
static void a_clone_is_equal(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 100, 65536, 65537, 300000, (5 << 20) + 3};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint64_t bytes = sizes[s], places[] = {0, bytes - 1, bytes / 2, 65535 % bytes, 65536 % bytes};
        for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
            struct memory *m = memory_create(UINT64_C(1) << 30);
            const uint64_t address = memory_alloc(m, bytes, "mostly zeros");
            uint8_t *host = memory_host(m, address, bytes);
            host[places[n]] = 7;
            struct memory *clone = memory_clone(m);
            assert_memory_equal(memory_host(clone, address, bytes), host, bytes);
            host[places[n]] = 0;
            host[bytes / 3] ^= 1;
            memory_restore(m, clone);
            assert_memory_equal(memory_host(clone, address, bytes), host, bytes);
            assert_int_equal(host[places[n]], 7);
            memory_destroy(clone);
            memory_destroy(m);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lookups_agree_with_a_plain_list),
                                       cmocka_unit_test(a_clone_is_equal),
                                       cmocka_unit_test(many_are_freed_in_any_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
