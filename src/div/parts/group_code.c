/* Barrier operations on the path of a warp: see group_code.h. */
#include "div/parts/group_code.h"

static struct group_op translate(const struct barrier_plan *plan, const struct barrier_op *op)
{
    struct group_op out = {.kind = op->kind, .threshold = op->threshold, .reg = BARRIER_NONE};
    if (op->barrier != BARRIER_NONE) {
        out.reg = (int8_t)plan->barriers.data[op->barrier].reg;
        out.spans_calls = plan->barriers.data[op->barrier].spans_calls;
    }
    return out;
}

/* Inserts an edge; the plan lists edges by target PC, and edges are wanted by `from`. */
static void add_edge(struct group_code *code, struct group_edge edge)
{
    vec_push(&code->edges, edge);
    int at = code->edges.count - 1;
    for (; at > 0 && code->edges.data[at - 1].from > edge.from; at--)
        code->edges.data[at] = code->edges.data[at - 1];
    code->edges.data[at] = edge;
}

void group_code_open(struct group_code *code, const struct barrier_plan *plan)
{
    size_t n = (size_t)plan->program->insn_count + 1;
    memset(code, 0, sizeof *code);
    code->op = xcalloc(n, sizeof *code->op);
    code->end = xcalloc(n, sizeof *code->end);
    code->edge_of = xmalloc(n * sizeof *code->edge_of);
    memset(code->edge_of, -1, n * sizeof *code->edge_of);
    for (int i = 0; i < plan->entries.count;) {
        struct barrier_place place = plan->entries.data[i].place;
        struct barrier_range r = barrier_at(plan, place);
        for (int k = 0; k < r.count; k++)
            vec_push(&code->ops, translate(plan, &plan->entries.data[i + k].op));
        if (place.from == PC_NONE) {
            code->op[place.pc] = i;
            code->end[place.pc] = i + r.count;
        } else {
            add_edge(code, (struct group_edge){place.from, place.pc, i, i + r.count});
        }
        i += r.count;
    }
    for (int i = code->edges.count - 1; i >= 0; i--)
        code->edge_of[code->edges.data[i].from] = i;
}

void group_code_close(struct group_code *code)
{
    vec_free(&code->ops);
    vec_free(&code->edges);
    free(code->op);
    free(code->end);
    free(code->edge_of);
}

struct spot group_spot(const struct group_code *code, int32_t from, struct point to)
{
    struct spot at = {to.pc, to.depth, code->op[to.pc], code->end[to.pc]};
    if (from == PC_NONE || code->edge_of[from] < 0)
        return at;
    for (int i = code->edge_of[from]; i < code->edges.count && code->edges.data[i].from == from; i++)
        if (code->edges.data[i].pc == to.pc) {
            at.op = code->edges.data[i].op;
            at.end = code->edges.data[i].end;
        }
    return at;
}

static bool is_on_edge(const struct group_code *code, const struct spot *at)
{
    return at->end != code->end[at->pc];
}

int group_ops_left(const struct group_code *code, const struct spot *at)
{
    return at->end - at->op + (is_on_edge(code, at) ? code->end[at->pc] - code->op[at->pc] : 0);
}

void group_step(const struct group_code *code, struct spot *at)
{
    at->op++;
    if (at->op == at->end && is_on_edge(code, at)) {
        at->op = code->op[at->pc];
        at->end = code->end[at->pc];
    }
}
