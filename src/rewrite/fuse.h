/*
 * Branch fusion: what the three files of the pass share. fuse.c finds branches and decides, fuse_align.c aligns the two
 * sides of a branch, fuse_emit.c writes the fused code.
 *
 * After Coutinho et al. (Divergence Analysis and Optimizations, PACT 2011, branch fusion) and Branch Distribution of
 * Han and Abdelrahman (Reducing Branch Divergence in GPU Programs, GPGPU 2011); a rival of speculative reconvergence
 * (Damani et al., CGO 2020, section 7). Both sides of a divergent branch are sequences of instructions. They are
 * aligned as Needleman and Wunsch align sequences: a pair of the same kind of instruction becomes one instruction,
 * whose operands are selected where they differ; what stands alone stays under a guard or a branch.
 *
 *   @p bra ELSE;                                selp.f32 t0, d, a, p;
 *   mul.f32 x, a, b;                            mul.f32 t1, t0, b;
 *   st.global.f32 [q], x;   bra JOIN;      ->   @p add.f32 z, z, t1;
 *   ELSE: mul.f32 y, d, b;                      selp.b64 t2, r, q, p;
 *   add.f32 z, z, y;                            st.global.f32 [t2], t1;
 *   st.global.f32 [r], y;
 *
 * A thread executes its own side's instructions in their own order, and nothing else, so its results stay the same.
 *
 * Values of fused instructions live in new registers while the fused code runs: `now` says, for each side, which
 * register holds what the side's register held. A register gets its value back behind the fused code if it is live
 * there.
 */
#ifndef HEDDLE_REWRITE_FUSE_H
#define HEDDLE_REWRITE_FUSE_H

#include "base/vec.h"
#include "flow/program.h"
#include "rewrite/edit.h"

enum fuse_side { FUSE_TAKEN, FUSE_NEXT, FUSE_SIDES }; /* threads that take the branch; threads that do not */

/* A divergent branch, with two sides that are straight lines and meet. */
struct fuse_branch {
    const struct program *program;
    const struct ptx_function *function;
    int32_t branch;               /* of the program */
    int index;                    /* of the branch's instruction */
    int32_t join;                 /* block */
    int count[FUSE_SIDES];        /* instructions of a side, without the branch to the join */
    int *instruction[FUSE_SIDES]; /* their indices */
    int jump_count;
    int *jumps; /* indices of unguarded branches within the sides, which fusion removes */
};

/* A step of the fused code: a pair of instructions, or one alone (-1: no instruction of the other side). Positions in
 * the sides. */
struct fuse_step {
    int at[FUSE_SIDES];
};

struct fuse_plan {
    int count, pairs;
    struct fuse_step *steps;
};

/* ---- fuse_align.c ---- */

/* Estimated cost of an instruction, in issue slots. */
int fuse_weight(const struct ptx_instruction *insn);
/* Aligns the sides. Every instruction is in one step; a plan without steps: a side is too long. With `pairs_params`,
 * calls of one function whose arguments stand in different .param variables are paired as well: fuse_params_fit() says
 * whether the plan is right then. */
struct fuse_plan fuse_align(const struct fuse_branch *b, bool pairs_params, struct arena *arena);
/* Whether each .param variable of the second side that the plan replaces by one of the first is replaced everywhere. */
bool fuse_params_fit(const struct fuse_branch *b, const struct fuse_plan *plan);
/* Whether the operand with this role is written. */
bool fuse_is_written(enum role role);

/* ---- fuse_emit.c ---- */

/* The cost of the fused code, in issue slots. */
int fuse_cost(const struct fuse_branch *b, const struct fuse_plan *plan);
/* Replaces branch and sides by the fused code. */
void fuse_emit(const struct fuse_branch *b, const struct fuse_plan *plan, struct ptx_function *function);

#endif
