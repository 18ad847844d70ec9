/*
 * Repeating branches: branches at which a thread takes the same side in every iteration of the loops around them. The
 * result is a judgement for estimates (detect.h), not a proof. The program is only read.
 *
 * A forward analysis, over one function at a time, knows two things of each plane (a register of all threads of a row):
 *   - the slope, by how much the value grows from one thread to the next. The slope is 0 if all threads hold the same
 *     value, and INFINITY if the value is no sum or multiple of the thread's index
 *   - the origin, where the value became fixed: computed at one PC from fixed values only, or read before all loops
 * A branch is repeating if each of its operands has a finite slope or an origin. repeating.h says why.
 */
#include "recon/repeating.h"

#include <math.h>
#include <string.h>

enum {
    STEEPEST = 1 << 24,  /* a steeper slope counts as none: with the threads of a grid, products lose upper bits */
    PARAMETER = 256,     /* assumed size of a factor that is not a constant */
    PATIENCE = 6,        /* sweeps; a slope that still grows after these grows without end */
    MOST_CELLS = 1 << 24 /* most planes times blocks of a function that is analysed */
};

/* Origins of a value that are no PC. BEFORE: fixed before the kernel's first instruction. MOVED: not fixed, but a fixed
 * value plus something that is the same for all threads. UNKNOWN: anything else. */
enum { BEFORE = -1, MOVED = -2, UNKNOWN = -3 };

/* What is known of a value. */
struct slope_value {
    double slope;   /* growth from thread to thread; INFINITY: unknown; negative: no path has written the plane yet */
    int32_t origin; /* PC that computed the fixed value, BEFORE, MOVED or UNKNOWN */
};

/* `nothing`: no path has written the plane yet. `anything`: neither slope nor origin is known. */
static const struct slope_value nothing = {-1, BEFORE}, anything = {INFINITY, UNKNOWN};

struct slope_analysis {
    const struct program *program;
    const struct program_function *function;
    bool is_kernel;
    struct slope_value *in;  /* by block of the function, by plane: the value at the block's start */
    bool *reached;           /* by block of the function: the analysis has come to its start */
    bool *mixed;             /* by block, by plane: the block is a reconvergence point, and some side wrote the plane */
    struct slope_value *now; /* by plane: the value at the instruction that is looked at now */
};

static bool is_nothing(struct slope_value v)
{
    return v.slope < 0;
}

static bool is_repeating(struct slope_value v)
{
    return !is_nothing(v) && (v.slope < INFINITY || v.origin != UNKNOWN);
}

static struct slope_value *in_of(const struct slope_analysis *s, int32_t block)
{
    return s->in + (size_t)(block - s->function->first_block) * (size_t)s->program->plane_count;
}

static bool *mixed_of(const struct slope_analysis *s, int32_t block)
{
    return s->mixed + (size_t)(block - s->function->first_block) * (size_t)s->program->plane_count;
}

/* ---- values ---- */

/* What is known of an operand. A register that no path has written may hold anything. */
static struct slope_value value_of(const struct slope_analysis *s, const struct ref *r)
{
    switch (r->kind) {
    case REF_PLANE:
        return is_nothing(s->now[r->plane]) ? anything : s->now[r->plane];
    case REF_SREG:
        return anything;
    case REF_LOCAL:
        return (struct slope_value){INFINITY, BEFORE};
    default:
        return (struct slope_value){0, BEFORE};
    }
}

static double slope_of(const struct slope_analysis *s, const struct ref *r)
{
    return value_of(s, r).slope;
}

/* The largest slope among the instruction's sources. */
static double steepest(const struct slope_analysis *s, const struct insn *in)
{
    double most = 0;
    for (int i = 0; i < in->source_count; i++)
        most = fmax(most, slope_of(s, &in->source[i]));
    return most;
}

static bool all_are(const struct slope_analysis *s, const struct insn *in, bool (*is)(struct slope_value))
{
    for (int i = 0; i < in->source_count; i++)
        if (!is(value_of(s, &in->source[i])))
            return false;
    return true;
}

