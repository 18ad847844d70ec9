/* Prints an instruction as PTX text, by its row of the instruction table. */
#include "base/text.h"
#include "ptx/module.h"

static void print_offset(int64_t offset, struct text *out)
{
    if (offset)
        text_printf(out, "+%lld", (long long)offset); /* `+-4`: ptxas accepts no other form */
}

static void print_immediate(const struct ptx_operand *o, struct text *out)
{
    const struct type_info *info = &type_table[o->type];
    if (info->kind == KIND_FLOAT && info->bits == 32)
        text_printf(out, "0f%08llX", (unsigned long long)o->bits);
    else if (info->kind == KIND_FLOAT && info->bits == 64)
        text_printf(out, "0d%016llX", (unsigned long long)o->bits);
    else
        text_printf(out, "%lld", (long long)o->bits);
}

static void print_sreg(enum sreg sreg, struct text *out)
{
    if (sreg == SREG_PM || sreg == SREG_ENVREG) /* all registers of such a family are alike */
        text_printf(out, "%s0", sreg_table[sreg].text);
    else
        text_printf(out, "%s", sreg == SREG_PM64 ? "%pm0_64" : sreg_table[sreg].text);
}

static void print_selector(uint16_t select, struct text *out)
{
    text_printf(out, "%s", !select ? "" : select_is_halves(select) ? ".h" : ".b");
    for (unsigned i = select_count(select); i > 0; i--)
        text_printf(out, "%u", select_index(select, i - 1));
}

static void print_operand(const struct ptx_function *f, const struct ptx_operand *o, struct text *out);

static void print_list(const struct ptx_function *f, const struct ptx_operand *list, int count, const char *open,
                       const char *close, struct text *out)
{
    text_printf(out, "%s", open);
    for (int i = 0; i < count; i++) {
        text_printf(out, i ? ", " : "");
        print_operand(f, &list[i], out);
    }
    text_printf(out, "%s", close);
}

static void print_call(const struct ptx_function *f, const struct ptx_call *call, struct text *out)
{
    if (call->return_count)
        print_list(f, call->returns, call->return_count, "(", "), ", out);
    if (call->callee)
        text_printf(out, "%s", call->callee->name);
    else
        print_operand(f, call->pointer, out);
    if (call->argument_count)
        print_list(f, call->arguments, call->argument_count, ", (", ")", out);
    if (call->prototype)
        text_printf(out, ", %s", call->prototype->name);
}

/* What stands in the brackets of an address. */
static void print_base(const struct ptx_function *f, const struct ptx_operand *o, struct text *out)
{
    if (o->reg < 0 && !o->variable) {
        text_printf(out, "%lld", (long long)o->offset);
        return;
    }
    text_printf(out, "%s", o->reg >= 0 ? f->registers[o->reg].name : o->variable->name);
    print_offset(o->offset, out);
}

static void print_address(const struct ptx_function *f, const struct ptx_operand *o, struct text *out)
{
    text_printf(out, "[");
    print_base(f, o, out);
    text_printf(out, "]");
}

/* `[map, {x, y}]`: the address of a tensor map, and coordinates. */
static void print_tensor(const struct ptx_function *f, const struct ptx_operand *o, struct text *out)
{
    text_printf(out, "[");
    print_base(f, &o->element[0], out);
    print_list(f, o->element + 1, o->element_count - 1, ", {", "}]", out);
}

/* Coordinates, derivatives or offsets of a texture. Three are written as four, since PTX has no vectors of three. */
static void print_axes(const struct ptx_function *f, const struct ptx_operand *axis, int count, struct text *out)
{
    text_printf(out, "{");
    for (int i = 0; i < (count == 3 ? 4 : count); i++) {
        text_printf(out, i ? ", " : "");
        print_operand(f, &axis[i < count ? i : count - 1], out);
    }
    text_printf(out, "}");
}

