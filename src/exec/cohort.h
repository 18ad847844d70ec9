/* Running the cohorts of a row: how the functional engine orders threads of a row that diverged. */
#ifndef HEDDLE_EXEC_COHORT_H
#define HEDDLE_EXEC_COHORT_H

#include "exec/engine.h"

enum run_end {
    RUN_FAULT,
    RUN_BLOCKED, /* no cohort is ready: all threads wait or have ended */
    RUN_QUANTUM, /* the quantum is used up */
    RUN_POLLING, /* the threads that are ready wait for other rows by polling memory */
    RUN_IDLE     /* all threads of a block wait, some of them perhaps for other blocks of the cluster */
};

/* Runs the cohorts of the row at work, whose turn has begun (turn.h), until its turn ends. Rows behind it may have
 * their turns, too, one after the other: then the last of these is at work. `has_locks` belongs to the launch, is false
 * at its start, and is set once a row's threads did not reconverge for so long that a lagging cohort was given a turn.
 */
enum run_end cohort_run_row(struct engine *e, bool *has_locks);
/* Index of the ready cohort that runs next; -1: none is ready. That is the cohort deepest in calls and, among equals,
 * lowest in PC; or, with `by_turn`, the cohort whose threads have waited longest for a turn. */
int cohort_pick(const struct row *row, bool by_turn);

#endif
