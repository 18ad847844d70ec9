/* Launches of registered kernels by the runtime API, and the errors of launches that cannot be. */
#include "tests/runtime/registered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                                  cudaStream_t stream);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function, void **arguments);

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 total = 5;\n"
    ".extern .shared .align 4 .b8 dynamic[];\n"
    /* total += by, in one thread */
    ".visible .entry add(.param .u32 by, .param .u64 unused)\n"
    "{ .reg .b32 %r<3>; ld.param.u32 %r0, [by]; atom.global.add.u32 %r1, [total], %r0; ret; }\n"
    ".visible .entry get(.param .u64 out)\n"
    "{ .reg .b32 %r; .reg .b64 %d; ld.param.u64 %d, [out]; ld.global.u32 %r, [total]; st.global.u32 [%d], %r; ret; }\n"
    ".visible .entry small() .maxntid 64, 1, 1 { ret; }\n"
    ".visible .entry read(.param .u64 at)\n"
    "{ .reg .b32 %r; .reg .b64 %d; ld.param.u64 %d, [at]; ld.global.u32 %r, [%d]; st.global.u32 [total], %r; ret; }\n";

static char add, get, small, read_kernel, missing, unknown, total_host;
static const dim3 one = {1, 1, 1};

static int start(void **state)
{
    setenv("HEDDLE_OPTS", "--memory 268435456", 1); /* little enough that a test can take all */
    void **binary = registered_binary(ptx);
    registered_kernel(binary, &add, "add");
    registered_kernel(binary, &get, "get");
    registered_kernel(binary, &small, "small");
    registered_kernel(binary, &read_kernel, "read");
    registered_kernel(binary, &missing, "missing");
    registered_variable(binary, &total_host, "total", 4);
    *state = binary;
    return 0;
}

static int end(void **state)
{
    registered_end(*state);
    return 0;
}

static uint32_t total(void)
{
    void *out = NULL, *arguments[] = {&out};
    uint32_t value = 0;
    OK(cudaMalloc(&out, sizeof value));
    OK(cudaLaunchKernel(&get, one, one, arguments, 0, NULL));
    OK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return value;
}

static void test_every_form_launches(void **state)
{
    (void)state;
    uint32_t by = 1;
    uint64_t unused = 0;
    void *arguments[] = {&by, &unused};
    OK(cudaDeviceReset());
    assert_int_equal(total(), 5);
    OK(cudaLaunchKernel(&add, (dim3){2, 1, 1}, (dim3){3, 1, 1}, arguments, 0, NULL));
    OK(cudaLaunchKernel_ptsz(&add, one, one, arguments, 0, NULL));
    OK(cudaLaunchCooperativeKernel(&add, one, one, arguments, 0, NULL));
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributePriority};
    cudaLaunchConfig_t config = {one, (dim3){2, 2, 1}, 0, NULL, &attribute, 1};
    OK(cudaLaunchKernelExC(&config, &add, arguments));
    OK(cudaLaunchKernelExC_ptsz(&config, &add, arguments));
    cudaKernel_t kernel = NULL;
    OK(__cudaGetKernel(&kernel, &add));
    OK(__cudaLaunchKernel(kernel, one, one, arguments, 0, cudaStreamPerThread));
    OK(cudaLaunchKernel(kernel, one, one, arguments, 0, cudaStreamLegacy));
    OK(cudaDeviceSynchronize());
    assert_int_equal(total(), 5 + 6 + 1 + 1 + 4 + 4 + 1 + 1);
    OK(cudaDeviceReset());
    assert_int_equal(total(), 5);
    OK(__cudaLaunchKernel(kernel, one, one, arguments, 0, NULL));
    assert_int_equal(total(), 6);
}

