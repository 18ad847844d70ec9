/*
 * Source files that line tables name, so that a table can show the text of a line, and a page the text of a file.
 *
 * A path is taken as it stands first. Then it is looked for in the folders of the environment variable HEDDLE_SOURCE,
 * which are separated by colons, and in the folder of the running program: by the whole path if that is a relative one,
 * then by the name of the file alone, since a program is often built in another folder than the one it is run from. A
 * file that is found nowhere has no text; nothing depends on it.
 */
#ifndef HEDDLE_REPORT_SOURCE_H
#define HEDDLE_REPORT_SOURCE_H

#include <stddef.h>

struct sources;

struct sources *sources_create(void);
void sources_destroy(struct sources *sources);

/* The text of a line (from 1 on) without blanks around it; NULL: there is no such file, or no such line. The text lives
 * as long as `sources`. */
const char *sources_line(struct sources *sources, const char *path, int line);

/* The whole text of a file, owned by the caller; NULL: there is no such file, or it has more than `most_bytes`. */
char *sources_read(const char *path, size_t most_bytes);

/* Appends a folder to HEDDLE_SOURCE, for this process and those that it starts. */
void sources_add_folder(const char *folder);
/* Appends the folder of a file, such as the PTX file or the program that is run. */
void sources_add_folder_of(const char *file);

#endif
