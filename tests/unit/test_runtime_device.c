/* The device in the runtime API: numbers, properties, attributes, limits, flags. */
#include "cuda_runtime_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

static void test_there_is_one_device(void **state)
{
    (void)state;
    int count = 0, device = -1;
    OK(cudaGetDeviceCount(&count));
    assert_int_equal(count, 1);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&device));
    assert_int_equal(device, 0);
    FAILS(cudaErrorInvalidDevice, cudaSetDevice(1));
    FAILS(cudaErrorInvalidDevice, cudaSetDevice(-1));
    FAILS(cudaErrorInvalidDevice, cudaSetValidDevices((int[]){0, 3}, 2));
    OK(cudaSetValidDevices((int[]){0}, 1));
    FAILS(cudaErrorInvalidValue, cudaGetDevice(NULL));
    FAILS(cudaErrorInvalidValue, cudaGetLastError());
}

/* The first and the last field, and those beside the ones that CUDA 13 took out. */
static void test_properties_stand_where_the_header_says(void **state)
{
    (void)state;
    struct {
        struct cudaDeviceProp p;
        unsigned char beyond[16];
    } all;
    memset(&all, 0xee, sizeof all);
    OK(cudaGetDeviceProperties(&all.p, 0));
    const struct {
        int field;
        enum cudaDeviceAttr attribute;
    } checks[] = {
        {(int)all.p.sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock},
        {all.p.regsPerBlock, cudaDevAttrMaxRegistersPerBlock},
        {all.p.maxGridSize[2], cudaDevAttrMaxGridDimZ},
        {(int)all.p.totalConstMem, cudaDevAttrTotalConstantMemory},
        {all.p.major, cudaDevAttrComputeCapabilityMajor},
        {(int)all.p.texturePitchAlignment, cudaDevAttrTexturePitchAlignment},
        {all.p.multiProcessorCount, cudaDevAttrMultiProcessorCount},
        {all.p.canMapHostMemory, cudaDevAttrCanMapHostMemory},
        {all.p.maxTexture2D[1], cudaDevAttrMaxTexture2DHeight},
        {(int)all.p.surfaceAlignment, cudaDevAttrSurfaceAlignment},
        {all.p.unifiedAddressing, cudaDevAttrUnifiedAddressing},
        {all.p.memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
        {(int)all.p.sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
        {all.p.concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess},
        {(int)all.p.sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin},
        {all.p.maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
        {(int)all.p.reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock},
        {all.p.hostRegisterSupported, cudaDevAttrHostRegisterSupported},
        {all.p.deviceNumaId, cudaDevAttrNumaId},
        {all.p.hostNumaId, cudaDevAttrHostNumaId},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        int value = -2;
        OK(cudaDeviceGetAttribute(&value, checks[i].attribute, 0));
        assert_int_equal(checks[i].field, value);
    }
    assert_string_equal(all.p.name, "heddle");
    assert_true(all.p.totalGlobalMem > 0);
    assert_int_equal(all.p.warpSize, 32);
    assert_int_equal(all.p.reserved[55], 0);
    for (size_t i = 0; i < sizeof all.beyond; i++)
        assert_int_equal(all.beyond[i], 0xee);
    FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&all.p, 1));
    FAILS(cudaErrorInvalidValue, cudaGetDeviceProperties(NULL, 0));
    int device = -1;
    OK(cudaChooseDevice(&device, &all.p));
    assert_int_equal(device, 0);
}

static void test_attributes_are_checked(void **state)
{
    (void)state;
    int value;
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, 0, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, 100000, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
}

static void test_limits_are_kept(void **state)
{
    (void)state;
    size_t value = 0;
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    assert_int_equal(value, 4096);
    OK(cudaDeviceReset());
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    assert_int_equal(value, 1024);
    FAILS(cudaErrorInvalidValue, cudaDeviceGetLimit(&value, 1000));
}

static void test_preferences_are_kept(void **state)
{
    (void)state;
    enum cudaFuncCache cache;
    enum cudaSharedMemConfig banks;
    unsigned flags = 0;
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    OK(cudaDeviceGetCacheConfig(&cache));
    assert_int_equal(cache, cudaFuncCachePreferL1);
    OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    OK(cudaDeviceGetSharedMemConfig(&banks));
    OK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync | cudaDeviceMapHost));
    OK(cudaGetDeviceFlags(&flags));
    assert_int_equal(flags, cudaDeviceScheduleBlockingSync | cudaDeviceMapHost);
    FAILS(cudaErrorInvalidValue, cudaSetDeviceFlags(0x10000));
    OK(cudaInitDevice(0, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid));
    OK(cudaGetDeviceFlags(&flags));
    assert_int_equal(flags & cudaDeviceScheduleMask, cudaDeviceScheduleSpin);
    FAILS(cudaErrorInvalidDevice, cudaInitDevice(7, 0, 0));
}

