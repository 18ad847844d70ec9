/*
 * Unstructured regions: some blocks with an order, and gotos between them as they come.
 *
 * Termination: an edge to a later block is free, and so is one to the region's end; an edge to the same or an
 * earlier block burns a unit of the region's fuel and is not taken when none is left. The fuel is set before
 * the region is entered and written by those edges alone. So the region takes fewer than `fuel` backward
 * edges, and between two of them runs each block at most once: no block runs more than `fuel` times per
 * entry.
 *
 * The order of the blocks in the text may be another than this order, so that forward edges go up the page.
 */
#include "gen.h"

enum {
    MAX_BLOCKS = 7,
    BLOCK_SIZE = 10, /* instructions of a block, about */
};

struct tangle {
    unsigned blocks;
    int label[MAX_BLOCKS + 1];    /* the last is the end */
    unsigned reaches[MAX_BLOCKS]; /* bit n: block n is a successor */
    struct name fuel;
    bool shuffled;
};

/* The label of block n, which gets an edge from `block`. */
static int tangle_edge(struct tangle *t, unsigned block, unsigned n)
{
    t->reaches[block] |= 1u << n;
    return t->label[n];
}

static int tangle_later(struct gen *g, struct tangle *t, unsigned block)
{
    return tangle_edge(t, block, block + 1 + rng_below(&g->rng, t->blocks - block));
}

static void tangle_back(struct gen *g, struct tangle *t, unsigned block)
{
    struct name wanted = expr_condition(g);
    struct name p = gen_temporary(g, KIND_P);
    int to = tangle_edge(t, block, rng_below(&g->rng, block + 1));
    gen_count(g, RANDOM_tangle_back);
    gen_op(g, "sub.s32 %s, %s, 1", t->fuel.s, t->fuel.s);
    gen_op(g, "setp.gt.and.s32 %s, %s, 0, %s", p.s, t->fuel.s, wanted.s);
    gen_op(g, "@%s bra %s", p.s, gen_target(g, to).s);
}

/* To any block at all, after burning fuel; ahead only, when free. */
static void tangle_brx(struct gen *g, struct tangle *t, unsigned block)
{
    bool burn = rng_chance(&g->rng, 60);
    unsigned first = burn ? 0 : block + 1;
    unsigned entries = 2 + rng_below(&g->rng, 5);
    int list = g->lists++;
    struct draft line = {0};
    gen_count(g, RANDOM_tangle_brx);
    for (unsigned i = 0; i < entries; i++) {
        int to = tangle_edge(t, block, first + rng_below(&g->rng, t->blocks + 1 - first));
        draft_add(&line, "%s%s", i ? ", " : "", gen_target(g, to).s);
    }
    gen_line(g, "list%d: .branchtargets %s;", list, line.s);
    draft_clear(&line);
    struct name index = gen_temporary(g, KIND_R);
    struct name v = gen_word(g);
    gen_op(g, "rem.u32 %s, %s, %u", index.s, v.s, entries);
    if (burn) {
        struct name p = gen_temporary(g, KIND_P);
        gen_op(g, "sub.s32 %s, %s, 1", t->fuel.s, t->fuel.s);
        gen_op(g, "setp.le.s32 %s, %s, 0", p.s, t->fuel.s);
        gen_op(g, "@%s bra %s", p.s, gen_target(g, t->label[t->blocks]).s);
    }
    gen_op(g, "brx.idx %s, list%d", index.s, list);
}

static void tangle_leave(struct gen *g, struct tangle *t, unsigned block)
{
    unsigned roll = rng_below(&g->rng, 100);
    if (roll < 12) {
        tangle_brx(g, t, block);
        return;
    }
    if (roll < 55) {
        tangle_back(g, t, block);
        if (rng_chance(&g->rng, 20))
            tangle_back(g, t, block);
    } else if (roll < 80) {
        gen_count(g, RANDOM_tangle_forward);
        int to = tangle_later(g, t, block);
        control_branch(g, to, true);
    }
    int next = t->label[block + 1];
    if (rng_chance(&g->rng, 25)) {
        gen_count(g, RANDOM_tangle_forward);
        next = tangle_later(g, t, block);
    } else {
        tangle_edge(t, block, block + 1);
    }
    if (t->shuffled || next != t->label[block + 1])
        gen_op(g, "bra %s", gen_target(g, next).s);
}

static unsigned tangle_reachable(const struct tangle *t, unsigned from)
{
    unsigned before;
    do {
        before = from;
        for (unsigned i = 0; i < t->blocks; i++)
            if (from & 1u << i)
                from |= t->reaches[i];
    } while (from != before);
    return from;
}

/* Some threads come in by side doors, among them one to each block that would be dead otherwise. */
static void tangle_enter(struct gen *g, struct tangle *t)
{
    unsigned doors = 1;
    bool several = false;
    for (unsigned i = t->blocks - 1; i > 0; i--) {
        bool chosen = rng_chance(&g->rng, 15);
        if (!chosen && tangle_reachable(t, doors) & 1u << i)
            continue;
        doors |= 1u << i;
        several = true;
        control_branch(g, t->label[i], true);
    }
    if (several)
        gen_count(g, RANDOM_tangle_entries);
    if (t->shuffled)
        gen_op(g, "bra %s", gen_target(g, t->label[0]).s);
}

static void tangle_block(struct gen *g, struct tangle *t, unsigned block)
{
    gen_place(g, t->label[block]);
    g->scope->depth++;
    expr_mark(g);
    control_list(g, 1 + rng_below(&g->rng, 3));
    g->scope->depth--;
    tangle_leave(g, t, block);
}

static void tangle_lay_out(struct gen *g, struct tangle *t, struct draft *block)
{
    unsigned order[MAX_BLOCKS];
    for (unsigned i = 0; i < t->blocks; i++)
        order[i] = i;
    for (unsigned i = t->blocks - 1; t->shuffled && i > 0; i--) {
        unsigned j = rng_below(&g->rng, i + 1);
        unsigned swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
    for (unsigned i = 0; i < t->blocks; i++)
        draft_move(&g->scope->body, &block[order[i]]);
}

void tangle_statement(struct gen *g)
{
    struct scope *s = g->scope;
    struct tangle t = {.blocks = 3 + rng_below(&g->rng, MAX_BLOCKS - 2)};
    unsigned fuel = gen_trips(g, BLOCK_SIZE * t.blocks);
    if (fuel < 2 || !gen_room(g, BLOCK_SIZE * t.blocks)) {
        expr_statement(g);
        return;
    }
    for (unsigned i = 0; i <= t.blocks; i++)
        t.label[i] = gen_label(g);
    t.fuel = gen_counter(g);
    t.shuffled = rng_chance(&g->rng, 40);
    gen_count(g, RANDOM_tangle);
    if (t.shuffled)
        gen_count(g, RANDOM_tangle_shuffled);
    gen_op(g, "mov.u32 %s, %u", t.fuel.s, fuel);

    struct draft here = s->body;
    struct draft block[MAX_BLOCKS] = {{0}};
    s->times *= fuel;
    for (unsigned i = 0; i < t.blocks; i++) {
        s->body = (struct draft){0};
        tangle_block(g, &t, i);
        block[i] = s->body;
    }
    s->times /= fuel;
    s->body = here;
    tangle_enter(g, &t);
    tangle_lay_out(g, &t, block);
    gen_place(g, t.label[t.blocks]);
}
