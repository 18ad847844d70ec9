/*
 * Workers: processes, perhaps of other machines, that carry out tasks for the owner of a store. A task comes as a text
 * (store/task.h), its result goes back as a text (store/result.h); a worker never opens the store.
 */
#ifndef HEDDLE_STUDY_WORKER_H
#define HEDDLE_STUDY_WORKER_H

#include "study/identity.h"
#include "study/trial.h"

/* Carries out the task of a text, with the limits that the task has. Returns the text of the result, which the caller
 * frees, also if the run failed. NULL and an error text if there is no result: the text is no task, the task is of
 * another build of heddle, the files that it names are other ones here, no process can be started, or *stop became
 * other than 0. */
char *worker_carry_out(struct identity *identity, const char *text, const volatile sig_atomic_t *stop, char **error);

#endif
