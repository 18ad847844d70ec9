/*
 * micro: runs the micro-benchmarks of kernels.cu through the CUDA driver API and prints one CSV line per figure:
 * name,value,unit.
 *
 * The same program runs on a GPU and on heddle's libcuda.so.1 with a machine (HEDDLE_OPTS="--gpu h200"). What a kernel
 * computes is not looked at. Cycles are those of the SM's own counter; figures of the whole GPU are timed by events.
 */
#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 4, WARPS = 32, TIMES = REPETITIONS * WARPS * 2, SINK_BYTES = 1 << 16, VALUES = 160 };
enum { STATUS_CANNOT_RUN = 1, STATUS_USAGE = 2 };

static const char usage[] = "usage: micro PTX [quick]     `quick` leaves out what takes a simulator long\n";

static CUmodule module;
static CUdeviceptr times, sink, values, cells;
static int sm_count;
static double mhz;

static void check(CUresult result, const char *what)
{
    const char *text = NULL;
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "micro: %s: %s\n", what, text ? text : "unknown error");
    exit(STATUS_CANNOT_RUN);
}

static CUfunction find(const char *kernel)
{
    CUfunction f;
    check(cuModuleGetFunction(&f, module, kernel), kernel);
    return f;
}

static void launch(const char *kernel, unsigned blocks, unsigned threads, unsigned shared, void **arguments)
{
    CUfunction f = find(kernel);
    if (shared > 48 << 10)
        check(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared), kernel);
    check(cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, shared, NULL, arguments, NULL), kernel);
    check(cuCtxSynchronize(), kernel);
}

static void print(const char *name, double value, const char *unit)
{
    printf("%s,%.3f,%s\n", name, value, unit);
    fflush(stdout);
}

static void print_at(const char *name, unsigned long long at, double value, const char *unit)
{
    printf("%s_%llu,%.3f,%s\n", name, at, value, unit);
    fflush(stdout);
}

/* The least time of a repetition, in cycles, from the first warp's begin to the last warp's end. */
static double least_cycles(unsigned threads)
{
    uint64_t t[TIMES];
    double least = 1e18;
    check(cuMemcpyDtoH(t, times, sizeof t), "times");
    for (int i = 0; i < REPETITIONS; i++) {
        uint64_t begin = UINT64_MAX, end = 0;
        for (unsigned w = 0; w < (threads + 31) / 32; w++) {
            const uint64_t *of = t + 2 * (i * WARPS + (int)w);
            begin = of[0] < begin ? of[0] : begin;
            end = of[1] > end ? of[1] : end;
        }
        if ((double)(end - begin) < least)
            least = (double)(end - begin);
    }
    return least;
}

static double event_ns(const char *kernel, unsigned blocks, unsigned threads, void **arguments, int launches)
{
    CUevent from, to;
    float ms;
    CUfunction f = find(kernel);
    check(cuEventCreate(&from, 0), "event");
    check(cuEventCreate(&to, 0), "event");
    check(cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL), kernel);
    check(cuEventRecord(from, NULL), "event");
    for (int i = 0; i < launches; i++)
        check(cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL), kernel);
    check(cuEventRecord(to, NULL), "event");
    check(cuEventSynchronize(to), kernel);
    check(cuEventElapsedTime(&ms, from, to), kernel);
    return (double)ms * 1e6 / launches;
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr p;
    check(cuMemAlloc(&p, bytes), "allocation");
    check(cuMemsetD8(p, 0, bytes), "memset");
    return p;
}

/* ---- instructions ---- */

/* What chains start with, and the two unknown values: such that no chain of divisions or roots leaves its range. */
static void set_values(const char *type)
{
    unsigned char bytes[VALUES * 8];
    for (int i = 0; i < VALUES; i++) {
        if (!strcmp(type, "float"))
            ((float *)bytes)[i] = i == 32 ? 1.25f : i == 33 ? 0.5f : 1.5f + 0.001f * (float)i;
        else if (!strcmp(type, "double"))
            ((double *)bytes)[i] = i == 32 ? 1.25 : i == 33 ? 0.5 : 1.5 + 0.001 * i;
        else if (strstr(type, "long long"))
            ((long long *)bytes)[i] = i == 32 ? 0x7fffffff12345 : i == 33 ? 0x1234567 : 77777 + i;
        else
            ((int *)bytes)[i] = i == 32 ? 0x7fff1235 : i == 33 ? 0x12345 : 7777 + i;
    }
    check(cuMemcpyHtoD(values, bytes, sizeof bytes), "values");
}

