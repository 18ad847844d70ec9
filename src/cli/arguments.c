/* Reads arguments of a kernel from words, and prints buffers: see arguments.h. */
#include "cli/arguments.h"

#include "base/arena.h"
#include "base/bits.h"
#include "base/diag.h"
#include "base/half.h"
#include "base/random.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- numbers ---- */

static bool parse_integer(const char *word, enum type type, uint64_t *bits)
{
    unsigned width = type_table[type].bits;
    bool negative = *word == '-';
    if (!isdigit((unsigned char)word[negative]))
        return false;
    char *end;
    errno = 0;
    uint64_t magnitude = strtoull(word + negative, &end, 0);
    if (errno || *end)
        return false;
    uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1, half = all / 2;
    if (negative && (type_table[type].kind == KIND_UINT || magnitude > half + 1))
        return false;
    if (!negative && magnitude > (type_table[type].kind == KIND_SINT ? half : all))
        return false;
    *bits = (negative ? 0 - magnitude : magnitude) & all;
    return true;
}

static bool parse_float(const char *word, enum type type, uint64_t *bits)
{
    if (!*word || isspace((unsigned char)*word))
        return false;
    char *end;
    *bits = 0;
    if (type == TYPE_F32) {
        float value = strtof(word, &end);
        memcpy(bits, &value, sizeof value);
    } else {
        double value = strtod(word, &end);
        memcpy(bits, &value, sizeof value);
    }
    return !*end;
}

/* Whether values of the type can be written as numbers. Floats of 16 bits cannot; their bits are written as b16. */
static bool is_number_type(enum type type)
{
    const struct type_info *info = &type_table[type];
    if (info->kind == KIND_FLOAT)
        return type == TYPE_F32 || type == TYPE_F64;
    return (info->kind == KIND_BITS || info->kind == KIND_UINT || info->kind == KIND_SINT) && info->bits <= 64 &&
           type < TYPE_TEXREF;
}

static bool is_element_type(enum type type)
{
    return is_number_type(type) || type == TYPE_F16 || type == TYPE_BF16;
}

static bool parse_value(const char *word, enum type type, uint64_t *bits)
{
    if (!is_number_type(type))
        return false;
    return type_table[type].kind == KIND_FLOAT ? parse_float(word, type, bits) : parse_integer(word, type, bits);
}

/* ---- buffers ---- */

static void store(uint8_t *data, uint64_t index, enum type type, uint64_t bits)
{
    unsigned bytes = type_bytes(type);
    memcpy(data + index * bytes, &bits, bytes); /* all hosts are little-endian */
}

static uint64_t float_bits(enum type type, double value)
{
    uint64_t bits = 0;
    float narrow = (float)value;
    if (type == TYPE_F32)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &value, sizeof value);
    return bits;
}

/* Copies what stands between "name(" and ")" to `inside`; false if the word does not have this form. */
static bool match_form(const char *word, const char *name, char *inside, size_t size)
{
    size_t n = strlen(name), length = strlen(word);
    if (strncmp(word, name, n) || word[n] != '(' || word[length - 1] != ')' || length - n - 2 >= size)
        return false;
    memcpy(inside, word + n + 1, length - n - 2);
    inside[length - n - 2] = '\0';
    return true;
}

