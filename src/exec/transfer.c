/* Moves values between registers and memory: see transfer.h. */
#include "exec/transfer.h"

#include "base/bits.h"
#include "exec/ahead/draft.h"
#include "exec/operand.h"
#include "lanes/mask.h"

#include <string.h>

/* Moving values: one loop per pair of widths, in memory and in the register. On the host, a lane's value is at `origin`
 * plus its address. Whole rows are loaded four lanes at a time, and stored then: registers never overlap memory, but
 * the compiler does not know. */
#define MOVE_IN(name, memory_type, register_type)                                                      \
    static void name(void *to, uintptr_t origin, const uint64_t *address, uint32_t mask)               \
    {                                                                                                  \
        register_type *d = to;                                                                         \
        for (int i = 0; mask == UINT32_MAX && i < ROW_LANES; i += 4) {                                 \
            const register_type v0 = (register_type) * (const memory_type *)(origin + address[i]);     \
            const register_type v1 = (register_type) * (const memory_type *)(origin + address[i + 1]); \
            const register_type v2 = (register_type) * (const memory_type *)(origin + address[i + 2]); \
            const register_type v3 = (register_type) * (const memory_type *)(origin + address[i + 3]); \
            d[i] = v0;                                                                                 \
            d[i + 1] = v1;                                                                             \
            d[i + 2] = v2;                                                                             \
            d[i + 3] = v3;                                                                             \
        }                                                                                              \
        for (mask = mask == UINT32_MAX ? 0 : mask; mask; mask &= mask - 1) {                           \
            int i = bits_lowest(mask);                                                                 \
            d[i] = (register_type) * (const memory_type *)(origin + address[i]);                       \
        }                                                                                              \
    }

#define MOVE_OUT(name, memory_type, register_type)                                               \
    static void name(uintptr_t origin, const uint64_t *address, const void *from, uint32_t mask) \
    {                                                                                            \
        const register_type *s = from;                                                           \
        for (; mask; mask &= mask - 1) {                                                         \
            int i = bits_lowest(mask);                                                           \
            *(memory_type *)(origin + address[i]) = (memory_type)s[i];                           \
        }                                                                                        \
    }

MOVE_IN(in_u8_16, uint8_t, uint16_t)
MOVE_IN(in_s8_16, int8_t, uint16_t)
MOVE_IN(in_16_16, uint16_t, uint16_t)
MOVE_IN(in_u8_32, uint8_t, uint32_t)
MOVE_IN(in_s8_32, int8_t, uint32_t)
MOVE_IN(in_u16_32, uint16_t, uint32_t)
MOVE_IN(in_s16_32, int16_t, uint32_t)
MOVE_IN(in_32_32, uint32_t, uint32_t)
MOVE_IN(in_u8_64, uint8_t, uint64_t)
MOVE_IN(in_s8_64, int8_t, uint64_t)
MOVE_IN(in_u16_64, uint16_t, uint64_t)
MOVE_IN(in_s16_64, int16_t, uint64_t)
MOVE_IN(in_u32_64, uint32_t, uint64_t)
MOVE_IN(in_s32_64, int32_t, uint64_t)
MOVE_IN(in_64_64, uint64_t, uint64_t)

/* Registers of 128 bits hold values of 128 bits only. */
static void in_128(void *to, uintptr_t origin, const uint64_t *address, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        int i = bits_lowest(mask);
        memcpy((struct lane_b128 *)to + i, (const void *)(origin + address[i]), sizeof(struct lane_b128));
    }
}

static void out_128(uintptr_t origin, const uint64_t *address, const void *from, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        int i = bits_lowest(mask);
        memcpy((void *)(origin + address[i]), (const struct lane_b128 *)from + i, sizeof(struct lane_b128));
    }
}

MOVE_OUT(out_8_16, uint8_t, uint16_t)
MOVE_OUT(out_16_16, uint16_t, uint16_t)
MOVE_OUT(out_8_32, uint8_t, uint32_t)
MOVE_OUT(out_16_32, uint16_t, uint32_t)
MOVE_OUT(out_32_32, uint32_t, uint32_t)
MOVE_OUT(out_8_64, uint8_t, uint64_t)
MOVE_OUT(out_16_64, uint16_t, uint64_t)
MOVE_OUT(out_32_64, uint32_t, uint64_t)
MOVE_OUT(out_64_64, uint64_t, uint64_t)

