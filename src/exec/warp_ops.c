/*
 * Warp-level operations: shuffles, votes, matches and reductions. The row of 32 threads is the warp of PTX, whatever
 * the machine's warp width. `mask` is the threads that take part; who they are is decided by the caller (rendezvous.c,
 * or the strand that executes the instruction).
 */
#include "exec/warp_ops.h"

#include "base/bits.h"
#include "exec/matrix.h"
#include "exec/operand.h"
#include "lanes/mask.h"

#include <string.h>

void warp_ops_members(struct engine *e, const struct bound *in, uint32_t members[ROW_LANES])
{
    if (op_is_matrix((enum op)in->insn->op)) /* .aligned: all threads */
        memset(members, 0xff, PLANE_BYTES);
    else
        memcpy(members, operand_source(e, in, in->source_count - 1), PLANE_BYTES);
}

void warp_ops_collect(struct engine *e, const struct bound *in, uint32_t mask, struct warp_inputs *inputs)
{
    if (!in->source_count)
        return;
    const void *a = operand_source(e, in, 0);
    bool is_shuffle = in->insn->op == OP_SHFL || in->insn->op == OP_SHFL_SYNC;
    const uint32_t *b = is_shuffle ? operand_source(e, in, 1) : NULL;
    const uint32_t *c = is_shuffle ? operand_source(e, in, 2) : NULL;
    if (in->source_bits[0] == 1)
        inputs->predicate |= mask_from_lanes(a) & mask;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        inputs->value[i] = in->source_bits[0] == 64 ? ((const uint64_t *)a)[i] : ((const uint32_t *)a)[i];
        inputs->b[i] = is_shuffle ? b[i] : 0;
        inputs->c[i] = is_shuffle ? c[i] : 0;
    }
}

static void shuffle(const struct insn *insn, uint32_t mask, const struct warp_inputs *x, struct warp_outputs *out)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = bits_lowest(left);
        int by = (int)(x->b[lane] & 31), clamp = (int)(x->c[lane] & 31), segment = (int)(x->c[lane] >> 8 & 31);
        int last = (lane & segment) | (clamp & ~segment);
        int from;
        bool within;
        switch (insn->suffixes.mod[GROUP_SHFL]) {
        case SHFL_UP:
            from = lane - by;
            within = from >= last;
            break;
        case SHFL_DOWN:
            from = lane + by;
            within = from <= last;
            break;
        case SHFL_BFLY:
            from = lane ^ by;
            within = from <= last;
            break;
        default:
            from = (lane & segment) | (by & ~segment);
            within = from <= last;
            break;
        }
        /* PTX leaves the value from a lane that takes no part undefined; here the thread keeps its own value. */
        bool readable = within && from >= 0 && from < ROW_LANES && mask >> from & 1;
        out->value[lane] = (uint32_t)x->value[readable ? from : lane];
        out->predicate |= (uint32_t)within << lane;
    }
}

static void vote(const struct insn *insn, uint32_t mask, const struct warp_inputs *x, struct warp_outputs *out)
{
    bool all = x->predicate == mask, any = x->predicate != 0;
    bool yes = insn->suffixes.mod[GROUP_VOTE] == VOTE_ALL   ? all
               : insn->suffixes.mod[GROUP_VOTE] == VOTE_ANY ? any
                                                            : all || !any;
    out->predicate = yes ? mask : 0;
    for (int i = 0; i < ROW_LANES; i++)
        out->value[i] = -(uint32_t)yes;
}

static void match(const struct insn *insn, uint32_t mask, const struct warp_inputs *x, struct warp_outputs *out)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = bits_lowest(left);
        uint32_t same = 0;
        for (uint32_t others = mask; others; others &= others - 1)
            same |= (uint32_t)(x->value[bits_lowest(others)] == x->value[lane]) << bits_lowest(others);
        bool all = same == mask;
        out->value[lane] = insn->op == OP_MATCH_ANY || all ? same : 0;
        out->predicate |= (uint32_t)all << lane;
    }
}

static uint32_t combine(enum mod op, bool is_signed, uint32_t a, uint32_t b)
{
    switch (op) {
    case REDUX_ADD:
        return a + b;
    case REDUX_AND:
        return a & b;
    case REDUX_OR:
        return a | b;
    case REDUX_XOR:
        return a ^ b;
    case REDUX_MIN:
        return (is_signed ? (int32_t)a < (int32_t)b : a < b) ? a : b;
    default:
        return (is_signed ? (int32_t)a > (int32_t)b : a > b) ? a : b;
    }
}

