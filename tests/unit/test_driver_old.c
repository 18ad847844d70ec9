/* What programs of early CUDA versions use: texture references, surface references, and launches set up step by step. */
#include "driver_check.h"

static const char old_ptx[] =
    PTX_HEAD ".global .texref line;\n.global .texref plane;\n.global .surfref surface;\n.visible .global .u32 plain;\n"
             /* out[i] = line[i] */
             ".visible .entry fetch(.param .u64 out)\n"
             "{ .reg .b32 %r; .reg .f32 %f<4>; .reg .b64 %d<3>;\n"
             "  ld.param.u64 %d0, [out]; mov.u32 %r, %tid.x; tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [line, {%r}];\n"
             "  mul.wide.u32 %d1, %r, 4; add.s64 %d2, %d0, %d1; st.global.f32 [%d2], %f0; ret; }\n"
             /* out[y * 4 + x] = plane(x, y) */
             ".visible .entry fetch2(.param .u64 out)\n"
             "{ .reg .b32 %r<7>; .reg .f32 %f<2>; .reg .b64 %d<3>;\n"
             "  ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y;\n"
             "  cvt.rn.f32.u32 %f0, %r0; cvt.rn.f32.u32 %f1, %r1;\n"
             "  tex.2d.v4.u32.f32 {%r2,%r3,%r4,%r5}, [plane, {%f0,%f1}];\n"
             "  mad.lo.u32 %r0, %r1, 4, %r0; mul.wide.u32 %d1, %r0, 4; add.s64 %d2, %d0, %d1;\n"
             "  st.global.u32 [%d2], %r2; ret; }\n"
             /* out[block * size + i] = a + f */
             ".visible .entry sum(.param .u64 out, .param .u32 a, .param .f32 f)\n"
             "{ .reg .b32 %r<6>; .reg .f32 %f; .reg .b64 %d<3>;\n"
             "  ld.param.u64 %d0, [out]; ld.param.u32 %r0, [a]; ld.param.f32 %f, [f]; cvt.rzi.u32.f32 %r1, %f;\n"
             "  add.u32 %r1, %r0, %r1; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
             "  mad.lo.u32 %r4, %r2, %r3, %r4; mul.wide.u32 %d1, %r4, 4; add.s64 %d2, %d0, %d1;\n"
             "  st.global.u32 [%d2], %r1; ret; }\n";

static CUmodule module;

static int open_module(void **state)
{
    return open_context(state) || cuModuleLoadData(&module, old_ptx);
}

static CUfunction kernel(const char *name)
{
    CUfunction f = NULL;
    OK(cuModuleGetFunction(&f, module, name));
    return f;
}

static CUtexref texture(const char *name)
{
    CUtexref t = NULL, again = NULL;
    OK(cuModuleGetTexRef(&t, module, name));
    OK(cuModuleGetTexRef(&again, module, name));
    assert_ptr_equal(t, again);
    return t;
}

static void test_line(void **state)
{
    (void)state;
    CUtexref t = texture("line");
    CUdeviceptr data, out;
    OK(cuMemAlloc(&data, 32));
    OK(cuMemAlloc(&out, 32));
    const float in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float back[8];
    OK(cuMemcpyHtoD(data, in, sizeof in));
    size_t offset = 1;
    OK(cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 1));
    OK(cuTexRefSetAddress(&offset, t, data, sizeof in));
    assert_int_equal(offset, 0);
    OK(cuLaunchKernel(kernel("fetch"), 1, 1, 1, 8, 1, 1, 0, NULL, (void *[]){&out}, NULL));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    assert_memory_equal(back, in, sizeof in);
    CUdeviceptr bound;
    OK(cuTexRefGetAddress(&bound, t));
    assert_int_equal(bound, data);
    /* The format may be set after the address: bytes read as fractions of 255. */
    OK(cuTexRefSetFormat(t, CU_AD_FORMAT_UNSIGNED_INT8, 1));
    const uint8_t bytes[8] = {0, 255, 51, 102};
    OK(cuMemcpyHtoD(data, bytes, sizeof bytes));
    OK(cuLaunchKernel(kernel("fetch"), 1, 1, 1, 8, 1, 1, 0, NULL, (void *[]){&out}, NULL));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    assert_true(back[0] == 0 && back[1] == 1 && back[2] == 51 / 255.0f);
    CUarray array;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuTexRefGetArray(&array, t));
    OK(cuTexRefSetAddress(NULL, t, 0, 0)); /* unbound */
    FAILS(CUDA_ERROR_INVALID_VALUE, cuTexRefGetAddress(&bound, t));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress(NULL, t, data, 1 << 20)); /* more than is allocated */
}

