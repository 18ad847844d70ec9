/*
 * Fuzz target: any bytes as PTX. What parses is printed and parsed again, every kernel is analysed and bound, gets
 * convergence barriers, and is run for a few instructions on both executors; then all of this once more for the module
 * as --lower ptxas leaves it. Nothing may crash, hang or leak.
 *
 * With libFuzzer (make fuzz) inputs come from the fuzzer; compiled with -DREPLAY the files named on the command
 * line are run once each, which is how make test keeps the corpus alive.
 */
#include "base/diag.h"
#include "base/text.h"
#include "device/apart.h"
#include "exec/functional.h"
#include "flow/print.h"
#include "lower/lower.h"
#include "oracle/oracle.h"
#include "ptx/module.h"
#include "recon/place_barriers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RUN_LIMIT = 2000, LARGEST_FRAME = 1 << 16 };

static void run_kernel(const struct ptx_function *kernel, const struct image *image, const struct code *code,
                       struct memory *memory)
{
    const struct program *program = code_program(code);
    const struct layout *layout = program->layout;
    if (program->stack_bytes > LARGEST_FRAME || layout->static_shared_bytes > LARGEST_FRAME)
        return;
    uint8_t *parameters = xcalloc(1, layout->parameter_bytes + 8);
    uint64_t buffer = memory_alloc(memory, 256, "buffer");
    for (uint32_t at = 0; at + 8 <= layout->parameter_bytes; at += 8)
        memcpy(parameters + at, &buffer, 8);
    struct launch launch = {.kernel = kernel,
                            .image = image,
                            .grid = {2, 1, 1},
                            .block = {40, 1, 1},
                            .parameters = parameters,
                            .parameter_bytes = layout->parameter_bytes,
                            .stack_bytes = 1024,
                            .instruction_limit = RUN_LIMIT};
    for (int i = 0; i < 3; i++)
        if (kernel->limits.required_threads[i])
            launch.block[i] = kernel->limits.required_threads[i];
    struct origins *origins = origins_find(program);
    bool *is_shared = xcalloc((size_t)origins->access_count + 1, sizeof *is_shared);
    launch_find_apart(&launch, origins);
    launch_find_shared(&launch, origins, is_shared);
    free(is_shared);
    origins_destroy(origins);
    struct launch_result result;
    char report[2048];
    functional_launch(&launch, code, &result);
    fault_describe(&result.fault, report, sizeof report);
    oracle_launch(&launch, &result);
    fault_describe(&result.fault, report, sizeof report);
    free(parameters);
}

static void analyse(const struct ptx_module *module)
{
    struct memory *memory = memory_create(1 << 24);
    char *error = NULL;
    struct image *image = image_load(module, memory, &error);
    free(error);
    for (int f = 0; f < module->function_count; f++) {
        const struct ptx_function *kernel = module->functions[f];
        if (!image || !kernel->is_entry || !kernel->is_defined)
            continue;
        error = NULL;
        struct code *code = code_create(kernel, image, &error);
        free(error);
        if (!code)
            continue;
        struct text report = {0};
        program_print_text(code_program(code), &report);
        program_print_dot(code_program(code), &report);
        program_print_json(code_program(code), &report);
        text_free(&report);
        barrier_plan_destroy(barriers_place(code_program(code)));
        run_kernel(kernel, image, code, memory);
        code_destroy(code);
    }
    image_unload(image);
    memory_destroy(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag diag = {0};
    struct ptx_module *module = ptx_parse("fuzz.ptx", (const char *)data, size, &diag);
    if (!module) {
        free(diag_text(&diag));
        diag_free(&diag);
        return 0;
    }
    struct text printed = {0};
    ptx_print(module, &printed);
    struct ptx_module *again = ptx_parse("printed.ptx", printed.data, printed.length, &diag);
    struct text difference = {0};
    if (!again || !ptx_equal(module, again, &difference)) {
        diag_print(&diag, stderr);
        panic("what was printed does not parse to the same module: %s", difference.data ? difference.data : "");
    }
    text_free(&difference);
    text_free(&printed);
    analyse(module);
    lower_module(again);
    analyse(again);
    ptx_destroy(again);
    ptx_destroy(module);
    diag_free(&diag);
    return 0;
}

#ifdef REPLAY
#include <stdio.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f)
            fatal("cannot open %s", argv[i]);
        static uint8_t data[1 << 20];
        size_t size = fread(data, 1, sizeof data, f);
        fclose(f);
        uint8_t *exact = malloc(size ? size : 1); /* so that a sanitizer sees reads past the end */
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("fuzz corpus: %d passed, 0 failed\n", argc - 1);
    return 0;
}
#endif
