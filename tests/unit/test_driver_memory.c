/* Questions about memory: advice about managed ranges, attributes of pointers, host memory, mistakes when freeing. */
#include "driver_check.h"

#include <sys/mman.h>

static const CUmemLocation on_device = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                           on_host = {.type = CU_MEM_LOCATION_TYPE_HOST};

static int attribute(CUmem_range_attribute which, CUdeviceptr p, size_t bytes)
{
    int value = 99;
    OK(cuMemRangeGetAttribute(&value, sizeof value, which, p, bytes));
    return value;
}

static void test_advice(void **state)
{
    (void)state;
    CUdeviceptr p;
    OK(cuMemAllocManaged(&p, 16384, CU_MEM_ATTACH_GLOBAL));
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 16384), 0);
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 16384), CU_DEVICE_INVALID);
    OK(cuMemAdvise(p + 4096, 8192, CU_MEM_ADVISE_SET_READ_MOSTLY, on_device));
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + 4096, 8192), 1);
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + 5000, 10), 1);
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 8192), 0); /* not all of it */
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + 8192, 8192), 0);
    OK(cuMemAdvise(p, 16384, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, on_host));
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 16384), CU_DEVICE_CPU);
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, p, 16384), CU_MEM_LOCATION_TYPE_HOST);
    OK(cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, on_device));
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 4096), 0);
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 16384), CU_DEVICE_INVALID);
    OK(cuMemAdvise(p, 16384, CU_MEM_ADVISE_UNSET_READ_MOSTLY, on_device));
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + 4096, 8192), 0);
    OK(cuMemPrefetchAsync(p, 4096, on_device, 0, NULL));
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 4096), 0);
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 4097), CU_DEVICE_INVALID);
    int by[3];
    OK(cuMemAdvise(p, 16384, CU_MEM_ADVISE_SET_ACCESSED_BY, on_host));
    OK(cuMemAdvise(p, 16384, CU_MEM_ADVISE_SET_ACCESSED_BY, on_device));
    OK(cuMemRangeGetAttribute(by, sizeof by, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, 16384));
    assert_true(by[0] == 0 && by[1] == CU_DEVICE_CPU && by[2] == CU_DEVICE_INVALID);
    OK(cuMemAdvise(p, 1, CU_MEM_ADVISE_UNSET_ACCESSED_BY, on_device));
    int mostly = 9, preferred = 9;
    OK(cuMemRangeGetAttributes((void *[]){&mostly, &preferred, by}, (size_t[]){4, 4, 4},
                               (CUmem_range_attribute[]){CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                                         CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                                                         CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY},
                               3, p, 4096));
    assert_true(mostly == 0 && preferred == 0 && by[0] == CU_DEVICE_CPU);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(by, 3, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(by, 4, (CUmem_range_attribute)77, p, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(by, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 16385));
    FAILS(CUDA_ERROR_INVALID_DEVICE,
          cuMemAdvise(p, 1, CU_MEM_ADVISE_SET_ACCESSED_BY, (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 1}));
    /* What was said of freed memory does not hold for what comes to the same place. */
    OK(cuMemFree(p));
    OK(cuMemAllocManaged(&p, 16384, CU_MEM_ATTACH_GLOBAL));
    assert_int_equal(attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 16384), CU_DEVICE_INVALID);
    CUdeviceptr device;
    OK(cuMemAlloc(&device, 64));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(by, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, device, 4));
}

static void test_pointers(void **state)
{
    (void)state;
    CUdeviceptr p;
    OK(cuMemAlloc(&p, 100));
    unsigned on = 1, value = 9;
    OK(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    assert_int_equal(value, 0);
    OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p + 50));
    OK(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    assert_int_equal(value, 1);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p + 100));
    unsigned long long types = 9;
    OK(cuPointerGetAttribute(&types, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, p));
    assert_int_equal(types, 0);
    OK(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p));
    assert_int_equal(value, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUdeviceptr base;
    OK(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, p + 7));
    assert_int_equal(base, p);
}

static void test_mistakes(void **state)
{
    (void)state;
    CUdeviceptr p;
    void *host;
    OK(cuMemAlloc(&p, 100));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p + 4));
    OK(cuMemFree(p));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
    OK(cuMemAllocHost(&host, 100));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree((CUdeviceptr)(uintptr_t)host));
    OK(cuMemFreeHost(host));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(host));
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocHost(&host, (size_t)1 << 55));
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocManaged(&p, (size_t)1 << 55, CU_MEM_ATTACH_GLOBAL));
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocHost(&host, SIZE_MAX - 5));
}

/* Registered memory that is only read may be memory that the host cannot write, and kernels may not write it. */
static void test_read_only_registration(void **state)
{
    (void)state;
    void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    OK(cuMemHostRegister(page, 4096, CU_MEMHOSTREGISTER_READ_ONLY));
    CUdeviceptr p, out;
    OK(cuMemHostGetDevicePointer(&p, page, 0));
    OK(cuMemAlloc(&out, 4));
    OK(cuMemcpyDtoD(out, p, 4));
    unsigned flags;
    OK(cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(p, out, 4)); /* rather than a crash */
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(p, 1, 4));
    OK(cuMemHostUnregister(page));
    OK(cuMemHostRegister(page, 4096, CU_MEMHOSTREGISTER_IOMEMORY));
    OK(cuMemHostUnregister(page));
    munmap(page, 4096);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_advice),
        TEST(test_pointers),
        TEST(test_mistakes),
        TEST(test_read_only_registration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
