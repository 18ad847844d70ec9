/*
 * The benchmarks: how many warp instructions a second the engine runs, and how long a start takes.
 *
 *   bench [KERNEL-FOLDER]
 *
 * Each figure is the best of several runs, since what disturbs a run only ever slows it.
 */
#define _GNU_SOURCE
#include "base/diag.h"
#include "base/text.h"
#include "exec/code.h"
#include "exec/launch.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct ptx_module *load(const char *folder, const char *name)
{
    char path[512];
    struct diag diag = {0};
    snprintf(path, sizeof path, "%s/%s.ptx", folder, name);
    struct ptx_module *m = ptx_parse_file(path, &diag);
    if (!m) {
        diag_print(&diag, stderr);
        exit(1);
    }
    return m;
}

struct experiment {
    const char *name;
    const char *machine; /* NULL: functional */
    uint32_t blocks, threads;
    uint32_t table_words; /* 0: the kernel takes no table */
    uint32_t rounds;
};

static void run(const char *folder, const struct experiment *x)
{
    struct ptx_module *module = load(folder, x->name);
    struct memory *memory = memory_create(UINT64_C(1) << 32);
    char *error = NULL;
    struct image *image = image_load(module, memory, &error);
    struct code *code = image ? code_create(ptx_find_function(module, x->name), image, &error) : NULL;
    if (!code)
        fatal("%s: %s", x->name, error);
    uint64_t out = memory_alloc(memory, 4ull * x->blocks * x->threads, "out");
    uint8_t parameters[32] = {0};
    memcpy(parameters, &out, 8);
    size_t at = 8;
    if (x->table_words) {
        uint64_t table = memory_alloc(memory, 4ull * x->table_words, "table");
        uint32_t *words = memory_host(memory, table, 4ull * x->table_words), mask = x->table_words - 1, state = 1;
        for (uint32_t i = 0; i < x->table_words; i++)
            words[i] = state = state * 1664525u + 1013904223u;
        memcpy(parameters + 8, &table, 8);
        memcpy(parameters + 16, &mask, 4);
        at = 20;
    }
    memcpy(parameters + at, &x->rounds, 4);
    struct launch launch = {
        .kernel = ptx_find_function(module, x->name),
        .image = image,
        .grid = {x->blocks, 1, 1},
        .block = {x->threads, 1, 1},
        .parameters = parameters,
        .parameter_bytes = code_program(code)->layout->parameter_bytes,
    };
    double best = 1e30;
    struct launch_result result;
    uint64_t knobs[64];
    knob_defaults(div_find("pdom")->knobs, knobs);
    uint64_t cycles = 0, transactions = 0;
    struct machine *machine = x->machine ? machine_load(x->machine, &error) : NULL;
    for (int i = 0; i < (machine ? 2 : REPEATS); i++) {
        double start = seconds();
        if (machine) {
            struct gpu_run how = {.machine = machine, .mechanism = div_find("pdom"), .mechanism_knobs = knobs};
            struct gpu_result timed;
            gpu_launch(&how, &launch, code, &timed);
            result = timed.launch;
            cycles = timed.cycles;
            transactions = timed.sm.transactions;
            gpu_result_free(&timed);
        } else {
            engine_launch(&launch, code, &result);
        }
        double took = seconds() - start;
        best = took < best ? took : best;
    }
    if (result.fault.kind)
        fatal("%s: %s", x->name, fault_text[result.fault.kind]);
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", x->name, x->machine ? " on " : "", x->machine ? x->machine : "");
    printf("%-18s %7.1f M warp instructions/s %8.1f M thread instructions/s %7.1f ns/strand issue  SIMD %5.1f%%\n",
           name, 1e-6 * (double)result.warp_instructions / best, 1e-6 * (double)result.thread_instructions / best,
           1e9 * best / (double)result.warp_instructions,
           100.0 * (double)result.thread_instructions / (32.0 * (double)result.warp_instructions));
    if (machine)
        printf("%-18s %7.1f M transactions/s, %.0f cycles\n", "", 1e-6 * (double)transactions / best, (double)cycles);
    machine_free(machine);
    code_destroy(code);
    image_unload(image);
    memory_destroy(memory);
    ptx_destroy(module);
}

