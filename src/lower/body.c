/* The body of a function while it is lowered (body.h), and the order of the passes (lower.h). */
#include "lower/body.h"

#include "lower/lower.h"

#include <string.h>

/* The operand of a `bra` that names the target, or NULL. */
static struct ptx_operand *label_of(const struct ptx_instruction *insn)
{
    for (int i = 0; insn->op == OP_BRA && i < insn->operand_count; i++)
        if (insn->operand[i].kind == OPERAND_LABEL)
            return &insn->operand[i];
    return NULL;
}

void body_open(struct body *body, struct ptx_function *function)
{
    memset(body, 0, sizeof *body);
    body->function = function;
    body->at = function->instructions;
    body->count = function->instruction_count;
    body->gone = arena_array(&body->scratch, bool, (size_t)body->count + 1);
    body->guarded = arena_array(&body->scratch, bool, (size_t)body->count + 1);
    body->references = arena_array(&body->scratch, int, (size_t)body->count + 1);
    for (int i = 0; i < body->count; i++) {
        int32_t target = body_target(body, i);
        if (target >= 0)
            body->references[target]++;
    }
    for (int i = 0; i < function->targets_count; i++)
        for (int k = 0; k < function->targets[i]->count; k++)
            body->references[function->targets[i]->target[k]]++;
}

int32_t body_target(const struct body *body, int position)
{
    const struct ptx_operand *label = label_of(&body->at[position]);
    return label ? label->target : -1;
}

bool body_ends_block(const struct ptx_instruction *insn)
{
    return insn->op != OP_NONE && op_table[insn->op].class == CLASS_BRANCH && insn->op != OP_CALL;
}

int body_next(const struct body *body, int position)
{
    while (position < body->count && body->gone[position])
        position++;
    return position;
}

void body_remove_branch(struct body *body, int position)
{
    body->references[body_target(body, position)]--;
    body->gone[position] = true;
}

int32_t body_add_predicate(struct body *body)
{
    struct ptx_function *f = body->function;
    struct arena *arena = &f->module->arena;
    int32_t added = f->register_count;
    const char *name = NULL;
    bool is_taken = true;
    for (int number = 1; is_taken; number++) {
        name = arena_printf(arena, "%%lowered%d", number);
        is_taken = false;
        for (int i = 0; i < f->register_count; i++)
            is_taken |= !strcmp(f->registers[i].name, name);
    }
    struct ptx_register *registers = arena_array(arena, struct ptx_register, (size_t)added + 1);
    if (added)
        memcpy(registers, f->registers, sizeof *registers * (size_t)added);
    registers[added] = (struct ptx_register){.name = name, .type = TYPE_PRED, .vector = 1};
    f->registers = registers;
    f->register_count++;
    return added;
}

/* Labels and pragmas stand in the order of the instructions that they name. They are few, and few move. */
static void sort_labels(struct ptx_function *f)
{
    for (int i = 1; i < f->label_count; i++)
        for (int k = i; k > 0 && f->labels[k - 1].target > f->labels[k].target; k--) {
            struct ptx_label label = f->labels[k];
            f->labels[k] = f->labels[k - 1];
            f->labels[k - 1] = label;
        }
    for (int i = 1; i < f->pragma_count; i++)
        for (int k = i; k > 0 && f->pragmas[k - 1].before > f->pragmas[k].before; k--) {
            struct ptx_pragma pragma = f->pragmas[k];
            f->pragmas[k] = f->pragmas[k - 1];
            f->pragmas[k - 1] = pragma;
        }
}

void body_reorder(struct body *body, const int *order, int count)
{
    struct ptx_function *f = body->function;
    int32_t *moved = arena_array(&body->scratch, int32_t, (size_t)body->count + 1);
    struct ptx_instruction *kept = arena_array(&f->module->arena, struct ptx_instruction, (size_t)count + 1);
    for (int i = 0; i <= body->count; i++)
        moved[i] = -1;
    for (int i = 0; i < count; i++) {
        kept[i] = body->at[order[i]];
        moved[order[i]] = i;
    }
    moved[body->count] = count;
    for (int i = body->count - 1; i >= 0; i--)
        if (moved[i] < 0)
            moved[i] = moved[i + 1];
    for (int i = 0; i < count; i++) {
        struct ptx_operand *label = label_of(&kept[i]);
        if (label)
            label->target = moved[label->target];
    }
    f->instructions = kept;
    f->instruction_count = count;
    for (int i = 0; i < f->label_count; i++)
        f->labels[i].target = moved[f->labels[i].target];
    for (int i = 0; i < f->targets_count; i++)
        for (int k = 0; k < f->targets[i]->count; k++)
            f->targets[i]->target[k] = moved[f->targets[i]->target[k]];
    for (int i = 0; i < f->pragma_count; i++)
        if (f->pragmas[i].before >= 0)
            f->pragmas[i].before = moved[f->pragmas[i].before];
    sort_labels(f);
}

void body_close(struct body *body)
{
    int *order = arena_array(&body->scratch, int, (size_t)body->count + 1);
    int count = 0;
    for (int i = 0; i < body->count; i++)
        if (!body->gone[i])
            order[count++] = i;
    body_reorder(body, order, count);
    arena_free(&body->scratch);
}

void lower_module(struct ptx_module *module)
{
    if (module->is_lowered)
        return;
    for (int i = 0; i < module->function_count; i++) {
        struct ptx_function *f = module->functions[i];
        struct body body;
        if (!f->is_defined || f->alias_of)
            continue;
        body_lay_out(f);
        body_open(&body, f);
        body_end_threads(&body);
        body_predicate(&body);
        body_close(&body);
    }
    module->is_lowered = true;
}
