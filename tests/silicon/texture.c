/*
 * Texture fetches, surface accesses and queries.
 *
 * A variant of a fetch is a way of sampling: format, filter, address mode, and whether coordinates are normalised. Odd
 * variants also give what is optional: offsets, a depth to compare with, and the predicate that says whether texels are
 * resident. Texels are random, coordinates lie inside and around the texture, with some edge values.
 */
#include "base/arena.h"
#include "base/bits.h"
#include "base/random.h"
#include "emit.h"
#include "family.h"

#include <math.h>
#include <string.h>

enum { THREADS = 128, BLOCK = 32, WORDS = 16, LEVELS = 4 };

static const struct sampling {
    const char *name;
    enum type format;
    unsigned channels;
    bool filters, is_normalized;
    int address_mode;
} samplings[] = {
    {"f32-linear-wrap", TYPE_F32, 4, true, true, 0},          {"u8-linear-clamp-texels", TYPE_U8, 4, true, false, 1},
    {"f16-linear-mirror", TYPE_F16, 2, true, true, 2},        {"s16-linear-border", TYPE_S16, 4, true, true, 3},
    {"u16-linear-wrap", TYPE_U16, 1, true, true, 0},          {"s8-linear-mirror", TYPE_S8, 2, true, true, 2},
    {"f32-point-border", TYPE_F32, 1, false, true, 3},        {"u8-point-wrap", TYPE_U8, 1, false, true, 0},
    {"f16-point-clamp-texels", TYPE_F16, 4, false, false, 1}, {"f32-linear-border-texels", TYPE_F32, 2, true, false, 3},
};

static const enum type unsigned_formats[] = {TYPE_U32, TYPE_U8, TYPE_U16},
                       signed_formats[] = {TYPE_S32, TYPE_S8, TYPE_S16};

enum { SAMPLINGS = sizeof samplings / sizeof *samplings, FORMATS = 8, SHAPES = 7 };

static const enum type formats[FORMATS] = {TYPE_U8,  TYPE_S8,  TYPE_U16, TYPE_S16,
                                           TYPE_U32, TYPE_S32, TYPE_F16, TYPE_F32};
static const char *const shape_names[SHAPES] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};

static bool is_fetch(enum op op)
{
    return op >= OP_TEX && op <= OP_TLD4;
}

static bool is_formatted(const struct form *f)
{
    return suffixes_has(&f->suffixes, FLAG_FORMATTED);
}

/* Derivatives of a 1D texture with offsets read zeros on an H200, and are not asked for. */
static bool has_offsets(const struct form *f)
{
    const struct op_shape s = suffixes_shape(&f->suffixes);
    return f->variant % 2 && !s.is_cube && !(suffixes_has(&f->suffixes, FLAG_GRAD) && s.axes == 1);
}

static int texture_variants(enum op op)
{
    if (is_fetch(op))
        return SAMPLINGS;
    if (op == OP_TXQ || op == OP_TXQ_LEVEL || op == OP_SUQ)
        return SHAPES;
    return op == OP_SUST_P || op == OP_SUST_P_V2 || op == OP_SUST_P_V4 ? FORMATS : 1;
}

static bool texture_legal(const struct form *f, bool complete)
{
    const enum type t = (enum type)f->suffixes.type[0];
    const struct op_shape s = suffixes_shape(&f->suffixes);
    /* Integer coordinates with derivatives mean no texel: their bits are taken as floating-point numbers. */
    if (complete && suffixes_has(&f->suffixes, FLAG_GRAD) && f->suffixes.type[1] == TYPE_S32)
        return false;
    if (complete && f->op >= OP_SURED_ADD && s.is_layered) /* ptxas knows no reductions of layers */
        return false;
    if (complete && f->op == OP_SURED_P_MINMAX &&
        t == TYPE_B64) /* tests/unit/test_texture_operands.c has values of an H200 */
        return false;
    if (complete && is_fetch(f->op) && (t == TYPE_U32 || t == TYPE_S32))
        return f->variant < 3;
    if (complete && f->op == OP_SUQ)
        return f->variant < 5;
    /* Loads have .ca, .cg, .cs and .cv, stores .wb, .cg, .cs and .wt. */
    const enum mod cache = (enum mod)f->suffixes.mod[GROUP_CACHE];
    if (cache == CACHE_LU)
        return false;
    const bool is_load = f->op == OP_SULD || f->op == OP_SULD_V2 || f->op == OP_SULD_V4;
    return is_load ? cache != CACHE_WB && cache != CACHE_WT : cache != CACHE_CA && cache != CACHE_CV;
}

