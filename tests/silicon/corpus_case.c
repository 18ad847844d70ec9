/*
 * Reads .case files and the PTX beside them; see corpus_case.h.
 *
 * A file is read line by line into one corpus_case per `case`; that prototype has everything but a module
 * and is then copied for each PTX variant. Buffers are filled by steps that are exact everywhere, so that
 * the same bytes reach a GPU and heddle on any host.
 */
#define _POSIX_C_SOURCE 200809L
#include "corpus_case.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 1 << 24, PATH_BYTES = 1024 };

struct type {
    const char *name;
    size_t bytes;
    enum { UNSIGNED, SIGNED, REAL } kind;
};

static const struct type types[] = {
    {"u8", 1, UNSIGNED}, {"s8", 1, SIGNED},    {"u16", 2, UNSIGNED}, {"s16", 2, SIGNED}, {"u32", 4, UNSIGNED},
    {"s32", 4, SIGNED},  {"u64", 8, UNSIGNED}, {"s64", 8, SIGNED},   {"f32", 4, REAL},   {"f64", 8, REAL},
};

struct list {
    void **item;
    int count, room;
};

struct reader {
    const char *file;
    int line;
    char *error;
    size_t error_size;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct reader *r, const char *format, ...)
{
    int used = snprintf(r->error, r->error_size, "%s:%d: ", r->file, r->line);
    if (used < 0 || (size_t)used >= r->error_size)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(r->error + used, r->error_size - (size_t)used, format, args);
    va_end(args);
    return false;
}

static bool list_add(struct list *l, void *item)
{
    if (!item)
        return false;
    if (l->count == l->room) {
        int room = l->room ? 2 * l->room : 64;
        void **grown = realloc(l->item, (size_t)room * sizeof *grown);
        if (!grown)
            return false;
        l->item = grown;
        l->room = room;
    }
    l->item[l->count++] = item;
    return true;
}

static void list_free(struct list *l, void (*destroy)(void *))
{
    for (int i = 0; i < l->count; i++)
        destroy(l->item[i]);
    free(l->item);
    *l = (struct list){0};
}

static void destroy_case(void *item)
{
    case_destroy(item);
}

/* Cuts the next word off the line; NULL at its end. */
static char *next_word(char **line)
{
    char *from = *line + strspn(*line, " \t\r");
    if (!*from)
        return NULL;
    char *to = from + strcspn(from, " \t\r");
    *line = *to ? to + 1 : to;
    *to = 0;
    return from;
}

static const struct type *type_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name))
            return &types[i];
    return NULL;
}

static bool parse_unsigned(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : (end = "?", 0);
    return !errno && !*end;
}

static void put_integer(const struct type *t, void *at, uint64_t value)
{
    uint8_t byte = (uint8_t)value;
    uint16_t half = (uint16_t)value;
    uint32_t word = (uint32_t)value;
    const void *from = t->bytes == 1   ? (const void *)&byte
                       : t->bytes == 2 ? (const void *)&half
                       : t->bytes == 4 ? (const void *)&word
                                       : (const void *)&value;
    memcpy(at, from, t->bytes);
}

/* Integers also as two's complement in `bits`; reals in the type's own precision, rounded once. */
static bool parse_value(const struct type *t, const char *text, uint64_t *bits, double *real)
{
    char *end;
    if (!text || !*text)
        return false;
    errno = 0;
    *bits = 0;
    *real = 0;
    if (t->kind == REAL) {
        *real = t->bytes == 4 ? (double)strtof(text, &end) : strtod(text, &end);
        return end != text && !*end;
    }
    if (t->kind == UNSIGNED && *text == '-')
        return false;
    *bits = *text == '-' ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
    if (errno || end == text || *end)
        return false;
    uint64_t sign = (uint64_t)1 << (8 * t->bytes - 1), beyond = 2 * (sign - 1) + 1; /* beyond: all bits of t */
    if (t->kind == UNSIGNED)
        return *bits <= beyond;
    return *text == '-' ? *bits >= (uint64_t)0 - sign : *bits < sign;
}