/* By how much a factor multiplies the slope of the other factor. */
static double size_of(const struct ref *r)
{
    return r->kind == REF_IMMEDIATE ? fabs((double)(int64_t)r->immediate) : PARAMETER;
}

/* A slope, however large, times 0 is 0: as infinity times 0 it would be no number, which never comes to rest. */
static double times(double slope, double size)
{
    return size > 0 ? slope * size : 0;
}

static double product(const struct slope_analysis *s, const struct insn *in)
{
    double a = slope_of(s, &in->source[0]), b = slope_of(s, &in->source[1]);
    if (a > 0 && b > 0)
        return INFINITY;
    return a > 0 ? times(a, size_of(&in->source[1])) : b > 0 ? times(b, size_of(&in->source[0])) : 0;
}

static double shifted(const struct slope_analysis *s, const struct insn *in)
{
    double a = slope_of(s, &in->source[0]);
    const struct ref *by = &in->source[1];
    if (a <= 0 || slope_of(s, by) > 0)
        return a <= 0 && slope_of(s, by) <= 0 ? 0 : INFINITY;
    int bits = by->kind == REF_IMMEDIATE ? (int)(by->immediate & 63) : 0;
    return in->op == OP_SHL ? ldexp(a, bits) : a;
}

/* Slope of a load: all threads read the same value at one address. */
static double loaded(const struct slope_analysis *s, const struct insn *in)
{
    return steepest(s, in) > 0 ? INFINITY : 0;
}

static bool is_of_predicates(const struct insn *in)
{
    return in->dest[0].kind == REF_PLANE && in->dest[0].bits == 1;
}

/* Slope of a test, or of several tests combined: finite if all operands are repeating. */
static double tested(const struct slope_analysis *s, const struct insn *in)
{
    double slope = steepest(s, in);
    return slope < INFINITY || !all_are(s, in, is_repeating) ? slope : 1;
}

static double slope_of_result(const struct slope_analysis *s, const struct insn *in)
{
    if (in->class == CLASS_TEX)
        return INFINITY;
    switch (in->op) {
    case OP_LD:
    case OP_LDU:
        return loaded(s, in);
    case OP_ATOM:
    case OP_ATOM_CAS:
    case OP_ATOM_EXCH_B128:
    case OP_ATOM_HALF:
    case OP_ATOM_VEC:
    case OP_ATOM_VEC_HALF:
    case OP_CALL:
        return INFINITY;
    case OP_MUL:
    case OP_MUL_WIDE:
        return product(s, in);
    case OP_MAD:
    case OP_MAD_WIDE:
        return product(s, in) + slope_of(s, &in->source[2]);
    case OP_SHL:
    case OP_SHR:
        return shifted(s, in);
    case OP_ADD:
    case OP_SUB:
        return slope_of(s, &in->source[0]) + slope_of(s, &in->source[1]);
    case OP_MOV:
    case OP_CVTA:
    case OP_CVTA_TO:
    case OP_CVT_INT:
    case OP_NEG:
    case OP_MIN:
    case OP_MAX:
        return steepest(s, in);
    case OP_SETP:
    case OP_SETP_F:
        return tested(s, in);
    case OP_DIV:
        return slope_of(s, &in->source[1]) > 0 ? INFINITY : slope_of(s, &in->source[0]);
    case OP_AND:
    case OP_OR:
    case OP_NOT:
    case OP_SETP_BOOL:
    case OP_SETP_F_BOOL:
        return is_of_predicates(in) ? tested(s, in) : steepest(s, in) <= 0 ? 0 : INFINITY;
    default:
        return !class_is_warp_level(in->class) && steepest(s, in) <= 0 ? 0 : INFINITY;
    }
}

static bool is_fixed(struct slope_value v)
{
    return v.origin >= BEFORE;
}

static bool is_same_for_all(struct slope_value v)
{
    return v.slope <= 0 || v.origin != UNKNOWN;
}

