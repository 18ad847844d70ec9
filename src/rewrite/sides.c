/* Sides of a branch (sides.h). */
#include "rewrite/sides.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct sides sides_create(const struct program *p, struct arena *arena)
{
    return (struct sides){.program = p,
                          .of_block = arena_array(arena, uint32_t, (size_t)p->block_count + 1),
                          .stack = arena_array(arena, int32_t, (size_t)p->block_count + 1)};
}

static void mark_side(struct sides *s, const struct branch *b, int side)
{
    const struct program *p = s->program;
    int32_t branch = p->insns[b->pc].block, join = b->ipdom == PC_NONE ? -1 : p->insns[b->ipdom].block;
    int32_t start = p->insns[b->target[side]].block;
    uint32_t bit = UINT32_C(1) << side;
    int depth = 0;
    if (start == join || start == branch)
        return;
    s->of_block[start] |= bit;
    s->stack[depth++] = start;
    while (depth) {
        const struct flow_block *at = &p->blocks[s->stack[--depth]];
        for (int i = 0; i < at->successor_count; i++) {
            int32_t next = at->successors[i];
            if (next == join || next == branch || s->of_block[next] & bit)
                continue;
            s->of_block[next] |= bit;
            s->stack[depth++] = next;
        }
    }
}

void sides_mark(struct sides *s, const struct branch *b)
{
    memset(s->of_block, 0, sizeof *s->of_block * (size_t)s->program->block_count);
    for (int side = 0; side < b->target_count && side < SIDES_MAX; side++)
        mark_side(s, b, side);
}

int sides_only(const struct sides *s, int32_t block)
{
    uint32_t sides = s->of_block[block];
    return sides && !(sides & (sides - 1)) ? __builtin_ctz(sides) : -1;
}

static bool is_collective(const struct insn *in)
{
    return in->class == CLASS_BARRIER || class_is_warp_level(in->class);
}

bool sides_have_collective(const struct sides *s)
{
    const struct program *p = s->program;
    const struct program_function *f = &p->functions[0];
    bool in_callee = false;
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        in_callee |= p->insns[pc].function != 0 && is_collective(&p->insns[pc]);
    for (int32_t block = f->first_block; block < f->first_block + f->block_count; block++)
        for (int32_t pc = p->blocks[block].first; s->of_block[block] && pc <= p->blocks[block].last; pc++)
            if (is_collective(&p->insns[pc]) || (p->insns[pc].call >= 0 && in_callee))
                return true;
    return false;
}

/* sides_find_in_call(), but for functions that were `seen`, by number. */
static int32_t find_in_call(const struct program *p, int32_t call, bool (*is_wanted)(const struct insn *insn),
                            bool *seen)
{
    for (int k = 0; k < p->calls[call].candidate_count; k++) {
        int32_t function = p->calls[call].candidates[k];
        if (seen[function])
            continue;
        seen[function] = true;
        for (int32_t pc = p->functions[function].first; pc <= p->functions[function].last; pc++) {
            if (is_wanted(&p->insns[pc]))
                return pc;
            int32_t found = p->insns[pc].call >= 0 ? find_in_call(p, p->insns[pc].call, is_wanted, seen) : PC_NONE;
            if (found != PC_NONE)
                return found;
        }
    }
    return PC_NONE;
}

int32_t sides_find_in_call(const struct program *p, int32_t call, bool (*is_wanted)(const struct insn *insn))
{
    bool *seen = xcalloc((size_t)p->function_count + 1, sizeof *seen);
    int32_t found = find_in_call(p, call, is_wanted, seen);
    free(seen);
    return found;
}

bool sides_call_collective(const struct program *p, int32_t call)
{
    return sides_find_in_call(p, call, is_collective) != PC_NONE;
}

bool sides_diverge(const struct program *p, const struct branch *b)
{
    const struct insn *in = &p->insns[b->pc];
    return in->function == 0 && (in->op == OP_BRA || in->op == OP_BRX) && !b->uniform && !b->promised_uniform &&
           b->target_count > 1 && p->blocks[in->block].reachable;
}
