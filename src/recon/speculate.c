/*
 * Speculative reconvergence: the pass from predictions to barriers (Damani et al., CGO 2020, sections 4.2 to 4.6), by
 * the rules of speculate.h.
 *
 * The pass starts from the plan of barriers at post-dominators. For each prediction it makes a sketch, a plan that
 * holds the prediction's barrier alone (joins, waits, rejoins, cancels), and copies the sketch's operations into the
 * plan. Then conflicts are resolved (deconflict.c), barriers that no thread uses any more are removed, and the others
 * get registers. The program is only read.
 */
#include "recon/speculate.h"

#include "base/diag.h"
#include "recon/barrier_flow.h"
#include "recon/detect.h"
#include "recon/place_barriers.h"

static struct barrier_op operation(enum barrier_kind kind, int32_t barrier)
{
    return (struct barrier_op){.kind = (uint8_t)kind, .barrier = barrier};
}

/* ---- one barrier ---- */

/* Whether a path leads from the place to the point. */
static bool is_useful(const struct predict_region *r, struct barrier_place place)
{
    return predict_is_between(r, place.pc);
}

/* A plan of the prediction's joins and waits alone. With only_sure_waits, calls from which threads may return without
 * having come to the point get no wait. */
static struct barrier_plan *outline(const struct predict_region *r, bool only_sure_waits)
{
    struct barrier_plan *plan = barrier_plan_create(r->program);
    int32_t b = barrier_add(plan, -1, false, "prediction %s", r->prediction->name);
    for (int i = 0; i < r->site_count; i++)
        if (r->must_wait[i] || !only_sure_waits)
            barrier_append(plan, barrier_before(r->sites[i]), operation(BARRIER_WAIT, b));
    for (int i = 0; i < r->place_count; i++)
        if (is_useful(r, r->places[i]))
            barrier_prepend(plan, r->places[i], operation(BARRIER_JOIN, b));
    return plan;
}

struct barrier_plan *speculate_outline(const struct predict_region *region)
{
    return outline(region, false);
}

/* The place behind a site: behind the wait, or on the edge by which threads return from the call. */
static struct barrier_place behind_site(const struct predict_region *r, int32_t site)
{
    return r->prediction->callee < 0 ? barrier_before(site) : (struct barrier_place){site, site + 1};
}

/* Whether threads behind the wait at a site can come to a wait again before they join. */
static bool is_live_behind(const struct barrier_flow *flow, int32_t site, uint64_t *set)
{
    struct barrier_range r = barrier_at(flow->plan, barrier_before(site));
    barrier_live_after(flow, r.first + r.count - 1, set);
    return barrier_set_has(set, 0);
}

/* Adds, behind each wait of the plan, a rejoin if threads can come to a wait again; `outlined` is the flow of the
 * outline. Behind a call that need not come to the point, threads cancel if they do not rejoin. */
static void place_rejoins(struct barrier_plan *plan, const struct predict_region *r,
                          const struct barrier_flow *outlined)
{
    uint64_t set[1] = {0};
    for (int i = 0; i < r->site_count; i++) {
        if (!r->program->blocks[r->program->insns[r->sites[i]].block].reachable)
            continue;
        if (is_live_behind(outlined, r->sites[i], set))
            barrier_append(plan, behind_site(r, r->sites[i]), operation(BARRIER_REJOIN, 0));
        else if (!r->must_wait[i])
            barrier_append(plan, behind_site(r, r->sites[i]), operation(BARRIER_CANCEL, 0));
    }
}

/* Whether threads may take the edge as participants and can no longer come to the point behind it. */
static bool is_lost(const struct barrier_flow *joined, const struct barrier_flow *live, int32_t from, int32_t to)
{
    return joined->plan->program->blocks[from].reachable && barrier_is_in(joined, joined->joined_out, from, 0) &&
           barrier_is_in(live, live->live_out, from, 0) && !barrier_is_in(live, live->live_in, to, 0);
}

