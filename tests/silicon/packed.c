/*
 * Instructions on several numbers in one register: packed and narrow conversions, packed 16-bit arithmetic, video
 * instructions with their selectors.
 *
 * Words are made of edges of their bytes and halves; floating-point numbers lie around the limits and the midpoints of
 * the narrow formats.
 */
#include "base/bits.h"
#include "base/diag.h"
#include "emit.h"
#include "family.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 768, BLOCK = 256, MAX_INPUTS = 6 };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* How a variant of a video instruction writes its operands. */
struct spelling {
    const char *d, *a, *b, *c;
};

/* `#` is a constant. From the sixth on, the destination has a selector, which excludes a second operation. */
static const struct spelling scalar_spellings[] = {
    {"", "", "", ""},          {"", ".b0", ".h1", ""}, {"", ".h0", ".b3", ""},  {"", ".b2", ".b1", ""},
    {"", ".h1", "#", "#"},     {".b0", "", ".h0", ""}, {".b1", ".h1", "", ""},  {".b2", ".b3", ".b2", ""},
    {".b3", ".b1", ".h1", ""}, {".h0", ".h1", "", ""}, {".h0", "", ".b0", "#"}, {".h1", ".h0", "#", ""},
    {".h1", "", ".b1", ""},
};
static const struct spelling half_spellings[] = {
    {"", "", "", ""},         {".h0", ".h01", ".h23", ""}, {".h1", ".h33", "", ""}, {".h10", ".h12", ".h30", ""},
    {"", ".h00", ".h21", ""},
};
static const struct spelling byte_spellings[] = {
    {"", "", "", ""},
    {".b0", ".b3210", ".b7654", ""},
    {".b21", ".b0000", "", ""},
    {".b310", ".b7531", ".b6420", ""},
    {".b3", ".b0123", ".b4567", ""},
    {".b3210", ".b1357", ".b0246", ""},
    {".b20", "", ".b3333", ""},
};
/* From the fourth on, signs stand before operands, which excludes .po. */
static const struct spelling mad_spellings[] = {
    {"", "", "", ""},     {"", ".h0", ".b2", ""}, {"", "", "#", ""},     {"", "-.b0", ".h1", ""},
    {"", ".h1", "-", ""}, {"", ".b3", "", "-"},   {"", "-", "-.h0", ""},
};

enum { FIRST_MERGE = 5, FIRST_MINUS = 3 };

static bool is_video(enum op op)
{
    return op >= OP_VADD && op <= OP_VSET4;
}

static int spellings_of(enum op op, const struct spelling **out)
{
    *out = op == OP_VMAD    ? mad_spellings
           : op >= OP_VADD4 ? byte_spellings
           : op >= OP_VADD2 ? half_spellings
                            : scalar_spellings;
    return op == OP_VMAD    ? COUNT(mad_spellings)
           : op >= OP_VADD4 ? COUNT(byte_spellings)
           : op >= OP_VADD2 ? COUNT(half_spellings)
                            : COUNT(scalar_spellings);
}

/* Variants of the other instructions. */
enum { REGISTERS, CONSTANT, WIDE_REGISTERS };

/* Whether the last operand may be a constant. */
static bool takes_constant(enum op op)
{
    return op == OP_CVT_PAIR || op == OP_CVT_NARROW || op == OP_CVT_PACK || op == OP_CVT_PACK_BELOW ||
           op == OP_MIN_RELU || op == OP_MAX_RELU;
}

/* Whether registers may be wider than the types; not with bf16. */
static bool takes_wide(const struct form *f)
{
    const bool is_row = f->op == OP_CVT_RELU || f->op == OP_CVT_FINITE || f->op == OP_CVT_PAIR ||
                        f->op == OP_CVT_PACK || f->op == OP_CVT_PACK_BELOW;
    return is_row && f->suffixes.type[0] != TYPE_BF16 && f->suffixes.type[0] != TYPE_BF16X2;
}

static int packed_variants(enum op op)
{
    const struct spelling *spellings;
    return is_video(op) ? spellings_of(op, &spellings) : WIDE_REGISTERS + 1;
}

