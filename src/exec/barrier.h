/*
 * Barriers of a block, bar and barrier, and of a warpgroup, wgmma.wait_group. A barrier that opens resumes its threads
 * with engine_resume().
 */
#ifndef HEDDLE_EXEC_BARRIER_H
#define HEDDLE_EXEC_BARRIER_H

#include "exec/engine.h"

/* Threads of the row at work arrive; a barrier that they complete opens. */
bool barrier_arrive(struct engine *e, const struct bound *in, struct cohort here);
/* Threads of the row at work arrive and no barrier opens. For a strand of several rows, whose rows arrive one after the
 * other: if the first of them opened the barrier, the others would wait for its next opening. barrier_recheck() must
 * follow. */
bool barrier_arrive_unopened(struct engine *e, const struct bound *in, struct cohort here);
/* Opens all complete barriers of the block at work. To be called after threads ended or arrived without opening. */
void barrier_recheck(struct engine *e);

#endif
