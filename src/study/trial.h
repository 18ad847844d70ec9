/*
 * Trials: runs of `heddle run`, each in a process of its own, several at a time.
 *
 * A process each, so that one that crashes, hangs or is wrong takes no other with it, and all cores are used. What a
 * run measured comes back as the lines of JSON that it wrote; what it printed is kept for messages.
 */
#ifndef HEDDLE_STUDY_TRIAL_H
#define HEDDLE_STUDY_TRIAL_H

#include "base/vec.h"
#include "study/measurement.h"

#include <signal.h>
#include <stdbool.h>

enum {
    TRIAL_NOT_RUN = -1, /* a status: all was stopped before its end */
    TRIAL_WRONG = 3     /* as heddle run has it: the result is wrong, or the program was ended */
};

struct trial {
    struct vec_of(char *) words; /* behind `heddle run`: the target first; owned */
    bool verifies_itself;        /* the program looks at its result: where races make memory differ, its word counts */
    /* What came of it: */
    int status; /* exit status, or TRIAL_WRONG if a launch left a wrong memory; 128 and the signal if one ended it; TRIAL_NOT_RUN */
    char *output; /* what it printed, both streams; owned */
    double seconds;
    struct measurement measurement;
};

void trial_add_word(struct trial *t, const char *word);
/* The option by which every launch is compared with the functional result. To be added before the words of the user, who
 * may take it back. */
void trial_add_verify(struct trial *t);
/* Words separated by blanks. */
void trial_add_words(struct trial *t, const char *words);
void trial_free(struct trial *t);

struct trial_watch {
    void (*progress)(void *context, int done, int count); /* after each; NULL: nobody looks */
    void *context;
    const volatile sig_atomic_t *stop; /* not 0: what runs is ended, the rest is not begun */
};

/* Runs all, `at_once` at a time, in order. False and an error text if they cannot be run at all (no process, no room for
 * their files); a run that fails says so in its status. */
bool trials_run(struct trial *trials, int count, int at_once, const struct trial_watch *watch, char **error);

/* The last line that the run printed that says what was wrong, for a table; "" if it printed none. The text is the
 * caller's. */
char *trial_complaint(const struct trial *t);

#endif
