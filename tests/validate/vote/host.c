/*
 * vote: runs the kernels of kernels.cu through the CUDA driver API, checks that all versions of a pattern compute what
 * the host computes, bit by bit, and times them.
 *
 * The same program runs on a GPU, alone and under its profiler, and on heddle's libcuda.so.1.
 */
#include "patterns.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_CANNOT_RUN = 1, STATUS_USAGE = 2, STATUS_WRONG = 3 };
enum { BLOCK_THREADS = 128, WARM_UPS = 5, TIMED_LAUNCHES = 101, MOST_VERSIONS = 3 };

static const char usage[] =
    "usage: vote SIZE          one CSV line a kernel: kernel,size,microseconds (the median launch)\n"
    "       vote SIZE once     launches each kernel once and times nothing, for profilers\n"
    "SIZE is tiny (2 blocks), test (16 blocks, an SM of 2048 threads) or full (4224 blocks, twice an H200).\n"
    "Status: 0 right, 1 could not run, 2 wrong command line, 3 a wrong result.\n";

static const struct size {
    const char *name;
    unsigned blocks, rounds;
} sizes[] = {{"tiny", 2, 8}, {"test", 16, 32}, {"full", 4224, 32}};

/* The PTX, made part of the program: see build.sh. */
extern const char work_ptx[];

/* ---- what is right ---- */

static float iteration_delay(unsigned thread, unsigned rounds)
{
    unsigned random = first_random(thread);
    float value = 1;
    for (unsigned round = 0; round < rounds; round++) {
        random = next_random(random);
        if (is_rare(random))
            value = rare_work(value, random);
    }
    return value;
}

static float loop_merge(unsigned thread, unsigned rounds)
{
    unsigned random = first_random(thread);
    float total = 0;
    for (unsigned lookup = 0; lookup < rounds; lookup++) {
        random = next_random(random);
        float sum = 0;
        for (unsigned nuclide = 0; nuclide < nuclides_of[material_of(random)]; nuclide++)
            sum += cross_section(nuclide, random);
        total += sum;
    }
    return total;
}

static float common_call(unsigned thread, unsigned rounds)
{
    unsigned random = first_random(thread);
    float value = 1;
    for (unsigned round = 0; round < rounds; round++) {
        random = next_random(random);
        value = is_odd(random) ? common_work(value + offset_of(random)) - offset_of(random) : common_work(value);
    }
    return value;
}

static const struct pattern {
    float (*compute)(unsigned thread, unsigned rounds);
    const char *kernel[MOST_VERSIONS];
} patterns[] = {
    {iteration_delay, {"iteration_delay", "iteration_delay_vote"}},
    {loop_merge, {"loop_merge", "loop_merge_rolled", "loop_merge_vote"}},
    {common_call, {"common_call", "common_call_vote"}},
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

/* ---- the device ---- */

struct run {
    CUmodule module;
    CUdeviceptr out;
    CUevent begin, end;
    const struct size *size;
    float *want, *got;
};

static size_t thread_count(const struct run *r)
{
    return (size_t)r->size->blocks * BLOCK_THREADS;
}

static void must(CUresult result, const char *call)
{
    const char *text = NULL;
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "vote: %s: %s\n", call, text ? text : "unknown error");
    exit(STATUS_CANNOT_RUN);
}

#define MUST(call) must((call), #call)

static void open_device(struct run *r)
{
    CUdevice device;
    CUcontext context;
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    MUST(cuModuleLoadData(&r->module, work_ptx));
    MUST(cuMemAlloc(&r->out, thread_count(r) * sizeof *r->want));
    MUST(cuEventCreate(&r->begin, CU_EVENT_DEFAULT));
    MUST(cuEventCreate(&r->end, CU_EVENT_DEFAULT));
}

static void close_device(struct run *r)
{
    MUST(cuEventDestroy(r->begin));
    MUST(cuEventDestroy(r->end));
    MUST(cuMemFree(r->out));
    MUST(cuModuleUnload(r->module));
    MUST(cuDevicePrimaryCtxRelease(0));
}

