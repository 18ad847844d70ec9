/*
 * Video instructions: integer operations on bytes and halves that selectors name, with a second operation or a merge
 * into a third operand. One handler serves all forms of a row: the form is the instruction's control constant
 * (lanes_control()).
 *
 * An H200 has next to no video instructions: the driver's compiler builds them from others. SIMD instructions do what
 * the manual says. Scalar ones depart from the manual in the points below, and heddle does what the H200 does:
 *
 *   - Intermediate results have 64 bits; but a sum, a difference or a saturated shift has 32, and is sign-extended.
 *   - .sat to u32 turns negative numbers into 0, and leaves large ones as they are.
 *   - .sat to a byte or a half takes negative numbers for large ones.
 *   - Shifts saturate to 32 bits, not to the destination's part, by the low 34 bits of their result.
 *   - .min and .max compare as unsigned 64-bit numbers if the result is u32. The result of vset has the type of a.
 *   - A merge into the upper half takes the upper half of the result, not the lower.
 *   - vmad multiplies as signed numbers and sign-extends c; an unsigned result is then shifted as 64 unsigned bits.
 */
#include "lanes/lane_loop.h"
#include "lanes/narrow.h"

enum {
    VIDEO_SIGNED_D = 1,
    VIDEO_SIGNED_A = 2,
    VIDEO_SIGNED_B = 4,
    VIDEO_SAT = 8,
    VIDEO_EXTRA = 16, /* vshl, vshr: .wrap; vmad: .po; SIMD: .add */
    VIDEO_MINUS_PRODUCT = 32,
    VIDEO_MINUS_C = 64
};

/* The form of an instruction, as it stands in the control constant. */
struct video_form {
    uint16_t select[2];  /* of a and b (ops.h); 0: the whole register */
    uint8_t dest : 4;    /* scalar: 0, or a part and 1, bytes first (1 to 4), then halves (5, 6); SIMD: parts written */
    uint8_t compare : 4; /* vset: enum mod less CMP_EQ */
    uint8_t flags;
    uint8_t op;   /* less OP_VADD - 1 */
    uint8_t mode; /* enum mod: the second operation, or vmad's scale */
};
_Static_assert(sizeof(struct video_form) == sizeof(uint64_t), "the form is one constant");

static int parts_of(unsigned op)
{
    return op >= OP_VADD4 ? 4 : op >= OP_VADD2 ? 2 : 1;
}

/* The selector that is meant if none is written: all parts of a, or all parts of b. */
static uint16_t default_select(int parts, int operand)
{
    unsigned first = operand ? (unsigned)parts : 0, select = (unsigned)parts << 12 | (unsigned)(parts == 2) << 15;
    for (unsigned i = 0; i < (unsigned)parts; i++)
        select |= (first + i) << 3 * i;
    return (uint16_t)select;
}

static unsigned dest_code(const struct ref *d, int parts)
{
    if (parts == 1)
        return d->select ? 1 + select_index(d->select, 0) + 4 * select_is_halves(d->select) : 0;
    unsigned mask = 0;
    for (unsigned i = 0; i < select_count(d->select); i++)
        mask |= 1u << select_index(d->select, i);
    return d->select ? mask : (1u << parts) - 1;
}

/* vset has no type of its own for d. */
static unsigned sign_flags(const struct insn *insn)
{
    const uint8_t *t = insn->suffixes.type;
    bool is_set = insn->op == OP_VSET || insn->op == OP_VSET2 || insn->op == OP_VSET4;
    if (is_set)
        return (t[0] == TYPE_S32 ? VIDEO_SIGNED_D | VIDEO_SIGNED_A : 0) | (t[1] == TYPE_S32 ? VIDEO_SIGNED_B : 0);
    return (t[0] == TYPE_S32 ? VIDEO_SIGNED_D : 0) | (t[1] == TYPE_S32 ? VIDEO_SIGNED_A : 0) |
           (t[2] == TYPE_S32 ? VIDEO_SIGNED_B : 0);
}

bool video_control(const struct insn *insn, uint64_t *control)
{
    if (insn->op < OP_VADD || insn->op > OP_VSET4)
        return false;
    const struct suffixes *s = &insn->suffixes;
    int parts = parts_of(insn->op);
    bool extra =
        s->mod[GROUP_WRAP] == WRAP_WRAP || suffixes_has(s, FLAG_PO) || (parts > 1 && suffixes_has(s, FLAG_ADD));
    unsigned flags = sign_flags(insn) | (suffixes_has(s, FLAG_SAT) ? VIDEO_SAT : 0) | (extra ? VIDEO_EXTRA : 0);
    if (insn->source[0].negate != insn->source[1].negate)
        flags |= VIDEO_MINUS_PRODUCT;
    if (insn->source[2].negate)
        flags |= VIDEO_MINUS_C;
    struct video_form f = {.dest = (uint8_t)(dest_code(&insn->dest[0], parts) & 15),
                           .compare = (uint8_t)(s->mod[GROUP_CMP] ? (s->mod[GROUP_CMP] - CMP_EQ) & 15 : 0),
                           .flags = (uint8_t)flags,
                           .op = (uint8_t)(insn->op - OP_VADD + 1),
                           .mode = s->mod[GROUP_SECOND] ? s->mod[GROUP_SECOND] : s->mod[GROUP_SCALE]};
    for (int i = 0; i < 2; i++)
        f.select[i] = parts > 1 && !insn->source[i].select ? default_select(parts, i) : insn->source[i].select;
    memcpy(control, &f, sizeof f);
    return true;
}

