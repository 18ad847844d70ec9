/* The stepper as its own files see it: session.c runs launches and stops, prompt.c reads commands and shows what they
 * ask for, move.c decides where commands go. */
#ifndef HEDDLE_STEP_INTERNAL_H
#define HEDDLE_STEP_INTERNAL_H

#include "step/command.h"
#include "step/session.h"
#include "step/view.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

enum { STEP_MOST_FOCUS = 64 }; /* warps that can be looked at alone */

struct stepper {
    int sm;
    bool as_json;
    char *status_path;
    FILE *out;
    bool is_terminal;            /* commands come from a terminal */
    struct step_look look;       /* how texts look */
    struct step_command command; /* that an empty line repeats */
    uint64_t focus;              /* warps whose issues are looked at; UINT64_MAX: all */
    bool has_quit, has_left;     /* the session, or this launch */

    /* the launch */
    struct step_scene scene;
    struct journal journal;
    uint64_t executed; /* issues that were executed in any run so far */
    uint64_t told;     /* issues whose output was shown */

    /* the present run */
    uint64_t count;      /* issues so far */
    uint64_t *last;      /* [row * ROW_LANES + lane]: last issue of the thread */
    uint64_t *row_block; /* [row]: 1 + number of the block that `last` is of */
    struct timespec start;
    bool shows_progress;

    /* where it stops */
    uint64_t target;           /* an issue; UINT64_MAX: the end; 0: the goal decides */
    struct journal_goal goal;  /* without a target */
    bool *pcs;                 /* of the goal; owned */
    uint64_t from;             /* the goal lies behind this issue */
    uint64_t reference;        /* of the target */
    uint64_t state_at;         /* issue at which `state` was taken; 0: none */
    uint64_t before_at;        /* likewise for `before` */
    struct text state, before; /* the mechanism's, in words */
};

/* Ctrl-C was pressed since the stepper last looked. */
extern volatile sig_atomic_t step_was_interrupted;

/* prompt.c: tells the reader something; in JSON as an object with one member. */
void prompt_tell(struct stepper *s, const char *member, const char *words);
/* prompt.c: says what is wrong with a command, and frees the error text. Always false. */
bool prompt_complain(struct stepper *s, char *error);
/* prompt.c: prints a text and frees it. */
void prompt_show(struct stepper *s, struct text *out);
void prompt_show_stop(struct stepper *s);
/* prompt.c: reads commands until one goes somewhere, or the reader leaves. */
void prompt_converse(struct stepper *s);
/* prompt.c: appends a line to the file that tells the command how the session went. */
void prompt_note_status(const struct stepper *s, const char *word);

/* move.c: the run stops at this issue. */
void move_aim(struct stepper *s, uint64_t target);
/* move.c: the run stops at the goal behind `from`: an issue of the journal, or one to come. */
void move_seek(struct stepper *s, struct journal_goal goal, uint64_t from);
/* move.c: takes a command that goes somewhere. False: the stop stays where it is. */
bool move_take(struct stepper *s, const struct step_command *c);

#endif
