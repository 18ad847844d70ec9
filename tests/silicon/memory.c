/*
 * Memory instructions: loads and stores of every width in every space, atomics, prefetches, textures.
 *
 * Threads work on places of their own, so that results do not depend on their order; atomics are tried a
 * second time on one place that all threads share, where only the final value is looked at.
 */
#include "base/bits.h"
#include "base/diag.h"
#include "emit.h"
#include "family.h"
#include "place.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 256, BLOCK = 128 };
enum { WIDTH_PLAIN, WIDTH_32, WIDTH_64, WIDTH_COUNT }; /* registers of loads and stores */
enum { ATOMIC_OWN, ATOMIC_SHARED };                    /* whose place an atomic works on */

static int memory_variants(enum op op)
{
    switch (op) {
    case OP_LD:
    case OP_LDU:
    case OP_ST:
        return WIDTH_COUNT;
    case OP_ATOM:
    case OP_RED:
        return 2;
    default:
        return 1;
    }
}

static void memory_describe(const struct form *f, char out[FAMILY_NAME_BYTES])
{
    static const char *const widths[] = {"", "r32", "r64"};
    if (f->op == OP_ATOM || f->op == OP_RED)
        snprintf(out, FAMILY_NAME_BYTES, "%s", f->variant == ATOMIC_SHARED ? "contended" : "");
    else
        snprintf(out, FAMILY_NAME_BYTES, "%s", widths[f->variant]);
}

static unsigned register_bits(const struct form *f)
{
    const unsigned plain = emit_register_bits((enum type)f->suffixes.type[0]);
    return f->variant == WIDTH_32 ? 32 : f->variant == WIDTH_64 ? 64 : plain;
}

static bool is_ordered(enum mod sem)
{
    return sem == SEM_RELAXED || sem == SEM_ACQUIRE || sem == SEM_RELEASE || sem == SEM_ACQ_REL;
}

static bool is_global(enum mod space)
{
    return space == MOD_NONE || space == SPACE_GLOBAL;
}

/* 256 bits at once, which sm_100 has, in global memory alone, and with it priorities of the L2. */
static bool is_wide(const struct form *f)
{
    return suffixes_vector(&f->suffixes) * type_bytes((enum type)f->suffixes.type[0]) == 32;
}

static bool wide_legal(const struct form *f)
{
    const struct suffixes *s = &f->suffixes;
    const bool is_strong = s->mod[GROUP_SEM] && s->mod[GROUP_SEM] != SEM_WEAK;
    return s->mod[GROUP_SPACE] == SPACE_GLOBAL && f->variant == WIDTH_PLAIN && !is_strong && !s->mod[GROUP_CACHE] &&
           !suffixes_has(s, FLAG_MMIO);
}

/* What holds for loads and stores alike. */
static bool access_legal(const struct form *f, bool complete)
{
    const struct suffixes *s = &f->suffixes;
    const enum mod sem = (enum mod)s->mod[GROUP_SEM], space = (enum mod)s->mod[GROUP_SPACE];
    const enum mod cache = (enum mod)s->mod[GROUP_CACHE], evict = (enum mod)s->mod[GROUP_EVICT];
    const bool weak = sem == MOD_NONE || sem == SEM_WEAK;
    if (s->mod[GROUP_SCOPE] && !is_ordered(sem))
        return false;
    if (!weak && !is_global(space) && space != SPACE_SHARED)
        return false;
    if (sem == SEM_WEAK && (space == SPACE_CONST || space == SPACE_PARAM))
        return false;
    if (cache && (!weak || !is_global(space)))
        return false;
    if (evict && (cache || !is_global(space) || sem == SEM_VOLATILE))
        return false;
    if (s->mod[GROUP_PRIORITY] && (cache || !weak || s->mod[GROUP_PRIORITY] == PRIORITY_UNCHANGED))
        return false;
    if (suffixes_has(s, FLAG_HINT) && (!is_global(space) || sem == SEM_VOLATILE))
        return false;
    if (suffixes_has(s, FLAG_MMIO) && (cache || evict || suffixes_has(s, FLAG_HINT) || s->mod[GROUP_PREFETCH] ||
                                       s->mod[GROUP_VEC] || !is_global(space)))
        return false;
    if (s->mod[GROUP_PREFETCH] && !is_global(space))
        return false;
    if (s->type[0] == TYPE_F16)
        return false;
    if (!complete)
        return true;
    const enum type t = (enum type)s->type[0];
    const bool is_float = type_table[t].kind == KIND_FLOAT;
    if (t == TYPE_B128 && s->mod[GROUP_VEC])
        return false;
    if (suffixes_has(s, FLAG_MMIO) && (sem != SEM_RELAXED || s->mod[GROUP_SCOPE] != SCOPE_SYS))
        return false;
    if (is_wide(f) || s->mod[GROUP_VEC] == VEC_V8 || s->mod[GROUP_PRIORITY])
        return is_wide(f) && type_bytes(t) >= 4 && wide_legal(f);
    return (!is_ordered(sem) || s->mod[GROUP_SCOPE]) && suffixes_vector(s) * type_bytes(t) <= 16 &&
           (f->variant == WIDTH_PLAIN || (!is_float && register_bits(f) > emit_register_bits(t)));
}

