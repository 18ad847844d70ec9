/*
 * The sum of 32 numbers by each warp, as it was written before __syncwarp: the threads halve the number of partial sums in
 * shared memory from step to step, and only lock-step keeps a thread from reading a sum that is not there yet.
 * `reduce_synced` is the same with the synchronisation that it needs.
 *
 * build.sh compiles it.
 */
enum { THREADS = 64 };

extern "C" __global__ void reduce(const unsigned *in, unsigned *out)
{
    __shared__ volatile unsigned sums[THREADS];
    unsigned t = threadIdx.x, lane = t & 31;
    sums[t] = in[t];
    for (unsigned half = 16; half > 0; half /= 2)
        if (lane < half)
            sums[t] = sums[t] + sums[t + half];
    if (lane == 0)
        out[t / 32] = sums[t];
}

extern "C" __global__ void reduce_synced(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sums[THREADS];
    unsigned t = threadIdx.x, lane = t & 31;
    sums[t] = in[t];
    for (unsigned half = 16; half > 0; half /= 2) {
        __syncwarp();
        if (lane < half)
            sums[t] = sums[t] + sums[t + half];
    }
    if (lane == 0)
        out[t / 32] = sums[t];
}
