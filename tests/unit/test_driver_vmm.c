/* Virtual memory: reserved addresses, physical memory, mappings, and who may access them. */
#include "driver_check.h"

enum { UNIT = 2 << 20 };

static const CUmemAllocationProp on_device = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                              .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};

static const char add_ptx[] = PTX_HEAD
    /* p[i] += 1 for each thread i */
    ".visible .entry add(.param .u64 p)\n"
    "{ .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.s64 %d2, %d0, %d1;\n"
    "  ld.global.u32 %r1, [%d2]; add.u32 %r1, %r1, 1; st.global.u32 [%d2], %r1; ret; }\n";

static CUdeviceptr reserve(size_t bytes)
{
    CUdeviceptr p = 0;
    OK(cuMemAddressReserve(&p, bytes, 0, 0, 0));
    assert_int_equal(p % UNIT, 0);
    return p;
}

static CUmemGenericAllocationHandle create(size_t bytes)
{
    CUmemGenericAllocationHandle h = 0;
    OK(cuMemCreate(&h, bytes, &on_device, 0));
    return h;
}

static void allow(CUdeviceptr p, size_t bytes, CUmemAccess_flags flags)
{
    CUmemAccessDesc a = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}, .flags = flags};
    OK(cuMemSetAccess(p, bytes, &a, 1));
}

static void run_add(CUdeviceptr p, unsigned threads)
{
    CUmodule m;
    CUfunction f;
    OK(cuModuleLoadData(&m, add_ptx));
    OK(cuModuleGetFunction(&f, m, "add"));
    OK(cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, (void *[]){&p}, NULL));
}

static void test_grow(void **state)
{
    (void)state;
    size_t unit, free_before, free_now;
    OK(cuMemGetAllocationGranularity(&unit, &on_device, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    assert_int_equal(unit, UNIT);
    OK(cuMemGetInfo(&free_before, NULL));
    CUdeviceptr p = reserve(4 * (size_t)UNIT);
    CUmemGenericAllocationHandle a = create(UNIT), b = create(2 * (size_t)UNIT);
    OK(cuMemGetInfo(&free_now, NULL));
    assert_int_equal(free_before - free_now, 3 * UNIT);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(p, 1, 1)); /* nothing is mapped */
    OK(cuMemMap(p, UNIT, 0, a, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(p, 1, 1)); /* access is not allowed yet */
    allow(p, UNIT, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(cuMemsetD32(p, 7, UNIT / 4));
    OK(cuMemMap(p + UNIT, 2 * (size_t)UNIT, 0, b, 0));
    allow(p + UNIT, 2 * (size_t)UNIT, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    /* The two mappings are one piece of memory for copies, fills and kernels. */
    OK(cuMemsetD32(p + UNIT - 8, 9, 4));
    run_add(p + UNIT - 12, 6);
    uint32_t out[6];
    const uint32_t wanted[6] = {8, 10, 10, 10, 10, 1};
    OK(cuMemcpyDtoH(out, p + UNIT - 12, sizeof out));
    assert_memory_equal(out, wanted, sizeof out);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(p + 3 * (size_t)UNIT - 1, 0, 2));
    /* What is mapped lives on when its handle is released. */
    OK(cuMemRelease(a));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemRelease(a));
    OK(cuMemcpyDtoH(out, p, 4));
    assert_int_equal(out[0], 7);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p, 4 * (size_t)UNIT)); /* still mapped */
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(p, 2 * (size_t)UNIT));       /* half of a mapping */
    OK(cuMemUnmap(p, 3 * (size_t)UNIT));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(p, UNIT));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(out, p, 4));
    OK(cuMemRelease(b));
    OK(cuMemAddressFree(p, 4 * (size_t)UNIT));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p, 4 * (size_t)UNIT));
    OK(cuMemGetInfo(&free_now, NULL));
    assert_int_equal(free_before, free_now);
}

