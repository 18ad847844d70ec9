/* The launches of one kernel: see family.h. */
#include "sample/family.h"

#include <math.h>

enum { MOST_POINTS = 512 /* signatures from which groups are found */ };

/* The kernel before tells launches apart if half the interval is below this share of what it is otherwise. */
static const double narrower = 0.9;

void family_close(struct family *f)
{
    struct kind *k, *following;
    for (int i = 0; i < SORTINGS; i++)
        strata_drop(&f->sorted[i]);
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

static void regroup(struct family *f)
{
    int count = f->members.count, step = (count + MOST_POINTS - 1) / MOST_POINTS, points = 0;
    struct member *members = f->members.data;
    struct signature *point = xcalloc((size_t)count, sizeof *point);
    for (int i = count - 1; i >= 0; i -= step) /* the last one may be the first of its kind */
        point[points++] = members[i].signature;
    groups_find(&f->groups, point, points);
    free(point);
    for (int i = 0; i < count; i++)
        members[i].group = groups_nearest(&f->groups, &members[i].signature);
    f->grouped = count;
}

/* Whether groups are to be found anew, with the last member: when the family has doubled, or when the member is unlike
 * all groups, at most once in a sixteenth of the family. */
static bool is_due_for_groups(const struct family *f, const struct member *last)
{
    int count = f->members.count;
    if (count >= 2 * f->grouped)
        return true;
    return count > f->grouped + f->grouped / 16 && groups_is_outside(&f->groups, last->group, &last->signature);
}

static struct member *last_of(const struct family *f)
{
    return &f->members.data[f->members.count - 1];
}

/* Whether the first sum has an interval so much narrower that chance alone seldom makes it so. As long as all launches
 * were timed, neither sum has an interval, and what a launch to come would have counts. */
static bool is_narrower(const struct strata *by, const struct strata *than)
{
    const struct strata_sum *a = &by->part, *b = &than->part;
    double most = narrower * narrower;
    if (by->count && !b->half_squared)
        return strata_spread(by) < most * strata_spread(than);
    return a->half_squared * b->cycles * b->cycles < most * b->half_squared * a->cycles * a->cycles;
}

/* Chooses how launches are told apart. As long as the same kernel ran before all of them, the sum by the kernel before
 * is empty, and so not narrower. */
static void choose_sorting(struct family *f)
{
    const struct strata *plain = &f->sorted[PLAIN], *by_before = &f->sorted[BY_BEFORE];
    bool is_better = is_narrower(by_before, plain);
    f->is_doubtful = is_better && !by_before->has_return; /* a drift makes launches before a change differ, too */
    f->chosen = is_better && !f->is_doubtful ? BY_BEFORE : PLAIN;
    f->part = f->sorted[f->chosen].part;
}

/* Whether another kernel ran before the member than before the first one. */
static bool is_behind_another(const struct family *f, const struct member *m)
{
    return m->before != f->members.data[0].before;
}

/* Sorts the last member, or all of them. */
static void sort(struct family *f, enum sorting sorting, bool is_for_all)
{
    struct strata *s = &f->sorted[sorting];
    s->by_before = sorting == BY_BEFORE;
    if (is_for_all)
        strata_sum_up(s, f->members.data, f->members.count);
    else
        strata_add(s, f->members.data, f->members.count);
    strata_estimate(s, &f->whole);
}

void family_add(struct family *f, const struct member *m)
{
    vec_push(&f->members, *m);
    tally_add(&f->whole, &m->launch, NULL);
    struct member *last = last_of(f);
    last->group = groups_nearest(&f->groups, &m->signature);
    bool is_regrouped = is_due_for_groups(f, last), is_second = !f->has_two_before && is_behind_another(f, last);
    if (is_regrouped)
        regroup(f);
    f->has_two_before |= is_second;
    sort(f, PLAIN, is_regrouped);
    if (f->has_two_before)
        sort(f, BY_BEFORE, is_regrouped || is_second);
    if (m->launch.is_measured)
        f->measured_before = m->before;
    choose_sorting(f);
}

double family_half_squared(const struct family *f, const struct kind *kind)
{
    return strata_half_squared(&f->sorted[f->chosen], &f->whole, kind ? kind->number : -1);
}

double family_spread(const struct family *f)
{
    return strata_spread(&f->sorted[f->chosen]);
}

int family_parts(const struct family *f)
{
    const struct strata *s = &f->sorted[f->chosen];
    return s->count + s->known_count;
}

bool family_knows_last(const struct family *f)
{
    const struct member *m = last_of(f);
    return !groups_is_outside(&f->groups, m->group, &m->signature) && strata_know(&f->sorted[f->chosen], m);
}

void family_last(const struct family *f, struct sample_estimate *e)
{
    const struct member *m = last_of(f);
    double half_squared, cycles = strata_cycles(&f->sorted[f->chosen], &f->whole, m, &half_squared);
    *e = (struct sample_estimate){.cycles = cycles, .work = m->launch.work};
    e->sampling_half = sqrt(half_squared) * cycles;
    e->half_cycles = e->sampling_half + sample_allowance * cycles;
}