static void texture_describe(const struct form *f, char out[FAMILY_NAME_BYTES])
{
    const enum type t = (enum type)f->suffixes.type[0];
    if (is_fetch(f->op) && (t == TYPE_U32 || t == TYPE_S32))
        snprintf(out, FAMILY_NAME_BYTES, "%s",
                 type_table[(t == TYPE_U32 ? unsigned_formats : signed_formats)[f->variant]].text);
    else if (is_fetch(f->op))
        snprintf(out, FAMILY_NAME_BYTES, "%s", samplings[f->variant].name);
    else if (texture_variants(f->op) == SHAPES)
        snprintf(out, FAMILY_NAME_BYTES, "%s", shape_names[f->variant]);
    else if (texture_variants(f->op) == FORMATS)
        snprintf(out, FAMILY_NAME_BYTES, "%s", type_table[formats[f->variant]].text);
}

/* Extents that fit a shape. */
static void set_shape(struct op_texture *x, struct op_shape s)
{
    x->width = 16;
    x->height = s.axes > 1 ? 8 : 0;
    x->depth = s.is_layered ? 5 : s.axes == 3 ? 4 : 0;
    x->is_layered = s.is_layered;
    x->is_cube = s.is_cube;
    if (s.is_cube) {
        x->height = x->width;
        x->depth = s.is_layered ? 12 : 6;
    }
}

/* Adds the handle and the texels. Floating-point texels are between 0 and 1, so that their sums are exact. */
static void add_texels(struct emitter *e, struct op_texture *x, struct random *random)
{
    const unsigned bytes = type_bytes(x->format);
    x->handle_arg = emit_value(e, 8, 8);
    x->texel_arg = emit_table(e, op_texture_texels(x) * x->channels * bytes);
    for (size_t i = 0; i < op_texture_texels(x) * x->channels; i++) {
        uint64_t bits = random_u64(random) >> 16;
        const float real = (float)(bits & 0xffffff) / 16777216.0f;
        if (x->format == TYPE_F32)
            memcpy(&bits, &real, 4);
        else if (x->format == TYPE_F16)
            bits &= 0x3bff;
        emit_put(e->c->base.arg[x->texel_arg].data, bytes, (unsigned)i, bits);
    }
    emit_register(e, 64, "%object");
    emit_line(e, "ld.param.u64 %%object, [p%d];", x->handle_arg);
}

static uint32_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

/* A coordinate: in steps of 1/512 texel around the texture, or an edge value. */
static uint32_t coordinate(const struct op_texture *x, unsigned extent, bool is_integer, unsigned thread,
                           struct random *random)
{
    static const float edges[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.99999994f, 1e-40f, 3e38f, -3e38f};
    const uint64_t r = random_u64(random) >> 16;
    if (is_integer)
        return (uint32_t)((int)(r % (extent + 6)) - 3);
    if (thread < 8 && !x->is_cube)
        return float_bits(thread == 7 ? NAN : edges[thread]);
    const float texels = (float)(int)(r % (extent * 1024 + 2048)) / 512.0f - (float)extent / 2 - 1;
    return float_bits(x->is_normalized ? texels / (float)extent : texels);
}

