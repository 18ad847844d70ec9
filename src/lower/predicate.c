/*
 * Predication: branches over short blocks become guards.
 *
 *         @p bra L;                @!p A;                     @p bra L;            @!p A;
 *         A;             becomes   L: ...        and          A; bra M;   becomes  @!p bra M;
 *   L:    ...                                           L:    B;                   L: B;
 *                                                       M:    ...                  M: ...
 *
 * where the second may go on with B. These are the steps that ptxas takes, as probe kernels show (docs/lowering.md):
 *
 *   - The block weighs at most PREDICATE_WEIGHT machine instructions, its last branch included; PREDICATE_UNIFORM if
 *     the branch is promised uniform.
 *   - A block with a load that may take long (global, local, generic) stays a branch if nothing hides the load's
 *     latency: threads that skip the block need not wait. If something does, the limit is PREDICATE_LOADS.
 *   - An if/else one side of which has such a load may weigh PREDICATE_LOADS in all, whichever side it is.
 *   - No block that leaves a loop, none with an instruction that weight.c forbids.
 *   - One level: a block that holds guards is not predicated once more. But two tests of one `if`, which branch to the
 *     same place with at most PREDICATE_SPECULATED machine instructions of arithmetic between them, become one test.
 *
 * Not modelled: ptxas takes the branch's likely direction and the schedule of the whole function into account.
 */
#include "lower/body.h"

#include "base/diag.h"

#include <string.h>

enum {
    PREDICATE_WEIGHT = 8,
    PREDICATE_UNIFORM = 6,
    PREDICATE_LOADS = 20,
    PREDICATE_SPECULATED = 5,
    MOST_POSITIONS = 256 /* longer stretches are not looked at: no block of that length is light enough */
};

/* A block behind a guarded branch, which ends where the branch leads. */
struct side {
    int branch;      /* position of the guarded branch */
    int first, last; /* positions: all of the block */
    int ending;      /* position of the block's own branch or return, or -1: it runs on into the branch's target */
};

static uint8_t *empty_set(struct arena *scratch, const struct body *body)
{
    return arena_array(scratch, uint8_t, (size_t)body->function->register_count);
}

static bool is_written(const struct body *body, const struct side *side, int32_t reg)
{
    struct arena scratch = {0};
    uint8_t *set = empty_set(&scratch, body);
    bool found = false;
    set[reg] = 1;
    for (int i = side->first; i <= side->last; i++)
        found |= !body->gone[i] && body_writes(&body->at[i], set);
    arena_free(&scratch);
    return found;
}

/* Whether a branch from `from` to `to` leaves a loop: a later branch leads back to or before `from`, and `to` lies
 * behind that branch. */
static bool leaves_loop(const struct body *body, int from, int32_t to)
{
    for (int i = from + 1; i < body->count && i < to; i++)
        if (!body->gone[i] && body_target(body, i) >= 0 && body_target(body, i) <= from)
            return true;
    return false;
}

/* Finds the second side of an if/else whose first side was predicated: the block behind the first side's branch, if it
 * ends with a branch to the same place. */
static bool find_second_side(const struct body *body, int branch, struct side *side)
{
    int end = branch + 1;
    while (end < body->count && end < branch + MOST_POSITIONS && !body->references[end] &&
           (body->gone[end] || body->at[end].guard < 0) && !body_ends_block(&body->at[end]))
        end++;
    *side = (struct side){.branch = branch, .first = branch + 1, .last = end - 1, .ending = -1};
    return body->guarded[branch] && end < body->count && end > branch + 1 && !body->references[end] &&
           body->at[end].guard < 0 && body_target(body, end) == body_target(body, branch);
}

/* Finds the block that the guarded branch at `branch` jumps over. False: it jumps over more than one block, or over
 * guards. */
static bool find_side(const struct body *body, int branch, struct side *side)
{
    int32_t target = body_target(body, branch);
    if (find_second_side(body, branch, side))
        return true;
    *side = (struct side){.branch = branch, .first = branch + 1, .last = target - 1, .ending = -1};
    if (target <= branch + 1 || target > branch + MOST_POSITIONS || body->at[branch].guard < 0)
        return false;
    for (int i = side->first; i <= side->last; i++) {
        const struct ptx_instruction *insn = &body->at[i];
        if (body->references[i])
            return false;
        if (body->gone[i])
            continue;
        if (insn->guard >= 0 || side->ending >= 0)
            return false;
        if (body_ends_block(insn))
            side->ending = i;
    }
    if (side->ending >= 0 && body->at[side->ending].op == OP_BRA) {
        int32_t to = body_target(body, side->ending);
        if (to <= branch || leaves_loop(body, branch, to))
            return false;
    }
    return true;
}

/* First position of the straight line of instructions that ends with the branch. */
static int line_start(const struct body *body, int branch)
{
    int i = branch;
    while (i > 0 && i > branch - MOST_POSITIONS && !body->references[i] &&
           (body->gone[i - 1] || !body_ends_block(&body->at[i - 1])))
        i--;
    return i;
}

