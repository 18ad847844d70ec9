/* The coalescer: see coalesce.h. Lanes that lie side by side need no search. Of others, units are found by
 * hash, so that a gather of 32 lines costs no more than its lanes. */
#include "mem/coalesce.h"

#include <string.h>

/* Slots are twice as many as units at most, so that a search ends. A few lanes have two units each at most,
 * if they are no wider than a unit. */
enum { FEW_LANES = 32, FEW_SLOTS = 4 * FEW_LANES, SLOTS = 2 * COALESCE_MAX, EMPTY = 255 };

struct finder {
    int count;
    uint32_t untouched; /* what is touched of a line at first */
    unsigned slot_mask;
    uint8_t slot[SLOTS];
    uint64_t unit[COALESCE_MAX];
};

static inline void clear_finder(struct finder *f, bool has_few, bool wants_parts)
{
    f->count = 0;
    f->untouched = wants_parts ? 0 : UINT32_MAX;
    f->slot_mask = FEW_SLOTS - 1;
    memset(f->slot, EMPTY, FEW_SLOTS);
    if (!has_few) {
        f->slot_mask = SLOTS - 1;
        memset(f->slot + FEW_SLOTS, EMPTY, SLOTS - FEW_SLOTS);
    }
}

/* The transaction of the unit, made if it is new; -1 if there is no room. */
static inline int find_unit(struct finder *f, uint64_t unit, uint64_t line, struct transaction *out)
{
    unsigned i = (unsigned)((unit * 0x9e3779b97f4a7c15u) >> 56) & f->slot_mask;
    for (; f->slot[i] != EMPTY; i = (i + 1) & f->slot_mask)
        if (f->unit[f->slot[i]] == unit)
            return f->slot[i];
    if (f->count == COALESCE_MAX)
        return -1;
    f->slot[i] = (uint8_t)f->count;
    f->unit[f->count] = unit;
    out[f->count] = (struct transaction){.line = line, .touched = f->untouched};
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

/* All lanes in one unit: the common case, and loops that vectorise. */
static bool is_one_unit(const struct mem_access *a, unsigned unit_shift, uint64_t more)
{
    const uint64_t *address = a->address, first = address[0];
    const int count = a->count;
    uint64_t differs = 0;
    if ((first ^ address[count - 1]) >> unit_shift) /* most often decides it */
        return false;
    for (int lane = 0; lane < count; lane++)
        differs |= address[lane] ^ first;
    if (differs >> unit_shift)
        return false;
    bool is_aligned = !(more & (more + 1)) && !((differs | first) & more);
    if (is_aligned && !(more >> unit_shift)) /* then none straddles units */
        return true;
    for (int lane = 0; lane < count; lane++)
        differs |= (address[lane] + more) ^ first;
    return !(differs >> unit_shift);
}

/* What lanes touch of the one line in which all lie. */
static uint32_t touch_lanes(const struct mem_access *a, unsigned line_shift, unsigned more)
{
    uint32_t touched = 0;
    unsigned in_line = (1u << line_shift) - 1;
    for (int lane = 0; lane < a->count; lane++) {
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
    unsigned more = a->bytes ? a->bytes - 1u : 0, in_line = (1u << line_shift) - 1;
    uint64_t in_unit = (UINT64_C(1) << unit_shift) - 1, unit_before = 0;
    int i = -1;
    clear_finder(f, a->count <= FEW_LANES && more <= in_unit, wants_parts);
    for (int lane = 0; lane < a->count; lane++) {
        uint64_t address = a->address[lane], unit = address >> unit_shift;
        if ((address & in_unit) + more > in_unit) {
            if (!add_straddler(a, lane, line_shift, unit_shift, more, f, out))
                return false;
            continue;
        }
        if (unit != unit_before || i < 0)
            i = find_unit(f, unit, address >> line_shift, out);
        if (i < 0)
            return false;
        unit_before = unit;
        out[i].lanes |= UINT64_C(1) << lane;
        if (wants_parts) {
            unsigned begin = (unsigned)address & in_line;
            out[i].touched |= part_mask(begin, begin + more, line_shift);
        }
    }
    return true;
}

/* Lanes side by side, each within its own place: most accesses that are not of one unit. */
static bool is_side_by_side(const struct mem_access *a)
{
    const uint64_t *address = a->address, first = address[0], bytes = a->bytes;
    uint64_t differs = 0;
    if (!bytes || (bytes & (bytes - 1)) || first & (bytes - 1) ||
        address[a->count - 1] - first != (uint64_t)(a->count - 1) * bytes)
        return false;
    for (int lane = 1, count = a->count; lane < count; lane++)
        differs |= (address[lane] - address[lane - 1]) ^ bytes;
    return !differs;
}

static int cut_into_lines(const struct mem_access *a, unsigned line_shift, bool wants_parts,
                          struct transaction *out)
{
    uint64_t begin = a->address[0], end = a->address[a->count - 1] + a->bytes;
    unsigned lane_shift = (unsigned)__builtin_ctz(a->bytes), in_line = (1u << line_shift) - 1;
    int count = 0;
    for (uint64_t from = begin, to; from < end; from = to, count++) {
        to = ((from >> line_shift) + 1) << line_shift;
        to = to < end ? to : end;
        uint64_t lanes = UINT64_MAX >> (64 - ((to - from) >> lane_shift));
        out[count] = (struct transaction){.line = from >> line_shift,
                                          .lanes = lanes << ((from - begin) >> lane_shift),
                                          .touched = UINT32_MAX};
        if (wants_parts)
            out[count].touched =
                part_mask((unsigned)from & in_line, (unsigned)(to - 1) & in_line, line_shift);
    }
    return count;
}

static int cut_into_units(const struct mem_access *a, unsigned line_shift, unsigned unit_shift,
                          bool wants_parts, struct transaction *out)
{
    struct finder f;
    unsigned more = a->bytes ? a->bytes - 1u : 0;
    if (a->count > 0 && is_one_unit(a, unit_shift, more)) {
        out[0] = (struct transaction){.line = a->address[0] >> line_shift,
                                      .lanes = UINT64_MAX >> (64 - a->count),
                                      .touched = wants_parts ? touch_lanes(a, line_shift, more) : UINT32_MAX};
        return 1;
    }
    if (a->count > 0 && unit_shift == line_shift && a->bytes <= 1u << line_shift && is_side_by_side(a))
        return cut_into_lines(a, line_shift, wants_parts, out);
    return add_lanes(a, line_shift, unit_shift, wants_parts, &f, out) ? f.count : -1;
}

int coalesce(const struct mem_access *a, unsigned line_shift, unsigned unit_shift, bool wants_parts,
             struct transaction *out)
{
    int count = cut_into_units(a, line_shift, unit_shift, wants_parts, out);
    for (int i = 0; a->kind == MEM_ATOMIC && i < count; i++)
        out[i].passes = count_passes(a, out[i].lanes);
    return count;
}
