/*
 * Tolerated reads. A real GPU maps memory in large pages, so a load a little past the end of an allocation mostly reads
 * something; heddle faults there, unless the launch tolerates such reads. Then they read 0.
 */
#include "exec/tolerance.h"

#include "base/bits.h"
#include "exec/engine_fault.h"

#include <string.h>

static void clear_lane(struct engine *e, const struct bound *in, int lane)
{
    for (unsigned k = 0; k < in->elements; k++) {
        unsigned bytes = in->dest_bits[k] / 8u;
        if (bytes)
            memset(e->row->planes + in->dest[k] + (unsigned)lane * bytes, 0, bytes);
    }
}

/* Keeps where the first tolerated read was. Multiprocessors of a machine execute in an order that is the host's
 * affair, so there it is the first by cycle. */
static void note_read(struct engine *e, const struct bound *in, uint64_t address)
{
    struct launch_place *first = &e->result->first_tolerated;
    const struct launch_place this = {.block = e->block->number, .cycle = e->now};
    if (!e->result->tolerated_reads++ || (e->listener && launch_place_is_before(&this, first)))
        engine_place(e, in, address, first);
}

uint32_t tolerance_filter(struct engine *e, const struct bound *in, const uint64_t *address, uint32_t mask)
{
    uint64_t bytes = (uint64_t)in->width * in->elements;
    uint32_t real = mask;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        if (address[i] % bytes || memory_host(e->memory, address[i], bytes))
            continue;
        clear_lane(e, in, i);
        real &= ~(1u << i);
        note_read(e, in, address[i]);
    }
    return real;
}
