/*
 * Reconvergence points before block barriers.
 *
 * All live threads of a block must come to a barrier, so threads of a warp that diverge before the barrier, and do not
 * exit, should reconverge before it. The post-dominator may lie behind the barrier: where one side of a branch can
 * exit, or where the text has a path around the barrier that no thread takes by itself. Threads on a side from which no
 * barrier can be reached exit without coming to a barrier (otherwise the program would hang), so nobody need wait for
 * them.
 *
 * So the function's graph is cut at its barriers: paths end where they come to a barrier, and start anew behind it. A
 * branch whose reconvergence point is on all paths to a barrier keeps its point. Another branch gets its post-dominator
 * in the cut graph, if there is one. There is none where the sides lead to different barriers; then the branch keeps
 * its reconvergence point, and mechanisms make barriers right in spite of that (div/parts/held.h).
 *
 * A call of a function that has barriers counts as a barrier. A barrier with a thread count does not, since such a
 * barrier need not concern all threads. In a function that is not the kernel, returns count as barriers, since the
 * caller may come to a barrier.
 */
#include "base/vec.h"
#include "flow/analysis.h"
#include "flow/dominator.h"

#include <string.h>

struct edges vec_of(struct graph_edge);

/* The cut graph. Each block is a node; a block with a barrier is two: one up to its first barrier, where paths end, and
 * one behind its last barrier. */
struct cut_graph {
    int32_t *behind; /* by block: the node behind the last barrier; of a block without a barrier, the block itself */
    int node_count;
    bool *ends;         /* by node: paths end at the node */
    bool *sees_barrier; /* by node: a path leads from the node to a barrier */
    struct graph graph;
};

/* ---- functions with barriers ---- */

static bool counts_all(const struct insn *insn)
{
    bool waits = insn->class == CLASS_BARRIER && insn->op != OP_BAR_ARRIVE && insn->op != OP_BARRIER_ARRIVE &&
                 insn->op != OP_CLUSTER_ARRIVE && insn->op != OP_WGMMA_WAIT;
    return waits && (insn->op == OP_CLUSTER_WAIT || insn->source[1].kind == REF_NONE);
}

/* By function: whether threads may come to a barrier in the function or in one that it calls. */
static bool *find_functions(const struct program *p, struct arena *scratch)
{
    size_t n = (size_t)p->function_count;
    bool *has_barrier = arena_array(scratch, bool, n), *reaches = arena_array(scratch, bool, n);
    struct edges calls = {0};
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        const struct insn *insn = &p->insns[pc];
        has_barrier[insn->function] |= counts_all(insn);
        for (int i = 0; insn->call >= 0 && i < p->calls[insn->call].candidate_count; i++)
            vec_push(&calls, (struct graph_edge){insn->function, p->calls[insn->call].candidates[i]});
    }
    struct graph graph = graph_create(scratch, p->function_count, calls.data, calls.count);
    reconvergence_find_sources(&graph, has_barrier, reaches, arena_array(scratch, int32_t, n));
    vec_free(&calls);
    return reaches;
}

static bool is_barrier(const struct program *p, const bool *has_barrier, const struct insn *insn)
{
    if (counts_all(insn))
        return true;
    for (int i = 0; insn->call >= 0 && i < p->calls[insn->call].candidate_count; i++)
        if (has_barrier[p->calls[insn->call].candidates[i]])
            return true;
    return false;
}

/* ---- the cut graph ---- */

/* Numbers the nodes. False: the function has no barrier. */
static bool find_nodes(const struct program *p, const struct program_function *f, const bool *has_barrier,
                       struct cut_graph *c, struct arena *scratch)
{
    c->behind = arena_array(scratch, int32_t, (size_t)f->block_count);
    c->node_count = f->block_count;
    for (int b = 0; b < f->block_count; b++) {
        const struct flow_block *block = &p->blocks[f->first_block + b];
        bool has = false;
        for (int32_t pc = block->first; pc <= block->last && !has; pc++)
            has = is_barrier(p, has_barrier, &p->insns[pc]);
        c->behind[b] = has ? c->node_count++ : b;
    }
    return c->node_count > f->block_count;
}

