// An if/else inside a loop: each thread throws a coin every round, and both sides are equally long.
extern "C" __global__ void hammock(unsigned *out, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, s = i, x = i * 747796405u + 2891336453u;
    for (unsigned r = 0; r < rounds; r++) {
        x = x * 1664525u + 1013904223u;
        if (x & 0x10000) {
            for (unsigned k = 0; k < 8; k++)
                s = s * 33 + (x >> k);
        } else {
            for (unsigned k = 0; k < 8; k++)
                s = s * 31 ^ (x << k);
        }
    }
    out[i] = s;
}
