// Nested ifs with an early exit from the loop: threads look for a value in a hash table with chains of probes. A thread
// skips some rounds (continue), leaves the loop when it hits (break), and seldom runs all rounds.
extern "C" __global__ void search(unsigned *out, unsigned probes)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i * 2654435761u + 12345u, found = 0, work = 0;
    for (unsigned p = 0; p < probes; p++) {
        x = x * 1664525u + 1013904223u;
        unsigned bits = x >> 16;
        if ((bits & 3) == 0)
            continue;
        if (bits & 4) {
            work = work * 17 + bits;
            if ((bits & 0x1f0) == 0) {
                found = p + 1;
                break;
            }
            work ^= work >> 5;
        }
        work += x / (bits | 1);
    }
    out[i] = work * 64 + found;
}
