/*
 * Names in scope while a module is parsed.
 *
 * One table for all scopes: each name has a stack of meanings, innermost first. Depth 0 is the module, 1 a
 * function, deeper its nested braces. A register range `%r<10>` is one entry, found by its prefix.
 */
#ifndef HEDDLE_PTX_SYMBOLS_H
#define HEDDLE_PTX_SYMBOLS_H

#include "base/arena.h"

#include <stdbool.h>

enum { SYMBOLS_MAX_DEPTH = 256 };

enum symbol_kind {
    SYMBOL_UNDEFINED, /* an error was reported for this name: say no more */
    SYMBOL_REGISTER,
    SYMBOL_VARIABLE,
    SYMBOL_FUNCTION,
    SYMBOL_LABEL,
    SYMBOL_TARGETS,
    SYMBOL_PROTOTYPE
};

struct symbol {
    enum symbol_kind kind;
    int depth;
    int first;  /* of registers: index of the first; of labels: index among the function's labels */
    int count;  /* of register ranges */
    int stride; /* of register ranges: registers an element takes (vectors take more than one) */
    void *object;
    struct symbol *outer, *next_in_scope;
    struct symbol_name *name;
};

struct symbols {
    struct arena arena;
    struct symbol_name *names, *ranges;
    int depth;
    struct symbol *scope[SYMBOLS_MAX_DEPTH + 1];
    bool shadowing;      /* since it was last cleared, a name was defined that already meant something else */
    bool numbered;       /* some name ends in a number without being of a range */
    bool digit_prefixes; /* some range's prefix ends in a digit */
    bool late_shadowing; /* a name of the module was defined that a function had used before */
};

void symbols_enter(struct symbols *s); /* the caller checks the depth */
void symbols_leave(struct symbols *s);
void symbols_free(struct symbols *s);

/* The symbol, or NULL if the name means something else at the current depth already. */
struct symbol *symbols_define(struct symbols *s, enum symbol_kind kind, const char *name, int length);
struct symbol *symbols_define_range(struct symbols *s, const char *prefix, int length, int first, int count,
                                    int stride);

/* NULL if there is none. For registers, *index is the register. */
struct symbol *symbols_find(struct symbols *s, const char *name, int length, int *index);

#endif
