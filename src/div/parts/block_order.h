/*
 * A fixed order of a program's basic blocks, for mechanisms that run the first one that threads are at.
 *
 * It is topological: a block comes behind its predecessors, except for the edges that go back. The blocks of a loop
 * stand together, so that threads that have left it wait for those in it. In other respects it is the order of the
 * text.
 */
#ifndef HEDDLE_DIV_PARTS_BLOCK_ORDER_H
#define HEDDLE_DIV_PARTS_BLOCK_ORDER_H

#include "flow/program.h"

/* By block; freed by the caller. Functions one after the other; blocks that nothing leads to come last. */
int32_t *block_order(const struct program *p);

#endif