static void measure_interval(const char *name, int instructions)
{
    char kernel[80];
    void *arguments[] = {&values, &times, &sink};
    snprintf(kernel, sizeof kernel, "%s_interval", name);
    launch(kernel, 1, 1024, 0, arguments);
    /* Of 32 warps, 8 issue through each of the four schedulers. */
    print(kernel, least_cycles(1024) / (instructions * 8.0), "cycles per warp instruction and scheduler");
}

static void measure_instruction(const char *name, const char *type, int steps, int per_step)
{
    char kernel[80];
    void *arguments[] = {&values, &times, &sink};
    set_values(type);
    snprintf(kernel, sizeof kernel, "%s_latency", name);
    launch(kernel, 1, 32, 0, arguments);
    print(kernel, least_cycles(32) / (steps * per_step), "cycles per instruction");
    measure_interval(name, 4 * steps * per_step);
}

static void measure_instructions(void)
{
#define MICRO(name, type, constraint, steps, instructions, ptx) measure_instruction(#name, #type, steps, instructions);
#include "ops.h"
    set_values("unsigned");
    measure_interval("mix_int_fp32", 256);
    measure_interval("mix_imul_fp32", 256);
    measure_interval("mix_imul_int", 256);
}

/* ---- latency of memory ---- */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* A cycle through all lines of the buffer in random order, as addresses. */
static void lay_chain(CUdeviceptr buffer, size_t bytes, size_t line)
{
    size_t lines = bytes / line;
    uint64_t *image = calloc(1, bytes), state = 1;
    uint32_t *order = malloc(lines * sizeof *order);
    if (!image || !order)
        check(CUDA_ERROR_OUT_OF_MEMORY, "host memory");
    for (size_t i = 0; i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines - 1; i > 1; i--) { /* line 0 stays first */
        size_t k = 1 + next_random(&state) % i;
        uint32_t o = order[i];
        order[i] = order[k];
        order[k] = o;
    }
    for (size_t i = 0; i < lines; i++)
        image[order[i] * line / 8] = buffer + order[(i + 1) % lines] * line;
    check(cuMemcpyHtoD(buffer, image, bytes), "chain");
    free(image);
    free(order);
}

/* At most `most` steps, all of them along lines that were touched before; or none of them, if `is_cold`. */
static double chase(const char *kernel, size_t bytes, unsigned most, bool is_cold)
{
    CUdeviceptr buffer = allocate(bytes);
    uint64_t start = buffer;
    unsigned steps = bytes / 128 < most ? (unsigned)(bytes / 128) : most;
    void *arguments[] = {&start, &steps, &times, &sink};
    lay_chain(buffer, bytes, 128);
    if (is_cold) { /* what the copy left in the L2 goes */
        CUdeviceptr other = allocate(256 << 20);
        check(cuMemFree(other), "free");
    }
    launch(kernel, 1, 1, 0, arguments);
    uint64_t t[TIMES];
    check(cuMemcpyDtoH(t, times, sizeof t), "times");
    check(cuMemFree(buffer), "free");
    return is_cold ? (double)(t[1] - t[0]) / steps : least_cycles(1) / steps;
}

static double chase_without_buffer(const char *kernel)
{
    unsigned steps = 1024;
    void *arguments[] = {&steps, &times, &sink};
    launch(kernel, 1, 1, 0, arguments);
    return least_cycles(1) / steps;
}

