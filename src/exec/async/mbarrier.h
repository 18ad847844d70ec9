/* Barriers in memory (mbarrier): a word in shared memory that counts arrivals and bytes, phase after phase. */
#ifndef HEDDLE_EXEC_ASYNC_MBARRIER_H
#define HEDDLE_EXEC_ASYNC_MBARRIER_H

#include "exec/engine.h"

/* Whether the operation only asks if a phase is complete. */
static inline bool mbarrier_is_wait(enum op op)
{
    return op >= OP_MBARRIER_TEST && op <= OP_MBARRIER_TRY_PARITY;
}

/* Executes an operation on mbarriers for the threads `mask` of the row at work, lane after lane. */
bool mbarrier_execute(struct engine *e, const struct bound *in, uint32_t mask);
/* Whether a wait of some of these lanes would find its phase complete, were it not for data of copies that is still
 * to come (copies.h). */
bool mbarrier_awaits_copies(struct engine *e, const struct bound *in, uint32_t mask);
/* An asynchronous copy of `bytes` bytes that one lane started is done: the mbarrier at the address in shared memory
 * counts them. False after a fault. */
bool mbarrier_complete(struct engine *e, const struct bound *in, int lane, uint64_t address, uint32_t bytes);

#endif
