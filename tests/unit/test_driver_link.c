/* The driver API on images that are not plain PTX: fat binaries, their wrappers with lists of modules to link, and the
 * cuLink calls. Managed variables, too, which only such programs have. */
#include "base/text.h"
#include "cuda.h"
#include "tests/binary/fatbin_writer.h"

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

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

/* run: *out = twice(20) + shared_var, where another module has both; each has a private variable `own`. */
static const char user_ptx[] = HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                                    ".extern .global .u32 shared_var;\n"
                                    ".global .u32 own = 1000;\n"
                                    ".visible .entry run(.param .u64 out)\n"
                                    "{ .reg .b32 %r<6>; .reg .b64 %d<2>;\n"
                                    "  { .param .b32 x; .param .b32 r; st.param.b32 [x], 20;\n"
                                    "    call.uni (r), twice, (x); ld.param.b32 %r1, [r]; }\n"
                                    "  ld.global.u32 %r2, [shared_var]; add.u32 %r3, %r1, %r2;\n"
                                    "  ld.global.u32 %r4, [own]; add.u32 %r3, %r3, %r4;\n"
                                    "  ld.param.u64 %d1, [out]; st.global.u32 [%d1], %r3; ret; }\n";
static const char owner_ptx[] = HEAD ".visible .global .u32 shared_var = 5;\n"
                                     ".global .u32 own = 100;\n"
                                     ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
                                     "{ .reg .b32 %r<5>; ld.param.b32 %r1, [x]; shl.b32 %r2, %r1, 1;\n"
                                     "  ld.global.u32 %r3, [own]; add.u32 %r2, %r2, %r3;\n"
                                     "  st.param.b32 [r], %r2; ret; }\n";
enum { EXPECTED = 2 * 20 + 100 + 5 + 1000 };

/* write: *out = number of the architecture that the text is for */
#define WRITES(number)                              \
    HEAD ".visible .entry write(.param .u64 out)\n" \
         "{ .reg .b64 %d<2>; ld.param.u64 %d1, [out]; st.global.u32 [%d1], " #number "; ret; }\n"

struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *list;
};

struct world {
    CUcontext context;
    CUdeviceptr out;
};

static int open_world(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    OK(cuInit(0));
    OK(cuCtxCreate(&w->context, NULL, 0, 0));
    OK(cuMemAlloc(&w->out, 4));
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    struct world *w = *state;
    OK(cuCtxDestroy(w->context));
    free(w);
    return 0;
}

static unsigned run_kernel(const struct world *w, CUmodule module, const char *name)
{
    CUfunction kernel;
    unsigned result = 0;
    CUdeviceptr out = w->out;
    void *arguments[] = {&out};
    OK(cuModuleGetFunction(&kernel, module, name));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(&result, w->out, 4));
    return result;
}

static struct text fatbin_of(const char *ptx, enum write_packing packing)
{
    struct text out = {0};
    write_fatbin(&out, &(struct fatbin_part){.kind = 1, .arch = 80, .packing = packing, .data = ptx}, 1);
    return out;
}

static void fat_binaries_are_loaded(void **state)
{
    struct world *w = *state;
    struct fatbin_part parts[] = {{2, 90, 0, WRITE_PLAIN, "\177ELF", 4},
                                  {1, 75, 0, WRITE_PLAIN, WRITES(75), 0},
                                  {1, 90, 0, WRITE_ZSTD, WRITES(90), 0},
                                  {1, 80, 0, WRITE_LZ4, WRITES(80), 0},
                                  {1, 100, 0, WRITE_ZSTD, WRITES(100), 0}};
    for (int count = 2; count <= 5; count++) {
        static const unsigned expected[] = {0, 0, 75, 90, 90, 90};
        struct text bytes = {0};
        write_fatbin(&bytes, parts, count);
        struct wrapper wrapper = {0x466243b1, 1, bytes.data, NULL};
        CUmodule module;
        OK(cuModuleLoadData(&module, bytes.data));
        assert_int_equal(run_kernel(w, module, "write"), expected[count]);
        OK(cuModuleUnload(module));
        OK(cuModuleLoadFatBinary(&module, &wrapper));
        assert_int_equal(run_kernel(w, module, "write"), expected[count]);
        OK(cuModuleUnload(module));
        text_free(&bytes);
    }
}

