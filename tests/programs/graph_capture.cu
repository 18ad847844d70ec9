// Graphs by capture: what streams are given is recorded, not run; streams join a capture through events.
#include "common.cuh"

__global__ void grow(int *data, int add)
{
    data[threadIdx.x] += add;
}
__global__ void scale(int *data, int by)
{
    data[threadIdx.x] *= by;
}
static void note(void *data)
{
    ++*(int *)data;
}

static int first(const int *device)
{
    int value;
    CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static const char *status_of(cudaStream_t stream)
{
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(stream, &status));
    return status == cudaStreamCaptureStatusNone     ? "none"
           : status == cudaStreamCaptureStatusActive ? "active"
                                                     : "invalid";
}

int main()
{
    int *a, *b, notes = 0;
    CHECK(cudaMalloc(&a, 32 * sizeof(int)));
    CHECK(cudaMalloc(&b, 32 * sizeof(int)));
    CHECK(cudaMemset(a, 0, 32 * sizeof(int)));
    cudaStream_t one, two;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    printf("before %s\n", status_of(one));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    printf("during %s\n", status_of(one));
    for (int i = 0; i < 5; i++)
        grow<<<1, 32, 0, one>>>(a, i);
    CHECK(cudaLaunchHostFunc(one, note, &notes));
    CHECK(cudaStreamEndCapture(one, &graph));
    printf("after %s\n", status_of(one));
    printf("nothing ran: %d %d\n", first(a), notes);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(exec, one));
    CHECK(cudaStreamSynchronize(one));
    printf("three launches: %d %d\n", first(a), notes);
    CHECK(cudaGraphDestroy(graph));

    // Two streams: fork by an event of the first, join by an event of the second.
    cudaEvent_t fork, join;
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemsetAsync(a, 0, 32 * sizeof(int), one));
    grow<<<1, 32, 0, one>>>(a, 3);
    CHECK(cudaEventRecord(fork, one));
    CHECK(cudaStreamWaitEvent(two, fork, 0));
    printf("second stream %s\n", status_of(two));
    CHECK(cudaMemcpyAsync(b, a, 32 * sizeof(int), cudaMemcpyDeviceToDevice, two));
    scale<<<1, 32, 0, two>>>(b, 100);
    CHECK(cudaEventRecord(join, two));
    CHECK(cudaStreamWaitEvent(one, join, 0));
    scale<<<1, 32, 0, one>>>(a, 7);
    CHECK(cudaStreamEndCapture(one, &graph));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    printf("nodes %zu\n", nodes);
    cudaGraphExec_t forked;
    CHECK(cudaGraphInstantiateWithFlags(&forked, graph, 0));
    CHECK(cudaGraphLaunch(forked, two));
    CHECK(cudaStreamSynchronize(two));
    printf("forked %d %d\n", first(a), first(b));

    // A capture of the same shape updates the executable graph; one of another shape does not.
    cudaGraph_t again;
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < 5; i++)
        grow<<<1, 32, 0, one>>>(a, 10 * i);
    CHECK(cudaLaunchHostFunc(one, note, &notes));
    CHECK(cudaStreamEndCapture(one, &again));
    cudaGraphExecUpdateResultInfo info = {};
    TELL(cudaGraphExecUpdate(exec, again, &info));
    CHECK(cudaMemset(a, 0, 32 * sizeof(int)));
    CHECK(cudaGraphLaunch(exec, one));
    CHECK(cudaStreamSynchronize(one));
    printf("updated %d\n", first(a));
    TELL(cudaGraphExecUpdate(exec, graph, &info));
    cudaGetLastError();

    // What a capture forbids.
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
    TELL(cudaStreamSynchronize(one));
    printf("invalidated %s\n", status_of(one));
    cudaGraph_t none = NULL;
    TELL(cudaStreamEndCapture(one, &none));
    fact("no graph", none == NULL);
    cudaGetLastError();
    TELL(cudaStreamEndCapture(one, &none));
    TELL(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed));
    cudaGetLastError();
    grow<<<1, 32, 0, one>>>(a, 1);
    CHECK(cudaStreamSynchronize(one));
    printf("still works %d\n", first(a));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphExecDestroy(forked));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(again));
    return 0;
}
