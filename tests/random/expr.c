/*
 * Statements without control flow or memory: arithmetic from arith.def, carry chains, predicates, and the
 * path hash. Each reads and writes live variables only, so each is legal at any place of a program.
 *
 * Float variables may hold NaN, but a NaN never becomes bits: whatever stores, converts or reinterprets
 * a float takes it through expr_clean() first, since PTX leaves NaN payloads open.
 */
#include <string.h>

#include "gen.h"

struct arith {
    const char *opcode, *signature;
    enum random_construct construct;
};

static const struct arith ariths[] = {
#define ARITH(opcode, signature, construct) {opcode, signature, RANDOM_##construct},
#include "arith.def"
#undef ARITH
};

struct name expr_clean(struct gen *g, enum kind kind, const char *value)
{
    bool single = kind == KIND_F;
    struct name p = gen_temporary(g, KIND_P);
    struct name t = gen_temporary(g, kind);
    gen_op(g, "setp.nan.%s %s, %s, %s", single ? "f32" : "f64", p.s, value, value);
    if (single)
        gen_op(g, "selp.f32 %s, 0f3FC00000, %s, %s", t.s, value, p.s);
    else
        gen_op(g, "selp.f64 %s, 0d3FF8000000000000, %s, %s", t.s, value, p.s);
    return t;
}

/* The kind of variable behind a letter of a signature. */
static enum kind expr_kind(char letter)
{
    static const char *const letters[KINDS] = {"rRzsbL", "dDZ", "hHy", "fFC", "gGK", "p"};
    int kind = 0;
    while (!strchr(letters[kind], letter))
        kind++;
    return (enum kind)kind;
}

static struct name expr_nonzero(struct gen *g, enum kind kind)
{
    struct name t = gen_temporary(g, kind);
    struct name v = gen_source(g, kind);
    gen_op(g, "or.b%s %s, %s, 1", kind == KIND_R ? "32" : kind == KIND_D ? "64" : "16", t.s, v.s);
    return t;
}

static struct name expr_byte(struct gen *g)
{
    if (rng_chance(&g->rng, 50))
        return name_format("%u", rng_below(&g->rng, rng_chance(&g->rng, 80) ? 33 : 256));
    struct name t = gen_temporary(g, KIND_R);
    struct name v = gen_source(g, KIND_R);
    gen_op(g, "and.b32 %s, %s, %s", t.s, v.s, rng_chance(&g->rng, 80) ? "31" : "255");
    return t;
}

static struct name expr_argument(struct gen *g, char letter)
{
    enum kind kind = expr_kind(letter);
    if (strchr("RDHFG", letter))
        return gen_operand(g, kind);
    if (strchr("zZy", letter))
        return expr_nonzero(g, kind);
    if (letter == 'b')
        return expr_byte(g);
    if (letter == 'L')
        return name_format("0x%02x", rng_below(&g->rng, 256));
    if (letter == 's' && rng_chance(&g->rng, 60))
        return name_format("%u", rng_below(&g->rng, 36));
    struct name v = gen_source(g, kind);
    return letter == 'C' || letter == 'K' ? expr_clean(g, kind, v.s) : v;
}

static bool expr_available(const struct gen *g, const struct arith *a)
{
    for (const char *c = a->signature; *c; c++)
        if (!gen_has(g, expr_kind(*c)))
            return false;
    return true;
}

static void expr_arith(struct gen *g)
{
    const struct arith *a;
    do {
        a = &ariths[rng_below(&g->rng, sizeof ariths / sizeof ariths[0])];
    } while (!expr_available(g, a));
    gen_count(g, a->construct);
    struct name argument[4];
    size_t count = strlen(a->signature) - 1;
    for (size_t i = 0; i < count; i++) {
        argument[i] = expr_argument(g, a->signature[1 + i]);
        /* x - x and x ^ x are constants, and soon the branches after them */
        if (i == 1 && strchr("RDH", a->signature[2]) && !strcmp(argument[0].s, argument[1].s))
            argument[1] = gen_immediate(g, expr_kind(a->signature[2]));
    }
    struct name dest = gen_dest(g, expr_kind(a->signature[0]));
    struct name guard = gen_guard(g);
    struct draft line = {0};
    draft_add(&line, "%s%s %s", guard.s, a->opcode, dest.s);
    for (size_t i = 0; i < count; i++)
        draft_add(&line, ", %s", argument[i].s);
    gen_op(g, "%s", line.s);
    draft_clear(&line);
}

