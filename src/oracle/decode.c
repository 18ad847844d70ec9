/*
 * Decoding for the oracle: which function executes an instruction, and where its operands come from.
 *
 * An instruction with operands that it cannot have gets a complaint, which is reported if the instruction is executed.
 * So the functions that execute instructions need not check operands.
 */
#include "oracle/internal.h"

#include "flow/signature.h"
#include "oracle/oracle.h"

/* Asynchronous copies and clusters; NULL: neither. */
static oracle_fn *asynchronous_handler(enum op op)
{
    switch (op) {
    case OP_CP_ASYNC_ARRIVE:
    case OP_CP_ASYNC_ARRIVE_NOINC:
    case OP_MBARRIER_INIT ... OP_MBARRIER_PENDING:
        return oracle_mbarrier;
    case OP_CP_ASYNC ... OP_CP_ASYNC_WAIT_ALL:
    case OP_BULK_LOAD ... OP_BULK_WAIT_READ:
    case OP_ST_ASYNC:
    case OP_RED_ASYNC:
        return oracle_async;
    case OP_TENSOR_LOAD ... OP_TENSORMAP_COPY:
        return oracle_tensor;
    case OP_CLUSTER_ARRIVE ... OP_CTARANK:
        return oracle_cluster;
    default:
        return NULL;
    }
}

static oracle_fn *handler(enum op op)
{
    oracle_fn *asynchronous = asynchronous_handler(op);
    if (asynchronous)
        return asynchronous;
    switch (op) {
    case OP_ADD ... OP_MAD24_SAT:
    case OP_SAD ... OP_MAX:
        return oracle_integer;
    case OP_ADD_CC ... OP_MADC:
        return oracle_carry;
    case OP_ADD_X2 ... OP_MAX_RELU:
        return oracle_packed;
    case OP_VADD ... OP_VSET4:
        return oracle_video;
    case OP_CVT_RELU ... OP_CVT_PACK_BELOW:
        return oracle_narrow;
    case OP_POPC ... OP_DP2A:
        return oracle_bits;
    case OP_AND ... OP_PRMT:
        return oracle_logic;
    case OP_SETP ... OP_SLCT:
        return oracle_compare;
    case OP_ADD_F32 ... OP_TANH:
        return oracle_float;
    case OP_MIN3_F32 ... OP_FMA_F32X2:
        return oracle_float_newer;
    case OP_ADD_F16 ... OP_TANH_HALF:
        return oracle_half;
    case OP_CVT_INT ... OP_CVT_TF32:
        return oracle_convert;
    case OP_PACK ... OP_MOV_VECTOR:
        return oracle_move;
    case OP_CVTA ... OP_ISSPACEP:
        return oracle_space;
    case OP_POLICY_FRACTION ... OP_POLICY_CVT:
        return oracle_policy;
    case OP_LD ... OP_PREFETCHU:
    case OP_APPLYPRIORITY ... OP_ST_BULK:
    case OP_MEMBAR ... OP_PREFETCH_TENSORMAP:
        return oracle_memory;
    case OP_ATOM ... OP_RED_VEC_HALF:
        return oracle_atomic;
    case OP_TEX ... OP_TLD4:
    case OP_TXQ ... OP_ISTYPEP:
        return oracle_texture;
    case OP_SULD ... OP_SURED_P_ANDOR:
        return oracle_surface;
    case OP_CALL:
        return oracle_call;
    case OP_BRA:
    case OP_BRX:
    case OP_RET ... OP_SETMAXNREG_DEC:
        return oracle_control;
    case OP_WGMMA_FENCE:
    case OP_WGMMA_COMMIT:
        return oracle_nothing;
    case OP_STACKSAVE ... OP_ALLOCA:
        return oracle_stack;
    case OP_BAR_SYNC ... OP_BARRIER_RED:
    case OP_WGMMA_WAIT:
        return oracle_barrier;
    case OP_SHFL:
    case OP_VOTE:
    case OP_BALLOT:
    case OP_ACTIVEMASK:
        return oracle_warp_old;
    case OP_BAR_WARP:
    case OP_SHFL_SYNC:
    case OP_VOTE_SYNC:
    case OP_BALLOT_SYNC:
    case OP_MATCH_ANY ... OP_REDUX_F:
    case OP_ELECT:
    case OP_MMA_QUAD_F32 ... OP_WGMMA_SPARSE_INT8:
        return oracle_warp_sync;
    default:
        return oracle_unsupported;
    }
}