static bool load_legal(const struct form *f, bool complete)
{
    const struct suffixes *s = &f->suffixes;
    const enum mod sem = (enum mod)s->mod[GROUP_SEM], cache = (enum mod)s->mod[GROUP_CACHE];
    const bool nc = suffixes_has(s, FLAG_NC);
    if (sem > SEM_ACQUIRE || cache == CACHE_WB || cache == CACHE_WT)
        return false;
    if (nc && (sem || s->mod[GROUP_SPACE] != SPACE_GLOBAL || cache == CACHE_LU || cache == CACHE_CV))
        return false;
    return access_legal(f, complete);
}

static bool store_legal(const struct form *f, bool complete)
{
    const enum mod sem = (enum mod)f->suffixes.mod[GROUP_SEM], space = (enum mod)f->suffixes.mod[GROUP_SPACE];
    const enum mod cache = (enum mod)f->suffixes.mod[GROUP_CACHE];
    if (sem == SEM_ACQUIRE || sem > SEM_RELEASE || space == SPACE_CONST || space == SPACE_PARAM)
        return false;
    if (cache == CACHE_CA || cache == CACHE_LU || cache == CACHE_CV)
        return false;
    return access_legal(f, complete);
}

static bool atomic_type_legal(enum mod atom, enum type t)
{
    switch (atom) {
    case ATOM_AND:
    case ATOM_OR:
    case ATOM_XOR:
    case ATOM_EXCH:
        return t == TYPE_B32 || t == TYPE_B64;
    case ATOM_ADD:
        return t == TYPE_U32 || t == TYPE_S32 || t == TYPE_U64 || t == TYPE_F32 || t == TYPE_F64;
    case ATOM_INC:
    case ATOM_DEC:
        return t == TYPE_U32;
    default:
        return t == TYPE_U32 || t == TYPE_S32 || t == TYPE_U64 || t == TYPE_S64;
    }
}

static bool is_reduction(enum op op)
{
    return op == OP_RED || op == OP_RED_HALF || op == OP_RED_VEC || op == OP_RED_VEC_HALF;
}

/* Vectors are of global memory, and of 16 bytes at most. */
static bool atomic_vector_legal(const struct form *f)
{
    const struct suffixes *s = &f->suffixes;
    const enum mod atom = (enum mod)s->mod[GROUP_ATOM];
    const bool is_known = atom == MOD_NONE || atom == ATOM_ADD || atom == ATOM_MIN || atom == ATOM_MAX;
    return is_known && is_global((enum mod)s->mod[GROUP_SPACE]) &&
           suffixes_vector(s) * type_bytes((enum type)s->type[0]) <= 16;
}

static bool atomic_legal(const struct form *f, bool complete)
{
    const struct suffixes *s = &f->suffixes;
    const enum mod sem = (enum mod)s->mod[GROUP_SEM], space = (enum mod)s->mod[GROUP_SPACE];
    const enum mod atom = (enum mod)s->mod[GROUP_ATOM];
    const enum type t = (enum type)s->type[0];
    if (sem && !is_ordered(sem))
        return false;
    if (is_reduction(f->op) && (sem == SEM_ACQUIRE || sem == SEM_ACQ_REL || atom == ATOM_EXCH))
        return false;
    if (!is_global(space) && (space != SPACE_SHARED || suffixes_has(s, FLAG_HINT)))
        return false;
    if (!complete)
        return true;
    if (f->op == OP_ATOM_CAS)
        return type_table[t].kind == KIND_BITS;
    if (f->op == OP_ATOM_EXCH_B128 || f->op == OP_ATOM_HALF || f->op == OP_RED_HALF)
        return true;
    if (s->mod[GROUP_VEC])
        return atomic_vector_legal(f);
    if (f->variant == ATOMIC_SHARED && (type_table[t].kind == KIND_FLOAT || atom == ATOM_EXCH))
        return false;
    return atomic_type_legal(atom, t);
}

