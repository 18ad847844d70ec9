/* Packed integer arithmetic: two 16-bit numbers in one 32-bit lane. A plane of 32 lanes is 64 numbers in a row. */
#include "lanes/lane_loop.h"

enum { PACKED_NUMBERS = 2 * ROW_LANES };

#define PACKED(name, type, expression)                     \
    SIMD_CLONES static void name(const struct lanes *x)    \
    {                                                      \
        type *d = x->dest[0];                              \
        const type *pa = x->source[0], *pb = x->source[1]; \
        LANES_INDEPENDENT                                  \
        for (int i = 0; i < PACKED_NUMBERS; i++) {         \
            const type a = pa[i], b = pb[i];               \
            d[i] = (type)(expression);                     \
        }                                                  \
    }

PACKED(add_x2, uint16_t, a + b)
PACKED(min_u16x2, uint16_t, a < b ? a : b)
PACKED(max_u16x2, uint16_t, a > b ? a : b)
PACKED(min_s16x2, int16_t, a < b ? a : b)
PACKED(max_s16x2, int16_t, a > b ? a : b)
PACKED(min_relu_s16x2, int16_t, (a < b ? a : b) > 0 ? (a < b ? a : b) : 0)
PACKED(max_relu_s16x2, int16_t, (a > b ? a : b) > 0 ? (a > b ? a : b) : 0)
LANES_BINARY(min_relu_s32, int32_t, uint32_t, (a < b ? a : b) > 0 ? (a < b ? a : b) : 0)
LANES_BINARY(max_relu_s32, int32_t, uint32_t, (a > b ? a : b) > 0 ? (a > b ? a : b) : 0)

lane_fn *lanes_find_packed(const struct insn *insn)
{
    enum type t = (enum type)insn->suffixes.type[0];
    switch (insn->op) {
    case OP_ADD_X2:
        return add_x2;
    case OP_MIN_X2:
        return t == TYPE_S16X2 ? min_s16x2 : min_u16x2;
    case OP_MAX_X2:
        return t == TYPE_S16X2 ? max_s16x2 : max_u16x2;
    case OP_MIN_RELU:
        return t == TYPE_S16X2 ? min_relu_s16x2 : min_relu_s32;
    case OP_MAX_RELU:
        return t == TYPE_S16X2 ? max_relu_s16x2 : max_relu_s32;
    default:
        return NULL;
    }
}
