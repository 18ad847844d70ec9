/*
 * The alignment of a branch's two sides (fuse.h): which instructions can be one, and which alignment of the sequences
 * saves most, by the dynamic program of Needleman and Wunsch (J. Mol. Biol., 1970).
 *
 * A pair gains the cost of one of its instructions, less what selecting its operands costs. Which operands will still
 * differ depends on the other pairs: a value that both sides have just computed is probably in one register by then, so
 * its difference is charged a quarter. Of two alignments that cost the same, the one with more pairs is taken.
 * fuse_cost() has the exact cost of the whole.
 */
#include "rewrite/fuse.h"

enum {
    SLOT = 4,        /* scores of one issue slot */
    LONGEST = 2000,  /* instructions of a side; longer ones are not aligned */
    MOST_NAMES = 256 /* operands, arguments and results of one instruction that are looked at */
};

bool fuse_is_written(enum role role)
{
    return role_is_written(role);
}

int fuse_weight(const struct ptx_instruction *insn)
{
    switch (insn->op == OP_NONE ? CLASS_INT : op_table[insn->op].class) {
    case CLASS_LOAD:
    case CLASS_STORE:
    case CLASS_ATOMIC:
    case CLASS_TEX:
    case CLASS_SFU:
    case CLASS_FP64:
        return 4;
    case CLASS_IDIV:
    case CLASS_FDIV:
    case CLASS_DDIV:
        return 12;
    case CLASS_BRANCH:
        return insn->op == OP_CALL ? 40 : 1;
    default:
        return 1;
    }
}

/* ---- pairs ---- */

struct fuse_aligner {
    const struct fuse_branch *branch;
    bool pairs_params;
    uint8_t *is_local; /* by register: a side writes it */
};

static int bits_of(const struct fuse_aligner *a, int32_t reg)
{
    return type_table[a->branch->function->registers[reg].type].bits;
}

static bool is_plain(const struct fuse_aligner *a, int32_t reg)
{
    int bits = bits_of(a, reg);
    return a->branch->function->registers[reg].vector == 1 && (bits == 1 || bits == 16 || bits == 32 || bits == 64);
}

static bool is_same_suffixes(const struct suffixes *x, const struct suffixes *y)
{
    return !memcmp(x->type, y->type, sizeof x->type) && !memcmp(x->mod, y->mod, sizeof x->mod) && x->flags == y->flags;
}

/* Cost of a selection between two registers; -1: none can be made. */
static int cost_of_registers(const struct fuse_aligner *a, int32_t x, int32_t y)
{
    if (!is_plain(a, x) || !is_plain(a, y) || bits_of(a, x) != bits_of(a, y))
        return -1;
    int slots = bits_of(a, x) == 1 ? 3 * SLOT : SLOT; /* predicates are selected by logic */
    return x == y ? 0 : a->is_local[x] && a->is_local[y] ? slots / SLOT : slots;
}

/* Whether two variables can be one: the same, or two of a kind that hold arguments or results of calls. */
static bool is_same_variable(const struct fuse_aligner *a, const struct ptx_variable *x, const struct ptx_variable *y)
{
    if (x == y)
        return true;
    return a->pairs_params && x && y && x->space == SPACE_PARAM && y->space == SPACE_PARAM &&
           x->owner == a->branch->function && y->owner == x->owner && x->size_bytes == y->size_bytes &&
           x->align_bytes == y->align_bytes && x->type == y->type;
}

static int cost_of_operands(const struct fuse_aligner *a, enum role role, const struct ptx_operand *x,
                            const struct ptx_operand *y);