static void packed_describe(const struct form *f, char out[FAMILY_NAME_BYTES])
{
    const struct spelling *s;
    out[0] = '\0';
    if (is_video(f->op)) {
        spellings_of(f->op, &s);
        s += f->variant;
        snprintf(out, FAMILY_NAME_BYTES, "%s%s%s%s%s%s%s", s->d, *s->a ? "_a" : "", s->a, *s->b ? "_b" : "", s->b,
                 *s->c ? "_c" : "", s->c);
    } else if (f->variant) {
        snprintf(out, FAMILY_NAME_BYTES, f->variant == CONSTANT ? "constant" : "wide");
    }
}

static bool legal_video(const struct form *f)
{
    const struct suffixes *s = &f->suffixes;
    const bool is_scalar = f->op < OP_VADD2;
    if (s->mod[GROUP_CMP] > CMP_GE)
        return false;
    if (f->op == OP_VMAD)
        return !suffixes_has(s, FLAG_PO) || f->variant < FIRST_MINUS;
    return is_scalar ? f->variant < FIRST_MERGE || !s->mod[GROUP_SECOND]
                     : !suffixes_has(s, FLAG_SAT) || !suffixes_has(s, FLAG_ADD);
}

static bool packed_legal(const struct form *f, bool complete)
{
    const enum mod rnd = (enum mod)f->suffixes.mod[GROUP_RND];
    if (!complete)
        return true;
    if (is_video(f->op))
        return legal_video(f);
    if (f->variant == CONSTANT ? !takes_constant(f->op) : f->variant == WIDE_REGISTERS && !takes_wide(f))
        return false;
    switch (f->op) {
    case OP_MIN_RELU:
    case OP_MAX_RELU: /* a constant cannot be two numbers */
        return f->variant == REGISTERS || f->suffixes.type[0] == TYPE_S32;
    case OP_CVT_RELU:
    case OP_CVT_FINITE:
    case OP_CVT_PAIR:
        return rnd == RND_RN || rnd == RND_RZ;
    case OP_CVT_TO_SCALE:
    case OP_CVT_TO_SCALE_PAIR:
        return rnd == RND_RZ || rnd == RND_RP;
    default:
        return rnd == MOD_NONE || rnd == RND_RN;
    }
}

/* The version and target that have the form. */
static void set_target(struct emitter *e, const struct form *f)
{
    const enum type d = (enum type)f->suffixes.type[0], s = (enum type)f->suffixes.type[1];
    const bool is_8 = d == TYPE_E4M3X2 || d == TYPE_E5M2X2 || s == TYPE_E4M3X2 || s == TYPE_E5M2X2;
    e->version = 81;
    if (f->op < OP_CVT_PAIR_RS || f->op > OP_CVT_TO_BF16_F4_SCALED ||
        (f->op < OP_CVT_TO_FIXED && is_8 && s != TYPE_BF16X2))
        return;
    const bool is_new = f->op == OP_CVT_NARROW_PAIR || f->op == OP_CVT_NARROW_PAIR_F4 || f->op >= OP_CVT_TO_FIXED;
    e->version = f->op >= OP_CVT_TO_BF16 ? 92 : is_new ? 91 : 87;
    e->target = "sm_100a";
    e->c->may_be_absent = true;
}

/* A word of bytes and halves at the edges of their types, a small number, or any number. */
static uint32_t random_word(struct random *random)
{
    static const uint32_t edges[] = {0,          1,          0x7f,       0x80,       0xff,       0x7fff,     0x8000,
                                     0xffff,     0x7fffffff, 0x80000000, 0xffffffff, 0x80000001, 0x7f80ff01, 0x80ff7f00,
                                     0x007fff80, 0xff8000ff, 31,         32,         33,         64};
    static const uint8_t bytes[] = {0, 1, 0x7f, 0x80, 0xff, 0x40, 0xfe, 0x81};
    const uint64_t noise = random_u64(random);
    uint32_t word = 0;
    switch (noise % 8) {
    case 0:
        return edges[noise / 8 % (uint64_t)COUNT(edges)];
    case 1:
    case 2:
        for (int i = 0; i < 4; i++)
            word = word << 8 | bytes[noise >> (8 + 8 * i) & 7];
        return word;
    case 3:
        return (uint32_t)(noise >> 8) % 70;
    case 4:
        return 0u - (uint32_t)(noise >> 8) % 70;
    default:
        return (uint32_t)(noise >> 32);
    }
}

