/* The table of divergence mechanisms: one line per mechanism, by the name behind `div_` of its `const struct
 * div_ops`. */
#include "div/table.h"

#include <string.h>

#define MECHANISMS(X) \
    X(pdom)           \
    X(pdom_lcp)       \
    X(bcc)            \
    X(scc)            \
    X(tbc)            \
    X(tbc_lcp)        \
    X(tbc_dpe)        \
    X(lwm)            \
    X(dwf)            \
    X(dwf_wb)         \
    X(capri)          \
    X(tstbc)          \
    X(tstbc_auto)     \
    X(dws)            \
    X(dpe)            \
    X(multipath)      \
    X(frontiers)      \
    X(ws)             \
    X(vws)            \
    X(volta)          \
    X(mimd)

#define DECLARE(name) extern const struct div_ops div_##name;
MECHANISMS(DECLARE)

#define LIST(name) &div_##name,
static const struct div_ops *const mechanisms[] = {MECHANISMS(LIST) NULL};

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
