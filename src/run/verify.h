/*
 * Verifying a launch: the memory that it left on a machine against what the functional engine leaves from the same start.
 *
 * Each launch is judged by itself: before it runs, memory is copied; after it, the functional engine runs the same launch on
 * the copy, and the two are compared word by word. So a program whose later launches depend on what earlier ones left (or
 * which launches come at all) is judged rightly: an earlier launch that differs, lawfully or not, does not make the later
 * ones differ. If every launch leaves the functional memory, so does the program.
 *
 * A difference has one of three causes, looked for in this order:
 *   - a race: the functional engine runs the launch once more, on a second copy, and looks for races (exec/race.h). Then
 *     neither of the two memories is the right one: a warp-synchronous program may be right under pdom and wrong in the
 *     functional engine. A kernel that was found to race is not searched again when a later launch of it differs
 *   - instructions that lawfully give one result or another (flow/unordered.h), if there is no race
 *   - nothing that is known: the mechanism, or heddle, is wrong
 */
#ifndef HEDDLE_RUN_VERIFY_H
#define HEDDLE_RUN_VERIFY_H

#include "base/text.h"
#include "device/difference.h"

struct code;
struct gpu_result;
struct gpu_run;
struct launch;
struct verify_start;

enum verify_verdict {
    VERIFY_NOTHING, /* nothing was compared */
    VERIFY_SAME,
    VERIFY_UNORDERED, /* it differs, and may */
    VERIFY_RACE,      /* it differs, and the program has a race */
    VERIFY_WRONG,     /* it differs, and nothing explains it */
    VERIFY_UNKNOWN,   /* the functional engine could not run the launch */
    VERIFY_VERDICTS
};

extern const char *const verify_names[VERIFY_VERDICTS]; /* in results: "same", "unordered", ... */

/* Whether nothing vouches for the memory, unless the program itself has looked at its result. */
static inline bool verify_is_doubtful(enum verify_verdict verdict)
{
    return verdict >= VERIFY_RACE;
}

struct verification {
    enum verify_verdict verdict;
    uint64_t launch; /* number of the launch in the program, from 1 */
    char *kernel;
    struct difference difference; /* unless it is the same or unknown */
    int argument;                 /* number of the kernel's parameter that points to the allocation; -1: none does */
    char *parameter;              /* its name; NULL: none */
    char *why;                    /* what makes it differ, or why it is unknown; NULL: nothing is known */
    char *races;                  /* described at length; NULL: none */
};

/* Memory as it is before the launch: to be taken before it runs. NULL if the host has no room for the copies. */
struct verify_start *verify_begin(const struct launch *launch);
/* Judges the launch that has ended without a fault; NULL for one that has a fault. Ends the start, which may be NULL. */
struct verification *verify_end(struct verify_start *start, const struct gpu_run *run, const struct launch *launch,
                                const struct code *code, const struct gpu_result *timed);
void verification_free(struct verification *v);

/* Where memory differs and why, in a few lines; nothing if it is the same. */
void verification_print(const struct verification *v, struct text *out);
/* "argument 2 (param_2), word 37 (byte 148): 0x00000002, functionally 0x00000001" */
void verification_print_place(const struct verification *v, struct text *out);
void verification_json(const struct verification *v, struct text *out); /* an object; null for NULL */

#endif