static bool memory_legal(const struct form *f, bool complete)
{
    const enum mod space = (enum mod)f->suffixes.mod[GROUP_SPACE];
    switch (f->op) {
    case OP_LD:
        return load_legal(f, complete);
    case OP_LDU:
        return is_global(space) && access_legal(f, complete) && (!complete || !is_wide(f));
    case OP_ST:
        return store_legal(f, complete);
    case OP_PREFETCH:
        return complete && f->suffixes.mod[GROUP_LEVEL] > LEVEL_L2 ? space == SPACE_GLOBAL
                                                                   : is_global(space) || space == SPACE_LOCAL;
    case OP_PREFETCHU:
        return !complete || f->suffixes.mod[GROUP_LEVEL] == LEVEL_L1;
    default:
        return atomic_legal(f, complete);
    }
}

static const char *vector_open(unsigned n)
{
    return n > 1 ? "{" : "";
}
static const char *vector_close(unsigned n)
{
    return n > 1 ? "}" : "";
}

static void print_vector(struct text *out, const char *prefix, unsigned n)
{
    text_printf(out, "%s", vector_open(n));
    for (unsigned k = 0; k < n; k++)
        text_printf(out, "%s%s%u", k ? ", " : "", prefix, k);
    text_printf(out, "%s", vector_close(n));
}

/* What the instruction's operands end with: a cache policy, if the form wants one. */
static const char *policy_operand(struct emitter *e, const struct form *f)
{
    if (!suffixes_has(&f->suffixes, FLAG_HINT))
        return "";
    emit_register(e, 64, "%policy");
    emit_line(e, "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %%policy, 0.25;");
    return ", %policy";
}

static void make_load(struct emitter *e, const struct form *f, const char *mnemonic, struct random *random)
{
    const enum type t = (enum type)f->suffixes.type[0];
    const unsigned n = suffixes_vector(&f->suffixes), bits = register_bits(f);
    place_make(e, (enum mod)f->suffixes.mod[GROUP_SPACE], n * type_bytes(t), false, random);
    for (unsigned k = 0; k < n; k++)
        emit_line(e, ".reg .b%u %%d%u;", bits, k);
    struct text list = {0};
    print_vector(&list, "%d", n);
    emit_line(e, "%s %s, [%%place]%s;", mnemonic, list.data, policy_operand(e, f));
    static const enum type types[] = {TYPE_NONE, TYPE_NONE,      TYPE_B16,        TYPE_NONE,
                                      TYPE_B32,  [8] = TYPE_B64, [16] = TYPE_B128};
    for (unsigned k = 0; k < n; k++) {
        char reg[16];
        snprintf(reg, sizeof reg, "%%d%u", k);
        emit_output(e, reg, bits, types[bits / 8]);
    }
    text_free(&list);
}

/* The place is wider than the store, so that a store that is too wide is seen. */
static void make_store(struct emitter *e, const struct form *f, const char *mnemonic, struct random *random)
{
    const enum type t = (enum type)f->suffixes.type[0];
    const unsigned n = suffixes_vector(&f->suffixes), bits = register_bits(f);
    for (unsigned k = 0; k < n; k++) {
        char reg[16];
        snprintf(reg, sizeof reg, "%%a%u", k);
        void *column = emit_input(e, reg, bits, t);
        for (unsigned i = 0; i < e->c->threads; i++)
            emit_put(column, bits / 8, i, random_u64(random));
    }
    const struct place place =
        place_make(e, (enum mod)f->suffixes.mod[GROUP_SPACE], is_wide(f) ? 32 : 16, true, random);
    struct text list = {0};
    print_vector(&list, "%a", n);
    emit_line(e, "%s [%%place], %s%s;", mnemonic, list.data, policy_operand(e, f));
    place_keep(e, &place);
    text_free(&list);
}

static void make_prefetch(struct emitter *e, const struct form *f, const char *mnemonic, struct random *random)
{
    const enum mod space = (enum mod)f->suffixes.mod[GROUP_SPACE];
    place_make(e, space, 4, false, random);
    emit_register(e, 32, "%d");
    emit_line(e, "%s [%%place];", mnemonic);
    emit_line(e, "ld%s%s.u32 %%d, [%%place];", space ? "." : "", mod_text[space]);
    emit_output(e, "%d", 32, TYPE_U32);
}

