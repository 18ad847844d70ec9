/*
 * The order of blocks: see block_order.h.
 *
 * Basic blocks are placed one by one. A block may be placed once all its predecessors are placed, back edges left out.
 * An edge is a back edge if it leads to a block that a depth-first walk finished later; every edge that closes a loop
 * is one. Among the blocks that may be placed, those of the innermost loop around the last block come first. A loop
 * with a single entry always has such a block until the loop is complete, since the predecessors of its blocks are in
 * the loop.
 */
#include "div/parts/block_order.h"

#include "base/vec.h"

enum { UNPLACED = INT32_MAX };

struct order {
    const struct program *p;
    int32_t *rank;     /* by block: its position in the order, or UNPLACED */
    int32_t *finished; /* by block: number in order of finishing in the depth-first walk, from 1; 0: unreachable */
    int32_t *missing;  /* by block: predecessors that are not placed yet */
    int32_t placed;
};

struct order_visit {
    int32_t block;
    int next; /* index of the next successor to visit */
};

/* Walks depth-first from the first block and fills in `finished`. */
static void walk(struct order *o, int32_t first)
{
    struct vec_of(struct order_visit) path = {0};
    uint8_t *seen = xcalloc((size_t)o->p->block_count, 1);
    int32_t count = 0;
    vec_push(&path, (struct order_visit){first, 0});
    seen[first] = 1;
    while (path.count) {
        struct order_visit *v = &path.data[path.count - 1];
        const struct flow_block *b = &o->p->blocks[v->block];
        if (v->next == b->successor_count) {
            o->finished[v->block] = ++count;
            path.count--;
            continue;
        }
        int32_t next = b->successors[v->next++];
        if (!seen[next]) {
            seen[next] = 1;
            vec_push(&path, (struct order_visit){next, 0});
        }
    }
    vec_free(&path);
    free(seen);
}

static bool goes_on(const struct order *o, int32_t from, int32_t to)
{
    return o->finished[from] > o->finished[to];
}

/* Loop -1 is the whole function. */
static bool is_in_loop(const struct program *p, int32_t block, int loop)
{
    int at = p->blocks[block].loop;
    while (at >= 0 && at != loop)
        at = p->loops[at].parent;
    return at == loop;
}

/* The first block of the function that may be placed, in the innermost loop around `last` that has one; -1: none. */
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
