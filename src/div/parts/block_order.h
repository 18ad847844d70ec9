/*
 * A fixed order of a program's basic blocks, for mechanisms that always run the first block in which threads are.
 *
 * The order is topological: a block comes after its predecessors, back edges left out. The blocks of a loop are
 * consecutive, so that threads that have left the loop wait for those still in it. Otherwise blocks keep the order of
 * the text.
 */
#ifndef HEDDLE_DIV_PARTS_BLOCK_ORDER_H
#define HEDDLE_DIV_PARTS_BLOCK_ORDER_H

#include "flow/program.h"

/* By block, its position in the order; freed by the caller. Functions follow each other; unreachable blocks come
 * last. */
int32_t *block_order(const struct program *p);

#endif
