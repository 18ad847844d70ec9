/*
 * The races that were found in a launch: described in words, and remembered from launch to launch.
 */
#ifndef HEDDLE_RUN_RACES_H
#define HEDDLE_RUN_RACES_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct code;
struct gpu_run;
struct launch;
struct race;

/* The last program that --verify found to race. A program that launches one kernel a thousand times is searched for
 * races once: the search runs the launch a second time. */
struct known_races {
    uint64_t program_hash; /* 0: none */
    char *where;           /* the instructions that race; owned */
};

/* Describes the races of a launch under `run` (NULL: in the functional engine), and whether they can do harm under that
 * mechanism. */
void races_print(const struct race *race, const struct gpu_run *run, struct text *out);

/* Whether the threads of a warp execute in lock-step under `run` as long as no branch splits them. */
bool races_keeps_lockstep(const struct gpu_run *run);

/* --check lockstep before a launch under a mechanism that does not keep lock-step: looks at a functional run on a copy
 * of memory. NULL: there is no room for the copy. Destroyed by the caller. */
struct race *races_rehearse_lockstep(const struct launch *launch, const struct code *code);

#endif
