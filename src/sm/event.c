/* Events: a binary heap. */
#include "sm/event.h"

#include "base/arena.h"

static int before(const struct event *a, const struct event *b)
{
    return a->cycle < b->cycle || (a->cycle == b->cycle && a->order < b->order);
}

void event_push(struct event_heap *h, uint64_t cycle, enum event_kind kind, int32_t index, uint32_t generation)
{
    if (h->count == h->capacity) {
        h->capacity = h->capacity ? 2 * h->capacity : 256;
        h->data = xrealloc(h->data, sizeof *h->data * (size_t)h->capacity);
    }
    struct event e = {cycle, h->order++, kind, index, generation};
    int at = h->count++;
    while (at && before(&e, &h->data[(at - 1) / 2])) {
        h->data[at] = h->data[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    h->data[at] = e;
}

struct event event_pop(struct event_heap *h)
{
    struct event first = h->data[0], last = h->data[--h->count];
    int at = 0;
    for (int child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count && before(&h->data[child + 1], &h->data[child]))
            child++;
        if (before(&last, &h->data[child]))
            break;
        h->data[at] = h->data[child];
    }
    h->data[at] = last;
    return first;
}
