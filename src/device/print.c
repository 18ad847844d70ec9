/*
 * Device printf.
 *
 * Each conversion specification is parsed, bounded, and passed to the host's printf. An unknown specification is
 * printed unchanged; %n writes nothing. Text and numbers from a kernel are not trusted: formats, strings, widths and
 * the whole output have limits.
 */
#include "device/print.h"

#include <string.h>

enum {
    MAX_FORMAT_BYTES = 16 * 1024,
    MAX_STRING_BYTES = 64 * 1024,
    MAX_OUTPUT_BYTES = 1024 * 1024,
    MAX_FIELD = 4096 /* largest width and precision */
};

/* One call of vprintf. */
struct print_call {
    print_read_fn *read;
    void *context;
    uint64_t arguments; /* address of the next argument, before alignment */
    int argument_count;
    bool is_stuck; /* an argument could not be read, so printing stops */
    struct text *out;
    size_t start; /* offset of this call's output in `out` */
};

/* Reads a string of guest memory, up to a limit. False: not even its first byte exists. */
static bool read_string(struct print_call *p, uint64_t address, size_t limit, struct text *into)
{
    for (size_t i = 0; i < limit; i++) {
        char c;
        if (!p->read(p->context, address + i, &c, 1))
            return i > 0;
        if (!c)
            return true;
        text_append(into, &c, 1);
    }
    return true;
}

static uint64_t take_argument(struct print_call *p, uint32_t bytes)
{
    uint64_t value = 0;
    uint64_t address = (p->arguments + bytes - 1) & ~(uint64_t)(bytes - 1);
    uint8_t raw[8] = {0};
    if (p->is_stuck || !p->read(p->context, address, raw, bytes)) {
        p->is_stuck = true;
        return 0;
    }
    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint64_t)raw[i] << 8 * i;
    p->arguments = address + bytes;
    p->argument_count++;
    return value;
}

/* A conversion specification: "%-5.2f". */
struct print_spec {
    char flags[6];
    int width;     /* -1: none */
    int precision; /* -1: none */
    char length;   /* 0: none; 'h': short; 'H': char; 'l': 8 bytes */
    char letter;
};

static int bounded(int value)
{
    return value > MAX_FIELD ? MAX_FIELD : value;
}

static int parse_number(const char **at)
{
    int value = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        value = bounded(value * 10 + (**at - '0'));
    return value;
}

static void add_flag(struct print_spec *c, char flag)
{
    size_t n = strlen(c->flags);
    if (!strchr(c->flags, flag) && n + 1 < sizeof c->flags)
        c->flags[n] = flag;
}

static void parse_width(struct print_call *p, const char **at, struct print_spec *c)
{
    if (**at == '*') {
        (*at)++;
        int64_t width = (int32_t)take_argument(p, 4);
        if (width < 0)
            add_flag(c, '-');
        c->width = (int)(width < 0 ? (width < -MAX_FIELD ? MAX_FIELD : -width) : bounded((int)width));
    } else if (**at >= '1' && **at <= '9')
        c->width = parse_number(at);
}

static void parse_precision(struct print_call *p, const char **at, struct print_spec *c)
{
    if (**at != '.')
        return;
    (*at)++;
    if (**at == '*') {
        (*at)++;
        int precision = (int32_t)take_argument(p, 4);
        c->precision = precision < 0 ? -1 : bounded(precision);
    } else
        c->precision = parse_number(at);
}

static char parse_length(const char **at)
{
    char length = 0;
    if (**at == 'h') {
        (*at)++;
        length = 'h';
        if (**at == 'h') {
            (*at)++;
            length = 'H';
        }
        return length;
    }
    while (**at && strchr("lLztjq", **at)) {
        (*at)++;
        length = 'l';
    }
    return length;
}

static struct print_spec parse_conversion(struct print_call *p, const char **at)
{
    struct print_spec c = {.width = -1, .precision = -1};
    while (**at && strchr("-+ #0", **at))
        add_flag(&c, *(*at)++);
    parse_width(p, at, &c);
    parse_precision(p, at, &c);
    c.length = parse_length(at);
    c.letter = **at;
    if (**at)
        (*at)++;
    return c;
}

static int64_t narrow(uint64_t value, char length, bool is_signed)
{
    if (length == 'H')
        return is_signed ? (int8_t)value : (uint8_t)value;
    if (length == 'h')
        return is_signed ? (int16_t)value : (uint16_t)value;
    if (length == 'l')
        return (int64_t)value;
    return is_signed ? (int32_t)value : (int64_t)(uint32_t)value;
}

