/* Asynchronous copies: see async.h. Copies of tensors are in tensor.c. */
#include "exec/async/async.h"

#include "base/bits.h"
#include "exec/access.h"
#include "exec/ahead/draft.h"
#include "exec/async/async_reduce.h"
#include "exec/async/copies.h"
#include "exec/async/mbarrier.h"
#include "exec/async/tensor.h"
#include "exec/cluster.h"
#include "exec/engine_fault.h"
#include "lanes/lane_value.h"

#include <string.h>

enum { BULK_UNIT = 16 }; /* bytes: addresses and sizes of bulk copies are multiples */

/* ---- operands ---- */

static uint64_t value_of(const struct engine *e, const struct ref *r, int lane)
{
    switch (r->kind) {
    case REF_PLANE: {
        uint64_t v = lanes_value(e->row->planes + (size_t)r->plane * PLANE_BYTES, r->bits, lane);
        return r->bits == 1 ? (v != 0) ^ r->negate : v;
    }
    case REF_IMMEDIATE:
        return r->type == TYPE_PRED ? (r->immediate != 0) ^ r->negate : r->immediate;
    case REF_VARIABLE:
        return image_own_address(e->code->image, r->variable) + (uint64_t)r->offset +
               (r->variable->space == SPACE_CONST ? e->code->image->constant_base : 0);
    case REF_SHARED:
        return (uint64_t)r->offset + ((uint64_t)e->block->rank << MEMORY_SHARED_SHIFT);
    case REF_PARAM: /* a tensor map among the kernel's parameters */
        return e->parameter_base + (uint64_t)r->offset;
    case REF_LOCAL:
        return MEMORY_LOCAL_BASE + e->row->frame[lane] + (uint64_t)r->offset;
    default:
        return 0;
    }
}

struct async_operands async_operands_of(const struct engine *e, const struct bound *in, int lane)
{
    return (struct async_operands){.e = e, .insn = in->insn, .lane = lane};
}

static const struct ref *next_ref(struct async_operands *o)
{
    o->next += o->next == o->insn->address;
    return &o->insn->source[o->next++];
}

uint64_t async_value(struct async_operands *o)
{
    return value_of(o->e, next_ref(o), o->lane);
}

bool async_is_given(struct async_operands *o)
{
    int next = o->next;
    bool is_given = next_ref(o)->kind != REF_NONE;
    o->next = is_given ? next : o->next;
    return is_given;
}

uint64_t async_address(struct async_operands *o)
{
    const struct ref *base = next_ref(o);
    uint64_t address = value_of(o->e, base, o->lane) + next_ref(o)->immediate;
    return base->kind == REF_PLANE && base->bits == 32 ? (uint32_t)address : address;
}

/* ---- memory ---- */

static bool is_within(uint64_t offset, uint64_t bytes, uint64_t size)
{
    return offset <= size && bytes <= size - offset;
}

uint8_t *async_global(struct engine *e, const struct bound *in, int lane, uint64_t address, uint64_t bytes,
                      unsigned align, bool is_write)
{
    const struct allocation *a = memory_find(e->memory, address);
    if (address % align)
        engine_fault_address(e, in, lane, FAULT_MISALIGNED, IN_GLOBAL, address, is_write);
    else if (!a || !is_within(address - a->address, bytes, a->bytes))
        engine_fault_address(e, in, lane, FAULT_OUT_OF_BOUNDS, IN_GLOBAL, address, is_write);
    else if (is_write && a->is_constant)
        engine_fault_address(e, in, lane, FAULT_READ_ONLY, IN_GLOBAL, address, is_write);
    else
        return a->host + (address - a->address);
    return NULL;
}

uint8_t *async_shared(struct engine *e, const struct bound *in, int lane, uint64_t address, uint64_t bytes,
                      unsigned align, bool is_write)
{
    struct segment s = cluster_shared(e, address);
    if (address % align)
        engine_fault_address(e, in, lane, FAULT_MISALIGNED, IN_SHARED, address, is_write);
    else if (!is_within(address - s.base, bytes, s.bytes))
        engine_fault_address(e, in, lane, FAULT_OUT_OF_BOUNDS, IN_SHARED, address, is_write);
    else
        return s.host + (address - s.base);
    return NULL;
}

