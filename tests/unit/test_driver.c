/* The CUDA driver API, as a program uses it and as a program misuses it. */
#include "cuda.h"
#include "heddle.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(code, call) assert_int_equal((call), (code))

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static const char kernels_ptx[] =
    HEAD ".visible .global .align 4 .u32 counter = 41;\n"
         ".visible .const .align 4 .b8 table[16] = {1,0,0,0, 2,0,0,0, 3,0,0,0, 4,0,0,0};\n"
         ".extern .shared .align 4 .b8 dynamic[];\n"
         /* y[i] += a * x[i] for i < n */
         ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)\n"
         "{ .reg .pred %p; .reg .f32 %f<4>; .reg .b32 %r<5>; .reg .b64 %d<4>;\n"
         "  ld.param.f32 %f0, [a]; ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; ld.param.u32 %r0, [n];\n"
         "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;\n"
         "  setp.ge.u32 %p, %r4, %r0; @%p bra DONE;\n"
         "  mul.wide.u32 %d2, %r4, 4; add.s64 %d0, %d0, %d2; add.s64 %d1, %d1, %d2;\n"
         "  ld.global.f32 %f1, [%d0]; ld.global.f32 %f2, [%d1]; fma.rn.f32 %f3, %f0, %f1, %f2;\n"
         "  st.global.f32 [%d1], %f3;\nDONE: ret; }\n"
         /* counter += table[1], out = counter */
         ".visible .entry count(.param .u64 out)\n"
         "{ .reg .b32 %r<4>; .reg .b64 %d<2>;\n"
         "  ld.param.u64 %d0, [out]; ld.global.u32 %r0, [counter]; ld.const.u32 %r1, [table+4];\n"
         "  add.u32 %r2, %r0, %r1; st.global.u32 [counter], %r2; st.global.u32 [%d0], %r2; ret; }\n"
         /* reverses a block through shared memory */
         ".visible .entry reverse(.param .u64 data)\n"
         "{ .reg .b32 %r<7>; .reg .b64 %d<3>;\n"
         "  ld.param.u64 %d0, [data]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x;\n"
         "  mul.wide.u32 %d1, %r0, 4; add.s64 %d2, %d0, %d1; ld.global.u32 %r2, [%d2];\n"
         "  mov.u32 %r3, dynamic; shl.b32 %r4, %r0, 2; add.u32 %r4, %r3, %r4; st.shared.u32 [%r4], %r2;\n"
         "  bar.sync 0; sub.u32 %r5, %r1, %r0; sub.u32 %r5, %r5, 1; shl.b32 %r5, %r5, 2; add.u32 %r5, %r3, %r5;\n"
         "  ld.shared.u32 %r6, [%r5]; st.global.u32 [%d2], %r6; ret; }\n"
         /* a structure by value: { u8 c; u32 i; u64 p } */
         ".visible .entry structure(.param .align 8 .b8 s[16])\n"
         "{ .reg .b16 %h; .reg .b32 %r<3>; .reg .b64 %d;\n"
         "  ld.param.u8 %h, [s]; ld.param.u32 %r0, [s+4]; ld.param.u64 %d, [s+8];\n"
         "  cvt.u32.u16 %r1, %h; add.u32 %r2, %r0, %r1; st.global.u32 [%d], %r2; ret; }\n"
         ".visible .entry limited() .maxntid 64, 1, 1 { ret; }\n"
         ".visible .entry tex1(.param .u64 t, .param .u64 out)\n"
         "{ .reg .b32 %r; .reg .f32 %f<4>; .reg .b64 %d<4>;\n"
         "  ld.param.u64 %d0, [t]; ld.param.u64 %d1, [out]; mov.u32 %r, %tid.x;\n"
         "  tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%d0, {%r}];\n"
         "  mul.wide.u32 %d2, %r, 4; add.s64 %d3, %d1, %d2; st.global.f32 [%d3], %f0; ret; }\n"
         ".visible .entry tex2(.param .u64 t, .param .u64 out)\n"
         "{ .reg .b32 %r<6>; .reg .f32 %f<2>; .reg .b64 %d<4>;\n"
         "  ld.param.u64 %d0, [t]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y;\n"
         "  cvt.rn.f32.u32 %f0, %r0; cvt.rn.f32.u32 %f1, %r1;\n"
         "  tex.2d.v4.u32.f32 {%r2,%r3,%r4,%r5}, [%d0, {%f0,%f1}];\n"
         "  mad.lo.u32 %r0, %r1, 4, %r0; mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d1, %d2;\n"
         "  st.global.u32 [%d3], %r2; ret; }\n";

