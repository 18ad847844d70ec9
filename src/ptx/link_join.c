/* The second half of linking: references go to the functions and variables that were chosen, and the lists of all
 * modules become those of the first. See link_internal.h. */
#include "ptx/link_internal.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* ---- references ---- */

static void redirect_function(struct link_map *map, const struct ptx_function **function)
{
    const struct ptx_function *f = *function;
    if (!f || f->module != map->module) /* an operand that was visited before may name another module's function */
        return;
    map->uses_function[f->index] = true;
    *function = map->functions[f->index];
}

static void redirect_variable(struct link_map *map, const struct ptx_variable **variable)
{
    const struct ptx_variable *v = *variable;
    const struct ptx_module *m = map->module;
    if (!v || v->owner || v->index < 0 || v->index >= m->variable_count || m->variables[v->index] != v)
        return;
    map->uses_variable[v->index] = true;
    *variable = map->variables[v->index];
}

static void redirect_operand(struct link_map *map, struct ptx_operand *o);

static void redirect_call(struct link_map *map, struct ptx_call *call)
{
    redirect_function(map, &call->callee);
    for (int i = 0; i < call->return_count; i++)
        redirect_operand(map, &call->returns[i]);
    for (int i = 0; i < call->argument_count; i++)
        redirect_operand(map, &call->arguments[i]);
}

static void redirect_operand(struct link_map *map, struct ptx_operand *o)
{
    redirect_function(map, &o->function);
    redirect_variable(map, &o->variable);
    if (o->call)
        redirect_call(map, (struct ptx_call *)o->call);
    for (int i = 0; o->element && i < o->element_count; i++)
        redirect_operand(map, &o->element[i]);
}

static void redirect_initial_value(struct link_map *map, struct ptx_variable *v)
{
    for (int i = 0; i < v->reloc_count; i++) {
        struct ptx_reloc *r = (struct ptx_reloc *)&v->reloc[i];
        redirect_function(map, &r->function);
        redirect_variable(map, &r->variable);
    }
}

static void redirect_body(struct link_map *map, struct ptx_function *f)
{
    for (int i = 0; i < f->variable_count; i++)
        redirect_initial_value(map, f->variables[i]);
    for (int i = 0; i < f->prototype_count; i++)
        for (int t = 0; t < f->prototypes[i]->target_count; t++)
            redirect_function(map, &f->prototypes[i]->target[t]);
    for (int i = 0; i < f->instruction_count; i++)
        for (int o = 0; o < f->instructions[i].operand_count; o++)
            redirect_operand(map, &f->instructions[i].operand[o]);
}

void link_rewrite(struct link_map *map)
{
    const struct ptx_module *m = map->module;
    for (int i = 0; i < m->function_count; i++)
        if (map->functions[i] == m->functions[i])
            redirect_body(map, m->functions[i]);
    for (int i = 0; i < m->variable_count; i++)
        if (map->variables[i] == m->variables[i])
            redirect_initial_value(map, m->variables[i]);
}

bool link_map_uses(const struct link_map *map, const struct ptx_function *function, const struct ptx_variable *variable)
{
    for (int i = 0; function && i < map->module->function_count; i++)
        if (map->functions[i] == function && map->uses_function[i])
            return true;
    for (int i = 0; variable && i < map->module->variable_count; i++)
        if (map->variables[i] == variable && map->uses_variable[i])
            return true;
    return false;
}

/* ---- joining ---- */

/* A function or variable that the joined items have declared or defined already. */
struct declared {
    const void *object;
    bool is_defined;
    UT_hash_handle hh;
};

struct joiner {
    struct ptx_module *linked;
    struct arena *scratch;
    struct vec_of(struct ptx_function *) functions;
    struct vec_of(struct ptx_variable *) variables;
    struct vec_of(struct ptx_file) files;
    struct vec_of(struct ptx_location) locations;
    struct vec_of(struct ptx_item) items;
    struct declared *declared;
};

/* Functions and variables are listed in the order in which they are first declared, as the parser lists them. */
static void add_item(struct joiner *j, struct ptx_item item)
{
    const void *object = item.function ? (void *)item.function : (void *)item.variable;
    struct declared *entry;
    HASH_FIND(hh, j->declared, &object, sizeof object, entry);
    if (entry && (entry->is_defined || item.kind == ITEM_DECLARATION))
        return;
    if (!entry) {
        entry = arena_new(j->scratch, struct declared);
        entry->object = object;
        HASH_ADD(hh, j->declared, object, sizeof object, entry);
        if (item.function)
            vec_push(&j->functions, item.function);
        else
            vec_push(&j->variables, item.variable);
    }
    entry->is_defined = item.kind == ITEM_DEFINITION;
    vec_push(&j->items, item);
}

/* Statements in the order of the texts. What another module defines is declared where this one declared or defined it.
 * Aliases are gone: all references name the functions that they stood for. */
