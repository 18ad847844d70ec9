/* Lane handlers of conversions, against the host's arithmetic. */
#include "lanes_check.h"

/* Conversions by the host's arithmetic: a double holds every floating-point source exactly. */
static double read_float(enum type t, uint64_t raw, bool ftz)
{
    raw &= type_table[t].bits == 64 ? UINT64_MAX : (1ull << type_table[t].bits) - 1;
    if (t == TYPE_F64)
        return f64_of(raw);
    if (t == TYPE_F32)
        return flushed(f32_of(raw), ftz);
    if (t == TYPE_BF16)
        return f32_of(raw << 16);
    int exponent = raw >> 10 & 31;
    double fraction = (double)(raw & 0x3ff), sign = raw >> 15 ? -1 : 1;
    if (exponent == 31)
        return fraction != 0 ? NAN : sign * INFINITY;
    return sign * ldexp(exponent ? fraction + 1024 : fraction, (exponent ? exponent : 1) - 25);
}

/* The bits of a double that is exact in the type. */
static uint64_t write_float(enum type t, double x)
{
    if (t == TYPE_F64)
        return bits_of_f64(x);
    if (t == TYPE_F32)
        return bits_of_f32((float)x);
    if (t == TYPE_BF16)
        return bits_of_f32((float)x) >> 16;
    uint64_t sign = signbit(x) ? 0x8000 : 0;
    x = fabs(x);
    if (isinf(x))
        return sign | 0x7c00;
    if (x < 0x1p-14)
        return sign | (uint64_t)ldexp(x, 24);
    int exponent = ilogb(x);
    return sign | (((uint64_t)(exponent + 14) << 10) + (uint64_t)ldexp(x, 10 - exponent));
}

static double narrow_to(enum type t, double x, enum mod rounding)
{
    switch (t) {
    case TYPE_F16:
        return to_format(x, 11, -14, 65504, rounding);
    case TYPE_BF16:
        return to_format(x, 8, -126, 0x1.fep127, rounding);
    case TYPE_F32:
        return to_format(x, 24, -126, 0x1.fffffep127, rounding);
    default:
        return x;
    }
}

/* An integer to the type: its upper bits exactly in a double, what is left as a last odd bit that only
 * matters to the rounding; to f64 by the host, which rounds an integer as its mode says. */
static double integer_to(enum type t, __int128 v, enum mod rounding)
{
    if (t == TYPE_F64) {
        fesetround(host_rounding(rounding));
        volatile uint64_t u = (uint64_t)(v < 0 ? 0 : v);
        volatile int64_t s = (int64_t)v;
        volatile double x = v < 0 ? (double)s : (double)u;
        fesetround(FE_TONEAREST);
        return v == 0 ? 0 : x;
    }
    uint64_t magnitude = (uint64_t)(v < 0 ? -v : v);
    uint64_t sticky = magnitude >> 53 ? (magnitude >> 12 | ((magnitude & 0xfff) != 0)) << 12 : magnitude;
    return narrow_to(t, v < 0 ? -(double)sticky : (double)sticky, rounding);
}

static double integral(double x, enum mod rounding)
{
    return rounding == RND_RNI   ? nearbyint(x)
           : rounding == RND_RZI ? trunc(x)
           : rounding == RND_RMI ? floor(x)
                                 : ceil(x);
}

static uint64_t to_integer(enum type from, enum type to, double x, enum mod rounding)
{
    if (isnan(x)) { /* the highest bit from f64, or if it is bit 63 */
        bool highest = from == TYPE_F64 || type_table[to].bits == 64;
        return (uint64_t)integer(to, highest ? 1ull << (type_table[to].bits - 1) : 0);
    }
    x = integral(x, rounding);
    if (fabs(x) >= 0x1p64)
        return (uint64_t)(x < 0 ? least(to) : most(to));
    return (uint64_t)clamp(to, (__int128)x);
}

static int fraction_bits(enum type t)
{
    return t == TYPE_F16 ? 10 : t == TYPE_BF16 ? 7 : t == TYPE_F32 ? 23 : 52;
}

