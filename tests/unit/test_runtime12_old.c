/* A program of CUDA 12: calls with other arguments and structures than today's. */
#include "tests/runtime/registered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

/* What the headers of CUDA 12 declare. */
cudaError_t cudaGetDeviceProperties_v2(void *properties, int device);
cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaThreadSynchronize(void);
cudaError_t old_add_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                          size_t count) __asm__("cudaGraphAddDependencies");
cudaError_t old_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                      size_t *count) __asm__("cudaGraphGetEdges");
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edges, size_t *count);
cudaError_t old_dependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                             size_t *count) __asm__("cudaGraphNodeGetDependencies");
cudaError_t old_remove_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                             size_t count) __asm__("cudaGraphRemoveDependencies");
cudaError_t old_capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                             unsigned long long *id) __asm__("cudaStreamGetCaptureInfo");
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                        size_t *count);
struct launch {
    void *func;
    dim3 grid, block;
    void **args;
    size_t shared;
    cudaStream_t stream;
};
cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct launch *launches, unsigned int count, unsigned int flags);

static int attribute(enum cudaDeviceAttr which)
{
    int value = -2;
    OK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static int number_at(const unsigned char *bytes, size_t offset)
{
    int value;
    memcpy(&value, bytes + offset, sizeof value);
    return value;
}

/* Two forms under two names: that of CUDA 11 under the plain one. */
static void test_properties_are_those_of_12(void **state)
{
    (void)state;
    enum { BYTES = 1032, OLD_BYTES = 728, CLOCK_AT = 348, HOST_REGISTER_AT = 728, UNIFIED_FUNCTIONS_AT = 776 };
    unsigned char properties[BYTES + 16];
    memset(properties, 0xee, sizeof properties);
    OK(cudaGetDeviceProperties_v2(properties, 0));
    assert_string_equal((char *)properties, "heddle");
    assert_int_equal(number_at(properties, CLOCK_AT), attribute(cudaDevAttrClockRate));
    assert_int_equal(number_at(properties, HOST_REGISTER_AT), attribute(cudaDevAttrHostRegisterSupported));
    assert_int_equal(number_at(properties, UNIFIED_FUNCTIONS_AT), 0);
    assert_int_equal(number_at(properties, BYTES - 4), 0);
    for (size_t i = BYTES; i < sizeof properties; i++)
        assert_int_equal(properties[i], 0xee);
    memset(properties, 0xee, sizeof properties);
    OK(cudaGetDeviceProperties((struct cudaDeviceProp *)properties, 0));
    assert_int_equal(number_at(properties, CLOCK_AT), attribute(cudaDevAttrClockRate));
    for (size_t i = OLD_BYTES; i < sizeof properties; i++)
        assert_int_equal(properties[i], 0xee);
    FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties_v2(properties, 1));
}

static void test_events_have_two_names(void **state)
{
    (void)state;
    cudaEvent_t event;
    float milliseconds = -1;
    OK(cudaEventCreate(&event));
    OK(cudaEventRecord(event, NULL));
    OK(cudaThreadSynchronize());
    OK(cudaEventElapsedTime(&milliseconds, event, event));
    OK(cudaEventElapsedTime_v2(&milliseconds, event, event));
    assert_true(milliseconds == 0);
    OK(cudaEventDestroy(event));
}

static void test_launches_on_all_devices_are_one_launch(void **state)
{
    (void)state;
    static char kernel;
    void **binary = registered_binary(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n");
    registered_kernel(binary, &kernel, "k");
    struct launch launches[2] = {{&kernel, {1, 1, 1}, {32, 1, 1}, NULL, 0, NULL}};
    OK(cudaLaunchCooperativeKernelMultiDevice(launches, 1, 0));
    FAILS(cudaErrorInvalidValue, cudaLaunchCooperativeKernelMultiDevice(launches, 2, 0));
    FAILS(cudaErrorInvalidConfiguration, cudaLaunchKernel(&kernel, (dim3){1, 1, 1}, (dim3){2048, 1, 1}, NULL, 0, NULL));
    int version = 0;
    OK(cudaRuntimeGetVersion(&version));
    assert_int_equal(version / 1000, 12);
    registered_end(binary);
}

/* Edges had no data before CUDA 12.3, and the calls with data have names of their own in CUDA 12. */
static void test_edges_have_no_data(void **state)
{
    (void)state;
    cudaGraph_t graph;
    cudaGraphNode_t first, second, from[2], to[2];
    cudaGraphEdgeData data[2];
    size_t count = 2;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&first, graph, NULL, 0));
    OK(cudaGraphAddEmptyNode(&second, graph, NULL, 0));
    OK(old_add_edges(graph, &first, &second, 1));
    OK(old_edges(graph, from, to, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(from[0], first);
    assert_ptr_equal(to[0], second);
    count = 2;
    OK(cudaGraphGetEdges_v2(graph, from, to, data, &count));
    assert_int_equal(count, 1);
    assert_int_equal(data[0].type, 0);
    count = 2;
    OK(old_dependencies(second, from, &count));
    assert_int_equal(count, 1);
    OK(old_remove_edges(graph, &first, &second, 1));
    OK(old_edges(graph, NULL, NULL, &count));
    assert_int_equal(count, 0);
    OK(cudaGraphDestroy(graph));
}

static void test_captures_are_asked_about_in_three_forms(void **state)
{
    (void)state;
    cudaStream_t stream;
    cudaGraph_t graph = NULL, captured = NULL;
    const cudaGraphNode_t *nodes;
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    unsigned long long id = 0, again = 0;
    size_t count = 9;
    OK(cudaStreamCreate(&stream));
    OK(old_capture_info(stream, &status, &id));
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(old_capture_info(stream, &status, &id));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    OK(cudaStreamGetCaptureInfo_v2(stream, &status, &again, &graph, &nodes, &count));
    assert_true(again == id && graph);
    assert_int_equal(count, 0);
    OK(cudaStreamEndCapture(stream, &captured));
    assert_ptr_equal(captured, graph);
    OK(cudaGraphDestroy(captured));
    OK(cudaStreamDestroy(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties_are_those_of_12),
        cmocka_unit_test(test_events_have_two_names),
        cmocka_unit_test(test_edges_have_no_data),
        cmocka_unit_test(test_captures_are_asked_about_in_three_forms),
        cmocka_unit_test(test_launches_on_all_devices_are_one_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
