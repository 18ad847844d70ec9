/*
 * The benchmarks: how many warp instructions and memory transactions per second the engine and a machine simulate,
 * whether the cost of an instruction stays the same as runs grow, how much memory a run takes, and how long a start
 * takes.
 *
 *   bench [KERNEL-FOLDER [EXPERIMENT]]
 *
 * EXPERIMENT is a name as the benchmark prints it ("divergent on fermi, tbc"): only that experiment is run, once.
 * Otherwise each figure is the best of several runs, since a disturbance can only slow a run down.
 */
#define _GNU_SOURCE
#include "base/diag.h"
#include "base/text.h"
#include "device/launch.h"
#include "div/table.h"
#include "exec/functional.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { REPEATS = 5 };

static double seconds(void)
{
    struct timespec t;
    /* CPU time of this process alone, so that other processes of the host do not count */
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
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

enum shape { OUT_ROUNDS, OUT_TABLE_MASK_ROUNDS, OUT_IN_ROUNDS }; /* which parameters a kernel has */

struct experiment {
    const char *name;
    const char *machine;   /* machine to simulate; NULL: the functional engine */
    const char *mechanism; /* NULL: pdom */
    enum shape shape;
    uint32_t blocks, threads;
    uint32_t words; /* length of the table, or of each array of a copy, in words */
    uint32_t rounds;
};

struct bench_outcome {
    double seconds;
    uint64_t cycles, warp_instructions, thread_instructions, transactions;
};

/* A kernel with its memory and parameters, ready to launch. */
struct prepared {
    struct ptx_module *module;
    struct memory *memory;
    struct image *image;
    struct code *code;
    uint8_t parameters[32];
    struct launch launch;
};

static void put(uint8_t *parameters, size_t *at, const void *value, size_t bytes)
{
    *at = (*at + bytes - 1) / bytes * bytes;
    memcpy(parameters + *at, value, bytes);
    *at += bytes;
}

static void prepare(const char *folder, const struct experiment *x, struct prepared *p)
{
    char *error = NULL;
    *p = (struct prepared){.module = load(folder, x->name), .memory = memory_create(UINT64_C(1) << 32)};
    const struct ptx_function *kernel = ptx_find_function(p->module, x->name);
    p->image = image_load(p->module, p->memory, &error);
    p->code = p->image ? code_create(kernel, p->image, &error) : NULL;
    if (!p->code)
        fatal("%s: %s", x->name, error);
    size_t at = 0;
    uint64_t out_words = x->shape == OUT_IN_ROUNDS ? x->words : (uint64_t)x->blocks * x->threads;
    uint64_t out = memory_alloc(p->memory, 4 * out_words, "out");
    put(p->parameters, &at, &out, 8);
    if (x->shape != OUT_ROUNDS) {
        uint64_t table = memory_alloc(p->memory, 4ull * x->words, "table");
        uint32_t *words = memory_host(p->memory, table, 4ull * x->words), mask = x->words - 1, state = 1;
        for (uint32_t i = 0; i < x->words; i++)
            words[i] = state = state * 1664525u + 1013904223u;
        put(p->parameters, &at, &table, 8);
        if (x->shape == OUT_TABLE_MASK_ROUNDS)
            put(p->parameters, &at, &mask, 4);
    }
    put(p->parameters, &at, &x->rounds, 4);
    p->launch = (struct launch){
        .kernel = kernel,
        .image = p->image,
        .grid = {x->blocks, 1, 1},
        .block = {x->threads, 1, 1},
        .parameters = p->parameters,
        .parameter_bytes = code_program(p->code)->layout->parameter_bytes,
    };
}

static void clean_up(struct prepared *p)
{
    code_destroy(p->code);
    image_unload(p->image);
    memory_destroy(p->memory);
    ptx_destroy(p->module);
}

static void keep_best(struct bench_outcome *best, struct bench_outcome r)
{
    if (!best->seconds || r.seconds < best->seconds)
        *best = r;
}

static void run_once(struct prepared *p, const struct machine *machine, const char *mechanism,
                     struct bench_outcome *into)
{
    uint64_t knobs[64];
    struct gpu_result timed = {0};
    struct gpu_run how = {
        .machine = machine, .mechanism = div_find(mechanism ? mechanism : "pdom"), .mechanism_knobs = knobs};
    if (how.mechanism->knobs)
        knob_defaults(how.mechanism->knobs, knobs);
    double start = seconds();
    if (machine)
        gpu_launch(&how, &p->launch, p->code, &timed);
    else
        functional_launch(&p->launch, p->code, &timed.launch);
    double took = seconds() - start;
    if (timed.launch.fault.kind)
        fatal("%s: %s", p->launch.kernel->name, fault_text[timed.launch.fault.kind]);
    keep_best(into, (struct bench_outcome){took, timed.cycles, timed.launch.warp_instructions,
                                           timed.launch.thread_instructions, timed.sm.transactions});
    gpu_result_free(&timed);
}

static struct bench_outcome measure(const char *folder, const struct experiment *x, int repeats)
{
    struct prepared p;
    struct bench_outcome best = {0};
    char *error = NULL;
    struct machine *machine = x->machine ? machine_load(x->machine, &error) : NULL;
    if (x->machine && !machine)
        fatal("%s", error);
    prepare(folder, x, &p);
    for (int i = 0; i < repeats; i++)
        run_once(&p, machine, x->mechanism, &best);
    clean_up(&p);
    machine_free(machine);
    return best;
}

static void label(const struct experiment *x, char *into, size_t room)
{
    snprintf(into, room, "%s%s%s%s%s", x->name, x->machine ? " on " : "", x->machine ? x->machine : "",
             x->mechanism ? ", " : "", x->mechanism ? x->mechanism : "");
}

static void run(const char *folder, const struct experiment *x, const char *only)
{
    char name[64];
    label(x, name, sizeof name);
    if (only && strcmp(name, only))
        return;
    struct bench_outcome r = measure(folder, x, only ? 1 : REPEATS);
    double warps = (double)r.warp_instructions, lanes = (double)r.thread_instructions;
    printf("%-18s %6.1f M warp instructions/s %8.1f M thread instructions/s %7.1f ns/strand issue  SIMD %5.1f%%\n",
           name, 1e-6 * warps / r.seconds, 1e-6 * lanes / r.seconds, 1e9 * r.seconds / warps,
           100 * lanes / (32 * warps));
    if (x->machine)
        printf("%-18s %6.1f M transactions/s, %.0f cycles\n", "", 1e-6 * (double)r.transactions / r.seconds,
               (double)r.cycles);
}

/* Host time per issue of a strand, in nanoseconds. */
static double each_issue(const struct bench_outcome *r)
{
    return r->warp_instructions ? 1e9 * r->seconds / (double)r->warp_instructions : 0;
}

/* What each mechanism costs the host: the divergent kernel under every mechanism, relative to pdom. pdom is
 * measured again beside each mechanism, run by run, since on a shared host an earlier measurement says little. */
static void run_mechanisms(const char *folder, const char *only)
{
    const struct experiment pdom = {"divergent", "fermi", "pdom", OUT_ROUNDS, 64, 256, 0, 60};
    for (const struct div_ops *const *m = div_all(); *m; m++) {
        struct experiment x = pdom;
        char name[64];
        x.mechanism = (*m)->name;
        label(&x, name, sizeof name);
        if (only && strcmp(name, only))
            continue;
        struct bench_outcome own = {0}, beside = {0};
        for (int i = 0; i < (only ? 1 : REPEATS); i++) {
            keep_best(&own, measure(folder, &x, 1));
            if (!only)
                keep_best(&beside, measure(folder, &pdom, 1));
        }
        printf("%-32s %7.1f ns/strand issue", name, each_issue(&own));
        if (only)
            puts("");
        else
            printf(", %4.2f times that of pdom\n", each_issue(&own) / each_issue(&beside));
    }
}

/* One kernel at four lengths, each about ten times the one before: the cost of an instruction must stay the same. */
static void run_longer(const char *folder)
{
    static const struct experiment longer[] = {
        {"alu", "fermi", NULL, OUT_ROUNDS, 8, 128, 0, 5},
        {"alu", "fermi", NULL, OUT_ROUNDS, 64, 256, 0, 4},
        {"alu", "fermi", NULL, OUT_ROUNDS, 64, 256, 0, 50},
        {"alu", "fermi", NULL, OUT_ROUNDS, 256, 256, 0, 120},
    };
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        struct bench_outcome r = measure(folder, &longer[i], 1);
        printf("%-18s %10.2e thread instructions: %6.1f ns/strand issue\n", "alu, longer",
               (double)r.thread_instructions, 1e9 * r.seconds / (double)r.warp_instructions);
    }
}

