/*
 * Clusters: blocks that run at the same time, reach each other's shared memory and have a barrier of their own.
 *
 * An address in shared memory is rank << 24 plus the offset in the shared memory of the block with that rank, as on
 * hardware. Only kernels that can tell have clusters here (code.uses_clusters); the blocks of others are alone, with
 * rank 0. A block leaves its cluster when it ends; its shared memory is out of reach from then on.
 */
#ifndef HEDDLE_EXEC_CLUSTER_H
#define HEDDLE_EXEC_CLUSTER_H

#include "exec/engine.h"

struct cluster {
    int live;                                        /* blocks that have not ended */
    bool is_spread;                                  /* over several multiprocessors; see cluster_let_go() */
    struct block *member[LAUNCH_MAX_CLUSTER_BLOCKS]; /* by rank; NULL: the block has ended */
    uint32_t arrived[LAUNCH_MAX_CLUSTER_BLOCKS][LAUNCH_MAX_THREADS / ROW_LANES]; /* by rank and row: lanes that have
                                                                                    arrived at the cluster's barrier */
};

/* Whether the kernel can tell that its blocks form clusters. */
bool cluster_is_used(const struct program *program);
/* Blocks per cluster of the launch as far as the code can tell: 1 if it uses nothing of clusters. */
int cluster_size(const struct launch *launch, const struct code *code);
struct cluster *cluster_create(void);
void cluster_join(struct cluster *cluster, struct block *block, uint32_t rank);
/* Takes the block out of its cluster, if it has one; the last block frees the cluster. */
void cluster_leave(struct block *block);

/* The shared memory that the address lies in: of the block at work, or of a block of its cluster. No bytes: there is
 * no such block. */
struct segment cluster_shared(const struct engine *e, uint64_t address);

/* Executes barrier.cluster.arrive or .wait for the threads of the cohort. */
bool cluster_barrier(struct engine *e, const struct bound *in, struct cohort here);
/* The barrier of a spread cluster lets threads of another multiprocessor go when that asks for it. Whether it has to
 * ask for the block; and the call that lets the threads of the block at work go. */
static inline bool cluster_is_open(const struct block *block)
{
    return block->cluster && block->is_let_go;
}
void cluster_let_go(struct engine *e);
/* To be called after threads of the block at work ended: opens the barrier if only they were missing. */
void cluster_recheck(struct engine *e);
/* Executes mapa or getctarank. */
void cluster_address(struct engine *e, const struct bound *in, uint32_t mask);

#endif
