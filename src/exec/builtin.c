/*
 * Functions that the CUDA run time gives kernels: vprintf, __assertfail, malloc, free.
 *
 * The threads call one after the other, in ascending order of lanes. Arguments are read from, and results written to,
 * the caller's frame or the registers that the call names.
 */
#include "exec/builtin.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/text.h"
#include "device/assertion.h"
#include "device/print.h"
#include "exec/access.h"
#include "exec/engine_fault.h"
#include "exec/local.h"

#include <string.h>

struct builtin_reader {
    struct engine *engine;
    int lane;
};

static bool read_guest(void *context, uint64_t address, void *into, uint32_t bytes)
{
    const struct builtin_reader *r = context;
    return access_read_generic(r->engine, r->lane, address, into, bytes);
}

static uint64_t argument(struct engine *e, const struct call *call, int n, int lane)
{
    if (n >= call->argument_count)
        return 0;
    const struct call_copy *copy = &call->argument[n];
    uint64_t value = 0;
    if (copy->value.kind == REF_NONE) {
        uint8_t bytes[8] = {0};
        for (uint32_t i = 0; i < copy->bytes && i < 8; i++)
            bytes[i] = *local_byte(e->row, lane, e->row->frame[lane] + (uint64_t)copy->caller_offset + i);
        memcpy(&value, bytes, 8);
    } else if (copy->value.kind == REF_PLANE) {
        const uint8_t *plane = e->row->planes + (size_t)copy->value.plane * PLANE_BYTES;
        unsigned width = lane_bytes(copy->value.bits);
        memcpy(&value, plane + (unsigned)lane * width, width);
    } else {
        value = copy->value.immediate;
    }
    return value;
}

static void give_back(struct engine *e, const struct call *call, int lane, uint64_t value)
{
    if (!call->return_count)
        return;
    const struct call_copy *copy = &call->result[0];
    if (copy->value.kind == REF_PLANE) {
        unsigned width = lane_bytes(copy->value.bits);
        memcpy(e->row->planes + (size_t)copy->value.plane * PLANE_BYTES + (unsigned)lane * width, &value, width);
    } else {
        for (uint32_t i = 0; i < copy->bytes && i < 8; i++)
            *local_byte(e->row, lane, e->row->frame[lane] + (uint64_t)copy->caller_offset + i) =
                (uint8_t)(value >> 8 * i);
    }
}

static int print(struct engine *e, const struct call *call, int lane)
{
    struct text out = {0};
    struct builtin_reader reader = {e, lane};
    int n = print_format(argument(e, call, 0, lane), argument(e, call, 1, lane), read_guest, &reader, &out);
    if (e->launch->print.write && out.length)
        e->launch->print.write(e->launch->print.context, out.data, out.length);
    text_free(&out);
    return n;
}

static void read_string(struct engine *e, int lane, uint64_t address, char *into, uint32_t size)
{
    uint32_t n = 0;
    while (n + 1 < size && access_read_generic(e, lane, address + n, into + n, 1) && into[n])
        n++;
    into[n] = '\0';
}

static struct assertion read_assertion(struct engine *e, const struct call *call, int lane)
{
    struct assertion a = {.line = (uint32_t)argument(e, call, 2, lane)};
    read_string(e, lane, argument(e, call, 0, lane), a.condition, sizeof a.condition);
    read_string(e, lane, argument(e, call, 1, lane), a.file, sizeof a.file);
    read_string(e, lane, argument(e, call, 3, lane), a.function, sizeof a.function);
    return a;
}

/* All threads of the mask report. On a machine that ends the launch. The functional engine ends these threads alone
 * (cohort.c), keeps the first failure, and lets the others go on for a while. */
static bool fail_assertion(struct engine *e, const struct bound *in, const struct call *call, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t thread[3];
        struct assertion a = read_assertion(e, call, bits_lowest(left));
        engine_thread_index(e, bits_lowest(left), thread);
        assertion_report(e->launch, &a, e->block->index, thread);
    }
    if (!e->assertion) {
        struct assertion a = read_assertion(e, call, bits_lowest(mask));
        engine_fault(e, in, mask, FAULT_ASSERT, "%.120s:%u: %.120s: assertion `%.120s` failed", a.file, a.line,
                     a.function, a.condition);
    }
    if (e->listener)
        return false;
    e->failed = mask;
    if (!e->assertion) {
        e->assertion = xmalloc(sizeof *e->assertion);
        *e->assertion = e->result->fault;
        e->result->fault.kind = FAULT_NONE;
        if (e->limit - e->now > ASSERTION_GRACE)
            e->limit = e->now + ASSERTION_GRACE;
    }
    return false;
}

static uint64_t allocate(struct engine *e, uint64_t bytes)
{
    uint64_t limit = e->launch->heap_limit_bytes;
    return memory_heap_alloc(e->memory, bytes, limit ? limit : LAUNCH_DEFAULT_HEAP_BYTES);
}

static bool release(struct engine *e, const struct bound *in, int lane, uint64_t address)
{
    if (!address)
        return true;
    if (!memory_heap_free(e->memory, address))
        return engine_fault(e, in, 1u << lane, FAULT_OUT_OF_BOUNDS, "free of 0x%llx, which malloc did not return",
                            (unsigned long long)address);
    /* Instructions may have the freed allocation cached. */
    memset(e->last, 0, sizeof *e->last * (size_t)e->program->insn_count);
    return true;
}

bool builtin_execute(struct engine *e, const struct bound *in, uint32_t mask)
{
    const struct call *call = &e->program->calls[in->insn->call];
    const char *name = call->builtin->name;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        if (!strcmp(name, "vprintf"))
            give_back(e, call, i, (uint64_t)(int64_t)print(e, call, i));
        else if (!strcmp(name, "__assertfail"))
            return fail_assertion(e, in, call, mask);
        else if (!strcmp(name, "malloc"))
            give_back(e, call, i, allocate(e, argument(e, call, 0, i)));
        else if (!strcmp(name, "free")) {
            if (!release(e, in, i, argument(e, call, 0, i)))
                return false;
        } else
            return engine_fault(e, in, mask, FAULT_UNSUPPORTED, "heddle does not provide the function %s", name);
    }
    return true;
}
