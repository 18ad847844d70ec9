/* The figures of a paper on the command line: heddle paper NAME --figure N. */
#ifndef HEDDLE_CLI_PAPER_FIGURE_H
#define HEDDLE_CLI_PAPER_FIGURE_H

#include "cli/paper_print.h"

/* Whether the options fit each other, the paper has all figures that are asked for, and the file of the picture can be
 * written: an exit status, having said what is wrong. */
int paper_check_figures(const struct paper_request *r, const struct paper *p, const struct figures *figures);
/* Draws the figures that are asked for from what was measured, as text, CSV, JSON or LaTeX on stdout, or into the file
 * of --svg. Returns an exit status. */
int paper_print_figures(const struct paper_request *r, const struct experiment *e, const struct figures *figures);
/* Prints what figures a paper has. */
void paper_list_figures(const struct paper *p, const struct figures *figures);
/* Removes the file that paper_check_figures() made, when no picture came of it. */
void paper_drop_picture(const struct paper_request *r);

#endif
