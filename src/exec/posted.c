/* Writes of a multiprocessor that others cannot see yet: see posted.h. */
#include "exec/posted.h"

#include "base/arena.h"
#include "exec/atomic.h"

#include <stdlib.h>
#include <string.h>

void posted_close(struct posted *p)
{
    free(p->writes);
    free(p->data);
    *p = (struct posted){0};
}

/* Notes the lines that a write touches. */
static void mark_lines(struct posted *p, const uint8_t *host, uint32_t bytes)
{
    const uintptr_t first = (uintptr_t)host, end = first + bytes, last = (end - 1) >> POSTED_LINE_SHIFT;
    p->first = !p->end || first < p->first ? first : p->first;
    p->end = end > p->end ? end : p->end;
    for (uintptr_t line = first >> POSTED_LINE_SHIFT; line <= last; line++) {
        unsigned h = posted_hash(line << POSTED_LINE_SHIFT);
        p->filter[h / 64] |= UINT64_C(1) << h % 64;
    }
}

/* Adds a write with room for `size` bytes of data, at an index that is a multiple of 8. */
static struct posted_write *add_write(struct posted *p, uint64_t cycle, uint8_t *host, uint32_t bytes, uint32_t size)
{
    uint32_t at = (p->used + 7) & ~UINT32_C(7);
    if (p->count == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 64;
        p->writes = xrealloc(p->writes, p->capacity * sizeof *p->writes);
    }
    if (at + size > p->data_capacity) {
        p->data_capacity = 2 * (at + size) > 4096 ? 2 * (at + size) : 4096;
        p->data = xrealloc(p->data, p->data_capacity);
    }
    p->used = at + size;
    mark_lines(p, host, bytes);
    struct posted_write *w = &p->writes[p->count++];
    *w = (struct posted_write){
        .cycle = cycle, .host = host, .data = at, .bytes = bytes, .is_late = cycle < p->late_before};
    return w;
}

uint8_t *posted_store(struct posted *p, uint64_t cycle, uint8_t *host, uint32_t bytes)
{
    const struct posted_write *w = add_write(p, cycle, host, bytes, bytes); /* may move p->data */
    return p->data + w->data;
}

void posted_atomic(struct posted *p, uint64_t cycle, const struct bound *in, uint8_t *host, const uint64_t *operands,
                   int count, struct posted_result result)
{
    uint32_t bytes = (uint32_t)in->width * in->elements, size = (uint32_t)count * sizeof *operands;
    struct posted_write *w = add_write(p, cycle, host, bytes, size + (uint32_t)sizeof result);
    w->in = in;
    p->results += result.planes != NULL;
    memcpy(p->data + w->data, &result, sizeof result);
    memcpy(p->data + w->data + sizeof result, operands, size);
}

static const uint64_t *operands_of(const struct posted *p, const struct posted_write *w)
{
    return (const uint64_t *)(const void *)(p->data + w->data + sizeof(struct posted_result));
}

uint64_t posted_carry_out(struct posted *p, const struct posted_write *w)
{
    uint64_t old[BOUND_MAX_OPERANDS];
    struct posted_result result;
    memcpy(&result, p->data + w->data, sizeof result);
    const uint64_t changed = atomic_apply(w->in, w->host, operands_of(p, w), old);
    if (result.planes) {
        atomic_give_result(w->in, old, result.planes, result.lane);
        p->results--;
    }
    return changed;
}

void posted_apply(struct posted *p, uint64_t until, bool late)
{
    if (!p->count)
        return;
    for (; p->visible < p->count; p->visible++) {
        const struct posted_write *w = &p->writes[p->visible];
        if (w->cycle > until || (w->is_late && !late))
            return;
        p->changed += w->in ? posted_carry_out(p, w) : 1;
        if (!w->in)
            memcpy(w->host, p->data + w->data, w->bytes);
    }
    p->count = p->visible = p->used = 0;
    p->first = p->end = 0;
    memset(p->filter, 0, sizeof p->filter);
}

uint64_t posted_first(const struct posted *p)
{
    return p->visible < p->count ? p->writes[p->visible].cycle : UINT64_MAX;
}

/* A stretch of global memory as the multiprocessor sees it. */
struct view {
    uintptr_t first, end; /* host addresses */
    uint8_t bytes[POSTED_MOST_VIEW];
};

static bool is_within(const struct view *v, const struct posted_write *w)
{
    return (uintptr_t)w->host >= v->first && (uintptr_t)w->host + w->bytes <= v->end;
}

static bool overlaps(const struct view *v, const struct posted_write *w)
{
    return (uintptr_t)w->host < v->end && (uintptr_t)w->host + w->bytes > v->first;
}

/* Makes the view so wide that it holds all bytes of every atomic that it holds any byte of. Atomics are aligned, so
 * this ends with at most one atomic's width more on either side. */
static void widen(struct view *v, const struct posted *p)
{
    for (const struct posted_write *w = p->writes + p->visible, *end = p->writes + p->count; w < end; w++)
        if (w->in && overlaps(v, w) && !is_within(v, w)) {
            uintptr_t from = (uintptr_t)w->host, to = from + w->bytes;
            v->first = from < v->first ? from : v->first;
            v->end = to > v->end ? to : v->end;
            w = p->writes + p->visible - 1; /* from the beginning */
        }
}

void posted_read(const struct posted *p, const uint8_t *host, void *into, uint32_t bytes)
{
    struct view v = {.first = (uintptr_t)host, .end = (uintptr_t)host + bytes};
    widen(&v, p);
    memcpy(v.bytes, (const void *)v.first, v.end - v.first);
    for (const struct posted_write *w = p->writes + p->visible, *end = p->writes + p->count; w < end; w++) {
        if (!overlaps(&v, w))
            continue;
        uintptr_t from = (uintptr_t)w->host, to = from + w->bytes;
        uintptr_t begin = from > v.first ? from : v.first, stop = to < v.end ? to : v.end;
        if (w->in)
            atomic_apply(w->in, v.bytes + (from - v.first), operands_of(p, w), (uint64_t[BOUND_MAX_OPERANDS]){0});
        else
            memcpy(v.bytes + (begin - v.first), p->data + w->data + (begin - from), stop - begin);
    }
    memcpy(into, v.bytes + ((uintptr_t)host - v.first), bytes);
}
