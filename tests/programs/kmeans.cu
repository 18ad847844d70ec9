// k-means of points on a grid of integers, until no point changes its cluster; sums by atomics on integers.
#include "common.cuh"
#include <vector>

const int CLUSTERS = 6, DIMENSIONS = 3;
__constant__ int centres[CLUSTERS][DIMENSIONS];

__global__ void assign(const int *points, int *cluster, int n, int *changed, long long *sums, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int best = 0;
    long long least = 1ll << 60;
    for (int c = 0; c < CLUSTERS; c++) {
        long long distance = 0;
        for (int d = 0; d < DIMENSIONS; d++) {
            long long difference = points[d * n + i] - centres[c][d];
            distance += difference * difference;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    if (cluster[i] != best) {
        cluster[i] = best;
        atomicAdd(changed, 1);
    }
    atomicAdd(&counts[best], 1);
    for (int d = 0; d < DIMENSIONS; d++)
        atomicAdd((unsigned long long *)&sums[best * DIMENSIONS + d], (unsigned long long)points[d * n + i]);
}

int main()
{
    const int n = 3000;
    std::vector<int> points(n * DIMENSIONS), cluster(n, -1);
    numbers random(64);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < DIMENSIONS; d++)
            points[d * n + i] = (i % CLUSTERS * 7919 * (d + 1)) % 10000 + random.below(1500);
    int start[CLUSTERS][DIMENSIONS];
    for (int c = 0; c < CLUSTERS; c++)
        for (int d = 0; d < DIMENSIONS; d++)
            start[c][d] = points[d * n + c * 37];
    int *d_points, *d_cluster, *changed, *counts;
    long long *sums;
    CHECK(cudaMalloc(&d_points, points.size() * sizeof(int)));
    CHECK(cudaMalloc(&d_cluster, n * sizeof(int)));
    CHECK(cudaMalloc(&changed, sizeof(int)));
    CHECK(cudaMalloc(&counts, CLUSTERS * sizeof(int)));
    CHECK(cudaMalloc(&sums, CLUSTERS * DIMENSIONS * sizeof(long long)));
    CHECK(cudaMemcpy(d_points, points.data(), points.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_cluster, cluster.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    int moved = 1, rounds = 0, host_counts[CLUSTERS];
    long long host_sums[CLUSTERS][DIMENSIONS];
    while (moved && rounds < 50) {
        CHECK(cudaMemcpyToSymbol(centres, start, sizeof start));
        CHECK(cudaMemset(changed, 0, sizeof(int)));
        CHECK(cudaMemset(counts, 0, sizeof host_counts));
        CHECK(cudaMemset(sums, 0, sizeof host_sums));
        assign<<<(n + 127) / 128, 128>>>(d_points, d_cluster, n, changed, sums, counts);
        CHECK(cudaMemcpy(&moved, changed, sizeof moved, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(host_counts, counts, sizeof host_counts, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(host_sums, sums, sizeof host_sums, cudaMemcpyDeviceToHost));
        for (int c = 0; c < CLUSTERS; c++)
            for (int d = 0; d < DIMENSIONS && host_counts[c]; d++)
                start[c][d] = host_sums[c][d] / host_counts[c];
        rounds++;
    }
    printf("rounds %d\n", rounds);
    for (int c = 0; c < CLUSTERS; c++)
        printf("cluster %d: %d points at %d %d %d\n", c, host_counts[c], start[c][0], start[c][1], start[c][2]);
    return 0;
}
