/*
 * Ideal memory: the memory system of the bound (the mechanism `bound`). It says when an access is answered at the
 * earliest, and what the machine's links, ports and channels need at least.
 *
 * An access takes the least time that the machine needs for it (unloaded.h), whatever else is under way. Caches hold
 * everything that was ever brought to them, so only compulsory misses remain: the first access of a multiprocessor to a
 * line goes to the L2, the first of all multiprocessors to DRAM. An access that comes while its line is under way waits
 * for the line.
 */
#ifndef HEDDLE_MEM_IDEAL_H
#define HEDDLE_MEM_IDEAL_H

#include "mem/mem.h"

struct ideal_memory;

struct ideal_memory *ideal_memory_create(const struct mem_config *config, int sm_count);
void ideal_memory_destroy(struct ideal_memory *m);
/* A launch begins: empties the caches that the knobs flush_l1 and flush_l2 name, and the meters. `lanes`: the most
 * threads that a multiprocessor issues per cycle, whose accesses may be one. */
void ideal_memory_start(struct ideal_memory *m, uint32_t lanes);

/* What an access takes. */
struct ideal_answer {
    uint64_t ready;   /* core cycle at which the data is ready in all lanes */
    int transactions; /* lines of all lanes */
    /* Time of the lookups of those of them that must be looked up though other threads may join them, in parts of a
     * cycle (mem/meter.h). */
    uint64_t lookup_time;
};
/* `is_awaited`: no thread of the access can end, or pass a barrier of its block, before its data is there. */
struct ideal_answer ideal_memory_access(struct ideal_memory *m, uint64_t now, const struct mem_access *access,
                                        bool is_awaited);

/* The core cycle at which the instruction at the address is there, if a thread comes to it at `now`. Only the first
 * time that the multiprocessor fetches a line takes time. */
uint64_t ideal_memory_fetch(struct ideal_memory *m, uint64_t now, int sm, uint64_t address);
/* As ideal_memory_fetch(), for code of instructions of `bytes` each in which mechanisms put operations of their own
 * between instructions, so that nobody knows where lines begin. Instructions that lie less than a line apart may share
 * a line, and others share none: the instruction is there when the first fetch of any that may share its line is. */
uint64_t ideal_memory_fetch_loose(struct ideal_memory *m, uint64_t now, int sm, uint64_t address, uint32_t bytes);

/* A core cycle before which the multiprocessor cannot have got all data that its threads asked for so far. */
uint64_t ideal_memory_answered(const struct ideal_memory *m, int sm);
/* A core cycle before which the multiprocessor cannot have sent all stores and atomics so far. */
uint64_t ideal_memory_sent(const struct ideal_memory *m, int sm);
/* A core cycle before which the slices of the L2 and DRAM cannot have served all accesses so far. `is_one_round`: the
 * launch has no blocks but those that each multiprocessor got at the start, so each multiprocessor itself needs what
 * its threads access. */
uint64_t ideal_memory_done(const struct ideal_memory *m, uint64_t start, bool is_one_round);
/* The core cycle at which the last write or atomic was done at the L2. */
uint64_t ideal_memory_last_written(const struct ideal_memory *m);

#endif
