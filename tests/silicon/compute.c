/*
 * Instructions whose results depend on operand values alone: arithmetic, logic, comparisons, conversions.
 *
 * One operand: every edge value and then random ones. Two: every pair of edges, then random ones. Three
 * and more: random draws from the edges and beyond.
 */
#include "base/bits.h"
#include "base/diag.h"
#include "emit.h"
#include "family.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 768, BLOCK = 256, MAX_INPUTS = 6 };

static bool is_conversion(enum op op)
{
    return op == OP_CVT_INT || op == OP_CVT_TO_INT || op == OP_CVT_FROM_INT || op == OP_CVT_FLOAT;
}

/* Rows with a look-up table, whose variants are tables. */
static bool has_table(enum op op)
{
    return op == OP_LOP3 || op == OP_LOP3_BOOL;
}

static bool has_second_dest(enum op op)
{
    return op == OP_SETP || op == OP_SETP_BOOL || op == OP_SETP_F || op == OP_SETP_F_BOOL ||
           (op >= OP_SETP_F16X2 && op <= OP_SETP_BF16X2_BOOL);
}

/* Comparisons that combine their result with a predicate. */
static bool has_predicate(enum op op)
{
    switch (op) {
    case OP_SETP_BOOL:
    case OP_SETP_F_BOOL:
    case OP_SETP_F16_BOOL:
    case OP_SETP_BF16_BOOL:
    case OP_SETP_F16X2_BOOL:
    case OP_SETP_BF16X2_BOOL:
    case OP_SET_BOOL:
    case OP_SET_F16_BOOL:
    case OP_SET_BF16_BOOL:
    case OP_SET_F16X2_BOOL:
    case OP_SET_BF16X2_BOOL:
        return true;
    default:
        return false;
    }
}

/* Forms that only sm_100 and later have. */
static bool is_newer(enum op op)
{
    return op >= OP_MIN3_F32 && op <= OP_FMA_F32X2;
}

static const unsigned lop3_tables[] = {0x80, 0xfe, 0x96, 0xe8, 0xca, 0xd8, 0x1b, 0x3c,
                                       0x0f, 0x55, 0x01, 0x7f, 0x00, 0xff, 0x2a, 0x6d};

/* Which registers a conversion uses, beyond the narrowest that fit. */
enum { WIDTH_PLAIN, WIDTH_DEST_32, WIDTH_DEST_64, WIDTH_SOURCE_32, WIDTH_SOURCE_64, WIDTH_BOTH_64, WIDTH_COUNT };
/* How a comparison writes and reads predicates. */
enum { PREDICATES_ALL, PREDICATES_FIRST, PREDICATES_NEGATED };

/* Whether the form writes the predicate behind the `|`; lop3 with a predicate always does. */
static bool writes_second(const struct form *f)
{
    return f->variant != PREDICATES_FIRST || f->op == OP_LOP3_BOOL;
}

static int compute_variants(enum op op)
{
    if (has_table(op))
        return (int)(sizeof lop3_tables / sizeof *lop3_tables);
    if (has_predicate(op))
        return 3;
    if (has_second_dest(op))
        return 2;
    return is_conversion(op) ? WIDTH_COUNT : 1;
}

static void compute_describe(const struct form *f, char out[FAMILY_NAME_BYTES])
{
    static const char *const widths[WIDTH_COUNT] = {"", "d32", "d64", "s32", "s64", "d64s64"};
    static const char *const predicates[] = {"", "p", "not"};
    if (has_table(f->op))
        snprintf(out, FAMILY_NAME_BYTES, "0x%02x", lop3_tables[f->variant]);
    else if (is_conversion(f->op))
        snprintf(out, FAMILY_NAME_BYTES, "%s", widths[f->variant]);
    else
        snprintf(out, FAMILY_NAME_BYTES, "%s", predicates[f->variant]);
}

static bool is_integer(enum type t)
{
    const enum type_kind kind = (enum type_kind)type_table[t].kind;
    return kind == KIND_UINT || kind == KIND_SINT;
}

static unsigned dest_bits(const struct form *f, enum type t)
{
    if (f->variant == WIDTH_DEST_32)
        return 32;
    return f->variant == WIDTH_DEST_64 || f->variant == WIDTH_BOTH_64 ? 64 : emit_register_bits(t);
}

static unsigned source_bits(const struct form *f, enum type t)
{
    if (f->variant == WIDTH_SOURCE_32)
        return 32;
    return f->variant == WIDTH_SOURCE_64 || f->variant == WIDTH_BOTH_64 ? 64 : emit_register_bits(t);
}

