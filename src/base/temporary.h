/*
 * Temporary files and folders, with unique names, in the folder that TMPDIR names or else in /tmp.
 *
 * Only the user can read them. They exist until temporary_remove().
 */
#ifndef HEDDLE_BASE_TEMPORARY_H
#define HEDDLE_BASE_TEMPORARY_H

#include <stddef.h>

/* Makes a file with these bytes and returns its path. NULL and an error text if the file cannot be made or written;
 * then nothing is left of it. The caller frees path and error text. */
char *temporary_file(const void *bytes, size_t length, char **error);
/* Makes an empty folder and returns its path; NULL and an error text if it cannot be made. The caller frees both. */
char *temporary_folder(char **error);
/* Removes the file, or the folder, which must be empty, and frees the path. `path` may be NULL. */
void temporary_remove(char *path);
/* Removes the folder with the files in it, and frees the path. `path` may be NULL. */
void temporary_remove_folder(char *path);

#endif
