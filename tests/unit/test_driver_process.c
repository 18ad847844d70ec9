/* Processes and threads: fork before and after the driver is initialised, and the end of a process whose threads go on. */
#include "driver_check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static const char spin_ptx[] = PTX_HEAD ".visible .entry spin() { L: bra L; ret; }\n"
                                        ".visible .entry nothing() { ret; }\n";

/* Runs `body` in a child, which has ten seconds; returns its exit status. */
static int in_child(int (*body)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        alarm(10);
        _exit(body());
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int use_driver(void)
{
    CUcontext c;
    CUdeviceptr p;
    int in = 5, out = 0;
    if (cuInit(0) || cuCtxCreate(&c, NULL, 0, 0) || cuMemAlloc(&p, 4) || cuMemcpyHtoD(p, &in, 4) ||
        cuMemcpyDtoH(&out, p, 4))
        return 1;
    return out == 5 ? 0 : 2;
}

/* Runs before anything called cuInit. */
static void test_fork_before(void **state)
{
    (void)state;
    assert_int_equal(in_child(use_driver), 0);
    assert_int_equal(use_driver(), 0);
}

static int calls_say_so(void)
{
    CUdeviceptr p;
    int n;
    return cuInit(0) == CUDA_ERROR_NOT_INITIALIZED && cuMemAlloc(&p, 4) == CUDA_ERROR_NOT_INITIALIZED &&
                   cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED &&
                   cuDeviceGetCount(&n) == CUDA_ERROR_NOT_INITIALIZED
               ? 0
               : 1;
}

static void *spin(void *context)
{
    CUmodule m;
    CUfunction f;
    if (!cuCtxSetCurrent(context) && !cuModuleLoadData(&m, spin_ptx) && !cuModuleGetFunction(&f, m, "spin"))
        cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    return NULL;
}

/* The child neither uses its parent's driver nor waits for a thread that it does not have. */
static void test_fork_after(void **state)
{
    (void)state;
    OK(cuInit(0));
    assert_int_equal(in_child(calls_say_so), 0);
}

/* Starts a thread that stays within a call for ever, gives it time to get there, and forks or exits. */
static int leave_thread_behind(void)
{
    CUcontext c;
    pthread_t thread;
    if (cuInit(0) || cuCtxCreate(&c, NULL, 0, 0) || pthread_create(&thread, NULL, spin, c))
        return 1;
    usleep(200000);
    pid_t child = fork();
    if (!child) {
        alarm(5);
        _exit(calls_say_so());
    }
    int status = 1;
    if (waitpid(child, &status, 0) != child || status)
        return 2;
    exit(42); /* runs the driver's destructor, which must not wait for the kernel */
}

static void *use_memory(void *memory)
{
    for (volatile int *p = memory;; p[1000]++)
        ;
    return NULL;
}

/* A thread that still uses its memory while the process ends is no reason to crash. */
static int exit_while_memory_is_used(void)
{
    CUcontext c;
    pthread_t thread;
    void *memory;
    if (cuInit(0) || cuCtxCreate(&c, NULL, 0, 0) || cuMemAllocHost(&memory, 1 << 20) ||
        pthread_create(&thread, NULL, use_memory, memory))
        return 1;
    usleep(20000);
    exit(43);
}

static void test_threads_at_the_end(void **state)
{
    (void)state;
    assert_int_equal(in_child(leave_thread_behind), 42);
    assert_int_equal(in_child(exit_while_memory_is_used), 43);
}

static void *launch_many(void *context)
{
    CUmodule m;
    CUfunction f;
    CUstream s;
    intptr_t bad = cuCtxSetCurrent(context) || cuModuleLoadData(&m, spin_ptx) || cuStreamCreate(&s, 0) ||
                   cuModuleGetFunction(&f, m, "nothing");
    for (int i = 0; i < 200 && !bad; i++) {
        CUdeviceptr p;
        bad = cuMemAllocAsync(&p, 256, s) || cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL) ||
              cuMemsetD8Async(p, 1, 256, s) || cuMemFreeAsync(p, s) || cuStreamSynchronize(s);
    }
    return (void *)(bad || cuStreamDestroy(s) || cuModuleUnload(m) ? (intptr_t)1 : 0);
}

static void test_threads_side_by_side(void **state)
{
    (void)state;
    CUcontext c;
    pthread_t thread[4];
    OK(cuInit(0));
    OK(cuCtxCreate(&c, NULL, 0, 0));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, launch_many, c), 0);
    for (int i = 0; i < 4; i++) {
        void *bad = NULL;
        pthread_join(thread[i], &bad);
        assert_null(bad);
    }
    OK(cuCtxDestroy(c));
}

int main(void)
{
    /* Children that start afresh come first: they are made before this process initialises the driver. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_at_the_end),
        cmocka_unit_test(test_fork_before),
        cmocka_unit_test(test_fork_after),
        cmocka_unit_test(test_threads_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
