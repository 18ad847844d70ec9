/* Sampling among the launches of a program: see program.h. */
#include "sample/program.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/random.h"
#include "gpu/gpu.h"
#include "sample/family.h"
#include "sample/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum {
    MOST_TOLD_WAVES = 4, /* one wave more than so many changes the cycles by a quarter at most */
    LEAST_MEASURED = 2,  /* launches of a family, below which nothing is known of it */
    OPENING = 12,        /* launches of a family that are measured in a row at its start, at most */
    LONG_ROW = 4,        /* launches in a row that have left their lines in the L2, from which on others find it warm */
    MOST_RUN = 3,      /* launches of a family that are measured in a row for a narrower interval, once they are warm */
    SPREAD = 16,       /* launches of a family are measured at distances of about its length so far over this */
    DENSE_SPREAD = 64, /* the same, while the interval is much too wide */
    MOST_CONFIRMING = 4 /* launches of a family that are measured only to say if it matters which kernel ran before */
};

/* Launches are timed while the program's half width is above this share of its cycles: below the target, so that the
 * program meets the target in the end although the variance is an estimate. */
static const double program_target = 0.04;
/* Above this share they are timed at shorter distances. */
static const double dense_target = 0.045;
/* The first launches of a family are timed in a row until half the interval of their mean is this share of it. */
static const double rough_target = 0.06;
/* Families below this share of the program's cycles are timed no further, whatever is not known of them. */
static const double negligible_share = 0.005;
/* Launches that are like none that was measured are let go until they make up this share of the program's cycles. */
static const double unsure_share = 0.01;
/* A launch that takes so many times fewer cycles than the one before is measured along with it: else, to be measured
 * itself, it would need one more such launch to be timed before it. */
static const double cheap_ratio = 4;
/* A launch that brings less than this share of the L2 has found there what it needs. */
static const double little_brought = 0.01;
/* A launch is measured again when those since the last measured one make up this share of the program's cycles, but not
 * before the family has grown by the least factor, and not later than when it has grown by the most. */
static const double stale_share = 0.5, least_growth = 2, most_growth = 5;

/* A family, and how it is sampled. */
struct sampled {
    struct sample_key key;
    struct family family;
    int measured_at;        /* members when a launch was measured last */
    int run;                /* launches in a row that were measured last */
    double jitter;          /* 0.75 to 1.25: scales how many launches have passed since */
    struct random random;   /* gives a new jitter after each measured launch: they keep no step with the program */
    bool is_whole;          /* its launches cannot be sampled within */
    bool is_wanted;         /* the launch that comes is to be measured, if it is warm */
    bool is_pending;        /* its last launch was to be measured and was cold: the next one is to be measured */
    int last_at;            /* number of its last launch among those of the program */
    int longest;            /* most launches from one of its launches to the next, so far */
    int row;                /* the row of launches (struct row) that its last launch was in; 0: it was in none */
    double unsure_work;     /* of launches, since one was measured last, that were like none that was measured */
    struct sampled *next;   /* the family of the launch that followed the last time; NULL: none did */
    struct gpu_result like; /* counters of the launch that was measured last */
    bool has_like;
    /* Hashes of the kernels that ran before its launches, by which these are told apart; 0: there are no further ones.
     * The last one stands for all others. */
    uint64_t before[BEFORE_MAX];
    int behind[BEFORE_MAX]; /* launches that were measured behind each of them */
    int confirming;         /* launches that were measured only to say if it matters which of them ran before */
    UT_hash_handle hh;
};

/* The launches in a row that have left their lines in the L2, up to the last one. */
struct row {
    int number, launches; /* counted from 1; 0 launches: the last launch left nothing there */
    double brought;       /* share of the L2 that they filled */
    double last_brought;  /* by the last of them */
};

/* The sum for a kernel as it was when its changes were asked for last. */
struct kernel_sum {
    uint64_t program; /* hash; 0: all kernels */
    struct sample_change so_far;
    UT_hash_handle hh;
};

struct sample_program {
    struct sampled *families;
    struct kernel_sum *sums;
    struct sampled *last; /* of the last launch */
    struct kind *last_kind;
    bool last_is_timed;
    struct row row;
    int launches; /* of all families */
};

