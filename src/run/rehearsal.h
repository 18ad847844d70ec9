/*
 * A rehearsal: the functional run of a launch on a copy of its memory, beside the launch proper. --verify compares the
 * memory that it leaves; --check lockstep looks at its accesses before the launch runs on a machine.
 */
#ifndef HEDDLE_RUN_REHEARSAL_H
#define HEDDLE_RUN_REHEARSAL_H

struct code;
struct launch;
struct launch_result;
struct memory;
struct race;

/* Runs the launch functionally on `memory`, a clone of the launch's. What its threads print is dropped: the launch
 * proper prints it. `race`: the check that watches; NULL: none. */
void rehearse(struct memory *memory, const struct launch *launch, const struct code *code, struct race *race,
              struct launch_result *result);

#endif
