/* Clusters of blocks: see cluster.h. */
#include "exec/cluster.h"

#include "base/arena.h"
#include "base/bits.h"
#include "exec/operand.h"
#include "exec/race/race.h"

#include <stdlib.h>
#include <string.h>

/* Whether the instruction, or a special register that it reads, has to do with clusters. */
static bool is_of_cluster(const struct insn *in)
{
    return in->op == OP_MAPA || in->op == OP_CTARANK || in->op == OP_CLUSTER_ARRIVE || in->op == OP_CLUSTER_WAIT ||
           in->suffixes.mod[GROUP_SPACE] == SPACE_CLUSTER;
}

bool cluster_is_used(const struct program *program)
{
    const struct ptx_limits *limits = &program->kernel->limits;
    bool uses = limits->required_cluster[0] || limits->explicit_cluster;
    for (int s = SREG_IS_EXPLICIT_CLUSTER; s <= SREG_CLUSTER_NCTARANK; s++)
        uses |= program->sreg_plane[s] >= 0;
    for (int pc = 0; pc < program->insn_count; pc++)
        uses |= is_of_cluster(&program->insns[pc]);
    return uses;
}

int cluster_size(const struct launch *launch, const struct code *code)
{
    uint32_t n[3];
    launch_cluster(launch, n);
    return code->uses_clusters ? (int)(n[0] * n[1] * n[2]) : 1;
}

struct cluster *cluster_create(void)
{
    return xcalloc(1, sizeof(struct cluster));
}

void cluster_join(struct cluster *cluster, struct block *block, uint32_t rank)
{
    cluster->member[rank] = block;
    cluster->live++;
    block->cluster = cluster;
    block->is_let_go = false;
    block->rank = rank;
}

void cluster_leave(struct block *block)
{
    struct cluster *c = block->cluster;
    if (!c)
        return;
    c->member[block->rank] = NULL;
    block->cluster = NULL;
    if (!--c->live)
        free(c);
}

struct segment cluster_shared(const struct engine *e, uint64_t address)
{
    uint64_t rank = address >> MEMORY_SHARED_SHIFT;
    const struct block *b = rank == e->block->rank                                  ? e->block
                            : e->block->cluster && rank < LAUNCH_MAX_CLUSTER_BLOCKS ? e->block->cluster->member[rank]
                                                                                    : NULL;
    return (struct segment){rank << MEMORY_SHARED_SHIFT, b ? b->shared_bytes : 0, b ? b->shared : NULL, false};
}

/* ---- the barrier ---- */

static bool is_complete(const struct cluster *c)
{
    uint32_t any = 0;
    for (int rank = 0; rank < LAUNCH_MAX_CLUSTER_BLOCKS; rank++)
        for (int r = 0; c->member[rank] && r < c->member[rank]->row_count; r++) {
            if (c->member[rank]->rows[r].live & ~c->arrived[rank][r])
                return false;
            any |= c->arrived[rank][r];
        }
    return any;
}

/* Resumes the row's threads that wait at the barrier. Not those that have arrived again since it opened. */
static void release_row(struct engine *e, struct row *row, uint32_t arrived)
{
    struct cohort done[ROW_LANES];
    int done_count = 0, kept = 0;
    for (int g = 0; g < row->cohort_count; g++) {
        struct cohort c = row->cohort[g];
        uint32_t going = c.state == COHORT_AT_CLUSTER ? c.mask & ~arrived : 0;
        if (going) {
            done[done_count] = c;
            done[done_count++].mask = going;
        }
        c.mask &= ~going;
        if (c.mask)
            row->cohort[kept++] = c;
    }
    row->cohort_count = kept;
    for (int d = 0; d < done_count; d++)
        engine_resume(e, row, done[d].pc + 1, done[d].depth, done[d].mask);
}

void cluster_let_go(struct engine *e)
{
    const uint32_t *arrived = e->block->cluster->arrived[e->block->rank];
    e->block->is_let_go = false;
    if (e->race)
        race_open_cluster(e);
    for (int r = 0; r < e->block->row_count; r++)
        release_row(e, &e->block->rows[r], arrived[r]);
}

static void open_barrier(struct engine *e, struct cluster *c)
{
    struct block *at_work = e->block;
    memset(c->arrived, 0, sizeof c->arrived);
    e->writes++; /* blocks that polled have reason to look again */
    for (int rank = 0; rank < LAUNCH_MAX_CLUSTER_BLOCKS; rank++) {
        if (!c->member[rank])
            continue;
        e->block = c->member[rank];
        if (c->is_spread && e->block != at_work)
            e->block->is_let_go = true;
        else
            cluster_let_go(e);
    }
    e->block = at_work;
}

void cluster_recheck(struct engine *e)
{
    if (e->block->cluster && is_complete(e->block->cluster))
        open_barrier(e, e->block->cluster);
}

/* A block without a cluster is a cluster of its own: the barrier opens when all its live threads have arrived. */
static struct cluster *cluster_of(struct block *block)
{
    if (!block->cluster)
        cluster_join(cluster_create(), block, block->rank);
    return block->cluster;
}

bool cluster_barrier(struct engine *e, const struct bound *in, struct cohort here)
{
    struct cluster *c = cluster_of(e->block);
    uint32_t *arrived = &c->arrived[e->block->rank][e->row - e->block->rows];
    uint32_t going = here.mask;
    if (in->insn->op == OP_CLUSTER_ARRIVE) {
        *arrived |= here.mask;
    } else {
        uint32_t waiting = here.mask & *arrived; /* for others, the phase that they arrived in is complete */
        going &= ~waiting;
        here.state = COHORT_AT_CLUSTER;
        here.mask = waiting;
        if (waiting)
            e->row->cohort[e->row->cohort_count++] = here;
    }
    if (going)
        engine_resume(e, e->row, here.pc + 1, here.depth, going);
    if (is_complete(c))
        open_barrier(e, c);
    return true;
}

/* ---- addresses ---- */

void cluster_address(struct engine *e, const struct bound *in, uint32_t mask)
{
    uint64_t wide[ROW_LANES], base = in->space == IN_SHARED ? 0 : MEMORY_SHARED_BASE;
    uint32_t narrow[ROW_LANES];
    const void *a = operand_source(e, in, 0);
    const uint32_t *rank = in->insn->op == OP_MAPA ? operand_source(e, in, 1) : NULL;
    for (int i = 0; i < ROW_LANES; i++) {
        uint64_t at = lanes_value(a, in->source_bits[0], i) - base;
        wide[i] = rank ? (at & ((1u << MEMORY_SHARED_SHIFT) - 1)) + ((uint64_t)rank[i] << MEMORY_SHARED_SHIFT) + base
                       : at >> MEMORY_SHARED_SHIFT;
        narrow[i] = (uint32_t)wide[i];
    }
    operand_write(e, in, 0, in->dest_bits[0] == 64 ? (void *)wide : (void *)narrow, mask);
}
