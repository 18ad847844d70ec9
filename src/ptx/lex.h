/*
 * The words of PTX text.
 *
 * A word keeps its dots: `add.rn.f32`, `%tid.x` and `%v.y` are one token each, so that an opcode can be looked up
 * whole. A directive (`.reg`) is a token that begins with its dot and ends before the next dot. Comments and blanks are
 * skipped. The lexer never fails: what cannot be read becomes a TOKEN_BAD that carries the message.
 */
#ifndef HEDDLE_PTX_LEX_H
#define HEDDLE_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind of a single-character punctuation is the character itself. */
enum token_kind {
    TOKEN_END = 256,
    TOKEN_BAD, /* `error` says why */
    TOKEN_WORD,
    TOKEN_DIRECTIVE,
    TOKEN_NUMBER,
    TOKEN_STRING, /* `text` is what stands between the quotes, as written */
    TOKEN_SHIFT_LEFT,
    TOKEN_SHIFT_RIGHT,
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER_EQUAL,
    TOKEN_EQUAL,
    TOKEN_NOT_EQUAL,
    TOKEN_AND,
    TOKEN_OR
};

enum number_kind { NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_F32, NUMBER_F64 };

struct token {
    int kind;
    int length;
    const char *text; /* in the source */
    size_t offset;    /* of the token's first byte in the source */
    int line;
    uint8_t number;    /* enum number_kind */
    uint64_t bits;     /* TOKEN_NUMBER: value of an integer, or bits of a float of its kind */
    const char *error; /* TOKEN_BAD: message */
};

struct lexer {
    const char *text; /* NUL-terminated */
    size_t length, position;
    int line;
};

void lex_next(struct lexer *lexer, struct token *token);

/* Skips everything up to and including the `}` that closes the `{` just read; false if there is no such `}`. */
bool lex_skip_braces(struct lexer *lexer);
void lex_skip_line(struct lexer *lexer);

static inline bool token_is(const struct token *token, const char *text, int length)
{
    return token->length == length && !__builtin_memcmp(token->text, text, (size_t)length);
}

/* Whether a word or directive is the given string literal. */
#define TOKEN_IS(token, literal) token_is((token), (literal), (int)sizeof(literal) - 1)

#endif
