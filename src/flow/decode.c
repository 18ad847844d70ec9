/*
 * Decoding: from parsed instructions to `struct insn` in one space of PCs. Operands are flattened into those that are
 * written and those that are read, symbols become offsets, and labels become PCs. Registers stay registers: bind.c
 * replaces them by planes after liveness is known. Nothing here knows control flow.
 */
#include "flow/decode.h"

#include "base/text.h"

#include <stdarg.h>

void decode_fail(struct decoder *d, const char *format, ...)
{
    if (d->error)
        return;
    struct text t = {0};
    if (d->origin)
        text_printf(&t, "line %d: ", (int)d->origin->line);
    if (d->function)
        text_printf(&t, "in %s '%s': ", d->function->is_entry ? "kernel" : "function", d->function->name);
    va_list args;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    d->error = text_take(&t);
}

static struct ref register_ref(const struct decoder *d, int32_t reg, enum type type)
{
    return (struct ref){.kind = REF_PLANE,
                        .type = (uint8_t)type,
                        .bits = (uint8_t)decode_register_bits((enum type)d->function->registers[reg].type),
                        .plane = reg};
}

static struct ref carry_ref(const struct decoder *d)
{
    return (struct ref){.kind = REF_PLANE, .type = TYPE_PRED, .bits = 1, .plane = d->function->register_count};
}

static uint64_t truncate_to(enum type type, uint64_t value)
{
    unsigned bits = type_table[type].bits;
    if (type == TYPE_PRED)
        return value != 0;
    return bits && bits < 64 ? value & ((1ull << bits) - 1) : value;
}

static enum type address_type(const struct decoder *d)
{
    return d->program->kernel->module->address_bits == 32 ? TYPE_U32 : TYPE_U64;
}

static bool is_kernel_parameter(const struct decoder *d, const struct ptx_variable *v)
{
    const struct ptx_function *f = d->function;
    return f == d->program->kernel && v->index >= 0 && v->index < f->parameter_count && f->parameters[v->index] == v;
}

static struct ref variable_ref(struct decoder *d, const struct ptx_operand *o)
{
    const struct ptx_variable *v = o->variable;
    struct ref r = {.type = o->type ? o->type : (uint8_t)address_type(d), .offset = o->offset, .variable = v};
    if (v->type == TYPE_SAMPLERREF || (v->space == SPACE_PARAM && type_is_reference((enum type)v->type)))
        decode_fail(d,
                    "'%s' (line %d) is a .%s%s, which CUDA has no way to bind: pass the handle of a texture or surface",
                    v->name, v->line, type_table[v->type].text, v->space == SPACE_PARAM ? " parameter" : "");
    if (v->space == SPACE_GLOBAL || v->space == SPACE_CONST) {
        r.kind = REF_VARIABLE;
        return r;
    }
    int64_t place = layout_offset(d->program->layout, d->function, v);
    if (place == LAYOUT_NONE)
        decode_fail(d, "variable '%s' (line %d): .%s variables of module scope are not supported", v->name, v->line,
                    mod_text[v->space]);
    r.offset = (int64_t)((uint64_t)r.offset + (uint64_t)place);
    r.kind = v->space == SPACE_SHARED ? REF_SHARED : is_kernel_parameter(d, v) ? REF_PARAM : REF_LOCAL;
    return r;
}

static struct ref address_ref(struct decoder *d, const struct ptx_operand *o)
{
    if (o->variable)
        return variable_ref(d, o);
    if (o->reg < 0)
        return (struct ref){.kind = REF_IMMEDIATE, .type = (uint8_t)address_type(d), .immediate = (uint64_t)o->offset};
    struct ref r = register_ref(d, o->reg, TYPE_U64);
    if (r.bits == 32)
        r.type = TYPE_U32;
    r.offset = o->offset;
    return r;
}

