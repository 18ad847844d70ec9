// Memory-bound and divergent: in each round half of the threads follow a chain through a table in random order, and the
// other threads read the table at their own index.
extern "C" __global__ void chase(unsigned *out, const unsigned *table, unsigned mask, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i * 2654435761u, s = 0;
    for (unsigned r = 0; r < rounds; r++) {
        if (p & 0x10000) {
            unsigned links = (p >> 28 & 3) + 1;
            for (unsigned k = 0; k < links; k++)
                p = table[(p ^ k) & mask] + s;
        } else {
            s += table[(i + r * 32) & mask];
            p = p * 1664525u + 1013904223u;
        }
    }
    out[i] = p ^ s;
}
