/* Equal sequences of instructions, up to the names of registers (alike.h). */
#include "rewrite/alike.h"

#include "rewrite/edit.h"

static bool is_outside(const struct ptx_operand *o)
{
    if (o->variable && o->variable->owner)
        return false;
    if (o->kind == OPERAND_SREG)
        return sreg_table[o->sreg].scope != SCOPE_EVERY_READ;
    for (int i = 0; i < o->element_count; i++)
        if (!is_outside(&o->element[i]))
            return false;
    return o->kind != OPERAND_LABEL && o->kind != OPERAND_TARGETS && o->kind != OPERAND_CALL;
}

/* Registers that a function can be given and can give back. */
struct width_check {
    const struct ptx_function *function;
    bool ok;
};

static void check_width(void *context, int32_t *reg, bool is_written)
{
    struct width_check *c = context;
    const struct ptx_register *r = &c->function->registers[*reg];
    unsigned bits = type_table[r->type].bits;
    (void)is_written;
    c->ok &= r->vector < 2 && !strchr(r->name, '.') && (r->type == TYPE_PRED || bits == 16 || bits == 32 || bits == 64);
}

bool alike_is_eligible(const struct ptx_function *f, const struct ptx_instruction *insn)
{
    struct width_check check = {f, true};
    struct ptx_instruction copy = *insn;
    if (insn->op == OP_NONE)
        return false;
    switch (op_table[insn->op].class) {
    case CLASS_BRANCH:
    case CLASS_BARRIER:
    case CLASS_WARP:
        return false;
    default:
        break;
    }
    if (insn->suffixes.mod[GROUP_SPACE] == SPACE_PARAM)
        return false;
    for (int i = 0; i < insn->operand_count; i++)
        if (!is_outside(&insn->operand[i]))
            return false;
    edit_visit_registers(&copy, check_width, &check);
    return check.ok;
}

bool alike_is_value(const struct ptx_instruction *insn, int operand)
{
    struct op_slot slots[OP_MAX_SLOTS];
    int count = op_split_operands(op_table[insn->op].operands, slots);
    const struct ptx_operand *o = &insn->operand[operand];
    unsigned bits = type_table[o->type].bits;
    return operand < count && slots[operand].role == ROLE_VALUE && o->kind == OPERAND_IMMEDIATE &&
           o->type != TYPE_PRED && (bits == 16 || bits == 32 || bits == 64);
}

struct alike_pair alike_open(const struct ptx_function *f, struct arena *arena)
{
    struct alike_pair m = {.function = f,
                           .to = arena_array(arena, int32_t, (size_t)f->register_count + 1),
                           .back = arena_array(arena, int32_t, (size_t)f->register_count + 1)};
    for (int i = 0; i < f->register_count; i++)
        m.to[i] = m.back[i] = -1;
    return m;
}

void alike_close(struct alike_pair *m)
{
    vec_free(&m->trail);
}

static void roll_back(struct alike_pair *m, int count)
{
    while (m->trail.count > count) {
        int32_t reg = m->trail.data[--m->trail.count];
        m->back[m->to[reg]] = -1;
        m->to[reg] = -1;
    }
}

void alike_reset(struct alike_pair *m)
{
    roll_back(m, 0);
    m->different = 0;
}

static bool pair_registers(struct alike_pair *m, int32_t a, int32_t b)
{
    if (a < 0 || b < 0)
        return a == b;
    if (m->to[a] >= 0 || m->back[b] >= 0)
        return m->to[a] == b && m->back[b] == a;
    if (m->function->registers[a].type != m->function->registers[b].type)
        return false;
    m->to[a] = b;
    m->back[b] = a;
    vec_push(&m->trail, a);
    return true;
}

static bool pair_operands(struct alike_pair *m, const struct ptx_operand *a, const struct ptx_operand *b)
{
    if (a->kind != b->kind || a->type != b->type || a->negate != b->negate || a->select != b->select ||
        a->element_count != b->element_count)
        return false;
    for (int i = 0; i < a->element_count; i++)
        if (!pair_operands(m, &a->element[i], &b->element[i]))
            return false;
    switch (a->kind) {
    case OPERAND_REGISTER:
        return pair_registers(m, a->reg, b->reg);
    case OPERAND_IMMEDIATE:
        return a->bits == b->bits;
    case OPERAND_SREG:
        return a->sreg == b->sreg;
    case OPERAND_SYMBOL:
    case OPERAND_ADDRESS:
        return a->variable == b->variable && a->function == b->function && a->offset == b->offset &&
               (a->kind == OPERAND_SYMBOL || pair_registers(m, a->reg, b->reg));
    default:
        return true;
    }
}

static bool same_suffixes(const struct suffixes *a, const struct suffixes *b)
{
    return !memcmp(a->type, b->type, sizeof a->type) && !memcmp(a->mod, b->mod, sizeof a->mod) && a->flags == b->flags;
}

static bool pair_all(struct alike_pair *m, const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    if (!pair_registers(m, a->guard, b->guard))
        return false;
    for (int i = 0; i < a->operand_count; i++) {
        if (pair_operands(m, &a->operand[i], &b->operand[i]))
            continue;
        if (!alike_is_value(a, i) || !alike_is_value(b, i) || a->operand[i].type != b->operand[i].type ||
            m->different == ALIKE_MAX_DIFFERENT)
            return false;
        m->different++;
    }
    return true;
}

bool alike_step(struct alike_pair *m, const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    int known = m->trail.count, different = m->different;
    if (a->op != b->op || a->operand_count != b->operand_count || a->guard_negate != b->guard_negate ||
        !same_suffixes(&a->suffixes, &b->suffixes))
        return false;
    if (pair_all(m, a, b))
        return true;
    roll_back(m, known);
    m->different = different;
    return false;
}
