/* createpolicy: cache policies, the 64-bit words that .L2::cache_hint takes. */
#ifndef HEDDLE_EXEC_POLICY_H
#define HEDDLE_EXEC_POLICY_H

#include "exec/engine.h"

void policy_execute(struct engine *e, const struct bound *in, uint32_t mask);

#endif
