/*
 * Layout: the order of blocks in which ptxas looks for branches to predicate.
 *
 * nvcc writes a two-way choice with its first side at the branch's target, behind an unconditional branch. ptxas lays
 * blocks out along paths that are not taken, so the second side comes first:
 *
 *         @p bra X;                       @p bra X;
 *         bra Y;                    Y:    B; bra Z;
 *   X:    A; bra Z;        becomes  X:    A;
 *   Y:    B;                        Z:    ...
 *   Z:    ...
 *
 * Only where A is one block. What threads execute does not change, but for the unconditional branches. The order
 * matters if B is more than one block: a branch in B to Z then jumps over A as well.
 */
#include "lower/body.h"

/* Positions of the blocks in the picture above. */
struct choice {
    int branch, skip; /* `@p bra X` and `bra Y` */
    int first, leave; /* A without its last branch; `bra Z` */
    int second, join; /* Y and Z */
};

/* Whether control never goes on behind the instruction. */
static bool never_continues(const struct ptx_instruction *insn)
{
    return insn->guard < 0 && (insn->op == OP_BRA || insn->op == OP_BRX || insn->op == OP_RET || insn->op == OP_EXIT ||
                               insn->op == OP_TRAP);
}

static bool find_choice(const struct body *body, int branch, struct choice *c)
{
    *c = (struct choice){.branch = branch, .skip = branch + 1, .first = branch + 2};
    if (c->first >= body->count || body->at[branch].guard < 0 || body->at[c->skip].guard >= 0 ||
        body->references[c->skip] || body_target(body, branch) != c->first || body_target(body, c->skip) < 0)
        return false;
    c->second = body_target(body, c->skip);
    c->leave = c->second - 1;
    if (c->leave <= c->first || body->at[c->leave].guard >= 0 || body_target(body, c->leave) <= c->second)
        return false;
    c->join = body_target(body, c->leave);
    for (int i = c->first; i < c->leave; i++)
        if ((i > c->first && body->references[i]) || body_ends_block(&body->at[i]))
            return false;
    return !body->references[c->leave] && c->join < body->count;
}

/* Lists the positions of a body with the sides of the choice exchanged. Returns their number. */
static int exchange(const struct body *body, const struct choice *c, int *order)
{
    int count = 0;
    for (int i = 0; i <= c->branch; i++)
        order[count++] = i;
    for (int i = c->second; i < c->join; i++)
        order[count++] = i;
    if (!never_continues(&body->at[c->join - 1]))
        order[count++] = c->leave;
    for (int i = c->first; i < c->leave; i++)
        order[count++] = i;
    for (int i = c->join; i < body->count; i++)
        order[count++] = i;
    return count;
}

void body_lay_out(struct ptx_function *function)
{
    for (int i = function->instruction_count - 1; i >= 0; i--) { /* inner choices first */
        struct body body;
        struct choice c;
        if (i >= function->instruction_count || function->instructions[i].op != OP_BRA ||
            function->instructions[i].guard < 0)
            continue;
        body_open(&body, function);
        if (find_choice(&body, i, &c)) {
            int *order = arena_array(&body.scratch, int, (size_t)body.count);
            body_reorder(&body, order, exchange(&body, &c, order));
        }
        arena_free(&body.scratch);
    }
}