typedef void move_in_fn(void *to, uintptr_t origin, const uint64_t *address, uint32_t mask);
typedef void move_out_fn(uintptr_t origin, const uint64_t *address, const void *from, uint32_t mask);

/* [register of 16, 32, 64, 128 bits][1, 2, 4, 8, 16 bytes in memory][signed] */
static move_in_fn *const move_in[4][5][2] = {
    {{in_u8_16, in_s8_16}, {in_16_16, in_16_16}, {NULL, NULL}, {NULL, NULL}},
    {{in_u8_32, in_s8_32}, {in_u16_32, in_s16_32}, {in_32_32, in_32_32}, {NULL, NULL}},
    {{in_u8_64, in_s8_64}, {in_u16_64, in_s16_64}, {in_u32_64, in_s32_64}, {in_64_64, in_64_64}},
    {[4] = {in_128, in_128}},
};

static move_out_fn *const move_out[4][5] = {
    {out_8_16, out_16_16, NULL, NULL},
    {out_8_32, out_16_32, out_32_32, NULL},
    {out_8_64, out_16_64, out_32_64, out_64_64},
    {[4] = out_128},
};

static int register_index(unsigned bits)
{
    return bits == 128 ? 3 : bits == 64 ? 2 : bits == 16 ? 0 : 1;
}

static int width_index(unsigned bytes)
{
    return __builtin_ctz(bytes);
}

void transfer_in(void *to, unsigned bits, unsigned bytes, bool is_signed, uintptr_t origin, const uint64_t *address,
                 uint32_t mask)
{
    move_in[register_index(bits)][width_index(bytes)][is_signed](to, origin, address, mask);
}

void transfer_out(uintptr_t origin, const uint64_t *address, unsigned bytes, const void *from, unsigned bits,
                  uint32_t mask)
{
    move_out[register_index(bits)][width_index(bytes)](origin, address, from, mask);
}

/* Copies lane 0's value to all lanes. */
static void spread_first(void *plane, unsigned bits)
{
    struct lane_b128 *widest = plane;
    uint64_t *wide = plane;
    uint32_t *word = plane;
    uint16_t *half = plane;
    for (int i = 1; bits == 128 && i < ROW_LANES; i++)
        widest[i] = widest[0];
    LANES_INDEPENDENT
    for (int i = 1; bits == 64 && i < ROW_LANES; i++)
        wide[i] = wide[0];
    LANES_INDEPENDENT
    for (int i = 1; bits == 32 && i < ROW_LANES; i++)
        word[i] = word[0];
    LANES_INDEPENDENT
    for (int i = 1; bits == 16 && i < ROW_LANES; i++)
        half[i] = half[0];
}

/* Rows of two or four elements per lane, lanes side by side. Memory has all elements of lane 0 first; registers have
 * one plane per element. */
#define MOVE_ROWS(type)                                                     \
    SIMD_CLONES static void in_2_##type(void *const *to, const void *from)  \
    {                                                                       \
        type *a = to[0], *b = to[1];                                        \
        const type *s = from;                                               \
        LANES_INDEPENDENT                                                   \
        for (int i = 0; i < ROW_LANES; i++) {                               \
            a[i] = s[2 * i];                                                \
            b[i] = s[2 * i + 1];                                            \
        }                                                                   \
    }                                                                       \
    SIMD_CLONES static void in_4_##type(void *const *to, const void *from)  \
    {                                                                       \
        type *a = to[0], *b = to[1], *c = to[2], *d = to[3];                \
        const type *s = from;                                               \
        LANES_INDEPENDENT                                                   \
        for (int i = 0; i < ROW_LANES; i++) {                               \
            a[i] = s[4 * i];                                                \
            b[i] = s[4 * i + 1];                                            \
            c[i] = s[4 * i + 2];                                            \
            d[i] = s[4 * i + 3];                                            \
        }                                                                   \
    }                                                                       \
    SIMD_CLONES static void out_2_##type(void *to, const void *const *from) \
    {                                                                       \
        const type *a = from[0], *b = from[1];                              \
        type *d = to;                                                       \
        LANES_INDEPENDENT                                                   \
        for (int i = 0; i < ROW_LANES; i++) {                               \
            d[2 * i] = a[i];                                                \
            d[2 * i + 1] = b[i];                                            \
        }                                                                   \
    }                                                                       \
    SIMD_CLONES static void out_4_##type(void *to, const void *const *from) \
    {                                                                       \
        const type *a = from[0], *b = from[1], *c = from[2], *d = from[3];  \
        type *t = to;                                                       \
        LANES_INDEPENDENT                                                   \
        for (int i = 0; i < ROW_LANES; i++) {                               \
            t[4 * i] = a[i];                                                \
            t[4 * i + 1] = b[i];                                            \
            t[4 * i + 2] = c[i];                                            \
            t[4 * i + 3] = d[i];                                            \
        }                                                                   \
    }

