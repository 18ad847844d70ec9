/* The launches of one kernel: see family.h. */
#include "sample/family.h"

#include <math.h>

enum {
    LEAST_MEASURED = 2, /* launches of a group, below which nothing is known of it */
    OWN_MEASURED = 6,   /* launches of a cell or group, from which on its own variance counts, and not that of all */
    LEAST_DEGREES = 2,  /* degrees of freedom of the variance within cells, below which that within groups counts */
    MOST_POINTS = 512   /* signatures from which groups are found */
};

static void drop_cells(struct family *f)
{
    struct cell *c, *following;
    HASH_ITER(hh, f->cells, c, following)
    {
        HASH_DEL(f->cells, c);
        free(c);
    }
    f->known = NULL;
    f->known_count = 0;
}

void family_close(struct family *f)
{
    struct kind *k, *following;
    drop_cells(f);
    HASH_ITER(hh, f->kinds, k, following)
    {
        HASH_DEL(f->kinds, k);
        free(k);
    }
    vec_free(&f->members);
}

struct kind *family_kind(struct family *f, uint64_t arguments)
{
    struct kind *k;
    HASH_FIND(hh, f->kinds, &arguments, sizeof arguments, k);
    if (!k) {
        k = xcalloc(1, sizeof *k);
        k->arguments = arguments;
        k->number = (int)HASH_COUNT(f->kinds);
        HASH_ADD(hh, f->kinds, arguments, sizeof k->arguments, k);
    }
    return k;
}

static struct cell *find_cell(const struct family *f, int kind, int group)
{
    struct cell_key key = {kind, group};
    struct cell *c;
    HASH_FIND(hh, f->cells, &key, sizeof key, c);
    return c;
}

/* The cell of a member; it is added if there was none. */
static struct cell *cell_of(struct family *f, const struct member *m)
{
    struct cell_key key = {m->kind, groups_nearest(&f->groups, &m->signature)};
    struct cell *c = find_cell(f, key.kind, key.group);
    if (!c) {
        c = xcalloc(1, sizeof *c);
        c->key = key;
        HASH_ADD(hh, f->cells, key, sizeof c->key, c);
    }
    return c;
}

static void make_known(struct family *f, struct cell *c)
{
    if (c->is_known)
        return;
    c->is_known = f->is_known[c->key.group] = true;
    c->next_known = f->known;
    f->known = c;
    f->known_count++;
}

static void add_to_tallies(struct family *f, const struct member *m)
{
    struct cell *c = cell_of(f, m);
    bool is_timed = m->launch.is_timed, is_known = f->is_known[c->key.group];
    if (is_timed || (is_known && !c->is_known))
        tally_add(&f->rest[c->key.group], &m->launch, &c->tally);
    if (is_timed || !is_known)
        tally_add(&f->orphans, &m->launch, &c->tally);
    tally_add(&c->tally, &m->launch, NULL);
}

/* Sums up the members anew. */
static void sum_up(struct family *f)
{
    drop_cells(f);
    memset(f->rest, 0, sizeof f->rest);
    memset(&f->orphans, 0, sizeof f->orphans);
    memset(f->is_known, 0, sizeof f->is_known);
    for (int i = 0; i < f->members.count; i++)
        if (f->members.data[i].launch.is_measured)
            make_known(f, cell_of(f, &f->members.data[i]));
    for (int i = 0; i < f->members.count; i++)
        add_to_tallies(f, &f->members.data[i]);
}

static void regroup(struct family *f)
{
    int count = f->members.count, step = (count + MOST_POINTS - 1) / MOST_POINTS, points = 0;
    struct signature *point = xcalloc((size_t)count, sizeof *point);
    for (int i = count - 1; i >= 0; i -= step) /* the last one may be the first of its kind */
        point[points++] = f->members.data[i].signature;
    groups_find(&f->groups, point, points);
    free(point);
    sum_up(f);
    f->grouped = count;
}

/* Whether groups are to be found anew, with the last member: when the family has doubled, or when the member is unlike
 * all groups, at most once in a sixteenth of the family. */
static bool is_due_for_groups(const struct family *f, const struct signature *signature)
{
    int count = f->members.count;
    if (count >= 2 * f->grouped)
        return true;
    return count > f->grouped + f->grouped / 16 &&
           groups_is_outside(&f->groups, groups_nearest(&f->groups, signature), signature);
}

static void add(struct family *f, const struct member *m)
{
    vec_push(&f->members, *m);
    tally_add(&f->whole, &m->launch, NULL);
    if (is_due_for_groups(f, &m->signature)) {
        regroup(f);
        return;
    }
    struct cell *c = cell_of(f, m);
    if (m->launch.is_measured && !c->is_known && (c->tally.launches || !f->is_known[c->key.group])) {
        sum_up(f); /* what was uncertain of the launches of the cell or the group is known now */
        return;
    }
    if (m->launch.is_measured)
        make_known(f, c);
    add_to_tallies(f, m);
}

/* ---- sums ---- */

