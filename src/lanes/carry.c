/*
 * Extended-precision arithmetic. The carry is a predicate plane, all ones where there is a carry. As on NVIDIA's GPUs,
 * a subtraction adds the complement of b: its carry is set where there was no borrow. Code that nvcc makes for the
 * division of __int128 reads such a carry with addc.
 */
#include "lanes/lane_loop.h"

/* The suffix of a handler's name says whether it reads (r) or writes (w) the carry. A sum of three terms has a carry
 * out if one of its two additions wraps. */
#define CARRY_LANES(name, type, more_sources, body)     \
    static void name(const struct lanes *x)             \
    {                                                   \
        typedef type T;                                 \
        T *d = x->dest[0];                              \
        const T *pa = x->source[0], *pb = x->source[1]; \
        more_sources;                                   \
        EACH_LANE(i)                                    \
        {                                               \
            const T a = pa[i], b = pb[i];               \
            body;                                       \
        }                                               \
    }
#define CARRY_IN(index)        LANES_NARROW(uint32_t, carry, index)
#define CARRY_OUT              uint32_t *out = x->dest[1]
#define WRITE_CARRY(condition) out[i] = 0u - (uint32_t)(condition)

#define CARRY_SUMS(suffix, type)                                                                                    \
    CARRY_LANES(add_w_##suffix, type, CARRY_OUT, T s = a + b; d[i] = s; WRITE_CARRY(s < a))                         \
    CARRY_LANES(add_r_##suffix, type, CARRY_IN(2), d[i] = a + b + (carry[i] & 1))                                   \
    CARRY_LANES(add_rw_##suffix, type, CARRY_IN(2); CARRY_OUT, T s = a + b; T r = s + (carry[i] & 1); d[i] = r;     \
                WRITE_CARRY((s < a) | (r < s)))                                                                     \
    CARRY_LANES(sub_w_##suffix, type, CARRY_OUT, d[i] = a - b; WRITE_CARRY(a >= b))                                 \
    CARRY_LANES(sub_r_##suffix, type, CARRY_IN(2), d[i] = a + (T)~b + (carry[i] & 1))                               \
    CARRY_LANES(sub_rw_##suffix, type, CARRY_IN(2); CARRY_OUT, T s = a + (T)~b; T r = s + (carry[i] & 1); d[i] = r; \
                WRITE_CARRY((s < a) | (r < s)))
CARRY_SUMS(u32, uint32_t)
CARRY_SUMS(u64, uint64_t)

static inline uint32_t low_u32(uint32_t a, uint32_t b)
{
    return a * b;
}

static inline uint32_t high_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline uint32_t high_s32(uint32_t a, uint32_t b)
{
    return (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
}

static inline uint64_t low_u64(uint64_t a, uint64_t b)
{
    return a * b;
}

static inline uint64_t high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

static inline uint64_t high_s64(uint64_t a, uint64_t b)
{
    return (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64);
}

/* Products are computed first, so that only the sum is left to the vectorised loop. */
#define CARRY_PRODUCTS(half, type)                                                                      \
    static inline void multiply_##half(const struct lanes *x, type *product)                            \
    {                                                                                                   \
        const type *pa = x->source[0], *pb = x->source[1];                                              \
        EACH_LANE_SERIAL(i)                                                                             \
        {                                                                                               \
            product[i] = half(pa[i], pb[i]);                                                            \
        }                                                                                               \
    }                                                                                                   \
    static void mad_w_##half(const struct lanes *x)                                                     \
    {                                                                                                   \
        type product[ROW_LANES];                                                                        \
        multiply_##half(x, product);                                                                    \
        add_w(type)(&(struct lanes){{x->dest[0], x->dest[1]}, {product, x->source[2]}});                \
    }                                                                                                   \
    static void mad_r_##half(const struct lanes *x)                                                     \
    {                                                                                                   \
        type product[ROW_LANES];                                                                        \
        multiply_##half(x, product);                                                                    \
        add_r(type)(&(struct lanes){{x->dest[0]}, {product, x->source[2], x->source[3]}});              \
    }                                                                                                   \
    static void mad_rw_##half(const struct lanes *x)                                                    \
    {                                                                                                   \
        type product[ROW_LANES];                                                                        \
        multiply_##half(x, product);                                                                    \
        add_rw(type)(&(struct lanes){{x->dest[0], x->dest[1]}, {product, x->source[2], x->source[3]}}); \
    }
#define add_w(type)  _Generic((type)0, uint32_t : add_w_u32, default : add_w_u64)
#define add_r(type)  _Generic((type)0, uint32_t : add_r_u32, default : add_r_u64)
#define add_rw(type) _Generic((type)0, uint32_t : add_rw_u32, default : add_rw_u64)
CARRY_PRODUCTS(low_u32, uint32_t)
CARRY_PRODUCTS(high_u32, uint32_t)
CARRY_PRODUCTS(high_s32, uint32_t)
CARRY_PRODUCTS(low_u64, uint64_t)
CARRY_PRODUCTS(high_u64, uint64_t)
CARRY_PRODUCTS(high_s64, uint64_t)

/* What an instruction does with the carry: writes it, reads it, or both. */
enum carry_use { USE_WRITE, USE_READ, USE_BOTH, USE_COUNT };

#define BY_USE(name, suffix)                                     \
    {                                                            \
        name##_w_##suffix, name##_r_##suffix, name##_rw_##suffix \
    }
static lane_fn *const table_add[2][USE_COUNT] = {BY_USE(add, u32), BY_USE(add, u64)};
static lane_fn *const table_sub[2][USE_COUNT] = {BY_USE(sub, u32), BY_USE(sub, u64)};
static lane_fn *const table_mad_low[2][USE_COUNT] = {BY_USE(mad, low_u32), BY_USE(mad, low_u64)};
static lane_fn *const table_mad_high[2][2][USE_COUNT] = {{BY_USE(mad, high_u32), BY_USE(mad, high_s32)},
                                                         {BY_USE(mad, high_u64), BY_USE(mad, high_s64)}};

lane_fn *lanes_find_carry(const struct insn *insn)
{
    const struct type_info *t = &type_table[insn->suffixes.type[0]];
    bool wide = t->bits == 64;
    enum carry_use reader = suffixes_has(&insn->suffixes, FLAG_CC) ? USE_BOTH : USE_READ;
    enum carry_use use = insn->op == OP_MAD_CC ? USE_WRITE : reader;
    switch (insn->op) {
    case OP_ADD_CC:
        return table_add[wide][USE_WRITE];
    case OP_ADDC:
        return table_add[wide][reader];
    case OP_SUB_CC:
        return table_sub[wide][USE_WRITE];
    case OP_SUBC:
        return table_sub[wide][reader];
    case OP_MAD_CC:
    case OP_MADC:
        if (insn->suffixes.mod[GROUP_HALF] == HALF_HI)
            return table_mad_high[wide][t->kind == KIND_SINT][use];
        return table_mad_low[wide][use];
    default:
        return NULL;
    }
}
