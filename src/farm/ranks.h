/*
 * A sweep of processes that mpirun or srun started: the first owns the store and gives tasks to the others, one at a
 * time. Texts begin with a letter that says what they are.
 */
#ifndef HEDDLE_FARM_RANKS_H
#define HEDDLE_FARM_RANKS_H

#include "farm/transport.h"
#include "study/trial.h"

/* The first process: gives trials whose results are not stored to the others, and stores what they bring, until all are
 * done or *watch->stop is not 0. False and an error text if the store cannot be used, or no process can do the rest.
 * Then the others have been told to end, unless *is_deserted: some did not answer within five seconds after
 * *watch->stop, because they are gone or do not know of it, and finish() would wait for them. */
bool ranks_own(const struct transport *t, struct trial *trials, int count, const struct trial_watch *watch,
               bool *is_deserted, char **error);
/* Tells the other processes to end, where there is nothing to be done. */
void ranks_dismiss(const struct transport *t);

/* Any other process: works until the first one says that the sweep is over. False and an error text if it cannot work;
 * the first process knows by then. */
bool ranks_work(const struct transport *t, const volatile sig_atomic_t *stop, char **error);

#endif