struct ref decode_operand(struct decoder *d, const struct ptx_operand *o)
{
    struct ref r = {.kind = REF_NONE};
    switch ((enum operand_kind)o->kind) {
    case OPERAND_REGISTER:
        r = register_ref(d, o->reg, (enum type)o->type);
        r.negate = o->negate;
        r.select = o->select;
        return r;
    case OPERAND_IMMEDIATE:
        r.kind = REF_IMMEDIATE;
        r.type = o->type;
        r.immediate = truncate_to((enum type)o->type, o->bits);
        r.negate = o->negate;
        return r;
    case OPERAND_SREG:
        r.kind = REF_SREG;
        r.type = o->type;
        r.bits = (uint8_t)decode_register_bits((enum type)sreg_table[o->sreg].type);
        r.negate = o->negate;
        r.sreg = o->sreg;
        d->uses_sreg[o->sreg] = true;
        return r;
    case OPERAND_SYMBOL:
        if (o->variable)
            return variable_ref(d, o);
        r.kind = REF_FUNCTION;
        r.type = o->type;
        r.function = o->function;
        return r;
    case OPERAND_ADDRESS:
        return address_ref(d, o);
    case OPERAND_SINK:
        r.kind = REF_SINK;
        r.type = o->type;
        return r;
    default:
        return r;
    }
}

static void add_ref(struct decoder *d, bool written, struct ref r)
{
    if (written)
        vec_push(&d->dest, r);
    else
        vec_push(&d->source, r);
}

/* Adds an address that is not the instruction's first: its base, and what is added to a base in a register. */
static void add_address(struct decoder *d, const struct ptx_operand *o)
{
    struct ref base = address_ref(d, o), offset = {.kind = REF_IMMEDIATE, .type = TYPE_S64};
    if (base.kind == REF_PLANE) {
        offset.immediate = (uint64_t)base.offset;
        base.offset = 0;
    }
    add_ref(d, false, base);
    add_ref(d, false, offset);
}

/* Adds an operand; of a vector (elements in braces, or a register declared as a vector), each element. */
static void add_operand(struct decoder *d, bool written, const struct ptx_operand *o)
{
    if (o->kind == OPERAND_TENSOR) {
        add_address(d, &o->element[0]);
        for (int i = 1; i < o->element_count; i++)
            add_operand(d, written, &o->element[i]);
        return;
    }
    if (o->kind == OPERAND_VECTOR || o->kind == OPERAND_TEXTURE) {
        for (int i = 0; i < o->element_count; i++)
            add_operand(d, written, &o->element[i]);
        return;
    }
    unsigned vector = o->kind == OPERAND_REGISTER ? d->function->registers[o->reg].vector : 1;
    if (vector <= 1) {
        add_ref(d, written, decode_operand(d, o));
        return;
    }
    for (unsigned i = 1; i <= vector; i++)
        add_ref(d, written, register_ref(d, o->reg + (int32_t)i, (enum type)o->type));
}

static const struct op_slots *find_row(struct decoder *d, enum op op)
{
    struct op_slots *row = &d->rows[op];
    if (row->slot_count < 0)
        row->slot_count = op_split_operands(op_table[op].operands, row->slot);
    return row;
}

static int32_t label_pc(struct decoder *d, const int32_t *pc_of, int32_t target)
{
    if (target < 0 || target > d->function->instruction_count) {
        decode_fail(d, "a label is outside the body of the function");
        return PC_NONE;
    }
    return pc_of[target];
}

/* Most loads, stores and atomics have no cache policy, and then have no source for it either. */
static void add_policy(struct decoder *d, struct insn *insn, const struct ptx_operand *o)
{
    bool is_atomic = insn->op >= OP_ATOM && insn->op <= OP_RED_VEC_HALF;
    bool is_access = insn->op == OP_LD || insn->op == OP_ST || is_atomic;
    if (is_access && o->kind != OPERAND_NONE)
        insn->flags |= INSN_POLICY;
    if (!is_access || o->kind != OPERAND_NONE)
        add_operand(d, false, o);
}

