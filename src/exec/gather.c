/* A strand over many rows as one: see gather.h. */
#include "exec/gather.h"

#include "base/bits.h"
#include "exec/mask.h"

/* The registers of each lane's thread. Lanes without one have another row's, whose values nobody looks at. */
struct gathered {
    uint32_t lanes;
    uint8_t *planes[ROW_LANES];
};

static bool find_rows(struct gathered *g, const struct threads *threads, struct row *const *rows)
{
    uint8_t *first = rows[threads->part[0].row]->planes;
    for (int i = 0; i < ROW_LANES; i++)
        g->planes[i] = first;
    g->lanes = threads->part[0].mask;
    for (int k = 1; k < threads->count; k++) {
        uint32_t mask = threads->part[k].mask;
        uint8_t *planes = rows[threads->part[k].row]->planes;
        if (g->lanes & mask)
            return false;
        g->lanes |= mask;
        for (; mask; mask &= mask - 1)
            g->planes[bits_lowest(mask)] = planes;
    }
    return true;
}

#define GATHER(type)                                                                                         \
    static void gather_##type(type *to, uint8_t *const *planes, int32_t offset)                              \
    {                                                                                                        \
        for (int i = 0; i < ROW_LANES; i++)                                                                  \
            to[i] = ((const type *)(planes[i] + offset))[i];                                                 \
    }                                                                                                        \
    static void scatter_##type(uint8_t *const *planes, int32_t offset, const type *from, uint32_t lanes)     \
    {                                                                                                        \
        if (lanes == UINT32_MAX) {                                                                           \
            for (int i = 0; i < ROW_LANES; i++)                                                              \
                ((type *)(planes[i] + offset))[i] = from[i];                                                 \
            return;                                                                                          \
        }                                                                                                    \
        for (; lanes; lanes &= lanes - 1) {                                                                  \
            int i = bits_lowest(lanes);                                                                      \
            ((type *)(planes[i] + offset))[i] = from[i];                                                     \
        }                                                                                                    \
    }

GATHER(uint16_t)
GATHER(uint32_t)
GATHER(uint64_t)

static void gather(void *to, const struct gathered *g, int32_t offset, unsigned bits)
{
    if (bits == 64)
        gather_uint64_t(to, g->planes, offset);
    else if (bits == 16)
        gather_uint16_t(to, g->planes, offset);
    else
        gather_uint32_t(to, g->planes, offset);
}

static void scatter(const struct gathered *g, int32_t offset, const void *from, unsigned bits, uint32_t lanes)
{
    if (bits == 64)
        scatter_uint64_t(g->planes, offset, from, lanes);
    else if (bits == 16)
        scatter_uint16_t(g->planes, offset, from, lanes);
    else if (bits)
        scatter_uint32_t(g->planes, offset, from, lanes);
}

/* The lanes that the guard lets pass. */
static uint32_t guarded(const struct gathered *g, const struct bound *in)
{
    uint32_t guard[ROW_LANES];
    if (in->guard == OFFSET_NONE)
        return g->lanes;
    gather_uint32_t(guard, g->planes, in->guard);
    uint32_t pass = mask_from_lanes(guard);
    return g->lanes & (in->guard_negate ? ~pass : pass);
}

bool gather_execute(struct engine *e, const struct bound *in, const struct threads *threads, struct row *const *rows)
{
    struct gathered g;
    struct lanes x;
    if (in->prepared || !find_rows(&g, threads, rows))
        return false;
    uint32_t active = guarded(&g, in);
    if (!active)
        return true;
    for (int i = 0; i < in->source_count; i++) {
        int32_t offset = in->source[i];
        x.source[i] = offset >= 0 ? e->source_scratch[i] : e->code->constants - (int64_t)offset;
        if (offset >= 0)
            gather(e->source_scratch[i], &g, offset, in->source_bits[i]);
    }
    for (int i = 0; i < in->dest_count; i++)
        x.dest[i] = e->dest_scratch[i];
    in->fn(&x);
    for (int i = 0; i < in->dest_count; i++)
        scatter(&g, in->dest[i], e->dest_scratch[i], in->dest_bits[i], active);
    return true;
}