static void test_plane(void **state)
{
    (void)state;
    CUtexref t = texture("plane");
    CUdeviceptr out;
    OK(cuMemAlloc(&out, 32));
    const uint32_t in[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    uint32_t back[2][4];
    CUDA_ARRAY_DESCRIPTOR d = {4, 2, CU_AD_FORMAT_UNSIGNED_INT32, 1};
    CUarray array, bound;
    OK(cuArrayCreate(&array, &d));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = in,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = 16,
                          .Height = 2};
    OK(cuMemcpy2D(&copy));
    OK(cuTexRefSetFlags(t, CU_TRSF_READ_AS_INTEGER));
    OK(cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_CLAMP));
    OK(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_POINT));
    OK(cuTexRefSetArray(t, array, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefGetArray(&bound, t));
    assert_ptr_equal(bound, array);
    CUarray_format format;
    int channels;
    OK(cuTexRefGetFormat(&format, &channels, t));
    assert_int_equal(format, CU_AD_FORMAT_UNSIGNED_INT32);
    OK(cuLaunchKernel(kernel("fetch2"), 1, 1, 1, 4, 2, 1, 0, NULL, (void *[]){&out}, NULL));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    assert_memory_equal(back, in, sizeof in);
    /* The same from pitched memory. */
    CUdeviceptr pitched;
    OK(cuMemAlloc(&pitched, 1024));
    OK(cuMemsetD32(pitched, 9, 128));
    OK(cuTexRefSetAddress2D(t, &d, pitched, 32));
    OK(cuLaunchKernel(kernel("fetch2"), 1, 1, 1, 4, 2, 1, 0, NULL, (void *[]){&out}, NULL));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    assert_int_equal(back[1][3], 9);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetArray(t, array, 0));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetArray(t, (CUarray)&d, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
}

static void test_settings(void **state)
{
    (void)state;
    CUtexref t;
    OK(cuTexRefCreate(&t));
    CUaddress_mode mode;
    OK(cuTexRefGetAddressMode(&mode, t, 2));
    assert_int_equal(mode, CU_TR_ADDRESS_MODE_CLAMP);
    OK(cuTexRefSetAddressMode(t, 2, CU_TR_ADDRESS_MODE_MIRROR));
    OK(cuTexRefGetAddressMode(&mode, t, 2));
    assert_int_equal(mode, CU_TR_ADDRESS_MODE_MIRROR);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddressMode(t, 3, CU_TR_ADDRESS_MODE_WRAP));
    float least, most, color[4] = {0};
    OK(cuTexRefSetMipmapLevelClamp(t, 1, 2));
    OK(cuTexRefGetMipmapLevelClamp(&least, &most, t));
    assert_true(least == 1 && most == 2);
    OK(cuTexRefSetBorderColor(t, (float[]){0, 1, 2, 3}));
    OK(cuTexRefGetBorderColor(color, t));
    assert_true(color[3] == 3);
    int anisotropy;
    OK(cuTexRefSetMaxAnisotropy(t, 8));
    OK(cuTexRefGetMaxAnisotropy(&anisotropy, t));
    assert_int_equal(anisotropy, 8);
    unsigned flags;
    OK(cuTexRefSetFlags(t, CU_TRSF_NORMALIZED_COORDINATES));
    OK(cuTexRefGetFlags(&flags, t));
    assert_int_equal(flags, CU_TRSF_NORMALIZED_COORDINATES);
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetMipmappedArray(t, NULL, CU_TRSA_OVERRIDE_FORMAT));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 3));
    OK(cuTexRefDestroy(t));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuTexRefGetFlags(&flags, t));
    FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&t, module, "plain"));
    FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&t, module, "nothing"));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuModuleGetTexRef(&t, (CUmodule)&t, "line"));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuTexRefDestroy(texture("line"))); /* it belongs to the module */
}

static void test_surface_reference(void **state)
{
    (void)state;
    CUsurfref s, again;
    CUarray array, bound;
    CUDA_ARRAY3D_DESCRIPTOR d = {4, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    OK(cuArray3DCreate(&array, &d));
    OK(cuModuleGetSurfRef(&s, module, "surface"));
    OK(cuModuleGetSurfRef(&again, module, "surface"));
    assert_ptr_equal(s, again);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuSurfRefGetArray(&bound, s));
    OK(cuSurfRefSetArray(s, array, 0));
    OK(cuSurfRefGetArray(&bound, s));
    assert_ptr_equal(bound, array);
    FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetSurfRef(&s, module, "line"));
}

static void test_step_by_step(void **state)
{
    (void)state;
    CUfunction f = kernel("sum");
    CUdeviceptr out;
    OK(cuMemAlloc(&out, 64));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchGrid(f, 2, 1)); /* the block has no shape yet */
    OK(cuFuncSetBlockShape(f, 4, 1, 1));
    OK(cuFuncSetSharedSize(f, 0));
    OK(cuParamSetv(f, 0, &out, sizeof out));
    OK(cuParamSeti(f, 8, 40));
    OK(cuParamSetf(f, 12, 2.5f));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchGrid(f, 2, 1)); /* the parameters have no size yet */
    OK(cuParamSetSize(f, 16));
    OK(cuLaunchGrid(f, 2, 1));
    uint32_t back[16] = {0};
    OK(cuMemcpyDtoH(back, out, 64));
    assert_int_equal(back[7], 42);
    assert_int_equal(back[8], 0);
    OK(cuParamSeti(f, 8, 5)); /* the rest stays */
    OK(cuLaunchGridAsync(f, 3, 1, NULL));
    OK(cuMemcpyDtoH(back, out, 64));
    assert_int_equal(back[11], 7);
    OK(cuParamSeti(f, 8, 6));
    OK(cuLaunch(f));
    OK(cuMemcpyDtoH(back, out, 64));
    assert_int_equal(back[3], 8);
    assert_int_equal(back[4], 7);
    OK(cuParamSetTexRef(f, CU_PARAM_TR_DEFAULT, texture("line")));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuParamSetv(f, 4090, &out, 8));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuParamSetv(f, -1, &out, 8));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuParamSetSize(f, 4097));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuFuncSetBlockShape(f, 0, 1, 1));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuParamSeti((CUfunction)&out, 0, 0));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLaunch((CUfunction)&out));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_module, close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_line), TEST(test_plane), TEST(test_settings), TEST(test_surface_reference), TEST(test_step_by_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
