/* The parser: the header of a module, statements at module scope, and the functions of module.h that start a parse. */
#include "ptx/parse.h"

#include "base/text.h"

#include <errno.h>

bool parse_expected(struct parser *p, const char *what)
{
    const struct token *t = &p->token;
    if (t->kind == TOKEN_BAD)
        return parse_fail(p, t->offset, "%s", t->error);
    if (t->kind == TOKEN_END)
        return parse_fail(p, t->offset, "expected %s, found the end of the text", what);
    return parse_fail(p, t->offset, "expected %s, found '%.*s'", what, shown(t->length), t->text);
}

bool parse_accept_directive(struct parser *p, const char *text)
{
    if (!parse_at_directive(p, text))
        return false;
    parse_advance(p);
    return true;
}

bool parse_expect(struct parser *p, int kind, const char *what)
{
    return parse_accept(p, kind) || parse_expected(p, what);
}

bool parse_name(struct parser *p, const char *what, struct token *name)
{
    if (!parse_at(p, TOKEN_WORD) || memchr(p->token.text, '.', (size_t)p->token.length))
        return parse_expected(p, what);
    *name = p->token;
    parse_advance(p);
    return true;
}

char *parse_copy(struct parser *p, const struct token *token)
{
    return arena_copy_string(p->arena, token->text, (size_t)token->length);
}

void parse_skip_statement(struct parser *p)
{
    int depth = 0;
    for (; !parse_at(p, TOKEN_END); parse_advance(p)) {
        if (parse_at(p, ';') && !depth) {
            parse_advance(p);
            return;
        }
        if (parse_at(p, '}') && !depth)
            return;
        depth += parse_at(p, '{') - parse_at(p, '}');
    }
}

/* Skips a statement at module scope: up to and including a `;` or the braces of a body. */
static void skip_item(struct parser *p)
{
    while (!parse_at(p, TOKEN_END) && !parse_at(p, ';') && !parse_at(p, '{'))
        parse_advance(p);
    bool is_body = parse_at(p, '{');
    if (is_body)
        lex_skip_braces(&p->lexer);
    parse_advance(p);
    while (parse_at(p, '}') || parse_at(p, ';')) /* the error may have been within braces */
        parse_advance(p);
}

/* pragma = ".pragma" string {"," string} ";" */
bool parse_pragma(struct parser *p, int32_t before, bool in_function)
{
    parse_advance(p);
    do {
        if (!parse_at(p, TOKEN_STRING))
            return parse_expected(p, "a string");
        char *text = parse_copy(p, &p->token);
        if (in_function)
            vec_push(&p->body.pragmas, (struct ptx_pragma){.text = text, .before = before, .line = p->token.line});
        else
            vec_push(&p->items, (struct ptx_item){.kind = ITEM_PRAGMA, .text = text});
        parse_advance(p);
    } while (parse_accept(p, ','));
    return parse_expect(p, ';', "';'");
}

/* attribute = ".attribute" "(" directive ["(" n {"," n} ")"] {"," ...} ")" */
bool parse_attribute(struct parser *p, bool *is_managed)
{
    parse_advance(p);
    if (!parse_expect(p, '(', "'('"))
        return false;
    do {
        if (!parse_at(p, TOKEN_DIRECTIVE))
            return parse_expected(p, "an attribute");
        *is_managed |= TOKEN_IS(&p->token, ".managed");
        parse_advance(p);
        if (parse_accept(p, '(')) {
            uint64_t ignored;
            do
                if (!parse_count(p, UINT64_MAX, "a number", &ignored))
                    return false;
            while (parse_accept(p, ','));
            if (!parse_expect(p, ')', "')'"))
                return false;
        }
    } while (parse_accept(p, ','));
    return parse_expect(p, ')', "')'");
}

/* Debug sections are skipped: `.section .debug_str { ... }`. Of their contents, only names of functions are kept. */
static bool skip_section(struct parser *p)
{
    size_t offset = p->token.offset;
    bool has_strings = false;
    for (; !parse_at(p, TOKEN_END) && !parse_at(p, '{'); parse_advance(p))
        has_strings |= parse_at_directive(p, ".debug_str");
    if (has_strings && parse_at(p, '{'))
        parse_debug_strings(p);
    if (!parse_at(p, '{') || !lex_skip_braces(&p->lexer))
        return parse_fail(p, offset, "the section has no closing '}'");
    parse_advance(p);
    return true;
}

