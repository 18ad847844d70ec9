/*
 * Groups: one warp's threads under convergence barriers; which of them are together, which wait for whom, who runs.
 *
 * Each thread has a PC of its own. Threads of a warp at the same spot that became free to run there are a group; one
 * group of a warp runs at a time. A spot is an instruction, and of the barrier operations that threads do before it
 * those that are left; the running group does them one by one.
 *
 *   running     the group that issues, or none
 *   ready       groups that could run
 *   waiting     groups that a barrier holds
 *   elsewhere   threads at a block barrier or rendezvous
 *
 * A barrier register in use holds who takes part and who of them waits. Each call depth has registers of its own (see
 * recon/barrier.h). When all that take part wait, they are ready; it is free then.
 *
 * Which group runs when the running one cannot go on, or parts, is the order's choice. A group that yields makes room
 * for the others; and those that wait for its threads at a barrier go on without them when it has yielded `yield_limit`
 * times since somebody came there or left. Compilers put yields into loops that may wait for other threads. Where there
 * is none, two limits of time see to it that every thread runs on some day, whatever the others do. At its next control
 * instruction the running group makes room for one that has been ready for `timeout_cycles`, and for those that wait at
 * a barrier at which nobody came or left for `patience_cycles`.
 *
 * Here are masks of one warp's threads, thread 0 as the lowest bit; of time only the cycle that callers name; nothing
 * of strands and rows.
 */
#ifndef HEDDLE_DIV_PARTS_GROUPS_H
#define HEDDLE_DIV_PARTS_GROUPS_H

#include "base/vec.h"
#include "div/parts/point.h"
#include "recon/barrier.h"

/* ---- what threads do on their way ---- */

struct spot {
    int32_t pc, depth;
    int32_t op, end; /* operations left of a place: [op, end) of the list; on a way, those before `pc` come behind */
};

struct group_op {
    uint8_t kind; /* enum barrier_kind */
    uint8_t threshold;
    int8_t reg;
    bool spans_calls;
};

struct group_way {
    int32_t from, pc, op, end;
};

/* A barrier plan as threads meet it. */
struct group_code {
    struct vec_of(struct group_op) ops;
    struct vec_of(struct group_way) ways; /* that have operations, by `from` */
    int32_t *way_of;                      /* by PC: the first of its ways, or -1 */
    int32_t *op, *end;                    /* by PC: operations before it */
};

void group_code_open(struct group_code *code, const struct barrier_plan *plan);
void group_code_close(struct group_code *code);
/* Where threads are that come from the instruction `from` to `to`; PC_NONE: from nowhere. */
struct spot group_spot(const struct group_code *code, int32_t from, struct point to);
int group_ops_left(const struct group_code *code, const struct spot *at);

/* ---- a warp ---- */

enum group_order {
    GROUP_STACK,      /* the one that became ready last */
    GROUP_OLDEST,     /* the one that became ready first */
    GROUP_MOST,       /* the largest; of equal ones the one that became ready last */
    GROUP_ROUND_ROBIN /* in turns; a turn ends with each control instruction */
};

struct group_counters {
    uint64_t joins, waits, cancels, yields; /* operations, each of a group */
    uint64_t opened, opened_soft, broken;   /* barriers that let go those that waited */
    uint64_t reconvergences;                /* groups that such openings merged into others */
    uint64_t wait_thread_cycles;
    uint64_t rotations, merges, register_saves;
};

/* What the warps of one multiprocessor share. */
struct group_rules {
    const struct group_code *code;
    enum group_order order;
    bool merges; /* groups that come to the same spot become one also where no barrier is */
    uint32_t yield_limit;
    uint64_t timeout_cycles, patience_cycles;
    uint64_t now;
    struct group_counters counters;
};

struct warp_group {
    struct spot at;
    uint64_t mask;  /* 0: none */
    uint64_t since; /* cycle since which it is ready, or waits */
    int64_t order;  /* of becoming ready */
    int32_t slot;   /* of a waiting one: the register's place in `slots` */
};

/* A register in use, at one call depth. */
struct group_slot {
    int32_t reg, depth; /* depth -1: it spans calls */
    uint64_t joined, waiting;
    uint64_t since;    /* cycle at which somebody last came to wait, or left */
    uint32_t yields;   /* of those that it misses, since then */
    uint64_t arrivals; /* sum over those that wait of the cycles at which they came */
};

/* What a warp learned of an adaptive soft wait, in thread-cycles. Threads go on without those that are missing until
 * these have idled for as long as the last waiting took: then it pays to wait for them again. */
struct group_habit {
    uint64_t idle;   /* of those that were missing, since all were there */
    uint64_t waited; /* in all by those that waited the last times, on average; 0: nobody did yet */
    uint64_t passed; /* cycle at which threads last went on */
};

struct groups {
    struct group_habit habits[BARRIER_REGISTERS];
    struct warp_group running;
    struct vec_of(struct warp_group) ready, waiting;
    struct vec_of(struct group_slot) slots;
    uint64_t elsewhere;
    int64_t newest, last; /* orders given so far: rising, and falling for those that go behind all */
};

void groups_start(struct groups *g, uint64_t mask, struct spot at);
void groups_free(struct groups *g);

/* The running group's threads are at `at`, in a straight line. With `meets`, those that are ready there join it. True:
 * some were. */
bool groups_advance(struct groups *g, struct group_rules *rules, struct spot at, bool meets);
/* They left for these spots, which are distinct, from an instruction at depth `depth`; the first is to run first where
 * the order is the stack's. The running group is the one whose turn it is then. */
void groups_part(struct groups *g, struct group_rules *rules, int32_t depth, const struct warp_group *to, int count);
/* The running group does the next of its operations. It may be another then, or none. True: it is what it was but for
 * that. */
bool groups_do(struct groups *g, struct group_rules *rules);
/* If no group runs, the next one does. Whoever waits for threads that cannot come is let go first. */
void groups_run(struct groups *g, struct group_rules *rules);
/* The running group waits for something else, and so do those of its threads that come free one by one again. */
void groups_leave(struct groups *g);
void groups_return(struct groups *g, struct group_rules *rules, uint64_t mask, struct spot at);
void groups_exit(struct groups *g, struct group_rules *rules, uint64_t ended); /* of the running group */

static inline bool group_has_ops(const struct warp_group *group)
{
    return group->at.op < group->at.end;
}

uint64_t groups_threads(const struct groups *g); /* all of them */
bool groups_are_sound(const struct groups *g);
/* Where a thread is that does not run; PC_NONE: it does, or is elsewhere. */
int32_t groups_where(const struct groups *g, uint64_t thread);
/* A line a group, "  ready F 0110", and "  waits G 0001 for 0110 at B2"; the running one with `pc` as its PC. */
void groups_print(const struct groups *g, const struct program *program, int32_t pc, int width, struct text *out);

#endif