/* Last position of the straight line of instructions behind the block; before its first position if the block does not
 * run on. */
static int line_end(const struct body *body, const struct side *side)
{
    int i = side->last;
    if (side->ending >= 0)
        return i;
    while (i + 1 < body->count && i < side->last + MOST_POSITIONS && (i == side->last || !body->references[i + 1]) &&
           (body->gone[i + 1] || !body_ends_block(&body->at[i + 1])))
        i++;
    return i;
}

/*
 * Whether something else goes on while the block's long loads are under way: an instruction of the block or of the
 * straight line behind it that needs no load, stores nothing, and makes no address for the loads; or a long load ahead
 * of the branch that was not yet waited for, neither for the guard nor for the block's addresses.
 */
static bool hides_loads(const struct body *body, const struct side *side)
{
    struct arena scratch = {0};
    uint8_t *loaded = empty_set(&scratch, body), *needed = empty_set(&scratch, body);
    bool hides = false;
    for (int i = side->last; i >= side->first; i--)
        if (!body->gone[i] && (body_is_long_load(&body->at[i]) || body_writes(&body->at[i], needed)))
            body_add_reads(&body->at[i], needed);
    for (int i = side->first, end = line_end(body, side); i <= end; i++) {
        const struct ptx_instruction *insn = &body->at[i];
        if (body->gone[i] || i == side->ending)
            continue;
        if (i <= side->last && body_is_long_load(insn))
            body_add_writes(insn, loaded);
        else if (body_reads(insn, loaded))
            body_add_writes(insn, loaded);
        else
            hides |=
                insn->op != OP_ST && !(i <= side->last && body_writes(insn, needed)) && body_weight(body, i, i) > 0;
    }
    uint8_t *used = empty_set(&scratch, body);
    needed[body->at[side->branch].guard] = 1;
    for (int i = side->branch - 1, start = line_start(body, side->branch); i >= start; i--) {
        const struct ptx_instruction *insn = &body->at[i];
        if (body->gone[i])
            continue;
        if (body_writes(insn, needed))
            body_add_reads(insn, needed);
        else
            hides |= body_is_long_load(insn) && !body_writes(insn, used);
        body_add_reads(insn, used);
    }
    arena_free(&scratch);
    return hides;
}

static bool has_long_load(const struct body *body, const struct side *side)
{
    for (int i = side->first; i <= side->last; i++)
        if (!body->gone[i] && body_is_long_load(&body->at[i]))
            return true;
    return false;
}

/* Weight of both sides of an if/else if the block is its first side and one of the sides has a long load; 0 if not. */
static int both_sides(const struct body *body, const struct side *side)
{
    if (side->ending < 0 || body->at[side->ending].op != OP_BRA)
        return 0;
    int32_t other = side->last + 1, join = body_target(body, side->ending);
    struct side second = {.branch = side->ending, .first = other, .last = join - 1, .ending = -1};
    if (join <= other || join > other + MOST_POSITIONS || body->references[other] != 1)
        return 0;
    for (int i = other; i < join; i++)
        if ((i > other && body->references[i]) || body->at[i].guard >= 0 || body_ends_block(&body->at[i]))
            return 0;
    return has_long_load(body, side) || has_long_load(body, &second)
               ? body_weight(body, side->first, side->last) + body_weight(body, other, join - 1)
               : 0;
}

static bool is_worthwhile(const struct body *body, const struct side *side)
{
    const struct ptx_instruction *branch = &body->at[side->branch];
    int weight = body_weight(body, side->first, side->last), both = both_sides(body, side);
    if (has_long_load(body, side))
        return weight <= PREDICATE_LOADS && hides_loads(body, side);
    if (both && both <= PREDICATE_LOADS)
        return true;
    return weight <= (suffixes_has(&branch->suffixes, FLAG_UNI) ? PREDICATE_UNIFORM : PREDICATE_WEIGHT);
}

/* Guards the block's instructions. A branch or return among them was uniform as long as it had no guard. */
static void guard_side(struct body *body, const struct side *side, int32_t guard, bool negate)
{
    for (int i = side->first; i <= side->last; i++) {
        body->guarded[i] = true;
        body->at[i].guard = guard;
        body->at[i].guard_negate = negate;
        if (body_ends_block(&body->at[i]))
            body->at[i].suffixes.flags &= ~(UINT64_C(1) << FLAG_UNI);
    }
}

static bool predicate_one(struct body *body, int branch)
{
    struct side side;
    const struct ptx_instruction *insn = &body->at[branch];
    if (!find_side(body, branch, &side) || is_written(body, &side, insn->guard) || !is_worthwhile(body, &side))
        return false;
    guard_side(body, &side, insn->guard, !insn->guard_negate);
    body_remove_branch(body, branch);
    return true;
}

