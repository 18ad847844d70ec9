/*
 * Gain: how much faster a prediction makes a warp, estimated from costs (recon/cost.h) and from how often threads do
 * what.
 *
 * A time is the time that a warp takes until each of its threads has once done what is predicted: run the common code
 * of an iteration delay, or stayed in the inner loop of a loop merge. A gain is the time with barriers at
 * post-dominators over the time with the prediction.
 *
 * Threads are assumed to be alike and independent: each comes to the point, and leaves a loop, with some probability
 * per iteration. What no profile knows is guessed. Guesses may be wrong, so there are several, and of the thresholds
 * that threads could wait with, the one with the best mean gain over all guesses is chosen: if something happens more
 * rarely than guessed, much more may be gained than is lost if it happens more often.
 *
 *   delay  guesses of the probability p: p; p / 4; (1 + p) / 2
 *   merge  the iterations of a stay as estimated; half as many, and entered half as often; no thread stays longer than
 *          twice the mean; all threads leave together, so that nothing is gained
 */
#ifndef HEDDLE_RECON_GAIN_H
#define HEDDLE_RECON_GAIN_H

#include <stdbool.h>

/* An iteration of a loop, costs in issue slots. */
struct gain_delay {
    double common;        /* cost of the code that the prediction makes threads run together */
    double rest;          /* cost of the rest of the iteration, run by all threads */
    double rest_diverged; /* cost of the rest of the iteration if few threads run it */
    double often;         /* probability that a thread runs the common code in an iteration */
};

/* A loop within another loop, costs in issue slots. */
struct gain_merge {
    double body;          /* cost of an iteration of the inner loop */
    double rounds;        /* mean iterations of a stay in the inner loop */
    double spread;        /* longest stay of a warp's threads over the mean stay; 0: not known */
    double rest;          /* cost of the rest of an iteration of the outer loop */
    double rest_diverged; /* cost of the rest of an iteration of the outer loop if few threads run it */
    double entered;       /* probability that a thread enters the inner loop in an iteration of the outer one */
};

struct gain {
    double mean;   /* geometric mean over all guesses */
    double least;  /* with the worst guess */
    int threshold; /* threads of the soft barrier that gives this gain; 0: all threads wait */
};

/* The best gain for warps of `width` threads. is_known: the numbers come from a profile, and nothing is guessed. */
struct gain gain_of_delay(double width, const struct gain_delay *delay, bool is_known);
struct gain gain_of_merge(double width, const struct gain_merge *merge, bool is_known);

#define GAIN_LEAST 0.8 /* least speed, relative to no prediction, that the worst guess may lead to */
/* Issue slots of the operations at a point: cancel of the other barrier, wait, rejoin; of a soft barrier, also a rejoin
 * of the other barrier. */
enum { GAIN_WAIT_COST = 3, GAIN_SOFT_COST = 4 };

#endif
