/* CUDA arrays by the runtime: allocation, description and copies. The error codes are those of NVIDIA's runtime on an
 * H200. */
#include "cuda_runtime_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

enum { WIDTH = 16, HEIGHT = 8, ROW_BYTES = WIDTH * 4 };

static const struct cudaChannelFormatDesc one_float = {32, 0, 0, 0, cudaChannelFormatKindFloat};

/* An array of WIDTH by HEIGHT floats, the same for all tests. */
static cudaArray_t array;

static int allocate(void **state)
{
    (void)state;
    return cudaMallocArray(&array, &one_float, WIDTH, HEIGHT, 0);
}

static void test_descriptions(void **state)
{
    (void)state;
    static const struct cudaChannelFormatDesc formats[] = {
        {8, 0, 0, 0, cudaChannelFormatKindUnsigned},  {8, 8, 8, 8, cudaChannelFormatKindSigned},
        {16, 16, 0, 0, cudaChannelFormatKindFloat},   {32, 32, 32, 32, cudaChannelFormatKindFloat},
        {16, 0, 0, 0, cudaChannelFormatKindUnsigned}, {32, 32, 0, 0, cudaChannelFormatKindSigned},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        cudaArray_t a;
        struct cudaChannelFormatDesc channels;
        struct cudaExtent extent;
        unsigned flags;
        OK(cudaMalloc3DArray(&a, &formats[i], (struct cudaExtent){5, 4, 3}, cudaArraySurfaceLoadStore));
        OK(cudaArrayGetInfo(&channels, &extent, &flags, a));
        assert_memory_equal(&channels, &formats[i], sizeof channels);
        assert_int_equal(extent.width, 5);
        assert_int_equal(extent.height, 4);
        assert_int_equal(extent.depth, 3);
        assert_int_equal(flags, cudaArraySurfaceLoadStore);
        OK(cudaGetChannelDesc(&channels, a));
        assert_memory_equal(&channels, &formats[i], sizeof channels);
        OK(cudaFreeArray(a));
        FAILS(cudaErrorInvalidResourceHandle, cudaFreeArray(a));
    }
    struct cudaChannelFormatDesc made = cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindSigned);
    assert_int_equal(made.y, 8);
    assert_int_equal(made.f, cudaChannelFormatKindSigned);
}

static void test_bad_elements_and_sizes(void **state)
{
    (void)state;
    static const struct cudaChannelFormatDesc bad[] = {
        {8, 8, 8, 0, cudaChannelFormatKindUnsigned}, {7, 0, 0, 0, cudaChannelFormatKindUnsigned},
        {8, 16, 0, 0, cudaChannelFormatKindSigned},  {32, 0, 0, 0, cudaChannelFormatKindNone},
        {8, 0, 0, 0, cudaChannelFormatKindFloat},    {0, 0, 0, 0, cudaChannelFormatKindFloat},
        {8, 0, 8, 0, cudaChannelFormatKindSigned},   {8, 0, 0, 0, (enum cudaChannelFormatKind)99},
    };
    cudaArray_t a;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &bad[i], 16, 8, 0));
    struct cudaChannelFormatDesc normalised = {8, 0, 0, 0, cudaChannelFormatKindUnsignedNormalized8X1};
    FAILS(cudaErrorNotSupported, cudaMallocArray(&a, &normalised, 16, 8, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&a, &one_float, 0, 8, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&a, &one_float, 1 << 20, 8, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&a, &one_float, 8, 8, cudaArrayLayered));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&a, &one_float, 8, 8, cudaArrayCubemap));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&a, NULL, 8, 8, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(NULL, &one_float, 8, 8, 0));
    FAILS(cudaErrorInvalidResourceHandle, cudaArrayGetInfo(NULL, NULL, NULL, NULL));
    OK(cudaArrayGetInfo(NULL, NULL, NULL, array));
    OK(cudaFreeArray(NULL));
    OK(cudaMallocArray(&a, &one_float, 8, 0, 0));
    OK(cudaFreeArray(a));
}

/* In a copy to an array, the array is the device side. */
static void test_directions(void **state)
{
    (void)state;
    char host[ROW_BYTES * HEIGHT] = {0};
    static const cudaError_t to[] = {cudaErrorInvalidMemcpyDirection, cudaSuccess, cudaErrorInvalidMemcpyDirection,
                                     cudaErrorInvalidValue,           cudaSuccess, cudaErrorInvalidMemcpyDirection};
    static const cudaError_t from[] = {cudaErrorInvalidMemcpyDirection,
                                       cudaErrorInvalidMemcpyDirection,
                                       cudaSuccess,
                                       cudaErrorInvalidValue,
                                       cudaSuccess,
                                       cudaErrorInvalidMemcpyDirection};
    cudaArray_t b;
    OK(cudaMallocArray(&b, &one_float, WIDTH, HEIGHT, 0));
    for (int kind = 0; kind < 6; kind++) {
        enum cudaMemcpyKind k = (enum cudaMemcpyKind)kind;
        FAILS(to[kind], cudaMemcpy2DToArray(array, 0, 0, host, ROW_BYTES, ROW_BYTES, HEIGHT, k));
        FAILS(from[kind], cudaMemcpy2DFromArray(host, ROW_BYTES, array, 0, 0, ROW_BYTES, HEIGHT, k));
        bool ok = kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
        FAILS(ok ? cudaSuccess : cudaErrorInvalidMemcpyDirection,
              cudaMemcpy2DArrayToArray(b, 0, 0, array, 0, 0, ROW_BYTES, HEIGHT, k));
        OK(cudaMemcpy2DToArray(array, 0, 0, host, ROW_BYTES, 0, 1, k));
    }
    OK(cudaFreeArray(b));
}

