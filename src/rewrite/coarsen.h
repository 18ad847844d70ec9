/* What the two files of thread coarsening share: coarsen.c, which does it, and coarsen_check.c, which says whether. */
#ifndef HEDDLE_REWRITE_COARSEN_H
#define HEDDLE_REWRITE_COARSEN_H

#include "ptx/module.h"

struct coarsen_facts {
    /* Why the kernel cannot be coarsened, in the arena; NULL: it can. */
    const char *refusal;
    /* The threads of a block communicate, so they must all have ended one item before any of them begins the next. */
    bool needs_barrier;
};

struct coarsen_facts coarsen_check(const struct ptx_function *kernel, struct arena *arena);

#endif
