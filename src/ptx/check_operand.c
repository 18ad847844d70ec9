/*
 * Whether a written operand fits a slot of an instruction. Names are resolved, constants get the type of the slot, and
 * registers are checked against PTX's rules about sizes and types.
 */
#include "ptx/fragment.h"
#include "ptx/parse.h"

/* The meaning of a name, which may be a component of a vector register (%v.x); NULL if the name has none. */
static struct symbol *find_name(struct parser *p, const struct token *name, int *index)
{
    struct symbol *symbol = symbols_find(&p->symbols, name->text, name->length, index);
    const char *dot = symbol ? NULL : memchr(name->text, '.', (size_t)name->length);
    if (!dot || dot + 2 != name->text + name->length)
        return symbol;
    symbol = symbols_find(&p->symbols, name->text, (int)(dot - name->text), index);
    if (!symbol || symbol->kind != SYMBOL_REGISTER)
        return NULL;
    static const char letters[] = "xyzwrgba";
    const char *letter = memchr(letters, dot[1], sizeof letters - 1);
    int component = letter ? (int)(letter - letters) % 4 : 4, vector = p->body.registers.data[*index].vector;
    if (component >= vector || vector == 1)
        return NULL;
    *index += 1 + component;
    return symbol;
}

/* Reports an undeclared name, once per name. */
static bool undefined(struct parser *p, const struct token *name)
{
    symbols_define(&p->symbols, SYMBOL_UNDEFINED, name->text, name->length);
    const char *what = name->text[0] == '%' ? "register" : "name";
    return parse_fail(p, name->offset, "%s '%.*s' is not declared", what, shown(name->length), name->text);
}

bool check_register(struct parser *p, const struct token *name, int *index)
{
    struct symbol *symbol = find_name(p, name, index);
    if (!symbol)
        return undefined(p, name);
    if (symbol->kind == SYMBOL_REGISTER)
        return true;
    return symbol->kind != SYMBOL_UNDEFINED &&
           parse_fail(p, name->offset, "expected a register, found '%.*s'", shown(name->length), name->text);
}

static const char *describe(struct parser *p, enum type type, bool wider)
{
    const struct type_info *info = &type_table[type];
    bool is_integer = info->kind == KIND_UINT || info->kind == KIND_SINT;
    bool is_float = info->kind == KIND_FLOAT || info->kind == KIND_PACKED;
    const char *kind = is_integer ? "integer " : is_float ? "floating-point " : "";
    if (info->kind == KIND_PRED)
        return "a predicate register";
    if (wider)
        return arena_printf(&p->diag->arena, "%s %sregister of %d bits or more", is_integer ? "an" : "a", kind,
                            info->bits);
    return arena_printf(&p->diag->arena, "%s %d-bit %sregister", info->bits == 8 ? "an" : "a", info->bits, kind);
}

/* PTX's rules: sizes agree (or the register is wider, where that is allowed); untyped bits agree with all,
 * integers with integers, floating point with floating point of its own size. */
static bool type_takes(enum type want, enum type have, bool wider)
{
    const struct type_info *w = &type_table[want], *h = &type_table[have];
    bool want_float = w->kind == KIND_FLOAT || w->kind == KIND_PACKED;
    bool have_float = h->kind == KIND_FLOAT || h->kind == KIND_PACKED;
    if (w->kind == KIND_PRED || h->kind == KIND_PRED)
        return w->kind == h->kind;
    if (h->bits == 128 && w->bits != 128) /* registers of 128 bits hold nothing narrower */
        return false;
    if (wider && !have_float ? h->bits < w->bits : h->bits != w->bits)
        return false;
    return w->kind == KIND_BITS || h->kind == KIND_BITS || want_float == have_float;
}

/* Reports what the slot expects. */
static bool misfit(struct parser *p, const struct raw *raw, const char *expected)
{
    return parse_fail(p, raw->token.offset, "'%.*s' expects %s here", shown(p->opcode.length), p->opcode.text,
                      expected);
}

