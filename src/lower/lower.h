/*
 * Lowering: what NVIDIA's ptxas does to the branches of a module, done to the module before it runs.
 *
 * PTX is not what a GPU executes. ptxas turns short branches into predicated instructions and ends threads where PTX
 * branches to a lone `ret`. lower_module() does the same to a parsed module, in place, so that every executor, analysis
 * and mechanism sees the lowered program. What a thread computes does not change. docs/lowering.md has the rule, the
 * probe kernels that it was read off, and what it leaves out.
 *
 *   layout.c     the order of blocks
 *   exits.c      a branch to a lone `ret` becomes a `ret`
 *   predicate.c  a branch over a short block becomes guards of the block's instructions
 *   weight.c     how many machine instructions a stretch of PTX takes
 *   registers.c  which registers an instruction reads and writes
 *
 * Not done: loop unrolling, motion of instructions between blocks, common tails, inlining, and the choice of machine
 * instructions. A lowered program still counts PTX instructions.
 *
 * ptxas also places the convergence barriers (BSSY, BSYNC, BREAK). Those are no PTX; recon/place_barriers.c places them
 * by ptxas' rule for a module whose `is_lowered` is set.
 */
#ifndef HEDDLE_LOWER_LOWER_H
#define HEDDLE_LOWER_LOWER_H

#include "ptx/module.h"

/* Lowers all functions of the module and sets `is_lowered`. A module that is lowered already is not changed. */
void lower_module(struct ptx_module *module);

#endif
