/* Instructions that neither branch nor wait: each kind goes to the file that executes it. */
#include "exec/straight.h"

#include "exec/access.h"
#include "exec/address.h"
#include "exec/async/async.h"
#include "exec/async/mbarrier.h"
#include "exec/atomic.h"
#include "exec/builtin.h"
#include "exec/cluster.h"
#include "exec/fill.h"
#include "exec/policy.h"
#include "exec/stack.h"
#include "exec/surface.h"
#include "exec/texture.h"
#include "exec/warp_ops.h"

void straight_lanes_general(struct engine *e, const struct bound *in, uint32_t mask)
{
    struct lanes x;
    bool is_whole = !(e->row->live & ~mask);
    for (int i = 0; i < in->source_count; i++)
        x.source[i] = in->source[i] == OFFSET_NONE ? NULL : operand_source(e, in, i);
    for (int i = 0; i < in->dest_count; i++)
        x.dest[i] = is_whole && in->dest_bits[i] ? e->row->planes + in->dest[i] : e->dest_scratch[i];
    in->fn(&x);
    for (int i = 0; i < in->dest_count && !is_whole; i++)
        operand_write(e, in, i, x.dest[i], mask);
}

/* Lets the handler see zeros in the lanes that are not chosen. There it would find what the plane held before, which is
 * often a subnormal number if it is read as a double: the host takes ten times as long for these. */
static inline void hide_others(const struct bound *in, struct lanes *x, const uint32_t *chosen,
                               uint64_t copy[BOUND_SIMPLE_SOURCES][ROW_LANES])
{
    for (int k = 0; k < in->source_count; k++) {
        const uint64_t *from = x->source[k];
        if (in->source_bits[k] != 64)
            continue;
        LANES_INDEPENDENT
        for (int i = 0; i < ROW_LANES; i++)
            copy[k][i] = from[i] & (uint64_t)(int64_t)(int32_t)chosen[i];
        x->source[k] = copy[k];
    }
}

/* Each result is blended into its plane. */
SIMD_CLONES uint64_t straight_stretch_of_some(struct engine *e, const struct bound *in, uint64_t count, uint32_t mask)
{
    uint8_t *planes = e->row->planes;
    const uint8_t *constants = e->code->constants;
    const struct bound *first = in, *end = in + count;
    struct lanes x;
    uint32_t chosen[ROW_LANES];
    uint64_t copy[BOUND_SIMPLE_SOURCES][ROW_LANES];
    mask_to_lanes(mask, chosen);
    x.dest[0] = e->dest_scratch[0];
    x.dest[1] = e->dest_scratch[1];
    for (; in < end && in->kind == BOUND_LANES; in++) {
        straight_find_sources(in, planes, constants, &x);
        if (in->is_double)
            hide_others(in, &x, chosen, copy);
        in->fn(&x);
        mask_blend(planes + in->dest[0], x.dest[0], chosen, in->dest_bits[0]);
    }
    return (uint64_t)(in - first);
}

void straight_several(struct engine *e, const struct bound *in, const struct bound *end, uint32_t mask)
{
    while (in < end) {
        const uint64_t left = (uint64_t)(end - in), stretch = in->stretch < left ? in->stretch : left;
        if (stretch) {
            straight_stretch(e, in, stretch, mask, true);
            in += stretch;
            continue;
        }
        uint32_t active = straight_guarded(e, in, mask);
        if (active)
            straight_lanes(e, in, active);
        in++;
    }
}

bool straight_execute(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask)
{
    switch ((enum bound_kind)in->kind) {
    case BOUND_LANES:
    case BOUND_CLOCK:
        straight_lanes(e, in, mask);
        return true;
    case BOUND_LOAD:
    case BOUND_STORE:
        return access_execute(e, in, pc, mask, NULL);
    case BOUND_ATOMIC:
        return atomic_execute(e, in, pc, mask);
    case BOUND_TEXTURE:
        return texture_execute(e, in, mask);
    case BOUND_SURFACE:
        return surface_execute(e, in, mask);
    case BOUND_QUERY:
        return texture_query(e, in, mask);
    case BOUND_TO_GENERIC:
    case BOUND_FROM_GENERIC:
    case BOUND_IS_SPACE:
        address_execute(e, in, mask);
        return true;
    case BOUND_POLICY:
        policy_execute(e, in, mask);
        return true;
    case BOUND_STACK:
        return stack_execute(e, in, mask);
    case BOUND_FILL:
        return fill_execute(e, in, pc, mask);
    case BOUND_ASYNC:
        return async_execute(e, in, mask);
    case BOUND_MBARRIER:
        return mbarrier_execute(e, in, mask);
    case BOUND_CLUSTER_ADDRESS:
        cluster_address(e, in, mask);
        return true;
    case BOUND_BUILTIN:
        return builtin_execute(e, in, mask);
    case BOUND_TOGETHER:
        warp_ops_execute(e, in, mask);
        return true;
    default:
        return true;
    }
}
