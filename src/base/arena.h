/*
 * Arenas: memory that lives and dies together (a module, a program, a launch).
 *
 * Blocks come zeroed and aligned to 16 bytes, are never moved, and are freed all at once. Running out of
 * host memory ends the program with a message: nothing in heddle can go on without it.
 */
#ifndef HEDDLE_BASE_ARENA_H
#define HEDDLE_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunk; /* newest first */
    size_t used_bytes;         /* in the newest chunk */
};

void *arena_alloc(struct arena *a, size_t bytes);
char *arena_copy_string(struct arena *a, const char *text, size_t length);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a); /* frees every block; the arena can be used again */

#define arena_new(a, type)          ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, count) ((type *)arena_alloc((a), sizeof(type) * (count)))

/* malloc and friends that do not return NULL. */
void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t bytes);
void *xrealloc(void *block, size_t bytes);
/* Zeros that take no memory until they are touched, whatever malloc thinks of their size. */
void *xpages(size_t bytes);
void free_pages(void *pages, size_t bytes);

#endif
