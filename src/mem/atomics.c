/* Lines of an L2 slice with atomics in progress (atomics.h). */
#include "mem/atomics.h"

#include "mem/cache.h"
#include "mem/clock.h"

void atomics_open(struct atomics *a)
{
    *a = (struct atomics){0};
    for (int i = 0; i < ATOMICS_LINES; i++)
        a->line[i] = CACHE_EMPTY;
}

/* The element of the line, if an atomic is in progress on it at cycle k; else an unused element; -1 if there is
 * none. */
static int find_place(const struct atomics *a, uint64_t line, uint64_t k)
{
    int free_place = -1;
    for (int i = 0; i < ATOMICS_LINES; i++) {
        if (a->line[i] == line)
            return i;
        if (a->until[i] <= k)
            free_place = i;
    }
    return free_place;
}

uint64_t atomics_start(const struct atomics *a, uint64_t line, uint64_t k)
{
    int i = find_place(a, line, k);
    if (i >= 0)
        return clock_later(k, a->until[i]);
    uint64_t first = CLOCK_NEVER;
    for (i = 0; i < ATOMICS_LINES; i++)
        first = clock_earlier(first, a->until[i]);
    return first;
}

uint64_t atomics_perform(struct atomics *a, uint64_t line, uint64_t cycles, uint64_t k)
{
    uint64_t start = atomics_start(a, line, k);
    int i = find_place(a, line, start);
    a->line[i] = line;
    a->until[i] = start + cycles;
    return a->until[i];
}