/* Where the result is fixed. A load is fixed only before all loops, since memory may change between iterations. */
static int32_t origin_of_result(const struct slope_analysis *s, int32_t pc)
{
    const struct insn *in = &s->program->insns[pc];
    bool is_pure = !class_is_warp_level(in->class) && in->op != OP_CALL && !(in->flags & INSN_MEMORY);
    bool is_parameter = (in->flags & INSN_MEMORY) && in->suffixes.mod[GROUP_SPACE] == SPACE_PARAM && s->is_kernel;
    bool moves = in->op == OP_ADD || in->op == OP_SUB || in->op == OP_MOV || in->op == OP_CVT_INT;
    if (!is_pure && !is_parameter)
        return s->is_kernel && s->program->blocks[in->block].loop < 0 ? pc : UNKNOWN;
    if (all_are(s, in, is_fixed))
        return pc;
    return moves && all_are(s, in, is_same_for_all) ? MOVED : UNKNOWN;
}

/* Sets what is known of the planes that the instruction writes, in s->now. Where a guard is false, the old value
 * stays. */
static void execute(struct slope_analysis *s, int32_t pc)
{
    const struct insn *in = &s->program->insns[pc];
    if (!in->dest_count)
        return;
    struct slope_value v = {slope_of_result(s, in), origin_of_result(s, pc)};
    v.slope = v.slope > STEEPEST ? INFINITY : v.slope;
    if (in->guard >= 0)
        v = s->now[in->guard].slope == 0 ? (struct slope_value){v.slope, UNKNOWN} : anything;
    for (int i = 0; i < in->dest_count; i++)
        if (in->dest[i].kind == REF_PLANE) {
            struct slope_value *old = &s->now[in->dest[i].plane];
            v.slope = in->guard < 0 ? v.slope : fmax(v.slope, old->slope);
            *old = v;
        }
}

/* ---- divergence ---- */

static void mark_written(const struct slope_analysis *s, int32_t block, bool *mixed)
{
    const struct flow_block *b = &s->program->blocks[block];
    for (int32_t pc = b->first; pc <= b->last; pc++)
        for (int i = 0; i < s->program->insns[pc].dest_count; i++)
            if (s->program->insns[pc].dest[i].kind == REF_PLANE)
                mixed[s->program->insns[pc].dest[i].plane] = true;
}

/* Marks, at the branch's reconvergence point, the planes that are written between a branch that may diverge and that
 * point. Behind the point such a plane holds values of both sides, so its slope is lost. */
static void mix(const struct slope_analysis *s, const struct branch *branch, bool *seen, int32_t *stack)
{
    const struct program *p = s->program;
    int32_t reconvergence = branch->ipdom == PC_NONE ? -1 : p->insns[branch->ipdom].block;
    int depth = 0;
    if (branch->uniform || reconvergence < 0)
        return;
    memset(seen, 0, (size_t)p->block_count);
    seen[reconvergence] = true;
    for (stack[depth++] = p->insns[branch->pc].block; depth;) {
        const struct flow_block *b = &p->blocks[stack[--depth]];
        for (int k = 0; k < b->successor_count; k++) {
            int32_t to = b->successors[k];
            if (seen[to])
                continue;
            seen[to] = true;
            mark_written(s, to, mixed_of(s, reconvergence));
            stack[depth++] = to;
        }
    }
}

static void find_mixed(struct slope_analysis *s, struct arena *scratch)
{
    const struct program *p = s->program;
    bool *seen = arena_array(scratch, bool, (size_t)p->block_count);
    int32_t *stack = arena_array(scratch, int32_t, (size_t)p->block_count);
    for (int32_t i = 0; i < p->branch_count; i++)
        if (&p->functions[p->insns[p->branches[i].pc].function] == s->function)
            mix(s, &p->branches[i], seen, stack);
}

/* ---- the function ---- */

/* Sets the values at the function's entry: special registers of a thread (its index) have slope 1, others slope 0. */
static void start(struct slope_analysis *s)
{
    const struct program *p = s->program;
    struct slope_value *entry = in_of(s, s->function->first_block);
    for (size_t i = 0; i < (size_t)s->function->block_count * (size_t)p->plane_count; i++)
        s->in[i] = nothing;
    for (int r = 0; r < SREG_COUNT; r++)
        if (p->sreg_plane[r] >= 0)
            entry[p->sreg_plane[r]] = (struct slope_value){sreg_table[r].scope == SCOPE_THREAD_FIXED, BEFORE};
    s->reached[0] = true;
}

