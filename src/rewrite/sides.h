/*
 * Sides of a branch: which code threads come to by one side of a branch before they reconverge, or come to the branch
 * again.
 */
#ifndef HEDDLE_REWRITE_SIDES_H
#define HEDDLE_REWRITE_SIDES_H

#include "flow/program.h"

enum { SIDES_MAX = 8 }; /* sides that are looked at; a switch may have more */

struct sides {
    const struct program *program;
    uint32_t *of_block; /* by block: bits of the sides that come there */
    int32_t *stack;     /* blocks; scratch */
};

struct sides sides_create(const struct program *program, struct arena *arena);
/* Fills in of_block for a branch. */
void sides_mark(struct sides *s, const struct branch *branch);
/* The one side that comes to the block; -1: none, or several. */
int sides_only(const struct sides *s, int32_t block);
/* Whether a barrier or warp-level operation stands on a side, or may be called from there. */
bool sides_have_collective(const struct sides *s);

/* The PC of an instruction for which `is_wanted` holds in a function that the call may enter, or in what that calls;
 * PC_NONE: there is none. */
int32_t sides_find_in_call(const struct program *program, int32_t call, bool (*is_wanted)(const struct insn *insn));
/* Whether a barrier or warp-level operation stands there. */
bool sides_call_collective(const struct program *program, int32_t call);

/* Whether threads of a warp may take several sides of a branch: of a `bra` or `brx` of the kernel. */
bool sides_diverge(const struct program *program, const struct branch *branch);

#endif