/* A kernel of so many lines that look like a compiler's: arithmetic, loads, stores, branches. */
static char *long_kernel(int lines)
{
    struct text t = {0};
    text_printf(&t, ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                    ".reg .pred %%p<%d>;\n.reg .b32 %%r<%d>;\n.reg .b64 %%rd<4>;\nld.param.u64 %%rd1, [p];\n"
                    "cvta.to.global.u64 %%rd2, %%rd1;\nmov.u32 %%r0, %%tid.x;\n",
                lines, lines);
    int label = 0;
    for (int i = 1; i < lines - 16; i++)
        switch (i % 10) {
        case 3:
            text_printf(&t, "ld.global.u32 %%r%d, [%%rd2+%d];\n", i, 4 * (i % 64));
            break;
        case 6:
            text_printf(&t, "setp.lt.s32 %%p%d, %%r%d, %d;\n@%%p%d bra $L%d;\n", i, i - 1, i, i, label);
            i++;
            text_printf(&t, "mov.u32 %%r%d, %%r%d;\nmov.u32 %%r%d, 1;\n", i - 1, i - 2, i);
            break;
        case 9:
            text_printf(&t, "$L%d:\nst.global.u32 [%%rd2+%d], %%r0;\nmov.u32 %%r%d, %%r0;\n", label++, 4 * (i % 64), i);
            break;
        default:
            text_printf(&t, "mad.lo.s32 %%r%d, %%r%d, %d, %%r0;\n", i, i - 1, i);
        }
    text_printf(&t, "$L%d:\nret;\n}\n", label);
    return text_take(&t);
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* From text in memory to the first instruction executed: parse, analyse, load, bind, start. */
static void run_start(void)
{
    char *text = long_kernel(4200);
    double best = 1e30;
    for (int i = 0; i < REPEATS; i++) {
        double start = seconds();
        struct diag diag = {0};
        struct ptx_module *module = ptx_parse("long.ptx", text, strlen(text), &diag);
        if (!module) {
            diag_print(&diag, stderr);
            exit(1);
        }
        struct memory *memory = memory_create(UINT64_C(1) << 32);
        char *error = NULL;
        struct image *image = image_load(module, memory, &error);
        struct code *code = image ? code_create(module->functions[0], image, &error) : NULL;
        if (!code)
            fatal("start: %s", error);
        uint64_t buffer = memory_alloc(memory, 4096, "buffer");
        struct launch launch = {.kernel = module->functions[0], .image = image, .grid = {1, 1, 1},
                                .block = {1, 1, 1}, .parameters = &buffer, .parameter_bytes = 8,
                                .instruction_limit = 1};
        struct launch_result result;
        engine_launch(&launch, code, &result);
        double took = seconds() - start;
        best = took < best ? took : best;
        code_destroy(code);
        image_unload(image);
        memory_destroy(memory);
        ptx_destroy(module);
    }
    printf("%-18s %7.1f ms from %d lines of text to the first instruction\n", "start", 1e3 * best, count_lines(text));
    free(text);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "bench";
    static const struct experiment experiments[] = {
        {"alu", NULL, 64, 256, 0, 200}, {"gather", NULL, 64, 256, 1 << 16, 300},
        {"divergent", NULL, 64, 256, 0, 300}, {"alu", "fermi", 64, 256, 0, 20},
        {"gather", "fermi", 64, 256, 1 << 16, 10}, {"divergent", "fermi", 64, 256, 0, 60},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++)
        run(folder, &experiments[i]);
    run_start();
    return 0;
}
