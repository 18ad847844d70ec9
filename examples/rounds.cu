// A block barrier every round, and divergence between barriers: each thread reads the values that two other threads
// computed in the last round, and these values say how long it works. Blocks have at most 256 threads, a power of two.
extern "C" __global__ void rounds(unsigned *out, unsigned count)
{
    __shared__ unsigned value[2][256];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, mask = blockDim.x - 1;
    value[0][t] = i * 747796405u + 2891336453u;
    for (unsigned r = 0; r < count; r++) {
        __syncthreads();
        const unsigned *last = value[r & 1];
        unsigned x = last[(t + 1) & mask] ^ last[(t + r * 7) & mask] * 3;
        if (x & 0x100)
            for (unsigned k = 0; k < (x >> 28); k++)
                x = x * 1664525u + 1013904223u;
        else
            x = x / (r + 3) + (x << 9);
        value[~r & 1][t] = x + last[t];
    }
    __syncthreads();
    out[i] = value[count & 1][t];
}
