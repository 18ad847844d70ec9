/*
 * What the corpus must compute, by the host: a second opinion beside the goldens of a GPU.
 *
 * One function a kernel, written from the source's meaning and not from its text where the two can differ
 * (sorting is sorting, not a bitonic network). Kernels that use the math library, approximations or
 * directed rounding in double have none: their goldens are the authority.
 * Must be compiled with -ffp-contract=off.
 */
#ifndef HEDDLE_CORPUS_REFERENCE_H
#define HEDDLE_CORPUS_REFERENCE_H

#include "../silicon/case.h"

#include <stdbool.h>

struct reference {
    const char *kernel;
    /* `buffer[i]` holds argument i's initial contents and gets its final ones; NULL for a value. */
    void (*compute)(const struct test_case *c, void *const *buffer);
};

/* NULL when there is none for the kernel. */
const struct reference *reference_find(const char *kernel);

/*
 * The expected contents of every buffer of the case, one allocation for each of its buffers (free them), NULL
 * for the other arguments. False when the kernel has no reference or memory is out; then all are NULL.
 */
bool reference_run(const struct test_case *c, void *expected[CASE_MAX_ARGS]);

#endif
