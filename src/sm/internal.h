/* What the files of a multiprocessor share. */
#ifndef HEDDLE_SM_INTERNAL_H
#define HEDDLE_SM_INTERNAL_H

#include "sm/event.h"
#include "sm/sm.h"

enum { SM_MAX_CHECKS = 24 };

/* Registers that an instruction must find written: sources, destinations, guard. Planes, by PC. */
struct check_list {
    uint8_t count, dest_count; /* destinations come first */
    int16_t plane[SM_MAX_CHECKS];
};

/* A write under way: the registers of one row's lanes. */
struct write {
    int32_t row;
    uint32_t mask;
    int32_t pc;
    int32_t strand;
    uint32_t generation;
    int32_t next; /* of the same instruction, or of the free list; -1 ends */
};

/* What the pipeline knows of a strand beside what the strand itself says. */
struct strand_state {
    bool in_use, ready, resolving;
    uint8_t unit; /* that its next instruction needs, while it is ready */
    int in_flight; /* instructions issued and not done */
    struct outcome *outcome; /* kept until the branch resolves */
    int outcome_count, outcome_capacity;
    struct threads ended;
};

struct resident {
    struct block *block;
    bool in_use;
    int32_t first_row;
    uint64_t age;
    int writes; /* under way: its rows are not given to another block before they are done */
};

struct sm {
    struct div_host host; /* first: mechanisms hold a pointer to it */
    const struct sm_config *config;
    const struct div_ops *ops;
    struct div *div;
    const struct sched_ops *policy;
    struct sched *sched;
    struct engine *engine;
    struct mem *mem;
    struct step step;
    int index;
    uint64_t now, next, settled; /* settled: cycles up to here are charged */
    int idle_kind;               /* class of the cycles since: 0 idle, 1 memory, 2 stall */
    unsigned refused_kinds;      /* 1 << enum mem_kind: accesses that the memory system refused in this cycle */

    int resident_capacity, resident_count, rows_per_block;
    struct resident *residents;
    struct row **rows;
    struct block **row_blocks;
    int32_t *row_resident;
    int32_t *strand_of; /* [row][lane]: strand id, or -1 */

    struct strand *strands;
    struct strand_state *states;
    int strand_capacity, strand_top, live_strands, ready_count;
    int32_t *free_strands;
    int free_count;
    uint64_t births;

    struct check_list *checks; /* by PC */
    uint8_t *marks;            /* by PC: the mechanism wants arrive */
    uint32_t *pending;         /* [row][plane]: lanes whose register is not written yet */
    int plane_count;
    struct write *writes;
    int32_t free_write;
    int write_capacity;
    int memory_pending; /* tickets out */
    struct event_heap events;
    uint64_t *unit_free[SM_UNIT_COUNT]; /* by copy: cycle from which it takes another instruction */
    uint64_t ideal_free;                /* DIV_IDEAL_LANES: cycle from which the lanes take another group */
    uint64_t *reject;                   /* bits by strand: refused in this cycle */
    uint64_t *needs[SM_UNIT_COUNT];     /* bits by strand: ready, and needs the unit */
    struct sm_site *sites; /* by PC */
    struct trace *trace;
    struct sm_stats stats;
};

/* strands.c: the div_host interface and the thread map */
void strands_init(struct sm *sm);
void strands_released(void *context, int32_t row, int32_t pc, int32_t depth, uint32_t mask);
/* Computes whether the strand can issue, and tells the scheduler if that changed. */
void strand_evaluate(struct sm *sm, struct strand *s);
void strand_wake_at(struct sm *sm, struct strand *s, uint64_t cycle);
/* A barrier or rendezvous let all its threads go: on from there after the release latency. */
void strand_let_go(struct sm *sm, struct strand *s, int32_t pc, int32_t depth);

/* scoreboard.c */
void scoreboard_prepare(struct sm *sm);
bool scoreboard_allows(const struct sm *sm, const struct strand *s);
/* Marks the destinations of the instruction at `pc` pending for the strand's threads; returns the write record, or -1
 * if it writes nothing. */
int32_t scoreboard_begin(struct sm *sm, const struct strand *s, int32_t pc);
/* The write never was. */
void scoreboard_cancel(struct sm *sm, int32_t write);
/* The write is done: clears it, wakes who waited, frees the record. */
void scoreboard_end(struct sm *sm, int32_t write);

/* issue.c */
enum issue_result { ISSUE_DONE, ISSUE_REFUSED, ISSUE_FAULT };
/* A copy of the unit that can take an instruction now, or -1. */
int issue_free_copy(const struct sm *sm, uint32_t unit);
enum issue_result issue_strand(struct sm *sm, struct strand *s);
void issue_resolve(struct sm *sm, int32_t strand, uint32_t generation);

#endif
