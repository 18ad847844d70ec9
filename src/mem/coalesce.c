/* The coalescer: see coalesce.h. Lanes with consecutive addresses need no search. For others, units are found by
 * hash, so that a gather of 32 lines costs time in proportion to its lanes. */
#include "mem/coalesce.h"

#include "base/bits.h"
#include "base/simd.h"

#include <string.h>

/* There are many more slots than units, so that a new unit mostly finds an empty slot. While lanes are added, field
 * `line` of a transaction holds its unit; find_units() turns units into lines. FEW lanes, as single threads make, are
 * found sooner than a table is emptied. */
enum { SLOTS = 512, SLOT_BITS = 9, EMPTY = 255, FEW = 8 };

/* The transaction of the unit, which is made if there is none yet; NULL if there is no room for one more. `slot`: NULL:
 * there is no table. */
static inline struct transaction *of_unit(uint8_t *slot, uint64_t unit, int *count, struct transaction *out)
{
    if (!slot) {
        int at = 0;
        while (at < *count && out[at].line != unit)
            at++;
        if (at == COALESCE_MAX)
            return NULL;
        if (at == *count)
            out[(*count)++] = (struct transaction){.line = unit};
        return &out[at];
    }
    unsigned i = (unsigned)((unit * 0x9e3779b97f4a7c15u) >> (64 - SLOT_BITS));
    for (; slot[i] != EMPTY; i = (i + 1) % SLOTS)
        if (out[slot[i]].line == unit)
            return &out[slot[i]];
    if (*count == COALESCE_MAX)
        return NULL;
    slot[i] = (uint8_t)*count;
    out[*count] = (struct transaction){.line = unit};
    return &out[(*count)++];
}

/* The thirty-seconds of a line that the bytes `begin` to `end` lie in, as a mask. */
static uint32_t part_mask(unsigned begin, unsigned end, unsigned line_shift)
{
    unsigned shift = line_shift - 5;
    unsigned low = begin >> shift, high = end >> shift;
    return (UINT32_MAX >> (31 - (high - low))) << low;
}