static void complain(struct oracle_insn *x, const char *complaint)
{
    if (x->run != oracle_unsupported || !x->complaint)
        x->complaint = complaint;
    x->run = oracle_unsupported;
}

static struct oracle_operand make_operand(enum oracle_source source, enum type type)
{
    if (!type)
        type = TYPE_B64;
    return (struct oracle_operand){
        .source = (uint8_t)source, .type = (uint8_t)type, .upper = -1, .mask = oracle_mask(type_table[type].bits)};
}

static struct oracle_operand decode_register(struct oracle_insn *x, int32_t reg, enum type type)
{
    const struct ptx_function *f = x->function->source;
    if (reg < 0 || reg >= f->register_count) {
        complain(x, "an operand is no register");
        return make_operand(SOURCE_NONE, TYPE_B64);
    }
    enum type declared = (enum type)f->registers[reg].type;
    struct oracle_operand a = make_operand(SOURCE_REGISTER, type ? type : declared);
    a.reg = reg;
    a.upper = type_table[declared].bits == 128 ? reg + f->register_count : -1;
    a.register_mask = oracle_mask(type_table[declared].bits);
    return a;
}

/* The address of a variable in its own space. */
static struct oracle_operand decode_variable(struct oracle *o, struct oracle_insn *x, const struct ptx_variable *v,
                                             int64_t offset)
{
    struct oracle_operand a = make_operand(SOURCE_CONSTANT, TYPE_B64);
    const struct ptx_function *f = x->function->source;
    if (v->space == SPACE_GLOBAL || v->space == SPACE_CONST) {
        a.value = image_own_address(o->image, v) + (uint64_t)offset;
        return a;
    }
    int64_t place = layout_offset(o->layout, f, v);
    if (place == LAYOUT_NONE) {
        complain(x, "a variable has no place in memory");
        return a;
    }
    bool is_kernel_parameter = false;
    for (int i = 0; f->is_entry && i < f->parameter_count; i++)
        is_kernel_parameter |= f->parameters[i] == v;
    if (v->space == SPACE_SHARED)
        a.source = SOURCE_SHARED;
    else if (!is_kernel_parameter)
        a.source = SOURCE_FRAME;
    a.value = (uint64_t)(place + offset);
    return a;
}

static struct oracle_operand decode_symbol(struct oracle *o, struct oracle_insn *x, const struct ptx_operand *p)
{
    struct oracle_operand a = make_operand(SOURCE_CONSTANT, TYPE_B64);
    if (p->variable)
        return decode_variable(o, x, p->variable, p->offset);
    if (p->function)
        a.value = image_function_address(o->image, p->function) + (uint64_t)p->offset;
    else
        complain(x, "a symbol stands for nothing");
    return a;
}

static struct oracle_operand decode_address(struct oracle *o, struct oracle_insn *x, const struct ptx_operand *p)
{
    struct oracle_operand a = make_operand(SOURCE_CONSTANT, TYPE_B64);
    if (p->variable)
        return decode_variable(o, x, p->variable, p->offset);
    a.value = (uint64_t)p->offset;
    if (p->reg >= 0) {
        a = decode_register(x, p->reg, TYPE_NONE);
        a.value = (uint64_t)p->offset;
    }
    return a;
}

static struct oracle_operand decode_operand(struct oracle *o, struct oracle_insn *x, const struct ptx_operand *p,
                                            enum type type);

static struct oracle_operand decode_elements(struct oracle *o, struct oracle_insn *x, const struct ptx_operand *p,
                                             enum type type)
{
    struct oracle_operand a = make_operand(SOURCE_VECTOR, type);
    a.element_count = p->element_count;
    a.element = arena_array(&o->arena, struct oracle_operand, (size_t)p->element_count);
    for (int i = 0; i < p->element_count; i++)
        a.element[i] = decode_operand(o, x, &p->element[i], p->element[i].type ? (enum type)p->element[i].type : type);
    return a;
}

