/* Allocation by the runtime: device, host and managed memory, what a pointer points to, and peers. The error codes are
 * those of NVIDIA's runtime on an H200. */
#include "cuda_runtime_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

static void test_sizes_of_zero_give_null(void **state)
{
    (void)state;
    void *p = &p;
    size_t pitch = 7;
    OK(cudaMalloc(&p, 0));
    assert_null(p);
    p = &p;
    OK(cudaMallocHost(&p, 0));
    assert_null(p);
    p = &p;
    OK(cudaMallocManaged(&p, 0, cudaMemAttachGlobal));
    assert_null(p);
    p = &p;
    OK(cudaMallocPitch(&p, &pitch, 0, 4));
    assert_null(p);
    assert_int_equal(pitch, 0);
    struct cudaPitchedPtr box = {&p, 5, 5, 5};
    OK(cudaMalloc3D(&box, (struct cudaExtent){10, 4, 0}));
    assert_null(box.ptr);
    assert_int_equal(box.pitch, 0);
    assert_int_equal(box.xsize, 10);
    assert_int_equal(box.ysize, 4);
}

/* A program that tests the pointer instead of the error must see NULL. */
static void test_failed_allocations_give_null(void **state)
{
    (void)state;
    void *p = &p;
    FAILS(cudaErrorMemoryAllocation, cudaMalloc(&p, (size_t)1 << 60));
    assert_null(p);
    FAILS(cudaErrorMemoryAllocation, cudaGetLastError());
    OK(cudaGetLastError());
    p = &p;
    FAILS(cudaErrorInvalidValue, cudaHostAlloc(&p, 16, 0x80));
    assert_null(p);
    p = &p;
    FAILS(cudaErrorInvalidValue, cudaMallocManaged(&p, 4, 0));
    assert_null(p);
    struct cudaPitchedPtr box;
    FAILS(cudaErrorMemoryAllocation, cudaMalloc3D(&box, (struct cudaExtent){16, (size_t)1 << 40, (size_t)1 << 40}));
    FAILS(cudaErrorInvalidValue, cudaMalloc(NULL, 4));
    FAILS(cudaErrorInvalidValue, cudaMallocHost(NULL, 4));
    FAILS(cudaErrorInvalidValue, cudaMallocManaged(NULL, 4, cudaMemAttachGlobal));
    FAILS(cudaErrorInvalidValue, cudaMallocPitch(&p, NULL, 4, 4));
    FAILS(cudaErrorInvalidValue, cudaMalloc3D(NULL, (struct cudaExtent){4, 4, 4}));
}

static void test_rows_start_at_multiples_of_512(void **state)
{
    (void)state;
    void *p;
    size_t pitch;
    OK(cudaMallocPitch(&p, &pitch, 513, 4));
    assert_int_equal(pitch, 1024);
    assert_int_equal((uintptr_t)p % 512, 0);
    OK(cudaMemset(p, 1, 4 * pitch));
    FAILS(cudaErrorInvalidValue, cudaMemset(p, 1, 4 * pitch + 1));
    OK(cudaFree(p));
    struct cudaPitchedPtr box;
    OK(cudaMalloc3D(&box, (struct cudaExtent){10, 4, 3}));
    assert_int_equal(box.pitch, 512);
    OK(cudaMemset(box.ptr, 1, 512 * 4 * 3));
    OK(cudaFree(box.ptr));
}

static void test_freeing(void **state)
{
    (void)state;
    void *device, *pinned, *managed, *pageable = malloc(64);
    OK(cudaMalloc(&device, 64));
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
    OK(cudaFree(NULL));
    FAILS(cudaErrorInvalidValue, cudaFree(pageable));
    FAILS(cudaErrorInvalidValue, cudaFree(pinned));
    FAILS(cudaErrorInvalidValue, cudaFree((char *)device + 4));
    OK(cudaFreeHost(NULL));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(pageable));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(device));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(managed));
    OK(cudaFree(device));
    FAILS(cudaErrorInvalidValue, cudaFree(device));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(pinned));
    free(pageable);
}

static void test_memory_left(void **state)
{
    (void)state;
    size_t before, after, total;
    void *p;
    OK(cudaMemGetInfo(&before, &total));
    OK(cudaMalloc(&p, 1 << 20));
    OK(cudaMemGetInfo(&after, NULL));
    assert_true(before - after >= 1 << 20);
    assert_true(before <= total);
    OK(cudaFree(p));
}

static void check_pointer(const void *pointer, enum cudaMemoryType type)
{
    struct cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, pointer));
    assert_int_equal(a.type, type);
    assert_int_equal(a.device, type == cudaMemoryTypeUnregistered ? -2 : 0);
    assert_ptr_equal(a.devicePointer, type == cudaMemoryTypeUnregistered ? NULL : pointer);
    assert_ptr_equal(a.hostPointer, type == cudaMemoryTypeDevice ? NULL : pointer);
}

