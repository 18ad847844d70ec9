/*
 * The plan of a program on a machine: for each PC, what issuing the instruction takes. Plans are made at a kernel's
 * first launch, shared by all multiprocessors, and read-only after that.
 *
 * Instructions that need the same unit and the same memory port are of one class. The pipeline tells schedulers by
 * class what cannot issue.
 */
#ifndef HEDDLE_SM_PLAN_H
#define HEDDLE_SM_PLAN_H

#include "exec/bound.h"
#include "mem/mem.h"
#include "sched/sched.h"
#include "sm/config.h"

/* PLAN_FIRST_CHECKS: entries of plan.plane that always say something: those without a register are PLAN_NO_PLANE. */
enum { PLAN_MAX_CHECKS = 40, PLAN_FIRST_CHECKS = 4, PLAN_NO_PLANE = -1, PLAN_CHECK_BITS = 64, PLAN_NO_PORT = -1 };

/* How an instruction takes part in work that goes on behind the instruction which starts it (sm/async/async.h). */
enum plan_async {
    PLAN_NOT_ASYNC,
    PLAN_MULTIPLIES,       /* wgmma.mma_async */
    PLAN_COMMITS_PRODUCTS, /* wgmma.commit_group */
    PLAN_AWAITS_PRODUCTS,  /* wgmma.wait_group */
    PLAN_COPIES,           /* a bulk copy, or a copy of a tensor */
    PLAN_COMMITS_COPIES,   /* cp.async.bulk.commit_group */
    PLAN_AWAITS_COPIES,    /* cp.async.bulk.wait_group, with .read or not */
    PLAN_AWAITS_PHASE      /* mbarrier.try_wait */
};

struct plan {
    uint8_t class;                  /* index in plans.class */
    uint8_t unit;                   /* enum sm_unit */
    uint8_t op_class;               /* enum op_class */
    uint8_t operands;               /* additional passes for reading operands that lie in one register bank */
    bool accesses;                  /* loads, stores, atomics and texture fetches, to any memory */
    bool bypasses_l1;               /* the access does not look in the L1 data cache */
    bool is_control;                /* the instruction decides where its threads go, or makes them wait */
    bool is_awaited;                /* a load: an instruction behind it, in a straight line, waits for its data */
    bool joins_block;               /* a barrier for all live threads of the block */
    bool tries;                     /* mbarrier.try_wait */
    bool is_simple;                 /* simple.h: a lane handler computes it, without a clock; or a direct branch */
    bool is_lanes;                  /* is_simple, and no branch */
    uint8_t async;                  /* enum plan_async */
    uint8_t groups;                 /* of an instruction that waits for groups: how many may be under way */
    bool is_branch;                 /* the instruction can send threads to more than one place */
    uint8_t check_count;            /* registers in `plane` */
    uint8_t passes;                 /* passes of a whole strand through the unit */
    uint8_t dest_count;             /* destinations; they come first in `plane` */
    uint16_t latency;               /* cycles from issue to the issue of a dependent instruction */
    uint16_t product;               /* of wgmma: cycles for which it takes a tensor core */
    uint16_t interval;              /* cycles for which one pass holds the unit */
    uint32_t due_cycles;            /* cycles from issue to the write of the results, if the strand takes all passes */
    uint32_t held_cycles;           /* cycles for which all passes of a strand hold the unit */
    const struct bound *bound;      /* the instruction; NULL: an operation of the mechanism */
    uint64_t checks;                /* one bit per register in `plane`, at its number modulo PLAN_CHECK_BITS */
    int16_t plane[PLAN_MAX_CHECKS]; /* registers that must be written before issue: destinations, sources, guard */
};

/* The bit of a register in plan.checks. */
static inline uint64_t plan_check_bit(int plane)
{
    return UINT64_C(1) << plane % PLAN_CHECK_BITS;
}

struct plan_class {
    int unit;          /* enum sm_unit */
    bool is_ordered;   /* see plans.ordered_classes */
    bool gives_result; /* see plans.result_classes */
    bool is_shared;    /* see plans.shared_classes */
    int kind;          /* enum mem_kind of the port that the class uses, or PLAN_NO_PORT */
    uint32_t ports;    /* bits of enum mem_kind: ports that must be free when an instruction of the class issues */
};

struct plans {
    struct plan *at; /* [PC]; one more, at `sync` */
    int32_t sync;    /* index of the plan of convergence-barrier operations */
    int class_count;
    struct plan_class class[SCHED_MAX_CLASSES];
    uint32_t classes_of_unit[SM_UNIT_COUNT]; /* [unit]: one bit per class that uses the unit */
    uint32_t classes_of_port[MEM_KINDS + 1]; /* [enum mem_kind]: one bit per class that uses the port; last: no port */
    uint32_t port_classes;                   /* one bit per class that needs a free memory port */
    /* One bit per class of instructions that other multiprocessors may see at once, or that need what others did up to
     * now: atomics in global memory that give a result, surfaces, asynchronous copies, wmma's loads and stores, printf,
     * malloc. They issue while no other multiprocessor runs. */
    uint32_t ordered_classes;
    /* One bit per class of those of the ordered classes whose instructions are atomics that can be posted: where only
     * they let values flow between multiprocessors, they need not wait (sm_run_limits.defers). */
    uint32_t result_classes;
    bool reads_unasked; /* some instruction reads registers that are not in its plan: then result_classes is 0 */
    /* One bit per class of reads of what other multiprocessors may write in the launch: see plans_share(). They issue
     * while all others are in the same window, or behind it. */
    uint32_t shared_classes;
    bool has_async; /* some instruction starts asynchronous work */
};

/* `is_scalar`: [PC] instructions that scalar units execute; NULL: none. `is_least`: for DIV_LEAST_TIME, every
 * instruction takes its least time, whichever unit a mechanism has execute it. */
struct plans *plans_create(const struct code *code, const struct sm_config *config, const bool *is_scalar,
                           bool is_least);
void plans_destroy(struct plans *plans);
/* For the next launch: at these PCs, and at no others, the program may read what another multiprocessor writes. False:
 * there would be too many classes. */
bool plans_share(struct plans *plans, const bool *is_shared);

#endif
