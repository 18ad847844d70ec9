/*
 * Steps: executes one instruction of a strand at once, for the timed machine, and reports where its threads go
 * (step.h). A strand is executed part by part (one part per row), or with all its rows gathered into one where that is
 * cheaper (gather.h). Time, caches and schedulers are not known here.
 */
#include "exec/step.h"

#include "base/bits.h"
#include "exec/access.h"
#include "exec/async/async.h"
#include "exec/async/mbarrier.h"
#include "exec/barrier.h"
#include "exec/control.h"
#include "exec/gather.h"
#include "exec/matrix.h"
#include "exec/step_lanes.h"
#include "exec/straight.h"
#include "exec/surface.h"
#include "exec/texture.h"

/* Where the memory system sees local memory: row after row, with the words of a row's lanes interleaved. */
#define LOCAL_PHYSICAL_BASE UINT64_C(0x600000000000)

static struct outcome *add_outcome(struct outcome *o, int32_t pc, int32_t depth)
{
    o->pc = pc;
    o->depth = depth;
    o->threads.count = 0;
    return o;
}

/* The step's outcome at (pc, depth); a new one, without threads, if there is none yet. */
static struct outcome *find_outcome(struct step *s, int32_t pc, int32_t depth)
{
    for (int i = 0; i < s->outcome_count; i++)
        if (s->outcome[i].pc == pc && s->outcome[i].depth == depth)
            return &s->outcome[i];
    return add_outcome(&s->outcome[s->outcome_count++], pc, depth);
}

/* Threads may go on. Those of the part at work become an outcome of the step; others were waiting and are released. */
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
    s->listener = (struct engine_listener){resume, s};
    engine->listener = &s->listener;
}

/* The step's access to this kind of memory; a new one, without lanes, if there is none yet. */
static struct step_access *access_of_kind(struct step *s, enum step_memory kind, const struct bound *in)
{
    for (int i = 0; i < s->access_count; i++)
        if (s->access[i].kind == kind)
            return &s->access[i];
    struct step_access *a = &s->access[s->access_count++];
    a->kind = kind;
    a->count = 0;
    a->bytes = (uint16_t)(in->width * in->elements);
    a->is_store = in->kind == BOUND_STORE || (in->kind == BOUND_ATOMIC && !in->dest_count);
    a->has_pieces = false;
    a->is_atomic = in->kind == BOUND_ATOMIC || (in->kind == BOUND_MBARRIER && !mbarrier_is_wait((enum op)in->insn->op));
    return a;
}

/* The address at which the memory system sees a byte of a thread's local memory. */
static uint64_t local_address(const struct step *s, int32_t row, int lane, uint64_t offset)
{
    return LOCAL_PHYSICAL_BASE + (uint64_t)row * s->engine->local_bytes * ROW_LANES + (offset >> 2) * PLANE_BYTES +
           (unsigned)lane * 4u + (offset & 3);
}

/* Adds the lanes' addresses, each plus `base`, to the access. */
static void note_lanes(struct step_access *a, const uint64_t *address, uint32_t mask, uint64_t base)
{
    if (mask == UINT32_MAX) {
        for (int i = 0; i < ROW_LANES; i++)
            a->address[a->count + i] = address[i] + base;
        a->count += ROW_LANES;
        return;
    }
    for (; mask; mask &= mask - 1)
        a->address[a->count++] = address[bits_lowest(mask)] + base;
}

/* Adds the lanes' addresses in local memory; `base` is subtracted from each. */
static void note_local(struct step *s, const struct bound *in, int32_t row, const uint64_t *address, uint32_t mask,
                       uint64_t base)
{
    struct step_access *a = access_of_kind(s, STEP_GLOBAL, in);
    for (; mask; mask &= mask - 1)
        a->address[a->count++] = local_address(s, row, bits_lowest(mask), address[bits_lowest(mask)] - base);
}

