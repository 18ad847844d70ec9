/*
 * Common instruction sequences on several sides of a branch become one function, at whose entry threads reconverge.
 *
 * Damani et al. (CGO 2020, sections 3 and 6): code that is common to divergent paths may be refactored into a single
 * method, the inverse of inlining, and threads that come there by different calls can then run it together. For every
 * branch at which threads may diverge, the pass looks for straight sequences that are equal up to the names of
 * registers (alike.h) in code that only one side comes to. The sequence becomes a function, each place a call of it,
 * and a pragma at the branch predicts the function's entry. Several sequences of a branch become several functions. A
 * function serves one branch alone, since the barrier at its entry can wait for the threads of one region only.
 *
 * Whether it pays is estimated by costs of recon/cost.h. Without the function a warp issues the sequence once per side;
 * with it once, plus a call and the passing of values on each side, plus the barrier's operations. The gain on the
 * sequence must be DETECT_LEAST_GAIN.
 *
 * The pass outline-places takes more: sequences in code that is conditional in any way, behind a branch in the same
 * loop, such as in two ifs one after the other. Threads of the first then wait for those that skip it and come to the
 * second. Whether a thread comes to one of the places or to all is not known, so the estimate counts half of the gain.
 *
 * Left alone are places in loops inside of a side (threads would reconverge at the first call only; docs/recon.md,
 * Limits), and branches with barriers or warp-level operations before their sides meet, which the prediction would
 * split. Sequences of several blocks are not looked for.
 */
#include "rewrite/outline.h"

#include "flow/program.h"
#include "recon/cost.h"
#include "recon/detect.h"
#include "recon/gain.h"
#include "rewrite/alike.h"
#include "rewrite/sides.h"
#include "rewrite/table.h"

#include <stdlib.h>

enum {
    LEAST_COUNT = 3,     /* instructions of a sequence that is worth a look */
    MOST_PER_BRANCH = 3, /* functions: each takes a barrier register in the whole program */
    MOST_IN_ALL = 8,
    MOST_BLOCKS = 32,     /* conditional blocks behind a branch that are compared with each other */
    MOST_STEPS = 20000000 /* comparisons of two instructions */
};

/* A straight stretch of a side in which a sequence may lie. */
struct stretch {
    int side, first, count;
};

/* A sequence that was found, and what it is for. */
struct found {
    struct outline outline;
    int branch;     /* index of the branch's instruction in the text */
    int32_t pc;     /* its PC, for messages */
    double benefit; /* issue slots that a warp saves each time it diverges at the branch */
    double gain;    /* of the sequence alone */
};

struct outliner {
    struct ptx_function *kernel;
    const struct program *program;
    struct live live;
    double *cost;      /* by instruction of the text */
    int32_t *block_of; /* by instruction of the text */
    bool *breaks;      /* by instruction: a label or a pragma stands ahead of it */
    bool *is_taken;    /* by instruction: part of a sequence already */
    struct sides sides;
    struct alike_pair pair;
    int32_t *tried[OUTLINE_MAX_PLACES],
        *best[OUTLINE_MAX_PLACES]; /* partners in the places of a candidate, and of the best */
    bool takes_places;             /* places under different branches, not only sides of one */
    bool *is_conditional;          /* by block: on one side of a branch at which threads may diverge */
    struct vec_of(struct stretch) stretches;
    struct vec_of(struct found) accepted;
    long steps;
    struct arena arena;
};

/* ---- what a side is ---- */

static int index_of(const struct outliner *o, int32_t pc)
{
    const struct ptx_instruction *origin = o->program->insns[pc].origin;
    return origin ? (int)(origin - o->kernel->instructions) : -1;
}

/* Adds the stretches of a block that one side alone comes to. */
static void add_stretches(struct outliner *o, int32_t block, int side)
{
    const struct flow_block *b = &o->program->blocks[block];
    struct stretch s = {.side = side};
    for (int32_t pc = b->first; pc <= b->last + 1; pc++) {
        int index = pc <= b->last ? index_of(o, pc) : -1;
        bool fits = index >= 0 && !o->is_taken[index] && alike_is_eligible(o->kernel, &o->kernel->instructions[index]);
        if (s.count && (!fits || index != s.first + s.count || o->breaks[index])) {
            if (s.count >= LEAST_COUNT)
                vec_push(&o->stretches, s);
            s.count = 0;
        }
        if (fits && !s.count)
            s.first = index;
        s.count += fits;
    }
}

