/*
 * Compares every result of the approximate instructions with a GPU's: all 2^32 inputs of those with one operand, all 2^32
 * upper words of those of double precision, 2^32 random pairs for divisions. Prints a row for each form: how many results
 * are equal, the largest difference in units of the last place, and the first input that differs.
 *
 * compare.sh compiles it on a machine with a GPU. It calls heddle's handlers (src/lanes/math.c) directly.
 */
#include "lanes/lane_loop.h"

#include <cuda.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 1 << 26, MAX_THREADS = 64 };

static const struct form {
    const char *opcode;
    uint16_t op;
    bool ftz;
    int operands; /* 0: one of double precision, of which the upper word counts */
} forms[] = {
    {"rcp.approx.f32", OP_RCP_APPROX, false, 1},
    {"rcp.approx.ftz.f32", OP_RCP_APPROX, true, 1},
    {"sqrt.approx.f32", OP_SQRT_APPROX, false, 1},
    {"sqrt.approx.ftz.f32", OP_SQRT_APPROX, true, 1},
    {"rsqrt.approx.f32", OP_RSQRT_APPROX, false, 1},
    {"rsqrt.approx.ftz.f32", OP_RSQRT_APPROX, true, 1},
    {"sin.approx.f32", OP_SIN, false, 1},
    {"sin.approx.ftz.f32", OP_SIN, true, 1},
    {"cos.approx.f32", OP_COS, false, 1},
    {"cos.approx.ftz.f32", OP_COS, true, 1},
    {"lg2.approx.f32", OP_LG2, false, 1},
    {"lg2.approx.ftz.f32", OP_LG2, true, 1},
    {"ex2.approx.f32", OP_EX2, false, 1},
    {"ex2.approx.ftz.f32", OP_EX2, true, 1},
    {"tanh.approx.f32", OP_TANH, false, 1},
    {"div.approx.f32", OP_DIV_APPROX, false, 2},
    {"div.approx.ftz.f32", OP_DIV_APPROX, true, 2},
    {"div.full.f32", OP_DIV_FULL, false, 2},
    {"div.full.ftz.f32", OP_DIV_FULL, true, 2},
    {"rcp.approx.ftz.f64", OP_RCP_APPROX_F64, true, 0},
    {"rsqrt.approx.ftz.f64", OP_RSQRT_APPROX_F64, true, 0},
};