static const char faults_ptx[] =
    HEAD ".visible .entry store(.param .u64 p)\n"
         "{ .reg .b64 %d; ld.param.u64 %d, [p]; st.global.u32 [%d], 7; ret; }\n"
         ".visible .entry trapped() { trap; ret; }\n"
         ".visible .entry endless() { L: bra L; ret; }\n"
         ".visible .entry unsupported() { .reg .b32 %r; this.is.no.instruction %r; ret; }\n";

static const char print_ptx[] =
    HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
         ".global .align 1 .b8 format[13] = {116,104,114,101,97,100,32,37,117,33,10,0,0};\n" /* "thread %u!\n" */
         ".visible .entry hello()\n"
         "{ .local .align 8 .b8 depot[8]; .reg .b32 %r<2>; .reg .b64 %d<3>;\n"
         "  mov.u32 %r0, %tid.x; mov.u64 %d0, depot; st.local.u32 [%d0], %r0; cvta.local.u64 %d1, %d0;\n"
         "  mov.u64 %d2, format; cvta.global.u64 %d2, %d2;\n"
         "  { .param .b64 p0; st.param.b64 [p0], %d2; .param .b64 p1; st.param.b64 [p1], %d1; .param .b32 r0;\n"
         "    call.uni (r0), vprintf, (p0, p1); ld.param.b32 %r1, [r0]; }\n"
         "  ret; }\n";

static const CUmemLocation on_device = {.type = CU_MEM_LOCATION_TYPE_DEVICE};

/* A fresh context with the kernels loaded, for each test. */
struct world {
    CUcontext context;
    CUmodule module;
};

static int open_world(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    *state = w;
    return cuInit(0) || cuCtxCreate(&w->context, NULL, 0, 0) || cuModuleLoadData(&w->module, kernels_ptx);
}

static int close_world(void **state)
{
    struct world *w = *state;
    CUresult result = cuCtxDestroy(w->context);
    free(w);
    return result;
}

static CUfunction kernel(struct world *w, const char *name)
{
    CUfunction f = NULL;
    OK(cuModuleGetFunction(&f, w->module, name));
    return f;
}

/* Runs before anything called cuInit. */
static void test_init(void **state)
{
    (void)state;
    int n;
    CUcontext c;
    FAILS(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&n));
    FAILS(CUDA_ERROR_NOT_INITIALIZED, cuCtxCreate(&c, NULL, 0, 0));
    FAILS(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&(CUdeviceptr){0}, 4));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    setenv("HEDDLE_OPTS", "--exekutor oracle", 1);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuInit(0));
    unsetenv("HEDDLE_OPTS");
    assert_int_equal(heddle_set_options("--limit lots"), -1);
    assert_int_equal(heddle_set_options("--limit 20000 --memory 1G"), 0);
    OK(cuInit(0));
    OK(cuInit(0));
    assert_int_equal(heddle_set_options("--limit 1"), -1);
    size_t bytes;
    OK(cuDeviceTotalMem(&bytes, 0));
    assert_int_equal(bytes, 1 << 30);
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&(CUdeviceptr){0}, 4));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    assert_string_equal(heddle_last_report(), "");
    assert_true(strlen(heddle_version()) > 0);
}

static void test_device(void **state)
{
    (void)state;
    CUdevice device = 7;
    int value = 0;
    char name[4];
    CUuuid uuid;
    OK(cuDeviceGetCount(&value));
    assert_int_equal(value, 1);
    OK(cuDeviceGet(&device, 0));
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGet(NULL, 0));
    OK(cuDeviceGetName(name, sizeof name, device));
    assert_string_equal(name, "hed");
    OK(cuDeviceGetUuid(&uuid, device));
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    assert_int_equal(value, 9);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    assert_int_equal(value, 32);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, device));
    assert_int_equal(value, 1);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, (CUdevice_attribute)0, device));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, (CUdevice_attribute)100000, device));
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 3));
    char id[16];
    OK(cuDeviceGetPCIBusId(id, sizeof id, device));
    OK(cuDeviceGetByPCIBusId(&device, id));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&device, "nonsense"));
}

static void test_error_names(void **state)
{
    (void)state;
    const char *text;
    OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
    OK(cuGetErrorString(CUDA_ERROR_NOT_FOUND, &text));
    assert_true(strlen(text) > 0);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
    assert_null(text);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(CUDA_SUCCESS, NULL));
}

