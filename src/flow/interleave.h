/*
 * Static classes of branches: whether the sides of a branch could issue side by side, as under dual-path execution (Rhu
 * and Erez, HPCA 2013, section 6.1), and why.
 *
 * A branch is interleavable if two or more of its sides have code before the branch's reconvergence point: an if with
 * an else. It is not if at most one side has: an if without an else, or the exit of a loop. A side that only jumps to
 * the reconvergence point has no code, and neither has a side that only jumps to the end of its threads.
 *
 * The slides speak of if and else alone. The other rules are heddle's: they follow what a dual-path stack does. Whether
 * a branch diverges at run time is not known here, except where it is proved or promised uniform.
 */
#ifndef HEDDLE_FLOW_INTERLEAVE_H
#define HEDDLE_FLOW_INTERLEAVE_H

#include "flow/program.h"

enum interleave {
    /* interleavable */
    INTERLEAVE_IF_ELSE,
    INTERLEAVE_SWITCH, /* a brx with several sides */
    INTERLEAVE_CALLS,  /* a call through a pointer that may enter several functions */
    INTERLEAVE_LEAVE,  /* a side leaves a loop, and has code before the reconvergence point */
    /* not interleavable */
    INTERLEAVE_IF,        /* an if without an else */
    INTERLEAVE_LOOP_EXIT, /* a side leaves a loop, and is at the reconvergence point */
    INTERLEAVE_END,       /* threads of a side end at once */
    INTERLEAVE_UNIFORM,   /* proved uniform: the branch does not diverge */
    INTERLEAVE_PROMISED,  /* marked .uni: the branch does not diverge within a warp */
    INTERLEAVE_COUNT
};

enum interleave interleave_of(const struct program *program, const struct branch *branch);

static inline bool interleave_is(enum interleave class)
{
    return class < INTERLEAVE_IF;
}

const char *interleave_name(enum interleave class); /* a word: "if-else", "loop-exit" */
const char *interleave_why(enum interleave class);  /* the reason, in a few words */

/* Counts the program's branches by class, and returns how many are interleavable. */
int interleave_count(const struct program *program, int counts[INTERLEAVE_COUNT]);

#endif