static uint16_t count_passes(const struct mem_access *a, uint64_t lanes)
{
    uint16_t most = 0;
    while (lanes) {
        uint64_t address = a->address[__builtin_ctzll(lanes)];
        uint16_t same = 0;
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

/* Whether all lanes lie in one unit. The loops vectorise. `more`: bytes per lane less one. */
SIMD_CLONES static bool is_one_unit(const struct mem_access *a, unsigned unit_shift, uint64_t more)
{
    const uint64_t *address = a->address, first = address[0];
    const int count = a->count;
    uint64_t differs = 0;
    if ((first ^ address[count - 1]) >> unit_shift) /* the last lane alone decides most accesses */
        return false;
    for (int lane = 0; lane < count; lane++)
        differs |= address[lane] ^ first;
    if (differs >> unit_shift)
        return false;
    bool is_aligned = !(more & (more + 1)) && !((differs | first) & more);
    if (is_aligned && !(more >> unit_shift)) /* then no lane straddles units */
        return true;
    for (int lane = 0; lane < count; lane++)
        differs |= (address[lane] + more) ^ first;
    return !(differs >> unit_shift);
}

/* The thirty-seconds that the lanes touch, if all lanes lie in one line. */
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

/* Adds lanes that may straddle units: a lane then takes part in the transaction of each unit. */
static int add_straddlers(const struct mem_access *a, unsigned line_shift, unsigned unit_shift, bool wants_parts,
                          uint8_t *slot, struct transaction *out)
{
    uint64_t in_line = (UINT64_C(1) << line_shift) - 1;
    int count = 0;
    for (int lane = 0; lane < a->count; lane++) {
        unsigned bytes = a->has_sizes ? a->size[lane] : a->bytes;
        uint64_t begin = a->address[lane], last = begin + (bytes ? bytes - 1 : 0);
        for (uint64_t unit = begin >> unit_shift; unit <= last >> unit_shift; unit++) {
            uint64_t from = unit << unit_shift, to = ((unit + 1) << unit_shift) - 1;
            from = from < begin ? begin : from;
            to = to > last ? last : to;
            uint32_t touched = UINT32_MAX;
            if (wants_parts)
                touched = part_mask((unsigned)(from & in_line), (unsigned)(to & in_line), line_shift);
            struct transaction *t = of_unit(slot, unit, &count, out);
            if (!t)
                return -1;
            t->lanes |= UINT64_C(1) << lane;
            t->touched |= touched;
        }
    }
    return count;
}

/* Adds lanes none of which straddles units. Neighbours mostly share a unit, which is looked up once. */
static int add_lanes(const struct mem_access *a, unsigned line_shift, unsigned unit_shift, bool wants_parts,
                     uint8_t *slot, struct transaction *out)
{
    unsigned more = a->bytes ? a->bytes - 1u : 0, in_line = (1u << line_shift) - 1;
    const int lanes = a->count;
    int count = 0;
    uint64_t bit = 1, last = ~(a->address[0] >> unit_shift);
    struct transaction *t = NULL;
    for (int lane = 0; lane < lanes; lane++, bit += bit) {
        const uint64_t unit = a->address[lane] >> unit_shift;
        uint32_t touched = UINT32_MAX;
        if (wants_parts) {
            unsigned begin = (unsigned)a->address[lane] & in_line;
            touched = part_mask(begin, begin + more, line_shift);
        }
        if (unit != last && !(t = of_unit(slot, unit, &count, out)))
            return -1;
        last = unit;
        t->lanes |= bit;
        t->touched |= touched;
    }
    return count;
}

/* Whether lanes are alike and none can straddle units: each lane's bytes are a power of two, at most a unit, and
 * aligned. */
SIMD_CLONES static bool are_aligned(const struct mem_access *a, unsigned unit_shift)
{
    uint64_t bits = 0, more = a->bytes ? a->bytes - 1u : 0;
    for (int lane = 0, count = a->count; lane < count; lane++)
        bits |= a->address[lane];
    return !a->has_sizes && !(more & (more + 1)) && !(more >> unit_shift) && !(bits & more);
}

/* Whether lanes have consecutive, aligned addresses, as in most accesses. */
static bool is_side_by_side(const struct mem_access *a)
{
    const uint64_t *address = a->address, first = address[0], bytes = a->bytes;
    return bits_is_power_of_two(bytes) && !(first & (bytes - 1)) && simd_is_even(address, a->count, bytes);
}

static int cut_into_lines(const struct mem_access *a, unsigned line_shift, bool wants_parts, struct transaction *out)
{
    unsigned in_line = (1u << line_shift) - 1, begin = (unsigned)a->address[0] & in_line;
    unsigned lane_shift = (unsigned)__builtin_ctz(a->bytes);
    int in_first = (int)((in_line + 1 - begin) >> lane_shift), in_others = (int)((in_line + 1) >> lane_shift),
        count = 0;
    const int lanes = a->count;
    uint64_t line = a->address[0] >> line_shift, all = UINT64_MAX >> (64 - lanes), before = 0;
    for (int to = in_first; before != all; to += in_others, count++) {
        uint64_t up_to = to < lanes ? UINT64_MAX >> (64 - to) : all;
        out[count] = (struct transaction){.line = line++, .lanes = up_to & ~before, .touched = UINT32_MAX};
        before = up_to;
    }
    if (wants_parts) {
        unsigned last = ((unsigned)a->address[a->count - 1] & in_line) + a->bytes - 1;
        out[0].touched = part_mask(begin, count > 1 ? in_line : last, line_shift);
        if (count > 1)
            out[count - 1].touched = part_mask(0, last, line_shift);
    }
    return count;
}

/* Transactions of lanes at any addresses. */
static int find_units(const struct mem_access *a, unsigned line_shift, unsigned unit_shift, bool wants_parts,
                      struct transaction *out)
{
    uint8_t table[SLOTS], *slot = a->count > FEW ? memset(table, EMPTY, sizeof table) : NULL;
    int count = are_aligned(a, unit_shift) ? add_lanes(a, line_shift, unit_shift, wants_parts, slot, out)
                                           : add_straddlers(a, line_shift, unit_shift, wants_parts, slot, out);
    for (int i = 0; unit_shift != line_shift && i < count; i++)
        out[i].line >>= line_shift - unit_shift;
    return count;
}

static int cut_into_units(const struct mem_access *a, unsigned line_shift, unsigned unit_shift, bool wants_parts,
                          struct transaction *out)
{
    unsigned more = a->bytes ? a->bytes - 1u : 0;
    if (a->has_sizes)
        return find_units(a, line_shift, unit_shift, wants_parts, out);
    if (a->count > 0 && unit_shift == line_shift && a->bytes <= 1u << line_shift && is_side_by_side(a))
        return cut_into_lines(a, line_shift, wants_parts, out);
    if (a->count > 0 && is_one_unit(a, unit_shift, more)) {
        out[0] = (struct transaction){.line = a->address[0] >> line_shift,
                                      .lanes = UINT64_MAX >> (64 - a->count),
                                      .touched = wants_parts ? touch_lanes(a, line_shift, more) : UINT32_MAX};
        return 1;
    }
    return find_units(a, line_shift, unit_shift, wants_parts, out);
}

int coalesce(const struct mem_access *a, unsigned line_shift, unsigned unit_shift, bool wants_parts,
             struct transaction *out)
{
    int count = cut_into_units(a, line_shift, unit_shift, wants_parts, out);
    for (int i = 0; a->kind == MEM_ATOMIC && i < count; i++)
        out[i].passes = count_passes(a, out[i].lanes);
    return count;
}
