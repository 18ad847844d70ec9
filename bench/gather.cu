// Pointer chasing through a table in random order: every load takes 32 different lines.
extern "C" __global__ void gather(unsigned *out, const unsigned *table, unsigned mask, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned p = i * 2654435761u, q = ~p;
    for (unsigned r = 0; r < rounds; r++) {
        p = table[p & mask];
        q = table[(q ^ p) & mask];
        p += table[(p ^ r) & mask];
    }
    out[i] = p ^ q;
}
