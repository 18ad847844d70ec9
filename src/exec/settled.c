/*
 * Finding settled values: see settled.h.
 *
 * Forwards, as constants are propagated: which settled value each plane holds at each PC, if it holds the same one on
 * every path. A settled value has a number, the PC that computes it plus one. Backwards, as liveness: which planes are
 * still read in place, by instructions that find no settled value there. An instruction that computes a settled value
 * is passed over if nobody reads its destination in place. All this is about one thread's path through the program,
 * whatever other threads of its row do. Programs with calls are left as they are.
 */
#include "exec/settled.h"

#include "base/arena.h"
#include "exec/straight.h"

#include <stdlib.h>
#include <string.h>

enum {
    UNSETTLED = 0,
    MOST_STATES = 1 << 22 /* basic blocks times planes of a program, above which nothing is looked for */
};

struct settled {
    struct code code;       /* shares all but `bound` and `program` with the code that it belongs to */
    struct program program; /* the program, with planes for settled values */
    struct bound *fill;     /* instructions that compute settled values, sources before what is computed of them */
    int fill_count;
    int cleared_planes; /* planes from this one on are not read before they are written */
};

struct finder {
    const struct program *program;
    const struct bound *bound; /* of the code as it is */
    int planes;
    int32_t *at_start; /* [basic block][plane]: number of the settled value; UNSETTLED: none, or several */
    bool *is_reached;  /* [basic block]: at_start holds */
    int32_t *now;      /* [plane]: as at_start, where the walk forwards is */
    bool *is_read;     /* [basic block][plane]: from the block's start on, some path reads the plane in place */
    bool *reads;       /* [plane]: as is_read, where the walk backwards is */
    int32_t *source;   /* [PC][operand]: number of the settled value that it reads there; UNSETTLED */
    int32_t *place;    /* [PC]: offset of the plane of its settled value; 0: it has none */
    bool *is_settled;  /* [PC] */
    bool *is_unread;   /* [PC]: nobody reads a destination in place */
};

/* What an instruction reads, beside its other sources: address and guard. */
enum { ADDRESS = BOUND_MAX_OPERANDS, GUARD, OPERANDS };

/* ---- instructions ---- */

/* Whether the result follows from the sources, the parameters and the launch alone. */
static bool is_pure(const struct finder *f, const struct bound *in)
{
    if (in->guard != OFFSET_NONE || in->order || !in->dest_count || !in->dest_bits[0] || in->dest_bits[0] > 64)
        return false;
    switch ((enum bound_kind)in->kind) {
    case BOUND_LANES:
        return in->is_simple;
    case BOUND_TO_GENERIC:
    case BOUND_FROM_GENERIC:
        return !in->prepared && in->source_bits[0] == 64 && in->dest_bits[0] == 64;
    case BOUND_LOAD:
        return in->reach == REACH_FIXED && in->space == IN_PARAMETER && in->elements == 1 &&
               (uint64_t)in->address_offset + in->width <= f->program->layout->parameter_bytes &&
               !((uint64_t)in->address_offset % in->width);
    default:
        return false;
    }
}

/* Whether all registers that the instruction reads are in `source`, `address` and `guard` of its bound form, so that
 * they can be read from other planes. */
static bool can_read_elsewhere(const struct bound *in)
{
    switch ((enum bound_kind)in->kind) {
    case BOUND_LANES:
    case BOUND_LOAD:
    case BOUND_STORE:
    case BOUND_ATOMIC:
    case BOUND_TO_GENERIC:
    case BOUND_FROM_GENERIC:
    case BOUND_BRANCH:
        return true;
    default:
        return false;
    }
}

/* The field of an operand; NULL: the instruction has no such operand, or it is no plane. */
static int32_t *operand_of(struct bound *in, int operand)
{
    int32_t *at = NULL;
    if (operand == GUARD)
        at = &in->guard;
    else if (operand == ADDRESS)
        at = in->insn->address >= 0 ? &in->address : NULL;
    else if (operand < in->source_count && in->prepare[operand] != PREPARE_SREG)
        at = &in->source[operand];
    return at && *at >= 0 ? at : NULL;
}

