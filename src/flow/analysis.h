/*
 * What the passes of flow/ find out about each function while its program is made, and the passes themselves. Nothing
 * of this outlives program_create().
 *
 * Blocks, loops and registers are numbered within the function here; the program numbers them over all its functions.
 */
#ifndef HEDDLE_FLOW_ANALYSIS_H
#define HEDDLE_FLOW_ANALYSIS_H

#include "flow/graph.h"
#include "flow/liveness.h"
#include "flow/loop.h"
#include "flow/program.h"

struct analysis {
    const int32_t *pc_of; /* by instruction of the text: PC; one more for the end of the body */
    struct graph graph;   /* nodes are blocks; block 0 is the entry */
    bool *ends;           /* by block: a thread can leave the function at the block's end */
    /* By block: immediate post-dominator, or -1: the exit. Inside a loop that never ends, a branch has the header of
     * that loop at the latest. */
    int32_t *post_dominator;
    /* By block: where the threads that diverge behind the block, and do not exit, reconverge; -1: at the exit. */
    int32_t *reconvergence;
    struct loop_forest loops;
    int first_loop;         /* number that the function's first loop has in the program */
    int register_count;     /* registers of the text, and one for the carry flag */
    uint8_t *register_bits; /* by register: 1, 16, 32, 64 or 128 */
    struct liveness live;
    int32_t *plane; /* by register: plane, counted from the function's first plane of that width; -1: never named */
};

static inline enum plane_width analysis_width(const struct analysis *a, int32_t reg)
{
    switch (a->register_bits[reg]) {
    case 16:
        return WIDTH_16;
    case 64:
        return WIDTH_64;
    case 128:
        return WIDTH_128;
    default:
        return WIDTH_32;
    }
}

/* The plane of a register in the whole program; after callgraph_resolve(). */
static inline int32_t analysis_plane(const struct analysis *a, const struct program_function *f, int32_t reg)
{
    return f->first_plane[analysis_width(a, reg)] + a->plane[reg];
}

/* How many planes a register takes. */
static inline int analysis_planes(const struct analysis *a, int32_t reg)
{
    return a->register_bits[reg] <= 32 ? 1 : a->register_bits[reg] / 32;
}

/* How many 32-bit machine registers a register takes; a predicate takes none. */
static inline int analysis_words(const struct analysis *a, int32_t reg)
{
    return a->register_bits[reg] == 1 ? 0 : analysis_planes(a, reg);
}

/* The function's register that a decoded operand names, or -1; before planes are bound. */
static inline int32_t analysis_register(const struct ref *r)
{
    return r->kind == REF_PLANE ? r->plane : -1;
}

/* The list of labels that a brx names. */
static inline const struct ptx_targets *analysis_targets(const struct insn *brx)
{
    for (int i = 0; i < brx->origin->operand_count; i++)
        if (brx->origin->operand[i].kind == OPERAND_TARGETS)
            return brx->origin->operand[i].targets;
    return NULL;
}

/* Splits all functions into blocks and links them. */
void blocks_create(struct program *p, struct analysis *functions, struct arena *scratch);

/* Gives every block its short name; see name.c. */
void blocks_name(struct program *p, const struct analysis *functions);

/* Finds dominators, post-dominators and loops of the blocks. */
void blocks_analyse(struct program *p, struct analysis *functions, struct arena *scratch);

/* Gives a reconvergence point to branches that have no post-dominator because threads may exit on one of their sides;
 * see reconvergence.c. */
void reconvergence_past_ends(const struct program *p, const struct program_function *f, struct analysis *a,
                             struct arena *scratch);
/* Gives an earlier reconvergence point to branches whose post-dominator is a block that holds nothing but `ret`. */
void reconvergence_past_bare_ends(const struct program *p, const struct program_function *f, struct analysis *a,
                                  struct arena *scratch);
/* Moves reconvergence points from behind a block barrier to before it; see barrier_reconvergence.c. Branches that are
 * proved uniform keep theirs. */
void reconvergence_before_barriers(const struct program *p, struct analysis *functions, struct arena *scratch);
/* reaches[node]: a path leads from the node to a wanted one, or the node is wanted itself. `stack` is scratch for all
 * nodes. */
void reconvergence_find_sources(const struct graph *g, const bool *wanted, bool *reaches, int32_t *stack);

/* Lists the branches, still without reconvergence points. */
void branch_create(struct program *p, const struct analysis *functions);
/* Gives branches their reconvergence points and likely-convergence points, and makes the list of branches that
 * reconverge at immediate post-dominators alone. Comes after uniform_prove(). */
void branch_reconverge(struct program *p, struct analysis *functions);

/* Proves branches uniform. Reads registers, so it comes before bind_planes(). */
void uniform_prove(struct program *p, const struct analysis *functions, struct arena *scratch);

/* Allocates planes to the registers of each function by itself; sets the function's plane_count for each width. */
void allocate_planes(struct program *p, struct analysis *functions, struct arena *scratch);

/* Finds which functions are recursive, where each function's planes start, which planes calls save, and how many
 * registers and bytes of stack a thread needs. */
void callgraph_resolve(struct program *p, const struct analysis *functions, struct arena *scratch);

/* Replaces registers and special registers by their planes, in every operand. */
void bind_planes(struct program *p, const struct analysis *functions);

struct registers;
/* Notes which registers are live at each PC and which it writes, with their planes; before bind_planes(). */
void registers_note(struct registers *r, const struct program *p, const struct analysis *functions);
/* program_create(), which fills `registers` in beside; NULL: nobody needs them. */
struct program *program_create_with(const struct ptx_function *kernel, struct registers *registers, char **error);

#endif
