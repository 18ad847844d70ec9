/*
 * Predictions: places of a program at which threads of a warp should meet although not all of them need come there.
 *
 * After Damani et al. (Speculative Reconvergence, CGO 2020, section 4.1): a prediction names a point, and a region that
 * begins somewhere before it and ends where the point cannot be reached any more. Threads that enter the region wait for
 * each other at the point; those that leave the region wait no more. recon/speculate.h makes barriers of it.
 *
 * They come from the program's text, as pragmas that other tools ignore:
 *
 *   .pragma "heddle.predict NAME";   the region begins here
 *   .pragma "heddle.label NAME";     the point; or NAME is that of a function, and its entry is the point
 *
 * from words, "REGION:POINT", each a label of the text, a block's short name as in `heddle flow`, or a PC, and the point
 * perhaps a function; or from recon/detect.h. Behind the names may stand, in words each with a colon before it:
 *
 *   threshold=N    the barrier is soft: N threads do not wait for more. A bare number is the same. With `adaptive` for N,
 *                  threads go on until those that are missing have idled for as long as waiting for them takes
 *   deconflict=static  barriers of post-dominators that conflict are taken out (see recon/speculate.h); else dynamic
 *   scope=listing  the region begins where the text says. Otherwise a region that begins within a loop in which its point
 *                  lies begins before that loop, so that threads meet across the loop's rounds. A point that is a
 *                  function's entry has no such loop
 *
 * A pragma that stands ahead of a label belongs to the code that falls through to it: threads that jump to the label do not
 * begin a region there.
 *
 * Compilers copy code, and pragmas with it. Several beginnings of one name are one region. Of several points of one name
 * those in most loops count, and of these those that no other one stands before on every way: of a loop body unrolled four
 * times the first, so that threads wait once in four rounds; the rounds that are left over have none.
 */
#ifndef HEDDLE_RECON_PREDICT_H
#define HEDDLE_RECON_PREDICT_H

#include "base/vec.h"
#include "recon/barrier.h"

enum deconflict { DECONFLICT_DYNAMIC, DECONFLICT_STATIC };

struct prediction {
    const char *name;
    const char *origin; /* who says so: "line 12 of the PTX", "--predict A:B", "loop merge" */
    int start_count;
    struct barrier_place *starts; /* of one function: the region begins there */
    int32_t label;                /* PC: threads wait before it */
    int32_t
        callee;    /* the function whose entry that is, for other functions to call; -1: a place of the same function */
    int threshold; /* threads, from 1, or BARRIER_ADAPTIVE; 0: all */
    bool as_listed; /* scope=listing */
    enum deconflict deconflict;
};

/* What cannot be made a prediction. */
struct unpredicted {
    const char *name, *origin, *why;
};

struct predictions {
    struct arena arena;
    struct vec_of(struct prediction) list;
    struct vec_of(struct unpredicted) unusable;
};

void predictions_free(struct predictions *p);

/* Whether the text of the program has any pragma of ours. */
bool predict_has_pragmas(const struct program *program);
/* Adds those of the program's pragmas. */
void predict_from_pragmas(struct predictions *into, const struct program *program);
/* Adds the one that the words describe. False and an error text (freed by the caller) if they describe none. */
bool predict_from_words(struct predictions *into, const struct program *program, const char *words, char **error);
/* Adds a copy, with its places and texts. */
void predict_add(struct predictions *into, const struct prediction *prediction);

/* Puts pragmas that say the same into the functions of the module that the program was made from, in place of those of
 * ours that are there. Texts are the module's. */
void predict_write(const struct predictions *predictions, const struct program *program, struct ptx_module *module);

#endif
