/*
 * The functional engine: runs a launch to its end, as fast as the host can, with no notion of time.
 *
 * Blocks run one after the other; one that does not end soon (it may wait for another block) is kept and the next
 * one started beside it. The rows of a block take turns. Within a row, threads at one PC form a cohort; the cohort
 * deepest in calls and lowest in PC runs first, so that those behind catch up and join, and after a quantum
 * another gets a turn, so that a thread that holds a lock others spin on gets to release it.
 */
#include "exec/engine.h"

#include "base/bits.h"
#include "base/text.h"
#include "exec/mask.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW_QUANTUM = 20000,      /* warp instructions of a row before the next row of the block has its turn */
    COHORT_QUANTUM = 2000,    /* of a cohort, while others of the row could run */
    BLOCK_QUANTUM = 1 << 20,  /* of a block, before another one is started beside it */
    RESIDENT_BLOCKS = 264     /* at most, at once */
};

/* ---- faults ---- */

static void name_thread(struct engine *e, int lane, struct fault *f)
{
    uint32_t t = e->row->first_thread + (uint32_t)lane;
    const uint32_t *n = e->launch->block;
    memcpy(f->block, e->block->index, sizeof f->block);
    f->thread[0] = t % n[0];
    f->thread[1] = t / n[0] % n[1];
    f->thread[2] = t / n[0] / n[1];
    f->has_thread = true;
}

static void name_place(struct engine *e, const struct bound *in, struct fault *f)
{
    int32_t pc = (int32_t)(in - e->code->bound);
    f->kernel = e->launch->kernel->name;
    program_where(e->program, pc, f->where, sizeof f->where);
    struct text text = {0};
    if (in->insn->origin)
        ptx_print_instruction(e->program->functions[in->insn->function].source, in->insn->origin, &text);
    snprintf(f->instruction, sizeof f->instruction, "%s", text.data ? text.data : op_table[in->insn->op].mnemonic);
    text_free(&text);
}

bool engine_fault(struct engine *e, const struct bound *in, uint32_t mask, enum fault_kind kind, const char *format, ...)
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
        snprintf(f->near, sizeof f->near, "%s memory has %llu bytes here", space_text[space], (unsigned long long)size);
    return false;
}

/* ---- operands ---- */

static const uint8_t *operand(const struct engine *e, int32_t offset)
{
    return offset >= 0 ? e->row->planes + offset : e->code->constants + -(int64_t)offset;
}

static uint64_t read_sreg(const struct engine *e, enum sreg sreg)
{
    switch (sreg) {
    case SREG_CLOCK_HI:
    case SREG_GLOBALTIMER_HI:
        return e->now >> 32;
    case SREG_CLOCK:
    case SREG_GLOBALTIMER_LO:
        return (uint32_t)e->now;
    default:
        return e->now;
    }
}

static const void *prepare_source(struct engine *e, const struct bound *in, int i)
{
    uint8_t *scratch = e->source_scratch[i];
    uint64_t *wide = (void *)scratch;
    uint32_t *narrow = (void *)scratch;
    const uint8_t *from = in->prepare[i] == PREPARE_SREG ? NULL : operand(e, in->source[i]);
    for (int lane = 0; lane < ROW_LANES; lane++) {
        uint64_t v;
        if (in->prepare[i] == PREPARE_NEGATE)
            v = ~((const uint32_t *)from)[lane];
        else if (in->prepare[i] == PREPARE_FRAME)
            v = ((const uint64_t *)from)[lane] + e->row->frame[lane];
        else
            v = read_sreg(e, (enum sreg)in->source[i]);
        if (in->source_bits[i] == 64)
            wide[lane] = v;
        else
            narrow[lane] = (uint32_t)v;
    }
    return scratch;
}

const void *engine_source(struct engine *e, const struct bound *in, int i)
{
    return in->prepare[i] == PREPARE_NONE ? operand(e, in->source[i]) : prepare_source(e, in, i);
}

void engine_write(struct engine *e, const struct bound *in, int i, const void *lanes, uint32_t mask)
{
    if (!in->dest_bits[i])
        return;
    uint32_t chosen[ROW_LANES];
    mask_to_lanes(mask, chosen);
    mask_blend(e->row->planes + in->dest[i], lanes, chosen, in->dest_bits[i]);
}

