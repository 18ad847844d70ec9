/*
 * Transfers: moves values between registers of the row at work and memory whose addresses were checked.
 *
 * A row whose lanes are side by side in memory, or all at one address, is moved as one block. On the host, a lane's
 * value is at `origin` plus its address.
 */
#ifndef HEDDLE_EXEC_TRANSFER_H
#define HEDDLE_EXEC_TRANSFER_H

#include "base/simd.h"
#include "exec/engine.h"

/* The lanes of an access, with their addresses. */
struct lane_set {
    const uint64_t *address; /* by lane */
    uint32_t mask;           /* lanes that access */
    bool is_even;            /* all 32 lanes access, and their addresses are `stride` apart */
    uint64_t stride;         /* bytes; holds only if is_even */
};

static inline struct lane_set set_of_lanes(const uint64_t *address, uint32_t mask)
{
    uint64_t stride = address[1] - address[0];
    return (struct lane_set){.address = address,
                             .mask = mask,
                             .is_even = mask == UINT32_MAX && simd_is_even(address, ROW_LANES, stride),
                             .stride = stride};
}

/* Whether the lanes of the access lie side by side in memory. */
static inline bool lane_set_is_side_by_side(const struct bound *in, const struct lane_set *set)
{
    return set->is_even && set->stride == (uint64_t)in->width * in->elements;
}

/* Loads, or stores, all elements of the instruction. */
void transfer_load(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set);
void transfer_store(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set);
/* As these, for global memory, where writes may have to wait (posted.h). False: the blocks at work ran before their
 * turn, and in vain (draft.h). */
bool transfer_global(struct engine *e, const struct bound *in, uintptr_t origin, const struct lane_set *set,
                     bool is_write);

/* Moves one element of the lanes: `bytes` in memory, `bits` in the register. */
void transfer_in(void *to, unsigned bits, unsigned bytes, bool is_signed, uintptr_t origin, const uint64_t *address,
                 uint32_t mask);
void transfer_out(uintptr_t origin, const uint64_t *address, unsigned bytes, const void *from, unsigned bits,
                  uint32_t mask);

#endif
