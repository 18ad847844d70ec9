/*
 * Binding a program to an image: operands become offsets, addresses become constants, and handlers are chosen, so that
 * executing an instruction looks nothing up (bound.h). Done once per kernel and image, which it only reads.
 */
#include "exec/code.h"

#include "base/text.h"
#include "base/vec.h"
#include "exec/cluster.h"
#include "exec/settled.h"
#include "exec/single.h"

#include <string.h>

const char *const space_text[] = {
    [IN_GENERIC] = "generic", [IN_GLOBAL] = "global",     [IN_SHARED] = "shared",
    [IN_LOCAL] = "local",     [IN_CONSTANT] = "constant", [IN_PARAMETER] = "parameter",
};

/* The code while it is made. */
struct code_binder {
    struct code *code;
    struct vec_of(uint8_t) constants; /* becomes code->constants */
    struct vec_of(int32_t) more;      /* becomes code->more */
};

/* Each constant takes two planes, so that one offset serves every lane width. The first 256 bytes stay unused, since a
 * constant at offset 0 could not be told from a plane. */
enum { CONSTANT_BYTES = 2 * PLANE_BYTES };

/* The offset of a constant with the value in all 32 lanes, each `bits` wide: an earlier one again, or a new one. */
static int32_t spread(struct code_binder *b, uint64_t value, unsigned bits)
{
    uint8_t lanes[CONSTANT_BYTES] = {0};
    for (int i = 0; i < ROW_LANES; i++) {
        uint16_t half = (uint16_t)value;
        uint32_t word = bits == 1 ? (value ? UINT32_MAX : 0) : (uint32_t)value;
        if (bits == 64)
            memcpy(lanes + 8 * i, &value, 8);
        else if (bits == 16 || bits == 8)
            memcpy(lanes + 2 * i, &half, 2);
        else
            memcpy(lanes + 4 * i, &word, 4);
    }
    /* Kernels use few constants again and again, most of them soon, so only the last 64 are searched. */
    for (int at = b->constants.count - CONSTANT_BYTES, tries = 0; at > 0 && tries < 64; at -= CONSTANT_BYTES, tries++)
        if (!memcmp(b->constants.data + at, lanes, bits == 64 ? 256 : bits <= 16 && bits > 1 ? 64 : 128))
            return -at;
    int at = b->constants.count;
    vec_reserve(&b->constants, at + CONSTANT_BYTES);
    memcpy(b->constants.data + at, lanes, CONSTANT_BYTES);
    b->constants.count += CONSTANT_BYTES;
    return -at;
}

static unsigned width_of(const struct ref *r)
{
    if (r->kind == REF_PLANE && r->bits)
        return r->bits;
    unsigned bits = type_table[r->type].bits;
    return bits == 8 ? 16 : bits ? bits : 64;
}

/* The offset of a source; `bits` becomes its width per lane, `prepare` how it is computed at each execution. */
static int32_t bind_source(struct code_binder *b, const struct ref *r, uint8_t *bits, uint8_t *prepare)
{
    const struct image *image = b->code->image;
    *bits = (uint8_t)width_of(r);
    *prepare = PREPARE_NONE;
    switch (r->kind) {
    case REF_PLANE:
        if (r->negate && r->type == TYPE_PRED)
            *prepare = PREPARE_NEGATE;
        return r->plane * PLANE_BYTES;
    case REF_IMMEDIATE:
        return spread(b, r->immediate, *bits);
    case REF_VARIABLE:
        return spread(b, image_own_address(image, r->variable) + (uint64_t)r->offset, *bits);
    case REF_SHARED:
        if (!b->code->uses_clusters)
            return spread(b, (uint64_t)r->offset, *bits);
        *prepare = PREPARE_SHARED; /* the rank of the block is part of the address */
        return spread(b, (uint64_t)r->offset, 64);
    case REF_PARAM:
        return spread(b, (uint64_t)r->offset, *bits);
    case REF_FUNCTION:
        return spread(b, image_function_address(image, r->function), *bits);
    case REF_LOCAL:
        *prepare = PREPARE_FRAME;
        return spread(b, (uint64_t)r->offset, 64);
    case REF_SREG:
        *prepare = PREPARE_SREG;
        return r->sreg;
    default:
        return OFFSET_NONE;
    }
}