MOVE_ROWS(uint32_t)
MOVE_ROWS(uint64_t)

/* [elements / 4][width / 8] */
static void (*const move_row_in[2][2])(void *const *to, const void *from) = {{in_2_uint32_t, in_2_uint64_t},
                                                                             {in_4_uint32_t, in_4_uint64_t}};
static void (*const move_row_out[2][2])(void *to, const void *const *from) = {{out_2_uint32_t, out_2_uint64_t},
                                                                              {out_4_uint32_t, out_4_uint64_t}};

static void load_row(struct engine *e, const struct bound *in, const void *from)
{
    void *to[BOUND_MAX_OPERANDS];
    for (unsigned k = 0; k < in->elements; k++)
        to[k] = e->row->planes + in->dest[k];
    if (in->elements == 1)
        memcpy(to[0], from, (size_t)in->width * ROW_LANES);
    else
        move_row_in[in->elements / 4][in->width / 8](to, from);
}

static void store_row(struct engine *e, const struct bound *in, void *to)
{
    const void *from[BOUND_MAX_OPERANDS];
    for (unsigned k = 0; k < in->elements; k++)
        from[k] = operand_source(e, in, (int)k);
    if (in->elements == 1)
        memcpy(to, from[0], (size_t)in->width * ROW_LANES);
    else
        move_row_out[in->elements / 4][in->width / 8](to, from);
}

/* A row whose lanes are side by side, or all at one address, is moved as one block. */
void transfer_load(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set)
{
    const uint64_t *address = set->address;
    if (in->moves_rows && lane_set_is_side_by_side(in, set)) {
        load_row(e, in, (const void *)(origin + address[0]));
        return;
    }
    bool is_same = set->is_even && !set->stride;
    if (in->elements == 1 && in->width == 4 && in->dest_bits[0] == 32 && !is_same) { /* most loads */
        in_32_32(e->row->planes + in->dest[0], origin, address, set->mask);
        return;
    }
    for (unsigned k = 0; k < in->elements; k++) {
        unsigned bits = in->dest_bits[k];
        if (!bits)
            continue;
        uint8_t *to = e->row->planes + in->dest[k];
        move_in[register_index(bits)][width_index(in->width)][in->is_signed](to, origin + k * in->width, address,
                                                                             is_same ? 1 : set->mask);
        if (is_same)
            spread_first(to, bits);
    }
}

void transfer_store(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set)
{
    const uint64_t *address = set->address;
    if (in->moves_rows && lane_set_is_side_by_side(in, set)) {
        store_row(e, in, (void *)(origin + address[0]));
        return;
    }
    for (unsigned k = 0; k < in->elements; k++)
        move_out[register_index(in->source_bits[k])][width_index(in->width)](origin + k * in->width, address,
                                                                             operand_source(e, in, (int)k), set->mask);
}

/* Posts the stores of one register without conversion, for some lanes: those that lie side by side as one. */
static void post_runs(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set)
{
    const uint8_t *from = operand_source(e, in, 0);
    const uint64_t *address = set->address;
    for (uint32_t left = set->mask; left;) {
        const unsigned first = (unsigned)bits_lowest(left);
        unsigned end = first + 1;
        while (end < ROW_LANES && left >> end & 1 && address[end] == address[end - 1] + in->width)
            end++;
        const uint32_t bytes = (end - first) * in->width;
        memcpy(posted_store(e->posted, e->now, (uint8_t *)(origin + address[first]), bytes), from + first * in->width,
               bytes);
        left = end < ROW_LANES ? left >> end << end : 0;
    }
}

