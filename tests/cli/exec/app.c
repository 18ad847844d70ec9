/*
 * A driver-API program for the tests of heddle exec. Its arguments are what it does, one after the other:
 *
 *   launch KERNEL N  launches a kernel N times, with blocks of 64 threads: two of `same`, which both write one word with
 *                    their number, and one of any other
 *   copy BYTES       copies from host to device
 *   time             prints the milliseconds since the last `time`, by events
 *   beyond           launches a kernel that reads out of bounds
 *   chdir FOLDER     changes the current folder
 *   fork             goes on in a child process, and ends with the child's exit status
 *   say TEXT         prints a line
 *   echo             copies stdin to stdout
 *   wait             says "waiting" and waits for a signal; SIGTERM and SIGUSR1 end the program with status 7
 *   exit N, _exit N, kill N
 */
#include <cuda.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KERNEL(name, offset)                                                                            \
    ".visible .entry " name "(.param .u64 p)\n{\n.reg .u32 %r<3>;\n.reg .u64 %d<4>;\n"                  \
    "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d1, %d1, %d2;\n" \
    "ld.global.u32 %r2, [%d1+" offset "];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d1], %r2;\nret;\n}\n"
#define TWENTY "a_namespace_of_20___"

static const char text[] = ".version 6.0\n.target sm_50\n.address_size 64\n" KERNEL("alpha", "0") KERNEL("beta", "0")
    KERNEL("beyond", "256") KERNEL("_Z5gammaPj", "0") KERNEL("_ZN2ns5deltaIiLi2EEEvPT_", "0") KERNEL(
        "_ZN20" TWENTY "20" TWENTY "20" TWENTY "20" TWENTY "4wideIiEEvPj",
        "0") ".visible .entry same(.param .u64 p)\n{\n.reg .u32 %r<3>;\n.reg .u64 %d<4>;\nld.param.u64 %d1, [p];\n"
             "mov.u32 %r1, %ctaid.x;\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%d1], %r1;\nret;\n}\n";

static void check(CUresult result, const char *call)
{
    const char *name = "?";
    if (!result)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "%s: %s\n", call, name);
    exit(9);
}
#define CHECK(call) check(call, #call)

struct app {
    CUmodule module;
    CUdeviceptr buffer;
    CUevent before, now;
};

static void start(struct app *a)
{
    CUdevice device;
    CUcontext context;
    if (a->module)
        return;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&a->module, text));
    CHECK(cuMemAlloc(&a->buffer, 256));
    CHECK(cuEventCreate(&a->before, 0));
    CHECK(cuEventCreate(&a->now, 0));
    CHECK(cuEventRecord(a->before, NULL));
}

static void launch(struct app *a, const char *kernel, int count)
{
    CUfunction function;
    void *parameters[] = {&a->buffer};
    start(a);
    CHECK(cuModuleGetFunction(&function, a->module, kernel));
    for (int i = 0; i < count; i++)
        CHECK(cuLaunchKernel(function, strcmp(kernel, "same") ? 1 : 2, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
    CHECK(cuCtxSynchronize());
}

static void copy(struct app *a, size_t bytes)
{
    CUdeviceptr target;
    start(a);
    CHECK(cuMemAlloc(&target, bytes));
    void *source = calloc(1, bytes);
    CHECK(cuMemcpyHtoD(target, source, bytes));
    free(source);
    CHECK(cuMemFree(target));
}

static void print_time(struct app *a)
{
    float milliseconds;
    start(a);
    CHECK(cuEventRecord(a->now, NULL));
    CHECK(cuEventElapsedTime(&milliseconds, a->before, a->now));
    printf("%.6f ms\n", (double)milliseconds);
    CHECK(cuEventRecord(a->before, NULL));
}

static void split(void)
{
    int how;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid)
        return;
    waitpid(pid, &how, 0);
    exit(WIFEXITED(how) ? WEXITSTATUS(how) : 8);
}

static void echo(void)
{
    for (int c; (c = getchar()) != EOF;)
        putchar(c);
}

static void end(int number)
{
    (void)number;
    _exit(7);
}

static void await(void)
{
    signal(SIGTERM, end);
    signal(SIGUSR1, end);
    puts("waiting");
    fflush(stdout);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    struct app a = {0};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(word, "launch")) {
            launch(&a, value, i + 2 < argc ? atoi(argv[i + 2]) : 1);
            i += 2;
            continue;
        }
        if (!strcmp(word, "time"))
            print_time(&a);
        else if (!strcmp(word, "fork"))
            split();
        else if (!strcmp(word, "echo"))
            echo();
        else if (!strcmp(word, "wait"))
            await();
        else if (!strcmp(word, "beyond"))
            launch(&a, "beyond", 1);
        else if (!strcmp(word, "copy"))
            copy(&a, strtoull(value, NULL, 0));
        else if (!strcmp(word, "say"))
            puts(value);
        else if (!strcmp(word, "chdir"))
            check(chdir(value) ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS, "chdir");
        else if (!strcmp(word, "exit"))
            exit(atoi(value));
        else if (!strcmp(word, "_exit"))
            _exit(atoi(value));
        else if (!strcmp(word, "kill"))
            raise(atoi(value));
        else
            return 10;
        i += strchr("cske_", word[0]) != NULL && strcmp(word, "echo");
    }
    return 0;
}
