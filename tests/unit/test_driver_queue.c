/* Host functions, stream callbacks, stream memory operations: what happens when a stream has to wait for the host. */
#include "tests/unit/driver_world.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* A host function that waits until the program lets it go on. */
struct gate {
    atomic_bool is_open, is_reached, is_passed;
};

static void pass(void *data)
{
    struct gate *g = data;
    g->is_reached = true;
    while (!g->is_open)
        usleep(1000);
    g->is_passed = true;
}

struct inside {
    pthread_t thread;
    CUresult of_query, of_alloc, of_init;
};

static void call_cuda(void *data)
{
    struct inside *i = data;
    CUdeviceptr memory;
    i->thread = pthread_self();
    i->of_query = cuStreamQuery(NULL);
    i->of_alloc = cuMemAlloc(&memory, 4);
    i->of_init = cuCtxSynchronize();
}

/* The function has run when the call returns, in another thread, and may not call CUDA. */
static void test_host_function(void **state)
{
    struct world *w = *state;
    struct inside i = {0};
    OK(cuLaunchHostFunc(w->stream, call_cuda, &i));
    assert_false(pthread_equal(i.thread, pthread_self()));
    assert_int_equal(i.of_query, CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(i.of_alloc, CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(i.of_init, CUDA_ERROR_NOT_PERMITTED);
    OK(cuStreamQuery(w->stream));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchHostFunc(w->stream, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLaunchHostFunc((CUstream)w, call_cuda, &i));
}

struct heard {
    CUstream stream;
    CUresult status;
    int calls;
};

static void hear(CUstream stream, CUresult status, void *data)
{
    struct heard *h = data;
    *h = (struct heard){stream, status, h->calls + 1};
}

/* A callback is told the stream and the context's error; a host function is not called after an error. */
static void test_callback(void **state)
{
    struct world *w = *state;
    struct heard h = {0};
    OK(cuStreamAddCallback(w->stream, hear, &h, 0));
    assert_int_equal(h.calls, 1);
    assert_ptr_equal(h.stream, w->stream);
    assert_int_equal(h.status, CUDA_SUCCESS);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(w->stream, hear, &h, 1));
}

/* A host function that waits for its caller does not hold up the program; the work behind it waits, in order. */
static void test_busy_stream(void **state)
{
    struct world *w = *state;
    struct gate g = {0};
    CUevent event;
    CUdeviceptr memory;
    float milliseconds;
    OK(cuEventCreate(&event, 0));
    OK(cuMemAlloc(&memory, 64));
    OK(cuMemsetD32(memory, 1, 16));
    OK(cuLaunchHostFunc(w->stream, pass, &g));
    assert_true(g.is_reached);
    assert_false(g.is_passed);
    FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(w->stream));
    OK(note(w, w->stream, 'a'));
    OK(cuMemsetD32Async(memory, 2, 16, w->stream));
    OK(cuEventRecord(event, w->stream));
    FAILS(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    FAILS(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&milliseconds, event, event));
    /* Another stream goes on, until it waits for the event. */
    CUstream independent;
    OK(cuStreamCreate(&independent, CU_STREAM_NON_BLOCKING));
    OK(note(w, independent, 'b'));
    OK(cuStreamQuery(independent));
    OK(cuStreamWaitEvent(independent, event, 0));
    OK(note(w, independent, 'c'));
    FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(independent));
    /* The legacy stream waits for blocking streams. */
    OK(note(w, NULL, 'd'));
    FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
    g.is_open = true;
    OK(cuStreamSynchronize(independent));
    assert_true(g.is_passed);
    OK(cuEventQuery(event));
    OK(cuCtxSynchronize());
    uint32_t word;
    OK(cuMemcpyDtoH(&word, memory, 4));
    assert_int_equal(word, 2);
    uint32_t log[5];
    OK(cuMemcpyDtoH(log, w->log, sizeof log));
    assert_int_equal(log[0], 4);
    assert_int_equal(log[1], 'b');
    assert_int_equal(log[2], 'a');
}

static void *open_later(void *data)
{
    usleep(50000);
    ((struct gate *)data)->is_open = true;
    return NULL;
}

