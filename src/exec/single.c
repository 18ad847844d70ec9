/* Finds what single lanes of a program's simple instructions take (single.h). */
#include "exec/single.h"

#include "base/arena.h"
#include "base/bits.h"

#include <string.h>

static uint8_t base_of(int32_t offset, uint8_t bits)
{
    return (uint8_t)(offset < 0 || !bits ? BASE_CONSTANTS : BASE_LANES_1 + bits_lowest(lane_bytes(bits)));
}

static void find_single(const struct bound *in, struct bound_single *out)
{
    out->fn = lanes_find_single(in->insn);
    out->guard = in->guard == OFFSET_NONE ? OFFSET_NONE : in->guard + in->guard_negate;
    for (int i = 0; i < BOUND_SIMPLE_SOURCES; i++) {
        out->source[i] = in->source[i];
        out->source_base[i] = base_of(in->source[i], in->source_bits[i]);
    }
    out->dest = in->dest[0];
    out->dest_base = base_of(in->dest[0], in->dest_bits[0]);
}

struct bound_single *single_create(const struct bound *bound, int count)
{
    const size_t bytes = ((size_t)count + 1) * sizeof(struct bound_single);
    struct bound_single *single = memset(xmalloc_lines(bytes), 0, bytes);
    for (int pc = 0; pc < count; pc++)
        if (bound[pc].is_simple)
            find_single(&bound[pc], &single[pc]);
    return single;
}
