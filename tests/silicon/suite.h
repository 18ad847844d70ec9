/* The suites of cases behind one face: single instructions, random programs of two generators, the corpus. */
#ifndef HEDDLE_TESTS_SUITE_H
#define HEDDLE_TESTS_SUITE_H

#include "base/text.h"
#include "corpus_case.h"
#include "op_case.h"

/* What is kept of a run: the outputs, or hashes of them where only equality matters. */
struct suite_digest {
    uint8_t *bytes;
    size_t length;
};

struct suite {
    const char *name;
    int count;
    bool as_lines;    /* goldens are lines of hashes */
    int optimisation; /* level, 0 to 4, at which a real driver compiles the modules; -1: its own */

    struct test_case *(*make)(const struct suite *suite, int index);
    void (*release)(struct test_case *c);
    /* The name its golden goes by; several cases may share one, if they must give the same. */
    void (*key)(const struct test_case *c, struct text *out);
    bool (*may_be_absent)(const struct test_case *c);
    struct suite_digest (*digest)(const struct test_case *c, void *const outputs[CASE_MAX_ARGS]);
    /* Compares digests; what differs is described line by line. */
    bool (*agrees)(const struct test_case *c, const struct suite_digest *got, const struct suite_digest *expected,
                   struct text *report);

    struct form_list forms; /* of ops */
    uint64_t first_seed;    /* of random and manual */
    struct test_case *(*make_seed)(uint64_t seed);
    struct test_case **corpus; /* of corpus */
};

void suite_open_ops(struct suite *suite);
void suite_open_random(struct suite *suite, uint64_t first_seed, int count);
void suite_open_manual(struct suite *suite, uint64_t first_seed, int count);
bool suite_open_corpus(struct suite *suite, const char *folder, char *error, size_t error_size);
void suite_close(struct suite *suite);

#endif
