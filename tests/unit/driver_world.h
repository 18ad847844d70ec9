/* What tests of graphs, captures and queues share: a context with two kernels, and a log in device memory. */
#ifndef HEDDLE_TESTS_DRIVER_WORLD_H
#define HEDDLE_TESTS_DRIVER_WORLD_H

#include "cuda.h"
#include "heddle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)          assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(code, call) assert_int_equal((call), (code))

static const char world_ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    /* log[++log[0]] = value */
    ".visible .entry note(.param .u64 log, .param .u32 value)\n"
    "{ .reg .b32 %r<3>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d0, [log]; ld.param.u32 %r0, [value]; ld.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1;\n"
    "  st.global.u32 [%d0], %r1; mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d0, %d1; st.global.u32 [%d2], %r0; ret; }\n"
    ".visible .entry trapped() { trap; ret; }\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
    /* log[++log[0]] = 'A' + count; condition = ++count < limit */
    ".visible .entry turn(.param .u64 log, .param .u64 count, .param .u64 handle, .param .u32 limit)\n"
    "{ .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<6>;\n"
    "  ld.param.u64 %d0, [log]; ld.param.u64 %d1, [count]; ld.param.u64 %d2, [handle]; ld.param.u32 %r0, [limit];\n"
    "  ld.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; st.global.u32 [%d0], %r1; mul.wide.u32 %d3, %r1, 4;\n"
    "  add.s64 %d4, %d0, %d3; ld.global.u32 %r2, [%d1]; add.u32 %r3, %r2, 65; st.global.u32 [%d4], %r3;\n"
    "  add.u32 %r2, %r2, 1; st.global.u32 [%d1], %r2; setp.lt.u32 %p, %r2, %r0; selp.u32 %r4, 1, 0, %p;\n"
    "  { .param .b64 p0; st.param.b64 [p0], %d2; .param .b32 p1; st.param.b32 [p1], %r4;\n"
    "    call.uni cudaGraphSetConditional, (p0, p1); }\n"
    "  ret; }\n";

enum { LOG_WORDS = 64 };

struct world {
    CUcontext context;
    CUfunction note, trapped, turn;
    CUstream stream, other; /* blocking streams */
    CUdeviceptr log;
};

static int open_world(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    CUmodule module;
    *state = w;
    return cuInit(0) || cuCtxCreate(&w->context, NULL, 0, 0) || cuModuleLoadData(&module, world_ptx) ||
           cuModuleGetFunction(&w->note, module, "note") || cuModuleGetFunction(&w->trapped, module, "trapped") ||
           cuModuleGetFunction(&w->turn, module, "turn") || cuStreamCreate(&w->stream, 0) ||
           cuStreamCreate(&w->other, 0) || cuMemAlloc(&w->log, LOG_WORDS * 4) || cuMemsetD32(w->log, 0, LOG_WORDS);
}

static int close_world(void **state)
{
    struct world *w = *state;
    CUresult result = cuCtxDestroy(w->context);
    free(w);
    return result;
}

/* Writes a value to the log, as an operation of a stream. */
static inline CUresult note(struct world *w, CUstream stream, uint32_t value)
{
    void *parameters[] = {&w->log, &value};
    CUresult result = cuLaunchKernel(w->note, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
    value = 0xdead; /* whoever kept a pointer to the argument finds this */
    return result;
}

/* The log is the given text, one letter per value, since the last look. */
static inline void assert_log(struct world *w, const char *expected)
{
    uint32_t log[LOG_WORDS];
    char text[LOG_WORDS + 1] = "";
    OK(cuMemcpyDtoH(log, w->log, sizeof log));
    assert_true(log[0] < LOG_WORDS);
    for (uint32_t i = 0; i < log[0]; i++)
        text[i] = (char)log[i + 1];
    assert_string_equal(text, expected);
    OK(cuMemsetD32(w->log, 0, LOG_WORDS));
}

#endif
