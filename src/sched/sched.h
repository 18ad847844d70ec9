/*
 * The scheduler contract: which ready strand goes next.
 *
 * A policy is one file with one `const struct sched_ops`, listed in sched/table.c. It is told of every strand that
 * becomes able to issue (`ready`) or no longer is (`unready`), and asked `pick` for each issue port in each cycle in
 * which something is ready. It orders by what the strand carries: birth, lineage, block age, side, size, key.
 */
#ifndef HEDDLE_SCHED_SCHED_H
#define HEDDLE_SCHED_SCHED_H

#include "exec/strand.h"

enum { SCHED_MAX_STRANDS = 4096 };

struct sched; /* a policy's state for one multiprocessor */

struct sched_ops {
    const char *name;    /* as after --set sm.scheduler= */
    const char *summary; /* one line */
    const char *source;
    struct sched *(*create)(int ports);
    void (*destroy)(struct sched *s);
    void (*ready)(struct sched *s, struct strand *strand);
    void (*unready)(struct sched *s, struct strand *strand);
    /* The strand that port `port` should issue at `now`, or NULL. `reject` are strands (by id, one bit each) that
     * were picked and could not issue this cycle (a unit was busy): they are not to be picked again in it. */
    struct strand *(*pick)(struct sched *s, int port, const uint64_t *reject, uint64_t now);
    /* It did issue: GTO's greed, LRR's turn. */
    void (*issued)(struct sched *s, int port, struct strand *strand, uint64_t now);
    /* The strand is gone or another (retired, its id may be reused). */
    void (*removed)(struct sched *s, struct strand *strand);
};

const struct sched_ops *sched_find(const char *name);
const struct sched_ops *const *sched_all(void);

#endif
