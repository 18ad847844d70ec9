/* st.bulk: zeroes as many bytes of shared memory as each lane asks for. */
#ifndef HEDDLE_EXEC_FILL_H
#define HEDDLE_EXEC_FILL_H

#include "exec/engine.h"

/* False after a fault. */
bool fill_execute(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask);

#endif
