/* The driver API's launches beside the plain ones: cooperative grids, clusters, events of launches, limits of the heap,
 * assertions, and kernels that launch kernels. */
#include "cuda.h"
#include "heddle.h"

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(code, call) assert_int_equal((call), (code))

static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
    ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n"
    ".extern .func (.param .b64 r) cudaGetParameterBufferV2 (.param .b64 f);\n"
    ".extern .func (.param .b64 r) __cuda_syscall_CGS_get_intrinsic_handle (.param .b32 scope);\n"
    ".visible .entry of_several_grids()\n"
    "{ .param .b32 s; .param .b64 r; st.param.b32 [s], 2;\n"
    "  call.uni (r), __cuda_syscall_CGS_get_intrinsic_handle, (s); ret; }\n"
    ".global .align 1 .b8 message[6] = {120, 32, 60, 32, 51, 0};\n"
    /* Every block adds 1 to out[0]; behind the grid's barrier every block stores what it reads there in out[1 + b]. */
    ".visible .entry grid(.param .u64 out)\n"
    "{ .reg .pred %p<3>; .reg .b32 %r<10>; .reg .b64 %d<6>;\n"
    "  ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "  mov.u32 %r2, %envreg2; mov.u32 %r3, %envreg1; cvt.u64.u32 %d1, %r2; cvt.u64.u32 %d2, %r3;\n"
    "  bfi.b64 %d1, %d2, %d1, 32, 32; setp.ne.u64 %p0, %d1, 0; @%p0 bra VALID; trap;\n"
    "VALID: setp.ne.u32 %p1, %r0, 0; @!%p1 red.global.add.u32 [%d0], 1; barrier.sync 0; @%p1 bra DONE;\n"
    "  mov.u32 %r4, %nctaid.x; sub.u32 %r4, -2147483647, %r4; setp.eq.u32 %p2, %r1, 0; selp.u32 %r4, %r4, 1, %p2;\n"
    "  atom.add.release.gpu.u32 %r5, [%d1+4], %r4;\n"
    "SPIN: ld.acquire.gpu.u32 %r6, [%d1+4]; xor.b32 %r6, %r6, %r5; setp.gt.s32 %p2, %r6, -1; @%p2 bra SPIN;\n"
    "DONE: barrier.sync 0; ld.global.u32 %r7, [%d0]; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d3, %d0;\n"
    "  st.global.u32 [%d3+4], %r7; ret; }\n"
    ".visible .entry rank(.param .u64 out)\n"
    "{ .reg .b32 %r<3>; .reg .b64 %d<2>;\n"
    "  ld.param.u64 %d0, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %cluster_ctarank; mul.wide.u32 %d1, %r0, 4;\n"
    "  add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r1; ret; }\n"
    ".visible .entry pairs() .reqnctapercluster 2, 1, 1 { ret; }\n"
    ".visible .entry together(.param .u64 out)\n"
    "{ .reg .b32 %r<4>; .reg .b64 %d<2>; .shared .b32 own;\n  ld.param.u64 %d0, [out]; mov.u32 %r0, %ctaid.x;\n"
    "  st.shared.u32 [own], %r0; barrier.cluster.arrive; barrier.cluster.wait;\n"
    "  mov.u32 %r1, own; mov.u32 %r2, %cluster_ctarank; xor.b32 %r2, %r2, 3; mapa.shared::cluster.u32 %r1, %r1, %r2;\n"
    "  ld.shared::cluster.u32 %r3, [%r1]; mul.wide.u32 %d1, %r0, 4; add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r3;\n"
    "  barrier.cluster.arrive; barrier.cluster.wait; ret; }\n"
    ".visible .entry multicast(.param .u64 out)\n"
    "{ .reg .b64 %d0; ld.param.u64 %d0, [out]; multimem.red.global.add.u32 [%d0], 1; ret; }\n"
    ".visible .entry heap(.param .u64 out)\n"
    "{ .reg .b64 %d<2>;\n  ld.param.u64 %d0, [out];\n"
    "  { .param .b64 n; st.param.b64 [n], 1048576; .param .b64 r; call.uni (r), malloc, (n); ld.param.b64 %d1, [r]; }\n"
    "  st.global.u64 [%d0], %d1; ret; }\n"
    /* Word 2 becomes the sum of words 0 and 1, word 5 that of words 3 and 4. */
    ".visible .entry sums(.param .u64 out)\n"
    "{ .reg .f32 %f<4>; .reg .b64 %d0;\n  ld.param.u64 %d0, [out];\n"
    "  ld.global.f32 %f0, [%d0]; ld.global.f32 %f1, [%d0+4]; add.f32 %f2, %f0, %f1; st.global.f32 [%d0+8], %f2;\n"
    "  ld.global.f32 %f0, [%d0+12]; ld.global.f32 %f1, [%d0+16]; add.f32 %f2, %f0, %f1;\n"
    "  st.global.f32 [%d0+20], %f2; ret; }\n"
    ".visible .entry fails()\n"
    "{ .reg .b64 %d;\n  cvta.global.u64 %d, message;\n"
    "  { .param .b64 m; st.param.b64 [m], %d; .param .b64 f; st.param.b64 [f], %d; .param .b32 l;\n"
    "    st.param.b32 [l], 3; .param .b64 n; st.param.b64 [n], %d; .param .b64 s; st.param.b64 [s], 1;\n"
    "    call.uni __assertfail, (m, f, l, n, s); }\n  ret; }\n"
    ".visible .entry parent()\n"
    "{ .reg .b64 %d;\n  mov.u64 %d, 0;\n  { .param .b64 f; st.param.b64 [f], %d; .param .b64 r;\n"
    "    call.uni (r), cudaGetParameterBufferV2, (f); }\n  ret; }\n";

