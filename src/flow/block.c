/*
 * Basic blocks: where they begin and end, the edges between them, and their analyses.
 *
 * A block ends before a label and behind every control instruction, including calls, since threads come back behind a
 * call. In the graph a call leads to the instruction behind it, not to the callee. Unreachable blocks are kept.
 */
#include "base/vec.h"
#include "flow/analysis.h"
#include "flow/dominator.h"

#include <string.h>

static bool may_fall_through(const struct insn *insn)
{
    bool leaves =
        insn->op == OP_BRA || insn->op == OP_BRX || insn->op == OP_RET || insn->op == OP_EXIT || insn->op == OP_TRAP;
    return !leaves || insn->guard >= 0;
}

static bool may_end(const struct insn *insn)
{
    return insn->op == OP_RET || insn->op == OP_EXIT || insn->op == OP_TRAP;
}

static void mark_leaders(struct program *p, const struct program_function *f, const int32_t *pc_of)
{
    p->insns[f->first].flags |= INSN_LEADER;
    for (int i = 0; i < f->source->label_count; i++)
        p->insns[pc_of[f->source->labels[i].target]].flags |= INSN_LEADER;
    for (int32_t pc = f->first; pc <= f->last; pc++) {
        if (p->insns[pc].op == OP_BRA)
            p->insns[p->insns[pc].target].flags |= INSN_LEADER;
        if (p->insns[pc].flags & INSN_CONTROL && pc < f->last)
            p->insns[pc + 1].flags |= INSN_LEADER;
    }
}

static void number_blocks(struct program *p)
{
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        p->block_count += p->insns[pc].flags & INSN_LEADER;
    p->blocks = arena_array(&p->arena, struct flow_block, (size_t)p->block_count);
    int block = -1;
    for (int32_t pc = 0; pc < p->insn_count; pc++) {
        struct insn *insn = &p->insns[pc];
        struct program_function *f = &p->functions[insn->function];
        if (insn->flags & INSN_LEADER)
            p->blocks[++block] = (struct flow_block){.first = pc, .function = insn->function, .loop = -1};
        if (pc == f->first)
            f->first_block = block;
        f->block_count = block - f->first_block + 1;
        p->blocks[block].last = pc;
        insn->block = block;
    }
}

struct edges vec_of(struct graph_edge);

static void add_edge(struct edges *edges, int first_edge, int32_t from, int32_t to)
{
    for (int i = first_edge; i < edges->count; i++)
        if (edges->data[i].to == to)
            return;
    vec_push(edges, (struct graph_edge){from, to});
}

/* The list of a brx names few blocks many times. last_from[block] is the last block, plus one, from which an edge leads
 * there, so that each edge is added once. */
static void add_brx_edges(const struct program *p, const struct program_function *f, const struct insn *insn,
                          const int32_t *pc_of, struct edges *edges, int32_t from, int32_t *last_from)
{
    const struct ptx_targets *targets = analysis_targets(insn);
    for (int i = 0; targets && i < targets->count; i++) {
        int32_t to = p->insns[pc_of[targets->target[i]]].block - f->first_block;
        if (last_from[to] != from + 1)
            vec_push(edges, (struct graph_edge){from, to});
        last_from[to] = from + 1;
    }
}

static struct edges find_edges(const struct program *p, const struct program_function *f, const int32_t *pc_of,
                               struct arena *scratch)
{
    struct edges edges = {0};
    int32_t *last_from = arena_array(scratch, int32_t, (size_t)f->block_count);
    for (int32_t b = 0; b < f->block_count; b++) {
        const struct insn *insn = &p->insns[p->blocks[f->first_block + b].last];
        int first_edge = edges.count;
        if (insn->op == OP_BRA)
            add_edge(&edges, first_edge, b, p->insns[insn->target].block - f->first_block);
        if (insn->op == OP_BRX)
            add_brx_edges(p, f, insn, pc_of, &edges, b, last_from);
        if (may_fall_through(insn) && b + 1 < f->block_count)
            add_edge(&edges, first_edge, b, b + 1);
    }
    return edges;
}

static int32_t *publish(struct program *p, const struct program_function *f, const int32_t *first, const int32_t *list,
                        int block, int *count)
{
    *count = first[block + 1] - first[block];
    int32_t *out = arena_array(&p->arena, int32_t, (size_t)*count);
    for (int i = 0; i < *count; i++)
        out[i] = f->first_block + list[first[block] + i];
    return out;
}

