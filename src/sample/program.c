/* Sampling among the launches of a program: see program.h. */
#include "sample/program.h"

#include "base/arena.h"
#include "base/vec.h"
#include "gpu/gpu.h"
#include "sample/groups.h"
#include "sample/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum {
    LEAST_MEASURED = 2, /* launches of a family or group, below which nothing is known of it */
    OWN_MEASURED = 6,   /* launches of a group, from which on its own variance counts, and not that of its family */
    LEVEL_LAUNCHES = 4, /* measured launches whose mean counts for those behind the last */
    MOST_POINTS = 512,  /* signatures from which groups are found */
    LEAST_PAIRS = 2,    /* cold launches that were compared with warm ones, below which cold launches are not trusted */
    SPREAD = 32         /* launches of a family are measured at distances of at least its length so far over this */
};

/* Launches are timed while the program's half width is above this share of its cycles: below the target, so that the
 * program meets the target in the end although the variance is an estimate. */
static const double program_target = 0.035;
/* Families below this share of the program's cycles are timed no further, whatever is not known of them. */
static const double negligible_share = 0.005;
/* Launches that are like none that was measured are let go until they make up this share of the program's cycles. */
static const double unsure_share = 0.002;
/* A launch that takes so many times fewer cycles than the one before is measured along with it: else, to be measured
 * itself, it would need one more such launch to be timed before it. */
static const double cheap_ratio = 4;
/* Cold launches that differ from the next warm ones by less than this are as good as warm. */
static const double cold_tolerance = 0.01;
/* Each measured launch makes the distance to the next one so many times longer. */
static const double growth = 2;

/* A launch that has ended. */
struct member {
    struct signature signature;
    double work;
    double cycles, half, sampling_half; /* of a timed launch */
    bool is_timed, is_measured;         /* it was timed; and it counts for others */
};

/* What the work of a launch is measured in. Launches that wait more than they issue take the same cycles whatever their
 * instructions. */
enum unit { UNIT_INSTRUCTIONS, UNIT_LAUNCHES, UNITS };

/* Rates are cycles per unit of work. Launches that were only computed form gaps between those that were measured. */
struct rates {
    double last;              /* of the launch that was measured last */
    double level;             /* mean of the rates, in which the last ones weigh most; for the gap behind the last */
    double sum;               /* of the rates of all measured launches */
    double steps_squared;     /* sum of the squares of the relative differences between a rate and the next */
    double closed_cycles;     /* of the gaps before the launch that was measured last */
    double open_work;         /* work of the gap behind it */
    double left;              /* work before it to which its rate applies */
    double weights_squared;   /* sum over the other measured launches of the square of the work of their rates */
    double each_work_squared; /* sum of the squares of the work of each launch that was only computed */
};

/* Sums over the members of a group or a family, in the order of the launches. */
struct tally {
    double timed_cycles, timed_half_squared, timed_allowance; /* of launches that were timed */
    double timed_work, work;                                  /* instructions: timed, and all */
    int launches, measured;
    double relative_squared; /* sum of the squares of the relative sampling errors of measured launches */
    struct rates by[UNITS];
};

/* What it matters to launches that caches hold what was there long ago. A cold launch is the first of its family, or
 * follows one that was not timed, or the one of its family before it was not: nobody has brought what it shares with
 * that one. */
struct coldness {
    double rate;              /* of the last cold launch, until it is compared; 0: there is none */
    double excess, before_it; /* by how much the last two differed from the next warm launch, relative to its rate */
    int pairs;                /* cold launches that were compared */
};

struct family {
    struct sample_key key;
    struct vec_of(struct member) members;
    struct groups groups;
    struct tally tally[GROUPS_MAX], whole;
    int grouped;        /* members when groups were found last */
    int measured_at;    /* members when a launch was measured last */
    bool is_whole;      /* its launches cannot be sampled within */
    bool is_pending;    /* its last launch was timed for warm-up: the next one is to be measured */
    double unsure_work; /* of launches, since one was measured last, that were like none that was measured */
    struct coldness cold;
    struct family *next;    /* the family of the launch that followed the last time; NULL: none did */
    struct gpu_result like; /* counters of the launch that was measured last */
    bool has_like;
    UT_hash_handle hh;
};

/* The sum for a kernel as it was when its changes were asked for last. */
struct kernel_sum {
    uint64_t program; /* hash; 0: all kernels */
    struct sample_change so_far;
    UT_hash_handle hh;
};

struct sample_program {
    struct family *families;
    struct kernel_sum *sums;
    struct family *last; /* of the last launch */
    bool last_is_timed;
};

