/*
 * A verification: whether the memory that a launch left on a machine is what the functional engine leaves, and where
 * and why it is not. run/verify.h compares the two; here is what was found, in words and as JSON.
 */
#ifndef HEDDLE_REPORT_VERIFICATION_H
#define HEDDLE_REPORT_VERIFICATION_H

#include "base/text.h"
#include "device/difference.h"

enum verify_verdict {
    VERIFY_NOTHING, /* nothing was compared */
    VERIFY_SAME,
    VERIFY_UNORDERED, /* memory differs, and may: the result depends on an order that nothing fixes */
    VERIFY_RACE,      /* memory differs, and the program has a race */
    VERIFY_WRONG,     /* memory differs, and nothing explains it */
    VERIFY_UNKNOWN,   /* the functional engine could not run the launch */
    VERIFY_VERDICTS
};

extern const char *const verify_names[VERIFY_VERDICTS]; /* in results: "same", "unordered", ... */

/* Whether the memory that the launch left may be wrong. A workload may still have verified its own result. */
static inline bool verify_is_doubtful(enum verify_verdict verdict)
{
    return verdict >= VERIFY_RACE;
}

struct verification {
    enum verify_verdict verdict;
    uint64_t launch; /* number of the launch in the program, from 1 */
    char *kernel;
    struct difference difference; /* the first word that differs; unset if memory is the same or unknown */
    int argument;                 /* number of the kernel's parameter that points to the allocation; -1: none does */
    char *parameter;              /* that parameter's name; NULL: none */
    char *why;                    /* why memory differs, or why that is unknown; NULL: no reason is known */
    char *races;                  /* a description of the races; NULL: none */
};

void verification_free(struct verification *v);

/* Where memory differs and why, in a few lines; no text if memory is the same. */
void verification_print(const struct verification *v, struct text *out);
/* "argument 2 (param_2), word 37 (byte 148): 0x00000002, functionally 0x00000001" */
void verification_print_place(const struct verification *v, struct text *out);
void verification_json(const struct verification *v, struct text *out); /* an object; null for NULL */

#endif
