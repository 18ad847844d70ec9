/*
 * Detection of predictions that pay (Damani et al., CGO 2020, section 4.5).
 *
 * Candidates are found by three patterns, which detect.h describes: iteration delay, loop merge and common call. Each
 * gets an estimate of its gain, from the costs of cost.h by the formulas of gain.h. Then candidates are sorted, calls
 * of one function are merged, and judge() refuses candidates that are forbidden or would not pay. The program is only
 * read; the predictions that are left go to the caller's list.
 *
 * The common code of a candidate is what threads run together with the prediction; the rest is what they then run
 * diverged. An uneven loop is one that the threads of a warp may leave in different iterations.
 */
#include "recon/detect.h"

#include "recon/cost.h"
#include "recon/gain.h"
#include "recon/predict_region.h"

#include <math.h>
#include <stdio.h>

static const char *const pattern_text[DETECT_PATTERNS] = {[DETECT_ITERATION_DELAY] = "iteration delay",
                                                          [DETECT_LOOP_MERGE] = "loop merge",
                                                          [DETECT_COMMON_CALL] = "common call"};

/* Cost of a memory access that few threads make, in percent of its cost if the whole warp makes the access. */
enum { DIVERGED_PERCENT = 150 };

/* Executions per iteration: common code that threads execute more rarely makes no candidate. */
static const double RAREST = 0.01;

/* The search for candidates in one program. */
struct detect_search {
    struct detection *found; /* the candidates so far */
    const struct program *program;
    struct cost cost;
    double width;      /* threads per warp */
    double least_gain; /* gain that a candidate must have */
};

static bool is_profiled(const struct detect_search *s, int32_t branch)
{
    return s->cost.profile && s->cost.profile[branch].threads;
}

static bool is_divergent(const struct branch *b)
{
    return !b->uniform && !b->promised_uniform;
}

/* Probability that some thread of a warp does what each thread does with probability p. */
static double any_of(const struct detect_search *s, double p)
{
    return 1 - pow(1 - fmin(1, p), s->width);
}

/* Adds a candidate whose region begins at `start` and whose point is the PC `label`, or the entry of `callee`. */
static void add(struct detect_search *s, struct detected d, struct barrier_place start, int32_t label, int32_t callee)
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

/* Cost of code that threads run diverged with the prediction, if `cost`, of which `memory` is for memory accesses, is
 * what the code costs a whole warp. */
static double diverged_cost(double cost, double memory)
{
    return cost + memory * (DIVERGED_PERCENT - 100) / 100.0;
}

/* The gain if threads come to the point `times` times in all: the last time, no thread of another iteration comes.
 * Numbers of iterations that were only guessed do not count. */
static double over_rounds(const struct detect_search *s, double gain, double times)
{
    if (!s->cost.profile || gain <= 1)
        return gain;
    return 1 + (gain - 1) * (times > 1 ? 1 - 1 / times : 0);
}

/* ---- iteration delay ---- */

/* Whether an uneven loop lies among the blocks that cost_from() has just visited: then a loop merge is the better
 * prediction. */
static bool holds_uneven_loop(const struct detect_search *s, int around)
{
    const struct program *p = s->program;
    int32_t branch;
    for (int l = 0; l < p->loop_count; l++)
        if (l != around && s->cost.often[p->loops[l].header] > 0 && cost_is_uneven(&s->cost, l, &branch) &&
            !s->cost.repeating[branch])
            return true;
    return false;
}

/* Probability that a thread goes from a block to its successor `to`. */
static double chance_of(const struct detect_search *s, int32_t block, int32_t to)
{
    double sum = 0;
    for (int k = 0; k < s->program->blocks[block].successor_count; k++)
        if (s->program->blocks[block].successors[k] == to)
            sum += cost_probability(&s->cost, block, k);
    return sum;
}

/* Adds the iteration delay whose common code is this side of the branch. */
static void find_delay(struct detect_search *s, int32_t branch, int side)
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
    double here = s->cost.often[block]; /* executions of the branch per iteration */
    double chance = chance_of(s, block, target), missing = here * (1 - chance);
    if (here * chance < RAREST)
        return;
    struct gain_delay d = {.common = common, .often = fmin(1, here * chance)};
    d.rest = fmax(0, round - here * chance * common - missing * otherwise) + any_of(s, missing) * otherwise;
    d.rest_diverged = diverged_cost(d.rest, round_memory - here * chance * memory);
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

