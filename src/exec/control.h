/* Instructions after which threads of a cohort may be at different PCs, wait, or have ended. */
#ifndef HEDDLE_EXEC_CONTROL_H
#define HEDDLE_EXEC_CONTROL_H

#include "exec/engine.h"

/* Executes the instruction for the threads `mask` of the cohort `here`, which is no longer in the row's list. Threads
 * that the guard holds back (the cohort's others) go on at the next PC. All threads that go on are reported with
 * engine_resume(). */
bool control_execute(struct engine *e, const struct bound *in, struct cohort here, uint32_t mask);

/* Ends threads of the row at work; barriers and rendezvous that wait for no other thread open. */
void control_end_threads(struct engine *e, uint32_t mask);

#endif
