/* The schedulers: one line each. */
#include "sched/sched.h"

#include <string.h>

#define SCHEDULERS(X) \
    X(lrr)            \
    X(gto)            \
    X(two_level)      \
    X(oldest)         \
    X(age)            \
    X(rrb)            \
    X(srr)            \
    X(fifo)           \
    X(pc)             \
    X(pdom_priority)  \
    X(majority)       \
    X(max_heap)       \
    X(bgto)           \
    X(lgto)

#define DECLARE(name) extern const struct sched_ops sched_##name;
SCHEDULERS(DECLARE)

#define LIST(name) &sched_##name,
static const struct sched_ops *const schedulers[] = {SCHEDULERS(LIST) NULL};

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