static CUcontext context;
static CUmodule module;
static CUdeviceptr buffer;

static CUfunction kernel(const char *name)
{
    CUfunction f;
    OK(cuModuleGetFunction(&f, module, name));
    return f;
}

static int set_up(void **state)
{
    (void)state;
    OK(cuInit(0));
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuMemAlloc(&buffer, 1 << 16));
    OK(cuMemsetD8(buffer, 0, 1 << 16));
    return 0;
}

static int take_down(void **state)
{
    (void)state;
    OK(cuCtxDestroy(context));
    return 0;
}

static uint32_t word(unsigned i)
{
    uint32_t value;
    OK(cuMemcpyDtoH(&value, buffer + 4u * i, 4));
    return value;
}

/* What stderr gets meanwhile. */
static int saved_stderr;
static FILE *caught;

static void catch_begin(void)
{
    fflush(stderr);
    saved_stderr = dup(2);
    caught = tmpfile();
    dup2(fileno(caught), 2);
}

static void catch_end(char *text, size_t size)
{
    fflush(stderr);
    dup2(saved_stderr, 2);
    close(saved_stderr);
    rewind(caught);
    text[fread(text, 1, size - 1, caught)] = '\0';
    fclose(caught);
}

static void a_cooperative_grid_meets(void **state)
{
    (void)state;
    OK(cuLaunchCooperativeKernel(kernel("grid"), 300, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&buffer}));
    OK(cuCtxSynchronize());
    for (unsigned i = 0; i < 300; i++)
        assert_int_equal(word(1 + i), 300);
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CUlaunchConfig config = {20, 1, 1, 32, 1, 1, 0, NULL, &a, 1};
    OK(cuMemsetD8(buffer, 0, 1 << 16));
    OK(cuLaunchKernelEx(&config, kernel("grid"), (void *[]){&buffer}, NULL));
    OK(cuCtxSynchronize());
    assert_int_equal(word(20), 20);
    a.value.cooperative = 0; /* a plain launch: grid.sync() traps */
    OK(cuLaunchKernelEx(&config, kernel("grid"), (void *[]){&buffer}, NULL));
    FAILS(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
}

static void a_grid_that_does_not_fit_is_too_large(void **state)
{
    int blocks, sms;
    (void)state;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("grid"), 1024, 0));
    OK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    unsigned most = (unsigned)(blocks * sms);
    OK(cuLaunchCooperativeKernel(kernel("grid"), most, 1, 1, 1024, 1, 1, 0, NULL, (void *[]){&buffer}));
    FAILS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
          cuLaunchCooperativeKernel(kernel("grid"), most + 1, 1, 1, 1024, 1, 1, 0, NULL, (void *[]){&buffer}));
    OK(cuCtxSynchronize());
    assert_int_equal(word(most), most);
}

static void clusters_divide_the_grid(void **state)
{
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {4, 1, 1}};
    CUlaunchConfig config = {8, 1, 1, 32, 1, 1, 0, NULL, &a, 1};
    (void)state;
    OK(cuLaunchKernelEx(&config, kernel("rank"), (void *[]){&buffer}, NULL));
    assert_int_equal(word(6), 2);
    config.gridDimX = 6;
    FAILS(CUDA_ERROR_INVALID_CLUSTER_SIZE, cuLaunchKernelEx(&config, kernel("rank"), (void *[]){&buffer}, NULL));
    a.value.clusterDim.x = 32;
    config.gridDimX = 32;
    FAILS(CUDA_ERROR_INVALID_CLUSTER_SIZE, cuLaunchKernelEx(&config, kernel("rank"), (void *[]){&buffer}, NULL));
    a.value.clusterDim.x = 0;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, kernel("rank"), (void *[]){&buffer}, NULL));
    OK(cuLaunchKernel(kernel("pairs"), 4, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_CLUSTER_SIZE, cuLaunchKernel(kernel("pairs"), 3, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
}

static void blocks_of_a_cluster_share_memory(void **state)
{
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {4, 1, 1}};
    CUlaunchConfig config = {8, 1, 1, 1, 1, 1, 0, NULL, &a, 1};
    (void)state;
    OK(cuLaunchKernelEx(&config, kernel("together"), (void *[]){&buffer}, NULL));
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(word(i), i ^ 3);
}

static void instructions_of_several_gpus_are_refused_by_name(void **state)
{
    char text[1024];
    (void)state;
    catch_begin();
    CUresult result = cuLaunchKernel(kernel("multicast"), 1, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&buffer}, NULL);
    catch_end(text, sizeof text);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, result);
    assert_non_null(strstr(text, "multicast"));
    assert_non_null(strstr(text, "multimem.red"));
}