/* The space that the suffix names; generic if there is none. */
static enum space named_space(const struct insn *in)
{
    switch (in->suffixes.mod[GROUP_SPACE]) {
    case SPACE_GLOBAL:
        return IN_GLOBAL;
    case SPACE_SHARED:
    case SPACE_CLUSTER:
        return IN_SHARED;
    case SPACE_LOCAL:
        return IN_LOCAL;
    case SPACE_CONST:
        return IN_CONSTANT;
    case SPACE_PARAM:
        return IN_PARAMETER;
    default:
        return IN_GENERIC;
    }
}

static enum space space_of(const struct code_binder *b, const struct insn *in)
{
    const struct ref *r = &in->source[in->address];
    enum space named = named_space(in);
    if (r->kind == REF_LOCAL)
        return IN_LOCAL;
    /* Parameters of a device function are in its frame, those of a kernel in the parameter block. */
    if (named == IN_PARAMETER && !b->code->program->functions[in->function].source->is_entry)
        return IN_LOCAL;
    if (named != IN_GENERIC)
        return named;
    /* An access without a suffix is generic, except that a variable's name stands for an address in the variable's own
     * space. */
    if (r->kind == REF_SHARED)
        return IN_SHARED;
    if (r->kind == REF_PARAM)
        return IN_PARAMETER;
    if (r->kind == REF_VARIABLE && r->variable->space == SPACE_CONST)
        return IN_CONSTANT;
    return IN_GENERIC;
}

/* Fills in space, width and address of a memory operation. */
static void bind_address(struct code_binder *b, const struct insn *in, struct bound *out)
{
    const struct ref *r = &in->source[in->address];
    enum type t = (enum type)in->suffixes.type[0];
    out->space = (uint8_t)space_of(b, in);
    out->width = in->op == OP_ST_BULK ? 8 : (uint8_t)type_bytes(t); /* the least that st.bulk writes */
    out->is_signed = type_table[t].kind == KIND_SINT;
    out->address = OFFSET_NONE;
    out->address_bits = 64;
    switch (r->kind) {
    case REF_PLANE:
        out->address = r->plane * PLANE_BYTES;
        out->address_bits = r->bits;
        out->address_offset = r->offset;
        break;
    case REF_VARIABLE:
        out->address_offset = (int64_t)image_own_address(b->code->image, r->variable) + r->offset;
        break;
    case REF_IMMEDIATE:
        out->address_offset = (int64_t)r->immediate + r->offset;
        break;
    default: /* offsets in shared memory, the frame, or the parameter block */
        out->address_offset = r->offset;
        break;
    }
}

/* Instructions without an effect on values: what they order or prepare is in order, or there, anyway. */
static bool has_no_effect(enum op op)
{
    switch (op) {
    case OP_PREFETCH:
    case OP_PREFETCHU:
    case OP_APPLYPRIORITY:
    case OP_DISCARD:
    case OP_MEMBAR:
    case OP_FENCE:
    case OP_FENCE_ALIAS ... OP_PREFETCH_TENSORMAP:
    case OP_CP_ASYNC_COMMIT ... OP_CP_ASYNC_WAIT_ALL:
    case OP_BULK_PREFETCH:
    case OP_BULK_COMMIT ... OP_BULK_WAIT_READ:
    case OP_TENSOR_PREFETCH:
    case OP_BRKPT:
    case OP_GRIDDEP_LAUNCH:
    case OP_GRIDDEP_WAIT:
    case OP_PMEVENT:
    case OP_WGMMA_FENCE:
    case OP_WGMMA_COMMIT:
    case OP_PMEVENT_MASK:
    case OP_SETMAXNREG_INC:
    case OP_SETMAXNREG_DEC:
        return true;
    default:
        return false;
    }
}

