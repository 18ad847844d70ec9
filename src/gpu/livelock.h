/*
 * Livelocks: finds, with certainty, launches in which no thread will ever do anything new.
 *
 * The argument: while no memory changes, what a thread does depends on its own registers alone. If a thread
 * comes back to a place with all its registers as they were, and no memory changed in between, it goes round
 * for ever as long as no memory changes; and if that holds of every thread that runs at all, none will ever
 * change any. Threads in no strand belong to the mechanism, which does not let them run while those that do
 * run only repeat themselves; mechanisms that decide by time (tick, idle, memory, limits at barriers) or by
 * instruction may, and say of which threads (`comes` of div.h): of these none may be held back.
 *
 * Not seen, and left to the limit of instructions: loops that count, read a clock, call functions, store
 * (even what was there already), or meet at barriers.
 *
 * It costs a comparison every few thousand cycles. Only a launch that has written nothing for long is looked
 * at more closely, for a bounded while and ever more rarely.
 */
#ifndef HEDDLE_GPU_LIVELOCK_H
#define HEDDLE_GPU_LIVELOCK_H

#include "gpu/deadlock.h"

struct livelock {
    bool is_watching; /* then the two calls at the end are due */
    const struct scene *scene;
    const struct sm_site *sites; /* by PC */
    uint64_t issued, writes;     /* when memory last changed, as far as is known */
    int looks;                   /* so far, by turns */
    uint64_t patience;           /* warp instructions without a write before it looks closely */
    struct livelock_watch *watch;
};

void livelock_start(struct livelock *l, const struct scene *scene, const struct sm_site *sites);
void livelock_end(struct livelock *l);
/* Now and then, with the warp instructions issued so far. */
void livelock_check(struct livelock *l, uint64_t issued);
/* After each cycle of a multiprocessor; they need not be at the same cycle. */
void livelock_observe(struct livelock *l, int sm);
/* After all of them. True: nothing will ever change again. */
bool livelock_is_certain(struct livelock *l);

#endif
