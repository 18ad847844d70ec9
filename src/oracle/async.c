/*
 * The oracle's asynchronous copies. A copy is done at once, so that commit and wait have no effect; a program without
 * races cannot tell when, between the copy and the wait, the bytes arrived.
 */
#include "oracle/internal.h"

#include <string.h>

void *oracle_reach_aligned(struct oracle_thread *t, const struct oracle_insn *x, enum mod space, uint64_t address,
                           uint32_t bytes, uint32_t align, bool is_write)
{
    void *host = oracle_reach(t, NULL, space, address, bytes, is_write);
    if (address % align)
        oracle_fault_access(t, x, FAULT_MISALIGNED, space, address, bytes, is_write);
    else if (!host)
        oracle_fault_access(t, x, FAULT_OUT_OF_BOUNDS, space, address, bytes, is_write);
    else
        return host;
    return NULL;
}

/* The shared address that the instruction's first operand names. */
static uint64_t shared_address(const struct oracle_thread *t, const struct oracle_insn *x,
                               const struct oracle_operand *m)
{
    return oracle_address(t, m) - (x->space == MOD_NONE ? MEMORY_SHARED_BASE : 0);
}

/* cp.async: operands are target, source, size, and the bytes to read or whether to read none. */
static void copy(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint32_t size = (uint32_t)oracle_read(t, &x->operand[2]), length = size;
    const struct oracle_operand *more = &x->operand[3];
    if (x->op == OP_CP_ASYNC_IGNORE && oracle_read(t, more))
        length = 0;
    if (x->op == OP_CP_ASYNC && more->source != SOURCE_NONE && oracle_read(t, more) < size)
        length = (uint32_t)oracle_read(t, more);
    uint8_t *to = oracle_reach_aligned(t, x, SPACE_SHARED, oracle_address(t, &x->operand[0]), size, size, true);
    if (!to)
        return;
    const uint8_t *from = to;
    if (length)
        from = oracle_reach_aligned(t, x, SPACE_GLOBAL, oracle_address(t, &x->operand[1]), length, size, false);
    for (uint32_t i = 0; from && i < size; i++)
        to[i] = i < length ? from[i] : 0;
}

static bool is_bulk_size(struct oracle_thread *t, const struct oracle_insn *x, uint32_t bytes)
{
    if (bytes % 16)
        oracle_fault(t, x, FAULT_MISALIGNED, "a bulk copy of %u bytes; the number must be a multiple of 16", bytes);
    return bytes % 16 == 0;
}

void oracle_combine_elements(const struct oracle_insn *x, enum type type, uint8_t *to, const uint8_t *from,
                             uint32_t bytes, bool in_global)
{
    unsigned width = type_bytes(type);
    for (uint32_t i = 0; i < bytes; i += width) {
        uint64_t old = oracle_extend(oracle_load(to + i, width), type), new = old;
        uint64_t b = oracle_extend(oracle_load(from + i, width), type);
        bool keeps_subnormals = type == TYPE_F32; /* unlike an atomic in global memory */
        oracle_combine(oracle_mod(x, GROUP_ATOM), type, old, b, in_global && !keeps_subnormals, &new);
        oracle_store(to + i, new, width);
    }
}

/* Global memory to shared memory of one block, or of several at the same offset, with mbarriers likewise. */
static void load_bulk(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t to = shared_address(t, x, &x->operand[0]), barrier = oracle_address(t, &x->operand[3]);
    uint32_t bytes = (uint32_t)oracle_read(t, &x->operand[2]);
    const uint8_t *from = oracle_reach_aligned(t, x, SPACE_GLOBAL, oracle_address(t, &x->operand[1]), bytes, 16, false);
    if (!from || !is_bulk_size(t, x, bytes))
        return;
    uint64_t ranks = x->op == OP_BULK_MULTICAST ? oracle_read(t, &x->operand[4]) : 1;
    for (uint64_t rank = 0; rank < 16; rank++) {
        if (!(ranks >> rank & 1))
            continue;
        uint64_t target = to, counter = barrier;
        if (x->op == OP_BULK_MULTICAST) {
            target = (to & oracle_mask(MEMORY_SHARED_SHIFT)) | rank << MEMORY_SHARED_SHIFT;
            counter = (barrier & oracle_mask(MEMORY_SHARED_SHIFT)) | rank << MEMORY_SHARED_SHIFT;
        }
        uint8_t *host = oracle_reach_aligned(t, x, SPACE_SHARED, target, bytes, 16, true);
        if (!host)
            return;
        memcpy(host, from, bytes);
        if (!oracle_mbarrier_complete(t, x, counter, bytes))
            return;
    }
}