/* What is known of a value that is `a` on some paths and `b` on others. */
static struct slope_value either(struct slope_value a, struct slope_value b)
{
    if (is_nothing(a) || is_nothing(b))
        return is_nothing(a) ? b : a;
    int32_t origin = a.origin == UNKNOWN || b.origin == UNKNOWN ? UNKNOWN : MOVED;
    return (struct slope_value){fmax(a.slope, b.slope), a.origin == b.origin ? a.origin : origin};
}

/* Carries the values at a block's end to its successors. True: something changed. hurries: growing slopes become
 * infinite. */
static bool pass_on(struct slope_analysis *s, int32_t block, bool hurries)
{
    const struct program *p = s->program;
    bool changed = false;
    for (int k = 0; k < p->blocks[block].successor_count; k++) {
        int32_t to = p->blocks[block].successors[k];
        struct slope_value *in = in_of(s, to);
        const bool *mixed = mixed_of(s, to);
        changed |= !s->reached[to - s->function->first_block];
        s->reached[to - s->function->first_block] = true;
        for (int i = 0; i < p->plane_count; i++) {
            struct slope_value v = s->now[i], old = in[i];
            if (mixed[i] && !is_nothing(v))
                v = anything;
            in[i] = either(old, v);
            if (hurries && !is_nothing(old) && in[i].slope > old.slope)
                in[i].slope = INFINITY;
            changed |= in[i].slope != old.slope || in[i].origin != old.origin;
        }
    }
    return changed;
}

/* Leaves in s->now what is known at the block's end. */
static void walk(struct slope_analysis *s, int32_t block)
{
    const struct flow_block *b = &s->program->blocks[block];
    memcpy(s->now, in_of(s, block), sizeof *s->now * (size_t)s->program->plane_count);
    for (int32_t pc = b->first; pc <= b->last; pc++)
        execute(s, pc);
}

/* Says in repeating[] whether the branch at the block's end is repeating, once s->in is final. */
static void judge(struct slope_analysis *s, int32_t block, bool *repeating)
{
    const struct insn *last = &s->program->insns[s->program->blocks[block].last];
    if (last->branch < 0 || !s->reached[block - s->function->first_block])
        return;
    walk(s, block);
    repeating[last->branch] = last->guard >= 0 ? is_repeating(s->now[last->guard]) : all_are(s, last, is_repeating);
}

/* Fills in repeating[] for the branches of one function. They stay false if the function is too large to analyse. */
static void analyse_function(const struct program *p, int32_t function, bool *repeating)
{
    struct arena scratch = {0};
    const struct program_function *f = &p->functions[function];
    size_t cells = (size_t)f->block_count * (size_t)p->plane_count;
    if (cells > MOST_CELLS)
        return;
    struct slope_analysis s = {.program = p,
                               .function = f,
                               .is_kernel = function == 0,
                               .in = arena_array(&scratch, struct slope_value, cells),
                               .reached = arena_array(&scratch, bool, (size_t)f->block_count),
                               .mixed = arena_array(&scratch, bool, cells),
                               .now = arena_array(&scratch, struct slope_value, (size_t)p->plane_count)};
    start(&s);
    find_mixed(&s, &scratch);
    bool changed = true;
    for (int sweep = 0; changed; sweep++) {
        changed = false;
        for (int32_t b = f->first_block; b < f->first_block + f->block_count; b++) {
            if (!s.reached[b - f->first_block])
                continue;
            walk(&s, b);
            changed |= pass_on(&s, b, sweep >= PATIENCE);
        }
    }
    for (int32_t b = f->first_block; b < f->first_block + f->block_count; b++)
        judge(&s, b, repeating);
    arena_free(&scratch);
}

bool *repeating_branches(const struct program *program, struct arena *arena)
{
    bool *repeating = arena_array(arena, bool, (size_t)program->branch_count + 1);
    for (int32_t f = 0; f < program->function_count; f++)
        analyse_function(program, f, repeating);
    return repeating;
}
