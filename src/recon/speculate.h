/*
 * Speculative reconvergence: a pass from predictions to barriers, after Damani et al. (CGO 2020, sections 4.2 to 4.6).
 *
 * The pass starts from the barriers of post-dominators (recon/place_barriers.h). For each prediction it places
 *
 *   join     where the region begins, and a wait at the point
 *   rejoin   behind the wait, if threads can come to the point again (the barrier is live there)
 *   cancel   where threads participate and can no longer come to the point (joined, but not live). Joined is computed
 *            with the rejoins in place: otherwise nothing would be cancelled in a loop in which every path passes the
 *            point. Threads that return by a guarded `ret` leave the barrier without a cancel (recon/barrier.h)
 *   exit     a barrier from the region's beginning to where all its threads reconverge; none if an existing barrier
 *            does that already
 *
 * Joined and live are the analyses of recon/barrier_flow.h, on a plan that holds this one barrier.
 *
 * If the point is a function's entry, the analyses see waits at the calls that lead to the entry; the real wait stands
 * at the entry, and the barrier spans calls. Behind a call that need not come to the entry, threads may participate or
 * not; they rejoin or cancel when they return.
 *
 * Conflicts. Two barriers conflict if their live ranges overlap and neither contains the other: then threads can wait
 * at each of them for threads at the other. That is so if threads can come to the wait of either barrier while they
 * participate in the other. A range that merely begins a little earlier than the range that contains the rest of it is
 * no conflict here. A prediction has precedence over a barrier of a post-dominator:
 *
 *   dynamic  threads cancel the other barrier just before they wait at the point
 *   static   the other barrier is taken out
 *
 * If two predictions conflict, threads cancel the other prediction's barrier before they wait at a point, and rejoin it
 * behind the wait, whichever mode is chosen. So threads at either point wait for all threads but those at the other
 * point. Any number of predictions may conflict in this way.
 *
 * A soft barrier (with a threshold) keeps the barriers that it conflicts with, in both modes: threads that have left
 * the loop gather there until it pays to let them continue. Threads cancel such a barrier only if they must wait at the
 * point (a cancel with a threshold), and rejoin it behind. This is the graph of the paper's Fig. 6: bCount and bTemp
 * are the soft wait, bPdom is the barrier that is cancelled and rejoined, bAll is the exit barrier.
 */
#ifndef HEDDLE_RECON_SPECULATE_H
#define HEDDLE_RECON_SPECULATE_H

#include "flow/profile_points.h"
#include "recon/barrier.h"
#include "recon/predict.h"
#include "recon/predict_region.h"

/* Defaults for predictions that do not say otherwise. */
struct speculate_rules {
    enum deconflict deconflict;
    int threshold;  /* threads of a soft barrier; 0: all threads wait */
    bool as_listed; /* regions begin where the text says, and are not moved before a loop */
};

/* A prediction, and the barriers made for it. */
struct speculated {
    const struct prediction *prediction;
    int threshold;
    enum deconflict deconflict;
    const char *refusal; /* why the prediction is refused; NULL: it is honoured */
    struct predict_region region;
    int32_t barrier;             /* the prediction's barrier in the plan */
    int32_t exit_barrier;        /* barrier at the region's end; BARRIER_NONE: threads exit without reconverging */
    bool exit_is_own;            /* the exit barrier was made for this prediction */
    struct barrier_plan *sketch; /* a plan with the prediction's barrier alone, and waits at the sites */
};

struct conflict {
    int speculated;  /* index of the prediction */
    int32_t other;   /* barrier that conflicts with the prediction's barrier */
    int with;        /* index of the prediction that the other barrier belongs to, or -1 */
    bool is_removed; /* the other barrier was taken out */
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
void speculation_destroy(struct speculation *s); /* `s` may be NULL */
/* Takes the plan out of the speculation; the caller destroys the plan. */
struct barrier_plan *speculation_take_plan(struct speculation *s);

/* Where the predictions of a program come from, beside its pragmas, and what holds for those that do not say. */
struct speculate_request {
    bool detects;                     /* also those that detect() finds */
    const struct branch_use *profile; /* for detect(), by branch; NULL: none */
    bool sets_threshold;              /* `rules.threshold` holds for what detect() finds, too */
    struct speculate_rules rules;
};

/* The plan for a program with these predictions. Without predictions these are the barriers of post-dominators. `said`
 * gets a line for each prediction that is refused. */
struct barrier_plan *speculate_program(const struct program *program, const struct speculate_request *request,
                                       struct text *said);

/* ---- steps, for the pass itself ---- */

/* A plan of one barrier, number 0: joins at the region's beginning, waits at its sites. */
struct barrier_plan *speculate_outline(const struct predict_region *region);
/* Whether threads at a place may participate in a barrier: behind the operations of the place, or ahead of them. */
bool speculate_is_joined(const struct barrier_plan *plan, int32_t barrier, struct barrier_place place, bool behind);
/* Finds conflicts and resolves them. */
void speculate_deconflict(struct speculation *s);

/* ---- for people ---- */

void speculation_print(const struct speculation *s, const struct predictions *predictions, struct text *out);
void speculation_print_dot(const struct speculation *s, struct text *out);
void speculation_print_json(const struct speculation *s, const struct predictions *predictions, struct text *out);

#endif