/* Fills elements with random values; `inside` is what stands in the parentheses of random(). */
static bool fill_random(uint8_t *data, uint64_t count, enum type type, char *inside, char **error)
{
    char *low_word = strchr(inside, ','), *high_word = low_word ? strchr(low_word + 1, ',') : NULL;
    if (low_word)
        *low_word++ = '\0';
    if (high_word)
        *high_word++ = '\0';
    uint64_t seed, low = 0, high = 0;
    if (!parse_integer(inside, TYPE_U64, &seed) || (low_word && !high_word))
        return diag_fail(error, "random takes a seed, or a seed, a lowest and a highest value");
    if (low_word && (!parse_value(low_word, type, &low) || !parse_value(high_word, type, &high)))
        return diag_fail(error, "random's bounds %s and %s are no values of type %s", low_word, high_word,
                         type_table[type].text);
    struct random r = {seed};
    if (type_table[type].kind == KIND_FLOAT) {
        double from = 0, to = 1;
        float narrow_from, narrow_to;
        if (low_word && type == TYPE_F64) {
            memcpy(&from, &low, sizeof from);
            memcpy(&to, &high, sizeof to);
        } else if (low_word) {
            memcpy(&narrow_from, &low, sizeof narrow_from);
            memcpy(&narrow_to, &high, sizeof narrow_to);
            from = narrow_from;
            to = narrow_to;
        }
        if (!isfinite(from) || !isfinite(to) || !isfinite(to - from))
            return diag_fail(error, "random's bounds %s and %s are not finite, or too far apart", low_word, high_word);
        if (from > to)
            return diag_fail(error, "random's lowest value %s is above its highest, %s", low_word, high_word);
        /* 24 bits, so that a float in [0, 1) does not round to 1 */
        unsigned kept = type == TYPE_F32 ? 24 : 53;
        for (uint64_t i = 0; i < count; i++) {
            double unit = (double)(random_u64(&r) >> (64 - kept)) / (double)(UINT64_C(1) << kept);
            store(data, i, type, float_bits(type, from + unit * (to - from)));
        }
        return true;
    }
    unsigned width = type_table[type].bits;
    uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    uint64_t sign = type_table[type].kind == KIND_SINT ? (all >> 1) + 1 : 0;
    if (low_word && (low ^ sign) > (high ^ sign))
        return diag_fail(error, "random's lowest value %s is above its highest, %s", low_word, high_word);
    uint64_t span = low_word ? (high - low) & all : all; /* modulo 2^width, so right for signed bounds, too */
    for (uint64_t i = 0; i < count; i++)
        store(data, i, type, (low + (span == UINT64_MAX ? random_u64(&r) : random_u64(&r) % (span + 1))) & all);
    return true;
}

static bool fill_list(uint8_t *data, uint64_t count, enum type type, const char *list, char **error)
{
    uint64_t index = 0;
    for (const char *at = list;; index++) {
        char word[64];
        size_t n = strcspn(at, ",");
        uint64_t bits;
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), at);
        if (n >= sizeof word || !parse_value(word, type, &bits))
            return diag_fail(error, "'%s' is no value of type %s", word, type_table[type].text);
        if (index >= count)
            return diag_fail(error, "more values than the buffer's %" PRIu64 " elements", count);
        store(data, index, type, bits);
        if (!at[n])
            return true;
        at += n + 1;
    }
}

/* A file that gives a buffer its contents. */
struct input_file {
    const char *path;
    FILE *file;
    bool is_regular; /* a file or a folder (which cannot be read); pipes and devices have no known end */
    uint64_t bytes;  /* length of a regular file */
};

static bool open_source(const char *path, struct input_file *s, char **error)
{
    struct stat about;
    *s = (struct input_file){.path = path, .file = fopen(path, "rb")};
    if (!s->file)
        return diag_fail(error, "cannot read %s: %s", path, strerror(errno));
    if (!fstat(fileno(s->file), &about)) {
        s->is_regular = S_ISREG(about.st_mode) || S_ISDIR(about.st_mode);
        s->bytes = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    }
    return true;
}

/* Appends the bytes of the file to `out`, until `out` has `most` bytes. */
static bool read_source(struct input_file *s, uint64_t most, struct text *out, char **error)
{
    char buffer[1024]; /* small, as it lies on the stack; stdio has a larger one of its own */
    for (size_t n;
         out->length < most &&
         (n = fread(buffer, 1, most - out->length < sizeof buffer ? (size_t)(most - out->length) : sizeof buffer,
                    s->file)) > 0;)
        text_append(out, buffer, n);
    return !ferror(s->file) || diag_fail(error, "cannot read %s: %s", s->path, strerror(errno));
}