/* ---- forwards ---- */

static void walk(struct finder *f, int32_t pc)
{
    struct bound in = f->bound[pc];
    const struct insn *insn = in.insn;
    bool is_settled = is_pure(f, &in);
    for (int i = 0; i < OPERANDS && can_read_elsewhere(&in); i++) {
        const int32_t *at = operand_of(&in, i);
        int32_t number = at ? f->now[*at / PLANE_BYTES] : UNSETTLED;
        f->source[(size_t)pc * OPERANDS + (size_t)i] = number;
        is_settled &= !at || number != UNSETTLED;
    }
    f->is_settled[pc] = is_settled;
    for (int i = 0; i < insn->dest_count; i++)
        if (insn->dest[i].kind == REF_PLANE)
            f->now[insn->dest[i].plane] = is_settled && !i ? pc + 1 : UNSETTLED;
}

/* Adds a path to the start of a basic block. True: less is settled there than before. */
static bool merge(struct finder *f, int32_t block)
{
    int32_t *to = f->at_start + (size_t)block * (size_t)f->planes;
    bool is_first = !f->is_reached[block], is_less = is_first;
    f->is_reached[block] = true;
    for (int plane = 0; plane < f->planes; plane++) {
        int32_t both = is_first || to[plane] == f->now[plane] ? f->now[plane] : UNSETTLED;
        is_less |= both != to[plane];
        to[plane] = both;
    }
    return is_less;
}

/* Special registers of a thread or of the launch are settled, under numbers of their own: they stay where they are. */
static void enter(struct finder *f)
{
    for (int s = 0; s < SREG_COUNT; s++) {
        int32_t plane = f->program->sreg_plane[s];
        if (plane >= 0 && sreg_table[s].scope != SCOPE_BLOCK_FIXED)
            f->now[plane] = f->program->insn_count + 1 + plane;
    }
    merge(f, f->program->functions[0].first_block);
}

static void find_values(struct finder *f)
{
    bool goes_on = true;
    enter(f);
    while (goes_on) {
        goes_on = false;
        for (int b = 0; b < f->program->block_count; b++) {
            const struct flow_block *block = &f->program->blocks[b];
            if (!f->is_reached[b])
                continue;
            memcpy(f->now, f->at_start + (size_t)b * (size_t)f->planes, sizeof *f->now * (size_t)f->planes);
            for (int32_t pc = block->first; pc <= block->last; pc++)
                walk(f, pc);
            for (int i = 0; i < block->successor_count; i++)
                goes_on |= merge(f, block->successors[i]);
        }
    }
}

/* ---- backwards ---- */

static bool is_place(const struct finder *f, int32_t number)
{
    return number != UNSETTLED && number <= f->program->insn_count;
}

/* Notes the planes that the instruction reads in place. Instructions of other kinds name them in their program's form.
 */
static void read_in_place(struct finder *f, int32_t pc)
{
    struct bound in = f->bound[pc];
    for (int i = 0; i < OPERANDS && can_read_elsewhere(&in); i++) {
        const int32_t *at = operand_of(&in, i);
        if (at && !is_place(f, f->source[(size_t)pc * OPERANDS + (size_t)i]))
            f->reads[*at / PLANE_BYTES] = true;
    }
    if (can_read_elsewhere(&in))
        return;
    for (int i = 0; i < in.insn->source_count; i++)
        if (in.insn->source[i].kind == REF_PLANE)
            f->reads[in.insn->source[i].plane] = true;
    if (in.insn->guard >= 0)
        f->reads[in.insn->guard] = true;
}

