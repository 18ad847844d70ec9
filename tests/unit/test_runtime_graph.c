/* Graphs and captures by the runtime API: what the runtime adds to the driver's is the translation of parameters. */
#include "tests/runtime/registered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .b8 table[16];\n"
    /* p[tid] += value */
    ".visible .entry add(.param .u64 p, .param .u32 value)\n"
    "{ .reg .b32 %r<4>; .reg .b64 %d<3>;\n"
    "  ld.param.u64 %d0, [p]; ld.param.u32 %r0, [value]; mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4;\n"
    "  add.s64 %d2, %d0, %d1; ld.global.u32 %r2, [%d2]; add.u32 %r3, %r2, %r0; st.global.u32 [%d2], %r3; ret; }\n";

static char add, table;
static void **binary;
static uint32_t *data;

static int open_world(void **state)
{
    (void)state;
    binary = registered_binary(ptx);
    registered_kernel(binary, &add, "add");
    registered_variable(binary, &table, "table", 16);
    return cudaMalloc((void **)&data, 64) || cudaMemset(data, 0, 64);
}

static int close_world(void **state)
{
    (void)state;
    cudaError_t error = cudaFree(data);
    registered_end(binary);
    return error;
}

static uint32_t word(int i)
{
    uint32_t value = 0;
    OK(cudaMemcpy(&value, data + i, 4, cudaMemcpyDeviceToHost));
    return value;
}

static struct cudaKernelNodeParams kernel(void **arguments)
{
    return (struct cudaKernelNodeParams){
        .func = &add, .gridDim = {1, 1, 1}, .blockDim = {4, 1, 1}, .kernelParams = arguments};
}

static cudaGraphExec_t instantiate(cudaGraph_t graph)
{
    cudaGraphExec_t exec = NULL;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

static void test_kernel_nodes(void **state)
{
    (void)state;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    uint32_t value = 3;
    void *arguments[] = {&data, &value};
    struct cudaKernelNodeParams k = kernel(arguments), got;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &k));
    value = 5;
    OK(cudaGraphKernelNodeGetParams(node, &got));
    assert_ptr_equal(got.func, &add);
    assert_int_equal(got.blockDim.x, 4);
    assert_int_equal(*(uint32_t *)got.kernelParams[1], 3);
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphLaunch(exec, NULL));
    assert_int_equal(word(3), 3);
    OK(cudaGraphExecKernelNodeSetParams(exec, node, &k));
    OK(cudaGraphLaunch(exec, NULL));
    assert_int_equal(word(0), 8);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeKernel};
    memcpy(&p.kernel, &k, sizeof k);
    value = 100;
    OK(cudaGraphAddNode(&node, graph, &node, NULL, 1, &p));
    exec = instantiate(graph);
    OK(cudaGraphLaunch(exec, NULL));
    assert_int_equal(word(0), 111);
    k.func = &node;
    FAILS(cudaErrorInvalidResourceHandle, cudaGraphKernelNodeSetParams(node, &k));
    FAILS(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(node, NULL));
    FAILS(cudaErrorInvalidValue, cudaGetLastError());
}

static void test_copy_nodes(void **state)
{
    (void)state;
    cudaGraph_t graph;
    cudaGraphNode_t to_table, from_table, fill;
    uint32_t in[4] = {1, 2, 3, 4}, out[4] = {0};
    struct cudaMemsetParams set = {.dst = data, .value = 9, .elementSize = 4, .width = 4, .height = 1}, got_set;
    struct cudaMemcpy3DParms got;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemcpyNodeToSymbol(&to_table, graph, NULL, 0, &table, in, 8, 4, cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&from_table, graph, &to_table, 1, out, &table, 16, 0, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &set));
    OK(cudaGraphMemsetNodeGetParams(fill, &got_set));
    assert_ptr_equal(got_set.dst, data);
    OK(cudaGraphMemcpyNodeGetParams(from_table, &got));
    assert_ptr_equal(got.dstPtr.ptr, out);
    assert_int_equal(got.extent.width, 16);
    assert_int_equal(got.kind, cudaMemcpyDeviceToHost);
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphLaunch(exec, NULL));
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 1);
    assert_int_equal(out[2], 2);
    assert_int_equal(word(3), 9);
    OK(cudaGraphExecMemcpyNodeSetParams1D(exec, from_table, out, data, 8, cudaMemcpyDefault));
    OK(cudaGraphLaunch(exec, NULL));
    assert_int_equal(out[0], 9);
    assert_int_equal(out[2], 2);
    /* What was read can be set again. */
    OK(cudaGraphMemcpyNodeSetParams(from_table, &got));
    FAILS(cudaErrorInvalidValue,
          cudaGraphAddMemcpyNodeToSymbol(&to_table, graph, NULL, 0, &table, in, 16, 4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaGraphAddMemcpyNodeToSymbol(&to_table, graph, NULL, 0, &table, in, 4, 4, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaGraphAddMemcpyNode1D(&fill, NULL, NULL, 0, out, in, 4, cudaMemcpyHostToHost));
}

/* A copy to an array counts elements; what is read back from the node counts them, too. */
static void test_array_copy_node(void **state)
{
    (void)state;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaArray_t array;
    float in[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[4];
    struct cudaChannelFormatDesc channels = {32, 32, 0, 0, cudaChannelFormatKindFloat};
    OK(cudaMallocArray(&array, &channels, 4, 2, 0));
    struct cudaMemcpy3DParms copy = {.srcPtr = {in, 16, 16, 2},
                                     .dstArray = array,
                                     .dstPos = {1, 0, 0},
                                     .extent = {2, 2, 1},
                                     .kind = cudaMemcpyHostToDevice},
                             got;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &copy));
    OK(cudaGraphMemcpyNodeGetParams(node, &got));
    assert_ptr_equal(got.dstArray, array);
    assert_int_equal(got.extent.width, 2);
    assert_int_equal(got.dstPos.x, 1);
    OK(cudaGraphLaunch(instantiate(graph), NULL));
    OK(cudaMemcpy2DFromArray(out, 16, array, 8, 1, 16, 1, cudaMemcpyDeviceToHost));
    assert_true(out[0] == 4 && out[3] == 7);
    OK(cudaFreeArray(array));
}

