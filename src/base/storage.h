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

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct storage_chunk;

/* Chunks in which blocks lie one behind the other. */
struct storage_pile {
    struct storage_chunk *chunk; /* list of chunks, newest first */
    size_t used_bytes;           /* of the newest chunk */
};

/* All zero: empty storage. Blocks of storage_reserve() lie apart: a large page is cleared as a whole at its first
 * touch. */
struct storage {
    struct storage_pile blocks, reserved;
    bool is_dense;        /* most of `blocks` will be touched soon: large pages of the host may hold it */
    atomic_bool is_taken; /* a host thread takes a block, and others wait for that */
};

/* Several host threads may take blocks at the same time.
 * The block's bytes are zeros or, behind storage_restart(), have any values. */
void *storage_alloc(struct storage *s, size_t bytes);
void *storage_calloc(struct storage *s, size_t count, size_t bytes); /* a block of zeros */
/* A block as of storage_alloc(), most of which may never be touched, whatever the rest of the storage is used for. */
void *storage_reserve(struct storage *s, size_t bytes);
void storage_restart(struct storage *s); /* frees every block, and keeps the memory for other blocks */
void storage_free(struct storage *s);    /* frees every block, and the memory */

#define storage_array(s, type, count) ((type *)storage_alloc((s), sizeof(type) * (count)))

#endif
