/*
 * Operations on mbarriers: see mbarrier.h.
 *
 * A phase is complete when all expected arrivals and all expected bytes have come; then the next phase begins with the
 * same number of expected arrivals. Lanes are served in ascending order. test_wait and try_wait never wait: try_wait
 * may return before its time limit, and a program has to ask again in either case.
 */
#include "exec/async/mbarrier.h"

#include "base/bits.h"
#include "device/mbarrier.h"
#include "exec/access.h"
#include "exec/async/copies.h"
#include "exec/cluster.h"
#include "exec/engine_fault.h"
#include "exec/operand.h"
#include "exec/race/race.h"

#include <string.h>

/* Begins the next phase if nothing is missing any more. */
static struct mbarrier turn(struct mbarrier m)
{
    if (!m.pending && !m.bytes) {
        m.parity ^= 1;
        m.pending = m.expected;
    }
    return m;
}

static struct mbarrier arrive(struct mbarrier m, uint32_t count)
{
    m.pending = (m.pending - count) & MBARRIER_MAX_COUNT;
    return turn(m);
}

static bool is_drop(enum op op)
{
    return op == OP_MBARRIER_DROP || op == OP_MBARRIER_DROP_EXPECT || op == OP_MBARRIER_DROP_NO_COMPLETE;
}

static bool is_expecting(enum op op)
{
    return op == OP_MBARRIER_ARRIVE_EXPECT || op == OP_MBARRIER_DROP_EXPECT;
}

/* What the operation makes of an mbarrier; `value` is its operand. */
static struct mbarrier change(enum op op, struct mbarrier m, uint32_t value)
{
    switch (op) {
    case OP_MBARRIER_INIT:
        return (struct mbarrier){.expected = value, .pending = value};
    case OP_MBARRIER_EXPECT:
        m.bytes += (int32_t)value;
        return m;
    case OP_MBARRIER_COMPLETE:
        m.bytes -= (int32_t)value;
        return turn(m);
    case OP_CP_ASYNC_ARRIVE: /* one arrival more is expected, and comes at once, since the copies are done */
        return m;
    case OP_CP_ASYNC_ARRIVE_NOINC:
        return arrive(m, 1);
    default: /* arrive and arrive_drop */
        if (is_expecting(op)) {
            m.bytes += (int32_t)value;
            value = 1;
        }
        if (is_drop(op))
            m.expected = (m.expected - value) & MBARRIER_MAX_COUNT;
        return arrive(m, value);
    }
}

/* What the operation returns: of a wait, whether the phase is complete; of others, the state. */
static uint64_t result_of(enum op op, uint64_t word, uint64_t value)
{
    uint32_t parity = mbarrier_unpack(word).parity;
    switch (op) {
    case OP_MBARRIER_TEST:
    case OP_MBARRIER_TRY:
        return -(uint64_t)(mbarrier_unpack(value).parity != parity);
    case OP_MBARRIER_TEST_PARITY:
    case OP_MBARRIER_TRY_PARITY:
        return -(uint64_t)((value & 1) != parity);
    case OP_MBARRIER_PENDING:
        return mbarrier_state_pending(value);
    default:
        return mbarrier_state(word);
    }
}

/* Whether the data has come that the phases before the current one count, by the machine's time. */
static bool has_come(const struct engine *e, const uint8_t *at, uint64_t word)
{
    return !e->copies || e->copies->has_come(e->copies->context, at, mbarrier_unpack(word).parity);
}

/* The host address of the mbarrier at an address in shared memory; NULL if it cannot be there. */
static uint8_t *peek(const struct engine *e, uint64_t address)
{
    struct segment s = cluster_shared(e, address);
    uint64_t offset = address - s.base;
    return address % 8 || offset > s.bytes || s.bytes - offset < 8 ? NULL : s.host + offset;
}

bool mbarrier_awaits_copies(struct engine *e, const struct bound *in, uint32_t mask)
{
    enum op op = (enum op)in->insn->op;
    const void *operand = operand_source(e, in, 0);
    uint64_t address[ROW_LANES], word;
    access_addresses(e, in, address);
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        const uint8_t *at = peek(e, in->space == IN_GENERIC ? address[i] - MEMORY_SHARED_BASE : address[i]);
        if (!at)
            continue;
        memcpy(&word, at, sizeof word);
        if (result_of(op, word, lanes_value(operand, in->source_bits[0], i)) && !has_come(e, at, word))
            return true;
    }
    return false;
}

/* The host address of the mbarrier at a lane's address; NULL after a fault. */
static uint8_t *find(struct engine *e, const struct bound *in, int lane, uint64_t address)
{
    if (in->space == IN_GENERIC)
        address -= MEMORY_SHARED_BASE;
    uint8_t *at = peek(e, address);
    if (!at)
        engine_fault_address(e, in, lane, address % 8 ? FAULT_MISALIGNED : FAULT_OUT_OF_BOUNDS, IN_SHARED, address,
                             true);
    return at;
}

static void write_word(struct engine *e, uint8_t *at, uint64_t old, uint64_t word)
{
    e->writes += old != word;
    memcpy(at, &word, sizeof word);
}

bool mbarrier_complete(struct engine *e, const struct bound *in, int lane, uint64_t address, uint32_t bytes)
{
    struct bound shared = *in;
    shared.space = IN_SHARED;
    uint8_t *at = find(e, &shared, lane, address);
    uint64_t word;
    if (!at)
        return false;
    memcpy(&word, at, sizeof word);
    if (e->copies)
        e->copies->counts(e->copies->context, at, mbarrier_unpack(word).parity);
    write_word(e, at, word, mbarrier_pack(change(OP_MBARRIER_COMPLETE, mbarrier_unpack(word), bytes)));
    return true;
}

bool mbarrier_execute(struct engine *e, const struct bound *in, uint32_t mask)
{
    enum op op = (enum op)in->insn->op;
    bool is_operand_given = in->source_count && in->source[0] != OFFSET_NONE;
    const void *operand = is_operand_given ? operand_source(e, in, 0) : NULL;
    uint64_t address[ROW_LANES], wide[ROW_LANES] = {0};
    uint32_t narrow[ROW_LANES] = {0};
    if (op != OP_MBARRIER_PENDING)
        access_addresses(e, in, address);
    if (e->race && op != OP_MBARRIER_PENDING)
        race_synchronise(e, address, mask);
    e->has_to_wait = false;
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        uint64_t value = operand ? lanes_value(operand, in->source_bits[0], i) : 1, word = 0;
        uint8_t *at = NULL;
        if (op != OP_MBARRIER_PENDING) {
            at = find(e, in, i, address[i]);
            if (!at)
                return false;
            memcpy(&word, at, sizeof word);
            if (!mbarrier_is_wait(op) && op != OP_MBARRIER_INVAL)
                write_word(e, at, word, mbarrier_pack(change(op, mbarrier_unpack(word), (uint32_t)value)));
        }
        wide[i] = result_of(op, word, value);
        if (mbarrier_is_wait(op) && wide[i] && !has_come(e, at, word))
            wide[i] = 0;
        narrow[i] = (uint32_t)wide[i];
        e->has_to_wait |= mbarrier_is_wait(op) && !wide[i];
    }
    if (in->dest_count)
        operand_write(e, in, 0, in->dest_bits[0] == 64 ? (void *)wide : (void *)narrow, mask);
    return true;
}