/* alias = ".alias" name "," name ";" */
static bool parse_alias(struct parser *p)
{
    struct ptx_function *function[2];
    parse_advance(p);
    for (int i = 0; i < 2; i++) {
        struct token name;
        int index;
        if ((i && !parse_expect(p, ',', "','")) || !parse_name(p, "the name of a function", &name))
            return false;
        struct symbol *symbol = symbols_find(&p->symbols, name.text, name.length, &index);
        if (!symbol || symbol->kind != SYMBOL_FUNCTION)
            return parse_fail(p, name.offset, "'%.*s' is not a declared function", shown(name.length), name.text);
        function[i] = symbol->object;
        if (i == 0 && (function[0]->is_defined || function[0]->alias_of))
            return parse_fail(p, name.offset, "'%s' is already defined", function[0]->name);
        if (i == 1 && !function[1]->is_defined)
            return parse_fail(p, name.offset, "'%s' is not defined", function[1]->name);
    }
    function[0]->alias_of = function[1];
    p->has_aliases = true;
    vec_push(&p->items, (struct ptx_item){.kind = ITEM_ALIAS, .function = function[0]});
    return parse_expect(p, ';', "';'");
}

static bool parse_item(struct parser *p)
{
    uint8_t linkage;
    if (parse_at_directive(p, ".file"))
        return parse_file(p);
    if (parse_at_directive(p, ".loc"))
        return parse_location(p);
    if (parse_at_directive(p, ".pragma"))
        return parse_pragma(p, -1, false);
    if (parse_at_directive(p, ".section"))
        return skip_section(p);
    if (parse_at_directive(p, ".alias"))
        return parse_alias(p);
    if (parse_at(p, '@')) { /* @@DWARF: debug sections of old PTX */
        lex_skip_line(&p->lexer);
        parse_advance(p);
        return true;
    }
    while (parse_linkage(p, &linkage))
        if (parse_at_directive(p, ".entry") || parse_at_directive(p, ".func") || parse_is_variable(p))
            break;
    if (parse_at_directive(p, ".entry") || parse_at_directive(p, ".func"))
        return parse_function(p, linkage);
    if (parse_is_variable(p))
        return parse_variables(p, linkage);
    if (parse_at_directive(p, ".reg"))
        return parse_fail(p, p->token.offset, "registers are declared within a function");
    return parse_expected(p, "a declaration of a variable or function");
}

/* ".version" major "." minor, which is read as one number */
static bool parse_version(struct parser *p)
{
    struct ptx_module *m = p->module;
    struct token version;
    if (!parse_at_directive(p, ".version"))
        return parse_expected(p, "'.version'");
    parse_advance(p);
    version = p->token;
    const char *dot = version.kind == TOKEN_NUMBER ? memchr(version.text, '.', (size_t)version.length) : NULL;
    if (!dot || dot > version.text + 2 || version.text + version.length > dot + 3)
        return parse_expected(p, "a version such as 7.0");
    m->version_major = atoi(version.text);
    m->version_minor = atoi(dot + 1);
    if (m->version_major < 3 || m->version_major > 9)
        return parse_fail(p, version.offset, "PTX version %d.%d is not supported; 3.0 to 9.x are", m->version_major,
                          m->version_minor);
    parse_advance(p);
    return true;
}

/* ".target" name {"," option} */
static bool parse_target(struct parser *p)
{
    struct token name;
    parse_advance(p);
    if (!parse_name(p, "a target such as sm_75", &name))
        return false;
    struct text options = {0};
    bool ok = true;
    p->module->target = parse_copy(p, &name);
    while (ok && parse_accept(p, ',')) {
        ok = parse_name(p, "an option of the target", &name);
        if (ok)
            text_printf(&options, ", %.*s", name.length, name.text);
    }
    p->module->target_options = arena_copy_string(p->arena, options.length ? options.data : "", options.length);
    text_free(&options);
    return ok;
}

static bool parse_address_size(struct parser *p)
{
    size_t offset;
    uint64_t bits;
    parse_advance(p);
    offset = p->token.offset;
    if (!parse_count(p, 64, "32 or 64", &bits))
        return false;
    if (bits != 32 && bits != 64)
        return parse_fail(p, offset, "an address has 32 or 64 bits");
    p->module->address_bits = (int)bits;
    return true;
}

static bool parse_header(struct parser *p)
{
    if (!parse_version(p))
        return false;
    if (!parse_at_directive(p, ".target"))
        return parse_expected(p, "'.target'");
    while (parse_at_directive(p, ".target"))
        if (!parse_target(p))
            return false;
    return !parse_at_directive(p, ".address_size") || parse_address_size(p);
}

static void resolve_alias(const struct ptx_function **f)
{
    if (*f && (*f)->alias_of)
        *f = (*f)->alias_of;
}

static void resolve_aliases_of(struct ptx_variable *const *variables, int count)
{
    for (int i = 0; i < count; i++)
        for (int r = 0; r < variables[i]->reloc_count; r++)
            resolve_alias((const struct ptx_function **)&variables[i]->reloc[r].function);
}

/* Replaces aliases in calls and addresses by the function that they stand for, so that no other code needs to know
 * aliases. */