/* The parts of buf:TYPE[COUNT]=INIT. */
struct buffer_spec {
    enum type type;
    uint64_t count;   /* UINT64_MAX: not given, so the initialiser decides */
    const char *init; /* NULL: zeros */
};

static bool split_buffer(const char *word, struct buffer_spec *spec, char **error)
{
    size_t n = strcspn(word, "[=");
    spec->type = type_find(word, (int)n);
    if (!is_element_type(spec->type))
        return diag_fail(error, "'%.*s' is no type of elements; f32, u32, s32, u8, ... are", (int)n, word);
    const char *at = word + n;
    spec->count = UINT64_MAX;
    spec->init = NULL;
    if (*at == '[') {
        char *end;
        errno = 0;
        spec->count = isdigit((unsigned char)at[1]) ? strtoull(at + 1, &end, 0) : 0;
        if (!spec->count || *end != ']')
            return diag_fail(error, "a buffer's number of elements, 1 or more, stands in brackets: buf:f32[1024]");
        if (errno || spec->count > UINT64_C(1) << 44)
            return diag_fail(error, "no memory holds that many elements");
        at = end + 1;
    }
    if (*at == '=')
        spec->init = at + 1;
    else if (*at || spec->count == UINT64_MAX)
        return diag_fail(error, "a buffer is written buf:f32[1024], perhaps with =iota, =random(SEED), ... behind");
    return true;
}

static uint64_t allocate(struct argument *a, struct memory *memory)
{
    char label[80];
    snprintf(label, sizeof label, "argument %.60s", a->word);
    a->address = memory_alloc(memory, a->bytes, label);
    return a->address;
}

/* Chooses how many bytes to read at most: the buffer's size if it is given, so that a file without end can be read;
 * else the free memory. False and an error text if the file cannot fit. */
static bool choose_size(const struct input_file *s, const struct buffer_spec *spec, uint64_t free_bytes,
                        uint64_t *bytes, char **error)
{
    unsigned size = type_bytes(spec->type);
    const char *type = type_table[spec->type].text;
    if (spec->count == UINT64_MAX && !s->is_regular)
        return diag_fail(error, "%s is no regular file, so the buffer's size must be given: buf:%s[1024]=file(%s)",
                         s->path, type, s->path);
    if (spec->count != UINT64_MAX && s->bytes > spec->count * size)
        return diag_fail(error, "%s holds %" PRIu64 " elements, not %" PRIu64, s->path, s->bytes / size, spec->count);
    *bytes = spec->count == UINT64_MAX ? free_bytes : spec->count * size;
    if (s->bytes > free_bytes)
        return diag_fail(error, "%s has more than the %" PRIu64 " bytes of free memory; see --memory", s->path,
                         free_bytes);
    return *bytes <= free_bytes || diag_fail(error, "no room for %" PRIu64 " bytes; see --memory", *bytes);
}

/* Reads the file that gives a buffer its contents. False and an error text if it cannot be read or cannot fit. */
static bool read_content(const char *path, const struct buffer_spec *spec, uint64_t free_bytes, struct text *content,
                         char **error)
{
    struct input_file s;
    uint64_t bytes = 0;
    if (!open_source(path, &s, error))
        return false;
    bool ok = choose_size(&s, spec, free_bytes, &bytes, error) && read_source(&s, bytes, content, error);
    fclose(s.file);
    return ok;
}

static bool fill_from_file(struct argument *a, const struct buffer_spec *spec, const char *path, struct memory *memory,
                           char **error)
{
    struct text content = {0};
    bool ok = read_content(path, spec, memory->limit_bytes - memory->used_bytes, &content, error);
    unsigned size = type_bytes(spec->type);
    if (ok && (!content.length || content.length % size))
        ok = diag_fail(error, "%s has %zu bytes, which is no whole number of %s", path, content.length,
                       type_table[spec->type].text);
    if (ok && spec->count != UINT64_MAX && spec->count != content.length / size)
        ok = diag_fail(error, "%s holds %zu elements, not %" PRIu64, path, content.length / size, spec->count);
    if (ok) {
        a->bytes = content.length;
        a->count = content.length / size;
        ok = allocate(a, memory) || diag_fail(error, "no room for %" PRIu64 " bytes; see --memory", a->bytes);
    }
    if (ok)
        memcpy(memory_host(memory, a->address, a->bytes), content.data, content.length);
    text_free(&content);
    return ok;
}