/* ---- register-to-register instructions ---- */

/* Threads that ended do not mind what is written into their registers, so a mask that holds all live threads
 * needs no blending. */
static inline void execute_lanes(struct engine *e, const struct bound *in, uint32_t mask)
{
    struct lanes x;
    uint8_t *planes = e->row->planes;
    const uint8_t *constants = e->code->constants;
    if (__builtin_expect(in->prepared, 0)) {
        for (int i = 0; i < in->source_count; i++)
            x.source[i] = in->source[i] == OFFSET_NONE ? NULL : engine_source(e, in, i);
    } else {
        for (int i = 0; i < in->source_count; i++) {
            int32_t offset = in->source[i];
            x.source[i] = offset >= 0 ? planes + offset : constants - (int64_t)offset;
        }
    }
    bool whole = !(e->row->live & ~mask);
    for (int i = 0; i < in->dest_count; i++)
        x.dest[i] = whole && in->dest_bits[i] ? planes + in->dest[i] : e->dest_scratch[i];
    in->fn(&x);
    if (whole)
        return;
    uint32_t chosen[ROW_LANES];
    mask_to_lanes(mask, chosen);
    for (int i = 0; i < in->dest_count; i++)
        if (in->dest_bits[i])
            mask_blend(planes + in->dest[i], e->dest_scratch[i], chosen, in->dest_bits[i]);
}

static inline uint32_t guarded(const struct engine *e, const struct bound *in, uint32_t mask)
{
    if (in->guard == OFFSET_NONE)
        return mask;
    uint32_t p = mask_from_lanes((const void *)(e->row->planes + in->guard));
    return mask & (in->guard_negate ? ~p : p);
}

/* ---- control flow: where threads of the running cohort go ---- */

static bool end_threads(struct engine *e, uint32_t mask)
{
    e->row->live &= ~mask;
    e->block->live_threads -= (uint32_t)bits_count(mask);
    rendezvous_recheck(e, e->row);
    barrier_recheck(e);
    return true;
}

static void count_branch(struct engine *e, int ways)
{
    e->result->branches++;
    e->result->divergent_branches += ways > 1;
}

static bool take_indexed(struct engine *e, const struct bound *in, struct cohort here, uint32_t mask)
{
    const struct ptx_targets *list = NULL;
    const struct ptx_instruction *origin = in->insn->origin;
    for (int k = 0; k < origin->operand_count; k++)
        if (origin->operand[k].kind == OPERAND_TARGETS)
            list = origin->operand[k].targets;
    const struct program_function *f = &e->program->functions[in->insn->function];
    const uint32_t *index = engine_source(e, in, 0);
    uint32_t staying = here.mask & ~mask;
    int ways = staying != 0;
    if (staying)
        row_add_cohort(e->row, here.pc + 1, here.depth, staying);
    while (mask) {
        int first = bits_lowest(mask);
        if (index[first] >= (uint32_t)list->count)
            return engine_fault(e, in, 1u << first, FAULT_BAD_INDEX, "index %u of a list of %d labels", index[first],
                                list->count);
        uint32_t same = 0;
        for (uint32_t left = mask; left; left &= left - 1)
            if (index[bits_lowest(left)] == index[first])
                same |= 1u << bits_lowest(left);
        row_add_cohort(e->row, f->first + list->target[index[first]], here.depth, same);
        mask &= ~same;
        ways++;
    }
    count_branch(e, ways);
    return true;
}

static bool take_return(struct engine *e, struct cohort here, uint32_t mask)
{
    if (here.mask & ~mask)
        row_add_cohort(e->row, here.pc + 1, here.depth, here.mask & ~mask);
    if (!here.depth)
        return end_threads(e, mask);
    int32_t pc[ROW_LANES];
    call_leave(e, here.depth, mask, pc);
    for (uint32_t left = mask; left; left &= left - 1)
        row_add_cohort(e->row, pc[bits_lowest(left)], here.depth - 1, 1u << bits_lowest(left));
    return true;
}

