/*
 * Finds origins: see origins.h. Sets are solved forward over the blocks of each function, plane by plane, until none
 * grows: a block's sets at its start are the union of its predecessors' sets at their ends.
 */
#include "flow/origins.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* More sets than this, one per block and plane, take too long: then nothing is known of any access. */
enum { MOST_SETS = 1 << 22 };

struct tracer {
    const struct program *program;
    struct origins *origins;
    struct origin_set *at_start; /* [block][plane] */
    struct origin_set *now;      /* [plane] before the instruction at work */
    bool *is_due;                /* [block]: its sets at the start have grown */
    /* What warp-level operations mix, all of them together: a thread may get a value from another PC. */
    struct origin_set exchanged;
    bool exchange_grew;
};

static const struct origin_set NUMBER = {.of = ORIGIN_NUMBER}, ANYTHING = {.of = ORIGIN_ANYTHING},
                               WINDOW = {.of = ORIGIN_WINDOW}, PARAMETERS = {.of = ORIGIN_PARAMETERS},
                               ZERO = {.of = ORIGIN_ZERO};

/* ---- sets ---- */

static struct origin_set join(struct origin_set a, struct origin_set b)
{
    return (struct origin_set){a.of | b.of, a.mixed | b.mixed};
}

/* A sum is a number only if both operands are. */
static struct origin_set sum(struct origin_set a, struct origin_set b)
{
    uint64_t numbers = ORIGIN_NUMBER | ORIGIN_ZERO, of = (a.of | b.of) & ~numbers;
    if (a.of & numbers && b.of & numbers)
        of |= (a.of & b.of & ORIGIN_ZERO) | ((a.of | b.of) & ORIGIN_NUMBER);
    return (struct origin_set){of, a.mixed | b.mixed};
}

/* What any other operation makes of two values. It loses an address in a window, which no launch can tell. */
static struct origin_set mix(struct origin_set a, struct origin_set b)
{
    uint64_t of = a.of | b.of, lost = of & (ORIGIN_ANYTHING | ORIGIN_WINDOW | ORIGIN_PARAMETERS);
    return (struct origin_set){ORIGIN_NUMBER | (lost ? ORIGIN_ANYTHING : 0), a.mixed | b.mixed | (of & ORIGIN_NAMED)};
}

/* A value that is cut to less than the 64 bits of an address. */
static struct origin_set cut(struct origin_set a)
{
    struct origin_set mixed = mix(a, NUMBER);
    mixed.of = ORIGIN_NUMBER;
    return mixed;
}

static bool contains(struct origin_set a, struct origin_set b)
{
    return !(b.of & ~a.of) && !(b.mixed & ~a.mixed);
}

/* ---- operands ---- */

static bool is_same(const struct origin *a, const struct origin *b)
{
    return a->kind == b->kind && a->variable == b->variable && a->offset == b->offset && a->bytes == b->bytes;
}

static struct origin_set set_of_origin(struct tracer *t, struct origin wanted)
{
    struct origins *o = t->origins;
    int i = 0;
    while (i < o->count && !is_same(&o->origin[i], &wanted))
        i++;
    if (i == ORIGINS_MOST)
        return ANYTHING;
    if (i == o->count)
        o->origin[o->count++] = wanted;
    return (struct origin_set){.of = UINT64_C(1) << i};
}

static struct origin_set value_of(struct tracer *t, const struct ref *r)
{
    switch ((enum ref_kind)r->kind) {
    case REF_PLANE:
        return t->now[r->plane];
    case REF_VARIABLE:
        return r->variable->space == SPACE_CONST
                   ? WINDOW
                   : set_of_origin(t, (struct origin){.kind = ORIGIN_ADDRESS, .variable = r->variable});
    case REF_SHARED:
    case REF_LOCAL:
        return WINDOW;
    case REF_PARAM:
        return join(PARAMETERS, set_of_origin(t, (struct origin){.kind = ORIGIN_PLACE, .offset = (uint32_t)r->offset}));
    case REF_IMMEDIATE:
        return r->immediate ? NUMBER : ZERO;
    default:
        return NUMBER;
    }
}

