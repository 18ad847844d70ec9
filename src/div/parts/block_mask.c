/* Masks of the threads of a block: see block_mask.h. */
#include "div/parts/block_mask.h"

struct block_mask block_mask_live(struct div_host *host, int32_t first_row, int rows)
{
    struct block_mask live = {{0}};
    for (int r = 0; r < rows; r++)
        live.lanes[r] = host->calls.row_live(host, first_row + r);
    return live;
}

/* As printf's %08x, several times as fast: a trace of a million issues prints hundreds of thousands of stacks. */
static void print_row(uint32_t lanes, struct text *out)
{
    char digits[8];
    for (int i = 7; i >= 0; i--, lanes >>= 4)
        digits[i] = "0123456789abcdef"[lanes & 15];
    text_append(out, digits, sizeof digits);
}

void block_mask_print(const struct block_mask *m, int rows, int warps, int width, struct text *out)
{
    for (int r = 0; width > 8 && r < rows; r++) {
        text_append(out, r ? "." : "0x", r ? 1 : 2);
        print_row(m->lanes[r], out);
    }
    for (int lane = 0; width <= 8 && lane < width; lane++) {
        text_printf(out, lane ? "." : "");
        for (int t = lane; t < warps * width; t += width)
            text_printf(out, "%d", (int)(m->lanes[t / 32] >> t % 32 & 1));
    }
}
