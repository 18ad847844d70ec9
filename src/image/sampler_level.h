/* The level of detail of a texture fetch, and how many samples of it an anisotropic filter takes. */
#ifndef HEDDLE_IMAGE_SAMPLER_LEVEL_H
#define HEDDLE_IMAGE_SAMPLER_LEVEL_H

#include "image/sampler.h"

enum { SAMPLER_MAX_PAIRS = 8 };

/* The level of detail in 256ths, clamped as the texture says and to the levels that exist; and what an anisotropic
 * filter needs beside it. */
struct sampler_lod {
    int level;
    int ratio;        /* of the longest derivative to a texel of this level of detail: a logarithm, in 256ths */
    int direction[2]; /* of the longest derivative, in 64ths */
};

struct sampler_lod sampler_find_lod(const struct texture *t, const struct sampler_request *r);

/* Samples lie in pairs on both sides of the position. */
struct sampler_spread {
    int weight_bits;               /* weights are in parts of 2^weight_bits: 8, 9 or 10 */
    int pairs;                     /* 0: one sample at the position, with all the weight */
    int weight[SAMPLER_MAX_PAIRS]; /* of one sample of each pair, the innermost first */
    int offset[SAMPLER_MAX_PAIRS]; /* of each pair from the position, in 256ths of a step */
    int step[2];                   /* in 64ths of a texel */
};

/* The samples in the mipmap level at or above (`is_next`) the level of detail. */
struct sampler_spread sampler_find_spread(const struct sampler_lod *d, bool is_next);

#endif