/* The words of the parameters that are addresses differ from run to run and with buffers that take turns. */
static uint64_t hash_of_scalars(const struct launch *launch)
{
    uint64_t hash = bits_hash(BITS_HASH_SEED, launch->grid, sizeof launch->grid);
    const unsigned char *bytes = launch->parameters;
    for (size_t at = 0, length; at < launch->parameter_bytes; at += length) {
        uint64_t word;
        length = launch->parameter_bytes - at < sizeof word ? launch->parameter_bytes - at : sizeof word;
        if (length == sizeof word) {
            memcpy(&word, bytes + at, sizeof word);
            if (memory_find(launch->image->memory, word))
                continue;
        }
        hash = bits_hash(hash, bytes + at, length);
    }
    return hash;
}

static uint32_t waves_of(const struct launch *launch, uint64_t wave)
{
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    uint64_t waves = wave ? (blocks + wave - 1) / wave : 0;
    return waves <= MOST_TOLD_WAVES ? (uint32_t)waves : 0;
}

struct sample_key sample_key_of(const struct launch *launch, const struct program *program, uint64_t wave)
{
    struct sample_key key;
    memset(&key, 0, sizeof key); /* it is hashed, with its padding */
    key.program = program->hash;
    memcpy(key.block, launch->block, sizeof key.block);
    key.shared_bytes = launch->dynamic_shared_bytes;
    key.waves = waves_of(launch, wave);
    key.arguments = hash_of_scalars(launch);
    return key;
}

struct sample_program *sample_program_create(void)
{
    struct sample_program *p = xcalloc(1, sizeof *p);
    p->row.number = 1;
    return p;
}

