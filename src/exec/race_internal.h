/* What the files of the race check share. */
#ifndef HEDDLE_EXEC_RACE_INTERNAL_H
#define HEDDLE_EXEC_RACE_INTERNAL_H

#include "exec/race.h"
#include "exec/race_order.h"

enum race_act {
    RACE_READ,
    RACE_WRITE,
    RACE_ATOMIC,     /* atomics, and stores that are */
    RACE_ATOMIC_READ /* loads that are; they are not remembered */
};

/* Two accesses that race. */
struct race_pair {
    struct engine *e;
    const struct seen *before;
    int lane; /* of the threads `before` */
    enum race_act act_before;
    const struct present *present;
    enum race_act act;
    enum space space;
    uint64_t address; /* in the space */
    uint32_t bytes;
};

/* Two instructions that race, whichever came first. */
struct finding {
    int32_t low_pc, high_pc;
    enum race_kind kind;
    uint64_t times;
    char *text; /* NULL beyond RACE_MAX_KEPT */
};

struct race {
    struct order order;
    struct shadow *shadow;
    struct vec_of(struct finding) findings;
};

/* race_report.c */
void race_found(struct race *r, const struct race_pair *pair);
void race_forget_findings(struct race *r);

#endif
