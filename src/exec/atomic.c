/*
 * Atomics: read, modify, write, lane after lane in ascending order.
 *
 * Hardware promises no order among lanes; a fixed order makes runs repeatable. Float addition rounds to nearest. As on
 * hardware, additions in global memory differ from those in shared memory:
 *   - global (the memory partition adds): f32 flushes subnormals; an f64 NaN passes unchanged, the operand's NaN before
 *     the NaN in memory
 *   - shared (the multiprocessor adds): f32 keeps subnormals; an f64 NaN is quieted, the NaN in memory before the
 *     operand's
 * Additions in half precision are the same in both. Elements of a vector follow one another; they are not atomic
 * together, which nobody can observe here.
 */
#include "exec/atomic.h"

#include "base/bits.h"
#include "base/inline.h"
#include "exec/access.h"
#include "exec/ahead/draft.h"
#include "exec/engine_fault.h"
#include "exec/local.h"
#include "exec/operand.h"
#include "exec/race/race.h"
#include "exec/shared_words.h"
#include "exec/waste.h"
#include "lanes/lane_value.h"

#include <string.h>

static float as_f32(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;
    memcpy(&f, &word, 4);
    return f;
}

static uint64_t from_f32(float f)
{
    uint32_t word;
    if (f != f)
        return 0x7fffffff;
    memcpy(&word, &f, 4);
    return word;
}

#define NAN_F64   0xfff8000000000000u /* the result of infinity minus infinity */
#define QUIET_F64 0x0008000000000000u

static double as_f64(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

static uint64_t from_f64(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, 8);
    return bits;
}

static float flush(float f)
{
    return __builtin_fabsf(f) < 0x1p-126f ? __builtin_copysignf(0, f) : f;
}

static bool is_nan_f64(uint64_t bits)
{
    return as_f64(bits) != as_f64(bits);
}

static uint64_t add_f64(uint64_t old, uint64_t b, bool in_memory)
{
    uint64_t first = in_memory ? b : old, second = in_memory ? old : b, quiet = in_memory ? 0 : QUIET_F64;
    if (is_nan_f64(first) || is_nan_f64(second))
        return (is_nan_f64(first) ? first : second) | quiet;
    double sum = as_f64(old) + as_f64(b);
    return sum != sum ? NAN_F64 : from_f64(sum);
}

/* `in_memory`: the addition is done by global memory, not by the multiprocessor. */
static uint64_t add(enum type type, uint64_t old, uint64_t b, bool in_memory)
{
    if (type == TYPE_F64)
        return add_f64(old, b, in_memory);
    if (type != TYPE_F32)
        return old + b;
    if (!in_memory)
        return from_f32(as_f32(old) + as_f32(b));
    return from_f32(flush(flush(as_f32(old)) + flush(as_f32(b))));
}

static bool less(enum type type, uint64_t a, uint64_t b)
{
    switch (type) {
    case TYPE_S32:
        return (int32_t)a < (int32_t)b;
    case TYPE_S64:
        return (int64_t)a < (int64_t)b;
    case TYPE_U32:
    case TYPE_B32:
        return (uint32_t)a < (uint32_t)b;
    default:
        return a < b;
    }
}

static ALWAYS_INLINE uint64_t combined(enum mod operation, enum type type, uint64_t old, uint64_t b, bool in_memory)
{
    if (type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F16X2 || type == TYPE_BF16X2)
        return lane_value_combine_half(operation, type, (uint32_t)old, (uint32_t)b);
    switch (operation) {
    case ATOM_AND:
        return old & b;
    case ATOM_OR:
        return old | b;
    case ATOM_XOR:
        return old ^ b;
    case ATOM_ADD:
        return add(type, old, b, in_memory);
    case ATOM_INC:
        return old >= b ? 0 : old + 1;
    case ATOM_DEC:
        return old == 0 || old > b ? b : old - 1;
    case ATOM_MIN:
        return less(type, b, old) ? b : old;
    case ATOM_MAX:
        return less(type, old, b) ? b : old;
    default: /* exch */
        return b;
    }
}

uint64_t atomic_combine(enum mod operation, enum type type, uint64_t old, uint64_t b, bool in_memory)
{
    return combined(operation, type, old, b, in_memory);
}

