/* Files of the folder that a sweep is shared through: what the owner and the workers have in common. */
#ifndef HEDDLE_FARM_FOLDER_FILE_H
#define HEDDLE_FARM_FOLDER_FILE_H

#include "base/vec.h"

#include <stdbool.h>

extern const char folder_open[], folder_taken[], folder_results[]; /* names of folders */
enum { FOLDER_WORKER_MARK = '@' };                                 /* between key and worker in names of taken tasks */

/* DIR/FOLDER/NAME, or DIR/FOLDER if name is NULL; the caller frees it. */
char *folder_path(const char *folder, const char *kind, const char *name);

struct folder_names {
    struct vec_of(char *) names; /* owned */
};

/* The names of finished files in DIR/KIND; none if there is no such folder. A file that is being written has a dot in
 * its name, and is left out. */
void folder_list(const char *folder, const char *kind, struct folder_names *n);
void folder_free_names(struct folder_names *n);

/* What DIR/owner says. */
struct folder_owner {
    char *build, *directory; /* working folder of the runs */
    bool is_over;
};

bool folder_write_owner(const char *folder, const struct folder_owner *o, char **error);
/* False, and all is NULL, if there is no owner yet. False and an error text if the file is no such file. */
bool folder_read_owner(const char *folder, struct folder_owner *o, char **error);
void folder_free_owner(struct folder_owner *o);

void folder_wait(double seconds); /* or until a signal comes */

#endif