static struct oracle_operand decode_operand(struct oracle *o, struct oracle_insn *x, const struct ptx_operand *p,
                                            enum type type)
{
    struct oracle_operand a = make_operand(SOURCE_NONE, type);
    switch ((enum operand_kind)p->kind) {
    case OPERAND_REGISTER:
        a = decode_register(x, p->reg, type);
        a.negate = p->negate && a.type == TYPE_PRED;
        return a;
    case OPERAND_IMMEDIATE:
        a.source = SOURCE_CONSTANT;
        a.value = p->bits;
        a.negate = p->negate && type == TYPE_PRED;
        return a;
    case OPERAND_SREG:
        if (p->sreg < SREG_COUNT) {
            a.source = SOURCE_SREG;
            a.sreg = p->sreg;
            a.negate = p->negate && type == TYPE_PRED;
        }
        return a;
    case OPERAND_SYMBOL:
        a = decode_symbol(o, x, p);
        a.type = type ? (uint8_t)type : a.type;
        a.mask = oracle_mask(type_table[a.type].bits);
        return a;
    case OPERAND_ADDRESS:
        return decode_address(o, x, p);
    case OPERAND_VECTOR:
    case OPERAND_TEXTURE:
    case OPERAND_TENSOR:
        return decode_elements(o, x, p, type);
    case OPERAND_SINK:
        a.source = SOURCE_SINK;
        return a;
    default: /* labels, lists and calls are read when they are executed */
        return a;
    }
}

/* Gives the elements of a braced list, which together are as wide as the type, their types. */
static void split_type(struct oracle_insn *x, struct oracle_operand *v, enum type type)
{
    if (v->source != SOURCE_VECTOR)
        return;
    unsigned bits = v->element_count ? type_table[type].bits / (unsigned)v->element_count : 0;
    enum type part = bits == 8    ? TYPE_B8
                     : bits == 16 ? TYPE_B16
                     : bits == 32 ? TYPE_B32
                     : bits == 64 ? TYPE_B64
                                  : TYPE_NONE;
    if (!part)
        complain(x, "the registers in braces do not make up the type");
    for (int i = 0; i < v->element_count; i++) {
        v->element[i].type = (uint8_t)part;
        v->element[i].mask = oracle_mask(type_table[part].bits);
    }
}

static void check_vector(struct oracle_insn *x, const struct oracle_operand *v)
{
    int wanted = (int)suffixes_vector(&x->origin->suffixes);
    int got = v->source == SOURCE_VECTOR ? v->element_count : 1;
    if (got != wanted)
        complain(x, "the vector has the wrong number of registers");
}

/* The space of a memory instruction. A kernel's .param is the parameter block; any other .param is in the frame, local
 * memory. */
static enum mod resolve_space(const struct oracle_insn *x, const struct ptx_operand *m)
{
    enum mod space = oracle_mod(x, GROUP_SPACE);
    const struct ptx_variable *v = m->variable;
    bool in_kernel = x->function->source->is_entry;
    if (!space && v && v->space != SPACE_CONST)
        space = (enum mod)v->space;
    if (space == SPACE_CLUSTER)
        return SPACE_SHARED;
    if (space != SPACE_PARAM)
        return space;
    if (v)
        return in_kernel && v->index < x->function->source->parameter_count &&
                       x->function->source->parameters[v->index] == v
                   ? SPACE_PARAM
                   : SPACE_LOCAL;
    return in_kernel ? SPACE_PARAM : SPACE_LOCAL;
}

static void decode_slot(struct oracle *o, struct oracle_insn *x, int i, const struct op_slot *slot)
{
    const struct ptx_operand *p = &x->origin->operand[i];
    enum type type = p->type ? (enum type)p->type : slot_type(slot, &x->origin->suffixes);
    x->operand[i] = decode_operand(o, x, p, type);
    switch (slot->role) {
    case ROLE_PACK:
    case ROLE_UNPACK:
        split_type(x, &x->operand[i], (enum type)x->type);
        break;
    case ROLE_DEST_VECTOR:
    case ROLE_VALUE_VECTOR:
        check_vector(x, &x->operand[i]);
        break;
    case ROLE_ADDRESS:
        x->space = (uint8_t)resolve_space(x, p);
        if (!oracle_mod(x, GROUP_SPACE) && p->variable && p->variable->space == SPACE_CONST)
            x->operand[i].value += o->image->constant_base;
        break;
    default:
        break;
    }
}

