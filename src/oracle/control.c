/*
 * The oracle's control flow: branches, calls, returns, and exits.
 *
 * Every call has registers of its own, so recursion saves none. Parameters are copied between the frames of caller and
 * callee, which follow each other in the thread's local memory. An actual is what the caller passes; a formal is the
 * callee's parameter.
 */
#include "oracle/internal.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Local memory that a call takes besides the callee's frame, so that endless recursion ends in a fault. */
enum { FRAME_ALIGN = 16, ALLOCA_ALIGN = 8, CALL_BYTES = 32 };

static void branch_indexed(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct ptx_targets *list = x->origin->operand[1].targets;
    uint64_t index = oracle_read(t, &x->operand[0]);
    if (index >= (uint64_t)list->count || list->target[index] < 0 || list->target[index] > x->function->insn_count) {
        oracle_fault(t, x, FAULT_BAD_INDEX, "index %llu, but the list has %d labels", (unsigned long long)index,
                     list->count);
        return;
    }
    t->pc = list->target[index];
}

static const struct ptx_call *call_of(const struct oracle_insn *x)
{
    return x->origin->operand[0].call;
}

/* The bytes of an actual that is a .param variable of the current function; NULL for registers and immediates. */
static uint8_t *actual_bytes(struct oracle_thread *t, const struct ptx_operand *p, uint32_t bytes)
{
    if (p->kind != OPERAND_SYMBOL || !p->variable)
        return NULL;
    int64_t offset = layout_offset(t->oracle->layout, t->function->source, p->variable);
    return offset == LAYOUT_NONE
               ? NULL
               : oracle_reach(t, NULL, SPACE_LOCAL, t->base + (uint64_t)(offset + p->offset), bytes, true);
}

static bool is_in_register(const struct oracle_thread *t, const struct ptx_operand *p)
{
    return p->kind == OPERAND_REGISTER && p->reg >= 0 && p->reg < t->function->source->register_count;
}