/* Asynchronous copies, clusters, queries of textures, and surfaces; BOUND_LANES: none of these. */
static enum bound_kind kind_of_newer(enum op op)
{
    switch (op) {
    case OP_CP_ASYNC_ARRIVE:
    case OP_CP_ASYNC_ARRIVE_NOINC:
    case OP_MBARRIER_INIT ... OP_MBARRIER_PENDING:
        return BOUND_MBARRIER;
    case OP_CP_ASYNC:
    case OP_CP_ASYNC_IGNORE:
    case OP_BULK_LOAD ... OP_BULK_STORE_MASK:
    case OP_BULK_REDUCE_PEER ... OP_BULK_REDUCE_NOFTZ:
    case OP_TENSOR_LOAD ... OP_TENSOR_REDUCE:
    case OP_TENSORMAP_REPLACE ... OP_RED_ASYNC:
        return BOUND_ASYNC;
    case OP_MAPA:
    case OP_CTARANK:
        return BOUND_CLUSTER_ADDRESS;
    case OP_CLUSTER_ARRIVE:
    case OP_CLUSTER_WAIT:
        return BOUND_CLUSTER;
    case OP_TXQ ... OP_ISTYPEP:
        return BOUND_QUERY;
    case OP_SULD ... OP_SURED_P_ANDOR:
        return BOUND_SURFACE;
    default:
        return BOUND_LANES;
    }
}

static enum bound_kind kind_of(const struct code_binder *b, const struct insn *in)
{
    if (has_no_effect((enum op)in->op))
        return BOUND_NOTHING;
    enum bound_kind newer = kind_of_newer((enum op)in->op);
    if (newer != BOUND_LANES)
        return newer;
    switch (in->op) {
    case OP_LD:
    case OP_LDU:
        return BOUND_LOAD;
    case OP_ST:
        return BOUND_STORE;
    case OP_ATOM:
    case OP_ATOM_CAS:
    case OP_RED:
    case OP_ATOM_EXCH_B128:
    case OP_ATOM_HALF:
    case OP_RED_HALF:
    case OP_ATOM_VEC:
    case OP_RED_VEC:
    case OP_ATOM_VEC_HALF:
    case OP_RED_VEC_HALF:
        return BOUND_ATOMIC;
    case OP_TEX ... OP_TLD4:
        return BOUND_TEXTURE;
    case OP_CVTA:
        return BOUND_TO_GENERIC;
    case OP_CVTA_TO:
        return BOUND_FROM_GENERIC;
    case OP_ISSPACEP:
        return BOUND_IS_SPACE;
    case OP_POLICY_FRACTION:
    case OP_POLICY_RANGE:
    case OP_POLICY_CVT:
        return BOUND_POLICY;
    case OP_STACKSAVE:
    case OP_STACKRESTORE:
    case OP_ALLOCA:
        return BOUND_STACK;
    case OP_ST_BULK:
        return BOUND_FILL;
    case OP_NANOSLEEP:
        return BOUND_YIELD;
    case OP_SHFL:
    case OP_VOTE:
    case OP_BALLOT:
    case OP_ACTIVEMASK:
        return BOUND_TOGETHER;
    case OP_BRA:
        return BOUND_BRANCH;
    case OP_BRX:
        return BOUND_INDEXED;
    case OP_CALL:
        return b->code->program->calls[in->call].builtin ? BOUND_BUILTIN : BOUND_CALL;
    case OP_RET:
        return BOUND_RETURN;
    case OP_EXIT:
        return BOUND_EXIT;
    case OP_TRAP:
        return BOUND_TRAP;
    default:
        return in->class == CLASS_BARRIER       ? BOUND_BARRIER
               : class_is_warp_level(in->class) ? BOUND_RENDEZVOUS
                                                : BOUND_LANES;
    }
}

/* A second destination may exist if it is sunk, as in most comparisons. */
static bool is_simple(const struct bound *b)
{
    return b->kind == BOUND_LANES && b->dest_count && b->dest_count <= 2 && b->dest_bits[0] && !b->dest_bits[1] &&
           b->source_count <= BOUND_SIMPLE_SOURCES && !b->prepared;
}

