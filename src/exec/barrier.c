/*
 * Block barriers: bar and barrier, with .sync (arrive and wait), .arrive (do not wait) and .red (a reduction over all
 * arrivals).
 *
 * A barrier without a count opens when every live thread of the block has arrived. With a count, arrivals are counted
 * in threads. Hardware counts whole warps, so once all live threads of a row have arrived the row counts as 32. A wrong
 * .aligned is reported only where it is certain: threads of one row arrived, for one opening of a barrier, through
 * different aligned instructions.
 *
 * wgmma.wait_group is a barrier of a warpgroup: what it waits for is complete only when all four rows have come to it,
 * since they multiply together. Programs rely on it: one thread of a warpgroup tells others that the operands may be
 * overwritten.
 */
#include "exec/barrier.h"

#include "base/bits.h"
#include "base/inline.h"
#include "exec/engine_fault.h"
#include "exec/operand.h"
#include "exec/race/race.h"
#include "lanes/mask.h"

#include <string.h>

/* What an instruction asks of a barrier. */
struct barrier_form {
    bool waits, is_reduction, is_aligned;
    int number, count, predicate; /* indices of these sources; -1: the instruction has none */
};

/* The form of bar.sync. */
static const struct barrier_form SYNC = {true, false, true, 0, 1, -1};

static inline struct barrier_form form_of(const struct insn *insn)
{
    switch (insn->op) {
    case OP_BAR_SYNC:
        return SYNC;
    case OP_BAR_ARRIVE:
        return (struct barrier_form){false, false, true, 0, 1, -1};
    case OP_BAR_RED_POPC:
    case OP_BAR_RED:
        return (struct barrier_form){true, true, true, 0, 1, 2};
    case OP_BARRIER_SYNC:
        return (struct barrier_form){true, false, suffixes_has(&insn->suffixes, FLAG_ALIGNED), 0, 1, -1};
    case OP_BARRIER_ARRIVE:
        return (struct barrier_form){false, false, suffixes_has(&insn->suffixes, FLAG_ALIGNED), 0, 1, -1};
    case OP_WGMMA_WAIT:
        return (struct barrier_form){true, false, true, -1, -1, -1};
    default:
        return (struct barrier_form){true, true, suffixes_has(&insn->suffixes, FLAG_ALIGNED), 0, 1, 2};
    }
}

/* The number of threads that have arrived at a barrier with a count, as hardware counts them: a row of which all live
 * threads have arrived counts as 32. */
static uint32_t arrived_threads(const struct block *block, const struct block_barrier *b)
{
    uint32_t total = 0;
    for (int r = 0; r < block->row_count; r++) {
        uint32_t came = b->arrived[r];
        bool whole = came && !(block->rows[r].live & ~came);
        total += whole ? ROW_LANES : (uint32_t)bits_count(came);
    }
    return total;
}

/* Whether a barrier that is in use is complete. */
static inline bool is_complete(const struct engine *e, int number)
{
    const struct block *block = e->block;
    const struct block_barrier *b = &block->barrier[number];
    if (b->expected)
        return arrived_threads(block, b) >= b->expected;
    if (number < LAUNCH_MAX_BARRIERS)
        return b->came == block->live_threads; /* threads that came wait here, so they are alive */
    int first = (number - LAUNCH_MAX_BARRIERS) * WARPGROUP_ROWS;
    for (int r = first; r < first + WARPGROUP_ROWS && r < block->row_count; r++)
        if (block->rows[r].live & ~b->arrived[r])
            return false;
    return true;
}

/* Writes the result of a reduction to the threads of the mask. */
static void deliver(struct engine *e, const struct bound *in, const struct block_barrier *b, uint32_t mask)
{
    uint32_t value;
    if (in->insn->op == OP_BAR_RED_POPC || in->insn->op == OP_BARRIER_RED_POPC)
        value = b->votes;
    else if (in->insn->suffixes.mod[GROUP_BOOL] == BOOL_AND)
        value = -(uint32_t)(b->votes == b->voters);
    else
        value = -(uint32_t)(b->votes != 0);
    uint32_t lanes[ROW_LANES];
    for (int i = 0; i < ROW_LANES; i++)
        lanes[i] = value;
    operand_write(e, in, 0, lanes, mask);
}

