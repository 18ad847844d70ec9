/*
 * Bodies of functions: declarations, labels, instructions, nested braces.
 *
 * A label belongs to the braces it stands in, and may be used before it is defined. So the labels that branches name
 * are looked up when the braces end, innermost braces first.
 */
#include "ptx/parse.h"

void parse_reference(struct parser *p, const struct reference *reference)
{
    vec_push(&p->body.references, *reference);
}

static const char *kind_text(enum symbol_kind kind)
{
    return kind == SYMBOL_LABEL ? "label" : kind == SYMBOL_TARGETS ? "list of branch targets" : "call prototype";
}

/* Resolves a reference if the scope that ends defines the name. Reports an error if no outer scope can define it. */
static bool resolve(struct parser *p, const struct reference *r)
{
    int index;
    struct symbol *symbol = symbols_find(&p->symbols, r->name.text, r->name.length, &index);
    if (symbol && symbol->depth == p->symbols.depth && symbol->kind == r->kind) {
        if (r->kind == SYMBOL_LABEL)
            *r->target = p->body.labels.data[symbol->first].target;
        else if (r->kind == SYMBOL_TARGETS)
            r->operand->targets = symbol->object;
        else
            r->call->prototype = symbol->object;
        return true;
    }
    if (p->symbols.depth > 1)
        return false;
    if (!symbol)
        parse_report(p, r->name.offset, "there is no %s '%.*s' here", kind_text(r->kind), shown(r->name.length),
                     r->name.text);
    else if (symbol->kind != SYMBOL_UNDEFINED)
        parse_report(p, r->name.offset, "'%.*s' is not a %s", shown(r->name.length), r->name.text, kind_text(r->kind));
    return true;
}

static void leave_scope(struct parser *p)
{
    struct body *b = &p->body;
    int kept = b->references_before[p->symbols.depth];
    for (int i = kept; i < b->references.count; i++)
        if (!resolve(p, &b->references.data[i]))
            b->references.data[kept++] = b->references.data[i];
    b->references.count = kept;
    symbols_leave(&p->symbols);
}

void parse_enter_scope(struct parser *p)
{
    symbols_enter(&p->symbols);
    p->body.references_before[p->symbols.depth] = p->body.references.count;
}

/* targets = name ":" ".branchtargets" label {"," label} ";" */
static bool parse_branch_targets(struct parser *p, const struct token *name)
{
    struct ptx_targets *t = arena_new(p->arena, struct ptx_targets);
    struct vec_of(struct token) labels = {0};
    struct token label;
    bool ok = true;
    t->name = parse_copy(p, name);
    t->line = name->line;
    parse_advance(p);
    do {
        ok = parse_name(p, "a label", &label);
        if (ok)
            vec_push(&labels, label);
    } while (ok && parse_accept(p, ','));
    t->count = labels.count;
    t->label = arena_array(p->arena, const char *, (size_t)t->count);
    t->target = arena_array(p->arena, int, (size_t)t->count);
    for (int i = 0; i < t->count; i++)
        parse_reference(p, &(struct reference){.kind = SYMBOL_LABEL, .name = labels.data[i], .target = &t->target[i]});
    vec_free(&labels);
    if (!ok || !parse_expect(p, ';', "',' or ';'"))
        return false;
    struct symbol *symbol = symbols_define(&p->symbols, SYMBOL_TARGETS, name->text, name->length);
    if (!symbol)
        return parse_fail(p, name->offset, "'%s' is already defined", t->name);
    symbol->object = t;
    vec_push(&p->body.targets, t);
    return true;
}

/* The `:` has been read. */
static bool parse_label(struct parser *p, const struct token *name)
{
    if (parse_at_directive(p, ".branchtargets"))
        return parse_branch_targets(p, name);
    if (parse_at_directive(p, ".callprototype") || parse_at_directive(p, ".calltargets"))
        return parse_prototype(p, name);
    for (int i = 0; i < name->length; i++)
        if (name->text[i] == '.')
            return parse_fail(p, name->offset + (size_t)i, "a label cannot have a dot");
    struct symbol *symbol = symbols_define(&p->symbols, SYMBOL_LABEL, name->text, name->length);
    if (!symbol)
        return parse_fail(p, name->offset, "'%.*s' is already defined", shown(name->length), name->text);
    symbol->first = p->body.labels.count;
    vec_push(&p->body.labels,
             (struct ptx_label){.name = parse_copy(p, name), .target = p->body.instructions.count, .line = name->line});
    return true;
}

/* guard = "@" ["!"] predicate */
static bool parse_guard(struct parser *p, int32_t *guard, bool *negate)
{
    struct token name;
    int index;
    parse_advance(p);
    *negate = parse_accept(p, '!');
    name = p->token;
    if (!parse_at(p, TOKEN_WORD))
        return parse_expected(p, "a predicate register");
    if (!check_register(p, &name, &index))
        return false;
    if (p->body.registers.data[index].type != TYPE_PRED || p->body.registers.data[index].vector > 1)
        return parse_fail(p, name.offset, "expected a predicate register, found '%.*s' (.%s)", shown(name.length),
                          name.text, type_table[p->body.registers.data[index].type].text);
    *guard = index;
    parse_advance(p);
    return true;
}