static void test_impossible_shapes_are_invalid(void **state)
{
    (void)state;
    static const struct {
        dim3 grid, block;
    } shapes[] = {
        {{0, 1, 1}, {1, 1, 1}},  {{1, 1, 1}, {1, 0, 1}},     {{1, 1, 1}, {1025, 1, 1}},  {{1, 1, 1}, {32, 33, 1}},
        {{1, 1, 1}, {1, 1, 65}}, {{1, 65536, 1}, {1, 1, 1}}, {{1, 1, 65536}, {1, 1, 1}}, {{1u << 31, 1, 1}, {1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        FAILS(cudaErrorInvalidValue, cudaLaunchKernel(&small, shapes[i].grid, shapes[i].block, NULL, 0, NULL));
        FAILS(cudaErrorInvalidValue, cudaGetLastError());
        OK(cudaGetLastError());
    }
    /* a shape that this kernel cannot have, and others can */
    FAILS(cudaErrorInvalidValue, cudaLaunchKernel(&small, one, (dim3){65, 1, 1}, NULL, 0, NULL));
}

static void test_shared_memory_is_bounded(void **state)
{
    (void)state;
    FAILS(cudaErrorInvalidValue, cudaLaunchKernel(&small, one, one, NULL, 64 * 1024, NULL));
    OK(cudaFuncSetAttribute(&small, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    OK(cudaLaunchKernel(&small, one, one, NULL, 64 * 1024, NULL));
    FAILS(cudaErrorInvalidValue, cudaLaunchKernel(&small, one, one, NULL, (size_t)1 << 32, NULL));
    FAILS(cudaErrorInvalidValue, cudaFuncSetAttribute(&small, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30));
}

static void test_other_things_are_no_kernels(void **state)
{
    (void)state;
    cudaKernel_t kernel;
    FAILS(cudaErrorInvalidResourceHandle, cudaLaunchKernel(&unknown, one, one, NULL, 0, NULL));
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(NULL, one, one, NULL, 0, NULL));
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&total_host, one, one, NULL, 0, NULL));
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&missing, one, one, NULL, 0, NULL));
    FAILS(cudaErrorInvalidDeviceFunction, __cudaLaunchKernel(NULL, one, one, NULL, 0, NULL));
    FAILS(cudaErrorInvalidDeviceFunction, __cudaGetKernel(&kernel, &unknown));
    FAILS(cudaErrorInvalidResourceHandle, cudaGetKernel(&kernel, &unknown));
    FAILS(cudaErrorInvalidValue, cudaLaunchKernelExC(NULL, &small, NULL));
    FAILS(cudaErrorInvalidResourceHandle, cudaLaunchKernel(&small, one, one, NULL, 0, (cudaStream_t)&unknown));
}

/* The host stub asks for the handle once, and ignores the error; each launch must say why it cannot be. */
static void test_machine_code_alone_has_no_image(void **state)
{
    (void)state;
    static char host;
    void **binary = registered_machine_code();
    registered_kernel(binary, &host, "kernel");
    cudaKernel_t kernel = NULL;
    (void)cudaGetLastError();
    OK(__cudaGetKernel(&kernel, &host));
    OK(cudaGetLastError());
    for (int i = 0; i < 2; i++) {
        FAILS(cudaErrorNoKernelImageForDevice, __cudaLaunchKernel(kernel, one, one, NULL, 0, NULL));
        FAILS(cudaErrorNoKernelImageForDevice, cudaGetLastError());
    }
    FAILS(cudaErrorNoKernelImageForDevice, cudaLaunchKernel(&host, one, one, NULL, 0, NULL));
    struct cudaFuncAttributes attributes;
    FAILS(cudaErrorNoKernelImageForDevice, cudaFuncGetAttributes(&attributes, &host));
    registered_end(binary);
    FAILS(cudaErrorInvalidResourceHandle, cudaLaunchKernel(&host, one, one, NULL, 0, NULL));
}

/* A binary whose variables do not fit into memory is loaded once they do; the stub still has the handle of before. */
static void test_want_of_memory_passes(void **state)
{
    (void)state;
    static char host;
    void **binary = registered_binary(".version 8.0\n.target sm_75\n.address_size 64\n"
                                      ".visible .global .align 4 .b8 large[1048576];\n"
                                      ".visible .entry touch() { st.global.u32 [large], 1; ret; }\n");
    registered_kernel(binary, &host, "touch");
    size_t left, all;
    void *rest;
    cudaKernel_t kernel = NULL;
    OK(cudaMemGetInfo(&left, &all));
    OK(cudaMalloc(&rest, left - 4096));
    OK(__cudaGetKernel(&kernel, &host));
    FAILS(cudaErrorMemoryAllocation, __cudaLaunchKernel(kernel, one, one, NULL, 0, NULL));
    OK(cudaFree(rest));
    OK(__cudaLaunchKernel(kernel, one, one, NULL, 0, NULL));
    OK(cudaDeviceSynchronize());
    registered_end(binary);
}

static void test_kernels_have_attributes(void **state)
{
    (void)state;
    struct cudaFuncAttributes attributes;
    memset(&attributes, 0xff, sizeof attributes);
    OK(cudaDeviceReset());
    OK(cudaFuncGetAttributes(&attributes, &small));
    assert_int_equal(attributes.maxThreadsPerBlock, 64);
    assert_int_equal(attributes.sharedSizeBytes, 0);
    assert_int_equal(attributes.ptxVersion, 75);
    assert_int_equal(attributes.maxDynamicSharedSizeBytes, 48 * 1024);
    assert_int_equal(attributes.reserved[15], 0);
    FAILS(cudaErrorInvalidResourceHandle, cudaFuncGetAttributes(&attributes, &unknown));
    FAILS(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&attributes, NULL));
    FAILS(cudaErrorInvalidValue, cudaFuncGetAttributes(NULL, &small));
    const char *name = NULL;
    OK(cudaFuncGetName(&name, &add));
    assert_string_equal(name, "add");
    size_t offset = 0, bytes = 0;
    OK(cudaFuncGetParamInfo(&add, 1, &offset, &bytes));
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 8);
    FAILS(cudaErrorInvalidValue, cudaFuncGetParamInfo(&add, 2, &offset, &bytes));
    OK(cudaFuncSetCacheConfig(&add, cudaFuncCachePreferShared));
    cudaFunction_t function = NULL;
    cudaKernel_t kernel = NULL;
    OK(cudaGetFuncBySymbol(&function, &add));
    OK(cudaGetKernel(&kernel, &add));
    assert_true(function && kernel);
    OK(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50, 0));
    OK(cudaFuncGetAttributes(&attributes, &add));
    assert_int_equal(attributes.preferredShmemCarveout, 50);
    FAILS(cudaErrorInvalidDevice,
          cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50, 1));
}