static bool reads_clock(const struct bound *b)
{
    for (int i = 0; i < b->source_count; i++)
        if (b->prepare[i] == PREPARE_SREG)
            return true;
    return false;
}

/* No register is sunk, all are as wide as the elements, and access.c has a loop for the number of elements. */
static bool moves_rows(const struct bound *b)
{
    const uint8_t *bits = b->kind == BOUND_LOAD ? b->dest_bits : b->source_bits;
    bool same = b->elements == 1 || (b->elements <= 4 && b->width >= 4 && b->width <= 8);
    for (int k = 0; k < b->elements; k++)
        same &= bits[k] == 8 * b->width;
    return same && (b->kind == BOUND_LOAD || b->kind == BOUND_STORE);
}

static enum bound_reach reach_of(const struct bound *b)
{
    bool is_fixed = b->kind == BOUND_LOAD && (b->space == IN_PARAMETER || b->space == IN_CONSTANT) &&
                    b->insn->source[b->insn->address].kind != REF_LOCAL;
    if ((b->kind != BOUND_LOAD && b->kind != BOUND_STORE && b->kind != BOUND_ATOMIC) || b->space == IN_LOCAL)
        return REACH_LANES;
    if (b->address == OFFSET_NONE)
        return is_fixed ? REACH_FIXED : REACH_LANES;
    bool is_word = b->kind == BOUND_LOAD && b->space == IN_SHARED && b->width == 4 && b->elements == 1;
    return b->address_bits == 64 ? REACH_WIDE : is_word && b->dest_bits[0] == 32 ? REACH_SHARED_WORD : REACH_NARROW;
}

static bool is_shared_word(const struct bound *b)
{
    bool is_word = b->width == 4 && b->elements == 1 && b->space == IN_SHARED && b->address != OFFSET_NONE;
    return is_word && b->address_bits == 32 &&
           ((b->kind == BOUND_LOAD && b->dest_bits[0] == 32) || (b->kind == BOUND_STORE && b->source_bits[0] == 32));
}

/* How the instruction takes part in the waiting of threads for each other. */
static void bind_order(const struct insn *in, struct bound *out)
{
    int sem = in->suffixes.mod[GROUP_SEM], cache = in->suffixes.mod[GROUP_CACHE];
    bool is_strong = sem != MOD_NONE && sem != SEM_WEAK;
    bool is_seen = out->space == IN_GLOBAL || out->space == IN_GENERIC || out->space == IN_SHARED;
    bool is_atomic = out->kind == BOUND_ATOMIC && is_seen;
    bool is_fresh = out->kind == BOUND_LOAD && is_seen && (is_strong || cache == CACHE_CV || cache == CACHE_CG);
    out->is_plain = out->kind == BOUND_STORE && !is_strong && out->width >= 4;
    if (is_fresh || ((is_atomic || out->kind == BOUND_MBARRIER) && out->dest_count))
        out->order |= ORDER_POLL;
    if (((is_fresh || is_atomic) && out->space != IN_SHARED) || in->op == OP_MEMBAR || in->op == OP_FENCE)
        out->order |= ORDER_BLOCKS;
}

/* Whether other blocks have to do with the instruction in a way that its accesses to memory do not show (draft.h). */
static void bind_turn(struct bound *out)
{
    if (out->kind == BOUND_TEXTURE || out->kind == BOUND_SURFACE || out->kind == BOUND_ASYNC ||
        out->kind == BOUND_BUILTIN || reads_clock(out))
        out->order |= ORDER_TURN;
}

/* Arguments and results of calls are copied as struct call says; only the pointer of an indirect call is a source. */
static void bind_call(struct code_binder *b, const struct insn *in, struct bound *out)
{
    if (out->kind != BOUND_CALL || in->target != PC_NONE)
        return;
    out->source_count = 1;
    out->source[0] = bind_source(b, &in->source[0], &out->source_bits[0], &out->prepare[0]);
}