/* Places cancels: at a block's start if all threads that come there are lost, else on the edges that lose threads. */
static void place_cancels(struct barrier_plan *plan, const struct predict_region *r, const struct barrier_flow *joined,
                          const struct barrier_flow *live)
{
    const struct program *p = r->program;
    const struct program_function *f = &p->functions[r->function];
    for (int32_t b = f->first_block; b < f->first_block + f->block_count; b++) {
        const struct flow_block *block = &p->blocks[b];
        bool all = block->reachable && block->predecessor_count && b != f->first_block;
        for (int i = 0; i < block->predecessor_count; i++)
            all &= is_lost(joined, live, block->predecessors[i], b);
        if (all)
            barrier_prepend(plan, barrier_before(block->first), operation(BARRIER_CANCEL, 0));
        for (int i = 0; !all && i < block->predecessor_count; i++)
            if (is_lost(joined, live, block->predecessors[i], b))
                barrier_append(plan, barrier_between(p, block->predecessors[i], b), operation(BARRIER_CANCEL, 0));
    }
}

/* The plan of the prediction's barrier alone: joins, waits, rejoins and cancels. */
static struct barrier_plan *sketch(const struct predict_region *region)
{
    struct arena scratch = {0};
    struct barrier_plan *outlined = speculate_outline(region), *plan = outline(region, true);
    struct barrier_flow live = barrier_flow_create(outlined, &scratch);
    place_rejoins(plan, region, &live);
    struct barrier_flow joined = barrier_flow_create(plan, &scratch);
    place_cancels(plan, region, &joined, &live);
    barrier_plan_destroy(outlined);
    arena_free(&scratch);
    return plan;
}

static bool is_join(enum barrier_kind kind)
{
    return kind == BARRIER_JOIN || kind == BARRIER_REJOIN;
}

bool speculate_is_joined(const struct barrier_plan *plan, int32_t barrier, struct barrier_place place, bool behind)
{
    struct arena scratch = {0};
    struct barrier_flow flow = barrier_flow_create(plan, &scratch);
    const struct program *p = plan->program;
    bool on_edge = place.from != PC_NONE;
    int32_t block = p->insns[on_edge ? place.from : place.pc].block;
    bool joined = barrier_is_in(&flow, on_edge ? flow.joined_out : flow.joined_in, block, barrier);
    for (int32_t pc = on_edge ? place.pc : p->blocks[block].first; pc <= place.pc; pc++) {
        struct barrier_range r = barrier_at(plan, (struct barrier_place){place.from, pc});
        for (int i = r.first; i < r.first + r.count && (pc < place.pc || behind); i++)
            if (plan->entries.data[i].op.barrier == barrier)
                joined = is_join((enum barrier_kind)plan->entries.data[i].op.kind);
    }
    arena_free(&scratch);
    return joined;
}

/* ---- into the plan ---- */

/* The position behind the last wait of a place. */
static int behind_waits(const struct barrier_plan *plan, struct barrier_place place)
{
    struct barrier_range r = barrier_at(plan, place);
    int position = r.first;
    for (int i = r.first; i < r.first + r.count; i++)
        if (plan->entries.data[i].op.kind == BARRIER_WAIT || plan->entries.data[i].op.kind == BARRIER_SOFT_WAIT)
            position = i + 1;
    return position;
}

/* Inserts the sketch's operations at the point (perhaps a join, the wait, perhaps a rejoin) behind the waits that stand
 * there. */
static void enter_point(struct barrier_plan *plan, const struct speculated *d)
{
    struct barrier_place place = barrier_before(d->prediction->label);
    struct barrier_range here = barrier_at(d->sketch, place);
    int at = behind_waits(plan, place);
    for (int i = 0; i < here.count; i++) {
        struct barrier_op op = d->sketch->entries.data[here.first + i].op;
        op.barrier = d->barrier;
        if (op.kind == BARRIER_WAIT && d->threshold) {
            op.kind = BARRIER_SOFT_WAIT;
            op.threshold = (uint8_t)d->threshold;
        }
        barrier_insert(plan, at++, (struct barrier_entry){place, op});
    }
}

/* Inserts the wait at a point that is a function's entry. */
static void enter_entry(struct barrier_plan *plan, const struct speculated *d)
{
    struct barrier_place place = barrier_before(d->prediction->label);
    struct barrier_op wait = operation(d->threshold ? BARRIER_SOFT_WAIT : BARRIER_WAIT, d->barrier);
    wait.threshold = (uint8_t)d->threshold;
    barrier_insert(plan, behind_waits(plan, place), (struct barrier_entry){place, wait});
}

