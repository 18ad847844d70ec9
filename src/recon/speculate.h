/*
 * Speculative reconvergence: a pass from predictions to barriers, after Damani et al. (CGO 2020, sections 4.2 to 4.6).
 *
 * It starts from the barriers of post-dominators (recon/place_barriers.h). For each prediction
 *
 *   join     where the region begins, and wait at the point
 *   rejoin   behind the wait, if threads can come to the point again (the barrier is live there)
 *   cancel   where threads are in the barrier and can come to the point no more (joined, yet not live). Joined is computed
 *            with the rejoins in place: in a loop in which every way passes the point, nothing would be cancelled otherwise
 *   exit     a barrier of its own from the region's beginning to where all its threads meet again; none if one that is
 *            there already does that
 *
 * Joined and live are the analyses of recon/barrier_flow.h, on a plan that holds this one barrier.
 *
 * A point that is a function's entry: the waits that the analyses see are the calls through which threads get there;
 * the real one stands at the entry, and the barrier spans calls. Behind a call that need not come to the entry threads may
 * be in the barrier or not; they rejoin or cancel on their way back.
 *
 * Conflicts. Two barriers conflict if their live ranges overlap and neither lies within the other: then threads can wait at
 * each of them for those at the other. That is so if threads can come to the wait of either while they are in the other. A
 * range that merely begins a little earlier than one around its rest does no harm, and is no conflict here. A prediction
 * goes before what comes from post-dominators:
 *
 *   dynamic  threads cancel the other barrier just before they wait at the point
 *   static   the other barrier is taken out
 *
 * Predictions among each other: before threads wait at one point they cancel the other one's barrier, and join it again
 * behind. So those at either point wait for all but each other, whichever mode is chosen; and so do any number of them.
 *
 * A soft barrier (a threshold) keeps what it conflicts with, in both modes, since it is there that threads gather which
 * have left the loop, until it pays to let them on: threads cancel it only if they must wait at the point (a cancel with a
 * threshold), and join it again behind. This is the graph of the paper's Fig. 6: bCount and bTemp are the soft wait, bPdom
 * is what is cancelled and joined again, bAll the exit barrier.
 */
#ifndef HEDDLE_RECON_SPECULATE_H
#define HEDDLE_RECON_SPECULATE_H

#include "flow/profile_points.h"
#include "recon/barrier.h"
#include "recon/predict.h"
#include "recon/predict_region.h"

/* What predictions that do not say otherwise get. */
struct speculate_rules {
    enum deconflict deconflict;
    int threshold;  /* of predictions that name none; 0: all threads */
    bool as_listed; /* no region begins before a loop unless it is written there */
};

/* A prediction, and what became of it. */
struct speculated {
    const struct prediction *prediction;
    int threshold;
    enum deconflict deconflict;
    const char *refusal; /* NULL: it is honoured */
    struct predict_region region;
    int32_t barrier;      /* of the plan */
    int32_t exit_barrier; /* made for the region's end, or one that was there; BARRIER_NONE: threads meet no more */
    bool exit_is_own;
    struct barrier_plan *sketch; /* this barrier alone, its waits at the sites */
};

struct conflict {
    int speculated;  /* index of the prediction */
    int32_t other;   /* barrier */
    int with;        /* index of the other prediction, or -1 */
    bool is_removed; /* the other barrier */
};

struct speculation {
    struct arena arena;
    const struct program *program;
    struct barrier_plan *plan; /* coloured and sound */
    struct vec_of(struct speculated) list;
    struct vec_of(struct conflict) conflicts;
};

/* The predictions must live as long as the result. */
struct speculation *speculate(const struct program *program, const struct predictions *predictions,
                              const struct speculate_rules *rules);
void speculation_destroy(struct speculation *s); /* NULL is fine */
/* The plan alone; the caller destroys it. */
struct barrier_plan *speculation_take_plan(struct speculation *s);

/* What the program's pragmas make, and if asked what detect() finds, perhaps with a profile (by branch, or NULL); or else
 * the barriers of post-dominators. `said` gets a line for each prediction that is refused. */
struct barrier_plan *speculate_program(const struct program *program, bool detects, const struct branch_use *profile,
                                       struct text *said);

/* ---- steps, for the pass itself ---- */

/* A plan with joins at the region's beginning and waits at its sites, of the one barrier 0. */
struct barrier_plan *speculate_outline(const struct predict_region *region);
/* Whether threads that come to a place are in a barrier; behind the operations of the place, or ahead of them. */
bool speculate_is_joined(const struct barrier_plan *plan, int32_t barrier, struct barrier_place place, bool behind);
/* Finds conflicts and resolves them. */
void speculate_deconflict(struct speculation *s);

/* ---- for people ---- */

void speculation_print(const struct speculation *s, const struct predictions *predictions, struct text *out);
void speculation_print_dot(const struct speculation *s, struct text *out);
void speculation_print_json(const struct speculation *s, const struct predictions *predictions, struct text *out);

#endif
