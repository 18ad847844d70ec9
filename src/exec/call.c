/*
 * Calls and returns.
 *
 * A call copies its arguments from the caller's frame to the callee's frame, which starts where the caller's ends, and
 * pushes a return record per thread. Functions that can be active together have different planes, so a call saves no
 * registers, except a call that may re-enter its own function: that one saves the live registers.
 */
#include "exec/call.h"

#include "base/bits.h"
#include "exec/engine_fault.h"
#include "exec/local.h"
#include "exec/stack.h"

#include <string.h>

enum { SAVE_WORDS_MAX = 1 << 22, FRAME_ALIGN = 16 };

static void copy_bytes(struct row *row, int lane, uint64_t to, uint64_t from, uint32_t bytes)
{
    if (!((to | from | bytes) & 3)) {
        for (uint32_t i = 0; i < bytes; i += 4)
            memcpy(local_byte(row, lane, to + i), local_byte(row, lane, from + i), 4);
        return;
    }
    for (uint32_t i = 0; i < bytes; i++)
        *local_byte(row, lane, to + i) = *local_byte(row, lane, from + i);
}

/* Copies a register or immediate that is passed directly to the parameter at `to`. */
static void copy_value(struct engine *e, const struct ref *value, int lane, uint64_t to, uint32_t bytes)
{
    uint64_t bits = value->immediate;
    if (value->kind == REF_PLANE) {
        const uint8_t *plane = e->row->planes + (size_t)value->plane * PLANE_BYTES;
        unsigned width = lane_bytes(value->bits);
        bits = 0;
        memcpy(&bits, plane + (unsigned)lane * width, width < 8 ? width : 8);
    }
    for (uint32_t i = 0; i < bytes && i < 8; i++)
        *local_byte(e->row, lane, to + i) = (uint8_t)(bits >> 8 * i);
}

static void copy_result_value(struct engine *e, const struct ref *value, int lane, uint64_t from)
{
    unsigned width = lane_bytes(value->bits);
    uint8_t bytes[16];
    for (unsigned i = 0; i < width; i++)
        bytes[i] = *local_byte(e->row, lane, from + i);
    memcpy(e->row->planes + (size_t)value->plane * PLANE_BYTES + (unsigned)lane * width, bytes, width);
}

static unsigned save_words(const struct call *call)
{
    unsigned words = 0;
    for (int s = 0; s < call->save_count; s++)
        words += lane_bytes(call->save[s].bits) > 4 ? lane_bytes(call->save[s].bits) / 4 : 1;
    return words;
}

static void save_or_restore(struct row *row, const struct call *call, int lane, uint32_t word, bool restore)
{
    for (int s = 0; s < call->save_count; s++) {
        unsigned width = lane_bytes(call->save[s].bits);
        uint8_t *own = row->planes + (size_t)call->save[s].plane * PLANE_BYTES + (unsigned)lane * width;
        for (unsigned at = 0; at < width; at += 4, word++) {
            uint32_t *slot = &row->saved[(size_t)word * ROW_LANES + (unsigned)lane];
            unsigned n = width < 4 ? width : 4;
            if (restore)
                memcpy(own + at, slot, n);
            else
                memcpy(slot, own + at, n);
        }
    }
}

static bool save_registers(struct engine *e, const struct bound *in, const struct call *call, uint32_t mask)
{
    struct row *row = e->row;
    unsigned words = save_words(call);
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        uint32_t top = row->saved_top[i];
        if (top + words > row->saved_capacity) {
            if (top + words > SAVE_WORDS_MAX)
                return engine_fault(e, in, 1u << i, FAULT_STACK_OVERFLOW,
                                    "too many registers are saved across recursive calls");
            row->saved_capacity = 2 * (top + words);
            row->saved = xrealloc(row->saved, (size_t)row->saved_capacity * ROW_LANES * sizeof *row->saved);
        }
        save_or_restore(row, call, i, top, false);
        row->saved_top[i] = top + words;
    }
    return true;
}

int32_t call_find(const struct engine *e, const struct bound *in, uint64_t value)
{
    const struct call *call = &e->program->calls[in->insn->call];
    uint64_t kept = in->source_bits[0] == 64 ? UINT64_MAX : UINT32_MAX;
    for (int i = 0; i < call->candidate_count; i++) {
        const struct ptx_function *f = e->program->functions[call->candidates[i]].source;
        if ((image_function_address(e->launch->image, f) & kept) == value)
            return call->candidates[i];
    }
    return -1;
}

bool call_enter(struct engine *e, const struct bound *in, int32_t function, int32_t depth, uint32_t mask)
{
    struct row *row = e->row;
    const struct call *call = &e->program->calls[in->insn->call];
    const struct program_function *caller = &e->program->functions[in->insn->function];
    const struct program_function *callee = &e->program->functions[function];
    uint32_t step = stack_frame_bytes(caller);
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        if ((uint64_t)row->frame[i] + step + bits_align_up(row->taken[i], FRAME_ALIGN) + callee->frame_bytes >
            e->local_bytes)
            return engine_fault(e, in, 1u << i, FAULT_STACK_OVERFLOW,
                                "the call is %d deep; a thread's stack has %u bytes (--stack)", depth + 1,
                                e->local_bytes);
    }
    if (depth >= row->return_capacity) {
        row->return_capacity = 2 * depth + 8;
        row->returns = xrealloc(row->returns, sizeof *row->returns * ROW_LANES * (size_t)row->return_capacity);
    }
    if (call->recursive && !save_registers(e, in, call, mask))
        return false;
    int32_t back = (int32_t)(in->insn - e->program->insns) + 1;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        uint32_t old = row->frame[i], taken = row->taken[i];
        uint32_t new = old + step + (uint32_t)bits_align_up(taken, FRAME_ALIGN);
        row->returns[(size_t)depth * ROW_LANES + (unsigned)i] =
            (struct return_record){back, old, taken, in->insn->call};
        for (int a = 0; a < call->argument_count; a++) {
            const struct call_copy *copy = &call->argument[a];
            uint64_t to = new + (uint64_t)copy->callee_offset;
            if (copy->value.kind == REF_NONE)
                copy_bytes(row, i, to, old + (uint64_t)copy->caller_offset, copy->bytes);
            else
                copy_value(e, &copy->value, i, to, copy->bytes);
        }
        row->frame[i] = new;
        row->taken[i] = 0;
    }
    return true;
}

void call_leave(struct engine *e, int32_t depth, uint32_t mask, int32_t pc[ROW_LANES])
{
    struct row *row = e->row;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        const struct return_record *r = &row->returns[(size_t)(depth - 1) * ROW_LANES + (unsigned)i];
        const struct call *call = &e->program->calls[r->call];
        if (call->recursive) {
            row->saved_top[i] -= save_words(call);
            save_or_restore(row, call, i, row->saved_top[i], true);
        }
        for (int k = 0; k < call->return_count; k++) {
            const struct call_copy *copy = &call->result[k];
            uint64_t from = row->frame[i] + (uint64_t)copy->callee_offset;
            if (copy->value.kind == REF_NONE)
                copy_bytes(row, i, r->frame + (uint64_t)copy->caller_offset, from, copy->bytes);
            else if (copy->value.kind == REF_PLANE)
                copy_result_value(e, &copy->value, i, from);
        }
        row->frame[i] = r->frame;
        row->taken[i] = r->taken;
        pc[i] = r->pc;
    }
}
