/* Makes the plans of a program on a machine (plan.h): units, ports, latencies and registers of each instruction. */
#include "sm/plan.h"

#include "base/arena.h"
#include "base/diag.h"
#include "exec/async/async.h"
#include "exec/matrix.h"

#include <stdlib.h>

/* Adds a register that must be written before the instruction issues. */
static void add_check(struct plan *p, int32_t plane)
{
    for (int i = 0; i < p->check_count; i++)
        if (p->plane[i] == plane)
            return;
    if (p->check_count == PLAN_MAX_CHECKS) {
        /* Only wgmma has that many. Programs wait for its results by an instruction of their own. */
        if (p->op_class != CLASS_TENSOR)
            panic("an instruction with more than %d registers", PLAN_MAX_CHECKS);
        return;
    }
    p->plane[p->check_count++] = (int16_t)plane;
    p->checks |= plan_check_bit(plane);
}

/* Whether the instruction is a wgmma.mma_async. */
static bool is_product(const struct insn *in)
{
    return in->class == CLASS_TENSOR && in->suffixes.mod[GROUP_WGMMA];
}

/* How the instruction takes part in asynchronous work. */
static enum plan_async async_of(const struct insn *in, const struct bound *b)
{
    if (b->kind == BOUND_ASYNC && !async_is_single(in))
        return PLAN_COPIES;
    if (is_product(in))
        return PLAN_MULTIPLIES;
    switch (in->op) {
    case OP_WGMMA_COMMIT:
        return PLAN_COMMITS_PRODUCTS;
    case OP_WGMMA_WAIT:
        return PLAN_AWAITS_PRODUCTS;
    case OP_BULK_COMMIT:
        return PLAN_COMMITS_COPIES;
    case OP_BULK_WAIT:
    case OP_BULK_WAIT_READ:
        return PLAN_AWAITS_COPIES;
    case OP_MBARRIER_TRY:
    case OP_MBARRIER_TRY_PARITY:
        return PLAN_AWAITS_PHASE;
    default:
        return PLAN_NOT_ASYNC;
    }
}

static void set_async(struct plans *plans, struct plan *p, const struct insn *in, const struct bound *b)
{
    p->async = (uint8_t)async_of(in, b);
    plans->has_async |= p->async == PLAN_MULTIPLIES || p->async == PLAN_COPIES;
    if (p->async == PLAN_AWAITS_PRODUCTS || p->async == PLAN_AWAITS_COPIES)
        p->groups = in->source[0].immediate < UINT8_MAX ? (uint8_t)in->source[0].immediate : UINT8_MAX;
}

/* The scoreboard does not know what wgmma writes: programs wait for it by groups. */
static void add_registers(struct plan *p, const struct insn *in)
{
    for (int i = 0; i < in->dest_count && p->async != PLAN_MULTIPLIES; i++)
        if (in->dest[i].kind == REF_PLANE)
            add_check(p, in->dest[i].plane);
    p->dest_count = p->check_count;
    for (int i = 0; i < in->source_count; i++)
        if (in->source[i].kind == REF_PLANE)
            add_check(p, in->source[i].plane);
    if (in->guard >= 0)
        add_check(p, in->guard);
}

/* Additional passes for operands that lie in one bank, which are read one after the other. A register's bank is its
 * plane modulo the number of banks. Guards are in a register file of their own. */
static uint8_t bank_conflicts(const struct insn *in, uint32_t banks)
{
    uint8_t reads[64] = {0}, most = 1;
    for (int i = 0; i < in->source_count; i++) {
        bool is_new = in->source[i].kind == REF_PLANE;
        for (int k = 0; is_new && k < i; k++)
            is_new = in->source[k].kind != REF_PLANE || in->source[k].plane != in->source[i].plane;
        if (!is_new)
            continue;
        uint8_t *bank = &reads[(uint32_t)in->source[i].plane % banks];
        most = ++*bank > most ? *bank : most;
    }
    return (uint8_t)(most - 1);
}

/* The port of the memory system that the instruction may use. Generic addresses count as global addresses. Bulk copies
 * wait for the port behind their instruction (copies.h), except in the least time, where memory is asked at once. */
static int port_kind(const struct bound *b, bool is_least)
{
    switch ((enum bound_kind)b->kind) {
    case BOUND_TEXTURE:
        return MEM_TEXTURE;
    case BOUND_SURFACE:
        return MEM_LOAD;
    case BOUND_LOAD:
    case BOUND_STORE:
    case BOUND_FILL:
    case BOUND_ATOMIC:
        break;
    case BOUND_ASYNC:
        return async_is_single(b->insn) || is_least ? MEM_LOAD : PLAN_NO_PORT;
    case BOUND_RENDEZVOUS:
        if (matrix_is_access(b->insn))
            break;
        return PLAN_NO_PORT;
    default:
        return PLAN_NO_PORT;
    }
    if (b->space == IN_SHARED)
        return PLAN_NO_PORT;
    return b->space == IN_CONSTANT || b->space == IN_PARAMETER ? MEM_CONSTANT : MEM_LOAD;
}

