/*
 * The oracle's memory accesses: resolving addresses, loads and stores, and conversion between spaces.
 *
 * Addresses in shared, local, const and param space are offsets; addresses in global space are generic. The .param
 * space is the parameter block in a kernel and the thread's frame in other functions (decode.c).
 */
#include "oracle/internal.h"

#include <string.h>

enum { MAX_LOAD_BYTES = 128 }; /* of one thread: eight elements of sixteen bytes */

static bool is_within(uint64_t offset, uint32_t bytes, uint64_t size)
{
    return offset <= size && bytes <= size - offset;
}

/* Of the own block, or of a block of the cluster that has not ended. */
static void *reach_shared(struct oracle_thread *t, uint64_t address, uint32_t bytes)
{
    struct oracle *o = t->oracle;
    uint64_t rank = address >> MEMORY_SHARED_SHIFT, offset = address & oracle_mask(MEMORY_SHARED_SHIFT);
    if (!is_within(offset, bytes, o->shared_bytes))
        return NULL;
    if (rank == o->block.rank)
        return o->block.shared + offset;
    bool is_there = o->peers && rank < (uint64_t)o->peer_count && o->peers[rank].live_count;
    return is_there ? o->peers[rank].shared + offset : NULL;
}

/* Also notes how much of the thread's local memory must be cleared for the next block. */
static void *reach_local(struct oracle_thread *t, uint64_t offset, uint32_t bytes)
{
    if (!is_within(offset, bytes, t->oracle->stack_bytes))
        return NULL;
    if (offset + bytes > t->local_used)
        t->local_used = (uint32_t)(offset + bytes);
    return t->local + offset;
}

static const struct allocation *find_allocation(struct oracle *o, uint64_t address)
{
    if (o->has_recent && o->recent_generation == o->memory->generation && address - o->recent.address < o->recent.bytes)
        return &o->recent;
    const struct allocation *a = memory_find(o->memory, address);
    o->has_recent = a != NULL;
    if (!a)
        return NULL;
    o->recent = *a;
    o->recent_generation = o->memory->generation;
    return &o->recent;
}

static void *reach_heap(struct oracle_thread *t, uint64_t address, uint32_t bytes, bool is_write, enum fault_kind *why)
{
    const struct allocation *a = find_allocation(t->oracle, address);
    if (!a || !is_within(address - a->address, bytes, a->bytes))
        return NULL;
    if (is_write && a->is_constant) {
        *why = FAULT_READ_ONLY;
        return NULL;
    }
    return a->host + (address - a->address);
}

static void *reach_constant(struct oracle_thread *t, uint64_t offset, uint32_t bytes, bool is_write,
                            enum fault_kind *why)
{
    const struct image *image = t->oracle->image;
    if (!image->constant_base || !is_within(offset, bytes, image->constant_bytes))
        return NULL;
    return reach_heap(t, image->constant_base + offset, bytes, is_write, why);
}

static void *reach_parameter(struct oracle_thread *t, uint64_t offset, uint32_t bytes, bool is_write,
                             enum fault_kind *why)
{
    const struct launch *l = t->oracle->launch;
    if (!is_within(offset, bytes, l->parameter_bytes))
        return NULL;
    if (is_write) {
        *why = FAULT_READ_ONLY;
        return NULL;
    }
    return (uint8_t *)l->parameters + offset;
}

static void *reach_generic(struct oracle_thread *t, uint64_t address, uint32_t bytes, bool is_write,
                           enum fault_kind *why)
{
    if (address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE)
        return reach_shared(t, address - MEMORY_SHARED_BASE, bytes);
    if (address - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE)
        return reach_local(t, address - MEMORY_LOCAL_BASE, bytes);
    return reach_heap(t, address, bytes, is_write, why);
}

/* Host pointer to guest bytes. A `check` that is not NULL is the instruction to blame: an access outside memory, a
 * write to read-only memory and a misaligned access are then recorded as its fault. Without `check`, the result is only
 * NULL. */
