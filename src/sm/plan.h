/*
 * The plan of a program on a machine: for each PC, what issuing it takes. Made once a launch, shared by all
 * multiprocessors, read-only after.
 *
 * Instructions that need the same unit and the same memory port are of one class; schedulers are told by class what can
 * issue.
 */
#ifndef HEDDLE_SM_PLAN_H
#define HEDDLE_SM_PLAN_H

#include "exec/bound.h"
#include "mem/mem.h"
#include "sched/sched.h"
#include "sm/config.h"

enum { PLAN_MAX_CHECKS = 24, PLAN_CHECK_BITS = 64, PLAN_NO_PORT = -1 };

struct plan {
    uint8_t class;
    uint8_t unit;     /* enum sm_unit */
    uint8_t op_class; /* enum op_class */
    uint8_t operands; /* cycles more that reading the operands takes, for conflicts of register banks */
    bool accesses;    /* memory of any kind */
    bool bypasses_l1;
    bool is_control;                 /* decides where its threads go, or makes them wait */
    bool is_branch;                  /* can go more than one way */
    uint8_t check_count, dest_count; /* of `plane`; destinations come first */
    uint16_t latency, interval;
    uint64_t checks;                /* bits of the registers in `plane`, each by its number modulo PLAN_CHECK_BITS */
    int16_t plane[PLAN_MAX_CHECKS]; /* registers that must have been written: destinations, sources, guard */
};

struct plan_class {
    int unit; /* enum sm_unit */
    int kind; /* enum mem_kind whose port it needs, or PLAN_NO_PORT */
};

struct plans {
    struct plan *at; /* by PC; one more for convergence-barrier operations */
    int32_t sync;    /* where that is */
    int class_count;
    struct plan_class class[SCHED_MAX_CLASSES];
    uint32_t classes_of_unit[SM_UNIT_COUNT]; /* bits */
    uint32_t port_classes;                   /* bits of those that need a memory port free */
};

struct plans *plans_create(const struct code *code, const struct sm_config *config);
void plans_destroy(struct plans *plans);

#endif
