/*
 * Cases for single instructions, made from the opcode table alone.
 *
 * A form is one legal way to write a row of ops.def: its suffixes and types, and a variant where the row
 * can be used in ways that suffixes do not tell (register widths, special registers, small programs). A
 * case is one kernel `k` whose threads read operands from buffers, execute the form, and store all it
 * gives. What PTX leaves undefined is not asked: division by zero, the most negative number divided by -1,
 * shuffles from lanes that take no part, approximate functions outside the range their error is stated for.
 */
#ifndef HEDDLE_TESTS_OP_CASE_H
#define HEDDLE_TESTS_OP_CASE_H

#include "case.h"
#include "op_texture.h"
#include "ptx/ops.h"

#include <stdbool.h>
#include <stdint.h>

/* One argument as its threads see it: thread i owns the bytes from i * bytes on. 0: not one per thread. */
struct op_column {
    uint8_t bytes;
    uint8_t type; /* enum type of what it holds */
};

struct op_case {
    struct test_case base; /* first: case_destroy() frees the whole */
    enum op op;
    unsigned threads;
    struct op_column column[CASE_MAX_ARGS];
    bool may_be_absent; /* a form that newer silicon no longer has */
};

struct form {
    enum op op;
    struct suffixes suffixes;
    int variant; /* what it means is up to the row's family; 0 always exists */
};

struct form_list {
    struct form *data;
    int count, capacity;
};

/* All forms of the table, in the table's order; the caller frees with form_list_free(). */
struct form_list form_list_all(void);
void form_list_free(struct form_list *list);

int op_case_count(void);
struct op_case *op_case_make(int index); /* of form_list_all(); free with case_destroy(&c->base) */
struct op_case *op_case_of_form(const struct form *form);

/* The first row from `from` on that has no form, or OP_NONE: then every row has one. */
enum op op_case_missing_row(enum op from);

#endif
