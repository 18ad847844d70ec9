/* A store of zeros (zeros.h): bump allocation in chunks of 4 MiB of pages, or of the size of a larger block. */
#include "base/zeros.h"

#include "base/arena.h"

enum { CHUNK_BYTES = 4 << 20, LINE_BYTES = 64 };

struct zeros_chunk {
    struct zeros_chunk *next;
    size_t size_bytes; /* of the whole chunk */
};

static size_t whole_lines(size_t bytes)
{
    return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

void *zeros_alloc(struct zeros *z, size_t bytes)
{
    bytes = whole_lines(bytes);
    if (!z->chunk || z->chunk->size_bytes - z->used_bytes < bytes) {
        const size_t head = whole_lines(sizeof *z->chunk);
        size_t size = head + bytes > CHUNK_BYTES ? head + bytes : CHUNK_BYTES;
        struct zeros_chunk *chunk = xpages(size);
        *chunk = (struct zeros_chunk){z->chunk, size};
        z->chunk = chunk;
        z->used_bytes = head;
    }
    void *block = (uint8_t *)z->chunk + z->used_bytes;
    z->used_bytes += bytes;
    return block;
}

void zeros_free(struct zeros *z)
{
    while (z->chunk) {
        struct zeros_chunk *next = z->chunk->next;
        free_pages(z->chunk, z->chunk->size_bytes);
        z->chunk = next;
    }
    z->used_bytes = 0;
}