static bool set_register(struct parser *p, const struct raw *raw, int index, enum type type, bool wider,
                         struct ptx_operand *out)
{
    const struct ptx_register *r = &p->body.registers.data[index];
    if (raw->offset || raw->indexed)
        return parse_fail(p, raw->token.offset, "an offset can stand only in an address");
    if (r->vector > 1)
        return parse_fail(p, raw->token.offset, "'%s' is a vector: name one of its components, %s.x ...", r->name,
                          r->name);
    if (!type_takes(type, (enum type)r->type, wider))
        return parse_fail(p, raw->token.offset, "'%.*s' expects %s here, and '%s' is .%s", shown(p->opcode.length),
                          p->opcode.text, describe(p, type, wider), r->name, type_table[r->type].text);
    out->kind = OPERAND_REGISTER;
    out->reg = index;
    return true;
}

static bool check_dest(struct parser *p, const struct raw *raw, enum type type, bool wider, struct ptx_operand *out)
{
    int index;
    if (raw->kind == RAW_SINK) {
        out->kind = OPERAND_SINK;
        return true;
    }
    if (raw->kind != RAW_NAME || raw->negate)
        return misfit(p, raw, describe(p, type, wider));
    return check_register(p, &raw->token, &index) && set_register(p, raw, index, type, wider, out);
}

/* 64-bit special registers are read as 64 bits (the grid's number may be cut to 32, as it once was 32 bits wide),
 * others as 32 or 16. */
static bool sreg_takes(enum sreg sreg, enum type type)
{
    const struct type_info *have = &type_table[sreg_table[sreg].type], *want = &type_table[type];
    if (want->kind == KIND_PRED || have->kind == KIND_PRED)
        return want->kind == have->kind;
    if (want->kind == KIND_FLOAT || want->kind == KIND_PACKED)
        return false;
    return have->bits == 64 ? want->bits == 64 || (sreg == SREG_GRIDID && want->bits == 32) : want->bits <= 32;
}

/* The special register `%tid.x` of the vector `%tid`, or -1. */
static int sreg_component(const struct token *vector, char component)
{
    char name[32];
    if (vector->text[0] != '%' || vector->length + 2 > (int)sizeof name)
        return -1;
    memcpy(name, vector->text, (size_t)vector->length);
    name[vector->length] = '.';
    name[vector->length + 1] = component;
    return sreg_find(name, vector->length + 2);
}

static bool check_sreg(struct parser *p, const struct raw *raw, enum type type, struct ptx_operand *out)
{
    int sreg = raw->token.text[0] == '%' ? sreg_find(raw->token.text, raw->token.length) : -1;
    if (sreg < 0 && sreg_component(&raw->token, 'x') >= 0)
        return parse_fail(p, raw->token.offset, "'%.*s' is a vector: name one of its components, %.*s.x ...",
                          raw->token.length, raw->token.text, raw->token.length, raw->token.text);
    if (sreg < 0)
        return undefined(p, &raw->token);
    if (!sreg_takes((enum sreg)sreg, type))
        return parse_fail(p, raw->token.offset, "special register '%.*s' is .%s and cannot be read as .%s",
                          raw->token.length, raw->token.text, type_table[sreg_table[sreg].type].text,
                          type_table[type].text);
    bool is_cut = type_table[type].bits < type_table[sreg_table[sreg].type].bits;
    if (is_cut && memcmp(p->opcode.text, "mov.", 4) && memcmp(p->opcode.text, "cvt.", 4))
        return parse_fail(
            p, raw->token.offset, "special register '%.*s' is .%s; only mov and cvt can read a part of it as .%s",
            raw->token.length, raw->token.text, type_table[sreg_table[sreg].type].text, type_table[type].text);
    out->kind = OPERAND_SREG;
    out->sreg = (uint8_t)sreg;
    return true;
}

/* Byte offset of name[index]: the index counts elements. */
static int64_t byte_offset(const struct raw *raw, const struct ptx_variable *v)
{
    uint64_t scale = raw->indexed && v ? type_bytes((enum type)v->type) * (uint64_t)v->vector : 1;
    return (int64_t)((uint64_t)raw->offset * scale);
}

