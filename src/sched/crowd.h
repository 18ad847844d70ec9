/*
 * Ready strands by PC, and where most threads wait: what majority and max-heap are made of.
 *
 * Each port has a list of ready strands a PC, in the order in which they came, and a heap of the PCs that have any, the
 * one with most threads on top; of equal ones the lower PC. A port stays with the PC it chose until none waits there,
 * those that come late included. Strands with a key below zero stand in a list of their own, before all others.
 */
#ifndef HEDDLE_SCHED_CROWD_H
#define HEDDLE_SCHED_CROWD_H

#include "base/vec.h"
#include "sched/sched.h"

struct crowd_list {
    int16_t first, last; /* strand ids; -1: none */
};

struct crowd_pc {
    struct crowd_list list;
    int32_t threads;
    uint32_t classes; /* bits: of strands that came since it was empty */
    int32_t place;    /* in the heap; -1: no strand is ready there */
};

struct crowd_port {
    struct vec_of(struct crowd_pc) pcs; /* by PC */
    struct vec_of(int32_t) heap;        /* PCs */
    struct crowd_list urgent;
    int32_t chosen; /* PC; -1: none */
};

/* Of a ready strand; the PC stays known until it is ready again. */
struct crowd_strand {
    struct strand *strand; /* NULL: not ready */
    int32_t pc, threads;
    int16_t previous, next; /* in its list */
    int8_t class, port;
    bool urgent;
};

/* Entries of the heap that a change read and wrote. */
struct crowd_cost {
    int reads, writes;
};

struct crowd {
    int ports;
    struct crowd_strand member[SCHED_MAX_STRANDS]; /* by id */
    struct crowd_port port[];
};

struct crowd *crowd_create(int ports);
void crowd_destroy(struct crowd *c);
struct crowd_cost crowd_enter(struct crowd *c, struct strand *strand, int class); /* ready */
struct crowd_cost crowd_leave(struct crowd *c, const struct strand *strand);      /* if it was */
/* If the chosen PC cannot issue, another may in its stead, but the turn stays. */
struct strand *crowd_pick(const struct crowd *c, const struct sched_ask *ask);
void crowd_issued(struct crowd *c, int port, const struct strand *strand);

#endif
