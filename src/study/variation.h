/*
 * Variations: values of one or two knobs, over which a comparison is repeated.
 *
 * Each point of a variation has one value of each knob; two knobs give the product of their values, the second knob
 * fastest. What a value means, and whether the machine or the mechanism has the knob, heddle run says of each point
 * before the first run.
 */
#ifndef HEDDLE_STUDY_VARIATION_H
#define HEDDLE_STUDY_VARIATION_H

#include "base/vec.h"

#include <stdbool.h>

enum { VARIATION_MAX_KNOBS = 2, VARIATION_MAX_POINTS = 256 };

struct variation_knob {
    char *name;                   /* "sm.class_latency"; owned */
    struct vec_of(char *) values; /* as --set takes them; owned */
};

struct variation {
    struct variation_knob knobs[VARIATION_MAX_KNOBS];
    int count; /* knobs; 0: nothing varies, and there is one point */
};

/* Adds a knob and its values: "KNOB=V1,V2,...". False and an error text (freed by the caller). */
bool variation_add(struct variation *v, const char *text, char **error);
void variation_free(struct variation *v);

int variation_points(const struct variation *v);
/* The value of a knob at a point. */
const char *variation_value(const struct variation *v, int point, int knob);

#endif