/* Synchronising calls, copies of the legacy stream, and frees wait for the host function. */
static void test_waiting_calls(void **state)
{
    struct world *w = *state;
    pthread_t thread;
    enum { STREAM, EVENT, CONTEXT, NAMED_CONTEXT, COPY, FREE, DESTROY, WAYS };
    for (int way = 0; way < WAYS; way++) {
        struct gate g = {0};
        CUevent event;
        CUdeviceptr memory;
        CUstream stream;
        char byte;
        OK(cuStreamCreate(&stream, 0));
        OK(cuEventCreate(&event, 0));
        OK(cuMemAlloc(&memory, 4));
        /* Waits for a value instead of a second: the stream is busy at once. */
        uint32_t *flag;
        OK(cuMemAllocHost((void **)&flag, 4));
        OK(cuStreamWaitValue32(stream, (CUdeviceptr)(uintptr_t)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
        OK(cuLaunchHostFunc(stream, pass, &g));
        OK(cuEventRecord(event, stream));
        assert_false(g.is_reached);
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
        pthread_create(&thread, NULL, open_later, &g);
        OK(way == STREAM          ? cuStreamSynchronize(stream)
           : way == EVENT         ? cuEventSynchronize(event)
           : way == CONTEXT       ? cuCtxSynchronize()
           : way == NAMED_CONTEXT ? cuCtxSynchronize_v2(w->context)
           : way == COPY          ? cuMemcpyDtoH(&byte, w->log, 1)
           : way == FREE          ? cuMemFree(memory)
                                  : cuStreamDestroy(stream));
        assert_true(g.is_passed);
        pthread_join(thread, NULL);
    }
}

/* A wait for a value that is there does not hold the stream up; each comparison is the manual's. */
static void test_wait_values(void **state)
{
    struct world *w = *state;
    uint64_t *host;
    OK(cuMemAllocHost((void **)&host, 16));
    CUdeviceptr at = (CUdeviceptr)(uintptr_t)host;
    OK(cuStreamWriteValue32(w->stream, at, 6, 0));
    assert_int_equal(host[0], 6);
    OK(cuStreamWriteValue64(w->stream, at + 8, 1ull << 40, 0));
    assert_int_equal(host[1], 1ull << 40);
    static const struct {
        uint32_t value;
        unsigned flags;
        bool holds;
    } cases[] = {{6, CU_STREAM_WAIT_VALUE_GEQ, true},           {7, CU_STREAM_WAIT_VALUE_GEQ, false},
                 {0xfffffff0, CU_STREAM_WAIT_VALUE_GEQ, true},  {6, CU_STREAM_WAIT_VALUE_EQ, true},
                 {4, CU_STREAM_WAIT_VALUE_EQ, false},           {2, CU_STREAM_WAIT_VALUE_AND, true},
                 {8, CU_STREAM_WAIT_VALUE_AND, false},          {0, CU_STREAM_WAIT_VALUE_NOR, true},
                 {0xfffffff9, CU_STREAM_WAIT_VALUE_NOR, false}, {6, CU_STREAM_WAIT_VALUE_FLUSH, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CUstream stream;
        OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        OK(cuStreamWaitValue32(stream, at, cases[i].value, cases[i].flags));
        usleep(20000);
        FAILS(cases[i].holds ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    }
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(w->stream, at + 2, 0, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(w->stream, 0x10, 0, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(w->stream, at, 0, 17));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(w->stream, at, 0, 17));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue64(w->stream, at + 4, 0, 0));
}

/* One stream's write ends another's wait, and operations of a batch come in order. */
static void test_batch(void **state)
{
    struct world *w = *state;
    CUdeviceptr memory;
    uint32_t words[2];
    CUstream waiting;
    OK(cuStreamCreate(&waiting, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&memory, 8));
    OK(cuMemsetD32(memory, 0, 2));
    CUstreamBatchMemOpParams batch[] = {
        {.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32, .address = memory, .value = 3}},
        {.memoryBarrier = {.operation = CU_STREAM_MEM_OP_BARRIER}},
        {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = memory + 4, .value = 4}},
    };
    OK(cuStreamBatchMemOp(waiting, 3, batch, 0));
    OK(note(w, waiting, 'w'));
    FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(waiting));
    OK(cuStreamWriteValue32(w->stream, memory, 3, 0));
    OK(cuStreamSynchronize(waiting));
    OK(cuMemcpyDtoH(words, memory, 8));
    assert_int_equal(words[1], 4);
    assert_log(w, "w");
    batch[1].operation = 99;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(waiting, 3, batch, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(waiting, 3, NULL, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(waiting, 257, batch, 0));
}

/* What a busy stream is asked to copy from memory that CUDA does not know is copied before the call returns. */
static void test_pageable_copy(void **state)
{
    struct world *w = *state;
    pthread_t thread;
    struct gate g = {0};
    CUdeviceptr memory;
    uint32_t value = 5, *flag;
    OK(cuMemAlloc(&memory, 4));
    OK(cuMemAllocHost((void **)&flag, 4));
    OK(cuStreamWaitValue32(w->stream, (CUdeviceptr)(uintptr_t)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuLaunchHostFunc(w->stream, pass, &g));
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    pthread_create(&thread, NULL, open_later, &g);
    OK(cuMemcpyHtoDAsync(memory, &value, 4, w->stream));
    value = 6;
    OK(cuMemcpyDtoH(&value, memory, 4));
    assert_int_equal(value, 5);
    pthread_join(thread, NULL);
}

/* A launched graph with a host node that waits may be changed and destroyed meanwhile. */
static void test_busy_graph(void **state)
{
    struct world *w = *state;
    struct gate g = {0};
    CUgraph graph;
    CUgraphExec exec;
    OK(cuStreamBeginCapture(w->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(note(w, w->stream, 'a'));
    OK(cuLaunchHostFunc(w->stream, pass, &g));
    OK(note(w, w->stream, 'b'));
    OK(cuStreamEndCapture(w->stream, &graph));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, w->stream));
    FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(w->stream));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    g.is_open = true;
    OK(cuStreamSynchronize(w->stream));
    assert_log(w, "ab");
}

/* A context that ends drops what its streams still have to do. */
static void test_context_ends(void **state)
{
    (void)state;
    struct gate g = {0};
    CUcontext context;
    CUstream stream;
    CUdeviceptr memory;
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuStreamCreate(&stream, 0));
    OK(cuMemAlloc(&memory, 4));
    OK(cuLaunchHostFunc(stream, pass, &g));
    OK(cuMemsetD32Async(memory, 1, 1, stream));
    OK(cuCtxDestroy(context));
    g.is_open = true;
    usleep(20000);
    assert_true(g.is_passed);
}

