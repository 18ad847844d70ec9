/*
 * The oracle's atomics. One thread runs at a time, so an atomic is a load, a computation and a store.
 *
 * As on hardware, additions in global memory differ from those in shared memory. In global memory, an f32 sum flushes
 * subnormals, and an f64 NaN passes unchanged, the operand's before the one in memory. In shared memory, an f32 sum
 * keeps subnormals, and an f64 NaN is quieted, the one in memory before the operand's.
 */
#include "oracle/internal.h"

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

/* The new value of the memory. False: the type has no such operation. */
static bool combine(const struct oracle_insn *x, uint64_t old, uint64_t b, bool in_global, uint64_t *new)
{
    enum type type = (enum type)x->type;
    enum mod op = oracle_mod(x, GROUP_ATOM);
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
        return address - MEMORY_SHARED_BASE >= MEMORY_WINDOW_SIZE;
    return x->space != SPACE_SHARED;
}

void oracle_atomic(struct oracle_thread *t, const struct oracle_insn *x)
{
    const struct oracle_operand *m = &x->operand[x->op == OP_RED ? 0 : 1];
    enum type type = (enum type)x->type;
    uint64_t address = oracle_address(t, m);
    unsigned bytes = type_bytes(type);
    uint8_t *host = oracle_reach(t, x, (enum mod)x->space, address, bytes, true);
    if (!host)
        return;
    uint64_t old = oracle_extend(oracle_load(host, bytes), type), new = old;
    uint64_t b = oracle_read_integer(t, m + 1);
    if (x->op == OP_ATOM_CAS)
        new = old == b ? oracle_read_integer(t, m + 2) : old;
    else if (!combine(x, old, b, is_in_global(x, address), &new)) {
        oracle_unsupported(t, x);
        return;
    }
    oracle_store(host, new, bytes);
    if (x->op != OP_RED)
        oracle_write(t, &x->operand[0], old);
}
