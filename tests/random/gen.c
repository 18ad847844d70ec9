/* The shared vocabulary of the generator: see gen.h. */
#include "gen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const live_prefix[KINDS] = {"%r", "%d", "%h", "%f", "%g", "%p"};
static const char *const temporary_prefix[KINDS] = {"%tr", "%td", "%th", "%tf", "%tg", "%tp"};
static const char *const register_type[KINDS] = {".b32", ".b64", ".b16", ".f32", ".f64", ".pred"};

void gen_line(struct gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    draft_add(&g->scope->body, "\t");
    draft_vadd(&g->scope->body, format, args);
    draft_add(&g->scope->body, "\n");
    va_end(args);
}

void gen_op(struct gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    draft_add(&g->scope->body, "\t");
    draft_vadd(&g->scope->body, format, args);
    draft_add(&g->scope->body, ";\n");
    va_end(args);
    g->scope->spent += g->scope->times;
    g->static_left--;
    g->profile->instructions++;
}

int gen_label(struct gen *g)
{
    return g->labels++;
}

struct name gen_target(const struct gen *g, int label)
{
    return name_format("%s%d", g->plan.label_prefix, label);
}

void gen_place(struct gen *g, int label)
{
    draft_add(&g->scope->body, "%s%d:\n", g->plan.label_prefix, label);
}

void gen_count(struct gen *g, enum random_construct construct)
{
    g->profile->count[construct]++;
}

struct name name_format(const char *format, ...)
{
    struct name name;
    va_list args;
    va_start(args, format);
    vsnprintf(name.s, sizeof name.s, format, args);
    va_end(args);
    return name;
}

struct name gen_live(enum kind kind, int index)
{
    return name_format("%s%d", live_prefix[kind], index);
}

struct name gen_temporary(struct gen *g, enum kind kind)
{
    return name_format("%s%d", temporary_prefix[kind], g->scope->temporaries[kind]++);
}

struct name gen_counter(struct gen *g)
{
    return name_format("%%c%d", g->scope->counters++);
}

bool gen_has(const struct gen *g, enum kind kind)
{
    return g->scope->live[kind] > 0;
}

struct name gen_dest(struct gen *g, enum kind kind)
{
    return gen_live(kind, (int)rng_below(&g->rng, (unsigned)g->scope->live[kind]));
}

struct name gen_source(struct gen *g, enum kind kind)
{
    static const char *const fixed[] = {"%lin", "%gid", "%hash"};
    if (kind == KIND_R && rng_chance(&g->rng, 15))
        return name_format("%s", fixed[rng_below(&g->rng, 3)]);
    return gen_dest(g, kind);
}

struct name gen_word(struct gen *g)
{
    struct name t = gen_temporary(g, KIND_R);
    struct name a = gen_source(g, KIND_R);
    unsigned shape = rng_below(&g->rng, 4);
    unsigned shift = 1 + rng_below(&g->rng, 20);
    if (shape == 0)
        return a;
    if (shape == 1)
        gen_op(g, "shr.u32 %s, %s, %u", t.s, strcmp(a.s, "%lin") ? a.s : "%hash", shift);
    else if (shape == 2)
        gen_op(g, "xor.b32 %s, %s, %s", t.s, a.s, strcmp(a.s, "%lin") ? "%lin" : "%hash");
    else
        gen_op(g, "add.u32 %s, %s, %s", t.s, a.s, strcmp(a.s, "%gid") ? "%gid" : "%hash");
    return t;
}

static struct name gen_immediate_float(struct gen *g, enum kind kind)
{
    static const uint32_t single[] = {0x3f800000, 0xbf800000, 0x3f000000, 0x40000000, 0x40400000,
                                      0x00000000, 0x80000000, 0x00012345, 0x7f800000, 0x4b000001,
                                      0x3eaaaaab, 0xc2f6e979, 0x501502f9};
    static const uint64_t twice[] = {
        UINT64_C(0x3ff0000000000000), UINT64_C(0xbff0000000000000), UINT64_C(0x3fe0000000000000),
        UINT64_C(0x4008000000000000), UINT64_C(0x0000000000000000), UINT64_C(0x000000000000beef),
        UINT64_C(0xfff0000000000000), UINT64_C(0x3fd5555555555555), UINT64_C(0xc0c3880000000000)};
    if (kind == KIND_F)
        return name_format("0f%08" PRIX32, single[rng_below(&g->rng, sizeof single / sizeof single[0])]);
    return name_format("0d%016" PRIX64, twice[rng_below(&g->rng, sizeof twice / sizeof twice[0])]);
}