/* With the memory stage inline, every instruction waits until no port has transactions of earlier accesses. */
static uint32_t ports_of(const struct sm_config *config, int kind)
{
    if (config->memory_stage == SM_MEMORY_INLINE)
        return 1u << MEM_LOAD | 1u << MEM_CONSTANT | 1u << MEM_TEXTURE;
    return kind == PLAN_NO_PORT ? 0 : 1u << kind;
}

/* Whether the instruction reads a kernel parameter as an operand: at a fixed address, on a machine that does so. */
static bool reads_operand(const struct sm_config *config, const struct insn *in, const struct bound *b)
{
    if (config->parameters != SM_PARAMETERS_AS_OPERAND || b->kind != BOUND_LOAD || b->space != IN_PARAMETER)
        return false;
    for (int i = 0; i < in->source_count; i++)
        if (in->source[i].kind == REF_PLANE)
            return false;
    return true;
}

/* See plans.ordered_classes. */
static bool is_ordered(const struct bound *b)
{
    switch ((enum bound_kind)b->kind) {
    case BOUND_ATOMIC: /* of 128 bits: posted writes have room for 64 (exec/posted.h) */
        return b->space != IN_SHARED && b->space != IN_LOCAL && (b->dest_count || b->width > 8);
    case BOUND_TOGETHER:
    case BOUND_RENDEZVOUS:
        return b->insn->address >= 0 && b->space != IN_SHARED;
    case BOUND_ASYNC:
    case BOUND_SURFACE:
    case BOUND_BUILTIN:
        return true;
    default:
        return false;
    }
}

/* Whether some instruction reads registers that are not among the checks of its plan: calls that may come back to their
 * function save all that are live, and wgmma has more than fit. */
static bool reads_unasked(const struct program *program)
{
    for (int32_t pc = 0; pc < program->insn_count; pc++)
        if (is_product(&program->insns[pc]))
            return true;
    return program->has_recursion;
}

/* See plans.result_classes. */
static bool gives_result(const struct plans *plans, const struct bound *b)
{
    return !plans->reads_unasked && is_ordered(b) && b->kind == BOUND_ATOMIC && b->width <= 8;
}

/* The class; made if there is none yet. -1: there are too many. */
static int find_class(struct plans *plans, struct plan_class wanted)
{
    const int kind = wanted.kind == PLAN_NO_PORT ? MEM_KINDS : wanted.kind;
    for (int i = 0; i < plans->class_count; i++)
        if (plans->class[i].unit == wanted.unit && plans->class[i].kind == wanted.kind &&
            plans->class[i].is_ordered == wanted.is_ordered && plans->class[i].gives_result == wanted.gives_result &&
            plans->class[i].is_shared == wanted.is_shared)
            return i;
    if (plans->class_count == SCHED_MAX_CLASSES)
        return -1;
    const uint32_t bit = UINT32_C(1) << plans->class_count;
    plans->class[plans->class_count] = wanted;
    plans->classes_of_unit[wanted.unit] |= bit;
    plans->classes_of_port[kind] |= bit;
    plans->ordered_classes |= wanted.is_ordered ? bit : 0;
    plans->result_classes |= wanted.gives_result ? bit : 0;
    plans->shared_classes |= wanted.is_shared ? bit : 0;
    plans->port_classes |= wanted.ports ? bit : 0;
    return plans->class_count++;
}

/* The class with this unit and port, of reads that no other multiprocessor can affect or of other instructions. `b`:
 * the instruction; NULL: one that only its multiprocessor sees. */
static uint8_t class_of(struct plans *plans, const struct sm_config *config, int unit, int kind, const struct bound *b)
{
    int class = find_class(plans, (struct plan_class){.unit = unit,
                                                      .is_ordered = b && is_ordered(b),
                                                      .gives_result = b && gives_result(plans, b),
                                                      .kind = kind,
                                                      .ports = ports_of(config, kind)});
    if (class < 0)
        panic("more than %d classes of instructions", SCHED_MAX_CLASSES);
    return (uint8_t) class;
}

bool plans_share(struct plans *plans, const bool *is_shared)
{
    for (int32_t pc = 0; pc < plans->sync; pc++) {
        struct plan_class wanted = plans->class[plans->at[pc].class];
        if (wanted.is_shared == is_shared[pc])
            continue;
        wanted.is_shared = is_shared[pc];
        int class = find_class(plans, wanted);
        if (class < 0)
            return false;
        plans->at[pc].class = (uint8_t) class;
    }
    return true;
}