static struct origin_set source(struct tracer *t, const struct insn *in, int i)
{
    return value_of(t, &in->source[i]);
}

static struct origin_set mix_sources(struct tracer *t, const struct insn *in)
{
    struct origin_set mixed = NUMBER;
    for (int i = 0; i < in->source_count; i++)
        mixed = mix(mixed, source(t, in, i));
    return mixed;
}

/* The bits of a value as the instruction reads or writes it, which may be fewer than the register has. */
static unsigned bits_of(const struct ref *r)
{
    return type_table[r->type].bits ? type_table[r->type].bits : r->bits;
}

/* ---- results ---- */

/* The place of the kernel's parameter that has a byte at the offset. */
static struct origin_set set_of_parameter(struct tracer *t, uint32_t offset)
{
    const struct ptx_function *kernel = t->program->kernel;
    const int64_t *start = t->program->layout->frame[kernel->index].formal_offset;
    for (int i = 0; i < kernel->parameter_count; i++) {
        uint64_t bytes = kernel->parameters[i]->size_bytes;
        if (offset - (uint64_t)start[i] < bytes)
            return set_of_origin(
                t, (struct origin){.kind = ORIGIN_PLACE, .offset = (uint32_t)start[i], .bytes = (uint32_t)bytes});
    }
    return ANYTHING;
}

/* A sum that instructions compute. What was a known place in a parameter is somewhere in that parameter then. */
static struct origin_set add(struct tracer *t, struct origin_set a, struct origin_set b)
{
    struct origin_set all = sum(a, b);
    for (uint64_t left = all.of & ORIGIN_PARAMETERS ? all.of & ORIGIN_NAMED : 0; left; left &= left - 1) {
        const struct origin *o = &t->origins->origin[__builtin_ctzll(left)];
        if (o->kind != ORIGIN_PLACE)
            continue;
        all.of &= ~(left & -left);
        all = join(all, set_of_parameter(t, o->offset));
    }
    return all;
}

/* What is loaded from `offset` behind places in the parameter block. */
static struct origin_set load_parameter(struct tracer *t, struct origin_set places, uint32_t offset)
{
    struct origin_set all = {0};
    if (places.of & (ORIGIN_ZERO | ORIGIN_WINDOW | ORIGIN_NUMBER | ORIGIN_ANYTHING))
        return ANYTHING;
    for (uint64_t left = places.of & ORIGIN_NAMED; left; left &= left - 1) {
        struct origin o = t->origins->origin[__builtin_ctzll(left)];
        if (o.kind != ORIGIN_PLACE)
            return ANYTHING;
        o.kind = ORIGIN_VALUE;
        o.offset += o.bytes ? 0 : offset;
        all = join(all, set_of_origin(t, o));
    }
    return all.of ? all : ANYTHING;
}

/* What comes from memory: 64 bits may be a pointer. Kernel parameters are origins, and so are constants. */
static struct origin_set loaded(struct tracer *t, const struct insn *in, int i)
{
    const struct ref *from = in->address >= 0 ? &in->source[in->address] : NULL;
    uint32_t offset = 8u * (uint32_t)i;
    if (bits_of(&in->dest[i]) < 64)
        return NUMBER;
    if ((in->op != OP_LD && in->op != OP_LDU) || bits_of(&in->dest[i]) > 64)
        return ANYTHING;
    bool is_constant = from->kind == REF_VARIABLE && from->variable->space == SPACE_CONST;
    offset += (uint32_t)from->offset;
    if (!is_constant && from->kind != REF_PARAM)
        return load_parameter(t, value_of(t, from), offset);
    const struct ptx_variable *variable = is_constant ? from->variable : NULL;
    return set_of_origin(t, (struct origin){.kind = ORIGIN_VALUE, .variable = variable, .offset = offset});
}

/* A generic address in a window, whatever the offset in the window came from. Parameters of functions are in local
 * memory. */
static struct origin_set to_generic(struct tracer *t, const struct insn *in)
{
    struct origin_set a = source(t, in, 0);
    int space = in->suffixes.mod[GROUP_SPACE];
    return space == SPACE_GLOBAL ? a : sum(a, space == SPACE_PARAM && in->function == 0 ? PARAMETERS : WINDOW);
}

