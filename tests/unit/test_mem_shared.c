/* Passes of shared memory, and the coalescer. */
#include "mem_bench.h"

#include "mem/coalesce.h"

static unsigned passes(uint64_t stride, int count, unsigned bytes)
{
    struct mem_config c = plain_config();
    uint64_t address[MEM_MAX_LANES];
    for (int i = 0; i < count; i++)
        address[i] = 64 + (uint64_t)i * stride;
    return mem_shared_passes(&c, count, address, bytes);
}

/* A stride of 4 * 2^n bytes puts 2^n lanes in each bank that is used. */
static void test_powers_of_two_conflict(void **state)
{
    (void)state;
    for (unsigned degree = 1; degree <= 32; degree *= 2)
        assert_int_equal(passes(4 * degree, 32, 4), degree);
    for (unsigned odd = 3; odd < 32; odd += 2)
        assert_int_equal(passes(4 * odd, 32, 4), 1);
}

static void test_every_degree(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    for (unsigned degree = 1; degree <= 32; degree++) {
        uint64_t address[32];
        for (unsigned i = 0; i < 32; i++) /* `degree` lanes in bank 0, the others in banks of their own */
            address[i] = i < degree ? i * 128 : i * 4;
        assert_int_equal(mem_shared_passes(&c, 32, address, 4), degree);
    }
}

static void test_broadcast(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    assert_int_equal(passes(0, 32, 4), 1);
    assert_int_equal(passes(1, 32, 1), 1); /* four lanes a word */
    uint64_t address[32];
    for (unsigned i = 0; i < 32; i++)
        address[i] = (i % 2) * 128; /* two words of one bank */
    assert_int_equal(mem_shared_passes(&c, 32, address, 4), 2);
}

static void test_wide_accesses(void **state)
{
    (void)state;
    assert_int_equal(passes(8, 32, 8), 2);
    assert_int_equal(passes(8, 16, 8), 1);
    assert_int_equal(passes(16, 32, 16), 4);
    assert_int_equal(passes(16, 32, 8), 4); /* each half: lanes i and i + 8 share banks */
    assert_int_equal(passes(128, 32, 8), 32);
    assert_int_equal(passes(0, 32, 8), 2);
}

static void test_fewer_banks(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    c.shared_banks = 16;
    uint64_t address[32];
    for (unsigned i = 0; i < 32; i++)
        address[i] = i * 4;
    assert_int_equal(mem_shared_passes(&c, 32, address, 4), 2);
    c.shared_banks = 32;
    c.shared_bank_bytes = 8;
    for (unsigned i = 0; i < 32; i++)
        address[i] = i * 8;
    assert_int_equal(mem_shared_passes(&c, 32, address, 8), 1);
}

static void test_coalescing(void **state)
{
    (void)state;
    struct transaction t[COALESCE_MAX];
    struct mem_access a = warp_access(MEM_LOAD, 0x1000, 4);
    assert_int_equal(coalesce(&a, 7, 7, true, t), 1);
    assert_true(t[0].line == 0x20 && t[0].lanes == UINT32_MAX && t[0].touched == UINT32_MAX);
    a.address[0] += 4;
    assert_int_equal(coalesce(&a, 7, 7, true, t), 1);
    assert_int_equal(t[0].touched, 0xfffffffe);
    a.address[0] -= 4;
    assert_int_equal(coalesce(&a, 6, 6, true, t), 2);
    assert_true(t[1].line == 0x41 && t[1].lanes == 0xffff0000);
    a = warp_access(MEM_LOAD, 0x1004, 4);
    assert_int_equal(coalesce(&a, 7, 7, true, t), 2);
    assert_true(t[0].lanes == 0x7fffffff && t[0].touched == 0xfffffffe && t[1].lanes == 0x80000000);
    a = warp_access(MEM_LOAD, 0, 8);
    assert_int_equal(coalesce(&a, 7, 7, true, t), 2);
    assert_int_equal(t[0].touched, 0x55555555);
    a.address[5] = a.address[20]; /* back and forth */
    assert_int_equal(coalesce(&a, 7, 7, true, t), 2);
    assert_true(t[0].lanes == 0xffdf && t[1].lanes == 0xffff0020);
    a = warp_access(MEM_LOAD, 0, 4096);
    assert_int_equal(coalesce(&a, 7, 7, true, t), 32);
    for (int i = 0; i < 32; i++)
        assert_true(t[i].line == (uint64_t)i * 32 && t[i].lanes == 1u << i && t[i].touched == 1);
}

static void test_coalescing_across_lines(void **state)
{
    (void)state;
    struct transaction t[COALESCE_MAX];
    struct mem_access a = {.kind = MEM_LOAD, .count = 1, .bytes = 8, .address = {124}};
    assert_int_equal(coalesce(&a, 7, 7, true, t), 2);
    assert_true(t[0].touched == 0x80000000 && t[1].touched == 1 && t[0].lanes == 1 && t[1].lanes == 1);
    a.bytes = 512;
    a.address[0] = 0;
    assert_int_equal(coalesce(&a, 7, 7, true, t), 4);
    a.count = 64;
    for (int i = 0; i < 64; i++)
        a.address[i] = (uint64_t)i << 20;
    assert_int_equal(coalesce(&a, 7, 7, true, t), -1);
}

static void test_atomic_passes(void **state)
{
    (void)state;
    struct transaction t[COALESCE_MAX];
    struct mem_access a = warp_access(MEM_ATOMIC, 0, 4);
    a.address[3] = a.address[9] = a.address[1];
    assert_int_equal(coalesce(&a, 7, 7, true, t), 1);
    assert_int_equal(t[0].passes, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_powers_of_two_conflict),
        cmocka_unit_test(test_every_degree),
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_wide_accesses),
        cmocka_unit_test(test_fewer_banks),
        cmocka_unit_test(test_coalescing),
        cmocka_unit_test(test_coalescing_across_lines),
        cmocka_unit_test(test_atomic_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
