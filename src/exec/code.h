/*
 * Code: a program bound to an image, ready to be executed by the engine.
 *
 * Binding resolves what the program leaves open: addresses of variables become constants, operands become offsets, and
 * lane handlers are chosen. One code per kernel and image; nothing writes it while kernels run. Launches of one code
 * run one after the other.
 */
#ifndef HEDDLE_EXEC_CODE_H
#define HEDDLE_EXEC_CODE_H

#include "device/image.h"
#include "flow/program.h"

struct code;

/* Makes the kernel's program, which the code owns, and binds it. NULL and an error text, freed by the caller, on
 * failure. */
struct code *code_create(const struct ptx_function *kernel, const struct image *image, char **error);
void code_destroy(struct code *code);
const struct program *code_program(const struct code *code);

/* What another room has made of the code, for launches to come; NULL: nothing. `destroy` is called with it when the
 * code is destroyed, or when something else is kept. */
void *code_kept(const struct code *code);
void code_keep(const struct code *code, void *made, void (*destroy)(void *made));

/* Whether the engine executes the row, in some form at least. */
bool code_executes(enum op op);

#endif
