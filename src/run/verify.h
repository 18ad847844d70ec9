/*
 * Verifying a launch: the memory that it left on a machine against what the functional engine leaves from the same
 * start.
 *
 * Each launch is judged by itself: before it runs, memory is copied; after it, the functional engine runs the same
 * launch on the copy, and the two are compared word by word. So a program whose later launches depend on what earlier
 * ones left (or which launches come at all) is judged rightly: an earlier launch that differs, lawfully or not, does
 * not make the later ones differ. If every launch leaves the functional memory, so does the program.
 *
 * A difference has one of three causes, looked for in this order:
 *   - a race: the functional engine runs the launch once more, on a second copy, and looks for races
 *     (exec/race/race.h). Then neither of the two memories is the right one: a warp-synchronous program may be right
 *     under pdom and wrong in the functional engine. A kernel that was found to race is not searched again when a later
 *     launch of it differs
 *   - instructions that lawfully give one result or another (flow/unordered.h), if there is no race
 *   - nothing that is known: the mechanism, or heddle, is wrong
 */
#ifndef HEDDLE_RUN_VERIFY_H
#define HEDDLE_RUN_VERIFY_H

#include "report/verification.h"
#include "run/races.h"

struct code;
struct gpu_result;
struct gpu_run;
struct launch;
struct verify_start;

/* Copies memory; to be called before the launch runs. NULL: the host has no room for the copies. */
struct verify_start *verify_begin(const struct launch *launch);
/* Judges the launch that has ended without a fault; NULL for one that has a fault. Ends the start, which may be NULL.
 * `known`: a kernel that raced in an earlier launch is not searched again; races found now are added. */
struct verification *verify_end(struct verify_start *start, const struct gpu_run *run, const struct launch *launch,
                                const struct code *code, const struct gpu_result *timed, struct known_races *known);
#endif