/* Whether one side of the branch goes back to the loop's header and threads reconverge elsewhere: then the branch
 * closes an inner loop that has the same header. */
static bool closes_inner_loop(const struct program *p, const struct branch *b, int loop)
{
    int32_t header = p->blocks[p->loops[loop].header].first;
    return (b->target[0] == header || b->target[1] == header) && b->ipdom != header;
}

static void find_delays(struct detect_search *s)
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
            if (!closes_inner_loop(p, b, loop))
                find_delay(s, i, k);
    }
}

/* ---- loop merge ---- */

/*
 * The point of a loop merge: the header; or, if the header only tests whether there is another iteration, the block
 * behind it. With the point behind the header, all waiting threads are in the body, but threads that enter anew run the
 * header by themselves; with the point at the header, threads that leave the loop idle for one iteration.
 */
static int32_t point_of(struct detect_search *s, int loop)
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

/* Share of lanes that are active when the branch issues, by the profile; 0: the profile does not know. */
static double filled_at(const struct detect_search *s, int32_t branch)
{
    const struct branch_use *u = s->cost.profile ? &s->cost.profile[branch] : NULL;
    return u && u->threads && u->issues ? (double)u->threads / ((double)u->issues * s->width) : 0;
}

/* The longest stay of a warp's threads in the inner loop over a thread's mean stay, by the profile: from the lanes that
 * are idle in the loop but not around it. 0: the profile does not know. */
static double find_spread(const struct detect_search *s, int inner, int32_t branch)
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

static void add_merge(struct detect_search *s, const struct gain_merge *m, int32_t branch, int outer, int32_t point)
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

/* Adds the loop merge of an uneven loop with the loop around it. Most threads leave `inner` by the branch. */
static void find_merge(struct detect_search *s, int inner, int32_t branch)
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
    m.rest_diverged = diverged_cost(m.rest, fmax(0, round_memory - m.entered * m.rounds * memory));
    add_merge(s, &m, branch, outer, point_of(s, inner));
}

/* Adds a loop merge of two loops with one header: a branch at the end of the inner loop goes back to the header, or on
 * to the rest of the outer loop's iteration. */
static void find_shared_merge(struct detect_search *s, int32_t branch, int loop)
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
                           .rest_diverged = diverged_cost(rest, rest_memory),
                           .entered = 1};
    add_merge(s, &m, branch, loop, header);
}

static void find_merges(struct detect_search *s)
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
        if (inside && closes_inner_loop(p, b, loop))
            find_shared_merge(s, i, loop);
    }
}

/* ---- common call ---- */

/* Calls between a branch and its reconvergence point. */
struct side_calls {
    double *often; /* by call of the program: how often a thread that comes to the branch makes the call */
    int *sides;    /* by function: number of sides of the branch that likely call the function */
    double rest;   /* cost for a warp between branch and reconvergence point, without calls */
};

/* Adds one side of the branch, whose cost is `cost`; s->cost.often[] holds its executions. */
static void add_side(struct detect_search *s, struct side_calls *c, int32_t function, double chance, double cost)
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

/* Adds a candidate: without the prediction, a warp enters the function once for each call that some thread makes; with
 * it, once for all calls. */
static void add_call(struct detect_search *s, const struct side_calls *c, int32_t branch, int32_t callee)
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

static void find_call(struct detect_search *s, int32_t branch, struct side_calls *c)
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

static void find_calls(struct detect_search *s)
{
    const struct program *p = s->program;
    struct side_calls c = {.often = arena_array(&s->found->arena, double, (size_t)p->call_count),
                           .sides = arena_array(&s->found->arena, int, (size_t)p->function_count)};
    for (int32_t i = 0; i < p->branch_count && p->function_count > 1; i++)
        if (is_divergent(&p->branches[i]) && p->branches[i].target_count > 1 && p->insns[p->branches[i].pc].call < 0 &&
            p->blocks[p->insns[p->branches[i].pc].block].reachable)
            find_call(s, i, &c);
}

/* ---- which to take ---- */

/* Order of candidates: common calls first, since reconverging at a function changes nothing elsewhere; then by gain. */
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