static int cost_of_value(const struct fuse_aligner *a, const struct ptx_operand *x, const struct ptx_operand *y)
{
    bool x_is_number = x->kind == OPERAND_IMMEDIATE, y_is_number = y->kind == OPERAND_IMMEDIATE;
    if (x->negate != y->negate || x->select != y->select)
        return -1;
    if (x->kind == OPERAND_REGISTER && y->kind == OPERAND_REGISTER)
        return cost_of_registers(a, x->reg, y->reg);
    if (x_is_number && y_is_number) {
        int bits = type_table[x->type].bits;
        if (x->type != y->type)
            return -1;
        return x->bits == y->bits ? 0 : bits == 16 || bits == 32 || bits == 64 ? SLOT : -1;
    }
    if ((x_is_number && y->kind == OPERAND_REGISTER) || (y_is_number && x->kind == OPERAND_REGISTER)) {
        int32_t reg = x_is_number ? y->reg : x->reg;
        return is_plain(a, reg) && bits_of(a, reg) > 1 ? SLOT : -1;
    }
    if (x->kind != y->kind)
        return -1;
    bool is_same = (x->kind == OPERAND_SREG && x->sreg == y->sreg) ||
                   (x->kind == OPERAND_SYMBOL && x->variable == y->variable && x->function == y->function &&
                    x->offset == y->offset) ||
                   x->kind == OPERAND_NONE;
    return is_same ? 0 : -1;
}

static int cost_of_address(const struct fuse_aligner *a, const struct ptx_operand *x, const struct ptx_operand *y)
{
    if (x->kind != OPERAND_ADDRESS || y->kind != OPERAND_ADDRESS || (x->reg < 0) != (y->reg < 0))
        return -1;
    if (x->reg < 0)
        return is_same_variable(a, x->variable, y->variable) && x->offset == y->offset ? 0 : -1;
    if (x->variable || y->variable)
        return -1;
    int cost = cost_of_registers(a, x->reg, y->reg);
    return cost < 0 || x->offset == y->offset ? cost : cost + 2 * SLOT;
}

static int cost_of_vectors(const struct fuse_aligner *a, enum role role, const struct ptx_operand *x,
                           const struct ptx_operand *y)
{
    int cost = 0;
    if (x->kind != OPERAND_VECTOR || y->kind != OPERAND_VECTOR || x->element_count != y->element_count)
        return -1;
    for (int i = 0; i < x->element_count && cost >= 0; i++) {
        int one = cost_of_operands(a, fuse_is_written(role) ? ROLE_DEST : ROLE_VALUE, &x->element[i], &y->element[i]);
        cost = one < 0 ? -1 : cost + one;
    }
    return cost;
}

static int cost_of_call(const struct fuse_aligner *a, const struct ptx_call *x, const struct ptx_call *y)
{
    int cost = 0;
    if (!x->callee || x->callee != y->callee || x->argument_count > MOST_NAMES / 2 ||
        x->argument_count != y->argument_count || x->return_count != y->return_count)
        return -1;
    for (int i = 0; i < x->argument_count + x->return_count; i++) {
        bool is_return = i >= x->argument_count;
        const struct ptx_operand *one = is_return ? &x->returns[i - x->argument_count] : &x->arguments[i];
        const struct ptx_operand *other = is_return ? &y->returns[i - x->argument_count] : &y->arguments[i];
        bool are_params = one->kind == OPERAND_SYMBOL && other->kind == OPERAND_SYMBOL && !one->function &&
                          !other->function && one->offset == other->offset;
        int each = are_params ? (is_same_variable(a, one->variable, other->variable) ? 0 : -1)
                              : cost_of_operands(a, is_return ? ROLE_DEST : ROLE_VALUE, one, other);
        if (each < 0)
            return -1;
        cost += each;
    }
    return cost;
}

/* What it costs that two operands differ; -1: their instructions cannot be one. */
static int cost_of_operands(const struct fuse_aligner *a, enum role role, const struct ptx_operand *x,
                            const struct ptx_operand *y)
{
    if (x->kind == OPERAND_SINK || y->kind == OPERAND_SINK || x->kind == OPERAND_NONE || y->kind == OPERAND_NONE)
        return x->kind == y->kind ? 0 : -1;
    if (x->kind == OPERAND_VECTOR || y->kind == OPERAND_VECTOR)
        return cost_of_vectors(a, role, x, y);
    if (fuse_is_written(role))
        return x->kind == OPERAND_REGISTER && y->kind == OPERAND_REGISTER && cost_of_registers(a, x->reg, y->reg) >= 0
                   ? 0
                   : -1;
    if (role == ROLE_ADDRESS)
        return cost_of_address(a, x, y);
    if (role == ROLE_CALL)
        return cost_of_call(a, x->call, y->call);
    if (role == ROLE_VALUE || role == ROLE_PREDICATE || role == ROLE_VALUE_VECTOR || role == ROLE_POLICY)
        return cost_of_value(a, x, y);
    return role == ROLE_IMMEDIATE && x->bits == y->bits ? 0 : -1;
}

