/*
 * The stepper: a launch on a machine that stops at issues, and goes forward and back as its reader says.
 *
 * A stop stands before an issue of one multiprocessor: its instruction has been chosen and not been executed. The
 * position is the number of the issue. The stepper observes the machine (struct sm_observer) and reads commands inside
 * the call, so forward is the machine going on. To go back, the stepper ends the run and runs the launch again, from a
 * copy of the memory it started with, up to the issue that is wanted. A launch is deterministic, so it comes to the
 * same state; at some million issues per second most launches feel instant, and a longer one shows how far it has come.
 * What was seen on the way is in the journal (journal.h), which finds goals that lie behind without a run.
 *
 * Every run starts with empty caches, also that of a later launch of a program. The launch that is stepped leaves
 * device memory as it was: whoever needs its results computes them afterwards.
 */
#ifndef HEDDLE_STEP_SESSION_H
#define HEDDLE_STEP_SESSION_H

#include "gpu/gpu.h"
#include "report/source.h"

struct stepper;

/* Environment variable that makes the launches of a process stop: "SM text|json FILE". To the file go one line `launch`
 * for each launch that was stepped, and one line `wrong` for each command that was wrong. */
extern const char step_variable[];

/* The stepper that the variable's value asks for; NULL and an error text (freed by the caller) if it is wrong. */
struct stepper *stepper_create(const char *value, char **error);
void stepper_destroy(struct stepper *s);
int stepper_sm(const struct stepper *s);        /* the multiprocessor that is looked at */
bool stepper_has_quit(const struct stepper *s); /* the reader wants no further stops */

/* Steps through a launch until the reader leaves it. If the launch itself is impossible, or came to its end with a
 * fault in the last run, `result` has the fault; else `result` is empty. */
void step_launch(struct stepper *s, const struct gpu_run *run, const struct launch *launch, const struct code *code,
                 struct sources *sources, struct launch_result *result);

#endif
