/* Texture fetches. */
#ifndef HEDDLE_EXEC_TEXTURE_H
#define HEDDLE_EXEC_TEXTURE_H

#include "exec/engine.h"

/* Executes the fetch for the threads `mask` of the row at work. False after a fault. */
bool texture_execute(struct engine *e, const struct bound *in, uint32_t mask);
/* The generic addresses of the texels that the threads fetch; `bytes` is raised to the size of the largest texel.
 * Returns the lanes that access memory: a texel outside the texture reads as 0 without an access. */
uint32_t texture_addresses(struct engine *e, const struct bound *in, uint32_t mask, uint64_t address[ROW_LANES],
                           uint32_t *bytes);

/* Executes txq, suq or istypep. False after a fault. */
bool texture_query(struct engine *e, const struct bound *in, uint32_t mask);

#endif
