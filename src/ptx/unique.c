/*
 * Unique names: nested braces may give a name a second meaning, and a function may reuse a name of module scope. A
 * module keeps everything of a function in flat lists, so the later meaning is renamed to `x$1`.
 */
#include "ptx/parse.h"

#include <uthash.h>

struct used_name {
    const char *text;
    int next; /* number to try for the next meaning of this name */
    UT_hash_handle hh;
};

struct unique_namer {
    struct parser *parser;
    struct used_name *names;
};

static struct used_name *find(const struct unique_namer *n, const char *text)
{
    struct used_name *used;
    HASH_FIND_STR(n->names, text, used);
    return used;
}

static bool is_of_module(const struct unique_namer *n, const char *text)
{
    int index;
    return symbols_find(&n->parser->symbols, text, (int)strlen(text), &index) != NULL;
}

static struct used_name *add(struct unique_namer *n, const char *text)
{
    struct used_name *used = arena_new(&n->parser->symbols.arena, struct used_name);
    used->text = text;
    used->next = 1;
    HASH_ADD_KEYPTR(hh, n->names, used->text, strlen(used->text), used);
    return used;
}

/* Renames if the name is taken. True: the name was changed. */
static bool make_unique(struct unique_namer *n, const char **name)
{
    struct used_name *used = find(n, *name);
    if (!used && !is_of_module(n, *name)) {
        add(n, *name);
        return false;
    }
    if (!used)
        used = add(n, *name);
    const char *fresh;
    do
        fresh = arena_printf(n->parser->arena, "%s$%d", *name, used->next++);
    while (find(n, fresh) || is_of_module(n, fresh));
    add(n, fresh);
    *name = fresh;
    return true;
}

static void name_registers(struct unique_namer *n, struct ptx_function *f)
{
    for (int i = 0; i < f->register_count; i++) {
        struct ptx_register *r = &f->registers[i];
        int components = r->vector > 1 ? r->vector : 0;
        if (make_unique(n, &r->name))
            for (int k = 0; k < components; k++)
                r[1 + k].name = arena_printf(n->parser->arena, "%s.%c", r->name, "xyzw"[k]);
        i += components;
    }
}

/* Gives a formal parameter that is a register the name of the register. */
static void name_formals(struct unique_namer *n, struct ptx_function *f, struct ptx_variable **formals, int count)
{
    for (int i = 0; i < count; i++)
        if (formals[i]->is_register)
            formals[i]->name = f->registers[formals[i]->reg].name;
        else
            make_unique(n, &formals[i]->name);
}

static void name_function(struct parser *p, struct ptx_function *f)
{
    struct unique_namer n = {.parser = p};
    name_registers(&n, f);
    name_formals(&n, f, f->returns, f->return_count);
    name_formals(&n, f, f->parameters, f->parameter_count);
    for (int i = 0; i < f->variable_count; i++)
        make_unique(&n, &f->variables[i]->name);
    for (int i = 0; i < f->label_count; i++)
        make_unique(&n, &f->labels[i].name);
    for (int i = 0; i < f->prototype_count; i++)
        make_unique(&n, &f->prototypes[i]->name);
    for (int i = 0; i < f->targets_count; i++) {
        make_unique(&n, &f->targets[i]->name);
        for (int k = 0; k < f->targets[i]->count; k++)
            f->targets[i]->label[k] = ptx_label_at(f, f->targets[i]->target[k])->name;
    }
    HASH_CLEAR(hh, n.names);
}

void unique_names(struct parser *p)
{
    bool all = p->symbols.late_shadowing;
    for (int i = 0; i < (all ? p->functions.count : p->shadowed.count); i++) {
        struct ptx_function *f = all ? p->functions.data[i] : p->shadowed.data[i];
        if (f->is_defined)
            name_function(p, f);
    }
}
