/*
 * The scheduler contract: which ready strand issues next.
 *
 * A scheduler is one file with one `const struct sched_ops`, listed in sched/table.h. A strand is a set of threads
 * that issue together: a warp, a warp split or a compacted warp. The pipeline tells the scheduler which strands exist,
 * which of them are ready, and the class of each ready strand: the unit and memory port that its next instruction
 * needs. In each cycle the pipeline asks for strands, issue port by issue port, until the scheduler has none that
 * fits. The picks of one cycle and port form the issue group. A strand that issued is not ready until the pipeline
 * says so again (except `in_place`).
 *
 * A scheduler orders strands by what they carry (exec/strand.h): birth, lineage, block age, rank in the block, size,
 * PC, key. A key below zero asks to issue before all others. Schedulers that look at keys, PCs or arrival grant that;
 * schedulers that go by warps and blocks do not.
 *
 * Where the lanes are cut into slices that issue by themselves (sm.slice_lanes), ready strands are in pools. A strand
 * on one slice is in the pool of that slice, 1 + its number; a gang, which lies on several slices, is in pool 0. The
 * pipeline asks for a strand of one pool. Without slices, all strands are in pool 0.
 *
 * A scheduler may not change a strand, nor know the pipeline, memory or the mechanism.
 */
#ifndef HEDDLE_SCHED_SCHED_H
#define HEDDLE_SCHED_SCHED_H

#include "exec/strand.h"

enum { SCHED_MAX_STRANDS = 4096, SCHED_MAX_CLASSES = 24 };

struct sched_order; /* sched/parts/order.h */
struct order_greed; /* sched/parts/order.h */

/* The handle of the state that a scheduler keeps for one multiprocessor, in a structure of its own. */
struct sched;

struct sched_setup {
    int ports;           /* issue ports; a strand belongs to port lineage modulo ports */
    int pools;           /* number of pools; 0 means one */
    int group;           /* warps per fetch group, for the two-level scheduler */
    const uint64_t *now; /* the multiprocessor's clock, in core cycles */
};

/* What a pick must satisfy. */
struct sched_ask {
    int port;         /* issue port that asks */
    int pool;         /* pool that the strand must be in */
    bool is_whole;    /* a strand takes all lanes: every ready strand of the port fits, if its class is not blocked */
    uint32_t blocked; /* bits: classes that cannot issue in this cycle; may leave out classes that no strand has */
    uint64_t free_slots;        /* home slots (bits) that no strand picked for the issue group so far uses */
    const uint64_t *busy_slots; /* [class] home slots (bits) whose slice of the unit is busy; NULL: none is busy */
    uint64_t now;               /* core cycle */
};

/* The port of a lineage. The host's division takes long; mostly there is a power of two of ports. */
static inline int sched_port(int32_t lineage, int ports)
{
    const uint32_t count = (uint32_t)ports;
    return (int)(count & (count - 1) ? (uint32_t)lineage % count : (uint32_t)lineage & (count - 1));
}

static inline int sched_pools(const struct sched_setup *setup)
{
    return setup->pools ? setup->pools : 1;
}

/* Whether a ready strand satisfies the request. Its class must not be blocked. */
static inline bool sched_fits(const struct strand *strand, int class, const struct sched_ask *ask)
{
    return ask->is_whole || (strand->pool == ask->pool && !(strand->slots & ~ask->free_slots) &&
                             !(ask->busy_slots && strand->slots & ask->busy_slots[class]));
}

struct sched_ops {
    const char *name;    /* as a user writes it: --set sm.scheduler=NAME */
    const char *summary; /* one or more whole sentences, for lists */
    const char *source;  /* paper and section */
    /* Picks do not depend on when a strand became ready. So a strand that issued and can issue again in the next
     * cycle may simply stay ready: the pipeline then calls neither `unready` nor `ready`. */
    bool in_place;
    /* For a scheduler with in_place that keeps ready strands as bits of one order, and does nothing else when a strand
     * becomes ready or unready: that order. The pipeline may then set the bits itself. NULL: the scheduler must be
     * told. */
    struct sched_order *(*order)(struct sched *s);
    /* For a scheduler with `order` that picks as order_pick_greedily() says, and knows of issues no more than
     * order_note_last() notes: what these take. The pipeline may then pick by itself. NULL: the scheduler must be
     * asked. */
    struct order_greed *(*greed)(struct sched *s);
    /* For a scheduler whose own hardware may keep ready strands from issue: the name of one that picks alike and takes
     * no time. NULL: this scheduler takes no time. */
    const char *without_time;
    /* Strands are ordered by the value of their keys, and not only by whether the key is below zero. */
    bool by_key;
    /* The strand with the least block_age goes first; among strands of one block, the one with the least age_rank. */
    bool by_age;
    /* For a scheduler under which the strand that issued last goes first, and then a strand of its lineage: the name of
     * one that picks like it but for that. NULL: this scheduler is none. */
    const char *without_greed;
    struct sched *(*create)(const struct sched_setup *setup);
    void (*destroy)(struct sched *s);
    /* A strand was made; a strand ends. Its id may be given to another strand after `removed`. */
    void (*added)(struct sched *s, struct strand *strand);
    void (*removed)(struct sched *s, struct strand *strand);
    /* The strand can issue an instruction of the class; the strand cannot issue any more. */
    void (*ready)(struct sched *s, struct strand *strand, int class);
    void (*unready)(struct sched *s, struct strand *strand);
    struct strand *(*pick)(struct sched *s, const struct sched_ask *ask); /* a ready strand that fits, or NULL */
    /* The picked strand issues. Called before the instruction has any effect; the effect may end the strand. */
    void (*issued)(struct sched *s, int port, struct strand *strand, uint64_t now);
};

const struct sched_ops *sched_find(const char *name);
const struct sched_ops *const *sched_all(void);

#endif
