/* Reconvergence points inside loops: see loop_points.h. */
#include "recon/loop_points.h"

#include <string.h>

/* The search for one program. */
struct point_search {
    const struct program *program;
    bool *seen;     /* by block: scratch of walk() */
    int32_t *stack; /* scratch of walk(): blocks */
};

bool loop_holds(const struct program *program, int loop, int32_t block)
{
    int l = program->blocks[block].loop;
    while (l >= 0 && l != loop)
        l = program->loops[l].parent;
    return l == loop;
}

/* Walks the paths from a block that stay in the loop, up to its next iteration, and marks their blocks as seen. Does
 * not go through `without`. True: the next iteration is reached. */
static bool walk(struct point_search *s, int loop, int32_t from, int32_t without)
{
    const struct program *p = s->program;
    int32_t header = p->loops[loop].header;
    bool repeats = false;
    int top = 0;
    memset(s->seen, 0, sizeof *s->seen * (size_t)p->block_count);
    if (from != without) {
        s->seen[from] = true;
        s->stack[top++] = from;
    }
    while (top) {
        const struct flow_block *b = &p->blocks[s->stack[--top]];
        for (int i = 0; i < b->successor_count; i++) {
            int32_t next = b->successors[i];
            repeats |= next == header;
            if (next == header || next == without || s->seen[next] || !loop_holds(p, loop, next))
                continue;
            s->seen[next] = true;
            s->stack[top++] = next;
        }
    }
    return repeats;
}

/* The first block that all paths from all `targets` to the loop's next iteration go through, or -1. */
static int32_t meeting(struct point_search *s, int loop, const int32_t *targets, int count)
{
    const struct flow_loop *l = &s->program->loops[loop];
    int32_t best = -1;
    for (int k = 0; k < count; k++)
        if (targets[k] == l->header || !walk(s, loop, targets[k], -1))
            return -1;
    for (int i = 0; i < l->block_count; i++) {
        int32_t block = l->blocks[i];
        bool is_on_all = block != l->header;
        for (int k = 0; k < count && is_on_all; k++)
            is_on_all = !walk(s, loop, targets[k], block);
        if (!is_on_all)
            continue;
        /* Of two such blocks, the one that paths come to first. */
        walk(s, loop, targets[0], block);
        if (best < 0 || !s->seen[best])
            best = block;
    }
    return best;
}

enum { MOST_TARGETS = 64 };

/* Adds a block to a list without repetition; false: the list is full. */
static bool add_target(int32_t *targets, int *count, int32_t block)
{
    for (int i = 0; i < *count; i++)
        if (targets[i] == block)
            return true;
    if (*count == MOST_TARGETS)
        return false;
    targets[(*count)++] = block;
    return true;
}

/* The blocks of loop `around` that threads come to from the loop `inner` in it. False: too many. */
static bool exits_of(const struct program *p, int inner, int around, int32_t *targets, int *count)
{
    const struct flow_loop *l = &p->loops[inner];
    *count = 0;
    for (int i = 0; i < l->block_count; i++) {
        const struct flow_block *b = &p->blocks[l->blocks[i]];
        for (int k = 0; k < b->successor_count; k++)
            if (!loop_holds(p, inner, b->successors[k]) && loop_holds(p, around, b->successors[k]) &&
                !add_target(targets, count, b->successors[k]))
                return false;
    }
    return true;
}

/* Whether threads may return from a function, not a kernel, in the middle of the loop. They would return as
 * participants: a guarded `ret` has no edge on which they could cancel. */
static bool returns_inside(const struct program *p, int loop)
{
    for (int i = 0; i < p->loops[loop].block_count; i++) {
        const struct insn *last = &p->insns[p->blocks[p->loops[loop].blocks[i]].last];
        if (last->op == OP_RET && last->function != 0)
            return true;
    }
    return false;
}

/* Looks in the loops around the branch, from the innermost out, for one in which the paths that stay meet. */
static int32_t find_point(struct point_search *s, const struct branch *branch)
{
    const struct program *p = s->program;
    int32_t block = p->insns[branch->pc].block, targets[MOST_TARGETS];
    for (int inner = -1, loop = p->blocks[block].loop; loop >= 0; inner = loop, loop = p->loops[loop].parent) {
        int count = 0;
        bool fits = true;
        if (branch->ipdom != PC_NONE && loop_holds(p, loop, p->insns[branch->ipdom].block))
            return branch->ipdom;
        if (p->loops[loop].irreducible || returns_inside(p, loop))
            return branch->ipdom;
        for (int i = 0; inner < 0 && i < branch->target_count; i++)
            if (loop_holds(p, loop, p->insns[branch->target[i]].block))
                fits &= add_target(targets, &count, p->insns[branch->target[i]].block);
        if (inner >= 0)
            fits = exits_of(p, inner, loop, targets, &count);
        if (!fits)
            return branch->ipdom;
        if (count < 2 && inner < 0) /* an exit of the innermost loop: its threads reconverge behind that loop */
            continue;
        int32_t found = count ? meeting(s, loop, targets, count) : -1;
        if (found >= 0)
            return p->blocks[found].first;
    }
    return branch->ipdom;
}

int32_t *loop_points(const struct program *program, struct arena *arena)
{
    struct arena scratch = {0};
    struct point_search s = {program, arena_array(&scratch, bool, (size_t)program->block_count),
                             arena_array(&scratch, int32_t, (size_t)program->block_count)};
    int32_t *points = arena_array(arena, int32_t, (size_t)program->branch_count);
    for (int i = 0; i < program->branch_count; i++) {
        const struct branch *b = &program->branches[i];
        bool is_plain = program->insns[b->pc].call < 0 && b->target_count > 1;
        points[i] = is_plain ? find_point(&s, b) : b->ipdom;
    }
    arena_free(&scratch);
    return points;
}