static struct origin_set convert(struct tracer *t, const struct insn *in)
{
    struct origin_set a = source(t, in, 0);
    bool is_cut = type_table[in->suffixes.type[0]].bits < type_table[in->suffixes.type[1]].bits;
    return is_cut ? cut(a) : a;
}

/* Moving 32 bits up may make the upper half of an address. */
static struct origin_set shift_left(struct tracer *t, const struct insn *in)
{
    const struct ref *by = &in->source[1];
    bool is_small = by->kind == REF_IMMEDIATE && by->immediate < 32;
    return bits_of(&in->dest[0]) == 64 && !is_small ? ANYTHING : mix_sources(t, in);
}

static struct origin_set exchange(struct tracer *t, const struct insn *in, int i)
{
    struct origin_set given = mix_sources(t, in);
    t->exchange_grew |= !contains(t->exchanged, given);
    t->exchanged = join(t->exchanged, given);
    return bits_of(&in->dest[i]) < 64 ? cut(t->exchanged) : t->exchanged;
}

static struct origin_set result_by_class(struct tracer *t, const struct insn *in, int i)
{
    if (in->address >= 0 || in->class == CLASS_TEX)
        return loaded(t, in, i);
    if (class_is_warp_level(in->class))
        return exchange(t, in, i);
    struct origin_set mixed = mix_sources(t, in);
    return bits_of(&in->dest[i]) < 64 ? cut(mixed) : mixed;
}

/* What the instruction writes to its i-th destination. */
static struct origin_set result(struct tracer *t, const struct insn *in, int i)
{
    switch ((enum op)in->op) {
    case OP_MOV:
    case OP_CVTA_TO:
        return source(t, in, 0);
    case OP_MOV_VECTOR:
        return source(t, in, i);
    case OP_CVTA:
        return to_generic(t, in);
    case OP_ADD:
    case OP_SUB:
        return add(t, source(t, in, 0), source(t, in, 1));
    case OP_MAD:
    case OP_MAD_WIDE:
        return add(t, mix(source(t, in, 0), source(t, in, 1)), source(t, in, 2));
    case OP_SELP:
    case OP_SLCT:
    case OP_MIN:
    case OP_MAX:
        return join(source(t, in, 0), source(t, in, 1));
    case OP_CVT_INT:
        return convert(t, in);
    case OP_SHL:
        return shift_left(t, in);
    case OP_PACK:
        return bits_of(&in->dest[i]) < 64 ? cut(mix_sources(t, in)) : ANYTHING;
    case OP_CALL:
        return ANYTHING;
    default:
        return result_by_class(t, in, i);
    }
}

static void step(struct tracer *t, const struct insn *in)
{
    struct origin_set written[UINT8_MAX];
    for (int i = 0; i < in->dest_count; i++)
        if (in->dest[i].kind == REF_PLANE)
            written[i] = result(t, in, i);
    for (int i = 0; i < in->dest_count; i++)
        if (in->dest[i].kind == REF_PLANE) {
            struct origin_set *now = &t->now[in->dest[i].plane];
            *now = in->guard >= 0 ? join(*now, written[i]) : written[i];
        }
}

/* ---- solving ---- */

static struct origin_set *start_of(const struct tracer *t, int block)
{
    return t->at_start + (size_t)block * (size_t)t->program->plane_count;
}

static void flow_into(struct tracer *t, int block)
{
    struct origin_set *start = start_of(t, block);
    for (int i = 0; i < t->program->plane_count; i++)
        if (!contains(start[i], t->now[i])) {
            start[i] = join(start[i], t->now[i]);
            t->is_due[block] = true;
        }
}

/* At the kernel's start registers hold 0, and at that of another function what others left there. Special registers
 * hold numbers. */
static void enter_functions(struct tracer *t)
{
    const struct program *p = t->program;
    for (int f = 0; f < p->function_count; f++) {
        for (int i = 0; i < p->plane_count; i++)
            t->now[i] = f == 0 ? ZERO : ANYTHING;
        for (int s = 0; s < SREG_COUNT; s++)
            if (p->sreg_plane[s] >= 0)
                t->now[p->sreg_plane[s]] = NUMBER;
        flow_into(t, p->functions[f].first_block);
    }
}