/* Executes an instruction after which the cohort has to be found anew. `mask` are the threads that do it. */
static bool execute_control(struct engine *e, const struct bound *in, struct cohort here, uint32_t mask)
{
    switch ((enum bound_kind)in->kind) {
    case BOUND_BRANCH:
        count_branch(e, 1 + (mask != here.mask));
        row_add_cohort(e->row, in->target, here.depth, mask);
        break;
    case BOUND_INDEXED:
        return take_indexed(e, in, here, mask);
    case BOUND_RETURN:
        return take_return(e, here, mask);
    default:
        break;
    }
    if (here.mask & ~mask)
        row_add_cohort(e->row, here.pc + 1, here.depth, here.mask & ~mask);
    here.mask = mask;
    switch ((enum bound_kind)in->kind) {
    case BOUND_CALL:
        if (!call_enter(e, in, here.depth, mask))
            return false;
        row_add_cohort(e->row, in->target, here.depth + 1, mask);
        return true;
    case BOUND_EXIT:
        return end_threads(e, mask);
    case BOUND_TRAP:
        return engine_fault(e, in, mask, FAULT_TRAP, "the kernel stopped itself");
    case BOUND_WARP:
        return rendezvous_arrive(e, in, here);
    case BOUND_BARRIER:
        return barrier_arrive(e, in, here);
    case BOUND_YIELD:
        row_add_cohort(e->row, here.pc + 1, here.depth, mask);
        return true;
    default:
        return true;
    }
}

/* Warp-level operations without .sync never wait: they act on the threads that happen to be together. */
static void execute_together(struct engine *e, const struct bound *in, uint32_t mask)
{
    struct warp_inputs inputs = {.predicate = 0};
    struct warp_outputs outputs;
    warp_collect(e, in, mask, &inputs);
    warp_compute(in->insn, mask, &inputs, &outputs);
    warp_deliver(e, in, mask, &outputs);
}

static bool waits_for_nobody(const struct bound *in)
{
    enum op op = (enum op)in->insn->op;
    return op == OP_SHFL || op == OP_VOTE || op == OP_BALLOT || op == OP_ACTIVEMASK;
}

/* Instructions that neither branch nor wait. False after a fault. */
static bool execute_straight(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask)
{
    switch ((enum bound_kind)in->kind) {
    case BOUND_LOAD:
        return access_load(e, in, pc, mask);
    case BOUND_STORE:
        return access_store(e, in, pc, mask);
    case BOUND_ATOMIC:
        return atomic_execute(e, in, pc, mask);
    case BOUND_TEXTURE:
        return texture_execute(e, in, mask);
    case BOUND_TO_GENERIC:
    case BOUND_FROM_GENERIC:
    case BOUND_IS_SPACE:
        address_execute(e, in, mask);
        return true;
    case BOUND_BUILTIN:
        return builtin_execute(e, in, mask);
    case BOUND_WARP:
        execute_together(e, in, mask);
        return true;
    default:
        return true;
    }
}

/* ---- running a row ---- */

enum run_end { RUN_FAULT, RUN_BLOCKED, RUN_QUANTUM };

static int pick_cohort(const struct row *row, bool by_turn)
{
    int best = -1;
    for (int g = 0; g < row->cohort_count; g++) {
        const struct cohort *c = &row->cohort[g], *b = &row->cohort[best < 0 ? 0 : best];
        if (c->state != COHORT_READY)
            continue;
        if (best < 0 || (by_turn ? c->last_run < b->last_run
                                 : c->depth > b->depth || (c->depth == b->depth && c->pc < b->pc)))
            best = g;
    }
    return best;
}

static struct cohort remove_cohort(struct row *row, int g)
{
    struct cohort c = row->cohort[g];
    row->cohort[g] = row->cohort[--row->cohort_count];
    return c;
}

/* The lowest PC at which another cohort of the same depth waits to be joined or passed. */
static int32_t next_meeting(const struct row *row, const struct cohort *here)
{
    int32_t stop = INT32_MAX;
    for (int g = 0; g < row->cohort_count; g++) {
        const struct cohort *c = &row->cohort[g];
        if (c->state == COHORT_READY && c->depth == here->depth && c->pc < stop)
            stop = c->pc;
    }
    return stop;
}

