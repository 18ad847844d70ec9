/*
 * The thread compactor: see compact.h.
 *
 * The threads of a static warp, or of its part in one row, have consecutive home slots modulo W. So the slots of such a
 * piece are its lanes rotated, and a piece is placed with a few operations on words.
 */
#include "div/parts/compact.h"

enum { MOST_WARPS = COMPACT_MAX_ROWS * 32 }; /* every thread in the same slot */

static uint64_t turn_left(uint64_t bits, int by, int width)
{
    uint64_t all = UINT64_MAX >> (64 - width);
    return by ? (bits << by | bits >> (width - by)) & all : bits;
}

/* The slots that each warp has filled so far. */
struct packing {
    int width, count;
    int open; /* the first warp with a free slot */
    uint64_t taken[MOST_WARPS];
};

/* Puts each slot of a piece into the first warp where the slot is free. `warps`: NULL if only the count is wanted. */
static void place(struct packing *p, uint64_t slots, int turn, int shift, int32_t row, struct threads *warps)
{
    uint64_t full = UINT64_MAX >> (64 - p->width);
    for (int w = p->open; slots; w++) {
        if (w == p->count) {
            p->taken[p->count++] = 0;
            if (warps)
                warps[w].count = 0;
        }
        uint64_t here = slots & ~p->taken[w];
        slots &= ~here;
        p->taken[w] |= here;
        if (here && warps)
            threads_append(&warps[w], row, (uint32_t)turn_left(here, turn ? p->width - turn : 0, p->width) << shift);
        if (w == p->open && p->taken[w] == full)
            p->open++;
    }
}

/* pack() where home slots are lanes: nothing is rotated, a row is one piece, and there are no more warps than rows.
 * Adding a row's threads to a warp is written without a branch, since the host could not predict it. */
static int pack_lanes(const struct block_mask *m, int32_t first_row, int rows, struct threads *warps)
{
    uint32_t taken[COMPACT_MAX_ROWS];
    int count = 0, open = 0;
    for (int r = 0; r < rows; r++) {
        uint32_t left = m->lanes[r];
        for (int w = open; left; w++) {
            if (w == count) {
                taken[count++] = 0;
                if (warps)
                    warps[w].count = 0;
            }
            uint32_t here = left & ~taken[w];
            taken[w] |= here;
            left &= ~here;
            if (warps) {
                warps[w].part[warps[w].count] = (struct part){first_row + r, here};
                warps[w].count += here != 0;
            }
        }
        while (open < count && taken[open] == UINT32_MAX)
            open++;
    }
    return count;
}

static int pack(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows, struct threads *warps)
{
    if (host->facts.slots_are_lanes)
        return pack_lanes(m, first_row, rows, warps);
    int piece = host->facts.width < 32 ? host->facts.width : 32;
    struct packing p;
    p.width = host->facts.width;
    p.count = p.open = 0;
    for (int r = 0; r < rows; r++)
        for (int shift = 0; shift < 32 && m->lanes[r] >> shift; shift += piece) {
            uint32_t lanes = m->lanes[r] >> shift & bits_below((unsigned)piece);
            if (!lanes)
                continue;
            int turn = __builtin_ctzll(host->calls.slots(host, first_row + r, UINT32_C(1) << shift));
            place(&p, turn_left(lanes, turn, p.width), turn, shift, first_row + r, warps);
        }
    return p.count;
}

int compact_count(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows)
{
    return pack(host, m, first_row, rows, NULL);
}

int compact_threads(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows,
                    struct threads *warps)
{
    return pack(host, m, first_row, rows, warps);
}

int compact_static(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows,
                   struct threads *warps)
{
    int width = host->facts.width, count = 0;
    for (int first = 0; first < rows * 32; first += width) {
        struct threads *t = &warps[count];
        t->count = 0;
        for (int r = first / 32; r < rows && r * 32 < first + width; r++) {
            uint32_t within = width >= 32 ? UINT32_MAX : bits_below((unsigned)width) << first % 32;
            if (m->lanes[r] & within)
                threads_add(t, first_row + r, m->lanes[r] & within);
        }
        count += t->count > 0;
    }
    return count;
}

int compact_static_count(struct div_host *host, const struct block_mask *m, int rows)
{
    int width = host->facts.width, count = 0;
    for (int r = 0; width == 32 && r < rows; r++) /* most machines: a row is a warp */
        count += m->lanes[r] != 0;
    if (width == 32)
        return count;
    for (int first = 0; first < rows * 32; first += width) {
        uint32_t any = 0, within = width >= 32 ? UINT32_MAX : bits_below((unsigned)width) << first % 32;
        for (int r = first / 32; r < rows && r * 32 < first + width; r++)
            any |= m->lanes[r] & within;
        count += any != 0;
    }
    return count;
}

int compact_counted(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows, bool stay,
                    struct threads *warps, struct compact_counters *counters)
{
    int before = compact_static_count(host, m, rows);
    int after = (stay ? compact_static : compact_threads)(host, m, first_row, rows, warps);
    counters->warps_before += (uint64_t)before;
    counters->warps_after += (uint64_t)after;
    *(after < before ? &counters->useful : &counters->useless) += 1;
    return after;
}
