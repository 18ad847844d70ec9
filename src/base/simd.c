/* Loops over arrays, compiled a second time for the wider vector registers of newer hosts (SIMD_CLONES in simd.h). */
#include "base/simd.h"

static inline bool goes_up_by(const uint64_t *values, int count, uint64_t step)
{
    uint64_t expected = values[0], differs = 0;
    for (int i = 0; i < count; i++, expected += step)
        differs |= values[i] ^ expected;
    return !differs;
}

SIMD_CLONES bool simd_goes_up_by(const uint64_t *values, int count, uint64_t step)
{
    /* With a constant count, for the common case of one row, the compiler unrolls the loop. */
    return count == 32 ? goes_up_by(values, 32, step) : goes_up_by(values, count, step);
}
