/* What block-wide reconvergence stacks have in common: see block_rules.h. */
#include "div/parts/block_rules.h"

#include "base/diag.h"

const char *const block_order_names[] = {"taken-first", "not-taken-first", NULL};

bool block_rules_may_diverge(const struct insn *in, int32_t depth)
{
    return in->branch >= 0 && in->op != OP_EXIT && (in->op != OP_RET || depth);
}

const char *const block_uniform_names[] = {"proved", "marked", NULL};

bool block_rules_waits(const struct program *p, const struct strand *s, enum block_uniform uniform, bool trusts_marks)
{
    const struct insn *in = &p->insns[s->pc];
    if (!block_rules_may_diverge(in, s->depth))
        return false;
    const struct branch *b = &p->branches[in->branch];
    bool is_marked = b->promised_uniform && (b->uniform || trusts_marks);
    return !(is_marked || (uniform == UNIFORM_PROVED && b->uniform));
}

bool block_rules_have_one_place(const struct outcome *o, int count)
{
    for (int i = 1; i < count; i++)
        if (o[i].pc != o[0].pc || o[i].depth != o[0].depth)
            return false;
    return true;
}

void block_rules_note_back(int32_t *back, struct point from, struct point goal)
{
    if (!point_is_end(goal)) {
        if (!point_is_same(from, goal))
            panic("threads left a function at pc %d without passing their reconvergence point %d", (int)from.pc,
                  (int)goal.pc);
        return;
    }
    if (*back != PC_NONE && *back != from.pc)
        panic("threads of one path returned to pc %d and pc %d", (int)*back, (int)from.pc);
    *back = from.pc;
}
