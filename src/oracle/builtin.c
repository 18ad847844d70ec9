/* The oracle's functions of the CUDA run time: vprintf, __assertfail, malloc, free. */
#include "oracle/internal.h"

#include "base/text.h"
#include "device/assertion.h"
#include "device/print.h"

#include <string.h>

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

/* The thread reports and ends. The first failure is kept as the fault that the launch ends with. */
static void fail_assertion(struct oracle_thread *t, const struct oracle_insn *x)
{
    struct oracle *o = t->oracle;
    struct assertion a = {.line = (uint32_t)oracle_argument(t, x, 2)};
    read_text(t, oracle_argument(t, x, 0), a.condition, sizeof a.condition);
    read_text(t, oracle_argument(t, x, 1), a.file, sizeof a.file);
    read_text(t, oracle_argument(t, x, 3), a.function, sizeof a.function);
    assertion_report(o->launch, &a, o->block.id, t->id);
    if (!o->assertion.kind) {
        oracle_fault(t, x, FAULT_ASSERT, "%.120s:%u: %.120s: assertion `%.120s` failed", a.file, a.line, a.function,
                     a.condition);
        o->assertion = *o->fault;
        o->fault->kind = FAULT_NONE;
        if (o->limit - o->executed > (uint64_t)ASSERTION_GRACE * ORACLE_LANES)
            o->limit = o->executed + (uint64_t)ASSERTION_GRACE * ORACLE_LANES;
    }
    oracle_end_thread(t);
}

static void allocate(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t limit = t->oracle->launch->heap_limit_bytes;
    oracle_return_value(t, x, 0,
                        memory_heap_alloc(t->oracle->memory, oracle_argument(t, x, 0),
                                          limit ? limit : (uint64_t)LAUNCH_DEFAULT_HEAP_BYTES));
}

static void release(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t address = oracle_argument(t, x, 0);
    if (address && !memory_heap_free(t->oracle->memory, address))
        oracle_fault(t, x, FAULT_OUT_OF_BOUNDS, "free of 0x%llx, which malloc did not return",
                     (unsigned long long)address);
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
