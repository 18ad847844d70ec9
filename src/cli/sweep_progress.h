/* How far a sweep is: a line on stderr if that is a terminal, with failures and the time that is left. */
#ifndef HEDDLE_CLI_SWEEP_PROGRESS_H
#define HEDDLE_CLI_SWEEP_PROGRESS_H

#include "study/trial.h"

struct sweep_progress {
    const struct trial *trials; /* of the sweep */
    double began, shown;        /* times in seconds: of the sweep's begin, and of the last line */
};

void sweep_progress_begin(struct sweep_progress *p, const struct trial *trials);
void sweep_progress_show(void *context, int done, int count); /* a `progress` of struct trial_watch */
/* Appends how long something takes, in two units at most: "45 s", "3 min 20 s", "2 h 5 min", "3 d 4 h". */
void sweep_progress_print_time(double seconds, struct text *out);

#endif