/* What is not a number, by pair of types: copied, carried over with its sign and payload, or made anew. */
static uint64_t convert_nan(const struct form *f, uint64_t raw)
{
    enum type to = (enum type)f->suffixes.type[0], from = (enum type)f->suffixes.type[1];
    bool ftz = suffixes_has(&f->suffixes, FLAG_FTZ), rounds = f->suffixes.mod[GROUP_RND] >= RND_RNI;
    int bits = type_table[from].bits, to_bits = type_table[to].bits;
    raw = bits == 64 ? raw : raw & ((1ull << bits) - 1);
    if (to == TYPE_F64 && from == TYPE_F64 && !rounds)
        return raw;
    if (to == TYPE_F32 && (from == TYPE_F32 || from == TYPE_BF16) && !ftz && !rounds)
        return raw << (32 - bits);
    if (from != TYPE_F64 && to != TYPE_F64)
        return to == TYPE_F32 ? 0x7fffffff : 0x7fff;
    if (from == TYPE_F32 && ftz)
        raw = 0x7fffffff;
    uint64_t sign = raw >> (bits - 1) << (to_bits - 1);
    uint64_t fraction = (raw & ((1ull << fraction_bits(from)) - 1)) << (52 - fraction_bits(from));
    uint64_t infinity = (1ull << (to_bits - 1)) - (1ull << fraction_bits(to));
    return sign | infinity | (fraction | 1ull << 51) >> (52 - fraction_bits(to));
}

static void model_convert(const struct form *f, const uint64_t *s, uint64_t *d)
{
    const struct suffixes *x = &f->suffixes;
    enum type to = (enum type)x->type[0], from = (enum type)x->type[1];
    enum mod rounding = (enum mod)x->mod[GROUP_RND];
    bool ftz = suffixes_has(x, FLAG_FTZ), sat = suffixes_has(x, FLAG_SAT);
    if (f->op == OP_CVT_INT) {
        __int128 v = integer(from, s[0]);
        d[0] = (uint64_t)(sat ? clamp(to, v) : integer(to, (uint64_t)v));
        return;
    }
    if (f->op == OP_CVT_TO_INT) {
        d[0] = to_integer(from, to, read_float(from, s[0], ftz), rounding);
        return;
    }
    double v = f->op == OP_CVT_FROM_INT ? integer_to(to, integer(from, s[0]), rounding)
                                        : read_float(from, s[0], ftz && to != TYPE_F16);
    if (f->op == OP_CVT_FLOAT && ftz && to == TYPE_F32) { /* rounded as if there were smaller exponents */
        double rounded = to_format(v, 24, -2000, INFINITY, rounding);
        v = fabs(rounded) < 0x1p-126 ? copysign(0, v) : v;
    }
    if (f->op == OP_CVT_FLOAT)
        v = rounding >= RND_RNI ? integral(v, rounding) : narrow_to(to, v, rounding);
    if (sat)
        v = isnan(v) || v <= 0 ? 0 : v >= 1 ? 1 : v;
    d[0] = isnan(v) ? convert_nan(f, s[0]) : write_float(to, v);
}

static const enum type convert_integers[] = {TYPE_U8,  TYPE_S8,  TYPE_U16, TYPE_S16,
                                             TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64};
static const enum type convert_floats[] = {TYPE_F16, TYPE_BF16, TYPE_F32, TYPE_F64};

/* In all registers that can hold the types. */
static void check_convert(enum op op, enum type to, enum type from, enum mod rounding, bool ftz, bool sat)
{
    for (unsigned to_bits = lane_bits(to); to_bits <= 64; to_bits *= 2)
        for (unsigned from_bits = lane_bits(from); from_bits <= 64; from_bits *= 2) {
            struct form f = form_of(op, to, 1);
            f.suffixes.type[1] = (uint8_t)from;
            f.dest_bits[0] = (uint8_t)to_bits;
            f.source_bits[0] = (uint8_t)from_bits;
            if (rounding)
                set_mod(&f, rounding);
            set_flag(&f, FLAG_FTZ, ftz);
            set_flag(&f, FLAG_SAT, sat);
            check_form(&f, model_convert);
        }
}

