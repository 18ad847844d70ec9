/* The launches of a family, told apart in one way: see strata.h. */
#include "sample/strata.h"

#include "base/arena.h"
#include "sample/estimate.h"

#include <math.h>

enum {
    LEAST_MEASURED = 2, /* launches of a stratum, below which nothing is known of it */
    OWN_MEASURED = 6,   /* launches of a cell or stratum, from which on its own variance counts, and not that of all */
    LEAST_DEGREES = 2   /* degrees of freedom of the variance within cells, below which that within strata counts */
};

void strata_drop(struct strata *s)
{
    struct cell *c, *following;
    HASH_ITER(hh, s->cells, c, following)
    {
        HASH_DEL(s->cells, c);
        free(c);
    }
    *s = (struct strata){.by_before = s->by_before};
}

static int stratum_of(const struct strata *s, const struct member *m)
{
    return m->group * BEFORE_MAX + (s->by_before ? m->before : 0);
}

static struct cell *find_cell(const struct strata *s, int kind, int stratum)
{
    struct cell_key key = {kind, stratum};
    struct cell *c;
    HASH_FIND(hh, s->cells, &key, sizeof key, c);
    return c;
}

/* The cell of a member; it is added if there was none. */
static struct cell *cell_of(struct strata *s, const struct member *m)
{
    struct cell_key key = {m->kind, stratum_of(s, m)};
    struct cell *c = find_cell(s, key.kind, key.stratum);
    if (!c) {
        c = xcalloc(1, sizeof *c);
        c->key = key;
        HASH_ADD(hh, s->cells, key, sizeof c->key, c);
        s->count += !s->is_used[key.stratum];
        s->is_used[key.stratum] = true;
    }
    return c;
}

static void make_known(struct strata *s, struct cell *c)
{
    if (c->is_known)
        return;
    c->is_known = s->is_known[c->key.stratum] = true;
    c->next_known = s->known;
    s->known = c;
    s->known_count++;
}

/* To be called before the member is added to tallies. */
static void note_return(struct strata *s, const struct member *m)
{
    int stratum = stratum_of(s, m), *last = &s->last[m->group];
    if (!m->launch.is_measured)
        return;
    s->has_return |= s->rest[stratum].measured && *last != stratum;
    *last = stratum;
}

static void add_to_tallies(struct strata *s, const struct member *m)
{
    note_return(s, m);
    struct cell *c = cell_of(s, m);
    bool is_timed = m->launch.is_timed, is_known = s->is_known[c->key.stratum];
    if (is_timed || !is_known)
        tally_add(&s->orphans, &m->launch, &s->rest[c->key.stratum]);
    if (is_timed || !c->is_known)
        tally_add(&s->rest[c->key.stratum], &m->launch, &c->tally);
    tally_add(&c->tally, &m->launch, NULL);
}

void strata_sum_up(struct strata *s, const struct member *members, int count)
{
    strata_drop(s);
    for (int i = 0; i < count; i++)
        if (members[i].launch.is_measured)
            make_known(s, cell_of(s, &members[i]));
    for (int i = 0; i < count; i++)
        add_to_tallies(s, &members[i]);
}

void strata_add(struct strata *s, const struct member *members, int count)
{
    const struct member *m = &members[count - 1];
    struct cell *c = cell_of(s, m);
    if (m->launch.is_measured && !c->is_known && (c->tally.launches || !s->is_known[c->key.stratum])) {
        strata_sum_up(s, members,
                      count); /* what was uncertain of the launches of the cell or the stratum is known now */
        return;
    }
    if (m->launch.is_measured)
        make_known(s, c);
    add_to_tallies(s, m);
}

/* ---- sums ---- */

static void pool(struct strata *s, const struct tally *whole)
{
    s->within_cells = s->within_strata = (struct tally_spread){0};
    for (const struct cell *c = s->known; c; c = c->next_known)
        tally_spread_add(&s->within_cells, &c->tally);
    for (int i = 0; i < STRATA_MAX; i++)
        tally_spread_add(&s->within_strata, &s->rest[i]);
    if (!s->within_strata.steps) /* no stratum has two: the differences between strata */
        tally_spread_add(&s->within_strata, whole);
}

/* The variance of the rates of a stratum. */
static struct tally_spread spread_of_stratum(const struct strata *s, int stratum)
{
    struct tally_spread spread = {0};
    if (s->rest[stratum].measured < OWN_MEASURED)
        return s->within_strata;
    tally_spread_add(&spread, &s->rest[stratum]);
    return spread;
}