/* A direction, a quarter of them to edges of the cube; the first ones are to corners, or have no direction. */
static void fill_direction(unsigned thread, struct random *random, uint32_t word[3])
{
    static const float odd[8][3] = {{0, 0, 0},         {1, -1, 1},  {-3, -3, -3},     {NAN, 0.5f, -0.25f},
                                    {INFINITY, 1, -1}, {0, -0, -1}, {0, INFINITY, 0}, {1e-40f, 3e38f, 2e38f}};
    for (int i = 0; i < 3; i++) {
        const float x = (float)(int)(random_u64(random) >> 44) / 524288.0f - 1 + 0x1p-24f;
        word[i] = float_bits(thread < 8 ? odd[thread][i] : x);
    }
    if (thread >= 8 && thread % 4 == 1)
        word[thread / 4 % 3] = word[(thread / 4 + 1) % 3] ^ (thread & 0x40) << 25;
}

/* A derivative: small or large, in a third of the threads along one axis only, in the first ones an edge value. */
static float derivative(const struct op_texture *x, unsigned thread, bool is_along, struct random *random)
{
    static const float edges[] = {0.0f, -0.0f, 1e-40f, NAN, INFINITY, -3e38f};
    const uint64_t r = random_u64(random);
    const float slope = ldexpf(1 + (float)(r >> 44) / 1048576.0f, (int)(r >> 32 & 7) - 6) * (r >> 40 & 1 ? 1 : -1);
    if (thread < 32 && (r >> 16 & 7) < 6)
        return edges[r >> 16 & 7];
    if (thread % 3 == 0 && !is_along)
        return 0;
    return x->is_normalized ? slope : slope * 16;
}

/* The words of one thread, in the order of the operands. */
static int fill_words(const struct form *f, const struct op_texture *x, unsigned thread, struct random *random,
                      uint32_t word[WORDS])
{
    const struct op_shape s = suffixes_shape(&f->suffixes);
    const bool is_integer = f->suffixes.type[1] == TYPE_S32;
    const unsigned extent[3] = {x->width, x->height ? x->height : 1, x->depth ? x->depth : 1};
    int n = 0;
    if (s.is_layered)
        word[n++] = (uint32_t)((int)(random_u64(random) >> 32) % 4 + 1);
    if (s.is_cube)
        fill_direction(thread, random, word + n);
    for (int i = 0; i < s.axes; i++, n++)
        if (!s.is_cube)
            word[n] = coordinate(x, extent[i], is_integer, thread, random);
    if (suffixes_has(&f->suffixes, FLAG_LEVEL)) {
        const int level = (int)(random_u64(random) >> 40) % 1300 - 100;
        word[n++] = is_integer ? (uint32_t)(level / 200) : float_bits((float)level / 256.0f);
    }
    for (int d = 0; d < 2 && suffixes_has(&f->suffixes, FLAG_GRAD); d++)
        for (int i = 0; i < s.axes; i++)
            word[n++] = float_bits(derivative(x, thread, i == d, random));
    for (int i = 0; i < s.axes && has_offsets(f); i++)
        word[n++] = (uint32_t)((int)(random_u64(random) >> 40) % 16 - 8);
    return n;
}

/* Names of registers in braces; three are written as four. */
static int print_words(struct text *out, int first, int count)
{
    text_printf(out, "{");
    for (int i = 0; i < (count == 3 ? 4 : count); i++)
        text_printf(out, "%s%%w%d", i ? ", " : "", first + (i < count ? i : count - 1));
    text_printf(out, "}");
    return first + count;
}

