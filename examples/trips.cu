// A loop whose trip count differs between neighbouring threads: the length of a number's Collatz chain.
extern "C" __global__ void trips(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    for (unsigned x = i + 1; x != 1; k++)
        x = x & 1 ? 3 * x + 1 : x / 2;
    out[i] = k;
}
