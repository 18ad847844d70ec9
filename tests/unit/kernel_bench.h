/*
 * A bench for tests of the executors: a loaded module, an output buffer, and a launch of its kernel `k` that
 * passes the buffer.
 */
#ifndef HEDDLE_TESTS_KERNEL_BENCH_H
#define HEDDLE_TESTS_KERNEL_BENCH_H

#include "device/launch.h"
#include "exec/functional.h"
#include "oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER         ".version 8.0\n.target sm_90\n.address_size 64\n"
#define COUNTOF(array) (sizeof(array) / sizeof *(array))

#define S(x) ((uint64_t)(uint32_t)(x))

enum { OUT_BYTES = 8192 };

struct bench {
    struct ptx_module *module;
    struct memory *memory;
    struct image *image;
    struct launch launch;
    struct launch_result result;
    uint64_t out;
    uint64_t parameters[8];
};

static inline struct ptx_module *parse(const char *text)
{
    struct diag diag = {0};
    struct ptx_module *module = ptx_parse("test.ptx", text, strlen(text), &diag);
    if (!module) {
        char *message = diag_text(&diag);
        fail_msg("%s", message);
    }
    diag_free(&diag);
    return module;
}

static inline void open_bench(struct bench *b, const char *text)
{
    char *error = NULL;
    memset(b, 0, sizeof *b);
    b->module = parse(text);
    b->memory = memory_create(UINT64_C(1) << 30);
    b->image = image_load(b->module, b->memory, &error);
    assert_non_null(b->image);
    b->out = memory_alloc(b->memory, OUT_BYTES, "out");
    b->parameters[0] = b->out;
    b->launch = (struct launch){.kernel = ptx_find_function(b->module, "k"),
                                .image = b->image,
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .parameters = b->parameters,
                                .parameter_bytes = 8,
                                .instruction_limit = 1000000};
    assert_non_null(b->launch.kernel);
}

static inline void close_bench(struct bench *b)
{
    image_unload(b->image);
    memory_destroy(b->memory);
    ptx_destroy(b->module);
}

static inline void *out(struct bench *b)
{
    return memory_host(b->memory, b->out, OUT_BYTES);
}

static inline void run(struct bench *b) /* on the oracle */
{
    char report[2048];
    oracle_launch(&b->launch, &b->result);
    if (b->result.fault.kind)
        fail_msg("%s", fault_describe(&b->result.fault, report, sizeof report));
}

static inline void run_on_engine(struct bench *b) /* and leave a fault in the result */
{
    char *error = NULL;
    struct code *code = code_create(b->launch.kernel, b->image, &error);
    if (!code)
        fail_msg("%s", error);
    functional_launch(&b->launch, code, &b->result);
    code_destroy(code);
}

#endif
