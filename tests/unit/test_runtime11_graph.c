/* Graphs and captures in the forms of CUDA 11, whose names CUDA 13 gave to calls with other arguments. */
#include "cuda_runtime_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

cudaError_t instantiate_11(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error_node, char *log,
                           size_t size) __asm__("cudaGraphInstantiate");
cudaError_t update_11(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
                      enum cudaGraphExecUpdateResult *result) __asm__("cudaGraphExecUpdate");
cudaError_t edges_11(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                     size_t *count) __asm__("cudaGraphGetEdges");
cudaError_t depend_11(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                      size_t count) __asm__("cudaGraphAddDependencies");
cudaError_t info_11(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                    unsigned long long *id) __asm__("cudaStreamGetCaptureInfo");

static void test_old_forms(void **state)
{
    (void)state;
    cudaGraph_t graph, other;
    cudaGraphNode_t a, b, from[2], to[2], wrong = NULL;
    cudaGraphExec_t exec;
    char log[64] = "unset";
    size_t count = 2;
    enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
    OK(cudaGraphAddEmptyNode(&b, graph, NULL, 0));
    OK(depend_11(graph, &a, &b, 1));
    OK(edges_11(graph, from, to, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(to[0], b);
    OK(instantiate_11(&exec, graph, &wrong, log, sizeof log));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaGraphCreate(&other, 0));
    FAILS(cudaErrorGraphExecUpdateFailure, update_11(exec, other, &wrong, &result));
    assert_int_equal(result, cudaGraphExecUpdateErrorTopologyChanged);
    OK(depend_11(graph, &b, &a, 1));
    FAILS(cudaErrorInvalidValue, instantiate_11(&exec, graph, &wrong, log, sizeof log));
    assert_true(wrong == a || wrong == b);
}

static void test_capture_info(void **state)
{
    (void)state;
    cudaStream_t stream;
    cudaGraph_t graph;
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    unsigned long long id = 0;
    OK(cudaStreamCreate(&stream));
    OK(info_11(stream, &status, &id));
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(info_11(stream, &status, &id));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    assert_true(id != 0);
    OK(cudaStreamEndCapture(stream, &graph));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_old_forms), cmocka_unit_test(test_capture_info)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
