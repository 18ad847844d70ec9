/*
 * Programs of the user that heddle starts: found as shells find them, run in the foreground, and waited for.
 *
 * The program has heddle's stdin, stdout, stderr and process group, so that a terminal treats it as if heddle were not
 * there. Signals that other processes send to heddle are passed on to the program.
 */
#ifndef HEDDLE_CLI_PROGRAM_H
#define HEDDLE_CLI_PROGRAM_H

#include <stdbool.h>

/* Exit statuses for programs that cannot be started, as shells have them. */
enum { PROGRAM_CANNOT_RUN = 126, PROGRAM_NOT_FOUND = 127 };

/* The path of a program: the name itself if it has a slash, otherwise the first executable file of this name in the
 * folders of PATH. Owned by the caller. NULL: it was said on stderr, for this command of heddle, what is wrong, and
 * *status is one of the above. */
char *program_find(const char *name, const char *command, int *status);

/* Whether a file is a program: executable machine code, and no library by its name. */
bool program_is(const char *path);

/* Runs the program with these words (its name first, ended by NULL) and returns its exit status; 128 plus the number of
 * the signal if a signal ended the program, having said so. If the program cannot be run, says why, returns one of the
 * above, and *was_run is false. */
int program_run(const char *path, char *const *words, const char *command, bool *was_run);

#endif
