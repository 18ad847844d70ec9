/* Calls, `call (result), function, (arguments)[, prototype]`, and the prototypes of indirect calls. */
#include "ptx/parse.h"

/* Place of an operand in the text and, for a constant, its value; its type comes from the callee. */
struct call_constant {
    size_t offset;
    struct constant constant;
};

struct call_operands {
    struct vec_of(struct ptx_operand) list;
    struct vec_of(struct call_constant) constants; /* one per operand */
};

/* Reads one argument or result: a .param variable, a register, a constant or `_`. */
static bool parse_call_operand(struct parser *p, struct call_operands *operands)
{
    struct raw_operands pool = {0};
    struct raw raw;
    struct ptx_operand operand = {.reg = -1, .target = -1};
    int index;
    if (!parse_raw_operand(p, &pool, &raw))
        return false;
    if (raw.kind == RAW_CONSTANT) {
        operand.kind = OPERAND_IMMEDIATE;
        operand.type = TYPE_B64;
        operand.bits = raw.constant.bits;
    } else if (raw.kind == RAW_SINK) {
        operand.kind = OPERAND_SINK;
    } else if (raw.kind == RAW_NAME && !raw.negate && !raw.offset && !raw.indexed) {
        struct symbol *symbol = symbols_find(&p->symbols, raw.token.text, raw.token.length, &index);
        const struct ptx_variable *v = symbol && symbol->kind == SYMBOL_VARIABLE ? symbol->object : NULL;
        if (v && v->space == SPACE_PARAM) {
            operand.kind = OPERAND_SYMBOL;
            operand.variable = v;
        } else if (v) {
            return parse_fail(p, raw.token.offset, "'%s' is not a .param variable", v->name);
        } else {
            if (!check_register(p, &raw.token, &index))
                return false;
            operand.kind = OPERAND_REGISTER;
            operand.reg = index;
            operand.type = p->body.registers.data[index].type;
        }
    } else {
        return parse_fail(p, raw.token.offset, "expected a .param variable, a register or a constant");
    }
    vec_push(&operands->list, operand);
    vec_push(&operands->constants, (struct call_constant){.offset = raw.token.offset, .constant = raw.constant});
    return true;
}

/* list = "(" [operand {"," operand}] ")" */
static bool parse_call_list(struct parser *p, struct call_operands *operands)
{
    if (!parse_expect(p, '(', "'('"))
        return false;
    if (parse_accept(p, ')'))
        return true;
    do
        if (!parse_call_operand(p, operands))
            return false;
    while (parse_accept(p, ','));
    return parse_expect(p, ')', "',' or ')'");
}

/* Checks the operands against what the callee declares, and gives constants the type of their parameter. */
static bool check_list(struct parser *p, const struct ptx_function *callee, struct call_operands *given,
                       struct ptx_variable *const *formals, int count, const char *what, size_t offset)
{
    if (given->list.count == count - 1 && ptx_is_variadic(formals, count))
        count--;
    if (given->list.count != count)
        return parse_fail(p, offset, "'%s' has %d %s%s, found %d", callee->name, count, what, count == 1 ? "" : "s",
                          given->list.count);
    for (int i = 0; i < count; i++) {
        struct ptx_operand *o = &given->list.data[i];
        uint64_t bytes = o->kind == OPERAND_SYMBOL     ? o->variable->size_bytes
                         : o->kind == OPERAND_REGISTER ? type_bytes((enum type)o->type)
                                                       : formals[i]->size_bytes;
        const struct call_constant *c = &given->constants.data[i];
        if (o->kind == OPERAND_IMMEDIATE) {
            o->type = formals[i]->type;
            if (!parse_convert(p, c->offset, &c->constant, (enum type)o->type, &o->bits))
                return false;
        }
        if (o->kind == OPERAND_SYMBOL && (o->variable->is_unsized || formals[i]->is_unsized))
            continue;
        if (bytes != formals[i]->size_bytes)
            return parse_fail(p, c->offset, "%s %d of '%s' has %llu bytes, not %llu", what, i + 1, callee->name,
                              (unsigned long long)formals[i]->size_bytes, (unsigned long long)bytes);
    }
    return true;
}

static bool parse_target(struct parser *p, struct ptx_call *call)
{
    struct token name;
    int index;
    if (!parse_name(p, "the function to call", &name))
        return false;
    struct symbol *symbol = symbols_find(&p->symbols, name.text, name.length, &index);
    if (symbol && symbol->kind == SYMBOL_FUNCTION) {
        call->callee = symbol->object;
        return true;
    }
    if (!symbol)
        return parse_fail(p, name.offset, "'%.*s' is not a declared function", shown(name.length), name.text);
    if (!check_register(p, &name, &index))
        return false;
    enum type type = (enum type)p->body.registers.data[index].type;
    if (type_table[type].bits != 64 && type_table[type].bits != 32)
        return parse_fail(p, name.offset, "expected a register that holds a function's address");
    call->pointer = arena_new(p->arena, struct ptx_operand);
    *call->pointer = (struct ptx_operand){.kind = OPERAND_REGISTER, .type = (uint8_t)type, .reg = index, .target = -1};
    return true;
}

