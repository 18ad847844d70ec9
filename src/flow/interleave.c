/* Static classes of branches. See interleave.h. */
#include "flow/interleave.h"

#include <string.h>

static const struct {
    const char *name, *why;
} words[INTERLEAVE_COUNT] = {
    [INTERLEAVE_IF_ELSE] = {"if-else", "both sides have code before the reconvergence point"},
    [INTERLEAVE_SWITCH] = {"switch", "several sides have code before the reconvergence point"},
    [INTERLEAVE_CALLS] = {"calls", "the call may enter several functions"},
    [INTERLEAVE_LEAVE] = {"loop-leave",
                          "one side stays in the loop, the other has code before the reconvergence point"},
    [INTERLEAVE_IF] = {"if", "at most one side has code before the reconvergence point"},
    [INTERLEAVE_LOOP_EXIT] = {"loop-exit", "threads that leave the loop are at the reconvergence point"},
    [INTERLEAVE_END] = {"end", "threads of one side end at once"},
    [INTERLEAVE_UNIFORM] = {"uniform", "the branch is proved uniform"},
    [INTERLEAVE_PROMISED] = {"promised", "the text promises that the branch is uniform (.uni)"},
};

enum side { SIDE_HAS_CODE, SIDE_RECONVERGES, SIDE_ENDS };

/* What a side does first, behind jumps. */
static enum side side_of(const struct program *p, const struct branch *b, int32_t pc)
{
    for (int jumps = 0; jumps <= p->block_count; jumps++) {
        const struct insn *insn = &p->insns[pc];
        if (pc == b->ipdom)
            return SIDE_RECONVERGES;
        if (insn->guard >= 0)
            return SIDE_HAS_CODE;
        if (insn->op == OP_RET)
            return insn->function ? SIDE_RECONVERGES : SIDE_ENDS; /* a function's threads reconverge behind the call */
        if (insn->op == OP_EXIT)
            return SIDE_ENDS;
        if (insn->op != OP_BRA)
            return SIDE_HAS_CODE;
        pc = insn->target;
    }
    return SIDE_HAS_CODE; /* an endless loop of jumps */
}

/* Whether some targets of the branch are inside the innermost loop around it, and others outside. Targets that are all
 * inside are inside of the loops around that loop as well. */
static bool leaves_loop(const struct program *p, const struct branch *b)
{
    int loop = p->blocks[p->insns[b->pc].block].loop, inside = 0;
    if (loop < 0)
        return false;
    for (int i = 0; i < b->target_count; i++) {
        int inner = p->blocks[p->insns[b->target[i]].block].loop;
        while (inner > loop) /* a loop stands behind the loops around it */
            inner = p->loops[inner].parent;
        inside += inner == loop;
    }
    return inside > 0 && inside < b->target_count;
}

enum interleave interleave_of(const struct program *program, const struct branch *branch)
{
    enum op op = program->insns[branch->pc].op;
    int counts[] = {[SIDE_HAS_CODE] = 0, [SIDE_RECONVERGES] = 0, [SIDE_ENDS] = 0};
    if (branch->uniform)
        return INTERLEAVE_UNIFORM;
    if (branch->promised_uniform)
        return INTERLEAVE_PROMISED;
    if (op == OP_RET || op == OP_EXIT)
        return INTERLEAVE_END;
    for (int i = 0; i < branch->target_count; i++)
        counts[side_of(program, branch, branch->target[i])]++;
    if (counts[SIDE_HAS_CODE] > 1)
        return op == OP_CALL                  ? INTERLEAVE_CALLS
               : op == OP_BRX                 ? INTERLEAVE_SWITCH
               : leaves_loop(program, branch) ? INTERLEAVE_LEAVE
                                              : INTERLEAVE_IF_ELSE;
    return counts[SIDE_ENDS] ? INTERLEAVE_END : leaves_loop(program, branch) ? INTERLEAVE_LOOP_EXIT : INTERLEAVE_IF;
}

const char *interleave_name(enum interleave class)
{
    return words[class].name;
}

const char *interleave_why(enum interleave class)
{
    return words[class].why;
}

int interleave_count(const struct program *program, int counts[INTERLEAVE_COUNT])
{
    int found = 0;
    memset(counts, 0, sizeof *counts * INTERLEAVE_COUNT);
    for (int i = 0; i < program->branch_count; i++) {
        enum interleave class = interleave_of(program, &program->branches[i]);
        counts[class]++;
        found += interleave_is(class);
    }
    return found;
}
