/* Stream capture: what becomes a node, how streams join a capture, and what is refused meanwhile. */
#include "tests/unit/driver_world.h"

#include <pthread.h>

static void begin(struct world *w)
{
    OK(cuStreamBeginCapture(w->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
}

/* Ends the capture, launches the graph once, and destroys it. */
static void end_and_launch(struct world *w)
{
    CUgraph graph;
    CUgraphExec exec;
    OK(cuStreamEndCapture(w->stream, &graph));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphDestroy(graph));
    OK(cuGraphLaunch(exec, w->stream));
    OK(cuGraphExecDestroy(exec));
}

/* Ends a capture that a call has invalidated. */
static void end_invalid(struct world *w)
{
    CUgraph graph = (CUgraph)w;
    CUstreamCaptureStatus status;
    OK(cuStreamIsCapturing(w->stream, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, note(w, w->stream, 'x'));
    FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(w->stream, &graph));
    assert_null(graph);
    OK(cuStreamIsCapturing(w->stream, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
}

static void test_operations_wait_for_the_launch(void **state)
{
    struct world *w = *state;
    begin(w);
    OK(note(w, w->stream, 'a'));
    OK(note(w, w->stream, 'b'));
    CUgraph graph;
    CUgraphExec exec;
    OK(cuStreamEndCapture(w->stream, &graph));
    assert_log(w, "");
    OK(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        OK(cuGraphLaunch(exec, w->stream));
    assert_log(w, "ababab");
}

static void count(void *data)
{
    ++*(int *)data;
}

/* Each kind of operation becomes one node of its type, in a chain. */
static void test_kinds_of_nodes(void **state)
{
    struct world *w = *state;
    static const CUgraphNodeType types[] = {CU_GRAPH_NODE_TYPE_MEMSET,       CU_GRAPH_NODE_TYPE_MEMCPY,
                                            CU_GRAPH_NODE_TYPE_MEMCPY,       CU_GRAPH_NODE_TYPE_HOST,
                                            CU_GRAPH_NODE_TYPE_MEM_ALLOC,    CU_GRAPH_NODE_TYPE_MEM_FREE,
                                            CU_GRAPH_NODE_TYPE_KERNEL,       CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                                            CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_WAIT_EVENT};
    enum { COUNT = sizeof types / sizeof types[0] };
    uint32_t words[4] = {1, 2, 3, 4};
    int calls = 0;
    CUevent event;
    CUdeviceptr memory, temporary;
    OK(cuMemAlloc(&memory, 256));
    OK(cuEventCreate(&event, 0));
    begin(w);
    OK(cuMemsetD32Async(memory, 7, 4, w->stream));
    OK(cuMemcpyDtoHAsync(words, memory, 8, w->stream));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = memory,
                          .srcPitch = 8,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = memory + 128,
                          .dstPitch = 16,
                          .WidthInBytes = 4,
                          .Height = 2};
    OK(cuMemcpy2DAsync(&copy, w->stream));
    OK(cuLaunchHostFunc(w->stream, count, &calls));
    OK(cuMemAllocAsync(&temporary, 1000, w->stream));
    OK(cuMemFreeAsync(temporary, w->stream));
    OK(note(w, w->stream, 'k'));
    OK(cuStreamWriteValue32(w->stream, memory + 200, 5, 0));
    OK(cuEventRecordWithFlags(event, w->stream, CU_EVENT_RECORD_EXTERNAL));
    OK(cuStreamWaitEvent(w->stream, event, CU_EVENT_WAIT_EXTERNAL));
    CUgraph graph;
    OK(cuStreamEndCapture(w->stream, &graph));
    assert_int_equal(words[0], 1);
    assert_int_equal(calls, 0);
    CUgraphNode nodes[COUNT + 1];
    size_t n = COUNT + 1;
    OK(cuGraphGetNodes(graph, nodes, &n));
    assert_int_equal(n, COUNT);
    for (int i = 0; i < COUNT; i++) {
        CUgraphNodeType type;
        CUgraphNode before;
        OK(cuGraphNodeGetType(nodes[i], &type));
        assert_int_equal(type, types[i]);
        n = 1;
        OK(cuGraphNodeGetDependencies(nodes[i], &before, NULL, &n));
        assert_int_equal(n, i ? 1 : 0);
        if (i)
            assert_ptr_equal(before, nodes[i - 1]);
    }
    CUgraphExec exec;
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, w->other));
    OK(cuGraphLaunch(exec, w->other));
    OK(cuEventSynchronize(event));
    OK(cuStreamSynchronize(w->other));
    assert_int_equal(calls, 2);
    assert_int_equal(words[0], 7);
    assert_int_equal(words[1], 7);
    assert_int_equal(words[2], 3);
    OK(cuMemcpyDtoH(words, memory + 200, 4));
    assert_int_equal(words[0], 5);
    assert_log(w, "kk");
}

/* Another stream joins by an event, and is joined by an event. */
static void test_fork_and_join(void **state)
{
    struct world *w = *state;
    CUevent fork, join;
    OK(cuEventCreate(&fork, 0));
    OK(cuEventCreate(&join, 0));
    begin(w);
    OK(note(w, w->stream, 'a'));
    OK(cuEventRecord(fork, w->stream));
    OK(cuStreamWaitEvent(w->other, fork, 0));
    CUstreamCaptureStatus status;
    cuuint64_t id, other_id;
    OK(cuStreamGetCaptureInfo(w->stream, &status, &id, NULL, NULL, NULL, NULL));
    OK(cuStreamGetCaptureInfo(w->other, &status, &other_id, NULL, NULL, NULL, NULL));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_equal(id, other_id);
    OK(note(w, w->other, 'b'));
    OK(note(w, w->stream, 'c'));
    OK(cuEventRecord(join, w->other));
    OK(cuStreamWaitEvent(w->stream, join, 0));
    OK(note(w, w->stream, 'd'));
    CUgraph graph;
    CUgraphNode from[8], to[8], nodes[8];
    size_t edges = 8, count = 8;
    OK(cuStreamEndCapture(w->stream, &graph));
    OK(cuStreamIsCapturing(w->other, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuGraphGetNodes(graph, nodes, &count));
    OK(cuGraphGetEdges(graph, from, to, NULL, &edges));
    assert_int_equal(count, 4);
    assert_int_equal(edges, 4);
    static const int expected[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    for (int i = 0; i < 4; i++) {
        assert_ptr_equal(from[i], nodes[expected[i][0]]);
        assert_ptr_equal(to[i], nodes[expected[i][1]]);
    }
    CUgraphExec exec;
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, NULL));
    assert_log(w, "abcd");
    FAILS(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(fork));
    FAILS(CUDA_ERROR_CAPTURED_EVENT, cuEventSynchronize(fork));
    FAILS(CUDA_ERROR_CAPTURED_EVENT, cuStreamWaitEvent(w->other, fork, 0));
    OK(cuEventRecord(fork, w->stream));
    OK(cuEventQuery(fork));
}

static void test_unjoined(void **state)
{
    struct world *w = *state;
    CUevent fork;
    CUgraph graph;
    OK(cuEventCreate(&fork, 0));
    begin(w);
    OK(note(w, w->stream, 'a'));
    OK(cuEventRecord(fork, w->stream));
    OK(cuStreamWaitEvent(w->other, fork, 0));
    FAILS(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(w->other, &graph));
    FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(w->stream, &graph));
    begin(w);
    OK(note(w, w->stream, 'a'));
    OK(cuEventRecord(fork, w->stream));
    OK(cuStreamWaitEvent(w->other, fork, 0));
    OK(note(w, w->other, 'b'));
    FAILS(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(w->stream, &graph));
    CUstreamCaptureStatus status;
    OK(cuStreamIsCapturing(w->other, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    assert_log(w, "");
}

static void test_begin_and_end_refused(void **state)
{
    struct world *w = *state;
    CUgraph graph;
    FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
    FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_GLOBAL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture(w->stream, (CUstreamCaptureMode)9));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuStreamBeginCapture((CUstream)w, CU_STREAM_CAPTURE_MODE_GLOBAL));
    FAILS(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(w->stream, &graph));
    begin(w);
    FAILS(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture(w->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    end_and_launch(w);
}

/* Calls that would wait for a captured stream invalidate the capture. */
static void test_waiting_refused(void **state)
{
    struct world *w = *state;
    begin(w);
    FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(w->stream));
    end_invalid(w);
    begin(w);
    FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamQuery(w->stream));
    end_invalid(w);
    begin(w);
    FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuCtxSynchronize());
    end_invalid(w);
    begin(w);
    FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamAddCallback(w->stream, (CUstreamCallback)(uintptr_t)1, w, 0));
    end_invalid(w);
}