/* The first memory address of a lane, of which the address in its own space is `address`, in shared memory. */
static uint64_t in_shared(const struct bound *in, uint64_t address)
{
    return in->space == IN_GENERIC ? address - MEMORY_SHARED_BASE : address;
}

/* Copies from global memory. False: the blocks ran before their turn, and in vain
 * (draft.h). */
static bool copy_global(struct engine *e, const struct bound *in, const uint8_t *source, uint8_t *target,
                        uint64_t bytes)
{
    if (bytes && draft_of(e))
        return draft_read(e, in, source, target, bytes);
    if (bytes)
        memcpy(target, source, bytes);
    return true;
}

/* ---- instructions ---- */

static bool copy_async(struct engine *e, const struct bound *in, int lane, uint64_t to)
{
    struct async_operands o = async_operands_of(e, in, lane);
    uint64_t from = async_address(&o);
    uint32_t bytes = (uint32_t)async_value(&o), wanted = bytes;
    if (in->insn->op == OP_CP_ASYNC_IGNORE)
        wanted = async_value(&o) ? 0 : bytes;
    else if (async_is_given(&o))
        wanted = (uint32_t)async_value(&o);
    wanted = wanted < bytes ? wanted : bytes;
    uint8_t *target = async_shared(e, in, lane, to, bytes, bytes, true);
    const uint8_t *source = target && wanted ? async_global(e, in, lane, from, wanted, bytes, false) : target;
    if (!source || !copy_global(e, in, source, target, wanted))
        return false;
    memset(target + wanted, 0, bytes - wanted);
    return true;
}

static bool check_size(struct engine *e, const struct bound *in, int lane, uint32_t bytes)
{
    return !(bytes % BULK_UNIT) ||
           engine_fault(e, in, 1u << lane, FAULT_MISALIGNED,
                        "a bulk copy of %u bytes; the number must be a multiple of %d", bytes, BULK_UNIT);
}

/* From global memory to shared memory, of one block or of all that a mask names. */
static bool bulk_load(struct engine *e, const struct bound *in, int lane, uint64_t to)
{
    struct async_operands o = async_operands_of(e, in, lane);
    uint64_t from = async_address(&o);
    uint32_t bytes = (uint32_t)async_value(&o), ranks = 1u << (to >> MEMORY_SHARED_SHIFT);
    uint64_t barrier = async_address(&o);
    if (in->insn->op == OP_BULK_MULTICAST)
        ranks = (uint32_t)async_value(&o);
    const uint8_t *source = bytes ? async_global(e, in, lane, from, bytes, BULK_UNIT, false) : e->block->shared;
    if (!source || !check_size(e, in, lane, bytes))
        return false;
    copies_move(e, COPY_READS, from, bytes);
    for (uint32_t left = ranks; left; left &= left - 1) {
        uint64_t rank = (uint64_t)bits_lowest(left) << MEMORY_SHARED_SHIFT, offset = (1u << MEMORY_SHARED_SHIFT) - 1;
        uint64_t at = in->insn->op == OP_BULK_MULTICAST ? rank + (to & offset) : to;
        uint64_t bar = in->insn->op == OP_BULK_MULTICAST ? rank + (barrier & offset) : barrier;
        uint8_t *target = async_shared(e, in, lane, at, bytes, BULK_UNIT, true);
        if (!target || !copy_global(e, in, source, target, bytes))
            return false;
        if (!mbarrier_complete(e, in, lane, bar, bytes))
            return false;
    }
    return true;
}

/* From shared memory to that of a block of the cluster, or combined with what is there. */
static bool bulk_peer(struct engine *e, const struct bound *in, int lane, uint64_t to)
{
    struct async_operands o = async_operands_of(e, in, lane);
    uint64_t from = async_address(&o);
    uint32_t bytes = (uint32_t)async_value(&o);
    uint8_t *target = async_shared(e, in, lane, to, bytes, BULK_UNIT, true);
    const uint8_t *source = target ? async_shared(e, in, lane, from, bytes, BULK_UNIT, false) : NULL;
    if (!source || !check_size(e, in, lane, bytes))
        return false;
    copies_move(e, COPY_STAYS, to, bytes);
    if (in->insn->op == OP_BULK_PEER)
        memmove(target, source, bytes);
    else
        async_reduce(in->insn, target, source, bytes, false);
    return mbarrier_complete(e, in, lane, async_address(&o), bytes);
}