/* A mixing step: without it min, and, shifts soon leave variables all alike and branches uniform. */
static void expr_stir(struct gen *g)
{
    struct name dest = gen_dest(g, KIND_R);
    struct name a = gen_source(g, KIND_R);
    struct name b = gen_source(g, KIND_R);
    uint32_t factor = (uint32_t)rng_next(&g->rng) | 1;
    gen_count(g, RANDOM_arith32);
    if (rng_chance(&g->rng, 50))
        gen_op(g, "mad.lo.u32 %s, %s, 0x%x, %s", dest.s, a.s, (unsigned)factor, b.s);
    else
        gen_op(g, "lop3.b32 %s, %s, %s, 0x%x, 0x96", dest.s, a.s, b.s, (unsigned)factor);
}

void expr_mark(struct gen *g)
{
    unsigned id = rng_below(&g->rng, 1000);
    gen_count(g, RANDOM_mark);
    if (rng_chance(&g->rng, 50)) {
        gen_op(g, "mad.lo.u32 %%hash, %%hash, 33, %u", id);
    } else {
        struct name v = gen_source(g, KIND_R);
        gen_op(g, "mad.lo.u32 %%hash, %%hash, %u, %s", 2 * id + 3, v.s);
    }
}

static void expr_carry(struct gen *g)
{
    gen_count(g, RANDOM_carry_chain);
    unsigned length = 2 + rng_below(&g->rng, 3);
    unsigned shape = rng_below(&g->rng, gen_has(g, KIND_D) ? 4 : 3);
    for (unsigned i = 0; i < length; i++) {
        enum kind kind = shape == 3 ? KIND_D : KIND_R;
        struct name dest = gen_dest(g, kind);
        struct name a = gen_source(g, kind);
        struct name b = gen_operand(g, kind);
        struct name c = gen_source(g, kind);
        const char *in = i ? "c" : "";
        const char *out = i + 1 < length ? ".cc" : "";
        if (shape == 0)
            gen_op(g, "add%s%s.u32 %s, %s, %s", in, out, dest.s, a.s, b.s);
        else if (shape == 1)
            gen_op(g, "sub%s%s.u32 %s, %s, %s", in, out, dest.s, a.s, b.s);
        else if (shape == 2)
            gen_op(g, "mad%s.%s%s.u32 %s, %s, %s, %s", in, i & 1 ? "hi" : "lo", out, dest.s, a.s, b.s, c.s);
        else
            gen_op(g, "add%s%s.u64 %s, %s, %s", in, out, dest.s, a.s, b.s);
    }
}

/* Live registers change places, all at once. */
static void expr_vector_move(struct gen *g)
{
    int live = g->scope->live[KIND_R], first = (int)rng_below(&g->rng, (unsigned)live);
    unsigned elements = live >= 4 && rng_chance(&g->rng, 50) ? 4 : 2;
    struct draft line = {0};
    struct name guard = gen_guard(g);
    if (live < 2) {
        expr_stir(g);
        return;
    }
    gen_count(g, RANDOM_vector_move);
    draft_add(&line, "%smov.v%u.b32 {", guard.s, elements);
    for (unsigned i = 0; i < elements; i++)
        draft_add(&line, "%s%s", i ? ", " : "", gen_live(KIND_R, (first + (int)i) % live).s);
    draft_add(&line, "}, {");
    for (unsigned i = 0; i < elements; i++)
        draft_add(&line, "%s%s", i ? ", " : "", gen_source(g, KIND_R).s);
    gen_op(g, "%s}", line.s);
    draft_clear(&line);
}

static void expr_pack(struct gen *g)
{
    if (rng_chance(&g->rng, 20)) {
        expr_vector_move(g);
        return;
    }
    bool wide = gen_has(g, KIND_D) && (!gen_has(g, KIND_H) || rng_chance(&g->rng, 60));
    if (!wide && !gen_has(g, KIND_H)) {
        expr_stir(g);
        return;
    }
    enum kind part = wide ? KIND_R : KIND_H, whole = wide ? KIND_D : KIND_R;
    const char *type = wide ? "b64" : "b32";
    gen_count(g, RANDOM_pack);
    if (rng_chance(&g->rng, 50)) {
        struct name dest = gen_dest(g, whole);
        struct name low = gen_source(g, part);
        struct name high = gen_source(g, part);
        gen_op(g, "mov.%s %s, {%s, %s}", type, dest.s, low.s, high.s);
        return;
    }
    int low = (int)rng_below(&g->rng, (unsigned)g->scope->live[part]);
    int high = (low + 1) % g->scope->live[part];
    struct name source = gen_source(g, whole);
    struct name first = gen_live(part, low);
    struct name second = gen_live(part, high);
    gen_op(g, "mov.%s {%s, %s}, %s", type, first.s, second.s, source.s);
}

