/*
 * Occupancy: how many blocks of a kernel one multiprocessor holds, and what keeps it from holding more.
 *
 * Threads are counted in whole warps of the machine's width. Registers and shared memory are given out in the
 * machine's units. Not modelled: registers lost to banks or sub-partitions, warps given out in pairs.
 */
#ifndef HEDDLE_GPU_OCCUPANCY_H
#define HEDDLE_GPU_OCCUPANCY_H

#include "gpu/machine.h"

enum occupancy_limit {
    OCCUPANCY_BLOCK_SIZE, /* the block has more threads than the machine allows */
    OCCUPANCY_BLOCKS,
    OCCUPANCY_THREADS,
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SHARED,
    OCCUPANCY_LIMIT_COUNT
};

/* What a block of the kernel needs. */
struct occupancy_need {
    uint32_t threads;      /* of a block */
    uint32_t registers;    /* of a thread, 32-bit */
    uint32_t shared_bytes; /* of a block, static and dynamic */
};

struct occupancy {
    uint32_t blocks;  /* resident on one multiprocessor; 0: the kernel does not fit */
    uint32_t threads; /* of those blocks */
    uint32_t warps;
    enum occupancy_limit limit;                 /* the one that allows fewest; the first in the order above */
    uint32_t allowed[OCCUPANCY_LIMIT_COUNT];    /* blocks by each; UINT32_MAX where the kernel needs none */
    uint32_t registers_used, shared_bytes_used; /* by one block, rounded as the machine gives them out */
};

struct occupancy occupancy_of(const struct machine *m, const struct occupancy_need *need);
const char *occupancy_limit_name(enum occupancy_limit limit); /* "registers" */
/* Why a kernel with blocks = 0 does not fit, in words. */
void occupancy_explain(const struct machine *m, const struct occupancy_need *need, const struct occupancy *found,
                       struct text *out);

#endif