static void test_contexts(void **state)
{
    struct world *w = *state;
    CUcontext a, b, c;
    CUdevice device = 9;
    size_t bytes;
    OK(cuCtxGetCurrent(&c));
    assert_ptr_equal(c, w->context);
    OK(cuCtxCreate(&a, NULL, 0, 0));
    OK(cuCtxGetDevice(&device));
    assert_int_equal(device, 0);
    OK(cuCtxPopCurrent(&b));
    assert_ptr_equal(a, b);
    OK(cuCtxPushCurrent(a));
    OK(cuCtxSetCurrent(w->context));
    OK(cuCtxGetCurrent(&c));
    assert_ptr_equal(c, w->context);
    OK(cuCtxDestroy(a));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(a));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent(a));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent((CUcontext)&device));
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    OK(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
    assert_int_equal(bytes, 4096);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, (size_t)1 << 40));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit((CUlimit)77, 1));
    OK(cuCtxSynchronize());
}

static void test_primary_context(void **state)
{
    (void)state;
    CUcontext a, b;
    unsigned flags;
    int active;
    CUdeviceptr p;
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    OK(cuDevicePrimaryCtxRetain(&a, 0));
    OK(cuDevicePrimaryCtxRetain(&b, 0));
    assert_ptr_equal(a, b);
    OK(cuCtxPushCurrent(a));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(a));
    OK(cuMemAlloc(&p, 64));
    OK(cuDevicePrimaryCtxReset(0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxSynchronize());
    OK(cuDevicePrimaryCtxRelease(0));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
    OK(cuCtxPopCurrent(NULL));
}

static void test_module_errors(void **state)
{
    struct world *w = *state;
    CUmodule m = NULL;
    CUfunction f;
    char error[512] = "", info[16] = "?";
    CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                            CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {error, (void *)(uintptr_t)sizeof error, info, (void *)(uintptr_t)sizeof info, (void *)4};
    FAILS(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&m, HEAD ".visible .entry k( { ret; }", 5, names, values));
    assert_non_null(strstr(error, "error:"));
    assert_int_equal((size_t)(uintptr_t)values[1], strlen(error));
    values[1] = (void *)(uintptr_t)8; /* a short buffer is filled and ended, not overrun */
    memset(error, 'x', sizeof error);
    FAILS(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&m, "garbage", 5, names, values));
    assert_int_equal(strlen(error), 7);
    assert_int_equal(error[8], 'x');
    FAILS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadDataEx(&m, "\177ELF....", 2, names, values));
    FAILS(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&m, "/no/such/file.ptx"));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&m, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(&m, kernels_ptx, 1, NULL, NULL));
    FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, w->module, "nobody"));
    FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(NULL, NULL, w->module, "nothing"));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&f, (CUmodule)&m, "saxpy"));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload((CUmodule)&m));
    OK(cuModuleLoadData(&m, kernels_ptx));
    OK(cuModuleGetFunction(&f, m, "saxpy"));
    OK(cuModuleUnload(m));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(m));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
}

static void test_functions(void **state)
{
    struct world *w = *state;
    CUfunction f = kernel(w, "saxpy"), again = kernel(w, "saxpy");
    assert_ptr_equal(f, again);
    int value;
    size_t offset, bytes;
    const char *name;
    unsigned count;
    CUmodule m;
    OK(cuModuleGetFunctionCount(&count, w->module));
    assert_int_equal(count, 7);
    OK(cuFuncGetName(&name, f));
    assert_string_equal(name, "saxpy");
    OK(cuFuncGetModule(&m, f));
    assert_ptr_equal(m, w->module);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    assert_in_range(value, 4, 64);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel(w, "limited")));
    assert_int_equal(value, 64);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
    assert_int_equal(value, 75);
    OK(cuFuncGetParamInfo(f, 1, &offset, &bytes));
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 8);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(f, 4, &offset, &bytes));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 16));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)w));
}

static void test_globals(void **state)
{
    struct world *w = *state;
    CUdeviceptr counter, table, out;
    size_t bytes;
    uint32_t value, entry = 100;
    OK(cuModuleGetGlobal(&counter, &bytes, w->module, "counter"));
    assert_int_equal(bytes, 4);
    OK(cuMemcpyDtoH(&value, counter, 4));
    assert_int_equal(value, 41);
    OK(cuModuleGetGlobal(&table, &bytes, w->module, "table"));
    assert_int_equal(bytes, 16);
    OK(cuMemcpyHtoD(table + 4, &entry, 4));
    OK(cuMemAlloc(&out, 4));
    OK(cuLaunchKernel(kernel(w, "count"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&out}, NULL));
    OK(cuMemcpyDtoH(&value, out, 4));
    assert_int_equal(value, 141);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&value, counter + 1, 4));
    OK(cuMemFree(out));
}

enum { N = 1000 };