static void put_real(const struct type *t, void *at, double value)
{
    float narrow = (float)value;
    memcpy(at, t->bytes == 4 ? (const void *)&narrow : (const void *)&value, t->bytes);
}

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The products are volatile so that no compiler fuses them with the sum. */
static double random_real(const struct type *t, uint64_t x, double low, double high)
{
    if (t->bytes == 4) {
        float from = (float)low, span = (float)high - from;
        volatile float product = span * ((float)(x >> 40) * 0x1p-24f);
        return from + product;
    }
    volatile double product = (high - low) * ((double)(x >> 11) * 0x1p-53);
    return low + product;
}

/* random SEED [LO HI]; `word` comes in as the word after SEED and leaves as the first one not used. */
static bool fill_random(struct reader *r, const struct type *t, uint8_t *data, size_t count, char **line, char **word)
{
    uint64_t state, low = 0, high = 0;
    double low_real = 0, high_real = 1;
    if (!parse_unsigned(next_word(line), &state))
        return fail(r, "random needs a seed");
    bool ranged = (*word = next_word(line)) && strcmp(*word, "out") != 0;
    if (ranged) {
        if (!parse_value(t, *word, &low, &low_real) || !parse_value(t, next_word(line), &high, &high_real))
            return fail(r, "random needs two bounds of type %s", t->name);
        if (t->kind == REAL ? !(low_real < high_real) : t->kind == SIGNED ? (int64_t)low >= (int64_t)high : low >= high)
            return fail(r, "the lower bound is not below the upper");
        *word = next_word(line);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t x = splitmix64(&state);
        if (t->kind == REAL)
            put_real(t, data + i * t->bytes, random_real(t, x, low_real, high_real));
        else
            put_integer(t, data + i * t->bytes, ranged ? low + x % (high - low) : x);
    }
    return true;
}

/* values A,B,...: repeated from the start when they are fewer than the elements. */
static bool fill_values(struct reader *r, const struct type *t, uint8_t *data, size_t count, char *text)
{
    size_t given = 0;
    for (char *from = text; from; given++) {
        char *comma = strchr(from, ',');
        if (comma)
            *comma = 0;
        uint64_t bits;
        double real;
        if (!parse_value(t, from, &bits, &real))
            return fail(r, "'%s' is no value of type %s", from, t->name);
        if (given == count)
            return fail(r, "more values than the %zu elements", count);
        if (t->kind == REAL)
            put_real(t, data + given * t->bytes, real);
        else
            put_integer(t, data + given * t->bytes, bits);
        from = comma ? comma + 1 : NULL;
    }
    for (size_t i = given; i < count; i++)
        memcpy(data + i * t->bytes, data + (i - given) * t->bytes, t->bytes);
    return true;
}

