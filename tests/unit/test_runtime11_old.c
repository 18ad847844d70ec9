/* A program of CUDA 11: calls with other arguments and structures than today's, and texture references. */
#include "tests/runtime/registered.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

/* What the headers of CUDA 11 declare. */
struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int reserved[14];
};
void __cudaRegisterTexture(void **handle, const struct textureReference *host, const void **device, const char *name,
                           int dimensions, int reads_normalized, int is_extern);
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *memory,
                            const struct cudaChannelFormatDesc *texel, size_t bytes);
cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *memory,
                              const struct cudaChannelFormatDesc *texel, size_t width, size_t height, size_t pitch);
cudaError_t cudaUnbindTexture(const struct textureReference *texture);
cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol);
cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *texture, cudaMipmappedArray_const_t array,
                                            const struct cudaChannelFormatDesc *texel);
struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
};
void __cudaRegisterSurface(void **handle, const struct surfaceReference *host, const void **device, const char *name,
                           int dimensions, int is_extern);
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *element);
cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surface, const void *symbol);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);

static const char ptx[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".global .texref line;\n.global .texref plane;\n.global .surfref sheet;\n"
    ".visible .entry read_line(.param .u64 out)\n"
    "{ .reg .b32 %r; .reg .f32 %f<4>; .reg .b64 %d<3>;\n"
    "  ld.param.u64 %d0, [out]; mov.u32 %r, %tid.x; tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [line, {%r}];\n"
    "  mul.wide.u32 %d1, %r, 4; add.s64 %d2, %d0, %d1; st.global.f32 [%d2], %f0; ret; }\n"
    ".visible .entry read_plane(.param .u64 out)\n"
    "{ .reg .b32 %r; .reg .f32 %f<6>; .reg .b64 %d<3>;\n"
    "  ld.param.u64 %d0, [out]; mov.u32 %r, %tid.x; cvt.rn.f32.u32 %f4, %r; mov.f32 %f5, 0f3F800000;\n"
    "  tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [plane, {%f4, %f5}];\n"
    "  mul.wide.u32 %d1, %r, 4; add.s64 %d2, %d0, %d1; st.global.f32 [%d2], %f0; ret; }\n";

static char read_line, read_plane;
static struct textureReference line = {.addressMode = {cudaAddressModeClamp}},
                               plane = {.addressMode = {cudaAddressModeClamp, cudaAddressModeClamp}};
static struct surfaceReference sheet;
static const struct cudaChannelFormatDesc one_float = {32, 0, 0, 0, cudaChannelFormatKindFloat};

static int start(void **state)
{
    void **binary = registered_binary(ptx);
    registered_kernel(binary, &read_line, "read_line");
    registered_kernel(binary, &read_plane, "read_plane");
    __cudaRegisterTexture(binary, &line, (const void **)(void *)"line", "::line", 1, 0, 0); /* as nvcc 11 does */
    __cudaRegisterTexture(binary, &plane, NULL, "plane", 2, 0, 0);
    __cudaRegisterSurface(binary, &sheet, (const void **)(void *)"sheet", "::sheet", 2, 0);
    *state = binary;
    return 0;
}

static int end(void **state)
{
    registered_end(*state);
    return 0;
}

static void run(const void *kernel, unsigned threads, float *values)
{
    void *out = NULL, *arguments[] = {&out};
    OK(cudaMalloc(&out, threads * sizeof(float)));
    OK(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){threads, 1, 1}, arguments, 0, NULL));
    OK(cudaThreadSynchronize());
    OK(cudaMemcpy(values, out, threads * sizeof(float), cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
}

static void test_references_read_linear_memory(void **state)
{
    (void)state;
    const float data[4] = {1, 2, 3, 4};
    float values[4];
    void *memory;
    size_t offset = 9;
    OK(cudaMalloc(&memory, sizeof data));
    OK(cudaMemcpy(memory, data, sizeof data, cudaMemcpyHostToDevice));
    OK(cudaBindTexture(&offset, &line, memory, &one_float, UINT_MAX)); /* the length that programs leave out */
    assert_int_equal(offset, 0);
    run(&read_line, 4, values);
    assert_memory_equal(values, data, sizeof data);
    OK(cudaBindTexture(NULL, &line, (char *)memory + 4, &one_float, 12));
    run(&read_line, 3, values);
    assert_memory_equal(values, data + 1, 12);
    OK(cudaUnbindTexture(&line));
    OK(cudaFree(memory));
    FAILS(cudaErrorInvalidValue, cudaBindTexture(NULL, &line, data, &one_float, sizeof data));
}

static void test_references_read_pitched_memory(void **state)
{
    (void)state;
    float values[4], row[8] = {5, 6, 7, 8, 9, 10, 11, 12};
    void *memory;
    OK(cudaMalloc(&memory, 1024));
    OK(cudaMemset(memory, 0, 1024));
    OK(cudaMemcpy((char *)memory + 512, row, sizeof row, cudaMemcpyHostToDevice));
    OK(cudaBindTexture2D(NULL, &plane, memory, &one_float, 4, 2, 512));
    run(&read_plane, 4, values);
    assert_memory_equal(values, row, sizeof values);
    OK(cudaFree(memory));
}

static void test_other_things_are_no_references(void **state)
{
    (void)state;
    struct textureReference stranger = {0};
    const struct textureReference *found = NULL;
    void *memory;
    OK(cudaMalloc(&memory, 16));
    FAILS(cudaErrorInvalidTexture, cudaBindTexture(NULL, &stranger, memory, &one_float, 16));
    FAILS(cudaErrorInvalidTexture, cudaUnbindTexture(&stranger));
    FAILS(cudaErrorInvalidValue, cudaBindTexture(NULL, NULL, memory, &one_float, 16));
    OK(cudaGetTextureReference(&found, &line));
    assert_ptr_equal(found, &line);
    OK(cudaFree(memory));
}

static void test_surface_references_take_arrays_for_surfaces(void **state)
{
    (void)state;
    const struct surfaceReference *found = NULL, stranger = {{0}};
    cudaArray_t writable, readable;
    cudaMipmappedArray_t levels;
    OK(cudaMallocArray(&writable, &one_float, 8, 4, cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&readable, &one_float, 8, 4, 0));
    OK(cudaBindSurfaceToArray(&sheet, writable, &one_float));
    FAILS(cudaErrorInvalidValue, cudaBindSurfaceToArray(&sheet, readable, &one_float));
    FAILS(cudaErrorInvalidValue, cudaBindSurfaceToArray(&sheet, writable, NULL));
    FAILS(cudaErrorInvalidSurface, cudaBindSurfaceToArray(&stranger, writable, &one_float));
    FAILS(cudaErrorInvalidTexture, cudaUnbindTexture((const struct textureReference *)(void *)&sheet));
    OK(cudaGetSurfaceReference(&found, &sheet));
    assert_ptr_equal(found, &sheet);
    OK(cudaFreeArray(writable));
    OK(cudaFreeArray(readable));
    OK(cudaMallocMipmappedArray(&levels, &one_float, (struct cudaExtent){8, 8, 0}, 2, 0));
    OK(cudaBindTextureToMipmappedArray(&plane, levels, &one_float));
    OK(cudaFreeMipmappedArray(levels));
}

/* The structure of CUDA 11 has a field that CUDA 13 has not, and ends early. */
static void test_properties_are_those_of_11(void **state)
{
    (void)state;
    enum { BYTES = 728, CLOCK_AT = 348, PROCESSORS_AT = 388 };
    unsigned char properties[BYTES + 16];
    int clock = 0, processors = 0, value;
    size_t reserved = 0;
    memset(properties, 0xee, sizeof properties);
    OK(cudaGetDeviceProperties((struct cudaDeviceProp *)properties, 0));
    memcpy(&clock, properties + CLOCK_AT, sizeof clock);
    memcpy(&processors, properties + PROCESSORS_AT, sizeof processors);
    memcpy(&reserved, properties + BYTES - 8, sizeof reserved);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    assert_int_equal(clock, value);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    assert_int_equal(processors, value);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrReservedSharedMemoryPerBlock, 0));
    assert_int_equal(reserved, value);
    for (size_t i = BYTES; i < sizeof properties; i++)
        assert_int_equal(properties[i], 0xee);
}

