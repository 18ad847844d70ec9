// A graph made node by node: kernels, copies, fills, host functions, a child graph; then changed and launched again.
#include "common.cuh"
#include <vector>

__global__ void fill(int *data, int n, int start)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = start + i;
}

__global__ void combine(int *out, const int *a, const int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] * 10 + b[i];
}

static void count_up(void *data)
{
    ++*(int *)data;
}

static cudaKernelNodeParams kernel(void *function, int n, void **arguments)
{
    cudaKernelNodeParams params = {};
    params.func = function;
    params.gridDim = dim3((n + 63) / 64);
    params.blockDim = dim3(64);
    params.kernelParams = arguments;
    return params;
}

int main()
{
    const int n = 200;
    int *a, *b, *out, result[n], host_runs = 0;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));

    cudaGraph_t graph, child;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    cudaGraphNode_t fill_a, fill_b, clear, both, copy, host, inner;
    int size = n, start_a = 1;
    void *fill_arguments[] = {&a, &size, &start_a};
    cudaKernelNodeParams fill_params = kernel((void *)fill, n, fill_arguments);
    CHECK(cudaGraphAddKernelNode(&fill_a, graph, NULL, 0, &fill_params));
    cudaMemsetParams set = {};
    set.dst = b;
    set.elementSize = 4;
    set.value = 7;
    set.width = n;
    set.height = 1;
    CHECK(cudaGraphAddMemsetNode(&fill_b, graph, NULL, 0, &set));
    set.dst = out;
    set.value = 0;
    CHECK(cudaGraphAddMemsetNode(&clear, child, NULL, 0, &set));
    CHECK(cudaGraphAddChildGraphNode(&inner, graph, NULL, 0, child));
    void *combine_arguments[] = {&out, &a, &b, &size};
    cudaKernelNodeParams combine_params = kernel((void *)combine, n, combine_arguments);
    cudaGraphNode_t before[] = {fill_a, fill_b, inner};
    CHECK(cudaGraphAddKernelNode(&both, graph, before, 3, &combine_params));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &both, 1, result, out, sizeof result, cudaMemcpyDeviceToHost));
    cudaHostNodeParams call = {};
    call.fn = count_up;
    call.userData = &host_runs;
    CHECK(cudaGraphAddHostNode(&host, graph, &copy, 1, &call));

    size_t nodes = 0, edges = 0, roots = 0;
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    CHECK(cudaGraphGetRootNodes(graph, NULL, &roots));
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
#else
    CHECK(cudaGraphGetEdges(graph, NULL, NULL, &edges));
#endif
    printf("%zu nodes, %zu edges, %zu roots\n", nodes, edges, roots);
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(copy, &type));
    printf("copy is of type %d\n", (int)type);

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("first %d last %d host runs %d\n", result[0], result[n - 1], host_runs);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("host runs %d\n", host_runs);

    // Other parameters for one node of the executable graph: the argument's value was copied when the node was made.
    start_a = 1000;
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("unchanged first %d\n", result[0]);
    CHECK(cudaGraphExecKernelNodeSetParams(exec, fill_a, &fill_params));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("changed first %d\n", result[0]);
    set.dst = b;
    set.value = 9;
    CHECK(cudaGraphExecMemsetNodeSetParams(exec, fill_b, &set));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("changed memset first %d\n", result[0]);

    // A clone is a graph of its own; the whole graph replaces the executable's nodes.
    cudaGraph_t clone;
    CHECK(cudaGraphClone(&clone, graph));
    cudaGraphNode_t cloned;
    CHECK(cudaGraphNodeFindInClone(&cloned, fill_a, clone));
    start_a = 5;
    CHECK(cudaGraphKernelNodeSetParams(cloned, &fill_params));
    cudaGraphExecUpdateResultInfo info = {};
    CHECK(cudaGraphExecUpdate(exec, clone, &info));
    printf("update result %d\n", (int)info.result);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("updated first %d\n", result[0]);
    CHECK(cudaGraphDestroyNode(host));
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    printf("nodes left %zu\n", nodes);
    cudaGraphNode_t self[] = {copy};
    cudaGraphNode_t empty;
    CHECK(cudaGraphAddEmptyNode(&empty, graph, self, 1));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    printf("host runs %d first %d\n", host_runs, result[0]);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaGraphDestroy(child));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