/* arg buffer TYPE COUNT INIT [out] */
static bool read_buffer(struct reader *r, struct case_arg *arg, char *line)
{
    const struct type *t = type_find(next_word(&line));
    uint64_t count;
    if (!t)
        return fail(r, "arg buffer needs a type");
    if (!parse_unsigned(next_word(&line), &count) || count == 0 || count > MAX_ELEMENTS)
        return fail(r, "arg buffer needs a count from 1 to %d", MAX_ELEMENTS);
    arg->is_buffer = true;
    arg->bytes = (size_t)count * t->bytes;
    uint8_t *data = arg->data = calloc((size_t)count, t->bytes);
    if (!data)
        return fail(r, "out of memory");
    char *init = next_word(&line), *word = NULL;
    if (init && !strcmp(init, "random")) {
        if (!fill_random(r, t, data, (size_t)count, &line, &word))
            return false;
    } else if (init && !strcmp(init, "values")) {
        char *values = next_word(&line);
        if (!values || !fill_values(r, t, data, (size_t)count, values))
            return values ? false : fail(r, "values are missing");
        word = next_word(&line);
    } else if (init && !strcmp(init, "iota")) {
        for (uint64_t i = 0; i < count; i++) {
            if (t->kind == REAL)
                put_real(t, data + i * t->bytes, (double)i);
            else
                put_integer(t, data + i * t->bytes, i);
        }
        word = next_word(&line);
    } else if (init && !strcmp(init, "zeros")) {
        word = next_word(&line);
    } else {
        return fail(r, "a buffer starts as zeros, iota, random or values");
    }
    if (word && !strcmp(word, "out")) {
        arg->is_output = true;
        word = next_word(&line);
    }
    return word ? fail(r, "'%s' is not understood", word) : true;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* arg bytes HEX */
static bool read_bytes(struct reader *r, struct case_arg *arg, const char *hex)
{
    size_t digits = hex ? strlen(hex) : 0;
    if (digits == 0 || digits % 2)
        return fail(r, "arg bytes needs pairs of hexadecimal digits");
    arg->bytes = digits / 2;
    uint8_t *data = arg->data = malloc(arg->bytes);
    if (!data)
        return fail(r, "out of memory");
    for (size_t i = 0; i < arg->bytes; i++) {
        int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return fail(r, "'%.2s' is no pair of lower-case hexadecimal digits", hex + 2 * i);
        data[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool read_arg(struct reader *r, struct corpus_case *c, char *line)
{
    char *kind = next_word(&line);
    if (c->test.arg_count == CASE_MAX_ARGS)
        return fail(r, "more than %d arguments", CASE_MAX_ARGS);
    struct case_arg *arg = &c->test.arg[c->test.arg_count++];
    if (kind && !strcmp(kind, "buffer"))
        return read_buffer(r, arg, line);
    if (kind && !strcmp(kind, "bytes"))
        return read_bytes(r, arg, next_word(&line));
    const struct type *t = type_find(kind);
    char *text = next_word(&line);
    uint64_t bits;
    double real;
    if (!t || !parse_value(t, text, &bits, &real) || next_word(&line))
        return fail(r, "arg is: buffer ..., bytes HEX, or TYPE VALUE");
    arg->bytes = t->bytes;
    arg->data = malloc(t->bytes);
    if (!arg->data)
        return fail(r, "out of memory");
    if (t->kind == REAL)
        put_real(t, arg->data, real);
    else
        put_integer(t, arg->data, bits);
    return true;
}

/* tolerance f32|f64 ULPS: of the buffer just before it */
static bool read_tolerance(struct reader *r, struct corpus_case *c, char *line)
{
    const struct type *t = type_find(next_word(&line));
    uint64_t ulps;
    int last = c->test.arg_count - 1;
    if (last < 0 || !c->test.arg[last].is_output)
        return fail(r, "tolerance follows an output buffer");
    if (!t || t->kind != REAL || !parse_unsigned(next_word(&line), &ulps) || ulps > UINT_MAX || next_word(&line))
        return fail(r, "tolerance is: f32 or f64, and a number of units in the last place");
    c->tolerance[last].kind = t->bytes == 4 ? CORPUS_ULPS_F32 : CORPUS_ULPS_F64;
    c->tolerance[last].ulps = (unsigned)ulps;
    return true;
}

static bool read_numbers(struct reader *r, unsigned *to, int count, char *line)
{
    for (int i = 0; i < count; i++) {
        uint64_t value;
        if (!parse_unsigned(next_word(&line), &value) || value > INT_MAX)
            return fail(r, "%d numbers are needed here", count);
        to[i] = (unsigned)value;
    }
    return next_word(&line) ? fail(r, "only %d numbers are needed here", count) : true;
}

static bool begin_case(struct reader *r, struct list *cases, const char *source, const char *name)
{
    struct corpus_case *c = calloc(1, sizeof *c);
    if (!c || !list_add(cases, c)) {
        free(c);
        return fail(r, "out of memory");
    }
    if (!name || snprintf(c->base, sizeof c->base, "%s/%s", source, name) >= (int)sizeof c->base)
        return fail(r, "case needs a name, a short one");
    return true;
}

static bool end_case(struct reader *r, const struct corpus_case *c)
{
    bool output = false;
    for (int i = 0; i < c->test.arg_count; i++)
        output |= c->test.arg[i].is_output;
    unsigned blocks = c->test.grid[0] && c->test.grid[1] && c->test.grid[2];
    unsigned threads = c->test.block[0] && c->test.block[1] && c->test.block[2];
    if (!c->test.kernel || !blocks || !threads || !output)
        return fail(r, "the case lacks a kernel, a grid, a block or an output");
    return true;
}

static bool read_line(struct reader *r, struct list *cases, bool *open, const char *source, char *line)
{
    char *word = next_word(&line);
    if (!word || *word == '#')
        return true;
    if (!strcmp(word, "case") == *open)
        return fail(r, *open ? "the case before has no end" : "'%s' is outside a case", word);
    if (!*open) {
        *open = true;
        return begin_case(r, cases, source, next_word(&line));
    }
    struct corpus_case *c = cases->item[cases->count - 1];
    if (!strcmp(word, "arg"))
        return read_arg(r, c, line);
    if (!strcmp(word, "tolerance"))
        return read_tolerance(r, c, line);
    if (!strcmp(word, "grid"))
        return read_numbers(r, c->test.grid, 3, line);
    if (!strcmp(word, "block"))
        return read_numbers(r, c->test.block, 3, line);
    if (!strcmp(word, "shared"))
        return read_numbers(r, &c->test.shared_bytes, 1, line);
    if (!strcmp(word, "kernel")) {
        char *name = next_word(&line);
        free(c->test.kernel);
        c->test.kernel = name ? strdup(name) : NULL;
        return c->test.kernel ? true : fail(r, "kernel needs a name");
    }
    if (!strcmp(word, "end")) {
        *open = false;
        return end_case(r, c);
    }
    return fail(r, "'%s' is not understood", word);
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room);
    while (text) {
        used += fread(text + used, 1, room - used - 1, f);
        if (used < room - 1)
            break;
        char *grown = realloc(text, room *= 2);
        if (!grown)
            free(text);
        text = grown;
    }
    if (text)
        text[used] = 0;
    fclose(f);
    return text;
}

static bool read_cases(struct reader *r, struct list *cases, const char *source)
{
    char *text = read_file(r->file);
    if (!text)
        return fail(r, "cannot be read");
    bool open = false, good = true;
    char *line = text;
    while (good && line) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        r->line++;
        good = read_line(r, cases, &open, source, line);
        line = end ? end + 1 : NULL;
    }
    free(text);
    return good && open ? fail(r, "the last case has no end") : good;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The sorted names in a folder that have both prefix and suffix, without them. */
static bool list_names(struct list *names, const char *dir, const char *prefix, const char *suffix)
{
    DIR *d = opendir(dir);
    size_t before = strlen(prefix), after = strlen(suffix);
    bool good = d != NULL;
    for (struct dirent *e; good && (e = readdir(d)) != NULL;) {
        size_t length = strlen(e->d_name);
        if (length <= before + after || strncmp(e->d_name, prefix, before) ||
            strcmp(e->d_name + length - after, suffix))
            continue;
        char *name = strndup(e->d_name + before, length - before - after);
        good = list_add(names, name);
        if (!good)
            free(name);
    }
    if (d)
        closedir(d);
    if (good && names->count)
        qsort(names->item, (size_t)names->count, sizeof *names->item, compare_names);
    return good;
}

/* A prototype's copy, with this module. */
static struct test_case *copy_case(const struct corpus_case *from, const char *variant, const char *ptx)
{
    struct corpus_case *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = *from;
    size_t room = strlen(from->base) + strlen(variant) + 2;
    c->test.name = malloc(room);
    c->test.ptx = strdup(ptx);
    c->test.kernel = strdup(from->test.kernel);
    bool good = c->test.name && c->test.ptx && c->test.kernel &&
                snprintf(c->variant, sizeof c->variant, "%s", variant) < (int)sizeof c->variant;
    for (int i = 0; i < c->test.arg_count; i++) {
        struct case_arg *arg = &c->test.arg[i];
        arg->data = malloc(arg->bytes);
        if (arg->data)
            memcpy(arg->data, from->test.arg[i].data, arg->bytes);
        else
            good = false;
    }
    if (!good) {
        case_destroy(&c->test);
        return NULL;
    }
    snprintf(c->test.name, room, "%s@%s", from->base, variant);
    return &c->test;
}

static bool pair_variants(struct reader *r, struct list *all, const struct list *cases, const char *dir,
                          const char *source)
{
    char folder[PATH_BYTES], prefix[CORPUS_NAME_BYTES], path[2 * PATH_BYTES];
    struct list variants = {0};
    snprintf(folder, sizeof folder, "%s/ptx", dir);
    snprintf(prefix, sizeof prefix, "%s.", source);
    if (!list_names(&variants, folder, prefix, ".ptx") || variants.count == 0) {
        list_free(&variants, free);
        return fail(r, "there is no PTX for it in %s", folder);
    }
    bool good = true;
    for (int v = 0; good && v < variants.count; v++) {
        snprintf(path, sizeof path, "%s/%s%s.ptx", folder, prefix, (char *)variants.item[v]);
        char *ptx = read_file(path);
        for (int i = 0; ptx && good && i < cases->count; i++) {
            struct test_case *c = copy_case(cases->item[i], variants.item[v], ptx);
            good = list_add(all, c) || (case_destroy(c), fail(r, "out of memory"));
        }
        if (!ptx)
            good = fail(r, "%s cannot be read", path);
        free(ptx);
    }
    list_free(&variants, free);
    return good;
}

static int compare_cases(const void *a, const void *b)
{
    const struct test_case *x = *(struct test_case *const *)a, *y = *(struct test_case *const *)b;
    return strcmp(x->name, y->name);
}

struct test_case **corpus_load(const char *corpus_dir, int *count, char *error, size_t error_size)
{
    struct list sources = {0}, all = {0};
    *count = 0;
    if (!list_names(&sources, corpus_dir, "", ".case") || sources.count == 0) {
        snprintf(error, error_size, "%s: no .case files", corpus_dir);
        list_free(&sources, free);
        return NULL;
    }
    bool good = true;
    for (int i = 0; good && i < sources.count; i++) {
        char path[PATH_BYTES];
        const char *source = sources.item[i];
        snprintf(path, sizeof path, "%s/%s.case", corpus_dir, source);
        struct reader r = {.file = path, .error = error, .error_size = error_size};
        struct list cases = {0};
        good = read_cases(&r, &cases, source) && pair_variants(&r, &all, &cases, corpus_dir, source);
        list_free(&cases, destroy_case);
    }
    list_free(&sources, free);
    if (!good) {
        list_free(&all, destroy_case);
        return NULL;
    }
    qsort(all.item, (size_t)all.count, sizeof *all.item, compare_cases);
    *count = all.count;
    return (struct test_case **)all.item;
}

const struct corpus_case *corpus_case_of(const struct test_case *c)
{
    return (const struct corpus_case *)c;
}

/* Places on the number line, so that neighbours differ by one; both zeros are one place. */
static int64_t ordinal(uint64_t bits, uint64_t sign)
{
    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static bool element_agrees(struct corpus_tolerance t, const uint8_t *got, const uint8_t *expected)
{
    int64_t a, b;
    if (t.kind == CORPUS_ULPS_F32) {
        float x, y;
        uint32_t p, q;
        memcpy(&x, got, 4);
        memcpy(&y, expected, 4);
        if (isnan(x) || isnan(y))
            return isnan(x) && isnan(y);
        memcpy(&p, got, 4);
        memcpy(&q, expected, 4);
        a = ordinal(p, UINT32_C(1) << 31);
        b = ordinal(q, UINT32_C(1) << 31);
    } else {
        double x, y;
        uint64_t p, q;
        memcpy(&x, got, 8);
        memcpy(&y, expected, 8);
        if (isnan(x) || isnan(y))
            return isnan(x) && isnan(y);
        memcpy(&p, got, 8);
        memcpy(&q, expected, 8);
        a = ordinal(p, UINT64_C(1) << 63);
        b = ordinal(q, UINT64_C(1) << 63);
    }
    uint64_t apart = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
    return apart <= t.ulps;
}

bool corpus_case_agrees(const struct corpus_case *c, int arg, const void *got, const void *expected, size_t *offset)
{
    struct corpus_tolerance t = c->tolerance[arg];
    size_t bytes = c->test.arg[arg].bytes, size = t.kind == CORPUS_EXACT ? 1 : t.kind == CORPUS_ULPS_F32 ? 4 : 8;
    const uint8_t *a = got, *b = expected;
    for (size_t i = 0; i + size <= bytes; i += size) {
        if (t.kind == CORPUS_EXACT ? a[i] != b[i] : !element_agrees(t, a + i, b + i)) {
            *offset = i;
            return false;
        }
    }
    return true;
}
