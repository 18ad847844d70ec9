/* The oracle's functions of the CUDA run time: vprintf, __assertfail, malloc, free. */
#include "oracle/internal.h"

#include "base/text.h"
#include "device/print.h"

#include <stdio.h>
#include <string.h>

#define HEAP_LABEL "device malloc"

static bool read_guest(void *context, uint64_t address, void *into, uint32_t bytes)
{
    const void *from = oracle_reach(context, NULL, MOD_NONE, address, bytes, false);
    if (from)
        memcpy(into, from, bytes);
    return from != NULL;
}

static void print(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct print_sink *sink = &t->oracle->launch->print;
    struct text text = {0};
    int result = print_format(oracle_argument(t, x, 0), oracle_argument(t, x, 1), read_guest, t, &text);
    if (sink->write && text.length)
        sink->write(sink->context, text.data, text.length);
    text_free(&text);
    oracle_return_value(t, x, 0, (uint64_t)(int64_t)result);
}

static void read_text(struct oracle_thread *t, uint64_t address, char *into, size_t size)
{
    size_t n = 0;
    while (n + 1 < size && read_guest(t, address + n, into + n, 1) && into[n])
        n++;
    into[n] = '\0';
}

static void fail_assertion(struct oracle_thread *t, const struct oracle_insn *x)
{
    char message[150], file[100], function[100];
    read_text(t, oracle_argument(t, x, 0), message, sizeof message);
    read_text(t, oracle_argument(t, x, 1), file, sizeof file);
    read_text(t, oracle_argument(t, x, 3), function, sizeof function);
    oracle_fault(t, x, FAULT_ASSERT, "%s:%u: %s: assertion `%s` failed", file, (unsigned)oracle_argument(t, x, 2),
                 function, message);
}

static void allocate(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t bytes = oracle_argument(t, x, 0);
    char label[64];
    snprintf(label, sizeof label, HEAP_LABEL " of %llu bytes", (unsigned long long)bytes);
    oracle_return_value(t, x, 0, memory_alloc(t->oracle->memory, bytes, label));
}

static void release(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t address = oracle_argument(t, x, 0);
    const struct allocation *a = memory_find(t->oracle->memory, address);
    if (!address)
        return;
    if (!a || a->address != address || strncmp(a->label, HEAP_LABEL, strlen(HEAP_LABEL)) != 0)
        oracle_fault(t, x, FAULT_OUT_OF_BOUNDS, "free of 0x%llx, which malloc did not return",
                     (unsigned long long)address);
    else
        memory_free(t->oracle->memory, address);
}

oracle_fn *oracle_builtin(const char *name)
{
    static const struct {
        const char *name;
        oracle_fn *run;
    } table[] = {{"vprintf", print}, {"__assertfail", fail_assertion}, {"malloc", allocate}, {"free", release}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return table[i].run;
    return NULL;
}
