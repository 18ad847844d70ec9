/*
 * Enumeration of forms: walk all combinations of a row's suffixes, types and variants, keep the legal ones.
 *
 * Where these are many, enough are kept that any two choices that can stand together do so in some form:
 * each comparison with each type, each rounding with and without each flag, and so on.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "base/random.h"
#include "base/vec.h"
#include "family.h"

#include <stdlib.h>
#include <string.h>

enum { KEEP_ALL_UP_TO = 128, PLACES = OP_MAX_ELEMENTS + 1, CHOICES = 256 };

/* One legal form with the choice made at each place of the pattern; the variant is the last place. */
struct candidate {
    struct form form;
    uint8_t choice[PLACES];
};

struct walk {
    const struct family *family;
    struct element element[OP_MAX_ELEMENTS];
    int places;
    struct vec_of(struct candidate) found;
};

_Static_assert((int)MOD_COUNT <= CHOICES && (int)TYPE_COUNT <= CHOICES && (int)FORM_MAX_VARIANTS <= CHOICES,
               "a choice must fit");

static void walk_place(struct walk *w, struct candidate *c, int place);

static void walk_on(struct walk *w, struct candidate *c, int place, int choice)
{
    c->choice[place] = (uint8_t)choice;
    if (w->family->legal(&c->form, false))
        walk_place(w, c, place + 1);
}

static void walk_group(struct walk *w, struct candidate *c, int place)
{
    const enum group group = (enum group)w->element[place].which;
    uint8_t *mod = &c->form.suffixes.mod[group];
    if (w->element[place].optional)
        walk_on(w, c, place, MOD_NONE);
    for (int m = 1; m < MOD_COUNT; m++)
        if (element_takes_mod(&w->element[place], (enum mod)m)) {
            *mod = (uint8_t)m;
            walk_on(w, c, place, m);
        }
    *mod = MOD_NONE;
}

static void walk_flag(struct walk *w, struct candidate *c, int place)
{
    const uint64_t flag = 1ull << w->element[place].which;
    if (w->element[place].optional)
        walk_on(w, c, place, 0);
    c->form.suffixes.flags |= flag;
    walk_on(w, c, place, 1);
    c->form.suffixes.flags &= ~flag;
}

static void walk_type(struct walk *w, struct candidate *c, int place)
{
    uint8_t *type = &c->form.suffixes.type[w->element[place].which];
    for (int t = 1; t < TYPE_COUNT; t++)
        if (w->element[place].types >> t & 1) {
            *type = (uint8_t)t;
            walk_on(w, c, place, t);
        }
    *type = TYPE_NONE;
}

static void walk_shape(struct walk *w, struct candidate *c, int place)
{
    uint32_t shapes[CHOICES];
    const int count = element_shapes(&w->element[place], shapes, CHOICES);
    for (int i = 0; i < count && i < CHOICES; i++) {
        c->form.suffixes.shape = shapes[i];
        walk_on(w, c, place, i);
    }
    c->form.suffixes.shape = 0;
}

static void walk_variants(struct walk *w, struct candidate *c, int place)
{
    const int variants = w->family->variants(c->form.op);
    if (variants > FORM_MAX_VARIANTS)
        panic("%s has too many variants", op_table[c->form.op].id);
    for (int v = 0; v < variants; v++) {
        c->form.variant = v;
        c->choice[place] = (uint8_t)v;
        if (w->family->legal(&c->form, true))
            vec_push(&w->found, *c);
    }
    c->form.variant = 0;
}

static void walk_place(struct walk *w, struct candidate *c, int place)
{
    switch (w->element[place].kind) {
    case ELEMENT_GROUP:
        walk_group(w, c, place);
        break;
    case ELEMENT_FLAG:
        walk_flag(w, c, place);
        break;
    case ELEMENT_TYPE:
        walk_type(w, c, place);
        break;
    case ELEMENT_SHAPE:
        walk_shape(w, c, place);
        break;
    case ELEMENT_WORD:
        walk_on(w, c, place, 0);
        break;
    case ELEMENT_END:
        walk_variants(w, c, place);
        break;
    }
}

/* covered[pair of places][choice of the first][choice of the second] */
struct coverage {
    uint8_t covered[PLACES * PLACES][CHOICES][CHOICES / 8];
};

/* How many pairs of choices the candidate would be the first to have; with `take`, it has them from now on.
 */
static int coverage_gain(struct coverage *coverage, const struct candidate *c, int places, bool take)
{
    int gain = 0;
    for (int a = 0; a < places; a++)
        for (int b = a + 1; b < places; b++) {
            uint8_t *cell = &coverage->covered[a * PLACES + b][c->choice[a]][c->choice[b] / 8];
            const uint8_t bit = (uint8_t)(1u << c->choice[b] % 8);
            gain += !(*cell & bit);
            if (take)
                *cell |= bit;
        }
    return gain;
}

/* Marks those to keep: first what gains much, so that few are needed; in an order that favours no choice. */
static void thin_out(struct walk *w, bool *keep)
{
    struct coverage *coverage = xcalloc(1, sizeof *coverage);
    const int n = w->found.count;
    int *order = xcalloc((size_t)n, sizeof *order);
    struct random random = {.state = 1};
    for (int i = 0; i < n; i++) {
        const int j = (int)(random_u64(&random) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < n && w->family->essential; i++)
        if (w->family->essential(&w->found.data[i].form)) {
            coverage_gain(coverage, &w->found.data[i], w->places, true);
            keep[i] = true;
        }
    for (int wanted = 16; wanted; wanted /= 2)
        for (int i = 0; i < n; i++) {
            const struct candidate *c = &w->found.data[order[i]];
            if (coverage_gain(coverage, c, w->places, false) >= wanted) {
                coverage_gain(coverage, c, w->places, true);
                keep[order[i]] = true;
            }
        }
    free(order);
    free(coverage);
}

void form_list_row(enum op op, struct form_list *list)
{
    struct walk w = {.family = family_of(op)};
    w.places = op_split_suffixes(op_table[op].suffixes, w.element) + 1;
    struct candidate c = {.form = {.op = op}};
    walk_place(&w, &c, 0);
    bool *keep = xcalloc((size_t)w.found.count + 1, sizeof *keep);
    if (w.found.count <= KEEP_ALL_UP_TO)
        memset(keep, true, (size_t)w.found.count);
    else
        thin_out(&w, keep);
    for (int i = 0; i < w.found.count; i++)
        if (keep[i])
            vec_push(list, w.found.data[i].form);
    free(keep);
    vec_free(&w.found);
}
