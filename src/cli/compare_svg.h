/* The picture of heddle compare --trace-svg: lanes by time of every row, one above the other. */
#ifndef HEDDLE_CLI_COMPARE_SVG_H
#define HEDDLE_CLI_COMPARE_SVG_H

#include "study/comparison.h"

/* Lets every run of the comparison draw into a file of its own, in a temporary folder. Returns the folder's path; NULL
 * and an error text if there can be none. */
char *compare_svg_begin(struct comparison *c, char **error);

/* Joins the pictures of the rows that are shown into `path`, the first launch of each; rows whose run failed have none.
 * Removes the folder with all its files, and frees its path. Returns an exit status, having said why if the picture
 * cannot be written. */
int compare_svg_end(const struct comparison *c, char *folder, const char *path);

#endif
