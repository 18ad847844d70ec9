/*
 * The oracle's special registers. Clocks read the number of thread instructions executed so far; blocks are assigned to
 * multiprocessors round-robin.
 */
#include "oracle/internal.h"

#include "base/bits.h"

enum { MULTIPROCESSORS = 132, ROWS_PER_MULTIPROCESSOR = 64, SYSTEM_SHARED_BYTES = 1024, SHARED_UNIT = 128 };

/* Registers about the launch's clusters, and those of a cooperative launch. */
static uint64_t cluster_sreg(const struct oracle *o, enum sreg sreg)
{
    const struct launch *l = o->launch;
    const uint32_t *id = o->block.id;
    uint32_t n[3]; /* blocks per cluster */
    launch_cluster(l, n);
    switch (sreg) {
    case SREG_CLUSTERID_X:
    case SREG_CLUSTERID_Y:
    case SREG_CLUSTERID_Z:
        return id[sreg - SREG_CLUSTERID_X] / n[sreg - SREG_CLUSTERID_X];
    case SREG_NCLUSTERID_X:
    case SREG_NCLUSTERID_Y:
    case SREG_NCLUSTERID_Z:
        return l->grid[sreg - SREG_NCLUSTERID_X] / n[sreg - SREG_NCLUSTERID_X];
    case SREG_CLUSTER_NCTAID_X:
    case SREG_CLUSTER_NCTAID_Y:
    case SREG_CLUSTER_NCTAID_Z:
        return n[sreg - SREG_CLUSTER_NCTAID_X];
    case SREG_CLUSTER_NCTARANK:
        return (uint64_t)n[0] * n[1] * n[2];
    case SREG_CLUSTER_CTAID_X:
    case SREG_CLUSTER_CTAID_Y:
    case SREG_CLUSTER_CTAID_Z:
        return id[sreg - SREG_CLUSTER_CTAID_X] % n[sreg - SREG_CLUSTER_CTAID_X];
    case SREG_CLUSTER_CTARANK:
        return id[0] % n[0] + n[0] * (id[1] % n[1] + (uint64_t)n[1] * (id[2] % n[2]));
    case SREG_IS_EXPLICIT_CLUSTER:
        return launch_has_cluster(l);
    case SREG_ENVREG1:
        return o->workspace >> 32;
    case SREG_ENVREG2:
        return (uint32_t)o->workspace;
    default: /* performance monitors, other environment registers */
        return 0;
    }
}

uint64_t oracle_sreg(const struct oracle_thread *t, enum sreg sreg)
{
    const struct oracle *o = t->oracle;
    const struct launch *l = o->launch;
    uint64_t now = o->executed;
    unsigned lane = (unsigned)t->lane;
    switch (sreg) {
    case SREG_TID_X:
    case SREG_TID_Y:
    case SREG_TID_Z:
        return t->id[sreg - SREG_TID_X];
    case SREG_NTID_X:
    case SREG_NTID_Y:
    case SREG_NTID_Z:
        return l->block[sreg - SREG_NTID_X];
    case SREG_CTAID_X:
    case SREG_CTAID_Y:
    case SREG_CTAID_Z:
        return o->block.id[sreg - SREG_CTAID_X];
    case SREG_NCTAID_X:
    case SREG_NCTAID_Y:
    case SREG_NCTAID_Z:
        return l->grid[sreg - SREG_NCTAID_X];
    case SREG_LANEID:
        return lane;
    case SREG_WARPID:
        return (uint64_t)t->row;
    case SREG_NWARPID:
        return ROWS_PER_MULTIPROCESSOR;
    case SREG_SMID:
        return o->block.linear % MULTIPROCESSORS;
    case SREG_NSMID:
        return MULTIPROCESSORS;
    case SREG_GRIDID:
        return l->grid_id;
    case SREG_LANEMASK_EQ:
        return 1u << lane;
    case SREG_LANEMASK_LE:
        return bits_below(lane + 1);
    case SREG_LANEMASK_LT:
        return bits_below(lane);
    case SREG_LANEMASK_GE:
        return (uint32_t)~bits_below(lane);
    case SREG_LANEMASK_GT:
        return (uint32_t)~bits_below(lane + 1);
    case SREG_TOTAL_SMEM_SIZE:
        return bits_align_up(o->shared_bytes, SHARED_UNIT);
    case SREG_AGGR_SMEM_SIZE:
        return bits_align_up(o->shared_bytes, SHARED_UNIT) + SYSTEM_SHARED_BYTES;
    case SREG_DYNAMIC_SMEM_SIZE:
        return l->dynamic_shared_bytes;
    case SREG_CLOCK:
    case SREG_CLOCK64:
    case SREG_GLOBALTIMER:
    case SREG_GLOBALTIMER_LO:
        return now;
    case SREG_CLOCK_HI:
    case SREG_GLOBALTIMER_HI:
        return now >> 32;
    default:
        return cluster_sreg(o, sreg);
    }
}
