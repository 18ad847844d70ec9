/*
 * Workers: processes that take numbered pieces of work until none is left.
 *
 * Each is forked before it does anything, so that it may open a device of its own. One that dies, or that
 * asks to end because its device is lost, is replaced; the piece it died of is marked so, and no other.
 */
#ifndef HEDDLE_TESTS_POOL_H
#define HEDDLE_TESTS_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pool_status { POOL_DONE, POOL_REFUSED, POOL_FAILED };

struct pool_result {
    enum pool_status status;
    char *message;  /* why not done; "" otherwise */
    uint8_t *bytes; /* what the work gave */
    size_t length;
};

struct pool_work {
    int count, jobs;
    unsigned timeout_s; /* for one piece */
    void *context;
    bool (*start)(void *context, char *message, size_t message_size); /* once in each process, before work */
    /* Does piece `index`; allocates what it puts into the result. False: this process must end. */
    bool (*run)(void *context, int index, struct pool_result *result);
};

/* One result a piece, to be freed with pool_free(). Ends the program if there can be no workers. */
struct pool_result *pool_run(const struct pool_work *work);
void pool_free(struct pool_result *results, int count);

#endif
