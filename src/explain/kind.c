/* Kinds of divergence: see kind.h, which has the rules. */
#include "explain/kind.h"

const char *const kind_names[KIND_COUNT] = {
    [KIND_LOOP_TRIPS] = "loop trips",      [KIND_LOOP_CONDITION] = "condition in a loop",
    [KIND_COMMON] = "common call or tail", [KIND_BOUNDARY] = "boundary",
    [KIND_EARLY_END] = "early end",        [KIND_MEMORY] = "memory",
    [KIND_CONDITION] = "condition"};

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static bool is_boundary(const struct evidence_branch *b, double cost)
{
    const struct shape *s = &b->shape;
    if (s->leaves_loop || (s->loop_depth && !s->is_repeating) || cost > KIND_BOUNDARY_COST)
        return false;
    double diverged = share(b->diverged, b->executed), taken = share(b->taken, b->threads);
    double rare = taken < 0.5 ? taken : 1 - taken;
    return diverged <= KIND_BOUNDARY_SHARE || (diverged <= KIND_BOUNDARY_SHARE_RARE && rare <= KIND_RARE_SIDE);
}

/* Whether threads of side `k` end early. How many threads went which way is known of a bra alone, and which target is
 * side `k` is not kept, so the whole work of the sides is compared. A side without own work has been passed at once. */
static bool ends_early(const struct shape *s, int k)
{
    const struct shape_side *ending = &s->side[k], *other = &s->side[1 - k];
    if (!ending->ends || (s->loop_depth && !s->has_other_exit))
        return false;
    return !other->ends || !ending->work || (double)ending->work <= KIND_EARLY_WORK * (double)other->work;
}

static bool is_early_end(const struct shape *s)
{
    return ends_early(s, 0) || ends_early(s, 1);
}

/* Whether the branch decides if a loop is entered: one side has nothing, or nothing but the end. */
static bool enters_loop(const struct shape *s)
{
    for (int k = 0; k < SHAPE_SIDES; k++) {
        const struct shape_side *side = &s->side[k], *other = &s->side[1 - k];
        if (!other->instructions && side->work && side->decides_trips &&
            share(side->work_in_loop, side->work) >= KIND_LOOP_WORK)
            return true;
    }
    return false;
}

static bool is_common(const struct shape *s)
{
    return s->alike >= KIND_LEAST_ALIKE && share(s->alike_issues, s->side[0].issues + s->side[1].issues) >= KIND_ALIKE;
}

enum explain_kind kind_of_branch(const struct evidence_branch *b, double cost)
{
    const struct shape *s = &b->shape;
    if (is_boundary(b, cost))
        return KIND_BOUNDARY;
    if (is_early_end(s))
        return KIND_EARLY_END;
    if (s->leaves_loop || enters_loop(s))
        return KIND_LOOP_TRIPS;
    if (is_common(s))
        return KIND_COMMON;
    return s->loop_depth ? KIND_LOOP_CONDITION : KIND_CONDITION;
}
