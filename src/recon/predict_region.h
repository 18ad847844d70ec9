/*
 * The region of a prediction: where threads join its barrier, where they wait, and the code between.
 *
 * Sites are the places, in the function in which the region begins, at which threads come to the point: the point itself;
 * or, of a point that is a function's entry, the calls through which threads get there, at once or by way of others.
 * A PC lies between if threads come to it from the region's beginning and can get from it to a site, before they come to
 * where the region begins anew.
 */
#ifndef HEDDLE_RECON_PREDICT_REGION_H
#define HEDDLE_RECON_PREDICT_REGION_H

#include "recon/barrier.h"
#include "recon/predict.h"

struct predict_region {
    const struct program *program;
    const struct prediction *prediction;
    int32_t function;
    int hoisted; /* the loop before which it begins; -1: where the text says */
    int place_count;
    struct barrier_place *places; /* where threads join */
    int site_count;
    int32_t *sites;  /* PCs, rising */
    bool *must_wait; /* by site: all threads that come there wait at the point */
    bool *entered;   /* by block: threads come to its start */
    bool *leads;     /* by block: threads that leave it can come to a site */
};

struct predict_region predict_region_create(const struct program *program, const struct prediction *prediction,
                                            struct arena *arena);

bool predict_is_between(const struct predict_region *region, int32_t pc);
/* The first PC at which all threads of the region meet behind it, or PC_NONE: nowhere before they end. */
int32_t predict_exit(const struct predict_region *region);

/* NULL, or why the prediction must not be honoured; the text is the arena's. */
const char *predict_refusal(const struct predict_region *region, struct arena *arena);

#endif
