/* Faults of the engine: names the instruction, the thread, and what is allocated near the address. */
#include "exec/engine_fault.h"

#include "base/bits.h"
#include "base/text.h"
#include "exec/cohort.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void engine_thread_index(const struct engine *e, int lane, uint32_t thread[3])
{
    uint32_t t = e->row->first_thread + (uint32_t)lane;
    const uint32_t *n = e->launch->block;
    thread[0] = t % n[0];
    thread[1] = t / n[0] % n[1];
    thread[2] = t / n[0] / n[1];
}

void engine_place(const struct engine *e, const struct bound *in, uint64_t address, struct launch_place *place)
{
    program_where_both(e->program, (int32_t)(in - e->code->bound), place->where, sizeof place->where);
    place->address = address;
    place->block = e->block->number;
    place->cycle = e->now;
}

static void name_thread(struct engine *e, int lane, struct fault *f)
{
    memcpy(f->block, e->block->index, sizeof f->block);
    engine_thread_index(e, lane, f->thread);
    f->has_thread = true;
}

static void name_place(struct engine *e, const struct bound *in, struct fault *f)
{
    int32_t pc = (int32_t)(in - e->code->bound);
    f->kernel = e->launch->kernel->name;
    program_where_both(e->program, pc, f->where, sizeof f->where);
    struct text text = {0};
    if (in->insn->origin)
        ptx_print_instruction(e->program->functions[in->insn->function].source, in->insn->origin, &text);
    snprintf(f->instruction, sizeof f->instruction, "%s", text.data ? text.data : op_table[in->insn->op].mnemonic);
    text_free(&text);
}

bool engine_fault(struct engine *e, const struct bound *in, uint32_t mask, enum fault_kind kind, const char *format,
                  ...)
{
    struct fault *f = &e->result->fault;
    f->kind = kind;
    name_place(e, in, f);
    name_thread(e, bits_lowest(mask), f);
    va_list args;
    va_start(args, format);
    vsnprintf(f->detail, sizeof f->detail, format, args);
    va_end(args);
    return false;
}

bool engine_fault_address(struct engine *e, const struct bound *in, int lane, enum fault_kind kind, enum space space,
                          uint64_t address, bool is_write)
{
    struct fault *f = &e->result->fault;
    f->kind = kind;
    name_place(e, in, f);
    name_thread(e, lane, f);
    f->has_address = true;
    f->is_write = is_write;
    f->address = address;
    f->bytes = (uint32_t)in->width * in->elements;
    snprintf(f->space, sizeof f->space, "%s", space_text[space]);
    uint64_t size = space == IN_SHARED      ? e->block->shared_bytes
                    : space == IN_LOCAL     ? e->local_bytes
                    : space == IN_CONSTANT  ? e->constants.bytes
                    : space == IN_PARAMETER ? e->parameters.bytes
                                            : 0;
    if (space == IN_GLOBAL || space == IN_GENERIC)
        memory_describe(e->memory, address, f->near, sizeof f->near);
    else
        snprintf(f->near, sizeof f->near, "%s memory has %llu bytes", space_text[space], (unsigned long long)size);
    return false;
}

static void name_wait(const struct cohort *c, const struct insn *insn, char *into, size_t size)
{
    if (c->state == COHORT_AT_BARRIER && c->barrier < LAUNCH_MAX_BARRIERS)
        snprintf(into, size, "barrier %d", c->barrier);
    else if (c->state == COHORT_AT_CLUSTER)
        snprintf(into, size, "the barrier of the cluster");
    else
        snprintf(into, size, "%s", op_table[insn->op].mnemonic);
}

static void describe_waiting(struct engine *e, struct fault *f)
{
    size_t used = 0;
    int shown = 0;
    for (int r = 0; r < e->block->row_count && shown < 3; r++)
        for (int g = 0; g < e->block->rows[r].cohort_count && shown < 3; g++, shown++) {
            const struct cohort *c = &e->block->rows[r].cohort[g];
            const struct insn *insn = &e->program->insns[c->pc];
            char wait[40], where[160];
            name_wait(c, insn, wait, sizeof wait);
            program_where(e->program, c->pc, where, sizeof where);
            int n = snprintf(f->detail + used, sizeof f->detail - used, "%srow %d, lanes 0x%08x wait at %s (%s)",
                             shown ? "; " : "", r, c->mask, wait, where);
            if (n > 0)
                used += (size_t)n < sizeof f->detail - used ? (size_t)n : sizeof f->detail - used - 1;
        }
}

bool engine_fault_deadlock(struct engine *e)
{
    for (int r = 0; r < e->block->row_count; r++) {
        struct row *row = &e->block->rows[r];
        if (!row->cohort_count)
            continue;
        e->row = row;
        engine_fault(e, &e->code->bound[row->cohort[0].pc], row->cohort[0].mask, FAULT_DEADLOCK, "all threads wait");
        describe_waiting(e, &e->result->fault);
        break;
    }
    return false;
}

bool engine_fault_polling(struct engine *e)
{
    const struct row *row = e->row;
    return engine_fault(e, &e->code->bound[row->poll.pc], row->live ? row->live : 1, FAULT_LIVELOCK,
                        "all threads wait for memory that nobody writes. A kernel cannot wait for what the host does "
                        "after the launch: the launch ends first");
}

/* Names the loop that the thread is in, if it is in a loop. */
bool engine_fault_limit(struct engine *e)
{
    const struct row *row = e->row;
    const struct program *p = e->program;
    int g = row->cohort_count ? cohort_pick(row, false) : -1;
    int32_t pc = g < 0 ? 0 : row->cohort[g].pc;
    int loop = p->blocks[p->insns[pc].block].loop;
    char where[160], place[200] = "";
    if (loop >= 0) {
        program_where(p, p->blocks[p->loops[loop].header].first, where, sizeof where);
        snprintf(place, sizeof place, " in the loop that starts at %s", where);
    }
    return engine_fault(e, &e->code->bound[pc], g < 0 ? 1 : row->cohort[g].mask, FAULT_LIMIT,
                        "the limit of %llu warp instructions is reached%s; raise it with --limit",
                        (unsigned long long)(e->elapsed + e->limit), place);
}
