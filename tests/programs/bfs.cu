// Breadth-first search by levels with a frontier queue, on a graph in compressed rows; the host loop ends by a flag.
#include "common.cuh"
#include <queue>
#include <vector>

__global__ void visit(const int *rows, const int *columns, int *level, const int *frontier, int size, int *next,
                      int *next_size, int depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    int node = frontier[i];
    for (int e = rows[node]; e < rows[node + 1]; e++) {
        int other = columns[e];
        if (atomicCAS(&level[other], -1, depth) == -1)
            next[atomicAdd(next_size, 1)] = other;
    }
}

int main()
{
    const int nodes = 3000;
    std::vector<int> rows(1), columns;
    numbers random(77);
    for (int i = 0; i < nodes; i++) {
        int degree = random.below(6);
        for (int e = 0; e < degree; e++)
            columns.push_back((i + 1 + random.below(200)) % nodes);
        rows.push_back(columns.size());
    }
    std::vector<int> expected(nodes, -1), level(nodes, -1);
    std::queue<int> queue;
    queue.push(0);
    expected[0] = 0;
    while (!queue.empty()) {
        int node = queue.front();
        queue.pop();
        for (int e = rows[node]; e < rows[node + 1]; e++)
            if (expected[columns[e]] < 0) {
                expected[columns[e]] = expected[node] + 1;
                queue.push(columns[e]);
            }
    }

    int *d_rows, *d_columns, *d_level, *frontier, *next, *next_size;
    CHECK(cudaMalloc(&d_rows, rows.size() * sizeof(int)));
    CHECK(cudaMalloc(&d_columns, columns.size() * sizeof(int)));
    CHECK(cudaMalloc(&d_level, nodes * sizeof(int)));
    CHECK(cudaMalloc(&frontier, nodes * sizeof(int)));
    CHECK(cudaMalloc(&next, nodes * sizeof(int)));
    CHECK(cudaMalloc(&next_size, sizeof(int)));
    CHECK(cudaMemcpy(d_rows, rows.data(), rows.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_columns, columns.data(), columns.size() * sizeof(int), cudaMemcpyHostToDevice));
    level[0] = 0;
    CHECK(cudaMemcpy(d_level, level.data(), nodes * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(frontier, 0, sizeof(int)));
    int size = 1, depth = 0;
    while (size) {
        depth++;
        CHECK(cudaMemset(next_size, 0, sizeof(int)));
        visit<<<(size + 127) / 128, 128>>>(d_rows, d_columns, d_level, frontier, size, next, next_size, depth);
        CHECK(cudaMemcpy(&size, next_size, sizeof size, cudaMemcpyDeviceToHost));
        std::swap(frontier, next);
    }
    CHECK(cudaMemcpy(level.data(), d_level, nodes * sizeof(int), cudaMemcpyDeviceToHost));
    int reached = 0;
    for (int l : level)
        reached += l >= 0;
    printf("levels %d reached %d right %d\n", depth, reached, level == expected);
    return 0;
}