static void check_saxpy(struct world *w, CUdeviceptr x, CUdeviceptr y, bool packed)
{
    float host[N], a = 2;
    unsigned n = N;
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    OK(cuMemcpyHtoD(x, host, sizeof host));
    OK(cuMemsetD32(y, 0x3f800000, N));
    struct {
        float a;
        CUdeviceptr x, y;
        unsigned n;
    } block = {a, x, y, n};
    size_t size = sizeof block;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    void *parameters[] = {&a, &x, &y, &n};
    OK(cuLaunchKernel(kernel(w, "saxpy"), 4, 1, 1, 256, 1, 1, 0, NULL, packed ? NULL : parameters,
                      packed ? extra : NULL));
    OK(cuMemcpyDtoH(host, y, sizeof host));
    for (int i = 0; i < N; i++)
        assert_true(host[i] == 2 * (float)i + 1);
}

static void test_launch(void **state)
{
    struct world *w = *state;
    CUdeviceptr x, y;
    OK(cuMemAlloc(&x, N * 4));
    OK(cuMemAlloc(&y, N * 4));
    check_saxpy(w, x, y, false);
    check_saxpy(w, x, y, true);
    struct {
        uint8_t c;
        uint32_t i;
        uint64_t p;
    } structure = {5, 1000, x};
    uint32_t value;
    OK(cuLaunchKernel(kernel(w, "structure"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&structure}, NULL));
    OK(cuMemcpyDtoH(&value, x, 4));
    assert_int_equal(value, 1005);
    CUlaunchAttribute attributes[2] = {{.id = CU_LAUNCH_ATTRIBUTE_PRIORITY}, {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE}};
    attributes[1].value.cooperative = 1;
    CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, NULL, attributes, 2};
    structure.i = 7;
    OK(cuLaunchKernelEx(&config, kernel(w, "structure"), (void *[]){&structure}, NULL));
    OK(cuMemcpyDtoH(&value, x, 4));
    assert_int_equal(value, 12);
    OK(cuMemFree(x));
    OK(cuMemFree(y));
}

static void test_launch_refused(void **state)
{
    struct world *w = *state;
    CUfunction f = kernel(w, "limited"), saxpy = kernel(w, "saxpy");
    CUstream wrong = (CUstream)w;
    size_t short_size = 4;
    float a = 0;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &a, CU_LAUNCH_PARAM_BUFFER_SIZE, &short_size, CU_LAUNCH_PARAM_END};
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 70000, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 65, 1, 1, 0, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 49153, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, wrong, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel((CUfunction)w, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(saxpy, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(saxpy, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[4]){NULL}, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(saxpy, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    OK(cuLaunchCooperativeKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, NULL));
    OK(cuCtxSynchronize());
}

static void test_dynamic_shared(void **state)
{
    struct world *w = *state;
    CUdeviceptr data;
    uint32_t host[256];
    CUfunction f = kernel(w, "reverse");
    for (uint32_t i = 0; i < 256; i++)
        host[i] = i;
    OK(cuMemAlloc(&data, sizeof host));
    OK(cuMemcpyHtoD(data, host, sizeof host));
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    OK(cuLaunchKernel(f, 1, 1, 1, 256, 1, 1, 100000, NULL, (void *[]){&data}, NULL));
    OK(cuMemcpyDtoH(host, data, sizeof host));
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(host[i], 255 - i);
    OK(cuMemFree(data));
}

static void test_allocation(void **state)
{
    (void)state;
    CUdeviceptr p, base;
    size_t before, after, total, pitch, bytes;
    OK(cuMemGetInfo(&before, &total));
    OK(cuMemAlloc(&p, 1000));
    OK(cuMemGetInfo(&after, &total));
    assert_int_equal(before - after, 1000);
    OK(cuMemGetAddressRange(&base, &bytes, p + 999));
    assert_int_equal(base, p);
    assert_int_equal(bytes, 1000);
    FAILS(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &bytes, p + 1000));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p + 4));
    OK(cuMemFree(p));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
    OK(cuMemFree(0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(NULL, 4));
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, (size_t)2 << 30));
    OK(cuMemAllocPitch(&p, &pitch, 100, 3, 4));
    assert_int_equal(pitch % 512, 0);
    OK(cuMemFree(p));
    FAILS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocPitch(&p, &pitch, SIZE_MAX / 4, 8, 4));
    OK(cuMemAllocAsync(&p, 64, NULL));
    OK(cuMemFreeAsync(p, NULL));
}