static void trace_block(struct tracer *t, int block)
{
    const struct flow_block *b = &t->program->blocks[block];
    t->is_due[block] = false;
    memcpy(t->now, start_of(t, block), sizeof *t->now * (size_t)t->program->plane_count);
    for (int32_t pc = b->first; pc <= b->last; pc++)
        step(t, &t->program->insns[pc]);
    for (int i = 0; i < b->successor_count; i++)
        flow_into(t, b->successors[i]);
}

static void solve(struct tracer *t)
{
    const struct program *p = t->program;
    enter_functions(t);
    for (bool again = true; again;) {
        again = false;
        for (int b = 0; b < p->block_count; b++) {
            if (!t->is_due[b])
                continue;
            trace_block(t, b);
            again = true;
        }
        for (int b = 0; b < p->block_count && t->exchange_grew; b++)
            t->is_due[b] = again = true;
        t->exchange_grew = false;
    }
}

/* ---- accesses ---- */

static bool is_between(const struct insn *in, enum op first, enum op last)
{
    return in->op >= first && in->op <= last;
}

static bool is_atomic(const struct insn *in)
{
    return is_between(in, OP_ATOM, OP_RED_VEC_HALF);
}

/* How the instruction accesses memory that all blocks see; neither reads nor writes: it does not. */
static struct origin_access kind_of(const struct insn *in)
{
    const int space = in->suffixes.mod[GROUP_SPACE];
    bool is_parameter = space == SPACE_PARAM && in->op == OP_ST && in->function == 0 &&
                        in->source[in->address].kind != REF_LOCAL; /* and no argument of a call */
    bool has_address = in->address >= 0 && (space == MOD_NONE || space == SPACE_GLOBAL || is_parameter);
    struct origin_access a = {0};
    if (in->class == CLASS_TEX) {
        a.is_surface = is_between(in, OP_SULD, OP_SURED_P_ANDOR);
        a.is_texture = !a.is_surface;
        a.writes = is_between(in, OP_SUST, OP_SURED_P_ANDOR);
        a.reads = !a.writes;
    } else if (has_address &&
               (in->op == OP_LD || in->op == OP_LDU || is_between(in, OP_WMMA_LOAD, OP_WMMA_LOAD_C_INT) ||
                in->op == OP_LDMATRIX || is_between(in, OP_LDMATRIX_B8, OP_LDMATRIX_PACKED_T))) {
        a.reads = true;
    } else if (has_address && (in->op == OP_ST || in->op == OP_ST_BULK || in->op == OP_STMATRIX ||
                               in->op == OP_STMATRIX_B8 || is_between(in, OP_WMMA_STORE, OP_WMMA_STORE_INT))) {
        a.writes = true;
    } else if (has_address && is_atomic(in)) {
        a.writes = true;
        a.reads = in->dest_count > 0;
    }
    return a;
}

/* Whether others may have to see the access, or the access what others did, before the launch ends. */
static bool is_strong(const struct insn *in)
{
    const uint8_t *mod = in->suffixes.mod;
    unsigned sem = mod[GROUP_SEM];
    if (mod[GROUP_CACHE] == CACHE_CV)
        return true;
    if (sem == MOD_NONE || sem == SEM_WEAK || mod[GROUP_SCOPE] == SCOPE_CTA)
        return false;
    return !is_atomic(in) || sem != SEM_RELAXED;
}

static unsigned flags_of_access(const struct insn *in, const struct origin_access *a)
{
    unsigned flags = is_atomic(in) && a->reads ? ORIGINS_RESULTS : 0;
    if (is_strong(in))
        flags |= ORIGINS_STRONG;
    if (!origin_access_is_known(a))
        flags |= (a->reads ? ORIGINS_UNKNOWN_READS : 0u) | (a->writes ? ORIGINS_UNKNOWN_WRITES : 0u);
    return flags;
}

