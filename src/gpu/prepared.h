/*
 * What a launch needs of its code on a machine under a mechanism, whatever its blocks do: plans by PC, convergence
 * barriers, and what scalar units execute. It takes time for every instruction of the kernel, so it is made at the
 * kernel's first launch and kept with the code.
 */
#ifndef HEDDLE_GPU_PREPARED_H
#define HEDDLE_GPU_PREPARED_H

#include "gpu/gpu.h"
#include "gpu/scalar.h"
#include "sm/config.h"

struct origins;
struct plans;

struct prepared {
    /* what it was made for */
    struct sm_config config;
    unsigned flags;                   /* of the mechanism */
    const struct barrier_plan *given; /* convergence barriers that the run brought; NULL: it brought none */

    const struct program *program;       /* the program as the mechanism sees it: the code's, or `plain` */
    struct program plain;                /* the program with post-dominators as its only reconvergence points */
    const struct barrier_plan *barriers; /* `given`, or `placed`; NULL: the mechanism needs none */
    struct barrier_plan *placed;         /* made here, at post-dominators; or NULL */
    struct scalar_facts scalar;          /* by PC: what scalar units execute */
    struct plans *plans;                 /* by PC: how an SM issues the instruction (sm/plan.h) */
    struct origins *origins;             /* see prepared_origins(); NULL before its first call */
    bool *shared;                        /* see prepared_share(): what it was told last; NULL: nothing */
};

/* What the code's last launch left, if that was for the same machine and mechanism, or new. */
struct prepared *prepared_take(const struct gpu_run *run, const struct code *code);
/* What the addresses of the program's accesses come from (flow/origins.h). */
const struct origins *prepared_origins(struct prepared *p);
/* Tells the plans at which accesses of the origins the next launch may read what another multiprocessor writes. False:
 * the plans cannot tell these accesses apart. */
bool prepared_share(struct prepared *p, const bool *is_shared);
/* The launch has ended; NULL: it was refused before it needed anything. */
void prepared_leave(struct prepared *p);

#endif