static void test_host_memory(void **state)
{
    struct world *w = *state;
    float *host;
    void *other = malloc(N * 4);
    CUdeviceptr x, y, managed;
    unsigned flags, type;
    OK(cuMemHostAlloc((void **)&host, N * 4, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetDevicePointer(&x, host, 0));
    OK(cuMemHostGetFlags(&flags, host));
    assert_int_equal(flags, CU_MEMHOSTALLOC_DEVICEMAP);
    OK(cuMemHostRegister(other, N * 4, 0));
    OK(cuMemHostGetFlags(&flags, other));
    assert_int_equal(flags, 0);
    FAILS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(other, 8, 0));
    OK(cuMemHostGetDevicePointer(&y, other, 0));
    check_saxpy(w, x, y, false);
    assert_true(((float *)other)[10] == 21);
    OK(cuMemAllocManaged(&managed, N * 4, CU_MEM_ATTACH_GLOBAL));
    check_saxpy(w, x, managed, false);
    assert_true(((float *)(uintptr_t)managed)[N - 1] == 2 * (N - 1) + 1);
    OK(cuMemAdvise(managed, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, on_device));
    OK(cuMemPrefetchAsync(managed, 64, on_device, 0, NULL));
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed + 8));
    assert_int_equal(type, 1);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, x));
    assert_int_equal(type, CU_MEMORYTYPE_HOST);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0x1234));
    CUpointer_attribute unknown = (CUpointer_attribute)999;
    void *where = &type;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttributes(1, &unknown, &where, x));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(other));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(x));
    FAILS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(host));
    OK(cuMemHostUnregister(other));
    OK(cuMemFreeHost(host));
    OK(cuMemFree(managed));
    free(other);
}

static void test_copies(void **state)
{
    (void)state;
    CUdeviceptr a, b;
    uint8_t host[64], back[64];
    for (int i = 0; i < 64; i++)
        host[i] = (uint8_t)i;
    OK(cuMemAlloc(&a, 64));
    OK(cuMemAlloc(&b, 64));
    OK(cuMemcpyHtoD(a, host, 64));
    OK(cuMemcpyDtoD(b, a, 64));
    OK(cuMemcpyDtoHAsync(back, b, 64, CU_STREAM_PER_THREAD));
    assert_memory_equal(back, host, 64);
    memset(back, 0, sizeof back);
    OK(cuMemcpy((CUdeviceptr)(uintptr_t)back, a + 8, 8));
    assert_memory_equal(back, host + 8, 8);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(a + 1, host, 64));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(0, host, 64));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(a, NULL, 64));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(back, a + 1000, 4));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(a, (CUdeviceptr)(uintptr_t)host, 4));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyDtoHAsync(back, b, 64, (CUstream)&a));
    OK(cuMemcpyDtoH(NULL, a, 0));
    OK(cuMemsetD16(a, 0x1234, 4));
    OK(cuMemsetD8(a + 8, 0xff, 2));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(a + 2, 1, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(a, 1, 17));
    OK(cuMemsetD2D32(b, 16, 0x01020304, 2, 4));
    OK(cuMemcpyDtoH(back, a, 64));
    assert_memory_equal(back, "\x34\x12\x34\x12\x34\x12\x34\x12\xff\xff\x0a", 11);
    OK(cuMemcpyDtoH(back, b, 64));
    assert_memory_equal(back + 48, "\4\3\2\1\4\3\2\1\x38\x39", 10);
    OK(cuMemFree(a));
    OK(cuMemFree(b));
}

static void test_copies_2d_3d(void **state)
{
    (void)state;
    CUdeviceptr p, q;
    size_t pitch;
    uint8_t host[4][10], back[4][10] = {{0}};
    for (int i = 0; i < 40; i++)
        host[i / 10][i % 10] = (uint8_t)i;
    OK(cuMemAllocPitch(&p, &pitch, 10, 4, 4));
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = 10,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = p,
                        .dstPitch = pitch,
                        .WidthInBytes = 10,
                        .Height = 4};
    CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = p,
                         .srcPitch = pitch,
                         .srcXInBytes = 2,
                         .srcY = 1,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = back,
                         .dstPitch = 10,
                         .WidthInBytes = 5,
                         .Height = 2};
    OK(cuMemcpy2D(&in));
    OK(cuMemcpy2DAsync(&out, NULL));
    assert_memory_equal(back[0], host[1] + 2, 5);
    assert_memory_equal(back[1], host[2] + 2, 5);
    assert_int_equal(back[0][5], 0);
    in.Height = 5;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&in));
    in.Height = 4;
    in.srcPitch = 9;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&in));
    in.srcPitch = 10;
    in.dstMemoryType = (CUmemorytype)9;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&in));

    /* a 2 x 2 x 2 corner out of a packed 4 x 3 x 2 box */
    uint8_t box[2][3][4], corner[8];
    for (int i = 0; i < 24; i++)
        ((uint8_t *)box)[i] = (uint8_t)i;
    OK(cuMemAlloc(&q, sizeof box));
    OK(cuMemcpyHtoD(q, box, sizeof box));
    CUDA_MEMCPY3D cut = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = q,
                         .srcPitch = 4,
                         .srcHeight = 3,
                         .srcXInBytes = 1,
                         .srcY = 1,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = corner,
                         .dstPitch = 2,
                         .dstHeight = 2,
                         .WidthInBytes = 2,
                         .Height = 2,
                         .Depth = 2};
    OK(cuMemcpy3D(&cut));
    assert_memory_equal(corner, "\x05\x06\x09\x0a\x11\x12\x15\x16", 8);
    cut.Depth = SIZE_MAX;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&cut));
    OK(cuMemFree(p));
    OK(cuMemFree(q));
}