/* Adds the plan of convergence-barrier operations, which read and write no register. */
static void add_sync(struct plans *plans, const struct program *program, const struct sm_config *config)
{
    const struct sm_cost *cost = &config->cost[CLASS_BRANCH];
    struct plan *p = &plans->at[program->insn_count];
    plans->sync = program->insn_count;
    p->unit = (uint8_t)cost->unit;
    p->op_class = CLASS_BRANCH;
    p->class = class_of(plans, config, (int)cost->unit, PLAN_NO_PORT, NULL);
    p->interval = (uint16_t)cost->interval_cycles;
}

/* Whether an instruction behind the load at `pc`, in a straight line, waits for what it loads. */
static bool is_awaited(const struct plans *plans, const struct program *program, int32_t pc)
{
    const struct plan *load = &plans->at[pc];
    for (int32_t next = pc + 1; next < program->insn_count && program->insns[next].block == program->insns[pc].block;
         next++) {
        const struct plan *p = &plans->at[next];
        for (int i = 0; i < p->check_count; i++)
            for (int k = 0; k < load->dest_count; k++)
                if (p->plane[i] == load->plane[k])
                    return true;
        if (p->is_control)
            return false;
    }
    return false;
}

/* Makes the plan that of a scalar unit. */
static void make_scalar(struct plans *plans, struct plan *p, const struct sm_config *config, bool is_least)
{
    p->unit = SM_SCALAR;
    p->class = class_of(plans, config, SM_SCALAR, PLAN_NO_PORT, NULL);
    if (!is_least || p->latency > config->scalar_latency_cycles)
        p->latency = (uint16_t)config->scalar_latency_cycles;
    p->interval = 1;
    p->operands = 0;
    p->passes = 1;
}

enum { MOST_CYCLES = 10000 }; /* of an instruction on a tensor core */

/* The time of a matrix multiply-add on a tensor core, from that of 16 by 8 by 16 elements of 16 bits. The core
 * multiplies twice as many elements of half the width, but half as many of 64 bits again (measured on an H200:
 * mma.m16n8k16 of f16 every 7.4 cycles, m16n8k32 of s8 every 7.6, m16n8k16 of f64 every 65). */
static uint64_t tensor_cycles(const struct insn *in, uint64_t interval, unsigned rows)
{
    enum { UNIT_WORK = 16 * 8 * 16 * 16 };
    const struct suffixes *s = &in->suffixes;
    enum type type = in->op == OP_WMMA_F16 ? TYPE_F16 : (enum type)s->type[1];
    unsigned bits = type_table[type].bits;
    uint64_t work = (uint64_t)rows * shape_n(s->shape) * shape_k(s->shape) * (bits == 64 ? 128 : bits);
    if (s->mod[GROUP_SPARSE])
        work /= 2;
    uint64_t cycles = (interval * work + UNIT_WORK - 1) / UNIT_WORK;
    return cycles < MOST_CYCLES ? cycles : MOST_CYCLES;
}

static void scale_tensor(struct plan *p, const struct insn *in)
{
    uint64_t interval = tensor_cycles(in, p->interval, shape_m(in->suffixes.shape));
    uint64_t latency = p->latency + interval;
    latency = latency > p->interval ? latency - p->interval : 1;
    p->latency = (uint16_t)(latency < interval ? interval : latency);
    p->interval = (uint16_t)interval;
}

/* The cycles for which wgmma takes the tensor core of one of its four warps. The core is 7 / 4 times as fast as with
 * mma, but waits for what the four warps together read of shared memory, 128 bytes per cycle (measured on an H200, of
 * f16: m64n128k16 every 64 cycles, m64n64k16 every 32, m64n8k16 every 18, which is 2304 bytes). */
static uint64_t product_cycles(const struct insn *in, uint64_t interval)
{
    enum { ROWS_OF_WARP = 16, SHARED_BYTES = 128 };
    const struct suffixes *s = &in->suffixes;
    bool reads_a = in->origin->operand[1].kind != OPERAND_VECTOR;
    unsigned k = shape_k(s->shape), a_bits = shape_m(s->shape) * k * type_table[s->type[1]].bits;
    unsigned bits =
        (reads_a ? a_bits / (s->mod[GROUP_SPARSE] ? 2 : 1) : 0) + shape_n(s->shape) * k * type_table[s->type[2]].bits;
    uint64_t cycles = (tensor_cycles(in, interval * 4, ROWS_OF_WARP) + 6) / 7;
    uint64_t reading = (bits / 8 + SHARED_BYTES - 1) / SHARED_BYTES;
    return cycles > reading ? cycles : reading;
}