/* The lanes whose generic address lies in the window of `size` bytes at `base`. */
static uint32_t lanes_within(const uint64_t *address, uint32_t mask, uint64_t base, uint64_t size)
{
    uint32_t within = 0;
    for (int i = 0; i < ROW_LANES; i++)
        within |= (uint32_t)(address[i] - base < size) << i;
    return within & mask;
}

static void note_generic(struct step *s, const struct bound *in, int32_t row, const uint64_t *address, uint32_t mask)
{
    uint32_t shared = lanes_within(address, mask, MEMORY_SHARED_BASE, MEMORY_SHARED_SIZE);
    uint32_t local = lanes_within(address, mask, MEMORY_LOCAL_BASE, MEMORY_WINDOW_SIZE);
    if (shared)
        note_lanes(access_of_kind(s, STEP_SHARED, in), address, shared, -MEMORY_SHARED_BASE);
    if (local)
        note_local(s, in, row, address, local, MEMORY_LOCAL_BASE);
    if (mask & ~shared & ~local)
        note_lanes(access_of_kind(s, STEP_GLOBAL, in), address, mask & ~shared & ~local, 0);
}

/* Adds the accesses of copies of cp.async, to global and to shared memory. */
static void note_copies(struct step *s, const struct bound *in, uint32_t mask, uint64_t *address)
{
    access_addresses(s->engine, in, address);
    for (; mask; mask &= mask - 1) {
        int lane = bits_lowest(mask);
        struct async_traffic t = async_traffic_of(s->engine, in, lane, address[lane]);
        struct step_access *from = access_of_kind(s, STEP_GLOBAL, in);
        from->bytes = (uint16_t)t.bytes;
        from->address[from->count++] = t.global;
        struct step_access *to = access_of_kind(s, STEP_SHARED, in);
        to->is_store = true;
        to->bytes = (uint16_t)t.bytes;
        to->address[to->count++] = t.shared;
    }
}

/* Adds the pieces of matrices that lanes of the row at work load or store. */
static void note_matrix(struct step *s, const struct bound *in, uint32_t mask)
{
    struct matrix_pieces pieces;
    matrix_find_pieces(s->engine, in, mask, &pieces);
    for (int i = 0; i < pieces.count; i++) {
        uint64_t address = pieces.address[i];
        bool is_window = in->space == IN_GENERIC && address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE;
        struct step_access *a = access_of_kind(s, in->space == IN_SHARED || is_window ? STEP_SHARED : STEP_GLOBAL, in);
        a->is_store = matrix_is_store(in->insn);
        a->has_pieces = true;
        a->bytes = (uint16_t)pieces.bytes;
        if (a->count < STEP_MAX_LANES) /* more only if a strand has the first threads of several warps */
            a->address[a->count++] = is_window ? address - MEMORY_SHARED_BASE : address;
    }
}

/* Lets the host fetch what a lane will read, if that is in the allocation that the instruction read last: before the
 * instruction is executed, the pipeline asks the memory system about it. */
static inline void prefetch_lane(const struct segment *s, uint64_t address)
{
    const uint64_t at = address - s->base;
    __builtin_prefetch(s->host + (at < s->bytes ? at : 0));
}

static void prefetch_row(const struct engine *e, const struct bound *in, const uint64_t *address)
{
    enum { NEAR_BYTES = 8, NEAR_LANES = 8 }; /* lanes so near, and so many, share a line of the host's cache */
    const struct segment *s = &e->last[in - e->code->bound];
    const int step = address[1] - address[0] <= NEAR_BYTES ? NEAR_LANES : 1;
    for (int i = 0; s->bytes && i < ROW_LANES; i += step)
        prefetch_lane(s, address[i]);
}

static void prefetch_some(const struct engine *e, const struct bound *in, const uint64_t *address, uint32_t mask)
{
    const struct segment *s = &e->last[in - e->code->bound];
    for (; s->bytes && mask; mask &= mask - 1)
        prefetch_lane(s, address[bits_lowest(mask)]);
}