static bool parse_directive(struct parser *p)
{
    uint8_t linkage;
    if (parse_at_directive(p, ".reg"))
        return parse_registers(p);
    if (parse_at_directive(p, ".loc"))
        return parse_location(p);
    if (parse_at_directive(p, ".pragma"))
        return parse_pragma(p, p->body.instructions.count, true);
    if (parse_at_directive(p, ".file"))
        return parse_file(p);
    parse_linkage(p, &linkage);
    if (parse_is_variable(p))
        return parse_variables(p, linkage);
    return parse_expected(p, "an instruction or a declaration");
}

static bool parse_statement(struct parser *p)
{
    int32_t guard = -1;
    bool negate = false;
    if (parse_at(p, TOKEN_DIRECTIVE))
        return parse_directive(p);
    bool is_guarded = parse_at(p, '@');
    if (is_guarded && !parse_guard(p, &guard, &negate))
        return false;
    if (!parse_at(p, TOKEN_WORD))
        return parse_expected(p, is_guarded ? "an instruction" : "an instruction, a label, or '}'");
    struct token word = p->token;
    parse_advance(p);
    if (!is_guarded && parse_accept(p, ':'))
        return parse_label(p, &word);
    return parse_instruction(p, &word, guard, negate);
}

/* After an error that ends the body: skips the rest of the function. */
static bool too_deep(struct parser *p, int outside)
{
    parse_report(p, p->token.offset, "braces are nested too deeply");
    for (int i = outside; i <= p->symbols.depth; i++)
        lex_skip_braces(&p->lexer);
    parse_advance(p);
    return false;
}

bool parse_statements(struct parser *p)
{
    size_t offset = p->token.offset;
    int outside = p->symbols.depth - 1;
    parse_advance(p);
    while (p->diag->count < DIAG_MAX) {
        if (parse_at(p, TOKEN_END))
            return parse_fail(p, offset, "'{' has no matching '}'");
        if (parse_at(p, '{')) {
            if (p->symbols.depth == SYMBOLS_MAX_DEPTH)
                return too_deep(p, outside);
            parse_enter_scope(p);
            parse_advance(p);
        } else if (parse_at(p, '}')) {
            leave_scope(p);
            parse_advance(p);
            if (p->symbols.depth == outside)
                return true;
        } else if (!parse_statement(p)) {
            parse_skip_statement(p);
        }
    }
    return false;
}

static bool define_formals(struct parser *p, struct ptx_variable **formals, int count)
{
    for (int i = 0; i < count; i++) {
        struct ptx_variable *v = formals[i];
        struct token name = {
            .text = v->name, .length = (int)strlen(v->name), .offset = p->token.offset, .line = v->line};
        if (v->is_register) {
            int index;
            if (!parse_define_register(p, &name, (enum type)v->type, v->vector, &index))
                return false;
            v->reg = index;
            continue;
        }
        struct symbol *symbol = symbols_define(&p->symbols, SYMBOL_VARIABLE, name.text, name.length);
        if (!symbol)
            return parse_fail(p, p->token.offset, "parameter '%s' is defined twice", v->name);
        symbol->object = v;
    }
    return true;
}

static void finish_body(struct parser *p, struct ptx_function *f)
{
    struct body *b = &p->body;
    vec_into_arena(&b->registers, p->arena, f->registers, f->register_count);
    vec_into_arena(&b->variables, p->arena, f->variables, f->variable_count);
    vec_into_arena(&b->instructions, p->arena, f->instructions, f->instruction_count);
    vec_into_arena(&b->labels, p->arena, f->labels, f->label_count);
    vec_into_arena(&b->targets, p->arena, f->targets, f->targets_count);
    vec_into_arena(&b->prototypes, p->arena, f->prototypes, f->prototype_count);
    vec_into_arena(&b->pragmas, p->arena, f->pragmas, f->pragma_count);
    for (int i = 0; i < f->targets_count; i++)
        for (int k = 0; k < f->targets[i]->count; k++)
            if (ptx_label_at(f, f->targets[i]->target[k]))
                f->targets[i]->label[k] = ptx_label_at(f, f->targets[i]->target[k])->name;
}

bool parse_body(struct parser *p, struct ptx_function *f)
{
    struct body *b = &p->body;
    b->function = f;
    b->registers.count = b->variables.count = b->instructions.count = b->labels.count = 0;
    b->targets.count = b->prototypes.count = b->references.count = 0;
    b->location = -1;
    p->symbols.shadowing = false;
    parse_enter_scope(p);
    f->is_defined = true;
    bool ok = define_formals(p, f->returns, f->return_count) && define_formals(p, f->parameters, f->parameter_count);
    if (ok)
        ok = parse_statements(p);
    else {
        lex_skip_braces(&p->lexer);
        parse_advance(p);
    }
    while (p->symbols.depth > 0)
        symbols_leave(&p->symbols);
    if (p->symbols.shadowing)
        vec_push(&p->shadowed, f);
    finish_body(p, f);
    b->function = NULL;
    return ok || p->diag->count < DIAG_MAX;
}
