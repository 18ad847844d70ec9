/*
 * Random PTX programs: divergent, structured and not, race-free, always terminating.
 *
 * A seed is a complete case: text, launch and buffers, the same on every machine. The programs belong to
 * the class for which every mechanism must leave the same memory; the arguments why are at the head of
 * generate.c. Not generated: printf, atomics whose result is used, float atomics, fetches that are not always the
 * H200's bits (docs/architecture.md), anything that waits for another thread but barriers and row operations.
 */
#ifndef HEDDLE_TESTS_RANDOM_GENERATE_H
#define HEDDLE_TESTS_RANDOM_GENERATE_H

#include <stdint.h>

#include "../silicon/case.h"

enum random_construct {
#define CONSTRUCT(name, meaning) RANDOM_##name,
#include "constructs.def"
#undef CONSTRUCT
    RANDOM_CONSTRUCTS
};

/* No thread of any program executes more instructions than this. */
enum { RANDOM_DYNAMIC_LIMIT = 20000 };

struct random_profile {
    unsigned count[RANDOM_CONSTRUCTS]; /* emissions of each construct in the text */
    unsigned instructions;             /* in the text, functions included */
    uint64_t dynamic_bound;            /* no thread executes more instructions than this */
};

struct test_case *random_case(uint64_t seed); /* to be freed with case_destroy() */
struct test_case *random_case_profile(uint64_t seed, struct random_profile *profile);

const char *random_construct_name(enum random_construct construct);
const char *random_construct_meaning(enum random_construct construct);

#endif
