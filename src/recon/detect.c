/* Detection of predictions that pay: patterns and estimates; see detect.h. */
#include "recon/detect.h"

#include "recon/cost.h"
#include "recon/gain.h"
#include "recon/predict_region.h"

#include <math.h>
#include <stdio.h>

static const char *const pattern_text[DETECT_PATTERNS] = {[DETECT_ITERATION_DELAY] = "iteration delay",
                                                          [DETECT_LOOP_MERGE] = "loop merge",
                                                          [DETECT_COMMON_CALL] = "common call"};

enum { APART_PERCENT = 150 }; /* what an access costs that few threads make, which many made together */

static const double RAREST = 0.01; /* times a round: what threads do more rarely does not matter */

struct search {
    struct detection *found;
    const struct program *program;
    struct cost cost;
    double width, least_gain;
};

static bool is_profiled(const struct search *s, int32_t branch)
{
    return s->cost.profile && s->cost.profile[branch].threads;
}

static bool is_divergent(const struct branch *b)
{
    return !b->uniform && !b->promised_uniform;
}

/* Some thread of a warp does what each does with probability p. */
static double any_of(const struct search *s, double p)
{
    return 1 - pow(1 - fmin(1, p), s->width);
}

static void add(struct search *s, struct detected d, struct barrier_place start, int32_t label, int32_t callee)
{
    struct barrier_place *starts = arena_new(&s->found->arena, struct barrier_place);
    *starts = start;
    d.prediction = (struct prediction){.name = "",
                                       .origin = pattern_text[d.pattern],
                                       .start_count = 1,
                                       .starts = starts,
                                       .label = label,
                                       .callee = callee,
                                       .threshold = d.threshold,
                                       .as_listed = callee >= 0};
    vec_push(&s->found->list, d);
}

/* Code that threads then run apart costs what it did, and its accesses more. */
static double apart(double cost, double memory)
{
    return cost + memory * (APART_PERCENT - 100) / 100.0;
}

/* Threads of different rounds meet only if there are several: of `times` that they come there, the last finds nobody. A
 * guess about loops does not count. */
static double over_rounds(const struct search *s, double gain, double times)
{
    if (!s->cost.profile || gain <= 1)
        return gain;
    return 1 + (gain - 1) * (times > 1 ? 1 - 1 / times : 0);
}

/* ---- iteration delay ---- */

/* An uneven loop lies among the blocks just visited by cost_from(): merging its rounds is the better way. */
static bool holds_uneven_loop(const struct search *s, int around)
{
    const struct program *p = s->program;
    int32_t branch;
    for (int l = 0; l < p->loop_count; l++)
        if (l != around && s->cost.often[p->loops[l].header] > 0 && cost_is_uneven(&s->cost, l, &branch) &&
            !s->cost.repeating[branch])
            return true;
    return false;
}

/* How likely threads that are at a block's end go to another. */
static double chance_of(const struct search *s, int32_t block, int32_t to)
{
    double sum = 0;
    for (int k = 0; k < s->program->blocks[block].successor_count; k++)
        if (s->program->blocks[block].successors[k] == to)
            sum += cost_probability(&s->cost, block, k);
    return sum;
}

static void find_delay(struct search *s, int32_t branch, int side)
{
    const struct program *p = s->program;
    const struct branch *b = &p->branches[branch];
    int32_t block = p->insns[b->pc].block, reconvergence = b->ipdom == PC_NONE ? -1 : p->insns[b->ipdom].block;
    int32_t target = p->insns[b->target[side]].block, other = p->insns[b->target[!side]].block;
    int loop = p->blocks[block].loop;
    double memory, round_memory;
    double common = cost_from(&s->cost, target, reconvergence, loop, &memory);
    if (target == reconvergence || holds_uneven_loop(s, loop))
        return;
    double otherwise = cost_from(&s->cost, other, reconvergence, loop, NULL);
    double round = cost_from(&s->cost, p->loops[loop].header, -1, loop, &round_memory);
    double here = s->cost.often[block]; /* times a round that the branch is executed */
    double chance = chance_of(s, block, target), missing = here * (1 - chance);
    if (here * chance < RAREST)
        return;
    struct gain_delay d = {.common = common, .often = fmin(1, here * chance)};
    d.rest = fmax(0, round - here * chance * common - missing * otherwise) + any_of(s, missing) * otherwise;
    d.apart = apart(d.rest, round_memory - here * chance * memory);
    struct gain gain = gain_of_delay(s->width, &d, is_profiled(s, branch));
    struct detected e = {.pattern = DETECT_ITERATION_DELAY,
                         .branch = branch,
                         .common = common,
                         .rest = d.rest,
                         .gain = over_rounds(s, gain.mean, s->cost.rounds[loop] * d.often),
                         .least_gain = gain.least,
                         .threshold = gain.threshold};
    add(s, e, barrier_before(p->blocks[p->loops[loop].header].first), p->blocks[target].first, -1);
}

