// Threads of a warp diverge and reconverge all the time.
extern "C" __global__ void divergent(unsigned *out, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i * 747796405u + 2891336453u, s = 0;
    for (unsigned r = 0; r < rounds; r++) {
        x = x * 1664525u + 1013904223u;
        if (x & 0x10000) {
            if (x & 0x20000)
                s += x >> 3;
            else
                s ^= x * 5;
        } else {
            for (unsigned k = 0; k < (x >> 29); k++)
                s = s * 33 + k;
        }
    }
    out[i] = s;
}
