/* Memory pools and allocation in the order of a stream, by the runtime; managed memory's advice and batches. */
#include "cuda_runtime_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

/* What programs compiled with -default-stream per-thread call. */
cudaError_t cudaMallocAsync_ptsz(void **memory, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync_ptsz(void *memory, cudaStream_t stream);
cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                 cudaStream_t stream);
cudaError_t cudaMemset_ptds(void *memory, int value, size_t bytes);

static void test_stream_order(void **state)
{
    (void)state;
    void *p = &p;
    OK(cudaMallocAsync(&p, 0, NULL));
    assert_null(p);
    OK(cudaFreeAsync(NULL, NULL));
    OK(cudaMallocAsync(&p, 64, NULL));
    OK(cudaMemsetAsync(p, 1, 64, NULL));
    OK(cudaFreeAsync(p, NULL));
    OK(cudaMallocAsync(&p, 64, NULL));
    OK(cudaFree(p));
    FAILS(cudaErrorInvalidValue, cudaFreeAsync(&state, NULL));
    FAILS(cudaErrorInvalidValue, cudaMallocAsync(NULL, 4, NULL));
}

static void test_per_thread_names(void **state)
{
    (void)state;
    void *p;
    int seen = 0;
    OK(cudaMallocAsync_ptsz(&p, 64, NULL));
    OK(cudaMemset_ptds(p, 1, 64));
    OK(cudaMemcpyAsync_ptsz(&seen, p, sizeof seen, cudaMemcpyDeviceToHost, NULL));
    assert_int_equal(seen, 0x01010101);
    OK(cudaFreeAsync_ptsz(p, NULL));
}

static void test_pools(void **state)
{
    (void)state;
    cudaMemPool_t standard, own, current;
    uint64_t used = 77;
    void *p;
    OK(cudaDeviceGetDefaultMemPool(&standard, 0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&standard, 1));
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .location = {.type = cudaMemLocationTypeDevice}};
    OK(cudaMemPoolCreate(&own, &properties));
    OK(cudaMallocFromPoolAsync(&p, 100, own, NULL));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    assert_true(used >= 100 && used < 4096);
    OK(cudaFreeAsync(p, NULL));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    assert_int_equal(used, 0);
    OK(cudaDeviceSetMemPool(0, own));
    OK(cudaDeviceGetMemPool(&current, 0));
    assert_ptr_equal(current, own);
    OK(cudaDeviceSetMemPool(0, standard));
    uint64_t threshold = 1 << 20;
    OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &used));
    assert_int_equal(used, 1 << 20);
    OK(cudaMemPoolTrimTo(own, 0));
    enum cudaMemAccessFlags access = cudaMemAccessFlagsProtNone;
    struct cudaMemLocation location = {.type = cudaMemLocationTypeDevice};
    OK(cudaMemPoolGetAccess(&access, own, &location));
    assert_int_equal(access, cudaMemAccessFlagsProtReadWrite);
    OK(cudaMemPoolDestroy(own));
    FAILS(cudaErrorInvalidValue, cudaMemPoolCreate(&own, NULL));
}

static void test_advice(void **state)
{
    (void)state;
    void *managed, *device;
    OK(cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal));
    OK(cudaMalloc(&device, 4096));
    struct cudaMemLocation here = {.type = cudaMemLocationTypeDevice}, host = {.type = cudaMemLocationTypeHost};
    OK(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, here));
    OK(cudaMemPrefetchAsync(managed, 4096, here, 0, NULL));
    OK(cudaMemPrefetchAsync(managed, 4096, host, 0, NULL));
    int value = 7;
    OK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly, managed, 4096));
    assert_int_equal(value, 1);
    OK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeLastPrefetchLocation, managed, 4096));
    assert_int_equal(value, cudaCpuDeviceId);
    FAILS(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&value, 2, cudaMemRangeAttributeReadMostly, managed, 4096));
    int values[2];
    void *data[] = {&values[0], &values[1]};
    size_t sizes[] = {sizeof values[0], sizeof values[1]};
    enum cudaMemRangeAttribute wanted[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation};
    OK(cudaMemRangeGetAttributes(data, sizes, wanted, 2, managed, 4096));
    assert_int_equal(values[0], 1);
    assert_int_equal(values[1], cudaInvalidDeviceId);
    FAILS(cudaErrorInvalidValue, cudaMemAdvise(managed, 4096, (enum cudaMemoryAdvise)9, here));
    FAILS(cudaErrorInvalidValue, cudaMemAdvise(device, 4096, cudaMemAdviseSetReadMostly, here));
    FAILS(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, 4096, here, 1, NULL));
    OK(cudaFree(managed));
    OK(cudaFree(device));
}

static void test_batches(void **state)
{
    (void)state;
    int values[2] = {3, 4}, seen[2] = {0}, *device;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMalloc((void **)&device, sizeof values));
    void *to[] = {device, device + 1};
    const void *from[] = {&values[1], &values[0]};
    size_t bytes[] = {4, 4}, index = 0;
    struct cudaMemcpyAttributes attributes = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    OK(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &index, 1, stream));
    OK(cudaMemcpy(seen, device, sizeof seen, cudaMemcpyDeviceToHost));
    assert_int_equal(seen[0], 4);
    assert_int_equal(seen[1], 3);
    FAILS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(NULL, from, bytes, 2, &attributes, &index, 1, stream));
    OK(cudaFree(device));
    OK(cudaStreamDestroy(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream_order), cmocka_unit_test(test_per_thread_names), cmocka_unit_test(test_pools),
        cmocka_unit_test(test_advice),       cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
