/* Moves: mov of one register, and mov that packs registers into a wider one or unpacks them from it. */
#include "lanes/lane_loop.h"

/* A quarter of a plane of 32 bits. */
typedef uint64_t quarter __attribute__((vector_size(PLANE_BYTES / 4), aligned(4), may_alias));

/* Copies a plane of lanes. Of a memmove(), or a loop over lanes, compilers make a call of the C library. */
static inline void copy_lanes(void *to, const void *from, size_t bytes)
{
    quarter *d = to;
    const quarter *s = from;
    if (bytes % PLANE_BYTES) {
        memmove(to, from, bytes);
        return;
    }
    for (size_t i = 0; i < bytes / sizeof(quarter); i += 4) {
        const quarter first = s[i], second = s[i + 1], third = s[i + 2], fourth = s[i + 3];
        d[i] = first;
        d[i + 1] = second;
        d[i + 2] = third;
        d[i + 3] = fourth;
    }
}

#define MOVE(name, type)                                                \
    SIMD_CLONES static void name(const struct lanes *x)                 \
    {                                                                   \
        copy_lanes(x->dest[0], x->source[0], ROW_LANES * sizeof(type)); \
    }
MOVE(move_u16, uint16_t)
MOVE(move_u32, uint32_t)
MOVE(move_u64, uint64_t)
MOVE(move_b128, struct lane_b128)

/* A special register may be wider than what reads it: mov.u16 of %tid.x, mov.u32 of %gridid. */
#define MOVE_NARROW(name, wide, type)       \
    static void name(const struct lanes *x) \
    {                                       \
        type *d = x->dest[0];               \
        LANES_NARROW(wide, a, 0);           \
        EACH_LANE(i)                        \
        {                                   \
            d[i] = (type)a[i];              \
        }                                   \
    }
MOVE_NARROW(move_low_u16, uint32_t, uint16_t)
MOVE_NARROW(move_low_u32, uint64_t, uint32_t)

/* Parts of 8 bits are in 16-bit registers, whose upper half is 0. All sources are copied first, since a part may have
 * the same plane as the whole. */
#define PACK_2(name, part, whole, bits, mask)                                    \
    static void pack_##name(const struct lanes *x)                               \
    {                                                                            \
        whole *d = x->dest[0];                                                   \
        LANES_NARROW(part, a, 0);                                                \
        LANES_NARROW(part, b, 1);                                                \
        EACH_LANE(i)                                                             \
        {                                                                        \
            d[i] = (whole)((whole)(a[i] & mask) | (whole)(b[i] & mask) << bits); \
        }                                                                        \
    }                                                                            \
    static void unpack_##name(const struct lanes *x)                             \
    {                                                                            \
        part *d0 = x->dest[0], *d1 = x->dest[1];                                 \
        LANES_NARROW(whole, a, 0);                                               \
        EACH_LANE(i)                                                             \
        {                                                                        \
            d0[i] = (part)(a[i] & mask);                                         \
            d1[i] = (part)(a[i] >> bits & mask);                                 \
        }                                                                        \
    }
#define PACK_4(name, part, whole, bits, mask)                                                               \
    static void pack_##name(const struct lanes *x)                                                          \
    {                                                                                                       \
        whole *d = x->dest[0];                                                                              \
        LANES_NARROW(part, a, 0);                                                                           \
        LANES_NARROW(part, b, 1);                                                                           \
        LANES_NARROW(part, c, 2);                                                                           \
        LANES_NARROW(part, e, 3);                                                                           \
        EACH_LANE(i)                                                                                        \
        {                                                                                                   \
            d[i] = (whole)(a[i] & mask) | (whole)(b[i] & mask) << bits | (whole)(c[i] & mask) << 2 * bits | \
                   (whole)(e[i] & mask) << 3 * bits;                                                        \
        }                                                                                                   \
    }                                                                                                       \
    static void unpack_##name(const struct lanes *x)                                                        \
    {                                                                                                       \
        part *d0 = x->dest[0], *d1 = x->dest[1], *d2 = x->dest[2], *d3 = x->dest[3];                        \
        LANES_NARROW(whole, a, 0);                                                                          \
        EACH_LANE(i)                                                                                        \
        {                                                                                                   \
            d0[i] = (part)(a[i] & mask);                                                                    \
            d1[i] = (part)(a[i] >> bits & mask);                                                            \
            d2[i] = (part)(a[i] >> 2 * bits & mask);                                                        \
            d3[i] = (part)(a[i] >> 3 * bits & mask);                                                        \
        }                                                                                                   \
    }
PACK_2(2x8, uint16_t, uint16_t, 8, 0xffu)
PACK_2(2x16, uint16_t, uint32_t, 16, 0xffffu)
PACK_2(2x32, uint32_t, uint64_t, 32, 0xffffffffu)
PACK_4(4x8, uint16_t, uint32_t, 8, 0xffu)
PACK_4(4x16, uint16_t, uint64_t, 16, 0xffffu)

