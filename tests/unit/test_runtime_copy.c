/* Copies and fills of linear memory by the runtime. The error codes are those of NVIDIA's runtime on an H200. */
#include "cuda_runtime_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), cudaSuccess)
#define FAILS(code, call) assert_int_equal((call), (code))

enum { BYTES = 4096, NO_KIND = 9 };

/* Memory of each sort, the same for all tests. */
static struct {
    char pageable[BYTES], other[BYTES];
    char *device, *device2, *managed, *pinned;
} memory;

static int allocate(void **state)
{
    (void)state;
    return cudaMalloc((void **)&memory.device, BYTES) || cudaMalloc((void **)&memory.device2, BYTES) ||
           cudaMallocManaged((void **)&memory.managed, BYTES, cudaMemAttachGlobal) ||
           cudaMallocHost((void **)&memory.pinned, BYTES);
}

/* Which directions are refused for a pair of pointers: one character each for the five directions, '.' or 'x'. */
struct direction_row {
    char to,
        from; /* 'd' device, 'e' another allocation there, 'h' pageable, 'g' other pageable, 'p' pinned, 'm' managed */
    const char *refused;
};

static char *pointer_of(char letter)
{
    switch (letter) {
    case 'd':
        return memory.device;
    case 'e':
        return memory.device2;
    case 'h':
        return memory.pageable;
    case 'g':
        return memory.other;
    case 'p':
        return memory.pinned;
    case 'm':
        return memory.managed;
    default:
        return NULL;
    }
}

/* A device side must be memory that CUDA knows; a host side may be any. */
static void test_directions(void **state)
{
    (void)state;
    static const struct direction_row rows[] = {
        {'d', 'h', "..xx."}, {'d', 'p', "....."}, {'d', 'e', "....."}, {'d', 'm', "....."}, {'h', 'd', ".x.x."},
        {'g', 'h', ".xxx."}, {'p', 'h', "..xx."}, {'p', 'd', "....."}, {'m', 'd', "....."}, {'m', 'h', "..xx."},
        {'h', 'm', ".x.x."}, {'g', 'p', ".x.x."}, {'0', 'h', "xxxxx"}, {'d', '0', "xxxxx"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int kind = 0; kind < 5; kind++) {
            char *to = pointer_of(rows[i].to), *from = pointer_of(rows[i].from);
            cudaError_t expected = rows[i].refused[kind] == 'x' ? cudaErrorInvalidValue : cudaSuccess;
            FAILS(expected, cudaMemcpy(to, from, 4, (enum cudaMemcpyKind)kind));
            FAILS(expected, cudaMemcpyAsync(to, from, 4, (enum cudaMemcpyKind)kind, NULL));
            FAILS(expected, cudaMemcpy2D(to, 8, from, 8, 4, 2, (enum cudaMemcpyKind)kind));
        }
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(memory.device, memory.pageable, 4, (enum cudaMemcpyKind) - 1));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(memory.device, memory.pageable, 4, (enum cudaMemcpyKind)5));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaGetLastError());
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpyAsync(memory.device, memory.pageable, 4, (enum cudaMemcpyKind)NO_KIND, NULL));
    cudaGetLastError();
}

static void test_no_bytes_succeed(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        OK(cudaMemcpy(NULL, NULL, 0, (enum cudaMemcpyKind)kind));
        OK(cudaMemcpyAsync(NULL, NULL, 0, (enum cudaMemcpyKind)kind, NULL));
        OK(cudaMemcpy2D(memory.device, 8, memory.pageable, 8, 0, 2, (enum cudaMemcpyKind)kind));
        OK(cudaMemcpy2D(memory.device, 0, memory.pageable, 0, 8, 0, (enum cudaMemcpyKind)kind));
    }
    OK(cudaMemset(NULL, 1, 0));
    OK(cudaGetLastError());
}