static CUresult launch_fault(const char *name, CUdeviceptr p, bool with_parameter)
{
    CUmodule m;
    CUfunction f;
    CUcontext c;
    OK(cuCtxCreate(&c, NULL, 0, 0));
    OK(cuModuleLoadData(&m, faults_ptx));
    OK(cuModuleGetFunction(&f, m, name));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, with_parameter ? (void *[]){&p} : NULL, NULL));
    CUresult result = cuCtxSynchronize();
    FAILS(result, cuMemAlloc(&p, 4)); /* it stays with the context ... */
    FAILS(result, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    assert_non_null(strstr(heddle_last_report(), name));
    OK(cuCtxDestroy(c));
    OK(cuMemAlloc(&p, 4)); /* ... and goes with it */
    OK(cuMemFree(p));
    return result;
}

static void test_faults(void **state)
{
    (void)state;
    CUdeviceptr p;
    OK(cuMemAlloc(&p, 4));
    FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, launch_fault("store", 0, true));
    FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, launch_fault("store", p + 4, true));
    assert_non_null(strstr(heddle_last_report(), "past the end of cuMemAlloc's memory (4 bytes at 0x"));
    FAILS(CUDA_ERROR_MISALIGNED_ADDRESS, launch_fault("store", p + 2, true));
    FAILS(CUDA_ERROR_LAUNCH_TIMEOUT, launch_fault("endless", 0, false));
    FAILS(CUDA_ERROR_LAUNCH_FAILED, launch_fault("trapped", 0, false));
    OK(cuMemFree(p));
}

static void test_unsupported(void **state)
{
    (void)state;
    CUmodule m;
    CUfunction f;
    OK(cuModuleLoadData(&m, faults_ptx));
    OK(cuModuleGetFunction(&f, m, "unsupported"));
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuCtxSynchronize());
}

/* What stdout receives while it is turned into a file. */
static char *capture(CUresult (*call)(void))
{
    static char text[4096];
    fflush(stdout);
    int saved = dup(1);
    FILE *file = tmpfile();
    dup2(fileno(file), 1);
    CUresult result = call();
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    OK(result);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static CUfunction hello;

static CUresult launch_hello(void)
{
    return cuLaunchKernel(hello, 1, 1, 1, 2, 1, 1, 0, NULL, NULL, NULL);
}

static void test_printf(void **state)
{
    (void)state;
    CUmodule m;
    OK(cuModuleLoadData(&m, print_ptx));
    OK(cuModuleGetFunction(&hello, m, "hello"));
    assert_string_equal(capture(launch_hello), "");
    assert_string_equal(capture(cuCtxSynchronize), "thread 0!\nthread 1!\n");
    OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 4)); /* a full buffer is written out, not overwritten */
    assert_string_equal(capture(launch_hello), "thread 0!\nthread 1!\n");
}

static void note_call(void *data)
{
    ++*(int *)data;
}

static void note_callback(CUstream stream, CUresult status, void *data)
{
    (void)stream;
    *(int *)data += status == CUDA_SUCCESS ? 10 : 1000;
}

static void test_streams_and_events(void **state)
{
    (void)state;
    CUstream s;
    CUevent a, b, untimed;
    int calls = 0, priority;
    float milliseconds = -1;
    OK(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -100));
    OK(cuStreamGetPriority(s, &priority));
    assert_int_equal(priority, -5);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&s, 99));
    OK(cuEventCreate(&a, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&b, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, a, b));
    OK(cuEventRecord(a, s));
    OK(cuLaunchHostFunc(s, note_call, &calls));
    OK(cuStreamAddCallback(s, note_callback, &calls, 0));
    assert_int_equal(calls, 11);
    OK(cuStreamWaitEvent(NULL, a, 0));
    OK(cuEventRecord(b, s));
    OK(cuEventRecord(untimed, s));
    OK(cuEventSynchronize(b));
    OK(cuEventQuery(b));
    OK(cuEventElapsedTime(&milliseconds, a, b));
    assert_true(milliseconds >= 0);
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, a, untimed));
    OK(cuStreamQuery(s));
    OK(cuStreamSynchronize(s));
    OK(cuStreamDestroy(s));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(s));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(s));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(NULL));
    OK(cuEventDestroy(a));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(a, NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy((CUevent)&calls));
}