struct sample_key sample_key_of(const struct launch *launch, const struct program *program)
{
    struct sample_key key;
    memset(&key, 0, sizeof key); /* it is hashed, with its padding */
    key.program = program->hash;
    memcpy(key.block, launch->block, sizeof key.block);
    key.shared_bytes = launch->dynamic_shared_bytes;
    return key;
}

struct sample_program *sample_program_create(void)
{
    return xcalloc(1, sizeof(struct sample_program));
}

void sample_program_destroy(struct sample_program *p)
{
    struct family *f, *following;
    if (!p)
        return;
    HASH_ITER(hh, p->families, f, following)
    {
        HASH_DEL(p->families, f);
        vec_free(&f->members);
        gpu_result_free(&f->like);
        free(f);
    }
    struct kernel_sum *s, *next;
    HASH_ITER(hh, p->sums, s, next)
    {
        HASH_DEL(p->sums, s);
        free(s);
    }
    free(p);
}

static struct family *family_of(struct sample_program *p, const struct sample_key *key)
{
    struct family *f;
    HASH_FIND(hh, p->families, key, sizeof *key, f);
    if (!f) {
        f = xcalloc(1, sizeof *f);
        f->key = *key;
        HASH_ADD(hh, p->families, key, sizeof f->key, f);
    }
    return f;
}

/* ---- tallies ---- */

static double work_in(const struct member *m, enum unit unit)
{
    return unit == UNIT_LAUNCHES ? 1 : m->work;
}

/* Closes the gap before a launch that was measured: the gap takes the mean of the rates at its two ends. */
static void close_gap(struct rates *r, double rate, bool is_first)
{
    if (is_first) {
        r->closed_cycles = r->open_work * rate;
        r->left = r->open_work;
    } else {
        double weight = r->left + r->open_work / 2, step = 2 * (rate - r->last) / (rate + r->last);
        r->closed_cycles += r->open_work * (r->last + rate) / 2;
        r->weights_squared += weight * weight;
        r->steps_squared += step * step;
        r->left = r->open_work / 2;
    }
    r->open_work = 0;
    r->last = rate;
}

/* Adds a rate to the means of rates. A single rate would mislead: launches that happened to be fast would seem to need
 * fewer samples, and count for more launches. */
static void follow(struct rates *r, double rate, int measured)
{
    double weight = measured < LEVEL_LAUNCHES ? 1.0 / measured : 1.0 / LEVEL_LAUNCHES;
    r->level += weight * (rate - r->level);
    r->sum += rate;
}

static void tally_add(struct tally *t, const struct member *m)
{
    t->launches++;
    t->work += m->work;
    for (int u = 0; u < UNITS && !m->is_timed; u++) {
        double work = work_in(m, u);
        t->by[u].open_work += work;
        t->by[u].each_work_squared += work * work;
    }
    if (!m->is_timed)
        return;
    t->timed_cycles += m->cycles;
    t->timed_work += m->work;
    t->timed_half_squared += m->sampling_half * m->sampling_half;
    t->timed_allowance += m->half - m->sampling_half;
    if (!m->is_measured || m->work <= 0 || m->cycles <= 0)
        return;
    double relative = m->sampling_half / m->cycles;
    for (int u = 0; u < UNITS; u++) {
        close_gap(&t->by[u], m->cycles / work_in(m, u), !t->measured);
        follow(&t->by[u], m->cycles / work_in(m, u), t->measured + 1);
    }
    t->measured++;
    t->relative_squared += relative * relative;
}

/* Square of half the interval of a rate of the group, relative to the rate: from the differences between one measured
 * launch of a group and the next. Groups with few measured launches take the variance of all groups together. */
static double rate_half_squared(const struct family *f, const struct tally *t, enum unit unit)
{
    double steps = t->by[unit].steps_squared;
    int degrees = t->measured - 1;
    if (t->measured < OWN_MEASURED) {
        steps = 0;
        degrees = 0;
        for (int k = 0; k < f->groups.count; k++) {
            steps += f->tally[k].by[unit].steps_squared;
            degrees += f->tally[k].measured ? f->tally[k].measured - 1 : 0;
        }
    }
    if (!degrees) { /* no group has two: the differences between groups */
        steps = f->whole.by[unit].steps_squared;
        degrees = f->whole.measured - 1;
    }
    double student = sample_student(degrees);
    return degrees > 0 ? student * student * steps / (2 * degrees) : 0;
}

/* What launches that were only computed take, and the square of half its interval. */
struct open_sum {
    double cycles, half_squared;
};

