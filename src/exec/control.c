/*
 * Control flow: branches, calls, returns, exits, and the dispatch of instructions that wait.
 *
 * The executed cohort is not in the row's list. Each of its threads leaves here resumed at a new PC (engine_resume),
 * waiting in the row's list, or ended.
 */
#include "exec/control.h"

#include "base/bits.h"
#include "base/diag.h"
#include "exec/barrier.h"
#include "exec/call.h"
#include "exec/cluster.h"
#include "exec/engine_fault.h"
#include "exec/operand.h"
#include "exec/rendezvous.h"

void control_end_threads(struct engine *e, uint32_t mask)
{
    e->row->live &= ~mask;
    e->block->live_threads -= (uint32_t)bits_count(mask);
    rendezvous_recheck(e, e->row);
    barrier_recheck(e);
    cluster_recheck(e);
}

/* Counts one execution of a branch whose threads took `paths` different paths. */
static void count_branch(struct engine *e, int paths)
{
    e->result->branches++;
    e->result->divergent_branches += paths > 1;
}

static bool take_indexed(struct engine *e, const struct bound *in, struct cohort here, uint32_t mask)
{
    const struct branch *branch = &e->program->branches[in->insn->branch];
    const uint32_t *index = operand_source(e, in, 0);
    int paths = here.mask != mask;
    while (mask) {
        int first = bits_lowest(mask);
        if (index[first] >= (uint32_t)branch->table_count)
            return engine_fault(e, in, 1u << first, FAULT_BAD_INDEX, "index %u, but the list has %d labels",
                                index[first], branch->table_count);
        uint32_t same = 0;
        for (uint32_t left = mask; left; left &= left - 1)
            if (index[bits_lowest(left)] == index[first])
                same |= 1u << bits_lowest(left);
        engine_resume(e, e->row, branch->table[index[first]], here.depth, same);
        mask &= ~same;
        paths++;
    }
    count_branch(e, paths);
    return true;
}

static bool enter_function(struct engine *e, const struct bound *in, int32_t callee, struct cohort here, uint32_t mask)
{
    if (!call_enter(e, in, callee, here.depth, mask))
        return false;
    engine_resume(e, e->row, e->program->functions[callee].first, here.depth + 1, mask);
    return true;
}

/* A call through pointers: threads with equal pointers enter the function together. */
static bool call_pointers(struct engine *e, const struct bound *in, struct cohort here, uint32_t mask)
{
    uint64_t value[ROW_LANES];
    const void *pointer = operand_source(e, in, 0);
    for (int i = 0; i < ROW_LANES; i++)
        value[i] = in->source_bits[0] == 64 ? ((const uint64_t *)pointer)[i] : ((const uint32_t *)pointer)[i];
    int paths = here.mask != mask;
    while (mask) {
        int first = bits_lowest(mask);
        uint32_t same = 0;
        for (uint32_t left = mask; left; left &= left - 1)
            if (value[bits_lowest(left)] == value[first])
                same |= 1u << bits_lowest(left);
        int32_t callee = call_find(e, in, value[first]);
        if (callee < 0)
            return engine_fault(e, in, same, FAULT_BAD_POINTER, "0x%llx is not a function this call can reach",
                                (unsigned long long)value[first]);
        if (!enter_function(e, in, callee, here, same))
            return false;
        mask &= ~same;
        paths++;
    }
    count_branch(e, paths);
    return true;
}

static bool take_call(struct engine *e, const struct bound *in, struct cohort here, uint32_t mask)
{
    int32_t callee = e->program->calls[in->insn->call].callee;
    return callee >= 0 ? enter_function(e, in, callee, here, mask) : call_pointers(e, in, here, mask);
}

static void take_return(struct engine *e, struct cohort here, uint32_t mask)
{
    if (!here.depth) {
        control_end_threads(e, mask);
        return;
    }
    int32_t pc[ROW_LANES];
    call_leave(e, here.depth, mask, pc);
    for (uint32_t left = mask; left; left &= left - 1)
        engine_resume(e, e->row, pc[bits_lowest(left)], here.depth - 1, 1u << bits_lowest(left));
}

bool control_execute(struct engine *e, const struct bound *in, struct cohort here, uint32_t mask)
{
    uint32_t staying = here.mask & ~mask;
    if (staying)
        engine_resume(e, e->row, here.pc + 1, here.depth, staying);
    struct cohort going = here;
    going.mask = mask;
    switch ((enum bound_kind)in->kind) {
    case BOUND_YIELD:
        engine_resume(e, e->row, here.pc + 1, here.depth, mask);
        return true;
    case BOUND_BRANCH:
        count_branch(e, 1 + (staying != 0));
        engine_resume(e, e->row, in->target, here.depth, mask);
        return true;
    case BOUND_INDEXED:
        return take_indexed(e, in, here, mask);
    case BOUND_CALL:
        return take_call(e, in, here, mask);
    case BOUND_RETURN:
        take_return(e, here, mask);
        return true;
    case BOUND_EXIT:
        control_end_threads(e, mask);
        return true;
    case BOUND_TRAP:
        return engine_fault(e, in, mask, FAULT_TRAP, "the kernel executed trap");
    case BOUND_RENDEZVOUS:
        return rendezvous_arrive(e, in, going);
    case BOUND_BARRIER:
        return barrier_arrive(e, in, going);
    case BOUND_CLUSTER:
        return cluster_barrier(e, in, going);
    default:
        panic("%s is no control instruction", op_table[in->insn->op].id);
    }
}
