/*
 * Arenas: memory that is freed all at once (of a module, a program, a launch).
 *
 * Blocks are zeroed, aligned to 16 bytes, and never moved. If the host runs out of memory, the process ends with a
 * message.
 */
#ifndef HEDDLE_BASE_ARENA_H
#define HEDDLE_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunk; /* list of chunks, newest first */
    size_t used_bytes;         /* of the newest chunk */
};

void *arena_alloc(struct arena *a, size_t bytes);
char *arena_copy_string(struct arena *a, const char *text, size_t length);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes all blocks of `from` blocks of `a`; `from` is empty afterwards. */
void arena_adopt(struct arena *a, struct arena *from);
void arena_free(struct arena *a); /* frees every block; the arena can be used again */

#define arena_new(a, type)          ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, count) ((type *)arena_alloc((a), sizeof(type) * (count)))

/* malloc(), calloc() and realloc(), but never NULL: without memory the process ends with a message. */
void *xmalloc(size_t bytes);
void *xmalloc_lines(size_t bytes); /* malloc() of whole cache lines of 64 bytes; freed with free() */
void *xcalloc(size_t count, size_t bytes);
void *xrealloc(void *block, size_t bytes) __attribute__((cold)); /* cold: as fatal() in base/diag.h */
/* Zeroed pages from the operating system, which take no memory until they are touched. */
void *xpages(size_t bytes);
void free_pages(void *pages, size_t bytes);

#endif
