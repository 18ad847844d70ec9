/*
 * The rendezvous of warp-level operations with .sync.
 *
 * However strands group the threads, an arriving thread waits until every live thread of its member mask is at an equal
 * operation: equal opcode, suffixes and member mask, though not necessarily the same PC. Then the operation is executed
 * once for all of them. Threads that have ended are not waited for.
 */
#include "exec/rendezvous.h"

#include "base/bits.h"
#include "exec/engine_fault.h"
#include "exec/matrix.h"
#include "exec/race/race.h"
#include "exec/warp_ops.h"

#include <string.h>

static bool same_operation(const struct insn *a, const struct insn *b)
{
    return a->op == b->op && !memcmp(&a->suffixes, &b->suffixes, sizeof a->suffixes);
}

/* Whether the cohort has threads of `mask` that wait at the operation. */
static bool takes_part(const struct engine *e, const struct cohort *c, const struct insn *operation, uint32_t mask)
{
    return c->state == COHORT_AT_RENDEZVOUS && c->mask & mask && same_operation(e->code->bound[c->pc].insn, operation);
}

static void execute_warp_op(struct engine *e, struct row *row, const struct insn *operation, uint32_t mask)
{
    struct warp_inputs inputs = {.predicate = 0};
    struct warp_outputs outputs;
    for (int g = 0; g < row->cohort_count; g++)
        if (takes_part(e, &row->cohort[g], operation, mask))
            warp_ops_collect(e, &e->code->bound[row->cohort[g].pc], row->cohort[g].mask & mask, &inputs);
    warp_ops_compute(operation, mask, &inputs, &outputs);
    for (int g = 0; g < row->cohort_count; g++)
        if (takes_part(e, &row->cohort[g], operation, mask))
            warp_ops_deliver(e, &e->code->bound[row->cohort[g].pc], row->cohort[g].mask & mask, &outputs);
}

static bool execute_matrix(struct engine *e, struct row *row, const struct insn *operation, uint32_t mask)
{
    struct matrix_operands operands;
    operands.mask = 0;
    for (int g = 0; g < row->cohort_count; g++)
        if (takes_part(e, &row->cohort[g], operation, mask))
            matrix_collect(e, &e->code->bound[row->cohort[g].pc], row->cohort[g].mask & mask, &operands);
    if (!matrix_compute(e, &operands))
        return false;
    for (int g = 0; g < row->cohort_count; g++)
        if (takes_part(e, &row->cohort[g], operation, mask))
            matrix_deliver(e, &e->code->bound[row->cohort[g].pc], row->cohort[g].mask & mask, &operands);
    return true;
}

/* Executes the operation for the lanes `mask`, which are in one or several waiting cohorts, and resumes them. */
static void complete(struct engine *e, struct row *row, const struct insn *operation, uint32_t mask)
{
    if (!op_is_matrix((enum op)operation->op))
        execute_warp_op(e, row, operation, mask);
    else if (!execute_matrix(e, row, operation, mask))
        return; /* the launch has faulted; the threads stay where they are */
    if (e->race)
        race_warp_sync(e, row, mask);
    struct cohort done[ROW_LANES];
    int done_count = 0, kept = 0;
    for (int g = 0; g < row->cohort_count; g++) {
        struct cohort c = row->cohort[g];
        if (takes_part(e, &c, operation, mask)) {
            done[done_count] = c;
            done[done_count++].mask = c.mask & mask;
            c.mask &= ~mask;
        }
        if (c.mask)
            row->cohort[kept++] = c;
    }
    row->cohort_count = kept;
    for (int d = 0; d < done_count; d++)
        engine_resume(e, row, done[d].pc + 1, done[d].depth, done[d].mask);
}

