/* What the reference files share: their tables, and access to a launch's arguments and threads. */
#ifndef HEDDLE_CORPUS_REFERENCE_KERNELS_H
#define HEDDLE_CORPUS_REFERENCE_KERNELS_H

#include "reference.h"

#include <stdint.h>
#include <string.h>

/* Each ends with a row whose kernel is NULL. */
extern const struct reference reference_integer[];
extern const struct reference reference_float[];
extern const struct reference reference_warp[];
extern const struct reference reference_memory[];
extern const struct reference reference_control[];

static inline int32_t arg_s32(const struct test_case *c, int i)
{
    int32_t value;
    memcpy(&value, c->arg[i].data, sizeof value);
    return value;
}

static inline uint32_t arg_u32(const struct test_case *c, int i)
{
    return (uint32_t)arg_s32(c, i);
}

static inline float arg_f32(const struct test_case *c, int i)
{
    float value;
    memcpy(&value, c->arg[i].data, sizeof value);
    return value;
}

static inline int block_threads(const struct test_case *c)
{
    return (int)(c->block[0] * c->block[1] * c->block[2]);
}

static inline int grid_blocks(const struct test_case *c)
{
    return (int)(c->grid[0] * c->grid[1] * c->grid[2]);
}

static inline int grid_threads(const struct test_case *c)
{
    return block_threads(c) * grid_blocks(c);
}

static inline uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
