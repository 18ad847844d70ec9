/* Gathering the registers of a strand of many rows into planes, and scattering the results. */
#include "exec/gather.h"

#include "base/bits.h"
#include "lanes/mask.h"

/* Writes the lanes of `from` that are set in `mask`. All lanes of both planes are read and written back, so that the
 * loop vectorises. */
#define CHOOSE(type, to, from, mask)                               \
    LANES_INDEPENDENT                                              \
    for (int i = 0; i < ROW_LANES; i++) {                          \
        const type old = (to)[i], new = (from)[i];                 \
        (to)[i] = ((mask)&mask_bit[i]) == mask_bit[i] ? new : old; \
    }

/* gather_*() and scatter_*() go through the strand's parts (one part per row) and treat all 32 lanes of a part at once,
 * since 32 lanes take as long as one. In the gathered plane, lanes without a thread keep whatever the scratch plane
 * held; their results are never scattered. */
#define GATHER(type)                                                                                                  \
    SIMD_CLONES static void gather_##type(type *to, const struct threads *t, struct row *const *rows, int32_t offset) \
    {                                                                                                                 \
        for (int k = 0; k < t->count; k++) {                                                                          \
            const type *from = (const type *)(rows[t->part[k].row]->planes + offset);                                 \
            const uint32_t mask = t->part[k].mask;                                                                    \
            CHOOSE(type, to, from, mask)                                                                              \
        }                                                                                                             \
    }                                                                                                                 \
    SIMD_CLONES static void scatter_##type(const struct threads *t, struct row *const *rows, int32_t offset,          \
                                           const type *restrict from, uint32_t lanes)                                 \
    {                                                                                                                 \
        for (int k = 0; k < t->count; k++) {                                                                          \
            type *to = (type *)(rows[t->part[k].row]->planes + offset);                                               \
            const uint32_t mask = t->part[k].mask & lanes;                                                            \
            CHOOSE(type, to, from, mask)                                                                              \
        }                                                                                                             \
    }

GATHER(uint16_t)
GATHER(uint32_t)
GATHER(uint64_t)
typedef struct lane_b128 b128;
GATHER(b128)

static void gather(void *to, const struct threads *t, struct row *const *rows, int32_t offset, unsigned bits)
{
    if (bits == 128)
        gather_b128(to, t, rows, offset);
    else if (bits == 64)
        gather_uint64_t(to, t, rows, offset);
    else if (bits == 16)
        gather_uint16_t(to, t, rows, offset);
    else
        gather_uint32_t(to, t, rows, offset);
}

static void scatter(const struct threads *t, struct row *const *rows, int32_t offset, const void *from, unsigned bits,
                    uint32_t lanes)
{
    if (bits == 128)
        scatter_b128(t, rows, offset, from, lanes);
    else if (bits == 64)
        scatter_uint64_t(t, rows, offset, from, lanes);
    else if (bits == 16)
        scatter_uint16_t(t, rows, offset, from, lanes);
    else if (bits)
        scatter_uint32_t(t, rows, offset, from, lanes);
}

/* The lanes whose guard predicate holds. */
static uint32_t guarded(const struct bound *in, const struct threads *t, struct row *const *rows, uint32_t lanes)
{
    uint32_t guard[ROW_LANES] = {0};
    gather_uint32_t(guard, t, rows, in->guard);
    uint32_t pass = mask_from_lanes(guard);
    return lanes & (in->guard_negate ? ~pass : pass);
}

bool gather_execute(struct engine *e, const struct bound *in, uint32_t lanes, const struct threads *t,
                    struct row *const *rows)
{
    struct lanes x;
    if (in->prepared)
        return false;
    uint32_t active = in->guard == OFFSET_NONE ? lanes : guarded(in, t, rows, lanes);
    if (!active)
        return true;
    for (int i = 0; i < in->source_count; i++) {
        int32_t offset = in->source[i];
        x.source[i] = offset >= 0 ? e->source_scratch[i] : e->code->constants - (int64_t)offset;
        if (offset >= 0)
            gather(e->source_scratch[i], t, rows, offset, in->source_bits[i]);
    }
    for (int i = 0; i < in->dest_count; i++)
        x.dest[i] = e->dest_scratch[i];
    in->fn(&x);
    for (int i = 0; i < in->dest_count; i++)
        scatter(t, rows, in->dest[i], e->dest_scratch[i], in->dest_bits[i], active);
    return true;
}
