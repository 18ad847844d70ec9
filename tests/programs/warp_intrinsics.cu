// What the threads of a warp do together: shuffles, votes, matches, active masks, reductions, and bit tricks.
#include "common.cuh"

__global__ void shuffles(int *out)
{
    int lane = threadIdx.x % 32, all = 0xffffffff;
    int value = lane * lane;
    int sum = value;
    for (int step = 16; step; step /= 2)
        sum += __shfl_xor_sync(all, sum, step);
    int scan = value;
    for (int step = 1; step < 32; step *= 2) {
        int other = __shfl_up_sync(all, scan, step);
        if (lane >= step)
            scan += other;
    }
    int narrow = __shfl_down_sync(all, value, 3, 8);
    int from = __shfl_sync(all, value, lane / 4 * 4, 16);
    double real = __shfl_sync(all, lane + 0.5, 31 - lane);
    long long big = __shfl_xor_sync(all, (long long)lane << 33, 1);
    out[threadIdx.x] = sum + scan * 3 + narrow * 5 + from * 7 + (int)(real * 2) * 11 + (int)(big >> 33) * 13;
}

__global__ void votes(unsigned *out)
{
    unsigned lane = threadIdx.x % 32, all = 0xffffffff;
    unsigned result = __ballot_sync(all, lane % 3 == 0);
    result += __any_sync(all, lane == 40) * 3 + __all_sync(all, lane < 32) * 5;
    result ^= __match_any_sync(all, lane / 5);
    int agreed = 0;
    result ^= __match_all_sync(all, 7, &agreed) >> 16;
    result += agreed;
    if (lane >= 8 && lane < 20) {
        unsigned active = __activemask();
        result += __popc(active & 0xfff00) + (__ffs(active) ? 0 : 1);
        result += __reduce_add_sync(0xfff00, lane) + __reduce_max_sync(0xfff00, lane * 5 % 7) +
                  __reduce_xor_sync(0xfff00, 1u << lane % 16);
    }
    __syncwarp();
    result += __popc(result) + __clz(result) + (__brev(result) >> 28) + __ffs(result);
    result += __byte_perm(result, lane, 0x5140) + __funnelshift_l(result, lane, 5) + __umulhi(result, 77777u);
    result += __sad((int)result, (int)lane, 1u) + __usad(result, lane, 2u);
    result += __vadd4(result, 0x01020304u) + __vcmpgtu4(result, 0x10203040u) + __dp4a((int)result, 0x01020304, 5);
    out[threadIdx.x] = result;
}

__global__ void lanes(unsigned *out)
{
    unsigned lane, lower, warp;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    out[threadIdx.x] = lane * 1000 + __popc(lower) + (warp < 64 ? 0 : 1);
}

static unsigned *out;
static void show(const char *name)
{
    unsigned host[64];
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%s %u %u %u fingerprint %08x\n", name, host[0], host[9], host[63], fingerprint(host, sizeof host));
}

int main()
{
    CHECK(cudaMalloc(&out, 64 * sizeof *out));
    shuffles<<<1, 64>>>((int *)out);
    show("shuffles");
    votes<<<1, 64>>>(out);
    show("votes");
    lanes<<<1, 64>>>(out);
    show("lanes");
    return 0;
}