/* Orders floating-point numbers as integers, -0 below +0; NaN is no number and has no place. */
static int64_t order_of(uint32_t f32)
{
    return f32 >> 31 ? -(int64_t)(f32 & INT32_MAX) - 1 : (int64_t)f32;
}

static bool is_nan(uint32_t f32)
{
    return (f32 & INT32_MAX) > 0x7f800000;
}

/* The least or greatest number; a NaN counts only with .NaN, or if all values are NaN. */
static void reduce_float(const struct insn *insn, uint32_t mask, const struct warp_inputs *x, struct warp_outputs *out)
{
    const uint32_t canonical = 0x7fffffff;
    bool is_least = insn->suffixes.mod[GROUP_REDUX] == REDUX_MIN, any = false;
    uint32_t best = canonical;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t value = (uint32_t)x->value[bits_lowest(left)];
        if (suffixes_has(&insn->suffixes, FLAG_ABS))
            value &= INT32_MAX;
        if (is_nan(value)) {
            if (!suffixes_has(&insn->suffixes, FLAG_NANQ))
                continue;
            best = canonical;
            break;
        }
        bool is_better = is_least ? order_of(value) < order_of(best) : order_of(value) > order_of(best);
        best = !any || is_better ? value : best;
        any = true;
    }
    for (int i = 0; i < ROW_LANES; i++)
        out->value[i] = best;
}

static void reduce(const struct insn *insn, uint32_t mask, const struct warp_inputs *x, struct warp_outputs *out)
{
    bool is_signed = insn->suffixes.type[0] == TYPE_S32;
    uint32_t total = (uint32_t)x->value[bits_lowest(mask)];
    for (uint32_t left = mask & (mask - 1); left; left &= left - 1)
        total =
            combine((enum mod)insn->suffixes.mod[GROUP_REDUX], is_signed, total, (uint32_t)x->value[bits_lowest(left)]);
    for (int i = 0; i < ROW_LANES; i++)
        out->value[i] = total;
}

void warp_ops_compute(const struct insn *insn, uint32_t mask, const struct warp_inputs *inputs,
                      struct warp_outputs *outputs)
{
    outputs->predicate = 0;
    switch (insn->op) {
    case OP_SHFL:
    case OP_SHFL_SYNC:
        shuffle(insn, mask, inputs, outputs);
        break;
    case OP_VOTE:
    case OP_VOTE_SYNC:
        vote(insn, mask, inputs, outputs);
        break;
    case OP_BALLOT:
    case OP_BALLOT_SYNC:
        for (int i = 0; i < ROW_LANES; i++)
            outputs->value[i] = inputs->predicate;
        break;
    case OP_ACTIVEMASK:
        for (int i = 0; i < ROW_LANES; i++)
            outputs->value[i] = mask;
        break;
    case OP_MATCH_ANY:
    case OP_MATCH_ALL:
        match(insn, mask, inputs, outputs);
        break;
    case OP_REDUX_F:
        reduce_float(insn, mask, inputs, outputs);
        break;
    case OP_REDUX:
        reduce(insn, mask, inputs, outputs);
        break;
    case OP_ELECT:
        for (int i = 0; i < ROW_LANES; i++)
            outputs->value[i] = (uint32_t)bits_lowest(mask);
        outputs->predicate = mask & -mask;
        break;
    default: /* bar.warp.sync computes nothing */
        break;
    }
}

void warp_ops_deliver(struct engine *e, const struct bound *in, uint32_t mask, const struct warp_outputs *outputs)
{
    if (in->dest_count > 0)
        operand_write(e, in, 0, outputs->value, mask);
    if (in->dest_count > 1 && in->dest_bits[1]) {
        uint32_t lanes[ROW_LANES];
        mask_to_lanes(outputs->predicate, lanes);
        operand_write(e, in, 1, lanes, mask);
    }
}

bool warp_ops_execute(struct engine *e, const struct bound *in, uint32_t mask)
{
    if (op_is_matrix((enum op)in->insn->op))
        return matrix_execute(e, in, mask);
    struct warp_inputs inputs = {.predicate = 0};
    struct warp_outputs outputs;
    warp_ops_collect(e, in, mask, &inputs);
    warp_ops_compute(in->insn, mask, &inputs, &outputs);
    warp_ops_deliver(e, in, mask, &outputs);
    return true;
}
