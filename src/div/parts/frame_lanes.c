/* Meetings (frame.h): into how many warps the compactor would put the threads that the arrived warps bring to a path.
 * That is the largest number of threads that have the same home slot. */
#include "base/inline.h"
#include "div/parts/frame_internal.h"

enum {
    FEW_BITS = 4,                   /* bits of a counter that mostly suffice: few warps meet */
    MOST_FEW = (1 << FEW_BITS) - 1, /* the largest such counter */
    MOST_BITS = 12
};

/* Counters of all slots at once: bit[i] holds bit i of each counter. */
struct lane_counts {
    uint64_t bit[MOST_BITS];
};

/* Adds one to the counters of the slots. `bits`: as many as the counters have. There is no branch on carries, since the
 * host could not predict where they end. */
static ALWAYS_INLINE void count_lanes(struct lane_counts *c, uint64_t slots, int bits)
{
    for (int i = 0; i < bits; i++) {
        const uint64_t carry = c->bit[i] & slots;
        c->bit[i] ^= slots;
        slots = carry;
    }
}

/* The largest of the counters. */
static ALWAYS_INLINE int most_of(const struct lane_counts *c, int bits)
{
    uint64_t among = UINT64_MAX;
    int most = 0;
    for (int i = bits - 1; i >= 0; i--) {
        const uint64_t larger = c->bit[i] & among;
        among = larger ? larger : among;
        most |= (larger != 0) << i;
    }
    return most;
}

/* The slots of a side, if it is of the path. */
static ALWAYS_INLINE uint64_t slots_of(const struct meeting_side *side, int path)
{
    return side->path == path ? side->mask : 0;
}

static ALWAYS_INLINE int lanemax(const struct meeting *m, int path, int first, int *before, int bits)
{
    struct lane_counts lanes = {{0}};
    int warps = 0;
    for (int i = 0; i < m->sides.count; i++) {
        const struct meeting_side *side = &m->sides.data[i];
        const uint64_t slots = side->arrival >= first ? slots_of(side, path) : 0;
        count_lanes(&lanes, slots, bits);
        warps += slots != 0;
    }
    if (before)
        *before = warps;
    return most_of(&lanes, bits);
}

int meeting_lanemax(const struct meeting *m, int path, int first, int *before)
{
    return m->sides.count <= MOST_FEW ? lanemax(m, path, first, before, FEW_BITS)
                                      : lanemax(m, path, first, before, MOST_BITS);
}

bool meeting_collides(const struct meeting *m, int n)
{
    const int end = n < m->arrivals.count ? m->arrivals.data[n].first_side : m->sides.count;
    uint64_t common = UINT64_MAX;
    int warps = 0;
    for (int i = 0; i < end; i++) {
        const bool counts = m->sides.data[i].path == 0;
        common &= m->sides.data[i].mask | ((uint64_t)counts - 1);
        warps += counts;
    }
    return warps == n && common;
}

/* meeting_saved() for a meeting of few warps and at most two paths: in one pass. */
static int saved_of_few(const struct meeting *m, int first)
{
    struct lane_counts one = {{0}}, other = {{0}};
    int warps = 0;
    for (int i = m->arrivals.data[first].first_side; i < m->sides.count; i++) {
        const struct meeting_side *side = &m->sides.data[i];
        count_lanes(&one, slots_of(side, 0), FEW_BITS);
        count_lanes(&other, slots_of(side, 1), FEW_BITS);
        warps += side->path >= 0;
    }
    return warps - most_of(&one, FEW_BITS) - most_of(&other, FEW_BITS);
}

int meeting_saved(const struct meeting *m, int first)
{
    int saved = 0;
    if (first >= m->arrivals.count)
        return 0;
    if (m->paths.count <= 2 && m->arrivals.count - first <= MOST_FEW)
        return saved_of_few(m, first);
    for (int i = 0; i < m->paths.count; i++) {
        int before, after = meeting_lanemax(m, i, first, &before);
        saved += before - after;
    }
    return saved;
}

bool meeting_is_adequate(const struct meeting *m)
{
    return meeting_saved(m, 0) > 0;
}