static bool legal_width(const struct form *f)
{
    const enum type d = (enum type)f->suffixes.type[0], s = (enum type)f->suffixes.type[1];
    if (f->variant == WIDTH_PLAIN)
        return true;
    const bool dest = f->variant == WIDTH_DEST_32 || f->variant == WIDTH_DEST_64 || f->variant == WIDTH_BOTH_64;
    const bool source = f->variant >= WIDTH_SOURCE_32;
    if (dest && (!is_integer(d) || dest_bits(f, d) <= emit_register_bits(d)))
        return false;
    return !source || (is_integer(s) && source_bits(f, s) > emit_register_bits(s));
}

/* Between integers and bf16 registers are as wide as the types (none is made 8 bits wide), and .sat is out.
 */
static bool legal_with_bf16(const struct form *f, enum type other)
{
    return f->variant == WIDTH_PLAIN && type_table[other].bits > 8 && !suffixes_has(&f->suffixes, FLAG_SAT);
}

/* .sat must be able to change something. */
static bool range_covers(enum type d, enum type s)
{
    const bool d_signed = type_table[d].kind == KIND_SINT, s_signed = type_table[s].kind == KIND_SINT;
    const unsigned d_bits = type_table[d].bits, s_bits = type_table[s].bits;
    return d_signed == s_signed ? d_bits >= s_bits : d_signed && d_bits > s_bits;
}

static bool rounds_to_integral(enum mod rnd)
{
    return rnd == RND_RNI || rnd == RND_RZI || rnd == RND_RMI || rnd == RND_RPI;
}

static bool rounds_ieee(enum mod rnd)
{
    return rnd == RND_RN || rnd == RND_RZ || rnd == RND_RM || rnd == RND_RP;
}

static bool legal_float_conversion(enum type d, enum type s, enum mod rnd, bool ftz, bool sat)
{
    if (ftz && d != TYPE_F32 && s != TYPE_F32)
        return false;
    if (sat && (d == TYPE_BF16 || s == TYPE_BF16))
        return false;
    if (d == s)
        return rounds_to_integral(rnd) || rnd == MOD_NONE;
    if (type_table[d].bits > type_table[s].bits)
        return rnd == MOD_NONE || (s == TYPE_BF16 && rounds_ieee(rnd));
    return rounds_ieee(rnd) || (rnd == MOD_NONE && type_table[d].bits == type_table[s].bits);
}

static bool legal_conversion(const struct form *f)
{
    const enum type d = (enum type)f->suffixes.type[0], s = (enum type)f->suffixes.type[1];
    const enum mod rnd = (enum mod)f->suffixes.mod[GROUP_RND];
    const bool ftz = suffixes_has(&f->suffixes, FLAG_FTZ), sat = suffixes_has(&f->suffixes, FLAG_SAT);
    if (!legal_width(f))
        return false;
    switch (f->op) {
    case OP_CVT_INT:
        return !sat || !range_covers(d, s);
    case OP_CVT_TO_INT:
        return rounds_to_integral(rnd) && (!ftz || s == TYPE_F32) && (s != TYPE_BF16 || legal_with_bf16(f, d));
    case OP_CVT_FROM_INT:
        return rounds_ieee(rnd) && (!ftz || d == TYPE_F32) && (d != TYPE_BF16 || legal_with_bf16(f, s));
    default:
        return legal_float_conversion(d, s, rnd, ftz, sat);
    }
}

static bool legal_comparison(enum mod cmp, enum type t)
{
    switch ((enum type_kind)type_table[t].kind) {
    case KIND_BITS:
        return cmp == CMP_EQ || cmp == CMP_NE;
    case KIND_SINT:
        return cmp >= CMP_EQ && cmp <= CMP_GE;
    case KIND_UINT:
        return cmp >= CMP_EQ && cmp <= CMP_HS;
    default:
        return (cmp >= CMP_EQ && cmp <= CMP_GE) || cmp >= CMP_EQU;
    }
}

static bool legal_tf32(enum mod rnd, bool relu)
{
    return rnd == RND_RNA ? !relu : rnd == RND_RN || rnd == RND_RZ;
}

static bool legal_min_max(const struct suffixes *s)
{
    const bool plain = !suffixes_has(s, FLAG_FTZ) && !suffixes_has(s, FLAG_NANQ) && !suffixes_has(s, FLAG_XORSIGN);
    return suffixes_has(s, FLAG_XORSIGN) == suffixes_has(s, FLAG_ABS) && (s->type[0] == TYPE_F32 || plain);
}

