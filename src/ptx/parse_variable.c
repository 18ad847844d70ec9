/*
 * Variables and formal parameters: `.global .align 4 .u32 x[2][3] = {{1, 2}, {3}};`
 *
 * parse_initialiser.c reads the initialisers.
 */
#include "ptx/parse_variable.h"

static const struct {
    const char *text;
    uint8_t space;
} spaces[] = {
    {".global", SPACE_GLOBAL},      {".shared", SPACE_SHARED},     {".const", SPACE_CONST},
    {".local", SPACE_LOCAL},        {".param", SPACE_PARAM},       {".tex", SPACE_GLOBAL},
    {".shared::cta", SPACE_SHARED}, {".param::func", SPACE_PARAM}, {".param::entry", SPACE_PARAM},
};

/* What stands before the name of a variable. */
struct variable_shape {
    uint8_t space, type, vector, pointer_space;
    uint32_t align_bytes, pointer_align;
    bool is_pointer, is_register, is_managed;
};

static uint8_t space_of(const struct token *token)
{
    for (size_t i = 0; token->kind == TOKEN_DIRECTIVE && i < sizeof spaces / sizeof *spaces; i++)
        if (token_is(token, spaces[i].text, (int)strlen(spaces[i].text)))
            return spaces[i].space;
    return MOD_NONE;
}

bool parse_is_variable(const struct parser *p)
{
    return space_of(&p->token) != MOD_NONE;
}

static bool parse_align(struct parser *p, uint32_t *align)
{
    size_t offset = p->token.offset;
    uint64_t value;
    if (!parse_count(p, PARSE_MAX_ALIGN, "an alignment", &value))
        return false;
    if (!value || value & (value - 1))
        return parse_fail(p, offset, "an alignment must be a power of two");
    *align = (uint32_t)value;
    return true;
}

/* Reads one directive before the name: space, alignment, vector, type or attribute. */
static bool shape_directive(struct parser *p, struct variable_shape *s)
{
    struct token token = p->token;
    uint8_t space = space_of(&token);
    if (TOKEN_IS(&token, ".attribute"))
        return parse_attribute(p, &s->is_managed);
    parse_advance(p);
    if (space) {
        *(s->is_pointer ? &s->pointer_space : &s->space) = space;
        if (TOKEN_IS(&token, ".tex"))
            s->type = TYPE_TEXREF;
        return true;
    }
    if (TOKEN_IS(&token, ".align"))
        return parse_align(p, s->is_pointer ? &s->pointer_align : &s->align_bytes);
    if (TOKEN_IS(&token, ".ptr")) {
        s->is_pointer = true;
        return true;
    }
    if (TOKEN_IS(&token, ".reg")) {
        s->is_register = true;
        s->space = SPACE_PARAM;
        return true;
    }
    if (TOKEN_IS(&token, ".v2") || TOKEN_IS(&token, ".v4") || TOKEN_IS(&token, ".v8")) {
        s->vector = (uint8_t)(token.text[2] - '0');
        return true;
    }
    enum type type = type_find(token.text + 1, token.length - 1);
    if (!type || (type == TYPE_PRED && !s->is_register))
        return parse_fail(p, token.offset, "expected a type, an alignment or a state space, found '%.*s'",
                          shown(token.length), token.text);
    if (s->type != TYPE_TEXREF) /* `.tex .u32 t` has the type of its handle */
        s->type = (uint8_t)type;
    return true;
}

static bool parse_shape(struct parser *p, struct variable_shape *s)
{
    *s = (struct variable_shape){.vector = 1};
    while (parse_at(p, TOKEN_DIRECTIVE))
        if (!shape_directive(p, s))
            return false;
    if (!s->type)
        return parse_expected(p, "a type");
    if (!s->space)
        return parse_expected(p, "a state space");
    if (!s->align_bytes)
        s->align_bytes = type_bytes((enum type)s->type) * s->vector;
    return true;
}

/* dimensions = {"[" [count] "]"}, of which only the first may be without a count */
static bool parse_dimensions(struct parser *p, struct ptx_variable *v)
{
    uint64_t elements = 1, element_bytes = type_bytes((enum type)v->type) * (uint64_t)v->vector;
    size_t offset = p->token.offset;
    while (parse_accept(p, '[')) {
        uint64_t count = 0;
        if (v->dimension_count == (int)(sizeof v->dimension / sizeof *v->dimension))
            return parse_fail(p, p->token.offset, "an array has at most %d dimensions", v->dimension_count);
        if (parse_at(p, ']') && !v->dimension_count)
            v->is_unsized = true;
        else if (!parse_count(p, PARSE_MAX_BYTES, "the number of elements", &count))
            return false;
        if (!parse_expect(p, ']', "']'"))
            return false;
        v->dimension[v->dimension_count++] = count;
        v->is_array = true;
        if (v->is_unsized && v->dimension_count == 1)
            continue;
        if (__builtin_mul_overflow(elements, count, &elements) || elements > PARSE_MAX_BYTES / element_bytes)
            return parse_fail(p, offset, "array is larger than %llu bytes", PARSE_MAX_BYTES);
    }
    v->size_bytes = v->is_unsized ? 0 : elements * element_bytes;
    return true;
}