/* Runs one cohort until it branches apart, waits, meets another, or its budget is spent. Returns false after a
 * fault. Instructions that keep the cohort together are the hot loop. */
static bool run_cohort(struct engine *e, struct cohort *here, int32_t stop, uint64_t budget)
{
    const struct bound *bound = e->code->bound;
    uint32_t mask = here->mask;
    int32_t pc = here->pc;
    uint64_t count = 0;
    bool ok = true, apart = false;
    while (pc < stop && count < budget) {
        const struct bound *in = &bound[pc];
        uint32_t active = guarded(e, in, mask);
        count++;
        if (in->kind == BOUND_LANES) {
            if (active)
                execute_lanes(e, in, active);
            pc++;
        } else if (in->kind == BOUND_BRANCH && (active == mask || !active)) {
            e->result->branches += in->guard != OFFSET_NONE;
            pc = active ? in->target : pc + 1;
        } else if (!active) {
            pc++;
        } else if (in->kind < BOUND_YIELD || in->kind == BOUND_BUILTIN || (in->kind == BOUND_WARP && waits_for_nobody(in))) {
            e->now += count;
            ok = execute_straight(e, in, pc, active);
            e->now -= count;
            if (!ok)
                break;
            pc++;
        } else {
            here->pc = pc;
            ok = execute_control(e, in, *here, active);
            apart = true;
            break;
        }
    }
    e->now += count;
    e->result->thread_instructions += count * (uint64_t)bits_count(mask);
    if (ok && !apart)
        row_add_cohort(e->row, pc, here->depth, mask);
    return ok;
}

static enum run_end run_row(struct engine *e, struct row *row, uint64_t quantum)
{
    e->row = row;
    uint64_t end = e->now + quantum, turn_ends = e->now + COHORT_QUANTUM;
    bool by_turn = false;
    for (;;) {
        int g = pick_cohort(row, by_turn);
        if (g < 0)
            return RUN_BLOCKED;
        struct cohort here = remove_cohort(row, g);
        int32_t stop = by_turn ? INT32_MAX : next_meeting(row, &here);
        uint64_t budget = (row->cohort_count ? turn_ends : end) - e->now;
        if (!run_cohort(e, &here, stop, budget ? budget : 1))
            return RUN_FAULT;
        if (e->now >= turn_ends) {
            /* Whoever runs now has had its turn; the one that waited longest is next, then lowest PC again. */
            for (int k = 0; k < row->cohort_count; k++)
                if (row->cohort[k].mask & here.mask)
                    row->cohort[k].last_run = e->now;
            by_turn = !by_turn;
            turn_ends = e->now + COHORT_QUANTUM;
        }
        if (e->now >= end)
            return RUN_QUANTUM;
    }
}

/* ---- running blocks ---- */

static void describe_waiting(struct engine *e, struct fault *f)
{
    size_t used = 0;
    int shown = 0;
    for (int r = 0; r < e->block->row_count && shown < 3; r++)
        for (int g = 0; g < e->block->rows[r].cohort_count && shown < 3; g++, shown++) {
            const struct cohort *c = &e->block->rows[r].cohort[g];
            int n = snprintf(f->detail + used, sizeof f->detail - used, "%srow %d lanes 0x%08x wait at %s %s (PTX line %d)",
                             shown ? "; " : "", r, c->mask, c->state == COHORT_AT_BARRIER ? "barrier" : "warp operation",
                             op_table[e->program->insns[c->pc].op].mnemonic, e->program->insns[c->pc].line);
            if (n > 0)
                used += (size_t)n < sizeof f->detail - used ? (size_t)n : sizeof f->detail - used - 1;
        }
}

static bool fault_deadlock(struct engine *e)
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

static bool fault_endless(struct engine *e)
{
    const struct row *row = e->row;
    int g = row->cohort_count ? pick_cohort(row, false) : -1;
    const struct bound *in = &e->code->bound[g < 0 ? 0 : row->cohort[g].pc];
    return engine_fault(e, in, g < 0 ? 1 : row->cohort[g].mask, FAULT_ENDLESS,
                        "the limit of %llu warp instructions is reached; raise it with --limit",
                        (unsigned long long)e->limit);
}

