/* The probes: one line each. */
#include "tests/probes/probes.h"

#include <string.h>

static const struct div_ops *const probes[] = {&probe_regroup, &probe_gangs, &probe_barriers, &probe_split};

const struct div_ops *probe_find(const char *name)
{
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
        if (!strcmp(probes[i]->name, name))
            return probes[i];
    return NULL;
}
