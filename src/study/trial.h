/*
 * Trials: runs of `heddle run` or, for programs of the user, of `heddle exec`, each in a process of its own, several at
 * a time.
 *
 * Each trial has a process so that a run that crashes or hangs takes no other run with it, and so that all cores are
 * used. What a run measured comes back as the lines of JSON that it wrote; what it printed is kept for messages. With a
 * keeper (study/keeper.h), trials whose results are stored are not run, and the results of the others are stored as
 * they come.
 */
#ifndef HEDDLE_STUDY_TRIAL_H
#define HEDDLE_STUDY_TRIAL_H

#include "base/vec.h"
#include "study/measurement.h"

#include <signal.h>
#include <stdbool.h>

enum {
    TRIAL_NOT_RUN = -1, /* a status: the trial was stopped before its end, or never begun */
    TRIAL_WRONG = 3     /* a status, that of heddle run: the result is wrong, or a fault ended the program */
};

struct trial {
    struct vec_of(char *) words; /* what stands behind `heddle run`, the target first, or behind `heddle exec`; owned */
    char *const *program; /* a program of the user and its arguments, ended by NULL; NULL: heddle run. Not owned */
    /* The program verifies its own result. Where threads race, so that memory may differ from the functional result,
     * the program's word decides. */
    bool verifies_itself;
    /* The rest is known after the trial: */
    int status; /* exit status; TRIAL_WRONG also if a launch left a wrong memory; 128 plus a signal; TRIAL_NOT_RUN */
    int own_status; /* exit status as the process had it */
    const char
        *limit;   /* why the run was ended: result_time, result_memory or result_killed; NULL: it ended by itself */
    char *output; /* what the run printed on stdout and stderr; owned */
    double seconds;
    bool was_stored; /* the result was taken from a store */
    bool has_failed; /* the result that is stored is that of a failure */
    struct measurement measurement;
};

void trial_add_word(struct trial *t, const char *word);
/* Adds the option by which every launch is compared with the functional result. It goes before the user's words,
 * which may switch the comparison off again. */
void trial_add_verify(struct trial *t);
/* Adds the words of a text, which blanks separate. */
void trial_add_words(struct trial *t, const char *words);
void trial_free(struct trial *t);

struct keeper;

/* What goes on around the trials: who looks, who may stop them, where results are kept, and what a run may take. */
struct trial_watch {
    void (*progress)(void *context, int done, int count); /* called after each trial; NULL: nobody looks */
    void *context;
    const volatile sig_atomic_t *stop; /* once not 0, trials that run are ended, and no other is begun */
    struct keeper *keeper;             /* NULL: results are not stored */
    double time_limit_seconds;         /* a run that takes longer is ended; 0: no limit */
    uint64_t memory_limit_bytes;       /* a run whose processes have more memory is killed; 0: no limit */
};

/* Runs all trials, `at_once` at a time, in their order. A run that SIGKILL ended, which may be the system's answer to
 * too little memory, is begun again, up to three times. False and an error text if trials cannot be run at all (no
 * process, no room for their files or in the store); a run that fails says so in its status. */
bool trials_run(struct trial *trials, int count, int at_once, const struct trial_watch *watch, char **error);

/* The last line of the run's output that says what was wrong, for a table; "" if there is none. Of a program of the
 * user, it is the exit status and the last line. Owned by the caller. */
char *trial_complaint(const struct trial *t);

#endif