static void check(CUresult status, const char *what)
{
    if (status == CUDA_SUCCESS)
        return;
    const char *text = "unknown";
    cuGetErrorString(status, &text);
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

/* A second operand that depends on the first one alone, so that both sides can make it. */
static uint32_t partner(uint32_t a)
{
    uint32_t h = a * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    return h ^ h >> 13;
}

static const char *const kernel_head =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry apply(.param .u64 out, .param .u32 first)\n{\n"
    ".reg .b32 %r<12>;\n.reg .f32 %f<4>;\n.reg .f64 %d<4>;\n.reg .b64 %p<4>;\n"
    "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %r0, 256, %r1;\n"
    "ld.param.u32 %r3, [first];\nadd.u32 %r4, %r2, %r3;\n"
    "mul.lo.u32 %r5, %r4, 2654435761;\nshr.u32 %r6, %r5, 15;\nxor.b32 %r5, %r5, %r6;\n"
    "mul.lo.u32 %r5, %r5, 2246822519;\nshr.u32 %r6, %r5, 13;\nxor.b32 %r5, %r5, %r6;\n"
    "mov.b32 %f0, %r4;\nmov.b32 %f1, %r5;\nmov.b64 %d0, {%r5, %r4};\n";
static const char *const kernel_tail = "ld.param.u64 %p0, [out];\nmul.wide.u32 %p1, %r2, 4;\nadd.u64 %p0, %p0, %p1;\n"
                                       "st.global.u32 [%p0], %r7;\nret;\n}\n";

static CUfunction load_kernel(const struct form *form, CUmodule *module)
{
    char text[4096], line[200];
    if (form->operands == 2)
        snprintf(line, sizeof line, "%s %%f2, %%f0, %%f1;\nmov.b32 %%r7, %%f2;\n", form->opcode);
    else if (form->operands == 1)
        snprintf(line, sizeof line, "%s %%f2, %%f0;\nmov.b32 %%r7, %%f2;\n", form->opcode);
    else
        snprintf(line, sizeof line, "%s %%d1, %%d0;\nmov.b64 {%%r8, %%r7}, %%d1;\n", form->opcode);
    snprintf(text, sizeof text, "%s%s%s", kernel_head, line, kernel_tail);
    CUfunction f;
    check(cuModuleLoadData(module, text), form->opcode);
    check(cuModuleGetFunction(&f, *module, "apply"), form->opcode);
    return f;
}

/* What one thread of the host compares: `count` results from the input `first` on. */
struct share {
    lane_fn *fn;
    const struct form *form;
    uint32_t first;
    const uint32_t *result;
    uint32_t count;
    uint64_t different, worst;
    uint32_t example, example_result, example_mine;
};

/* Distance of two results in steps from one number to the next; a NaN is farther than any. */
static uint64_t distance(uint32_t a, uint32_t b)
{
    int64_t x = a >> 31 ? -(int64_t)(a & 0x7fffffff) : (int64_t)a,
            y = b >> 31 ? -(int64_t)(b & 0x7fffffff) : (int64_t)b;
    return (uint64_t)(x > y ? x - y : y - x);
}

static void *compare(void *argument)
{
    struct share *s = argument;
    uint32_t a[ROW_LANES], b[ROW_LANES], d[ROW_LANES];
    uint64_t wide[ROW_LANES], wide_result[ROW_LANES];
    bool is_wide = !s->form->operands;
    struct lanes x = {.dest = {is_wide ? (void *)wide_result : d}, .source = {is_wide ? (void *)wide : a, b}};
    for (uint32_t i = 0; i < s->count; i += ROW_LANES) {
        for (uint32_t k = 0; k < ROW_LANES; k++) {
            a[k] = s->first + i + k;
            b[k] = partner(a[k]);
            wide[k] = (uint64_t)a[k] << 32 | b[k];
        }
        s->fn(&x);
        for (uint32_t k = 0; k < ROW_LANES; k++) {
            uint32_t mine = is_wide ? (uint32_t)(wide_result[k] >> 32) : d[k], theirs = s->result[i + k];
            if (mine == theirs)
                continue;
            if (!s->different++) {
                s->example = a[k];
                s->example_result = theirs;
                s->example_mine = mine;
            }
            uint64_t far = distance(mine, theirs);
            s->worst = far > s->worst ? far : s->worst;
        }
    }
    return NULL;
}

static void compare_form(const struct form *form, CUdeviceptr out, uint32_t *result, int threads)
{
    struct insn insn = {.op = form->op, .suffixes.flags = form->ftz ? 1ull << FLAG_FTZ : 0};
    lane_fn *fn = lanes_find_math(&insn);
    CUmodule module;
    CUfunction kernel = load_kernel(form, &module);
    uint64_t different = 0, worst = 0;
    struct share example = {0};
    for (uint64_t first = 0; first < 1ull << 32; first += CHUNK) {
        uint32_t start = (uint32_t)first;
        void *arguments[] = {&out, &start};
        check(cuLaunchKernel(kernel, CHUNK / 256, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL), form->opcode);
        check(cuMemcpyDtoH(result, out, CHUNK * 4ull), form->opcode);
        struct share shares[MAX_THREADS];
        pthread_t thread[MAX_THREADS];
        for (int t = 0; t < threads; t++) {
            uint32_t count = CHUNK / (uint32_t)threads;
            shares[t] = (struct share){
                fn, form, start + (uint32_t)t * count, result + (uint32_t)t * count, count, 0, 0, 0, 0, 0};
            pthread_create(&thread[t], NULL, compare, &shares[t]);
        }
        for (int t = 0; t < threads; t++) {
            pthread_join(thread[t], NULL);
            if (!different && shares[t].different)
                example = shares[t];
            different += shares[t].different;
            worst = shares[t].worst > worst ? shares[t].worst : worst;
        }
    }
    cuModuleUnload(module);
    printf("| `%s` | 2^32 | %.6f %% | %llu | ", form->opcode, 100.0 - (double)different / 0x1p32 * 100.0,
           (unsigned long long)worst);
    if (different)
        printf("%llu differ, first 0x%08x: 0x%08x, here 0x%08x |\n", (unsigned long long)different, example.example,
               example.example_result, example.example_mine);
    else
        printf("none |\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    while (threads > MAX_THREADS || threads < 1 || CHUNK / ROW_LANES % threads)
        threads = threads > 1 ? threads - 1 : 1;
    CUdevice device;
    CUcontext context;
    CUdeviceptr out;
    uint32_t *result;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuMemAlloc(&out, CHUNK * 4ull), "cuMemAlloc");
    check(cuMemAllocHost((void **)&result, CHUNK * 4ull), "cuMemAllocHost");
    printf("| instruction | inputs | equal | largest difference | different |\n|---|---|---:|---:|---|\n");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        compare_form(&forms[i], out, result, threads);
    return 0;
}
