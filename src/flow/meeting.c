/*
 * Meeting places past the ends of threads.
 *
 * Where one side of a branch may end its thread, no block post-dominates the branch, and threads that part there would
 * never meet again. But ended threads do not come back: those that live on can meet where their own ways meet. So for a
 * branch without a post-dominator, the ends off the main way are left out of the graph, and post-dominators are asked
 * again. The main way of a function leads to its returns; that of a kernel to the end that most barriers can reach, since
 * threads must have met there, and of these to the one that most blocks can.
 */
#include "base/vec.h"
#include "flow/analysis.h"
#include "flow/dominator.h"

#include <string.h>

enum { MOST_ENDS = 64 }; /* a kernel with more has no main way worth looking for beyond its last ones */

struct edges vec_of(struct graph_edge);

/* Which blocks can come to a wanted one. */
static void find_sources(const struct graph *g, const bool *wanted, bool *reaches, int32_t *stack)
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
static int64_t weigh(const struct program *p, const struct program_function *f, const bool *reaches)
{
    int64_t weight = 0;
    for (int b = 0; b < f->block_count; b++)
        if (reaches[b])
            weight += has_barrier(p, &p->blocks[f->first_block + b]) ? 1 + f->block_count : 1;
    return weight;
}

/* The ends of the main way: a function's returns, or the one end of a kernel that most leads to. */
static bool find_main_ends(const struct program *p, const struct program_function *f, const struct analysis *a,
                           bool *main_end, bool *reaches, int32_t *stack)
{
    int64_t most = 0;
    int best = -1, tried = 0;
    bool any = false;
    memset(main_end, 0, (size_t)f->block_count * sizeof *main_end);
    for (int b = f->block_count - 1; b >= 0; b--) {
        const struct insn *last = &p->insns[p->blocks[f->first_block + b].last];
        if (!a->ends[b] || (last->op != OP_RET && last->op != OP_EXIT))
            continue;
        if (!f->source->is_entry) {
            main_end[b] = last->op == OP_RET;
            any |= main_end[b];
        } else if (last->guard < 0 && tried++ < MOST_ENDS) {
            main_end[b] = true;
            find_sources(&a->graph, main_end, reaches, stack);
            main_end[b] = false;
            int64_t weight = weigh(p, f, reaches);
            if (weight > most) {
                most = weight;
                best = b;
            }
        }
    }
    if (best >= 0)
        main_end[best] = any = true;
    return any;
}

void meeting_past_ends(const struct program *p, const struct program_function *f, struct analysis *a,
                       struct arena *scratch)
{
    size_t n = (size_t)f->block_count;
    bool *main_end = arena_array(scratch, bool, n), *reaches = arena_array(scratch, bool, n);
    int32_t *stack = arena_array(scratch, int32_t, n);
    if (!find_main_ends(p, f, a, main_end, reaches, stack))
        return;
    find_sources(&a->graph, main_end, reaches, stack);
    struct edges edges = {0};
    for (int32_t b = 0; b < f->block_count; b++)
        for (int i = a->graph.first_successor[b]; reaches[b] && i < a->graph.first_successor[b + 1]; i++)
            if (reaches[a->graph.successors[i]])
                vec_push(&edges, (struct graph_edge){b, a->graph.successors[i]});
    struct graph main_way = graph_create(scratch, f->block_count, edges.data, edges.count);
    vec_free(&edges);
    int32_t *post_dominator = arena_array(scratch, int32_t, n), *meeting = arena_array(scratch, int32_t, n);
    post_dominator_tree(scratch, &main_way, 0, main_end, post_dominator, meeting);
    for (int b = 0; b < f->block_count; b++)
        if (a->meeting[b] < 0 && reaches[b])
            a->meeting[b] = meeting[b];
}
