/*
 * Code: a program bound to an image, ready to be executed by the engine.
 *
 * Binding resolves what the program leaves open: addresses of variables become constants, handlers are chosen,
 * operands become offsets. One code per (program, image); read-only while kernels run.
 */
#ifndef HEDDLE_EXEC_CODE_H
#define HEDDLE_EXEC_CODE_H

#include "device/image.h"
#include "flow/program.h"

struct code;

/* NULL and an error text (freed by the caller) as program_create. Owns the program it makes. */
struct code *code_create(const struct ptx_function *kernel, const struct image *image, char **error);
void code_destroy(struct code *code);
const struct program *code_program(const struct code *code);

#endif
