/* A profile: what earlier runs, as --json recorded them, saw of a program's branches. */
#ifndef HEDDLE_RUN_PROFILE_H
#define HEDDLE_RUN_PROFILE_H

#include "flow/profile_points.h"

/* The branches of all lines of the file that speak of this program, added up: by branch, to be freed. NULL and an error
 * text if the file cannot be read or has none. */
struct branch_use *profile_read(const char *path, const struct program *program, char **error);

#endif
