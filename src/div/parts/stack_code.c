/* Places the instructions of a call-return stack (stack_code.h). */
#include "div/parts/stack_code.h"

#include "base/arena.h"

#include <stdlib.h>

enum { NO_BLOCK = -1 };

/* Work on one program. */
struct placer {
    const struct program *program;
    struct stack_code *code;
    int32_t *depth; /* by block: its dominators; 0: not found yet */
    int32_t
        *common; /* by PC: of branches that reconverge there, the nearest block that dominates all; NO_BLOCK: none */
    int32_t *pushed; /* by PC: block whose end has the last push of that point; NO_BLOCK: none */
};

static bool may_diverge(const struct program *p, const struct branch *b)
{
    const struct insn *in = &p->insns[b->pc];
    return b->target_count > 1 && b->ipdom != PC_NONE && in->call < 0 && !b->uniform && !b->promised_uniform &&
           p->blocks[in->block].reachable;
}

static int32_t depth_of(struct placer *g, int32_t block)
{
    int32_t depth = 0;
    for (int32_t b = block; b >= 0 && !depth; b = g->program->blocks[b].dominator)
        depth = g->depth[b];
    if (!g->depth[block]) {
        int32_t above = 0;
        for (int32_t b = block; b >= 0 && !g->depth[b]; b = g->program->blocks[b].dominator)
            above++;
        depth += above;
        for (int32_t b = block, d = depth; b >= 0 && !g->depth[b]; b = g->program->blocks[b].dominator)
            g->depth[b] = d--;
    }
    return g->depth[block];
}

/* The nearest block that dominates both. Blocks of one function have one: its entry. */
static int32_t dominator_of_both(struct placer *g, int32_t a, int32_t b)
{
    while (a != b) {
        int32_t *deeper = depth_of(g, a) >= depth_of(g, b) ? &a : &b;
        *deeper = g->program->blocks[*deeper].dominator;
    }
    return a;
}

static bool has_block(const struct flow_loop *loop, int32_t block)
{
    for (int i = 0; i < loop->block_count; i++)
        if (loop->blocks[i] == block)
            return true;
    return false;
}

/* The block, or the nearest one that dominates it and is in no loop that `point` is outside of. NO_BLOCK: the function
 * begins with such a loop. */
static int32_t outside_loops(const struct program *p, int32_t block, int32_t point)
{
    for (int loop = p->blocks[block].loop; loop >= 0;) {
        if (has_block(&p->loops[loop], point)) {
            loop = p->loops[loop].parent;
            continue;
        }
        block = p->blocks[p->loops[loop].header].dominator;
        if (block < 0)
            return NO_BLOCK;
        loop = p->blocks[block].loop;
    }
    return block;
}

static bool post_dominates(const struct program *p, int32_t point, int32_t block)
{
    while (block >= 0 && block != point)
        block = p->blocks[block].post_dominator;
    return block == point;
}

static void push_at_end(struct placer *g, int32_t block, int32_t point_pc)
{
    if (g->pushed[point_pc] == block)
        return;
    g->pushed[point_pc] = block;
    g->code->ops[g->program->blocks[block].last]++;
}

static void push_for(struct placer *g, const struct branch *b)
{
    const struct program *p = g->program;
    int32_t point = p->insns[b->ipdom].block;
    int32_t joint = outside_loops(p, g->common[b->ipdom], point);
    if (joint != NO_BLOCK && post_dominates(p, point, joint)) {
        push_at_end(g, joint, b->ipdom);
        return;
    }
    int32_t own = outside_loops(p, p->insns[b->pc].block, point);
    push_at_end(g, own != NO_BLOCK ? own : p->insns[b->pc].block, b->ipdom);
}

static void place(struct placer *g, bool has_pushes)
{
    const struct program *p = g->program;
    for (int32_t i = 0; i < p->insn_count; i++)
        g->common[i] = g->pushed[i] = NO_BLOCK;
    for (int i = 0; i < p->branch_count; i++) {
        const struct branch *b = &p->branches[i];
        if (!may_diverge(p, b))
            continue;
        int32_t block = p->insns[b->pc].block, *common = &g->common[b->ipdom];
        *common = *common == NO_BLOCK ? block : dominator_of_both(g, *common, block);
        g->code->ops[b->ipdom] += !g->code->syncs[b->ipdom];
        g->code->syncs[b->ipdom] = 1;
    }
    for (int i = 0; has_pushes && i < p->branch_count; i++)
        if (may_diverge(p, &p->branches[i]))
            push_for(g, &p->branches[i]);
}

void stack_code_open(struct stack_code *code, const struct div_host *host, struct div_wants *wants)
{
    const struct program *p = host->facts.program;
    wants->never_syncs = host->facts.stack_syncs == DIV_NO_STACK_SYNCS;
    if (wants->never_syncs)
        return;
    size_t pcs = (size_t)p->insn_count + 1;
    code->ops = xcalloc(pcs, sizeof *code->ops);
    code->syncs = xcalloc(pcs, sizeof *code->syncs);
    struct placer g = {.program = p,
                       .code = code,
                       .depth = xcalloc((size_t)p->block_count + 1, sizeof *g.depth),
                       .common = xcalloc(pcs, sizeof *g.common),
                       .pushed = xcalloc(pcs, sizeof *g.pushed)};
    place(&g, host->facts.stack_syncs == DIV_STACK_PUSHES);
    free(g.depth);
    free(g.common);
    free(g.pushed);
    wants->code_syncs = code->ops;
}

void stack_code_close(struct stack_code *code)
{
    free(code->ops);
    free(code->syncs);
}

void stack_code_mark(const struct stack_code *code, const struct program *program, uint8_t *marks)
{
    for (int32_t pc = 0; code->ops && pc < program->insn_count; pc++)
        if (code->ops[pc])
            marks[pc] = 1;
}
