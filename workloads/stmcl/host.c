/* Clustering of random points by local search; what the kernel finds out about each candidate is verified against sums
 * in double precision. */
#include "work.h"

#include <math.h>
#include <string.h>

enum { THREADS = 512 };

struct point {
    float weight;
    int32_t coordinates, centre; /* as in kernels.cu */
    float cost;
};

struct problem {
    int points, dimensions, candidates;
};

static const struct problem problem_of[] = {
    [WORK_TEST] = {.points = 1024, .dimensions = 17, .candidates = 6},
    [WORK_SMALL] = {.points = 65536, .dimensions = 16, .candidates = 4},
    [WORK_PAPER] = {.points = 65536, .dimensions = 256, .candidates = 10},
};

/* A search under way. */
struct search {
    int count, dimensions, centres; /* of points, of each, and how many centres are open */
    double opening_cost;
    struct point *points;
    float *coordinates, *sums; /* by dimension, then by point; as in kernels.cu */
    double *cost;              /* of each point with the candidate as its centre */
    bool *is_centre, *is_better;
    int32_t *centre_number; /* of each point that is a centre */
    CUdeviceptr device_points, device_coordinates, device_sums, device_centre_number, device_is_better;
};

static double find_cost(const struct search *s, int a, int b)
{
    double sum = 0;
    for (int d = s->dimensions - 1; d >= 0; d--) {
        double apart = (double)s->coordinates[d * s->count + a] - s->coordinates[d * s->count + b];
        sum += apart * apart;
    }
    return sum * s->points[a].weight;
}

/* Point 0 is the first centre of all. Opening a centre costs 1/512 of what that costs: a dozen centres pay. */
static struct search begin_search(struct work *w, const struct problem *p)
{
    size_t count = (size_t)p->points, dimensions = (size_t)p->dimensions, most_sums = (size_t)p->candidates + 2;
    struct search s = {.count = p->points,
                       .dimensions = p->dimensions,
                       .centres = 1,
                       .points = work_buffer(w, count, sizeof *s.points),
                       .coordinates = work_buffer(w, count * dimensions, sizeof *s.coordinates),
                       .sums = work_buffer(w, count * most_sums, sizeof *s.sums),
                       .cost = work_buffer(w, count, sizeof *s.cost),
                       .is_centre = work_buffer(w, count, sizeof *s.is_centre),
                       .is_better = work_buffer(w, count, sizeof *s.is_better),
                       .centre_number = work_buffer(w, count, sizeof *s.centre_number)};
    for (size_t i = 0; i < count * dimensions; i++)
        s.coordinates[i] = work_random_unit(w);
    s.is_centre[0] = true;
    double cost = 0;
    for (int i = 0; i < s.count; i++) {
        s.points[i].weight = 1;
        s.points[i].coordinates = i;
        s.points[i].cost = (float)find_cost(&s, i, 0);
        cost += s.points[i].cost;
    }
    s.opening_cost = cost / 512;
    s.device_points = work_alloc(w, count * sizeof *s.points);
    s.device_coordinates = work_upload(w, s.coordinates, count * dimensions * sizeof *s.coordinates);
    s.device_sums = work_alloc(w, count * most_sums * sizeof *s.sums);
    s.device_centre_number = work_alloc(w, count * sizeof *s.centre_number);
    s.device_is_better = work_alloc(w, count * sizeof *s.is_better);
    return s;
}

static void number_centres(struct search *s)
{
    int32_t number = 0;
    for (int i = 0; i < s->count; i++)
        if (s->is_centre[i])
            s->centre_number[i] = number++;
}

