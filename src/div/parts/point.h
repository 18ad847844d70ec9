/*
 * A point: a PC at a call depth, so that a recursive call does not meet its caller.
 *
 * The point (PC_NONE, d) is where the function entered at depth d ends: threads that return are there, whatever PC they
 * return to. At depth 0 nobody returns, and the point is never reached.
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

/* A thread in a shallower call than `goal` came by the end of goal's function. */
static inline bool point_has_reached(struct point p, struct point goal)
{
    return p.depth < goal.depth || (point_is_same(p, goal) && !point_is_end(goal));
}

/* Threads came to `goal` at `at`. If that is a function's end, `*back` is the PC that they returned to: those that meet
 * return to one. */
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

/* Where those go on who met at `at`, by way of `*back` if that is a function's end. */
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

/* The PC by name, with @d behind it in a function d calls deep; "ret" stands for the end of the function, "-" for the end
 * of the thread. */
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
