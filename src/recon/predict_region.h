/*
 * The region of a prediction: where threads join its barrier, where they wait, and the code between.
 *
 * Sites are the places, in the function in which the region begins, at which threads come to the point: the point
 * itself; or, if the point is a function's entry, the calls that lead to it, directly or through other functions. A PC
 * lies between if a path leads from the region's beginning to the PC, and from the PC to a site without passing a
 * beginning of the region.
 */
#ifndef HEDDLE_RECON_PREDICT_REGION_H
#define HEDDLE_RECON_PREDICT_REGION_H

#include "recon/barrier.h"
#include "recon/predict.h"

struct predict_region {
    const struct program *program;
    const struct prediction *prediction;
    int32_t function;
    int hoisted; /* the loop before which the region begins; -1: the region begins where the text says */
    int place_count;
    struct barrier_place *places; /* where the region begins: threads join there */
    int site_count;
    int32_t *sites;  /* PCs, rising */
    bool *must_wait; /* by site: all threads that come there come to the point */
    bool *entered;   /* by block: a path leads from the region's beginning to its start */
    bool *leads;     /* by block: a path leads from its end to a site */
};

struct predict_region predict_region_create(const struct program *program, const struct prediction *prediction,
                                            struct arena *arena);

bool predict_is_between(const struct predict_region *region, int32_t pc);
/* The first PC behind the region to which all its threads come, or PC_NONE: they exit before. */
int32_t predict_exit(const struct predict_region *region);

/* Why the prediction must not be honoured, or NULL. The text is in the arena. */
const char *predict_refusal(const struct predict_region *region, struct arena *arena);

#endif