/* The constant cache: chains of one word per 64 bytes, in random order, through more and more of it. */
static void measure_constants(void)
{
    CUdeviceptr table;
    size_t bytes;
    check(cuModuleGetGlobal(&table, &bytes, module, "table"), "table");
    for (size_t size = 1 << 10; size <= bytes; size *= 2) {
        unsigned count = (unsigned)size / 64, order[1024], steps = 1024;
        uint32_t image[16384] = {0};
        uint64_t state = 1;
        for (unsigned i = 0; i < count; i++)
            order[i] = i;
        for (unsigned i = count - 1; i > 1; i--) { /* entry 0 stays first */
            unsigned k = 1 + (unsigned)(next_random(&state) % i), o = order[i];
            order[i] = order[k];
            order[k] = o;
        }
        for (unsigned i = 0; i < count; i++)
            image[16 * order[i]] = 64 * order[(i + 1) % count];
        check(cuMemcpyHtoD(table, image, sizeof image), "table");
        void *arguments[] = {&steps, &times, &sink};
        launch("chase_constant", 1, 1, 0, arguments);
        print_at("constant_kilobytes", size >> 10, least_cycles(1) / steps, "cycles");
    }
    check(cuMemsetD8(table, 0, bytes), "table");
    uint64_t t[TIMES], begin = UINT64_MAX, end = 0;
    void *cold[] = {&times, &sink};
    launch("constant_cold", 1, 1024, 0, cold);
    check(cuMemcpyDtoH(t, times, sizeof t), "times");
    for (int i = 0; i < WARPS; i++) {
        begin = t[2 * i] < begin ? t[2 * i] : begin;
        end = t[2 * i + 1] > end ? t[2 * i + 1] : end;
    }
    print("constant_cold", (double)(end - begin) / 1024, "cycles per 64 bytes that the SM did not have");
    for (unsigned words = 1; words <= 32; words *= 2) {
        void *arguments[] = {&words, &times, &sink};
        launch("constant_words", 1, 1024, 0, arguments);
        print_at("constant_words", words, least_cycles(1024) / (64 * 32), "cycles per warp access and SM");
    }
}

/* Lines that nobody has, one step from each to the next: how much does a miss bring? */
static void measure_fetch(void)
{
    static const size_t strides[] = {32, 64, 128, 256};
    for (int i = 0; i < 4; i++) {
        const size_t count = 1024, bytes = count * strides[i];
        uint64_t *image = calloc(1, bytes), t[TIMES];
        CUdeviceptr buffer = allocate(bytes), other;
        if (!image)
            check(CUDA_ERROR_OUT_OF_MEMORY, "host memory");
        for (size_t k = 0; k < count; k++)
            image[k * strides[i] / 8] = buffer + (k + 1) % count * strides[i];
        check(cuMemcpyHtoD(buffer, image, bytes), "chain");
        other = allocate(256 << 20); /* what the copy left in the L2 goes */
        uint64_t start = buffer;
        unsigned steps = (unsigned)count;
        void *arguments[] = {&start, &steps, &times, &sink};
        launch("chase_l2", 1, 1, 0, arguments);
        check(cuMemcpyDtoH(t, times, sizeof t), "times");
        print_at("dram_stride", strides[i], (double)(t[1] - t[0]) / steps, "cycles per load");
        check(cuMemFree(other), "free");
        check(cuMemFree(buffer), "free");
        free(image);
    }
}

static void measure_store_then_load(void)
{
    CUdeviceptr lines = allocate(1 << 20);
    unsigned steps = 256;
    void *arguments[] = {&lines, &steps, &times, &sink};
    launch("store_then_load", 1, 1, 0, arguments);
    print("store_then_load", least_cycles(1) / steps, "cycles");
    check(cuMemFree(lines), "free");
}

static void measure_texture(void)
{
    CUdeviceptr buffer = allocate(4096);
    CUtexObject texture;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CUDA_TEXTURE_DESC how = {.flags = CU_TRSF_READ_AS_INTEGER};
    resource.res.linear.devPtr = buffer;
    resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = 4096;
    check(cuTexObjectCreate(&texture, &resource, &how, NULL), "texture");
    unsigned steps = 1024;
    void *arguments[] = {&texture, &steps, &times, &sink};
    launch("chase_texture", 1, 1, 0, arguments);
    print("texture_hit", least_cycles(1) / steps, "cycles");
    check(cuTexObjectDestroy(texture), "texture");
    check(cuMemFree(buffer), "free");
}