static void print_operands(const struct form *f, struct text *out)
{
    const struct op_shape s = suffixes_shape(&f->suffixes);
    text_printf(out, "[%%object, ");
    int at = print_words(out, 0, s.axes + s.is_layered);
    text_printf(out, "]");
    if (suffixes_has(&f->suffixes, FLAG_LEVEL))
        text_printf(out, ", %%w%d", at++);
    for (int d = 0; d < 2 && suffixes_has(&f->suffixes, FLAG_GRAD); d++) {
        text_printf(out, ", ");
        at = print_words(out, at, s.axes);
    }
    if (has_offsets(f)) {
        text_printf(out, ", ");
        print_words(out, at, s.axes);
    }
    /* Derivatives of a 1D texture with a depth read zeros on an H200, too. */
    const bool takes_depth = s.axes < 3 && !(suffixes_has(&f->suffixes, FLAG_GRAD) && s.axes == 1);
    if (f->variant % 4 == 1 && f->suffixes.type[0] == TYPE_F32 && f->suffixes.type[1] == TYPE_F32 && takes_depth)
        text_printf(out, ", %%w%d", WORDS - 1);
}

/* Declares the words, which each thread reads from its own entry of one buffer; returns the buffer's bytes. */
static void *add_words(struct emitter *e)
{
    const int arg = emit_buffer(e, WORDS * 4, TYPE_B32, false);
    emit_address(e, "%address", arg);
    emit_line(e, ".reg .b32 %%w<%d>;", WORDS);
    for (int i = 0; i < WORDS; i++)
        emit_line(e, "ld.global.b32 %%w%d, [%%address+%d];", i, 4 * i);
    return e->c->base.arg[arg].data;
}

static void make_fetch(struct emitter *e, const struct form *f, const char *mnemonic, struct random *random)
{
    const enum type t = (enum type)f->suffixes.type[0];
    const bool is_integer = t == TYPE_U32 || t == TYPE_S32;
    struct op_texture *x = &e->c->base.texture[0];
    const struct sampling *s = &samplings[f->variant];
    *x = (struct op_texture){.kind = OP_ARRAY_TEXTURE,
                             .levels = 1,
                             .format = s->format,
                             .channels = s->channels,
                             .filters = s->filters && !is_integer,
                             .is_normalized = s->is_normalized,
                             .reads_integers = is_integer,
                             .address_mode = s->address_mode,
                             .border = {0.25f, -0.5f, 2, 0.75f}};
    if (is_integer)
        x->format = (t == TYPE_U32 ? unsigned_formats : signed_formats)[f->variant];
    set_shape(x, suffixes_shape(&f->suffixes));
    if (suffixes_has(&f->suffixes, FLAG_LEVEL) || suffixes_has(&f->suffixes, FLAG_GRAD) ||
        suffixes_has(&f->suffixes, FLAG_BASE)) {
        x->levels = x->depth && !x->is_layered && !x->is_cube ? LEVELS - 1 : LEVELS;
        x->is_normalized = true; /* as CUDA wants it of mipmapped arrays */
        x->filters_levels = f->variant % 3 == 0 && !is_integer;
    }
    if (f->op == OP_TEX_AT && x->height == 0 && !x->is_layered)
        x->kind = OP_LINEAR_TEXTURE;
    if (f->op == OP_TEX && x->height == 8 && !x->depth && x->channels * type_bytes(x->format) >= 4)
        x->kind = OP_PITCHED_TEXTURE;
    if (x->kind != OP_ARRAY_TEXTURE)
        x->levels = 1;
    add_texels(e, x, random);
    uint32_t *words = add_words(e);
    for (unsigned i = 0; i < THREADS; i++)
        fill_words(f, x, i, random, words + (size_t)i * WORDS);
    const unsigned bits = type_table[t].bits, count = t == TYPE_F16X2 ? 2 : 4;
    struct text operands = {0}, results = {0};
    print_operands(f, &operands);
    for (unsigned i = 0; i < count; i++) {
        emit_line(e, ".reg .b%u %%d%u;", bits, i);
        text_printf(&results, "%s%%d%u", i ? ", " : "", i);
    }
    emit_line(e, ".reg .pred %%resident;");
    emit_line(e, "%s {%s}%s, %s;", mnemonic, results.data, f->variant % 4 == 3 ? "|%resident" : "", operands.data);
    for (unsigned i = 0; i < count; i++) {
        char name[8];
        snprintf(name, sizeof name, "%%d%u", i);
        emit_output(e, name, bits, t);
    }
    if (f->variant % 4 == 3)
        emit_output(e, "%resident", 1, TYPE_PRED);
    text_free(&operands);
    text_free(&results);
}

