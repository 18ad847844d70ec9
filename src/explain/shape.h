/*
 * The shape of a branch: what the flow graph alone says about it, for kind.h.
 *
 * A side is the code that threads come to by one target of the branch before they meet the others, or come to the
 * branch again (rewrite/sides.h); its own code is what no other side has.
 */
#ifndef HEDDLE_EXPLAIN_SHAPE_H
#define HEDDLE_EXPLAIN_SHAPE_H

#include "flow/program.h"

struct site;

enum { SHAPE_SIDES = 2 }; /* of a switch, the two with most instructions */

struct shape_side {
    int32_t target;   /* PC; PC_NONE: a guarded ret or exit, which ends threads at once */
    int instructions; /* of the side's own code */
    bool leaves_loop; /* the target lies outside the innermost loop around the branch */
    /* Threads that go here end, and pass no code on their way that threads of the other side come to, too, but for a
     * lone ret. */
    bool ends;
    /* A loop lies within the side, and its trips differ: threads of a warp leave it in different iterations, or the
     * branch is the loop's own condition, which the compiler has put ahead of it as well. */
    bool decides_trips;
    uint64_t issues;       /* warp instructions in the side's own code, where a call counts as its whole function */
    uint64_t work;         /* thread instructions in the side's own code */
    uint64_t work_in_loop; /* those of them in loops that lie within the side */
};

struct shape {
    int loop_depth;      /* loops around the branch; a function that is called in a loop counts as one loop more */
    bool leaves_loop;    /* threads leave the innermost loop here, and others stay */
    bool leaves_to_loop; /* and that loop lies within another one, in which they stay */
    bool has_other_exit; /* the innermost loop around the branch can be left elsewhere, too */
    bool is_repeating;   /* a thread takes the same side in every iteration (recon/repeating.h) */
    int target_count;
    struct shape_side side[SHAPE_SIDES];
    /* Instructions of one side that stand, in runs of several, in the other as well. A call counts as its callee. */
    int alike;
    uint64_t alike_issues; /* warp instructions that doing these once for both sides would save */
    /* Of a branch that leaves a loop: what was counted at the loop's header. */
    uint64_t header_issues, header_threads;
};

struct shapes;
struct shapes *shapes_create(const struct program *program, const struct site *sites);
void shapes_destroy(struct shapes *shapes);
/* `index`: of the branch in the program. */
struct shape shape_of(struct shapes *shapes, int32_t index);

#endif