static void measure_latencies(bool is_quick)
{
    static const unsigned l1_kilobytes[] = {16, 96, 128, 192, 208, 224, 240, 256, 288};
    static const unsigned l2_megabytes[] = {1, 4, 8, 16, 24, 32, 48, 64};
    print("shared_load", chase_without_buffer("chase_shared"), "cycles");
    print("shared_atomic", chase_without_buffer("chase_atomic_shared"), "cycles");
    measure_constants();
    measure_store_then_load();
    measure_fetch();
    measure_texture();
    for (int i = 0; i < (is_quick ? 1 : 9); i++)
        print_at("l1_kilobytes", l1_kilobytes[i], chase("chase_l1", l1_kilobytes[i] << 10, 4096, false), "cycles");
    for (int i = 0; i < (is_quick ? 1 : 8); i++)
        print_at("l2_megabytes", l2_megabytes[i],
                 chase("chase_l2", (size_t)l2_megabytes[i] << 20, is_quick ? 1024 : 1 << 20, false), "cycles");
    print("dram", chase("chase_l2", (size_t)(is_quick ? 16 : 512) << 20, is_quick ? 256 : 4096, true), "cycles");
    unsigned steps = 256;
    void *arguments[] = {&cells, &steps, &times, &sink};
    launch("chase_atomic_global", 1, 1, 0, arguments);
    print("global_atomic", least_cycles(1) / steps, "cycles");
}

/* ---- what one SM moves ---- */

static void stream(const char *kernel, const char *name, unsigned stride, unsigned threads)
{
    void *arguments[] = {&cells, &stride, &times, &sink};
    launch(kernel, 1, threads, 0, arguments);
    print_at(name, stride, least_cycles(threads) / (64.0 * (threads / 32)), "cycles per warp access and SM");
}

static void measure_streams(void)
{
    static const unsigned strides[] = {0, 4, 8, 16, 32, 64, 128};
    for (int i = 0; i < 7; i++)
        stream("stream_shared_load", "shared_load_stride", strides[i], 1024);
    stream("stream_shared_load_16", "shared_load_16_stride", 16, 1024);
    stream("stream_shared_store", "shared_store_stride", 4, 1024);
    for (int i = 0; i < 7; i += i ? 5 : 1)
        stream("stream_shared_atomic", "shared_atomic_stride", strides[i], 1024);
    for (int i = 0; i < 7; i++)
        stream("stream_l1_load", "l1_load_stride", strides[i], 1024);
    stream("stream_l1_load_16", "l1_load_16_stride", 16, 1024);
    stream("stream_l2_load", "l2_load_stride", 4, 1024);
    stream("stream_l2_load", "l2_load_stride", 32, 1024);
    stream("stream_l2_load", "l2_load_stride", 128, 1024);
    stream("stream_store", "store_stride", 4, 1024);
    stream("stream_store", "store_stride", 32, 1024);
    stream("stream_store", "store_stride", 128, 1024);
    stream("stream_atomic", "atomic_stride", 0, 1024);
    stream("stream_atomic", "atomic_stride", 4, 1024);
    stream("stream_atomic", "atomic_stride", 128, 1024);
}

/* ---- what the whole GPU moves ---- */

static void sweep(const char *kernel, const char *name, unsigned blocks, size_t bytes, unsigned rounds)
{
    CUdeviceptr buffer = allocate(bytes);
    const bool by_lines = !strcmp(kernel, "sweep_sectors");
    uint64_t count = bytes / (by_lines ? 128 : 16);
    void *arguments[] = {&buffer, &count, &rounds, &times, &sink};
    double ns = event_ns(kernel, blocks, 1024, arguments, 1);
    if (by_lines)
        print(name, (double)count * rounds / ns, "sectors, each of another line, per ns");
    else
        print(name, (double)bytes * rounds / ns, "GB/s");
    if (blocks == 1) {
        uint64_t t[2];
        char text[80];
        check(cuMemcpyDtoH(t, times, sizeof t), "times");
        snprintf(text, sizeof text, "%s_by_cycle", name);
        print(text, (double)bytes * rounds / (double)(t[1] - t[0]), "bytes per cycle and SM");
    }
    check(cuMemFree(buffer), "free");
}

