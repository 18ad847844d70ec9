/* The linker's inside: what link.c, which resolves names, and link_join.c, which redirects references and joins the
 * modules, share. The interface is link.h. */
#ifndef HEDDLE_PTX_LINK_INTERNAL_H
#define HEDDLE_PTX_LINK_INTERNAL_H

#include "ptx/module.h"

/* What the functions and variables of one module become, by their index in the module. */
struct link_map {
    const struct ptx_module *module;
    struct ptx_function **functions; /* in the linked module; the module's own one: it is kept */
    struct ptx_variable **variables; /* the same for variables at module scope; NULL: dropped, since nothing uses it */
    bool *uses_function, *uses_variable; /* a function or variable that is kept refers to it */
};

/* Redirects the references of what is kept of a module, and notes them. */
void link_rewrite(struct link_map *map);
/* Whether the module refers to this function or variable of the linked module; one of the two is NULL. */
bool link_map_uses(const struct link_map *map, const struct ptx_function *function,
                   const struct ptx_variable *variable);
/* Moves what is kept of the modules into the first one. */
struct ptx_module *link_join(const struct link_map *maps, struct ptx_module **modules, int count,
                             struct arena *scratch);

#endif
