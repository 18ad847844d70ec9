/*
 * Occupancy: how many blocks of a kernel one multiprocessor holds at a time, and which resource limits that.
 *
 * Threads are counted in whole warps of the machine's width. Registers and shared memory are allocated in the
 * machine's units. Not modelled: registers lost to banks or sub-partitions, warps allocated in pairs.
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

/* What one block of the kernel needs. */
struct occupancy_need {
    uint32_t threads;      /* threads per block */
    uint32_t registers;    /* 32-bit registers per thread */
    uint32_t shared_bytes; /* bytes per block, static and dynamic */
};

struct occupancy {
    uint32_t blocks;  /* blocks resident on one multiprocessor; 0: the kernel does not fit */
    uint32_t threads; /* threads of those blocks */
    uint32_t warps;
    /* the resource that allows fewest blocks; of several, the first in the order of the enum */
    enum occupancy_limit limit;
    /* blocks that each resource alone allows; UINT32_MAX where the kernel needs none of it */
    uint32_t allowed[OCCUPANCY_LIMIT_COUNT];
    uint32_t registers_used, shared_bytes_used; /* by one block, rounded up to the machine's units */
};

struct occupancy occupancy_of(const struct machine *m, const struct occupancy_need *need);
const char *occupancy_limit_name(enum occupancy_limit limit); /* such as "registers" */
/* Explains in words what limits the number of blocks or, if it is 0, why a block does not fit. */
void occupancy_explain(const struct machine *m, const struct occupancy_need *need, const struct occupancy *found,
                       struct text *out);

#endif
