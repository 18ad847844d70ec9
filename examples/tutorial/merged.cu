// The program photons.cu with one change, in its kernel: the loops over photons and over flights are one loop. In each
// round every thread with photons left does one flight, and a thread whose photon has ended takes its next one.
// docs/tutorial.md says why.
#include <cstdio>
#include <cstdlib>
#include <vector>

struct photon {
    unsigned random; // state of the random numbers
    float depth;     // 0 is the side where photons enter, 1 the other one
    float direction; // cosine of the angle to the straight way through
};

__device__ float draw(unsigned &state)
{
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) * (1.0f / 16777216.0f);
}

__device__ photon enter(unsigned thread, unsigned number)
{
    unsigned x = thread * 2654435761u ^ number * 2246822519u;
    x = (x ^ x >> 15) * 2246822519u;
    return {x ^ x >> 13, 0.0f, 1.0f};
}

// One flight; returns whether the photon goes on.
__device__ bool fly(photon &p)
{
    p.depth -= __logf(1.0f - draw(p.random)) * p.direction * 0.25f;
    bool absorbed = draw(p.random) < 0.1f;
    p.direction = 2.0f * draw(p.random) - 1.0f;
    return p.depth >= 0.0f && p.depth < 1.0f && !absorbed;
}

extern "C" __global__ void photons(unsigned *out, unsigned count)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, through = 0, i = 0;
    photon p = enter(thread, i);
    while (i < count) {
        if (!fly(p)) {
            through += p.depth >= 1.0f;
            p = enter(thread, ++i);
        }
    }
    out[thread] = through;
}

// photons [BLOCKS [LAUNCHES]]
int main(int argc, char **argv)
{
    const unsigned blocks = argc > 1 ? atoi(argv[1]) : 16, threads = 128, count = 32;
    const int launches = argc > 2 ? atoi(argv[2]) : 1;
    unsigned *out, sum = 0;
    float best = 0;
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    if (cudaMalloc(&out, blocks * threads * sizeof *out) != cudaSuccess)
        return 1;
    for (int i = 0; i < launches; i++) {
        cudaEventRecord(start);
        photons<<<blocks, threads>>>(out, count);
        cudaEventRecord(stop);
        cudaError_t error = cudaDeviceSynchronize();
        if (error != cudaSuccess) {
            fprintf(stderr, "photons: %s\n", cudaGetErrorString(error));
            return 1;
        }
        float time;
        cudaEventElapsedTime(&time, start, stop);
        best = i == 0 || time < best ? time : best;
    }
    std::vector<unsigned> through(blocks * threads);
    cudaMemcpy(through.data(), out, through.size() * sizeof *out, cudaMemcpyDeviceToHost);
    for (unsigned n : through)
        sum += n;
    printf("%u of %u photons came through\n", sum, blocks * threads * count);
    if (launches > 1)
        printf("best of %d launches: %.3f ms\n", launches, best);
    cudaFree(out);
}
