/*
 * Diagnostics: how heddle says that something is wrong.
 *
 *   fatal()     the user's mistake: a message and exit status 1.
 *   panic()     our mistake: a message and abort().
 *   diag_fail() a caller's request cannot be met: makes an error text and returns false.
 *   diag_at()   an error in an input text, with line, column and caret. Up to DIAG_MAX errors are collected, so that
 *               one pass over a file reports many.
 *
 * fatal() is for the command line only. Library code (parser, loader, executors) returns its errors as values: an error
 * text, a struct diag, or a struct fault.
 */
#ifndef HEDDLE_BASE_DIAG_H
#define HEDDLE_BASE_DIAG_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { DIAG_MAX = 20 };

/* stderr, after all that was printed on stdout has been written: where both are one file or terminal, a message never
 * stands amid a table that was printed before it. Every message and progress line is written to it. errno stays as it
 * is. */
FILE *diag_stream(void);

/* A text being read, for error messages. */
struct source {
    const char *path;
    const char *text; /* NUL-terminated; NULL: the text could not be read, and errors have no line */
    size_t length;
};

struct diag_entry {
    int line, column; /* from 1; line 0: the error concerns the whole text */
    const char *message;
    const char *excerpt; /* the line of text, tabs replaced by blanks, and the caret on a line below */
};

struct diag {
    struct arena arena;
    const char *path;
    int count; /* errors reported; only the first DIAG_MAX are kept */
    struct diag_entry entry[DIAG_MAX];
};

/* Records an error at a byte offset of the source. */
void diag_at(struct diag *d, const struct source *source, size_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_print(const struct diag *d, FILE *out); /* path:line:column: error: ...; the line; the caret */
char *diag_text(const struct diag *d);            /* what diag_print() prints, as a string that the caller frees */
void diag_free(struct diag *d);

/* *error = the formatted text, which the caller frees. Returns false. */
bool diag_fail(char **error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* cold: compilers put what makes their arguments apart from code that runs */
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2), cold));
_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

#endif