/* 128 bits: in memory order, the lowest part first, a plane of parts is the plane of the whole. */
static void pack_2x64(const struct lanes *x)
{
    struct lane_b128 *d = x->dest[0];
    LANES_NARROW(uint64_t, a, 0);
    LANES_NARROW(uint64_t, b, 1);
    EACH_LANE(i)
    {
        d[i].word[0] = a[i];
        d[i].word[1] = b[i];
    }
}

static void unpack_2x64(const struct lanes *x)
{
    uint64_t *d0 = x->dest[0], *d1 = x->dest[1];
    const struct lane_b128 *a = x->source[0];
    EACH_LANE(i)
    {
        d0[i] = a[i].word[0];
        d1[i] = a[i].word[1];
    }
}

static void pack_4x32(const struct lanes *x)
{
    struct lane_b128 *d = x->dest[0];
    LANES_NARROW(uint32_t, a, 0);
    LANES_NARROW(uint32_t, b, 1);
    LANES_NARROW(uint32_t, c, 2);
    LANES_NARROW(uint32_t, e, 3);
    EACH_LANE(i)
    {
        d[i].word[0] = a[i] | (uint64_t)b[i] << 32;
        d[i].word[1] = c[i] | (uint64_t)e[i] << 32;
    }
}

static void unpack_4x32(const struct lanes *x)
{
    uint32_t *d0 = x->dest[0], *d1 = x->dest[1], *d2 = x->dest[2], *d3 = x->dest[3];
    const struct lane_b128 *a = x->source[0];
    EACH_LANE(i)
    {
        d0[i] = (uint32_t)a[i].word[0];
        d1[i] = (uint32_t)(a[i].word[0] >> 32);
        d2[i] = (uint32_t)a[i].word[1];
        d3[i] = (uint32_t)(a[i].word[1] >> 32);
    }
}

/* All elements are read first, since an element that is written may have the plane of one that is read. */
#define MOVE_VECTOR(suffix, type)                      \
    static void move_2_##suffix(const struct lanes *x) \
    {                                                  \
        LANES_NARROW(type, a, 0);                      \
        LANES_NARROW(type, b, 1);                      \
        memcpy(x->dest[0], a, sizeof a);               \
        memcpy(x->dest[1], b, sizeof b);               \
    }                                                  \
    static void move_4_##suffix(const struct lanes *x) \
    {                                                  \
        LANES_NARROW(type, c, 2);                      \
        LANES_NARROW(type, e, 3);                      \
        move_2_##suffix(x);                            \
        memcpy(x->dest[2], c, sizeof c);               \
        memcpy(x->dest[3], e, sizeof e);               \
    }
MOVE_VECTOR(u16, uint16_t)
MOVE_VECTOR(u32, uint32_t)
MOVE_VECTOR(u64, uint64_t)

static lane_fn *const table_move_2[TYPE_COUNT] = {BY_WIDTH(move_2)};
static lane_fn *const table_move_4[TYPE_COUNT] = {BY_WIDTH(move_4)};
static lane_fn *const table_move[TYPE_COUNT] = {BY_WIDTH(move), [TYPE_PRED] = move_u32, [TYPE_B128] = move_b128};

/* The handler for a whole of `bits` bits in `parts` parts. */
static lane_fn *find_pack(unsigned bits, unsigned parts)
{
    if (bits == 128)
        return parts == 2 ? pack_2x64 : parts == 4 ? pack_4x32 : NULL;
    if (parts == 2)
        return bits == 16 ? pack_2x8 : bits == 32 ? pack_2x16 : pack_2x32;
    if (parts == 4 && bits != 16)
        return bits == 32 ? pack_4x8 : pack_4x16;
    return NULL;
}

static lane_fn *find_unpack(unsigned bits, unsigned parts)
{
    if (bits == 128)
        return parts == 2 ? unpack_2x64 : parts == 4 ? unpack_4x32 : NULL;
    if (parts == 2)
        return bits == 16 ? unpack_2x8 : bits == 32 ? unpack_2x16 : unpack_2x32;
    if (parts == 4 && bits != 16)
        return bits == 32 ? unpack_4x8 : unpack_4x16;
    return NULL;
}

lane_fn *lanes_find_move(const struct insn *insn)
{
    unsigned t = insn->suffixes.type[0];
    switch (insn->op) {
    case OP_MOV:
        if (ref_lane_bits(&insn->source[0]) > ref_lane_bits(&insn->dest[0]))
            return ref_lane_bits(&insn->dest[0]) == 16 ? move_low_u16 : move_low_u32;
        return table_move[t];
    case OP_MOV_VECTOR:
        return insn->dest_count == 2 ? table_move_2[t] : insn->dest_count == 4 ? table_move_4[t] : NULL;
    case OP_PACK:
        return find_pack(type_table[t].bits, insn->source_count);
    case OP_UNPACK:
        return find_unpack(type_table[t].bits, insn->dest_count);
    default:
        return NULL;
    }
}