/* Of a group, by one unit. A group without measured launches takes the rate of its family. */
static struct open_sum open_by(const struct family *f, const struct tally *t, enum unit unit)
{
    const struct rates *r = &t->by[unit];
    const struct tally *known = t->measured ? t : &f->whole;
    double last = r->left + r->open_work, n = known->measured, mean = n > 0 ? known->by[unit].sum / n : 0;
    struct open_sum sum = {.cycles = r->closed_cycles + r->open_work * known->by[unit].level};
    double work_squared = r->weights_squared + last * last + r->each_work_squared;
    sum.half_squared = rate_half_squared(f, t, unit) * mean * mean * work_squared;
    if (n > 0)
        sum.half_squared += known->relative_squared / (n * n) * sum.cycles * sum.cycles;
    return sum;
}

/* The unit whose rates vary less, relative to what they give. */
static enum unit unit_of(const struct family *f, const struct tally *t)
{
    struct open_sum a = open_by(f, t, UNIT_INSTRUCTIONS), b = open_by(f, t, UNIT_LAUNCHES);
    return a.half_squared * b.cycles * b.cycles <= b.half_squared * a.cycles * a.cycles ? UNIT_INSTRUCTIONS
                                                                                        : UNIT_LAUNCHES;
}

static struct open_sum open_of(const struct family *f, const struct tally *t)
{
    return open_by(f, t, unit_of(f, t));
}

/* What one family adds to a sum. */
struct family_sum {
    double cycles, half_squared, allowance;
};

static struct family_sum part_of(const struct family *f)
{
    struct family_sum p = {f->whole.timed_cycles, f->whole.timed_half_squared, f->whole.timed_allowance};
    for (int k = 0; k < f->groups.count; k++) {
        struct open_sum open = open_of(f, &f->tally[k]);
        p.cycles += open.cycles;
        p.half_squared += open.half_squared;
        p.allowance += sample_allowance * open.cycles;
    }
    return p;
}

void sample_program_sum(const struct sample_program *p, uint64_t program, struct sample_estimate *e)
{
    double squared = 0, allowance = 0;
    *e = (struct sample_estimate){0};
    for (const struct family *f = p->families; f; f = f->hh.next) {
        if (program && f->key.program != program)
            continue;
        struct family_sum part = part_of(f);
        e->cycles += part.cycles;
        e->timed_cycles += f->whole.timed_cycles;
        e->timed_work += f->whole.timed_work;
        e->work += f->whole.work;
        e->samples += f->whole.launches;
        squared += part.half_squared;
        allowance += part.allowance;
    }
    e->sampling_half = sqrt(squared);
    e->half_cycles = e->sampling_half + allowance;
}

/* ---- choosing ---- */

/* Whether another launch of the family should be measured, whatever the others need. */
static bool family_wants(const struct sample_program *p, const struct family *f)
{
    struct sample_estimate all;
    if (f->whole.measured < LEAST_MEASURED || f->is_pending)
        return true;
    sample_program_sum(p, 0, &all);
    struct family_sum part = part_of(f);
    if (part.cycles <= negligible_share * all.cycles)
        return false;
    if (f->members.count + 1 >= growth * f->measured_at + 1)
        return true;
    if (f->unsure_work * f->whole.by[UNIT_INSTRUCTIONS].level > unsure_share * all.cycles)
        return true;
    if (all.half_cycles <= program_target * all.cycles || f->members.count - f->measured_at < f->members.count / SPREAD)
        return false;
    /* Another launch helps only if much of the error comes from the family, and from launches like the last. */
    const struct tally *last = &f->tally[groups_nearest(&f->groups, &f->members.data[f->members.count - 1].signature)];
    return 2 * HASH_COUNT(p->families) * part.half_squared >= all.sampling_half * all.sampling_half &&
           2 * open_of(f, last).half_squared >= part.half_squared / f->groups.count;
}

/* Cycles of a launch of the family, on average. */
static double cycles_per_launch(const struct family *f)
{
    return part_of(f).cycles / f->whole.launches;
}

/* Whether the launch before was timed, so that this one can be measured, and took much longer than this one will. */
static bool is_cheap(const struct sample_program *p, const struct family *f)
{
    return p->last_is_timed && f->whole.measured && cheap_ratio * cycles_per_launch(f) <= cycles_per_launch(p->last);
}

bool sample_program_wants(struct sample_program *p, const struct sample_key *key)
{
    const struct family *f = family_of(p, key);
    return family_wants(p, f) || is_cheap(p, f) || (f->next && f->next != f && family_wants(p, f->next));
}

bool sample_program_times_whole(struct sample_program *p, const struct sample_key *key)
{
    return family_of(p, key)->is_whole;
}

/* ---- noting ---- */