static bool set_symbol(struct parser *p, const struct raw *raw, const struct symbol *symbol, enum type type,
                       struct ptx_operand *out)
{
    const struct type_info *info = &type_table[type];
    bool holds_address = info->bits >= 32 && info->bits <= 64 &&
                         (info->kind == KIND_BITS || info->kind == KIND_UINT || info->kind == KIND_SINT);
    if (!holds_address)
        return parse_fail(p, raw->token.offset, "'%.*s' expects %s here, not an address", shown(p->opcode.length),
                          p->opcode.text, describe(p, type, false));
    out->kind = OPERAND_SYMBOL;
    if (symbol->kind == SYMBOL_VARIABLE)
        out->variable = symbol->object;
    else
        out->function = symbol->object;
    out->offset = byte_offset(raw, out->variable);
    return true;
}

static bool check_constant(struct parser *p, const struct raw *raw, enum type type, struct ptx_operand *out)
{
    out->kind = OPERAND_IMMEDIATE;
    return parse_convert(p, raw->token.offset, &raw->constant, type, &out->bits);
}

static bool check_value(struct parser *p, const struct raw *raw, enum type type, bool wider, struct ptx_operand *out)
{
    int index;
    if (raw->kind == RAW_CONSTANT)
        return check_constant(p, raw, type, out);
    if (raw->kind != RAW_NAME || raw->negate)
        return misfit(p, raw, arena_printf(&p->diag->arena, "%s or a constant", describe(p, type, wider)));
    struct symbol *symbol = find_name(p, &raw->token, &index);
    if (!symbol)
        return check_sreg(p, raw, type, out);
    switch (symbol->kind) {
    case SYMBOL_REGISTER:
        return set_register(p, raw, index, type, wider, out);
    case SYMBOL_VARIABLE:
    case SYMBOL_FUNCTION:
        return set_symbol(p, raw, symbol, type, out);
    case SYMBOL_UNDEFINED:
        return false;
    default:
        return misfit(p, raw, arena_printf(&p->diag->arena, "%s or a constant", describe(p, type, wider)));
    }
}

static bool check_predicate(struct parser *p, const struct raw *raw, struct ptx_operand *out)
{
    struct raw plain = *raw;
    plain.negate = false;
    out->negate = raw->negate;
    return check_value(p, &plain, TYPE_PRED, false, out);
}

/* Checks an address: `[register + n]`, `[variable + n]`, `[n]` or `variable[n]`. The variable must be in `space`, if
 * that is not MOD_NONE. */
static bool check_address(struct parser *p, enum mod space, const struct raw *raw, struct ptx_operand *out)
{
    const struct raw *base = raw->kind == RAW_ADDRESS && raw->element_count == 1 ? &raw->element[0] : raw;
    int index;
    out->kind = OPERAND_ADDRESS;
    if (raw->kind == RAW_ADDRESS && base->kind == RAW_CONSTANT) {
        out->offset = (int64_t)base->constant.bits;
        return base->constant.kind <= NUMBER_UNSIGNED || misfit(p, base, "an address");
    }
    if (base->kind != RAW_NAME || base->negate || (raw->kind != RAW_ADDRESS && !base->indexed))
        return misfit(p, raw, "an address in brackets");
    struct symbol *symbol = find_name(p, &base->token, &index);
    if (!symbol)
        return undefined(p, &base->token);
    if (symbol->kind == SYMBOL_REGISTER && !base->indexed) {
        const struct type_info *info = &type_table[p->body.registers.data[index].type];
        if ((info->bits != 32 && info->bits != 64) || info->kind == KIND_FLOAT || info->kind == KIND_PACKED ||
            p->body.registers.data[index].vector > 1)
            return parse_fail(p, base->token.offset, "an address must be in an integer register of 32 or 64 bits");
        out->reg = index;
        out->offset = base->offset;
        return true;
    }
    if (symbol->kind != SYMBOL_VARIABLE)
        return symbol->kind != SYMBOL_UNDEFINED && misfit(p, base, "a register or a variable as address");
    out->variable = symbol->object;
    out->offset = byte_offset(base, out->variable);
    if (space && (space == SPACE_CLUSTER ? SPACE_SHARED : space) != out->variable->space)
        return parse_fail(p, base->token.offset, "'%s' is in .%s, not in .%s", out->variable->name,
                          mod_text[out->variable->space], mod_text[space]);
    return true;
}

static struct ptx_operand *new_elements(struct parser *p, int count, enum type type, struct ptx_operand *out)
{
    out->element = arena_array(p->arena, struct ptx_operand, (size_t)count);
    out->element_count = (uint8_t)count;
    for (int i = 0; i < count; i++) {
        out->element[i].reg = out->element[i].target = -1;
        out->element[i].type = (uint8_t)type;
    }
    return out->element;
}

