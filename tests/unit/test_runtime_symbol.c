/* Variables of device code, named by host symbols: addresses, sizes, and copies to and from them. */
#include "tests/runtime/registered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

static const char ptx[] = ".version 8.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .u32 numbers[10] = {1, 2, 3};\n"
                          ".visible .const .align 4 .u32 limits[4] = {7, 8, 9, 10};\n"
                          ".visible .entry nothing() { ret; }\n";

static char numbers, limits, nothing; /* the host symbols */

static int register_all(void **state)
{
    void **binary = registered_binary(ptx);
    registered_variable(binary, &numbers, "numbers", 40);
    registered_variable(binary, &limits, "limits", 16);
    registered_kernel(binary, &nothing, "nothing");
    *state = (void *)binary;
    return 0;
}

static int unregister(void **state)
{
    registered_end((void **)*state);
    return 0;
}

static void test_initial_values(void **state)
{
    (void)state;
    unsigned seen[10];
    OK(cudaMemcpyFromSymbol(seen, &numbers, sizeof seen, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[2], 3);
    assert_int_equal(seen[9], 0);
    OK(cudaMemcpyFromSymbol(seen, &limits, 8, 8, cudaMemcpyDefault));
    assert_int_equal(seen[0], 9);
    assert_int_equal(seen[1], 10);
}

static void test_sizes_and_addresses(void **state)
{
    (void)state;
    size_t bytes = 0;
    void *address = NULL;
    struct cudaPointerAttributes attributes;
    OK(cudaGetSymbolSize(&bytes, &numbers));
    assert_int_equal(bytes, 40);
    OK(cudaGetSymbolSize(&bytes, &limits));
    assert_int_equal(bytes, 16);
    OK(cudaGetSymbolAddress(&address, &numbers));
    OK(cudaPointerGetAttributes(&attributes, address));
    assert_int_equal(attributes.type, cudaMemoryTypeDevice);
    unsigned value = 55;
    OK(cudaMemcpy((char *)address + 16, &value, 4, cudaMemcpyHostToDevice));
    value = 0;
    OK(cudaMemcpyFromSymbol(&value, &numbers, 4, 16, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 55);
}

static void test_copies(void **state)
{
    (void)state;
    unsigned values[10] = {10, 20, 30, 40}, seen[10] = {0};
    void *device;
    OK(cudaMalloc(&device, 64));
    OK(cudaMemcpyToSymbol(&numbers, values, 40, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToSymbolAsync(&limits, values, 12, 4, cudaMemcpyDefault, NULL));
    OK(cudaMemcpyFromSymbol(device, &numbers, 16, 0, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(seen, device, 16, cudaMemcpyDeviceToHost));
    assert_int_equal(seen[3], 40);
    OK(cudaMemcpyFromSymbolAsync(seen, &limits, 16, 0, cudaMemcpyDeviceToHost, cudaStreamPerThread));
    assert_int_equal(seen[0], 7);
    assert_int_equal(seen[3], 30);
    OK(cudaFree(device));
}

static void test_mistakes(void **state)
{
    (void)state;
    unsigned values[20] = {0};
    size_t bytes;
    void *address;
    static char unknown;
    FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(&numbers, values, 41, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(&numbers, values, 40, 4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(&numbers, values, SIZE_MAX, 8, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(values, &numbers, 8, SIZE_MAX - 3, cudaMemcpyDeviceToHost));
    OK(cudaMemcpyToSymbol(&numbers, values, 0, 80, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(&numbers, values, 40, 0, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(&numbers, values, 40, 0, cudaMemcpyHostToHost));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromSymbol(values, &numbers, 40, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaGetLastError());
    FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(&unknown, values, 4, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(NULL, values, 4, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(&nothing, values, 4, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, &unknown));
    FAILS(cudaErrorInvalidSymbol, cudaGetSymbolSize(&bytes, &unknown));
    FAILS(cudaErrorInvalidValue, cudaGetSymbolSize(NULL, &numbers));
    FAILS(cudaErrorInvalidValue, cudaGetSymbolAddress(NULL, &numbers));
    FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(&numbers, NULL, 4, 0, cudaMemcpyHostToDevice));
    cudaGetLastError();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_initial_values),
        cmocka_unit_test(test_sizes_and_addresses),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, register_all, unregister);
}