/* Adds the constant that tells the handler the form of the instruction, if the instruction has one. */
static void bind_control(struct code_binder *b, const struct insn *in, struct bound *out)
{
    uint64_t control;
    if (!lanes_control(in, &control))
        return;
    for (int i = 0; i < out->source_count; i++)
        if (out->source[i] == OFFSET_NONE)
            out->source[i] = spread(b, 0, 32);
    int n = out->source_count++;
    out->source[n] = spread(b, control, 64);
    out->source_bits[n] = 64;
}

/* Registers of matrix instructions are read and written through struct insn (matrix.h), since there are so many. */
static void bind_matrix(struct code_binder *b, const struct insn *in, struct bound *out)
{
    out->elements = 1;
    out->address = OFFSET_NONE;
    if (in->address < 0)
        return;
    bind_address(b, in, out);
    if (in->suffixes.mod[GROUP_NUM])
        out->width = 16; /* ldmatrix and stmatrix: bytes of a row */
}

/* A cache policy has no effect on values, so that handlers do not see it. */
static bool is_policy(const struct insn *in, int source)
{
    return in->flags & INSN_POLICY && source == in->source_count - 1;
}

/* Binds the sources, but for an address, which has fields of its own. A texture fetch may have more sources than
 * others; false: one of those is no register and no constant. */
static bool bind_sources(struct code_binder *b, const struct insn *in, struct bound *out)
{
    for (int i = 0; i < in->source_count; i++) {
        if (i == in->address || is_policy(in, i))
            continue;
        if (out->source_count < BOUND_MAX_OPERANDS) {
            /* st.bulk writes its last operand, so that one goes first, as for every store. */
            int n = in->op == OP_ST_BULK ? in->source_count - 1 - i : out->source_count;
            out->source_count++;
            out->source[n] = bind_source(b, &in->source[i], &out->source_bits[n], &out->prepare[n]);
            out->prepared |= out->prepare[n] != PREPARE_NONE;
            continue;
        }
        uint8_t bits, prepare;
        int32_t offset = bind_source(b, &in->source[i], &bits, &prepare);
        if (prepare != PREPARE_NONE)
            return false;
        vec_push(&b->more, offset);
    }
    return true;
}

static bool has_many_sources(const struct bound *b)
{
    return b->kind == BOUND_TEXTURE;
}

/* Binds one instruction. False and an error text: no handler exists for this form of the instruction. */
static bool bind_insn(struct code_binder *b, const struct insn *in, struct bound *out, char **error)
{
    out->insn = in;
    out->kind = (uint8_t)kind_of(b, in);
    out->guard = in->guard < 0 ? OFFSET_NONE : in->guard * PLANE_BYTES;
    out->guard_negate = in->guard_negate;
    out->target = in->target;
    if (in->op == OP_CALL) {
        bind_call(b, in, out);
        return true;
    }
    if (op_is_matrix((enum op)in->op)) {
        bind_matrix(b, in, out);
        return true;
    }
    out->dest_count = in->dest_count;
    out->elements = (uint8_t)suffixes_vector(&in->suffixes);
    if (in->address >= 0)
        bind_address(b, in, out);
    else
        out->space = (uint8_t)named_space(in); /* what cvta and isspacep name */
    if (in->class == CLASS_ASYNC) {
        out->dest_count = 0; /* registers that stand for copies hold nothing */
        return true;
    }
    if (in->op == OP_CP_ASYNC_ARRIVE || in->op == OP_CP_ASYNC_ARRIVE_NOINC)
        return true;
    int values = in->source_count - (in->address >= 0) - is_policy(in, in->source_count - 1);
    if (in->dest_count > BOUND_MAX_OPERANDS || (values > BOUND_MAX_OPERANDS && !has_many_sources(out)))
        panic("%s has more operands than the engine holds", op_table[in->op].id);
    for (int i = 0; i < in->dest_count; i++) {
        const struct ref *r = &in->dest[i];
        out->dest[i] = r->kind == REF_PLANE ? r->plane * PLANE_BYTES : OFFSET_NONE;
        out->dest_bits[i] = r->kind == REF_PLANE ? r->bits : 0;
    }
    if (has_many_sources(out))
        out->address = b->more.count;
    bool is_bound = bind_sources(b, in, out);
    if (out->kind == BOUND_LANES)
        bind_control(b, in, out);
    bind_order(in, out);
    out->moves_rows = moves_rows(out);
    out->reach = (uint8_t)reach_of(out);
    out->is_shared_word = is_shared_word(out);
    out->is_simple = is_simple(out);
    out->is_double = out->is_simple && (in->class == CLASS_FP64 || in->class == CLASS_DDIV);
    if (out->kind != BOUND_LANES && is_bound)
        return true;
    if (reads_clock(out))
        out->kind = BOUND_CLOCK;
    out->fn = is_bound ? lanes_find(in) : NULL;
    if (out->fn)
        return true;
    struct text text = {0};
    text_printf(&text, "unsupported form of instruction: ");
    if (in->origin)
        ptx_print_instruction(b->code->program->functions[in->function].source, in->origin, &text);
    *error = text_take(&text);
    return false;
}

