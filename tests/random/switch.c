/* Switches: one dispatch to many cases, through brx.idx, a chain of compares, or a binary search. */
#include "gen.h"

enum { MAX_ENTRIES = 8, MAX_CASES = 6 };

struct dispatch {
    unsigned entries;        /* index values */
    int target[MAX_ENTRIES]; /* label for each */
    int end;
};

static void switch_brx(struct gen *g, const struct dispatch *d, const char *index)
{
    int list = g->lists++;
    struct draft line = {0};
    for (unsigned i = 0; i < d->entries; i++)
        draft_add(&line, "%s%s", i ? ", " : "", gen_target(g, d->target[i]).s);
    gen_count(g, RANDOM_switch_brx);
    gen_line(g, "list%d: .branchtargets %s;", list, line.s);
    draft_clear(&line);
    if (rng_chance(&g->rng, 15)) {
        struct name p = expr_condition(g);
        gen_op(g, "@%s brx.idx %s, list%d", p.s, index, list);
        gen_op(g, "bra %s", gen_target(g, d->end).s);
    } else {
        gen_op(g, "brx.idx %s, list%d", index, list);
    }
}

static void switch_chain(struct gen *g, const struct dispatch *d, const char *index)
{
    gen_count(g, RANDOM_switch_chain);
    for (unsigned i = 0; i + 1 < d->entries; i++) {
        struct name p = gen_temporary(g, KIND_P);
        gen_op(g, "setp.eq.s32 %s, %s, %u", p.s, index, i);
        gen_op(g, "@%s bra %s", p.s, gen_target(g, d->target[i]).s);
    }
    gen_op(g, "bra %s", gen_target(g, d->target[d->entries - 1]).s);
}

static void switch_tree(struct gen *g, const struct dispatch *d, const char *index, unsigned low, unsigned high)
{
    if (high - low == 1) {
        gen_op(g, "bra %s", gen_target(g, d->target[low]).s);
        return;
    }
    unsigned middle = (low + high) / 2;
    int upper = gen_label(g);
    struct name p = gen_temporary(g, KIND_P);
    gen_op(g, "setp.ge.u32 %s, %s, %u", p.s, index, middle);
    gen_op(g, "@%s bra %s", p.s, gen_target(g, upper).s);
    switch_tree(g, d, index, low, middle);
    gen_place(g, upper);
    switch_tree(g, d, index, middle, high);
}

static void switch_shuffle(struct gen *g, struct dispatch *d)
{
    for (unsigned i = d->entries - 1; i > 0; i--) {
        unsigned j = rng_below(&g->rng, i + 1);
        int swapped = d->target[i];
        d->target[i] = d->target[j];
        d->target[j] = swapped;
    }
}

void switch_statement(struct gen *g)
{
    struct dispatch d = {.end = gen_label(g)};
    int label[MAX_CASES];
    unsigned cases = 2 + rng_below(&g->rng, MAX_CASES - 1);
    d.entries = cases + rng_below(&g->rng, MAX_ENTRIES - cases + 1);
    for (unsigned i = 0; i < cases; i++)
        d.target[i] = label[i] = gen_label(g);
    for (unsigned i = cases; i < d.entries; i++) {
        bool skip = rng_chance(&g->rng, 40);
        d.target[i] = skip ? d.end : label[rng_below(&g->rng, cases)];
    }
    switch_shuffle(g, &d);
    struct name index = gen_temporary(g, KIND_R);
    struct name v = gen_word(g);
    gen_op(g, "rem.u32 %s, %s, %u", index.s, v.s, d.entries);
    unsigned shape = rng_below(&g->rng, 4);
    if (shape < 2) {
        switch_brx(g, &d, index.s);
    } else if (shape == 2) {
        switch_chain(g, &d, index.s);
    } else {
        gen_count(g, RANDOM_switch_tree);
        switch_tree(g, &d, index.s, 0, d.entries);
    }
    for (unsigned i = 0; i < cases; i++) {
        gen_place(g, label[i]);
        control_arm(g);
        if (i + 1 < cases && rng_chance(&g->rng, 75))
            gen_op(g, "bra %s", gen_target(g, d.end).s);
        else if (i + 1 < cases)
            gen_count(g, RANDOM_switch_fallthrough);
    }
    gen_place(g, d.end);
}
