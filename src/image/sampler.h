/*
 * Which texels a texture fetch reads, with which weights, and what it makes of them: the arithmetic of a texture unit,
 * as measured on an NVIDIA H200.
 */
#ifndef HEDDLE_IMAGE_SAMPLER_H
#define HEDDLE_IMAGE_SAMPLER_H

#include "device/texture.h"
#include "ptx/ops.h"

enum { SAMPLER_QUAD = 4, SAMPLER_MAX_QUADS = 32 };

enum sampler_detail { DETAIL_BASE, DETAIL_LEVEL, DETAIL_GRADIENT };

/* One thread's fetch. */
struct sampler_request {
    struct op_shape shape;
    bool is_integer;        /* coordinates are numbers of texels */
    bool gathers;           /* tld4 */
    uint8_t detail;         /* enum sampler_detail */
    bool has_neighbours;    /* derivatives are taken by fetching at neighbours (sampler_slope.c) */
    uint32_t layer;         /* of a layered texture */
    uint32_t coordinate[3]; /* bits of a float, or an integer */
    uint32_t level;         /* bits of a float; an integer if is_integer */
    float gradient[2][3];   /* derivatives of the coordinates, of DETAIL_GRADIENT */
    int32_t offset[3];      /* texels added to the position */
};

/* Up to four texels of one plane of one mipmap level. A texel outside the texture has the address 0. */
struct sampler_quad {
    int total; /* sum of the weights */
    int weight[SAMPLER_QUAD];
    uint8_t takes_part; /* bit by texel: its weight is 0 only because weights are rounded; a NaN there counts */
    uint64_t address[SAMPLER_QUAD];
};

/* The texels that a fetch reads. All weights together are 2^weight_bits: 256, for some anisotropic filters more. */
struct sampler_footprint {
    int count;
    int weight_bits;
    bool is_single;  /* one texel, which is read as it is */
    bool is_between; /* a single one, but of a texture that filters between levels: read as tld4 reads it */
    struct sampler_quad quad[SAMPLER_MAX_QUADS];
};

/* False: the fetch reads zeros. */
bool sampler_find(const struct texture *t, const struct sampler_request *r, struct sampler_footprint *f);

/* Whether the fetch is by the number of a texel in linear memory: sampler_line_texel() then says what sampler_find()
 * does, in a tenth of the time. */
bool sampler_is_line(const struct sampler_request *r);
/* The address of the texel; 0: the fetch reads zeros. */
uint64_t sampler_line_texel(const struct texture *t, uint32_t number);

/* Texels by quad and corner; NULL: the texel is outside, and the border's colour is taken. */
typedef const uint8_t *sampler_texels[SAMPLER_MAX_QUADS][SAMPLER_QUAD];

/* The value of a channel. A format without the channel reads 0. */
uint32_t sampler_channel(const struct texture *t, const struct sampler_footprint *f, sampler_texels texel, int channel);
/* A channel of one texel, as the kernel reads it; NULL: the border. */
uint32_t sampler_texel(const struct texture *t, const uint8_t *texel, int channel);

/* A channel of one texel as tld4 reads it: signed bytes come as from a filter. */
uint32_t sampler_gathered(const struct texture *t, const uint8_t *texel, int channel);

/* Bytes of one texel. */
static inline uint32_t sampler_texel_bytes(const struct texture *t)
{
    return t->channels * type_bytes((enum type)t->texel_type);
}

#endif