/* From shared memory to global memory, or combined with what is there. */
static bool bulk_store(struct engine *e, const struct bound *in, int lane, uint64_t to)
{
    struct async_operands o = async_operands_of(e, in, lane);
    uint64_t from = async_address(&o);
    uint32_t bytes = (uint32_t)async_value(&o), lines = UINT16_MAX;
    if (in->insn->op == OP_BULK_STORE_MASK) {
        if (async_is_given(&o))
            async_value(&o); /* the cache policy */
        lines = (uint32_t)async_value(&o);
    }
    uint8_t *target = async_global(e, in, lane, to, bytes, BULK_UNIT, true);
    const uint8_t *source = target ? async_shared(e, in, lane, from, bytes, BULK_UNIT, false) : NULL;
    if (!source || !check_size(e, in, lane, bytes))
        return false;
    bool is_reduction = in->insn->op == OP_BULK_REDUCE || in->insn->op == OP_BULK_REDUCE_NOFTZ;
    copies_move(e, is_reduction ? COPY_REDUCES : COPY_WRITES, to, bytes);
    if (is_reduction)
        async_reduce(in->insn, target, source, bytes, true);
    else
        for (uint32_t i = 0; i < bytes; i++)
            if (lines >> i % BULK_UNIT & 1)
                target[i] = source[i];
    return true;
}

/* A store, or an atomic operation, whose bytes an mbarrier counts. */
static bool store_async(struct engine *e, const struct bound *in, int lane, uint64_t to)
{
    struct async_operands o = async_operands_of(e, in, lane);
    uint32_t bytes = (uint32_t)in->width * in->elements;
    uint8_t *target = async_shared(e, in, lane, to, bytes, bytes, true);
    copies_move(e, COPY_STAYS, to, bytes);
    for (unsigned k = 0; target && k < in->elements; k++) {
        uint64_t value = async_value(&o);
        if (in->insn->op == OP_RED_ASYNC)
            async_reduce(in->insn, target, (const uint8_t *)&value, bytes, false);
        else
            memcpy(target + (size_t)k * in->width, &value, in->width);
    }
    return target && mbarrier_complete(e, in, lane, async_address(&o), bytes);
}

static bool execute_lane(struct engine *e, const struct bound *in, int lane, uint64_t address)
{
    switch (in->insn->op) {
    case OP_CP_ASYNC:
    case OP_CP_ASYNC_IGNORE:
        return copy_async(e, in, lane, address);
    case OP_BULK_LOAD:
    case OP_BULK_MULTICAST:
        return bulk_load(e, in, lane, in_shared(in, address));
    case OP_BULK_PEER:
    case OP_BULK_REDUCE_PEER:
        return bulk_peer(e, in, lane, in_shared(in, address));
    case OP_BULK_STORE:
    case OP_BULK_STORE_MASK:
    case OP_BULK_REDUCE:
    case OP_BULK_REDUCE_NOFTZ:
        return bulk_store(e, in, lane, address);
    case OP_ST_ASYNC:
    case OP_RED_ASYNC:
        return store_async(e, in, lane, in_shared(in, address));
    default:
        return tensor_execute(e, in, lane, address);
    }
}

bool async_execute(struct engine *e, const struct bound *in, uint32_t mask)
{
    uint64_t address[ROW_LANES] = {0};
    if (in->insn->address >= 0)
        access_addresses(e, in, address);
    e->writes++;
    for (uint32_t left = mask; left; left &= left - 1) {
        if (!execute_lane(e, in, bits_lowest(left), address[bits_lowest(left)]))
            return false;
        copies_end(e, bits_lowest(left));
    }
    return true;
}

/* ---- for machines ---- */

bool async_is_single(const struct insn *insn)
{
    return insn->op == OP_CP_ASYNC || insn->op == OP_CP_ASYNC_IGNORE;
}

struct async_traffic async_traffic_of(const struct engine *e, const struct bound *in, int lane, uint64_t first)
{
    struct async_operands o = async_operands_of(e, in, lane);
    uint64_t second = async_address(&o);
    return (struct async_traffic){.global = second, .shared = first, .bytes = (uint32_t)async_value(&o)};
}
