/*
 * Groups: the threads of one warp under convergence barriers. Which threads are together, which wait, and which run.
 *
 * Every thread has its own PC. Threads of a warp that became ready at the same spot form a group (a warp split); one
 * group of a warp runs at a time. A spot is an instruction together with the barrier operations that threads still have
 * to do before it (div/parts/group_code.h); the running group does these operations one by one.
 *
 *   running     the group that issues, or none
 *   ready       groups that could run
 *   waiting     groups that wait at a convergence barrier
 *   elsewhere   threads at a block barrier or rendezvous
 *
 * A barrier register in use (a slot) holds the threads that take part and those of them that wait. Each call depth has
 * its own registers (recon/barrier.h). When all threads that take part wait, the barrier opens: they become ready, and
 * the register is free.
 *
 * If the running group cannot continue, or diverges, the order (enum group_order) chooses the next group. A group that
 * yields lets the others run. After `yield_limit` yields without an arrival or departure at a barrier, the threads that
 * wait there for the yielding group continue without it. Compilers put yields into loops that may wait for other
 * threads. Where there is no yield, two time limits guarantee that every thread makes progress. At its next control
 * instruction the running group gives way to a group that has been ready for `timeout_cycles`, and to threads at a
 * barrier without an arrival or departure for `patience_cycles`.
 *
 * This file knows masks of one warp's threads, thread 0 in the lowest bit, and the cycle that callers pass in. It knows
 * nothing of strands and rows.
 */
#ifndef HEDDLE_DIV_PARTS_GROUPS_H
#define HEDDLE_DIV_PARTS_GROUPS_H

#include "base/vec.h"
#include "div/parts/group_code.h"

enum group_order {
    GROUP_STACK,      /* the group that became ready last */
    GROUP_OLDEST,     /* the group that became ready first */
    GROUP_MOST,       /* the largest group; among equals the one that became ready last */
    GROUP_ROUND_ROBIN /* groups take turns; a turn ends with a control instruction */
};

struct group_counters {
    uint64_t joins, waits, cancels, yields; /* operations that groups did */
    uint64_t opened, opened_soft, broken;   /* barriers that opened: complete, soft, and by a yield or time limit */
    uint64_t reconvergences;                /* groups that merged into another at a barrier */
    uint64_t wait_thread_cycles;            /* cycles that threads waited at barriers, summed over threads */
    uint64_t switches;                      /* groups that replaced a running group that waited for memory */
    uint64_t rotations;                     /* groups that replaced the running group after `timeout_cycles` */
    uint64_t merges;                        /* groups that joined another group without waiting */
    uint64_t register_saves;                /* registers that a function joined although its caller had joined them */
};

/* What all warps of one multiprocessor share. */
struct group_rules {
    const struct group_code *code;
    enum group_order order;
    bool merges;                              /* groups at the same spot merge even without a barrier */
    uint32_t yield_limit;                     /* in yields; the opening comment explains the limits */
    uint64_t timeout_cycles, patience_cycles; /* in cycles */
    uint64_t now;                             /* the current cycle */
    struct group_counters counters;
};

struct warp_group {
    struct spot at;
    uint64_t mask;  /* 0: there is no group */
    uint64_t since; /* the cycle in which the group became ready, or began to wait */
    int64_t order;  /* rises with the time at which the group became ready */
    int32_t slot;   /* of a waiting group: index of its barrier in `slots` */
};

/* A barrier register in use, at one call depth. */
struct group_slot {
    int32_t reg, depth;       /* depth -1: the barrier spans calls */
    uint64_t joined, waiting; /* threads that take part, and those of them that wait */
    uint64_t since;           /* the cycle of the last arrival or departure */
    uint32_t yields;          /* yields of missing threads since cycle `since` */
    uint64_t arrivals;        /* sum of the arrival cycles of the waiting threads */
};

/* What a warp has learned about an adaptive soft wait, in thread-cycles. Threads continue without the missing ones
 * until the missing ones have idled for as long as the last waiting took: then waiting pays again. */
struct group_habit {
    uint64_t idle;   /* idle time of missing threads since all threads were last together */
    uint64_t waited; /* recent average of the time that all waiting threads spent; 0: none has waited yet */
    uint64_t passed; /* the cycle in which threads last continued */
};

struct groups {
    struct group_habit habits[BARRIER_REGISTERS];    /* by barrier register */
    struct warp_group running;                       /* mask 0: no group runs */
    struct vec_of(struct warp_group) ready, waiting; /* in no order that means anything; `order` decides */
    struct vec_of(struct group_slot) slots;          /* barrier registers in use */
    uint64_t elsewhere;                              /* threads at a block barrier or rendezvous */
    int64_t newest, last;                            /* the highest and the lowest `order` given so far */
};

void groups_start(struct groups *g, uint64_t mask, struct spot at);
void groups_free(struct groups *g);

/* The running group reached `at` by straight-line advance. With `joins`, a group that is ready there joins it; true if
 * a group did. */
bool groups_advance(struct groups *g, struct group_rules *rules, struct spot at, bool joins);
/* The threads of the running group left an instruction at call depth `depth` for the distinct spots `to`. Under
 * GROUP_STACK the first of them runs first. Chooses the running group. */
void groups_branch(struct groups *g, struct group_rules *rules, int32_t depth, const struct warp_group *to, int count);
/* The running group does its next barrier operation. True: the running group still has the same threads. False: another
 * group runs, or none. */
bool groups_do(struct groups *g, struct group_rules *rules);
/* If no group runs, chooses one. If none is ready, the barrier that has waited longest is opened first. */
void groups_run(struct groups *g, struct group_rules *rules);
/* Among the ready groups of which all threads are in `may_run`, the first in order runs instead of the running group,
 * which becomes ready. False: there is none. */
bool groups_switch(struct groups *g, struct group_rules *rules, uint64_t may_run);
/* The running group waits at a block barrier or rendezvous; some of its threads return. */
void groups_leave(struct groups *g);
void groups_return(struct groups *g, struct group_rules *rules, uint64_t mask, struct spot at);
void groups_exit(struct groups *g, struct group_rules *rules, uint64_t ended); /* threads of the running group exited */

static inline bool group_has_ops(const struct warp_group *group)
{
    return group->at.op < group->at.end;
}

uint64_t groups_threads(const struct groups *g); /* all live threads of the warp */
bool groups_are_sound(const struct groups *g);
/* The PC of a thread that is ready or waits at a barrier; PC_NONE: it runs, or is elsewhere. */
int32_t groups_where(const struct groups *g, uint64_t thread);
/* Prints one line per group: "  ready F 0110", "  waits G 0001 for 0110 at B2". `pc`: the current PC of the running
 * group. */
void groups_print(const struct groups *g, const struct program *program, int32_t pc, int width, struct text *out);

#endif