static bool is_same_dest(const struct ptx_operand *x, const struct ptx_operand *y)
{
    if (x->kind == OPERAND_VECTOR) {
        for (int i = 0; i < x->element_count; i++)
            if (!is_same_dest(&x->element[i], &y->element[i]))
                return false;
        return true;
    }
    return x->kind != OPERAND_REGISTER || x->reg == y->reg;
}

/* What selecting the operands of a pair costs, in scores; -1: the two instructions cannot be one. */
static int cost_of_pair(const struct fuse_aligner *a, const struct ptx_instruction *x, const struct ptx_instruction *y)
{
    struct op_slot slots[OP_MAX_SLOTS];
    int cost = 0;
    if (x->op != y->op || x->op == OP_NONE || x->operand_count != y->operand_count ||
        (x->guard < 0) != (y->guard < 0) || x->guard_negate != y->guard_negate ||
        !is_same_suffixes(&x->suffixes, &y->suffixes))
        return -1;
    if (x->guard >= 0)
        cost = x->guard == y->guard ? 0 : cost_of_registers(a, x->guard, y->guard);
    int count = op_split_operands(op_table[x->op].operands, slots);
    for (int i = 0; i < x->operand_count && cost >= 0; i++) {
        int one = i < count ? cost_of_operands(a, slots[i].role, &x->operand[i], &y->operand[i]) : -1;
        cost = one < 0 ? -1 : cost + one;
        /* A write that may not happen leaves an old value, which must be in the same register for both sides. */
        if (cost >= 0 && x->guard >= 0 &&
            (x->op == OP_CALL || (fuse_is_written(slots[i].role) && !is_same_dest(&x->operand[i], &y->operand[i]))))
            cost = -1;
    }
    return cost;
}

/* ---- alignment ---- */

static void note_written(void *context, int32_t *reg, bool is_written)
{
    if (is_written)
        ((uint8_t *)context)[*reg] = 1;
}

static const struct ptx_instruction *at(const struct fuse_branch *b, int side, int position)
{
    return &b->function->instructions[b->instruction[side][position]];
}

/* Follows the choices of the dynamic program from the end, and turns them round. */
static struct fuse_plan trace_back(const struct fuse_branch *b, const uint8_t *choice, struct arena *arena)
{
    int i = b->count[0], k = b->count[1], width = b->count[1] + 1;
    struct fuse_plan plan = {.steps = arena_array(arena, struct fuse_step, (size_t)(i + k))};
    while (i || k) {
        int c = choice[i * width + k];
        plan.steps[plan.count++] = (struct fuse_step){{c == FUSE_NEXT ? -1 : i - 1, c == FUSE_TAKEN ? -1 : k - 1}};
        plan.pairs += c == FUSE_SIDES;
        i -= c != FUSE_NEXT;
        k -= c != FUSE_TAKEN;
    }
    for (int low = 0, high = plan.count - 1; low < high; low++, high--) {
        struct fuse_step step = plan.steps[low];
        plan.steps[low] = plan.steps[high];
        plan.steps[high] = step;
    }
    return plan;
}

