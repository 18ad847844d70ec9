/*
 * A point: a PC at a call depth. The depth keeps the threads of a recursive call apart from those of its caller, which
 * execute the same PCs.
 *
 * The point (PC_NONE, d) is the end of the function that was entered at depth d: threads that return from it are at
 * this point, whatever PC they return to. Nobody returns at depth 0, so (PC_NONE, 0) is never reached.
 */
#ifndef HEDDLE_DIV_PARTS_POINT_H
#define HEDDLE_DIV_PARTS_POINT_H

#include "base/diag.h"
#include "base/text.h"
#include "flow/program.h"

struct point {
    int32_t pc, depth;
};

static inline bool point_is_same(struct point a, struct point b)
{
    return a.pc == b.pc && a.depth == b.depth;
}

static inline bool point_is_end(struct point p)
{
    return p.pc == PC_NONE;
}

/* Whether threads at `p` have reached `goal`. Threads at a smaller depth than goal's have left goal's function, and so
 * passed its end. */
static inline bool point_has_reached(struct point p, struct point goal)
{
    return p.depth < goal.depth || (point_is_same(p, goal) && !point_is_end(goal));
}

/* Threads reached `goal` and stand at `at`. If `goal` is the end of a function, `*back` becomes the PC that they
 * returned to; threads that reconverge there must all return to the same PC. */
static inline void point_note_return(struct point goal, struct point at, int32_t *back)
{
    if (!point_is_end(goal)) {
        if (!point_is_same(at, goal))
            panic("threads left a function at pc %d without passing their reconvergence point %d", (int)at.pc,
                  (int)goal.pc);
        return;
    }
    if (*back != PC_NONE && *back != at.pc)
        panic("threads that meet returned to pc %d and pc %d", (int)*back, (int)at.pc);
    *back = at.pc;
}

/* Where threads that reconverged at `at` continue: at `at` itself or, if that is the end of a function, at `*back`, the
 * PC they returned to. */
static inline struct point point_behind(struct point at, int32_t *back)
{
    if (!point_is_end(at))
        return at;
    if (*back == PC_NONE)
        panic("threads wait at the end of a function that none of them left");
    struct point behind = {*back, at.depth - 1};
    *back = PC_NONE;
    return behind;
}

/* Prints the PC by name, followed by @d at call depth d > 0. "ret" is the end of a function, "-" the end of the
 * thread. */
static inline void point_print(struct point p, const struct program *program, struct text *out)
{
    if (point_is_end(p))
        text_printf(out, "%s", p.depth ? "ret" : "-");
    else
        program_print_pc(program, p.pc, out);
    if (p.depth)
        text_printf(out, "@%d", (int)p.depth);
}

#endif
