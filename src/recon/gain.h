/*
 * Gain: what a prediction saves a warp, estimated from costs (recon/cost.h) and from how often threads do what.
 *
 * Times are those that a warp takes until each of its threads has once done what is predicted: run the common code of an
 * iteration delay, or stayed in the inner loop of a loop merge. A gain is the time with barriers at post-dominators over
 * that with the prediction.
 *
 * Threads are taken to be alike and independent: each comes to the point with some probability a round, and leaves a loop
 * so. What a profile does not know is guessed, and guesses may be wrong; so there are several, and of the thresholds that
 * threads could wait with (all of them, or some) the one is chosen that does best over all of them: if something happens
 * more rarely than thought much more may be gained than is lost if it happens more often.
 *
 *   delay  the probability; a quarter of it; half of that to miss it
 *   merge  the rounds of a stay; half as many, and entered half as often; threads that leave after up to twice the mean,
 *          and not now and then one after four times; all threads that leave together, when nothing is gained
 */
#ifndef HEDDLE_RECON_GAIN_H
#define HEDDLE_RECON_GAIN_H

#include <stdbool.h>

/* A round of a loop: `rest` is run by all threads now, and would cost `apart`; `common` with probability `often`. */
struct gain_delay {
    double common, rest, apart, often;
};

/*
 * An uneven loop within another: threads stay for `rounds` rounds of `body`, the longest of a warp `spread` times that (0:
 * not known); in a round of the outer loop they come there with probability `entered`, and the rest of it costs `rest`,
 * or `apart` if few threads do it.
 */
struct gain_merge {
    double body, rounds, spread, rest, apart, entered;
};

struct gain {
    double mean;   /* over all guesses, geometric */
    double least;  /* of all guesses */
    int threshold; /* that it takes; 0: all threads */
};

/* Of warps with `width` threads. Known: nothing is guessed. */
struct gain gain_of_delay(double width, const struct gain_delay *delay, bool is_known);
struct gain gain_of_merge(double width, const struct gain_merge *merge, bool is_known);

#define GAIN_LEAST 0.8 /* that may be left of the speed if a guess is wrong */
enum {
    GAIN_WAIT_COST = 3,
    GAIN_SOFT_COST = 4
}; /* issue slots of operations at a point: cancel, wait, rejoin; and again */

#endif
