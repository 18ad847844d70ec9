/*
 * Progress: a line on the terminal that says how far a long launch is, and the flag by which the user stops a launch.
 *
 * The line appears after a second, only where stderr is a terminal, and is wiped out at the end. The signal
 * handler that asks for the stop belongs to the program, not to this library; it sets a flag that is read here.
 */
#ifndef HEDDLE_RUN_PROGRESS_H
#define HEDDLE_RUN_PROGRESS_H

#include "base/text.h"
#include "gpu/gpu.h"

#include <signal.h>

struct progress {
    bool is_shown;                     /* stderr is a terminal, and the user wants the line */
    const volatile sig_atomic_t *stop; /* not 0: stop at the next report; NULL: nobody asks */
    double start_seconds;              /* host time at which the launch began */
    double shown_seconds;              /* host time at which the line was last drawn */
    bool is_drawn;                     /* the line is on the terminal, and must be wiped out */
};

void progress_start(struct progress *p, bool wants_line, const volatile sig_atomic_t *stop);
/* To be called as gpu_watch.progress. False: the user wants the launch to stop. */
bool progress_report(struct progress *p, const struct gpu_progress *so_far);
void progress_end(struct progress *p); /* wipes the line out */

/* "12.3M cycles, 4.56M warp instructions (3.1M per second), 12 of 96 blocks, 4 s, about 28 s left" */
void progress_line(const struct gpu_progress *so_far, double seconds, struct text *out);

#endif
