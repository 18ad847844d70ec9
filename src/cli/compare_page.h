/* The page of heddle compare --report. */
#ifndef HEDDLE_CLI_COMPARE_PAGE_H
#define HEDDLE_CLI_COMPARE_PAGE_H

#include "study/comparison.h"

/* Lets every run leave its details in a folder, and returns the folder; NULL and an error text. */
char *compare_page_begin(struct comparison *c, char **error);
/* Makes the page of what the runs left, and removes the folder, whose path is freed. Returns an exit status. */
int compare_page_end(const struct comparison *c, char *folder, const char *path, int argc, char **argv);

#endif