static void link_blocks(struct program *p, const struct program_function *f, struct analysis *a, struct arena *scratch)
{
    struct edges edges = find_edges(p, f, a->pc_of, scratch);
    a->graph = graph_create(scratch, f->block_count, edges.data, edges.count);
    vec_free(&edges);
    a->ends = arena_array(scratch, bool, (size_t)f->block_count);
    for (int b = 0; b < f->block_count; b++) {
        struct flow_block *block = &p->blocks[f->first_block + b];
        a->ends[b] = may_end(&p->insns[block->last]);
        block->successors = publish(p, f, a->graph.first_successor, a->graph.successors, b, &block->successor_count);
        block->predecessors =
            publish(p, f, a->graph.first_predecessor, a->graph.predecessors, b, &block->predecessor_count);
    }
}

void blocks_create(struct program *p, struct analysis *functions, struct arena *scratch)
{
    for (int i = 0; i < p->function_count; i++)
        mark_leaders(p, &p->functions[i], functions[i].pc_of);
    number_blocks(p);
    for (int i = 0; i < p->function_count; i++)
        link_blocks(p, &p->functions[i], &functions[i], scratch);
}

static int32_t *to_program(struct program *p, const int32_t *local, int count, int first)
{
    int32_t *out = arena_array(&p->arena, int32_t, (size_t)count);
    for (int i = 0; i < count; i++)
        out[i] = local[i] < 0 ? -1 : first + local[i];
    return out;
}

static void publish_loops(struct program *p, const struct program_function *f, struct analysis *a,
                          struct flow_loop *out)
{
    for (int i = 0; i < a->loops.count; i++) {
        const struct loop *l = &a->loops.loops[i];
        out[i] = (struct flow_loop){.header = f->first_block + l->header,
                                    .parent = l->parent < 0 ? -1 : a->first_loop + l->parent,
                                    .depth = l->depth,
                                    .irreducible = l->irreducible,
                                    .block_count = l->node_count};
        /* The blocks of an inner loop are a part of the outer loop's array: only outermost loops have arrays of their
         * own. */
        if (l->parent < 0)
            out[i].blocks = to_program(p, l->nodes, l->node_count, f->first_block);
        else
            out[i].blocks = out[l->parent].blocks + (l->nodes - a->loops.loops[l->parent].nodes);
    }
}

void blocks_analyse(struct program *p, struct analysis *functions, struct arena *scratch)
{
    for (int i = 0; i < p->function_count; i++) {
        const struct program_function *f = &p->functions[i];
        struct analysis *a = &functions[i];
        int32_t *dominator = arena_array(scratch, int32_t, (size_t)f->block_count);
        int32_t *post_dominator = arena_array(scratch, int32_t, (size_t)f->block_count);
        a->post_dominator = arena_array(scratch, int32_t, (size_t)f->block_count);
        a->reconvergence = arena_array(scratch, int32_t, (size_t)f->block_count);
        dominator_tree(scratch, &a->graph, 0, dominator);
        post_dominator_tree(scratch, &a->graph, 0, a->ends, post_dominator, a->post_dominator);
        memcpy(a->reconvergence, a->post_dominator, (size_t)f->block_count * sizeof *a->reconvergence);
        reconvergence_past_ends(p, f, a, scratch);
        a->loops = loop_find(scratch, &a->graph, 0);
        a->first_loop = p->loop_count;
        p->loop_count += a->loops.count;
        for (int b = 0; b < f->block_count; b++) {
            struct flow_block *block = &p->blocks[f->first_block + b];
            int loop = a->loops.innermost[b], post = post_dominator[b];
            block->dominator = dominator[b] < 0 ? -1 : f->first_block + dominator[b];
            block->post_dominator = post < 0 ? -1 : f->first_block + post;
            block->loop = loop < 0 ? -1 : a->first_loop + loop;
            block->reachable = b == 0 || dominator[b] >= 0;
        }
    }
    p->loops = arena_array(&p->arena, struct flow_loop, (size_t)p->loop_count);
    for (int i = 0; i < p->function_count; i++)
        publish_loops(p, &p->functions[i], &functions[i], p->loops + functions[i].first_loop);
}
