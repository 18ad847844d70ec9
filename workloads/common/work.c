/* The frame of every workload's host program: see work.h. */
#include "work.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_BAD_INPUT = 1, STATUS_USAGE = 2, STATUS_WRONG = 3 };
enum { MOST_ALLOCATIONS = 256 };

struct work {
    CUcontext context;
    CUmodule module;
    CUdeviceptr device[MOST_ALLOCATIONS];
    void *host[MOST_ALLOCATIONS];
    CUtexObject texture[MOST_ALLOCATIONS];
    int device_count, host_count, texture_count;
    uint64_t state; /* of the random numbers */
    bool is_wrong;
    char said[256];
};

/* The PTX, made part of the program: see ptx.S. Those with hints are empty if the kernels have none. */
extern const char work_ptx[], work_ptx_plain[], work_ptx_hints[], work_ptx_plain_hints[];

static const char *const size_name[] = {[WORK_TEST] = "test", [WORK_SMALL] = "small", [WORK_PAPER] = "paper"};
enum { SIZES = sizeof size_name / sizeof *size_name };

/* What the command line asks for. */
struct command_line {
    enum work_size size;
    bool is_plain;    /* --ptx plain */
    bool wants_hints; /* --hints */
    unsigned number;  /* --number: of a generated kernel */
};

static void stop(const char *what)
{
    fprintf(stderr, "%s: %s\n", workload.name, what);
    exit(STATUS_BAD_INPUT);
}

static void must(CUresult result, const char *call)
{
    const char *text = NULL;
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s: %s: %s\n", workload.name, call, text ? text : "unknown error");
    exit(result == CUDA_ERROR_OPERATING_SYSTEM ? STATUS_BAD_INPUT : STATUS_WRONG);
}

/* ---- the device ---- */

CUdeviceptr work_alloc(struct work *w, size_t bytes)
{
    if (w->device_count == MOST_ALLOCATIONS)
        stop("too many allocations");
    CUdeviceptr *p = &w->device[w->device_count++];
    must(cuMemAlloc(p, bytes ? bytes : 1), "cuMemAlloc");
    must(cuMemsetD8(*p, 0, bytes ? bytes : 1), "cuMemsetD8");
    return *p;
}

CUdeviceptr work_upload(struct work *w, const void *data, size_t bytes)
{
    CUdeviceptr p = work_alloc(w, bytes);
    work_write(w, p, data, bytes);
    return p;
}

void work_write(struct work *w, CUdeviceptr to, const void *data, size_t bytes)
{
    (void)w;
    must(cuMemcpyHtoD(to, data, bytes), "cuMemcpyHtoD");
}

void work_read(struct work *w, void *into, CUdeviceptr from, size_t bytes)
{
    (void)w;
    must(cuMemcpyDtoH(into, from, bytes), "cuMemcpyDtoH");
}

CUdeviceptr work_symbol(struct work *w, const char *name, size_t bytes)
{
    CUdeviceptr p = 0;
    size_t actual = 0;
    must(cuModuleGetGlobal(&p, &actual, w->module, name), name);
    if (actual != bytes)
        stop("a variable of the kernels has another size than the host thinks");
    return p;
}

CUtexObject work_texture(struct work *w, CUdeviceptr data, size_t bytes, CUarray_format format, unsigned channels)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CUDA_TEXTURE_DESC sampling = {.flags = CU_TRSF_READ_AS_INTEGER};
    if (w->texture_count == MOST_ALLOCATIONS)
        stop("too many textures");
    resource.res.linear.devPtr = data;
    resource.res.linear.format = format;
    resource.res.linear.numChannels = channels;
    resource.res.linear.sizeInBytes = bytes;
    CUtexObject *t = &w->texture[w->texture_count++];
    must(cuTexObjectCreate(t, &resource, &sampling, NULL), "cuTexObjectCreate");
    return *t;
}

static unsigned at_least_one(unsigned n)
{
    return n ? n : 1;
}

void work_launch(struct work *w, const char *kernel, struct work_shape grid, struct work_shape block,
                 size_t shared_bytes, void **arguments)
{
    CUfunction f;
    must(cuModuleGetFunction(&f, w->module, kernel), kernel);
    must(cuLaunchKernel(f, at_least_one(grid.x), at_least_one(grid.y), at_least_one(grid.z), at_least_one(block.x),
                        at_least_one(block.y), at_least_one(block.z), (unsigned)shared_bytes, NULL, arguments, NULL),
         kernel);
    must(cuCtxSynchronize(), kernel);
}

/* ---- inputs ---- */

void *work_buffer(struct work *w, size_t count, size_t bytes)
{
    void *p = calloc(count ? count : 1, bytes);
    if (!p || w->host_count == MOST_ALLOCATIONS)
        stop("no memory");
    w->host[w->host_count++] = p;
    return p;
}

/* SplitMix64 (Steele, Lea, Flood, 2014): any seed is good. */
uint32_t work_random(struct work *w)
{
    uint64_t z = w->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 32);
}

uint32_t work_random_below(struct work *w, uint32_t bound)
{
    return (uint32_t)((uint64_t)work_random(w) * bound >> 32);
}

float work_random_unit(struct work *w)
{
    return (float)(work_random(w) >> 8) * 0x1p-24f;
}

/* ---- the verdict ---- */

static void report_wrong(struct work *w, const char *what, size_t wrong, size_t count, size_t first, const char *values)
{
    if (!wrong)
        return;
    w->is_wrong = true;
    fprintf(stderr, "%s: wrong: %zu of %zu %s differ from the reference; the first is number %zu: %s\n", workload.name,
            wrong, count, what, first, values);
}

