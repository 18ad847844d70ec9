/* Functions and kernels: linkage, parameters, performance directives. parse_body.c reads bodies. */
#include "ptx/parse.h"

static const struct {
    const char *text;
    uint8_t linkage;
} linkages[] = {
    {".visible", LINKAGE_VISIBLE}, {".extern", LINKAGE_EXTERN}, {".weak", LINKAGE_WEAK}, {".common", LINKAGE_COMMON}};

bool parse_linkage(struct parser *p, uint8_t *linkage)
{
    *linkage = LINKAGE_NONE;
    for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++)
        if (parse_at_directive(p, linkages[i].text)) {
            *linkage = linkages[i].linkage;
            parse_advance(p);
            return true;
        }
    return false;
}

/* Reads up to three numbers, separated by commas; missing ones are 1. */
static bool parse_extent(struct parser *p, uint32_t extent[3])
{
    uint64_t value;
    int i = 0;
    extent[0] = extent[1] = extent[2] = 1;
    do {
        if (!parse_count(p, UINT32_MAX, "a number of threads or blocks", &value))
            return false;
        extent[i++] = (uint32_t)value;
    } while (i < 3 && parse_accept(p, ','));
    return true;
}

static bool parse_number(struct parser *p, uint32_t *number)
{
    uint64_t value;
    if (!parse_count(p, UINT32_MAX, "a number", &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool parse_limit(struct parser *p, struct ptx_function *f)
{
    struct ptx_limits *l = &f->limits;
    struct token token = p->token;
    uint32_t ignored;
    if (TOKEN_IS(&token, ".pragma"))
        return parse_pragma(p, -1, true);
    parse_advance(p);
    if (TOKEN_IS(&token, ".maxntid"))
        return parse_extent(p, l->max_threads);
    if (TOKEN_IS(&token, ".reqntid"))
        return parse_extent(p, l->required_threads);
    if (TOKEN_IS(&token, ".reqnctapercluster"))
        return parse_extent(p, l->required_cluster);
    if (TOKEN_IS(&token, ".minnctapersm") || TOKEN_IS(&token, ".maxnctapersm")) /* .maxnctapersm is the old name */
        return parse_number(p, &l->min_blocks);
    if (TOKEN_IS(&token, ".maxnreg"))
        return parse_number(p, &l->max_registers);
    if (TOKEN_IS(&token, ".maxclusterrank"))
        return parse_number(p, &l->max_blocks_per_cluster);
    if (TOKEN_IS(&token, ".abi_preserve") || TOKEN_IS(&token, ".abi_preserve_control"))
        return parse_number(p, &ignored);
    if (TOKEN_IS(&token, ".explicitcluster"))
        return l->explicit_cluster = true;
    if (TOKEN_IS(&token, ".blocksareclusters"))
        return l->blocks_are_clusters = true;
    if (TOKEN_IS(&token, ".noreturn"))
        return f->no_return = true;
    return parse_fail(p, token.offset, "expected '{', ';' or a performance directive, found '%.*s'",
                      shown(token.length), token.text);
}

static bool parse_header(struct parser *p, struct ptx_function *f, struct token *name)
{
    bool ignored;
    f->is_entry = TOKEN_IS(&p->token, ".entry");
    parse_advance(p);
    while (parse_at_directive(p, ".attribute"))
        if (!parse_attribute(p, &ignored))
            return false;
    if (!f->is_entry && parse_at(p, '(') && !parse_formals(p, &f->returns, &f->return_count, false))
        return false;
    if (!parse_name(p, "the name of a function", name))
        return false;
    f->name = parse_copy(p, name);
    f->line = name->line;
    if (parse_at(p, '(') && !parse_formals(p, &f->parameters, &f->parameter_count, false))
        return false;
    while (parse_at(p, TOKEN_DIRECTIVE))
        if (!parse_limit(p, f))
            return false;
    return true;
}

static bool same_formals(struct ptx_variable *const *a, int a_count, struct ptx_variable *const *b, int b_count)
{
    if (a_count != b_count)
        return false;
    for (int i = 0; i < a_count; i++)
        if (a[i]->size_bytes != b[i]->size_bytes || a[i]->is_register != b[i]->is_register)
            return false;
    return true;
}

/* The structure of a function: the existing one if the name was declared before. */
static bool merge(struct parser *p, struct ptx_function **function, const struct token *name, bool has_body)
{
    int index;
    struct ptx_function *f = *function;
    struct symbol *symbol = symbols_find(&p->symbols, name->text, name->length, &index);
    struct ptx_function *old = symbol && symbol->kind == SYMBOL_FUNCTION ? symbol->object : NULL;
    if (!old || (old->is_defined && has_body))
        return parse_fail(p, name->offset, "'%s' is already defined", f->name);
    if (old->is_entry != f->is_entry ||
        !same_formals(old->parameters, old->parameter_count, f->parameters, f->parameter_count) ||
        !same_formals(old->returns, old->return_count, f->returns, f->return_count))
        return parse_fail(p, name->offset, "'%s' was declared differently on line %d", f->name, old->line);
    if (has_body) {
        f->index = old->index;
        if (f->linkage == LINKAGE_NONE && old->linkage != LINKAGE_EXTERN)
            f->linkage = old->linkage;
        f->no_return |= old->no_return;
        *old = *f;
    }
    *function = old;
    return true;
}

static bool define_function(struct parser *p, struct ptx_function **function, const struct token *name, bool has_body)
{
    struct symbol *symbol = symbols_define(&p->symbols, SYMBOL_FUNCTION, name->text, name->length);
    bool is_new = symbol != NULL;
    if (is_new) {
        symbol->object = *function;
        (*function)->index = p->functions.count;
        vec_push(&p->functions, *function);
    } else if (!merge(p, function, name, has_body)) {
        return false;
    }
    if (is_new || has_body)
        vec_push(&p->items,
                 (struct ptx_item){.kind = has_body ? ITEM_DEFINITION : ITEM_DECLARATION, .function = *function});
    for (int i = 0; i < (*function)->parameter_count; i++)
        (*function)->parameters[i]->owner = *function;
    for (int i = 0; i < (*function)->return_count; i++)
        (*function)->returns[i]->owner = *function;
    return true;
}

/* function = (".entry" | ".func" [formals]) name [formals] {limit} (";" | body) */
bool parse_function(struct parser *p, uint8_t linkage)
{
    struct ptx_function *f = arena_new(p->arena, struct ptx_function);
    struct token name;
    f->module = p->module;
    f->linkage = linkage;
    p->body.pragmas.count = 0;
    if (!parse_header(p, f, &name))
        return false;
    bool has_body = parse_at(p, '{');
    if (!has_body && !parse_at(p, ';'))
        return parse_expected(p, "'{' or ';'");
    if (!define_function(p, &f, &name, has_body))
        return false;
    if (has_body)
        return parse_body(p, f);
    vec_into_arena(&p->body.pragmas, p->arena, f->pragmas, f->pragma_count);
    parse_advance(p);
    return true;
}
