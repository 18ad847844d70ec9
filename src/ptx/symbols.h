/*
 * Names in scope while a module is parsed.
 *
 * There is one table for all scopes: each name has a stack of meanings, innermost first. Depth 0 is the module, depth 1
 * a function, and larger depths are its nested braces. A register range `%r<10>` is one entry, found by its prefix.
 */
#ifndef HEDDLE_PTX_SYMBOLS_H
#define HEDDLE_PTX_SYMBOLS_H

#include "base/arena.h"

#include <stdbool.h>

enum { SYMBOLS_MAX_DEPTH = 256 };

enum symbol_kind {
    SYMBOL_UNDEFINED, /* an error was reported for this name: report no further ones */
    SYMBOL_REGISTER,
    SYMBOL_VARIABLE,
    SYMBOL_FUNCTION,
    SYMBOL_LABEL,
    SYMBOL_TARGETS,
    SYMBOL_PROTOTYPE
};

/* One meaning of a name: at one depth, until that scope is left. */
struct symbol {
    enum symbol_kind kind;
    int depth;    /* of the scope that defines the meaning */
    int first;    /* registers: index of the first; labels: index in the function's labels */
    int count;    /* register ranges: elements */
    int stride;   /* register ranges: registers per element; vectors take several */
    void *object; /* the variable, function, target list or prototype of the module; NULL for registers and labels */
    struct symbol *outer;         /* the meaning that the name has further out, or NULL */
    struct symbol *next_in_scope; /* next symbol of the same scope, or NULL */
    struct symbol_name *name;     /* entry of the name table */
};

struct symbols {
    struct arena arena;
    struct symbol_name *names, *ranges;          /* hash tables: by name; register ranges by prefix */
    int depth;                                   /* of the current scope */
    struct symbol *scope[SYMBOLS_MAX_DEPTH + 1]; /* by depth: list of the symbols that the open scope defines */
    bool shadowing;      /* a name was defined that had another meaning already; the user clears the flag */
    bool numbered;       /* some name that is not of a range ends in a number */
    bool digit_prefixes; /* the prefix of some range ends in a digit */
    bool late_shadowing; /* a name was defined at module scope after a function had used it */
};

void symbols_enter(struct symbols *s); /* the caller checks the depth */
void symbols_leave(struct symbols *s);
void symbols_free(struct symbols *s);

/* The new symbol, or NULL if the name has a meaning at the current depth already. */
struct symbol *symbols_define(struct symbols *s, enum symbol_kind kind, const char *text, int length);
struct symbol *symbols_define_range(struct symbols *s, const char *prefix, int length, int first, int count,
                                    int stride);

/* The innermost meaning of a name, or NULL. For registers, *index is the register. */
struct symbol *symbols_find(struct symbols *s, const char *text, int length, int *index);

#endif
