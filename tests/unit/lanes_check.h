/*
 * How lane handlers are checked: every form of an instruction against a scalar model, on edge values and
 * random ones, once with a destination of its own and once in place of each source. The models follow the
 * manual's wording bit by bit, or compute in a wider type, so that they share nothing with the handlers.
 */
#ifndef HEDDLE_TESTS_UNIT_LANES_CHECK_H
#define HEDDLE_TESTS_UNIT_LANES_CHECK_H

#include "lanes/lanes.h"

#include "base/random.h"

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* One form of an instruction under test: its suffixes, and the lane widths of its operands (1: predicate). */
struct form {
    struct suffixes suffixes;
    enum op op;
    int dest_count, source_count;
    uint8_t dest_bits[LANES_MAX_DEST], source_bits[LANES_MAX_SOURCE];
};

/* Sources as zero-extended lanes; results likewise. */
typedef void model_fn(const struct form *f, const uint64_t *s, uint64_t *d);

static const uint64_t edges[] = {0,
                                 1,
                                 2,
                                 3,
                                 7,
                                 8,
                                 15,
                                 16,
                                 17,
                                 31,
                                 32,
                                 33,
                                 63,
                                 64,
                                 65,
                                 127,
                                 128,
                                 255,
                                 256,
                                 0x7fff,
                                 0x8000,
                                 0xffff,
                                 0x10000,
                                 0x7fffffff,
                                 0x80000000,
                                 0x80000001,
                                 0xffffffff,
                                 0xfffffffe,
                                 0x100000000,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0x8000000000000001,
                                 0xffffffffffffffff,
                                 0x3f800000,
                                 0xbf800000,
                                 0x3f000000,
                                 0x3fc00000,
                                 0x40200000,
                                 0xc0200000,
                                 0x00800000,
                                 0x007fffff,
                                 0x80000001,
                                 0x807fffff,
                                 0x7f800000,
                                 0xff800000,
                                 0x7fc00000,
                                 0x7f800001,
                                 0xffc00001,
                                 0x7f7fffff,
                                 0x4f000000,
                                 0xcf000000,
                                 0x4effffff,
                                 0x4f800000,
                                 0x5f000000,
                                 0x3effffff,
                                 0x33800000,
                                 0x7f000000,
                                 0x7e800001,
                                 0x34000000,
                                 0x2f7fffff,
                                 0x3f7fffff,
                                 0x3f7ffffe,
                                 0x00800001,
                                 0x00ffffff,
                                 0x3ff0000000000000,
                                 0xbff0000000000000,
                                 0x3fe0000000000000,
                                 0x3ff8000000000000,
                                 0x4004000000000000,
                                 0x0010000000000000,
                                 0x000fffffffffffff,
                                 0x7ff0000000000000,
                                 0xfff0000000000000,
                                 0x7ff8000000000000,
                                 0x7ff0000000000001,
                                 0xfff8000000000123,
                                 0x7fefffffffffffff,
                                 0x41e0000000000000,
                                 0xc1e0000000200000,
                                 0x41f0000000000000,
                                 0x43e0000000000000,
                                 0x43f0000000000000,
                                 0x3810000000000000,
                                 0x369fffffffffffff,
                                 0x380fffffffffffff,
                                 0x380fffffe0000000,
                                 0x380fffffe0000001,
                                 0xb80fffffdfffffff,
                                 0x47efffffffffffff,
                                 0x3c00,
                                 0xbc00,
                                 0x7bff,
                                 0x7c00,
                                 0xfc00,
                                 0x7e00,
                                 0x03ff,
                                 0x0001,
                                 0x3f80,
                                 0x7f7f,
                                 0x7f80,
                                 0x477fe000,
                                 0x477ff000,
                                 0x33000000,
                                 0x33000001,
                                 0x387fe000};

enum { EDGE_COUNT = sizeof edges / sizeof *edges };

static inline uint64_t pick_value(struct random *seed)
{
    uint64_t r = random_u64(seed);
    switch (r % 8) {
    case 0:
    case 1:
    case 2:
    case 3:
        return edges[(r >> 8) % EDGE_COUNT];
    case 4:
        return edges[(r >> 8) % EDGE_COUNT] + (r >> 40) % 3 - 1;
    case 5:
        return random_u64(seed) >> (r >> 8 & 63);
    default:
        return random_u64(seed);
    }
}

static inline uint64_t read_lane(const void *plane, int bits, int i)
{
    return bits == 16   ? ((const uint16_t *)plane)[i]
           : bits == 64 ? ((const uint64_t *)plane)[i]
                        : ((const uint32_t *)plane)[i];
}

static inline void write_lane(void *plane, int bits, int i, uint64_t value)
{
    if (bits == 1)
        value = value & 1 ? UINT32_MAX : 0;
    if (bits == 16)
        ((uint16_t *)plane)[i] = (uint16_t)value;
    else if (bits == 64)
        ((uint64_t *)plane)[i] = value;
    else
        ((uint32_t *)plane)[i] = (uint32_t)value;
}

