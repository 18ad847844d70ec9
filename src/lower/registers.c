/* Which registers an instruction reads and writes, by the roles of its row in ptx/ops.def. */
#include "lower/body.h"

enum use { USE_READ, USE_WRITE };

/* What is done with the registers of an instruction. */
struct visitor {
    enum use wanted;
    uint8_t *add;       /* the registers become members of this set; or NULL */
    const uint8_t *set; /* `found` says whether one is a member of this set; or NULL */
    bool found;
    struct body *noting; /* the registers are noted as read at `position`; or NULL */
    int position;
};

static void visit_register(struct visitor *v, int32_t reg)
{
    if (v->add)
        v->add[reg] = 1;
    if (v->set)
        v->found |= v->set[reg];
    if (!v->noting)
        return;
    if (v->position < v->noting->first_read[reg])
        v->noting->first_read[reg] = v->position;
    v->noting->last_read[reg] = v->position;
}

static void visit_operand(struct visitor *v, const struct ptx_operand *o, enum use use)
{
    const struct ptx_call *call = o->kind == OPERAND_CALL ? o->call : NULL;
    if (o->kind == OPERAND_VECTOR || o->kind == OPERAND_TEXTURE || o->kind == OPERAND_TENSOR)
        for (int i = 0; i < o->element_count; i++)
            visit_operand(v, &o->element[i], use);
    if (call && call->pointer)
        visit_operand(v, call->pointer, USE_READ);
    for (int i = 0; call && i < call->argument_count; i++)
        visit_operand(v, &call->arguments[i], USE_READ);
    for (int i = 0; call && i < call->return_count; i++)
        visit_operand(v, &call->returns[i], USE_WRITE);
    if (o->reg >= 0 &&
        ((o->kind == OPERAND_REGISTER && use == v->wanted) || (o->kind == OPERAND_ADDRESS && v->wanted == USE_READ)))
        visit_register(v, o->reg);
}

static bool visit(struct visitor *v, const struct ptx_instruction *insn)
{
    struct op_slot slots[OP_MAX_SLOTS];
    int count = op_split_operands(op_table[insn->op].operands, slots);
    for (int i = 0; i < count && i < insn->operand_count; i++) {
        visit_operand(v, &insn->operand[i], role_is_written(slots[i].role) ? USE_WRITE : USE_READ);
        if (slots[i].role == ROLE_ACCUMULATOR)
            visit_operand(v, &insn->operand[i], USE_READ);
    }
    if (v->wanted == USE_READ && insn->guard >= 0)
        visit_register(v, insn->guard);
    return v->found;
}

bool body_reads(const struct ptx_instruction *insn, const uint8_t *set)
{
    return visit(&(struct visitor){.wanted = USE_READ, .set = set}, insn);
}

bool body_writes(const struct ptx_instruction *insn, const uint8_t *set)
{
    return visit(&(struct visitor){.wanted = USE_WRITE, .set = set}, insn);
}

void body_add_reads(const struct ptx_instruction *insn, uint8_t *set)
{
    visit(&(struct visitor){.wanted = USE_READ, .add = set}, insn);
}

void body_add_writes(const struct ptx_instruction *insn, uint8_t *set)
{
    visit(&(struct visitor){.wanted = USE_WRITE, .add = set}, insn);
}

void body_find_reads(struct body *body)
{
    int registers = body->register_count = body->function->register_count;
    body->first_read = arena_array(&body->scratch, int, (size_t)registers + 1);
    body->last_read = arena_array(&body->scratch, int, (size_t)registers + 1);
    for (int r = 0; r < registers; r++) {
        body->first_read[r] = body->count;
        body->last_read[r] = -1;
    }
    for (int i = 0; i < body->count; i++)
        visit(&(struct visitor){.wanted = USE_READ, .noting = body, .position = i}, &body->at[i]);
}

bool body_is_read_outside(const struct body *body, const uint8_t *set, int first, int last)
{
    for (int r = 0; r < body->function->register_count; r++)
        if (set[r] && (r >= body->register_count || body->first_read[r] < first || body->last_read[r] > last))
            return true;
    return false;
}