/* The variance of the rates of a cell. */
static struct tally_spread spread_of_cell(const struct strata *s, const struct cell *c)
{
    struct tally_spread spread = {0};
    if (c->tally.measured < OWN_MEASURED)
        return s->within_cells.steps >= LEAST_DEGREES ? s->within_cells : spread_of_stratum(s, c->key.stratum);
    tally_spread_add(&spread, &c->tally);
    return spread;
}

static struct tally_spread spread_of_all(const struct tally *whole)
{
    struct tally_spread spread = {0};
    tally_spread_add(&spread, whole);
    return spread;
}

static struct tally_sum sum_of(const struct tally *t, const struct tally *whole, const struct tally_spread *spread)
{
    return tally_open(t, whole, spread, tally_unit_of(t, whole, spread));
}

static struct tally_sum rest_sum(const struct strata *s, const struct tally *whole, int stratum)
{
    struct tally_spread spread = spread_of_stratum(s, stratum);
    return sum_of(&s->rest[stratum], whole, &spread);
}

static struct tally_sum orphan_sum(const struct strata *s, const struct tally *whole)
{
    struct tally_spread spread = spread_of_all(whole);
    return sum_of(&s->orphans, whole, &spread);
}

static struct tally_sum cell_sum(const struct strata *s, const struct tally *whole, const struct cell *c)
{
    struct tally_spread spread = spread_of_cell(s, c);
    return sum_of(&c->tally, whole, &spread);
}

static void add_sum(struct strata_sum *p, struct tally_sum s)
{
    p->cycles += s.cycles;
    p->half_squared += s.half_squared;
    p->allowance += sample_allowance * s.cycles;
}

void strata_estimate(struct strata *s, const struct tally *whole)
{
    pool(s, whole);
    s->part = (struct strata_sum){whole->timed_cycles, whole->timed_half_squared, whole->timed_allowance};
    add_sum(&s->part, orphan_sum(s, whole));
    for (int i = 0; i < STRATA_MAX; i++)
        if (s->is_known[i])
            add_sum(&s->part, rest_sum(s, whole, i));
    for (const struct cell *c = s->known; c; c = c->next_known)
        add_sum(&s->part, cell_sum(s, whole, c));
}

double strata_half_squared(const struct strata *s, const struct tally *whole, int kind)
{
    double half_squared = 0;
    bool is_found = false, has_orphans = false;
    for (int i = 0; kind >= 0 && i < STRATA_MAX; i++) {
        const struct cell *c = find_cell(s, kind, i);
        if (!c)
            continue;
        is_found = true;
        has_orphans |= !s->is_known[i];
        if (s->is_known[i])
            half_squared += (c->is_known ? cell_sum(s, whole, c) : rest_sum(s, whole, i)).half_squared;
    }
    if (has_orphans)
        half_squared += orphan_sum(s, whole).half_squared;
    return is_found ? half_squared : s->part.half_squared;
}

double strata_spread(const struct strata *s)
{
    double least = INFINITY;
    for (int u = 0; u < TALLY_UNITS; u++)
        least = fmin(least, tally_ahead_squared(&s->within_strata, u));
    return least;
}

bool strata_know(const struct strata *s, const struct member *m)
{
    int stratum = stratum_of(s, m);
    const struct cell *c = find_cell(s, m->kind, stratum);
    return (c && c->is_known) || s->rest[stratum].measured >= LEAST_MEASURED;
}

double strata_cycles(const struct strata *s, const struct tally *whole, const struct member *m, double *half_squared)
{
    int stratum = stratum_of(s, m);
    const struct cell *c = find_cell(s, m->kind, stratum);
    bool is_orphan = !s->is_known[stratum];
    const struct tally *t = c->is_known ? &c->tally : is_orphan ? &s->orphans : &s->rest[stratum];
    struct tally_spread spread = c->is_known ? spread_of_cell(s, c)
                                 : is_orphan ? spread_of_all(whole)
                                             : spread_of_stratum(s, stratum);
    enum tally_unit unit = tally_unit_of(t, whole, &spread);
    *half_squared = 2 * tally_ahead_squared(&spread, unit); /* of the rate, and of the launch */
    return tally_work(&m->launch, unit) * tally_rate_ahead(t->measured ? t : whole, unit);
}
