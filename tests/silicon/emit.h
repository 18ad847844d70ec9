/*
 * Writing the kernel of a case: threads numbered by %i, one buffer a column, one entry a thread.
 *
 * All registers are declared with bit-size types, which PTX lets stand for any type of their size.
 */
#ifndef HEDDLE_TESTS_EMIT_H
#define HEDDLE_TESTS_EMIT_H

#include "base/text.h"
#include "op_case.h"

struct emitter {
    const char *directives; /* behind the kernel's parameters; NULL: none */
    struct op_case *c;
    struct text module; /* what stands before the kernel: variables, functions */
    struct text params; /* of the kernel */
    struct text body;
    int version; /* PTX, times ten */
    const char *target;
};

/* Starts a case; blocks of `block` threads in one dimension, as many as make `threads`. */
void emit_begin(struct emitter *e, enum op op, const char *name, unsigned threads, unsigned block);
struct op_case *emit_end(struct emitter *e);

void emit_line(struct emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void emit_register(struct emitter *e, unsigned bits, const char *name); /* bits 1: a predicate */

/* An argument: a buffer of so many bytes a thread, zeroed. Its base address comes to be in %b<argument>. */
int emit_buffer(struct emitter *e, unsigned bytes_per_thread, enum type type, bool is_output);
/* A buffer that is no column. */
int emit_table(struct emitter *e, size_t bytes);
/* An argument passed by value as .param p<argument>, `align` bytes aligned. */
int emit_value(struct emitter *e, size_t bytes, unsigned align);
/* %rd = address of the thread's own entry in the argument. */
void emit_address(struct emitter *e, const char *rd, int arg);

/*
 * Declares the register and loads it from a new input column; returns the column's bytes. A predicate's
 * column holds 32-bit words, 0 or 1.
 */
void *emit_input(struct emitter *e, const char *reg, unsigned bits, enum type type);
/* Stores the register to a new output column; a predicate as a 32-bit 0 or 1. */
void emit_output(struct emitter *e, const char *reg, unsigned bits, enum type type);

/* Little-endian; of 16 bytes, the upper eight are a function of the lower. */
void emit_put(void *column, unsigned bytes, unsigned thread, uint64_t value);

unsigned emit_register_bits(enum type type); /* the narrowest register: 8-bit values live in 16 */

/* The instruction as the form spells it, without operands: "add.rz.ftz.f32". */
void form_print(const struct form *form, struct text *out);

#endif