static void join_items(struct joiner *j, const struct link_map *map)
{
    for (int i = 0; i < map->module->item_count; i++) {
        struct ptx_item item = map->module->items[i];
        if (item.kind == ITEM_PRAGMA) {
            vec_push(&j->items, item);
        } else if (item.function && !item.function->alias_of) {
            struct ptx_function *to = map->functions[item.function->index];
            item.kind = to == item.function ? item.kind : ITEM_DECLARATION;
            item.function = to;
            add_item(j, item);
        } else if (item.variable && map->variables[item.variable->index]) {
            struct ptx_variable *to = map->variables[item.variable->index];
            item.kind = to == item.variable ? item.kind : ITEM_DECLARATION;
            item.variable = to;
            add_item(j, item);
        }
    }
}

/* The number of a source file in the linked module: files of equal paths are one file. */
static int add_file(struct joiner *j, const char *path)
{
    for (int i = 0; i < j->files.count; i++)
        if (!strcmp(j->files.data[i].path, path))
            return j->files.data[i].number;
    int number = j->files.count + 1;
    vec_push(&j->files, (struct ptx_file){.number = number, .path = path});
    return number;
}

static void join_locations(struct joiner *j, const struct ptx_module *m)
{
    int base = j->locations.count;
    int *number = arena_array(j->scratch, int, (size_t)m->file_count); /* by file of the module */
    for (int i = 0; i < m->file_count; i++)
        number[i] = add_file(j, m->files[i].path);
    for (int i = 0; i < m->location_count; i++) {
        struct ptx_location l = m->locations[i];
        int file = 0;
        while (file < m->file_count && m->files[file].number != l.file)
            file++;
        l.file = file < m->file_count ? number[file] : 0; /* no file has number 0 */
        l.inlined_at = l.inlined_at < 0 ? -1 : l.inlined_at + base;
        vec_push(&j->locations, l);
    }
}

/* Gives the instructions of a function their places in the joined table of locations. "PTX line 12" says little
 * where the PTX has several texts, so an instruction without a source line gets that line of its module's text. */
static void move_locations(struct joiner *j, const struct ptx_module *m, struct ptx_function *f, int base,
                           int text_file)
{
    int line = -1, location = -1; /* of the last line of the text that got a location */
    for (int i = 0; i < f->instruction_count; i++) {
        struct ptx_instruction *insn = &f->instructions[i];
        if (insn->location >= 0 && insn->location < m->location_count) {
            insn->location += base;
            continue;
        }
        if (insn->line != line) {
            line = insn->line;
            location = j->locations.count;
            vec_push(&j->locations, (struct ptx_location){.file = text_file, .line = line, .inlined_at = -1});
        }
        insn->location = location;
    }
}

static void join_module(struct joiner *j, const struct link_map *map)
{
    const struct ptx_module *m = map->module;
    int base = j->locations.count;
    join_locations(j, m);
    join_items(j, map);
    int text_file = add_file(j, m->source.path);
    for (int i = 0; i < m->function_count; i++)
        if (map->functions[i] == m->functions[i])
            move_locations(j, m, m->functions[i], base, text_file);
}

static int target_number(const struct ptx_module *m)
{
    const char *digits = m->target ? strpbrk(m->target, "0123456789") : NULL;
    return digits ? atoi(digits) : 0;
}

/* The newest version and the highest target of all modules. */
static void join_header(struct ptx_module *linked, const struct ptx_module *m)
{
    if (m->version_major > linked->version_major ||
        (m->version_major == linked->version_major && m->version_minor > linked->version_minor)) {
        linked->version_major = m->version_major;
        linked->version_minor = m->version_minor;
    }
    if (target_number(m) > target_number(linked))
        linked->target = m->target;
    if (!*linked->target_options)
        linked->target_options = m->target_options;
}

/* Indices and the module of functions change last, since the maps are indexed by the old ones. */
static void finish(struct joiner *j)
{
    struct ptx_module *linked = j->linked;
    for (int i = 0; i < j->functions.count; i++) {
        j->functions.data[i]->index = i;
        j->functions.data[i]->module = linked;
    }
    for (int i = 0; i < j->variables.count; i++)
        j->variables.data[i]->index = i;
    vec_into_arena(&j->functions, &linked->arena, linked->functions, linked->function_count);
    vec_into_arena(&j->variables, &linked->arena, linked->variables, linked->variable_count);
    vec_into_arena(&j->files, &linked->arena, linked->files, linked->file_count);
    vec_into_arena(&j->locations, &linked->arena, linked->locations, linked->location_count);
    vec_into_arena(&j->items, &linked->arena, linked->items, linked->item_count);
    HASH_CLEAR(hh, j->declared);
}

struct ptx_module *link_join(const struct link_map *maps, struct ptx_module **modules, int count, struct arena *scratch)
{
    struct joiner j = {.linked = modules[0], .scratch = scratch};
    for (int m = 0; m < count; m++)
        join_module(&j, &maps[m]);
    for (int m = 1; m < count; m++)
        join_header(j.linked, modules[m]);
    finish(&j);
    for (int m = 1; m < count; m++) {
        struct arena arena = modules[m]->arena; /* the module lies in its own arena */
        arena_adopt(&j.linked->arena, &arena);
    }
    return j.linked;
}
