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
    int64_t layer;
    uint32_t coordinate[3];
    uint32_t level;
    float gradient[2][3];
    int offset[3];
};

/* A texel and its weight, in 256ths. */
struct oracle_tap {
    uint64_t address; /* 0: the border */
    int weight;
    int group;   /* texels of one plane of one level are a group */
    bool counts; /* NaN and infinity count even if rounding made the weight 0 */
};

enum { ORACLE_MAX_TAPS = 16 };

/* The texels of a fetch; 0: it reads zeros. With one tap, the texel is read as it is. The taps of a gather are in the
 * order upper left, upper right, lower left, lower right. */
int oracle_taps(const struct oracle_fetch *f, struct oracle_tap tap[ORACLE_MAX_TAPS]);

/* sampler_level.c: the level of detail in 256ths, within the levels that exist. */
int oracle_detail(const struct oracle_fetch *f);

/* sampler_cube.c: the face that a direction meets, and the position on it, from 0 to 1. */
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