/* Runs a block until it ends, faults, or its quantum is over. */
static enum run_end run_block(struct engine *e, struct block *block)
{
    uint64_t end = e->now + BLOCK_QUANTUM;
    int idle = 0;
    e->block = block;
    while (block->live_threads) {
        if (e->now >= end)
            return RUN_QUANTUM;
        struct row *row = &block->rows[block->next_row];
        block->next_row = (block->next_row + 1) % block->row_count;
        uint64_t before = e->now, left = e->limit - e->now;
        if (run_row(e, row, left < ROW_QUANTUM ? left : ROW_QUANTUM) == RUN_FAULT)
            return RUN_FAULT;
        if (e->now >= e->limit && block->live_threads) {
            fault_endless(e);
            return RUN_FAULT;
        }
        idle = e->now == before ? idle + 1 : 0;
        if (idle > block->row_count) {
            fault_deadlock(e);
            return RUN_FAULT;
        }
    }
    return RUN_BLOCKED;
}

static bool run_grid(struct engine *e)
{
    const struct launch *l = e->launch;
    uint64_t total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], next = 0;
    struct block *resident[RESIDENT_BLOCKS];
    struct block *spare = NULL;
    int count = 0, turn = 0;
    bool ok = true;
    while (ok && (count || next < total)) {
        if (next < total && count < RESIDENT_BLOCKS) {
            struct block *b = spare ? spare : block_create(l, e->program, e->local_bytes);
            spare = NULL;
            block_start(b, l, e->program, next++);
            turn = count;
            resident[count++] = b;
        }
        struct block *b = resident[turn];
        enum run_end ended = run_block(e, b);
        ok = ended != RUN_FAULT;
        if (ok && ended == RUN_BLOCKED) {
            resident[turn] = resident[--count];
            block_destroy(spare);
            spare = b;
        }
        turn = count ? (turn + 1) % count : 0;
    }
    for (int i = 0; i < count; i++)
        block_destroy(resident[i]);
    block_destroy(spare);
    return ok;
}

static bool place_parameters(struct engine *e)
{
    const struct launch *l = e->launch;
    e->parameter_base = memory_alloc(e->memory, l->parameter_bytes, "kernel parameters");
    if (!e->parameter_base) {
        e->result->fault.kind = FAULT_LAUNCH;
        snprintf(e->result->fault.detail, sizeof e->result->fault.detail, "no memory for the parameters");
        return false;
    }
    e->parameters.host = memory_host(e->memory, e->parameter_base, l->parameter_bytes);
    e->parameters.bytes = l->parameter_bytes;
    if (l->parameter_bytes)
        memcpy(e->parameters.host, l->parameters, l->parameter_bytes);
    return true;
}

void engine_launch(const struct launch *launch, const struct code *code, struct launch_result *result)
{
    memset(result, 0, sizeof *result);
    const struct program *program = code->program;
    if (!launch_validate(launch, program->layout, &result->fault))
        return;
    struct engine *e = xcalloc(1, sizeof *e);
    e->launch = launch;
    e->code = code;
    e->program = program;
    e->memory = launch->image->memory;
    e->result = result;
    e->last = xcalloc((size_t)program->insn_count, sizeof *e->last);
    e->constants.host = memory_host(e->memory, launch->image->constant_base, launch->image->constant_bytes);
    e->constants.bytes = e->constants.host ? launch->image->constant_bytes : 0;
    e->constants.is_constant = true;
    /* Frames of a minimal size are counted even where a function needs none, so that depth is bounded. */
    uint32_t stack = launch->stack_bytes ? launch->stack_bytes : LAUNCH_DEFAULT_STACK_BYTES;
    e->local_bytes = program->has_recursion ? stack : program->stack_bytes + 16u * (uint32_t)program->function_count;
    e->local_bytes = (uint32_t)bits_align_up(e->local_bytes, 16);
    e->limit = launch->instruction_limit ? launch->instruction_limit : UINT64_MAX;
    if (place_parameters(e)) {
        run_grid(e);
        memory_free(e->memory, e->parameter_base);
    }
    result->warp_instructions = e->now;
    free(e->last);
    free(e);
}