/* Completes one operation at which all live threads of the member mask wait. False: there is none. */
static bool complete_one(struct engine *e, struct row *row)
{
    uint32_t members[ROW_LANES] = {0};
    const struct insn *operation[ROW_LANES] = {0};
    struct row *at_work = e->row;
    e->row = row;
    for (int g = 0; g < row->cohort_count; g++) {
        const struct cohort *c = &row->cohort[g];
        if (c->state != COHORT_AT_RENDEZVOUS)
            continue;
        const struct bound *in = &e->code->bound[c->pc];
        uint32_t named[ROW_LANES];
        warp_ops_members(e, in, named);
        for (uint32_t left = c->mask; left; left &= left - 1) {
            members[bits_lowest(left)] = named[bits_lowest(left)];
            operation[bits_lowest(left)] = in->insn;
        }
    }
    bool completed = false;
    for (int lane = 0; lane < ROW_LANES && !completed; lane++) {
        if (!operation[lane])
            continue;
        uint32_t wanted = members[lane] & row->live;
        bool all_here = true;
        for (uint32_t left = wanted; left && all_here; left &= left - 1) {
            int i = bits_lowest(left);
            all_here = operation[i] && members[i] == members[lane] && same_operation(operation[i], operation[lane]);
        }
        if (all_here) {
            complete(e, row, operation[lane], wanted);
            completed = !e->result->fault.kind;
        }
    }
    e->row = at_work;
    return completed;
}

/* The live lanes that `lanes`, which wait at rendezvous, still wait for: named by them, but not at an equal
 * operation. */
static uint32_t missing(struct engine *e, const struct row *row, uint32_t lanes)
{
    uint32_t members[ROW_LANES] = {0}, wanted = 0;
    const struct insn *operation[ROW_LANES] = {0};
    for (int g = 0; g < row->cohort_count; g++) {
        const struct cohort *c = &row->cohort[g];
        if (c->state != COHORT_AT_RENDEZVOUS)
            continue;
        uint32_t named[ROW_LANES];
        warp_ops_members(e, &e->code->bound[c->pc], named);
        for (uint32_t left = c->mask; left; left &= left - 1) {
            members[bits_lowest(left)] = named[bits_lowest(left)];
            operation[bits_lowest(left)] = e->code->bound[c->pc].insn;
        }
    }
    for (; lanes; lanes &= lanes - 1) {
        int i = bits_lowest(lanes);
        for (uint32_t left = operation[i] ? members[i] & row->live : 0; left; left &= left - 1) {
            int k = bits_lowest(left);
            if (!operation[k] || members[k] != members[i] || !same_operation(operation[k], operation[i]))
                wanted |= 1u << k;
        }
    }
    return wanted;
}

bool rendezvous_waits_for(struct engine *e, struct row *row, uint32_t lanes, uint32_t goal)
{
    struct row *at_work = e->row;
    uint32_t awaited = 0, looked_at = 0;
    e->row = row;
    for (uint32_t next = lanes; next && !(awaited & goal); next = awaited & ~looked_at) {
        looked_at |= next;
        awaited |= missing(e, row, next);
    }
    e->row = at_work;
    return awaited & goal;
}

static bool has_waiting(const struct row *row)
{
    for (int g = 0; g < row->cohort_count; g++)
        if (row->cohort[g].state == COHORT_AT_RENDEZVOUS)
            return true;
    return false;
}

void rendezvous_recheck(struct engine *e, struct row *row)
{
    if (!has_waiting(row)) /* nearly always: rows end whole */
        return;
    while (complete_one(e, row))
        continue;
}

bool rendezvous_arrive(struct engine *e, const struct bound *in, struct cohort here)
{
    uint32_t members[ROW_LANES];
    warp_ops_members(e, in, members);
    bool alike = true;
    for (uint32_t left = here.mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        if (!(members[i] >> i & 1))
            return engine_fault(e, in, 1u << i, FAULT_BAD_BARRIER,
                                "the member mask 0x%08x does not name the thread itself (lane %d)", members[i], i);
        alike &= members[i] == members[bits_lowest(here.mask)];
    }
    if (alike && (members[bits_lowest(here.mask)] & e->row->live) == here.mask) {
        if (!warp_ops_execute(e, in, here.mask))
            return false;
        if (e->race)
            race_warp_sync(e, e->row, here.mask);
        engine_resume(e, e->row, here.pc + 1, here.depth, here.mask);
        return true;
    }
    here.state = COHORT_AT_RENDEZVOUS;
    e->row->cohort[e->row->cohort_count++] = here;
    rendezvous_recheck(e, e->row);
    return !e->result->fault.kind;
}