void *oracle_reach(struct oracle_thread *t, const struct oracle_insn *check, enum mod space, uint64_t address,
                   uint32_t bytes, bool is_write)
{
    enum fault_kind why = FAULT_OUT_OF_BOUNDS;
    void *host = NULL;
    if (check && address & (bytes - 1)) {
        oracle_fault_access(t, check, FAULT_MISALIGNED, space, address, bytes, is_write);
        return NULL;
    }
    switch (space) {
    case SPACE_SHARED:
        host = reach_shared(t, address, bytes);
        break;
    case SPACE_LOCAL:
        host = reach_local(t, address, bytes);
        break;
    case SPACE_CONST:
        host = reach_constant(t, address, bytes, is_write, &why);
        break;
    case SPACE_PARAM:
        host = reach_parameter(t, address, bytes, is_write, &why);
        break;
    case SPACE_GLOBAL:
        host = reach_heap(t, address, bytes, is_write, &why);
        break;
    default:
        host = reach_generic(t, address, bytes, is_write, &why);
    }
    if (!host && check)
        oracle_fault_access(t, check, why, space, address, bytes, is_write);
    return host;
}

uint64_t oracle_address(const struct oracle_thread *t, const struct oracle_operand *m)
{
    switch (m->source) {
    case SOURCE_REGISTER:
        return (t->reg[m->reg] + m->value) & m->register_mask; /* 32-bit addresses wrap */
    case SOURCE_FRAME:
        return t->base + m->value;
    case SOURCE_SHARED:
        return (t->oracle->block.rank << MEMORY_SHARED_SHIFT) + m->value;
    default:
        return m->value;
    }
}