static void test_bus_ids_name_the_device(void **state)
{
    (void)state;
    char id[32];
    int device = -1;
    OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    OK(cudaDeviceGetByPCIBusId(&device, id));
    assert_int_equal(device, 0);
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetPCIBusId(id, sizeof id, 9));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&device, "nowhere"));
}

static void test_linear_textures_have_a_width(void **state)
{
    (void)state;
    size_t texels = 0;
    struct cudaChannelFormatDesc two_floats = {32, 32, 0, 0, cudaChannelFormatKindFloat};
    struct cudaChannelFormatDesc bytes_of_float = {8, 0, 0, 0, cudaChannelFormatKindFloat};
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&texels, &two_floats, 0));
    assert_true(texels > 0);
    FAILS(cudaErrorInvalidChannelDescriptor, cudaDeviceGetTexture1DLinearMaxWidth(&texels, &bytes_of_float, 0));
}

static void test_versions(void **state)
{
    (void)state;
    int runtime = 0, driver = 0;
    OK(cudaRuntimeGetVersion(&runtime));
    OK(cudaDriverGetVersion(&driver));
    assert_int_equal(runtime, CUDART_VERSION);
    assert_true(driver >= runtime);
    FAILS(cudaErrorInvalidValue, cudaRuntimeGetVersion(NULL));
}

static void test_entry_points_of_the_driver(void **state)
{
    (void)state;
    void *call = NULL;
    enum cudaDriverEntryPointQueryResult status;
    OK(cudaGetDriverEntryPoint("cuDeviceGetCount", &call, cudaEnableDefault, &status));
    assert_int_equal(status, cudaDriverEntryPointSuccess);
    int count = 0;
    assert_int_equal(((int (*)(int *))call)(&count), 0);
    assert_int_equal(count, 1);
    OK(cudaGetDriverEntryPoint("cuNoSuchCall", &call, cudaEnableDefault, &status));
    assert_int_equal(status, cudaDriverEntryPointSymbolNotFound);
    assert_null(call);
    OK(cudaGetDriverEntryPointByVersion("cuLibraryLoadData", &call, 11000, cudaEnableDefault, &status));
    assert_int_equal(status, cudaDriverEntryPointVersionNotSufficent);
    OK(cudaGetDriverEntryPoint("cuNoSuchCall", &call, cudaEnableDefault, NULL));
    FAILS(cudaErrorInvalidValue, cudaGetDriverEntryPoint(NULL, &call, cudaEnableDefault, &status));
}

static void test_export_tables_are_not_found(void **state)
{
    (void)state;
    const void *table = &table;
    cudaUUID_t id = {{0}};
    FAILS(cudaErrorSymbolNotFound, cudaGetExportTable(&table, &id));
    assert_null(table);
    FAILS(cudaErrorSymbolNotFound, cudaGetLastError());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_is_one_device),
        cmocka_unit_test(test_properties_stand_where_the_header_says),
        cmocka_unit_test(test_attributes_are_checked),
        cmocka_unit_test(test_limits_are_kept),
        cmocka_unit_test(test_preferences_are_kept),
        cmocka_unit_test(test_bus_ids_name_the_device),
        cmocka_unit_test(test_linear_textures_have_a_width),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_entry_points_of_the_driver),
        cmocka_unit_test(test_export_tables_are_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