/* The handler of rows, or of single lanes. */
static inline lane_fn *find(const struct form *f, bool is_single)
{
    struct ref dest[LANES_MAX_DEST] = {0}, source[LANES_MAX_SOURCE] = {0};
    for (int i = 0; i < f->dest_count; i++)
        dest[i] = (struct ref){.kind = REF_PLANE, .bits = f->dest_bits[i]};
    for (int i = 0; i < f->source_count; i++)
        source[i] = (struct ref){.kind = REF_PLANE, .bits = f->source_bits[i]};
    struct insn insn = {.op = (uint16_t)f->op,
                        .dest_count = (uint8_t)f->dest_count,
                        .source_count = (uint8_t)f->source_count,
                        .suffixes = f->suffixes,
                        .dest = dest,
                        .source = source};
    return is_single ? lanes_find_single(&insn) : lanes_find(&insn);
}

static inline void describe(const struct form *f, char *text, size_t size)
{
    int n = snprintf(text, size, "%s", op_table[f->op].id);
    for (int g = 0; g < GROUP_COUNT; g++)
        if (f->suffixes.mod[g])
            n += snprintf(text + n, size - (size_t)n, ".%s", mod_text[f->suffixes.mod[g]]);
    for (int k = 0; k < FLAG_COUNT; k++)
        if (suffixes_has(&f->suffixes, (enum flag)k))
            n += snprintf(text + n, size - (size_t)n, ".%s", flag_text[k]);
    snprintf(text + n, size - (size_t)n, ".%s.%s %d<-%d", type_table[f->suffixes.type[0]].text,
             type_table[f->suffixes.type[1]].text, f->dest_bits[0], f->source_bits[0]);
}

struct planes {
    _Alignas(64) uint64_t lanes[ROW_LANES];
};

/* Runs the handler of single lanes on each lane of a row. It must leave other lanes alone. */
static inline void run_lanes(const struct form *f, lane_fn *single, const struct lanes *x)
{
    const unsigned bytes = lane_bytes(f->dest_bits[0]);
    for (unsigned i = 0; i < ROW_LANES; i++) {
        struct planes row;
        struct lanes lane = {{(uint8_t *)x->dest[0] + i * bytes}, {0}};
        for (int k = 0; k < f->source_count; k++)
            lane.source[k] = (const uint8_t *)x->source[k] + i * lane_bytes(f->source_bits[k]);
        memcpy(&row, x->dest[0], sizeof row);
        single(&lane);
        memcpy((uint8_t *)&row + i * bytes, lane.dest[0], bytes);
        assert_memory_equal(&row, x->dest[0], sizeof row);
    }
}

/* Runs one row, at once or lane by lane; dest[0] in place of source `in_place`, or on its own if that is -1. */
static inline void check_row(const struct form *f, lane_fn *handler, bool is_single, model_fn *model,
                             struct random *seed, int in_place)
{
    struct planes dest[LANES_MAX_DEST] = {0}, source[LANES_MAX_SOURCE] = {0}, before[LANES_MAX_SOURCE];
    struct lanes x = {{0}, {0}};
    for (int k = 0; k < f->source_count; k++) {
        for (int i = 0; i < ROW_LANES; i++)
            write_lane(&source[k], f->source_bits[k], i, pick_value(seed));
        before[k] = source[k];
        x.source[k] = &source[k];
    }
    if (f->op == OP_LOP3) /* its fourth source is an immediate: the same in all lanes */
        for (uint64_t i = 0, table = random_u64(seed) & 255; i < ROW_LANES / 2; i++)
            before[3].lanes[i] = source[3].lanes[i] = table << 32 | table;
    for (int k = 0; k < f->dest_count; k++)
        x.dest[k] = &dest[k];
    if (in_place >= 0)
        x.dest[0] = &source[in_place];
    if (is_single)
        run_lanes(f, handler, &x);
    else
        handler(&x);
    for (int i = 0; i < ROW_LANES; i++) {
        uint64_t s[LANES_MAX_SOURCE] = {0}, want[LANES_MAX_DEST] = {0};
        for (int k = 0; k < f->source_count; k++)
            s[k] = read_lane(&before[k], f->source_bits[k], i);
        model(f, s, want);
        for (int k = 0; k < f->dest_count; k++) {
            struct planes wanted;
            write_lane(&wanted, f->dest_bits[k], i, want[k]);
            uint64_t expected = read_lane(&wanted, f->dest_bits[k], i), got = read_lane(x.dest[k], f->dest_bits[k], i);
            if (got != expected) {
                char text[128];
                describe(f, text, sizeof text);
                fail_msg("%s lane %d dest %d: %#llx %#llx %#llx %#llx gives %#llx, not %#llx", text, i, k,
                         (unsigned long long)s[0], (unsigned long long)s[1], (unsigned long long)s[2],
                         (unsigned long long)s[3], (unsigned long long)got, (unsigned long long)expected);
            }
        }
    }
}

