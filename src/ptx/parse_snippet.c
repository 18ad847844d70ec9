/* Snippets: the parser is set up with the names of a module and of a function, and reads further text (snippet.h). */
#include "ptx/snippet.h"

#include "ptx/parse.h"

/* Copies an array of the module to the beginning of an empty vec. */
#define vec_begin_with(v, array, array_count)                                     \
    do {                                                                          \
        vec_reserve(v, array_count);                                              \
        (v)->count = (array_count);                                               \
        if (array_count)                                                          \
            memcpy((v)->data, (array), sizeof *(v)->data *(size_t)(array_count)); \
    } while (0)

static struct symbol *define(struct parser *p, enum symbol_kind kind, const char *name, void *object)
{
    struct symbol *symbol = symbols_define(&p->symbols, kind, name, (int)strlen(name));
    if (symbol)
        symbol->object = object;
    return symbol;
}

/* A parser of the text, for which the names of the module are defined. The parser's messages show the text instead of
 * the module's: the caller keeps the module's source and puts it back. */
static void begin(struct parser *p, struct ptx_module *m, const char *text, size_t length, struct diag *diag)
{
    *p = (struct parser){.diag = diag, .module = m, .arena = &m->arena};
    m->source.text = arena_copy_string(&m->arena, text, length);
    m->source.length = length;
    p->lexer = (struct lexer){.text = m->source.text, .length = length, .line = 1};
    p->body.location = -1;
    vec_begin_with(&p->variables, m->variables, m->variable_count);
    vec_begin_with(&p->functions, m->functions, m->function_count);
    for (int i = 0; i < m->variable_count; i++)
        define(p, SYMBOL_VARIABLE, m->variables[i]->name, m->variables[i]);
    for (int i = 0; i < m->function_count; i++)
        define(p, SYMBOL_FUNCTION, m->functions[i]->name, m->functions[i]);
    parse_advance(p);
}

static void define_formals(struct parser *p, struct ptx_variable *const *formals, int count)
{
    for (int i = 0; i < count; i++)
        if (!formals[i]->is_register)
            define(p, SYMBOL_VARIABLE, formals[i]->name, formals[i]);
}

/* Defines the names of the function; formal parameters that are registers stand in its list of registers. */
static void define_names(struct parser *p, struct ptx_function *f, const char *const *labels, int label_count)
{
    struct body *b = &p->body;
    struct symbol *symbol;
    vec_begin_with(&b->registers, f->registers, f->register_count);
    vec_begin_with(&b->variables, f->variables, f->variable_count);
    vec_begin_with(&b->prototypes, f->prototypes, f->prototype_count);
    define_formals(p, f->returns, f->return_count);
    define_formals(p, f->parameters, f->parameter_count);
    for (int i = 0; i<f->register_count; i += f->registers[i].vector> 1 ? f->registers[i].vector + 1 : 1)
        if ((symbol = define(p, SYMBOL_REGISTER, f->registers[i].name, NULL)))
            symbol->first = i;
    for (int i = 0; i < f->variable_count; i++)
        define(p, SYMBOL_VARIABLE, f->variables[i]->name, f->variables[i]);
    for (int i = 0; i < f->prototype_count; i++)
        define(p, SYMBOL_PROTOTYPE, f->prototypes[i]->name, f->prototypes[i]);
    for (int i = 0; i < label_count; i++) {
        if ((symbol = define(p, SYMBOL_LABEL, labels[i], NULL)))
            symbol->first = i;
        vec_push(&b->labels, (struct ptx_label){.name = labels[i], .target = -1 - i});
    }
}

static void take(struct parser *p, struct ptx_function *f, int label_count, struct ptx_snippet *out)
{
    struct body *b = &p->body;
    vec_into_arena(&b->registers, p->arena, f->registers, f->register_count);
    vec_into_arena(&b->variables, p->arena, f->variables, f->variable_count);
    vec_into_arena(&b->prototypes, p->arena, f->prototypes, f->prototype_count);
    vec_into_arena(&b->instructions, p->arena, out->instructions, out->instruction_count);
    vec_into_arena(&b->labels, p->arena, out->labels, out->label_count);
    vec_into_arena(&b->pragmas, p->arena, out->pragmas, out->pragma_count);
    out->labels += label_count;
    out->label_count -= label_count;
}

bool ptx_parse_snippet(struct ptx_function *f, const char *const *labels, int label_count, const char *text,
                       size_t length, struct ptx_snippet *out, struct diag *diag)
{
    struct source source = f->module->source;
    struct parser p;
    char *braced = arena_printf(&f->module->arena, "{%.*s\n}", (int)length, text);
    begin(&p, f->module, braced, strlen(braced), diag);
    parse_enter_scope(&p);
    p.body.function = f;
    define_names(&p, f, labels, label_count);
    if (parse_statements(&p) && !parse_at(&p, TOKEN_END))
        parse_expected(&p, "the end of the text");
    if (p.body.targets.count)
        parse_report(&p, 0, "a snippet cannot define a list of branch targets");
    while (p.symbols.depth > 0)
        symbols_leave(&p.symbols);
    if (!diag->count)
        take(&p, f, label_count, out);
    parse_free(&p);
    f->module->source = source;
    return !diag->count;
}

/* Puts the items of the parser into the module's list, ahead of the definition of `before`. */
static void insert_items(struct ptx_module *m, const struct parser *p, const struct ptx_function *before)
{
    int at = 0, added = p->items.count;
    while (at < m->item_count && !(m->items[at].kind == ITEM_DEFINITION && m->items[at].function == before))
        at++;
    struct ptx_item *items = arena_array(&m->arena, struct ptx_item, (size_t)(m->item_count + added));
    if (at)
        memcpy(items, m->items, sizeof *items * (size_t)at);
    memcpy(items + at, p->items.data, sizeof *items * (size_t)added);
    if (at < m->item_count)
        memcpy(items + at + added, m->items + at, sizeof *items * (size_t)(m->item_count - at));
    m->items = items;
    m->item_count += added;
}

/* Puts the module's functions in the order in which its statements first name them, as a parser of the whole text does.
 */
static void order_functions(struct ptx_module *m, const struct parser *p)
{
    int count = 0;
    m->functions = arena_array(&m->arena, struct ptx_function *, (size_t)p->functions.count);
    for (int i = 0; i < p->functions.count; i++)
        p->functions.data[i]->index = -1;
    for (int i = 0; i < m->item_count; i++) {
        struct ptx_function *f = m->items[i].function;
        if (f && f->index < 0) {
            f->index = count;
            m->functions[count++] = f;
        }
    }
    m->function_count = count;
}

struct ptx_function *ptx_parse_definition(struct ptx_module *m, const struct ptx_function *before, const char *text,
                                          size_t length, struct diag *diag)
{
    struct source source = m->source;
    struct parser p;
    uint8_t linkage;
    struct ptx_function *added = NULL;
    begin(&p, m, text, length, diag);
    parse_linkage(&p, &linkage);
    if (!parse_at_directive(&p, ".func") && !parse_at_directive(&p, ".entry"))
        parse_expected(&p, "'.func' or '.entry'");
    else if (parse_function(&p, linkage) && !parse_at(&p, TOKEN_END))
        parse_expected(&p, "the end of the text");
    if (!diag->count && p.items.count && p.items.data[0].kind != ITEM_DEFINITION)
        parse_report(&p, 0, "the function has no body");
    if (!diag->count) {
        unique_names(&p);
        insert_items(m, &p, before);
        added = p.items.data[0].function;
        order_functions(m, &p);
    }
    parse_free(&p);
    m->source = source;
    return added;
}