/* The branch goes back to the loop's header, and threads meet where it does not: they go round and round there as in a
 * loop of its own, which has the same header. */
static bool is_inner_round(const struct program *p, const struct branch *b, int loop)
{
    int32_t header = p->blocks[p->loops[loop].header].first;
    return (b->target[0] == header || b->target[1] == header) && b->ipdom != header;
}

static void find_delays(struct search *s)
{
    const struct program *p = s->program;
    for (int32_t i = 0; i < p->branch_count; i++) {
        const struct branch *b = &p->branches[i];
        const struct insn *in = &p->insns[b->pc];
        int loop = p->blocks[in->block].loop;
        if (!is_divergent(b) || b->target_count != 2 || in->call >= 0 || loop < 0 || !p->blocks[in->block].reachable)
            continue;
        bool stays = true;
        for (int k = 0; k < 2; k++)
            stays &= cost_is_in_loop(p, p->insns[b->target[k]].block, loop);
        for (int k = 0; k < 2 && stays; k++)
            if (!is_inner_round(p, b, loop))
                find_delay(s, i, k);
    }
}

/* ---- loop merge ---- */

/*
 * The point: the header, or if that only tests whether there is a round, what it leads to. Behind the header all threads
 * are in the body each time, but those that come anew run the header apart; before it those that leave miss a round.
 */
static int32_t point_of(struct search *s, int loop)
{
    const struct program *p = s->program;
    int32_t header = p->loops[loop].header, inside = -1;
    int in = 0, out = 0;
    for (int k = 0; k < p->blocks[header].successor_count; k++) {
        int32_t to = p->blocks[header].successors[k];
        if (cost_is_in_loop(p, to, loop)) {
            inside = to;
            in++;
        } else {
            out++;
        }
    }
    double test = s->cost.block[header], body = cost_from(&s->cost, header, -1, loop, NULL) - test;
    double leaving = 1 - pow(1 - 1 / s->cost.rounds[loop], s->width);
    return in == 1 && out && inside != header && leaving * test < body / s->cost.rounds[loop] + 1 ? inside : header;
}

/* Threads an issue of a branch, as the profile has it, over the width; 0: it does not know. */
static double filled_at(const struct search *s, int32_t branch)
{
    const struct branch_use *u = s->cost.profile ? &s->cost.profile[branch] : NULL;
    return u && u->threads && u->issues ? (double)u->threads / ((double)u->issues * s->width) : 0;
}

/* Of the profile: the longest stay of a warp over a thread's mean one, from how many lanes are empty in the loop that are
 * not so around it. 0: it does not know. */
static double find_spread(const struct search *s, int inner, int32_t branch)
{
    const struct program *p = s->program;
    double inside = filled_at(s, branch), around = 0;
    for (int32_t i = 0; i < p->branch_count; i++) {
        int32_t block = p->insns[p->branches[i].pc].block;
        if (p->blocks[block].loop == p->loops[inner].parent)
            around = fmax(around, filled_at(s, i));
    }
    return inside > 0 ? fmax(1, (around > 0 ? around : 1) / inside) : 0;
}

static void add_merge(struct search *s, const struct gain_merge *m, int32_t branch, int outer, int32_t point)
{
    const struct program *p = s->program;
    struct gain gain = gain_of_merge(s->width, m, is_profiled(s, branch));
    struct detected d = {.pattern = DETECT_LOOP_MERGE,
                         .branch = branch,
                         .common = m->body,
                         .rest = m->rest,
                         .gain = over_rounds(s, gain.mean, s->cost.rounds[outer] * m->entered),
                         .least_gain = gain.least,
                         .threshold = gain.threshold};
    add(s, d, barrier_before(p->blocks[p->loops[outer].header].first), p->blocks[point].first, -1);
}