/* ---- surfaces ---- */

/* Each thread has a place of its own, so that the order of stores does not matter. Some are outside the surface; if the
 * access clamps, one is, and goes to the first place, which no other has. */
static void fill_places(const struct form *f, const struct op_texture *x, unsigned unit, uint32_t *words,
                        struct random *random)
{
    const struct op_shape s = suffixes_shape(&f->suffixes);
    const enum mod bounds = (enum mod)f->suffixes.mod[GROUP_BOUNDS];
    const unsigned width = x->width, height = x->height ? x->height : 1;
    for (unsigned i = 0; i < THREADS; i++, words += WORDS) {
        int place = (int)i + 1, c[3] = {place % (int)width, place / (int)width % (int)height, 0};
        c[2] = place / (int)(width * height);
        bool is_outside =
            c[2] >= (int)(x->depth ? x->depth : 1) || (s.axes == 1 && !s.is_layered && place >= (int)width);
        if (s.axes == 1 && s.is_layered)
            c[2] = place / (int)width, is_outside = c[2] >= (int)x->depth;
        if (bounds == BOUNDS_CLAMP && i == THREADS - 1)
            c[0] = -2, c[1] = -3, c[2] = s.is_layered ? 0 : -4;
        else if (bounds == BOUNDS_ZERO && i % 8 == 7)
            c[i / 8 % (unsigned)s.axes] = i % 16 == 7 ? -1 : 1000;
        else if (is_outside) /* too small a surface for all threads: they access nothing */
            c[0] = -1;
        int n = 0;
        if (s.is_layered)
            words[n++] = (uint32_t)c[2];
        words[n++] = (uint32_t)(c[0] * (int)unit);
        for (int k = 1; k < s.axes; k++)
            words[n++] = (uint32_t)c[k];
        words[15] = is_outside && bounds != BOUNDS_ZERO && !(bounds == BOUNDS_CLAMP && i == THREADS - 1);
        for (int k = 8; k < 12; k++)
            words[k] = (uint32_t)(random_u64(random) >> (k % 2 ? 16 : 40));
    }
}

static void declare_value(struct emitter *e, unsigned bits, unsigned element)
{
    const unsigned word = 8 + element;
    emit_line(e, ".reg .b%u %%v%u;", bits < 16 ? 16 : bits, element);
    if (bits == 64)
        emit_line(e, "mov.b64 %%v%u, {%%w%u, %%w%u};", element, word, word + 1);
    else
        emit_line(e, bits == 32 ? "mov.b32 %%v%u, %%w%u;" : "cvt.u16.u32 %%v%u, %%w%u;", element, word);
}

