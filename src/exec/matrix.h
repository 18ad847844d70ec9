/*
 * Matrix instructions: the 32 threads of a row together load, store, transpose and multiply matrices whose elements
 * are spread over their registers.
 *
 * Like other warp-level operations (warp_ops.h), operands are collected, the operation is computed once, and results
 * are delivered; threads may be at several instructions of one kind. Registers of a thread that takes no part count
 * as zero. wgmma works on four rows at once, but no row's result depends on another row's registers, so each row
 * computes its own 16 of the 64 rows of the matrix.
 *
 * wgmma is complete when the next instruction starts; on machines, what waits for it takes its time
 * (sm/async/products.h).
 * Not modelled: what wgmma reads of shared memory in the race check.
 */
#ifndef HEDDLE_EXEC_MATRIX_H
#define HEDDLE_EXEC_MATRIX_H

#include "exec/engine.h"

enum { MATRIX_MAX_SOURCES = 140, MATRIX_MAX_DESTS = 128 };

/* Operands of the threads that take part, in the order of struct insn, and what they get. Large: about 70 KB. */
struct matrix_operands {
    const struct insn *insn;
    const struct bound *bound; /* an instruction to blame for faults */
    uint32_t mask;             /* lanes that take part */
    uint64_t source[MATRIX_MAX_SOURCES][ROW_LANES];
    uint64_t dest[MATRIX_MAX_DESTS][ROW_LANES];
    uint64_t address[ROW_LANES];
};

/* Adds the operands of the lanes `mask`, which are at the instruction `in`. To be called with e->row set. */
void matrix_collect(struct engine *e, const struct bound *in, uint32_t mask, struct matrix_operands *x);
/* Executes the operation. False after a fault. */
bool matrix_compute(struct engine *e, struct matrix_operands *x);
void matrix_deliver(struct engine *e, const struct bound *in, uint32_t mask, const struct matrix_operands *x);
/* Collects, computes and delivers for threads that are all at one instruction. */
bool matrix_execute(struct engine *e, const struct bound *in, uint32_t mask);

/* What a lane of the row at work has in an operand. */
uint64_t matrix_value(const struct engine *e, const struct ref *r, int lane);

/* Where an element of a matrix is: its register, its place in the register, and its lane. */
struct matrix_place {
    int reg, part, lane;
};

/* Places in the layouts of registers that matrix.c describes, of matrices of `rows` (8, 16 or 32) by `depth`
 * elements, `depth` by any number of columns, and `rows` by `columns`. */
struct matrix_place matrix_place_a(enum type type, int rows, int depth, int row, int k);
struct matrix_place matrix_place_b(enum type type, int depth, int k, int column);
struct matrix_place matrix_place_c(enum type type, int rows, int columns, int row, int column);

/* matrix_memory.c */
bool matrix_load(struct engine *e, struct matrix_operands *x);  /* ldmatrix, wmma.load */
bool matrix_store(struct engine *e, struct matrix_operands *x); /* stmatrix, wmma.store */

/* How machines see a load or store of matrices: pieces of `bytes` bytes each. Threads of a row may come to the
 * instruction at different times; those of them that give addresses bring the pieces at these addresses. */
enum { MATRIX_MOST_PIECES = ROW_LANES };
struct matrix_pieces {
    int count;
    unsigned bytes;
    uint64_t address[MATRIX_MOST_PIECES]; /* in the instruction's space */
};
/* The pieces that the lanes `mask` of the row at work bring. */
void matrix_find_pieces(struct engine *e, const struct bound *in, uint32_t mask, struct matrix_pieces *out);
/* Whether the instruction moves matrices between registers and memory. */
bool matrix_is_access(const struct insn *in);
bool matrix_is_store(const struct insn *in);
/* The bits of the element (line, k) of a matrix in shared memory that a wgmma descriptor names; `line` is a row of
 * a or a column of b. False if the element lies outside shared memory. */
bool matrix_described(const struct engine *e, uint64_t descriptor, bool is_transposed, unsigned element_bits,
                      unsigned line, unsigned k, uint32_t *bits);

#endif