/* A whole special register, such as %tid, has three components and a fourth that is 0. */
static bool set_vector_sreg(struct parser *p, const struct raw *raw, int count, enum type type, struct ptx_operand *out)
{
    if (count != 4 || !sreg_takes((enum sreg)sreg_component(&raw->token, 'x'), type))
        return misfit(p, raw, "four components of .u32");
    out->kind = OPERAND_VECTOR;
    new_elements(p, count, type, out);
    for (int i = 0; i < 3; i++) {
        out->element[i].kind = OPERAND_SREG;
        out->element[i].sreg = (uint8_t)sreg_component(&raw->token, "xyz"[i]);
    }
    out->element[3].kind = OPERAND_IMMEDIATE;
    return true;
}

/* The components of a vector register, as if they were written in braces. */
static bool check_vector_register(struct parser *p, const struct raw *raw, int count, enum type type, bool wider,
                                  bool is_dest, struct ptx_operand *out)
{
    int index;
    if (raw->kind != RAW_NAME)
        return misfit(p, raw, arena_printf(&p->diag->arena, "%d registers in braces", count));
    if (!is_dest && sreg_component(&raw->token, 'x') >= 0)
        return set_vector_sreg(p, raw, count, type, out);
    if (!check_register(p, &raw->token, &index))
        return false;
    if (p->body.registers.data[index].vector != count)
        return misfit(p, raw, arena_printf(&p->diag->arena, "%d registers in braces or a vector of as many", count));
    out->kind = OPERAND_VECTOR;
    new_elements(p, count, type, out);
    for (int i = 0; i < count; i++)
        if (!set_register(p, raw, index + 1 + i, type, wider, &out->element[i]))
            return false;
    return true;
}

static bool check_vector(struct parser *p, const struct raw *raw, int count, enum type type, bool wider, bool is_dest,
                         struct ptx_operand *out)
{
    if (raw->kind == RAW_VECTOR && raw->element_count == 1 && count == 1)
        raw = &raw->element[0];
    if (count == 1)
        return (is_dest ? check_dest : check_value)(p, raw, type, wider, out);
    if (raw->kind != RAW_VECTOR)
        return check_vector_register(p, raw, count, type, wider, is_dest, out);
    if (raw->element_count != count)
        return misfit(p, raw, arena_printf(&p->diag->arena, "%d registers in braces", count));
    out->kind = OPERAND_VECTOR;
    new_elements(p, count, type, out);
    for (int i = 0; i < count; i++) {
        const struct raw *element = &raw->element[i];
        bool ok = is_dest ? check_dest(p, element, type, wider, &out->element[i])
                          : check_value(p, element, type, wider, &out->element[i]);
        if (!ok)
            return false;
    }
    return true;
}

/* Registers in braces that together are as wide as the type. */
static bool check_parts(struct parser *p, const struct raw *raw, enum type type, bool is_dest, struct ptx_operand *out)
{
    int count = raw->kind == RAW_VECTOR ? raw->element_count : 0, bits = type_table[type].bits;
    enum type part = TYPE_NONE;
    if (count == 2 || count == 4 || count == 8)
        part = bits / count == 8    ? TYPE_B8
               : bits / count == 16 ? TYPE_B16
               : bits / count == 32 ? TYPE_B32
               : bits / count == 64 ? TYPE_B64
                                    : TYPE_NONE;
    if (!part)
        return misfit(p, raw, arena_printf(&p->diag->arena, "registers in braces that together have %d bits", bits));
    return check_vector(p, raw, count, part, false, is_dest, out);
}

/* The registers of a matrix are in braces, even a single one. A matrix in shared memory is named by a descriptor of 64
 * bits. */
