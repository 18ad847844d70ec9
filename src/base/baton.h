/*
 * A baton: a number that says which of several pieces of work is next, where host threads do one piece after the other.
 * What a thread wrote before it passes the baton on is seen by the thread that waits for it.
 */
#ifndef HEDDLE_BASE_BATON_H
#define HEDDLE_BASE_BATON_H

#include "base/pause.h"

#include <sched.h>
#include <stdatomic.h>

/* How often a thread looks before it lets others have its core: they may include the one it waits for. */
enum { BATON_MOST_LOOKS = 4000 };

struct baton {
    atomic_int at; /* number of the piece of work that is next; the first is 0 */
};

static inline void baton_await(struct baton *b, int piece)
{
    for (int looks = 0; atomic_load_explicit(&b->at, memory_order_acquire) != piece; looks++) {
        if (looks < BATON_MOST_LOOKS)
            pause_a_moment();
        else
            sched_yield();
    }
}

static inline void baton_pass(struct baton *b, int piece)
{
    atomic_store_explicit(&b->at, piece, memory_order_release);
}

#endif
