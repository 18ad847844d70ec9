/* Arenas: bump allocation in chunks of 64 KiB, or of the size of a larger block. See arena.h. */
#include "base/arena.h"

#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK_BYTES = 64 * 1024, ALIGN_BYTES = 16 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size_bytes;
    _Alignas(ALIGN_BYTES) unsigned char data[];
};

void *xmalloc(size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);
    if (!block)
        fatal("out of memory (%zu bytes)", bytes);
    return block;
}

void *xmalloc_lines(size_t bytes)
{
    enum { LINE_BYTES = 64 };
    void *block = aligned_alloc(LINE_BYTES, (bytes / LINE_BYTES + 1) * LINE_BYTES);
    if (!block)
        fatal("out of memory (%zu bytes)", bytes);
    return block;
}

void *xcalloc(size_t count, size_t bytes)
{
    void *block = calloc(count ? count : 1, bytes ? bytes : 1);
    if (!block)
        fatal("out of memory (%zu times %zu bytes)", count, bytes);
    return block;
}

void *xrealloc(void *block, size_t bytes)
{
    void *moved = realloc(block, bytes ? bytes : 1);
    if (!moved)
        fatal("out of memory (%zu bytes)", bytes);
    return moved;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    bytes = (bytes + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);
    if (!a->chunk || a->chunk->size_bytes - a->used_bytes < bytes) {
        size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        struct arena_chunk *chunk = xmalloc(sizeof *chunk + size);
        chunk->next = a->chunk;
        chunk->size_bytes = size;
        a->chunk = chunk;
        a->used_bytes = 0;
    }
    void *block = a->chunk->data + a->used_bytes;
    a->used_bytes += bytes;
    return memset(block, 0, bytes);
}

char *arena_copy_string(struct arena *a, const char *text, size_t length)
{
    char *copy = arena_alloc(a, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = arena_alloc(a, (size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void arena_adopt(struct arena *a, struct arena *from)
{
    struct arena_chunk *last = from->chunk;
    if (!last)
        return;
    while (last->next)
        last = last->next;
    /* The newest chunk of `a` stays in front, because it is the one with room. */
    if (a->chunk) {
        last->next = a->chunk->next;
        a->chunk->next = from->chunk;
    } else {
        *a = *from;
    }
    *from = (struct arena){0};
}

void arena_free(struct arena *a)
{
    while (a->chunk) {
        struct arena_chunk *next = a->chunk->next;
        free(a->chunk);
        a->chunk = next;
    }
    a->used_bytes = 0;
}

void *xpages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        fatal("out of memory (%zu bytes)", bytes);
    return pages;
}

void free_pages(void *pages, size_t bytes)
{
    if (pages)
        munmap(pages, bytes);
}
