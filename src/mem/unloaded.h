/*
 * The least time of each kind of access: what an access takes if nothing else is in the memory system.
 *
 * The times are measured, not computed: one access at a time goes through a memory system of the configuration, at
 * several phases of its clocks, and the shortest time counts. So the times follow whatever mem/ models. Reads from DRAM
 * are measured with their row open, and without what only the access that asked for the line waits for.
 */
#ifndef HEDDLE_MEM_UNLOADED_H
#define HEDDLE_MEM_UNLOADED_H

#include "mem/config.h"
#include "mem/mem.h"

/* Where the first-level cache is not looked at: ld.cg, volatile loads. */
enum { UNLOADED_BYPASS = MEM_INSTRUCTION + 1, UNLOADED_KINDS };

/* Core cycles from issue until the data is ready, by where the data is found. */
struct unloaded_time {
    uint32_t first_level, l2;
    /* From DRAM. Where the L2 holds the reply of a miss for longer than that of a hit (l2_fill_latency above
     * l2_latency), an access that comes just behind the line is answered before the access that asked DRAM: then `dram`
     * is the time from the first access to the answer of such another. */
    uint32_t dram;
    /* from the L2, for an access whose line another multiprocessor has asked for: the line may arrive just then */
    uint32_t merged;
};

struct unloaded {
    struct unloaded_time read[UNLOADED_KINDS]; /* [enum mem_kind, or UNLOADED_BYPASS]; not for MEM_STORE */
    uint32_t written[2];                       /* core cycles until a store [0] or an atomic [1] is done at the L2 */
};

void unloaded_measure(struct unloaded *u, const struct mem_config *config);

#endif
