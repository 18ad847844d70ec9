/* The tables of the special function unit, and its functions for 32 lanes: see special.h. */
#include "lanes/special.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef LANES_SINGLE
#define ROW(c0, c1, c2) {c0, c1, c2, 0},

const struct special_segment special_rcp_table[128] = {
#define RCP ROW
#include "base/special.def"
};

const struct special_segment special_rsqrt_table[128] = {
#define RSQRT ROW
#include "base/special.def"
};

const struct special_segment special_sqrt_table[128] = {
#define SQRT ROW
#include "base/special.def"
};

const struct special_segment special_ex2_table[64] = {
#define EX2 ROW
#include "base/special.def"
};

const struct special_segment special_lg2_table[64] = {
#define LG2 ROW
#include "base/special.def"
};

const struct special_segment special_sin_table[64] = {
#define SIN ROW
#include "base/special.def"
};

const struct special_segment special_tanh_table[51] = {
#define TANH ROW
#include "base/special.def"
};
#endif

/* special_square() of 32 places. Sums have 16 bits at most: in narrow lanes a host's vector holds twice as many. */
static inline void find_squares(const uint32_t *at, uint16_t *square)
{
    uint16_t upper[ROW_LANES], lower[ROW_LANES];
    EACH_LANE(i) upper[i] = (uint16_t)(at[i] >> 9 & 0xff);
    EACH_LANE(i) lower[i] = (uint16_t)(at[i] & 0x1ff);
    EACH_LANE(i) square[i] = (uint16_t)((uint16_t)((uint32_t)upper[i] * upper[i]) >> 1);
    for (int bit = 2; bit < 9; bit++)
        EACH_LANE(i)
    square[i] = (uint16_t)(square[i] + (upper[i] >> (9 - bit) & -(lower[i] >> bit & 1)));
}

#if defined(__x86_64__) && !defined(LANES_SINGLE)
#define AVX2 __attribute__((target("avx2")))

/* special_square() of the places of eight lanes. */
AVX2 static inline __m256i eight_squares(__m256i at)
{
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi32(at, 9), _mm256_set1_epi32(0xff));
    __m256i sum = _mm256_srli_epi32(_mm256_madd_epi16(upper, upper), 1);
#define ADD_IF_SET(bit)                                                               \
    sum = _mm256_add_epi32(sum, _mm256_and_si256(_mm256_srli_epi32(upper, 9 - (bit)), \
                                                 _mm256_srai_epi32(_mm256_slli_epi32(at, 31 - (bit)), 31)))
    ADD_IF_SET(2);
    ADD_IF_SET(3);
    ADD_IF_SET(4);
    ADD_IF_SET(5);
    ADD_IF_SET(6);
    ADD_IF_SET(7);
    ADD_IF_SET(8);
#undef ADD_IF_SET
    return sum;
}

/* special_value() of four lanes. Each lane's segment is loaded as a vector, and four are transposed: the coefficients
 * stand in the lower halves of 64-bit lanes then, where the host multiplies 32 bits by 32. */
AVX2 static inline __m256i four_values(const struct special_segment *table, const uint32_t *at, __m128i squares,
                                       __m256i constant)
{
#define SEGMENT(i) _mm_loadu_si128((const void *)&table[at[i] >> 17])
    const __m256i even = _mm256_inserti128_si256(_mm256_castsi128_si256(SEGMENT(0)), SEGMENT(2), 1);
    const __m256i odd = _mm256_inserti128_si256(_mm256_castsi128_si256(SEGMENT(1)), SEGMENT(3), 1);
#undef SEGMENT
    const __m256i c0 = _mm256_unpacklo_epi64(even, odd), c1 = _mm256_srli_epi64(c0, 32);
    const __m256i c2 = _mm256_unpackhi_epi64(even, odd);
    const __m256i place =
        _mm256_and_si256(_mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)at)), _mm256_set1_epi64x(0x1ffff));
    const __m256i start = _mm256_add_epi64(_mm256_mul_epi32(c0, _mm256_set1_epi64x(32768)), constant);
    return _mm256_add_epi64(_mm256_add_epi64(start, _mm256_mul_epi32(c1, place)),
                            _mm256_mul_epi32(c2, _mm256_cvtepu32_epi64(squares)));
}

