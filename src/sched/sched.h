/*
 * The scheduler contract: which ready strand goes next.
 *
 * A policy is one file with one `const struct sched_ops`, listed in sched/table.c. The pipeline says which strands
 * there are, which of them can issue, and in which class (what unit and memory port their next instruction needs). In
 * each cycle it asks for a strand per issue port until the policy has none that fits; one cycle's picks form the issue
 * group. A strand that issued is not ready until the pipeline says so again. Policies order by what the strand
 * carries: birth, lineage, block age, side, size, key. A key below zero asks for the turn before all others: policies that
 * look at keys, PCs or arrival give it, those that go by warps and blocks do not.
 */
#ifndef HEDDLE_SCHED_SCHED_H
#define HEDDLE_SCHED_SCHED_H

#include "exec/strand.h"

enum { SCHED_MAX_STRANDS = 4096, SCHED_MAX_CLASSES = 24 };

struct sched; /* a policy's state for one multiprocessor */

struct sched_setup {
    int ports;
    int group; /* warps of a fetch group, for policies of two levels */
    const uint64_t *now; /* the multiprocessor's clock */
};

/* What a pick must fit. */
struct sched_ask {
    int port;
    uint32_t blocked;    /* bits of classes that cannot issue in this cycle; none where nothing is ready */
    uint64_t free_slots; /* home slots that no other strand of the group takes */
    uint64_t now;
};

struct sched_ops {
    const char *name;    /* as after --set sm.scheduler= */
    const char *summary; /* one line */
    const char *source;
    struct sched *(*create)(const struct sched_setup *setup);
    void (*destroy)(struct sched *s);
    void (*added)(struct sched *s, struct strand *strand);
    void (*removed)(struct sched *s, struct strand *strand); /* its id may be another's next */
    void (*ready)(struct sched *s, struct strand *strand, int class);
    void (*unready)(struct sched *s, struct strand *strand);
    struct strand *(*pick)(struct sched *s, const struct sched_ask *ask); /* or NULL */
    /* It did issue: GTO's greed, LRR's turn. */
    void (*issued)(struct sched *s, int port, struct strand *strand, uint64_t now);
};

const struct sched_ops *sched_find(const char *name);
const struct sched_ops *const *sched_all(void);

#endif
