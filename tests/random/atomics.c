/* Accumulators: see atomics.h. */
#include "atomics.h"

#include <string.h>

enum { SLOTS_PER_OP = 4 };

struct accumulator {
    const char *op;   /* operation and type */
    unsigned bytes;   /* of a word */
    const char *with; /* the one operand all use, or NULL: any value */
};

/*
 * inc and dec are functions of the old value alone once their bound is fixed, so n of them in any order
 * give the same; with differing bounds they would not.
 */
static const struct accumulator global_words[] = {
    {"add.u64", 8, NULL},
    {"min.s64", 8, NULL},
    {"max.u64", 8, NULL},
    {"and.b64", 8, NULL},
    {"xor.b64", 8, NULL},
    {"add.u32", 4, NULL},
    {"add.s32", 4, NULL},
    {"min.s32", 4, NULL},
    {"max.s32", 4, NULL},
    {"min.u32", 4, NULL},
    {"max.u32", 4, NULL},
    {"and.b32", 4, NULL},
    {"or.b32", 4, NULL},
    {"xor.b32", 4, NULL},
    {"inc.u32", 4, "1000"},
    {"dec.u32", 4, "77"},
    {"min.noftz.v2.f16x2", 8, NULL},
    {"max.noftz.v2.bf16x2", 8, NULL},
};

static const struct accumulator shared_words[SHARED_ATOMICS] = {
    {"add.u32", 4, NULL},
    {"xor.b32", 4, NULL},
    {"max.s32", 4, NULL},
    {"or.b32", 4, NULL},
};

enum { GLOBAL_WORDS = sizeof global_words / sizeof global_words[0] };

static unsigned atomic_offset(unsigned op)
{
    unsigned offset = 0;
    for (unsigned i = 0; i < op; i++)
        offset += global_words[i].bytes * SLOTS_PER_OP;
    return offset;
}

unsigned atomic_buffer_bytes(void)
{
    return atomic_offset(GLOBAL_WORDS);
}

/* Two words of 32 bits. */
static bool is_vector(const struct accumulator *a)
{
    return strstr(a->op, ".v2") != NULL;
}

static struct name atomic_value(struct gen *g, const struct accumulator *a)
{
    if (a->with)
        return name_format("%s", a->with);
    if (is_vector(a)) {
        struct name low = gen_source(g, KIND_R), high = gen_source(g, KIND_R);
        return name_format("{%.12s, %.12s}", low.s, high.s);
    }
    if (a->bytes == 4)
        return gen_source(g, KIND_R);
    if (gen_has(g, KIND_D))
        return gen_source(g, KIND_D);
    struct name wide = gen_temporary(g, KIND_D);
    struct name v = gen_source(g, KIND_R);
    gen_op(g, "cvt.s64.s32 %s, %s", wide.s, v.s);
    return wide;
}

static void atomic_emit(struct gen *g, const struct accumulator *a, const char *space, const char *address)
{
    static const char *const orders[] = {"", "", ".relaxed.gpu", ".relaxed.sys"};
    struct name value = atomic_value(g, a);
    const char *order = orders[rng_below(&g->rng, 4)];
    bool keep = rng_chance(&g->rng, 50);
    struct name dead = gen_temporary(g, a->bytes == 8 && !is_vector(a) ? KIND_D : KIND_R);
    if (is_vector(a))
        dead = name_format("{%.12s, _}", dead.s);
    struct name guard = gen_guard(g);
    if (keep)
        gen_op(g, "%satom%s%s.%s %s, [%s], %s", guard.s, order, space, a->op, dead.s, address, value.s);
    else
        gen_op(g, "%sred%s%s.%s [%s], %s", guard.s, order, space, a->op, address, value.s);
}

static void atomic_global(struct gen *g)
{
    unsigned op = rng_below(&g->rng, GLOBAL_WORDS);
    const struct accumulator *a = &global_words[op];
    unsigned base = atomic_offset(op);
    gen_count(g, RANDOM_atomic_global);
    if (rng_chance(&g->rng, 40)) {
        struct name address = name_format("%%pacc+%u", base + a->bytes * rng_below(&g->rng, SLOTS_PER_OP));
        atomic_emit(g, a, ".global", address.s);
        return;
    }
    struct name index = gen_temporary(g, KIND_R);
    struct name address = gen_temporary(g, KIND_D);
    struct name v = gen_word(g);
    gen_op(g, "and.b32 %s, %s, %d", index.s, v.s, SLOTS_PER_OP - 1);
    gen_op(g, "mad.wide.u32 %s, %s, %u, %%pacc", address.s, index.s, a->bytes);
    if (rng_chance(&g->rng, 30)) {
        struct name flat = gen_temporary(g, KIND_D);
        gen_op(g, "cvta.global.u64 %s, %s", flat.s, address.s);
        struct name operand = name_format("%.20s+%u", flat.s, base);
        gen_count(g, RANDOM_generic);
        atomic_emit(g, a, "", operand.s);
    } else {
        struct name operand = name_format("%.20s+%u", address.s, base);
        atomic_emit(g, a, ".global", operand.s);
    }
}

void atomic_statement(struct gen *g)
{
    /* once threads may end early, a barrier no longer orders what they added */
    if (g->plan.shared && !g->scope->exits && rng_chance(&g->rng, 35)) {
        unsigned word = rng_below(&g->rng, SHARED_ATOMICS);
        struct name address = name_format("sacc+%u", word * 4);
        gen_count(g, RANDOM_atomic_shared);
        atomic_emit(g, &shared_words[word], ".shared", address.s);
    } else {
        atomic_global(g);
    }
}

void atomic_shared_clear(struct gen *g)
{
    struct name p = gen_temporary(g, KIND_P);
    struct name zero = gen_temporary(g, KIND_R);
    gen_op(g, "setp.eq.u32 %s, %%lin, 0", p.s);
    gen_op(g, "mov.u32 %s, %d", zero.s, (int)rng_below(&g->rng, 8) - 4);
    gen_op(g, "@%s st.shared.v4.u32 [sacc], {%s, %s, %s, %s}", p.s, zero.s, zero.s, zero.s, zero.s);
}

void atomic_shared_read(struct gen *g)
{
    struct name t = gen_temporary(g, KIND_R);
    struct name dest = gen_dest(g, KIND_R);
    gen_op(g, "ld.shared.u32 %s, [sacc+%u]", t.s, 4 * rng_below(&g->rng, SHARED_ATOMICS));
    gen_op(g, "xor.b32 %s, %s, %s", dest.s, dest.s, t.s);
}
