/* Memory pools: allocation in the order of streams, figures, limits, and who may reach a pool. */
#include "driver_check.h"

static CUmemoryPool create(CUmemLocationType location, CUmemAllocationType type, size_t most)
{
    CUmemPoolProps p = {.allocType = type, .location = {.type = location}, .maxSize = most};
    CUmemoryPool pool = NULL;
    OK(cuMemPoolCreate(&pool, &p));
    return pool;
}

static cuuint64_t figure(CUmemoryPool pool, CUmemPool_attribute attribute)
{
    cuuint64_t value = 0;
    OK(cuMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static void check_figures(CUmemoryPool pool, cuuint64_t used, cuuint64_t used_high, cuuint64_t reserved,
                          cuuint64_t reserved_high)
{
    assert_int_equal(figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), used);
    assert_int_equal(figure(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), used_high);
    assert_int_equal(figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), reserved);
    assert_int_equal(figure(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), reserved_high);
}

static void test_figures(void **state)
{
    (void)state;
    CUmemoryPool pool = create(CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ALLOCATION_TYPE_PINNED, 0);
    CUdeviceptr a, b;
    OK(cuMemAllocFromPoolAsync(&a, 1000, pool, NULL));
    OK(cuMemAllocFromPoolAsync(&b, 500, pool, NULL));
    check_figures(pool, 1500, 1500, 1500, 1500);
    OK(cuMemFreeAsync(a, NULL));
    check_figures(pool, 500, 1500, 500, 1500);
    /* Beyond the threshold memory goes back; up to it the pool keeps it. */
    cuuint64_t threshold = 800, zero = 0;
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    assert_int_equal(figure(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 800);
    OK(cuMemAllocFromPoolAsync(&a, 1000, pool, NULL));
    OK(cuMemFree(a));
    check_figures(pool, 500, 1500, 800, 1500);
    OK(cuMemPoolTrimTo(pool, 600));
    check_figures(pool, 500, 1500, 600, 1500);
    OK(cuMemPoolTrimTo(pool, 0));
    check_figures(pool, 500, 1500, 500, 1500);
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &zero));
    check_figures(pool, 500, 500, 500, 500);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &threshold));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &zero));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAttribute(pool, (CUmemPool_attribute)99, &zero));
    /* What is allocated outlives its pool. */
    OK(cuMemPoolDestroy(pool));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(pool));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&a, 4, pool, NULL));
    OK(cuMemsetD8(b, 1, 500));
    OK(cuMemFreeAsync(b, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(b, NULL));
}

static void test_default_and_current(void **state)
{
    (void)state;
    CUmemoryPool first, other, of_pointer;
    OK(cuDeviceGetDefaultMemPool(&first, 0));
    OK(cuDeviceGetMemPool(&other, 0));
    assert_ptr_equal(first, other);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(first));
    CUdeviceptr a, b, c;
    OK(cuMemAllocAsync(&a, 64, NULL));
    assert_int_equal(figure(first, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 64);
    CUmemoryPool pool = create(CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ALLOCATION_TYPE_PINNED, 0);
    OK(cuDeviceSetMemPool(0, pool));
    OK(cuMemAllocAsync(&b, 32, NULL));
    assert_int_equal(figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 32);
    OK(cuPointerGetAttribute(&of_pointer, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, b));
    assert_ptr_equal(of_pointer, pool);
    OK(cuMemAlloc(&c, 16));
    OK(cuPointerGetAttribute(&of_pointer, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, c));
    assert_null(of_pointer);
    OK(cuMemPoolDestroy(pool)); /* the default pool is the current one again */
    OK(cuDeviceGetMemPool(&other, 0));
    assert_ptr_equal(first, other);
    OK(cuMemFreeAsync(a, NULL));
    assert_int_equal(figure(first, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetMemPool(&other, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceSetMemPool(0, pool));
}

/* A context's end frees what it took from a pool that lives on. */
static void test_context_end(void **state)
{
    (void)state;
    CUmemoryPool pool;
    CUcontext c;
    CUdeviceptr a;
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuCtxCreate(&c, NULL, 0, 0));
    OK(cuMemAllocAsync(&a, 128, NULL));
    assert_int_equal(figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 128);
    OK(cuCtxDestroy(c));
    assert_int_equal(figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
}

static void test_host_and_managed(void **state)
{
    (void)state;
    CUmemoryPool host = create(CU_MEM_LOCATION_TYPE_HOST, CU_MEM_ALLOCATION_TYPE_PINNED, 0);
    CUmemoryPool managed = create(CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ALLOCATION_TYPE_MANAGED, 0), again;
    CUdeviceptr a, b;
    OK(cuMemAllocFromPoolAsync(&a, 8192, host, NULL));
    OK(cuMemAllocFromPoolAsync(&b, 8192, managed, NULL));
    *(int *)(uintptr_t)a = 5; /* the host reaches both */
    OK(cuMemcpy(b, a, sizeof(int)));
    assert_int_equal(*(int *)(uintptr_t)b, 5);
    unsigned is_managed;
    OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, b));
    assert_int_equal(is_managed, 1);
    CUmemLocation at = {.type = CU_MEM_LOCATION_TYPE_HOST};
    OK(cuMemSetMemPool(&at, CU_MEM_ALLOCATION_TYPE_PINNED, host));
    OK(cuMemGetMemPool(&again, &at, CU_MEM_ALLOCATION_TYPE_PINNED));
    assert_ptr_equal(again, host);
    OK(cuMemGetDefaultMemPool(&again, &at, CU_MEM_ALLOCATION_TYPE_PINNED));
    assert_ptr_not_equal(again, host);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemSetMemPool(&at, CU_MEM_ALLOCATION_TYPE_PINNED, managed));
    OK(cuMemFreeAsync(b, NULL));
    /* Host memory of a pool that has ended is still no memory of cuMemAllocHost(). */
    OK(cuMemPoolDestroy(host));
    OK(cuMemPoolDestroy(managed));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((void *)(uintptr_t)a));
    OK(cuMemFreeAsync(a, NULL));
}

static void test_limits_and_access(void **state)
{
    (void)state;
    CUmemoryPool pool = create(CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ALLOCATION_TYPE_PINNED, 100);
    CUdeviceptr a, b;
    OK(cuMemAllocFromPoolAsync(&a, 60, pool, NULL));
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&b, 41, pool, NULL));
    OK(cuMemAllocFromPoolAsync(&b, 40, pool, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&b, 0, pool, NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuMemAllocFromPoolAsync(&b, 1, pool, (CUstream)&b));
    CUmemAccessDesc d = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                         .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemAccess_flags flags;
    OK(cuMemPoolSetAccess(pool, &d, 1));
    OK(cuMemPoolGetAccess(&flags, pool, &d.location));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    d.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE; /* a device keeps access to its own pool */
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAccess(pool, &d, 1));
    d.location.id = 1;
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuMemPoolSetAccess(pool, &d, 1));
    CUmemPoolProps p = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                        .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    char text[256];
    int saved = catch_stderr();
    CUresult shared = cuMemPoolCreate(&pool, &p);
    release_stderr(saved, text, sizeof text);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, shared);
    assert_string_equal(text, "heddle: cuMemPoolCreate is not supported: pools that processes share\n");
    p.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
    p.location.id = 1;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&pool, &p));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_figures),          TEST(test_default_and_current), TEST(test_context_end),
        TEST(test_host_and_managed), TEST(test_limits_and_access),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
