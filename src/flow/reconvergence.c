/*
 * reconvergence points past the ends of threads.
 *
 * Where one side of a branch may end its thread, no block post-dominates the branch, and threads that part there would
 * never meet again. But ended threads do not come back: those that live on can meet where their own paths meet. So for a
 * branch without a post-dominator, the ends off the main path are left out of the graph, and post-dominators are asked
 * again. The main path of a function leads to its returns; that of a kernel to the end that most barriers can reach, since
 * threads must have met there, and of these to the one that most blocks can.
 *
 * Compilers often merge a kernel's returns into one block that holds nothing but `ret`. That block post-dominates every
 * branch, but nobody gains by reconvergence there. So it is taken as an end on each edge that leads to it, if some branch of the
 * kernel meets earlier for it; if none does, branches keep the block as their reconvergence point, which costs nothing.
 */
#include "base/vec.h"
#include "flow/analysis.h"
#include "flow/dominator.h"

#include <string.h>

enum { MOST_ENDS = 64 }; /* a kernel with more has no main path worth looking for beyond its last ones */

struct edges vec_of(struct graph_edge);

/* The graph in which the main path is looked for, and scratch. */
struct search {
    const struct program *program;
    const struct program_function *function;
    const struct graph *graph;
    const bool *ends;    /* by block: the thread can end behind it */
    const bool *is_bare; /* by block: it is taken as an end on the edges to it; NULL: none is */
    bool *main_end, *reaches;
    int32_t *stack;
};

static const struct flow_block *block_of(const struct search *s, int b)
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

/* How much of the function leads to an end: a barrier is more than all blocks. */
static int64_t weigh(const struct search *s)
{
    int64_t weight = 0;
    for (int b = 0; b < s->function->block_count; b++)
        if (s->reaches[b])
            weight += has_barrier(s->program, block_of(s, b)) ? 1 + s->function->block_count : 1;
    return weight;
}

/* Whether all threads that come to the kernel's block may end behind it, for good. */
static bool may_be_main(const struct search *s, int b)
{
    const struct insn *last = &s->program->insns[block_of(s, b)->last];
    bool is_end = (last->op == OP_RET || last->op == OP_EXIT) && last->guard < 0;
    return is_end ? !s->is_bare || !s->is_bare[b] : s->is_bare && s->ends[b];
}

/* The ends of the main path: a function's returns, or the one end of a kernel that most leads to. */
static bool find_main_ends(struct search *s)
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

/* Where threads meet on the main path: reconvergence[block], or -1 for blocks that are not on it. False: there is none. */
static bool reconverge_on_main_path(struct search *s, int32_t *reconvergence, struct arena *scratch)
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
    struct graph main_path = graph_create(scratch, g->node_count, edges.data, edges.count);
    vec_free(&edges);
    int32_t *post_dominator = arena_array(scratch, int32_t, n);
    post_dominator_tree(scratch, &main_path, 0, s->main_end, post_dominator, reconvergence);
    for (int b = 0; b < g->node_count; b++)
        if (!s->reaches[b])
            reconvergence[b] = -1;
    return true;
}

void reconvergence_past_ends(const struct program *p, const struct program_function *f, struct analysis *a,
                             struct arena *scratch)
{
    struct search s = {.program = p, .function = f, .graph = &a->graph, .ends = a->ends};
    int32_t *reconvergence = arena_array(scratch, int32_t, (size_t)f->block_count);
    if (!reconverge_on_main_path(&s, reconvergence, scratch))
        return;
    for (int b = 0; b < f->block_count; b++)
        if (a->reconvergence[b] < 0)
            a->reconvergence[b] = reconvergence[b];
}

/* ---- returns that were merged ---- */

/* Blocks of the kernel that do nothing but end the thread. */
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

/* The graph without the edges to bare ends; the blocks that they came from end. */
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
    struct search s = {.program = p, .function = f, .graph = &graph, .ends = ends, .is_bare = is_bare};
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