/* Stores of single words, to lines that the L2 holds. */
static void measure_stores(bool is_quick)
{
    const unsigned blocks = 2 * (unsigned)sm_count;
    uint64_t bytes = 16 << 20;
    CUdeviceptr buffer = allocate(bytes);
    for (unsigned stride = 4; stride <= 256; stride *= 2) {
        unsigned rounds = is_quick ? 4 : 200;
        void *arguments[] = {&buffer, &bytes, &stride, &rounds};
        double ns = event_ns("sweep_store_words", blocks, 1024, arguments, 1);
        print_at("stores_stride", stride, blocks * 1024.0 * rounds / ns, "words per ns");
    }
    check(cuMemFree(buffer), "free");
}

static void measure_sweeps(bool is_quick)
{
    const unsigned all = 2 * (unsigned)sm_count;
    sweep("sweep_l1", "bandwidth_l1_one_sm", 1, 64 << 10, is_quick ? 8 : 200);
    sweep("sweep_l2", "bandwidth_l2_one_sm", 1, 1 << 20, is_quick ? 1 : 20);
    sweep("sweep_l2", "bandwidth_l2", all, 16 << 20, is_quick ? 1 : 100);
    sweep("sweep_l2", "bandwidth_dram", all, is_quick ? 64 << 20 : (size_t)2 << 30, 1);
    sweep("sweep_sectors", "bandwidth_l2_lines", all, 16 << 20, is_quick ? 1 : 100);
    measure_stores(is_quick);
    size_t bytes = is_quick ? 64 << 20 : (size_t)2 << 30;
    CUdeviceptr buffer = allocate(bytes);
    uint64_t count = bytes / 16;
    void *arguments[] = {&buffer, &count};
    print("bandwidth_dram_store", (double)bytes / event_ns("sweep_store", all, 1024, arguments, 1), "GB/s");
    for (unsigned spread = 0; spread < 2; spread++) {
        unsigned rounds = is_quick ? 1 : 20;
        void *more[] = {&buffer, &spread, &rounds};
        double ns = event_ns("sweep_atomic", all, 1024, more, 1);
        print(spread ? "atomics_spread" : "atomics_one_word", all * 1024.0 * rounds / ns, "atomics per ns");
    }
    check(cuMemFree(buffer), "free");
}

/* ---- control ---- */

