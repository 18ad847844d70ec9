/* The tables of the special function unit, and its functions for 32 lanes: see special.h. */
#include "lanes/special.h"

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

/* The values of 32 curves, in the table's unit; `at` has the segments, and the places in the lower 17 bits. */
SIMD_CLONES static void follow_curves(const struct special_segment *table, const uint32_t *at, int constant,
                                      uint32_t *value)
{
    uint32_t square[ROW_LANES];
    EACH_LANE(i) square[i] = special_square(at[i] & 0x1ffff);
    for (int i = 0; i < ROW_LANES; i++)
        value[i] = (uint32_t)(special_value(&table[at[i] >> 17], at[i] & 0x1ffff, square[i], constant) >> 17);
}

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
