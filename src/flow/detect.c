/* Detection of predictions that pay: patterns and estimates; see detect.h. */
#include "flow/detect.h"

#include "flow/cost.h"
#include "flow/predict_region.h"

#include <math.h>
#include <stdio.h>

const char *const detect_pattern_text[DETECT_PATTERNS] = {
    [DETECT_ITERATION_DELAY] = "iteration delay", [DETECT_LOOP_MERGE] = "loop merge", [DETECT_COMMON_CALL] = "common call"};

enum {
    WAIT_COST = 3,     /* issue slots of cancel, wait and rejoin at a point */
    APART_PERCENT = 150 /* what an access costs that few threads make, which many made together */
};

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

/* Some of the warp's threads do what each does with probability p. */
static double any_of(const struct search *s, double p)
{
    return 1 - pow(1 - p, s->width);
}

/* Rounds until `threads` threads did what each does with probability p a round: the longest of so many geometric waits. */
static double rounds_until_all(double threads, double p)
{
    const double euler = 0.5772;
    if (p >= 1)
        return 1;
    double mean = 1 / p, longest = 0.5 + (log(threads) + euler) / -log1p(-p);
    return threads <= 1 || longest < mean ? mean : longest;
}

static void add(struct search *s, struct detected d, struct barrier_place start, int32_t label, int32_t callee)
{
    struct barrier_place *starts = arena_new(&s->found->arena, struct barrier_place);
    *starts = start;
    d.prediction = (struct prediction){.name = "",
                                       .origin = detect_pattern_text[d.pattern],
                                       .start_count = 1,
                                       .starts = starts,
                                       .label = label,
                                       .callee = callee,
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
        if (l != around && s->cost.often[p->loops[l].header] > 0 && cost_is_uneven(p, l, &branch))
            return true;
    return false;
}

/* A round of the loop: `rest` is run by all threads now, and would cost `apart`; `common` with probability `often`. */
struct delay {
    double common, rest, apart, often;
};

/* Now each round takes all of it, if any thread does; then threads go round until all wait, and do it once. */
static double delay_gain(const struct search *s, const struct delay *d)
{
    double now = (d->rest + any_of(s, d->often) * d->common) / d->often;
    return now / (d->common + WAIT_COST + rounds_until_all(s->width, d->often) * d->apart);
}

static void find_delay(struct search *s, int32_t branch, int side)
{
    const struct program *p = s->program;
    const struct branch *b = &p->branches[branch];
    int32_t block = p->insns[b->pc].block, meeting = b->ipdom == PC_NONE ? -1 : p->insns[b->ipdom].block;
    int32_t target = p->insns[b->target[side]].block, other = p->insns[b->target[!side]].block;
    int loop = p->blocks[block].loop;
    double memory, other_memory, round_memory;
    double common = cost_from(&s->cost, target, meeting, loop, &memory);
    if (target == meeting || holds_uneven_loop(s, loop))
        return;
    double otherwise = cost_from(&s->cost, other, meeting, loop, &other_memory);
    double round = cost_from(&s->cost, p->loops[loop].header, -1, loop, &round_memory);
    double here = s->cost.often[block]; /* times a round that the branch is executed */
    double chance = 0;
    for (int k = 0; k < p->blocks[block].successor_count; k++)
        if (p->blocks[block].successors[k] == target)
            chance = cost_probability(&s->cost, block, k);
    if (here * chance < RAREST)
        return;
    struct delay d = {.common = common, .often = fmin(1, here * chance)};
    d.rest = round - here * chance * common - here * (1 - chance) * otherwise + any_of(s, here * (1 - chance)) * otherwise;
    d.apart = apart(d.rest, round_memory - here * chance * memory);
    struct detected e = {.pattern = DETECT_ITERATION_DELAY, .branch = branch, .common = common, .rest = d.rest};
    e.gain = over_rounds(s, delay_gain(s, &d), s->cost.rounds[loop] * d.often);
    struct delay seldom = d, mostly = d;
    seldom.often = d.often / 2;
    mostly.often = (1 + d.often) / 2;
    e.least_gain = is_profiled(s, branch) ? e.gain : fmin(e.gain, fmin(delay_gain(s, &seldom), delay_gain(s, &mostly)));
    add(s, e, barrier_before(p->blocks[p->loops[loop].header].first), p->blocks[target].first, -1);
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
            stays &= cost_is_in_loop(p, p->insns[b->target[k]].block, loop) &&
                     p->insns[b->target[k]].block != p->loops[loop].header;
        for (int k = 0; k < 2 && stays; k++)
            find_delay(s, i, k);
    }
}

/* ---- loop merge ---- */

/* The first block that every round comes to which is not the test whether there is one. */
static int32_t body_of(const struct program *p, int loop)
{
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
    return in == 1 && out && inside != header ? inside : header;
}

/*
 * An uneven loop within another: threads stay for `rounds` rounds of `body`, the longest of a warp `spread` times that; in
 * a round of the outer loop they come there with probability `entered`, and the rest of it costs `rest`, or `apart` if few
 * threads do it.
 */
