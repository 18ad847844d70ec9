// Dependent loads: each address comes from the load before. Few warps, long waits.
extern "C" __global__ void latency(unsigned *out, const unsigned *table, unsigned mask, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = blockIdx.x * 64 + (threadIdx.x & ~31);
    for (unsigned r = 0; r < rounds; r++)
        p = table[p & mask & ~31] & ~31;
    out[i] = p;
}