static bool check_fragment(struct parser *p, const struct match_form *form, enum role role, const struct raw *raw,
                           struct ptx_operand *out)
{
    struct fragment f = fragment_of(form->op, &form->suffixes, role);
    bool is_dest = role == ROLE_MATRIX_D || role == ROLE_ACCUMULATOR;
    out->type = (uint8_t)f.type;
    if (role == ROLE_TILE_A && raw->kind != RAW_VECTOR) {
        out->type = TYPE_B64;
        return check_value(p, raw, TYPE_B64, false, out);
    }
    if (raw->kind != RAW_VECTOR)
        return misfit(p, raw, arena_printf(&p->diag->arena, "%d registers in braces", f.count));
    if (raw->kind != RAW_VECTOR || raw->element_count != 1 || f.count != 1)
        return check_vector(p, raw, f.count, f.type, false, is_dest, out);
    out->kind = OPERAND_VECTOR; /* stays a list, since PTX wants the braces */
    struct ptx_operand *only = new_elements(p, 1, f.type, out);
    return is_dest ? check_dest(p, &raw->element[0], f.type, false, only)
                   : check_value(p, &raw->element[0], f.type, false, only);
}

/* PTX has no vectors of three: three numbers are written as four, and the last has no meaning. */
static int written_count(int count)
{
    return count == 3 ? 4 : count;
}

static bool is_fetch(const struct match_form *form)
{
    return form->op >= OP_TEX && form->op <= OP_TLD4;
}

/* What a fetch reads or gives as .f32 may be in integer registers: the bits are meant, and ptxas does not ask. */
static enum type number_type(const struct raw *raw, enum type type)
{
    return type == TYPE_F32 && raw->kind != RAW_CONSTANT ? TYPE_B32 : type;
}

/* Numbers, one per element: as they are written in braces, or components of a vector register. */
static bool check_numbers(struct parser *p, const struct raw *raw, int written, int count, struct ptx_operand *element)
{
    int index;
    bool is_vector = written == 1 && count > 1;
    if (is_vector && (raw->kind != RAW_NAME || !check_register(p, &raw->token, &index) ||
                      p->body.registers.data[index].vector != written_count(count)))
        return misfit(p, raw, arena_printf(&p->diag->arena, "%d numbers in braces", written_count(count)));
    for (int i = 0; i < count; i++) {
        enum type type = number_type(is_vector ? raw : &raw[i], (enum type)element[i].type);
        if (is_vector ? !set_register(p, raw, index + 1 + i, type, false, &element[i])
                      : !check_value(p, &raw[i], type, false, &element[i]))
            return false;
    }
    return true;
}

/* `[object]` or `[object, {coordinates}]`; of one coordinate the braces may be left out. In the mode of independent
 * samplers a fetch is written `[texture, sampler, {coordinates}]`. */
static bool check_texture(struct parser *p, const struct match_form *form, enum type type, bool has_coordinates,
                          const struct raw *raw, struct ptx_operand *out)
{
    struct op_shape shape = suffixes_shape(&form->suffixes);
    bool wants_sampler = is_fetch(form) && strstr(p->module->target_options, "texmode_independent");
    int count = has_coordinates ? shape.axes + shape.is_layered : 0, in_braces = raw->element_count - raw->scalar_count;
    int before = raw->scalar_count - (has_coordinates && !in_braces), written = raw->element_count - before;
    bool fits = written == written_count(count) || (written == 1 && !in_braces);
    if (raw->kind != RAW_ADDRESS || !fits || before != 1 + wants_sampler)
        return misfit(p, raw,
                      count ? arena_printf(&p->diag->arena, "[object, %s{%d coordinates}]",
                                           wants_sampler ? "sampler, " : "", written_count(count))
                            : "[object]");
    out->kind = OPERAND_TEXTURE;
    out->type = (uint8_t)type;
    out->has_sampler = before == 2;
    struct ptx_operand *element = new_elements(p, count + before, type, out);
    element[0].type = TYPE_U64;
    if (shape.is_layered && count)
        element[1].type = TYPE_U32;
    if (out->has_sampler)
        element[count + 1].type = TYPE_U64;
    return check_value(p, &raw->element[0], TYPE_U64, false, &element[0]) &&
           (!out->has_sampler || check_value(p, &raw->element[1], TYPE_U64, false, &element[count + 1])) &&
           check_numbers(p, &raw->element[before], written, count, &element[1]);
}