static void test_bytes_arrive(void **state)
{
    (void)state;
    strcpy(memory.pageable, "round trip");
    OK(cudaMemcpy(memory.device, memory.pageable, BYTES, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(memory.device2, memory.device, BYTES, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpyAsync(memory.managed, memory.device2, BYTES, cudaMemcpyDefault, NULL));
    assert_string_equal(memory.managed, "round trip");
    OK(cudaMemcpyAsync(memory.other, memory.managed, BYTES, cudaMemcpyDeviceToHost, cudaStreamPerThread));
    assert_string_equal(memory.other, "round trip");
    FAILS(cudaErrorInvalidValue, cudaMemcpy(memory.device, memory.pageable, BYTES + 4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(memory.device + BYTES - 6, memory.pageable, 8, cudaMemcpyHostToDevice));
}

/* The pitch of a single row may be zero. Rows that start in memory of CUDA must not leave it. */
static void test_pitches(void **state)
{
    (void)state;
    char *d = memory.device, *h = memory.pageable;
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(d, 4, h, 8, 8, 2, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(d, 8, h, 4, 8, 2, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy2D(d, 4, h, 8, 8, 1, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(d, 0, h, 8, 8, 1, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(d, 0, h, 0, 8, 1, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy2D(d, 8, h, 8, 8, 2, (enum cudaMemcpyKind)NO_KIND));
    FAILS(cudaErrorInvalidValue, cudaMemcpy2D(memory.pinned, BYTES, d, 4, 4, 3, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaMemcpy2D(d, 4, memory.managed, BYTES, 4, 3, cudaMemcpyHostToDevice));
    static const char rows[] = "abcd....efgh....";
    char packed[9] = {0};
    OK(cudaMemcpy2D(d, 4, rows, 8, 4, 2, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(packed, d, 8, cudaMemcpyDeviceToHost));
    assert_string_equal(packed, "abcdefgh");
    char spread[17] = "................";
    OK(cudaMemcpy2DAsync(spread, 8, d, 4, 4, 2, cudaMemcpyDefault, NULL));
    assert_string_equal(spread, rows);
}

static void test_fills(void **state)
{
    (void)state;
    char *d = memory.device, seen[65] = {0};
    OK(cudaMemset(d, '.', 64));
    OK(cudaMemset2D(d, 16, 'x', 2, 3));
    OK(cudaMemsetAsync(d + 60, 256 + 'y', 4, NULL));
    OK(cudaMemcpy(seen, d, 64, cudaMemcpyDeviceToHost));
    assert_string_equal(seen, "xx..............xx..............xx..........................yyyy");
    struct cudaPitchedPtr box = {d, 8, 8, 4};
    OK(cudaMemset3D(box, '.', (struct cudaExtent){8, 4, 2}));
    OK(cudaMemset3D(box, 'z', (struct cudaExtent){1, 2, 2}));
    OK(cudaMemcpy(seen, d, 64, cudaMemcpyDeviceToHost));
    assert_string_equal(seen, "z.......z.......................z.......z.......................");
    FAILS(cudaErrorInvalidValue, cudaMemset3D(box, 1, (struct cudaExtent){8, 5, 1}));
    FAILS(cudaErrorInvalidValue, cudaMemset3D(box, 1, (struct cudaExtent){9, 4, 1}));
    OK(cudaMemset3D((struct cudaPitchedPtr){d, 0, 8, 4}, 1, (struct cudaExtent){8, 1, 1}));
    size_t many = (size_t)1 << 32; /* many rows times many planes are 0 in 64 bits */
    FAILS(cudaErrorInvalidValue,
          cudaMemset3D((struct cudaPitchedPtr){d, 0, 8, many}, 1, (struct cudaExtent){8, many, many}));
    FAILS(cudaErrorInvalidValue, cudaMemset2D(d, 4, 1, 8, 2));
    OK(cudaMemset2D(d, 4, 1, 8, 1));
    FAILS(cudaErrorInvalidValue, cudaMemset(NULL, 1, 4));
    FAILS(cudaErrorInvalidValue, cudaMemset(memory.pageable, 1, 4));
    FAILS(cudaErrorInvalidValue, cudaMemset(d, 1, BYTES + 1));
    OK(cudaMemset(memory.pinned, 1, 4));
    assert_int_equal(memory.pinned[3], 1);
}

static cudaError_t copy_box(struct cudaPitchedPtr to, struct cudaPitchedPtr from, size_t from_x,
                            struct cudaExtent extent, int kind)
{
    struct cudaMemcpy3DParms p = {.srcPtr = from, .srcPos = {.x = from_x}, .dstPtr = to, .extent = extent};
    p.kind = (enum cudaMemcpyKind)kind;
    return cudaMemcpy3D(&p);
}

static void test_boxes(void **state)
{
    (void)state;
    char *d = memory.device, *h = memory.pageable;
    struct cudaPitchedPtr device = {d, 16, 16, 4}, host = {h, 16, 16, 4};
    for (int i = 0; i < 128; i++)
        h[i] = (char)i;
    OK(copy_box(device, host, 0, (struct cudaExtent){16, 4, 2}, cudaMemcpyHostToDevice));
    memset(memory.other, 0, 128);
    struct cudaPitchedPtr packed = {memory.other, 2, 2, 2};
    OK(copy_box(packed, device, 3, (struct cudaExtent){2, 2, 2}, cudaMemcpyDeviceToHost));
    static const char expected[] = {3, 4, 19, 20, 67, 68, 83, 84};
    assert_memory_equal(memory.other, expected, sizeof expected);

    FAILS(cudaErrorInvalidMemcpyDirection, copy_box(device, host, 0, (struct cudaExtent){16, 4, 2}, NO_KIND));
    OK(copy_box(device, host, 0, (struct cudaExtent){16, 4, 0}, NO_KIND));
    FAILS(cudaErrorInvalidPitchValue, copy_box(device, host, 0, (struct cudaExtent){17, 4, 1}, 1));
    device.pitch = 0;
    FAILS(cudaErrorInvalidPitchValue, copy_box(device, host, 0, (struct cudaExtent){16, 4, 1}, 1));
    OK(copy_box(device, host, 0, (struct cudaExtent){16, 1, 1}, 1));
    device.pitch = 16;
    FAILS(cudaErrorInvalidPitchValue, copy_box(device, host, 0, (struct cudaExtent){16, 8, 2}, 1));
    FAILS(cudaErrorInvalidValue, copy_box(device, host, 0, (struct cudaExtent){16, 8, 1}, 1));
    FAILS(cudaErrorInvalidValue, copy_box(device, host, 8, (struct cudaExtent){12, 2, 2}, 1));
    struct cudaPitchedPtr pinned = {memory.pinned, 16, 16, 4};
    struct cudaMemcpy3DParms outside = {.srcPtr = pinned, .srcPos = {.z = 1 << 24}, .dstPtr = device};
    outside.extent = (struct cudaExtent){16, 1, 1};
    outside.kind = cudaMemcpyHostToDevice;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&outside));
    device.ptr = NULL;
    FAILS(cudaErrorInvalidValue, copy_box(device, host, 0, (struct cudaExtent){16, 2, 2}, 1));
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directions),   cmocka_unit_test(test_no_bytes_succeed),
        cmocka_unit_test(test_bytes_arrive), cmocka_unit_test(test_pitches),
        cmocka_unit_test(test_fills),        cmocka_unit_test(test_boxes),
    };
    return cmocka_run_group_tests(tests, allocate, NULL);
}
