/* How many of several runs have ended: one line on stderr if that is a terminal, else nothing. */
#ifndef HEDDLE_CLI_PROGRESS_LINE_H
#define HEDDLE_CLI_PROGRESS_LINE_H

void progress_line_show(void *context, int done, int count); /* a `progress` of struct trial_watch */
void progress_line_clear(void);

#endif
