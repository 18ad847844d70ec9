// Arithmetic without memory: what a warp instruction costs the engine by itself.
extern "C" __global__ void alu(unsigned *out, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = i, b = i * 2654435761u, c = ~i;
    float x = (float)i, y = 0.5f;
    for (unsigned r = 0; r < rounds; r++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            a = (a << 5) + a + b;
            b ^= a >> 7;
            c = max(c, a) - (b & 0xffff);
            y = fmaf(x, y, 1.25f);
            x = x + y * 0.0625f;
            a = c > b ? a + 3 : a ^ c;
        }
    }
    out[i] = a + b + c + __float_as_uint(x) + __float_as_uint(y);
}
