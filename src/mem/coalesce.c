/* The coalescer: see coalesce.h. Lanes are taken in runs that fall into one unit; units are found by hash, so
 * that a gather of 32 lines costs no more than its lanes. */
#include "mem/coalesce.h"

#include <string.h>

enum { SLOTS = 256, EMPTY = 255 };

struct finder {
    int count;
    uint8_t slot[SLOTS];
    uint64_t unit[COALESCE_MAX];
};

/* The transaction of the unit, made if it is new; -1 if there is no room. */
static inline int find_unit(struct finder *f, uint64_t unit, uint64_t line, struct transaction *out)
{
    unsigned i = (unsigned)((unit * 0x9e3779b97f4a7c15u) >> 56);
    for (; f->slot[i] != EMPTY; i = (i + 1) % SLOTS)
        if (f->unit[f->slot[i]] == unit)
            return f->slot[i];
    if (f->count == COALESCE_MAX)
        return -1;
    f->slot[i] = (uint8_t)f->count;
    f->unit[f->count] = unit;
    out[f->count] = (struct transaction){.line = line};
    return f->count++;
}

/* The thirty-seconds of a line from byte `begin` to `end`. */
static uint32_t part_mask(unsigned begin, unsigned end, unsigned line_shift)
{
    unsigned shift = line_shift - 5;
    unsigned low = begin >> shift, high = end >> shift;
    return (UINT32_MAX >> (31 - (high - low))) << low;
}

static uint32_t count_passes(const struct mem_access *a, uint64_t lanes)
{
    uint32_t most = 0;
    while (lanes) {
        uint64_t address = a->address[__builtin_ctzll(lanes)];
        uint32_t same = 0;
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            int lane = __builtin_ctzll(rest);
            if (a->address[lane] == address) {
                same++;
                lanes &= ~(UINT64_C(1) << lane);
            }
        }
        most = same > most ? same : most;
    }
    return most;
}

/* All lanes in one unit: the common case, and a loop that vectorises. */
static bool is_one_unit(const struct mem_access *a, unsigned unit_shift, unsigned more)
{
    uint64_t differs = 0, first = a->address[0];
    if ((first ^ a->address[a->count - 1]) >> unit_shift) /* most often decides it */
        return false;
    for (int lane = 0; lane < a->count; lane++)
        differs |= (a->address[lane] ^ first) | ((a->address[lane] + more) ^ first);
    return !(differs >> unit_shift);
}

/* The end of the run of lanes from `lane` on that lie within the unit of the first; it does, so `more` is
 * less than a unit. */
static inline int end_of_run(const struct mem_access *a, int lane, unsigned unit_shift, unsigned more)
{
    uint64_t size = UINT64_C(1) << unit_shift, base = a->address[lane] & ~(size - 1), fits = size - more;
    do
        lane++;
    while (lane < a->count && a->address[lane] - base < fits);
    return lane;
}

static uint32_t touch_run(const struct mem_access *a, int lane, int end, unsigned line_shift, unsigned more)
{
    uint32_t touched = 0;
    unsigned in_line = (1u << line_shift) - 1;
    for (; lane < end; lane++) {
        unsigned begin = (unsigned)a->address[lane] & in_line;
        touched |= part_mask(begin, begin + more, line_shift);
    }
    return touched;
}

/* A lane that straddles units is part of each. False if there is no room. */
static bool add_straddler(const struct mem_access *a, int lane, unsigned line_shift, unsigned unit_shift,
                          unsigned more, struct finder *f, struct transaction *out)
{
    uint64_t begin = a->address[lane], last = begin + more, in_line = (UINT64_C(1) << line_shift) - 1;
    for (uint64_t unit = begin >> unit_shift; unit <= last >> unit_shift; unit++) {
        uint64_t from = unit << unit_shift, to = ((unit + 1) << unit_shift) - 1;
        int i = find_unit(f, unit, unit >> (line_shift - unit_shift), out);
        if (i < 0)
            return false;
        from = from < begin ? begin : from;
        to = to > last ? last : to;
        out[i].lanes |= UINT64_C(1) << lane;
        out[i].touched |= part_mask((unsigned)(from & in_line), (unsigned)(to & in_line), line_shift);
    }
    return true;
}

static bool add_lanes(const struct mem_access *a, unsigned line_shift, unsigned unit_shift, bool wants_parts,
                      struct finder *f, struct transaction *out)
{
    unsigned more = a->bytes ? a->bytes - 1u : 0;
    uint64_t in_unit = (UINT64_C(1) << unit_shift) - 1;
    f->count = 0;
    memset(f->slot, EMPTY, sizeof f->slot);
    for (int lane = 0; lane < a->count;) {
        if ((a->address[lane] & in_unit) + more > in_unit) {
            if (!add_straddler(a, lane++, line_shift, unit_shift, more, f, out))
                return false;
            continue;
        }
        int end = end_of_run(a, lane, unit_shift, more);
        int i = find_unit(f, a->address[lane] >> unit_shift, a->address[lane] >> line_shift, out);
        if (i < 0)
            return false;
        out[i].lanes |= UINT64_MAX >> (64 - (end - lane)) << lane;
        if (wants_parts)
            out[i].touched |= touch_run(a, lane, end, line_shift, more);
        lane = end;
    }
    return true;
}

int coalesce(const struct mem_access *a, unsigned line_shift, unsigned unit_shift, bool wants_parts,
             struct transaction *out)
{
    struct finder f;
    unsigned more = a->bytes ? a->bytes - 1u : 0;
    if (a->count > 0 && is_one_unit(a, unit_shift, more)) {
        f.count = 1;
        out[0] =
            (struct transaction){.line = a->address[0] >> line_shift, .lanes = UINT64_MAX >> (64 - a->count)};
        if (wants_parts)
            out[0].touched = touch_run(a, 0, a->count, line_shift, more);
    } else if (!add_lanes(a, line_shift, unit_shift, wants_parts, &f, out)) {
        return -1;
    }
    for (int i = 0; !wants_parts && i < f.count; i++)
        out[i].touched = UINT32_MAX;
    for (int i = 0; a->kind == MEM_ATOMIC && i < f.count; i++)
        out[i].passes = count_passes(a, out[i].lanes);
    return f.count;
}