static void decode_slot(struct decoder *d, struct insn *insn, int32_t pc, enum role role, const struct ptx_operand *o)
{
    switch (role) {
    case ROLE_DEST:
    case ROLE_DEST_SECOND:
    case ROLE_DEST_VECTOR:
    case ROLE_UNPACK:
    case ROLE_MATRIX_D:
        add_operand(d, true, o);
        break;
    case ROLE_ACCUMULATOR:
        add_operand(d, true, o);
        add_operand(d, false, o);
        break;
    case ROLE_ADDRESS:
        insn->address = (int8_t)d->source.count;
        insn->flags |= INSN_MEMORY;
        add_operand(d, false, o);
        break;
    case ROLE_ADDRESS_MORE:
        add_address(d, o);
        break;
    case ROLE_LABEL:
        insn->target = label_pc(d, d->pc_of[insn->function], o->target);
        break;
    case ROLE_TARGETS:
        for (int i = 0; i < o->targets->count; i++)
            label_pc(d, d->pc_of[insn->function], o->targets->target[i]);
        break;
    case ROLE_CALL:
        insn->call = call_decode(d, o->call, pc);
        break;
    case ROLE_POLICY:
        add_policy(d, insn, o);
        break;
    case ROLE_TEXTURE:
        if (o->has_sampler)
            insn->flags |= INSN_SAMPLER;
        add_operand(d, false, o);
        break;
    default:
        add_operand(d, false, o);
    }
}

/* The carry flag CC.CF, which the text does not name, becomes an operand of its own. */
static void add_carry(struct decoder *d, struct insn *insn)
{
    bool reads = insn->op == OP_ADDC || insn->op == OP_SUBC || insn->op == OP_MADC;
    bool writes = insn->op == OP_ADD_CC || insn->op == OP_SUB_CC || insn->op == OP_MAD_CC ||
                  (reads && suffixes_has(&insn->suffixes, FLAG_CC));
    if (reads) {
        insn->flags |= INSN_READS_CARRY;
        add_ref(d, false, carry_ref(d));
    }
    if (writes) {
        insn->flags |= INSN_WRITES_CARRY;
        add_ref(d, true, carry_ref(d));
    }
}

/* How an instruction takes part in the time of asynchronous copies. */
enum copy_part { COPY_NO, COPY_STARTS, COPY_WAITS };

static enum copy_part copy_part(enum op op)
{
    switch (op) {
    case OP_CP_ASYNC:
    case OP_CP_ASYNC_IGNORE:
        return COPY_STARTS;
    case OP_CP_ASYNC_WAIT:
    case OP_CP_ASYNC_WAIT_ALL:
    case OP_CP_ASYNC_ARRIVE:
    case OP_CP_ASYNC_ARRIVE_NOINC:
        return COPY_WAITS;
    default:
        return COPY_NO;
    }
}

/* A copy writes one of the function's copy registers, and an instruction that waits for copies reads all of them, so
 * that the scoreboard makes it wait. Copies in a row take the registers in turn, so as not to wait for each other. The
 * registers hold nothing. */
static void add_copies(struct decoder *d, struct insn *insn, int32_t pc)
{
    struct ref r = carry_ref(d);
    enum copy_part part = copy_part((enum op)insn->op);
    if (part == COPY_STARTS) {
        r.plane += 1 + pc % PROGRAM_COPY_REGISTERS;
        add_ref(d, true, r);
    }
    for (int i = 0; part == COPY_WAITS && i < PROGRAM_COPY_REGISTERS; i++) {
        r.plane++;
        add_ref(d, false, r);
    }
}

static struct ref *keep_refs(struct decoder *d, const struct ref *refs, int count, uint8_t *kept)
{
    if (count > UINT8_MAX) {
        decode_fail(d, "more than %d operands", UINT8_MAX);
        return NULL;
    }
    *kept = (uint8_t)count;
    if (!count)
        return NULL;
    return memcpy(arena_array(&d->program->arena, struct ref, (size_t)count), refs, sizeof *refs * (size_t)count);
}

static bool is_control(enum op op)
{
    return op == OP_BRA || op == OP_BRX || op == OP_CALL || op == OP_RET || op == OP_EXIT || op == OP_TRAP;
}

static struct insn new_insn(enum op op, int function)
{
    return (struct insn){.op = (uint16_t)op,
                         .class = op_table[op].class,
                         .flags = is_control(op) ? INSN_CONTROL : 0,
                         .address = -1,
                         .guard = -1,
                         .target = PC_NONE,
                         .branch = -1,
                         .call = -1,
                         .block = -1,
                         .function = function,
                         .location = -1};
}

/* Why an instruction is not supported, where CUDA does not have it either. */
static const char *unsupported_reason(const char *text)
{
    bool is_query = !strncmp(text, "txq.", 4) || !strncmp(text, "suq.", 4);
    if (!strncmp(text, "tex.", 4) && strstr(text, "2dms."))
        return "CUDA makes no multi-sample textures: ";
    return is_query ? "CUDA's driver does not load kernels with this query: " : "";
}