static struct video_form form_of(const void *plane)
{
    struct video_form f;
    memcpy(&f, plane, sizeof f);
    return f;
}

/* Bits of the value from bit `at` on, extended by sign or zeros. */
static int64_t field(uint64_t value, unsigned at, unsigned bits, bool is_signed)
{
    uint64_t up = value << (64 - at - bits);
    return is_signed ? (int64_t)up >> (64 - bits) : (int64_t)(up >> (64 - bits));
}

static int64_t part(uint32_t value, uint16_t select, bool is_signed)
{
    unsigned bits = !select ? 32 : select_is_halves(select) ? 16 : 8;
    return field(value, select ? bits * select_index(select, 0) : 0, bits, is_signed);
}

static int64_t clamp(int64_t value, unsigned bits, bool is_signed)
{
    int64_t most = ((int64_t)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return value < least ? least : value > most ? most : value;
}

static bool compare(int64_t a, int64_t b, unsigned compare)
{
    switch (compare + CMP_EQ) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return a != b;
    case CMP_LT:
        return a < b;
    case CMP_LE:
        return a <= b;
    case CMP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static int64_t operate(const struct video_form *f, int64_t a, int64_t b)
{
    unsigned count = f->flags & VIDEO_EXTRA ? (unsigned)b & 31 : b > 32 ? 32 : (unsigned)b;
    switch (f->op + OP_VADD - 1) {
    case OP_VADD:
    case OP_VADD2:
    case OP_VADD4:
        return a + b;
    case OP_VSUB:
    case OP_VSUB2:
    case OP_VSUB4:
        return a - b;
    case OP_VABSDIFF:
    case OP_VABSDIFF2:
    case OP_VABSDIFF4:
        return a > b ? a - b : b - a;
    case OP_VMIN:
    case OP_VMIN2:
    case OP_VMIN4:
        return a < b ? a : b;
    case OP_VMAX:
    case OP_VMAX2:
    case OP_VMAX4:
        return a > b ? a : b;
    case OP_VAVRG2:
    case OP_VAVRG4:
        return (a + b + (a + b >= 0)) >> 1;
    case OP_VSHL:
        return (int64_t)((uint64_t)a << count);
    case OP_VSHR:
        return a >> count;
    default:
        return compare(a, b, f->compare);
    }
}

static bool is_op(const struct video_form *f, enum op first, enum op second)
{
    unsigned op = f->op + OP_VADD - 1u;
    return op == (unsigned)first || op == (unsigned)second;
}

static int64_t saturate_shift(int64_t value, bool is_signed)
{
    int64_t cut = (int64_t)((uint64_t)value << 30) >> 30;
    return (int32_t)clamp(cut, 32, is_signed);
}

/* .sat of a scalar instruction to a destination of that many bits. */
static int64_t saturate(const struct video_form *f, int64_t value, unsigned bits)
{
    bool is_signed = f->flags & VIDEO_SIGNED_D;
    if (is_op(f, OP_VSHL, OP_VSHR))
        return saturate_shift(value, is_signed);
    if (bits < 32) {
        uint32_t most = (1u << (bits - is_signed)) - 1;
        return value >> 32 || (uint32_t)value > most ? most : (uint32_t)value;
    }
    return is_signed ? clamp(value, 32, true) : value < 0 ? 0 : value;
}

static bool is_less(const struct video_form *f, int64_t a, int64_t b)
{
    return f->flags & VIDEO_SIGNED_D ? a < b : (uint64_t)a < (uint64_t)b;
}

static uint32_t second(const struct video_form *f, int64_t value, uint32_t c)
{
    int64_t other = f->flags & VIDEO_SIGNED_D ? (int64_t)(int32_t)c : (int64_t)c;
    switch (f->mode) {
    case SECOND_ADD:
        return (uint32_t)value + c;
    case SECOND_MIN:
        return is_less(f, value, other) ? (uint32_t)value : c;
    case SECOND_MAX:
        return is_less(f, other, value) ? (uint32_t)value : c;
    default:
        return (uint32_t)value;
    }
}

static uint32_t scalar(const struct video_form *f, uint32_t a, uint32_t b, uint32_t c)
{
    int64_t value =
        operate(f, part(a, f->select[0], f->flags & VIDEO_SIGNED_A), part(b, f->select[1], f->flags & VIDEO_SIGNED_B));
    unsigned bits = !f->dest ? 32 : f->dest > 4 ? 16 : 8;
    if (f->flags & VIDEO_SAT)
        value = saturate(f, value, bits);
    if (is_op(f, OP_VADD, OP_VSUB))
        value = (int32_t)value;
    if (!f->dest)
        return second(f, value, c);
    unsigned at = bits * ((f->dest - 1u) % 4);
    uint32_t mask = ((1u << bits) - 1) << at, placed = f->dest == 6 ? (uint32_t)value : (uint32_t)value << at;
    return (placed & mask) | (c & ~mask);
}

static void video_scalar(const struct lanes *x)
{
    const struct video_form f = form_of(x->source[3]);
    const uint32_t *a = x->source[0], *b = x->source[1], *c = x->source[2];
    uint32_t *d = x->dest[0];
    EACH_LANE_SERIAL(i) d[i] = scalar(&f, a[i], b[i], c[i]);
}

static uint32_t simd(const struct video_form *f, unsigned parts, uint32_t a, uint32_t b, uint32_t c)
{
    const unsigned bits = 32 / parts;
    const uint32_t ones = (1u << bits) - 1;
    const uint64_t pair = (uint64_t)b << 32 | a;
    uint32_t sum = c, merged = c;
    for (unsigned i = 0; i < parts; i++) {
        if (!(f->dest >> i & 1))
            continue;
        int64_t first = field(pair, bits * select_index(f->select[0], i), bits, f->flags & VIDEO_SIGNED_A);
        int64_t other = field(pair, bits * select_index(f->select[1], i), bits, f->flags & VIDEO_SIGNED_B);
        int64_t value = operate(f, first, other);
        if (f->flags & VIDEO_SAT)
            value = clamp(value, bits, f->flags & VIDEO_SIGNED_D);
        sum += (uint32_t)value;
        merged = (merged & ~(ones << bits * i)) | ((uint32_t)value & ones) << bits * i;
    }
    return f->flags & VIDEO_EXTRA ? sum : merged;
}

static void video_halves(const struct lanes *x)
{
    const struct video_form f = form_of(x->source[3]);
    const uint32_t *a = x->source[0], *b = x->source[1], *c = x->source[2];
    uint32_t *d = x->dest[0];
    EACH_LANE_SERIAL(i) d[i] = simd(&f, 2, a[i], b[i], c[i]);
}

static void video_bytes(const struct lanes *x)
{
    const struct video_form f = form_of(x->source[3]);
    const uint32_t *a = x->source[0], *b = x->source[1], *c = x->source[2];
    uint32_t *d = x->dest[0];
    EACH_LANE_SERIAL(i) d[i] = simd(&f, 4, a[i], b[i], c[i]);
}

static uint32_t mad(const struct video_form *f, uint32_t a, uint32_t b, uint32_t c)
{
    const unsigned minus = VIDEO_MINUS_PRODUCT | VIDEO_MINUS_C;
    const bool is_signed = f->flags & (VIDEO_SIGNED_A | VIDEO_SIGNED_B | minus);
    const unsigned scale = f->mode == SCALE_SHR7 ? 7 : f->mode == SCALE_SHR15 ? 15 : 0;
    int64_t product = (int64_t)(int32_t)part(a, f->select[0], f->flags & VIDEO_SIGNED_A) *
                      (int32_t)part(b, f->select[1], f->flags & VIDEO_SIGNED_B);
    int64_t sum = f->flags & VIDEO_MINUS_C ? -(int64_t)(int32_t)c : (int32_t)c;
    sum += (f->flags & VIDEO_MINUS_PRODUCT ? -product : product) + (f->flags & VIDEO_EXTRA ? 1 : 0);
    sum = is_signed ? sum >> scale : (int64_t)((uint64_t)sum >> scale);
    return (uint32_t)(f->flags & VIDEO_SAT ? clamp(sum, 32, is_signed) : sum);
}

static void video_mad(const struct lanes *x)
{
    const struct video_form f = form_of(x->source[3]);
    const uint32_t *a = x->source[0], *b = x->source[1], *c = x->source[2];
    uint32_t *d = x->dest[0];
    EACH_LANE_SERIAL(i) d[i] = mad(&f, a[i], b[i], c[i]);
}

lane_fn *lanes_find_video(const struct insn *insn)
{
    unsigned cmp = insn->suffixes.mod[GROUP_CMP];
    if (insn->op < OP_VADD || insn->op > OP_VSET4 || cmp > CMP_GE)
        return NULL;
    int parts = parts_of(insn->op);
    return insn->op == OP_VMAD ? video_mad : parts == 4 ? video_bytes : parts == 2 ? video_halves : video_scalar;
}