/* Takes the row's cohorts that wait at the barrier out of the row's list, and resumes them. */
static void open_row(struct engine *e, struct row *row, const struct block_barrier *b, int number)
{
    struct cohort done[ROW_LANES];
    int done_count = 0, kept = 0;
    e->row = row;
    for (int g = 0; g < row->cohort_count; g++) {
        struct cohort c = row->cohort[g];
        if (c.state == COHORT_AT_BARRIER && c.barrier == number) {
            const struct bound *in = &e->code->bound[c.pc];
            if (form_of(in->insn).is_reduction)
                deliver(e, in, b, c.mask);
            if (e->race && b->expected)
                race_pass(e, row, (uint32_t)number, c.mask);
            done[done_count++] = c;
        } else {
            row->cohort[kept++] = c;
        }
    }
    row->cohort_count = kept;
    for (int d = 0; d < done_count; d++)
        engine_resume(e, row, done[d].pc + 1, done[d].depth, done[d].mask);
}

/* open_row() for nearly all rows of the functional engine: the row is one cohort. False: it is not. */
static inline bool open_whole_row(struct row *row, int number)
{
    struct cohort *c = &row->cohort[0];
    if (row->cohort_count != 1 || c->state != COHORT_AT_BARRIER || c->barrier != number)
        return false;
    c->state = COHORT_READY;
    c->pc++;
    return true;
}

static void open_barrier(struct engine *e, int number)
{
    struct row *at_work = e->row;
    const struct block_barrier *b = &e->block->barrier[number]; /* nobody arrives before all have left */
    const bool has_whole_rows = !b->is_reduction && !b->expected && !e->listener;
    e->block->barriers_in_use &= ~(1u << number);
    if (e->race && !b->expected && number < LAUNCH_MAX_BARRIERS)
        race_open_all(e);
    for (int r = 0; r < e->block->row_count; r++)
        if (!has_whole_rows || !open_whole_row(&e->block->rows[r], number))
            open_row(e, &e->block->rows[r], b, number);
    if (e->race && b->expected)
        race_open(e, (uint32_t)number);
    e->row = at_work;
}

static void start_barrier(const struct block *block, struct block_barrier *b, bool is_reduction, uint32_t expected)
{
    for (int r = 0; r < block->row_count; r++) {
        b->arrived[r] = 0;
        b->aligned_pc[r] = -1;
    }
    b->is_reduction = is_reduction;
    b->expected = expected;
    b->came = b->votes = b->voters = 0;
}

static __attribute__((noinline, cold)) bool fault_no_barrier(struct engine *e, const struct bound *in, uint32_t mask,
                                                             uint32_t number)
{
    return engine_fault(e, in, mask, FAULT_BAD_BARRIER, "there is no barrier %u; a block has %d", number,
                        LAUNCH_MAX_BARRIERS);
}

static __attribute__((noinline, cold)) bool fault_count(struct engine *e, const struct bound *in, uint32_t mask,
                                                        uint32_t expected)
{
    return engine_fault(e, in, mask, FAULT_BAD_BARRIER, "a barrier for %u threads; the number must be a multiple of %d",
                        expected, ROW_LANES);
}

static __attribute__((noinline, cold)) bool fault_in_use(struct engine *e, const struct bound *in, uint32_t mask,
                                                         uint32_t number, uint32_t expected)
{
    return engine_fault(e, in, mask, FAULT_BAD_BARRIER,
                        "barrier %u is in use for %u threads, but this instruction names %u", number,
                        e->block->barrier[number].expected, expected);
}

static __attribute__((noinline, cold)) bool fault_aligned(struct engine *e, const struct bound *in, uint32_t mask,
                                                          uint32_t number, int32_t other_pc)
{
    char where[160];
    return engine_fault(e, in, mask, FAULT_DIVERGENT_BARRIER,
                        "other threads of the row arrived at barrier %u through the instruction at %s", number,
                        program_where(e->program, other_pc, where, sizeof where));
}

