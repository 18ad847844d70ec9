/*
 * The scheduler contract: which ready strand goes next.
 *
 * A policy is one file with one `const struct sched_ops`, listed in sched/table.c. The pipeline says which strands
 * there are, which of them can issue, and in which class (what unit and memory port their next instruction needs). In
 * each cycle it asks for a strand per issue port until the policy has none that fits; one cycle's picks form the issue
 * group. A strand that issued is not ready until the pipeline says so again. Policies order by what the strand
 * carries: birth, lineage, block age, side, size, key. A key below zero asks for the turn before all others: policies that
 * look at keys, PCs or arrival give it, those that go by warps and blocks do not.
 *
 * Where the lanes are cut into slices that issue by themselves, strands stand in pools: those of one slice in their
 * slice's, and those of several, the gangs, in pool 0. The pipeline asks for one of a pool; elsewhere all strands are in pool 0.
 */
#ifndef HEDDLE_SCHED_SCHED_H
#define HEDDLE_SCHED_SCHED_H

#include "exec/strand.h"

enum { SCHED_MAX_STRANDS = 4096, SCHED_MAX_CLASSES = 24 };

struct sched; /* a policy's state for one multiprocessor */

struct sched_setup {
    int ports;
    int pools;           /* 0 stands for one */
    int group;           /* warps of a fetch group, for policies of two levels */
    const uint64_t *now; /* the multiprocessor's clock */
};

/* What a pick must fit. */
struct sched_ask {
    int port;
    int pool;
    uint32_t blocked;           /* bits of classes that cannot issue in this cycle; none where nothing is ready */
    uint64_t free_slots;        /* home slots that no other strand of the group takes */
    const uint64_t *busy_slots; /* by class: those whose slice of the unit is busy; NULL: none is */
    uint64_t now;
};

static inline int sched_pools(const struct sched_setup *setup)
{
    return setup->pools ? setup->pools : 1;
}

/* Of a ready strand whose class is not blocked. */
static inline bool sched_fits(const struct strand *strand, int class, const struct sched_ask *ask)
{
    return strand->pool == ask->pool && !(strand->slots & ~ask->free_slots) &&
           !(ask->busy_slots && strand->slots & ask->busy_slots[class]);
}

struct sched_ops {
    const char *name;    /* as after --set sm.scheduler= */
    const char *summary; /* one line */
    const char *source;
    /* Its picks do not depend on when a strand became ready: one that issued and can do so again at once stays ready. */
    bool in_place;
    struct sched *(*create)(const struct sched_setup *setup);
    void (*destroy)(struct sched *s);
    void (*added)(struct sched *s, struct strand *strand);
    void (*removed)(struct sched *s, struct strand *strand); /* its id may be another's next */
    void (*ready)(struct sched *s, struct strand *strand, int class);
    void (*unready)(struct sched *s, struct strand *strand);
    struct strand *(*pick)(struct sched *s, const struct sched_ask *ask); /* or NULL */
    /* It issues: GTO's greed, LRR's turn. What it does comes behind, and may be its end. */
    void (*issued)(struct sched *s, int port, struct strand *strand, uint64_t now);
};

const struct sched_ops *sched_find(const char *name);
const struct sched_ops *const *sched_all(void);

#endif
