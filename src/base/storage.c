/* Storage that is used again (storage.h): bump allocation in chunks of pages, each twice as large as the one before. */
#include "base/storage.h"

#include "base/arena.h"

#include <string.h>
#include <sys/mman.h>

enum { FIRST_BYTES = 1 << 20, LARGE_BYTES = 1 << 22, LINE_BYTES = 64 };

struct storage_chunk {
    struct storage_chunk *next;
    size_t size_bytes; /* of the whole chunk */
};

static size_t whole_lines(size_t bytes)
{
    return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

static void add_chunk(struct storage *s, size_t least)
{
    size_t size = s->chunk ? 2 * s->chunk->size_bytes : FIRST_BYTES;
    while (size < least)
        size *= 2;
    struct storage_chunk *chunk = xpages(size);
    if (s->is_dense && size >= LARGE_BYTES)
        madvise(chunk, size, MADV_HUGEPAGE); /* a hint: without large pages all is the same, only slower */
    *chunk = (struct storage_chunk){s->chunk, size};
    s->chunk = chunk;
    s->used_bytes = whole_lines(sizeof *chunk);
}

void *storage_alloc(struct storage *s, size_t bytes)
{
    bytes = whole_lines(bytes);
    if (!s->chunk || s->chunk->size_bytes - s->used_bytes < bytes)
        add_chunk(s, bytes + whole_lines(sizeof *s->chunk));
    void *block = (char *)s->chunk + s->used_bytes;
    s->used_bytes += bytes;
    return block;
}

void *storage_calloc(struct storage *s, size_t count, size_t bytes)
{
    return memset(storage_alloc(s, count * bytes), 0, count * bytes);
}

static void free_chunks(struct storage_chunk *c)
{
    while (c) {
        struct storage_chunk *next = c->next;
        free_pages(c, c->size_bytes);
        c = next;
    }
}

/* The newest chunk is larger than all others together. After a few launches of one size it holds everything. */
void storage_restart(struct storage *s)
{
    if (!s->chunk)
        return;
    free_chunks(s->chunk->next);
    s->chunk->next = NULL;
    s->used_bytes = whole_lines(sizeof *s->chunk);
}

void storage_free(struct storage *s)
{
    free_chunks(s->chunk);
    *s = (struct storage){0};
}