/* The operation; some rows of the instruction table have it as a flag. */
static enum mod operation_of(const struct insn *insn)
{
    const struct suffixes *s = &insn->suffixes;
    return suffixes_has(s, FLAG_ADD) ? ATOM_ADD : suffixes_has(s, FLAG_EXCH) ? ATOM_EXCH : (enum mod)s->mod[GROUP_ATOM];
}

static uint64_t combine(const struct insn *insn, uint64_t old, uint64_t b, uint64_t c, bool in_memory)
{
    if (insn->op == OP_ATOM_CAS)
        return old == b ? c : old;
    return atomic_combine(operation_of(insn), (enum type)insn->suffixes.type[0], old, b, in_memory);
}

/* The operands of an atomic: `b` for each element, and c of a compare-and-swap. */
struct atomic_operands {
    const void *b[BOUND_MAX_OPERANDS], *c;
};

static void put_old(struct engine *e, const struct bound *in, unsigned element, int lane, const void *old)
{
    if (in->dest_count) {
        unsigned bytes = lane_bytes(in->dest_bits[element]);
        memcpy(e->dest_scratch[element] + (unsigned)lane * bytes, old, bytes);
    }
}

/* 128 bits: exchange, or compare and swap. */
static void exchange_wide(struct engine *e, const struct bound *in, int lane, uint8_t *at,
                          const struct atomic_operands *o)
{
    const size_t bytes = sizeof(struct lane_b128);
    const uint8_t *b = (const uint8_t *)o->b[0] + (size_t)lane * bytes;
    bool is_swap = in->insn->op == OP_ATOM_CAS;
    put_old(e, in, 0, lane, at);
    if (is_swap && memcmp(at, b, bytes) != 0)
        return;
    const uint8_t *new = is_swap ? (const uint8_t *)o->c + (size_t)lane *bytes : b;
    e->writes += memcmp(at, new, bytes) != 0;
    memcpy(at, new, bytes);
}

/* Replaces the values in memory; the old ones become the lane's values of the destinations. */
static void exchange(struct engine *e, const struct bound *in, int lane, uint8_t *at, const struct atomic_operands *o,
                     bool in_memory)
{
    if (in->width == sizeof(struct lane_b128)) {
        exchange_wide(e, in, lane, at, o);
        return;
    }
    for (unsigned k = 0; k < in->elements; k++) {
        uint64_t old = 0, b = lanes_value(o->b[k], in->source_bits[k], lane);
        uint64_t c = o->c ? lanes_value(o->c, in->source_bits[1], lane) : 0;
        memcpy(&old, at + k * in->width, in->width);
        uint64_t new = combine(in->insn, old, b, c, in_memory);
        e->writes += memcmp(&old, &new, in->width) != 0;
        memcpy(at + k * in->width, &new, in->width);
        put_old(e, in, k, lane, &old);
    }
}

uint64_t atomic_apply(const struct bound *in, uint8_t *at, const uint64_t *operands, uint64_t *old)
{
    uint64_t changed = 0;
    for (unsigned k = 0; k < in->elements; k++) {
        old[k] = 0;
        memcpy(&old[k], at + k * in->width, in->width);
        uint64_t new = combine(in->insn, old[k], operands[k], operands[in->elements], true);
        changed += memcmp(&old[k], &new, in->width) != 0;
        memcpy(at + k * in->width, &new, in->width);
    }
    return changed;
}

void atomic_give_result(const struct bound *in, const uint64_t *old, uint8_t *planes, int lane)
{
    for (int k = 0; k < in->dest_count; k++) {
        const unsigned bytes = lane_bytes(in->dest_bits[k]);
        if (in->dest_bits[k])
            memcpy(planes + in->dest[k] + (unsigned)lane * bytes, &old[k], bytes);
    }
}

/* Whether the atomic waits with the multiprocessor's other writes (posted.h). */
static bool is_posted(const struct engine *e, const struct bound *in)
{
    return e->posted && in->width <= sizeof(uint64_t);
}

static void find_operands(const struct bound *in, int lane, const struct atomic_operands *o, uint64_t *operands)
{
    for (unsigned k = 0; k < in->elements; k++)
        operands[k] = lanes_value(o->b[k], in->source_bits[k], lane);
    operands[in->elements] = o->c ? lanes_value(o->c, in->source_bits[1], lane) : 0;
}

