/*
 * A stack that is large enough, whatever the limit of the shell (ulimit -s) says.
 *
 * heddle needs about 24 KB, and more for large programs. Where the limit is lower than that, the command runs on a
 * thread whose stack heddle asks for itself.
 */
#ifndef HEDDLE_CLI_AMPLE_STACK_H
#define HEDDLE_CLI_AMPLE_STACK_H

/* Calls the function, and returns its result. */
int ample_stack_run(int (*function)(int argc, char **argv), int argc, char **argv);

#endif
