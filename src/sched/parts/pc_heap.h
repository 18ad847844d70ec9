/*
 * Ready strands by PC, and a heap of PCs by how many threads wait there: the part that majority and max-heap share.
 *
 * Each port has one list per PC of the strands ready there, in order of arrival, and a heap of the PCs whose list is
 * not empty. On top of the heap is the PC with most threads; of PCs with equally many, the lowest. A port stays with
 * the PC that it chose until no strand is ready there, strands that arrive later included. Strands with a key below
 * zero are in a list of their own (`urgent`), which comes before all PCs.
 */
#ifndef HEDDLE_SCHED_PARTS_PC_HEAP_H
#define HEDDLE_SCHED_PARTS_PC_HEAP_H

#include "base/vec.h"
#include "sched/sched.h"

struct pc_heap_list {
    int16_t first, last; /* strand ids; -1: the list is empty */
};

/* The strands that are ready at one PC. */
struct pc_heap_group {
    struct pc_heap_list list; /* strands that are ready at the PC, in order of arrival */
    int32_t threads;          /* of those strands */
    uint32_t classes;         /* bits: classes of all strands that arrived since the list was last empty */
    int32_t place;            /* index in the heap; -1: no strand is ready at the PC */
};

struct pc_heap_port {
    struct vec_of(struct pc_heap_group) pcs; /* [PC] */
    struct vec_of(int32_t) heap;             /* PCs; each has at least as many threads as its two children */
    struct pc_heap_list urgent;
    int32_t chosen; /* the PC that the port stays with; -1: none */
};

/* What the heap keeps of a ready strand. The PC stays until the strand is ready again. */
struct pc_heap_strand {
    struct strand *strand; /* NULL: not ready */
    int32_t pc, threads;
    int16_t previous, next; /* ids of its neighbours in its list; -1: none */
    int8_t class, port;
    bool urgent; /* its key is below zero */
};

/* How many heap entries a change read and wrote: hardware needs a port for each. */
struct pc_heap_cost {
    int reads, writes;
};

struct pc_heap {
    int ports;
    struct pc_heap_strand member[SCHED_MAX_STRANDS]; /* [strand id] */
    struct pc_heap_port port[];
};

struct pc_heap *pc_heap_create(int ports);
void pc_heap_destroy(struct pc_heap *c);
struct pc_heap_cost pc_heap_enter(struct pc_heap *c, struct strand *strand, int class); /* the strand becomes ready */
/* the strand is no longer ready; a no-op if it was not */
struct pc_heap_cost pc_heap_leave(struct pc_heap *c, const struct strand *strand);
/* A strand of the port's chosen PC or, if none fits, of the best other PC; the port's choice stays. NULL: none fits. */
struct strand *pc_heap_pick(const struct pc_heap *c, const struct sched_ask *ask);
void pc_heap_issued(struct pc_heap *c, int port, const struct strand *strand);

#endif
