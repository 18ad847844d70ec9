/*
 * The word of an mbarrier: how its 64 bits, which PTX calls opaque, hold the state of the current phase.
 *
 * The layout is that of an NVIDIA H200, as far as programs can see it: a program may keep the state that an arrival
 * returns and look at it.
 */
#ifndef HEDDLE_DEVICE_MBARRIER_H
#define HEDDLE_DEVICE_MBARRIER_H

#include <stdint.h>

enum { MBARRIER_MAX_COUNT = (1 << 20) - 1 };

struct mbarrier {
    uint32_t expected; /* arrivals per phase */
    uint32_t pending;  /* arrivals that the current phase still expects */
    int32_t bytes;     /* bytes that the current phase still expects; below 0: more came than were announced */
    uint32_t parity;   /* of the current phase: 0 or 1 */
};

/* Counts stand in the word as negative numbers: expected arrivals from bit 1 on, bytes from bit 21, pending arrivals
 * from bit 43; bit 63 is the parity. */
static inline uint64_t mbarrier_pack(struct mbarrier m)
{
    uint64_t expected = -m.expected & MBARRIER_MAX_COUNT, pending = -m.pending & MBARRIER_MAX_COUNT;
    uint64_t bytes = -(uint32_t)m.bytes & 0x1fffff;
    return expected << 1 | bytes << 21 | pending << 43 | (uint64_t)(m.parity & 1) << 63;
}

static inline struct mbarrier mbarrier_unpack(uint64_t word)
{
    uint32_t bytes = -(uint32_t)(word >> 21) << 11;
    return (struct mbarrier){.expected = -(uint32_t)(word >> 1) & MBARRIER_MAX_COUNT,
                             .pending = -(uint32_t)(word >> 43) & MBARRIER_MAX_COUNT,
                             .bytes = (int32_t)bytes >> 11,
                             .parity = (uint32_t)(word >> 63)};
}

/* What arrive returns: the upper half of the word. Hardware leaves the lower half undefined. */
static inline uint64_t mbarrier_state(uint64_t word)
{
    return word >> 32 << 32;
}

/* What pending_count makes of a state; a count of 0 reads as 2^20. */
static inline uint32_t mbarrier_state_pending(uint64_t state)
{
    return (1u << 20) - ((uint32_t)(state >> 43) & MBARRIER_MAX_COUNT);
}

#endif