static void test_attributes_of_kernels_end_early(void **state)
{
    (void)state;
    enum { BYTES = 52 };
    unsigned char attributes[BYTES + 16];
    memset(attributes, 0xee, sizeof attributes);
    OK(cudaFuncGetAttributes((struct cudaFuncAttributes *)attributes, &read_line));
    for (size_t i = BYTES; i < sizeof attributes; i++)
        assert_int_equal(attributes[i], 0xee);
}

static void test_errors_have_their_old_numbers(void **state)
{
    (void)state;
    static char unknown;
    FAILS(cudaErrorInvalidConfiguration, cudaLaunchKernel(&read_line, (dim3){0, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&unknown, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
    int version = 0;
    OK(cudaRuntimeGetVersion(&version));
    assert_int_equal(version / 1000, 11);
    OK(cudaThreadExit());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surface_references_take_arrays_for_surfaces),
        cmocka_unit_test(test_references_read_linear_memory),
        cmocka_unit_test(test_references_read_pitched_memory),
        cmocka_unit_test(test_other_things_are_no_references),
        cmocka_unit_test(test_properties_are_those_of_11),
        cmocka_unit_test(test_attributes_of_kernels_end_early),
        cmocka_unit_test(test_errors_have_their_old_numbers),
    };
    return cmocka_run_group_tests(tests, start, end);
}
