/* Rendezvous: threads of a row wait at a warp-level operation with .sync until all live threads of its member mask have
 * come. */
#ifndef HEDDLE_EXEC_RENDEZVOUS_H
#define HEDDLE_EXEC_RENDEZVOUS_H

#include "exec/engine.h"

/* Threads of the row at work come to the operation. If they complete it, all threads that it names go on. */
bool rendezvous_arrive(struct engine *e, const struct bound *in, struct cohort here);
/* Completes every operation that no longer waits for a live thread. To be called after threads of the row ended. */
void rendezvous_recheck(struct engine *e, struct row *row);
/* Do the threads `lanes`, which are at a rendezvous, wait for a thread of `goal`? Either they name it, or they name a
 * thread that is at another rendezvous and waits for a thread of `goal` in turn. */
bool rendezvous_waits_for(struct engine *e, struct row *row, uint32_t lanes, uint32_t goal);

#endif