/* Derivatives or offsets, one per axis, in braces or in a vector register. */
static bool check_axes(struct parser *p, const struct match_form *form, enum type type, const struct raw *raw,
                       struct ptx_operand *out)
{
    int count = suffixes_shape(&form->suffixes).axes, written = raw->kind == RAW_VECTOR ? raw->element_count : 1;
    if (raw->kind == RAW_VECTOR ? written != written_count(count) : raw->kind != RAW_NAME || count == 1)
        return misfit(p, raw, arena_printf(&p->diag->arena, "%d numbers in braces", written_count(count)));
    out->kind = OPERAND_VECTOR;
    struct ptx_operand *element = new_elements(p, count, type, out);
    return check_numbers(p, raw->kind == RAW_VECTOR ? raw->element : raw, written, count, element);
}

/* `[map, {coordinates}]`: as many coordinates as the tensor has dimensions; of four rows, one column and four rows. */
static bool check_tensor(struct parser *p, const struct match_form *form, const struct raw *raw,
                         struct ptx_operand *out)
{
    const uint8_t *mod = form->suffixes.mod;
    bool is_four_rows = mod[GROUP_BOX] == BOX_GATHER || mod[GROUP_BOX] == BOX_SCATTER;
    int coordinates = is_four_rows ? 5 : mod[GROUP_DIM] - DIM_D1 + 1;
    if (raw->kind != RAW_ADDRESS || raw->element_count != coordinates + 1)
        return misfit(
            p, raw,
            arena_printf(&p->diag->arena, "[tensor map, {%d coordinate%s}]", coordinates, coordinates == 1 ? "" : "s"));
    out->kind = OPERAND_TENSOR;
    struct ptx_operand *element = new_elements(p, coordinates + 1, TYPE_S32, out);
    struct raw map = {.kind = RAW_ADDRESS, .token = raw->token, .element = raw->element, .element_count = 1};
    element[0].type = TYPE_NONE;
    if (!check_address(p, MOD_NONE, &map, &element[0]))
        return false;
    for (int i = 1; i <= coordinates; i++)
        if (!check_value(p, &raw->element[i], TYPE_S32, false, &element[i]))
            return false;
    return true;
}

/* Any number of values in braces. */
static bool check_list(struct parser *p, const struct raw *raw, enum type type, struct ptx_operand *out)
{
    if (raw->kind != RAW_VECTOR)
        return misfit(p, raw, "values in braces");
    out->kind = OPERAND_VECTOR;
    new_elements(p, raw->element_count, type, out);
    for (int i = 0; i < raw->element_count; i++)
        if (!check_value(p, &raw->element[i], type, false, &out->element[i]))
            return false;
    return true;
}

static bool check_reference(struct parser *p, const struct raw *raw, enum symbol_kind kind, struct ptx_operand *out)
{
    if (raw->kind != RAW_NAME || raw->negate || raw->offset || raw->indexed)
        return misfit(p, raw, kind == SYMBOL_LABEL ? "a label" : "the name of a list of branch targets");
    out->kind = kind == SYMBOL_LABEL ? OPERAND_LABEL : OPERAND_TARGETS;
    parse_reference(p, &(struct reference){.kind = kind, .name = raw->token, .target = &out->target, .operand = out});
    return true;
}

/* The selector that a text of a dot, a letter and digits means (ops.h); 0: the text is none that the slot takes. */
static uint16_t parse_selector(const struct op_slot *slot, const char *text, int length)
{
    bool is_dest = slot->role == ROLE_DEST, is_halves = length > 1 && text[1] == 'h';
    int count = length - 2, parts = is_halves ? 2 : 4;
    bool is_letter = slot->selects == 1 ? is_halves || text[1] == 'b' : text[1] == (slot->selects == 2 ? 'h' : 'b');
    int last = slot->selects == 1 || is_dest ? parts - 1 : 2 * parts - 1;
    bool is_count = is_dest ? count <= slot->selects : count == slot->selects;
    uint16_t select = (uint16_t)(count << 12 | is_halves << 15);
    if (!is_letter || count < 1 || !is_count)
        return 0;
    for (int i = 0; i < count; i++) {
        int digit = text[2 + i] - '0';
        if (digit < 0 || digit > last || (is_dest && i && text[2 + i] >= text[1 + i]))
            return 0;
        select |= (uint16_t)(digit << 3 * (count - 1 - i));
    }
    return select;
}

