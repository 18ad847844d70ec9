/* The level of detail of a texture fetch. */
#ifndef HEDDLE_EXEC_SAMPLER_LEVEL_H
#define HEDDLE_EXEC_SAMPLER_LEVEL_H

#include "exec/sampler.h"

/* In 256ths, clamped as the texture says and to the levels that exist. */
int sampler_level(const struct texture *t, const struct sampler_request *r);

#endif
