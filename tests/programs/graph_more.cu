// Further parts of graphs: generic nodes, edges by hand, events, memory nodes, symbols, errors of wrong graphs, and
// captures into a graph that exists.
#include "common.cuh"

__device__ int cell;
__global__ void store(int *to, int value)
{
    *to = value;
}
__global__ void add(int *to, const int *from)
{
    *to += *from;
}
__global__ void from_cell(int *to)
{
    *to += cell;
}

static cudaGraphNode_t kernel_node(cudaGraph_t graph, void *function, void **arguments, cudaGraphNode_t after)
{
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = function;
    params.kernel.gridDim = params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = arguments;
    cudaGraphNode_t node;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddNode(&node, graph, after ? &after : NULL, NULL, after ? 1 : 0, &params));
#else
    CHECK(cudaGraphAddNode(&node, graph, after ? &after : NULL, after ? 1 : 0, &params));
#endif
    return node;
}

static int value_of(const int *device)
{
    int value;
    CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

int main()
{
    int *a, *b, one = 1, ten = 10, host = 70;
    CHECK(cudaMalloc(&a, sizeof(int)));
    CHECK(cudaMalloc(&b, sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));

    // Two stores, then an addition whose edges are added later; a node that copies to a symbol, and one that uses it.
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    void *store_a[] = {&a, &one}, *store_b[] = {&b, &ten}, *add_both[] = {&a, &b}, *use_cell[] = {&a};
    cudaGraphNode_t first = kernel_node(graph, (void *)store, store_a, NULL);
    cudaGraphNode_t second = kernel_node(graph, (void *)store, store_b, NULL);
    cudaGraphNode_t sum = kernel_node(graph, (void *)add, add_both, NULL);
    cudaGraphNode_t from[] = {first, second}, to[] = {sum, sum}, symbol;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddDependencies(graph, from, to, NULL, 2));
#else
    CHECK(cudaGraphAddDependencies(graph, from, to, 2));
#endif
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&symbol, graph, &sum, 1, cell, &host, sizeof host, 0, cudaMemcpyHostToDevice));
    cudaGraphNode_t last = kernel_node(graph, (void *)from_cell, use_cell, symbol);
    size_t count = 0;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphNodeGetDependencies(sum, NULL, NULL, &count));
#else
    CHECK(cudaGraphNodeGetDependencies(sum, NULL, &count));
#endif
    printf("dependencies %zu\n", count);
    cudaKernelNodeParams told;
    CHECK(cudaGraphKernelNodeGetParams(last, &told));
    printf("told back %d threads, function %s\n", (int)told.blockDim.x,
           told.func == (void *)from_cell ? "same" : "other");
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphUpload(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("sum %d\n", value_of(a));
    CHECK(cudaGraphNodeSetEnabled(exec, last, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("without the last node %d\n", value_of(a));
    unsigned enabled = 9;
    CHECK(cudaGraphNodeGetEnabled(exec, last, &enabled));
    printf("enabled %u\n", enabled);
    CHECK(cudaGraphExecDestroy(exec));

    // A circle cannot be instantiated.
    cudaGraphNode_t end[] = {last}, start[] = {first};
#if CUDART_VERSION >= 13000
    cudaError_t circle = cudaGraphAddDependencies(graph, end, start, NULL, 1);
#else
    cudaError_t circle = cudaGraphAddDependencies(graph, end, start, 1);
#endif
    if (circle == cudaSuccess)
        circle = cudaGraphInstantiate(&exec, graph, 0);
    printf("circle %s\n", cudaGetErrorName(circle));
    cudaGetLastError();
    CHECK(cudaGraphDestroy(graph));

    // Events in graphs, memory that a graph allocates, a capture into a graph that has a node already.
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t record, wait;
    first = kernel_node(graph, (void *)store, store_a, NULL);
    CHECK(cudaGraphAddEventRecordNode(&record, graph, &first, 1, event));
    CHECK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    CHECK(cudaStreamBeginCaptureToGraph(stream, graph, &wait, NULL, 1, cudaStreamCaptureModeGlobal));
    int *inside;
    CHECK(cudaMallocAsync(&inside, sizeof(int), stream));
    store<<<1, 1, 0, stream>>>(inside, 500);
    add<<<1, 1, 0, stream>>>(a, inside);
    CHECK(cudaFreeAsync(inside, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphGetNodes(graph, NULL, &count));
    printf("nodes %zu\n", count);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    TELL(cudaEventQuery(event));
    printf("captured %d\n", value_of(a));
    TELL(cudaGraphLaunch(NULL, stream));
    TELL(cudaGraphInstantiate(&exec, NULL, 0));
    return 0;
}