static int32_t label_target(const struct oracle_insn *x)
{
    return x->origin->operand_count ? x->origin->operand[0].target : -1;
}

static void check_targets(struct oracle_insn *x)
{
    const struct ptx_instruction *p = x->origin;
    int end = x->function->source->instruction_count;
    if (x->op == OP_BRA && (label_target(x) < 0 || label_target(x) > end))
        complain(x, "the branch goes nowhere");
    if (x->op == OP_BRX && (p->operand_count < 2 || !p->operand[1].targets))
        complain(x, "the branch has no list of labels");
    if (x->op == OP_CALL && (p->operand_count < 1 || !p->operand[0].call))
        complain(x, "the call names nothing");
}

/* A call of a variadic function without further arguments leaves out their array. */
static bool takes_arguments(const struct ptx_call *call, struct ptx_variable *const *parameters, int count)
{
    return call->argument_count == count || (call->argument_count == count - 1 && ptx_is_variadic(parameters, count));
}

static void check_pointer_call(struct oracle_insn *x, const struct ptx_call *call)
{
    struct signature s = signature_of_call(call);
    if (!call->pointer || !call->prototype)
        complain(x, "the call through a pointer has no prototype");
    else if (!takes_arguments(call, s.parameters, s.parameter_count) || call->return_count != s.return_count)
        complain(x, "the call does not fit its prototype");
}

static void decode_call(struct oracle_insn *x, const struct ptx_call *call)
{
    const struct ptx_function *callee = call->callee;
    if (!callee)
        check_pointer_call(x, call);
    else if (!takes_arguments(call, callee->parameters, callee->parameter_count) ||
             call->return_count != callee->return_count)
        complain(x, "the call does not fit the function's declaration");
    else if (!callee->is_defined && !oracle_builtin(callee->name))
        complain(x, "the function has no body in this module");
    else if (!callee->is_defined)
        x->run = oracle_builtin(callee->name);
}

static void decode_insn(struct oracle *o, const struct oracle_function *f, struct oracle_insn *x,
                        const struct ptx_instruction *p)
{
    *x = (struct oracle_insn){.run = handler((enum op)p->op),
                              .op = p->op,
                              .type = p->suffixes.type[0],
                              .guard = p->guard,
                              .guard_negate = p->guard_negate,
                              .origin = p,
                              .function = f};
    if (p->guard >= f->source->register_count)
        x->guard = -1;
    if (p->op == OP_NONE || p->op >= OP_COUNT)
        return complain(x, p->unsupported);
    struct op_slot slot[OP_MAX_SLOTS];
    int count = op_split_operands(op_table[p->op].operands, slot);
    if (p->operand_count < count)
        return complain(x, "operands are missing");
    for (int i = 0; i < count && i < PTX_MAX_OPERANDS; i++)
        decode_slot(o, x, i, &slot[i]);
    check_targets(x);
    if (x->op == OP_CALL && x->run == oracle_call)
        decode_call(x, p->operand[0].call);
}

static int count_slots(const struct ptx_function *f)
{
    bool has_wide = false;
    for (int i = 0; i < f->register_count; i++)
        has_wide |= type_table[f->registers[i].type].bits == 128;
    return has_wide ? 2 * f->register_count : f->register_count;
}

bool oracle_executes(enum op op)
{
    return handler(op) != oracle_unsupported;
}

void oracle_decode(struct oracle *o)
{
    const struct ptx_module *m = o->launch->kernel->module;
    o->functions = arena_array(&o->arena, struct oracle_function, (size_t)m->function_count);
    for (int r = 0; r < o->layout->reached_count; r++) {
        const struct ptx_function *source = o->layout->reached[r];
        struct oracle_function *f = &o->functions[source->index];
        f->source = source;
        f->frame_bytes = o->layout->frame[source->index].frame_bytes;
        f->register_slots = count_slots(source);
        f->insn_count = source->instruction_count;
        f->insns = arena_array(&o->arena, struct oracle_insn, (size_t)source->instruction_count + 1);
        for (int i = 0; i < source->instruction_count; i++)
            decode_insn(o, f, &f->insns[i], &source->instructions[i]);
    }
}