/* Refuses the instruction at work, and names the further ones of its function that are not supported either. */
static void refuse(struct decoder *d)
{
    enum { MOST_NAMED = 8 };
    struct text others = {0};
    int count = 0;
    const struct ptx_function *f = d->function;
    for (const struct ptx_instruction *o = d->origin + 1; o < f->instructions + f->instruction_count; o++)
        if (o->op == OP_NONE && count++ < MOST_NAMED)
            text_printf(&others, "; line %d: %s", (int)o->line, o->unsupported ? o->unsupported : "");
    if (count > MOST_NAMED)
        text_printf(&others, "; and %d more", count - MOST_NAMED);
    const char *text = d->origin->unsupported ? d->origin->unsupported : "";
    decode_fail(d, "instruction is not supported: %s%s%s", unsupported_reason(text), text,
                others.data ? others.data : "");
    text_free(&others);
}

static void decode_insn(struct decoder *d, int function, int32_t pc)
{
    struct insn *insn = &d->program->insns[pc];
    const struct ptx_instruction *o = d->origin;
    *insn = new_insn((enum op)o->op, function);
    insn->line = o->line;
    insn->location = o->location;
    insn->origin = o;
    if (o->op == OP_NONE) {
        refuse(d);
        return;
    }
    insn->suffixes = o->suffixes;
    d->program->has_alloca |= o->op == OP_ALLOCA;
    insn->guard = o->guard;
    insn->guard_negate = o->guard_negate;
    d->dest.count = d->source.count = 0;
    const struct op_slots *row = find_row(d, (enum op)o->op);
    for (int i = 0; i < row->slot_count && i < o->operand_count; i++)
        decode_slot(d, insn, pc, row->slot[i].role, &o->operand[i]);
    add_carry(d, insn);
    add_copies(d, insn, pc);
    insn->dest = keep_refs(d, d->dest.data, d->dest.count, &insn->dest_count);
    insn->source = keep_refs(d, d->source.data, d->source.count, &insn->source_count);
    if (insn->call >= 0 && d->calls.data[insn->call].callee >= 0)
        insn->target = d->program->functions[d->calls.data[insn->call].callee].first;
}

/* Can control come to the end of the body, so that a `ret` belongs there? */
static bool runs_off_end(const struct ptx_function *f)
{
    if (!f->instruction_count)
        return true;
    const struct ptx_instruction *last = &f->instructions[f->instruction_count - 1];
    if (last->guard >= 0 || !is_control((enum op)last->op) || last->op == OP_CALL)
        return true;
    for (int i = 0; i < f->label_count; i++)
        if (f->labels[i].target == f->instruction_count)
            return true;
    return false;
}

static int count_registers(struct ptx_variable *const *formals, int count)
{
    int registers = 0;
    for (int i = 0; i < count; i++)
        registers += formals[i]->is_register;
    return registers;
}

/* Gives each instruction of the text its PC. Returns the first PC behind the function. */
static int32_t lay_out_body(struct decoder *d, int function, int32_t first)
{
    const struct ptx_function *f = d->program->layout->reached[function];
    int32_t *pc_of = arena_array(d->scratch, int32_t, (size_t)f->instruction_count + 1);
    int stores = count_registers(f->returns, f->return_count);
    int32_t pc = first + count_registers(f->parameters, f->parameter_count);
    for (int i = 0; i < f->instruction_count; i++) {
        pc_of[i] = pc;
        pc += f->instructions[i].op == OP_RET ? 1 + stores : 1;
    }
    pc_of[f->instruction_count] = pc;
    d->pc_of[function] = pc_of;
    return runs_off_end(f) ? pc + stores + 1 : pc;
}

static void lay_out_functions(struct decoder *d)
{
    struct program *p = d->program;
    const struct layout *l = p->layout;
    p->function_count = l->reached_count;
    p->functions = arena_array(&p->arena, struct program_function, (size_t)l->reached_count);
    d->pc_of = arena_array(d->scratch, int32_t *, (size_t)l->reached_count);
    int32_t pc = 0;
    for (int i = 0; i < l->reached_count; i++) {
        const struct ptx_function *f = l->reached[i];
        int32_t next = lay_out_body(d, i, pc);
        p->functions[i] = (struct program_function){
            .source = f, .first = pc, .last = next - 1, .frame_bytes = l->frame[f->index].frame_bytes};
        d->function_of[f->index] = i;
        pc = next;
    }
    p->insn_count = pc;
    p->insns = arena_array(&p->arena, struct insn, (size_t)pc);
}

