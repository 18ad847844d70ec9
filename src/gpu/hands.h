/*
 * Hands: what host threads need to run multiprocessors (SMs) of one launch side by side.
 *
 * Each hand has some SMs, always the same ones, and an engine and counters by PC that only these SMs use. The caller of
 * gpu_launch() is the first hand, and the only one if the launch is followed step by step (a trace, an observer, a
 * recording, the race check), if its SMs share an ideal memory, or if they reach into each other's shared memory, where
 * clusters are spread. What is simulated does not depend on the number of
 * hands: windows.c says why.
 */
#ifndef HEDDLE_GPU_HANDS_H
#define HEDDLE_GPU_HANDS_H

#include "gpu/internal.h"

/* Whether hands are faster together. With little to do in a window, or on a host whose cores are busy, waiting for each
 * other takes longer than the work. So both ways are tried now and then, and the faster one is kept for a while. Only
 * host time depends on it. */
struct pace {
    enum { PACE_TRIES_TOGETHER, PACE_TRIES_ALONE, PACE_KEEPS } phase;
    int windows;                 /* of this phase so far */
    bool is_together;            /* in PACE_KEEPS */
    double kept_until;           /* likewise: host time, in seconds */
    double seconds[2], turns[2]; /* of the two trials */
};

struct hand {
    struct engine *engine;
    struct site *sites;          /* [PC] */
    struct launch_result result; /* of a forked engine */
    int first_sm, end_sm;        /* the SMs of this hand: numbers from first_sm up to end_sm, exclusively */
    int fault_sm;                /* SM of this hand that made a fault in this window; -1: none did */
    struct fault fault;          /* of fault_sm */
};

/* Whether nobody follows the launch step by step, and its SMs share nothing but memory: they may run in any order. */
bool hands_are_free(const struct gpu *g);
/* Opens the hands of a launch whose engine, SM count and counters by PC are known. */
void hands_open(struct gpu *g, struct site *sites);
void hands_close(struct gpu *g);
/* The hand that runs the SM. */
struct hand *hands_of(const struct gpu *g, int sm);
/* Calls the function for every hand; for all at the same time, if that `may` be and has been faster of late. `turns`:
 * how many SMs have something to do. */
void hands_run(struct gpu *g, void (*fn)(struct gpu *g, struct hand *hand), int turns, bool may);
/* Adds what hands counted by themselves to the first hand's counters. */
void hands_gather(struct gpu *g);

#endif
