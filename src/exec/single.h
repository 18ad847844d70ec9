/* What single lanes of a program's simple instructions take (struct bound_single). */
#ifndef HEDDLE_EXEC_SINGLE_H
#define HEDDLE_EXEC_SINGLE_H

#include "exec/bound.h"

/* By PC, for so many bound instructions; the caller frees it. */
struct bound_single *single_create(const struct bound *bound, int count);

#endif
