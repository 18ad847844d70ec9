/*
 * What is known of each function while its program is made. Blocks, loops and registers are numbered within
 * the function here; the program numbers them over all its functions.
 */
#ifndef HEDDLE_FLOW_ANALYSIS_H
#define HEDDLE_FLOW_ANALYSIS_H

#include "flow/graph.h"
#include "flow/liveness.h"
#include "flow/loop.h"
#include "flow/program.h"

struct analysis {
    const int32_t *pc_of; /* by instruction of the text, and one more for the body's end */
    struct graph graph;   /* of blocks; block 0 is the entry */
    bool *ends;           /* by block: a thread can leave the function at its end */
    int32_t
        *post_dominator;    /* by block: immediate post-dominator, or -1: the exit. In a loop without end, at the latest
                                the loop's header */
    int32_t *reconvergence; /* by block: where threads that part behind it, and live on, meet again; -1: at the exit */
    struct loop_forest loops;
    int first_loop;         /* the function's loops start here in the program */
    int register_count;     /* those of the text and the carry */
    uint8_t *register_bits; /* by register: 1, 16, 32, 64 or 128 */
    struct liveness live;
    int32_t *plane; /* by register: counted from the function's first plane of its width; -1: never named */
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

static inline int analysis_planes(const struct analysis *a, int32_t reg) /* that a register takes */
{
    return a->register_bits[reg] <= 32 ? 1 : a->register_bits[reg] / 32;
}

static inline int analysis_words(const struct analysis *a, int32_t reg) /* 32-bit machine registers */
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

/* Gives every block its short name. */
void blocks_name(struct program *p, const struct analysis *functions);

/* Dominators, post-dominators and loops of the blocks. */
void blocks_analyse(struct program *p, struct analysis *functions, struct arena *scratch);

/* Gives a reconvergence point to branches that have none because threads may end behind them. */
void reconvergence_past_ends(const struct program *p, const struct program_function *f, struct analysis *a,
                             struct arena *scratch);
/* The same where the kernel's returns were merged into a block of their own. */
void reconvergence_past_bare_ends(const struct program *p, const struct program_function *f, struct analysis *a,
                                  struct arena *scratch);
/* Moves reconvergence points behind a block barrier to before it; see barrier_reconvergence.c. Not of branches proved uniform. */
void reconvergence_before_barriers(const struct program *p, struct analysis *functions, struct arena *scratch);
/* Which nodes can come to a wanted one, themselves included. `stack` has room for all nodes. */
void reconvergence_find_sources(const struct graph *g, const bool *wanted, bool *reaches, int32_t *stack);

/* Lists the branches. Where threads meet again is not known yet. */
void branch_create(struct program *p, const struct analysis *functions);
/* Gives branches their reconvergence points and likely-convergence points, and makes the list of those with plain
 * post-dominators. After uniform_prove(). */
void branch_reconverge(struct program *p, struct analysis *functions);

/* Proves branches uniform. Reads registers, so it comes before bind_planes(). */
void uniform_prove(struct program *p, const struct analysis *functions, struct arena *scratch);

/* Allocates each function's planes on their own; sets plane_count for each width. */
void allocate_planes(struct program *p, struct analysis *functions, struct arena *scratch);

/* Which functions call themselves, where each one's planes start, what calls save, and how much a thread
 * needs. */
void callgraph_resolve(struct program *p, const struct analysis *functions, struct arena *scratch);

/* Puts planes in the place of registers and special registers, in every operand. */
void bind_planes(struct program *p, const struct analysis *functions);

#endif