void sample_program_destroy(struct sample_program *p)
{
    struct sampled *f, *following;
    if (!p)
        return;
    HASH_ITER(hh, p->families, f, following)
    {
        HASH_DEL(p->families, f);
        family_close(&f->family);
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

static void draw_jitter(struct sampled *f)
{
    f->jitter = 0.75 + 0.5 * ((double)(random_u64(&f->random) >> 11) * 0x1p-53);
}

static struct sampled *family_of(struct sample_program *p, const struct sample_key *key)
{
    struct sampled *f;
    const size_t length = offsetof(struct sample_key, arguments);
    HASH_FIND(hh, p->families, key, length, f);
    if (!f) {
        f = xcalloc(1, sizeof *f);
        f->key = *key;
        f->random.state = key->program;
        draw_jitter(f);
        HASH_ADD(hh, p->families, key, length, f);
    }
    return f;
}

void sample_program_sum(const struct sample_program *p, uint64_t program, struct sample_estimate *e)
{
    double squared = 0, allowance = 0;
    *e = (struct sample_estimate){0};
    for (const struct sampled *f = p->families; f; f = f->hh.next) {
        if (program && f->key.program != program)
            continue;
        const struct strata_sum *part = &f->family.part;
        const struct tally *whole = &f->family.whole;
        e->cycles += part->cycles;
        e->timed_cycles += whole->timed_cycles;
        e->timed_work += whole->timed_work;
        e->work += whole->work;
        e->samples += whole->launches;
        squared += part->half_squared;
        allowance += part->allowance;
    }
    e->sampling_half = sqrt(squared);
    e->half_cycles = e->sampling_half + allowance;
}

/* ---- choosing ---- */

/* Whether the launches of the family since the last measured one are many. */
static bool is_stale(const struct sampled *f, const struct sample_estimate *all)
{
    double count = f->family.members.count + 1, grown = (count - f->measured_at) * f->jitter;
    if (grown < (least_growth - 1) * f->measured_at)
        return false;
    double share = f->family.part.cycles / all->cycles * (1 - f->measured_at / count);
    return share >= stale_share || grown >= (most_growth - 1) * f->measured_at;
}

/* Whether the next launch of the family, of which its kind says nothing, is one of those, every fourth at random, that
 * are measured for unknown ones. The one behind an unknown launch is of another kind wherever kinds take turns. */
static bool is_drawn(const struct sampled *f)
{
    struct random random = {f->random.state + (uint64_t)f->family.members.count};
    return random_u64(&random) % 4 == 0;
}

/* Whether launches that were like none that was measured are many, and the launch of this kind may be such a one. */
static bool is_unsure(const struct sampled *f, const struct kind *kind, const struct sample_estimate *all)
{
    if (f->unsure_work * f->family.whole.by[TALLY_INSTRUCTIONS].level <= unsure_share * all->cycles)
        return false;
    return !kind || !kind->launches ? is_drawn(f) : kind->is_unsure;
}

/* Whether the first launches of the family say too little of it. They are measured in a row, since one that is measured
 * later needs another before it for warm-up. */
static bool is_opening(const struct family *f)
{
    double most = rough_target * rough_target;
    if (f->whole.measured < LEAST_MEASURED)
        return true;
    return f->whole.measured < OPENING && f->whole.timed_work >= f->whole.work &&
           f->whole.measured * most < family_spread(f);
}

/* Whether the launch is far enough from the one that was measured last to say something new, or is warm already. */
static bool is_far(const struct sample_program *p, const struct sampled *f, bool is_dense)
{
    int since = f->family.members.count - f->measured_at;
    if (!since && p->last_is_timed && f->run < MOST_RUN)
        return true;
    return since * f->jitter * (is_dense ? DENSE_SPREAD : SPREAD) >= f->family.members.count;
}

/* Whether a launch of the kind should be measured, whatever the others need. */
static bool family_wants(const struct sample_program *p, const struct sampled *f, const struct kind *kind)
{
    struct sample_estimate all;
    const struct family *own = &f->family;
    if (f->is_pending || is_opening(own))
        return true;
    sample_program_sum(p, 0, &all);
    if (own->part.cycles <= negligible_share * all.cycles)
        return false;
    if (is_stale(f, &all) || is_unsure(f, kind, &all))
        return true;
    if (all.half_cycles <= program_target * all.cycles || !is_far(p, f, all.half_cycles > dense_target * all.cycles))
        return false;
    /* Another launch helps only if much of the error comes from the family, and from launches like it. */
    return 2 * HASH_COUNT(p->families) * own->part.half_squared >= all.sampling_half * all.sampling_half &&
           2 * family_parts(own) * family_half_squared(own, kind) >= own->part.half_squared;
}

/* The number of the kernel before a launch of the family. `before`: the family of the launch before; NULL: the launch
 * is the first one of the program, and counts with those behind the first kernel before one of the family. */
static int number_before(const struct sampled *f, const struct sampled *before)
{
    int i = 0;
    while (before && i < BEFORE_MAX - 1 && f->before[i] && f->before[i] != before->key.program)
        i++;
    return i;
}

/* Whether a launch behind one of the family `before` would say if it matters which kernel ran before, or what launches
 * behind this kernel take. */
static bool would_confirm(const struct sampled *f, const struct sampled *before)
{
    const struct family *own = &f->family;
    int number = number_before(f, before), least = own->chosen == BY_BEFORE ? LEAST_MEASURED : 1;
    if (f->behind[number] < least)
        return true;
    return own->is_doubtful && f->confirming < MOST_CONFIRMING && own->measured_before != number;
}

/* Cycles of a launch of the family, on average. */
static double cycles_per_launch(const struct family *f)
{
    return f->part.cycles / f->whole.launches;
}

/* Whether the launch before was timed, so that this one can be measured, and took much longer than this one will. */
static bool is_cheap(const struct sample_program *p, const struct sampled *f)
{
    return p->last_is_timed && f->family.whole.measured &&
           cheap_ratio * cycles_per_launch(&f->family) <= cycles_per_launch(&p->last->family);
}

/* Whether the family has stayed away for much longer than ever before. One of a single launch may never come back. */
static bool is_gone(const struct sample_program *p, const struct sampled *f)
{
    return p->launches - f->last_at >= 2 * f->longest + LONG_ROW;
}

/* Whether the launch that will follow, if it is as one of the last times, should be measured. */
static bool next_wants(const struct sample_program *p, const struct sampled *f, const struct kind *kind)
{
    for (int i = 0; i < 2; i++) {
        const struct sampled *next = kind->next[0] ? kind->next[i] : i ? NULL : f->next;
        const struct kind *next_kind = kind->next_kind[i];
        bool is_other = next && next_kind != kind && (next_kind || next != f);
        if (is_other && !is_gone(p, next) && (family_wants(p, next, next_kind) || would_confirm(next, f)))
            return true;
    }
    return false;
}

/* Whether the L2 holds what the next launch of the family would find there if all launches were timed. */
static bool is_warm(const struct sample_program *p, const struct sampled *f)
{
    const struct row *r = &p->row;
    bool is_settled = r->number == 1 || r->launches >= LONG_ROW || r->last_brought < little_brought;
    return r->brought >= 1 || (r->launches && f->row == r->number && is_settled);
}

/* Whether a launch of some family is to be measured as soon as it comes. */
static bool is_awaited(const struct sample_program *p)
{
    for (const struct sampled *f = p->families; f; f = f->hh.next)
        if (f->is_pending && !is_gone(p, f))
            return true;
    return false;
}

enum sample_choice sample_program_choose(struct sample_program *p, const struct sample_key *key)
{
    struct sampled *f = family_of(p, key);
    const struct kind *kind = family_kind(&f->family, key->arguments);
    f->is_wanted = family_wants(p, f, kind) || is_cheap(p, f);
    bool is_useful = f->is_wanted || would_confirm(f, p->last);
    if (is_useful && (is_warm(p, f) || !f->family.whole.measured)) /* nothing else says what the family takes */
        return SAMPLE_TIME;
    return is_useful || is_awaited(p) || next_wants(p, f, kind) ? SAMPLE_WARM : SAMPLE_COMPUTE;
}

bool sample_program_times_whole(struct sample_program *p, const struct sample_key *key)
{
    return family_of(p, key)->is_whole;
}

/* ---- noting ---- */

/* Notes when the family was measured, and what of it was not. */
static void note_progress(struct sampled *f, struct kind *kind, const struct tally_launch *l)
{
    kind->launches++;
    if (l->is_measured) {
        f->run = f->measured_at == f->family.members.count - 1 ? f->run + 1 : 1;
        f->measured_at = f->family.members.count;
        f->confirming += !f->is_wanted;
        draw_jitter(f);
        f->unsure_work = 0;
        kind->is_unsure = false;
    } else if (!l->is_timed && !family_knows_last(&f->family)) {
        f->unsure_work += l->work;
        kind->is_unsure = true;
    }
    f->is_pending = f->is_wanted && !l->is_measured;
}

/* A launch that leaves nothing in the L2 ends the row. */
static void note_row(struct row *r, const struct sample_launch *l)
{
    if (!l->is_in_l2) {
        *r = (struct row){.number = r->number + 1};
        return;
    }
    r->launches++;
    r->brought += l->brought;
    r->last_brought = l->brought;
}

static void note_next(struct kind *k, struct sampled *next, struct kind *next_kind)
{
    if (k->next_kind[0] == next_kind)
        return;
    k->next[1] = k->next[0];
    k->next_kind[1] = k->next_kind[0];
    k->next[0] = next;
    k->next_kind[0] = next_kind;
}

void sample_program_add(struct sample_program *p, const struct sample_key *key, const struct sample_launch *l)
{
    struct sampled *f = family_of(p, key);
    struct family *own = &f->family;
    struct kind *kind = family_kind(own, key->arguments);
    bool is_timed = l->result != NULL;
    struct member m = {.signature = l->signature,
                       .kind = kind->number,
                       .before = number_before(f, p->last),
                       .launch = {.work = l->work}};
    if (p->last)
        f->before[m.before] = p->last->key.program;
    m.launch.is_timed = is_timed;
    m.launch.is_measured = is_timed && is_warm(p, f);
    if (is_timed) {
        m.launch.cycles = l->estimate->cycles;
        m.launch.half = l->estimate->half_cycles;
        m.launch.sampling_half = l->estimate->sampling_half;
        f->is_whole |= l->estimate->why != NULL;
    }
    family_add(own, &m);
    f->behind[m.before] += m.launch.is_measured;
    if (m.launch.is_measured || (is_timed && !f->has_like)) {
        gpu_result_free(&f->like);
        scale_copy(&f->like, l->result);
        f->has_like = true;
    }
    note_progress(f, kind, &m.launch);
    if (p->last) {
        p->last->next = f;
        note_next(p->last_kind, f, kind);
    }
    p->last = f;
    p->last_kind = kind;
    p->last_is_timed = is_timed;
    p->launches++;
    if (f->last_at && p->launches - f->last_at > f->longest)
        f->longest = p->launches - f->last_at;
    f->last_at = p->launches;
    note_row(&p->row, l);
    f->row = l->is_in_l2 ? p->row.number : 0;
}

void sample_program_last(const struct sample_program *p, struct sample_estimate *e, const struct gpu_result **like)
{
    family_last(&p->last->family, e);
    *like = &p->last->like;
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
