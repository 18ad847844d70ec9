/*
 * Persistent threads with a queue, as ray tracers had them before __syncwarp (Aila and Laine, HPG 2009): thread 0 of
 * each warp takes 32 tasks for its warp and tells the others through shared memory, without a barrier. That is right
 * only where the others wait while thread 0 is away: where a warp executes in lock-step.
 *
 * `runs` counts how often each task was done. `persistent_synced` is the same with the barriers that it needs.
 *
 * build.sh compiles it.
 */
enum { MAX_WARPS = 32 };

/* Steps of 3n + 1 until 1: threads of a warp part. */
__device__ __forceinline__ unsigned work(unsigned n)
{
    unsigned steps = 0;
    while (n > 1 && steps < 1000) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

extern "C" __global__ void persistent(unsigned *next, unsigned count, unsigned *runs, unsigned *out)
{
    __shared__ volatile unsigned first[MAX_WARPS];
    unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (;;) {
        if (lane == 0)
            first[warp] = atomicAdd(next, 32);
        unsigned task = first[warp] + lane;
        if (task >= count)
            return;
        out[task] = work(task);
        atomicAdd(&runs[task], 1);
    }
}

extern "C" __global__ void persistent_synced(unsigned *next, unsigned count, unsigned *runs, unsigned *out)
{
    __shared__ volatile unsigned first[MAX_WARPS];
    unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (;;) {
        if (lane == 0)
            first[warp] = atomicAdd(next, 32);
        __syncwarp();
        unsigned task = first[warp] + lane;
        __syncwarp(); /* the next one is not written before all have read this */
        if (task >= count)
            return;
        out[task] = work(task);
        atomicAdd(&runs[task], 1);
    }
}