static void build_format(const struct print_spec *c, const char *length, char format[16])
{
    strcpy(format, "%");
    strcat(format, c->flags);
    strcat(format, c->width >= 0 ? "*" : "");
    strcat(format, c->precision >= 0 ? ".*" : "");
    strcat(format, length);
    strncat(format, &c->letter, 1);
}

/* The format is no literal, but is built from checked parts. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#define EMIT(p, c, format, value)                                             \
    do {                                                                      \
        if ((c)->width >= 0 && (c)->precision >= 0)                           \
            text_printf((p)->out, format, (c)->width, (c)->precision, value); \
        else if ((c)->width >= 0)                                             \
            text_printf((p)->out, format, (c)->width, value);                 \
        else if ((c)->precision >= 0)                                         \
            text_printf((p)->out, format, (c)->precision, value);             \
        else                                                                  \
            text_printf((p)->out, format, value);                             \
    } while (0)

static void print_integer(struct print_call *p, const struct print_spec *c)
{
    char format[16];
    bool is_signed = c->letter == 'd' || c->letter == 'i';
    uint64_t value = take_argument(p, c->length == 'l' ? 8 : 4);
    if (p->is_stuck)
        return;
    build_format(c, "ll", format);
    EMIT(p, c, format, (long long)narrow(value, c->length, is_signed));
}

static void print_float(struct print_call *p, const struct print_spec *c)
{
    char format[16];
    uint64_t bits = take_argument(p, 8);
    if (p->is_stuck)
        return;
    double value;
    memcpy(&value, &bits, sizeof value);
    build_format(c, "", format);
    EMIT(p, c, format, value);
}

static void print_character(struct print_call *p, const struct print_spec *c)
{
    char format[16];
    struct print_spec plain = *c;
    plain.precision = -1;
    uint64_t value = take_argument(p, 4);
    if (p->is_stuck)
        return;
    build_format(&plain, "", format);
    EMIT(p, &plain, format, (int)(unsigned char)value);
}

static void print_pointer(struct print_call *p, const struct print_spec *c)
{
    char format[16];
    struct print_spec plain = *c;
    plain.precision = -1;
    uint64_t value = take_argument(p, 8);
    if (p->is_stuck)
        return;
    build_format(&plain, "", format);
    EMIT(p, &plain, format, (void *)(uintptr_t)value);
}

static void print_string(struct print_call *p, const struct print_spec *c)
{
    char format[16];
    uint64_t address = take_argument(p, 8);
    if (p->is_stuck)
        return;
    struct text string = {0};
    size_t limit = c->precision >= 0 ? (size_t)c->precision : MAX_STRING_BYTES;
    if (limit && !read_string(p, address, limit, &string))
        text_printf(&string, "%s", address ? "(unreadable)" : "(null)");
    build_format(c, "", format);
    EMIT(p, c, format, string.data ? string.data : "");
    text_free(&string);
}
#pragma GCC diagnostic pop

static void print_conversion(struct print_call *p, const char **at)
{
    const char *start = *at;
    (*at)++;
    struct print_spec c = parse_conversion(p, at);
    if (p->is_stuck)
        return;
    if (c.letter == '%')
        text_append(p->out, "%", 1);
    else if (c.letter && strchr("diuxXo", c.letter))
        print_integer(p, &c);
    else if (c.letter && strchr("fFeEgGaA", c.letter))
        print_float(p, &c);
    else if (c.letter == 'c')
        print_character(p, &c);
    else if (c.letter == 's')
        print_string(p, &c);
    else if (c.letter == 'p')
        print_pointer(p, &c);
    else if (c.letter == 'n')
        take_argument(p, 8);
    else
        text_append(p->out, start, (size_t)(*at - start));
}

int print_format(uint64_t format, uint64_t arguments, print_read_fn *read, void *context, struct text *out)
{
    struct print_call p = {.read = read, .context = context, .arguments = arguments, .out = out, .start = out->length};
    struct text text = {0};
    if (!read_string(&p, format, MAX_FORMAT_BYTES, &text)) {
        text_free(&text);
        return -1;
    }
    const char *at = text.data ? text.data : "";
    while (*at && !p.is_stuck && out->length - p.start < MAX_OUTPUT_BYTES) {
        size_t plain = strcspn(at, "%");
        text_append(out, at, plain);
        at += plain;
        if (*at == '%')
            print_conversion(&p, &at);
    }
    text_free(&text);
    return p.argument_count;
}
