/* The names of the driver API: forms for per-thread streams, earlier forms, calls that are refused, export tables. */
#include "driver_check.h"

/* Forms that cuda.h does not declare under their symbols. */
CUresult cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long *id);
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra);
CUresult cuMulticastCreate(void *handle, const void *properties);
CUresult cuGraphicsMapResources_ptsz(unsigned count, void *resources, CUstream stream);

/* A name that is missing is an error of the linker. */
#define NAME(symbol, name, since, per_thread) void symbol_##symbol(void) __asm__(#symbol);
#include "driver_names.def"

static const struct {
    const char *symbol, *name;
    void (*function)(void);
    int since;
    bool is_per_thread;
} name_table[] = {
#define NAME(symbol, name, since, per_thread) {#symbol, #name, symbol_##symbol, since, per_thread},
#include "driver_names.def"
};

static void *proc(const char *name, int version, cuuint64_t flags)
{
    void *function = NULL;
    CUdriverProcAddressQueryResult status;
    OK(cuGetProcAddress(name, &function, version, flags, &status));
    assert_int_equal(status, function ? CU_GET_PROC_ADDRESS_SUCCESS : status);
    return function;
}

static void test_per_thread_forms(void **state)
{
    (void)state;
    CUdeviceptr a, b;
    OK(cuMemAlloc(&a, 64));
    OK(cuMemAlloc(&b, 64));
    int in = 7, out = 0;
    OK(cuMemcpyHtoD_v2_ptds(a, &in, sizeof in));
    OK(cuMemcpyAsync_ptsz(b, a, sizeof in, NULL));
    OK(cuMemcpyDtoH(&out, b, sizeof out));
    assert_int_equal(out, 7);
    /* The NULL stream of such a form is the thread's own, a named stream stays what it is. */
    unsigned long long named, null, legacy;
    OK(cuStreamGetId(CU_STREAM_PER_THREAD, &named));
    OK(cuStreamGetId_ptsz(NULL, &null));
    OK(cuStreamGetId_ptsz(CU_STREAM_LEGACY, &legacy));
    assert_int_equal(null, named);
    assert_int_not_equal(legacy, named);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx_ptsz(NULL, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyAsync_ptsz(b, a, 4, (CUstream)&out));
}

static void test_forms_by_version_and_flag(void **state)
{
    (void)state;
    assert_ptr_equal(proc("cuMemcpyAsync", 13000, CU_GET_PROC_ADDRESS_DEFAULT), (void *)cuMemcpyAsync);
    assert_ptr_equal(proc("cuMemcpyAsync", 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM), (void *)cuMemcpyAsync);
    assert_ptr_equal(proc("cuMemcpyAsync", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM),
                     (void *)cuMemcpyAsync_ptsz);
    assert_ptr_equal(proc("cuMemcpyHtoD", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM),
                     (void *)cuMemcpyHtoD_v2_ptds);
    /* A call without a stream has one form; a version that knows no per-thread form gets the plain one. */
    assert_ptr_equal(proc("cuMemAlloc", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM), (void *)cuMemAlloc);
    assert_ptr_equal(proc("cuMemcpyHtoD", 4000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM), (void *)cuMemcpyHtoD);
    assert_ptr_equal(proc("cuMulticastCreate", 13000, 0), (void *)cuMulticastCreate);
    void *function;
    FAILS(CUDA_ERROR_INVALID_VALUE,
          cuGetProcAddress("cuInit", &function, 13000,
                           CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    FAILS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuMemAlloc_v2", &function, 13000, 0, NULL));
    FAILS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuMulticastCreate", &function, 11000, 0, NULL));
}

/* Each form is found from its CUDA version on, and not before. */
static void test_every_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof name_table / sizeof name_table[0]; i++) {
        cuuint64_t flags = name_table[i].is_per_thread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                                       : CU_GET_PROC_ADDRESS_LEGACY_STREAM;
        void *wanted = (void *)name_table[i].function;
        if (proc(name_table[i].name, name_table[i].since, flags) != wanted ||
            proc(name_table[i].name, name_table[i].since - 10, flags) == wanted)
            fail_msg("%s is not what cuGetProcAddress gives for %s of CUDA %d", name_table[i].symbol,
                     name_table[i].name, name_table[i].since);
    }
}

/* No call crashes or hangs when every argument is 0. All arguments are integers or pointers, but for a few floats. */
static void test_no_arguments(void **state)
{
    (void)state;
    static char text[1 << 16];
    int saved = catch_stderr();
    for (size_t i = 0; i < sizeof name_table / sizeof name_table[0]; i++) {
        CUcontext c;
        OK(cuInit(0));
        OK(cuCtxCreate(&c, NULL, 0, 0));
        ((CUresult(*)(long, long, long, long, long, long, long, long, long, long, long, long))name_table[i].function)(
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        OK(cuCtxSetCurrent(c));
        OK(cuCtxDestroy(c));
    }
    release_stderr(saved, text, sizeof text);
    assert_non_null(strstr(text, "heddle: cuIpcGetMemHandle is not supported\n"));
}

static void test_refused_by_name_once(void **state)
{
    (void)state;
    char text[1024];
    int saved = catch_stderr();
    CUresult first = cuMulticastCreate(NULL, NULL), second = cuMulticastCreate(NULL, NULL);
    CUresult other = cuGraphicsMapResources_ptsz(0, NULL, NULL);
    release_stderr(saved, text, sizeof text);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, first);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, second);
    FAILS(CUDA_ERROR_NOT_SUPPORTED, other);
    assert_string_equal(text, "heddle: cuMulticastCreate is not supported\n"
                              "heddle: cuGraphicsMapResources_ptsz is not supported\n");
}

static void test_export_table(void **state)
{
    (void)state;
    const void *table = state;
    const CUuuid id = {{1}};
    char text[1024];
    int saved = catch_stderr();
    CUresult first = cuGetExportTable(&table, &id), second = cuGetExportTable(&table, &id);
    release_stderr(saved, text, sizeof text);
    FAILS(CUDA_ERROR_NOT_FOUND, first);
    FAILS(CUDA_ERROR_NOT_FOUND, second);
    assert_null(table);
    /* This test is the executable, so it is taken for one that NVIDIA's runtime was linked into. */
    assert_non_null(strstr(text, "heddle: the program has NVIDIA's CUDA runtime linked in"));
    assert_non_null(strstr(text, "-cudart shared"));
    assert_non_null(strstr(text, "with nvcc 13, link")); /* the archive has the structures of CUDA 13 alone */
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGetExportTable(NULL, &id));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGetExportTable(&table, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_per_thread_forms, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_forms_by_version_and_flag, open_context, close_context),
        cmocka_unit_test_setup_teardown(test_refused_by_name_once, open_context, close_context),
        cmocka_unit_test(test_every_name),
        cmocka_unit_test(test_export_table),
        cmocka_unit_test(test_no_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
