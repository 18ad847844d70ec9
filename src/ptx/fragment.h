/* Fragments: the registers with which each thread of a row holds its part of a matrix. */
#ifndef HEDDLE_PTX_FRAGMENT_H
#define HEDDLE_PTX_FRAGMENT_H

#include "ptx/ops.h"

/* The registers of one operand of a matrix instruction. */
struct fragment {
    int count;
    enum type type; /* of a register */
};

/* Which fragment an operand of the role (ROLE_MATRIX_A, ...) is, of an instruction with these suffixes. */
struct fragment fragment_of(enum op op, const struct suffixes *suffixes, enum role role);
/* The type of the matrix's elements. */
enum type fragment_element(enum op op, const struct suffixes *suffixes, enum role role);

/* The fragment that a wmma.load writes or a wmma.store reads: its role in wmma.mma. */
enum role fragment_role(const struct suffixes *suffixes);

#endif