static void test_limits_of_rows(void **state)
{
    (void)state;
    char host[ROW_BYTES * HEIGHT] = {0};
    enum cudaMemcpyKind k = cudaMemcpyHostToDevice;
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2DToArray(array, 0, 0, host, 32, ROW_BYTES, HEIGHT, k));
    FAILS(cudaErrorInvalidValue, cudaMemcpy2DToArray(array, 4, 0, host, ROW_BYTES, ROW_BYTES, HEIGHT, k));
    FAILS(cudaErrorInvalidValue, cudaMemcpy2DToArray(array, 0, 1, host, ROW_BYTES, ROW_BYTES, HEIGHT, k));
    FAILS(cudaErrorInvalidResourceHandle, cudaMemcpy2DToArray(NULL, 0, 0, host, ROW_BYTES, 4, 1, k));
    OK(cudaMemcpy2DToArray(array, 2, 0, host, ROW_BYTES, 4, 1, k));
    OK(cudaMemcpy2DToArray(array, 0, 0, host, 0, ROW_BYTES, 1, k));
}

/* A run starts inside a row and goes on in the next rows. */
static void test_runs_of_bytes(void **state)
{
    (void)state;
    unsigned char sent[ROW_BYTES * HEIGHT], seen[ROW_BYTES * HEIGHT] = {0};
    for (size_t i = 0; i < sizeof sent; i++)
        sent[i] = (unsigned char)i;
    cudaArray_t narrow;
    OK(cudaMallocArray(&narrow, &one_float, 5, 40, 0));
    OK(cudaMemcpyToArray(array, 0, 0, seen, sizeof seen, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToArray(array, 4, 1, sent, 100, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DFromArray(seen, ROW_BYTES, array, 0, 0, ROW_BYTES, HEIGHT, cudaMemcpyDeviceToHost));
    assert_int_equal(seen[ROW_BYTES + 3], 0);
    assert_memory_equal(seen + ROW_BYTES + 4, sent, 100);
    assert_int_equal(seen[ROW_BYTES + 104], 0);
    OK(cudaMemcpyArrayToArray(narrow, 8, 2, array, 4, 1, 100, cudaMemcpyDeviceToDevice));
    memset(seen, 0, sizeof seen);
    OK(cudaMemcpyFromArray(seen, narrow, 8, 2, 100, cudaMemcpyDeviceToHost));
    assert_memory_equal(seen, sent, 100);
    FAILS(cudaErrorInvalidValue, cudaMemcpyToArray(array, 4, 1, sent, 1000, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToArray(array, ROW_BYTES, 0, sent, 4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpyToArray(array, 0, HEIGHT, sent, 4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpyToArray(array, ROW_BYTES, SIZE_MAX, sent, 4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpyToArray(array, 0, 0, sent, 100, cudaMemcpyDeviceToHost));
    OK(cudaFreeArray(narrow));
}

/* The width of a copy counts elements if an array takes part. */
static void test_boxes(void **state)
{
    (void)state;
    float sent[3][4][5], seen[2][2][2];
    cudaArray_t box;
    for (int i = 0; i < 60; i++)
        (&sent[0][0][0])[i] = (float)i;
    OK(cudaMalloc3DArray(&box, &one_float, (struct cudaExtent){5, 4, 3}, 0));
    struct cudaMemcpy3DParms in = {.srcPtr = {sent, 20, 5, 4}, .dstArray = box, .extent = {5, 4, 3}};
    in.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&in));
    struct cudaMemcpy3DParms out = {.srcArray = box, .srcPos = {1, 2, 1}, .dstPtr = {seen, 8, 2, 2}};
    out.extent = (struct cudaExtent){2, 2, 2};
    out.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3DAsync(&out, NULL));
    assert_true(seen[0][0][0] == sent[1][2][1]);
    assert_true(seen[1][1][1] == sent[2][3][2]);
    out.kind = cudaMemcpyHostToHost;
    OK(cudaMemcpy3D(&out));
    out.kind = cudaMemcpyHostToDevice;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&out));
    out.kind = cudaMemcpyDefault;
    out.dstPtr.pitch = 4;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&out));
    out.dstPtr.pitch = 0;
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy3D(&out));
    in.extent.depth = 4;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&in));
    in.extent.depth = 3;
    in.dstPtr = in.srcPtr;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&in));
    OK(cudaFreeArray(box));
}

static void test_mipmaps(void **state)
{
    (void)state;
    cudaMipmappedArray_t levels;
    cudaArray_t level;
    struct cudaExtent extent;
    OK(cudaMallocMipmappedArray(&levels, &one_float, (struct cudaExtent){16, 8, 0}, 5, 0));
    OK(cudaGetMipmappedArrayLevel(&level, levels, 2));
    OK(cudaArrayGetInfo(NULL, &extent, NULL, level));
    assert_int_equal(extent.width, 4);
    assert_int_equal(extent.height, 2);
    FAILS(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, levels, 5));
    OK(cudaFreeMipmappedArray(levels));
    OK(cudaFreeMipmappedArray(NULL));
    FAILS(cudaErrorInvalidValue, cudaMallocMipmappedArray(&levels, NULL, (struct cudaExtent){16, 8, 0}, 5, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptions),  cmocka_unit_test(test_bad_elements_and_sizes),
        cmocka_unit_test(test_directions),    cmocka_unit_test(test_limits_of_rows),
        cmocka_unit_test(test_runs_of_bytes), cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_mipmaps),
    };
    return cmocka_run_group_tests(tests, allocate, NULL);
}