static uint64_t count_list(const char *list)
{
    uint64_t count = 1;
    for (; *list; list++)
        count += *list == ',';
    return count;
}

static bool fill_buffer(struct argument *a, const struct buffer_spec *spec, uint8_t *data, char **error)
{
    char inside[256];
    const char *init = spec->init;
    uint64_t bits;
    if (!init)
        return true;
    if (!is_number_type(spec->type))
        return diag_fail(error, "buffers of %s take zeros or a file", type_table[spec->type].text);
    if (!strcmp(init, "iota")) {
        bool is_float = type_table[spec->type].kind == KIND_FLOAT;
        for (uint64_t i = 0; i < a->count; i++)
            store(data, i, spec->type, is_float ? float_bits(spec->type, (double)i) : i);
        return true;
    }
    if (match_form(init, "random", inside, sizeof inside))
        return fill_random(data, a->count, spec->type, inside, error);
    if (match_form(init, "fill", inside, sizeof inside)) {
        if (!parse_value(inside, spec->type, &bits))
            return diag_fail(error, "'%s' is no value of type %s", inside, type_table[spec->type].text);
        for (uint64_t i = 0; i < a->count; i++)
            store(data, i, spec->type, bits);
        return true;
    }
    return fill_list(data, a->count, spec->type, init, error);
}

static bool read_buffer(struct argument *a, const char *word, struct memory *memory, char **error)
{
    struct buffer_spec spec = {0};
    char path[4096];
    if (!split_buffer(word, &spec, error))
        return false;
    a->is_buffer = true;
    a->type = (uint8_t)spec.type;
    if (spec.init && match_form(spec.init, "file", path, sizeof path))
        return fill_from_file(a, &spec, path, memory, error);
    bool listed = spec.init && *spec.init && strchr("-+.0123456789", *spec.init);
    if (spec.count == UINT64_MAX && !listed)
        return diag_fail(error, "the buffer's size is missing: buf:%s[1024]=%s", type_table[spec.type].text, spec.init);
    a->count = spec.count == UINT64_MAX ? count_list(spec.init) : spec.count;
    a->bytes = a->count * type_bytes(spec.type);
    if (!allocate(a, memory))
        return diag_fail(error, "no room for %" PRIu64 " bytes; see --memory", a->bytes);
    return fill_buffer(a, &spec, memory_host(memory, a->address, a->bytes), error);
}

/* ---- parameters ---- */

