/*
 * Linking of parsed modules; see link.h. In three passes: each name that modules share gets its definition; each module
 * gets a table from its own functions and variables to those of the linked module, by which link_rewrite.c redirects
 * references; then the lists of the modules are joined.
 */
#include "ptx/link.h"

#include "base/vec.h"
#include "ptx/link_internal.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* How much a definition counts; the higher one goes before the lower. */
enum rank { RANK_UNDEFINED, RANK_COMMON, RANK_WEAK, RANK_STRONG };

/* A name that modules share. */
struct link_symbol {
    const char *name;
    enum rank rank;
    struct ptx_function *function; /* or NULL */
    struct ptx_variable *variable; /* or NULL */
    int module;                    /* that holds the function or variable */
    bool is_wrong;                 /* an error was reported for the name */
    UT_hash_handle hh;
};

/* A name of module scope in the linked module. */
struct link_name {
    const char *text;
    UT_hash_handle hh;
};

struct linker {
    struct ptx_module **modules;
    struct link_map *maps; /* by module */
    int count;
    enum ptx_link_rule rule;
    struct text *errors;
    struct arena scratch;
    struct link_symbol *symbols;
    struct link_name *names;
};

bool ptx_is_device_runtime(const char *name)
{
    static const char *const prefixes[] = {"cuda", "__cuda", "cnp"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

bool ptx_is_system_function(const char *name)
{
    static const char *const names[] = {"vprintf", "__assertfail", "malloc", "free"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return ptx_is_device_runtime(name);
}

static const char *path_of(const struct linker *l, int module)
{
    return l->modules[module]->source.path;
}

/* ---- which definition a shared name has ---- */

static enum rank rank_of(uint8_t linkage)
{
    return linkage == LINKAGE_WEAK ? RANK_WEAK : linkage == LINKAGE_COMMON ? RANK_COMMON : RANK_STRONG;
}

static enum rank function_rank(const struct ptx_function *f)
{
    return f->is_defined || f->alias_of ? rank_of(f->linkage) : RANK_UNDEFINED;
}

static enum rank variable_rank(const struct ptx_variable *v)
{
    return v->linkage == LINKAGE_EXTERN ? RANK_UNDEFINED : rank_of(v->linkage);
}

/* Kernels are shared whether they say so or not, because the host finds them by name. */
static bool function_is_shared(const struct linker *l, const struct ptx_function *f)
{
    bool is_undefined = !f->is_defined && !f->alias_of;
    if (l->rule == LINK_APART)
        return is_undefined;
    return is_undefined || f->is_entry || f->linkage != LINKAGE_NONE;
}

/* Dynamic shared memory, `extern .shared x[]`, is no variable of another module: the launch provides it. */
static bool variable_is_shared(const struct linker *l, const struct ptx_variable *v)
{
    bool is_dynamic = v->linkage == LINKAGE_EXTERN && v->is_unsized && v->space == SPACE_SHARED;
    return l->rule == LINK_TOGETHER && v->linkage != LINKAGE_NONE && !is_dynamic;
}

static struct link_symbol *find_symbol(const struct linker *l, const char *name)
{
    struct link_symbol *symbol;
    HASH_FIND_STR(l->symbols, name, symbol);
    return symbol;
}

static int line_of(const struct link_symbol *s)
{
    return s->function ? s->function->line : s->variable->line;
}

/* Takes the definition if it goes before the one that the name has. */
static void offer(struct linker *l, const struct link_symbol *offered)
{
    struct link_symbol *old = find_symbol(l, offered->name);
    if (!old) {
        old = arena_new(&l->scratch, struct link_symbol);
        *old = *offered;
        HASH_ADD_KEYPTR(hh, l->symbols, old->name, strlen(old->name), old);
        return;
    }
    if (!old->function != !offered->function) {
        old->is_wrong = true;
        text_printf(l->errors, "'%s' is a %s in %s, line %d, and a %s in %s, line %d\n", old->name,
                    old->function ? "function" : "variable", path_of(l, old->module), line_of(old),
                    offered->function ? "function" : "variable", path_of(l, offered->module), line_of(offered));
        return;
    }
    if (old->rank == RANK_STRONG && offered->rank == RANK_STRONG) {
        text_printf(l->errors, "'%s' is defined twice: in %s, line %d, and in %s, line %d\n", old->name,
                    path_of(l, old->module), line_of(old), path_of(l, offered->module), line_of(offered));
        return;
    }
    bool is_larger = old->rank == RANK_COMMON && offered->rank == RANK_COMMON && offered->variable &&
                     offered->variable->size_bytes > old->variable->size_bytes;
    if (offered->rank > old->rank || is_larger) {
        old->rank = offered->rank;
        old->function = offered->function;
        old->variable = offered->variable;
        old->module = offered->module;
    }
}

static void gather(struct linker *l, int module)
{
    const struct ptx_module *m = l->modules[module];
    for (int i = 0; i < m->function_count; i++) {
        struct ptx_function *f = m->functions[i];
        if (function_is_shared(l, f))
            offer(l, &(struct link_symbol){.name = f->name, .rank = function_rank(f), .function = f, .module = module});
    }
    for (int i = 0; i < m->variable_count; i++) {
        struct ptx_variable *v = m->variables[i];
        if (variable_is_shared(l, v))
            offer(l, &(struct link_symbol){.name = v->name, .rank = variable_rank(v), .variable = v, .module = module});
    }
}

/* ---- what each module's own symbols become ---- */

static bool same_formals(struct ptx_variable *const *a, int a_count, struct ptx_variable *const *b, int b_count)
{
    if (a_count != b_count)
        return false;
    for (int i = 0; i < a_count; i++)
        if (a[i]->size_bytes != b[i]->size_bytes || a[i]->is_register != b[i]->is_register)
            return false;
    return true;
}

static bool same_function(const struct ptx_function *a, const struct ptx_function *b)
{
    return a->is_entry == b->is_entry &&
           same_formals(a->parameters, a->parameter_count, b->parameters, b->parameter_count) &&
           same_formals(a->returns, a->return_count, b->returns, b->return_count);
}

/* Whether the variable stands for a texture, sampler or surface, not for bytes. */
static bool is_reference(const struct ptx_variable *v)
{
    return v->type >= TYPE_TEXREF && v->type <= TYPE_SURFREF;
}

static bool same_variable(const struct ptx_variable *a, const struct ptx_variable *b)
{
    if ((is_reference(a) || is_reference(b)) && a->type != b->type)
        return false;
    bool may_differ = a->is_unsized || b->is_unsized || (a->linkage == LINKAGE_COMMON && b->linkage == LINKAGE_COMMON);
    return a->space == b->space && (may_differ || a->size_bytes == b->size_bytes);
}

static void say_difference(struct linker *l, const struct link_symbol *here, const struct link_symbol *there)
{
    text_printf(l->errors, "'%s' is declared differently in %s, line %d, and in %s, line %d\n", here->name,
                path_of(l, here->module), line_of(here), path_of(l, there->module), line_of(there));
}

static void map_module(struct linker *l, int module)
{
    const struct ptx_module *m = l->modules[module];
    struct link_map *map = &l->maps[module];
    map->module = m;
    map->functions = arena_array(&l->scratch, struct ptx_function *, (size_t)m->function_count);
    map->variables = arena_array(&l->scratch, struct ptx_variable *, (size_t)m->variable_count);
    map->uses_function = arena_array(&l->scratch, bool, (size_t)m->function_count);
    map->uses_variable = arena_array(&l->scratch, bool, (size_t)m->variable_count);
    for (int i = 0; i < m->function_count; i++) {
        struct ptx_function *f = m->functions[i];
        struct link_symbol *symbol = function_is_shared(l, f) ? find_symbol(l, f->name) : NULL;
        map->functions[i] = symbol && symbol->function ? symbol->function : f;
        if (!same_function(f, map->functions[i])) {
            say_difference(l, &(struct link_symbol){.name = f->name, .function = f, .module = module}, symbol);
            map->functions[i] = f;
        }
    }
    for (int i = 0; i < m->variable_count; i++) {
        struct ptx_variable *v = m->variables[i];
        struct link_symbol *symbol = variable_is_shared(l, v) ? find_symbol(l, v->name) : NULL;
        map->variables[i] = symbol && symbol->variable ? symbol->variable : v;
        if (!same_variable(v, map->variables[i])) {
            say_difference(l, &(struct link_symbol){.name = v->name, .variable = v, .module = module}, symbol);
            map->variables[i] = v;
        }
    }
}

/* References to an alias go to the function that it stands for, wherever that one came from. */
static void resolve_aliases(struct linker *l)
{
    for (int m = 0; m < l->count; m++)
        for (int i = 0; i < l->maps[m].module->function_count; i++) {
            struct ptx_function *f = l->maps[m].functions[i];
            for (int owner = 0; f->alias_of && owner < l->count; owner++)
                if (l->modules[owner] == f->module)
                    l->maps[m].functions[i] = l->maps[owner].functions[f->alias_of->index];
        }
}

/* ---- names of module scope ---- */

static bool is_taken(const struct linker *l, const char *name)
{
    struct link_name *found;
    HASH_FIND_STR(l->names, name, found);
    return found != NULL;
}

static void take_name(struct linker *l, const char *name)
{
    struct link_name *entry = arena_new(&l->scratch, struct link_name);
    entry->text = name;
    HASH_ADD_KEYPTR(hh, l->names, entry->text, strlen(entry->text), entry);
}

/* Whether a function of the module has the name for something of its own. */
static bool is_inner_name(const struct ptx_module *m, const char *name)
{
    for (int i = 0; i < m->function_count; i++) {
        const struct ptx_function *f = m->functions[i];
        for (int k = 0; k < f->register_count; k++)
            if (!strcmp(f->registers[k].name, name))
                return true;
        for (int k = 0; k < f->variable_count; k++)
            if (!strcmp(f->variables[k]->name, name))
                return true;
        for (int k = 0; k < f->parameter_count; k++)
            if (!strcmp(f->parameters[k]->name, name))
                return true;
        for (int k = 0; k < f->label_count; k++)
            if (!strcmp(f->labels[k].name, name))
                return true;
    }
    return false;
}

/* Gives a private symbol of a module a name that nothing else has. */
static void name_private(struct linker *l, int module, const char **name)
{
    const char *fresh = *name;
    for (int n = module + 1; is_taken(l, fresh) || (fresh != *name && is_inner_name(l->modules[module], fresh)); n++)
        fresh = arena_printf(&l->modules[0]->arena, "%s$%d", *name, n);
    *name = fresh;
    take_name(l, fresh);
}

static void name_all(struct linker *l)
{
    struct link_symbol *symbol, *next;
    HASH_ITER(hh, l->symbols, symbol, next)
    take_name(l, symbol->name);
    for (int m = 0; m < l->count; m++) {
        const struct ptx_module *module = l->modules[m];
        for (int i = 0; i < module->function_count; i++)
            if (!function_is_shared(l, module->functions[i]))
                name_private(l, m, &module->functions[i]->name);
        for (int i = 0; i < module->variable_count; i++)
            if (!variable_is_shared(l, module->variables[i]))
                name_private(l, m, &module->variables[i]->name);
    }
}

/* ---- what is not there ---- */

/* Drops the declarations of a variable that nothing uses and no module defines. */
static void drop_variable(struct linker *l, const struct ptx_variable *variable)
{
    for (int m = 0; m < l->count; m++)
        for (int i = 0; i < l->maps[m].module->variable_count; i++)
            if (l->maps[m].variables[i] == variable)
                l->maps[m].variables[i] = NULL;
}

static void check_defined(struct linker *l)
{
    struct link_symbol *symbol, *next;
    HASH_ITER(hh, l->symbols, symbol, next)
    {
        bool is_missing = l->rule == LINK_TOGETHER && symbol->rank == RANK_UNDEFINED && !symbol->is_wrong;
        if (!is_missing || (symbol->function && ptx_is_system_function(symbol->name)))
            continue;
        const char *user = NULL;
        for (int m = 0; m < l->count && !user; m++)
            if (link_map_uses(&l->maps[m], symbol->function, symbol->variable))
                user = path_of(l, m);
        if (user)
            text_printf(l->errors, "%s '%s', which %s uses, is not defined\n",
                        symbol->function ? "function" : "variable", symbol->name, user);
        else if (symbol->variable)
            drop_variable(l, symbol->variable);
    }
}

static void check_headers(struct linker *l)
{
    for (int m = 1; m < l->count; m++)
        if (l->modules[m]->address_bits != l->modules[0]->address_bits)
            text_printf(l->errors, "%s has addresses of %d bits, and %s of %d\n", path_of(l, m),
                        l->modules[m]->address_bits, path_of(l, 0), l->modules[0]->address_bits);
}

static void destroy_modules(struct linker *l)
{
    for (int m = 0; m < l->count; m++)
        ptx_destroy(l->modules[m]);
}

bool ptx_link_fits(struct ptx_module **modules, int count, struct text *errors)
{
    struct linker l = {.modules = modules, .count = count, .rule = LINK_TOGETHER, .errors = errors};
    size_t errors_before = errors->length;
    l.maps = arena_array(&l.scratch, struct link_map, (size_t)count);
    check_headers(&l);
    for (int m = 0; m < count; m++)
        gather(&l, m);
    for (int m = 0; m < count; m++)
        map_module(&l, m);
    HASH_CLEAR(hh, l.symbols);
    arena_free(&l.scratch);
    return errors->length == errors_before;
}

struct ptx_module *ptx_link(struct ptx_module **modules, int count, enum ptx_link_rule rule, struct text *errors)
{
    struct linker l = {.modules = modules, .count = count, .rule = rule, .errors = errors};
    if (count == 1 && rule == LINK_APART)
        return modules[0];
    l.maps = arena_array(&l.scratch, struct link_map, (size_t)count);
    size_t errors_before = errors->length;
    check_headers(&l);
    for (int m = 0; m < count; m++)
        gather(&l, m);
    for (int m = 0; m < count; m++)
        map_module(&l, m);
    resolve_aliases(&l);
    name_all(&l);
    for (int m = 0; m < count; m++)
        link_rewrite(&l.maps[m]);
    check_defined(&l);
    struct ptx_module *linked = NULL;
    if (errors->length == errors_before)
        linked = link_join(l.maps, modules, count, &l.scratch);
    else
        destroy_modules(&l);
    HASH_CLEAR(hh, l.symbols);
    HASH_CLEAR(hh, l.names);
    arena_free(&l.scratch);
    return linked;
}
