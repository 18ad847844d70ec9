/* Storage that is used again (base/storage.h). */
#include "base/storage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { MEGABYTE = 1 << 20 };

/* How many of the block's whole pages are in the host's memory. */
static size_t resident_pages(const char *block, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), skipped = -(uintptr_t)block % page;
    const size_t pages = (bytes - skipped) / page;
    unsigned char *in_memory = malloc(pages);
    size_t resident = 0;
    assert_int_equal(mincore((void *)(uintptr_t)(block + skipped), pages * page, in_memory), 0);
    for (size_t i = 0; i < pages; i++)
        resident += in_memory[i] & 1;
    free(in_memory);
    return resident;
}

/* The table of strands has room for one strand per thread, of which most launches use a few. */
static void a_reserved_block_takes_only_the_pages_that_are_touched(void **state)
{
    (void)state;
    struct storage s = {.is_dense = true};
    memset(storage_alloc(&s, 32 * MEGABYTE), 1, 32 * MEGABYTE);
    char *block = storage_reserve(&s, 64 * MEGABYTE);
    for (size_t at = 0; at < 64 * MEGABYTE; at += 8 * MEGABYTE)
        block[at] = 1;
    assert_in_range(resident_pages(block, 64 * MEGABYTE), 1, 16);
    storage_free(&s);
}

static void blocks_of_both_kinds_lie_where_they_lay_after_a_restart(void **state)
{
    (void)state;
    struct storage s = {.is_dense = true};
    char *block = storage_alloc(&s, 100), *reserved = storage_reserve(&s, 100);
    memset(block, 1, 100);
    memset(reserved, 2, 100);
    assert_int_equal(block[99], 1);
    storage_restart(&s);
    assert_ptr_equal(storage_alloc(&s, 100), block);
    assert_ptr_equal(storage_reserve(&s, 100), reserved);
    storage_free(&s);
}

static void all_blocks_begin_at_cache_lines_and_are_zeros_at_first(void **state)
{
    (void)state;
    struct storage s = {0};
    for (size_t bytes = 1; bytes < 4 * MEGABYTE; bytes = bytes * 3 + 1) {
        const char *both[] = {storage_alloc(&s, bytes), storage_reserve(&s, bytes)};
        for (int i = 0; i < 2; i++) {
            assert_int_equal((uintptr_t)both[i] % 64, 0);
            for (size_t at = 0; at < bytes; at++)
                assert_int_equal(both[i][at], 0);
        }
    }
    storage_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reserved_block_takes_only_the_pages_that_are_touched),
        cmocka_unit_test(blocks_of_both_kinds_lie_where_they_lay_after_a_restart),
        cmocka_unit_test(all_blocks_begin_at_cache_lines_and_are_zeros_at_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