static bool dominates(const struct program *p, int32_t above, int32_t below)
{
    while (below >= 0 && below != above)
        below = p->blocks[below].dominator;
    return below == above;
}

/* Adds the stretches of conditional blocks behind the branch, in its own loop; each block counts as a side. */
static bool find_places(struct outliner *o, const struct branch *b)
{
    const struct program *p = o->program;
    const struct program_function *f = &p->functions[0];
    int32_t branch = p->insns[b->pc].block;
    int side = 0;
    for (int32_t block = f->first_block; block < f->first_block + f->block_count; block++) {
        bool is_behind = block != branch && p->blocks[block].reachable && dominates(p, branch, block);
        o->sides.of_block[block] = is_behind;
        if (is_behind && o->is_conditional[block] && p->blocks[block].loop == p->blocks[branch].loop &&
            side < MOST_BLOCKS)
            add_stretches(o, block, side++);
    }
    return !sides_have_collective(&o->sides);
}

static bool find_stretches(struct outliner *o, const struct branch *b)
{
    const struct program *p = o->program;
    const struct program_function *f = &p->functions[0];
    o->stretches.count = 0;
    if (o->takes_places)
        return find_places(o, b);
    sides_mark(&o->sides, b);
    if (sides_have_collective(&o->sides))
        return false;
    for (int32_t block = f->first_block; block < f->first_block + f->block_count; block++) {
        int side = sides_only(&o->sides, block);
        if (side >= 0 && p->blocks[block].loop == p->blocks[p->insns[b->pc].block].loop)
            add_stretches(o, block, side);
    }
    return true;
}

/* ---- equal sequences ---- */

/* How many instructions from `a` and `b` on are equal, at most `most`. */
static int extend(struct outliner *o, int a, int b, int most)
{
    int count = 0;
    alike_reset(&o->pair);
    while (count < most &&
           alike_step(&o->pair, &o->kernel->instructions[a + count], &o->kernel->instructions[b + count]))
        count++;
    o->steps += count + 1;
    return count;
}

/* Adds a place of which the registers' partners are those of the last extend(). */
static void add_place(struct outliner *o, struct outline *outline, int first)
{
    int32_t *to = o->tried[outline->place_count];
    memcpy(to, o->pair.to, sizeof *to * (size_t)o->kernel->register_count);
    outline->to[outline->place_count] = to;
    outline->first[outline->place_count++] = first;
}

/* Keeps the candidate as the best one; its partners move to storage that the next candidate does not use. */
static void keep(struct outliner *o, struct found *best, const struct found *f)
{
    outline_free(&best->outline);
    *best = *f;
    for (int p = 1; p < f->outline.place_count; p++) {
        int32_t *to = o->tried[p];
        o->tried[p] = o->best[p];
        o->best[p] = best->outline.to[p] = to;
    }
}

/* Adds a place with the whole sequence on each further side that has one. */
static void add_other_sides(struct outliner *o, struct outline *outline, uint32_t sides)
{
    for (int i = 0; i < o->stretches.count && outline->place_count < OUTLINE_MAX_PLACES; i++) {
        const struct stretch *s = &o->stretches.data[i];
        for (int at = s->first; !(sides >> s->side & 1) && at + outline->count <= s->first + s->count; at++)
            if (extend(o, outline->first[0], at, outline->count) == outline->count) {
                add_place(o, outline, at);
                sides |= UINT32_C(1) << s->side;
            }
    }
}

/* Issue slots of a warp whose threads come to all of the places. A thread may come to several places that are no sides
 * of one branch, one after the other; only half of what could be run together is then counted as gained. */
