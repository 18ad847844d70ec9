/* Cycle numbers: the earlier and the later of two, and the cycle that never comes. */
#ifndef HEDDLE_SM_CYCLES_H
#define HEDDLE_SM_CYCLES_H

#include <stdint.h>

#define SM_NEVER UINT64_MAX

static inline uint64_t sm_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t sm_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
