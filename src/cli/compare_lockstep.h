/* Between the files of `heddle compare`: which mechanisms keep warps in lock-step. */
#ifndef HEDDLE_CLI_COMPARE_LOCKSTEP_H
#define HEDDLE_CLI_COMPARE_LOCKSTEP_H

struct comparison;

/* Sets `breaks_lockstep` of each row, and says on stderr which mechanisms do not keep the lock-step that a workload is
 * known to rely on. To be called after the rows' options were checked, before they run. */
void compare_lockstep(struct comparison *c);

#endif