/* Fills in the edges, the ends and the cut graph. Nodes from which no path leads to an end are left out. */
static void link_nodes(const struct program *p, const struct program_function *f, const struct analysis *a,
                       struct cut_graph *c, struct arena *scratch)
{
    size_t n = (size_t)c->node_count;
    struct edges edges = {0};
    c->ends = arena_array(scratch, bool, n);
    c->sees_barrier = arena_array(scratch, bool, n);
    bool *reaches = arena_array(scratch, bool, n);
    int32_t *stack = arena_array(scratch, int32_t, n);
    for (int32_t b = 0; b < f->block_count; b++) {
        c->ends[b] = c->behind[b] != b;
        for (int i = a->graph.first_successor[b]; i < a->graph.first_successor[b + 1]; i++)
            vec_push(&edges, (struct graph_edge){c->behind[b], a->graph.successors[i]});
    }
    struct graph whole = graph_create(scratch, c->node_count, edges.data, edges.count);
    reconvergence_find_sources(&whole, c->ends, c->sees_barrier, stack);
    for (int32_t b = 0; b < f->block_count && !f->source->is_entry; b++)
        c->ends[c->behind[b]] |= p->insns[p->blocks[f->first_block + b].last].op == OP_RET;
    reconvergence_find_sources(&whole, c->ends, reaches, stack);
    int kept = 0;
    for (int i = 0; i < edges.count; i++)
        if (reaches[edges.data[i].to])
            edges.data[kept++] = edges.data[i];
    c->graph = graph_create(scratch, c->node_count, edges.data, kept);
    vec_free(&edges);
}

/* A walk over the post-dominator tree from its root (node number node_count), to ask which node is an ancestor of
 * which. */
static struct graph_walk walk_tree(const struct cut_graph *c, const int32_t *parent, struct arena *scratch)
{
    struct graph_edge *edges = arena_array(scratch, struct graph_edge, (size_t)c->node_count);
    for (int32_t i = 0; i < c->node_count; i++)
        edges[i] = (struct graph_edge){parent[i] < 0 ? c->node_count : parent[i], i};
    struct graph tree = graph_create(scratch, c->node_count + 1, edges, c->node_count);
    return graph_walk(scratch, &tree, c->node_count);
}

static void move_before_barriers(const struct program *p, const struct program_function *f, struct analysis *a,
                                 const struct cut_graph *c, struct arena *scratch)
{
    size_t n = (size_t)c->node_count;
    int32_t *parent = arena_array(scratch, int32_t, n), *reconvergence = arena_array(scratch, int32_t, n);
    post_dominator_tree(scratch, &c->graph, 0, c->ends, parent, reconvergence);
    struct graph_walk walk = walk_tree(c, parent, scratch);
    for (int b = 0; b < f->block_count; b++) {
        int32_t node = c->behind[b], old = a->reconvergence[b];
        const struct insn *last = &p->insns[p->blocks[f->first_block + b].last];
        bool diverges = last->branch >= 0 && last->op != OP_CALL && !p->branches[last->branch].uniform;
        if (!diverges || !c->sees_barrier[node] || parent[node] < 0)
            continue;
        if (old < 0 || !graph_is_ancestor(&walk, walk.number[old], walk.number[node]))
            a->reconvergence[b] = parent[node];
    }
}

void reconvergence_before_barriers(const struct program *p, struct analysis *functions, struct arena *scratch)
{
    bool *has_barrier = find_functions(p, scratch);
    for (int i = 0; i < p->function_count; i++) {
        struct cut_graph cut = {0};
        if (!has_barrier[i] || !find_nodes(p, &p->functions[i], has_barrier, &cut, scratch))
            continue;
        link_nodes(p, &p->functions[i], &functions[i], &cut, scratch);
        move_before_barriers(p, &p->functions[i], &functions[i], &cut, scratch);
    }
}
