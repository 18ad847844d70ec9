/* What the files of the race check share; for race.c, report.c and lockstep.c only. */
#ifndef HEDDLE_EXEC_RACE_INTERNAL_H
#define HEDDLE_EXEC_RACE_INTERNAL_H

#include "exec/race/order.h"
#include "exec/race/race.h"

/* What an access does, as far as races are concerned. */
enum race_act {
    RACE_READ,
    RACE_WRITE,
    RACE_ATOMIC,     /* an atomic, or a store with .relaxed or .release */
    RACE_ATOMIC_READ /* a load with .relaxed or .acquire; the shadow does not record such loads */
};

/* Two accesses that race. */
struct race_pair {
    struct engine *e;
    const struct race_seen *before;     /* the earlier access */
    int lane;                           /* the lane of `before` that races */
    enum race_act act_before;           /* what the earlier access does */
    const struct race_present *present; /* the later access, which is about to be executed */
    enum race_act act;                  /* what the later access does */
    enum space space;                   /* memory that both access */
    uint64_t address;                   /* of the later access, in `space` */
    uint32_t bytes;                     /* of the later access */
};

/* Two instructions whose accesses race, whichever of them came first. Of the lock-step check: low_pc came first. */
struct race_finding {
    int32_t low_pc, high_pc;
    enum race_kind kind;
    enum race_flow flow; /* what the first pair of accesses does */
    uint64_t times;      /* pairs of accesses found */
    char *text;          /* description; NULL beyond RACE_MAX_KEPT */
};

struct race {
    struct race_order order;    /* which accesses are ordered */
    struct race_shadow *shadow; /* the past accesses of each word (race.c) */
    struct vec_of(struct race_finding) findings;
    bool is_lockstep; /* the lock-step check, which has its own rules */
    bool *tests;      /* lock-step check, by PC: lockstep_tests(); NULL: not made yet. Owned */
};

/* lockstep.c */
/* By PC: plain loads that test a word before an atomic on it. Owned by the caller. */
bool *lockstep_tests(const struct program *p);

/* report.c */
void race_found(struct race *r, const struct race_pair *pair);
void race_forget_findings(struct race *r);

#endif