static size_t all_shared(int threads)
{
    return (size_t)threads * 64;
}

static void test_occupancy(void **state)
{
    struct world *w = *state;
    CUfunction f = kernel(w, "limited"), reverse = kernel(w, "reverse");
    int blocks, threads, grid;
    size_t bytes;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 64, 0));
    assert_int_equal(blocks, 32);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 65, 0));
    assert_int_equal(blocks, 0);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 1024, 0));
    assert_int_equal(blocks, 2);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 128, 40000)); /* 228 KiB / (40000 + 1024) */
    assert_int_equal(blocks, 5);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, reverse, 5, 128));
    assert_int_equal(bytes, 228 * 1024 / 5 / 128 * 128 - 1024);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &threads, reverse, NULL, 0, 0));
    assert_int_equal(threads, 1024);
    assert_int_equal(grid, 2 * 132);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &threads, reverse, all_shared, 0, 0));
    assert_int_equal(threads, 512); /* 4 x 512 fill the multiprocessor; more threads leave some empty */
    FAILS(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 0, 0));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (CUfunction)w, 32, 0));
}

static void test_linear_texture(void **state)
{
    struct world *w = *state;
    CUdeviceptr data, out;
    CUtexObject t;
    float host[32], back[32];
    for (int i = 0; i < 32; i++)
        host[i] = (float)i * 0.5f;
    OK(cuMemAlloc(&data, sizeof host));
    OK(cuMemAlloc(&out, sizeof host));
    OK(cuMemcpyHtoD(data, host, sizeof host));
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR};
    r.res.linear.devPtr = data;
    r.res.linear.format = CU_AD_FORMAT_FLOAT;
    r.res.linear.numChannels = 1;
    r.res.linear.sizeInBytes = sizeof host;
    CUDA_TEXTURE_DESC s = {.filterMode = CU_TR_FILTER_MODE_POINT}, read;
    OK(cuTexObjectCreate(&t, &r, &s, NULL));
    OK(cuTexObjectGetTextureDesc(&read, t));
    OK(cuLaunchKernel(kernel(w, "tex1"), 1, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&t, &out}, NULL));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    assert_memory_equal(back, host, sizeof back);
    OK(cuTexObjectDestroy(t));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuTexObjectDestroy(t));
    r.res.linear.sizeInBytes = sizeof host + 4;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&t, &r, &s, NULL));
    r.res.linear.sizeInBytes = sizeof host;
    s.filterMode = (CUfilter_mode)2;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&t, &r, &s, NULL));
    OK(cuMemFree(data));
    OK(cuMemFree(out));
}

static void check_tex2(struct world *w, const CUDA_RESOURCE_DESC *r, const uint32_t *expected)
{
    CUtexObject t;
    CUdeviceptr out;
    uint32_t back[16];
    CUDA_TEXTURE_DESC s = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
                           .flags = CU_TRSF_READ_AS_INTEGER};
    OK(cuMemAlloc(&out, sizeof back));
    OK(cuTexObjectCreate(&t, r, &s, NULL));
    OK(cuLaunchKernel(kernel(w, "tex2"), 1, 1, 1, 4, 4, 1, 0, NULL, (void *[]){&t, &out}, NULL));
    OK(cuMemcpyDtoH(back, out, sizeof back));
    assert_memory_equal(back, expected, sizeof back);
    OK(cuTexObjectDestroy(t));
    OK(cuMemFree(out));
}

static void test_2d_texture_and_array(void **state)
{
    struct world *w = *state;
    uint32_t host[16], back[16];
    CUdeviceptr p;
    size_t pitch;
    CUarray array;
    for (uint32_t i = 0; i < 16; i++)
        host[i] = 1000 + i;
    OK(cuMemAllocPitch(&p, &pitch, 16, 4, 4));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = host,
                          .srcPitch = 16,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = p,
                          .dstPitch = pitch,
                          .WidthInBytes = 16,
                          .Height = 4};
    OK(cuMemcpy2D(&copy));
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT32;
    r.res.pitch2D.numChannels = 1;
    r.res.pitch2D.width = r.res.pitch2D.height = 4;
    r.res.pitch2D.pitchInBytes = pitch;
    check_tex2(w, &r, host);

    CUDA_ARRAY_DESCRIPTOR d = {.Width = 4, .Height = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    OK(cuArrayCreate(&array, &d));
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    OK(cuMemcpy2D(&copy));
    CUDA_RESOURCE_DESC of_array = {.resType = CU_RESOURCE_TYPE_ARRAY};
    of_array.res.array.hArray = array;
    check_tex2(w, &of_array, host);
    copy.dstY = 1;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&copy));
    OK(cuMemcpyAtoH(back, array, 4, 12));
    assert_memory_equal(back, host + 1, 12);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH(back, array, 4, 16));
    OK(cuArrayDestroy(array));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(array));
    d.NumChannels = 3;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&array, &d));
    OK(cuMemFree(p));
}