/* Every edge meets every edge: 16 by 16. */
static void fill_atomic(const struct place *place, void *operand, enum type t, unsigned threads, struct random *random)
{
    uint64_t edges[VALUES_MAX];
    values_edges(t, USE_NUMBER, edges);
    for (unsigned i = 0; i < threads; i++) {
        const uint64_t memory = i < 256 ? edges[i / 16] : values_random(t, USE_NUMBER, random);
        const uint64_t value = i < 256 ? edges[i % 16] : values_random(t, USE_NUMBER, random);
        emit_put(place->data, type_bytes(t), i, memory);
        emit_put(operand, type_bytes(t), i, value);
    }
}

static void make_atomic(struct emitter *e, const struct form *f, const char *mnemonic, struct random *random)
{
    const enum type t = (enum type)f->suffixes.type[0];
    const unsigned bits = type_table[t].bits;
    void *operand = emit_input(e, "%a", bits, t);
    const struct place place = place_make(e, (enum mod)f->suffixes.mod[GROUP_SPACE], bits / 8, true, random);
    fill_atomic(&place, operand, t, e->c->threads, random);
    if (is_reduction(f->op)) {
        emit_line(e, "%s [%%place], %%a%s;", mnemonic, policy_operand(e, f));
    } else {
        emit_register(e, bits, "%d");
        emit_line(e, "%s %%d, [%%place], %%a%s;", mnemonic, policy_operand(e, f));
        emit_output(e, "%d", bits, t);
    }
    place_keep(e, &place);
}

/* Element k of thread i is edge i / 16 + k in memory, and edge i % 16 + k of the operand. */
static void make_atomic_vector(struct emitter *e, const struct form *f, const char *mnemonic, struct random *random)
{
    const enum type t = (enum type)f->suffixes.type[0];
    const unsigned n = suffixes_vector(&f->suffixes), bytes = type_bytes(t);
    uint64_t edges[VALUES_MAX];
    const unsigned count = (unsigned)values_edges(t, USE_NUMBER, edges);
    for (unsigned k = 0; k < n; k++) {
        char reg[16];
        snprintf(reg, sizeof reg, "%%a%u", k);
        void *column = emit_input(e, reg, 8 * bytes, t);
        for (unsigned i = 0; i < e->c->threads; i++)
            emit_put(column, bytes, i, i % 5 ? edges[(i % 16 + k) % count] : values_random(t, USE_NUMBER, random));
        emit_line(e, ".reg .b%u %%d%u;", 8 * bytes, k);
    }
    const struct place place = place_make(e, (enum mod)f->suffixes.mod[GROUP_SPACE], n * bytes, true, random);
    for (unsigned i = 0; i < e->c->threads * n; i++)
        emit_put(place.data, bytes, i,
                 i % 7 ? edges[(i / n / 16 + i % n) % count] : values_random(t, USE_NUMBER, random));
    struct text old = {0}, list = {0};
    print_vector(&old, "%d", n);
    print_vector(&list, "%a", n);
    if (is_reduction(f->op))
        emit_line(e, "%s [%%place], %s%s;", mnemonic, list.data, policy_operand(e, f));
    else
        emit_line(e, "%s %s, [%%place], %s%s;", mnemonic, old.data, list.data, policy_operand(e, f));
    for (unsigned k = 0; k < n && !is_reduction(f->op); k++) {
        char reg[16];
        snprintf(reg, sizeof reg, "%%d%u", k);
        emit_output(e, reg, 8 * bytes, t);
    }
    place_keep(e, &place);
    text_free(&old);
    text_free(&list);
}

static void make_cas(struct emitter *e, const struct form *f, const char *mnemonic, struct random *random)
{
    const enum type t = (enum type)f->suffixes.type[0];
    const unsigned bits = type_table[t].bits;
    void *compare = emit_input(e, "%a", bits, t);
    void *value = emit_input(e, "%c", bits, t);
    const struct place place = place_make(e, (enum mod)f->suffixes.mod[GROUP_SPACE], bits / 8, true, random);
    fill_atomic(&place, compare, t, e->c->threads, random);
    for (unsigned i = 0; i < e->c->threads; i++) {
        emit_put(value, bits / 8, i, random_u64(random));
        if (i % 2) /* half of them find what they look for */
            memcpy((uint8_t *)compare + (size_t)i * bits / 8, place.data + (size_t)i * bits / 8, bits / 8);
        if (bits == 128 && i % 8 == 1) /* only the upper halves differ */
            ((uint8_t *)compare)[(size_t)i * 16 + 12] ^= 1;
    }
    emit_register(e, bits, "%d");
    emit_line(e, "%s %%d, [%%place], %%a, %%c;", mnemonic);
    emit_output(e, "%d", bits, t);
    place_keep(e, &place);
}

