/* Calls on memory that CUDA 12 has in another form than CUDA 13, as a program of CUDA 12 makes them. */
#include "cuda_runtime_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

cudaError_t advise_12(const void *memory, size_t bytes, enum cudaMemoryAdvise advice,
                      int device) __asm__("cudaMemAdvise");
cudaError_t prefetch_12(const void *memory, size_t bytes, int device,
                        cudaStream_t stream) __asm__("cudaMemPrefetchAsync");
cudaError_t cudaMemAdvise_v2(const void *memory, size_t bytes, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location);
cudaError_t cudaMemPrefetchAsync_v2(const void *memory, size_t bytes, struct cudaMemLocation location,
                                    unsigned int flags, cudaStream_t stream);
cudaError_t batch_12(void **to, void **from, size_t *bytes, size_t count, struct cudaMemcpyAttributes *attributes,
                     size_t *attribute_indices, size_t attribute_count, size_t *failed,
                     cudaStream_t stream) __asm__("cudaMemcpyBatchAsync");

static void test_advice_by_device(void **state)
{
    (void)state;
    void *managed;
    struct cudaMemLocation here = {.type = cudaMemLocationTypeDevice};
    OK(cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal));
    OK(advise_12(managed, 4096, cudaMemAdviseSetPreferredLocation, 0));
    OK(advise_12(managed, 4096, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    FAILS(cudaErrorInvalidValue, advise_12(&managed, 4096, cudaMemAdviseSetPreferredLocation, 0));
    OK(prefetch_12(managed, 4096, 0, NULL));
    OK(prefetch_12(managed, 4096, cudaCpuDeviceId, NULL));
    FAILS(cudaErrorInvalidDevice, prefetch_12(managed, 4096, 3, NULL));
    OK(cudaMemAdvise_v2(managed, 4096, cudaMemAdviseSetReadMostly, here));
    OK(cudaMemPrefetchAsync_v2(managed, 4096, here, 0, NULL));
    OK(cudaFree(managed));
}

/* CUDA 13's structures are longer: what follows the shorter ones must stay. */
static void test_short_structures(void **state)
{
    (void)state;
    struct cudaPointerAttributes pointer;
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc sampling = {.readMode = cudaReadModeElementType};
    static const struct cudaChannelFormatDesc one_int = {32, 0, 0, 0, cudaChannelFormatKindSigned};
    void *device;
    cudaArray_t array;
    cudaTextureObject_t texture;
    OK(cudaMalloc(&device, 64));
    memset(&pointer, 7, sizeof pointer);
    OK(cudaPointerGetAttributes(&pointer, device));
    assert_int_equal(pointer.type, cudaMemoryTypeDevice);
    assert_int_equal(((char *)&pointer)[16], 0);
    assert_int_equal(((char *)&pointer)[24], 7);
    OK(cudaMallocArray(&array, &one_int, 8, 8, 0));
    resource.res.array.array = array;
    resource.flags = 7;
    OK(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
    memset(&resource, 7, sizeof resource);
    OK(cudaGetTextureObjectResourceDesc(&resource, texture));
    assert_ptr_equal(resource.res.array.array, array);
    assert_int_equal(((char *)&resource)[64], 7);
    assert_int_equal(((char *)&resource.flags)[0], 7);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeArray(array));
    OK(cudaFree(device));
}

static void test_batches_say_which_failed(void **state)
{
    (void)state;
    int value = 5, *device;
    size_t bytes = 4, index = 0, failed = 3;
    cudaStream_t stream;
    struct cudaMemcpyAttributes attributes = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    OK(cudaStreamCreate(&stream));
    OK(cudaMalloc((void **)&device, sizeof value));
    void *to = device, *from = &value;
    OK(batch_12(&to, &from, &bytes, 1, &attributes, &index, 1, &failed, stream));
    assert_int_equal(failed, 3);
    value = 0;
    OK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 5);
    to = NULL;
    FAILS(cudaErrorInvalidValue, batch_12(&to, &from, &bytes, 1, &attributes, &index, 1, &failed, stream));
    assert_true(failed == SIZE_MAX);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_advice_by_device),
        cmocka_unit_test(test_short_structures),
        cmocka_unit_test(test_batches_say_which_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