static unsigned flags_of(const struct program *p, const struct insn *in)
{
    bool is_tensor_map = in->op == OP_TENSORMAP_REPLACE || in->op == OP_TENSORMAP_REPLACE_AT;
    bool is_remote = in->op == OP_MAPA || in->op == OP_CLUSTER_ARRIVE || in->op == OP_CLUSTER_WAIT;
    unsigned flags = 0;
    if (in->class == CLASS_ASYNC || is_tensor_map)
        flags |= ORIGINS_ASYNC;
    if (is_remote || in->suffixes.mod[GROUP_SPACE] == SPACE_CLUSTER)
        flags |= ORIGINS_CLUSTER;
    if ((in->op == OP_MEMBAR && in->suffixes.mod[GROUP_FENCE] != FENCE_CTA) ||
        (in->op == OP_FENCE && in->suffixes.mod[GROUP_SCOPE] != SCOPE_CTA))
        flags |= ORIGINS_FENCES;
    if (in->call >= 0 && p->calls[in->call].builtin)
        flags |= ORIGINS_BUILTINS;
    return flags;
}

static int32_t add_access(struct origins *o, const struct origin_access *a)
{
    for (int i = 0; i < o->access_count; i++)
        if (!memcmp(&o->accesses[i], a, sizeof *a))
            return i;
    o->accesses = xrealloc(o->accesses, sizeof *a * ((size_t)o->access_count + 1));
    o->accesses[o->access_count] = *a;
    return o->access_count++;
}

static void note(struct tracer *t, int32_t pc)
{
    struct origins *o = t->origins;
    const struct insn *in = &t->program->insns[pc];
    struct origin_access a;
    memset(&a, 0, sizeof a); /* accesses are compared as bytes */
    struct origin_access kind = kind_of(in);
    o->flags |= flags_of(t->program, in);
    if (!kind.reads && !kind.writes)
        return;
    a.reads = kind.reads;
    a.writes = kind.writes;
    a.is_texture = kind.is_texture;
    a.is_surface = kind.is_surface;
    a.address = t->at_start ? source(t, in, in->class == CLASS_TEX ? 0 : in->address) : ANYTHING;
    o->access_at[pc] = add_access(o, &a);
    if (origin_access_is_known(&a) && !(a.address.of & ORIGIN_NAMED)) /* the block's own memory, or constant */
        return;
    o->flags |= flags_of_access(in, &a);
    o->read |= a.reads ? a.address.of & ORIGIN_NAMED : 0;
    o->written |= a.writes ? a.address.of & ORIGIN_NAMED : 0;
}

static void note_accesses(struct tracer *t)
{
    const struct program *p = t->program;
    for (int b = 0; b < p->block_count; b++) {
        const struct flow_block *block = &p->blocks[b];
        if (!block->reachable)
            continue;
        if (t->at_start)
            memcpy(t->now, start_of(t, b), sizeof *t->now * (size_t)p->plane_count);
        for (int32_t pc = block->first; pc <= block->last; pc++) {
            note(t, pc);
            if (t->at_start)
                step(t, &p->insns[pc]);
        }
    }
}

struct origins *origins_find(const struct program *p)
{
    struct tracer t = {.program = p, .origins = xcalloc(1, sizeof *t.origins)};
    size_t planes = (size_t)p->plane_count, sets = (size_t)p->block_count * planes;
    t.origins->access_at = xmalloc(sizeof(int32_t) * (size_t)p->insn_count);
    for (int32_t pc = 0; pc < p->insn_count; pc++)
        t.origins->access_at[pc] = -1;
    if (sets <= MOST_SETS) {
        t.at_start = xcalloc(sets + 1, sizeof *t.at_start);
        t.now = xcalloc(planes + 1, sizeof *t.now);
        t.is_due = xcalloc((size_t)p->block_count + 1, sizeof *t.is_due);
        solve(&t);
    }
    note_accesses(&t);
    free(t.at_start);
    free(t.now);
    free(t.is_due);
    return t.origins;
}

void origins_destroy(struct origins *o)
{
    if (!o)
        return;
    free(o->accesses);
    free(o->access_at);
    free(o);
}
