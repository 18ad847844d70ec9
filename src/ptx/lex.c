/*
 * The lexer: cuts PTX text into tokens. A word keeps its dots (`add.rn.f32` is one token, lex.h). Functions named lex_*
 * that take a position `p` read one kind of token there and return the position behind it. The lexer never fails: what
 * cannot be read becomes a TOKEN_BAD that carries the message.
 */
#include "ptx/lex.h"

#include <stdlib.h>
#include <string.h>

enum { START = 1, INSIDE = 2, DIGIT = 4, HEX = 8, BLANK = 16 };

/* clang-format off */
static const uint8_t class_of[256] = {
    [' '] = BLANK, ['\t'] = BLANK, ['\r'] = BLANK, ['\f'] = BLANK, ['\v'] = BLANK, ['\n'] = BLANK,
    ['0' ... '9'] = INSIDE | DIGIT | HEX,
    ['a' ... 'f'] = START | INSIDE | HEX, ['g' ... 'z'] = START | INSIDE,
    ['A' ... 'F'] = START | INSIDE | HEX, ['G' ... 'Z'] = START | INSIDE,
    ['_'] = START | INSIDE, ['$'] = START | INSIDE, ['%'] = START,
};
/* clang-format on */

static bool is(char c, int class)
{
    return class_of[(unsigned char)c] & class;
}

static void bad(struct token *token, const char *error)
{
    token->kind = TOKEN_BAD;
    token->error = error;
}

/* Skips blanks and comments. False for a comment that does not end; the lexer is then at the comment's start. */
static bool skip_blanks(struct lexer *lexer)
{
    const char *text = lexer->text;
    for (;;) {
        char c = text[lexer->position];
        if (c == '\n') {
            lexer->line++;
            lexer->position++;
        } else if (is(c, BLANK)) {
            lexer->position++;
        } else if (c == '/' && text[lexer->position + 1] == '/') {
            lex_skip_line(lexer);
        } else if (c == '/' && text[lexer->position + 1] == '*') {
            size_t p = lexer->position + 2;
            int line = lexer->line;
            while (p + 1 < lexer->length && !(text[p] == '*' && text[p + 1] == '/'))
                line += text[p++] == '\n';
            if (p + 1 >= lexer->length)
                return false;
            lexer->position = p + 2;
            lexer->line = line;
        } else {
            return true;
        }
    }
}

void lex_skip_line(struct lexer *lexer)
{
    while (lexer->position < lexer->length && lexer->text[lexer->position] != '\n')
        lexer->position++;
}

static size_t skip_inside(const char *text, size_t p)
{
    while (is(text[p], INSIDE))
        p++;
    return p;
}

/* Reads the rest of a suffix, which may contain `::`, as in L1::evict_last. */
static size_t skip_suffix(const char *text, size_t p)
{
    p = skip_inside(text, p);
    while (text[p] == ':' && text[p + 1] == ':' && is(text[p + 2], INSIDE))
        p = skip_inside(text, p + 2);
    return p;
}

static size_t lex_word(const char *text, size_t p)
{
    p = skip_inside(text, p + 1);
    while (text[p] == '.' && is(text[p + 1], INSIDE))
        p = skip_suffix(text, p + 1);
    return p;
}