/* Adds the accesses of one part of the strand, and leaves the addresses of its lanes in s->lane_address. */
static void note_part(struct step *s, const struct bound *in, int32_t row, uint32_t mask)
{
    struct engine *e = s->engine;
    uint64_t *address = s->lane_address = s->own_address;
    if (in->kind == BOUND_ASYNC) {
        note_copies(s, in, mask, address);
        return;
    }
    if (in->kind == BOUND_RENDEZVOUS) {
        note_matrix(s, in, mask);
        return;
    }
    if (in->kind == BOUND_TEXTURE) {
        uint32_t bytes = 0, inside = texture_addresses(e, in, mask, address, &bytes);
        if (inside) {
            struct step_access *a = access_of_kind(s, STEP_TEXTURE, in);
            a->bytes = (uint16_t)bytes;
            note_lanes(a, address, inside, 0);
            prefetch_some(e, in, address, inside);
        }
        return;
    }
    if (in->kind == BOUND_SURFACE) {
        uint32_t bytes = 0, inside = surface_addresses(e, in, mask, address, &bytes);
        if (inside) {
            struct step_access *a = access_of_kind(s, STEP_GLOBAL, in);
            a->bytes = (uint16_t)bytes;
            a->is_store = !in->dest_count;
            a->is_atomic = in->insn->op >= OP_SURED_ADD;
            note_lanes(a, address, inside, 0);
        }
        return;
    }
    /* The most frequent cases: the addresses are computed in place. */
    if ((in->space == IN_GLOBAL || in->space == IN_SHARED) && mask == UINT32_MAX) {
        struct step_access *a = access_of_kind(s, in->space == IN_GLOBAL ? STEP_GLOBAL : STEP_SHARED, in);
        s->lane_address = a->address + a->count;
        a->count += ROW_LANES;
        access_addresses(e, in, s->lane_address);
        if (in->space == IN_GLOBAL && in->kind != BOUND_STORE)
            prefetch_row(e, in, s->lane_address);
        return;
    }
    if (mask & (mask - 1))
        access_addresses(e, in, address);
    else
        access_address(e, in, bits_lowest(mask), address);
    switch ((enum space)in->space) {
    case IN_SHARED:
        note_lanes(access_of_kind(s, STEP_SHARED, in), address, mask, 0);
        break;
    case IN_LOCAL:
        note_local(s, in, row, address, mask, 0);
        break;
    case IN_CONSTANT:
        note_lanes(access_of_kind(s, STEP_CONSTANT, in), address, mask, e->code->image->constant_base);
        break;
    case IN_PARAMETER:
        note_lanes(access_of_kind(s, STEP_CONSTANT, in), address, mask, e->parameter_base);
        break;
    case IN_GLOBAL:
        if (in->kind != BOUND_STORE)
            prefetch_some(e, in, address, mask);
        note_lanes(access_of_kind(s, STEP_GLOBAL, in), address, mask, 0);
        break;
    default:
        note_generic(s, in, row, address, mask);
    }
}

/* straight_guarded(), which looks at one lane only if there is but one thread. */
static uint32_t guarded(const struct engine *e, const struct bound *in, uint32_t mask)
{
    if (in->guard == OFFSET_NONE || mask & (mask - 1))
        return straight_guarded(e, in, mask);
    bool holds = lanes_value(e->row->planes + in->guard, 32, bits_lowest(mask));
    return holds != in->guard_negate ? mask : 0;
}

/* step_note_accesses() for a load or store of one thread, to global memory at a register. */
static void note_single(struct step *s, const struct bound *in, struct part part)
{
    struct engine *e = s->engine;
    const int lane = bits_lowest(part.mask);
    e->row = s->rows[part.row];
    e->block = s->row_blocks[part.row];
    s->part_active[0] = guarded(e, in, part.mask);
    if (!s->part_active[0])
        return;
    s->lane_address = s->own_address;
    access_address(e, in, lane, s->own_address);
    struct step_access *a = &s->access[s->access_count++];
    a->kind = STEP_GLOBAL;
    a->is_store = in->kind == BOUND_STORE;
    a->is_atomic = a->has_pieces = false;
    a->bytes = (uint16_t)(in->width * in->elements);
    a->count = 1;
    a->address[0] = s->own_address[lane];
}