/* All threads of a block on one place: the block's first entry of the result, or a variable in shared memory.
 */
static void make_contended(struct emitter *e, const struct form *f, const char *mnemonic, struct random *random)
{
    const enum type t = (enum type)f->suffixes.type[0];
    const unsigned bits = type_table[t].bits;
    void *operand = emit_input(e, "%a", bits, t);
    /* Counting modulo different numbers is not commutative. */
    const bool counts = f->suffixes.mod[GROUP_ATOM] == ATOM_INC || f->suffixes.mod[GROUP_ATOM] == ATOM_DEC;
    for (unsigned i = 0; i < e->c->threads; i++)
        emit_put(operand, bits / 8, i, counts ? 37 : i % 8 ? random_u64(random) : i);
    const int result = emit_buffer(e, (unsigned)bits / 8, t, true);
    for (unsigned i = 0; i < e->c->threads; i++)
        emit_put(e->c->base.arg[result].data, bits / 8, i, random_u64(random) >> (bits == 32 ? 40 : 8));
    const bool shared = f->suffixes.mod[GROUP_SPACE] == SPACE_SHARED;
    emit_register(e, bits, "%d");
    emit_register(e, 1, "%first");
    emit_register(e, 64, "%place");
    emit_register(e, 64, "%base");
    emit_line(e, "setp.eq.u32 %%first, %%t, 0;");
    emit_line(e, "sub.u32 %%flat, %%i, %%t;");
    emit_line(e, "mul.wide.u32 %%base, %%flat, %u;", bits / 8);
    emit_line(e, "add.u64 %%base, %%base, %%b%d;", result);
    if (shared) {
        text_printf(&e->module, ".shared .align 8 .b%u cell;\n", bits);
        emit_line(e, "mov.u64 %%place, cell;");
        emit_line(e, "@%%first ld.global.b%u %%d, [%%base];", bits);
        emit_line(e, "@%%first st.shared.b%u [cell], %%d;", bits);
        emit_line(e, "bar.sync 0;");
    } else {
        emit_line(e, "mov.u64 %%place, %%base;");
    }
    emit_line(e, "%s %s[%%place], %%a%s;", mnemonic, f->op == OP_RED ? "" : "%d, ", policy_operand(e, f));
    if (shared) {
        emit_line(e, "bar.sync 0;");
        emit_line(e, "@%%first ld.shared.b%u %%d, [cell];", bits);
        emit_line(e, "@%%first st.global.b%u [%%base], %%d;", bits);
    }
}

static struct op_case *memory_make(const struct form *f, const char *name)
{
    struct emitter e;
    struct text mnemonic = {0};
    form_print(f, &mnemonic);
    struct random random = {.state = bits_hash(BITS_HASH_SEED, op_table[f->op].id, strlen(op_table[f->op].id))};
    emit_begin(&e, f->op, name, THREADS, BLOCK);
    if (suffixes_has(&f->suffixes, FLAG_MMIO))
        e.version = 82;
    if (f->suffixes.type[0] == TYPE_B128)
        e.version = 84;
    else if (f->op >= OP_ATOM_VEC && f->op <= OP_RED_VEC_HALF)
        e.version = 81;
    if ((f->op == OP_LD || f->op == OP_ST) && is_wide(f)) {
        e.version = 88;
        e.target = "sm_100a";
        e.c->may_be_absent = true;
    }
    switch (f->op) {
    case OP_LD:
    case OP_LDU:
        make_load(&e, f, mnemonic.data, &random);
        break;
    case OP_ST:
        make_store(&e, f, mnemonic.data, &random);
        break;
    case OP_PREFETCH:
    case OP_PREFETCHU:
        make_prefetch(&e, f, mnemonic.data, &random);
        break;
    case OP_ATOM_CAS:
        make_cas(&e, f, mnemonic.data, &random);
        break;
    case OP_ATOM_VEC ... OP_RED_VEC_HALF:
        make_atomic_vector(&e, f, mnemonic.data, &random);
        break;
    default:
        if (f->variant == ATOMIC_SHARED)
            make_contended(&e, f, mnemonic.data, &random);
        else
            make_atomic(&e, f, mnemonic.data, &random);
        break;
    }
    text_free(&mnemonic);
    return emit_end(&e);
}

const struct family family_memory = {
    .variants = memory_variants, .legal = memory_legal, .describe = memory_describe, .make = memory_make};
