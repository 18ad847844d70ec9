/*
 * The oracle's mbarriers, from the manual's words: a phase ends when the pending count and the count of transactions
 * (bytes) are both zero; the next phase starts with the expected count.
 */
#include "oracle/internal.h"

#include "device/mbarrier.h"

/* The address of an mbarrier in shared memory; a generic address is made one. NULL after a fault. */
static void *reach_barrier(struct oracle_thread *t, const struct oracle_insn *x, const struct oracle_operand *m)
{
    return oracle_reach(t, x, (enum mod)x->space, oracle_address(t, m), 8, true);
}

static void save(void *host, struct mbarrier m)
{
    bool is_done = m.pending == 0 && m.bytes == 0;
    if (is_done) {
        m.pending = m.expected;
        m.parity = !m.parity;
    }
    oracle_store(host, mbarrier_pack(m), 8);
}

bool oracle_mbarrier_complete(struct oracle_thread *t, const struct oracle_insn *x, uint64_t address, uint32_t bytes)
{
    void *host = oracle_reach(t, x, SPACE_SHARED, address, 8, true);
    if (!host)
        return false;
    struct mbarrier m = mbarrier_unpack(oracle_load(host, 8));
    m.bytes -= (int32_t)bytes;
    save(host, m);
    return true;
}

static void wait(struct oracle_thread *t, const struct oracle_insn *x)
{
    const void *host = reach_barrier(t, x, &x->operand[1]);
    if (!host)
        return;
    struct mbarrier now = mbarrier_unpack(oracle_load(host, 8));
    uint64_t asked = oracle_read(t, &x->operand[2]);
    bool by_parity = x->op == OP_MBARRIER_TEST_PARITY || x->op == OP_MBARRIER_TRY_PARITY;
    uint32_t phase = by_parity ? asked & 1 : mbarrier_unpack(asked).parity;
    oracle_write(t, &x->operand[0], phase != now.parity);
    t->budget = 0; /* other threads run before the thread asks again */
}

static void arrive(struct oracle_thread *t, const struct oracle_insn *x)
{
    void *host = reach_barrier(t, x, &x->operand[1]);
    if (!host)
        return;
    uint64_t before = oracle_load(host, 8);
    struct mbarrier m = mbarrier_unpack(before);
    const struct oracle_operand *a = &x->operand[2];
    uint32_t count = a->source == SOURCE_NONE ? 1 : (uint32_t)oracle_read(t, a);
    if (x->op == OP_MBARRIER_ARRIVE_EXPECT || x->op == OP_MBARRIER_DROP_EXPECT) {
        m.bytes += (int32_t)count;
        count = 1;
    }
    if (x->op >= OP_MBARRIER_DROP && x->op <= OP_MBARRIER_DROP_NO_COMPLETE)
        m.expected = (m.expected - count) & MBARRIER_MAX_COUNT;
    m.pending = (m.pending - count) & MBARRIER_MAX_COUNT;
    save(host, m);
    oracle_write(t, &x->operand[0], mbarrier_state(before));
}

static void count_bytes(struct oracle_thread *t, const struct oracle_insn *x)
{
    void *host = reach_barrier(t, x, &x->operand[0]);
    if (!host)
        return;
    struct mbarrier m = mbarrier_unpack(oracle_load(host, 8));
    int32_t bytes = (int32_t)oracle_read(t, &x->operand[1]);
    if (x->op == OP_MBARRIER_EXPECT) {
        m.bytes += bytes;
        oracle_store(host, mbarrier_pack(m), 8);
        return;
    }
    m.bytes -= bytes;
    save(host, m);
}

void oracle_mbarrier(struct oracle_thread *t, const struct oracle_insn *x)
{
    void *host;
    struct mbarrier m;
    switch (x->op) {
    case OP_MBARRIER_INIT:
        host = reach_barrier(t, x, &x->operand[0]);
        m = (struct mbarrier){0};
        m.expected = m.pending = (uint32_t)oracle_read(t, &x->operand[1]);
        if (host)
            oracle_store(host, mbarrier_pack(m), 8);
        break;
    case OP_MBARRIER_INVAL:
        reach_barrier(t, x, &x->operand[0]);
        break;
    case OP_CP_ASYNC_ARRIVE: /* the count goes up by one and, since the copies are done, down by one */
        reach_barrier(t, x, &x->operand[0]);
        break;
    case OP_CP_ASYNC_ARRIVE_NOINC:
        host = reach_barrier(t, x, &x->operand[0]);
        if (!host)
            break;
        m = mbarrier_unpack(oracle_load(host, 8));
        m.pending = (m.pending - 1) & MBARRIER_MAX_COUNT;
        save(host, m);
        break;
    case OP_MBARRIER_EXPECT:
    case OP_MBARRIER_COMPLETE:
        count_bytes(t, x);
        break;
    case OP_MBARRIER_TEST ... OP_MBARRIER_TRY_PARITY:
        wait(t, x);
        break;
    case OP_MBARRIER_PENDING:
        oracle_write(t, &x->operand[0], mbarrier_state_pending(oracle_read(t, &x->operand[1])));
        break;
    default:
        arrive(t, x);
    }
}