/* Two words of 64 bits, or four of 32, into a register of 128 bits and out again, in another order. */
static void expr_wide_move(struct gen *g)
{
    bool is_long = gen_has(g, KIND_D) && g->scope->live[KIND_D] > 1 && rng_chance(&g->rng, 60);
    enum kind kind = is_long ? KIND_D : KIND_R;
    int live = g->scope->live[kind], parts = is_long ? 2 : 4, first = (int)rng_below(&g->rng, (unsigned)live);
    struct name in[4], out[4];
    for (int i = 0; i < parts; i++) {
        in[i] = gen_source(g, kind);
        out[i] = i < live ? gen_live(kind, (first + i) % live) : name_format("_");
    }
    gen_count(g, RANDOM_wide_move);
    gen_line(g, "{");
    gen_line(g, ".reg .b128 %%wide, %%other;");
    if (is_long)
        gen_op(g, "mov.b128 %%wide, {%s, %s}", in[0].s, in[1].s);
    else
        gen_op(g, "mov.b128 %%wide, {%s, %s, %s, %s}", in[0].s, in[1].s, in[2].s, in[3].s);
    gen_op(g, "mov.b128 %%other, %%wide");
    if (is_long)
        gen_op(g, "mov.b128 {%s, %s}, %%other", out[1].s, out[0].s);
    else
        gen_op(g, "mov.b128 {%s, %s, %s, %s}, %%other", out[2].s, out[0].s, out[3].s, out[1].s);
    gen_line(g, "}");
}

static void expr_special(struct gen *g)
{
    static const char *const registers[] = {
        "%laneid", "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge", "%tid.x",
        "%tid.y",  "%tid.z",       "%ntid.x",      "%ntid.y",      "%ctaid.x",     "%ctaid.y",     "%nctaid.x",
    };
    struct name dest = gen_dest(g, KIND_R);
    struct name t = gen_temporary(g, KIND_R);
    gen_count(g, RANDOM_special_register);
    gen_op(g, "mov.u32 %s, %s", t.s, registers[rng_below(&g->rng, sizeof registers / sizeof registers[0])]);
    gen_op(g, "mad.lo.u32 %s, %s, 37, %s", dest.s, dest.s, t.s);
}

struct comparison {
    struct name a, b;
    const char *compare, *type;
};

