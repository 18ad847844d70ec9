/*
 * Accesses in flight to the memory system, and the access that the current cycle collects.
 *
 * An access that wants a reply is a list of flights, one for each row with threads in it. The number of the first
 * flight is the access's ticket in mem/. Flights are storage only: access.c sends accesses and takes replies, and no
 * other file writes anything here.
 */
#ifndef HEDDLE_SM_FLIGHTS_H
#define HEDDLE_SM_FLIGHTS_H

#include "base/vec.h"
#include "mem/mem.h"
#include "sm/scoreboard.h"

/* The lanes of one row that an access brings data for. */
struct sm_flight {
    struct scoreboard_load load; /* row, threads of the strand there, and what is still pending in the scoreboard */
    uint32_t active;             /* lanes of load.mask that access memory; a guard switches the others off */
    uint32_t arrived;            /* lanes of `active` whose data has returned */
    int32_t first_lane;          /* number of the lowest lane of `active` among the lanes of the whole access */
    int32_t strand;              /* id of the strand that issued the access */
    uint32_t generation;         /* generation of that strand */
    int32_t next;                /* next flight of the same access, or next free flight; -1 ends the list */
};

/* What strands of one cycle's issue group access in one way: all load, say, and want replies. */
struct access_group {
    struct mem_access access; /* the lanes of all strands that joined */
    int32_t first, last;      /* flights of the access; -1: none */
    int32_t pc;               /* PC of the strand that joined last */
};

struct flights {
    int pending;                          /* accesses sent that memory has not answered completely */
    int32_t free_first;                   /* first free flight; -1: none */
    struct vec_of(struct sm_flight) pool; /* all flights, by number */
    int open_groups;                      /* groups that some strand has joined, and that were not sent yet */
    int open_lanes;                       /* lanes of all these groups */
    struct access_group group[MEM_MAX_PARTS];
};

static inline void flights_open(struct flights *f)
{
    f->free_first = -1;
}

static inline void flights_close(struct flights *f)
{
    vec_free(&f->pool);
}

static inline struct sm_flight *flights_at(struct flights *f, int32_t number)
{
    return &f->pool.data[number];
}

/* Number of an unused flight. Pointers to flights are invalid after this call. */
static inline int32_t flights_take(struct flights *f)
{
    if (f->free_first < 0) {
        vec_push(&f->pool, (struct sm_flight){.next = -1});
        f->free_first = f->pool.count - 1;
    }
    int32_t number = f->free_first;
    f->free_first = f->pool.data[number].next;
    return number;
}

static inline void flights_put_back(struct flights *f, int32_t number)
{
    f->pool.data[number].next = f->free_first;
    f->free_first = number;
}

#endif
