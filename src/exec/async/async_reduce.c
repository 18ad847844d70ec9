/* Reductions of asynchronous copies: see async_reduce.h. */
#include "exec/async/async_reduce.h"

#include "exec/atomic.h"

#include <math.h>
#include <string.h>

/* f16 and bf16: bits of the mantissa, and the exponent of the smallest normal number. */
struct half_format {
    int mantissa, least;
    uint32_t infinity, nan;
};

static const struct half_format formats[2] = {{10, -14, 0x7c00, 0x7fff}, {7, -126, 0x7f80, 0x7fff}};

static double decode_half(const struct half_format *f, uint32_t bits)
{
    uint32_t magnitude = bits & 0x7fff, exponent = magnitude >> f->mantissa;
    uint32_t fraction = magnitude & ((1u << f->mantissa) - 1);
    double v = magnitude > f->infinity    ? NAN
               : magnitude == f->infinity ? INFINITY
               : exponent ? ldexp((double)(fraction | 1u << f->mantissa), (int)exponent - 1 + f->least - f->mantissa)
                          : ldexp((double)fraction, f->least - f->mantissa);
    return bits & 0x8000 ? -v : v;
}

/* Rounds to nearest even. The sum of two halves is exact in double precision, so it is rounded once. */
static uint32_t encode_half(const struct half_format *f, double v)
{
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    if (v != v)
        return f->nan;
    v = fabs(v);
    if (v == 0)
        return sign;
    int exponent = v == INFINITY ? f->least : ilogb(v);
    exponent = exponent < f->least ? f->least : exponent;
    double unit = ldexp(1, exponent - f->mantissa), scaled = v / unit, rounded = rint(scaled);
    if (v == INFINITY)
        return sign | f->infinity;
    uint32_t bits = (uint32_t)(exponent - f->least) << f->mantissa;
    bits += (uint32_t)rounded; /* the leading one adds 1 to the exponent field; a subnormal has none */
    return sign | (bits < f->infinity ? bits : f->infinity);
}

/* Of two numbers; a NaN gives way to a number. */
static uint64_t pick(const struct half_format *f, uint64_t old, uint64_t b, bool is_min)
{
    double x = decode_half(f, (uint32_t)old), y = decode_half(f, (uint32_t)b);
    if (x != x && y != y)
        return f->nan;
    if (x != x || y != y)
        return x != x ? b : old;
    if (x == y)
        return is_min == (signbit(x) != 0) ? old : b;
    return (x < y) == is_min ? old : b;
}

static uint64_t combine_half(enum mod operation, enum type type, uint64_t old, uint64_t b)
{
    const struct half_format *f = &formats[type == TYPE_BF16];
    if (operation == ATOM_ADD)
        return encode_half(f, decode_half(f, (uint32_t)old) + decode_half(f, (uint32_t)b));
    return pick(f, old, b, operation == ATOM_MIN);
}

uint64_t async_combine(enum mod operation, enum type type, uint64_t old, uint64_t b, bool in_memory)
{
    if (type == TYPE_F16 || type == TYPE_BF16)
        return combine_half(operation, type, old, b);
    return atomic_combine(operation, type, old, b, in_memory && type != TYPE_F32); /* f32 keeps subnormals */
}

void async_reduce(const struct insn *insn, uint8_t *to, const uint8_t *from, uint32_t bytes, bool in_memory)
{
    enum type type = (enum type)insn->suffixes.type[0];
    unsigned width = type_bytes(type);
    for (uint32_t at = 0; at + width <= bytes; at += width) {
        uint64_t old = 0, b = 0;
        memcpy(&old, to + at, width);
        memcpy(&b, from + at, width);
        old = async_combine((enum mod)insn->suffixes.mod[GROUP_ATOM], type, old, b, in_memory);
        memcpy(to + at, &old, width);
    }
}