static void pool(struct family *f)
{
    f->within_cells = f->within_groups = (struct tally_spread){0};
    for (const struct cell *c = f->known; c; c = c->next_known)
        tally_spread_add(&f->within_cells, &c->tally);
    for (int k = 0; k < f->groups.count; k++)
        tally_spread_add(&f->within_groups, &f->rest[k]);
    if (!f->within_groups.steps) /* no group has two: the differences between groups */
        tally_spread_add(&f->within_groups, &f->whole);
}

/* The variance of the rates of a group. */
static struct tally_spread spread_of_group(const struct family *f, const struct tally *t)
{
    struct tally_spread s = {0};
    if (t->measured < OWN_MEASURED)
        return f->within_groups;
    tally_spread_add(&s, t);
    return s;
}

/* The variance of the rates of a cell. */
static struct tally_spread spread_of_cell(const struct family *f, const struct cell *c)
{
    struct tally_spread s = {0};
    if (c->tally.measured < OWN_MEASURED)
        return f->within_cells.steps >= LEAST_DEGREES ? f->within_cells : spread_of_group(f, &f->rest[c->key.group]);
    tally_spread_add(&s, &c->tally);
    return s;
}

static struct tally_sum rest_sum(const struct family *f, int group)
{
    const struct tally *t = &f->rest[group];
    struct tally_spread s = spread_of_group(f, t);
    return tally_open(t, &f->whole, &s, tally_unit_of(t, &f->whole, &s));
}

static struct tally_spread spread_of_all(const struct family *f)
{
    struct tally_spread s = {0};
    tally_spread_add(&s, &f->whole);
    return s;
}

static struct tally_sum orphan_sum(const struct family *f)
{
    struct tally_spread s = spread_of_all(f);
    return tally_open(&f->orphans, &f->whole, &s, tally_unit_of(&f->orphans, &f->whole, &s));
}

static struct tally_sum cell_sum(const struct family *f, const struct cell *c)
{
    struct tally_spread s = spread_of_cell(f, c);
    return tally_open(&c->tally, &f->whole, &s, tally_unit_of(&c->tally, &f->whole, &s));
}

static void add_sum(struct family_sum *p, struct tally_sum s)
{
    p->cycles += s.cycles;
    p->half_squared += s.half_squared;
    p->allowance += sample_allowance * s.cycles;
}

static struct family_sum part_of(const struct family *f)
{
    struct family_sum p = {f->whole.timed_cycles, f->whole.timed_half_squared, f->whole.timed_allowance};
    add_sum(&p, orphan_sum(f));
    for (int k = 0; k < f->groups.count; k++)
        add_sum(&p, rest_sum(f, k));
    for (const struct cell *c = f->known; c; c = c->next_known)
        add_sum(&p, cell_sum(f, c));
    return p;
}

void family_add(struct family *f, const struct member *m)
{
    add(f, m);
    pool(f);
    f->part = part_of(f);
}

double family_half_squared(const struct family *f, const struct kind *kind)
{
    double half_squared = 0;
    bool is_found = false, has_orphans = false;
    for (int k = 0; kind && k < f->groups.count; k++) {
        const struct cell *c = find_cell(f, kind->number, k);
        if (!c)
            continue;
        is_found = true;
        has_orphans |= !f->is_known[k];
        if (f->is_known[k])
            half_squared += (c->is_known ? cell_sum(f, c) : rest_sum(f, k)).half_squared;
    }
    int last = groups_nearest(&f->groups, &f->members.data[f->members.count - 1].signature);
    if (!is_found && f->is_known[last])
        half_squared = rest_sum(f, last).half_squared;
    if (has_orphans || (!is_found && !f->is_known[last]))
        half_squared += orphan_sum(f).half_squared;
    return half_squared;
}

double family_spread(const struct family *f)
{
    double least = INFINITY;
    for (int u = 0; u < TALLY_UNITS; u++)
        least = fmin(least, tally_ahead_squared(&f->within_groups, u));
    return least;
}

bool family_knows_last(const struct family *f)
{
    const struct member *m = &f->members.data[f->members.count - 1];
    int group = groups_nearest(&f->groups, &m->signature);
    const struct cell *c = find_cell(f, m->kind, group);
    if (groups_is_outside(&f->groups, group, &m->signature))
        return false;
    return (c && c->is_known) || f->rest[group].measured >= LEAST_MEASURED;
}

void family_last(const struct family *f, struct sample_estimate *e)
{
    const struct member *m = &f->members.data[f->members.count - 1];
    const struct cell *c = find_cell(f, m->kind, groups_nearest(&f->groups, &m->signature));
    bool is_orphan = !f->is_known[c->key.group];
    const struct tally *t = c->is_known ? &c->tally : is_orphan ? &f->orphans : &f->rest[c->key.group];
    struct tally_spread s = c->is_known ? spread_of_cell(f, c) : is_orphan ? spread_of_all(f) : spread_of_group(f, t);
    enum tally_unit unit = tally_unit_of(t, &f->whole, &s);
    double rate = tally_rate_ahead(t->measured ? t : &f->whole, unit);
    *e = (struct sample_estimate){.cycles = tally_work(&m->launch, unit) * rate, .work = m->launch.work};
    e->sampling_half = sqrt(2 * tally_ahead_squared(&s, unit)) * e->cycles; /* of the rate, and of the launch */
    e->half_cycles = e->sampling_half + sample_allowance * e->cycles;
}