void step_note_accesses(struct step *s, const struct strand *strand)
{
    struct engine *e = s->engine;
    const struct bound *in = &e->code->bound[strand->pc];
    s->access_count = 0;
    s->noted = strand;
    if (strand->size == 1 && (in->kind == BOUND_LOAD || in->kind == BOUND_STORE) && in->space == IN_GLOBAL &&
        in->address != OFFSET_NONE) {
        note_single(s, in, strand->threads.part[0]);
        return;
    }
    for (int i = 0; i < strand->threads.count; i++) {
        struct part part = strand->threads.part[i];
        e->row = s->rows[part.row];
        e->block = s->row_blocks[part.row];
        uint32_t active = guarded(e, in, part.mask);
        s->part_active[i] = active;
        if (active)
            note_part(s, in, part.row, active);
    }
}

uint32_t step_guarded(struct step *s, const struct strand *strand, int part)
{
    struct part p = strand->threads.part[part];
    s->engine->row = s->rows[p.row];
    return guarded(s->engine, &s->engine->code->bound[strand->pc], p.mask);
}

/* Whether the rows of the strand are gathered. */
static bool is_gathered(const struct strand *strand)
{
    return strand->threads.count >= GATHER_LEAST_ROWS && strand->lanes;
}

uint32_t step_guarded_lanes(struct step *s, const struct strand *strand, bool follows_several)
{
    const struct engine *e = s->engine;
    const struct bound *in = &e->code->bound[strand->pc];
    if (in->guard == OFFSET_NONE)
        return strand->lanes;
    const uint32_t *held = follows_several && is_gathered(strand) ? gather_held(e, in->guard) : NULL;
    if (held)
        return strand->lanes & (in->guard_negate ? ~mask_from_lanes(held) : mask_from_lanes(held));
    uint32_t lanes = 0;
    for (int i = 0; i < strand->threads.count; i++)
        lanes |= step_guarded(s, strand, i);
    return lanes;
}

bool step_awaits_copies(struct step *s, const struct strand *strand)
{
    struct engine *e = s->engine;
    const struct bound *in = &e->code->bound[strand->pc];
    e->copies = s->copies;
    for (int i = 0; i < strand->threads.count; i++) {
        struct part part = strand->threads.part[i];
        e->row = s->rows[part.row];
        e->block = s->row_blocks[part.row];
        if (mbarrier_awaits_copies(e, in, straight_guarded(e, in, part.mask)))
            return true;
    }
    return false;
}

void step_execute_lanes(struct step *s, const struct bound *in, const struct strand *strand)
{
    struct engine *e = s->engine;
    const struct threads *threads = &strand->threads;
    if (is_gathered(strand) && gather_execute(e, in, 1, strand->lanes, threads, s->rows))
        return;
    for (int i = 0; i < threads->count; i++) {
        e->row = s->rows[threads->part[i].row];
        e->block = s->row_blocks[threads->part[i].row];
        uint32_t active = straight_guarded(e, in, threads->part[i].mask);
        if (active)
            straight_lanes(e, in, active);
    }
}

/* step_execute_several() for one thread by itself, whose row is at work. */
static void execute_single(struct step *s, int32_t pc, int count, struct part part)
{
    struct engine *e = s->engine;
    const struct bound_single *single = &e->code->single[pc], *end = single + count;
    const struct step_bases bases = step_bases_of(e->row, e->code->constants, (size_t)bits_lowest(part.mask));
    for (; single < end; single++) {
        if (step_single(s, single, &bases))
            continue;
        const struct bound *in = &e->code->bound[single - e->code->single];
        uint32_t active = straight_guarded(e, in, part.mask);
        if (active)
            straight_lanes(e, in, active);
    }
}