static struct comparison expr_compare_float(struct gen *g, enum kind kind)
{
    static const char *const operators[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                            "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    struct comparison c;
    c.compare = operators[rng_below(&g->rng, sizeof operators / sizeof operators[0])];
    c.type = kind == KIND_G ? "f64" : rng_chance(&g->rng, 25) ? "ftz.f32" : "f32";
    c.a = gen_source(g, kind);
    c.b = gen_operand(g, kind);
    return c;
}

static struct comparison expr_compare_integer(struct gen *g, enum kind kind)
{
    static const char *const signed_ops[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    static const char *const unsigned_ops[] = {"lo", "ls", "hi", "hs", "lt", "ge", "eq", "ne"};
    static const char *const types[2][3] = {{"u32", "u64", "u16"}, {"s32", "s64", "s16"}};
    struct comparison c;
    bool is_signed = rng_chance(&g->rng, 50);
    c.compare = is_signed ? signed_ops[rng_below(&g->rng, 6)] : unsigned_ops[rng_below(&g->rng, 8)];
    c.type = types[is_signed][kind];
    c.a = gen_source(g, kind);
    c.b = gen_operand(g, kind);
    if (!strcmp(c.a.s, c.b.s)) /* the branch would be constant and what hangs on it dead */
        c.b = gen_immediate(g, kind);
    return c;
}

/* A few bits against a number: both outcomes come up, which full words would not give. */
static struct comparison expr_compare_bits(struct gen *g)
{
    static const char *const compares[] = {"eq", "ne", "gt", "le"};
    struct comparison c = {.type = "s32"};
    unsigned mask = (1u << (1 + rng_below(&g->rng, 3))) - 1;
    struct name t = gen_temporary(g, KIND_R);
    struct name v = gen_word(g);
    gen_op(g, "and.b32 %s, %s, %u", t.s, v.s, mask);
    c.compare = compares[rng_below(&g->rng, 4)];
    c.a = t;
    c.b = name_format("%u", rng_below(&g->rng, mask));
    return c;
}

/* By position: lane patterns, halves of a row, whole rows, whole blocks. */
static struct comparison expr_compare_position(struct gen *g)
{
    struct comparison c = {.type = "u32", .b = name_format("0")};
    struct name t = gen_temporary(g, KIND_R);
    unsigned threads = g->plan.threads_per_block;
    unsigned shape = rng_below(&g->rng, 5);
    c.a = t;
    c.compare = rng_chance(&g->rng, 50) ? "eq" : "ne";
    if (shape == 0 && threads > 1) {
        c.a = name_format("%%lin");
        c.compare = rng_chance(&g->rng, 50) ? "lo" : "hs";
        c.b = name_format("%u", 1 + rng_below(&g->rng, threads - 1));
    } else if (shape == 1 && threads > 64) {
        gen_op(g, "and.b32 %s, %%lin, %u", t.s, 32u << rng_below(&g->rng, 2));
    } else if (shape == 2) {
        gen_op(g, "and.b32 %s, %%lin, %u", t.s, 1u << rng_below(&g->rng, 5));
    } else if (shape == 3) {
        gen_op(g, "mov.u32 %s, %%ctaid.x", t.s);
    } else {
        gen_op(g, "and.b32 %s, %%lin, %u", t.s, 1 + rng_below(&g->rng, 31));
    }
    return c;
}

static struct comparison expr_comparison(struct gen *g)
{
    unsigned roll = rng_below(&g->rng, 100);
    if (roll < 8 && gen_has(g, KIND_F))
        return expr_compare_float(g, KIND_F);
    if (roll < 14 && gen_has(g, KIND_G))
        return expr_compare_float(g, KIND_G);
    if (roll < 22 && gen_has(g, KIND_H))
        return expr_compare_integer(g, KIND_H);
    if (roll < 32 && gen_has(g, KIND_D))
        return expr_compare_integer(g, KIND_D);
    if (roll < 60)
        return expr_compare_integer(g, KIND_R);
    if (roll < 85)
        return expr_compare_bits(g);
    return expr_compare_position(g);
}

/* setp into `dest`, which names one or two predicates. */
static void expr_setp(struct gen *g, const char *dest, const char *guard)
{
    static const char *const booleans[] = {"and", "or", "xor"};
    struct comparison c = expr_comparison(g);
    if (rng_chance(&g->rng, 70)) {
        gen_op(g, "%ssetp.%s.%s %s, %s, %s", guard, c.compare, c.type, dest, c.a.s, c.b.s);
        return;
    }
    const char *boolean = booleans[rng_below(&g->rng, 3)];
    struct name other = gen_source(g, KIND_P);
    const char *negate = rng_chance(&g->rng, 30) ? "!" : "";
    gen_count(g, RANDOM_setp_bool);
    gen_op(g, "%ssetp.%s.%s.%s %s, %s, %s, %s%s", guard, c.compare, boolean, c.type, dest, c.a.s, c.b.s, negate,
           other.s);
}

/* setp on half precision: of single numbers into one predicate, of packed ones into two. */
static void expr_setp_half(struct gen *g, const char *guard)
{
    static const char *const operators[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                            "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    static const char *const types[2][3] = {{"f16", "ftz.f16", "bf16"}, {"f16x2", "ftz.f16x2", "bf16x2"}};
    bool is_packed = !gen_has(g, KIND_H) || rng_chance(&g->rng, 60);
    const char *type = types[is_packed][rng_below(&g->rng, 3)], *compare = operators[rng_below(&g->rng, 14)];
    struct name a = gen_source(g, is_packed ? KIND_R : KIND_H), b = gen_source(g, is_packed ? KIND_R : KIND_H);
    int live = g->scope->live[KIND_P], first = (int)rng_below(&g->rng, (unsigned)live);
    struct name p = gen_live(KIND_P, first), q = gen_live(KIND_P, (first + 1) % live);
    struct name dest = is_packed && live > 1 ? name_format("%.15s|%.15s", p.s, q.s) : p;
    gen_count(g, RANDOM_half_compare);
    if (rng_chance(&g->rng, 60)) {
        gen_op(g, "%ssetp.%s.%s %s, %s, %s", guard, compare, type, dest.s, a.s, b.s);
        return;
    }
    struct name other = gen_source(g, KIND_P);
    gen_op(g, "%ssetp.%s.%s.%s %s, %s, %s, %s", guard, compare, rng_chance(&g->rng, 50) ? "and" : "xor", type, dest.s,
           a.s, b.s, other.s);
}

struct name expr_condition(struct gen *g)
{
    if (rng_chance(&g->rng, 15))
        return gen_source(g, KIND_P);
    struct name p = gen_temporary(g, KIND_P);
    if (gen_has(g, KIND_F) && rng_chance(&g->rng, 4)) {
        static const char *const tests[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
        struct name v = gen_source(g, KIND_F);
        gen_op(g, "testp.%s.f32 %s, %s", tests[rng_below(&g->rng, 6)], p.s, v.s);
        return p;
    }
    expr_setp(g, p.s, "");
    return p;
}

static void expr_predicate(struct gen *g)
{
    static const char *const logic[] = {"and", "or", "xor"};
    struct name guard = gen_guard(g);
    unsigned roll = rng_below(&g->rng, 100);
    if (roll < 6) {
        struct name d = rng_chance(&g->rng, 80) ? gen_dest(g, KIND_R) : name_format("_");
        struct name p = gen_dest(g, KIND_P), q = gen_source(g, KIND_P);
        struct name a = gen_source(g, KIND_R), b = gen_source(g, KIND_R), c = gen_operand(g, KIND_R);
        gen_count(g, RANDOM_lop3_predicate);
        /* Drawn one by one: the order in which arguments are evaluated differs from one compiler to the next. */
        const char *operation = logic[rng_below(&g->rng, 2)];
        unsigned table = rng_below(&g->rng, 256);
        const char *negation = rng_chance(&g->rng, 30) ? "!" : "";
        gen_op(g, "%slop3.%s.b32 %s|%s, %s, %s, %s, 0x%02x, %s%s", guard.s, operation, d.s, p.s, a.s, b.s, c.s, table,
               negation, q.s);
    } else if (roll < 34) {
        struct name p = gen_dest(g, KIND_P);
        expr_setp(g, p.s, guard.s);
    } else if (roll < 40) {
        expr_setp_half(g, guard.s);
    } else if (roll < 65) {
        int first = (int)rng_below(&g->rng, (unsigned)g->scope->live[KIND_P]);
        struct name p = gen_live(KIND_P, first);
        struct name q = gen_live(KIND_P, (first + 1) % g->scope->live[KIND_P]);
        struct name both = name_format("%.15s|%.15s", p.s, q.s);
        gen_count(g, RANDOM_setp_two);
        expr_setp(g, both.s, guard.s);
    } else {
        struct name p = gen_dest(g, KIND_P);
        struct name a = gen_source(g, KIND_P);
        struct name b = gen_source(g, KIND_P);
        gen_count(g, RANDOM_predicate_logic);
        if (roll < 90)
            gen_op(g, "%s%s.pred %s, %s, %s", guard.s, logic[rng_below(&g->rng, 3)], p.s, a.s, b.s);
        else
            gen_op(g, "%s%s.pred %s, %s", guard.s, roll < 96 ? "not" : "mov", p.s, a.s);
    }
}

void expr_statement(struct gen *g)
{
    unsigned roll = rng_below(&g->rng, 100);
    if (roll < 14)
        expr_stir(g);
    else if (roll < 22)
        expr_mark(g);
    else if (roll < 34)
        expr_predicate(g);
    else if (roll < 37)
        expr_carry(g);
    else if (roll < 41)
        expr_pack(g);
    else if (roll < 42)
        expr_wide_move(g);
    else if (roll < 44 && g->plan.special)
        expr_special(g);
    else if (roll < 45)
        video_statement(g);
    else
        expr_arith(g);
}

struct name expr_fold(struct gen *g)
{
    struct name sum = gen_counter(g);
    gen_op(g, "mov.u32 %s, %%hash", sum.s);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < g->scope->live[kind]; i++) {
            struct name v = gen_live((enum kind)kind, i);
            struct name t = kind == KIND_R ? v : gen_temporary(g, KIND_R);
            if (kind == KIND_H) {
                gen_op(g, "cvt.u32.u16 %s, %s", t.s, v.s);
            } else if (kind == KIND_F) {
                struct name clean = expr_clean(g, KIND_F, v.s);
                gen_op(g, "mov.b32 %s, %s", t.s, clean.s);
            } else if (kind == KIND_P) {
                gen_op(g, "selp.u32 %s, 1, 0, %s", t.s, v.s);
            } else if (kind == KIND_D || kind == KIND_G) {
                struct name high = gen_temporary(g, KIND_R);
                struct name clean = kind == KIND_G ? expr_clean(g, KIND_G, v.s) : v;
                gen_op(g, "mov.b64 {%s, %s}, %s", t.s, high.s, clean.s);
                gen_op(g, "mad.lo.u32 %s, %s, 29, %s", sum.s, sum.s, high.s);
            }
            gen_op(g, "mad.lo.u32 %s, %s, 31, %s", sum.s, sum.s, t.s);
        }
    }
    return sum;
}