/* One piece of physical memory at two addresses. */
static void test_alias(void **state)
{
    (void)state;
    CUdeviceptr p = reserve(2 * (size_t)UNIT), q = reserve(UNIT);
    CUmemGenericAllocationHandle a = create(UNIT), again;
    OK(cuMemMap(p + UNIT, UNIT, 0, a, 0));
    OK(cuMemMap(q, UNIT, 0, a, 0));
    allow(p + UNIT, UNIT, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    allow(q, UNIT, CU_MEM_ACCESS_FLAGS_PROT_READ);
    OK(cuMemsetD32(p + UNIT, 41, 1));
    run_add(p + UNIT, 1);
    uint32_t out;
    OK(cuMemcpyDtoH(&out, q, 4));
    assert_int_equal(out, 42);
    OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(q + 100)));
    assert_int_equal(again, a);
    CUmemAllocationProp back;
    OK(cuMemGetAllocationPropertiesFromHandle(&back, again));
    assert_int_equal(back.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
    unsigned long long flags;
    OK(cuMemGetAccess(&flags, &on_device.location, q));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemGetAccess(&flags, &on_device.location, p));
    OK(cuMemRelease(a));
    OK(cuMemRelease(a));
    OK(cuMemUnmap(q, UNIT));
    OK(cuMemcpyDtoH(&out, p + UNIT, 4));
    assert_int_equal(out, 42);
    OK(cuMemUnmap(p + UNIT, UNIT));
    OK(cuMemAddressFree(p, 2 * (size_t)UNIT));
    OK(cuMemAddressFree(q, UNIT));
}

/* A kernel may not write what it may only read. */
static void test_read_only(void **state)
{
    (void)state;
    CUdeviceptr p = reserve(UNIT);
    CUmemGenericAllocationHandle a = create(UNIT);
    OK(cuMemMap(p, UNIT, 0, a, 0));
    allow(p, UNIT, CU_MEM_ACCESS_FLAGS_PROT_READ);
    char text[2048];
    int saved = catch_stderr();
    run_add(p, 1);
    release_stderr(saved, text, sizeof text);
    assert_non_null(strstr(text, "memory of cuMemMap"));
    FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    OK(cuMemUnmap(p, UNIT));
    OK(cuMemRelease(a));
    OK(cuMemAddressFree(p, UNIT));
}

static void test_mistakes(void **state)
{
    (void)state;
    CUdeviceptr p = 0;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&p, 100, 0, 0, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&p, UNIT, 3, 0, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(NULL, UNIT, 0, 0, 0));
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAddressReserve(&p, (size_t)1 << 50, 0, 0, 0));
    CUmemGenericAllocationHandle a;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&a, 100, &on_device, 0));
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemCreate(&a, (size_t)1 << 40, &on_device, 0));
    CUmemAllocationProp shared = on_device;
    shared.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuMemCreate(&a, UNIT, &shared, 0));
    shared = on_device;
    shared.location.id = 1;
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuMemCreate(&a, UNIT, &shared, 0));
    p = reserve(2 * (size_t)UNIT);
    a = create(UNIT);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, 2 * (size_t)UNIT, 0, a, 0)); /* more than the handle has */
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p + 4096, UNIT, 0, a, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p + 2 * (size_t)UNIT, UNIT, 0, a, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, UNIT, 0, a + 8, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(0x1000, UNIT, 0, a, 0));
    OK(cuMemMap(p, UNIT, 0, a, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, UNIT, 0, a, 0));
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}, .flags = (CUmemAccess_flags)2};
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess(p, UNIT, &access, 1));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess(p, 2 * (size_t)UNIT, &access, 1));
    /* Left as it is: the end of the process frees it. */
}

/* Memory of the host is where the host sees it, too. */
static void test_host_memory(void **state)
{
    (void)state;
    CUmemAllocationProp on_host = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                   .location = {.type = CU_MEM_LOCATION_TYPE_HOST}};
    CUmemGenericAllocationHandle a;
    OK(cuMemCreate(&a, UNIT, &on_host, 0));
    CUdeviceptr p = reserve(UNIT);
    OK(cuMemMap(p, UNIT, 0, a, 0));
    allow(p, UNIT, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    *(volatile uint32_t *)(uintptr_t)p = 1;
    run_add(p, 1);
    assert_int_equal(*(volatile uint32_t *)(uintptr_t)p, 2);
    OK(cuMemUnmap(p, UNIT));
    OK(cuMemRelease(a));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_grow), TEST(test_alias), TEST(test_read_only), TEST(test_mistakes), TEST(test_host_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