/* Launches one after the other, as iterative programs make them: what a launch costs that has little to do. */
static void run_launches(const char *folder, const char *machine, const char *name, uint32_t blocks, uint32_t threads,
                         uint32_t rounds)
{
    enum { LAUNCHES = 300 };
    const struct experiment x = {"alu", machine, NULL, OUT_ROUNDS, blocks, threads, 0, rounds};
    struct prepared p;
    struct gpu_kept kept = {0};
    char *error = NULL;
    struct machine *m = machine_load(machine, &error);
    if (!m)
        fatal("%s", error);
    uint64_t knobs[64];
    const struct gpu_run how = {.machine = m, .mechanism = div_find("pdom"), .mechanism_knobs = knobs, .kept = &kept};
    knob_defaults(how.mechanism->knobs, knobs);
    prepare(folder, &x, &p);
    uint64_t issues = 0;
    double start = seconds();
    for (int i = 0; i < LAUNCHES; i++) {
        struct gpu_result result;
        gpu_launch(&how, &p.launch, p.code, &result);
        issues += result.launch.warp_instructions;
        gpu_result_free(&result);
    }
    printf("%-18s %6.0f us per launch of %u blocks and %llu warp instructions on %s\n", name,
           1e6 * (seconds() - start) / LAUNCHES, blocks, (unsigned long long)issues / LAUNCHES, machine);
    clean_up(&p);
    gpu_kept_free(&kept);
    machine_free(m);
}