static void judge(const struct outliner *o, struct found *f)
{
    double body = 0, places = f->outline.place_count;
    for (int i = 0; i < f->outline.count; i++)
        body += o->cost[f->outline.first[0] + i];
    double before = places * body;
    double after = body * (o->takes_places ? (1 + places) / 2 : 1) + outline_callee_cost(&f->outline, o->kernel) +
                   GAIN_WAIT_COST + 1 + places * outline_caller_cost(&f->outline, o->kernel);
    f->benefit = before - after;
    f->gain = before / after;
}

static void consider(struct outliner *o, const struct stretch *a, const struct stretch *b, int i, int k,
                     struct found *best)
{
    int most_a = a->first + a->count - i, most_b = b->first + b->count - k;
    int count = extend(o, i, k, most_a < most_b ? most_a : most_b);
    if (count < LEAST_COUNT)
        return;
    struct found f = {.outline = {.count = count, .place_count = 1, .first = {i}}};
    add_place(o, &f.outline, k);
    add_other_sides(o, &f.outline, UINT32_C(1) << a->side | UINT32_C(1) << b->side);
    bool ok = outline_find_values(&f.outline, &o->live);
    judge(o, &f);
    if (ok && f.benefit > best->benefit && f.gain >= DETECT_LEAST_GAIN) {
        keep(o, best, &f);
    } else {
        outline_free(&f.outline);
    }
}

/* Whether every thread that comes to one of the two stretches comes to the other first. */
static bool is_ahead(const struct outliner *o, const struct stretch *s, const struct stretch *t)
{
    int32_t a = o->block_of[s->first], b = o->block_of[t->first];
    return dominates(o->program, a, b) || dominates(o->program, b, a);
}

/* The best sequence on sides of the branch; its benefit is 0 if there is none. */
static struct found find_best(struct outliner *o, const struct branch *b)
{
    struct found best = {.branch = index_of(o, b->pc), .pc = b->pc};
    for (int x = 0; x < o->stretches.count; x++)
        for (int y = x + 1; y < o->stretches.count && o->steps < MOST_STEPS; y++) {
            const struct stretch *s = &o->stretches.data[x], *t = &o->stretches.data[y];
            if (o->takes_places && is_ahead(o, s, t))
                continue;
            for (int i = s->first; s->side != t->side && i < s->first + s->count; i++)
                for (int k = t->first; k < t->first + t->count; k++) {
                    /* A match that continues one from the instructions ahead is a part of that one. */
                    if (i == s->first || k == t->first || !extend(o, i - 1, k - 1, 1))
                        consider(o, s, t, i, k, &best);
                }
        }
    best.branch = index_of(o, b->pc);
    best.pc = b->pc;
    return best;
}

/* ---- the pass ---- */

static void accept(struct outliner *o, struct found *f)
{
    for (int p = 1; p < f->outline.place_count; p++) {
        int32_t *to = arena_array(&o->arena, int32_t, (size_t)o->kernel->register_count + 1);
        f->outline.to[p] = memcpy(to, f->outline.to[p], sizeof *to * (size_t)o->kernel->register_count);
    }
    for (int p = 0; p < f->outline.place_count; p++)
        for (int i = 0; i < f->outline.count; i++)
            o->is_taken[f->outline.first[p] + i] = true;
    vec_push(&o->accepted, *f);
}

/* Inner branches come behind outer ones in the text, and are the first to take what they can. */
static void find_all(struct outliner *o)
{
    const struct program *p = o->program;
    for (int i = p->branch_count - 1; i >= 0; i--) {
        const struct branch *b = &p->branches[i];
        for (int n = 0; sides_diverge(p, b) && n < MOST_PER_BRANCH && o->accepted.count < MOST_IN_ALL; n++) {
            if (!find_stretches(o, b))
                break;
            struct found f = find_best(o, b);
            if (f.benefit <= 0) {
                outline_free(&f.outline);
                break;
            }
            accept(o, &f);
        }
    }
}