static void count(void *calls)
{
    ++*(int *)calls;
}

static void test_capture(void **state)
{
    (void)state;
    cudaStream_t stream;
    cudaGraph_t graph;
    enum cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    const cudaGraphNode_t *leaves;
    size_t leaf_count, edge_count = 8;
    int calls = 0;
    uint32_t value = 7, host;
    void *arguments[] = {&data, &value};
    cudaGraphNode_t from[8], to[8];
    OK(cudaMemset(data, 0, 64));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaLaunchKernel(&add, (dim3){1, 1, 1}, (dim3){4, 1, 1}, arguments, 0, stream));
    value = 0;
    OK(cudaMemcpyAsync(&host, data, 4, cudaMemcpyDeviceToHost, stream));
    OK(cudaLaunchHostFunc(stream, count, &calls));
    OK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &leaves, NULL, &leaf_count));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    assert_int_equal(leaf_count, 1);
    FAILS(cudaErrorStreamCaptureUnsupported, cudaMalloc((void **)&(void *){NULL}, 4));
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    value = 7;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(cudaLaunchKernel(&add, (dim3){1, 1, 1}, (dim3){4, 1, 1}, arguments, 0, stream));
    OK(cudaMemcpyAsync(&host, data, 4, cudaMemcpyDeviceToHost, stream));
    OK(cudaLaunchHostFunc(stream, count, &calls));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphGetEdges(graph, from, to, NULL, &edge_count));
    assert_int_equal(edge_count, 2);
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    assert_int_equal(host, 14);
    assert_int_equal(calls, 2);
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(exec, graph, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateSuccess);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

/* The bodies of a conditional node come back to the program. */
static void test_conditional_node(void **state)
{
    (void)state;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle handle;
    uint32_t value = 5;
    void *arguments[] = {&data, &value};
    struct cudaKernelNodeParams k = kernel(arguments);
    OK(cudaMemset(data, 0, 64));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional,
                                    .conditional = {.handle = handle, .type = cudaGraphCondTypeSwitch, .size = 2}};
    OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    OK(cudaGraphAddKernelNode(&node, p.conditional.phGraph_out[1], NULL, 0, &k));
    OK(cudaGraphLaunch(instantiate(graph), NULL));
    assert_int_equal(word(0), 5);
}

static void test_memory_nodes_and_user_objects(void **state)
{
    (void)state;
    cudaGraph_t graph;
    cudaGraphNode_t alloc, release;
    cudaUserObject_t object;
    int calls = 0;
    void *freed;
    unsigned long long used;
    struct cudaMemAllocNodeParams p = {
        .poolProps = {.allocType = cudaMemAllocationTypePinned, .location = {cudaMemLocationTypeDevice, 0}},
        .bytesize = 4096};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, &p));
    OK(cudaGraphAddMemFreeNode(&release, graph, &alloc, 1, p.dptr));
    OK(cudaGraphMemFreeNodeGetParams(release, &freed));
    assert_ptr_equal(freed, p.dptr);
    OK(cudaUserObjectCreate(&object, &calls, count, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used));
    assert_int_equal(used, 4096);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaDeviceSynchronize());
    assert_int_equal(calls, 1);
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used));
    assert_int_equal(used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel_nodes),     cmocka_unit_test(test_copy_nodes),
        cmocka_unit_test(test_array_copy_node),  cmocka_unit_test(test_capture),
        cmocka_unit_test(test_conditional_node), cmocka_unit_test(test_memory_nodes_and_user_objects),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