/* Posts the stores of the lanes, which go to global memory (posted.h). */
static void post_stores(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set)
{
    const uint32_t bytes = (uint32_t)in->width * in->elements;
    if (in->moves_rows && lane_set_is_side_by_side(in, set)) {
        store_row(e, in, posted_store(e->posted, e->now, (uint8_t *)(origin + set->address[0]), bytes * ROW_LANES));
        return;
    }
    if (in->elements == 1 && lane_bytes(in->source_bits[0]) == in->width) {
        post_runs(e, in, origin, set);
        return;
    }
    const uint8_t *from[BOUND_MAX_OPERANDS];
    for (unsigned k = 0; k < in->elements; k++)
        from[k] = operand_source(e, in, (int)k);
    for (uint32_t left = set->mask; left; left &= left - 1) {
        unsigned i = (unsigned)bits_lowest(left);
        uint8_t *to = posted_store(e->posted, e->now, (uint8_t *)(origin + set->address[i]), bytes);
        for (unsigned k = 0; k < in->elements; k++)
            memcpy(to + k * in->width, from[k] + i * lane_bytes(in->source_bits[k]), in->width);
    }
}

/* Whether a lane may load from a line that the multiprocessor has posted a write to. */
static bool may_be_posted(const struct posted *p, uintptr_t origin, const struct lane_set *set, uint64_t bytes)
{
    if (set->is_even && set->stride <= bytes) {
        uintptr_t last = origin + set->address[ROW_LANES - 1] + bytes - 1;
        for (uintptr_t line = origin + set->address[0]; line >> POSTED_LINE_SHIFT <= last >> POSTED_LINE_SHIFT;
             line += UINT64_C(1) << POSTED_LINE_SHIFT)
            if (posted_may_hold(p, line))
                return true;
        return false;
    }
    uintptr_t looked_at = 0; /* neighbours are mostly in one line */
    for (uint32_t left = set->mask; left; left &= left - 1) {
        const uintptr_t first = origin + set->address[bits_lowest(left)], last = first + bytes - 1;
        const uintptr_t line = first >> POSTED_LINE_SHIFT;
        if ((line != looked_at && posted_may_hold(p, first)) ||
            (last >> POSTED_LINE_SHIFT != line && posted_may_hold(p, last)))
            return true;
        looked_at = line;
    }
    return false;
}

/* Loads lane by lane what the multiprocessor sees in global memory. */
static void load_posted(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set)
{
    for (uint32_t left = set->mask; left; left &= left - 1) {
        _Alignas(16) uint8_t copy[BOUND_MAX_OPERANDS * 8];
        int i = bits_lowest(left);
        posted_read(e->posted, (const uint8_t *)(origin + set->address[i]), copy, (uint32_t)in->width * in->elements);
        for (unsigned k = 0; k < in->elements; k++) {
            unsigned bits = in->dest_bits[k];
            if (bits)
                transfer_in(e->row->planes + in->dest[k], bits, in->width, in->is_signed,
                            (uintptr_t)(copy + k * in->width) - set->address[i], set->address, 1u << i);
        }
    }
}

/* Where writes wait. Not inline, so that nobody else pays for it. */
static __attribute__((noinline)) bool transfer_waiting(struct engine *e, const struct bound *in, uintptr_t origin,
                                                       const struct lane_set *set, bool is_write)
{
    const struct posted *p = e->posted;
    if (p->draft)
        return (is_write ? draft_store : draft_load)(e, in, origin, set);
    if (is_write)
        post_stores(e, in, origin, set);
    else if (may_be_posted(p, origin, set, (uint64_t)in->width * in->elements))
        load_posted(e, in, origin, set);
    else
        transfer_load(e, in, origin, set);
    return true;
}

bool transfer_global(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set,
                     bool is_write)
{
    const struct posted *p = e->posted;
    if (__builtin_expect(p && (is_write || p->count), 0))
        return transfer_waiting(e, in, origin, set, is_write);
    (is_write ? transfer_store : transfer_load)(e, in, origin, set);
    return true;
}
