/*
 * Initialisers: numbers, and addresses of variables and functions, in braces for arrays.
 *
 * Inner braces start a new row of the array; without them, elements follow each other as in C. Elements that are not
 * given are zero, and an initialiser that is all zero is not kept.
 */
#include "ptx/parse_variable.h"

enum { MAX_LEVELS = 6 };

/* The data of a variable while its initialiser is read. */
struct initialiser_writer {
    struct ptx_variable *variable;
    enum type type;
    uint64_t scalar_bytes;
    uint64_t position;            /* byte that the next value goes to */
    int levels;                   /* levels of braces */
    uint64_t extent[MAX_LEVELS];  /* by level: bytes within its braces */
    uint64_t written_bytes;       /* bytes up to the last value */
    bool has_value;               /* some value is not zero */
    struct vec_of(uint8_t) bytes; /* data up to the last value that is not zero */
    struct vec_of(struct ptx_reloc) relocs;
};

/* Starts the data of a variable at its first byte. */
static void start_writer(struct initialiser_writer *w, struct ptx_variable *v)
{
    *w = (struct initialiser_writer){
        .variable = v, .type = (enum type)v->type, .scalar_bytes = type_bytes((enum type)v->type)};
    uint64_t extent = w->scalar_bytes * v->vector;
    w->levels = v->dimension_count + (v->vector > 1);
    if (v->vector > 1)
        w->extent[v->dimension_count] = extent;
    for (int d = v->dimension_count - 1; d >= 0; d--) {
        extent = d == 0 && v->is_unsized ? PARSE_MAX_BYTES : extent * v->dimension[d];
        w->extent[d] = extent;
    }
}

/* Limit of initialised bytes for this text: a mostly zero array could otherwise be far larger than its text. */
static uint64_t allowance(const struct parser *p)
{
    uint64_t bytes = PARSE_FREE_INIT_BYTES + PARSE_INIT_BYTES_PER_CHARACTER * p->module->source.length;
    return bytes < PARSE_MAX_INIT_BYTES ? bytes : PARSE_MAX_INIT_BYTES;
}

/* Bytes within the braces one level further in; at the innermost level, of a single value. */
static uint64_t inner_extent(const struct initialiser_writer *w, int level)
{
    return level + 1 < w->levels ? w->extent[level + 1] : w->scalar_bytes;
}

/* Writes one scalar and moves on behind it. Zeros are not stored until a value that is not zero follows. */
static void write_bits(struct initialiser_writer *w, uint64_t bits)
{
    if (bits) {
        size_t end = (size_t)(w->position + w->scalar_bytes), old = (size_t)w->bytes.count;
        if (end > old) {
            vec_reserve(&w->bytes, (int)end);
            memset(w->bytes.data + old, 0, end - old);
            w->bytes.count = (int)end;
        }
        for (uint64_t i = 0; i < w->scalar_bytes && i < 8; i++)
            w->bytes.data[w->position + i] = (uint8_t)(bits >> (8 * i));
        w->has_value = true;
    }
    w->position += w->scalar_bytes;
    if (w->position > w->written_bytes)
        w->written_bytes = w->position;
}

/* address = name ["+" n] | "generic" "(" name ["+" n] ")" ["+" n] */
static bool parse_addend(struct parser *p, int64_t *addend)
{
    int64_t more = 0;
    if (!parse_at(p, '+') && !parse_at(p, '-'))
        return true;
    if (parse_at(p, '+'))
        parse_advance(p);
    if (!parse_integer(p, &more))
        return false;
    *addend = (int64_t)((uint64_t)*addend + (uint64_t)more);
    return true;
}

static bool parse_address(struct parser *p, struct ptx_reloc *r)
{
    struct token name;
    int index;
    if (!parse_name(p, "a variable or function", &name))
        return false;
    if (TOKEN_IS(&name, "generic") && parse_accept(p, '(')) {
        if (r->generic)
            return parse_fail(p, name.offset, "generic() cannot contain generic()");
        r->generic = true;
        return parse_address(p, r) && parse_expect(p, ')', "')'") && parse_addend(p, &r->addend);
    }
    struct symbol *symbol = symbols_find(&p->symbols, name.text, name.length, &index);
    if (symbol && symbol->kind == SYMBOL_VARIABLE)
        r->variable = symbol->object;
    else if (symbol && symbol->kind == SYMBOL_FUNCTION)
        r->function = symbol->object;
    else
        return parse_fail(p, name.offset, "'%.*s' is not a declared variable or function", shown(name.length),
                          name.text);
    return parse_addend(p, &r->addend);
}

static bool write_address(struct parser *p, struct initialiser_writer *w, size_t offset, struct ptx_reloc *r)
{
    if (!r->bytes && w->scalar_bytes < 4)
        return parse_fail(p, offset, "an address does not fit .%s: say which byte, as in 0xFF00(name)",
                          type_table[w->type].text);
    if (!r->bytes)
        r->bytes = (uint8_t)(w->scalar_bytes < 8 ? w->scalar_bytes : 8);
    r->offset = w->position;
    vec_push(&w->relocs, *r);
    write_bits(w, 0);
    return true;
}

