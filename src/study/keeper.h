/*
 * A keeper: results of trials that are taken from a store and put into it. What is stored with the same key is not run
 * again.
 */
#ifndef HEDDLE_STUDY_KEEPER_H
#define HEDDLE_STUDY_KEEPER_H

#include "store/store.h"
#include "study/trial.h"

struct identity;

struct keeper {
    struct store *store;
    struct identity *identity;
    /* A run that failed by a limit, a signal or an error stays failed; otherwise such a run is run again. A wrong
     * result is always taken as it is: another run would have it, too. */
    bool takes_failures;
    /* Trials keep their status, and no figures: the store has them. For studies with more runs than memory. */
    bool forgets;
};

/* Opens the store, which is made if there is none. False and an error text. */
bool keeper_open(struct keeper *k, const char *path, char **error);
void keeper_close(struct keeper *k);

/* Gives the trial its stored result, if there is one; then *found is true. Makes the trial's task: a trial without
 * identity (study/identity.h) has one without key, and is not stored. False and an error text if the store cannot be
 * read. */
bool keeper_find(struct keeper *k, struct trial *t, struct task *task, bool *found, char **error);
/* Stores the result of a trial that has run. False and an error text if the store cannot be written. */
bool keeper_put(struct keeper *k, struct trial *t, const struct task *task, char **error);
/* Stores the result that another process made of a trial, and gives it to the trial. False and an error text if the
 * store cannot be written, or the result cannot be read; then the trial counts as not run. */
bool keeper_import(struct keeper *k, struct trial *t, const struct task *task, const struct result *result,
                   char **error);

/* Makes the result of a trial that has run, for the key, in a result that is zero. */
void keeper_make_result(const struct trial *t, const char *key, struct result *result);
/* Gives a trial the result. False and an error text if the result cannot be read. */
bool keeper_take_result(struct trial *t, const struct result *result, char **error);

#endif
