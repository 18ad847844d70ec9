/*
 * Block-uniform code: the only place for barriers, exchanges through shared memory, and row operations.
 *
 * A phase at this level is reached by every thread of the block that has not ended, equally often, because
 * only conditions that are the same for the whole block stand around it. Between phases lie divergent
 * segments, which all threads leave at the segment's end or by ending. Divergent code may also jump to a
 * phase further on, over barriers: no thread does (early.c), or all threads of the block that live do so
 * together.
 *
 * Exchange: a thread's exchange word is written by that thread alone, and read by others only between
 * two barriers that surround no write. Threads may end in divergent code only after the program has switched
 * to `exits`; a barrier stands at the switch, and from then on a thread writes its exchange word only in the
 * phase itself, so every value read was ordered by a barrier in which its writer took part (barrier.c). A
 * barrier also stands before an end at this level, which the plan may have earlier (row.c).
 *
 * Row operations name the live threads of the row, so all named threads come: row.c.
 *
 * Termination: loops here are counted, and their counters are written by nothing else. All jumps over
 * barriers go ahead.
 */
#include "uniform.h"
#include "barrier.h"
#include "gen.h"
#include "row.h"

static void uniform_phase(struct gen *g, int depth);

/* A label that divergent code of the next `due` phases may jump to, never at run time. */
static void uniform_open_skip(struct gen *g, int label, unsigned due)
{
    struct scope *s = g->scope;
    if (s->skips < MAX_SKIPS)
        s->skip[s->skips++] = (struct skip){.label = label, .due = due};
}

/* Places the labels from the base-th on that are due, or all of them. */
static void uniform_place_skips(struct gen *g, int base, bool all)
{
    struct scope *s = g->scope;
    int kept = base;
    for (int i = base; i < s->skips; i++) {
        struct skip skip = s->skip[i];
        skip.due--;
        if (!all && skip.due)
            s->skip[kept++] = skip;
        else if (skip.is_used)
            gen_place(g, skip.label);
    }
    s->skips = kept;
}

static void uniform_phase_in_list(struct gen *g, int depth, int base)
{
    if (rng_chance(&g->rng, 35))
        uniform_open_skip(g, gen_label(g), 1 + rng_below(&g->rng, 3));
    uniform_phase(g, depth);
    uniform_place_skips(g, base, false);
}

/* A predicate that is the same for the whole block. */
static struct name uniform_condition(struct gen *g)
{
    struct name t = gen_temporary(g, KIND_R);
    struct name p = gen_temporary(g, KIND_P);
    unsigned shape = rng_below(&g->rng, 3);
    if (shape == 0) {
        gen_op(g, "mov.u32 %s, %%ctaid.x", t.s);
        gen_op(g, "setp.%s.u32 %s, %s, 0", rng_chance(&g->rng, 50) ? "eq" : "ne", p.s, t.s);
    } else if (shape == 1) {
        gen_op(g, "ld.param.u32 %s, [k_n]", t.s);
        gen_op(g, "setp.lt.s32 %s, %s, %u", p.s, t.s, rng_below(&g->rng, 32));
    } else {
        gen_op(g, "ld.global.u32 %s, [%%pin+%u]", t.s, 4 * rng_below(&g->rng, g->plan.in_bytes / 4));
        gen_op(g, "and.b32 %s, %s, %u", t.s, t.s, 1u << rng_below(&g->rng, 8));
        gen_op(g, "setp.ne.u32 %s, %s, 0", p.s, t.s);
    }
    return p;
}

/* Two sides of a divergent branch, from each of which the threads go to label if the block-uniform p holds.
 */
static void uniform_jump(struct gen *g, const char *p, int label)
{
    int other = gen_label(g), join = gen_label(g);
    control_branch(g, other, true);
    if (rng_chance(&g->rng, 60))
        control_arm(g);
    gen_op(g, "@%s bra %s", p, gen_target(g, label).s);
    expr_mark(g);
    gen_op(g, "bra %s", gen_target(g, join).s);
    gen_place(g, other);
    if (rng_chance(&g->rng, 40))
        control_arm(g);
    gen_op(g, "@%s bra %s", p, gen_target(g, label).s);
    gen_place(g, join);
}

static void uniform_skip(struct gen *g)
{
    struct name p = uniform_condition(g);
    int end = gen_label(g);
    gen_count(g, RANDOM_skip_together);
    uniform_jump(g, p.s, end);
    if (g->plan.shared)
        barrier_exchange(g);
    else
        barrier_any(g);
    gen_place(g, end);
}

/* Two or three ways to an exchange's first barrier, and one that nobody goes to its second. */
static void uniform_paths(struct gen *g)
{
    struct scope *s = g->scope;
    int meet = gen_label(g), second = gen_label(g), base = s->skips;
    gen_count(g, RANDOM_barrier_paths);
    uniform_open_skip(g, second, 1);
    for (unsigned i = 1 + rng_below(&g->rng, 2); i > 0; i--) {
        int other = gen_label(g);
        control_branch(g, other, true);
        if (rng_chance(&g->rng, 50))
            control_arm(g);
        if (s->skips && rng_chance(&g->rng, 50))
            early_skip(g);
        gen_op(g, "bra %s", gen_target(g, meet).s);
        gen_place(g, other);
    }
    control_arm(g);
    gen_place(g, meet);
    if (g->plan.shared)
        barrier_exchange(g);
    else
        barrier_any(g);
    uniform_place_skips(g, base, true);
    barrier_any(g);
}

