/* The coalescer: see coalesce.h. Units are found by hash, so that a gather of 32 lines costs no more than its
 * lanes. */
#include "mem/coalesce.h"

#include <string.h>

enum { SLOTS = 256, EMPTY = 255 };

struct finder {
    int count;
    uint8_t slot[SLOTS];
    uint64_t unit[COALESCE_MAX];
};

/* The transaction of the unit, made if it is new; -1 if there is no room. */
static int find_unit(struct finder *f, uint64_t unit)
{
    unsigned i = (unsigned)((unit * 0x9e3779b97f4a7c15u) >> 56);
    for (; f->slot[i] != EMPTY; i = (i + 1) % SLOTS)
        if (f->unit[f->slot[i]] == unit)
            return f->slot[i];
    if (f->count == COALESCE_MAX)
        return -1;
    f->slot[i] = (uint8_t)f->count;
    f->unit[f->count] = unit;
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

static void add_lane(struct transaction *t, int lane, uint64_t begin, uint64_t end, unsigned line_shift)
{
    uint64_t in_line = (UINT64_C(1) << line_shift) - 1;
    t->lanes |= UINT64_C(1) << lane;
    t->touched |= part_mask((unsigned)(begin & in_line), (unsigned)(end & in_line), line_shift);
}

/* All lanes in one unit: the common case, and a loop that vectorises. */
static bool is_one_unit(const struct mem_access *a, unsigned unit_shift, unsigned more)
{
    uint64_t differs = 0, first = a->address[0];
    for (int lane = 0; lane < a->count; lane++)
        differs |= (a->address[lane] ^ first) | ((a->address[lane] + more) ^ first);
    return !(differs >> unit_shift);
}

static uint32_t touch_all(const struct mem_access *a, unsigned line_shift, unsigned more)
{
    uint32_t touched = 0;
    unsigned in_line = (1u << line_shift) - 1;
    for (int lane = 0; lane < a->count; lane++) {
        unsigned begin = (unsigned)a->address[lane] & in_line;
        touched |= part_mask(begin, begin + more, line_shift);
    }
    return touched;
}

int coalesce(const struct mem_access *a, unsigned line_shift, unsigned unit_shift, bool wants_parts,
             struct transaction *out)
{
    struct finder f;
    unsigned more = a->bytes ? a->bytes - 1u : 0;
    if (a->count > 0 && is_one_unit(a, unit_shift, more)) {
        out[0] = (struct transaction){.line = a->address[0] >> line_shift,
                                      .lanes = UINT64_MAX >> (64 - a->count),
                                      .touched = wants_parts ? touch_all(a, line_shift, more) : UINT32_MAX};
        out[0].passes = a->kind == MEM_ATOMIC ? count_passes(a, out[0].lanes) : 0;
        return 1;
    }
    f.count = 0;
    memset(f.slot, EMPTY, sizeof f.slot);
    uint64_t last_unit = ~a->address[0] >> unit_shift; /* of no lane before the first */
    int last = -1;
    for (int lane = 0; lane < a->count; lane++) {
        uint64_t begin = a->address[lane], end = begin + more;
        for (uint64_t unit = begin >> unit_shift;; unit++, begin = unit << unit_shift) {
            if (unit != last_unit) {
                int known = f.count;
                last = find_unit(&f, unit);
                last_unit = unit;
                if (last < 0)
                    return -1;
                if (last == known)
                    out[last] = (struct transaction){.line = unit >> (line_shift - unit_shift)};
            }
            if (unit == end >> unit_shift)
                break;
            add_lane(&out[last], lane, begin, ((unit + 1) << unit_shift) - 1, line_shift);
        }
        add_lane(&out[last], lane, begin, end, line_shift);
    }
    for (int i = 0; !wants_parts && i < f.count; i++)
        out[i].touched = UINT32_MAX;
    if (a->kind == MEM_ATOMIC)
        for (int i = 0; i < f.count; i++)
            out[i].passes = count_passes(a, out[i].lanes);
    return f.count;
}