/* An f32 with few bits in its fraction and an exponent that some narrow format has, or one unit beside such a
 * number. */
static uint32_t random_narrow_float(struct random *random)
{
    const uint64_t noise = random_u64(random);
    const uint32_t exponent = 127 - 28 + (uint32_t)(noise % 48), kept = 1 + (uint32_t)(noise >> 8) % 12;
    const uint32_t fraction = (uint32_t)(noise >> 32) & 0x7fffff & ~((1u << (23 - kept)) - 1);
    const uint32_t step = (noise >> 16) % 4 == 0 ? 1u : (noise >> 16) % 4 == 1 ? UINT32_MAX : 0u;
    return ((uint32_t)(noise >> 20) & 1) << 31 | ((exponent << 23 | fraction) + step);
}

static uint32_t float_value(unsigned thread, struct random *random)
{
    static const uint32_t limits[] = {0x43e00000, 0x43e80000, 0x43f00000, 0x47600000, 0x47700000, 0x477fe000,
                                      0x477ff000, 0x7f7f0000, 0x7f7f8000, 0x7f7fffff, 0x40c00000, 0x40a00000,
                                      0x41e00000, 0x40f00000, 0x3b000000, 0x3a800000, 0x37800000, 0x37000000,
                                      0x33800000, 0x33000000, 0x00400000};
    uint64_t edges[VALUES_MAX];
    const int count = values_edges(TYPE_F32, USE_NUMBER, edges);
    const uint64_t noise = random_u64(random);
    if (thread < (unsigned)count)
        return (uint32_t)edges[thread];
    if (noise % 8 == 0)
        return (uint32_t)edges[noise / 8 % (uint64_t)count];
    if (noise % 8 == 1)
        return ((uint32_t)(noise >> 40) & 1) << 31 |
               (limits[noise / 8 % (uint64_t)COUNT(limits)] + (uint32_t)(noise >> 16) % 3 - 1);
    return noise % 8 == 2 ? (uint32_t)(noise >> 32) : random_narrow_float(random);
}

/* Two halves: one from the edges of the format, one that goes through all patterns in steps. */
static uint32_t halves_value(enum type type, unsigned thread, struct random *random)
{
    uint64_t edges[VALUES_MAX];
    const int count = values_edges(type == TYPE_BF16X2 ? TYPE_BF16 : TYPE_F16, USE_NUMBER, edges);
    const uint32_t edge = (uint32_t)edges[thread % (unsigned)count], any = (thread * 85 + 3) & 0xffff;
    return random_u64(random) & 1 ? any << 16 | edge : edge << 16 | any;
}

static uint64_t input_value(const struct form *f, enum type slot, unsigned thread, struct random *random)
{
    const enum type from = (enum type)f->suffixes.type[1];
    if (slot == TYPE_F32)
        return float_value(thread, random);
    if (from == TYPE_F16X2 || from == TYPE_BF16X2)
        return halves_value(from, thread, random);
    if (slot == TYPE_B16 || slot == TYPE_B8) /* every code, in either byte */
        return (thread & 255) | ((thread * 7 + thread / 256) & 255) << 8;
    return random_word(random);
}

struct input {
    enum type type;
    unsigned bits; /* of the register */
    uint8_t *column;
};

static unsigned register_bits(const struct form *f, enum type type)
{
    return !is_video(f->op) && f->variant == WIDE_REGISTERS ? 64 : emit_register_bits(type);
}

static void write_constant(enum type type, struct text *list)
{
    text_printf(list, type == TYPE_F32 ? "0fC0A66666" : "-20000");
}