struct merge {
    double body, rounds, spread, rest, apart, entered;
};

/* Of one stay of all threads: now. */
static double stay_now(const struct search *s, const struct merge *m)
{
    double there = fmax(1, s->width * m->entered);
    double longest = m->spread > 0 ? m->spread * m->rounds : rounds_until_all(there, 1 / m->rounds);
    return (m->rest + any_of(s, m->entered) * longest * m->body) / m->entered;
}

/* If all wait: whenever some leave, the others wait until these are back. */
static double stay_merged(const struct search *s, const struct merge *m)
{
    double leaving = any_of(s, 1 / m->rounds), leavers = fmax(1, s->width / m->rounds / leaving);
    return m->rounds * (m->body + WAIT_COST - 1) + m->rounds * leaving * rounds_until_all(leavers, m->entered) * m->apart;
}

/* Threads go on until fewer than `threshold` are left; then all others come back together. */
static double stay_softly(const struct search *s, const struct merge *m, int threshold)
{
    double turn = m->rounds * log(s->width / threshold), leavers = s->width - threshold;
    return (turn * (m->body + WAIT_COST + 1) + rounds_until_all(leavers, m->entered) * m->rest) * s->width / leavers;
}

static int best_threshold(const struct search *s, const struct merge *m, double *time)
{
    static const int tried[] = {2, 4, 8, 12, 16, 20, 24, 28};
    int best = 0;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (tried[i] < s->width && stay_softly(s, m, tried[i]) < *time * 0.95) {
            *time = stay_softly(s, m, tried[i]);
            best = tried[i];
        }
    return best;
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

static void find_merge(struct search *s, int inner, int32_t branch)
{
    const struct program *p = s->program;
    int outer = p->loops[inner].parent;
    double memory, round_memory;
    struct merge m = {.rounds = s->cost.rounds[inner],
                      .body = cost_from(&s->cost, p->loops[inner].header, -1, inner, &memory),
                      .spread = find_spread(s, inner, branch)};
    double round = cost_from(&s->cost, p->loops[outer].header, -1, outer, &round_memory);
    m.entered = fmin(1, s->cost.often[p->loops[inner].header] / m.rounds);
    if (m.entered < RAREST)
        return;
    m.rest = fmax(0, round - m.entered * m.rounds * m.body);
    m.apart = apart(m.rest, fmax(0, round_memory - m.entered * m.rounds * memory));
    double now = stay_now(s, &m), full = stay_merged(s, &m), soft = full;
    struct detected d = {.pattern = DETECT_LOOP_MERGE, .branch = branch, .common = m.body, .rest = m.rest};
    d.threshold = best_threshold(s, &m, &soft);
    d.gain = over_rounds(s, now / (is_profiled(s, branch) ? soft : full), s->cost.rounds[outer] * m.entered);
    struct merge rarely = m;
    rarely.rounds = fmax(fmin(m.rounds, 1.5), m.rounds / 2);
    rarely.entered = m.entered < 1 ? m.entered / 2 : 1;
    d.least_gain = is_profiled(s, branch) ? d.gain : fmin(d.gain, stay_now(s, &rarely) / stay_merged(s, &rarely));
    add(s, d, barrier_before(p->blocks[p->loops[outer].header].first), p->blocks[body_of(p, inner)].first, -1);
    if (is_profiled(s, branch))
        s->found->list.data[s->found->list.count - 1].prediction.threshold = d.threshold;
}

static void find_merges(struct search *s)
{
    int32_t branch;
    for (int l = 0; l < s->program->loop_count; l++)
        if (s->program->loops[l].parent >= 0 && s->program->blocks[s->program->loops[l].header].reachable &&
            cost_is_uneven(s->program, l, &branch))
            find_merge(s, l, branch);
}

/* ---- common call ---- */

/* often[function] += how often threads call it from a block on until they meet; by what cost_from() found. */
static void count_calls(const struct search *s, int32_t function, double *often)
{
    const struct program *p = s->program;
    for (int i = 0; i < p->call_count; i++)
        if (p->calls[i].callee >= 0 && p->insns[p->calls[i].pc].function == function)
            often[p->calls[i].callee] += s->cost.often[p->insns[p->calls[i].pc].block];
}

static void find_call(struct search *s, int32_t branch, double **often)
{
    const struct program *p = s->program;
    const struct branch *b = &p->branches[branch];
    int32_t block = p->insns[b->pc].block, meeting = b->ipdom == PC_NONE ? -1 : p->insns[b->ipdom].block;
    int loop = p->blocks[block].loop;
    double sides = 0;
    for (int k = 0; k < b->target_count; k++) {
        memset(often[k], 0, sizeof *often[k] * (size_t)p->function_count);
        sides += cost_from(&s->cost, p->insns[b->target[k]].block, meeting, loop, NULL);
        count_calls(s, p->insns[b->pc].function, often[k]);
    }
    for (int32_t f = 1; f < p->function_count; f++) {
        int callers = 0;
        double sum = 0, most = 0;
        for (int k = 0; k < b->target_count; k++) {
            callers += often[k][f] > 0.1;
            sum += often[k][f];
            most = often[k][f] > most ? often[k][f] : most;
        }
        if (callers < 2 || p->functions[f].recursive)
            continue;
        double body = cost_from(&s->cost, p->functions[f].first_block, -1, -1, NULL);
        double rest = sides - sum * body;
        struct detected d = {.pattern = DETECT_COMMON_CALL,
                             .branch = branch,
                             .common = body,
                             .rest = rest,
                             .gain = sides / (rest + most * body + WAIT_COST)};
        d.least_gain = d.gain;
        add(s, d, barrier_before(b->pc), p->functions[f].first, f);
    }
}

static void find_calls(struct search *s)
{
    const struct program *p = s->program;
    double **often = NULL;
    int most = 2;
    for (int32_t i = 0; i < p->branch_count; i++)
        most = p->branches[i].target_count > most ? p->branches[i].target_count : most;
    often = arena_array(&s->found->arena, double *, (size_t)most);
    for (int k = 0; k < most; k++)
        often[k] = arena_array(&s->found->arena, double, (size_t)p->function_count);
    for (int32_t i = 0; i < p->branch_count && p->function_count > 1; i++)
        if (is_divergent(&p->branches[i]) && p->branches[i].target_count > 1 && p->insns[p->branches[i].pc].call < 0 &&
            p->blocks[p->insns[p->branches[i].pc].block].reachable)
            find_call(s, i, often);
}

/* ---- which to take ---- */

static int by_gain(const void *a, const void *b)
{
    const struct detected *x = a, *y = b;
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
    int32_t block = p->insns[b->pc].block, meeting = b->ipdom == PC_NONE ? -1 : p->insns[b->ipdom].block;
    bool comes = false;
    for (int k = 0; k < b->target_count && outer != inner; k++) {
        cost_from(&s->cost, p->insns[b->target[k]].block, meeting, p->blocks[block].loop, NULL);
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

static bool overlaps(const struct program *p, const struct detected *a, const struct detected *b)
{
    int32_t x = p->insns[a->prediction.starts[0].pc].block, y = p->insns[b->prediction.starts[0].pc].block;
    if (a->pattern == DETECT_COMMON_CALL || b->pattern == DETECT_COMMON_CALL)
        return a->prediction.label == b->prediction.label || (a->pattern != b->pattern && x == y);
    return cost_is_in_loop(p, x, p->blocks[y].loop) || cost_is_in_loop(p, y, p->blocks[x].loop);
}

/* A lock, or a try and try again: the threads that are to meet may wait for each other. PC_NONE: there is none. */
static int32_t find_lock(const struct search *s, const struct predict_region *r)
{
    const struct program *p = s->program;
    for (int32_t pc = p->functions[r->function].first; pc <= p->functions[r->function].last; pc++) {
        const struct insn *in = &p->insns[pc];
        bool is_lock = in->op == OP_ATOM_CAS || (in->op == OP_ATOM && in->suffixes.mod[GROUP_ATOM] == ATOM_EXCH);
        if (is_lock && predict_is_between(r, pc))
            return pc;
    }
    return PC_NONE;
}

/* NULL, or why it is left alone: first what forbids it, then what it does not gain. */
static const char *judge(struct search *s, int index)
{
    struct detected *d = &s->found->list.data[index];
    struct arena *arena = &s->found->arena;
    struct predict_region region = predict_region_create(s->program, &d->prediction, arena);
    const char *refusal = predict_refusal(&region, arena);
    int32_t lock = find_lock(s, &region);
    if (refusal)
        return refusal;
    if (lock != PC_NONE)
        return arena_printf(arena, "threads may wait for each other at the atomic in line %d of the PTX",
                            (int)s->program->insns[lock].line);
    if (region.hoisted < 0 && d->pattern != DETECT_COMMON_CALL)
        return "threads start within the loop";
    if (d->gain < s->least_gain)
        return arena_printf(arena, "the estimated gain is below %.2f", s->least_gain);
    if (d->least_gain < 1)
        return arena_printf(arena, "it may lose, %.2f, if threads come there more or less often than supposed",
                            d->least_gain);
    for (int i = 0; i < index; i++)
        if (!s->found->list.data[i].refusal && overlaps(s->program, d, &s->found->list.data[i]))
            return arena_printf(arena, "%s is in the same loops and gains more", s->found->list.data[i].prediction.name);
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
        text_printf(out, "  %s, branch at ", detect_pattern_text[e->pattern]);
        program_print_pc(program, program->branches[e->branch].pc, out);
        text_printf(out, " (%s), point at ", program_where(program, program->branches[e->branch].pc, where, sizeof where));
        program_print_pc(program, e->prediction.label, out);
        text_printf(out, "\n    common code costs %.0f, the rest %.0f; estimated gain %.2f", e->common, e->rest, e->gain);
        if (e->threshold)
            text_printf(out, "; best with a threshold of %d", e->threshold);
        text_printf(out, "\n    %s%s\n", e->refusal ? "left alone: " : "taken as ",
                    e->refusal ? e->refusal : e->prediction.name);
    }
}
