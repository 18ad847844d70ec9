/* The oracle's texture unit. Only the oracle includes this header. */
#ifndef HEDDLE_ORACLE_SAMPLER_H
#define HEDDLE_ORACLE_SAMPLER_H

#include "oracle/internal.h"

/* What one thread asks a texture for. */
struct oracle_fetch {
    const struct texture *texture;
    struct op_shape shape;
    bool by_number; /* integer coordinates */
    bool gathers;
    bool has_level, has_gradient;
    bool has_depth; /* to compare texels with */
    int64_t layer;
    uint32_t coordinate[3];
    uint32_t level;
    float gradient[2][3];
    int offset[3];
};

/* A texel and its weight, in 256ths, or with an anisotropic filter in 1024ths. */
struct oracle_tap {
    uint64_t address; /* 0: the border */
    int weight;
    int group;   /* texels of one plane of one level are a group */
    bool counts; /* NaN and infinity count even if rounding made the weight 0 */
};

enum { ORACLE_MAX_TAPS = 128, ORACLE_MAX_GROUPS = 32 };

/* The texels of a fetch; 0: it reads zeros. With one tap, the texel is read as it is. The taps of a gather are in the
 * order upper left, upper right, lower left, lower right. */
int oracle_taps(const struct oracle_fetch *f, struct oracle_tap tap[ORACLE_MAX_TAPS]);

/* The level of detail in 256ths, within the levels that exist. If the logarithm of the ratio, in 256ths, is above 0, an
 * anisotropic filter takes samples along the direction. */
struct oracle_detail {
    int level, ratio;
    double direction[2];
};

/* One of several samples. */
struct oracle_sample {
    double shift[2];  /* from the fetch's position, in texels */
    int weight, unit; /* the unit is a part of 1024 */
    int half;         /* 0: alone, or one of many; 1 or 2: one of two near ones */
};

enum { ORACLE_MAX_SAMPLES = 16 };

/* sampler_level.c */
struct oracle_detail oracle_find_detail(const struct oracle_fetch *f);
/* The samples in the level below (`above` is false) or above the level of detail, of which they have `part` 256ths. */
int oracle_find_samples(const struct oracle_detail *d, bool above, int part,
                        struct oracle_sample sample[ORACLE_MAX_SAMPLES]);

/* sampler_cube.c: the face that a direction meets, and the position on it, from 0 to 1, with 21 bits. */
int oracle_meet_face(const struct oracle_fetch *f, double at[2]);
/* How far derivatives move that position, a face beside being unfolded into the plane of the first. False: they move it
 * off the face. */
bool oracle_cube_slopes(const struct oracle_fetch *f, double slope[2][2]);
/* The texel beside a face whose filters go on from face to face. */
void oracle_go_on(int *face, int64_t *x, int64_t *y, int64_t size);

/* A channel as the kernel reads it, from its bits in memory. */
uint32_t oracle_texel(const struct texture *t, int channel, uint32_t raw);
/* The bits that a texel outside the texture would have in memory. */
uint32_t oracle_border(const struct texture *t, int channel);
/* What a filter makes of the taps, whose bits in memory are `raw`. */
uint32_t oracle_blend(const struct texture *t, int channel, const struct oracle_tap *tap, const uint32_t *raw,
                      int count);

#endif
