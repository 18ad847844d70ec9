/*
 * Readiness: which strands can issue.
 *
 * Readiness is computed when something has changed, never by a search over all strands. A strand that cannot issue has
 * either a wake-up event at the cycle from which it can, or something that evaluates it again later: the reply of
 * memory, a barrier, an instruction fetch, the mechanism.
 *
 * While a cycle issues, strands to be evaluated are listed, and evaluated when the issue is done: a strand issues once
 * per cycle, and a strand that becomes ready by another's issue may issue in the next cycle.
 *
 * Only readiness.c, ready_set.h and bundles/ready.h write struct readiness, except that cycle.c, bundles/easy.c and
 * sm.c set `open` and `is_issuing`, and sm.c `order` and `greed`.
 */
#ifndef HEDDLE_SM_READINESS_H
#define HEDDLE_SM_READINESS_H

#include "base/storage.h"
#include "exec/strand.h"
#include "sched/sched.h"

struct plan;
struct sm;

/* As many ports as sm.schedulers may say; one pool for gangs, and one for each slice of one lane. */
enum { READINESS_MAX_PORTS = 4, READINESS_MAX_POOLS = 65 };

struct readiness {
    uint32_t classes;                      /* one bit per class with ready strands */
    uint32_t at_port[READINESS_MAX_PORTS]; /* of each issue port: one bit per class with ready strands */
    uint64_t open;                         /* earliest cycle at which a strand evaluated now can issue */
    bool is_issuing;                       /* strands to be evaluated are listed */
    int16_t by_class[READINESS_MAX_PORTS][SCHED_MAX_CLASSES]; /* ready strands per port and class */
    struct sched_order *order; /* the scheduler's, whose bits the pipeline sets itself (sched_ops.order); NULL: none */
    struct order_greed *greed; /* the scheduler's, with which the pipeline picks (sched_ops.greed); NULL: none */
    int listed_count;
    int32_t *listed; /* ids of the strands to be evaluated */
    int apart_count;
    int32_t *apart; /* ids of the gangs that wait for memory, of which some members may be ready */
    /* Only with shortcuts.lists_ready. */
    int by_pool[READINESS_MAX_PORTS][READINESS_MAX_POOLS]; /* ready strands per port and pool */
    uint64_t pools[READINESS_MAX_PORTS]; /* one bit per pool with ready strands, from pool 1 on, per port */
    uint64_t *ids;                       /* one bit per ready strand, by id */
    /* Only with traits.has_lanes: ready strands per port, pool and class, and one bit per pool with such strands, from
     * pool 1 on, per port and class. */
    int16_t (*by_pool_class)[READINESS_MAX_POOLS][SCHED_MAX_CLASSES];
    uint64_t class_pools[READINESS_MAX_PORTS][SCHED_MAX_CLASSES];
};

void readiness_open(struct readiness *r, int strands, struct storage *storage);
/* Counts ready strands by pool and class, too. */
void readiness_open_lanes(struct readiness *r, struct storage *storage);

/* Whether the strand waits for something that will have it evaluated again. */
static inline bool readiness_is_kept(const struct strand *s)
{
    return s->held | s->parked | s->busy | !s->threads.count;
}

/* Finds whether the strand can issue, or from which cycle on, and tells the scheduler of a change. */
void readiness_evaluate(struct sm *sm, struct strand *s);
/* readiness_evaluate() for a strand that has just issued, where its port does not pick it again in this cycle: the
 * strand need not be listed. */
void readiness_evaluate_at_once(struct sm *sm, struct strand *s);
void readiness_evaluate_listed(struct sm *sm); /* when the cycle's issue is done */
/* At the end of a cycle: tells the mechanism of gangs some members of which have the registers of their next
 * instruction, while others wait for memory (div_wants.ready_parts). */
void readiness_tell_parts(struct sm *sm);
/* The wake-up event of the strand's last evaluation has come. */
void readiness_wake(struct sm *sm, struct strand *s);
/* The cycle has come for which these strands, one bit each by id, may have asked for a wake-up as a bit
 * (shortcuts.wakes_as_bits). */
void readiness_wake_all(struct sm *sm, uint64_t ids, uint64_t cycle);
int readiness_count(const struct readiness *r); /* ready strands */
/* Takes the strand from the ready ones, if it is one of them. */
void readiness_clear(struct sm *sm, struct strand *s);

/* ---- registers, where the scoreboard is not the plain one ---- */

/* The strand issues the plan's instruction, which writes its destinations at cycle `due`. */
void readiness_begin_writes(struct sm *sm, const struct strand *s, const struct plan *p, uint64_t due);
/* The strand `writer`, whose threads of one row are `own`, began to write registers of these static warps of the row,
 * as scoreboard_warps() names them: sibling strands that were ready are evaluated anew. Siblings that are not ready
 * find the write when they wake up. */
void readiness_delay_siblings(struct sm *sm, struct part own, uint32_t warps, int32_t writer);
/* Paths of the static warps of these lanes diverge, or one of the paths ends: see scoreboard_begin_phase(). */
void readiness_begin_phase(struct sm *sm, int32_t row, uint32_t lanes);

#endif
