/* Operands: the planes that an instruction reads and writes, for the row at work. */
#ifndef HEDDLE_EXEC_OPERAND_H
#define HEDDLE_EXEC_OPERAND_H

#include "exec/engine.h"

/* The 32 lanes of source i. A source that needs preparation is prepared in the engine's scratch, valid until the next
 * instruction. */
const void *operand_source(struct engine *e, const struct bound *in, int i);
/* The 32 lanes of source i of a texture fetch, which may have more sources than struct bound has room for; NULL: the
 * operand is absent. */
const void *operand_texture_source(struct engine *e, const struct bound *in, int i);
/* Writes `lanes` to destination i, for the threads of the mask only; a sunk destination (`_`) is not written. */
void operand_write(struct engine *e, const struct bound *in, int i, const void *lanes, uint32_t mask);

#endif
