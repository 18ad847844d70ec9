/*
 * Derivatives of a texture fetch, in texels: numbers of ten significant bits, with the arithmetic of an H200's texture
 * unit.
 */
#ifndef HEDDLE_IMAGE_SAMPLER_SLOPE_H
#define HEDDLE_IMAGE_SAMPLER_SLOPE_H

#include "image/sampler.h"

/* Two derivatives in texels of the first level. */
struct sampler_slopes {
    float slope[2][3];
    bool crosses_edge; /* of a cube map: the derivatives end on different faces */
};

struct sampler_slopes sampler_find_slopes(const struct texture *t, const struct sampler_request *r);

/* The longest of both derivatives and of 11/16 of their sum and of their difference: its estimated length, and, if
 * `longest` is not NULL, the vector itself. */
float sampler_longest(const struct sampler_slopes *s, float longest[3]);

/* The area between two derivatives of a 2D texture, in texels. */
float sampler_area(const struct sampler_slopes *s);

#endif