static void test_stream_properties(void **state)
{
    struct world *w = *state;
    CUstreamAttrValue value = {.syncPolicy = CU_SYNC_POLICY_SPIN}, got;
    unsigned long long a, b, null;
    int priority;
    unsigned flags;
    CUcontext context;
    CUdevice device = 7;
    OK(cuStreamGetAttribute(w->stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &got));
    assert_int_equal(got.syncPolicy, CU_SYNC_POLICY_AUTO);
    OK(cuStreamSetAttribute(w->stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    OK(cuStreamCopyAttributes(w->other, w->stream));
    OK(cuStreamGetAttribute(w->other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &got));
    assert_int_equal(got.syncPolicy, CU_SYNC_POLICY_SPIN);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamGetAttribute(w->stream, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &got));
    value.syncPolicy = (CUsynchronizationPolicy)99;
    FAILS(CUDA_ERROR_INVALID_VALUE,
          cuStreamSetAttribute(w->stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    value = (CUstreamAttrValue){.accessPolicyWindow = {.num_bytes = 100, .hitRatio = 0.5f}};
    OK(cuStreamSetAttribute(w->stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    OK(cuStreamGetAttribute(w->stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &got));
    assert_int_equal(got.accessPolicyWindow.num_bytes, 100);
    OK(cuStreamGetId(w->stream, &a));
    OK(cuStreamGetId(w->other, &b));
    OK(cuStreamGetId(NULL, &null));
    assert_true(a != b && a != null);
    OK(cuStreamGetPriority(CU_STREAM_PER_THREAD, &priority));
    OK(cuStreamGetFlags(CU_STREAM_LEGACY, &flags));
    assert_int_equal(priority, 0);
    assert_int_equal(flags, CU_STREAM_DEFAULT);
    OK(cuStreamGetCtx(w->stream, &context));
    assert_ptr_equal(context, w->context);
    OK(cuStreamGetDevice(NULL, &device));
    assert_int_equal(device, 0);
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuStreamGetId((CUstream)w, &a));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamGetId(w->stream, NULL));
}

/* A launch whose attributes name an event. */
static CUresult launch_with_event(CUfunction function, CUstream stream, CUevent event, void **parameters)
{
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT,
                           .value.launchCompletionEvent = {event, 0}};
    CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, stream, &a, 1};
    return cuLaunchKernelEx(&config, function, parameters, NULL);
}

/* The event of a launch that waits, or that is a node of a graph, may end before the kernel runs. */
static void test_launch_events(void **state)
{
    struct world *w = *state;
    struct gate g = {0};
    CUevent event;
    CUgraph graph;
    CUgraphExec exec;
    uint32_t value = 'a';
    void *parameters[] = {&w->log, &value};
    OK(cuEventCreate(&event, 0));
    OK(cuLaunchHostFunc(w->stream, pass, &g));
    OK(launch_with_event(w->note, w->stream, event, parameters));
    FAILS(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    OK(cuEventDestroy(event));
    g.is_open = true;
    OK(cuStreamSynchronize(w->stream));
    assert_log(w, "a");
    OK(cuEventCreate(&event, 0));
    OK(cuStreamBeginCapture(w->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(launch_with_event(w->note, w->stream, event, parameters));
    OK(cuStreamEndCapture(w->stream, &graph));
    FAILS(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(event));
    OK(cuEventDestroy(event));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, w->stream));
    assert_log(w, "a");
    /* The launch of a kernel that faults succeeds, whatever its attributes. */
    OK(cuEventCreate(&event, 0));
    OK(launch_with_event(w->trapped, w->stream, event, NULL));
    FAILS(CUDA_ERROR_LAUNCH_FAILED, cuStreamSynchronize(w->stream));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(test_host_function),     TEST(test_callback),      TEST(test_busy_stream),
        TEST(test_waiting_calls),     TEST(test_wait_values),   TEST(test_batch),
        TEST(test_pageable_copy),     TEST(test_busy_graph),    TEST(test_context_ends),
        TEST(test_stream_properties), TEST(test_launch_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
