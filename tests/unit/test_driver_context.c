/* The device and its contexts: attributes, limits, peers, attached contexts, occupancy of clusters, profiler calls. */
#include "driver_check.h"

static int attribute(CUdevice_attribute which)
{
    int value = -99;
    OK(cuDeviceGetAttribute(&value, which, 0));
    return value;
}

/* What heddle can do is announced, what it cannot is not, and limits are those that calls enforce. */
static void test_attributes(void **state)
{
    (void)state;
    for (int i = 1; i < CU_DEVICE_ATTRIBUTE_MAX; i++)
        attribute((CUdevice_attribute)i);
    int value;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, (CUdevice_attribute)0, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0));
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED), 1);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED), 1);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED), 0);
    assert_int_equal(attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH), 0);
    CUarray a;
    CUDA_ARRAY3D_DESCRIPTOR d = {1, 1, 1, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
    d.Width = (size_t)attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH);
    OK(cuArray3DCreate(&a, &d));
    d.Width++;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&a, &d));
    d = (CUDA_ARRAY3D_DESCRIPTOR){1, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_LAYERED};
    d.Depth = (size_t)attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS);
    OK(cuArray3DCreate(&a, &d));
    d.Depth++;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&a, &d));
}

static void test_questions(void **state)
{
    (void)state;
    int yes = 1;
    OK(cuDeviceGetExecAffinitySupport(&yes, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    assert_int_equal(yes, 0);
    CUexecAffinityParam affinity;
    FAILS(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
    unsigned can[2] = {9, 9};
    CUatomicOperation operations[2] = {CU_ATOMIC_OPERATION_INTEGER_ADD, CU_ATOMIC_OPERATION_CAS};
    OK(cuDeviceGetHostAtomicCapabilities(can, operations, 2, 0));
    assert_true(can[0] == 0 && can[1] == 0);
    operations[1] = CU_ATOMIC_OPERATION_MAX;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetHostAtomicCapabilities(can, operations, 2, 0));
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAtomicCapabilities(can, operations, 1, 0, 0));
    OK(cuProfilerStart());
    OK(cuProfilerStop());
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuProfilerInitialize("a", "b", CU_OUT_CSV));
}

static void test_limits(void **state)
{
    (void)state;
    size_t value;
    OK(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    assert_int_equal(value, 8 << 20);
    OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20));
    OK(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    assert_int_equal(value, 1 << 20);
    OK(cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT));
    assert_int_equal(value, 2048);
    OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, (size_t)1 << 40));
    OK(cuCtxGetLimit(&value, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
    assert_int_equal(value, attribute(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE));
    FAILS(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
    FAILS(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit(CU_LIMIT_CIG_ENABLED, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_MAX, 1));
}

static void test_contexts_by_handle(void **state)
{
    CUcontext first = *state, other, again;
    CUdevice device = 9;
    OK(cuCtxCreate(&other, NULL, 0, 0));
    OK(cuCtxGetDevice_v2(&device, first));
    assert_int_equal(device, 0);
    OK(cuCtxSynchronize_v2(first));
    OK(cuCtxSynchronize_v2(NULL));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize_v2((CUcontext)&device));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice_v2(&device, (CUcontext)&device));
    CUevent event;
    OK(cuEventCreate(&event, 0));
    OK(cuCtxRecordEvent(first, event));
    OK(cuCtxWaitEvent(first, event));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxRecordEvent((CUcontext)&device, event));
    CUgreenCtx green;
    OK(cuStreamGetCtx_v2(NULL, &again, &green));
    assert_ptr_equal(again, other);
    assert_null(green);
    FAILS(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(first, 0));
    FAILS(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(other, 0)); /* a context is no peer of its own */
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxEnablePeerAccess((CUcontext)&device, 0));
    OK(cuCtxAttach(&again, 0));
    assert_ptr_equal(again, other);
    OK(cuCtxDetach(other));
    OK(cuCtxSynchronize_v2(other)); /* one attachment was left */
    OK(cuCtxDetach(other));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize_v2(other));
}

static void test_clusters(void **state)
{
    (void)state;
    CUmodule m;
    CUfunction f;
    OK(cuModuleLoadData(&m, PTX_HEAD ".visible .entry nothing() { ret; }\n"));
    OK(cuModuleGetFunction(&f, m, "nothing"));
    CUlaunchAttribute by4 = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    by4.value.clusterDim.x = 4;
    by4.value.clusterDim.y = by4.value.clusterDim.z = 1;
    CUlaunchConfig c = {.gridDimX = 16,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = 1024,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .attrs = &by4,
                        .numAttrs = 1};
    int n;
    OK(cuOccupancyMaxActiveClusters(&n, f, &c));
    assert_int_equal(n, 132 * 2 / 4); /* two blocks of 1024 threads per multiprocessor */
    OK(cuOccupancyMaxPotentialClusterSize(&n, f, &c));
    assert_int_equal(n, 8);
    c.gridDimX = 6;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveClusters(&n, f, &c));
    c.gridDimX = 32;
    by4.value.clusterDim.x = 16;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveClusters(&n, f, &c));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuOccupancyMaxActiveClusters(&n, (CUfunction)&n, &c));
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, f));
    assert_int_equal(n, 1);
    OK(cuOccupancyMaxActiveClusters(&n, f, &c));
    assert_int_equal(n, 132 * 2 / 16);
    OK(cuOccupancyMaxPotentialClusterSize(&n, f, &c));
    assert_int_equal(n, 16);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_attributes),         TEST(test_questions), TEST(test_limits),
        TEST(test_contexts_by_handle), TEST(test_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