static int compare_turns(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Time from the end of a block to the start of the next on its SM, where one fits at a time. */
static void measure_blocks(void)
{
    const unsigned blocks = 4 * (unsigned)sm_count, shared = 200 << 10;
    unsigned rounds = 2000;
    CUdeviceptr turns = allocate((size_t)blocks * 24);
    uint64_t *t = calloc(blocks, 24);
    double *gaps = calloc(blocks, sizeof *gaps);
    int count = 0;
    void *arguments[] = {&turns, &rounds};
    if (!t || !gaps)
        check(CUDA_ERROR_OUT_OF_MEMORY, "host memory");
    launch("block_turns", blocks, 128, shared, arguments);
    check(cuMemcpyDtoH(t, turns, (size_t)blocks * 24), "turns");
    qsort(t, blocks, 24, compare_turns);
    for (unsigned i = 1; i < blocks; i++)
        if (t[3 * i] == t[3 * (i - 1)])
            gaps[count++] = (double)(t[3 * i + 1] - t[3 * (i - 1) + 2]);
    qsort(gaps, (size_t)count, sizeof *gaps, compare_doubles);
    if (count)
        print("block_turn", gaps[count / 2], "cycles from the end of a block to the next on its SM");
    free(t);
    free(gaps);
    check(cuMemFree(turns), "free");
}

static void measure_code(void)
{
    unsigned factor = 3;
    uint64_t t[TIMES];
    void *arguments[] = {&factor, &times, &sink};
    launch("straight_code", 1, 32, 0, arguments);
    check(cuMemcpyDtoH(t, times, sizeof t), "times");
    print("straight_code_first", (double)(t[1] - t[0]) / 1024, "cycles per instruction, fetched for the first time");
    print("straight_code_again", least_cycles(32) / 1024, "cycles per instruction");
}

static void measure_control(bool is_quick)
{
    static const unsigned warps[] = {1, 2, 4, 8, 16, 32};
    void *only_times[] = {&times}, *fence[] = {&times, &cells};
    for (int i = 0; i < 6; i++) {
        launch("barrier_interval", 1, warps[i] * 32, 0, only_times);
        print_at("barrier_warps", warps[i], least_cycles(warps[i] * 32) / 64, "cycles per barrier");
    }
    launch("warp_barrier_interval", 1, 32, 0, only_times);
    print("warp_barrier", least_cycles(32) / 64, "cycles");
    launch("fence_interval", 1, 32, 0, fence);
    print("store_and_fence", least_cycles(32) / 16, "cycles");
    unsigned rounds = 256, mask = 0;
    void *uniform[] = {&rounds, &times, &sink}, *divergent[] = {&rounds, &mask, &times, &sink};
    launch("loop_uniform", 1, 32, 0, uniform);
    print("loop_uniform", least_cycles(32) / rounds, "cycles per round");
    unsigned own_rounds[32];
    for (int i = 0; i < 32; i++)
        own_rounds[i] = rounds;
    check(cuMemcpyHtoD(values, own_rounds, sizeof own_rounds), "rounds");
    void *by_thread[] = {&values, &times, &sink};
    launch("loop_by_thread", 1, 32, 0, by_thread);
    print("loop_by_thread", least_cycles(32) / rounds, "cycles per round");
    for (mask = 0; mask < 2; mask++) {
        launch("loop_divergent", 1, 32, 0, divergent);
        print(mask ? "loop_divergent" : "loop_one_side", least_cycles(32) / rounds, "cycles per round");
    }
    measure_blocks();
    print("launch", event_ns("empty", 1, 32, NULL, is_quick ? 2 : 2000), "ns per launch in a row");
    for (unsigned threads = 32; threads <= 1024; threads *= 2) {
        unsigned blocks = (unsigned)sm_count * (is_quick ? 64 : 1024);
        print_at("block_rate_threads", threads, event_ns("empty", blocks, threads, NULL, 1) * mhz / 1000 / blocks,
                 "cycles per empty block of the GPU");
    }
    measure_code();
}

/* The clock while the GPU works: a second launch, after one that wakes it. */
static void measure_clock(bool is_quick)
{
    uint64_t counted[2], ns = is_quick ? 20000 : 20000000;
    void *arguments[] = {&times, &ns};
    for (int i = 0; i < 2; i++)
        launch("clock_rate", 1, 1, 0, arguments);
    check(cuMemcpyDtoH(counted, times, sizeof counted), "clock");
    mhz = counted[1] ? 1000.0 * (double)counted[0] / (double)counted[1] : 0;
    print("clock", mhz, "MHz");
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    if (f && !fseek(f, 0, SEEK_END)) {
        long size = ftell(f);
        rewind(f);
        text = size > 0 ? calloc(1, (size_t)size + 1) : NULL;
        if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
            free(text);
            text = NULL;
        }
    }
    if (f)
        fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], "quick"))) {
        fputs(usage, stderr);
        return STATUS_USAGE;
    }
    const bool is_quick = argc == 3;
    char *text = read_text(argv[1]);
    CUdevice device;
    CUcontext context;
    if (!text) {
        fprintf(stderr, "micro: %s cannot be read\n", argv[1]);
        return STATUS_CANNOT_RUN;
    }
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "device");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    check(cuDeviceGetAttribute(&sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device), "device");
    check(cuModuleLoadData(&module, text), "module");
    free(text);
    times = allocate(TIMES * 8);
    sink = allocate(SINK_BYTES);
    values = allocate(VALUES * 8);
    cells = allocate(1 << 20);
    measure_clock(is_quick);
    measure_instructions();
    measure_latencies(is_quick);
    measure_streams();
    measure_control(is_quick);
    measure_sweeps(is_quick);
    return 0;
}