/* wgmma issues in one cycle, and its product goes on behind it (products.h). In the least time, only limits count. */
static void scale_product(struct plan *p, const struct insn *in, const struct sm_config *config, bool is_least)
{
    p->product = (uint16_t)product_cycles(in, p->interval);
    p->latency = (uint16_t)(p->product + config->wgmma_latency_cycles);
    p->interval = is_least ? p->product : 1;
}

/* The class whose costs the instruction has. Loads and stores of matrices are warp-level operations that access memory
 * as other loads and stores do. */
static enum op_class cost_class(const struct insn *in, bool is_operand)
{
    if (is_operand)
        return CLASS_INT;
    if (matrix_is_access(in))
        return matrix_is_store(in) ? CLASS_STORE : CLASS_LOAD;
    return (enum op_class)in->class;
}

/* Plans of so many instructions, which say nothing yet. */
static struct plan *empty_plans(size_t count)
{
    struct plan *at = memset(xmalloc_lines(count * sizeof *at), 0, count * sizeof *at);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < PLAN_FIRST_CHECKS; k++)
            at[i].plane[k] = PLAN_NO_PLANE;
    return at;
}

struct plans *plans_create(const struct code *code, const struct sm_config *config, const bool *is_scalar,
                           bool is_least)
{
    const struct program *program = code_program(code);
    struct plans *plans = xcalloc(1, sizeof *plans);
    plans->at = empty_plans((size_t)program->insn_count + 1);
    plans->reads_unasked = reads_unasked(program);
    for (int32_t pc = 0; pc < program->insn_count; pc++) {
        const struct insn *in = &program->insns[pc];
        const struct bound *b = &code->bound[pc];
        const bool is_operand = reads_operand(config, in, b);
        const enum op_class op_class = cost_class(in, is_operand);
        const struct sm_cost *cost = &config->cost[op_class];
        struct plan *p = &plans->at[pc];
        bool is_atomic = b->kind == BOUND_ATOMIC || (b->kind == BOUND_MBARRIER && in->address >= 0);
        bool is_copy = b->kind == BOUND_ASYNC && async_is_single(in);
        p->unit = (uint8_t)cost->unit;
        p->op_class = (uint8_t)(is_operand ? in->class : op_class);
        if (!is_scalar || !is_scalar[pc])
            p->class = class_of(plans, config, (int)cost->unit, is_operand ? PLAN_NO_PORT : port_kind(b, is_least), b);
        p->latency = (uint16_t)cost->latency_cycles;
        p->interval = (uint16_t)cost->interval_cycles;
        if (is_product(in))
            scale_product(p, in, config, is_least);
        else if (in->class == CLASS_TENSOR)
            scale_tensor(p, in);
        p->operands = config->bank_conflicts ? bank_conflicts(in, config->register_banks) : 0;
        p->accesses = (b->kind == BOUND_LOAD && !is_operand) || b->kind == BOUND_STORE || b->kind == BOUND_FILL ||
                      b->kind == BOUND_TEXTURE || b->kind == BOUND_SURFACE || is_atomic || is_copy ||
                      matrix_is_access(in);
        p->bypasses_l1 =
            is_atomic || in->suffixes.mod[GROUP_CACHE] == CACHE_CG || in->suffixes.mod[GROUP_SEM] == SEM_VOLATILE;
        p->is_control = !bound_is_straight(b);
        p->joins_block = b->kind == BOUND_BARRIER && b->source[1] == OFFSET_NONE && in->op != OP_WGMMA_WAIT;
        p->tries = in->op == OP_MBARRIER_TRY || in->op == OP_MBARRIER_TRY_PARITY;
        p->is_branch = in->branch >= 0;
        /* A mechanism may need fewer passes than a whole strand (scc). */
        p->passes = is_least ? 1 : (uint8_t)sm_passes(config);
        if (is_scalar && is_scalar[pc])
            make_scalar(plans, p, config, is_least);
        p->bound = b;
        p->is_lanes = b->kind == BOUND_LANES;
        p->is_simple = p->is_lanes || b->kind == BOUND_BRANCH;
        p->due_cycles = (uint32_t)p->latency + p->passes - 1 + p->operands;
        p->held_cycles = ((uint32_t)p->passes + p->operands) * p->interval;
        set_async(plans, p, in, b);
        add_registers(p, in);
    }
    add_sync(plans, program, config);
    for (int32_t pc = 0; pc < program->insn_count; pc++)
        plans->at[pc].is_awaited = plans->at[pc].accesses && plans->at[pc].dest_count && is_awaited(plans, program, pc);
    return plans;
}

void plans_destroy(struct plans *plans)
{
    if (!plans)
        return;
    free(plans->at);
    free(plans);
}
