/*
 * The races that were found in a launch: described in words, and remembered from launch to launch.
 */
#ifndef HEDDLE_RUN_RACES_H
#define HEDDLE_RUN_RACES_H

#include "base/text.h"

#include <stdint.h>

struct gpu_run;
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

#endif