/* Makes a load or store between the register of a formal parameter and its place in the frame. */
static void decode_formal(struct decoder *d, int function, int32_t pc, const struct ptx_variable *formal, enum op op)
{
    struct insn *insn = &d->program->insns[pc];
    *insn = new_insn(op, function);
    if (formal->vector > 1 || formal->type == TYPE_PRED || type_table[formal->type].bits > 64)
        decode_fail(d, "register '%s' cannot be a parameter: it must be a scalar of 8 to 64 bits", formal->name);
    insn->flags |= INSN_MEMORY;
    insn->address = 0;
    insn->suffixes.type[0] = formal->type;
    insn->suffixes.mod[GROUP_SPACE] = SPACE_PARAM;
    struct ref value = register_ref(d, formal->reg, (enum type)formal->type);
    struct ref frame[2] = {{.kind = REF_LOCAL,
                            .type = (uint8_t)address_type(d),
                            .offset = layout_offset(d->program->layout, d->function, formal),
                            .variable = formal},
                           value};
    insn->source = keep_refs(d, frame, op == OP_ST ? 2 : 1, &insn->source_count);
    insn->dest = keep_refs(d, &value, op == OP_ST ? 0 : 1, &insn->dest_count);
}

/* Makes the stores of returned registers that come before a `ret`, under the guard of the `ret`. Returns the PC of the
 * `ret`. */
static int32_t decode_results(struct decoder *d, int function, int32_t pc)
{
    const struct ptx_function *f = d->function;
    for (int i = 0; i < f->return_count; i++) {
        if (!f->returns[i]->is_register)
            continue;
        decode_formal(d, function, pc, f->returns[i], OP_ST);
        if (d->origin) {
            d->program->insns[pc].guard = d->origin->guard;
            d->program->insns[pc].guard_negate = d->origin->guard_negate;
            d->program->insns[pc].line = d->origin->line;
        }
        pc++;
    }
    return pc;
}

static void decode_function(struct decoder *d, int function)
{
    const struct program_function *pf = &d->program->functions[function];
    const struct ptx_function *f = pf->source;
    const int32_t *pc_of = d->pc_of[function];
    int32_t pc = pf->first;
    d->function = f;
    d->origin = NULL;
    for (int i = 0; i < f->parameter_count; i++)
        if (f->parameters[i]->is_register)
            decode_formal(d, function, pc++, f->parameters[i], OP_LD);
    for (int i = 0; i < f->instruction_count && !d->error; i++) {
        d->origin = &f->instructions[i];
        decode_insn(d, function, d->origin->op == OP_RET ? decode_results(d, function, pc_of[i]) : pc_of[i]);
    }
    if (pc_of[f->instruction_count] > pf->last || d->error)
        return;
    int line = d->origin ? d->origin->line : f->line;
    d->origin = NULL;
    pc = decode_results(d, function, pc_of[f->instruction_count]);
    d->program->insns[pc] = new_insn(OP_RET, function);
    d->program->insns[pc].line = line;
}

bool decode_functions(struct decoder *d)
{
    struct program *p = d->program;
    int function_count = p->kernel->module->function_count;
    d->function_of = arena_array(d->scratch, int32_t, (size_t)function_count);
    for (int i = 0; i < function_count; i++)
        d->function_of[i] = -1;
    d->rows = arena_array(d->scratch, struct op_slots, OP_COUNT);
    for (int i = 0; i < OP_COUNT; i++)
        d->rows[i].slot_count = -1;
    lay_out_functions(d);
    for (int i = 0; i < p->function_count && !d->error; i++)
        decode_function(d, i);
    if (!d->error)
        vec_into_arena(&d->calls, &p->arena, p->calls, p->call_count);
    return !d->error;
}

void decode_finish(struct decoder *d)
{
    vec_free(&d->calls);
    vec_free(&d->dest);
    vec_free(&d->source);
}
