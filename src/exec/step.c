/* One instruction of one strand, part by part: a strand that mixes rows executes once per row. */
#include "exec/step.h"

#include "base/bits.h"

#include <string.h>

/* Local memory as the memory system sees it: words of a row's lanes side by side, rows one after the other. */
#define LOCAL_PHYSICAL_BASE UINT64_C(0x600000000000)

static struct outcome *find_outcome(struct step *s, int32_t pc, int32_t depth)
{
    for (int i = 0; i < s->outcome_count; i++)
        if (s->outcome[i].pc == pc && s->outcome[i].depth == depth)
            return &s->outcome[i];
    struct outcome *o = &s->outcome[s->outcome_count++];
    *o = (struct outcome){.pc = pc, .depth = depth};
    return o;
}

/* Threads may go on: those of the part at work went somewhere, others were waiting and are set free. */
static void resume(void *context, struct row *row, int32_t pc, int32_t depth, uint32_t mask)
{
    struct step *s = context;
    uint32_t own = s->collecting && row->number == s->part_row ? mask & s->part_mask : 0;
    if (own)
        threads_add(&find_outcome(s, pc, depth)->threads, row->number, own);
    if (mask & ~own)
        s->released(s->context, row->number, pc, depth, mask & ~own);
}

void step_init(struct step *s, struct engine *engine)
{
    s->engine = engine;
    engine->resume = resume;
    engine->resume_context = s;
}

static void add_access(struct step *s, enum step_memory kind, const struct bound *in, uint64_t address)
{
    struct step_access *a = NULL;
    for (int i = 0; i < s->access_count && !a; i++)
        if (s->access[i].kind == kind)
            a = &s->access[i];
    if (!a) {
        a = &s->access[s->access_count++];
        a->kind = kind;
        a->count = 0;
        a->bytes = (uint16_t)(in->width * in->elements);
        a->is_store = in->kind == BOUND_STORE || (in->kind == BOUND_ATOMIC && !in->dest_count);
        a->is_atomic = in->kind == BOUND_ATOMIC;
    }
    if (a->count < STEP_MAX_LANES)
        a->address[a->count++] = address;
}

static uint64_t local_address(const struct step *s, int32_t row, int lane, uint64_t offset)
{
    return LOCAL_PHYSICAL_BASE + (uint64_t)row * s->engine->local_bytes * ROW_LANES + (offset >> 2) * PLANE_BYTES +
           (unsigned)lane * 4u + (offset & 3);
}

static void note_lane(struct step *s, const struct bound *in, int32_t row, int lane, uint64_t address)
{
    enum space space = (enum space)in->space;
    if (space == IN_GENERIC && address - MEMORY_SHARED_BASE < MEMORY_WINDOW_SIZE) {
        space = IN_SHARED;
        address -= MEMORY_SHARED_BASE;
    } else if (space == IN_GENERIC && address - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE) {
        space = IN_LOCAL;
        address -= MEMORY_LOCAL_BASE;
    }
    switch (space) {
    case IN_SHARED:
        add_access(s, STEP_SHARED, in, address);
        break;
    case IN_LOCAL:
        add_access(s, STEP_GLOBAL, in, local_address(s, row, lane, address));
        break;
    case IN_CONSTANT:
        add_access(s, STEP_CONSTANT, in, s->engine->code->image->constant_base + address);
        break;
    case IN_PARAMETER:
        add_access(s, STEP_CONSTANT, in, s->engine->parameter_base + address);
        break;
    default:
        add_access(s, STEP_GLOBAL, in, address);
        break;
    }
}

void step_note_accesses(struct step *s, const struct strand *strand)
{
    struct engine *e = s->engine;
    const struct bound *in = &e->code->bound[strand->pc];
    s->access_count = 0;
    if (in->kind != BOUND_LOAD && in->kind != BOUND_STORE && in->kind != BOUND_ATOMIC)
        return;
    for (int i = 0; i < strand->threads.count; i++) {
        struct part part = strand->threads.part[i];
        uint64_t address[ROW_LANES];
        e->row = s->rows[part.row];
        e->block = s->row_blocks[part.row];
        access_addresses(e, in, address);
        for (uint32_t left = engine_guarded(e, in, part.mask); left; left &= left - 1)
            note_lane(s, in, part.row, bits_lowest(left), address[bits_lowest(left)]);
    }
}

static bool execute_part(struct step *s, const struct bound *in, const struct strand *strand, struct part part)
{
    struct engine *e = s->engine;
    e->row = s->rows[part.row];
    e->block = s->row_blocks[part.row];
    uint32_t active = engine_guarded(e, in, part.mask);
    s->active += bits_count(active);
    if (!active && !s->control)
        return true;
    if (!s->control)
        return engine_straight(e, in, strand->pc, active);
    s->part_row = part.row;
    s->part_mask = part.mask;
    s->collecting = true;
    uint32_t live = e->row->live;
    struct cohort here = {.pc = strand->pc, .depth = strand->depth, .mask = part.mask};
    bool ok = true;
    if (active)
        ok = control_execute(e, in, here, active);
    else
        engine_resume(e, e->row, strand->pc + 1, strand->depth, part.mask);
    s->collecting = false;
    uint32_t ended = live & ~e->row->live;
    if (ended)
        threads_add(&s->ended, part.row, ended);
    return ok;
}

bool step_execute(struct step *s, const struct strand *strand, uint64_t now)
{
    const struct bound *in = &s->engine->code->bound[strand->pc];
    s->engine->now = now;
    s->engine->resume_context = s; /* multiprocessors share one engine */
    s->strand = strand;
    s->bound = in;
    s->active = 0;
    s->outcome_count = 0;
    s->ended.count = 0;
    s->control = !engine_is_straight(in);
    s->waits = in->kind == BOUND_BARRIER || in->kind == BOUND_RENDEZVOUS;
    for (int i = 0; i < strand->threads.count; i++)
        if (!execute_part(s, in, strand, strand->threads.part[i]))
            return false;
    return true;
}
