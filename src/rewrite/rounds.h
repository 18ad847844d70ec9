/*
 * Rounds: makes the threads of a warp go through a loop in rounds, each of which begins with a vote.
 *
 * This is how programmers, and compilers that know no convergence barriers, let threads meet at code that not all of
 * them come to at the same time: Iteration Delay (Han and Abdelrahman, Reducing Branch Divergence in GPU Programs,
 * GPGPU 2011), Loop Merging (the same, GPGPU 2013), both as Damani et al. describe them (Speculative Reconvergence, CGO
 * 2020, section 7). A gate is a place in the loop where a thread stops until the vote lets it pass:
 *
 *   before    ... -> gate -> A -> ...                 a loop, with exits
 *   after     activemask G                            ahead of the loop: the threads that enter the loop together
 *             ... -> where = gate; bra VOTE           in the loop, instead of passing the gate
 *             exit -> where = exit; bra VOTE          instead of leaving the loop
 *       VOTE: vote.sync among all threads of G        all are here: at a gate, or done with the loop
 *             nobody is at a gate: go to the exits
 *             chosen: go on behind the gate
 *             others: bra VOTE
 *
 * Which threads are chosen, of those at a gate:
 *
 *   ROUNDS_ALL       all. Threads come to the vote from any iteration, so those that were chosen run the code
 *                    behind the gate together
 *   ROUNDS_MAJORITY  gates are of two sides; those of the side that more threads are at, of the first in a tie
 *
 * Why every thread ends: all threads of G execute every vote, because a thread leaves the loop only when the vote finds
 * nobody at a gate. A vote that finds somebody lets at least one thread pass. Each thread passes the gates that it
 * would have passed in the loop as it was, since a vote changes no register that the program reads; so no thread passes
 * more of them than before. G is fixed ahead of the loop, so nothing depends on which threads a mechanism, or a GPU,
 * runs together later; a vote.sync waits for all threads that it names, wherever they are. Threads that end within the
 * loop are not waited for.
 *
 * In the graph, the vote comes behind every path from gate to gate, so it is the post-dominator at which threads
 * reconverge under every mechanism that knows post-dominators.
 *
 * Refused are loops in which threads may wait for each other, since a thread that is done with the loop stays in it:
 * loops with block barriers, warp-level operations, atom.cas and atom.exch, volatile, relaxed or acquiring loads. Not
 * seen: a loop that polls memory with another atomic (atom.add of 0) until a thread of its own warp has left the loop.
 */
#ifndef HEDDLE_REWRITE_ROUNDS_H
#define HEDDLE_REWRITE_ROUNDS_H

#include "flow/program.h"

enum rounds_policy { ROUNDS_ALL, ROUNDS_MAJORITY };

/* A gate: on the edge between two blocks; or, if `from` is -1, at the beginning of the block `to`, however a thread
 * comes there. Blocks are those of the program. */
struct rounds_gate {
    int32_t from, to;
    bool is_second; /* of the second side; ROUNDS_ALL has one side */
};

struct rounds {
    const struct program *program;
    int loop; /* of the program; all gates lie in it */
    enum rounds_policy policy;
    int gate_count;
    const struct rounds_gate *gates;
};

/* Whether the block is in the loop or in a loop inside it. */
bool rounds_holds(const struct program *program, int loop, int32_t block);

/* Why the loop cannot go in rounds, or NULL. The text is in the arena. */
const char *rounds_refusal(const struct rounds *rounds, struct arena *arena);

/* Changes the loop's function, for which rounds_refusal() has found nothing. The program is not valid afterwards. */
void rounds_apply(const struct rounds *rounds, struct ptx_module *module);

#endif
