/* Finds schedulers by name; table.h lists them. */
#include "sched/table.h"

#include "sched/sched.h"

#include <string.h>

#define DECLARE(ops, name) extern const struct sched_ops sched_##ops;
SCHED_TABLE(DECLARE)

#define LIST(ops, name) &sched_##ops,
static const struct sched_ops *const schedulers[] = {SCHED_TABLE(LIST) NULL};

const struct sched_ops *const *sched_all(void)
{
    return schedulers;
}

const struct sched_ops *sched_find(const char *name)
{
    for (const struct sched_ops *const *s = schedulers; *s; s++)
        if (!strcmp((*s)->name, name))
            return *s;
    return NULL;
}
