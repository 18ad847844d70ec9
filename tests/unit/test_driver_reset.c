/* What a reset of the primary context leaves, and what it takes away. */
#include "cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(code, call) assert_int_equal((call), (code))

static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter = 41;\n"
                          ".visible .global .align 8 .u64 pointer = counter;\n"
                          ".visible .global .align 4 .b8 blank[8];\n"
                          ".visible .const .align 4 .u32 constant = 7;\n"
                          ".visible .entry nothing() { ret; }\n"
                          ".visible .entry fault() { trap; }\n";

static void start(void)
{
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
}

static CUdeviceptr global(CUlibrary library, const char *name)
{
    CUdeviceptr address = 0;
    OK(cuLibraryGetGlobal(&address, NULL, library, name));
    return address;
}

static uint32_t read_word(CUdeviceptr address)
{
    uint32_t value = 0;
    OK(cuMemcpyDtoH(&value, address, sizeof value));
    return value;
}

/* Libraries live on, and their variables have their initial values, addresses of other variables included. */
static void test_variables_of_libraries_start_anew(void **state)
{
    (void)state;
    static const uint64_t ones = UINT64_MAX;
    static const char *const names[] = {"counter", "pointer", "blank", "constant"};
    start();
    CUlibrary library;
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    uint64_t pointer = 0, now = 0;
    OK(cuMemcpyDtoH(&pointer, global(library, "pointer"), 8));
    for (int i = 0; i < 4; i++)
        OK(cuMemcpyHtoD(global(library, names[i]), &ones, i == 1 || i == 2 ? 8 : 4));
    assert_int_equal(read_word(global(library, "counter")), UINT32_MAX);
    OK(cuDevicePrimaryCtxReset(0));
    assert_int_equal(read_word(global(library, "counter")), 41);
    assert_int_equal(read_word(global(library, "constant")), 7);
    assert_int_equal(read_word(global(library, "blank") + 4), 0);
    OK(cuMemcpyDtoH(&now, global(library, "pointer"), 8));
    assert_true(now == pointer && pointer == global(library, "counter"));
    OK(cuLibraryUnload(library));
    OK(cuDevicePrimaryCtxRelease(0));
}

static void test_attributes_of_kernels_start_anew(void **state)
{
    (void)state;
    start();
    CUlibrary library;
    CUkernel kernel;
    int bytes = 0;
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "nothing"));
    OK(cuFuncSetAttribute((CUfunction)kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
    OK(cuDevicePrimaryCtxReset(0));
    OK(cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (CUfunction)kernel));
    assert_int_equal(bytes, 48 * 1024);
    OK(cuLibraryUnload(library));
    OK(cuDevicePrimaryCtxRelease(0));
}

static void test_faults_are_forgotten(void **state)
{
    (void)state;
    start();
    CUlibrary library;
    CUkernel kernel;
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "fault"));
    OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
    OK(cuDevicePrimaryCtxReset(0));
    OK(cuCtxSynchronize());
    OK(cuLibraryUnload(library));
    OK(cuDevicePrimaryCtxRelease(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables_of_libraries_start_anew),
        cmocka_unit_test(test_attributes_of_kernels_start_anew),
        cmocka_unit_test(test_faults_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
