/*
 * Reconvergence points past the exits of threads.
 *
 * Where one side of a branch may end its thread, no block post-dominates the branch, and threads that diverge there
 * would never reconverge. But threads that have exited do not come back, so the others can reconverge where their own
 * paths join. For a branch without a post-dominator, the ends off the main path are therefore left out of the graph,
 * and post-dominators are computed again. The main path of a function leads to its returns. The main path of a kernel
 * leads to the end that most barriers can reach, since threads must have reconverged there, and among equals to the end
 * that most blocks can reach.
 *
 * Compilers often merge a kernel's returns into one block that holds nothing but `ret`. That block post-dominates every
 * branch, but nothing is gained by reconverging there. So each edge to that block counts as an end, if some branch of
 * the kernel reconverges earlier for it; if none does, branches keep the block as their reconvergence point, which
 * costs nothing.
 */
#include "base/vec.h"
#include "flow/analysis.h"
#include "flow/dominator.h"

#include <string.h>

enum { MOST_ENDS = 64 }; /* ends of a kernel that are tried, from the last one up: each costs a walk over the graph */

struct edges vec_of(struct graph_edge);

/* The search for the main path of one function. */
struct main_path {
    const struct program *program;
    const struct program_function *function;
    const struct graph *graph;
    const bool *ends;    /* by block: a thread can end at the block's end */
    const bool *is_bare; /* by block: edges to the block count as ends; NULL: for no block */
    bool *main_end;      /* by block: the main path ends there */
    bool *reaches;       /* by block: scratch of reconvergence_find_sources() */
    int32_t *stack;      /* scratch of reconvergence_find_sources() */
};

static const struct flow_block *block_of(const struct main_path *s, int b)
{
    return &s->program->blocks[s->function->first_block + b];
}

void reconvergence_find_sources(const struct graph *g, const bool *wanted, bool *reaches, int32_t *stack)
{
    int top = 0;
    for (int b = 0; b < g->node_count; b++) {
        reaches[b] = wanted[b];
        if (wanted[b])
            stack[top++] = b;
    }
    while (top) {
        int32_t b = stack[--top];
        for (int i = g->first_predecessor[b]; i < g->first_predecessor[b + 1]; i++)
            if (!reaches[g->predecessors[i]]) {
                reaches[g->predecessors[i]] = true;
                stack[top++] = g->predecessors[i];
            }
    }
}

static bool has_barrier(const struct program *p, const struct flow_block *b)
{
    for (int32_t pc = b->first; pc <= b->last; pc++)
        if (p->insns[pc].class == CLASS_BARRIER)
            return true;
    return false;
}

/* How much of the function leads to an end: the number of blocks in s->reaches; a block with a barrier outweighs all
 * blocks without. */
static int64_t weigh(const struct main_path *s)
{
    int64_t weight = 0;
    for (int b = 0; b < s->function->block_count; b++)
        if (s->reaches[b])
            weight += has_barrier(s->program, block_of(s, b)) ? 1 + s->function->block_count : 1;
    return weight;
}

/* Whether every thread that comes to this block of the kernel can end there. */
static bool may_be_main(const struct main_path *s, int b)
{
    const struct insn *last = &s->program->insns[block_of(s, b)->last];
    bool is_end = (last->op == OP_RET || last->op == OP_EXIT) && last->guard < 0;
    return is_end ? !s->is_bare || !s->is_bare[b] : s->is_bare && s->ends[b];
}

/* Fills in s->main_end: all returns of a function, or the one end of a kernel with the largest weight. False: none. */
static bool find_main_ends(struct main_path *s)
{
    int64_t most = 0;
    int best = -1, tried = 0;
    bool any = false, is_kernel = s->function->source->is_entry;
    memset(s->main_end, 0, (size_t)s->function->block_count * sizeof *s->main_end);
    for (int b = s->function->block_count - 1; b >= 0; b--) {
        if (!s->ends[b])
            continue;
        if (!is_kernel) {
            s->main_end[b] = s->program->insns[block_of(s, b)->last].op == OP_RET;
            any |= s->main_end[b];
        } else if (may_be_main(s, b) && tried++ < MOST_ENDS) {
            s->main_end[b] = true;
            reconvergence_find_sources(s->graph, s->main_end, s->reaches, s->stack);
            s->main_end[b] = false;
            int64_t weight = weigh(s);
            if (weight > most) {
                most = weight;
                best = b;
            }
        }
    }
    if (best >= 0)
        s->main_end[best] = any = true;
    return any;
}

/* reconvergence[block] = where threads reconverge on the main path; -1 for blocks that are not on the main path. False:
 * the function has no main path. */