void step_execute_several(struct step *s, const struct strand *strand, int32_t pc, int count)
{
    struct engine *e = s->engine;
    struct row *row = e->row;
    struct block *block = e->block;
    const struct threads *threads = &strand->threads;
    const struct bound *in = &e->code->bound[pc], *end = in + count;
    if (threads->count == 1) {
        e->row = s->rows[threads->part[0].row];
        e->block = s->row_blocks[threads->part[0].row];
        if (strand->size == 1)
            execute_single(s, pc, count, threads->part[0]);
        else
            straight_several(e, in, end, threads->part[0].mask);
    } else if (is_gathered(strand)) {
        while (in < end) {
            int done = gather_execute(e, in, (int)(end - in), strand->lanes, threads, s->rows);
            if (!done)
                step_execute_lanes(s, in, strand);
            in += done ? done : 1;
        }
    } else {
        for (int i = 0; i < threads->count; i++) {
            e->row = s->rows[threads->part[i].row];
            e->block = s->row_blocks[threads->part[i].row];
            straight_several(e, in, end, threads->part[i].mask);
        }
    }
    e->row = row;
    e->block = block;
}

bool step_execute_noted(struct step *s, const struct bound *in, const struct strand *strand, uint64_t now)
{
    struct engine *e = s->engine;
    struct part part = strand->threads.part[0];
    s->noted = NULL;
    e->now = now;
    e->row = s->rows[part.row];
    e->block = s->row_blocks[part.row];
    uint32_t active = s->part_active[0] & part.mask;
    /* Rows that load one place, or words of shared memory, are found faster than their addresses are looked at. */
    bool is_found = active == UINT32_MAX && (in->reach == REACH_FIXED || in->reach == REACH_SHARED_WORD);
    return !active || access_execute(e, in, strand->pc, active, is_found ? NULL : s->lane_address);
}

/* Instructions without a lane handler that neither branch nor wait. */
static bool execute_straight(struct step *s, const struct bound *in, const struct strand *strand)
{
    struct engine *e = s->engine;
    e->copies = s->copies;
    for (int i = 0; i < strand->threads.count; i++) {
        struct part part = strand->threads.part[i];
        e->row = s->rows[part.row];
        e->block = s->row_blocks[part.row];
        uint32_t active = straight_guarded(e, in, part.mask);
        if (active && !straight_execute(e, in, strand->pc, active))
            return false;
    }
    return true;
}

/* Executes the control instruction for one part of the strand. */
typedef bool part_fn(struct engine *e, const struct bound *in, struct cohort here, uint32_t mask);

/* Executes a control instruction for one part; threads that go on become outcomes, threads that end go to s->ended. */
static bool control_part(struct step *s, const struct bound *in, const struct strand *strand, struct part part,
                         part_fn *execute)
{
    struct engine *e = s->engine;
    e->row = s->rows[part.row];
    e->block = s->row_blocks[part.row];
    uint32_t active = straight_guarded(e, in, part.mask);
    s->part_row = part.row;
    s->part_mask = part.mask;
    s->collecting = true;
    uint32_t live = e->row->live;
    struct cohort here = {.pc = strand->pc, .depth = strand->depth, .mask = part.mask};
    bool ok = true;
    if (active)
        ok = execute(e, in, here, active);
    else
        engine_resume(e, e->row, strand->pc + 1, strand->depth, part.mask);
    s->collecting = false;
    uint32_t ended = live & ~e->row->live;
    if (ended)
        threads_add(&s->ended, part.row, ended);
    return ok;
}

/* The two places to which a branch may send threads, in the order of outcomes. */
struct ways {
    struct outcome *next, *taken;
};

/* The first thread that stays comes first, if any of the first row stays. */
static inline struct ways open_ways(const struct strand *strand, int32_t target, bool stays, struct outcome *outcome)
{
    return (struct ways){add_outcome(&outcome[!stays], strand->pc + 1, strand->depth),
                         add_outcome(&outcome[stays], target, strand->depth)};
}

/* Sends the threads of a part. There is no branch on the masks, since the host could not predict it. */
static inline void send_part(struct ways w, int32_t row, uint32_t staying, uint32_t going)
{
    w.next->threads.part[w.next->threads.count] = (struct part){row, staying};
    w.next->threads.count += staying != 0;
    w.taken->threads.part[w.taken->threads.count] = (struct part){row, going};
    w.taken->threads.count += going != 0;
}