bool code_executes(enum op op)
{
    if (op == OP_CALL)
        return true;
    struct insn in = {.op = (uint16_t)op, .class = op_table[op].class};
    return kind_of(NULL, &in) != BOUND_LANES || lanes_has(op);
}

/* Finds the stretches of instructions that need nothing but their lane handlers, and what has to wait for turns. */
static void bind_stretches(struct code *code)
{
    uint8_t stretch = 0;
    for (int pc = code->program->insn_count - 1; pc >= 0; pc--) {
        struct bound *b = &code->bound[pc];
        bool is_plain = b->kind == BOUND_LANES && b->is_simple && b->guard == OFFSET_NONE;
        stretch = !is_plain ? 0 : stretch == UINT8_MAX ? UINT8_MAX : (uint8_t)(stretch + 1);
        b->stretch = stretch;
        bind_turn(b);
    }
}

/* Makes the constants the code's own, at cache lines of the host, and in reverse order, so that an operand is at the
 * sum of a pointer and its offset whether or not it is a constant. */
static void take_constants(struct code *code, uint8_t *data, size_t bytes)
{
    code->planes = xmalloc_lines(bytes);
    code->constants = code->planes + bytes - CONSTANT_BYTES;
    for (size_t at = 0; at < bytes; at += CONSTANT_BYTES)
        memcpy(code->constants - at, data + at, CONSTANT_BYTES);
    free(data);
}

struct code *code_create(const struct ptx_function *kernel, const struct image *image, char **error)
{
    struct program *program = program_create(kernel, error);
    if (!program)
        return NULL;
    struct code *code = xcalloc(1, sizeof *code);
    code->program = program;
    code->image = image;
    code->kept = xcalloc(1, sizeof *code->kept);
    code->bound = xcalloc((size_t)program->insn_count + 1, sizeof *code->bound);
    code->uses_clusters = cluster_is_used(program);
    struct code_binder b = {.code = code};
    spread(&b, 0, 32); /* takes offset 0, which no constant may have */
    bool ok = true;
    for (int pc = 0; ok && pc < program->insn_count; pc++)
        ok = bind_insn(&b, &program->insns[pc], &code->bound[pc], error);
    take_constants(code, b.constants.data, (size_t)b.constants.count);
    code->more = b.more.data;
    if (ok) {
        bind_stretches(code);
        code->single = single_create(code->bound, program->insn_count);
        return code;
    }
    code_destroy(code);
    return NULL;
}

void code_destroy(struct code *code)
{
    if (!code)
        return;
    code_keep(code, NULL, NULL);
    settled_destroy(code->kept->settled);
    free(code->kept);
    program_destroy(code->program);
    free(code->bound);
    free(code->single);
    free(code->planes);
    free(code->more);
    free(code);
}

const struct program *code_program(const struct code *code)
{
    return code->program;
}

void *code_kept(const struct code *code)
{
    return code->kept->made;
}

void code_keep(const struct code *code, void *made, void (*destroy)(void *made))
{
    if (code->kept->made)
        code->kept->destroy(code->kept->made);
    code->kept->made = made;
    code->kept->destroy = destroy;
}
