/*
 * Hands: what host threads need to run multiprocessors (SMs) of one launch side by side.
 *
 * Each hand has an engine and counters by PC, with which it runs one SM at a time. It begins with SMs that are mostly
 * the same, since their state is in its core's cache, and then helps other hands with theirs. The caller of
 * gpu_launch() is the first hand, and the only one if the launch is followed step by step (a trace, an observer, a
 * recording, the race check), if its SMs share an ideal memory, or if they reach into each other's shared memory, where
 * clusters are spread. What is simulated depends neither on the number of hands nor on who runs which SM: windows.c
 * says why.
 */
#ifndef HEDDLE_GPU_HANDS_H
#define HEDDLE_GPU_HANDS_H

#include "base/deck.h"
#include "gpu/internal.h"

/* Hands begin at cache lines of the host: what one writes the others do not read. */
struct hand {
    struct deck turns; /* places in the window's list of turns that this hand begins with */
    struct engine *engine;
    struct site *sites;          /* [PC] */
    bool has_counted;            /* in `sites` or `result`, since hands_gather() */
    struct launch_result result; /* of a forked engine */
    int end_sm;                  /* the SMs that this hand begins with: from the end of the hand before up to this */
    double worked;               /* processor time in a window that hands were tried in together, in seconds */
    int fault_sm;                /* the first SM that made a fault in this hand in this window; -1: none did */
    struct fault fault;          /* of fault_sm */
} __attribute__((aligned(64)));

/* A turn that is to be had by a certain hand. */
struct hand_turn {
    int sm, hand; /* numbers */
};
typedef bool hand_turn_fn(struct gpu *g, struct hand *hand, int sm);

/* Whether nobody follows the launch step by step, and its SMs share nothing but memory: they may run in any order. */
bool hands_are_free(const struct gpu *g);
/* Opens the hands of a launch whose engine, SM count and counters by PC are known. */
void hands_open(struct gpu *g, struct site *sites);
void hands_close(struct gpu *g);
/* Calls the function for every hand at the same time, if that `may` be and has been faster of late (gpu/pace.h), or
 * else for the first hand alone. The function is to run the SMs that hands_next_turn() gives. */
void hands_run(struct gpu *g, void (*fn)(struct gpu *g, struct hand *hand), bool may);
/* Calls the function for each turn, one after the other, each on the thread of its hand: an SM that goes on where it
 * was is in the cache of that thread's core. Where blocks without time may start in a turn (gpu/skip.h), all turns are
 * on the caller's thread, since such blocks have host threads of their own. Ends behind the first turn for which the
 * function gives false, and gives false too. */
bool hands_run_in_order(struct gpu *g, const struct hand_turn *turns, int count, hand_turn_fn *fn);
/* The next SM that the hand is to run in this window; -1 if all have been given. */
int hands_next_turn(struct gpu *g, struct hand *hand);
/* Adds what hands counted by themselves to the first hand's counters. */
void hands_gather(struct gpu *g);

#endif