/* The legacy stream waits for blocking streams, which a capture cannot hold. */
static void test_legacy_stream_refused(void **state)
{
    struct world *w = *state;
    CUstreamCaptureStatus status;
    begin(w);
    FAILS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamIsCapturing(NULL, &status));
    FAILS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, note(w, NULL, 'x'));
    end_invalid(w);
    begin(w);
    FAILS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuMemsetD32(w->log, 0, 1));
    end_invalid(w);
    CUstream free_stream;
    CUgraph graph;
    OK(cuStreamCreate(&free_stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamBeginCapture(free_stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(note(w, NULL, 'y'));
    OK(cuStreamEndCapture(free_stream, &graph));
    assert_log(w, "y");
}

static void test_isolation_and_merge(void **state)
{
    struct world *w = *state;
    CUevent outside, inside;
    CUgraph graph;
    OK(cuEventCreate(&outside, 0));
    OK(cuEventCreate(&inside, 0));
    OK(cuEventRecord(outside, w->other));
    begin(w);
    FAILS(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(w->stream, outside, 0));
    end_invalid(w);
    begin(w);
    OK(cuStreamBeginCapture(w->other, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(note(w, w->other, 'b'));
    OK(cuEventRecord(inside, w->other));
    FAILS(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(w->stream, inside, 0));
    FAILS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(w->other, &graph));
    end_invalid(w);
    begin(w);
    OK(note(w, w->stream, 'a'));
    OK(cuEventRecord(inside, w->stream));
    FAILS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamWaitEvent(NULL, inside, 0));
    end_invalid(w);
}

static void *allocate(void *context)
{
    CUdeviceptr memory;
    if (cuCtxSetCurrent(context))
        return NULL;
    return (void *)(uintptr_t)(cuMemAlloc(&memory, 4) + 1);
}

static CUresult allocate_elsewhere(struct world *w)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, allocate, w->context);
    pthread_join(thread, &result);
    return (CUresult)((uintptr_t)result - 1);
}

