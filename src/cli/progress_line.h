/* How far many runs have come: one line on a terminal, nothing elsewhere. */
#ifndef HEDDLE_CLI_PROGRESS_LINE_H
#define HEDDLE_CLI_PROGRESS_LINE_H

void progress_line_show(void *context, int done, int count); /* as trial_watch wants it */
void progress_line_clear(void);

#endif
