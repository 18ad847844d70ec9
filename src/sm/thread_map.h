/*
 * The thread map: which strands have threads of which row, and which home slots and slices a strand's threads take.
 *
 * A thread is in at most one strand; a thread that is in none belongs to the mechanism. The functions below are the
 * only ones that change the threads of a strand, so that the map always agrees with the strands. Other files read the
 * row lists.
 */
#ifndef HEDDLE_SM_THREAD_MAP_H
#define HEDDLE_SM_THREAD_MAP_H

#include "base/storage.h"
#include "exec/strand.h"
#include "lanes/lanes.h"
#include "sm/bundles/bundles.h"

struct sm;

/* The strands that have threads of one row, in the order of their lowest lanes. A strand is found by its lowest lane,
 * without a search. */
struct row_strands {
    uint32_t in_strands;       /* lanes of the threads of all these strands */
    uint32_t lowest;           /* the lowest lane of each strand */
    int16_t id[ROW_LANES];     /* [lowest lane] the strand */
    uint32_t lanes[ROW_LANES]; /* [lowest lane] lanes of the strand's threads */
};

struct thread_map {
    struct row_strands *rows; /* [row] */
    struct bundles bundles;   /* bundles.c: strands as seen from their threads, only with host.facts.bundles */
};

void thread_map_open(struct thread_map *m, int rows, struct storage *storage);

int32_t thread_map_find(const struct sm *sm, int32_t row, int lane); /* id of the thread's strand, or -1 */
/* Home slots, one bit each, of lanes of a row. */
uint64_t thread_map_slots(const struct sm *sm, int32_t row, uint32_t lanes);
/* Keeps the place of the strand's block until the strand's writes of fixed latency are done, before threads leave the
 * strand or end. Where strands mix blocks, issue.c does it at each issue. */
void thread_map_keep_rows(struct sm *sm, const struct strand *s);
/* Gives a strand that has no threads these threads, which must be in no strand. */
void thread_map_enter(struct sm *sm, struct strand *s, const struct threads *threads);
/* Gives a strand other threads; those that it had and no longer has are in no strand. */
void thread_map_change(struct sm *sm, struct strand *s, const struct threads *threads);
/* A strand of one row keeps these lanes; `rest`, which has no threads, gets the others, and is in the same state. */
void thread_map_divide(struct sm *sm, struct strand *s, uint32_t lanes, struct strand *rest);
/* A strand of one row gets all threads of another one of that row, which is in the same state. */
void thread_map_unite(struct sm *sm, struct strand *s, struct strand *from);
/* Takes threads of a row out of the strand: they have ended. */
void thread_map_lose(struct sm *sm, struct strand *s, int32_t row, uint32_t mask);
/* Takes all threads out of the strand. */
void thread_map_leave(struct sm *sm, struct strand *s);

#endif