static bool compute_legal(const struct form *f, bool complete)
{
    if (!complete)
        return true;
    const struct suffixes *s = &f->suffixes;
    const enum type t = (enum type)s->type[0], u = (enum type)s->type[1];
    const enum mod rnd = (enum mod)s->mod[GROUP_RND];
    const bool ftz = suffixes_has(s, FLAG_FTZ);
    if (is_conversion(f->op))
        return legal_conversion(f);
    switch (f->op) {
    case OP_ADD_CC:
    case OP_ADDC:
    case OP_SUB_CC:
    case OP_SUBC:
        return type_table[t].kind != KIND_BITS;
    case OP_MAD_SAT:
    case OP_MAD24_SAT:
        return s->mod[GROUP_HALF] == HALF_HI;
    case OP_LOP3_BOOL:
        return s->mod[GROUP_BOOL] != BOOL_XOR;
    case OP_SETP:
    case OP_SETP_BOOL:
        return legal_comparison((enum mod)s->mod[GROUP_CMP], t);
    case OP_SETP_F:
    case OP_SETP_F_BOOL:
        return legal_comparison((enum mod)s->mod[GROUP_CMP], t) && (!ftz || t == TYPE_F32);
    case OP_SET:
    case OP_SET_BOOL:
        return legal_comparison((enum mod)s->mod[GROUP_CMP], u) && (!ftz || (u == TYPE_F32 && t != TYPE_BF16)) &&
               f->variant != PREDICATES_FIRST;
    case OP_SETP_F16 ... OP_SETP_BF16_BOOL:
        return legal_comparison((enum mod)s->mod[GROUP_CMP], t) && f->variant != PREDICATES_FIRST;
    case OP_SETP_F16X2 ... OP_SETP_BF16X2_BOOL:
        return legal_comparison((enum mod)s->mod[GROUP_CMP], t);
    case OP_SET_F16 ... OP_SET_BF16X2_BOOL:
        return legal_comparison((enum mod)s->mod[GROUP_CMP], u) && (!ftz || t != TYPE_BF16) &&
               f->variant != PREDICATES_FIRST;
    case OP_MIN_F16 ... OP_MAX_BF16:
        return suffixes_has(s, FLAG_XORSIGN) == suffixes_has(s, FLAG_ABS);
    case OP_SLCT:
        return !ftz || u == TYPE_F32;
    case OP_MIN_F:
    case OP_MAX_F:
        return legal_min_max(s);
    case OP_ABS_F:
    case OP_NEG_F:
        return !ftz || t == TYPE_F32;
    case OP_MAD_F32:
    case OP_MAD_F64:
        return rounds_ieee(rnd);
    case OP_CVT_TF32:
        return legal_tf32(rnd, suffixes_has(s, FLAG_RELU));
    default:
        return rnd == MOD_NONE || rounds_ieee(rnd);
    }
}

/* Conversions: each pair of types with each rounding. */
static bool compute_essential(const struct form *f)
{
    return is_conversion(f->op) && f->variant == WIDTH_PLAIN && !f->suffixes.flags;
}

/* The operands of one form that are read. */
struct input {
    enum type type;
    enum value_use use;
    unsigned bits; /* of the register; the bits beyond the type's are noise that must not matter */
    uint8_t *column;
};

static enum value_use operand_use(enum op op, int index)
{
    switch (op) {
    case OP_SHL:
    case OP_SHR:
    case OP_SZEXT:
        return index == 1 ? USE_COUNT : USE_NUMBER;
    case OP_BFE:
        return index >= 1 ? USE_COUNT : USE_NUMBER;
    case OP_BFI:
    case OP_SHF:
        return index >= 2 ? USE_COUNT : USE_NUMBER;
    case OP_BMSK:
        return USE_COUNT;
    case OP_FNS:
        return index == 0 ? USE_NUMBER : index == 1 ? USE_LANE : USE_OFFSET;
    case OP_PRMT:
        return index == 2 ? USE_SELECTOR : USE_NUMBER;
    case OP_SIN:
    case OP_COS:
        return USE_ANGLE;
    default:
        return USE_NUMBER;
    }
}

