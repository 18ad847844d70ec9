/* The page of heddle paper --report: claims, and the runs that they were measured with. */
#ifndef HEDDLE_CLI_PAPER_PAGE_H
#define HEDDLE_CLI_PAPER_PAGE_H

#include "cli/paper_print.h"

/* Writes the page of runs that have ended, if one is asked for. Returns an exit status. */
int paper_page_write(const struct paper_request *r, const struct experiment *e, int argc, char **argv);

#endif
