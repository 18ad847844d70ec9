/*
 * Settled values: what every block of a launch computes again in the same registers.
 *
 * A value is settled if it follows from parameters, constants, and special registers that stay the same for a thread
 * of the block or for the whole launch: pointers among the parameters, indices of threads, and what is computed of
 * these alone. All blocks of a launch that use one storage (block.h) have the same settled values. So the functional
 * engine computes them once for each storage, into planes of their own behind those of the program. Instructions that
 * read them read those planes, and instructions that compute them are passed over, though they count as executed.
 *
 * The settled code of a program is a copy of its code with these changes. The timed machine executes the code as it
 * is.
 */
#ifndef HEDDLE_EXEC_SETTLED_H
#define HEDDLE_EXEC_SETTLED_H

#include "exec/engine.h"

struct settled;

/* The settled code for the launch; or the code itself, where nothing is settled, or where something looks at each
 * instruction of the launch. It is made at the first call and belongs to the code. */
const struct code *settled_code(const struct code *code, const struct launch *launch);
void settled_destroy(struct settled *settled); /* `settled` may be NULL */

/* Computes the settled values of a storage whose first block was started, with the engine whose code is settled, and
 * says which registers have to be cleared for the next ones. A no-op for other code. */
void settled_fill(struct engine *e, struct block *block);

#endif
