/* A JSON reader by recursive descent: see json.h. */
#include "base/json.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

struct reader {
    const char *start, *at;
    struct text path, string;
    json_visitor *visit;
    void *context;
    int depth;
    const char *wrong; /* what is; NULL: nothing yet */
};

static bool read_value(struct reader *r);

static bool fail(struct reader *r, const char *what)
{
    if (!r->wrong)
        r->wrong = what;
    return false;
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static void cut_path(struct reader *r, size_t length)
{
    r->path.length = length;
    if (r->path.data)
        r->path.data[length] = '\0';
}

static bool visit(struct reader *r, enum json_kind kind, double number, const char *string)
{
    r->visit(r->context, &(struct json_scalar){r->path.data ? r->path.data : "", kind, number, string});
    return true;
}

static void append_utf8(struct text *t, unsigned long c)
{
    char bytes[4];
    int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = n - 1; i > 0; i--, c >>= 6)
        bytes[i] = (char)(0x80 | (c & 0x3f));
    bytes[0] = (char)(lead[n] | c);
    text_append(t, bytes, (size_t)n);
}

/* Four hexadecimal digits behind \u; ULONG_MAX if they are not. */
static unsigned long read_unit(struct reader *r)
{
    char digits[5] = "";
    if (strspn(r->at, "0123456789abcdefABCDEF") < 4)
        return (unsigned long)-1;
    memcpy(digits, r->at, 4);
    r->at += 4;
    return strtoul(digits, NULL, 16);
}

static bool read_escape(struct reader *r)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *found = *r->at ? strchr(names, *r->at) : NULL;
    if (found) {
        text_append(&r->string, &values[found - names], 1);
        r->at++;
        return true;
    }
    if (*r->at++ != 'u')
        return fail(r, "an escape that there is not");
    unsigned long c = read_unit(r);
    if (c >= 0xd800 && c < 0xdc00 && r->at[0] == '\\' && r->at[1] == 'u') { /* the first of two */
        r->at += 2;
        unsigned long low = read_unit(r);
        c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
    }
    if (c > 0x10ffff)
        return fail(r, "\\u without four hexadecimal digits");
    append_utf8(&r->string, c);
    return true;
}

/* Behind the opening quote; into r->string. */
static bool read_string(struct reader *r)
{
    r->string.length = 0;
    text_append(&r->string, "", 0);
    for (;;) {
        size_t plain = strcspn(r->at, "\"\\");
        text_append(&r->string, r->at, plain);
        r->at += plain;
        if (!*r->at)
            return fail(r, "a string without an end");
        if (*r->at++ == '"')
            break;
        if (!read_escape(r))
            return false;
    }
    return true;
}

static bool read_member(struct reader *r)
{
    size_t length = r->path.length;
    if (!take(r, '"'))
        return fail(r, "a member without a name");
    if (!read_string(r))
        return false;
    text_printf(&r->path, "%s%s", length ? "." : "", r->string.data);
    if (!take(r, ':'))
        return fail(r, "a name without a colon");
    bool ok = read_value(r);
    cut_path(r, length);
    return ok;
}

static bool read_element(struct reader *r)
{
    size_t length = r->path.length;
    text_printf(&r->path, "[]");
    bool ok = read_value(r);
    cut_path(r, length);
    return ok;
}

static bool read_list(struct reader *r, char end, bool (*read_item)(struct reader *))
{
    if (++r->depth > MOST_DEPTH)
        return fail(r, "too deep");
    if (!take(r, end)) {
        do
            if (!read_item(r))
                return false;
        while (take(r, ','));
        if (!take(r, end))
            return fail(r, "a list without an end");
    }
    r->depth--;
    return true;
}

static bool read_number(struct reader *r)
{
    char *end;
    if (!strchr("-0123456789", *r->at))
        return fail(r, "no value");
    double number = strtod(r->at, &end);
    if (end == r->at)
        return fail(r, "no number");
    r->at = end;
    return visit(r, JSON_NUMBER, number, NULL);
}

static bool read_word(struct reader *r, const char *word, enum json_kind kind, double number)
{
    if (strncmp(r->at, word, strlen(word)))
        return fail(r, "no value");
    r->at += strlen(word);
    return visit(r, kind, number, NULL);
}

static bool read_value(struct reader *r)
{
    skip_blanks(r);
    switch (*r->at) {
    case '{':
        r->at++;
        return read_list(r, '}', read_member);
    case '[':
        r->at++;
        return read_list(r, ']', read_element);
    case '"':
        r->at++;
        return read_string(r) && visit(r, JSON_STRING, 0, r->string.data);
    case 't':
        return read_word(r, "true", JSON_BOOL, 1);
    case 'f':
        return read_word(r, "false", JSON_BOOL, 0);
    case 'n':
        return read_word(r, "null", JSON_NULL, 0);
    case '\0':
        return fail(r, "no value");
    default:
        return read_number(r);
    }
}

bool json_walk(const char *text, json_visitor *visitor, void *context, char **error)
{
    struct reader r = {.start = text, .at = text, .visit = visitor, .context = context};
    bool ok = read_value(&r);
    skip_blanks(&r);
    if (ok && *r.at)
        ok = fail(&r, "something behind the value");
    if (!ok) {
        struct text why = {0};
        text_printf(&why, "at byte %zu: %s", (size_t)(r.at - r.start), r.wrong);
        *error = text_take(&why);
    }
    text_free(&r.path);
    text_free(&r.string);
    return ok;
}