static uint32_t smaller(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* The number of bytes that are copied between an actual and a formal. */
static uint32_t travelling(const struct ptx_operand *actual, const struct ptx_variable *formal)
{
    uint64_t given = actual->variable ? actual->variable->size_bytes : 8;
    return formal->is_unsized ? (uint32_t)given : smaller(formal->size_bytes, (uint32_t)given);
}

static uint64_t register_mask(const struct ptx_function *f, int32_t reg)
{
    return oracle_mask(type_table[f->registers[reg].type].bits);
}

/* Copies the value of an actual to `into`, at most `size` bytes; the rest is 0. */
static void read_actual(struct oracle_thread *t, const struct ptx_operand *p, uint8_t *into, uint32_t size)
{
    const uint8_t *from = actual_bytes(t, p, size);
    if (from) {
        memcpy(into, from, size);
        return;
    }
    uint64_t value = is_in_register(t, p) ? t->reg[p->reg] : p->kind == OPERAND_IMMEDIATE ? p->bits : 0;
    oracle_store(into, value, smaller(size, 8));
}

static void write_actual(struct oracle_thread *t, const struct ptx_operand *p, const uint8_t *from, uint32_t size)
{
    uint8_t *into = actual_bytes(t, p, size);
    if (into)
        memcpy(into, from, size);
    else if (is_in_register(t, p))
        t->reg[p->reg] = oracle_load(from, smaller(size, 8)) & register_mask(t->function->source, p->reg);
}

uint64_t oracle_argument(struct oracle_thread *t, const struct oracle_insn *x, int index)
{
    const struct ptx_call *call = call_of(x);
    uint8_t bytes[8] = {0};
    if (index < call->argument_count)
        read_actual(t, &call->arguments[index], bytes,
                    smaller(travelling(&call->arguments[index], call->callee->parameters[index]), 8));
    return oracle_load(bytes, 8);
}

void oracle_return_value(struct oracle_thread *t, const struct oracle_insn *x, int index, uint64_t value)
{
    const struct ptx_call *call = call_of(x);
    uint8_t bytes[8];
    oracle_store(bytes, value, 8);
    if (index < call->return_count)
        write_actual(t, &call->returns[index], bytes,
                     smaller(travelling(&call->returns[index], call->callee->returns[index]), 8));
}

static void push_frame(struct oracle_thread *t, const struct oracle_insn *x)
{
    if (t->depth == t->frame_capacity) {
        t->frame_capacity = t->frame_capacity ? 2 * t->frame_capacity : 8;
        t->frames = xrealloc(t->frames, sizeof *t->frames * (size_t)t->frame_capacity);
    }
    t->frames[t->depth++] = (struct oracle_frame){t->function, t->pc, t->base, t->top, t->first_register, x};
}

static void reserve_registers(struct oracle_thread *t, int first, int count)
{
    if (first + count > t->register_capacity) {
        t->register_capacity = 2 * (first + count);
        t->registers = xrealloc(t->registers, sizeof *t->registers * (size_t)t->register_capacity);
    }
    memset(t->registers + first, 0, sizeof *t->registers * (size_t)count);
    t->first_register = first;
    t->reg = t->registers + first;
}

/* Copies the actuals to the callee's frame. The caller is still the current function, since its registers and frame are
 * read. */
static void pass_arguments(struct oracle_thread *t, const struct oracle_insn *x, const struct oracle_function *f,
                           uint32_t base)
{
    const struct ptx_call *call = call_of(x);
    const int64_t *offset = t->oracle->layout->frame[f->source->index].formal_offset;
    for (int i = 0; i < call->argument_count; i++) {
        uint32_t bytes = travelling(&call->arguments[i], f->source->parameters[i]);
        uint8_t *into = oracle_reach(t, NULL, SPACE_LOCAL, base + (uint64_t)offset[i], bytes, true);
        if (into)
            read_actual(t, &call->arguments[i], into, bytes);
    }
}

static bool is_register(const struct ptx_function *f, const struct ptx_variable *formal)
{
    return formal->is_register && formal->reg >= 0 && formal->reg < f->register_count;
}

/* Formals declared as .reg are registers of the callee; they are loaded from the frame. */
static void fill_formal_registers(struct oracle_thread *t, const struct oracle_function *f)
{
    const int64_t *offset = t->oracle->layout->frame[f->source->index].formal_offset;
    for (int i = 0; i < f->source->parameter_count; i++) {
        const struct ptx_variable *formal = f->source->parameters[i];
        uint32_t bytes = smaller(formal->size_bytes, 8);
        const void *from = is_register(f->source, formal)
                               ? oracle_reach(t, NULL, SPACE_LOCAL, t->base + (uint64_t)offset[i], bytes, false)
                               : NULL;
        if (from)
            t->reg[formal->reg] = oracle_load(from, bytes) & register_mask(f->source, formal->reg);
    }
}

/* The function that the pointer names; NULL after a fault. */
static const struct ptx_function *find_pointed(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct ptx_call *call = call_of(x);
    const struct layout *l = t->oracle->layout;
    uint64_t mask = register_mask(t->function->source, call->pointer->reg);
    uint64_t value = t->reg[call->pointer->reg];
    for (int i = 0; i < l->reached_count; i++)
        if ((image_function_address(t->oracle->image, l->reached[i]) & mask) == value &&
            layout_can_call(l, call, l->reached[i]))
            return l->reached[i];
    oracle_fault(t, x, FAULT_BAD_POINTER, "0x%llx is not a function this call can reach", (unsigned long long)value);
    return NULL;
}

uint32_t oracle_frame_end(const struct oracle_thread *t)
{
    return t->base + t->function->frame_bytes + CALL_BYTES;
}

void oracle_call(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct ptx_call *call = call_of(x);
    const struct ptx_function *callee = call->callee ? call->callee : find_pointed(t, x);
    if (!callee)
        return;
    const struct oracle_function *f = &t->oracle->functions[callee->index];
    if (!f->insns) {
        oracle_unsupported(t, x);
        return;
    }
    uint64_t base = ((uint64_t)t->top + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
    if (base + f->frame_bytes > t->oracle->stack_bytes) {
        oracle_fault(t, x, FAULT_STACK_OVERFLOW,
                     "a call of '%s' at depth %d needs %llu bytes of local memory; a thread has %u", callee->name,
                     t->depth + 1, (unsigned long long)(base + f->frame_bytes), t->oracle->stack_bytes);
        return;
    }
    pass_arguments(t, x, f, (uint32_t)base);
    push_frame(t, x);
    reserve_registers(t, t->first_register + t->function->register_slots, f->register_slots);
    t->function = f;
    t->base = (uint32_t)base;
    t->top = oracle_frame_end(t);
    t->pc = 0;
    fill_formal_registers(t, f);
}

/* Copies one result of the callee, while its registers still exist. */
static void take_result(struct oracle_thread *t, const struct oracle_function *f, int index, uint8_t *into,
                        uint32_t bytes)
{
    const struct ptx_variable *formal = f->source->returns[index];
    int64_t offset = t->oracle->layout->frame[f->source->index].return_offset[index];
    const void *from = oracle_reach(t, NULL, SPACE_LOCAL, t->base + (uint64_t)offset, bytes, false);
    if (is_register(f->source, formal))
        oracle_store(into, t->reg[formal->reg], smaller(bytes, 8));
    else if (from)
        memcpy(into, from, bytes);
}

void oracle_return(struct oracle_thread *t, const struct oracle_insn *x)
{
    (void)x;
    if (!t->depth) {
        oracle_end_thread(t);
        return;
    }
    const struct oracle_function *f = t->function;
    struct oracle_frame caller = t->frames[t->depth - 1];
    const struct ptx_call *call = call_of(caller.call);
    uint64_t total = 0;
    for (int i = 0; i < call->return_count; i++)
        total += travelling(&call->returns[i], f->source->returns[i]);
    uint8_t small[64] = {0}, *results = total > sizeof small ? xcalloc(1, total) : small;
    uint64_t at = 0;
    for (int i = 0; i < call->return_count; i++) {
        uint32_t bytes = travelling(&call->returns[i], f->source->returns[i]);
        take_result(t, f, i, results + at, bytes);
        at += bytes;
    }
    t->depth--;
    t->function = caller.function;
    t->pc = caller.pc;
    t->base = caller.base;
    t->top = caller.top;
    t->first_register = caller.first_register;
    t->reg = t->registers + t->first_register;
    at = 0;
    for (int i = 0; i < call->return_count; i++) {
        uint32_t bytes = travelling(&call->returns[i], f->source->returns[i]);
        write_actual(t, &call->returns[i], results + at, bytes);
        at += bytes;
    }
    if (results != small)
        free(results);
}

void oracle_control(struct oracle_thread *t, const struct oracle_insn *x)
{
    switch (x->op) {
    case OP_BRA:
        t->pc = x->origin->operand[0].target;
        break;
    case OP_BRX:
        branch_indexed(t, x);
        break;
    case OP_RET:
        oracle_return(t, x);
        break;
    case OP_EXIT:
        oracle_end_thread(t);
        break;
    case OP_TRAP:
        oracle_fault(t, x, FAULT_TRAP, "%s", "");
        break;
    case OP_NANOSLEEP:
        t->budget = 0;
        break;
    case OP_BRKPT:
    case OP_GRIDDEP_LAUNCH:
    case OP_GRIDDEP_WAIT:
    case OP_PMEVENT:
    case OP_PMEVENT_MASK:
    case OP_SETMAXNREG_INC:
    case OP_SETMAXNREG_DEC:
        break;
    default:
        oracle_unsupported(t, x);
    }
}

/* alloca, stacksave, stackrestore. The stack grows towards higher addresses; every address is one of local memory. */
void oracle_stack(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t limit = t->oracle->stack_bytes, top = t->top, size;
    if (x->op == OP_STACKSAVE) {
        oracle_write(t, &x->operand[0], top);
        return;
    }
    if (x->op == OP_STACKRESTORE) {
        top = oracle_read(t, &x->operand[0]);
    } else {
        uint64_t align = oracle_read(t, &x->operand[2]);
        align = align < ALLOCA_ALIGN ? ALLOCA_ALIGN : align;
        size = oracle_read(t, &x->operand[1]);
        uint64_t address = (top + align - 1) / align * align;
        oracle_write(t, &x->operand[0], address);
        top = size > limit ? limit + 1 : address + size;
    }
    if (top > limit || top < oracle_frame_end(t))
        oracle_fault(t, x, FAULT_STACK_OVERFLOW, "the stack would have %llu bytes of local memory; a thread has %llu",
                     (unsigned long long)top, (unsigned long long)limit);
    else
        t->top = (uint32_t)top;
}
