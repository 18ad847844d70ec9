/* Modules: finding functions, variables and labels, and destroying a module. See module.h. */
#include "ptx/module.h"

#include <string.h>

void ptx_destroy(struct ptx_module *module)
{
    if (!module)
        return;
    struct arena arena = module->arena; /* the module lies in its own arena */
    arena_free(&arena);
}

struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name)
{
    for (int i = 0; i < module->function_count; i++) {
        struct ptx_function *f = module->functions[i];
        if (!strcmp(f->name, name))
            return f->alias_of ? module->functions[f->alias_of->index] : f;
    }
    return NULL;
}

const struct ptx_variable *ptx_find_variable(const struct ptx_module *module, const char *name)
{
    for (int i = 0; i < module->variable_count; i++)
        if (!strcmp(module->variables[i]->name, name))
            return module->variables[i];
    return NULL;
}

const struct ptx_label *ptx_label_at(const struct ptx_function *function, int32_t target)
{
    int low = 0, high = function->label_count; /* labels are in the order of their targets */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (function->labels[middle].target < target)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < function->label_count && function->labels[low].target == target;
    return found ? &function->labels[low] : NULL;
}
