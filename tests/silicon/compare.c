/* Whether one result of an instruction agrees with silicon's. */
#include "compare.h"

#include <math.h>
#include <string.h>

static double value_of(enum type type, uint64_t bits)
{
    if (type == TYPE_F64) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    const uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

/* Patterns in the order of the numbers they stand for; both zeros are one. */
static int64_t rank_of(enum type type, uint64_t bits)
{
    const unsigned sign = type == TYPE_F64 ? 63 : 31;
    const int64_t magnitude = (int64_t)(bits & ((1ull << sign) - 1));
    return bits >> sign & 1 ? -magnitude : magnitude;
}

bool compare_agrees(const struct op_compare *compare, enum type type, uint64_t got, uint64_t expected)
{
    if (got == expected)
        return true;
    if (compare->exact || (type != TYPE_F32 && type != TYPE_F64))
        return false;
    const double g = value_of(type, got), e = value_of(type, expected);
    if (isnan(g) || isnan(e))
        return isnan(g) && isnan(e);
    /* In floating point, since the ranks of two doubles may be further apart than an int64_t can say. */
    const double steps = fabs((double)rank_of(type, got) - (double)rank_of(type, expected));
    if (steps <= compare->ulps + 1)
        return true;
    if (isinf(g) || isinf(e))
        return false;
    const double own_rounding = fabs((type == TYPE_F64 ? nextafter(e, g) : nextafterf((float)e, (float)g)) - e);
    return fabs(g - e) <= fmax(compare->absolute, compare->relative * fabs(e)) + own_rounding;
}
