/*
 * Children: programs that this one runs, waits for, and does not leave behind.
 *
 * A child is asked to end (SIGTERM) if this program dies, however it dies, and if its user wants no more of it; one that
 * does not listen is killed. Each looks after its own children in the same way, so that a whole tree ends from its root.
 */
#ifndef HEDDLE_BASE_CHILD_H
#define HEDDLE_BASE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

extern const char child_self[]; /* the path of the program that runs */

struct child_program {
    const char *path;
    char *const *words; /* the first is its name; ends with NULL */
    char *const
        *environment; /* "NAME=value" in place of what it inherits under these names; ends with NULL. NULL: none */
    int output;       /* a file that both its streams go to, while its input is empty; -1: all as here */
};

struct child {
    pid_t pid;    /* 0: there is none */
    double asked; /* to end, at this time in seconds; 0: it was not */
};

/* False, and errno, if there can be no process. A program that cannot be run says so itself, with status 1. */
bool child_start(struct child *c, const struct child_program *program);

/* Whether it has ended; then `status` is its exit status, or 128 and the signal that ended it, and there is no child any
 * more. Never waits. With `wants_end` it is asked to end, and killed if it takes its time. */
bool child_has_ended(struct child *c, bool wants_end, int *status);
void child_nap(void); /* between two looks: a few milliseconds, or until a signal comes */

/* Waits for its end, and wants it from when *stop is not 0. Returns the status. */
int child_wait(struct child *c, const volatile sig_atomic_t *stop);

#endif