static void test_convert_integers(void **state)
{
    (void)state;
    for (int t = 0; t < 8; t++)
        for (int u = 0; u < 8; u++)
            for (int sat = 0; sat < 2; sat++)
                check_convert(OP_CVT_INT, convert_integers[t], convert_integers[u], MOD_NONE, false, sat);
}

static void test_convert_to_integers(void **state)
{
    (void)state;
    for (int t = 0; t < 8; t++)
        for (int u = 0; u < 4; u++)
            for (enum mod rounding = RND_RNI; rounding <= RND_RPI; rounding++)
                for (int ftz = 0; ftz < 2; ftz++)
                    check_convert(OP_CVT_TO_INT, convert_integers[t], convert_floats[u], rounding, ftz, false);
}

static void test_convert_from_integers(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int u = 0; u < 8; u++)
            for (enum mod rounding = RND_RN; rounding <= RND_RP; rounding++)
                for (int sat = 0; sat < 2; sat++)
                    check_convert(OP_CVT_FROM_INT, convert_floats[t], convert_integers[u], rounding, false, sat);
}

static void test_convert_floats(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int u = 0; u < 4; u++)
            for (int flags = 0; flags < 4; flags++) {
                bool same = t == u;
                for (enum mod rounding = same ? RND_RNI : RND_RN; rounding <= (same ? RND_RPI : RND_RP); rounding++)
                    check_convert(OP_CVT_FLOAT, convert_floats[t], convert_floats[u], rounding, flags & 1, flags & 2);
                if (t >= u)
                    check_convert(OP_CVT_FLOAT, convert_floats[t], convert_floats[u], MOD_NONE, flags & 1, flags & 2);
            }
}

static void model_tf32(const struct form *f, const uint64_t *s, uint64_t *d)
{
    enum mod rounding = (enum mod)f->suffixes.mod[GROUP_RND];
    double x = f32_of(s[0]), y = to_format(x, 11, -126, 0x1.ffcp127, rounding);
    if (rounding == RND_RNA && isfinite(x) && x != 0) { /* ties away: half a place more, then cut */
        int exponent = ilogb(x) > -126 ? ilogb(x) : -126;
        y = to_format(x + copysign(ldexp(0.5, exponent - 10), x), 11, -126, 0x1.ffcp127, RND_RZ);
        y = fabs(x) >= 0x1.ffep127 ? copysign(INFINITY, x) : y;
    }
    if (suffixes_has(&f->suffixes, FLAG_SATFINITE) && isinf(y))
        y = copysign(0x1.ffcp127, y);
    if (suffixes_has(&f->suffixes, FLAG_RELU) && signbit(y))
        y = 0;
    d[0] = bits_of_f32((float)y);
    if (isnan(x) && rounding != RND_RNA)
        d[0] = 0x7fffe000;
    else if (isnan(x)) { /* cut off; one unit less for .satfinite */
        d[0] = (s[0] & 0xffffe000) - (suffixes_has(&f->suffixes, FLAG_SATFINITE) ? 0x2000 : 0);
        d[0] = suffixes_has(&f->suffixes, FLAG_RELU) && s[0] >> 31 ? 0 : d[0];
    }
}

static void test_tf32(void **state)
{
    (void)state;
    static const enum mod roundings[] = {RND_RN, RND_RZ, RND_RNA};
    for (int r = 0; r < 3; r++)
        for (int flags = 0; flags < 4; flags++) {
            struct form f = form_of(OP_CVT_TF32, TYPE_TF32, 1);
            f.suffixes.type[1] = TYPE_F32;
            set_mod(&f, roundings[r]);
            set_flag(&f, FLAG_RELU, flags & 1);
            set_flag(&f, FLAG_SATFINITE, flags & 2);
            check_form(&f, model_tf32);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convert_integers),
        cmocka_unit_test(test_convert_to_integers),
        cmocka_unit_test(test_convert_from_integers),
        cmocka_unit_test(test_convert_floats),
        cmocka_unit_test(test_tf32),
    };
    return cmocka_run_group_tests_name("lanes: conversions", tests, NULL, NULL);
}