/* cuMemAlloc() could wait for the device: the modes say which threads may call it. */
static void test_modes(void **state)
{
    struct world *w = *state;
    CUdeviceptr memory;
    CUgraph graph;
    OK(cuStreamBeginCapture(w->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, allocate_elsewhere(w));
    end_invalid(w);
    OK(cuStreamBeginCapture(w->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(allocate_elsewhere(w));
    FAILS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemAlloc(&memory, 4));
    end_invalid(w);
    OK(cuStreamBeginCapture(w->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemAlloc(&memory, 4));
    OK(cuMemFree(memory));
    OK(cuStreamEndCapture(w->stream, &graph));
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuStreamBeginCapture(w->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemAlloc(&memory, 4));
    OK(cuStreamEndCapture(w->stream, &graph));
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
}

static void *end_elsewhere(void *stream)
{
    CUgraph graph;
    CUcontext context;
    if (cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
        return NULL;
    CUresult result = cuStreamEndCapture(stream, &graph);
    cuDevicePrimaryCtxRelease(0);
    return (void *)(uintptr_t)result;
}

static void test_wrong_thread(void **state)
{
    struct world *w = *state;
    pthread_t thread;
    void *result;
    begin(w);
    OK(note(w, w->stream, 'a'));
    pthread_create(&thread, NULL, end_elsewhere, w->stream);
    pthread_join(thread, &result);
    assert_int_equal((uintptr_t)result, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    end_and_launch(w);
    assert_log(w, "a");
}

/* The calling thread's default stream captures; that of another thread does not. */
static void *use_default_stream(void *data)
{
    struct world *w = data;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    bool ok = !cuCtxSetCurrent(w->context) && !cuStreamIsCapturing(CU_STREAM_PER_THREAD, &status) && !status &&
              !note(w, CU_STREAM_PER_THREAD, 't');
    return (void *)(uintptr_t)ok;
}

static void test_per_thread_default_stream(void **state)
{
    struct world *w = *state;
    pthread_t thread;
    void *ok;
    CUgraph graph;
    CUgraphExec exec;
    OK(cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(note(w, CU_STREAM_PER_THREAD, 'm'));
    pthread_create(&thread, NULL, use_default_stream, w);
    pthread_join(thread, &ok);
    assert_true(ok);
    OK(cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph));
    assert_log(w, "t");
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, CU_STREAM_PER_THREAD));
    assert_log(w, "m");
}

/* A program can read what the next node will depend on, and change it. */
static void test_dependencies(void **state)
{
    struct world *w = *state;
    CUgraph graph;
    CUgraphNode node;
    const CUgraphNode *leaves;
    size_t n;
    CUstreamCaptureStatus status;
    begin(w);
    OK(note(w, w->stream, 'a'));
    OK(cuStreamGetCaptureInfo(w->stream, &status, NULL, &graph, &leaves, NULL, &n));
    assert_int_equal(n, 1);
    OK(cuGraphAddEmptyNode(&node, graph, leaves, 1));
    OK(cuStreamUpdateCaptureDependencies(w->stream, &node, NULL, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    OK(cuStreamGetCaptureInfo(w->stream, &status, NULL, NULL, &leaves, NULL, &n));
    assert_int_equal(n, 2);
    OK(cuStreamUpdateCaptureDependencies(w->stream, NULL, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(note(w, w->stream, 'b'));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(graph));
    OK(cuStreamEndCapture(w->stream, &graph));
    OK(cuGraphGetRootNodes(graph, NULL, &n));
    assert_int_equal(n, 2);
    FAILS(CUDA_ERROR_ILLEGAL_STATE, cuStreamUpdateCaptureDependencies(w->stream, &node, NULL, 1, 0));
}

static void test_capture_to_graph(void **state)
{
    struct world *w = *state;
    CUgraph graph, same;
    CUgraphNode first, nodes[3];
    size_t n = 3;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddEmptyNode(&first, graph, NULL, 0));
    OK(cuStreamBeginCaptureToGraph(w->stream, graph, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(note(w, w->stream, 'a'));
    OK(cuStreamEndCapture(w->stream, &same));
    assert_ptr_equal(graph, same);
    OK(cuGraphNodeGetDependentNodes(first, nodes, NULL, &n));
    assert_int_equal(n, 1);
    OK(cuGraphDestroy(graph));
}

/* The launch of a graph in a capture becomes a child graph. */
static void test_graph_in_capture(void **state)
{
    struct world *w = *state;
    CUgraph graph;
    CUgraphExec inner;
    begin(w);
    OK(note(w, w->stream, 'a'));
    OK(note(w, w->stream, 'b'));
    OK(cuStreamEndCapture(w->stream, &graph));
    OK(cuGraphInstantiate(&inner, graph, 0));
    begin(w);
    OK(note(w, w->stream, '('));
    OK(cuGraphLaunch(inner, w->stream));
    OK(note(w, w->stream, ')'));
    OK(cuGraphExecDestroy(inner));
    end_and_launch(w);
    assert_log(w, "(ab)");
}

/* A stream that joined a capture may be destroyed before the capture ends, before or after its work is joined. */
static void test_joined_stream_destroyed(void **state)
{
    struct world *w = *state;
    CUevent fork, join;
    CUgraph graph;
    OK(cuEventCreate(&fork, 0));
    OK(cuEventCreate(&join, 0));
    for (int late = 0; late < 3; late++) {
        CUstream helper;
        OK(cuStreamCreate(&helper, 0));
        begin(w);
        OK(note(w, w->stream, 'a'));
        OK(cuEventRecord(fork, w->stream));
        OK(cuStreamWaitEvent(helper, fork, 0));
        OK(note(w, helper, 'b'));
        OK(cuEventRecord(join, helper));
        if (late == 0)
            OK(cuStreamWaitEvent(w->stream, join, 0));
        OK(cuStreamDestroy(helper));
        if (late == 1)
            OK(cuStreamWaitEvent(w->stream, join, 0));
        OK(note(w, w->stream, 'c'));
        if (late == 2) {
            FAILS(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(w->stream, &graph));
        } else {
            end_and_launch(w);
            assert_log(w, "abc");
        }
    }
}

/* A stream that ends takes its capture along. */
static void test_stream_destroyed(void **state)
{
    struct world *w = *state;
    begin(w);
    OK(note(w, w->stream, 'a'));
    OK(cuStreamDestroy(w->stream));
    OK(cuCtxSynchronize());
    assert_log(w, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(test_operations_wait_for_the_launch),
        TEST(test_kinds_of_nodes),
        TEST(test_fork_and_join),
        TEST(test_unjoined),
        TEST(test_begin_and_end_refused),
        TEST(test_waiting_refused),
        TEST(test_legacy_stream_refused),
        TEST(test_isolation_and_merge),
        TEST(test_modes),
        TEST(test_wrong_thread),
        TEST(test_per_thread_default_stream),
        TEST(test_dependencies),
        TEST(test_capture_to_graph),
        TEST(test_graph_in_capture),
        TEST(test_joined_stream_destroyed),
        TEST(test_stream_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
