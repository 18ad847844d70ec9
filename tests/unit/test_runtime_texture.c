/* Texture and surface objects by the runtime: translation of their descriptions, there and back. */
#include "tests/runtime/registered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

static const char ptx[] = ".version 8.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry fetch(.param .u64 texture, .param .u64 out)\n"
                          "{\n"
                          "    .reg .b32 %r<6>;\n"
                          "    .reg .b64 %rd<4>;\n"
                          "    ld.param.u64 %rd1, [texture];\n"
                          "    ld.param.u64 %rd2, [out];\n"
                          "    mov.u32 %r1, 5;\n"
                          "    tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r1}];\n"
                          "    st.global.u32 [%rd2], %r2;\n"
                          "    ret;\n"
                          "}\n";

static const struct cudaChannelFormatDesc one_int = {32, 0, 0, 0, cudaChannelFormatKindSigned};

static void test_kernels_read_textures(void **state)
{
    (void)state;
    static char fetch;
    unsigned values[8] = {0, 11, 22, 33, 44, 55, 66, 77}, seen = 0, *device, *out;
    void **binary = registered_binary(ptx);
    registered_kernel(binary, &fetch, "fetch");
    OK(cudaMalloc((void **)&device, sizeof values));
    OK(cudaMalloc((void **)&out, sizeof *out));
    OK(cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice));
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = one_int;
    resource.res.linear.sizeInBytes = sizeof values;
    struct cudaTextureDesc sampling = {.readMode = cudaReadModeElementType};
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
    void *arguments[] = {&texture, &out};
    OK(cudaLaunchKernel(&fetch, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, NULL));
    OK(cudaMemcpy(&seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    assert_int_equal(seen, 55);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFree(device));
    OK(cudaFree(out));
    registered_end(binary);
}

static void test_sampling_comes_back(void **state)
{
    (void)state;
    cudaArray_t array;
    cudaTextureObject_t texture;
    static const struct cudaChannelFormatDesc byte = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
    OK(cudaMallocArray(&array, &byte, 8, 8, 0));
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray}, resource_back;
    resource.res.array.array = array;
    struct cudaTextureDesc sampling = {
        .addressMode = {cudaAddressModeClamp, cudaAddressModeWrap, cudaAddressModeClamp},
        .readMode = cudaReadModeNormalizedFloat,
        .normalizedCoords = 1,
    };
    struct cudaTextureDesc back;
    memset(&back, 7, sizeof back);
    OK(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
    OK(cudaGetTextureObjectTextureDesc(&back, texture));
    assert_memory_equal(&back, &sampling, sizeof back);
    OK(cudaGetTextureObjectResourceDesc(&resource_back, texture));
    assert_int_equal(resource_back.resType, cudaResourceTypeArray);
    assert_ptr_equal(resource_back.res.array.array, array);
    assert_int_equal(resource_back.flags, 0);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeArray(array));
}

static void test_pitched_resource_comes_back(void **state)
{
    (void)state;
    struct cudaPitchedPtr memory;
    OK(cudaMalloc3D(&memory, (struct cudaExtent){32, 4, 1}));
    struct cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D}, back;
    resource.res.pitch2D.devPtr = memory.ptr;
    resource.res.pitch2D.desc = one_int;
    resource.res.pitch2D.width = 8;
    resource.res.pitch2D.height = 4;
    resource.res.pitch2D.pitchInBytes = memory.pitch;
    struct cudaTextureDesc sampling = {.readMode = cudaReadModeElementType};
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
    OK(cudaGetTextureObjectResourceDesc(&back, texture));
    assert_int_equal(back.resType, cudaResourceTypePitch2D);
    assert_ptr_equal(back.res.pitch2D.devPtr, memory.ptr);
    assert_memory_equal(&back.res.pitch2D.desc, &one_int, sizeof one_int);
    assert_int_equal(back.res.pitch2D.width, 8);
    assert_int_equal(back.res.pitch2D.height, 4);
    assert_int_equal(back.res.pitch2D.pitchInBytes, memory.pitch);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFree(memory.ptr));
}

static void test_mistakes(void **state)
{
    (void)state;
    void *device;
    cudaTextureObject_t texture;
    struct cudaTextureDesc sampling = {.readMode = cudaReadModeElementType};
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    OK(cudaMalloc(&device, 64));
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = one_int;
    resource.res.linear.sizeInBytes = 64;
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(NULL, &resource, &sampling, NULL));
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, NULL, &sampling, NULL));
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &resource, NULL, NULL));
    resource.res.linear.desc.x = 7;
    FAILS(cudaErrorInvalidChannelDescriptor, cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
    resource.resType = (enum cudaResourceType)7;
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
    struct cudaTextureDesc back;
    FAILS(cudaErrorInvalidValue, cudaGetTextureObjectTextureDesc(&back, 12345));
    OK(cudaFree(device));
}

static void test_surfaces(void **state)
{
    (void)state;
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    OK(cudaMallocArray(&array, &one_int, 8, 8, cudaArraySurfaceLoadStore));
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray}, back;
    resource.res.array.array = array;
    OK(cudaCreateSurfaceObject(&surface, &resource));
    OK(cudaGetSurfaceObjectResourceDesc(&back, surface));
    assert_ptr_equal(back.res.array.array, array);
    OK(cudaDestroySurfaceObject(surface));
    resource.resType = cudaResourceTypeLinear;
    FAILS(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, &resource));
    FAILS(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, NULL));
    OK(cudaFreeArray(array));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_read_textures),
        cmocka_unit_test(test_sampling_comes_back),
        cmocka_unit_test(test_pitched_resource_comes_back),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
