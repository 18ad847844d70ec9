/*
 * A case: one kernel launch with known inputs, to be run on real silicon and on heddle and compared.
 *
 * Cases come from three makers: the corpus (compiled CUDA sources), the random-program generator, and
 * the per-instruction kernels expanded from the opcode table. `replay` runs them through the CUDA driver
 * API, so that the very same source records goldens on a GPU and checks heddle.
 */
#ifndef HEDDLE_TESTS_CASE_H
#define HEDDLE_TESTS_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CASE_MAX_ARGS = 24, CASE_MAX_TEXTURES = 6 };

struct case_arg {
    bool is_buffer; /* a device buffer whose address is passed; otherwise the bytes are passed by value */
    bool is_output; /* a buffer to read back and compare after the launch */
    size_t bytes;
    void *data; /* initial contents of the buffer, or the value; owned by the case */
};

struct test_case {
    char *name;
    char *ptx; /* the module's text, NUL-terminated */
    char *kernel;
    unsigned grid[3], block[3];
    unsigned shared_bytes; /* dynamic shared memory */
    int arg_count;
    struct case_arg arg[CASE_MAX_ARGS];
    int texture_count;
    struct op_texture *texture; /* and surfaces, at most CASE_MAX_TEXTURES; owned by the case */
};

void case_destroy(struct test_case *c); /* frees the case and all it owns */

/* Writes the launch as a .case file of this one case, in the format of tests/corpus/README.md. */
void case_write(const struct test_case *c, const char *name, FILE *out);

#endif