int step_part_ways(const struct strand *strand, int32_t target, uint32_t taken, struct outcome *outcome)
{
    const struct threads *t = &strand->threads;
    const struct ways w = open_ways(strand, target, (t->part[0].mask & ~taken) != 0, outcome);
    for (int i = 0; i < t->count; i++)
        send_part(w, t->part[i].row, t->part[i].mask & ~taken, t->part[i].mask & taken);
    return outcome[1].threads.count ? 2 : 1;
}

/* What control_execute() does for a direct branch, without the listener: branches are the most frequent control
 * instruction. The strand has a thread. */
int step_branch(struct step *s, const struct bound *in, const struct strand *strand, struct outcome *outcome)
{
    struct ways w = {0};
    const bool is_one_place = in->target == strand->pc + 1;
    for (int i = 0; i < strand->threads.count; i++) {
        const struct part part = strand->threads.part[i];
        s->engine->row = s->rows[part.row];
        const uint32_t going = is_one_place ? part.mask : straight_guarded(s->engine, in, part.mask);
        if (i == 0)
            w = open_ways(strand, in->target, part.mask != going, outcome);
        send_part(w, part.row, part.mask & ~going, going);
    }
    return outcome[1].threads.count ? 2 : 1;
}

static bool control_parts(struct step *s, const struct bound *in, const struct strand *strand, part_fn *execute)
{
    for (int i = 0; i < strand->threads.count; i++)
        if (!control_part(s, in, strand, strand->threads.part[i], execute))
            return false;
    return true;
}

/* What control_execute() does for a barrier, but the barrier does not open. */
static bool arrive_unopened(struct engine *e, const struct bound *in, struct cohort here, uint32_t mask)
{
    if (here.mask & ~mask)
        engine_resume(e, e->row, here.pc + 1, here.depth, here.mask & ~mask);
    here.mask = mask;
    return barrier_arrive_unopened(e, in, here);
}

/* All rows of the strand arrive at a barrier before it may open. */
static bool arrive_together(struct step *s, const struct bound *in, const struct strand *strand)
{
    struct engine *e = s->engine;
    bool ok = control_parts(s, in, strand, arrive_unopened);
    for (int i = 0; ok && i < strand->threads.count; i++) {
        struct block *block = s->row_blocks[strand->threads.part[i].row];
        if (i && block == e->block)
            continue;
        e->block = block;
        barrier_recheck(e);
    }
    return ok;
}

static bool execute_control(struct step *s, const struct bound *in, const struct strand *strand)
{
    s->waits = in->kind == BOUND_BARRIER || in->kind == BOUND_RENDEZVOUS || in->kind == BOUND_CLUSTER;
    s->outcome_count = 0;
    s->ended.count = 0;
    s->engine->listener = &s->listener; /* multiprocessors share one engine */
    if (in->kind == BOUND_BRANCH) {
        s->outcome_count = step_branch(s, in, strand, s->outcome);
        return true;
    }
    return in->kind == BOUND_BARRIER && strand->threads.count > 1 ? arrive_together(s, in, strand)
                                                                  : control_parts(s, in, strand, control_execute);
}

bool step_execute(struct step *s, const struct strand *strand, uint64_t now)
{
    const struct bound *in = &s->engine->code->bound[strand->pc];
    s->engine->now = now;
    s->bound = in;
    s->control = !bound_is_straight(in);
    s->waits = false;
    bool is_noted = s->noted == strand;
    s->noted = NULL;
    if (in->kind <= BOUND_CLOCK) {
        step_execute_lanes(s, in, strand);
        return true;
    }
    if (s->control)
        return execute_control(s, in, strand);
    if (is_noted && strand->threads.count == 1 && (in->kind == BOUND_LOAD || in->kind == BOUND_STORE))
        return step_execute_noted(s, in, strand, now);
    return execute_straight(s, in, strand);
}