static bool reconverge_on_main_path(struct main_path *s, int32_t *reconvergence, struct arena *scratch)
{
    const struct graph *g = s->graph;
    size_t n = (size_t)g->node_count;
    s->main_end = arena_array(scratch, bool, n);
    s->reaches = arena_array(scratch, bool, n);
    s->stack = arena_array(scratch, int32_t, n);
    if (!find_main_ends(s))
        return false;
    reconvergence_find_sources(g, s->main_end, s->reaches, s->stack);
    struct edges edges = {0};
    for (int32_t b = 0; b < g->node_count; b++)
        for (int i = g->first_successor[b]; s->reaches[b] && i < g->first_successor[b + 1]; i++)
            if (s->reaches[g->successors[i]])
                vec_push(&edges, (struct graph_edge){b, g->successors[i]});
    struct graph kept = graph_create(scratch, g->node_count, edges.data, edges.count);
    vec_free(&edges);
    int32_t *post_dominator = arena_array(scratch, int32_t, n);
    post_dominator_tree(scratch, &kept, 0, s->main_end, post_dominator, reconvergence);
    for (int b = 0; b < g->node_count; b++)
        if (!s->reaches[b])
            reconvergence[b] = -1;
    return true;
}

void reconvergence_past_ends(const struct program *p, const struct program_function *f, struct analysis *a,
                             struct arena *scratch)
{
    struct main_path s = {.program = p, .function = f, .graph = &a->graph, .ends = a->ends};
    int32_t *reconvergence = arena_array(scratch, int32_t, (size_t)f->block_count);
    if (!reconverge_on_main_path(&s, reconvergence, scratch))
        return;
    for (int b = 0; b < f->block_count; b++)
        if (a->reconvergence[b] < 0)
            a->reconvergence[b] = reconvergence[b];
}

/* ---- returns that were merged ---- */

/* is_bare[block]: the block of the kernel holds nothing but an unguarded `ret` or `exit`. False: no block does. */
static bool find_bare_ends(const struct program *p, const struct program_function *f, bool *is_bare)
{
    bool any = false;
    for (int b = 0; b < f->block_count; b++) {
        const struct flow_block *block = &p->blocks[f->first_block + b];
        const struct insn *last = &p->insns[block->last];
        is_bare[b] = block->first == block->last && (last->op == OP_RET || last->op == OP_EXIT) && last->guard < 0;
        any |= is_bare[b];
    }
    return any;
}

/* The graph without the edges to bare ends; ends[] becomes true for the blocks that such edges leave. */
static struct graph end_at_edges(const struct graph *g, const bool *is_bare, bool *ends, struct arena *scratch)
{
    struct edges edges = {0};
    for (int32_t b = 0; b < g->node_count; b++)
        for (int i = g->first_successor[b]; i < g->first_successor[b + 1]; i++)
            if (is_bare[g->successors[i]])
                ends[b] = true;
            else
                vec_push(&edges, (struct graph_edge){b, g->successors[i]});
    struct graph out = graph_create(scratch, g->node_count, edges.data, edges.count);
    vec_free(&edges);
    return out;
}

static bool is_successor(const struct graph *g, int32_t from, int32_t to)
{
    for (int i = g->first_successor[from]; i < g->first_successor[from + 1]; i++)
        if (g->successors[i] == to)
            return true;
    return false;
}

void reconvergence_past_bare_ends(const struct program *p, const struct program_function *f, struct analysis *a,
                                  struct arena *scratch)
{
    size_t n = (size_t)f->block_count;
    bool *is_bare = arena_array(scratch, bool, n), *ends = arena_array(scratch, bool, n), gains = false;
    if (!f->source->is_entry || !find_bare_ends(p, f, is_bare))
        return;
    memcpy(ends, a->ends, n * sizeof *ends);
    struct graph graph = end_at_edges(&a->graph, is_bare, ends, scratch);
    struct main_path s = {.program = p, .function = f, .graph = &graph, .ends = ends, .is_bare = is_bare};
    int32_t *reconvergence = arena_array(scratch, int32_t, n);
    if (!reconverge_on_main_path(&s, reconvergence, scratch))
        return;
    for (int32_t b = 0; b < f->block_count; b++) {
        int32_t old = a->reconvergence[b];
        gains |= old >= 0 && is_bare[old] && reconvergence[b] >= 0 && !is_successor(&a->graph, b, reconvergence[b]);
    }
    for (int b = 0; gains && b < f->block_count; b++)
        if (reconvergence[b] >= 0 && (a->post_dominator[b] < 0 || is_bare[a->post_dominator[b]]))
            a->reconvergence[b] = reconvergence[b];
}
