/*
 * A stack that is large enough, whatever the limit of the shell (ulimit -s) says.
 *
 * heddle needs about 24 KB of stack, and more for large programs. Where the limit is below 1 MiB, the command runs on a
 * thread with a stack of 8 MiB.
 */
#ifndef HEDDLE_CLI_AMPLE_STACK_H
#define HEDDLE_CLI_AMPLE_STACK_H

/* Calls the function on a stack of at least 1 MiB, and returns its result. */
int ample_stack_run(int (*function)(int argc, char **argv), int argc, char **argv);

#endif