static void post(struct engine *e, const struct bound *in, int lane, uint8_t *at, const struct atomic_operands *o)
{
    uint64_t operands[BOUND_MAX_OPERANDS + 1];
    find_operands(in, lane, o, operands);
    posted_atomic(e->posted, e->now, in, at, operands, in->elements + 1,
                  (struct posted_result){in->dest_count ? e->row->planes : NULL, lane});
}

/* One lane's atomic on global memory, of blocks that run before their turn (draft.h). Without a result, it is kept
 * until then; with one, it has to wait. False: the blocks ran in vain. */
static bool exchange_draft(struct engine *e, const struct bound *in, int lane, uint8_t *at,
                           const struct atomic_operands *o)
{
    uint64_t operands[BOUND_MAX_OPERANDS + 1];
    if (is_posted(e, in) && !in->dest_count) {
        find_operands(in, lane, o, operands);
        if (draft_defer(e, in, at, operands, in->elements + 1))
            return true;
    }
    if (!draft_reach(e, in, at, (uint64_t)in->width * in->elements, true))
        return false;
    exchange(e, in, lane, at, o, true);
    return true;
}

/* Local memory is private to the thread, so an atomic there is a plain update; its bytes are interleaved, so it works
 * on a copy. */
static bool exchange_local(struct engine *e, const struct bound *in, int lane, uint64_t address,
                           const struct atomic_operands *o)
{
    uint8_t copy[BOUND_MAX_OPERANDS * 8];
    unsigned bytes = (unsigned)in->width * in->elements;
    if (address % bytes)
        return engine_fault_address(e, in, lane, FAULT_MISALIGNED, IN_LOCAL, address, true);
    if (address > e->local_bytes || bytes > e->local_bytes - address)
        return engine_fault_address(e, in, lane, FAULT_OUT_OF_BOUNDS, IN_LOCAL, address, true);
    for (unsigned i = 0; i < bytes; i++)
        copy[i] = *local_byte(e->row, lane, address + i);
    exchange(e, in, lane, copy, o, false);
    for (unsigned i = 0; i < bytes; i++)
        *local_byte(e->row, lane, address + i) = copy[i];
    return true;
}

/* Where the words of the lanes are: at `host` plus each lane's offset, or plus its register and `add`. */
struct word_places {
    uint8_t *host;
    const uint64_t *offsets; /* NULL: registers count */
    const uint32_t *registers;
    uint32_t add;
};

/* One lane of an atomic on words; `old` gets what was there. Returns whether it changed memory. */
static ALWAYS_INLINE bool one_word(const struct word_places *p, int lane, const uint32_t *b, uint32_t *old,
                                   enum mod operation, enum type type, bool in_memory)
{
    uint64_t at = p->offsets ? p->offsets[lane] : (uint32_t)(p->registers[lane] + p->add);
    uint32_t *word = (uint32_t *)(void *)(p->host + at), before = *word;
    uint32_t after = (uint32_t)combined(operation, type, before, b[lane], in_memory);
    *word = after;
    old[lane] = before;
    return after != before;
}

/* The lanes of an atomic on words. Returns how many of them changed memory. */
static ALWAYS_INLINE uint64_t each_word(const struct word_places *p, uint32_t mask, const uint32_t *b, uint32_t *old,
                                        enum mod operation, enum type type, bool in_memory)
{
    uint64_t changed = 0;
    if (mask == UINT32_MAX) {
        for (int i = 0; i < ROW_LANES; i++)
            changed += one_word(p, i, b, old, operation, type, in_memory);
        return changed;
    }
    for (; mask; mask &= mask - 1)
        changed += one_word(p, bits_lowest(mask), b, old, operation, type, in_memory);
    return changed;
}

static bool adds_integers(const struct bound *in)
{
    enum type type = (enum type)in->insn->suffixes.type[0];
    return operation_of(in->insn) == ATOM_ADD && type != TYPE_F32 && type != TYPE_F16X2 && type != TYPE_BF16X2;
}

