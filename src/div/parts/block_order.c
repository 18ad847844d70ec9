/*
 * The order of blocks: see block_order.h.
 *
 * Blocks are placed one by one. A block may be placed when all are that have an edge to it which does not go back;
 * one goes back if it leads to a block that a walk in depth finished later, as all do that close a loop. Of those
 * that may, one of the innermost loop goes first that still has any. A loop with one entry always has, until it is
 * complete: the predecessors of its blocks are its own.
 */
#include "div/parts/block_order.h"

#include "base/vec.h"

enum { UNPLACED = INT32_MAX };

struct order {
    const struct program *p;
    int32_t *rank;     /* by block: UNPLACED, or its place */
    int32_t *finished; /* by block: when the walk in depth left it, from 1 on; 0: it did not come there */
    int32_t *missing;  /* by block: predecessors that are still to be placed */
    int32_t placed;
};

struct visit {
    int32_t block;
    int next; /* successor to look at */
};

/* Numbers the blocks that can be reached from the first one. */
static void walk(struct order *o, int32_t first)
{
    struct vec_of(struct visit) path = {0};
    uint8_t *seen = xcalloc((size_t)o->p->block_count, 1);
    int32_t count = 0;
    vec_push(&path, (struct visit){first, 0});
    seen[first] = 1;
    while (path.count) {
        struct visit *v = &path.data[path.count - 1];
        const struct flow_block *b = &o->p->blocks[v->block];
        if (v->next == b->successor_count) {
            o->finished[v->block] = ++count;
            path.count--;
            continue;
        }
        int32_t next = b->successors[v->next++];
        if (!seen[next]) {
            seen[next] = 1;
            vec_push(&path, (struct visit){next, 0});
        }
    }
    vec_free(&path);
    free(seen);
}

static bool goes_on(const struct order *o, int32_t from, int32_t to)
{
    return o->finished[from] > o->finished[to];
}

/* A loop of -1 is the whole function. */
static bool is_in_loop(const struct program *p, int32_t block, int loop)
{
    int at = p->blocks[block].loop;
    while (at >= 0 && at != loop)
        at = p->loops[at].parent;
    return at == loop;
}

/* The first of a function's blocks that may be placed, in the innermost loop around `last` that has one; -1: none. */
static int32_t choose(const struct order *o, const struct program_function *f, int32_t last)
{
    int loop = o->p->blocks[last].loop;
    for (;;) {
        for (int32_t b = f->first_block; b < f->first_block + f->block_count; b++)
            if (o->finished[b] && o->rank[b] == UNPLACED && !o->missing[b] && is_in_loop(o->p, b, loop))
                return b;
        if (loop < 0)
            return -1;
        loop = o->p->loops[loop].parent;
    }
}

static void place(struct order *o, int32_t block)
{
    const struct flow_block *b = &o->p->blocks[block];
    o->rank[block] = o->placed++;
    for (int i = 0; i < b->successor_count; i++)
        o->missing[b->successors[i]] -= goes_on(o, block, b->successors[i]);
}

static void order_function(struct order *o, const struct program_function *f)
{
    int32_t first = o->p->insns[f->first].block;
    walk(o, first);
    for (int32_t b = f->first_block; b < f->first_block + f->block_count; b++)
        for (int i = 0; o->finished[b] && i < o->p->blocks[b].successor_count; i++)
            o->missing[o->p->blocks[b].successors[i]] += goes_on(o, b, o->p->blocks[b].successors[i]);
    for (int32_t next = first; next >= 0; next = choose(o, f, next))
        place(o, next);
}

int32_t *block_order(const struct program *p)
{
    size_t blocks = (size_t)p->block_count + 1;
    struct order o = {.p = p,
                      .rank = xmalloc(sizeof(int32_t) * blocks),
                      .finished = xcalloc(blocks, sizeof(int32_t)),
                      .missing = xcalloc(blocks, sizeof(int32_t))};
    for (size_t i = 0; i < blocks; i++)
        o.rank[i] = UNPLACED;
    for (int i = 0; i < p->function_count; i++)
        order_function(&o, &p->functions[i]);
    free(o.finished);
    free(o.missing);
    return o.rank;
}
