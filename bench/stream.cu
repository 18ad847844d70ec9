// A copy that misses every cache: a warp copies 4 KB at a time, and each access takes four consecutive lines.
extern "C" __global__ void stream(uint4 *out, const uint4 *in, unsigned rounds)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned warps = gridDim.x * blockDim.x / 32;
    const uint4 *from = in + warp * 256 + lane;
    uint4 *to = out + warp * 256 + lane;
    for (unsigned r = 0; r < rounds; r++) {
        uint4 part[8];
#pragma unroll
        for (int k = 0; k < 8; k++)
            part[k] = from[k * 32];
#pragma unroll
        for (int k = 0; k < 8; k++)
            to[k * 32] = part[k];
        from += warps * 256;
        to += warps * 256;
    }
}