static void copy_peer(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint32_t bytes = (uint32_t)oracle_read(t, &x->operand[2]);
    uint8_t *to = oracle_reach_aligned(t, x, SPACE_SHARED, shared_address(t, x, &x->operand[0]), bytes, 16, true);
    const uint8_t *from =
        to ? oracle_reach_aligned(t, x, SPACE_SHARED, oracle_address(t, &x->operand[1]), bytes, 16, false) : NULL;
    if (!from || !is_bulk_size(t, x, bytes))
        return;
    if (x->op == OP_BULK_PEER)
        memmove(to, from, bytes);
    else
        oracle_combine_elements(x, (enum type)x->type, to, from, bytes, false);
    oracle_mbarrier_complete(t, x, oracle_address(t, &x->operand[3]), bytes);
}

static void store_bulk(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint32_t bytes = (uint32_t)oracle_read(t, &x->operand[2]);
    uint8_t *to = oracle_reach_aligned(t, x, SPACE_GLOBAL, oracle_address(t, &x->operand[0]), bytes, 16, true);
    const uint8_t *from =
        to ? oracle_reach_aligned(t, x, SPACE_SHARED, oracle_address(t, &x->operand[1]), bytes, 16, false) : NULL;
    if (!from || !is_bulk_size(t, x, bytes))
        return;
    uint64_t mask = x->op == OP_BULK_STORE_MASK ? oracle_read(t, &x->operand[4]) : 0xffff;
    if (x->op == OP_BULK_REDUCE || x->op == OP_BULK_REDUCE_NOFTZ)
        oracle_combine_elements(x, (enum type)x->type, to, from, bytes, true);
    else
        for (uint32_t i = 0; i < bytes; i++)
            to[i] = mask >> (i & 15) & 1 ? from[i] : to[i];
}

/* st.async and red.async: target, value or values, mbarrier. */
static void store_counted(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct oracle_operand *value = &x->operand[1];
    unsigned width = type_bytes((enum type)x->type);
    unsigned count = value->source == SOURCE_VECTOR ? (unsigned)value->element_count : 1;
    uint8_t *to = oracle_reach_aligned(t, x, SPACE_SHARED, shared_address(t, x, &x->operand[0]), width * count,
                                       width * count, true);
    for (unsigned i = 0; to && i < count; i++) {
        uint8_t bytes[8];
        oracle_store(bytes, oracle_read(t, value->source == SOURCE_VECTOR ? &value->element[i] : value), width);
        if (x->op == OP_RED_ASYNC)
            oracle_combine_elements(x, (enum type)x->type, to, bytes, width, false);
        else
            memcpy(to + (size_t)i * width, bytes, width);
    }
    if (to)
        oracle_mbarrier_complete(t, x, oracle_address(t, &x->operand[2]), width * count);
}

void oracle_async(struct oracle_thread *t, const struct oracle_insn *x)
{
    switch (x->op) {
    case OP_CP_ASYNC:
    case OP_CP_ASYNC_IGNORE:
        copy(t, x);
        break;
    case OP_BULK_LOAD:
    case OP_BULK_MULTICAST:
        load_bulk(t, x);
        break;
    case OP_BULK_PEER:
    case OP_BULK_REDUCE_PEER:
        copy_peer(t, x);
        break;
    case OP_BULK_STORE:
    case OP_BULK_STORE_MASK:
    case OP_BULK_REDUCE:
    case OP_BULK_REDUCE_NOFTZ:
        store_bulk(t, x);
        break;
    case OP_ST_ASYNC:
    case OP_RED_ASYNC:
        store_counted(t, x);
        break;
    default: /* groups, waits and prefetches */
        break;
    }
}
