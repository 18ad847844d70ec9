/* The oracle's faults: what went wrong, at which instruction, by which thread. */
#include "oracle/internal.h"

#include "base/text.h"
#include "ptx/place.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void describe_place(const struct oracle_insn *x, char *buffer, size_t size)
{
    struct ptx_place place = ptx_place(x->function->source->module, x->origin->location, x->origin->line);
    ptx_place_print_both(&place, buffer, size);
}

void oracle_place(const struct oracle_insn *x, uint64_t address, struct launch_place *place)
{
    describe_place(x, place->where, sizeof place->where);
    place->address = address;
}

static void describe_instruction(const struct oracle_insn *x, char *buffer, size_t size)
{
    struct text text = {0};
    if (x->origin->op == OP_NONE)
        text_printf(&text, "%s", x->origin->unsupported ? x->origin->unsupported : "");
    else
        ptx_print_instruction(x->function->source, x->origin, &text);
    const char *start = text.data ? text.data : "";
    start += strspn(start, " \t\n");
    size_t length = strlen(start);
    while (length && strchr(" \t\n", start[length - 1]))
        length--;
    snprintf(buffer, size, "%.*s", (int)(length < size ? length : size - 1), start);
    text_free(&text);
}

/* Starts the report of a fault. False: the launch has a fault already. */
static bool begin(struct oracle_thread *t, const struct oracle_insn *x, enum fault_kind kind)
{
    struct fault *f = t->oracle->fault;
    if (f->kind)
        return false;
    memset(f, 0, sizeof *f);
    f->kind = kind;
    f->kernel = t->oracle->launch->kernel->name;
    f->has_thread = true;
    memcpy(f->block, t->oracle->block.id, sizeof f->block);
    memcpy(f->thread, t->id, sizeof f->thread);
    if (x) {
        describe_place(x, f->where, sizeof f->where);
        describe_instruction(x, f->instruction, sizeof f->instruction);
    }
    return true;
}

void oracle_fault(struct oracle_thread *t, const struct oracle_insn *x, enum fault_kind kind, const char *format, ...)
{
    if (!begin(t, x, kind))
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(t->oracle->fault->detail, sizeof t->oracle->fault->detail, format, args);
    va_end(args);
}

static uint64_t window_size(const struct oracle *o, enum mod space)
{
    switch (space) {
    case SPACE_SHARED:
        return o->shared_bytes;
    case SPACE_LOCAL:
        return o->stack_bytes;
    case SPACE_CONST:
        return o->image->constant_bytes;
    default:
        return o->launch->parameter_bytes;
    }
}

void oracle_fault_access(struct oracle_thread *t, const struct oracle_insn *x, enum fault_kind kind, enum mod space,
                         uint64_t address, uint32_t bytes, bool is_write)
{
    if (!begin(t, x, kind))
        return;
    struct oracle *o = t->oracle;
    struct fault *f = o->fault;
    f->has_address = true;
    f->is_write = is_write;
    f->address = address;
    f->bytes = bytes;
    snprintf(f->space, sizeof f->space, "%s", space ? mod_text[space] : "generic");
    if (space == MOD_NONE && address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE) {
        space = SPACE_SHARED;
        address -= MEMORY_SHARED_BASE;
    } else if (space == MOD_NONE && address - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE) {
        space = SPACE_LOCAL;
        address -= MEMORY_LOCAL_BASE;
    }
    if (space == MOD_NONE || space == SPACE_GLOBAL)
        memory_describe(o->memory, address, f->near, sizeof f->near);
    else
        snprintf(f->near, sizeof f->near, "byte %llu of %llu bytes of %s memory", (unsigned long long)address,
                 (unsigned long long)window_size(o, space), mod_text[space]);
}

static void describe_wait(const struct oracle_thread *t, char *buffer, size_t size)
{
    if (t->state == THREAD_AT_BARRIER)
        snprintf(buffer, size, "at barrier %u", t->barrier);
    else if (t->state == THREAD_AT_CLUSTER)
        snprintf(buffer, size, "at the barrier of the cluster");
    else
        snprintf(buffer, size, "for the lanes 0x%08x", t->mask);
}

static bool waits_alike(const struct oracle_thread *a, const struct oracle_thread *b)
{
    return a->state == b->state && a->at == b->at &&
           (a->state == THREAD_AT_CLUSTER   ? true
            : a->state == THREAD_AT_BARRIER ? a->barrier == b->barrier
                                            : a->mask == b->mask && a->row == b->row);
}

/* Describes each group of threads that wait alike in one clause, as long as `f->detail` has room. */
void oracle_fault_deadlock(struct oracle *o)
{
    const struct oracle_block *block = &o->block;
    size_t used = 0;
    struct fault *f = o->fault;
    for (int i = 0; i < block->thread_count; i++) {
        struct oracle_thread *t = &block->threads[i];
        if (t->state == THREAD_ENDED)
            continue;
        int first = 0, count = 0;
        for (int k = block->thread_count - 1; k >= 0; k--)
            if (block->threads[k].state != THREAD_ENDED && waits_alike(t, &block->threads[k])) {
                first = k;
                count++;
            }
        if (first != i)
            continue;
        begin(t, t->at, FAULT_DEADLOCK);
        char place[160], wait[80];
        describe_place(t->at, place, sizeof place);
        describe_wait(t, wait, sizeof wait);
        size_t left = sizeof f->detail - used;
        int n = snprintf(f->detail + used, left, "%s%d thread%s from (%u,%u,%u) on wait%s %s, %s", used ? "; " : "",
                         count, count > 1 ? "s" : "", t->id[0], t->id[1], t->id[2], count > 1 ? "" : "s", wait, place);
        if (n < 0 || (size_t)n >= left) {
            f->detail[used] = '\0'; /* drops a clause that does not fit */
            return;
        }
        used += (size_t)n;
    }
}

void oracle_unsupported(struct oracle_thread *t, const struct oracle_insn *x)
{
    oracle_fault(t, x, FAULT_UNSUPPORTED, "%s",
                 x->complaint ? x->complaint : "this form of the instruction does not exist");
}