uint64_t oracle_load(const void *host, unsigned bytes)
{
    const uint8_t *p = host;
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

void oracle_store(void *host, uint64_t value, unsigned bytes)
{
    uint8_t *p = host;
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

static const struct oracle_operand *element(const struct oracle_operand *v, unsigned i)
{
    return v->source == SOURCE_VECTOR ? &v->element[i] : v;
}

static bool is_in_window(uint64_t address)
{
    return address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE || address - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE;
}

/* Whether the launch lets a load of global memory that does not exist pass: it reads 0 and is counted. */
static bool is_tolerated(struct oracle_thread *t, const struct oracle_insn *x, uint64_t address, unsigned bytes)
{
    struct oracle *o = t->oracle;
    bool is_global = x->space == SPACE_GLOBAL || (x->space == MOD_NONE && !is_in_window(address));
    if (!o->launch->tolerates_reads || !is_global || address & (bytes - 1) ||
        oracle_reach(t, NULL, SPACE_GLOBAL, address, bytes, false))
        return false;
    if (!o->result->tolerated_reads++)
        oracle_place(x, address, &o->result->first_tolerated);
    return true;
}

static void load(struct oracle_thread *t, const struct oracle_insn *x)
{
    static const uint8_t nothing[MAX_LOAD_BYTES];
    unsigned bytes = type_bytes((enum type)x->type), count = suffixes_vector(&x->origin->suffixes);
    uint64_t address = oracle_address(t, &x->operand[1]);
    const uint8_t *host = is_tolerated(t, x, address, bytes * count)
                              ? nothing
                              : oracle_reach(t, x, (enum mod)x->space, address, bytes * count, false);
    for (unsigned i = 0; host && i < count; i++) {
        oracle_write(t, element(&x->operand[0], i), oracle_load(host + i * bytes, bytes < 8 ? bytes : 8));
        if (bytes == 16)
            oracle_write_upper(t, element(&x->operand[0], i), oracle_load(host + i * bytes + 8, 8));
    }
}

static void store(struct oracle_thread *t, const struct oracle_insn *x)
{
    unsigned bytes = type_bytes((enum type)x->type), count = suffixes_vector(&x->origin->suffixes);
    uint8_t *host = oracle_reach(t, x, (enum mod)x->space, oracle_address(t, &x->operand[0]), bytes * count, true);
    for (unsigned i = 0; host && i < count; i++) {
        oracle_store(host + i * bytes, oracle_read(t, element(&x->operand[1], i)), bytes < 8 ? bytes : 8);
        if (bytes == 16)
            oracle_store(host + i * bytes + 8, oracle_read_upper(t, element(&x->operand[1], i)), 8);
    }
}

/* st.bulk: the size is a multiple of 8. */
static void zero(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t address = oracle_address(t, &x->operand[0]), size = oracle_read(t, &x->operand[1]);
    for (uint64_t at = 0; at + 8 <= size; at += 8) {
        void *host = oracle_reach(t, x, (enum mod)x->space, address + at, 8, true);
        if (!host)
            return;
        oracle_store(host, oracle_read(t, &x->operand[2]), 8);
    }
}

void oracle_memory(struct oracle_thread *t, const struct oracle_insn *x)
{
    switch (x->op) {
    case OP_LD:
    case OP_LDU:
        load(t, x);
        break;
    case OP_ST:
        store(t, x);
        break;
    case OP_ST_BULK:
        zero(t, x);
        break;
    case OP_APPLYPRIORITY:
    case OP_DISCARD:  /* the line's contents are indeterminate from then on; they stay what they were */
    case OP_PREFETCH: /* no effect on values: accesses of all threads happen in one order */
    case OP_PREFETCHU:
    case OP_MEMBAR:
    case OP_FENCE:
    case OP_FENCE_ALIAS ... OP_PREFETCH_TENSORMAP:
        break;
    default:
        oracle_unsupported(t, x);
    }
}

/* The generic address of the first byte of a space. */
static uint64_t space_base(const struct oracle_thread *t, enum mod space)
{
    switch (space) {
    case SPACE_SHARED:
    case SPACE_CLUSTER:
        return MEMORY_SHARED_BASE;
    case SPACE_LOCAL:
        return MEMORY_LOCAL_BASE;
    case SPACE_CONST:
        return t->oracle->image->constant_base;
    case SPACE_PARAM:
        return t->depth ? MEMORY_LOCAL_BASE : t->oracle->parameter_address;
    default:
        return 0;
    }
}

static bool is_in_space(const struct oracle_thread *t, enum mod space, uint64_t address)
{
    const struct oracle *o = t->oracle;
    bool is_shared = address - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE;
    bool is_local = address - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE;
    bool is_constant = o->image->constant_base && address - o->image->constant_base < o->image->constant_bytes;
    bool is_parameter = o->parameter_address && address - o->parameter_address < o->launch->parameter_bytes;
    switch (space) {
    case SPACE_SHARED:
        return is_shared && (address - MEMORY_SHARED_BASE) >> MEMORY_SHARED_SHIFT == o->block.rank;
    case SPACE_CLUSTER:
        return is_shared;
    case SPACE_LOCAL:
        return is_local;
    case SPACE_CONST:
        return is_constant;
    case SPACE_PARAM:
        return is_parameter;
    default:
        return !is_shared && !is_local && !is_constant; /* kernel parameters count as global too */
    }
}

void oracle_space(struct oracle_thread *t, const struct oracle_insn *x)
{
    uint64_t a = oracle_read(t, &x->operand[1]);
    enum mod space = oracle_mod(x, GROUP_SPACE);
    switch (x->op) {
    case OP_CVTA:
        oracle_write(t, &x->operand[0], a + space_base(t, space));
        break;
    case OP_CVTA_TO:
        oracle_write(t, &x->operand[0], a - space_base(t, space));
        break;
    case OP_ISSPACEP:
        oracle_write(t, &x->operand[0], is_in_space(t, space, a));
        break;
    default:
        oracle_unsupported(t, x);
    }
}
