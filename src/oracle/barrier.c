/*
 * The oracle's block barriers.
 *
 * A barrier without a count waits for every live thread of the block. A barrier with a count waits for that many
 * threads, and, as on hardware, counts whole rows: once a thread of a row has arrived, lanes without a live thread
 * count as arrived too. With .aligned, all threads of a row must arrive through the same instruction; a violation that
 * is certain is reported when the barrier opens.
 */
#include "oracle/internal.h"

#include "base/bits.h"

#include <string.h>

enum oracle_barrier_kind { ORACLE_BARRIER_WAIT, ORACLE_BARRIER_POPC, ORACLE_BARRIER_AND, ORACLE_BARRIER_OR };

static bool is_reduction(enum op op)
{
    return op == OP_BAR_RED || op == OP_BAR_RED_POPC || op == OP_BARRIER_RED || op == OP_BARRIER_RED_POPC;
}

static bool is_arrival(enum op op)
{
    return op == OP_BAR_ARRIVE || op == OP_BARRIER_ARRIVE;
}

static bool is_aligned(const struct oracle_insn *x)
{
    return (x->op >= OP_BAR_SYNC && x->op <= OP_BAR_RED) || oracle_flag(x, FLAG_ALIGNED);
}

static enum oracle_barrier_kind kind_of(const struct oracle_insn *x)
{
    if (!is_reduction((enum op)x->op))
        return ORACLE_BARRIER_WAIT;
    if (x->op == OP_BAR_RED_POPC || x->op == OP_BARRIER_RED_POPC)
        return ORACLE_BARRIER_POPC;
    return oracle_mod(x, GROUP_BOOL) == BOOL_AND ? ORACLE_BARRIER_AND : ORACLE_BARRIER_OR;
}

static bool is_complete(const struct oracle_block *block, const struct oracle_barrier *b)
{
    uint32_t present = 0;
    for (int r = 0; r < block->row_count; r++) {
        if (b->is_group && r / 4 != b->group)
            continue;
        uint32_t missing = block->live[r] & ~b->arrived[r];
        if (!b->count && missing)
            return false;
        if (b->arrived[r])
            present += 32 - (uint32_t)bits_count(missing);
    }
    return present >= b->count;
}

static uint64_t result_of(const struct oracle_barrier *b)
{
    switch ((enum oracle_barrier_kind)b->kind) {
    case ORACLE_BARRIER_AND:
        return b->true_count == b->voter_count;
    case ORACLE_BARRIER_OR:
        return b->true_count != 0;
    default:
        return b->true_count;
    }
}

/* Opens a barrier: its waiting threads are ready again, and get the result of a reduction. */
static void complete(struct oracle *o, unsigned number)
{
    struct oracle_barrier *b = &o->block.barrier[number];
    if (b->torn) {
        oracle_fault(&o->block.threads[b->torn_thread], b->torn, FAULT_DIVERGENT_BARRIER,
                     "threads of one row arrived at barrier %u through different instructions", number);
        return;
    }
    for (int i = 0; i < o->block.thread_count; i++) {
        struct oracle_thread *t = &o->block.threads[i];
        if (t->state != THREAD_AT_BARRIER || t->barrier != number)
            continue;
        t->state = THREAD_READY;
        if (is_reduction((enum op)t->at->op))
            oracle_write(t, &t->at->operand[0], result_of(b));
    }
    memset(b, 0, sizeof *b);
}

void oracle_barrier_check_all(struct oracle *o)
{
    for (unsigned i = 0; i < ORACLE_BARRIERS; i++)
        if (o->block.barrier[i].is_active && is_complete(&o->block, &o->block.barrier[i]))
            complete(o, i);
}

/* The number of threads to wait for; 0: all of the block. False after a fault. */
static bool read_count(struct oracle_thread *t, const struct oracle_insn *x, const struct oracle_operand *a,
                       uint32_t *count)
{
    *count = 0;
    if (a->source == SOURCE_NONE)
        return true;
    *count = (uint32_t)oracle_read(t, a);
    if (!*count || *count % 32) {
        oracle_fault(t, x, FAULT_BAD_BARRIER, "a barrier for %u threads; the number must be a multiple of 32", *count);
        return false;
    }
    if (*count == (uint32_t)t->oracle->block.row_count * 32)
        *count = 0;
    return true;
}

/* Records that the thread arrives at a barrier. False after a fault. */
static bool join(struct oracle_thread *t, const struct oracle_insn *x, unsigned number, uint32_t count)
{
    struct oracle_barrier *b = &t->oracle->block.barrier[number];
    uint32_t lane = 1u << t->lane;
    if (!b->is_active) {
        b->is_active = true;
        b->kind = (uint8_t)kind_of(x);
        b->count = count;
    }
    if (b->kind != kind_of(x) || b->count != count) {
        oracle_fault(t, x, FAULT_BAD_BARRIER, "barrier %u is in use for another %s", number,
                     b->kind != kind_of(x) ? "operation" : "number of threads");
        return false;
    }
    if (b->arrived[t->row] & lane) {
        oracle_fault(t, x, FAULT_BAD_BARRIER, "the thread arrives at barrier %u again before the barrier opened",
                     number);
        return false;
    }
    b->arrived[t->row] |= lane;
    if (is_aligned(x)) {
        if (!b->aligned[t->row])
            b->aligned[t->row] = x;
        else if (b->aligned[t->row] != x && !b->torn) {
            b->torn = x;
            b->torn_thread = t->row * ORACLE_LANES + t->lane;
        }
    }
    return true;
}

static void wait_at(struct oracle_thread *t, const struct oracle_insn *x, unsigned number)
{
    t->state = THREAD_AT_BARRIER;
    t->barrier = number;
    t->at = x;
}

/* wgmma.wait_group: the products of a warpgroup are complete when all its rows have started them. */
static void wait_for_group(struct oracle_thread *t, const struct oracle_insn *x)
{
    unsigned number = LAUNCH_MAX_BARRIERS + (unsigned)t->row / 4;
    struct oracle_barrier *b = &t->oracle->block.barrier[number];
    b->is_group = true;
    b->group = t->row / 4;
    if (!join(t, x, number, 0))
        return;
    wait_at(t, x, number);
    if (is_complete(&t->oracle->block, b))
        complete(t->oracle, number);
}

void oracle_barrier(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct oracle_operand *a = &x->operand[is_reduction((enum op)x->op) ? 1 : 0];
    uint64_t number = oracle_read(t, a);
    uint32_t count;
    if (x->op == OP_WGMMA_WAIT) {
        wait_for_group(t, x);
        return;
    }
    if (number >= LAUNCH_MAX_BARRIERS) {
        oracle_fault(t, x, FAULT_BAD_BARRIER, "there is no barrier %llu; a block has %d", (unsigned long long)number,
                     LAUNCH_MAX_BARRIERS);
        return;
    }
    if (!read_count(t, x, a + 1, &count) || !join(t, x, (unsigned)number, count))
        return;
    struct oracle_barrier *b = &t->oracle->block.barrier[number];
    if (is_reduction((enum op)x->op)) {
        b->voter_count++;
        b->true_count += oracle_read(t, a + 2) != 0;
    }
    if (!is_arrival((enum op)x->op))
        wait_at(t, x, (unsigned)number);
    if (is_complete(&t->oracle->block, b))
        complete(t->oracle, (unsigned)number);
}
