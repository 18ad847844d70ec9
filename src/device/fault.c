/* Describes a fault for people: what happened, where, to which thread, at which address. */
#include "device/fault.h"

#include "base/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const fault_text[FAULT_COUNT] = {
    [FAULT_NONE] = "no fault",
    [FAULT_LAUNCH] = "the launch is not possible",
    [FAULT_UNSUPPORTED] = "unsupported instruction",
    [FAULT_OUT_OF_BOUNDS] = "access out of bounds",
    [FAULT_READ_ONLY] = "write to constant memory",
    [FAULT_MISALIGNED] = "misaligned address",
    [FAULT_STACK_OVERFLOW] = "stack overflow",
    [FAULT_DIVERGENT_BARRIER] = "aligned barrier in divergent code",
    [FAULT_BAD_BARRIER] = "wrong use of a barrier",
    [FAULT_BAD_INDEX] = "branch index out of range",
    [FAULT_BAD_POINTER] = "call through a pointer to no function",
    [FAULT_BAD_COPY] = "wrong copy of a tensor",
    [FAULT_DEADLOCK] = "deadlock",
    [FAULT_LIVELOCK] = "livelock",
    [FAULT_ENDLESS] = "endless loop",
    [FAULT_LIMIT] = "limit of instructions reached",
    [FAULT_STOPPED] = "stopped by the user",
    [FAULT_TRAP] = "trap",
    [FAULT_ASSERT] = "assertion failed",
    [FAULT_RECORDING] = "the recording does not fit the program",
};

/* The unused rest of the buffer. */
struct fault_cursor {
    char *at;
    size_t left;
};

static void __attribute__((format(printf, 2, 3))) add(struct fault_cursor *c, const char *format, ...)
{
    __builtin_va_list args;
    __builtin_va_start(args, format);
    int n = vsnprintf(c->at, c->left, format, args);
    __builtin_va_end(args);
    size_t step = n < 0 ? 0 : (size_t)n < c->left ? (size_t)n : c->left - 1;
    c->at += step;
    c->left -= step;
}

const char *fault_describe(const struct fault *f, char *buffer, size_t size)
{
    struct fault_cursor c = {buffer, size};
    buffer[0] = '\0';
    add(&c, "%s", fault_text[f->kind]);
    char *kernel = f->kernel ? demangle_short(f->kernel) : NULL;
    if (kernel)
        add(&c, " in kernel %s", kernel);
    free(kernel);
    add(&c, "\n");
    if (f->detail[0])
        add(&c, "  %s\n", f->detail);
    if (f->where[0])
        add(&c, "  at      %s\n", f->where);
    if (f->instruction[0])
        add(&c, "  in      %s\n", f->instruction);
    if (f->has_thread)
        add(&c, "  by      block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n",
            f->block[0], f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2]);
    if (f->has_address)
        add(&c, "  %s   %" PRIu32 " bytes of %s memory at 0x%" PRIx64 "\n", f->is_write ? "wrote" : "read ", f->bytes,
            f->space, f->address);
    if (f->near[0])
        add(&c, "  near    %s\n", f->near);
    /* A real GPU maps memory in large pages and lets many such reads pass, so a program may rely on them. */
    if (f->kind == FAULT_OUT_OF_BOUNDS && f->has_address && !f->is_write && !strcmp(f->space, "global"))
        add(&c, "  option  --tolerate reads lets such reads return 0\n");
    return buffer;
}
