/* Tensor maps: what cuTensorMapEncodeTiled() refuses, and copies of tiles, whole, swizzled and over an edge. */
#include "cuda.h"
#include "heddle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(code, call) assert_int_equal((call), (code))

/* Copies the tile at (x, y), of 4 x 4 words, to shared memory, and from there word by word to `out`. */
static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry load(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 x, .param .u32 y)\n"
    "{ .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<4>; .shared .align 1024 .b8 tile[1024]; .shared .align 8 .b64 "
    "bar;\n"
    "  ld.param.u64 %d0, [out]; ld.param.u32 %r0, [x]; ld.param.u32 %r1, [y]; mov.b64 %d1, map; cvta.param.u64 %d1, "
    "%d1;\n"
    "  mov.u32 %r2, tile; mov.u32 %r3, bar; mbarrier.init.shared.b64 [%r3], 1;\n"
    "  mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 64;\n"
    "  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%d1, {%r0, %r1}], "
    "[%r3];\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%r3], 0; @!%p bra WAIT;\n"
    "  mov.u32 %r4, 0;\nWORD: ld.shared.u32 %r5, [%r2]; st.global.u32 [%d0], %r5; add.u32 %r2, %r2, 4; add.u64 %d0, "
    "%d0, 4;\n"
    "  add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, 128; @%p bra WORD; ret; }\n";

enum { COLUMNS = 10, ROWS = 7, PITCH = 64 };

static CUcontext context;
static CUfunction load;
static CUdeviceptr tensor, out;
static uint32_t words[128];

static int set_up(void **state)
{
    CUmodule module;
    uint8_t rows[ROWS][PITCH] = {{0}};
    (void)state;
    for (uint32_t y = 0; y < ROWS; y++)
        for (uint32_t x = 0; x < COLUMNS; x++)
            memcpy(&rows[y][4 * x], &(uint32_t){100 * y + x + 1}, 4);
    OK(cuInit(0));
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&load, module, "load"));
    OK(cuMemAlloc(&tensor, sizeof rows));
    OK(cuMemAlloc(&out, sizeof words));
    OK(cuMemcpyHtoD(tensor, rows, sizeof rows));
    return 0;
}

static int take_down(void **state)
{
    (void)state;
    OK(cuCtxDestroy(context));
    return 0;
}

static CUresult encode(CUtensorMap *map, CUdeviceptr address, cuuint64_t pitch, cuuint32_t width,
                       CUtensorMapSwizzle swizzle)
{
    const cuuint64_t size[] = {COLUMNS, ROWS};
    const cuuint32_t box[] = {width, 4}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, (void *)(uintptr_t)address, size, &pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static CUresult run(CUtensorMap *map, int x, int y)
{
    CUresult result = cuLaunchKernel(load, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){map, &out, &x, &y}, NULL);
    result = result ? result : cuCtxSynchronize();
    return result ? result : cuMemcpyDtoH(words, out, sizeof words);
}

static uint32_t element(int x, int y)
{
    return x < 0 || y < 0 || x >= COLUMNS || y >= ROWS ? 0 : (uint32_t)(100 * y + x + 1);
}

static void tiles_are_copied(void **state)
{
    CUtensorMap map;
    (void)state;
    OK(encode(&map, tensor, PITCH, 4, CU_TENSOR_MAP_SWIZZLE_NONE));
    static const int at[][2] = {{0, 0}, {4, 2}, {8, 5}, {-4, -2}};
    for (int k = 0; k < 4; k++) {
        OK(run(&map, at[k][0], at[k][1]));
        for (int i = 0; i < 16; i++)
            assert_int_equal(words[i], element(at[k][0] + i % 4, at[k][1] + i / 4));
    }
}

/* Rows of 16 bytes are 128 bytes apart, and the unit of row y is at place y. */
static void a_swizzle_spreads_rows(void **state)
{
    CUtensorMap map;
    (void)state;
    OK(encode(&map, tensor, PITCH, 4, CU_TENSOR_MAP_SWIZZLE_128B));
    OK(run(&map, 4, 1));
    for (int i = 0; i < 16; i++)
        assert_int_equal(words[32 * (i / 4) + 4 * (i / 4) + i % 4], element(4 + i % 4, 1 + i / 4));
}

static void coordinates_are_multiples_of_16_bytes(void **state)
{
    CUtensorMap map;
    (void)state;
    OK(encode(&map, tensor, PITCH, 4, CU_TENSOR_MAP_SWIZZLE_NONE));
    FAILS(CUDA_ERROR_ILLEGAL_INSTRUCTION, run(&map, 1, 0));
}

static void wrong_maps_are_refused(void **state)
{
    CUtensorMap map;
    (void)state;
    FAILS(CUDA_ERROR_INVALID_VALUE, encode(NULL, tensor, PITCH, 4, CU_TENSOR_MAP_SWIZZLE_NONE));
    FAILS(CUDA_ERROR_INVALID_VALUE, encode(&map, tensor + 8, PITCH, 4, CU_TENSOR_MAP_SWIZZLE_NONE));
    FAILS(CUDA_ERROR_INVALID_VALUE, encode(&map, tensor, PITCH + 8, 4, CU_TENSOR_MAP_SWIZZLE_NONE));
    FAILS(CUDA_ERROR_INVALID_VALUE, encode(&map, tensor, PITCH, 3, CU_TENSOR_MAP_SWIZZLE_NONE));
    FAILS(CUDA_ERROR_INVALID_VALUE, encode(&map, tensor, PITCH, 12, CU_TENSOR_MAP_SWIZZLE_32B));
    memset(&map, 0, sizeof map);
    FAILS(CUDA_ERROR_ILLEGAL_INSTRUCTION, run(&map, 0, 0));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, take_down)
    const struct CMUnitTest tests[] = {
        TEST(tiles_are_copied),
        TEST(a_swizzle_spreads_rows),
        TEST(coordinates_are_multiples_of_16_bytes),
        TEST(wrong_maps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