/* Walks backwards through a basic block. True: more is read from its start on than before. */
static bool walk_back(struct finder *f, int b)
{
    const struct flow_block *block = &f->program->blocks[b];
    bool is_more = false, *at_start = f->is_read + (size_t)b * (size_t)f->planes;
    memset(f->reads, 0, (size_t)f->planes * sizeof *f->reads);
    for (int i = 0; i < block->successor_count; i++)
        for (int plane = 0; plane < f->planes; plane++)
            f->reads[plane] |= f->is_read[(size_t)block->successors[i] * (size_t)f->planes + (size_t)plane];
    for (int32_t pc = block->last; pc >= block->first; pc--) {
        const struct insn *insn = f->bound[pc].insn;
        for (int i = 0; i < insn->dest_count; i++)
            if (insn->dest[i].kind == REF_PLANE) {
                f->is_unread[pc] &= !f->reads[insn->dest[i].plane];
                f->reads[insn->dest[i].plane] &= insn->guard >= 0;
            }
        read_in_place(f, pc);
    }
    for (int plane = 0; plane < f->planes; plane++) {
        is_more |= f->reads[plane] && !at_start[plane];
        at_start[plane] |= f->reads[plane];
    }
    return is_more;
}

static void find_reads(struct finder *f)
{
    for (int32_t pc = 0; pc < f->program->insn_count; pc++) {
        f->is_unread[pc] = f->is_reached[f->bound[pc].insn->block];
    }
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (int b = f->program->block_count - 1; b >= 0; b--)
            goes_on |= f->is_reached[b] && walk_back(f, b);
    }
}

/* The planes to be cleared when a block starts: up to the last one that a thread may read before it has written it. A
 * register has up to four planes. No instruction reads registers of threads that do not execute it. */
static int find_cleared(const struct finder *f)
{
    const bool *at_start = f->is_read + (size_t)f->program->functions[0].first_block * (size_t)f->planes;
    int end = 0;
    for (int plane = 0; plane < f->planes; plane++)
        end = at_start[plane] ? plane + 4 : end;
    return end < f->planes ? end : f->planes;
}

/* ---- the settled code ---- */

/* Lets the instruction at a PC read settled values from their planes. */
static void read_elsewhere(const struct finder *f, int32_t pc, struct bound *in)
{
    for (int i = 0; i < OPERANDS && can_read_elsewhere(in); i++) {
        int32_t number = f->source[(size_t)pc * OPERANDS + (size_t)i];
        if (operand_of(in, i) && is_place(f, number))
            *operand_of(in, i) = f->place[number - 1];
    }
}

/* Gives the settled value of a PC a plane, behind those of the values that it is computed of. */
static void add_value(struct finder *f, struct settled *s, int32_t pc)
{
    if (f->place[pc])
        return;
    for (int i = 0; i < OPERANDS; i++) {
        int32_t number = f->source[(size_t)pc * OPERANDS + (size_t)i];
        if (is_place(f, number))
            add_value(f, s, number - 1);
    }
    struct bound *in = &s->fill[s->fill_count++];
    *in = f->bound[pc];
    read_elsewhere(f, pc, in);
    f->place[pc] = (s->program.plane_count + s->program.settled_planes) * PLANE_BYTES;
    in->dest[0] = f->place[pc];
    s->program.settled_planes += in->dest_bits[0] == 64 ? 2 : 1;
}

/* Whether the instruction is a load that a stretch may have: a row of it may be executed in one step. */
static bool is_quick_load(const struct bound *b)
{
    return b->kind == BOUND_LOAD && b->reach != REACH_LANES && !b->order && b->guard == OFFSET_NONE;
}

/* Instructions that are passed over have stretches of their own. */
static void bind_passing(const struct finder *f, struct bound *bound)
{
    uint8_t stretch = 0;
    bool was_passed = false;
    for (int pc = f->program->insn_count - 1; pc >= 0; pc--) {
        struct bound *b = &bound[pc];
        b->is_passed = f->is_settled[pc] && f->is_unread[pc];
        const bool is_part = b->stretch || b->is_passed || is_quick_load(b);
        if (b->is_passed != was_passed || !is_part)
            stretch = 0;
        if (is_part)
            stretch += stretch < UINT8_MAX;
        b->stretch = stretch;
        was_passed = b->is_passed;
    }
}