static void find_merge(struct search *s, int inner, int32_t branch)
{
    const struct program *p = s->program;
    int outer = p->loops[inner].parent;
    double memory, round_memory;
    struct gain_merge m = {.rounds = s->cost.rounds[inner],
                           .body = cost_from(&s->cost, p->loops[inner].header, -1, inner, &memory),
                           .spread = find_spread(s, inner, branch)};
    double round = cost_from(&s->cost, p->loops[outer].header, -1, outer, &round_memory);
    m.entered = fmin(1, s->cost.often[p->loops[inner].header] / m.rounds);
    if (m.entered < RAREST)
        return;
    m.rest = fmax(0, round - m.entered * m.rounds * m.body);
    m.apart = apart(m.rest, fmax(0, round_memory - m.entered * m.rounds * memory));
    add_merge(s, &m, branch, outer, point_of(s, inner));
}

/* Two loops with one header: a branch at the inner one's end goes back to it, or on to the rest of the outer one's round. */
static void find_shared_merge(struct search *s, int32_t branch, int loop)
{
    const struct program *p = s->program;
    const struct branch *b = &p->branches[branch];
    int32_t block = p->insns[b->pc].block, header = p->loops[loop].header;
    int32_t other = p->insns[b->target[p->insns[b->target[0]].block == header]].block;
    double rest_memory;
    double rest = cost_from(&s->cost, other, -1, loop, &rest_memory);
    double round = cost_from(&s->cost, header, -1, loop, NULL);
    double again = s->cost.often[block] * chance_of(s, block, header);
    if (again < RAREST || again >= 1)
        return;
    double filled = filled_at(s, branch);
    struct gain_merge m = {.body = fmax(1, round - (1 - again) * rest),
                           .rounds = 1 / (1 - again),
                           .spread = filled > 0 ? fmax(1, 1 / filled) : 0,
                           .rest = rest,
                           .apart = apart(rest, rest_memory),
                           .entered = 1};
    add_merge(s, &m, branch, loop, header);
}

static void find_merges(struct search *s)
{
    const struct program *p = s->program;
    int32_t branch;
    for (int l = 0; l < p->loop_count; l++)
        if (p->loops[l].parent >= 0 && p->blocks[p->loops[l].header].reachable && cost_is_uneven(&s->cost, l, &branch))
            find_merge(s, l, branch);
    for (int32_t i = 0; i < p->branch_count; i++) {
        const struct branch *b = &p->branches[i];
        int loop = p->blocks[p->insns[b->pc].block].loop;
        bool inside = loop >= 0 && is_divergent(b) && b->target_count == 2 && p->insns[b->pc].call < 0 &&
                      p->blocks[p->insns[b->pc].block].reachable;
        for (int k = 0; k < 2 && inside; k++)
            inside = cost_is_in_loop(p, p->insns[b->target[k]].block, loop);
        if (inside && is_inner_round(p, b, loop))
            find_shared_merge(s, i, loop);
    }
}

/* ---- common call ---- */

/* Calls between a branch and where threads meet again. */
struct calls {
    double *often; /* by call of the program: times that a thread which comes to the branch makes it */
    int *sides;    /* by function: sides of the branch from which it is likely called */
    double rest;   /* what a warp takes between branch and reconvergence, calls apart */
};

/* Adds one side; cost_from() has just walked it, and it costs `cost`. */
static void add_side(struct search *s, struct calls *c, int32_t function, double chance, double cost)
{
    const struct program *p = s->program;
    enum { LIKELY_PERCENT = 10 };
    for (int i = 0; i < p->call_count; i++) {
        const struct call *call = &p->calls[i];
        double often = s->cost.often[p->insns[call->pc].block];
        if (call->callee < 0 || p->insns[call->pc].function != function)
            continue;
        c->often[i] += chance * often;
        cost -= often * s->cost.function[call->callee];
    }
    c->rest += any_of(s, chance) * fmax(0, cost);
    for (int32_t f = 1; f < p->function_count; f++) {
        double sum = 0;
        for (int i = 0; i < p->call_count; i++)
            if (p->calls[i].callee == f && p->insns[p->calls[i].pc].function == function)
                sum += s->cost.often[p->insns[p->calls[i].pc].block];
        c->sides[f] += 100 * sum > LIKELY_PERCENT;
    }
}