/* Finds the groups of the family anew, and its sums. */
static void regroup(struct family *f)
{
    int count = f->members.count, step = (count + MOST_POINTS - 1) / MOST_POINTS, points = 0;
    struct signature *point = xcalloc((size_t)count, sizeof *point);
    for (int i = count - 1; i >= 0; i -= step) /* the last one may be the first of its kind */
        point[points++] = f->members.data[i].signature;
    groups_find(&f->groups, point, points);
    free(point);
    memset(f->tally, 0, sizeof f->tally);
    for (int i = 0; i < count; i++) {
        const struct member *m = &f->members.data[i];
        tally_add(&f->tally[groups_nearest(&f->groups, &m->signature)], m);
    }
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

/* Compares a timed launch with the cold one before it, or keeps its rate for that. */
static void compare_cold(struct coldness *c, double rate, bool is_cold)
{
    if (!is_cold && c->rate > 0) {
        c->before_it = c->excess;
        c->excess = fabs(c->rate / rate - 1);
        c->pairs++;
    }
    c->rate = is_cold ? rate : 0;
}

static bool trusts_cold(const struct coldness *c)
{
    return c->pairs >= LEAST_PAIRS && c->excess < cold_tolerance && c->before_it < cold_tolerance;
}

void sample_program_add(struct sample_program *p, const struct sample_key *key, const struct sample_launch *l)
{
    struct family *f = family_of(p, key);
    const struct member *before = f->members.count ? &f->members.data[f->members.count - 1] : NULL;
    bool is_timed = l->result != NULL, is_cold = !p->last_is_timed || !before || !before->is_timed;
    bool is_measured = is_timed && (!is_cold || trusts_cold(&f->cold));
    struct member m = {.signature = l->signature, .work = l->work, .is_timed = is_timed, .is_measured = is_measured};
    if (is_timed) {
        m.cycles = l->estimate->cycles;
        m.half = l->estimate->half_cycles;
        m.sampling_half = l->estimate->sampling_half;
        f->is_whole |= l->estimate->why != NULL;
        if (l->work > 0 && m.cycles > 0)
            compare_cold(&f->cold, m.cycles / l->work, is_cold);
    }
    vec_push(&f->members, m);
    tally_add(&f->whole, &m);
    if (is_due_for_groups(f, &m.signature))
        regroup(f);
    else
        tally_add(&f->tally[groups_nearest(&f->groups, &m.signature)], &m);
    int group = groups_nearest(&f->groups, &m.signature);
    bool is_known = f->tally[group].measured >= LEAST_MEASURED && !groups_is_outside(&f->groups, group, &m.signature);
    f->unsure_work = is_measured ? 0 : f->unsure_work + (is_timed || is_known ? 0 : m.work);
    if (is_measured || (is_timed && !f->has_like)) {
        gpu_result_free(&f->like);
        scale_copy(&f->like, l->result);
        f->has_like = true;
    }
    f->is_pending = is_timed && !is_measured;
    if (is_measured)
        f->measured_at = f->members.count;
    if (p->last)
        p->last->next = f;
    p->last = f;
    p->last_is_timed = is_timed;
}

void sample_program_last(const struct sample_program *p, struct sample_estimate *e, const struct gpu_result **like)
{
    const struct family *f = p->last;
    const struct member *m = &f->members.data[f->members.count - 1];
    const struct tally *own = &f->tally[groups_nearest(&f->groups, &m->signature)];
    enum unit unit = unit_of(f, own);
    double rate = own->measured ? own->by[unit].level : f->whole.by[unit].level;
    *e = (struct sample_estimate){.cycles = work_in(m, unit) * rate, .work = m->work};
    e->sampling_half = sqrt(2 * rate_half_squared(f, own, unit)) * e->cycles; /* of the rate, and of the launch */
    e->half_cycles = e->sampling_half + sample_allowance * e->cycles;
    *like = &f->like;
}

static struct sample_change change_of(struct sample_program *p, uint64_t program)
{
    struct kernel_sum *s;
    struct sample_estimate e;
    HASH_FIND(hh, p->sums, &program, sizeof program, s);
    if (!s) {
        s = xcalloc(1, sizeof *s);
        s->program = program;
        HASH_ADD(hh, p->sums, program, sizeof s->program, s);
    }
    sample_program_sum(p, program, &e);
    struct sample_change change = {e.cycles - s->so_far.cycles, e.half_cycles - s->so_far.half_cycles};
    s->so_far = (struct sample_change){e.cycles, e.half_cycles};
    return change;
}

void sample_program_changes(struct sample_program *p, struct sample_change *program, struct sample_change *kernel)
{
    *program = change_of(p, 0);
    *kernel = change_of(p, p->last->key.program);
}
