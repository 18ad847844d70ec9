/* Events by cycle: storage, and the heap of events beyond the wheel. See wheel.h. */
#include "sm/wheel.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

void wheel_open(struct wheel *w, uint64_t now)
{
    memset(w, 0, sizeof *w);
    w->now = now;
    w->next = UINT64_MAX;
    memset(w->first, -1, sizeof w->first);
    w->free_event = -1;
    w->far_from = UINT64_MAX;
}

void wheel_close(struct wheel *w)
{
    vec_free(&w->events);
    free(w->far);
}

void wheel_grow(struct wheel *w)
{
    vec_push(&w->events, (struct wheel_event){.next = -1});
    w->free_event = w->events.count - 1;
}

/* ---- the heap: events[far[0]] is the first of the far events ---- */

static bool is_before(const struct wheel *w, int32_t a, int32_t b)
{
    const struct wheel_event *x = &w->events.data[a], *y = &w->events.data[b];
    return x->cycle != y->cycle ? x->cycle < y->cycle : x->order < y->order;
}

static void note_first_far(struct wheel *w)
{
    w->far_from = w->far_count ? w->events.data[w->far[0]].cycle - WHEEL_CYCLES + 1 : UINT64_MAX;
}

void wheel_add_far(struct wheel *w, int32_t e)
{
    w->events.data[e].order = w->order++;
    if (w->far_count == w->far_capacity) {
        w->far_capacity = w->far_capacity ? 2 * w->far_capacity : 64;
        w->far = xrealloc(w->far, sizeof *w->far * (size_t)w->far_capacity);
    }
    int i = w->far_count++;
    for (; i > 0 && is_before(w, e, w->far[(i - 1) / 2]); i = (i - 1) / 2)
        w->far[i] = w->far[(i - 1) / 2];
    w->far[i] = e;
    note_first_far(w);
}

static int32_t far_pop(struct wheel *w)
{
    int32_t top = w->far[0], moved = w->far[--w->far_count];
    int i = 0;
    for (int child; (child = 2 * i + 1) < w->far_count; i = child) {
        if (child + 1 < w->far_count && is_before(w, w->far[child + 1], w->far[child]))
            child++;
        if (!is_before(w, w->far[child], moved))
            break;
        w->far[i] = w->far[child];
    }
    w->far[i] = moved;
    return top;
}

/* Far events come onto the wheel before any other event of their cycle, which keeps the order of addition: wheel_add()
 * puts an event on the wheel only if its cycle is less than WHEEL_CYCLES after `now`, and every change of `now` calls
 * this first. */
void wheel_take_near(struct wheel *w)
{
    while (w->far_count && w->events.data[w->far[0]].cycle - w->now < WHEEL_CYCLES)
        wheel_put(w, far_pop(w));
    note_first_far(w);
}

uint64_t wheel_find_next(const struct wheel *w)
{
    unsigned from = (unsigned)(w->now % WHEEL_CYCLES), word = from / 64;
    uint64_t any = 0;
    for (int i = 0; i < WHEEL_WORDS; i++)
        any |= w->used[i];
    if (!any) /* mostly so while all strands wait for memory */
        return w->far_count ? w->events.data[w->far[0]].cycle : UINT64_MAX;
    uint64_t left = w->used[word] & ~UINT64_C(0) << from % 64;
    while (!left) { /* ends: behind the last word, the first one comes again, and then with all its bits */
        word = (word + 1) % WHEEL_WORDS;
        left = w->used[word];
    }
    return w->now + (word * 64 + (unsigned)__builtin_ctzll(left) - from) % WHEEL_CYCLES;
}