/* Puts a value in place of one the row's error bound or PTX itself says nothing about. */
static void avoid_undefined(const struct form *f, uint64_t *v, const struct input *input)
{
    if (f->op == OP_DIV || f->op == OP_REM) {
        const unsigned bits = type_table[input[0].type].bits;
        const uint64_t ones = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
        const bool overflows =
            type_table[input[0].type].kind == KIND_SINT && v[0] == 1ull << (bits - 1) && v[1] == ones;
        if (v[1] == 0 || overflows)
            v[1] = 3;
    }
    if (f->op == OP_DIV_APPROX) { /* the bound holds for |b| from 2^-126 to 2^126 */
        const uint64_t magnitude = v[1] & 0x7fffffff;
        if ((magnitude > 0 && magnitude < 0x00800000) || (magnitude > 0x7e800000 && magnitude < 0x7f800000))
            v[1] = (v[1] & 0x80000000) | 0x3f9e0652;
    }
}

/*
 * c = -(a * b) as rounded: what is left of a fused sum is then the rounding error of the product. A NaN is
 * written out, since which one a host makes is its own affair.
 */
static uint64_t cancelling_addend(enum type t, uint64_t a, uint64_t b)
{
    if (t == TYPE_F32X2)
        return cancelling_addend(TYPE_F32, a & 0xffffffff, b & 0xffffffff) |
               cancelling_addend(TYPE_F32, a >> 32, b >> 32) << 32;
    uint64_t c = 0;
    if (t == TYPE_F64) {
        double x, y, z;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        z = x * y;
        memcpy(&c, &z, 8);
        return z != z ? 0x7ff8000000000000 : c ^ 1ull << 63;
    }
    float x, y, z;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    z = x * y;
    memcpy(&c, &z, 4);
    return z != z ? 0x7fc00000 : c ^ 1ull << 31;
}

static bool is_fused(enum op op)
{
    return op == OP_FMA_F32 || op == OP_FMA_F64 || op == OP_MAD_F32 || op == OP_MAD_F64 || op == OP_FMA_F32X2;
}

static uint64_t pick(const uint64_t *edges, int count, const struct input *in, struct random *random)
{
    const uint64_t choice = random_u64(random);
    return choice % 4 ? edges[choice / 4 % (uint64_t)count] : values_random(in->type, in->use, random);
}

static void fill(const struct form *f, struct input *input, int count, struct random *random)
{
    uint64_t edges[MAX_INPUTS][VALUES_MAX];
    int edge_count[MAX_INPUTS];
    for (int k = 0; k < count; k++)
        edge_count[k] = is_conversion(f->op) || f->op == OP_CVT_TF32
                            ? values_conversions(input[k].type, edges[k])
                            : values_edges(input[k].type, input[k].use, edges[k]);
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t v[MAX_INPUTS];
        for (int k = 0; k < count; k++) {
            const int e = (int)(k ? i % VALUES_PAIR_EDGES : count > 1 ? i / VALUES_PAIR_EDGES : i);
            if (count > 2)
                v[k] = pick(edges[k], edge_count[k], &input[k], random);
            else if (count == 2 && i < VALUES_PAIR_EDGES * VALUES_PAIR_EDGES)
                v[k] = edges[k][e % edge_count[k]];
            else if (count == 1 && e < edge_count[k])
                v[k] = edges[k][e];
            else
                v[k] = values_random(input[k].type, input[k].use, random);
        }
        if (is_fused(f->op) && i % 4 == 0)
            v[2] = cancelling_addend(input[0].type, v[0], v[1]);
        if (count > 2 && i % 8 == 3 && input[0].type == input[1].type)
            v[1] = v[0];
        if (f->op == OP_FMA_OOB && i % 16 == 5) /* the pattern of an element out of bounds, in one factor or half */
            v[i / 16 % 2] = (i / 32 % 2 ? 0x7ff7u : 0xfff7u) << (input[0].bits == 32 && i / 64 % 2 ? 16 : 0);
        avoid_undefined(f, v, input);
        for (int k = 0; k < count; k++) {
            const unsigned bits = type_table[input[k].type].bits;
            const uint64_t noise = bits < input[k].bits && i % 3 ? random_u64(random) << bits : 0;
            const unsigned bytes = input[k].bits == 1 ? 4 : input[k].bits / 8;
            emit_put(input[k].column, bytes, i, input[k].bits == 1 ? v[k] & 1 : v[k] | noise);
        }
    }
}

static bool reads_carry(enum op op)
{
    return op == OP_ADDC || op == OP_SUBC || op == OP_MADC;
}

static bool borrows(enum op op)
{
    return op == OP_SUB_CC || op == OP_SUBC;
}