static float *make_buffer(const struct run *r)
{
    float *buffer = malloc(thread_count(r) * sizeof *buffer);
    if (!buffer) {
        fputs("vote: no memory\n", stderr);
        exit(STATUS_CANNOT_RUN);
    }
    return buffer;
}

/* The device's own clock, around the launch. */
static float launch(struct run *r, CUfunction kernel)
{
    unsigned rounds = r->size->rounds;
    void *arguments[] = {&r->out, &rounds};
    float milliseconds;
    MUST(cuEventRecord(r->begin, NULL));
    MUST(cuLaunchKernel(kernel, r->size->blocks, 1, 1, BLOCK_THREADS, 1, 1, 0, NULL, arguments, NULL));
    MUST(cuEventRecord(r->end, NULL));
    MUST(cuEventSynchronize(r->end));
    MUST(cuEventElapsedTime(&milliseconds, r->begin, r->end));
    return 1000 * milliseconds;
}

/* ---- what is done with it ---- */

static int by_time(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float median_launch(struct run *r, CUfunction kernel)
{
    float microseconds[TIMED_LAUNCHES];
    for (int i = 0; i < WARM_UPS; i++)
        launch(r, kernel);
    for (int i = 0; i < TIMED_LAUNCHES; i++)
        microseconds[i] = launch(r, kernel);
    qsort(microseconds, TIMED_LAUNCHES, sizeof *microseconds, by_time);
    return microseconds[TIMED_LAUNCHES / 2];
}

static bool is_right(const struct run *r, const char *name)
{
    for (size_t i = 0; i < thread_count(r); i++) {
        if (!memcmp(&r->got[i], &r->want[i], sizeof *r->got))
            continue;
        fprintf(stderr, "vote: %s: thread %zu has %.9g, the host %.9g\n", name, i, (double)r->got[i],
                (double)r->want[i]);
        return false;
    }
    return true;
}

static bool run_kernel(struct run *r, const char *name, bool is_timed)
{
    CUfunction kernel;
    MUST(cuModuleGetFunction(&kernel, r->module, name));
    /* What no kernel has written must not pass for a result: all ones are no number. */
    MUST(cuMemsetD8(r->out, 0xff, thread_count(r) * sizeof *r->got));
    if (is_timed)
        printf("%s,%s,%.2f\n", name, r->size->name, (double)median_launch(r, kernel));
    else
        launch(r, kernel);
    MUST(cuMemcpyDtoH(r->got, r->out, thread_count(r) * sizeof *r->got));
    return is_right(r, name);
}

static bool run_pattern(struct run *r, const struct pattern *p, bool is_timed)
{
    bool good = true;
    for (size_t i = 0; i < thread_count(r); i++)
        r->want[i] = p->compute((unsigned)i, r->size->rounds);
    for (int i = 0; i < MOST_VERSIONS && p->kernel[i]; i++)
        good = run_kernel(r, p->kernel[i], is_timed) && good;
    return good;
}

static const struct size *find_size(const char *name)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!strcmp(name, sizes[i].name))
            return &sizes[i];
    return NULL;
}

int main(int argc, char **argv)
{
    struct run r = {.size = argc > 1 ? find_size(argv[1]) : NULL};
    const bool is_once = argc == 3 && !strcmp(argv[2], "once");
    if (!r.size || (argc != 2 && !is_once)) {
        fputs(usage, stderr);
        return STATUS_USAGE;
    }
    r.want = make_buffer(&r);
    r.got = make_buffer(&r);
    open_device(&r);
    bool good = true;
    for (int i = 0; i < PATTERNS; i++)
        good = run_pattern(&r, &patterns[i], !is_once) && good;
    close_device(&r);
    free(r.want);
    free(r.got);
    return good ? 0 : STATUS_WRONG;
}
