/* The thread compactor: see compact.h. */
#include "div/compact.h"

int block_mask_size(const struct block_mask *m, int rows)
{
    int size = 0;
    for (int r = 0; r < rows; r++)
        size += bits_count(m->lanes[r]);
    return size;
}

bool block_mask_is_empty(const struct block_mask *m, int rows)
{
    uint32_t any = 0;
    for (int r = 0; r < rows; r++)
        any |= m->lanes[r];
    return !any;
}

/* The place of each thread's warp is how many threads of its slot came before it. */
static int pack(struct div_host *host, const struct block_mask *m, int32_t first_row, int rows, struct threads *warps)
{
    uint16_t before[64] = {0}; /* by slot */
    int count = 0;
    for (int r = 0; r < rows; r++)
        for (uint32_t left = m->lanes[r]; left; left &= left - 1) {
            uint32_t lane = left & -left;
            int slot = __builtin_ctzll(host->slots(host, first_row + r, lane));
            int warp = before[slot]++;
            if (warp == count) {
                if (warps)
                    warps[count].count = 0;
                count++;
            }
            if (warps)
                threads_add(&warps[warp], first_row + r, lane);
        }
    return count;
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
    int width = host->width, count = 0;
    for (int first = 0; first < rows * 32; first += width) {
        struct threads *t = &warps[count];
        t->count = 0;
        for (int r = first / 32; r < rows && r * 32 < first + width; r++) {
            uint32_t within = width >= 32 ? UINT32_MAX : ((UINT32_C(1) << width) - 1) << first % 32;
            if (m->lanes[r] & within)
                threads_add(t, first_row + r, m->lanes[r] & within);
        }
        count += t->count > 0;
    }
    return count;
}