static void events_of_a_launch_have_happened(void **state)
{
    CUevent done, started;
    float ms;
    (void)state;
    OK(cuEventCreate(&started, 0));
    OK(cuEventCreate(&done, 0));
    CUlaunchAttribute a[2] = {
        {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, .value.programmaticEvent = {started, 0, 1}},
        {.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, .value.launchCompletionEvent = {done, 0}}};
    CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, NULL, a, 2};
    OK(cuLaunchKernelEx(&config, kernel("rank"), (void *[]){&buffer}, NULL));
    OK(cuEventQuery(done));
    OK(cuEventElapsedTime(&ms, started, done));
    a[1].value.launchCompletionEvent.event = (CUevent)a;
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernelEx(&config, kernel("rank"), (void *[]){&buffer}, NULL));
    a[1].id = (CUlaunchAttributeID)99;
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, kernel("rank"), (void *[]){&buffer}, NULL));
}

static void the_heap_has_the_size_that_was_set(void **state)
{
    (void)state;
    OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 4 << 20));
    OK(cuLaunchKernel(kernel("heap"), 4, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&buffer}, NULL));
    assert_int_not_equal(word(1) | word(0), 0);
    OK(cuLaunchKernel(kernel("heap"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&buffer}, NULL));
    assert_int_equal(word(1) | word(0), 0); /* four MiB are taken */
}

static void every_failed_assertion_is_printed(void **state)
{
    char text[8192];
    int lines = 0;
    (void)state;
    catch_begin();
    CUresult launched = cuLaunchKernel(kernel("fails"), 2, 1, 1, 8, 1, 1, 0, NULL, NULL, NULL);
    catch_end(text, sizeof text);
    OK(launched);
    for (const char *at = text; (at = strstr(at, " Assertion `x < 3` failed.\n")); at++)
        lines++;
    assert_int_equal(lines, 16);
    assert_non_null(strstr(text, "x < 3:3: x < 3: block: [1,0,0], thread: [7,0,0] Assertion `x < 3` failed.\n"));
    FAILS(CUDA_ERROR_ASSERT, cuCtxSynchronize());
    FAILS(CUDA_ERROR_ASSERT, cuCtxSynchronize());
}

static void kernels_that_launch_kernels_are_refused_by_name(void **state)
{
    char text[1024];
    (void)state;
    catch_begin();
    CUresult result = cuLaunchKernel(kernel("parent"), 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
    catch_end(text, sizeof text);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, result);
    assert_non_null(strstr(text, "parent"));
    assert_non_null(strstr(text, "dynamic parallelism"));
}

/* A program of CUDA 12 with cooperative_groups::multi_grid_group. */
static void groups_of_several_grids_are_refused_by_name(void **state)
{
    char text[1024];
    (void)state;
    catch_begin();
    CUresult result = cuLaunchKernel(kernel("of_several_grids"), 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
    catch_end(text, sizeof text);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, result);
    assert_non_null(strstr(text, "multi_grid_group"));
}

/* A program that was compiled with -ffast-math takes subnormal numbers for zeros, and one may round upward; a kernel does
 * neither, and leaves the program as it is. */
static void kernels_compute_whatever_the_program_has_set(void **state)
{
    (void)state;
    const uint32_t words[] = {0x3f800000, 0x30000000, 0, 1, 2, 0}; /* 1 and 2^-31; two subnormal numbers */
    OK(cuMemcpyHtoD(buffer, words, sizeof words));
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    const unsigned control = __builtin_ia32_stmxcsr(), zeros = 0x8040; /* flush to zero; denormals are zeros */
    __builtin_ia32_ldmxcsr(control | zeros);
#endif
    CUresult result = cuLaunchKernel(kernel("sums"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&buffer}, NULL);
    CUresult done = cuCtxSynchronize();
    const int rounding = fegetround();
#if defined(__x86_64__)
    const unsigned kept = __builtin_ia32_stmxcsr() & zeros;
    __builtin_ia32_ldmxcsr(control);
    assert_int_equal(kept, zeros);
#endif
    fesetround(FE_TONEAREST);
    assert_int_equal(rounding, FE_UPWARD);
    OK(result);
    OK(done);
    assert_int_equal(word(2), 0x3f800000);
    assert_int_equal(word(5), 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, take_down)
    const struct CMUnitTest tests[] = {
        TEST(a_cooperative_grid_meets),
        TEST(a_grid_that_does_not_fit_is_too_large),
        TEST(clusters_divide_the_grid),
        TEST(blocks_of_a_cluster_share_memory),
        TEST(instructions_of_several_gpus_are_refused_by_name),
        TEST(events_of_a_launch_have_happened),
        TEST(the_heap_has_the_size_that_was_set),
        TEST(kernels_compute_whatever_the_program_has_set),
        TEST(every_failed_assertion_is_printed),
        TEST(kernels_that_launch_kernels_are_refused_by_name),
        TEST(groups_of_several_grids_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
