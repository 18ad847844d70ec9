/* The editor's registers, names, copies of operands, and new functions (edit.h). */
#include "rewrite/edit.h"

#include "ptx/snippet.h"

/* ---- names ---- */

static bool is_of_module(const struct ptx_module *m, const char *name)
{
    for (int i = 0; i < m->function_count; i++)
        if (!strcmp(m->functions[i]->name, name))
            return true;
    return ptx_find_variable(m, name) != NULL;
}

static bool is_of_variables(struct ptx_variable *const *variables, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(variables[i]->name, name))
            return true;
    return false;
}

static bool is_of_function(const struct ptx_function *f, const char *name)
{
    for (int i = 0; i < f->register_count; i++)
        if (!strcmp(f->registers[i].name, name))
            return true;
    for (int i = 0; i < f->label_count; i++)
        if (!strcmp(f->labels[i].name, name))
            return true;
    for (int i = 0; i < f->targets_count; i++)
        if (!strcmp(f->targets[i]->name, name))
            return true;
    for (int i = 0; i < f->prototype_count; i++)
        if (!strcmp(f->prototypes[i]->name, name))
            return true;
    return is_of_variables(f->variables, f->variable_count, name) ||
           is_of_variables(f->parameters, f->parameter_count, name) ||
           is_of_variables(f->returns, f->return_count, name);
}

static bool is_taken(const struct edit *e, const char *name)
{
    for (int i = 0; i < e->labels.count; i++)
        if (e->labels.data[i] && !strcmp(e->labels.data[i]->text, name))
            return true;
    return is_of_function(e->function, name) || is_of_module(e->function->module, name);
}

const char *edit_fresh_name(struct edit *e, const char *hint)
{
    const char *name = hint;
    for (int number = 1; number == 1 || is_taken(e, name); number++)
        name = arena_printf(&e->function->module->arena, "%s_%d", hint, number);
    return name;
}

const char *edit_fresh_function_name(struct ptx_module *m, const char *hint)
{
    const char *name = hint;
    bool taken = true;
    for (int number = 1; taken; number++) {
        name = arena_printf(&m->arena, number > 1 ? "%s_%d" : "%s", hint, number);
        taken = is_of_module(m, name);
        for (int i = 0; i < m->function_count && !taken; i++)
            taken = is_of_function(m->functions[i], name);
    }
    return name;
}

/* ---- registers ---- */

int32_t edit_add_register(struct edit *e, enum type type, const char *hint)
{
    struct ptx_function *f = e->function;
    struct arena *arena = &f->module->arena;
    int32_t added = f->register_count;
    struct ptx_register *registers = arena_array(arena, struct ptx_register, (size_t)added + 1);
    if (added)
        memcpy(registers, f->registers, sizeof *registers * (size_t)added);
    registers[added] = (struct ptx_register){
        .name = edit_fresh_name(e, arena_printf(arena, "%%%s", hint)), .type = (uint8_t)type, .vector = 1};
    f->registers = registers;
    f->register_count++;
    return added;
}

static void visit_operand(struct ptx_operand *o, bool is_written, edit_visitor *visit, void *context)
{
    if (o->kind == OPERAND_REGISTER && o->reg >= 0)
        visit(context, &o->reg, is_written);
    if (o->kind == OPERAND_ADDRESS && o->reg >= 0)
        visit(context, &o->reg, false);
    if (o->kind == OPERAND_VECTOR || o->kind == OPERAND_TEXTURE || o->kind == OPERAND_TENSOR)
        for (int i = 0; i < o->element_count; i++)
            visit_operand(&o->element[i], is_written, visit, context);
    if (o->kind != OPERAND_CALL)
        return;
    if (o->call->pointer)
        visit_operand(o->call->pointer, false, visit, context);
    for (int i = 0; i < o->call->argument_count; i++)
        visit_operand(&o->call->arguments[i], false, visit, context);
    for (int i = 0; i < o->call->return_count; i++)
        visit_operand(&o->call->returns[i], true, visit, context);
}

void edit_visit_registers(struct ptx_instruction *insn, edit_visitor *visit, void *context)
{
    struct op_slot slots[OP_MAX_SLOTS];
    int count = op_split_operands(op_table[insn->op].operands, slots);
    if (insn->guard >= 0)
        visit(context, &insn->guard, false);
    for (int i = 0; i < insn->operand_count && i < count; i++)
        visit_operand(&insn->operand[i], role_is_written(slots[i].role), visit, context);
}

/* ---- copies ---- */

static struct ptx_operand *copy_operands(struct arena *arena, const struct ptx_operand *from, int count)
{
    if (!count || !from)
        return NULL;
    struct ptx_operand *to = arena_array(arena, struct ptx_operand, (size_t)count);
    memcpy(to, from, sizeof *to * (size_t)count);
    for (int i = 0; i < count; i++) {
        to[i].element = copy_operands(arena, from[i].element, from[i].element_count);
        if (!from[i].call)
            continue;
        struct ptx_call *call = arena_new(arena, struct ptx_call);
        *call = *from[i].call;
        call->pointer = copy_operands(arena, call->pointer, call->pointer ? 1 : 0);
        call->returns = copy_operands(arena, call->returns, call->return_count);
        call->arguments = copy_operands(arena, call->arguments, call->argument_count);
        to[i].call = call;
    }
    return to;
}

struct ptx_instruction edit_copy_instruction(struct edit *e, const struct ptx_instruction *insn)
{
    struct ptx_instruction copy = *insn;
    copy.operand = copy_operands(&e->function->module->arena, insn->operand, insn->operand_count);
    return copy;
}

/* ---- the module ---- */

struct ptx_function *edit_add_function(struct ptx_module *module, const struct ptx_function *before,
                                       const char *definition)
{
    struct diag diag = {0};
    struct ptx_function *added = ptx_parse_definition(module, before, definition, strlen(definition), &diag);
    if (!added) {
        char *why = diag_text(&diag);
        panic("a pass wrote a function that does not parse:\n%s", why);
    }
    diag_free(&diag);
    added->line = before->line;
    for (int i = 0; i < added->instruction_count; i++)
        added->instructions[i].line = before->line;
    return added;
}