static void prepare(struct outliner *o)
{
    const struct program *p = o->program;
    struct ptx_function *k = o->kernel;
    size_t count = (size_t)k->instruction_count + 1;
    o->live = live_create(k, &o->arena);
    o->cost = arena_array(&o->arena, double, count);
    o->block_of = arena_array(&o->arena, int32_t, count);
    o->breaks = arena_array(&o->arena, bool, count);
    o->is_taken = arena_array(&o->arena, bool, count);
    o->sides = sides_create(p, &o->arena);
    o->pair = alike_open(k, &o->arena);
    for (int i = 0; i < OUTLINE_MAX_PLACES; i++) {
        o->tried[i] = arena_array(&o->arena, int32_t, (size_t)k->register_count + 1);
        o->best[i] = arena_array(&o->arena, int32_t, (size_t)k->register_count + 1);
    }
    o->is_conditional = arena_array(&o->arena, bool, (size_t)p->block_count + 1);
    for (int i = 0; i < p->branch_count && o->takes_places; i++) {
        if (!sides_diverge(p, &p->branches[i]))
            continue;
        sides_mark(&o->sides, &p->branches[i]);
        for (int32_t block = 0; block < p->block_count; block++)
            o->is_conditional[block] |= sides_only(&o->sides, block) >= 0;
    }
    for (int32_t pc = p->functions[0].first; pc <= p->functions[0].last; pc++)
        if (p->insns[pc].origin)
            o->block_of[index_of(o, pc)] = p->insns[pc].block;
    for (int32_t pc = p->functions[0].first; pc <= p->functions[0].last; pc++)
        if (p->insns[pc].origin)
            o->cost[index_of(o, pc)] += cost_of_instruction(&p->insns[pc]);
    for (int i = 0; i < k->label_count; i++)
        o->breaks[k->labels[i].target] = true;
    for (int i = 0; i < k->pragma_count; i++)
        if (k->pragmas[i].before >= 0)
            o->breaks[k->pragmas[i].before] = true;
}

static void build_all(struct outliner *o, struct text *said)
{
    struct edit e;
    edit_open(&e, o->kernel);
    for (int i = 0; i < o->accepted.count; i++) {
        const struct found *f = &o->accepted.data[i];
        char where[256], pragma[512];
        program_where(o->program, f->pc, where, sizeof where);
        struct ptx_function *made = outline_build(&f->outline, &e);
        snprintf(pragma, sizeof pragma, "heddle.predict %s", made->name);
        edit_insert_pragma(&e, edit_at(&e, f->branch), pragma);
        text_printf(said,
                    "outline: %s: branch at %s: %d equal instructions %s %d %s\n"
                    "  are function %s: %d values in, %d out, estimated gain %.2f\n",
                    o->kernel->name, where, f->outline.count, o->takes_places ? "in" : "on", f->outline.place_count,
                    o->takes_places ? "places behind" : "sides", made->name, f->outline.inputs.count,
                    f->outline.outputs.count, f->gain);
    }
    edit_close(&e);
}

static bool outline_kernel(struct ptx_function *kernel, bool takes_places, struct text *said)
{
    char *error = NULL;
    struct program *program = program_create(kernel, &error);
    if (!program) {
        text_printf(said, "outline: %s: left alone: %s\n", kernel->name, error);
        free(error);
        return false;
    }
    struct outliner o = {.kernel = kernel, .program = program, .takes_places = takes_places};
    prepare(&o);
    find_all(&o);
    if (o.accepted.count)
        build_all(&o, said);
    else
        text_printf(said, "outline: %s: left alone: no branch has equal code %s that pays for a call\n", kernel->name,
                    takes_places ? "behind it" : "on its sides");
    if (o.steps >= MOST_STEPS)
        text_printf(said, "outline: %s: too large to compare all of it\n", kernel->name);
    bool is_changed = o.accepted.count > 0;
    for (int i = 0; i < o.accepted.count; i++)
        outline_free(&o.accepted.data[i].outline);
    vec_free(&o.accepted);
    vec_free(&o.stretches);
    alike_close(&o.pair);
    program_destroy(program);
    arena_free(&o.arena);
    return is_changed;
}

bool rewrite_outline(struct ptx_module *module, struct ptx_function *kernel, const struct rewrite_options *options,
                     struct text *said)
{
    (void)module;
    (void)options;
    return outline_kernel(kernel, false, said);
}

bool rewrite_outline_places(struct ptx_module *module, struct ptx_function *kernel,
                            const struct rewrite_options *options, struct text *said)
{
    (void)module;
    (void)options;
    return outline_kernel(kernel, true, said);
}