static void lists_are_linked(void **state)
{
    struct world *w = *state;
    struct text user = fatbin_of(user_ptx, WRITE_ZSTD), owner = fatbin_of(owner_ptx, WRITE_LZ4), code = {0};
    write_fatbin(&code, &(struct fatbin_part){2, 80, 0, WRITE_PLAIN, "\177ELF", 4}, 1);
    const void *list[] = {user.data, owner.data, NULL};
    struct wrapper wrapper = {0x466243b1, 2, code.data, list};
    CUmodule module;
    CUlibrary library;
    CUfunction kernel;
    CUkernel from_library;
    OK(cuModuleLoadFatBinary(&module, &wrapper));
    assert_int_equal(run_kernel(w, module, "run"), EXPECTED);
    OK(cuModuleUnload(module));
    OK(cuLibraryLoadData(&library, &wrapper, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&from_library, library, "run"));
    OK(cuKernelGetFunction(&kernel, from_library));
    OK(cuLibraryUnload(library));
    /* A module of the list without PTX, and one without the rest, are errors. */
    char log[400] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    list[1] = code.data;
    FAILS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadDataEx(&module, &wrapper, 2, options, values));
    assert_non_null(strstr(log, "no PTX in it, only machine code for sm_80"));
    list[1] = user.data;
    values[1] = (void *)sizeof log;
    FAILS(CUDA_ERROR_UNKNOWN, cuModuleLoadDataEx(&module, &wrapper, 2, options, values));
    assert_non_null(strstr(log, "'run' is defined twice: in image, line"));
    wrapper.version = 3;
    FAILS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, &wrapper));
    text_free(&user);
    text_free(&owner);
    text_free(&code);
}

static void damaged_images_are_refused(void **state)
{
    (void)state;
    struct text bytes = fatbin_of(user_ptx, WRITE_ZSTD);
    CUmodule module;
    bytes.data[16 + 56]++;
    FAILS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, bytes.data));
    FAILS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, "\177ELF\2\1\1"));
    FAILS(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&module, ""));
    FAILS(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&module, "ab"));
    text_free(&bytes);
}

static void inputs_are_linked(void **state)
{
    struct world *w = *state;
    struct text owner = fatbin_of(owner_ptx, WRITE_ZSTD);
    CUlinkState link;
    CUmodule module;
    void *cubin, *again;
    size_t bytes;
    OK(cuLinkCreate(0, NULL, NULL, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)user_ptx, sizeof user_ptx, "user", 0, NULL, NULL));
    OK(cuLinkAddData(link, CU_JIT_INPUT_FATBINARY, owner.data, owner.length, NULL, 0, NULL, NULL));
    OK(cuLinkComplete(link, &cubin, &bytes));
    OK(cuLinkComplete(link, &again, NULL));
    assert_ptr_equal(cubin, again);
    FAILS(CUDA_ERROR_INVALID_VALUE,
          cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)user_ptx, sizeof user_ptx, "user", 0, NULL, NULL));
    OK(cuModuleLoadData(&module, cubin));
    assert_int_equal(run_kernel(w, module, "run"), EXPECTED);
    OK(cuModuleUnload(module));
    /* What was linked can be linked again. */
    CUlinkState second;
    OK(cuLinkCreate(0, NULL, NULL, &second));
    OK(cuLinkAddData(second, CU_JIT_INPUT_CUBIN, cubin, bytes, "linked", 0, NULL, NULL));
    OK(cuLinkAddData(second, CU_JIT_INPUT_PTX, (void *)WRITES(7), sizeof WRITES(7), "more", 0, NULL, NULL));
    OK(cuLinkDestroy(link));
    OK(cuLinkComplete(second, &cubin, &bytes));
    OK(cuModuleLoadData(&module, cubin));
    OK(cuLinkDestroy(second));
    assert_int_equal(run_kernel(w, module, "run"), EXPECTED);
    assert_int_equal(run_kernel(w, module, "write"), 7);
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(link));
    text_free(&owner);
}