static void test_library(void **state)
{
    (void)state;
    CUlibrary l, owner;
    CUkernel k;
    CUfunction f;
    CUmodule m;
    CUdeviceptr p;
    size_t bytes;
    unsigned count;
    OK(cuLibraryLoadData(&l, kernels_ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernelCount(&count, l));
    assert_int_equal(count, 7);
    OK(cuLibraryGetKernel(&k, l, "limited"));
    OK(cuKernelGetLibrary(&owner, k));
    assert_ptr_equal(owner, l);
    OK(cuKernelGetFunction(&f, k));
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    OK(cuLibraryGetModule(&m, l));
    FAILS(CUDA_ERROR_NOT_PERMITTED, cuModuleUnload(m));
    OK(cuLibraryGetGlobal(&p, &bytes, l, "counter"));
    OK(cuLibraryUnload(l));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(l));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuKernelGetFunction(&f, k));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&count, p, 4));
}

static void test_proc_address(void **state)
{
    (void)state;
    void *p = NULL;
    CUdriverProcAddressQueryResult found;
    OK(cuGetProcAddress("cuMemAlloc", &p, CUDA_VERSION, 0, NULL));
    assert_ptr_equal(p, (void *)cuMemAlloc);
    OK(cuGetProcAddress("cuCtxCreate", &p, CUDA_VERSION, 0, NULL));
    assert_ptr_equal(p, (void *)cuCtxCreate);
    OK(cuGetProcAddress("cuCtxCreate", &p, 11000, 0, NULL));
    CUcontext c;
    OK(((CUresult(*)(CUcontext *, unsigned, CUdevice))p)(&c, 0, 0)); /* the form of three arguments */
    OK(cuCtxDestroy(c));
    OK(cuGetProcAddress("cuLaunchKernelEx", &p, 11000, 0, &found));
    assert_int_equal(found, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    OK(cuGetProcAddress("cuNothing", &p, CUDA_VERSION, 0, &found));
    assert_int_equal(found, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    assert_null(p);
    FAILS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuNothing", &p, CUDA_VERSION, 0, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress(NULL, &p, CUDA_VERSION, 0, NULL));
}

/* Each host thread has its own current context; all share the driver. */
static void *work_alone(void *data)
{
    struct world w;
    CUdeviceptr out;
    uint32_t value = 0;
    CUcontext none;
    bool ok = !cuCtxGetCurrent(&none) && !none && !cuCtxCreate(&w.context, NULL, 0, 0) &&
              !cuModuleLoadData(&w.module, kernels_ptx) && !cuMemAlloc(&out, 4);
    CUfunction f;
    ok = ok && !cuModuleGetFunction(&f, w.module, "count");
    for (int i = 0; i < 50 && ok; i++)
        ok = !cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&out}, NULL);
    ok = ok && !cuMemcpyDtoH(&value, out, 4) && value == 41 + 50 * 2 && !cuCtxDestroy(w.context);
    *(bool *)data = ok;
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    bool ok[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work_alone, &ok[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_true(ok[i]);
    }
}

int main(void)
{
#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_init),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_error_names),
        IN_WORLD(test_contexts),
        cmocka_unit_test(test_primary_context),
        IN_WORLD(test_module_errors),
        IN_WORLD(test_functions),
        IN_WORLD(test_globals),
        IN_WORLD(test_launch),
        IN_WORLD(test_launch_refused),
        IN_WORLD(test_dynamic_shared),
        IN_WORLD(test_allocation),
        IN_WORLD(test_host_memory),
        IN_WORLD(test_copies),
        IN_WORLD(test_copies_2d_3d),
        IN_WORLD(test_faults),
        IN_WORLD(test_unsupported),
        IN_WORLD(test_printf),
        IN_WORLD(test_streams_and_events),
        IN_WORLD(test_occupancy),
        IN_WORLD(test_linear_texture),
        IN_WORLD(test_2d_texture_and_array),
        IN_WORLD(test_library),
        IN_WORLD(test_proc_address),
        IN_WORLD(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
