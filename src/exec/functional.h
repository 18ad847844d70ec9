/*
 * The functional engine: runs a launch to its end, as fast as the host can, with no notion of time.
 *
 * Rows of 32 threads are executed as vectors. Threads of a row that diverged run as cohorts, the lowest PC first
 * (cohort.h).
 */
#ifndef HEDDLE_EXEC_FUNCTIONAL_H
#define HEDDLE_EXEC_FUNCTIONAL_H

#include "device/launch.h"
#include "exec/code.h"

/* Runs the launch until it ends or faults, and fills the result. */
void functional_launch(const struct launch *launch, const struct code *code, struct launch_result *result);

/*
 * Stretches: some blocks of a launch, executed at once, while a machine times the launch's other blocks (gpu/skip.h).
 * Both write the same memory, so every block is executed exactly once.
 */
struct functional_stretch;

enum functional_end {
    FUNCTIONAL_DONE,
    FUNCTIONAL_FAULT, /* the result has the fault */
    FUNCTIONAL_WAITS  /* the blocks wait for memory that only blocks outside the stretch can write */
};

/* NULL: the launch cannot start, and the result has the fault. `launch` and `code` are used until the end. */
struct functional_stretch *functional_stretch_open(const struct launch *launch, const struct code *code,
                                                   struct launch_result *result);
/* Runs `count` blocks, from `first` on. The result gets the counts of all stretches so far. */
enum functional_end functional_stretch_run(struct functional_stretch *stretch, uint64_t first, uint64_t count,
                                           struct launch_result *result);
void functional_stretch_close(struct functional_stretch *stretch); /* `stretch` may be NULL */

#endif
