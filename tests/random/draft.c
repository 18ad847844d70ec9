/* A growing string: see draft.h. */
#include "draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void draft_out_of_memory(void)
{
    fputs("random: out of memory\n", stderr);
    exit(1);
}

void *draft_allocate(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p)
        draft_out_of_memory();
    return p;
}

static void draft_reserve(struct draft *t, size_t more)
{
    size_t need = t->length + more + 1;
    if (need <= t->capacity)
        return;
    size_t capacity = need * 2 < 256 ? 256 : need * 2;
    char *s = realloc(t->s, capacity);
    if (!s)
        draft_out_of_memory();
    t->s = s;
    t->capacity = capacity;
}

void draft_vadd(struct draft *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    draft_reserve(t, 80);
    size_t space = t->capacity - t->length;
    size_t length = (size_t)vsnprintf(t->s + t->length, space, format, args);
    if (length >= space) {
        draft_reserve(t, length);
        vsnprintf(t->s + t->length, length + 1, format, again);
    }
    va_end(again);
    t->length += length;
}

void draft_add(struct draft *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    draft_vadd(t, format, args);
    va_end(args);
}

void draft_move(struct draft *to, struct draft *from)
{
    if (from->length) {
        draft_reserve(to, from->length);
        memcpy(to->s + to->length, from->s, from->length + 1);
        to->length += from->length;
    }
    draft_clear(from);
}

void draft_clear(struct draft *t)
{
    free(t->s);
    *t = (struct draft){0};
}