static bool read_bytes(const char *hex, uint64_t size, uint8_t *into, char **error)
{
    if (strspn(hex, "0123456789abcdefABCDEF") != strlen(hex) || strlen(hex) != 2 * size)
        return diag_fail(error, "the parameter has %" PRIu64 " bytes: bytes: needs %" PRIu64 " hexadecimal digits",
                         size, 2 * size);
    for (uint64_t i = 0; i < size; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        into[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

static bool read_number(const char *word, enum type type, const struct ptx_variable *p, uint8_t *into, char **error)
{
    uint64_t bits;
    if (p->size_bytes != type_bytes(type))
        return diag_fail(error, "the parameter has %" PRIu64 " bytes, %s has %u", p->size_bytes, type_table[type].text,
                         type_bytes(type));
    if (!parse_value(word, type, &bits))
        return diag_fail(error, "'%s' is no value of type %s", word, type_table[type].text);
    memcpy(into, &bits, p->size_bytes);
    return true;
}

/* Whether the number is of the parameter's kind: a float for a float parameter, an integer for an integer one. A number
 * of the other kind is more often a mistake than not. Parameters of bits and structures take either kind. */
static bool is_of_its_kind(enum type type, const struct ptx_variable *p)
{
    enum type_kind wanted = type_table[p->type].kind;
    return wanted == KIND_BITS || p->is_array || (wanted == KIND_FLOAT) == (type_table[type].kind == KIND_FLOAT);
}

bool argument_read(struct argument *argument, const char *word, const struct ptx_variable *parameter,
                   struct memory *memory, uint8_t *into, char **error)
{
    *argument = (struct argument){.word = word};
    const char *colon = strchr(word, ':');
    if (!strncmp(word, "bytes:", 6))
        return read_bytes(word + 6, parameter->size_bytes, into, error);
    if (!strncmp(word, "buf:", 4)) {
        if (parameter->size_bytes != 8)
            return diag_fail(error, "the parameter has %" PRIu64 " bytes; the address of a buffer has 8",
                             parameter->size_bytes);
        if (!read_buffer(argument, word + 4, memory, error))
            return false;
        memcpy(into, &argument->address, sizeof argument->address);
        return true;
    }
    if (colon) {
        enum type type = type_find(word, (int)(colon - word));
        if (!is_number_type(type))
            return diag_fail(error, "'%.*s:' is no kind of argument; f32:, u32:, s64:, bytes:, buf: are",
                             (int)(colon - word), word);
        if (!is_of_its_kind(type, parameter))
            return diag_fail(error, "the parameter is of type %s, not %s; bytes: takes the bits of any number",
                             type_table[parameter->type].text, type_table[type].text);
        return read_number(colon + 1, type, parameter, into, error);
    }
    if (parameter->is_array)
        return diag_fail(error, "the parameter is a structure of %" PRIu64 " bytes: write bytes:...",
                         parameter->size_bytes);
    if (!is_number_type(parameter->type))
        return diag_fail(error, "the parameter is of type %s: write bytes:...", type_table[parameter->type].text);
    return read_number(word, parameter->type, parameter, into, error);
}

/* ---- printing ---- */

static void format_element(char *into, size_t size, enum type type, const uint8_t *data)
{
    const struct type_info *info = &type_table[type];
    uint64_t bits = 0;
    memcpy(&bits, data, type_bytes(type));
    uint32_t single = (uint32_t)bits;
    if (type == TYPE_F16)
        single = half_to_f32_bits((uint16_t)bits);
    else if (type == TYPE_BF16)
        single = (uint32_t)bits << 16;
    float narrow;
    double wide;
    memcpy(&narrow, &single, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    if (type == TYPE_F64)
        snprintf(into, size, "%.17g", wide);
    else if (info->kind == KIND_FLOAT)
        snprintf(into, size, "%.9g", (double)narrow);
    else if (info->kind == KIND_SINT)
        snprintf(into, size, "%" PRId64, (int64_t)(bits << (64 - info->bits)) >> (64 - info->bits));
    else if (info->kind == KIND_BITS)
        snprintf(into, size, "%0*" PRIx64, info->bits / 4, bits);
    else
        snprintf(into, size, "%" PRIu64, bits);
}

void argument_print(enum type type, const uint8_t *data, uint64_t count, FILE *out)
{
    enum { COLUMNS = 100, ELEMENT = 40, LABEL = 10, MOST = 16 };
    char text[ELEMENT];
    unsigned size = type_bytes(type);
    int width = 1;
    for (uint64_t i = 0; i < count; i++) {
        format_element(text, sizeof text, type, data + i * size);
        if ((int)strlen(text) > width)
            width = (int)strlen(text);
    }
    uint64_t a_line = (uint64_t)((COLUMNS - LABEL) / (width + 1));
    for (uint64_t step = MOST; step; step /= 2) /* a power of two per line, so that columns are easy to count */
        if (step <= a_line) {
            a_line = step;
            break;
        }
    for (uint64_t i = 0; i < count; i++) {
        if (i % a_line == 0)
            fprintf(out, "%s%8" PRIu64 ":", i ? "\n" : "", i);
        format_element(text, sizeof text, type, data + i * size);
        fprintf(out, " %*s", width, text);
    }
    fputc('\n', out);
}
