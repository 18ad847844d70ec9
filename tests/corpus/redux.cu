// Warp reductions in one instruction (sm_80 and later), by shuffles before.
#include "corpus.h"

#if __CUDA_ARCH__ >= 800
#define REDUCE(OP, EXPRESSION, MASK, X) __reduce_##OP##_sync(MASK, X)
#else
template <typename T, typename F> static __device__ T by_shuffles(u32 mask, T x, F combine)
{
    T result = x;
    bool first = true;
    for (int lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1))
            continue;
        T y = __shfl_sync(mask, x, lane);
        result = first ? y : combine(result, y);
        first = false;
    }
    return result;
}
#define REDUCE(OP, EXPRESSION, MASK, X)                                                                      \
    by_shuffles(MASK, X, [](auto a, auto b) { return (decltype(a))(EXPRESSION); })
#endif

extern "C" __global__ void redux(const int *in, u32 *out)
{
    int t = threadIdx.x;
    int x = in[t];
    u32 u = (u32)x;
    u32 *o = out + 10 * t;
    o[0] = (u32)REDUCE(add, (u32)a + (u32)b, FULL_WARP, x);
    o[1] = REDUCE(add, a + b, FULL_WARP, u);
    o[2] = (u32)REDUCE(min, a < b ? a : b, FULL_WARP, x);
    o[3] = (u32)REDUCE(max, a > b ? a : b, FULL_WARP, x);
    o[4] = REDUCE(min, a < b ? a : b, FULL_WARP, u);
    o[5] = REDUCE(max, a > b ? a : b, FULL_WARP, u);
    o[6] = REDUCE(and, a & b, FULL_WARP, u | 0x00ff0000u);
    o[7] = REDUCE(or, a | b, FULL_WARP, u & 0x1111u);
    o[8] = REDUCE(xor, a ^ b, FULL_WARP, u);
    if ((t & 31) < 10)
        o[9] = REDUCE(add, a + b, 0x3ffu, u);
}