/* Takes the selector off a name such as `%r1.b3`. False, and an error is reported, if the slot does not take it. */
static bool check_selector(struct parser *p, const struct op_slot *slot, struct raw *raw, struct ptx_operand *out)
{
    const char *dot = raw->kind == RAW_NAME ? memchr(raw->token.text, '.', (size_t)raw->token.length) : NULL;
    int index;
    if (!dot || find_name(p, &raw->token, &index))
        return true;
    int before = (int)(dot - raw->token.text);
    out->select = parse_selector(slot, dot, raw->token.length - before);
    if (!out->select)
        return parse_fail(p, raw->token.offset, "'%.*s' is no selector that '%.*s' takes here",
                          shown(raw->token.length - before), dot, shown(p->opcode.length), p->opcode.text);
    raw->token.length = before;
    return true;
}

/* Operands of video instructions may have a selector, and a minus sign, which need a register. */
static bool check_decorated(struct parser *p, const struct op_slot *slot, const struct raw *raw, enum type type,
                            struct ptx_operand *out)
{
    struct raw plain = *raw;
    if (slot->selects && !check_selector(p, slot, &plain, out))
        return false;
    bool ok = slot->role == ROLE_DEST ? check_dest(p, &plain, type, slot->wider, out)
                                      : check_value(p, &plain, type, slot->wider, out);
    out->negate = raw->minus;
    return ok && (!(raw->minus || out->select) || out->kind == OPERAND_REGISTER ||
                  parse_fail(p, raw->token.offset, "a selector or a minus sign can stand only at a register"));
}

bool check_operand(struct parser *p, const struct match_form *form, int slot, const struct raw *raw,
                   struct ptx_operand *out)
{
    const struct op_slot *s = &form->slot[slot];
    enum type type = (enum type)form->type[slot];
    out->type = (uint8_t)type;
    if (raw->minus && !s->minus)
        return misfit(p, raw, "an operand without a minus sign");
    if (s->selects || s->minus)
        return check_decorated(p, s, raw, type, out);
    switch (s->role) {
    case ROLE_DEST:
    case ROLE_DEST_SECOND:
        return check_dest(p, raw, type, s->wider, out);
    case ROLE_VALUE:
    case ROLE_POLICY:
        if (is_fetch(form))
            type = number_type(raw, type);
        return check_value(p, raw, type, s->wider, out);
    case ROLE_IMMEDIATE:
        return raw->kind == RAW_CONSTANT ? check_constant(p, raw, type, out) : misfit(p, raw, "a constant");
    case ROLE_PREDICATE:
        return check_predicate(p, raw, out);
    case ROLE_ADDRESS:
        return check_address(p, (enum mod)form->suffixes.mod[GROUP_SPACE], raw, out);
    case ROLE_ADDRESS_MORE:
        return check_address(p, MOD_NONE, raw, out);
    case ROLE_TENSOR:
        return check_tensor(p, form, raw, out);
    case ROLE_LIST:
        return check_list(p, raw, type, out);
    case ROLE_TEXTURE:
        return check_texture(p, form, type, true, raw, out);
    case ROLE_OBJECT:
        return check_texture(p, form, TYPE_U64, false, raw, out);
    case ROLE_AXES:
        return check_axes(p, form, type, raw, out);
    case ROLE_DEST_VECTOR:
        if (is_fetch(form))
            type = number_type(raw, type);
        /* fall through */
    case ROLE_VALUE_VECTOR:
        return check_vector(p, raw, (int)form->vector, type, s->wider, s->role == ROLE_DEST_VECTOR, out);
    case ROLE_VALUE_FOUR:
        return check_vector(p, raw, 4, type, s->wider, false, out);
    case ROLE_PACK:
    case ROLE_UNPACK:
        return check_parts(p, raw, type, s->role == ROLE_UNPACK, out);
    case ROLE_MATRIX_D:
    case ROLE_MATRIX_A:
    case ROLE_MATRIX_B:
    case ROLE_MATRIX_C:
    case ROLE_ACCUMULATOR:
    case ROLE_TILE_A:
        return check_fragment(p, form, s->role, raw, out);
    case ROLE_LABEL:
        return check_reference(p, raw, SYMBOL_LABEL, out);
    case ROLE_TARGETS:
        return check_reference(p, raw, SYMBOL_TARGETS, out);
    default:
        panic("ops.def: '%s' has an operand that is no operand", op_table[form->op].mnemonic);
    }
}
