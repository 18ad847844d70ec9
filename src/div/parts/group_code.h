/*
 * A plan of convergence barriers as a warp executes it: which barrier operations threads do before an instruction, or
 * on an edge from one instruction to another. Spots say how far threads have come in these operations.
 *
 * Made once per launch from recon/barrier.h and read-only then.
 */
#ifndef HEDDLE_DIV_PARTS_GROUP_CODE_H
#define HEDDLE_DIV_PARTS_GROUP_CODE_H

#include "base/vec.h"
#include "div/parts/point.h"
#include "recon/barrier.h"

/* An instruction, and the barrier operations that threads still do before it: [op, end) of the list `ops`. While [op,
 * end) are operations of an edge, those before the instruction itself follow. */
struct spot {
    int32_t pc, depth;
    int32_t op, end;
};

static inline bool spot_is_same(const struct spot *a, const struct spot *b)
{
    return a->pc == b->pc && a->depth == b->depth && a->op == b->op && a->end == b->end;
}

struct group_op {
    uint8_t kind;      /* enum barrier_kind */
    uint8_t threshold; /* of a soft wait: threads that are enough, or BARRIER_ADAPTIVE */
    int8_t reg;        /* barrier register; BARRIER_NONE: the operation has none */
    bool spans_calls;  /* the barrier is the same at every call depth */
};

/* An edge with operations: [op, end) of the list `ops`. */
struct group_edge {
    int32_t from, pc, op, end;
};

struct group_code {
    struct vec_of(struct group_op) ops;
    struct vec_of(struct group_edge) edges; /* sorted by `from` */
    int32_t *edge_of;                       /* by PC: the first edge from it; -1: none */
    int32_t *op, *end;                      /* by PC: the operations before it are [op, end) of `ops` */
};

void group_code_open(struct group_code *code, const struct barrier_plan *plan);
void group_code_close(struct group_code *code);
/* The spot of threads that go from the instruction `from` to `to`; `from` PC_NONE: they start there. */
struct spot group_spot(const struct group_code *code, int32_t from, struct point to);
/* The number of operations that threads at the spot still do. */
int group_ops_left(const struct group_code *code, const struct spot *at);
/* One operation of the spot is done. */
void group_step(const struct group_code *code, struct spot *at);

#endif