/* Now a warp enters the function once for each call that some thread makes; then once for all. */
static void add_call(struct search *s, const struct calls *c, int32_t branch, int32_t callee)
{
    const struct program *p = s->program;
    double now = 0, each = 0, body = s->cost.function[callee], rest = c->rest;
    for (int i = 0; i < p->call_count; i++) {
        int32_t other = p->calls[i].callee;
        if (other == callee) {
            now += any_of(s, c->often[i]);
            each += c->often[i];
        } else if (other >= 0) {
            rest += any_of(s, c->often[i]) * s->cost.function[other];
        }
    }
    double then = fmax(any_of(s, each), each);
    double gain = (rest + now * body) / (rest + then * body + GAIN_WAIT_COST);
    struct detected d = {.pattern = DETECT_COMMON_CALL, .branch = branch, .common = body, .rest = rest};
    d.gain = d.least_gain = gain;
    add(s, d, barrier_before(p->branches[branch].pc), p->functions[callee].first, callee);
}

static void find_call(struct search *s, int32_t branch, struct calls *c)
{
    const struct program *p = s->program;
    const struct branch *b = &p->branches[branch];
    int32_t block = p->insns[b->pc].block, reconvergence = b->ipdom == PC_NONE ? -1 : p->insns[b->ipdom].block;
    memset(c->often, 0, sizeof *c->often * (size_t)p->call_count);
    memset(c->sides, 0, sizeof *c->sides * (size_t)p->function_count);
    c->rest = 0;
    for (int k = 0; k < b->target_count; k++) {
        int32_t target = p->insns[b->target[k]].block;
        double cost = cost_from(&s->cost, target, reconvergence, p->blocks[block].loop, NULL);
        add_side(s, c, p->insns[b->pc].function, chance_of(s, block, target), cost);
    }
    for (int32_t f = 1; f < p->function_count; f++)
        if (c->sides[f] > 1 && !p->functions[f].recursive)
            add_call(s, c, branch, f);
}

static void find_calls(struct search *s)
{
    const struct program *p = s->program;
    struct calls c = {.often = arena_array(&s->found->arena, double, (size_t)p->call_count),
                      .sides = arena_array(&s->found->arena, int, (size_t)p->function_count)};
    for (int32_t i = 0; i < p->branch_count && p->function_count > 1; i++)
        if (is_divergent(&p->branches[i]) && p->branches[i].target_count > 1 && p->insns[p->branches[i].pc].call < 0 &&
            p->blocks[p->insns[p->branches[i].pc].block].reachable)
            find_call(s, i, &c);
}

/* ---- which to take ---- */

/* Calls first: reconvergence at a function changes nothing elsewhere. */
static int by_gain(const void *a, const void *b)
{
    const struct detected *x = a, *y = b;
    int calls = (y->pattern == DETECT_COMMON_CALL) - (x->pattern == DETECT_COMMON_CALL);
    if (calls)
        return calls;
    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    return x->prediction.label < y->prediction.label ? -1 : x->prediction.label > y->prediction.label;
}

/* Calls of one function, from one function. */
static bool is_same_call(const struct search *s, const struct detected *a, const struct detected *b)
{
    const struct insn *insns = s->program->insns;
    return a->pattern == DETECT_COMMON_CALL && b->pattern == DETECT_COMMON_CALL &&
           a->prediction.label == b->prediction.label &&
           insns[a->prediction.starts[0].pc].function == insns[b->prediction.starts[0].pc].function;
}

/* Threads that part at `outer` may come to the branch of `inner` before they meet. */
static bool covers(struct search *s, const struct detected *outer, const struct detected *inner)
{
    const struct program *p = s->program;
    const struct branch *b = &p->branches[outer->branch];
    int32_t block = p->insns[b->pc].block, reconvergence = b->ipdom == PC_NONE ? -1 : p->insns[b->ipdom].block;
    bool comes = false;
    for (int k = 0; k < b->target_count && outer != inner; k++) {
        cost_from(&s->cost, p->insns[b->target[k]].block, reconvergence, p->blocks[block].loop, NULL);
        comes |= s->cost.often[p->insns[p->branches[inner->branch].pc].block] > 0;
    }
    return comes;
}

