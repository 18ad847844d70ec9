/* Storage that is used again (storage.h): bump allocation in chunks of pages, each twice as large as the one before. */
#include "base/storage.h"

#include "base/arena.h"
#include "base/pause.h"

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

static void add_chunk(struct storage_pile *p, size_t least, bool is_dense)
{
    size_t size = p->chunk ? 2 * p->chunk->size_bytes : FIRST_BYTES;
    while (size < least)
        size *= 2;
    struct storage_chunk *chunk = xpages(size);
    if (is_dense && size >= LARGE_BYTES)
        madvise(chunk, size, MADV_HUGEPAGE); /* a hint: without large pages all is the same, only slower */
    *chunk = (struct storage_chunk){p->chunk, size};
    p->chunk = chunk;
    p->used_bytes = whole_lines(sizeof *chunk);
}

static void *take_block(struct storage_pile *p, size_t bytes, bool is_dense)
{
    bytes = whole_lines(bytes);
    if (!p->chunk || p->chunk->size_bytes - p->used_bytes < bytes)
        add_chunk(p, bytes + whole_lines(sizeof *p->chunk), is_dense);
    void *block = (char *)p->chunk + p->used_bytes;
    p->used_bytes += bytes;
    return block;
}

static void *take_alone(struct storage *s, struct storage_pile *p, size_t bytes, bool is_dense)
{
    while (atomic_exchange_explicit(&s->is_taken, true, memory_order_acquire))
        pause_a_moment();
    void *block = take_block(p, bytes, is_dense);
    atomic_store_explicit(&s->is_taken, false, memory_order_release);
    return block;
}

void *storage_alloc(struct storage *s, size_t bytes)
{
    return take_alone(s, &s->blocks, bytes, s->is_dense);
}

void *storage_reserve(struct storage *s, size_t bytes)
{
    return take_alone(s, &s->reserved, bytes, false);
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
static void restart_pile(struct storage_pile *p)
{
    if (!p->chunk)
        return;
    free_chunks(p->chunk->next);
    p->chunk->next = NULL;
    p->used_bytes = whole_lines(sizeof *p->chunk);
}

void storage_restart(struct storage *s)
{
    restart_pile(&s->blocks);
    restart_pile(&s->reserved);
}

void storage_free(struct storage *s)
{
    free_chunks(s->blocks.chunk);
    free_chunks(s->reserved.chunk);
    *s = (struct storage){0};
}