static void test_occupancy(void **state)
{
    (void)state;
    int blocks = 0;
    size_t shared = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &add, 1024, 0));
    assert_int_equal(blocks, 2);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, &add, 1024, 0, cudaOccupancyDefault));
    assert_int_equal(blocks, 2);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, &add, 2, 128));
    assert_true(shared > 48 * 1024);
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {2, 1, 1}};
    cudaLaunchConfig_t config = {{4, 1, 1}, {128, 1, 1}, 0, NULL, &attribute, 1};
    int clusters = 0, most = 0;
    OK(cudaOccupancyMaxActiveClusters(&clusters, &add, &config));
    assert_true(clusters > 0);
    OK(cudaOccupancyMaxPotentialClusterSize(&most, &add, &config));
    assert_true(most > 1);
    FAILS(cudaErrorInvalidValue, cudaOccupancyMaxActiveClusters(&clusters, &add, NULL));
    FAILS(cudaErrorInvalidResourceHandle, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &unknown, 32, 0));
    FAILS(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, &add, 32, 0));
}

static void test_libraries_are_loaded_by_hand(void **state)
{
    (void)state;
    cudaLibrary_t library;
    cudaKernel_t kernel, first;
    unsigned count = 0;
    void *address = NULL;
    size_t bytes = 0;
    OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernelCount(&count, library));
    assert_int_equal(count, 4);
    OK(cudaLibraryEnumerateKernels(&first, 1, library));
    OK(cudaLibraryGetKernel(&kernel, library, "small"));
    OK(cudaLaunchKernel(kernel, one, one, NULL, 0, NULL));
    OK(cudaLibraryGetGlobal(&address, &bytes, library, "total"));
    assert_true(address && bytes == 4);
    FAILS(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "nothing"));
    FAILS(cudaErrorSymbolNotFound, cudaLibraryGetGlobal(&address, &bytes, library, "nothing"));
    OK(cudaLibraryUnload(library));
    FAILS(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
    FAILS(cudaErrorInvalidResourceHandle, cudaLaunchKernel(first, one, one, NULL, 0, NULL));
    FAILS(cudaErrorFileNotFound,
          cudaLibraryLoadFromFile(&library, "/nowhere/at-all.ptx", NULL, NULL, 0, NULL, NULL, 0));
}

/* A fault is what every call on the context returns until the device is reset. Recorded on an H200. */
static void test_faults_stay_until_the_reset(void **state)
{
    (void)state;
    uint64_t nowhere = 16;
    void *arguments[] = {&nowhere}, *memory;
    cudaStream_t stream;
    OK(cudaDeviceReset());
    (void)cudaGetLastError();
    OK(cudaLaunchKernel(&read_kernel, one, one, arguments, 0, NULL));
    OK(cudaGetLastError());
    FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    FAILS(cudaErrorIllegalAddress, cudaPeekAtLastError());
    FAILS(cudaErrorIllegalAddress, cudaGetLastError());
    OK(cudaGetLastError());
    OK(cudaSetDevice(0));
    struct cudaFuncAttributes attributes;
    FAILS(cudaErrorIllegalAddress, cudaFuncGetAttributes(&attributes, &small));
    FAILS(cudaErrorIllegalAddress, cudaMalloc(&memory, 4));
    FAILS(cudaErrorIllegalAddress, cudaStreamCreate(&stream));
    FAILS(cudaErrorIllegalAddress, cudaLaunchKernel(&small, one, one, NULL, 0, NULL));
    OK(cudaDeviceReset());
    FAILS(cudaErrorIllegalAddress, cudaGetLastError());
    OK(cudaLaunchKernel(&small, one, one, NULL, 0, NULL));
    OK(cudaDeviceSynchronize());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form_launches),
        cmocka_unit_test(test_impossible_shapes_are_invalid),
        cmocka_unit_test(test_shared_memory_is_bounded),
        cmocka_unit_test(test_other_things_are_no_kernels),
        cmocka_unit_test(test_machine_code_alone_has_no_image),
        cmocka_unit_test(test_want_of_memory_passes),
        cmocka_unit_test(test_kernels_have_attributes),
        cmocka_unit_test(test_occupancy),
        cmocka_unit_test(test_libraries_are_loaded_by_hand),
        cmocka_unit_test(test_faults_stay_until_the_reset),
    };
    return cmocka_run_group_tests(tests, start, end);
}