/* One operand that is read: a register with what the variant puts before and behind it. */
static void write_input(struct emitter *e, const struct form *f, struct input *input, int *count, enum type type,
                        const char *decoration, struct text *list)
{
    char reg[16];
    const bool is_minus = decoration[0] == '-';
    snprintf(reg, sizeof reg, "%%a%d", *count);
    text_printf(list, "%s%s%s", is_minus ? "-" : "", reg, decoration + is_minus);
    input[*count].type = type;
    input[*count].bits = register_bits(f, type);
    input[*count].column = emit_input(e, reg, input[*count].bits, type);
    ++*count;
}

static void write_bytes(struct emitter *e, enum type type, const char *from, const char *to)
{
    if (type == TYPE_B8)
        emit_line(e, "cvt.u%d.u%d %s, %s;", *to == '%' && to[1] == 'n' ? 8 : 16, from[1] == 'n' ? 8 : 16, to, from);
}

/* The operands of a form; a destination or source of 8 bits is a register %n of that width. */
static int emit_operands(struct emitter *e, const struct form *f, struct input *input, struct text *list)
{
    static const struct spelling plain = {"", "", "", ""};
    const struct spelling *s = &plain;
    struct op_slot slot[OP_MAX_SLOTS];
    const int slots = op_split_operands(op_table[f->op].operands, slot);
    if (is_video(f->op)) {
        spellings_of(f->op, &s);
        s += f->variant;
    }
    const char *const decoration[] = {s->d, s->a, s->b, s->c};
    int count = 0;
    for (int k = 0; k < slots; k++) {
        const enum type t = slot_type(&slot[k], &f->suffixes);
        const bool is_last = k == slots - 1;
        if (slot[k].optional && !f->suffixes.mod[GROUP_SECOND] && !*s->d && f->variant % 2 == 0)
            continue;
        text_printf(list, k ? ", " : "");
        if (slot[k].role == ROLE_DEST) {
            text_printf(list, "%s%s", t == TYPE_B8 ? "%n" : "%d", s->d);
        } else if (slot[k].role == ROLE_VALUE_FOUR) {
            for (int i = 0; i < 4; i++) {
                text_printf(list, i ? ", " : "{");
                write_input(e, f, input, &count, t, "", list);
            }
            text_printf(list, "}");
        } else if (is_video(f->op) ? *decoration[k] == '#' : is_last && f->variant == CONSTANT) {
            write_constant(t, list);
        } else if (t == TYPE_B8) {
            struct text wide = {0};
            write_input(e, f, input, &count, t, "", &wide);
            write_bytes(e, t, wide.data, "%n");
            text_free(&wide);
            text_printf(list, "%%n");
        } else {
            write_input(e, f, input, &count, t, decoration[k], list);
        }
    }
    return count;
}

static struct op_case *packed_make(const struct form *f, const char *name)
{
    struct emitter e;
    emit_begin(&e, f->op, name, THREADS, BLOCK);
    set_target(&e, f);
    struct op_slot slot[OP_MAX_SLOTS];
    op_split_operands(op_table[f->op].operands, slot);
    const enum type d = slot_type(&slot[0], &f->suffixes);
    emit_register(&e, register_bits(f, d), "%d");
    emit_register(&e, 8, "%n");
    struct input input[MAX_INPUTS];
    struct text list = {0}, mnemonic = {0};
    const int count = emit_operands(&e, f, input, &list);
    form_print(f, &mnemonic);
    emit_line(&e, "%s %s;", mnemonic.data, list.data);
    write_bytes(&e, d, "%n", "%d");
    emit_output(&e, "%d", register_bits(f, d), d);
    struct random random = {.state = bits_hash(BITS_HASH_SEED, op_table[f->op].id, strlen(op_table[f->op].id))};
    for (unsigned i = 0; i < THREADS; i++)
        for (int k = 0; k < count; k++) {
            const unsigned bits = type_table[input[k].type].bits;
            const uint64_t noise = bits < input[k].bits ? random_u64(&random) << bits : 0;
            emit_put(input[k].column, input[k].bits / 8, i, input_value(f, input[k].type, i, &random) | noise);
        }
    text_free(&list);
    text_free(&mnemonic);
    return emit_end(&e);
}

const struct family family_packed = {
    .variants = packed_variants,
    .legal = packed_legal,
    .describe = packed_describe,
    .make = packed_make,
};
