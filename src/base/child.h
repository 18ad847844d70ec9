/*
 * Child processes: programs that this process runs, waits for, and does not leave behind.
 *
 * A child gets SIGTERM when this process dies, for whatever reason, and when its user asks for the child's end. A child
 * that does not end within two seconds is killed. Each process ends its own children in this way, so a whole tree ends
 * from its root.
 */
#ifndef HEDDLE_BASE_CHILD_H
#define HEDDLE_BASE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

extern const char child_self[]; /* path of the running program */

struct child_program {
    const char *path;
    char *const *words;       /* arguments, the program's name first; ends with NULL */
    char *const *environment; /* "NAME=value" to add or replace; ends with NULL. NULL: as inherited */
    int output; /* file descriptor for stdout and stderr, with an empty stdin; -1: all three as inherited */
};

struct child {
    pid_t pid;    /* 0: no child */
    double asked; /* time in seconds when the child got SIGTERM; 0: not yet */
};

/* Starts the program. False, with errno, if no process can be created. If the program cannot be run, the child prints a
 * message and ends with status 1. */
bool child_start(struct child *c, const struct child_program *program);

/* Whether the child has ended; then `status` is its exit status, or 128 plus the signal that ended it, and c->pid is 0.
 * Never waits. With `wants_end`, sends SIGTERM, and SIGKILL two seconds later. */
bool child_has_ended(struct child *c, bool wants_end, int *status);
void child_nap(void); /* sleeps 5 ms, or until a signal comes; for loops around child_has_ended() */

/* Waits until the child has ended; asks it to end once *stop is not 0 (`stop` may be NULL). Returns the status. */
int child_wait(struct child *c, const volatile sig_atomic_t *stop);

#endif
