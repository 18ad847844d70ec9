/* Groups of signatures: see groups.h. */
#include "sample/groups.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 32 };

/* Distances below this are no difference: they keep equal points from forming groups of variance 0. */
static const double least_distance = 0.01;

int groups_nearest(const struct groups *g, const struct signature *point)
{
    int best = 0;
    double least = INFINITY;
    for (int k = 0; k < g->count; k++) {
        double distance = signature_distance(&g->centre[k], point);
        if (distance < least) {
            least = distance;
            best = k;
        }
    }
    return best;
}

bool groups_is_outside(const struct groups *g, int group, const struct signature *point)
{
    double reach = g->radius[group] > least_distance ? g->radius[group] : least_distance;
    return signature_distance(&g->centre[group], point) > 3 * reach;
}

/* The first centres: the first point, and then each time the point farthest from all centres so far. */
static void place_centres(struct groups *g, const struct signature *points, int count, int k)
{
    g->count = 1;
    g->centre[0] = points[0];
    while (g->count < k) {
        int farthest = 0;
        double most = -1;
        for (int i = 0; i < count; i++) {
            double distance = signature_distance(&g->centre[groups_nearest(g, &points[i])], &points[i]);
            if (distance > most) {
                most = distance;
                farthest = i;
            }
        }
        g->centre[g->count++] = points[farthest];
    }
}

/* Moves each centre to the mean of its members. False: no member changed its group. */
static bool move_centres(struct groups *g, const struct signature *points, int count, int *member)
{
    struct signature sum[GROUPS_MAX] = {0};
    int members[GROUPS_MAX] = {0};
    bool changed = false;
    for (int i = 0; i < count; i++) {
        int k = groups_nearest(g, &points[i]);
        changed |= k != member[i];
        member[i] = k;
        members[k]++;
        for (int d = 0; d < SIGNATURE_DIMENSIONS; d++)
            sum[k].at[d] += points[i].at[d];
    }
    for (int k = 0; k < g->count; k++)
        for (int d = 0; d < SIGNATURE_DIMENSIONS && members[k]; d++)
            g->centre[k].at[d] = sum[k].at[d] / members[k];
    return changed;
}

static void form(struct groups *g, const struct signature *points, int count, int k, int *member)
{
    place_centres(g, points, count, k);
    for (int i = 0; i < count; i++)
        member[i] = -1;
    for (int round = 0; round < ROUNDS && move_centres(g, points, count, member); round++)
        ;
    for (int i = 0; i < count; i++) {
        double distance = signature_distance(&g->centre[member[i]], &points[i]);
        g->radius[member[i]] = fmax(g->radius[member[i]], distance);
    }
}

/* The Bayesian information criterion of a grouping into spherical normal distributions of one variance. */
static double criterion(const struct groups *g, const struct signature *points, int count, const int *member)
{
    double squares = 0, likelihood = 0;
    int members[GROUPS_MAX] = {0};
    for (int i = 0; i < count; i++) {
        double distance = signature_distance(&g->centre[member[i]], &points[i]);
        squares += distance * distance;
        members[member[i]]++;
    }
    double variance = squares / (SIGNATURE_DIMENSIONS * (double)count) + least_distance * least_distance;
    for (int k = 0; k < g->count; k++)
        likelihood += members[k] ? members[k] * log((double)members[k] / count) : 0;
    likelihood -= count * SIGNATURE_DIMENSIONS / 2.0 * log(2 * 3.14159265358979 * variance);
    likelihood -= squares / (2 * variance);
    return likelihood - g->count * (SIGNATURE_DIMENSIONS + 1) / 2.0 * log(count);
}

void groups_find(struct groups *g, const struct signature *points, int count)
{
    struct groups *tried = xcalloc(GROUPS_MAX, sizeof *tried);
    double score[GROUPS_MAX], least = INFINITY, most = -INFINITY;
    int *member = xcalloc((size_t)count, sizeof *member), tries = count < GROUPS_MAX ? count : GROUPS_MAX;
    for (int k = 0; k < tries; k++) {
        form(&tried[k], points, count, k + 1, member);
        score[k] = criterion(&tried[k], points, count, member);
        least = fmin(least, score[k]);
        most = fmax(most, score[k]);
    }
    int chosen = 0;
    while (score[chosen] < most - 0.1 * (most - least))
        chosen++;
    *g = tried[chosen];
    free(tried);
    free(member);
}