void work_compare_u32(struct work *w, const char *what, const uint32_t *got, const uint32_t *want, size_t count)
{
    size_t wrong = 0, first = 0;
    char values[96] = "";
    for (size_t i = 0; i < count; i++) {
        if (got[i] == want[i])
            continue;
        if (!wrong++) {
            first = i;
            snprintf(values, sizeof values, "%u instead of %u", got[i], want[i]);
        }
    }
    report_wrong(w, what, wrong, count, first, values);
}

void work_compare_f32(struct work *w, const char *what, const float *got, const float *want, size_t count,
                      float relative, float absolute)
{
    size_t wrong = 0, first = 0;
    char values[96] = "";
    for (size_t i = 0; i < count; i++) {
        float difference = fabsf(got[i] - want[i]);
        if (difference <= absolute || difference <= relative * fabsf(want[i]))
            continue;
        if (!wrong++) {
            first = i;
            snprintf(values, sizeof values, "%.9g instead of %.9g", (double)got[i], (double)want[i]);
        }
    }
    report_wrong(w, what, wrong, count, first, values);
}

void work_check(struct work *w, bool is_right, const char *format, ...)
{
    va_list list;
    if (is_right)
        return;
    w->is_wrong = true;
    fprintf(stderr, "%s: wrong: ", workload.name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

void work_say(struct work *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(w->said, sizeof w->said, format, list);
    va_end(list);
}

/* ---- the program ---- */

static void print_help(FILE *out)
{
    fprintf(out,
            "%s [--size test|small|paper] [--ptx nvcc|plain]%s\n\n"
            "Runs the workload and verifies its result against one computed by the CPU.\n\n"
            "--size SIZE  How much work there is: small, unless another is given.\n"
            "--ptx WHICH  nvcc: the kernels as nvcc compiles them, which is the default.\n"
            "             plain: as clang compiles them with every branch kept as written.\n"
            "%s"
            "Status: 0 right, 1 could not run, 2 wrong command line, 3 wrong result.\n",
            workload.name, *work_ptx_hints ? " [--hints]" : "",
            *work_ptx_hints ? "--hints      The kernels with hints where threads should reconverge (heddle_hints.h).\n"
                            : "");
}

static void refuse(const char *what)
{
    fprintf(stderr, "%s: what is '%s'?\n", workload.name, what);
    print_help(stderr);
    exit(STATUS_USAGE);
}

/* The number of the word among `count` names. */
static int choose(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(word, names[i]))
            return i;
    refuse(word);
    return 0;
}

static unsigned read_number(const char *word)
{
    char *end;
    unsigned long number = strtoul(word, &end, 10);
    if (*end || end == word || *word == '-' || number >= workload.numbers)
        refuse(word);
    return (unsigned)number;
}

static struct command_line parse(int argc, char **argv)
{
    struct command_line c = {.size = WORK_SMALL};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) {
            print_help(stdout);
            exit(0);
        } else if (!strcmp(argv[i], "--hints")) {
            c.wants_hints = true;
            if (!*work_ptx_hints)
                stop("its kernels have no hints");
        } else if (!strcmp(argv[i], "--size") && i + 1 < argc) {
            c.size = (enum work_size)choose(argv[++i], size_name, SIZES);
        } else if (!strcmp(argv[i], "--number") && i + 1 < argc && workload.make_ptx) {
            c.number = read_number(argv[++i]);
        } else if (!strcmp(argv[i], "--ptx") && i + 1 < argc) {
            c.is_plain = choose(argv[++i], (const char *const[]){"nvcc", "plain"}, 2);
        } else {
            refuse(argv[i]);
        }
    }
    return c;
}

static const char *choose_ptx(const struct command_line *c)
{
    if (c->wants_hints)
        return c->is_plain ? work_ptx_plain_hints : work_ptx_hints;
    return c->is_plain ? work_ptx_plain : work_ptx;
}

static void open_device(struct work *w, const char *ptx)
{
    CUdevice device;
    must(cuInit(0), "cuInit");
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cuDevicePrimaryCtxRetain(&w->context, device), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(w->context), "cuCtxSetCurrent");
    must(cuModuleLoadData(&w->module, ptx), "cuModuleLoadData");
}

static void close_device(struct work *w)
{
    for (int i = 0; i < w->texture_count; i++)
        must(cuTexObjectDestroy(w->texture[i]), "cuTexObjectDestroy");
    for (int i = 0; i < w->device_count; i++)
        must(cuMemFree(w->device[i]), "cuMemFree");
    must(cuModuleUnload(w->module), "cuModuleUnload");
    must(cuDevicePrimaryCtxRelease(0), "cuDevicePrimaryCtxRelease");
    for (int i = 0; i < w->host_count; i++)
        free(w->host[i]);
}

int main(int argc, char **argv)
{
    struct command_line c = parse(argc, argv);
    struct work w = {.state = 1};
    char *made = workload.make_ptx ? workload.make_ptx(c.number) : NULL;
    open_device(&w, made ? made : choose_ptx(&c));
    free(made);
    workload.run(&w, c.size);
    close_device(&w);
    if (w.is_wrong)
        return STATUS_WRONG;
    printf("%s", workload.name);
    if (workload.make_ptx)
        printf("-%u", c.number);
    printf(" %s: right%s%s\n", size_name[c.size], *w.said ? ": " : "", w.said);
    if (fflush(stdout))
        stop("cannot write the verdict");
    return 0;
}
