/*
 * Storage that is used again: blocks that are freed all at once, after which the next blocks lie where they lay.
 *
 * What a launch needs on a machine is about the same as what the last one needed, and large: to give it back to
 * malloc() and ask for it again takes more time than a small launch. Blocks begin at cache lines of the host.
 */
#ifndef HEDDLE_BASE_STORAGE_H
#define HEDDLE_BASE_STORAGE_H

#include <stddef.h>

struct storage_chunk;

/* All zero: empty storage. */
struct storage {
    struct storage_chunk *chunk; /* list of chunks, newest first */
    size_t used_bytes;           /* of the newest chunk */
};

void *storage_alloc(struct storage *s, size_t bytes);                /* the block's bytes have any values */
void *storage_calloc(struct storage *s, size_t count, size_t bytes); /* a block of zeros */
void storage_restart(struct storage *s); /* frees every block, and keeps the memory for other blocks */
void storage_free(struct storage *s);    /* frees every block, and the memory */

#endif