struct fuse_plan fuse_align(const struct fuse_branch *b, bool pairs_params, struct arena *arena)
{
    struct fuse_aligner a = {.branch = b, .pairs_params = pairs_params};
    int width = b->count[1] + 1;
    if (b->count[0] > LONGEST || b->count[1] > LONGEST)
        return (struct fuse_plan){0};
    a.is_local = arena_array(arena, uint8_t, (size_t)b->function->register_count + 1);
    for (int side = 0; side < FUSE_SIDES; side++)
        for (int i = 0; i < b->count[side]; i++)
            edit_visit_registers((struct ptx_instruction *)at(b, side, i), note_written, a.is_local);
    int *best = arena_array(arena, int, (size_t)(b->count[0] + 1) * (size_t)width);
    uint8_t *choice = arena_array(arena, uint8_t, (size_t)(b->count[0] + 1) * (size_t)width);
    for (int i = 0; i <= b->count[0]; i++)
        for (int k = 0; k <= b->count[1]; k++) {
            int *here = &best[i * width + k];
            if (!i || !k) {
                choice[i * width + k] = i ? FUSE_TAKEN : FUSE_NEXT;
                continue;
            }
            bool is_first_better = best[(i - 1) * width + k] >= best[i * width + k - 1];
            *here = is_first_better ? best[(i - 1) * width + k] : best[i * width + k - 1];
            choice[i * width + k] = is_first_better ? FUSE_TAKEN : FUSE_NEXT;
            int cost = cost_of_pair(&a, at(b, 0, i - 1), at(b, 1, k - 1));
            int paired = best[(i - 1) * width + k - 1] + SLOT * fuse_weight(at(b, 0, i - 1)) - cost;
            if (cost >= 0 && paired >= *here) {
                *here = paired;
                choice[i * width + k] = FUSE_SIDES;
            }
        }
    return trace_back(b, choice, arena);
}

/* ---- variables of calls ---- */

/* The variable that the instruction names by its n-th operand, argument or result, or NULL. */
static const struct ptx_variable *variable_of(const struct ptx_instruction *insn, int n)
{
    if (n < insn->operand_count && insn->operand[n].kind != OPERAND_CALL)
        return insn->operand[n].variable;
    for (int i = 0; i < insn->operand_count; i++) {
        const struct ptx_call *call = insn->operand[i].kind == OPERAND_CALL ? insn->operand[i].call : NULL;
        int at = n - insn->operand_count;
        if (call && at >= 0 && at < call->argument_count)
            return call->arguments[at].variable;
        if (call && at >= call->argument_count && at < call->argument_count + call->return_count)
            return call->returns[at - call->argument_count].variable;
    }
    return NULL;
}

static bool names(const struct ptx_instruction *insn, const struct ptx_variable *v)
{
    for (int n = 0; n < MOST_NAMES; n++)
        if (variable_of(insn, n) == v)
            return true;
    return false;
}

/* Whether instructions other than those of the side name the variable. */
static bool is_named_outside(const struct fuse_branch *b, int side, const struct ptx_variable *v)
{
    int inside = 0, all = 0;
    for (int i = 0; i < b->count[side]; i++)
        inside += names(at(b, side, i), v);
    for (int i = 0; i < b->function->instruction_count; i++)
        all += names(&b->function->instructions[i], v);
    return all > inside;
}

/* Whether the second side's variable is replaced by the first side's wherever the second side names it. */
static bool is_replaced(const struct fuse_branch *b, const struct fuse_plan *plan, const struct ptx_variable *first,
                        const struct ptx_variable *second)
{
    if (is_named_outside(b, FUSE_TAKEN, first) || is_named_outside(b, FUSE_NEXT, second))
        return false;
    for (int i = 0; i < plan->count; i++) {
        const struct fuse_step *s = &plan->steps[i];
        if (s->at[FUSE_NEXT] < 0 || !names(at(b, FUSE_NEXT, s->at[FUSE_NEXT]), second))
            continue;
        for (int n = 0; n < MOST_NAMES; n++)
            if (variable_of(at(b, FUSE_NEXT, s->at[FUSE_NEXT]), n) == second &&
                (s->at[FUSE_TAKEN] < 0 || variable_of(at(b, FUSE_TAKEN, s->at[FUSE_TAKEN]), n) != first))
                return false;
    }
    return true;
}

bool fuse_params_fit(const struct fuse_branch *b, const struct fuse_plan *plan)
{
    for (int i = 0; i < plan->count; i++) {
        const struct fuse_step *s = &plan->steps[i];
        for (int n = 0; n < MOST_NAMES && s->at[0] >= 0 && s->at[1] >= 0; n++) {
            const struct ptx_variable *first = variable_of(at(b, 0, s->at[0]), n);
            const struct ptx_variable *second = variable_of(at(b, 1, s->at[1]), n);
            if (first != second && !is_replaced(b, plan, first, second))
                return false;
        }
    }
    return true;
}