AVX2 static void follow_finely_by_eights(const struct special_segment *table, const uint32_t *at, int constant,
                                         int64_t *value)
{
    const __m256i more = _mm256_set1_epi64x(constant);
    for (int i = 0; i < ROW_LANES; i += 8) {
        const __m256i squares = eight_squares(_mm256_loadu_si256((const void *)(at + i)));
        const __m128i low = _mm256_castsi256_si128(squares), high = _mm256_extracti128_si256(squares, 1);
        _mm256_storeu_si256((void *)(value + i), four_values(table, at + i, low, more));
        _mm256_storeu_si256((void *)(value + i + 4), four_values(table, at + i + 4, high, more));
    }
}

AVX2 static void follow_curves_by_eights(const struct special_segment *table, const uint32_t *at, int constant,
                                         uint32_t *value)
{
    const __m256i more = _mm256_set1_epi64x(constant), lower_halves = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    for (int i = 0; i < ROW_LANES; i += 8) {
        const __m256i squares = eight_squares(_mm256_loadu_si256((const void *)(at + i)));
        const __m128i low = _mm256_castsi256_si128(squares), high = _mm256_extracti128_si256(squares, 1);
        const __m256i first = _mm256_srli_epi64(four_values(table, at + i, low, more), 17);
        const __m256i second = _mm256_srli_epi64(four_values(table, at + i + 4, high, more), 17);
        const __m256i mixed = _mm256_blend_epi32(first, _mm256_slli_epi64(second, 32), 0xaa);
        _mm256_storeu_si256((void *)(value + i), _mm256_permutevar8x32_epi32(mixed, lower_halves));
    }
}

#define BY_EIGHTS_IF_HOST_CAN(call)       \
    if (__builtin_cpu_supports("avx2")) { \
        call;                             \
        return;                           \
    }
#else
#define BY_EIGHTS_IF_HOST_CAN(call)
#endif

/* The values of 32 curves; `at` has the segments, and the places in the lower 17 bits. In the table's unit, or in 2^-17
 * of it. */
#define FOLLOW_CURVES(name, type, shift)                                                                            \
    static void name(const struct special_segment *table, const uint32_t *at, int constant, type *value)            \
    {                                                                                                               \
        uint16_t square[ROW_LANES];                                                                                 \
        BY_EIGHTS_IF_HOST_CAN(name##_by_eights(table, at, constant, value))                                         \
        find_squares(at, square);                                                                                   \
        for (int i = 0; i < ROW_LANES; i++)                                                                         \
            value[i] = (type)(special_value(&table[at[i] >> 17], at[i] & 0x1ffff, square[i], constant) >> (shift)); \
    }
FOLLOW_CURVES(follow_curves, uint32_t, 17)
FOLLOW_CURVES(follow_finely, int64_t, 0)

#define FOR_LANES(name, reduce, constant)                                        \
    SIMD_CLONES void special_##name(const uint32_t *numbers, uint32_t *results)  \
    {                                                                            \
        uint32_t at[ROW_LANES], value[ROW_LANES];                                \
        EACH_LANE(i) at[i] = reduce(numbers[i]);                                 \
        follow_curves(special_##name##_table, at, constant, value);              \
        EACH_LANE(i) results[i] = special_##name##_finish(numbers[i], value[i]); \
    }
FOR_LANES(rcp, special_rcp_reduce, 8093)
FOR_LANES(rsqrt, special_root_reduce, -1)
FOR_LANES(sqrt, special_root_reduce, -1)
FOR_LANES(ex2, special_ex2_reduce, 24458)

SIMD_CLONES void special_lg2(const uint32_t *numbers, uint32_t *results)
{
    uint32_t at[ROW_LANES];
    int64_t value[ROW_LANES];
    EACH_LANE(i) at[i] = numbers[i] & SPECIAL_FRACTION;
    follow_finely(special_lg2_table, at, 6700, value);
    EACH_LANE(i) results[i] = special_lg2_finish(numbers[i], value[i]);
}

/* A cosine is the sine of a quarter more, whatever the angle's sign. */
#define SINES(name, quarter, sign)                                                                               \
    SIMD_CLONES void name(const uint32_t *turns, uint32_t *results)                                              \
    {                                                                                                            \
        uint32_t angle[ROW_LANES], at[ROW_LANES];                                                                \
        int64_t value[ROW_LANES];                                                                                \
        EACH_LANE(i) angle[i] = special_angle(turns[i]) + (quarter);                                             \
        EACH_LANE(i) at[i] = special_sin_reduce(angle[i]);                                                       \
        follow_finely(special_sin_table, at, 0, value);                                                          \
        EACH_LANE(i) results[i] = special_sin_finish(turns[i], turns[i] & (uint32_t)(sign), angle[i], value[i]); \
    }
SINES(special_sin, 0, SPECIAL_SIGN)
SINES(special_cos, 1u << 23, 0)
