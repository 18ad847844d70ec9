/*
 * The oracle's clusters: the barrier of the cluster, and addresses in other blocks' shared memory.
 *
 * The blocks of a cluster take turns. Each thread keeps whether it has arrived in the barrier's current phase; when all
 * live threads of the cluster have, the phase is complete.
 */
#include "oracle/internal.h"

void oracle_cluster_check(struct oracle *o)
{
    struct oracle_cluster *c = o->cluster;
    if (!c->arrived || c->arrived < c->live)
        return;
    c->arrived = 0;
    for (int rank = 0; rank < (o->peers ? o->peer_count : 1); rank++) {
        struct oracle_block *b = o->peers ? &o->peers[rank] : &o->block;
        for (int i = 0; i < b->thread_count; i++) {
            b->threads[i].has_arrived = false;
            if (b->threads[i].state == THREAD_AT_CLUSTER)
                b->threads[i].state = THREAD_READY;
        }
    }
}

static void move_address(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t base = oracle_mod(x, GROUP_SPACE) ? 0 : MEMORY_SHARED_BASE;
    uint64_t address = oracle_read(t, &x->operand[1]) - base;
    if (x->op == OP_CTARANK) {
        oracle_write(t, &x->operand[0], address >> MEMORY_SHARED_SHIFT);
        return;
    }
    uint64_t rank = oracle_read(t, &x->operand[2]), offset = address & oracle_mask(MEMORY_SHARED_SHIFT);
    oracle_write(t, &x->operand[0], base + (rank << MEMORY_SHARED_SHIFT) + offset);
}

void oracle_cluster(struct oracle_thread *t, const struct oracle_insn *x)
{
    switch (x->op) {
    case OP_CLUSTER_ARRIVE:
        t->oracle->cluster->arrived += !t->has_arrived;
        t->has_arrived = true;
        oracle_cluster_check(t->oracle);
        break;
    case OP_CLUSTER_WAIT:
        if (t->has_arrived) { /* otherwise the phase that the thread arrived in is complete */
            t->state = THREAD_AT_CLUSTER;
            t->at = x;
        }
        break;
    default:
        move_address(t, x);
    }
}
