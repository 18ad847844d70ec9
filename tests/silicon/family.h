/*
 * Families of rows that are tried in the same manner. Each says which forms of its rows are legal PTX for
 * sm_90, and makes their cases.
 */
#ifndef HEDDLE_TESTS_FAMILY_H
#define HEDDLE_TESTS_FAMILY_H

#include "op_case.h"

enum { FORM_MAX_VARIANTS = 80, FAMILY_NAME_BYTES = 64 };

struct family {
    int (*variants)(enum op op); /* how many; at least 1 and at most FORM_MAX_VARIANTS */
    /* Whether the form is legal; not complete: whether it can still become so, later suffixes being unset. */
    bool (*legal)(const struct form *form, bool complete);
    /* What tells this variant from others of the same spelling; "" where nothing needs to. */
    void (*describe)(const struct form *form, char out[FAMILY_NAME_BYTES]);
    /* Whether the form is to be tried even where a row has too many to try all; NULL: none is. */
    bool (*essential)(const struct form *form);
    struct op_case *(*make)(const struct form *form, const char *name);
};

extern const struct family family_compute; /* compute.c: results depend on operand values alone */
extern const struct family family_packed;  /* packed.c: several numbers in one register; video instructions */
extern const struct family family_move;    /* move.c: mov, packing, addresses, special registers */
extern const struct family family_memory;  /* memory.c: loads, stores, atomics, prefetches */
extern const struct family family_texture; /* texture.c: texture fetches, surface accesses, and queries of both */
extern const struct family family_script;  /* script.c: control flow, barriers, operations of a row */
extern const struct family family_matrix;  /* matrix.c: products, loads and stores of matrices */

const struct family *family_of(enum op op);

/* The legal forms of one row, thinned out where there are very many, appended to the list. */
void form_list_row(enum op op, struct form_list *list);

#endif