static inline void check_form(const struct form *f, model_fn *model)
{
    struct random seed = {1 + (uint64_t)f->op};
    lane_fn *handler = find(f, false), *single = f->dest_count == 1 ? find(f, true) : NULL;
    if (!handler) {
        char text[128];
        describe(f, text, sizeof text);
        fail_msg("%s has no handler", text);
    }
    for (int row = 0; row < 24; row++) {
        const int in_place = row % f->source_count;
        check_row(f, handler, false, model, &seed, -1);
        check_row(f, handler, false, model, &seed, in_place);
        if (single)
            check_row(f, single, true, model, &seed, -1);
        if (single && f->source_bits[in_place] == f->dest_bits[0]) /* only registers of one width share a plane */
            check_row(f, single, true, model, &seed, in_place);
    }
}

/* Builders of forms. */
static inline uint8_t lane_bits(enum type t)
{
    return t == TYPE_PRED ? 1 : type_table[t].bits < 16 ? 16 : type_table[t].bits;
}

static inline struct form form_of(enum op op, enum type t, int sources)
{
    struct form f = {.op = op, .dest_count = 1, .source_count = sources};
    f.suffixes.type[0] = (uint8_t)t;
    f.dest_bits[0] = lane_bits(t);
    for (int i = 0; i < sources; i++)
        f.source_bits[i] = lane_bits(t);
    return f;
}

static inline void set_mod(struct form *f, enum mod m)
{
    f->suffixes.mod[mod_group(m)] = (uint8_t)m;
}

static inline void set_flag(struct form *f, enum flag flag, bool on)
{
    f->suffixes.flags &= ~(1ull << flag);
    f->suffixes.flags |= (uint64_t)on << flag;
}

static const enum type integer_types[] = {TYPE_U16, TYPE_S16, TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};

/* An operand as the mathematical integer its type says. */
static inline __int128 integer(enum type t, uint64_t raw)
{
    int bits = type_table[t].bits;
    __int128 v = (__int128)(bits == 64 ? raw : raw & ((1ull << bits) - 1));
    return type_table[t].kind == KIND_SINT && v >> (bits - 1) & 1 ? v - ((__int128)1 << bits) : v;
}

static inline __int128 most(enum type t)
{
    return ((__int128)1 << (type_table[t].bits - (type_table[t].kind == KIND_SINT))) - 1;
}

static inline __int128 least(enum type t)
{
    return type_table[t].kind == KIND_SINT ? -most(t) - 1 : 0;
}

static inline __int128 clamp(enum type t, __int128 v)
{
    return v > most(t) ? most(t) : v < least(t) ? least(t) : v;
}

/* The low or high half of a product that may need 128 bits with a sign of its own. */
static inline __int128 half_of_product(enum type t, bool high, __int128 a, __int128 b)
{
    int bits = type_table[t].bits;
    if (!high)
        return (__int128)((unsigned __int128)a * (unsigned __int128)b & (((unsigned __int128)1 << bits) - 1));
    if (bits == 64 && type_table[t].kind != KIND_SINT)
        return (__int128)((unsigned __int128)a * (unsigned __int128)b >> 64);
    return a * b >> bits;
}

/* Floating point: bits to numbers and back. */
static inline float f32_of(uint64_t bits)
{
    float x;
    memcpy(&x, &(uint32_t){(uint32_t)bits}, 4);
    return x;
}

static inline uint64_t bits_of_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    return isnan(x) ? 0x7fffffff : u;
}

static inline double f64_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static inline uint64_t bits_of_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, 8);
    return u;
}

static inline float flushed(float x, bool ftz)
{
    return ftz && fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

static inline int host_rounding(enum mod m)
{
    return m == RND_RZ || m == RND_RZI   ? FE_TOWARDZERO
           : m == RND_RM || m == RND_RMI ? FE_DOWNWARD
           : m == RND_RP || m == RND_RPI ? FE_UPWARD
                                         : FE_TONEAREST;
}

/*
 * A double to a format of `precision` bits and least exponent `least`, in any rounding: scaled so that the
 * format's last place is 1, made integral, scaled back.
 */
static inline double to_format(double x, int precision, int least, double greatest, enum mod rounding)
{
    if (isnan(x) || isinf(x) || x == 0)
        return x;
    int exponent = ilogb(x) > least ? ilogb(x) : least, scale = precision - 1 - exponent;
    fesetround(host_rounding(rounding));
    volatile double integral = nearbyint(ldexp(x, scale));
    fesetround(FE_TONEAREST);
    double y = copysign(ldexp(integral, -scale), x);
    if (fabs(y) <= greatest)
        return y;
    bool towards_zero = rounding == RND_RZ || rounding == (x < 0 ? RND_RP : RND_RM);
    return copysign(towards_zero ? greatest : INFINITY, x);
}

#endif
