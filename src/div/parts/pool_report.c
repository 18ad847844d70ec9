/* Checks and printed state of the warp pool (pool.h). Changes nothing. */
#include "base/diag.h"
#include "div/parts/pool_internal.h"

const char *const pool_home_names[] = {"warp", "simd", NULL};

void pool_check(struct pool *p, const uint32_t *elsewhere)
{
    int rows = p->at_block.count;
    uint32_t *seen = xcalloc((size_t)rows + 1, sizeof *seen);
    for (int row = 0; row < rows; row++)
        seen[row] = p->at_block.data[row] | p->at_warp.data[row] | (elsewhere ? elsewhere[row] : 0);
    for (int i = 0; i < p->nodes.count; i++) {
        const struct strand *s = pool_strand(&p->nodes.data[i]);
        for (int k = 0; s && k < s->threads.count; k++) {
            struct part part = s->threads.part[k];
            if (seen[part.row] & part.mask)
                panic("threads 0x%x of row %d are in strand %d and elsewhere", seen[part.row] & part.mask,
                      (int)part.row, i);
            seen[part.row] |= part.mask;
        }
    }
    for (int32_t row = 0; row < rows; row++) {
        /* The pool may still list threads that have exited (exit is reported later), but never misses a live one. */
        uint32_t live = p->host->calls.row_live(p->host, row);
        if (live & ~seen[row])
            panic("threads 0x%x of row %d are lost", live & ~seen[row], (int)row);
    }
    free(seen);
}

int32_t pool_where(struct pool *p, int32_t row, int lane)
{
    if (row >= p->at_block.count || !((p->at_block.data[row] | p->at_warp.data[row]) >> lane & 1))
        return PC_NONE;
    return p->goes_on.data[row * 32 + lane];
}

static void print_place(struct pool *p, int32_t pc, int32_t depth, struct text *out)
{
    program_print_pc(p->host->facts.program, pc, out);
    if (depth)
        text_printf(out, "@%d", (int)depth);
}

static void print_waits(const struct pool *p, struct text *out)
{
    for (int32_t row = 0; row < p->at_block.count; row++) {
        if (p->at_block.data[row])
            text_printf(out, "at a barrier: row %d 0x%x\n", (int)row, p->at_block.data[row]);
        if (p->at_warp.data[row])
            text_printf(out, "at a rendezvous: row %d 0x%x\n", (int)row, p->at_warp.data[row]);
    }
}

void pool_dump(struct pool *p, struct text *out)
{
    text_printf(out, "pool\n");
    for (int i = 0; i < p->nodes.count; i++) {
        const struct strand *s = pool_strand(&p->nodes.data[i]);
        if (!s)
            continue;
        text_printf(out, "  strand %d at ", i);
        print_place(p, s->pc, s->depth, out);
        text_printf(out, s->busy ? " issued" : s->parked ? " to be regrouped" : "");
        for (int k = 0; k < s->threads.count; k++)
            text_printf(out, " row %d 0x%x", (int)s->threads.part[k].row, s->threads.part[k].mask);
        text_printf(out, "\n");
    }
    if (p->lut)
        text_printf(out, "table\n");
    for (int i = 0; p->lut && i < p->sets * (int)p->knobs.ways; i++) {
        const struct pool_place *at = p->lut[i].place < 0 ? NULL : &p->places.data[p->lut[i].place];
        if (!at || !pool_waiting(p, at))
            continue;
        text_printf(out, "  ");
        print_place(p, at->pc, at->depth, out);
        text_printf(out, " strand %d\n", (int)at->strand);
    }
    print_waits(p, out);
}
