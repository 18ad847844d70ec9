/* What a program registers with the runtime before main(), and how launches name it. */
#include "runtime/registry.h"
#include "tests/runtime/registered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

/* f<<<..., g()>>>(): shapes are taken in the reverse order of their coming. */
static void test_configurations_nest(void **state)
{
    (void)state;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    assert_int_equal(__cudaPushCallConfiguration((dim3){2, 1, 1}, (dim3){32, 1, 1}, 8, NULL), 0);
    assert_int_equal(__cudaPushCallConfiguration((dim3){3, 1, 1}, (dim3){64, 1, 1}, 0, cudaStreamPerThread), 0);
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    assert_int_equal(grid.x, 3);
    assert_int_equal(block.x, 64);
    assert_ptr_equal(stream, cudaStreamPerThread);
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    assert_int_equal(grid.x, 2);
    assert_int_equal(shared, 8);
    FAILS(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    FAILS(cudaErrorMissingConfiguration, cudaGetLastError());
    OK(cudaGetLastError());
}

static void test_unknown_symbols_are_no_kernels(void **state)
{
    (void)state;
    static char nothing;
    FAILS(cudaErrorInvalidResourceHandle, cudaLaunchKernel(&nothing, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
    FAILS(cudaErrorInvalidResourceHandle, cudaPeekAtLastError());
    FAILS(cudaErrorInvalidResourceHandle, cudaGetLastError());
    OK(cudaPeekAtLastError());
}

/* A program reads its managed variables as it reads any other variable, also if heddle cannot load its device code. */
static void test_managed_variables_without_code_have_memory(void **state)
{
    (void)state;
    static const struct {
        uint32_t magic;
        uint16_t version, header_bytes;
        uint64_t bytes;
    } container = {0xBA55ED50, 1, 16, 0};
    static struct {
        int magic, version;
        const void *data;
        void *list;
    } wrapper = {0x466243b1, 1, &container, NULL};
    static void *variable;
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterManagedVar(handle, &variable, (char *)"variable", "variable", 0, 400, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    assert_int_equal(__cudaInitModule(handle), 0);
    FAILS(cudaErrorNoKernelImageForDevice, cudaGetLastError());
    assert_non_null(variable);
    assert_int_equal(((int *)variable)[99], 0);
    ((int *)variable)[99] = 7;
    __cudaUnregisterFatBinary(handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations_nest),
        cmocka_unit_test(test_unknown_symbols_are_no_kernels),
        cmocka_unit_test(test_managed_variables_without_code_have_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