static void test_pointer_attributes(void **state)
{
    (void)state;
    void *device, *pinned, *managed;
    char *pageable = malloc(4096);
    OK(cudaMalloc(&device, 64));
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
    check_pointer(device, cudaMemoryTypeDevice);
    check_pointer((char *)device + 8, cudaMemoryTypeDevice);
    check_pointer(pinned, cudaMemoryTypeHost);
    check_pointer((char *)pinned + 8, cudaMemoryTypeHost);
    check_pointer(managed, cudaMemoryTypeManaged);
    check_pointer(pageable, cudaMemoryTypeUnregistered);
    check_pointer(NULL, cudaMemoryTypeUnregistered);
    check_pointer((void *)1, cudaMemoryTypeUnregistered);
    OK(cudaHostRegister(pageable + 100, 50, cudaHostRegisterDefault));
    check_pointer(pageable + 100, cudaMemoryTypeHost);
    check_pointer(pageable, cudaMemoryTypeUnregistered);
    OK(cudaHostUnregister(pageable + 100));
    check_pointer(pageable + 100, cudaMemoryTypeUnregistered);
    struct cudaPointerAttributes a;
    FAILS(cudaErrorInvalidValue, cudaPointerGetAttributes(NULL, device));
    OK(cudaFree(device));
    check_pointer(device, cudaMemoryTypeUnregistered);
    OK(cudaPointerGetAttributes(&a, device));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(managed));
    free(pageable);
}

static void test_registered_host_memory(void **state)
{
    (void)state;
    unsigned flags = 77;
    char *p = malloc(4096), *seen;
    void *device;
    OK(cudaMalloc(&device, 64));
    FAILS(cudaErrorInvalidValue, cudaHostRegister(NULL, 16, 0));
    FAILS(cudaErrorInvalidValue, cudaHostRegister(p, 0, 0));
    FAILS(cudaErrorInvalidValue, cudaHostRegister(p, 4096, 32));
    OK(cudaHostRegister(p, 4096, 0));
    FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(p, 4096, 0));
    OK(cudaHostGetDevicePointer((void **)&seen, p + 8, 0));
    assert_ptr_equal(seen, p + 8);
    OK(cudaHostGetFlags(&flags, p));
    assert_int_equal(flags, cudaHostRegisterMapped);
    OK(cudaMemcpy(device, p, 4, cudaMemcpyDeviceToDevice));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(p));
    OK(cudaHostUnregister(p));
    FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(p));
    FAILS(cudaErrorInvalidValue, cudaHostUnregister(NULL));
    FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer((void **)&seen, p, 0));
    FAILS(cudaErrorInvalidValue, cudaHostGetFlags(&flags, p));
    OK(cudaFree(device));
    free(p);
}

static void test_pinned_host_memory(void **state)
{
    (void)state;
    unsigned flags;
    void *p, *seen, *device;
    OK(cudaMalloc(&device, 64));
    OK(cudaHostAlloc(&p, 16, cudaHostAllocDefault));
    OK(cudaHostGetFlags(&flags, p));
    assert_int_equal(flags, cudaHostAllocMapped);
    OK(cudaHostGetDevicePointer(&seen, p, 0));
    assert_ptr_equal(seen, p);
    FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer(&seen, p, 1));
    FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer(NULL, p, 0));
    FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer(&seen, device, 0));
    FAILS(cudaErrorInvalidValue, cudaHostGetFlags(NULL, p));
    OK(cudaFreeHost(p));
    OK(cudaHostAlloc(&p, 16, cudaHostAllocPortable | cudaHostAllocWriteCombined));
    OK(cudaHostGetFlags(&flags, p));
    assert_int_equal(flags, cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined);
    OK(cudaFreeHost(p));
    OK(cudaFree(device));
}

/* There is one device, which is no peer of itself. */
static void test_peers(void **state)
{
    (void)state;
    int can = 7;
    void *a, *b;
    OK(cudaMalloc(&a, 64));
    OK(cudaMalloc(&b, 64));
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    assert_int_equal(can, 0);
    FAILS(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 1));
    FAILS(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
    FAILS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(1));
    int value = 42, copy = 0;
    OK(cudaMemcpy(a, &value, sizeof value, cudaMemcpyHostToDevice));
    OK(cudaMemcpyPeer(b, 0, a, 0, sizeof value));
    OK(cudaMemcpyPeerAsync(a, 0, b, 0, sizeof value, NULL));
    OK(cudaMemcpy(&copy, a, sizeof copy, cudaMemcpyDeviceToHost));
    assert_int_equal(copy, 42);
    FAILS(cudaErrorInvalidDevice, cudaMemcpyPeer(b, 0, a, 1, 4));
    FAILS(cudaErrorInvalidValue, cudaMemcpyPeer(&copy, 0, a, 0, 4));
    OK(cudaFree(a));
    OK(cudaFree(b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_of_zero_give_null),
        cmocka_unit_test(test_failed_allocations_give_null),
        cmocka_unit_test(test_rows_start_at_multiples_of_512),
        cmocka_unit_test(test_freeing),
        cmocka_unit_test(test_memory_left),
        cmocka_unit_test(test_pointer_attributes),
        cmocka_unit_test(test_registered_host_memory),
        cmocka_unit_test(test_pinned_host_memory),
        cmocka_unit_test(test_peers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
