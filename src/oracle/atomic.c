/*
 * The oracle's atomics. One thread runs at a time, so an atomic is a load, a computation and a store.
 *
 * As on hardware, additions in global memory differ from those in shared memory. In global memory, an f32 sum flushes
 * subnormals, and an f64 NaN passes unchanged, the operand's before the one in memory. In shared memory, an f32 sum
 * keeps subnormals, and an f64 NaN is quieted, the one in memory before the operand's.
 */
#include "oracle/internal.h"

#include <math.h>
#include <string.h>

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

static uint64_t add_f32(uint64_t a, uint64_t b, bool flush)
{
    float x = float_of(a), y = float_of(b);
    float sum = flush ? oracle_flush32(oracle_add_f32(oracle_flush32(x), oracle_flush32(y))) : oracle_add_f32(x, y);
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

static bool is_nan64(uint64_t bits)
{
    return (bits & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff0000000000000);
}

static uint64_t add_f64(uint64_t old, uint64_t b, bool in_global)
{
    uint64_t first = in_global ? b : old, second = in_global ? old : b;
    uint64_t quiet = in_global ? 0 : UINT64_C(0x0008000000000000);
    if (is_nan64(first) || is_nan64(second))
        return (is_nan64(first) ? first : second) | quiet;
    double x, y, sum;
    memcpy(&x, &old, sizeof x);
    memcpy(&y, &b, sizeof y);
    sum = x + y;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return is_nan64(bits) ? oracle_nan(TYPE_F64) : bits;
}

static uint64_t add(enum type type, uint64_t a, uint64_t b, bool in_global)
{
    return type == TYPE_F32 ? add_f32(a, b, in_global) : type == TYPE_F64 ? add_f64(a, b, in_global) : a + b;
}

static bool less(enum type type, uint64_t a, uint64_t b)
{
    return type_table[type].kind == KIND_SINT ? (int64_t)a < (int64_t)b : a < b;
}

static bool is_half(enum type type)
{
    return type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F16X2 || type == TYPE_BF16X2;
}

/* Half precision: add, min or max, for each half of a packed type. Global and shared memory do not differ. */
static uint64_t combine_half(enum type type, enum mod op, uint64_t old, uint64_t b)
{
    enum type single = type == TYPE_F16 || type == TYPE_F16X2 ? TYPE_F16 : TYPE_BF16;
    uint64_t new = 0;
    for (unsigned at = 0; at < type_table[type].bits; at += 16) {
        uint64_t x = old >> at & 0xffff, y = b >> at & 0xffff;
        new |= (op == ATOM_ADD ? oracle_half_add(single, x, y) : oracle_half_choose(single, x, y, op == ATOM_MIN))
               << at;
    }
    return new;
}

static enum mod operation(const struct oracle_insn *x)
{
    return oracle_flag(x, FLAG_ADD) ? ATOM_ADD : oracle_flag(x, FLAG_EXCH) ? ATOM_EXCH : oracle_mod(x, GROUP_ATOM);
}

/* The new value of the memory. False: the type has no such operation. */
bool oracle_combine(enum mod op, enum type type, uint64_t old, uint64_t b, bool in_global, uint64_t *new)
{
    if (is_half(type)) {
        *new = combine_half(type, op, old, b);
        return op == ATOM_ADD || op == ATOM_MIN || op == ATOM_MAX;
    }
    if (type_table[type].kind == KIND_FLOAT && op != ATOM_ADD && op != ATOM_EXCH)
        return false;
    switch (op) {
    case ATOM_AND:
        *new = old &b;
        return true;
    case ATOM_OR:
        *new = old | b;
        return true;
    case ATOM_XOR:
        *new = old ^ b;
        return true;
    case ATOM_EXCH:
        *new = b;
        return true;
    case ATOM_ADD:
        *new = add(type, old, b, in_global);
        return true;
    case ATOM_INC:
        *new = old >= b ? 0 : old + 1;
        return true;
    case ATOM_DEC:
        *new = old == 0 || old > b ? b : old - 1;
        return true;
    case ATOM_MIN:
        *new = less(type, b, old) ? b : old;
        return true;
    case ATOM_MAX:
        *new = less(type, old, b) ? b : old;
        return true;
    default:
        return false;
    }
}

static bool is_in_global(const struct oracle_insn *x, uint64_t address)
{
    if (x->space == MOD_NONE)
        return address - MEMORY_SHARED_BASE >= MEMORY_SHARED_SIZE;
    return x->space != SPACE_SHARED;
}

static const struct oracle_operand *element(const struct oracle_operand *v, unsigned i)
{
    return v->source == SOURCE_VECTOR ? &v->element[i] : v;
}

/* 128 bits: exchange, or compare and swap. */
static void exchange_wide(struct oracle_thread *t, const struct oracle_insn *x, uint8_t *host)
{
    const struct oracle_operand *d = &x->operand[0], *b = &x->operand[2], *c = &x->operand[3];
    uint64_t low = oracle_load(host, 8), high = oracle_load(host + 8, 8);
    bool is_swap = x->op == OP_ATOM_CAS;
    if (!is_swap || (low == oracle_read(t, b) && high == oracle_read_upper(t, b))) {
        const struct oracle_operand *new = is_swap ? c : b;
        oracle_store(host, oracle_read(t, new), 8);
        oracle_store(host + 8, oracle_read_upper(t, new), 8);
    }
    oracle_write(t, d, low);
    oracle_write_upper(t, d, high);
}

/* Without a result: the address is the first operand. */
static bool is_reduction(const struct oracle_insn *x)
{
    return x->op == OP_RED || x->op == OP_RED_HALF || x->op == OP_RED_VEC || x->op == OP_RED_VEC_HALF;
}

/* All operands of a vector are read before any result is written, since registers may be the same. */
void oracle_atomic(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct oracle_operand *m = &x->operand[is_reduction(x) ? 0 : 1];
    enum type type = (enum type)x->type;
    uint64_t address = oracle_address(t, m), old[8];
    unsigned bytes = type_bytes(type), count = suffixes_vector(&x->origin->suffixes);
    uint8_t *host = oracle_reach(t, x, (enum mod)x->space, address, bytes * count, true);
    if (!host)
        return;
    if (type == TYPE_B128) {
        exchange_wide(t, x, host);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        uint64_t new = old[i] = oracle_extend(oracle_load(host + i * bytes, bytes), type);
        uint64_t b = oracle_read_integer(t, element(m + 1, i));
        if (x->op == OP_ATOM_CAS) {
            new = old[i] == b ? oracle_read_integer(t, m + 2) : old[i];
        } else if (!oracle_combine(operation(x), type, old[i], b, is_in_global(x, address), &new)) {
            oracle_unsupported(t, x);
            return;
        }
        oracle_store(host + i * bytes, new, bytes);
    }
    for (unsigned i = 0; !is_reduction(x) && i < count; i++)
        oracle_write(t, element(&x->operand[0], i), old[i]);
}
