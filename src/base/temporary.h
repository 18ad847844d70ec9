/*
 * Temporary files and folders: under names that nobody else has, in the folder that TMPDIR names, or else in /tmp.
 *
 * Only the user can read them. They are there until temporary_remove().
 */
#ifndef HEDDLE_BASE_TEMPORARY_H
#define HEDDLE_BASE_TEMPORARY_H

#include <stddef.h>

/* A file that holds these bytes; its path. NULL and an error text (both freed by the caller) if it cannot be made or
 * written; then nothing is left of it. */
char *temporary_file(const void *bytes, size_t length, char **error);
/* The same with an empty folder. */
char *temporary_folder(char **error);
/* Takes the file, or the folder, which must be empty again, off the disk, and frees the path; NULL is allowed. */
void temporary_remove(char *path);

#endif
