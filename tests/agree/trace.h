/* A case run by some executor, and what it left behind. */
#ifndef HEDDLE_TESTS_TRACE_H
#define HEDDLE_TESTS_TRACE_H

#include "base/text.h"
#include "device/launch.h"
#include "exec/code.h"
#include "tests/silicon/case.h"

struct trace {
    struct fault fault;
    struct text printed;
    uint8_t *output[CASE_MAX_ARGS];
};

typedef void trace_executor(void *context, const struct launch *launch, const struct code *code,
                            struct launch_result *result);

/* Runs the case with a memory of its own. False and an error text (freed by the caller) if it does not load. */
bool trace_run(const struct test_case *c, trace_executor *execute, void *context, struct trace *t, char **error);
void trace_free(struct trace *t);
/* Prints the first difference in how they ended, in an output buffer, or in what was printed. */
bool trace_differ(const struct test_case *c, const char *first_name, const struct trace *first, const char *second_name,
                  const struct trace *second);

/* The functional engine, on one host thread or on three, and the oracle. The engine's `context` is where its counters go,
 * a struct launch_result; NULL: nowhere. */
trace_executor trace_on_engine, trace_on_threads, trace_on_oracle;

#endif