struct name gen_immediate(struct gen *g, enum kind kind)
{
    if (kind == KIND_F || kind == KIND_G)
        return gen_immediate_float(g, kind);
    if (rng_chance(&g->rng, 40))
        return name_format("%d", (int)rng_below(&g->rng, 48) - 8);
    uint32_t word = rng_word(&g->rng);
    if (kind == KIND_H)
        return name_format("%d", (int)(word & 0xffff) - 0x8000);
    if (kind == KIND_D && rng_chance(&g->rng, 50)) {
        uint32_t high = rng_word(&g->rng);
        return name_format("0x%" PRIx64, (uint64_t)high << 32 | word);
    }
    if (word < 0x80000000 || rng_chance(&g->rng, 50))
        return name_format("0x%" PRIx32, word);
    return name_format("-%" PRIu32, UINT32_C(0xffffffff) - word + 1);
}

struct name gen_operand(struct gen *g, enum kind kind)
{
    if (rng_chance(&g->rng, 30))
        return gen_immediate(g, kind);
    return gen_source(g, kind);
}

struct name gen_guard(struct gen *g)
{
    if (!gen_has(g, KIND_P) || !rng_chance(&g->rng, g->plan.guard_percent))
        return name_format("%s", "");
    struct name p = gen_source(g, KIND_P);
    gen_count(g, RANDOM_guarded);
    return name_format("@%s%s ", rng_chance(&g->rng, 50) ? "!" : "", p.s);
}

struct budget gen_keep_back(struct gen *g)
{
    struct scope *s = g->scope;
    struct budget kept = {0};
    unsigned percent = 30 + rng_below(&g->rng, 50);
    if (g->static_left > 40)
        kept.instructions = (g->static_left - 40) * (int)percent / 100;
    if (s->limit > s->spent)
        kept.dynamic = (s->limit - s->spent) * percent / 100;
    g->static_left -= kept.instructions;
    s->limit -= kept.dynamic;
    return kept;
}

void gen_release(struct gen *g, struct budget kept)
{
    g->static_left += kept.instructions;
    g->scope->limit += kept.dynamic;
}

bool gen_room(const struct gen *g, unsigned instructions)
{
    const struct scope *s = g->scope;
    return g->static_left >= (int)instructions && s->spent + s->times * instructions <= s->limit;
}

unsigned gen_trips(struct gen *g, unsigned instructions)
{
    static const unsigned choice[] = {2, 3, 4, 4, 5, 7, 8, 12, 16, 33};
    const struct scope *s = g->scope;
    unsigned trips = choice[rng_below(&g->rng, sizeof choice / sizeof choice[0])];
    while (trips > 1 && s->spent + s->times * trips * instructions > s->limit)
        trips /= 2;
    return trips;
}

void gen_declare(const struct scope *scope, struct draft *to)
{
    for (int kind = 0; kind < KINDS; kind++) {
        if (scope->live[kind])
            draft_add(to, "\t.reg %s %s<%d>;\n", register_type[kind], live_prefix[kind], scope->live[kind]);
        if (scope->temporaries[kind])
            draft_add(to, "\t.reg %s %s<%d>;\n", register_type[kind], temporary_prefix[kind], scope->temporaries[kind]);
    }
    if (scope->counters)
        draft_add(to, "\t.reg .b32 %%c<%d>;\n", scope->counters);
    draft_add(to, "\t.reg .b32 %%lin, %%gid, %%hash;\n");
    if (scope->local_bytes)
        draft_add(to, "\t.local .align 16 .b8 loc[%d];\n", scope->local_bytes);
}
