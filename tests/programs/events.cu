// Events: times that are plausible, and the errors of events that cannot tell a time.
#include "common.cuh"

__global__ void spin(unsigned *out, int rounds)
{
    unsigned x = threadIdx.x + 1;
    for (int i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

static float timed(cudaEvent_t begin, cudaEvent_t end, unsigned *out, int rounds)
{
    float ms = -1;
    CHECK(cudaEventRecord(begin));
    spin<<<4, 64>>>(out, rounds);
    CHECK(cudaEventRecord(end, 0));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

int main()
{
    unsigned *out, value;
    CHECK(cudaMalloc(&out, 4 * 64 * sizeof *out));
    cudaEvent_t begin, end, silent, unrecorded;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    CHECK(cudaEventCreateWithFlags(&silent, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&unrecorded));
    timed(begin, end, out, 1);
    float brief = timed(begin, end, out, 10), extended = timed(begin, end, out, 30000);
    fact("time is not negative", brief >= 0);
    fact("time is below a minute", extended < 60000);
    fact("3000 times the work takes longer", extended > brief);
    CHECK(cudaMemcpy(&value, out + 5, sizeof value, cudaMemcpyDeviceToHost));
    printf("value %u\n", value);

    float ms = 0;
    CHECK(cudaEventRecord(silent));
    CHECK(cudaEventSynchronize(silent));
    TELL(cudaEventElapsedTime(&ms, silent, end));
    TELL(cudaEventElapsedTime(&ms, begin, unrecorded));
    TELL(cudaEventQuery(unrecorded));
    TELL(cudaEventSynchronize(unrecorded));
    CHECK(cudaEventElapsedTime(&ms, begin, begin));
    fact("an event is no time after itself", ms == 0);
    cudaGetLastError();
    CHECK(cudaEventRecordWithFlags(begin, 0, cudaEventRecordDefault));
    CHECK(cudaDeviceSynchronize());
    TELL(cudaEventQuery(begin));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaEventDestroy(silent));
    CHECK(cudaEventDestroy(unrecorded));
    CHECK(cudaFree(out));
    return 0;
}
