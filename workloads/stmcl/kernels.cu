// Clustering of a stream of points (streamcluster of PARSEC and Rodinia): what opening a centre at a point would save.
// One thread has one point.

#include "device.h"

struct point {
    float weight;
    int coordinates; // for the host
    int centre;      // the point that is this one's centre
    float cost;      // distance to it, squared, times the weight
};

// Blocks of 512; dynamic shared memory for the candidate's coordinates. coordinates[d * count + i] is that of point i
// in dimension d. Each point has a row of centres + 1 sums: what closing each centre would cost it, and what the
// candidate saves it.
extern "C" __global__ void gain(int count, int dimensions, int candidate, const point *points, int centres,
                                const float *coordinates, float *sums, const int *centre_number, bool *is_better)
{
    extern __shared__ float place[];
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        for (int d = 0; d < dimensions; d++)
            place[d] = coordinates[d * count + candidate];
    __syncthreads();

    float cost = 0;
    for (int d = 0; d < dimensions; d++) {
        float apart = coordinates[d * count + me] - place[d];
        cost += apart * apart;
    }
    cost *= points[me].weight;

    float now = points[me].cost;
    float *row = sums + me * (centres + 1);
    if (cost < now) {
        is_better[me] = true;
        row[centres] += cost - now;
    } else {
        row[centre_number[points[me].centre]] += now - cost;
    }
}
