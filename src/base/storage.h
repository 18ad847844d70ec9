/*
 * Storage that is used again: blocks that are freed all at once, after which the next blocks lie where they lay.
 *
 * What a launch needs on a machine is about the same as what the last one needed, and large: to give it back to
 * malloc() and ask for it again takes more time than a small launch. Blocks begin at cache lines of the host.
 *
 * Storage that is never started anew gives blocks of zeros, most of which may never be touched: they take no host
 * memory and no host time before that, unlike those of an arena (base/arena.h), since they lie side by side in pages
 * from the operating system.
 */
#ifndef HEDDLE_BASE_STORAGE_H
#define HEDDLE_BASE_STORAGE_H

#include <stdbool.h>
#include <stddef.h>

struct storage_chunk;

/* All zero: empty storage. */
struct storage {
    struct storage_chunk *chunk; /* list of chunks, newest first */
    size_t used_bytes;           /* of the newest chunk */
    bool is_dense;               /* most of it will be touched soon: large pages of the host may hold it */
};

/* The block's bytes are zeros or, behind storage_restart(), have any values. */
void *storage_alloc(struct storage *s, size_t bytes);
void *storage_calloc(struct storage *s, size_t count, size_t bytes); /* a block of zeros */
void storage_restart(struct storage *s); /* frees every block, and keeps the memory for other blocks */
void storage_free(struct storage *s);    /* frees every block, and the memory */

#define storage_array(s, type, count) ((type *)storage_alloc((s), sizeof(type) * (count)))

#endif