static void resolve_aliases(struct parser *p)
{
    resolve_aliases_of(p->variables.data, p->variables.count);
    for (int i = 0; i < p->functions.count; i++) {
        struct ptx_function *f = p->functions.data[i];
        resolve_aliases_of(f->variables, f->variable_count);
        for (int k = 0; k < f->prototype_count; k++)
            for (int t = 0; t < f->prototypes[k]->target_count; t++)
                resolve_alias(&f->prototypes[k]->target[t]);
        for (int k = 0; k < f->instruction_count; k++)
            for (int o = 0; o < f->instructions[k].operand_count; o++) {
                struct ptx_operand *operand = &f->instructions[k].operand[o];
                resolve_alias(&operand->function);
                if (operand->call)
                    resolve_alias(&((struct ptx_call *)operand->call)->callee);
            }
    }
}

static void finish_module(struct parser *p)
{
    struct ptx_module *m = p->module;
    unique_names(p);
    if (p->has_aliases)
        resolve_aliases(p);
    vec_into_arena(&p->variables, p->arena, m->variables, m->variable_count);
    vec_into_arena(&p->functions, p->arena, m->functions, m->function_count);
    vec_into_arena(&p->files, p->arena, m->files, m->file_count);
    parse_name_locations(p);
    vec_into_arena(&p->locations, p->arena, m->locations, m->location_count);
    vec_into_arena(&p->items, p->arena, m->items, m->item_count);
}

void parse_free(struct parser *p)
{
    parse_free_locations(p);
    symbols_free(&p->symbols);
    match_free(&p->matcher);
    vec_free(&p->variables);
    vec_free(&p->functions);
    vec_free(&p->files);
    vec_free(&p->locations);
    vec_free(&p->items);
    vec_free(&p->shadowed);
    vec_free(&p->body.registers);
    vec_free(&p->body.variables);
    vec_free(&p->body.instructions);
    vec_free(&p->body.labels);
    vec_free(&p->body.targets);
    vec_free(&p->body.prototypes);
    vec_free(&p->body.pragmas);
    vec_free(&p->body.references);
}

static struct ptx_module *new_module(const char *path, const char *text, size_t length)
{
    struct arena arena = {0};
    struct ptx_module *m = arena_new(&arena, struct ptx_module);
    m->arena = arena;
    m->source.path = arena_copy_string(&m->arena, path, strlen(path));
    m->source.text = arena_copy_string(&m->arena, length ? text : "", length);
    m->source.length = length;
    m->address_bits = 64;
    return m;
}

struct ptx_module *ptx_parse(const char *path, const char *text, size_t length, struct diag *diag)
{
    struct parser p = {.diag = diag, .module = new_module(path, text, length)};
    p.arena = &p.module->arena;
    p.lexer = (struct lexer){.text = p.module->source.text, .length = length, .line = 1};
    p.body.location = -1;
    if (length > PARSE_MAX_TEXT) {
        parse_report(&p, 0, "text is larger than %d bytes", PARSE_MAX_TEXT);
        length = p.lexer.length = 0;
    }
    parse_advance(&p);
    if (parse_header(&p))
        while (!parse_at(&p, TOKEN_END) && diag->count < DIAG_MAX)
            if (!parse_item(&p))
                skip_item(&p);
    if (!diag->count)
        finish_module(&p);
    parse_free(&p);
    if (!diag->count)
        return p.module;
    diag->path = arena_copy_string(&diag->arena, path, strlen(path)); /* it was the module's */
    ptx_destroy(p.module);
    return NULL;
}

static char *read_all(FILE *file, size_t *length)
{
    struct vec_of(char) bytes = {0};
    size_t got;
    do {
        vec_reserve(&bytes, bytes.count + (1 << 16));
        got = fread(bytes.data + bytes.count, 1, (size_t)(bytes.capacity - bytes.count), file);
        bytes.count += (int)got;
    } while (got && bytes.count < PARSE_MAX_TEXT / 2);
    *length = (size_t)bytes.count;
    return bytes.data;
}

struct ptx_module *ptx_parse_file(const char *path, struct diag *diag)
{
    struct source nothing = {.path = arena_copy_string(&diag->arena, path, strlen(path)), .text = NULL, .length = 0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        diag_at(diag, &nothing, 0, "cannot read the file: %s", strerror(errno));
        return NULL;
    }
    size_t length;
    char *text = read_all(file, &length);
    int reason = errno;
    struct ptx_module *module = NULL;
    if (ferror(file))
        diag_at(diag, &nothing, 0, "cannot read the file: %s", strerror(reason));
    else if (fgetc(file) != EOF)
        diag_at(diag, &nothing, 0, "the file is longer than %d bytes", PARSE_MAX_TEXT / 2);
    else
        module = ptx_parse(path, text, length, diag);
    fclose(file);
    free(text);
    return module;
}
