/* The table of divergence mechanisms: one line per mechanism, by the name behind `div_` of its `const struct
 * div_ops`. */
#include "div/table.h"

#include <string.h>

/* Name, and the scheduler of the mechanism's paper; "": none (div_paper_scheduler). */
#define MECHANISMS(X)     \
    X(pdom, "")           \
    X(pdom_lcp, "lrr")    \
    X(bcc, "")            \
    X(scc, "")            \
    X(tbc, "age")         \
    X(tbc_lcp, "age")     \
    X(tbc_dpe, "age")     \
    X(lwm, "two-level")   \
    X(dwf, "majority")    \
    X(dwf_wb, "majority") \
    X(capri, "gto")       \
    X(tstbc, "gto")       \
    X(tstbc_auto, "gto")  \
    X(dws, "")            \
    X(dpe, "")            \
    X(multipath, "")      \
    X(frontiers, "")      \
    X(sbi, "")            \
    X(swi, "")            \
    X(temporal, "")       \
    X(robust, "")         \
    X(ws, "gto")          \
    X(vws, "bgto")        \
    X(volta, "")          \
    X(reed, "")           \
    X(mimd, "")           \
    X(bound, "")

#define DECLARE(name, scheduler) extern const struct div_ops div_##name;
MECHANISMS(DECLARE)

#define LIST(name, scheduler) &div_##name,
static const struct div_ops *const mechanisms[] = {MECHANISMS(LIST) NULL};

#define LIST_SCHEDULER(name, scheduler) scheduler,
static const char *const schedulers[] = {MECHANISMS(LIST_SCHEDULER) NULL};

const struct div_ops *const *div_all(void)
{
    return mechanisms;
}

const struct div_ops *div_find(const char *name)
{
    for (const struct div_ops *const *m = mechanisms; *m; m++)
        if (!strcmp((*m)->name, name))
            return *m;
    return NULL;
}

const char *div_paper_scheduler(const struct div_ops *mechanism)
{
    for (int i = 0; mechanisms[i]; i++)
        if (mechanisms[i] == mechanism)
            return schedulers[i];
    return "";
}