/* Threads of one cohort that name the same barrier and the same count arrive. */
static ALWAYS_INLINE bool arrive_alike(struct engine *e, const struct bound *in, struct cohort here,
                                       const struct barrier_form form, uint32_t number, uint32_t expected,
                                       bool may_open)
{
    const unsigned row = e->row->first_thread / ROW_LANES;
    if (number >= (form.number < 0 ? BLOCK_BARRIERS : LAUNCH_MAX_BARRIERS))
        return fault_no_barrier(e, in, here.mask, number);
    if (expected % ROW_LANES || (!form.waits && !expected))
        return fault_count(e, in, here.mask, expected);
    struct block_barrier *b = &e->block->barrier[number];
    if (!(e->block->barriers_in_use >> number & 1))
        start_barrier(e->block, b, form.is_reduction, expected);
    e->block->barriers_in_use |= 1u << number;
    if (b->expected != expected || (form.waits && b->is_reduction != form.is_reduction))
        return fault_in_use(e, in, here.mask, number, expected);
    if (form.is_aligned) {
        if (b->aligned_pc[row] >= 0 && b->aligned_pc[row] != here.pc)
            return fault_aligned(e, in, here.mask, number, b->aligned_pc[row]);
        b->aligned_pc[row] = here.pc;
    }
    const uint32_t came = here.mask & ~b->arrived[row];
    b->came += came == UINT32_MAX ? ROW_LANES : (uint32_t)bits_count(came);
    b->arrived[row] |= here.mask;
    if (e->race && expected)
        race_arrive(e, number, here.mask);
    if (form.predicate >= 0) {
        b->votes += (uint32_t)bits_count(mask_from_lanes(operand_source(e, in, form.predicate)) & here.mask);
        b->voters += (uint32_t)bits_count(here.mask);
    }
    if (form.waits) {
        e->row->cohort[e->row->cohort_count++] = (struct cohort){.pc = here.pc,
                                                                 .depth = here.depth,
                                                                 .mask = here.mask,
                                                                 .state = COHORT_AT_BARRIER,
                                                                 .barrier = (uint8_t)number};
    } else {
        engine_resume(e, e->row, here.pc + 1, here.depth, here.mask);
    }
    if (may_open && is_complete(e, (int)number))
        open_barrier(e, (int)number);
    return true;
}

static __attribute__((noinline)) bool arrive_together(struct engine *e, const struct bound *in, struct cohort here,
                                                      struct barrier_form form, uint32_t number, uint32_t expected,
                                                      bool may_open)
{
    return arrive_alike(e, in, here, form, number, expected, may_open);
}

/* Threads may name several barriers or counts: those that name the same ones arrive together. */
static bool arrive_at_several(struct engine *e, const struct bound *in, struct cohort here,
                              const struct barrier_form *form, bool may_open)
{
    uint32_t number[ROW_LANES], expected[ROW_LANES] = {0};
    memcpy(number, operand_source(e, in, form->number), sizeof number);
    if (in->source[form->count] != OFFSET_NONE)
        memcpy(expected, operand_source(e, in, form->count), sizeof expected);
    while (here.mask) {
        int first = bits_lowest(here.mask);
        struct cohort part = here;
        part.mask = 0;
        for (uint32_t left = here.mask; left; left &= left - 1) {
            int i = bits_lowest(left);
            if (number[i] == number[first] && expected[i] == expected[first])
                part.mask |= 1u << i;
        }
        here.mask &= ~part.mask;
        if (!arrive_together(e, in, part, *form, number[first], expected[first], may_open))
            return false;
    }
    return true;
}

static bool arrive(struct engine *e, const struct bound *in, struct cohort here, bool may_open)
{
    struct barrier_form form = form_of(in->insn);
    if (in->insn->op == OP_WGMMA_WAIT)
        return arrive_together(e, in, here, form,
                               (uint32_t)(LAUNCH_MAX_BARRIERS + (e->row - e->block->rows) / WARPGROUP_ROWS), 0,
                               may_open);
    if (in->source[form.number] >= 0 || in->prepared || in->source[form.count] != OFFSET_NONE)
        return arrive_at_several(e, in, here, &form, may_open);
    uint32_t number;
    memcpy(&number, operand_source(e, in, form.number), sizeof number);
    return arrive_together(e, in, here, form, number, 0, may_open);
}

/* Whether it is bar.sync with a constant number and no count, as nearly all barriers are. */
static bool is_plain_sync(const struct bound *in)
{
    return in->insn->op == OP_BAR_SYNC && in->source[SYNC.number] < 0 && !in->prepared &&
           in->source[SYNC.count] == OFFSET_NONE;
}

/* is_plain_sync(): compiled for that form. */
static bool arrive_at_sync(struct engine *e, const struct bound *in, struct cohort here)
{
    uint32_t number;
    memcpy(&number, e->code->constants + in->source[SYNC.number], sizeof number);
    return arrive_alike(e, in, here, SYNC, number, 0, true);
}

bool barrier_arrive(struct engine *e, const struct bound *in, struct cohort here)
{
    return is_plain_sync(in) ? arrive_at_sync(e, in, here) : arrive(e, in, here, true);
}

bool barrier_arrive_unopened(struct engine *e, const struct bound *in, struct cohort here)
{
    return arrive(e, in, here, false);
}

void barrier_recheck(struct engine *e)
{
    for (uint32_t left = e->block->barriers_in_use; left; left &= left - 1)
        if (is_complete(e, bits_lowest(left)))
            open_barrier(e, bits_lowest(left));
}
