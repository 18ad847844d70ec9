/*
 * Likely-convergence points by profile (Fung and Aamodt, HPCA 2011, section 4): the post-dominators that are left if
 * the sides of branches that hardly any thread took in earlier runs are cut out of the graph. The program is only read.
 */
#include "flow/profile_points.h"

#include "base/vec.h"
#include "flow/dominator.h"

#include <string.h>

/* Which sides of the branch at a block's end are rare. The profile only knows the sides of bra. */
struct rare_sides {
    bool taken, next;
};

static struct rare_sides find_rare(const struct insn *last, const struct branch_use *use, double percent)
{
    if (last->op != OP_BRA || last->branch < 0 || !use[last->branch].threads)
        return (struct rare_sides){false, false};
    double threads = (double)use[last->branch].threads, taken = (double)use[last->branch].taken;
    struct rare_sides r = {100 * taken <= percent * threads, 100 * (threads - taken) <= percent * threads};
    if (r.taken && r.next) /* of two rare sides the more frequent one stays */
        r = (struct rare_sides){2 * taken < threads, 2 * taken >= threads};
    return r;
}

/* The graph of the function's blocks without the edges of rare sides. */
static struct graph likely_graph(const struct program *p, const struct program_function *f,
                                 const struct branch_use *use, double percent, bool *ends, struct arena *scratch)
{
    struct vec_of(struct graph_edge) edges = {0};
    for (int32_t b = 0; b < f->block_count; b++) {
        const struct flow_block *block = &p->blocks[f->first_block + b];
        const struct insn *last = &p->insns[block->last];
        struct rare_sides rare = find_rare(last, use, percent);
        ends[b] = last->op == OP_RET || last->op == OP_EXIT || last->op == OP_TRAP;
        for (int i = 0; i < block->successor_count; i++) {
            int32_t to = block->successors[i];
            bool is_next = p->blocks[to].first == block->last + 1;
            if (!(is_next ? rare.next : rare.taken))
                vec_push(&edges, (struct graph_edge){b, to - f->first_block});
        }
    }
    struct graph g = graph_create(scratch, f->block_count, edges.data, edges.count);
    vec_free(&edges);
    return g;
}

static void find_points(const struct program *p, const struct program_function *f, const struct branch_use *use,
                        double percent, int32_t *points)
{
    struct arena scratch = {0};
    bool *ends = arena_array(&scratch, bool, (size_t)f->block_count);
    int32_t *post_dominator = arena_array(&scratch, int32_t, (size_t)f->block_count);
    int32_t *reconvergence = arena_array(&scratch, int32_t, (size_t)f->block_count);
    struct graph g = likely_graph(p, f, use, percent, ends, &scratch);
    post_dominator_tree(&scratch, &g, 0, ends, post_dominator, reconvergence);
    for (int32_t pc = f->first; pc <= f->last; pc++) {
        const struct insn *insn = &p->insns[pc];
        int32_t block = insn->block - f->first_block;
        bool diverges = insn->branch >= 0 && g.first_successor[block + 1] - g.first_successor[block] > 1;
        int32_t point =
            diverges && reconvergence[block] >= 0 ? p->blocks[f->first_block + reconvergence[block]].first : PC_NONE;
        bool is_known =
            diverges && (point == p->branches[insn->branch].ipdom || point == p->plain_branches[insn->branch].ipdom);
        if (point != PC_NONE && !is_known)
            points[insn->branch] = point;
    }
    arena_free(&scratch);
}

int32_t *profile_points(const struct program *p, const struct branch_use *use, double rare_percent)
{
    int32_t *points = xcalloc((size_t)p->branch_count + 1, sizeof *points);
    memset(points, -1, sizeof *points * (size_t)p->branch_count); /* PC_NONE */
    for (int i = 0; i < p->function_count; i++)
        find_points(p, &p->functions[i], use, rare_percent, points);
    return points;
}
