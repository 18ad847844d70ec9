/*
 * heddle_launch_without_compaction(): a launch whose threads stay in their static warps, by itself and in a graph.
 *
 * tests/cli/compaction/exchange.ptx shows whether they did: word 482 is 481 if threads 480 and 482 of a warp stayed
 * together, and 0 if thread block compaction put them into different warps.
 */
#include "driver_check.h"
#include "source_file.h"

#include <sys/wait.h>

enum { THREADS = 512, READER = 482, STAYED = 481, PARTED = 0 };

struct exchange {
    CUfunction function;
    CUdeviceptr words;
    CUlaunchConfig config;
    void *parameters[1];
};

static void load(struct exchange *x)
{
    CUmodule module;
    OK(cuModuleLoadData(&module, read_source("tests/cli/compaction/exchange.ptx")));
    OK(cuModuleGetFunction(&x->function, module, "exchange"));
    OK(cuMemAlloc(&x->words, THREADS * 4));
    x->config = (CUlaunchConfig){
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = THREADS, .blockDimY = 1, .blockDimZ = 1};
    x->parameters[0] = &x->words;
}

static uint32_t word(const struct exchange *x)
{
    uint32_t all[THREADS];
    OK(cuMemcpyDtoH(all, x->words, sizeof all));
    return all[READER];
}

/* A process of its own: the options hold for all launches of a process. */
static void test_dwf_refuses(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (!child) {
        struct exchange x;
        char said[512];
        CUcontext context;
        if (heddle_set_options("--gpu fermi --mech dwf --memory 1G") || cuInit(0) || cuCtxCreate(&context, NULL, 0, 0))
            _exit(1);
        load(&x);
        int saved = catch_stderr();
        int result = heddle_launch_without_compaction(&x.config, x.function, x.parameters, NULL);
        release_stderr(saved, said, sizeof said);
        _exit(result != CUDA_ERROR_NOT_SUPPORTED ? 2 : !strstr(said, "does not work under dwf: ") ? 3 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_one_launch(void **state)
{
    (void)state;
    struct exchange x;
    load(&x);
    OK(cuLaunchKernelEx(&x.config, x.function, x.parameters, NULL));
    assert_int_equal(word(&x), PARTED);
    OK(heddle_launch_without_compaction(&x.config, x.function, x.parameters, NULL));
    assert_int_equal(word(&x), STAYED);
    OK(cuLaunchKernelEx(&x.config, x.function, x.parameters, NULL));
    assert_int_equal(word(&x), PARTED);
}

static void test_graph_keeps_the_switch(void **state)
{
    (void)state;
    struct exchange x;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    load(&x);
    OK(cuStreamCreate(&stream, 0));
    x.config.hStream = stream;
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(heddle_launch_without_compaction(&x.config, x.function, x.parameters, NULL));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuMemsetD32(x.words, 7, THREADS));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    assert_int_equal(word(&x), STAYED);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(stream));
}

static void test_attributes_stay(void **state)
{
    (void)state;
    struct exchange x;
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    load(&x);
    x.config.attrs = &cooperative;
    x.config.numAttrs = 1;
    OK(heddle_launch_without_compaction(&x.config, x.function, x.parameters, NULL));
    assert_int_equal(word(&x), STAYED);
    x.config.gridDimX = 100000; /* more blocks than the device holds at once: only a cooperative launch minds */
    FAILS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
          heddle_launch_without_compaction(&x.config, x.function, x.parameters, NULL));
}

static void test_mistakes(void **state)
{
    (void)state;
    struct exchange x;
    load(&x);
    FAILS(CUDA_ERROR_INVALID_VALUE, heddle_launch_without_compaction(NULL, x.function, x.parameters, NULL));
    FAILS(CUDA_ERROR_INVALID_HANDLE, heddle_launch_without_compaction(&x.config, NULL, x.parameters, NULL));
    x.config.numAttrs = 1;
    FAILS(CUDA_ERROR_INVALID_VALUE, heddle_launch_without_compaction(&x.config, x.function, x.parameters, NULL));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, open_context, close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dwf_refuses), /* before cuInit */
        TEST(test_one_launch),
        TEST(test_graph_keeps_the_switch),
        TEST(test_attributes_stay),
        TEST(test_mistakes),
    };
    heddle_set_options("--gpu fermi --mech tbc --memory 1G");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