/* Makes a predicate operation with a new destination out of a branch. */
static int32_t make_predicate(struct body *body, int position, enum op op, int32_t a, int32_t b)
{
    struct ptx_instruction *insn = &body->at[position];
    int32_t made = body_add_predicate(body);
    body->references[body_target(body, position)]--;
    insn->op = (uint16_t)op;
    insn->suffixes = (struct suffixes){.type = {TYPE_PRED}};
    insn->guard = -1;
    insn->guard_negate = false;
    insn->operand_count = b < 0 ? 2 : 3;
    insn->operand = arena_array(&body->function->module->arena, struct ptx_operand, (size_t)insn->operand_count);
    int32_t reg[] = {made, a, b};
    for (int i = 0; i < insn->operand_count; i++)
        insn->operand[i] =
            (struct ptx_operand){.kind = OPERAND_REGISTER, .type = TYPE_PRED, .reg = reg[i], .target = -1};
    return made;
}

/* Whether the instructions from `first` to `last` are arithmetic without guards, in one block, and nobody outside of
 * [first, end] reads the results: ptxas does them for all threads. */
static bool is_speculated(const struct body *body, int first, int last, int end)
{
    struct arena scratch = {0};
    uint8_t *results = empty_set(&scratch, body);
    bool is_arithmetic = body_weight(body, first, last) <= PREDICATE_SPECULATED;
    for (int i = first; i <= last; i++) {
        const struct ptx_instruction *insn = &body->at[i];
        is_arithmetic &= !body->references[i];
        if (body->gone[i] || !is_arithmetic)
            continue;
        is_arithmetic =
            insn->guard < 0 && op_table[insn->op].class != CLASS_LOAD && op_table[insn->op].class != CLASS_STORE;
        body_add_writes(insn, results);
    }
    is_arithmetic = is_arithmetic && !body_is_read_outside(body, results, first, end);
    arena_free(&scratch);
    return is_arithmetic;
}

/* Makes one branch of two tests: `arithmetic; t = p or q; @t bra L`. The place of the first branch becomes free for the
 * operation once the arithmetic has moved up. */
static void join_tests(struct body *body, int branch, int second)
{
    const struct ptx_instruction first = body->at[branch];
    struct ptx_instruction *last = &body->at[second];
    struct side between = {.branch = branch, .first = branch + 1, .last = second - 1, .ending = -1};
    guard_side(body, &between, first.guard, !first.guard_negate);
    for (int i = branch; i < second - 1; i++) {
        body->at[i] = body->at[i + 1];
        body->gone[i] = body->gone[i + 1];
    }
    body->at[second - 1] = first;
    body->gone[second - 1] = false;
    last->guard = make_predicate(body, second - 1, last->guard_negate ? OP_AND : OP_OR, first.guard, last->guard);
}

/*
 * Two tests that lead to the same place, `@p bra L; arithmetic; @q bra L; A; L:`: A is guarded by both, and the
 * arithmetic by the first. Where the tests are `p` and `q`, A is skipped if `p or q`; `!p` and `!q`: it is done if `p
 * and q`; otherwise the first is negated beforehand. If A is too long to be predicated, one branch is left.
 */
static bool predicate_chain(struct body *body, int branch)
{
    int32_t target = body_target(body, branch);
    const struct ptx_instruction first = body->at[branch];
    int second = body_next(body, branch + 1);
    while (second < target && second < branch + MOST_POSITIONS && !body_ends_block(&body->at[second]))
        second = body_next(body, second + 1);
    struct side side, between = {.branch = branch, .first = branch + 1, .last = second - 1, .ending = -1};
    if (second >= target || body_target(body, second) != target || body->at[second].guard < 0 ||
        body->references[second] || body->guarded[branch] || is_written(body, &between, first.guard) ||
        !is_speculated(body, branch + 1, second - 1, target - 1))
        return false;
    const struct ptx_instruction last = body->at[second];
    bool mixed = first.guard_negate != last.guard_negate;
    if (!find_side(body, second, &side) || is_written(body, &side, last.guard) || !is_worthwhile(body, &side)) {
        if (!mixed)
            join_tests(body, branch, second);
        return !mixed;
    }
    int32_t one = first.guard;
    if (second > branch + 1)
        guard_side(body, &between, first.guard, !first.guard_negate);
    if (mixed)
        one = make_predicate(body, branch, OP_NOT, first.guard, -1);
    else
        body_remove_branch(body, branch);
    int32_t both = make_predicate(body, second, last.guard_negate ? OP_AND : OP_OR, one, last.guard);
    guard_side(body, &side, both, !last.guard_negate);
    return true;
}

void body_predicate(struct body *body)
{
    body_find_reads(body);
    for (int i = 0; i < body->count; i++) {
        if (body->gone[i] || body->at[i].op != OP_BRA || body->at[i].guard < 0)
            continue;
        if (body_next(body, i + 1) == body_target(body, i)) /* nothing lies between */
            body_remove_branch(body, i);
        else if (!predicate_one(body, i))
            predicate_chain(body, i);
    }
}
