/*
 * Ready strands by PC, and where most threads wait: what majority and max-heap are made of.
 *
 * Each port has a list of ready strands a PC, in the order in which they came, and a heap of the PCs that have any, the
 * one with most threads on top; of equal ones the lower PC. A port stays with the PC it chose until none waits there,
 * those that come late included. Strands with a key below zero stand in a list of their own, before all others.
 */
#ifndef HEDDLE_SCHED_PARTS_PC_HEAP_H
#define HEDDLE_SCHED_PARTS_PC_HEAP_H

#include "base/vec.h"
#include "sched/sched.h"

struct pc_heap_list {
    int16_t first, last; /* strand ids; -1: none */
};

struct pc_heap_group {
    struct pc_heap_list list;
    int32_t threads;
    uint32_t classes; /* bits: of strands that came since it was empty */
    int32_t place;    /* in the heap; -1: no strand is ready there */
};

struct pc_heap_port {
    struct vec_of(struct pc_heap_group) pcs; /* by PC */
    struct vec_of(int32_t) heap;             /* PCs */
    struct pc_heap_list urgent;
    int32_t chosen; /* PC; -1: none */
};

/* Of a ready strand; the PC stays known until it is ready again. */
struct pc_heap_strand {
    struct strand *strand; /* NULL: not ready */
    int32_t pc, threads;
    int16_t previous, next; /* in its list */
    int8_t class, port;
    bool urgent;
};

/* Entries of the heap that a change read and wrote. */
struct pc_heap_cost {
    int reads, writes;
};

struct pc_heap {
    int ports;
    struct pc_heap_strand member[SCHED_MAX_STRANDS]; /* by id */
    struct pc_heap_port port[];
};

struct pc_heap *pc_heap_create(int ports);
void pc_heap_destroy(struct pc_heap *c);
struct pc_heap_cost pc_heap_enter(struct pc_heap *c, struct strand *strand, int class); /* ready */
struct pc_heap_cost pc_heap_leave(struct pc_heap *c, const struct strand *strand);      /* if it was */
/* If the chosen PC cannot issue, another may in its stead, but the turn stays. */
struct strand *pc_heap_pick(const struct pc_heap *c, const struct sched_ask *ask);
void pc_heap_issued(struct pc_heap *c, int port, const struct strand *strand);

#endif