/* Inserts all operations of the sketch into the plan. */
static void enter(struct barrier_plan *plan, const struct speculated *d)
{
    bool spans = d->prediction->callee >= 0;
    for (int i = 0; i < d->sketch->entries.count; i++) {
        const struct barrier_entry *e = &d->sketch->entries.data[i];
        struct barrier_op op = operation((enum barrier_kind)e->op.kind, d->barrier);
        if (op.kind == BARRIER_WAIT || (!spans && e->place.from == PC_NONE && e->place.pc == d->prediction->label))
            continue;
        if (op.kind == BARRIER_CANCEL)
            barrier_prepend(plan, e->place, op);
        else
            barrier_append(plan, e->place, op);
    }
    if (spans)
        enter_entry(plan, d);
    else
        enter_point(plan, d);
}

/* A barrier that has a wait at `exit`, and in which all threads of the region participate; or BARRIER_NONE. */
static int32_t find_exit_barrier(const struct speculation *s, const struct predict_region *r, int32_t exit)
{
    struct barrier_range at = barrier_at(s->plan, barrier_before(exit));
    for (int i = at.first; i < at.first + at.count; i++) {
        const struct barrier_op *op = &s->plan->entries.data[i].op;
        bool all = op->kind == BARRIER_WAIT;
        for (int k = 0; k < r->place_count && all; k++)
            all = !is_useful(r, r->places[k]) || speculate_is_joined(s->plan, op->barrier, r->places[k], true);
        if (all)
            return op->barrier;
    }
    return BARRIER_NONE;
}

/* Finds or makes the barrier at which all threads of the region reconverge behind it. */
static void place_exit(struct speculation *s, struct speculated *d)
{
    const struct predict_region *r = &d->region;
    int32_t exit = predict_exit(r);
    d->exit_barrier = BARRIER_NONE;
    if (exit == PC_NONE)
        return;
    d->exit_barrier = find_exit_barrier(s, r, exit);
    if (d->exit_barrier != BARRIER_NONE)
        return;
    d->exit_is_own = true;
    d->exit_barrier = barrier_add(s->plan, -1, false, "end of the region of prediction %s", d->prediction->name);
    struct barrier_place at = barrier_before(exit);
    barrier_insert(s->plan, behind_waits(s->plan, at),
                   (struct barrier_entry){at, operation(BARRIER_WAIT, d->exit_barrier)});
    for (int i = 0; i < r->place_count; i++)
        if (is_useful(r, r->places[i]))
            barrier_append(s->plan, r->places[i], operation(BARRIER_JOIN, d->exit_barrier));
}

/* ---- barriers that no thread uses ---- */

static bool has_wait(const struct barrier_plan *plan, int32_t barrier)
{
    return barrier_find(plan, BARRIER_WAIT, barrier) >= 0 || barrier_find(plan, BARRIER_SOFT_WAIT, barrier) >= 0;
}

/* Takes out waits to which no participant can come, and then barriers without a wait. True: there were any. */
static bool prune_once(struct barrier_plan *plan)
{
    struct arena scratch = {0};
    struct barrier_flow flow = barrier_flow_create(plan, &scratch);
    uint64_t *set = arena_array(&scratch, uint64_t, (size_t)flow.words);
    bool *is_idle = arena_array(&scratch, bool, (size_t)plan->entries.count);
    const struct program *p = plan->program;
    bool any = false;
    for (int i = 0; i < plan->entries.count; i++) {
        const struct barrier_entry *e = &plan->entries.data[i];
        bool waits = e->op.kind == BARRIER_WAIT || e->op.kind == BARRIER_SOFT_WAIT;
        if (!waits || plan->barriers.data[e->op.barrier].spans_calls)
            continue;
        int32_t from = e->place.from != PC_NONE ? e->place.from : e->place.pc;
        barrier_joined_before(&flow, i, set);
        is_idle[i] = !barrier_set_has(set, e->op.barrier) && p->blocks[p->insns[from].block].reachable;
        any |= is_idle[i];
    }
    for (int i = plan->entries.count - 1; i >= 0; i--)
        if (is_idle[i])
            barrier_remove(plan, i);
    for (int32_t b = 0; b < plan->barriers.count && any; b++)
        if (!has_wait(plan, b))
            barrier_remove_all(plan, b);
    arena_free(&scratch);
    return any;
}