/* Branches with calls of the same function, as unrolling makes of one, are beginnings of one region; but not those within
 * others. False: this one leads them. */
static bool join_other(struct search *s, int index)
{
    struct detected *d = &s->found->list.data[index];
    for (int i = 0; i < s->found->list.count; i++)
        if (is_same_call(s, d, &s->found->list.data[i]) && covers(s, &s->found->list.data[i], d)) {
            d->refusal = "it lies within a branch with calls of the same function";
            return true;
        }
    for (int i = 0; i < index; i++) {
        struct detected *first = &s->found->list.data[i];
        if (!is_same_call(s, d, first) || first->refusal)
            continue;
        size_t count = (size_t)first->prediction.start_count;
        struct barrier_place *starts = arena_array(&s->found->arena, struct barrier_place, count + 1);
        memcpy(starts, first->prediction.starts, sizeof *starts * count);
        starts[first->prediction.start_count++] = d->prediction.starts[0];
        first->prediction.starts = starts;
        d->refusal = "it is one of several beginnings of a region";
        return true;
    }
    return false;
}

/* The loop before which the region of a delay or merge begins. */
static int loop_of(const struct program *p, const struct detected *d)
{
    return p->blocks[p->insns[d->prediction.starts[0].pc].block].loop;
}

static bool begins_within(const struct program *p, const struct detected *call, int loop)
{
    for (int i = 0; i < call->prediction.start_count; i++)
        if (cost_is_in_loop(p, p->insns[call->prediction.starts[i].pc].block, loop))
            return true;
    return false;
}

static bool overlaps(const struct program *p, const struct detected *a, const struct detected *b)
{
    if (a->pattern == DETECT_COMMON_CALL && b->pattern == DETECT_COMMON_CALL)
        return a->prediction.label == b->prediction.label;
    if (a->pattern == DETECT_COMMON_CALL || b->pattern == DETECT_COMMON_CALL)
        return a->pattern == DETECT_COMMON_CALL ? begins_within(p, a, loop_of(p, b))
                                                : begins_within(p, b, loop_of(p, a));
    return cost_is_in_loop(p, p->loops[loop_of(p, a)].header, loop_of(p, b)) ||
           cost_is_in_loop(p, p->loops[loop_of(p, b)].header, loop_of(p, a));
}

/* A lock, or a try and try again: the threads that are to meet may wait for each other. */
static bool is_lock(const struct insn *in)
{
    return in->op == OP_ATOM_CAS || (in->op == OP_ATOM && in->suffixes.mod[GROUP_ATOM] == ATOM_EXCH);
}

/* Shared memory that others are expected to write: without a barrier, threads of a warp that run together may tell each
 * other something there. */
static bool is_told(const struct insn *in)
{
    return in->op == OP_LD && in->suffixes.mod[GROUP_SPACE] == SPACE_SHARED &&
           in->suffixes.mod[GROUP_SEM] == SEM_VOLATILE;
}

/* An instruction of a kind in a function or what it calls; in the region's own function only between. PC_NONE: none. */
static int32_t find_kind(const struct predict_region *r, int32_t function, bool (*is_kind)(const struct insn *),
                         bool *seen)
{
    const struct program *p = r->program;
    if (seen[function])
        return PC_NONE;
    seen[function] = true;
    for (int32_t pc = p->functions[function].first; pc <= p->functions[function].last; pc++) {
        const struct insn *in = &p->insns[pc];
        if (function == r->function && !predict_is_between(r, pc))
            continue;
        if (is_kind(in))
            return pc;
        for (int k = 0; in->call >= 0 && k < p->calls[in->call].candidate_count; k++) {
            int32_t found = find_kind(r, p->calls[in->call].candidates[k], is_kind, seen);
            if (found != PC_NONE)
                return found;
        }
    }
    return PC_NONE;
}

static int32_t find_between(struct search *s, const struct predict_region *r, bool (*is_kind)(const struct insn *))
{
    bool *seen = arena_array(&s->found->arena, bool, (size_t)s->program->function_count);
    return find_kind(r, r->function, is_kind, seen);
}