static void print_operand(const struct ptx_function *f, const struct ptx_operand *o, struct text *out)
{
    if (o->negate)
        text_printf(out, o->type == TYPE_PRED ? "!" : "-");
    switch ((enum operand_kind)o->kind) {
    case OPERAND_NONE:
        break;
    case OPERAND_REGISTER:
        text_printf(out, "%s", f->registers[o->reg].name);
        print_selector(o->select, out);
        break;
    case OPERAND_IMMEDIATE:
        print_immediate(o, out);
        break;
    case OPERAND_SREG:
        print_sreg((enum sreg)o->sreg, out);
        break;
    case OPERAND_SYMBOL:
        text_printf(out, "%s", o->variable ? o->variable->name : o->function->name);
        print_offset(o->offset, out);
        break;
    case OPERAND_ADDRESS:
        print_address(f, o, out);
        break;
    case OPERAND_VECTOR:
        print_list(f, o->element, o->element_count, "{", "}", out);
        break;
    case OPERAND_SINK:
        text_printf(out, "_");
        break;
    case OPERAND_LABEL:
        text_printf(out, "%s", ptx_label_at(f, o->target)->name);
        break;
    case OPERAND_TARGETS:
        text_printf(out, "%s", o->targets->name);
        break;
    case OPERAND_TEXTURE:
        text_printf(out, "[");
        print_operand(f, &o->element[0], out);
        if (o->has_sampler) {
            text_printf(out, ", ");
            print_operand(f, &o->element[o->element_count - 1], out);
        }
        if (o->element_count > 1) {
            text_printf(out, ", ");
            print_axes(f, o->element + 1, o->element_count - 1 - o->has_sampler, out);
        }
        text_printf(out, "]");
        break;
    case OPERAND_TENSOR:
        print_tensor(f, o, out);
        break;
    case OPERAND_CALL:
        print_call(f, o->call, out);
        break;
    }
}

static void print_opcode(const struct ptx_instruction *insn, struct text *out)
{
    struct element elements[OP_MAX_ELEMENTS];
    char shape[SHAPE_TEXT_BYTES];
    op_split_suffixes(op_table[insn->op].suffixes, elements);
    text_printf(out, "%s", op_table[insn->op].mnemonic);
    for (const struct element *e = elements; e->kind != ELEMENT_END; e++)
        if (e->kind == ELEMENT_TYPE)
            text_printf(out, ".%s", type_table[insn->suffixes.type[e->which]].text);
        else if (e->kind == ELEMENT_GROUP && insn->suffixes.mod[e->which])
            text_printf(out, ".%s", mod_text[insn->suffixes.mod[e->which]]);
        else if (e->kind == ELEMENT_FLAG && suffixes_has(&insn->suffixes, (enum flag)e->which))
            text_printf(out, ".%s", flag_text[e->which]);
        else if (e->kind == ELEMENT_SHAPE)
            text_printf(out, ".%s", shape_text(insn->suffixes.shape, shape));
        else if (e->kind == ELEMENT_WORD)
            text_printf(out, ".%.*s", e->word_length, e->word);
}

void ptx_print_instruction(const struct ptx_function *function, const struct ptx_instruction *insn, struct text *out)
{
    struct op_slot slots[OP_MAX_SLOTS];
    if (insn->guard >= 0)
        text_printf(out, "@%s%s ", insn->guard_negate ? "!" : "", function->registers[insn->guard].name);
    if (insn->op == OP_NONE) {
        text_printf(out, "%s", insn->unsupported);
        return;
    }
    print_opcode(insn, out);
    op_split_operands(op_table[insn->op].operands, slots);
    const char *separator = " ";
    for (int i = 0; i < insn->operand_count; i++) {
        if (insn->operand[i].kind == OPERAND_NONE)
            continue;
        text_printf(out, "%s", slots[i].role == ROLE_DEST_SECOND ? "|" : separator);
        if (slots[i].role == ROLE_AXES)
            print_axes(function, insn->operand[i].element, insn->operand[i].element_count, out);
        else
            print_operand(function, &insn->operand[i], out);
        separator = ", ";
    }
}