/* Whether both candidates are calls of the same function from the same function. */
static bool is_same_call(const struct detect_search *s, const struct detected *a, const struct detected *b)
{
    const struct insn *insns = s->program->insns;
    return a->pattern == DETECT_COMMON_CALL && b->pattern == DETECT_COMMON_CALL &&
           a->prediction.label == b->prediction.label &&
           insns[a->prediction.starts[0].pc].function == insns[b->prediction.starts[0].pc].function;
}

/* Whether threads that diverge at the branch of `outer` may come to the branch of `inner` before they reconverge. */
static bool covers(struct detect_search *s, const struct detected *outer, const struct detected *inner)
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

/* Merges the candidate into an earlier one with calls of the same function, as unrolling produces them: their regions
 * become one region with several beginnings. A candidate within a side of another one is dropped. True: the candidate
 * was merged or dropped. */
static bool join_other(struct detect_search *s, int index)
{
    struct detected *d = &s->found->list.data[index];
    for (int i = 0; i < s->found->list.count; i++)
        if (is_same_call(s, d, &s->found->list.data[i]) && covers(s, &s->found->list.data[i], d)) {
            d->refusal = "it lies within a side of another branch with calls of the same function";
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
        d->refusal = "its region is merged with that of an earlier candidate";
        return true;
    }
    return false;
}

/* The loop before which the region of an iteration delay or loop merge begins. */
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

/* Whether the instruction may be part of a lock: then threads that wait at the point may wait for each other. */
static bool is_lock(const struct insn *in)
{
    return in->op == OP_ATOM_CAS || in->op == OP_ATOM_EXCH_B128 ||
           (in->op == OP_ATOM && in->suffixes.mod[GROUP_ATOM] == ATOM_EXCH);
}

/* Whether the instruction reads volatile shared memory: threads of a warp that execute together may pass data there
 * without a barrier. */
static bool is_shared_signal(const struct insn *in)
{
    return in->op == OP_LD && in->suffixes.mod[GROUP_SPACE] == SPACE_SHARED &&
           in->suffixes.mod[GROUP_SEM] == SEM_VOLATILE;
}

/* The first instruction of a kind in a function or its callees; in the region's own function, only between the region's
 * beginning and its sites. PC_NONE: there is none. */
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

static int32_t find_between(struct detect_search *s, const struct predict_region *r,
                            bool (*is_kind)(const struct insn *))
{
    bool *seen = arena_array(&s->found->arena, bool, (size_t)s->program->function_count);
    return find_kind(r, r->function, is_kind, seen);
}

/* NULL, or why the candidate is left alone: first what forbids the prediction, then why it would not pay. */
static const char *judge(struct detect_search *s, int index)
{
    struct detected *d = &s->found->list.data[index];
    struct arena *arena = &s->found->arena;
    struct predict_region region = predict_region_create(s->program, &d->prediction, arena);
    const char *refusal = predict_refusal(&region, arena);
    if (refusal)
        return refusal;
    int32_t lock = find_between(s, &region, is_lock), told = find_between(s, &region, is_shared_signal);
    char where[160];
    if (lock != PC_NONE)
        return arena_printf(arena, "threads may wait for each other at the atomic at %s",
                            program_where(s->program, lock, where, sizeof where));
    if (told != PC_NONE)
        return arena_printf(
            arena, "threads of a warp may pass data to each other through shared memory, which they read at %s",
            program_where(s->program, told, where, sizeof where));
    if (region.hoisted < 0 && d->pattern != DETECT_COMMON_CALL)
        return "the loop contains the function's entry";
    if (s->cost.repeating[d->branch] && d->pattern != DETECT_COMMON_CALL)
        return "the same threads come there, or stay longer, in every iteration";
    if (d->gain < s->least_gain)
        return arena_printf(arena, "the estimated gain is below %.2f", s->least_gain);
    if (d->least_gain < GAIN_LEAST)
        return arena_printf(arena,
                            "the gain may be as low as %.2f if threads come there more or less often than guessed",
                            d->least_gain);
    for (int i = 0; i < index; i++)
        if (!s->found->list.data[i].refusal && overlaps(s->program, d, &s->found->list.data[i]))
            return arena_printf(arena, "%s, in the same loops, gains more", s->found->list.data[i].prediction.name);
    return NULL;
}

struct detection *detect(struct predictions *into, const struct program *program, const struct detect_rules *rules)
{
    struct detection *found = xcalloc(1, sizeof *found);
    struct detect_search s = {.found = found,
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
