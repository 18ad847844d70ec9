/* Gathering the registers of a strand of many rows into planes, and scattering the results. */
#include "exec/gather.h"

#include "base/bits.h"
#include "lanes/mask.h"

/* From this number of rows on, going by lane is cheaper than going row by row with all lanes of a row; measured. */
enum { LEAST_ROWS_BY_LANE = 5 };

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

/* The same lane by lane: planes[i] are the registers of the row whose thread is in lane i. */
#define GATHER_LANES(type)                                                                                 \
    static void gather_lanes_##type(type *restrict to, uint8_t *const restrict *planes, int32_t offset)    \
    {                                                                                                      \
        for (int i = 0; i < ROW_LANES; i++)                                                                \
            to[i] = ((const type *)(planes[i] + offset))[i];                                               \
    }                                                                                                      \
    static void scatter_lanes_##type(uint8_t *const restrict *planes, int32_t offset, type *restrict from, \
                                     const uint8_t *idle_planes, uint32_t lanes)                           \
    {                                                                                                      \
        const uint32_t idle = ~lanes;                                                                      \
        CHOOSE(type, from, (const type *)(idle_planes + offset), idle)                                     \
        for (int i = 0; i < ROW_LANES; i++)                                                                \
            ((type *)(planes[i] + offset))[i] = from[i];                                                   \
    }

typedef struct lane_b128 b128;
#define GATHER_BOTH(type) GATHER(type) GATHER_LANES(type)
GATHER_BOTH(uint16_t)
GATHER_BOTH(uint32_t)
GATHER_BOTH(uint64_t)
GATHER_BOTH(b128)

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

/* The strand's rows as seen from its lanes. */
struct gather_map {
    uint8_t *planes[ROW_LANES]; /* [lane] registers of the row whose thread is there; of the first row, if none is */
};

/* Finds the map of the threads in `lanes`. Eight lanes at a time: a word has the number of the part for each, in a byte
 * of its own. There is no branch on masks, since the host could not predict it. */
static void find_map(struct gather_map *map, const struct threads *t, struct row *const *rows, uint32_t lanes)
{
    enum { WORDS = ROW_LANES / 8 };
    const uint64_t ones = UINT64_C(0x0101010101010101), each = UINT64_C(0x8040201008040201);
    uint8_t *planes[STRAND_MAX_PARTS];
    uint64_t word[WORDS] = {0};
    planes[0] = rows[t->part[0].row]->planes;
    for (int k = 1; k < t->count; k++) {
        planes[k] = rows[t->part[k].row]->planes;
        const uint32_t mask = t->part[k].mask & lanes;
        for (int w = 0; w < WORDS; w++) {
            const uint64_t bits = (mask >> 8 * w & 0xff) * ones & each; /* byte i is 0, or has bit i alone */
            word[w] |= ((bits + 0x7f * ones) >> 7 & ones) * (uint64_t)k;
        }
    }
    for (int w = 0; w < WORDS; w++)
        for (int i = 0; i < 8; i++)
            map->planes[8 * w + i] = planes[word[w] >> 8 * i & 0xff];
}

static void gather_by_lane(void *to, const struct gather_map *map, int32_t offset, unsigned bits)
{
    if (bits == 128)
        gather_lanes_b128(to, map->planes, offset);
    else if (bits == 64)
        gather_lanes_uint64_t(to, map->planes, offset);
    else if (bits == 16)
        gather_lanes_uint16_t(to, map->planes, offset);
    else
        gather_lanes_uint32_t(to, map->planes, offset);
}

/* Lanes that are not in `lanes` get back what `idle_planes`, their registers in the map, hold. */
static void scatter_by_lane(const struct gather_map *map, int32_t offset, void *from, unsigned bits,
                            const uint8_t *idle_planes, uint32_t lanes)
{
    if (bits == 128)
        scatter_lanes_b128(map->planes, offset, from, idle_planes, lanes);
    else if (bits == 64)
        scatter_lanes_uint64_t(map->planes, offset, from, idle_planes, lanes);
    else if (bits == 16)
        scatter_lanes_uint16_t(map->planes, offset, from, idle_planes, lanes);
    else if (bits)
        scatter_lanes_uint32_t(map->planes, offset, from, idle_planes, lanes);
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
    const bool by_lane = t->count >= LEAST_ROWS_BY_LANE;
    struct gather_map map;
    if (by_lane)
        find_map(&map, t, rows, active);
    for (int i = 0; i < in->source_count; i++) {
        int32_t offset = in->source[i];
        x.source[i] = offset >= 0 ? e->source_scratch[i] : e->code->constants - (int64_t)offset;
        if (offset >= 0 && by_lane)
            gather_by_lane(e->source_scratch[i], &map, offset, in->source_bits[i]);
        else if (offset >= 0)
            gather(e->source_scratch[i], t, rows, offset, in->source_bits[i]);
    }
    for (int i = 0; i < in->dest_count; i++)
        x.dest[i] = e->dest_scratch[i];
    in->fn(&x);
    const uint8_t *idle_planes = rows[t->part[0].row]->planes;
    for (int i = 0; i < in->dest_count; i++)
        if (by_lane)
            scatter_by_lane(&map, in->dest[i], e->dest_scratch[i], in->dest_bits[i], idle_planes, active);
        else
            scatter(t, rows, in->dest[i], e->dest_scratch[i], in->dest_bits[i], active);
    return true;
}
