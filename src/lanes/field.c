/* Bits and bit fields: popc, clz, brev, bfind, fns, bfe, bfi, bmsk, szext. */
#include "lanes/lane_loop.h"

/* Counts set bits by adding neighbours of 1, 2 and 4 bits, then all bytes by one multiplication: this vectorises on
 * every host. */
static inline uint32_t count_u32(uint32_t a)
{
    a -= a >> 1 & 0x55555555u;
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    return ((a + (a >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static inline uint32_t count_u64(uint64_t a)
{
    return count_u32((uint32_t)a) + count_u32((uint32_t)(a >> 32));
}

static inline uint32_t leading_u32(uint32_t a)
{
    return a ? (uint32_t)__builtin_clz(a) : 32;
}

static inline uint32_t leading_u64(uint64_t a)
{
    return a ? (uint32_t)__builtin_clzll(a) : 64;
}

static inline uint32_t reverse_u32(uint32_t a)
{
    a = (a & 0x55555555u) << 1 | (a >> 1 & 0x55555555u);
    a = (a & 0x33333333u) << 2 | (a >> 2 & 0x33333333u);
    a = (a & 0x0f0f0f0fu) << 4 | (a >> 4 & 0x0f0f0f0fu);
    a = (a & 0x00ff00ffu) << 8 | (a >> 8 & 0x00ff00ffu);
    return a << 16 | a >> 16;
}

static inline uint64_t reverse_u64(uint64_t a)
{
    return (uint64_t)reverse_u32((uint32_t)a) << 32 | reverse_u32((uint32_t)(a >> 32));
}

LANES_UNARY(brev_u32, uint32_t, uint32_t, reverse_u32(a))
LANES_UNARY(brev_u64, uint64_t, uint64_t, reverse_u64(a))

/* Handlers with a 32-bit result and a source of 32 or 64 bits. There is one version: with popcnt at hand, gcc no longer
 * vectorises the count. */
#define TO_U32(name, type, expression)      \
    static void name(const struct lanes *x) \
    {                                       \
        uint32_t *d = x->dest[0];           \
        const type *pa = x->source[0];      \
        EACH_LANE(i)                        \
        {                                   \
            const type a = pa[i];           \
            d[i] = (expression);            \
        }                                   \
    }
TO_U32(popc_u32, uint32_t, count_u32(a))
TO_U32(popc_u64, uint64_t, count_u64(a))
TO_U32(clz_u32, uint32_t, leading_u32(a))
TO_U32(clz_u64, uint64_t, leading_u64(a))

/* bfind: the highest set bit; of a signed number, the highest bit that differs from the sign. With .shiftamt the result
 * is the bit's distance from the top. */
#define BFIND(bits)                                                                                              \
    TO_U32(bfind_u##bits, uint##bits##_t, a ? bits - 1 - leading_u##bits(a) : UINT32_MAX)                        \
    TO_U32(bfind_shift_u##bits, uint##bits##_t, a ? leading_u##bits(a) : UINT32_MAX)                             \
    TO_U32(bfind_s##bits, int##bits##_t,                                                                         \
           a ^ a >> (bits - 1) ? bits - 1 - leading_u##bits((uint##bits##_t)(a ^ a >> (bits - 1))) : UINT32_MAX) \
    TO_U32(bfind_shift_s##bits, int##bits##_t,                                                                   \
           a ^ a >> (bits - 1) ? leading_u##bits((uint##bits##_t)(a ^ a >> (bits - 1))) : UINT32_MAX)
BFIND(32)
BFIND(64)

/* fns: the |n|-th set bit from `base` on, upwards for positive n, downwards for negative n. With n = 0 only bit `base`
 * counts. */
static inline uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t n)
{
    if (base > 31)
        return UINT32_MAX;
    if (n == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    uint32_t left = n < 0 ? 0u - (uint32_t)n : (uint32_t)n;
    int step = n < 0 ? -1 : 1;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}

LANES_TERNARY_SERIAL(fns, uint32_t, uint32_t, find_nth_set(a, b, (int32_t)c))

/* Masks and shifts that C defines for any count. */
#define FIELD_SHAPES(suffix, type, bits)                                                      \
    static inline type ones_##suffix(uint32_t n)                                              \
    {                                                                                         \
        return (((type)1 << (n & (bits - 1))) - 1) | ((type)0 - (n >= bits));                 \
    }                                                                                         \
    static inline type up_##suffix(type a, uint32_t n)                                        \
    {                                                                                         \
        return a << (n & (bits - 1)) & ((type)0 - (n < bits));                                \
    }                                                                                         \
    static inline type down_##suffix(type a, uint32_t n)                                      \
    {                                                                                         \
        return a >> (n & (bits - 1)) & ((type)0 - (n < bits));                                \
    }                                                                                         \
    /* The sign of the field in all bits; the sign is the highest bit within the register. */ \
    static inline type sign_##suffix(type a, uint32_t position, uint32_t length)              \
    {                                                                                         \
        uint32_t top = position + length - 1;                                                 \
        type sign = a >> (top < bits ? top & (bits - 1) : bits - 1) & 1;                      \
        return length ? (type)0 - sign : 0;                                                   \
    }                                                                                         \
    /* The number of the field's bits that lie within the register. */                        \
    static inline uint32_t room_##suffix(uint32_t position, uint32_t length)                  \
    {                                                                                         \
        uint32_t room = position < bits ? bits - position : 0;                                \
        return length < room ? length : room;                                                 \
    }
FIELD_SHAPES(u32, uint32_t, 32)
FIELD_SHAPES(u64, uint64_t, 64)

/* Position and length are 32 bits wide whatever the type. The 32-bit forms use only their low bytes; the 64-bit forms,
 * which hardware builds from shifts, use all their bits. */
#define COUNT_u32(n) ((n)&255)
#define COUNT_u64(n) ((n) < 255 ? (n) : 255)
#define BFE(name, type, suffix, fill)                                                                    \
    SIMD_CLONES static void name(const struct lanes *x)                                                  \
    {                                                                                                    \
        type *d = x->dest[0];                                                                            \
        const type *pa = x->source[0];                                                                   \
        LANES_APART(uint32_t, positions, 1, d);                                                          \
        LANES_APART(uint32_t, lengths, 2, d);                                                            \
        EACH_LANE(i)                                                                                     \
        {                                                                                                \
            const type a = pa[i];                                                                        \
            const uint32_t position = COUNT_##suffix(positions[i]), length = COUNT_##suffix(lengths[i]); \
            const type keep = ones_##suffix(room_##suffix(position, length));                            \
            d[i] = (down_##suffix(a, position) & keep) | ((fill) & ~keep);                               \
        }                                                                                                \
    }
BFE(bfe_u32, uint32_t, u32, 0)
BFE(bfe_u64, uint64_t, u64, 0)
BFE(bfe_s32, uint32_t, u32, sign_u32(a, position, length))
BFE(bfe_s64, uint64_t, u64, sign_u64(a, position, length))

#define BFI(suffix, type)                                                                                \
    SIMD_CLONES static void bfi_##suffix(const struct lanes *x)                                          \
    {                                                                                                    \
        type *d = x->dest[0];                                                                            \
        const type *pa = x->source[0], *pb = x->source[1];                                               \
        LANES_APART(uint32_t, positions, 2, d);                                                          \
        LANES_APART(uint32_t, lengths, 3, d);                                                            \
        EACH_LANE(i)                                                                                     \
        {                                                                                                \
            const type a = pa[i], b = pb[i];                                                             \
            const uint32_t position = COUNT_##suffix(positions[i]), length = COUNT_##suffix(lengths[i]); \
            const type field = up_##suffix(ones_##suffix(length), position);                             \
            d[i] = (b & ~field) | (up_##suffix(a, position) & field);                                    \
        }                                                                                                \
    }
BFI(u32, uint32_t)
BFI(u64, uint64_t)

LANES_BINARY(bmsk_wrap, uint32_t, uint32_t, up_u32(ones_u32(b & 31), a & 31))
LANES_BINARY(bmsk_clamp, uint32_t, uint32_t, up_u32(ones_u32(b), a))

LANES_BINARY(szext_wrap_u32, uint32_t, uint32_t, a &ones_u32(b & 31))
LANES_BINARY(szext_clamp_u32, uint32_t, uint32_t, a &ones_u32(b))
LANES_BINARY(szext_wrap_s32, uint32_t, uint32_t, (a & ones_u32(b & 31)) | (sign_u32(a, 0, b & 31) & ~ones_u32(b & 31)))
LANES_BINARY(szext_clamp_s32, uint32_t, uint32_t, (a & ones_u32(b)) | (sign_u32(a, 0, b) & ~ones_u32(b)))

static lane_fn *const table_bfind[2][TYPE_COUNT] = {
    {[TYPE_U32] = bfind_u32, [TYPE_S32] = bfind_s32, [TYPE_U64] = bfind_u64, [TYPE_S64] = bfind_s64},
    {[TYPE_U32] = bfind_shift_u32,
     [TYPE_S32] = bfind_shift_s32,
     [TYPE_U64] = bfind_shift_u64,
     [TYPE_S64] = bfind_shift_s64},
};
static lane_fn *const table_bfe[TYPE_COUNT] = {
    [TYPE_U32] = bfe_u32, [TYPE_S32] = bfe_s32, [TYPE_U64] = bfe_u64, [TYPE_S64] = bfe_s64};
static lane_fn *const table_szext[2][2] = {{szext_clamp_u32, szext_clamp_s32}, {szext_wrap_u32, szext_wrap_s32}};

lane_fn *lanes_find_field(const struct insn *insn)
{
    unsigned t = insn->suffixes.type[0];
    bool wide = type_table[t].bits == 64, wrap = insn->suffixes.mod[GROUP_WRAP] == WRAP_WRAP;
    switch (insn->op) {
    case OP_POPC:
        return wide ? popc_u64 : popc_u32;
    case OP_CLZ:
        return wide ? clz_u64 : clz_u32;
    case OP_BREV:
        return wide ? brev_u64 : brev_u32;
    case OP_BFIND:
        return table_bfind[suffixes_has(&insn->suffixes, FLAG_SHIFTAMT)][t];
    case OP_FNS:
        return fns;
    case OP_BFE:
        return table_bfe[t];
    case OP_BFI:
        return wide ? bfi_u64 : bfi_u32;
    case OP_BMSK:
        return wrap ? bmsk_wrap : bmsk_clamp;
    case OP_SZEXT:
        return table_szext[wrap][t == TYPE_S32];
    default:
        return NULL;
    }
}
