/* Streams, host functions and events in the runtime API. */
#include "cuda_runtime_api.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void *data);

static void test_streams_keep_what_they_were_made_with(void **state)
{
    (void)state;
    cudaStream_t plain, urgent;
    int priority = 1, least, greatest, device = -1;
    unsigned flags = 9;
    unsigned long long id = 0, other = 0;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    assert_true(greatest < least);
    OK(cudaStreamCreate(&plain));
    OK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    OK(cudaStreamGetPriority(urgent, &priority));
    assert_int_equal(priority, greatest);
    OK(cudaStreamGetFlags(urgent, &flags));
    assert_int_equal(flags, cudaStreamNonBlocking);
    OK(cudaStreamGetFlags(plain, &flags));
    assert_int_equal(flags, cudaStreamDefault);
    OK(cudaStreamGetId(plain, &id));
    OK(cudaStreamGetId(urgent, &other));
    assert_true(id != other);
    OK(cudaStreamGetDevice(plain, &device));
    assert_int_equal(device, 0);
    OK(cudaStreamQuery(plain));
    OK(cudaStreamSynchronize(plain));
    OK(cudaStreamDestroy(plain));
    OK(cudaStreamDestroy(urgent));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(plain));
    FAILS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&plain, 0x100));
    FAILS(cudaErrorInvalidValue, cudaStreamCreate(NULL));
}

static void test_streams_have_attributes(void **state)
{
    (void)state;
    cudaStream_t from, to;
    cudaLaunchAttributeValue value = {.syncPolicy = cudaSyncPolicyBlockingSync};
    OK(cudaStreamCreate(&from));
    OK(cudaStreamCreate(&to));
    OK(cudaStreamSetAttribute(from, cudaLaunchAttributeSynchronizationPolicy, &value));
    OK(cudaStreamCopyAttributes(to, from));
    value.syncPolicy = cudaSyncPolicyAuto;
    OK(cudaStreamGetAttribute(to, cudaLaunchAttributeSynchronizationPolicy, &value));
    assert_int_equal(value.syncPolicy, cudaSyncPolicyBlockingSync);
    FAILS(cudaErrorInvalidValue, cudaStreamGetAttribute(to, 1000, &value));
    OK(cudaStreamDestroy(from));
    OK(cudaStreamDestroy(to));
}

static void test_named_streams_are_always_there(void **state)
{
    (void)state;
    OK(cudaStreamSynchronize(NULL));
    OK(cudaStreamSynchronize(cudaStreamLegacy));
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    OK(cudaStreamSynchronize_ptsz(NULL));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(NULL));
}

static void count(void *data)
{
    ++*(int *)data;
}

static void note(cudaStream_t stream, cudaError_t status, void *data)
{
    assert_null(stream);
    *(int *)data = (int)status + 10;
}

static void test_host_functions_run_in_streams(void **state)
{
    (void)state;
    int calls = 0, noted = 0;
    OK(cudaLaunchHostFunc(NULL, count, &calls));
    OK(cudaLaunchHostFunc_ptsz(NULL, count, &calls));
    OK(cudaStreamAddCallback(NULL, note, &noted, 0));
    OK(cudaDeviceSynchronize());
    assert_int_equal(calls, 2);
    assert_int_equal(noted, 10);
    FAILS(cudaErrorInvalidValue, cudaLaunchHostFunc(NULL, NULL, NULL));
    FAILS(cudaErrorInvalidValue, cudaStreamAddCallback(NULL, note, &noted, 1));
}

static void test_events_measure(void **state)
{
    (void)state;
    cudaEvent_t start, end, untimed;
    cudaStream_t stream;
    float milliseconds = -1;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    OK(cudaEventQuery(end));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, end));
    OK(cudaEventRecord(start, stream));
    OK(cudaStreamWaitEvent(stream, start, 0));
    OK(cudaEventRecordWithFlags(end, stream, cudaEventRecordDefault));
    OK(cudaEventRecord(untimed, NULL));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&milliseconds, start, end));
    assert_true(milliseconds >= 0);
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, untimed));
    OK(cudaEventDestroy(start));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventDestroy(start));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(start, NULL));
    OK(cudaEventDestroy(end));
    OK(cudaEventDestroy(untimed));
    OK(cudaStreamDestroy(stream));
}

/* After a reset the handles of before are no more. */
static void test_reset_ends_streams_and_events(void **state)
{
    (void)state;
    cudaEvent_t event;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&event));
    OK(cudaDeviceReset());
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(event, NULL));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamDestroy(stream));
}

/* Each host thread has a last error of its own. */
static void *fail_elsewhere(void *data)
{
    *(cudaError_t *)data = cudaGetLastError();
    return (void *)(uintptr_t)cudaSetDevice(5);
}

static void test_errors_belong_to_threads(void **state)
{
    (void)state;
    pthread_t thread;
    cudaError_t before = cudaErrorUnknown;
    void *after = NULL;
    (void)cudaGetLastError();
    FAILS(cudaErrorInvalidValue, cudaStreamCreate(NULL));
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &before), 0);
    assert_int_equal(pthread_join(thread, &after), 0);
    OK(before);
    FAILS(cudaErrorInvalidDevice, (cudaError_t)(uintptr_t)after);
    FAILS(cudaErrorInvalidValue, cudaGetLastError());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_keep_what_they_were_made_with),
        cmocka_unit_test(test_streams_have_attributes),
        cmocka_unit_test(test_named_streams_are_always_there),
        cmocka_unit_test(test_host_functions_run_in_streams),
        cmocka_unit_test(test_events_measure),
        cmocka_unit_test(test_reset_ends_streams_and_events),
        cmocka_unit_test(test_errors_belong_to_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
