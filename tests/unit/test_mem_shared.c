/* Passes of shared memory, and the coalescer. */
#include "mem_bench.h"

#include "base/random.h"
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
    assert_int_equal(passes(1, 32, 1), 1);    /* four lanes a word */
    assert_int_equal(passes(128, 32, 1), 32); /* first bytes of words of one bank */
    uint64_t address[32];
    for (unsigned i = 0; i < 32; i++)
        address[i] = (i % 2) * 128; /* two words of one bank */
    assert_int_equal(mem_shared_passes(&c, 32, address, 4), 2);
}

/* Lanes of an atomic on one word take a pass each where the machine says so. */
static void test_atomics_on_shared_memory(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    for (int apart = 0; apart < 2; apart++) {
        c.shared_atomics_apart = apart;
        struct mem *m = mem_create(&c, 1);
        uint64_t same[32], own[32], two[32];
        for (unsigned i = 0; i < 32; i++) {
            same[i] = 64;
            own[i] = 4 * i;
            two[i] = i % 2 * 4;
        }
        assert_int_equal(mem_shared_passes_of(m, 32, same, 4, true), apart ? 32 : 1);
        assert_int_equal(mem_shared_passes_of(m, 32, two, 4, true), apart ? 16 : 1);
        assert_int_equal(mem_shared_passes_of(m, 32, own, 4, true), 1);
        assert_int_equal(mem_shared_passes_of(m, 32, same, 4, false), 1);
        mem_destroy(m);
    }
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

/* As many as a prime number: powers of two do not collide, its multiples do. One bank gives one word a pass. */
static void test_odd_banks(void **state)
{
    (void)state;
    struct mem_config c = plain_config();
    uint64_t by_16[17], by_17[17];
    for (unsigned i = 0; i < 17; i++) {
        by_16[i] = i * 16 * 4;
        by_17[i] = i * 17 * 4;
    }
    c.shared_banks = 17;
    assert_int_equal(mem_shared_passes(&c, 17, by_16, 4), 1);
    assert_int_equal(mem_shared_passes(&c, 17, by_17, 4), 17);
    c.shared_banks = 1;
    assert_int_equal(mem_shared_passes(&c, 17, by_16, 4), 17);
}

/* The passes that lanes which go together need: the most different words of any bank, found word by word. */
static unsigned passes_plainly(const struct mem_config *c, int count, const uint64_t *address, unsigned bytes)
{
    uint64_t word[MEM_MAX_LANES * 16];
    unsigned in_bank[64] = {0}, most = 1;
    int known = 0;
    for (int lane = 0; lane < count; lane++)
        for (uint64_t byte = address[lane]; byte < address[lane] + bytes; byte++) {
            uint64_t w = byte / c->shared_bank_bytes;
            int i = 0;
            while (i < known && word[i] != w)
                i++;
            if (i < known)
                continue;
            word[known++] = w;
            unsigned now = ++in_bank[w % c->shared_banks];
            most = now > most ? now : most;
        }
    return most;
}

static uint32_t below(struct random *r, uint32_t most)
{
    return (uint32_t)(random_u64(r) % most);
}

/* Lanes side by side, in one word, in any word of their own bank, anywhere, and any number of bytes apart, forwards or
 * backwards, aligned or not, on banks of all kinds. */
static void test_banks_by_chance(void **state)
{
    (void)state;
    static const uint32_t banks[] = {1, 2, 16, 17, 32, 64};
    static const unsigned sizes[] = {1, 2, 4, 8, 16};
    struct random r = {.state = 7};
    for (int round = 0; round < 30000; round++) {
        struct mem_config c = plain_config();
        c.shared_banks = banks[below(&r, 6)];
        c.shared_bank_bytes = below(&r, 2) ? 8 : 4;
        unsigned bytes = sizes[below(&r, 5)], width = c.shared_banks * c.shared_bank_bytes;
        int most = width / bytes ? (int)(width / bytes) : 1;
        most = most < 32 ? most : 32;
        int count = 1 + (int)below(&r, (uint32_t)most);
        uint64_t address[32], start = below(&r, 64) * (below(&r, 2) ? bytes : 1), kind = below(&r, 5);
        const int64_t stride = ((int64_t)below(&r, 130) - 65) * (below(&r, 4) ? c.shared_bank_bytes : 1);
        for (int i = 0; i < count; i++) {
            uint64_t lane = (uint64_t)i * bytes;
            uint64_t far = below(&r, 4) * width;
            address[i] = start + (kind == 0 ? lane : kind == 1 ? 0 : kind == 2 ? lane + far : below(&r, 512));
            if (kind == 4)
                address[i] = 65536 + start + (uint64_t)(i * stride);
        }
        if (below(&r, 4) == 0)
            address[below(&r, (uint32_t)count)] += bytes;
        assert_int_equal(mem_shared_passes(&c, count, address, bytes), passes_plainly(&c, count, address, bytes));
    }
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

/* What coalesce() must give, lane by lane and unit by unit. */
static int coalesce_plainly(const struct mem_access *a, unsigned line_shift, unsigned unit_shift, uint64_t *unit,
                            struct transaction *out)
{
    int count = 0;
    for (int lane = 0; lane < a->count; lane++)
        for (uint64_t byte = a->address[lane]; byte < a->address[lane] + a->bytes; byte++) {
            int i = 0;
            while (i < count && unit[i] != byte >> unit_shift)
                i++;
            if (i == COALESCE_MAX)
                return -1;
            if (i == count) {
                unit[count] = byte >> unit_shift;
                out[count++] = (struct transaction){.line = byte >> line_shift};
            }
            out[i].lanes |= UINT64_C(1) << lane;
            out[i].touched |= 1u << ((byte & ((1u << line_shift) - 1)) >> (line_shift - 5));
        }
    return count;
}

/* Lanes side by side, aligned or not; at a distance; anywhere. */
static void draw_lanes(struct mem_access *a, struct random *r)
{
    static const uint16_t bytes[] = {1, 2, 3, 4, 8, 12, 16, 16, 4, 4, 200, 512, 640};
    uint64_t bits = random_u64(r);
    a->count = 1 + (int)(bits % MEM_MAX_LANES);
    a->bytes = bytes[(bits >> 8) % (sizeof bytes / sizeof *bytes)];
    uint64_t stride = bits & 1u << 16 ? a->bytes : bits >> 20 & 255;
    uint64_t base = bits & 1u << 17 ? (bits >> 32 & 0xffff) * a->bytes : bits >> 32;
    for (int i = 0; i < a->count; i++)
        a->address[i] = bits & 3u << 18 ? base + (uint64_t)i * stride : random_u64(r) & 0xfff;
    if (bits & UINT64_C(1) << 30)
        a->address[random_u64(r) % (uint64_t)a->count] += 4;
}

static void test_coalescing_of_anything(void **state)
{
    (void)state;
    struct transaction t[COALESCE_MAX], expected[COALESCE_MAX];
    uint64_t unit[COALESCE_MAX];
    struct random r = {.state = 7};
    for (int n = 0; n < 5000; n++) {
        struct mem_access a = {.kind = MEM_LOAD};
        draw_lanes(&a, &r);
        unsigned line_shift = 5 + (unsigned)n % 3, unit_shift = n % 4 ? line_shift : 4;
        int count = coalesce_plainly(&a, line_shift, unit_shift, unit, expected);
        assert_int_equal(coalesce(&a, line_shift, unit_shift, true, t), count);
        for (int i = 0; i < count; i++) {
            assert_int_equal(t[i].line, expected[i].line);
            assert_int_equal(t[i].lanes, expected[i].lanes);
            assert_int_equal(t[i].touched, expected[i].touched);
        }
        assert_int_equal(coalesce(&a, line_shift, unit_shift, false, t), count);
        for (int i = 0; i < count; i++)
            assert_true(t[i].line == expected[i].line && t[i].lanes == expected[i].lanes && t[i].touched == UINT32_MAX);
    }
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
        cmocka_unit_test(test_atomics_on_shared_memory),
        cmocka_unit_test(test_wide_accesses),
        cmocka_unit_test(test_fewer_banks),
        cmocka_unit_test(test_odd_banks),
        cmocka_unit_test(test_banks_by_chance),
        cmocka_unit_test(test_coalescing),
        cmocka_unit_test(test_coalescing_across_lines),
        cmocka_unit_test(test_coalescing_of_anything),
        cmocka_unit_test(test_atomic_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