static void link_errors_name_the_symbol(void **state)
{
    (void)state;
    char log[300] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUlinkState link;
    void *cubin;
    size_t bytes;
    OK(cuLinkCreate(2, options, values, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)user_ptx, sizeof user_ptx, "user.ptx", 0, NULL, NULL));
    FAILS(CUDA_ERROR_UNKNOWN, cuLinkComplete(link, &cubin, &bytes));
    assert_non_null(strstr(log, "function 'twice', which user.ptx uses, is not defined"));
    assert_non_null(strstr(log, "variable 'shared_var', which user.ptx uses, is not defined"));
    FAILS(CUDA_ERROR_INVALID_PTX, cuLinkAddData(link, CU_JIT_INPUT_PTX, "nonsense", 8, "bad.ptx", 0, NULL, NULL));
    assert_non_null(strstr(log, "bad.ptx:1:1: error:"));
    FAILS(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/no/such/file", 0, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLinkAddData(link, CU_JIT_INPUT_PTX, NULL, 8, "x", 0, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLinkAddData(link, CU_JIT_NUM_INPUT_TYPES, "x", 1, "x", 0, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLinkAddFile(link, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLinkComplete(link, NULL, &bytes));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuLinkCreate(0, NULL, NULL, NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLinkComplete((CUlinkState)log, &cubin, &bytes));
    OK(cuLinkDestroy(link));
}

/* What the driver of an H200 makes of two modules that share a name (CUDA 13.0): -1 if the second is refused when it is
 * added, -2 if linking fails, else what the kernel reads. */
#define READS                                                                                    \
    ".visible .entry write(.param .u64 p) { .reg .u64 %a; .reg .u32 %r; ld.param.u64 %a, [p];\n" \
    "ld.global.u32 %r, [v]; st.global.u32 [%a], %r; ret; }\n"
#define CALLS                                                                                    \
    ".visible .entry write(.param .u64 p) { .reg .u64 %a; .reg .u32 %r; ld.param.u64 %a, [p];\n" \
    "{ .param .b32 q; call (q), f, (); ld.param.b32 %r, [q]; } st.global.u32 [%a], %r; ret; }\n"
#define WORDS(linkage, value) linkage " .global .align 4 .u32 v[2]" value ";\n"
#define GIVES(linkage, value) linkage " .func (.param .b32 o) f() { st.param.b32 [o], " value "; ret; }\n"

static const struct {
    const char *first, *second;
    int result;
} pairs[] = {
    {WORDS(".weak", "") READS, WORDS(".weak", " = {5}"), 0},
    {WORDS(".weak", " = {5}") READS, WORDS(".weak", ""), 5},
    {WORDS(".weak", " = {1}") READS, WORDS(".weak", " = {5}"), 1},
    {WORDS(".weak", " = {1}") READS, WORDS(".visible", " = {5}"), 5},
    {WORDS(".visible", " = {5}") READS, WORDS(".weak", " = {1}"), 5},
    {WORDS(".weak", " = {5}") READS, WORDS(".common", ""), 5},
    {WORDS(".common", "") READS, WORDS(".visible", " = {5}"), 5},
    {WORDS(".common", "") READS, ".common .global .align 4 .u32 v[4];\n", 0},
    {WORDS(".visible", "") READS, WORDS(".visible", " = {5}"), -1},
    {".extern .global .align 4 .u32 v[];\n" READS, WORDS(".visible", " = {5}"), 5},
    {".extern .global .align 4 .u32 v[4];\n" READS, WORDS(".visible", " = {5}"), -1},
    {".extern .global .align 8 .u64 v;\n" READS, ".visible .global .align 8 .u32 v[2] = {5};\n", 5},
    {WORDS(".weak", " = {1}") READS, ".weak .global .align 4 .u32 v[4] = {5};\n", -1},
    {WORDS(".extern", "") READS, WORDS("", " = {5}"), -2},
    {GIVES(".weak", "1") CALLS, GIVES(".weak", "2"), 1},
    {GIVES(".weak", "1") CALLS, GIVES(".visible", "2"), 2},
    {GIVES(".visible", "1") CALLS, GIVES(".visible", "2"), -1},
    {".extern .func (.param .b32 o) f();\n" CALLS, GIVES(".weak", "2"), 2},
    {".extern .func (.param .b32 o) f();\n" CALLS, ".visible .func (.param .b64 o) f() { ret; }\n", -1},
    {GIVES("", "1") CALLS, GIVES(".visible", "2"), 1},
    {WORDS(".weak", "") READS, WORDS(".weak", "") READS, -1},
};

static CUresult add_text(CUlinkState link, const char *text, const char *name)
{
    char all[1000];
    snprintf(all, sizeof all, HEAD "%s", text);
    return cuLinkAddData(link, CU_JIT_INPUT_PTX, all, strlen(all) + 1, name, 0, NULL, NULL);
}