static void print_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-18s %6.1f MB at most\n", "memory", (double)usage.ru_maxrss / 1024);
}

/* The text of a kernel with about this many lines, like a compiler's: arithmetic, loads, stores, branches. */
static char *long_kernel(int lines)
{
    struct text t = {0};
    text_printf(&t,
                ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
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

/* Time from text in memory to the first instruction executed: parse, analyse, load, bind, start. */
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
        struct launch launch = {.kernel = module->functions[0],
                                .image = image,
                                .grid = {1, 1, 1},
                                .block = {1, 1, 1},
                                .parameters = &buffer,
                                .parameter_bytes = 8,
                                .instruction_limit = 1};
        struct launch_result result;
        functional_launch(&launch, code, &result);
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
    const char *folder = argc > 1 ? argv[1] : "bench", *only = argc > 2 ? argv[2] : NULL;
    static const struct experiment experiments[] = {
        {"alu", NULL, NULL, OUT_ROUNDS, 64, 256, 0, 200},
        {"gather", NULL, NULL, OUT_TABLE_MASK_ROUNDS, 64, 256, 1 << 16, 300},
        {"divergent", NULL, NULL, OUT_ROUNDS, 64, 256, 0, 300},
        {"alu", "fermi", NULL, OUT_ROUNDS, 64, 256, 0, 40},
        {"divergent", "fermi", NULL, OUT_ROUNDS, 64, 256, 0, 60},
        {"gather", "fermi", NULL, OUT_TABLE_MASK_ROUNDS, 64, 256, 1 << 16, 10},
        {"stream", "fermi", NULL, OUT_IN_ROUNDS, 90, 256, 90 * 8 * 1024 * 4, 4},
        {"latency", "fermi", NULL, OUT_TABLE_MASK_ROUNDS, 15, 64, 1 << 20, 500},
        {"divergent", "vws", "vws", OUT_ROUNDS, 64, 256, 0, 20}, /* slices, gangs, instruction fetch */
        {"divergent", "vws", "ws", OUT_ROUNDS, 64, 256, 0, 20},
        {"gather", "vws", "ws", OUT_TABLE_MASK_ROUNDS, 16, 256, 1 << 16, 4},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++)
        run(folder, &experiments[i], only);
    run_mechanisms(folder, only);
    if (!only || !strcmp(only, "small launch")) {
        run_launches(folder, "fermi", "small launch", 8, 256, 1);
        run_launches(folder, "volta", "small launch", 8, 256, 1);
    }
    if (!only || !strcmp(only, "launches")) {
        run_launches(folder, "fermi", "launches", 4, 128, 0);
        run_launches(folder, "volta", "launches", 4, 128, 0);
    }
    if (only)
        return 0;
    run_longer(folder);
    print_memory();
    run_start();
    return 0;
}
