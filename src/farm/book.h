/*
 * The book of a sweep that several machines share: which runs are stored, and which are still to be done. The owner of
 * the store keeps it, whatever way tasks and results take. Workers know nothing of it.
 *
 * A result that comes twice, because a worker was thought dead and was not, counts once. A run that was lost with its
 * worker three times is stored as failed, `killed`.
 */
#ifndef HEDDLE_FARM_BOOK_H
#define HEDDLE_FARM_BOOK_H

#include "study/trial.h"

struct book_entry {
    char *key; /* of the task; owned */
    int trial;
    int losses; /* how many workers were lost with it */
    bool is_done;
};

struct book {
    struct trial *trials;
    const struct trial_watch *watch; /* its keeper has the store */
    struct book_entry *entries;      /* one per trial, by key; trials that are the same run stand side by side */
    int count, done;
};

/* Opens the book in a structure that is zero, and gives trials the results that are stored. False and an error text if
 * the store cannot be read, or a trial has no key. In either case book_close() frees it. */
bool book_open(struct book *b, struct trial *trials, int count, const struct trial_watch *watch, char **error);
void book_close(struct book *b);

/* The first entry of a key; -1 if no run of this sweep has it. */
int book_find(const struct book *b, const char *key);
/* Whether the entry is the first of its key and has no result: a task for a worker. */
bool book_is_to_do(const struct book *b, int entry);
/* The text of the task of an entry, which the caller frees; NULL and an error text. */
char *book_task(const struct book *b, int entry, char **error);
/* Stores the result of a text for the first entry of its key and those beside it. *is_whole is false, and nothing is
 * stored, if the text is damaged or of another key. False and an error text if the store cannot be written. */
bool book_take(struct book *b, int entry, const char *text, bool *is_whole, char **error);
/* Notes that a worker was lost with the run of the entry; after three times the run is done, and has failed. False and
 * an error text if the store cannot be written. */
bool book_lose(struct book *b, int entry, char **error);

#endif
