/* A profile: how often the branches of a program went which path, from the JSON lines of earlier runs. */
#ifndef HEDDLE_RUN_PROFILE_H
#define HEDDLE_RUN_PROFILE_H

#include "flow/profile_points.h"

/* The counts of all lines of the file that are about this program, added up: by branch, to be freed. NULL and an error
 * text if the file cannot be read or has none. */
struct branch_use *profile_read(const char *path, const struct program *program, char **error);

#endif
