/*
 * The identity of a run: everything that its result depends on, as a task (store/task.h) with a key.
 *
 * Options are read as heddle run reads them, and the machine and the mechanism are made, so that command lines which
 * mean the same give the same key: in another order, or with a knob set to the value that it has anyway. Files are
 * known by their contents: heddle's own executable and libraries (the build), the program, a profile, files of --arg,
 * and of a program's arguments those that name files. Not known are the environment of a program and other files that
 * it reads.
 */
#ifndef HEDDLE_STUDY_IDENTITY_H
#define HEDDLE_STUDY_IDENTITY_H

#include "store/task.h"
#include "study/trial.h"

struct identity; /* remembers the build, and the hashes of files that were read */

/* NULL and an error text if heddle cannot read its own executable. */
struct identity *identity_open(char **error);
void identity_close(struct identity *i); /* may be NULL */
const char *identity_build(const struct identity *i);

/* Makes the task of a trial, in a task that is zero; its limits are 0. False and an error text, and the task is zero,
 * if the trial has no identity: its command line is wrong, a file cannot be read, CUDA source would have to be
 * compiled, or the run leaves a file beside its result (--record, --csv, --write, --trace and the like). */
bool identity_make_task(struct identity *i, const struct trial *trial, struct task *task, char **error);

#endif
