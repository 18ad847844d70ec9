/*
 * Regions of branches: which branch to blame for lanes that are empty at a PC. A PC is charged to the innermost branch
 * between whose targets and reconvergence point it lies (region.h). Regions consist of whole blocks, since targets and
 * post-dominators begin blocks, so blocks are charged first, and then functions by their calls.
 */
#include "flow/region.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY = -1, UNKNOWN = -2 };

struct region_search {
    const struct program *program;
    int32_t *stack;
    int32_t *region; /* blocks of the branch that is looked at now */
    int region_count;
    bool *seen;      /* by block: it is in `region` */
    int32_t *charge; /* by block: the branch that the block is charged to, or NOBODY */
    int *size;       /* by block: instructions in the region of the branch that the block is charged to */
};

/* Finds the blocks between the branch's targets and its reconvergence point, and returns the number of instructions in
 * these blocks. */
static int find_region(struct region_search *s, const struct branch *branch)
{
    const struct program *p = s->program;
    int32_t end = branch->ipdom == PC_NONE ? NOBODY : p->insns[branch->ipdom].block;
    int top = 0, size = 0;
    for (int i = 0; i < s->region_count; i++)
        s->seen[s->region[i]] = false;
    s->region_count = 0;
    for (int i = 0; i < branch->target_count; i++)
        s->stack[top++] = p->insns[branch->target[i]].block;
    while (top) {
        int32_t block = s->stack[--top];
        const struct flow_block *b = &p->blocks[block];
        if (block == end || s->seen[block])
            continue;
        s->seen[block] = true;
        s->region[s->region_count++] = block;
        size += b->last - b->first + 1;
        for (int i = 0; i < b->successor_count; i++)
            if (!s->seen[b->successors[i]])
                s->stack[top++] = b->successors[i];
    }
    return size;
}

/* Whether the branch, whose region has `size` instructions, is further in than the branch that the block is charged to
 * so far. */
static bool is_inner(const struct region_search *s, int32_t block, int32_t branch, int size)
{
    const struct program *p = s->program;
    int32_t old = s->charge[block], first = p->blocks[block].first;
    if (old == NOBODY || size != s->size[block])
        return old == NOBODY || size < s->size[block];
    return p->branches[branch].pc < first || p->branches[old].pc >= first;
}

static void charge_blocks(struct region_search *s, const bool *counts)
{
    const struct program *p = s->program;
    for (int32_t i = 0; i < p->branch_count; i++) {
        if (!counts[i] || p->insns[p->branches[i].pc].call >= 0)
            continue; /* the region of a call is the function that it calls: see charge_functions() */
        int size = find_region(s, &p->branches[i]);
        for (int k = 0; k < s->region_count; k++)
            if (is_inner(s, s->region[k], i, size)) {
                s->charge[s->region[k]] = i;
                s->size[s->region[k]] = size;
            }
    }
}

/* The branch that a call is charged to: the call itself if threads may diverge at it, else the branch of its block,
 * else the branch of its function. */
static int32_t charge_of_call(const struct region_search *s, const struct call *call, const bool *counts,
                              const int32_t *function)
{
    const struct insn *insn = &s->program->insns[call->pc];
    if (insn->branch >= 0 && counts[insn->branch])
        return insn->branch;
    return s->charge[insn->block] != NOBODY ? s->charge[insn->block] : function[insn->function];
}

/* function[i] = the branch that all calls of function i are charged to, or NOBODY. A charge goes from UNKNOWN to a
 * branch to NOBODY and never back, so the loop ends. */
static void charge_functions(const struct region_search *s, const bool *counts, int32_t *function)
{
    const struct program *p = s->program;
    for (int i = 0; i < p->function_count; i++)
        function[i] = i ? UNKNOWN : NOBODY;
    for (bool changed = true; changed;) {
        changed = false;
        for (int c = 0; c < p->call_count; c++)
            for (int i = 0; i < p->calls[c].candidate_count; i++) {
                int32_t *callee = &function[p->calls[c].candidates[i]];
                int32_t found = charge_of_call(s, &p->calls[c], counts, function);
                if (found == UNKNOWN || found == *callee || *callee == NOBODY)
                    continue;
                *callee = *callee == UNKNOWN ? found : NOBODY;
                changed = true;
            }
    }
}

void region_charge(const struct program *p, const bool *counts, int32_t *branch_of)
{
    struct arena scratch = {0};
    size_t blocks = (size_t)p->block_count, edges = 0;
    for (int i = 0; i < p->block_count; i++)
        edges += (size_t)p->blocks[i].successor_count;
    for (int i = 0; i < p->branch_count; i++)
        edges += (size_t)p->branches[i].target_count;
    struct region_search s = {.program = p,
                              .stack = arena_array(&scratch, int32_t, edges + 1),
                              .region = arena_array(&scratch, int32_t, blocks),
                              .seen = arena_array(&scratch, bool, blocks),
                              .charge = arena_array(&scratch, int32_t, blocks),
                              .size = arena_array(&scratch, int, blocks)};
    int32_t *function = arena_array(&scratch, int32_t, (size_t)p->function_count);
    memset(s.charge, NOBODY, blocks * sizeof *s.charge);
    charge_blocks(&s, counts);
    charge_functions(&s, counts, function);
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        int32_t own = s.charge[p->insns[pc].block], around = function[p->insns[pc].function];
        branch_of[pc] = own != NOBODY ? own : around < 0 ? NOBODY : around;
    }
    arena_free(&scratch);
}