/* Checks the mask before an address, 0xFF0000(name), which selects whole adjacent bytes of the address. */
static bool set_mask(struct parser *p, const struct initialiser_writer *w, size_t offset, uint64_t mask,
                     struct ptx_reloc *r)
{
    int shift = mask ? __builtin_ctzll(mask) : 1;
    uint64_t ones = mask >> (shift & 63);
    int bits = __builtin_popcountll(ones);
    if (shift % 8 || bits % 8 || (bits < 64 && ones != (1ull << bits) - 1) || (uint64_t)bits / 8 > w->scalar_bytes)
        return parse_fail(p, offset, "expected a mask of whole bytes that fit .%s, e.g. 0xFF00",
                          type_table[w->type].text);
    r->shift = (uint8_t)shift;
    r->bytes = (uint8_t)(bits / 8);
    return true;
}

static bool parse_value(struct parser *p, struct initialiser_writer *w)
{
    size_t offset = p->token.offset;
    struct ptx_reloc reloc = {0};
    struct constant c;
    uint64_t bits;
    if (parse_at(p, TOKEN_WORD) && !TOKEN_IS(&p->token, "WARP_SZ"))
        return parse_address(p, &reloc) && write_address(p, w, offset, &reloc);
    if (!parse_constant(p, &c))
        return false;
    if (parse_accept(p, '('))
        return set_mask(p, w, offset, c.bits, &reloc) && parse_address(p, &reloc) && parse_expect(p, ')', "')'") &&
               parse_addend(p, &reloc.addend) && write_address(p, w, offset, &reloc);
    if (!parse_convert(p, offset, &c, w->type, &bits))
        return false;
    write_bits(w, bits);
    return true;
}

static bool parse_item(struct parser *p, struct initialiser_writer *w, int level, uint64_t start);

/* list = "{" [item {"," item}] "}"; the `{` has been read */
static bool parse_list(struct parser *p, struct initialiser_writer *w, int level)
{
    uint64_t start = w->position;
    if (parse_accept(p, '}'))
        return true;
    do
        if (!parse_item(p, w, level, start))
            return false;
    while (parse_accept(p, ','));
    return parse_expect(p, '}', "',' or '}'");
}

static bool parse_item(struct parser *p, struct initialiser_writer *w, int level, uint64_t start)
{
    uint64_t step = inner_extent(w, level);
    bool is_list = parse_at(p, '{');
    if (is_list && level + 1 >= w->levels)
        return parse_fail(p, p->token.offset, "more braces than dimensions");
    if (is_list && step)
        w->position = start + (w->position - start + step - 1) / step * step;
    if (w->position - start >= w->extent[level])
        return parse_fail(p, p->token.offset, "more values than elements");
    if (w->position >= allowance(p))
        return parse_fail(p, p->token.offset, "initialiser is too large");
    if (!is_list)
        return parse_value(p, w);
    uint64_t inner_start = w->position;
    parse_advance(p);
    if (!parse_list(p, w, level + 1))
        return false;
    w->position = inner_start + step;
    if (w->position > w->written_bytes)
        w->written_bytes = w->position;
    return true;
}

static bool finish(struct parser *p, struct initialiser_writer *w, size_t offset)
{
    struct ptx_variable *v = w->variable;
    if (v->is_unsized) {
        uint64_t row = v->dimension_count > 1 || v->vector > 1 ? w->extent[1] : w->scalar_bytes;
        v->dimension[0] = row ? (w->written_bytes + row - 1) / row : 0;
        v->size_bytes = v->dimension[0] * row;
        v->is_unsized = false;
    }
    if (w->has_value) {
        p->init_bytes_total += v->size_bytes;
        if (p->init_bytes_total > allowance(p))
            return parse_fail(p, offset, "the initialised arrays of the module are too large for so few values");
        uint8_t *init = arena_alloc(p->arena, v->size_bytes);
        memcpy(init, w->bytes.data, (size_t)w->bytes.count);
        v->init = init;
    }
    struct ptx_reloc *relocs = NULL;
    if (w->relocs.count)
        vec_into_arena(&w->relocs, p->arena, relocs, v->reloc_count);
    v->reloc = relocs;
    return true;
}

/* Skips the attributes of texture, sampler and surface references, which have no effect here. */
static bool skip_reference(struct parser *p)
{
    size_t offset = p->token.offset;
    if (!lex_skip_braces(&p->lexer))
        return parse_fail(p, offset, "'{' has no matching '}'");
    parse_advance(p);
    return true;
}

bool parse_initialiser(struct parser *p, struct ptx_variable *v)
{
    struct initialiser_writer w;
    size_t offset = p->token.offset;
    bool is_list = parse_at(p, '{');
    if (v->space != SPACE_GLOBAL && v->space != SPACE_CONST)
        return parse_fail(p, offset, "only .global and .const variables can be initialised");
    if (is_list && v->type >= TYPE_TEXREF && v->type <= TYPE_SURFREF)
        return skip_reference(p);
    start_writer(&w, v);
    if (is_list && !w.levels)
        w.extent[w.levels++] = w.scalar_bytes; /* a scalar may stand in braces too */
    if (!is_list && w.levels)
        return parse_expected(p, "'{'");
    parse_accept(p, '{');
    bool ok = (is_list ? parse_list(p, &w, 0) : parse_value(p, &w)) && finish(p, &w, offset);
    vec_free(&w.bytes);
    vec_free(&w.relocs);
    return ok;
}