static void shared_names_mean_what_they_mean_on_hardware(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        CUlinkState link;
        CUmodule module;
        void *cubin;
        size_t bytes;
        int got;
        OK(cuLinkCreate(0, NULL, NULL, &link));
        OK(add_text(link, pairs[i].first, "first"));
        if (add_text(link, pairs[i].second, "second")) {
            got = -1;
        } else if (cuLinkComplete(link, &cubin, &bytes)) {
            got = -2;
        } else {
            OK(cuModuleLoadData(&module, cubin));
            got = (int)run_kernel(w, module, "write");
        }
        if (got != pairs[i].result)
            fail_msg("pair %zu gives %d, not %d", i, got, pairs[i].result);
        OK(cuLinkDestroy(link));
    }
}

static void files_are_linked(void **state)
{
    struct world *w = *state;
    char path[] = "/tmp/heddle-link-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, owner_ptx, sizeof owner_ptx - 1), sizeof owner_ptx - 1);
    close(descriptor);
    CUlinkState link;
    CUmodule module;
    void *cubin;
    OK(cuLinkCreate(0, NULL, NULL, &link));
    OK(cuLinkAddFile(link, CU_JIT_INPUT_PTX, path, 0, NULL, NULL));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)user_ptx, sizeof user_ptx - 1, "user", 0, NULL, NULL));
    OK(cuLinkComplete(link, &cubin, NULL));
    OK(cuModuleLoadData(&module, cubin));
    assert_int_equal(run_kernel(w, module, "run"), EXPECTED);
    OK(cuLinkDestroy(link));
    unlink(path);
}

static const char managed_ptx[] = HEAD ".visible .global .attribute(.managed) .align 4 .u32 m = 7;\n"
                                       ".visible .global .align 4 .u32 plain = 8;\n"
                                       ".visible .entry bump()\n"
                                       "{ .reg .b32 %r<3>; ld.global.u32 %r1, [m]; add.u32 %r2, %r1, 1;\n"
                                       "  st.global.u32 [m], %r2; ret; }\n";

/* The host reads and writes a managed variable where kernels do. */
static void managed_variables_are_host_memory(void **state)
{
    (void)state;
    CUlibrary library;
    CUkernel kernel;
    CUdeviceptr address, same;
    size_t bytes;
    uint32_t is_managed = 0;
    void *unified;
    OK(cuLibraryLoadData(&library, managed_ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetManaged(&address, &bytes, library, "m"));
    OK(cuLibraryGetGlobal(&same, NULL, library, "m"));
    assert_int_equal(bytes, 4);
    assert_int_equal(address, same);
    volatile uint32_t *host = (volatile uint32_t *)(uintptr_t)address;
    assert_int_equal(*host, 7);
    *host = 40;
    OK(cuLibraryGetKernel(&kernel, library, "bump"));
    OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    assert_int_equal(*host, 41);
    OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address));
    assert_int_equal(is_managed, 1);
    FAILS(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&address, &bytes, library, "plain"));
    FAILS(CUDA_ERROR_NOT_FOUND, cuLibraryGetUnifiedFunction(&unified, library, "bump"));
    OK(cuLibraryUnload(library));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetManaged(&address, &bytes, library, "m"));
}

/* A module that launches kernels from kernels loads; only such a kernel is refused, when it is launched. */
static void dynamic_parallelism_is_refused_at_launch(void **state)
{
    struct world *w = *state;
    static const char ptx[] =
        WRITES(3) ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p);\n"
                  ".visible .entry parent()\n"
                  "{ .param .b64 p; .param .b32 r; call.uni (r), cudaLaunchDeviceV2, (p); ret; }\n";
    struct text first = fatbin_of(ptx, WRITE_PLAIN), second = fatbin_of(HEAD, WRITE_PLAIN);
    const void *list[] = {first.data, second.data, NULL};
    struct wrapper wrapper = {0x466243b1, 2, NULL, list};
    CUmodule module;
    CUfunction parent;
    OK(cuModuleLoadData(&module, &wrapper));
    assert_int_equal(run_kernel(w, module, "write"), 3);
    OK(cuModuleGetFunction(&parent, module, "parent"));
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernel(parent, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    text_free(&first);
    text_free(&second);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(fat_binaries_are_loaded),
        IN_WORLD(lists_are_linked),
        IN_WORLD(damaged_images_are_refused),
        IN_WORLD(inputs_are_linked),
        IN_WORLD(link_errors_name_the_symbol),
        IN_WORLD(files_are_linked),
        IN_WORLD(managed_variables_are_host_memory),
        IN_WORLD(dynamic_parallelism_is_refused_at_launch),
        IN_WORLD(shared_names_mean_what_they_mean_on_hardware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
