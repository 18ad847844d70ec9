/* Whether the loader would find a library: its search, repeated. */
#ifndef HEDDLE_AUDIT_LIBRARY_SEARCH_H
#define HEDDLE_AUDIT_LIBRARY_SEARCH_H

#include <stdbool.h>

struct link_map;

/* Looks for the library, a name without a slash, where the loader does for the object `asking`: in its RPATH and
 * RUNPATH, in LD_LIBRARY_PATH, in the loader's cache, and in the system's folders. `asking` may be NULL. */
bool library_search_finds(const char *name, const struct link_map *asking);

#endif
