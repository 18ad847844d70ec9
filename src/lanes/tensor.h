/*
 * Tensor arithmetic: what a tensor core does to one element of d = a * b + c.
 *
 * The rule was measured on an NVIDIA H200 (compute capability 9.0), bit for bit over random tiles of every shape and
 * type. Products are exact. They and c are aligned to the largest exponent among them, where a product's exponent is
 * the sum of its factors' exponents, even if the product is 2 or more. Bits further than `kept_bits` below that
 * exponent are cut off from the magnitude of each term. The sum of the terms is exact; it is truncated to f32, or
 * rounded to nearest even for f16. A sum that is 0 is +0, and so is one that is rounded to 0. Subnormal numbers are
 * not flushed. A NaN among the inputs, infinity times zero, and infinities of both signs give the NaN 0x7fffffff (f16:
 * 0x7fff).
 *
 * One instruction aligns all its products at once. mma and wmma keep 25 bits. wgmma does so, too, but for f8
 * elements: then it keeps 13 bits, and a result in f32 has 13 fraction bits.
 */
#ifndef HEDDLE_LANES_TENSOR_H
#define HEDDLE_LANES_TENSOR_H

#include "ptx/ops.h"

enum { TENSOR_KEPT_BITS = 25, TENSOR_KEPT_BITS_F8 = 13 };

/* A decoded element: significand * 2^(exponent - fraction bits of its type). */
struct tensor_value {
    int32_t significand; /* with the sign; the leading bit of a normal number has the weight 2^exponent */
    int16_t exponent;
    uint8_t fraction_bits;
    uint8_t kind : 2;     /* enum tensor_kind */
    uint8_t negative : 1; /* also of zero */
};

enum tensor_kind { TENSOR_FINITE, TENSOR_INFINITE, TENSOR_NAN };

/* Decodes f16, bf16, tf32, f32, e4m3 or e5m2. Of tf32, the low 13 bits are ignored. */
struct tensor_value tensor_decode(enum type type, uint32_t bits);
/* An element of f8 as f16 has it: a subnormal number of e4m3 is a normal one there, so that its exponent is its own. */
struct tensor_value tensor_as_half(struct tensor_value v);
/* The sum of `count` products and c, as the bits of `result`: f16 or f32. */
uint32_t tensor_dot(const struct tensor_value *a, const struct tensor_value *b, int count, struct tensor_value c,
                    int kept_bits, enum type result);
/* The sum of two numbers of the type, f16 or f32, rounded to nearest, as a floating-point addition gives it. */
uint32_t tensor_add(enum type type, uint32_t a, uint32_t b);
/* mma.m8n8k4 of f16 is no tensor operation on this GPU: the four products are summed by fused multiply-adds in f32,
 * from +0 on (-0 for a result of f16, so that the sum can be -0); then c is added. */
uint32_t tensor_quad(const struct tensor_value *a, const struct tensor_value *b, uint32_t c, enum type c_type,
                     enum type result);
/* A number in another type, f16 or f32, rounded to nearest. */
uint32_t tensor_convert(enum type to, enum type from, uint32_t bits);

#endif