static void make_surface(struct emitter *e, const struct form *f, const char *mnemonic, struct random *random)
{
    const enum type t = (enum type)f->suffixes.type[0];
    const unsigned count = suffixes_vector(&f->suffixes), bits = type_table[t].bits, bytes = count * bits / 8;
    const bool is_load = f->op == OP_SULD || f->op == OP_SULD_V2 || f->op == OP_SULD_V4;
    struct op_texture *x = &e->c->base.texture[0];
    *x = (struct op_texture){.kind = OP_SURFACE, .levels = 1, .channels = bytes == 16 ? 4 : bytes == 8 ? 2 : 1};
    x->format = bytes == 1 ? TYPE_U8 : bytes == 2 ? TYPE_U16 : TYPE_U32;
    if (is_formatted(f) && f->op <= OP_SUST_P_V4) {
        x->format = formats[f->variant];
        x->channels = count;
    }
    set_shape(x, suffixes_shape(&f->suffixes));
    add_texels(e, x, random);
    e->c->base.arg[x->texel_arg].is_output = !is_load;
    fill_places(f, x, is_formatted(f) ? 1 : bytes, add_words(e), random);
    struct text place = {0}, values = {0};
    text_printf(&place, "[%%object, ");
    const struct op_shape s = suffixes_shape(&f->suffixes);
    print_words(&place, 0, s.axes + s.is_layered);
    text_printf(&place, "]");
    text_printf(&values, count > 1 ? "{" : "");
    for (unsigned i = 0; i < count; i++) {
        declare_value(e, bits, i);
        text_printf(&values, "%s%%v%u", i ? ", " : "", i);
    }
    text_printf(&values, count > 1 ? "}" : "");
    emit_line(e, ".reg .pred %%absent;");
    emit_line(e, "setp.ne.u32 %%absent, %%w15, 0;");
    if (is_load)
        emit_line(e, "@!%%absent %s %s, %s;", mnemonic, values.data, place.data);
    else
        emit_line(e, "@!%%absent %s %s, %s;", mnemonic, place.data, values.data);
    for (unsigned i = 0; is_load && i < count; i++) {
        char name[8];
        snprintf(name, sizeof name, "%%v%u", i);
        emit_output(e, name, bits < 16 ? 16 : bits, bits < 16 ? TYPE_B16 : t);
    }
    text_free(&place);
    text_free(&values);
}

/* ---- queries ---- */

static void make_query(struct emitter *e, const struct form *f, const char *mnemonic, struct random *random)
{
    static const struct op_shape shapes[SHAPES] = {{1, false, false}, {2, false, false}, {3, false, false},
                                                   {1, true, false},  {2, true, false},  {3, false, true},
                                                   {3, true, true}};
    struct op_texture *x = &e->c->base.texture[0];
    *x = (struct op_texture){.kind = f->op == OP_SUQ ? OP_SURFACE : OP_ARRAY_TEXTURE,
                             .levels = 1,
                             .format = TYPE_F32,
                             .channels = 1,
                             .is_normalized = true};
    set_shape(x, f->op == OP_ISTYPEP ? shapes[1] : shapes[f->variant]);
    if (f->op == OP_TXQ_LEVEL)
        x->levels = x->depth && !x->is_layered && !x->is_cube ? LEVELS - 1 : LEVELS;
    add_texels(e, x, random);
    emit_line(e, ".reg .b32 %%d;");
    if (f->op == OP_ISTYPEP) {
        emit_line(e, ".reg .pred %%is;");
        emit_line(e, "%s %%is, %%object;", mnemonic);
        emit_output(e, "%is", 1, TYPE_PRED);
        return;
    }
    if (f->op == OP_TXQ_LEVEL) {
        uint32_t *level = emit_input(e, "%level", 32, TYPE_S32);
        for (unsigned i = 0; i < THREADS; i++)
            level[i] = i % 8 - 2;
    }
    emit_line(e, "%s %%d, [%%object]%s;", mnemonic, f->op == OP_TXQ_LEVEL ? ", %level" : "");
    emit_output(e, "%d", 32, TYPE_B32);
}

static struct op_case *texture_make(const struct form *f, const char *name)
{
    struct emitter e;
    struct text mnemonic = {0};
    form_print(f, &mnemonic);
    struct random random = {.state = bits_hash(BITS_HASH_SEED, name, strlen(name))};
    emit_begin(&e, f->op, name, THREADS, BLOCK);
    e.c->base.texture_count = 1;
    e.c->base.texture = xcalloc(1, sizeof *e.c->base.texture);
    if (f->op == OP_SURED_MINMAX && type_table[f->suffixes.type[0]].bits == 64)
        e.version = 81;
    if (is_fetch(f->op))
        make_fetch(&e, f, mnemonic.data, &random);
    else if (f->op >= OP_SULD)
        make_surface(&e, f, mnemonic.data, &random);
    else
        make_query(&e, f, mnemonic.data, &random);
    text_free(&mnemonic);
    return emit_end(&e);
}

const struct family family_texture = {
    .variants = texture_variants, .legal = texture_legal, .describe = texture_describe, .make = texture_make};