static struct ptx_variable *new_variable(struct parser *p, const struct variable_shape *s, const struct token *name)
{
    struct ptx_variable *v = arena_new(p->arena, struct ptx_variable);
    v->name = parse_copy(p, name);
    v->line = name->line;
    v->space = s->space;
    v->type = s->type;
    v->vector = s->vector;
    v->align_bytes = s->align_bytes;
    v->is_pointer = s->is_pointer;
    v->pointer_space = s->pointer_space;
    v->pointer_align = s->pointer_align;
    v->is_managed = s->is_managed;
    v->is_register = s->is_register;
    v->reg = -1;
    return v;
}

static void add_item(struct parser *p, struct ptx_variable *v, enum ptx_item_kind kind)
{
    vec_push(&p->items, (struct ptx_item){.kind = kind, .variable = v});
}

/* Checks a second declaration of a module variable: one of the two must be .extern, and both must agree. */
static bool merge(struct parser *p, struct ptx_variable **v, const struct token *name)
{
    int index;
    struct symbol *symbol = symbols_find(&p->symbols, name->text, name->length, &index);
    struct ptx_variable *old = symbol && symbol->kind == SYMBOL_VARIABLE ? symbol->object : NULL;
    if (!old || p->symbols.depth || (old->linkage != LINKAGE_EXTERN && (*v)->linkage != LINKAGE_EXTERN))
        return parse_fail(p, name->offset, "'%.*s' is already defined", shown(name->length), name->text);
    if (old->space != (*v)->space || type_bytes((enum type)old->type) != type_bytes((enum type)(*v)->type) ||
        (!old->is_unsized && !(*v)->is_unsized && old->size_bytes != (*v)->size_bytes))
        return parse_fail(p, name->offset, "'%.*s' was declared differently on line %d", shown(name->length),
                          name->text, old->line);
    if ((*v)->linkage != LINKAGE_EXTERN) {
        (*v)->index = old->index;
        *old = **v;
        add_item(p, old, ITEM_DEFINITION);
    }
    *v = old;
    return true;
}

/* Marks the first declaration of a module variable as a mere declaration, since a definition follows. */
static bool define_variable(struct parser *p, struct ptx_variable **v, const struct token *name)
{
    struct symbol *symbol = symbols_define(&p->symbols, SYMBOL_VARIABLE, name->text, name->length);
    if (!symbol)
        return merge(p, v, name);
    symbol->object = *v;
    if (p->symbols.depth) {
        (*v)->owner = p->body.function;
        (*v)->index = p->body.variables.count;
        vec_push(&p->body.variables, *v);
    } else {
        (*v)->index = p->variables.count;
        vec_push(&p->variables, *v);
        add_item(p, *v, (*v)->linkage == LINKAGE_EXTERN ? ITEM_DECLARATION : ITEM_DEFINITION);
    }
    return true;
}

static bool parse_declarator(struct parser *p, const struct variable_shape *s, uint8_t linkage)
{
    struct token name;
    if (!parse_name(p, "the name of a variable", &name))
        return false;
    struct ptx_variable *v = new_variable(p, s, &name);
    v->linkage = linkage;
    if (!parse_dimensions(p, v) || !define_variable(p, &v, &name))
        return false;
    if (parse_at(p, '=') && linkage == LINKAGE_EXTERN)
        return parse_fail(p, p->token.offset, "an .extern variable is initialised where it is defined");
    if (parse_accept(p, '='))
        return parse_initialiser(p, v);
    if (v->is_unsized && linkage != LINKAGE_EXTERN && v->space != SPACE_SHARED && v->space != SPACE_PARAM)
        return parse_fail(p, name.offset, "array '%s' has neither a size nor an initialiser", v->name);
    return true;
}

/* variables = space {qualifier} type name {"[" n "]"} ["=" initialiser] {"," name ...} ";" */
bool parse_variables(struct parser *p, uint8_t linkage)
{
    struct variable_shape s;
    struct token first = p->token;
    if (!parse_shape(p, &s))
        return false;
    if (s.is_register || (s.space == SPACE_PARAM && !p->body.function))
        return parse_fail(p, first.offset, "'%.*s' cannot stand outside a function", first.length, first.text);
    do
        if (!parse_declarator(p, &s, linkage))
            return false;
    while (parse_accept(p, ','));
    return parse_expect(p, ';', "';'");
}

static bool parse_formal(struct parser *p, bool may_be_unnamed, struct ptx_variable **formal)
{
    struct variable_shape s;
    struct token name;
    size_t offset = p->token.offset;
    if (!parse_at_directive(p, ".param") && !parse_at_directive(p, ".reg"))
        return parse_expected(p, "'.param'");
    if (!parse_shape(p, &s) || !parse_name(p, "the name of a parameter", &name))
        return false;
    if (s.space != SPACE_PARAM)
        return parse_fail(p, offset, "a parameter must be .param or .reg");
    if (TOKEN_IS(&name, "_") && !may_be_unnamed)
        return parse_fail(p, name.offset, "expected the name of a parameter");
    *formal = new_variable(p, &s, &name);
    return parse_dimensions(p, *formal);
}

bool parse_formals(struct parser *p, struct ptx_variable ***formals, int *count, bool may_be_unnamed)
{
    struct vec_of(struct ptx_variable *) list = {0};
    bool ok = parse_expect(p, '(', "'('");
    if (ok && !parse_accept(p, ')')) {
        do {
            struct ptx_variable *formal = NULL;
            ok = parse_formal(p, may_be_unnamed, &formal);
            if (ok) {
                formal->index = list.count;
                vec_push(&list, formal);
            }
        } while (ok && parse_accept(p, ','));
        ok = ok && parse_expect(p, ')', "',' or ')'");
    }
    vec_into_arena(&list, p->arena, *formals, *count);
    return ok;
}
