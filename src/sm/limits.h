/*
 * Limits of issue, for runs in which no limit delays anything (DIV_LEAST_TIME): how long ports and units need at least
 * for the instructions of a multiprocessor and of each of its blocks.
 *
 * A port issues W threads per cycle. A unit takes p threads per interval and copy: a mechanism may pack threads of any
 * warps, or leave out passes without a thread (scc). Threads that a guard switches off take part in the issue, and in
 * the use of a unit only where passes cannot be left out. Conflicts of register banks are counted, those of
 * shared-memory banks are not, since other threads may conflict less.
 */
#ifndef HEDDLE_SM_LIMITS_H
#define HEDDLE_SM_LIMITS_H

#include "mem/meter.h"
#include "sm/config.h"

struct plan;

struct limits_meters {
    struct meter issue, unit[SM_UNIT_COUNT];
    /* With the memory stage inline: ALU instructions that access no memory, and lookups, one after the other. */
    struct meter stage;
    uint64_t longest[SM_UNIT_COUNT]; /* [unit] the longest time for which one instruction holds the unit */
};

struct limits {
    uint64_t issue_cost;               /* parts of a cycle that the issue of a thread takes */
    uint64_t lane_cost[SM_UNIT_COUNT]; /* [unit] those of a thread and one cycle of interval, by lanes */
    uint64_t slot_cost[SM_UNIT_COUNT]; /* [unit] those of a thread and one more pass for operands, by home slots */
    uint32_t passes;                   /* of a whole strand */
    bool is_inline;                    /* nothing issues while accesses are looked up */
    bool skips_passes;                 /* passes without a working thread can be left out */
    bool has_one_block;                /* the multiprocessor gets one block in the whole launch */
    struct limits_meters all;          /* of the multiprocessor */
    struct limits_meters *block;       /* [place] of the block that runs there */
};

void limits_open(struct limits *l, const struct sm_config *config, int places);
void limits_close(struct limits *l);
void limits_start_block(struct limits *l, int place);
/* Threads of the block at `place` issue an instruction at cycle `now`; `working`: those that no guard switches off. */
void limits_issue(struct limits *l, int place, const struct plan *p, int threads, int working, uint64_t now);
/* The lookups of accesses to memory that issue at cycle `now` need so much time, in parts of a cycle. */
void limits_look_up(struct limits *l, uint64_t time, uint64_t now);
/* The cycle at which the last instruction issues, or an earlier one. */
uint64_t limits_last_issue(const struct limits_meters *m);
/* Adds the work of one multiprocessor to a sum. */
void limits_add_work(struct limits_meters *sum, const struct limits_meters *m);
/* As limits_last_issue(), if the work of `sum` is spread evenly over `count` multiprocessors from cycle `start` on. */
uint64_t limits_even_last_issue(const struct limits_meters *sum, uint64_t start, uint64_t count);

#endif