/* rest = [list ","] function ["," list] ["," prototype] */
static bool parse_call_rest(struct parser *p, struct ptx_call *call, struct call_operands *returns,
                            struct call_operands *arguments)
{
    size_t offset = p->token.offset;
    if (parse_at(p, '(') && (!parse_call_list(p, returns) || !parse_expect(p, ',', "','")))
        return false;
    if (!parse_target(p, call))
        return false;
    bool more = parse_accept(p, ',');
    if (more && parse_at(p, '(')) {
        if (!parse_call_list(p, arguments))
            return false;
        more = parse_accept(p, ',');
    }
    if (more) {
        struct token name;
        if (!parse_name(p, "a call prototype", &name))
            return false;
        parse_reference(p, &(struct reference){.kind = SYMBOL_PROTOTYPE, .name = name, .call = call});
    }
    const struct ptx_function *f = call->callee;
    if (!f)
        return true;
    return check_list(p, f, returns, f->returns, f->return_count, "result", offset) &&
           check_list(p, f, arguments, f->parameters, f->parameter_count, "parameter", offset);
}

bool parse_call(struct parser *p, struct ptx_operand *out)
{
    struct ptx_call *call = arena_new(p->arena, struct ptx_call);
    struct call_operands returns = {0}, arguments = {0};
    bool ok = parse_call_rest(p, call, &returns, &arguments);
    vec_into_arena(&returns.list, p->arena, call->returns, call->return_count);
    vec_into_arena(&arguments.list, p->arena, call->arguments, call->argument_count);
    vec_free(&returns.constants);
    vec_free(&arguments.constants);
    *out = (struct ptx_operand){.kind = OPERAND_CALL, .reg = -1, .target = -1, .call = call};
    return ok;
}

static bool parse_call_targets(struct parser *p, struct ptx_prototype *prototype)
{
    struct vec_of(const struct ptx_function *) targets = {0};
    struct token name;
    int index;
    bool ok;
    do {
        ok = parse_name(p, "a function", &name);
        struct symbol *symbol = ok ? symbols_find(&p->symbols, name.text, name.length, &index) : NULL;
        if (symbol && symbol->kind == SYMBOL_FUNCTION)
            vec_push(&targets, symbol->object);
        else if (ok)
            ok = parse_fail(p, name.offset, "'%.*s' is not a declared function", shown(name.length), name.text);
    } while (ok && parse_accept(p, ','));
    vec_into_arena(&targets, p->arena, prototype->target, prototype->target_count);
    return ok;
}

/* ".callprototype" [formals] "_" [formals] [".noreturn"] */
static bool parse_call_shape(struct parser *p, struct ptx_prototype *prototype)
{
    struct token name;
    if (parse_at(p, '(') && !parse_formals(p, &prototype->returns, &prototype->return_count, true))
        return false;
    if (!parse_name(p, "'_'", &name))
        return false;
    if (parse_at(p, '(') && !parse_formals(p, &prototype->parameters, &prototype->parameter_count, true))
        return false;
    prototype->no_return = parse_accept_directive(p, ".noreturn");
    while (parse_at_directive(p, ".abi_preserve") || parse_at_directive(p, ".abi_preserve_control")) {
        uint64_t ignored;
        parse_advance(p);
        if (!parse_count(p, UINT32_MAX, "a number", &ignored))
            return false;
    }
    return true;
}

/* prototype = name ":" (".callprototype" shape | ".calltargets" name {"," name}) ";" */
bool parse_prototype(struct parser *p, const struct token *name)
{
    struct ptx_prototype *prototype = arena_new(p->arena, struct ptx_prototype);
    prototype->name = parse_copy(p, name);
    prototype->line = name->line;
    prototype->is_targets = TOKEN_IS(&p->token, ".calltargets");
    parse_advance(p);
    if (!(prototype->is_targets ? parse_call_targets : parse_call_shape)(p, prototype))
        return false;
    if (!parse_expect(p, ';', "';'"))
        return false;
    struct symbol *symbol = symbols_define(&p->symbols, SYMBOL_PROTOTYPE, name->text, name->length);
    if (!symbol)
        return parse_fail(p, name->offset, "'%s' is already defined", prototype->name);
    symbol->object = prototype;
    vec_push(&p->body.prototypes, prototype);
    return true;
}