/* The frequent operations have loops of their own. */
static ALWAYS_INLINE uint64_t all_words(const struct bound *in, const struct word_places *p, uint32_t mask,
                                        const uint32_t *b, uint32_t *old, bool in_memory)
{
    enum mod operation = operation_of(in->insn);
    enum type type = (enum type)in->insn->suffixes.type[0];
    if (adds_integers(in))
        return each_word(p, mask, b, old, ATOM_ADD, TYPE_U32, in_memory);
    if (operation == ATOM_ADD && type == TYPE_F32)
        return in_memory ? each_word(p, mask, b, old, ATOM_ADD, TYPE_F32, true)
                         : each_word(p, mask, b, old, ATOM_ADD, TYPE_F32, false);
    return each_word(p, mask, b, old, operation, type, in_memory);
}

/* Executes an atomic of words other than a compare-and-swap, if all lanes' places are found in one step; most are.
 * False, with nothing done, if it is none of these. */
static bool execute_words(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask)
{
    uint64_t at[ROW_LANES];
    uint32_t *old = (uint32_t *)(void *)e->dest_scratch[0];
    bool is_word = in->width == 4 && in->elements == 1 && in->source_bits[0] == 32 &&
                   (!in->dest_count || in->dest_bits[0] == 32) && in->insn->op != OP_ATOM_CAS;
    if (!is_word || e->race || e->waste)
        return false;
    const uint32_t *b = operand_source(e, in, 0);
    const bool is_narrow = in->space == IN_SHARED && in->reach == REACH_NARROW;
    if (is_narrow && mask == UINT32_MAX && !in->dest_count && adds_integers(in) && shared_words_add(e, in, b))
        return true;
    if (is_narrow && shared_words_are_within(e, in)) {
        struct word_places p = {e->block->shared, NULL, (const void *)(e->row->planes + in->address),
                                (uint32_t)in->address_offset};
        e->writes += all_words(in, &p, mask, b, old, false);
    } else {
        struct word_places p = {access_find(e, in, pc, mask, at), at, NULL, 0};
        if (!p.host)
            return false;
        e->writes += all_words(in, &p, mask, b, old, in->space != IN_SHARED);
    }
    if (in->dest_count)
        operand_write(e, in, 0, old, mask);
    return true;
}

/* Executes an atomic of any kind, lane after lane. */
static __attribute__((noinline)) bool execute_lanes(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask)
{
    uint64_t address[ROW_LANES];
    struct atomic_operands o = {.c = NULL};
    uint32_t done = mask; /* lanes whose results are known */
    for (unsigned k = 0; k < in->elements; k++)
        o.b[k] = operand_source(e, in, (int)k);
    if (in->insn->op == OP_ATOM_CAS)
        o.c = operand_source(e, in, 1);
    access_addresses(e, in, address);
    if (e->race)
        race_access(e, in, pc, address, mask);
    if (e->waste)
        waste_access(e, in, pc, address, mask);
    for (uint32_t left = mask; left; left &= left - 1) {
        int i = bits_lowest(left);
        bool generic_local = in->space == IN_GENERIC && address[i] - MEMORY_LOCAL_BASE < MEMORY_WINDOW_SIZE;
        if (in->space == IN_LOCAL || generic_local) {
            if (!exchange_local(e, in, i, generic_local ? address[i] - MEMORY_LOCAL_BASE : address[i], &o))
                return false;
            continue;
        }
        bool in_shared =
            in->space == IN_SHARED || (in->space == IN_GENERIC && address[i] - MEMORY_SHARED_BASE < MEMORY_SHARED_SIZE);
        uint8_t *at = access_resolve(e, in, pc, i, address[i], true);
        if (!at)
            return false;
        if (!in_shared && draft_of(e)) {
            if (!exchange_draft(e, in, i, at, &o))
                return false;
        } else if (!in_shared && is_posted(e, in)) {
            post(e, in, i, at, &o);
            done &= ~(1u << i);
        } else {
            exchange(e, in, i, at, &o, !in_shared);
        }
    }
    for (int k = 0; k < in->dest_count && done; k++)
        operand_write(e, in, k, e->dest_scratch[k], done);
    return true;
}

bool atomic_execute(struct engine *e, const struct bound *in, int32_t pc, uint32_t mask)
{
    return execute_words(e, in, pc, mask) || execute_lanes(e, in, pc, mask);
}
