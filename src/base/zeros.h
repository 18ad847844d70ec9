/*
 * A store of zeros: blocks that are freed all at once, most of which may never be touched.
 *
 * Blocks are zeroed and begin at cache lines of the host. They take no host memory and no host time before they are
 * touched, unlike those of an arena (base/arena.h), since they lie side by side in pages from the operating system.
 */
#ifndef HEDDLE_BASE_ZEROS_H
#define HEDDLE_BASE_ZEROS_H

#include <stddef.h>
#include <stdint.h>

struct zeros_chunk;

/* All zero: an empty store. */
struct zeros {
    struct zeros_chunk *chunk; /* list of chunks, newest first */
    size_t used_bytes;         /* of the newest chunk */
};

void *zeros_alloc(struct zeros *z, size_t bytes);
void zeros_free(struct zeros *z); /* frees every block; the store can be used again */

#define zeros_array(z, type, count) ((type *)zeros_alloc((z), sizeof(type) * (count)))

#endif
