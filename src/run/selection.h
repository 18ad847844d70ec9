/*
 * Launches that --kernel and --launch choose among those of a program.
 *
 * A launch is chosen if its kernel is one of --kernel and its number one of --launch; an option that was not given
 * chooses all. Only chosen launches run on the machine, are checked, traced and reported. The others are computed, so
 * that the program gets its results.
 */
#ifndef HEDDLE_RUN_SELECTION_H
#define HEDDLE_RUN_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

struct selection;

/* Reads the values of both options, of which one may be NULL. NULL and an error text (freed by the caller) if a value
 * is wrong. */
struct selection *selection_create(const char *kernels, const char *launches, char **error);
/* The kernels that the value of another option names, with patterns as --kernel takes them. */
struct selection *selection_create_kernels(const char *option, const char *kernels, char **error);
void selection_destroy(struct selection *s); /* `s` may be NULL */

/* Whether the launch is chosen. `s` may be NULL: all launches are. A kernel of C++ is known by its mangled name, and by
 * its name as people write it: with or without parameters, template arguments and namespaces. Launches of a process
 * count from 1 on. */
bool selection_takes(struct selection *s, const char *kernel, uint64_t launch);

#endif