static void uniform_loop(struct gen *g, int depth)
{
    struct scope *s = g->scope;
    unsigned trips = 2 + rng_below(&g->rng, 3);
    struct name i = gen_counter(g);
    struct name p = gen_temporary(g, KIND_P);
    int head = gen_label(g), end = gen_label(g), outside = s->skips;
    gen_count(g, RANDOM_uniform_loop);
    if (rng_chance(&g->rng, 50)) {
        gen_op(g, "mov.u32 %s, %u", i.s, trips);
    } else {
        struct name n = gen_temporary(g, KIND_R);
        struct name below = gen_temporary(g, KIND_R);
        gen_op(g, "ld.param.u32 %s, [k_n]", n.s);
        gen_op(g, "rem.u32 %s, %s, %u", below.s, n.s, trips);
        gen_op(g, "add.u32 %s, %s, 1", i.s, below.s);
    }
    uniform_open_skip(g, end, 1);
    int inside = s->skips;
    gen_place(g, head);
    s->times *= trips;
    unsigned phases = 1 + rng_below(&g->rng, 3);
    for (unsigned phase = 0; phase < phases; phase++)
        uniform_phase_in_list(g, depth + 1, inside);
    uniform_place_skips(g, inside, true);
    bool leaves = rng_chance(&g->rng, 25);
    if (leaves) {
        struct name last = gen_temporary(g, KIND_P);
        gen_count(g, RANDOM_uniform_leave);
        gen_op(g, "setp.eq.u32 %s, %s, %u", last.s, i.s, 1 + rng_below(&g->rng, trips));
        uniform_jump(g, last.s, end);
        barrier_any(g);
    }
    gen_op(g, "sub.u32 %s, %s, 1", i.s, i.s);
    gen_op(g, "setp.ne.u32 %s, %s, 0", p.s, i.s);
    gen_op(g, "@%s bra%s %s", p.s, rng_chance(&g->rng, 50) ? ".uni" : "", gen_target(g, head).s);
    s->times /= trips;
    if (inside > outside)
        s->skip[outside].is_used |= leaves;
    else if (leaves)
        gen_place(g, end);
    uniform_place_skips(g, outside, true);
}

static void uniform_if(struct gen *g, int depth)
{
    int end = gen_label(g);
    struct name p = uniform_condition(g);
    gen_count(g, RANDOM_uniform_if);
    gen_op(g, "@%s bra%s %s", p.s, rng_chance(&g->rng, 50) ? ".uni" : "", gen_target(g, end).s);
    uniform_phase(g, depth + 1);
    gen_place(g, end);
}

static void uniform_row(struct gen *g)
{
    if (g->plan.thins && rng_chance(&g->rng, 25))
        row_thin(g);
    else
        row_statement(g);
}

/* A phase of a kind that `roll`, below 100, says; false if that kind has no place here. */
static bool uniform_special(struct gen *g, int depth, unsigned roll)
{
    const struct scope *s = g->scope;
    const struct plan *plan = &g->plan;
    if (roll < 15 && plan->shared)
        barrier_exchange(g);
    else if (roll < 29 && plan->row_ops && !s->exits)
        uniform_row(g);
    else if (roll < 25 && plan->row_ops && plan->shared)
        row_count(g);
    else if (roll >= 29 && roll < 33)
        barrier_reduce(g);
    else if (roll >= 33 && roll < 36)
        barrier_any(g);
    else if (roll >= 36 && roll < 44)
        return rng_chance(&g->rng, 60) ? barrier_groups(g) : barrier_pair(g);
    else if (roll >= 44 && roll < 50 && plan->meets)
        barrier_call(g);
    else if (roll >= 50 && roll < 54)
        uniform_skip(g);
    else if (roll >= 54 && roll < 58)
        uniform_paths(g);
    else if (roll >= 58 && roll < 70 && depth < 2 && gen_room(g, 60))
        uniform_loop(g, depth);
    else if (roll >= 70 && roll < 74 && depth < 2 && gen_room(g, 30))
        uniform_if(g, depth);
    else
        return false;
    return true;
}

static void uniform_phase(struct gen *g, int depth)
{
    if (!gen_room(g, 14))
        return;
    bool often = g->plan.meets_often;
    if (!uniform_special(g, depth, rng_below(&g->rng, often ? 82 : 100)))
        control_segment(g, often ? 1 + rng_below(&g->rng, 3) : 2 + rng_below(&g->rng, 8));
}

/* A call that some threads make, so that no program carries functions for nothing. */
static void uniform_first_call(struct gen *g)
{
    int skip = gen_label(g);
    if (rng_chance(&g->rng, 60))
        control_branch(g, skip, true);
    function_call(g);
    gen_place(g, skip);
}

void uniform_phases(struct gen *g)
{
    if (g->functions > 0)
        uniform_first_call(g);
    control_segment(g, 1 + rng_below(&g->rng, 4));
    unsigned exits_from = rng_chance(&g->rng, 75) ? rng_below(&g->rng, 4) : UINT32_MAX;
    for (unsigned phase = 0; gen_room(g, 14); phase++) {
        if (phase == exits_from) {
            if (g->plan.shared)
                barrier_any(g);
            g->scope->exits = true;
        }
        uniform_phase_in_list(g, 0, 0);
    }
    uniform_place_skips(g, 0, true);
}