static void launch_gain(struct work *w, struct search *s, int candidate)
{
    size_t count = (size_t)s->count, sums = count * ((size_t)s->centres + 1);
    memset(s->sums, 0, sums * sizeof *s->sums);
    memset(s->is_better, 0, count * sizeof *s->is_better);
    work_write(w, s->device_points, s->points, count * sizeof *s->points);
    work_write(w, s->device_centre_number, s->centre_number, count * sizeof *s->centre_number);
    work_write(w, s->device_sums, s->sums, sums * sizeof *s->sums);
    work_write(w, s->device_is_better, s->is_better, count * sizeof *s->is_better);
    work_launch(w, "gain", (struct work_shape){.x = (unsigned)s->count / THREADS}, (struct work_shape){.x = THREADS},
                (size_t)s->dimensions * sizeof *s->coordinates,
                (void *[]){&s->count, &s->dimensions, &candidate, &s->device_points, &s->centres,
                           &s->device_coordinates, &s->device_sums, &s->device_centre_number, &s->device_is_better});
    work_read(w, s->sums, s->device_sums, sums * sizeof *s->sums);
    work_read(w, s->is_better, s->device_is_better, count * sizeof *s->is_better);
}

/* All sums, and who would change its centre. A distance is a sum of squares below 1, and their sum is below half of the
 * number of dimensions; in single precision each addition may be off by 2^-24 of that. A point for which two centres
 * are as near within this bound may choose either. Points differ in their distances by more than a unit. */
static void check_gain(struct work *w, struct search *s, int candidate)
{
    size_t count = (size_t)s->count, row = (size_t)s->centres + 1;
    double bound = 0x1p-24 * (s->dimensions + 4) * s->dimensions / 2;
    float *want = work_buffer(w, count * row, sizeof *want);
    int wrong = 0;
    for (int i = 0; i < s->count; i++) {
        s->cost[i] = find_cost(s, i, candidate);
        double saved = s->points[i].cost - s->cost[i];
        size_t column = saved > 0 ? row - 1 : (size_t)s->centre_number[s->points[i].centre];
        want[(size_t)i * row + column] = (float)(saved > 0 ? -saved : saved);
        wrong += fabs(saved) > bound && s->is_better[i] != (saved > 0);
    }
    work_compare_f32(w, "sums", s->sums, want, count * row, 0, (float)bound);
    work_check(w, !wrong, "%d points do not choose the nearer centre when number %d is the candidate", wrong,
               candidate);
}

/* Opens the candidate if that saves cost, and closes the centres whose members are better off there together. */
static void open_if_cheaper(struct search *s, int candidate)
{
    size_t row = (size_t)s->centres + 1;
    double total = s->opening_cost;
    bool closes[64] = {false};
    int closed = 0;
    for (int i = 0; i < s->count; i++)
        total += s->sums[(size_t)i * row + row - 1];
    for (int c = 0; c < s->centres; c++) {
        double saved = s->opening_cost;
        for (int i = 0; i < s->count; i++)
            saved += s->sums[(size_t)i * row + (size_t)c];
        closes[c] = saved > 0;
        closed += saved > 0;
        total -= saved > 0 ? saved : 0;
    }
    if (total >= 0)
        return;
    for (int i = 0; i < s->count; i++)
        if (s->is_better[i] || closes[s->centre_number[s->points[i].centre]]) {
            s->points[i].cost = (float)s->cost[i];
            s->points[i].centre = candidate;
        }
    for (int i = 0; i < s->count; i++)
        if (s->is_centre[i] && closes[s->centre_number[i]])
            s->is_centre[i] = false;
    s->is_centre[candidate] = true;
    s->centres += 1 - closed;
}

static void run(struct work *w, enum work_size size)
{
    const struct problem *p = &problem_of[size];
    struct search s = begin_search(w, p);
    for (int i = 0; i < p->candidates; i++) {
        int candidate = (int)work_random_below(w, (uint32_t)s.count);
        number_centres(&s);
        launch_gain(w, &s, candidate);
        check_gain(w, &s, candidate);
        open_if_cheaper(&s, candidate);
    }
    work_say(w, "%d points of %d dimensions, %d candidates, %d centres at the end", s.count, s.dimensions,
             p->candidates, s.centres);
}

const struct workload workload = {.name = "stmcl", .run = run};