/* Declares and loads the operands; writes the operand list. */
static int emit_operands(struct emitter *e, const struct form *f, struct input *input, struct text *list)
{
    struct op_slot slot[OP_MAX_SLOTS];
    const int slots = op_split_operands(op_table[f->op].operands, slot);
    int count = 0;
    for (int k = 0; k < slots; k++) {
        const enum type t = slot_type(&slot[k], &f->suffixes);
        char reg[16];
        snprintf(reg, sizeof reg, "%%a%d", count);
        switch (slot[k].role) {
        case ROLE_DEST:
            text_printf(list, "%%d");
            break;
        case ROLE_DEST_SECOND:
            text_printf(list, writes_second(f) ? "|%%e" : "");
            break;
        case ROLE_IMMEDIATE:
            text_printf(list, ", %u", lop3_tables[f->variant]);
            break;
        case ROLE_PREDICATE:
        case ROLE_VALUE:
            text_printf(list, slot[k].role == ROLE_PREDICATE && f->variant == PREDICATES_NEGATED ? ", !%s" : ", %s",
                        reg);
            input[count].type = t == TYPE_PRED ? TYPE_U32 : t;
            input[count].use = t == TYPE_PRED ? USE_BOOL : operand_use(f->op, count);
            input[count].bits = is_conversion(f->op) ? source_bits(f, t) : emit_register_bits(t);
            input[count].column = emit_input(e, reg, input[count].bits, t == TYPE_PRED ? TYPE_U32 : t);
            count++;
            break;
        default:
            panic("%s: an operand the family cannot make", op_table[f->op].id);
        }
    }
    return count;
}

static void emit_carry_in(struct emitter *e, const struct form *f, struct input *input, int count)
{
    input[count] = (struct input){.type = TYPE_U32, .use = USE_BOOL, .bits = 32};
    input[count].column = emit_input(e, "%carry", 32, TYPE_U32);
    emit_register(e, 32, "%scrap");
    emit_line(e, borrows(f->op) ? "sub.cc.u32 %%scrap, 0, %%carry;" : "add.cc.u32 %%scrap, %%carry, -1;");
}

static struct op_case *compute_make(const struct form *f, const char *name)
{
    struct emitter e;
    emit_begin(&e, f->op, name, THREADS, BLOCK);
    if (f->op == OP_CVT_TF32 && suffixes_has(&f->suffixes, FLAG_SATFINITE))
        e.version = 81;
    if (e.version == 81 && f->suffixes.mod[GROUP_RND] != RND_RNA) { /* newer than the silicon that is recorded */
        e.version = 86;
        e.target = "sm_100";
        e.c->may_be_absent = true;
    }
    if (f->op == OP_FMA_OOB)
        e.version = 81;
    if (is_newer(f->op)) {
        e.version = 88;
        e.target = "sm_100";
        e.c->may_be_absent = true;
    }
    if (f->op == OP_LOP3_BOOL)
        e.version = 82;
    struct op_slot slot[OP_MAX_SLOTS];
    op_split_operands(op_table[f->op].operands, slot);
    const enum type d = slot_type(&slot[0], &f->suffixes);
    const unsigned d_bits = is_conversion(f->op) ? dest_bits(f, d) : emit_register_bits(d);
    const bool second = slot[1].role == ROLE_DEST_SECOND && writes_second(f);
    emit_register(&e, d_bits, "%d");
    if (second)
        emit_register(&e, 1, "%e");
    struct input input[MAX_INPUTS];
    struct text list = {0}, mnemonic = {0};
    int count = emit_operands(&e, f, input, &list);
    if (reads_carry(f->op))
        emit_carry_in(&e, f, input, count++);
    form_print(f, &mnemonic);
    emit_line(&e, "%s %s;", mnemonic.data, list.data);
    const bool carries_out = suffixes_has(&f->suffixes, FLAG_CC);
    if (carries_out) {
        emit_register(&e, 32, "%out");
        emit_line(&e, borrows(f->op) ? "subc.u32 %%out, 0, 0;" : "addc.u32 %%out, 0, 0;");
    }
    emit_output(&e, "%d", d_bits, d == TYPE_PRED ? TYPE_U32 : d);
    if (second)
        emit_output(&e, "%e", 1, TYPE_U32);
    if (carries_out)
        emit_output(&e, "%out", 32, TYPE_U32);
    /* Forms that differ in rounding or flushing see the same operands, and so give outputs that pack well. */
    struct random random = {.state = bits_hash(BITS_HASH_SEED, op_table[f->op].id, strlen(op_table[f->op].id))};
    fill(f, input, count, &random);
    text_free(&list);
    text_free(&mnemonic);
    return emit_end(&e);
}

const struct family family_compute = {
    .variants = compute_variants,
    .legal = compute_legal,
    .describe = compute_describe,
    .essential = compute_essential,
    .make = compute_make,
};