static int digit_value(char c)
{
    return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

/* Reads a float given by all its bits: 0f3F800000, 0d3FF0000000000000. */
static size_t lex_float_bits(const char *text, size_t p, int digits, struct token *token)
{
    size_t start = p += 2;
    for (; is(text[p], HEX); p++)
        token->bits = token->bits << 4 | (uint64_t)digit_value(text[p]);
    token->number = digits == 8 ? NUMBER_F32 : NUMBER_F64;
    if (p - start != (size_t)digits)
        bad(token,
            digits == 8 ? "expected 8 hexadecimal digits behind 0f" : "expected 16 hexadecimal digits behind 0d");
    return p;
}

static size_t lex_decimal_float(const char *text, size_t p, struct token *token)
{
    char copy[64], *end;
    size_t n = strspn(text + p, "0123456789.eE");
    if (n && (text[p + n - 1] | 32) == 'e' && (text[p + n] == '+' || text[p + n] == '-'))
        n += 1 + strspn(text + p + n + 1, "0123456789");
    if (n >= sizeof copy) {
        bad(token, "number is too long");
        return p + n;
    }
    memcpy(copy, text + p, n);
    copy[n] = '\0';
    double value = strtod(copy, &end);
    if (*end)
        bad(token, "malformed floating-point number");
    token->number = NUMBER_F64;
    memcpy(&token->bits, &value, sizeof value);
    return p + n;
}

static size_t lex_integer(const char *text, size_t p, struct token *token)
{
    int base = 10;
    if (text[p] == '0') {
        char x = text[p + 1] | 32;
        base = x == 'x' ? 16 : x == 'b' ? 2 : 8;
        p += base == 8 ? 0 : 2;
        if (base != 8 && !is(text[p], HEX))
            bad(token, "expected digits");
    }
    token->number = NUMBER_SIGNED;
    for (; is(text[p], base == 16 ? HEX : DIGIT); p++) {
        int digit = digit_value(text[p]);
        if (digit >= base)
            bad(token,
                base == 8 ? "expected an octal digit: a leading 0 makes a number octal" : "expected a binary digit");
        if (token->bits > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
            bad(token, "number does not fit 64 bits");
        else
            token->bits = token->bits * (uint64_t)base + (uint64_t)digit;
    }
    if (text[p] == 'U') {
        token->number = NUMBER_UNSIGNED;
        p++;
    }
    if (token->bits > INT64_MAX)
        token->number = NUMBER_UNSIGNED;
    return p;
}

static size_t lex_number(const char *text, size_t p, struct token *token)
{
    token->kind = TOKEN_NUMBER;
    token->bits = 0;
    char second = text[p] == '0' ? text[p + 1] | 32 : 0;
    if (second == 'f' || second == 'd') {
        p = lex_float_bits(text, p, second == 'f' ? 8 : 16, token);
    } else {
        size_t digits = 0;
        while (is(text[p + digits], DIGIT))
            digits++;
        char after = text[p + digits];
        if (second != 'x' && second != 'b' && (after == '.' || (after | 32) == 'e'))
            p = lex_decimal_float(text, p, token);
        else
            p = lex_integer(text, p, token);
    }
    if (is(text[p], INSIDE)) {
        bad(token, "malformed number");
        p = skip_inside(text, p);
    }
    return p;
}

static size_t lex_string(const struct lexer *lexer, size_t p, struct token *token)
{
    const char *text = lexer->text;
    size_t start = ++p;
    while (p < lexer->length && text[p] != '"' && text[p] != '\n')
        p += text[p] == '\\' && p + 1 < lexer->length && text[p + 1] != '\n' ? 2 : 1;
    token->kind = TOKEN_STRING;
    token->text = text + start;
    token->length = (int)(p - start);
    if (p >= lexer->length || text[p] != '"') {
        bad(token, "string without an end");
        return p;
    }
    return p + 1;
}

static const struct {
    char text[3];
    int kind;
} doubles[] = {
    {"<<", TOKEN_SHIFT_LEFT}, {">>", TOKEN_SHIFT_RIGHT}, {"<=", TOKEN_LESS_EQUAL}, {">=", TOKEN_GREATER_EQUAL},
    {"==", TOKEN_EQUAL},      {"!=", TOKEN_NOT_EQUAL},   {"&&", TOKEN_AND},        {"||", TOKEN_OR},
};

static size_t lex_punctuation(const char *text, size_t p, struct token *token)
{
    static const char known[] = ";,:()[]{}@+-*/%<>=!~&|^?#_";
    token->kind = (unsigned char)text[p];
    if (!strchr(known, text[p]) || !text[p]) {
        bad(token, "unexpected character");
        return p + 1;
    }
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        if (text[p] == doubles[i].text[0] && text[p + 1] == doubles[i].text[1]) {
            token->kind = doubles[i].kind;
            return p + 2;
        }
    return p + 1;
}

void lex_next(struct lexer *lexer, struct token *token)
{
    bool ends = skip_blanks(lexer);
    const char *text = lexer->text;
    size_t p = lexer->position;
    token->text = text + p;
    token->offset = p;
    token->line = lexer->line;
    token->length = 0;
    if (!ends) {
        bad(token, "comment without an end");
        lexer->position = lexer->length;
        return;
    }
    char c = text[p];
    if (p >= lexer->length) {
        token->kind = TOKEN_END;
        return;
    }
    size_t end;
    if (is(c, START) && (c != '%' || is(text[p + 1], INSIDE))) {
        token->kind = TOKEN_WORD;
        end = lex_word(text, p);
    } else if (is(c, DIGIT) || (c == '.' && is(text[p + 1], DIGIT))) {
        end = lex_number(text, p, token);
    } else if (c == '.' && is(text[p + 1], INSIDE)) {
        token->kind = TOKEN_DIRECTIVE;
        end = skip_suffix(text, p + 1);
    } else if (c == '"') {
        lexer->position = lex_string(lexer, p, token);
        return;
    } else {
        end = lex_punctuation(text, p, token);
    }
    token->length = (int)(end - p);
    lexer->position = end;
}

bool lex_skip_braces(struct lexer *lexer)
{
    struct token token;
    for (int depth = 1; depth > 0;) {
        lex_next(lexer, &token);
        if (token.kind == TOKEN_END)
            return false;
        depth += (token.kind == '{') - (token.kind == '}');
    }
    return true;
}