/* An atomic whose result nobody reads is none that threads wait by. */
static void drop_result(const struct finder *f, int32_t pc, struct bound *in)
{
    if (in->kind != BOUND_ATOMIC || !in->dest_count || !f->is_unread[pc])
        return;
    in->dest_count = 0;
    in->order &= (uint8_t)~ORDER_POLL;
}

static void make_code(struct finder *f, struct settled *s)
{
    const int count = f->program->insn_count;
    for (int32_t pc = 0; pc < count; pc++)
        for (int i = 0; i < OPERANDS; i++) {
            int32_t number = f->source[(size_t)pc * OPERANDS + (size_t)i];
            if (is_place(f, number))
                add_value(f, s, number - 1);
        }
    if (!s->fill_count)
        return;
    s->code.bound = xcalloc((size_t)count + 1, sizeof *s->code.bound);
    memcpy(s->code.bound, f->bound, (size_t)count * sizeof *s->code.bound);
    for (int32_t pc = 0; pc < count; pc++) {
        read_elsewhere(f, pc, &s->code.bound[pc]);
        drop_result(f, pc, &s->code.bound[pc]);
    }
    bind_passing(f, s->code.bound);
    s->code.program = &s->program;
}

static struct settled *create(const struct code *code)
{
    const struct program *p = code->program;
    struct settled *s = xcalloc(1, sizeof *s);
    struct finder f = {.program = p, .bound = code->bound, .planes = p->plane_count};
    const size_t planes = (size_t)f.planes + 1, count = (size_t)p->insn_count, states = (size_t)p->block_count * planes;
    s->code = *code;
    s->program = *p;
    if (p->call_count || p->function_count > 1 || states > MOST_STATES)
        return s;
    f.at_start = xcalloc(states, sizeof *f.at_start);
    f.is_reached = xcalloc((size_t)p->block_count + 1, sizeof *f.is_reached);
    f.now = xcalloc(planes, sizeof *f.now);
    f.is_read = xcalloc(states, sizeof *f.is_read);
    f.reads = xcalloc(planes, sizeof *f.reads);
    f.source = xcalloc(count * OPERANDS, sizeof *f.source);
    f.place = xcalloc(count, sizeof *f.place);
    f.is_settled = xcalloc(count, sizeof *f.is_settled);
    f.is_unread = xcalloc(count, sizeof *f.is_unread);
    s->fill = xcalloc(count, sizeof *s->fill);
    find_values(&f);
    find_reads(&f);
    s->cleared_planes = find_cleared(&f);
    make_code(&f, s);
    void *const made[] = {f.at_start, f.is_reached, f.now,        f.is_read,  f.reads,
                          f.source,   f.place,      f.is_settled, f.is_unread};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        free(made[i]);
    return s;
}

const struct code *settled_code(const struct code *code, const struct launch *launch)
{
    if (launch->order || launch->taping || launch->waste || launch->race)
        return code;
    if (!code->kept->settled)
        code->kept->settled = create(code);
    return code->kept->settled->fill_count ? &code->kept->settled->code : code;
}

void settled_destroy(struct settled *s)
{
    if (!s)
        return;
    if (s->fill_count)
        free(s->code.bound);
    free(s->fill);
    free(s);
}

void settled_fill(struct engine *e, struct block *block)
{
    if (!e->program->settled_planes)
        return;
    const struct settled *s = e->code->kept->settled;
    block->cleared_planes = s->cleared_planes;
    e->block = block;
    for (int r = 0; r < block->row_count; r++) {
        e->row = &block->rows[r];
        for (int i = 0; i < s->fill_count; i++)
            straight_execute(e, &s->fill[i], 0, e->row->live);
    }
}
