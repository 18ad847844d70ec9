/*
 * A sweep that machines share through a folder that all of them see, such as one of a network file system.
 *
 *     DIR/owner            who owns the sweep: build of heddle, working folder, and whether the sweep is over
 *     DIR/open/KEY         a task that nobody has
 *     DIR/taken/KEY@NAME   a task that worker NAME has; the worker changes its time of change every second
 *     DIR/results/KEY      a result for the owner
 *
 * A file comes into a folder, and goes from one folder to another, by a rename: nobody sees half a file, and of two
 * workers that want a task one gets it. Only the owner opens the store, because SQLite cannot be used over a network
 * file system. A worker whose file stays unchanged for too long counts as dead, and its task goes back to open/. The
 * owner compares that time with its own clock alone, so clocks of machines may differ.
 */
#ifndef HEDDLE_FARM_FOLDER_H
#define HEDDLE_FARM_FOLDER_H

#include "study/trial.h"

/* Owns the sweep: lays out tasks for trials whose results are not stored, and stores what workers bring, until all are
 * done or *watch->stop is not 0. Then the tasks stay there: workers go on, and the same call goes on later. A worker
 * that was silent for `silence_seconds` counts as dead. False and an error text if the folder or the store cannot be
 * used, or the folder has an owner already. */
bool folder_own(const char *folder, struct trial *trials, int count, double silence_seconds,
                const struct trial_watch *watch, char **error);

/* Works for the owner of the folder, one run at a time, until the owner says that the sweep is over. Waits for an owner
 * that is not there yet; if the folder is that of a sweep that is over, returns at once. *done is the number of runs
 * that came to an end. False and an error text if the folder cannot be used, or is of another build of heddle. */
bool folder_work(const char *folder, const volatile sig_atomic_t *stop, int *done, char **error);

#endif
