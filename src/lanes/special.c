/* The tables of the special function unit, and its functions for 32 lanes: see special.h. */
#include "lanes/special.h"

#ifndef LANES_SINGLE
#define ROW(c0, c1, c2) {c0, c1, c2},

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

/* The values of 32 curves; `at` has the segments, and the places in the lower 17 bits. In the table's unit, or in 2^-17
 * of it. */
#define FOLLOW_CURVES(name, type, shift)                                                                             \
    SIMD_CLONES static void name(const struct special_segment *table, const uint32_t *at, int constant, type *value) \
    {                                                                                                                \
        uint16_t square[ROW_LANES];                                                                                  \
        find_squares(at, square);                                                                                    \
        for (int i = 0; i < ROW_LANES; i++)                                                                          \
            value[i] = (type)(special_value(&table[at[i] >> 17], at[i] & 0x1ffff, square[i], constant) >> (shift));  \
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
