/*
 * The corpus as cases: every launch described in a .case file of the corpus folder, paired with every PTX
 * variant (compiler and target) of its source. The format is described in tests/corpus/README.md.
 */
#ifndef HEDDLE_TESTS_CORPUS_CASE_H
#define HEDDLE_TESTS_CORPUS_CASE_H

#include "case.h"

#include <stdbool.h>
#include <stddef.h>

enum { CORPUS_NAME_BYTES = 128 };

/* What one output buffer may differ by; exact unless the case says otherwise. */
struct corpus_tolerance {
    enum { CORPUS_EXACT, CORPUS_ULPS_F32, CORPUS_ULPS_F64 } kind;
    unsigned ulps; /* units in the last place of the expected value */
};

struct corpus_case {
    struct test_case test;        /* first, so that case_destroy() of it frees the whole */
    char base[CORPUS_NAME_BYTES]; /* SOURCE/CASE: one golden serves all variants */
    char variant[CORPUS_NAME_BYTES];
    struct corpus_tolerance tolerance[CASE_MAX_ARGS]; /* by argument */
};

/*
 * Reads the folder. Cases are named SOURCE/CASE@VARIANT and ordered by that. On success the array and each
 * case (case_destroy) belong to the caller; on failure the result is NULL and `error` says which line of
 * which file is wrong.
 */
struct test_case **corpus_load(const char *corpus_dir, int *count, char *error, size_t error_size);

/* The rest of a case that corpus_load() made. */
const struct corpus_case *corpus_case_of(const struct test_case *c);

/*
 * Does an output buffer hold what it should, within the case's tolerance? If not, `offset` gets the byte at
 * which the first wrong element begins. Two NaNs agree under a tolerance.
 */
bool corpus_case_agrees(const struct corpus_case *c, int arg, const void *got, const void *expected, size_t *offset);

#endif