/* NULL, or why it is left alone: first what forbids it, then what it does not gain. */
static const char *judge(struct search *s, int index)
{
    struct detected *d = &s->found->list.data[index];
    struct arena *arena = &s->found->arena;
    struct predict_region region = predict_region_create(s->program, &d->prediction, arena);
    const char *refusal = predict_refusal(&region, arena);
    if (refusal)
        return refusal;
    int32_t lock = find_between(s, &region, is_lock), told = find_between(s, &region, is_told);
    if (lock != PC_NONE)
        return arena_printf(arena, "threads may wait for each other at the atomic in line %d of the PTX",
                            (int)s->program->insns[lock].line);
    if (told != PC_NONE)
        return arena_printf(arena, "threads of a warp may tell each other what line %d of the PTX reads",
                            (int)s->program->insns[told].line);
    if (region.hoisted < 0 && d->pattern != DETECT_COMMON_CALL)
        return "threads start within the loop";
    if (s->cost.repeating[d->branch] && d->pattern != DETECT_COMMON_CALL)
        return "threads that come there, or stay longer, are the same ones in every round";
    if (d->gain < s->least_gain)
        return arena_printf(arena, "the estimated gain is below %.2f", s->least_gain);
    if (d->least_gain < GAIN_LEAST)
        return arena_printf(arena, "it may lose, %.2f, if threads come there more or less often than supposed",
                            d->least_gain);
    for (int i = 0; i < index; i++)
        if (!s->found->list.data[i].refusal && overlaps(s->program, d, &s->found->list.data[i]))
            return arena_printf(arena, "%s is in the same loops", s->found->list.data[i].prediction.name);
    return NULL;
}

struct detection *detect(struct predictions *into, const struct program *program, const struct detect_rules *rules)
{
    struct detection *found = xcalloc(1, sizeof *found);
    struct search s = {.found = found,
                       .program = program,
                       .width = rules->width ? rules->width : 32,
                       .least_gain = rules->least_gain > 0 ? rules->least_gain
                                     : rules->profile      ? DETECT_PROFILED_GAIN
                                                           : DETECT_LEAST_GAIN};
    int accepted = 0;
    s.cost = cost_create(program, rules->profile, &found->arena);
    find_delays(&s);
    find_merges(&s);
    find_calls(&s);
    if (found->list.count)
        qsort(found->list.data, (size_t)found->list.count, sizeof *found->list.data, by_gain);
    for (int i = 0; i < found->list.count; i++) {
        struct detected *d = &found->list.data[i];
        d->prediction.name = d->prediction.callee >= 0 ? program->functions[d->prediction.callee].source->name
                                                       : arena_printf(&found->arena, "auto%d", accepted + 1);
        if (!join_other(&s, i))
            d->refusal = judge(&s, i);
        accepted += !d->refusal;
    }
    for (int i = 0; i < found->list.count; i++)
        if (!found->list.data[i].refusal)
            predict_add(into, &found->list.data[i].prediction);
    return found;
}

void detection_destroy(struct detection *d)
{
    if (!d)
        return;
    vec_free(&d->list);
    arena_free(&d->arena);
    free(d);
}

void detection_print(const struct detection *d, const struct program *program, struct text *out)
{
    char where[256];
    text_printf(out, "candidates in %s: %d\n", program->kernel->name, d->list.count);
    for (int i = 0; i < d->list.count; i++) {
        const struct detected *e = &d->list.data[i];
        text_printf(out, "  %s, branch at ", pattern_text[e->pattern]);
        program_print_pc(program, program->branches[e->branch].pc, out);
        text_printf(out, " (%s), point at ",
                    program_where(program, program->branches[e->branch].pc, where, sizeof where));
        program_print_pc(program, e->prediction.label, out);
        text_printf(out, "\n    common code costs %.0f, the rest %.0f; estimated gain %.2f", e->common, e->rest,
                    e->gain);
        if (e->threshold)
            text_printf(out, "; best with a threshold of %d", e->threshold);
        text_printf(out, "\n    %s%s\n", e->refusal ? "left alone: " : "taken as ",
                    e->refusal ? e->refusal : e->prediction.name);
    }
}