/* ---- the pass ---- */

/* Places the barriers of one prediction, or records why the prediction is refused. */
static void consider(struct speculation *s, const struct prediction *prediction, const struct speculate_rules *rules)
{
    struct speculated d = {.prediction = prediction,
                           .threshold = prediction->threshold ? prediction->threshold : rules->threshold,
                           .deconflict = rules->deconflict | prediction->deconflict,
                           .barrier = BARRIER_NONE,
                           .exit_barrier = BARRIER_NONE};
    if (rules->as_listed && !prediction->as_listed) {
        struct prediction *copy = arena_new(&s->arena, struct prediction);
        *copy = *prediction;
        copy->as_listed = true;
        d.prediction = copy;
    }
    d.region = predict_region_create(s->program, d.prediction, &s->arena);
    d.refusal = predict_refusal(&d.region, &s->arena);
    if (!d.refusal) {
        d.sketch = sketch(&d.region);
        d.barrier = barrier_add(s->plan, -1, prediction->callee >= 0, "prediction %s, %s", prediction->name,
                                prediction->origin);
        place_exit(s, &d);
        enter(s->plan, &d);
    }
    vec_push(&s->list, d);
}

/* Predictions that are neither refused nor without a register. */
static int count_honoured(const struct speculation *s)
{
    int count = 0;
    for (int i = 0; i < s->list.count; i++) {
        const struct speculated *d = &s->list.data[i];
        count += !d->refusal && !s->plan->barriers.data[d->barrier].is_dropped;
    }
    return count;
}

struct speculation *speculate(const struct program *program, const struct predictions *predictions,
                              const struct speculate_rules *rules)
{
    struct speculation *s = xcalloc(1, sizeof *s);
    char *error;
    s->program = program;
    s->plan = barriers_place(program);
    for (int i = 0; i < predictions->list.count; i++)
        consider(s, &predictions->list.data[i], rules);
    speculate_deconflict(s);
    while (prune_once(s->plan))
        ;
    barrier_colour(s->plan);
    s->plan->predictions = count_honoured(s);
    if (!barrier_check(s->plan, &error))
        panic("barriers of predictions are not sound: %s", error);
    return s;
}

void speculation_destroy(struct speculation *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->list.count; i++)
        barrier_plan_destroy(s->list.data[i].sketch);
    vec_free(&s->list);
    vec_free(&s->conflicts);
    barrier_plan_destroy(s->plan);
    arena_free(&s->arena);
    free(s);
}

struct barrier_plan *speculation_take_plan(struct speculation *s)
{
    struct barrier_plan *plan = s->plan;
    s->plan = NULL;
    return plan;
}

static void say(struct text *said, const char *name, const char *origin, const char *why)
{
    text_printf(said, "prediction %s (%s) is refused: %s\n", name, origin, why);
}

struct barrier_plan *speculate_program(const struct program *program, const struct speculate_request *request,
                                       struct text *said)
{
    struct predictions predictions = {0};
    struct detection *detection = NULL;
    predict_from_pragmas(&predictions, program);
    int asked = predictions.list.count;
    if (request->detects)
        detection = detect(&predictions, program, &(struct detect_rules){.profile = request->profile});
    for (int i = asked; request->sets_threshold && i < predictions.list.count; i++)
        predictions.list.data[i].threshold = request->rules.threshold;
    struct speculation *s = speculate(program, &predictions, &request->rules);
    for (int i = 0; i < predictions.unusable.count; i++)
        say(said, predictions.unusable.data[i].name, predictions.unusable.data[i].origin,
            predictions.unusable.data[i].why);
    for (int i = 0; i < s->list.count; i++)
        if (s->list.data[i].refusal)
            say(said, s->list.data[i].prediction->name, s->list.data[i].prediction->origin, s->list.data[i].refusal);
    struct barrier_plan *plan = speculation_take_plan(s);
    speculation_destroy(s);
    detection_destroy(detection);
    predictions_free(&predictions);
    return plan;
}
