/*
 * Predictions: places of a program at which threads of a warp should reconverge although not all of them need come
 * there.
 *
 * After Damani et al. (Speculative Reconvergence, CGO 2020, section 4.1): a prediction names a point, and a region that
 * begins somewhere before the point and ends where the point cannot be reached any more. Threads that enter the region
 * wait for each other at the point; threads that leave the region are not waited for any more. recon/speculate.h makes
 * barriers from predictions.
 *
 * Predictions come from three sources. The first is the program's text, in pragmas that other tools ignore:
 *
 *   .pragma "heddle.predict NAME";   the region begins here
 *   .pragma "heddle.label NAME";     the point; if NAME is a function instead, the function's entry is the point
 *
 * The second is words, "REGION:POINT", each a label of the text, a block as `heddle flow` names it, or a place in a
 * block (C+5); the point may be a function. The third is recon/detect.h. Behind the names may stand, separated by
 * blanks in a pragma and by colons in words:
 *
 *   threshold=N    the barrier is soft: once N threads wait, they wait for no more. A bare number means the same. With
 *                  `adaptive` for N, threads continue until the missing threads have idled for as long as waiting for
 *                  them takes
 *   deconflict=static  barriers of post-dominators that conflict are taken out (see recon/speculate.h); default:
 *                      dynamic
 *   scope=listing  the region begins where the text says. By default, a region that begins within a loop that contains
 *                  its point begins before that loop, so that threads reconverge across the loop's iterations. This
 *                  does not apply to a point that is a function's entry
 *
 * A pragma directly ahead of a label belongs to the code that falls through to the label: threads that jump to the
 * label do not begin a region there.
 *
 * Compilers copy code, and pragmas with it. Several beginnings with one name make one region. Of several points with
 * one name, those in most loops count, and of these, those that no other point dominates: of a loop body that was
 * unrolled four times, the first, so that threads wait once in four iterations; the remainder loop has no point.
 * recon/predict_copies.h says which copies are refused, and why a point may be gone.
 */
#ifndef HEDDLE_RECON_PREDICT_H
#define HEDDLE_RECON_PREDICT_H

#include "base/vec.h"
#include "recon/barrier.h"

enum deconflict { DECONFLICT_DYNAMIC, DECONFLICT_STATIC };

struct prediction {
    const char *name;
    const char *origin; /* where the prediction comes from: "PTX line 12", "asked for", "loop merge" */
    const char *note;   /* what the compiler's other passes did to the point (predict_copies.h); NULL: nothing */
    int start_count;
    struct barrier_place *starts; /* where the region begins; all in one function */
    int32_t label;                /* PC of the point: threads wait before this instruction */
    int32_t callee; /* the function whose entry the point is; -1: the point is in the function of the region */
    int threshold;  /* threads of a soft barrier, from 1, or BARRIER_ADAPTIVE; 0: all threads wait */
    bool as_listed; /* scope=listing: the region is not moved before a loop */
    enum deconflict deconflict;
};

/* A pragma that is no valid prediction, and why. */
struct unpredicted {
    const char *name, *origin, *why;
};

struct predictions {
    struct arena arena;
    struct vec_of(struct prediction) list;
    struct vec_of(struct unpredicted) unusable;
};

void predictions_free(struct predictions *p);

/* Whether the text of the program has any pragma that begins with "heddle.". */
bool predict_has_pragmas(const struct program *program);
/* Adds the predictions of the program's pragmas. */
void predict_from_pragmas(struct predictions *into, const struct program *program);
/* Adds the prediction that the words describe. False and an error text (freed by the caller) if they describe none. */
bool predict_from_words(struct predictions *into, const struct program *program, const char *words, char **error);
/* Reads how many threads suffice at a point: a number from 1 to BARRIER_THRESHOLD_MAX, `adaptive`, or `all`, which
 * gives 0. False: the word is none of these. */
bool predict_read_threshold(const char *word, int *threshold);
/* Adds a copy of the prediction, with its places and texts. */
void predict_add(struct predictions *into, const struct prediction *prediction);

/* Replaces the heddle pragmas of the module that the program was made from by pragmas for these predictions. Texts are
 * allocated in the module. */
void predict_write(const struct predictions *predictions, const struct program *program, struct ptx_module *module);

#endif
