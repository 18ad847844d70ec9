/*
 * Groups of signatures, by k-means. The number of groups is the smallest whose Bayesian information criterion comes
 * within a tenth of the range of the best, as SimPoint chooses it. Nothing is random: the first centres are points far
 * from each other.
 */
#ifndef HEDDLE_SAMPLE_GROUPS_H
#define HEDDLE_SAMPLE_GROUPS_H

#include "sample/signature.h"

enum { GROUPS_MAX = 8 };

struct groups {
    int count;
    struct signature centre[GROUPS_MAX];
    double radius[GROUPS_MAX]; /* largest distance of a member from the centre */
};

/* Groups the points, of which there is at least one. */
void groups_find(struct groups *g, const struct signature *points, int count);
/* The group whose centre is nearest. */
int groups_nearest(const struct groups *g, const struct signature *point);
/* Whether the point is so far from its group that it may belong to a new one. */
bool groups_is_outside(const struct groups *g, int group, const struct signature *point);

#endif
